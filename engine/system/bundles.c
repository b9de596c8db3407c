/* The bundles of a system. Ids: the index is a serial number never used twice, the generation marks the
 * system. */
#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "data/motion.h"
#include "kernels/strands.h"
#include "system/internal.h"

static uint32_t place_of(const mote_system *system, mote_bundle_id id) {
    if (id.generation != mote_system_mark(system)) return system->bundle_count;
    uint32_t place = 0;
    while (place < system->bundle_count && system->bundle_serials[place] != id.index) place++;
    return place;
}

mote_bundle *mote_system_bundle(const mote_system *system, mote_bundle_id id) {
    if (!system) return NULL;
    uint32_t place = place_of(system, id);
    return place < system->bundle_count ? system->bundles[place] : NULL;
}

mote_result mote_system_edit_bundle(const mote_system *system, mote_bundle_id id, mote_bundle **bundle) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    *bundle = mote_system_bundle(system, id);
    return *bundle ? MOTE_OK : MOTE_ERROR_ID;
}

mote_bundle_id mote_system_bundle_id(const mote_system *system, uint32_t place) {
    return (mote_bundle_id){system->bundle_serials[place], mote_system_mark(system)};
}

/* --- Adding and removing --- */

/* Room for a group of `bundle` on every worker. */
static mote_result grow_scratch(mote_system *system, const mote_bundle *bundle) {
    const mote_jobs *jobs = &system->def.jobs;
    size_t own =
        mote_round_up(mote_strand_scratch_floats(bundle->max_points) * sizeof(float), MOTE_CACHE_LINE);
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

static void destroy_bundle(mote_bundle *bundle, const mote_allocator *allocator) {
    mote_bundle_destroy(bundle, allocator);
    mote_release(allocator, bundle, sizeof *bundle);
}

static mote_result make(mote_system *system, const mote_bundle_def *def, mote_bundle **made,
                        mote_bundle_fault *fault) {
    mote_bundle *bundle = mote_allocate(&system->allocator, sizeof *bundle);
    if (!bundle) return MOTE_ERROR_MEMORY;
    *bundle = (mote_bundle){.memory = NULL};
    bool interpolates = system->def.interpolation != MOTE_INTERPOLATE_NONE;
    mote_result result = mote_bundle_make(bundle, def, interpolates, &system->allocator, fault);
    if (result == MOTE_OK) result = grow_scratch(system, bundle);
    if (result) destroy_bundle(bundle, &system->allocator);
    *made = bundle;
    return result;
}

mote_result mote_system_add_bundle(mote_system *system, const mote_bundle_def *def, mote_bundle_id *id,
                                   mote_bundle_fault *fault) {
    if (id) *id = (mote_bundle_id){0, 0};
    if (fault) *fault = (mote_bundle_fault){MOTE_ALL_STRANDS, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    if (mote_scheme_table[system->def.integrator].family == MOTE_FAMILY_ADVECTION)
        return MOTE_ERROR_INTEGRATOR;
    if (def->solver == MOTE_STRAND_CONSERVING && system->colliders.count) return MOTE_ERROR_INTEGRATOR;
    if (system->bundle_count == MOTE_MAX_BUNDLES || system->next_bundle == UINT32_MAX)
        return MOTE_ERROR_CAPACITY;
    mote_fpu_state saved = mote_fpu_enter();
    mote_result result = make(system, def, &system->bundles[system->bundle_count], fault);
    mote_fpu_leave(saved);
    if (result) return result;
    system->bundle_serials[system->bundle_count] = ++system->next_bundle;
    *id = mote_system_bundle_id(system, system->bundle_count++);
    return MOTE_OK;
}

uint32_t mote_strand_substeps(uint32_t points, double length, double acceleration, double timestep) {
    if (!(length > 0) || !(acceleration > 0) || !(timestep > 0)) return 1;
    const double count = timestep * (double)points * __builtin_sqrt(acceleration / (3.0 * length));
    if (!(count < (double)UINT32_MAX)) return UINT32_MAX;
    const uint32_t whole = (uint32_t)count;
    return whole + ((double)whole < count || whole == 0);
}

mote_result mote_system_remove_bundle(mote_system *system, mote_bundle_id id) {
    mote_bundle *bundle;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result) return result;
    mote_system_drop_bundle_links(system, id);
    uint32_t place = place_of(system, id), behind = --system->bundle_count - place;
    destroy_bundle(bundle, &system->allocator);
    memmove(system->bundles + place, system->bundles + place + 1, behind * sizeof *system->bundles);
    memmove(system->bundle_serials + place, system->bundle_serials + place + 1,
            behind * sizeof *system->bundle_serials);
    return MOTE_OK;
}

void mote_system_destroy_bundles(mote_system *system) {
    for (uint32_t i = 0; i < system->bundle_count; i++)
        destroy_bundle(system->bundles[i], &system->allocator);
    mote_release(&system->allocator, system->strand_scratch, system->strand_scratch_bytes);
}

/* --- Views --- */

mote_bundle_view mote_bundle_columns(mote_system *system, mote_bundle_id id) {
    const mote_bundle *bundle = mote_system_bundle(system, id);
    if (!bundle) return (mote_bundle_view){0};
    return (mote_bundle_view){.strand_count = bundle->strand_count,
                              .slot_count = bundle->slot_count,
                              .position = {bundle->x[0], bundle->x[1], bundle->x[2]},
                              .velocity = {bundle->v[0], bundle->v[1], bundle->v[2]},
                              .inverse_mass = bundle->inverse_mass,
                              .point_count = bundle->point_count,
                              .occupancy = (float)((double)bundle->point_count / (double)bundle->slot_count)};
}

uint32_t mote_bundle_points(const mote_system *system, mote_bundle_id id, uint32_t strand) {
    const mote_bundle *bundle = mote_system_bundle(system, id);
    if (!bundle || strand >= bundle->strand_count) return 0;
    return (uint32_t)bundle->points[bundle->lane_of_strand[strand]];
}

uint32_t mote_bundle_index(const mote_system *system, mote_bundle_id id, uint32_t strand, uint32_t point) {
    if (point >= mote_bundle_points(system, id, strand)) return MOTE_NO_SLOT;
    const mote_bundle *bundle = mote_system_bundle(system, id);
    return mote_bundle_slot_of(bundle, bundle->lane_of_strand[strand], point);
}

/* --- Roots and air --- */

/* The tick of the boundary reached. */
static uint64_t now_of(const mote_system *system) {
    return system->clock.step * system->clock.ticks_per_step;
}

mote_result mote_bundle_set_roots(mote_system *system, mote_bundle_id id, const mote_transform *transforms,
                                  uint32_t count, uint64_t tick) {
    if (!system || !transforms) return MOTE_ERROR_NULL;
    mote_bundle *bundle;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result) return result;
    if (count != 1 && count != bundle->strand_count) return MOTE_ERROR_RANGE;
    for (uint32_t i = 0; i < count && result == MOTE_OK; i++) result = mote_motion_check(&transforms[i]);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    for (uint32_t lane = 0; lane < bundle->strand_count; lane++) {
        uint32_t own = count == 1 ? 0 : bundle->strand_of_lane[lane];
        mote_bundle_aim_root(bundle, lane, &transforms[own], now_of(system), tick);
    }
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_bundle_set_root(mote_system *system, mote_bundle_id id, uint32_t strand,
                                 const mote_transform *transform, uint64_t tick) {
    if (!system || !transform) return MOTE_ERROR_NULL;
    mote_bundle *bundle;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result) return result;
    if (strand >= bundle->strand_count) return MOTE_ERROR_RANGE;
    result = mote_motion_check(transform);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    mote_bundle_aim_root(bundle, bundle->lane_of_strand[strand], transform, now_of(system), tick);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_bundle_set_air(mote_system *system, mote_bundle_id id, const vec3 velocity) {
    if (!system || !velocity) return MOTE_ERROR_NULL;
    mote_bundle *bundle;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result) return result;
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(velocity[axis])) return MOTE_ERROR_NOT_FINITE;
    memcpy(bundle->def.air_velocity, velocity, sizeof bundle->def.air_velocity);
    return MOTE_OK;
}

mote_result mote_bundle_reset(mote_system *system, mote_bundle_id id, uint32_t strand) {
    mote_bundle *bundle;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result) return result;
    if (strand != MOTE_ALL_STRANDS && strand >= bundle->strand_count) return MOTE_ERROR_RANGE;
    mote_fpu_state saved = mote_fpu_enter();
    if (strand != MOTE_ALL_STRANDS) {
        mote_bundle_rest(bundle, bundle->lane_of_strand[strand]);
    } else {
        for (uint32_t lane = 0; lane < bundle->strand_count; lane++) mote_bundle_rest(bundle, lane);
        bundle->started = false;
    }
    mote_fpu_leave(saved);
    return MOTE_OK;
}
