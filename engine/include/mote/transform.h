/** @file
 * Placements of rigid objects that move: roots of strands and colliders. */
#ifndef MOTE_TRANSFORM_H
#define MOTE_TRANSFORM_H

#include <stdint.h>

/** The map x -> R(rotation) x + position. */
typedef struct mote_transform {
    float position[3]; /**< m */
    float rotation[4]; /**< a quaternion (x, y, z, w), as cglm's versor; normalised, any length but 0 */
} mote_transform;

#define MOTE_TRANSFORM_IDENTITY {{0, 0, 0}, {0, 0, 0, 1}} /**< the map x -> x */

/** Tick of a target: the time of the clock at the end of the next advance. Any other value is a tick of the
 * system's clock (mote_system_tick). A target moves its object from the present placement, in a straight line
 * and along the shorter arc, so that it arrives at that tick; it stays there until it gets another target. A
 * tick that has passed: at once. */
#define MOTE_NEXT_ADVANCE UINT64_MAX

#endif
