/* Motions: where a thing with a target stands at any tick. See transform.h for what a tick and a target
 * are. */
#ifndef MOTE_CONTACTS_MOTION_H
#define MOTE_CONTACTS_MOTION_H

#include <mote/result.h>
#include <mote/transform.h>

#include "base/travel.h"

/* Rotations of length 1, `to` on the side of `from`. */
typedef struct mote_motion {
    mote_transform from, to;
    mote_travel travel; /* while it is pending the thing stands at `from` */
} mote_motion;

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

#endif
