/* Curves of ropes that swing down from the horizontal: stretch and energy against cost. */
#include <math.h>

#include "curves.h"
#include "engine.h"
#include "strands.h"
#include "timing.h"

enum { ROPES = 64, POINTS = 32, FRAMES = 120 };

/* J, of one rope: all are alike. */
static double energy_of(const strand_run *run) {
    mote_statistics statistics;
    engine_check(mote_strands_statistics(run->system, run->id, &statistics), "mote_strands_statistics");
    return (statistics.kinetic + statistics.potential + statistics.elastic) / ROPES;
}

static void write_swing(FILE *file, const char *method, const rope_setup *setup) {
    strand_run *run = rope_create(setup);
    const double start = energy_of(run);
    double seconds = 0, change = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        const double begin = thread_seconds();
        strand_run_frame(run);
        seconds += thread_seconds() - begin;
        const double now = fabs(energy_of(run) - start) / rope_depth(setup);
        if (!(now <= change)) change = now;
    }
    fprintf(file, "%s,%u,%.4g,%.4g,%.4g\n", method, (unsigned)setup->substeps,
            1e9 * seconds / ((double)FRAMES * ROPES * POINTS), 100 * run->tally.max_strain, 100 * change);
    strand_run_destroy(run);
}

void write_rope(FILE *file) {
    static const struct {
        const char *name;
        mote_strand_solver solver;
        uint32_t least, most; /* substeps */
    } row[] = {{"robust", MOTE_STRAND_ROBUST, 2, 64},
               {"conserving", MOTE_STRAND_CONSERVING, 2, 64},
               {"springs", MOTE_STRAND_SPRINGS, 8, 256}};
    fputs("method,substeps,cost / ns per point and frame,largest strain / %,"
          "largest change of energy / % of the depth\n",
          file);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (uint32_t substeps = row[i].least; substeps <= row[i].most; substeps *= 2) {
            rope_setup setup = {.solver = row[i].solver,
                                .strands = ROPES,
                                .points = POINTS,
                                .substeps = substeps,
                                .threads = 1,
                                .length = 1};
            if (setup.solver == MOTE_STRAND_SPRINGS)
                setup.compliance = (float)(1 / rope_stiffness(&setup, 1.8));
            write_swing(file, row[i].name, &setup);
        }
}
