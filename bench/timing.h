/* Clocks, and the spread of repeated measurements. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdint.h>

#define MAX_REPEATS 1000u

/* Monotonic seconds from an arbitrary origin. */
double now_seconds(void);

/* Processor time of the calling thread, which other load on the machine does not lengthen. */
double thread_seconds(void);

typedef struct spread {
    double median, min, max;
} spread;

/* count: 1 .. MAX_REPEATS. */
spread spread_of(const double *values, uint32_t count);

/* The larger of both; NaN if one is. */
double larger_or_nan(double a, double b);

#endif
