/* Calls for the strands of a system and their followers: mote/strands.h, mote/strands_present.h,
 * mote/followers.h. */
#include <math.h>
#include <string.h>

#include <mote/strands_present.h>

#include "strands/equilibrium.h"
#include "strands/followers.h"
#include "system/internal.h"
#include "system/strand_depth.h"

static const mote_strands *find(const mote_system *system, mote_strands_id id) {
    mote_range *range = mote_system_read_range(system, MOTE_KIND_STRANDS, MOTE_ID(id));
    return range ? mote_strands_of(range) : NULL;
}

/* Finds strands for a call that is not allowed while the system is busy. Errors: NULL, BUSY, ID. */
static mote_result edit(const mote_system *system, mote_strands_id id, mote_strands **strands) {
    mote_range *range;
    const mote_result result = mote_system_edit_range(system, MOTE_KIND_STRANDS, MOTE_ID(id), &range);
    if (result == MOTE_OK) *strands = mote_strands_of(range);
    return result;
}

/* Likewise for a call that sets what steps only read. */
static mote_result aim(const mote_system *system, mote_strands_id id, mote_strands **strands) {
    mote_range *range;
    const mote_result result = mote_system_aim_range(system, MOTE_KIND_STRANDS, MOTE_ID(id), &range);
    if (result == MOTE_OK) *strands = mote_strands_of(range);
    return result;
}

/* Finds strands and the lane of one of them, which must have the point. Errors: NULL, BUSY, ID, RANGE. */
static mote_result edit_point(const mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point,
                              mote_strands **strands, uint32_t *lane) {
    const mote_result result = edit(system, id, strands);
    if (result) return result;
    if (strand >= (*strands)->strand_count) return MOTE_ERROR_RANGE;
    *lane = (*strands)->lane_of_strand[strand];
    return point < (uint32_t)(*strands)->points[*lane] ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* --- Adding and removing --- */

static mote_result add(mote_system *system, const mote_strands_def *def, mote_strands_id *id,
                       mote_strands_fault *fault) {
    const mote_range_setup setup = mote_system_setup(system);
    mote_strands *strands;
    mote_id added;
    mote_result result = mote_strands_make(def, &setup, &strands, fault);
    if (result == MOTE_OK) result = mote_system_add_range(system, MOTE_KIND_STRANDS, &strands->range, &added);
    if (result == MOTE_OK) *id = strands->id = (mote_strands_id){added.index, added.generation};
    return result;
}

mote_result mote_system_add_strands(mote_system *system, const mote_strands_def *def, mote_strands_id *id,
                                    mote_strands_fault *fault) {
    mote_strands_fault ignored;
    if (!fault) fault = &ignored;
    *fault = (mote_strands_fault){MOTE_ALL_STRANDS, 0, NULL};
    if (id) *id = (mote_strands_id){0, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = mote_system_can_add_range(system, MOTE_KIND_STRANDS);
    if (result == MOTE_OK) result = add(system, def, id, fault);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_system_remove_strands(mote_system *system, mote_strands_id id) {
    return mote_system_remove_range(system, MOTE_KIND_STRANDS, MOTE_ID(id));
}

mote_result mote_strands_stability(const mote_system *system, mote_strands_id id, uint32_t strand,
                                   double *stiffness_factor) {
    mote_strands *strands;
    uint32_t lane;
    if (!system || !stiffness_factor) return MOTE_ERROR_NULL;
    const mote_result result = edit_point(system, id, strand, 0, &strands, &lane);
    if (result) return result;
    if (!mote_strands_rests_under_load(strands)) return MOTE_ERROR_RANGE;
    const mote_fpu_state saved = mote_fpu_enter();
    *stiffness_factor = mote_strands_stiffness_factor(strands, lane);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

static uint32_t substeps_for(uint32_t points, double length, double acceleration, double timestep) {
    if (!(length > 0) || !(acceleration > 0) || !(timestep > 0)) return 1;
    const double count = timestep * (double)points * __builtin_sqrt(acceleration / (3.0 * length));
    if (!(count < (double)UINT32_MAX)) return UINT32_MAX;
    const uint32_t whole = (uint32_t)count;
    return whole + ((double)whole < count || whole == 0);
}

uint32_t mote_strand_substeps(uint32_t points, double length, double acceleration, double timestep) {
    const mote_fpu_state saved = mote_fpu_enter();
    MOTE_FPU_COMPUTED(length); /* nothing is computed before */
    MOTE_FPU_COMPUTED(acceleration);
    MOTE_FPU_COMPUTED(timestep);
    uint32_t substeps = substeps_for(points, length, acceleration, timestep);
    MOTE_FPU_COMPUTED(substeps);
    mote_fpu_leave(saved);
    return substeps;
}

/* --- Views --- */

mote_strands_view mote_strands_columns(mote_system *system, mote_strands_id id) {
    const mote_strands *strands = find(system, id);
    if (!strands) return (mote_strands_view){0};
    const mote_fpu_state saved = mote_fpu_enter();
    float occupancy = (float)((double)strands->point_count / (double)strands->range.slot_count);
    MOTE_FPU_COMPUTED(occupancy);
    mote_fpu_leave(saved);
    return (mote_strands_view){
        .strand_count = strands->strand_count,
        .slot_count = strands->range.slot_count,
        .position = {strands->range.x[0], strands->range.x[1], strands->range.x[2]},
        .velocity = {strands->range.v[0], strands->range.v[1], strands->range.v[2]},
        .inverse_mass = strands->range.inverse_mass,
        .frame = {strands->frame[0], strands->frame[1], strands->frame[2], strands->frame[3]},
        .point_count = strands->point_count,
        .occupancy = occupancy};
}

uint32_t mote_strands_points(const mote_system *system, mote_strands_id id, uint32_t strand) {
    const mote_strands *strands = find(system, id);
    if (!strands || strand >= strands->strand_count) return 0;
    return (uint32_t)strands->points[strands->lane_of_strand[strand]];
}

uint32_t mote_strands_slot(const mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point) {
    const mote_strands *strands = find(system, id);
    if (!strands || strand >= strands->strand_count) return MOTE_NO_SLOT;
    const uint32_t lane = strands->lane_of_strand[strand];
    return point < (uint32_t)strands->points[lane] ? mote_strands_slot_of(strands, lane, point)
                                                   : MOTE_NO_SLOT;
}

/* --- Roots and air --- */

/* Sets the targets of the roots in lanes [first, end): `count` transforms, one for all or one per strand. */
static mote_result aim_roots(const mote_system *system, mote_strands *strands, uint32_t first, uint32_t end,
                             const mote_transform *transforms, uint32_t count, uint64_t tick) {
    for (uint32_t i = 0; i < count; i++) {
        const mote_result result = mote_motion_check(&transforms[i]);
        if (result) return result;
    }
    mote_fpu_state saved = mote_fpu_enter();
    for (uint32_t lane = first; lane < end; lane++)
        mote_strands_aim_root(strands, lane, &transforms[count == 1 ? 0 : strands->strand_of_lane[lane]],
                              mote_system_boundary(system), tick);
    return mote_system_end_edit(&strands->range, saved, MOTE_OK);
}

mote_result mote_strands_set_roots(mote_system *system, mote_strands_id id, const mote_transform *transforms,
                                   uint32_t count, uint64_t tick) {
    if (!system || !transforms) return MOTE_ERROR_NULL;
    mote_strands *strands;
    const mote_result result = aim(system, id, &strands);
    if (result) return result;
    if (count != 1 && count != strands->strand_count) return MOTE_ERROR_RANGE;
    return aim_roots(system, strands, 0, strands->strand_count, transforms, count, tick);
}

mote_result mote_strands_set_root(mote_system *system, mote_strands_id id, uint32_t strand,
                                  const mote_transform *transform, uint64_t tick) {
    if (!system || !transform) return MOTE_ERROR_NULL;
    mote_strands *strands;
    const mote_result result = aim(system, id, &strands);
    if (result) return result;
    if (strand >= strands->strand_count) return MOTE_ERROR_RANGE;
    const uint32_t lane = strands->lane_of_strand[strand];
    return aim_roots(system, strands, lane, lane + 1, transform, 1, tick);
}

mote_result mote_strands_set_air(mote_system *system, mote_strands_id id, const float velocity[3]) {
    if (!system || !velocity) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = aim(system, id, &strands);
    if (result) return result;
    if (!mote_vector_is_finite(velocity)) return MOTE_ERROR_NOT_FINITE;
    memcpy(strands->def.air_velocity, velocity, sizeof strands->def.air_velocity);
    return MOTE_OK;
}

mote_result mote_strands_reset(mote_system *system, mote_strands_id id, uint32_t strand) {
    mote_strands *strands;
    mote_result result = edit(system, id, &strands);
    if (result) return result;
    if (strand != MOTE_ALL_STRANDS && strand >= strands->strand_count) return MOTE_ERROR_RANGE;
    mote_fpu_state saved = mote_fpu_enter();
    if (strand != MOTE_ALL_STRANDS) {
        mote_strands_rest(strands, strands->lane_of_strand[strand]);
    } else {
        for (uint32_t lane = 0; lane < strands->strand_count; lane++) mote_strands_rest(strands, lane);
        strands->range.started = false;
    }
    mote_system_note(system, MOTE_NOTED_STRANDS_RESET, id.index, strand, NULL, 0);
    return mote_system_end_edit(&strands->range, saved, MOTE_OK);
}

/* --- Pins --- */

mote_result mote_strands_pin(mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point,
                             const float target[3], uint64_t tick) {
    if (!system || !target) return MOTE_ERROR_NULL;
    mote_strands *strands;
    uint32_t lane;
    mote_result result = edit_point(system, id, strand, point, &strands, &lane);
    if (result) return result;
    if (point == 0 && !strands->def.free_roots) return MOTE_ERROR_RANGE;
    if (!mote_vector_is_finite(target)) return MOTE_ERROR_NOT_FINITE;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_strands_add_pin(strands, lane, point, target, mote_system_boundary(system), tick,
                                  &system->allocator);
    if (result == MOTE_OK)
        mote_system_note(system, MOTE_NOTED_STRANDS_PIN, id.index, (uint64_t)strand << 32 | point, target,
                         3 * sizeof *target);
    return mote_system_end_edit(&strands->range, saved, result);
}

mote_result mote_strands_unpin(mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point) {
    mote_strands *strands;
    uint32_t lane;
    mote_result result = edit_point(system, id, strand, point, &strands, &lane);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_strands_remove_pin(strands, lane, point);
    if (result == MOTE_OK)
        mote_system_note(system, MOTE_NOTED_STRANDS_UNPIN, id.index, (uint64_t)strand << 32 | point, NULL, 0);
    return mote_system_end_edit(&strands->range, saved, result);
}

mote_result mote_strands_reaction(const mote_system *system, mote_strands_id id, uint32_t strand,
                                  uint32_t point, float impulse[3]) {
    if (!system || !impulse) return MOTE_ERROR_NULL;
    mote_strands *strands;
    uint32_t lane;
    mote_result result = edit_point(system, id, strand, point, &strands, &lane);
    if (result) return result;
    uint32_t slot = mote_strands_slot_of(strands, lane, point);
    if (!mote_float_is_zero(strands->range.inverse_mass[slot])) return MOTE_ERROR_RANGE;
    for (int axis = 0; axis < 3; axis++) impulse[axis] = strands->range.reaction[axis][slot];
    return MOTE_OK;
}

/* --- Reports and statistics --- */

mote_result mote_strands_report_of(const mote_system *system, mote_strands_id id, uint32_t strand,
                                   mote_strand_step_report *report) {
    if (!system || !report) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = edit(system, id, &strands);
    if (result) return result;
    if (strand >= strands->strand_count) return MOTE_ERROR_RANGE;
    uint32_t lane = strands->lane_of_strand[strand], deepest;
    const mote_fpu_state saved = mote_fpu_enter();
    float depth = (float)mote_strand_depth(system, strands, lane, &deepest);
    MOTE_FPU_COMPUTED(depth);
    mote_fpu_leave(saved);
    *report = (mote_strand_step_report){.strain = strands->strain[lane],
                                        .iterations = strands->iterations[lane],
                                        .unsolved = strands->unsolved[lane],
                                        .fallbacks = strands->fallbacks[lane],
                                        .buried = strands->buried[lane],
                                        .depth = depth,
                                        .deepest_point = deepest,
                                        .infeasible = strands->infeasible[lane] != 0,
                                        .stiff_curls = strands->stiff_curls[lane] != 0,
                                        .frozen = strands->frozen[lane] != 0};
    return MOTE_OK;
}

mote_result mote_strands_report(const mote_system *system, mote_strands_id id,
                                mote_strands_step_report *report) {
    if (!system || !report) return MOTE_ERROR_NULL;
    mote_strands *strands;
    const mote_result result = edit(system, id, &strands);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    *report = mote_strands_report_all(strands);
    report->depth = (float)mote_strands_depth(system, strands, &report->deepest_strand);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_strands_statistics(const mote_system *system, mote_strands_id id,
                                    mote_statistics *statistics) {
    mote_query query;
    const mote_result result = mote_query_range(&query, system, MOTE_KIND_STRANDS, MOTE_ID(id), statistics);
    if (result) return result;
    *statistics = mote_strands_statistics_of(mote_strands_of(query.range), &query.now);
    return mote_query_end(&query, MOTE_OK);
}

/* --- Presentation --- */

mote_result mote_strands_present(const mote_system *system, mote_strands_id id,
                                 const mote_strand_layout *layout, void *vertices, size_t bytes) {
    mote_query query;
    mote_result result = mote_query_range(&query, system, MOTE_KIND_STRANDS, MOTE_ID(id), layout);
    if (result) return result;
    result = mote_strands_write(mote_strands_of(query.range), &query.by, layout, vertices, bytes);
    return mote_query_end(&query, result);
}

/* --- Counts and indices --- */

static mote_strand_list list_of(const mote_system *system, mote_strands_id id) {
    const mote_strands *strands = find(system, id);
    return strands ? (mote_strand_list){strands->first_point, strands->strand_count}
                   : (mote_strand_list){NULL, 0};
}

uint64_t mote_strands_first_vertex(const mote_system *system, mote_strands_id id, mote_strand_shape shape,
                                   uint32_t strand) {
    return mote_strand_list_first_vertex(list_of(system, id), shape, strand);
}

uint64_t mote_strands_vertex_count(const mote_system *system, mote_strands_id id, mote_strand_shape shape) {
    return mote_strand_list_vertices(list_of(system, id), shape);
}

uint64_t mote_strands_index_count(const mote_system *system, mote_strands_id id, mote_strand_shape shape) {
    return mote_strand_list_index_count(list_of(system, id), shape);
}

mote_result mote_strands_index_buffer(const mote_system *system, mote_strands_id id, mote_strand_shape shape,
                                      uint32_t *indices, uint64_t count) {
    mote_strands *strands;
    mote_result result = edit(system, id, &strands);
    return result ? result : mote_strand_list_index_buffer(list_of(system, id), shape, indices, count);
}

/* --- Followers --- */

mote_result mote_followers_create(mote_system *system, mote_strands_id id, const mote_followers_def *def,
                                  mote_followers **followers, mote_strands_fault *fault) {
    mote_strands_fault ignored;
    if (!fault) fault = &ignored;
    if (followers) *followers = NULL;
    *fault = (mote_strands_fault){MOTE_ALL_STRANDS, 0, NULL};
    if (!system || !def || !followers) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = edit(system, id, &strands);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    result = mote_followers_make(strands, def, &system->allocator, &system->def.jobs, followers, fault);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_followers_present(const mote_system *system, mote_followers *followers,
                                   const mote_strand_layout *layout, void *vertices, size_t bytes) {
    if (!system || !followers) return MOTE_ERROR_NULL;
    /* The snapshot of another system may have replaced the mark; the stamp tells whether the strands are
     * alike.
     */
    const mote_strands_id id = {followers->strands.index, system->mark};
    mote_query query;
    mote_result result = mote_query_range(&query, system, MOTE_KIND_STRANDS, MOTE_ID(id), layout);
    if (result) return result;
    result =
        mote_followers_write(followers, mote_strands_of(query.range), &query.by, layout, vertices, bytes);
    return mote_query_end(&query, result);
}
