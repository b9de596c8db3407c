/* Default allocator, and calls through the allocator hook. */
#define _DEFAULT_SOURCE
#include "base/allocator.h"

#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

#include "base/compiler.h"

/* Uses huge pages for large columns: a step over millions of particles touches thousands of pages, more than
 * the TLB covers. */
#define HUGE_PAGE ((size_t)2 << 20)

static void *default_allocate(void *user, size_t bytes, size_t alignment) {
    (void)user;
    bool large = bytes >= 2 * HUGE_PAGE;
    size_t unit = large ? HUGE_PAGE : alignment;
    if (bytes > SIZE_MAX - unit) return NULL;
#if defined(_WIN32)
    void *pointer = _aligned_malloc(mote_round_up(bytes, unit), unit);
#else
    void *pointer = aligned_alloc(unit, mote_round_up(bytes, unit));
#endif
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (pointer && large) (void)madvise(pointer, mote_round_up(bytes, unit), MADV_HUGEPAGE);
#endif
    return pointer;
}

static void default_release(void *user, void *pointer, size_t bytes) {
    (void)user;
    (void)bytes;
#if defined(_WIN32)
    _aligned_free(pointer);
#else
    free(pointer);
#endif
}

mote_allocator mote_allocator_resolve(const mote_allocator *hook) {
    if (hook->allocate) return *hook;
    return (mote_allocator){NULL, default_allocate, default_release};
}

static size_t padded_bytes(size_t bytes) { return bytes ? bytes : MOTE_CACHE_LINE; }

void *mote_allocate(const mote_allocator *hook, size_t bytes) {
    return hook->allocate(hook->user, padded_bytes(bytes), MOTE_CACHE_LINE);
}

void mote_release(const mote_allocator *hook, void *pointer, size_t bytes) {
    if (pointer) hook->release(hook->user, pointer, padded_bytes(bytes));
}
