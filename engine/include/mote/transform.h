/* Placements of rigid things that move: roots and colliders. */
#ifndef MOTE_TRANSFORM_H
#define MOTE_TRANSFORM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x -> R(rotation) x + position. rotation: a quaternion (x, y, z, w), as cglm's versor; any length but 0, it
 * is normalised. */
typedef struct mote_transform {
    float position[3]; /* m */
    float rotation[4];
} mote_transform;

#define MOTE_TRANSFORM_IDENTITY {{0, 0, 0}, {0, 0, 0, 1}}

/* The tick of a target: where the clock will stand at the end of the next advance. Any other value is a tick
 * of the system's clock (mote_system_tick). A target moves its thing from where it now stands, in a straight
 * line and along the shorter arc, to arrive at that tick; it stands there until it gets another. A tick that
 * has passed: at once. */
#define MOTE_NEXT_ADVANCE UINT64_MAX

#ifdef __cplusplus
}
#endif
#endif
