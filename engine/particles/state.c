/* State of loose particles in snapshots and in hashes of chunks.
 *
 * The id table is not stored: the entries of living particles follow from their ids; of the entries of free
 * ids, whose slot is 0, the generations are stored. Fates follow from the list of killed slots, since between
 * steps nothing else dies. */
#include <string.h>

#include "base/archive.h"
#include "base/hash.h"
#include "particles/particles.h"

enum { COUNTS, KILLED, FREE_IDS, FREE_GENERATIONS, LOST_IDS }; /* sections before the columns */
enum { FORCES = 1, TORQUES = 2 };                              /* bits of counts.external */

/* Words of COUNTS. lost: indices whose generations are used up and that left the stack of free ids. */
typedef struct counts {
    uint32_t slots, started, used_ids, free_ids, lost_ids, killed, external;
} counts;
#define WORDS ((uint32_t)(sizeof(counts) / 4))

static counts counts_of(const mote_particles *p) {
    const uint32_t slots = p->range.slot_count;
    return (counts){.slots = slots,
                    .started = p->started,
                    .used_ids = p->used_ids,
                    .free_ids = p->free_ids,
                    .lost_ids = p->ids ? p->used_ids - p->free_ids - slots : 0,
                    .killed = p->pending_kills,
                    .external = (p->external_forces_marked ? FORCES : 0u) |
                                (p->external_torques_marked ? TORQUES : 0u)};
}

static bool check_counts(const mote_particles *p, const counts *c, mote_archive *a) {
    const uint64_t ids = p->ids ? (uint64_t)c->slots + c->free_ids + c->lost_ids : 0;
    const uint32_t external = (p->element_bytes[MOTE_COLUMN_EXTERNAL_FORCE] ? FORCES : 0u) |
                              (p->element_bytes[MOTE_COLUMN_EXTERNAL_TORQUE] ? TORQUES : 0u);
    if (c->slots > p->capacity || c->used_ids > p->capacity)
        return mote_archive_refuse(a, MOTE_ERROR_CAPACITY, COUNTS, MOTE_NO_ITEM, "capacity");
    if (c->used_ids != ids || c->killed > c->slots || c->started > c->slots || (c->external & ~external) ||
        (!p->ids && (c->free_ids || c->lost_ids)))
        return mote_archive_refuse(a, MOTE_ERROR_FILE, COUNTS, MOTE_NO_ITEM, "counts");
    return true;
}

/* --- Columns --- */

/* Returns whether a column is stored. */
static bool is_stored(const mote_particles *p, int id, uint32_t external) {
    if (id >= MOTE_COLUMN_EXTERNAL_FORCE && id < MOTE_COLUMN_EXTERNAL_FORCE + 3) return external & FORCES;
    if (id >= MOTE_COLUMN_EXTERNAL_TORQUE && id < MOTE_COLUMN_EXTERNAL_TORQUE + 3) return external & TORQUES;
    return p->element_bytes[id] && id != MOTE_COLUMN_FATE;
}

/* Returns the section of the ids, in tasks that read. */
static const unsigned char *visit_columns(const mote_particles *p, const counts *c, mote_archive *a) {
    const unsigned char *ids = NULL;
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++) {
        if (!is_stored(p, id, c->external)) continue;
        if (id == MOTE_COLUMN_ID) ids = mote_archive_next(a);
        mote_archive_array(a, MOTE_ARCHIVE_COLUMNS + (uint32_t)id, p->column[id], c->slots,
                           p->element_bytes[id], mote_particles_word(p, id));
    }
    return ids;
}

/* --- Ids and fates --- */

/* The sections of ids and fates of a snapshot that is read. */
typedef struct id_sections {
    const unsigned char *killed, *free, *generations, *lost, *ids;
} id_sections;

/* Marks of indices: the death lists, which are free between steps. */
static uint8_t *cleared_marks(const mote_particles *p, uint32_t count) {
    return count ? memset(p->death, 0, count) : p->death;
}

/* Writes the indices that are neither of a particle nor on the stack. */
static void write_lost(const mote_particles *p, unsigned char *at) {
    const mote_particle_id *id = p->column[MOTE_COLUMN_ID];
    uint8_t *marks = cleared_marks(p, p->used_ids);
    uint64_t next = 0;
    for (uint32_t slot = 0; slot < p->range.slot_count; slot++) marks[id[slot].index] = 1;
    for (uint32_t i = 0; i < p->free_ids; i++) marks[p->free_id[i]] = 1;
    for (uint32_t i = 0; i < p->used_ids; i++)
        if (!marks[i]) mote_word_store(at, next++, i);
}

static void write_killed(const mote_particles *p, unsigned char *at) {
    const uint8_t *fate = mote_particles_fate(p);
    uint64_t next = 0;
    for (uint32_t slot = 0; slot < p->range.slot_count; slot++)
        if (fate[slot] == MOTE_FATE_KILLED) mote_word_store(at, next++, slot);
}

static void write_generations(const mote_particles *p, unsigned char *at) {
    for (uint32_t i = 0; i < p->free_ids; i++) mote_word_store(at, i, p->ids[p->free_id[i]].generation);
}

static id_sections visit_ids(const mote_particles *p, const counts *c, mote_archive *a) {
    unsigned char *killed = mote_archive_section(a, KILLED, 4, 4 * (uint64_t)c->killed);
    if (a->task == MOTE_ARCHIVE_WRITE && c->killed) write_killed(p, killed);
    unsigned char *free_ids = mote_archive_section(a, FREE_IDS, 4, 4 * (uint64_t)c->free_ids);
    if (a->task == MOTE_ARCHIVE_WRITE) mote_words_store(free_ids, 0, p->free_id, c->free_ids);
    unsigned char *generations = mote_archive_section(a, FREE_GENERATIONS, 4, 4 * (uint64_t)c->free_ids);
    if (a->task == MOTE_ARCHIVE_WRITE) write_generations(p, generations);
    unsigned char *lost = mote_archive_section(a, LOST_IDS, 4, 4 * (uint64_t)c->lost_ids);
    if (a->task == MOTE_ARCHIVE_WRITE && c->lost_ids) write_lost(p, lost);
    return (id_sections){killed, free_ids, generations, lost, NULL};
}

static bool check_killed(const counts *c, const id_sections *s, mote_archive *a) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < c->killed; i++) {
        const uint32_t slot = mote_word_load(s->killed, i);
        if (slot >= c->slots || (i && slot <= last))
            return mote_archive_refuse(a, MOTE_ERROR_FILE, KILLED, i, "slot");
        last = slot;
    }
    return true;
}

/* Marks the indices of a section. Returns false if one is not in use. */
static bool mark_ids(uint8_t *marks, const counts *c, const unsigned char *section, uint32_t count) {
    bool legal = true;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t index = mote_word_load(section, i);
        legal &= index < c->used_ids;
        marks[index < c->used_ids ? index : 0] = 1;
    }
    return legal;
}

/* Checks that every index in use is of one particle, or once on the stack of free ids, or lost: as many are
 * marked as there are, so none is marked twice if none is missing. No generation is 0: {0, 0} names nothing.
 */
static void check_ids(const mote_particles *p, const counts *c, const id_sections *s, mote_archive *a) {
    uint8_t *const marks = cleared_marks(p, c->used_ids);
    const unsigned char *const ids = s->ids;
    const uint32_t slots = c->slots, used = c->used_ids;
    bool legal = true;
    if (!used) return;
    for (uint64_t slot = 0; slot < slots; slot++) {
        const uint32_t index = mote_word_load(ids, 2 * slot);
        const uint32_t generation = mote_word_load(ids, 2 * slot + 1);
        legal &= (index < used) & (generation > 0) & (generation < UINT32_MAX);
        marks[index < used ? index : 0] = 1;
    }
    for (uint64_t i = 0; i < c->free_ids; i++) legal &= mote_word_load(s->generations, i) > 0;
    legal &= mark_ids(marks, c, s->free, c->free_ids);
    legal &= mark_ids(marks, c, s->lost, c->lost_ids);
    if (legal && !memchr(marks, 0, c->used_ids)) return;
    mote_archive_refuse(a, MOTE_ERROR_FILE, MOTE_ARCHIVE_COLUMNS + MOTE_COLUMN_ID, MOTE_NO_ITEM, "ids");
}

/* Fills the id table and the stack of free ids, and counts the retired indices. */
static void read_ids(mote_particles *p, const counts *c, const id_sections *s) {
    const mote_particle_id *const id = p->column[MOTE_COLUMN_ID];
    mote_id_entry *const entries = p->ids;
    const uint32_t slots = c->slots;
    p->retired = 0;
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (slot + 128 < slots) __builtin_prefetch(&entries[id[slot + 128].index], 1);
        entries[id[slot].index] = (mote_id_entry){slot, id[slot].generation};
    }
    for (uint32_t i = 0; i < c->killed; i++) {
        mote_id_entry *entry = &p->ids[id[mote_word_load(s->killed, i)].index];
        p->retired += ++entry->generation == UINT32_MAX;
    }
    mote_words_load(p->free_id, s->free, 0, c->free_ids);
    for (uint32_t i = 0; i < c->free_ids; i++) {
        const uint32_t generation = mote_word_load(s->generations, i);
        p->ids[p->free_id[i]] = (mote_id_entry){0, generation};
        p->retired += generation == UINT32_MAX;
    }
    for (uint32_t i = 0; i < c->lost_ids; i++)
        p->ids[mote_word_load(s->lost, i)] = (mote_id_entry){0, UINT32_MAX};
}

static void read_counts(mote_particles *p, const counts *c, const id_sections *s) {
    uint8_t *fate = mote_particles_fate(p);
    p->range.slot_count = c->slots;
    p->started = c->started;
    p->used_ids = c->used_ids;
    p->free_ids = c->free_ids;
    p->pending_kills = c->killed;
    p->external_forces_marked = c->external & FORCES;
    p->external_torques_marked = c->external & TORQUES;
    memset(fate, MOTE_FATE_ALIVE, c->slots);
    for (uint32_t i = 0; i < c->killed; i++) fate[mote_word_load(s->killed, i)] = MOTE_FATE_KILLED;
    if (p->ids) read_ids(p, c, s);
    mote_particles_forces_changed(p);
}

void mote_particles_archive(mote_range *range, mote_archive *a) {
    mote_particles *p = mote_particles_of(range);
    counts c = counts_of(p);
    (void)mote_archive_words(a, COUNTS, (uint32_t *)(void *)&c, WORDS);
    if (a->task == MOTE_ARCHIVE_CHECK && !a->result) check_counts(p, &c, a);
    id_sections s = visit_ids(p, &c, a);
    s.ids = visit_columns(p, &c, a);
    if (a->result || !mote_archive_reads(a)) return;
    if (a->task == MOTE_ARCHIVE_CHECK && check_killed(&c, &s, a) && p->ids) check_ids(p, &c, &s, a);
    if (a->task == MOTE_ARCHIVE_READ) read_counts(p, &c, &s);
}

/* --- Hashes of chunks --- */

uint32_t mote_particles_count_items(const mote_range *range, bool springs) {
    return springs ? 0 : range->slot_count;
}

uint64_t mote_particles_hash_items(const mote_range *range, bool springs, uint32_t first, uint32_t count) {
    (void)springs;
    const mote_particles *p = mote_const_particles_of(range);
    uint64_t hash = 0;
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++)
        if (mote_particles_is_state(p, id))
            hash = mote_hash_array(
                hash, (const unsigned char *)p->column[id] + (size_t)first * p->element_bytes[id],
                (size_t)count * p->element_bytes[id], mote_particles_word(p, id));
    for (uint32_t slot = first; slot < first + count; slot++)
        hash = mote_hash_number(hash, slot < p->started);
    return hash;
}

uint64_t mote_particles_hash_calls(const mote_particles *p, uint64_t hash) {
    const counts c = counts_of(p);
    hash = mote_hash_words(hash, &c, sizeof c);
    return p->pending_kills ? mote_hash_pieces(hash, mote_particles_fate(p), c.slots) : hash;
}

uint64_t mote_particles_hash_columns(const mote_particles *p, bool all, bool forces, uint64_t hash) {
    const uint32_t external = forces ? counts_of(p).external : 0;
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++) {
        if (is_stored(p, id, external) && (all || mote_particles_is_life(id)))
            hash = mote_hash_pieces(hash, p->column[id], (size_t)p->range.slot_count * p->element_bytes[id]);
    }
    return hash;
}

uint64_t mote_particles_hash_counts(const mote_range *range, uint64_t hash) {
    const mote_particles *p = mote_const_particles_of(range);
    const counts c = counts_of(p);
    hash = mote_hash_words(hash, &c, sizeof c);
    hash = mote_hash_words(hash, p->free_id, p->free_ids * sizeof *p->free_id);
    return mote_hash_words(hash, p->ids, p->used_ids * sizeof *p->ids);
}
