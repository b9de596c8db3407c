/* Floating-point control word. Kernels run under IEEE defaults (round to nearest, denormals kept, no traps).
 * A host that uses flush-to-zero or another rounding mode gets the same bits, and its own setting is restored
 * afterwards. */
#ifndef MOTE_BASE_FPU_H
#define MOTE_BASE_FPU_H

#include "base/compiler.h"

/* To compilers arithmetic does not depend on the control word, so they move it across a change of that. What
 * is in memory they do not move; a local result is named here before mote_fpu_leave (gcc -Os moved some). */
#define MOTE_FPU_BARRIER()        __asm__ volatile("" : : : "memory")
#define MOTE_FPU_COMPUTED(number) __asm__ volatile("" : "+m"(number) : : "memory")

#if defined(__x86_64__) || defined(__i386__)
#define MOTE_FPU_DEFAULT 0x1f80u /* all exceptions masked, round to nearest, no FTZ, no DAZ */
static inline uint32_t mote_fpu_enter_sse(void) {
    const uint32_t saved = __builtin_ia32_stmxcsr();
    if ((saved & ~0x3fu) != MOTE_FPU_DEFAULT) __builtin_ia32_ldmxcsr(MOTE_FPU_DEFAULT);
    MOTE_FPU_BARRIER();
    return saved;
}
static inline void mote_fpu_leave_sse(uint32_t saved) {
    MOTE_FPU_BARRIER();
    if ((saved & ~0x3fu) != MOTE_FPU_DEFAULT) __builtin_ia32_ldmxcsr(saved);
}
#endif

#if defined(__x86_64__)
typedef uint64_t mote_fpu_state;
static inline mote_fpu_state mote_fpu_enter(void) { return mote_fpu_enter_sse(); }
static inline void mote_fpu_leave(mote_fpu_state saved) { mote_fpu_leave_sse((uint32_t)saved); }
#elif defined(__i386__)
/* Integers of 64 bits are converted by the x87 unit, which has a control word of its own. */
#define MOTE_FPU_X87 0x037fu /* all exceptions masked, round to nearest, 64 bits of precision */
typedef struct mote_fpu_state {
    uint32_t sse;
    uint16_t x87;
} mote_fpu_state;
static inline mote_fpu_state mote_fpu_enter(void) {
    const uint16_t defaults = MOTE_FPU_X87;
    mote_fpu_state saved = {.sse = mote_fpu_enter_sse()};
    __asm__ volatile("fnstcw %0" : "=m"(saved.x87) : : "memory");
    if (saved.x87 != MOTE_FPU_X87) __asm__ volatile("fldcw %0" : : "m"(defaults) : "memory");
    return saved;
}
static inline void mote_fpu_leave(mote_fpu_state saved) {
    if (saved.x87 != MOTE_FPU_X87) __asm__ volatile("fldcw %0" : : "m"(saved.x87) : "memory");
    mote_fpu_leave_sse(saved.sse);
}
#elif defined(__aarch64__)
typedef uint64_t mote_fpu_state;
static inline mote_fpu_state mote_fpu_enter(void) {
    uint64_t saved, defaults = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved) : : "memory");
    __asm__ volatile("msr fpcr, %0" : : "r"(defaults) : "memory");
    return saved;
}
static inline void mote_fpu_leave(mote_fpu_state saved) {
    __asm__ volatile("msr fpcr, %0" : : "r"(saved) : "memory");
}
#elif defined(__wasm__) /* which has no control word */
typedef uint64_t mote_fpu_state;
static inline mote_fpu_state mote_fpu_enter(void) { return 0; }
static inline void mote_fpu_leave(mote_fpu_state saved) { (void)saved; }
#else                   /* the C library's default environment: to nearest, denormals kept, no traps */
#include <fenv.h>
typedef fenv_t mote_fpu_state;
static inline mote_fpu_state mote_fpu_enter(void) {
    mote_fpu_state saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    return saved;
}
static inline void mote_fpu_leave(mote_fpu_state saved) { fesetenv(&saved); }
#endif

#endif
