/* Rows of mote-bench whose sides do not compute the same, and quantities of rows that do not do their work:
 * they meet no figure, and the run does not end well. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare_sides.h"

enum { POINTS = 3 };

/* A side whose points stand at the places of its setup. */
static void *open_side(const void *setup) { return (void *)(uintptr_t)setup; }
static void do_nothing(void *state) { (void)state; }
static void place(const void *state, uint32_t point, float to[3]) {
    memcpy(to, ((const float(*)[3])state)[point], sizeof(float[3]));
}

static const side_functions functions = {open_side, do_nothing, NULL, place, do_nothing};

/* The report of one pair, whose ratio is to be at least 0. */
static bool run_pair(const float (*above)[3], const float (*below)[3], bench_row *row) {
    static bench_run run;
    run = (bench_run){.repeat = 1};
    const compare_side side = {.functions = &functions,
                               .setup = below,
                               .points = POINTS,
                               .springs = 1,
                               .substeps = 1,
                               .threads = 1,
                               .frames = 1,
                               .loops = 1};
    compare_pair pair = {.row = {.figure = "pair", .target = 1e-9},
                         .above = side,
                         .below = side,
                         .peer_setup = above,
                         .checked = 1,
                         .size = 1};
    pair.above.name = pair.below.name = "side";
    compare_pair_run(&run, "test", &pair);
    const bool good = report_end(&run.report);
    *row = run.report.rows[0];
    row->details = NULL;
    report_free(&run.report);
    return good;
}

static int failures;

static void check(bool good, const char *what) {
    if (!good) failures++, printf("FAILED: %s\n", what);
}

int main(void) {
    static const float right[POINTS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const float rounded[POINTS][3] = {{0, 0, 0}, {1, 0x1p-24f, 0}, {0, 1, 0}};
    static const float off[POINTS][3] = {{0, 0.001f, 0}, {1, 0, 0}, {0, 1, 0}};
    const float lost[POINTS][3] = {{0, NAN, 0}, {1, 0, 0}, {0, 1, 0}};
    bench_row row;
    watch_calibrate();
    check(run_pair(rounded, right, &row) && !row.not_same && !row.quantity[0].undone,
          "places that round differently");
    check(!run_pair(off, right, &row) && row.not_same && !quantity_met(&row.quantity[0]), "a place 1 mm off");
    check(!run_pair(lost, right, &row) && row.not_same, "a NaN before places that agree");
    check(isnan(larger_or_nan(larger_or_nan(0, NAN), 1)) && larger_or_nan(1, 2) >= 2, "larger_or_nan");
    row_quantity q = {.value = {2, 2, 2}, .target = 1, .bound = '>'};
    check(quantity_met(&q), "2 is at least 1");
    q.undone = true;
    check(!quantity_met(&q), "a figure is met by a row that does not do the work");
    return failures != 0;
}
