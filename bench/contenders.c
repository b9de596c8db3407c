/* The baselines and the probe on one set of arrays, in threads that each own a contiguous range. */
#include "contenders.h"

#include <stdio.h>
#include <stdlib.h>

#include "machine.h"
#include "scenes.h"

void *allocate_or_fail(size_t bytes) {
    void *pointer = malloc(bytes);
    if (!pointer) {
        fprintf(stderr, "mote-bench: no memory for %zu bytes\n", bytes);
        exit(EXIT_FAILURE);
    }
    return pointer;
}

void thread_part(size_t count, size_t unit, uint32_t thread, uint32_t threads, size_t *first, size_t *last) {
    size_t units = (count + unit - 1) / unit;
    *first = units * thread / threads * unit;
    *last = units * (thread + 1) / threads * unit;
    if (*first > count) *first = count;
    if (*last > count) *last = count;
}

size_t contender_memory(uint32_t particles) {
    size_t columns = staggered_size(6, particles), structs = sizeof(struct_particle) * (size_t)particles;
    return columns > structs ? columns : structs;
}

typedef struct arrays {
    bench_config config;
    const scene_forces *forces;
    struct_particle *particles;
    probe_columns columns;
    float h;
} arrays;

static void *arrays_open(const bench_config *config) {
    arrays *state = allocate_or_fail(sizeof *state);
    *state = (arrays){.config = *config,
                      .forces = config->scene->forces,
                      .particles = (struct_particle *)(void *)config->memory->bytes,
                      .columns = arena_columns(config->memory, config->particles),
                      .h = (float)(TIMESTEP / config->substeps)};
    return state;
}

static void struct_refill(void *user) {
    const arrays *state = user;
    fill_structs(state->config.scene, 0, state->particles, state->config.particles);
}

static void plain_refill(void *user) {
    const arrays *state = user;
    fill_columns(state->config.scene, 0, &state->columns, state->config.particles);
}

/* The loops differ only in the call. */
#define FOR_THREAD_PARTS(state, unit, call)                                                                            \
    _Pragma("omp parallel num_threads(state->config.threads)") {                                                       \
        size_t first, last;                                                                                            \
        thread_part(state->config.particles, unit, thread_index(), thread_count(), &first, &last);                     \
        call;                                                                                                          \
    }

static void struct_run(void *user, uint32_t frames) {
    arrays *state = user;
    for (uint64_t pass = 0; pass < (uint64_t)frames * state->config.substeps; pass++)
        FOR_THREAD_PARTS(state, PROBE_BLOCK, baseline_struct(state->particles, first, last, state->forces, state->h))
}

static void plain_run(void *user, uint32_t frames) {
    arrays *state = user;
    for (uint64_t pass = 0; pass < (uint64_t)frames * state->config.substeps; pass++)
        FOR_THREAD_PARTS(state, PROBE_BLOCK,
                         baseline_plain(&state->columns, first, last, state->forces, PARTICLE_MASS, state->h))
}

static void probe_run(void *user, uint32_t frames) {
    arrays *state = user;
    for (uint32_t frame = 0; frame < frames; frame++)
        FOR_THREAD_PARTS(state, PROBE_BLOCK, probe_update(&state->columns, first, last))
}

const bench_contender struct_contender = {"struct", arrays_open, struct_refill, struct_run, NULL, free};
const bench_contender plain_contender = {"plain", arrays_open, plain_refill, plain_run, NULL, free};

/* No refill: it runs on what the others left there, which is finite, and its update keeps it so. */
const bench_contender probe_contender = {"probe", arrays_open, NULL, probe_run, NULL, free};
