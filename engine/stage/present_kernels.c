/* Presentation kernels of one instruction set. Compiled once for each, with MOTE_ISA and MOTE_WIDTH. */
#include "base/isa.h"
#include "math/wide.h"
#include "stage/present.h"

MOTE_INLINE wide3 blended(float *const previous[3], float *const current[3], float alpha, size_t i) {
    wide3 from = wide3_load(previous, i), to = wide3_load(current, i);
    wide3 between = wide3_add_scaled(from, wide_set(alpha), wide3_sub(to, from));
    return wide3_select(wide_equal(from.x, from.x), between, to);
}

static void blend(float *const previous[3], float *const current[3], float alpha, size_t count,
                  float *const out[3]) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH) wide3_store(out, i, blended(previous, current, alpha, i));
}

static void blend_packed(float *const previous[3], float *const current[3], float alpha, size_t count,
                         void *to) {
    float *const from[3] = {previous[0], previous[1], previous[2]}, *const now[3] = {current[0], current[1],
                                                                                     current[2]};
    for (size_t i = 0; i < count; i += MOTE_WIDTH)
        wide3_interleave((unsigned char *)to + i * 3 * sizeof(float), blended(from, now, alpha, i));
}

static void combine(float *column[4][3], const float weight[4], float *const current[3], size_t count,
                    float *const out[3]) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        wide3 sum = wide3_scale(wide_set(weight[0]), wide3_load((float *const *)column[0], i));
        for (int k = 1; k < 4; k++)
            sum = wide3_add_scaled(sum, wide_set(weight[k]), wide3_load((float *const *)column[k], i));
        wide previous = wide_load(column[0][0] + i);
        wide3_store(out, i, wide3_select(wide_equal(previous, previous), sum, wide3_load(current, i)));
    }
}

static void interleave(float *const column[3], size_t count, void *to) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH)
        wide3_interleave((unsigned char *)to + i * 3 * sizeof(float), wide3_load(column, i));
}

extern const mote_present_kernels MOTE_KERNEL_TABLE(mote_present_kernels);
const mote_present_kernels MOTE_KERNEL_TABLE(mote_present_kernels) = {
    .blend = blend, .blend_packed = blend_packed, .combine = combine, .interleave = interleave};
