/* Networks: ratios of times of a particle and frame, both sides in turn, each
 * from its first state, after a comparison of where both went. */
#include <math.h>

#include "network_sides.h"

static compare_side side_of(const char *name, const side_functions *functions, const network_setup *setup,
                            uint32_t frames) {
    return (compare_side){.name = name,
                          .functions = functions,
                          .setup = setup,
                          .points = setup->shape->particle_count,
                          .springs = setup->shape->spring_count,
                          .substeps = setup->substeps,
                          .threads = setup->threads,
                          .warm = 1,
                          .frames = frames,
                          .loops = 1};
}

static network_setup setup_of(const network_shape *shape, mote_integrator integrator, uint32_t substeps) {
    return (network_setup){.shape = shape,
                           .integrator = integrator,
                           .substeps = substeps,
                           .threads = 1,
                           .rate = STEPS_PER_SECOND};
}

static double size_of(const network_shape *shape) {
    double size = 0;
    for (uint32_t i = 0; i < shape->particle_count; i++)
        for (uint32_t axis = 0; axis < 3; axis++) size = fmax(size, fabs((double)shape->positions[i][axis]));
    return size;
}

static void against(bench_run *run, compare_row row, const char *name, const side_functions *opponent,
                    const network_setup *setup, uint32_t frames) {
    compare_pair pair = {.row = row,
                         .above = side_of(name, opponent, setup, frames),
                         .below = side_of("engine", &engine_side, setup, frames),
                         .checked = 4,
                         .size = size_of(setup->shape)};
    compare_pair_run(run, "networks", &pair);
}

static void against_edges(bench_run *run, const char *figure, double target, const network_shape *shape,
                          uint32_t frames) {
    network_setup setup = setup_of(shape, MOTE_SEMI_IMPLICIT_EULER, 8);
    against(run, (compare_row){.figure = figure, .target = target}, "edge list over 60-byte structs",
            &edge_side, &setup, frames);
}

static void undamp(network_shape *shape) {
    for (uint32_t i = 0; i < shape->spring_count; i++) shape->springs[i].damping = 0;
}

static void compare_threads(bench_run *run, const char *figure, const network_shape *shape) {
    network_setup one = setup_of(shape, MOTE_SEMI_IMPLICIT_EULER, 8), two = one;
    two.threads = 2;
    compare_pair pair = {.row = {.figure = figure, .target = 1.8},
                         .above = side_of("1 thread", &engine_side, &one, 8),
                         .below = side_of("2 threads", &engine_side, &two, 8)};
    pair.above.wall = pair.below.wall = true;
    compare_pair_run(run, "networks", &pair);
}

static void compare_net(bench_run *run) {
    network_shape shape = scene_net_create(256 * 256);
    against_edges(run, "net, 8 substeps: edge list over engine", 3, &shape, 4);
    compare_threads(run, "net, 8 substeps: 1 thread over 2", &shape);
    undamp(&shape);
    against_edges(run, "net without damping: edge list over engine", 3, &shape, 4);
    shape_destroy(&shape);
}

static void compare_webs(bench_run *run) {
    network_shape shape = webs_create(4096 * WEB_NODES);
    against_edges(run, "webs, 8 substeps: edge list over engine", 6, &shape, 2);
    compare_threads(run, "webs, 8 substeps: 1 thread over 2", &shape);
    undamp(&shape);
    against_edges(run, "webs without damping: edge list over engine", 6, &shape, 2);
    shape_destroy(&shape);
}

/* 10^6 bodies of 1 kg, 15 N/m, 0.3 kg/s, as in the experiment of mote-bench verify with coupled bodies. */
static void compare_chains(bench_run *run) {
    static const chain_form form = {
        .chains = 15625, .points = 64, .mass = 1, .stiffness = 15, .damping = 0.3f};
    network_shape shape = chains_create(&form);
    network_setup once = setup_of(&shape, MOTE_RK4, 1), often = setup_of(&shape, MOTE_RK4, 8);
    against(
        run,
        (compare_row){.figure = "chains of 64, RK4, 1 substep: whole-batch RK4 over engine", .target = 2.5},
        "a pass a stage over columns", &batch_side, &once, 4);
    against(run, (compare_row){.figure = "chains of 64, RK4, 8 substeps: whole-batch RK4 over engine"},
            "a pass a stage over columns", &batch_side, &often, 1);
    shape_destroy(&shape);
}

void run_networks(bench_run *run) {
    compare_net(run);
    compare_webs(run);
    compare_chains(run);
}
