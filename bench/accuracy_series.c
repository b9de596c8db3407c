/* Time series as CSV: the exact motion first, then a column per integrator and quantity. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"
#include "contenders.h"
#include "options.h"

struct bench_series_file {
    const bench_setup *setup;
    char path[4096];
    uint32_t axes, columns, rows, stride;
    bool energy;
    char *name[MOTE_INTEGRATOR_COUNT * 4 + 4];
    double *value[MOTE_INTEGRATOR_COUNT * 4 + 4];
};

/* Some samples are skipped so that no more than CSV_ROWS are written. NULL if no series are wanted. */
bench_series_file *series_open(const accuracy_report *report, const bench_setup *setup, uint32_t axes,
                               bool energy) {
    if (!report->csv) return NULL;
    bench_series_file *file = allocate_or_fail(sizeof *file);
    *file = (bench_series_file){.setup = setup, .axes = axes, .energy = energy};
    snprintf(file->path, sizeof file->path, "%s/experiment-%u.csv", report->csv,
             (unsigned)report->experiment);
    file->stride = setup->steps / CSV_ROWS + 1;
    file->rows = setup->steps / file->stride + 1;
    return file;
}

static double *add_column(bench_series_file *file, const char *integrator, const char *quantity) {
    char name[80];
    snprintf(name, sizeof name, "%s %s", integrator, quantity);
    file->name[file->columns] = strcpy(allocate_or_fail(strlen(name) + 1), name);
    return file->value[file->columns++] = allocate_or_fail(file->rows * sizeof(double));
}

static const char *const axis_name[3] = {"x", "y", "z"};

static void add_exact(bench_series_file *file) {
    for (uint32_t axis = 0; axis < file->axes; axis++) {
        double *column = add_column(file, "exact", axis_name[axis]);
        for (uint32_t i = 0; i < file->rows; i++) {
            bench_state state;
            file->setup->exact(file->setup, i * file->stride * accuracy_timestep(file->setup), &state);
            column[i] = state.x[axis];
        }
    }
}

void series_add(bench_series_file *file, const bench_flights *flights) {
    if (!file) return;
    const char *name = mote_integrator_describe(flights->integrator)->name;
    if (file->columns == 0 && file->setup->exact) add_exact(file);
    for (uint32_t axis = 0; axis < file->axes; axis++) {
        double *column = add_column(file, name, axis_name[axis]);
        for (uint32_t i = 0; i < file->rows; i++)
            column[i] = flights->engine.samples[i * file->stride].state.x[axis];
    }
    if (!file->energy) return;
    double *column = add_column(file, name, "E/E0");
    for (uint32_t i = 0; i < file->rows; i++)
        column[i] = quantity_energy(file->setup, &flights->engine, i * file->stride);
}

static void write_rows(const bench_series_file *file, FILE *to) {
    fputs("t", to);
    for (uint32_t c = 0; c < file->columns; c++) fprintf(to, ",%s", file->name[c]);
    fputc('\n', to);
    for (uint32_t i = 0; i < file->rows; i++) {
        fprintf(to, "%.9g", i * file->stride * accuracy_timestep(file->setup));
        for (uint32_t c = 0; c < file->columns; c++) fprintf(to, ",%.9g", file->value[c][i]);
        fputc('\n', to);
    }
}

void series_close(bench_series_file *file) {
    if (!file) return;
    FILE *to = fopen(file->path, "w");
    if (!to) fail_usage("--csv: %s: %s", file->path, strerror(errno));
    write_rows(file, to);
    if (fclose(to)) fail_usage("--csv: %s: %s", file->path, strerror(errno));
    for (uint32_t c = 0; c < file->columns; c++) {
        free(file->name[c]);
        free(file->value[c]);
    }
    free(file);
}
