/* Presentation kernels of one instruction set. Compiled once for each, with MOTE_ISA and MOTE_WIDTH. */
#include "base/isa.h"
#include "math/wide.h"
#include "stage/over_life_kernels.h"
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

static void hermite_position(const mote_hermite *by, float *column[4][3], float *const current[3],
                             size_t count, float *const out[3]) {
    const wide w[3] = {wide_set(by->position[0]), wide_set(by->position[1]), wide_set(by->position[2])};
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        const wide3 x0 = wide3_load(column[0], i), x1 = wide3_load(column[1], i),
                    v0 = wide3_load(column[2], i);
        wide3 way = wide3_scale(w[0], wide3_sub(x1, x0));
        way = wide3_add_scaled(way, w[1], v0);
        way = wide3_add_scaled(way, w[2], wide3_load(column[3], i));
        const wide3 line = wide3_scale(wide_set(by->alpha), wide3_sub(x1, x0));
        way = wide3_select(wide_equal(v0.x, v0.x), way, line);
        wide3_store(out, i, wide3_select(wide_equal(x0.x, x0.x), wide3_add(x0, way), wide3_load(current, i)));
    }
}

/* Velocity along one axis. */
MOTE_INLINE wide hermite_slope(const mote_hermite *by, wide x0, wide x1, wide v0, wide v1) {
    const wide change = v1 - v0, mean = v0 + wide_set(0.5f) * change;
    const wide d = (x1 - x0) * wide_set(by->inverse_h) - mean;
    const wide error = wide_set(by->x_error) * wide_max(wide_abs(x0), wide_abs(x1)) +
                       wide_set(by->v_error) * wide_max(wide_abs(v0), wide_abs(v1));
    /* Reduces d towards 0 by its error bound (soft threshold). */
    const wide reduced = d - wide_max(wide_min(d, error), wide_set(0.0f) - error);
    return v0 + wide_set(by->alpha) * change + wide_set(by->bump) * reduced;
}

static void hermite_velocity(const mote_hermite *by, float *column[4][3], float *const current[3],
                             size_t count, float *const out[3]) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        const wide3 x0 = wide3_load(column[0], i), x1 = wide3_load(column[1], i),
                    v0 = wide3_load(column[2], i), v1 = wide3_load(column[3], i);
        const wide3 slope = {hermite_slope(by, x0.x, x1.x, v0.x, v1.x),
                             hermite_slope(by, x0.y, x1.y, v0.y, v1.y),
                             hermite_slope(by, x0.z, x1.z, v0.z, v1.z)};
        const wide_mask bends = wide_equal(x0.x, x0.x) & wide_equal(v0.x, v0.x);
        wide3_store(out, i, wide3_select(bends, slope, wide3_load(current, i)));
    }
}

/* lows: a constant of the instance. */
MOTE_INLINE void offset_axes(const mote_places *places, const double origin[3], float alpha, size_t count,
                             float *const out[3], bool lows) {
    const float *exists = places->x[0][0];
    for (int axis = 0; axis < 3; axis++) {
        const float *x0 = places->x[0][axis], *x1 = places->x[1][axis];
        const float *low0 = places->low[0][axis], *low1 = places->low[1][axis];
        const double from = origin[axis], at = (double)alpha;
        float *to = out[axis];
#pragma omp simd
        for (size_t i = 0; i < count; i++) {
            const double now = (double)x1[i], now_low = lows ? (double)low1[i] : 0;
            const double old = (double)x0[i], old_low = lows ? (double)low0[i] : 0;
            const double before = exists[i] == exists[i] ? old : now,
                         low = exists[i] == exists[i] ? old_low : now_low;
            to[i] = (float)((before - from) + (low + at * ((now - before) + (now_low - low))));
        }
    }
}

static void offset(const mote_places *places, const double origin[3], float alpha, size_t count,
                   float *const out[3]) {
    if (places->low[0][0])
        offset_axes(places, origin, alpha, count, out, true);
    else
        offset_axes(places, origin, alpha, count, out, false);
}

static void hermite_offset(const mote_hermite *by, float *column[4][3], const double origin[3], size_t count,
                           float *const out[3]) {
    const double w[3] = {(double)by->position[0], (double)by->position[1], (double)by->position[2]};
    const double alpha = (double)by->alpha;
    const float *exists = column[0][0], *bends = column[2][0];
    for (int axis = 0; axis < 3; axis++) {
        const float *x0 = column[0][axis], *x1 = column[1][axis], *v0 = column[2][axis],
                    *v1 = column[3][axis];
        const double start = origin[axis];
        float *to = out[axis];
#pragma omp simd
        for (size_t i = 0; i < count; i++) {
            const double from = (double)x0[i], now = (double)x1[i];
            const double cubic = w[0] * (now - from) + w[1] * (double)v0[i] + w[2] * (double)v1[i],
                         way = bends[i] == bends[i] ? cubic : alpha * (now - from);
            to[i] = (float)(exists[i] == exists[i] ? (from - start) + way : now - start);
        }
    }
}

static void interleave(float *const column[3], size_t count, void *to) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH)
        wide3_interleave((unsigned char *)to + i * 3 * sizeof(float), wide3_load(column, i));
}

MOTE_INLINE wide arc_weight(float t, const float term[MOTE_ARC_TERMS], wide less) {
    wide sum = wide_set(1);
    MOTE_UNROLLED
    for (int i = MOTE_ARC_TERMS - 1; i >= 0; i--) sum = 1.0f + (term[i] * less) * sum;
    return t * sum;
}

static void turn(const mote_arc *arc, float *const previous[4], float *const current[4], size_t count,
                 float *const out[4]) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        wide q[4], square = (wide){0};
        for (int k = 0; k < 4; k++) q[k] = wide_load(current[k] + i);
        if (previous[0]) {
            const wide p[4] = {wide_load(previous[0] + i), wide_load(previous[1] + i),
                               wide_load(previous[2] + i), wide_load(previous[3] + i)};
            const wide dot = (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]);
            const wide less = wide_min(wide_abs(dot), wide_set(1)) - 1.0f;
            const wide to = arc_weight(arc->alpha, arc->current, less),
                       from = arc_weight(arc->left, arc->previous, less);
            const wide_mask blends = wide_equal(p[0], p[0]);
            const wide along = wide_select(wide_less(dot, (wide){0}), -to, to);
            for (int k = 0; k < 4; k++) q[k] = wide_select(blends, from * p[k] + along * q[k], q[k]);
        }
        for (int k = 0; k < 4; k++) square += q[k] * q[k];
        const wide one = 1.0f / wide_sqrt(square);
        for (int k = 0; k < 4; k++) wide_store(out[k] + i, one * q[k]);
    }
}

static bool depths(float *const x[3], const float direction[3], size_t count, float *depth, float range[2]) {
    const wide along[3] = {wide_set(direction[0]), wide_set(direction[1]), wide_set(direction[2])};
    const wide none_near = wide_set(__builtin_inff()), none_far = wide_set(-__builtin_inff());
    wide nearest = none_near, furthest = none_far;
    wide_mask lost = (wide_mask){0};
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        const wide d =
            wide_load(x[0] + i) * along[0] + wide_load(x[1] + i) * along[1] + wide_load(x[2] + i) * along[2];
        const int32_t left = count - i < MOTE_WIDTH ? (int32_t)(count - i) : MOTE_WIDTH;
        const wide_mask finite = wide_equal(d - d, wide_set(0)), exists = wide_lanes_below(left),
                        counts = finite & exists;
        lost |= ~finite & exists;
        nearest = wide_min(nearest, wide_select(counts, d, none_near));
        furthest = wide_max(furthest, wide_select(counts, d, none_far));
        wide_store(depth + i, d);
    }
    for (int lane = 0; lane < MOTE_WIDTH; lane++) {
        const float least = wide_element(nearest, lane), greatest = wide_element(furthest, lane);
        range[0] = least < range[0] ? least : range[0];
        range[1] = greatest > range[1] ? greatest : range[1];
    }
    return wide_lane_bits(lost) != 0;
}

static void keys(const float *depth, float furthest, float scale, size_t count, uint16_t *key) {
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        const float part = (furthest - depth[i]) * scale;
        const float least = part > 0 ? part : 0, most = least < 65535 ? least : 65535;
        key[i] = (uint16_t)(int32_t)(depth[i] - depth[i] == 0 ? most : 65535);
    }
}

extern const mote_present_kernels MOTE_KERNEL_TABLE(mote_present_kernels);
const mote_present_kernels MOTE_KERNEL_TABLE(mote_present_kernels) = {.blend = blend,
                                                                      .blend_packed = blend_packed,
                                                                      .hermite_position = hermite_position,
                                                                      .hermite_velocity = hermite_velocity,
                                                                      .offset = offset,
                                                                      .hermite_offset = hermite_offset,
                                                                      .depths = depths,
                                                                      .keys = keys,
                                                                      .interleave = interleave,
                                                                      .turn = turn,
                                                                      .lives = lives,
                                                                      .sizes = sizes,
                                                                      .colours = colours};
