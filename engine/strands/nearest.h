/* Nearest-neighbour search among points, by a uniform grid. */
#ifndef MOTE_STRANDS_NEAREST_H
#define MOTE_STRANDS_NEAREST_H

#include <mote/allocator.h>

#include "base/compiler.h"

#define MOTE_NEAREST 3u

typedef struct mote_nearest {
    const float (*points)[3]; /* memory of the caller */
    uint32_t count;
    double origin[3], size; /* size: edge of a cell */
    uint32_t cells[3];      /* along each axis; at most 2 count in all */
    uint32_t *first;        /* start of each cell in `order`, and the end */
    uint32_t *order;        /* numbers of the points, sorted by cell */
    void *memory;
    size_t bytes;
} mote_nearest;

/* Builds the grid of count >= 1 finite points, which must remain valid. Errors: MEMORY, OVERFLOW. */
mote_result mote_nearest_make(mote_nearest *nearest, const float (*points)[3], uint32_t count,
                              const mote_allocator *allocator);
void mote_nearest_destroy(mote_nearest *nearest, const mote_allocator *allocator);

/* Returns the squared distance, in double. */
double mote_distance_squared(const float a[3], const float b[3]);

/* Finds up to MOTE_NEAREST points nearest to `at` (finite): nearest first, the lower number first at equal
 * distance. Returns their number. Exact: the grid only excludes points that cannot be among them. */
uint32_t mote_nearest_find(const mote_nearest *nearest, const float at[3], uint32_t found[MOTE_NEAREST]);

#endif
