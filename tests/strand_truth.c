/* Constrained strands against what is known of them: free fall and pendulums at any distance from the origin,
 * momentum in empty space, the energy of a swing, and what the host writes. */
#include "test.h"

#include "inside.h"
#include "one_strand.h"

enum { SWINGS = 16, POINTS = 32 };

/* Of the strands of the last def. */
static float positions[3 * SWINGS * POINTS];

static const double distances[] = {0, 100, 1000, 3000, 1e5};

static rope start(const mote_strands_def *def, uint32_t substeps, double gravity) {
    return make_rope(def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, substeps, gravity);
}

/* --- Distance from the origin --- */

static double fallen_in_a_second(mote_strand_solver solver, double at, double *speed) {
    mote_strands_def def =
        one_strand(solver, 2, positions, (double[3]){0, at, 0}, (double[3]){0.125, at, 0}, 0);
    double x[3], v[3];
    def.free_roots = true;
    const rope r = start(&def, 8, GRAVITY);
    step_rope(&r, 60);
    load_point(&r, 0, 0, x, v);
    destroy_rope(&r);
    *speed = -v[1];
    return at - x[1];
}

TEST(strands_fall_alike_at_any_distance) {
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        double here, there;
        const double way = fallen_in_a_second((mote_strand_solver)solver, 0, &here);
        assert_near(way, GRAVITY / 2, 1e-3 * GRAVITY / 2);
        assert_near(here, GRAVITY, 1e-5 * GRAVITY);
        for (size_t i = 0; i < COUNT_OF(distances); i++) {
            test_case("solver %d, %g m", solver, distances[i]);
            /* The place that the host sees is rounded. */
            assert_near(fallen_in_a_second((mote_strand_solver)solver, distances[i], &there), way,
                        1e-3 * way + UNIT * distances[i]);
            assert_near(there, here, 1e-5 * here);
        }
    }
}

/* Velocity of the tip of a strand of 1 m whose root, or a pin at its end, moves by 0.0625 m in 10 steps. */
static double drawn_velocity(mote_strand_solver solver, bool pin, double at) {
    mote_strands_def def = one_strand(solver, 5, positions, (double[3]){0, 0, 0}, (double[3]){0, -1, 0}, 0);
    const rope r = start(&def, 8, 0);
    const float moved = (float)(at + 0.0625);
    const mote_transform from = {{(float)at, 0, 0}, {0, 0, 0, 1}}, to = {{moved, 0, 0}, {0, 0, 0, 1}};
    assert_int_equal(mote_strands_set_roots(r.system, r.id, &from, 1, 0), MOTE_OK);
    assert_int_equal(mote_strands_reset(r.system, r.id, MOTE_ALL_STRANDS), MOTE_OK);
    double x[3], v[3];
    if (pin)
        assert_int_equal(
            mote_strands_pin(r.system, r.id, 0, 4, (float[3]){moved, -1, 0}, 10 * ticks_per_step(&r)),
            MOTE_OK);
    else
        assert_int_equal(mote_strands_set_root(r.system, r.id, 0, &to, 10 * ticks_per_step(&r)), MOTE_OK);
    step_rope(&r, 9);
    load_point(&r, 0, pin ? 2 : 1, x, v);
    destroy_rope(&r);
    return v[0];
}

/* 0.0625 m is 8 roundings of a place at 1e5 m, and each substep a tenth of one. */
TEST(roots_and_pins_move_strands_alike_at_any_distance) {
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++)
        for (int pin = 0; pin < 2; pin++) {
            const double here = drawn_velocity((mote_strand_solver)solver, pin, 0);
            ASSERT(fabs(here), >, 0.01);
            for (size_t i = 0; i < COUNT_OF(distances); i++) {
                test_case("solver %d, %s, %g m", solver, pin ? "pin" : "root", distances[i]);
                assert_near(drawn_velocity((mote_strand_solver)solver, pin, distances[i]), here,
                            1e-3 * fabs(here));
            }
        }
}

/* The mean time between the moments at which a pendulum of 1 m, pushed with 0.1 m/s, turns, in 20 s. */
static double period_of(mote_strand_solver solver, double at, uint32_t substeps) {
    const mote_strands_def def =
        one_strand(solver, 2, positions, (double[3]){at, 0, 0}, (double[3]){at, -1, 0}, 0);
    const rope r = start(&def, substeps, GRAVITY);
    double before = 0.1, first = 0, last = 0;
    uint32_t turns = 0;
    store_point(&r, 0, 1, NULL, (double[3]){before, 0, 0});
    for (int step = 1; step <= 1200; step++) {
        double x[3], v[3];
        step_rope(&r, 1);
        load_point(&r, 0, 1, x, v);
        if (before < 0 && v[0] >= 0) {
            last = (step - v[0] / (v[0] - before)) / 60;
            if (turns++ == 0) first = last;
        }
        before = v[0];
    }
    destroy_rope(&r);
    ASSERT(turns, >, 5);
    return (last - first) / (turns - 1);
}

/* 2 pi sqrt(l / g) (1 + a^2 / 16), a = 0.1 m/s / sqrt(g l): Huygens, with the first term for the amplitude.
 */
TEST(pendulums_keep_their_period_at_any_distance) {
    const double period = 2 * PI * sqrt(1 / GRAVITY) * (1 + 0.01 / GRAVITY / 16);
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++)
        for (size_t i = 0; i < COUNT_OF(distances); i++) {
            test_case("solver %d, %g m", solver, distances[i]);
            assert_near(period_of((mote_strand_solver)solver, distances[i], 8), period, 1e-3 * period);
        }
}

TEST(pendulums_keep_their_period_at_many_substeps) {
    const double period = 2 * PI * sqrt(1 / GRAVITY) * (1 + 0.01 / GRAVITY / 16);
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++)
        for (size_t i = 0; i < 3; i++) {
            test_case("solver %d, %g m", solver, distances[i]);
            assert_near(period_of((mote_strand_solver)solver, distances[i], 128), period, 1e-3 * period);
        }
}

/* --- Empty space --- */

/* A free strand whose middle is at (20, 20, 20) m: straight, at `spin` rad/s about z, 1 m, and as fast as
 * `drift`. */
static rope free_strand(mote_strand_solver solver, double spin, const double drift[3]) {
    mote_strands_def def =
        one_strand(solver, POINTS, positions, (double[3]){19.5, 20, 20}, (double[3]){20.5, 20, 20}, 0);
    def.mass = 1;
    def.free_roots = true;
    const rope r = start(&def, 8, 0);
    for (uint32_t k = 0; k < POINTS; k++) {
        const double out = k / (POINTS - 1.0) - 0.5;
        store_point(&r, 0, k, NULL, (double[3]){drift[0], drift[1] + spin * out, drift[2]});
    }
    return r;
}

/* Momentum over mass, and angular momentum about the centre of mass. */
static void momenta_of(const rope *r, double momentum[3], double angular[3]) {
    double x[POINTS][3], v[POINTS][3], centre[3] = {0};
    memset(momentum, 0, 3 * sizeof *momentum);
    memset(angular, 0, 3 * sizeof *angular);
    for (uint32_t k = 0; k < POINTS; k++) {
        load_point(r, 0, k, x[k], v[k]);
        for (int i = 0; i < 3; i++) centre[i] += x[k][i] / POINTS, momentum[i] += v[k][i] / POINTS;
    }
    for (uint32_t k = 0; k < POINTS; k++) {
        double arm[3], turn[3];
        for (int i = 0; i < 3; i++) arm[i] = x[k][i] - centre[i];
        cross(arm, v[k], turn);
        for (int i = 0; i < 3; i++) angular[i] += turn[i] / POINTS;
    }
}

/* 3 m/s and 6 rad/s for 10 s. Impulses come in pairs: what is left is their rounding, at random signs in
 * 4,800 substeps and 32 points, of velocities of up to 8 m/s: far less than 10 of one. */
TEST(momentum_is_kept_in_empty_space) {
    const double drift[3] = {1, 2, 2};
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        double momentum[3], angular[3];
        const rope r = free_strand((mote_strand_solver)solver, 6, drift);
        for (uint32_t k = 0; k < POINTS; k += 2) {
            double x[3], v[3];
            load_point(&r, 0, k, x, v);
            v[2] += 0.5 * sin(k); /* it bends, too */
            store_point(&r, 0, k, NULL, v);
        }
        double before[3];
        momenta_of(&r, before, angular);
        step_rope(&r, 600);
        momenta_of(&r, momentum, angular);
        test_case("solver %d", solver);
        for (int i = 0; i < 3; i++) assert_near(momentum[i], before[i], 10 * UNIT * 8);
        destroy_rope(&r);
    }
}

/* 60 radians. Each of 3,600 substeps rounds the velocities. */
TEST(a_free_spin_keeps_its_angular_momentum) {
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        double momentum[3], before[3], after[3];
        const rope r = free_strand((mote_strand_solver)solver, 6, (double[3]){0});
        momenta_of(&r, momentum, before);
        step_rope(&r, 600);
        momenta_of(&r, momentum, after);
        test_case("solver %d", solver);
        assert_near(after[2], before[2], 3600 * UNIT * before[2]);
        assert_near(after[0], 0, 1e-5);
        assert_near(after[1], 0, 1e-5);
        destroy_rope(&r);
    }
}

/* --- Energy --- */

/* 1 m and 1 kg, released horizontally, each a little more tilted than the one before: the chaos of one is not
 * that of all. */
static rope release(mote_strand_solver solver, uint32_t substeps) {
    mote_strands_def def = one_strand(solver, POINTS, positions, (double[3]){0}, (double[3]){1, 0, 0}, 0);
    for (int i = 0; i < SWINGS; i++) {
        const double tilt = 0.003 * i;
        lay_line(positions + 3 * POINTS * i, POINTS, (double[3]){0}, (double[3]){cos(tilt), -sin(tilt), 0});
    }
    def.strand_count = SWINGS;
    def.mass = 1;
    return start(&def, substeps, GRAVITY);
}

/* The mean energy of the strands, by their velocities as they stand, as a share of what their middle can fall
 * by. */
static double energy_of(const rope *r) {
    double sum = 0;
    for (uint32_t i = 0; i < SWINGS; i++)
        for (uint32_t k = 1; k < POINTS; k++) {
            double x[3], v[3];
            load_point(r, i, k, x, v);
            sum += dot(v, v) / 2 + GRAVITY * x[1];
        }
    return sum / (SWINGS * GRAVITY * POINTS / 2);
}

/* The change of energy after so many seconds; *most: the largest gain until then. */
static double change_in(const rope *r, double first, int seconds, double *most) {
    double change = 0;
    for (int step = 0; step < 60 * seconds; step++) {
        step_rope(r, 1);
        change = energy_of(r) - first;
        *most = fmax(*most, change);
    }
    return change;
}

/* Springs to the rest shape, as fast as 60 rad/s: after 20 s the strand does not move faster than it did in
 * the first second. */
TEST(springs_to_the_rest_shape_gain_no_energy) {
    static const float stiffness[] = {0.01f, 0.03f, 0.1f};
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++)
        for (size_t i = 0; i < COUNT_OF(stiffness); i++) {
            mote_strands_def def = one_strand((mote_strand_solver)solver, POINTS, positions, (double[3]){0},
                                              (double[3]){0.3, -0.95, 0}, 0);
            lay_line(positions, POINTS, (double[3]){0}, (double[3]){0.09, -0.28, 0});
            def.mass = 0.001f;
            def.pose_stiffness = stiffness[i];
            rope r = start(&def, 4, GRAVITY);
            double most[2] = {0, 0};
            for (int step = 0; step < 1260; step++) {
                step_rope(&r, 1);
                mote_statistics s;
                assert_int_equal(mote_strands_statistics(r.system, r.id, &s), MOTE_OK);
                if (step < 60) most[0] = fmax(most[0], s.kinetic);
                if (step >= 1200) most[1] = fmax(most[1], s.kinetic);
            }
            test_case("solver %d, %g N/m", solver, (double)stiffness[i]);
            ASSERT(most[1], <=, 1.2 * most[0]);
            destroy_rope(&r);
        }
}

TEST(conserving_swings_keep_their_energy) {
    static const uint32_t substeps[] = {2, 4, 8, 16, 32};
    for (size_t i = 0; i < COUNT_OF(substeps); i++) {
        const rope r = release(MOTE_STRAND_CONSERVING, substeps[i]);
        const double first = energy_of(&r);
        double most = 0;
        test_case("%u substeps", substeps[i]);
        const double soon = change_in(&r, first, 5, &most), later = change_in(&r, first, 15, &most);
        ASSERT(fabs(later), <=, 0.01);
        if (substeps[i] == 8 || substeps[i] == 16) {
            ASSERT(fabs(soon), <=, 0.001);
            ASSERT(fabs(change_in(&r, first, 40, &most)), <=, 0.01);
        }
        ASSERT(most, <=, 0.02);
        destroy_rope(&r);
    }
}

/* Swings of 1 m by 0.1 mm to 100 mm neither die nor grow: the largest speed in the seconds 50 to 60 is that
 * of the first ten, for which the tension's work on rounding must not count. clamped: the second point is
 * pinned, too. */
static void keep_a_swing(double angle, uint32_t count, uint32_t substeps, bool clamped) {
    const double tip[3] = {sin(angle), -cos(angle), 0};
    const mote_strands_def def = one_strand(MOTE_STRAND_CONSERVING, count, positions, (double[3]){0}, tip, 0);
    const rope r = start(&def, substeps, GRAVITY);
    if (clamped) assert_int_equal(mote_strands_pin(r.system, r.id, 0, 1, positions + 3, 0), MOTE_OK);
    double most[2] = {0, 0};
    for (int step = 0; step < 3600; step++) {
        step_rope(&r, 1);
        mote_statistics s;
        assert_int_equal(mote_strands_statistics(r.system, r.id, &s), MOTE_OK);
        if (step < 600) most[0] = fmax(most[0], s.kinetic);
        if (step >= 3000) most[1] = fmax(most[1], s.kinetic);
    }
    test_case("%u points, %u substeps, %g, %s", count, substeps, angle, clamped ? "clamped" : "hung");
    ASSERT_NEAR(most[1], most[0], 0.1 * most[0]);
    destroy_rope(&r);
}

TEST(conserving_strands_keep_small_swings) {
    static const double angles[] = {1e-4, 5.4e-4, 3e-3, 0.1};
    static const uint32_t points[] = {16, 32, 64};
    for (size_t i = 0; i < 2 * COUNT_OF(angles) * COUNT_OF(points); i++)
        keep_a_swing(angles[i / 2 % COUNT_OF(angles)], points[i / 2 / COUNT_OF(angles)], 4 << i % 2, false);
    for (size_t i = 0; i < 2 * COUNT_OF(angles); i++) keep_a_swing(angles[i / 2], 32, 4 << i % 2, true);
}

TEST(robust_swings_lose_little_and_gain_nothing) {
    static const struct {
        uint32_t substeps;
        double loss;
    } rows[] = {{4, 0.2}, {8, 0.12}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const rope r = release(MOTE_STRAND_ROBUST, rows[i].substeps);
        const double first = energy_of(&r);
        double most = 0;
        test_case("%u substeps", rows[i].substeps);
        ASSERT(change_in(&r, first, 2, &most), >=, -rows[i].loss);
        ASSERT(most, <=, 8 * UNIT * 240);
        destroy_rope(&r);
    }
}

/* --- Places in two parts --- */

static void same_state(const rope *a, const rope *b, uint32_t points) {
    for (uint32_t k = 0; k < points; k++) {
        double x[2][3], v[2][3];
        load_point(a, 0, k, x[0], v[0]);
        load_point(b, 0, k, x[1], v[1]);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(v[0], v[1], sizeof v[0]);
    }
}

/* A strand 100 km out swings, and is then laid anew by the host, as another strand was made: what the swing
 * left in the low parts of its places counts no more. */
TEST(places_that_the_host_writes_are_taken_over) {
    const double at = 1e5;
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        const mote_strands_def def = one_strand((mote_strand_solver)solver, 9, positions,
                                                (double[3]){at, 0, at}, (double[3]){at + 1, 0, at}, 0);
        const rope fresh = start(&def, 8, GRAVITY), r = start(&def, 8, GRAVITY);
        step_rope(&r, 20);
        for (uint32_t k = 0; k < 9; k++)
            store_point(&r, 0, k, (double[3]){at + 0.125 * k, 0, at}, (double[3]){0});
        test_case("solver %d", solver);
        step_rope(&r, 1), step_rope(&fresh, 1);
        same_state(&r, &fresh, 9);
        destroy_rope(&r), destroy_rope(&fresh);
    }
}

/* Two strands have moved differently when the host lays both alike: from then on they are one. */
TEST(strands_that_the_host_lays_alike_forget_their_histories) {
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++)
        for (size_t i = 0; i < COUNT_OF(distances); i++) {
            const double at = distances[i];
            const mote_strands_def def = one_strand((mote_strand_solver)solver, 9, positions,
                                                    (double[3]){at, 0, at}, (double[3]){at + 1, 0, at}, 0);
            const rope r[2] = {start(&def, 8, GRAVITY), start(&def, 8, GRAVITY)};
            test_case("solver %d, %g m", solver, at);
            for (int n = 0; n < 2; n++) {
                for (uint32_t k = 1; k < 9; k++)
                    store_point(&r[n], 0, k, NULL, (double[3]){0.3 * n, 0, 0.1 * k * n});
                step_rope(&r[n], 20);
                for (uint32_t k = 1; k < 9; k++)
                    store_point(&r[n], 0, k, (double[3]){at + 0.1 * k, 0.07 * k, at + 0.02 * k},
                                (double[3]){0, 0.1 * k, 1});
                step_rope(&r[n], 1);
            }
            ASSERT(mote_system_hash(r[0].system), ==, mote_system_hash(r[1].system));
            step_rope(&r[0], 30), step_rope(&r[1], 30);
            same_state(&r[0], &r[1], 9);
            ASSERT(mote_system_hash(r[0].system), ==, mote_system_hash(r[1].system));
            destroy_rope(&r[0]), destroy_rope(&r[1]);
        }
}

/* 1 mm/s at 100 km, where a float is good for 8 mm: only the low parts move, and stay where the host writes
 * what it has read. */
TEST(places_that_are_not_written_keep_their_low_parts) {
    mote_strands_def def = one_strand(MOTE_STRAND_ROBUST, 9, positions, (double[3]){1e5, 0, 1e5},
                                      (double[3]){1e5 + 1, 0, 1e5}, 0);
    def.free_roots = true;
    const rope r = start(&def, 8, 0), written = start(&def, 8, 0);
    for (uint32_t k = 0; k < 9; k++) {
        store_point(&r, 0, k, NULL, (double[3]){0, 0, 0.001});
        store_point(&written, 0, k, NULL, (double[3]){0, 0, 0.001});
    }
    for (int step = 0; step < 600; step++) {
        step_rope(&r, 1), step_rope(&written, 1);
        for (uint32_t k = 0; k < 9; k++) {
            double x[3], v[3];
            load_point(&written, 0, k, x, v);
            store_point(&written, 0, k, x, v);
        }
    }
    same_state(&r, &written, 9);
    double x[3];
    load_point(&r, 0, 8, x, NULL);
    ASSERT(x[2], ==, 1e5 + 0x1p-7); /* 10 mm */
    destroy_rope(&r), destroy_rope(&written);
}

typedef struct hung_kind {
    mote_strand_solver solver;
    float compliance, bending_stiffness;
    double elastic; /* J, at least */
} hung_kind;

static const hung_kind hung_kinds[] = {{MOTE_STRAND_ROBUST, 1e-3f, 0, 1e-3},
                                       {MOTE_STRAND_ROBUST, 0, 1e-3f, 1e-5},
                                       {MOTE_STRAND_CONSERVING, 0, 0, 0}};

enum { HUNG = 40 };

/* Ropes of 8 x 0.125 m under (at + i, at, at), 1.5 s after they are pushed aside. */
static mote_statistics hung_statistics(const hung_kind *kind, double at) {
    mote_transform roots[HUNG];
    mote_strands_def def = one_strand(kind->solver, 9, positions, (double[3]){0}, (double[3]){0, -1, 0}, 0);
    def.strand_count = HUNG;
    def.mass = 0.1f;
    def.compliance = kind->compliance;
    def.bending_stiffness = kind->bending_stiffness;
    for (uint32_t i = 0; i < HUNG; i++) {
        lay_line(positions + 27 * i, 9, (double[3]){0}, (double[3]){0, -1, 0});
        roots[i] = (mote_transform){{(float)(at + i), (float)at, (float)at}, {0, 0, 0, 1}};
    }
    const rope r = start(&def, 8, GRAVITY);
    assert_int_equal(mote_strands_set_roots(r.system, r.id, roots, HUNG, 0), MOTE_OK);
    assert_int_equal(mote_strands_reset(r.system, r.id, MOTE_ALL_STRANDS), MOTE_OK);
    for (uint32_t i = 0; i < HUNG; i++)
        for (uint32_t k = 1; k < 9; k++) store_point(&r, i, k, NULL, (double[3]){0.1 * k, 0, 0.002 * i * k});
    step_rope(&r, 90);
    mote_statistics s;
    assert_int_equal(mote_strands_statistics(r.system, r.id, &s), MOTE_OK);
    s.potential -= s.mass * (double)(float)GRAVITY * at;
    destroy_rope(&r);
    return s;
}

static void near_statistic(double got, double want) { ASSERT_NEAR(got, want, fmax(1e-3 * fabs(want), 1e-6)); }

/* At 1e5 m floats are 7.8 mm apart, 6 % of a segment. */
TEST(strains_and_energies_are_those_of_places_and_not_of_columns) {
    for (size_t kind = 0; kind < COUNT_OF(hung_kinds); kind++) {
        const mote_statistics want = hung_statistics(&hung_kinds[kind], 0);
        ASSERT(want.elastic, >=, hung_kinds[kind].elastic);
        for (size_t i = 0; i < COUNT_OF(distances); i++) {
            const mote_statistics got = hung_statistics(&hung_kinds[kind], distances[i]);
            test_case("kind %zu, %g m", kind, distances[i]);
            near_statistic(got.mean_strain, want.mean_strain);
            near_statistic(got.max_strain, want.max_strain);
            ASSERT(got.max_strain_item, ==, want.max_strain_item);
            near_statistic(got.elastic, want.elastic);
            near_statistic(got.kinetic, want.kinetic);
            ASSERT_NEAR(got.potential, want.potential, 1e-6 * fabs(want.potential));
        }
    }
}

TEST(frames_of_any_length_give_the_same_state_far_out) {
    static const uint32_t frames[] = {1, 3, 7, 60};
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        uint64_t hash[COUNT_OF(frames)];
        for (size_t i = 0; i < COUNT_OF(frames); i++) {
            const mote_strands_def def =
                one_strand((mote_strand_solver)solver, POINTS, positions, (double[3]){1e5, 0, -1e5},
                           (double[3]){1e5 + 1, 0, -1e5}, 0);
            const rope r = start(&def, 8, GRAVITY);
            for (uint32_t left = 60; left; left -= left < frames[i] ? left : frames[i])
                step_rope(&r, left < frames[i] ? left : frames[i]);
            hash[i] = mote_system_hash(r.system);
            destroy_rope(&r);
        }
        for (size_t i = 1; i < COUNT_OF(frames); i++) ASSERT(hash[i], ==, hash[0]);
    }
}
