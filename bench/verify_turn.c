/* Loose particles that turn, beside closed forms: bodies of one moment, torque, drag, and the free asymmetric
 * top, whose period is an elliptic integral. */
#include <math.h>

#include "engine.h"
#include "verify.h"

#define PI 3.14159265358979323846

static mote_system *create(const mote_system_def *settings, mote_range_view *view) {
    mote_system_def def = *settings;
    mote_system *system;
    def.capacity = 1, def.orientation = true, def.interpolation = MOTE_INTERPOLATE_NONE;
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    engine_check(mote_system_spawn(system, 1, view), "mote_system_spawn");
    return system;
}

static void step(mote_system *system, uint32_t steps) {
    engine_check(mote_system_step(system, steps, NULL), "mote_system_step");
}

/* The angle (rad, 0 .. 2 pi) by which the body is turned about the unit vector `axis`; NaN where that differs
 * from the axis by more than 1e-4. */
static double angle_about(const mote_range_view *view, const double axis[3]) {
    const double q[3] = {(double)view->orientation.x[0], (double)view->orientation.y[0],
                         (double)view->orientation.z[0]};
    const double along = q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2];
    double across = 0;
    for (int k = 0; k < 3; k++) across = hypot(across, q[k] - along * axis[k]);
    const double angle = 2 * atan2(along, (double)view->orientation.w[0]);
    return across < 1e-4 ? angle - 2 * PI * floor(angle / (2 * PI)) : NAN;
}

static const double axis_of_spin[3] = {0.48, -0.6, 0.64};

static void set_spin(const mote_range_view *view, const double direction[3], double rate) {
    view->angular_velocity.x[0] = (float)(rate * direction[0]);
    view->angular_velocity.y[0] = (float)(rate * direction[1]);
    view->angular_velocity.z[0] = (float)(rate * direction[2]);
}

/* --- One moment of inertia --- */

/* Each substep multiplies quaternions, with some ten roundings of components of up to 1, half of the angle.
 */
static double angle_allowed(uint32_t substeps) { return 20 * FLOAT_ROUNDING * substeps; }

static void turn_evenly(verify_report *report, double rate) {
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    mote_system *system = create(&def, &view);
    set_spin(&view, axis_of_spin, rate);
    step(system, 60);
    verify_add(report, "scalar inertia", angle_about(&view, axis_of_spin),
               rate - 2 * PI * floor(rate / (2 * PI)), angle_allowed(60) + rate * FLOAT_ROUNDING,
               "rad after 1 s at %g rad/s, less whole turns", rate);
    mote_system_destroy(system);
}

/* From rest: torque t / I, and the angle torque t^2 / 2 I, which velocity Verlet makes exactly. The torque is
 * 1.25 N m about an axis of the world, and I 0.5 kg m^2. */
static void turn_by_torque(verify_report *report) {
    const double torque = 1.25, inertia = 0.5, t = 1.5;
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    def.external_torques = true, def.inertia[0] = (float)inertia, def.substeps = 2;
    mote_system *system = create(&def, &view);
    for (int i = 0; i < 90; i++) {
        mote_vector_columns torques;
        engine_check(mote_system_external_torques(system, &torques), "mote_system_external_torques");
        torques.x[0] = (float)(torque * axis_of_spin[0]), torques.y[0] = (float)(torque * axis_of_spin[1]);
        torques.z[0] = (float)(torque * axis_of_spin[2]);
        step(system, 1);
    }
    const double rate = torque / inertia * t,
                 spin = hypot(hypot((double)view.angular_velocity.x[0], (double)view.angular_velocity.y[0]),
                              (double)view.angular_velocity.z[0]);
    verify_add(report, "torque", spin, rate, 4 * 180 * FLOAT_ROUNDING * rate,
               "rad/s after 1.5 s, torque / I");
    verify_add(report, "torque", angle_about(&view, axis_of_spin), rate * t / 2,
               angle_allowed(180) + 4 * 180 * FLOAT_ROUNDING * rate * t, "rad after 1.5 s");
    mote_system_destroy(system);
}

/* The share that is left of a substep is right to b^5 / 120 of b = drag h / I in its halves, 1e-11 here. */
static void slow_down(verify_report *report, bool principal) {
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    def.spin_drag = 0.75f, def.principal_moments = principal, def.substeps = 2;
    def.inertia[0] = 0.5f, def.inertia[1] = 0.75f, def.inertia[2] = 1;
    mote_system *system = create(&def, &view);
    view.angular_velocity.y[0] = 7;
    step(system, 60);
    const double inertia = principal ? 0.75 : 0.5, want = 7 * exp(-0.75 / inertia);
    verify_add(report, "spin drag", (double)view.angular_velocity.y[0], want, 4 * 120 * FLOAT_ROUNDING * 7,
               "rad/s after 1 s, %s", principal ? "the second of three moments" : "one moment");
    mote_system_destroy(system);
}

/* --- The free asymmetric top --- */

static const double moment[3] = {1, 2, 3}; /* kg m^2 */

static double agm(double a, double b) {
    for (int i = 0; i < 20; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b), a = mean;
    }
    return a;
}

static void energy_and_square(const double w[3], double *energy, double *square) {
    *energy = *square = 0;
    for (int k = 0; k < 3; k++)
        *energy += 0.5 * moment[k] * w[k] * w[k], *square += moment[k] * moment[k] * w[k] * w[k];
}

/* Period of the angular velocity in the axes of the body, 4 K(k) / p (Landau and Lifshitz, Mechanics, section
 * 37), with K by the arithmetic-geometric mean. */
static double period_of(const double w[3]) {
    double energy, square, i[3] = {moment[0], moment[1], moment[2]};
    energy_and_square(w, &energy, &square);
    energy *= 2;
    if (square < energy * i[1]) i[0] = moment[2], i[2] = moment[0];
    const double p = sqrt((i[2] - i[1]) * (square - energy * i[0]) / (i[0] * i[1] * i[2])),
                 k2 = (i[1] - i[0]) * (energy * i[2] - square) / ((i[2] - i[1]) * (square - energy * i[0]));
    return 4 * PI / (2 * agm(1, sqrt(1 - k2))) / p;
}

static void spin_of(const mote_range_view *view, double w[3]) {
    w[0] = (double)view->angular_velocity.x[0], w[1] = (double)view->angular_velocity.y[0];
    w[2] = (double)view->angular_velocity.z[0];
}

typedef struct top_run {
    double period, energy, momentum; /* s; the largest relative errors */
} top_run;

/* A hundredth of a turn a substep, for `turns` turns. */
static top_run spin_top(const double direction[3], uint32_t substeps, uint32_t turns, double start[3]) {
    mote_system_def def = mote_default_system_def();
    mote_range_view view;
    def.principal_moments = true, def.substeps = substeps;
    for (int k = 0; k < 3; k++) def.inertia[k] = (float)moment[k];
    mote_system *system = create(&def, &view);
    set_spin(&view, direction, 2 * PI * 60 / 100);
    spin_of(&view, start);
    top_run run = {0};
    double first = 0, last = 0, before = start[1], energy0, square0;
    uint32_t crossings = 0;
    energy_and_square(start, &energy0, &square0);
    for (uint32_t i = 1; i <= 100 * turns; i++) {
        double w[3], energy, square;
        step(system, 1);
        spin_of(&view, w);
        energy_and_square(w, &energy, &square);
        run.energy = larger_or_nan(run.energy, fabs(energy / energy0 - 1));
        run.momentum = larger_or_nan(run.momentum, fabs(sqrt(square / square0) - 1));
        if (before < 0 && w[1] >= 0) {
            last = (i - w[1] / (w[1] - before)) / 60;
            if (!crossings++) first = last;
        }
        before = w[1];
    }
    run.period = (last - first) / (crossings - 1.0);
    mote_system_destroy(system);
    return run;
}

/* The documentation: errors of the energy of order h^2, 2.2e-4 at a hundredth of a turn, and the angular
 * momentum kept. The errors of Strang's splitting have factors of h^2 / 12 at most, in a substep that turns
 * by the angle a: a^2 / 12 of the period, and the chord between two steps finds a passage to a^3 / 10, which
 * the number of periods divides. */
static void judge_top(verify_report *report, const double direction[3], const char *name) {
    const uint32_t turns = 100;
    for (uint32_t substeps = 1; substeps <= 4; substeps *= 4) {
        double start[3];
        const double size = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                                 direction[2] * direction[2]),
                     unit[3] = {direction[0] / size, direction[1] / size, direction[2] / size};
        const top_run run = spin_top(unit, substeps, turns, start);
        const double period = period_of(start), angle = 2 * PI / 100 / substeps,
                     share = 1.0 / (substeps * substeps);
        const double rounding = 5 * FLOAT_ROUNDING * sqrt(100.0 * turns * substeps);
        verify_add(report, name, run.period, period, period * (angle * angle / 12 + 2 * rounding + 1e-5),
                   "period of the top, s, %u substeps", (unsigned)substeps);
        verify_add(report, name, run.energy, 0, 2.2e-4 * share + 2 * rounding,
                   "largest |E / E0 - 1|, %u turns, %u substeps", (unsigned)turns, (unsigned)substeps);
        verify_add(report, name, run.momentum, 0, 2 * rounding, "largest ||L| / |L0| - 1|, %u substeps",
                   (unsigned)substeps);
    }
}

void verify_turning(verify_report *report) {
    turn_evenly(report, 1);
    turn_evenly(report, 40);
    turn_evenly(report, 150);
    turn_by_torque(report);
    slow_down(report, false);
    slow_down(report, true);
}

void verify_top(verify_report *report) {
    judge_top(report, (double[3]){0.6, 0.1, 0.5}, "near the least");
    judge_top(report, (double[3]){0.2, 0.1, 0.9}, "near the greatest");
    judge_top(report, (double[3]){0.5, 0.5, 0.3}, "between");
}
