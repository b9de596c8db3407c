/* The nearest of many points, by a uniform grid over them. */
#ifndef MOTE_STRANDS_NEAREST_H
#define MOTE_STRANDS_NEAREST_H

#include <mote/allocator.h>

#include "base/compiler.h"

#define MOTE_NEAREST 3u

typedef struct mote_nearest {
    const float (*points)[3]; /* the caller's */
    uint32_t count;
    double origin[3], size; /* of a cell */
    uint32_t cells[3];      /* along each axis; all of them are at most 2 count */
    uint32_t *first;        /* of each cell, and one more, in ... */
    uint32_t *order;        /* ... the points by cell */
    void *memory;
    size_t bytes;
} mote_nearest;

/* count >= 1 finite points, which must stay. MOTE_OK or MOTE_ERROR_MEMORY, OVERFLOW. */
mote_result mote_nearest_make(mote_nearest *nearest, const float (*points)[3], uint32_t count,
                              const mote_allocator *allocator);
void mote_nearest_destroy(mote_nearest *nearest, const mote_allocator *allocator);

/* The squared distance, in double. */
double mote_distance_squared(const float a[3], const float b[3]);

/* The up to MOTE_NEAREST points nearest to `at` (finite), nearest first, the lower number where two are
 * equally near; returns how many. Exact: the grid only says which points need not be looked at. */
uint32_t mote_nearest_find(const mote_nearest *nearest, const float at[3], uint32_t found[MOTE_NEAREST]);

#endif
