/* The figures of the single-particle experiments for the integrators that physics.c does not know, and what
 * each claims of itself: descriptors, areas, identities, the kinematic integrators and advection. Orders are
 * in orders.c, limits of stability in stability.c. */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "body.h"

static void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.12g is not %.12g within %.3g", got, want, tolerance);
}

/* --- Descriptors --- */

TEST(descriptors) {
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        const mote_integrator_info *info = mote_integrator_describe((mote_integrator)m);
        assert_non_null(info);
        ASSERT(info->order, >=, 1);
        ASSERT(info->order_damped, >=, 1);
        ASSERT(info->order_damped, <=, info->order);
        ASSERT(info->evaluations, >=, 1);
        ASSERT(info->stable_z, >=, 0);
        ASSERT(strlen(info->name), >, 2);
        ASSERT(strlen(info->note), >, 20);
        ASSERT(strlen(info->source), >, 10);
        for (int other = 0; other < m; other++)
            assert_string_not_equal(info->name, mote_integrator_describe((mote_integrator)other)->name);
    }
    assert_null(mote_integrator_describe(MOTE_INTEGRATOR_COUNT));
    assert_null(mote_integrator_describe((mote_integrator)-1));
}

static uint32_t calls;
static void count_calls(void *unused, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)unused, (void)stage, (void)x, (void)y, (void)z;
    calls++;
}

/* A callback that reads velocity is called once an evaluation, for the one block that there is. */
TEST(evaluations_are_as_stated) {
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        mote_force_def forces[2] = {mote_callback(count_calls, NULL), mote_gravity((vec3){0, 1, 0})};
        if (advects((mote_integrator)m)) forces[0].as.callback.unit = MOTE_METRES_PER_SECOND;
        world w = {(mote_integrator)m, forces, advects((mote_integrator)m) ? 1 : 2, 1, 0.01, 0};
        body b = {{0}, {0}};
        calls = 0;
        advance_column(&w, 5, &b);
        assert_int_equal(calls, 5 * mote_integrator_describe((mote_integrator)m)->evaluations);
    }
}

/* The matrix of one step on springs that pull a unit mass to the origin. */
static void step_matrix(mote_integrator integrator, const mote_force_def *springs, uint32_t count, double h,
                        double m[2][2]) {
    for (int column = 0; column < 2; column++) {
        world w = {integrator, springs, count, 1, h, 0};
        body b = {{column == 0}, {column == 1}};
        advance_column(&w, 1, &b);
        m[0][column] = b.position[0], m[1][column] = b.velocity[0];
    }
}

static double determinant(mote_integrator integrator, const mote_force_def *springs, uint32_t count,
                          double h) {
    double m[2][2];
    step_matrix(integrator, springs, count, h, m);
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}

/* Entries below 2, each off by four roundings at most; the determinant sums four products of two. */
static const double DETERMINANT_ROUNDING = 32 * 0x1p-24;

/* In one dimension, symplectic means area-preserving. Two springs: the kinematic integrators carry one
 * exactly. */
TEST(symplectic_means_area) {
    mote_force_def springs[2] = {mote_anchor_spring((vec3){0, 0, 0}, 1, 0),
                                 mote_anchor_spring((vec3){0, 0, 0}, 1, 0)};
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        if (advects((mote_integrator)m)) continue;
        double area = determinant((mote_integrator)m, springs, 2, 0.75);
        ASSERT(mote_integrator_describe((mote_integrator)m)->symplectic, ==,
               (fabs(area - 1) < DETERMINANT_ROUNDING));
    }
}

/* --- 1: constant force, F = 10 N, 10 s from rest --- */

TEST(constant_force) {
    static const double timesteps[] = {1, 0.5, 0.01, 1 / 60.0};
    mote_force_def force = mote_thrust((vec3){10, 0, 0});
    for (int m = 0; m < MOTE_ADVECT_EULER; m++)
        for (int t = 0; t < 4; t++) {
            world w = {(mote_integrator)m, &force, 1, 1, timesteps[t], 0};
            body b = {{0}, {0}};
            uint32_t steps = (uint32_t)lround(10 / timesteps[t]);
            advance_truly(&w, steps, &b);
            bool ahead = m == MOTE_SEMI_IMPLICIT_EULER || m == MOTE_IMPLICIT_EULER;
            double lag = ahead ? 50 : m == MOTE_EXPLICIT_EULER ? -50 : 0;
            /* An evaluation rounds v <= 100 once and x <= 550 once, a drift first x once more; x gathers v's
             * for 10 s. That is below the lag of the first order. */
            uint32_t evaluations = mote_integrator_describe((mote_integrator)m)->evaluations;
            double v_error = steps * evaluations * UNIT * 100,
                   x_error = 10 * v_error + steps * (evaluations + 1) * UNIT * 550;
            ASSERT(x_error, <, 50 * timesteps[t]);
            assert_near(b.velocity[0], 100, v_error);
            assert_near(b.position[0], 500 + lag * timesteps[t], x_error);
        }
}

static void swing(void *unused, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)unused, (void)z;
    for (uint32_t i = 0; i < stage->count; i++)
        x[i] += (float)stage->time, y[i] += (float)stage->time * stage->x[i];
}

/* Position Verlet with v0 in its column is the two-point form started from x(-h) = x0 - h v0, and that is
 * semi-implicit Euler: bit for bit, whatever the forces. */
TEST(stormer_is_semi_implicit_euler) {
    mote_force_def forces[5] = {mote_gravity((vec3){0, -9.81f, 0}), mote_wind((vec3){3, 0, 1}, 0.2f),
                                mote_attractor((vec3){1, 2, 3}, 40, 0.5f),
                                mote_quadratic_drag((vec3){0, 1, 0}, 0.05f), mote_callback(swing, NULL)};
    float state[2][6][37], mass[37];
    random_source random = {3};
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < 37; i++)
            state[0][c][i] = random_between(&random, -5, 5), mass[i] = i % 9 ? 0.5f + (float)i : 0;
    memcpy(state[1], state[0], sizeof state[0]);
    for (int n = 0; n < 2; n++) {
        float(*s)[37] = state[n];
        mote_columns columns = {.count = 37,
                                .position = {s[0], s[1], s[2]},
                                .velocity = {s[3], s[4], s[5]},
                                .inverse_mass = mass};
        mote_columns_def def = mote_default_columns_def();
        def.integrator = n ? MOTE_POSITION_VERLET : MOTE_SEMI_IMPLICIT_EULER;
        def.forces = forces, def.force_count = 5, def.steps = 200, def.substeps = 3;
        assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
    }
    assert_memory_equal(state[0], state[1], sizeof state[0]);

    mote_force_def spring = mote_anchor_spring((vec3){0, 0, 0}, 15, 0);
    world w = {MOTE_POSITION_VERLET, &spring, 1, 1, 1 / 32.0, 0};
    body b = {{1, 0, 0}, {0.5f, 0, 0}};
    double now = 1, before = 1 - 0.5 / 32;
    for (int n = 1; n <= 200; n++) {
        double next = 2 * now - before - 15 * now / 1024;
        before = now, now = next;
        advance_column(&w, 1, &b);
        /* Four roundings a step of the amplitude and of v / w, which turn with the phase. */
        assert_near(b.position[0], now, 4 * sqrt(4.0 * n) * UNIT * 1.1);
    }
}

/* --- 3: undamped oscillator, k = 15, dt = 0.1 --- */

/* What an eigenvalue of the step's matrix in double says of 900 steps; the engine's own steps must agree. */
typedef struct oscillation {
    double phase, energy; /* the turn in rad and E/E0 after the last step */
} oscillation;

/* The phase on the integrator's own ellipse, which is upright for those used here; ratio = its axis along v
 * over w. */
static oscillation oscillate(mote_integrator integrator, int steps, double ratio) {
    mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, 15, 0);
    world w = {integrator, &force, 1, 1, 0.1, 0};
    body b = {{1, 0, 0}, {0}};
    oscillation o = {0, 1};
    double before = 0;
    kick(&w, -0.5, &b);
    for (int n = 0; n < steps; n++) {
        advance_column(&w, 1, &b);
        body truly = b;
        kick(&w, 0.5, &truly);
        double at = atan2(-truly.velocity[0] / (sqrt(15) * ratio), truly.position[0]), step = at - before;
        o.phase += step < 0 ? step + 2 * PI : step;
        before = at;
        o.energy = (truly.velocity[0] * truly.velocity[0] + 15 * truly.position[0] * truly.position[0]) / 15;
    }
    return o;
}

TEST(oscillator) {
    const double exact = sqrt(15) * 90, z2 = 0.15;
    /* Up to 12 roundings of the amplitude a step (PEFRL: nine updates); twice that in the energy. The floats
     * of h and k h turn the phase by 2 UNIT of itself. */
    const double wobble = 4 * sqrt(12 * 900.0) * UNIT, drift = wobble + 2 * UNIT * exact;
    oscillation pv = oscillate(MOTE_POSITION_VERLET, 900, sqrt(1 - z2 / 4));
    assert_near(pv.phase - exact, 2.216158, 0.5e-6 + drift);
    assert_near(pv.phase, 900 * acos(1 - z2 / 2), drift);
    /* Drift-first splittings are symmetric: their ellipse is upright, its axes' ratio sqrt(-m10 / m01) /
     * w. */
    for (int m = MOTE_YOSHIDA4; m <= MOTE_PEFRL; m++) {
        mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, 15, 0);
        double matrix[2][2];
        step_matrix((mote_integrator)m, &force, 1, 0.1, matrix);
        oscillation o = oscillate((mote_integrator)m, 900, sqrt(-matrix[1][0] / matrix[0][1] / 15));
        /* From the trace and the axes of the step's matrix with exact coefficients, in float64; the floats of
         * up to nine coefficients turn the phase besides. */
        assert_near(o.phase - exact, m == MOTE_PEFRL ? -0.000473805 : -0.532301769, drift + 4 * UNIT * exact);
        ASSERT(o.energy, >, (m == MOTE_PEFRL ? 0.9999338 : 0.9980924) - 2 * wobble);
        ASSERT(o.energy, <, 1 + 2 * wobble);
        assert_near(o.phase,
                    900 * atan2(sqrt(-matrix[0][1] * matrix[1][0]), (matrix[0][0] + matrix[1][1]) / 2),
                    drift + 900 * 8 * UNIT);
    }
    oscillation mid = oscillate(MOTE_MIDPOINT, 100, 1);
    assert_near(mid.energy, pow(1.005625, 100), pow(1.005625, 100) * 2 * 4 * sqrt(1200) * UNIT);
    oscillation kin = oscillate(MOTE_KINEMATIC, 900, 1);
    assert_near(kin.phase, exact, drift);
    assert_near(kin.energy, 1, 2 * wobble);
    /* Implicit Euler: 1 / (1 + z^2) of the energy a step. */
    oscillation ie = oscillate(MOTE_IMPLICIT_EULER, 50, 1);
    assert_near(ie.energy, pow(1 + z2, -50), pow(1 + z2, -50) * 2 * 4 * sqrt(600) * UNIT);
}

/* --- 6: kinematic --- */

/* x and v of m x'' = -k x - b v, k > 0, from (x0, v0): the three cases by their own formulas. */
static void spring_exact(double k, double b, double t, double x0, double v0, double *x, double *v) {
    double r = b / 2, q = k - r * r, c, s;
    if (fabs(q) < 1e-12 * k)
        c = exp(-r * t), s = t * exp(-r * t);
    else if (q > 0)
        c = exp(-r * t) * cos(sqrt(q) * t), s = exp(-r * t) * sin(sqrt(q) * t) / sqrt(q);
    else {
        double fast = exp((-r - sqrt(-q)) * t), slow = exp((-r + sqrt(-q)) * t);
        c = (slow + fast) / 2, s = (slow - fast) / (2 * sqrt(-q));
    }
    *x = x0 * (c + r * s) + v0 * s;
    *v = v0 * (c - r * s) - x0 * k * s;
}

TEST(kinematic_is_exact) {
    static const float damping[] = {0, 0.5f, 8, 20}; /* none, under-damped, critical, over-damped at k = 16 */
    static const double timesteps[] = {0.01, 1 / 60.0, 0.25, 1, 10, 100};
    const double size = 2 + 3 / 4.0; /* |x0| + |v0| / w */
    for (int d = 0; d < 4; d++)
        for (int t = 0; t < 6; t++) {
            mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, 16, damping[d]);
            world w = {MOTE_KINEMATIC, &force, 1, 1, timesteps[t], 0};
            body b = {{2, 0, 0}, {3, 0, 0}};
            for (int n = 1; n <= 400; n++) {
                double x, v;
                advance_column(&w, 1, &b);
                spring_exact(16, damping[d], n * timesteps[t], 2, 3, &x, &v);
                /* Coefficients are rounded once for all steps, so errors add up: six roundings a step. */
                assert_near(b.position[0], x, 6.0 * n * UNIT * size);
                assert_near(b.velocity[0], v, 6.0 * n * UNIT * size * 4 * (1 + (double)damping[d] / 4));
            }
        }
    for (int t = 0; t < 6; t++)
        for (int average = 0; average < 2; average++) {
            mote_force_def force = mote_gravity((vec3){-9.81f, 0, 0});
            world w = {average ? MOTE_KINEMATIC_AVERAGE : MOTE_KINEMATIC, &force, 1, 1, timesteps[t], 0};
            body b = {{2, 0, 0}, {3, 0, 0}};
            advance_column(&w, 50, &b);
            double end = 50 * timesteps[t], v = 3 - (double)9.81f * end,
                   x = 2 + 3 * end - (double)9.81f * end * end / 2;
            assert_near(b.velocity[0], v, 50 * 3 * UNIT * fmax(3, fabs(v)));
            assert_near(b.position[0], x, 50 * 6 * UNIT * fmax(5, fabs(v) * end));
        }
}

/* The average: exact dv, and dx = h (v0 + dv / 2). */
TEST(average_takes_half_of_dv) {
    for (int d = 0; d < 3; d++) {
        mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, 16, 8 * (float)d);
        world w = {MOTE_KINEMATIC_AVERAGE, &force, 1, 1, 0.375, 0};
        body b = {{2, 0, 0}, {3, 0, 0}};
        double x, v;
        advance_column(&w, 1, &b);
        spring_exact(16, 8 * d, 0.375, 2, 3, &x, &v);
        assert_near(b.velocity[0], v, 8 * UNIT * 16);
        assert_near(b.position[0], 2 + 0.375 * (3 + v) / 2, 8 * UNIT * 6);
    }
}

TEST(two_springs) {
    mote_force_def springs[2] = {mote_anchor_spring((vec3){0, 0, 0}, 1, 0),
                                 mote_anchor_spring((vec3){0, 0, 0}, 1, 0)};
    for (double z = 0.25; z < 1.5; z += 0.25) {
        double full = determinant(MOTE_KINEMATIC, springs, 2, z),
               half = determinant(MOTE_KINEMATIC_AVERAGE, springs, 2, z);
        assert_near(full, 5 - 4 * cos(z) - 2 * z * sin(z), DETERMINANT_ROUNDING);
        assert_near(half, 2 * cos(z) - 1 + z * sin(z), DETERMINANT_ROUNDING);
        /* ... which are 1 + z^4/6 - z^6/90 + ... and 1 - z^4/12 + z^6/180 - ... */
        assert_near(full, 1 + pow(z, 4) / 6, DETERMINANT_ROUNDING + pow(z, 6) / 90);
        assert_near(half, 1 - pow(z, 4) / 12, DETERMINANT_ROUNDING + pow(z, 6) / 180);
    }
    /* The average is stable up to z = pi / 2, where the matrix has the eigenvalue -1. */
    for (int above = 0; above < 2; above++) {
        world w = {MOTE_KINEMATIC_AVERAGE, springs, 2, 1, PI / 2 * (above ? 1.01 : 0.99), 0};
        body b = {{1, 0, 0}, {0}};
        advance_column(&w, 2000, &b);
        ASSERT((fabsf(b.position[0]) > 10), ==, above);
    }
}

/* One step from rest on two springs: the errors are z^2, z^4/12 and z^6/360, up to (1 + z^2/6), (1 - z^2/10),
 * (1 - z^2/14). */
TEST(one_step_errors) {
    const double z = 0.5, exact = cos(sqrt(2) * z);
    static const mote_integrator integrators[3] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_KINEMATIC,
                                                   MOTE_KINEMATIC_AVERAGE};
    mote_force_def springs[2] = {mote_anchor_spring((vec3){0, 0, 0}, 1, 0),
                                 mote_anchor_spring((vec3){0, 0, 0}, 1, 0)};
    double error[3];
    for (int i = 0; i < 3; i++) {
        world w = {integrators[i], springs, 2, 1, z, 0};
        body b = {{1, 0, 0}, {0}};
        advance_column(&w, 1, &b);
        error[i] = fabs(b.position[0] - exact);
    }
    assert_near(error[0] / error[1] * z * z / 12, 1, 0.3 * z * z);
    /* The last error is 4e-5; two roundings are 0.3 % of it. */
    assert_near(error[0] / error[2] * pow(z, 4) / 360, 1, 0.26 * z * z + 0.003);
}

/* --- 9: advection --- */

static void river(void *unused, const mote_stage_view *s, float *x, float *y, float *z) {
    (void)unused, (void)z;
    float stream = (float)(5 * s->time * s->time + 2 * s->time);
    for (uint32_t i = 0; i < s->count; i++) {
        x[i] -= (s->x[i] + 1) * (s->x[i] + 3);
        y[i] += stream - 5 * s->y[i];
    }
}

TEST(advection) {
    static const struct {
        mote_integrator integrator;
        int steps;
        double last, largest, half_digit;
    } rows[] = {{MOTE_ADVECT_EULER, 120, 0.003683, 0.007571, 0.5e-6},
                {MOTE_ADVECT_MIDPOINT, 16, 0.005762, 0.01675, 0.5e-5},
                {MOTE_ADVECT_MIDPOINT, 120, 7.37e-5, -1, 0.5e-7},
                {MOTE_ADVECT_RK4, 6, 0.01484, 0.03846, 0.5e-5},
                {MOTE_ADVECT_RK4, 120, 0, -1, 0}};
    mote_force_def force = mote_callback(river, NULL);
    force.as.callback.unit = MOTE_METRES_PER_SECOND;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        world w = {rows[r].integrator, &force, 1, 1, 2.0 / rows[r].steps, 0};
        body b = {{-2, 1 / 3.0f, 0}, {9, 9, 9}};
        double error = 0, largest = 0, before = b.position[1];
        for (int n = 1; n <= rows[r].steps; n++) {
            before = b.position[1];
            advance_column(&w, 1, &b);
            double t = 2.0 * n / rows[r].steps;
            error = hypot(b.position[0] + 3 - 2 / (1 + exp(-2 * t)), b.position[1] - t * t - exp(-5 * t) / 3);
            largest = fmax(largest, error);
        }
        /* The field draws together at 2/s along x and 5/s along y, so that one rounding of y <= 4 is
         * forgotten in 12 of 120 steps: a spread of sqrt(12 / 2) UNIT 4, and four of it. */
        double rounding = 4 * sqrt(6) * UNIT * 4;
        assert_near(error, rows[r].last, rows[r].half_digit + rounding);
        if (rows[r].largest > 0) assert_near(largest, rows[r].largest, rows[r].half_digit + rounding);
        /* The velocity column holds the mean velocity of the last step. */
        double mean = (b.position[1] - before) * rows[r].steps / 2;
        assert_near(b.velocity[1], mean, 8 * UNIT * 4 * rows[r].steps / 2);
    }
}

/* --- 10: Kepler orbit --- */

typedef struct orbit {
    double at_1_5, at_100, largest, spin; /* E/E0 - 1; the largest relative error of angular momentum */
} orbit;

static orbit fly(mote_integrator integrator, int steps_per_turn, int turns) {
    mote_force_def sun = mote_attractor((vec3){0, 0, 0}, 1, 0);
    world w = {integrator, &sun, 1, 1, 2 * PI / steps_per_turn, 0};
    body b = {{0.5f, 0, 0}, {0, sqrtf(3), 0}};
    orbit o = {0};
    const double spin = 0.5 * (double)sqrtf(3);
    kick(&w, -0.5, &b);
    for (int n = 1; n <= steps_per_turn * turns; n++) {
        advance_column(&w, 1, &b);
        body now = b;
        kick(&w, 0.5, &now);
        double x = now.position[0], y = now.position[1], u = now.velocity[0], v = now.velocity[1];
        double change = ((u * u + v * v) / 2 - 1 / hypot(x, y)) / -0.5 - 1;
        if (2 * n == 3 * steps_per_turn) o.at_1_5 = change;
        if (n == 100 * steps_per_turn) o.at_100 = change;
        o.largest = fmax(o.largest, fabs(change));
        o.spin = fmax(o.spin, fabs((x * v - y * u) / spin - 1));
    }
    return o;
}

TEST(kepler) {
    /* One rounding moves E/E0 by at most v dv / |E0| = 6 UNIT and dx / r^2 / |E0| = 4 UNIT (perihelion). A
     * step of a splitting has up to nine updates, each rounded. */
    const double few = 4 * sqrt(300 * 5) * 10 * UNIT, many = 4 * sqrt(20000 * 5) * 10 * UNIT;
    orbit mid = fly(MOTE_MIDPOINT, 200, 100), pv = fly(MOTE_POSITION_VERLET, 200, 100);
    assert_near(mid.at_1_5, 0.0020, 0.00005 + few);
    assert_near(mid.at_100, -0.080, 0.0005 + many);
    assert_near(mid.largest, 0.084, 0.0005 + many);
    /* Stormer's method is velocity Verlet, so the row is that one's. */
    assert_near(pv.at_1_5, -0.0026, 0.00005 + few);
    assert_near(pv.largest, 0.00269, 0.000005 + many);
    /* -9.2e-6 is below float32; the same in float64 at 50 steps a turn is -2.00241e-3, and -1.97069e-4 for
     * PEFRL. */
    orbit fine = fly(MOTE_YOSHIDA4, 200, 100), coarse = fly(MOTE_YOSHIDA4, 50, 100),
          pefrl = fly(MOTE_PEFRL, 50, 100);
    const double quarter = few / 2;
    assert_near(fine.at_1_5, -9.2e-6, few);
    assert_near(fine.at_100, 0, many);
    assert_near(coarse.at_1_5, -2.00241e-3, quarter);
    assert_near(pefrl.at_1_5, -1.97069e-4, quarter);
    ASSERT(coarse.largest, <, 2.00242e-3 + many / 2);
    ASSERT(pefrl.largest, <, 2.05791e-4 + many / 2);
    ASSERT(pv.spin, <, many);
    ASSERT(fine.spin, <, many);
    ASSERT(coarse.spin, <, many);
    ASSERT(pefrl.spin, <, many);
    ASSERT(mid.spin, >, 0.005);
}
