/* Loose particles that rest on one collider and hit another: the forces go on acting on those that leave the
 * first one, and neither those nor balls that roll in a valley of both gain energy. */
#include "collision_scene.h"

static double square_of(const mote_vector_columns *v, uint32_t i) {
    const double x = (double)v->x[i], y = (double)v->y[i], z = (double)v->z[i];
    return x * x + y * y + z * z;
}

/* Energy per mass, J/kg; inertia: kg m^2 of a ball of 1 kg, 0: it has no orientation. */
static double energy_of(const mote_range_view *view, uint32_t i, double inertia) {
    return square_of(&view->velocity, i) / 2 + (double)GRAVITY * (double)view->position.y[i] +
           (inertia > 0 ? inertia * square_of(&view->angular_velocity, i) / 2 : 0);
}

#define BALL 0.001 /* kg m^2: 2/5 m r^2 of 1 kg and 0.05 m */

static mote_system_def ball_def(uint32_t capacity, mote_integrator integrator, bool spins) {
    mote_system_def def = bare_def(capacity, integrator);
    def.collision_radius = 0.05f, def.orientation = spins;
    def.inertia[0] = (float)BALL;
    return def;
}

typedef struct slide {
    mote_integrator integrator;
    uint32_t substeps;
    float friction, restitution;
    bool spins, box;
} slide;

static const slide slides[] = {
    {MOTE_VELOCITY_VERLET, 1, 0, 1, false, false},    {MOTE_RK4, 1, 0, 1, false, false},
    {MOTE_SEMI_IMPLICIT_EULER, 1, 0, 1, false, true}, {MOTE_EXACT_FLOW, 4, 0, 1, false, true},
    {MOTE_VELOCITY_VERLET, 4, 0, 1, false, true},     {MOTE_VELOCITY_VERLET, 1, 0, 0.3f, false, false},
    {MOTE_VELOCITY_VERLET, 1, 0.02f, 1, false, true}, {MOTE_VELOCITY_VERLET, 1, 0.5f, 1, true, false},
    {MOTE_VELOCITY_VERLET, 4, 0.5f, 1, true, true},   {MOTE_VELOCITY_VERLET, 1, 0, 1, true, false}};
static const char *slide_name(uint32_t i) {
    return slides[i].spins ? "rolls" : integrator_name(slides[i].integrator);
}

/* At 3 m/s along a floor into a slope of 60 degrees, at any part of a step. */
TEST_EACH(a_slide_into_a_slope_gains_no_energy, COUNT_OF(slides), slide_name, number) {
    enum { STARTS = 50 };
    const slide *s = &slides[number];
    mote_system_def def = ball_def(STARTS, s->integrator, s->spins);
    def.substeps = s->substeps, def.friction = s->friction;
    mote_system *system = system_of(&def);
    const mote_transform at = turned(1, 0, 0, (float[3]){0, 0, 1}, 1.0471975511965976);
    mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}),
                      slope = s->box ? mote_box(&at, (float[3]){0.8f, 0.4f, 1})
                                     : mote_plane((float[3]){0, 0, 0}, (float[3]){-0.8660254f, 0.5f, 0});
    slope.restitution = s->restitution, floor.friction = slope.friction = s->friction;
    add_gravity(system);
    add_collider(system, floor);
    add_collider(system, slope);
    const mote_range_view view = spawned(system, STARTS);
    double least[STARTS], highest = 0;
    for (uint32_t i = 0; i < STARTS; i++) {
        put(&view, i, -1 - 0.001f * (float)i, 0.05f, 0);
        throw_at(&view, i, 3, 0, 0);
        if (s->spins && s->friction > 0) view.angular_velocity.z[i] = -60;
        least[i] = energy_of(&view, i, s->spins ? BALL : 0);
    }
    for (int step = 0; step < 60; step++) {
        stepped(system, 1);
        for (uint32_t i = 0; i < STARTS; i++) {
            const double energy = energy_of(&view, i, s->spins ? BALL : 0);
            test_case("case %u, start %u, step %d", number, i, step);
            ASSERT(energy, <=, least[i] + 1e-5);
            least[i] = fmin(least[i], energy);
            highest = fmax(highest, (double)view.position.y[i]);
        }
    }
    ASSERT(highest, >, s->restitution < 1 ? 0.06 : 0.2);
    mote_system_destroy(system);
}

/* Planes that make a valley which falls. */
static void add_valley(mote_system *system, float restitution) {
    const float normals[2][3] = {{0.2f, 1, 0}, {-0.6f, 1, 0.1f}};
    for (int k = 0; k < 2; k++) {
        mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, normals[k]);
        plane.restitution = restitution, plane.friction = 0.4f;
        add_collider(system, plane);
    }
    add_gravity(system);
}

static const char *restitution_name(uint32_t i) { return i == 0 ? "0" : i == 1 ? "0.5" : "1"; }

/* Balls thrown into the valley with spin bounce, slide and roll in it. */
TEST_EACH(balls_in_a_valley_gain_no_energy, 3, restitution_name, number) {
    enum { BALLS = 200 };
    const mote_system_def def = ball_def(BALLS, MOTE_VELOCITY_VERLET, true);
    mote_system *system = system_of(&def);
    add_valley(system, 0.5f * (float)number);
    const mote_range_view view = spawned(system, BALLS);
    random_source random = {3};
    double last[BALLS];
    for (uint32_t i = 0; i < BALLS; i++) {
        put(&view, i, random_between(&random, -1.5f, 1.5f), random_between(&random, 2, 4),
            random_between(&random, -1.5f, 1.5f));
        throw_at(&view, i, random_between(&random, -2, 2), 0, random_between(&random, -2, 2));
        view.angular_velocity.x[i] = random_between(&random, -50, 50);
        view.angular_velocity.z[i] = random_between(&random, -50, 50);
        last[i] = energy_of(&view, i, BALL);
    }
    for (int step = 0; step < 600; step++) {
        stepped(system, 1);
        for (uint32_t i = 0; i < BALLS; i++) {
            const double energy = energy_of(&view, i, BALL);
            test_case("ball %u, step %d", i, step);
            ASSERT(energy, <=, last[i] + 5e-4);
            last[i] = energy;
        }
    }
    mote_system_destroy(system);
}

/* A ball without bounces rests on both planes and rolls along the crease. */
TEST(a_ball_that_rolls_along_a_crease_gains_no_energy) {
    const mote_system_def def = ball_def(1, MOTE_VELOCITY_VERLET, true);
    mote_system *system = system_of(&def);
    add_valley(system, 0);
    const mote_range_view view = spawned(system, 1);
    put(&view, 0, 0, 1, 0);
    double last = energy_of(&view, 0, BALL);
    for (int step = 0; step < 1200; step++) {
        stepped(system, 1);
        const double energy = energy_of(&view, 0, BALL);
        test_case("step %d", step);
        ASSERT(energy, <=, last + 1e-5);
        last = energy;
    }
    ASSERT(view.velocity.z[0], >, 2.0f);
    mote_system_destroy(system);
}

/* --- Two contacts at once --- */

static const char *order_name(uint32_t i) { return i ? "the second plane first" : "in order"; }

/* Particles under the acceleration `a` on two planes through the origin with the frictions `friction`, added
 * in that order or the other one. Returns the velocity along the crease, z, after a second. */
static float slide_along(const float normals[2][3], const float friction[2], uint32_t swapped,
                         const float a[3], uint32_t substeps, bool turns) {
    mote_system_def def = bare_def(1, MOTE_VELOCITY_VERLET);
    def.substeps = substeps, def.friction = 1, def.orientation = turns;
    mote_system *system = system_of(&def);
    for (uint32_t k = 0; k < 2; k++) {
        mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, normals[k ^ swapped]);
        plane.friction = friction[k ^ swapped] * friction[k ^ swapped]; /* the root of the product counts */
        add_collider(system, plane);
    }
    const mote_force_def force = mote_gravity(a);
    mote_force_id id;
    assert_int_equal(mote_system_add_force(system, &force, &id), MOTE_OK);
    const mote_range_view view = spawned(system, 1);
    put(&view, 0, 0, 0, 0);
    stepped(system, 60);
    assert_true(fabsf(view.position.x[0]) < 1e-4f && fabsf(view.position.y[0]) < 1e-4f);
    const float v = view.velocity.z[0];
    ASSERT_NEAR((double)view.position.z[0], 0.5 * (double)v, 1e-5); /* a t^2 / 2 */
    mote_system_destroy(system);
    return v;
}

/* A wall that leans over the floor: pushed against it, a particle slides along both without friction. */
TEST_EACH(a_particle_under_an_overhang_slides_along_it, 2, order_name, swapped) {
    const float normals[2][3] = {{0, 1, 0}, {-0.8660254f, -0.5f, 0}}, none[2] = {0, 0}, push[3] = {5, -9, 2};
    for (uint32_t substeps = 1; substeps <= 8; substeps *= 2)
        ASSERT_NEAR((double)slide_along(normals, none, swapped, push, substeps, false), 2, 1e-5);
}

/* In a groove of two planes friction is that of both normal forces, N1 and N2 a mass:
 * a = 3 - f1 N1 - f2 N2, or none where that holds; of points with an orientation, too, which friction does
 * not turn. The second friction once saw what the first had stopped, and held less: points crept. The planes
 * rise by an angle; where they are not at right angles, each presses against the other. */
TEST_EACH(both_planes_of_a_groove_rub, 2, order_name, swapped) {
    const float a[3] = {1.5f, -9.0f, 3};
    static const float friction[][2] = {{0.1f, 0.2f}, {0.25f, 0}, {0, 0.15f}, {0.3f, 0.3f}};
    static const double angles[] = {0.5, 0.7853981634, 1.1};
    for (size_t k = 0; k < COUNT_OF(angles) * COUNT_OF(friction); k++)
        for (uint32_t n = 0; n < 4; n++) {
            const uint32_t substeps = n % 2 ? 4 : 1;
            const float *f = friction[k % COUNT_OF(friction)];
            const double angle = angles[k / COUNT_OF(friction)], x = sin(angle), y = cos(angle),
                         pressed[2] = {0.5 * (9 / y - 1.5 / x), 0.5 * (9 / y + 1.5 / x)};
            const float normals[2][3] = {{(float)x, (float)y, 0}, {-(float)x, (float)y, 0}};
            const double want = fmax(3 - pressed[0] * (double)f[0] - pressed[1] * (double)f[1], 0);
            const float got = slide_along(normals, f, swapped, a, substeps, n / 2);
            test_case("angle %g, frictions %g and %g, %u substeps, %s", angle, (double)f[0], (double)f[1],
                      substeps, n / 2 ? "orientation" : "none");
            ASSERT_NEAR((double)got, want, 1e-4);
        }
}

static const char *axis_name(uint32_t i) { return (const char *const[]){"x", "y", "z"}[i]; }

/* A ball in the corner of three planes at right angles that turns about an axis: the planes of the other two
 * axes rub, with the friction of each and the force that presses the ball onto it:
 * w' = -5/2 (f1 N1 + f2 N2) / r. The forces are those without friction, which is of second order in f. Each
 * of at most 6 hits a substep may round the spin by half a last digit, 2^-20 rad/s. */
TEST_EACH(three_planes_rub_a_ball_that_turns, 3, axis_name, axis) {
    static const float pressed[3] = {4, 6, 9}, friction[3] = {0.05f, 0.1f, 0.15f};
    for (uint32_t order = 0; order < 6; order++) {
        mote_system_def def = bare_def(1, MOTE_VELOCITY_VERLET);
        def.friction = 1, def.orientation = true, def.collision_radius = 0.5f, def.inertia[0] = 0.1f;
        def.substeps = order % 2 ? 4 : 1;
        mote_system *system = system_of(&def);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t of = order < 3 ? (order + k) % 3 : (order + 3 - k) % 3;
            float normal[3] = {0, 0, 0};
            normal[of] = 1;
            mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, normal);
            plane.friction = friction[of] * friction[of], plane.restitution = 0;
            add_collider(system, plane);
        }
        const mote_force_def force = mote_gravity((float[3]){-pressed[0], -pressed[1], -pressed[2]});
        mote_force_id id;
        assert_int_equal(mote_system_add_force(system, &force, &id), MOTE_OK);
        const mote_range_view view = spawned(system, 1);
        float *const spin[3] = {view.angular_velocity.x, view.angular_velocity.y, view.angular_velocity.z};
        put(&view, 0, 0.5f, 0.5f, 0.5f);
        spin[axis][0] = 20;
        stepped(system, 6);
        const uint32_t b = (axis + 1) % 3, c = (axis + 2) % 3;
        const double slows = 5 * (double)(friction[b] * pressed[b] + friction[c] * pressed[c]);
        test_case("order %u", order);
        ASSERT_NEAR((double)spin[axis][0], 20 - 0.1 * slows, 6 * def.substeps * 6 * 0x1p-20);
        ASSERT(spin[b][0], ==, 0);
        ASSERT(spin[c][0], ==, 0);
        mote_system_destroy(system);
    }
}

/* A particle that slides up a slope of 30 degrees and is held there gains no energy as it stops. */
TEST(a_particle_that_stops_on_its_way_up_gains_no_energy) {
    enum { STARTS = 64 };
    mote_system_def def = bare_def(STARTS, MOTE_VELOCITY_VERLET);
    def.friction = 1;
    mote_system *system = system_of(&def);
    mote_collider_def slope = mote_plane((float[3]){0, 0, 0}, (float[3]){-0.5f, 0.8660254f, 0});
    slope.friction = 0.8f * 0.8f;
    add_gravity(system);
    add_collider(system, slope);
    const mote_range_view view = spawned(system, STARTS);
    double last[STARTS];
    for (uint32_t i = 0; i < STARTS; i++) {
        const float speed = 0.01f * (float)(i + 1);
        put(&view, i, 0, 0, 0);
        throw_at(&view, i, 0.8660254f * speed, 0.5f * speed, 0);
        last[i] = energy_of(&view, i, 0);
    }
    for (int step = 0; step < 30; step++) {
        stepped(system, 1);
        for (uint32_t i = 0; i < STARTS; i++) {
            const double energy = energy_of(&view, i, 0);
            test_case("start %u, step %d", i, step);
            ASSERT(energy, <=, last[i] + 1e-6);
            last[i] = energy;
        }
    }
    mote_system_destroy(system);
}

/* Points that land in front of a wall on the floor, at 10 to 30 m/s. The chord of their paths dips below the
 * floor, and passes under a wall of 5 cm: 1.2 % were behind it. Beside a box that turns, too. */
TEST(none_passes_a_wall_that_stands_on_the_floor) {
    enum { POINTS = 4000 };
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET};
    for (uint32_t k = 0; k < 2 * COUNT_OF(integrators); k++) {
        random_source random = {7};
        mote_system_def def = bare_def(POINTS, integrators[k / 2]);
        mote_system *system = system_of(&def);
        mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}),
                          wall = mote_box(&(mote_transform){{10.025f, 1, 0}, {0, 0, 0, 1}},
                                          (float[3]){0.025f, 1, 50});
        add_force(system, mote_gravity((float[3]){0, -GRAVITY, 0}));
        add_collider(system, floor), add_collider(system, wall);
        if (k % 2) {
            const mote_transform at = {{9.5f, 0.3f, 1}, {0, 0, 0, 1}},
                                 to = turned(9.5f, 0.3f, 1, (float[3]){0, 1, 0}, 1);
            const mote_collider_id fan = add_collider(system, mote_box(&at, (float[3]){0.2f, 0.1f, 0.1f}));
            OK(mote_system_move_collider(system, fan, &to, mote_system_tick(system) + 3000000000u));
        }
        mote_range_view view = spawned(system, POINTS);
        for (uint32_t i = 0; i < POINTS; i++) {
            const float speed = random_between(&random, 10, 30);
            view.position.x[i] = 10 - speed * random_between(&random, 0, 0.3f);
            view.position.y[i] = random_between(&random, 0.001f, 0.3f);
            view.velocity.x[i] = speed;
        }
        stepped(system, 60);
        view = mote_system_view(system);
        for (uint32_t i = 0; i < POINTS; i++) ASSERT((double)view.position.x[i], <, 10.00001);
        mote_system_destroy(system);
    }
}
