/* Experiments with a rope: hanging, beside the equilibrium of its links, and swinging, beside the modes of
 * the chain. All references are computed in double from the equations of a chain of N - 1 links and N points,
 * not from the limit of small links. */
#include <math.h>

#include "verify.h"
#include "engine.h"
#include "strands.h"

#define POINTS  32u
#define LINKS   (POINTS - 1)
#define GRAVITY ((double)9.81f)

static const char *solver_name(mote_strand_solver solver) {
    static const char *const names[] = {"strand springs", "strand robust", "strand conserving"};
    return names[solver];
}

static rope_setup rope_of(mote_strand_solver solver, uint32_t substeps) {
    return (rope_setup){.solver = solver,
                        .strands = 1,
                        .points = POINTS,
                        .substeps = substeps,
                        .threads = 1,
                        .length = 1,
                        .max_strain = 3e-5f}; /* 1e-6 m of a link: 16 roundings of a coordinate */
}

static void point_place(const strand_run *run, uint32_t k, double place[3]) {
    mote_strands_view view = mote_strands_columns(run->system, run->id);
    uint32_t slot = mote_strands_slot(run->system, run->id, 0, k);
    const float *const column[3] = {view.position.x, view.position.y, view.position.z};
    for (int axis = 0; axis < 3; axis++) place[axis] = (double)column[axis][slot];
}

/* kg m/s along y. */
static double momentum_of(const strand_run *run, double point_mass) {
    mote_strands_view view = mote_strands_columns(run->system, run->id);
    double sum = 0;
    for (uint32_t k = 1; k < POINTS; k++)
        sum += point_mass * (double)view.velocity.y[mote_strands_slot(run->system, run->id, 0, k)];
    return sum;
}

/* --- Hung from one pin --- */

#define REST_FRAMES 3600u /* a minute: air of 0.3 kg/(m s) stops a swing in less than a second */

/* Link i bears the LINKS - i points below it: it is longer by the compliance times their weight. */
static double tip_elongation(const rope_setup *setup) {
    return (double)setup->compliance * rope_point_mass(setup) * GRAVITY * (LINKS * (LINKS + 1) / 2);
}

/* Coordinates of up to 1 m are rounded by half a unit in the last place, 2^-25; a link has two ends.
 * Constraints are solved to max_strain of its length besides. */
static double length_allowed(const rope_setup *setup) {
    double rounding = LINKS * 2 * FLOAT_ROUNDING,
           solved = setup->solver == MOTE_STRAND_SPRINGS ? 0 : (double)setup->max_strain;
    return rounding + solved * (double)setup->length;
}

/* The momentum balance of a step: the impulse of the pin is weight x dt plus the change of momentum.
 * Constrained points are placed with two roundings in every substep, each of which is an impulse m 2^-24 / h;
 * springs round the sums of their forces. */
static double impulse_allowed(const rope_setup *setup, double momentum_change) {
    double h = rope_substep(setup), mass = rope_point_mass(setup);
    return fabs(momentum_change) + 2 * POINTS * setup->substeps * mass * FLOAT_ROUNDING / h;
}

static void hang(verify_report *report, const char *kind, rope_setup setup) {
    const char *name = solver_name(setup.solver);
    setup.drag = 0.3f;
    strand_run *run = rope_create(&setup);
    for (uint32_t i = 0; i < REST_FRAMES; i++) strand_run_frame(run);
    double tip[3], mass = rope_point_mass(&setup), before = momentum_of(run, mass),
                   weight = LINKS * mass * GRAVITY;
    strand_run_frame(run);
    point_place(run, LINKS, tip);
    verify_add(report, name, -tip[1], 1 + tip_elongation(&setup), length_allowed(&setup), "%s: tip's depth",
               kind);
    verify_add(report, name, hypot(tip[0], tip[2]), 0, length_allowed(&setup), "%s: tip beside the pin",
               kind);
    float impulse[3];
    engine_check(mote_strands_reaction(run->system, run->id, 0, 0, impulse), "mote_strands_reaction");
    verify_add(report, name, -(double)impulse[1], weight / 60,
               impulse_allowed(&setup, momentum_of(run, mass) - before),
               "%s: impulse on the pin over a step, N s", kind);
    strand_run_destroy(run);
}

/* --- Between two pins --- */

#define SPAN 0.6 /* m, between the pins */

/* Link i points along (H, V_i). V_i falls by the weight of a point from link to link and is 0 in the middle
 * by symmetry; H, in weights, is found by bisection on the span. */
void verify_chain_at_rest(uint32_t points, double link, double span, double (*place)[2]) {
    double low = 1e-6, high = 1e6;
    for (int turn = 0; turn < 200; turn++) {
        double h = sqrt(low * high), x = 0, y = 0;
        for (uint32_t i = 0; i < points; i++) {
            double v = 0.5 * (points - 2) - i, scale = link / sqrt(h * h + v * v);
            place[i][0] = x;
            place[i][1] = -y;
            x += h * scale;
            y += v * scale;
        }
        *(place[points - 1][0] > span ? &high : &low) = h;
    }
}

/* All links may be longer, because they are solved to max_strain and rounded: the second chain. Impulses
 * point along the links before the last move of a substep, so the end links are off by no more than the fall
 * of a free point in it, h^2 g, at either pin. With more than 8 substeps velocities, which are differences of
 * rounded positions over h, keep the rope moving, by up to 1e-4 m at 16 and 1e-3 m at 64 (measured). */
static void span(verify_report *report, mote_strand_solver solver) {
    rope_setup setup = rope_of(solver, 8);
    setup.drag = 0.3f;
    strand_run *run = rope_create(&setup);
    engine_check(mote_strands_pin(run->system, run->id, 0, LINKS, (float[3]){SPAN, 0, 0}, MOTE_NEXT_ADVANCE),
                 "mote_strands_pin");
    for (uint32_t i = 0; i < REST_FRAMES; i++) strand_run_frame(run);
    double exact[POINTS][2], longer[POINTS][2], error = 0, length = 0, h = rope_substep(&setup), at[3];
    verify_chain_at_rest(POINTS, 1.0 / LINKS, SPAN, exact);
    verify_chain_at_rest(POINTS, (1.0 + length_allowed(&setup)) / LINKS, SPAN, longer);
    for (uint32_t k = 0; k < POINTS; k++) {
        point_place(run, k, at);
        error = larger_or_nan(error, hypot(hypot(at[0] - exact[k][0], at[1] - exact[k][1]), at[2]));
        length = larger_or_nan(length, hypot(longer[k][0] - exact[k][0], longer[k][1] - exact[k][1]));
    }
    point_place(run, POINTS / 2, at);
    double allowed = length + length_allowed(&setup) + 2 * h * h * GRAVITY;
    verify_add(report, solver_name(solver), -at[1], -exact[POINTS / 2][1], allowed, "between two pins: sag");
    verify_add(report, solver_name(solver), error, 0, allowed, "between two pins: farthest point off");
    strand_run_destroy(run);
}

void verify_hanging_rope(verify_report *report) {
    rope_setup springs = rope_of(MOTE_STRAND_SPRINGS, 16), robust = rope_of(MOTE_STRAND_ROBUST, 4),
               rigid = robust, damped;
    springs.compliance = robust.compliance = 1e-3f;
    springs.damping = 0.05f;
    springs.hangs = robust.hangs = rigid.hangs = true;
    damped = robust;
    damped.damping = 0.05f;
    hang(report, "springs", springs);
    hang(report, "compliant", robust);
    hang(report, "compliant, damped", damped);
    hang(report, "rigid", rigid);
    span(report, MOTE_STRAND_ROBUST);
}

/* --- Swinging --- */

/* The lowest mode of small swings: m w^2 x_k = (T_(k-1) (x_k - x_(k-1)) - T_k (x_(k+1) - x_k)) / link with
 * T_i = (LINKS
 * - i) m g, by inverse iteration on the tridiagonal matrix. Returns w; mode[POINTS - 1] = 1. */
static double lowest_mode(double link, double mode[POINTS]) {
    double square = 0;
    for (uint32_t k = 0; k < POINTS; k++) mode[k] = (double)k / LINKS;
    for (int turn = 0; turn < 200; turn++) {
        /* K x = mode: the tension is a sum from the tip, the shape a sum from the root. */
        double solved[POINTS] = {0}, force = 0, slope[POINTS];
        for (uint32_t k = LINKS; k > 0; k--) {
            force += mode[k];
            slope[k] = force * link / ((POINTS - k) * GRAVITY);
        }
        for (uint32_t k = 1; k < POINTS; k++) solved[k] = solved[k - 1] + slope[k];
        square = mode[LINKS] / solved[LINKS];
        for (uint32_t k = 0; k < POINTS; k++) mode[k] = solved[k] / solved[LINKS];
    }
    return sqrt(square);
}

/* Puts the hanging rope into the mode, the links exactly as long as they are, and returns the largest
 * angle. */
static double bend_into(const strand_run *run, const double mode[POINTS], double amplitude) {
    mote_strands_view view = mote_strands_columns(run->system, run->id);
    double largest = 0, y = 0;
    for (uint32_t k = 1; k < POINTS; k++) {
        uint32_t slot = mote_strands_slot(run->system, run->id, 0, k);
        double dx = amplitude * (mode[k] - mode[k - 1]) * LINKS;
        y -= sqrt(1 - dx * dx) / LINKS;
        view.position.x[slot] = (float)(amplitude * mode[k]);
        view.position.y[slot] = (float)y;
        largest = fmax(largest, asin(fabs(dx)));
    }
    return largest;
}

#define SWINGS 10u

/* rad/s of the tip, from its first and its last passage through the middle, SWINGS periods apart. */
static double tip_frequency(strand_run *run) {
    double first = 0, before = 0, here = 0, at[3];
    uint32_t passages = 0;
    for (uint32_t frame = 0; frame < 6000; frame++) {
        strand_run_frame(run);
        point_place(run, LINKS, at);
        before = here, here = at[0];
        if (frame == 0 || (before < 0) == (here < 0)) continue;
        double time = (frame + 1 - here / (here - before)) / 60;
        if (passages == 0) first = time;
        if (passages++ == 2 * SWINGS) return 2 * acos(-1) * SWINGS / (time - first);
    }
    return NAN;
}

/* Angles a stretch a period in the second order, by a^2 / 16 for a pendulum; a time step of order 2 stretches
 * it by (w h)^2 / 24, that of the robust solver, which damps, by (w h)^2. w goes with the root of the length,
 * which is solved to max_strain. The velocity of the robust solver is a displacement over h: two roundings
 * of x <= A in a substep are an acceleration of A 2^-23 / h^2 beside w^2 A, and move w by half of that part
 * at worst. The passages are found on a chord, whose error is of the third order in w / 60. */
static void swing(verify_report *report, mote_strand_solver solver, uint32_t substeps) {
    const double amplitude = 0.01;
    rope_setup setup = rope_of(solver, substeps);
    setup.hangs = true;
    double mode[POINTS], w = lowest_mode(1.0 / LINKS, mode), h = rope_substep(&setup);
    strand_run *run = rope_create(&setup);
    double angle = bend_into(run, mode, amplitude), frame = w / 60;
    double rounding = solver == MOTE_STRAND_ROBUST ? FLOAT_ROUNDING / (w * h * w * h) : 0;
    double allowed = w * (rounding + angle * angle + w * h * w * h + 0.5 * (double)setup.max_strain +
                          (frame * frame * frame / 10) / (2 * acos(-1) * SWINGS));
    double measured = tip_frequency(run), limit = 2.404825557695773 / 2 * sqrt(GRAVITY);
    verify_add(report, solver_name(solver), measured, w, allowed, "lowest mode of 31 links, rad/s");
    verify_add(report, solver_name(solver), measured, limit, allowed + fabs(w - limit),
               "the same beside j0 / 2 sqrt(g / L), no links");
    strand_run_destroy(run);
}

/* |E - E0| over m g times the fall of the centre of mass from horizontal to hanging, at the default
 * max_strain. README gives 0.01 % in 5 s and 0.1 % in 60 s. */
static void keep_energy(verify_report *report, uint32_t substeps) {
    rope_setup setup = rope_of(MOTE_STRAND_CONSERVING, substeps);
    setup.max_strain = 0;
    strand_run *run = rope_create(&setup);
    double mass = rope_point_mass(&setup), depth = rope_depth(&setup), start = rope_energy(run, 0, mass),
           largest = 0;
    for (uint32_t frame = 1; frame <= 3600; frame++) {
        strand_run_frame(run);
        largest = larger_or_nan(largest, fabs(rope_energy(run, 0, mass) - start) / depth);
        if (frame != 300 && frame != 3600) continue;
        verify_add(report, solver_name(setup.solver), largest, 0, frame == 300 ? 1e-4 : 1e-3,
                   "energy lost in %u s over the swing's depth, %u substeps", (unsigned)frame / 60,
                   (unsigned)substeps);
    }
    strand_run_destroy(run);
}

void verify_swinging_rope(verify_report *report) {
    swing(report, MOTE_STRAND_CONSERVING, 16);
    swing(report, MOTE_STRAND_ROBUST, 4);
    keep_energy(report, 4);
    keep_energy(report, 8);
}
