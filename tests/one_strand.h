/* One strand between two places, and the claim that the solver holds its lengths without running out of
 * iterations. */
#ifndef MOTE_TESTS_ONE_STRAND_H
#define MOTE_TESTS_ONE_STRAND_H

#include "rope.h"

/* A straight strand of equal segments from `from` to `to`. Springs get `compliance`, the other solvers rigid
 * segments. */
static inline mote_strands_def one_strand(mote_strand_solver solver, uint32_t points, float *positions,
                                          const double from[3], const double to[3], float compliance) {
    lay_line(positions, points, from, to);
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* the system's */
    def.solver = solver;
    def.strand_count = 1;
    def.points = points;
    def.positions = positions;
    def.compliance = solver == MOTE_STRAND_SPRINGS ? compliance : 0;
    return def;
}

/* The stretch that `max_strain` allows of a segment of `length` m at up to `reach` m from the origin: beyond
 * it, the rounding of six coordinates and of the length's own arithmetic. */
static inline double held(double max_strain, double length, double reach) {
    return max_strain + UNIT * (6 * reach / length + 8);
}

/* In the last step the iterations sufficed in each substep, `iterations` of them in all at most; no segment
 * is off by more than `stretch`, and every point is finite. */
static inline void assert_held(const rope *r, uint32_t strand, double strain, uint32_t iterations) {
    const mote_strand_step_report report = report_of(r, strand);
    assert_alive(r, strand);
    ASSERT(report.unsolved, ==, 0);
    ASSERT(report.iterations, <=, iterations);
    ASSERT(report.strain, <=, strain);
}

#endif
