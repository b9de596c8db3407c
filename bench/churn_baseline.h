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
typedef uint32_t churn_function(churn_columns *columns, const scene_forces *forces, float mass, float h,
                                uint32_t now);
churn_function baseline_churn_step_preferred, baseline_churn_step_512;

/* Appends `count` particles at the origin, born in step `now` with the lifetime. The caller sets their
 * velocities. Returns the first slot. */
typedef uint32_t birth_function(churn_columns *columns, uint32_t count, uint32_t now, float lifetime);
birth_function baseline_churn_births_preferred, baseline_churn_births_512;

#endif
