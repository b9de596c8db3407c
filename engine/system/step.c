/* Advances systems: converts real time to whole steps and runs them in batches, within which nothing else
 * acts on loose particles. */
#include "base/parallel.h"
#include "particles/emitters.h"
#include "particles/events.h"
#include "system/internal.h"

/* Runs one step of all ranges except the loose particles: first the unlinked ones, then the linked ones. */
static void step_ranges(mote_system *system, const mote_step *step) {
    mote_range *range;
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++)
        if (!range->link_count) mote_range_step(range, step);
    if (system->links.linked) mote_links_step(&system->links, step);
}

/* Keeps the arrivals of all targets at the boundary where the step begins. */
static void keep_arrivals(mote_system *system, const mote_step *step) {
    mote_range *range;
    if (!step->number || step->number % system->clock.keep_steps) return;
    mote_colliders_keep_arrivals(&system->colliders, step->tick);
    mote_emitters_keep_arrivals(&system->emitters, step->tick);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++)
        range->kind->keep_arrivals(range, step->tick);
}

/* Emits at the end of the step, which has just been run. */
static void emit(mote_system *system, const mote_step *step, mote_advance *report) {
    const mote_births births = mote_emitters_run(&system->emitters, &system->particles, step);
    report->born += births.born;
    report->unborn += births.unborn;
}

/* Runs one batch: all steps of the other ranges, then those of the loose particles. last: the end of the
 * batch is presented. */
static void run_batch(mote_system *system, uint32_t steps, bool last, const mote_jobs *jobs,
                      mote_advance *report) {
    mote_plan_def def;
    mote_step step = mote_system_next_step(system, &def);
    step.jobs = jobs;
    for (uint32_t i = 0; i < steps; i++, step.number++, step.tick += step.ticks_per_step) {
        step.last = last && i + 1 == steps;
        keep_arrivals(system, &step);
        step_ranges(system, &step);
    }
    step.number = system->clock.step, step.tick = mote_system_boundary(system);
    step.last = last;
    mote_particles_run(&system->particles, &step, steps, report);
    system->particles.started = system->particles.range.slot_count;
    if (system->emitters.count) emit(system, &step, report);
    system->clock.step += steps;
}

static void run_steps(mote_system *system, uint32_t steps, const mote_jobs *jobs, mote_advance *report) {
    mote_particles *particles = &system->particles;
    mote_plan_def def;
    system->busy = true;
    for (bool edited = true; steps;) {
        const mote_step step = mote_system_next_step(system, &def);
        if (edited) report->killed += mote_particles_begin(particles, &step);
        mote_particles_refresh_plan(particles, &def);
        edited = system->hook || system->emitters.count;
        const uint32_t now =
            edited ? 1 : mote_particles_batch(particles, steps, mote_system_collides(system));
        run_batch(system, now, now == steps || system->hook, jobs, report);
        if (system->hook) mote_system_call_hook(system);
        steps -= now;
    }
    system->busy = false;
}

/* Checks that the next step may run. Errors: STABILITY, INTEGRATOR. */
static mote_result can_step(const mote_system *system) {
    mote_plan_def def;
    mote_range *range;
    mote_result result = MOTE_OK;
    (void)mote_system_next_step(system, &def);
    const mote_fpu_state saved = mote_fpu_enter();
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)) && result == MOTE_OK; i++)
        if (range->kind->can_step) result = range->kind->can_step(range, &def);
    mote_fpu_leave(saved);
    return result ? result : mote_plan_can_step(def.integrator, def.forces, def.force_count);
}

/* --- Advancing --- */

/* Resolves pending targets, if steps run, runs these and completes the report. remainder: ticks from the end
 * of the last step to the end of the advance, where targets of the advance arrive. Error: CLUSTER, after
 * which the state is undefined. */
static mote_result run_and_report(mote_system *system, uint64_t remainder, const mote_jobs *jobs,
                                  mote_advance *report, mote_advance *out) {
    const mote_fpu_state saved = mote_fpu_enter();
    mote_range *range;
    const uint64_t end_tick = report->steps ? mote_clock_end_tick(&system->clock, report->steps, remainder)
                                            : MOTE_NEXT_ADVANCE; /* targets stay pending */
    mote_events_clear(system->particles.events, system->mark);
    mote_colliders_resolve(&system->colliders, end_tick);
    mote_emitters_resolve(&system->emitters, end_tick);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++)
        range->kind->resolve(range, end_tick);
    run_steps(system, report->steps, jobs, report);
    const mote_result result = mote_system_end_advance(system, report->steps);
    report->alpha = mote_clock_alpha(&system->clock);
    report->ticks_remaining = system->clock.remainder;
    report->ticks_per_nanosecond = system->clock.ticks_per_nanosecond;
    report->ticks_per_step = system->clock.ticks_per_step;
    mote_fpu_leave(saved);
    if (out) *out = *report;
    return result;
}

/* Checks that a system can advance by a frame, in the order in which errors are returned by every call that
 * advances: NULL, BUSY, OVERFLOW, STABILITY, INTEGRATOR. */
static mote_result check_advance(const mote_system *system, uint64_t nanoseconds) {
    const mote_result result = mote_system_at_rest(system);
    if (result) return result;
    mote_clock trial = system->clock;
    mote_advance ignored;
    const bool fits = mote_clock_take(&trial, nanoseconds, system->def.late_policy, 1, &ignored);
    return fits ? can_step(system) : MOTE_ERROR_OVERFLOW;
}

/* Advances a system that check_advance has accepted. */
static mote_result advance(mote_system *system, uint64_t nanoseconds, const mote_jobs *jobs,
                           mote_advance *out) {
    mote_advance report = {0};
    (void)mote_clock_take(&system->clock, nanoseconds, system->def.late_policy,
                          system->def.max_steps_per_advance, &report);
    return run_and_report(system, system->clock.remainder, jobs, &report, out);
}

mote_result mote_system_advance(mote_system *system, uint64_t nanoseconds, mote_advance *out) {
    mote_result result = check_advance(system, nanoseconds);
    result = mote_system_begin_advance(system, nanoseconds, result);
    return result ? result : advance(system, nanoseconds, &system->def.jobs, out);
}

mote_result mote_system_step(mote_system *system, uint32_t steps, mote_advance *out) {
    mote_result result = mote_system_at_rest(system);
    if (result == MOTE_OK) result = can_step(system);
    result = mote_system_begin_advance(system, ~(uint64_t)steps, result);
    if (result) return result;
    mote_advance report = {.steps = steps};
    return run_and_report(system, system->clock.remainder, &system->def.jobs, &report, out);
}

mote_result mote_system_set_alpha(mote_system *system, float alpha) {
    mote_result result = mote_system_at_rest(system);
    if (result == MOTE_OK) result = mote_value_not_negative(alpha);
    if (result == MOTE_OK && alpha > 1) result = MOTE_ERROR_RANGE;
    if (result) return result;
    system->clock.alpha = alpha, system->clock.alpha_set = true;
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
    const mote_jobs serial = {0, NULL, NULL, 0};
    for (size_t i = first; i < end; i++)
        (void)advance(c->systems[i], c->nanoseconds, &serial, c->advances ? &c->advances[i] : NULL);
}

/* Checks that a system can advance, has no claim yet, and needs no messages, which workers cannot send. */
static mote_result check_claim(const mote_system *system, uint64_t nanoseconds) {
    if (system && system->claimed) return MOTE_ERROR_ID;
    if (system && system->peers) return MOTE_ERROR_CLUSTER;
    return check_advance(system, nanoseconds);
}

/* Checks that every system can advance, before any does. Claims each system on the way, to detect one given
 * twice; releases all claims before it returns. */
static mote_result check_crowd(mote_system *const *systems, uint32_t count, uint64_t nanoseconds) {
    mote_result result = MOTE_OK;
    uint32_t claimed = 0;
    while (claimed < count && (result = check_claim(systems[claimed], nanoseconds)) == MOTE_OK)
        systems[claimed++]->claimed = true;
    while (claimed) systems[--claimed]->claimed = false;
    return result;
}

mote_result mote_systems_advance(mote_system *const *systems, uint32_t count, uint64_t nanoseconds,
                                 const mote_jobs *jobs, mote_advance *advances) {
    const mote_jobs serial = {0, NULL, NULL, 0};
    if (count && !systems) return MOTE_ERROR_NULL;
    mote_result result = jobs ? mote_jobs_check(jobs) : MOTE_OK;
    if (result == MOTE_OK) result = check_crowd(systems, count, nanoseconds);
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
    MOTE_FPU_COMPUTED(time);
    mote_fpu_leave(saved);
    return time;
}

double mote_system_timestep(const mote_system *system) { return system ? system->clock.timestep : 0; }
