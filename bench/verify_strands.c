/* Forces of strands beside closed forms: terminal speeds in air, springs to the rest shape; and falls and
 * pendulums at any distance from the origin. */
#include <math.h>

#include "engine.h"
#include "strands.h"
#include "verify.h"

#define PI      3.14159265358979323846
#define GRAVITY ((double)9.81f)
enum { POINTS = 9 };

static const char *const solver_name[] = {"strand springs", "strand robust", "strand conserving"};

static void read(const strand_run *run, uint32_t k, double x[3], double v[3]) {
    const mote_strands_view view = mote_strands_columns(run->system, run->id);
    const uint32_t slot = mote_strands_slot(run->system, run->id, 0, k);
    x[0] = (double)view.position.x[slot], x[1] = (double)view.position.y[slot];
    x[2] = (double)view.position.z[slot];
    v[0] = (double)view.velocity.x[slot], v[1] = (double)view.velocity.y[slot];
    v[2] = (double)view.velocity.z[slot];
}

static strand_run *make(mote_strands_def *def, uint32_t substeps) {
    mote_system_def system = mote_default_system_def();
    system.capacity = 0, system.substeps = substeps, system.interpolation = MOTE_INTERPOLATE_NONE;
    def->strand_count = 1, def->substeps = 0;
    strand_run *run = strand_run_create(&system, (float[3]){0, (float)-GRAVITY, 0});
    strand_run_add(run, def);
    return run;
}

/* --- Air --- */

/* A straight strand of 1 m and 8 g that falls, `angle` from the horizontal, its points with the mass of what
 * lies about them: m g = cn L v across it, and ct L v along it. Across it g cos, along it g sin; both have
 * come to their end after 5 s, 15 times m / c at the least. A speed v stops to change where what is left of
 * its acceleration is below half a unit in its last place over h: with the factor of that, m / (c h), and two
 * roundings in a substep. Aslant the strand has a segment only: one of more buckles. */
static void fall_in_air(verify_report *report, mote_strand_solver solver, int points, double angle) {
    const double mass = 0.008, normal = 0.05, tangential = 0.025, h = 1.0 / 240;
    static float positions[3 * POINTS], masses[POINTS];
    for (int k = 0; k < points; k++) {
        const double along = (double)k / (points - 1);
        positions[3 * k] = (float)(along * cos(angle)), positions[3 * k + 1] = (float)(along * sin(angle));
        masses[k] = (float)(mass / (points - 1) * (k % (points - 1) ? 1 : 0.5));
    }
    mote_strands_def def = mote_default_strands_def();
    def.solver = solver, def.points = (uint32_t)points, def.positions = positions, def.point_mass = masses;
    def.free_roots = true, def.normal_drag = (float)normal, def.tangential_drag = (float)tangential;
    strand_run *run = make(&def, 4);
    strand_run_settle(run, 300, 1);
    double x[3], v[3], most[2] = {mass * GRAVITY / normal, mass * GRAVITY / tangential};
    read(run, (uint32_t)points / 2, x, v);
    const double along = v[0] * cos(angle) + v[1] * sin(angle),
                 across = v[0] * sin(angle) - v[1] * cos(angle);
    for (int i = 0; i < 2; i++) {
        const double share = i ? sin(angle) : cos(angle), drag = i ? tangential : normal,
                     want = most[i] * share;
        if (share < 1e-9) continue;
        verify_add(report, solver_name[solver], i ? -along : across, want,
                   most[1] * 2 * FLOAT_ROUNDING * mass / (drag * h),
                   "terminal speed %s it, m/s, %.0f degrees down", i ? "along" : "across", angle * 180 / PI);
    }
    strand_run_destroy(run);
}

void verify_air(verify_report *report) {
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++) {
        fall_in_air(report, (mote_strand_solver)solver, POINTS, 0);
        fall_in_air(report, (mote_strand_solver)solver, POINTS, PI / 2);
        fall_in_air(report, (mote_strand_solver)solver, 2, PI / 6);
    }
}

/* --- Springs to the rest shape --- */

/* A free strand whose points each hang from a spring k: it sags by m g / k and swings about that as a whole,
 * with w = sqrt(k / m), which a step of order 2 moves by (w h)^2 / 24. The sag is a mean of 60 frames of a
 * motion that is damped by hand; the period is that of passages on a chord, to (w / 60)^2 / 8 of a frame. */
static void hang_on_pose(verify_report *report, mote_strand_solver solver) {
    static float positions[3 * POINTS];
    const double mass = 0.01 / POINTS, k = 0.4, w = sqrt(k / mass), h = 1.0 / 960;
    for (int i = 0; i < POINTS; i++) positions[3 * i] = (float)i / (POINTS - 1);
    mote_strands_def def = mote_default_strands_def();
    def.solver = solver, def.points = POINTS, def.positions = positions, def.mass = 0.01f;
    def.free_roots = true, def.pose_stiffness = (float)k;
    if (solver == MOTE_STRAND_SPRINGS) def.compliance = 0.1f;
    strand_run *run = make(&def, 16);
    double x[3], v[3], first = 0, last = 0, before = 0;
    uint32_t passages = 0;
    for (uint32_t frame = 1; frame <= 600; frame++) {
        strand_run_frame(run);
        read(run, POINTS / 2, x, v);
        if (before < 0 && v[1] >= 0) {
            last = (frame - v[1] / (v[1] - before)) / 60;
            if (!passages++) first = last;
        }
        before = v[1];
    }
    const double period = 2 * PI / w, wf = w / 60;
    verify_add(report, solver_name[solver], (last - first) / (passages - 1.0), period,
               period * w * h * w * h / 24 + 2 * wf * wf / 8 / 60 / (passages - 1.0),
               "period on springs to the rest shape, s");
    strand_run_settle(run, 300, 0.9f);
    read(run, POINTS / 2, x, v);
    verify_add(report, solver_name[solver], -x[1], mass * GRAVITY / k, 1e-6 * mass * GRAVITY / k,
               "sag on springs to the rest shape, m");
    strand_run_destroy(run);
}

void verify_pose(verify_report *report) {
    for (int solver = 0; solver < MOTE_STRAND_SOLVER_COUNT; solver++)
        hang_on_pose(report, (mote_strand_solver)solver);
}

/* --- Far from the origin --- */

static const double distances[] = {0, 1e3, 1e5};
enum { DISTANCES = sizeof distances / sizeof *distances };

static strand_run *pair_at(mote_strand_solver solver, const float from[3], const float to[3], bool free,
                           double compliance) {
    static float positions[6];
    mote_strands_def def = mote_default_strands_def();
    def.mass = 1, def.compliance = (float)compliance;
    for (int k = 0; k < 3; k++) positions[k] = from[k], positions[3 + k] = to[k];
    def.solver = solver, def.points = 2, def.positions = positions, def.free_roots = free;
    return make(&def, 8);
}

/* README: strands move at 100 km as at the origin. The speed is g t, and the way, presented from where the
 * fall began, g t^2 / 2; each of 480 substeps rounds both. */
static void fall_at(verify_report *report, mote_strand_solver solver, double at) {
    strand_run *run = pair_at(solver, (float[3]){0, (float)at, 0}, (float[3]){0.125f, (float)at, 0}, true, 0);
    strand_run_settle(run, 60, 1);
    double x[3], v[3];
    read(run, 0, x, v);
    verify_add(report, solver_name[solver], -v[1], GRAVITY, 480 * FLOAT_ROUNDING * GRAVITY,
               "m/s after 1 s of free fall, %g m away", at);
    mote_strand_layout layout = mote_default_strand_layout();
    float shown[2][3];
    layout.origin[1] = at;
    engine_check(mote_strands_present(run->system, run->id, &layout, shown, sizeof shown),
                 "mote_strands_present");
    verify_add(report, solver_name[solver], -(double)shown[0][1], GRAVITY / 2,
               480 * FLOAT_ROUNDING * GRAVITY / 2, "m fallen in 1 s, %g m away", at);
    strand_run_destroy(run);
}

/* 2 pi sqrt(l / g) (1 + a^2 / 16), a = 0.1 m/s / sqrt(g l): Huygens, with the first term for the amplitude. l
 * is held to max_strain, 0.2 %, and the period goes with its root: 0.1 %. */
static void swing_at(verify_report *report, mote_strand_solver solver, double at) {
    strand_run *run = pair_at(solver, (float[3]){(float)at, 0, 0}, (float[3]){(float)at, -1, 0}, false, 0);
    const mote_strands_view view = mote_strands_columns(run->system, run->id);
    double before = 0.1, first = 0, last = 0;
    uint32_t turns = 0;
    view.velocity.x[mote_strands_slot(run->system, run->id, 0, 1)] = 0.1f;
    for (uint32_t frame = 1; frame <= 1200; frame++) {
        double x[3], v[3];
        strand_run_frame(run);
        read(run, 1, x, v);
        if (before < 0 && v[0] >= 0) {
            last = (frame - v[0] / (v[0] - before)) / 60;
            if (!turns++) first = last;
        }
        before = v[0];
    }
    const double period = 2 * PI * sqrt(1 / GRAVITY) * (1 + 0.01 / GRAVITY / 16);
    verify_add(report, solver_name[solver], (last - first) / (turns - 1.0), period, 1e-3 * period,
               "period of a pendulum of 1 m, s, %g m away", at);
    strand_run_destroy(run);
}

/* README: reports of strains and energies include the low parts. A segment of 1/8 m with the compliance c
 * bears 1/2 kg: it is longer by c m g, and has half of that times m g. Places relative to the root are
 * rounded, and four of these make a length. */
static void hang_at(verify_report *report, double at) {
    const double compliance = 1e-3, force = 0.5 * GRAVITY, length = 0.125, longer = compliance * force;
    strand_run *run = pair_at(MOTE_STRAND_ROBUST, (float[3]){0, (float)at, 0},
                              (float[3]){0, (float)(at - length), 0}, false, compliance);
    mote_statistics sums;
    strand_run_settle(run, 300, 0.9f);
    engine_check(mote_strands_statistics(run->system, run->id, &sums), "mote_strands_statistics");
    verify_add(report, "strand robust", sums.max_strain, longer / length, 4 * FLOAT_ROUNDING,
               "strain of a segment under 0.5 kg, %g m away", at);
    verify_add(report, "strand robust", sums.elastic, force * longer / 2, 4 * FLOAT_ROUNDING * length * force,
               "J, its elastic energy, %g m away", at);
    strand_run_destroy(run);
}

void verify_far_strands(verify_report *report) {
    for (int solver = MOTE_STRAND_ROBUST; solver <= MOTE_STRAND_CONSERVING; solver++)
        for (int i = 0; i < DISTANCES; i++) {
            fall_at(report, (mote_strand_solver)solver, distances[i]);
            swing_at(report, (mote_strand_solver)solver, distances[i]);
        }
    for (int i = 0; i < DISTANCES; i++) hang_at(report, distances[i]);
}
