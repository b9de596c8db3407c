/* Strands: ratios of times of a point and frame, both sides in turn, each from
 * its first state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_sides.h"
#include "edge_baseline.h"
#include "engine.h"
#include "strand_scenes.h"

/* The setup of a side: ropes, or a scene. */
typedef struct strand_setup {
    rope_setup rope;
    const bench_scene *scene; /* NULL: ropes */
    uint32_t substeps, threads;
    bool presents; /* each frame ends with the presentation of the scene's strands as `shape` */
    mote_strand_shape shape;
} strand_setup;

/* --- The edge list --- */

/* A spring from the point `back` before point i to point i. */
static void add_spring(edge_list *list, uint32_t i, float stiffness, float damping) {
    float rest = list->points[i].position[0] - list->points[i - 1].position[0];
    list->springs[list->spring_count++] = (edge_spring){i - 1, i, rest, stiffness, damping};
}

static edge_list edges_create(const rope_setup *setup) {
    uint32_t points = setup->strands * setup->points;
    edge_list list = {.points = allocate_or_fail(points * sizeof(edge_point)),
                      .springs = allocate_or_fail(points * sizeof(edge_spring)),
                      .point_count = points,
                      .substeps = setup->substeps,
                      .h = (float)rope_substep(setup)};
    for (uint32_t i = 0; i < points; i++) {
        uint32_t k = i % setup->points;
        float mass = (float)rope_point_mass(setup);
        list.points[i] = (edge_point){.mass = mass, .inverse_mass = k ? 1 / mass : 0};
        list.points[i].position[0] = setup->length * (float)k / (float)(setup->points - 1);
        if (k > 0) add_spring(&list, i, 1 / setup->compliance, setup->damping);
    }
    return list;
}

static void *open_edges(const void *setup) {
    edge_list *list = allocate_or_fail(sizeof *list);
    *list = edges_create(&((const strand_setup *)setup)->rope);
    return list;
}

static const side_functions edges = {open_edges, edges_frame, NULL, edges_place, edges_close};

/* --- The engine --- */

static void *open_strands(const void *user) {
    const strand_setup *setup = user;
    if (!setup->scene) return rope_create(&setup->rope);
    bench_config config = {.scene = setup->scene,
                           .integrator = MOTE_SEMI_IMPLICIT_EULER,
                           .isa = mote_isa_best(),
                           .particles = scene_particles(setup->scene, 0),
                           .substeps = setup->substeps,
                           .threads = setup->threads,
                           .interpolation = setup->presents ? MOTE_INTERPOLATE_LINEAR : MOTE_INTERPOLATE_NONE,
                           .repeat = 1};
    strand_run *run = setup->scene->engine->open(&config);
    if (setup->presents) strand_run_present(run, setup->shape);
    return run;
}

static void frame_strands(void *run) { strand_run_frame(run); }

static void place_strands(const void *user, uint32_t i, float place[3]) {
    const strand_run *run = user;
    const mote_strands_view view = mote_strands_columns(run->system, run->id);
    const uint32_t points = run->points / run->strands,
                   slot = mote_strands_slot(run->system, run->id, i / points, i % points);
    place[0] = view.position.x[slot], place[1] = view.position.y[slot], place[2] = view.position.z[slot];
}

static const side_functions engine = {open_strands, frame_strands, strands_observe, place_strands,
                                      strands_close};

/* --- The rows --- */

#define FRAMES 120u /* 2 s */

/* A copy that lives until the program ends. */
static const strand_setup *keep(strand_setup setup) {
    strand_setup *kept = allocate_or_fail(sizeof *kept);
    *kept = setup;
    return kept;
}

static compare_side rope_side(const char *name, rope_setup rope, uint32_t frames) {
    return (compare_side){.name = name,
                          .functions = &engine,
                          .setup = keep((strand_setup){.rope = rope}),
                          .points = rope.strands * rope.points,
                          .substeps = rope.substeps,
                          .threads = rope.threads,
                          .frames = frames,
                          .loops = 1};
}

static rope_setup ropes(mote_strand_solver solver, uint32_t substeps) {
    return (rope_setup){
        .solver = solver, .strands = 1024, .points = 32, .substeps = substeps, .threads = 1, .length = 1};
}

/* The stiffness for which h w_max = z. A swinging rope is stretched, so that w_max grows; 1.8 of the limit 2
 * leaves that margin. Damping of 0.02 m / h does not use it up: z^2 + 2 (4 c h / m) < 4 is stable. */
static rope_setup springs(uint32_t substeps, double z) {
    rope_setup setup = ropes(MOTE_STRAND_SPRINGS, substeps);
    setup.compliance = (float)(1 / rope_stiffness(&setup, z));
    setup.damping = (float)(0.02 * rope_point_mass(&setup) / rope_substep(&setup));
    return setup;
}

#define BENDING_STIFFNESS 0.01f /* N m^2: a rope of 1 m bends to a radius of about 0.2 m under its weight */

static rope_setup laden(rope_setup setup) {
    setup.bending_stiffness = BENDING_STIFFNESS;
    setup.drag = 0.01f;
    setup.moving = setup.colliders = true;
    return setup;
}

static compare_pair at_least(const char *figure, double target, compare_side above, compare_side below) {
    return (compare_pair){.row = {.figure = figure, .target = target}, .above = above, .below = below};
}

/* 1,024 strands fit into a second-level cache, 16,384 do not, and an edge list passes over all of them in
 * each substep. */
static void compare_edges(bench_run *run, const char *figure, rope_setup setup, uint32_t strands,
                          uint32_t frames) {
    setup.strands = strands;
    compare_pair pair = at_least(figure, 8, rope_side("edge list over 60-byte structs", setup, frames),
                                 rope_side("springs", setup, frames));
    pair.above.functions = &edges;
    pair.checked = 10;
    pair.size = (double)setup.length;
    compare_pair_run(run, "strands", &pair);
}

static void compare_springs(bench_run *run) {
    rope_setup damped = springs(8, 1), undamped = damped;
    undamped.damping = 0;
    compare_edges(run, "springs, 8 substeps, 1,024 x 32: edge list over engine", damped, 1024, FRAMES);
    compare_edges(run, "the same, 16,384 x 32", damped, 16384, 8);
    compare_edges(run, "the same, 16,384 x 32, without damping", undamped, 16384, 8);
}

static void compare_constraints(bench_run *run) {
    rope_setup robust = ropes(MOTE_STRAND_ROBUST, 8), bars = robust, motion = robust, bent = robust, framed,
               few = ropes(MOTE_STRAND_ROBUST, 4);
    bars.colliders = motion.moving = true;
    bent.bending_stiffness = BENDING_STIFFNESS;
    framed = bent, framed.twisting_stiffness = 0.7f * BENDING_STIFFNESS;
    compare_side bare = rope_side("bare", robust, FRAMES);
    compare_pair list[] = {
        at_least("1 m x 32: springs at 64 substeps over constraints at 8", 6,
                 rope_side("springs, 64 substeps, h w_max = 1.8", springs(64, 1.8), FRAMES), bare),
        at_least("bare over bending, drag, moving root, two capsules", 0.4, bare,
                 rope_side("all of it", laden(robust), FRAMES)),
        at_least("bare over bending alone", 0.4, bare, rope_side("bending", bent, FRAMES)),
        at_least("bare over bending with frames", 0.2, bare, rope_side("frames", framed, FRAMES)),
        at_least("bare at 8 substeps over 4", 1.2, bare, rope_side("4 substeps", few, FRAMES)),
        at_least("bare over a moving root alone", 0.4, bare, rope_side("moving root", motion, FRAMES)),
        at_least("bare over two capsules alone", 0.4, bare, rope_side("two capsules", bars, FRAMES))};
    list[0].row.stretch = true;
    const size_t count = run->full ? sizeof list / sizeof list[0] : 1; /* springs beside constraints */
    for (size_t i = 0; i < count; i++) compare_pair_run(run, "strands", &list[i]);
}

/* Held to 0.2 % and the rounding of coordinates. */
#define HELD (0.002 + 4 * 0x1p-24 * 32)

/* Rates of the engine alone. */
static void measure_rates(bench_run *run) {
    rope_setup bent = ropes(MOTE_STRAND_ROBUST, 8);
    bench_scene stiff = *scene_named("curls");
    stiff.strand = &stiff_curls_scene;
    bent.bending_stiffness = BENDING_STIFFNESS;
    const strand_setup curls_setup = {.scene = &stiff, .substeps = 8, .threads = 1};
    const compare_side curls = {.name = "stiff curls of 32 points",
                                .functions = &engine,
                                .setup = &curls_setup,
                                .points = scene_particles(&stiff, 0),
                                .substeps = 8,
                                .threads = 1,
                                .warm = 4,
                                .frames = 8,
                                .loops = 1};
    const struct {
        compare_side side;
        double target;
    } rows[] = {{rope_side("ropes of 1 m x 32", ropes(MOTE_STRAND_ROBUST, 4), FRAMES), 90e6},
                {rope_side("ropes of 1 m x 32", ropes(MOTE_STRAND_ROBUST, 8), FRAMES), 55e6},
                {rope_side("conserving ropes of 1 m x 32", ropes(MOTE_STRAND_CONSERVING, 4), FRAMES), 80e6},
                {rope_side("conserving ropes of 1 m x 32", ropes(MOTE_STRAND_CONSERVING, 8), FRAMES), 50e6},
                {rope_side("rods of 1 m x 32", bent, FRAMES), 40e6},
                {curls, 6e6}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        compare_rate_run(run, "strands", &rows[i].side, rows[i].target, HELD);
}

static void compare_size(bench_run *run, uint32_t strands, uint32_t substeps, double target) {
    char name[40], figure[80];
    rope_setup few = ropes(MOTE_STRAND_ROBUST, substeps), many = few;
    many.strands = strands;
    snprintf(name, sizeof name, "%u strands", (unsigned)strands);
    snprintf(figure, sizeof figure, "cost a point: %u strands x 32 over 1,024 x 32", (unsigned)strands);
    compare_side large = rope_side(name, many, 4), small = rope_side("1,024 strands", few, 4);
    small.warm = large.warm = 1, small.loops = 8;
    compare_pair c = at_least(figure, target, large, small);
    c.row.at_most = true;
    compare_pair_run(run, "strands", &c);
}

static void compare_sizes(bench_run *run) {
    for (uint32_t strands = 4096; strands <= 16384; strands *= 4) compare_size(run, strands, 4, 1.15);
    for (uint32_t strands = 4096; strands <= 262144; strands *= 4) compare_size(run, strands, 8, 1.3);
}

static compare_side hair_side(const char *name, strand_setup setup, uint32_t threads) {
    setup.substeps = 8;
    setup.threads = threads;
    return (compare_side){.name = name,
                          .functions = &engine,
                          .setup = keep(setup),
                          .points = scene_particles(setup.scene, 0),
                          .substeps = setup.substeps,
                          .threads = threads,
                          .wall = true,
                          .warm = 4,
                          .frames = 8,
                          .loops = 1};
}

/* A step and its presentation beside half of a frame at 60 frames/s. */
static void compare_budget(bench_run *run, strand_setup setup, const char *figure) {
    setup.presents = true;
    compare_side lines = hair_side("with lines, 12 bytes a vertex", setup, 2);
    setup.shape = MOTE_STRAND_RIBBONS;
    compare_pair pair =
        at_least(figure, 1, lines, hair_side("with ribbons, 2 vertices of 24 bytes a point", setup, 2));
    pair.budget = 1.0 / 120;
    pair.row.at_most = true;
    compare_pair_run(run, "strands", &pair);
}

static void compare_hair(bench_run *run) {
    bench_scene bare_scene = *scene_named("hair");
    bare_scene.strand = &bare_hair_scene;
    const strand_setup hair = {.scene = scene_named("hair")}, bare = {.scene = &bare_scene};
    compare_pair list[] = {at_least("hair, 8 substeps: 1 thread over 2", 1.9, hair_side("1 thread", hair, 1),
                                    hair_side("2 threads", hair, 2)),
                           at_least("hair, 8 substeps, 2 threads: without head, shoulders and air over with",
                                    0.4, hair_side("without", bare, 2), hair_side("with", hair, 2))};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) compare_pair_run(run, "strands", &list[i]);
    compare_budget(run, hair, "hair, 8 substeps, 2 threads, step and lines: frame over 1/120 s");
    compare_budget(run, bare, "the same without head, shoulders and air");
}

void run_strands(bench_run *run) {
    if (run->full) compare_springs(run);
    compare_constraints(run);
    measure_rates(run);
    if (!run->full) return;
    compare_hair(run);
    compare_sizes(run);
}
