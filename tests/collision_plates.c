/* Collisions of loose particles with thin plates that turn about an axis in their plane. */
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

static void strew(const mote_range_view *view, double thickness) {
    random_source random = {5};
    for (uint32_t i = 0; i < PARTICLES; i++) {
        float y = random_between(&random, -0.5f, 0.5f);
        if (fabs((double)y) < 2 * thickness) y = 0.3f;
        put(view, i, random_between(&random, -0.45f, 0.45f), y, random_between(&random, -0.4f, 0.4f));
        throw_at(view, i, random_between(&random, -10, 10), random_between(&random, -10, 10), 0);
    }
}

/* No particle ends a step inside the plate, of 1 m x 1 m, or on its other side, unless it could have gone
 * around an edge. */
static void turn_plate(float thickness, float spin, float restitution) {
    static double was[PARTICLES][2], is[PARTICLES][2];
    mote_system_def def = bare_def(PARTICLES, MOTE_SEMI_IMPLICIT_EULER);
    mote_system *system = system_of(&def);
    const mote_transform still = MOTE_TRANSFORM_IDENTITY;
    mote_collider_def plate = mote_box(&still, (float[3]){0.5f, thickness, 0.5f});
    plate.restitution = restitution, plate.friction = 0;
    const mote_collider_id id = add_collider(system, plate);
    const mote_range_view view = spawned(system, PARTICLES);
    strew(&view, (double)thickness);
    look(&view, 0, was);
    for (int step = 1; step <= STEPS; step++) {
        const double angle = (double)spin * step / 60;
        const mote_transform to = turned(0, 0, 0, (float[3]){0, 0, 1}, angle);
        OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
        stepped(system, 1);
        look(&view, angle, is);
        for (uint32_t i = 0; i < PARTICLES; i++) {
            test_case("%g m thick, %g rad/s, step %d, particle %u", (double)thickness, (double)spin, step, i);
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
        turn_plate(thicknesses[i / 3], spins[i % 3], 0.5f * (float)number);
}
