/* Height fields: loose particles rest on, slide over, bounce off and never pass the surface that the header
 * defines. */
#include <math.h>
#include <string.h>

#include "terrain.h"

/* --- The surface --- */

static terrain_shape *const shapes[] = {flat_shape, slope_shape, bumpy_shape, bowl_shape};
static const char *shape_name(uint32_t i) {
    static const char *const names[] = {"flat", "slope", "bumpy", "bowl"};
    return names[i];
}

TEST_EACH(dropped_particles_rest_on_the_planes_of_their_triangles, 4, shape_name, shape) {
    static const float radii[] = {0, 0.05f};
    terrain *t = terrain_of(shapes[shape], 0.5f);
    for (size_t r = 0; r < COUNT_OF(radii); r++) {
        enum { COUNT = 500 };
        mote_system *system = over(t, MOTE_VELOCITY_VERLET, COUNT, radii[r], 8, 0.3f);
        const mote_range_view view = mote_system_view(system);
        scatter_over(t, &view, 2, 0);
        stepped(system, 600);
        uint32_t resting = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            test_case("particle %u of radius %g", i, (double)radii[r]);
            ASSERT_NEAR(view_above(t, (double)radii[r], &view, i), 0, 2e-5);
            resting += view.velocity.x[i] == 0 && view.velocity.y[i] == 0 && view.velocity.z[i] == 0;
        }
        ASSERT(resting, ==, (uint32_t)COUNT);
        mote_system_destroy(system);
    }
    terrain_end(t);
}

TEST(a_flat_field_is_a_plane) {
    static const float tilts[] = {0, 0.3f};
    terrain *t = terrain_of(flat_shape, 0.5f);
    for (size_t k = 0; k < COUNT_OF(tilts); k++) {
        mote_system *systems[2];
        mote_range_view views[2];
        const mote_transform at = turned(-16, 0, -16, (float[3]){0, 0, 1}, (double)tilts[k]);
        for (int plane = 0; plane < 2; plane++) {
            mote_system_def def = bare_def(200, MOTE_VELOCITY_VERLET);
            def.collision_radius = 0.1f, def.friction = 0.5f;
            systems[plane] = system_of(&def);
            add_gravity(systems[plane]);
            mote_collider_def floor =
                plane ? mote_plane(at.position, (float[3]){-sinf(tilts[k]), cosf(tilts[k]), 0})
                      : mote_height_field_collider(&at, t->field);
            floor.friction = 0.2f, floor.restitution = 0.8f;
            add_collider(systems[plane], floor);
            views[plane] = spawned(systems[plane], 200);
            random_source random = {3};
            for (uint32_t i = 0; i < 200; i++) {
                put(&views[plane], i, random_between(&random, -3, 3), random_between(&random, 6, 9),
                    random_between(&random, -3, 3));
                throw_at(&views[plane], i, random_between(&random, -1, 1), 0, random_between(&random, -1, 1));
            }
        }
        for (int n = 0; n < 120; n++) {
            for (int plane = 0; plane < 2; plane++) stepped(systems[plane], 1);
            for (uint32_t i = 0; i < 200; i++) {
                test_case("tilt %g, step %d, particle %u", (double)tilts[k], n, i);
                ASSERT_NEAR(views[0].position.x[i], views[1].position.x[i], 2e-4);
                ASSERT_NEAR(views[0].position.y[i], views[1].position.y[i], 2e-4);
                ASSERT_NEAR(views[0].velocity.y[i], views[1].velocity.y[i], 2e-3);
            }
        }
        for (int plane = 0; plane < 2; plane++) mote_system_destroy(systems[plane]);
    }
    terrain_end(t);
}

/* Height of the bounce number n: e^(2 n) of the drop. */
TEST(bounces_have_the_heights_of_the_closed_form) {
    terrain *t = terrain_of(flat_shape, 0.5f);
    static const float restitutions[] = {0, 0.3f, 0.7f, 1};
    for (size_t k = 0; k < COUNT_OF(restitutions); k++) {
        const double e = (double)restitutions[k];
        mote_system *system = over(t, MOTE_VELOCITY_VERLET, 1, 0, 0, restitutions[k]);
        const mote_range_view view = mote_system_view(system);
        put(&view, 0, 16.2f, 2, 16.1f), throw_at(&view, 0, 0, 0, 0);
        const double first = sqrt(2 * 2 / (double)GRAVITY), second = 2 * e * first;
        double highest = 0, highest_second = 0;
        for (int n = 0; n < 240; n++) {
            stepped(system, 1);
            const double time = (n + 1) / 60.0, y = (double)view.position.y[0];
            if (time > first && time < first + second) highest = fmax(highest, y);
            if (time > first + second && time < first + (1 + e) * second)
                highest_second = fmax(highest_second, y);
        }
        test_case("restitution %g", e);
        const double step = (double)GRAVITY / (8 * 60 * 60); /* between two steps the top is missed by this */
        ASSERT_NEAR(highest, 2 * e * e, step + 1e-4);
        ASSERT_NEAR(highest_second, e == 0 ? 0 : 2 * e * e * e * e, step + 1e-4);
        mote_system_destroy(system);
    }
    terrain_end(t);
}

TEST(beyond_the_samples_is_nothing_and_inside_is_put_out_without_speed) {
    terrain *t = terrain_of(slope_shape, 0.5f);
    mote_system_def def = bare_def(3, MOTE_VELOCITY_VERLET);
    mote_system *system = system_of(&def);
    add_collider(system, collider_of(t, 0, 0.5f));
    const mote_range_view view = spawned(system, 3);
    put(&view, 0, 10, 3.6f, 10);                               /* 0.4 m under the slope */
    put(&view, 1, -0.1f, -5, 10), throw_at(&view, 1, 0, 1, 0); /* beside it */
    put(&view, 2, 32.1f, 20, 10), throw_at(&view, 2, 0, -600, 0);
    stepped(system, 2);
    ASSERT_NEAR(view_above(t, 0, &view, 0), 0, 1e-5);
    ASSERT_NEAR(view.position.x[0], 10 - 0.4 * 0.4 / 1.16, 1e-4); /* along the normal */
    ASSERT(view.velocity.x[0] == 0 && view.velocity.y[0] == 0, ==, true);
    stepped(system, 58);
    ASSERT_NEAR(view.position.y[1], -4, 1e-4);
    ASSERT_NEAR(view.position.y[2], -580, 1e-2);
    mote_system_destroy(system);
    terrain_end(t);
}

static float valleys_shape(random_source *random, float x, float z) {
    return (void)random, (void)z, 10 * fabsf(fmodf(x, 4) - 2);
}

/* Of slopes of 84 degrees, from any place below them and from beside the field. The way along the normal of a
 * slope ends below the other one. */
TEST(from_below_steep_valleys_particles_are_on_top_in_two_steps) {
    static const float radii[] = {0, 0.02f};
    terrain *t = terrain_of(valleys_shape, 0.5f);
    for (size_t k = 0; k < COUNT_OF(radii); k++) {
        mote_system *system = over(t, MOTE_SEMI_IMPLICIT_EULER, 1000, radii[k], 0.5f, 0.3f);
        const mote_range_view view = mote_system_view(system);
        random_source random = {5};
        for (uint32_t i = 0; i < 1000; i++) {
            const float x = random_between(&random, 0.1f, 31.9f), depth = random_between(&random, 0.1f, 9);
            put(&view, i, x, valleys_shape(NULL, x, 0) - depth, i % 2 ? 0.01f * (float)i : -0.05f);
            throw_at(&view, i, 0, 0, i % 2 ? 0 : 6);
        }
        stepped(system, 1);
        for (int step = 2; step <= 60; step++) {
            stepped(system, 1);
            for (uint32_t i = 0; i < 1000; i++) {
                test_case("particle %u of radius %g, step %d", i, (double)radii[k], step);
                ASSERT(view_above(t, (double)radii[k], &view, i), >, -1e-4);
            }
        }
        mote_system_destroy(system);
    }
    terrain_end(t);
}

/* --- Tunnelling --- */

enum { SHOTS = 150000 };

/* Least distance on the way from x to y: the height above the surface is linear between the lines of the
 * lattice, of both directions and of the diagonals. */
static double least_above(const terrain *t, double r, const double x[3], const double y[3]) {
    double least = fmin(above_terrain(t, r, x), above_terrain(t, r, y));
    const double step[2] = {(double)t->def.spacing[0], (double)t->def.spacing[1]};
    const double from[2] = {x[0] / step[0], x[2] / step[1]}, to[2] = {y[0] / step[0], y[2] / step[1]};
    for (int family = 0; family < 3; family++) {
        const double a = family < 2 ? from[family] : from[0] - from[1],
                     b = family < 2 ? to[family] : to[0] - to[1];
        const int low = (int)ceil(fmax(fmin(a, b), -TERRAIN)), high = (int)floor(fmin(fmax(a, b), TERRAIN));
        for (int line = low; line <= high && a != b; line++) {
            const double f = (line - a) / (b - a);
            const double at[3] = {x[0] + f * (y[0] - x[0]), x[1] + f * (y[1] - x[1]),
                                  x[2] + f * (y[2] - x[2])};
            least = fmin(least, above_terrain(t, r, at));
        }
    }
    return least;
}

static void aim(const terrain *t, const mote_range_view *view, uint32_t i, double r, random_source *random) {
    const float speed = random_between(random, 10, 10000);
    const float f = random_between(random, 0.05f, 0.95f);
    double from[3] = {0, 0, 0}, ground = 0, normal[3];
    do {
        const float x = random_between(random, 0, terrain_edge(t, 0)),
                    z = random_between(random, 0, terrain_edge(t, 2));
        float way[3] = {random_between(random, -1, 1), random_between(random, -1, 0.2f),
                        random_between(random, -1, 1)};
        const float size = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) + 1e-9f;
        for (int k = 0; k < 3; k++) way[k] *= speed / size;
        surface_at(t, r, (double)x, (double)z, &ground, normal);
        throw_at(view, i, way[0], way[1], way[2]);
        put(view, i, x - f / 60 * way[0], (float)ground + random_between(random, -0.5f, 1) - f / 60 * way[1],
            z - f / 60 * way[2]);
        from[0] = (double)view->position.x[i], from[1] = (double)view->position.y[i];
        from[2] = (double)view->position.z[i];
    } while (above_terrain(t, r, from) < 1e-3);
}

static bool leaves_by_a_side(const terrain *t, double r, const double x[3], const double y[3]);

static const char *radius_name(uint32_t i) { return i ? "radius of 0.1 m" : "points"; }

/* Each path at up to 10 km/s that comes 1 mm below the surface hits it, and none that stays 1 mm above it.
 * Paths that enter the solid by a side of the field are not counted. */
TEST_EACH(nothing_tunnels_through, 2, radius_name, number) {
    const double r = number ? 0.1 : 0, graze = 1e-3;
    terrain *t = terrain_of_cells(bumpy_shape, 0.5f, 0.4f);
    mote_system_def def = bare_def(SHOTS, MOTE_SEMI_IMPLICIT_EULER);
    def.particle_ids = false, def.collision_radius = (float)r;
    mote_system *system = system_of(&def);
    mote_collider_def ground = collider_of(t, 0, 1);
    ground.response = MOTE_RESPONSE_KILL;
    add_collider(system, ground);
    const mote_range_view view = spawned(system, SHOTS);
    random_source random = {number + 5};
    uint32_t certain = 0, possible = 0, far = 0;
    for (uint32_t i = 0; i < SHOTS; i++) {
        aim(t, &view, i, r, &random);
        const double x[3] = {(double)view.position.x[i], (double)view.position.y[i],
                             (double)view.position.z[i]};
        const double v[3] = {(double)view.velocity.x[i], (double)view.velocity.y[i],
                             (double)view.velocity.z[i]};
        const double y[3] = {x[0] + v[0] / 60, x[1] + v[1] / 60, x[2] + v[2] / 60};
        const double least = least_above(t, r, x, y);
        const bool counts = (least < -graze || least > graze) && !leaves_by_a_side(t, r, x, y);
        if (!counts) put(&view, i, 0, 5000, 0), throw_at(&view, i, 0, 0, 0);
        certain += counts && least < -graze, possible += !counts;
        far += counts && fabs(v[0]) + fabs(v[2]) > 1000;
    }
    ASSERT(certain, >, SHOTS / 4u);
    ASSERT(far, >, SHOTS / 5u);
    ASSERT(possible, <, SHOTS / 4u * 3u);
    const mote_advance report = stepped(system, 1);
    ASSERT(report.collided, ==, certain);
    mote_system_destroy(system);
    terrain_end(t);
}

/* Whether a path crosses a side of the field below the surface, or near to it. */
static bool leaves_by_a_side(const terrain *t, double r, const double x[3], const double y[3]) {
    for (int axis = 0; axis < 3; axis += 2)
        for (int side = 0; side < 2; side++) {
            const double edge = (double)terrain_edge(t, axis);
            const double f = (side * edge - x[axis]) / (y[axis] - x[axis]);
            double at[3];
            if (!(f >= 0 && f <= 1)) continue;
            for (int k = 0; k < 3; k++) at[k] = x[k] + f * (y[k] - x[k]);
            at[axis] = side * edge;
            if (above_terrain(t, r, at) < 0.01) return true;
        }
    return false;
}

TEST(fast_particles_bounce_and_end_above_a_field_that_moves_and_turns) {
    enum { COUNT = 20000 };
    terrain *t = terrain_of(bumpy_shape, 0.5f);
    for (int turns = 0; turns < 2; turns++) {
        mote_system_def def = bare_def(COUNT, MOTE_SEMI_IMPLICIT_EULER);
        mote_system *system = system_of(&def);
        mote_collider_def ground = collider_of(t, 0.3f, 0.5f);
        const mote_collider_id id = add_collider(system, ground);
        const mote_range_view view = spawned(system, COUNT);
        scatter_over(t, &view, 30, 3000);
        mote_transform to = turned(0.3f, 0.2f, -0.1f, (float[3]){0.6f, 0, 0.8f}, turns ? 0.02 : 0);
        OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
        stepped(system, 1);
        uint32_t inside = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            float x[3];
            double d[3], q[3];
            place_of(&view, i, x);
            for (int k = 0; k < 3; k++) d[k] = (double)x[k] - (double)to.position[k];
            into_axes(to.rotation, d, q);
            inside += above_terrain(t, 0, q) < (turns ? -5e-3 : -1e-3);
        }
        test_case("turns: %d", turns);
        ASSERT(inside, <=, COUNT / 1000u); /* came back by a side, or had more than 4 contacts */
        mote_system_destroy(system);
    }
    terrain_end(t);
}

/* A spike of 10 m in a plain, 0.1 m from sample to sample: the surface of particles of 0.1 m has its top at
 * 10 m + 0.1 m (4 sqrt(1 + 100^2) + 2 sqrt(1 + 2 100^2)) / 6 = 21.38 m. */
enum { SPIKE = 9 };

static mote_height_field *spike(void) {
    float heights[SPIKE * SPIKE] = {0};
    mote_height_field_def def = mote_default_height_field_def();
    mote_height_field *field;
    heights[SPIKE * SPIKE / 2] = 10;
    def.count[0] = def.count[1] = SPIKE, def.spacing[0] = def.spacing[1] = 0.1f, def.heights = heights;
    OK(mote_height_field_create(&def, &field));
    return field;
}

/* Steps a particle of 0.1 m once, in which the field turns by `angle` about its y axis. Returns its height,
 * or -INFINITY if the field killed it. */
static double stepped_at_spike(const mote_height_field *field, mote_response response, double angle, float at,
                               float from, float speed) {
    mote_system_def def = bare_def(1, MOTE_SEMI_IMPLICIT_EULER);
    def.collision_radius = 0.1f;
    mote_system *system = system_of(&def);
    mote_collider_def ground = mote_height_field_collider(&(mote_transform)MOTE_TRANSFORM_IDENTITY, field);
    ground.response = response;
    const mote_collider_id id = add_collider(system, ground);
    const mote_range_view view = spawned(system, 1);
    const mote_transform to = turned(0, 0, 0, (float[3]){0, 1, 0}, angle);
    put(&view, 0, at, from, at), throw_at(&view, 0, 0, speed, 0);
    OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
    const double height = stepped(system, 1).collided ? -(double)INFINITY : (double)view.position.y[0];
    mote_system_destroy(system);
    return height;
}

TEST(a_steep_field_that_turns_is_hit_where_one_at_rest_is) {
    mote_height_field *field = spike();
    static const float angles[] = {0, 1e-4f, 0.02f}, from[] = {22, 21.5f, 21.4f}, depth[] = {1, 30, 50, 1000};
    for (size_t k = 0; k < COUNT_OF(angles); k++) {
        const double angle = (double)angles[k];
        for (size_t i = 0; i < COUNT_OF(from); i++) {
            const double hit = stepped_at_spike(field, MOTE_RESPONSE_KILL, angle, 0.4f, from[i], -600),
                         over = stepped_at_spike(field, MOTE_RESPONSE_KILL, angle, 0.4f, from[i], -0.1f);
            test_case("turns by %g, from %g m", angle, (double)from[i]);
            ASSERT(hit < -1e9, ==, true);
            ASSERT_NEAR(over, (double)from[i] - 0.1 / 60, 1e-5);
        }
        for (size_t i = 0; i < COUNT_OF(depth); i++) {
            test_case("turns by %g, %g m deep", angle, (double)depth[i]);
            ASSERT_NEAR(stepped_at_spike(field, MOTE_RESPONSE_BOUNCE, angle, 0.75f, -depth[i], 0), 0.1, 1e-4);
        }
    }
    mote_height_field_destroy(field);
}

/* A narrow field along x or z, flat but for a ridge at its far end: the way to it crosses all cells. */
TEST(one_step_along_a_narrow_field_ends_at_the_ridge) {
    enum { LONG = 60, NARROW = 3 };
    for (int along = 0; along < 2; along++) {
        float heights[LONG * NARROW] = {0};
        mote_height_field_def ground = mote_default_height_field_def();
        mote_height_field *field;
        ground.count[along] = LONG, ground.count[!along] = NARROW, ground.heights = heights;
        for (uint32_t k = 0; k < NARROW; k++)
            heights[along ? k + NARROW * (LONG - 2) : k * LONG + LONG - 2] = 2;
        OK(mote_height_field_create(&ground, &field));
        mote_system_def def = bare_def(1, MOTE_SEMI_IMPLICIT_EULER);
        mote_system *system = system_of(&def);
        add_collider(system, mote_height_field_collider(&(mote_transform)MOTE_TRANSFORM_IDENTITY, field));
        const mote_range_view view = spawned(system, 1);
        put(&view, 0, along ? 1 : 0.5f, 1, along ? 0.5f : 1);
        throw_at(&view, 0, along ? 0 : 6000, 0, along ? 6000 : 0); /* 100 m in a step */
        stepped(system, 1);
        const float end = along ? view.position.z[0] : view.position.x[0];
        test_case("along %s: %g m", along ? "z" : "x", (double)end);
        ASSERT(end, <=, LONG - 2.49f);
        mote_system_destroy(system);
        mote_height_field_destroy(field);
    }
}

/* --- Rest, friction, energy --- */

TEST(particles_at_rest_keep_their_bits_for_100000_steps) {
    static const mote_integrator all[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                          MOTE_POSITION_VERLET};
    enum { COUNT = 32 };
    terrain *t = terrain_of(bumpy_shape, 0.5f);
    for (size_t k = 0; k < COUNT_OF(all); k++)
        for (int slides = 0; slides < 2; slides++) { /* with little friction they come to rest in the pits */
            mote_system *system = over(t, all[k], COUNT, 0.02f, slides ? 0.3f : 5, 0.2f);
            const mote_range_view view = mote_system_view(system);
            scatter_over(t, &view, 1, 0);
            stepped(system, 30000);
            float before[3][COUNT];
            const float *const x[3] = {view.position.x, view.position.y, view.position.z};
            for (int axis = 0; axis < 3; axis++) memcpy(before[axis], x[axis], sizeof before[axis]);
            stepped(system, 100000);
            uint32_t same = 0;
            for (uint32_t i = 0; i < COUNT; i++) {
                bool rests = true;
                for (int axis = 0; axis < 3; axis++) {
                    test_case("%s, particle %u, slides %d", integrator_name(all[k]), i, slides);
                    ASSERT_NEAR(x[axis][i], before[axis][i], slides ? 1e-4 : 0);
                    rests = rests && x[axis][i] == before[axis][i];
                }
                same += rests;
                ASSERT_NEAR(view_above(t, (double)0.02f, &view, i), 0, 2e-5);
            }
            ASSERT(same, >=, COUNT * (slides ? 3u : 4u) / 4u);
            mote_system_destroy(system);
        }
    terrain_end(t);
}

TEST(friction_holds_on_a_slope_or_lets_slide_with_the_closed_form) {
    static const mote_integrator all[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                          MOTE_POSITION_VERLET};
    static const float frictions[] = {0, 0.25f, 0.41f};
    terrain *t = terrain_of(slope_shape, 0.5f);
    for (size_t k = 0; k < COUNT_OF(all); k++)
        for (size_t f = 0; f < COUNT_OF(frictions); f++) {
            mote_system *system = over(t, all[k], 1, 0, frictions[f], 0);
            const mote_range_view view = mote_system_view(system);
            put(&view, 0, 20, 8, 10.3f), throw_at(&view, 0, 0, 0, 0);
            stepped(system, 60);
            const double v0 = -(double)view.velocity.x[0], x0 = (double)view.position.x[0];
            stepped(system, 60);
            const double cosine = 1 / sqrt(1.16),
                         along = (double)GRAVITY * cosine * fmax(0, 0.4 - (double)frictions[f]);
            test_case("%s, friction %g", integrator_name(all[k]), (double)frictions[f]);
            ASSERT_NEAR(-(double)view.velocity.x[0] - v0, along * cosine, 2e-3);
            ASSERT_NEAR(x0 - (double)view.position.x[0], v0 + along * cosine / 2, 0.05);
            ASSERT_NEAR(view_above(t, 0, &view, 0), 0, 1e-5);
            if (frictions[f] > 0.4f) ASSERT((double)view.position.x[0], ==, 20.0);
            mote_system_destroy(system);
        }
    terrain_end(t);
}

/* Up to 4 contacts a step may each put a particle out of the ground by 2 tolerances of 2^-22 of its
 * coordinate (26 m), which gains that times g: 4.9e-4 J/kg. Flight gains 1e-6 of the energy by rounding. */
TEST_EACH(energy_never_grows, 4, shape_name, shape) {
    enum { COUNT = 300, STEPS = 400 };
    static const float restitutions[] = {0, 0.5f, 1};
    terrain *t = terrain_of(shapes[shape], 0.5f);
    for (size_t k = 0; k < COUNT_OF(restitutions); k++) {
        mote_system *system = over(t, MOTE_VELOCITY_VERLET, COUNT, 0, 0, restitutions[k]);
        const mote_range_view view = mote_system_view(system);
        scatter_over(t, &view, 1, 2);
        double first[COUNT], last[COUNT];
        uint32_t tested = 0;
        for (uint32_t i = 0; i < COUNT; i++) first[i] = last[i] = energy_at(&view, i);
        for (int n = 0; n < STEPS; n++) {
            stepped(system, 1);
            for (uint32_t i = 0; i < COUNT; i++) {
                const double energy = energy_at(&view, i);
                test_case("restitution %g, particle %u, step %d", (double)restitutions[k], i, n);
                if (view_above(t, 0, &view, i) > 5) continue; /* it fell past a side */
                ASSERT(energy, <=, last[i] + 4.9e-4 + 1e-6 * fabs(last[i]));
                ASSERT(energy, <=, first[i] + 1e-4 * (100 + fabs(first[i])));
                ASSERT(view_above(t, 0, &view, i), >, -1e-3);
                last[i] = energy, tested++;
            }
        }
        ASSERT(tested, >, (uint32_t)COUNT * STEPS / 4);
        mote_system_destroy(system);
    }
    terrain_end(t);
}
