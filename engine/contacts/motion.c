/* Motions: interpolation between two placements by tick. */
#include "contacts/motion.h"

#include "base/check.h"

#include <math.h>

mote_result mote_motion_check(const mote_transform *transform) {
    bool turns = false;
    for (int i = 0; i < 3; i++)
        if (!mote_float_is_finite(transform->position[i])) return MOTE_ERROR_NOT_FINITE;
    for (int i = 0; i < 4; i++) {
        if (!mote_float_is_finite(transform->rotation[i])) return MOTE_ERROR_NOT_FINITE;
        turns |= !mote_float_is_zero(transform->rotation[i]);
    }
    return turns ? MOTE_OK : MOTE_ERROR_RANGE;
}

static double dot(const float a[4], const float b[4]) {
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Normalises in double, where no square of a float overflows or underflows. */
static mote_transform normalised(mote_transform transform) {
    const double length = __builtin_sqrt(dot(transform.rotation, transform.rotation));
    for (int i = 0; i < 4; i++) transform.rotation[i] = (float)((double)transform.rotation[i] / length);
    return transform;
}

mote_motion mote_motion_place(const mote_transform *at) {
    const mote_transform here = normalised(*at);
    return (mote_motion){.from = here, .to = here};
}

/* Interpolates in double, where the difference of two floats cannot overflow. */
static double between(float from, float to, double share) {
    return (double)from + share * ((double)to - (double)from);
}

static mote_placement placement_between(const mote_transform *from, const mote_transform *to, double share) {
    mote_placement at;
    for (int i = 0; i < 3; i++) at.position[i] = between(from->position[i], to->position[i], share);
    for (int i = 0; i < 4; i++) at.rotation[i] = between(from->rotation[i], to->rotation[i], share);
    return at;
}

mote_placement mote_motion_placement(const mote_motion *motion, uint64_t step_tick, double within) {
    const double f = mote_travel_share(motion->travel.from_tick, motion->travel.to_tick, step_tick, within);
    const mote_transform *from = f < 1 ? &motion->from : &motion->to, *to = f > 0 ? &motion->to : from;
    return placement_between(from, to, f);
}

mote_transform mote_motion_at(const mote_motion *motion, uint64_t step_tick, double within) {
    const float f = mote_travel_fraction(motion->travel.from_tick, motion->travel.to_tick, step_tick, within);
    if (f <= 0) return motion->from;
    if (f >= 1) return motion->to;
    const mote_placement in_double = placement_between(&motion->from, &motion->to, (double)f);
    mote_transform at;
    for (int i = 0; i < 3; i++) at.position[i] = (float)in_double.position[i];
    for (int i = 0; i < 4; i++) at.rotation[i] = (float)in_double.rotation[i];
    return normalised(at);
}

/* Selects the sign of the target quaternion: q and -q are one rotation, and the one with a positive dot
 * product with `from` is the shorter arc. */
void mote_motion_target(mote_motion *motion, uint64_t now, const mote_transform *to, uint64_t tick) {
    const mote_transform from = mote_motion_at(motion, now, 0);
    *motion = (mote_motion){.from = from, .to = normalised(*to), .travel = {now, tick}};
    if (dot(from.rotation, motion->to.rotation) >= 0) return;
    for (int i = 0; i < 4; i++) motion->to.rotation[i] = -motion->to.rotation[i];
}
