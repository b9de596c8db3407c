/* The bundles of a system. Ids: the index is a serial number never used twice, the generation marks the
 * system. */
#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "contacts/motion.h"
#include "strands/kernels.h"
#include "system/internal.h"

static uint32_t place_of(const mote_system *system, mote_strands_id id) {
    if (id.generation != mote_system_mark(system)) return system->strands_count;
    uint32_t place = 0;
    while (place < system->strands_count && system->strands_serials[place] != id.index) place++;
    return place;
}

mote_strands *mote_system_find_strands(const mote_system *system, mote_strands_id id) {
    if (!system) return NULL;
    uint32_t place = place_of(system, id);
    return place < system->strands_count ? system->strands_objects[place] : NULL;
}

mote_result mote_system_edit_strands(const mote_system *system, mote_strands_id id, mote_strands **strands) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    *strands = mote_system_find_strands(system, id);
    return *strands ? MOTE_OK : MOTE_ERROR_ID;
}

mote_strands_id mote_system_strands_id(const mote_system *system, uint32_t place) {
    return (mote_strands_id){system->strands_serials[place], mote_system_mark(system)};
}

/* --- Adding and removing --- */

/* Room for a group of `bundle` on every worker. */
static mote_result grow_scratch(mote_system *system, const mote_strands *strands) {
    const mote_jobs *jobs = &system->def.jobs;
    size_t own =
        mote_round_up(mote_strand_scratch_floats(strands->max_points) * sizeof(float), MOTE_CACHE_LINE);
    size_t workers = jobs->run ? jobs->workers : 1;
    if (own <= system->strand_scratch_bytes / workers) return MOTE_OK;
    if (own > SIZE_MAX / 2 / workers) return MOTE_ERROR_OVERFLOW;
    unsigned char *memory = mote_allocate(&system->allocator, workers * own);
    if (!memory) return MOTE_ERROR_MEMORY;
    mote_release(&system->allocator, system->strand_scratch, system->strand_scratch_bytes);
    system->strand_scratch = memory;
    system->strand_scratch_bytes = workers * own;
    return MOTE_OK;
}

static void destroy_strands(mote_strands *strands, const mote_allocator *allocator) {
    mote_strands_destroy(strands, allocator);
    mote_release(allocator, strands, sizeof *strands);
}

static mote_result make(mote_system *system, const mote_strands_def *def, mote_strands **made,
                        mote_strands_fault *fault) {
    mote_strands *strands = mote_allocate(&system->allocator, sizeof *strands);
    if (!strands) return MOTE_ERROR_MEMORY;
    *strands = (mote_strands){.memory = NULL};
    bool interpolates = system->def.interpolation != MOTE_INTERPOLATE_NONE;
    mote_result result = mote_strands_make(strands, def, interpolates, &system->allocator, fault);
    if (result == MOTE_OK) result = grow_scratch(system, strands);
    if (result) destroy_strands(strands, &system->allocator);
    *made = strands;
    return result;
}

mote_result mote_system_add_strands(mote_system *system, const mote_strands_def *def, mote_strands_id *id,
                                    mote_strands_fault *fault) {
    if (id) *id = (mote_strands_id){0, 0};
    if (fault) *fault = (mote_strands_fault){MOTE_ALL_STRANDS, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    if (mote_scheme_table[system->def.integrator].family == MOTE_FAMILY_ADVECTION)
        return MOTE_ERROR_INTEGRATOR;
    if (def->solver == MOTE_STRAND_CONSERVING && system->colliders.count) return MOTE_ERROR_INTEGRATOR;
    if (system->strands_count == MOTE_MAX_STRANDS_OBJECTS || system->next_strands == UINT32_MAX)
        return MOTE_ERROR_CAPACITY;
    mote_fpu_state saved = mote_fpu_enter();
    mote_result result = make(system, def, &system->strands_objects[system->strands_count], fault);
    mote_fpu_leave(saved);
    if (result) return result;
    system->strands_serials[system->strands_count] = ++system->next_strands;
    *id = mote_system_strands_id(system, system->strands_count++);
    return MOTE_OK;
}

uint32_t mote_strand_substeps(uint32_t points, double length, double acceleration, double timestep) {
    if (!(length > 0) || !(acceleration > 0) || !(timestep > 0)) return 1;
    const double count = timestep * (double)points * __builtin_sqrt(acceleration / (3.0 * length));
    if (!(count < (double)UINT32_MAX)) return UINT32_MAX;
    const uint32_t whole = (uint32_t)count;
    return whole + ((double)whole < count || whole == 0);
}

mote_result mote_system_remove_strands(mote_system *system, mote_strands_id id) {
    mote_strands *strands;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result) return result;
    mote_system_drop_strands_links(system, id);
    uint32_t place = place_of(system, id), behind = --system->strands_count - place;
    destroy_strands(strands, &system->allocator);
    memmove(system->strands_objects + place, system->strands_objects + place + 1,
            behind * sizeof *system->strands_objects);
    memmove(system->strands_serials + place, system->strands_serials + place + 1,
            behind * sizeof *system->strands_serials);
    return MOTE_OK;
}

void mote_system_destroy_strands(mote_system *system) {
    for (uint32_t i = 0; i < system->strands_count; i++)
        destroy_strands(system->strands_objects[i], &system->allocator);
    mote_release(&system->allocator, system->strand_scratch, system->strand_scratch_bytes);
}

/* --- Views --- */

mote_strands_view mote_strands_columns(mote_system *system, mote_strands_id id) {
    const mote_strands *strands = mote_system_find_strands(system, id);
    if (!strands) return (mote_strands_view){0};
    return (mote_strands_view){.strand_count = strands->strand_count,
                               .slot_count = strands->slot_count,
                               .position = {strands->x[0], strands->x[1], strands->x[2]},
                               .velocity = {strands->v[0], strands->v[1], strands->v[2]},
                               .inverse_mass = strands->inverse_mass,
                               .point_count = strands->point_count,
                               .occupancy =
                                   (float)((double)strands->point_count / (double)strands->slot_count)};
}

uint32_t mote_strands_points(const mote_system *system, mote_strands_id id, uint32_t strand) {
    const mote_strands *strands = mote_system_find_strands(system, id);
    if (!strands || strand >= strands->strand_count) return 0;
    return (uint32_t)strands->points[strands->lane_of_strand[strand]];
}

uint32_t mote_strands_slot(const mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point) {
    if (point >= mote_strands_points(system, id, strand)) return MOTE_NO_SLOT;
    const mote_strands *strands = mote_system_find_strands(system, id);
    return mote_strands_slot_of(strands, strands->lane_of_strand[strand], point);
}

/* --- Roots and air --- */

/* The tick of the boundary reached. */
static uint64_t now_of(const mote_system *system) {
    return system->clock.step * system->clock.ticks_per_step;
}

mote_result mote_strands_set_roots(mote_system *system, mote_strands_id id, const mote_transform *transforms,
                                   uint32_t count, uint64_t tick) {
    if (!system || !transforms) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result) return result;
    if (count != 1 && count != strands->strand_count) return MOTE_ERROR_RANGE;
    for (uint32_t i = 0; i < count && result == MOTE_OK; i++) result = mote_motion_check(&transforms[i]);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    for (uint32_t lane = 0; lane < strands->strand_count; lane++) {
        uint32_t own = count == 1 ? 0 : strands->strand_of_lane[lane];
        mote_strands_aim_root(strands, lane, &transforms[own], now_of(system), tick);
    }
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_strands_set_root(mote_system *system, mote_strands_id id, uint32_t strand,
                                  const mote_transform *transform, uint64_t tick) {
    if (!system || !transform) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result) return result;
    if (strand >= strands->strand_count) return MOTE_ERROR_RANGE;
    result = mote_motion_check(transform);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    mote_strands_aim_root(strands, strands->lane_of_strand[strand], transform, now_of(system), tick);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_strands_set_air(mote_system *system, mote_strands_id id, const vec3 velocity) {
    if (!system || !velocity) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result) return result;
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(velocity[axis])) return MOTE_ERROR_NOT_FINITE;
    memcpy(strands->def.air_velocity, velocity, sizeof strands->def.air_velocity);
    return MOTE_OK;
}

mote_result mote_strands_reset(mote_system *system, mote_strands_id id, uint32_t strand) {
    mote_strands *strands;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result) return result;
    if (strand != MOTE_ALL_STRANDS && strand >= strands->strand_count) return MOTE_ERROR_RANGE;
    mote_fpu_state saved = mote_fpu_enter();
    if (strand != MOTE_ALL_STRANDS) {
        mote_strands_rest(strands, strands->lane_of_strand[strand]);
    } else {
        for (uint32_t lane = 0; lane < strands->strand_count; lane++) mote_strands_rest(strands, lane);
        strands->started = false;
    }
    mote_fpu_leave(saved);
    return MOTE_OK;
}
