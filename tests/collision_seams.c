/* Loose particles where boxes meet: crates of six that turn, walls that stand flush on a floor, boxes that
 * overlap, and the edges of tables. */
#include "collision_scene.h"

/* --- A crate of six boxes that touch --- */

enum { IN_CRATE = 256 };

static const float crate_axis[3] = {0.48f, 0.64f, 0.6f};

/* Placement of wall k of a crate with the inner half edge 1/2, which is turned by an angle about its centre.
 */
static mote_transform wall_at(int k, double angle) {
    const mote_transform turn = turned(0, 0, 0, crate_axis, angle);
    mote_transform at = MOTE_TRANSFORM_IDENTITY;
    at.position[k / 2] = k % 2 ? 0.55f : -0.55f;
    return mote_transform_multiply(&turn, &at);
}

static mote_system *crate_system(float radius, float restitution, float friction, uint32_t substeps,
                                 mote_collider_id walls[6]) {
    mote_system_def def = bare_def(IN_CRATE, MOTE_SEMI_IMPLICIT_EULER);
    def.collision_radius = radius, def.friction = friction, def.substeps = substeps;
    mote_system *system = system_of(&def);
    add_gravity(system);
    for (int k = 0; k < 6; k++) {
        float extent[3] = {0.5f, 0.5f, 0.5f};
        extent[k / 2] = 0.05f;
        const mote_transform at = wall_at(k, 0);
        mote_collider_def wall = mote_box(&at, extent);
        wall.restitution = restitution, wall.friction = friction;
        walls[k] = add_collider(system, wall);
    }
    return system;
}

static void throw_in_crate(const mote_range_view *view) {
    random_source random = {7};
    for (uint32_t i = 0; i < IN_CRATE; i++) {
        put(view, i, random_between(&random, -0.4f, 0.4f), random_between(&random, -0.4f, 0.4f),
            random_between(&random, -0.4f, 0.4f));
        throw_at(view, i, random_between(&random, -3, 3), random_between(&random, -3, 3),
                 random_between(&random, -3, 3));
    }
}

/* Largest coordinate in the axes of the crate, m. */
static double reach_in(const mote_range_view *view, uint32_t i, const mote_transform *crate) {
    const double d[3] = {(double)view->position.x[i], (double)view->position.y[i],
                         (double)view->position.z[i]};
    double q[3];
    into_axes(crate->rotation, d, q);
    return fmax(fmax(fabs(q[0]), fabs(q[1])), fabs(q[2]));
}

/* The walls touch at their edges alone: no particle leaves between them, and none is in a wall. */
static void turn_crate(float spin, float radius, float restitution, float friction, uint32_t substeps) {
    enum { STEPS = 240 };
    mote_collider_id walls[6];
    mote_system *system = crate_system(radius, restitution, friction, substeps, walls);
    const mote_range_view view = spawned(system, IN_CRATE);
    throw_in_crate(&view);
    for (int step = 1; step <= STEPS; step++) {
        const double angle = (double)spin * step / 60;
        for (int k = 0; k < 6 && spin > 0; k++) {
            const mote_transform to = wall_at(k, angle);
            OK(mote_system_move_collider(system, walls[k], &to, MOTE_NEXT_ADVANCE));
        }
        stepped(system, 1);
        const mote_transform crate = turned(0, 0, 0, crate_axis, angle);
        for (uint32_t i = 0; i < IN_CRATE; i++) {
            test_case("%g rad/s, radius %g, restitution %g, friction %g, %u substeps, step %d, particle %u",
                      (double)spin, (double)radius, (double)restitution, (double)friction, substeps, step, i);
            ASSERT(reach_in(&view, i, &crate), <=, 0.5 - (double)radius + 1e-5);
        }
    }
    mote_system_destroy(system);
}

static const char *restitution_name(uint32_t i) { return i == 0 ? "0" : i == 1 ? "0.5" : "1"; }

TEST_EACH(no_point_leaves_a_crate, 3, restitution_name, number) {
    static const float spins[] = {0, 0.05f, 0.2f};
    for (size_t i = 0; i < COUNT_OF(spins); i++) {
        turn_crate(spins[i], 0, 0.5f * (float)number, 0.3f, 1);
        turn_crate(spins[i], 0, 0.5f * (float)number, 0, 4);
    }
}

TEST_EACH(no_ball_leaves_a_crate_that_turns_fast, 3, restitution_name, number) {
    static const float spins[] = {1, 3, 6};
    for (size_t i = 0; i < COUNT_OF(spins); i++) {
        turn_crate(spins[i], 0.001f, 0.5f * (float)number, 0.3f, 1);
        turn_crate(spins[i], 0.02f, 0.5f * (float)number, 0, 1);
    }
}

/* --- Boxes that stand on each other --- */

/* Particles slide over a floor of two boxes that are flush, as over one, into a wall that stands on it, and
 * bounce off its foot. */
static void slide_to_wall(float y, float radius, float restitution) {
    enum { COUNT = 1000 };
    mote_system_def def = bare_def(COUNT, MOTE_SEMI_IMPLICIT_EULER);
    def.friction = 0, def.collision_radius = radius;
    mote_system *system = system_of(&def);
    add_gravity(system);
    for (int k = 0; k < 3; k++) {
        const mote_transform at = {{k < 2 ? 2 * (float)k - 1 : 1.75f, k < 2 ? y - 0.5f : y + 0.5f, 0},
                                   {0, 0, 0, 1}};
        mote_collider_def box = mote_box(&at, (float[3]){k < 2 ? 1 : 0.25f, 0.5f, 3});
        box.restitution = k < 2 ? restitution : 1;
        add_collider(system, box);
    }
    const mote_range_view view = spawned(system, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        put(&view, i, -0.5f - 1e-4f * (float)i, y + radius, 0.002f * (float)i - 1);
        throw_at(&view, i, 2 + 1e-3f * (float)i, 0, 0);
    }
    stepped(system, 90);
    for (uint32_t i = 0; i < COUNT; i++) {
        test_case("floor at %g m, radius %g, particle %u", (double)y, (double)radius, i);
        ASSERT_NEAR(view.velocity.x[i], -2 - 1e-3 * i, 1e-4);
        ASSERT_NEAR(view.position.y[i], (double)y + (double)radius, 1e-6 * (2 + fabs((double)y)));
    }
    mote_system_destroy(system);
}

TEST_EACH(particles_slide_over_a_seam_and_bounce_off_a_foot, 3, restitution_name, number) {
    static const float heights[] = {0, 0.3f, -7.1f, 40}, radii[] = {0, 1e-5f, 1e-3f, 0.02f};
    for (size_t k = 0; k < COUNT_OF(heights) * COUNT_OF(radii); k++)
        slide_to_wall(heights[k / 4], radii[k % 4], 0.5f * (float)number);
}

/* Particles that begin where two boxes overlap come out of both in the first step. */
TEST(particles_come_out_of_boxes_that_overlap) {
    enum { COUNT = 1000 };
    for (int k = 0; k < 3; k++) {
        mote_system_def def = bare_def(COUNT, MOTE_SEMI_IMPLICIT_EULER);
        def.collision_radius = 0.01f * (float)k;
        mote_system *system = system_of(&def);
        const mote_transform a = turned(0, 0, 0, (float[3]){0, 0, 1}, 0.3 * k),
                             b = turned(0.6f, 0.1f, 0, (float[3]){0, 0, 1}, 0);
        const mote_collider_def boxes[] = {mote_box(&a, (float[3]){0.5f, 0.5f, 2}),
                                           mote_box(&b, (float[3]){0.5f, 0.6f, 2})};
        for (int n = 0; n < 2; n++) add_collider(system, boxes[n]);
        const mote_range_view view = spawned(system, COUNT);
        random_source random = {9};
        for (uint32_t i = 0; i < COUNT; i++)
            put(&view, i, random_between(&random, 0.1f, 0.5f), random_between(&random, -0.4f, 0.4f), 0);
        stepped(system, 1);
        for (uint32_t i = 0; i < COUNT; i++) {
            float x[3];
            place_of(&view, i, x);
            for (int n = 0; n < 2; n++) {
                test_case("case %d, particle %u, box %d", k, i, n);
                ASSERT(distance_to(&boxes[n], x), >, (double)def.collision_radius - 1e-5);
            }
        }
        mote_system_destroy(system);
    }
}

/* A throw over the edge of a table whose chord in a step meets the edge, and whose parabola does not: the
 * table is not hit. */
TEST(a_throw_beyond_an_edge_hits_nothing) {
    enum { THROWS = 1000 };
    const mote_system_def def = bare_def(THROWS, MOTE_VELOCITY_VERLET);
    mote_system *system = system_of(&def);
    add_gravity(system);
    const mote_transform at = {{-1, -0.5f, 0}, {0, 0, 0, 1}};
    add_collider(system, mote_box(&at, (float[3]){1, 0.5f, 3}));
    const mote_range_view view = spawned(system, THROWS);
    /* At t = 1/120 s they are `above` over the edge, less than g t^2 / 2 = 0.34 mm. */
    const double t = 1.0 / 120, g = (double)GRAVITY;
    for (uint32_t i = 0; i < THROWS; i++) {
        const double above = 1e-5 + 3.2e-4 * i / THROWS;
        put(&view, i, (float)(-4 * t), (float)(above + 2 * t + g * t * t / 2), 0);
        throw_at(&view, i, 4, -2, 0);
    }
    stepped(system, 1);
    for (uint32_t i = 0; i < THROWS; i++) {
        test_case("throw %u", i);
        ASSERT_NEAR(view.velocity.x[i], 4, 1e-6);
        ASSERT_NEAR(view.velocity.y[i], -2 - 2 * g * t, 1e-6);
    }
    mote_system_destroy(system);
}

/* --- Hits at the end of a substep --- */

/* Particles that reach the face of a box that turns where it is when the substep ends, but for rounding: in
 * no time it gives them no speed. */
static void hit_at_the_end(float spin, float restitution, random_source *random) {
    enum { COUNT = 20000 };
    mote_system_def def = bare_def(COUNT, MOTE_SEMI_IMPLICIT_EULER);
    mote_system *system = system_of(&def);
    const double tilt = (double)random_between(random, 0, 1.5f);
    float axis[3] = {random_between(random, -0.5f, 0.5f), random_between(random, -0.5f, 0.5f), 0.5f};
    const float length = sqrtf(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int k = 0; k < 3; k++) axis[k] /= length;
    const mote_transform at = turned(0, -0.5f, 0, axis, tilt),
                         to = turned(0, -0.5f, 0, axis, tilt + (double)spin / 60);
    const float *r = to.rotation, back[4] = {-r[0], -r[1], -r[2], r[3]};
    mote_collider_def box = mote_box(&at, (float[3]){1, 0.5f, 1});
    box.restitution = restitution;
    const mote_collider_id id = add_collider(system, box);
    const mote_range_view view = spawned(system, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const double q[3] = {(double)random_between(random, -0.8f, 0.8f), 0.5,
                             (double)random_between(random, -0.8f, 0.8f)};
        double x[3], up[3], v[3];
        into_axes(back, q, x), into_axes(back, (double[3]){0, 1, 0}, up);
        for (int k = 0; k < 3; k++) {
            v[k] = (double)random_between(random, -1, 1) - 20 * up[k];
            x[k] += (double)to.position[k] - v[k] / 60 + 1e-6 * (double)random_between(random, -1, 1) * up[k];
        }
        put(&view, i, (float)x[0], (float)x[1], (float)x[2]);
        throw_at(&view, i, (float)v[0], (float)v[1], (float)v[2]);
    }
    OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
    stepped(system, 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        test_case("%g rad/s, restitution %g, particle %u", (double)spin, (double)restitution, i);
        ASSERT(hypot(hypot(view.velocity.x[i], view.velocity.y[i]), view.velocity.z[i]), <=, 25.0);
    }
    mote_system_destroy(system);
}

TEST_EACH(a_face_gives_no_speed_in_no_time, 3, restitution_name, number) {
    static const float spins[] = {1e-3f, 1e-2f, 0.1f, 1};
    random_source random = {11};
    for (size_t i = 0; i < 5 * COUNT_OF(spins); i++)
        hit_at_the_end(spins[i % COUNT_OF(spins)], 0.5f * (float)number, &random);
}
