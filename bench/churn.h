/* Deaths and births in every step: the engine, and a careful loop over columns (churn_baseline.h). */
#ifndef BENCH_CHURN_H
#define BENCH_CHURN_H

#include <stdbool.h>
#include <stdint.h>

/* scene: forces and first state. handles: the default def (ids, linear interpolation) with lifetimes; else
 * lifetimes alone. */
typedef struct churn_setup {
    const struct bench_scene *scene;
    uint32_t particles, substeps;
    uint32_t life_steps; /* one in this many particles dies in a step; 0: nobody */
    bool handles;
} churn_setup;

void *churn_create(const churn_setup *setup);
void churn_frames(void *state, uint32_t frames);
void churn_destroy(void *state);

/* One substep a step. */
void *careful_create(const churn_setup *setup);
void careful_frames(void *state, uint32_t frames);
void careful_destroy(void *state);

#endif
