/* Orders of accuracy, and momentum. */
#include <math.h>

#include "verify.h"
#include "engine.h"

/* --- Orders: the slope of the global error in double, and the errors of the engine beside it --- */

#define MASS 0.8f /* kg */

/* A motion of 2 s under these forces, as the reference reads them. */
typedef struct order_problem {
    const char *name;
    mote_force_def forces[MAX_SETUP_FORCES];
    uint32_t force_count;
    enum { NO_VELOCITY, AFFINE_IN_VELOCITY, ANY_VELOCITY } reads;
    bool is_spring; /* nothing but one anchor spring */
} order_problem;

/* a = (1 + t) (y, z, x) / 2, whose callback says that it does not read velocity. */
static void swirl(double time, const double x[3], const double v[3], double a[3]) {
    (void)v;
    for (int k = 0; k < 3; k++) a[k] = 0.5 * (1 + time) * x[(k + 1) % 3];
}

/* a = -(1 + t) v / 4 */
static void thickening_air(double time, const double x[3], const double v[3], double a[3]) {
    (void)x;
    for (int k = 0; k < 3; k++) a[k] = -0.25 * (1 + time) * v[k];
}

/* x' = (1 + t) (y, z, x) / 2 + (0, 1, 0) - x */
static void stream(double time, const double x[3], const double v[3], double u[3]) {
    swirl(time, x, v, u);
    for (int k = 0; k < 3; k++) u[k] += (k == 1) - x[k];
}

static mote_force_def callback(verify_field *field, mote_force_unit unit) {
    mote_force_def def = mote_callback(verify_callback, field);
    def.as.callback.unit = unit;
    def.as.callback.reads_velocity = field->evaluate == thickening_air;
    return def;
}

enum { PROBLEMS = 7 };

static void list_problems(order_problem *list) {
    static verify_field swirled = {swirl}, thick = {thickening_air}, streaming = {stream};
    const float origin[3] = {0, 0, 0};
    float ramp[6] = {0, 0, 0, 8, 4, 0};
    const float times[2] = {0, 10};
    const mote_force_unit metres = MOTE_METRES_PER_SECOND_SQUARED;
    const mote_force_def sun = mote_attractor(origin, 1.1f, 0), thrust = mote_timed_thrust(times, ramp, 2);
    const order_problem all[PROBLEMS] = {
        {"undamped spring", {mote_anchor_spring(origin, 12, 0)}, 1, NO_VELOCITY, true},
        {"damped spring", {mote_anchor_spring(origin, 12, 1.6f)}, 1, AFFINE_IN_VELOCITY, true},
        {"orbit", {sun}, 1, NO_VELOCITY, false},
        {"orbit in air", {sun, mote_wind((float[3]){0, 0, 0.5f}, 0.25f)}, 2, AFFINE_IN_VELOCITY, false},
        {"F(x, t)",
         {mote_anchor_spring(origin, 4, 0), thrust, callback(&swirled, metres)},
         3,
         NO_VELOCITY,
         false},
        {"drag of v^2 and F(v, t)",
         {mote_anchor_spring(origin, 4, 0), mote_quadratic_drag(origin, 0.5f), thrust,
          callback(&thick, metres)},
         4,
         ANY_VELOCITY,
         false},
        {"velocity field", {callback(&streaming, MOTE_METRES_PER_SECOND)}, 1, NO_VELOCITY, false}};
    for (int k = 0; k < PROBLEMS; k++) list[k] = all[k];
}

/* 0: exact, no slope. One spring alone is exact for kinematic and exact flow, and exact in dv for the
 * average; exact flow has the order of its kicks where a force that reads velocity is not affine. */
static uint32_t expected_order(mote_integrator i, const order_problem *problem) {
    const mote_integrator_info *info = mote_integrator_describe(i);
    if (problem->is_spring && (i == MOTE_KINEMATIC || i == MOTE_EXACT_FLOW)) return 0;
    if (problem->is_spring && i == MOTE_KINEMATIC_AVERAGE) return 2;
    if (i == MOTE_EXACT_FLOW && problem->reads == ANY_VELOCITY) return 1;
    return problem->reads ? info->order_damped : info->order;
}

static bench_setup setup_of(const order_problem *problem, uint32_t steps) {
    bench_setup s = {.mass = (double)MASS,
                     .start = {{1, 0, 0.25}, {0, 1, 0.25}},
                     .force_count = problem->force_count,
                     .rate = {steps, 2},
                     .steps = steps};
    for (uint32_t i = 0; i < s.force_count; i++) s.forces[i] = problem->forces[i];
    return s;
}

static bench_state truth;  /* at 2 s, of the problem at hand */
static bool with_velocity; /* whether particles of it have momentum */

/* RK4 in double, whose error in so many steps is its rounding. */
static void find_truth(const order_problem *problem, mote_integrator rk4) {
    bench_setup s = setup_of(problem, 1u << 15);
    const double h = verify_timestep(&s);
    truth = s.start;
    with_velocity = rk4 == MOTE_RK4;
    for (uint32_t i = 0; i < s.steps; i++) reference_step(&s, rk4, i * h, h, &truth, NULL);
}

static double end_error(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)s, (void)p;
    const bench_state *end = &t->samples[t->count - 1].state;
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double dx = end->x[axis] - truth.x[axis], dv = end->v[axis] - truth.v[axis];
        sum += dx * dx + (with_velocity ? dv * dv : 0);
    }
    return sqrt(sum);
}

static double reference_error(const order_problem *problem, mote_integrator i, uint32_t steps) {
    bench_setup s = setup_of(problem, steps);
    bench_trajectory flight = reference_flight(&s, i, NULL);
    const double error = end_error(&s, &flight, 0);
    trajectory_free(&flight);
    return error;
}

/* The slope of the reference between so few steps that the next term of the error no longer disturbs it, and
 * half as many; and the errors of the engine beside the reference's at 8 steps, where float32 shows those of
 * every order, and at the finer of the two. */
static void slope(verify_report *report, const order_problem *problem, mote_integrator i, uint32_t order) {
    uint32_t steps = 8;
    double slope = NAN;
    for (; steps <= 4096 && !(fabs(slope - order) <= 0.1); steps *= 2)
        slope = log2(reference_error(problem, i, steps) / reference_error(problem, i, 2 * steps));
    verify_add(report, integrator_name(i), slope, order, 0.1, "order in double, %s", problem->name);
    for (uint32_t n = 8; n <= steps; n *= steps / 8) {
        bench_setup s = setup_of(problem, n);
        bench_flights f = flights_make(&s, i);
        verify_judge(report, &f, end_error, 0, NO_FIGURE, 0, "error, %s, %u steps", problem->name,
                     (unsigned)n);
        flights_free(&f);
    }
}

static void exactness(verify_report *report, const order_problem *problem, mote_integrator i) {
    bench_setup s = setup_of(problem, 20);
    bench_flights f = flights_make(&s, i);
    verify_judge(report, &f, end_error, 0, ((bench_figure){0, 1e-10}), 0, "error (exact), %s, 20 steps",
                 problem->name);
    flights_free(&f);
}

/* The orders of the descriptors, which the slopes are compared with: as published. */
static void described(verify_report *report) {
    static const uint32_t orders[MOTE_INTEGRATOR_COUNT][2] = {[MOTE_SEMI_IMPLICIT_EULER] = {1, 1},
                                                              [MOTE_EXPLICIT_EULER] = {1, 1},
                                                              [MOTE_MIDPOINT] = {2, 2},
                                                              [MOTE_RK4] = {4, 4},
                                                              [MOTE_VELOCITY_VERLET] = {2, 2},
                                                              [MOTE_POSITION_VERLET] = {2, 1},
                                                              [MOTE_YOSHIDA4] = {4, 1},
                                                              [MOTE_PEFRL] = {4, 1},
                                                              [MOTE_IMPLICIT_EULER] = {1, 1},
                                                              [MOTE_KINEMATIC] = {1, 1},
                                                              [MOTE_KINEMATIC_AVERAGE] = {1, 1},
                                                              [MOTE_EXACT_FLOW] = {2, 2},
                                                              [MOTE_ADVECT_EULER] = {1, 1},
                                                              [MOTE_ADVECT_MIDPOINT] = {2, 2},
                                                              [MOTE_ADVECT_RK4] = {4, 4}};
    for (mote_integrator i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        const mote_integrator_info *info = mote_integrator_describe(i);
        verify_add(report, info->name, info->order, orders[i][0], 0, "order, as described");
        verify_add(report, info->name, info->order_damped, orders[i][1], 0,
                   "order with forces that read v, as described");
    }
}

void verify_orders(verify_report *report) {
    order_problem problems[PROBLEMS];
    list_problems(problems);
    described(report);
    for (int k = 0; k < PROBLEMS; k++) {
        const bool is_field = k == PROBLEMS - 1;
        find_truth(&problems[k], is_field ? MOTE_ADVECT_RK4 : MOTE_RK4);
        for (mote_integrator i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
            if (advects(i) != is_field) continue;
            const uint32_t order = expected_order(i, &problems[k]);
            if (order)
                slope(report, &problems[k], i, order);
            else
                exactness(report, &problems[k], i);
        }
    }
}

/* --- Momentum --- */

/* q = m x has q' = p: the unit mass at q with the same forces, as functions of q / m and p / m, integrates
 * momentum. Multiplying by m = 4 is exact in binary, so the two agree in every bit. */
static bench_setup momentum_form(double m) {
    const float k = (float)(15 / m), b = (float)(0.5 / m), a = (float)m;
    bench_setup s = {.mass = 4 / m, .force_count = 3, .rate = {60, 1}, .steps = 300};
    for (int axis = 0; axis < 3; axis++) {
        s.start.x[axis] = m * (axis + 0.3f);
        s.start.v[axis] = m * (1.7f - axis);
    }
    s.forces[0] = mote_anchor_spring((float[3]){0.3f * a, -0.1f * a, 0.7f * a}, k, b);
    s.forces[1] = mote_thrust((float[3]){1.1f, -2.3f, 3.7f});
    s.forces[2] = mote_quadratic_drag((float[3]){0.9f * a, 0, 0.2f * a}, (float)(0.05 / (m * m)));
    return s;
}

static void same_bits(verify_report *report, mote_integrator i) {
    bench_setup velocity = momentum_form(1), momentum = momentum_form(4);
    mote_system *v = verify_system(&velocity, i), *p = verify_system(&momentum, i);
    double largest = 0;
    for (uint32_t step = 0; step < velocity.steps; step++) {
        engine_check(mote_system_step(v, 1, NULL), "mote_system_step");
        engine_check(mote_system_step(p, 1, NULL), "mote_system_step");
        bench_state by_velocity = verify_state(v), by_momentum = verify_state(p);
        for (int axis = 0; axis < 3; axis++) {
            double dx = fabs(by_momentum.x[axis] / 4 - by_velocity.x[axis]);
            double dv = fabs(by_momentum.v[axis] / 4 - by_velocity.v[axis]);
            largest = larger_or_nan(larger_or_nan(largest, dx), dv);
        }
    }
    mote_system_destroy(v);
    mote_system_destroy(p);
    verify_add(report, integrator_name(i), largest, 0, 0, "momentum form, m = 4: largest difference");
}

/* The column holds 1 / m and v, each rounded once before and once after: 4 roundings of the momentum;
 * position Verlet reports v + h a / 2, two more. */
static void kept_momentum(verify_report *report, mote_integrator i) {
    bench_setup s = {.mass = 2, .mass_column = true, .force_count = 1, .rate = {60, 1}};
    mote_statistics before, after;
    s.forces[0] = mote_anchor_spring((float[3]){1, 2, 3}, 15, 0);
    mote_system *system = verify_system(&s, i);
    engine_check(mote_system_step(system, 10, NULL), "mote_system_step");
    engine_check(mote_system_statistics(system, &before), "mote_system_statistics");
    engine_check(mote_system_set_inverse_mass(system, 0, 1.0f / 6.0f), "mote_system_set_inverse_mass");
    engine_check(mote_system_statistics(system, &after), "mote_system_statistics");
    mote_system_destroy(system);
    verify_add(report, integrator_name(i), after.momentum[2], before.momentum[2],
               6 * FLOAT_ROUNDING * fabs(before.momentum[2]), "m from 2 to 6 kg: momentum along z");
}

void verify_momentum(verify_report *report) {
    FOR_INTEGRATORS(i) {
        same_bits(report, i);
        kept_momentum(report, i);
    }
}
