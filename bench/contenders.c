/* The baselines and the probe on one set of arrays, in threads that each own a contiguous range. */
#include "contenders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "options.h"
#include "scenes.h"
#include "timing.h"

void *allocate_or_fail(size_t bytes) {
    void *pointer = malloc(bytes);
    if (!pointer) fail_usage("no memory for %zu bytes", bytes);
    return pointer;
}

uint32_t faster_width(void (*run)(void *state, uint32_t width), void *state) {
    double least[WIDTHS] = {INFINITY, INFINITY};
    for (int turn = 0; turn < 3; turn++)
        for (uint32_t width = 0; width < WIDTHS; width++) {
            const double start = now_seconds();
            run(state, width);
            least[width] = fmin(least[width], now_seconds() - start);
        }
    return least[WIDTH_512] < least[WIDTH_PREFERRED] ? WIDTH_512 : WIDTH_PREFERRED;
}

void thread_part(size_t count, size_t unit, uint32_t thread, uint32_t threads, size_t *first, size_t *last) {
    size_t units = (count + unit - 1) / unit;
    *first = units * thread / threads * unit;
    *last = units * (thread + 1) / threads * unit;
    if (*first > count) *first = count;
    if (*last > count) *last = count;
}

/* --- First states --- */

void fill_columns(const bench_scene *scene, uint64_t first, const probe_columns *columns, size_t count) {
    probe_columns to = *columns;
#pragma omp parallel for schedule(static) if (count > 10000)
    for (size_t i = 0; i < count; i++) {
        scene_particle particle;
        scene->place(scene->forces, first + i, &particle);
        for (uint32_t axis = 0; axis < 3; axis++) {
            to.position[axis][i] = particle.position[axis];
            to.velocity[axis][i] = particle.velocity[axis];
        }
    }
}

void fill_structs(const bench_scene *scene, uint64_t first, struct_particle *particles, size_t count) {
#pragma omp parallel for schedule(static) if (count > 10000)
    for (size_t i = 0; i < count; i++) {
        scene_particle particle;
        scene->place(scene->forces, first + i, &particle);
        struct_particle *to = &particles[i];
        *to = (struct_particle){.mass = PARTICLE_MASS, .lifetime = 1};
        memcpy(to->position, particle.position, sizeof to->position);
        memcpy(to->previous, particle.position, sizeof to->previous);
        memcpy(to->velocity, particle.velocity, sizeof to->velocity);
    }
}

/* --- The baselines and the probe --- */

#define MAX_ARRAYS 18u

/* Velocity Verlet keeps its last kick beside the state; RK4 keeps a stage and the sums. */
static uint32_t arrays_of(const bench_scene *scene) {
    if (scene->baseline_plain == &batch_rk4_contender) return MAX_ARRAYS;
    return scene->baseline_plain == &verlet_contender ? 9 : 6;
}

size_t contender_memory(const bench_scene *scene, uint32_t particles) {
    size_t columns = staggered_size(arrays_of(scene), particles),
           structs = sizeof(struct_particle) * (size_t)particles;
    return columns > structs ? columns : structs;
}

const baseline_loops *const baseline_loops_of[WIDTHS] = {&baseline_loops_preferred, &baseline_loops_512};

/* Of the loops over columns the faster of two compilations (widths.h), `loops`, is timed. */
typedef struct arrays {
    bench_config config;
    const baseline_loops *loops;
    const scene_forces *forces;
    struct_particle *particles;
    probe_columns columns;
    float *extra[MAX_ARRAYS - 6];
    float h;
} arrays;

static void *arrays_open(const bench_config *config) {
    arrays *state = allocate_or_fail(sizeof *state);
    float *array[MAX_ARRAYS] = {NULL};
    staggered_arrays(config->memory->bytes, arrays_of(config->scene), config->particles, array);
    *state = (arrays){.config = *config,
                      .loops = baseline_loops_of[WIDTH_PREFERRED],
                      .forces = config->scene->forces,
                      .particles = (struct_particle *)(void *)config->memory->bytes,
                      .columns = arena_columns(config->memory, config->particles),
                      .h = (float)(TIMESTEP / config->substeps)};
    for (uint32_t i = 6; i < MAX_ARRAYS; i++) state->extra[i - 6] = array[i];
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
#define FOR_THREAD_PARTS(state, unit, call)                                                                  \
    _Pragma("omp parallel num_threads(state->config.threads)") {                                             \
        size_t first, last;                                                                                  \
        thread_part(state->config.particles, unit, thread_index(), thread_count(), &first, &last);           \
        call;                                                                                                \
    }

static void struct_run(void *user, uint32_t frames) {
    arrays *state = user;
    for (uint64_t pass = 0; pass < (uint64_t)frames * state->config.substeps; pass++)
        FOR_THREAD_PARTS(state, PROBE_BLOCK,
                         state->loops->structs(state->particles, first, last, state->forces, state->h))
}

static void plain_run(void *user, uint32_t frames) {
    arrays *state = user;
    for (uint64_t pass = 0; pass < (uint64_t)frames * state->config.substeps; pass++)
        FOR_THREAD_PARTS(
            state, PROBE_BLOCK,
            state->loops->plain(&state->columns, first, last, state->forces, PARTICLE_MASS, state->h))
}

static void probe_run(void *user, uint32_t frames) {
    arrays *state = user;
    for (uint32_t frame = 0; frame < frames; frame++)
        FOR_THREAD_PARTS(state, PROBE_BLOCK, probe_update(&state->columns, first, last))
}

static void verlet_run(void *user, uint32_t frames) {
    arrays *state = user;
    uint32_t substeps = state->config.substeps;
    for (uint64_t pass = 0; pass < (uint64_t)frames * substeps; pass++) {
        /* The engine keeps an evaluation from substep to substep, not from frame to frame. */
        bool reuse = pass % substeps != 0, keep = (pass + 1) % substeps != 0;
        FOR_THREAD_PARTS(state, PROBE_BLOCK,
                         state->loops->verlet(&state->columns, state->extra,
                                              (baseline_span){first, last, state->h}, state->forces, reuse,
                                              keep))
    }
}

static void batch_rk4_run(void *user, uint32_t frames) {
    arrays *state = user;
    for (uint64_t pass = 0; pass < (uint64_t)frames * state->config.substeps; pass++)
        for (uint32_t stage = 0; stage < 4; stage++)
            FOR_THREAD_PARTS(state, PROBE_BLOCK,
                             state->loops->rk4_stage(&state->columns, state->extra, state->extra + 6,
                                                     (baseline_span){first, last, state->h}, stage,
                                                     PARTICLE_MASS))
}

/* As many passes as a repeat times, so that they take some milliseconds. */
static void passes_of_width(arrays *state, uint32_t width, void (*run)(void *user, uint32_t frames)) {
    const uint32_t frames = state->config.frames / state->config.substeps;
    state->loops = baseline_loops_of[width];
    run(state, frames ? frames : 1);
}

static void plain_of_width(void *state, uint32_t width) { passes_of_width(state, width, plain_run); }
static void verlet_of_width(void *state, uint32_t width) { passes_of_width(state, width, verlet_run); }
static void batch_of_width(void *state, uint32_t width) { passes_of_width(state, width, batch_rk4_run); }

static void *columns_open(const bench_config *config, void (*run)(void *state, uint32_t width)) {
    arrays *state = arrays_open(config);
    plain_refill(state);
    state->loops = baseline_loops_of[faster_width(run, state)];
    return state;
}

static void *plain_open(const bench_config *config) { return columns_open(config, plain_of_width); }
static void *verlet_open(const bench_config *config) { return columns_open(config, verlet_of_width); }
static void *batch_open(const bench_config *config) { return columns_open(config, batch_of_width); }

const bench_contender verlet_contender = {"plain", verlet_open, plain_refill, verlet_run, NULL, free};
const bench_contender batch_rk4_contender = {"batch", batch_open, plain_refill, batch_rk4_run, NULL, free};
const bench_contender struct_contender = {"struct", arrays_open, struct_refill, struct_run, NULL, free};
const bench_contender plain_contender = {"plain", plain_open, plain_refill, plain_run, NULL, free};

/* No refill: the probe runs on the values that the others left, which are finite, and its update keeps them
 * finite. */
const bench_contender probe_contender = {"probe", arrays_open, NULL, probe_run, NULL, free};
