/* Points of strands within reach of a collider, for the depth in reports. */
#ifndef MOTE_STRANDS_DEPTH_H
#define MOTE_STRANDS_DEPTH_H

#include "math/wide.h"
#include "strands/kernels.h"

/* Lanes with a <= most; those that are no numbers are not, infinite ones are where most is infinite. */
MOTE_INLINE wide_mask within_at_most(wide a, float most) {
    return wide_less(a, wide_set(most)) | wide_equal(a, wide_set(most));
}

/* Returns the lanes of d, from the middle of the core, that are within reach. */
MOTE_INLINE wide_mask within_reach(const mote_strand_reach *to, wide3 d) {
    const wide_mask inside = within_at_most(wide_abs(d.x), to->box[0]) &
                             within_at_most(wide_abs(d.y), to->box[1]) &
                             within_at_most(wide_abs(d.z), to->box[2]);
    if (!wide_lane_bits(inside)) return inside;
    const wide3 axis = wide3_set(to->axis);
    const wide foot = wide_clamp(wide3_dot(d, axis), -to->half, to->half);
    const wide3 off = wide3_sub(d, wide3_scale(foot, axis));
    return inside & within_at_most(wide3_dot(off, off), to->reach * to->reach);
}

static bool within(const mote_strand_reach *to, const float *const x[3], uint32_t rows, uint16_t *points) {
    const wide3 at = wide3_set(to->at);
    uint32_t any = 0;
    for (uint32_t k = 0; k < rows; k++) {
        uint32_t row = 0;
        for (uint32_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
            const size_t slot = (size_t)MOTE_GROUP * k + lane;
            const wide3 place = {wide_load(x[0] + slot), wide_load(x[1] + slot), wide_load(x[2] + slot)};
            row |= wide_lane_bits(within_reach(to, wide3_sub(place, at))) << lane;
        }
        points[k] = (uint16_t)row, any |= row;
    }
    return any;
}

#endif
