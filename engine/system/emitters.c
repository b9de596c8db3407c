/* Calls for the emitters of a system: mote/emitter.h. */
#include "particles/emitters.h"

#include "system/internal.h"

/* Checks a def for this system. Errors: those of mote_emitter_check; RANGE, ABSENT. */
static mote_result check(const mote_system *system, const mote_emitter_def *def) {
    const mote_result result = mote_emitter_check(def, NULL);
    if (result) return result;
    if ((double)def->rate * system->clock.timestep > (double)MOTE_MAX_PARTICLES) return MOTE_ERROR_RANGE;
    if (def->lifetime.least < INFINITY && !system->def.lifetimes) return MOTE_ERROR_ABSENT;
    for (uint32_t i = 0; i < MOTE_MAX_EXTRA_COLUMNS; i++) {
        const bool has_floats = i < system->def.extra_count && system->def.extra_bytes[i] == sizeof(float);
        if (def->extra_columns >> i & 1 && !has_floats) return MOTE_ERROR_RANGE;
    }
    return MOTE_OK;
}

mote_result mote_system_add_emitter(mote_system *system, const mote_emitter_def *def, mote_emitter_id *id) {
    if (id) *id = (mote_emitter_id){0, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = check(system, def);
    if (result == MOTE_OK) {
        system->emitters.element = sizeof(mote_emitter);
        result = mote_id_list_reserve_next(&system->emitters, MOTE_MAX_EMITTERS, &system->allocator);
    }
    if (result == MOTE_OK) {
        const mote_emitter emitter = {.def = *def,
                                      .motion = mote_motion_place(&def->transform),
                                      .stream = system->emitters.next_serial};
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
    result = check(system, def);
    if (result == MOTE_OK) {
        emitter->def = *def;
        emitter->motion = mote_motion_place(&def->transform);
    }
    mote_fpu_leave(saved);
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

mote_result mote_system_burst(mote_system *system, mote_emitter_id id, uint32_t count) {
    mote_emitter *emitter;
    const mote_result result = find(system, id, &emitter);
    if (result) return result;
    if (count > MOTE_MAX_PARTICLES - emitter->waiting) return MOTE_ERROR_OVERFLOW;
    emitter->waiting += count;
    return MOTE_OK;
}

mote_result mote_system_remove_emitter(mote_system *system, mote_emitter_id id) {
    uint32_t place;
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_find(system, &system->emitters, MOTE_ID(id), &place);
    if (result == MOTE_OK) mote_id_list_remove(&system->emitters, place);
    return result;
}
