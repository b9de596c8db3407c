/* The networks' part of a step. */
#include <string.h>

#include "networks/kernels.h"
#include "system/internal.h"

/* Constraints have semi-implicit Euler for their explicit part, springs the system's integrator. The inbox
 * and the anchors are the loose particles' own. */
static mote_plan_def plan_def_of(const mote_system *system, const mote_network *network, uint32_t substeps) {
    mote_plan_def def = mote_system_plan_def(system);
    def.substeps = substeps;
    def.mass_column = network->uniform_inverse_mass == 0;
    if (!def.mass_column) def.uniform_mass = 1.0 / (double)network->uniform_inverse_mass;
    def.external_forces = false;
    def.coupled = network->def.solver == MOTE_NETWORK_SPRINGS;
    if (!def.coupled) def.integrator = MOTE_SEMI_IMPLICIT_EULER;
    return def;
}

static mote_network_job job_of(const mote_system *system, uint32_t place, const mote_plan *plan,
                               uint64_t step, uint32_t *froze) {
    return (mote_network_job){.plan = plan,
                              .network = system->networks[place],
                              .poses = system->colliders.poses,
                              .collider_count = system->colliders.count,
                              .step = step,
                              .step_tick = step * system->clock.ticks_per_step,
                              .ticks_per_step = system->clock.ticks_per_step,
                              .constrained = system->networks[place]->def.solver == MOTE_NETWORK_CONSTRAINED,
                              .id = mote_system_network_id(system, place),
                              .froze = froze};
}

static void run(const mote_system *system, const mote_network_job *job, const mote_jobs *jobs) {
    mote_run_network(system->kernels.networks, job, jobs, system->def.loop_order == MOTE_LOOP_STAGE_OUTER,
                     (float *)(void *)system->network_scratch);
}

/* Position Verlet starts with v(t - h / 2), and keeps to it where the automatic substep changes h. Returns
 * the part of h. */
static double start_half_step(const mote_system *system, uint32_t place, const mote_plan_def *def,
                              uint64_t step, const mote_jobs *jobs, uint32_t *froze) {
    const mote_network *network = system->networks[place];
    const double before = network->started ? (double)def->substeps / (double)network->substeps : 0;
    mote_plan plan;
    mote_plan_make_kick(&plan, def, -0.5 * (1 - before));
    plan.anchors = false;
    mote_network_job job = job_of(system, place, &plan, step, froze);
    job.kick = true;
    run(system, &job, jobs);
    return -0.5 * (1 - before);
}

static uint32_t count_frozen(const mote_network *network) {
    uint32_t frozen = 0;
    for (uint32_t i = 0; i < network->island_count; i++) frozen += network->frozen[i];
    return frozen;
}

void mote_system_begin_network(mote_system *system, uint32_t place, uint64_t step, bool last,
                               const mote_jobs *jobs, mote_network_run *r) {
    mote_network *network = system->networks[place];
    bool capped;
    const uint32_t substeps = mote_system_network_substeps(system, network, &capped);
    const mote_plan_def def = plan_def_of(system, network, substeps);
    mote_plan_make(&r->plan, &def);
    r->plan.anchors = false;
    r->froze = 0;
    r->kicked = 0;
    mote_network_job *job = &r->job;
    *job = job_of(system, place, &r->plan, step, &r->froze);
    mote_network_end_reels(network, job->step_tick);
    network->report =
        (mote_network_step_report){.substeps = substeps, .capped = capped, .frozen = network->report.frozen};
    if (job->collider_count)
        mote_colliders_pose(&system->colliders, job->step_tick, job->ticks_per_step, r->plan.substeps);
    if (!job->constrained && r->plan.scheme->half_step_velocity &&
        (!network->started || network->substeps != substeps))
        r->kicked = r->plan.h * start_half_step(system, place, &def, step, jobs, &r->froze);
    job->keep_previous = last;
    job->uncoupled = !job->constrained && r->plan.scheme->kick_after;
    if (job->uncoupled) mote_network_unit_responses(network, &r->plan);
    if (job->constrained && !network->rigid) mote_network_find_aggregates(network);
}

void mote_system_end_network(mote_system *system, uint32_t place, mote_network_run *r) {
    mote_network *network = system->networks[place];
    if (r->froze) network->report.frozen = count_frozen(network);
    const uint32_t torn = network->torn_count;
    mote_network_tear(network);
    network->report.torn = network->torn_count - torn;
    network->started = true;
    network->substeps = r->plan.substeps;
}

static void run_network(mote_system *system, uint32_t place, uint64_t step, bool last,
                        const mote_jobs *jobs) {
    mote_network_run r;
    mote_system_begin_network(system, place, step, last, jobs, &r);
    run(system, &r.job, jobs);
    mote_system_end_network(system, place, &r);
}

void mote_system_run_networks(mote_system *system, uint64_t first_step, uint32_t steps, bool last,
                              const mote_jobs *jobs) {
    for (uint32_t i = 0; i < steps && system->network_count; i++)
        for (uint32_t place = 0; place < system->network_count; place++)
            if (!system->networks[place]->link_count)
                run_network(system, place, first_step + i, last && i + 1 == steps, jobs);
}

mote_result mote_system_grow_network_scratch(mote_system *system, const mote_network *network) {
    const mote_jobs *jobs = &system->def.jobs;
    const size_t floats = mote_network_scratch_floats(network, jobs->run ? jobs->workers : 1,
                                                      system->def.loop_order == MOTE_LOOP_STAGE_OUTER);
    const size_t bytes = mote_round_up(floats * sizeof(float), MOTE_CACHE_LINE);
    if (bytes <= system->network_scratch_bytes) return MOTE_OK;
    unsigned char *memory = mote_allocate(&system->allocator, bytes);
    if (!memory) return MOTE_ERROR_MEMORY;
    memset(memory, 0, bytes);
    mote_release(&system->allocator, system->network_scratch, system->network_scratch_bytes);
    system->network_scratch = memory;
    system->network_scratch_bytes = bytes;
    return MOTE_OK;
}

mote_result mote_system_reserve_poses(mote_system *system, uint32_t substeps) {
    return mote_colliders_reserve_rows(&system->colliders, substeps + 1, &system->allocator);
}
