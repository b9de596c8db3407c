/* Travel of colliders, roots, pins and rest lengths towards their targets between two ticks. mote/transform.h
 * defines ticks and targets. */
#ifndef MOTE_BASE_TRAVEL_H
#define MOTE_BASE_TRAVEL_H

#include <mote/transform.h>

#include "base/compiler.h"
#include "base/hash.h"

typedef struct mote_travel {
    uint64_t from_tick, to_tick;
    bool pending; /* to_tick will be the end of the next advance; nothing moves before it begins */
} mote_travel;

/* Returns the travel from the boundary `now` to `tick`, which may be MOTE_NEXT_ADVANCE. */
MOTE_INLINE mote_travel mote_travel_to(uint64_t now, uint64_t tick) {
    return (mote_travel){.from_tick = now, .to_tick = tick, .pending = tick == MOTE_NEXT_ADVANCE};
}

/* Resolves a pending target at the start of an advance that will end at end_tick. */
MOTE_INLINE void mote_travel_resolve(mote_travel *travel, uint64_t end_tick) {
    if (travel->pending) travel->to_tick = end_tick;
    travel->pending = false;
}

/* Returns the fraction of the travel completed `within` ticks after step_tick, in [0, 1]; 1 if to_tick <=
 * from_tick. */
MOTE_INLINE float mote_travel_fraction(uint64_t from_tick, uint64_t to_tick, uint64_t step_tick,
                                       double within) {
    if (to_tick <= from_tick) return 1.0f;
    const double passed = (double)(int64_t)(step_tick - from_tick) + within;
    const double fraction = passed / (double)(to_tick - from_tick);
    return (float)(fraction < 0 ? 0 : fraction < 1 ? fraction : 1);
}

/* Returns from + fraction (to - from), and `to` itself at fraction 1. */
MOTE_INLINE float mote_travel_between(float from, float to, float fraction) {
    return fraction < 1 ? from + fraction * (to - from) : to;
}

/* Returns the hash of the travel, chained after `seed`. */
MOTE_INLINE uint64_t mote_travel_hash(uint64_t seed, const mote_travel *travel) {
    const uint64_t hash = mote_hash_number(mote_hash_number(seed, travel->from_tick), travel->to_tick);
    return mote_hash_number(hash, travel->pending);
}

#endif
