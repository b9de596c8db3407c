/* A network as a range: begins, runs and ends a step; links. */
#include <string.h>

#include "base/allocator.h"
#include "base/assert.h"
#include "networks/kernels.h"

static uint64_t scratch_bytes(const mote_range *range, uint32_t workers, bool stage_outer) {
    const mote_network *network = mote_const_network_of(range);
    const bool outer = network->has_outer || network->asks_outer || stage_outer;
    const size_t floats = mote_network_scratch_floats(network, workers, outer);
    return mote_round_up(floats * sizeof(float), MOTE_CACHE_LINE);
}

static uint32_t own_substeps(const mote_range *range) {
    const mote_network_def *def = &mote_const_network_of(range)->def;
    return def->policy == MOTE_STABILITY_SUBSTEP ? def->max_substeps : 0;
}

/* --- A step --- */

static mote_plan_def plan_def_of(const mote_network *network, const mote_step *step, uint32_t substeps) {
    mote_plan_def def = mote_range_plan_def(step, network->def.solver == MOTE_NETWORK_CONSTRAINED);
    def.substeps = substeps;
    def.mass_column = network->uniform_inverse_mass == 0;
    if (!def.mass_column) def.mass = 1.0 / (double)network->uniform_inverse_mass;
    return def;
}

static mote_network_job job_of(mote_network *network, const mote_plan *plan, const mote_step *step) {
    return (mote_network_job){
        .plan = plan,
        .network = network,
        .poses = mote_colliders_poses(step->colliders, step->tick, step->ticks_per_step, plan->substeps),
        .collider_count = step->colliders->list.count,
        .step = step->number,
        .step_tick = step->tick,
        .ticks_per_step = step->ticks_per_step,
        .constrained = network->def.solver == MOTE_NETWORK_CONSTRAINED,
        .keep_previous = step->last,
        .froze = &network->froze};
}

static void run_all(const mote_network_job *job, const mote_step *step) {
    mote_network_run_inner(job, step);
    if (!job->network->has_outer && !step->stage_outer) return;
    mote_network_outer_run outer = mote_network_outer(job, step, step->scratch);
    mote_schedule_step(job->plan->substeps, job->plan->stages, mote_network_outer_phase, &outer);
}

/* Position Verlet starts from v(t - h / 2), and keeps that offset where the automatic substep changes h.
 * Returns the kick as a fraction of h. */
static double start_half_step(mote_network *network, const mote_plan_def *def, const mote_step *step) {
    const double kick = mote_half_step_kick(&network->range, network->substeps, def->substeps);
    mote_plan plan;
    mote_plan_make_kick(&plan, def, kick);
    mote_network_job job = network->job;
    job.plan = &plan;
    job.kick = true;
    job.keep_previous = false;
    run_all(&job, step);
    return kick;
}

static void begin(mote_range *range, const mote_step *step) {
    mote_network *network = mote_network_of(range);
    bool capped;
    const uint32_t substeps = mote_network_substeps(network, step->plan, &capped);
    const mote_plan_def def = plan_def_of(network, step, substeps);
    mote_plan_make(&range->plan, &def);
    network->froze = 0;
    range->kicked = 0;
    mote_network_end_reels(network, step->tick);
    network->report =
        (mote_network_step_report){.substeps = substeps, .capped = capped, .frozen = network->report.frozen};
    mote_network_job *job = &network->job;
    *job = job_of(network, &range->plan, step);
    if (!job->constrained && range->plan.scheme->half_step_velocity &&
        (!range->started || network->substeps != substeps))
        range->kicked = range->plan.h * start_half_step(network, &def, step);
    job->uncoupled = !job->constrained && range->plan.scheme->kick_after;
    if (job->uncoupled) mote_network_unit_responses(network, &range->plan);
    if (job->constrained) mote_network_choose_origins(network);
    if (job->constrained) mote_network_find_aggregates(network);
}

/* Linked blocks are outer; while links exist, they are stepped by `phase`. */
static void run(mote_range *range, const mote_step *step) {
    const mote_network_job *job = &mote_network_of(range)->job;
    if (range->link_count)
        mote_network_run_inner(job, step);
    else
        run_all(job, step);
}

static void phase(mote_range *range, const mote_step *step, const mote_phase_at *at) {
    mote_network *network = mote_network_of(range);
    network->job.linked = true;
    mote_network_outer_run outer = mote_network_outer(&network->job, step, network->linked_scratch);
    mote_network_outer_phase(&outer, at);
}

static void end(mote_range *range) {
    mote_network *network = mote_network_of(range);
    if (network->froze) network->report.frozen = 0;
    for (uint32_t i = 0; network->froze && i < network->island_count; i++)
        network->report.frozen += network->frozen[i];
    const uint32_t torn = network->torn_count;
    mote_network_tear(network);
    MOTE_ASSERT(network->torn_count == torn || mote_network_validate(range));
    network->report.torn = network->torn_count - torn;
    range->started = true;
    network->substeps = range->plan.substeps;
}

/* --- Links --- */

static mote_result slot_of_end(const mote_range *range, const mote_link_end *end, uint32_t *slot) {
    const mote_network *network = mote_const_network_of(range);
    if (end->particle >= network->particle_count) return MOTE_ERROR_RANGE;
    *slot = network->slot_of_particle[end->particle];
    return MOTE_OK;
}

static mote_result accepts_link(const mote_range *range, const mote_link *link) {
    const mote_network *network = mote_const_network_of(range);
    const mote_spring spring = {.stiffness = link->stiffness, .damping = link->damping};
    if (network->def.policy == MOTE_STABILITY_SUBSTEP) return MOTE_ERROR_INTEGRATOR;
    const bool grows = mote_network_grows(network->integrator, network->def.solver, &spring);
    return grows && !network->def.growth_allowed ? MOTE_ERROR_STABILITY : MOTE_OK;
}

/* Of a link that is added (1) allocates; of one for whose step there is memory (0), marks the block of its
 * particle as outer. It stays so when the link is removed (-1). */
static mote_result link_slot(mote_range *range, uint32_t slot, int change, const mote_allocator *allocator) {
    mote_network *network = mote_network_of(range);
    if (change == 0) network->block[mote_network_block_of(network, slot)].outer = network->has_outer = true;
    if (change <= 0) return MOTE_OK;
    if (!network->linked_scratch) {
        network->linked_bytes =
            mote_round_up(mote_network_outer_floats(network) * sizeof(float), MOTE_CACHE_LINE);
        network->linked_scratch = mote_allocate(allocator, network->linked_bytes);
        if (!network->linked_scratch) return MOTE_ERROR_MEMORY;
        memset(network->linked_scratch, 0, network->linked_bytes);
    }
    network->asks_outer = true;
    return MOTE_OK;
}

static mote_range_point point(mote_range *range, uint32_t slot) {
    mote_network *network = mote_network_of(range);
    const mote_jobs serial = {0, NULL, NULL, 0};
    const mote_step none = {.jobs = &serial};
    const mote_network_scratch c = mote_network_outer(&network->job, &none, network->linked_scratch).columns;
    const bool pinned = range->inverse_mass[slot] == 0;
    const bool springs = network->def.solver == MOTE_NETWORK_SPRINGS;
    mote_range_point p = {.ahead = (float)(range->plan.scheme->time[0] * range->plan.h),
                          .held_time = springs ? mote_plan_held_time(&range->plan) : 0};
    for (size_t axis = 0; axis < 3; axis++) {
        float *column = c.memory + axis * c.stride + slot;
        if (network->step_origin[0]) p.origin[axis] = network->step_origin[axis][slot];
        p.x[axis] = column + COLUMN(x) * c.stride, p.v[axis] = column + COLUMN(v) * c.stride;
        p.force[axis] = column + COLUMN(force_sum) * c.stride;
        p.reaction[axis] = pinned ? range->reaction[axis] + slot : NULL;
    }
    return p;
}

static bool is_frozen(const mote_range *range, uint32_t slot) {
    const mote_network *network = mote_const_network_of(range);
    return network->frozen[network->island[slot]];
}

static void place(const mote_range *range, uint32_t slot, double x[3]) {
    mote_network_place(mote_const_network_of(range), slot, x);
}

static void set_id(mote_range *range, uint32_t index, uint32_t generation) {
    mote_network_of(range)->id = (mote_network_id){index, generation};
}

const mote_range_kind mote_network_kind = {.destroy = mote_network_destroy,
                                           .scratch_bytes = scratch_bytes,
                                           .can_step = mote_network_can_step,
                                           .own_substeps = own_substeps,
                                           .resolve = mote_network_resolve,
                                           .keep_arrivals = mote_network_keep_arrivals,
                                           .begin = begin,
                                           .run = run,
                                           .phase = phase,
                                           .end = end,
                                           .slot_of_end = slot_of_end,
                                           .accepts_link = accepts_link,
                                           .link = link_slot,
                                           .point = point,
                                           .is_frozen = is_frozen,
                                           .place = place,
                                           .hash = mote_network_hash,
                                           .divide = mote_network_divide,
                                           .set_id = set_id,
                                           .archive = mote_network_archive,
                                           .count_items = mote_network_count_items,
                                           .hash_items = mote_network_hash_items,
                                           .hash_settings = mote_network_hash_settings,
                                           .hash_calls = mote_network_hash_calls,
                                           .sum = mote_network_sum,
                                           .validate = mote_network_validate};
