/* The stretch that constraints leave and the energy that the
 * solvers lose. A rope swings down from the horizontal. */
#include <math.h>
#include <stdio.h>

#include "run.h"
#include "strand_scenes.h"

#define TARGET_STRAIN 0.002 /* asked of the constraints */

static strand_run *swing(const rope_setup *setup, uint32_t frames) {
    strand_run *run = rope_create(setup);
    strands_run(run, frames);
    return run;
}

static rope_setup one_rope(float length, uint32_t points, uint32_t substeps) {
    return (rope_setup){.solver = MOTE_STRAND_ROBUST,
                        .strands = 1,
                        .points = points,
                        .substeps = substeps,
                        .threads = 1,
                        .length = length};
}

/* Rounding of the length of a segment, relative to it: a unit in the last place of coordinates, which are up
 * to `points` times as large. */
static double rounding_of(uint32_t points) { return 4 * 0x1p-24 * points; }

static const char *verdict(const strand_tally *tally, uint32_t points) {
    if (tally->frozen || !isfinite(tally->max_strain)) return "FROZEN";
    if (tally->max_strain <= TARGET_STRAIN + rounding_of(points))
        return tally->unsolved ? "held, unsolved" : "held";
    return tally->unsolved ? "reported" : "NOT REPORTED";
}

/* Whether it held, or false where rows are only counted. */
static bool stretch_row(bench_run *run, const rope_setup *setup) {
    char figure[80];
    snprintf(figure, sizeof figure, "rope of %.1f m x %u released horizontally, 2 s", (double)setup->length,
             (unsigned)setup->points);
    if (!report_begin(&run->report, "stretch", figure)) return false;
    strand_run *rope = swing(setup, 120);
    const strand_tally *t = &rope->tally;
    const bool held = t->max_strain <= TARGET_STRAIN + rounding_of(setup->points) && !t->unsolved;
    bench_row row = {.particles = setup->points, .substeps = setup->substeps, .threads = 1};
    snprintf(row.name, sizeof row.name, "%s", figure);
    row_add_number(&row, "largest strain", "%", 100 * t->max_strain);
    row_add_number(&row, "mean strain", "%", 100 * tally_mean_strain(t));
    row_add_number(&row, "iterations", "1", tally_iterations(rope));
    row_add_number(&row, "frames unsolved", "1", (double)t->unsolved);
    row_add_number(&row, verdict(t, setup->points), "1", held);
    report_add(&run->report, &row);
    strand_run_destroy(rope);
    return held;
}

/* |E - E0| over m g times the drop of the centre of mass, half the length, from horizontal to hanging. */
static void energy_row(bench_run *run, mote_strand_solver solver, uint32_t substeps) {
    const bool conserving = solver == MOTE_STRAND_CONSERVING;
    const char *figure =
        conserving ? "energy of a swing of 5 s, conserving" : "energy of a swing of 5 s, robust";
    if (!report_begin(&run->report, "stretch", figure)) return;
    rope_setup setup = one_rope(1, 32, substeps);
    setup.solver = solver;
    strand_run *rope = rope_create(&setup);
    const double mass = rope_point_mass(&setup), depth = rope_depth(&setup),
                 start = rope_energy(rope, 0, mass);
    double largest = 0, error = 0;
    for (uint32_t frame = 0; frame < 300; frame++) {
        strand_run_frame(rope);
        error = fabs(rope_energy(rope, 0, mass) - start) / depth;
        largest = larger_or_nan(largest, error);
    }
    bench_row row = {.particles = 32, .substeps = substeps, .threads = 1};
    snprintf(row.name, sizeof row.name, "%s", figure);
    row_add_number(&row, "largest change over the depth", "%", 100 * largest);
    row_add_number(&row, "at the end", "%", 100 * error);
    row_add_number(&row, "largest strain", "%", 100 * rope->tally.max_strain);
    row_add_number(&row, "iterations", "1", tally_iterations(rope));
    row_add_number(&row, "fallbacks", "1", (double)rope->tally.fallbacks);
    report_add(&run->report, &row);
    strand_run_destroy(rope);
}

void run_stretch(bench_run *run) {
    static const float lengths[] = {0.1f, 0.3f, 1};
    for (int i = 0; i < 6; i++) {
        const rope_setup setup = one_rope(lengths[i / 2], i % 2 ? 128 : 32, 4);
        stretch_row(run, &setup);
    }
    for (uint32_t points = 512; points <= 1024; points *= 2)
        for (uint32_t substeps = 4; substeps <= 256; substeps *= 4) {
            const rope_setup setup = one_rope(1, points, substeps);
            stretch_row(run, &setup);
        }
    for (uint32_t i = 0; i < 6; i++)
        energy_row(run, i < 3 ? MOTE_STRAND_CONSERVING : MOTE_STRAND_ROBUST, 8u << i % 3);
}
