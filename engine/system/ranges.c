/* Ids and ranges of a system: search, adding, removing, scratch. The index of the id of a force, collider,
 * link or range is a serial number that its list never reuses; the generation is the mark of the system. */
#include <string.h>

#include <mote/network.h>
#include <mote/strands.h>

#include "system/internal.h"

#define DECLARE(name, behaviour, most) extern const mote_range_kind behaviour;
MOTE_KINDS(DECLARE)

typedef struct kind_row {
    const mote_range_kind *behaviour;
    uint32_t most;
} kind_row;

#define ROW(name, behaviour, most) [MOTE_KIND_##name] = {&(behaviour), (most)},
static const kind_row kinds[MOTE_KIND_COUNT] = {MOTE_KINDS(ROW)};

mote_result mote_system_find(const mote_system *system, const mote_id_list *list, mote_id id,
                             uint32_t *place) {
    const mote_result result = mote_system_at_rest(system);
    if (result) return result;
    *place = id.generation == system->mark ? mote_id_list_find(list, id.index) : list->count;
    return *place < list->count ? MOTE_OK : MOTE_ERROR_ID;
}

mote_range *mote_system_range(const mote_system *system, mote_kind kind, mote_id id) {
    if (!system || id.generation != system->mark) return NULL;
    const uint32_t place = mote_id_list_find(&system->ranges[kind], id.index);
    return place < system->ranges[kind].count ? mote_system_range_at(system, kind, place) : NULL;
}

mote_result mote_system_aim_range(const mote_system *system, mote_kind kind, mote_id id, mote_range **range) {
    const mote_result result = mote_system_at_rest(system);
    if (result) return result;
    *range = mote_system_range(system, kind, id);
    return *range ? MOTE_OK : MOTE_ERROR_ID;
}

mote_result mote_system_edit_range(const mote_system *system, mote_kind kind, mote_id id,
                                   mote_range **range) {
    const mote_result result = mote_system_aim_range(system, kind, id, range);
    return result ? result : mote_system_fetch(system);
}

mote_range *mote_system_read_range(const mote_system *system, mote_kind kind, mote_id id) {
    mote_range *range = mote_system_range(system, kind, id);
    return range && (system->busy || mote_system_fetch(system) == MOTE_OK) ? range : NULL;
}

mote_result mote_system_can_add_range(const mote_system *system, mote_kind kind) {
    if (mote_scheme_table[system->def.integrator].family == MOTE_FAMILY_ADVECTION)
        return MOTE_ERROR_INTEGRATOR;
    return mote_id_list_can_add(&system->ranges[kind], kinds[kind].most);
}

/* Reserves the memory of the system for steps of the range: scratch, and poses of colliders at its own
 * substeps. */
static mote_result reserve_step(mote_system *system, const mote_range *range) {
    const mote_result result = mote_system_reserve_scratch(system, range);
    if (result || !range->kind->own_substeps) return result;
    return mote_colliders_reserve_rows(&system->colliders, range->kind->own_substeps(range) + 1,
                                       &system->allocator);
}

mote_result mote_system_add_range(mote_system *system, mote_kind kind, mote_range *range, mote_id *id) {
    mote_id_list *list = &system->ranges[kind];
    range->kind = kinds[kind].behaviour;
    list->element = sizeof range;
    mote_result result = mote_id_list_reserve_next(list, kinds[kind].most, &system->allocator);
    if (result == MOTE_OK) result = reserve_step(system, range);
    if (result) {
        if (!list->count) mote_id_list_destroy(list, &system->allocator);
        range->kind->destroy(range, &system->allocator);
        return result;
    }
    *id = (mote_id){mote_id_list_append(list, &range), system->mark};
    mote_system_edited(range);
    if (system->peers)
        mote_system_note(system, MOTE_NOTED_ADD, (uint64_t)kind, range->kind->hash(range, 0), NULL, 0);
    return MOTE_OK;
}

static void destroy(const mote_system *system, mote_range *range) {
    if (system->peers)
        mote_release(&system->allocator, range->bound.unit,
                     mote_division_bytes(system->peers->transport.ranks));
    range->kind->destroy(range, &system->allocator);
}

mote_result mote_system_remove_range(mote_system *system, mote_kind kind, mote_id id) {
    uint32_t place;
    const mote_result result =
        system ? mote_system_find(system, &system->ranges[kind], id, &place) : MOTE_ERROR_NULL;
    if (result) return result;
    mote_range *range = mote_system_range_at(system, kind, place);
    mote_links_drop(&system->links, range, &system->allocator);
    mote_id_list_remove(&system->ranges[kind], place);
    destroy(system, range);
    mote_system_note(system, MOTE_NOTED_REMOVE, (uint64_t)kind, id.index, NULL, 0);
    return MOTE_OK;
}

mote_result mote_system_reserve_scratch(mote_system *system, const mote_range *range) {
    const mote_jobs *jobs = &system->def.jobs;
    const bool stage_outer = system->def.loop_order == MOTE_LOOP_STAGE_OUTER;
    const uint64_t bytes = range->kind->scratch_bytes(range, jobs->run ? jobs->workers : 1, stage_outer);
    if (bytes <= system->scratch_bytes) return MOTE_OK;
    if (bytes > SIZE_MAX / 2) return MOTE_ERROR_OVERFLOW;
    float *memory = mote_allocate(&system->allocator, (size_t)bytes);
    if (!memory) return MOTE_ERROR_MEMORY;
    memset(memory, 0, (size_t)bytes);
    mote_release(&system->allocator, system->scratch, system->scratch_bytes);
    system->scratch = memory;
    system->scratch_bytes = (size_t)bytes;
    return MOTE_OK;
}

void mote_system_destroy_ranges(mote_system *system) {
    mote_range *range;
    mote_links_drop(&system->links, NULL, &system->allocator);
    mote_id_list_destroy(&system->links.list, &system->allocator);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++) destroy(system, range);
    for (uint32_t kind = 0; kind < MOTE_KIND_COUNT; kind++)
        mote_id_list_destroy(&system->ranges[kind], &system->allocator);
    mote_release(&system->allocator, system->scratch, system->scratch_bytes);
}

mote_range_setup mote_system_setup(const mote_system *system) {
    return (mote_range_setup){.allocator = system->allocator,
                              .isa = system->def.isa,
                              .integrator = system->def.integrator,
                              .interpolates = system->def.interpolation != MOTE_INTERPOLATE_NONE,
                              .jobs = &system->def.jobs};
}
