/* Motions: pose of a moving object at any tick. mote/transform.h defines ticks and targets. */
#ifndef MOTE_CONTACTS_MOTION_H
#define MOTE_CONTACTS_MOTION_H

#include <mote/result.h>
#include <mote/transform.h>

#include "base/travel.h"

/* Rotations have length 1; `to` is on the side of `from` (shorter arc). */
typedef struct mote_motion {
    mote_transform from, to;
    mote_travel travel;
} mote_motion;

/* Placement in double: the map x -> R(rotation) x + position. The quaternion has any length but 0: that of an
 * object that does not turn is the same at all times, to the bit. */
typedef struct mote_placement {
    double position[3], rotation[4];
} mote_placement;

/* Checks a transform. Returns MOTE_OK; NOT_FINITE; RANGE: a quaternion of length 0. */
mote_result mote_motion_check(const mote_transform *transform);

/* Returns the motion of an object at rest at `at`. Transforms passed to these functions must have been
 * checked. */
mote_motion mote_motion_place(const mote_transform *at);

/* Returns the pose at `within` ticks after step_tick: positions on the straight line, rotations q = q0 + f
 * (q1 - q0), normalised; at f = 1 the target itself. */
mote_transform mote_motion_at(const mote_motion *motion, uint64_t step_tick, double within);

/* Returns the same map without a rounding: the differences of places that lie close together are exact,
 * however far they are from the origin of the world. */
mote_placement mote_motion_placement(const mote_motion *motion, uint64_t step_tick, double within);

/* Sets a new target, to be reached at `tick`, from the pose at the boundary `now`; MOTE_NEXT_ADVANCE:
 * pending. */
void mote_motion_target(mote_motion *motion, uint64_t now, const mote_transform *to, uint64_t tick);

#endif
