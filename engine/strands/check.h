/* Checks of the def of strands, and the counts from which memory is reserved. */
#ifndef MOTE_STRANDS_CHECK_H
#define MOTE_STRANDS_CHECK_H

#include <mote/strands.h>

#include "base/compiler.h"

/* Counts of a def: of[n] strands have n points. */
typedef struct mote_strand_counts {
    uint32_t of[MOTE_MAX_STRAND_POINTS + 1];
    uint64_t strands, points, slots;
    uint32_t longest;
} mote_strand_counts;

/* Checks the def and counts its strands. Errors: those of mote_system_add_strands that concern the def.
 * *fault receives the strand and the point at fault. */
mote_result mote_strands_check(const mote_strands_def *def, mote_strand_counts *counts,
                               mote_strands_fault *fault);

/* Returns the rest length (m) between p and q, points of the rest shape; +infinity where it does not fit a
 * float. */
float mote_rest_length(const float p[3], const float q[3], float rest_scale);

MOTE_INLINE uint32_t mote_strand_points_of(const mote_strands_def *def, uint32_t strand) {
    return def->strand_points ? def->strand_points[strand] : def->points;
}

/* Returns the value of one strand: its own, or the common one. */
MOTE_INLINE float mote_strand_value(const float *own, float of_all, uint32_t strand) {
    return own ? own[strand] : of_all;
}

#endif
