/* Memory of the benchmark: the arena and the counting allocator hook. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define PAGE      ((size_t)4096)
#define STAGGER   ((size_t)17 * 64)

static size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

bool arena_create(arena *memory, size_t size) {
    void *pointer;
    size = round_up(size, HUGE_PAGE);
    *memory = (arena){0};
    if (posix_memalign(&pointer, HUGE_PAGE, size)) return false;
#ifdef MADV_HUGEPAGE
    madvise(pointer, size, MADV_HUGEPAGE);
#endif
    *memory = (arena){pointer, size};
#pragma omp parallel for schedule(static)
    for (size_t page = 0; page < size / HUGE_PAGE; page++)
        memset(memory->bytes + page * HUGE_PAGE, 0, HUGE_PAGE);
    return true;
}

void arena_destroy(arena *memory) {
    free(memory->bytes);
    *memory = (arena){0};
}

static size_t staggered_stride(size_t count) { return round_up(count * sizeof(float), PAGE) + STAGGER; }

size_t staggered_size(uint32_t arrays, size_t count) { return arrays * staggered_stride(count); }

void staggered_arrays(unsigned char *bytes, uint32_t arrays, size_t count, float **array) {
    for (uint32_t i = 0; i < arrays; i++) array[i] = (float *)(void *)(bytes + i * staggered_stride(count));
}

probe_columns arena_columns(const arena *memory, size_t count) {
    float *array[6];
    staggered_arrays(memory->bytes, 6, count, array);
    return (probe_columns){{array[0], array[1], array[2]}, {array[3], array[4], array[5]}};
}

static void *counting_allocate(void *user, size_t bytes, size_t alignment) {
    void *pointer;
    ++*(uint64_t *)user;
    if (posix_memalign(&pointer, alignment < sizeof pointer ? sizeof pointer : alignment, bytes)) return NULL;
    return pointer;
}

static void counting_release(void *user, void *pointer, size_t bytes) {
    (void)user, (void)bytes;
    free(pointer);
}

mote_allocator counting_allocator(uint64_t *allocations) {
    return (mote_allocator){allocations, counting_allocate, counting_release};
}
