/* Gravity: a = g, the same for every mass. */
#include "forces/gravity.h"

mote_force_def mote_gravity(const vec3 acceleration) {
    mote_force_def def = {.kind = MOTE_FORCE_GRAVITY};
    mote_copy_vector(def.as.gravity.acceleration, acceleration);
    return def;
}

static void fold(const mote_force_def *def, mote_affine *acceleration, mote_affine *force) {
    (void)force;
    for (int axis = 0; axis < 3; axis++) acceleration->constant[axis] += (double)def->as.gravity.acceleration[axis];
}

const mote_force_row mote_gravity_row = {
    .name = "gravity", .path = MOTE_PATH_AFFINE, .fold = fold, .parameters = 3};
