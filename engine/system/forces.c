/* The force list of a system. Ids: the index is a serial number never used twice, the generation marks the
 * system. */
#include <string.h>

#include "system/internal.h"

static size_t list_bytes(uint32_t capacity) { return capacity * (sizeof(mote_force_def) + sizeof(uint32_t)); }

static mote_result grow(mote_force_list *list, const mote_allocator *allocator) {
    uint32_t capacity = list->capacity ? 2 * list->capacity : 8;
    mote_force_def *forces = mote_allocate(allocator, list_bytes(capacity));
    if (!forces) return MOTE_ERROR_MEMORY;
    uint32_t *serials = (uint32_t *)(void *)(forces + capacity);
    if (list->count) {
        memcpy(forces, list->forces, list->count * sizeof *forces);
        memcpy(serials, list->serials, list->count * sizeof *serials);
    }
    mote_force_list_destroy(list, allocator);
    list->forces = forces;
    list->serials = serials;
    list->capacity = capacity;
    return MOTE_OK;
}

void mote_force_list_destroy(mote_force_list *list, const mote_allocator *allocator) {
    mote_release(allocator, list->forces, list_bytes(list->capacity));
}

/* The place of a force in the list, or its count. */
static uint32_t find(const mote_system *system, mote_force_id id) {
    const mote_force_list *list = &system->forces;
    if (id.generation != mote_system_mark(system)) return list->count;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->serials[i] == id.index) return i;
    return list->count;
}

/* Whatever a force needs before it may act: memory for a callback that reaches the range. */
static mote_result prepare(mote_system *system, const mote_force_def *def) {
    mote_result result = mote_force_check(def);
    if (result == MOTE_OK) result = mote_plan_accepts(system->def.integrator, def, system->def.anchor_column);
    if (result) return result;
    if (system->workspace || !mote_system_needs_workspace(&system->def, def, 1)) return MOTE_OK;
    return mote_system_grow_workspace(system, system->particles.capacity);
}

mote_result mote_system_add_force(mote_system *system, const mote_force_def *def, mote_force_id *id) {
    if (id) *id = (mote_force_id){0, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_force_list *list = &system->forces;
    if (list->count == MOTE_MAX_FORCES || list->next_serial == UINT32_MAX) return MOTE_ERROR_CAPACITY;
    mote_result result = prepare(system, def);
    if (result == MOTE_OK && list->count == list->capacity) result = grow(list, &system->allocator);
    if (result) return result;
    *id = (mote_force_id){++list->next_serial, mote_system_mark(system)};
    list->serials[list->count] = id->index;
    list->forces[list->count++] = *def;
    system->plan_is_old = true;
    return MOTE_OK;
}

mote_result mote_system_set_force(mote_system *system, mote_force_id id, const mote_force_def *def) {
    if (!system || !def) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    uint32_t place = find(system, id);
    if (place == system->forces.count) return MOTE_ERROR_ID;
    mote_result result = prepare(system, def);
    if (result) return result;
    system->forces.forces[place] = *def;
    system->plan_is_old = true;
    return MOTE_OK;
}

mote_result mote_system_remove_force(mote_system *system, mote_force_id id) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_force_list *list = &system->forces;
    uint32_t place = find(system, id);
    if (place == list->count) return MOTE_ERROR_ID;
    uint32_t behind = --list->count - place;
    memmove(list->forces + place, list->forces + place + 1, behind * sizeof *list->forces);
    memmove(list->serials + place, list->serials + place + 1, behind * sizeof *list->serials);
    system->plan_is_old = true;
    return MOTE_OK;
}
