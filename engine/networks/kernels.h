/* Step of networks. A block of whole islands is a task of its own and takes all phases in turn; islands that
 * occupy several blocks are stepped phase by phase, in the outer loop order. */
#ifndef MOTE_NETWORKS_KERNELS_H
#define MOTE_NETWORKS_KERNELS_H

#include "networks/network.h"

/* Scratch columns: the state of slots `first` and up during a step. The constrained solver has one stage, so
 * its columns share memory with those carried between stages. */
typedef struct mote_network_scratch_layout {
    float x[3]; /* m; in the constrained solver relative to the origin of the step */
    float v[3];
    float force[3]; /* of the springs, N; uncoupled springs: impulses, N s */
    union {
        float shift[3];  /* uncoupled springs: displacement times mass, kg m */
        float packed[3]; /* solver: xyz xyz ..., residuals, then the aggregates' corrections */
    };
    float start[3];  /* position at the start of the substep */
    float normal[3]; /* solver: normal of a point in contact, else 0 */
    union {
        float acceleration[3]; /* of callbacks, m/s^2 */
        float drift[3];        /* solver: displacement of the frame of a point, m: of the collider that it
                                * touches; of the centre of mass in islands that touch nothing */
    };
    union {
        float force_sum[3];      /* of callbacks and links, N */
        float friction_shift[3]; /* solver: change of x* by friction, m */
    };
    union {
        float carry[12]; /* state of the integrator carried between stages */
        struct {
            float direction[3]; /* of a particle: p (primal) or u = W J^T p (dual) */
            float mass;         /* inverse mass, 1/kg */
            float partial;      /* sums of chunks */
            float residual[3];  /* r */
            float product[3];   /* q */
            union {
                float predicted[3]; /* x*, position before the solve */
                float world[3];     /* positions in the world, for callbacks */
            };
            float moved[3];       /* displacement by the solver, x - x* */
            float start_v[3];     /* velocity at the start of the substep */
            float block[6];       /* inverse of a particle's diagonal 3 x 3 block */
            float normal_impulse; /* of a contact, as a displacement, m */
            float friction;       /* Coulomb's coefficient at a contact */
            float friction_used;  /* length of friction_shift in the last linear system, m; NETWORK_HELD */
            float touch;          /* 0, NETWORK_IS_PRESSED or NETWORK_IS_MOVED */
        }; /* solver */
    };
} mote_network_scratch_layout;
#define COLUMN(member)  MOTE_SCRATCH_COLUMN(mote_network_scratch_layout, member)
#define NETWORK_COLUMNS MOTE_SCRATCH_COLUMNS(mote_network_scratch_layout)

/* Of COLUMN(touch): from the start of a substep on two colliders press the point; contacts have moved it
 * after the solve. */
#define NETWORK_IS_PRESSED 1.0f
#define NETWORK_IS_MOVED   2.0f

/* Passes of the constrained solver over the slots of an island (dual.h, primal.h). Steps of preconditioned
 * conjugate gradients: A p = q, z = preconditioned residual, factor = alpha or beta. In the primal solver the
 * sums of r z lack the aggregates' part, and z has it in FIRST_DIRECTION and DIRECTION only. */
typedef enum mote_solver_pass {
    /* Of mote_network_kernels.expel, before the others (expel.h). */
    MOTE_SOLVE_EXPEL,     /* puts out points that start in a collider; sums the squares of their ways;
                           * largest: their way over the shortest rest length of their springs */
    MOTE_SOLVE_RELAX,     /* x = start as it was; gain: sum of the springs' stiffness over the mass, noise:
                           * number of free particles */
    MOTE_SOLVE_BALANCE,   /* primal: x is the solution without contacts */
    MOTE_SOLVE_WEIGH,     /* dual: points in contact are heavy */
    MOTE_SOLVE_RESUME,    /* start = x, x = x* from there */
    MOTE_SOLVE_LOAD,      /* stores x* and inverse masses for the substep; displacements, multipliers = 0 */
    MOTE_SOLVE_COMPARE,   /* primal: keeps the springs' lengths at the start of the substep; sums the fall of
                           * the inertial energy from there to the present positions, and the springs' gain
                           * of energy, both times h^2; dual: sums work (network_dual_work) */
    MOTE_SOLVE_BLEND,     /* primal: x = start + factor (x - start) */
    MOTE_SOLVE_LINEARISE, /* Newton's linearisation: directions, residuals, preconditioner; p = z; sums r z,
                           * and the largest error over the rest length; primal: COLUMN(force) = spring
                           * forces, factor = the least stiffness across a spring over that along it, and
                           * the sums of the gain of energy */
    MOTE_SOLVE_CHECK,     /* after the last system, or the contacts of the dual form: forces and sums only */
    MOTE_SOLVE_FIRST_LINEARISE, /* primal, without the gain of energy: before the first system: releases
                                   contacts that springs pull off */
    MOTE_SOLVE_FIRST_DIRECTION, /* p = z; dual: u = W J^T p */
    MOTE_SOLVE_DIRECTION,       /* p = z + factor p; dual: u = W J^T p */
    MOTE_SOLVE_APPLY,           /* q = A p; sums p q; dual: gain: q D^-1 q */
    MOTE_SOLVE_UPDATE,   /* x - x* (dual: and mu) += factor p, r -= factor q; sums r z; dual: and the largest
                          * error */
    MOTE_SOLVE_MOVE,     /* x = x* + what UPDATE summed up */
    MOTE_SOLVE_CONTACTS, /* projects points out of colliders (mote_network_kernels.contacts) */
    MOTE_SOLVE_FORCES    /* dual: COLUMN(force) = factor x constraint forces, x - x* in velocity too */
} mote_solver_pass;

/* Friction of the constrained solver: a pass of contacts holds points on the collider (before the first
 * linear system), or updates the friction of those that slide; a system follows or not. None: before the
 * substep (expel.h). */
typedef enum mote_network_grip {
    MOTE_GRIP_HOLD,
    MOTE_GRIP_SLIDE,
    MOTE_GRIP_LAST,
    MOTE_GRIP_NONE
} mote_network_grip;
#define NETWORK_HELD (-1.0f) /* friction_used of points that friction holds */

/* gain: of energy since the start of the substep, less the work of the applied forces, times h^2. noise: the
 * square of what rounded positions may add to it. */
typedef struct mote_solve_sums {
    float sum, largest, gain, noise;
} mote_solve_sums;

/* Column `id` of slot s: memory[id x stride + s - first]. NETWORK_PAD floats before and after each column are
 * readable. */
#define NETWORK_PAD 16u
/* The stride of inner blocks of more than half the slots of a block: a constant in kernels. */
#define NETWORK_STRIDE (MOTE_NETWORK_BLOCK + 3 * MOTE_GROUP)
typedef struct mote_network_scratch {
    float *memory;
    size_t stride;
    uint32_t first;
} mote_network_scratch;

/* Kernels, compiled once per instruction set. Slots first .. end - 1 are whole lane groups of one block. */
struct mote_network_kernels {
    /* Places of the constrained solver. load: COLUMN(x) from the columns. world: positions in the world in
     * the columns from `id` on. store: at the end of the step, keeps the low parts at its start where they
     * are presented and what COLUMN(x) holds, except of frozen islands, and stores positions in the world in
     * COLUMN(x). */
    void (*load)(const mote_network_job *job, const mote_network_scratch *c, uint32_t first, uint32_t end);
    void (*world)(const mote_network_job *job, const mote_network_scratch *c, int id, uint32_t first,
                  uint32_t end);
    void (*store)(const mote_network_job *job, const mote_network_scratch *c, uint32_t first, uint32_t end);
    /* COLUMN(force) (uncoupled springs: and COLUMN(shift)) = sum of the springs, for all slots of a block. */
    void (*spring_forces)(const mote_network_job *job, const mote_network_scratch *c,
                          const mote_network_block *block);
    /* begin: the drift before the first evaluation of a substep. stage: one stage of the integrator, particle
     * by particle, with the forces in COLUMN(force). */
    void (*begin)(const mote_network_job *job, const mote_network_scratch *c, uint32_t first, uint32_t end);
    void (*stage)(const mote_network_job *job, const mote_network_scratch *c, uint32_t stage, double time,
                  uint32_t first, uint32_t end);
    /* Both in one pass, where that is possible (is_chained in step.c). NULL: no such kernel. */
    void (*chain_stage)(const mote_network_job *job, const mote_network_scratch *c,
                        const mote_network_block *block, uint32_t stage);
    /* keep: COLUMN(start) = COLUMN(x), and constrained COLUMN(start_v) = COLUMN(v). Else, in the constrained
     * solver: v += (x - x*) / h. */
    void (*start)(const mote_network_job *job, const mote_network_scratch *c, bool keep, uint32_t first,
                  uint32_t end);
    /* Contacts of the constrained solver (contact.h): `contacts` before the first linear system and after
     * each, `friction` after the last. */
    void (*contacts)(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep,
                     mote_network_grip grip, uint32_t first, uint32_t end);
    void (*friction)(const mote_network_job *job, const mote_network_scratch *c, uint32_t first,
                     uint32_t end);
    /* Before the solver: points that are in a collider at the start of the substep leave it (expel.h). */
    mote_solve_sums (*expel)(const mote_network_job *job, const mote_network_scratch *c,
                             mote_solver_pass pass, uint32_t substep, uint32_t first, uint32_t end);
    /* End of a substep: projects points out of colliders and removes their approach velocity. */
    void (*resolve_contacts)(const mote_network_job *job, const mote_network_scratch *c, uint32_t substep,
                             uint32_t first, uint32_t end);
    /* A pass of the constrained solver: dual (multipliers), primal (positions). */
    mote_solve_sums (*dual)(const mote_network_job *job, const mote_network_scratch *c, mote_solver_pass pass,
                            float factor, uint32_t first, uint32_t end);
    mote_solve_sums (*primal)(const mote_network_job *job, const mote_network_scratch *c,
                              mote_solver_pass pass, float factor, uint32_t first, uint32_t end);
    /* Aggregates of one level (multilevel.h). restrict_residuals: sums the children's residuals, in level 1
     * those in COLUMN(packed); returns the sum of r D^-1 r. correct_aggregates: replaces residuals by
     * corrections. invert_aggregates: replaces upper triangles, the first 6 floats of a block, by inverses,
     * in whole lane groups. */
    float (*restrict_residuals)(const mote_network *network, const mote_network_scratch *c, bool lowest,
                                uint32_t first, uint32_t count);
    void (*correct_aggregates)(const mote_network *network, uint32_t first, uint32_t count);
    void (*invert_aggregates)(const mote_network *network, uint32_t first, uint32_t count);
    /* Whether all positions and velocities are finite. */
    bool (*finite)(const mote_network_job *job, const mote_network_scratch *c, uint32_t first, uint32_t end);
};

/* Returns the kernels of an instruction set, or NULL. */
const mote_network_kernels *mote_network_kernels_for(mote_isa isa);

/* Returns the floats of scratch of a step on `workers` workers; outer: some blocks are outer. The second
 * returns those of the outer blocks only. */
size_t mote_network_scratch_floats(const mote_network *network, uint32_t workers, bool outer);
size_t mote_network_outer_floats(const mote_network *network);

/* Steps all blocks that are not outer, in step->scratch. */
void mote_network_run_inner(const mote_network_job *job, const mote_step *step);

/* The outer blocks of a network during a step, in scratch of mote_network_outer_floats floats. */
typedef struct mote_network_outer_run {
    const mote_network_job *job;
    const mote_jobs *jobs;
    mote_items mine;                                                    /* blocks */
    enum { MOTE_OUTER_ALL, MOTE_OUTER_INTERIOR, MOTE_OUTER_HALO } part; /* of a network that is cut */
    bool stage_outer;
    mote_network_scratch columns;
    const mote_phase_at *at;
} mote_network_outer_run;

mote_network_outer_run mote_network_outer(const mote_network_job *job, const mote_step *step, float *scratch);

/* Runs one phase of the outer blocks. A mote_phase_runner whose context is a mote_network_outer_run. */
void mote_network_outer_phase(void *context, const mote_phase_at *at);

/* Runs the constrained solver of one substep on one island, and adds to the report. On entry COLUMN(x) holds
 * x*, COLUMN(start) the position at the start of the substep. */
void mote_network_solve(const mote_network_job *job, const mote_network_scratch *c, const mote_jobs *jobs,
                        uint32_t substep, uint32_t number, mote_network_step_report *report);

/* Counts an island of the dual solver in the report if the contacts at the end of a substep, which move its
 * particles after the solve, have left it unsolved. */
void mote_network_measure(const mote_network_job *job, const mote_network_scratch *c, const mote_jobs *jobs,
                          uint32_t substep, uint32_t number, mote_network_step_report *report);

/* Computes entry_response if it is stale: the unit response of an uncoupled spring over h, divided by the sum
 * of its inverse masses. Columns 0 and 1: change of the rate for an elongation of 1 (vx) and a rate of 1
 * (vv). Columns 2 and 3: change of the elongation likewise (xx, xv - h). */
void mote_network_unit_responses(mote_network *network, const mote_plan *plan);

extern const mote_range_kind mote_network_kind;

#endif
