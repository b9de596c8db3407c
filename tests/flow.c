/* The exact flow: its coefficients against closed forms, one step of any length against the matrix exponential in long
 * double, projectiles with linear drag, and flow(2h) = flow(h) after flow(h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "math/propagator.h"
#include "world.h"

/* --- 8: exact flow ----------------------------------------------------------------------------------------------- */

/* One flow of length t in the y axis, by uniform mass or by mass column, against the long double reference. */
static void check_flow(float mass, float gravity, float drag, float stiffness, double t) {
    mote_force_def forces[3] = {mote_gravity((vec3){0, gravity, 0}), mote_wind((vec3){0, 0, 0}, drag),
                                mote_anchor_spring((vec3){0, 3, 0}, stiffness, 0)};
    double want[2] = {5, -2}, inverse = 1.0 / mass, size = 0;
    reference_flow(gravity + stiffness * 3.0L * inverse, -drag * (long double)inverse,
                   -stiffness * (long double)inverse, t, want);
    mote_propagator p = mote_propagator_make(-drag * inverse, -stiffness * inverse, t);
    double constant = gravity + stiffness * 3.0 * inverse;
    for (int column = 0; column < 2; column++) {
        float x[2][3] = {{0, 5, 0}, {0, -2, 0}}, w = (float)inverse;
        mote_columns columns = {.count = 1, .position = {&x[0][0], &x[0][1], &x[0][2]},
                                .velocity = {&x[1][0], &x[1][1], &x[1][2]},
                                .inverse_mass = column ? &w : NULL, .uniform_mass = mass};
        mote_columns_def def = mote_default_columns_def();
        def.integrator = MOTE_EXACT_FLOW;
        def.forces = forces, def.force_count = 3, def.timestep = t;
        assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
        /* Per row: a float coefficient, product and two sums on each of three terms and the state, 4 UNIT of each. */
        size = 5 + fabs(5 * p.xx) + fabs(2 * p.xv) + fabs(constant * p.xc);
        assert_near(x[0][1], want[0], 4 * UNIT * size);
        size = 2 + fabs(5 * p.vx) + fabs(2 * p.vv) + fabs(constant * p.vc);
        assert_near(x[1][1], want[1], 4 * UNIT * size);
    }
}

static void joint_exact_flow(void **unused) {
    (void)unused;
    static const double want[3][3] = {{1 / 60.0, 4.964344791405077, -2.277842948697737},
                                      {1, -1.16463966938596, -5.595283082296746},
                                      {20, 0.5326124515950732, -0.04830620867954968}};
    for (int i = 0; i < 3; i++) {
        double state[2] = {5, -2};
        reference_flow(-9.81L + 12, -0.5L, -4, want[i][0], state);
        assert_near(state[0], want[i][1], 1e-13);
        assert_near(state[1], want[i][2], 1e-13);
    }
    static const float stiffnesses[] = {0, 8e-6f, 8, 100, 8e6f}, masses[] = {2, 0.5f, 0.125f};
    static const double lengths[] = {1e-4, 1 / 60.0, 1, 20, 1000};
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 5; k++)
            for (int t = 0; t < 5; t++) {
                float critical = 2 * sqrtf(stiffnesses[k] * masses[m]);
                float drags[] = {0, 1e-6f, 1, critical, critical * 1.0001f, critical * 0.9999f, 5 * critical + 3};
                for (int b = 0; b < 7; b++) check_flow(masses[m], -9.81f, drags[b], stiffnesses[k], lengths[t]);
            }
}

/* The coefficients against closed forms where these are well conditioned. */
static void propagator(void **unused) {
    (void)unused;
    static const double lengths[] = {1e-6, 1e-3, 1 / 60.0, 0.3, 2, 30};
    for (int i = 0; i < 6; i++) {
        double h = lengths[i], w = 5, b = 0.75, tolerance = 0x1p-44 * fmax(1, w * h);
        mote_propagator p = mote_propagator_make(0, 0, h);
        assert_true(p.xx == 0 && p.xv == h && fabs(p.xc - h * h / 2) <= 0x1p-50 * h * h && p.vx == 0 && p.vv == 0);
        assert_near(p.vc / h, 1, 0x1p-50);
        p = mote_propagator_make(0, -w * w, h);
        assert_near(p.xx, -2 * pow(sin(w * h / 2), 2), tolerance);
        assert_near(p.xv * w, sin(w * h), tolerance);
        assert_near(p.vx / w, -sin(w * h), tolerance);
        assert_near(p.vv, -2 * pow(sin(w * h / 2), 2), tolerance);
        p = mote_propagator_make(-b, 0, h);
        assert_near(p.vv, expm1(-b * h), tolerance);
        assert_near(p.xv * b, -expm1(-b * h), tolerance);
        assert_near(p.vc * b, -expm1(-b * h), tolerance);
        assert_near(p.xc * b * b, b * h + expm1(-b * h), tolerance);
        p = mote_propagator_make(-2 * w, -w * w, h); /* critical: e^(-wh) (1 + wh) */
        assert_near(p.xx, expm1(-w * h) + w * h * exp(-w * h), tolerance);
        assert_near(p.xv * w, w * h * exp(-w * h), tolerance);
        assert_near(p.vv, expm1(-w * h) - w * h * exp(-w * h), tolerance);
        double slow = 0.2, fast = 5; /* over-damped: rates 0.2 and 5 */
        p = mote_propagator_make(-(slow + fast), -slow * fast, h);
        assert_near(p.xv, (exp(-slow * h) - exp(-fast * h)) / (fast - slow), tolerance);
        assert_near(p.xx, (fast * expm1(-slow * h) - slow * expm1(-fast * h)) / (fast - slow), tolerance);
        /* With K the constant only moves the centre: x_c = -p_xx C / K. */
        assert_near(p.xc * slow * fast, -p.xx, tolerance);
    }
}

/* flow(2h) = flow(h) after flow(h), and back again with the velocity reversed where nothing is damped. */
static void flow_is_a_group(void **unused) {
    (void)unused;
    mote_force_def forces[3] = {mote_gravity((vec3){1, -9.81f, 0}), mote_anchor_spring((vec3){0, 3, 1}, 8, 0),
                                mote_wind((vec3){4, 0, -1}, 0.5f)};
    body start = {{1, 2, 3}, {-1, 0.5f, 2}}, once = start, twice = start;
    world w = {MOTE_EXACT_FLOW, forces, 3, 2, 1.5, 0};
    advance(&w, 2, &twice);
    w.timestep = 3;
    advance(&w, 1, &once);
    reference_body wide = widen(&once);
    /* Values up to 10 m and 20 m/s; three rows of 4 UNIT on four terms each. */
    assert_true(distance(&twice, &wide) < 3 * 16 * UNIT * 20);
    world undamped = {MOTE_EXACT_FLOW, forces, 2, 2, 0.37, 0};
    body b = start;
    for (int way = 0; way < 2; way++) {
        advance(&undamped, 500, &b);
        for (int k = 0; k < 3; k++) b.velocity[k] = -b.velocity[k];
    }
    wide = widen(&start);
    assert_true(distance(&b, &wide) < 4 * sqrt(1000 * 12.0) * UNIT * 20);
}

/* --- 11: projectiles --------------------------------------------------------------------------------------------- */

static void projectile(void **unused) {
    (void)unused;
    mote_force_def forces[2] = {mote_gravity((vec3){0, -9.81f, 0}), mote_wind((vec3){0, 0, 0}, 0.5f)};
    for (int steps = 1; steps <= 64; steps *= 8) {
        world w = {MOTE_EXACT_FLOW, forces, 2, 1, 2.0 / steps, 0};
        body b = {{0}, {30, 40, 0}};
        advance(&w, (uint32_t)steps, &b);
        /* Four roundings a step on the height of at most 40 m, and the same on 40 m/s over 2 s; g as a float. */
        double tolerance = 4 * UNIT * (40 + 80) * steps + 2 * 9.81 * UNIT;
        assert_near(b.position[0], 37.92723352971346, tolerance);
        assert_near(b.position[1], 36.13405543471722, tolerance);
    }
    /* Small drag goes over into none without loss: the first term, c t v t / 2, is all that remains. */
    for (double c = 1; c > 1e-30; c /= 10) {
        forces[1] = mote_wind((vec3){0, 0, 0}, (float)c);
        world w = {MOTE_EXACT_FLOW, forces, 2, 1, 2, 0};
        body b = {{0}, {30, 40, 0}};
        advance(&w, 1, &b);
        double x = c > 1e-3 ? 30 * -expm1(-c * 2) / c : 60 - 30 * c * 2 + 30 * c * c * 8 / 6 - 30 * c * c * c * 16 / 24;
        assert_near(b.position[0], x, 4 * UNIT * 60);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_exact_flow),
        cmocka_unit_test(propagator),
        cmocka_unit_test(flow_is_a_group),
        cmocka_unit_test(projectile),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
