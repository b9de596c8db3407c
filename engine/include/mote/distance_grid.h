/** @file
 * Distance grids: any shape as a collider (a head, a scanned room), by signed distances on a regular lattice.
 */
#ifndef MOTE_DISTANCE_GRID_H
#define MOTE_DISTANCE_GRID_H

#include <mote/allocator.h>
#include <mote/collider.h>

/** Samples of a distance grid. Sample (i, j, k) is at origin + (i, j, k) spacing in the axes of the collider.
 */
typedef struct mote_distance_grid_def {
    uint32_t cookie;          /**< set by mote_default_distance_grid_def */
    uint32_t count[3];        /**< samples along x, y, z: at least 2 each, at most 2^26 in total,
                                   so at most 2^24 each */
    float origin[3];          /**< m, position of sample (0, 0, 0) */
    float spacing;            /**< m, edge of a cell: at least 10^-6; the grid is at most 10^9 long */
    const float *distances;   /**< m, count[0] x count[1] x count[2] of them, x fastest; negative inside the
                                   solid; at most 10^9 in size */
    mote_allocator allocator; /**< source of its memory */
} mote_distance_grid_def;

/** Returns a def without samples: origin 0, spacing 1 m, the default allocator. */
MOTE_API mote_distance_grid_def mote_default_distance_grid_def(void);

/** Checks a def and its samples. Returns the code that mote_distance_grid_create would return, except MEMORY.
 * parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_distance_grid_def_check(const mote_distance_grid_def *def, const char **parameter);

/** Makes a distance grid of a copy of the samples (4 bytes a sample), for any number of colliders of any
 * systems. The distance d(x) is trilinear between the samples, its gradient g is that of the cell, and for
 * particles and points of radius r
 *
 *     surface d(x) = r,   normal g / |g|,   inside d(x) < r
 *
 * Beyond the outer samples there is nothing: leave a margin around the solid of at least the largest radius
 * and a cell. d is taken for a distance where a particle or point is put out of the solid, by r - d along the
 * normal; samples of a function whose gradient is not of length 1 give a wrong way, but a right surface.
 * Errors: NULL, DEF, RANGE (a count below 2 or too many; a spacing too small or too large; an origin or a
 * distance beyond 10^9 m; a gradient beyond 10^6), NOT_FINITE (an origin, spacing or distance), MEMORY. Any
 * thread. */
MOTE_API mote_result mote_distance_grid_create(const mote_distance_grid_def *def, mote_distance_grid **grid);

/** Releases a distance grid. No collider that refers to it may be in a system that steps, is queried or
 * restored afterwards: remove the collider or destroy the system first. NULL is allowed. */
MOTE_API void mote_distance_grid_destroy(mote_distance_grid *grid);

#endif
