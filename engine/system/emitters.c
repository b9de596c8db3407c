/* Calls for the emitters of a system: mote/emitter.h. */
#include "particles/emitters.h"

#include <string.h>

#include "base/archive.h"
#include "system/emitters.h"

/* Checks what a legal def asks of this system. Errors: RANGE, ABSENT. */
static mote_result check_columns(const mote_system *system, const mote_emitter_def *def, const char **name) {
    if ((double)def->rate * system->clock.timestep > (double)MOTE_MAX_PARTICLES)
        return mote_named(name, "rate", MOTE_ERROR_RANGE);
    if (def->lifetime.least < INFINITY && !system->def.lifetimes)
        return mote_named(name, "lifetime", MOTE_ERROR_ABSENT);
    if (def->orientation != MOTE_EMIT_ALIGNED && !system->def.orientation)
        return mote_named(name, "orientation", MOTE_ERROR_ABSENT);
    if ((def->spin.least < 0 || def->spin.most > 0) && !system->def.orientation)
        return mote_named(name, "spin", MOTE_ERROR_ABSENT);
    for (uint32_t i = 0; i < MOTE_MAX_EXTRA_COLUMNS; i++) {
        const bool has_floats = i < system->def.extra_count && system->def.extra_bytes[i] == sizeof(float);
        if (def->extra_columns >> i & 1 && !has_floats)
            return mote_named(name, "extra_columns", MOTE_ERROR_RANGE);
    }
    return MOTE_OK;
}

mote_result mote_system_emitter_check(const mote_system *system, const mote_emitter_def *def,
                                      const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_emitter_check(def, name);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    const mote_result columns = check_columns(system, def, name);
    mote_fpu_leave(saved);
    return columns;
}

mote_result mote_system_add_emitter(mote_system *system, const mote_emitter_def *def, mote_emitter_id *id) {
    if (id) *id = (mote_emitter_id){0, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = mote_system_emitter_check(system, def, NULL);
    if (result == MOTE_OK) {
        system->emitters.element = sizeof(mote_emitter);
        result = mote_id_list_reserve_next(&system->emitters, MOTE_MAX_EMITTERS, &system->allocator);
    }
    if (result == MOTE_OK) {
        mote_emitter emitter = {.motion = mote_motion_place(&def->transform)};
        mote_emitter_define(&emitter, def);
        *id = (mote_emitter_id){mote_id_list_append(&system->emitters, &emitter), system->mark};
    }
    mote_fpu_leave(saved);
    return result;
}

/* Finds an emitter. Errors: NULL, BUSY, ID. */
static mote_result find(const mote_system *system, mote_emitter_id id, mote_emitter **emitter) {
    uint32_t place;
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_find(system, &system->emitters, MOTE_ID(id), &place);
    if (result == MOTE_OK) *emitter = mote_emitter_at(&system->emitters, place);
    return result;
}

mote_result mote_system_set_emitter(mote_system *system, mote_emitter_id id, const mote_emitter_def *def) {
    mote_emitter *emitter;
    if (!def) return MOTE_ERROR_NULL;
    mote_result result = find(system, id, &emitter);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    result = mote_system_emitter_check(system, def, NULL);
    if (result == MOTE_OK) {
        mote_emitter_define(emitter, def);
        emitter->motion = mote_motion_place(&def->transform);
    }
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_system_change_emitter(mote_system *system, mote_emitter_id id, const mote_emitter_def *def) {
    mote_emitter *emitter;
    if (!def) return MOTE_ERROR_NULL;
    mote_result result = find(system, id, &emitter);
    if (result) return result;
    mote_emitter_def changed = *def;
    changed.transform = emitter->def.transform;
    result = mote_system_emitter_check(system, &changed, NULL);
    if (result == MOTE_OK) mote_emitter_define(emitter, &changed);
    return result;
}

mote_result mote_system_move_emitter(mote_system *system, mote_emitter_id id, const mote_transform *target,
                                     uint64_t tick) {
    mote_emitter *emitter;
    if (!target) return MOTE_ERROR_NULL;
    mote_result result = find(system, id, &emitter);
    if (result == MOTE_OK) result = mote_motion_check(target);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_motion_target(&emitter->motion, mote_system_boundary(system), target, tick);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_system_emitter_placement(const mote_system *system, mote_emitter_id id,
                                          mote_transform *placement) {
    mote_emitter *emitter;
    if (!placement) return MOTE_ERROR_NULL;
    const mote_result result = find(system, id, &emitter);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    *placement = mote_motion_at(&emitter->motion, mote_system_boundary(system), 0);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_system_burst(mote_system *system, mote_emitter_id id, uint32_t count) {
    mote_emitter *emitter;
    const mote_result result = find(system, id, &emitter);
    if (result) return result;
    if (count > MOTE_MAX_PARTICLES - emitter->waiting) return MOTE_ERROR_OVERFLOW;
    emitter->waiting += count;
    return MOTE_OK;
}

/* In the hook of mote_systems_advance other threads are busy: births there are not divided. */
mote_result mote_system_emit(mote_system *system, mote_emitter_id id, const mote_transform *at,
                             const float velocity[3], uint32_t count, uint32_t *born) {
    const mote_jobs serial = {0, NULL, NULL, 0};
    mote_plan_def def;
    if (born) *born = 0;
    if (!system) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    const uint32_t place =
        id.generation == system->mark ? mote_id_list_find(&system->emitters, id.index) : MOTE_MAX_EMITTERS;
    if (place >= system->emitters.count) return MOTE_ERROR_ID;
    if (velocity && !mote_vector_is_finite(velocity)) return MOTE_ERROR_NOT_FINITE;
    const mote_result result = at ? mote_motion_check(at) : MOTE_OK;
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_step now = mote_system_next_step(system, &def);
    if (system->busy) now.jobs = &serial;
    const mote_emitter *emitter = mote_emitter_at(&system->emitters, place);
    mote_emit emit = {.at = at ? mote_motion_place(at).to : mote_motion_at(&emitter->motion, now.tick, 0),
                      .count = count};
    if (velocity) memcpy(emit.velocity, velocity, sizeof emit.velocity);
    const mote_births births = mote_emitter_emit(&system->emitters, place, &system->particles, &now, &emit);
    if (born) *born = births.born;
    mote_fpu_leave(saved);
    mote_system_note(system, MOTE_NOTED_EMIT, id.index, count, emit.velocity, sizeof emit.velocity);
    mote_system_note(system, MOTE_NOTED_EMIT, 0, 0, at, sizeof *at);
    return MOTE_OK;
}

mote_result mote_system_remove_emitter(mote_system *system, mote_emitter_id id) {
    uint32_t place;
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_find(system, &system->emitters, MOTE_ID(id), &place);
    if (result == MOTE_OK) mote_id_list_remove(&system->emitters, place);
    return result;
}

/* --- Snapshots --- */

/* Words of an emitter: serial number, def without its cookie and its spin, motion, waiting births, births so
 * far and the share of the next one; in systems with orientations, the spin. */
enum {
    DEF_WORDS = offsetof(mote_emitter_def, spin) / 4 - 1,
    SERIAL = 0,
    DEF,
    FROM = DEF + DEF_WORDS,
    TO = FROM + 7,
    TICKS = TO + 7,
    WAITING = TICKS + 4,
    BIRTHS,
    DUE = BIRTHS + 2,
    WORDS = DUE + 2,
    SPIN = WORDS,
    SPIN_WORDS = (sizeof(mote_emitter_def) - offsetof(mote_emitter_def, spin)) / 4
};
_Static_assert(WORDS == 69 && WORDS + SPIN_WORDS == 75, "mote/snapshot.h states the numbers");
_Static_assert(sizeof(mote_emitter_def) == 52 * 4,
               "a def consists of words: its members are in the snapshot as they are");

/* Returns the words of an emitter in the snapshots of a system. */
static uint32_t words_in(const mote_system *system) {
    return system->def.orientation ? WORDS + SPIN_WORDS : WORDS;
}

/* count: of the words. */
static void write_emitter(unsigned char *section, uint32_t place, uint32_t count, uint32_t serial,
                          const mote_emitter *e) {
    uint32_t words[WORDS + SPIN_WORDS] = {[SERIAL] = serial, [WAITING] = e->waiting};
    uint64_t due;
    memcpy(words + DEF, (const uint32_t *)(const void *)&e->def + 1, DEF_WORDS * sizeof(uint32_t));
    memcpy(words + FROM, &e->motion.from, sizeof e->motion.from);
    memcpy(words + TO, &e->motion.to, sizeof e->motion.to);
    memcpy(&due, &e->due, sizeof due);
    mote_words_split(e->motion.travel.from_tick, words + TICKS);
    mote_words_split(e->motion.travel.to_tick, words + TICKS + 2);
    mote_words_split(e->serial, words + BIRTHS);
    mote_words_split(due, words + DUE);
    memcpy(words + SPIN, &e->def.spin, SPIN_WORDS * sizeof(uint32_t));
    mote_words_store(section, (uint64_t)place * count, words, count);
}

static uint32_t read_emitter(const unsigned char *section, uint32_t place, uint32_t count, mote_emitter *e) {
    uint32_t words[WORDS + SPIN_WORDS] = {0};
    mote_words_load(words, section, (uint64_t)place * count, count);
    *e = (mote_emitter){.def.cookie = MOTE_EMITTER_COOKIE,
                        .motion.travel = {mote_words_join(words + TICKS), mote_words_join(words + TICKS + 2)},
                        .waiting = words[WAITING],
                        .serial = mote_words_join(words + BIRTHS)};
    const uint64_t due = mote_words_join(words + DUE);
    memcpy((uint32_t *)(void *)&e->def + 1, words + DEF, DEF_WORDS * sizeof(uint32_t));
    memcpy(&e->def.spin, words + SPIN, SPIN_WORDS * sizeof(uint32_t));
    memcpy(&e->motion.from, words + FROM, sizeof e->motion.from);
    memcpy(&e->motion.to, words + TO, sizeof e->motion.to);
    memcpy(&e->due, &due, sizeof due);
    return words[SERIAL];
}

static void check_emitters(const mote_system *system, const unsigned char *section, uint32_t count,
                           uint32_t next_serial, mote_archive *a) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        mote_emitter e;
        const uint32_t serial = read_emitter(section, i, words_in(system), &e);
        if (serial <= last || serial > next_serial || mote_system_emitter_check(system, &e.def, NULL) ||
            mote_motion_check(&e.motion.from) || mote_motion_check(&e.motion.to) ||
            e.waiting > MOTE_MAX_PARTICLES || !(e.due >= 0 && e.due < 1)) {
            mote_archive_refuse(a, MOTE_ERROR_FILE, 0, i, "emitter");
            return;
        }
        last = serial;
    }
}

void mote_system_archive_emitters(mote_system *system, uint32_t count, uint32_t next_serial,
                                  mote_archive *a) {
    mote_id_list *list = &system->emitters;
    unsigned char *section = mote_archive_section(a, 0, 4, 4 * (uint64_t)words_in(system) * count);
    if (!section) return;
    for (uint32_t i = 0; i < count && a->task == MOTE_ARCHIVE_WRITE; i++)
        write_emitter(section, i, words_in(system), list->serials[i], mote_emitter_at(list, i));
    if (a->task == MOTE_ARCHIVE_CHECK) check_emitters(system, section, count, next_serial, a);
    list->element = sizeof(mote_emitter);
    if (a->task == MOTE_ARCHIVE_RESERVE && mote_id_list_reserve(list, count, a->allocator))
        mote_archive_refuse(a, MOTE_ERROR_MEMORY, 0, MOTE_NO_ITEM, NULL);
    if (a->task != MOTE_ARCHIVE_READ) return;
    for (uint32_t i = 0; i < count; i++) {
        mote_emitter *emitter = mote_emitter_at(list, i);
        list->serials[i] = read_emitter(section, i, words_in(system), emitter);
        mote_emitter_define(emitter, &emitter->def);
    }
    list->count = count;
    list->next_serial = next_serial;
}
