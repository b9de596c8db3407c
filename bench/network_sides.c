/* The sides of comparisons of networks: see network_sides.h. */
#include "network_sides.h"

#include <stdlib.h>
#include <string.h>

#include "batch_baseline.h"
#include "memory.h"
#include "options.h"

/* --- The engine --- */

static void *open_engine(const void *setup) { return network_create(setup); }
static void frame_engine(void *run) { network_run_frame(run); }
static void place_engine(const void *run, uint32_t i, float place[3]) { network_place(run, i, place); }
static void close_engine(void *run) { network_run_destroy(run); }

static void observe_engine(void *user, bench_observation *seen) {
    const network_run *run = user;
    const mote_statistics s = network_measured(run);
    *seen = (bench_observation){
        .max_strain = s.max_strain, .mean_strain = s.mean_strain, .frozen = (double)run->tally.frozen};
}

const side_functions engine_side = {open_engine, frame_engine, observe_engine, place_engine, close_engine};

/* --- The edge list --- */

static void *open_edges(const void *user) {
    const network_setup *setup = user;
    edge_list *list = allocate_or_fail(sizeof *list);
    *list = shape_edges(setup->shape, setup->substeps, (float)network_substep(setup));
    return list;
}

const side_functions edge_side = {open_edges, edges_frame, NULL, edges_place, edges_close};

/* --- The batch --- */

#define BODY_COLUMNS   22u
#define SPRING_COLUMNS 5u

typedef struct batch_run {
    batch_bodies bodies;
    batch_springs springs;
    uint32_t substeps;
    float h;
    arena body_memory, spring_memory;
} batch_run;

static void create_columns(arena *memory, uint32_t columns, size_t count, float **column) {
    if (!arena_create(memory, staggered_size(columns, count))) fail_usage("no memory for the batch");
    staggered_arrays(memory->bytes, columns, count, column);
}

static void fill_bodies(batch_run *run, const network_shape *shape) {
    float *column[BODY_COLUMNS], **to = column;
    batch_bodies *bodies = &run->bodies;
    bodies->count = shape->particle_count;
    create_columns(&run->body_memory, BODY_COLUMNS, bodies->count, column);
    for (uint32_t i = 0; i < 3; i++) bodies->x[i] = *to++;
    for (uint32_t i = 0; i < 3; i++) bodies->v[i] = *to++;
    for (uint32_t i = 0; i < 6; i++) bodies->at[i] = *to++;
    for (uint32_t i = 0; i < 6; i++) bodies->sum[i] = *to++;
    for (uint32_t i = 0; i < 3; i++) bodies->force[i] = *to++;
    bodies->inverse_mass = *to;
    for (uint32_t i = 0; i < shape->particle_count; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            bodies->x[axis][i] = shape->positions[i][axis];
            bodies->v[axis][i] = shape->velocities[i][axis];
        }
        bodies->inverse_mass[i] = 1 / shape->masses[i];
    }
    for (uint32_t i = 0; i < shape->pin_count; i++) bodies->inverse_mass[shape->pins[i]] = 0;
}

static void fill_springs(batch_run *run, const network_shape *shape) {
    float *column[SPRING_COLUMNS];
    batch_springs *springs = &run->springs;
    springs->count = shape->spring_count;
    create_columns(&run->spring_memory, SPRING_COLUMNS, shape->spring_count, column);
    springs->a = (uint32_t *)(void *)column[0];
    springs->b = (uint32_t *)(void *)column[1];
    springs->rest = column[2];
    springs->stiffness = column[3];
    springs->damping = column[4];
    for (uint32_t i = 0; i < shape->spring_count; i++) {
        const mote_spring *spring = &shape->springs[i];
        springs->a[i] = spring->a;
        springs->b[i] = spring->b;
        springs->rest[i] = spring->rest_length;
        springs->stiffness[i] = spring->stiffness;
        springs->damping[i] = spring->damping;
    }
}

static void *open_batch(const void *user) {
    const network_setup *setup = user;
    batch_run *run = allocate_or_fail(sizeof *run);
    *run = (batch_run){.substeps = setup->substeps, .h = (float)network_substep(setup)};
    fill_bodies(run, setup->shape);
    fill_springs(run, setup->shape);
    return run;
}

static void frame_batch(void *user) {
    batch_run *run = user;
    for (uint32_t i = 0; i < run->substeps; i++)
        for (uint32_t stage = 0; stage < 4; stage++)
            baseline_batch_rk4_stage(&run->bodies, &run->springs, stage, -NETWORK_GRAVITY, run->h);
}

static void place_batch(const void *user, uint32_t i, float place[3]) {
    const batch_run *run = user;
    for (uint32_t axis = 0; axis < 3; axis++) place[axis] = run->bodies.x[axis][i];
}

static void close_batch(void *user) {
    batch_run *run = user;
    arena_destroy(&run->body_memory);
    arena_destroy(&run->spring_memory);
    free(run);
}

const side_functions batch_side = {open_batch, frame_batch, NULL, place_batch, close_batch};
