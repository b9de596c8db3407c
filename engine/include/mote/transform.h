/** @file
 * Placements of rigid objects that move: roots of strands, colliders and emitters. mote/cglm.h converts them
 * to and from cglm's types. */
#ifndef MOTE_TRANSFORM_H
#define MOTE_TRANSFORM_H

#include <stdint.h>

#include <mote/result.h>

/** The map x -> R(rotation) x + position. */
typedef struct mote_transform {
    float position[3]; /**< m */
    float rotation[4]; /**< a quaternion (x, y, z, w), as cglm's versor; normalised, any length but 0 */
} mote_transform;

#define MOTE_TRANSFORM_IDENTITY {{0, 0, 0}, {0, 0, 0, 1}} /**< the map x -> x */

/** Returns the map x -> outer(inner(x)), as of a bone relative to its parent. The rotations need not have
 * length 1; that of the result has. Computed in double by + - * / sqrt and rounded once: the same bits
 * everywhere. A rotation that is 0 or not finite gives rotation 0, which every call that takes a transform
 * refuses. NULL counts as the map x -> x. Any thread. */
MOTE_API mote_transform mote_transform_multiply(const mote_transform *outer, const mote_transform *inner);

/** Returns the inverse map: mote_transform_multiply(transform, inverse) is x -> x up to rounding. Arithmetic
 * and wrong arguments as mote_transform_multiply. */
MOTE_API mote_transform mote_transform_inverse(const mote_transform *transform);

/** Writes R(rotation) point + position to image; the two may be the same array. Arithmetic and wrong
 * arguments as mote_transform_multiply, where rotation 0 gives the position alone. */
MOTE_API void mote_transform_point(const mote_transform *transform, const float point[3], float image[3]);

/** Tick of a target: the time of the clock at the end of the next advance that runs a step (in a frame
 * without one, objects would have to cover the whole way in what is left of the step). Any other value is a
 * tick of the system's clock (mote_system_tick). A target moves its object from the present placement, in a
 * straight line at an even rate and along the shorter arc, so that it arrives at that tick (quaternions are
 * interpolated linearly: the rate of a turn of 90 degrees is even to 10 %, of one of 170 to a third); it
 * stays there until it gets another target. A tick that is not ahead of the last step boundary has passed: at
 * once; one between that and the clock is reached in the next step. Ticks count modulo 2^64: those less than
 * 2^63 ahead of it are to come (97 years at 60/1, 17.8 h at {143981, 1000} steps per second), all others have
 * passed. The tick n steps ahead is mote_system_tick(system) + n * mote_advance.ticks_per_step; before the
 * first frame mote_system_advance(system, 0, &report) returns that without a step. */
#define MOTE_NEXT_ADVANCE UINT64_MAX

#endif
