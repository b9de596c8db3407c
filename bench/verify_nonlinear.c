/* Experiments with forces and fields that are not affine: velocity field, Kepler orbit, projectile. */
#include <math.h>

#include "verify.h"
#include "engine.h"

/* --- Velocity field: x' = -(x + 1)(x + 3), y' = -5 y + 5 t^2 + 2 t, from (-2, 1/3), 2 s --- */

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
    static verify_field user = {field};
    bench_setup s = {.mass = 1,
                     .start = {{-2, 1.0 / 3, 0}, {0, 0, 0}},
                     .force_count = 1,
                     .rate = {steps, 2},
                     .steps = steps,
                     .exact = field_exact};
    s.forces[0] = mote_callback(verify_callback, &user);
    s.forces[0].as.callback.unit = MOTE_METRES_PER_SECOND;
    return s;
}

typedef struct field_row {
    mote_integrator integrator;
    uint32_t steps; /* of 2 s */
    bench_figure last, largest;
} field_row;

static const field_row field_rows[] = {
    {MOTE_ADVECT_EULER, 120, {0.003683, 5e-7}, {0.007571, 5e-7}},
    {MOTE_ADVECT_EULER, 16, NONE, NONE},
    {MOTE_ADVECT_MIDPOINT, 16, {0.005762, 5e-7}, {0.01675, 5e-6}},
    {MOTE_ADVECT_MIDPOINT, 120, {7.37e-5, 5e-8}, NONE},
    {MOTE_ADVECT_RK4, 6, {0.01484, 5e-6}, {0.03846, 5e-6}},
    {MOTE_ADVECT_RK4, 120, {4.2e-8, 5e-10}, NONE},
    {MOTE_ADVECT_RK4, 16, NONE, NONE},
};

/* The velocity column receives the mean velocity of the step: the largest difference from it over h. */
static double mean_velocity_error(const bench_setup *s, const bench_trajectory *t) {
    double largest = 0, h = verify_timestep(s);
    for (uint32_t i = 1; i < t->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const bench_state *from = &t->samples[i - 1].state, *to = &t->samples[i].state;
            largest = larger_or_nan(largest, fabs((to->x[axis] - from->x[axis]) / h - to->v[axis]));
        }
    return largest;
}

void verify_velocity_field(verify_report *report) {
    for (size_t k = 0; k < sizeof field_rows / sizeof field_rows[0]; k++) {
        const field_row *row = &field_rows[k];
        bench_setup s = field_setup(row->steps);
        const double h = verify_timestep(&s);
        bench_flights f = flights_make(&s, row->integrator);
        verify_judge(report, &f, quantity_last_error, -1, row->last, 0, "error at 2 s, h = %.4g", h);
        verify_judge(report, &f, quantity_largest_error, 0, row->largest, 0, "largest error in 2 s, h = %.4g",
                     h);
        /* The sum x + h v rounds x <= 4 m, and h u is rounded before. */
        verify_add(report, integrator_name(row->integrator), mean_velocity_error(&s, &f.engine), 0,
                   2 * FLOAT_ROUNDING * 4 / h, "velocity column beside dx / h, h = %.4g", h);
        flights_free(&f);
    }
}

/* --- Kepler orbit: mu = 1, a = 1, e = 0.5, from perihelion --- */

/* A revolution lasts 2 pi = 2 x 104348 / 33215 to 1 part in 10^10. */
static bench_setup orbit(uint32_t steps_a_revolution, uint32_t steps) {
    bench_setup s = {.mass = 1,
                     .start = {{0.5, 0, 0}, {0, 0, 0}},
                     .force_count = 1,
                     .rate = {33215 * (steps_a_revolution / 2), 104348},
                     .steps = steps};
    s.start.v[1] = sqrt(3);
    s.forces[0] = mote_attractor((float[3]){0, 0, 0}, 1, 0);
    return s;
}

static double energy_change(const bench_setup *s, const bench_trajectory *t, double p) {
    return quantity_energy(s, t, p) - 1;
}

/* Published: E/E0 - 1 after 1.5 and 100 revolutions, and the largest. Stormer's method is velocity Verlet; so
 * is exact flow with nothing affine, in its kick, drift, kick form. */
typedef struct orbit_row {
    mote_integrator integrator;
    uint32_t a_revolution; /* steps */
    bench_figure early, late, largest;
} orbit_row;

static const orbit_row orbit_rows[] = {
    {MOTE_EXPLICIT_EULER, 200, {-0.404, 5e-4}, {-1.07, 5e-3}, {1.08, 5e-3}},
    {MOTE_SEMI_IMPLICIT_EULER, 200, {-0.0070, 5e-5}, {-0.0329, 5e-5}, {0.0523, 5e-5}},
    {MOTE_VELOCITY_VERLET, 200, {-0.0026, 5e-5}, {-0.0026, 5e-5}, {0.00269, 5e-6}},
    {MOTE_POSITION_VERLET, 200, {-0.0026, 5e-5}, NONE, {0.00269, 5e-6}},
    {MOTE_EXACT_FLOW, 200, {-0.0026, 5e-5}, NONE, {0.00269, 5e-6}},
    {MOTE_MIDPOINT, 200, {0.0020, 5e-5}, {-0.080, 5e-4}, {0.084, 5e-4}},
    {MOTE_RK4, 200, {2.53e-6, 5e-9}, {9.27e-5, 5e-8}, {9.3e-5, 5e-7}},
    {MOTE_YOSHIDA4, 200, {-9.2e-6, 5e-8}, {-7.5e-9, 5e-11}, {9.24e-6, 5e-9}},
    {MOTE_YOSHIDA4, 50, {-2.00241e-3, 5e-9}, NONE, NONE},
    {MOTE_PEFRL, 50, {-1.97069e-4, 5e-10}, NONE, NONE},
};

static orbit_row orbit_row_of(mote_integrator i, uint32_t a_revolution) {
    for (size_t k = 0; k < sizeof orbit_rows / sizeof orbit_rows[0]; k++)
        if (orbit_rows[k].integrator == i && orbit_rows[k].a_revolution == a_revolution) return orbit_rows[k];
    return (orbit_row){i, a_revolution, NONE, NONE, NONE};
}

/* The methods that are symplectic for every force of position: each kick changes v along r, each drift x
 * along v, so that r x v stays. */
static bool keeps_spin(mote_integrator i) {
    return mote_integrator_describe(i)->symplectic || i == MOTE_IMPLICIT_EULER || i == MOTE_KINEMATIC;
}

static void judge_orbit(verify_report *report, const bench_flights *f, uint32_t steps) {
    const orbit_row row = orbit_row_of(f->integrator, steps);
    verify_judge(report, f, energy_change, 1.5 * steps, row.early, 0,
                 "E/E0 - 1 after 1.5 rev, %u steps a rev", (unsigned)steps);
    verify_judge(report, f, energy_change, -1, row.late, 0, "E/E0 - 1 after 100 rev, %u steps a rev",
                 (unsigned)steps);
    verify_judge(report, f, quantity_largest_energy_change, 0, row.largest, 0,
                 "largest |E/E0 - 1|, %u steps a rev", (unsigned)steps);
    if (keeps_spin(f->integrator))
        verify_judge(report, f, quantity_largest_spin_change, 0, ((bench_figure){0, 1e-11}), 0,
                     "largest |L/L0 - 1|, %u steps a rev", (unsigned)steps);
}

/* Two suns, drag and thrust together, 5 s. */
static void several_forces(verify_report *report, mote_integrator i) {
    bench_setup s = {
        .mass = 2, .start = {{2, 0, 0.5}, {0, 1, 0}}, .force_count = 4, .rate = {60, 1}, .steps = 300};
    s.forces[0] = mote_attractor((float[3]){0.4f, 0, 0}, 1, 0.1f);
    s.forces[1] = mote_attractor((float[3]){-0.4f, 0.1f, 0}, 0.7f, 0.1f);
    s.forces[2] = mote_wind((float[3]){0.1f, 0, 0}, 0.05f);
    s.forces[3] = mote_thrust((float[3]){0, 0.1f, 0.05f});
    bench_flights f = flights_make(&s, i);
    verify_judge(report, &f, quantity_x, -1, NO_FIGURE, 0, "x(5 s), two suns, drag and thrust");
    verify_judge(report, &f, quantity_y, -1, NO_FIGURE, 0, "y(5 s), two suns, drag and thrust");
    flights_free(&f);
}

void verify_kepler(verify_report *report) {
    bench_setup s = orbit(200, 20000), coarse = orbit(50, 5000);
    FOR_INTEGRATORS(i) {
        bench_flights f = flights_make(&s, i);
        judge_orbit(report, &f, 200);
        flights_free(&f);
        several_forces(report, i);
        /* At 200 steps a revolution the error of order 4 is smaller than the rounding of float32; at 50 it is
         * not. */
        if (mote_integrator_describe(i)->order != 4) continue;
        f = flights_make(&coarse, i);
        judge_orbit(report, &f, 50);
        flights_free(&f);
    }
}

/* --- Projectile: v0 = (30, 40), g = (0, -9.81), 2 s --- */

static bench_setup projectile(mote_force_def drag) {
    bench_setup s = {.mass = 1,
                     .start = {{0, 0, 0}, {30, 40, 0}},
                     .force_count = 2,
                     .rate = {60, 1},
                     .steps = 120,
                     .exact = verify_exact_flow};
    s.forces[0] = mote_gravity((float[3]){0, -9.81f, 0});
    s.forces[1] = drag;
    return s;
}

/* With little drag the increments are of nearly constant size and may be rounded in the same sense in every
 * step: in the worst case each of n steps errs by FLOAT_ROUNDING of a velocity of 50 m/s and a position of 80
 * m, twice in a step. */
static double worst_rounding(const bench_setup *s) {
    double duration = s->steps * verify_timestep(s);
    return 2.0 * s->steps * FLOAT_ROUNDING * (80 + 50 * duration);
}

static void fly_projectile(verify_report *report, const bench_setup *s, const char *drag, bool is_published,
                           double extra) {
    FOR_INTEGRATORS(i) {
        const bool published = i == MOTE_EXACT_FLOW && is_published;
        const bench_figure x = {37.92723352971346, 1e-6}, y = {36.13405543471722, 1e-6};
        bench_flights f = flights_make(s, i);
        verify_judge(report, &f, quantity_x, -1, published ? x : NO_FIGURE, extra, "x(2 s), dt = 1/60, %s",
                     drag);
        verify_judge(report, &f, quantity_y, -1, published ? y : NO_FIGURE, extra, "y(2 s), dt = 1/60, %s",
                     drag);
        flights_free(&f);
    }
}

/* Under exact flow a point of the preview is one flow from the start: its roundings are those of one step,
 * with a map of six stored coefficients and as many products and sums: 12 of the largest term, 80 m. */
static void preview(verify_report *report, double drag, const char *name) {
    enum { POINTS = 20 };
    bench_setup s = projectile(mote_wind((float[3]){0, 0, 0}, (float)drag));
    mote_system *system = verify_system(&s, MOTE_EXACT_FLOW);
    mote_preview_def def = mote_default_preview_def();
    def.velocity[0] = 30, def.velocity[1] = 40, def.interval = 0.1, def.count = POINTS;
    float points[POINTS][3];
    double largest = 0;
    engine_check(mote_system_preview(system, &def, points), "mote_system_preview");
    for (int i = 0; i < POINTS; i++) {
        bench_state exact;
        verify_exact_flow(&s, (i + 1) * def.interval, &exact);
        largest = larger_or_nan(largest,
                                hypot((double)points[i][0] - exact.x[0], (double)points[i][1] - exact.x[1]));
    }
    verify_add(report, integrator_name(MOTE_EXACT_FLOW), largest, 0, 12 * FLOAT_ROUNDING * 80,
               "largest error of 20 previewed points, %s", name);
    mote_system_destroy(system);
}

void verify_projectile(verify_report *report) {
    static const struct {
        double drag;
        const char *name;
    } drags[] = {{0.5, "c = 0.5"}, {1e-3, "c = 1e-3"}, {1e-6, "c = 1e-6"}, {0, "c = 0"}};
    for (size_t k = 0; k < sizeof drags / sizeof drags[0]; k++) {
        bench_setup s = projectile(mote_wind((float[3]){0, 0, 0}, (float)drags[k].drag));
        fly_projectile(report, &s, drags[k].name, k == 0, drags[k].drag < 0.1 ? worst_rounding(&s) : 0);
        preview(report, drags[k].drag, drags[k].name);
    }
    bench_setup s = projectile(mote_quadratic_drag((float[3]){0, 0, 0}, 0.02f));
    fly_projectile(report, &s, "quadratic drag", false, 0);
    s.forces[1] = mote_quadratic_drag((float[3]){2, 0, -1}, 0.05f);
    s.mass = 1.5;
    s.mass_column = true;
    fly_projectile(report, &s, "v^2 drag, wind, masses", false, 0);
}
