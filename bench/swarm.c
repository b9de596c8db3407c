/* Swarm: many small systems advanced in one call, against one system of as many particles. The baselines keep
 * each of the small sets in arrays of its own and take all of its substeps before the next set. */
#include <stdlib.h>

#include "engine.h"
#include "machine.h"

typedef struct swarm {
    mote_jobs jobs;
    mote_system *system[SWARM_SYSTEMS];
} swarm;

/* Particles [first, last) belong to set `index`: all sets are equal but for a remainder. */
static uint32_t set_first(uint32_t particles, uint32_t index) {
    return (uint32_t)((uint64_t)particles * index / SWARM_SYSTEMS);
}

static uint32_t set_count(uint32_t particles, uint32_t index) {
    return set_first(particles, index + 1) - set_first(particles, index);
}

static void *swarm_open(const bench_config *config) {
    swarm *state = allocate_or_fail(sizeof *state);
    state->jobs = mote_jobs_openmp(config->threads);
    for (uint32_t i = 0; i < SWARM_SYSTEMS; i++) {
        mote_system_def def = engine_def(config);
        def.capacity = set_count(config->particles, i);
        def.jobs = (mote_jobs){0};
        state->system[i] = engine_create(&def, config->scene, set_first(config->particles, i), def.capacity);
    }
    return state;
}

static void swarm_run(void *user, uint32_t frames) {
    swarm *state = user;
    for (uint32_t frame = 0; frame < frames; frame++)
        engine_check(mote_systems_advance(state->system, SWARM_SYSTEMS, STEP_NANOSECONDS, &state->jobs, NULL),
                     "mote_systems_advance");
}

/* The hashes of the systems, chained by the 64-bit FNV prime. */
static uint64_t swarm_hash(void *user) {
    swarm *state = user;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < SWARM_SYSTEMS; i++)
        hash = (hash ^ mote_system_hash(state->system[i])) * UINT64_C(0x100000001b3);
    return hash;
}

static void swarm_close(void *user) {
    swarm *state = user;
    for (uint32_t i = 0; i < SWARM_SYSTEMS; i++) mote_system_destroy(state->system[i]);
    free(state);
}

const bench_contender swarm_contender = {"swarm", swarm_open, NULL, swarm_run, swarm_hash, swarm_close};

typedef struct sets {
    bench_config config;
    const baseline_loops *loops; /* over columns: the faster of two compilations (widths.h) */
    float h;
    unsigned char *bytes[SWARM_SYSTEMS];
} sets;

static sets *open_sets(const bench_config *config) {
    sets *state = allocate_or_fail(sizeof *state);
    state->config = *config;
    state->h = (float)(TIMESTEP / config->substeps);
    return state;
}

static void close_sets(void *user) {
    sets *state = user;
    for (uint32_t i = 0; i < SWARM_SYSTEMS; i++) free(state->bytes[i]);
    free(state);
}

static void *structs_open(const bench_config *config) {
    sets *state = open_sets(config);
    for (uint32_t i = 0; i < SWARM_SYSTEMS; i++) {
        uint32_t count = set_count(config->particles, i);
        state->bytes[i] = allocate_or_fail(count * sizeof(struct_particle));
        fill_structs(config->scene, set_first(config->particles, i), (void *)state->bytes[i], count);
    }
    return state;
}

static void structs_run(void *user, uint32_t frames) {
    sets *state = user;
    const bench_config *config = &state->config;
    for (uint32_t frame = 0; frame < frames; frame++) {
#pragma omp parallel for schedule(static) num_threads(config->threads)
        for (uint32_t i = 0; i < SWARM_SYSTEMS; i++)
            for (uint32_t substep = 0; substep < config->substeps; substep++)
                baseline_loops_preferred.structs((void *)state->bytes[i], 0, set_count(config->particles, i),
                                                 config->scene->forces, state->h);
    }
}

static probe_columns set_columns(unsigned char *bytes, uint32_t count) {
    float *first = (float *)(void *)bytes;
    return (probe_columns){{first, first + count, first + 2 * (size_t)count},
                           {first + 3 * (size_t)count, first + 4 * (size_t)count, first + 5 * (size_t)count}};
}

static void columns_run(void *user, uint32_t frames) {
    sets *state = user;
    const bench_config *config = &state->config;
    for (uint32_t frame = 0; frame < frames; frame++) {
#pragma omp parallel for schedule(static) num_threads(config->threads)
        for (uint32_t i = 0; i < SWARM_SYSTEMS; i++) {
            uint32_t count = set_count(config->particles, i);
            probe_columns columns = set_columns(state->bytes[i], count);
            for (uint32_t substep = 0; substep < config->substeps; substep++)
                state->loops->plain(&columns, 0, count, config->scene->forces, PARTICLE_MASS, state->h);
        }
    }
}

static void columns_of_width(void *user, uint32_t width) {
    sets *state = user;
    state->loops = baseline_loops_of[width];
    columns_run(state, 1);
}

static void *columns_open(const bench_config *config) {
    sets *state = open_sets(config);
    for (uint32_t i = 0; i < SWARM_SYSTEMS; i++) {
        uint32_t count = set_count(config->particles, i);
        state->bytes[i] = allocate_or_fail(6 * sizeof(float) * (size_t)count);
        probe_columns columns = set_columns(state->bytes[i], count);
        fill_columns(config->scene, set_first(config->particles, i), &columns, count);
    }
    state->loops = baseline_loops_of[faster_width(columns_of_width, state)];
    return state;
}

const bench_contender swarm_struct_contender = {"struct", structs_open, NULL, structs_run, NULL, close_sets};
const bench_contender swarm_plain_contender = {"plain", columns_open, NULL, columns_run, NULL, close_sets};

uint32_t swarm_figures(const measurement *result, scene_figure *figures) {
    figures[0] =
        (scene_figure){"swarm_cost_ratio", "", "x the cost per particle of one system of the same total", 1,
                       ratio_spread(&result->engine, &result->reference[0], result->config.repeat)};
    return 1;
}
