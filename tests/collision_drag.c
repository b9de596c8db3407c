/* Contacts of loose particles under drag that is not folded: after a hit it acts on the new velocity. */
#include "collision_scene.h"

enum { BALLS = 128, STEPS = 40 };

static const char *integrator_of(uint32_t i) { return mote_integrator_describe((mote_integrator)i)->name; }

/* --- Between plates --- */

/* Balls between two plates without loss, 0.2 m apart. */
static mote_system *between_plates(mote_integrator integrator, const mote_force_def *force, bool masses,
                                   uint32_t substeps) {
    mote_system_def def = bare_def(BALLS, integrator);
    def.substeps = substeps;
    def.friction = 0, def.mass_column = masses, def.mass = 2, def.anchor_column = true;
    mote_system *system = system_of(&def);
    add_force(system, *force);
    for (int side = -1; side <= 1; side += 2) {
        const float at = 0.1f * (float)side, out = (float)-side;
        mote_collider_def plate = mote_plane((float[3]){0, at, 0}, (float[3]){0, out, 0});
        plate.restitution = 1;
        add_collider(system, plate);
    }
    return system;
}

/* No step gives speed along or between the plates. */
static void check_speeds(mote_integrator integrator, const mote_force_def *force, bool masses) {
    mote_system *system = between_plates(integrator, force, masses, 1);
    const mote_range_view view = spawned(system, BALLS);
    random_source random = {integrator};
    double last[BALLS];
    for (uint32_t i = 0; i < BALLS; i++) {
        put(&view, i, 0, random_between(&random, -0.1f, 0.1f), 0);
        throw_at(&view, i, random_between(&random, -10, 10), random_between(&random, -20, 20), 0);
        last[i] = INFINITY;
    }
    for (int n = 0; n < STEPS; n++) {
        for (uint32_t i = 0; i < BALLS; i++) {
            const double speed = hypot((double)view.velocity.x[i], (double)view.velocity.y[i]);
            test_case("%s, %s, mass column %d, step %d, ball %u", integrator_name(integrator),
                      mote_force_name(force->kind), masses, n, i);
            ASSERT(speed, <=, (1 + 1e-6) * last[i]);
            last[i] = speed;
        }
        stepped(system, 1);
    }
    mote_system_destroy(system);
}

/* Returns the force in a box that ends near the plates. */
static mote_force_def at_the_plates(mote_force_def force) {
    return mote_in_box(force, (float[3]){0, 0, 0}, (float[3]){100, 0.2f, 100}, 0.1f);
}

/* h c |v| / m from 1/30 to 20, where the limit of the drag acts. A part of the balls had 1.3 to 8 times the
 * energy in a step. */
TEST_EACH(quadratic_drag_between_plates_gives_no_energy, MOTE_ADVECT_EULER, integrator_of, integrator) {
    static const float strengths[] = {0.1f, 0.5f, 1.5f, 4, 60};
    for (size_t k = 0; k < 4 * COUNT_OF(strengths); k++) {
        if (integrator == MOTE_POSITION_VERLET) continue; /* its column is not the velocity */
        mote_force_def drag = mote_quadratic_drag((float[3]){0, 0, 0}, 2 * strengths[k / 4]);
        if (k % 2) drag = at_the_plates(drag);
        check_speeds((mote_integrator)integrator, &drag, k / 2 % 2);
    }
}

/* Linear drag that is not folded: h c from 1/60 to 1. */
TEST_EACH(inline_linear_drag_between_plates_gives_no_energy, MOTE_ADVECT_EULER, integrator_of, integrator) {
    static const float drags[] = {2, 20, 60, 120};
    const float zero[9] = {0};
    for (size_t k = 0; k < 2 * COUNT_OF(drags); k++) {
        const bool masses = k % 2;
        const float drag = drags[k / 2];
        if (integrator == MOTE_POSITION_VERLET) continue;
        if (integrator == MOTE_YOSHIDA4 && drag > 20) continue; /* its kicks go to and fro */
        const mote_force_def forces[] = {
            at_the_plates(mote_wind(zero, drag)), at_the_plates(mote_anchor_spring(zero, 0, drag)),
            mote_particle_anchors(0, drag), mote_linear_field(zero, zero, MOTE_FIELD_WIND, drag),
            at_the_plates(mote_vortex(zero, (float[3]){0, 0, 1}, 0, 1, MOTE_FIELD_WIND, drag))};
        for (size_t f = 0; f < COUNT_OF(forces); f++)
            check_speeds((mote_integrator)integrator, &forces[f], masses);
    }
}

/* Drag in a region of all space does what it does without one, up to rounding. */
TEST(bounces_under_drag_in_a_region_are_those_without_one) {
    for (int k = 0; k < 2; k++) {
        const mote_integrator integrator = k ? MOTE_VELOCITY_VERLET : MOTE_SEMI_IMPLICIT_EULER;
        const mote_force_def wind = mote_wind((float[3]){0, 1, 0}, 8),
                             limited = mote_in_sphere(wind, (float[3]){0, 0, 0}, 100, 0);
        mote_system *system[2] = {between_plates(integrator, &wind, false, 1),
                                  between_plates(integrator, &limited, false, 1)};
        mote_range_view view[2];
        for (int side = 0; side < 2; side++) {
            view[side] = spawned(system[side], 1);
            put(&view[side], 0, 0, 0.05f, 0), throw_at(&view[side], 0, 1, 17, 0);
        }
        for (int n = 0; n < STEPS; n++) {
            stepped(system[0], 1), stepped(system[1], 1);
            test_case("%s, step %d", integrator_name(integrator), n);
            ASSERT_NEAR(view[1].position.y[0], view[0].position.y[0], 1e-5);
            ASSERT_NEAR(view[1].velocity.y[0], view[0].velocity.y[0], 1e-4);
        }
        mote_system_destroy(system[0]);
        mote_system_destroy(system[1]);
    }
}

/* The place between the plates of a ball that began at y with the velocity v, on a way s. */
static double folded(double y, double v, double s) {
    double at = fmod((v > 0 ? y : -y) + 0.1 + s, 0.4);
    at = (at > 0.2 ? 0.4 - at : at) - 0.1;
    return v > 0 ? at : -at;
}

/* Integrators of second order. */
static const mote_integrator second[] = {MOTE_VELOCITY_VERLET, MOTE_MIDPOINT, MOTE_RK4};

/* The greatest error of the place within 20 / 60 s, in m: v / (1 + c v t), on a way log(1 + c v t) / c. */
static double error_between_plates(mote_integrator integrator, uint32_t substeps) {
    const double c = 1;
    const mote_force_def drag = mote_quadratic_drag((float[3]){0, 0, 0}, 2 * (float)c);
    mote_system *system = between_plates(integrator, &drag, false, substeps);
    const mote_range_view view = spawned(system, BALLS);
    random_source random = {7};
    double y[BALLS], v[BALLS], most = 0;
    for (uint32_t i = 0; i < BALLS; i++) {
        put(&view, i, 0, random_between(&random, -0.1f, 0.1f), 0);
        throw_at(&view, i, 0, random_between(&random, -10, 10), 0);
        y[i] = (double)view.position.y[i], v[i] = (double)view.velocity.y[i];
    }
    for (int n = 1; n <= 20; n++) {
        stepped(system, 1);
        for (uint32_t i = 0; i < BALLS; i++) {
            const double way = log(1 + c * fabs(v[i]) * n / 60) / c;
            most = fmax(most, fabs((double)view.position.y[i] - folded(y[i], v[i], way)));
        }
    }
    mote_system_destroy(system);
    return most;
}

TEST(bounces_under_quadratic_drag_are_of_second_order) {
    for (size_t k = 0; k < COUNT_OF(second); k++) {
        const double coarse = error_between_plates(second[k], 4), fine = error_between_plates(second[k], 16);
        test_case("%s", integrator_name(second[k]));
        ASSERT(fine, <, coarse / 10);
    }
}

/* --- Rest, and bits --- */

/* Balls that fall through drag on a plane with a restitution of 0.9, in air that rises, rests and falls. */
TEST_EACH(balls_come_to_rest_under_drag, MOTE_ADVECT_EULER, integrator_of, integrator) {
    if (integrator == MOTE_EXPLICIT_EULER || integrator == MOTE_POSITION_VERLET) return; /* hops; lags */
    for (int n = 0; n < 9; n++) {
        const float strength = (float)(0.05 * pow(8, n / 3)), wind = 2 * (float)(n % 3 - 1);
        if (integrator == MOTE_KINEMATIC && wind > 0) continue; /* its kick by a moves by h^2 a: hops */
        mote_system_def def = bare_def(1, (mote_integrator)integrator);
        mote_system *system = system_of(&def);
        mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
        plane.restitution = 0.9f;
        add_gravity(system);
        const mote_force_def drag = mote_quadratic_drag((float[3]){0, strength < 1 ? wind : 0, 0}, strength);
        add_force(system, drag);
        add_collider(system, plane);
        const mote_range_view view = spawned(system, 1);
        put(&view, 0, 0, 1, 0), throw_at(&view, 0, 0, -7, 0);
        stepped(system, 1500);
        test_case("strength %g, wind %g", (double)strength, (double)wind);
        ASSERT(view.velocity.y[0], ==, 0.0f);
        ASSERT_NEAR(view.position.y[0], 0, 1e-6);
        mote_system_destroy(system);
    }
}

TEST(contacts_under_drag_have_the_same_bits_on_any_instruction_set) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                                  MOTE_POSITION_VERLET};
    const mote_force_def near = mote_quadratic_drag((float[3]){0, 1, 0}, 3);
    const mote_force_def forces[] = {
        mote_quadratic_drag((float[3]){1, 0, 0}, 0.3f), mote_wind((float[3]){0, 0, 1}, 0.2f),
        mote_curl_noise(2, 1, 1, 5, MOTE_FIELD_WIND, 0.5f), mote_in_sphere(near, (float[3]){0, 1, 0}, 1, 1)};
    for (uint32_t k = 0; k < 6; k++) {
        mote_system_def def = bare_def(BALLS, integrators[k / 2]);
        def.mass_column = k % 2, def.substeps = 1 + k;
        assert_bits_of_any_set(def, forces, COUNT_OF(forces));
    }
}
