/* mote-bench compare, section strands: ratios of times a point and frame, both sides in turn, each from its
 * first state. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "edge_baseline.h"
#include "engine.h"
#include "progress.h"
#include "strand_scenes.h"

/* One side of a ratio: ropes by the engine, the same springs as an edge list, or a scene. */
typedef struct strand_side {
    const char *name;
    const bench_scene *scene; /* NULL: ropes */
    uint32_t scene_substeps, scene_threads;
    bool presents; /* the scene's strands at the end of each frame, as `shape` */
    mote_strand_shape shape;
    rope_setup rope;
    bool edges;
    bool wall; /* the clock on the wall: where threads are compared; else the thread's own time */
    uint32_t warm, frames,
        loops; /* timed are the frames after `warm`, `loops` times from the first state on */
} strand_side;

typedef struct strand_comparison {
    compare_row row;
    strand_side above, below;
    double budget; /* s: the ratio is the frame of `above` over it; 0: over `below` */
} strand_comparison;

typedef struct side_outcome {
    double seconds[MAX_REPEATS]; /* a point and frame */
    bench_observation seen;
    uint32_t points, substeps, threads;
} side_outcome;

/* --- The edge list --- */

/* From point i of x = place back to the one `back` before. */
static void add_spring(edge_list *list, uint32_t i, uint32_t back, float stiffness, float damping) {
    float rest = list->points[i].position[0] - list->points[i - back].position[0];
    list->springs[list->spring_count++] = (edge_spring){i - back, i, rest, stiffness, damping};
}

static edge_list edges_create(const rope_setup *setup) {
    uint32_t points = setup->strands * setup->points;
    edge_list list = {.points = allocate_or_fail(points * sizeof(edge_point)),
                      .springs = allocate_or_fail(2 * points * sizeof(edge_spring)),
                      .point_count = points,
                      .substeps = setup->substeps,
                      .h = (float)rope_substep(setup)};
    for (uint32_t i = 0; i < points; i++) {
        uint32_t k = i % setup->points;
        float mass = (float)rope_point_mass(setup);
        list.points[i] = (edge_point){.mass = mass, .inverse_mass = k ? 1 / mass : 0};
        list.points[i].position[0] = setup->length * (float)k / (float)(setup->points - 1);
        if (k > 0) add_spring(&list, i, 1, 1 / setup->compliance, setup->damping);
        if (k > 1 && setup->bend_stiffness > 0)
            add_spring(&list, i, 2, setup->bend_stiffness, setup->bend_damping);
    }
    return list;
}

/* The largest distance, m, between the points of both after some frames. */
static double edges_distance(const rope_setup *setup, uint32_t frames) {
    edge_list list = edges_create(setup);
    strand_run *run = rope_create(setup);
    for (uint32_t i = 0; i < frames; i++) edges_frame(&list);
    strands_run(run, frames);
    mote_strands_view view = mote_strands_columns(run->system, run->id);
    double largest = 0;
    for (uint32_t i = 0; i < list.point_count; i++) {
        uint32_t slot = mote_strands_slot(run->system, run->id, i / setup->points, i % setup->points);
        const float *p = list.points[i].position;
        double d =
            hypot(hypot((double)(p[0] - view.position.x[slot]), (double)(p[1] - view.position.y[slot])),
                  (double)(p[2] - view.position.z[slot]));
        if (!(d <= largest)) largest = d;
    }
    edges_destroy(&list);
    strand_run_destroy(run);
    return largest;
}

/* --- Sides --- */

static bench_config scene_config(const strand_side *side) {
    return (bench_config){.scene = side->scene,
                          .integrator = MOTE_SEMI_IMPLICIT_EULER,
                          .isa = mote_isa_best(),
                          .particles = scene_particles(side->scene, 0),
                          .frames = side->frames,
                          .substeps = side->scene_substeps,
                          .threads = side->scene_threads,
                          .interpolation = side->presents ? MOTE_INTERPOLATE_LINEAR : MOTE_INTERPOLATE_NONE,
                          .repeat = 1};
}

static strand_run *open_side(const strand_side *side) {
    if (!side->scene) return rope_create(&side->rope);
    bench_config config = scene_config(side);
    strand_run *run = side->scene->engine->open(&config);
    if (side->presents) strand_run_present(run, side->shape);
    return run;
}

static double time_edges(const strand_side *side) {
    double seconds = 0;
    for (uint32_t loop = 0; loop < side->loops; loop++) {
        edge_list list = edges_create(&side->rope);
        for (uint32_t i = 0; i < side->warm; i++) edges_frame(&list);
        double start = thread_seconds();
        for (uint32_t i = 0; i < side->frames; i++) edges_frame(&list);
        seconds += thread_seconds() - start;
        edges_destroy(&list);
    }
    return seconds / side->loops / side->frames / (side->rope.strands * (double)side->rope.points);
}

static double time_engine(const strand_side *side, side_outcome *outcome) {
    double seconds = 0, points = 1;
    double (*clock)(void) = side->wall ? now_seconds : thread_seconds;
    for (uint32_t loop = 0; loop < side->loops; loop++) {
        strand_run *run = open_side(side);
        for (uint32_t i = 0; i < side->warm; i++) strand_run_frame(run);
        double start = clock();
        for (uint32_t i = 0; i < side->frames; i++) strand_run_frame(run);
        seconds += clock() - start;
        strands_observe(run, &outcome->seen);
        points = outcome->points = run->points;
        strand_run_destroy(run);
    }
    return seconds / side->loops / side->frames / points;
}

static void prepare(const strand_side *side, side_outcome *outcome) {
    *outcome = (side_outcome){.points = side->rope.strands * side->rope.points,
                              .substeps = side->scene ? side->scene_substeps : side->rope.substeps,
                              .threads = side->scene ? side->scene_threads : side->rope.threads};
}

/* --- Telling --- */

static void print_side(const strand_side *side, const side_outcome *outcome, uint32_t repeat) {
    double seconds = spread_of(outcome->seconds, repeat).median;
    printf("    %-44s %8.2f M node-frames/s, %8.2f M node-substeps/s, %.3f ms a frame", side->name,
           1e-6 / seconds, 1e-6 * outcome->substeps / seconds, 1e3 * seconds * outcome->points);
    if (!side->edges)
        printf("; stretch %.3f %% largest, %.4f %% mean; %.2f iterations; %g capped a frame%s",
               100 * outcome->seen.max_stretch, 100 * outcome->seen.mean_stretch, outcome->seen.iterations,
               outcome->seen.capped, outcome->seen.frozen > 0 ? "; FROZEN" : "");
    putchar('\n');
}

static cJSON *side_object(const strand_side *side, const side_outcome *outcome, uint32_t repeat) {
    cJSON *object = cJSON_CreateObject();
    double seconds = spread_of(outcome->seconds, repeat).median;
    cJSON_AddStringToObject(object, "name", side->name);
    cJSON_AddNumberToObject(object, "particles", outcome->points);
    cJSON_AddNumberToObject(object, "substeps", outcome->substeps);
    cJSON_AddNumberToObject(object, "threads", outcome->threads);
    cJSON_AddNumberToObject(object, "node_frames_per_second", 1 / seconds);
    cJSON_AddNumberToObject(object, "frame_seconds", seconds * outcome->points);
    if (side->edges) return object;
    cJSON_AddNumberToObject(object, "max_stretch", outcome->seen.max_stretch);
    cJSON_AddNumberToObject(object, "mean_stretch", outcome->seen.mean_stretch);
    cJSON_AddNumberToObject(object, "iterations", outcome->seen.iterations);
    cJSON_AddNumberToObject(object, "capped", outcome->seen.capped);
    cJSON_AddNumberToObject(object, "frozen", outcome->seen.frozen);
    return object;
}

static void run_comparison(strand_comparison *c, uint32_t repeat, cJSON *results) {
    static side_outcome outcome[2]; /* static for its size */
    double ratios[MAX_REPEATS];
    const strand_side *side[2] = {&c->above, &c->below};
    for (int k = 0; k < 2; k++) prepare(side[k], &outcome[k]);
    for (uint32_t turn = 0; turn < repeat; turn++) {
        progress("%s: %u of %u", c->row.figure, (unsigned)turn + 1, (unsigned)repeat);
        for (int k = 0; k < 2; k++)
            outcome[k].seconds[turn] =
                side[k]->edges ? time_edges(side[k]) : time_engine(side[k], &outcome[k]);
        double over = c->budget > 0 ? c->budget / outcome[0].points : outcome[1].seconds[turn];
        ratios[turn] = outcome[0].seconds[turn] / over;
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
    cJSON_AddItemToArray(results, object);
    fflush(stdout);
}

/* --- The rows --- */

#define FRAMES 120u /* 2 s */

static strand_side rope_side(const char *name, rope_setup rope, uint32_t frames) {
    return (strand_side){.name = name, .rope = rope, .frames = frames, .loops = 1};
}

static rope_setup ropes(mote_strand_solver solver, uint32_t substeps) {
    return (rope_setup){
        .solver = solver, .strands = 1024, .points = 32, .substeps = substeps, .threads = 1, .length = 1};
}

/* h w_max = z: stiffness as high as is stable. What swings is stretched, so that w_max grows; 1.8 of 2 leaves
 * that room. Damping 0.02 m / h takes no more of it: stable is z^2 + 2 (4 c h / m) < 4. */
static rope_setup springs(uint32_t substeps, double z) {
    rope_setup setup = ropes(MOTE_STRAND_SPRINGS, substeps);
    setup.compliance = (float)(1 / rope_stiffness(&setup, z));
    setup.damping = (float)(0.02 * rope_point_mass(&setup) / rope_substep(&setup));
    return setup;
}

#define BEND_STIFFNESS 0.5f   /* N/m: half the rope's weight over its length */
#define BEND_DAMPING   0.001f /* kg/s */

static rope_setup laden(rope_setup setup) {
    setup.bend_stiffness = BEND_STIFFNESS;
    setup.bend_damping = BEND_DAMPING;
    setup.drag = 0.01f;
    setup.moving = setup.colliders = true;
    return setup;
}

static strand_comparison at_least(const char *figure, double target, strand_side above, strand_side below) {
    return (strand_comparison){.row = {.figure = figure, .target = target}, .above = above, .below = below};
}

/* `strands` of them: 1,024 stay in a second-level cache, 16,384 do not, and an edge list passes over all in
 * each substep. */
static void compare_edges(const char *figure, rope_setup setup, uint32_t strands, uint32_t frames,
                          uint32_t repeat, cJSON *results) {
    setup.strands = strands;
    strand_side edges = rope_side("edge list over 60-byte structs", setup, frames);
    edges.edges = true;
    strand_comparison c = at_least(figure, 8, edges, rope_side("springs", setup, frames));
    run_comparison(&c, repeat, results);
    printf("    after 10 frames they stand %.1e m apart\n", edges_distance(&setup, 10));
}

static void compare_springs(uint32_t repeat, cJSON *results) {
    rope_setup damped = springs(8, 1), undamped = damped, bent = damped;
    undamped.damping = 0;
    bent.bend_stiffness = 0.1f / damped.compliance, bent.bend_damping = 0.1f * damped.damping;
    compare_edges("springs, 8 substeps, 1,024 x 32: edge list over engine", damped, 1024, FRAMES, repeat,
                  results);
    compare_edges("the same, 16,384 x 32", damped, 16384, 8, repeat, results);
    compare_edges("the same, 16,384 x 32, without damping", undamped, 16384, 8, repeat, results);
    compare_edges("the same, 16,384 x 32, with bend springs", bent, 16384, 8, repeat, results);
}

static void compare_constraints(uint32_t repeat, cJSON *results) {
    rope_setup robust = ropes(MOTE_STRAND_ROBUST, 8), bars = robust, motion = robust, bent = robust;
    bars.colliders = motion.moving = true;
    bent.bend_stiffness = BEND_STIFFNESS, bent.bend_damping = BEND_DAMPING;
    strand_side bare = rope_side("bare", robust, FRAMES);
    strand_comparison list[] = {
        at_least("1 m x 32: springs at 64 substeps over constraints at 8", 6,
                 rope_side("springs, 64 substeps, h w_max = 1.8", springs(64, 1.8), FRAMES), bare),
        at_least("bare over bend, damping, drag, moving root, two capsules", 0.4, bare,
                 rope_side("all of it", laden(robust), FRAMES)),
        at_least("bare over bend alone", 0.4, bare, rope_side("bend", bent, FRAMES)),
        at_least("bare over a moving root alone", 0.4, bare, rope_side("moving root", motion, FRAMES)),
        at_least("bare over two capsules alone", 0.4, bare, rope_side("two capsules", bars, FRAMES))};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) run_comparison(&list[i], repeat, results);
}

static void compare_sizes(uint32_t repeat, cJSON *results) {
    rope_setup few = ropes(MOTE_STRAND_ROBUST, 8);
    strand_side small = rope_side("1,024 strands", few, 4);
    small.warm = 1, small.loops = 8;
    for (uint32_t strands = 4096; strands <= 262144; strands *= 4) {
        char name[40], figure[80];
        rope_setup many = few;
        many.strands = strands;
        snprintf(name, sizeof name, "%u strands", (unsigned)strands);
        snprintf(figure, sizeof figure, "cost a point: %u strands x 32 over 1,024 x 32", (unsigned)strands);
        strand_side large = rope_side(name, many, 4);
        large.warm = 1;
        strand_comparison c = at_least(figure, 1.3, large, small);
        c.row.at_most = true;
        run_comparison(&c, repeat, results);
    }
}

static strand_side hair_side(const char *name, const bench_scene *scene, uint32_t threads) {
    return (strand_side){.name = name,
                         .scene = scene,
                         .scene_substeps = 8,
                         .scene_threads = threads,
                         .wall = true,
                         .warm = 4,
                         .frames = 8,
                         .loops = 1};
}

/* A frame of step and presentation in half of a frame of 60 a second. */
static void compare_budget(const bench_scene *scene, const char *figure, uint32_t repeat, cJSON *results) {
    strand_side lines = hair_side("with lines, 12 bytes a vertex", scene, 2), ribbons = lines;
    ribbons.name = "with ribbons, 2 vertices of 24 bytes a point";
    ribbons.shape = MOTE_STRAND_RIBBONS;
    lines.presents = ribbons.presents = true;
    strand_comparison c = at_least(figure, 1, lines, ribbons);
    c.budget = 1.0 / 120;
    c.row.at_most = true;
    run_comparison(&c, repeat, results);
}

static void compare_hair(uint32_t repeat, cJSON *results) {
    const bench_scene *hair = scene_named("hair");
    bench_scene bare = *hair;
    bare.strand = &bare_hair_scene;
    strand_comparison list[] = {
        at_least("hair, 8 substeps: 1 thread over 2", 1.9, hair_side("1 thread", hair, 1),
                 hair_side("2 threads", hair, 2)),
        at_least("hair, 8 substeps, 2 threads: without head, shoulders and air over with", 0.4,
                 hair_side("without", &bare, 2), hair_side("with", hair, 2))};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) run_comparison(&list[i], repeat, results);
    compare_budget(hair, "hair, 8 substeps, 2 threads, step and lines: frame over 1/120 s", repeat, results);
    compare_budget(&bare, "the same without head, shoulders and air", repeat, results);
}

void compare_strands(uint32_t repeat, cJSON *object) {
    cJSON *results = cJSON_GetObjectItem(object, "results");
    compare_springs(repeat, results);
    compare_constraints(repeat, results);
    compare_hair(repeat, results);
    compare_sizes(repeat, results);
    compare_stretch(object);
    compare_energy(object);
}
