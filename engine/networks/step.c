/* Phases of a network's step. A block of whole islands takes all phases one after the other, in scratch that
 * the cache holds; blocks joined by springs or links take each phase together. */
#include <string.h>

#include "base/parallel.h"
#include "networks/kernels.h"

/* --- Parts of a phase --- */

static uint32_t block_end(const mote_network_block *block) {
    return block->first + block->groups * MOTE_GROUP;
}

static float *column_at(const mote_network_scratch *c, int id, uint32_t slot) {
    return c->memory + (size_t)id * c->stride + (slot - c->first);
}

static mote_pin_run pins_of(const mote_network *n, const mote_network_block *block) {
    return n->range.pins.run[block - n->block];
}

static void load(const mote_network_job *job, const mote_network_scratch *c,
                 const mote_network_block *block) {
    mote_range *r = &job->network->range;
    const mote_pin_run pins = pins_of(job->network, block);
    const size_t bytes = (size_t)block->groups * MOTE_GROUP * sizeof(float);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(column_at(c, COLUMN(x) + axis, block->first), r->x[axis] + block->first, bytes);
        memcpy(column_at(c, COLUMN(v) + axis, block->first), r->v[axis] + block->first, bytes);
        for (uint32_t i = 0; i < pins.count; i++) r->reaction[axis][r->pins.pins[pins.first + i].slot] = 0;
    }
}

/* Returns the ticks of the step at substep + fraction. */
static double ticks_within(const mote_network_job *job, uint32_t substep, double fraction) {
    return (double)job->ticks_per_step * (((double)substep + fraction) / (double)job->plan->substeps);
}

/* Sets pins and reeled springs to their state at `within` ticks of the step. */
static void place(const mote_network_job *job, const mote_network_scratch *c, const mote_network_block *block,
                  double within) {
    mote_network *n = job->network;
    const mote_pin_run pins = pins_of(n, block);
    for (uint32_t i = pins.first; i < pins.first + pins.count; i++) {
        const mote_pin *pin = &n->range.pins.pins[i];
        float at[3];
        mote_pin_at(pin, job->step_tick, within, at);
        for (int axis = 0; axis < 3; axis++) *column_at(c, COLUMN(x) + axis, pin->slot) = at[axis];
    }
    for (uint32_t i = block->first_reel; i < block->first_reel + block->reel_count; i++) {
        const mote_network_reel_state *reel = &n->reels[i];
        const mote_travel *travel = &reel->travel;
        const float f = mote_travel_fraction(travel->from_tick, travel->to_tick, job->step_tick, within);
        n->spring[reel->spring].rest_length = mote_travel_between(reel->from, reel->to, f);
        mote_network_copy_spring(n, reel->spring);
    }
}

/* Velocity of pins during a substep: (next position - position) / h. */
static void move_pins(const mote_network_job *job, const mote_network_scratch *c,
                      const mote_network_block *block, uint32_t substep) {
    const float rate = (float)(1.0 / job->plan->h);
    const mote_pin_run pins = pins_of(job->network, block);
    for (uint32_t i = pins.first; i < pins.first + pins.count; i++) {
        const mote_pin *pin = &job->network->range.pins.pins[i];
        float next[3];
        mote_pin_at(pin, job->step_tick, ticks_within(job, substep, 1), next);
        for (int axis = 0; axis < 3; axis++)
            *column_at(c, COLUMN(v) + axis, pin->slot) =
                rate * (next[axis] - *column_at(c, COLUMN(x) + axis, pin->slot));
    }
}

/* Adds the springs' impulses on pinned particles to their reactions. */
static void react(const mote_network_job *job, const mote_network_scratch *c, const mote_network_block *block,
                  float weight) {
    mote_range *r = &job->network->range;
    const mote_pin_run pins = pins_of(job->network, block);
    for (uint32_t i = pins.first; i < pins.first + pins.count; i++) {
        const uint32_t slot = r->pins.pins[i].slot;
        for (int axis = 0; axis < 3; axis++)
            r->reaction[axis][slot] += weight * *column_at(c, COLUMN(force) + axis, slot);
    }
}

/* Calls the callbacks with the block's slots; sums accelerations and forces. */
static void call_callbacks(const mote_network_job *job, const mote_network_scratch *c,
                           const mote_network_block *block, double time) {
    const uint32_t first = block->first, count = block->groups * MOTE_GROUP;
    float *at[12];
    for (int i = 0; i < 3; i++) {
        at[i] = column_at(c, COLUMN(x) + i, first), at[3 + i] = column_at(c, COLUMN(v) + i, first);
        at[6 + i] = column_at(c, COLUMN(acceleration) + i, first),
               at[9 + i] = column_at(c, COLUMN(force_sum) + i, first);
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
                                  .inverse_mass = job->network->range.inverse_mass + first,
                                  .network = job->network->id};
    mote_plan_call(job->plan, &view, NULL, at + 6, at + 9);
}

/* Freezes the islands that turned non-finite. */
static void freeze(const mote_network_job *job, const mote_network_scratch *c,
                   const mote_network_block *block) {
    mote_network *n = job->network;
    for (uint32_t slot = block->first; slot < block_end(block); slot++) {
        float probe = 0;
        for (int i = 0; i < 6; i++) probe += *column_at(c, COLUMN(x) + i, slot) * 0.0f;
        if (probe == 0) continue;
        __atomic_store_n(&n->frozen[n->island[slot]], 1, __ATOMIC_RELAXED);
        __atomic_store_n(job->froze, 1, __ATOMIC_RELAXED);
    }
}

static void keep_previous(const mote_network_job *job, const mote_network_block *block) {
    mote_network *n = job->network;
    const size_t bytes = (size_t)block->groups * MOTE_GROUP * sizeof(float);
    for (int axis = 0; axis < 3 && job->keep_previous && n->range.previous_x[0]; axis++)
        memcpy(n->range.previous_x[axis] + block->first, n->range.x[axis] + block->first, bytes);
}

/* Stores the state at the end of the step; a frozen island keeps that at its start. */
static void commit(const mote_network_job *job, const mote_network_scratch *c,
                   const mote_network_block *block) {
    mote_network *n = job->network;
    const bool frozen = n->report.frozen || __atomic_load_n(job->froze, __ATOMIC_RELAXED);
    keep_previous(job, block);
    for (int i = 0; i < 6; i++) {
        float *to = i < 3 ? n->range.x[i] : n->range.v[i - 3];
        const float *from = column_at(c, COLUMN(x) + i, block->first);
        if (!frozen) memcpy(to + block->first, from, (size_t)block->groups * MOTE_GROUP * sizeof(float));
        for (uint32_t slot = block->first; frozen && slot < block_end(block); slot++)
            if (!n->frozen[n->island[slot]]) to[slot] = from[slot - block->first];
    }
    const mote_pin_run pins = pins_of(n, block);
    for (uint32_t i = pins.first; frozen && i < pins.first + pins.count; i++) {
        const uint32_t slot = n->range.pins.pins[i].slot;
        for (int axis = 0; axis < 3 && n->frozen[n->island[slot]]; axis++) n->range.reaction[axis][slot] = 0;
    }
}

/* --- A phase of one block --- */

/* Places pins and moves the state to the first evaluation of a substep. */
static void begin_substep(const mote_network_job *job, const mote_network_scratch *c,
                          const mote_network_block *block, uint32_t substep) {
    const mote_network_kernels *kernels = job->network->kernels;
    if (substep == 0) place(job, c, block, 0);
    if (job->kick) return;
    move_pins(job, c, block, substep);
    if (job->collider_count || job->constrained) kernels->start(job, c, true, block->first, block_end(block));
    kernels->begin(job, c, block->first, block_end(block));
}

static double stage_time(const mote_network_job *job, const mote_phase_at *at) {
    return mote_plan_time(job->plan, job->step, at->substep, job->plan->scheme->time[at->stage]);
}

static void evaluate(const mote_network_job *job, const mote_network_scratch *c,
                     const mote_network_block *block, const mote_phase_at *at) {
    if (job->plan->callback_count || job->linked) call_callbacks(job, c, block, stage_time(job, at));
    if (job->constrained) return;
    job->network->kernels->spring_forces(job, c, block);
    react(job, c, block, job->uncoupled ? 1.0f : mote_plan_weight(job->plan, at->stage));
}

/* End of a substep: reactions and velocities of the constrained solver, then contacts. */
static void end_substep(const mote_network_job *job, const mote_network_scratch *c,
                        const mote_network_block *block, uint32_t substep) {
    const mote_network_kernels *kernels = job->network->kernels;
    if (job->constrained) {
        react(job, c, block, job->plan->c.h);
        kernels->start(job, c, false, block->first, block_end(block));
        if (job->collider_count) kernels->friction(job, c, block->first, block_end(block));
    }
    if (job->collider_count) kernels->resolve_contacts(job, c, substep, block->first, block_end(block));
}

/* Runs a phase of a block: all but SOLVE, which works on islands. */
static void run_block_phase(const mote_network_job *job, const mote_network_scratch *c,
                            const mote_network_block *block, const mote_phase_at *at) {
    const mote_network_kernels *kernels = job->network->kernels;
    const uint32_t first = block->first, end = block_end(block);
    switch (at->phase) {
    case MOTE_PHASE_LOAD:
        load(job, c, block);
        break;
    case MOTE_PHASE_BEGIN:
        begin_substep(job, c, block, at->substep);
        break;
    case MOTE_PHASE_PLACE:
        place(job, c, block, ticks_within(job, at->substep, job->plan->scheme->time[at->stage]));
        break;
    case MOTE_PHASE_EVALUATE:
        evaluate(job, c, block, at);
        break;
    case MOTE_PHASE_STAGE:
        kernels->stage(job, c, at->stage, stage_time(job, at), first, end);
        break;
    case MOTE_PHASE_ARRIVE:
        place(job, c, block, ticks_within(job, at->substep, 1));
        break;
    case MOTE_PHASE_SOLVE:
        break;
    case MOTE_PHASE_END:
        end_substep(job, c, block, at->substep);
        break;
    case MOTE_PHASE_CHECK:
        if (!kernels->finite(c, first, end)) freeze(job, c, block);
        break;
    case MOTE_PHASE_COMMIT:
        commit(job, c, block);
        break;
    }
}

/* Whether a phase has nothing to do in this job. A plan that only kicks ends after its stage. */
static bool is_empty(const mote_network_job *job, const mote_phase_at *at) {
    switch (at->phase) {
    case MOTE_PHASE_PLACE:
        return job->kick || !(job->plan->scheme->time[at->stage] > 0);
    case MOTE_PHASE_ARRIVE:
        return job->kick;
    case MOTE_PHASE_SOLVE:
        return job->kick || !job->constrained;
    case MOTE_PHASE_END:
        return job->kick || !(job->constrained || job->collider_count);
    default:
        return false;
    }
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

/* --- Inner blocks: a block takes all phases --- */

typedef struct block_run {
    const mote_network_job *job;
    mote_network_scratch columns;
    const mote_network_block *block;
} block_run;

/* Solves the islands of an inner block. They begin at lane groups; an island whose first chunk is in the
 * block is in it completely. */
static void solve_block(const block_run *b, uint32_t substep) {
    const mote_network *n = b->job->network;
    mote_network_step_report report = {.iterations = 0};
    const mote_jobs serial = {0, NULL, NULL};
    for (uint32_t slot = b->block->first; slot < block_end(b->block); slot += MOTE_GROUP) {
        const uint32_t island = n->island[slot];
        if (n->chunk_first[n->island_chunk[island]] == slot)
            mote_network_solve(b->job, &b->columns, &serial, substep, island, &report);
    }
    add_report(&b->job->network->report, &report);
}

static void phase_of_block(void *context, const mote_phase_at *at) {
    const block_run *b = context;
    if (is_empty(b->job, at)) return;
    if (at->phase == MOTE_PHASE_SOLVE)
        solve_block(b, at->substep);
    else
        run_block_phase(b->job, &b->columns, b->block, at);
}

static bool is_outer(const mote_network_block *block, bool stage_outer) {
    return block->outer || stage_outer;
}

/* Columns whole pages apart share sets of the first-level cache, and stores delay loads: chains under RK4
 * then took 1.8 times as long. */
#define PAGE 1024u /* floats */
static size_t stride_of(uint32_t slots) {
    const size_t stride = mote_round_up(slots, MOTE_GROUP) + 2 * NETWORK_PAD;
    return stride % PAGE ? stride : stride + 5 * MOTE_GROUP;
}

typedef struct inner_run {
    const mote_network_job *job;
    bool stage_outer;
    float *scratch;
    size_t floats; /* of each worker */
} inner_run;

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    const inner_run *r = context;
    for (size_t i = first; i < end; i++) {
        const mote_network_block *block = &r->job->network->block[i];
        if (is_outer(block, r->stage_outer)) continue;
        float *memory = r->scratch + worker * r->floats + NETWORK_PAD;
        block_run b = {r->job, {memory, stride_of(block->groups * MOTE_GROUP), block->first}, block};
        mote_schedule_step(r->job->plan->substeps, r->job->plan->stages, phase_of_block, &b);
    }
}

static size_t block_floats(const mote_network *n) {
    uint32_t groups = 0;
    for (uint32_t i = 0; i < n->block_count; i++)
        if (n->block[i].groups > groups) groups = n->block[i].groups;
    return NETWORK_COLUMNS * stride_of(groups * MOTE_GROUP) + 2 * NETWORK_PAD;
}

void mote_network_run_inner(const mote_network_job *job, const mote_step *step) {
    const mote_network *n = job->network;
    inner_run r = {job, step->stage_outer, step->scratch, block_floats(n)};
    mote_parallel_for(step->jobs, n->block_count, 1, do_blocks, &r);
}

/* --- Outer blocks: all take each phase together --- */

static void do_phase(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const mote_network_outer_run *r = context;
    for (size_t i = first; i < end; i++) {
        const mote_network_block *block = &r->job->network->block[i];
        if (is_outer(block, r->stage_outer)) run_block_phase(r->job, &r->columns, block, r->at);
    }
}

/* Phases over pins and reels only are too short to be worth a barrier. Reels of one block may also hold
 * springs that end in another. */
static bool is_serial(const mote_network_job *job, mote_phase phase) {
    const bool starts = job->collider_count || job->constrained || job->plan->c.drift_first != 0;
    return phase == MOTE_PHASE_PLACE || phase == MOTE_PHASE_ARRIVE ||
           (phase == MOTE_PHASE_BEGIN && (!starts || job->network->reel_count));
}

static void solve_outer(const mote_network_outer_run *r, uint32_t substep) {
    const mote_network *n = r->job->network;
    mote_network_step_report report = {.iterations = 0};
    for (uint32_t island = 0; island < n->island_count; island++) {
        const uint32_t chunk = n->island_chunk[island];
        if (chunk == n->island_chunk[island + 1]) continue;
        if (is_outer(&n->block[mote_network_block_of(n, n->chunk_first[chunk])], r->stage_outer))
            mote_network_solve(r->job, &r->columns, r->jobs, substep, island, &report);
    }
    add_report(&r->job->network->report, &report);
}

void mote_network_outer_phase(void *context, const mote_phase_at *at) {
    const mote_jobs serial = {0, NULL, NULL};
    mote_network_outer_run *r = context;
    if (is_empty(r->job, at)) return;
    r->at = at;
    if (at->phase == MOTE_PHASE_SOLVE)
        solve_outer(r, at->substep);
    else
        mote_parallel_for(is_serial(r->job, at->phase) ? &serial : r->jobs, r->job->network->block_count, 1,
                          do_phase, r);
}

mote_network_outer_run mote_network_outer(const mote_network_job *job, const mote_step *step,
                                          float *scratch) {
    return (mote_network_outer_run){
        .job = job,
        .jobs = step->jobs,
        .stage_outer = step->stage_outer,
        .columns = {scratch + NETWORK_PAD, stride_of(job->network->range.slot_count), 0}};
}

size_t mote_network_outer_floats(const mote_network *network) {
    return NETWORK_COLUMNS * stride_of(network->range.slot_count) + 2 * NETWORK_PAD;
}

size_t mote_network_scratch_floats(const mote_network *network, uint32_t workers, bool outer) {
    const size_t inner = workers * block_floats(network),
                 all = outer ? mote_network_outer_floats(network) : 0;
    return inner > all ? inner : all;
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

/* Springs equal to the one before share its response. */
void mote_network_unit_responses(mote_network *network, const mote_plan *plan) {
    if (network->response_edits == network->edits && network->response_h == plan->h) return;
    unit_response last = {-1, -1, -1, {0, 0, 0, 0}};
    for (uint32_t number = 0; number < network->spring_end; number++) {
        const mote_network_spring_state *s = &network->spring[number];
        if (s->a == MOTE_NO_SLOT) continue;
        const double inverse_mass =
            (double)network->range.inverse_mass[s->a] + (double)network->range.inverse_mass[s->b];
        if (s->stiffness != last.stiffness || s->damping != last.damping || inverse_mass != last.inverse_mass)
            last = unit_response_of(plan, s->stiffness, s->damping, inverse_mass);
        for (int i = 0; i < 4; i++)
            network->entry_response[i][s->entry[0]] = network->entry_response[i][s->entry[1]] = last.of[i];
    }
    network->response_edits = network->edits;
    network->response_h = plan->h;
}
