/* Interpolation of presented states: kernels that all ranges share. */
#ifndef MOTE_STAGE_PRESENT_H
#define MOTE_STAGE_PRESENT_H

#include <mote/isa.h>
#include <mote/jobs.h>

#include "base/compiler.h"

/* Table of kernels, compiled once per instruction set. */
typedef struct mote_present_kernels {
    /* Linear interpolation x0 + alpha (x1 - x0) of `count` elements, rounded up to whole lane groups.
     * Elements without a previous state (NaN in previous x) are copied from `current`. */
    void (*blend)(float *const previous[3], float *const current[3], float alpha, size_t count,
                  float *const out[3]);
    /* Linear interpolation to packed vectors: float 3 i + axis of `to`, any alignment. */
    void (*blend_packed)(float *const previous[3], float *const current[3], float alpha, size_t count,
                         void *to);
    /* Cubic Hermite interpolation: sum of weight[i] x column[i], columns x0, x1, v0, v1. Elements without a
     * previous state are copied from `current`. */
    void (*combine)(float *column[4][3], const float weight[4], float *const current[3], size_t count,
                    float *const out[3]);
    /* Copy to packed vectors: float 3 i + axis of `to` (any alignment) = column[axis][i] for i < count, a
     * multiple of 16. */
    void (*interleave)(float *const column[3], size_t count, void *to);
} mote_present_kernels;

/* Whether a vector at `offset` lies in a vertex of `stride` bytes. */
MOTE_INLINE bool mote_vector_fits(size_t offset, size_t stride) {
    return stride >= 3 * sizeof(float) && offset <= stride - 3 * sizeof(float);
}

/* Returns the table of an instruction set, or NULL. */
const mote_present_kernels *mote_present_kernels_for(mote_isa isa);

/* Parameters of one presentation; alpha: position between the last two steps. */
typedef struct mote_presentation {
    const mote_present_kernels *kernels;
    const mote_jobs *jobs;
    float alpha;
} mote_presentation;

#endif
