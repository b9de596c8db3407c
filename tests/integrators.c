/* The descriptors of the integrators, their stable steps in closed form, and Stormer's method without a kick.
 * Solutions, energies, orders and limits that need stepping are experiments of mote-bench verify. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

enum { COUNT = 37 };

/* Steps `count` particles of arrays of positions, velocities and masses. */
static void step(mote_integrator integrator, uint32_t count, float state[6][COUNT], float *inverse_mass,
                 const mote_force_def *forces, uint32_t force_count, uint32_t steps) {
    mote_columns columns = {.count = count,
                            .position = {state[0], state[1], state[2]},
                            .velocity = {state[3], state[4], state[5]},
                            .inverse_mass = inverse_mass};
    mote_columns_def def = mote_default_columns_def();
    def.integrator = integrator;
    def.forces = forces, def.force_count = force_count, def.steps = steps;
    assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
}

/* --- Descriptors --- */

TEST(every_integrator_has_a_complete_descriptor_with_a_name_of_its_own) {
    for (uint32_t m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        const mote_integrator_info *info = mote_integrator_describe((mote_integrator)m);
        assert_non_null(info);
        ASSERT(info->order_damped, >=, 1);
        ASSERT(info->order_damped, <=, info->order);
        ASSERT(strlen(info->name), >, 2);
        ASSERT(strlen(info->note), >, 20);
        ASSERT(strlen(info->source), >, 10);
        for (uint32_t other = 0; other < m; other++)
            assert_string_not_equal(info->name, integrator_name(other));
    }
    assert_null(mote_integrator_describe(MOTE_INTEGRATOR_COUNT));
    assert_null(mote_integrator_describe((mote_integrator)-1));
}

static void count_calls(void *calls, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)stage, (void)x, (void)y, (void)z;
    ++*(uint32_t *)calls;
}

/* Once an evaluation, for the one block that one particle is. */
TEST(a_callback_that_reads_velocity_is_called_as_often_as_described) {
    for (uint32_t m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        uint32_t calls = 0;
        float state[6][COUNT] = {{0}}, inverse_mass[COUNT] = {0};
        const bool is_field = advects((mote_integrator)m);
        mote_force_def forces[2] = {mote_callback(count_calls, &calls), mote_gravity((float[3]){0, 1, 0})};
        if (is_field) forces[0].as.callback.unit = MOTE_METRES_PER_SECOND;
        test_case("%s", integrator_name(m));
        step((mote_integrator)m, 1, state, inverse_mass, forces, is_field ? 1 : 2, 5);
        ASSERT(calls, ==, 5 * mote_integrator_describe((mote_integrator)m)->evaluations);
    }
}

/* Once at the start of each step, and once a substep: 1 + 1 / substeps evaluations a substep. */
TEST(velocity_verlet_reuses_an_evaluation_within_a_step_where_no_force_reads_velocity) {
    enum { STEPS = 5 };
    for (uint32_t substeps = 1; substeps <= 9; substeps += 4) {
        for (int reads_velocity = 0; reads_velocity < 2; reads_velocity++) {
            uint32_t calls = 0;
            float state[6][1] = {{0}};
            mote_force_def force = mote_callback(count_calls, &calls);
            force.as.callback.reads_velocity = reads_velocity;
            mote_columns columns = {.count = 1,
                                    .position = {state[0], state[1], state[2]},
                                    .velocity = {state[3], state[4], state[5]},
                                    .mass = 1};
            mote_columns_def def = mote_default_columns_def();
            def.integrator = MOTE_VELOCITY_VERLET;
            def.forces = &force, def.force_count = 1;
            def.steps = STEPS, def.substeps = substeps;
            test_case("%u substeps, velocity %s", substeps, reads_velocity ? "read" : "not read");
            assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
            ASSERT(calls, ==, STEPS * (reads_velocity ? 2 * substeps : substeps + 1));
        }
    }
}

static void force_in_time(void *unused, const mote_stage_view *s, float *x, float *y, float *z) {
    (void)unused, (void)z;
    for (uint32_t i = 0; i < s->count; i++) x[i] += (float)s->time, y[i] += (float)s->time * s->x[i];
}

/* v0 in the column is the two-point form started from x(-h) = x0 - h v0. */
TEST(position_verlet_without_a_kick_has_the_bits_of_semi_implicit_euler) {
    const mote_force_def forces[5] = {
        mote_gravity((float[3]){0, -9.81f, 0}), mote_wind((float[3]){3, 0, 1}, 0.2f),
        mote_attractor((float[3]){1, 2, 3}, 40, 0.5f), mote_quadratic_drag((float[3]){0, 1, 0}, 0.05f),
        mote_callback(force_in_time, NULL)};
    float state[2][6][COUNT], inverse_mass[COUNT];
    random_source random = {3};
    for (int i = 0; i < COUNT; i++) {
        for (int c = 0; c < 6; c++) state[0][c][i] = random_between(&random, -5, 5);
        inverse_mass[i] = i % 9 ? 0.5f + (float)i : 0;
    }
    memcpy(state[1], state[0], sizeof state[0]);
    step(MOTE_SEMI_IMPLICIT_EULER, COUNT, state[0], inverse_mass, forces, 5, 600);
    step(MOTE_POSITION_VERLET, COUNT, state[1], inverse_mass, forces, 5, 600);
    assert_memory_equal(state[0], state[1], sizeof state[0]);
}

/* --- Stable steps --- */

TEST(a_spring_without_damping_has_the_described_limit_in_any_units) {
    for (uint32_t i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        const mote_integrator m = (mote_integrator)i;
        const double z = mote_integrator_describe(m)->stable_z,
                     h = mote_integrator_stable_step(m, 15, 0.75, 1.5);
        test_case("%s", integrator_name(i));
        if (z < HUGE_VAL)
            ASSERT_NEAR(mote_integrator_stable_step(m, 1, 0, 1), z, 1e-9 * z);
        else
            ASSERT(mote_integrator_stable_step(m, 1, 0, 1), ==, HUGE_VAL);
        ASSERT(mote_integrator_stable_step(m, 0, 0, 1), ==, HUGE_VAL);
        /* Time 1000 times as fast, everything 64 times as heavy. */
        const double fast = 1000 * mote_integrator_stable_step(m, 15e6 * 64, 750.0 * 64, 1.5 * 64);
        if (h < HUGE_VAL)
            ASSERT_NEAR(fast, h, 1e-9 * h);
        else
            ASSERT(fast, ==, HUGE_VAL);
    }
}

/* No doubles hold k / m of 10^310 and of 10^-340, nor k + c of 2 10^308. The limits of semi-implicit Euler
 * are 2 sqrt(m / k), almost 2 m / c, and the root of h^2 + 2 h = 4. */
TEST(constants_at_the_ends_of_the_doubles_have_a_stable_step_too) {
    static const struct {
        double k, c, m, want;
    } rows[] = {{1e300, 0, 1e-10, 2e-155},
                {1e-170, 0, 1e170, 2e170},
                {1e308, 1e308, 1e10, 2e-298},
                {1e308, 1e308, 1e308, 1.2360679774997897}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double got =
            mote_integrator_stable_step(MOTE_SEMI_IMPLICIT_EULER, rows[i].k, rows[i].c, rows[i].m);
        test_case("row %zu", i);
        ASSERT_NEAR(got / rows[i].want, 1, 1e-12);
    }
    for (uint32_t i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        const mote_integrator m = (mote_integrator)i;
        const mote_integrator_info *info = mote_integrator_describe(m);
        test_case("%s", info->name);
        const double stiff = mote_integrator_stable_step(m, 1e300, 0, 1e-10);
        if (info->stable_z < HUGE_VAL)
            ASSERT_NEAR(stiff * 1e155, info->stable_z, 1e-9 * info->stable_z);
        else
            ASSERT(stiff, ==, HUGE_VAL);
    }
}

/* Steps that are denormals; below them 0. */
TEST(a_spring_whose_rate_no_double_holds_has_a_stable_step) {
    static const double rows[][4] = {
        {0, 1e10, 1e-300, 2e-310}, {1, 1e308, 1e-300, 0}, {1e308, 0, 1e-320, 2e-314}};
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        const double *k = rows[row];
        test_case("row %zu", row);
        ASSERT(mote_integrator_stable_step(MOTE_IMPLICIT_EULER, k[0], k[1], k[2]), ==, HUGE_VAL);
        const double got = mote_integrator_stable_step(MOTE_SEMI_IMPLICIT_EULER, k[0], k[1], k[2]);
        ASSERT_NEAR(got * 0x1p1000, k[3] * 0x1p1000, 1e-3 * k[3] * 0x1p1000);
    }
}

TEST(damping_moves_the_limit_as_in_closed_form) {
    /* Semi-implicit Euler: z^2 + 4 zeta z < 4, zeta = b / (2 m w). */
    for (double zeta = 0; zeta < 8; zeta = 2 * zeta + 0.125) {
        const double w = 3, m = 2,
                     h = mote_integrator_stable_step(MOTE_SEMI_IMPLICIT_EULER, w * w * m, 2 * zeta * m * w,
                                                     m);
        ASSERT_NEAR(w * h * (w * h + 4 * zeta), 4, 4e-9);
    }
    /* Explicit Euler: b / k. Midpoint to first order: h^3 = 4 b m / k^2, where z^4 / 4 gained is h b / m
     * lost. */
    ASSERT_NEAR(mote_integrator_stable_step(MOTE_EXPLICIT_EULER, 14400, 0.1, 1) * 14400 / 0.1, 1, 1e-5);
    ASSERT_NEAR(mote_integrator_stable_step(MOTE_EXPLICIT_EULER, 15, 0.1, 1) * 15 / 0.1, 1, 1e-6);
    ASSERT_NEAR(mote_integrator_stable_step(MOTE_EXPLICIT_EULER, 1e4, 1e-4, 1) * 1e4 / 1e-4, 1, 1e-9);
    ASSERT_NEAR(mote_integrator_stable_step(MOTE_EXPLICIT_EULER, 1e20, 1e-10, 1) * 1e20 / 1e-10, 1, 1e-9);
    ASSERT_NEAR(mote_integrator_stable_step(MOTE_MIDPOINT, 1, 1e-7, 1) / cbrt(4e-7), 1, 0.005);
    ASSERT_NEAR(mote_integrator_stable_step(MOTE_MIDPOINT, 1, 1e-14, 1) / cbrt(4e-14), 1, 0.005);
}

/* --- Substeps --- */

/* Position Verlet has no half step here: arrays hold what its columns hold. */
TEST(substeps_are_steps_of_a_shorter_timestep) {
    enum { SUBSTEPS = 4 };
    for (uint32_t m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        const bool is_field = advects((mote_integrator)m);
        const mote_force_def field =
            mote_vortex((float[3]){0, 0, 0}, (float[3]){0, 1, 2}, 3, 0.5f, MOTE_FIELD_VELOCITY, 0);
        const mote_force_def forces[3] = {mote_gravity((float[3]){0, -9.81f, 1}),
                                          mote_wind((float[3]){3, 1, 0}, 0.5f),
                                          mote_attractor((float[3]){0, 1, 0}, 4, 0.5f)};
        float state[2][6][COUNT], start[6][COUNT];
        random_source random = {m};
        for (int c = 0; c < 6; c++)
            for (int i = 0; i < COUNT; i++) start[c][i] = random_between(&random, -3, 3);
        for (int shorter = 0; shorter < 2; shorter++) {
            float(*s)[COUNT] = state[shorter];
            memcpy(s, start, sizeof start);
            const mote_columns columns = {
                .count = COUNT, .position = {s[0], s[1], s[2]}, .velocity = {s[3], s[4], s[5]}, .mass = 2};
            mote_columns_def def = mote_default_columns_def();
            def.integrator = (mote_integrator)m;
            def.forces = is_field ? &field : forces, def.force_count = is_field ? 1 : 3;
            def.timestep = 0.125 / (shorter ? SUBSTEPS : 1);
            def.substeps = shorter ? 1 : SUBSTEPS, def.steps = shorter ? SUBSTEPS : 1;
            assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
        }
        test_case("%s", integrator_name(m));
        for (int c = 0; c < 6; c++)
            for (int i = 0; i < COUNT; i++) ASSERT(state[0][c][i], ==, state[1][c][i]);
    }
}

TEST(wrong_constants_of_a_spring_have_no_stable_step) {
    static const double bad[] = {-1, NAN, HUGE_VAL, -HUGE_VAL};
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        for (int i = 0; i < 4; i++) {
            assert_true(isnan(mote_integrator_stable_step(m, bad[i], 0, 1)));
            assert_true(isnan(mote_integrator_stable_step(m, 1, bad[i], 1)));
            assert_true(isnan(mote_integrator_stable_step(m, 1, 0, bad[i])));
        }
        assert_true(isnan(mote_integrator_stable_step(m, 1, 0, 0)));
    }
    assert_true(isnan(mote_integrator_stable_step(MOTE_INTEGRATOR_COUNT, 1, 0, 1)));
    assert_true(isnan(mote_integrator_stable_step((mote_integrator)-1, 1, 0, 1)));
}

/* A force in newtons that has a part along z alone. */
TEST(a_thrust_along_z_alone_acts_by_the_mass_of_each_particle) {
    mote_system_def def = mote_default_system_def();
    def.mass_column = true, def.capacity = 20;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 20);
    add_force(system, mote_thrust((float[3]){0, 0, 6}));
    for (uint32_t i = 0; i < 20; i++) view.inverse_mass[i] = 0.25f * (float)i;
    stepped(system, 60);
    for (uint32_t i = 0; i < 20; i++) {
        ASSERT_NEAR(view.velocity.z[i], 1.5 * i, 1e-4);
        ASSERT(view.velocity.x[i], ==, 0);
    }
    mote_system_destroy(system);
}

/* More attractors and drags than have kernels of their own: as one that is as strong as all together. */
TEST(many_attractors_and_drags_in_one_place_are_as_one) {
    for (uint32_t many = 0; many < 2; many++) {
        mote_system *system[2];
        mote_range_view view[2];
        for (int i = 0; i < 2; i++) {
            mote_system_def def = mote_default_system_def();
            system[i] = system_of(&def);
            view[i] = spawned_at_random(system[i], 40, 9);
            const uint32_t attractors = i && !many ? 12 : 1, drags = i && many ? 6 : 1;
            for (uint32_t k = 0; k < attractors; k++)
                add_force(system[i], mote_attractor((float[3]){1, 2, 3}, 60 / (float)attractors, 0.5f));
            for (uint32_t k = 0; k < drags; k++)
                add_force(system[i], mote_quadratic_drag((float[3]){0, 0, 1}, 0.06f / (float)drags));
            stepped(system[i], 60);
        }
        const motion_columns one = motion_of(&view[0]), all = motion_of(&view[1]);
        for (int c = 0; c < 6; c++)
            for (uint32_t k = 0; k < 40; k++) {
                test_case("many %s, column %d, particle %u", many ? "drags" : "attractors", c, k);
                ASSERT_NEAR(all.column[c][k], one.column[c][k], 1e-3);
            }
        mote_system_destroy(system[0]), mote_system_destroy(system[1]);
    }
}

/* The limit that mote/integrator.h documents, and its remedy: -10 m/s^2 for `seconds`, as an external force,
 * or as a gravity that is added. The numbers are exact. */
static float fall_under_position_verlet(uint32_t rate, bool external, bool kicks, uint32_t seconds) {
    mote_system_def def = mote_default_system_def();
    def.integrator = MOTE_POSITION_VERLET, def.external_forces = true, def.steps_per_second.steps = rate;
    mote_system *system = system_of(&def);
    spawned(system, 1);
    stepped(system, rate);
    if (kicks) mote_system_view(system).velocity.y[0] -= -10 / (2 * (float)rate);
    if (!external) add_force(system, mote_gravity((float[3]){0, -10, 0}));
    for (uint32_t i = 0; i < seconds * rate; i++) {
        if (external) external_forces_of(system).y[0] = -10;
        stepped(system, 1);
    }
    const float y = mote_system_view(system).position.y[0];
    mote_system_destroy(system);
    return y;
}

TEST(position_verlet_needs_half_a_kick_where_a_force_begins) {
    for (uint32_t rate = 16; rate <= 128; rate *= 2)
        for (int external = 0; external < 2; external++)
            for (uint32_t seconds = 1; seconds <= 2; seconds++) {
                const float way = -5 * (float)(seconds * seconds), error = -5 * (float)seconds / (float)rate;
                test_case("rate %u, external %d, %u s", rate, external, seconds);
                ASSERT(fall_under_position_verlet(rate, external, false, seconds), ==, way + error);
                ASSERT(fall_under_position_verlet(rate, external, true, seconds), ==, way);
            }
}
