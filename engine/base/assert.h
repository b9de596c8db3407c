/* Assertions check invariants of the engine itself, never values that a host passes in. Release builds omit
 * them; debug and sanitizer builds trap where one fails. */
#ifndef MOTE_BASE_ASSERT_H
#define MOTE_BASE_ASSERT_H

#if defined(MOTE_ASSERTIONS)
#define MOTE_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define MOTE_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

/* Returns false from a validator if a claim fails. */
#define MOTE_CLAIM(condition)                                                                                \
    do {                                                                                                     \
        if (!(condition)) return false;                                                                      \
    } while (0)

#endif
