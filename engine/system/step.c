/* The step. Real time becomes whole steps; steps run in batches between which nothing else acts; at each
 * boundary the dead are removed. */
#include <string.h>

#include "base/fpu.h"
#include "particles/compaction.h"
#include "system/internal.h"

static void refresh_plan(mote_system *system) {
    if (!system->plan_is_old) return;
    mote_plan_def def = mote_system_plan_def(system);
    mote_plan_make(&system->plan, &def);
    system->plan_is_old = false;
}

/* Lifetimes and the inbox act at every boundary, and a death does where a callback sees slots; without these,
 * steps run on with the state in registers. */
static uint32_t batch_of(const mote_system *system, uint32_t steps) {
    if (system->def.lifetimes || system->external_forces_marked || system->plan.callback_count) return 1;
    return steps < MOTE_FATE_MAX_STEP ? steps : MOTE_FATE_MAX_STEP;
}

static void make_span(mote_span *span, const mote_system *system, uint32_t steps, bool last) {
    mote_system_make_span(system, steps, span);
    if (!last) return;
    mote_particles_vector(&system->particles, MOTE_COLUMN_PREVIOUS_POSITION, span->previous_x);
    mote_particles_vector(&system->particles, MOTE_COLUMN_PREVIOUS_VELOCITY, span->previous_v);
}

typedef struct batch {
    const mote_system *system;
    const mote_span *span;
    mote_lifetimes lifetimes;
    const mote_compaction
        *compaction; /* the holes are filled after each run of blocks; NULL: there are none */
    size_t first;    /* slot at which the blocks begin */
    uint32_t frozen, expired;
} batch;

static void do_lifetimes(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    batch *b = context;
    uint32_t expired = mote_system_expire(b->system, &b->lifetimes, first, end);
    if (expired) __atomic_fetch_add(&b->expired, expired, __ATOMIC_RELAXED);
}

/* Holes are filled while the blocks that were just stepped are still in the cache. */
#define BLOCKS_IN_CACHE 16

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    batch *b = context;
    const mote_system *system = b->system;
    const size_t run = b->compaction ? BLOCKS_IN_CACHE * MOTE_BLOCK : end - first;
    uint32_t frozen = 0;
    mote_filler filler;
    first += b->first, end += b->first;
    if (b->compaction) filler = mote_filler_make(b->compaction, first);
    for (size_t from = first; from < end; from += run) {
        size_t to = end - from < run ? end : from + run;
        mote_run_blocks(system->kernels.particles, &system->plan, b->span, from, to, &frozen);
        if (b->compaction) mote_filler_run(&filler, from, to);
    }
    if (frozen) __atomic_fetch_add(&b->frozen, frozen, __ATOMIC_RELAXED);
}

static void run_slots(batch *b, const mote_jobs *jobs, size_t first, size_t end,
                      const mote_compaction *compaction) {
    b->first = first;
    b->compaction = compaction;
    mote_parallel_for(jobs, end - first, MOTE_BLOCK, do_blocks, b);
}

/* Blocks outside. Who dies of age in this step is known before it: the last slots, whose survivors move, are
 * stepped first, and the others are filled as they are stepped. */
static void run_blocks_outer(batch *b, const mote_jobs *jobs, const mote_compaction *compaction) {
    size_t count = b->span->count;
    if (!compaction) {
        run_slots(b, jobs, 0, count, NULL);
        return;
    }
    size_t tail = compaction->kept / MOTE_BLOCK * MOTE_BLOCK;
    run_slots(b, jobs, tail, count, NULL);
    run_slots(b, jobs, 0, tail, compaction);
    mote_filler filler = mote_filler_make(compaction, tail);
    mote_filler_run(&filler, tail, count);
}

static void run_stages_outer(batch *b, const mote_jobs *jobs, const mote_compaction *compaction) {
    const mote_system *system = b->system;
    mote_workspace workspace =
        mote_workspace_make(system->workspace, mote_round_up(b->span->count, MOTE_GROUP));
    mote_run_stages(system->kernels.particles, &system->plan, b->span, &workspace, jobs, &b->frozen);
    if (!compaction) return;
    mote_filler filler = mote_filler_make(compaction, 0);
    mote_filler_run(&filler, 0, b->span->count);
}

/* Steps all particles; then those are gone whose lifetime ended, and those that turned non-finite in (step,
 * slot) order. */
static void run_batch(mote_system *system, uint32_t steps, bool last, const mote_jobs *jobs,
                      mote_advance *report) {
    mote_span span;
    make_span(&span, system, steps, last);
    batch b;
    b.system = system, b.span = &span, b.frozen = b.expired = 0;
    if (system->def.lifetimes) b.lifetimes = mote_system_lifetimes(system, system->clock.step + 1);
    if (system->def.lifetimes) mote_parallel_for(jobs, span.count, MOTE_BLOCK, do_lifetimes, &b);
    mote_compaction compaction;
    if (b.expired) compaction = mote_compaction_begin(&system->particles, MOTE_FATE_EXPIRED, b.expired);
    bool stage_outer = system->def.loop_order == MOTE_LOOP_STAGE_OUTER || system->plan.reaches_range;
    (stage_outer ? run_stages_outer : run_blocks_outer)(&b, jobs, b.expired ? &compaction : NULL);
    if (b.expired) mote_compaction_end(&compaction);

    system->clock.step += steps;
    if (system->external_forces_marked) system->plan_is_old = true;
    system->external_forces_marked = false;
    for (uint32_t step = 1; b.frozen && step <= steps; step++)
        mote_particles_compact(&system->particles, (uint8_t)step);
    report->non_finite += b.frozen;
    report->expired += b.expired;
}

static void run_steps(mote_system *system, uint32_t steps, const mote_jobs *jobs, mote_advance *report) {
    if (steps == 0) return;
    system->busy = true;
    mote_system_kick(system, -0.5, system->particles.started, system->particles.count);
    if (system->particles.pending_kills)
        report->killed = mote_particles_compact(&system->particles, MOTE_FATE_KILLED);
    while (steps) {
        refresh_plan(system);
        uint32_t now = batch_of(system, steps);
        mote_system_run_strands(system, system->clock.step, now, now == steps, jobs);
        mote_system_run_networks(system, system->clock.step, now, now == steps, jobs);
        mote_system_run_links(system, system->clock.step, now, now == steps, jobs);
        run_batch(system, now, now == steps, jobs, report);
        steps -= now;
    }
    system->particles.started = system->particles.count;
    system->busy = false;
}

static mote_result can_step(mote_system *system) {
    mote_fpu_state saved = mote_fpu_enter();
    const bool refused = mote_system_networks_refuse(system);
    mote_fpu_leave(saved);
    if (refused) return MOTE_ERROR_STABILITY;
    return mote_plan_can_step(system->def.integrator, system->forces.forces, system->forces.count);
}

/* remainder: the ticks behind the last step at which the advance ends. */
static void run_and_report(mote_system *system, uint64_t remainder, const mote_jobs *jobs,
                           mote_advance *report, mote_advance *out) {
    mote_fpu_state saved = mote_fpu_enter();
    mote_system_resolve_targets(system, (system->clock.step + report->steps) * system->clock.ticks_per_step +
                                            remainder);
    run_steps(system, report->steps, jobs, report);
    report->alpha = mote_clock_alpha(&system->clock);
    report->ticks_remaining = system->clock.remainder;
    report->ticks_per_nanosecond = system->clock.ticks_per_nanosecond;
    report->ticks_per_step = system->clock.ticks_per_step;
    mote_fpu_leave(saved);
    if (out) *out = *report;
}

static mote_result advance(mote_system *system, uint64_t nanoseconds, const mote_jobs *jobs,
                           mote_advance *out) {
    mote_advance report = {0};
    mote_result result = can_step(system);
    if (result) return result;
    if (!mote_clock_take(&system->clock, nanoseconds, system->def.late_policy,
                         system->def.max_steps_per_advance, &report))
        return MOTE_ERROR_OVERFLOW;
    run_and_report(system, system->clock.remainder, jobs, &report, out);
    return MOTE_OK;
}

mote_result mote_system_advance(mote_system *system, uint64_t nanoseconds, mote_advance *out) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    return advance(system, nanoseconds, &system->def.jobs, out);
}

mote_result mote_system_step(mote_system *system, uint32_t steps, mote_advance *out) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_result result = can_step(system);
    if (result) return result;
    mote_advance report = {.steps = steps};
    run_and_report(system, 0, &system->def.jobs, &report, out);
    return MOTE_OK;
}

typedef struct crowd {
    mote_system *const *systems;
    uint64_t nanoseconds;
    mote_advance *advances;
} crowd;

static void do_systems(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const crowd *c = context;
    const mote_jobs serial = {0, NULL, NULL};
    for (size_t i = first; i < end; i++)
        (void)advance(c->systems[i], c->nanoseconds, &serial, c->advances ? &c->advances[i] : NULL);
}

/* Claims every system, so that one which is given twice is noticed; the claims are given back before
 * returning. */
static mote_result check_crowd(mote_system *const *systems, uint32_t count, uint64_t nanoseconds) {
    mote_result result = MOTE_OK;
    uint32_t claimed = 0;
    for (; claimed < count && result == MOTE_OK; claimed++) {
        mote_system *system = systems[claimed];
        if (!system)
            result = MOTE_ERROR_NULL;
        else if (system->busy)
            result = MOTE_ERROR_BUSY;
        else if (system->claimed)
            result = MOTE_ERROR_ID;
        else {
            mote_clock trial = system->clock;
            mote_advance ignored;
            if (!mote_clock_take(&trial, nanoseconds, system->def.late_policy, 1, &ignored))
                result = MOTE_ERROR_OVERFLOW;
        }
        if (result == MOTE_OK) result = can_step(system);
        if (result) break;
        system->claimed = true;
    }
    while (claimed) systems[--claimed]->claimed = false;
    return result;
}

mote_result mote_systems_advance(mote_system *const *systems, uint32_t count, uint64_t nanoseconds,
                                 const mote_jobs *jobs, mote_advance *advances) {
    const mote_jobs serial = {0, NULL, NULL};
    if (count && !systems) return MOTE_ERROR_NULL;
    mote_result result = check_crowd(systems, count, nanoseconds);
    if (result) return result;
    crowd c = {systems, nanoseconds, advances};
    mote_parallel_for(jobs ? jobs : &serial, count, 1, do_systems, &c);
    return MOTE_OK;
}

uint64_t mote_system_tick(const mote_system *system) {
    return system ? system->clock.step * system->clock.ticks_per_step + system->clock.remainder : 0;
}

uint64_t mote_system_steps(const mote_system *system) { return system ? system->clock.step : 0; }

double mote_system_time(const mote_system *system) {
    if (!system) return 0;
    mote_fpu_state saved = mote_fpu_enter();
    double time = mote_clock_time(&system->clock);
    mote_fpu_leave(saved);
    return time;
}

double mote_system_timestep(const mote_system *system) { return system ? system->clock.timestep : 0; }
