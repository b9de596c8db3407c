/* Compaction at step boundaries. */
#include "life/compaction.h"

#include <string.h>

/* The next slot at or after `slot` that has some fate; `count` if there is none. Eight slots at a time. */
static uint32_t next_fated(const uint8_t *fate, uint32_t slot, uint32_t count) {
    while (slot < count) {
        uint64_t eight;
        if (count - slot >= 8 && (memcpy(&eight, fate + slot, 8), eight == 0)) {
            slot += 8;
            continue;
        }
        if (fate[slot]) return slot;
        slot++;
    }
    return count;
}

/* Ends and frees the handles of the dead, in slot order, and counts them. */
static uint32_t bury(mote_particles *particles, uint8_t wanted) {
    const uint8_t *fate = mote_particles_fate(particles);
    uint32_t dead = 0;
    for (uint32_t slot = 0; (slot = next_fated(fate, slot, particles->count)) < particles->count; slot++) {
        if (fate[slot] != wanted) continue;
        if (wanted != MOTE_FATE_KILLED) mote_particles_end_handle(particles, slot);
        mote_particles_free_handle(particles, slot);
        dead++;
    }
    return dead;
}

#define PAIRS 256

uint32_t mote_life_compact(mote_particles *particles, uint8_t wanted) {
    const uint8_t *fate = mote_particles_fate(particles);
    uint32_t dead = bury(particles, wanted);
    if (dead == 0) return 0;

    uint32_t kept = particles->count - dead, hole = 0, survivor = kept;
    for (;;) {
        uint32_t from[PAIRS], to[PAIRS], pairs = 0;
        for (; pairs < PAIRS && (hole = next_fated(fate, hole, kept)) < kept; hole++) {
            if (fate[hole] != wanted) continue;
            while (fate[survivor] == wanted) survivor++;
            from[pairs] = survivor++;
            to[pairs++] = hole;
        }
        if (pairs == 0) break;
        mote_particles_move(particles, from, to, pairs);
    }
    particles->count = kept;
    if (wanted == MOTE_FATE_KILLED) particles->pending_kills = 0;
    mote_particles_seal(particles);
    return dead;
}
