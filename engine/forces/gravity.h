/* Gravity: a = g, the same for every mass. */
#ifndef MOTE_FORCES_GRAVITY_H
#define MOTE_FORCES_GRAVITY_H

#include "forces/force.h"

/* Returns true if a def is a gravity, for kernels that evaluate it without a call. */
MOTE_INLINE bool mote_gravity_is(const mote_force_def *def) { return def->kind == MOTE_FORCE_GRAVITY; }

/* Evaluates the acceleration inside a region; without a region it is folded. */
MOTE_INLINE wide3 mote_gravity_evaluate(const mote_force_def *def, const mote_force_point *at) {
    (void)at;
    return wide3_set(def->as.gravity.acceleration);
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_gravity(const float acceleration[3]) {
    mote_force_def def = {.cookie = MOTE_FORCE_COOKIE, .kind = MOTE_FORCE_GRAVITY};
    mote_copy_vector(def.as.gravity.acceleration, acceleration);
    return def;
}

static void gravity_fold(const mote_force_def *def, mote_affine *acceleration) {
    for (int axis = 0; axis < 3; axis++)
        acceleration->constant[axis] += (double)def->as.gravity.acceleration[axis];
}

/* Potential -m g.x. */
static double gravity_potential(const mote_force_def *def, const mote_force_place *at) {
    const float *g = def->as.gravity.acceleration;
    const double *x = at->x;
    return -at->mass * (((double)g[0] * x[0] + (double)g[1] * x[1]) + (double)g[2] * x[2]);
}

static const mote_force_row mote_gravity_row = {.name = "gravity",
                                                .path = MOTE_PATH_AFFINE,
                                                .bytes = MOTE_PARAMETERS(gravity),
                                                .fields = {{"acceleration", 3}},
                                                .fold = gravity_fold,
                                                .potential = gravity_potential};

#endif
#endif
