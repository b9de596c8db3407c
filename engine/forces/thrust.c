/* Thrust: F = f, a constant force. */
#include "forces/thrust.h"

mote_force_def mote_thrust(const vec3 force) {
    mote_force_def def = {.kind = MOTE_FORCE_THRUST};
    mote_copy_vector(def.as.thrust.force, force);
    return def;
}

static void fold(const mote_force_def *def, mote_affine *acceleration, mote_affine *force) {
    (void)acceleration;
    for (int axis = 0; axis < 3; axis++) force->constant[axis] += (double)def->as.thrust.force[axis];
}

/* -f.x */
static double potential(const mote_force_def *def, const double x[3], double mass) {
    (void)mass;
    const float *f = def->as.thrust.force;
    return -(((double)f[0] * x[0] + (double)f[1] * x[1]) + (double)f[2] * x[2]);
}

const mote_force_row mote_thrust_row = {.name = "thrust",
                                        .path = MOTE_PATH_AFFINE,
                                        .newtons = true,
                                        .parameters = 3,
                                        .words = 3,
                                        .fold = fold,
                                        .potential = potential};
