/* mote-bench compare's sections. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "timing.h"

/* What every row of ratios tells: a time `above` over a time `below`, beside the figure to reach. */
typedef struct compare_row {
    const char *figure;
    double target;
    bool at_most; /* else at least */
    spread ratio;
} compare_row;

/* The row without its end of line. */
void compare_print(const compare_row *row);
void compare_json(cJSON *object, const compare_row *row);
void compare_json_spread(cJSON *object, const char *key, spread value);

/* Section strands: prints, and adds to `object`: rows to "results", tables "stretch" and "energy". */
void compare_strands(uint32_t repeat, cJSON *object);
void compare_stretch(cJSON *object);
void compare_energy(cJSON *object);

/* Section networks: the same, and a table "stable_steps". */
void compare_networks(uint32_t repeat, cJSON *object);
void compare_stiff_net(uint32_t repeat, cJSON *results);
void compare_bounds(cJSON *object);

#endif
