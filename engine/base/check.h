/* Checks of values that the host passes in. */
#ifndef MOTE_BASE_CHECK_H
#define MOTE_BASE_CHECK_H

#include <float.h>
#include <math.h>
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

MOTE_INLINE mote_result mote_value_is_finite(double value) {
    return isfinite(value) ? MOTE_OK : MOTE_ERROR_NOT_FINITE;
}

MOTE_INLINE bool mote_vector_is_finite(const float v[3]) {
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

MOTE_INLINE mote_result mote_value_not_negative(float value) {
    if (!isfinite(value)) return MOTE_ERROR_NOT_FINITE;
    return value >= 0 ? MOTE_OK : MOTE_ERROR_RANGE;
}

MOTE_INLINE mote_result mote_value_positive(float value) {
    if (!isfinite(value)) return MOTE_ERROR_NOT_FINITE;
    return value > 0 ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* Checks that value is positive and count / value is a finite float: a mass, divided among `count`. */
MOTE_INLINE mote_result mote_value_invertible(float value, uint32_t count) {
    const mote_result result = mote_value_positive(value);
    if (result) return result;
    return (double)count / (double)value <= (double)FLT_MAX ? MOTE_OK : MOTE_ERROR_RANGE;
}

#endif
