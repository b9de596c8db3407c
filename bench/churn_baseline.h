/* The opponent of scene churn: particles in columns that die and are born, as a careful host writes it. */
#ifndef BENCH_CHURN_BASELINE_H
#define BENCH_CHURN_BASELINE_H

#include "baselines.h"

typedef struct churn_handle {
    uint32_t slot, generation;
} churn_handle;

/* Columns of `count` particles. With handles: previous positions, the handle's index of each particle, the
 * table of handles and a stack of free indices; else these are NULL. */
typedef struct churn_columns {
    probe_columns state;
    float *previous[3], *lifetime;
    uint32_t *birth, *index;
    churn_handle *table;
    uint32_t *free, free_count, used, count;
} churn_columns;

/* One step of gravity and wind with drag, by semi-implicit Euler in one substep; then particles whose
 * lifetime has ended by step `now` are removed by swap-remove. Returns how many. */
uint32_t baseline_churn_step(churn_columns *columns, const scene_forces *forces, float mass, float h,
                             uint32_t now);

/* Appends `count` particles at the origin, born in step `now` with the lifetime. The caller sets their
 * velocities. Returns the first slot. */
uint32_t baseline_churn_births(churn_columns *columns, uint32_t count, uint32_t now, float lifetime);

#endif
