/* Compaction: removes dead particles at a step boundary; survivors from the last slots fill the holes. */
#include "particles/compaction.h"

#include <string.h>

#include "particles/events.h"
#include "particles/meet.h"

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

void mote_filler_begin(mote_filler *filler, const mote_compaction *compaction, size_t first) {
    filler->compaction = compaction;
    filler->next = MOTE_NO_SLOT;
    filler->rank = 0;
    for (size_t block = 0; block < first / MOTE_BLOCK; block++)
        filler->rank += compaction->particles->deaths[block];
}

/* Lists the dead particles of one block. */
static void list_block(mote_filler *filler, uint32_t base, uint32_t deaths) {
    const uint8_t *list = filler->compaction->particles->death + base;
    uint32_t *slot = filler->slot + filler->count;
    for (uint32_t k = 0; k < deaths; k++) slot[k] = base + list[k];
    filler->count += deaths;
}

/* Finds the survivors for the holes among the listed slots. */
static void list_survivors(mote_filler *filler) {
    const mote_compaction *c = filler->compaction;
    filler->holes = filler->count;
    while (filler->holes && filler->slot[filler->holes - 1] >= c->kept) filler->holes--;
    if (filler->holes && filler->next == MOTE_NO_SLOT) filler->next = survivor_of(c, filler->rank);
    uint32_t next = filler->next;
    for (uint32_t i = 0; i < filler->holes; i++) {
        while (!survives(c, next)) next++;
        filler->survivor[i] = next++;
    }
    filler->next = next;
}

/* Lists the dead particles of slots [first, end), at most MOTE_FILLER_SLOTS: whole blocks that follow those
 * of the previous call. */
static void list(mote_filler *filler, size_t first, size_t end) {
    const mote_particles *particles = filler->compaction->particles;
    filler->count = 0;
    for (size_t base = first; base < end; base += MOTE_BLOCK)
        list_block(filler, (uint32_t)base, particles->deaths[base / MOTE_BLOCK]);
    list_survivors(filler);
}

/* Removes the listed particles. Their slots and those of all survivors have been stepped. */
static void remove_listed(mote_filler *filler) {
    const mote_compaction *c = filler->compaction;
    mote_events_deaths(c->particles, c->fate, filler->slot, filler->count, filler->rank);
    mote_particles_retire_ids(c->particles, filler->slot, filler->count, filler->rank);
    mote_particles_move(c->particles, filler->survivor, filler->slot, filler->holes);
    mote_particles_clear_ids(c->particles, filler->count, filler->rank, c->fate);
    filler->rank += filler->count;
}

void mote_filler_run(mote_filler *filler, size_t first, size_t end) {
    for (size_t from = first; from < end; from += MOTE_FILLER_SLOTS) {
        list(filler, from, end - from < MOTE_FILLER_SLOTS ? end : from + MOTE_FILLER_SLOTS);
        remove_listed(filler);
    }
}

/* Lets the ranks of a cluster exchange the survivors whose holes have other owners. Its moves would take 64
 * KB of the stack of every system. */
MOTE_OUTLINE void meet_survivors(const mote_compaction *compaction) {
    const uint32_t end = compaction->particles->range.slot_count;
    mote_moves moves;
    mote_filler filler;
    moves.particles = compaction->particles, moves.count = 0;
    mote_filler_begin(&filler, compaction, 0);
    for (uint32_t first = 0; first < end; first += MOTE_FILLER_SLOTS) {
        list(&filler, first, end - first < MOTE_FILLER_SLOTS ? end : first + MOTE_FILLER_SLOTS);
        mote_moves_add(&moves, filler.survivor, filler.slot, filler.holes);
        filler.rank += filler.count;
    }
    mote_moves_end(&moves);
}

void mote_compaction_fill(const mote_compaction *compaction) {
    mote_filler filler;
    if (compaction->particles->range.peers) meet_survivors(compaction);
    mote_filler_begin(&filler, compaction, 0);
    mote_filler_run(&filler, 0, compaction->particles->range.slot_count);
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
    mote_compaction_fill(&compaction);
    mote_compaction_end(&compaction);
    if (fate == MOTE_FATE_KILLED) particles->pending_kills = 0;
    return dead;
}
