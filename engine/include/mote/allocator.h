/** @file
 * The allocator hook: the source of a system's memory. */
#ifndef MOTE_ALLOCATOR_H
#define MOTE_ALLOCATOR_H

#include <stddef.h>

#include <mote/result.h>

/** The host's memory functions. A system takes all of its memory through one hook, in calls that create,
 * reserve, add, pin or reel; a step allocates nothing. Both functions are called only from the thread that
 * made the call. Both NULL: the default, aligned memory of the C library, with huge pages requested for large
 * blocks. */
typedef struct mote_allocator {
    void *user; /**< passed to both functions */
    /** Returns memory of the given size, aligned to a power of two of at most 64, or NULL. */
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    /** Releases memory. Receives the pointer and the byte count of its allocation. */
    void (*release)(void *user, void *pointer, size_t bytes);
} mote_allocator;

#endif
