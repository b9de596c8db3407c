/* Colliders far from the origin of the world: they move strands there as at the origin, and depths are those
 * of places, not of columns. At 1e5 m floats are 7.8 mm apart. */
#include "test.h"

#include "inside.h"
#include "one_strand.h"

enum { POINTS = 9, FRAMES = 40, MOST_SUBSTEPS = 64 };

static float positions[3 * POINTS];

static const double places[] = {0, 1e3, 1e4, 1e5};
static const uint32_t substeps[] = {1, 4, 8, 16, MOST_SUBSTEPS};

enum { PLANE, SPHERE, SHAPES };
static const char *const shape_name[] = {"plane", "sphere"};

static mote_transform upright(double x, double y, double z) {
    return (mote_transform){{(float)x, (float)y, (float)z}, {0, 0, 0, 1}};
}

/* --- Poses --- */

static mote_collider_id add(mote_system *system, const mote_collider_def *def) {
    mote_collider_id id;
    assert_int_equal(mote_system_add_collider(system, def, &id), MOTE_OK);
    return id;
}

/* A box that goes 1/64 m in x in three steps and turns by `angle` about z. */
static mote_system *slow_box(double at, double angle) {
    const mote_transform from = turn_about((double[3]){0, 0, 1}, 0.7, (double[3]){at, at, -at}),
                         to =
                             turn_about((double[3]){0, 0, 1}, 0.7 + angle, (double[3]){at + 0x1p-6, at, -at});
    const mote_collider_def def = mote_box(&from, (float[3]){1, 1, 1});
    const mote_system_def settings = mote_default_system_def();
    mote_system *system;
    assert_int_equal(mote_system_create(&settings, &system), MOTE_OK);
    const mote_collider_id id = add(system, &def);
    assert_int_equal(mote_colliders_reserve_rows(&system->colliders, MOST_SUBSTEPS + 1, &system->allocator),
                     MOTE_OK);
    assert_int_equal(mote_system_move_collider(system, id, &to, 3000), MOTE_OK);
    return system;
}

/* The way and the turn of each substep are those of the whole travel, divided, and a low part completes the
 * place. A collider that does not turn has no turn, to the bit. */
TEST(ways_and_turns_of_substeps_are_not_rounded_to_places) {
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (int turns = 0; turns < 2; turns++) {
            const double angle = turns ? 1e-3 : 0, part = 1.0 / (3 * MOST_SUBSTEPS);
            mote_system *system = slow_box(places[p], angle);
            for (uint64_t step = 0; step < 3; step++) {
                const mote_collider_pose *pose =
                    mote_colliders_poses(&system->colliders, 1000 * step, 1000, MOST_SUBSTEPS);
                for (uint32_t s = 1; s <= MOST_SUBSTEPS; s++) {
                    test_case("%g m, angle %g, step %d, substep %u", places[p], angle, (int)step, s);
                    const double way = 0x1p-6 * ((double)step + s / (double)MOST_SUBSTEPS) / 3;
                    ASSERT_NEAR(pose[s].shift[0], 0x1p-6 * part, 1e-6 * 0x1p-6 * part);
                    ASSERT(pose[s].shift[1], ==, 0);
                    ASSERT_NEAR(((double)pose[s].origin[0] - places[p]) + (double)pose[s].origin_low[0], way,
                                1e-9);
                    assert_int_equal(pose[s].turns, turns);
                    ASSERT_NEAR(pose[s].turn[0][1], angle * part, 1e-3 * angle * part);
                }
            }
            mote_system_destroy(system);
        }
}

/* --- Strands --- */

static mote_strands_def hanging(bool rod) {
    mote_strands_def def =
        one_strand(MOTE_STRAND_ROBUST, POINTS, positions, (double[3]){0, 0, 0}, (double[3]){0, -1, 0}, 0);
    def.mass = 0.1f;
    if (rod) def.bending_stiffness = 1e-3f, def.radius = 0.003f;
    return def;
}

static rope start_at(const mote_strands_def *def, uint32_t count, double at) {
    const rope r = make_rope(def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, count, GRAVITY);
    const mote_transform root = upright(at, at, at);
    assert_int_equal(mote_strands_set_roots(r.system, r.id, &root, 1, 0), MOTE_OK);
    assert_int_equal(mote_strands_reset(r.system, r.id, MOTE_ALL_STRANDS), MOTE_OK);
    return r;
}

/* Returns the largest speed of a point of a strand, against which a plane rises or a ball moves from the side
 * by 1/64 m in each step: its places are floats. frames: steps to a target. */
static double pushed(int shape, bool rod, uint32_t count, uint32_t frames, double at) {
    const mote_strands_def def = hanging(rod);
    const rope r = start_at(&def, count, at);
    const float up[3] = {0, 1, 0};
    double x[3] = {at, at - 1.046875, at}, most = 0;
    if (shape == SPHERE) x[0] = at + 0.40625, x[1] = at - 0.5;
    const float start[3] = {(float)x[0], (float)x[1], (float)x[2]};
    const mote_collider_def shape_def = shape == SPHERE ? mote_sphere(start, 0.25f) : mote_plane(start, up);
    mote_transform target = shape_def.transform;
    const mote_collider_id id = add(r.system, &shape_def);
    const int axis = shape == SPHERE ? 0 : 1;
    const double way = (shape == SPHERE ? -0x1p-6 : 0x1p-6) * frames;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        if (frame % frames == 0) {
            x[axis] += way, target.position[axis] = (float)x[axis];
            assert_int_equal(
                mote_system_move_collider(r.system, id, &target, (frame + frames) * ticks_per_step(&r)),
                MOTE_OK);
        }
        step_rope(&r, 1);
        most = fmax(most, fastest_point(&r));
    }
    assert_alive(&r, 0);
    destroy_rope(&r);
    return most;
}

/* A ball stretches a rod and a rope, which slide over it; a plane lifts the end of a rope. */
static void check_pushes(int shape, bool rod, uint32_t frames) {
    for (size_t s = 0; s < COUNT_OF(substeps); s++) {
        const double here = pushed(shape, rod, substeps[s], frames, 0);
        if (shape == PLANE) ASSERT_NEAR(here, 60.0 / 64, 1e-3);
        for (size_t p = 1; p < COUNT_OF(places); p++) {
            const double there = pushed(shape, rod, substeps[s], frames, places[p]);
            test_case("%s, %s, %u substeps, %u frames, %g m: %g m/s, %g at the origin", shape_name[shape],
                      rod ? "rod" : "rope", substeps[s], frames, places[p], there, here);
            ASSERT_NEAR(there, here, 1e-3 * here);
        }
    }
}

TEST(a_plane_lifts_a_rope_alike_at_any_distance) { check_pushes(PLANE, false, 1); }
TEST(a_plane_on_a_long_travel_lifts_a_rope_alike_at_any_distance) { check_pushes(PLANE, false, 5); }
TEST(a_ball_pushes_a_rope_alike_at_any_distance) { check_pushes(SPHERE, false, 1); }
TEST(a_ball_pushes_a_rod_alike_at_any_distance) { check_pushes(SPHERE, true, 1); }

/* --- Depth --- */

/* Returns the largest depth of a strand that falls onto a collider and comes to rest. Both reports have it.
 */
static double rested(int shape, bool rod, double at) {
    mote_strands_def def = hanging(rod);
    lay_line(positions, POINTS, (double[3]){0, 0, 0}, (double[3]){0.8, 0, 0});
    def.radius = 0.003f;
    const rope r = start_at(&def, 8, at);
    const float x[3] = {(float)(at + 0.3125), (float)(at - (shape == SPHERE ? 0.40625 : 0.1875)),
                        (float)(at + 0.0625)};
    const mote_collider_def shape_def =
        shape == SPHERE ? mote_sphere(x, 0.25f) : mote_plane(x, (float[3]){0.1f, 1, 0});
    double most = 0;
    add(r.system, &shape_def);
    for (int frame = 0; frame < 200; frame++) {
        mote_strands_step_report all;
        step_rope(&r, 1);
        const mote_strand_step_report one = report_of(&r, 0);
        assert_int_equal(mote_strands_report(r.system, r.id, &all), MOTE_OK);
        ASSERT(all.depth, ==, one.depth);
        most = fmax(most, (double)one.depth);
    }
    destroy_rope(&r);
    return most;
}

TEST(strands_at_rest_have_no_depth_at_any_distance) {
    for (int shape = 0; shape < SHAPES; shape++)
        for (int rod = 0; rod < 2; rod++) {
            const double here = rested(shape, rod, 0);
            for (size_t p = 1; p < COUNT_OF(places); p++) {
                const double there = rested(shape, rod, places[p]);
                test_case("%s, rod %d, %g m: %g m, %g at the origin", shape_name[shape], rod, places[p],
                          there, here);
                ASSERT_NEAR(there, here, 2e-6);
            }
        }
}

/* A point 1/32 m inside is that deep, wherever; the search in rows finds the same. */
TEST(depths_are_those_of_the_geometry_at_any_distance) {
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t p = 0; p < COUNT_OF(places); p++) {
            const double at = places[p];
            const mote_strands_def def = hanging(false);
            const rope r = start_at(&def, 4, at);
            const float x[3] = {(float)at, (float)(at - (shape == SPHERE ? 1.21875 : 0.96875)), (float)at};
            const mote_collider_def shape_def =
                shape == SPHERE ? mote_sphere(x, 0.25f) : mote_plane(x, (float[3]){0, 1, 0});
            mote_strands_step_report all;
            add(r.system, &shape_def);
            const mote_strand_step_report one = report_of(&r, 0);
            assert_int_equal(mote_strands_report(r.system, r.id, &all), MOTE_OK);
            test_case("%s, %g m", shape_name[shape], at);
            ASSERT(one.depth, ==, 0x1p-5f);
            ASSERT(one.deepest_point, ==, POINTS - 1);
            ASSERT(all.depth, ==, 0x1p-5f);
            destroy_rope(&r);
        }
}
