/* Taut strands: light ropes with a heavy bob, and rods between pins as far apart as they are long. */
#include "test.h"

#include "one_strand.h"

enum { MOST = 65 };

static float positions[3 * MOST], masses[MOST];

/* A rope of 2 m and 0.1 kg hangs with a bob. Returns the largest kinetic energy in a second, before and after
 * 10 s, of a push by 1 mm/s. */
static void push_bob(mote_strand_solver solver, uint32_t points, float bob, double most[2]) {
    mote_strands_def def = one_strand(solver, points, positions, (double[3]){0}, (double[3]){0, -2, 0}, 0);
    for (uint32_t k = 0; k < points; k++) masses[k] = 0.1f / (float)points;
    masses[points - 1] += bob;
    def.point_mass = masses;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 4, GRAVITY);
    for (uint32_t k = 1; k < points; k++)
        store_point(&r, 0, k, (double[3]){0, -2.0 * k / (points - 1), 0},
                    (double[3]){1e-3 * k / (points - 1), 0, 0});
    most[0] = most[1] = 0;
    for (int step = 0; step < 720; step++) {
        mote_statistics s;
        step_rope(&r, 1);
        assert_int_equal(mote_strands_statistics(r.system, r.id, &s), MOTE_OK);
        const int late = step >= 600;
        most[late] = fmax(most[late], s.kinetic);
    }
    assert_alive(&r, 0);
    destroy_rope(&r);
}

/* h^2 T / (m l) is 4.4 with 5 kg and 440 with 500 kg at 33 points, 8.9 with 2.5 kg at 65. With 44 and 46 kg a
 * part has a little less than what makes its waves resonate (impulse.h). */
TEST(a_heavy_bob_does_not_shake_its_rope) {
    static const struct {
        uint32_t points;
        float bob;
    } rows[] = {{33, 5}, {65, 2.5f}, {33, 44}, {33, 46}, {33, 50}, {33, 500}};
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++)
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            double most[2];
            push_bob((mote_strand_solver)solver, rows[i].points, rows[i].bob, most);
            test_case("solver %d, %u points, %g kg: %g J, then %g J", solver, rows[i].points,
                      (double)rows[i].bob, most[0], most[1]);
            /* Rounding alone moves the bob by 50 times the push's energy. */
            ASSERT(fmax(most[0], most[1]), <=, 50 * 0.5e-6 * (double)rows[i].bob);
        }
}

/* Swings of 10 s from the horizontal on a rope of 1 m and 0.1 kg, whose steps are partly of first order:
 * never does the strand have more energy than at the start, nor does it lose more than `loss` of its fall. */
TEST(a_heavy_bob_swings_without_gaining_energy) {
    static const struct {
        mote_strand_solver solver;
        uint32_t points, substeps;
        double bob, loss;
    } rows[] = {{MOTE_STRAND_ROBUST, 33, 4, 5, 0.02},        {MOTE_STRAND_ROBUST, 33, 8, 5, 0.006},
                {MOTE_STRAND_ROBUST, 33, 4, 50, 0.001},      {MOTE_STRAND_ROBUST, 33, 8, 50, 0.001},
                {MOTE_STRAND_ROBUST, 33, 16, 50, 0.001},     {MOTE_STRAND_ROBUST, 33, 32, 50, 0.001},
                {MOTE_STRAND_ROBUST, 33, 4, 1000, 1},        {MOTE_STRAND_CONSERVING, 33, 4, 5, 0.0001},
                {MOTE_STRAND_CONSERVING, 33, 4, 50, 0.0001}, {MOTE_STRAND_CONSERVING, 33, 8, 50, 0.0001},
                {MOTE_STRAND_CONSERVING, 33, 16, 50, 0.0001}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint32_t points = rows[i].points;
        mote_strands_def def = one_strand(rows[i].solver, points, positions, (double[3]){0},
                                          (double[3]){sin(1.5), -cos(1.5), 0}, 0);
        for (uint32_t k = 0; k < points; k++) masses[k] = 0.1f / (float)points;
        masses[points - 1] += (float)rows[i].bob;
        def.point_mass = masses;
        const rope r =
            make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, rows[i].substeps, GRAVITY);
        const double depth = GRAVITY * (rows[i].bob + 0.05);
        double first = 0, most = -INFINITY, last = 0;
        for (int step = 0; step <= 600; step++) {
            mote_statistics s;
            if (step) step_rope(&r, 1);
            assert_int_equal(mote_strands_statistics(r.system, r.id, &s), MOTE_OK);
            last = s.kinetic + s.potential;
            if (step == 0) first = last;
            most = fmax(most, last);
        }
        test_case("row %zu", i);
        ASSERT(most - first, <=, 0.0002 * depth);
        ASSERT(last - first, >=, -rows[i].loss * depth);
        destroy_rope(&r);
    }
}

/* Where lengths are not solved a strand is rigid for a part: what this gives to its momentum its root takes.
 */
TEST(a_heavy_bob_pulls_at_its_root) {
    enum { POINTS = 33 };
    static const double bobs[] = {5, 50, 200};
    for (size_t i = 0; i < 2 * COUNT_OF(bobs); i++) {
        const uint32_t substeps = i % 2 ? 8 : 4;
        mote_strands_def def = one_strand(MOTE_STRAND_ROBUST, POINTS, positions, (double[3]){0},
                                          (double[3]){sin(1.5), -cos(1.5), 0}, 0);
        for (uint32_t k = 0; k < POINTS; k++) masses[k] = 0.1f / (float)POINTS;
        masses[POINTS - 1] += (float)bobs[i / 2];
        def.point_mass = masses;
        const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, substeps, GRAVITY);
        const double weight = GRAVITY * (0.1 * (POINTS - 1) / POINTS + bobs[i / 2]);
        double before[3] = {0};
        for (int step = 0; step < 600; step++) {
            double after[3] = {0};
            float reaction[3];
            step_rope(&r, 1);
            assert_int_equal(mote_strands_reaction(r.system, r.id, 0, 0, reaction), MOTE_OK);
            for (uint32_t k = 1; k < POINTS; k++) {
                double x[3], v[3];
                load_point(&r, 0, k, x, v);
                for (int axis = 0; axis < 3; axis++) after[axis] += (double)masses[k] * v[axis];
            }
            test_case("a bob of %g kg, %u substeps, step %d", bobs[i / 2], substeps, step);
            for (int axis = 0; axis < 3; axis++) {
                const double given = (axis == 1 ? -weight / 60 : 0) - (double)reaction[axis];
                ASSERT_NEAR(after[axis] - before[axis], given, 0.02 * weight / 60);
                before[axis] = after[axis];
            }
        }
        destroy_rope(&r);
    }
}

static const char *kind_of(uint32_t frames) { return frames ? "with frames" : "straight"; }

/* A straight rod whose tip is pinned where it is, or nearer or further by 0.1 %, under a load across it. */
TEST_EACH(rods_are_held_between_pins_as_far_apart_as_they_are_long, 2, kind_of, frames) {
    static const uint32_t counts[] = {9, 17, 33};
    static const double share[] = {0.999, 1, 1.001};
    for (size_t i = 0; i < COUNT_OF(counts) * COUNT_OF(share); i++) {
        const uint32_t points = counts[i % 3], tip = points - 1;
        mote_strands_def def =
            one_strand(MOTE_STRAND_ROBUST, points, positions, (double[3]){0}, (double[3]){0.75, 0, 0}, 0);
        def.mass = 0.05f, def.bending_stiffness = 0.05f, def.twisting_stiffness = frames ? 0.02f : 0;
        const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 4, GRAVITY);
        const float to[3] = {(float)(0.75 * share[i / 3]), 0, 0};
        assert_int_equal(mote_strands_pin(r.system, r.id, 0, tip, to, MOTE_NEXT_ADVANCE), MOTE_OK);
        step_rope(&r, 600);
        const mote_strand_step_report report = report_of(&r, 0);
        test_case("%u points, %g: strain %g, %u unsolved", points, share[i / 3], (double)report.strain,
                  report.unsolved);
        assert_alive(&r, 0);
        ASSERT(report.unsolved, ==, 0);
        assert_int_equal(report.infeasible, share[i / 3] > 1);
        ASSERT((double)report.strain, <=, fmax(share[i / 3] - 1, 0) + 0.002);
        destroy_rope(&r);
    }
}

/* Segments that may be stretched to twice their length, or pressed to nothing: a rope hangs as long as it is,
 * and no substep counts as unsolved. */
TEST(ropes_may_be_allowed_any_strain) {
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++)
        for (int fast = 0; fast < 2; fast++) {
            mote_strands_def def = one_strand((mote_strand_solver)solver, 17, positions, (double[3]){0},
                                              (double[3]){0.8, 0, 0}, 0);
            const mote_collider_def ground = mote_plane((float[3]){0, -0.5f, 0}, (float[3]){0, 1, 0});
            mote_collider_id id;
            def.max_strain = 1;
            const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 4, GRAVITY);
            if (solver == MOTE_STRAND_ROBUST)
                assert_int_equal(mote_system_add_collider(r.system, &ground, &id), MOTE_OK);
            for (uint32_t k = 1; k < 17 && fast; k++)
                store_point(&r, 0, k, (double[3]){0.05 * k, 0, 0}, (double[3]){0, k % 2 ? 40 : -40, 0});
            for (int step = 0; step < 120; step++) {
                step_rope(&r, 1);
                const mote_strand_step_report report = report_of(&r, 0);
                test_case("solver %d, fast %d, step %d", solver, fast, step);
                ASSERT(report.strain, <=, 1);
                if (!fast) ASSERT(report.unsolved, ==, 0);
            }
            assert_alive(&r, 0);
            destroy_rope(&r);
        }
}

/* A rope without length, of which a pin draws an end away, cannot reach it, and says so. */
TEST(a_rope_without_length_is_infeasible_between_pins_apart) {
    mote_strands_def def = one_strand(MOTE_STRAND_ROBUST, 5, positions, (double[3]){0}, (double[3]){0}, 0);
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 4, 0);
    assert_int_equal(mote_strands_pin(r.system, r.id, 0, 4, (float[3]){0.4f, 0, 0}, MOTE_NEXT_ADVANCE),
                     MOTE_OK);
    step_rope(&r, 10);
    double x[3];
    load_point(&r, 0, 4, x, NULL);
    assert_alive(&r, 0);
    assert_true(report_of(&r, 0).infeasible);
    ASSERT_NEAR(x[0], 0.4, 1e-6);
    destroy_rope(&r);
}

/* Inside a ball of 1 m, and on the axis of a thin capsule in which nothing can be as deep. */
TEST(the_depth_in_a_ball_is_not_that_in_a_thin_capsule) {
    mote_strands_def def =
        one_strand(MOTE_STRAND_ROBUST, 2, positions, (double[3]){0}, (double[3]){0.1, 0, 0}, 0);
    const mote_collider_def colliders[2] = {mote_sphere((float[3]){0, 0, 0}, 1),
                                            mote_capsule((float[3]){-2, -2, -2}, (float[3]){2, 2, 2}, 0.05f)};
    def.free_roots = true;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 4, 0);
    for (int i = 0; i < 2; i++) {
        mote_collider_id id;
        assert_int_equal(mote_system_add_collider(r.system, &colliders[i], &id), MOTE_OK);
    }
    ASSERT_NEAR(report_of(&r, 0).depth, 1, 1e-5);
    mote_strands_step_report all;
    assert_int_equal(mote_strands_report(r.system, r.id, &all), MOTE_OK);
    ASSERT_NEAR(all.depth, 1, 1e-5);
    destroy_rope(&r);
}

/* A clamped rod of equal masses bends under a force on each as under the acceleration that it gives. */
TEST(a_rod_bends_under_a_force_as_under_an_acceleration) {
    enum { POINTS = 9 };
    double x[2][POINTS][3];
    for (int thrust = 0; thrust < 2; thrust++) {
        mote_strands_def def =
            one_strand(MOTE_STRAND_ROBUST, POINTS, positions, (double[3]){0}, (double[3]){0.4, 0, 0}, 0);
        const mote_force_def force = mote_thrust((float[3]){0, -0.01f * (float)GRAVITY, 0});
        mote_force_id id;
        for (uint32_t k = 0; k < POINTS; k++) masses[k] = 0.01f;
        def.point_mass = masses, def.bending_stiffness = 0.02f;
        const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, thrust ? 0 : GRAVITY);
        if (thrust) assert_int_equal(mote_system_add_force(r.system, &force, &id), MOTE_OK);
        step_rope(&r, 30);
        for (uint32_t k = 0; k < POINTS; k++) load_point(&r, 0, k, x[thrust][k], NULL);
        ASSERT(x[thrust][POINTS - 1][1], <, -0.05);
        destroy_rope(&r);
    }
    for (uint32_t k = 0; k < POINTS; k++) ASSERT(apart(x[0][k], x[1][k]), <=, 1e-4);
}
