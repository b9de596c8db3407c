/* Low parts of places (stage/place.h) for one point, and the search in runs of slots. */
#ifndef MOTE_STAGE_LOW_PART_H
#define MOTE_STAGE_LOW_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Computes the low part of the place in slot `slot` of the columns x. origin: columns with the origin at
 * `of`; relative: columns by slot, NULL where places have no low part. */
MOTE_INLINE void mote_low_part(float *const x[3], float *const origin[3], float *const relative[3],
                               uint32_t of, uint32_t slot, float low[3]) {
    bool kept = relative[0] != NULL;
    for (int axis = 0; axis < 3 && kept; axis++) {
        const float from = origin[axis][of], to = relative[axis][slot], sum = from + to, part = sum - from;
        kept = sum == x[axis][slot];
        low[axis] = (from - (sum - part)) + (to - part);
    }
    for (int axis = 0; axis < 3 && !kept; axis++) low[axis] = 0;
}

/* Returns which of `count` runs of slots contains a slot. first: first slot of the first run; stride: bytes
 * from run to run. */
MOTE_INLINE uint32_t mote_run_with(const void *first, size_t stride, uint32_t count, uint32_t slot) {
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t *of = (const void *)((const char *)first + middle * stride);
        if (*of <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
