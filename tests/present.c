/* Presentation: values between the last two steps, written where the layout says and nowhere else, without
 * blends across births, jumps and removals. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

/* At 64 steps a second a step is 15,625,000 ns, of which half and a quarter are whole. */
enum { STEP = 15625000, SMALL = 3, CROWD = 3000 };
#define TIMESTEP 0.015625f

typedef struct vertex {
    float position[3], velocity[3];
} vertex;

static mote_system *make(mote_interpolation interpolation, uint32_t capacity) {
    mote_system_def def = mote_default_system_def();
    def.capacity = capacity;
    def.steps_per_second = (mote_rate){64, 1};
    def.interpolation = interpolation;
    def.lifetimes = true;
    return system_of(&def);
}

static void present(const mote_system *system, vertex *vertices, uint32_t count) {
    const mote_present_layout packed = layout_at(6 * sizeof(float), 0, 3 * sizeof(float));
    OK(mote_system_present(system, &packed, vertices, count * sizeof *vertices));
}

static void store(mote_system *system, vertex *vertices) {
    mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; i < view.count; i++) {
        vertices[i] = (vertex){{view.position.x[i], view.position.y[i], view.position.z[i]},
                               {view.velocity.x[i], view.velocity.y[i], view.velocity.z[i]}};
    }
}

static void check_equal(const vertex *got, const vertex *expected, uint32_t count) {
    for (uint32_t i = 0; i < 3 * count; i++) {
        ASSERT(got[i / 3].position[i % 3], ==, expected[i / 3].position[i % 3]);
        ASSERT(got[i / 3].velocity[i % 3], ==, expected[i / 3].velocity[i % 3]);
    }
}

/* --- Values --- */

/* x0 + alpha (x1 - x0) rounds three times, each by at most half an ulp of something no larger than |x0| +
 * |x1|. */
static void check_linear(float got, float before, float after, double alpha) {
    const double expected = (double)before + alpha * ((double)after - (double)before);
    ASSERT_NEAR(got, expected, 1.5 * FLT_EPSILON * (fabs((double)before) + fabs((double)after)));
}

/* The cubic with values x0, x1 and slopes v0, v1 over one timestep. Any order of evaluation rounds at most
 * ten times terms of at most 3 (|x0| + |x1|) and h (|v0| + |v1|); the derivative divides the former by h. */
static void check_hermite(const vertex *got, const vertex *from, const vertex *to, int axis, double s) {
    double x0 = (double)from->position[axis], x1 = (double)to->position[axis];
    double h = (double)TIMESTEP, d0 = h * (double)from->velocity[axis], d1 = h * (double)to->velocity[axis];
    double position = x0 + s * (d0 + s * (3 * (x1 - x0) - 2 * d0 - d1 + s * (2 * (x0 - x1) + d0 + d1)));
    double slope = d0 + s * (2 * (3 * (x1 - x0) - 2 * d0 - d1) + 3 * s * (2 * (x0 - x1) + d0 + d1));
    double tolerance = 5 * FLT_EPSILON * (3 * (fabs(x0) + fabs(x1)) + fabs(d0) + fabs(d1));
    ASSERT_NEAR(got->position[axis], position, tolerance);
    ASSERT_NEAR(got->velocity[axis], slope / h, 2 * tolerance / h);
}

/* At twelve alphas, each of which is reached without a step. */
static void compare_alphas(mote_interpolation interpolation) {
    mote_system *system = make(interpolation, CROWD);
    OK(scene_add_forces(system, false));
    spawned_at_random(system, CROWD, 5);
    vertex *state = malloc(3 * CROWD * sizeof *state), *before = state, *after = state + CROWD,
           *got = after + CROWD;
    assert_non_null(state);
    advanced(system, 3 * STEP);
    store(system, before);
    advanced(system, STEP);
    store(system, after);
    for (int n = 0; n < 12; n++) {
        const mote_advance clock = advanced(system, n == 0 ? 0 : 1234567);
        assert_int_equal(clock.steps, 0);
        double alpha = (double)clock.alpha;
        present(system, got, CROWD);
        for (uint32_t i = 0; i < CROWD * 3; i++) {
            int axis = (int)(i % 3);
            const vertex *g = &got[i / 3], *from = &before[i / 3], *to = &after[i / 3];
            if (interpolation == MOTE_INTERPOLATE_HERMITE) check_hermite(g, from, to, axis, alpha);
            if (interpolation == MOTE_INTERPOLATE_LINEAR) {
                check_linear(g->position[axis], from->position[axis], to->position[axis], alpha);
                ASSERT(g->velocity[axis], ==, to->velocity[axis]);
            }
        }
        if (interpolation == MOTE_INTERPOLATE_NONE) check_equal(got, after, CROWD);
    }
    free(state);
    mote_system_destroy(system);
}

TEST(linear_is_the_straight_line_between_the_last_two_steps) { compare_alphas(MOTE_INTERPOLATE_LINEAR); }

TEST(hermite_is_the_cubic_through_positions_and_velocities) { compare_alphas(MOTE_INTERPOLATE_HERMITE); }

TEST(none_is_the_last_step_as_it_is) { compare_alphas(MOTE_INTERPOLATE_NONE); }

/* From rest at 0 under 64 m/s^2 by semi-implicit Euler: 1/64 m and 1 m/s after a step, 3/64 m and 2 m/s
 * after two. At alpha 1/4 the weights are 27/32, 9/64, 5/32, -3/64, those of the derivative -9/8, 3/16,
 * 9/8, -5/16. */
TEST(a_fall_from_rest_is_presented_as_worked_out_by_hand) {
    const double linear = 1.0 / 64 + 0.25 * (2.0 / 64);
    const double cubic = (27.0 / 32 * 1 + 9.0 / 64 * 1 + 5.0 / 32 * 3 - 3.0 / 64 * 2) / 64;
    const double slope = (9.0 / 8 * (3 - 1) + 3.0 / 16 * 1 - 5.0 / 16 * 2);
    for (int interpolation = 0; interpolation < MOTE_INTERPOLATION_COUNT; interpolation++) {
        mote_system *system = make((mote_interpolation)interpolation, 1);
        vertex got;
        add_force(system, mote_gravity((float[3]){0.0f, 64.0f, 0.0f}));
        spawned(system, 1);
        advanced(system, 2 * STEP + STEP / 4);
        present(system, &got, 1);
        const double positions[] = {3.0 / 64, linear, cubic}, velocities[] = {2.0, 2.0, slope};
        /* Ten roundings of terms up to 0.2 m, divided by the step for the velocity. */
        ASSERT_NEAR(got.position[1], positions[interpolation], 5 * FLT_EPSILON * 0.2);
        ASSERT_NEAR(got.velocity[1], velocities[interpolation], 5 * FLT_EPSILON * 0.2 * 64);
        ASSERT(got.position[0], ==, 0.0f);
        ASSERT(got.velocity[2], ==, 0.0f);
        mote_system_destroy(system);
    }
}

/* --- Far from the origin --- */

/* One particle that has taken `steps` steps along x under an acceleration. */
static mote_system *flight(const mote_system_def *def, float position, float velocity, float acceleration,
                           uint32_t steps) {
    mote_system *system = system_of(def);
    mote_range_view view = spawned(system, 1);
    view.position.x[0] = position, view.velocity.x[0] = velocity;
    if (acceleration != 0) add_force(system, mote_gravity((float[3]){acceleration, 0, 0}));
    stepped(system, steps);
    return system;
}

static mote_system_def hermite_def(mote_integrator integrator, uint32_t rate, uint32_t substeps) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 1;
    def.steps_per_second = (mote_rate){rate, 1};
    def.integrator = integrator;
    def.substeps = substeps;
    def.interpolation = MOTE_INTERPOLATE_HERMITE;
    return def;
}

enum { PARTS = 16 }; /* alphas examined between two steps */

/* Presented at alpha = part / PARTS, up to a nanosecond. */
static vertex presented_at(mote_system *system, uint32_t rate, int part, double *alpha) {
    vertex got;
    *alpha = (double)advanced(system, part == 0 ? 0 : 1000000000u / rate / PARTS).alpha;
    present(system, &got, 1);
    return got;
}

/* From positions alone, rounded to 2^-11 m at 8,194 m, a velocity over 1/1024 s is uncertain by 1.5 m/s. */
static void check_constant_velocity(const mote_system_def *def, float position, float velocity) {
    const uint32_t rate = (uint32_t)def->steps_per_second.steps;
    mote_system *system = flight(def, position, velocity, 0, 3);
    for (int part = 0; part < PARTS; part++) {
        double alpha;
        const vertex got = presented_at(system, rate, part, &alpha);
        ASSERT(got.velocity[0], ==, velocity);
    }
    mote_system_destroy(system);
}

TEST(a_constant_velocity_is_presented_exactly_at_any_distance_from_the_origin) {
    static const float positions[] = {0, 1, -100, 8190, 8194, -10000, 1e6f, 1e9f};
    static const float velocities[] = {64, 64.003f, -0.37f, 7000};
    static const uint32_t rates[] = {60, 1024};
    for (uint32_t i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        if (advects((mote_integrator)i)) continue;
        for (size_t k = 0; k < COUNT_OF(positions) * COUNT_OF(velocities) * 4; k++) {
            const float position = positions[k / 4 / COUNT_OF(velocities)];
            const float velocity = velocities[k / 4 % COUNT_OF(velocities)];
            const mote_system_def def = hermite_def((mote_integrator)i, rates[k % 2], k / 2 % 2 ? 8 : 1);
            test_case("%s from %g m at %g m/s, %u Hz, %u substeps", integrator_name(i), (double)position,
                      (double)velocity, rates[k % 2], def.substeps);
            check_constant_velocity(&def, position, velocity);
        }
    }
}

/* Velocity Verlet is exact under a constant acceleration, so that the true velocity is linear in alpha. */
TEST(a_constant_acceleration_is_presented_within_rounding_at_any_distance_from_the_origin) {
    static const float positions[] = {0, 8194, -10000, 1e6f};
    for (size_t k = 0; k < COUNT_OF(positions); k++) {
        const mote_system_def def = hermite_def(MOTE_VELOCITY_VERLET, 1024, 1);
        mote_system *system = flight(&def, positions[k], 64, 1024, 8); /* 72 m/s now, 71 m/s a step before */
        test_case("from %g m", (double)positions[k]);
        for (int part = 0; part < PARTS; part++) {
            double alpha;
            const vertex got = presented_at(system, 1024, part, &alpha);
            ASSERT_NEAR(got.velocity[0], 71 + alpha, 4 * FLT_EPSILON * 72);
        }
        mote_system_destroy(system);
    }
}

/* The sum x0 + (...) rounds once to half a unit in the last place, at most FLT_EPSILON |x| / 2. The cubic
 * differs from the straight line by at most a tenth of the rounding of x1: another 0.05 FLT_EPSILON |x|. */
TEST(hermite_positions_far_from_the_origin_are_rounded_once) {
    static const float positions[] = {8194, -10000, 1e6f};
    for (size_t k = 0; k < COUNT_OF(positions); k++) {
        const mote_system_def def = hermite_def(MOTE_SEMI_IMPLICIT_EULER, 1024, 1);
        mote_system *system = flight(&def, positions[k], 64.003f, 0, 2);
        vertex before, after;
        store(system, &before);
        stepped(system, 1);
        store(system, &after);
        for (int part = 0; part < PARTS; part++) {
            double alpha, x0 = (double)before.position[0], x1 = (double)after.position[0];
            const vertex got = presented_at(system, 1024, part, &alpha);
            ASSERT_NEAR(got.position[0], x0 + alpha * (x1 - x0), 0.56 * FLT_EPSILON * fabs(x1));
        }
        mote_system_destroy(system);
    }
}

/* --- Layout --- */

enum { FILL = 0x5e };

/* Presents into odd addresses and compares with the packed layout; every other byte must still be FILL. */
static void check_layout(const mote_system *system, const mote_present_layout *layout, const vertex *expected,
                         size_t shift) {
    size_t bytes = SMALL * layout->stride, total = bytes + shift + 64;
    unsigned char *memory = malloc(total), *mirror = malloc(total);
    assert_true(memory != NULL);
    assert_true(mirror != NULL);
    memset(memory, FILL, total);
    memset(mirror, FILL, total);
    OK(mote_system_present(system, layout, memory + shift, bytes));
    for (uint32_t i = 0; i < SMALL; i++) {
        unsigned char *particle = mirror + shift + i * layout->stride;
        if (layout->position_offset != MOTE_OMIT)
            memcpy(particle + layout->position_offset, expected[i].position, 12);
        if (layout->velocity_offset != MOTE_OMIT)
            memcpy(particle + layout->velocity_offset, expected[i].velocity, 12);
    }
    assert_memory_equal(memory, mirror, total);
    free(memory);
    free(mirror);
}

TEST(floats_go_where_the_layout_says_and_nowhere_else) {
    static const size_t layouts[][3] = {
        {24, 0, 12}, {24, 12, 0},         {12, 0, MOTE_OMIT},  {12, MOTE_OMIT, 0}, {13, 1, MOTE_OMIT},
        {60, 7, 41}, {64, 52, MOTE_OMIT}, {100, MOTE_OMIT, 3}, {25, 13, 1},        {4096, 1000, 2001},
    };
    for (int interpolation = 0; interpolation < MOTE_INTERPOLATION_COUNT; interpolation++) {
        mote_system *system = make((mote_interpolation)interpolation, SMALL);
        vertex expected[SMALL];
        spawned_at_random(system, SMALL, 11);
        advanced(system, 2 * STEP + STEP / 3);
        present(system, expected, SMALL);
        for (size_t i = 0; i < COUNT_OF(layouts); i++) {
            const mote_present_layout layout = layout_at(layouts[i][0], layouts[i][1], layouts[i][2]);
            for (size_t shift = 0; shift < 5; shift++) check_layout(system, &layout, expected, shift);
        }
        mote_system_destroy(system);
    }
}

/* --- Births, jumps, removals --- */

TEST(particles_spawned_since_the_last_step_are_presented_where_they_are) {
    for (int interpolation = 0; interpolation < MOTE_INTERPOLATION_COUNT; interpolation++) {
        mote_system *system = make((mote_interpolation)interpolation, 64);
        vertex expected[40], got[40];
        spawned_at_random(system, 20, 1);
        store(system, expected);
        advanced(system, STEP / 2); /* no step has run at all */
        present(system, got, 20);
        check_equal(got, expected, 20);
        advanced(system, STEP);
        spawned_at_random(system, 20, 2);
        store(system, expected);
        present(system, got, 40);
        check_equal(got + 20, expected + 20, 20);
        advanced(system, STEP / 4); /* time, but no step */
        present(system, got, 40);
        check_equal(got + 20, expected + 20, 20);
        mote_system_destroy(system);
    }
}

TEST(spawned_particles_move_from_where_they_were_spawned_in_their_first_step) {
    mote_system *system = make(MOTE_INTERPOLATE_LINEAR, 64);
    vertex before[20], after[20], got[20];
    advanced(system, 5 * STEP);
    spawned_at_random(system, 20, 3);
    store(system, before);
    advanced(system, STEP + STEP / 2);
    store(system, after);
    present(system, got, 20);
    for (int i = 0; i < 60; i++) {
        int axis = i % 3;
        ASSERT(before[i / 3].position[axis], !=, after[i / 3].position[axis]);
        check_linear(got[i / 3].position[axis], before[i / 3].position[axis], after[i / 3].position[axis],
                     0.5);
    }
    mote_system_destroy(system);
}

TEST(teleported_particles_are_presented_where_they_are) {
    for (int interpolation = 0; interpolation < MOTE_INTERPOLATION_COUNT; interpolation++) {
        mote_system *system = make((mote_interpolation)interpolation, 64);
        vertex expected[64], got[64], unwritten[64];
        spawned_at_random(system, 64, 4);
        advanced(system, 2 * STEP + STEP / 2);
        present(system, unwritten, 64);
        mote_range_view view = mote_system_view(system);
        for (uint32_t i = 17; i < 40; i++) view.position.y[i] += 1000.0f;
        OK(mote_system_teleport(system, 17, 23));
        store(system, expected);
        present(system, got, 64);
        check_equal(got + 17, expected + 17, 23);
        check_equal(got, unwritten, 17);
        check_equal(got + 40, unwritten + 40, 24);
        advanced(system, STEP / 4);
        present(system, got, 64);
        check_equal(got + 17, expected + 17, 23);
        advanced(system, STEP);
        present(system, got, 64);
        /* 5 m/s for a step and a bit from a place 1,000 m away, never a part of the way there. */
        for (uint32_t i = 17; i < 40; i++) ASSERT(got[i].position[1], >, 900.0f);
        mote_system_destroy(system);
    }
}

/* Deaths at the boundary after the last step move particles, and with them the states that they are blended
 * from. */
TEST(compaction_moves_the_blended_states_too) {
    for (int interpolation = 0; interpolation < MOTE_INTERPOLATION_COUNT; interpolation++) {
        vertex moved[64], whole[64];
        for (int dying = 0; dying < 2; dying++) {
            mote_system *system = make((mote_interpolation)interpolation, 64);
            mote_range_view view = spawned_at_random(system, 64, 6);
            for (uint32_t i = 0; dying && i < 8; i++) view.lifetime[i] = 3.0f / 64.0f;
            advanced(system, 3 * STEP + STEP / 4);
            assert_int_equal(mote_system_count(system), dying ? 56 : 64);
            present(system, dying ? moved : whole, dying ? 56 : 64);
            mote_system_destroy(system);
        }
        check_equal(moved, whole + 56, 8);
        check_equal(moved + 8, whole + 8, 48);
    }
}

/* The host kills, spawns and teleports in the same gap between two steps. */
TEST(spawned_and_teleported_particles_are_not_blended_after_compaction) {
    mote_system *system = make(MOTE_INTERPOLATE_LINEAR, 64);
    vertex before[48], after[48], got[48];
    uint32_t killed[16];
    spawned_at_random(system, 32, 7);
    advanced(system, 3 * STEP);
    spawned_at_random(system, 16, 8);
    mote_range_view view = mote_system_view(system);
    for (uint32_t i = 28; i < 32; i++) view.position.x[i] = -500.0f;
    OK(mote_system_teleport(system, 28, 4));
    for (uint32_t i = 0; i < 16; i++) killed[i] = i;
    OK(mote_system_kill_slots(system, 16, killed));
    store(system, before);
    advanced(system, STEP / 2);
    present(system, got, 48);
    check_equal(got + 28, before + 28, 20);
    advanced(system, STEP);
    assert_int_equal(mote_system_count(system), 32);
    store(system, after);
    present(system, got, 32);
    for (uint32_t i = 0; i < 32; i++) {
        const vertex *from = &before[i < 16 ? i + 32 : i]; /* the spawned ones fill the holes in order */
        for (int axis = 0; axis < 3; axis++) {
            check_linear(got[i].position[axis], from->position[axis], after[i].position[axis], 0.5);
        }
    }
    mote_system_destroy(system);
}

TEST(presenting_changes_nothing) {
    mote_system *system = make(MOTE_INTERPOLATE_HERMITE, 100);
    vertex got[100];
    spawned_at_random(system, 100, 9);
    advanced(system, 2 * STEP + STEP / 2);
    const uint64_t hash = mote_system_hash(system);
    present(system, got, 100);
    ASSERT(mote_system_hash(system), ==, hash);
    mote_system_destroy(system);
}

TEST(presentation_is_the_same_on_any_jobs) {
    static vertex got[2][CROWD];
    job_kinds kinds;
    make_job_kinds(&kinds, 3);
    for (int j = 0; j < JOB_KINDS; j++) {
        mote_system_def def = mote_default_system_def();
        def.capacity = CROWD;
        def.interpolation = MOTE_INTERPOLATE_HERMITE;
        def.jobs = kinds.jobs[j];
        mote_system *system = system_of(&def);
        spawned_at_random(system, CROWD, 10);
        advanced(system, 60000000);
        present(system, got[j > 0], CROWD);
        mote_system_destroy(system);
        if (j > 0) assert_memory_equal(got[1], got[0], sizeof got[0]);
    }
}
