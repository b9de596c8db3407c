/* The two loop orders, over the kernels of one instruction set. */
#ifndef MOTE_PARTICLES_RUN_H
#define MOTE_PARTICLES_RUN_H

#include "base/parallel.h"
#include "particles/particles.h"
#include "particles/kernels.h"

/* Columns of a workspace: x, v, carry, acceleration, force, frozen. */
#define MOTE_WORKSPACE_COLUMNS 25u

/* Lays a workspace of `slots` slots (whole lane groups) into memory of slots x MOTE_WORKSPACE_COLUMNS
 * floats. */
mote_workspace mote_workspace_make(float *memory, size_t slots);

/* All slots, for `steps` steps from step `first_step` on; nothing is kept of previous states. Field by field:
 * a small system takes less time to step than a large struct takes to clear. */
void mote_particles_span(const mote_particles *particles, uint64_t first_step, uint32_t steps,
                         mote_span *span);

/* Blocks outside, steps and stages inside, for slots [first, end); `first` is a multiple of MOTE_GROUP. No
 * callback may reach the range. Adds to *frozen. Different runs of slots may be run at the same time. */
void mote_run_blocks(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                     size_t first, size_t end, uint32_t *frozen);

/* The same for slots [0, end), spread over the jobs; returns how many particles froze. */
uint32_t mote_run_parallel(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                           size_t end, const mote_jobs *jobs);

/* Steps and stages outside, blocks inside, for the whole span; the workspace has room for all of it. */
void mote_run_stages(const mote_particle_kernels *kernels, const mote_plan *plan, const mote_span *span,
                     const mote_workspace *workspace, const mote_jobs *jobs, uint32_t *frozen);

#endif
