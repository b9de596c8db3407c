/* Calls for the forces of a system. */
#include "system/internal.h"

mote_result mote_system_force_check(const mote_system *system, const mote_force_def *def,
                                    const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_force_check(def, name);
    if (result) return result;
    return mote_plan_accepts(system->def.integrator, def, system->def.anchor_column, name);
}

/* Checks a force. Before the first callback that reaches the range, reserves the scratch of the stage-outer
 * order. */
static mote_result prepare(mote_system *system, const mote_force_def *def) {
    mote_particles *particles = &system->particles;
    mote_result result = mote_system_force_check(system, def, NULL);
    if (result || particles->reached || !mote_forces_reach_range(def, 1)) return result;
    particles->reached = true;
    result = mote_system_reserve_scratch(system, &particles->range);
    particles->reached = result == MOTE_OK;
    return result;
}

/* Returns the place of a callback in the list of those that the system has had, or the count of that list. */
static uint32_t find_callback(const mote_system *system, uint32_t number) {
    const mote_force_def *had = system->callbacks.items;
    uint32_t place = 0;
    while (place < system->callbacks.count && had[place].as.callback.number != number) place++;
    return place;
}

/* Reserves memory for keep_callback. Error: MEMORY. */
static mote_result reserve_callback(mote_system *system, const mote_force_def *def) {
    mote_id_list *list = &system->callbacks;
    list->element = sizeof *def;
    if (def->kind != MOTE_FORCE_CALLBACK || list->count == MOTE_MAX_FORCES) return MOTE_OK;
    if (find_callback(system, def->as.callback.number) < list->count) return MOTE_OK;
    return mote_id_list_reserve_next(list, MOTE_MAX_FORCES, &system->allocator);
}

/* Keeps the function of a callback under its number: a state of before its removal can then be restored. */
static void keep_callback(mote_system *system, const mote_force_def *def) {
    mote_id_list *list = &system->callbacks;
    if (def->kind != MOTE_FORCE_CALLBACK) return;
    uint32_t place = find_callback(system, def->as.callback.number);
    if (place == MOTE_MAX_FORCES) place = system->oldest_callback++ % MOTE_MAX_FORCES;
    if (place == list->count)
        (void)mote_id_list_append(list, def);
    else
        ((mote_force_def *)list->items)[place] = *def;
}

static mote_force_def *force_at(const mote_system *system, uint32_t place) {
    return (mote_force_def *)system->forces.items + place;
}

mote_result mote_system_add_force(mote_system *system, const mote_force_def *def, mote_force_id *id) {
    if (id) *id = (mote_force_id){0, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    system->forces.element = sizeof *def;
    mote_result result = mote_id_list_can_add(&system->forces, MOTE_MAX_FORCES);
    if (result == MOTE_OK) result = prepare(system, def);
    if (result == MOTE_OK) result = reserve_callback(system, def);
    if (result == MOTE_OK)
        result = mote_id_list_reserve_next(&system->forces, MOTE_MAX_FORCES, &system->allocator);
    if (result) return result;
    keep_callback(system, def);
    *id = (mote_force_id){mote_id_list_append(&system->forces, def), system->mark};
    mote_particles_forces_changed(&system->particles);
    return MOTE_OK;
}

mote_result mote_system_set_force(mote_system *system, mote_force_id id, const mote_force_def *def) {
    uint32_t place;
    if (!system || !def) return MOTE_ERROR_NULL;
    mote_result result = mote_system_find(system, &system->forces, MOTE_ID(id), &place);
    if (result == MOTE_OK) result = prepare(system, def);
    if (result == MOTE_OK) result = reserve_callback(system, def);
    if (result) return result;
    keep_callback(system, def);
    *force_at(system, place) = *def;
    mote_particles_forces_changed(&system->particles);
    return MOTE_OK;
}

mote_result mote_system_remove_force(mote_system *system, mote_force_id id) {
    uint32_t place;
    if (!system) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_find(system, &system->forces, MOTE_ID(id), &place);
    if (result) return result;
    mote_id_list_remove(&system->forces, place);
    mote_particles_forces_changed(&system->particles);
    return MOTE_OK;
}
