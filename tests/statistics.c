/* Sums over particles: mass, energy and momentum against sums in double, the forces that have a potential,
 * and the true velocity of position Verlet. Their conservation is an experiment of mote-bench verify. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

static mote_system *make(mote_integrator integrator, bool masses, uint32_t count, mote_range_view *view) {
    mote_system_def def = mote_default_system_def();
    def.integrator = integrator;
    def.capacity = count;
    def.mass_column = masses;
    def.anchor_column = true;
    def.mass = 1.5f;
    mote_system *system = system_of(&def);
    *view = spawned(system, count);
    return system;
}

/* --- Sums --- */

/* The potentials of the forces below: gravity -m g x, thrust -f x, springs k/2 d^2, attractor -m s / sqrt(r^2
 * + e^2). */
static double potential(const double x[3], const double anchor[3], double mass) {
    double r2 = 0.25 * 0.25, sum = mass * 9.75 * x[1] - (0.5 * x[0] - 1.25 * x[2]);
    const double spring[3] = {1, 2, 3}, sun[3] = {-1, 4, 2};
    for (int k = 0; k < 3; k++) {
        sum += 0.5 * 3 * pow(x[k] - spring[k], 2) + 0.5 * 7 * pow(x[k] - anchor[k], 2);
        r2 += pow(x[k] - sun[k], 2);
    }
    return sum - mass * 20 / sqrt(r2);
}

static void compare_sums(bool masses, uint32_t count) {
    random_source random = {count};
    mote_range_view view;
    mote_system *system = make(MOTE_SEMI_IMPLICIT_EULER, masses, count, &view);
    scene_fill(&view, &random);
    add_force(system, mote_gravity((float[3]){0, -9.75f, 0}));
    add_force(system, mote_thrust((float[3]){0.5f, 0, -1.25f}));
    add_force(system, mote_anchor_spring((float[3]){1, 2, 3}, 3, 0.5f));
    add_force(system, mote_attractor((float[3]){-1, 4, 2}, 20, 0.25f));
    add_force(system, mote_particle_anchors(7, 0.25f));
    mote_statistics want = {0};
    double size = 0, spin = 0, movable = 0;
    for (uint32_t i = 0; i < count; i++) {
        view.anchor.y[i] = (float)(i % 17);
        const double x[3] = {view.position.x[i], view.position.y[i], view.position.z[i]};
        const double v[3] = {view.velocity.x[i], view.velocity.y[i], view.velocity.z[i]};
        const double anchor[3] = {0, i % 17, 0};
        if (masses && view.inverse_mass[i] == 0) continue;
        const double mass = masses ? 1 / (double)view.inverse_mass[i] : 1.5;
        movable++;
        want.mass += mass;
        want.potential += potential(x, anchor, mass);
        size += fabs(potential(x, anchor, mass));
        for (int k = 0; k < 3; k++) {
            int n = (k + 1) % 3, m = (k + 2) % 3;
            want.kinetic += mass / 2 * v[k] * v[k];
            want.momentum[k] += mass * v[k];
            want.angular_momentum[k] += mass * (x[n] * v[m] - x[m] * v[n]);
            spin += mass * 100;
        }
    }
    const uint64_t hash = mote_system_hash(system);
    const mote_statistics got = statistics_of(system);
    ASSERT(mote_system_hash(system), ==, hash);
    /* In double throughout: a rounding of each summand and of each sum. */
    const double rounding = (movable + 32) * 0x1p-52;
    ASSERT_NEAR(got.mass, want.mass, rounding * want.mass);
    ASSERT_NEAR(got.kinetic, want.kinetic, rounding * want.kinetic);
    ASSERT_NEAR(got.potential, want.potential, rounding * size);
    for (int k = 0; k < 3; k++) {
        ASSERT_NEAR(got.momentum[k], want.momentum[k], rounding * spin);
        ASSERT_NEAR(got.angular_momentum[k], want.angular_momentum[k], rounding * spin);
    }
    assert_int_equal(got.forces_without_potential, 0);
    mote_system_destroy(system);
}

TEST(statistics_are_the_sums_in_double_for_any_count) {
    static const uint32_t counts[] = {0, 1, 15, 16, 17, 1023, 1024, 1025, 5000, 70001};
    for (size_t i = 0; i < 2 * COUNT_OF(counts); i++) {
        test_case("%u particles, mass column %d", counts[i / 2], (int)i % 2);
        compare_sums(i % 2, counts[i / 2]);
    }
}

TEST(forces_without_a_potential_are_counted_and_add_no_energy) {
    static const float zero[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    static float turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 0};
    static const float times[2] = {0, 1};
    static float thrusts[6] = {0, 0, 0, 1, 2, 3};
    const mote_force_def forces[] = {mote_wind(zero, 1),
                                     mote_quadratic_drag(zero, 1),
                                     mote_timed_thrust(times, thrusts, 2),
                                     mote_linear_field(up, turn, MOTE_FIELD_ACCELERATION, 0),
                                     mote_vortex(zero, up, 1, 1, MOTE_FIELD_WIND, 1),
                                     mote_curl_noise(1, 1, 1, 1, MOTE_FIELD_WIND, 1),
                                     mote_callback(scene_spread, NULL),
                                     mote_in_sphere(mote_gravity(up), zero, 1, 0),
                                     mote_in_box(mote_particle_anchors(1, 0), zero, up, 0)};
    mote_range_view view;
    mote_system *system = make(MOTE_RK4, false, 10, &view);
    for (int i = 0; i < 10; i++) view.position.x[i] = 3;
    for (size_t i = 0; i < COUNT_OF(forces); i++) {
        add_force(system, forces[i]);
        const mote_statistics s = statistics_of(system);
        ASSERT(s.forces_without_potential, ==, i + 1);
        ASSERT(s.potential, ==, 0);
    }
    add_force(system, mote_gravity((float[3]){-1, 0, 0}));
    const mote_statistics s = statistics_of(system);
    ASSERT(s.forces_without_potential, ==, COUNT_OF(forces));
    ASSERT(s.potential, ==, 10 * 1.5 * 3);
    mote_system_destroy(system);
}

TEST(immovable_particles_do_not_count) {
    mote_range_view view;
    mote_system *system = make(MOTE_VELOCITY_VERLET, true, 40, &view);
    add_force(system, mote_gravity((float[3]){0, -1, 0}));
    for (int i = 0; i < 40; i++)
        view.position.y[i] = 2, view.velocity.x[i] = 3, view.inverse_mass[i] = i == 21 ? 0.25f : 0;
    mote_statistics s = statistics_of(system);
    ASSERT(s.mass, ==, 4);
    ASSERT(s.kinetic, ==, 18);
    ASSERT(s.potential, ==, 8);
    ASSERT(s.momentum[0], ==, 12);
    ASSERT(s.momentum[1], ==, 0);
    ASSERT(s.angular_momentum[2], ==, -24);
    ASSERT(s.angular_momentum[0], ==, 0);
    ASSERT(s.angular_momentum[1], ==, 0);
    view.inverse_mass[21] = 0;
    s = statistics_of(system);
    ASSERT(s.mass, ==, 0);
    ASSERT(s.kinetic, ==, 0);
    ASSERT(s.potential, ==, 0);
    ASSERT(s.momentum[0], ==, 0);
    mote_system_destroy(system);
}

/* --- Bits and true velocities --- */

/* More chunks than there are segments to sum, and true velocities of position Verlet. */
TEST(statistics_have_the_same_bits_on_any_jobs) {
    mote_statistics first = {0};
    job_kinds kinds;
    make_job_kinds(&kinds, 5);
    for (int j = 0; j < 2 * JOB_KINDS; j++) {
        mote_system_def def = mote_default_system_def();
        def.capacity = 150001;
        def.mass_column = true;
        def.integrator = MOTE_POSITION_VERLET;
        def.isa = j < JOB_KINDS ? MOTE_ISA_SCALAR : MOTE_ISA_AUTO;
        def.jobs = kinds.jobs[j % JOB_KINDS];
        mote_system *system = system_of(&def);
        spawned_at_random(system, def.capacity, 1);
        add_force(system, mote_attractor((float[3]){-1, 4, 2}, 20, 0.25f));
        stepped(system, 2);
        const mote_statistics s = statistics_of(system);
        if (j == 0) first = s;
        assert_memory_equal(&s, &first, offsetof(mote_statistics, forces_without_potential));
        ASSERT(s.potential, !=, 0);
        mote_system_destroy(system);
    }
    ASSERT(kinds.shuffled.runs, >, 0);
}

/* On a constant force position Verlet's true velocity is exact at all times: v0 + a t, before the first step
 * too. */
TEST(statistics_of_position_verlet_have_the_velocity_at_the_time_of_the_position) {
    mote_range_view view;
    mote_system *system = make(MOTE_POSITION_VERLET, false, 20, &view);
    add_force(system, mote_gravity((float[3]){0, -8, 0}));
    for (int i = 0; i < 20; i++) view.velocity.x[i] = 2, view.velocity.y[i] = 4;
    for (int n = 0; n <= 30; n++) {
        const mote_statistics s = statistics_of(system);
        const double fall = 4 - 8 * n / 60.0, mass = 20 * 1.5, rounding = 2 * (n + 2) * FLOAT_ROUNDING * 4;
        ASSERT_NEAR(s.momentum[1], mass * fall, mass * rounding);
        ASSERT(s.momentum[0], ==, mass * 2);
        ASSERT_NEAR(s.kinetic, mass / 2 * (4 + fall * fall), mass * 4 * rounding);
        ASSERT_NEAR(s.kinetic + s.potential, mass / 2 * 20, mass * (4 + 8) * 2 * rounding);
        /* The column itself holds the velocity of half a step before. */
        if (n > 0) ASSERT_NEAR(view.velocity.y[7], fall + 8 / 120.0, rounding);
        stepped(system, 1);
    }
    mote_system_destroy(system);
}
