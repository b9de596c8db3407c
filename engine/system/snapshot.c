/* Snapshots of a system: mote/snapshot.h. One visit of all state serves to measure, write, check and read
 * (base/archive.h). */
#include <mote/snapshot.h>

#include <string.h>

#include "base/hash.h"
#include <mote/emitter.h>

#include "forces/force.h"
#include "particles/events.h"
#include "system/emitters.h"
#include "system/internal.h"

/* Words of a force: serial number, def. */
#define FORCE_WORDS (1 + MOTE_FORCE_WORDS)

/* --- The system --- */

enum { DEF, COUNTS, SERIALS, BODY = SERIALS + MOTE_KIND_COUNT };

/* Words of COUNTS. List: items, and the last serial number. */
typedef struct list_words {
    uint32_t count, next_serial;
} list_words;
typedef struct counts {
    uint32_t step[2], remainder[2], mark;
    list_words forces, colliders, links, emitters, ranges[MOTE_KIND_COUNT];
} counts;
#define COUNT_WORDS ((uint32_t)(sizeof(counts) / 4))

typedef struct visit {
    mote_system *system;
    mote_archive archive;
    counts counts;
    mote_id_list forces; /* those of the snapshot, where they are not those of the system */
    bool other_forces;
} visit;

/* Settings that must be equal; each is one word, so that the fault can name it. */
enum { SETTINGS = 20, LIFETIMES = 11, RADIUS_COLUMN = 17 };
static const char *const setting_names[SETTINGS] = {
    "steps_per_second", "steps_per_second", "substeps",      "start_time",       "start_time",
    "integrator",       "late_policy",      "mass",          "interpolation",    "mass_column",
    "particle_ids",     "lifetimes",        "anchor_column", "external_forces",  "max_steps_per_advance",
    "collisions",       "sticking",         "radius_column", "collision_radius", "friction"};

/* Settings of orientation: a section of its own, only in systems that have it. */
enum { BODY_WORDS = 5 };
static const char *const body_names[BODY_WORDS] = {"external_torques", "inertia", "inertia", "inertia",
                                                   "spin_drag"};

/* Returns the choices of orientation: 0 without it. */
static uint32_t choices_of(const mote_system_def *def) {
    if (!def->orientation) return 0;
    return 1u | (uint32_t)def->principal_moments << 1 | (uint32_t)def->inertia_column << 2;
}

/* Whether particles have initial ages. */
static uint32_t ages_of(const mote_system_def *def) { return def->lifetimes && def->initial_ages; }

/* Returns the name of a setting whose word differs. */
static const char *setting_name(uint32_t i, uint32_t word, uint32_t own) {
    static const char *const names[] = {"radius_column", "orientation", "principal_moments",
                                        "inertia_column"};
    if (i >= SETTINGS) return "extra_bytes";
    if (i == LIFETIMES && (word ^ own) == 2) return "initial_ages";
    if (i != RADIUS_COLUMN || word == own) return setting_names[i];
    const int bit = __builtin_ctz(word ^ own);
    return bit < 4 ? names[bit] : setting_names[i];
}

static void settings_of(const mote_system_def *def, uint32_t words[SETTINGS + MOTE_MAX_EXTRA_COLUMNS]) {
    const uint32_t of[SETTINGS] = {def->steps_per_second.steps,
                                   def->steps_per_second.seconds,
                                   def->substeps,
                                   0,
                                   0,
                                   (uint32_t)def->integrator,
                                   (uint32_t)def->late_policy,
                                   0,
                                   (uint32_t)def->interpolation,
                                   def->mass_column,
                                   def->particle_ids,
                                   (uint32_t)def->lifetimes | ages_of(def) << 1,
                                   def->anchor_column,
                                   def->external_forces,
                                   def->max_steps_per_advance,
                                   def->collisions,
                                   def->sticking,
                                   (uint32_t)def->radius_column | choices_of(def) << 1};
    uint64_t start;
    memcpy(words, of, sizeof of);
    memcpy(&start, &def->start_time, sizeof start);
    mote_words_split(start, words + 3);
    memcpy(words + 7, &def->mass, sizeof def->mass);
    memcpy(words + 18, &def->collision_radius, sizeof def->collision_radius);
    memcpy(words + 19, &def->friction, sizeof def->friction);
    for (uint32_t i = 0; i < MOTE_MAX_EXTRA_COLUMNS; i++)
        words[SETTINGS + i] = i < def->extra_count ? def->extra_bytes[i] : 0;
}

static void visit_def(visit *v) {
    enum { ALL = SETTINGS + MOTE_MAX_EXTRA_COLUMNS };
    uint32_t own[ALL], words[ALL];
    settings_of(&v->system->def, own);
    memcpy(words, own, sizeof words);
    (void)mote_archive_words(&v->archive, DEF, words, ALL);
    for (uint32_t i = 0; i < ALL; i++)
        if (words[i] != own[i])
            mote_archive_refuse(&v->archive, MOTE_ERROR_FOREIGN, DEF, MOTE_NO_ITEM,
                                setting_name(i, words[i], own[i]));
}

/* Settings of orientation: that of another system is refused above. */
static void visit_body(visit *v) {
    const mote_system_def *def = &v->system->def;
    uint32_t own[BODY_WORDS] = {def->external_torques}, words[BODY_WORDS];
    if (!def->orientation) return;
    memcpy(own + 1, def->inertia, sizeof def->inertia);
    memcpy(own + 4, &def->spin_drag, sizeof def->spin_drag);
    memcpy(words, own, sizeof words);
    (void)mote_archive_words(&v->archive, BODY, words, BODY_WORDS);
    for (uint32_t i = 0; i < BODY_WORDS; i++)
        if (words[i] != own[i])
            mote_archive_refuse(&v->archive, MOTE_ERROR_FOREIGN, BODY, MOTE_NO_ITEM, body_names[i]);
}

static list_words words_of(const mote_id_list *list) { return (list_words){list->count, list->next_serial}; }

static counts counts_of(const mote_system *system) {
    counts c = {.mark = system->mark,
                .forces = words_of(&system->forces),
                .colliders = words_of(&system->colliders.list),
                .links = words_of(&system->links.list),
                .emitters = words_of(&system->emitters)};
    mote_words_split(system->clock.step, c.step);
    mote_words_split(system->clock.remainder, c.remainder);
    for (uint32_t kind = 0; kind < MOTE_KIND_COUNT; kind++) c.ranges[kind] = words_of(&system->ranges[kind]);
    return c;
}

static void check_counts(visit *v) {
    const counts *c = &v->counts;
    const bool limits = c->forces.count <= MOTE_MAX_FORCES && c->colliders.count <= MOTE_MAX_COLLIDERS &&
                        c->links.count <= MOTE_MAX_LINKS && c->emitters.count <= MOTE_MAX_EMITTERS &&
                        c->mark && mote_words_join(c->remainder) <= INT64_MAX;
    if (!limits) mote_archive_refuse(&v->archive, MOTE_ERROR_FILE, COUNTS, MOTE_NO_ITEM, "counts");
    for (uint32_t kind = 0; kind < MOTE_KIND_COUNT; kind++)
        if (c->ranges[kind].count != v->system->ranges[kind].count)
            mote_archive_refuse(&v->archive, MOTE_ERROR_FOREIGN, COUNTS, kind, "strands or networks");
}

/* The ids of strands and networks must be those of the system. */
static void visit_serials(visit *v, uint32_t kind) {
    const mote_id_list *list = &v->system->ranges[kind];
    mote_archive *a = &v->archive;
    const unsigned char *section = mote_archive_next(a);
    mote_archive_array(a, SERIALS + kind, list->serials, v->counts.ranges[kind].count, sizeof(uint32_t), 4);
    for (uint32_t i = 0; i < list->count && a->task == MOTE_ARCHIVE_CHECK && !a->result; i++)
        if (mote_word_load(section, i) != list->serials[i] ||
            list->serials[i] > v->counts.ranges[kind].next_serial)
            mote_archive_refuse(a, MOTE_ERROR_FOREIGN, SERIALS + kind, i, "id");
}

static void visit_system(visit *v) {
    v->archive.part = MOTE_SNAPSHOT_SYSTEM, v->archive.object = 0;
    visit_def(v);
    visit_body(v);
    v->counts = counts_of(v->system);
    (void)mote_archive_words(&v->archive, COUNTS, (uint32_t *)(void *)&v->counts, COUNT_WORDS);
    if (v->archive.task == MOTE_ARCHIVE_CHECK && !v->archive.result) check_counts(v);
    for (uint32_t kind = 0; kind < MOTE_KIND_COUNT; kind++) visit_serials(v, kind);
}

/* --- Forces --- */

static mote_force_def *force_at(const mote_id_list *list, uint32_t place) {
    return (mote_force_def *)list->items + place;
}

static void words_of_force(const mote_system *system, uint32_t place, uint32_t words[FORCE_WORDS]) {
    words[0] = system->forces.serials[place];
    mote_force_pack(force_at(&system->forces, place), words + 1);
}

/* Reads a force; the host's pointers are those of the force of the same id, or of any other force, or those
 * of a callback that the system has had. Errors: FOREIGN, FILE. */
static mote_result force_of_words(const mote_system *system, const uint32_t words[FORCE_WORDS],
                                  mote_force_def *def) {
    const mote_id_list *list = &system->forces, *had = &system->callbacks;
    const uint32_t place = mote_id_list_find(list, words[0]);
    const bool named = place < list->count && mote_force_unpack(def, words + 1, force_at(list, place), 1);
    if (!named && !mote_force_unpack(def, words + 1, list->items, list->count) &&
        !mote_force_unpack(def, words + 1, had->items, had->count))
        return MOTE_ERROR_FOREIGN;
    return mote_system_force_check(system, def, NULL) ? MOTE_ERROR_FILE : MOTE_OK;
}

static void check_forces(visit *v, const unsigned char *section) {
    uint32_t last = 0, words[FORCE_WORDS], own[FORCE_WORDS];
    mote_force_def def;
    v->other_forces = v->counts.forces.count != v->system->forces.count;
    for (uint32_t i = 0; i < v->counts.forces.count; i++) {
        mote_words_load(words, section, (uint64_t)i * FORCE_WORDS, FORCE_WORDS);
        const bool ordered = words[0] > last && words[0] <= v->counts.forces.next_serial;
        const mote_result result = ordered ? force_of_words(v->system, words, &def) : MOTE_ERROR_FILE;
        if (result) {
            mote_archive_refuse(&v->archive, result, 0, i, "force");
            return;
        }
        last = words[0];
        if (i < v->system->forces.count) words_of_force(v->system, i, own);
        v->other_forces = v->other_forces || memcmp(own, words, sizeof own) != 0;
    }
}

/* Makes the list of the snapshot's forces, and the scratch that they need. Error: MEMORY. */
static mote_result reserve_forces(visit *v, const unsigned char *section) {
    mote_id_list *list = &v->forces;
    mote_particles *particles = &v->system->particles;
    uint32_t words[FORCE_WORDS];
    list->element = sizeof(mote_force_def);
    mote_result result = mote_id_list_reserve(list, v->counts.forces.count, v->archive.allocator);
    if (result) return result;
    for (; list->count < v->counts.forces.count; list->count++) {
        mote_words_load(words, section, (uint64_t)list->count * FORCE_WORDS, FORCE_WORDS);
        (void)force_of_words(v->system, words, force_at(list, list->count));
        list->serials[list->count] = words[0];
    }
    if (particles->reached || !mote_forces_reach_range(list->items, list->count)) return MOTE_OK;
    particles->reached = true;
    result = mote_system_reserve_scratch(v->system, &particles->range);
    particles->reached = result == MOTE_OK;
    return result;
}

static void visit_forces(visit *v) {
    mote_archive *a = &v->archive;
    a->part = MOTE_SNAPSHOT_FORCES, a->object = 0;
    if (a->task == MOTE_ARCHIVE_DISCARD) mote_id_list_destroy(&v->forces, a->allocator);
    unsigned char *section =
        mote_archive_section(a, 0, 4, 4 * (uint64_t)FORCE_WORDS * v->counts.forces.count);
    if (!section) return;
    for (uint32_t i = 0; i < v->system->forces.count && a->task == MOTE_ARCHIVE_WRITE; i++) {
        uint32_t words[FORCE_WORDS];
        words_of_force(v->system, i, words);
        mote_words_store(section, (uint64_t)i * FORCE_WORDS, words, FORCE_WORDS);
    }
    if (a->task == MOTE_ARCHIVE_CHECK) check_forces(v, section);
    if (a->task == MOTE_ARCHIVE_RESERVE && v->other_forces && reserve_forces(v, section))
        mote_archive_refuse(a, MOTE_ERROR_MEMORY, 0, MOTE_NO_ITEM, NULL);
    if (a->task != MOTE_ARCHIVE_READ) return;
    if (v->other_forces) {
        mote_id_list_destroy(&v->system->forces, a->allocator);
        v->system->forces = v->forces;
    }
    v->system->forces.next_serial = v->counts.forces.next_serial;
}

/* --- The whole --- */

static mote_result find_end(const void *system, const mote_link_end *end, mote_link_site *site) {
    return mote_system_find_end(system, end, site);
}

static void visit_ranges(visit *v) {
    static const mote_snapshot_part parts[MOTE_KIND_COUNT] = {MOTE_SNAPSHOT_STRANDS, MOTE_SNAPSHOT_NETWORK};
    for (uint32_t kind = 0; kind < MOTE_KIND_COUNT; kind++)
        for (uint32_t i = 0; i < v->system->ranges[kind].count; i++) {
            mote_range *range = mote_system_range_at(v->system, kind, i);
            v->archive.part = parts[kind], v->archive.object = i;
            range->kind->archive(range, &v->archive);
        }
}

/* Visits all state of the system. */
static void visit_all(visit *v, mote_archive_task task, uint32_t sections) {
    mote_system *system = v->system;
    mote_archive_begin(&v->archive, task, sections);
    visit_system(v);
    visit_forces(v);
    v->archive.part = MOTE_SNAPSHOT_PARTICLES;
    mote_particles_archive(&system->particles.range, &v->archive);
    visit_ranges(v);
    const mote_links_in links = {
        v->counts.links.count, v->counts.links.next_serial, system->mark, v->counts.mark, find_end, system};
    v->archive.part = MOTE_SNAPSHOT_LINKS, v->archive.object = 0;
    mote_links_archive(&system->links, &links, &v->archive);
    v->archive.part = MOTE_SNAPSHOT_COLLIDERS;
    mote_colliders_archive(&system->colliders, v->counts.colliders.count, v->counts.colliders.next_serial,
                           system->def.sticking, &v->archive);
    v->archive.part = MOTE_SNAPSHOT_EMITTERS;
    mote_system_archive_emitters(system, v->counts.emitters.count, v->counts.emitters.next_serial,
                                 &v->archive);
}

static visit visit_of(const mote_system *system) {
    return (visit){.system = (mote_system *)(uintptr_t)system, .archive = {.allocator = &system->allocator}};
}

/* --- Saving --- */

/* Returns the bytes; *sections receives the number of sections. */
static uint64_t measure(visit *v, uint32_t *sections) {
    visit_all(v, MOTE_ARCHIVE_MEASURE, 0);
    *sections = v->archive.section;
    return mote_archive_measured(&v->archive);
}

mote_result mote_system_snapshot_bytes(const mote_system *system, size_t *bytes) {
    if (!bytes) return MOTE_ERROR_NULL;
    *bytes = 0;
    const mote_result result = mote_system_at_rest(system);
    if (result) return result;
    uint32_t sections;
    visit v = visit_of(system);
    *bytes = (size_t)measure(&v, &sections);
    return MOTE_OK;
}

mote_result mote_system_save(const mote_system *system, uint32_t flags, void *memory, size_t bytes,
                             size_t *written) {
    if (written) *written = 0;
    if (!memory) return MOTE_ERROR_NULL;
    mote_result result = mote_system_at_rest(system);
    if (result) return result;
    if (flags > MOTE_SNAPSHOT_CHECKSUM) return MOTE_ERROR_ENUM;
    result = mote_system_fetch(system);
    if (result) return result;
    uint32_t sections;
    visit v = visit_of(system);
    if (measure(&v, &sections) > bytes) return MOTE_ERROR_BUFFER;
    v.archive.memory = memory;
    v.archive.hashes = flags & MOTE_SNAPSHOT_CHECKSUM;
    visit_all(&v, MOTE_ARCHIVE_WRITE, sections);
    mote_archive_end(&v.archive);
    if (written) *written = (size_t)v.archive.bytes;
    return MOTE_OK;
}

/* --- Restoring --- */

/* Grows the scratch for what the snapshot adds. Error: MEMORY, OVERFLOW. */
static mote_result reserve_scratch(mote_system *system) {
    mote_range *range;
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)) && result == MOTE_OK; i++)
        result = mote_system_reserve_scratch(system, range);
    return result;
}

/* Takes over the clock, the mark and the serial numbers. */
static void take_over(visit *v) {
    mote_system *system = v->system;
    system->clock.step = mote_words_join(v->counts.step);
    system->clock.remainder = mote_words_join(v->counts.remainder);
    system->mark = v->counts.mark;
    for (uint32_t kind = 0; kind < MOTE_KIND_COUNT; kind++) {
        mote_id_list *list = &system->ranges[kind];
        list->next_serial = v->counts.ranges[kind].next_serial;
        for (uint32_t i = 0; i < list->count; i++) {
            mote_range *range = mote_system_range_at(system, kind, i);
            range->kind->set_id(range, list->serials[i], system->mark);
            mote_system_edited(range);
        }
    }
    mote_particles_seal(&system->particles);
    mote_events_clear(system->particles.events, system->mark);
    mote_system_edited(&system->particles.range);
    mote_system_restart_calls(system);
}

static mote_result restore(visit *v, const void *memory, size_t bytes) {
    mote_archive *a = &v->archive;
    mote_archive_open(a, memory, bytes);
    if (a->result) return a->result;
    const uint32_t sections = a->sections;
    visit_all(v, MOTE_ARCHIVE_CHECK, sections);
    a->part = MOTE_SNAPSHOT_HEADER;
    if (a->section != sections || a->bytes != a->limit)
        mote_archive_refuse(a, MOTE_ERROR_FILE, MOTE_NO_ITEM, MOTE_NO_ITEM, "sections");
    if (a->result) return a->result;
    visit_all(v, MOTE_ARCHIVE_RESERVE, sections);
    a->part = MOTE_SNAPSHOT_SYSTEM;
    const mote_result result = a->result ? MOTE_OK : reserve_scratch(v->system);
    if (result) mote_archive_refuse(a, result, MOTE_NO_ITEM, MOTE_NO_ITEM, NULL);
    visit_all(v, a->result ? MOTE_ARCHIVE_DISCARD : MOTE_ARCHIVE_READ, sections);
    if (a->result == MOTE_OK) take_over(v);
    return a->result;
}

mote_result mote_system_restore(mote_system *system, const void *memory, size_t bytes,
                                mote_snapshot_fault *fault) {
    if (fault) *fault = (mote_snapshot_fault){MOTE_SNAPSHOT_PART_COUNT, 0, MOTE_NO_ITEM, MOTE_NO_ITEM, NULL};
    if (!memory) return MOTE_ERROR_NULL;
    mote_result result = mote_system_at_rest(system);
    if (result) return result;
    visit v = visit_of(system);
    const mote_fpu_state saved = mote_fpu_enter();
    result = restore(&v, memory, bytes);
    mote_fpu_leave(saved);
    if (result && fault) *fault = v.archive.fault;
    return result;
}
