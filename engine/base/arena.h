/* Arena: one allocation divided into columns. */
#ifndef MOTE_BASE_ARENA_H
#define MOTE_BASE_ARENA_H

#include <mote/result.h>

#include "base/allocator.h"
#include "base/compiler.h"

typedef struct mote_arena {
    unsigned char *memory; /* NULL: measures only */
    uint64_t bytes;        /* bytes in use */
} mote_arena;

/* Returns the bytes that a column occupies: whole cache lines. Large columns of a power-of-two size would all
 * start in the same set of the first-level cache; an offset of five lines keeps about two dozen streams
 * apart. Small columns follow one another directly. */
MOTE_INLINE uint64_t mote_column_bytes(uint64_t bytes) {
    const uint64_t line = MOTE_CACHE_LINE, large = 4096;
    return (bytes + line - 1) / line * line + (bytes < large ? 0 : 5 * line);
}

/* Returns the next column of `count` elements; NULL if the arena only measures. */
MOTE_INLINE void *mote_arena_take(mote_arena *arena, uint64_t count, size_t element) {
    void *at = arena->memory ? arena->memory + arena->bytes : NULL;
    arena->bytes += mote_column_bytes(count * element);
    return at;
}

/* Allocates the bytes that an arena has measured. Errors: OVERFLOW, MEMORY; *memory is then NULL. */
MOTE_INLINE mote_result mote_arena_allocate(uint64_t measured, const mote_allocator *allocator, void **memory,
                                            size_t *bytes) {
    *memory = NULL;
    if (measured > SIZE_MAX / 2) return MOTE_ERROR_OVERFLOW;
    *bytes = (size_t)measured;
    *memory = mote_allocate(allocator, *bytes);
    return *memory ? MOTE_OK : MOTE_ERROR_MEMORY;
}

#endif
