/* The engine as a contender: one system, stepped one step a frame. */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>

#include "options.h"

void engine_check(mote_result result, const char *call) {
    if (result == MOTE_OK) return;
    if (result == MOTE_ERROR_MEMORY) fail_usage("not enough memory for %s", call);
    fprintf(stderr, "mote-bench: %s: %s\n", call, mote_result_text(result));
    exit(EXIT_FAILURE);
}

mote_system_def engine_def(const bench_config *config) {
    mote_system_def def = mote_default_system_def();
    def.capacity = config->particles;
    def.steps_per_second = STEPS_PER_SECOND;
    def.substeps = config->substeps;
    def.integrator = config->integrator;
    def.interpolation = config->interpolation;
    def.mass = PARTICLE_MASS;
    def.particle_ids = false;
    def.isa = config->isa;
    def.jobs = mote_jobs_openmp(config->threads);
    def.allocator = config->allocator;
    return def;
}

void engine_add_force(mote_system *system, mote_force_def force) {
    mote_force_id id;
    engine_check(mote_system_add_force(system, &force, &id), mote_force_name(force.kind));
}

static void add_forces(mote_system *system, const scene_forces *forces) {
    if (forces->gravity[0] != 0 || forces->gravity[1] != 0 || forces->gravity[2] != 0)
        engine_add_force(system, mote_gravity(forces->gravity));
    if (forces->drag > 0) engine_add_force(system, mote_wind(forces->wind, forces->drag));
    for (uint32_t i = 0; i < forces->attractor_count; i++)
        engine_add_force(system, mote_attractor(forces->centre[i], forces->strength, forces->softening));
}

mote_system *engine_create(const mote_system_def *def, const bench_scene *scene, uint64_t first,
                           uint32_t count) {
    mote_system *system;
    mote_range_view view;
    engine_check(mote_system_create(def, &system), "mote_system_create");
    add_forces(system, scene->forces);
    if (scene->add_forces) scene->add_forces(system);
    engine_check(mote_system_spawn(system, count, &view), "mote_system_spawn");
    probe_columns columns = {{view.position.x, view.position.y, view.position.z},
                             {view.velocity.x, view.velocity.y, view.velocity.z}};
    fill_columns(scene, first, &columns, count);
    return system;
}

void *engine_open(const bench_config *config) {
    mote_system_def def = engine_def(config);
    return engine_create(&def, config->scene, 0, config->particles);
}

void engine_run(void *system, uint32_t frames) {
    for (uint32_t frame = 0; frame < frames; frame++)
        engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
}

uint64_t engine_hash(void *system) { return mote_system_hash(system); }

void engine_close(void *system) { mote_system_destroy(system); }

const bench_contender engine_contender = {"engine", engine_open, NULL, engine_run, engine_hash, engine_close};
