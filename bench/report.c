/* The rows of mote-bench run: see report.h. */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "progress.h"

#define MOST_ATTEMPTS 3u
#define MOST_REPEATED 60.0 /* s, of attempts that were disturbed, in a whole run */

bool report_begin(bench_report *report, const char *section, const char *title) {
    if (report->counting) {
        report->planned++;
        return false;
    }
    if (!report->section || strcmp(report->section, section)) {
        progress_clear();
        printf("\n%s\n", section);
    }
    report->section = section;
    const double passed = now_seconds() - report->start;
    const double left = report->begun ? passed / report->begun * (report->planned - report->begun) : 0;
    char when[32] = "";
    if (report->begun) snprintf(when, sizeof when, ", about %.0f s left", left);
    report->begun++;
    progress_prefix("row %u of %u%s: ", (unsigned)report->begun, (unsigned)report->planned, when);
    progress("%s", title);
    report->attempts = 0;
    return true;
}

bool report_try(bench_report *report) {
    if (report->attempts) {
        watch_end(&report->since, report->disturbed, sizeof report->disturbed);
        if (!report->disturbed[0] || report->attempts == MOST_ATTEMPTS || report->repeated > MOST_REPEATED)
            return false;
        report->repeated += now_seconds() - report->since.wall;
    }
    report->attempts++;
    report->since = watch_begin();
    return true;
}

row_quantity *row_add(bench_row *row, const char *name, const char *unit, spread value, char better) {
    row_quantity *added = &row->quantity[row->quantity_count];
    if (row->quantity_count + 1 < MOST_QUANTITIES) row->quantity_count++;
    *added = (row_quantity){.name = name, .unit = unit, .value = value, .better = better};
    return added;
}

row_quantity *row_add_number(bench_row *row, const char *name, const char *unit, double value) {
    return row_add(row, name, unit, (spread){value, value, value}, 0);
}

bool quantity_met(const row_quantity *q) {
    return !q->undone && (q->bound == '<' ? q->value.median <= q->target : q->value.median >= q->target);
}

/* --- Printing --- */

/* The power of 1,000 that leaves 1 to 1,000 of a value, for units that take a prefix. */
static int power_of(double value, const char *unit) {
    int power = 0;
    double shown = fabs(value);
    if (!unit[0] || strcmp(unit, "1") == 0 || strcmp(unit, "%") == 0) return 0;
    for (; shown >= 1000 && power < 4; power++) shown /= 1000;
    for (; shown > 0 && shown < 1 && power > -3; power--) shown *= 1000;
    return power;
}

/* Four digits, in that power. */
static void write_number(char text[32], double value, int power) {
    const double shown = value / pow(1000, power), size = fabs(shown);
    snprintf(text, 32, "%.*f", size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0, shown);
}

static void print_unit(const char *unit, int power) {
    static const char *const prefixes[] = {"n", "u", "m", "", "k", "M", "G", "T"};
    if (!unit[0])
        putchar('x');
    else if (strcmp(unit, "1"))
        printf(" %s%s%s", prefixes[power + 3], power && strlen(unit) > 3 ? " " : "", unit);
}

static void print_value(const row_quantity *q, bool with_spread) {
    const int power = power_of(q->value.median, q->unit);
    char median[32], least[32], most[32];
    if (strcmp(q->unit, "1") == 0) {
        printf(" %.4g", q->value.median);
        return;
    }
    write_number(median, q->value.median, power);
    write_number(least, q->value.min, power);
    write_number(most, q->value.max, power);
    printf(" %s", median);
    print_unit(q->unit, power);
    if (with_spread && q->value.min < q->value.max) printf(" (%s..%s)", least, most);
}

/* The figure to reach, in the unit of the value before it. */
static void print_figure(const row_quantity *q) {
    const int power = strcmp(q->unit, "1") ? power_of(q->value.median, q->unit) : 0;
    if (!q->bound) return;
    printf(" (%s %.3g", q->bound == '<' ? "at most" : "at least",
           q->target / (q->sentence ? q->scale : pow(1000, power)));
    if (!q->sentence) print_unit(q->unit, power);
    printf(": %s)", quantity_met(q) ? "met" : "MISSED");
}

static void print_quantity(const row_quantity *q, bool is_main) {
    if (q->sentence) {
        printf("; %.4g %s", q->value.median / q->scale, q->sentence);
    } else {
        if (!is_main) printf("; %s", q->name);
        print_value(q, is_main);
    }
    print_figure(q);
}

/* "1048576 x 8, 1 thr, avx512" */
static void write_setup(char text[80], const bench_row *row) {
    char part[4][24] = {"", "", "", ""};
    if (row->particles) snprintf(part[0], sizeof part[0], "%" PRIu32, row->particles);
    if (row->substeps) snprintf(part[1], sizeof part[1], " x %" PRIu32, row->substeps);
    if (row->threads) snprintf(part[2], sizeof part[2], "%" PRIu32 " thr", row->threads);
    if (row->isa) snprintf(part[3], sizeof part[3], ", %s", row->isa);
    snprintf(text, 80, "%s%s%s%s%s", part[0], part[1], part[0][0] && part[2][0] ? ", " : "", part[2],
             part[3]);
}

static void print_row(const bench_row *row) {
    char setup[80];
    progress_clear();
    write_setup(setup, row);
    printf("  %-30s %-28s", row->name, setup);
    for (uint32_t i = 0; i < row->quantity_count; i++)
        if (!row->quantity[i].quiet) print_quantity(&row->quantity[i], i == 0);
    if (row->hash) printf("; %016" PRIx64, row->hash);
    if (row->differs) printf(" DIFFERS");
    if (row->not_same) printf("; NOT THE SAME");
    if (row->disturbed[0]) printf("; disturbed: %s", row->disturbed);
    putchar('\n');
    fflush(stdout);
}

/* --- Rows --- */

/* The state depends on nothing else. */
static bool same_hash_expected(const bench_row *a, const bench_row *b) {
    return a->hash && b->hash && strcmp(a->name, b->name) == 0 && a->integrator == b->integrator &&
           a->particles == b->particles && a->frames == b->frames && a->substeps == b->substeps &&
           a->repeat == b->repeat;
}

static void undo_figures(bench_row *row) {
    for (uint32_t k = 0; k < row->quantity_count; k++) row->quantity[k].undone = true;
}

void report_not_same(bench_report *report) {
    bench_row *row = &report->rows[report->count - 1];
    row->not_same = true;
    undo_figures(row);
}

void report_add(bench_report *report, bench_row *row) {
    row->section = report->section;
    snprintf(row->disturbed, sizeof row->disturbed, "%s", report->disturbed);
    report->disturbed[0] = 0;
    if (row->not_same) undo_figures(row);
    for (uint32_t i = 0; i < report->count && !row->differs; i++)
        row->differs = same_hash_expected(&report->rows[i], row) && report->rows[i].hash != row->hash;
    bench_row *rows = realloc(report->rows, (report->count + 1) * sizeof *rows);
    if (!rows) fail_usage("no memory for the rows");
    report->rows = rows;
    rows[report->count++] = *row;
    print_row(row);
}

/* Figures, and those of rows that were disturbed. */
typedef struct figure_counts {
    uint32_t met, met_disturbed, missed, missed_disturbed;
} figure_counts;

static void count_figures(figure_counts *counts, const bench_row *row) {
    const bool disturbed = row->disturbed[0] != 0;
    for (uint32_t k = 0; k < row->quantity_count; k++) {
        if (!row->quantity[k].bound) continue;
        const bool met = quantity_met(&row->quantity[k]);
        counts->met += met, counts->met_disturbed += met && disturbed;
        counts->missed += !met, counts->missed_disturbed += !met && disturbed;
    }
}

bool report_end(const bench_report *report) {
    figure_counts of = {0};
    uint32_t disturbed = 0, differing = 0, not_same = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        const bench_row *row = &report->rows[i];
        disturbed += row->disturbed[0] != 0, differing += row->differs, not_same += row->not_same;
        count_figures(&of, row);
    }
    printf("\n%u rows in %.0f s, %u disturbed; %u of %u figures met (%u in disturbed rows), %u missed (%u in "
           "disturbed rows); %u hashes differ; %u rows do not compute the same\n",
           (unsigned)report->count, now_seconds() - report->start, (unsigned)disturbed, (unsigned)of.met,
           (unsigned)(of.met + of.missed), (unsigned)of.met_disturbed, (unsigned)of.missed,
           (unsigned)of.missed_disturbed, (unsigned)differing, (unsigned)not_same);
    return !differing && !not_same;
}

void report_free(bench_report *report) {
    for (uint32_t i = 0; i < report->count; i++) cJSON_Delete(report->rows[i].details);
    free(report->rows);
    *report = (bench_report){0};
}
