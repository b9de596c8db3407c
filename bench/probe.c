/* The probe and the streams: see probe.h. Compiled for this machine; the compiler may not turn the copy into
 * a call of memcpy, whose stores that bypass the cache would be another limit. */
#include "probe.h"

#include <string.h>

static void probe_block(const probe_columns *columns, size_t first, size_t count) {
    const float h = 1.0f / 1048576.0f, kick = 1.0f / 1024.0f;
    float *restrict x = columns->position[0] + first, *restrict y = columns->position[1] + first;
    float *restrict z = columns->position[2] + first, *restrict a = columns->velocity[0] + first;
    float *restrict b = columns->velocity[1] + first, *restrict c = columns->velocity[2] + first;
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        a[i] += kick;
        b[i] += kick;
        c[i] += kick;
        x[i] += h * a[i];
        y[i] += h * b[i];
        z[i] += h * c[i];
    }
}

void probe_update(const probe_columns *columns, size_t first, size_t last) {
    for (; first < last; first += PROBE_BLOCK)
        probe_block(columns, first, last - first < PROBE_BLOCK ? last - first : PROBE_BLOCK);
}

void probe_copy(float *to, const float *from, size_t first, size_t last) {
#pragma omp simd
    for (size_t i = first; i < last; i++) to[i] = from[i];
}

void probe_memcpy(float *to, const float *from, size_t first, size_t last) {
    memcpy(to + first, from + first, (last - first) * sizeof *to);
}

void probe_triad(float *a, const float *b, const float *c, size_t first, size_t last) {
    const float s = 0.25f;
#pragma omp simd
    for (size_t i = first; i < last; i++) a[i] = b[i] + s * c[i];
}
