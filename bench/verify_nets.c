/* Networks beside closed forms: nets that hang at rest, nets on a slope, and falls and pendulums at any
 * distance from the origin. The constrained solver has a primal form, for elastic springs, and a dual one,
 * for rigid ones. */
#include <math.h>

#include "engine.h"
#include "networks.h"
#include "verify.h"

#define PI      3.14159265358979323846
#define GRAVITY ((double)NETWORK_GRAVITY)

typedef enum net_solver { SPRINGS, PRIMAL, DUAL, SOLVERS } net_solver;
static const char *const solver_name[] = {"net of springs", "net, primal", "net, dual"};

static network_run *make(const network_shape *shape, net_solver solver, uint32_t substeps, bool weightless,
                         double max_strain) {
    mote_system_def system = mote_default_system_def();
    mote_network_def def = mote_default_network_def();
    system.substeps = substeps, system.interpolation = MOTE_INTERPOLATE_NONE;
    def.solver = solver == SPRINGS ? MOTE_NETWORK_SPRINGS : MOTE_NETWORK_CONSTRAINED;
    if (max_strain > 0) def.max_strain = (float)max_strain, def.max_iterations = 8;
    return network_run_create(&system, weightless, &def, shape);
}

static void run_frames(network_run *run, uint32_t frames) {
    for (uint32_t i = 0; i < frames; i++) network_run_frame(run);
}

/* N s, of all pins in the last step, upwards. */
static double reaction_of(const network_run *run, const network_shape *shape) {
    double sum = 0;
    for (uint32_t i = 0; i < shape->pin_count; i++) {
        float impulse[3];
        engine_check(mote_network_reaction(run->system, run->network, shape->pins[i], impulse),
                     "mote_network_reaction");
        sum -= (double)impulse[1];
    }
    return sum;
}

/* --- At rest --- */

enum { ACROSS = 17, ROWS = 3 };
#define LINK 0.0625
#define SPAN 0.6

/* Three equal chains of 16 rigid links side by side, joined by rigid links from each point to the next chain,
 * in a V between two rows of pins. */
static network_shape rigid_net(void) {
    network_shape shape = shape_create(ACROSS * ROWS, ACROSS * ROWS * 2, 2 * ROWS);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t k = 0; k < ACROSS; k++) {
            const uint32_t i = row * ACROSS + k, from_edge = k < ACROSS / 2 ? k : ACROSS - 1 - k;
            shape_put(&shape, i, (float)(SPAN * k / (ACROSS - 1)), (float)(-0.8 * LINK * from_edge),
                      (float)(LINK * row), 0.01f);
            if (k == 0 || k == ACROSS - 1) shape_pin(&shape, i);
            if (k) shape_join(&shape, i - 1, i, INFINITY, 0);
            if (row && k && k < ACROSS - 1) shape_join(&shape, i - ACROSS, i, INFINITY, 0);
        }
    return shape;
}

/* Air of 0.05 kg/s a point stops it. The lengths are held to max_strain: the second chain; the pins bear the
 * weight, with the impulse of what still moves. */
static void hang_rigid(verify_report *report) {
    const double strain = 1e-5, h = 1.0 / 480;
    network_shape shape = rigid_net();
    network_run *run = make(&shape, DUAL, 8, false, strain);
    double exact[ACROSS][2], longer[ACROSS][2], error = 0, allowed = 0;
    engine_add_force(run->system, mote_wind((float[3]){0, 0, 0}, 0.05f));
    run_frames(run, 1200);
    verify_chain_at_rest(ACROSS, LINK, SPAN, exact);
    verify_chain_at_rest(ACROSS, LINK * (1 + strain), SPAN, longer);
    for (uint32_t i = 0; i < shape.particle_count; i++) {
        const uint32_t k = i % ACROSS;
        float at[3];
        network_place(run, i, at);
        error = larger_or_nan(error, hypot((double)at[0] - exact[k][0], (double)at[1] - exact[k][1]));
        error = larger_or_nan(error, fabs((double)at[2] - LINK * (i / ACROSS)));
        allowed = larger_or_nan(allowed, hypot(longer[k][0] - exact[k][0], longer[k][1] - exact[k][1]));
    }
    float middle[3];
    network_place(run, ACROSS / 2, middle);
    allowed += 2 * h * h * GRAVITY;
    verify_add(report, solver_name[DUAL], -(double)middle[1], -exact[ACROSS / 2][1], allowed,
               "sag of a rigid net between two rows of pins, m");
    verify_add(report, solver_name[DUAL], error, 0, allowed, "its farthest point off, m");
    const double weight = 0.01 * GRAVITY * (ACROSS - 2) * ROWS / 60;
    verify_add(report, solver_name[DUAL], reaction_of(run, &shape), weight, 1e-3 * weight,
               "impulse on its pins over a step, N s");
    network_run_destroy(run);
    shape_destroy(&shape);
}

/* A chain of 8 points of 10 g under a pin: spring i bears the 8 - i points below it, and the tip is 8 L + 36
 * m g / k deep. Air of 0.2 kg/s a point stops it. */
static void hang_elastic(verify_report *report, net_solver solver) {
    enum { POINTS = 9 };
    const double k = 200, mass = 0.01, strain = 1e-5;
    network_shape shape = shape_create(POINTS, POINTS, 1);
    for (uint32_t i = 0; i < POINTS; i++) {
        shape_put(&shape, i, 0, -0.125f * (float)i, 0, (float)mass);
        if (i) shape_join(&shape, i - 1, i, (float)k, 0);
    }
    shape_pin(&shape, 0);
    network_run *run = make(&shape, solver, 8, false, strain);
    engine_add_force(run->system, mote_wind((float[3]){0, 0, 0}, 0.2f));
    run_frames(run, 1800);
    float tip[3];
    network_place(run, POINTS - 1, tip);
    verify_add(report, solver_name[solver], -(double)tip[1], 1 + 36 * mass * GRAVITY / k,
               (solver == SPRINGS ? 0 : strain) + 2 * POINTS * FLOAT_ROUNDING,
               "depth of a chain of springs, m");
    const double weight = mass * GRAVITY * (POINTS - 1) / 60;
    verify_add(report, solver_name[solver], reaction_of(run, &shape), weight,
               (solver == SPRINGS ? 4 * FLOAT_ROUNDING * k : k * strain * 0.125) / 60,
               "impulse on its pin over a step, N s");
    network_run_destroy(run);
    shape_destroy(&shape);
}

void verify_hung_nets(verify_report *report) {
    hang_rigid(report);
    hang_elastic(report, SPRINGS);
    hang_elastic(report, PRIMAL);
}

/* --- Slopes --- */

/* A sheet of 4 x 5 points, or for the dual form a chain of 8; gravity is turned in place of the plane. Semi-
 * implicit Euler: x = a t^2 / 2 (1 + h / t). Each of n substeps rounds places; constrained velocities are
 * differences of those over h, kicks that walk at random: n^1.5 / 3 of them, 4 times that allowed. The dual
 * form has friction after its solve, on velocities alone where points slide: they go h^2 mu g cos further a
 * substep. */
static void slide(verify_report *report, net_solver solver, double friction) {
    const double angle = PI / 8, time = 0.5, n = 240, h = time / n;
    const uint32_t rows = solver == DUAL ? 1 : 5, columns = solver == DUAL ? 8 : 4;
    network_shape shape = shape_create(rows * columns, 2 * rows * columns, 0);
    const float stiffness = solver == DUAL ? INFINITY : 400;
    for (uint32_t i = 0; i < rows * columns; i++) {
        shape_put(&shape, i, 0.05f * (float)(i % columns), 0, 0.05f * (float)(i / columns), 0.01f);
        if (i % columns) shape_join(&shape, i - 1, i, stiffness, 0);
        if (i >= columns) shape_join(&shape, i - columns, i, stiffness, 0);
    }
    mote_system_def system = mote_default_system_def();
    mote_network_def def = mote_default_network_def();
    system.substeps = 8;
    def.solver = solver == SPRINGS ? MOTE_NETWORK_SPRINGS : MOTE_NETWORK_CONSTRAINED;
    def.friction = (float)(2 * friction);
    network_run *run = network_run_create(&system, true, &def, &shape);
    mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    mote_collider_id id;
    plane.friction = (float)(friction / 2);
    engine_check(mote_system_add_collider(run->system, &plane, &id), "mote_system_add_collider");
    engine_add_force(run->system, mote_gravity((float[3]){(float)(GRAVITY * sin(angle)),
                                                          (float)(-GRAVITY * cos(angle)), 0}));
    run_frames(run, 30);
    double way = 0;
    for (uint32_t i = 0; i < shape.particle_count; i++) {
        float at[3];
        network_place(run, i, at);
        way += ((double)at[0] - (double)shape.positions[i][0]) / shape.particle_count;
    }
    const double rubbed = friction * GRAVITY * cos(angle), a = fmax(0, GRAVITY * sin(angle) - rubbed);
    verify_add(report, solver_name[solver], way, a * time * time / 2 * (1 + h / time),
               FLOAT_ROUNDING * (solver == SPRINGS ? n : 4 * n * sqrt(n) / 3) +
                   (solver == DUAL && a > 0 ? h * rubbed * time : 0),
               "m down 22.5 degrees in 0.5 s, friction %g", friction);
    network_run_destroy(run);
    shape_destroy(&shape);
}

void verify_net_slope(verify_report *report) {
    static const double friction[] = {0, 0.1, 0.3, 0.5};
    for (int solver = SPRINGS; solver < SOLVERS; solver++)
        for (size_t i = 0; i < sizeof friction / sizeof *friction; i++)
            slide(report, (net_solver)solver, friction[i]);
}

/* --- Far from the origin --- */

/* Two points, 1 m apart, of which the first is pinned or both fall. */
static network_shape pair_at(double at, net_solver solver, bool pinned) {
    network_shape shape = shape_create(2, 1, 1);
    shape_put(&shape, 0, (float)at, 0, 0, 1);
    shape_put(&shape, 1, (float)at, -1, 0, 1);
    shape_join(&shape, 0, 1, solver == DUAL ? INFINITY : 2e4f, 0);
    if (pinned) shape_pin(&shape, 0), shape.velocities[1][0] = 0.1f;
    return shape;
}

/* README: constrained networks keep a low part of each position. The speed is g t, and the way, presented
 * from where the fall began, g t (t + h) / 2; each of 480 substeps rounds both. */
static void fall_at(verify_report *report, net_solver solver, double at) {
    network_shape shape = pair_at(at, solver, false);
    for (int i = 0; i < 2; i++) shape.positions[i][1] += (float)at;
    network_run *run = make(&shape, solver, 8, false, 1e-5);
    float v[3];
    run_frames(run, 60);
    network_velocity(run, 0, v);
    verify_add(report, solver_name[solver], -(double)v[1], GRAVITY, 480 * FLOAT_ROUNDING * GRAVITY,
               "m/s after 1 s of free fall, %g m away", at);
    mote_present_layout layout = mote_default_present_layout();
    float shown[2][3];
    layout.origin[0] = layout.origin[1] = at;
    engine_check(mote_network_present(run->system, run->network, &layout, shown, sizeof shown),
                 "mote_network_present");
    verify_add(report, solver_name[solver], -(double)shown[0][1], GRAVITY / 2 * (1 + 1.0 / 480),
               480 * FLOAT_ROUNDING * GRAVITY / 2, "m fallen in 1 s, %g m away", at);
    network_run_destroy(run);
    shape_destroy(&shape);
}

/* 2 pi sqrt(l / g) (1 + a^2 / 16), a = 0.1 m/s / sqrt(g l): Huygens, with the first term for the amplitude;
 * of the primal form l is longer by m g / k. l is held to max_strain, and the period goes with its root;
 * implicit Euler stretches a period by (w h)^2 / 3, the passages are found on a chord between frames. */
static void swing_at(verify_report *report, net_solver solver, double at) {
    network_shape shape = pair_at(at, solver, true);
    const double strain = 1e-5;
    network_run *run = make(&shape, solver, 8, false, strain);
    double before = 0.1, first = 0, last = 0;
    uint32_t turns = 0;
    for (uint32_t frame = 1; frame <= 1200; frame++) {
        float v[3];
        network_run_frame(run);
        network_velocity(run, 1, v);
        if (before < 0 && v[0] >= 0) {
            last = (frame - (double)v[0] / ((double)v[0] - before)) / 60;
            if (!turns++) first = last;
        }
        before = (double)v[0];
    }
    const double length = 1 + (solver == DUAL ? 0 : GRAVITY / 2e4), w = sqrt(GRAVITY / length),
                 period = 2 * PI / w * (1 + 0.01 / GRAVITY / 16), wh = w / 480, wf = w / 60;
    verify_add(report, solver_name[solver], (last - first) / (turns - 1.0), period,
               period * (strain / 2 + wh * wh / 3 + wf * wf * wf / 10 / (2 * PI * (turns - 1.0))),
               "period of a pendulum of 1 m, s, %g m away", at);
    network_run_destroy(run);
    shape_destroy(&shape);
}

void verify_far_nets(verify_report *report) {
    static const double distances[] = {0, 1e3, 1e5};
    for (int solver = PRIMAL; solver < SOLVERS; solver++)
        for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
            fall_at(report, (net_solver)solver, distances[i]);
            swing_at(report, (net_solver)solver, distances[i]);
        }
}
