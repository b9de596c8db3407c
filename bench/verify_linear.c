/* Experiments with affine forces: constant force, damped spring, undamped oscillator, joint flow. */
#include <math.h>

#include "verify.h"
#include "engine.h"

/* --- Constant force: F = 10 N on 1 kg from rest, 10 s --- */

static bench_setup constant_force(uint32_t rate) {
    return (bench_setup){.mass = 1,
                         .forces = {mote_thrust((float[3]){10, 0, 0})},
                         .force_count = 1,
                         .rate = {rate, 1},
                         .steps = 10 * rate,
                         .exact = verify_exact_flow};
}

/* The increments of a constant force are the same in every step, and so may their roundings be. In the worst
 * case all of them have the same sign: an evaluation rounds v <= 100 m/s once and x <= 550 m once, a drift
 * before the first one rounds x once more, and x adds the errors of v over 10 s. */
static void constant_force_ends(verify_report *report, uint32_t rate) {
    bench_setup s = constant_force(rate);
    const double dt = verify_timestep(&s);
    FOR_INTEGRATORS(i) {
        const bool early = i == MOTE_EXPLICIT_EULER,
                   late = i == MOTE_SEMI_IMPLICIT_EULER || i == MOTE_IMPLICIT_EULER;
        const uint32_t evaluations = mote_integrator_describe(i)->evaluations;
        const double worst_v = s.steps * evaluations * FLOAT_ROUNDING * 100;
        const double worst_x = 10 * worst_v + s.steps * (evaluations + 1) * FLOAT_ROUNDING * 550;
        const double x = 500 + (early ? -50 * dt : late ? 50 * dt : 0);
        bench_flights f = flights_make(&s, i);
        verify_judge(report, &f, quantity_x, -1, ((bench_figure){x, 0}), worst_x, "x(10 s), dt = 1/%u",
                     (unsigned)rate);
        verify_judge(report, &f, quantity_v, -1, ((bench_figure){100, 0}), worst_v, "v(10 s), dt = 1/%u",
                     (unsigned)rate);
        flights_free(&f);
    }
}

/* float32 holds every sum of small whole numbers exactly. At 1/100 s the figures are those of this arithmetic
 * in float32, with every bit. */
static void euler_tables(verify_report *report) {
    static const double x[11] = {0, 0, 10, 30, 60, 100, 150, 210, 280, 360, 450};
    static const struct {
        uint32_t sample;
        float x, v;
    } bits[] = {{990, 489.552155f, 98.999062f}, {1000, 499.497070f, 99.999046f}};
    const char *name = integrator_name(MOTE_EXPLICIT_EULER);
    bench_setup s = constant_force(1), fine = constant_force(100);
    bench_flights f = flights_make(&s, MOTE_EXPLICIT_EULER);
    for (uint32_t t = 0; t <= 10; t++)
        verify_add(report, name, quantity_x(&s, &f.engine, t), x[t], 0, "x(%u s), dt = 1, exactly",
                   (unsigned)t);
    flights_free(&f);
    f = flights_make(&fine, MOTE_EXPLICIT_EULER);
    for (int k = 0; k < 2; k++) {
        const double t = bits[k].sample / 100.0, p = bits[k].sample;
        verify_add(report, name, quantity_x(&fine, &f.engine, p), (double)bits[k].x, 0,
                   "x(%.2f s), dt = 1/100, every bit", t);
        verify_add(report, name, quantity_v(&fine, &f.engine, p), (double)bits[k].v, 0,
                   "v(%.2f s), dt = 1/100, every bit", t);
    }
    flights_free(&f);
}

/* On arrays of the caller, 10 s in steps of 1 s: x(-h) = x0 - h v0 gives semi-implicit Euler; the kick by -h
 * a / 2, which is x(-h) = x0 - h v0 + h^2 a / 2, gives the exact 500. Small whole numbers and halves are not
 * rounded. */
static void stormer_start(verify_report *report, bool kick) {
    float column[6] = {0};
    mote_force_def force = mote_thrust((float[3]){10, 0, 0});
    mote_columns columns = {.count = 1,
                            .position = {column, column + 1, column + 2},
                            .velocity = {column + 3, column + 4, column + 5},
                            .mass = 1};
    mote_columns_def def = mote_default_columns_def();
    def.integrator = MOTE_POSITION_VERLET;
    def.forces = &force;
    def.force_count = 1;
    def.timestep = 1;
    def.steps = 10;
    if (kick) engine_check(mote_columns_kick(&columns, &def, -0.5), "mote_columns_kick");
    engine_check(mote_columns_step(&columns, &def, NULL), "mote_columns_step");
    verify_add(report, integrator_name(MOTE_POSITION_VERLET), (double)column[0], kick ? 500 : 550, 0,
               "x(10 s), dt = 1, from x0 - h v0%s", kick ? " + h^2 a/2" : "");
}

void verify_constant_force(verify_report *report) {
    euler_tables(report);
    stormer_start(report, false);
    stormer_start(report, true);
    constant_force_ends(report, 1);
    constant_force_ends(report, 100);
}

/* --- Damped spring: m = 1, k = 15, b = 0.1, x0 = 1000, 90 s --- */

static bench_setup spring(double damping, double x0, uint32_t rate, double duration) {
    return (bench_setup){.mass = 1,
                         .start = {{x0, 0, 0}, {0, 0, 0}},
                         .forces = {mote_anchor_spring((float[3]){0, 0, 0}, 15, (float)damping)},
                         .force_count = 1,
                         .rate = {rate, 1},
                         .steps = (uint32_t)(duration * rate),
                         .stiffness = 15,
                         .damping = damping,
                         .exact = verify_exact_flow};
}

/* The amplitude of the damped cosine through a state. */
static double envelope(const bench_setup *s, const bench_trajectory *t, double p) {
    double wd = sqrt(s->stiffness - s->damping * s->damping / 4);
    const bench_state *y = &t->samples[(uint32_t)p].state;
    return hypot(y->x[0], (y->v[0] + s->damping * y->x[0] / 2) / wd);
}

/* Published; the exact methods leave the reference's own rounding. */
static bench_figure largest_spring_error(mote_integrator i) {
    if (i == MOTE_SEMI_IMPLICIT_EULER) return (bench_figure){19.82, 0.005};
    if (i == MOTE_VELOCITY_VERLET) return (bench_figure){1.786, 0.0005};
    if (i == MOTE_RK4) return (bench_figure){5.3e-4, 0.05e-4};
    if (i == MOTE_KINEMATIC || i == MOTE_EXACT_FLOW) return (bench_figure){0, 1e-9};
    return NO_FIGURE;
}

/* The figures are those of b = 0.1; 0.1f is 1.5e-9 more, which changes x by less than 1.5e-9 t / 2 of its
 * amplitude of 607 at 10 s and 11 at 90 s. */
static void exact_spring_points(verify_report *report, const bench_flights *f) {
    if (f->integrator != MOTE_KINEMATIC && f->integrator != MOTE_EXACT_FLOW) return;
    verify_judge(report, f, quantity_x, 1000, ((bench_figure){320.258821957776, 5e-6}), 0, "x(10 s)");
    verify_judge(report, f, quantity_x, 9000, ((bench_figure){-10.90948218159387, 1e-6}), 0, "x(90 s)");
}

void verify_damped_spring(verify_report *report) {
    static const double grown[4] = {1284.05, 2116.78, 4480.38, 9483.19}, seconds[4] = {10, 30, 60, 90};
    bench_setup s = spring(0.1, 1000, 100, 90), coarse = spring(0.1, 1000, 20, 90);
    FOR_INTEGRATORS(i) {
        bench_flights f = flights_make(&s, i);
        verify_judge(report, &f, quantity_largest_error, 0, largest_spring_error(i), 0,
                     "largest |x - exact|, dt = 1/100");
        exact_spring_points(report, &f);
        for (int k = 0; i == MOTE_EXPLICIT_EULER && k < 4; k++)
            verify_judge(report, &f, envelope, 100 * seconds[k], ((bench_figure){grown[k], 0.005}), 0,
                         "envelope(%g s), dt = 1/100", seconds[k]);
        flights_free(&f);
        /* At 1/100 s the error of order 4 is smaller than the rounding of float32; at 1/20 s it is not. */
        if (i != MOTE_RK4) continue;
        f = flights_make(&coarse, i);
        verify_judge(report, &f, quantity_largest_error, 0, NO_FIGURE, 0, "largest |x - exact|, dt = 1/20");
        flights_free(&f);
    }
}

/* --- Undamped oscillator: k = 15, m = 1, x0 = 1, dt = 0.1, 900 steps --- */

/* In the left eigenvector of the method's own matrix for one step, c = vx x + (lambda - xx) v, a linear
 * method is c -> lambda c exactly: the angle of c is its phase, |c|^2 its energy. The matrix is the
 * reference's. */
typedef struct eigen {
    double vx, real, imaginary; /* lambda - xx */
} eigen;

static mote_integrator current; /* the integrator whose matrix the two quantities use */

static eigen current_eigen(const bench_setup *s) {
    const step_matrix m = reference_matrix(s, current, verify_timestep(s), false);
    const double trace = m.xx + m.vv;
    return (eigen){m.vx, trace / 2 - m.xx, sqrt(fmax(matrix_determinant(&m) - trace * trace / 4, 0))};
}

/* Radians that the motion is ahead of w t at the last sample. */
static double phase_lead(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    const eigen e = current_eigen(s);
    double total = 0, before = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const bench_state *y = &t->samples[i].state;
        double angle = atan2(e.imaginary * y->v[0], e.vx * y->x[0] + e.real * y->v[0]);
        if (i) total += remainder(angle - before, 2 * acos(-1));
        before = angle;
    }
    return total - sqrt(s->stiffness) * t->samples[t->count - 1].time;
}

/* |lambda|^2, the mean over all steps. */
static double energy_factor(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    const eigen e = current_eigen(s);
    double size[2];
    for (int k = 0; k < 2; k++) {
        const bench_state *y = &t->samples[k ? t->count - 1 : 0].state;
        size[k] = log(hypot(e.vx * y->x[0] + e.real * y->v[0], e.imaginary * y->v[0]));
    }
    return exp(2 * (size[1] - size[0]) / (t->count - 1));
}

/* Published: the lead, |lambda|^2, the interval of E / E0, and E / E0 at the end. Position Verlet turns as
 * velocity Verlet does. Exact methods leave the reference's own rounding. */
typedef struct oscillator_row {
    mote_integrator integrator;
    bench_figure lead, factor, least, most, end;
} oscillator_row;

static const oscillator_row oscillator_rows[] = {
    {MOTE_SEMI_IMPLICIT_EULER, {2.216158, 5e-7}, {1, 1e-14}, {0.837767, 5e-7}, {1.240155, 5e-7}, NONE},
    {MOTE_VELOCITY_VERLET, {2.216158, 5e-7}, {1, 1e-14}, {0.9625, 5e-5}, {1, 1e-12}, NONE},
    {MOTE_POSITION_VERLET, {2.216158, 5e-7}, {1, 1e-14}, NONE, NONE, NONE},
    {MOTE_YOSHIDA4, {-0.532301769, 5e-10}, {1, 1e-14}, NONE, NONE, NONE},
    {MOTE_PEFRL, {-0.000473805, 5e-10}, {1, 1e-14}, NONE, NONE, NONE},
    {MOTE_RK4, {-0.061891, 5e-7}, {0.99995400390625, 1e-14}, NONE, NONE, {0.959448, 5e-7}},
    {MOTE_MIDPOINT, NONE, {1.005625, 1e-14}, NONE, NONE, NONE},
    {MOTE_EXPLICIT_EULER, NONE, {1.15, 1e-14}, NONE, NONE, NONE},
    {MOTE_IMPLICIT_EULER, NONE, {1 / 1.15, 1e-14}, NONE, NONE, NONE},
    {MOTE_KINEMATIC, {0, 1e-9}, {1, 1e-12}, {1, 1e-10}, {1, 1e-10}, {1, 1e-10}},
    {MOTE_EXACT_FLOW, {0, 1e-9}, {1, 1e-12}, {1, 1e-10}, {1, 1e-10}, {1, 1e-10}},
};

static oscillator_row oscillator_row_of(mote_integrator i) {
    for (size_t k = 0; k < sizeof oscillator_rows / sizeof *oscillator_rows; k++)
        if (oscillator_rows[k].integrator == i) return oscillator_rows[k];
    return (oscillator_row){i, NONE, NONE, NONE, NONE, NONE};
}

/* The figures are the ends of the interval of the energy; the 900 samples come near them. E/E0 swings by at
 * most 0.2 (1 - cos 2 phase) about its middle, and the phases of the samples are pi / 900 apart in the mean
 * and three times that at the most: so one is within 1.5 pi / 900 of an end, which makes 0.2 x 2 (1.5 pi /
 * 900)^2. */
static const double sampling = 1.1e-5;

void verify_oscillator(verify_report *report) {
    bench_setup s = spring(0, 1, 10, 90);
    FOR_INTEGRATORS(i) {
        const oscillator_row given = oscillator_row_of(i);
        bench_flights f = flights_make(&s, i);
        current = i;
        verify_judge(report, &f, phase_lead, 0, given.lead, 0, "phase lead at 90 s, rad");
        verify_judge(report, &f, energy_factor, 0, given.factor, 0, "energy factor of a step");
        verify_judge(report, &f, quantity_energy_min, 0, given.least, isnan(given.least.value) ? 0 : sampling,
                     "least E / E0");
        verify_judge(report, &f, quantity_energy_max, 0, given.most, isnan(given.most.value) ? 0 : sampling,
                     "largest E / E0");
        verify_judge(report, &f, quantity_energy, -1, given.end, 0, "E / E0 at 90 s");
        flights_free(&f);
    }
}

/* --- Joint flow: m = 2, g = -9.81, anchor 3, x0 = 5, v0 = -2 --- */

static bench_setup joint(double stiffness, double drag, mote_rate rate, uint32_t steps) {
    bench_setup s = {.mass = 2,
                     .start = {{5, 0, 0}, {-2, 0, 0}},
                     .force_count = 3,
                     .rate = rate,
                     .steps = steps,
                     .exact = verify_exact_flow};
    s.forces[0] = mote_gravity((float[3]){-9.81f, 0, 0});
    s.forces[1] = mote_wind((float[3]){0, 0, 0}, (float)drag);
    s.forces[2] = mote_anchor_spring((float[3]){3, 0, 0}, (float)stiffness, 0);
    return s;
}

/* One step of 1/60, 1 and 20 s. The force constants of the figures are not floats: -9.81f errs by 2^-24 of
 * itself, which is among the noise of the coefficients; the exact x and v are linear in g, with slopes of at
 * most min(t^2 / 2, m / k) and min(t, 1). */
static void published_flow(verify_report *report) {
    static const struct {
        mote_rate rate;
        double x, v;
    } rows[] = {{{60, 1}, 4.964344791405077, -2.277842948697737},
                {{1, 1}, -1.16463966938596, -5.595283082296746},
                {{1, 20}, 0.5326124515950732, -0.04830620867954968}};
    for (int k = 0; k < 3; k++) {
        bench_setup s = joint(8, 1, rows[k].rate, 1);
        bench_flights f = flights_make(&s, MOTE_EXACT_FLOW);
        const double t = verify_timestep(&s), g = 9.81 * FLOAT_ROUNDING;
        verify_judge(report, &f, quantity_x, -1, ((bench_figure){rows[k].x, 1e-12}), g * fmin(t * t, 1),
                     "x(%.3g s), one step", t);
        verify_judge(report, &f, quantity_v, -1, ((bench_figure){rows[k].v, 1e-12}), g * fmin(t, 1),
                     "v(%.3g s), one step", t);
        flights_free(&f);
    }
}

static void cases_of_flow(verify_report *report) {
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
            verify_judge(report, &f, quantity_x, -1, NO_FIGURE, 0, "x(%.3g s), one step, %s",
                         verify_timestep(&s), cases[c].name);
            flights_free(&f);
        }
}

/* With a mass column of 2 kg too, whose kernels fold no masses into the forces. */
void verify_joint_flow(verify_report *report) {
    bench_setup s = joint(8, 1, (mote_rate){60, 1}, 60);
    published_flow(report);
    cases_of_flow(report);
    FOR_INTEGRATORS(i) for (int column = 0; column < 2; column++) {
        const char *masses = column ? ", mass column" : "";
        s.mass_column = column;
        bench_flights f = flights_make(&s, i);
        verify_judge(report, &f, quantity_x, -1, NO_FIGURE, 0, "x(1 s), dt = 1/60%s", masses);
        verify_judge(report, &f, quantity_largest_error, 0, NO_FIGURE, 0,
                     "largest |x - exact| in 1 s, dt = 1/60%s", masses);
        flights_free(&f);
    }
}
