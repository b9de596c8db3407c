/* The hot loops: compiled once per instruction set into one table each. */
#ifndef MOTE_PARTICLES_KERNELS_H
#define MOTE_PARTICLES_KERNELS_H

#include <mote/isa.h>

#include "stage/plan.h"

/* The columns of a range. Slot first_slot + i is element i. Columns that the system does not have are
 * NULL. */
typedef struct mote_span {
    float *x[3], *v[3];
    float *inverse_mass;
    float *external_forces[3], *anchor[3];
    float *previous_x[3],
        *previous_v[3]; /* written before the last step; all NULL where nothing is to be written */
    uint8_t *fate;      /* of slots that turn non-finite in step k: k + 1; NULL: only counted */
    size_t begin,
        count; /* slots [begin, count) are stepped; the lane group of `begin` starts no more than 15 before */
    size_t first_slot; /* as callbacks are told */
    uint32_t steps;    /* of this batch */
    uint64_t first_step;
} mote_span;

/* The state between two stages, as columns, for forces that need memory (callbacks) and for the loop order in
 * which a stage is finished for everybody first. Element 0 is slot `first`. */
typedef struct mote_workspace {
    float *x[3], *v[3];
    float *carry[12];
    float *acceleration[3], *force[3]; /* summed by callbacks */
    int32_t *frozen;                   /* -1: turned non-finite in an earlier step of the batch, 0: did not */
    size_t first;
} mote_workspace;

/* A stage of a substep. again: the evaluation that closed the substep before opens this one. */
typedef struct mote_staged_at {
    uint32_t stage;
    double time;
    bool again;
} mote_staged_at;

/* Ages against lifetimes. */
typedef struct mote_lifetimes {
    const uint32_t *birth;
    const float *lifetime;
    uint8_t *fate, *death;
    uint32_t now;      /* steps run */
    float rate, slack; /* steps per second; steps */
    uint8_t mark;
} mote_lifetimes;

/* All slots below are whole lane groups from `first` (a multiple of 16) on; lanes at or beyond span->count
 * are neither changed nor counted. Each returns or adds to *frozen how many particles turned non-finite. */
typedef struct mote_particle_kernels {
    /* All steps, substeps and stages of slots [first, end) with the state in registers. No callbacks. The
     * first index is the family, the second plan->mass_column, the third plan->rest; NULL where no plan has
     * the three. */
    void (*fused[MOTE_FAMILY_COUNT][2][MOTE_MIX_COUNT])(const mote_plan *plan, const mote_span *span,
                                                        size_t first, size_t end, uint32_t *frozen);
    /* What precedes the first evaluation of a substep; one stage (again: with the evaluation that closed the
     * substep before); for the slots [first, end) of a workspace. */
    void (*begin[MOTE_FAMILY_COUNT][2])(const mote_plan *plan, const mote_span *span,
                                        const mote_workspace *workspace, size_t first, size_t end);
    void (*stage[MOTE_FAMILY_COUNT][2])(const mote_plan *plan, const mote_span *span,
                                        const mote_workspace *workspace, mote_staged_at at, size_t first,
                                        size_t end);
    /* The end of a step: what is finite and movable goes from the workspace to the span, what turned
     * non-finite is frozen where the step began and marked. Then the workspace equals the span again. */
    void (*commit[2])(const mote_span *span, const mote_workspace *workspace, uint32_t step, size_t first,
                      size_t end, uint32_t *frozen);
    /* Marks the living of slots [first, first + count), one block, whose age in steps + slack >= lifetime x
     * rate, and writes their offsets in the block into the block's death list; returns how many. Ages are
     * within 2^31 steps; who is born after `now` lives. */
    uint32_t (*expire)(const mote_lifetimes *lifetimes, size_t first, size_t count);
} mote_particle_kernels;

/* The table for an instruction set, NULL if this build or machine cannot run it. */
const mote_particle_kernels *mote_particle_kernels_for(mote_isa isa);

#endif
