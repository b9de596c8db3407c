/* Calls through the allocator hook. */
#ifndef MOTE_BASE_ALLOCATOR_H
#define MOTE_BASE_ALLOCATOR_H

#include <mote/allocator.h>

/* The hook itself, or the default one where both functions are NULL. */
mote_allocator mote_allocator_resolve(const mote_allocator *hook);

/* Memory aligned to a cache line, or NULL. 0 bytes are allocated as 1 cache line. */
void *mote_allocate(const mote_allocator *hook, size_t bytes);

/* Gives back what mote_allocate returned for the same byte count; NULL is allowed. */
void mote_release(const mote_allocator *hook, void *pointer, size_t bytes);

#endif
