/* The step of strands: 16 strands across lanes, a lane group of them a task. */
#ifndef MOTE_STRANDS_KERNELS_H
#define MOTE_STRANDS_KERNELS_H

#include "strands/strands.h"
#include "strands/vertex.h"

/* Compiled once per instruction set. */
struct mote_strand_kernels {
    /* All phases of a group, in scratch of mote_strand_scratch_floats floats, aligned to a cache line. */
    void (*step)(const mote_strand_job *job, uint32_t group, float *scratch);
    /* One phase of a linked group, in memory of mote_strand_work_bytes bytes that stays its own from LOAD to
     * COMMIT. Links give forces between EVALUATE and STAGE, in the columns of mote_strand_linked_columns. Not
     * for the conserving solver. */
    void (*phase)(const mote_strand_job *job, uint32_t group, const mote_phase_at *at, void *memory);
    /* Presentation. The floats of 16 elements as rows of 16: float f of element 16 b + l to rows[(floats b +
     * f) 16 + l]. */
    void (*vertices)(const mote_strand_vertex *vertex, const mote_strand_run *run, float *rows);
    /* Float e of to[lane], at any alignment, = rows[16 e + lane] for e < count. */
    void (*transpose)(const float *rows, size_t count, unsigned char *const to[MOTE_GROUP]);
    /* A run of a follower; `count` rounded up to 16 elements are written. */
    void (*follow)(const mote_follow *follow, size_t count, float *const out[3]);
};

/* The table of an instruction set, or NULL. */
const mote_strand_kernels *mote_strand_kernels_for(mote_isa isa);

/* Floats that one worker needs for strands of up to `points` points. */
size_t mote_strand_scratch_floats(uint32_t points);

size_t mote_strand_work_bytes(uint32_t points);

/* Columns of a linked group from LOAD to COMMIT: 16 k + lane for point k. force is N; reaction N s, of pinned
 * points. */
mote_range_point mote_strand_linked_columns(const mote_strands *strands, void *memory);

/* Takes groups through the step of the job, spread over the jobs: all of them, or those that no link joins.
 */
void mote_strands_run(const mote_strand_job *job, const mote_step *step, bool all);

/* Uncoupled springs: the response of one alone in h to an elongation and a rate of 1, over the sum of the
 * inverse masses, by lane of a group: for segments and bends, with both ends free and with one pinned; of the
 * rate vx, vv, of the elongation xx, xv - h. */
void mote_strand_unit_responses(const mote_strand_job *job, uint32_t group,
                                float unit_response[2][2][4][MOTE_GROUP]);

/* Callbacks' sums for one group at a stage; x, v, acceleration and force hold 16 lanes for each point. */
void mote_strand_callbacks(const mote_strand_job *job, uint32_t group, double time, float *const x[3],
                           float *const v[3], float *const acceleration[3], float *const force[3]);

extern const mote_range_kind mote_strands_kind;

#endif
