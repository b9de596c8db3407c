/* What the engine asks of the compiler: gcc and clang. */
#ifndef MOTE_BASE_COMPILER_H
#define MOTE_BASE_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kernel bodies are templates: inlined into one instance per combination of constant arguments. */
#define MOTE_INLINE static inline __attribute__((always_inline))
/* A body that is long or rarely run, kept apart so that the instances stay small. */
#define MOTE_OUTLINE        static __attribute__((noinline, unused))
#define MOTE_ALIGNED(bytes) __attribute__((aligned(bytes)))
/* Before a loop over the few registers that go through a kernel side by side: its arrays then become
 * registers. */
#if defined(__clang__)
#define MOTE_UNROLLED _Pragma("clang loop unroll(full)")
#define MOTE_ROLLED   _Pragma("clang loop unroll(disable)")
#else
#define MOTE_UNROLLED _Pragma("GCC unroll 4")
#define MOTE_ROLLED   _Pragma("GCC unroll 1")
#endif
/* MOTE_ROLLED: before a loop of which no turn may be kept in registers of its own. */
#define MOTE_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* The unit of layout on every machine: columns are padded to whole lane groups of 16 floats, one cache
 * line. */
#define MOTE_GROUP      16u
#define MOTE_CACHE_LINE 64u

/* The number of a column of scratch. `layout` is a struct of floats, one for each column; members that are
 * never needed at once share columns in a union. */
#define MOTE_SCRATCH_COLUMN(layout, member) ((int)(offsetof(layout, member) / sizeof(float)))
#define MOTE_SCRATCH_COLUMNS(layout)        (sizeof(layout) / sizeof(float))

MOTE_INLINE size_t mote_round_up(size_t value, size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

#endif
