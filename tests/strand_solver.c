/* What holds constrained strands: compliance against springs, stiffness of any size, pins, degenerate shapes,
 * energy, reactions and stretch. Tolerances follow from UNIT (rope.h), one float32 rounding, and from
 * max_stretch. */
#include "test.h"

#include "swing.h"

/* A straight strand of 1 kg from the origin. */
static mote_strands_def line_def(mote_strand_solver solver, uint32_t points, float *positions, double x,
                                 double y) {
    lay_line(positions, points, (double[3]){0}, (double[3]){x, y, 0});
    mote_strands_def def = mote_default_strands_def();
    def.solver = solver;
    def.strand_count = 1;
    def.points = points;
    def.positions = positions;
    def.mass = 1;
    return def;
}

/* What max_stretch allows of a segment of `length` m at up to `reach` m from the origin: beyond it, the
 * rounding of six coordinates and of the length's own arithmetic. */
static double held(double max_stretch, double length, double reach) {
    return max_stretch + UNIT * (6 * reach / length + 8);
}

/* --- Compliance --- */

TEST(compliance_converges_to_springs_at_order_one) {
    enum { SUBSTEPS = 64 };
    for (int damped = 0; damped < 2; damped++)
        for (int bends = 0; bends < 2; bends++) {
            swing s;
            chain_state exact[STRANDS];
            make_swing(&s, damped, false);
            s.def.solver = MOTE_STRAND_ROBUST;
            s.def.max_stretch = 1e-5f;
            s.def.compliance = 1 / 16.0f;
            s.def.bend_stiffness = 4;
            if (!bends) s.def.bend_stiffness = 0, s.def.bend_damping = 0;
            for (uint32_t i = 0; i < STRANDS; i++) {
                make_chain(&s, i, false);
                run_plainly(&s, i, MOTE_RK4, 8, 256, &exact[i]);
            }
            const double coarse = error_of(&s, exact, MOTE_SEMI_IMPLICIT_EULER, SUBSTEPS / 2);
            const double fine = error_of(&s, exact, MOTE_SEMI_IMPLICIT_EULER, SUBSTEPS);
            /* Implicit Euler damps by (w h)^2 / 2 a step, w = 2 sqrt(k / m): that of the error is the next
             * term, which falls to half. Rounding: a place known to UNIT 3 m / sqrt(3) is a velocity for the
             * rest of the way, n of them make n^(3/2) / sqrt(3) of one; in quadrature. */
            const double h = 1 / (16.0 * SUBSTEPS), w = 2 * sqrt(16 / 0.1), next = w * w * h * 0.5 / 2;
            const double rounding = pow(8 * SUBSTEPS, 1.5) / 3 * UNIT * 3 / fine;
            const double tolerance = (next / 2 + rounding * rounding / 2) / log(2);
            ASSERT(tolerance, <, 0.3);
            assert_near(log2(coarse / fine), 1, tolerance);
        }
}

/* A zigzag of 32 points whose root is shaken. */
static void shake(const mote_strands_def *def, mote_rate rate, double length) {
    rope r = make_rope(def, MOTE_SEMI_IMPLICIT_EULER, rate, 1, GRAVITY);
    for (int step = 0; step < 120; step++) {
        const mote_transform to = turn_about((double[3]){0, 0, 1}, 0.7 * sin(step),
                                             (double[3]){0.2 * sin(2.0 * step), 0.1 * (step % 3), 0});
        assert_int_equal(mote_strands_set_roots(r.system, r.id, &to, 1, MOTE_NEXT_ADVANCE), MOTE_OK);
        step_rope(&r, 1);
        assert_alive(&r, 0);
        mote_strand_step_report report = report_of(&r, 0);
        /* What does not give way is held or reported. */
        if (def->compliance == 0 && !report.capped)
            ASSERT(report.stretch, <=, held(def->max_stretch, length, 3));
    }
    destroy_rope(&r);
}

TEST(stiffness_of_any_size_is_finite_at_every_step) {
    static const mote_rate rates[] = {{1000, 1}, {240, 1}, {60, 1}, {10, 1}};
    static const float compliance[] = {1e-9f, 1e-7f, 1e-5f, 1e-3f, 0};
    static const float bend[] = {0, 10, 1e5f, 1e9f};
    float positions[3 * 32];
    for (int k = 0; k < 32; k++)
        positions[3 * k] = 0.03f * (float)k, positions[3 * k + 1] = k % 2 ? 0.01f : 0,
                      positions[3 * k + 2] = 0;
    const double length = hypot(0.03, 0.01);
    for (size_t t = 0; t < COUNT_OF(rates); t++)
        for (size_t c = 0; c < COUNT_OF(compliance); c++)
            for (size_t b = 0; b < COUNT_OF(bend); b++) {
                mote_strands_def def = mote_default_strands_def();
                def.strand_count = 1;
                def.positions = positions;
                def.mass = 0.01f;
                def.compliance = compliance[c];
                def.bend_stiffness = bend[b];
                def.damping = c % 2 ? 10.0f : 0;
                def.bend_damping = def.damping;
                shake(&def, rates[t], length);
            }
}

/* --- Pins --- */

enum { LINE = 33 };

/* The last point of each strand is pinned `share` of its length away. */
TEST(pins_too_far_apart_are_reported) {
    static const float share[] = {1.5f, 1.25f, 0.999f, 0.9f, 1, 3};
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        float positions[3 * LINE * COUNT_OF(share)];
        mote_strands_def def = line_def((mote_strand_solver)solver, LINE, positions, 1, 0);
        for (size_t i = 1; i < COUNT_OF(share); i++)
            memcpy(positions + 3 * LINE * i, positions, 3 * LINE * sizeof *positions);
        def.strand_count = COUNT_OF(share);
        rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
        for (uint32_t i = 0; i < COUNT_OF(share) - 1; i++)
            assert_int_equal(
                mote_strands_pin(r.system, r.id, i, LINE - 1, (vec3){share[i], 0, 0}, MOTE_NEXT_ADVANCE),
                MOTE_OK);
        for (int step = 0; step < 60; step++) {
            step_rope(&r, 1);
            for (uint32_t i = 0; i < COUNT_OF(share); i++) {
                mote_strand_step_report report = report_of(&r, i);
                assert_alive(&r, i);
                if (share[i] != 1) assert_int_equal(report.infeasible, share[i] > 1 && share[i] < 3);
                /* As long as the pins stand apart, and no more: segments 1.002 of what they must be, to
                 * max_stretch. */
                const double needed = share[i] < 3 ? fmax(share[i] * 1.002 - 1, 0) : 0;
                if (step > 30) assert_int_equal(report.capped, 0); /* there is a solution, and it is found */
                if (!report.capped)
                    ASSERT(report.stretch, <=, needed + (1 + needed) * held(0.002, 1 / 32.0, 1.5));
                if (share[i] > 1.002 && share[i] < 3)
                    ASSERT(report.stretch, >=, share[i] - 1 - held(0, 1 / 32.0, 1.5));
                double x[3];
                load_point(&r, i, LINE - 1, x, NULL);
                if (share[i] < 3) {
                    ASSERT(x[0], ==, share[i]);
                    ASSERT(x[1], ==, 0);
                    ASSERT(x[2], ==, 0);
                }
            }
        }
        /* Once the pins stand nearer, all is well again. */
        for (uint32_t i = 0; i < 2; i++)
            assert_int_equal(
                mote_strands_pin(r.system, r.id, i, LINE - 1, (vec3){0.5f, 0, 0}, MOTE_NEXT_ADVANCE),
                MOTE_OK);
        step_rope(&r, 1);
        step_rope(&r, 59);
        for (uint32_t i = 0; i < 2; i++) {
            assert_false(report_of(&r, i).infeasible);
            ASSERT(report_of(&r, i).stretch, <=, held(0.002, 1 / 32.0, 1.5));
        }
        destroy_rope(&r);
    }
}

/* Equal masses on equal links: the tangent of link i is (i - (n - 1) / 2) m g / H; H by bisection, so that
 * they span `span`. */
static void hang(double span, double at[LINE][2]) {
    const double n = LINE - 1, link = 1 / n;
    double low = 1e-6, high = 1e6, width = 0;
    for (int i = 0; i < 200; i++) {
        const double h = sqrt(low * high);
        width = 0;
        for (int k = 0; k < LINE - 1; k++) width += link * h / hypot(h, k - (n - 1) / 2);
        *(width < span ? &low : &high) = h;
    }
    at[0][0] = at[0][1] = 0;
    for (int k = 0; k < LINE - 1; k++) {
        const double v = k - (n - 1) / 2, r = hypot(low, v);
        at[k + 1][0] = at[k][0] + link * low / r;
        at[k + 1][1] = at[k][1] + link * v / r;
    }
}

TEST(slack_between_pins_hangs_as_a_chain_does) {
    double want[LINE][2];
    hang(0.75, want);
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        float positions[3 * LINE];
        mote_strands_def def = line_def((mote_strand_solver)solver, LINE, positions, 1, 0);
        def.normal_drag = def.tangential_drag = 3;
        def.max_stretch = 1e-4f;
        rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
        assert_int_equal(
            mote_strands_pin(r.system, r.id, 0, LINE - 1, (vec3){0.75f, 0, 0}, 60 * ticks_per_step(&r)),
            MOTE_OK);
        step_rope(&r, 1200);
        /* Links longer by up to max_stretch make the sag deeper: with sag^2 about 3/8 span (length - span),
         * by length / (2 (length - span)) max_stretch of it, 2 max_stretch 0.25 m; and the drag's last
         * motion, e^(-1.5 t) of 1 m after 20 s. Twice that for the shape between. */
        for (int k = 0; k < LINE; k++) {
            double x[3], mirror[3];
            load_point(&r, 0, (uint32_t)k, x, NULL);
            load_point(&r, 0, (uint32_t)(LINE - 1 - k), mirror, NULL);
            for (int i = 0; i < 2; i++) assert_near(x[i], want[k][i], 2 * 2 * 1e-4 * 0.25 + 1e-5);
            assert_near(x[1], mirror[1], 2 * 2 * 1e-4 * 0.25);
            assert_near(x[2], 0, 0);
        }
        destroy_rope(&r);
    }
}

/* --- Degenerate shapes --- */

TEST(segments_without_length_do_no_harm) {
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++)
        for (int bends = 0; bends < (solver == MOTE_STRAND_CONSERVING ? 1 : 2); bends++) {
            float positions[3 * 16];
            mote_strands_def def = line_def((mote_strand_solver)solver, 16, positions, 0.6, 0.3);
            memcpy(positions + 3 * 5, positions + 3 * 4, 3 * sizeof *positions);   /* in the middle, */
            memcpy(positions + 3 * 1, positions + 3 * 0, 3 * sizeof *positions);   /* at the root */
            memcpy(positions + 3 * 15, positions + 3 * 14, 3 * sizeof *positions); /* and two at the tip */
            memcpy(positions + 3 * 13, positions + 3 * 14, 3 * sizeof *positions);
            def.compliance = solver == MOTE_STRAND_SPRINGS ? 1 / 256.0f : 0;
            def.bend_stiffness = bends ? 8.0f : 0;
            rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
            for (int step = 0; step < 120; step++) {
                step_rope(&r, 1);
                assert_alive(&r, 0);
                mote_strand_step_report report = report_of(&r, 0);
                if (solver != MOTE_STRAND_SPRINGS && !report.capped)
                    ASSERT(report.stretch, <=, held(0.002, 0.04, 1));
            }
            double x[3];
            load_point(&r, 0, 15, x, NULL);
            ASSERT(x[1], <, 0.2); /* it has fallen */
            destroy_rope(&r);
        }
}

/* The host lays points on one another. Joined points have no direction: the strand is reported until they
 * part. */
TEST(points_that_coincide_part_again) {
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++)
        for (int all = 0; all < 2; all++) {
            float positions[3 * 16];
            mote_strands_def def = line_def((mote_strand_solver)solver, 16, positions, 0.9, 0);
            def.compliance = solver == MOTE_STRAND_SPRINGS ? 1 / 256.0f : 0;
            rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
            for (uint32_t k = all ? 1 : 7; k < (all ? 16 : 8); k++) {
                const double x[3] = {positions[3 * (all ? 0 : 6)], 0, 0};
                store_point(&r, 0, k, x, NULL);
            }
            for (int step = 0; step < 120; step++) {
                step_rope(&r, 1);
                assert_alive(&r, 0);
                mote_strand_step_report report = report_of(&r, 0);
                if (solver != MOTE_STRAND_SPRINGS)
                    assert_true(report.capped || report.stretch <= held(0.002, 0.06, 1));
            }
            if (solver != MOTE_STRAND_SPRINGS && !all)
                ASSERT(report_of(&r, 0).stretch, <=, held(0.002, 0.06, 1));
            destroy_rope(&r);
        }
}

/* --- Energy --- */

static double energy_of(const rope *r, uint32_t points) {
    double sum = 0;
    for (uint32_t k = 0; k < points; k++) {
        double x[3], v[3];
        load_point(r, 0, k, x, v);
        if (k) sum += (dot(v, v) / 2 + GRAVITY * x[1]) / points;
    }
    return sum;
}

/* 1 kg, 1 m, released horizontally: its middle can fall by 0.5 m. */
TEST(energy_of_a_swing) {
    const double depth = GRAVITY * 0.5;
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        float positions[3 * 32];
        mote_strands_def def = line_def((mote_strand_solver)solver, 32, positions, 1, 0);
        rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 16, GRAVITY);
        const double start = energy_of(&r, 32);
        double before = start;
        for (int step = 0; step < 300; step++) {
            step_rope(&r, 1);
            const double energy = energy_of(&r, 32);
            assert_int_equal(report_of(&r, 0).fallbacks + report_of(&r, 0).capped, 0);
            /* Lengths that are max_stretch off lift 1 kg by as much of 1 m; no more is gained. */
            if (solver == MOTE_STRAND_ROBUST) {
                ASSERT(energy, <=, before + 0.002 * GRAVITY);
                ASSERT(energy, <=, start);
            }
            before = energy;
        }
        if (solver == MOTE_STRAND_CONSERVING)
            assert_near(before, start, 0.01 * depth);
        else
            ASSERT(before, <, start - 0.05 * depth);
        destroy_rope(&r);
    }
}

/* --- Reactions --- */

static void reaction_of(const rope *r, uint32_t point, double impulse[3]) {
    float got[3];
    assert_int_equal(mote_strands_reaction(r->system, r->id, 0, point, got), MOTE_OK);
    for (int i = 0; i < 3; i++) impulse[i] = got[i];
}

typedef enum holding { SPRINGS, RIGID, COMPLIANT, BENDING, CONSERVING, HOLDINGS } holding;

static void hold_by(mote_strands_def *def, holding how) {
    def->solver = how == SPRINGS      ? MOTE_STRAND_SPRINGS
                  : how == CONSERVING ? MOTE_STRAND_CONSERVING
                                      : MOTE_STRAND_ROBUST;
    def->compliance = how == SPRINGS || how == COMPLIANT ? 1 / 4096.0f : 0;
    def->bend_stiffness = how == BENDING ? 64.0f : 0;
}

/* Hanging from its root, each segment stretched by the weight below it. */
TEST(the_root_bears_the_weight_at_rest) {
    for (int how = 0; how < HOLDINGS; how++) {
        float positions[3 * 16];
        mote_strands_def def = line_def(MOTE_STRAND_ROBUST, 16, positions, 0, -1);
        hold_by(&def, (holding)how);
        rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 16, GRAVITY);
        double y = 0;
        for (uint32_t k = 1; k < 16; k++) {
            y -= 1 / 15.0 + (16 - k) * GRAVITY / 16 * (double)def.compliance;
            store_point(&r, 0, k, (double[3]){0, y, 0}, NULL);
        }
        /* A substep rounds positions of 1 m, known to UNIT, and with them the springs' forces by 4096 N/m
         * UNIT: a velocity is known to UNIT 1 m / h or to that of the fastest swing those roundings make,
         * 512/s UNIT 1 m; 1/h is more. The momentum of 1 kg at the step's end and beginning. */
        const double tolerance = 2 * UNIT * 960 * 2;
        for (int step = 0; step < 10; step++) {
            double impulse[3];
            step_rope(&r, 1);
            reaction_of(&r, 0, impulse);
            assert_near(impulse[1], -15 / 16.0 * GRAVITY / 60, tolerance);
            ASSERT(impulse[0], ==, 0);
            ASSERT(impulse[2], ==, 0);
        }
        destroy_rope(&r);
    }
}

/* A strand that swings from its root and from a pin that travels: what its free points gain is what gravity
 * gives less what they give to what is pinned. */
TEST(reactions_balance_momentum) {
    for (int how = 0; how < HOLDINGS; how++) {
        float positions[3 * 16];
        mote_strands_def def = line_def(MOTE_STRAND_ROBUST, 16, positions, 1, 0);
        for (int k = 1; k < 16; k += 2)
            positions[3 * k + 2] = 0.04f; /* not taut, where forces have no bound */
        hold_by(&def, (holding)how);
        rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 16, GRAVITY);
        assert_int_equal(
            mote_strands_pin(r.system, r.id, 0, 8, (vec3){0.4f, 0.1f, 0.1f}, 50 * ticks_per_step(&r)),
            MOTE_OK);
        double before[3] = {0};
        for (int step = 0; step < 60; step++) {
            double root[3], pin[3], after[3] = {0}, x[3], v[3];
            step_rope(&r, 1);
            reaction_of(&r, 0, root);
            reaction_of(&r, 8, pin);
            assert_false(report_of(&r, 0).infeasible);
            for (uint32_t k = 1; k < 16; k++) {
                load_point(&r, 0, k, x, v);
                for (int i = 0; i < 3 && k != 8; i++) after[i] += v[i] / 16;
            }
            /* 14 points of 1/16 kg, whose velocities of up to 8 m/s are rounded in each of 16 substeps, or
             * are the difference of two positions known to UNIT 1 m over h, at both ends of the step; the
             * reaction's own sums, of forces of up to 200 N in each substep, are rounded as often. */
            const double tolerance = UNIT * (14 / 16.0 * (16 * 8 + 2 * 960) + 16 * 4 * 200 / 960.0);
            if (!report_of(&r, 0).capped && !report_of(&r, 0).fallbacks)
                for (int i = 0; i < 3; i++)
                    assert_near(after[i] - before[i],
                                (i == 1 ? -GRAVITY * 14 / 16 / 60 : 0) - root[i] - pin[i], tolerance);
            memcpy(before, after, sizeof before);
        }
        destroy_rope(&r);
    }
}

/* --- Stretch --- */

TEST(stretch_is_held_or_reported) {
    static const double lengths[] = {0.1, 0.3, 1};
    static const uint32_t points[] = {32, 128};
    for (size_t l = 0; l < COUNT_OF(lengths); l++)
        for (size_t p = 0; p < COUNT_OF(points); p++) {
            float positions[3 * 128];
            mote_strands_def def = line_def(MOTE_STRAND_ROBUST, points[p], positions, lengths[l], 0);
            rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 4, GRAVITY);
            for (int step = 0; step < 120; step++) {
                step_rope(&r, 1);
                mote_strand_step_report report = report_of(&r, 0);
                assert_alive(&r, 0);
                /* Held even where the iterations did not suffice: with one end free it is laid out. */
                ASSERT(report.stretch, <=, held(0.002, lengths[l] / (points[p] - 1), lengths[l]));
                /* The report says what the points say. */
                double largest = 0, a[3], b[3];
                for (uint32_t k = 0; k + 1 < points[p]; k++) {
                    load_point(&r, 0, k, a, NULL);
                    load_point(&r, 0, k + 1, b, NULL);
                    const double rest = (double)positions[3 * k + 3] - (double)positions[3 * k];
                    largest = fmax(largest, fabs(apart(a, b) / rest - 1));
                }
                assert_near(report.stretch, largest, 8 * UNIT);
            }
            destroy_rope(&r);
        }
}
