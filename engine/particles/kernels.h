/* The kernels of loose particles: compiled once per instruction set into one table each. */
#ifndef MOTE_PARTICLES_KERNELS_H
#define MOTE_PARTICLES_KERNELS_H

#include <mote/isa.h>

#include "particles/collision.h"
#include "stage/plan.h"

/* The columns of a range. Element i belongs to slot first_slot + i. Columns that the system does not have are
 * NULL. */
typedef struct mote_span {
    float *x[3], *v[3];
    float *inverse_mass;
    float *external_forces[3], *anchor[3];
    /* The state before the last step is written here; NULL: it is not written. */
    float *previous_x[3], *previous_v[3];
    uint8_t *fate; /* set to k + 1 in slots that turn non-finite in step k; NULL: only counted */
    /* Elements [begin, count) are stepped. The lane group of `begin` starts at most 15 elements before it. */
    size_t begin, count;
    size_t first_slot; /* added to the slots that callbacks see */
    uint32_t steps;    /* of this batch */
    uint64_t first_step;
    /* Collisions in the one step of the batch; NULL: none. near: colliders that particles of the span can
     * reach; those of kernels that do not collide have none within near->free. */
    const mote_collision *collision;
    const mote_near *near;
} mote_span;

/* The state between two stages as columns, for forces that read memory (callbacks) and for the stage-outer
 * loop order. Element 0 is slot `first`. */
typedef struct mote_workspace {
    float *x[3], *v[3];
    float *carry[12];
    float *acceleration[3], *force[3]; /* sums of callbacks */
    float *from_x[3], *from_v[3];      /* the state before the substep, for collisions */
    int32_t *frozen;                   /* -1: turned non-finite in an earlier step of the batch; else 0 */
    size_t first;
} mote_workspace;

/* A stage of a substep. again: reuses the last evaluation of the previous substep. */
typedef struct mote_staged_at {
    uint32_t stage;
    double time;
    bool again;
} mote_staged_at;

/* Input and output of `expire`. */
typedef struct mote_lifetimes {
    const uint32_t *birth;
    const float *lifetime;
    uint8_t *fate, *death;
    uint32_t now;      /* steps run */
    float rate, slack; /* steps per second; steps */
    uint8_t mark;
    bool none_has_fate; /* all fates are 0 */
} mote_lifetimes;

/* Kernels on whole lane groups of slots from `first` (a multiple of 16) on; lanes at or beyond span->count
 * are neither changed nor counted. *frozen is increased by the number of particles that turn non-finite. */
typedef struct mote_emission mote_emission; /* emitters.h */
typedef struct mote_newborn mote_newborn;
typedef struct mote_turning mote_turning; /* orientation.h */

typedef struct mote_particle_kernels {
    /* Runs all steps, substeps and stages of slots [first, end) with the state in registers. No callbacks.
     * Indices: family, plan->mass_column, plan->mix; NULL for combinations that no plan has. */
    void (*fused[MOTE_FAMILY_COUNT][2][MOTE_MIX_COUNT])(const mote_plan *plan, const mote_span *span,
                                                        size_t first, size_t end, uint32_t *frozen);
    /* Runs, on slots [first, end) of a workspace, the part of a substep before its first evaluation. */
    void (*begin[MOTE_FAMILY_COUNT])(const mote_plan *plan, const mote_span *span,
                                     const mote_workspace *workspace, size_t first, size_t end);
    /* Runs one stage on slots [first, end) of a workspace. */
    void (*stage[MOTE_FAMILY_COUNT])(const mote_plan *plan, const mote_span *span,
                                     const mote_workspace *workspace, mote_staged_at at, size_t first,
                                     size_t end);
    /* Ends a step: copies finite and movable states from the workspace to the span. A particle that turned
     * non-finite is marked and keeps its state before the step. The workspace then equals the span. */
    void (*commit[2])(const mote_span *span, const mote_workspace *workspace, uint32_t step, size_t first,
                      size_t end, uint32_t *frozen);
    /* As `fused`, for spans with collisions and any forces: substep by substep, each followed by its
     * collisions. */
    void (*collide[MOTE_FAMILY_COUNT])(const mote_plan *plan, const mote_span *span, size_t first, size_t end,
                                       uint32_t *frozen);
    /* Runs the collisions of a substep on slots [first, end) of a workspace. */
    void (*collide_staged)(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,
                           uint32_t substep, size_t first, size_t end);
    /* Returns the bounds of slots [first, end) at the start of a step with collisions. */
    void (*bound)(const mote_span *span, size_t first, size_t end, mote_slot_bounds *bounds);
    /* Marks the living particles of one block, slots [first, first + count), with age in steps + slack >=
     * lifetime x rate, and writes their offsets into the block's death list; returns their number. Ages are
     * within 2^31 steps, of which MOTE_MAX_AGE count; a particle born after `now` stays alive. */
    uint32_t (*expire)(const mote_lifetimes *lifetimes, size_t first, size_t count);
    /* Makes births first .. first + count - 1 of a step in elements 0 .. count - 1 of *to, which are at the
     * fractions f, f + spacing, ... of the step. */
    void (*emit)(const mote_emission *emission, uint64_t first, uint32_t count, float f,
                 const mote_newborn *to);
    /* Turns slots [first, end) by one step. Index: whether the inertia is three principal moments. A particle
     * whose state turns non-finite is marked MOTE_FATE_ORIENTATION and keeps its state. */
    void (*turn[2])(const mote_turning *turning, size_t first, size_t end, uint32_t *frozen);
} mote_particle_kernels;

/* Returns the table of an instruction set, NULL if this build or machine cannot run it. */
const mote_particle_kernels *mote_particle_kernels_for(mote_isa isa);

#endif
