/* Assertions: invariants of the engine itself, never of values that a host passes in. Off in release builds;
 * debug and sanitizer builds stop where one does not hold. */
#ifndef MOTE_BASE_ASSERT_H
#define MOTE_BASE_ASSERT_H

#if defined(MOTE_ASSERTIONS)
#define MOTE_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define MOTE_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

/* In a validator, which returns whether all of its claims hold. */
#define MOTE_CLAIM(condition)                                                                                \
    do {                                                                                                     \
        if (!(condition)) return false;                                                                      \
    } while (0)

#endif
