/* The two loop orders, over the kernels of one instruction set. */
#include "particles/run.h"

#include <string.h>

#include "base/isa.h"
#include "forces/force.h"

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

static void copy(float *const to[3], size_t to_first, float *const from[3], size_t from_first, size_t count) {
    for (int axis = 0; axis < 3; axis++)
        memcpy(to[axis] + to_first, from[axis] + from_first, count * sizeof(float));
}

/* The state at the start of a batch, for the slots [first, end). */
static void load(const mote_span *span, const mote_workspace *w, size_t first, size_t end) {
    copy(w->x, first - w->first, span->x, first, end - first);
    copy(w->v, first - w->first, span->v, first, end - first);
    memset(w->frozen + (first - w->first), 0, (end - first) * sizeof *w->frozen);
}

/* Until the commit, the span's columns hold the state at the start of the step. */
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

static void show_range(mote_stage_view *view, const mote_span *span, const mote_workspace *w) {
    view->range_count = (uint32_t)span->count;
    view->range_x = w->x[0], view->range_y = w->x[1], view->range_z = w->x[2];
    view->range_velocity_x = w->v[0], view->range_velocity_y = w->v[1], view->range_velocity_z = w->v[2];
}

/* Sums the callbacks' contributions for the slots [first, end) into the workspace. */
static void call_callbacks(const mote_plan *plan, const mote_span *span, const mote_workspace *w, double time,
                           size_t first, size_t end) {
    size_t at = first - w->first;
    for (int axis = 0; axis < 3; axis++) {
        memset(w->acceleration[axis] + at, 0, (end - first) * sizeof(float));
        memset(w->force[axis] + at, 0, (end - first) * sizeof(float));
    }
    mote_stage_view view = view_of(plan, span, w, time, first, end < span->count ? end : span->count);
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        if (mote_force_path_of(def) != MOTE_PATH_CALLBACK) continue;
        mote_stage_view shown = view;
        if (mote_force_reaches_range(def)) show_range(&shown, span, w);
        float *const *sum =
            def->as.callback.unit == MOTE_NEWTONS ? w->force : w->acceleration; /* or velocity */
        def->as.callback.function(def->as.callback.user, &shown, sum[0] + at, sum[1] + at, sum[2] + at);
    }
}

/* Velocity Verlet without forces that read velocity: the evaluation that closed a substep opens the next. Not
 * across steps: what froze in between stands elsewhere, and others may see it. */
static bool may_reuse(const mote_plan *plan) {
    return plan->scheme->family == MOTE_FAMILY_VERLET && plan->reuse;
}

static void run_block(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                      size_t first, size_t end, uint32_t *frozen) {
    MOTE_ALIGNED(64) float memory[MOTE_WORKSPACE_COLUMNS * MOTE_BLOCK];
    mote_workspace w = mote_workspace_make(memory, MOTE_BLOCK);
    mote_family family = plan->scheme->family;
    w.first = first;
    memset(w.carry[0], 0, MOTE_CARRY_COLUMNS * MOTE_BLOCK * sizeof(float));
    load(span, &w, first, end);
    for (uint32_t step = 0; step < span->steps; step++) {
        keep_previous(span, step, first, end);
        for (uint32_t substep = 0; substep < plan->substeps; substep++) {
            kernels->begin[family][plan->mass_column](plan, span, &w, first, end);
            for (uint32_t stage = 0; stage < plan->stages; stage++) {
                double time =
                    mote_plan_time(plan, span->first_step + step, substep, plan->scheme->time[stage]);
                bool again = stage == 0 && substep > 0 && may_reuse(plan);
                if (!again) call_callbacks(plan, span, &w, time, first, end);
                kernels->stage[family][plan->mass_column](plan, span, &w,
                                                          (mote_staged_at){stage, time, again}, first, end);
            }
        }
        kernels->commit[plan->mass_column](span, &w, step, first, end, frozen);
    }
}

void mote_run_blocks(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                     size_t first, size_t end, uint32_t *frozen) {
    end = mote_round_up(end, MOTE_GROUP);
    if (plan->callback_count == 0) {
        kernels->fused[plan->scheme->family][plan->mass_column][plan->mix](plan, span, first, end, frozen);
        return;
    }
    for (size_t block = first; block < end; block += MOTE_BLOCK)
        run_block(kernels, plan, span, block, end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK, frozen);
}

typedef struct inner {
    const mote_particle_kernels *kernels;
    const mote_plan *plan;
    const mote_span *span;
    uint32_t frozen;
} inner;

static void do_inner(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    inner *i = context;
    uint32_t frozen = 0;
    mote_run_blocks(i->kernels, i->plan, i->span, first, end, &frozen);
    if (frozen) __atomic_fetch_add(&i->frozen, frozen, __ATOMIC_RELAXED);
}

uint32_t mote_run_parallel(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                           size_t end, const mote_jobs *jobs) {
    inner i = {kernels, plan, span, 0};
    mote_parallel_for(jobs, end, MOTE_BLOCK, do_inner, &i);
    return i.frozen;
}

/* One pass of the outer order over all slots; each task does the part named by `pass`. */
typedef enum outer_pass {
    PASS_LOAD,
    PASS_START,
    PASS_BEGIN,
    PASS_CALLBACKS,
    PASS_STAGE,
    PASS_COMMIT
} outer_pass;

typedef struct outer {
    const mote_particle_kernels *kernels;
    const mote_plan *plan;
    const mote_span *span;
    const mote_workspace *workspace;
    outer_pass pass;
    uint32_t step, stage, frozen;
    double time;
    bool again;
} outer;

static void do_outer_pass(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    outer *o = context;
    mote_family family = o->plan->scheme->family;
    bool mass = o->plan->mass_column;
    uint32_t frozen = 0;
    end = mote_round_up(end, MOTE_GROUP);
    switch (o->pass) {
    case PASS_LOAD:
        load(o->span, o->workspace, first, end);
        break;
    case PASS_START:
        keep_previous(o->span, o->step, first, end);
        break;
    case PASS_BEGIN:
        o->kernels->begin[family][mass](o->plan, o->span, o->workspace, first, end);
        break;
    case PASS_CALLBACKS:
        for (size_t block = first; block < end; block += MOTE_BLOCK)
            call_callbacks(o->plan, o->span, o->workspace, o->time, block,
                           end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK);
        break;
    case PASS_STAGE:
        o->kernels->stage[family][mass](o->plan, o->span, o->workspace,
                                        (mote_staged_at){o->stage, o->time, o->again}, first, end);
        break;
    case PASS_COMMIT:
        o->kernels->commit[mass](o->span, o->workspace, o->step, first, end, &frozen);
        break;
    }
    if (frozen) __atomic_fetch_add(&o->frozen, frozen, __ATOMIC_RELAXED);
}

static void run_pass(outer *o, const mote_jobs *jobs, outer_pass pass) {
    o->pass = pass;
    mote_parallel_for(jobs, o->span->count, MOTE_BLOCK, do_outer_pass, o);
}

void mote_run_stages(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                     const mote_workspace *workspace, const mote_jobs *jobs, uint32_t *frozen) {
    outer o = {.kernels = kernels, .plan = plan, .span = span, .workspace = workspace};
    run_pass(&o, jobs, PASS_LOAD);
    for (o.step = 0; o.step < span->steps; o.step++) {
        if (span->previous_x[0]) run_pass(&o, jobs, PASS_START);
        for (uint32_t substep = 0; substep < plan->substeps; substep++) {
            run_pass(&o, jobs, PASS_BEGIN);
            for (o.stage = 0; o.stage < plan->stages; o.stage++) {
                o.time =
                    mote_plan_time(plan, span->first_step + o.step, substep, plan->scheme->time[o.stage]);
                o.again = o.stage == 0 && substep > 0 && may_reuse(plan);
                if (plan->callback_count && !o.again) run_pass(&o, jobs, PASS_CALLBACKS);
                run_pass(&o, jobs, PASS_STAGE);
            }
        }
        run_pass(&o, jobs, PASS_COMMIT);
    }
    *frozen += o.frozen;
}
