/* Gravity: a = g, the same for every mass. */
#include "forces/gravity.h"

mote_force_def mote_gravity(const vec3 acceleration) {
    mote_force_def def = {.kind = MOTE_FORCE_GRAVITY};
    mote_copy_vector(def.as.gravity.acceleration, acceleration);
    return def;
}

static void fold(const mote_force_def *def, mote_affine *acceleration, mote_affine *force) {
    (void)force;
    for (int axis = 0; axis < 3; axis++)
        acceleration->constant[axis] += (double)def->as.gravity.acceleration[axis];
}

/* -m g.x */
static double potential(const mote_force_def *def, const double x[3], double mass) {
    const float *g = def->as.gravity.acceleration;
    return -mass * (((double)g[0] * x[0] + (double)g[1] * x[1]) + (double)g[2] * x[2]);
}

const mote_force_row mote_gravity_row = {.name = "gravity",
                                         .path = MOTE_PATH_AFFINE,
                                         .parameters = 3,
                                         .words = 3,
                                         .fold = fold,
                                         .potential = potential};
