/* Wind: F = drag (u - v), linear (Stokes) drag relative to moving air. */
#ifndef MOTE_FORCES_WIND_H
#define MOTE_FORCES_WIND_H

#include "forces/force.h"

/* Evaluates the force (N) inside a region; without a region it is folded. */
MOTE_INLINE wide3 mote_wind_evaluate(const mote_force_def *def, const mote_force_point *at) {
    return wide3_scale(wide_set(def->drag), wide3_sub(wide3_set(def->as.wind.velocity), at->v));
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_wind(const float velocity[3], float drag) {
    mote_force_def def = {.cookie = MOTE_FORCE_COOKIE, .kind = MOTE_FORCE_WIND, .drag = drag};
    mote_copy_vector(def.as.wind.velocity, velocity);
    return def;
}

static void wind_fold(const mote_force_def *def, mote_affine *force) {
    double drag = (double)def->drag;
    for (int axis = 0; axis < 3; axis++) {
        force->constant[axis] += drag * (double)def->as.wind.velocity[axis];
        force->damping[axis] -= drag;
    }
}

static const mote_force_row mote_wind_row = {.name = "wind",
                                             .path = MOTE_PATH_AFFINE,
                                             .reads_velocity = true,
                                             .damping = offsetof(mote_force_def, drag),
                                             .bytes = MOTE_PARAMETERS(wind),
                                             .fields = {{"velocity", 3}},
                                             .fold = wind_fold};

#endif
#endif
