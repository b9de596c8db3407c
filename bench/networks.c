/* Networks on the bench: see networks.h. */
#include "networks.h"

#include <math.h>
#include <stdlib.h>

#include "engine.h"
#include "options.h"

static void add_network(network_run *run, const mote_network_def *network, const network_shape *shape) {
    mote_network_def def = *network;
    mote_network_fault fault = {MOTE_NO_ITEM, MOTE_NO_ITEM, NULL};
    def.particle_count = shape->particle_count;
    def.positions = shape->positions[0];
    def.velocities = shape->velocities[0];
    def.particle_mass = shape->masses;
    def.spring_count = shape->spring_count;
    def.springs = shape->springs;
    mote_result result = mote_system_add_network(run->system, &def, &run->network, &fault);
    if (result != MOTE_OK && (fault.particle != MOTE_NO_ITEM || fault.spring != MOTE_NO_ITEM))
        fail_usage("particle %d, spring %d: %s", (int)fault.particle, (int)fault.spring,
                   mote_result_text(result));
    engine_check(result, "mote_system_add_network");
    for (uint32_t i = 0; i < shape->pin_count; i++)
        engine_check(mote_network_pin(run->system, run->network, shape->pins[i],
                                      shape->positions[shape->pins[i]], MOTE_NEXT_ADVANCE),
                     "mote_network_pin");
}

network_run *network_run_create(const mote_system_def *def, bool weightless, const mote_network_def *network,
                                const network_shape *shape) {
    network_run *run = allocate_or_fail(sizeof *run);
    mote_system_def empty = *def;
    empty.capacity = 0;
    *run = (network_run){
        .particles = shape->particle_count, .springs = shape->spring_count, .substeps = def->substeps};
    engine_check(mote_system_create(&empty, &run->system), "mote_system_create");
    if (!weightless) engine_add_force(run->system, mote_gravity((float[3]){0, -NETWORK_GRAVITY, 0}));
    add_network(run, network, shape);
    run->energy_at_start = network_energy(run);
    return run;
}

void network_run_frame(network_run *run) {
    mote_network_step_report report;
    if (run->move) run->move(run);
    engine_check(mote_system_step(run->system, 1, NULL), "mote_system_step");
    engine_check(mote_network_report(run->system, run->network, &report), "mote_network_report");
    run->frame++;
    network_tally *tally = &run->tally;
    tally->frames++;
    tally->substeps += report.substeps;
    tally->iterations += (double)report.iterations;
    tally->linear += (double)report.linear;
    tally->unsolved += report.unsolved;
    if (!((double)report.residual <= tally->residual)) tally->residual = (double)report.residual;
    tally->capped += report.capped;
    tally->torn += report.torn;
    tally->frozen = report.frozen;
}

void network_run_destroy(network_run *run) {
    mote_system_destroy(run->system);
    free(run);
}

mote_statistics network_measured(const network_run *run) {
    mote_statistics statistics;
    engine_check(mote_network_statistics(run->system, run->network, &statistics), "mote_network_statistics");
    return statistics;
}

double network_energy(const network_run *run) {
    mote_statistics s = network_measured(run);
    return s.kinetic + s.elastic + s.potential;
}

double network_substep(const network_setup *setup) {
    return (double)setup->rate.seconds / setup->rate.steps / setup->substeps;
}

network_run *network_create(const network_setup *setup) {
    mote_system_def system = mote_default_system_def();
    system.steps_per_second = setup->rate;
    system.substeps = setup->substeps;
    system.integrator = setup->integrator;
    system.interpolation = MOTE_INTERPOLATE_NONE;
    system.particle_ids = false;
    system.jobs = mote_jobs_openmp(setup->threads);
    mote_network_def network = mote_default_network_def();
    network.solver = setup->solver;
    network.growth_allowed = setup->growth_allowed;
    if (setup->max_strain > 0) network.max_strain = setup->max_strain;
    if (setup->max_iterations) network.max_iterations = setup->max_iterations;
    if (setup->max_linear) network.max_linear = setup->max_linear;
    return network_run_create(&system, setup->weightless, &network, setup->shape);
}

void network_place(const network_run *run, uint32_t i, float place[3]) {
    mote_network_view view = mote_network_columns(run->system, run->network);
    place[0] = view.position.x[view.slot[i]];
    place[1] = view.position.y[view.slot[i]];
    place[2] = view.position.z[view.slot[i]];
}

void network_velocity(const network_run *run, uint32_t i, float velocity[3]) {
    mote_network_view view = mote_network_columns(run->system, run->network);
    velocity[0] = view.velocity.x[view.slot[i]];
    velocity[1] = view.velocity.y[view.slot[i]];
    velocity[2] = view.velocity.z[view.slot[i]];
}
