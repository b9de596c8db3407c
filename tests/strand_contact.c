/* Strands on colliders: a rope over a capsule, friction on a slope and on a floor that moves, moving and fast
 * shapes, boxes and planes. Tolerances follow from UNIT (rope.h), one float32 rounding, and max_strain. */
#include "test.h"

#include "one_strand.h"

enum { POINTS = 41, SUBSTEPS = 8 };

static const double MAX_STRAIN = 0.002, RADIUS = 0.01, SEGMENT = 1.0 / (POINTS - 1);

/* Of a step at most: about four a substep, as mote_strand_substeps counts on; twice that where it is fast. */
enum { ITERATIONS = 4 * SUBSTEPS };

/* Of the scene at hand: the points of its strand before it moves, and its collider. */
static float positions[3 * POINTS];
static mote_collider_id id;

static mote_strands_def strand_def(mote_strand_solver solver, const double from[3], const double to[3]) {
    mote_strands_def def = one_strand(solver, POINTS, positions, from, to, 1 / 20.0f);
    def.mass = 0.1f;
    def.radius = (float)RADIUS;
    def.free_roots = true;
    return def;
}

static rope make_scene(const mote_strands_def *def, const mote_collider_def *collider, uint32_t substeps,
                       double gravity) {
    rope r = make_rope(def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, substeps, gravity);
    assert_int_equal(mote_system_add_collider(r.system, collider, &id), MOTE_OK);
    return r;
}

/* Makes a step at whose end the collider, which has not turned, stands at `place`. */
static void step_to(const rope *r, const mote_collider_def *def, const double place[3]) {
    mote_transform at = def->transform;
    for (int i = 0; i < 3; i++) at.position[i] = (float)place[i];
    assert_int_equal(mote_system_move_collider(r->system, id, &at, MOTE_NEXT_ADVANCE), MOTE_OK);
    step_rope(r, 1);
}

/* Measures of all points of a strand. */
typedef struct summary {
    double mean[3], lowest, highest, fastest; /* place, y, y, speed */
    double nearest;                           /* to an axis along z through the centre that was asked for */
} summary;

static summary summarise(const rope *r, const double centre[3]) {
    summary s = {.lowest = INFINITY, .highest = -INFINITY, .nearest = INFINITY};
    for (uint32_t k = 0; k < POINTS; k++) {
        double x[3], v[3];
        load_point(r, 0, k, x, v);
        for (int i = 0; i < 3; i++) s.mean[i] += x[i] / POINTS;
        s.lowest = fmin(s.lowest, x[1]), s.highest = fmax(s.highest, x[1]);
        s.fastest = fmax(s.fastest, sqrt(dot(v, v)));
        s.nearest = fmin(s.nearest, hypot(x[0] - centre[0], x[1] - centre[1]));
    }
    return s;
}

/* How far max_strain lets a point sink, and the rounding of coordinates of up to 2 m and of the plane's
 * distance. */
static double sinks(double length) { return MAX_STRAIN * length + UNIT * 8 * 2; }

/* The stretch that max_strain allows at up to 2 m from the origin; springs may have any. */
static double allowed(mote_strand_solver solver, double length) {
    return solver == MOTE_STRAND_SPRINGS ? INFINITY : held(MAX_STRAIN, length, 2);
}

/* --- At rest --- */

/* 1 m of rope laid over a capsule 0.2 m wide, one side 2 cm longer. The weight of the arc alone, 2 R of rope,
 * holds more by friction than the 2 cm. */
TEST(friction_holds_a_rope_that_hangs_unevenly_over_a_capsule) {
    mote_strands_def def = strand_def(MOTE_STRAND_ROBUST, (double[3]){-0.5, 0, 0}, (double[3]){0.5, 0, 0});
    for (int k = 0; k < POINTS; k++) {
        const double s = k / (POINTS - 1.0) - 0.51, angle = s / 0.111, left = fabs(s) - 0.111 * PI / 2;
        positions[3 * k] = (float)(0.111 * (left > 0 ? copysign(1, s) : sin(angle)));
        positions[3 * k + 1] = (float)(left > 0 ? -left : 0.111 * cos(angle));
    }
    mote_collider_def capsule = mote_capsule((float[3]){0, 0, -1}, (float[3]){0, 0, 1}, 0.1f);
    rope r = make_scene(&def, &capsule, SUBSTEPS, GRAVITY);
    double fastest = 0;
    for (int step = 0; step < 60 * 12; step++) {
        step_rope(&r, 1);
        assert_held(&r, 0, held(MAX_STRAIN, SEGMENT, 1), ITERATIONS);
        const summary s = summarise(&r, (double[3]){0});
        ASSERT(s.nearest, >=, 0.1 + RADIUS - sinks(SEGMENT));
        if (step >= 60 * 11) fastest = fmax(fastest, s.fastest);
    }
    double end[3], start[3];
    load_point(&r, 0, 0, start, NULL);
    load_point(&r, 0, POINTS - 1, end, NULL);
    ASSERT(start[1], <, -0.1);
    ASSERT(end[1], <, -0.1);
    /* Motion that a substep's residual can make: segments are held to max_strain of their length in each. */
    ASSERT(fastest, <=, MAX_STRAIN * SEGMENT * 60 * SUBSTEPS);
    destroy_rope(&r);
}

/* How far a strand along a slope of `angle` slides in so many seconds; gravity is turned instead of the
 * plane. */
static double slide_of(mote_strand_solver solver, double angle, float friction, double seconds) {
    mote_strands_def def = strand_def(solver, (double[3]){-0.5, RADIUS, 0}, (double[3]){0.5, RADIUS, 0});
    def.friction = friction;
    mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    plane.friction = friction;
    rope r = make_scene(&def, &plane, SUBSTEPS, 0);
    mote_force_def gravity =
        mote_gravity((float[3]){(float)(GRAVITY * sin(angle)), (float)(-GRAVITY * cos(angle)), 0});
    mote_force_id force;
    assert_int_equal(mote_system_add_force(r.system, &gravity, &force), MOTE_OK);
    for (int step = 0; step < 60 * seconds; step++) {
        step_rope(&r, 1);
        assert_held(&r, 0, allowed(solver, SEGMENT),
                    SUBSTEPS); /* no segment has a tension: one iteration finds that */
    }
    const summary s = summarise(&r, (double[3]){0});
    assert_near(s.lowest, RADIUS, sinks(SEGMENT));
    assert_near(s.highest, RADIUS, sinks(SEGMENT));
    destroy_rope(&r);
    return s.mean[0];
}

/* A strand slides with g (sin a - mu cos a) or stays. */
TEST(friction_holds_below_its_angle_and_not_above) {
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++) {
        for (float friction = 0.25f; friction <= 1; friction *= 2) {
            const double angle = atan((double)friction);
            double stays = slide_of((mote_strand_solver)solver, 0.9 * angle, friction, 1);
            double slides = slide_of((mote_strand_solver)solver, angle + 0.2, friction, 0.5);
            double want = GRAVITY * (sin(angle + 0.2) - (double)friction * cos(angle + 0.2)) * 0.125;
            /* Held: each of 480 substeps rounds coordinates of 0.5 m. Sliding: semi-implicit Euler is h/t
             * beyond a t^2 / 2, and the first substep may be free. */
            assert_near(stays, 0, 480 * UNIT * 0.5);
            assert_near(slides, want, want * 3 / 240.0);
        }
        double free = slide_of((mote_strand_solver)solver, 0.3, 0, 0.5), want = GRAVITY * sin(0.3) * 0.125;
        assert_near(free, want, want * 3 / 240.0);
    }
}

TEST(a_strand_that_falls_onto_a_plane_or_a_box_comes_to_rest_on_it) {
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++)
        for (int box = 0; box < 2; box++) {
            mote_strands_def def = strand_def((mote_strand_solver)solver, (double[3]){-0.3, 0.3, -0.2},
                                              (double[3]){0.3, 0.5, 0.2});
            const mote_transform at = turn_about((double[3]){0, 1, 0}, 0.5, (double[3]){0, -0.25, 0});
            mote_collider_def ground = box ? mote_box(&at, (float[3]){1, 0.25f, 1})
                                           : mote_plane((float[3]){0, 0, 0}, (float[3]){0, 2, 0});
            rope r = make_scene(&def, &ground, solver == MOTE_STRAND_SPRINGS ? 32 : SUBSTEPS, GRAVITY);
            for (int step = 0; step < 240; step++) {
                step_rope(&r, 1);
                assert_held(&r, 0, allowed(def.solver, 0.7 * SEGMENT), ITERATIONS);
                ASSERT(summarise(&r, (double[3]){0}).lowest, >=, RADIUS - sinks(0.7 * SEGMENT));
            }
            /* Flat, with a kink at most: a segment's length. */
            assert_near(summarise(&r, (double[3]){0}).highest, RADIUS, 0.7 * SEGMENT);
            destroy_rope(&r);
        }
}

/* --- Moving shapes --- */

/* A strand rests on a floor that sets off at u = 0.5 m/s: friction accelerates it by mu g until both are
 * equally fast, and they go on together. */
TEST(a_floor_that_moves_takes_a_strand_along) {
    const double u = 0.5, friction = 0.5, seconds = 0.5, h = 1 / (60.0 * SUBSTEPS);
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++) {
        mote_strands_def def =
            strand_def((mote_strand_solver)solver, (double[3]){-0.5, RADIUS, 0}, (double[3]){0.5, RADIUS, 0});
        mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
        rope r = make_scene(&def, &floor, SUBSTEPS, GRAVITY);
        for (int step = 1; step <= 60 * seconds; step++)
            step_to(&r, &floor, (double[3]){u * step / 60.0, 0, 0});
        /* While it is accelerated, for u / (mu g), its speed is known to the mu g h of a substep, which makes
         * u h; and the first substep may be free. */
        const summary s = summarise(&r, (double[3]){0});
        assert_near(s.mean[0], u * seconds - u * u / (2 * friction * GRAVITY), 2 * u * h);
        destroy_rope(&r);
    }
}

/* A capsule lifts a strand that was laid across it, and takes it along. */
TEST(a_moving_capsule_carries_a_strand) {
    mote_strands_def def =
        strand_def(MOTE_STRAND_ROBUST, (double[3]){-0.5, 0.115, 0}, (double[3]){0.5, 0.115, 0});
    def.friction = 1;
    mote_collider_def capsule = mote_capsule((float[3]){0, 0, -1}, (float[3]){0, 0, 1}, 0.1f);
    capsule.friction = 1;
    rope r = make_scene(&def, &capsule, SUBSTEPS, GRAVITY);
    double centre[3] = {0};
    for (int step = -180; step <= 180; step++) {
        const double t = fmax(step, 0) / 60.0;
        centre[0] = 0.1 * t * t / 2, centre[1] = 0.2 * t;
        step_to(&r, &capsule, centre);
        assert_held(&r, 0, held(MAX_STRAIN, SEGMENT, 2), ITERATIONS);
        ASSERT(summarise(&r, centre).nearest, >=, 0.1 + RADIUS - sinks(SEGMENT));
    }
    /* Half a circle of radius R and two ends that hang down: its centre of mass is 2 R^2 - (1 - pi R)^2 / 4
     * above the axis. It has not slid by as much as a segment, and leans by a / g = 0.01 only. */
    const double R = 0.1 + RADIUS;
    const summary s = summarise(&r, centre);
    assert_near(s.mean[0], centre[0], SEGMENT);
    assert_near(s.mean[1], centre[1] + 2 * R * R - pow(1 - PI * R, 2) / 4, SEGMENT);
    assert_near(s.mean[2], 0, SEGMENT);
    destroy_rope(&r);
}

/* A thin capsule at 12 to 48 m/s crosses up to 5 times its width in a substep; or it stands, and the strand
 * comes at that speed. The strand is bent round it, and the point that was hit, in its middle, stays before
 * it. */
TEST(a_strand_and_a_thin_capsule_do_not_pass_through_each_other) {
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++)
        for (int speed = 12; speed <= 48; speed *= 2)
            for (int strand_moves = 0; strand_moves < 2; strand_moves++) {
                mote_strands_def def =
                    strand_def((mote_strand_solver)solver, (double[3]){0, 0.5, 0}, (double[3]){0, -0.5, 0});
                def.radius = 0.005f;
                def.compliance /= 5;
                mote_collider_def capsule =
                    mote_capsule((float[3]){-0.5f, 0, -1}, (float[3]){-0.5f, 0, 1}, 0.005f);
                rope r = make_scene(&def, &capsule, SUBSTEPS, 0);
                for (uint32_t k = 0; k < POINTS && strand_moves; k++)
                    store_point(&r, 0, k, NULL, (double[3]){-speed, 0, 0});
                for (int step = 1; step * speed / 60.0 < 1.5; step++) {
                    const double way = step * speed / 60.0, at = strand_moves ? -0.5 : way - 0.5;
                    step_to(&r, &capsule, (double[3]){at, 0, 0});
                    assert_held(&r, 0, allowed(def.solver, SEGMENT), 2 * ITERATIONS);
                    double x[3];
                    load_point(&r, 0, POINTS / 2, x, NULL);
                    /* Later it may slide off over its side. */
                    if (way > 0.5 && way < 1) ASSERT(x[0], >=, at + 0.01 - sinks(SEGMENT));
                }
                destroy_rope(&r);
            }
}

/* --- Particular cases --- */

/* A strand of 1 m that swings 2 mm above a floor moves as if there was none. */
TEST(a_collider_that_a_strand_does_not_touch_does_nothing) {
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        mote_strands_def def =
            strand_def((mote_strand_solver)solver, (double[3]){0}, (double[3]){sin(1.2), -cos(1.2), 0});
        def.free_roots = false;
        const mote_collider_def floor =
            mote_plane((float[3]){0, (float)(-1.002 - RADIUS), 0}, (float[3]){0, 1, 0});
        const rope near = make_scene(&def, &floor, SUBSTEPS, GRAVITY),
                   alone = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, SUBSTEPS, GRAVITY);
        step_rope(&near, 300);
        step_rope(&alone, 300);
        test_case("solver %d", solver);
        for (uint32_t k = 0; k < POINTS; k++) {
            double x[2][3], v[2][3];
            load_point(&near, 0, k, x[0], v[0]);
            load_point(&alone, 0, k, x[1], v[1]);
            assert_memory_equal(x[0], x[1], sizeof x[0]);
            assert_memory_equal(v[0], v[1], sizeof v[0]);
        }
        destroy_rope(&near);
        destroy_rope(&alone);
    }
}

/* A strand that begins 2 cm deep is put out, at rest: all points by as much, so that no segment has a
 * tension. */
TEST(an_overlap_at_the_start_gives_no_speed) {
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++)
        for (int box = 0; box < 2; box++) {
            mote_strands_def def = strand_def((mote_strand_solver)solver, (double[3]){-0.5, -0.01, 0},
                                              (double[3]){0.5, -0.01, 0});
            const mote_transform at = {{0, -0.25f, 0}, {0, 0, 0, 1}};
            mote_collider_def ground = box ? mote_box(&at, (float[3]){1, 0.25f, 1})
                                           : mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
            rope r = make_scene(&def, &ground, SUBSTEPS, 0);
            for (int step = 0; step < 10; step++) {
                step_rope(&r, 1);
                const summary s = summarise(&r, (double[3]){0});
                assert_near(s.lowest, RADIUS, UNIT * 8);
                /* Places of up to 1 m from the root, rounded, over h; springs are 0.5 m from the world's
                 * origin. */
                ASSERT(s.fastest, <=, 480 * UNIT * 2 * (solver == MOTE_STRAND_SPRINGS ? 0.5 : 1));
            }
            destroy_rope(&r);
        }
}

/* Whichever is added first, conserving strands come to lie over a sphere as robust ones do. */
TEST(conserving_strands_take_colliders) {
    const mote_collider_def sphere = mote_sphere((float[3]){0, 0, 0}, 0.1f);
    for (int first = 0; first < 2; first++)
        for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
            mote_strands_def def =
                strand_def((mote_strand_solver)solver, (double[3]){-0.5, 0.12, 0}, (double[3]){0.5, 0.12, 0});
            rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, SUBSTEPS, GRAVITY);
            assert_int_equal(mote_system_add_collider(r.system, &sphere, &id), MOTE_OK);
            if (first) {
                assert_int_equal(mote_system_remove_strands(r.system, r.id), MOTE_OK);
                assert_int_equal(mote_system_add_strands(r.system, &def, &r.id, NULL), MOTE_OK);
            }
            for (int step = 0; step < 60; step++) {
                step_rope(&r, 1);
                assert_held(&r, 0, allowed(def.solver, SEGMENT), 32 * ITERATIONS);
                ASSERT(summarise(&r, (double[3]){0}).nearest, >=, 0.1 + RADIUS - sinks(SEGMENT));
            }
            ASSERT(summarise(&r, (double[3]){0}).lowest, <, -0.2); /* its ends hang down */
            destroy_rope(&r);
        }
}

/* --- Roots inside a collider --- */

enum { HAIRS = 16, HAIR_POINTS = 16 };

/* Returns the speed of the fastest point of strands that fan out of roots 50 mm under a surface at y = 0, in
 * `steps` steps. */
static double fastest_of_buried(const mote_collider_def *collider, uint32_t substeps, int steps) {
    static float fan[3 * HAIRS * HAIR_POINTS];
    for (int i = 0; i < HAIRS; i++)
        for (int k = 0; k < HAIR_POINTS; k++) {
            const double angle = PI * (i + 0.5) / HAIRS;
            float *x = fan + 3 * (HAIR_POINTS * i + k);
            x[0] = (float)(0.02 * k * cos(angle)), x[2] = 0;
            x[1] = (float)(0.02 * k * sin(angle) - 0.05);
        }
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = HAIRS, def.points = HAIR_POINTS, def.positions = fan, def.mass = 1e-3f;
    def.substeps = substeps;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
    assert_int_equal(mote_system_add_collider(r.system, collider, &id), MOTE_OK);
    double fastest = 0;
    for (int step = 0; step < steps; step++) {
        step_rope(&r, 1);
        for (uint32_t i = 0; i < HAIRS; i++)
            for (uint32_t k = 0; k < HAIR_POINTS; k++) {
                double x[3], v[3];
                load_point(&r, i, k, x, v);
                fastest = fmax(fastest, sqrt(dot(v, v)));
            }
    }
    destroy_rope(&r);
    return fastest;
}

/* Nothing moves but by gravity. In the first step it gives g h, and a strand that tips over its edge
 * concentrates that to less than twice; later no point falls by more than the length of a strand. */
TEST(points_leave_a_flat_collider_of_their_root_without_speed) {
    const mote_transform box_at = {{0, -0.2f, 0}, {0, 0, 0, 1}};
    const mote_collider_def colliders[] = {mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}),
                                           mote_box(&box_at, (float[3]){1, 0.2f, 1})};
    const double length = 0.02 * (HAIR_POINTS - 1);
    for (int i = 0; i < 2; i++)
        for (uint32_t substeps = 4; substeps <= 16; substeps *= 2) {
            ASSERT(fastest_of_buried(&colliders[i], substeps, 1), <=, 2 * GRAVITY / 60);
            ASSERT(fastest_of_buried(&colliders[i], substeps, 120), <=, sqrt(2 * GRAVITY * length));
        }
}

/* --- Depth --- */

/* A single point of a strand that stands still inside each kind of collider is as deep as the geometry says.
 */
TEST(the_report_tells_the_deepest_point) {
    const mote_transform box_at =
        turn_about((double[3]){0, 0, 1}, 0.5, (double[3]){0.1 * sin(0.5), -0.1 * cos(0.5), 0});
    const struct {
        mote_collider_def def;
        double x[3], depth;
    } cases[] = {{mote_plane((float[3]){0, 0, 0}, (float[3]){0, 3, 0}), {0, -0.02, 0}, 0.03},
                 {mote_sphere((float[3]){0, -0.1f, 0}, 0.1f), {0.03, -0.06, 0}, 0.06},
                 {mote_capsule((float[3]){-0.3f, -0.1f, 0}, (float[3]){0.3f, -0.1f, 0}, 0.1f),
                  {0.2, -0.06, 0.03},
                  0.06},
                 {mote_box(&box_at, (float[3]){1, 0.1f, 1}), {0.02 * sin(0.5), -0.02 * cos(0.5), 0}, 0.03}};
    for (int i = 0; i < 4; i++) {
        mote_strands_def def =
            strand_def(MOTE_STRAND_ROBUST, (double[3]){-0.5, 1, 0}, (double[3]){0.5, 1, 0});
        rope r = make_scene(&def, &cases[i].def, SUBSTEPS, 0);
        mote_strands_step_report all;
        mote_strand_step_report one = report_of(&r, 0);
        ASSERT(one.depth, ==, 0);
        ASSERT(one.deepest_point, ==, 0);
        store_point(&r, 0, 7, cases[i].x, NULL);
        one = report_of(&r, 0);
        assert_near((double)one.depth, cases[i].depth, 4 * UNIT);
        ASSERT(one.deepest_point, ==, 7);
        assert_int_equal(mote_strands_report(r.system, r.id, &all), MOTE_OK);
        ASSERT(all.depth, ==, one.depth);
        ASSERT(all.deepest_strand, ==, 0);
        destroy_rope(&r);
    }
}

enum { CLOUD = 37, CLOUD_POINTS = 9 };

/* Strands all over a cube of 0.8 m; each third strand is as the one before it. */
static void make_cloud(float *x) {
    for (int n = 0; n < CLOUD; n++)
        for (int k = 0; k < CLOUD_POINTS; k++)
            for (int axis = 0; axis < 3; axis++) {
                const int alike = n % 3 == 1 ? n - 1 : n;
                const int m = 3 * (CLOUD_POINTS * alike + k) + axis;
                x[3 * (CLOUD_POINTS * n + k) + axis] = (float)(0.4 * sin(m * m));
            }
}

/* Returns the distance of x from the segment from a to b. */
static double distance_from_segment(const float *x, const float a[3], const float b[3]) {
    double along = 0, square = 0, length = 0;
    for (int i = 0; i < 3; i++) {
        along += ((double)x[i] - (double)a[i]) * ((double)b[i] - (double)a[i]);
        length += pow((double)b[i] - (double)a[i], 2);
    }
    const double t = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
    for (int i = 0; i < 3; i++)
        square += pow((double)x[i] - (double)a[i] - t * ((double)b[i] - (double)a[i]), 2);
    return sqrt(square);
}

/* The depth of each strand in a sphere or capsule is that of the geometry, and the report of all names the
 * lowest of the deepest strands. */
TEST(the_report_tells_the_deepest_strand) {
    static const float ends[][2][3] = {{{0.1f, -0.05f, 0}, {0.1f, -0.05f, 0}},
                                       {{-0.2f, -0.3f, 0.1f}, {0.3f, 0.2f, -0.1f}}};
    static const float radius[] = {0.2f, 0.15f, 0.1f};
    float cloud[3 * CLOUD * CLOUD_POINTS];
    make_cloud(cloud);
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = CLOUD, def.points = CLOUD_POINTS, def.positions = cloud, def.radius = (float)RADIUS;
    for (int i = 0; i < 6; i++) {
        const float(*end)[3] = ends[i % 2], r = radius[i / 2];
        const mote_collider_def shape = i % 2 ? mote_capsule(end[0], end[1], r) : mote_sphere(end[0], r);
        rope ropes = make_scene(&def, &shape, SUBSTEPS, 0);
        mote_strands_step_report all;
        double most = 0;
        uint32_t deepest = 0;
        for (uint32_t n = 0; n < CLOUD; n++) {
            const mote_strand_step_report one = report_of(&ropes, n);
            double depth = 0;
            for (int k = 1; k < CLOUD_POINTS; k++) {
                const float *x = cloud + 3 * ((int)n * CLOUD_POINTS + k);
                depth = fmax(depth, (double)r + RADIUS - distance_from_segment(x, end[0], end[1]));
            }
            assert_near((double)one.depth, depth, 4 * UNIT);
            if ((double)one.depth > most) most = (double)one.depth, deepest = n;
        }
        ASSERT(most, >, 0);
        assert_int_equal(mote_strands_report(ropes.system, ropes.id, &all), MOTE_OK);
        ASSERT((double)all.depth, ==, most);
        ASSERT(all.deepest_strand, ==, deepest);
        destroy_rope(&ropes);
    }
}

/* Strands of 3 to 7 points that stand upright, each third one with its root under a floor: points under the
 * floor count where the root is there, each for its own strand. */
TEST(the_report_counts_the_buried_points_of_each_strand) {
    float x[3 * CLOUD * 7];
    uint32_t points[CLOUD], count = 0, most = 0;
    for (uint32_t n = 0; n < CLOUD; n++) {
        points[n] = 3 + n % 5;
        for (uint32_t k = 0; k < points[n]; k++, count++) {
            x[3 * count] = 0.1f * (float)n, x[3 * count + 2] = 0;
            x[3 * count + 1] = 0.02f * (float)k + (n % 3 ? 0.01f : -0.02f * (float)(n % 4) - 0.01f);
        }
    }
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = CLOUD, def.strand_points = points, def.positions = x;
    const mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    const rope r = make_scene(&def, &floor, SUBSTEPS, 0);
    step_rope(&r, 1);
    for (uint32_t n = 0; n < CLOUD; n++) {
        uint32_t under = 0;
        for (uint32_t k = 1; k < points[n]; k++) {
            double at[3];
            load_point(&r, n, k, at, NULL);
            under += at[1] < 0;
        }
        test_case("strand %u", n);
        ASSERT(report_of(&r, n).buried, ==, under);
        most = under > most ? under : most;
    }
    ASSERT(most, ==, 3);
    destroy_rope(&r);
}
