/* Measures one row: engine, baselines and probe in turn, in each repeat. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>

#include "contenders.h"
#include "timing.h"

#define MAX_REFERENCES 2u

/* Seconds a frame in each repeat. */
typedef struct bench_series {
    bool present;
    double seconds[MAX_REPEATS];
} bench_series;

/* Figures of the engine's state after a run of strands or of networks. */
typedef struct bench_observation {
    double max_strain,
        mean_strain;   /* the largest of all segments and frames; the mean of them. Networks: at the end */
    double iterations; /* of Newton's method per substep and strand */
    double unsolved, frozen; /* strands a frame; of all frames. Islands at the end */
    /* Networks: */
    double springs, kinetic, energy_lost; /* J at the end; J less than at the start */
    double stable_any, stable_sharp;      /* the largest stable step by both bounds, over h */
} bench_observation;

typedef struct measurement {
    bench_config config;
    bench_series engine, baseline_struct, baseline_plain, probe, reference[MAX_REFERENCES];
    bench_observation observation; /* where the scene has an observer */
    uint64_t hash;                 /* of the engine's state after repeat x (warm-up + frames) steps */
} measurement;

/* The title is shown as progress. */
void measure(const bench_config *config, const char *title, measurement *result);

/* Frames that are not timed, before those that are. */
uint32_t warm_up_frames(const bench_config *config);

/* Seconds a frame of one repeat: refill, `warm` frames that are not timed, `frames` that are. */
double contender_seconds(const bench_contender *contender, void *state, uint32_t warm, uint32_t frames);

/* The spread of the ratios left / right, repeat by repeat. */
spread ratio_spread(const bench_series *left, const bench_series *right, uint32_t repeat);

#endif
