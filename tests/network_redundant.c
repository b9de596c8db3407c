/* Rigid networks of more springs than their particles need: their lengths can all hold, and the multipliers
 * of some change no length. */
#include "test.h"

#include "network_net.h"

static void add_rigid(net *n, uint32_t a, uint32_t b) { add_spring(n, a, b, MOTE_AS_PLACED, INFINITY, 0); }

/* A wheel of 8 spokes in a plane. */
static void add_wheel(net *n) {
    for (uint32_t i = 0; i < 8; i++) add_particle(n, cos(i * PI / 4), sin(i * PI / 4), 0, 0.1);
    add_particle(n, 0, 0, 0, 0.1);
    for (uint32_t i = 0; i < 8; i++) add_rigid(n, i, (i + 1) % 8), add_rigid(n, i, 8);
}

/* A cube with the diagonals of its faces. */
static void add_cube(net *n) {
    for (uint32_t i = 0; i < 8; i++) add_particle(n, i & 1, i >> 1 & 1, i >> 2, 0.1);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t k = i + 1; k < 8; k++)
            if (__builtin_popcount(i ^ k) < 3) add_rigid(n, i, k);
}

/* Five particles, each joined to each. */
static void add_five(net *n) {
    random_source random = {2};
    for (uint32_t i = 0; i < 5; i++)
        add_particle(n, (double)random_between(&random, 0, 1), (double)random_between(&random, 0, 1),
                     (double)random_between(&random, 0, 1), 0.1);
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t k = i + 1; k < 5; k++) add_rigid(n, i, k);
}

/* A plane net of squares with both diagonals. */
static void add_net(net *n) {
    add_grid(
        n,
        (grid){
            .columns = 4, .rows = 4, .spacing = 0.25, .mass = 0.1, .stiffness = INFINITY, .diagonals = true});
}

static void (*const shapes[])(net *) = {add_wheel, add_cube, add_five, add_net};

/* Velocity of the centre along an axis. */
static double velocity_of_centre(const net *n, uint32_t axis) {
    double sum = 0, mass = 0;
    for (uint32_t i = 0; i < n->def.particle_count; i++)
        sum += (double)n->masses[i] * place_of(n, i, 3 + axis), mass += (double)n->masses[i];
    return sum / mass;
}

/* Bodies that fly at 1 m/s and do not turn: what is left to solve is rounding. In a substep a few roundings
 * of a velocity, evenly spread either way: four standard deviations. */
TEST(free_bodies_of_redundant_rigid_springs_keep_their_momentum) {
    enum { STEPS = 300 };
    static net n;
    for (size_t shape = 0; shape < COUNT_OF(shapes); shape++)
        for (uint32_t substeps = 1; substeps <= 16; substeps *= 2) {
            const mote_system_def def = rate_of(60, substeps);
            begin_net(&n, MOTE_NETWORK_CONSTRAINED);
            shapes[shape](&n);
            for (uint32_t i = 0; i < n.def.particle_count; i++) n.velocities[3 * i] = 1;
            start_net(&n, &def, 0);
            uint32_t unsolved = 0;
            for (uint32_t step = 0; step < STEPS; step++) {
                step_net(&n, 1);
                unsolved += report_of(&n).unsolved;
            }
            test_case("shape %zu, %u substeps", shape, substeps);
            for (uint32_t axis = 0; axis < 3; axis++)
                ASSERT_NEAR(velocity_of_centre(&n, axis), axis == 0, 4 * sqrt(4.0 * STEPS * substeps) * UNIT);
            ASSERT(unsolved, ==, 0);
            mote_system_destroy(n.system);
        }
}
