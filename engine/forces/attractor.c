/* Attractor: the gravity of a softened point. */
#include "forces/attractor.h"

mote_force_def mote_attractor(const vec3 centre, float strength, float softening) {
    mote_force_def def = {.kind = MOTE_FORCE_ATTRACTOR};
    mote_copy_vector(def.as.attractor.centre, centre);
    def.as.attractor.strength = strength;
    def.as.attractor.softening = softening;
    return def;
}

static mote_result check(const mote_force_def *def) {
    return mote_check_not_negative(def->as.attractor.softening);
}

/* -m s / (d^2 + e^2)^(1/2) */
static double potential(const mote_force_def *def, const double x[3], double mass) {
    double sum = (double)def->as.attractor.softening * (double)def->as.attractor.softening;
    for (int axis = 0; axis < 3; axis++) {
        double d = x[axis] - (double)def->as.attractor.centre[axis];
        sum += d * d;
    }
    return -mass * (double)def->as.attractor.strength / __builtin_sqrt(sum);
}

const mote_force_row mote_attractor_row = {.name = "attractor",
                                           .path = MOTE_PATH_POINT,
                                           .parameters = 5,
                                           .words = 5,
                                           .check = check,
                                           .potential = potential};
