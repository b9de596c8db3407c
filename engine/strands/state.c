/* State of strands in snapshots, and the signature of their def. */
#include "base/allocator.h"
#include "base/archive.h"
#include "base/hash.h"
#include "contacts/motion.h"
#include "strands/equilibrium.h"

enum { COUNTS, PINS };

/* Words of COUNTS. */
typedef struct counts {
    uint32_t signature[2], started, pins, rubs; /* started: mote_strands_started */
    float air_velocity[3];
} counts;
#define WORDS        ((uint32_t)(sizeof(counts) / 4))
#define MAX_SUBSTEPS 4096u

/* --- Signature --- */

static uint64_t hash_column(uint64_t hash, const float *column, uint64_t count) {
    return column ? mote_hash_words(hash, column, (size_t)count * sizeof *column) : hash;
}

uint64_t mote_strands_signature(const mote_strands *strands) {
    const mote_strands_def *def = &strands->def;
    const float settings[] = {def->damping,
                              def->pose_stiffness,
                              def->max_strain,
                              def->normal_drag,
                              def->tangential_drag,
                              def->radius,
                              def->friction,
                              def->rest_acceleration[0],
                              def->rest_acceleration[1],
                              def->rest_acceleration[2]};
    const uint32_t numbers[] = {(uint32_t)def->solver, def->max_iterations, def->substeps,
                                def->collide_from,     def->free_roots,     def->hinged_roots};
    const uint64_t slots = strands->range.slot_count, lanes = strands->lane_count;
    uint64_t hash = mote_hash_words(strands->stamp, settings, sizeof settings);
    hash = mote_hash_words(hash, numbers, sizeof numbers);
    hash = hash_column(hash, strands->rest_length, slots);
    hash = hash_column(hash, strands->mass, slots);
    hash = hash_column(hash, strands->joint_stiffness, slots);
    hash = hash_column(hash, strands->joint_twist, slots);
    if (strands->has_flat_rods) hash = hash_column(hash, strands->joint_across, slots);
    for (int i = 0; i < 4 && strands->has_axes; i++) hash = hash_column(hash, strands->rest_frame[i], slots);
    hash = hash_column(hash, strands->point_inverse_mass, lanes);
    return hash_column(hash, strands->compliance, lanes);
}

/* --- Columns --- */

/* Checks the ends of the roots' travel: the step divides by the length of their rotations. */
static bool check_roots(const unsigned char *const root[MOTE_ROOT_COLUMNS], uint32_t lanes, uint32_t column,
                        mote_archive *a) {
    for (uint32_t lane = 0; lane < lanes; lane++) {
        float values[MOTE_ROOT_COLUMNS];
        for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) mote_words_load(&values[i], root[i], lane, 1);
        const mote_transform at = {{values[0], values[1], values[2]},
                                   {values[3], values[4], values[5], values[6]}};
        if (mote_motion_check(&at)) return mote_archive_refuse(a, MOTE_ERROR_FILE, column, lane, "root");
    }
    return true;
}

static void visit_roots(mote_strands *s, uint32_t column, float *const root[MOTE_ROOT_COLUMNS],
                        mote_archive *a) {
    const unsigned char *sections[MOTE_ROOT_COLUMNS];
    for (uint32_t i = 0; i < MOTE_ROOT_COLUMNS; i++) {
        sections[i] = mote_archive_next(a);
        mote_archive_array(a, column + i, root[i], s->lane_count, sizeof(float), sizeof(float));
    }
    if (a->task == MOTE_ARCHIVE_CHECK && !a->result) check_roots(sections, s->lane_count, column, a);
}

/* Flags of one byte, 0 or 1. */
static void visit_flags(uint32_t column, uint8_t *flags, uint32_t count, mote_archive *a) {
    const unsigned char *section = mote_archive_next(a);
    mote_archive_array(a, column, flags, count, 1, 1);
    for (uint32_t i = 0; i < count && a->task == MOTE_ARCHIVE_CHECK && !a->result; i++)
        if (section[i] > 1) mote_archive_refuse(a, MOTE_ERROR_FILE, column, i, "flag");
}

/* All state by slot and by lane besides that which pins determine. The other columns are those of the def, to
 * which the signature stands. */
static void visit_columns(mote_strands *s, mote_archive *a) {
    const uint32_t slots = s->range.slot_count, lanes = s->lane_count;
    uint32_t column = MOTE_ARCHIVE_COLUMNS;
    float *tension[1] = {s->tension};
    mote_archive_floats(a, column, s->range.x, 3, slots);
    mote_archive_floats(a, column += 3, s->range.v, 3, slots);
    mote_archive_floats(a, column += 3, s->range.previous_x, 3, slots);
    mote_archive_floats(a, column += 3, s->previous_low, 3, slots);
    mote_archive_floats(a, column += 3, s->relative_x, 3, slots);
    mote_archive_floats(a, column += 3, s->origin, 3, lanes);
    mote_archive_floats(a, column += 3, s->frame, 4, slots);
    mote_archive_floats(a, column += 4, s->previous_frame, 4, slots);
    mote_archive_floats(a, column += 4, tension, 1, slots);
    mote_archive_floats(a, column += 1, s->range.reaction, 3, slots);
    visit_roots(s, column += 3, s->root_from, a);
    visit_roots(s, column += MOTE_ROOT_COLUMNS, s->root_to, a);
    mote_archive_array(a, column += MOTE_ROOT_COLUMNS, s->root_from_tick, lanes, sizeof(uint64_t), 8);
    mote_archive_array(a, column += 1, s->root_to_tick, lanes, sizeof(uint64_t), 8);
    mote_archive_floats(a, column += 1, s->root_before, 4, lanes);
    mote_archive_floats(a, column += 4, s->root_last, 4, lanes);
    float *strains[2] = {s->strain, s->strain_sum};
    mote_archive_floats(a, column += 4, strains, 2, lanes);
    uint32_t *const numbers[4] = {s->iterations, s->unsolved, s->fallbacks, s->buried};
    for (int i = 0; i < 4; i++)
        mote_archive_array(a, column += i ? 1 : 2, numbers[i], lanes, sizeof(uint32_t), 4);
    visit_flags(column + 1, s->infeasible, lanes, a);
    visit_flags(column + 2, s->stiff_curls, lanes, a);
    visit_flags(column + 3, s->frozen, lanes, a);
    float *contacts[4] = {s->friction[0], s->friction[1], s->friction[2], s->pressure};
    mote_archive_floats(a, column + 4, contacts, 4, slots);
}

/* --- Pins --- */

static uint32_t unit_of_pin(const void *object, const mote_pin *pin) {
    const mote_strands *s = object;
    const uint32_t slot = pin->slot;
    if (slot >= s->range.slot_count) return MOTE_NO_SLOT;
    const uint32_t group = mote_strands_group_of(s, slot), lane = mote_strands_lane_of(s, group, slot);
    const uint32_t point = (slot - s->group[group].first) / MOTE_GROUP;
    if (point >= (uint32_t)s->points[lane] || (point == 0 && !s->def.free_roots)) return MOTE_NO_SLOT;
    return group;
}

static void reserve_spans(mote_strands *s, uint32_t pins, mote_archive *a) {
    if (!pins || s->spans) return;
    s->spans = mote_allocate(a->allocator, MOTE_MAX_STRANDS_PINS * sizeof *s->spans);
    if (!s->spans) mote_archive_refuse(a, MOTE_ERROR_MEMORY, PINS, MOTE_NO_ITEM, NULL);
}

/* Sets the inverse masses of all pinned points: to 0, or to that of a free point. */
static void set_pinned(mote_strands *s, bool pinned) {
    for (uint32_t i = 0; i < s->range.pins.count; i++) {
        const mote_pin *pin = &s->range.pins.pins[i];
        const uint32_t lane = mote_strands_lane_of(s, pin->unit, pin->slot);
        s->range.inverse_mass[pin->slot] = pinned ? 0 : mote_strands_free_inverse_mass(s, lane, pin->slot);
    }
}

static void visit_pins(mote_strands *s, uint32_t pins, mote_archive *a) {
    const bool reads = a->task == MOTE_ARCHIVE_READ;
    if (a->task == MOTE_ARCHIVE_RESERVE) reserve_spans(s, pins, a);
    if (reads) set_pinned(s, false);
    mote_pins_archive(&s->range.pins, PINS, pins, unit_of_pin, s, a);
    if (reads) set_pinned(s, true);
    if (reads) mote_strands_find_spans(s);
}

static void clear(float *const *columns, int count, uint32_t slot) {
    for (int i = 0; i < count && columns[i]; i++) columns[i][slot] = 0;
}

/* Masked slots are at the origin, at rest, without frames, tensions and contacts in every legal state. Their
 * values in the other columns have no effect. */
static void clear_masked(mote_strands *s) {
    for (uint32_t lane = 0; lane < s->lane_count; lane++)
        for (uint32_t k = (uint32_t)s->points[lane]; k < s->group[lane / MOTE_GROUP].points; k++) {
            const uint32_t slot = mote_strands_slot_of(s, lane, k);
            clear(s->range.x, 3, slot), clear(s->range.v, 3, slot), clear(s->previous_low, 3, slot);
            clear(s->frame, 4, slot), clear(s->previous_frame, 4, slot), clear(&s->tension, 1, slot);
            clear(s->friction, 3, slot), clear(&s->pressure, 1, slot);
        }
}

void mote_strands_archive(mote_range *range, mote_archive *a) {
    mote_strands *s = mote_strands_of(range);
    float *air = s->def.air_velocity;
    counts c = {.started = mote_strands_started(s),
                .pins = range->pins.count,
                .rubs = s->rubs,
                .air_velocity = {air[0], air[1], air[2]}};
    mote_words_split(s->signature, c.signature);
    (void)mote_archive_words(a, COUNTS, (uint32_t *)(void *)&c, WORDS);
    if (a->result) return;
    if (a->task == MOTE_ARCHIVE_CHECK) {
        if (mote_words_join(c.signature) != s->signature)
            mote_archive_refuse(a, MOTE_ERROR_FOREIGN, COUNTS, MOTE_NO_ITEM, "def");
        const uint32_t most = s->def.solver == MOTE_STRAND_SPRINGS ? 1 + MOTE_SHIFTED * MAX_SUBSTEPS : 1;
        const bool legal = (c.started == 0 || c.started % MOTE_SHIFTED) && c.started <= most && c.rubs <= 1;
        for (int i = 0; i < 3; i++)
            if (!legal || !(c.air_velocity[i] * 0 == 0))
                mote_archive_refuse(a, MOTE_ERROR_FILE, COUNTS, MOTE_NO_ITEM, "counts");
    }
    visit_pins(s, c.pins, a);
    visit_columns(s, a);
    if (a->result || a->task != MOTE_ARCHIVE_READ) return;
    clear_masked(s);
    range->started = c.started > 0, s->substeps = c.started / MOTE_SHIFTED, s->rubs = c.rubs;
    for (int i = 0; i < 3; i++) air[i] = c.air_velocity[i];
}
