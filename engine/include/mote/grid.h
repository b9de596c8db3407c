/** @file
 * Grids: vectors sampled on a regular 3-D lattice, for forces, wind and velocity fields. */
#ifndef MOTE_GRID_H
#define MOTE_GRID_H

#include <mote/allocator.h>
#include <mote/force.h>

/** Samples of a grid. */
typedef struct mote_grid_def {
    uint32_t cookie;           /**< set by mote_default_grid_def */
    uint32_t count[3];         /**< samples along x, y, z: at least 2 each, at most 2^26 in total */
    float origin[3];           /**< m, position of sample (0, 0, 0) */
    float spacing[3];          /**< m, > 0 */
    const float (*vectors)[3]; /**< count[0] x count[1] x count[2] of them, x fastest */
    bool zero_outside;         /**< beyond the samples: 0; else the value at the nearest face */
    mote_allocator allocator;  /**< source of its memory */
} mote_grid_def;

/** Returns a def without samples: origin 0, spacing 1 m, nearest value outside, the default allocator. */
MOTE_API mote_grid_def mote_default_grid_def(void);

/** Checks a def and its samples. Returns the code that mote_grid_create would return, except MEMORY.
 * parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_grid_def_check(const mote_grid_def *def, const char **parameter);

/** Makes a grid of a copy of the samples. The value at x is trilinear: exact for fields that are linear in
 * each coordinate. Errors: NULL, DEF, RANGE (a count below 2 or too many, a spacing <= 0), NOT_FINITE (a
 * parameter or sample), MEMORY. */
MOTE_API mote_result mote_grid_create(const mote_grid_def *def, mote_grid **grid);

/** Releases a grid. No force that refers to it may act afterwards. NULL is allowed. */
MOTE_API void mote_grid_destroy(mote_grid *grid);

#endif
