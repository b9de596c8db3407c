/* Strands on colliders: a rope over a capsule, friction on a slope, moving and fast shapes, boxes and planes,
 * springs. Tolerances follow from UNIT (rope.h), one float32 rounding, and from max_stretch. */
#include "test.h"

#include "rope.h"

enum { POINTS = 41 };

static const double MAX_STRETCH = 0.002;

static mote_strands_def strand_def(mote_strand_solver solver, float *positions, const double from[3],
                                   const double to[3]) {
    lay_line(positions, POINTS, from, to);
    mote_strands_def def = mote_default_strands_def();
    def.solver = solver;
    def.strand_count = 1;
    def.points = POINTS;
    def.positions = positions;
    def.mass = 0.1f;
    def.radius = 0.01f;
    def.free_roots = true;
    def.compliance = solver == MOTE_STRAND_SPRINGS ? 1 / 20.0f : 0;
    return def;
}

static rope make_scene(const mote_strands_def *def, const mote_collider_def *collider, uint32_t substeps,
                       mote_collider_id *id) {
    rope r = make_rope(def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, substeps, GRAVITY);
    assert_int_equal(mote_system_add_collider(r.system, collider, id), MOTE_OK);
    return r;
}

static double speed_of(const rope *r) {
    double x[3], v[3], most = 0;
    for (uint32_t k = 0; k < POINTS; k++) {
        load_point(r, 0, k, x, v);
        most = fmax(most, sqrt(dot(v, v)));
    }
    return most;
}

/* The depth of the deepest point in a capsule along z through `centre`, of infinite length; negative:
 * outside. */
static double depth_in_cylinder(const rope *r, const double centre[3], double radius) {
    double x[3], deepest = -1e9;
    for (uint32_t k = 0; k < POINTS; k++) {
        load_point(r, 0, k, x, NULL);
        deepest = fmax(deepest, radius - hypot(x[0] - centre[0], x[1] - centre[1]));
    }
    return deepest;
}

/* The same in what lies below y = 0, of points of 1 cm. */
static double depth_below(const rope *r) {
    double x[3], deepest = -1e9;
    for (uint32_t k = 0; k < POINTS; k++) {
        load_point(r, 0, k, x, NULL);
        deepest = fmax(deepest, 0.01 - x[1]);
    }
    return deepest;
}

/* What max_stretch lets a point sink, and the rounding of coordinates of up to 2 m and of the plane's
 * distance. */
static double sinks(double segment) { return MAX_STRETCH * segment + UNIT * 8 * 2; }

/* --- At rest --- */

/* 1 m of rope laid over a capsule 0.2 m wide, one side 2 cm longer: friction holds it. */
TEST(a_rope_over_a_capsule_rests) {
    float positions[3 * POINTS];
    mote_strands_def def =
        strand_def(MOTE_STRAND_ROBUST, positions, (double[3]){-0.5, 0, 0}, (double[3]){0.5, 0, 0});
    for (int k = 0; k < POINTS; k++) {
        const double s = k / (POINTS - 1.0) - 0.51, angle = s / 0.111, left = fabs(s) - 0.111 * PI / 2;
        positions[3 * k] = (float)(0.111 * (left > 0 ? copysign(1, s) : sin(angle)));
        positions[3 * k + 1] = (float)(left > 0 ? -left : 0.111 * cos(angle));
    }
    mote_collider_def capsule = mote_capsule((vec3){0, 0, -1}, (vec3){0, 0, 1}, 0.1f);
    mote_collider_id id;
    rope r = make_scene(&def, &capsule, 8, &id);
    const double segment = 1.0 / (POINTS - 1);
    double fastest = 0;
    for (int step = 0; step < 60 * 12; step++) {
        step_rope(&r, 1);
        mote_strand_step_report report = report_of(&r, 0);
        assert_alive(&r, 0);
        assert_true(report.capped || report.stretch <= MAX_STRETCH + UNIT * (6 / segment + 8));
        assert_true(report.capped || depth_in_cylinder(&r, (double[3]){0}, 0.11) <= sinks(segment));
        if (step >= 60 * 11) fastest = fmax(fastest, speed_of(&r));
    }
    double end[3], start[3];
    load_point(&r, 0, 0, start, NULL);
    load_point(&r, 0, POINTS - 1, end, NULL);
    /* It hangs on both sides: the arc's weight alone, 2 R of rope, holds more by friction than the 2 cm. */
    ASSERT(start[1], <, -0.1);
    ASSERT(end[1], <, -0.1);
    /* Motion that a substep's residual can make: segments are held to max_stretch of their length in each. */
    ASSERT(fastest, <=, MAX_STRETCH * segment * 480);
    destroy_rope(&r);
}

/* A strand along a slope of angle a, gravity turned instead of the plane: it slides with g (sin a - mu cos a)
 * or stays. */
static double slide_of(mote_strand_solver solver, double angle, float friction, double seconds) {
    float positions[3 * POINTS];
    mote_strands_def def =
        strand_def(solver, positions, (double[3]){-0.5, 0.01, 0}, (double[3]){0.5, 0.01, 0});
    def.friction = friction;
    mote_collider_def plane = mote_plane((vec3){0, 0, 0}, (vec3){0, 1, 0});
    plane.friction = friction;
    mote_collider_id id;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, 0);
    mote_force_def gravity =
        mote_gravity((vec3){(float)(GRAVITY * sin(angle)), (float)(-GRAVITY * cos(angle)), 0});
    mote_force_id force;
    assert_int_equal(mote_system_add_force(r.system, &gravity, &force), MOTE_OK);
    assert_int_equal(mote_system_add_collider(r.system, &plane, &id), MOTE_OK);
    step_rope(&r, (uint32_t)(60 * seconds));
    double x[3], mean = 0;
    for (uint32_t k = 0; k < POINTS; k++) {
        load_point(&r, 0, k, x, NULL);
        mean += x[0] / POINTS;
        assert_near(x[1], 0.01, sinks(1.0 / (POINTS - 1)));
    }
    destroy_rope(&r);
    return mean;
}

TEST(friction_holds_below_its_angle_and_not_above) {
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++) {
        for (float friction = 0.25f; friction <= 1; friction *= 2) {
            const double angle = atan((double)friction);
            double stays = slide_of((mote_strand_solver)solver, 0.9 * angle, friction, 1);
            double slides = slide_of((mote_strand_solver)solver, angle + 0.2, friction, 0.5);
            double want = GRAVITY * (sin(angle + 0.2) - (double)friction * cos(angle + 0.2)) * 0.125;
            /* Held: each of 480 substeps rounds coordinates of 0.5 m; springs lose their speed after they
             * have moved by it, h^2 g sin a in each. Sliding: semi-implicit Euler is h/t beyond a t^2 / 2,
             * and the first substep may be free; springs move by the speed that friction takes, h^2 mu g cos
             * a, in each as well. */
            const double creep = solver == MOTE_STRAND_SPRINGS ? GRAVITY * sin(0.9 * angle) / 480 : 0;
            assert_near(stays, creep, 480 * UNIT * 0.5 + 0.01 * creep);
            if (solver == MOTE_STRAND_SPRINGS)
                want += (double)friction * GRAVITY * cos(angle + 0.2) * 0.5 / 480;
            assert_near(slides, want, want * 3 / 240.0);
        }
        double free = slide_of((mote_strand_solver)solver, 0.3, 0, 0.5), want = GRAVITY * sin(0.3) * 0.125;
        assert_near(free, want, want * 3 / 240.0);
    }
}

TEST(a_strand_falls_onto_planes_and_boxes) {
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++)
        for (int box = 0; box < 2; box++) {
            float positions[3 * POINTS];
            mote_strands_def def = strand_def((mote_strand_solver)solver, positions,
                                              (double[3]){-0.3, 0.3, -0.2}, (double[3]){0.3, 0.5, 0.2});
            const mote_transform at = turn_about((double[3]){0, 1, 0}, 0.5, (double[3]){0, -0.25, 0});
            mote_collider_def ground =
                box ? mote_box(&at, (vec3){1, 0.25f, 1}) : mote_plane((vec3){0, 0, 0}, (vec3){0, 2, 0});
            mote_collider_id id;
            rope r = make_scene(&def, &ground, solver == MOTE_STRAND_SPRINGS ? 32 : 8, &id);
            for (int step = 0; step < 240; step++) {
                step_rope(&r, 1);
                double x[3];
                for (uint32_t k = 0; k < POINTS; k++) {
                    load_point(&r, 0, k, x, NULL);
                    if (!report_of(&r, 0).capped) ASSERT(x[1], >=, 0.01 - sinks(0.7 / (POINTS - 1)));
                }
            }
            double highest = 0;
            for (uint32_t k = 0; k < POINTS; k++) {
                double x[3];
                load_point(&r, 0, k, x, NULL);
                highest = fmax(highest, x[1]);
            }
            assert_near(highest, 0.01,
                        0.7 / (POINTS - 1)); /* it lies, with a kink at most: a segment's length */
            destroy_rope(&r);
        }
}

/* --- Moving shapes --- */

/* A capsule lifts a strand that lies across it, and takes it along. */
TEST(a_moving_capsule_carries_a_strand) {
    float positions[3 * POINTS];
    mote_strands_def def =
        strand_def(MOTE_STRAND_ROBUST, positions, (double[3]){-0.5, 0.115, 0}, (double[3]){0.5, 0.115, 0});
    def.friction = 1;
    mote_collider_def capsule = mote_capsule((vec3){0, 0, -1}, (vec3){0, 0, 1}, 0.1f);
    capsule.friction = 1;
    mote_collider_id id;
    rope r = make_scene(&def, &capsule, 8, &id);
    mote_transform at = capsule.transform;
    step_rope(&r, 180);
    for (int step = 1; step <= 180; step++) {
        const double t = step / 60.0, centre[3] = {0.1 * t * t / 2, 0.2 * t, 0};
        for (int i = 0; i < 3; i++) at.position[i] = (float)centre[i];
        assert_int_equal(mote_system_move_collider(r.system, id, &at, MOTE_NEXT_ADVANCE), MOTE_OK);
        step_rope(&r, 1);
        if (!report_of(&r, 0).capped)
            ASSERT(depth_in_cylinder(&r, centre, 0.11), <=, sinks(1.0 / (POINTS - 1)));
        assert_true(report_of(&r, 0).capped || report_of(&r, 0).stretch <= MAX_STRETCH + UNIT * 6 * 40 * 2);
    }
    double x[3], mean[3] = {0};
    for (uint32_t k = 0; k < POINTS; k++) {
        load_point(&r, 0, k, x, NULL);
        for (int i = 0; i < 3; i++) mean[i] += x[i] / POINTS;
    }
    /* Its middle went with the capsule, to within the half of the strand that can slide over it. */
    ASSERT(mean[1], >, 0.6 - 0.5);
    ASSERT(mean[0], >, 0.45 - 0.25);
    ASSERT(mean[0], <, 0.45 + 0.25);
    destroy_rope(&r);
}

/* A thin capsule at 12 to 48 m/s crosses up to 5 times its width in a substep. The strand is bent round it,
 * and the point that was hit, in its middle, stays before it. */
TEST(a_fast_thin_capsule_does_not_pass_through) {
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++)
        for (int speed = 12; speed <= 48; speed *= 2) {
            float positions[3 * POINTS];
            mote_strands_def def = strand_def((mote_strand_solver)solver, positions, (double[3]){0, 0.5, 0},
                                              (double[3]){0, -0.5, 0});
            def.radius = 0.005f;
            def.compliance = solver == MOTE_STRAND_SPRINGS ? 1 / 100.0f : 0;
            mote_collider_def capsule = mote_capsule((vec3){-0.5f, 0, -1}, (vec3){-0.5f, 0, 1}, 0.005f);
            mote_collider_id id;
            rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, 0);
            assert_int_equal(mote_system_add_collider(r.system, &capsule, &id), MOTE_OK);
            mote_transform at = capsule.transform;
            for (int step = 1; step * speed / 60.0 < 1.5; step++) {
                at.position[0] = (float)(-0.5 + step * speed / 60.0);
                assert_int_equal(mote_system_move_collider(r.system, id, &at, MOTE_NEXT_ADVANCE), MOTE_OK);
                step_rope(&r, 1);
                assert_alive(&r, 0);
                double x[3];
                load_point(&r, 0, POINTS / 2, x, NULL);
                /* Later it may slide off over its side. */
                if (at.position[0] > 0 && at.position[0] < 0.5f) ASSERT(x[0], >=, (double)at.position[0]);
            }
            destroy_rope(&r);
        }
}

/* --- Particular cases --- */

/* A strand that begins 2 cm deep is put out, at rest: all points by as much, so that no segment pulls. */
TEST(an_overlap_at_the_start_gives_no_speed) {
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++)
        for (int box = 0; box < 2; box++) {
            float positions[3 * POINTS];
            mote_strands_def def = strand_def((mote_strand_solver)solver, positions,
                                              (double[3]){-0.5, -0.01, 0}, (double[3]){0.5, -0.01, 0});
            const mote_transform at = {{0, -0.25f, 0}, {0, 0, 0, 1}};
            mote_collider_def ground =
                box ? mote_box(&at, (vec3){1, 0.25f, 1}) : mote_plane((vec3){0, 0, 0}, (vec3){0, 1, 0});
            mote_collider_id id;
            rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, 0);
            assert_int_equal(mote_system_add_collider(r.system, &ground, &id), MOTE_OK);
            for (int step = 0; step < 10; step++) {
                step_rope(&r, 1);
                assert_near(-depth_below(&r), 0, UNIT * 8);
                ASSERT(speed_of(&r), <=, 480 * UNIT * 2 * 0.5); /* positions of 0.5 m, rounded, over h */
            }
            destroy_rope(&r);
        }
}

/* Whichever comes first. */
TEST(the_conserving_solver_takes_no_colliders) {
    float positions[3 * POINTS];
    mote_strands_def def =
        strand_def(MOTE_STRAND_CONSERVING, positions, (double[3]){-0.5, 0.3, 0}, (double[3]){0.5, 0.3, 0});
    mote_collider_def sphere = mote_sphere((vec3){0, 0, 0}, 0.1f);
    mote_collider_id id;
    mote_strands_id strands;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
    assert_int_equal(mote_system_add_collider(r.system, &sphere, &id), MOTE_ERROR_INTEGRATOR);
    assert_int_equal(mote_system_remove_strands(r.system, r.id), MOTE_OK);
    assert_int_equal(mote_system_add_collider(r.system, &sphere, &id), MOTE_OK);
    assert_int_equal(mote_system_add_strands(r.system, &def, &strands, NULL), MOTE_ERROR_INTEGRATOR);
    destroy_rope(&r);
}
