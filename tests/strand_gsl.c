/* A nonlinear rope against the adaptive solver of the GNU Scientific Library, written by others. */
#include "test.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include "swing.h"

static int derivative(double t, const double y[], double dy[], void *context) {
    (void)t;
    double a[CHAIN_POINTS][3] = {{0}};
    chain_state s;
    memcpy(&s, y, sizeof s);
    chain_accelerate(context, &s, a);
    memcpy(dy, s.v, sizeof s.v);
    memcpy(dy + 3 * CHAIN_POINTS, a, sizeof a);
    return GSL_SUCCESS;
}

/* Eighth order by Prince and Dormand, every coordinate to 1e-10. */
static void solve(chain *c, double seconds, chain_state *state) {
    gsl_odeiv2_system system = {derivative, NULL, sizeof *state / sizeof(double), c};
    gsl_odeiv2_driver *driver = gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-3, 1e-10, 0);
    assert_non_null(driver);
    double t = 0;
    assert_int_equal(gsl_odeiv2_driver_apply(driver, &t, seconds, &state->x[0][0]), GSL_SUCCESS);
    gsl_odeiv2_driver_free(driver);
}

TEST(a_nonlinear_rope_agrees_with_gsl) {
    enum { STEPS = 8, SUBSTEPS = 32 };
    for (int damped = 0; damped < 2; damped++) {
        swing s;
        chain_state got[STRANDS], tiny;
        make_swing(&s, damped, false);
        run_swing(&s, MOTE_RK4, STEPS, SUBSTEPS, got);
        for (uint32_t i = 0; i < STRANDS; i++) {
            chain_state want = s.start[i];
            solve(&s.chain[i], STEPS / 16.0, &want);
            /* RK4's own error is 16 times that of half the step, so 16/15 of the difference. */
            chain_state coarse, fine;
            run_plainly(&s, i, MOTE_RK4, STEPS, SUBSTEPS, &coarse);
            run_plainly(&s, i, MOTE_RK4, STEPS, 2 * SUBSTEPS, &fine);
            const double truncation = worst_of(&coarse, &fine, false) * 1.1;
            /* Rounding, random: 256 substeps, each of which rounds four terms of x <= 0.6 m and, over the
             * time that is left, of v <= 4 m/s, and in its kick four springs of 64 N/m whose elongation is
             * known to 4 UNIT of 0.2 m; four spreads. An error grows by e^(t sqrt(g / 0.6 m)) = 7.5 at
             * most, as a fall does. */
            const double t = STEPS / 16.0, h = t / (STEPS * SUBSTEPS), substeps = STEPS * SUBSTEPS;
            const double one = UNIT * (4 * 0.6 + t * 4 * 4 + t * h * 4 * 64 * 0.2 * 4 / 0.1);
            const double tolerance = truncation + 4 * sqrt(substeps / 3) * one * 7.5;
            ASSERT(tolerance, <, 1e-3); /* of 0.6 m, after a fall of half a second */
            assert_near(worst_of(&got[i], &want, false), 0, tolerance);
            /* The reference of the other tests is the same rope. */
            run_plainly(&s, i, MOTE_RK4, STEPS, 16 * SUBSTEPS, &tiny);
            assert_near(worst_of(&tiny, &want, false), 0, 1e-7);
        }
    }
}
