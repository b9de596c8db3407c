/* State of networks in snapshots. */
#include <string.h>

#include "base/check.h"
#include "networks/layout_plan.h"

enum { COUNTS, PINS, SPRINGS, REELS, TORN };

#define MAX_SUBSTEPS 4096u

/* Words of COUNTS. */
typedef struct counts {
    uint32_t signature[2], started, substeps, damped, tears, rigid, spring_end, pins, reels, torn;
    uint32_t report_substeps, capped, report_torn, frozen, iterations[2], linear[2], unsolved;
    float residual;
} counts;
#define WORDS ((uint32_t)(sizeof(counts) / 4))

static counts counts_of(const mote_network *n) {
    const mote_network_step_report *r = &n->report;
    counts c = {.started = n->range.started,
                .substeps = n->substeps,
                .damped = n->damped,
                .tears = n->tears,
                .rigid = n->rigid,
                .spring_end = n->spring_end,
                .pins = n->range.pins.count,
                .reels = n->reels.count,
                .torn = n->torn_count,
                .report_substeps = r->substeps,
                .capped = r->capped,
                .report_torn = r->torn,
                .frozen = r->frozen,
                .unsolved = r->unsolved,
                .residual = r->residual};
    mote_words_split(n->signature, c.signature);
    mote_words_split(r->iterations, c.iterations);
    mote_words_split(r->linear, c.linear);
    return c;
}

static void read_counts(mote_network *n, const counts *c) {
    n->range.started = c->started;
    n->substeps = c->substeps;
    n->damped = c->damped, n->tears = c->tears, n->rigid = c->rigid;
    n->torn_count = c->torn;
    n->report = (mote_network_step_report){.substeps = c->report_substeps,
                                           .capped = c->capped,
                                           .torn = c->report_torn,
                                           .frozen = c->frozen,
                                           .iterations = mote_words_join(c->iterations),
                                           .linear = mote_words_join(c->linear),
                                           .unsolved = c->unsolved,
                                           .residual = c->residual};
}

static bool check_counts(const mote_network *n, const counts *c, mote_archive *a) {
    const bool flags = (c->started | c->damped | c->tears | c->rigid | c->capped) <= 1;
    if (mote_words_join(c->signature) != n->signature)
        return mote_archive_refuse(a, MOTE_ERROR_FOREIGN, COUNTS, MOTE_NO_ITEM, "def");
    if (flags && c->substeps <= MAX_SUBSTEPS && (c->substeps || !c->started) &&
        c->spring_end <= n->def.spring_capacity && c->torn <= n->def.spring_capacity)
        return true;
    return mote_archive_refuse(a, MOTE_ERROR_FILE, COUNTS, MOTE_NO_ITEM, "counts");
}

/* --- Springs and islands --- */

/* Returns the number of 6 words of a spring, in a section of them. */
static mote_network_topology visit_springs(const mote_network *n, const counts *c, mote_archive *a) {
    const uint32_t end = mote_archive_reads(a) ? c->spring_end : n->spring_end;
    unsigned char *section = mote_archive_section(a, SPRINGS, 4, 24 * (uint64_t)end);
    for (uint32_t i = 0; i < end && a->task == MOTE_ARCHIVE_WRITE; i++)
        mote_words_store(section, 6 * (uint64_t)i, &n->spring[i], 6);
    return (mote_network_topology){.springs = section, .spring_end = end};
}

/* Checks a spring as mote_network_add_springs does, and that its ends are particles of one island. */
static bool spring_is_legal(const mote_network *n, const mote_network_topology *t, const counts *c,
                            const mote_network_spring_state *s) {
    const char *ignored;
    const mote_spring spring = {s->a, s->b, s->rest_length, s->stiffness, s->damping, s->tear_strain};
    if (mote_network_check_spring(&spring, n->def.solver, n->range.slot_count, &ignored)) return false;
    if (n->particle_of_slot[s->a] == MOTE_NO_SLOT || n->particle_of_slot[s->b] == MOTE_NO_SLOT) return false;
    if (mote_word_load(t->islands, s->a) != mote_word_load(t->islands, s->b)) return false;
    return s->rest_length >= 0 && (c->damped || s->damping == 0) && (c->tears || s->tear_strain == 0) &&
           (c->rigid || s->stiffness != __builtin_inff());
}

static bool check_springs(const mote_network *n, const mote_network_topology *t, const counts *c,
                          mote_archive *a) {
    for (uint32_t i = 0; i < t->spring_end; i++) {
        const mote_network_spring_state s = mote_network_spring_in(t, i);
        const bool last = i + 1 == t->spring_end;
        if (s.a == MOTE_NO_SLOT ? last : !spring_is_legal(n, t, c, &s))
            return mote_archive_refuse(a, MOTE_ERROR_FILE, SPRINGS, i, "spring");
    }
    return true;
}

/* Islands have numbers of the def's; masked slots have 0. Lane groups of constrained networks are of one
 * island. */
static bool check_islands(const mote_network *n, const mote_network_topology *t, uint32_t column,
                          mote_archive *a) {
    const bool constrained = n->def.solver == MOTE_NETWORK_CONSTRAINED;
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++) {
        const uint32_t island = mote_word_load(t->islands, slot);
        const bool masked = n->particle_of_slot[slot] == MOTE_NO_SLOT;
        const bool alone =
            constrained && !masked && island != mote_word_load(t->islands, slot - slot % MOTE_GROUP);
        if (island >= n->island_count || (masked && island) || alone)
            return mote_archive_refuse(a, MOTE_ERROR_FILE, column, slot, "island");
    }
    return true;
}

/* Returns whether a snapshot has the springs and islands that the network has now. */
static bool has_topology(const mote_network *n, const mote_network_topology *t) {
    if (t->spring_end != n->spring_end) return false;
    for (uint32_t i = 0; i < t->spring_end; i++)
        if (mote_word_load(t->springs, 6 * (uint64_t)i) != n->spring[i].a ||
            mote_word_load(t->springs, 6 * (uint64_t)i + 1) != n->spring[i].b)
            return false;
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++)
        if (mote_word_load(t->islands, slot) != n->island[slot]) return false;
    return true;
}

static void reserve_topology(mote_network *n, const mote_network_topology *t, mote_archive *a) {
    n->asks_outer |= mote_network_join_blocks(n, t, false);
    if (has_topology(n, t)) return;
    const mote_result result = mote_network_rebuild_make(n, t, a->allocator);
    if (result) mote_archive_refuse(a, result, SPRINGS, MOTE_NO_ITEM, NULL);
}

/* Sets the values of springs that differ. */
static void read_values(mote_network *n, const mote_network_topology *t) {
    for (uint32_t i = 0; i < t->spring_end; i++) {
        mote_network_spring_state *s = &n->spring[i];
        const mote_network_spring_state from = mote_network_spring_in(t, i);
        if (s->a == MOTE_NO_SLOT || memcmp(&s->rest_length, &from.rest_length, 4 * sizeof(float)) == 0)
            continue;
        s->rest_length = from.rest_length, s->stiffness = from.stiffness;
        s->damping = from.damping, s->tear_strain = from.tear_strain;
        mote_network_copy_spring(n, i);
        mote_network_changed(n);
    }
}

/* --- Pins, reels, torn springs --- */

static uint32_t unit_of_pin(const void *object, const mote_pin *pin) {
    const mote_network *n = object;
    const uint32_t slot = pin->slot;
    if (slot >= n->range.slot_count || n->particle_of_slot[slot] == MOTE_NO_SLOT) return MOTE_NO_SLOT;
    return mote_network_block_of(n, slot);
}

/* The springs that reels refer to: those of the snapshot, or of the network. */
typedef struct reeled {
    const mote_network *network;
    const mote_network_topology *topology;
} reeled;

static uint32_t unit_of_reel(const void *object, const mote_pin *reel) {
    const reeled *of = object;
    const bool lengths =
        mote_value_not_negative(reel->from[0]) == MOTE_OK && mote_value_not_negative(reel->to[0]) == MOTE_OK;
    if (reel->spring >= of->topology->spring_end || !lengths) return MOTE_NO_SLOT;
    const uint32_t a = mote_word_load(of->topology->springs, 6 * (uint64_t)reel->spring);
    return a < of->network->range.slot_count ? mote_network_block_of(of->network, a) : MOTE_NO_SLOT;
}

/* Sets the inverse masses of all pinned particles: to 0, or to their own. Returns the hash of their slots. */
static uint64_t set_pinned(mote_network *n, bool pinned) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < n->range.pins.count; i++) {
        const uint32_t slot = n->range.pins.pins[i].slot;
        n->range.inverse_mass[slot] = pinned ? 0 : n->own_inverse_mass[slot];
        hash = mote_hash_number(hash, slot);
    }
    return mote_hash_number(hash, n->range.pins.count);
}

static void visit_pins(mote_network *n, const counts *c, mote_archive *a) {
    const bool reads = a->task == MOTE_ARCHIVE_READ;
    const uint64_t before = reads ? set_pinned(n, false) : 0;
    mote_pins_archive(&n->range.pins, PINS, c->pins, unit_of_pin, n, a);
    if (reads && set_pinned(n, true) != before) mote_network_changed(n);
}

static void visit_torn(mote_network *n, const counts *c, mote_archive *a) {
    const unsigned char *section = mote_archive_next(a);
    mote_archive_array(a, TORN, n->torn, c->torn, sizeof *n->torn, 4);
    for (uint32_t i = 0; i < c->torn && a->task == MOTE_ARCHIVE_CHECK && !a->result; i++)
        if (mote_word_load(section, i) >= n->def.spring_capacity)
            mote_archive_refuse(a, MOTE_ERROR_FILE, TORN, i, "spring");
}

/* --- Columns --- */

static void check_frozen(const mote_network *n, const unsigned char *frozen, const counts *c, uint32_t column,
                         mote_archive *a) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->island_count; i++) {
        count += frozen[i];
        if (frozen[i] > 1) mote_archive_refuse(a, MOTE_ERROR_FILE, column, i, "flag");
    }
    if (count != c->frozen) mote_archive_refuse(a, MOTE_ERROR_FILE, column, MOTE_NO_ITEM, "frozen");
}

static void visit_columns(mote_network *n, const counts *c, mote_network_topology *t, mote_archive *a) {
    const uint32_t slots = n->range.slot_count;
    uint32_t column = MOTE_ARCHIVE_COLUMNS;
    mote_archive_floats(a, column, n->range.x, 3, slots);
    mote_archive_floats(a, column += 3, n->range.v, 3, slots);
    mote_archive_floats(a, column += 3, n->range.previous_x, 3, slots);
    mote_archive_floats(a, column += 3, n->previous_low, 3, slots);
    mote_archive_floats(a, column += 3, n->relative_x, 3, slots);
    mote_archive_floats(a, column += 3, n->origin, 3, slots);
    mote_archive_floats(a, column += 3, n->range.reaction, 3, slots);
    t->islands = mote_archive_next(a);
    unsigned char *islands = mote_archive_section(a, column += 3, 4, 4 * (uint64_t)slots);
    if (a->task == MOTE_ARCHIVE_WRITE) mote_words_store(islands, 0, n->island, slots);
    if (a->task == MOTE_ARCHIVE_CHECK && !a->result && check_islands(n, t, column, a))
        check_springs(n, t, c, a);
    const unsigned char *frozen = mote_archive_next(a);
    if (a->task != MOTE_ARCHIVE_GATHER) /* which merges them with the report */
        mote_archive_array(a, column += 1, n->frozen, n->island_count, 1, 1);
    if (a->task == MOTE_ARCHIVE_CHECK && !a->result) check_frozen(n, frozen, c, column, a);
}

/* Masked slots are at the origin, at rest, in every legal state. */
static void clear_masked(mote_network *n) {
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++)
        for (int axis = 0; axis < 3 && n->particle_of_slot[slot] == MOTE_NO_SLOT; axis++)
            n->range.x[axis][slot] = n->range.v[axis][slot] = n->range.reaction[axis][slot] = 0;
}

void mote_network_archive(mote_range *range, mote_archive *a) {
    mote_network *n = mote_network_of(range);
    counts c = counts_of(n);
    if (a->task == MOTE_ARCHIVE_DISCARD) mote_network_rebuild_discard(n, a->allocator);
    (void)mote_archive_words(a, COUNTS, (uint32_t *)(void *)&c, WORDS);
    if (a->task == MOTE_ARCHIVE_CHECK && !a->result) check_counts(n, &c, a);
    visit_pins(n, &c, a);
    mote_network_topology t = visit_springs(n, &c, a);
    const reeled of = {n, &t};
    mote_pins_archive(&n->reels, REELS, c.reels, unit_of_reel, &of, a);
    visit_torn(n, &c, a);
    visit_columns(n, &c, &t, a);
    if (a->task == MOTE_ARCHIVE_GATHER) mote_network_gather_report(n, a->peers);
    if (a->result) return;
    if (a->task == MOTE_ARCHIVE_RESERVE) reserve_topology(n, &t, a);
    if (a->task != MOTE_ARCHIVE_READ) return;
    if (n->rebuild)
        mote_network_rebuild_commit(n, &t, a->allocator);
    else
        read_values(n, &t);
    (void)mote_network_join_blocks(n, &t, true);
    clear_masked(n);
    read_counts(n, &c);
    /* Reels move lengths without an edit: ranks may have kept the hash of springs at different times. */
    n->call_edits = 0;
}
