/* Kernels of curves over a life, for the table of stage/present_kernels.c. */
#ifndef MOTE_STAGE_OVER_LIFE_KERNELS_H
#define MOTE_STAGE_OVER_LIFE_KERNELS_H

#include "math/wide.h"
#include "stage/over_life.h"

MOTE_INLINE void find_all_lives(const mote_ages *ages, bool initial_ages, size_t count, float *life) {
    const uint32_t *birth = ages->birth, now = ages->now;
    const float *lifetime = ages->lifetime, *initial = ages->initial;
    const double shift = ages->shift, timestep = ages->timestep;
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        const float before = initial_ages ? initial[i] : 0.0f, whole = lifetime[i] + before;
        const float age = (float)(((double)mote_age(now, birth[i]) + shift) * timestep + (double)before);
        const float part = (age > 0 ? age : 0) / whole;
        const float most = part < 1 ? part : 1;
        life[i] = whole > 0 ? most : 1;
    }
}

/* Lives: age over all the time from birth to death, limited to 0 .. 1; 0 where that has no end, 1 where it is
 * not positive. */
static void lives(const mote_ages *ages, size_t count, float *life) {
    if (ages->initial)
        find_all_lives(ages, true, count, life);
    else
        find_all_lives(ages, false, count, life);
}

/* The key that a life has passed, and the share of the way to the next. */
typedef struct mote_on_way {
    wide life, inverse, c[3];
} mote_on_way;

MOTE_INLINE mote_on_way first_way(const mote_curve *curve) {
    return (mote_on_way){wide_set(curve->life[0]),
                         wide_set(curve->inverse[0]),
                         {wide_set(curve->c[0][0]), wide_set(curve->c[1][0]), wide_set(curve->c[2][0])}};
}

/* Takes key k except in the lanes `before` it. alike: all easings are that of the first key. */
MOTE_INLINE void next_way(mote_on_way *way, const mote_curve *curve, bool alike, uint32_t k,
                          wide_mask before) {
    way->life = wide_select(before, way->life, wide_set(curve->life[k]));
    way->inverse = wide_select(before, way->inverse, wide_set(curve->inverse[k]));
    for (int i = 0; i < 3 && !alike; i++)
        way->c[i] = wide_select(before, way->c[i], wide_set(curve->c[i][k]));
}

MOTE_INLINE wide share_of_way(const mote_on_way *way, wide life) {
    const wide t = wide_clamp((life - way->life) * way->inverse, 0, 1);
    return t * (way->c[0] + t * (way->c[1] + t * way->c[2]));
}

MOTE_INLINE void find_sizes(const mote_curve *curve, bool alike, const float *life, const float *factor,
                            size_t count, float *size) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        const wide at = wide_load(life + i);
        mote_on_way way = first_way(curve);
        wide value = wide_set(curve->value[0][0]), change = wide_set(curve->change[0][0]);
        for (uint32_t k = 1; k < curve->count; k++) {
            const wide_mask before = wide_less(at, wide_set(curve->life[k]));
            next_way(&way, curve, alike, k, before);
            value = wide_select(before, value, wide_set(curve->value[k][0]));
            change = wide_select(before, change, wide_set(curve->change[k][0]));
        }
        value = value + change * share_of_way(&way, at);
        wide_store(size + i, factor ? value * wide_load(factor + i) : value);
    }
}

static void sizes(const mote_curve *curve, const float *life, const float *factor, size_t count,
                  float *size) {
    if (curve->alike)
        find_sizes(curve, true, life, factor, count, size);
    else
        find_sizes(curve, false, life, factor, count, size);
}

/* Finds the numbers of the keys passed, and the shares of the way to the next. */
MOTE_INLINE void find_ways(const mote_curve *curve, bool alike, const float *life, size_t count, int32_t *key,
                           float *share) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        const wide at = wide_load(life + i);
        mote_on_way way = first_way(curve);
        wide_mask passed = {0};
        for (uint32_t k = 1; k < curve->count; k++) {
            const wide_mask before = wide_less(at, wide_set(curve->life[k]));
            next_way(&way, curve, alike, k, before);
            passed = passed + 1 + before;
        }
        wide_mask_store(key + i, passed);
        wide_store(share + i, share_of_way(&way, at));
    }
}

/* The four channels of a colour. */
typedef float mote_four __attribute__((vector_size(16)));

MOTE_INLINE mote_four four_load(const float *from) {
    mote_four value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* Writes colours, one after another at `stride` bytes. A vertex is one colour, so that a particle takes one
 * register of four channels, and not a lane in each of four. */
MOTE_INLINE void store_colours(const mote_curve *curve, const int32_t *key, const float *share, size_t count,
                               unsigned char *to, size_t stride) {
    for (size_t i = 0; i < count; i++, to += stride) {
        const mote_four colour =
            four_load(curve->value[key[i]]) + four_load(curve->change[key[i]]) * share[i];
        memcpy(to, &colour, sizeof colour);
    }
}

static void colours(const mote_curve *curve, const float *life, size_t count, mote_colour_format format,
                    unsigned char *to, size_t stride) {
    MOTE_ALIGNED(64) int32_t key[MOTE_COLOUR_BLOCK], whole[MOTE_COLOUR_BLOCK * 4];
    MOTE_ALIGNED(64) float share[MOTE_COLOUR_BLOCK], channel[MOTE_COLOUR_BLOCK * 4];
    MOTE_ALIGNED(64) unsigned char byte[MOTE_COLOUR_BLOCK * 4];
    const size_t lanes = (count + MOTE_WIDTH - 1) / MOTE_WIDTH * MOTE_WIDTH;
    if (curve->alike)
        find_ways(curve, true, life, count, key, share);
    else
        find_ways(curve, false, life, count, key, share);
    if (format == MOTE_COLOUR_FLOAT) {
        store_colours(curve, key, share, count, to, stride);
        return;
    }
    store_colours(curve, key, share, lanes, (unsigned char *)channel, 4 * sizeof(float));
    for (size_t i = 0; i < 4 * lanes; i += MOTE_WIDTH)
        wide_mask_store(whole + i,
                        WIDE_CONVERT(wide_clamp(wide_load(channel + i), 0, 1) * 255.0f + 0.5f, wide_mask));
#pragma omp simd
    for (size_t i = 0; i < 4 * lanes; i++) byte[i] = (unsigned char)whole[i];
    for (size_t i = 0; i < count; i++, to += stride) memcpy(to, byte + 4 * i, 4);
}

#endif
