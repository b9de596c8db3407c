/* Strands as a range: begin, run and end of a step, and links. */
#include <string.h>

#include "base/allocator.h"
#include "base/parallel.h"
#include "strands/kernels.h"

static uint64_t scratch_bytes(const mote_range *range, uint32_t workers, bool stage_outer) {
    (void)stage_outer;
    const mote_strands *strands = mote_const_strands_of(range);
    return workers * mote_strand_scratch_floats(strands->max_points) * sizeof(float);
}

static uint32_t own_substeps(const mote_range *range) { return mote_const_strands_of(range)->def.substeps; }

/* --- A step --- */

static mote_strand_job job_of(mote_strands *strands, const mote_plan *plan, const mote_step *step) {
    const bool springs = strands->def.solver == MOTE_STRAND_SPRINGS;
    return (mote_strand_job){
        .plan = plan,
        .strands = strands,
        .poses = mote_colliders_poses(step->colliders, step->tick, step->ticks_per_step, plan->substeps),
        .collider_count = step->colliders->list.count,
        .step = step->number,
        .step_tick = step->tick,
        .ticks_per_step = step->ticks_per_step,
        .uncoupled = springs && plan->scheme->kick_after,
        .keep_previous = step->last};
}

/* Position Verlet starts from v(t - h / 2), and keeps that offset where links change h. Returns the kick as a
 * fraction of h. */
static double start_half_step(const mote_strand_job *of, const mote_plan_def *def, const mote_step *step) {
    const mote_strands *strands = of->strands;
    const double kick = mote_half_step_kick(&strands->range, strands->substeps, def->substeps);
    mote_plan plan;
    mote_plan_make_kick(&plan, def, kick);
    mote_strand_job job = *of;
    job.plan = &plan;
    job.kick = true;
    job.keep_previous = false;
    mote_strands_run(&job, step, true);
    return kick;
}

/* Steps without colliders leave the columns of kept friction as they are: 0. */
static void forget_friction(mote_strands *strands, bool colliders) {
    for (int axis = 0; axis < 3 && strands->rubs && !colliders; axis++)
        memset(strands->friction[axis], 0, strands->range.slot_count * sizeof(float));
    if (strands->rubs && !colliders) memset(strands->pressure, 0, strands->range.slot_count * sizeof(float));
    strands->rubs = colliders && strands->pressure;
}

static void begin(mote_range *range, const mote_step *step) {
    mote_strands *strands = mote_strands_of(range);
    const bool springs = strands->def.solver == MOTE_STRAND_SPRINGS;
    mote_plan_def def = mote_range_plan_def(step, !springs);
    /* Linked ranges step together, by the system's substeps. */
    if (strands->def.substeps && !range->link_count) def.substeps = strands->def.substeps;
    mote_plan_make(&range->plan, &def);
    range->kicked = 0;
    strands->job = job_of(strands, &range->plan, step);
    const bool shifts = springs && range->plan.scheme->half_step_velocity;
    const bool same = strands->substeps == def.substeps || strands->substeps == 0;
    if (shifts && !(range->started && same))
        range->kicked = start_half_step(&strands->job, &def, step) * range->plan.h;
    strands->substeps = shifts ? def.substeps : 0;
    if (step->last) mote_strands_keep_rotations(strands, step->tick, step->tick + step->ticks_per_step);
    forget_friction(strands, step->colliders->list.count != 0);
    range->started = true;
}

static void run(mote_range *range, const mote_step *step) {
    mote_strands_run(&mote_strands_of(range)->job, step, false);
}

typedef struct linked_phase {
    const mote_strand_job *job;
    const mote_phase_at *at;
} linked_phase;

static void do_linked_groups(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const linked_phase *p = context;
    const mote_strands *strands = p->job->strands;
    for (size_t i = first; i < end; i++) {
        const uint32_t group = strands->linked[i];
        strands->kernels->phase(p->job, group, p->at, strands->group[group].linked_work);
    }
}

/* Returns whether a phase is empty for all groups; an empty phase needs no barrier. */
static bool is_empty_phase(const mote_strand_job *job, mote_phase phase) {
    const bool springs = job->strands->def.solver == MOTE_STRAND_SPRINGS;
    return phase == MOTE_PHASE_CHECK || (phase == MOTE_PHASE_PLACE && !springs) ||
           (phase == MOTE_PHASE_SOLVE && springs) ||
           (phase == MOTE_PHASE_END && springs && !job->collider_count);
}

static void phase(mote_range *range, const mote_step *step, const mote_phase_at *at) {
    linked_phase p = {&mote_strands_of(range)->job, at};
    if (!is_empty_phase(p.job, at->phase))
        mote_parallel_for(mote_strands_jobs(p.job, step), p.job->strands->linked_count, 1, do_linked_groups,
                          &p);
}

static void end(mote_range *range) { (void)range; }

/* --- Links --- */

static mote_result slot_of_end(const mote_range *range, const mote_link_end *end, uint32_t *slot) {
    const mote_strands *strands = mote_const_strands_of(range);
    if (end->strand >= strands->strand_count) return MOTE_ERROR_RANGE;
    const uint32_t lane = strands->lane_of_strand[end->strand];
    if (end->point >= (uint32_t)strands->points[lane]) return MOTE_ERROR_RANGE;
    *slot = mote_strands_slot_of(strands, lane, end->point);
    return MOTE_OK;
}

static void list_group(mote_strands *strands, uint32_t group) {
    strands->linked[strands->linked_count++] = group;
}

static void unlist_group(mote_strands *strands, uint32_t group) {
    uint32_t place = 0;
    while (strands->linked[place] != group) place++;
    strands->linked[place] = strands->linked[--strands->linked_count];
}

static mote_result link_slot(mote_range *range, uint32_t slot, int change, const mote_allocator *allocator) {
    mote_strands *strands = mote_strands_of(range);
    const uint32_t number = mote_strands_group_of(strands, slot);
    mote_strand_group *group = &strands->group[number];
    const size_t bytes = mote_strand_work_bytes(strands->max_points);
    if (change == 0) return MOTE_OK;
    if (group->links == 0) {
        group->linked_work = mote_allocate(allocator, bytes);
        if (!group->linked_work) return MOTE_ERROR_MEMORY;
        list_group(strands, number);
    }
    group->links += (uint32_t)change;
    if (group->links == 0) {
        mote_release(allocator, group->linked_work, bytes);
        unlist_group(strands, number);
    }
    return MOTE_OK;
}

static mote_range_point point(mote_range *range, uint32_t slot) {
    const mote_strands *strands = mote_strands_of(range);
    const mote_strand_group *group = &strands->group[mote_strands_group_of(strands, slot)];
    const bool pinned = range->inverse_mass[slot] == 0;
    mote_range_point p = strands->kernels->point(&strands->job, group->linked_work, slot - group->first);
    const uint32_t root = group->first + (slot - group->first) % MOTE_GROUP;
    for (int axis = 0; axis < 3; axis++) {
        if (strands->relative_x[0]) p.origin[axis] = range->x[axis][root];
        if (!pinned) p.reaction[axis] = NULL;
    }
    return p;
}

static void place(const mote_range *range, uint32_t slot, double x[3]) {
    const mote_strands *strands = mote_const_strands_of(range);
    const uint32_t group = mote_strands_group_of(strands, slot);
    mote_strands_place(strands, mote_strands_lane_of(strands, group, slot), slot, x);
}

static bool is_frozen(const mote_range *range, uint32_t slot) {
    const mote_strands *strands = mote_const_strands_of(range);
    return strands->frozen[mote_strands_lane_of(strands, mote_strands_group_of(strands, slot), slot)];
}

static void set_id(mote_range *range, uint32_t index, uint32_t generation) {
    mote_strands_of(range)->id = (mote_strands_id){index, generation};
}

/* --- Clusters --- */

/* Divides the lane groups at nearly equal numbers of slots. */
static mote_result divide(mote_range *range, const mote_peers *peers, const mote_allocator *allocator) {
    const mote_strands *strands = mote_const_strands_of(range);
    const uint32_t ranks = peers->transport.ranks;
    (void)allocator;
    uint32_t group = 0;
    for (uint32_t rank = 0; rank <= ranks; rank++) {
        const uint64_t target = (uint64_t)range->slot_count * rank / ranks;
        while (group < strands->group_count && strands->group[group].first < target) group++;
        range->bound.unit[rank] = group;
        range->bound.slot[rank] =
            group < strands->group_count ? strands->group[group].first : range->slot_count;
        range->bound.lane[rank] = group * MOTE_GROUP;
    }
    return MOTE_OK;
}

const mote_range_kind mote_strands_kind = {.destroy = mote_strands_destroy,
                                           .scratch_bytes = scratch_bytes,
                                           .own_substeps = own_substeps,
                                           .resolve = mote_strands_resolve,
                                           .keep_arrivals = mote_strands_keep_arrivals,
                                           .begin = begin,
                                           .run = run,
                                           .phase = phase,
                                           .end = end,
                                           .slot_of_end = slot_of_end,
                                           .link = link_slot,
                                           .point = point,
                                           .place = place,
                                           .is_frozen = is_frozen,
                                           .hash = mote_strands_hash,
                                           .divide = divide,
                                           .set_id = set_id,
                                           .archive = mote_strands_archive,
                                           .count_items = mote_strands_count_items,
                                           .hash_items = mote_strands_hash_items,
                                           .hash_settings = mote_strands_hash_settings,
                                           .hash_calls = mote_strands_hash_calls,
                                           .sum = mote_strands_sum,
                                           .validate = mote_strands_validate};
