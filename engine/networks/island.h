/* An island during the solve of one substep. */
#ifndef MOTE_NETWORKS_ISLAND_H
#define MOTE_NETWORKS_ISLAND_H

#include "networks/kernels.h"

/* The chunks of an island: of one block, or of several in one scratch. */
typedef struct island {
    const mote_network_kernels *kernels;
    const mote_network_job *job;
    const mote_network_scratch *c;
    const mote_jobs *jobs;
    uint32_t number, substep;
    uint32_t first, count; /* chunks */
    mote_solver_pass pass;
    float factor;
    bool multipliers;       /* dual solver: solves for multipliers; else primal: for positions */
    bool overflows;         /* products overflow */
    bool conflicts;         /* dual: springs contradict each other: steps make residuals least */
    mote_network_grip grip; /* of MOTE_SOLVE_CONTACTS */
    double from, to;        /* dual: the part of the substep that is solved, 0 to 1: all of it (parts.h) */
    double shared[3];       /* primal: motion over the substep that all it touches share, m (frames.h) */
    uint32_t touching;      /* primal: particles that touched something when the frames were found */
} island;

/* Corrections of the aggregates from the residuals in COLUMN(packed): restriction up the levels, correction
 * down again. Returns their part of r z. */
float mote_island_correct(const island *i);

/* Assembles and inverts the aggregates' blocks from the springs as MOTE_SOLVE_LINEARISE stored them. Once a
 * step: computed in each substep they saved no iteration (measured). */
void mote_island_assemble(const island *i);

#endif
