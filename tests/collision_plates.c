/* Collisions of loose particles with thin plates and bars that turn about an axis in their plane. */
#include "collision_scene.h"

enum { PARTICLES = 2000, STEPS = 40 };

static const float spins[] = {2, 10, 40}, thicknesses[] = {0.1f, 0.01f, 0.001f};
static const char *restitution_name(uint32_t i) { return i == 0 ? "0" : i == 1 ? "0.5" : "1"; }

/* Places in the axes of the plate at the angle a. */
static void look(const mote_range_view *view, double a, double (*at)[2]) {
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const double x = (double)view->position.x[i], y = (double)view->position.y[i];
        at[i][0] = cos(a) * x + sin(a) * y, at[i][1] = cos(a) * y - sin(a) * x;
    }
}

/* depth: along z. */
static void strew(const mote_range_view *view, double thickness, float depth) {
    random_source random = {5};
    for (uint32_t i = 0; i < PARTICLES; i++) {
        float y = random_between(&random, -0.5f, 0.5f);
        if (fabs((double)y) < 2 * thickness) y = 0.3f;
        put(view, i, random_between(&random, -0.45f, 0.45f), y, random_between(&random, -depth, depth));
        throw_at(view, i, random_between(&random, -10, 10), random_between(&random, -10, 10), 0);
    }
}

/* No particle ends a step inside the plate, of 1 m x 1 m, or on its other side, unless it could have gone
 * around an edge. round: a capsule as long, and all particles in the plane in which it turns. */
static void turn_plate(bool round, float thickness, float spin, float restitution) {
    static double was[PARTICLES][2], is[PARTICLES][2];
    mote_system_def def = bare_def(PARTICLES, MOTE_SEMI_IMPLICIT_EULER);
    mote_system *system = system_of(&def);
    const mote_transform still = MOTE_TRANSFORM_IDENTITY;
    mote_collider_def plate = round ? mote_capsule((float[3]){-0.5f, 0, 0}, (float[3]){0.5f, 0, 0}, thickness)
                                    : mote_box(&still, (float[3]){0.5f, thickness, 0.5f});
    const mote_transform at = plate.transform;
    plate.restitution = restitution, plate.friction = 0;
    const mote_collider_id id = add_collider(system, plate);
    const mote_range_view view = spawned(system, PARTICLES);
    strew(&view, (double)thickness, round ? 0 : 0.4f);
    look(&view, 0, was);
    for (int step = 1; step <= STEPS; step++) {
        const double angle = (double)spin * step / 60;
        const mote_transform turn = turned(0, 0, 0, (float[3]){0, 0, 1}, angle),
                             to = mote_transform_multiply(&turn, &at);
        OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
        stepped(system, 1);
        look(&view, angle, is);
        for (uint32_t i = 0; i < PARTICLES; i++) {
            test_case("%s, %g m thick, %g rad/s, step %d, particle %u", round ? "bar" : "plate",
                      (double)thickness, (double)spin, step, i);
            const bool above = fabs(is[i][0]) < 0.4999 && fabs((double)view.position.z[i]) < 0.5;
            if (above) ASSERT(fabs(is[i][1]), >, (double)thickness - 1e-5);
            if (above && fabs(is[i][0]) < 0.35 && fabs(was[i][0]) < 0.35) ASSERT(is[i][1] * was[i][1], >, 0);
        }
        memcpy(was, is, sizeof was);
    }
    mote_system_destroy(system);
}

TEST_EACH(no_particle_passes_a_plate_that_turns, 3, restitution_name, number) {
    for (size_t i = 0; i < COUNT_OF(spins) * COUNT_OF(thicknesses); i++)
        turn_plate(false, thicknesses[i / 3], spins[i % 3], 0.5f * (float)number);
}

TEST_EACH(no_particle_passes_a_bar_that_turns, 3, restitution_name, number) {
    for (size_t i = 0; i < COUNT_OF(spins) * COUNT_OF(thicknesses); i++)
        turn_plate(true, thicknesses[i / 3], spins[i % 3], 0.5f * (float)number);
}

/* --- Nothing is hit --- */

static const char *shape_name(uint32_t i) { return i ? "sphere" : "bar"; }

/* Least distance of a straight way from the axis of a bar of 1 m that turns by `angle`, or from the origin.
 */
static double least_distance(bool sphere, const float x[2], const float v[2], double angle) {
    enum { PLACES = 200 };
    double least = INFINITY;
    for (int k = 0; k <= PLACES; k++) {
        const double f = (double)k / PLACES, a = f * angle, p = (double)x[0] + f * (double)v[0] / 60,
                     q = (double)x[1] + f * (double)v[1] / 60, along = cos(a) * p + sin(a) * q,
                     end = sphere ? 0 : fmin(fmax(along, -0.5), 0.5);
        least = fmin(least, hypot(along - end, cos(a) * q - sin(a) * p));
    }
    return least;
}

/* Particles fly past a bar or a sphere of 0.1 m that turns, around it by more than a right angle in a step,
 * too. They were put on its other side, 1.2 m away: it took them for ones that are inside. */
TEST_EACH(what_flies_past_a_collider_that_turns_is_left_alone, 2, shape_name, sphere) {
    const double angle = 0.02;
    mote_system_def def = bare_def(PARTICLES, MOTE_SEMI_IMPLICIT_EULER);
    mote_system *system = system_of(&def);
    const mote_collider_def bar = mote_capsule((float[3]){-0.5f, 0, 0}, (float[3]){0.5f, 0, 0}, 0.1f);
    const mote_collider_id id = add_collider(system, sphere ? mote_sphere((float[3]){0, 0, 0}, 0.1f) : bar);
    const mote_transform turn = turned(0, 0, 0, (float[3]){0, 0, 1}, angle),
                         to = sphere ? turn : mote_transform_multiply(&turn, &bar.transform);
    const mote_range_view view = spawned(system, PARTICLES);
    static float x[PARTICLES][2], v[PARTICLES][2];
    random_source random = {7};
    for (uint32_t i = 0; i < PARTICLES; i++) {
        for (int k = 0; k < 2; k++)
            x[i][k] = random_between(&random, -0.2f, 0.2f), v[i][k] = random_between(&random, -20, 20);
        x[i][0] += sphere ? 0 : 0.5f;
        put(&view, i, x[i][0], x[i][1], 0);
        throw_at(&view, i, v[i][0], v[i][1], 0);
    }
    OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
    stepped(system, 1);
    uint32_t past = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        if (least_distance(sphere, x[i], v[i], angle) < 0.105) continue;
        past++;
        test_case("particle %u", i);
        ASSERT_NEAR((double)view.position.x[i], (double)x[i][0] + (double)v[i][0] / 60, 1e-6);
        ASSERT_NEAR((double)view.position.y[i], (double)x[i][1] + (double)v[i][1] / 60, 1e-6);
        ASSERT(view.velocity.x[i], ==, v[i][0]);
        ASSERT(view.velocity.y[i], ==, v[i][1]);
    }
    ASSERT(past, >, PARTICLES / 3);
    mote_system_destroy(system);
}
