/* Floating-point control word. Kernels run under IEEE defaults (round to nearest, denormals kept, no traps).
 * A host that uses flush-to-zero or another rounding mode gets the same bits, and its own setting is restored
 * afterwards. */
#ifndef MOTE_BASE_FPU_H
#define MOTE_BASE_FPU_H

#include "base/compiler.h"

typedef uint64_t mote_fpu_state;

#if defined(__x86_64__)
#define MOTE_FPU_DEFAULT 0x1f80u /* all exceptions masked, round to nearest, no FTZ, no DAZ */
static inline mote_fpu_state mote_fpu_enter(void) {
    uint32_t saved = __builtin_ia32_stmxcsr();
    if ((saved & ~0x3fu) != MOTE_FPU_DEFAULT) __builtin_ia32_ldmxcsr(MOTE_FPU_DEFAULT);
    return saved;
}
static inline void mote_fpu_leave(mote_fpu_state saved) {
    if (((uint32_t)saved & ~0x3fu) != MOTE_FPU_DEFAULT) __builtin_ia32_ldmxcsr((uint32_t)saved);
}
#elif defined(__aarch64__)
static inline mote_fpu_state mote_fpu_enter(void) {
    uint64_t saved, defaults = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved) : : "memory");
    __asm__ volatile("msr fpcr, %0" : : "r"(defaults) : "memory");
    return saved;
}
static inline void mote_fpu_leave(mote_fpu_state saved) {
    __asm__ volatile("msr fpcr, %0" : : "r"(saved) : "memory");
}
#else
static inline mote_fpu_state mote_fpu_enter(void) { return 0; }
static inline void mote_fpu_leave(mote_fpu_state saved) { (void)saved; }
#endif

#endif
