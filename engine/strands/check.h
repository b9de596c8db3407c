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

/* Returns the mass (kg) of a strand whose point 0 has the number `first`. */
static inline double mote_strand_mass(const mote_strands_def *def, uint32_t strand, uint32_t first) {
    if (!def->point_mass) return (double)mote_strand_value(def->strand_mass, def->mass, strand);
    double sum = 0;
    for (uint32_t k = 0; k < mote_strand_points_of(def, strand); k++)
        sum += (double)def->point_mass[first + k];
    return sum;
}

MOTE_INLINE bool mote_strands_has_rods(const mote_strands_def *def) {
    return def->point_bending_stiffness || def->bending_stiffness > 0;
}

/* Returns EI (N m^2) at a point, in the host's numbering. */
MOTE_INLINE float mote_strands_stiffness_at(const mote_strands_def *def, uint32_t point) {
    return def->point_bending_stiffness ? def->point_bending_stiffness[point] : def->bending_stiffness;
}

MOTE_INLINE bool mote_strands_has_frames(const mote_strands_def *def) {
    return mote_strands_has_rods(def) && (def->point_twisting_stiffness || def->twisting_stiffness > 0);
}

/* Returns GJ (N m^2) at a point, in the host's numbering. */
MOTE_INLINE float mote_strands_twisting_at(const mote_strands_def *def, uint32_t point) {
    return def->point_twisting_stiffness ? def->point_twisting_stiffness[point] : def->twisting_stiffness;
}

/* Returns EI about the second axis over that about the first at a point, in the host's numbering. */
MOTE_INLINE float mote_strands_ratio_at(const mote_strands_def *def, uint32_t point) {
    return def->point_bending_ratio ? def->point_bending_ratio[point] : def->bending_ratio;
}

MOTE_INLINE bool mote_strands_has_flat_rods(const mote_strands_def *def) {
    return def->point_bending_ratio || def->bending_ratio > 1;
}

/* Returns the stiffness (N m) of a joint of a rod of stiffness EI between segments of two lengths: EI over
 * half of their sum. 0 where both are 0. */
MOTE_INLINE double mote_strands_joint_stiffness(double stiffness, double before, double after) {
    const double length = 0.5 * (before + after);
    return length > 0 ? stiffness / length : 0;
}

#endif
