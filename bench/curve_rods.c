/* Curves of rods: cantilevers beside the elastica, a curl under load, a groom. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curves.h"
#include "engine.h"
#include "random.h"
#include "strands.h"

#define GRAVITY 9.81
#define PI      3.14159265358979323846

enum { MOST_POINTS = 64, MOST_RODS = 150 };

static float positions[MOST_RODS][MOST_POINTS][3], masses[MOST_RODS][MOST_POINTS],
    stiffness[MOST_RODS][MOST_POINTS];

static mote_strands_def def_of(uint32_t rods, uint32_t points) {
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 8, def.strand_count = rods, def.points = points;
    return def;
}

static strand_run *start(const mote_strands_def *def) {
    const mote_system_def system = mote_default_system_def();
    strand_run *run = strand_run_create(&system, (float[3]){0, (float)-GRAVITY, 0});
    strand_run_add(run, def);
    return run;
}

static const char header[] = "set,strand,point,x,y,z,unit\n";

/* The strands from `first` to `end` - 1 as points of a set. */
static void write_rods(FILE *file, const char *set, const strand_run *run, uint32_t first, uint32_t end,
                       double scale, const char *unit) {
    const mote_strands_view view = mote_strands_columns(run->system, run->id);
    for (uint32_t rod = first; rod < end; rod++)
        for (uint32_t k = 0; k < mote_strands_points(run->system, run->id, rod); k++) {
            const uint32_t slot = mote_strands_slot(run->system, run->id, rod, k);
            fprintf(file, "%s,%u,%u,%.6g,%.6g,%.6g,%s\n", set, (unsigned)rod, (unsigned)k,
                    scale * (double)view.position.x[slot], scale * (double)view.position.y[slot],
                    scale * (double)view.position.z[slot], unit);
        }
}

/* --- Cantilevers --- */

enum { LOADS = 4, CANTILEVER_POINTS = 33, ELASTICA_STEPS = 2000 };
static const double load_of[LOADS] = {1, 5, 10, 50}; /* q L^3 / EI */

/* The elastica of length 1 under its own weight: angle'' = -G (1 - s) cos(angle), from the clamp with the
 * curvature `bend`, by the midpoint rule. Returns the curvature at the tip. */
static double shoot(double g, double bend, FILE *file) {
    const double h = 1.0 / ELASTICA_STEPS;
    double angle = 0, x = 0, y = 0;
    for (int i = 0; i < ELASTICA_STEPS; i++) {
        if (file && i % 20 == 0) fprintf(file, "elastica %g,0,%d,%.6g,%.6g,0,L\n", g, i / 20, x, y);
        const double s = h * i, half = angle + 0.5 * h * bend,
                     half_bend = bend + 0.5 * h * g * (1 - s) * cos(angle);
        x += h * cos(half), y += h * sin(half);
        angle += h * half_bend, bend += h * g * (1 - s - 0.5 * h) * cos(half);
    }
    if (file) fprintf(file, "elastica %g,0,%d,%.6g,%.6g,0,L\n", g, ELASTICA_STEPS / 20, x, y);
    return bend;
}

/* The curvature at the clamp for which that of the tip is 0, by bisection. */
static double clamp_curvature(double g) {
    double low = -g, high = 0;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        *(shoot(g, middle, NULL) > 0 ? &high : &low) = middle;
    }
    return 0.5 * (low + high);
}

void write_cantilevers(FILE *file) {
    fputs(header, file);
    const double length = 0.3, density = 1e-3, segment = length / (CANTILEVER_POINTS - 1);
    static float points[LOADS][CANTILEVER_POINTS][3], mass[LOADS][CANTILEVER_POINTS],
        bending[LOADS][CANTILEVER_POINTS];
    for (int i = 0; i < LOADS; i++)
        for (int k = 0; k < CANTILEVER_POINTS; k++) {
            points[i][k][0] = (float)(segment * k);
            mass[i][k] = (float)(density * segment * (k + 1 < CANTILEVER_POINTS ? 1 : 0.5));
            bending[i][k] = (float)(density * GRAVITY * length * length * length / load_of[i]);
        }
    mote_strands_def def = def_of(LOADS, CANTILEVER_POINTS);
    def.positions = points[0][0], def.point_mass = mass[0], def.point_bending_stiffness = bending[0];
    strand_run *run = start(&def);
    strand_run_settle(run, 1500, 0.43f);
    for (uint32_t i = 0; i < LOADS; i++) {
        char set[40];
        snprintf(set, sizeof set, "mote %g", load_of[i]);
        write_rods(file, set, run, i, i + 1, 1 / length, "L");
    }
    for (int i = 0; i < LOADS; i++) shoot(load_of[i], clamp_curvature(load_of[i]), file);
    strand_run_destroy(run);
}

/* --- A curl --- */

enum { CURL_LOADS = 4 };

void write_curls(FILE *file) {
    fputs(header, file);
    const double radius = 0.02, pitch = 0.004, turn = 0.35;
    mote_strands_def def = def_of(CURL_LOADS, MOST_POINTS);
    for (int i = 0; i < CURL_LOADS; i++)
        for (int k = 0; k < MOST_POINTS; k++) {
            float *p = positions[0][0] + 3 * (MOST_POINTS * i + k);
            p[0] = (float)(0.12 * i + radius * sin(turn * k)), p[2] = (float)(radius * cos(turn * k));
            p[1] = (float)(-pitch * turn * k);
            masses[i][k] = (float)(2e-6 + (k + 1 == MOST_POINTS ? 2e-5 * i : 0));
        }
    def.positions = positions[0][0], def.point_mass = masses[0];
    def.bending_stiffness = 2e-6f, def.twisting_stiffness = 1.5e-6f;
    strand_run *run = start(&def);
    write_rods(file, "at rest", run, 0, 1, 1e3, "mm");
    strand_run_settle(run, 3000, 0.9f);
    for (uint32_t i = 0; i < CURL_LOADS; i++) {
        char set[40];
        snprintf(set, sizeof set, "%u mg", 20 * (unsigned)i);
        write_rods(file, set, run, i, i + 1, 1e3, "mm");
    }
    strand_run_destroy(run);
}

/* --- A groom --- */

#define HAIR_LENGTH 0.09 /* m: longer, and some of the curls are unstable */

static double uniform(int rod, uint32_t draw) {
    return 0.5 + 0.5 * (double)random_signed(random_bits((uint64_t)rod, draw), 0);
}

/* A curl of hair from a head of 0.1 m, about the direction in which it grows. */
static void lay_curl(int rod) {
    const double height = 0.15 + 0.85 * uniform(rod, 0), around = 2 * PI * uniform(rod, 1),
                 across = sqrt(1 - height * height), phase = 2 * PI * uniform(rod, 2),
                 radius = 0.008 + 0.004 * uniform(rod, 3), pitch = 0.012 + 0.004 * uniform(rod, 4);
    const double t[3] = {across * cos(around), height, across * sin(around)};
    const double u[3] = {-sin(around), 0, cos(around)};
    const double v[3] = {t[1] * u[2] - t[2] * u[1], t[2] * u[0] - t[0] * u[2], t[0] * u[1] - t[1] * u[0]};
    const double turn = HAIR_LENGTH / (MOST_POINTS - 1) / sqrt(radius * radius + pitch * pitch);
    for (int k = 0; k < MOST_POINTS; k++) {
        const double a = phase + turn * k;
        for (int i = 0; i < 3; i++)
            positions[rod][k][i] =
                (float)(0.1 * t[i] + pitch * turn * k * t[i] +
                        radius * ((cos(a) - cos(phase)) * u[i] + (sin(a) - sin(phase)) * v[i]));
        masses[rod][k] = (float)(6.6e-6 * HAIR_LENGTH / (MOST_POINTS - 1) * (k + 1 < MOST_POINTS ? 1 : 0.5));
        stiffness[rod][k] = 8e-9f;
    }
}

void write_groom(FILE *file) {
    fputs(header, file);
    mote_strands_def def = def_of(MOST_RODS, MOST_POINTS);
    for (int rod = 0; rod < MOST_RODS; rod++) lay_curl(rod);
    def.positions = positions[0][0], def.point_mass = masses[0];
    def.point_bending_stiffness = stiffness[0], def.twisting_stiffness = 6e-9f;
    for (int kept = 0; kept < 2; kept++) {
        def.rest_acceleration[1] = kept ? (float)-GRAVITY : 0;
        strand_run *run = start(&def);
        if (!kept) write_rods(file, "given", run, 0, MOST_RODS, 1e3, "mm");
        strand_run_settle(run, 600, 1);
        write_rods(file, kept ? "with" : "without", run, 0, MOST_RODS, 1e3, "mm");
        strand_run_destroy(run);
    }
}
