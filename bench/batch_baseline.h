/* The opponent of coupled RK4: all bodies and springs in columns, a pass over all of them for each stage. */
#ifndef BENCH_BATCH_BASELINE_H
#define BENCH_BATCH_BASELINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct batch_springs {
    uint32_t count;
    uint32_t *a, *b;
    float *rest, *stiffness, *damping; /* m, N/m, kg/s */
} batch_springs;

/* Columns of all bodies: the state; the state at a stage, six; weighted sums of slopes, six; forces. */
typedef struct batch_bodies {
    size_t count;
    float *x[3], *v[3], *at[6], *sum[6], *force[3];
    float *inverse_mass;
} batch_bodies;

/* Stage 0 to 3 of RK4 as in an array library: every spring adds to the force of both of its ends, in columns;
 * then the slopes of every body are summed and its state at the next stage is written, under `gravity`
 * (m/s^2) along y. */
void baseline_batch_rk4_stage(const batch_bodies *bodies, const batch_springs *springs, uint32_t stage,
                              float gravity, float h);

#endif
