/* Pins of bundles, and what strands report: reactions, stretch, statistics. */
#include <math.h>

#include "base/fpu.h"
#include "system/internal.h"

/* The lane of a strand, or RANGE where it has no such point. */
static mote_result find_point(const mote_bundle *bundle, uint32_t strand, uint32_t point, uint32_t *lane) {
    if (strand >= bundle->strand_count) return MOTE_ERROR_RANGE;
    *lane = bundle->lane_of_strand[strand];
    return point < (uint32_t)bundle->points[*lane] ? MOTE_OK : MOTE_ERROR_RANGE;
}

mote_result mote_bundle_pin(mote_system *system, mote_bundle_id id, uint32_t strand, uint32_t point,
                            const vec3 target, uint64_t tick) {
    if (!system || !target) return MOTE_ERROR_NULL;
    mote_bundle *bundle;
    uint32_t lane;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result == MOTE_OK) result = find_point(bundle, strand, point, &lane);
    if (result) return result;
    if (point == 0 && !bundle->def.free_roots) return MOTE_ERROR_RANGE;
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(target[axis])) return MOTE_ERROR_NOT_FINITE;
    mote_fpu_state saved = mote_fpu_enter();
    uint64_t now = system->clock.step * system->clock.ticks_per_step;
    result = mote_bundle_add_pin(bundle, lane, point, target, now, tick, &system->allocator);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_bundle_unpin(mote_system *system, mote_bundle_id id, uint32_t strand, uint32_t point) {
    mote_bundle *bundle;
    uint32_t lane;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result == MOTE_OK) result = find_point(bundle, strand, point, &lane);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_bundle_remove_pin(bundle, lane, point);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_bundle_reaction(const mote_system *system, mote_bundle_id id, uint32_t strand,
                                 uint32_t point, float impulse[3]) {
    if (!system || !impulse) return MOTE_ERROR_NULL;
    mote_bundle *bundle;
    uint32_t lane;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result == MOTE_OK) result = find_point(bundle, strand, point, &lane);
    if (result) return result;
    uint32_t slot = mote_bundle_slot_of(bundle, lane, point);
    if (bundle->inverse_mass[slot] > 0) return MOTE_ERROR_RANGE;
    for (int axis = 0; axis < 3; axis++) impulse[axis] = bundle->reaction[axis][slot];
    return MOTE_OK;
}

mote_result mote_bundle_report(const mote_system *system, mote_bundle_id id, uint32_t strand,
                               mote_strand_report *report) {
    if (!system || !report) return MOTE_ERROR_NULL;
    mote_bundle *bundle;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result) return result;
    if (strand >= bundle->strand_count) return MOTE_ERROR_RANGE;
    uint32_t lane = bundle->lane_of_strand[strand];
    *report = (mote_strand_report){.stretch = bundle->stretch[lane],
                                   .iterations = bundle->iterations[lane],
                                   .capped = bundle->capped[lane],
                                   .fallbacks = bundle->fallbacks[lane],
                                   .infeasible = bundle->infeasible[lane] != 0,
                                   .frozen = bundle->frozen[lane] != 0};
    return MOTE_OK;
}

static void measure(const mote_bundle *bundle, mote_bundle_statistics *to) {
    double stretch = 0;
    *to = (mote_bundle_statistics){0};
    for (uint32_t strand = 0; strand < bundle->strand_count; strand++) {
        uint32_t lane = bundle->lane_of_strand[strand];
        if (bundle->stretch[lane] > to->max_stretch) to->max_stretch = bundle->stretch[lane];
        stretch += (double)bundle->stretch_sum[lane];
        to->iterations += bundle->iterations[lane];
        to->capped += bundle->capped[lane] != 0;
        to->fallbacks += bundle->fallbacks[lane] != 0;
        to->infeasible += bundle->infeasible[lane] != 0;
        to->frozen += bundle->frozen[lane] != 0;
    }
    to->mean_stretch = (float)(stretch / (double)(bundle->point_count - bundle->strand_count));
}

mote_result mote_bundle_measure(const mote_system *system, mote_bundle_id id,
                                mote_bundle_statistics *statistics) {
    if (!system || !statistics) return MOTE_ERROR_NULL;
    mote_bundle *bundle;
    mote_result result = mote_system_edit_bundle(system, id, &bundle);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    measure(bundle, statistics);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
