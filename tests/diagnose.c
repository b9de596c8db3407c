/* Energy and momentum: against sums in double, conserved where they must be, and with the true velocity of
 * position Verlet. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "support.h"

static const double UNIT = 0x1p-24;

static void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.12g is not %.12g within %.3g", got, want, tolerance);
}

static mote_system *make(mote_integrator integrator, bool masses, uint32_t count, mote_range_view *view) {
    mote_system_def def = mote_default_system_def();
    def.integrator = integrator;
    def.capacity = count;
    def.mass_column = masses;
    def.anchor_column = true;
    def.uniform_mass = 1.5f;
    mote_system *system;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_spawn(system, count, view), MOTE_OK);
    return system;
}

static void add(mote_system *system, mote_force_def def) {
    mote_force_id id;
    assert_int_equal(mote_system_add_force(system, &def, &id), MOTE_OK);
}

static mote_statistics diagnose(const mote_system *system) {
    mote_statistics d;
    memset(&d, 0xff, sizeof d);
    assert_int_equal(mote_system_statistics(system, &d), MOTE_OK);
    return d;
}

/* --- Sums --- */

/* The potentials of the forces of `sums`: gravity -m g x, thrust -f x, springs k/2 d^2, attractor -m s /
 * sqrt(r^2 + e^2). */
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
    add(system, mote_gravity((vec3){0, -9.75f, 0}));
    add(system, mote_thrust((vec3){0.5f, 0, -1.25f}));
    add(system, mote_anchor_spring((vec3){1, 2, 3}, 3, 0.5f));
    add(system, mote_attractor((vec3){-1, 4, 2}, 20, 0.25f));
    add(system, mote_particle_anchors(7, 0.25f));
    mote_statistics want = {0};
    double size = 0, spin = 0, movable = 0;
    for (uint32_t i = 0; i < count; i++) {
        view.anchor.y[i] = (float)(i % 17);
        const double x[3] = {view.position.x[i], view.position.y[i], view.position.z[i]};
        const double v[3] = {view.velocity.x[i], view.velocity.y[i], view.velocity.z[i]};
        const double anchor[3] = {0, i % 17, 0};
        if (masses && view.inverse_mass[i] == 0) continue;
        double mass = masses ? 1 / (double)view.inverse_mass[i] : 1.5;
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
    mote_statistics got = diagnose(system);
    /* In double throughout: a rounding of each summand and of each sum. */
    double rounding = (movable + 32) * 0x1p-52;
    assert_near(got.mass, want.mass, rounding * want.mass);
    assert_near(got.kinetic, want.kinetic, rounding * want.kinetic);
    assert_near(got.potential, want.potential, rounding * size);
    for (int k = 0; k < 3; k++) {
        assert_near(got.momentum[k], want.momentum[k], rounding * spin);
        assert_near(got.angular_momentum[k], want.angular_momentum[k], rounding * spin);
    }
    assert_int_equal(got.forces_without_potential, 0);
    mote_system_destroy(system);
}

TEST(sums) {
    static const uint32_t counts[] = {0, 1, 15, 16, 17, 1023, 1024, 1025, 5000, 70001};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        compare_sums(false, counts[i]), compare_sums(true, counts[i]);
}

/* The same bits for any jobs. */
TEST(any_workers) {
    uint32_t three = 3;
    shuffled_jobs shuffled = {.random = {4}, .workers = 5};
    mote_jobs jobs[4] = {{0}, pthread_jobs_hook(&three), shuffled_jobs_hook(&shuffled), mote_jobs_openmp(2)};
    mote_statistics first;
    for (int j = 0; j < 4; j++) {
        random_source random = {1};
        mote_system_def def = mote_default_system_def();
        mote_range_view view;
        mote_system *system;
        def.capacity = 150001;
        def.mass_column = true;
        def.integrator = MOTE_POSITION_VERLET;
        def.jobs = jobs[j];
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        assert_int_equal(mote_system_spawn(system, def.capacity, &view), MOTE_OK);
        scene_fill(&view, &random);
        add(system, mote_attractor((vec3){-1, 4, 2}, 20, 0.25f));
        assert_int_equal(mote_system_step(system, 2, NULL), MOTE_OK);
        uint64_t hash = mote_system_hash(system);
        mote_statistics d = diagnose(system);
        ASSERT(mote_system_hash(system), ==, hash);
        if (j == 0) first = d;
        assert_memory_equal(&d.kinetic, &first.kinetic, sizeof d.kinetic);
        assert_memory_equal(&d.potential, &first.potential, sizeof d.potential);
        assert_memory_equal(d.momentum, first.momentum, sizeof d.momentum);
        assert_memory_equal(d.angular_momentum, first.angular_momentum, sizeof d.angular_momentum);
        mote_system_destroy(system);
    }
}

/* --- What has a potential --- */

TEST(without_potential) {
    static const vec3 zero = {0, 0, 0}, up = {0, 1, 0};
    static mat3 turn = {{0, -1, 0}, {1, 0, 0}, {0, 0, 0}};
    static const float times[2] = {0, 1};
    static vec3 pushes[2] = {{0}, {1, 2, 3}};
    mote_force_def forces[] = {mote_wind(zero, 1),
                               mote_quadratic_drag(zero, 1),
                               mote_timed_thrust(times, pushes, 2),
                               mote_linear_field(up, turn, MOTE_FIELD_ACCELERATION, 0),
                               mote_vortex(zero, up, 1, 1, MOTE_FIELD_WIND, 1),
                               mote_curl_noise(1, 1, 1, 1, MOTE_FIELD_WIND, 1),
                               mote_callback(scene_push, NULL),
                               mote_in_sphere(mote_gravity(up), zero, 1, 0),
                               mote_in_box(mote_particle_anchors(1, 0), zero, up, 0)};
    mote_range_view view;
    mote_system *system = make(MOTE_RK4, false, 10, &view);
    for (int i = 0; i < 10; i++) view.position.x[i] = 3;
    for (size_t i = 0; i < COUNT_OF(forces); i++) {
        add(system, forces[i]);
        mote_statistics d = diagnose(system);
        ASSERT(d.forces_without_potential, ==, i + 1);
        ASSERT(d.potential, ==, 0);
    }
    add(system, mote_gravity((vec3){-1, 0, 0}));
    mote_statistics d = diagnose(system);
    ASSERT(d.forces_without_potential, ==, COUNT_OF(forces));
    ASSERT(d.potential, ==, 10 * 1.5 * 3);
    mote_system_destroy(system);
}

TEST(immovable_particles_do_not_count) {
    mote_range_view view;
    mote_system *system = make(MOTE_VELOCITY_VERLET, true, 40, &view);
    add(system, mote_gravity((vec3){0, -1, 0}));
    for (int i = 0; i < 40; i++)
        view.position.y[i] = 2, view.velocity.x[i] = 3, view.inverse_mass[i] = i == 21 ? 0.25f : 0;
    mote_statistics d = diagnose(system);
    ASSERT(d.mass, ==, 4);
    ASSERT(d.kinetic, ==, 18);
    ASSERT(d.potential, ==, 8);
    ASSERT(d.momentum[0], ==, 12);
    ASSERT(d.momentum[1], ==, 0);
    ASSERT(d.angular_momentum[2], ==, -24);
    ASSERT(d.angular_momentum[0], ==, 0);
    ASSERT(d.angular_momentum[1], ==, 0);
    view.inverse_mass[21] = 0;
    d = diagnose(system);
    ASSERT(d.mass, ==, 0);
    ASSERT(d.kinetic, ==, 0);
    ASSERT(d.potential, ==, 0);
    ASSERT(d.momentum[0], ==, 0);
    mote_system_destroy(system);
}

/* --- Conservation --- */

/* Energy and angular momentum of bodies that one centre draws, over 40 s at 1/60 s. `bound`: how far the
 * method's own energy error may reach. */
static void conserve(mote_integrator integrator, mote_force_def centre, double bound) {
    mote_range_view view;
    mote_system *system = make(integrator, true, 100, &view);
    add(system, centre);
    random_source random = {2};
    double energy = 0;
    for (int i = 0; i < 100; i++) {
        view.inverse_mass[i] = random_between(&random, 0.5f, 2);
        view.position.x[i] = random_between(&random, 1, 2);
        view.velocity.y[i] = random_between(&random, 0.8f, 1);
        view.velocity.z[i] = random_between(&random, -0.2f, 0.2f);
    }
    mote_statistics start = diagnose(system);
    for (int n = 0; n < 60; n++) {
        assert_int_equal(mote_system_step(system, 40, NULL), MOTE_OK);
        mote_statistics now = diagnose(system);
        energy =
            fmax(energy, fabs(now.kinetic + now.potential - start.kinetic - start.potential) / start.kinetic);
        /* Up to nine updates a step, each rounded; a hundred bodies of like size average. */
        for (int k = 0; k < 3; k++)
            assert_near(now.angular_momentum[k], start.angular_momentum[k],
                        4 * sqrt(2400 * 9.0) * UNIT *
                            (fabs(start.angular_momentum[2]) + fabs(start.angular_momentum[1])));
    }
    if (energy > bound) fail_msg("%s: energy off by %g", mote_integrator_describe(integrator)->name, energy);
    mote_system_destroy(system);
}

TEST(energy_of_a_spring_and_of_orbits) {
    mote_force_def spring = mote_anchor_spring((vec3){0, 0, 0}, 1, 0),
                   sun = mote_attractor((vec3){0, 0, 0}, 1, 0.5f);
    /* Half-kicked splittings carry an energy that is off by (h w)^2 / 4 <= 2^2 / 60^2 / 4 x 2 of the
     * spring's, the orbit's w being below 2 too; order four by (h w)^4; rounding as for angular momentum. */
    const double rounding = 4 * sqrt(2400 * 9.0) * UNIT * 4, second = 2e-4 * 4, fourth = 2e-6 * 4;
    conserve(MOTE_POSITION_VERLET, spring, second + rounding);
    conserve(MOTE_POSITION_VERLET, sun, second + rounding);
    conserve(MOTE_VELOCITY_VERLET, spring, second + rounding);
    conserve(MOTE_VELOCITY_VERLET, sun, second + rounding);
    conserve(MOTE_YOSHIDA4, sun, fourth + rounding);
    conserve(MOTE_PEFRL, sun, fourth + rounding);
    conserve(MOTE_PEFRL, spring, fourth + rounding);
    conserve(MOTE_EXACT_FLOW, spring, rounding);
    conserve(MOTE_EXACT_FLOW, sun, second + rounding);
}

/* No force: momentum stays bit for bit. A thrust of N newtons on each: momentum grows by N F t. */
TEST(momentum) {
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        if (advects((mote_integrator)m)) continue;
        mote_range_view view;
        mote_system *system = make((mote_integrator)m, true, 64, &view);
        random_source random = {8};
        scene_fill(&view, &random);
        mote_statistics start = diagnose(system);
        assert_int_equal(mote_system_step(system, 60, NULL), MOTE_OK);
        mote_statistics free = diagnose(system);
        assert_memory_equal(free.momentum, start.momentum, sizeof start.momentum);
        ASSERT(free.kinetic, ==, start.kinetic);
        add(system, mote_thrust((vec3){0.5f, 0, -2}));
        mote_statistics before = diagnose(system);
        assert_int_equal(mote_system_step(system, 60, NULL), MOTE_OK);
        mote_statistics after = diagnose(system);
        double movable = 64 - 5;
        /* Particle masses up to 2 kg at 9 m/s gather four roundings a step; adding the force under position
         * Verlet leaves the half step of velocity without it. */
        double half_step = m == MOTE_POSITION_VERLET ? 0.5 / 60 : 0;
        assert_near(after.momentum[0] - before.momentum[0], movable * 0.5,
                    movable * 60 * 6 * UNIT * 18 + half_step * movable);
        assert_near(after.momentum[2] - before.momentum[2], movable * -2,
                    movable * 60 * 6 * UNIT * 18 + half_step * movable * 4);
        mote_system_destroy(system);
    }
}

/* On a constant force position Verlet's true velocity is exact at all times: v0 + a t, before the first step
 * too. */
TEST(true_velocity_of_position_verlet) {
    mote_range_view view;
    mote_system *system = make(MOTE_POSITION_VERLET, false, 20, &view);
    add(system, mote_gravity((vec3){0, -8, 0}));
    for (int i = 0; i < 20; i++) view.velocity.x[i] = 2, view.velocity.y[i] = 4;
    for (int n = 0; n <= 30; n++) {
        mote_statistics d = diagnose(system);
        double fall = 4 - 8 * n / 60.0, mass = 20 * 1.5;
        assert_near(d.momentum[1], mass * fall, mass * 2 * (n + 2) * UNIT * 4);
        assert_near(d.momentum[0], mass * 2, 0);
        assert_near(d.kinetic, mass / 2 * (4 + fall * fall), mass * 4 * 2 * (n + 2) * UNIT * 4);
        /* Conserved: what is measured is the velocity at the time of the position. */
        assert_near(d.kinetic + d.potential, mass / 2 * 20, mass * (4 + 8) * 4 * (n + 2) * UNIT * 4);
        /* The column itself holds that of half a step before. */
        if (n > 0) assert_near(view.velocity.y[7], fall + 8 / 120.0, 2 * (n + 2) * UNIT * 4);
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    }
    mote_system_destroy(system);
}
