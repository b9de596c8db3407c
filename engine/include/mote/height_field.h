/** @file
 * Height fields: terrain as a collider, heights sampled on a regular lattice. */
#ifndef MOTE_HEIGHT_FIELD_H
#define MOTE_HEIGHT_FIELD_H

#include <mote/allocator.h>
#include <mote/collider.h>

/** Samples of a height field. Sample (i, j) is at (i spacing[0], height, j spacing[1]) in the axes of the
 * collider: heights are along its y axis. */
typedef struct mote_height_field_def {
    uint32_t cookie;          /**< set by mote_default_height_field_def */
    uint32_t count[2];        /**< samples along x and z: 2 .. 2^24 each, at most 2^26 in total */
    float spacing[2];         /**< m, at least 10^-6; the field is at most 10^9 long */
    const float *heights;     /**< m, count[0] x count[1] of them, x fastest; at most 10^9 in size */
    mote_allocator allocator; /**< source of its memory */
} mote_height_field_def;

/** Returns a def without samples: spacing 1 m, the default allocator. */
MOTE_API mote_height_field_def mote_default_height_field_def(void);

/** Checks a def and its samples. Returns the code that mote_height_field_create would return, except MEMORY.
 * parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_height_field_def_check(const mote_height_field_def *def, const char **parameter);

/** Makes a height field of a copy of the samples (8 bytes a sample), for any number of colliders of any
 * systems. With the place (a, b) in a cell, both 0 .. 1 along x and z, and its heights h00, h10 (along x),
 * h01 (along z) and h11, the surface is two triangles that share the diagonal from h00 to h11:
 *
 *     a >= b:  H = h00 + a (h10 - h00) + b (h11 - h10)
 *     a <  b:  H = h00 + a (h11 - h01) + b (h01 - h00)
 *
 * All that is below is solid, to any depth; beyond the outer samples there is nothing, and the border is no
 * wall: a particle that comes in below the surface from the side is put on top in that step or the next, from
 * any depth: along the normal of the triangle above it or, where that leads below another one, straight up.
 * Where particles may fall off the border, a plane with MOTE_RESPONSE_KILL not far below it ends them. For
 * particles and points of radius r the surface is that of the heights h + r w, where w is the mean of 1 / n_y
 * over the triangles at the sample and n their normals. On a plane this is the offset by r along the normal;
 * at an edge where 1 / n_y changes by d the error is at most r d. With r = 0 there is none.
 * Errors: NULL, DEF, RANGE (a count below 2 or above 2^24, or too many samples; a spacing too small or too
 * large; a height beyond 10^9 m; a mean w beyond 10^6), NOT_FINITE (a spacing or height), MEMORY. Any thread.
 */
MOTE_API mote_result mote_height_field_create(const mote_height_field_def *def, mote_height_field **field);

/** Releases a height field. No collider that refers to it may be in a system that steps, is queried or
 * restored afterwards: remove the collider or destroy the system first. NULL is allowed. */
MOTE_API void mote_height_field_destroy(mote_height_field *field);

#endif
