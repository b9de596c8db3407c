/* Loose particles between a floor and a surface that leans over them and moves: their contacts with both
 * follow each other without end. They go on along both. They stopped there before, and a turning bar gave
 * them up to 19 times the speed of its end. */
#include "collision_scene.h"

#define RADIUS 0.02f

static const char *const names[] = {"capsule", "overhanging board", "board over the floor by 11 degrees"};

/* Floor, and one of the shapes along x, whose nearest point of the floor to the origin is in its middle. */
static mote_system *over_floor(int shape, uint32_t substeps, float length, obstacle *ground, obstacle *bar) {
    mote_system_def def = bare_def(1, MOTE_SEMI_IMPLICIT_EULER);
    def.substeps = substeps, def.friction = 0, def.collision_radius = RADIUS;
    mote_system *system = system_of(&def);
    ground->def = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    const double tilt = shape == 2 ? -1.37 : -0.6;
    const mote_transform leans = turned(0, shape == 2 ? 0.25f : 1, 0, (float[3]){1, 0, 0}, tilt);
    bar->def = shape ? mote_box(&leans, (float[3]){length, 1.5f, 0.05f})
                     : mote_capsule((float[3]){-length, 0.1f, 0}, (float[3]){length, 0.1f, 0}, 0.1f);
    ground->def.restitution = bar->def.restitution = 0;
    add_gravity(system);
    ground->id = add_collider(system, ground->def);
    bar->id = add_collider(system, bar->def);
    return system;
}

static void move(mote_system *system, const obstacle *which, mote_transform way) {
    const mote_transform to = mote_transform_multiply(&way, &which->def.transform);
    OK(mote_system_move_collider(system, which->id, &to, MOTE_NEXT_ADVANCE));
}

/* A bar that goes across its length, at an even speed or faster and faster, leaves a smooth ball the speed
 * that it has along it; where both rise like a lift, too. A plate across the way stops that. */
TEST(balls_slide_along_a_bar_that_sweeps_them_over_a_floor) {
    for (int i = 0; i < 48; i++) {
        const int shape = i % 3, faster = i / 3 & 1, plate = i / 6 & 1;
        const uint32_t substeps = i / 12 % 2 ? 4 : 1;
        const float lift = i / 24 ? 0.5f : 0;
        obstacle ground, bar;
        mote_system *system = over_floor(shape, substeps, 40, &ground, &bar);
        const float speed = plate ? 10 : 1;
        mote_transform wall = MOTE_TRANSFORM_IDENTITY;
        wall.position[0] = 2;
        if (plate) {
            mote_collider_def across = mote_box(&wall, (float[3]){0.005f, 9, 40});
            across.restitution = 0;
            add_collider(system, across);
        }
        const mote_range_view view = spawned(system, 1);
        put(&view, 0, -1, RADIUS, -1.2f);
        throw_at(&view, 0, speed, 0, 0);
        float y = 0, z = 0;
        for (int step = 1; step <= 180; step++) {
            z -= (faster ? 2 * (float)step / 60 : 2.0f) / 60;
            y += lift / 60;
            move(system, &ground, (mote_transform){{0, y, 0}, {0, 0, 0, 1}});
            move(system, &bar, (mote_transform){{0, y, z}, {0, 0, 0, 1}});
            stepped(system, 1);
        }
        test_case("%s, %s, %u substeps%s%s", names[shape], faster ? "faster" : "even", substeps,
                  plate ? ", plate" : "", i / 24 ? ", lift" : "");
        ASSERT_NEAR(view.position.x[0], plate ? 2 - 0.005 - (double)RADIUS : 2, 1e-3);
        ASSERT_NEAR(view.position.y[0], (double)(RADIUS + y), 1e-4);
        ASSERT_NEAR(view.velocity.y[0], (double)lift, 1e-3);
        ASSERT_NEAR(view.velocity.z[0], faster ? -6 : -2, 1e-3);
        mote_system_destroy(system);
    }
}

/* A bar that turns about the upright throws a ball out as a bead on a rod: with s along the bar and the way b
 * of its centre from the axis, s'' = w^2 s, and it goes (s' - w b, w s). It is at rest when the bar comes, so
 * that s' = w b. */
static double bead_speed(double w, double start, double end) {
    const double radius = (double)RADIUS + 0.1, low = 0.1 - (double)RADIUS,
                 square = radius * radius - low * low;
    const double s = end * end - square, rate = sqrt(s - (start * start - square) + square);
    return w * hypot(rate - sqrt(square), sqrt(s));
}

TEST(a_ball_under_a_bar_that_turns_is_a_bead_on_it) {
    static const double rates[] = {1, 3, 5};
    for (uint32_t i = 0; i < 9; i++) {
        const uint32_t substeps = 1u << 2 * (i / 3);
        const double w = rates[i % 3];
        obstacle ground, bar;
        mote_system *system = over_floor(0, substeps, 2, &ground, &bar);
        const mote_range_view view = spawned(system, 1);
        put(&view, 0, 1.3f, RADIUS, -0.3f);
        double speed = 0, radius = 0, most = 0;
        for (int step = 1; step <= 180 && radius < 1.9; step++) {
            move(system, &bar, turned(0, 0, 0, (float[3]){0, 1, 0}, w * step / 60));
            stepped(system, 1);
            speed = hypot((double)view.velocity.x[0], (double)view.velocity.z[0]);
            radius = hypot((double)view.position.x[0], (double)view.position.z[0]);
            most = fmax(most, (double)view.position.y[0]);
        }
        const double bead = bead_speed(w, hypot(1.3, 0.3), radius);
        test_case("%g rad/s, %u substeps: %g m/s at %g m, a bead %g", w, substeps, speed, radius, bead);
        ASSERT(radius, >=, 1.9);
        ASSERT_NEAR(speed / bead, 1, w / 60 / substeps); /* of first order in the angle of a substep */
        ASSERT(most, <, 0.021);
        mote_system_destroy(system);
    }
}
