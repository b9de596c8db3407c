/* mote-bench compare, section networks: ratios of times a particle and frame, both sides in turn, each from
 * its first state, after both have been seen to go the same way. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "network_sides.h"
#include "progress.h"

/* One side of a ratio; timed are the frames after `warm`. */
typedef struct network_side {
    const char *name;
    const side_functions *functions;
    network_setup setup;
    bool wall; /* the clock on the wall: where threads are compared; else the thread's own time */
    uint32_t warm, frames;
} network_side;

typedef struct network_comparison {
    compare_row row;
    network_side above, below;
    uint32_t checked; /* frames after which both are compared; 0: they are the same engine */
} network_comparison;

typedef struct side_outcome {
    double seconds[MAX_REPEATS]; /* a particle and frame */
    double max_strain, mean_strain;
    uint64_t frozen;
} side_outcome;

static bool is_engine(const network_side *side) { return side->functions == &engine_side; }

static double time_side(const network_side *side, side_outcome *outcome) {
    double (*clock)(void) = side->wall ? now_seconds : thread_seconds;
    void *state = side->functions->open(&side->setup);
    for (uint32_t i = 0; i < side->warm; i++) side->functions->frame(state);
    double start = clock();
    for (uint32_t i = 0; i < side->frames; i++) side->functions->frame(state);
    double seconds = clock() - start;
    if (is_engine(side)) {
        const network_run *run = state;
        mote_statistics s = network_measured(run);
        outcome->max_strain = s.max_strain;
        outcome->mean_strain = s.mean_strain;
        outcome->frozen = run->tally.frozen;
    }
    side->functions->close(state);
    return seconds / side->frames / side->setup.shape->particle_count;
}

/* --- Telling --- */

static void print_side(const network_side *side, const side_outcome *outcome, uint32_t repeat) {
    double seconds = spread_of(outcome->seconds, repeat).median, step = seconds / side->setup.substeps;
    const network_shape *shape = side->setup.shape;
    printf("    %-44s %8.2f M node-substeps/s, %8.2f M spring-substeps/s, %.3f ms a frame", side->name,
           1e-6 / step, 1e-6 / step * shape->spring_count / shape->particle_count,
           1e3 * seconds * shape->particle_count);
    if (is_engine(side))
        printf("; strain %.3f %% largest, %.4f %% mean%s", 100 * outcome->max_strain,
               100 * outcome->mean_strain, outcome->frozen ? "; FROZEN" : "");
    putchar('\n');
}

static cJSON *side_object(const network_side *side, const side_outcome *outcome, uint32_t repeat) {
    cJSON *object = cJSON_CreateObject();
    double seconds = spread_of(outcome->seconds, repeat).median;
    cJSON_AddStringToObject(object, "name", side->name);
    cJSON_AddNumberToObject(object, "particles", side->setup.shape->particle_count);
    cJSON_AddNumberToObject(object, "springs", side->setup.shape->spring_count);
    cJSON_AddNumberToObject(object, "substeps", side->setup.substeps);
    cJSON_AddNumberToObject(object, "threads", side->setup.threads);
    cJSON_AddNumberToObject(object, "node_substeps_per_second", side->setup.substeps / seconds);
    cJSON_AddNumberToObject(object, "frame_seconds", seconds * side->setup.shape->particle_count);
    if (!is_engine(side)) return object;
    cJSON_AddNumberToObject(object, "max_strain", outcome->max_strain);
    cJSON_AddNumberToObject(object, "mean_strain", outcome->mean_strain);
    cJSON_AddNumberToObject(object, "frozen", (double)outcome->frozen);
    return object;
}

/* The two do the same sums in other orders. In every substep each rounds positions of up to `size` by half a
 * unit in the last place, 2^-24 of them, all in the same sense at worst. */
static double distance_allowed(const network_comparison *c) {
    const network_shape *shape = c->below.setup.shape;
    double size = 0;
    for (uint32_t i = 0; i < shape->particle_count; i++)
        for (uint32_t axis = 0; axis < 3; axis++) size = fmax(size, fabs((double)shape->positions[i][axis]));
    return 0x1p-23 * size * c->checked * c->below.setup.substeps;
}

static void check_sides(const network_comparison *c, cJSON *object) {
    if (!c->checked) return;
    double apart = sides_distance(c->above.functions, c->below.functions, &c->below.setup, c->checked);
    double allowed = distance_allowed(c);
    printf("    after %u frames they stand %.1e m apart, by rounding at most %.1e%s\n", (unsigned)c->checked,
           apart, allowed, apart <= allowed ? "" : ": NOT THE SAME");
    cJSON_AddNumberToObject(object, "apart", apart);
    cJSON_AddNumberToObject(object, "apart_allowed", allowed);
}

static void run_comparison(network_comparison *c, uint32_t repeat, cJSON *results) {
    static side_outcome outcome[2]; /* static for its size */
    double ratios[MAX_REPEATS];
    const network_side *side[2] = {&c->above, &c->below};
    for (uint32_t turn = 0; turn < repeat; turn++) {
        progress("%s: %u of %u", c->row.figure, (unsigned)turn + 1, (unsigned)repeat);
        for (int k = 0; k < 2; k++) outcome[k].seconds[turn] = time_side(side[k], &outcome[k]);
        ratios[turn] = outcome[0].seconds[turn] / outcome[1].seconds[turn];
    }
    progress_clear();
    c->row.ratio = spread_of(ratios, repeat);
    compare_print(&c->row);
    putchar('\n');
    cJSON *object = cJSON_CreateObject(), *sides = NULL;
    compare_json(object, &c->row);
    cJSON_AddNumberToObject(object, "repeat", repeat);
    sides = cJSON_AddArrayToObject(object, "sides");
    for (int k = 0; k < 2; k++) {
        print_side(side[k], &outcome[k], repeat);
        cJSON_AddItemToArray(sides, side_object(side[k], &outcome[k], repeat));
    }
    check_sides(c, object);
    cJSON_AddItemToArray(results, object);
    fflush(stdout);
}

/* --- The rows --- */

static network_side side_of(const char *name, const side_functions *functions, const network_setup *setup,
                            uint32_t frames) {
    return (network_side){.name = name, .functions = functions, .setup = *setup, .warm = 1, .frames = frames};
}

static network_setup setup_of(const network_shape *shape, mote_integrator integrator, uint32_t substeps) {
    return (network_setup){.shape = shape,
                           .integrator = integrator,
                           .substeps = substeps,
                           .threads = 1,
                           .rate = STEPS_PER_SECOND};
}

static void against(const char *figure, double target, const char *name, const side_functions *opponent,
                    const network_setup *setup, uint32_t frames, uint32_t repeat, cJSON *results) {
    network_comparison c = {.row = {.figure = figure, .target = target},
                            .above = side_of(name, opponent, setup, frames),
                            .below = side_of("engine", &engine_side, setup, frames),
                            .checked = 4};
    run_comparison(&c, repeat, results);
}

static void against_edges(const char *figure, double target, const network_shape *shape, uint32_t frames,
                          uint32_t repeat, cJSON *results) {
    network_setup setup = setup_of(shape, MOTE_SEMI_IMPLICIT_EULER, 8);
    against(figure, target, "edge list over 60-byte structs", &edge_side, &setup, frames, repeat, results);
}

static void undamp(network_shape *shape) {
    for (uint32_t i = 0; i < shape->spring_count; i++) shape->springs[i].damping = 0;
}

static void compare_threads(const char *figure, const network_shape *shape, uint32_t repeat, cJSON *results) {
    network_setup setup = setup_of(shape, MOTE_SEMI_IMPLICIT_EULER, 8);
    network_comparison c = {.row = {.figure = figure, .target = 1.8},
                            .above = side_of("1 thread", &engine_side, &setup, 8),
                            .below = side_of("2 threads", &engine_side, &setup, 8)};
    c.above.wall = c.below.wall = true;
    c.below.setup.threads = 2;
    run_comparison(&c, repeat, results);
}

static void compare_net(uint32_t repeat, cJSON *results) {
    network_shape shape = scene_net_create(256 * 256);
    against_edges("net, 8 substeps: edge list over engine", 3, &shape, 4, repeat, results);
    compare_threads("net, 8 substeps: 1 thread over 2", &shape, repeat, results);
    undamp(&shape);
    against_edges("net without damping: edge list over engine", 3, &shape, 4, repeat, results);
    shape_destroy(&shape);
}

static void compare_webs(uint32_t repeat, cJSON *results) {
    network_shape shape = webs_create(4096 * WEB_NODES);
    against_edges("webs, 8 substeps: edge list over engine", 6, &shape, 2, repeat, results);
    compare_threads("webs, 8 substeps: 1 thread over 2", &shape, repeat, results);
    undamp(&shape);
    against_edges("webs without damping: edge list over engine", 6, &shape, 2, repeat, results);
    shape_destroy(&shape);
}

/* 10^6 bodies of 1 kg, 15 N/m, 0.3 kg/s, as in the accuracy command's experiment with coupled bodies. */
static void compare_chains(uint32_t repeat, cJSON *results) {
    static const chain_form form = {
        .chains = 15625, .points = 64, .mass = 1, .stiffness = 15, .damping = 0.3f};
    network_shape shape = chains_create(&form);
    network_setup once = setup_of(&shape, MOTE_RK4, 1), often = setup_of(&shape, MOTE_RK4, 8);
    against("chains of 64, RK4, 1 substep: whole-batch RK4 over engine", 2.5, "a pass a stage over columns",
            &batch_side, &once, 4, repeat, results);
    against("chains of 64, RK4, 8 substeps: whole-batch RK4 over engine", 2.5, "a pass a stage over columns",
            &batch_side, &often, 1, repeat, results);
    shape_destroy(&shape);
}

void compare_networks(uint32_t repeat, cJSON *object) {
    cJSON *results = cJSON_GetObjectItem(object, "results");
    compare_net(repeat, results);
    compare_webs(repeat, results);
    compare_chains(repeat, results);
    compare_stiff_net(repeat, results);
    compare_bounds(object);
}
