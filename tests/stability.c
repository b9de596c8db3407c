/* Limits of stability: found by bisection through stepping, and equal to what mote_integrator_stable_step and
 * the descriptors say, and to theory. */
#include "test.h"

#include <math.h>
#include <stdbool.h>

#include "support.h"

#define FOR_EACH_INTEGRATOR(m)                                                                               \
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++)                                              \
        if (!advects(m))

typedef struct spring {
    double stiffness, damping, mass;
} spring;

/* How many steps it takes to see growth half a percent above a limit. Most methods grow there by 0.4 % a step
 * or more, so that 6,000 steps make 1e10 of it. Explicit Euler and midpoint leave stability where their gain
 * outweighs the damping: half a percent more is half a percent of h b, at least 1e-3, more. */
static uint32_t patience(mote_integrator integrator) {
    return integrator == MOTE_EXPLICIT_EULER || integrator == MOTE_MIDPOINT ? 30000 : 6000;
}

/* Whether an anchor spring grows at step h. Below its limit an orbit is at most 1 / sqrt(0.0025) = 20 times
 * as long as wide, and on the limit itself it grows by its length a step. Two starts, so that one of them is
 * no slow direction. */
static bool grows(mote_integrator integrator, const spring *s, double h, uint32_t steps) {
    /* In units in which h is 1, so that neither column leaves float. */
    float x[2] = {1, 0}, v[2] = {0, 1}, rest[4] = {0};
    mote_force_def force = mote_anchor_spring((vec3){0, 0, 0}, (float)(s->stiffness / s->mass * h * h),
                                              (float)(s->damping / s->mass * h));
    mote_columns columns = {
        .count = 2, .position = {x, rest, rest}, .velocity = {v, rest + 2, rest + 2}, .uniform_mass = 1};
    mote_columns_def def = mote_default_columns_def();
    uint32_t frozen = 0;
    def.integrator = integrator;
    def.forces = &force, def.force_count = 1;
    def.timestep = 1, def.steps = steps;
    assert_int_equal(mote_columns_step(&columns, &def, &frozen), MOTE_OK);
    double size =
        fmax(fmax(fabs((double)x[0]), fabs((double)x[1])), fmax(fabs((double)v[0]), fabs((double)v[1])));
    return frozen || size > 1e3;
}

enum { UNBOUNDED = 1000 };

/* The first h at which the spring grows: upwards in steps of 10 %, then by bisection. 0: at the first
 * already, where growth without damping can just be seen (midpoint: z^4 / 8 a step); HUGE_VAL: never. */
static double limit_by_stepping(mote_integrator integrator, const spring *s) {
    double rate = sqrt(s->stiffness / s->mass) + s->damping / s->mass, good = 0, bad = 0.3 / rate;
    while (!grows(integrator, s, bad, patience(integrator))) {
        good = bad;
        bad *= 1.1;
        if (bad * rate > UNBOUNDED) return HUGE_VAL;
    }
    for (int i = 0; i < 10 && good > 0; i++) {
        double middle = (good + bad) / 2;
        if (grows(integrator, s, middle, patience(integrator)))
            bad = middle;
        else
            good = middle;
    }
    return good;
}

static void assert_within(double got, double want, double relative) {
    bool same = got == want || fabs(got - want) <= relative * fabs(want);
    if (!same) fail_msg("%.9g is not %.9g within %g of it", got, want, relative);
}

TEST(stepping_agrees_with_the_question) {
    static const spring springs[] = {{15, 0, 1},   {15, 0, 4}, {15, 1.5, 1},
                                     {15, 4, 0.5}, {2, 9, 1},  {0, 3, 1}};
    for (size_t i = 0; i < COUNT_OF(springs); i++) FOR_EACH_INTEGRATOR(m) {
            const spring *s = &springs[i];
            assert_within(limit_by_stepping(m, s),
                          mote_integrator_stable_step(m, s->stiffness, s->damping, s->mass), 0.005);
        }
}

/* Explicit Euler and midpoint grow on undamped springs at any step: also where it takes a while. */
TEST(growth_without_damping) {
    static const spring undamped = {1, 0, 1};
    assert_true(grows(MOTE_EXPLICIT_EULER, &undamped, 0.1, 6000));
    assert_true(grows(MOTE_MIDPOINT, &undamped, 0.4, 6000));
    ASSERT(mote_integrator_stable_step(MOTE_EXPLICIT_EULER, 1, 0, 1), ==, 0);
    ASSERT(mote_integrator_stable_step(MOTE_MIDPOINT, 1, 0, 1), ==, 0);
    /* With a little damping they have a limit: b / k, and h^3 = 4 b m / k^2 (z^4 / 4 gained, h b / m lost) to
     * first order. */
    assert_within(mote_integrator_stable_step(MOTE_EXPLICIT_EULER, 14400, 0.1, 1), 0.1 / 14400, 1e-5);
    assert_within(mote_integrator_stable_step(MOTE_EXPLICIT_EULER, 15, 0.1, 1), 0.1 / 15, 1e-6);
    assert_within(mote_integrator_stable_step(MOTE_MIDPOINT, 1, 1e-7, 1), cbrt(4e-7), 0.005);
}

/* The largest stable k at m = 1 and dt = 1/60, theory: found by stepping, and by asking. */
TEST(table_of_stiffness) {
    static const struct {
        mote_integrator integrator;
        double undamped, damped;
    } rows[] = {{MOTE_EXPLICIT_EULER, 0, 60},         {MOTE_SEMI_IMPLICIT_EULER, 14400, 14280},
                {MOTE_POSITION_VERLET, 14400, 14280}, {MOTE_VELOCITY_VERLET, 14400, 14281},
                {MOTE_MIDPOINT, 0, 987.577},          {MOTE_RK4, 28800, 28925.37},
                {MOTE_YOSHIDA4, 8912.14, 9423.60},    {MOTE_KINEMATIC_AVERAGE, 3600 * 9.8696044, 0},
                {MOTE_PEFRL, 3600 * 8.9368085878, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int damped = 0; damped < 2; damped++) {
            double want = damped ? rows[i].damped : rows[i].undamped, good = 0, bad = 50;
            if (want == 0) continue;
            /* The table gives whole numbers or more digits. */
            assert_within(mote_integrator_stable_step(rows[i].integrator, want, damped, 1), 1 / 60.0, 2e-5);
            /* At h b = 1/60, half a percent above in k gains the two slow ones 4e-5 a step. */
            uint32_t steps = patience(rows[i].integrator) > 6000 ? 300000 : 6000;
            /* Upwards first: PEFRL is stable again beyond its limit. */
            for (spring s = {bad, damped, 1}; !grows(rows[i].integrator, &s, 1 / 60.0, steps);
                 s.stiffness = bad) {
                good = bad;
                bad *= 1.1;
            }
            for (int n = 0; n < 7; n++) {
                spring s = {(good + bad) / 2, damped, 1};
                if (grows(rows[i].integrator, &s, 1 / 60.0, steps))
                    bad = s.stiffness;
                else
                    good = s.stiffness;
            }
            assert_within(good, want, 0.005);
        }
}

TEST(descriptors_agree) {
    FOR_EACH_INTEGRATOR(m)
    assert_within(mote_integrator_describe(m)->stable_z, mote_integrator_stable_step(m, 1, 0, 1), 1e-9);
    assert_within(mote_integrator_describe(MOTE_YOSHIDA4)->stable_z, 1.573402, 1e-6);
    assert_within(mote_integrator_describe(MOTE_RK4)->stable_z, 2 * sqrt(2), 1e-12);
    assert_within(mote_integrator_describe(MOTE_PEFRL)->stable_z, 2.98944954590672913, 1e-12);
    assert_within(mote_integrator_describe(MOTE_KINEMATIC_AVERAGE)->stable_z, acos(-1), 1e-12);
    for (mote_integrator m = MOTE_ADVECT_EULER; m <= MOTE_ADVECT_RK4; m++)
        ASSERT(mote_integrator_describe(m)->stable_z, ==, HUGE_VAL);
}

/* Semi-implicit Euler: z^2 + 4 zeta z < 4, zeta = b / (2 m w). */
TEST(semi_implicit_euler_with_damping) {
    for (double zeta = 0; zeta < 8; zeta = 2 * zeta + 0.125) {
        double w = 3,
               h = mote_integrator_stable_step(MOTE_SEMI_IMPLICIT_EULER, w * w * 2, 2 * zeta * 2 * w, 2),
               z = w * h;
        assert_within(z * z + 4 * zeta * z, 4, 1e-9);
    }
}

TEST(units_do_not_matter) {
    FOR_EACH_INTEGRATOR(m) {
        double h = mote_integrator_stable_step(m, 15, 0.75, 1.5);
        /* Time 1000 times as fast, everything 64 times as heavy. */
        double fast = mote_integrator_stable_step(m, 15e6 * 64, 750.0 * 64, 1.5 * 64);
        assert_within(fast * 1000, h, 1e-9);
        ASSERT(mote_integrator_stable_step(m, 0, 0, 1), ==, HUGE_VAL);
    }
}

TEST(wrong_questions) {
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        static const double bad[] = {-1, NAN, HUGE_VAL, -HUGE_VAL};
        for (int i = 0; i < 4; i++) {
            assert_true(isnan(mote_integrator_stable_step(m, bad[i], 0, 1)));
            assert_true(isnan(mote_integrator_stable_step(m, 1, bad[i], 1)));
            assert_true(isnan(mote_integrator_stable_step(m, 1, 0, bad[i])));
        }
        assert_true(isnan(mote_integrator_stable_step(m, 1, 0, 0)));
    }
    assert_true(isnan(mote_integrator_stable_step(MOTE_INTEGRATOR_COUNT, 1, 0, 1)));
    assert_true(isnan(mote_integrator_stable_step((mote_integrator)-1, 1, 0, 1)));
    ASSERT(mote_integrator_stable_step(MOTE_ADVECT_RK4, 1, 1, 1), ==, HUGE_VAL);
}
