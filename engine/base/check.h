/* Checks of values that the host passes in. */
#ifndef MOTE_BASE_CHECK_H
#define MOTE_BASE_CHECK_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <mote/result.h>

#include "base/compiler.h"

/* Names the parameter where there is an error. */
MOTE_INLINE mote_result mote_named(const char **parameter, const char *name, mote_result result) {
    if (result) *parameter = name;
    return result;
}

/* Begins a check whose caller may not want the name: returns where to store it, after clearing it. */
MOTE_INLINE const char **mote_name_cleared(const char **parameter, const char **ignored) {
    const char **name = parameter ? parameter : ignored;
    *name = NULL;
    return name;
}

/* Tells whether memory that the host hands in can hold 4-byte numbers. NULL can. */
MOTE_INLINE bool mote_is_aligned(const void *memory) { return (uintptr_t)memory % sizeof(float) == 0; }

/* The tests below look at the bits of a number: comparisons depend on whether the host's floating point unit
 * takes subnormal numbers for zeros, and may trap. */

MOTE_INLINE uint32_t mote_float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

MOTE_INLINE bool mote_float_is_finite(float value) {
    return (mote_float_bits(value) & 0x7f800000u) != 0x7f800000u;
}

MOTE_INLINE mote_result mote_value_is_finite(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u ? MOTE_OK : MOTE_ERROR_NOT_FINITE;
}

MOTE_INLINE bool mote_vector_is_finite(const float v[3]) {
    return mote_float_is_finite(v[0]) && mote_float_is_finite(v[1]) && mote_float_is_finite(v[2]);
}

MOTE_INLINE mote_result mote_value_not_negative(float value) {
    if (!mote_float_is_finite(value)) return MOTE_ERROR_NOT_FINITE;
    return mote_float_bits(value) <= 0x80000000u ? MOTE_OK : MOTE_ERROR_RANGE; /* -0, too */
}

MOTE_INLINE mote_result mote_value_positive(float value) {
    if (!mote_float_is_finite(value)) return MOTE_ERROR_NOT_FINITE;
    return mote_float_bits(value) - 1 < 0x7fffffffu ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* By its bits, as all of these: whatever the host's rounding, and where it takes denormal numbers for 0. */
MOTE_INLINE bool mote_float_is_zero(float value) { return mote_float_bits(value) << 1 == 0; }

/* Checks that value is positive and count / value is a finite float: a mass, divided among `count`. */
mote_result mote_value_invertible(float value, uint32_t count);

#endif
