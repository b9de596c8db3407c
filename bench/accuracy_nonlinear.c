/* Experiments with forces and fields that are not affine: velocity field, Kepler orbit, projectile. */
#include <math.h>
#include <string.h>

#include "accuracy.h"
#include "engine.h"

/* --- 9 Velocity field: x' = -(x + 1)(x + 3), y' = -5 y + 5 t^2 + 2 t, from (-2, 1/3), 2 s ---
 */

static void field(double time, const double x[3], const double v[3], double value[3]) {
    (void)v;
    value[0] = -(x[0] + 1) * (x[0] + 3);
    value[1] = -5 * x[1] + 5 * time * time + 2 * time;
}

static void field_exact(const bench_setup *setup, double t, bench_state *state) {
    (void)setup;
    *state = (bench_state){{-3 + 2 / (1 + exp(-2 * t)), t * t + exp(-5 * t) / 3, 0}, {0, 0, 0}};
}

static bench_setup field_setup(uint32_t steps) {
    static accuracy_field user = {field};
    bench_setup s = {.experiment = 9,
                     .mass = 1,
                     .start = {{-2, 1.0 / 3, 0}, {0, 0, 0}},
                     .force_count = 1,
                     .rate = {steps, 2},
                     .steps = steps,
                     .exact = field_exact};
    s.forces[0] = mote_callback(accuracy_callback, &user);
    s.forces[0].as.callback.unit = MOTE_METRES_PER_SECOND;
    return s;
}

typedef struct field_row {
    mote_integrator integrator;
    uint32_t steps; /* of 2 s */
    bench_figure last, largest;
} field_row;

#define NONE {NAN, 0}

static const field_row field_rows[] = {
    {MOTE_ADVECT_EULER, 120, {0.003683, 5e-7}, {0.007571, 5e-7}},
    {MOTE_ADVECT_EULER, 16, NONE, NONE},
    {MOTE_ADVECT_MIDPOINT, 16, {0.005762, 5e-7}, {0.01675, 5e-6}},
    {MOTE_ADVECT_MIDPOINT, 120, {7.37e-5, 5e-8}, NONE},
    {MOTE_ADVECT_RK4, 6, {0.01484, 5e-6}, {0.03846, 5e-6}},
    {MOTE_ADVECT_RK4, 120, {4.2e-8, 5e-10}, NONE},
    {MOTE_ADVECT_RK4, 16, NONE, NONE},
};

void accuracy_velocity_field(accuracy_report *report) {
    for (size_t k = 0; k < sizeof field_rows / sizeof field_rows[0]; k++) {
        const field_row *row = &field_rows[k];
        bench_setup s = field_setup(row->steps);
        bench_flights f = flights_make(&s, row->integrator);
        char name[60];
        snprintf(name, sizeof name, "error at 2 s, h = %.4g", 2.0 / row->steps);
        accuracy_judge(report, &f, name, quantity_last_error, -1, row->last, 0);
        snprintf(name, sizeof name, "largest error in 2 s, h = %.4g", 2.0 / row->steps);
        accuracy_judge(report, &f, name, quantity_largest_error, 0, row->largest, 0);
        flights_free(&f);
    }
    bench_setup s = field_setup(120);
    bench_series_file *file = series_open(report, &s, 2, false);
    for (mote_integrator i = MOTE_ADVECT_EULER; file && i <= MOTE_ADVECT_RK4; i++) {
        bench_flights f = flights_make(&s, i);
        series_add(file, &f);
        flights_free(&f);
    }
    series_close(file);
}

/* --- 10 Kepler orbit: mu = 1, a = 1, e = 0.5, from perihelion ---
 */

/* A revolution lasts 2 pi = 2 x 104348 / 33215 to 1 part in 10^10. */
static bench_setup orbit(uint32_t steps_a_revolution, uint32_t steps) {
    bench_setup s = {.experiment = 10,
                     .mass = 1,
                     .start = {{0.5, 0, 0}, {0, 0, 0}},
                     .force_count = 1,
                     .rate = {33215 * (steps_a_revolution / 2), 104348},
                     .steps = steps};
    s.start.v[1] = sqrt(3);
    s.forces[0] = mote_attractor((vec3){0, 0, 0}, 1, 0);
    return s;
}

static double energy_change(const bench_setup *s, const bench_trajectory *t, double p) {
    return quantity_energy(s, t, p) - 1;
}

static double largest_energy_change(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)p;
    double largest = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        double change = fabs(energy_change(s, t, i));
        if (!(change <= largest)) largest = change;
    }
    return largest;
}

static double largest_spin_change(const bench_setup *s, const bench_trajectory *t, double p) {
    (void)s, (void)p;
    double largest = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        double change = fabs(t->samples[i].spin / t->samples[0].spin - 1);
        if (!(change <= largest)) largest = change;
    }
    return largest;
}

typedef struct orbit_row {
    mote_integrator integrator;
    bench_figure early, late, largest; /* after 1.5 and 100 revolutions */
} orbit_row;

static const orbit_row orbit_rows[] = {
    {MOTE_EXPLICIT_EULER, {-0.404, 5e-4}, {-1.07, 5e-3}, {1.08, 5e-3}},
    {MOTE_SEMI_IMPLICIT_EULER, {-0.0070, 5e-5}, {-0.0329, 5e-5}, {0.0523, 5e-5}},
    {MOTE_VELOCITY_VERLET, {-0.0026, 5e-5}, {-0.0026, 5e-5}, {0.00269, 5e-6}},
    {MOTE_MIDPOINT, {0.0020, 5e-5}, {-0.080, 5e-4}, {0.084, 5e-4}},
    {MOTE_RK4, {2.53e-6, 5e-9}, {9.27e-5, 5e-8}, {9.3e-5, 5e-7}},
    {MOTE_YOSHIDA4, {-9.2e-6, 5e-8}, {-7.5e-9, 5e-11}, {9.24e-6, 5e-9}},
};

static orbit_row orbit_row_of(mote_integrator i) {
    for (size_t k = 0; k < sizeof orbit_rows / sizeof orbit_rows[0]; k++)
        if (orbit_rows[k].integrator == i) return orbit_rows[k];
    return (orbit_row){i, NONE, NONE, NONE};
}

/* The methods that are symplectic for every force of position: each kick changes v along r, each drift x
 * along v, so that r x v stays. */
static bool keeps_spin(mote_integrator i) {
    return i == MOTE_SEMI_IMPLICIT_EULER || i == MOTE_POSITION_VERLET || i == MOTE_VELOCITY_VERLET ||
           i == MOTE_YOSHIDA4 || i == MOTE_PEFRL || i == MOTE_EXACT_FLOW || i == MOTE_IMPLICIT_EULER ||
           i == MOTE_KINEMATIC;
}

static void judge_orbit(accuracy_report *report, const bench_flights *f, const orbit_row *row,
                        uint32_t a_revolution) {
    char name[60];
    snprintf(name, sizeof name, "E/E0 - 1 after 1.5 rev, %u steps a rev", (unsigned)a_revolution);
    accuracy_judge(report, f, name, energy_change, 1.5 * a_revolution, row->early, 0);
    snprintf(name, sizeof name, "E/E0 - 1 after 100 rev, %u steps a rev", (unsigned)a_revolution);
    accuracy_judge(report, f, name, energy_change, -1, row->late, 0);
    snprintf(name, sizeof name, "largest |E/E0 - 1|, %u steps a rev", (unsigned)a_revolution);
    accuracy_judge(report, f, name, largest_energy_change, 0, row->largest, 0);
}

/* Two suns, drag and thrust together, 5 s. */
static void several_forces(accuracy_report *report, mote_integrator i) {
    bench_setup s = {.experiment = 10,
                     .mass = 2,
                     .start = {{2, 0, 0.5}, {0, 1, 0}},
                     .force_count = 4,
                     .rate = {60, 1},
                     .steps = 300};
    s.forces[0] = mote_attractor((vec3){0.4f, 0, 0}, 1, 0.1f);
    s.forces[1] = mote_attractor((vec3){-0.4f, 0.1f, 0}, 0.7f, 0.1f);
    s.forces[2] = mote_wind((vec3){0.1f, 0, 0}, 0.05f);
    s.forces[3] = mote_thrust((vec3){0, 0.1f, 0.05f});
    bench_flights f = flights_make(&s, i);
    accuracy_judge(report, &f, "x(5 s), two suns, drag and thrust", quantity_x, -1, NO_FIGURE, 0);
    accuracy_judge(report, &f, "y(5 s), two suns, drag and thrust", quantity_y, -1, NO_FIGURE, 0);
    flights_free(&f);
}

void accuracy_kepler(accuracy_report *report) {
    bench_setup s = orbit(200, 20000), coarse = orbit(50, 5000), two_revolutions = orbit(200, 400);
    bench_series_file *file = series_open(report, &two_revolutions, 2, true);
    FOR_INTEGRATORS(i) {
        orbit_row row = orbit_row_of(i), none = {i, NONE, NONE, NONE};
        bench_flights f = flights_make(&s, i);
        judge_orbit(report, &f, &row, 200);
        if (keeps_spin(i))
            accuracy_judge(report, &f, "largest |L/L0 - 1|, 200 steps a rev", largest_spin_change, 0,
                           (bench_figure){0, 1e-11}, 0);
        series_add(file, &f);
        flights_free(&f);
        several_forces(report, i);
        /* At 200 steps a revolution order 4 lies below float32's rounding; four times the step shows it. */
        if (i != MOTE_RK4 && i != MOTE_YOSHIDA4 && i != MOTE_PEFRL) continue;
        f = flights_make(&coarse, i);
        judge_orbit(report, &f, &none, 50);
        flights_free(&f);
    }
    series_close(file);
}

/* --- 11 Projectile: v0 = (30, 40), g = (0, -9.81), 2 s ---
 */

static bench_setup projectile(mote_force_def drag) {
    bench_setup s = {.experiment = 11,
                     .mass = 1,
                     .start = {{0, 0, 0}, {30, 40, 0}},
                     .force_count = 2,
                     .rate = {60, 1},
                     .steps = 120,
                     .exact = accuracy_exact_flow};
    s.forces[0] = mote_gravity((vec3){0, -9.81f, 0});
    s.forces[1] = drag;
    return s;
}

/* With little drag the increments are of nearly constant size and may be rounded in the same sense in step
 * after step: in the worst case each of n steps errs by FLOAT_ROUNDING of a velocity of 50 m/s and a position
 * of 80 m, twice in a step. */
static double worst_rounding(const bench_setup *s) {
    double duration = s->steps * accuracy_timestep(s);
    return 2.0 * s->steps * FLOAT_ROUNDING * (80 + 50 * duration);
}

static void fly_projectile(accuracy_report *report, bench_series_file *file, const bench_setup *s,
                           const char *what, bool is_published, double extra) {
    FOR_INTEGRATORS(i) {
        bench_flights f = flights_make(s, i);
        char name[60];
        bool published = i == MOTE_EXACT_FLOW && is_published;
        snprintf(name, sizeof name, "x(2 s), dt = 1/60, %s", what);
        accuracy_judge(report, &f, name, quantity_x, -1,
                       published ? (bench_figure){37.92723352971346, 1e-6} : NO_FIGURE, extra);
        snprintf(name, sizeof name, "y(2 s), dt = 1/60, %s", what);
        accuracy_judge(report, &f, name, quantity_y, -1,
                       published ? (bench_figure){36.13405543471722, 1e-6} : NO_FIGURE, extra);
        series_add(file, &f);
        flights_free(&f);
    }
}

/* A point of the preview is one flow from the start: its roundings are those of one step, with a map of six
 * stored coefficients and as many products and sums: 12 of the largest term, 80 m. */
static void preview(accuracy_report *report, double drag, const char *what) {
    enum { POINTS = 20 };
    bench_setup s = projectile(mote_wind((vec3){0, 0, 0}, (float)drag));
    mote_system *system = accuracy_system(&s, MOTE_SEMI_IMPLICIT_EULER);
    mote_preview_def def = {.velocity = {30, 40, 0}, .inverse_mass = 1, .interval = 0.1, .count = POINTS};
    float points[POINTS][3];
    double largest = 0;
    engine_check(mote_system_preview(system, &def, points), "mote_system_preview");
    for (int i = 0; i < POINTS; i++) {
        bench_state exact;
        accuracy_exact_flow(&s, (i + 1) * def.interval, &exact);
        largest = fmax(largest, hypot((double)points[i][0] - exact.x[0], (double)points[i][1] - exact.x[1]));
    }
    char name[60];
    snprintf(name, sizeof name, "largest error of 20 previewed points, %s", what);
    accuracy_add(report, 11, MOTE_EXACT_FLOW, name, largest, 0, 12 * FLOAT_ROUNDING * 80);
    mote_system_destroy(system);
}

void accuracy_projectile(accuracy_report *report) {
    static const struct {
        double drag;
        const char *name;
    } drags[] = {{0.5, "c = 0.5"}, {1e-3, "c = 1e-3"}, {1e-6, "c = 1e-6"}, {0, "c = 0"}};
    for (size_t k = 0; k < sizeof drags / sizeof drags[0]; k++) {
        bench_setup s = projectile(mote_wind((vec3){0, 0, 0}, (float)drags[k].drag));
        bench_series_file *file = k == 0 ? series_open(report, &s, 2, false) : NULL;
        fly_projectile(report, file, &s, drags[k].name, k == 0, drags[k].drag < 0.1 ? worst_rounding(&s) : 0);
        series_close(file);
        preview(report, drags[k].drag, drags[k].name);
    }
    bench_setup s = projectile(mote_quadratic_drag((vec3){0, 0, 0}, 0.02f));
    fly_projectile(report, NULL, &s, "quadratic drag", false, 0);
}
