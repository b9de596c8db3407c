/* Random numbers of the scenes: a pure function of (serial, draw), integers only, the same on every
 * machine. */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <stdint.h>

#define DRAWS_PER_SERIAL 64u

/* The output function of SplitMix64 (Steele, Lea and Flood 2014) on a counter. */
static inline uint64_t random_bits(uint64_t serial, uint32_t draw) {
    uint64_t z = (serial * DRAWS_PER_SERIAL + draw + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The part of `bits` from bit `shift` on as a float in [-1, 1), 20 bits fine: exact in every step. */
static inline float random_signed(uint64_t bits, uint32_t shift) {
    return (float)(int32_t)((bits >> shift) & 0xfffff) * 0x1p-19f - 1.0f;
}

#endif
