/* Interpolation of presented states: the kernels that all ranges share. */
#ifndef MOTE_STAGE_PRESENT_H
#define MOTE_STAGE_PRESENT_H

#include <mote/isa.h>
#include <mote/jobs.h>

#include "base/compiler.h"

/* Compiled once per instruction set. */
typedef struct mote_present_kernels {
    /* Interpolation of `count` elements, rounded up to whole lane groups. What has no previous state (NaN in
     * previous x) is copied. Linear: x0 + alpha (x1 - x0). */
    void (*blend)(float *const previous[3], float *const current[3], float alpha, size_t count,
                  float *const out[3]);
    /* The same as packed vectors: float 3 i + axis of `to`, any alignment. */
    void (*blend_packed)(float *const previous[3], float *const current[3], float alpha, size_t count,
                         void *to);
    /* Cubic Hermite: sum of weight[i] x column[i], columns x0, x1, v0, v1; `current` is what is copied. */
    void (*combine)(float *column[4][3], const float weight[4], float *const current[3], size_t count,
                    float *const out[3]);
    /* Float 3 i + axis of `to` (any alignment) = column[axis][i] for i < count, a multiple of 16. */
    void (*interleave)(float *const column[3], size_t count, void *to);
} mote_present_kernels;

/* The table of an instruction set, or NULL. */
const mote_present_kernels *mote_present_kernels_for(mote_isa isa);

/* One presentation: with what, and where between the last two steps. */
typedef struct mote_presentation {
    const mote_present_kernels *kernels;
    const mote_jobs *jobs;
    float alpha;
} mote_presentation;

#endif
