/* Travel of colliders, emitters, roots, pins and rest lengths towards their targets between two ticks.
 * mote/transform.h defines ticks and targets. Until an advance begins, to_tick may be MOTE_NEXT_ADVANCE: the
 * target is pending, and nothing moves.
 *
 * Ticks count modulo 2^64 and are compared by their signed difference, so that a travel is at most 2^63 - 1
 * ticks long (17.8 h at {143981, 1000} steps per second). An arrival is kept before it lies 2^63 ticks back:
 * the clock has the system keep all arrivals once in MOTE_KEEP_TICKS (system/step.c), which makes both ticks
 * equal. A travel of no ticks has arrived, at any time. */
#ifndef MOTE_BASE_TRAVEL_H
#define MOTE_BASE_TRAVEL_H

#include <mote/transform.h>

#include "base/compiler.h"
#include "base/hash.h"

typedef struct mote_travel {
    uint64_t from_tick, to_tick;
} mote_travel;

MOTE_INLINE bool mote_travel_is_pending(uint64_t to_tick) { return to_tick == MOTE_NEXT_ADVANCE; }

/* Resolves a pending target at the start of an advance that will end at end_tick; at MOTE_NEXT_ADVANCE, where
 * no step runs, it stays pending. */
MOTE_INLINE void mote_travel_resolve(uint64_t *to_tick, uint64_t end_tick) {
    if (mote_travel_is_pending(*to_tick)) *to_tick = end_tick;
}

/* Ticks within which every arrival is kept. A step has fewer than 2^62. */
#define MOTE_KEEP_TICKS ((uint64_t)1 << 60)

MOTE_INLINE bool mote_travel_has_arrived(uint64_t from_tick, uint64_t to_tick, uint64_t now) {
    if (mote_travel_is_pending(to_tick)) return false;
    return from_tick == to_tick || (int64_t)(now - to_tick) >= 0;
}

/* Makes both ticks equal if the travel has arrived by `now`. */
MOTE_INLINE void mote_travel_keep_arrival(uint64_t *from_tick, uint64_t *to_tick, uint64_t now) {
    if (mote_travel_has_arrived(*from_tick, *to_tick, now)) *from_tick = *to_tick;
}

/* Returns the share of the travel completed `within` ticks after step_tick, in [0, 1]: 0 if it is pending, 1
 * if to_tick is not after from_tick. */
MOTE_INLINE double mote_travel_share(uint64_t from_tick, uint64_t to_tick, uint64_t step_tick,
                                     double within) {
    if (mote_travel_is_pending(to_tick)) return 0;
    if ((int64_t)(to_tick - from_tick) <= 0) return 1;
    const double passed = (double)(int64_t)(step_tick - from_tick) + within;
    const double share = passed / (double)(to_tick - from_tick);
    return share < 0 ? 0 : share < 1 ? share : 1;
}

/* Returns the same, rounded. */
MOTE_INLINE float mote_travel_fraction(uint64_t from_tick, uint64_t to_tick, uint64_t step_tick,
                                       double within) {
    return (float)mote_travel_share(from_tick, to_tick, step_tick, within);
}

/* Returns from + fraction (to - from), and `to` itself at fraction 1. */
MOTE_INLINE float mote_travel_between(float from, float to, float fraction) {
    return fraction < 1 ? from + fraction * (to - from) : to;
}

/* Returns the hash of values that travel from `from` to `to`, `bytes` each, chained after `seed`. */
MOTE_INLINE uint64_t mote_travel_hash(uint64_t seed, const void *from, const void *to, size_t bytes,
                                      const mote_travel *travel) {
    const uint64_t values = mote_hash_words(mote_hash_words(seed, from, bytes), to, bytes);
    const uint64_t hash = mote_hash_number(mote_hash_number(values, travel->from_tick), travel->to_tick);
    return mote_hash_number(hash, mote_travel_is_pending(travel->to_tick));
}

#endif
