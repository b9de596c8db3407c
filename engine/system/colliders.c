/* Calls for the colliders of a system: mote/collider.h. */
#include <mote/collider.h>

#include "system/internal.h"

mote_result mote_system_collider_check(const mote_system *system, const mote_collider_def *def,
                                       const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_collider_check(def, name);
    if (result || def->response != MOTE_RESPONSE_STICK || system->def.sticking) return result;
    return mote_named(name, "response", MOTE_ERROR_ABSENT);
}

mote_result mote_system_add_collider(mote_system *system, const mote_collider_def *def,
                                     mote_collider_id *id) {
    if (id) *id = (mote_collider_id){0, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_result result = mote_system_collider_check(system, def, NULL);
    if (result) return result;
    uint32_t serial;
    const mote_fpu_state saved = mote_fpu_enter();
    result = mote_colliders_add(&system->colliders, def, &system->allocator, &serial);
    mote_fpu_leave(saved);
    if (result == MOTE_OK) *id = (mote_collider_id){serial, system->mark};
    return result;
}

mote_result mote_system_set_collider(mote_system *system, mote_collider_id id, const mote_collider_def *def) {
    uint32_t place;
    if (!system || !def) return MOTE_ERROR_NULL;
    mote_result result = mote_system_find(system, &system->colliders.list, MOTE_ID(id), &place);
    if (result == MOTE_OK) result = mote_system_collider_check(system, def, NULL);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_colliders_set(&system->colliders, place, def);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_system_change_collider(mote_system *system, mote_collider_id id,
                                        const mote_collider_def *def) {
    uint32_t place;
    if (!system || !def) return MOTE_ERROR_NULL;
    mote_result result = mote_system_find(system, &system->colliders.list, MOTE_ID(id), &place);
    if (result) return result;
    mote_collider_def changed = *def;
    changed.transform = mote_collider_at(&system->colliders, place)->def.transform;
    result = mote_system_collider_check(system, &changed, NULL);
    if (result == MOTE_OK) mote_colliders_change(&system->colliders, place, &changed);
    return result;
}

mote_result mote_system_move_collider(mote_system *system, mote_collider_id id, const mote_transform *target,
                                      uint64_t tick) {
    uint32_t place;
    if (!system || !target) return MOTE_ERROR_NULL;
    mote_result result = mote_system_find(system, &system->colliders.list, MOTE_ID(id), &place);
    if (result == MOTE_OK) result = mote_motion_check(target);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_colliders_move(&system->colliders, place, target, mote_system_boundary(system), tick);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_system_collider_placement(const mote_system *system, mote_collider_id id,
                                           mote_transform *placement) {
    uint32_t place;
    if (!system || !placement) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_find(system, &system->colliders.list, MOTE_ID(id), &place);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    *placement =
        mote_motion_at(&mote_collider_at(&system->colliders, place)->motion, mote_system_boundary(system), 0);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_system_remove_collider(mote_system *system, mote_collider_id id) {
    uint32_t place;
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_find(system, &system->colliders.list, MOTE_ID(id), &place);
    if (result == MOTE_OK) mote_colliders_remove(&system->colliders, place);
    return result;
}
