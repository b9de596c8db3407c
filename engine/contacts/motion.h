/* Motions: where a thing with a target stands at any tick. See transform.h for what a tick and a target
 * are. */
#ifndef MOTE_CONTACTS_MOTION_H
#define MOTE_CONTACTS_MOTION_H

#include <mote/result.h>
#include <mote/transform.h>

#include "base/compiler.h"

/* Rotations of length 1, `to` on the side of `from`. */
typedef struct mote_motion {
    mote_transform from, to;
    uint64_t from_tick, to_tick;
    bool pending; /* to_tick is the end of the next advance; until that begins the thing stands at `from` */
} mote_motion;

/* How much of a motion is done `within` ticks after step_tick, in [0, 1]; all of it where it ends no later
 * than it begins. */
MOTE_INLINE float mote_motion_fraction(uint64_t from_tick, uint64_t to_tick, uint64_t step_tick,
                                       double within) {
    if (to_tick <= from_tick) return 1.0f;
    const double passed = (double)(int64_t)(step_tick - from_tick) + within;
    const double fraction = passed / (double)(to_tick - from_tick);
    return (float)(fraction < 0 ? 0 : fraction < 1 ? fraction : 1);
}

/* MOTE_OK; NOT_FINITE; RANGE: a quaternion of length 0. */
mote_result mote_motion_check(const mote_transform *transform);

/* A thing that stands at `at`. All transforms passed in must have been checked. */
mote_motion mote_motion_place(const mote_transform *at);

/* Where it stands: positions on the straight line, rotations q = q0 + f (q1 - q0) over their length; at f = 1
 * the target itself. */
mote_transform mote_motion_at(const mote_motion *motion, uint64_t step_tick, double within);

/* A new target, from where it stands at the boundary `now`, to be reached at `tick`; MOTE_NEXT_ADVANCE:
 * pending. */
void mote_motion_target(mote_motion *motion, uint64_t now, const mote_transform *to, uint64_t tick);

/* The next advance has begun and will end at end_tick. */
void mote_motion_resolve(mote_motion *motion, uint64_t end_tick);

#endif
