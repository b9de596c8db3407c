/* Compiler features that the engine requires: gcc and clang. */
#ifndef MOTE_BASE_COMPILER_H
#define MOTE_BASE_COMPILER_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The same bits everywhere need IEEE arithmetic, evaluated in the type of the operands. */
#if defined(__FAST_MATH__)
#error "mote cannot be compiled with -ffast-math or -Ofast: every build has the same bits"
#endif
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "float expressions are evaluated as float");

/* Inlines kernel bodies, which are templates: one instance per combination of constant arguments. */
#define MOTE_INLINE static inline __attribute__((always_inline))
/* Keeps a long or rarely run body out of line, so that the instances stay small. */
#define MOTE_OUTLINE        static __attribute__((noinline, unused))
#define MOTE_COLD           __attribute__((cold)) /* runs rarely: compiled for its size */
#define MOTE_ALIGNED(bytes) __attribute__((aligned(bytes)))
/* Pragmas before a loop. MOTE_UNROLLED: over the few registers that a kernel processes side by side, or the
 * few parts of one value: its arrays then become registers. MOTE_ROLLED: no iteration may occupy registers of
 * its own. */
#if defined(__clang__)
#define MOTE_UNROLLED _Pragma("clang loop unroll(full)")
#define MOTE_ROLLED   _Pragma("clang loop unroll(disable)")
#else
#define MOTE_UNROLLED _Pragma("GCC unroll 8")
#define MOTE_ROLLED   _Pragma("GCC unroll 1")
#endif
/* Hides the value of an integer from the compiler: gcc 12 unrolls loops of two iterations in spite of
 * MOTE_ROLLED. */
#define MOTE_HIDDEN(number)    __asm__("" : "+r"(number))
#define MOTE_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* Whether instances that are faster, but not needed, are worth their size: a web page loads it. */
#if defined(__wasm__)
#define MOTE_SPACIOUS false
#else
#define MOTE_SPACIOUS true
#endif

/* Constant of a kernel's instance. Compact kernels, which the build makes for a set that is only the fallback
 * of a wider one, read the value at run time, so that one instance serves all. The bits are the same.
 * MOTE_EXPANDED: a long loop body that compact kernels do not repeat. MOTE_ONCE: a body that kernels inline
 * and compact ones hold once. */
#if defined(MOTE_COMPACT)
#define MOTE_SPECIALISED(constant, value) (value)
#define MOTE_EXPANDED                     MOTE_ROLLED
#define MOTE_ONCE                         MOTE_OUTLINE
#else
#define MOTE_SPECIALISED(constant, value) (constant)
#define MOTE_EXPANDED                     MOTE_UNROLLED
#define MOTE_ONCE                         MOTE_INLINE
#endif

/* Unit of layout on every machine: columns are padded to lane groups of 16 floats, one cache line. */
#define MOTE_GROUP      16u
#define MOTE_CACHE_LINE 64u

/* Index of a scratch column. `layout` is a struct of floats, one per column; members that are never needed at
 * the same time share a column in a union. */
#define MOTE_SCRATCH_COLUMN(layout, member) ((int)(offsetof(layout, member) / sizeof(float)))
#define MOTE_SCRATCH_COLUMNS(layout)        (sizeof(layout) / sizeof(float))

/* Returns the NaN that marks the absence of a value in columns that are state. Its bits are the same on every
 * processor: the NAN of some (MIPS) has others, and state is hashed. Kernels compare it and move it alone. */
MOTE_INLINE float mote_marker(void) {
    const union {
        uint32_t bits;
        float marker;
    } of = {0x7fc00000};
    return of.marker;
}

MOTE_INLINE size_t mote_round_up(size_t value, size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

#endif
