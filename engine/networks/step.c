/* The two loop orders of networks, over the kernels of one instruction set. A block of whole islands is
 * loaded, taken through all substeps and stages in scratch, and committed; blocks that springs join go
 * through every stage together. */
#include "networks/kernels.h"

#include <math.h>
#include <string.h>

#include "base/isa.h"
#include "forces/force.h"
#include "base/parallel.h"
#include "contacts/motion.h"

MOTE_KERNEL_LOOKUP(mote_network_kernels, mote_network_kernels);

/* --- Parts of a step, block by block --- */

static uint32_t block_end(const mote_network_block *block) {
    return block->first + block->groups * MOTE_GROUP;
}

static float *column_at(const mote_network_scratch *c, int id, uint32_t slot) {
    return c->memory + (size_t)id * c->stride + (slot - c->first);
}

static void load(const mote_network_job *job, const mote_network_scratch *c,
                 const mote_network_block *block) {
    const size_t bytes = (size_t)block->groups * MOTE_GROUP * sizeof(float);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(column_at(c, NETWORK_X + axis, block->first), job->network->x[axis] + block->first, bytes);
        memcpy(column_at(c, NETWORK_V + axis, block->first), job->network->v[axis] + block->first, bytes);
    }
    for (uint32_t i = block->first_pin; i < block->first_pin + block->pin_count; i++)
        for (int axis = 0; axis < 3; axis++) job->network->reaction[axis][job->network->pins[i].slot] = 0;
}

/* Ticks of the step at substep + fraction. */
static double ticks_within(const mote_network_job *job, uint32_t substep, double fraction) {
    return (double)job->ticks_per_step * (((double)substep + fraction) / (double)job->plan->substeps);
}

static void pin_place(const mote_network_job *job, const mote_network_pin_state *pin, double within,
                      float place[3]) {
    const float f = mote_motion_fraction(pin->from_tick, pin->to_tick, job->step_tick, within);
    for (int axis = 0; axis < 3; axis++)
        place[axis] = f < 1 ? pin->from[axis] + f * (pin->to[axis] - pin->from[axis]) : pin->to[axis];
}

/* Pins to where they stand, and springs that are reeled to the length that they have, at `within` ticks of
 * the step. */
static void place(const mote_network_job *job, const mote_network_scratch *c, const mote_network_block *block,
                  double within) {
    mote_network *n = job->network;
    for (uint32_t i = block->first_pin; i < block->first_pin + block->pin_count; i++) {
        float at[3];
        pin_place(job, &n->pins[i], within, at);
        for (int axis = 0; axis < 3; axis++) *column_at(c, NETWORK_X + axis, n->pins[i].slot) = at[axis];
    }
    for (uint32_t i = block->first_reel; i < block->first_reel + block->reel_count; i++) {
        const mote_network_reel_state *reel = &n->reels[i];
        const float f = mote_motion_fraction(reel->from_tick, reel->to_tick, job->step_tick, within);
        n->spring[reel->spring].rest_length = f < 1 ? reel->from + f * (reel->to - reel->from) : reel->to;
        mote_network_store_spring(n, reel->spring);
    }
}

/* Pins travel at (next place - place) / h through a substep. */
static void move_pins(const mote_network_job *job, const mote_network_scratch *c,
                      const mote_network_block *block, uint32_t substep) {
    const float rate = (float)(1.0 / job->plan->h);
    for (uint32_t i = block->first_pin; i < block->first_pin + block->pin_count; i++) {
        const mote_network_pin_state *pin = &job->network->pins[i];
        float next[3];
        pin_place(job, pin, ticks_within(job, substep, 1), next);
        for (int axis = 0; axis < 3; axis++)
            *column_at(c, NETWORK_V + axis, pin->slot) =
                rate * (next[axis] - *column_at(c, NETWORK_X + axis, pin->slot));
    }
}

/* The impulses of the springs on what is pinned. */
static void react(const mote_network_job *job, const mote_network_scratch *c, const mote_network_block *block,
                  float weight) {
    for (uint32_t i = block->first_pin; i < block->first_pin + block->pin_count; i++) {
        const uint32_t slot = job->network->pins[i].slot;
        for (int axis = 0; axis < 3; axis++)
            job->network->reaction[axis][slot] += weight * *column_at(c, NETWORK_FORCE + axis, slot);
    }
}

/* Callbacks see the block's slots. */
static void call_callbacks(const mote_network_job *job, const mote_network_scratch *c,
                           const mote_network_block *block, double time) {
    const uint32_t first = block->first, count = block->groups * MOTE_GROUP;
    float *at[12];
    for (int i = 0; i < 3; i++) {
        at[i] = column_at(c, NETWORK_X + i, first), at[3 + i] = column_at(c, NETWORK_V + i, first);
        at[6 + i] = column_at(c, NETWORK_ACCELERATION + i, first),
               at[9 + i] = column_at(c, NETWORK_FORCE_SUM + i, first);
    }
    const mote_stage_view view = {.time = time,
                                  .first = first,
                                  .count = count,
                                  .x = at[0],
                                  .y = at[1],
                                  .z = at[2],
                                  .velocity_x = at[3],
                                  .velocity_y = at[4],
                                  .velocity_z = at[5],
                                  .inverse_mass = job->network->inverse_mass + first,
                                  .network = job->id};
    for (int i = 6; i < 12; i++) memset(at[i], 0, count * sizeof(float));
    for (uint32_t i = 0; i < job->plan->force_count; i++) {
        const mote_force_def *def = &job->plan->forces[i];
        if (mote_force_path_of(def) != MOTE_PATH_CALLBACK || mote_force_reaches_range(def)) continue;
        float **sum = at + (def->as.callback.unit == MOTE_NEWTONS ? 9 : 6);
        def->as.callback.function(def->as.callback.user, &view, sum[0], sum[1], sum[2]);
    }
}

/* Islands that turned non-finite are frozen from now on. */
static void freeze(const mote_network_job *job, const mote_network_scratch *c,
                   const mote_network_block *block) {
    mote_network *n = job->network;
    for (uint32_t slot = block->first; slot < block_end(block); slot++) {
        float probe = 0;
        for (int i = 0; i < 6; i++) probe += *column_at(c, NETWORK_X + i, slot) * 0.0f;
        if (probe == 0) continue;
        __atomic_store_n(&n->frozen[n->island[slot]], 1, __ATOMIC_RELAXED);
        __atomic_store_n(job->froze, 1, __ATOMIC_RELAXED);
    }
}

static void keep_previous(const mote_network_job *job, const mote_network_block *block) {
    mote_network *n = job->network;
    const size_t bytes = (size_t)block->groups * MOTE_GROUP * sizeof(float);
    for (int axis = 0; axis < 3 && job->keep_previous && n->previous_x[0]; axis++)
        memcpy(n->previous_x[axis] + block->first, n->x[axis] + block->first, bytes);
}

/* The state of the step's end becomes the network's; a frozen island stays where the step began. */
static void commit(const mote_network_job *job, const mote_network_scratch *c,
                   const mote_network_block *block) {
    mote_network *n = job->network;
    const bool frozen = n->report.frozen || __atomic_load_n(job->froze, __ATOMIC_RELAXED);
    keep_previous(job, block);
    for (int i = 0; i < 6; i++) {
        float *to = i < 3 ? n->x[i] : n->v[i - 3];
        const float *from = column_at(c, NETWORK_X + i, block->first);
        if (!frozen) memcpy(to + block->first, from, (size_t)block->groups * MOTE_GROUP * sizeof(float));
        for (uint32_t slot = block->first; frozen && slot < block_end(block); slot++)
            if (!n->frozen[n->island[slot]]) to[slot] = from[slot - block->first];
    }
    for (uint32_t i = block->first_pin; frozen && i < block->first_pin + block->pin_count; i++) {
        const uint32_t slot = n->pins[i].slot;
        for (int axis = 0; axis < 3 && n->frozen[n->island[slot]]; axis++) n->reaction[axis][slot] = 0;
    }
}

/* --- One pass over a block: what both loop orders are made of --- */

typedef enum pass {
    PASS_LOAD,
    PASS_BEGIN,
    PASS_PLACE,
    PASS_PULL,
    PASS_STAGE,
    PASS_ARRIVE,
    PASS_END,
    PASS_CHECK,
    PASS_COMMIT
} pass;

typedef struct walk {
    const mote_network_kernels *kernels;
    const mote_network_job *job;
    bool stage_outer;
    float *scratch;
    size_t floats;                /* of each worker; the outer order: of all */
    mote_network_scratch columns; /* of the outer order */
    void (*solve)(struct walk *w,
                  void *context); /* constrained: the islands of the block, or of all that are coupled */
    pass pass;
    uint32_t substep, stage;
} walk;

/* Places pins and moves the state to the first evaluation of a substep. */
static void begin_substep(const walk *w, const mote_network_scratch *c, const mote_network_block *block) {
    const mote_network_job *job = w->job;
    if (w->substep == 0) place(job, c, block, 0);
    if (job->kick) return;
    move_pins(job, c, block, w->substep);
    if (job->collider_count || job->constrained)
        w->kernels->start(job, c, true, block->first, block_end(block));
    w->kernels->begin(job, c, block->first, block_end(block));
}

static double stage_time(const walk *w) {
    const mote_plan *plan = w->job->plan;
    return mote_plan_time(plan, w->job->step, w->substep, plan->scheme->time[w->stage]);
}

static void pull(const walk *w, const mote_network_scratch *c, const mote_network_block *block) {
    const mote_network_job *job = w->job;
    if (job->plan->callback_count || job->linked) call_callbacks(job, c, block, stage_time(w));
    if (job->constrained) return;
    w->kernels->pull(job, c, block);
    react(job, c, block, job->uncoupled ? 1.0f : mote_plan_weight(job->plan, w->stage));
}

/* What the solver found, or what the last stage left, is the state at the substep's end. */
static void end_substep(const walk *w, const mote_network_scratch *c, const mote_network_block *block) {
    const mote_network_job *job = w->job;
    if (job->constrained) {
        react(job, c, block, job->plan->c.h);
        w->kernels->start(job, c, false, block->first, block_end(block));
        if (job->collider_count) w->kernels->rub(job, c, block->first, block_end(block));
    }
    if (job->collider_count) w->kernels->push_out(job, c, w->substep, block->first, block_end(block));
}

static void run_pass(const walk *w, const mote_network_scratch *c, const mote_network_block *block) {
    const mote_network_job *job = w->job;
    const uint32_t first = block->first, end = block_end(block);
    switch (w->pass) {
    case PASS_LOAD:
        load(job, c, block);
        break;
    case PASS_BEGIN:
        begin_substep(w, c, block);
        break;
    case PASS_PLACE:
        place(job, c, block, ticks_within(job, w->substep, job->plan->scheme->time[w->stage]));
        break;
    case PASS_PULL:
        pull(w, c, block);
        break;
    case PASS_STAGE:
        w->kernels->stage(job, c, w->stage, stage_time(w), first, end);
        break;
    case PASS_ARRIVE:
        place(job, c, block, ticks_within(job, w->substep, 1));
        break;
    case PASS_END:
        end_substep(w, c, block);
        break;
    case PASS_CHECK:
        if (!w->kernels->finite(c, first, end)) freeze(job, c, block);
        break;
    case PASS_COMMIT:
        commit(job, c, block);
        break;
    }
}

/* --- The loop orders --- */

typedef void each_pass(walk *w, pass now, void *context);

/* A part of a step as a list of passes: whoever walks it does each for a block, or for all blocks that are
 * coupled. */
static void walk_part(walk *w, mote_phase part, each_pass *each, void *context) {
    switch (part) {
    case MOTE_PHASE_LOAD:
        each(w, PASS_LOAD, context);
        break;
    case MOTE_PHASE_BEGIN:
        each(w, PASS_BEGIN, context);
        break;
    case MOTE_PHASE_EVALUATE:
        if (w->job->plan->scheme->time[w->stage] > 0 && !w->job->kick) each(w, PASS_PLACE, context);
        each(w, PASS_PULL, context);
        break;
    case MOTE_PHASE_STAGE:
        each(w, PASS_STAGE, context);
        break;
    case MOTE_PHASE_END:
        if (w->job->kick) break;
        each(w, PASS_ARRIVE, context);
        if (w->job->constrained) w->solve(w, context);
        if (w->job->constrained || w->job->collider_count) each(w, PASS_END, context);
        break;
    case MOTE_PHASE_COMMIT:
        each(w, PASS_CHECK, context);
        each(w, PASS_COMMIT, context);
        break;
    }
}

static void walk_step(walk *w, each_pass *each, void *context) {
    const mote_plan *plan = w->job->plan;
    walk_part(w, MOTE_PHASE_LOAD, each, context);
    for (w->substep = 0; w->substep < plan->substeps; w->substep++) {
        w->stage = 0;
        walk_part(w, MOTE_PHASE_BEGIN, each, context);
        for (; w->stage < plan->stages; w->stage++) {
            walk_part(w, MOTE_PHASE_EVALUATE, each, context);
            walk_part(w, MOTE_PHASE_STAGE, each, context);
        }
        walk_part(w, MOTE_PHASE_END, each, context);
    }
    walk_part(w, MOTE_PHASE_COMMIT, each, context);
}

/* Columns whole pages apart share their sets of the first-level cache, and stores hold up loads: chains under
 * RK4 then took 1.8 times as long. */
#define PAGE 1024u /* floats */
static size_t stride_of(uint32_t slots) {
    const size_t stride = mote_round_up(slots, MOTE_GROUP) + 2 * NETWORK_PAD;
    return stride % PAGE ? stride : stride + 5 * MOTE_GROUP;
}

typedef struct block_context {
    mote_network_scratch columns;
    const mote_network_block *block;
} block_context;

static void pass_of_block(walk *w, pass now, void *context) {
    const block_context *b = context;
    w->pass = now;
    run_pass(w, &b->columns, b->block);
}

static void add_report(mote_network_step_report *to, const mote_network_step_report *more) {
    __atomic_fetch_add(&to->iterations, more->iterations, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->linear, more->linear, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->unsolved, more->unsolved, __ATOMIC_RELAXED);
    float now;
    __atomic_load(&to->residual, &now, __ATOMIC_RELAXED);
    while (now < more->residual)
        if (__atomic_compare_exchange(&to->residual, &now, (float *)(uintptr_t)&more->residual, true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            break;
}

/* Islands begin at whole lane groups; one whose first chunk lies here lies here as a whole. */
static void solve_block(walk *w, void *context) {
    const block_context *b = context;
    const mote_jobs serial = {0, NULL, NULL};
    const mote_network *n = w->job->network;
    mote_network_step_report report = {.iterations = 0};
    for (uint32_t slot = b->block->first; slot < block_end(b->block); slot += MOTE_GROUP) {
        const uint32_t island = n->island[slot];
        if (n->chunk_first[n->island_chunk[island]] == slot)
            mote_network_solve(w->kernels, w->job, &b->columns, &serial, island, w->substep, &report);
    }
    add_report(&w->job->network->report, &report);
}

static bool is_outer(const walk *w, const mote_network_block *block) {
    return block->outer || w->stage_outer;
}

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    walk own = *(const walk *)context;
    own.solve = solve_block;
    for (size_t i = first; i < end; i++) {
        const mote_network_block *block = &own.job->network->block[i];
        if (is_outer(&own, block)) continue;
        float *memory = own.scratch + worker * own.floats + NETWORK_PAD;
        block_context b = {{memory, stride_of(block->groups * MOTE_GROUP), block->first}, block};
        walk_step(&own, pass_of_block, &b);
    }
}

static void do_pass(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const walk *w = context;
    for (size_t i = first; i < end; i++) {
        const mote_network_block *block = &w->job->network->block[i];
        if (is_outer(w, block)) run_pass(w, &w->columns, block);
    }
}

/* Passes over pins and reels alone are not worth a barrier; and reels of one block may hold springs that end
 * in another. */
static bool is_serial(const walk *w, pass now) {
    const mote_network_job *job = w->job;
    const bool starts = job->collider_count || job->constrained || job->plan->c.drift_first != 0;
    return now == PASS_PLACE || now == PASS_ARRIVE ||
           (now == PASS_BEGIN && (!starts || job->network->reel_count));
}

static void pass_of_all(walk *w, pass now, void *context) {
    const mote_jobs serial = {0, NULL, NULL};
    w->pass = now;
    mote_parallel_for(is_serial(w, now) ? &serial : context, w->job->network->block_count, 1, do_pass, w);
}

static void solve_all(walk *w, void *context) {
    const mote_network *n = w->job->network;
    mote_network_step_report report = {.iterations = 0};
    for (uint32_t island = 0; island < n->island_count; island++) {
        const uint32_t chunk = n->island_chunk[island];
        if (chunk == n->island_chunk[island + 1]) continue;
        if (is_outer(w, &n->block[mote_network_block_of(n, n->chunk_first[chunk])]))
            mote_network_solve(w->kernels, w->job, &w->columns, context, island, w->substep, &report);
    }
    add_report(&w->job->network->report, &report);
}

static bool any_outer(const mote_network *n, bool stage_outer) { return n->has_outer || stage_outer; }

static size_t block_floats(const mote_network *n) {
    uint32_t groups = 0;
    for (uint32_t i = 0; i < n->block_count; i++)
        if (n->block[i].groups > groups) groups = n->block[i].groups;
    return NETWORK_COLUMNS * stride_of(groups * MOTE_GROUP) + 2 * NETWORK_PAD;
}

size_t mote_network_outer_floats(const mote_network *network) {
    return NETWORK_COLUMNS * stride_of(network->slot_count) + 2 * NETWORK_PAD;
}

mote_network_scratch mote_network_outer_scratch(const mote_network *network, float *scratch) {
    return (mote_network_scratch){scratch + NETWORK_PAD, stride_of(network->slot_count), 0};
}

size_t mote_network_scratch_floats(const mote_network *network, uint32_t workers, bool stage_outer) {
    const size_t inner = workers * block_floats(network);
    const size_t outer = any_outer(network, stage_outer) ? mote_network_outer_floats(network) : 0;
    return inner > outer ? inner : outer;
}

void mote_run_network_inner(const mote_network_kernels *kernels, const mote_network_job *job,
                            const mote_jobs *jobs, bool stage_outer, float *scratch) {
    const mote_network *n = job->network;
    walk w = {.kernels = kernels,
              .job = job,
              .stage_outer = stage_outer,
              .scratch = scratch,
              .floats = block_floats(n)};
    mote_parallel_for(jobs, n->block_count, 1, do_blocks, &w);
}

static walk walk_of_outer(const mote_network_kernels *kernels, const mote_network_job *job, bool stage_outer,
                          float *scratch) {
    return (walk){.kernels = kernels,
                  .job = job,
                  .stage_outer = stage_outer,
                  .solve = solve_all,
                  .columns = mote_network_outer_scratch(job->network, scratch)};
}

void mote_run_network(const mote_network_kernels *kernels, const mote_network_job *job, const mote_jobs *jobs,
                      bool stage_outer, float *scratch) {
    mote_run_network_inner(kernels, job, jobs, stage_outer, scratch);
    if (!any_outer(job->network, stage_outer)) return;
    walk w = walk_of_outer(kernels, job, stage_outer, scratch);
    walk_step(&w, pass_of_all, (void *)(uintptr_t)jobs);
}

void mote_network_part(const mote_network_kernels *kernels, const mote_network_job *job,
                       const mote_jobs *jobs, bool stage_outer, float *scratch, mote_phase part,
                       mote_phase_place place) {
    walk w = walk_of_outer(kernels, job, stage_outer, scratch);
    w.substep = place.substep, w.stage = place.stage;
    walk_part(&w, part, pass_of_all, (void *)(uintptr_t)jobs);
}

/* --- Kinematic springs --- */

typedef struct unit_response {
    float stiffness, damping;
    double inverse_mass;
    float of[4];
} unit_response;

static unit_response unit_response_of(const mote_plan *plan, float stiffness, float damping,
                                      double inverse_mass) {
    unit_response a = {stiffness, damping, inverse_mass, {0, 0, 0, 0}};
    if (!(inverse_mass > 0)) return a;
    mote_exact_map m = mote_map_make(plan->scheme->map, 0, -(double)damping * inverse_mass,
                                     -(double)stiffness * inverse_mass, plan->h);
    const double entries[4] = {m.vx, m.vv, m.xx, m.xv - plan->h};
    for (int i = 0; i < 4; i++) a.of[i] = (float)(entries[i] / inverse_mass);
    return a;
}

/* Springs that are as the one before share its answers. */
void mote_network_unit_responses(mote_network *network, const mote_plan *plan) {
    if (!network->responses_are_old && network->responses_h == plan->h) return;
    unit_response last = {-1, -1, -1, {0, 0, 0, 0}};
    for (uint32_t number = 0; number < network->spring_end; number++) {
        const mote_network_spring_state *s = &network->spring[number];
        if (s->a == MOTE_NO_SLOT) continue;
        const double inverse_mass = (double)network->inverse_mass[s->a] + (double)network->inverse_mass[s->b];
        if (s->stiffness != last.stiffness || s->damping != last.damping || inverse_mass != last.inverse_mass)
            last = unit_response_of(plan, s->stiffness, s->damping, inverse_mass);
        for (int i = 0; i < 4; i++)
            network->entry_response[i][s->entry[0]] = network->entry_response[i][s->entry[1]] = last.of[i];
    }
    network->responses_are_old = false;
    network->responses_h = plan->h;
}
