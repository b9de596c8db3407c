/* Contacts of loose particles do not depend on the number of substeps, under exact flow too, which takes the
 * step at once where nothing collides. */
#include "collision_scene.h"

static const uint32_t counts[] = {1, 2, 4, 8};

static mote_system *over_plane(mote_integrator integrator, uint32_t substeps, float restitution) {
    mote_system_def def = bare_def(2, integrator);
    def.substeps = substeps, def.friction = 0.5f, def.collision_radius = 0.05f;
    mote_system *system = system_of(&def);
    mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    plane.restitution = restitution, plane.friction = 0.5f;
    add_gravity(system);
    add_collider(system, plane);
    return system;
}

/* v^2 / (2 mu g). */
TEST(exact_flow_slides_as_far_with_any_substeps) {
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        mote_system *system = over_plane(MOTE_EXACT_FLOW, counts[k], 0);
        const mote_range_view view = spawned(system, 1);
        put(&view, 0, 0, 0.05f, 0);
        throw_at(&view, 0, 5, 0, 0);
        stepped(system, 180);
        test_case("%u substeps", counts[k]);
        ASSERT_NEAR(view.position.x[0], 25 / (double)GRAVITY, 5e-4);
        mote_system_destroy(system);
    }
}

TEST(exact_flow_bounces_as_high_with_any_substeps) {
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        mote_system *system = over_plane(MOTE_EXACT_FLOW, counts[k], 1);
        const mote_range_view view = spawned(system, 1);
        put(&view, 0, 0, 1.05f, 0);
        for (int n = 0; n < 240; n++) {
            stepped(system, 1);
            const double v = (double)view.velocity.y[0];
            test_case("%u substeps, step %d", counts[k], n);
            ASSERT_NEAR((double)view.position.y[0] + v * v / (2 * (double)GRAVITY), 1.05, 2e-5);
        }
        mote_system_destroy(system);
    }
}

/* A throw whose arc in one step of half a second meets a shelf that its chord misses. */
TEST(exact_flow_sweeps_each_substep) {
    for (uint32_t substeps = 1; substeps <= 32; substeps *= 32) {
        mote_system_def def = bare_def(1, MOTE_EXACT_FLOW);
        def.substeps = substeps, def.steps_per_second = (mote_rate){2, 1}, def.max_hits = 8;
        mote_system *system = system_of(&def);
        const mote_transform at = {{1.25f, 0.58f, 0}, {0, 0, 0, 1}};
        add_force(system, mote_gravity((float[3]){0, -10, 0}));
        add_collider(system, mote_box(&at, (float[3]){0.3f, 0.02f, 5}));
        const mote_range_view view = spawned(system, 1);
        throw_at(&view, 0, 5, 3.5f, 0);
        stepped(system, 1);
        mote_hit_list hits;
        OK(mote_system_hits(system, &hits));
        test_case("%u substeps", substeps);
        ASSERT(hits.count, ==, substeps > 1);
        mote_system_destroy(system);
    }
}

/* A box of 5 m/s strikes a particle at rest to 10 m/s, or takes it along. */
TEST(moving_colliders_give_their_velocity_under_exact_flow_with_any_substeps) {
    for (size_t k = 0; k < COUNT_OF(counts); k++)
        for (int sticks = 0; sticks < 2; sticks++) {
            mote_system_def def = bare_def(1, MOTE_EXACT_FLOW);
            def.substeps = counts[k], def.sticking = true;
            mote_system *system = system_of(&def);
            const mote_transform from = {{0, -2, 0}, {0, 0, 0, 1}}, to = {{0, 3, 0}, {0, 0, 0, 1}};
            mote_collider_def box = mote_box(&from, (float[3]){1, 1, 1});
            box.restitution = 1, box.response = sticks ? MOTE_RESPONSE_STICK : MOTE_RESPONSE_BOUNCE;
            add_force(system, mote_gravity((float[3]){0, -1e-6f, 0}));
            const mote_collider_id id = add_collider(system, box);
            const mote_range_view view = spawned(system, 1);
            OK(mote_system_move_collider(system, id, &to, mote_system_tick(system) + 3000000000u));
            stepped(system, 45);
            test_case("%u substeps, sticks %d", counts[k], sticks);
            ASSERT_NEAR(view.velocity.y[0], sticks ? 5 : 10, 1e-4);
            mote_system_destroy(system);
        }
}

/* The velocity column of position Verlet lags behind by half a substep, of particles that stick, too: they
 * seemed to move at half of what gravity gives in a substep. */
TEST(what_sticks_to_a_collider_at_rest_has_no_velocity) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                                  MOTE_POSITION_VERLET};
    for (size_t n = 0; n < COUNT_OF(integrators) * COUNT_OF(counts); n++) {
        mote_system_def def = bare_def(1, integrators[n % COUNT_OF(integrators)]);
        def.substeps = counts[n / COUNT_OF(integrators)], def.sticking = true;
        mote_system *system = system_of(&def);
        mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
        floor.response = MOTE_RESPONSE_STICK;
        add_force(system, mote_gravity((float[3]){0, -GRAVITY, 0}));
        (void)add_collider(system, floor);
        const mote_range_view view = spawned(system, 1);
        put(&view, 0, 0, 0.2f, 0);
        stepped(system, 60);
        mote_statistics statistics;
        OK(mote_system_statistics(system, &statistics));
        test_case("integrator %d, %u substeps", integrators[n % COUNT_OF(integrators)], def.substeps);
        ASSERT_NEAR((double)view.position.y[0], 0, 1e-6);
        ASSERT(fabs(statistics.momentum[1]), <=, 1e-6);
        mote_system_destroy(system);
    }
}

/* Particles that are not finite freeze, in either loop order and whatever their block is near: a collider
 * that kills has no part in it. */
TEST(what_is_not_finite_meets_no_collider) {
    static const mote_loop_order orders[] = {MOTE_LOOP_AUTO, MOTE_LOOP_STAGE_OUTER};
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (int isa = MOTE_ISA_AUTO + 1; isa < MOTE_ISA_COUNT; isa++) {
        if (!mote_isa_available((mote_isa)isa)) continue;
        for (uint32_t n = 0; n < 2 * 6 * COUNT_OF(wrong); n++) {
            mote_system_def def = bare_def(40, MOTE_RK4);
            const mote_transform turned_box = turned(3, -3, -3, (const float[3]){0, 0, 1}, 0.3);
            mote_collider_def colliders[] = {mote_plane((float[3]){0, -6, 0}, (float[3]){0.1f, 1, 0.2f}),
                                             mote_sphere((float[3]){3, 0, 1}, 0.06f),
                                             mote_capsule((float[3]){0, -4, 0}, (float[3]){40, -4, 0}, 0.5f),
                                             mote_box(&turned_box, (float[3]){1, 1, 1})};
            mote_advance report;
            def.isa = (mote_isa)isa, def.loop_order = orders[n % 2], def.substeps = 3;
            mote_system *system = system_of(&def);
            for (size_t k = 0; k < COUNT_OF(colliders); k++) {
                colliders[k].response = MOTE_RESPONSE_KILL;
                (void)add_collider(system, colliders[k]);
            }
            const mote_range_view view = spawned(system, 40);
            for (uint32_t i = 0; i < view.count; i++) {
                view.position.x[i] = (float)i, view.position.y[i] = n % 4 < 2 ? 5 : -2.9f;
                view.velocity.y[i] = -8;
            }
            float *const column[6] = {view.position.x, view.position.y, view.position.z,
                                      view.velocity.x, view.velocity.y, view.velocity.z};
            column[n / 2 % 6][25] = wrong[n / 12];
            test_case("%s, case %u", mote_isa_name((mote_isa)isa), n);
            OK(mote_system_step(system, 1, &report));
            ASSERT(report.non_finite, ==, 1u);
            ASSERT(report.collided, ==, 0u);
            mote_system_destroy(system);
        }
    }
}

/* A box whose face is at x = 0.5 m turns by 0.05 rad in a step; particles meet the face 1 m beside its axis
 * in eighths of the step. The velocity of the material is that of the turn at the hit, up to 1/6 of the
 * squared angle: not that along the chord of its way, which is off by half the angle, always inwards. */
TEST(a_bounce_off_a_turning_box_has_the_velocity_of_its_surface) {
    const double rate = 3, step = 1.0 / 60, half = rate * step / 2;
    for (uint32_t n = 0; n < 16; n++) {
        mote_system_def def = bare_def(1, MOTE_VELOCITY_VERLET);
        const mote_transform there = {{0, 0, 0}, {0, (float)sin(half), 0, (float)cos(half)}};
        const mote_transform here = MOTE_TRANSFORM_IDENTITY;
        mote_collider_def box = mote_box(&here, (float[3]){0.5f, 1, 3});
        double low = 0, high = 1.5 * step; /* s, around the hit */
        def.substeps = n % 2 ? 4 : 1, def.friction = 0;
        box.restitution = 1, box.friction = 0;
        mote_system *system = system_of(&def);
        const mote_collider_id id = add_collider(system, box);
        const mote_range_view view = spawned(system, 1);
        const float start = (float)(0.5 + 4 * step * (0.05 + 0.06 * n));
        view.position.x[0] = start, view.position.z[0] = 1, view.velocity.x[0] = -4;
        for (int i = 0; i < 60; i++) {
            const double t = (low + high) / 2;
            *(cos(rate * t) * ((double)start - 4 * t) - sin(rate * t) < 0.5 ? &high : &low) = t;
        }
        const double normal[2] = {cos(rate * low), -sin(rate * low)},
                     u[2] = {rate, -rate * ((double)start - 4 * low)},
                     meets = normal[0] * (-4 - u[0]) - normal[1] * u[1];
        OK(mote_system_move_collider(system, id, &there, MOTE_NEXT_ADVANCE));
        OK(mote_system_step(system, 1, NULL));
        const mote_range_view after = mote_system_view(system);
        const double allowed = def.substeps == 1 ? 4e-3 : 1e-3;
        test_case("particle %u", n);
        ASSERT_NEAR(after.velocity.x[0], -4 - 2 * meets * normal[0], allowed);
        ASSERT_NEAR(after.velocity.z[0], -2 * meets * normal[1], allowed);
        mote_system_destroy(system);
    }
}

/* A particle that slides outwards without friction on a face that turns is pushed by it: at the end of the
 * step it is on the face and has its velocity there along the normal, (w x r) n. What rests goes along the
 * chord of the way of the material, half the turn behind: allowed is that angle times the speed w 0.5 m of
 * the face along itself. */
TEST(a_turning_face_pushes_what_slides_on_it) {
    const double rate = 3, step = 1.0 / 60, half = rate * step / 2;
    const double normal[2] = {cos(2 * half), -sin(2 * half)};
    for (uint32_t n = 0; n < 12; n++) {
        mote_system_def def = bare_def(1, MOTE_VELOCITY_VERLET);
        const mote_transform there = {{0, 0, 0}, {0, (float)sin(half), 0, (float)cos(half)}};
        const mote_transform here = MOTE_TRANSFORM_IDENTITY;
        mote_collider_def box = mote_box(&here, (float[3]){0.5f, 1, 3});
        def.friction = 0;
        box.restitution = 0, box.friction = 0;
        mote_system *system = system_of(&def);
        const mote_collider_id id = add_collider(system, box);
        const mote_range_view view = spawned(system, 1);
        put(&view, 0, (float)(0.5 + 4 * step * (0.05 + 0.06 * n)), 0, 1);
        throw_at(&view, 0, -4, 0, 8);
        OK(mote_system_move_collider(system, id, &there, MOTE_NEXT_ADVANCE));
        OK(mote_system_step(system, 1, NULL));
        const double x = (double)view.position.x[0], z = (double)view.position.z[0];
        test_case("particle %u", n);
        ASSERT_NEAR(normal[0] * x + normal[1] * z, 0.5, 1e-4);
        ASSERT_NEAR(normal[0] * (double)view.velocity.x[0] + normal[1] * (double)view.velocity.z[0],
                    rate * (normal[0] * z - normal[1] * x), rate * 0.5 * half);
        mote_system_destroy(system);
    }
}

/* Particles at rest have no collider within reach of their velocity. Forces throw them on a ball within a
 * step. */
TEST(particles_that_forces_throw_meet_what_was_out_of_reach) {
    enum { COUNT = 192 };
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_POSITION_VERLET,
                                                  MOTE_VELOCITY_VERLET, MOTE_RK4, MOTE_EXACT_FLOW};
    const mote_force_def strong = mote_gravity((float[3]){0, -2000, 0}),
                         forces[] = {mote_wind((float[3]){1, 0, 0}, 0.5f),
                                     mote_attractor((float[3]){0, -4, 0}, 100, 1),
                                     mote_attractor((float[3]){0, -5, 1}, 100, 1)};
    for (size_t k = 0; k < COUNT_OF(integrators) * 4; k++) {
        mote_system_def def = bare_def(COUNT, integrators[k / 4]);
        mote_system *system = system_of(&def);
        add_force(system, strong);
        if (k % 4) add_force(system, forces[k % 4 - 1]);
        if (k % 4 == 3) add_force(system, forces[1]);
        add_collider(system, mote_sphere((float[3]){0, -1.05f, 0}, 1));
        const mote_range_view view = spawned(system, COUNT);
        for (uint32_t i = 0; i < COUNT; i++) put(&view, i, 0.001f * (float)i, 0.02f, 0);
        stepped(system, 1);
        for (uint32_t i = 0; i < COUNT; i++) {
            const double x = (double)view.position.x[i], y = (double)view.position.y[i] + 1.05;
            test_case("%s, forces %zu, particle %u", integrator_name(integrators[k / 4]), k % 4, i);
            ASSERT(hypot(x, y), >, 1 - 1e-5);
        }
        mote_system_destroy(system);
    }
}
