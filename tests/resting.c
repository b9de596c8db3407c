/* Particles at rest in valleys and corners, and energy where they slide, roll and turn round: none creeps or
 * dithers, friction ends spins, and no contact gives energy. */
#include <stdlib.h>

#include "terrain.h"

enum { COUNT = 256, CELLS = 16, SAMPLES = CELLS + 1, MOST_STEPS = 4000 };
#define BALL  0.03f /* m */
#define SOLID 0.4f  /* inertia over mass radius^2 */

typedef struct scene {
    mote_system *system;
    mote_height_field *field;
    mote_distance_grid *grid;
} scene;

static void close_scene(scene *s) {
    mote_system_destroy(s->system);
    mote_height_field_destroy(s->field);
    mote_distance_grid_destroy(s->grid);
}

static mote_isa isa = MOTE_ISA_AUTO;

static scene open_scene(mote_integrator integrator, bool turns, uint32_t max_hits) {
    mote_system_def def = bare_def(COUNT, integrator);
    def.isa = isa;
    def.collision_radius = BALL, def.orientation = turns, def.max_hits = max_hits;
    def.inertia[0] = SOLID * BALL * BALL;
    scene s = {.system = system_of(&def)};
    add_gravity(s.system);
    return s;
}

/* Ground of 4 m by 4 m at random heights, within a wall; `far` metres from the origin. */
static void add_ground(scene *s, float height, float wall, float far, random_source *random) {
    static float heights[SAMPLES * SAMPLES];
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        const int x = i % SAMPLES, z = i / SAMPLES;
        const bool edge = x == 0 || z == 0 || x == CELLS || z == CELLS;
        heights[i] = random_between(random, 0, height) + (edge ? wall : 0);
    }
    mote_height_field_def def = mote_default_height_field_def();
    def.count[0] = def.count[1] = SAMPLES, def.spacing[0] = def.spacing[1] = 0.25f, def.heights = heights;
    OK(mote_height_field_create(&def, &s->field));
    const mote_transform at = {{far - 2, 0, far - 2}, {0, 0, 0, 1}};
    mote_collider_def ground = mote_height_field_collider(&at, s->field);
    ground.restitution = 0;
    add_collider(s->system, ground);
}

static mote_range_view drop(const scene *s, float far, float from, random_source *random) {
    mote_range_view view;
    OK(mote_system_spawn(s->system, COUNT, &view));
    for (uint32_t i = 0; i < COUNT; i++) {
        put(&view, i, far + random_between(random, -1.5f, 1.5f), from + random_between(random, 0, 1),
            far + random_between(random, -1.5f, 1.5f));
        throw_at(&view, i, random_between(random, -4, 4), 0, random_between(random, -4, 4));
    }
    return view;
}

static double square_of(mote_vector_columns v, uint32_t i) {
    const double x = (double)v.x[i], y = (double)v.y[i], z = (double)v.z[i];
    return x * x + y * y + z * z;
}

/* J/kg */
static double energy_of(const mote_range_view *view, uint32_t i) {
    const double inertia = (double)(SOLID * BALL * BALL);
    const double spin = view->angular_velocity.x ? 0.5 * inertia * square_of(view->angular_velocity, i) : 0;
    return 0.5 * square_of(view->velocity, i) + spin + (double)GRAVITY * (double)view->position.y[i];
}

/* Returns the greatest rise of the energy of a particle in one step; the relative rounding error is that of a
 * place and a velocity. */
static double greatest_rise(const scene *s, uint32_t steps) {
    static double last[COUNT];
    double most = -INFINITY;
    for (uint32_t step = 0; step <= steps; step++) {
        const mote_range_view view = mote_system_view(s->system);
        ASSERT(view.count, ==, COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            const double energy = energy_of(&view, i);
            assert_true(isfinite(energy));
            if (step) most = fmax(most, energy - last[i] - 1e-6 * (fabs(energy) + 10));
            last[i] = energy;
        }
        OK(mote_system_step(s->system, 1, NULL));
    }
    return most;
}

static void copy_places(const scene *s, float to[COUNT][3]) {
    const mote_range_view view = mote_system_view(s->system);
    for (uint32_t i = 0; i < COUNT; i++) place_of(&view, i, to[i]);
}

/* --- Rest --- */

TEST(particles_in_valleys_do_not_creep) {
    static float before[COUNT][3], after[COUNT][3];
    for (int far = 0; far < 2; far++) {
        random_source random = {far + 1u};
        scene s = open_scene(MOTE_SEMI_IMPLICIT_EULER, false, 0);
        add_ground(&s, 0.3f, 0, far ? 1000 : 0, &random);
        drop(&s, far ? 1000 : 0, 3, &random);
        OK(mote_system_step(s.system, 10000, NULL));
        copy_places(&s, before);
        OK(mote_system_step(s.system, 10000, NULL));
        copy_places(&s, after);
        uint32_t kept = 0; /* others fell off the edge */
        for (uint32_t i = 0; i < COUNT; i++) {
            if (after[i][1] < -1) continue;
            assert_memory_equal(before[i], after[i], sizeof before[i]);
            kept++;
        }
        ASSERT(kept, >, COUNT / 4);
        close_scene(&s);
    }
}

/* Steep cells: most end where three and more triangles meet. */
TEST(balls_between_steep_triangles_stop_and_give_no_hits) {
    static float before[COUNT][3], after[COUNT][3];
    for (uint32_t seed = 1; seed < 5; seed++) {
        random_source random = {seed};
        scene s = open_scene(seed % 2 ? MOTE_VELOCITY_VERLET : MOTE_SEMI_IMPLICIT_EULER, seed > 2, 4096);
        add_ground(&s, 3, 9, 0, &random);
        drop(&s, 0, 4, &random);
        OK(mote_system_step(s.system, 10000, NULL));
        copy_places(&s, before);
        for (int i = 0; i < 500; i++) {
            mote_hit_list hits;
            OK(mote_system_step(s.system, 1, NULL));
            OK(mote_system_hits(s.system, &hits));
            ASSERT(hits.count, ==, 0);
        }
        copy_places(&s, after);
        const mote_range_view view = mote_system_view(s.system);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_memory_equal(before[i], after[i], sizeof before[i]);
            if (seed > 2) ASSERT(square_of(view.angular_velocity, i), <, 1); /* 200 rad/s in the fall */
        }
        close_scene(&s);
    }
}

/* What ends its substep early is beside what goes on: in another register with another width. */
TEST(rest_has_the_same_bits_on_every_instruction_set) {
    for (int turns = 0; turns < 2; turns++) {
        uint64_t hash = 0;
        for (isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
            if (!mote_isa_available(isa)) continue;
            random_source random = {3};
            scene s = open_scene(MOTE_VELOCITY_VERLET, turns, 0);
            add_ground(&s, 1.5f, 9, 1000, &random);
            drop(&s, 1000, 2, &random);
            OK(mote_system_step(s.system, 1000, NULL));
            if (!hash) hash = mote_system_hash(s.system);
            ASSERT(mote_system_hash(s.system), ==, hash);
            close_scene(&s);
        }
        isa = MOTE_ISA_AUTO;
    }
}

TEST(friction_of_three_planes_stops_a_spin) {
    static const float normals[3][3] = {{1, 0.7f, 0}, {-0.5f, 0.7f, 0.866f}, {-0.5f, 0.7f, -0.866f}};
    scene s = open_scene(MOTE_VELOCITY_VERLET, true, 0);
    mote_range_view view;
    for (int k = 0; k < 3; k++) {
        mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, normals[k]);
        plane.friction = 1, plane.restitution = 0;
        add_collider(s.system, plane);
    }
    OK(mote_system_spawn(s.system, 1, &view));
    view.position.y[0] = 0.0524f, view.angular_velocity.x[0] = 20, view.angular_velocity.y[0] = 30;
    OK(mote_system_step(s.system, 600, NULL));
    view = mote_system_view(s.system);
    ASSERT(square_of(view.angular_velocity, 0), ==, 0);
    ASSERT(square_of(view.velocity, 0), ==, 0);
    close_scene(&s);
}

/* --- Energy --- */

TEST(balls_that_roll_into_valleys_gain_no_energy) {
    for (uint32_t seed = 1; seed < 5; seed++) {
        random_source random = {seed};
        scene s = open_scene(MOTE_VELOCITY_VERLET, true, 0);
        add_ground(&s, seed % 2 ? 3 : 0.3f, 9, 0, &random);
        const mote_range_view view = drop(&s, 0, 4, &random);
        for (uint32_t i = 0; i < COUNT; i++) view.angular_velocity.x[i] = random_between(&random, -100, 100);
        ASSERT(greatest_rise(&s, MOST_STEPS / 4), <, 2e-4);
        close_scene(&s);
    }
}

/* The slope is four times as steep as friction holds: particles are thrown up it and slide back. */
TEST(particles_that_turn_round_on_a_slope_gain_no_energy) {
    scene s = open_scene(MOTE_VELOCITY_VERLET, false, 0);
    mote_collider_def slope = mote_plane((float[3]){0, 0, 0}, (float[3]){-2, 1, 0});
    mote_range_view view;
    slope.friction = 0.5f, slope.restitution = 0;
    add_collider(s.system, slope);
    OK(mote_system_spawn(s.system, COUNT, &view));
    for (uint32_t i = 0; i < COUNT; i++) {
        const float u = 0.5f + 0.001f * (float)i;
        put(&view, i, -0.0269f, 0.01345f, 0); /* BALL above the plane */
        throw_at(&view, i, u, 2 * u, 0);
    }
    ASSERT(greatest_rise(&s, 60), <, 1e-5);
    close_scene(&s);
}

/* The inside of a cube. What slides sinks in by up to 1/32 of a cell, and pays for the way back. */
TEST(hollow_grids_give_no_energy) {
    enum { EDGE = 33 };
    const float spacing = 0.125f;
    float *distances = malloc(EDGE * EDGE * EDGE * sizeof *distances);
    random_source random = {7};
    for (int i = 0; i < EDGE * EDGE * EDGE; i++) {
        const float at[3] = {(float)(i % EDGE), (float)(i / EDGE % EDGE), (float)(i / EDGE / EDGE)};
        distances[i] = 1.5f;
        for (int k = 0; k < 3; k++) distances[i] = fminf(distances[i], 1.5f - fabsf(at[k] * spacing - 2));
    }
    mote_distance_grid_def def = mote_default_distance_grid_def();
    scene s = open_scene(MOTE_VELOCITY_VERLET, false, 0);
    for (int k = 0; k < 3; k++) def.count[k] = EDGE, def.origin[k] = -2;
    def.spacing = spacing, def.distances = distances;
    OK(mote_distance_grid_create(&def, &s.grid));
    const mote_transform at = MOTE_TRANSFORM_IDENTITY;
    mote_collider_def cube = mote_distance_grid_collider(&at, s.grid);
    cube.restitution = 1, cube.friction = 0;
    add_collider(s.system, cube);
    const mote_range_view view = drop(&s, 0, -0.5f, &random);
    for (uint32_t i = 0; i < COUNT; i++) {
        put(&view, i, 0.3f * view.position.x[i], view.position.y[i], 0.3f * view.position.z[i]);
        view.velocity.y[i] = random_between(&random, -7, 7);
    }
    ASSERT(greatest_rise(&s, MOST_STEPS), <, 1e-4);
    close_scene(&s);
    free(distances);
}
