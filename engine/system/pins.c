/* Pins of bundles, and what strands report: reactions, stretch, statistics. */
#include <math.h>

#include "base/fpu.h"
#include "system/internal.h"

/* The lane of a strand, or RANGE where it has no such point. */
static mote_result find_point(const mote_strands *strands, uint32_t strand, uint32_t point, uint32_t *lane) {
    if (strand >= strands->strand_count) return MOTE_ERROR_RANGE;
    *lane = strands->lane_of_strand[strand];
    return point < (uint32_t)strands->points[*lane] ? MOTE_OK : MOTE_ERROR_RANGE;
}

mote_result mote_strands_pin(mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point,
                             const vec3 target, uint64_t tick) {
    if (!system || !target) return MOTE_ERROR_NULL;
    mote_strands *strands;
    uint32_t lane;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result == MOTE_OK) result = find_point(strands, strand, point, &lane);
    if (result) return result;
    if (point == 0 && !strands->def.free_roots) return MOTE_ERROR_RANGE;
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(target[axis])) return MOTE_ERROR_NOT_FINITE;
    mote_fpu_state saved = mote_fpu_enter();
    uint64_t now = system->clock.step * system->clock.ticks_per_step;
    result = mote_strands_add_pin(strands, lane, point, target, now, tick, &system->allocator);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_strands_unpin(mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point) {
    mote_strands *strands;
    uint32_t lane;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result == MOTE_OK) result = find_point(strands, strand, point, &lane);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_strands_remove_pin(strands, lane, point);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_strands_reaction(const mote_system *system, mote_strands_id id, uint32_t strand,
                                  uint32_t point, float impulse[3]) {
    if (!system || !impulse) return MOTE_ERROR_NULL;
    mote_strands *strands;
    uint32_t lane;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result == MOTE_OK) result = find_point(strands, strand, point, &lane);
    if (result) return result;
    uint32_t slot = mote_strands_slot_of(strands, lane, point);
    if (strands->inverse_mass[slot] > 0) return MOTE_ERROR_RANGE;
    for (int axis = 0; axis < 3; axis++) impulse[axis] = strands->reaction[axis][slot];
    return MOTE_OK;
}

mote_result mote_strands_report_of(const mote_system *system, mote_strands_id id, uint32_t strand,
                                   mote_strand_step_report *report) {
    if (!system || !report) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result) return result;
    if (strand >= strands->strand_count) return MOTE_ERROR_RANGE;
    uint32_t lane = strands->lane_of_strand[strand];
    *report = (mote_strand_step_report){.stretch = strands->stretch[lane],
                                        .iterations = strands->iterations[lane],
                                        .capped = strands->capped[lane],
                                        .fallbacks = strands->fallbacks[lane],
                                        .infeasible = strands->infeasible[lane] != 0,
                                        .frozen = strands->frozen[lane] != 0};
    return MOTE_OK;
}

static void measure(const mote_strands *strands, mote_strands_step_report *to) {
    double stretch = 0;
    *to = (mote_strands_step_report){0};
    for (uint32_t strand = 0; strand < strands->strand_count; strand++) {
        uint32_t lane = strands->lane_of_strand[strand];
        if (strands->stretch[lane] > to->max_stretch) to->max_stretch = strands->stretch[lane];
        stretch += (double)strands->stretch_sum[lane];
        to->iterations += strands->iterations[lane];
        to->capped += strands->capped[lane] != 0;
        to->fallbacks += strands->fallbacks[lane] != 0;
        to->infeasible += strands->infeasible[lane] != 0;
        to->frozen += strands->frozen[lane] != 0;
    }
    to->mean_stretch = (float)(stretch / (double)(strands->point_count - strands->strand_count));
}

mote_result mote_strands_report(const mote_system *system, mote_strands_id id,
                                mote_strands_step_report *statistics) {
    if (!system || !statistics) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = mote_system_edit_strands(system, id, &strands);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    measure(strands, statistics);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
