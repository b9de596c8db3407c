/* mote-bench run: what was asked for, and the sections that measure it. Every section runs twice, first to
 * count its rows (report.h). */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "contenders.h"
#include "report.h"
#include "scenes.h"

enum { MOST_CHOICES = 16, MOST_SCENES = 64, MOST_PEERS = 16 };

typedef struct run_choices {
    uint32_t value[MOST_CHOICES], count; /* count 0: the default of the section */
} run_choices;

typedef struct bench_run {
    bool scene[MOST_SCENES];
    mote_integrator integrator;         /* MOTE_INTEGRATOR_COUNT: the scene's */
    const char *file;                   /* of scene hairfile */
    uint32_t particles, frames, repeat; /* particles, frames 0: the default */
    run_choices substeps, threads, isa;
    bool peer[MOST_PEERS], peers_given;
    bool full;
    arena memory;
    bench_report report;
} bench_run;

/* Throughput of scenes; sweeps of ballistic and galaxy over sizes, substeps, instruction sets; one thread
 * beside all. */
void run_throughput(bench_run *run);
void run_sizes(bench_run *run);
void run_substeps(bench_run *run);
void run_isas(bench_run *run);
void run_threads(bench_run *run);

/* Bytes that the largest row of a section takes: of the arena, and of the arena and all contenders, measured.
 */
typedef struct run_memory {
    size_t arena;
    double all;
} run_memory;

/* The larger of both, each by itself. */
run_memory more_memory(run_memory a, run_memory b);

run_memory scene_memory(const bench_run *run);
run_memory size_memory(const bench_run *run);
run_memory thread_memory(const bench_run *run);
run_memory integrator_memory(const bench_run *run);

bool run_asks(const bench_run *run, const bench_scene *scene);

/* Memory and arithmetic. */
void run_limits(bench_run *run);

/* Presentation, order, spawn, kill, and allocations inside steps. */
void run_calls(bench_run *run);

/* Saving, restoring and, in full, rolling back. */
void run_snapshots(bench_run *run);

/* Constraints beside springs, and rates of ropes and rods; in full all comparisons of strands. */
void run_strands(bench_run *run);

/* Loops written by hand and, in full, all peers of this build. peers_ask: one by its name; an unknown one, or
 * one that this build lacks, ends the program with a message and code 2. peers_list prints all. */
void run_peers(bench_run *run);
void peers_ask(bench_run *run, const char *name);
void peers_list(void);

/* In full only: */
void run_particles(bench_run *run);
void run_integrators(bench_run *run);
void run_networks(bench_run *run);
void run_stiff_net(bench_run *run);
void run_stretch(bench_run *run);

/* Particle-steps a second that the counted operations allow at the rates that the loops of arithmetic.h reach
 * on registers of an instruction set with so many threads, measured once; 0: not counted or not measured. */
double limit_arithmetic(const scene_arithmetic *count, mote_isa isa, uint32_t threads);

#endif
