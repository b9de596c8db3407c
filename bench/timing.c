/* Clocks, and the spread of repeated measurements: see timing.h. */
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double now_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

double thread_seconds(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

spread spread_of(const double *values, uint32_t count) {
    double sorted[MAX_REPEATS];
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    return (spread){(sorted[(count - 1) / 2] + sorted[count / 2]) / 2, sorted[0], sorted[count - 1]};
}

double larger_or_nan(double a, double b) { return isnan(a) || b <= a ? a : b; }
