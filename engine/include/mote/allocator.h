/* The allocator hook: where a system's memory comes from. */
#ifndef MOTE_ALLOCATOR_H
#define MOTE_ALLOCATOR_H

#include <stddef.h>

#include <mote/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A system takes all of its memory through one hook, in create, in reserve and in calls that add forces; a
 * step allocates nothing. allocate returns `bytes` bytes aligned to `alignment` (a power of two, at most 64)
 * or NULL; release gets the pointer and the same byte count. Both are called only from the thread that made
 * the call. Both NULL: the default, aligned memory of the C library, with huge pages requested for large
 * blocks. */
typedef struct mote_allocator {
    void *user;
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *pointer, size_t bytes);
} mote_allocator;

#ifdef __cplusplus
}
#endif
#endif
