/* The bundles' part of a step. */
#include "strands/kernels.h"
#include "system/internal.h"

/* Constraints have semi-implicit Euler for their explicit part, springs the system's integrator. The inbox
 * and the anchors are the loose particles' own. */
static mote_plan_def plan_def_of(const mote_system *system, const mote_strands *strands) {
    mote_plan_def def = mote_system_plan_def(system);
    def.mass_column = true;
    def.external_forces = false;
    def.coupled = strands->def.solver == MOTE_STRAND_SPRINGS;
    if (!def.coupled) def.integrator = MOTE_SEMI_IMPLICIT_EULER;
    return def;
}

static mote_strand_job job_of(const mote_system *system, uint32_t place, const mote_plan *plan,
                              uint64_t step) {
    return (mote_strand_job){.plan = plan,
                             .strands = system->strands_objects[place],
                             .poses = system->colliders.poses,
                             .collider_count = system->colliders.count,
                             .step = step,
                             .step_tick = step * system->clock.ticks_per_step,
                             .ticks_per_step = system->clock.ticks_per_step,
                             .id = mote_system_strands_id(system, place)};
}

/* Position Verlet starts with v(t - h / 2). */
static void start_half_step(const mote_system *system, uint32_t place, uint64_t step, const mote_jobs *jobs) {
    mote_plan_def def = plan_def_of(system, system->strands_objects[place]);
    mote_plan plan;
    mote_plan_make_kick(&plan, &def, -0.5);
    plan.anchors = false;
    mote_strand_job job = job_of(system, place, &plan, step);
    mote_run_strands(system->kernels.strands->kick, &job, jobs, (float *)(void *)system->strand_scratch);
}

void mote_system_begin_strands(const mote_system *system, uint32_t place, uint64_t step, bool last,
                               const mote_jobs *jobs, mote_strands_run *run) {
    mote_strands *strands = system->strands_objects[place];
    const mote_plan_def def = plan_def_of(system, strands);
    const bool springs = strands->def.solver == MOTE_STRAND_SPRINGS;
    mote_plan_make(&run->plan, &def);
    run->plan.anchors = false;
    const bool starts = springs && run->plan.scheme->half_step_velocity && !strands->started;
    if (starts) start_half_step(system, place, step, jobs);
    run->kicked = starts ? -0.5 * run->plan.h : 0;
    run->job = job_of(system, place, &run->plan, step);
    run->job.keep_previous = last;
    if (last)
        mote_strands_keep_rotations(strands, run->job.step_tick,
                                    run->job.step_tick + run->job.ticks_per_step);
    run->job.unit_responses = springs && run->plan.scheme->kick_after;
    strands->started = true;
}

static void run_strands(const mote_system *system, uint32_t place, uint64_t step, bool last,
                        const mote_jobs *jobs) {
    mote_strands_run run;
    mote_system_begin_strands(system, place, step, last, jobs, &run);
    mote_run_strands(system->kernels.strands->step, &run.job, jobs, (float *)(void *)system->strand_scratch);
}

void mote_system_run_strands(mote_system *system, uint64_t first_step, uint32_t steps, bool last,
                             const mote_jobs *jobs) {
    if (system->strands_count == 0) return;
    for (uint32_t i = 0; i < steps; i++) {
        const uint64_t step = first_step + i;
        if (system->colliders.count)
            mote_colliders_pose(&system->colliders, step * system->clock.ticks_per_step,
                                system->clock.ticks_per_step, system->def.substeps);
        for (uint32_t place = 0; place < system->strands_count; place++)
            if (!system->strands_objects[place]->link_count)
                run_strands(system, place, step, last && i + 1 == steps, jobs);
    }
}

void mote_system_resolve_targets(mote_system *system, uint64_t end_tick) {
    mote_colliders_resolve(&system->colliders, end_tick);
    for (uint32_t place = 0; place < system->strands_count; place++)
        mote_strands_resolve(system->strands_objects[place], end_tick);
    for (uint32_t place = 0; place < system->network_count; place++)
        mote_network_resolve(system->networks[place], end_tick);
}
