/* Ratios of times of two sides that run in turn, and the rows that show them. */
#ifndef BENCH_COMPARE_SIDES_H
#define BENCH_COMPARE_SIDES_H

#include <stdbool.h>

#include "measure.h"
#include "run.h"

/* A time `above` over a time `below`, beside the figure to reach. */
typedef struct compare_row {
    const char *figure;
    double target; /* 0: none */
    bool at_most;  /* else at least */
    bool stretch;  /* the row has the largest stretch of both sides */
} compare_row;

/* One way of stepping a setup. */
typedef struct side_functions {
    void *(*open)(const void *setup);
    void (*frame)(void *state);
    void (*observe)(void *state, bench_observation *seen);            /* NULL: an opponent of the engine */
    void (*place)(const void *state, uint32_t point, float place[3]); /* m */
    void (*close)(void *state);
} side_functions;

typedef struct compare_side {
    const char *name;
    const side_functions *functions;
    const void *setup;
    uint32_t points, springs; /* springs 0: strands */
    uint32_t substeps, threads;
    bool wall; /* measured by the clock on the wall, where threads are compared; else by the thread's own time
                */
    uint32_t warm, frames, loops; /* after `warm` frames `frames` are timed, `loops` times from the start */
} compare_side;

typedef struct compare_pair {
    compare_row row;
    compare_side above, below;
    double budget;          /* s: the ratio is the frame of `above` over it; 0: over that of `below` */
    const void *peer_setup; /* of `above` in the comparison of places; NULL: that of `below` */
    uint32_t checked;       /* frames after which the places of both are compared; 0: both are the engine */
    double size;            /* m: of coordinates, for that comparison */
} compare_pair;

/* A row of the section. */
void compare_pair_run(bench_run *run, const char *section, const compare_pair *pair);

/* A row of one side: points through a frame a second; at least `target`, and only where no point froze and no
 * segment was stretched by more than `most_stretch`. */
void compare_rate_run(bench_run *run, const char *section, const compare_side *side, double target,
                      double most_stretch);

#endif
