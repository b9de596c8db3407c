/* Travel between ticks: of colliders, roots, pins and rest lengths towards their targets. mote/transform.h
 * says which tick and target these are. */
#ifndef MOTE_BASE_TRAVEL_H
#define MOTE_BASE_TRAVEL_H

#include <mote/transform.h>

#include "base/compiler.h"
#include "base/hash.h"

typedef struct mote_travel {
    uint64_t from_tick, to_tick;
    bool pending; /* to_tick is the end of the next advance; until that begins, nothing moves */
} mote_travel;

/* From the boundary `now` to `tick`, which may be MOTE_NEXT_ADVANCE. */
MOTE_INLINE mote_travel mote_travel_to(uint64_t now, uint64_t tick) {
    return (mote_travel){.from_tick = now, .to_tick = tick, .pending = tick == MOTE_NEXT_ADVANCE};
}

/* The next advance has begun and will end at end_tick. */
MOTE_INLINE void mote_travel_resolve(mote_travel *travel, uint64_t end_tick) {
    if (travel->pending) travel->to_tick = end_tick;
    travel->pending = false;
}

/* The share of the way done `within` ticks after step_tick, in [0, 1]; 1 if to_tick <= from_tick. */
MOTE_INLINE float mote_travel_fraction(uint64_t from_tick, uint64_t to_tick, uint64_t step_tick,
                                       double within) {
    if (to_tick <= from_tick) return 1.0f;
    const double passed = (double)(int64_t)(step_tick - from_tick) + within;
    const double fraction = passed / (double)(to_tick - from_tick);
    return (float)(fraction < 0 ? 0 : fraction < 1 ? fraction : 1);
}

/* from + fraction (to - from); `to` itself at the end. */
MOTE_INLINE float mote_travel_between(float from, float to, float fraction) {
    return fraction < 1 ? from + fraction * (to - from) : to;
}

/* The hash of it after `seed`. */
MOTE_INLINE uint64_t mote_travel_hash(uint64_t seed, const mote_travel *travel) {
    const uint64_t hash = mote_hash_number(mote_hash_number(seed, travel->from_tick), travel->to_tick);
    return mote_hash_number(hash, travel->pending);
}

#endif
