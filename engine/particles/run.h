/* The two loop orders of loose particles, over the kernels of one instruction set. */
#ifndef MOTE_PARTICLES_RUN_H
#define MOTE_PARTICLES_RUN_H

#include "base/parallel.h"
#include "particles/particles.h"

/* Columns of a workspace: x, v, carry, acceleration, force, state before the substep, frozen. */
#define MOTE_WORKSPACE_COLUMNS 31u

/* Makes a workspace of `slots` slots (whole lane groups) in memory of slots x MOTE_WORKSPACE_COLUMNS
 * floats. */
mote_workspace mote_workspace_make(float *memory, size_t slots);

/* Makes a span of all slots for `steps` steps from step `first_step` on, without previous states. Sets the
 * fields one by one: clearing the struct would take longer than stepping a small system. */
void mote_particles_span(const mote_particles *particles, uint64_t first_step, uint32_t steps,
                         mote_span *span);

/* Kernels, plan and slots of a run. */
typedef struct mote_run {
    const mote_particle_kernels *kernels;
    const mote_plan *plan;
    const mote_span *span;
} mote_run;

/* Runs the block-outer order (steps and stages inside) for slots [first, end); `first` is a multiple of
 * MOTE_GROUP. No callback may reach the range. Adds to *frozen. Disjoint runs of slots may run at the same
 * time. */
void mote_run_blocks(const mote_run *run, size_t first, size_t end, uint32_t *frozen);

/* Returns the jobs for a run of `slots` slots: serial ones where it is too short to divide. */
const mote_jobs *mote_run_jobs(const mote_run *run, size_t slots, const mote_jobs *jobs);

/* Runs mote_run_blocks for slots [0, end), distributed over the jobs; returns the number of frozen
 * particles. */
uint32_t mote_run_parallel(const mote_run *run, size_t end, const mote_jobs *jobs);

/* Runs the stage-outer order (blocks inside) for slots of the span; the workspace has as many as the span.
 * Adds to *frozen. */
void mote_run_stages(const mote_run *run, const mote_items *mine, const mote_workspace *workspace,
                     const mote_jobs *jobs, uint32_t *frozen);

#endif
