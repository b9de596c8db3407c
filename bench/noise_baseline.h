/* The opponent of curl noise: the formula of engine/forces/curl_noise.h in a plain loop. */
#ifndef BENCH_NOISE_BASELINE_H
#define BENCH_NOISE_BASELINE_H

#include <stdint.h>

#include "probe.h"
#include "widths.h"

/* Curl noise as an acceleration. */
typedef struct noise_field {
    float amplitude, frequency; /* m/s^2, 1/m */
    double rate;                /* 1/s; 0: still */
    uint32_t seed;
} noise_field;

/* v += h a(x, time), x += h v, elements first .. last - 1; |x| frequency <= 2^20. */
typedef void noise_function(const probe_columns *columns, size_t first, size_t last, const noise_field *field,
                            double time, float h);
noise_function baseline_noise_preferred, baseline_noise_512;

#endif
