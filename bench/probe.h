/* The probe and the streams: loops that only move memory. Their rates are the limits that shares refer to. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stddef.h>

/* Particles in one run of the probe: those of one block of the engine. */
#define PROBE_BLOCK ((size_t)1024)

/* Bytes that the probe reads and writes for one particle. */
#define PROBE_BYTES 48.0

typedef struct probe_columns {
    float *position[3], *velocity[3];
} probe_columns;

/* In-place update of six columns, elements first .. last - 1, block by block: v += c, x += h v. */
void probe_update(const probe_columns *columns, size_t first, size_t last);

/* to = from, 8 bytes an element, with ordinary loads and stores; and by memcpy, which may bypass the cache.
 */
void probe_copy(float *to, const float *from, size_t first, size_t last);
void probe_memcpy(float *to, const float *from, size_t first, size_t last);

/* a = b + s c, 12 bytes an element. */
void probe_triad(float *a, const float *b, const float *c, size_t first, size_t last);

#endif
