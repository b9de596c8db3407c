/* Strands of springs: against the same springs written plainly in double, orders of accuracy, kinematic
 * springs; momentum and air with every solver. Tolerances follow from UNIT (rope.h), one float32 rounding. */
#include "test.h"

#include "one_strand.h"
#include "swing.h"

static const mote_integrator EXPLICIT[] = {
    MOTE_SEMI_IMPLICIT_EULER, MOTE_EXPLICIT_EULER,  MOTE_MIDPOINT, MOTE_RK4,
    MOTE_VELOCITY_VERLET,     MOTE_POSITION_VERLET, MOTE_YOSHIDA4, MOTE_PEFRL};

TEST(springs_equal_the_same_springs_written_plainly) {
    enum { STEPS = 2, SUBSTEPS = 32 };
    swing s;
    chain_state got[STRANDS], want;
    for (int damped = 0; damped < 2; damped++)
        for (int free = 0; free < 2; free++)
            for (size_t m = 0; m < COUNT_OF(EXPLICIT); m++) {
                make_swing(&s, damped, free);
                run_swing(&s, EXPLICIT[m], STEPS, SUBSTEPS, got);
                /* A substep rounds x <= 1 m once or twice, v <= 4 m/s as often, and up to eight terms of the
                 * kick: each spring's elongation is known to 4 UNIT of 0.2 m, the force of 4 springs of at
                 * most 64 N/m to 4 * 64 * 0.2 * 4 UNIT, through the mass of 0.1 kg and h. Evaluations of an
                 * integrator each add theirs, fourth-order splittings with kicks up to 1.7 h. A rounding
                 * grows with t as free motion does, and by a factor e^(t/0.25 s) at most (the
                 * strand's fastest fall, sqrt(g / 0.6 m) = 4/s): 1.7 in 1/8 s. */
                const double t = STEPS / 16.0, h = t / (STEPS * SUBSTEPS);
                const double calls = mote_integrator_describe(EXPLICIT[m])->evaluations * 1.7;
                const double dv = calls * UNIT * (2 * 4 + h * 4 * 64 * 0.2 * 4 / 0.1), dx = calls * UNIT * 2;
                const double rounds = STEPS * SUBSTEPS * 1.7;
                for (uint32_t i = 0; i < STRANDS; i++) {
                    run_plainly(&s, i, EXPLICIT[m], STEPS, SUBSTEPS, &want);
                    assert_near(worst_of(&got[i], &want, false), 0, rounds * (dx + t * dv));
                    /* A misplaced point meets 4 springs of 64 N/m for at most t. */
                    assert_near(worst_of(&got[i], &want, true), 0, rounds * (dv + 4 * 64 / 0.1 * t * dx));
                }
            }
}

TEST(springs_converge_at_the_order_of_their_integrator) {
    static const struct {
        mote_integrator integrator;
        double order[2];      /* undamped, damped */
        uint32_t substeps[2]; /* of the finest run; 0: none */
    } cases[] = {{MOTE_SEMI_IMPLICIT_EULER, {1, 1}, {1024, 1024}},
                 {MOTE_EXPLICIT_EULER, {1, 1}, {1024, 1024}},
                 {MOTE_MIDPOINT, {2, 2}, {64, 64}},
                 {MOTE_VELOCITY_VERLET, {2, 2}, {64, 64}},
                 {MOTE_POSITION_VERLET, {2, 1}, {64, 256}},
                 {MOTE_RK4, {4, 4}, {12, 12}},
                 {MOTE_YOSHIDA4, {4}, {16}},
                 {MOTE_PEFRL, {4}, {6}}};
    swing s;
    chain_state exact[STRANDS];
    for (int damped = 0; damped < 2; damped++) {
        make_swing(&s, damped, false);
        for (uint32_t i = 0; i < STRANDS; i++) run_plainly(&s, i, MOTE_RK4, 8, 256, &exact[i]);
        for (size_t n = 0; n < COUNT_OF(cases); n++) {
            const uint32_t substeps = cases[n].substeps[damped];
            const double order = cases[n].order[damped];
            if (substeps == 0) continue;
            const double coarse = error_of(&s, exact, cases[n].integrator, substeps / 2);
            const double fine = error_of(&s, exact, cases[n].integrator, substeps);
            /* The next term of the error, which falls to half: w h of the first, w = 2 sqrt(k / m) the
             * fastest the strand swings; of first order (w h)^2 / 2 for each step, explicit Euler's growth.
             * Rounding: coordinates of up to 0.6 m in every drift, evenly spread over UNIT of it either way,
             * beside an error in quadrature. */
            const double h = 1 / (16.0 * substeps), w = 2 * sqrt(64 / 0.1),
                         next = order < 2 ? w * w * h * 0.5 / 2 : w * h;
            const double drifts = 8.0 * substeps * mote_integrator_describe(cases[n].integrator)->evaluations;
            const double rounding = sqrt(drifts / 3) * UNIT * 0.6 / fine;
            const double tolerance = (next / 2 + rounding * rounding / 2) / log(2);
            test_case("%s, %s", integrator_name(cases[n].integrator), damped ? "damped" : "undamped");
            ASSERT(tolerance, <, 0.5);
            assert_near(log2(coarse / fine), order, tolerance);
        }
    }
}

/* e'' = -2 g e' - w^2 e from e, v. */
static void exact_spring(double w2, double g, double t, double *e, double *v) {
    const double root = sqrt(w2 - g * g), c = cos(root * t), s = sin(root * t), decay = exp(-g * t);
    const double e0 = *e, v0 = *v;
    *e = decay * (e0 * c + (v0 + g * e0) / root * s);
    *v = decay * (v0 * c - (w2 * e0 + g * v0) / root * s);
}

/* Two points 1 m apart along n, 0.5 kg each. */
TEST(one_kinematic_spring_is_exact_at_any_step) {
    static const mote_rate rates[] = {{100, 1}, {17, 1}, {3, 1}, {1, 1}, {1, 10}, {1, 100}};
    enum { STEPS = 10 };
    for (size_t t = 0; t < COUNT_OF(rates); t++)
        for (int free = 0; free < 2; free++)
            for (int damped = 0; damped < 2; damped++) {
                /* Rounding across the direction grows by dt v / L a step: long steps go along an axis. */
                const double n[3] = {t < 3 ? (double)0.6f : 1, t < 3 ? (double)0.8f : 0, 0};
                const double stiffness = 8, damping = damped ? 0.125 : 0,
                             dt = (double)rates[t].seconds / rates[t].steps;
                const double inverse = free ? 4 : 2, w2 = stiffness * inverse, g = damping * inverse / 2;
                float positions[6];
                mote_strands_def def =
                    one_strand(MOTE_STRAND_SPRINGS, 2, positions, (double[3]){0}, n, (float)(1 / stiffness));
                def.mass = 1, def.damping = (float)damping, def.free_roots = free;
                rope r = make_rope(&def, MOTE_KINEMATIC, rates[t], 1, 0);
                double e = 0.125, v = -0.25, drift = free ? 0.03125 : 0; /* of the middle along n */
                const double size = hypot(e, v / sqrt(w2)), speed = size * sqrt(w2);
                double a[3], b[3], va[3], vb[3];
                for (int i = 0; i < 3; i++) {
                    a[i] = free ? -e / 2 * n[i] : 0, b[i] = a[i] + (1 + e) * n[i];
                    va[i] = (drift - (free ? v / 2 : 0)) * n[i], vb[i] = va[i] + v * n[i];
                }
                store_point(&r, 0, 0, a, free ? va : NULL);
                store_point(&r, 0, 1, b, vb);
                for (int step = 1; step <= STEPS; step++) {
                    step_rope(&r, 1);
                    exact_spring(w2, g, dt, &e, &v);
                    load_point(&r, 0, 0, a, va);
                    load_point(&r, 0, 1, b, vb);
                    double d[3], rate[3];
                    for (int i = 0; i < 3; i++) d[i] = b[i] - a[i], rate[i] = vb[i] - va[i];
                    /* A step rounds coordinates of up to 1 m and the middle's way, the free drift dt v that
                     * the spring takes back, the length and the direction: 4 UNIT of each; the four answers,
                     * floats, 4 UNIT of the amplitude. w times that in the velocity. Rotation in phase space
                     * keeps every error: as many as steps. The step itself is 2 UNIT off: w dt 2 UNIT
                     * of phase. */
                    const double way = 2 + drift * dt * step + dt * (speed + drift);
                    const double lost = step * UNIT * (4 * way + 4 * size + 2 * sqrt(w2) * dt * size);
                    assert_near(sqrt(dot(d, d)) - 1, e, lost);
                    assert_near(dot(rate, d) / sqrt(dot(d, d)), v,
                                lost * sqrt(w2) + step * 4 * UNIT * (speed + drift));
                    for (int i = 0; i < 3 && free; i++)
                        assert_near((a[i] + b[i]) / 2, (0.5 + drift * dt * step) * n[i], lost);
                }
                destroy_rope(&r);
            }
}

/* One step of a mass between two pinned ends, from x = amount or v = amount along the strand. */
static void step_between_springs(mote_integrator integrator, float stiffness, const double start[2],
                                 double end[2]) {
    float positions[9];
    mote_strands_def def = one_strand(MOTE_STRAND_SPRINGS, 3, positions, (double[3]){-1, 0, 0},
                                      (double[3]){1, 0, 0}, 1 / stiffness);
    def.mass = 3;
    rope r = make_rope(&def, integrator, (mote_rate){4, 1}, 1, 0);
    assert_int_equal(mote_strands_pin(r.system, r.id, 0, 2, (float[3]){1, 0, 0}, 0), MOTE_OK);
    double x[3] = {start[0], 0, 0}, v[3] = {start[1], 0, 0};
    store_point(&r, 0, 1, x, v);
    step_rope(&r, 1);
    load_point(&r, 0, 1, x, v);
    end[0] = x[0], end[1] = v[0];
    destroy_rope(&r);
}

TEST(two_kinematic_springs_on_one_mass_gain_or_lose_energy_by_their_series) {
    for (int average = 0; average < 2; average++)
        for (float z = 0.25f; z <= 1; z *= 2) {
            const float w = 4 * z; /* dt = 1/4 */
            const double size = 0.125, starts[2][2] = {{size, 0}, {0, size * w}};
            double ends[2][2];
            for (int i = 0; i < 2; i++)
                step_between_springs(average ? MOTE_KINEMATIC_AVERAGE : MOTE_KINEMATIC, w * w, starts[i],
                                     ends[i]);
            const double got = (ends[0][0] * ends[1][1] - ends[0][1] * ends[1][0]) / (size * size * w),
                         z2 = z * z;
            const double want = average ? 2 * cos(z) - 1 + z * sin(z) : 5 - 4 * cos(z) - 2 * z * sin(z);
            /* Lengths of about 1 m are known to 2 UNIT of it, 2 / size of the elongation; each of the
             * matrix's elements, at most 3, has that of two springs: 8 products. */
            assert_near(got, want, 8 * 3 * 2 * 2 * UNIT / size);
            /* The series goes on with z^6 / 90 and z^6 / 180. */
            assert_near(want, average ? 1 - z2 * z2 / 12 : 1 + z2 * z2 / 6,
                        z2 * z2 * z2 / (average ? 180 : 90));
            ASSERT((got - 1) * (average ? -1 : 1), >, 0);
        }
}

/* Adds the momentum of all points times `sign`: linear, then angular. */
static void add_momentum(const rope *r, double sign, double p[2][3]) {
    for (uint32_t i = 0; i < STRANDS; i++)
        for (uint32_t k = 0; k < POINTS; k++) {
            double x[3], v[3], turn[3];
            load_point(r, i, k, x, v);
            cross(x, v, turn);
            for (int a = 0; a < 3; a++) p[0][a] += sign * 0.1 * v[a], p[1][a] += sign * 0.1 * turn[a];
        }
}

/* Two seconds of a free swing, 1,024 substeps of random roundings of all points. */
TEST(free_strands_keep_their_momentum) {
    const double kicks = sqrt(STRANDS * POINTS * 1024.0);
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++) {
        swing s;
        double p[2][3] = {{0}};
        make_swing(&s, true, true);
        s.def.solver = (mote_strand_solver)solver;
        if (solver != MOTE_STRAND_SPRINGS) s.def.compliance = 0;
        rope r = make_rope(&s.def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){16, 1}, 32, 0);
        for (uint32_t i = 0; i < STRANDS; i++)
            for (uint32_t k = 0; k < POINTS; k++) store_point(&r, i, k, NULL, s.start[i].v[k]);
        add_momentum(&r, -1, p);
        for (int a = 0; a < 3; a++) ASSERT(fabs(p[0][a]), >, 0.1);
        step_rope(&r, 32);
        add_momentum(&r, 1, p);
        for (uint32_t i = 0; i < STRANDS; i++)
            ASSERT(report_of(&r, i).unsolved + report_of(&r, i).fallbacks, ==, 0);
        /* Springs and the conserving solver round velocities of up to 2 m/s, and up to four terms that add to
         * them; the robust one has v = (x1 - x0) / h with x <= 2 m, h = 1/512. Angular: within 2 m of the
         * origin; positions rounded under a velocity of 2 m/s are as much again. Four spreads. */
        const double rounding = solver == MOTE_STRAND_ROBUST ? 2 * 512 : 4 * 2;
        for (int a = 0; a < 3; a++) {
            assert_near(p[0][a], 0, 4 * kicks * 0.1 * UNIT * rounding);
            if (solver != MOTE_STRAND_ROBUST)
                assert_near(p[1][a], 0, 4 * kicks * 0.1 * UNIT * 2 * rounding * 2);
        }
        destroy_rope(&r);
    }
}

/* Two points fall across, seventeen along themselves: m g = drag x length x v, after 16 times m / (drag
 * length). */
TEST(strands_fall_through_air_at_their_terminal_velocity) {
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_CONSERVING; solver++)
        for (int along = 0; along < 2; along++) {
            float positions[3 * 17];
            const uint32_t points = along ? 17 : 2;
            const bool springs = solver == MOTE_STRAND_SPRINGS;
            mote_strands_def def =
                one_strand((mote_strand_solver)solver, points, positions, (double[3]){0},
                           along ? (double[3]){0, -0.5, 0} : (double[3]){0.5, 0, 0}, 1 / 4096.0f);
            def.mass = 0.25f;
            def.normal_drag = along ? 0 : 2;
            def.tangential_drag = along ? 2 : 0;
            def.air_velocity[0] = 1, def.air_velocity[1] = 0.5f;
            def.free_roots = true;
            rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){64, 1}, springs ? 16 : 1, GRAVITY);
            const double rate = 2 * 0.5 / 0.25, h = 1 / (springs ? 1024.0 : 64); /* 1/s, s */
            step_rope(&r, 64 * 4);
            double x[3], v[3], mean[3] = {0};
            for (uint32_t k = 0; k < points; k++) {
                load_point(&r, 0, k, x, v);
                for (int a = 0; a < 3; a++) mean[a] += v[a] / points;
            }
            /* The rest after 16 times, and where rounding stops it: a substep takes h rate of a difference
             * away, and rounds v <= 2.5 m/s or, where v = (x1 - x0) / h, x <= 8 m over h. */
            const double lost = solver == MOTE_STRAND_ROBUST ? 8 / h : 2 * 2.5;
            const double rounding = 2.5 * exp(-16) + UNIT * lost / (h * rate);
            assert_near(mean[1], 0.5 - GRAVITY / rate, rounding);
            assert_near(mean[0], 0, rounding); /* the wind's other part acts where there is no drag */
            destroy_rope(&r);
        }
}
