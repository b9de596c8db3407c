/* Kernels of strands: 16 strands across lanes, one lane group per task. */
#ifndef MOTE_STRANDS_KERNELS_H
#define MOTE_STRANDS_KERNELS_H

#include "strands/strands.h"

/* Places within `reach` (m) of the core of a collider, a segment of half the length `half` (m) about `at`
 * along `axis`. box: half the edges (m) of the box around them. */
typedef struct mote_strand_reach {
    float at[3], axis[3], half, box[3], reach;
} mote_strand_reach;

/* Table of kernels, compiled once per instruction set. */
struct mote_strand_kernels {
    /* Runs all phases of a group, in scratch of mote_strand_scratch_floats floats, aligned to a cache
     * line. */
    void (*step)(const mote_strand_job *job, uint32_t group, float *scratch);
    /* Runs one phase of a linked group, in memory of mote_strand_work_bytes bytes that keeps its state from
     * LOAD to COMMIT. */
    void (*phase)(const mote_strand_job *job, uint32_t group, const mote_phase_at *at, void *memory);
    /* Returns the point at `offset`, 16 k + lane for point k, of a linked group; valid from LOAD to COMMIT.
     * Links add forces (N) to it between EVALUATE and STAGE; reaction in N s, of a pinned point. */
    mote_range_point (*point)(const mote_strand_job *job, void *memory, size_t offset);
    /* Finds the points within reach in `rows` rows of a lane group, whose columns begin at x: a bit for each
     * of the 16 strands, row after row. Returns whether there is any. */
    bool (*within)(const mote_strand_reach *reach, const float *const x[3], uint32_t rows, uint16_t *points);
};

/* Returns the table of an instruction set, or NULL. */
const mote_strand_kernels *mote_strand_kernels_for(mote_isa isa);

/* Returns the floats of scratch that one worker needs for strands of up to `points` points. */
size_t mote_strand_scratch_floats(uint32_t points);

size_t mote_strand_work_bytes(uint32_t points);

/* Returns the jobs of a step: serial ones where it is too short to divide. */
const mote_jobs *mote_strands_jobs(const mote_strand_job *job, const mote_step *step);

/* Steps the groups of the job in parallel: all of them, or only those without links. */
void mote_strands_run(const mote_strand_job *job, const mote_step *step, bool all);

/* Computes the unit responses of uncoupled springs. For an elongation of 1 and for a rate of 1 of one spring:
 * the changes over h of its rate, vx and vv, and of its elongation, xx and xv - h, divided by the sum of the
 * inverse masses. Indices: both ends free or one pinned; vx, vv, xx, xv - h; lane of the
 * group. */
void mote_strand_unit_responses(const mote_strand_job *job, uint32_t group,
                                float unit_response[2][4][MOTE_GROUP]);

/* Sums the callbacks of one group at a stage; x, v, acceleration and force hold 16 lanes for each point. */
void mote_strand_callbacks(const mote_strand_job *job, uint32_t group, double time, float *const x[3],
                           float *const v[3], float *const acceleration[3], float *const force[3]);

extern const mote_range_kind mote_strands_kind;

#endif
