/* Collisions of loose particles: bounces against the closed form, friction, rest, energy, tunnelling, moving
 * colliders, responses. */
#include <math.h>
#include <string.h>

#include "collision_scene.h"

/* Integrators whose paths under a constant acceleration are exact parabolas; the column of position Verlet is
 * half a step old. */
static const mote_integrator exact[] = {MOTE_VELOCITY_VERLET, MOTE_POSITION_VERLET, MOTE_MIDPOINT,  MOTE_RK4,
                                        MOTE_PEFRL,           MOTE_YOSHIDA4,        MOTE_EXACT_FLOW};

/* Returns (v^2 / 2 + g y) / g of particle i, with the true velocity. */
static double height_of(const mote_system *system, const mote_range_view *view, mote_integrator integrator) {
    const double lag =
        integrator == MOTE_POSITION_VERLET ? 0.5 * (double)GRAVITY * mote_system_timestep(system) : 0;
    const double v = (double)view->velocity.y[0] - (mote_system_steps(system) ? lag : 0);
    return (double)view->position.y[0] + v * v / (2 * (double)GRAVITY);
}

static mote_system *ball_over_plane(mote_integrator integrator, float restitution, uint32_t rate) {
    mote_system_def def = bare_def(1, integrator);
    def.steps_per_second.steps = rate;
    mote_system *system = system_of(&def);
    mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    plane.restitution = restitution;
    add_gravity(system);
    add_collider(system, plane);
    const mote_range_view view = spawned(system, 1);
    put(&view, 0, 0, 2, 0);
    return system;
}

/* --- Bounces --- */

/* The height after n bounces from h is e^(2 n) h. */
TEST(bounces_have_the_heights_of_the_closed_form) {
    static const float restitutions[] = {0, 0.3f, 0.5f, 0.8f, 1};
    for (size_t k = 0; k < COUNT_OF(exact); k++)
        for (size_t r = 0; r < COUNT_OF(restitutions); r++) {
            mote_system *system = ball_over_plane(exact[k], restitutions[r], 60);
            double want = 2;
            uint32_t bounces = 0;
            const mote_range_view view = mote_system_view(system);
            for (int n = 0; n < 600; n++) {
                const float before = view.velocity.y[0];
                stepped(system, 1);
                if (before < -0.2f && view.velocity.y[0] > before) {
                    want *= (double)restitutions[r] * (double)restitutions[r];
                    bounces++;
                }
                if (want < 0.01) break; /* within a step of rest */
                test_case("%s, restitution %g, %u bounces", integrator_name(exact[k]),
                          (double)restitutions[r], bounces);
                ASSERT_NEAR(height_of(system, &view, exact[k]), want, 2e-5);
            }
            ASSERT(bounces, >=, restitutions[r] < 1 ? 1u : 7u);
            mote_system_destroy(system);
        }
}

/* Returns the height lost in 5 bounces without loss. */
static double loss_of(mote_integrator integrator, uint32_t rate) {
    mote_system *system = ball_over_plane(integrator, 1, rate);
    const mote_range_view view = mote_system_view(system);
    uint32_t bounces = 0;
    while (bounces < 5) {
        const float before = view.velocity.y[0];
        stepped(system, 1);
        bounces += before < 0 && view.velocity.y[0] > 0;
    }
    const double loss = 2 - height_of(system, &view, integrator);
    mote_system_destroy(system);
    return loss;
}

/* Semi-implicit Euler loses g h of speed in a bounce: its velocities are half a step old when they fall, and
 * half a step old when they rise. */
TEST(the_error_of_first_order_integrators_falls_with_the_step) {
    static const mote_integrator first[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_IMPLICIT_EULER};
    for (size_t k = 0; k < COUNT_OF(first); k++) {
        const double coarse = loss_of(first[k], 60), fine = loss_of(first[k], 480);
        const double speed = sqrt(2 * (double)GRAVITY * 2),
                     lost = 4.5 * (double)GRAVITY / 480; /* half at the first */
        ASSERT(coarse / fine, >, 6.0);
        ASSERT(coarse / fine, <, 9.5);
        ASSERT_NEAR(fine, 2 - (speed - lost) * (speed - lost) / (2 * (double)GRAVITY), 0.1 * fine);
    }
}

/* v^2 / 2 + g y of the columns, for every integrator but explicit Euler, whose flight gains energy, and
 * position Verlet, whose column is not the velocity. */
TEST(a_ball_never_gains_height_and_comes_to_rest) {
    for (uint32_t integrator = 0; integrator < MOTE_INTEGRATOR_COUNT; integrator++) {
        if (advects((mote_integrator)integrator) || integrator == MOTE_EXPLICIT_EULER ||
            integrator == MOTE_POSITION_VERLET)
            continue;
        mote_system *system = ball_over_plane((mote_integrator)integrator, 0.9f, 60);
        const mote_range_view view = mote_system_view(system);
        double last = 2;
        for (int n = 0; n < 3000; n++) {
            stepped(system, 1);
            const double height = height_of(system, &view, (mote_integrator)integrator);
            test_case("%s, step %d", integrator_name(integrator), n);
            ASSERT(height, <=, last + 4e-6);
            last = height;
        }
        ASSERT(view.velocity.y[0], ==, 0.0f);
        ASSERT_NEAR(view.position.y[0], 0, 1e-6);
        mote_system_destroy(system);
    }
}

/* --- Drag --- */

/* A ball under gravity and linear drag of the rate c above a plane, in closed form. */
static void fly(double c, double restitution, double left, double *y, double *v) {
    const double end = (double)GRAVITY / c;
    while (left > 1e-12) {
        double low = *y < 1e-9 ? 1e-9 : 0, high = left;
        const double y0 = *y, v0 = *v;
        *y = y0 - (v0 + end) * expm1(-c * left) / c - end * left, *v = (v0 + end) * exp(-c * left) - end;
        if (*y >= 0) return;
        for (int i = 0; i < 60; i++) {
            const double t = (low + high) / 2, at = y0 - (v0 + end) * expm1(-c * t) / c - end * t;
            *(at > 0 ? &low : &high) = t;
        }
        *y = 0, *v = -restitution * ((v0 + end) * exp(-c * high) - end), left -= high;
    }
}

/* After a hit drag acts against the new velocity: with that before it a ball was up to 9 cm off, and gave
 * back what drag had taken. */
TEST(bounces_under_drag_are_those_of_the_closed_form) {
    for (size_t k = 0; k < COUNT_OF(exact); k++)
        for (int masses = 0; masses < 2; masses++) {
            if (exact[k] == MOTE_YOSHIDA4 || exact[k] == MOTE_PEFRL || exact[k] == MOTE_POSITION_VERLET)
                continue; /* of first order under drag */
            mote_system_def def = bare_def(1, exact[k]);
            def.mass_column = masses, def.mass = 2;
            mote_system *system = system_of(&def);
            mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
            plane.restitution = 0.9f;
            add_gravity(system);
            add_force(system, mote_wind((float[3]){0, 0, 0}, 4));
            add_collider(system, plane);
            const mote_range_view view = spawned(system, 1);
            put(&view, 0, 0, 1, 0), throw_at(&view, 0, 0, -7, 0);
            double y = 1, v = -7;
            for (int n = 0; n < 45; n++) {
                stepped(system, 1), fly(2, 0.9, 1 / 60.0, &y, &v);
                test_case("%s, mass column %d, step %d", integrator_name(exact[k]), masses, n);
                ASSERT_NEAR((double)view.position.y[0], y, 5e-4);
            }
            mote_system_destroy(system);
        }
}

/* Between plates without loss and under drag alone, of the rate c, no step gives energy. */
static void bounce_between_plates(mote_integrator integrator, float c) {
    enum { BALLS = 128 };
    mote_system_def def = bare_def(BALLS, integrator);
    def.friction = 0;
    mote_system *system = system_of(&def);
    add_force(system, mote_wind((float[3]){0, 0, 0}, c));
    for (int side = -1; side <= 1; side += 2) {
        const float at = 0.1f * (float)side, out = (float)-side;
        mote_collider_def plate = mote_plane((float[3]){0, at, 0}, (float[3]){0, out, 0});
        plate.restitution = 1;
        add_collider(system, plate);
    }
    const mote_range_view view = spawned(system, BALLS);
    random_source random = {integrator};
    float last[BALLS];
    for (uint32_t i = 0; i < BALLS; i++) {
        put(&view, i, 0, random_between(&random, -0.1f, 0.1f), 0);
        throw_at(&view, i, 0, last[i] = random_between(&random, -20, 20), 0);
    }
    for (int n = 0; n < 40; n++) {
        stepped(system, 1);
        for (uint32_t i = 0; i < BALLS; i++) {
            test_case("%s, c %g, step %d, ball %u", integrator_name(integrator), (double)c, n, i);
            ASSERT(fabsf(view.velocity.y[i]), <=, fabsf(last[i]));
            last[i] = view.velocity.y[i];
        }
    }
    mote_system_destroy(system);
}

TEST(drag_between_plates_gives_no_energy) {
    for (uint32_t integrator = 0; integrator < MOTE_ADVECT_EULER; integrator++) {
        if (integrator == MOTE_POSITION_VERLET) continue;
        bounce_between_plates((mote_integrator)integrator, 10);
        bounce_between_plates((mote_integrator)integrator, 15);
        /* h c = 1; some beyond 1.5 give energy, Yoshida 4 from 0.45 on. */
        if (integrator != MOTE_YOSHIDA4) bounce_between_plates((mote_integrator)integrator, 60);
    }
}

/* A thrown ball with friction: the tangential velocity falls by mu (1 + e) of the normal one. */
TEST(friction_of_a_bounce_is_coulombs) {
    mote_system_def def = bare_def(2, MOTE_VELOCITY_VERLET);
    def.friction = 0.4f;
    mote_system *system = system_of(&def);
    mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    plane.friction = 0.1f, plane.restitution = 0.5f;
    add_collider(system, plane);
    const mote_range_view view = spawned(system, 2);
    put(&view, 0, 0, 0.05f, 0), put(&view, 1, 0, 0.05f, 0);
    throw_at(&view, 0, 3, -6, 4), throw_at(&view, 1, 0.3f, -6, 0.4f);
    stepped(system, 1);
    const double keeps = 1 - 0.2 * 1.5 * 6 / 5; /* mu = root(0.04) */
    ASSERT_NEAR(view.velocity.x[0], 3 * keeps, 1e-5);
    ASSERT_NEAR(view.velocity.y[0], 3, 1e-5);
    ASSERT_NEAR(view.velocity.z[0], 4 * keeps, 1e-5);
    ASSERT_NEAR(view.velocity.x[1], 0, 1e-6); /* held */
    ASSERT_NEAR(view.velocity.y[1], 3, 1e-5);
    mote_system_destroy(system);
}

/* --- Slopes --- */

static mote_system *on_slope(mote_integrator integrator, double slope, float friction) {
    mote_system_def def = bare_def(1, integrator);
    def.friction = friction;
    mote_system *system = system_of(&def);
    mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){-(float)slope, 1, 0});
    plane.friction = friction;
    add_gravity(system);
    add_collider(system, plane);
    const mote_range_view view = spawned(system, 1);
    put(&view, 0, 0.3f, (float)(0.3 * slope) + 0.01f, 0.7f);
    return system;
}

TEST(a_slope_that_is_not_steeper_than_friction_holds_without_creep) {
    static const mote_integrator all[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                          MOTE_POSITION_VERLET};
    for (size_t k = 0; k < COUNT_OF(all); k++) {
        mote_system *system = on_slope(all[k], 0.4, 0.45f);
        const mote_range_view view = mote_system_view(system);
        float before[3], now[3];
        stepped(system, 200);
        place_of(&view, 0, before);
        stepped(system, 100000);
        place_of(&view, 0, now);
        for (int i = 0; i < 3; i++) ASSERT(now[i], ==, before[i]);
        mote_system_destroy(system);
    }
}

TEST(a_steeper_slope_lets_slide_with_the_acceleration_of_the_closed_form) {
    static const mote_integrator all[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                          MOTE_POSITION_VERLET};
    static const float frictions[] = {0, 0.25f};
    for (size_t k = 0; k < COUNT_OF(all); k++)
        for (size_t f = 0; f < COUNT_OF(frictions); f++) {
            mote_system *system = on_slope(all[k], 0.4, frictions[f]);
            const mote_range_view view = mote_system_view(system);
            stepped(system, 60);
            float from[3], to[3];
            const double v0 = -(double)view.velocity.x[0];
            place_of(&view, 0, from);
            stepped(system, 60);
            place_of(&view, 0, to);
            const double cosine = 1 / sqrt(1.16),
                         along = (double)GRAVITY * cosine * (0.4 - (double)frictions[f]);
            test_case("%s, friction %g", integrator_name(all[k]), (double)frictions[f]);
            ASSERT_NEAR(-(double)view.velocity.x[0] - v0, along * cosine, 2e-3);
            const mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){-0.4f, 1, 0});
            ASSERT_NEAR(distance_to(&plane, to), 0, 4e-6);
            ASSERT_NEAR((double)from[0] - (double)to[0], v0 + along * cosine / 2, 0.05);
            mote_system_destroy(system);
        }
}

/* --- Rest --- */

/* On a sphere's top, on a box, in a valley of two planes and in a corner of three, without friction near the
 * origin. At 10 km a substep of free fall is 3 units in the last place: there the valley has friction. */
TEST(particles_at_rest_stay_for_100000_steps_also_far_from_the_origin) {
    static const mote_integrator all[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                          MOTE_POSITION_VERLET, MOTE_RK4};
    static const float offsets[] = {0, 10000, 100000};
    for (size_t k = 0; k < COUNT_OF(all); k++)
        for (size_t o = 0; o < COUNT_OF(offsets); o++) {
            const float at = offsets[o];
            const double slack = 4e-7 * (4 + (double)at);
            mote_system_def def = bare_def(4, all[k]);
            def.collision_radius = 0.05f, def.friction = at > 0 ? 0.3f : 0;
            mote_system *system = system_of(&def);
            add_gravity(system);
            const mote_transform box = {{at, at + 2.5f, 4}, {0, 0, 0, 1}};
            add_collider(system, mote_plane((float[3]){at, at, 0}, (float[3]){0.5f, 1, 0}));
            add_collider(system, mote_plane((float[3]){at, at, 0}, (float[3]){-0.5f, 1, 0}));
            add_collider(system, mote_plane((float[3]){at, at, -1}, (float[3]){0, 0.5f, 1}));
            add_collider(system, mote_sphere((float[3]){at, at + 4, 0}, 0.5f));
            add_collider(system, mote_box(&box, (float[3]){1, 0.5f, 1}));
            const mote_range_view view = spawned(system, 4);
            put(&view, 0, at, at + 5, 0), put(&view, 1, at, at + 4, 4), put(&view, 2, at + 0.02f, at + 1, 2);
            put(&view, 3, at, at + 2, -0.9f);
            for (int i = 0; i < 40; i++) stepped(system, 50);
            float before[4][3], now[3];
            for (uint32_t i = 0; i < 4; i++) place_of(&view, i, before[i]);
            stepped(system, 100000);
            for (uint32_t i = 0; i < 4; i++) {
                place_of(&view, i, now);
                for (int axis = 0; axis < 3; axis++) {
                    test_case("%s at %g m, particle %u", integrator_name(all[k]), (double)at, i);
                    ASSERT_NEAR(now[axis], before[i][axis], slack);
                }
            }
            ASSERT_NEAR(before[0][1], (double)at + 4.55, 1.5 * slack);
            ASSERT_NEAR(before[1][1], (double)at + 3.05, 1.5 * slack);
            mote_system_destroy(system);
        }
}

/* --- Energy --- */

typedef struct energy_case {
    mote_integrator integrator;
    float friction;
    uint32_t substeps;
} energy_case;

static double energy_of(const mote_range_view *view, uint32_t i) {
    const double v[3] = {(double)view->velocity.x[i], (double)view->velocity.y[i],
                         (double)view->velocity.z[i]};
    return (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 + (double)GRAVITY * (double)view->position.y[i];
}

/* Flight itself gains by rounding: 2e-5 J/kg in a step of 4 substeps at 11 m/s. */
TEST(energy_never_grows_among_all_shapes_and_none_is_entered) {
    static const energy_case cases[] = {{MOTE_SEMI_IMPLICIT_EULER, 0, 1},
                                        {MOTE_SEMI_IMPLICIT_EULER, 1, 2},
                                        {MOTE_VELOCITY_VERLET, 0, 1},
                                        {MOTE_VELOCITY_VERLET, 1, 4},
                                        {MOTE_RK4, 0, 1},
                                        {MOTE_PEFRL, 1, 1}};
    enum { COUNT = 500, STEPS = 400 };
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        mote_system_def def = bare_def(COUNT, cases[c].integrator);
        def.friction = cases[c].friction, def.substeps = cases[c].substeps, def.collision_radius = 0.02f;
        mote_system *system = system_of(&def);
        mote_collider_def obstacles[OBSTACLES];
        obstacles_of(obstacles);
        add_gravity(system);
        for (int k = 0; k < OBSTACLES; k++) {
            obstacles[k].friction = cases[c].friction, obstacles[k].restitution = 1;
            add_collider(system, obstacles[k]);
        }
        random_source random = {11 + c};
        const mote_range_view view = spawned(system, COUNT);
        scatter(&view, obstacles, 0.02f, &random);
        double last[COUNT], first[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) first[i] = last[i] = energy_of(&view, i);
        for (int n = 0; n < STEPS; n++) {
            stepped(system, 1);
            for (uint32_t i = 0; i < COUNT; i++) {
                const double energy = energy_of(&view, i);
                float x[3];
                place_of(&view, i, x);
                test_case("case %zu, step %d, particle %u", c, n, i);
                ASSERT(energy, <=, last[i] + 1e-6 * (100 + fabs(last[i])));
                ASSERT(energy, <=, first[i] + 1e-4 * (100 + fabs(first[i])));
                last[i] = energy;
                for (int k = 0; k < OBSTACLES && fabsf(x[0]) < 50; k++)
                    ASSERT(distance_to(&obstacles[k], x), >, 0.02 - 1e-4);
            }
        }
        mote_system_destroy(system);
    }
}
