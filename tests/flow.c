/* The exact flow: its coefficients against closed forms, one step of any length against the matrix
 * exponential in long double, projectiles with linear drag, flow(2h) = flow(h) after flow(h), and seeking by
 * it. */
#include "test.h"

#include <math.h>

#include "math/propagator.h"
#include "support.h"
#include "world.h"

/* --- 8: exact flow --- */

/* One flow of length t in the y axis, by uniform mass or by mass column, against the long double
 * reference. */
static void check_flow(float mass, float gravity, float drag, float stiffness, double t) {
    mote_force_def forces[3] = {mote_gravity((vec3){0, gravity, 0}), mote_wind((vec3){0, 0, 0}, drag),
                                mote_anchor_spring((vec3){0, 3, 0}, stiffness, 0)};
    double want[2] = {5, -2}, inverse = 1.0 / mass, size = 0;
    reference_flow(gravity + stiffness * 3.0L * inverse, -drag * (long double)inverse,
                   -stiffness * (long double)inverse, t, want);
    mote_propagator p = mote_propagator_make(-drag * inverse, -stiffness * inverse, t);
    double constant = gravity + stiffness * 3.0 * inverse;
    for (int column = 0; column < 2; column++) {
        float x[2][3] = {{0, 5, 0}, {0, -2, 0}}, w = (float)inverse;
        mote_columns columns = {.count = 1,
                                .position = {&x[0][0], &x[0][1], &x[0][2]},
                                .velocity = {&x[1][0], &x[1][1], &x[1][2]},
                                .inverse_mass = column ? &w : NULL,
                                .uniform_mass = mass};
        mote_columns_def def = mote_default_columns_def();
        def.integrator = MOTE_EXACT_FLOW;
        def.forces = forces, def.force_count = 3, def.timestep = t;
        assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
        /* Per row: a float coefficient, product and two sums on each of three terms and the state, 4 UNIT of
         * each. */
        size = 5 + fabs(5 * p.xx) + fabs(2 * p.xv) + fabs(constant * p.xc);
        assert_near(x[0][1], want[0], 4 * UNIT * size);
        size = 2 + fabs(5 * p.vx) + fabs(2 * p.vv) + fabs(constant * p.vc);
        assert_near(x[1][1], want[1], 4 * UNIT * size);
    }
}

TEST(joint_exact_flow) {
    static const double want[3][3] = {{1 / 60.0, 4.964344791405077, -2.277842948697737},
                                      {1, -1.16463966938596, -5.595283082296746},
                                      {20, 0.5326124515950732, -0.04830620867954968}};
    for (int i = 0; i < 3; i++) {
        double state[2] = {5, -2};
        reference_flow(-9.81L + 12, -0.5L, -4, want[i][0], state);
        assert_near(state[0], want[i][1], 1e-13);
        assert_near(state[1], want[i][2], 1e-13);
    }
    static const float stiffnesses[] = {0, 8e-6f, 8, 100, 8e6f}, masses[] = {2, 0.5f, 0.125f};
    static const double lengths[] = {1e-4, 1 / 60.0, 1, 20, 1000};
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 5; k++)
            for (int t = 0; t < 5; t++) {
                float critical = 2 * sqrtf(stiffnesses[k] * masses[m]);
                float drags[] = {
                    0, 1e-6f, 1, critical, critical * 1.0001f, critical * 0.9999f, 5 * critical + 3};
                for (int b = 0; b < 7; b++)
                    check_flow(masses[m], -9.81f, drags[b], stiffnesses[k], lengths[t]);
            }
}

/* The coefficients against closed forms where these are well conditioned. */
TEST(propagator) {
    static const double lengths[] = {1e-6, 1e-3, 1 / 60.0, 0.3, 2, 30};
    for (int i = 0; i < 6; i++) {
        double h = lengths[i], w = 5, b = 0.75, tolerance = 0x1p-44 * fmax(1, w * h);
        mote_propagator p = mote_propagator_make(0, 0, h);
        ASSERT(p.xx, ==, 0);
        ASSERT(p.xv, ==, h);
        ASSERT(fabs(p.xc - h * h / 2), <=, 0x1p-50 * h * h);
        ASSERT(p.vx, ==, 0);
        ASSERT(p.vv, ==, 0);
        assert_near(p.vc / h, 1, 0x1p-50);
        p = mote_propagator_make(0, -w * w, h);
        assert_near(p.xx, -2 * pow(sin(w * h / 2), 2), tolerance);
        assert_near(p.xv * w, sin(w * h), tolerance);
        assert_near(p.vx / w, -sin(w * h), tolerance);
        assert_near(p.vv, -2 * pow(sin(w * h / 2), 2), tolerance);
        p = mote_propagator_make(-b, 0, h);
        assert_near(p.vv, expm1(-b * h), tolerance);
        assert_near(p.xv * b, -expm1(-b * h), tolerance);
        assert_near(p.vc * b, -expm1(-b * h), tolerance);
        assert_near(p.xc * b * b, b * h + expm1(-b * h), tolerance);
        p = mote_propagator_make(-2 * w, -w * w, h); /* critical: e^(-wh) (1 + wh) */
        assert_near(p.xx, expm1(-w * h) + w * h * exp(-w * h), tolerance);
        assert_near(p.xv * w, w * h * exp(-w * h), tolerance);
        assert_near(p.vv, expm1(-w * h) - w * h * exp(-w * h), tolerance);
        double slow = 0.2, fast = 5; /* over-damped: rates 0.2 and 5 */
        p = mote_propagator_make(-(slow + fast), -slow * fast, h);
        assert_near(p.xv, (exp(-slow * h) - exp(-fast * h)) / (fast - slow), tolerance);
        assert_near(p.xx, (fast * expm1(-slow * h) - slow * expm1(-fast * h)) / (fast - slow), tolerance);
        /* With K the constant only moves the centre: x_c = -p_xx C / K. */
        assert_near(p.xc * slow * fast, -p.xx, tolerance);
    }
}

/* flow(2h) = flow(h) after flow(h), and back again with the velocity reversed where nothing is damped. */
TEST(flow_is_a_group) {
    mote_force_def forces[3] = {mote_gravity((vec3){1, -9.81f, 0}), mote_anchor_spring((vec3){0, 3, 1}, 8, 0),
                                mote_wind((vec3){4, 0, -1}, 0.5f)};
    body start = {{1, 2, 3}, {-1, 0.5f, 2}}, once = start, twice = start;
    world w = {MOTE_EXACT_FLOW, forces, 3, 2, 1.5, 0};
    advance(&w, 2, &twice);
    w.timestep = 3;
    advance(&w, 1, &once);
    reference_body wide = widen(&once);
    /* Values up to 10 m and 20 m/s; three rows of 4 UNIT on four terms each. */
    ASSERT(distance(&twice, &wide), <, 3 * 16 * UNIT * 20);
    world undamped = {MOTE_EXACT_FLOW, forces, 2, 2, 0.37, 0};
    body b = start;
    for (int way = 0; way < 2; way++) {
        advance(&undamped, 500, &b);
        for (int k = 0; k < 3; k++) b.velocity[k] = -b.velocity[k];
    }
    wide = widen(&start);
    ASSERT(distance(&b, &wide), <, 4 * sqrt(1000 * 12.0) * UNIT * 20);
}

/* --- 11: projectiles --- */

TEST(projectile) {
    mote_force_def forces[2] = {mote_gravity((vec3){0, -9.81f, 0}), mote_wind((vec3){0, 0, 0}, 0.5f)};
    for (int steps = 1; steps <= 64; steps *= 8) {
        world w = {MOTE_EXACT_FLOW, forces, 2, 1, 2.0 / steps, 0};
        body b = {{0}, {30, 40, 0}};
        advance(&w, (uint32_t)steps, &b);
        /* Four roundings a step on the height of at most 40 m, and the same on 40 m/s over 2 s; g as a
         * float. */
        double tolerance = 4 * UNIT * (40 + 80) * steps + 2 * 9.81 * UNIT;
        assert_near(b.position[0], 37.92723352971346, tolerance);
        assert_near(b.position[1], 36.13405543471722, tolerance);
    }
    /* Small drag goes over into none without loss: the first term, c t v t / 2, is all that remains. */
    for (double c = 1; c > 1e-30; c /= 10) {
        forces[1] = mote_wind((vec3){0, 0, 0}, (float)c);
        world w = {MOTE_EXACT_FLOW, forces, 2, 1, 2, 0};
        body b = {{0}, {30, 40, 0}};
        advance(&w, 1, &b);
        double x = c > 1e-3 ? 30 * -expm1(-c * 2) / c
                            : 60 - 30 * c * 2 + 30 * c * c * 8 / 6 - 30 * c * c * c * 16 / 24;
        assert_near(b.position[0], x, 4 * UNIT * 60);
    }
}

/* --- Seek --- */

enum { SEEKERS = 1000 };

static mote_system *make_seeker(mote_integrator integrator, bool mass_column, mote_isa isa, mote_jobs jobs) {
    mote_system_def def = mote_default_system_def();
    def.capacity = SEEKERS, def.steps_per_second = (mote_rate){50, 1}, def.substeps = 3;
    def.integrator = integrator, def.mass_column = mass_column, def.uniform_mass = 0.8f;
    def.isa = isa, def.jobs = jobs;
    mote_system *system;
    mote_range_view view;
    mote_force_id id;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_spawn(system, SEEKERS, &view), MOTE_OK);
    float *columns[6] = {view.position.x, view.position.y, view.position.z,
                         view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t i = 0; i < SEEKERS; i++) {
        for (uint32_t c = 0; c < 6; c++) columns[c][i] = 3 * reference_noise(c, i);
        if (mass_column) view.inverse_mass[i] = i % 11 == 3 ? 0 : 1.25f + reference_noise(9, i);
    }
    const mote_force_def forces[3] = {mote_gravity((vec3){1, -9.81f, 0}), mote_wind((vec3){2, 0, -1}, 0.3f),
                                      mote_anchor_spring((vec3){0, 3, 1}, 5.5f, 0.1f)};
    for (int i = 0; i < 3; i++) assert_int_equal(mote_system_add_force(system, &forces[i], &id), MOTE_OK);
    return system;
}

/* The largest difference of positions and velocities. */
static double largest_difference(mote_system *a, mote_system *b) {
    mote_range_view one = mote_system_view(a), two = mote_system_view(b);
    double largest = 0;
    for (uint32_t i = 0; i < SEEKERS; i++) {
        const float *pairs[6][2] = {{one.position.x, two.position.x}, {one.position.y, two.position.y},
                                    {one.position.z, two.position.z}, {one.velocity.x, two.velocity.x},
                                    {one.velocity.y, two.velocity.y}, {one.velocity.z, two.velocity.z}};
        for (int c = 0; c < 6; c++)
            largest = fmax(largest, fabs((double)pairs[c][0][i] - (double)pairs[c][1][i]));
    }
    return largest;
}

/* Masses down to 0.44 kg: w <= 3.6 rad/s, |x| <= 14 m, |v| <= 30 m/s. A flow rounds at most four terms of
 * each row four times: 16 UNIT 30; an error in x comes back as 3.6 of it in v. Position Verlet adds two kicks
 * of h 13 x 14 / 2. */
static const double FLOW_ROUNDING = 16 * 0x1p-24 * 30 * (1 + 3.6);

TEST(seek_in_parts) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_POSITION_VERLET, MOTE_RK4,
                                                  MOTE_KINEMATIC, MOTE_EXACT_FLOW};
    for (size_t m = 0; m < COUNT_OF(integrators); m++)
        for (int mass = 0; mass < 2; mass++) {
            mote_system *once = make_seeker(integrators[m], mass == 1, MOTE_ISA_AUTO, (mote_jobs){0});
            mote_system *twice = make_seeker(integrators[m], mass == 1, MOTE_ISA_AUTO, (mote_jobs){0});
            mote_system *start = make_seeker(integrators[m], mass == 1, MOTE_ISA_AUTO, (mote_jobs){0});
            assert_int_equal(mote_system_seek(once, 150), MOTE_OK);
            assert_int_equal(mote_system_seek(twice, 61), MOTE_OK);
            ASSERT(largest_difference(once, twice), >, 1);
            assert_int_equal(mote_system_seek(twice, 150), MOTE_OK);
            assert_int_equal(mote_system_steps(twice), 150);
            ASSERT(largest_difference(once, twice), <, 2 * FLOW_ROUNDING);
            /* Back to the start, 3 s in one flow: what damping (0.4 x 2.25 / 2 a second) took away grows
             * again. Position Verlet has kicked since. */
            assert_int_equal(mote_system_seek(once, 0), MOTE_OK);
            if (integrators[m] == MOTE_POSITION_VERLET) assert_int_equal(mote_system_seek(start, 1), MOTE_OK);
            if (integrators[m] == MOTE_POSITION_VERLET) assert_int_equal(mote_system_seek(once, 1), MOTE_OK);
            ASSERT(largest_difference(once, start), <, 2 * FLOW_ROUNDING * exp(3 * 0.45));
            mote_system_destroy(once);
            mote_system_destroy(twice);
            mote_system_destroy(start);
        }
}

/* One seek against the matrix exponential; steps of the exact flow take the same path. */
TEST(seek_is_the_exact_flow) {
    mote_system *sought = make_seeker(MOTE_SEMI_IMPLICIT_EULER, false, MOTE_ISA_AUTO, (mote_jobs){0});
    mote_system *stepped = make_seeker(MOTE_EXACT_FLOW, false, MOTE_ISA_AUTO, (mote_jobs){0});
    assert_int_equal(mote_system_seek(sought, 150), MOTE_OK);
    assert_int_equal(mote_system_step(stepped, 150, NULL), MOTE_OK);
    ASSERT(largest_difference(sought, stepped), <, 150 * FLOW_ROUNDING);
    mote_range_view view = mote_system_view(sought);
    long double w = 1 / (long double)0.8f;
    for (uint32_t i = 0; i < SEEKERS; i += 37) {
        double y[2] = {3 * reference_noise(1, i), 3 * reference_noise(4, i)};
        long double damping = ((long double)0.3f + (long double)0.1f) * w;
        reference_flow((long double)-9.81f + 3 * 5.5L * w, -damping, -5.5L * w, 3, y);
        assert_near(view.position.y[i], y[0], FLOW_ROUNDING);
        assert_near(view.velocity.y[i], y[1], FLOW_ROUNDING);
    }
    mote_system_destroy(sought);
    mote_system_destroy(stepped);
}

static uint64_t hash_of_seek(mote_integrator integrator, bool mass_column, mote_isa isa, mote_jobs jobs) {
    mote_system *system = make_seeker(integrator, mass_column, isa, jobs);
    assert_int_equal(mote_system_step(system, 5, NULL), MOTE_OK);
    assert_int_equal(mote_system_seek(system, 120), MOTE_OK);
    assert_int_equal(mote_system_seek(system, 40), MOTE_OK);
    assert_int_equal(mote_system_step(system, 5, NULL), MOTE_OK);
    uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

TEST(seek_has_the_same_bits_everywhere) {
    uint32_t threads = 3;
    shuffled_jobs shuffled = {.random = {4}, .workers = 5};
    mote_jobs jobs[4] = {
        {0}, mote_jobs_openmp(2), shuffled_jobs_hook(&shuffled), pthread_jobs_hook(&threads)};
    for (int m = 0; m <= MOTE_EXACT_FLOW; m++)
        for (int mass = 0; mass < 2; mass++) {
            uint64_t want = hash_of_seek((mote_integrator)m, mass == 1, MOTE_ISA_SCALAR, jobs[0]);
            for (int isa = MOTE_ISA_AUTO; isa < MOTE_ISA_COUNT; isa++)
                if (mote_isa_available((mote_isa)isa))
                    ASSERT(hash_of_seek((mote_integrator)m, mass == 1, (mote_isa)isa, jobs[isa % 4]), ==,
                           want);
            for (int j = 1; j < 4; j++)
                ASSERT(hash_of_seek((mote_integrator)m, mass == 1, MOTE_ISA_AUTO, jobs[j]), ==, want);
        }
    ASSERT(shuffled.runs, >, 0);
}

TEST(seek_refuses_what_is_not_affine) {
    const mote_force_def wrong[3] = {mote_attractor((vec3){0, 0, 0}, 1, 1), mote_callback(scene_push, NULL),
                                     mote_in_sphere(mote_gravity((vec3){0, 1, 0}), (vec3){0, 0, 0}, 1, 1)};
    for (int i = 0; i < 3; i++) {
        mote_system *system = make_seeker(MOTE_SEMI_IMPLICIT_EULER, true, MOTE_ISA_AUTO, (mote_jobs){0});
        mote_force_id id;
        assert_int_equal(mote_system_add_force(system, &wrong[i], &id), MOTE_OK);
        uint64_t hash = mote_system_hash(system);
        assert_int_equal(mote_system_seek(system, 7), MOTE_ERROR_INTEGRATOR);
        ASSERT(mote_system_hash(system), ==, hash);
        assert_int_equal(mote_system_remove_force(system, id), MOTE_OK);
        assert_int_equal(mote_system_seek(system, 7), MOTE_OK);
        mote_system_destroy(system);
    }
    assert_int_equal(mote_system_seek(NULL, 1), MOTE_ERROR_NULL);
}
