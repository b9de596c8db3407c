/* The exact flow of affine forces: its coefficients against closed forms, and one step of any length against
 * the matrix exponential in long double. */
#include "test.h"

#include <math.h>

#include "math/propagator.h"
#include "reference.h"
#include "systems.h"

/* One flow of length t in the y axis, by uniform mass or by mass column, against the long double
 * reference. */
static void check_flow(float mass, float gravity, float drag, float stiffness, double t) {
    const mote_force_def forces[3] = {mote_gravity((float[3]){0, gravity, 0}),
                                      mote_wind((float[3]){0, 0, 0}, drag),
                                      mote_anchor_spring((float[3]){0, 3, 0}, stiffness, 0)};
    const double inverse = 1.0 / mass, constant = gravity + stiffness * 3.0 * inverse;
    const mote_propagator p = mote_propagator_make(-drag * inverse, -stiffness * inverse, t);
    double want[2] = {5, -2};
    reference_flow(gravity + stiffness * 3.0L * inverse, -drag * (long double)inverse,
                   -stiffness * (long double)inverse, t, want);
    for (int column = 0; column < 2; column++) {
        float x[2][3] = {{0, 5, 0}, {0, -2, 0}}, w = (float)inverse;
        mote_columns columns = {.count = 1,
                                .position = {&x[0][0], &x[0][1], &x[0][2]},
                                .velocity = {&x[1][0], &x[1][1], &x[1][2]},
                                .inverse_mass = column ? &w : NULL,
                                .mass = mass};
        mote_columns_def def = mote_default_columns_def();
        def.integrator = MOTE_EXACT_FLOW;
        def.forces = forces, def.force_count = 3, def.timestep = t;
        assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
        /* Per row: a float coefficient, product and two sums on each of three terms and the state, 4
         * roundings of each. */
        const double x_size = 5 + fabs(5 * p.xx) + fabs(2 * p.xv) + fabs(constant * p.xc);
        const double v_size = 2 + fabs(5 * p.vx) + fabs(2 * p.vv) + fabs(constant * p.vc);
        ASSERT_NEAR(x[0][1], want[0], 4 * FLOAT_ROUNDING * x_size);
        ASSERT_NEAR(x[1][1], want[1], 4 * FLOAT_ROUNDING * v_size);
    }
}

TEST(a_step_of_any_length_is_the_matrix_exponential_for_any_damping_and_mass) {
    static const float stiffnesses[] = {0, 8e-6f, 8, 100, 8e6f}, masses[] = {2, 0.5f, 0.125f};
    static const double lengths[] = {1e-4, 1 / 60.0, 1, 20, 1000};
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 5; k++)
            for (int t = 0; t < 5; t++) {
                const float critical = 2 * sqrtf(stiffnesses[k] * masses[m]);
                const float drags[] = {
                    0, 1e-6f, 1, critical, critical * 1.0001f, critical * 0.9999f, 5 * critical + 3};
                for (int b = 0; b < 7; b++) {
                    test_case("m %g kg, k %g N/m, b %g kg/s, %g s", masses[m], stiffnesses[k], drags[b],
                              lengths[t]);
                    check_flow(masses[m], -9.81f, drags[b], stiffnesses[k], lengths[t]);
                }
            }
}

TEST(coefficients_are_those_of_the_closed_forms) {
    static const double lengths[] = {1e-6, 1e-3, 1 / 60.0, 0.3, 2, 30};
    for (int i = 0; i < 6; i++) {
        const double h = lengths[i], w = 5, b = 0.75, tolerance = 0x1p-44 * fmax(1, w * h);
        test_case("h = %g s", h);
        mote_propagator p = mote_propagator_make(0, 0, h);
        ASSERT(p.xx, ==, 0);
        ASSERT(p.xv, ==, h);
        ASSERT_NEAR(p.xc, h * h / 2, 0x1p-50 * h * h);
        ASSERT(p.vx, ==, 0);
        ASSERT(p.vv, ==, 0);
        ASSERT_NEAR(p.vc / h, 1, 0x1p-50);
        p = mote_propagator_make(0, -w * w, h);
        ASSERT_NEAR(p.xx, -2 * pow(sin(w * h / 2), 2), tolerance);
        ASSERT_NEAR(p.xv * w, sin(w * h), tolerance);
        ASSERT_NEAR(p.vx / w, -sin(w * h), tolerance);
        ASSERT_NEAR(p.vv, -2 * pow(sin(w * h / 2), 2), tolerance);
        p = mote_propagator_make(-b, 0, h);
        ASSERT_NEAR(p.vv, expm1(-b * h), tolerance);
        ASSERT_NEAR(p.xv * b, -expm1(-b * h), tolerance);
        ASSERT_NEAR(p.vc * b, -expm1(-b * h), tolerance);
        ASSERT_NEAR(p.xc * b * b, b * h + expm1(-b * h), tolerance);
        p = mote_propagator_make(-2 * w, -w * w, h); /* critical: e^(-wh) (1 + wh) */
        ASSERT_NEAR(p.xx, expm1(-w * h) + w * h * exp(-w * h), tolerance);
        ASSERT_NEAR(p.xv * w, w * h * exp(-w * h), tolerance);
        ASSERT_NEAR(p.vv, expm1(-w * h) - w * h * exp(-w * h), tolerance);
        const double slow = 0.2, fast = 5; /* over-damped: rates 0.2 and 5 */
        p = mote_propagator_make(-(slow + fast), -slow * fast, h);
        ASSERT_NEAR(p.xv, (exp(-slow * h) - exp(-fast * h)) / (fast - slow), tolerance);
        ASSERT_NEAR(p.xx, (fast * expm1(-slow * h) - slow * expm1(-fast * h)) / (fast - slow), tolerance);
        /* With K the constant only moves the centre: x_c = -p_xx C / K. */
        ASSERT_NEAR(p.xc * slow * fast, -p.xx, tolerance);
    }
}
