/* The step of networks: blocks of islands, each a task; islands larger than a block in the other loop
 * order. */
#ifndef MOTE_NETWORKS_KERNELS_H
#define MOTE_NETWORKS_KERNELS_H

#include <mote/isa.h>
#include <mote/jobs.h>

#include "contacts/colliders.h"
#include "networks/network.h"
#include "stage/phases.h"
#include "stage/plan.h"

/* One step of a network: what all its blocks share. */
typedef struct mote_network_job {
    const mote_plan
        *plan; /* of the system's integrator for springs, of semi-implicit Euler for constraints */
    mote_network *network;
    const mote_collider_pose *poses; /* collider_count at each of plan->substeps + 1 boundaries */
    uint32_t collider_count;
    uint64_t step, step_tick, ticks_per_step;
    bool uncoupled; /* springs act as if each were alone: the kinematic integrators */
    bool constrained;
    bool kick;          /* only v += fraction h a, by a plan of mote_plan_make_kick */
    bool linked;        /* links give forces too, in NETWORK_FORCE_SUM: only in mote_network_part */
    bool keep_previous; /* the state before this step is presented from */
    mote_network_id id;
    uint32_t *froze; /* set where an island turns non-finite */
} mote_network_job;

/* Columns of the scratch: the state of slots `first` .. while they are stepped. */
enum {
    NETWORK_X,                         /* 3: position */
    NETWORK_V = NETWORK_X + 3,         /* 3: velocity */
    NETWORK_FORCE = NETWORK_V + 3,     /* 3: of the springs, N; alone: impulses, N s */
    NETWORK_SHIFT = NETWORK_FORCE + 3, /* 3: alone: displacements times mass */
    NETWORK_PACKED = NETWORK_SHIFT,    /* 3: constrained: xyz xyz ..., residuals, then what slots move by with
                                          their clusters */
    NETWORK_START =
        NETWORK_SHIFT + 3, /* 3: position at the start of the substep; while pins travel, their next place */
    NETWORK_NORMAL =
        NETWORK_START + 3, /* 3: constrained: the normal of a point that lies on a collider, or 0 */
    NETWORK_ACCELERATION = NETWORK_NORMAL + 3, /* 3: of callbacks */
    NETWORK_DRIFT = NETWORK_ACCELERATION, /* 3: while constraints are solved: by how much the collider under a
                                     point moves, m */
    NETWORK_FORCE_SUM = NETWORK_ACCELERATION + 3, /* 3: of callbacks and links, N */
    NETWORK_FRICTION_SHIFT = NETWORK_FORCE_SUM,   /* 3: likewise: what friction moved a point by, m */
    NETWORK_CARRY = NETWORK_FORCE_SUM + 3,   /* 12: from stage to stage; the solver's own where constrained */
    NETWORK_DIRECTION = NETWORK_CARRY,       /* 3: constrained: where the search direction takes a particle */
    NETWORK_MASS = NETWORK_DIRECTION + 3,    /* inverse mass */
    NETWORK_PARTIAL,                         /* sums of chunks */
    NETWORK_RESIDUAL,                        /* 3: r */
    NETWORK_PRODUCT = NETWORK_RESIDUAL + 3,  /* 3: q */
    NETWORK_PREDICTED = NETWORK_PRODUCT + 3, /* 3: x* */
    NETWORK_BLOCK = NETWORK_PREDICTED + 3,   /* 6: the inverse of a particle's own block */
    NETWORK_NORMAL_IMPULSE =
        NETWORK_BLOCK + 6, /* by how much a collider keeps a point that lies on it from going, m ... */
    NETWORK_FRICTION,      /* ... and the friction between them */
    NETWORK_COLUMNS
};

/* Passes of the constrained solver over the slots of an island (network_solve.h, network_balance.h). On the
 * positions the sums of r z lack the clusters' part, and z has it in FIRST and TURN only. */
typedef enum mote_solver_pass {
    MOTE_SOLVE_LOAD,      /* what stays for the substep: x*, inverse masses; no multipliers yet */
    MOTE_SOLVE_LINEARISE, /* directions, residuals and preconditioner; p = z; sums r z, and the largest error
                           * over L; positions:   NETWORK_FORCE = what the springs pull */
    MOTE_SOLVE_FIRST_DIRECTION, /* p = z; multipliers: u = W J^T p */
    MOTE_SOLVE_DIRECTION,       /* p = z + factor p, and the same */
    MOTE_SOLVE_APPLY,           /* q = A p; sums p q */
    MOTE_SOLVE_UPDATE,   /* x (multipliers: and mu) goes on by factor p, r -= factor q; sums r z, and with mu
                          the   largest error */
    MOTE_SOLVE_CONTACTS, /* what came into a collider is put onto it (mote_network_kernels.touch) */
    MOTE_SOLVE_FORCES    /* multipliers: NETWORK_FORCE = factor x them */
} mote_solver_pass;

typedef struct mote_solve_sums {
    float sum, largest;
} mote_solve_sums;

/* Column `id` of slot s: memory[id x stride + s - first]. NETWORK_PAD floats before and behind each column
 * may be read. */
#define NETWORK_PAD 16u
typedef struct mote_network_scratch {
    float *memory;
    size_t stride;
    uint32_t first;
} mote_network_scratch;

/* Compiled once per instruction set. Runs of slots are whole lane groups of one block. */
typedef struct mote_network_kernels {
    /* NETWORK_FORCE (and NETWORK_SHIFT) = what the springs give to all slots of a block. */
    void (*pull)(const mote_network_job *job, const mote_network_scratch *c, const mote_network_block *block);
    /* What precedes the first evaluation of a substep; one stage: particle by particle, by NETWORK_FORCE. */
    void (*begin)(const mote_network_job *job, const mote_network_scratch *c, uint32_t first, uint32_t end);
    void (*stage)(const mote_network_job *job, const mote_network_scratch *c, uint32_t stage, double time,
                  uint32_t first, uint32_t end);
    /* NETWORK_START = NETWORK_X where `keep`; constrained: v = (x - start) / h where not. */
    void (*start)(const mote_network_job *job, const mote_network_scratch *c, bool keep, uint32_t first,
                  uint32_t end);
    /* Contacts of the constrained solver (network_contact.h), after each linear system and after the last. */
    void (*touch)(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep, bool grips,
                  uint32_t first, uint32_t end);
    void (*rub)(const mote_network_job *job, const mote_network_scratch *c, uint32_t first, uint32_t end);
    /* After a substep: what came into a collider is put out and loses its speed against it. */
    void (*push_out)(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep,
                     uint32_t first, uint32_t end);
    /* A pass of the constrained solver: on the multipliers; on the positions. */
    mote_solve_sums (*solve)(const mote_network_job *job, const mote_network_scratch *c,
                             mote_solver_pass pass, float factor, uint32_t first, uint32_t end);
    mote_solve_sums (*balance)(const mote_network_job *job, const mote_network_scratch *c,
                               mote_solver_pass pass, float factor, uint32_t first, uint32_t end);
    /* Clusters of one level (network_clusters.h): residuals from their children's, in level 1 from
     * NETWORK_PACKED (returns the sum of r D^-1 r); from those to what they move by. Whole lane groups: from
     * upper triangles, the first 6 of a block, to inverses. */
    float (*restrict_residuals)(const mote_network *network, const mote_network_scratch *c, bool lowest,
                                uint32_t first, uint32_t count);
    void (*correct_aggregates)(const mote_network *network, uint32_t first, uint32_t count);
    void (*invert_aggregates)(const mote_network *network, uint32_t first, uint32_t count);
    /* Whether all of the state is finite. */
    bool (*finite)(const mote_network_scratch *c, uint32_t first, uint32_t end);
} mote_network_kernels;

/* The table of an instruction set, or NULL. */
const mote_network_kernels *mote_network_kernels_for(mote_isa isa);

/* Floats of scratch that a step needs on so many workers; stage_outer: the system's loop order. */
size_t mote_network_scratch_floats(const mote_network *network, uint32_t workers, bool stage_outer);

/* Runs the job. scratch: as many floats as told, aligned to a cache line. */
void mote_run_network(const mote_network_kernels *kernels, const mote_network_job *job, const mote_jobs *jobs,
                      bool stage_outer, float *scratch);

/* Those of its blocks that are not outer. */
void mote_run_network_inner(const mote_network_kernels *kernels, const mote_network_job *job,
                            const mote_jobs *jobs, bool stage_outer, float *scratch);

/* The others, one part of the step after the other, in scratch that stays theirs: as many floats as told. */
size_t mote_network_outer_floats(const mote_network *network);
mote_network_scratch mote_network_outer_scratch(const mote_network *network, float *scratch);
void mote_network_part(const mote_network_kernels *kernels, const mote_network_job *job,
                       const mote_jobs *jobs, bool stage_outer, float *scratch, mote_phase part,
                       mote_phase_place place);

/* Constrained: solves one island for a substep; NETWORK_X holds x*, NETWORK_START where the substep began.
 * Adds to the report. */
void mote_network_solve(const mote_network_kernels *kernels, const mote_network_job *job,
                        const mote_network_scratch *c, const mote_jobs *jobs, uint32_t number,
                        uint32_t substep, mote_network_step_report *report);

/* Works entry_response out anew where the springs, the pins or the substep changed: what a spring alone adds
 * in h to an elongation and a rate of 1, over the sum of its inverse masses: of the rate vx, vv, of the
 * elongation xx, xv - h. */
void mote_network_unit_responses(mote_network *network, const mote_plan *plan);

#endif
