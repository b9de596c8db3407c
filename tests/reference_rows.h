/* Three floats at a time, in the order of operations of the kernels. */
#ifndef MOTE_TESTS_REFERENCE_ROWS_H
#define MOTE_TESTS_REFERENCE_ROWS_H

#include "reference.h"

/* (x x + y y) + z z */
static inline float row_dot(const float a[3], const float b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}
static inline float row_length(const float a[3]) { return __builtin_sqrtf(row_dot(a, a)); }
static inline void row_between(const float from[3], const float to[3], float out[3]) {
    for (int axis = 0; axis < 3; axis++) out[axis] = to[axis] - from[axis];
}
static inline void row_cross(const float a[3], const float b[3], float out[3]) {
    for (int k = 0; k < 3; k++) {
        const int n = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = a[n] * b[m] - a[m] * b[n];
    }
}
static inline float larger(float a, float b) { return a < b ? b : a; }
static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float at_least_short(float length) { return larger(length, 1e-18f); }

#endif
