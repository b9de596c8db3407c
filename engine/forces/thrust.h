/* Thrust: F = f, a constant force. */
#ifndef MOTE_FORCES_THRUST_H
#define MOTE_FORCES_THRUST_H

#include "forces/force.h"

/* Returns true if a def is a thrust, for kernels that evaluate it without a call. */
MOTE_INLINE bool mote_thrust_is(const mote_force_def *def) { return def->kind == MOTE_FORCE_THRUST; }

/* Evaluates the force (N) inside a region; without a region it is folded. */
MOTE_INLINE wide3 mote_thrust_evaluate(const mote_force_def *def, const mote_force_point *at) {
    (void)at;
    return wide3_set(def->as.thrust.force);
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_thrust(const float force[3]) {
    mote_force_def def = {.cookie = MOTE_FORCE_COOKIE, .kind = MOTE_FORCE_THRUST};
    mote_copy_vector(def.as.thrust.force, force);
    return def;
}

static void thrust_fold(const mote_force_def *def, mote_affine *force) {
    for (int axis = 0; axis < 3; axis++) force->constant[axis] += (double)def->as.thrust.force[axis];
}

/* Potential -f.x. */
static double thrust_potential(const mote_force_def *def, const mote_force_place *at) {
    const float *f = def->as.thrust.force;
    const double *x = at->x;
    return -(((double)f[0] * x[0] + (double)f[1] * x[1]) + (double)f[2] * x[2]);
}

static const mote_force_row mote_thrust_row = {.name = "thrust",
                                               .path = MOTE_PATH_AFFINE,
                                               .bytes = MOTE_PARAMETERS(thrust),
                                               .fields = {{"force", 3}},
                                               .fold = thrust_fold,
                                               .potential = thrust_potential};

#endif
#endif
