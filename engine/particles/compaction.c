/* Compaction: removes dead particles at a step boundary; survivors from the last slots fill the holes. */
#include "particles/compaction.h"

#include <string.h>

#include "particles/events.h"

/* Returns the first slot from `slot` on whose particle is not MOTE_FATE_ALIVE, or `count`. Tests eight slots
 * at a time. */
static uint32_t next_with_fate(const uint8_t *fate, uint32_t slot, uint32_t count) {
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

static uint32_t block_count(const mote_particles *particles) {
    return (particles->range.slot_count + MOTE_BLOCK - 1) / MOTE_BLOCK;
}

/* Writes the offsets of the slots whose fate is `fate` into the death lists of all blocks; returns their
 * number. */
static uint32_t list_fates(mote_particles *particles, uint8_t wanted) {
    const uint8_t *fate = mote_particles_fate(particles);
    uint32_t dead = 0;
    memset(particles->deaths, 0, block_count(particles) * sizeof *particles->deaths);
    for (uint32_t slot = 0;
         (slot = next_with_fate(fate, slot, particles->range.slot_count)) < particles->range.slot_count;
         slot++) {
        if (fate[slot] != wanted) continue;
        uint32_t block = slot / MOTE_BLOCK;
        particles->death[(size_t)block * MOTE_BLOCK + particles->deaths[block]++] =
            (uint8_t)(slot % MOTE_BLOCK);
        dead++;
    }
    return dead;
}

static bool survives(const mote_compaction *c, uint32_t slot) {
    return mote_particles_fate(c->particles)[slot] != c->fate;
}

/* Returns the slot of survivor number `rank`, counted from 0 at slot `kept`. Skips blocks by their counts of
 * deaths. */
static uint32_t survivor_of(const mote_compaction *c, uint32_t rank) {
    for (uint32_t slot = c->kept;; slot++) {
        while (slot % MOTE_BLOCK == 0 && rank >= MOTE_BLOCK - c->particles->deaths[slot / MOTE_BLOCK]) {
            rank -= MOTE_BLOCK - c->particles->deaths[slot / MOTE_BLOCK];
            slot += MOTE_BLOCK;
        }
        if (survives(c, slot) && rank-- == 0) return slot;
    }
}

mote_filler mote_filler_make(const mote_compaction *compaction, size_t first) {
    mote_filler filler = {.compaction = compaction, .next = MOTE_NO_SLOT};
    for (size_t block = 0; block < first / MOTE_BLOCK; block++)
        filler.rank += compaction->particles->deaths[block];
    return filler;
}

static uint32_t take_survivor(mote_filler *filler) {
    if (filler->next == MOTE_NO_SLOT) filler->next = survivor_of(filler->compaction, filler->rank);
    while (!survives(filler->compaction, filler->next)) filler->next++;
    return filler->next++;
}

/* A batch of dead particles in slot order. The first `holes` of them are below `kept`: survivors fill these
 * slots. */
typedef struct removal {
    uint32_t slot[2 * MOTE_BLOCK], survivor[2 * MOTE_BLOCK];
    uint32_t count, holes;
} removal;

static void remove_listed(mote_filler *filler, removal *b) {
    const mote_compaction *c = filler->compaction;
    mote_events_deaths(c->particles, c->fate, b->slot, b->count, filler->rank);
    mote_particles_retire_ids(c->particles, b->slot, b->count, filler->rank, c->fate != MOTE_FATE_KILLED);
    mote_particles_move(c->particles, b->survivor, b->slot, b->holes);
    filler->rank += b->count;
    b->count = b->holes = 0;
}

void mote_filler_run(mote_filler *filler, size_t first, size_t end) {
    const mote_compaction *c = filler->compaction;
    removal b;
    b.count = b.holes = 0;
    for (size_t base = first; base < end; base += MOTE_BLOCK) {
        const uint8_t *list = c->particles->death + base;
        const uint32_t deaths = c->particles->deaths[base / MOTE_BLOCK];
        for (uint32_t k = 0; k < deaths; k++) {
            uint32_t slot = (uint32_t)base + list[k];
            if (slot < c->kept) b.survivor[b.holes++] = take_survivor(filler);
            b.slot[b.count++] = slot;
        }
        if (b.count >= MOTE_BLOCK) remove_listed(filler, &b);
    }
    remove_listed(filler, &b);
}

void mote_compaction_end(const mote_compaction *c) {
    c->particles->range.slot_count = c->kept;
    if (c->particles->started > c->kept) c->particles->started = c->kept;
    if (c->particles->ids) c->particles->free_ids += c->dead;
    mote_events_end_deaths(c->particles->events, c->dead);
    mote_particles_seal(c->particles);
}

uint32_t mote_particles_compact(mote_particles *particles, uint8_t fate) {
    uint32_t dead = list_fates(particles, fate);
    if (dead == 0) return 0;
    mote_compaction compaction = mote_compaction_begin(particles, fate, dead);
    mote_filler filler = mote_filler_make(&compaction, 0);
    mote_filler_run(&filler, 0, particles->range.slot_count);
    mote_compaction_end(&compaction);
    if (fate == MOTE_FATE_KILLED) particles->pending_kills = 0;
    return dead;
}
