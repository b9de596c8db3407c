/* Experiments with steps rather than motions: stability limits, and the step of the kinematic integrators. */
#include <math.h>
#include <stdio.h>

#include "verify.h"
#include "engine.h"

static bench_setup spring(double stiffness, double damping, double mass, mote_rate rate, uint32_t steps) {
    return (bench_setup){
        .mass = mass,
        .start = {{1, 0, 0}, {0, 0, 0}},
        .forces = {mote_anchor_spring((float[3]){0, 0, 0}, (float)stiffness, (float)damping)},
        .force_count = 1,
        .rate = rate,
        .steps = steps,
        .stiffness = stiffness,
        .damping = damping,
        .exact = verify_exact_flow};
}

/* --- Stability: the largest step at which a spring does not grow --- */

#define NO_LIMIT 1e9 /* s, in place of any step */

typedef struct spring_constants {
    double stiffness, damping, mass;
} spring_constants;

typedef bool growth(mote_integrator integrator, const spring_constants *s, double h);

/* The steps that show growth half a percent above a limit. Most methods grow there by 0.4 % a step or more,
 * so that 6,000 steps make 1e10 of it. Explicit Euler and midpoint become unstable where their gain outweighs
 * the damping: half a percent more is half a percent of h b, at least 1e-3, more; on springs as stiff as
 * those of the published limits, 4e-5 a step. */
static uint32_t patience(mote_integrator integrator, const spring_constants *s) {
    if (integrator != MOTE_EXPLICIT_EULER && integrator != MOTE_MIDPOINT) return 6000;
    return s->stiffness > 50 ? 300000 : 30000;
}

/* Below its limit an orbit is at most 1 / sqrt(0.0025) = 20 times as long as wide, and on the limit itself it
 * grows by its length a step. Of two starts one is no slow direction. In units in which h is 1, so that
 * neither column leaves float. */
static bool engine_grows(mote_integrator integrator, const spring_constants *s, double h) {
    float x[2] = {1, 0}, v[2] = {0, 1}, rest[4] = {0};
    mote_force_def force = mote_anchor_spring((float[3]){0, 0, 0}, (float)(s->stiffness / s->mass * h * h),
                                              (float)(s->damping / s->mass * h));
    mote_columns columns = {
        .count = 2, .position = {x, rest, rest}, .velocity = {v, rest + 2, rest + 2}, .mass = 1};
    mote_columns_def def = mote_default_columns_def();
    uint32_t frozen = 0;
    def.integrator = integrator;
    def.forces = &force, def.force_count = 1;
    def.timestep = 1, def.steps = patience(integrator, s);
    engine_check(mote_columns_step(&columns, &def, &frozen), "mote_columns_step");
    double size = 0;
    for (int k = 0; k < 2; k++)
        size = larger_or_nan(larger_or_nan(size, fabs((double)x[k])), fabs((double)v[k]));
    return frozen || !(size <= 1e3);
}

/* The spectral radius of the reference's matrix exceeds 1. */
static bool reference_grows(mote_integrator integrator, const spring_constants *s, double h) {
    bench_setup setup = spring(s->stiffness, s->damping, s->mass, (mote_rate){1, 1}, 1);
    const step_matrix m = reference_matrix(&setup, integrator, h, true);
    const double determinant = matrix_determinant(&m);
    return fabs(determinant) > 1 + 1e-11 || fabs(m.xx + m.vv) > 1 + determinant + 1e-11;
}

/* The first h at which the spring grows, upwards in steps of 10 %: PEFRL is stable again beyond its limit;
 * then by bisection. 0 where it grows at the first h already, at which growth without damping is visible
 * (midpoint: z^4 / 8 a step). */
static double stable_step(growth *grows, mote_integrator i, const spring_constants *s, double precision) {
    const double rate = sqrt(s->stiffness / s->mass) + s->damping / s->mass;
    double good = 0, bad = (s->damping > 0 ? 0.1 : 0.3) / rate;
    while (!grows(i, s, bad)) {
        good = bad;
        bad *= 1.1;
        if (bad * rate > 1000) return NO_LIMIT;
    }
    while (good > 0 && bad - good > precision * good) {
        const double middle = (good + bad) / 2;
        *(grows(i, s, middle) ? &bad : &good) = middle;
    }
    return good;
}

double verify_stable_z(mote_integrator i, double damping_ratio, bool stepped) {
    const spring_constants s = {1, 2 * damping_ratio, 1};
    return stepped ? stable_step(engine_grows, i, &s, 1e-3) : stable_step(reference_grows, i, &s, 1e-9);
}

/* Half a per cent is the precision of the stepping; the reference is exact to the slack of its radius. */
static void judge_spring(verify_report *report, mote_integrator i, const spring_constants *s) {
    const double limit = stable_step(reference_grows, i, s, 1e-9);
    const double stepped = stable_step(engine_grows, i, s, 1e-3);
    const double asked = fmin(mote_integrator_stable_step(i, s->stiffness, s->damping, s->mass), NO_LIMIT);
    verify_add(report, integrator_name(i), stepped, limit, 0.005 * limit,
               "stable step, stepped: k %g, b %g, m %g", s->stiffness, s->damping, s->mass);
    verify_add(report, integrator_name(i), asked, limit, 1e-6 * limit, "stable step, asked: k %g, b %g, m %g",
               s->stiffness, s->damping, s->mass);
}

/* Published: h sqrt(k / m) without damping, NO_LIMIT for any, and the largest k at h = 1/60 s, m = 1 kg and b
 * = 1 kg/s, 0: not known; each with half of the last digit. */
static const struct {
    mote_integrator integrator;
    bench_figure z, stiffness;
} published[] = {
    {MOTE_EXPLICIT_EULER, {0, 0}, {60, 1e-9}},
    {MOTE_SEMI_IMPLICIT_EULER, {2, 1e-12}, {14280, 1e-6}},
    {MOTE_POSITION_VERLET, {2, 1e-12}, {14280, 1e-6}},
    {MOTE_VELOCITY_VERLET, {2, 1e-12}, {14281, 0.5}},
    {MOTE_MIDPOINT, {0, 0}, {987.577, 5e-4}},
    {MOTE_RK4, {2.8284271247461903, 1e-12}, {28925.37, 5e-3}},
    {MOTE_YOSHIDA4, {1.573402, 5e-7}, {9423.60, 5e-3}},
    {MOTE_PEFRL, {2.98944954590672913, 1e-12}, {0, 0}},
    {MOTE_KINEMATIC_AVERAGE, {3.14159265358979324, 1e-12}, {0, 0}},
    {MOTE_IMPLICIT_EULER, {NO_LIMIT, 0}, {0, 0}},
    {MOTE_KINEMATIC, {NO_LIMIT, 0}, {0, 0}},
    {MOTE_EXACT_FLOW, {NO_LIMIT, 0}, {0, 0}},
};

void verify_stability(verify_report *report) {
    static const spring_constants springs[] = {{15, 0, 1},   {15, 0, 4}, {15, 1.5, 1},
                                               {15, 4, 0.5}, {2, 9, 1},  {0, 3, 1}};
    for (size_t k = 0; k < sizeof published / sizeof *published; k++) {
        const mote_integrator i = published[k].integrator;
        const bench_figure z = published[k].z, stiffness = published[k].stiffness;
        verify_add(report, integrator_name(i), fmin(mote_integrator_describe(i)->stable_z, NO_LIMIT), z.value,
                   z.half_digit, "stable z, as described");
        if (stiffness.value == 0) continue;
        const spring_constants s = {stiffness.value, 1, 1};
        /* h goes with k at most linearly. */
        verify_add(report, integrator_name(i), 60 * mote_integrator_stable_step(i, s.stiffness, 1, 1), 1,
                   stiffness.half_digit / stiffness.value + 1e-9, "stable step x 60 at k = %g, b = 1",
                   s.stiffness);
        judge_spring(report, i, &s);
    }
    FOR_INTEGRATORS(i)
    for (size_t k = 0; k < sizeof springs / sizeof *springs; k++) judge_spring(report, i, &springs[k]);
}

/* --- Kinematic integrators --- */

/* A constant force of 10 N, or a spring of 16 N/m with a damping: none, light, critical, over-damped. */
static void uncoupled(verify_report *report, mote_integrator i, bool is_spring, double damping,
                      mote_rate rate) {
    bench_setup s = spring(16, damping, 1, rate, 100);
    if (!is_spring) s.forces[0] = mote_thrust((float[3]){10, 0, 0});
    bench_flights f = flights_make(&s, i);
    const double dt = verify_timestep(&s), t = 100 * dt;
    /* The increments of a constant force are alike in every step and so may their roundings be: 100 steps,
     * two sums. */
    const double worst = is_spring ? 0 : 200 * FLOAT_ROUNDING * (15 * t * t);
    const bool exact = i == MOTE_KINEMATIC || i == MOTE_EXACT_FLOW || !is_spring;
    /* 1e-9 of the end position is the rounding of the double reference itself. */
    const bench_figure zero = {0, 1e-9 * (is_spring ? 1 : 5 * t * t)};
    char force[40] = "constant force";
    if (is_spring) snprintf(force, sizeof force, "spring, b = %g", damping);
    verify_judge(report, &f, quantity_largest_error, 0, exact ? zero : NO_FIGURE, worst,
                 "%s, 100 steps of %g s: error", force, dt);
    flights_free(&f);
}

/* Two equal springs on one mass, each with w = 1; z = dt. */
#define TWO_SPRINGS_Z 0.5
static bench_setup two_springs(void) {
    bench_setup s = spring(1, 0, 1, (mote_rate){2, 1}, 1);
    s.forces[1] = s.forces[0];
    s.force_count = 2;
    return s;
}

static bench_state step_of_two(mote_integrator i, bench_state start) {
    bench_setup s = two_springs();
    s.start = start;
    mote_system *system = verify_system(&s, i);
    engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
    bench_state state = verify_state(system);
    mote_system_destroy(system);
    return state;
}

/* Every entry of the matrix is at most 1 and comes of at most 4 rounded terms; two products of two entries.
 * In one dimension symplectic means that the area stays. */
static void determinant_of_two(verify_report *report, mote_integrator i) {
    const double z = TWO_SPRINGS_Z, rounding = 16 * FLOAT_ROUNDING;
    const bench_setup s = two_springs();
    const step_matrix by_reference = reference_matrix(&s, i, z, false);
    const bench_state a = step_of_two(i, (bench_state){{1, 0, 0}, {0, 0, 0}}),
                      b = step_of_two(i, (bench_state){{0, 0, 0}, {1, 0, 0}});
    const double measured = a.x[0] * b.v[0] - a.v[0] * b.x[0];
    double reference = matrix_determinant(&by_reference);
    verify_add(report, integrator_name(i), mote_integrator_describe(i)->symplectic,
               fabs(reference - 1) < 1e-12, 0, "symplectic, as described");
    if (i == MOTE_KINEMATIC) reference = 5 - 4 * cos(z) - 2 * z * sin(z); /* 1 + z^4 / 6 - z^6 / 90 + ... */
    if (i == MOTE_KINEMATIC_AVERAGE)
        reference = 2 * cos(z) - 1 + z * sin(z); /* 1 - z^4 / 12 + z^6 / 180 - ... */
    verify_add(report, integrator_name(i), measured, reference, rounding,
               "two springs, z = 0.5: determinant of a step");
    /* The leading terms, up to the next one. */
    if (i == MOTE_KINEMATIC)
        verify_add(report, integrator_name(i), measured, 1 + pow(z, 4) / 6, pow(z, 6) / 90 + rounding,
                   "the same beside 1 + z^4/6");
    if (i == MOTE_KINEMATIC_AVERAGE)
        verify_add(report, integrator_name(i), measured, 1 - pow(z, 4) / 12, pow(z, 6) / 180 + rounding,
                   "the same beside 1 - z^4/12");
}

/* One step from rest: the position error of semi-implicit Euler over that of the method. The exact x is
 * cos(sqrt 2 z); the errors are known to 4 roundings of a position of at most 1. */
static void error_of_two(verify_report *report, mote_integrator i) {
    const double z = TWO_SPRINGS_Z, exact = cos(sqrt(2) * z), rounding = 4 * FLOAT_ROUNDING;
    const bool average = i == MOTE_KINEMATIC_AVERAGE;
    const bench_state rest = {{1, 0, 0}, {0, 0, 0}};
    const double by_euler = step_of_two(MOTE_SEMI_IMPLICIT_EULER, rest).x[0] - exact,
                 error = step_of_two(i, rest).x[0] - exact;
    const double known_euler = -2 * z * z + 1 - exact,
                 known = (average ? 1 - z * sin(z) : 2 * cos(z) - 1) - exact;
    const double reference = fabs(known_euler / known);
    verify_add(report, integrator_name(i), fabs(by_euler / error), reference,
               reference * (rounding / fabs(known_euler) + rounding / fabs(known)) * 1.1,
               "two springs, one step: error of SE over its own");
    /* 12 / z^2 and 360 / z^4 are the limit of small z: the series go on 1 + 4 z^2 / 15 + ... and 1 + 5 z^2 /
     * 21 + ..., with later terms of less than z^4 / 10. */
    const double limit = average ? 360 / pow(z, 4) : 12 / (z * z),
                 next = (average ? 5.0 / 21 : 4.0 / 15) * z * z + pow(z, 4) / 10;
    verify_add(report, integrator_name(i), fabs(by_euler / error), limit, limit * next, "the same beside %s",
               average ? "360 / z^4" : "12 / z^2");
}

void verify_kinematic(verify_report *report) {
    static const mote_rate rates[] = {{100, 1}, {1, 1}, {1, 100}};
    static const mote_integrator closed[] = {MOTE_KINEMATIC, MOTE_KINEMATIC_AVERAGE, MOTE_EXACT_FLOW};
    static const double dampings[] = {0, 0.5, 8, 20};
    for (int k = 0; k < 3; k++)
        for (int rate = 0; rate < 3; rate++) {
            uncoupled(report, closed[k], false, 0, rates[rate]);
            /* With dx = dv dt / 2 a spring alone is not exact: at 0.01 s it can be compared. */
            for (int b = 0; b < 4 && (closed[k] != MOTE_KINEMATIC_AVERAGE || rate == 0); b++)
                uncoupled(report, closed[k], true, dampings[b], rates[rate]);
        }
    FOR_INTEGRATORS(i) determinant_of_two(report, i);
    error_of_two(report, MOTE_KINEMATIC);
    error_of_two(report, MOTE_KINEMATIC_AVERAGE);
}
