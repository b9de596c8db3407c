/* The step of bundles: 16 strands across lanes, one group of them a task. */
#ifndef MOTE_STRANDS_KERNELS_H
#define MOTE_STRANDS_KERNELS_H

#include <mote/isa.h>
#include <mote/jobs.h>

#include "strands/strands.h"
#include "contacts/colliders.h"
#include "stage/phases.h"
#include "stage/plan.h"
#include "strands/vertex.h"

/* One step of a bundle: what all its groups share. */
typedef struct mote_strand_job {
    const mote_plan
        *plan; /* of the system's integrator for springs, of semi-implicit Euler for constraints */
    mote_strands *strands;
    const mote_collider_pose *poses; /* collider_count at each of substeps + 1 boundaries */
    uint32_t collider_count;
    uint64_t step, step_tick, ticks_per_step;
    bool unit_responses; /* springs act as if each were alone: the kinematic integrators */
    bool keep_previous;  /* the state before this step is presented from */
    bool apart;          /* groups that have links are left out: they take their parts elsewhere */
    mote_strands_id id;
} mote_strand_job;

/* One group, in scratch of mote_strand_scratch_floats floats, aligned to a cache line. */
typedef void mote_strand_kernel(const mote_strand_job *job, uint32_t group, float *scratch);

/* Compiled once per instruction set. */
typedef struct mote_strand_kernels {
    mote_strand_kernel *step;
    /* One part of the step of a group, in memory of mote_strand_part_bytes bytes that stays its own from OPEN
     * to CLOSE. Links give forces between READY and STAGE, where mote_strand_part_columns tells. Not for the
     * conserving solver. */
    void (*part)(const mote_strand_job *job, uint32_t group, mote_phase part, mote_phase_place place,
                 void *memory);
    mote_strand_kernel
        *kick; /* springs under position Verlet: v += fraction h a(x, v) by a plan of mote_plan_make_kick */
    /* Presentation. The floats of 16 elements as rows of 16: float f of element 16 b + l to rows[(floats b +
     * f) 16 + l]. */
    void (*vertices)(const mote_strand_vertex *vertex, const mote_strand_run *run, float *rows);
    /* Float e of to[lane], at any alignment, = rows[16 e + lane] for e < count. */
    void (*transpose)(const float *rows, size_t count, unsigned char *const to[MOTE_GROUP]);
    /* A run of a follower; `count` rounded up to 16 elements are written. */
    void (*follow)(const mote_follow *follow, size_t count, float *const out[3]);
} mote_strand_kernels;

/* The table of an instruction set, or NULL. */
const mote_strand_kernels *mote_strand_kernels_for(mote_isa isa);

/* Floats that one worker needs for strands of up to `points` points. */
size_t mote_strand_scratch_floats(uint32_t points);

size_t mote_strand_part_bytes(uint32_t points);

/* Between READY and STAGE: columns of the group, 16 k + lane for point k. force is N; reaction N s, of what
 * is pinned. */
typedef struct mote_strand_part_columns {
    float *x[3], *v[3], *force[3], *reaction[3];
} mote_strand_part_columns;
mote_strand_part_columns mote_strand_part_columns_of(const mote_strand_job *job, void *memory);

/* One of the kernels for all groups, spread over the jobs; `scratch` has room for each worker. */
void mote_run_strands(mote_strand_kernel *kernel, const mote_strand_job *job, const mote_jobs *jobs,
                      float *scratch);

/* Kinematic springs: what one alone adds in h to an elongation and a rate of 1, over the sum of the inverse
 * masses, by lane of a group: for segments and bends, with both ends free and with one pinned; of the rate
 * vx, vv, of the elongation xx, xv - h. */
void mote_strand_unit_responses(const mote_strand_job *job, uint32_t group,
                                float unit_response[2][2][4][MOTE_GROUP]);

/* Callbacks' sums for one group at a stage; x, v, acceleration and force hold 16 lanes for each point. */
void mote_strand_callbacks(const mote_strand_job *job, uint32_t group, double time, float *const x[3],
                           float *const v[3], float *const acceleration[3], float *const force[3]);

#endif
