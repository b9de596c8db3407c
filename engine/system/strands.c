/* The bundles' part of a step. */
#include "kernels/strands.h"
#include "system/internal.h"

/* Constraints have semi-implicit Euler for their explicit part, springs the system's integrator. The inbox
 * and the anchors are the loose particles' own. */
static mote_plan_def plan_def_of(const mote_system *system, const mote_bundle *bundle) {
    mote_plan_def def = mote_system_plan_def(system);
    def.mass_column = true;
    def.inbox = false;
    def.coupled = bundle->def.solver == MOTE_STRAND_SPRINGS;
    if (!def.coupled) def.integrator = MOTE_SEMI_IMPLICIT_EULER;
    return def;
}

static mote_strand_job job_of(const mote_system *system, uint32_t place, const mote_plan *plan,
                              uint64_t step) {
    const mote_bundle_id id = mote_system_bundle_id(system, place);
    return (mote_strand_job){.plan = plan,
                             .bundle = system->bundles[place],
                             .poses = system->colliders.poses,
                             .collider_count = system->colliders.count,
                             .step = step,
                             .step_tick = step * system->clock.ticks_per_step,
                             .ticks_per_step = system->clock.ticks_per_step,
                             .bundle_index = id.index,
                             .bundle_generation = id.generation};
}

/* Position Verlet starts with v(t - h / 2). */
static void kick_back(const mote_system *system, uint32_t place, uint64_t step, const mote_jobs *jobs) {
    mote_plan_def def = plan_def_of(system, system->bundles[place]);
    mote_plan plan;
    mote_plan_make_kick(&plan, &def, -0.5);
    plan.anchors = false;
    mote_strand_job job = job_of(system, place, &plan, step);
    mote_run_strands(system->kernels->strands->kick, &job, jobs, (float *)(void *)system->strand_scratch);
}

void mote_system_begin_bundle(const mote_system *system, uint32_t place, uint64_t step, bool last,
                              const mote_jobs *jobs, mote_bundle_run *run) {
    mote_bundle *bundle = system->bundles[place];
    const mote_plan_def def = plan_def_of(system, bundle);
    const bool springs = bundle->def.solver == MOTE_STRAND_SPRINGS;
    mote_plan_make(&run->plan, &def);
    run->plan.anchors = false;
    const bool starts = springs && run->plan.scheme->half_step_velocity && !bundle->started;
    if (starts) kick_back(system, place, step, jobs);
    run->kicked = starts ? -0.5 * run->plan.h : 0;
    run->job = job_of(system, place, &run->plan, step);
    run->job.keep_previous = last;
    if (last)
        mote_bundle_keep_turns(bundle, run->job.step_tick, run->job.step_tick + run->job.ticks_per_step);
    run->job.answers = springs && run->plan.scheme->kick_after;
    bundle->started = true;
}

static void run_bundle(const mote_system *system, uint32_t place, uint64_t step, bool last,
                       const mote_jobs *jobs) {
    mote_bundle_run run;
    mote_system_begin_bundle(system, place, step, last, jobs, &run);
    mote_run_strands(system->kernels->strands->step, &run.job, jobs, (float *)(void *)system->strand_scratch);
}

void mote_system_run_strands(mote_system *system, uint64_t first_step, uint32_t steps, bool last,
                             const mote_jobs *jobs) {
    if (system->bundle_count == 0) return;
    for (uint32_t i = 0; i < steps; i++) {
        const uint64_t step = first_step + i;
        if (system->colliders.count)
            mote_colliders_pose(&system->colliders, step * system->clock.ticks_per_step,
                                system->clock.ticks_per_step, system->def.substeps);
        for (uint32_t place = 0; place < system->bundle_count; place++)
            if (!system->bundles[place]->link_count)
                run_bundle(system, place, step, last && i + 1 == steps, jobs);
    }
}

void mote_system_resolve_targets(mote_system *system, uint64_t end_tick) {
    mote_colliders_resolve(&system->colliders, end_tick);
    for (uint32_t place = 0; place < system->bundle_count; place++)
        mote_bundle_resolve(system->bundles[place], end_tick);
    for (uint32_t place = 0; place < system->network_count; place++)
        mote_network_resolve(system->networks[place], end_tick);
}
