/* Experiments 12 and 13: orders of accuracy, and momentum. */
#include <math.h>
#include <string.h>

#include "accuracy.h"
#include "engine.h"

/* --- 12 Orders: slope of the global error over halved steps ---
 */

typedef enum order_problem { UNDAMPED, DAMPED, ORBIT, VELOCITY_AND_TIME, PROBLEMS } order_problem;

static const char *const problem_name[PROBLEMS] = {"undamped spring", "damped spring", "orbit",
                                                   "drag of v^2 and F(t)"};

/* Expected; 0: exact, no slope. */
static const int expected_order[MOTE_INTEGRATOR_COUNT][PROBLEMS] = {
    [MOTE_SEMI_IMPLICIT_EULER] = {1, 1, 1, 1},
    [MOTE_EXPLICIT_EULER] = {1, 1, 1, 1},
    [MOTE_MIDPOINT] = {2, 2, 2, 2},
    [MOTE_RK4] = {4, 4, 4, 4},
    [MOTE_VELOCITY_VERLET] = {2, 2, 2, 2},
    [MOTE_POSITION_VERLET] = {2, 1, 2, 1},
    [MOTE_YOSHIDA4] = {4, 1, 4, 1},
    [MOTE_PEFRL] = {4, 1, 4, 1},
    [MOTE_IMPLICIT_EULER] = {1, 1, 1, 1},
    [MOTE_KINEMATIC] = {0, 0, 1, 1},
    [MOTE_KINEMATIC_AVERAGE] = {2, 2, 1, 1},
    [MOTE_EXACT_FLOW] = {0, 0, 2, 1},
};

/* All last 2 s. */
static bench_setup problem(order_problem which, uint32_t steps) {
    const vec3 origin = {0, 0, 0};
    vec3 thrust[2] = {{0, 0, 0}, {8, 4, 0}};
    const float times[2] = {0, 10};
    bench_setup s = {
        .experiment = 12, .mass = 1, .start = {{1, 0, 0}, {0, 1, 0}}, .rate = {steps, 2}, .steps = steps};
    if (which == UNDAMPED) s.forces[s.force_count++] = mote_anchor_spring(origin, 15, 0);
    if (which == DAMPED) s.forces[s.force_count++] = mote_anchor_spring(origin, 15, 2);
    if (which == ORBIT) s.forces[s.force_count++] = mote_attractor(origin, 1.5f, 0);
    if (which == VELOCITY_AND_TIME) {
        s.forces[s.force_count++] = mote_anchor_spring(origin, 4, 0);
        s.forces[s.force_count++] = mote_quadratic_drag(origin, 0.5f);
        s.forces[s.force_count++] = mote_timed_thrust(times, thrust, 2);
    }
    return s;
}

static bench_state truth; /* at 2 s, of the problem at hand */

/* RK4 in double, whose error in so many steps is its rounding. */
static void find_truth(order_problem which) {
    bench_setup s = problem(which, 1u << 16);
    double h = accuracy_timestep(&s);
    truth = s.start;
    for (uint32_t i = 0; i < s.steps; i++) reference_step(&s, MOTE_RK4, i * h, h, &truth, NULL);
}

static double end_error(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)s, (void)p;
    const bench_state *end = &t->samples[t->count - 1].state;
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double dx = end->x[axis] - truth.x[axis], dv = end->v[axis] - truth.v[axis];
        sum += dx * dx + dv * dv;
    }
    return sqrt(sum);
}

/* Order 4 leaves little room between the first terms beyond it and rounding. */
static uint32_t steps_for(mote_integrator i, order_problem which) {
    static const uint32_t fourth[PROBLEMS] = {40, 20, 32, 20};
    int order = expected_order[i][which];
    if (order == 4) return i == MOTE_PEFRL ? 16 : i == MOTE_RK4 && which == ORBIT ? 20 : fourth[which];
    return order == 1 ? 256 : 64;
}

/* A slope belongs to order p if it is nearer to p than to its neighbours, and half of that is left for the
 * next term of the error and for rounding: a quarter. The steps are so many that the reference's own slopes
 * keep to 0.15 (which is judged, too), and so few that the error at the finer step stands out from the
 * rounding. */
static void slope(accuracy_report *report, mote_integrator i, order_problem which) {
    int order = expected_order[i][which];
    uint32_t steps = steps_for(i, which);
    double by_engine[2], by_reference[2];
    char name[60];
    for (int k = 0; k < 2; k++) {
        bench_setup s = problem(which, steps << k);
        bench_flights f = flights_make(&s, i);
        by_engine[k] = end_error(&s, &f.engine, 0);
        by_reference[k] = end_error(&s, &f.exact, 0);
        flights_free(&f);
    }
    snprintf(name, sizeof name, "slope, %s, %u and %u steps", problem_name[which], (unsigned)steps,
             2 * (unsigned)steps);
    accuracy_add(report, 12, i, name, log2(by_engine[0] / by_engine[1]), order, 0.25);
    double in_double = log2(by_reference[0] / by_reference[1]);
    if (!(fabs(in_double - order) <= 0.15))
        accuracy_add(report, 12, i, "the same in double", in_double, order, 0.15);
}

static void exactness(accuracy_report *report, mote_integrator i, order_problem which) {
    bench_setup s = problem(which, 20);
    bench_flights f = flights_make(&s, i);
    char name[60];
    snprintf(name, sizeof name, "error (exact), %s, 20 steps", problem_name[which]);
    accuracy_judge(report, &f, name, end_error, 0, (bench_figure){0, 1e-10}, 0);
    flights_free(&f);
}

/* What the descriptors say. */
static void described(accuracy_report *report, mote_integrator i) {
    const mote_integrator_info *info = mote_integrator_describe(i);
    int order = expected_order[i][UNDAMPED], damped = expected_order[i][VELOCITY_AND_TIME];
    if (i == MOTE_KINEMATIC || i == MOTE_KINEMATIC_AVERAGE) order = 1; /* with several forces */
    if (i == MOTE_EXACT_FLOW) order = damped = 2; /* with others beside; damped: affine ones */
    accuracy_add(report, 12, i, "order, as described", info->order, order, 0);
    accuracy_add(report, 12, i, "order with forces that read v, as described", info->order_damped, damped, 0);
}

void accuracy_orders(accuracy_report *report) {
    for (order_problem which = 0; which < PROBLEMS; which++) {
        find_truth(which);
        FOR_INTEGRATORS(i) { (expected_order[i][which] ? slope : exactness)(report, i, which); }
    }
    FOR_INTEGRATORS(i) described(report, i);
}

/* --- 13 Momentum ---
 */

/* q = m x has q' = p: the unit mass at q with the same forces, as functions of q / m and p / m, integrates
 * momentum. Multiplying by m = 4 is exact in binary, so the two agree in every bit. */
static bench_setup momentum_form(double m) {
    const float k = (float)(15 / m), b = (float)(0.5 / m), a = (float)m;
    bench_setup s = {.experiment = 13, .mass = 4 / m, .force_count = 3, .rate = {60, 1}, .steps = 300};
    for (int axis = 0; axis < 3; axis++) {
        s.start.x[axis] = m * (axis + 0.3f);
        s.start.v[axis] = m * (1.7f - axis);
    }
    s.forces[0] = mote_anchor_spring((vec3){0.3f * a, -0.1f * a, 0.7f * a}, k, b);
    s.forces[1] = mote_thrust((vec3){1.1f, -2.3f, 3.7f});
    s.forces[2] = mote_quadratic_drag((vec3){0.9f * a, 0, 0.2f * a}, (float)(0.05 / (m * m)));
    return s;
}

static void same_bits(accuracy_report *report, mote_integrator i) {
    bench_setup velocity = momentum_form(1), momentum = momentum_form(4);
    mote_system *v = accuracy_system(&velocity, i), *p = accuracy_system(&momentum, i);
    double largest = 0;
    for (uint32_t step = 0; step < velocity.steps; step++) {
        engine_check(mote_system_step(v, 1, NULL), "mote_system_step");
        engine_check(mote_system_step(p, 1, NULL), "mote_system_step");
        bench_state by_velocity = accuracy_state(v), by_momentum = accuracy_state(p);
        for (int axis = 0; axis < 3; axis++) {
            double dx = fabs(by_momentum.x[axis] / 4 - by_velocity.x[axis]);
            double dv = fabs(by_momentum.v[axis] / 4 - by_velocity.v[axis]);
            if (!(fmax(dx, dv) <= largest)) largest = fmax(dx, dv);
        }
    }
    mote_system_destroy(v);
    mote_system_destroy(p);
    accuracy_add(report, 13, i, "momentum form, m = 4: largest difference", largest, 0, 0);
}

/* The column holds 1 / m and v, each rounded once before and once after: 4 roundings of the momentum;
 * position Verlet reports v + h a / 2, two more. */
static void kept_momentum(accuracy_report *report, mote_integrator i) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_range_view view;
    mote_force_id id;
    mote_statistics before, after;
    mote_force_def force = mote_anchor_spring((vec3){1, 2, 3}, 15, 0);
    def.capacity = 1;
    def.integrator = i;
    def.mass_column = true;
    def.uniform_mass = 2;
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    engine_check(mote_system_add_force(system, &force, &id), "mote_system_add_force");
    engine_check(mote_system_spawn(system, 1, &view), "mote_system_spawn");
    engine_check(mote_system_step(system, 10, NULL), "mote_system_step");
    engine_check(mote_system_statistics(system, &before), "mote_system_statistics");
    engine_check(mote_system_set_inverse_mass(system, 0, 1.0f / 6.0f), "mote_system_set_inverse_mass");
    engine_check(mote_system_statistics(system, &after), "mote_system_statistics");
    mote_system_destroy(system);
    accuracy_add(report, 13, i, "m from 2 to 6 kg: momentum along z", after.momentum[2], before.momentum[2],
                 6 * FLOAT_ROUNDING * fabs(before.momentum[2]));
}

void accuracy_momentum(accuracy_report *report) {
    FOR_INTEGRATORS(i) {
        same_bits(report, i);
        kept_momentum(report, i);
    }
}
