/* Vector type wide: MOTE_WIDTH floats in one register, on which every kernel is written. MOTE_WIDTH is 16, 8,
 * 4, or 1 without a vector unit; + - * / are the compiler's own operators. A kernel body uses nothing but
 * this header. */
#ifndef MOTE_MATH_WIDE_H
#define MOTE_MATH_WIDE_H

#include <string.h>

#include "base/compiler.h"

#ifndef MOTE_WIDTH
#define MOTE_WIDTH 1
#endif

#if MOTE_WIDTH == 1
typedef float wide;
typedef int32_t wide_mask; /* lanes of all ones or all zeros; also plain integers */
typedef uint32_t wide_unsigned;
#define WIDE_CONVERT(value, type) ((type)(value))
#else
typedef float wide __attribute__((vector_size(4 * MOTE_WIDTH)));
typedef int32_t wide_mask __attribute__((vector_size(4 * MOTE_WIDTH)));
typedef uint32_t wide_unsigned __attribute__((vector_size(4 * MOTE_WIDTH)));
#define WIDE_CONVERT(value, type) __builtin_convertvector(value, type)
#if defined(__x86_64__)
#include "math/x86.h"
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#endif

MOTE_INLINE wide wide_load(const float *from) {
    wide value;
    memcpy(&value, from, sizeof value);
    return value;
}

MOTE_INLINE void wide_store(float *to, wide value) { memcpy(to, &value, sizeof value); }

MOTE_INLINE wide_mask wide_mask_load(const int32_t *from) {
    wide_mask mask;
    memcpy(&mask, from, sizeof mask);
    return mask;
}

MOTE_INLINE void wide_mask_store(int32_t *to, wide_mask mask) { memcpy(to, &mask, sizeof mask); }

/* Subtracts 0: x - 0 is x for every x, -0 included; 0 + x is not. */
MOTE_INLINE wide wide_set(float value) { return value - (wide){0}; }

MOTE_INLINE wide_mask wide_bits(wide value) {
    wide_mask bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

MOTE_INLINE wide wide_from_bits(wide_mask bits) {
    wide value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Selects mask ? a : b in each lane. With AVX2 gcc 12 finds the instruction only where it sees the
 * comparison; with AVX-512 the corresponding intrinsic is slower than the expression (measured: strands,
 * 0.96). */
#if defined(X86_BLEND)
MOTE_INLINE wide wide_select(wide_mask mask, wide a, wide b) { return X86_BLEND(b, a, mask); }
#else
MOTE_INLINE wide wide_select(wide_mask mask, wide a, wide b) {
    return wide_from_bits((wide_bits(a) & mask) | (wide_bits(b) & ~mask));
}
#endif

#if MOTE_WIDTH == 1
MOTE_INLINE wide_mask wide_less(wide a, wide b) { return -(a < b); }
MOTE_INLINE wide_mask wide_equal(wide a, wide b) { return -(a == b); }
MOTE_INLINE wide_mask wide_less_unsigned(wide_unsigned a, wide_unsigned b) { return -(a < b); }
MOTE_INLINE wide_mask wide_is(wide_mask a, int32_t b) { return -(a == b); }
MOTE_INLINE wide wide_sqrt(wide a) { return __builtin_sqrtf(a); }
MOTE_INLINE bool wide_all(wide_mask mask) { return mask != 0; }
MOTE_INLINE bool wide_all_finite(wide a) { return a * 0.0f == 0.0f; }
MOTE_INLINE uint32_t wide_lane_bits(wide_mask mask) { return (uint32_t)mask & 1u; }
MOTE_INLINE float wide_element(wide value, int lane) { return (void)lane, value; }
MOTE_INLINE int32_t wide_mask_element(wide_mask value, int lane) { return (void)lane, value; }
MOTE_INLINE wide_mask wide_lanes_below(int32_t count) { return -(0 < count); }
MOTE_INLINE wide_mask wide_mask_of_bits(uint32_t bits) { return -(int32_t)(bits & 1u); }
MOTE_INLINE wide wide_gather(const float *from, const int32_t *index) { return from[index[0]]; }
#else
MOTE_INLINE wide_mask wide_less(wide a, wide b) { return a < b; }
MOTE_INLINE wide_mask wide_equal(wide a, wide b) { return a == b; }
MOTE_INLINE wide_mask wide_less_unsigned(wide_unsigned a, wide_unsigned b) { return a < b; }
MOTE_INLINE wide_mask wide_is(wide_mask a, int32_t b) { return a == b; }

/* Uses intrinsics: with a loop over the lanes, gcc 12 keeps the surrounding values in memory (measured: 1.5
 * times the time of a step towards an attractor). */
MOTE_INLINE wide wide_sqrt(wide a) {
#if __has_builtin(__builtin_elementwise_sqrt) /* clang 17 */
    return __builtin_elementwise_sqrt(a);
#elif defined(X86_SQRT)
    return X86_SQRT(a);
#elif MOTE_WIDTH == 4 && defined(__aarch64__)
    return (wide)vsqrtq_f32((float32x4_t)a);
#else
    wide root;
#pragma omp simd
    for (int i = 0; i < MOTE_WIDTH; i++) root[i] = __builtin_sqrtf(a[i]);
    return root;
#endif
}

/* Uses intrinsics: with gcc 12 a loop over the lanes costs more than the rest of a one-step kernel
 * (measured). */
MOTE_INLINE bool wide_all(wide_mask mask) {
#if defined(X86_LANES)
    return X86_LANES(mask) == (1u << MOTE_WIDTH) - 1;
#elif MOTE_WIDTH == 4 && defined(__aarch64__)
    return vminvq_u32((uint32x4_t)mask) != 0;
#else
    int32_t all = -1;
    for (int i = 0; i < MOTE_WIDTH; i++) all &= mask[i];
    return all != 0;
#endif
}

/* Returns true if all lanes are finite. Avoids wide_all, whose mask would pass through memory. */
MOTE_INLINE bool wide_all_finite(wide a) {
    wide zero = a * 0.0f;
#if defined(X86_EQUAL)
    return X86_EQUAL(zero, (wide){0}) == 0xffff;
#else
    return wide_all(wide_equal(zero, (wide){0}));
#endif
}

/* Returns bit i set where lane i is set. */
MOTE_INLINE uint32_t wide_lane_bits(wide_mask mask) {
#if defined(X86_LANES)
    return X86_LANES(mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < MOTE_WIDTH; i++) bits |= (uint32_t)(mask[i] & 1) << i;
    return bits;
#endif
}

MOTE_INLINE float wide_element(wide value, int lane) { return value[lane]; }
MOTE_INLINE int32_t wide_mask_element(wide_mask value, int lane) { return value[lane]; }

/* Sets lanes 0 .. count - 1; none for count <= 0. */
MOTE_INLINE wide_mask wide_lanes_below(int32_t count) {
    const wide_mask lane = {
        0, 1, 2,  3,
#if MOTE_WIDTH > 4
        4, 5, 6,  7,
#endif
#if MOTE_WIDTH > 8
        8, 9, 10, 11, 12, 13, 14, 15,
#endif
    };
    return lane < count;
}

/* Sets lane i where bit i is set. */
MOTE_INLINE wide_mask wide_mask_of_bits(uint32_t bits) {
    const wide_mask bit = {
        1,   2,   4,    8,
#if MOTE_WIDTH > 4
        16,  32,  64,   128,
#endif
#if MOTE_WIDTH > 8
        256, 512, 1024, 2048, 4096, 8192, 16384, 32768,
#endif
    };
    return (bit & (int32_t)bits) != 0;
}

/* Loads from[index[i]] into lane i. */
MOTE_INLINE wide wide_gather(const float *from, const int32_t *index) {
#if defined(X86_GATHER)
    return X86_GATHER(from, wide_mask_load(index));
#else
    wide value;
    for (int i = 0; i < MOTE_WIDTH; i++) value[i] = from[index[i]];
    return value;
#endif
}
#endif

/* Stores the lanes of `bits` of the register at `from` side by side at `to`, where there is room for all
 * lanes. */
MOTE_INLINE void wide_compress(float *to, const float *from, uint32_t bits) {
#if defined(X86_COMPRESS)
    wide_store(to, X86_COMPRESS(wide_load(from), bits));
#else
    for (; bits; bits &= bits - 1) *to++ = from[__builtin_ctz(bits)];
#endif
}

/* Loads floats that lie side by side, where all lanes can be read, into the lanes of `bits` at `to`. */
MOTE_INLINE void wide_expand(float *to, const float *from, uint32_t bits) {
#if defined(X86_EXPAND)
    wide_store(to, X86_EXPAND(wide_load(from), wide_load(to), bits));
#else
    for (; bits; bits &= bits - 1) to[__builtin_ctz(bits)] = *from++;
#endif
}

/* Minimum a < b ? a : b and maximum a < b ? b : a, each one x86 instruction; signed zeros and NaN follow from
 * these expressions. */
#if defined(X86_MIN)
MOTE_INLINE wide wide_min(wide a, wide b) { return X86_MIN(a, b); }
MOTE_INLINE wide wide_max(wide a, wide b) { return X86_MAX(b, a); }
#else
MOTE_INLINE wide wide_min(wide a, wide b) { return wide_select(wide_less(a, b), a, b); }
MOTE_INLINE wide wide_max(wide a, wide b) { return wide_select(wide_less(a, b), b, a); }
#endif
MOTE_INLINE wide wide_abs(wide a) { return wide_from_bits(wide_bits(a) & 0x7fffffff); }
/* Clamps to [low, high]; NaN becomes high. */
MOTE_INLINE wide wide_clamp(wide a, float low, float high) {
    return wide_max(wide_min(a, wide_set(high)), wide_set(low));
}

/* Returns the greatest integer at or below a, |a| < 2^31, and in *whole the same as a float. */
MOTE_INLINE wide_mask wide_floor(wide a, wide *whole) {
    wide_mask truncated = WIDE_CONVERT(a, wide_mask);
    wide_mask floor = truncated + wide_less(a, WIDE_CONVERT(truncated, wide));
    *whole = WIDE_CONVERT(floor, wide);
    return floor;
}

/* Vector of three components per lane. */
typedef struct wide3 {
    wide x, y, z;
} wide3;

MOTE_INLINE wide3 wide3_set(const float v[3]) {
    return (wide3){wide_set(v[0]), wide_set(v[1]), wide_set(v[2])};
}
MOTE_INLINE wide3 wide3_zero(void) { return (wide3){(wide){0}, (wide){0}, (wide){0}}; }
MOTE_INLINE wide3 wide3_add(wide3 a, wide3 b) { return (wide3){a.x + b.x, a.y + b.y, a.z + b.z}; }
MOTE_INLINE wide3 wide3_sub(wide3 a, wide3 b) { return (wide3){a.x - b.x, a.y - b.y, a.z - b.z}; }
MOTE_INLINE wide3 wide3_scale(wide s, wide3 a) { return (wide3){s * a.x, s * a.y, s * a.z}; }
MOTE_INLINE wide3 wide3_mul(wide3 a, wide3 b) { return (wide3){a.x * b.x, a.y * b.y, a.z * b.z}; }
/* Returns a + s b. */
MOTE_INLINE wide3 wide3_add_scaled(wide3 a, wide s, wide3 b) { return wide3_add(a, wide3_scale(s, b)); }
/* Returns the dot product, summed as (x x + y y) + z z. */
MOTE_INLINE wide wide3_dot(wide3 a, wide3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

MOTE_INLINE wide3 wide3_load(float *const column[3], size_t at) {
    return (wide3){wide_load(column[0] + at), wide_load(column[1] + at), wide_load(column[2] + at)};
}

MOTE_INLINE void wide3_store(float *const column[3], size_t at, wide3 value) {
    wide_store(column[0] + at, value.x);
    wide_store(column[1] + at, value.y);
    wide_store(column[2] + at, value.z);
}

MOTE_INLINE wide3 wide3_cross(wide3 a, wide3 b) {
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* wide3_interleave stores component `axis` of lane i as float 3 i + axis of `to`, of any alignment: two
 * shuffles for each of the three registers written. wide3_deinterleave loads the reverse. */
#if MOTE_WIDTH == 1
MOTE_INLINE void wide3_interleave(void *to, wide3 a) {
    const float packed[3] = {a.x, a.y, a.z};
    memcpy(to, packed, sizeof packed);
}
MOTE_INLINE wide3 wide3_deinterleave(const float *from) { return (wide3){from[0], from[1], from[2]}; }
#else
/* The indices f(k, i) of all lanes i. */
#define WIDE_FOUR(f, k, i) f(k, i), f(k, (i) + 1), f(k, (i) + 2), f(k, (i) + 3)
#if MOTE_WIDTH == 4
#define WIDE_INDICES(f, k) WIDE_FOUR(f, k, 0)
#elif MOTE_WIDTH == 8
#define WIDE_INDICES(f, k) WIDE_FOUR(f, k, 0), WIDE_FOUR(f, k, 4)
#else
#define WIDE_INDICES(f, k) WIDE_FOUR(f, k, 0), WIDE_FOUR(f, k, 4), WIDE_FOUR(f, k, 8), WIDE_FOUR(f, k, 12)
#endif
/* Register k of the packed floats: float p = k MOTE_WIDTH + i is component p % 3 of lane p / 3. */
#define WIDE_AT(k, i) ((k) * MOTE_WIDTH + (i))
#define WIDE_XY(k, i) (WIDE_AT(k, i) % 3 == 2 ? 0 : WIDE_AT(k, i) % 3 * MOTE_WIDTH + WIDE_AT(k, i) / 3)
#define WIDE_Z(k, i)  (WIDE_AT(k, i) % 3 == 2 ? MOTE_WIDTH + WIDE_AT(k, i) / 3 : (i))
#define WIDE_MIX(a, k)                                                                                       \
    __builtin_shufflevector(__builtin_shufflevector((a).x, (a).y, WIDE_INDICES(WIDE_XY, k)), (a).z,          \
                            WIDE_INDICES(WIDE_Z, k))
MOTE_INLINE void wide3_interleave(void *to, wide3 a) {
    const wide packed[3] = {WIDE_MIX(a, 0), WIDE_MIX(a, 1), WIDE_MIX(a, 2)};
    memcpy(to, packed, sizeof packed);
}

/* Component k of lane i: float p = 3 i + k, in the first two registers or in the third. */
#define WIDE_OF(k, i)    (3 * (i) + (k))
#define WIDE_EARLY(k, i) (WIDE_OF(k, i) < 2 * MOTE_WIDTH ? WIDE_OF(k, i) : 0)
#define WIDE_LATE(k, i)  (WIDE_OF(k, i) < 2 * MOTE_WIDTH ? (i) : WIDE_OF(k, i) - MOTE_WIDTH)
#define WIDE_PICK(p, k)                                                                                      \
    __builtin_shufflevector(__builtin_shufflevector((p)[0], (p)[1], WIDE_INDICES(WIDE_EARLY, k)), (p)[2],    \
                            WIDE_INDICES(WIDE_LATE, k))
MOTE_INLINE wide3 wide3_deinterleave(const float *from) {
    wide packed[3];
    memcpy(packed, from, sizeof packed);
    return (wide3){WIDE_PICK(packed, 0), WIDE_PICK(packed, 1), WIDE_PICK(packed, 2)};
}
#endif

/* Returns the least element, of lanes without NaN: half of the lanes of wide registers against the others,
 * and so on. */
#if MOTE_WIDTH <= 4
MOTE_INLINE float wide_least(wide a) {
    float least = wide_element(a, 0);
    for (int lane = 1; lane < MOTE_WIDTH; lane++)
        least = wide_element(a, lane) < least ? wide_element(a, lane) : least;
    return least;
}
#else
#define WIDE_AFTER(k, i)  (((i) + (k)) % MOTE_WIDTH)
#define WIDE_TURNED(a, k) __builtin_shufflevector(a, a, WIDE_INDICES(WIDE_AFTER, k))
MOTE_INLINE float wide_least(wide a) {
#if MOTE_WIDTH > 8
    a = wide_min(a, WIDE_TURNED(a, 8));
#endif
    a = wide_min(a, WIDE_TURNED(a, 4));
    a = wide_min(a, WIDE_TURNED(a, 2));
    return wide_element(wide_min(a, WIDE_TURNED(a, 1)), 0);
}
#endif

MOTE_INLINE wide3 wide3_select(wide_mask mask, wide3 a, wide3 b) {
    return (wide3){wide_select(mask, a.x, b.x), wide_select(mask, a.y, b.y), wide_select(mask, a.z, b.z)};
}

MOTE_INLINE wide3 wide3_min(wide3 a, wide3 b) {
    return (wide3){wide_min(a.x, b.x), wide_min(a.y, b.y), wide_min(a.z, b.z)};
}
MOTE_INLINE wide3 wide3_max(wide3 a, wide3 b) {
    return (wide3){wide_max(a.x, b.x), wide_max(a.y, b.y), wide_max(a.z, b.z)};
}

/* Returns 0 in lanes where all three components are finite, NaN elsewhere. */
MOTE_INLINE wide wide3_finite_probe(wide3 a) { return a.x * 0.0f + a.y * 0.0f + a.z * 0.0f; }

#endif
