/* Experiments with steps rather than motions: stability limits, the kinematic integrators' step, orders,
 * momentum. */
#include <math.h>
#include <string.h>

#include "accuracy.h"
#include "engine.h"

static bench_setup spring(uint32_t experiment, double stiffness, double damping, mote_rate rate,
                          uint32_t steps) {
    return (bench_setup){.experiment = experiment,
                         .mass = 1,
                         .start = {{1, 0, 0}, {0, 0, 0}},
                         .forces = {mote_anchor_spring((vec3){0, 0, 0}, (float)stiffness, (float)damping)},
                         .force_count = 1,
                         .rate = rate,
                         .steps = steps,
                         .stiffness = stiffness,
                         .damping = damping,
                         .exact = accuracy_exact_flow};
}

/* --- 4 Stability: the largest stable k at m = 1, dt = 1/60 ---
 */

#define WINDOW     1024u
#define LONG_RUN   131072u
#define SMALLEST_K 50.0
#define LARGEST_K  1e8

/* The largest amplitude in the next WINDOW steps: longer than the beat that a symplectic method shows just
 * below its limit (pi / sqrt(1 - k / limit) steps). */
static double largest_amplitude(mote_system *system, double w) {
    double largest = 0;
    for (uint32_t i = 0; i < WINDOW; i++) {
        engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
        bench_state state = accuracy_state(system);
        double amplitude = hypot(state.x[0], state.v[0] / w);
        if (!(amplitude <= largest)) largest = amplitude;
    }
    return largest;
}

/* Twice the amplitude after LONG_RUN steps is growth by 5e-6 a step: rounding, as a random walk, adds no more
 * than sqrt(LONG_RUN) FLOAT_ROUNDING. It is what explicit Euler with b = 1 has 0.1 % above its limit, where
 * the determinant exceeds 1 by h^2 (k - 60), and every other method less far above. */
static bool engine_is_stable(mote_integrator i, double stiffness, double damping) {
    bench_setup s = spring(4, stiffness, damping, (mote_rate){60, 1}, 0);
    mote_system *system = accuracy_system(&s, i);
    double early = largest_amplitude(system, sqrt(stiffness));
    engine_check(mote_system_step(system, LONG_RUN, NULL), "mote_system_step");
    double late = largest_amplitude(system, sqrt(stiffness));
    mote_system_destroy(system);
    return late <= 2 * early;
}

/* By the spectral radius of the reference's matrix. */
static bool reference_is_stable(mote_integrator i, double stiffness, double damping) {
    bench_setup s = spring(4, stiffness, damping, (mote_rate){60, 1}, 0);
    bench_state column[2] = {{{1, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {1, 0, 0}}};
    for (int k = 0; k < 2; k++) reference_step(&s, i, 0, accuracy_timestep(&s), &column[k], NULL);
    double trace = column[0].x[0] + column[1].v[0];
    double determinant = column[0].x[0] * column[1].v[0] - column[0].v[0] * column[1].x[0];
    return fabs(determinant) <= 1 + 1e-9 && fabs(trace) <= 1 + determinant + 1e-9;
}

/* The first k that grows, from below: PEFRL is stable again beyond a gap, from 1.17 of its limit in h. 0
 * where SMALLEST_K grows already, LARGEST_K where nothing does. */
static double largest_stable(bool (*is_stable)(mote_integrator, double, double), mote_integrator i,
                             double damping) {
    double good = 0, bad = SMALLEST_K;
    while (bad <= LARGEST_K && is_stable(i, bad, damping)) {
        good = bad;
        bad *= 1.2;
    }
    if (good == 0) return 0;
    if (bad > LARGEST_K) return LARGEST_K;
    while (bad / good > 1.0002) {
        double middle = sqrt(good * bad);
        *(is_stable(i, middle, damping) ? &good : &bad) = middle;
    }
    return good;
}

/* Published limits at b = 0 and b = 1; NaN: the reference gives them. */
static double published_limit(mote_integrator i, bool damped) {
    // clang-format off
    switch (i) {
    case MOTE_EXPLICIT_EULER: return damped ? 60 : 0;
    case MOTE_SEMI_IMPLICIT_EULER:
    case MOTE_POSITION_VERLET: return damped ? 14280 : 14400;
    case MOTE_VELOCITY_VERLET: return damped ? 14281 : 14400;
    case MOTE_MIDPOINT: return damped ? 987.577 : 0;
    case MOTE_RK4: return damped ? 28925.37 : 28800;
    case MOTE_YOSHIDA4: return damped ? 9423.60 : 8912.14;
    case MOTE_IMPLICIT_EULER:
    case MOTE_EXACT_FLOW: return LARGEST_K;
    default: return NAN;
    }
    // clang-format on
}

/* Half a per cent: what the length of the run can tell apart. */
void accuracy_stability(accuracy_report *report) {
    for (mote_integrator i = 0; i < MOTE_INTEGRATOR_COUNT; i++)
        for (int damping = 0; damping < 2 && !advects(i); damping++) {
            double limit = published_limit(i, damping == 1);
            if (isnan(limit)) limit = largest_stable(reference_is_stable, i, damping);
            char name[60];
            snprintf(name, sizeof name, "largest stable k%s, b = %d",
                     limit == LARGEST_K ? " (1e8: no limit)" : "", damping);
            accuracy_add(report, 4, i, name, largest_stable(engine_is_stable, i, damping), limit,
                         0.005 * limit);
            /* What the library says of itself: at m = 1 and this k, h reaches 1/60. */
            double z = sqrt(limit) / 60, described = mote_integrator_describe(i)->stable_z;
            if (damping == 0 && limit == LARGEST_K)
                accuracy_add(report, 4, i, "1 / stable z, as described", 1 / described, 0, 0);
            else if (damping == 0)
                accuracy_add(report, 4, i, "stable z, as described", described, z, 1e-3 * z);
            if (limit == 0 || limit == LARGEST_K) continue;
            snprintf(name, sizeof name, "stable step x 60 at that k, b = %d", damping);
            accuracy_add(report, 4, i, name, 60 * mote_integrator_stable_step(i, limit, damping, 1), 1, 1e-3);
        }
}

/* --- 6 Kinematic integrators ---
 */

static void uncoupled(accuracy_report *report, mote_integrator i, bool is_spring, mote_rate rate) {
    bench_setup s = spring(6, 15, 0, rate, 100);
    if (!is_spring) s.forces[0] = mote_thrust((vec3){10, 0, 0});
    bench_flights f = flights_make(&s, i);
    double dt = accuracy_timestep(&s);
    /* The increments of a constant force are alike in every step and so may their roundings be: 100 steps,
     * two sums. */
    double t = 100 * dt, worst = is_spring ? 0 : 200 * FLOAT_ROUNDING * (15 * t * t);
    bool exact = i == MOTE_KINEMATIC || i == MOTE_EXACT_FLOW || (i == MOTE_KINEMATIC_AVERAGE && !is_spring);
    char name[60];
    snprintf(name, sizeof name, "%s alone, 100 steps of %g s: error", is_spring ? "spring" : "constant force",
             dt);
    /* 1e-9 of the end position is the rounding of the double reference itself. */
    bench_figure zero = {0, 1e-9 * (is_spring ? 1 : 5 * t * t)};
    accuracy_judge(report, &f, name, quantity_largest_error, 0, exact ? zero : NO_FIGURE, worst);
    flights_free(&f);
}

/* Two equal springs on one mass, each with w = 1; z = dt. */
#define TWO_SPRINGS_Z 0.5
static bench_state step_of_two(mote_integrator i, bench_state start) {
    bench_setup s = spring(6, 1, 0, (mote_rate){2, 1}, 1);
    s.forces[1] = s.forces[0];
    s.force_count = 2;
    s.start = start;
    mote_system *system = accuracy_system(&s, i);
    engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
    bench_state state = accuracy_state(system);
    mote_system_destroy(system);
    return state;
}

static bench_state reference_of_two(mote_integrator i, bench_state start) {
    bench_setup s = spring(6, 1, 0, (mote_rate){2, 1}, 1);
    s.forces[1] = s.forces[0];
    s.force_count = 2;
    reference_start(&s, i, 0, TWO_SPRINGS_Z, &start, NULL);
    reference_step(&s, i, 0, TWO_SPRINGS_Z, &start, NULL);
    return reference_reported(&s, i, TWO_SPRINGS_Z, TWO_SPRINGS_Z, start);
}

static double determinant_by(bench_state (*step)(mote_integrator, bench_state), mote_integrator i) {
    bench_state a = step(i, (bench_state){{1, 0, 0}, {0, 0, 0}}),
                b = step(i, (bench_state){{0, 0, 0}, {1, 0, 0}});
    return a.x[0] * b.v[0] - a.v[0] * b.x[0];
}

/* Every entry of the matrix is at most 1 and comes of at most 4 rounded terms; two products of two
 * entries. */
static void determinant_of_two(accuracy_report *report, mote_integrator i) {
    const double z = TWO_SPRINGS_Z, rounding = 16 * FLOAT_ROUNDING;
    double reference = determinant_by(reference_of_two, i), measured = determinant_by(step_of_two, i);
    if (i == MOTE_KINEMATIC) reference = 5 - 4 * cos(z) - 2 * z * sin(z); /* 1 + z^4 / 6 - z^6 / 90 + ... */
    if (i == MOTE_KINEMATIC_AVERAGE)
        reference = 2 * cos(z) - 1 + z * sin(z); /* 1 - z^4 / 12 + z^6 / 180 - ... */
    accuracy_add(report, 6, i, "two springs, z = 0.5: determinant of a step", measured, reference, rounding);
    /* The leading terms, up to the next one. */
    if (i == MOTE_KINEMATIC)
        accuracy_add(report, 6, i, "the same beside 1 + z^4/6", measured, 1 + pow(z, 4) / 6,
                     pow(z, 6) / 90 + rounding);
    if (i == MOTE_KINEMATIC_AVERAGE)
        accuracy_add(report, 6, i, "the same beside 1 - z^4/12", measured, 1 - pow(z, 4) / 12,
                     pow(z, 6) / 180 + rounding);
}

/* One step from rest: the position error of semi-implicit Euler over that of the method. The exact x is
 * cos(sqrt 2 z); the errors are known to 4 roundings of a position of at most 1. */
static void error_of_two(accuracy_report *report, mote_integrator i) {
    const double z = TWO_SPRINGS_Z, exact = cos(sqrt(2) * z), rounding = 4 * FLOAT_ROUNDING;
    bool average = i == MOTE_KINEMATIC_AVERAGE;
    const bench_state rest = {{1, 0, 0}, {0, 0, 0}};
    double by_euler = step_of_two(MOTE_SEMI_IMPLICIT_EULER, rest).x[0] - exact,
           error = step_of_two(i, rest).x[0] - exact;
    double known_euler = -2 * z * z + 1 - exact, known = (average ? 1 - z * sin(z) : 2 * cos(z) - 1) - exact;
    double reference = fabs(known_euler / known);
    accuracy_add(report, 6, i, "two springs, one step: SE's error over its own", fabs(by_euler / error),
                 reference, reference * (rounding / fabs(known_euler) + rounding / fabs(known)) * 1.1);
    /* 12 / z^2 and 360 / z^4 are the limit of small z: the series go on 1 + 4 z^2 / 15 + ... and 1 + 5 z^2 /
     * 21 + ..., with later terms of less than z^4 / 10. */
    double limit = average ? 360 / pow(z, 4) : 12 / (z * z),
           next = (average ? 5.0 / 21 : 4.0 / 15) * z * z + pow(z, 4) / 10;
    accuracy_add(report, 6, i, average ? "the same beside 360 / z^4" : "the same beside 12 / z^2",
                 fabs(by_euler / error), limit, limit * next);
}

void accuracy_kinematic(accuracy_report *report) {
    static const mote_rate rates[] = {{100, 1}, {1, 1}, {1, 100}};
    static const mote_integrator closed[] = {MOTE_KINEMATIC, MOTE_KINEMATIC_AVERAGE, MOTE_EXACT_FLOW};
    for (int k = 0; k < 3; k++)
        for (int rate = 0; rate < 3; rate++) {
            uncoupled(report, closed[k], false, rates[rate]);
            /* With dx = dv dt / 2 a spring alone is no longer exact: at 0.01 s it can be compared. */
            if (closed[k] != MOTE_KINEMATIC_AVERAGE || rate == 0)
                uncoupled(report, closed[k], true, rates[rate]);
        }
    FOR_INTEGRATORS(i) determinant_of_two(report, i);
    error_of_two(report, MOTE_KINEMATIC);
    error_of_two(report, MOTE_KINEMATIC_AVERAGE);
}
