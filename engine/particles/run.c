/* The two loop orders of loose particles, over the kernels of one instruction set. */
#include "particles/run.h"

#include <string.h>

#include "base/isa.h"

MOTE_KERNEL_LOOKUP(mote_particle_kernels, mote_particle_kernels);

mote_workspace mote_workspace_make(float *memory, size_t slots) {
    mote_workspace w = {.first = 0};
    float *column = memory;
    for (int axis = 0; axis < 3; axis++, column += slots) w.x[axis] = column;
    for (int axis = 0; axis < 3; axis++, column += slots) w.v[axis] = column;
    for (int i = 0; i < MOTE_CARRY_COLUMNS; i++, column += slots) w.carry[i] = column;
    for (int axis = 0; axis < 3; axis++, column += slots) w.acceleration[axis] = column;
    for (int axis = 0; axis < 3; axis++, column += slots) w.force[axis] = column;
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

static mote_stage_view view_of(const mote_plan *plan, const mote_span *span, const mote_workspace *w,
                               double time, size_t first, size_t end) {
    size_t at = first - w->first;
    return (mote_stage_view){.time = time,
                             .first = (uint32_t)(span->first_slot + first),
                             .count = (uint32_t)(end - first),
                             .x = w->x[0] + at,
                             .y = w->x[1] + at,
                             .z = w->x[2] + at,
                             .velocity_x = w->v[0] + at,
                             .velocity_y = w->v[1] + at,
                             .velocity_z = w->v[2] + at,
                             .inverse_mass = plan->mass_column ? span->inverse_mass + first : NULL,
                             .uniform_inverse_mass = plan->inverse_mass};
}

/* Sums the contributions of callbacks for slots [first, end) into the workspace. */
static void call_callbacks(const mote_plan *plan, const mote_span *span, const mote_workspace *w, double time,
                           size_t first, size_t end) {
    const size_t at = first - w->first;
    const mote_stage_view view = view_of(plan, span, w, time, first, end < span->count ? end : span->count);
    float *const acceleration[3] = {w->acceleration[0] + at, w->acceleration[1] + at,
                                    w->acceleration[2] + at};
    float *const force[3] = {w->force[0] + at, w->force[1] + at, w->force[2] + at};
    mote_stage_view all = view;
    all.range_count = (uint32_t)span->count;
    all.range_x = w->x[0], all.range_y = w->x[1], all.range_z = w->x[2];
    all.range_velocity_x = w->v[0], all.range_velocity_y = w->v[1], all.range_velocity_z = w->v[2];
    mote_plan_call(plan, &view, &all, acceleration, force);
}

/* Returns whether the last evaluation of a substep is reused as the first one of the next: velocity Verlet
 * without forces that read velocity. Not across steps: a particle that froze in between is reset to the start
 * of its step, and callbacks of others may read it. */
static bool may_reuse(const mote_plan *plan) {
    return plan->scheme->family == MOTE_FAMILY_VERLET && plan->reuse;
}

/* Context of a phase: of one block of particles, or of all of them. */
typedef struct phase_context {
    const mote_particle_kernels *kernels;
    const mote_plan *plan;
    const mote_span *span;
    const mote_workspace *workspace;
    const mote_jobs *jobs;   /* of the stage-outer order */
    const mote_phase_at *at; /* of the stage-outer order */
    size_t first, end;
    uint32_t step, frozen;
} phase_context;

static void run_phase(phase_context *p, const mote_phase_at *at, size_t first, size_t end, uint32_t *frozen) {
    const mote_family family = p->plan->scheme->family;
    const bool mass = p->plan->mass_column, again = at->stage == 0 && at->substep > 0 && may_reuse(p->plan);
    const double time =
        mote_plan_time(p->plan, p->span->first_step + p->step, at->substep, p->plan->scheme->time[at->stage]);
    switch (at->phase) {
    case MOTE_PHASE_LOAD:
        keep_previous(p->span, p->step, first, end);
        break;
    case MOTE_PHASE_BEGIN:
        p->kernels->begin[family][mass](p->plan, p->span, p->workspace, first, end);
        break;
    case MOTE_PHASE_EVALUATE:
        if (!again) call_callbacks(p->plan, p->span, p->workspace, time, first, end);
        break;
    case MOTE_PHASE_STAGE:
        p->kernels->stage[family][mass](p->plan, p->span, p->workspace,
                                        (mote_staged_at){at->stage, time, again}, first, end);
        break;
    case MOTE_PHASE_COMMIT:
        p->kernels->commit[mass](p->span, p->workspace, p->step, first, end, frozen);
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

static uint32_t run_block(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                          size_t first, size_t end) {
    MOTE_ALIGNED(64) float memory[MOTE_WORKSPACE_COLUMNS * MOTE_BLOCK];
    mote_workspace w = mote_workspace_make(memory, MOTE_BLOCK);
    phase_context p = {
        .kernels = kernels, .plan = plan, .span = span, .workspace = &w, .first = first, .end = end};
    w.first = first;
    memset(w.carry[0], 0, MOTE_CARRY_COLUMNS * MOTE_BLOCK * sizeof(float));
    load(span, &w, first, end);
    for (; p.step < span->steps; p.step++)
        mote_schedule_step(plan->substeps, plan->stages, phase_of_block, &p);
    return p.frozen;
}

void mote_run_blocks(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                     size_t first, size_t end, uint32_t *frozen) {
    end = mote_round_up(end, MOTE_GROUP);
    if (plan->callback_count == 0) {
        kernels->fused[plan->scheme->family][plan->mass_column][plan->mix](plan, span, first, end, frozen);
        return;
    }
    for (size_t block = first; block < end; block += MOTE_BLOCK)
        *frozen += run_block(kernels, plan, span, block, end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK);
}

typedef struct block_context {
    const mote_particle_kernels *kernels;
    const mote_plan *plan;
    const mote_span *span;
    uint32_t frozen;
} block_context;

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    block_context *i = context;
    uint32_t frozen = 0;
    mote_run_blocks(i->kernels, i->plan, i->span, first, end, &frozen);
    if (frozen) __atomic_fetch_add(&i->frozen, frozen, __ATOMIC_RELAXED);
}

uint32_t mote_run_parallel(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                           size_t end, const mote_jobs *jobs) {
    block_context i = {kernels, plan, span, 0};
    mote_parallel_for(jobs, end, MOTE_BLOCK, do_blocks, &i);
    return i.frozen;
}

/* --- Stage-outer order --- */

static void do_load(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const phase_context *p = context;
    load(p->span, p->workspace, first, mote_round_up(end, MOTE_GROUP));
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
        return !p->span->previous_x[0];
    case MOTE_PHASE_EVALUATE:
        return p->plan->callback_count == 0;
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
    mote_parallel_for(p->jobs, p->span->count, MOTE_BLOCK, do_phase, p);
}

void mote_run_stages(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                     const mote_workspace *workspace, const mote_jobs *jobs, uint32_t *frozen) {
    phase_context p = {.kernels = kernels, .plan = plan, .span = span, .workspace = workspace, .jobs = jobs};
    mote_parallel_for(jobs, span->count, MOTE_BLOCK, do_load, &p);
    for (; p.step < span->steps; p.step++) mote_schedule_step(plan->substeps, plan->stages, phase_of_all, &p);
    *frozen += p.frozen;
}
