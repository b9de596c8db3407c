/* Experiments with affine forces: constant force, damped spring, undamped oscillator, joint flow. */
#include <math.h>
#include <string.h>

#include "accuracy.h"
#include "engine.h"

/* --- 1 Constant force: F = 10 N on 1 kg from rest, 10 s --- */

static bench_setup constant_force(uint32_t rate) {
    return (bench_setup){.experiment = 1,
                         .mass = 1,
                         .forces = {mote_thrust((vec3){10, 0, 0})},
                         .force_count = 1,
                         .rate = {rate, 1},
                         .steps = 10 * rate,
                         .exact = accuracy_exact_flow};
}

/* The increments of a constant force are the same in step after step, and so may their roundings be. In the
 * worst case each of n sums errs by FLOAT_ROUNDING of the end value in the same sense: n FLOAT_ROUNDING 100
 * in v; n FLOAT_ROUNDING 500 in x, and 10 s of the error of v; a stage method sums up to four times. */
static double worst_rounding(const bench_setup *s, double velocity, double position, double time) {
    double operations = 4.0 * s->steps;
    return operations * FLOAT_ROUNDING * (position + time * velocity);
}

static void constant_force_ends(accuracy_report *report, bench_series_file *file, uint32_t rate) {
    bench_setup s = constant_force(rate);
    double dt = accuracy_timestep(&s), worst = worst_rounding(&s, 100, 500, 10);
    FOR_INTEGRATORS(i) {
        bool early = i == MOTE_EXPLICIT_EULER,
             late = i == MOTE_SEMI_IMPLICIT_EULER || i == MOTE_IMPLICIT_EULER;
        bench_flights f = flights_make(&s, i);
        char name[40];
        double x = 500 + (early ? -50 * dt : late ? 50 * dt : 0);
        snprintf(name, sizeof name, "x(10 s), dt = 1/%u", (unsigned)rate);
        accuracy_judge(report, &f, name, quantity_x, -1, (bench_figure){x, 0}, worst);
        snprintf(name, sizeof name, "v(10 s), dt = 1/%u", (unsigned)rate);
        accuracy_judge(report, &f, name, quantity_v, -1, (bench_figure){100, 0},
                       4.0 * s.steps * FLOAT_ROUNDING * 100);
        series_add(file, &f);
        flights_free(&f);
    }
}

/* Sums of small whole numbers: float32 holds every one of them exactly. */
static void euler_table(accuracy_report *report) {
    static const double x[11] = {0, 0, 10, 30, 60, 100, 150, 210, 280, 360, 450};
    bench_setup s = constant_force(1);
    bench_flights f = flights_make(&s, MOTE_EXPLICIT_EULER);
    for (uint32_t t = 0; t <= 10; t++) {
        char name[40];
        snprintf(name, sizeof name, "x(%u s), dt = 1, exactly", (unsigned)t);
        accuracy_add(report, 1, MOTE_EXPLICIT_EULER, name, quantity_x(&s, &f.engine, t), x[t], 0);
    }
    flights_free(&f);
}

/* Every bit: the figures are those of this arithmetic in float32. */
static void euler_bits(accuracy_report *report) {
    bench_setup s = constant_force(100);
    bench_flights f = flights_make(&s, MOTE_EXPLICIT_EULER);
    const bench_trajectory *t = &f.engine;
    accuracy_add(report, 1, MOTE_EXPLICIT_EULER, "x(9.90 s), dt = 1/100, every bit", quantity_x(&s, t, 990),
                 (double)489.552155f, 0);
    accuracy_add(report, 1, MOTE_EXPLICIT_EULER, "v(9.90 s), dt = 1/100, every bit", quantity_v(&s, t, 990),
                 (double)98.999062f, 0);
    accuracy_add(report, 1, MOTE_EXPLICIT_EULER, "x(10.00 s), dt = 1/100, every bit", quantity_x(&s, t, 1000),
                 (double)499.497070f, 0);
    accuracy_add(report, 1, MOTE_EXPLICIT_EULER, "v(10.00 s), dt = 1/100, every bit", quantity_v(&s, t, 1000),
                 (double)99.999046f, 0);
    flights_free(&f);
}

/* On arrays of one's own, 10 s in steps of 1 s: x(-h) = x0 - h v0 gives semi-implicit Euler; the kick by -h a
 * / 2, which is x(-h) = x0 - h v0 + h^2 a / 2, gives the exact 500. Small whole numbers and halves: no
 * rounding. */
static void stormer_start(accuracy_report *report, bool kick) {
    float column[6] = {0};
    mote_force_def force = mote_thrust((vec3){10, 0, 0});
    mote_columns columns = {.count = 1,
                            .position = {column, column + 1, column + 2},
                            .velocity = {column + 3, column + 4, column + 5},
                            .uniform_mass = 1};
    mote_columns_def def = mote_default_columns_def();
    def.integrator = MOTE_POSITION_VERLET;
    def.forces = &force;
    def.force_count = 1;
    def.timestep = 1;
    def.steps = 10;
    if (kick) engine_check(mote_columns_kick(&columns, &def, -0.5), "mote_columns_kick");
    engine_check(mote_columns_step(&columns, &def, NULL), "mote_columns_step");
    accuracy_add(report, 1, MOTE_POSITION_VERLET,
                 kick ? "x(10 s), dt = 1, from x0 - h v0 + h^2 a/2" : "x(10 s), dt = 1, from x0 - h v0",
                 (double)column[0], kick ? 500 : 550, 0);
}

void accuracy_constant_force(accuracy_report *report) {
    bench_setup s = constant_force(100);
    bench_series_file *file = series_open(report, &s, 1, false);
    euler_table(report);
    euler_bits(report);
    stormer_start(report, false);
    stormer_start(report, true);
    constant_force_ends(report, NULL, 1);
    constant_force_ends(report, file, 100);
    series_close(file);
}

/* --- 2 Damped spring: m = 1, k = 15, b = 0.1, x0 = 1000, 90 s --- */

static bench_setup spring(uint32_t experiment, double damping, double x0, uint32_t rate, double duration) {
    const vec3 anchor = {0, 0, 0};
    return (bench_setup){.experiment = experiment,
                         .mass = 1,
                         .start = {{x0, 0, 0}, {0, 0, 0}},
                         .forces = {mote_anchor_spring(anchor, 15, (float)damping)},
                         .force_count = 1,
                         .rate = {rate, 1},
                         .steps = (uint32_t)(duration * rate),
                         .stiffness = 15,
                         .damping = damping,
                         .exact = accuracy_exact_flow};
}

/* The amplitude of the damped cosine through a state. */
static double envelope(const bench_setup *s, const bench_trajectory *t, double p) {
    double wd = sqrt(s->stiffness - s->damping * s->damping / 4);
    const bench_state *y = &t->samples[(uint32_t)p].state;
    return hypot(y->x[0], (y->v[0] + s->damping * y->x[0] / 2) / wd);
}

static bench_figure largest_spring_error(mote_integrator i) {
    if (i == MOTE_SEMI_IMPLICIT_EULER) return (bench_figure){19.82, 0.005};
    if (i == MOTE_VELOCITY_VERLET) return (bench_figure){1.786, 0.0005};
    if (i == MOTE_RK4) return (bench_figure){5.3e-4, 0.05e-4};
    if (i == MOTE_KINEMATIC || i == MOTE_EXACT_FLOW)
        return (bench_figure){0, 1e-9}; /* the reference's own rounding */
    return NO_FIGURE;
}

/* The figures are those of b = 0.1; 0.1f is 1.5e-9 more, which changes x by less than 1.5e-9 t / 2 of its
 * amplitude of 607 at 10 s and 11 at 90 s. */
static void exact_spring_points(accuracy_report *report, const bench_flights *f) {
    if (f->integrator != MOTE_KINEMATIC && f->integrator != MOTE_EXACT_FLOW) return;
    accuracy_judge(report, f, "x(10 s)", quantity_x, 1000, (bench_figure){320.258821957776, 5e-6}, 0);
    accuracy_judge(report, f, "x(90 s)", quantity_x, 9000, (bench_figure){-10.90948218159387, 1e-6}, 0);
}

void accuracy_damped_spring(accuracy_report *report) {
    static const double grown[4] = {1284.05, 2116.78, 4480.38, 9483.19}, seconds[4] = {10, 30, 60, 90};
    bench_setup s = spring(2, 0.1, 1000, 100, 90), coarse = spring(2, 0.1, 1000, 20, 90);
    bench_series_file *file = series_open(report, &s, 1, false);
    FOR_INTEGRATORS(i) {
        bench_flights f = flights_make(&s, i);
        accuracy_judge(report, &f, "largest |x - exact|, dt = 1/100", quantity_largest_error, 0,
                       largest_spring_error(i), 0);
        exact_spring_points(report, &f);
        for (int k = 0; i == MOTE_EXPLICIT_EULER && k < 4; k++) {
            char name[40];
            snprintf(name, sizeof name, "envelope(%g s), dt = 1/100", seconds[k]);
            accuracy_judge(report, &f, name, envelope, 100 * seconds[k], (bench_figure){grown[k], 0.005}, 0);
        }
        series_add(file, &f);
        flights_free(&f);
        /* At 1/100 s the error of order 4 lies below float32's rounding; five times the step shows it. */
        if (i != MOTE_RK4) continue;
        f = flights_make(&coarse, i);
        accuracy_judge(report, &f, "largest |x - exact|, dt = 1/20", quantity_largest_error, 0, NO_FIGURE, 0);
        flights_free(&f);
    }
    series_close(file);
}

/* --- 3 Undamped oscillator: k = 15, m = 1, x0 = 1, dt = 0.1, 900 steps --- */

/* In the left eigenvector of the method's own matrix for one step, c = m10 x + (lambda - m00) v, a linear
 * method is c -> lambda c exactly: the angle of c is its phase, |c|^2 its energy. The matrix is the
 * reference's. */
typedef struct eigen {
    double m10, real, imaginary; /* lambda - m00 */
} eigen;

static eigen eigen_of(const bench_setup *s, mote_integrator i) {
    bench_state a = {{1, 0, 0}, {0, 0, 0}}, b = {{0, 0, 0}, {1, 0, 0}};
    double h = accuracy_timestep(s);
    bench_state *basis[2] = {&a, &b};
    for (int k = 0; k < 2; k++) {
        reference_start(s, i, 0, h, basis[k], NULL);
        reference_step(s, i, 0, h, basis[k], NULL);
        *basis[k] = reference_reported(s, i, h, h, *basis[k]);
    }
    double trace = a.x[0] + b.v[0], determinant = a.x[0] * b.v[0] - a.v[0] * b.x[0];
    return (eigen){a.v[0], trace / 2 - a.x[0], sqrt(fmax(determinant - trace * trace / 4, 0))};
}

static mote_integrator current; /* the integrator whose matrix the two quantities use */

/* Radians that the motion is ahead of w t at the last sample. */
static double phase_lead(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    eigen e = eigen_of(s, current);
    double total = 0, before = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const bench_state *y = &t->samples[i].state;
        double angle = atan2(e.imaginary * y->v[0], e.m10 * y->x[0] + e.real * y->v[0]);
        if (i) total += remainder(angle - before, 2 * acos(-1));
        before = angle;
    }
    return total - sqrt(s->stiffness) * t->samples[t->count - 1].time;
}

/* |lambda|^2, the mean over all steps. */
static double energy_factor(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    eigen e = eigen_of(s, current);
    double size[2];
    for (int k = 0; k < 2; k++) {
        const bench_state *y = &t->samples[k ? t->count - 1 : 0].state;
        size[k] = log(hypot(e.m10 * y->x[0] + e.real * y->v[0], e.imaginary * y->v[0]));
    }
    return exp(2 * (size[1] - size[0]) / (t->count - 1));
}

typedef struct oscillator_figures {
    bench_figure lead, factor, least, most, end;
} oscillator_figures;

static oscillator_figures oscillator_figures_of(mote_integrator i) {
    const bench_figure none = NO_FIGURE;
    oscillator_figures f = {none, none, none, none, none};
    if (i == MOTE_SEMI_IMPLICIT_EULER)
        f = (oscillator_figures){{2.216158, 5e-7}, {1, 1e-14}, {0.837767, 5e-7}, {1.240155, 5e-7}, none};
    if (i == MOTE_VELOCITY_VERLET)
        f = (oscillator_figures){{2.216158, 5e-7}, {1, 1e-14}, {0.9625, 5e-5}, {1, 1e-12}, none};
    if (i == MOTE_RK4)
        f = (oscillator_figures){{-0.061891, 5e-7}, {0.99995400390625, 1e-14}, none, none, {0.959448, 5e-7}};
    /* Exact: the reference's own rounding is left. */
    if (i == MOTE_KINEMATIC || i == MOTE_EXACT_FLOW)
        f = (oscillator_figures){{0, 1e-9}, {1, 1e-12}, {1, 1e-10}, {1, 1e-10}, {1, 1e-10}};
    if (i == MOTE_MIDPOINT) f.factor = (bench_figure){1.005625, 1e-14};
    if (i == MOTE_EXPLICIT_EULER) f.factor = (bench_figure){1.15, 1e-14};
    return f;
}

/* The figures are the ends of the interval that the energy stays in; the 900 samples come near them. E/E0
 * swings by at most 0.2 (1 - cos 2 phase) about its middle, the samples' phases lie pi / 900 apart in the
 * mean, and three times that at the most: so one is within 1.5 pi / 900 of an end, which makes 0.2 x 2 (1.5
 * pi / 900)^2. */
static const double sampling = 1.1e-5;

void accuracy_oscillator(accuracy_report *report) {
    bench_setup s = spring(3, 0, 1, 10, 90);
    bench_series_file *file = series_open(report, &s, 1, true);
    FOR_INTEGRATORS(i) {
        oscillator_figures given = oscillator_figures_of(i);
        bench_flights f = flights_make(&s, i);
        current = i;
        accuracy_judge(report, &f, "phase lead at 90 s, rad", phase_lead, 0, given.lead, 0);
        accuracy_judge(report, &f, "energy factor of a step", energy_factor, 0, given.factor, 0);
        accuracy_judge(report, &f, "least E / E0", quantity_energy_min, 0, given.least,
                       isnan(given.least.value) ? 0 : sampling);
        accuracy_judge(report, &f, "largest E / E0", quantity_energy_max, 0, given.most,
                       isnan(given.most.value) ? 0 : sampling);
        accuracy_judge(report, &f, "E / E0 at 90 s", quantity_energy, -1, given.end, 0);
        series_add(file, &f);
        flights_free(&f);
    }
    series_close(file);
}

/* --- 8 Joint flow: m = 2, g = -9.81, anchor 3, x0 = 5, v0 = -2 --- */

static bench_setup joint(double stiffness, double drag, mote_rate rate, uint32_t steps) {
    bench_setup s = {.experiment = 8,
                     .mass = 2,
                     .start = {{5, 0, 0}, {-2, 0, 0}},
                     .force_count = 3,
                     .rate = rate,
                     .steps = steps,
                     .exact = accuracy_exact_flow};
    s.forces[0] = mote_gravity((vec3){-9.81f, 0, 0});
    s.forces[1] = mote_wind((vec3){0, 0, 0}, (float)drag);
    s.forces[2] = mote_anchor_spring((vec3){3, 0, 0}, (float)stiffness, 0);
    return s;
}

/* One step of 1/60, 1 and 20 s; the figure's force constants are not floats: -9.81f errs by 2^-24 of itself,
 * which is among the noise of the coefficients. */
static void published_flow(accuracy_report *report) {
    static const struct {
        mote_rate rate;
        double x, v;
    } rows[] = {{{60, 1}, 4.964344791405077, -2.277842948697737},
                {{1, 1}, -1.16463966938596, -5.595283082296746},
                {{1, 20}, 0.5326124515950732, -0.04830620867954968}};
    for (int k = 0; k < 3; k++) {
        bench_setup s = joint(8, 1, rows[k].rate, 1);
        bench_flights f = flights_make(&s, MOTE_EXACT_FLOW);
        /* g itself: the exact x and v are linear in it, with slopes of at most min(t^2 / 2, m / k) and min(t,
         * 1). */
        double t = accuracy_timestep(&s), g = 9.81 * FLOAT_ROUNDING;
        char name[60];
        snprintf(name, sizeof name, "x(%.3g s), one step", t);
        accuracy_judge(report, &f, name, quantity_x, -1, (bench_figure){rows[k].x, 1e-12},
                       g * fmin(t * t, 1));
        snprintf(name, sizeof name, "v(%.3g s), one step", t);
        accuracy_judge(report, &f, name, quantity_v, -1, (bench_figure){rows[k].v, 1e-12}, g * fmin(t, 1));
        flights_free(&f);
    }
}

static void cases_of_flow(accuracy_report *report) {
    static const struct {
        const char *name;
        double k, b;
    } cases[] = {{"critical damping", 8, 8},
                 {"just below critical", 8, 7.999},
                 {"just above critical", 8, 8.001},
                 {"over-damped, b = 80", 8, 80},
                 {"k = 0", 0, 1},
                 {"b = 0", 8, 0},
                 {"k = 0, b = 0", 0, 0},
                 {"k = 8e6", 8e6, 1},
                 {"k = 8e-6", 8e-6, 1}};
    static const mote_rate rates[] = {{60, 1}, {1, 1}, {1, 20}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t r = 0; r < 3; r++) {
            bench_setup s = joint(cases[c].k, cases[c].b, rates[r], 1);
            bench_flights f = flights_make(&s, MOTE_EXACT_FLOW);
            char name[60];
            snprintf(name, sizeof name, "x(%.3g s), one step, %s", accuracy_timestep(&s), cases[c].name);
            accuracy_judge(report, &f, name, quantity_x, -1, NO_FIGURE, 0);
            flights_free(&f);
        }
}

void accuracy_joint_flow(accuracy_report *report) {
    bench_setup s = joint(8, 1, (mote_rate){60, 1}, 60);
    bench_series_file *file = series_open(report, &s, 1, false);
    published_flow(report);
    cases_of_flow(report);
    FOR_INTEGRATORS(i) {
        bench_flights f = flights_make(&s, i);
        accuracy_judge(report, &f, "x(1 s), dt = 1/60", quantity_x, -1, NO_FIGURE, 0);
        accuracy_judge(report, &f, "largest |x - exact| in 1 s, dt = 1/60", quantity_largest_error, 0,
                       NO_FIGURE, 0);
        series_add(file, &f);
        flights_free(&f);
    }
    series_close(file);
}
