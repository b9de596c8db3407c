/* The floating-point control word of a host that has settings of its own. */
#ifndef MOTE_TESTS_HOST_CONTROL_H
#define MOTE_TESTS_HOST_CONTROL_H

#include <fenv.h>

#include "test.h"

/* The control register that flushes denormal numbers to zero, its bits for that, and its flags of exceptions,
 * which are no settings. */
#if defined(__x86_64__) || defined(__i386__)
#define FLUSH ((uint64_t)0x8040)
#define FLAGS ((uint64_t)0x3f)
static inline uint64_t read_word(void) { return __builtin_ia32_stmxcsr(); }
static inline void write_word(uint64_t word) { __builtin_ia32_ldmxcsr((uint32_t)word); }
#elif defined(__aarch64__)
#define FLUSH ((uint64_t)1 << 24)
#define FLAGS ((uint64_t)0)
static inline uint64_t read_word(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word) : : "memory");
    return word;
}
static inline void write_word(uint64_t word) { __asm__ volatile("msr fpcr, %0" : : "r"(word) : "memory"); }
#elif defined(__arm__)
#define FLUSH ((uint64_t)1 << 24)
#define FLAGS ((uint64_t)0xf000009f)
static inline uint64_t read_word(void) {
    uint32_t word;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(word) : : "memory");
    return word;
}
static inline void write_word(uint64_t word) {
    __asm__ volatile("vmsr fpscr, %0" : : "r"((uint32_t)word) : "memory", "cc");
}
#elif defined(__mips__)
#define FLUSH ((uint64_t)1 << 24)
#define FLAGS ((uint64_t)0x0083f07c) /* and the condition of the last comparison */
static inline uint64_t read_word(void) {
    uint32_t word;
    __asm__ volatile("cfc1 %0, $31" : "=r"(word) : : "memory");
    return word & ~0xfe000000u; /* further conditions */
}
static inline void write_word(uint64_t word) {
    __asm__ volatile("ctc1 %0, $31" : : "r"((uint32_t)word) : "memory");
}
#else                                /* no such register, or none that programs write */
#define FLUSH ((uint64_t)0)
#define FLAGS ((uint64_t)0)
static inline uint64_t read_word(void) { return 0; }
static inline void write_word(uint64_t word) { (void)word; }
#endif

/* The host's settings before a hostile stretch. */
typedef struct host {
    fenv_t environment;
    uint64_t word;
} host;

/* Sets a rounding mode, and flush to zero where the processor has it. */
static inline host make_hostile(int rounding) {
    host saved = {.word = read_word()};
    ASSERT(fegetenv(&saved.environment), ==, 0);
    ASSERT(fesetround(rounding), ==, 0);
    write_word(read_word() | FLUSH);
    return saved;
}

static inline void make_calm(const host *saved) {
    fesetenv(&saved->environment);
    write_word(saved->word);
}

#endif
