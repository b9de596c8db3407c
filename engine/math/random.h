/* Random numbers as a pure function of (seed, stream, serial, draw), one particle a lane. The mixing function
 * is the finalizer of MurmurHash3 (Appleby 2011), a bijection of 32 bits: particles of one stream whose
 * serial numbers differ in the low 32 bits alone have different states. */
#ifndef MOTE_MATH_RANDOM_H
#define MOTE_MATH_RANDOM_H

#include "math/wide.h"

MOTE_INLINE uint32_t mote_random_mix(uint32_t h) {
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

MOTE_INLINE wide_unsigned mote_random_mix_wide(wide_unsigned h) {
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* Returns the state of serial numbers serial, serial + 1, ... in the lanes. */
MOTE_INLINE wide_unsigned mote_random_state(uint32_t seed, uint32_t stream, uint64_t serial) {
    uint32_t lane[MOTE_WIDTH];
    for (uint32_t i = 0; i < MOTE_WIDTH; i++) lane[i] = i;
    wide_unsigned low, high;
    memcpy(&low, lane, sizeof low);
    const uint32_t first = (uint32_t)serial;
    low = low + first;
    high = (uint32_t)(serial >> 32) - (wide_unsigned)wide_less_unsigned(low, first + (wide_unsigned){0});
    const uint32_t key = mote_random_mix(seed ^ mote_random_mix(stream + 0x9e3779b9u));
    return mote_random_mix_wide(mote_random_mix_wide(low ^ key) ^ high * 0x9e3779b1u);
}

/* Returns random bits: number `draw` of the sequence of each lane. */
MOTE_INLINE wide_unsigned mote_random_bits(wide_unsigned state, uint32_t draw) {
    return mote_random_mix_wide(state + (draw + 1) * 0x9e3779b9u);
}

/* Returns a number in [0, 1), a multiple of 2^-24. */
MOTE_ONCE wide mote_random_unit(wide_unsigned state, uint32_t draw) {
    return WIDE_CONVERT((wide_mask)(mote_random_bits(state, draw) >> 8), wide) * 0x1p-24f;
}

/* Computes sine and cosine of 2 pi turn, 0 <= turn < 1, to 5e-7: Taylor series within an eighth of a turn
 * about the middle of each quarter. */
MOTE_ONCE void mote_random_circle(wide turn, wide *sine, wide *cosine) {
    wide quarter;
    const wide_mask number = wide_floor(turn * 4.0f, &quarter);
    const wide x = (turn * 4.0f - quarter - 0.5f) * 1.57079632679489662f, z = x * x;
    const wide s = x * (1.0f + z * (-1.0f / 6 + z * (1.0f / 120 + z * (-1.0f / 5040)))),
               c = 1.0f + z * (-0.5f + z * (1.0f / 24 + z * (-1.0f / 720 + z * (1.0f / 40320))));
    const wide along = (c - s) * 0.70710678118654752f, across = (c + s) * 0.70710678118654752f;
    const wide_mask odd = (wide_mask){0} - (number & 1), far = (wide_mask){0} - (number >> 1 & 1);
    *cosine = wide_select(odd, -across, along);
    *sine = wide_select(odd, along, across);
    *cosine = wide_select(far, -*cosine, *cosine);
    *sine = wide_select(far, -*sine, *sine);
}

#endif
