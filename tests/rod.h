/* Rods for the tests of their physics: strands of one id with a bending stiffness each, alike otherwise, of
 * 0.3 m and 1 g/m, clamped along x. */
#ifndef MOTE_TESTS_ROD_H
#define MOTE_TESTS_ROD_H

#include "rope.h"

#include <math.h>

enum { MOST_RODS = 160, MOST_ROD_POINTS = 65 };

static const double ROD_LENGTH = 0.3, ROD_DENSITY = 1e-3; /* m, kg/m */

typedef struct rods {
    uint32_t count, points, substeps;
    mote_rate rate;
    double direction[3];         /* of the rods and of their clamps */
    double gravity;              /* m/s^2, along -y */
    double stiffness[MOST_RODS]; /* EI, N m^2 */
    double density[MOST_RODS];   /* kg/m; 0: ROD_DENSITY */
    double tip_mass[MOST_RODS];  /* kg, more at the tip */
    double twisting;             /* GJ over EI; 0: no frames */
    double ratio;                /* of both EI, of flat sections; 0: round ones */
    double axis[3], turn;        /* first axis at the root; rad, by which it turns about x towards the tip */
    bool hinged, free_roots;
} rods;

static inline rods rods_of(uint32_t count, uint32_t points, uint32_t substeps) {
    return (rods){.count = count,
                  .points = points,
                  .substeps = substeps,
                  .rate = {60, 1},
                  .direction = {1, 0, 0},
                  .gravity = GRAVITY};
}

static inline double rod_density(const rods *r, uint32_t rod) {
    return r->density[rod] > 0 ? r->density[rod] : ROD_DENSITY;
}

/* Half of the mass of its segments is a point's. */
static inline double rod_point_mass(const rods *r, uint32_t rod, uint32_t k) {
    const double whole = rod_density(r, rod) * ROD_LENGTH / (r->points - 1);
    return k == 0 ? whole / 2 : k + 1 < r->points ? whole : whole / 2 + r->tip_mass[rod];
}

/* The first axes of the segments, each that of its middle. */
static inline const float *axes_of_rods(const rods *r) {
    static float axes[3 * MOST_RODS * MOST_ROD_POINTS];
    for (uint32_t i = 0; i < r->count * r->points; i++) {
        const double angle = r->turn * (i % r->points + 0.5) / (r->points - 1);
        axes[3 * i] = (float)r->axis[0];
        axes[3 * i + 1] = (float)(cos(angle) * r->axis[1] - sin(angle) * r->axis[2]);
        axes[3 * i + 2] = (float)(sin(angle) * r->axis[1] + cos(angle) * r->axis[2]);
    }
    return axes;
}

static inline rope make_rods(const rods *r) {
    static float positions[3 * MOST_RODS * MOST_ROD_POINTS], mass[MOST_RODS * MOST_ROD_POINTS],
        stiffness[MOST_RODS * MOST_ROD_POINTS], twisting[MOST_RODS * MOST_ROD_POINTS];
    mote_strands_def def = mote_default_strands_def();
    double end[3];
    for (int i = 0; i < 3; i++) end[i] = ROD_LENGTH * r->direction[i];
    for (uint32_t rod = 0; rod < r->count; rod++) {
        lay_line(positions + 3 * rod * r->points, r->points, (double[3]){0, 0, 0}, end);
        for (uint32_t k = 0; k < r->points; k++) {
            mass[rod * r->points + k] = (float)rod_point_mass(r, rod, k);
            stiffness[rod * r->points + k] = (float)r->stiffness[rod];
            twisting[rod * r->points + k] = (float)(r->twisting * r->stiffness[rod]);
        }
    }
    def.substeps = 0; /* the system's */
    def.strand_count = r->count;
    def.points = r->points;
    def.positions = positions;
    def.point_mass = mass;
    def.point_bending_stiffness = stiffness;
    def.hinged_roots = r->hinged;
    if (r->twisting > 0) def.point_twisting_stiffness = twisting;
    if (r->ratio > 0) def.bending_ratio = (float)r->ratio, def.point_axis = axes_of_rods(r);
    def.free_roots = r->free_roots;
    return make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, r->rate, r->substeps, r->gravity);
}

/* Takes `steps` steps and leaves `keep` of all velocities after each. */
static inline void settle_rods(const rope *r, uint32_t steps, double keep) {
    const mote_strands_view view = mote_strands_columns(r->system, r->id);
    float *const v[3] = {view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t step = 0; step < steps; step++) {
        step_rope(r, 1);
        for (int axis = 0; axis < 3; axis++)
            for (uint32_t slot = 0; slot < view.slot_count; slot++) v[axis][slot] *= (float)keep;
    }
}

#endif
