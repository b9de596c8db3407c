/* The two loop orders of loose particles, over the kernels of one instruction set. */
#include "particles/run.h"

#include <string.h>

#include "base/isa.h"
#include "base/work.h"

MOTE_KERNEL_LOOKUP(mote_particle_kernels, mote_particle_kernels);

mote_workspace mote_workspace_make(float *memory, size_t slots) {
    mote_workspace w = {.first = 0};
    float *column = memory;
    if (!memory) return w; /* no sums of a null pointer */
    for (int axis = 0; axis < 3; axis++, column += slots) w.x[axis] = column;
    for (int axis = 0; axis < 3; axis++, column += slots) w.v[axis] = column;
    for (int i = 0; i < MOTE_CARRY_COLUMNS; i++, column += slots) w.carry[i] = column;
    for (int axis = 0; axis < 3; axis++, column += slots) w.acceleration[axis] = column;
    for (int axis = 0; axis < 3; axis++, column += slots) w.force[axis] = column;
    for (int axis = 0; axis < 3; axis++, column += slots) w.from_x[axis] = column;
    for (int axis = 0; axis < 3; axis++, column += slots) w.from_v[axis] = column;
    w.frozen = (int32_t *)(void *)column;
    return w;
}

void mote_particles_span(const mote_particles *particles, uint64_t first_step, uint32_t steps,
                         mote_span *span) {
    const mote_range *range = &particles->range;
    span->inverse_mass = range->inverse_mass;
    span->fate = mote_particles_fate(particles);
    span->begin = 0;
    span->count = range->slot_count;
    span->first_slot = 0;
    span->steps = steps;
    span->first_step = first_step;
    span->collision = NULL;
    span->near = NULL;
    mote_particles_vector(particles, MOTE_COLUMN_EXTERNAL_FORCE, span->external_forces);
    mote_particles_vector(particles, MOTE_COLUMN_ANCHOR, span->anchor);
    for (int axis = 0; axis < 3; axis++) {
        span->x[axis] = range->x[axis], span->v[axis] = range->v[axis];
        span->previous_x[axis] = span->previous_v[axis] = NULL;
    }
}

static void copy(float *const to[3], size_t to_first, float *const from[3], size_t from_first, size_t count) {
    for (int axis = 0; axis < 3; axis++)
        memcpy(to[axis] + to_first, from[axis] + from_first, count * sizeof(float));
}

/* Loads the state of slots [first, end) at the start of a batch into the workspace. */
static void load(const mote_span *span, const mote_workspace *w, size_t first, size_t end) {
    copy(w->x, first - w->first, span->x, first, end - first);
    copy(w->v, first - w->first, span->v, first, end - first);
    memset(w->frozen + (first - w->first), 0, (end - first) * sizeof *w->frozen);
}

/* Stores the state before the last step. Until the commit, the span's columns hold the state at the start of
 * a step. */
static void keep_previous(const mote_span *span, uint32_t step, size_t first, size_t end) {
    if (!span->previous_x[0] || step + 1 != span->steps) return;
    copy(span->previous_x, first, span->x, first, end - first);
    if (span->previous_v[0]) copy(span->previous_v, first, span->v, first, end - first);
}

/* Stores the state before a substep, for its collisions. */
static void keep_from(const mote_span *span, const mote_workspace *w, size_t first, size_t end) {
    if (!span->collision) return;
    copy(w->from_x, first - w->first, w->x, first - w->first, end - first);
    copy(w->from_v, first - w->first, w->v, first - w->first, end - first);
}

/* Sums the contributions of callbacks for slots [first, end) into the workspace. */
static void call_callbacks(const mote_plan *plan, const mote_span *span, const mote_workspace *w, double time,
                           size_t first, size_t end) {
    float *x[3], *v[3], *acceleration[3], *force[3];
    for (int axis = 0; axis < 3; axis++) {
        x[axis] = w->x[axis] + (first - w->first), v[axis] = w->v[axis] + (first - w->first);
        acceleration[axis] = w->acceleration[axis] + (first - w->first);
        force[axis] = w->force[axis] + (first - w->first);
    }
    if (end > span->count) end = span->count;
    mote_stage_view view =
        mote_stage_view_make(time, (uint32_t)(span->first_slot + first), (uint32_t)(end - first), x, v);
    view.inverse_mass = plan->mass_column ? span->inverse_mass + first : NULL;
    view.uniform_inverse_mass = plan->inverse_mass;
    mote_stage_view all = view;
    all.range_count = (uint32_t)span->count;
    all.range_x = w->x[0], all.range_y = w->x[1], all.range_z = w->x[2];
    all.range_velocity_x = w->v[0], all.range_velocity_y = w->v[1], all.range_velocity_z = w->v[2];
    mote_plan_call(plan, &view, &all, acceleration, force);
}

/* Returns whether the last evaluation of a substep is reused as the first one of the next: velocity Verlet
 * without forces that read velocity. Not where collisions move particles in between. Not across steps: a
 * particle that froze in between is reset to the start of its step, and callbacks of others may read it. */
static bool may_reuse(const mote_run *run) {
    return run->plan->scheme->family == MOTE_FAMILY_VERLET && run->plan->reuse && !run->span->collision;
}

/* Context of a phase: of one block of particles, or of all of them. */
typedef struct phase_context {
    mote_run run;
    const mote_workspace *workspace;
    const mote_jobs *jobs;   /* of the stage-outer order */
    const mote_phase_at *at; /* of the stage-outer order */
    mote_items mine;         /* of the stage-outer order */
    size_t first, end;
    uint32_t step, frozen;
} phase_context;

static void run_phase(phase_context *p, const mote_phase_at *at, size_t first, size_t end, uint32_t *frozen) {
    const mote_family family = p->run.plan->scheme->family;
    const bool mass = p->run.plan->mass_column,
               again = at->stage == 0 && at->substep > 0 && may_reuse(&p->run);
    const double time = mote_plan_time(p->run.plan, p->run.span->first_step + p->step, at->substep,
                                       p->run.plan->scheme->time[at->stage]);
    switch (at->phase) {
    case MOTE_PHASE_LOAD:
        keep_previous(p->run.span, p->step, first, end);
        break;
    case MOTE_PHASE_BEGIN:
        keep_from(p->run.span, p->workspace, first, end);
        p->run.kernels->begin[family](p->run.plan, p->run.span, p->workspace, first, end);
        break;
    case MOTE_PHASE_EVALUATE:
        if (!again) call_callbacks(p->run.plan, p->run.span, p->workspace, time, first, end);
        break;
    case MOTE_PHASE_STAGE:
        p->run.kernels->stage[family](p->run.plan, p->run.span, p->workspace,
                                      (mote_staged_at){at->stage, time, again}, first, end);
        break;
    case MOTE_PHASE_END:
        if (p->run.span->collision)
            p->run.kernels->collide_staged(p->run.plan, p->run.span, p->workspace, at->substep, first, end);
        break;
    case MOTE_PHASE_COMMIT:
        p->run.kernels->commit[mass](p->run.span, p->workspace, p->step, first, end, frozen);
        break;
    default: /* phases of pins and constraints: loose particles have none */
        break;
    }
}

/* --- Block-outer order --- */

static void phase_of_block(void *context, const mote_phase_at *at) {
    phase_context *p = context;
    run_phase(p, at, p->first, p->end, &p->frozen);
}

static uint32_t run_block(const mote_run *run, size_t first, size_t end) {
    MOTE_ALIGNED(64) float memory[MOTE_WORKSPACE_COLUMNS * MOTE_BLOCK];
    mote_workspace w = mote_workspace_make(memory, MOTE_BLOCK);
    phase_context p = {.run = *run, .workspace = &w, .first = first, .end = end};
    w.first = first;
    memset(w.carry[0], 0, MOTE_CARRY_COLUMNS * MOTE_BLOCK * sizeof(float));
    load(run->span, &w, first, end);
    for (; p.step < run->span->steps; p.step++)
        mote_schedule_step(run->plan->substeps, run->plan->stages, phase_of_block, &p);
    return p.frozen;
}

/* Steps slots [first, end), which share a list of near colliders. Without any, collisions cost the watch over
 * the way of each register. */
static void run_near(const mote_run *run, size_t first, size_t end, uint32_t *frozen) {
    const mote_plan *plan = run->plan;
    const mote_collision *collision = run->span->collision;
    mote_slot_bounds bounds;
    mote_near near;
    mote_span span = *run->span;
    run->kernels->bound(&span, first, end, &bounds);
    mote_collision_near(collision, plan->substeps, plan->timestep, &bounds, &near);
    span.near = &near;
    if (near.count || bounds.any_stuck)
        run->kernels->collide[plan->scheme->family](plan, &span, first, end, frozen);
    else
        run->kernels->fused[plan->scheme->family][plan->mass_column][plan->mix](plan, &span, first, end,
                                                                                frozen);
}

void mote_run_blocks(const mote_run *run, size_t first, size_t end, uint32_t *frozen) {
    const mote_plan *plan = run->plan;
    end = mote_round_up(end, MOTE_GROUP);
    if (plan->callback_count == 0 && run->span->collision) {
        for (size_t block = first; block < end; block += MOTE_COLLISION_BLOCK)
            run_near(run, block, end - block < MOTE_COLLISION_BLOCK ? end : block + MOTE_COLLISION_BLOCK,
                     frozen);
        return;
    }
    if (plan->callback_count == 0) {
        run->kernels->fused[plan->scheme->family][plan->mass_column][plan->mix](plan, run->span, first, end,
                                                                                frozen);
        return;
    }
    for (size_t block = first; block < end; block += MOTE_BLOCK)
        *frozen += run_block(run, block, end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK);
}

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    phase_context *p = context;
    uint32_t frozen = 0;
    mote_run_blocks(&p->run, first, end, &frozen);
    if (frozen) __atomic_fetch_add(&p->frozen, frozen, __ATOMIC_RELAXED);
}

const mote_jobs *mote_run_jobs(const mote_run *run, size_t slots, const mote_jobs *jobs) {
    const mote_collision *collision = run->span->collision;
    const double colliding =
        collision ? run->plan->substeps * (MOTE_WORK_COLLISION * collision->all.count) : 0;
    return mote_jobs_for(jobs, (double)slots * run->span->steps * (run->plan->work + colliding));
}

uint32_t mote_run_parallel(const mote_run *run, size_t end, const mote_jobs *jobs) {
    phase_context p = {.run = *run};
    mote_parallel_for(mote_run_jobs(run, end, jobs), end, MOTE_BLOCK, do_blocks, &p);
    return p.frozen;
}

/* --- Stage-outer order --- */

static void do_load(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const phase_context *p = context;
    load(p->run.span, p->workspace, first, mote_round_up(end, MOTE_GROUP));
}

static void do_phase(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    phase_context *p = context;
    uint32_t frozen = 0;
    end = mote_round_up(end, MOTE_GROUP);
    for (size_t block = first; block < end; block += MOTE_BLOCK)
        run_phase(p, p->at, block, end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK, &frozen);
    if (frozen) __atomic_fetch_add(&p->frozen, frozen, __ATOMIC_RELAXED);
}

/* Returns whether a phase does nothing in any block; its parallel loop and barrier are skipped then. */
static bool is_empty_phase(const phase_context *p, mote_phase phase) {
    switch (phase) {
    case MOTE_PHASE_LOAD:
        return !p->run.span->previous_x[0];
    case MOTE_PHASE_EVALUATE:
        return p->run.plan->callback_count == 0;
    case MOTE_PHASE_END:
        return !p->run.span->collision;
    case MOTE_PHASE_BEGIN:
    case MOTE_PHASE_STAGE:
    case MOTE_PHASE_COMMIT:
        return false;
    default:
        return true;
    }
}

static void phase_of_all(void *context, const mote_phase_at *at) {
    phase_context *p = context;
    if (is_empty_phase(p, at->phase)) return;
    p->at = at;
    mote_parallel_over(p->jobs, &p->mine, MOTE_BLOCK, do_phase, p);
}

void mote_run_stages(const mote_run *run, const mote_items *mine, const mote_workspace *workspace,
                     const mote_jobs *jobs, uint32_t *frozen) {
    jobs = mote_run_jobs(run, run->span->count, jobs);
    phase_context p = {.run = *run, .workspace = workspace, .jobs = jobs, .mine = *mine};
    mote_parallel_over(jobs, mine, MOTE_BLOCK, do_load, &p);
    for (; p.step < run->span->steps; p.step++)
        mote_schedule_step(run->plan->substeps, run->plan->stages, phase_of_all, &p);
    *frozen += p.frozen;
}
