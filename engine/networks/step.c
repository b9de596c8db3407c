/* Phases of a network's step. A block of whole islands takes all phases one after the other, in scratch that
 * the cache holds; blocks joined by springs or links take each phase together. */
#include <string.h>

#include "base/parallel.h"
#include "networks/halo.h"

/* A block during a step. */
typedef struct block_run {
    const mote_network_job *job;
    mote_network_scratch columns;
    const mote_network_block *block;
    uint32_t first, end; /* slots */
    mote_pin_run pins, reels;
    bool chained; /* forces and stages in one pass */
} block_run;

static block_run run_of(const mote_network_job *job, mote_network_scratch columns,
                        const mote_network_block *block) {
    const uint32_t end = block->first + block->groups * MOTE_GROUP;
    const size_t unit = (size_t)(block - job->network->block);
    const mote_pin_run pins = job->network->range.pins.run[unit], reels = job->network->reels.run[unit];
    return (block_run){job, columns, block, block->first, end, pins, reels, false};
}

/* Returns whether the springs of a block join rows of slots to the next ones, in their order, and nothing
 * else acts between their forces and the stages of Runge-Kutta. */
static bool is_chained(const block_run *b) {
    const mote_network_job *job = b->job;
    const mote_network *n = job->network;
    const mote_plan *plan = job->plan;
    const mote_network_packet *packet = n->packet + b->block->first_packet;
    uint32_t row = b->first;
    if (plan->scheme->family != MOTE_FAMILY_RUNGE_KUTTA || plan->stages < 2 || !n->kernels->chain_stage)
        return false;
    if (job->linked || job->kick || b->pins.count || plan->point_count || plan->callback_count) return false;
    if (!b->block->interleaved || !b->block->packet_count) return false;
    for (uint32_t i = 0; i < b->block->packet_count; i++) {
        const uint32_t lower = mote_network_lower(&packet[i]);
        if (lower < row || packet[i].self + (uint32_t)packet[i].other != 2 * lower + MOTE_GROUP ||
            packet[i].damped != packet->damped || !mote_network_is_whole(&packet[i]))
            return false;
        row = lower + MOTE_GROUP;
    }
    return true;
}

/* --- Parts of a phase --- */

static float *column_at(const block_run *b, int id, uint32_t slot) {
    return b->columns.memory + (size_t)id * b->columns.stride + (slot - b->columns.first);
}

static const mote_pin *pin_at(const block_run *b, uint32_t i) {
    return &b->job->network->range.pins.pins[b->pins.first + i];
}

static void load(const block_run *b) {
    mote_range *r = &b->job->network->range;
    const size_t bytes = (b->end - b->first) * sizeof(float);
    if (b->job->constrained) b->job->network->kernels->load(b->job, &b->columns, b->first, b->end);
    for (int axis = 0; axis < 3; axis++) {
        if (!b->job->constrained)
            memcpy(column_at(b, COLUMN(x) + axis, b->first), r->x[axis] + b->first, bytes);
        memcpy(column_at(b, COLUMN(v) + axis, b->first), r->v[axis] + b->first, bytes);
        for (uint32_t i = 0; i < b->pins.count; i++) r->reaction[axis][pin_at(b, i)->slot] = 0;
    }
}

/* Position of a pin in COLUMN(x) at `within` ticks of the step. */
static void find_pin(const block_run *b, const mote_pin *pin, double within, float at[3]) {
    const mote_network *n = b->job->network;
    if (!b->job->constrained) {
        mote_pin_at(pin, b->job->step_tick, within, at);
        return;
    }
    const float origin[3] = {n->step_origin[0][pin->slot], n->step_origin[1][pin->slot],
                             n->step_origin[2][pin->slot]};
    mote_pin_from_origin(pin, b->job->step_tick, within, origin, at);
}

/* Sets pins and reeled springs to their state at `within` ticks of the step. */
static void place(const block_run *b, double within) {
    mote_network *n = b->job->network;
    for (uint32_t i = 0; i < b->pins.count; i++) {
        float at[3];
        find_pin(b, pin_at(b, i), within, at);
        for (int axis = 0; axis < 3; axis++) *column_at(b, COLUMN(x) + axis, pin_at(b, i)->slot) = at[axis];
    }
    for (uint32_t i = 0; i < b->reels.count; i++) {
        const mote_pin *reel = &n->reels.pins[b->reels.first + i];
        float at[3];
        mote_pin_at(reel, b->job->step_tick, within, at);
        n->spring[reel->spring].rest_length = at[0];
        mote_network_copy_spring(n, reel->spring);
    }
}

/* Velocity of pins during a substep: (next position - position) / h. */
static void move_pins(const block_run *b, uint32_t substep) {
    const float rate = (float)(1.0 / b->job->plan->h);
    for (uint32_t i = 0; i < b->pins.count; i++) {
        const mote_pin *pin = pin_at(b, i);
        float next[3];
        find_pin(b, pin, mote_network_ticks_within(b->job, substep, 1), next);
        for (int axis = 0; axis < 3; axis++)
            *column_at(b, COLUMN(v) + axis, pin->slot) =
                rate * (next[axis] - *column_at(b, COLUMN(x) + axis, pin->slot));
    }
}

/* Adds the springs' impulses on pinned particles to their reactions. */
static void react(const block_run *b, float weight) {
    for (uint32_t i = 0; i < b->pins.count; i++) {
        const uint32_t slot = pin_at(b, i)->slot;
        for (int axis = 0; axis < 3; axis++)
            b->job->network->range.reaction[axis][slot] += weight * *column_at(b, COLUMN(force) + axis, slot);
    }
}

/* Calls the callbacks with the block's slots; sums accelerations and forces. */
static void call_callbacks(const block_run *b, double time) {
    float *x[3], *v[3], *acceleration[3], *force[3];
    const int places = b->job->constrained ? COLUMN(world) : COLUMN(x);
    if (b->job->constrained) b->job->network->kernels->world(b->job, &b->columns, places, b->first, b->end);
    for (int i = 0; i < 3; i++) {
        x[i] = column_at(b, places + i, b->first), v[i] = column_at(b, COLUMN(v) + i, b->first);
        acceleration[i] = column_at(b, COLUMN(acceleration) + i, b->first);
        force[i] = column_at(b, COLUMN(force_sum) + i, b->first);
    }
    mote_stage_view view = mote_stage_view_make(time, b->first, b->end - b->first, x, v);
    view.inverse_mass = b->job->network->range.inverse_mass + b->first;
    view.network = b->job->network->id;
    mote_plan_call(b->job->plan, &view, NULL, acceleration, force);
}

/* Freezes the islands that turned non-finite. */
static void freeze(const block_run *b) {
    mote_network *n = b->job->network;
    for (uint32_t slot = b->first; slot < b->end; slot++) {
        float probe = 0;
        for (int i = 0; i < 3; i++) {
            const float origin = b->job->constrained ? n->step_origin[i][slot] : 0;
            probe += (origin + *column_at(b, COLUMN(x) + i, slot)) * 0.0f;
            probe += *column_at(b, COLUMN(v) + i, slot) * 0.0f;
        }
        if (probe == 0) continue;
        __atomic_store_n(&n->frozen[n->island[slot]], 1, __ATOMIC_RELAXED);
        __atomic_store_n(b->job->froze, 1, __ATOMIC_RELAXED);
    }
}

/* Stores the state at the end of the step; a frozen island keeps that at its start. */
static void commit(const block_run *b) {
    mote_network *n = b->job->network;
    mote_range *r = &n->range;
    const bool frozen = n->report.frozen || __atomic_load_n(b->job->froze, __ATOMIC_RELAXED);
    const size_t bytes = (b->end - b->first) * sizeof(float);
    if (b->job->constrained) n->kernels->store(b->job, &b->columns, b->first, b->end);
    for (int axis = 0; axis < 3 && b->job->keep_previous && r->previous_x[0]; axis++)
        memcpy(r->previous_x[axis] + b->first, r->x[axis] + b->first, bytes);
    for (int i = 0; i < 6; i++) {
        float *to = i < 3 ? r->x[i] : r->v[i - 3];
        const float *from = column_at(b, COLUMN(x) + i, b->first);
        if (!frozen) memcpy(to + b->first, from, bytes);
        for (uint32_t slot = b->first; frozen && slot < b->end; slot++)
            if (!n->frozen[n->island[slot]]) to[slot] = from[slot - b->first];
    }
    for (uint32_t i = 0; frozen && i < b->pins.count; i++) {
        const uint32_t slot = pin_at(b, i)->slot;
        for (int axis = 0; axis < 3 && n->frozen[n->island[slot]]; axis++) r->reaction[axis][slot] = 0;
    }
}

/* --- A phase of one block --- */

/* Places pins and moves the state to the first evaluation of a substep. */
static void begin_substep(const block_run *b, uint32_t substep) {
    const mote_network_job *job = b->job;
    const mote_network_kernels *kernels = job->network->kernels;
    if (substep == 0) place(b, 0);
    if (job->kick) return;
    move_pins(b, substep);
    if (job->collider_count || job->constrained) kernels->start(job, &b->columns, true, b->first, b->end);
    kernels->begin(job, &b->columns, b->first, b->end);
}

static double stage_time(const mote_network_job *job, const mote_phase_at *at) {
    return mote_plan_time(job->plan, job->step, at->substep, job->plan->scheme->time[at->stage]);
}

static void evaluate(const block_run *b, const mote_phase_at *at) {
    const mote_network_job *job = b->job;
    if (job->plan->callback_count || job->linked) call_callbacks(b, stage_time(job, at));
    if (job->constrained || b->chained) return;
    job->network->kernels->spring_forces(job, &b->columns, b->block);
    react(b, job->uncoupled ? 1.0f : mote_plan_weight(job->plan, at->stage));
}

/* End of a substep: reactions and velocities of the constrained solver, then contacts. */
static void end_substep(const block_run *b, uint32_t substep) {
    const mote_network_job *job = b->job;
    const mote_network_kernels *kernels = job->network->kernels;
    if (job->constrained) {
        react(b, job->plan->c.h);
        kernels->start(job, &b->columns, false, b->first, b->end);
        if (job->collider_count) kernels->friction(job, &b->columns, b->first, b->end);
    }
    if (job->collider_count) kernels->resolve_contacts(job, &b->columns, substep, b->first, b->end);
}

/* Runs a phase of a block: all but SOLVE, which works on islands. */
static void run_block_phase(const block_run *b, const mote_phase_at *at) {
    const mote_network_job *job = b->job;
    const mote_network_kernels *kernels = job->network->kernels;
    switch (at->phase) {
    case MOTE_PHASE_LOAD:
        load(b);
        break;
    case MOTE_PHASE_BEGIN:
        begin_substep(b, at->substep);
        break;
    case MOTE_PHASE_PLACE:
        place(b, mote_network_ticks_within(job, at->substep, job->plan->scheme->time[at->stage]));
        break;
    case MOTE_PHASE_EVALUATE:
        evaluate(b, at);
        break;
    case MOTE_PHASE_STAGE:
        if (b->chained)
            kernels->chain_stage(job, &b->columns, b->block, at->stage);
        else
            kernels->stage(job, &b->columns, at->stage, stage_time(job, at), b->first, b->end);
        break;
    case MOTE_PHASE_ARRIVE:
        place(b, mote_network_ticks_within(job, at->substep, 1));
        break;
    case MOTE_PHASE_SOLVE:
        break;
    case MOTE_PHASE_END:
        end_substep(b, at->substep);
        break;
    case MOTE_PHASE_CHECK:
        if (!kernels->finite(job, &b->columns, b->first, b->end)) freeze(b);
        break;
    case MOTE_PHASE_COMMIT:
        commit(b);
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

/* The work of a phase on islands: mote_network_solve, or mote_network_measure at the end. */
typedef void island_work(const mote_network_job *job, const mote_network_scratch *c, const mote_jobs *jobs,
                         uint32_t substep, uint32_t number, mote_network_step_report *report);

/* Whether the contacts that end a substep are measured. */
static bool is_measured(const mote_network_job *job, mote_phase phase) {
    return phase == MOTE_PHASE_END && job->constrained && job->collider_count;
}

/* Does it for the islands of an inner block. They begin at lane groups; an island whose first chunk is in the
 * block is in it completely. */
static void work_on_block(const block_run *b, island_work *work, uint32_t substep) {
    const mote_network *n = b->job->network;
    mote_network_step_report report = {.iterations = 0};
    const mote_jobs serial = {0, NULL, NULL, 0};
    for (uint32_t slot = b->first; slot < b->end; slot += MOTE_GROUP) {
        const uint32_t island = n->island[slot];
        if (n->chunk_first[n->island_chunk[island]] == slot)
            work(b->job, &b->columns, &serial, substep, island, &report);
    }
    add_report(&b->job->network->report, &report);
}

static void phase_of_block(void *context, const mote_phase_at *at) {
    const block_run *b = context;
    if (is_empty(b->job, at)) return;
    if (at->phase == MOTE_PHASE_SOLVE)
        work_on_block(b, mote_network_solve, at->substep);
    else
        run_block_phase(b, at);
    if (is_measured(b->job, at->phase)) work_on_block(b, mote_network_measure, at->substep);
}

static bool is_outer(const mote_network_block *block, bool stage_outer) {
    return block->outer || stage_outer;
}

/* Columns whole pages apart share sets of the first-level cache, and stores delay loads: chains under RK4
 * then took 1.8 times as long. */
#define PAGE 1024u /* floats */
static size_t stride_of(uint32_t slots) {
    const size_t stride = mote_round_up(slots, MOTE_GROUP) + 2 * NETWORK_PAD;
    if (slots > MOTE_NETWORK_BLOCK / 2 && slots <= MOTE_NETWORK_BLOCK) return NETWORK_STRIDE;
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
        const mote_network_scratch columns = {memory, stride_of(block->groups * MOTE_GROUP), block->first};
        block_run b = run_of(r->job, columns, block);
        b.chained = is_chained(&b);
        mote_schedule_step(r->job->plan->substeps, r->job->plan->stages, phase_of_block, &b);
    }
}

static size_t block_floats(const mote_network *n) {
    uint32_t groups = 0;
    for (uint32_t i = 0; i < n->block_count; i++)
        if (n->block[i].groups > groups) groups = n->block[i].groups;
    return NETWORK_COLUMNS * stride_of(groups * MOTE_GROUP) + 2 * NETWORK_PAD;
}

/* Returns the jobs of a step: serial ones where it is too short to divide. */
static const mote_jobs *jobs_of(const mote_network_job *job, const mote_step *step) {
    const mote_network *n = job->network;
    const double stages = job->plan->stages ? job->plan->stages : 1;
    const double round = job->constrained
                             ? MOTE_WORK_SOLVED * n->particle_count
                             : stages * (MOTE_WORK_SPRING * n->spring_count + n->range.slot_count);
    return mote_jobs_for(step->jobs, round * job->plan->substeps);
}

void mote_network_run_inner(const mote_network_job *job, const mote_step *step) {
    const mote_network *n = job->network;
    inner_run r = {job, step->stage_outer, step->scratch, block_floats(n)};
    const mote_items mine = mote_range_units(&n->range, n->block_count);
    mote_parallel_over(jobs_of(job, step), &mine, 1, do_blocks, &r);
}

/* --- Outer blocks: all take each phase together --- */

static void do_phase(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const mote_network_outer_run *r = context;
    for (size_t i = first; i < end; i++) {
        const mote_network_block *block = &r->job->network->block[i];
        if (!is_outer(block, r->stage_outer)) continue;
        if (r->part && block->halo != (r->part == MOTE_OUTER_HALO)) continue;
        const block_run b = run_of(r->job, r->columns, block);
        run_block_phase(&b, r->at);
    }
}

/* Phases over pins and reels only are too short to be worth a barrier. Reels of one block may also hold
 * springs that end in another. */
static bool is_serial(const mote_network_job *job, mote_phase phase) {
    const bool starts = job->collider_count || job->constrained || job->plan->c.drift_first != 0;
    return phase == MOTE_PHASE_PLACE || phase == MOTE_PHASE_ARRIVE ||
           (phase == MOTE_PHASE_BEGIN && (!starts || job->network->reels.count));
}

static void work_on_outer(const mote_network_outer_run *r, island_work *work, uint32_t substep) {
    const mote_network *n = r->job->network;
    mote_network_step_report report = {.iterations = 0};
    for (uint32_t island = 0; island < n->island_count; island++) {
        const uint32_t chunk = n->island_chunk[island];
        if (chunk == n->island_chunk[island + 1]) continue;
        const uint32_t block = mote_network_block_of(n, n->chunk_first[chunk]);
        const bool is_mine = block >= r->mine.first && block < r->mine.end;
        if (is_mine && is_outer(&n->block[block], r->stage_outer))
            work(r->job, &r->columns, r->jobs, substep, island, &report);
    }
    add_report(&r->job->network->report, &report);
}

/* Evaluates the blocks of a network that ranks share: those inside while the halo is exchanged, then those
 * that read it. */
static void evaluate_cut(mote_network_outer_run *r) {
    const mote_network *n = r->job->network;
    mote_network_begin_halo(n, &r->columns);
    r->part = MOTE_OUTER_INTERIOR;
    mote_parallel_over(r->jobs, &r->mine, 1, do_phase, r);
    mote_network_end_halo(n, &r->columns);
    r->part = MOTE_OUTER_HALO;
    mote_parallel_over(r->jobs, &r->mine, 1, do_phase, r);
    r->part = MOTE_OUTER_ALL;
}

void mote_network_outer_phase(void *context, const mote_phase_at *at) {
    const mote_jobs serial = {0, NULL, NULL, 0};
    mote_network_outer_run *r = context;
    const bool cut = r->job->network->range.peers && r->job->network->halo.cut;
    if (is_empty(r->job, at)) return;
    r->at = at;
    if (cut && at->phase == MOTE_PHASE_COMMIT) mote_network_share_frozen(r->job->network, r->job->froze);
    if (at->phase == MOTE_PHASE_SOLVE)
        work_on_outer(r, mote_network_solve, at->substep);
    else if (cut && at->phase == MOTE_PHASE_EVALUATE)
        evaluate_cut(r);
    else
        mote_parallel_over(is_serial(r->job, at->phase) ? &serial : r->jobs, &r->mine, 1, do_phase, r);
    if (is_measured(r->job, at->phase)) work_on_outer(r, mote_network_measure, at->substep);
}

mote_network_outer_run mote_network_outer(const mote_network_job *job, const mote_step *step,
                                          float *scratch) {
    return (mote_network_outer_run){
        .job = job,
        .jobs = jobs_of(job, step),
        .mine = mote_range_units(&job->network->range, job->network->block_count),
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
    if (!mote_network_renew(network, &network->response_edits) && network->response_h == plan->h) return;
    network->response_h = plan->h;
    unit_response last = {.stiffness = -1};
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
}
