/* Contact and friction of strands: a heavy rope over half a turn of a capsule slips where Euler and Eytelwein
 * say and does not creep where it holds; a short strand slides down a slope as a body does. */
#include <math.h>

#include "engine.h"
#include "strands.h"
#include "verify.h"

#define PI      3.14159265358979323846
#define GRAVITY 9.81

static strand_run *make(mote_strands_def *def, const mote_collider_def *collider, uint32_t substeps) {
    mote_system_def system = mote_default_system_def();
    system.capacity = 0, system.substeps = substeps;
    def->substeps = 0, def->strand_count = 1, def->free_roots = true;
    strand_run *run = strand_run_create(&system, (float[3]){0, (float)-GRAVITY, 0});
    strand_run_add(run, def);
    engine_check(mote_system_add_collider(run->system, collider, &run->collider), "mote_system_add_collider");
    return run;
}

static void place(const strand_run *run, uint32_t k, double x[3]) {
    const mote_strands_view view = mote_strands_columns(run->system, run->id);
    const uint32_t slot = mote_strands_slot(run->system, run->id, 0, k);
    x[0] = (double)view.position.x[slot], x[1] = (double)view.position.y[slot];
    x[2] = (double)view.position.z[slot];
}

/* --- Over a capsule --- */

enum { POINTS = 129 };
#define LENGTH   2.0  /* m */
#define RADIUS   0.05 /* m */
#define FRICTION 0.3

static float rope[POINTS][3];

/* Lays the rope over the capsule, both ends hang down; ratio: of the longer to the shorter. */
static strand_run *lay_rope(double ratio, uint32_t substeps) {
    const double arc = PI * RADIUS, shorter = (LENGTH - arc) / (1 + ratio);
    for (int k = 0; k < POINTS; k++) {
        const double s = LENGTH * k / (POINTS - 1.0) - shorter, angle = PI - s / RADIUS;
        rope[k][0] = (float)(s < 0 ? -RADIUS : s < arc ? RADIUS * cos(angle) : RADIUS);
        rope[k][1] = (float)(s < 0 ? s : s < arc ? RADIUS * sin(angle) : arc - s);
    }
    mote_strands_def def = mote_default_strands_def();
    mote_collider_def capsule = mote_capsule((float[3]){0, 0, -1}, (float[3]){0, 0, 1}, (float)RADIUS);
    capsule.friction = (float)FRICTION;
    def.points = POINTS, def.positions = rope[0], def.mass = 1, def.friction = (float)FRICTION;
    return make(&def, &capsule, substeps);
}

/* How far the longer end is below its first place, m. */
static double descent(const strand_run *run) {
    double x[3];
    place(run, POINTS - 1, x);
    return (double)rope[POINTS - 1][1] - x[1];
}

static bool slips(double ratio, uint32_t substeps) {
    strand_run *run = lay_rope(ratio, substeps);
    strand_run_settle(run, 120, 1);
    const bool slipped = !(fabs(descent(run)) < 0.01);
    strand_run_destroy(run);
    return slipped;
}

/* dT/da = mu (T + w R sin a) + w R cos a in the angle a from the side of the shorter end: it slips where
 * L2 > (L1 + b) e^(mu pi) + b, b = 2 mu R / (1 + mu^2). */
static double critical_ratio(void) {
    const double b = 2 * FRICTION * RADIUS / (1 + FRICTION * FRICTION), e = exp(FRICTION * PI),
                 ends = LENGTH - PI * RADIUS, shorter = (ends - b * (1 + e)) / (1 + e);
    return (ends - shorter) / shorter;
}

/* The points on the capsule are 18 degrees apart, and whether the first and the last of them touch is open:
 * e^(mu a) for an angle that is 18 degrees too large or small is 9 % off; three points of that are allowed.
 */
void verify_capstan(verify_report *report) {
    for (uint32_t substeps = 8; substeps <= 32; substeps *= 2) {
        double holds = 0.9 * critical_ratio(), falls = 1.1 * critical_ratio();
        for (int i = 0; i < 7; i++) {
            const double middle = 0.5 * (holds + falls);
            *(slips(middle, substeps) ? &falls : &holds) = middle;
        }
        verify_add(report, "rope", 0.5 * (holds + falls), critical_ratio(), 0.03 * critical_ratio(),
                   "ratio of the ends at which it slips, %u substeps", (unsigned)substeps);
        strand_run *run = lay_rope(2.14, substeps);
        strand_run_settle(run, 6, 1);
        const double settled = descent(run);
        strand_run_settle(run, 114, 1);
        verify_add(report, "rope", descent(run) - settled, 0, 1e-4, "m of creep in 1.9 s, %u substeps",
                   (unsigned)substeps);
        strand_run_destroy(run);
    }
}

/* --- Down a slope --- */

/* m along a slope in a second, of two points that begin on it at rest. */
static double slide(double angle, double friction, uint32_t substeps) {
    const float normal[3] = {(float)sin(angle), (float)cos(angle), 0};
    static float points[2][3];
    points[1][2] = 0.1f;
    mote_strands_def def = mote_default_strands_def();
    mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, normal);
    plane.friction = (float)friction;
    def.points = 2, def.positions = points[0], def.mass = 0.01f, def.friction = (float)friction;
    strand_run *run = make(&def, &plane, substeps);
    strand_run_settle(run, 60, 1);
    double x[3];
    place(run, 0, x);
    strand_run_destroy(run);
    return hypot(x[0], x[1]);
}

/* Semi-implicit Euler goes a t h / 2 further; the first contact may take a substep more to be found: a t h.
 */
void verify_slope(verify_report *report) {
    static const double friction[] = {0, 0.1, 0.3, 0.5};
    for (size_t i = 0; i < sizeof friction / sizeof *friction; i++) {
        const double angle = PI / 8, h = 1.0 / 480,
                     a = fmax(0, GRAVITY * (sin(angle) - friction[i] * cos(angle)));
        verify_add(report, "strand", slide(angle, friction[i], 8), a / 2 * (1 + h), a > 0 ? a * h : 1e-4,
                   "m down 22.5 degrees in 1 s, friction %g", friction[i]);
    }
}
