/* One allocation cut into columns. */
#ifndef MOTE_BASE_ARENA_H
#define MOTE_BASE_ARENA_H

#include "base/compiler.h"

typedef struct mote_arena {
    unsigned char *memory; /* NULL: only measured */
    uint64_t bytes;        /* taken */
} mote_arena;

/* What a column takes: whole cache lines. Large columns of a power-of-two count would all start at the same
 * set of the first-level cache; five lines apart, two dozen streams run side by side. Small ones lie close
 * together. */
MOTE_INLINE uint64_t mote_column_bytes(uint64_t bytes) {
    const uint64_t line = MOTE_CACHE_LINE, large = 4096;
    return (bytes + line - 1) / line * line + (bytes < large ? 0 : 5 * line);
}

/* The next column, of `count` elements; NULL where it is only measured. */
MOTE_INLINE void *mote_arena_take(mote_arena *arena, uint64_t count, size_t element) {
    void *at = arena->memory ? arena->memory + arena->bytes : NULL;
    arena->bytes += mote_column_bytes(count * element);
    return at;
}

#endif
