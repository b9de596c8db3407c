/* The experiments of the physics on every integrator: analytic solutions, energies, phases, orbits, orders of
 * accuracy, masses and reversibility. Each tolerance says how it follows from UNIT (world.h). What lies below
 * float32 is checked on the double reference, and a coarser step on the engine beside it. */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "world.h"

/* --- 1: constant force --- */

TEST(constant_force) {
    /* x(10) = 500 + lag dt */
    static const double lag[MOTE_INTEGRATOR_COUNT] = {
        [MOTE_SEMI_IMPLICIT_EULER] = 50, [MOTE_EXPLICIT_EULER] = -50, [MOTE_IMPLICIT_EULER] = 50};
    static const double timesteps[] = {1, 0.5, 0.125, 1 / 64.0, 0.01, 1 / 60.0};
    mote_force_def force = mote_thrust((vec3){10, 0, 0});
    for (int m = 0; m <= MOTE_EXACT_FLOW; m++)
        for (int t = 0; t < 6; t++) {
            world w = {(mote_integrator)m, &force, 1, 1, timesteps[t], 0};
            body b = {{0}, {0}};
            uint32_t steps = (uint32_t)lround(10 / timesteps[t]);
            advance(&w, steps, &b);
            /* Dyadic steps round nowhere, but for the irrational coefficients of fourth order. Else v <= 100
             * gathers UNIT of itself in each kick, x <= 550 the same and 10 s of v's error; the float of h is
             * off by UNIT once. The kicks and drifts of Yoshida reach 1.7 h: x and v go as far beyond their
             * end and back. */
            const mote_integrator_info *info = mote_integrator_describe((mote_integrator)m);
            uint32_t roundings = steps * info->evaluations;
            bool exact = t < 4 && info->order < 4;
            double v_error = exact ? 0 : roundings * UNIT * 100;
            double x_error = exact ? 0 : 10 * v_error + roundings * UNIT * 550;
            assert_near(b.velocity[0], 100, v_error);
            assert_near(b.position[0], 500 + lag[m] * timesteps[t], x_error);
            ASSERT(b.position[1], ==, 0);
            ASSERT(b.velocity[2], ==, 0);
        }
}

TEST(constant_force_tables) {
    static const float x[11] = {0, 0, 10, 30, 60, 100, 150, 210, 280, 360, 450};
    mote_force_def force = mote_thrust((vec3){10, 0, 0});
    world w = {MOTE_EXPLICIT_EULER, &force, 1, 1, 1, 0};
    body b = {{0}, {0}};
    for (int n = 0; n <= 10; n++, advance(&w, 1, &b)) {
        ASSERT(b.position[0], ==, x[n]);
        ASSERT(b.velocity[0], ==, 10 * n);
    }
    w.timestep = 0.01;
    b = (body){{0}, {0}};
    advance(&w, 990, &b);
    ASSERT(b.position[0], ==, 489.552155f);
    ASSERT(b.velocity[0], ==, 98.999062f);
    advance(&w, 10, &b);
    ASSERT(b.position[0], ==, 499.497070f);
    ASSERT(b.velocity[0], ==, 99.999046f);
}

/* --- 2: damped spring --- */

static const double SPRING_B = 0.1, SPRING_W = 3.87266058414625;

static double damped_spring_exact(double t) {
    return 1000 * exp(-SPRING_B * t / 2) *
           (cos(SPRING_W * t) + SPRING_B / (2 * SPRING_W) * sin(SPRING_W * t));
}

/* The amplitude of the exact solution through a state. */
static double envelope(const body *b) {
    return hypot(b->position[0], (b->velocity[0] + SPRING_B * b->position[0] / 2) / SPRING_W);
}

static double damped_spring_worst(mote_integrator integrator, double dt, bool in_double) {
    mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, 15, 0.1f);
    world w = {integrator, &force, 1, 1, dt, 0};
    body b = {{1000, 0, 0}, {0}};
    reference_body d = widen(&b);
    double worst = 0;
    for (int n = 1; n * dt < 90 + dt / 2; n++) {
        if (in_double)
            advance_double(&w, 1, &d);
        else
            advance(&w, 1, &b);
        worst = fmax(worst, fabs((in_double ? d.position[0] : b.position[0]) - damped_spring_exact(n * dt)));
    }
    return worst;
}

TEST(damped_spring) {
    assert_near(damped_spring_exact(10), 320.258821957776, 1e-9);
    assert_near(damped_spring_exact(90), -10.90948218159387, 1e-9);
    /* A rounding is forgotten after 1 / (b/2) = 20 s = 2,000 steps; x <= 1000 and v / w <= 1000 gather one
     * each a step: a spread of sqrt(2 x 2000) UNIT 1000 = 3.8e-3. The floats of h, bh and kh shift the
     * frequency by at most 2 UNIT: 1000 w t e^(-t/20) 2 UNIT <= 3.4e-3. Bound: four spreads and the shift. */
    double rounding = 4 * sqrt(4000) * UNIT * 1000 + 3.4e-3;
    assert_near(damped_spring_worst(MOTE_SEMI_IMPLICIT_EULER, 0.01, false), 19.82, 0.005 + rounding);
    assert_near(damped_spring_worst(MOTE_VELOCITY_VERLET, 0.01, false), 1.786, 0.0005 + rounding);
    assert_near(damped_spring_worst(MOTE_RK4, 0.01, false), 5.3e-4, rounding);
    assert_near(damped_spring_worst(MOTE_RK4, 0.01, true), 5.3e-4, 0.05e-4);
    /* Visible in float32: twelve times the step. The flow's own error is rounding only, at any step. */
    double coarse = damped_spring_worst(MOTE_RK4, 0.12, true);
    ASSERT(coarse, >, 100 * rounding);
    assert_near(damped_spring_worst(MOTE_RK4, 0.12, false), coarse, rounding);
    assert_near(damped_spring_worst(MOTE_EXACT_FLOW, 0.01, false), 0, rounding);
    assert_near(damped_spring_worst(MOTE_EXACT_FLOW, 0.75, false), 0, rounding);
}

TEST(damped_spring_explicit_euler) {
    static const double want[10] = {1284.05, [2] = 2116.78, [5] = 4480.38, [8] = 9483.19};
    mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, 15, 0.1f);
    world w = {MOTE_EXPLICIT_EULER, &force, 1, 1, 0.01, 0};
    body b = {{1000, 0, 0}, {0}};
    for (int tens = 1; tens <= 9; tens++) {
        advance(&w, 1000, &b);
        /* Two roundings per step, relative to the envelope itself. */
        double rounding = 4 * sqrt(2000.0 * tens) * UNIT * envelope(&b);
        if (want[tens - 1] > 0) assert_near(envelope(&b), want[tens - 1], 0.005 + rounding);
    }
    /* It decays only for dt < b / k = 1/150. */
    for (int fast = 0; fast < 2; fast++) {
        w.timestep = fast ? 1 / 140.0 : 1 / 160.0;
        b = (body){{1000, 0, 0}, {0}};
        advance(&w, 4000, &b);
        ASSERT((envelope(&b) > 1010), ==, fast);
        ASSERT((envelope(&b) < 990), ==, !fast);
    }
}

/* --- 3: undamped oscillator --- */

typedef struct oscillation {
    double phase, lowest, highest, last; /* phase in rad; energies relative to the first */
    double invariant_error;              /* of v^2 + k x^2 - k h x v, relative */
} oscillation;

/* x = cos(phase) and v = -scale sin(phase) after a shift along v that makes the ellipse upright. */
static double phase_of(const body *b, mote_integrator integrator) {
    double h = 0.1, w = sqrt(15), z = w * h, x = b->position[0], v = b->velocity[0];
    double scale = integrator == MOTE_SEMI_IMPLICIT_EULER || integrator == MOTE_VELOCITY_VERLET
                       ? w * sqrt(1 - z * z / 4)
                       : w;
    if (integrator == MOTE_SEMI_IMPLICIT_EULER) v -= 15 * h * x / 2;
    return atan2(-v / scale, x);
}

static oscillation oscillate(mote_integrator integrator, int steps) {
    mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, 15, 0);
    world w = {integrator, &force, 1, 1, 0.1, 0};
    body b = {{1, 0, 0}, {0}};
    oscillation o = {0, 1, 1, 1, 0};
    for (int n = 0; n < steps; n++) {
        double before = phase_of(&b, integrator);
        advance(&w, 1, &b);
        double x = b.position[0], v = b.velocity[0], turn = phase_of(&b, integrator) - before;
        o.phase += turn < 0 ? turn + 2 * PI : turn;
        o.last = (v * v + 15 * x * x) / 15;
        o.lowest = fmin(o.lowest, o.last);
        o.highest = fmax(o.highest, o.last);
        o.invariant_error = fmax(o.invariant_error, fabs((v * v + 15 * x * x - 1.5 * x * v) / 15 - 1));
    }
    return o;
}

TEST(oscillator) {
    /* At most four roundings of the amplitude a step: x, v, and those of dv, scaled by z = 0.39. Twice in
     * energy. */
    double phase_error = 4 * sqrt(4 * 900.0) * UNIT, energy_error = 2 * phase_error,
           exact_phase = sqrt(15) * 90;
    oscillation se = oscillate(MOTE_SEMI_IMPLICIT_EULER, 900), vv = oscillate(MOTE_VELOCITY_VERLET, 900);
    oscillation rk = oscillate(MOTE_RK4, 900), flow = oscillate(MOTE_EXACT_FLOW, 900);
    oscillation ee = oscillate(MOTE_EXPLICIT_EULER, 20);
    /* Frequency: the floats of h and kh are off by UNIT each, over 348 rad. */
    phase_error += 2 * UNIT * exact_phase;
    assert_near(se.phase - exact_phase, 2.216158, 0.5e-6 + phase_error);
    assert_near(vv.phase - exact_phase, 2.216158, 0.5e-6 + phase_error);
    assert_near(rk.phase - exact_phase, -0.061891, 0.5e-6 + phase_error);
    assert_near(flow.phase - exact_phase, 0, phase_error);
    /* 900 steps come close to the ends of the intervals, not quite to them. */
    ASSERT(se.lowest, >=, 0.837767 - energy_error);
    ASSERT(se.lowest, <=, 0.837767 + 1e-4);
    ASSERT(se.highest, <=, 1.240155 + energy_error);
    ASSERT(se.highest, >=, 1.240155 - 1e-4);
    ASSERT(vv.lowest, >=, 0.9625 - energy_error);
    ASSERT(vv.lowest, <=, 0.9625 + 1e-4);
    ASSERT(vv.highest, <=, 1 + energy_error);
    ASSERT(se.invariant_error, <, energy_error);
    assert_near(rk.last, 0.959448, 0.5e-6 + energy_error);
    assert_near(flow.lowest, 1, energy_error);
    assert_near(flow.highest, 1, energy_error);
    assert_near(ee.last, pow(1.15, 20), pow(1.15, 20) * 2 * 4 * sqrt(4 * 20.0) * UNIT);
}

/* The largest stable h sqrt(k / m) that each integrator states is where it turns unstable. */
TEST(stability) {
    const double stated[MOTE_INTEGRATOR_COUNT] = {
        [MOTE_SEMI_IMPLICIT_EULER] = 2,   [MOTE_VELOCITY_VERLET] = 2,  [MOTE_POSITION_VERLET] = 2,
        [MOTE_RK4] = 2.8284271247461903,  [MOTE_YOSHIDA4] = 1.573402,  [MOTE_PEFRL] = 2.989450,
        [MOTE_IMPLICIT_EULER] = HUGE_VAL, [MOTE_KINEMATIC] = HUGE_VAL, [MOTE_KINEMATIC_AVERAGE] = PI,
        [MOTE_EXACT_FLOW] = HUGE_VAL};
    for (int m = 0; m <= MOTE_EXACT_FLOW; m++) {
        double z = mote_integrator_describe((mote_integrator)m)->stable_z;
        assert_true(fabs(z - stated[m]) < 1e-5 || z == stated[m]);
        if (!(z > 0 && z < HUGE_VAL)) continue;
        for (int above = 0; above < 2; above++) {
            double limit = z * (above ? 1.01 : 0.99);
            mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, (float)(limit * limit * 3600), 0);
            world w = {(mote_integrator)m, &force, 1, 1, 1 / 60.0, 0};
            body b = {{1, 0, 0}, {0}};
            advance(&w, 300, &b);
            ASSERT((fabsf(b.position[0]) > 100), ==, above);
        }
    }
}

/* --- 10: orbits --- */

static double orbit_energy(const double x[3], const double v[3]) {
    return (v[0] * v[0] + v[1] * v[1]) / 2 - 1 / hypot(x[0], x[1]);
}

typedef struct orbit {
    double at_1_5, at_100, largest, momentum; /* E/E0 - 1; the largest relative error of angular momentum */
} orbit;

static orbit fly(mote_integrator integrator, int steps_per_turn, int steps, bool in_double) {
    mote_force_def sun = mote_attractor((vec3){0, 0, 0}, 1, 0);
    world w = {integrator, &sun, 1, 1, 2 * PI / steps_per_turn, 0};
    body b = {{0.5f, 0, 0}, {0, sqrtf(3), 0}};
    reference_body d = widen(&b);
    if (in_double) d.velocity[1] = sqrt(3);
    double start = orbit_energy(d.position, d.velocity), spin = d.position[0] * d.velocity[1];
    orbit o = {0};
    for (int n = 1; n <= steps; n++) {
        if (in_double)
            advance_double(&w, 1, &d);
        else
            advance(&w, 1, &b), d = widen(&b);
        double change = orbit_energy(d.position, d.velocity) / start - 1;
        if (2 * n == 3 * steps_per_turn) o.at_1_5 = change;
        if (n == 100 * steps_per_turn) o.at_100 = change;
        o.largest = fmax(o.largest, fabs(change));
        o.momentum = fmax(o.momentum,
                          fabs((d.position[0] * d.velocity[1] - d.position[1] * d.velocity[0]) / spin - 1));
    }
    return o;
}

TEST(kepler) {
    /* One rounding moves E/E0 by at most v dv / |E0| = 6 UNIT and dx / r^2 / |E0| = 4 UNIT (perihelion). */
    double few = 4 * sqrt(300) * 10 * UNIT, many = 4 * sqrt(20000) * 10 * UNIT;
    /* Energy errors e shift the phase by 3/2 e 2 pi turns, and the oscillating part follows: by most 5 % a
     * radian. */
    double shifted = many + 0.05 * 3 * PI * 100 * many / 4;
    orbit ee = fly(MOTE_EXPLICIT_EULER, 200, 20000, false),
          se = fly(MOTE_SEMI_IMPLICIT_EULER, 200, 20000, false);
    orbit vv = fly(MOTE_VELOCITY_VERLET, 200, 20000, false), rk = fly(MOTE_RK4, 200, 20000, true);
    assert_near(ee.at_1_5, -0.404, 0.0005 + few);
    assert_near(ee.at_100, -1.07, 0.005 + many);
    assert_near(ee.largest, 1.08, 0.005 + many);
    assert_near(se.at_1_5, -0.0070, 0.00005 + few);
    assert_near(se.at_100, -0.0329, 0.00005 + shifted);
    assert_near(se.largest, 0.0523, 0.00005 + shifted);
    assert_near(vv.at_1_5, -0.0026, 0.00005 + few);
    assert_near(vv.at_100, -0.0026, 0.00005 + many);
    assert_near(vv.largest, 0.00269, 0.000005 + many);
    ASSERT(se.momentum, <, many);
    ASSERT(vv.momentum, <, many);
    ASSERT(ee.momentum, >, 0.1);
    assert_near(rk.at_1_5, 2.53e-6, 0.005e-6);
    assert_near(rk.at_100, 9.27e-5, 0.005e-5);
    assert_near(rk.largest, 9.3e-5, 0.05e-5);
    /* RK4 in float32, where its error can be seen: 40 steps a turn. */
    orbit coarse = fly(MOTE_RK4, 40, 60, true), seen = fly(MOTE_RK4, 40, 60, false);
    ASSERT(fabs(coarse.at_1_5), >, 100 * few);
    assert_near(seen.at_1_5, coarse.at_1_5, few);
    /* With one attractor and nothing affine the exact flow is velocity Verlet in its kick, drift, kick form:
     * the same method as Verlet, rounded otherwise. */
    orbit flow = fly(MOTE_EXACT_FLOW, 200, 20000, false);
    assert_near(flow.at_1_5, -0.0026, 0.00005 + few);
    assert_near(flow.largest, 0.00269, 0.000005 + many);
}

TEST(suns_drag_and_thrust) {
    mote_force_def forces[5] = {mote_attractor((vec3){1, 0, 0}, 2, 0.1f),
                                mote_wind((vec3){0.5f, 0, 0.25f}, 0.3f),
                                mote_attractor((vec3){-1, 0.5f, 0}, 1.5f, 0.2f),
                                mote_thrust((vec3){0, 0, 0.4f}), mote_attractor((vec3){0, -2, 1}, 3, 0.3f)};
    body start = {{0.25f, 2, 0.5f}, {-1, 0.25f, 0.5f}};
    for (int m = 0; m < MOTE_IMPLICIT_EULER; m++) {
        world w = {(mote_integrator)m, forces, 5, 1.75f, 1 / 128.0, 0};
        body b = start;
        reference_body d = widen(&start);
        advance(&w, 256, &b);
        w.time = 0;
        advance_double(&w, 256, &d);
        /* 20 roundings a step on values below 4; an error at one end grows to less than 16 times in these 2
         * s. */
        ASSERT(distance(&b, &d), <, 16 * sqrt(256 * 20.0) * UNIT * 4);
    }
}

/* --- 11: projectile with quadratic drag --- */

TEST(quadratic_drag_projectile) {
    mote_force_def forces[2] = {mote_gravity((vec3){0, -9.81f, 0}), mote_callback(drag_callback, NULL)};
    body start = {{0}, {30, 40, 5}};
    world w = {MOTE_RK4, forces, 2, 1.5f, 1 / 128.0, 0};
    body b = start;
    reference_body exact = solve(&w, 3, &start);
    advance(&w, 384, &b);
    /* RK4: (1/128)^4 x derivatives of below 100 x 3 s is 1e-6; 12 roundings a step on values of 60. */
    ASSERT(distance(&b, &exact), <, 1e-6 + 4 * sqrt(384 * 12.0) * UNIT * 60);
}

/* --- 12: orders --- */

/* The slope of the global error at 2 s over one halving of the step, in the middle of where it is neither
 * rounding nor outside the asymptotic range. */
static double order_of(mote_integrator integrator, const mote_force_def *forces, uint32_t force_count) {
    body start = {{1, 0.5f, -0.25f}, {0.25f, 1, 0.5f}};
    static const int coarsest[MOTE_INTEGRATOR_COUNT] = {
        [MOTE_SEMI_IMPLICIT_EULER] = 512, [MOTE_EXPLICIT_EULER] = 512,
        [MOTE_VELOCITY_VERLET] = 64,      [MOTE_RK4] = 8,
        [MOTE_EXACT_FLOW] = 64,           [MOTE_MIDPOINT] = 64};
    int coarse = coarsest[integrator];
    double error[2];
    for (int i = 0; i < 2; i++) {
        world w = {integrator, forces, force_count, 0.8f, 2.0 / (coarse << i), 0};
        body b = start;
        reference_body exact = solve(&w, 2, &start);
        advance(&w, (uint32_t)(coarse << i), &b);
        error[i] = distance(&b, &exact);
        /* One rounding a step of each of the six values below 2, the others smaller by h. An error of ten
         * times their spread puts the slope off by at most 0.15. */
        ASSERT(error[i], >, 10 * sqrt(8.0 * (coarse << i)) * UNIT * 2);
        ASSERT(error[i], <, 0.2);
    }
    return log2(error[0] / error[1]);
}

TEST(orders) {
    mote_force_def still[3] = {mote_attractor((vec3){0, 0, 0}, 2, 0.5f),
                               mote_anchor_spring((vec3){0, 1, 0}, 3, 0),
                               mote_callback(swing_callback, NULL)};
    still[2].as.callback.reads_velocity = false;
    still[2].as.callback.unit = MOTE_METRES_PER_SECOND_SQUARED;
    mote_force_def damped[4] = {still[0], mote_anchor_spring((vec3){0, 1, 0}, 3, 0.7f), still[2],
                                mote_wind((vec3){1, 0, 2}, 0.6f)};
    /* Those of which affine damping takes no order; orders.c measures all. */
    static const double want[MOTE_INTEGRATOR_COUNT] = {
        [MOTE_SEMI_IMPLICIT_EULER] = 1, [MOTE_EXPLICIT_EULER] = 1, [MOTE_MIDPOINT] = 2, [MOTE_RK4] = 4,
        [MOTE_VELOCITY_VERLET] = 2,     [MOTE_EXACT_FLOW] = 2};
    for (int m = 0; m <= MOTE_EXACT_FLOW; m++) {
        const mote_integrator_info *info = mote_integrator_describe((mote_integrator)m);
        if (want[m] == 0) continue;
        ASSERT(info->order, ==, want[m]);
        /* Rounding as above, and the next term of the error at these steps. */
        assert_near(order_of((mote_integrator)m, still, 3), want[m], 0.25);
        assert_near(order_of((mote_integrator)m, damped, 4), want[m], 0.25);
        ASSERT(info->order_damped, ==, want[m]);
    }
}

/* "Semi-implicit Euler is second order" is true of one step only. */
TEST(one_step_order) {
    mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, 15, 0);
    double error[2];
    for (int i = 0; i < 2; i++) {
        double h = i ? 0.02 : 0.04;
        world w = {MOTE_SEMI_IMPLICIT_EULER, &force, 1, 1, h, 0};
        body b = {{1, 0, 0}, {0}};
        advance(&w, 1, &b);
        error[i] = fabs(b.position[0] - cos(sqrt(15) * h));
    }
    assert_near(log2(error[0] / error[1]), 2, 0.1);
}

/* --- 13 and masses --- */

/* Momentum p stepped in place of v: the same bits where the mass is a power of two. */
TEST(momentum_form) {
    mote_force_def forces[2] = {mote_thrust((vec3){3, 0, 0}),
                                mote_anchor_spring((vec3){1.5f, 0, 0}, 7, 0.3f)};
    for (float mass = 0.25f; mass <= 8; mass *= 2) {
        world w = {MOTE_SEMI_IMPLICIT_EULER, forces, 2, mass, 1 / 64.0, 0};
        body b = {{1, 0, 0}, {0.7f, 0, 0}};
        float x = 1, p = 0.7f * mass, h = 1 / 64.0f;
        for (int n = 0; n < 500; n++) {
            advance(&w, 1, &b);
            float impulse = (float)((3 + 7 * 1.5) / 64) + (-0.3f * h) * (p / mass);
            p += impulse + (-7 * h) * x;
            x += h * (p / mass);
            ASSERT(b.position[0], ==, x);
            ASSERT(b.velocity[0], ==, p / mass);
        }
    }
}

TEST(mass_change_keeps_momentum) {
    mote_system_def def = mote_default_system_def();
    def.mass_column = true;
    mote_system *system;
    mote_range_view view;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_spawn(system, 2, &view), MOTE_OK);
    view.velocity.x[1] = 3, view.velocity.y[1] = -1;
    view.inverse_mass[1] = 0.5f;
    assert_int_equal(mote_system_set_inverse_mass(system, 1, 0.125f), MOTE_OK);
    ASSERT(view.velocity.x[1], ==, 0.75f);
    ASSERT(view.velocity.y[1], ==, -0.25f);
    ASSERT(view.inverse_mass[1], ==, 0.125f);
    assert_int_equal(mote_system_set_inverse_mass(system, 1, 0.3f), MOTE_OK);
    assert_near(view.velocity.x[1] / 0.3f, 6, 6 * 4 * UNIT);
    mote_system_destroy(system);
}

TEST(unequal_masses) {
    float x[6][4] = {{0}}, inverse[4] = {2, 1, 0.125f, 0};
    mote_force_def forces[2] = {mote_gravity((vec3){0, -9.81f, 0}), mote_wind((vec3){5, 0, 0}, 0.75f)};
    mote_columns columns = {
        .count = 4, .position = {x[0], x[1], x[2]}, .velocity = {x[3], x[4], x[5]}, .inverse_mass = inverse};
    for (int m = 0; m <= MOTE_EXACT_FLOW; m++)
        for (uint32_t count = 1; count <= 2; count++) {
            memset(x, 0, sizeof x);
            mote_columns_def def = mote_default_columns_def();
            def.integrator = (mote_integrator)m;
            def.forces = forces, def.force_count = count, def.timestep = 1 / 128.0, def.steps = 128;
            if (m == MOTE_POSITION_VERLET) assert_int_equal(mote_columns_kick(&columns, &def, -0.5), MOTE_OK);
            assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
            if (m == MOTE_POSITION_VERLET) assert_int_equal(mote_columns_kick(&columns, &def, 0.5), MOTE_OK);
            const mote_integrator_info *info = mote_integrator_describe((mote_integrator)m);
            for (int i = 0; i < 3; i++) {
                /* Gravity alone: the same fall for every mass. Wind: v = u (1 - e^(-rt)), r = drag w, of
                 * which the first-order methods are off by h r^2 t u / 2 times the sum of the squared kicks
                 * (6.6 of Yoshida) and Verlet by h^2 r^3 t u / 6, at most. */
                double rate = 0.75 * inverse[i], rounding = 128 * 4 * UNIT * 10 * info->evaluations;
                double squares = m == MOTE_YOSHIDA4 ? 6.6 : 2;
                double method =
                    info->order_damped == 1 ? squares * rate * rate * 2.5 / 128 : rate * rate * rate * 5e-5;
                if (count == 1) {
                    ASSERT(x[4][i], ==, x[4][0]);
                    ASSERT(x[1][i], ==, x[1][0]);
                    ASSERT(x[3][i], ==, 0);
                } else
                    assert_near(x[3][i], -5 * expm1(-rate), rounding + method);
            }
            /* h r t g / 2 times the sum of the squared kicks at r = 0.09375, and its next term. */
            double fall = count == 1 ? -9.81 : 9.81 / 0.09375 * expm1(-0.09375);
            assert_near(x[4][2], fall, 0.0038 * (m == MOTE_YOSHIDA4 ? 6.6 : 2));
            for (int c = 0; c < 6; c++) ASSERT(x[c][3], ==, 0);
        }
}

/* Velocity Verlet runs backwards to where it started; explicit Euler does not. */
TEST(time_reversal) {
    mote_force_def forces[2] = {mote_attractor((vec3){0, 0, 0}, 2, 0.5f), mote_gravity((vec3){0, -1, 0.5f})};
    for (int m = 0; m < 2; m++) {
        world w = {m ? MOTE_EXPLICIT_EULER : MOTE_VELOCITY_VERLET, forces, 2, 1, 1 / 60.0, 0};
        body start = {{1, 0, 0.5f}, {0, 1, 0.25f}}, b = start;
        for (int way = 0; way < 2; way++) {
            advance(&w, 120, &b);
            for (int k = 0; k < 3; k++) b.velocity[k] = -b.velocity[k];
        }
        reference_body back = widen(&start);
        /* 20 roundings a step on values below 2, grown less than 16 times on the way. */
        double rounding = 16 * sqrt(240 * 20.0) * UNIT * 2;
        assert_true(m ? distance(&b, &back) > 100 * rounding : distance(&b, &back) < rounding);
    }
}
