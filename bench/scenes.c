/* The table of scenes: see scenes.h. */
#include "scenes.h"

#include <math.h>
#include <string.h>

#include "engine.h"
#include "integrators.h"
#include "network_scenes.h"
#include "random.h"
#include "strand_scenes.h"

/* A box of 20 m, thrown at up to 8 m/s a side. */
static void place_in_box(const scene_forces *forces, uint64_t serial, scene_particle *particle) {
    (void)forces;
    uint64_t position = random_bits(serial, 0), velocity = random_bits(serial, 1);
    for (uint32_t axis = 0; axis < 3; axis++) {
        particle->position[axis] = 10.0f * random_signed(position, 20 * axis);
        particle->velocity[axis] = 8.0f * random_signed(velocity, 20 * axis);
    }
}

/* A disc of 10 m radius and 1 m height around one of the attractors, each particle on its circular orbit
 * around that attractor alone: v^2 / r = strength r / (r^2 + softening^2)^(3/2). */
static void place_in_disc(const scene_forces *forces, uint64_t serial, scene_particle *particle) {
    const float *centre = forces->centre[serial % forces->attractor_count];
    float x, z, height, square;
    uint32_t draw = 0;
    do {
        uint64_t bits = random_bits(serial, draw++);
        x = 10.0f * random_signed(bits, 0);
        z = 10.0f * random_signed(bits, 20);
        height = 0.5f * random_signed(bits, 40);
        square = x * x + z * z;
    } while (square > 100.0f && draw < DRAWS_PER_SERIAL);
    float soft = square + forces->softening * forces->softening;
    float turn = sqrtf(forces->strength / (soft * sqrtf(soft)));
    *particle =
        (scene_particle){{centre[0] + x, centre[1] + height, centre[2] + z}, {-turn * z, 0, turn * x}};
}

static const scene_forces ballistic_forces = {.gravity = {0, -9.81f, 0}, .wind = {3, 0, 1}, .drag = 0.05f};

static const scene_forces galaxy_forces = {
    .attractor_count = 1, .centre = {{1, 2, 3}}, .strength = 1000, .softening = 0.5f};

static const scene_forces galaxies_forces = {
    .attractor_count = 4,
    .centre = {{20, 0, 20}, {-20, 5, 20}, {20, -5, -20}, {-20, 0, -20}},
    .strength = 1000,
    .softening = 0.5f};

static const scene_forces orbits_forces = {.attractor_count = 1, .strength = 1000, .softening = 0.05f};

static const scene_forces falling_forces = {.gravity = {0, -9.81f, 0}};

static const scene_forces no_forces = {.attractor_count = 0};

#define MEBI (UINT32_C(1) << 20)

/* particles/settled.h, by semi-implicit Euler; additions + multiplications. Drag: c + d v 3 + 3, kick 3 + 0,
 * drift 3 + 3. An attractor: distance 3 + 0, its square and the softening 3 + 3, square times root 0 + 1,
 * scaled 0 + 3, and 3 + 0 more where it is added to others; then constant and time step 3 + 3, kick 3 + 0,
 * drift 3 + 3. By velocity Verlet: the evaluation that a substep leaves to the next 6 + 7 (the first substep
 * of a step has one more, which is not counted), constant and time step 3 + 3, drift with half a kick 6 + 6,
 * kick 6 + 3. */
#define ARITHMETIC_OF_DRAG       {9, 6, 0, 0}
#define ARITHMETIC_OF_ATTRACTOR  {15, 13, 1, 1}
#define ARITHMETIC_OF_ATTRACTORS {45, 34, 4, 4}
#define ARITHMETIC_OF_ORBITS     {21, 19, 1, 1}

#define STRAND_SCENE(called, described, contender, how, count, bytes, frame_count, substeps)                 \
    {.name = called,                                                                                         \
     .description = described,                                                                               \
     .forces = &no_forces,                                                                                   \
     .particles = count,                                                                                     \
     .resident = bytes,                                                                                      \
     .engine = &contender,                                                                                   \
     .figures = strands_figures,                                                                             \
     .strand = &how,                                                                                         \
     .frames = frame_count,                                                                                  \
     .least_substeps = substeps,                                                                             \
     .whole = strands_whole,                                                                                 \
     .observe = strands_observe}

#define NETWORK_SCENE(called, described, how, count, bytes, frame_count, substeps)                           \
    {.name = called,                                                                                         \
     .description = described,                                                                               \
     .forces = &no_forces,                                                                                   \
     .particles = count,                                                                                     \
     .resident = bytes,                                                                                      \
     .engine = &networks_contender,                                                                          \
     .figures = networks_figures,                                                                            \
     .network = &how,                                                                                        \
     .frames = frame_count,                                                                                  \
     .least_substeps = substeps,                                                                             \
     .whole = networks_whole,                                                                                \
     .observe = networks_observe}

const bench_scene scenes[] = {
    {.name = "ballistic",
     .description = "gravity and wind with linear drag",
     .forces = &ballistic_forces,
     .particles = MEBI,
     .resident = 84,
     .place = place_in_box,
     .engine = &engine_contender,
     .baseline_struct = &struct_contender,
     .baseline_plain = &plain_contender,
     .arithmetic = ARITHMETIC_OF_DRAG},
    {.name = "galaxy",
     .description = "a disc around one softened attractor",
     .forces = &galaxy_forces,
     .particles = MEBI,
     .resident = 84,
     .place = place_in_disc,
     .engine = &engine_contender,
     .baseline_struct = &struct_contender,
     .baseline_plain = &plain_contender,
     .arithmetic = ARITHMETIC_OF_ATTRACTOR},
    {.name = "galaxies",
     .description = "discs around four softened attractors",
     .forces = &galaxies_forces,
     .particles = MEBI,
     .resident = 84,
     .place = place_in_disc,
     .engine = &engine_contender,
     .baseline_struct = &struct_contender,
     .baseline_plain = &plain_contender,
     .arithmetic = ARITHMETIC_OF_ATTRACTORS},
    /* The baselines of churn are those of ballistic: they step the same particles, without deaths. */
    {.name = "churn",
     .description = "ballistic, 1 % die and are born every step",
     .forces = &ballistic_forces,
     .particles = MEBI,
     .resident = 187,
     .place = place_in_box,
     .engine = &churn_contender,
     .baseline_struct = &struct_contender,
     .baseline_plain = &plain_contender,
     .references = {&churn_deathless_contender, &churn_ageless_contender},
     .arithmetic = ARITHMETIC_OF_DRAG,
     .added_bytes = 8, /* birth step and lifetime; those of deaths and births are not counted */
     .figures = churn_figures},
    {.name = "smoke",
     .description = "curl noise that blows and turns, drag and buoyancy",
     .forces = &no_forces,
     .add_forces = smoke_forces,
     .particles = MEBI,
     .resident = 84,
     .place = place_in_box,
     .engine = &engine_contender},
    {.name = "flow",
     .description = "particles without momentum in a velocity field on a grid of 64^3",
     .forces = &no_forces,
     .add_forces = flow_forces,
     .integrator = MOTE_ADVECT_MIDPOINT,
     .particles = MEBI,
     .resident = 84,
     .place = place_in_box,
     .engine = &engine_contender},
    {.name = "heap",
     .description = "among 8 colliders, nearly all in contact",
     .forces = &falling_forces,
     .add_forces = heap_forces,
     .particles = 200000,
     .resident = 84,
     .place = place_in_heap,
     .engine = &engine_contender},
    {.name = "rain",
     .description = "falls towards 8 colliders, hardly any in contact",
     .forces = &falling_forces,
     .add_forces = rain_forces,
     .particles = 200000,
     .resident = 84,
     .place = place_in_rain,
     .engine = &engine_contender},
    {.name = "orbits",
     .description = "test particles around one sun",
     .forces = &orbits_forces,
     .integrator = MOTE_VELOCITY_VERLET,
     .particles = 1000000,
     .resident = 84,
     .place = place_in_disc,
     .engine = &engine_contender,
     .baseline_plain = &verlet_contender,
     .arithmetic = ARITHMETIC_OF_ORBITS},
    {.name = "swarm",
     .description = "1,000 systems advanced in one call",
     .forces = &ballistic_forces,
     .particles = 200 * SWARM_SYSTEMS,
     .resident = 196,
     .place = place_in_box,
     .engine = &swarm_contender,
     .baseline_struct = &swarm_struct_contender,
     .baseline_plain = &swarm_plain_contender,
     .references = {&engine_contender},
     .arithmetic = ARITHMETIC_OF_DRAG,
     .figures = swarm_figures},
    {.name = "crowd",
     .description = "200 fountains of an emitter over a collider, advanced in one call, and packed",
     .forces = &no_forces,
     .particles = 500 * CROWD_SYSTEMS,
     .resident = 215,
     .engine = &crowd_contender,
     .references = {&crowd_single_contender},
     .added_bytes = 56, /* birth step and lifetime 8, previous position written 12, both read and packed 36 */
     .figures = crowd_figures},
    {.name = "fountain",
     .description = "an emitter over two planes and a ball, deaths, packed presentation",
     .forces = &no_forces,
     .particles = 1000000,
     .resident = 130,
     .engine = &fountain_contender,
     .added_bytes = 56, /* birth step and lifetime 8, previous position written 12, both read and packed 36 */
     .figures = fountain_figures},
    STRAND_SCENE("rope", "one strand of 64 points, 1 m, released horizontally", rope_contender, rope_scene,
                 64, 172, 125, 1),
    STRAND_SCENE("hair", "16,384 strands of 32 points on a head that nods and turns, over shoulders",
                 strands_contender, hair_scene, 16384 * 32, 172, 0, 1),
    STRAND_SCENE("shaken", "the same hair on a head that is shaken, without shoulders", strands_contender,
                 shaken_scene, 16384 * 32, 172, 0, 4),
    STRAND_SCENE("curls", "4,096 helices of 32 points that keep their shape under roots that turn",
                 strands_contender, curls_scene, 4096 * 32, 236, 0, 8),
    NETWORK_SCENE("net", "256 x 256 knots with diagonals and second neighbours, hung along an edge",
                  net_scene, 256 * 256, 1040, 0, 8),
    NETWORK_SCENE("bridge", "a suspended footway of 512 m under a column on the march", bridge_scene,
                  1025 * 32, 1510, 8, 32),
    NETWORK_SCENE("webs", "4,096 orb webs of 60 nodes, each hung from a pin", webs_scene, 4096 * 60, 451, 0,
                  8),
    {.name = HAIR_FILE_SCENE,
     .description = "the strands of a HAIR file, --file FILE or --scene hairfile:FILE; 0.3 m the longest",
     .forces = &no_forces,
     .resident = 172,
     .engine = &hair_file_contender,
     .figures = strands_figures,
     .whole = hair_file_whole,
     .observe = strands_observe},
};
const uint32_t scene_count = sizeof scenes / sizeof scenes[0];

const bench_scene damped_scene = {.name = "damped",
                                  .forces = &no_forces,
                                  .add_forces = damped_forces,
                                  .integrator = MOTE_RK4,
                                  .particles = 1000000,
                                  .place = place_in_box,
                                  .engine = &engine_contender,
                                  .baseline_plain = &batch_rk4_contender};

const bench_scene spring_scene = {.name = "spring",
                                  .forces = &no_forces,
                                  .add_forces = spring_forces,
                                  .particles = 1000000,
                                  .place = place_in_box,
                                  .engine = &engine_contender};

const bench_scene affine_scene = {.name = "affine",
                                  .forces = &no_forces,
                                  .add_forces = affine_forces,
                                  .particles = 1000000,
                                  .place = place_in_box,
                                  .engine = &engine_contender};

bool scene_takes(const bench_scene *scene, mote_integrator integrator) {
    return advects(integrator) == advects(scene->integrator);
}

uint32_t scene_particles(const bench_scene *scene, uint32_t asked) {
    if (scene->whole) return scene->whole(scene, asked);
    return asked ? asked : scene->particles;
}

const bench_scene *scene_named(const char *name) {
    for (uint32_t i = 0; i < scene_count; i++)
        if (strcmp(scenes[i].name, name) == 0) return &scenes[i];
    return NULL;
}
