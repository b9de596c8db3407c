/* Memory of the benchmark: one arena that the opponents and the probe use in turn, so that they run on the
 * same pages, and an allocator hook that counts. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mote/allocator.h>

#include "probe.h"

typedef struct arena {
    unsigned char *bytes;
    size_t size;
} arena;

/* Huge pages where the system gives them, written first by all threads, zero. False: no memory. */
bool arena_create(arena *memory, size_t size);
void arena_destroy(arena *memory);

/* Bytes that `arrays` float arrays of `count` elements take, and their places from `bytes` on: each array
 * starts at an odd multiple of 64 bytes beyond whole pages from the one before, so that elements i of two
 * arrays do not fall in one set of the cache. */
size_t staggered_size(uint32_t arrays, size_t count);
void staggered_arrays(unsigned char *bytes, uint32_t arrays, size_t count, float **array);
probe_columns arena_columns(const arena *memory, size_t count);

/* Counts in *allocations every call of allocate. */
mote_allocator counting_allocator(uint64_t *allocations);

#endif
