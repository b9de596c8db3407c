/* Rods of 33 points, 0.3 m and 1 g/m beside the elastica, Greenhill's load, the tones of a clamped rod, and
 * twist. Allowed is the error of a chain of 32 links: 1 % of a bent shape, where the sharpest is bent by a
 * quarter of a radian from link to link, and the square of the frequency's number of half waves over the
 * links in the tones. */
#include <math.h>
#include <string.h>

#include "engine.h"
#include "strands.h"
#include "verify.h"

#define PI      3.14159265358979323846
#define GRAVITY 9.81
#define LENGTH  0.3  /* m */
#define DENSITY 1e-3 /* kg/m */

enum { POINTS = 33, MOST_RODS = 16 };

typedef struct rods {
    uint32_t count, substeps;
    mote_rate rate;
    double gravity;              /* m/s^2, along -y */
    double stiffness[MOST_RODS]; /* EI, N m^2 */
    double twisting;             /* GJ over EI; 0: no frames */
    bool upright;
    float rest[POINTS][3]; /* in place of a straight rod, if `bent` */
    bool bent;
} rods;

static double mass_of(uint32_t k) { return DENSITY * LENGTH / (POINTS - 1) * (k % (POINTS - 1) ? 1 : 0.5); }

static rods rods_of(uint32_t count, uint32_t substeps) {
    return (rods){.count = count, .substeps = substeps, .rate = {60, 1}, .gravity = GRAVITY};
}

static strand_run *make(const rods *r) {
    static float positions[MOST_RODS][POINTS][3], mass[MOST_RODS][POINTS], bending[MOST_RODS][POINTS],
        twisting[MOST_RODS][POINTS];
    for (uint32_t rod = 0; rod < r->count; rod++)
        for (uint32_t k = 0; k < POINTS; k++) {
            const float along = (float)(LENGTH * k / (POINTS - 1));
            float *p = positions[rod][k];
            p[0] = r->upright ? 0 : along, p[1] = r->upright ? along : 0, p[2] = 0;
            if (r->bent) memcpy(p, r->rest[k], sizeof r->rest[k]);
            mass[rod][k] = (float)mass_of(k), bending[rod][k] = (float)r->stiffness[rod];
            twisting[rod][k] = (float)(r->twisting * r->stiffness[rod]);
        }
    mote_system_def system = mote_default_system_def();
    mote_strands_def def = mote_default_strands_def();
    system.capacity = 0, system.steps_per_second = r->rate, system.substeps = r->substeps;
    def.substeps = 0, def.strand_count = r->count, def.points = POINTS, def.positions = positions[0][0];
    def.point_mass = mass[0], def.point_bending_stiffness = bending[0];
    if (r->twisting > 0) def.point_twisting_stiffness = twisting[0];
    strand_run *run = strand_run_create(&system, (float[3]){0, (float)-r->gravity, 0});
    strand_run_add(run, &def);
    return run;
}

static void place(const strand_run *run, uint32_t rod, uint32_t k, double x[3]) {
    const mote_strands_view view = mote_strands_columns(run->system, run->id);
    const uint32_t slot = mote_strands_slot(run->system, run->id, rod, k);
    x[0] = (double)view.position.x[slot], x[1] = (double)view.position.y[slot];
    x[2] = (double)view.position.z[slot];
}

/* --- Horizontal rods --- */

/* Drop over reach under the weight, G = q L^3 / EI; drop over length under a tip load alone, P L^2 / EI. */
typedef struct load_row {
    double load, drop;
} load_row;

enum { LOADS = 4 };

void verify_cantilevers(verify_report *report) {
    static const load_row row[LOADS] = {{1, 0.12456}, {5, 0.58572}, {10, 1.06680}, {50, 3.70556}};
    for (int frames = 0; frames < 2; frames++) {
        rods r = rods_of(LOADS, 8);
        r.twisting = frames ? 0.7 : 0;
        for (int i = 0; i < LOADS; i++) r.stiffness[i] = DENSITY * GRAVITY * pow(LENGTH, 3) / row[i].load;
        strand_run *run = make(&r);
        strand_run_settle(run, 1500, 0.43f);
        for (uint32_t i = 0; i < LOADS; i++) {
            double x[3];
            place(run, i, POINTS - 1, x);
            verify_add(report, frames ? "rod with frames" : "rod", -x[1] / x[0], row[i].drop,
                       0.01 * row[i].drop, "drop over reach, q L^3 / EI = %g", row[i].load);
        }
        strand_run_destroy(run);
    }
}

static const float tip_load = 0.01f; /* N */

/* A tip has half the mass of the others. */
static void pull_at_tips(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    const float lightest = (float)(1.5 / mass_of(1));
    for (uint32_t i = 0; i < stage->count; i++)
        if (stage->inverse_mass && stage->inverse_mass[i] > lightest) y[i] -= tip_load;
    (void)user, (void)x, (void)z;
}

static void add_load(const strand_run *run, mote_force_callback *pull) {
    mote_force_def load = mote_callback(pull, NULL);
    load.as.callback.unit = MOTE_NEWTONS, load.as.callback.reach = MOTE_REACH_PARTICLE;
    engine_add_force(run->system, load);
}

void verify_tip_loads(verify_report *report) {
    static const load_row row[LOADS] = {{1, 0.301721}, {2, 0.493457}, {5, 0.713792}, {10, 0.810609}};
    rods r = rods_of(LOADS, 8);
    r.gravity = 0;
    for (int i = 0; i < LOADS; i++) r.stiffness[i] = (double)tip_load * LENGTH * LENGTH / row[i].load;
    strand_run *run = make(&r);
    add_load(run, pull_at_tips);
    strand_run_settle(run, 1500, 0.43f);
    for (uint32_t i = 0; i < LOADS; i++) {
        double x[3];
        place(run, i, POINTS - 1, x);
        verify_add(report, "rod", -x[1] / LENGTH, row[i].drop, 0.01 * row[i].drop,
                   "drop over length, P L^2 / EI = %g", row[i].load);
    }
    strand_run_destroy(run);
}

/* --- Upright rods --- */

/* Rods whose loads are 0.05 apart, pushed a little: the lightest load under which one falls over. Greenhill's
 * is within a row; near it a rod takes longer to fall than it is watched. */
void verify_greenhill(verify_report *report) {
    rods r = rods_of(MOST_RODS, 8);
    r.upright = true;
    for (int i = 0; i < MOST_RODS; i++)
        r.stiffness[i] = DENSITY * GRAVITY * pow(LENGTH, 3) / (7.5 + 0.05 * i);
    strand_run *run = make(&r);
    const mote_strands_view view = mote_strands_columns(run->system, run->id);
    for (uint32_t i = 0; i < MOST_RODS; i++)
        for (uint32_t k = 1; k < POINTS; k++)
            view.velocity.x[mote_strands_slot(run->system, run->id, i, k)] = 1e-2f * (float)k / POINTS;
    strand_run_settle(run, 6000, 0.98f);
    uint32_t standing = 0;
    for (double x[3]; standing < MOST_RODS; standing++) {
        place(run, standing, POINTS - 1, x);
        if (fabs(x[0]) > 0.05 * LENGTH) break;
    }
    verify_add(report, "rod", 7.5 + 0.05 * (standing - 0.5), 7.8373, 0.05,
               "q L^3 / EI at which it falls over");
    strand_run_destroy(run);
}

/* --- Tones --- */

/* Shape of a tone at s = x / L; square: beta^2. */
static double tone_shape(double square, double s) {
    const double b = sqrt(square), ratio = (cosh(b) + cos(b)) / (sinh(b) + sin(b));
    return cosh(b * s) - cos(b * s) - ratio * (sinh(b * s) - sin(b * s));
}

/* The mean time between two passages of the rod's share of the tone through 0, twice, in steps. */
static double steps_of_period(strand_run *run, double square) {
    double before = 0, first = 0, last = 0;
    uint32_t passages = 0;
    for (int i = 0; i < 300; i++) {
        double share = 0, x[3];
        for (uint32_t k = 1; k < POINTS; k++) {
            place(run, 0, k, x);
            share += mass_of(k) * x[1] * tone_shape(square, k / (POINTS - 1.0));
        }
        if (i && share * before < 0) {
            last = i - share / (share - before);
            if (passages++ == 0) first = last;
        }
        before = share;
        strand_run_frame(run);
    }
    return passages > 6 ? 2 * (last - first) / (passages - 1) : NAN;
}

void verify_tones(verify_report *report) {
    static const struct {
        double square, allowed;
    } tone[] = {{3.516015, 0.01}, {22.034492, 0.02}, {61.697214, 0.04}};
    for (size_t i = 0; i < sizeof tone / sizeof *tone; i++) {
        rods r = rods_of(1, 1);
        r.gravity = 0, r.stiffness[0] = 1e-3;
        const double frequency = tone[i].square / (2 * PI) / sqrt(DENSITY * pow(LENGTH, 4) / r.stiffness[0]);
        r.rate = (mote_rate){(uint64_t)(60 * frequency + 0.5), 1};
        strand_run *run = make(&r);
        const mote_strands_view view = mote_strands_columns(run->system, run->id);
        for (uint32_t k = 1; k < POINTS; k++)
            view.position.y[mote_strands_slot(run->system, run->id, 0, k)] =
                (float)(1e-4 * tone_shape(tone[i].square, k / (POINTS - 1.0)));
        verify_add(report, "rod", (double)r.rate.steps / steps_of_period(run, tone[i].square), frequency,
                   tone[i].allowed * frequency, "frequency of tone %u, Hz", (unsigned)i + 1);
        strand_run_destroy(run);
    }
}

/* --- Twist --- */

/* The root turns by 90 degrees about the rod; the last segment is pinned at both points. The length that
 * twists is between the clamp and the middle of the last segment. */
void verify_twist(verify_report *report) {
    static const double ratio[] = {0.1, 0.7, 3};
    for (size_t i = 0; i < sizeof ratio / sizeof *ratio; i++) {
        rods r = rods_of(1, 8);
        r.gravity = 0, r.stiffness[0] = 1e-5, r.twisting = ratio[i];
        strand_run *run = make(&r);
        for (uint32_t k = POINTS - 2; k < POINTS; k++) {
            double x[3];
            place(run, 0, k, x);
            engine_check(mote_strands_pin(run->system, run->id, 0, k, (float[3]){(float)x[0], 0, 0}, 0),
                         "mote_strands_pin");
        }
        const float half = (float)sqrt(0.5);
        for (int step = 1; step <= 60; step++) { /* a turn about x, step by step */
            const double angle = PI / 4 * step / 60;
            const mote_transform root = {{0, 0, 0}, {(float)sin(angle), 0, 0, (float)cos(angle)}};
            engine_check(mote_strands_set_root(run->system, run->id, 0,
                                               step < 60 ? &root : &(mote_transform){{0}, {half, 0, 0, half}},
                                               0),
                         "mote_strands_set_root");
            strand_run_frame(run);
        }
        strand_run_settle(run, 60, 0.9f);
        mote_statistics sums;
        engine_check(mote_strands_statistics(run->system, run->id, &sums), "mote_strands_statistics");
        const double whole = ratio[i] * 1e-5 * pow(PI / 2, 2) / (LENGTH * (POINTS - 1.5) / (POINTS - 1)) / 2;
        verify_add(report, "rod", sums.elastic, whole, 0.01 * whole,
                   "energy of 90 degrees of twist, GJ/EI = %g, J", ratio[i]);
        strand_run_destroy(run);
    }
}

static const float side_load = 1e-6f; /* N */

static void pull_aside(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    const float lightest = (float)(1.5 / mass_of(1));
    for (uint32_t i = 0; i < stage->count; i++)
        if (stage->inverse_mass && stage->inverse_mass[i] > lightest) z[i] += side_load;
    (void)user, (void)x, (void)y;
}

void verify_quarter_ring(verify_report *report) {
    static const double ratio[] = {0.1, 0.7, 5};
    const double radius = LENGTH / (PI / 2), turn = PI / 2 / (POINTS - 1);
    for (size_t i = 0; i < sizeof ratio / sizeof *ratio; i++) {
        rods r = rods_of(1, 8);
        r.gravity = 0, r.stiffness[0] = 1e-4, r.twisting = ratio[i], r.bent = true;
        double x = 0, y = 0;
        for (uint32_t k = 0; k < POINTS; k++) { /* the middles of the segments lie on the ring */
            r.rest[k][0] = (float)x, r.rest[k][1] = (float)y;
            x += radius * turn * cos(turn * k), y += radius * turn * sin(turn * k);
        }
        strand_run *run = make(&r);
        add_load(run, pull_aside);
        strand_run_settle(run, 1500, 0.6f);
        double at[3];
        place(run, 0, POINTS - 1, at);
        const double want =
            (double)side_load * pow(radius, 3) * (PI / 4 + (3 * PI / 4 - 2) / ratio[i]) / 1e-4;
        verify_add(report, "rod with frames", at[2], want, 0.01 * want, "tip out of the plane, GJ/EI = %g, m",
                   ratio[i]);
        strand_run_destroy(run);
    }
}
