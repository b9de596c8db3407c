/* Calls through the allocator hook. */
#ifndef MOTE_BASE_ALLOCATOR_H
#define MOTE_BASE_ALLOCATOR_H

#include <mote/allocator.h>

#include "base/compiler.h"

/* Checks that a hook has both functions or none: NULL. */
MOTE_INLINE mote_result mote_allocator_check(const mote_allocator *hook) {
    return !hook->allocate == !hook->release ? MOTE_OK : MOTE_ERROR_NULL;
}

/* Returns the hook itself, or the default allocator if both functions are NULL. */
mote_allocator mote_allocator_resolve(const mote_allocator *hook);

/* Returns memory aligned to a cache line, or NULL. 0 bytes are allocated as one cache line. */
void *mote_allocate(const mote_allocator *hook, size_t bytes);

/* Releases memory that mote_allocate returned for the same byte count; NULL is allowed. */
void mote_release(const mote_allocator *hook, void *pointer, size_t bytes);

#endif
