/* The rows of mote-bench run: each is a setup with one or more quantities, watched for disturbance, printed,
 * and kept for the files. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "timing.h"
#include "watch.h"

enum { MOST_QUANTITIES = 18, ROW_NAME = 112 };

/* A quantity of a row. Its figure to reach: bound '>' at least, '<' at most `target`; 0: none. */
typedef struct row_quantity {
    const char *name, *unit; /* the name may be a sentence; unit "": a ratio */
    spread value;
    double target;
    char bound;
    char better;          /* '>': more is better, '<': less; 0: neither */
    bool quiet;           /* in the files alone */
    bool undone;          /* the row does not do the work that the figure supposes: never met */
    const char *sentence; /* printed after the value over `scale`, in place of name and unit; NULL: none */
    double scale;
} row_quantity;

typedef struct bench_row {
    const char *section;
    char name[ROW_NAME];
    const char *integrator, *isa;                          /* NULL: none */
    uint32_t particles, substeps, threads, frames, repeat; /* 0: none */
    row_quantity quantity[MOST_QUANTITIES];                /* the first is the main one */
    uint32_t quantity_count;
    uint64_t hash; /* 0: none */
    bool differs;  /* from the first row that should have the same hash */
    bool not_same; /* the sides of the row do not compute the same */
    char disturbed[64];
    cJSON *details; /* more for the JSON file; NULL: nothing */
} bench_row;

typedef struct bench_report {
    bench_row *rows;
    uint32_t count;
    /* The rows to come are counted before they are measured: every function that measures runs twice. */
    bool counting;
    uint32_t planned, begun;
    double start;
    /* The row that is measured. */
    watch since;
    uint32_t attempts;
    double repeated; /* s, of disturbed attempts */
    char disturbed[64];
    const char *section;
} bench_report;

/* Begins a row: false if rows are only counted. Shows the progress. */
bool report_begin(bench_report *report, const char *section, const char *title);

/* The loop `while (report_try(report)) measure;` runs once, and again while something disturbs it, three
 * times at most. */
bool report_try(bench_report *report);

/* Appends a quantity to a row; returns it. */
row_quantity *row_add(bench_row *row, const char *name, const char *unit, spread value, char better);

/* The same for one value. */
row_quantity *row_add_number(bench_row *row, const char *name, const char *unit, double value);

/* Prints and keeps the row; takes its details. A row whose sides do not compute the same meets no figure. */
void report_add(bench_report *report, bench_row *row);

/* The sides of the row that was added last turn out not to compute the same. */
void report_not_same(bench_report *report);

/* Prints the counts of figures met and missed, of disturbed rows, of hashes that differ and of rows whose
 * sides do not compute the same. Returns whether there is none of the last two. */
bool report_end(const bench_report *report);

void report_free(bench_report *report);

/* For the files; the object is the caller's. */
cJSON *report_object(const bench_report *report);
void report_csv(const bench_report *report, FILE *file);

/* Whether a quantity reaches its figure. */
bool quantity_met(const row_quantity *quantity);

#endif
