/* The report of a run: a table on stdout, records in a JSON file. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "measure.h"
#include "scenes.h"

/* One row: a configuration and the medians over its repeats. */
typedef struct bench_record {
    bench_config config;
    spread frame;                     /* s */
    double bytes;                     /* per particle-step */
    spread limit;                     /* bytes/s, of the probe */
    spread share;                     /* of that limit */
    spread struct_ratio, plain_ratio; /* baseline's time / engine's; median 0: no such baseline */
    uint64_t hash;
    bool differs; /* from the first row that should have the same hash */
    uint32_t figure_count;
    scene_figure figures[MAX_FIGURES];
} bench_record;

/* Presentation against copying the same number of bytes. */
typedef struct bench_presentation {
    uint32_t particles, threads;
    spread bytes_per_second, copy_bytes_per_second; /* read + written */
    spread share, memcpy_share;
    spread ordered_per_second; /* particles */
    spread keyed_per_second;   /* particles, with a size and a colour over their life */
    spread keyed_cost;         /* time of these in times of the packed positions */
} bench_presentation;

typedef struct bench_report {
    bench_record *records;
    uint32_t record_count;
    bench_presentation *presentations;
    uint32_t presentation_count;
    uint64_t allocations, allocation_steps; /* calls of the hook during as many steps */
} bench_report;

bench_record record_of(const measurement *result);
double particle_steps_per_second(const bench_record *record);

void print_header(void);
void print_record(const bench_record *record);
void print_presentation(const bench_presentation *presentation);
void print_allocations(const bench_report *report);

struct cJSON *report_object(const bench_report *report);

#endif
