/* Whether a bundle's def can be built, and how large the bundle becomes. */
#ifndef MOTE_STRANDS_CHECK_H
#define MOTE_STRANDS_CHECK_H

#include <mote/strands.h>

#include "base/compiler.h"

/* How many strands there are of each length. */
typedef struct mote_strand_counts {
    uint32_t of[MOTE_MAX_STRAND_POINTS + 1];
    uint64_t strands, points, slots;
    uint32_t longest;
} mote_strand_counts;

/* The errors of mote_system_add_strands that concern the def; *fault says where. */
mote_result mote_strands_check(const mote_strands_def *def, mote_strand_counts *census,
                               mote_strands_fault *fault);

/* Rest length (m) of the line from p to q, points of the rest shape; +infinity where it does not fit a
 * float. */
float mote_rest_length(const float p[3], const float q[3], float rest_scale);

MOTE_INLINE uint32_t mote_strand_points_of(const mote_strands_def *def, uint32_t strand) {
    return def->strand_points ? def->strand_points[strand] : def->points;
}

/* What holds for one strand: its own value, or that of all. */
MOTE_INLINE float mote_strand_value(const float *own, float of_all, uint32_t strand) {
    return own ? own[strand] : of_all;
}

#endif
