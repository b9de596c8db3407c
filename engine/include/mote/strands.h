/* Bundles: strands of rope and hair. A strand is a chain of 2 to 1,024 points; a bundle is many strands with
 * the same settings. Every force of the system acts on their points too, callbacks that reach the range
 * excepted. */
#ifndef MOTE_STRANDS_H
#define MOTE_STRANDS_H

#include <mote/system.h>
#include <mote/transform.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What holds a strand together. */
typedef enum mote_strand_solver {
    MOTE_STRAND_SPRINGS,    /* springs, stepped by the system's integrator like every other force: stable only
                             * below its limit. Kinematic: each as if alone; implicit Euler and exact flow
                             * take them as kicks */
    MOTE_STRAND_ROBUST,     /* distance constraints, all of a strand's solved together in each substep, after
                             * semi-implicit Euler     for everything else; loses energy */
    MOTE_STRAND_CONSERVING, /* the same with impulses that do no work: keeps energy, at some three times the
                             * cost. Where a strand whips, the substep is cut into up to 32 pieces; where that
                             * fails, the robust one stands in. Rigid segments only: no compliance, no bend,
                             * no colliders in the system */
    MOTE_STRAND_SOLVER_COUNT
} mote_strand_solver;

#define MOTE_MIN_STRAND_POINTS 2u
#define MOTE_MAX_STRAND_POINTS 1024u

/* Arrays are read by mote_system_add_strands alone. Strands are numbered in the order given, points from the
 * root on. */
typedef struct mote_strands_def {
    uint32_t cookie; /* set by mote_default_strands_def */
    mote_strand_solver solver;
    uint32_t strand_count;         /* >= 1 */
    uint32_t points;               /* of every strand, 2 .. 1,024 ... */
    const uint32_t *strand_points; /* ... or of each; NULL: `points` */
    const float *positions;   /* m: the rest shape under the identity transform, three floats a point, strand
                               * after   strand */
    float mass;               /* kg of a strand, > 0, shared equally by its points ... */
    const float *strand_mass; /* ... or of each strand */
    float rest_scale;         /* rest length of a segment = rest_scale x its length in `positions`; > 0 ... */
    const float *strand_rest_scale; /* ... or for each strand */
    float compliance; /* m/N of a segment, 1 / stiffness, >= 0; 0: rigid (not for springs, and the only one
                       * for the conserving solver) ... */
    const float *strand_compliance; /* ... or for each strand. Where one gives way, the rigid ones of the
                                     * bundle are solved by its formula: the same lengths, other bits than in
                                     * a bundle of rigid strands */
    float damping;                  /* kg/s of a segment along itself, >= 0; without effect where rigid */
    float bend_stiffness; /* N/m between second neighbours, >= 0; 0: none. A compliant constraint for the
                           * robust solver */
    float bend_damping;   /* kg/s of the same */
    float pose_stiffness; /* N/m of a spring from every point to its place in the rest shape under the root's
                           * transform */
    float
        local_pose_stiffness; /* N/m of a spring from every segment to its rest direction in the frame that is
                               * transported along the strand from the root: holds curls. Both explicit */
    float max_stretch;        /* what the constraints are solved to, |length / rest length - 1|, > 0 */
    uint32_t max_iterations;  /* of Newton's method in a substep, 1 .. 32 */
    float normal_drag,
        tangential_drag;   /* kg/(m s), >= 0: of a metre of strand against air across and along it */
    float air_velocity[3]; /* m/s */
    float radius;          /* m, >= 0, against colliders */
    float friction;        /* Coulomb's coefficient, >= 0; with the collider's: the root of the product */
    bool free_roots;       /* else point 0 of every strand is pinned to its root's transform */
} mote_strands_def;

/* Robust, 0 strands, 32 points, 1 g a strand, rest scale 1, rigid, no damping, bend, pose or drag,
 * max_stretch 0.002, 32 iterations, radius 0, friction 0.5, pinned roots. */
MOTE_API mote_strands_def mote_default_strands_def(void);

#define MOTE_MAX_STRANDS_OBJECTS 64u
#define MOTE_ALL_STRANDS         0xffffffffu

/* Where a def is wrong: the strand and the point of the first item at fault, MOTE_ALL_STRANDS and 0 where it
 * is none. */
typedef struct mote_strands_fault {
    uint32_t strand, point;
} mote_strands_fault;

/* Adds strands at rest in their rest shape under the identity transform. fault: NULL, or receives where an
 * error lies. Errors: NULL, BUSY, DEF, ENUM, RANGE (a count, a length, a mass, ...; springs without
 * compliance; the conserving solver with compliance or bend), NOT_FINITE, OVERFLOW, CAPACITY
 * (MOTE_MAX_STRANDS_OBJECTS), MEMORY, INTEGRATOR (an advecting one; the conserving solver in a system with
 * colliders). */
MOTE_API mote_result mote_system_add_strands(mote_system *system, const mote_strands_def *def,
                                             mote_strands_id *id, mote_strands_fault *fault);

/* How many substeps of a step of `timestep` s let Newton's method reach max_stretch in about four iterations,
 * for a strand of so many points and `length` m under `acceleration` (m/s^2): dt n sqrt(a / (3 length)),
 * measured from 0.1 m x 32 to 1 m x 1,024. With fewer it needs more of them, and in the end reports `capped`.
 * At least 1; 1 for arguments that are not positive. */
MOTE_API uint32_t mote_strand_substeps(uint32_t points, double length, double acceleration, double timestep);

/* Takes a bundle away. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_strands(mote_system *system, mote_strands_id id);

/* The columns of a bundle. Point k of 16 strands lies in 16 neighbouring slots, so that a strand lies across
 * lanes: slot = first slot of the group + 16 k + lane. mote_strands_slot gives the slot. The host may read
 * and write positions and velocities between steps; slots that belong to no point must stay as they are.
 * Valid until the bundle is removed. */
typedef struct mote_strands_view {
    uint32_t strand_count, slot_count;
    mote_vector_columns position,
        velocity;              /* m, m/s (under position Verlet, springs: of t - h/2 once stepped) */
    const float *inverse_mass; /* 1/kg, 0: pinned */
    uint32_t point_count;      /* of all strands */
    float occupancy;           /* point_count / slot_count */
} mote_strands_view;

/* An empty view for anything that is not a living bundle. */
MOTE_API mote_strands_view mote_strands_columns(mote_system *system, mote_strands_id id);

/* The slot of a strand's point, or MOTE_NO_SLOT. */
MOTE_API uint32_t mote_strands_slot(const mote_system *system, mote_strands_id id, uint32_t strand,
                                    uint32_t point);

/* How many points a strand has; 0 for none. */
MOTE_API uint32_t mote_strands_points(const mote_system *system, mote_strands_id id, uint32_t strand);

/* Moves the roots: count = 1: one transform for all strands; count = strand count: one for each. The root,
 * and with it the rest shape, moves from where it stands to arrive at `tick`, interpolated in every substep.
 * Strands follow at the speed of the substeps: a root that jumps (a tick that has passed) leaves them behind.
 * Errors: NULL, BUSY, ID, RANGE (count, a quaternion of length 0), NOT_FINITE. */
MOTE_API mote_result mote_strands_set_roots(mote_system *system, mote_strands_id id,
                                            const mote_transform *transforms, uint32_t count, uint64_t tick);

/* The same for one strand. RANGE: no such strand. */
MOTE_API mote_result mote_strands_set_root(mote_system *system, mote_strands_id id, uint32_t strand,
                                           const mote_transform *transform, uint64_t tick);

/* Puts a strand (or MOTE_ALL_STRANDS) at rest in its rest shape under its root's target, pins where they
 * shall be; a strand that was frozen lives again. Presented where it is. Errors: NULL, BUSY, ID, RANGE. */
MOTE_API mote_result mote_strands_reset(mote_system *system, mote_strands_id id, uint32_t strand);

/* Pins a point to a target in the world (m), or moves the target of a point that is pinned; it travels from
 * where the point stands to arrive at `tick`. At most MOTE_MAX_PINS in a bundle. The pinned root of a strand
 * cannot be pinned. Errors: NULL, BUSY, ID, RANGE (no such point, a pinned root), NOT_FINITE, CAPACITY,
 * MEMORY (the first pin of a bundle reserves room for all). */
#define MOTE_MAX_PINS 4096u
MOTE_API mote_result mote_strands_pin(mote_system *system, mote_strands_id id, uint32_t strand,
                                      uint32_t point, const vec3 target, uint64_t tick);

/* Lets a point go. Errors: NULL, BUSY, ID, RANGE (it is not pinned by mote_strands_pin). */
MOTE_API mote_result mote_strands_unpin(mote_system *system, mote_strands_id id, uint32_t strand,
                                        uint32_t point);

/* The air's velocity (m/s), from the next step on. Errors: NULL, BUSY, ID, NOT_FINITE. */
MOTE_API mote_result mote_strands_set_air(mote_system *system, mote_strands_id id, const vec3 velocity);

/* The impulse (N s) with which a strand pulled at a pinned point or root in the last step: what its springs,
 * constraints, pose springs and the air on its segments gave that point; the point's own weight and inertia
 * are the holder's. Errors: NULL, BUSY, ID, RANGE (not pinned). */
MOTE_API mote_result mote_strands_reaction(const mote_system *system, mote_strands_id id, uint32_t strand,
                                           uint32_t point, float impulse[3]);

/* How one strand fared in the last step. */
typedef struct mote_strand_step_report {
    float stretch; /* largest |length / rest length - 1| of a segment at the end of the step, against unscaled
                      lengths */
    uint32_t iterations; /* of Newton's method, over all substeps */
    uint32_t capped;     /* substeps in which max_iterations did not reach max_stretch */
    uint32_t
        fallbacks; /* substeps in which the conserving solver did not converge and the robust one stood in */
    bool infeasible; /* rigid segments between two pins that stood further apart than those are long:
                        lengthened to reach */
    bool frozen;     /* it turned non-finite, in this step or an earlier one, and stands still where that step
                        began */
} mote_strand_step_report;

/* Errors: NULL, BUSY, ID, RANGE. */
MOTE_API mote_result mote_strands_report_of(const mote_system *system, mote_strands_id id, uint32_t strand,
                                            mote_strand_step_report *report);

/* The same over all strands: sums, and the largest and mean stretch of all segments. */
typedef struct mote_strands_step_report {
    float max_stretch, mean_stretch;
    uint64_t iterations;
    uint32_t capped, fallbacks, infeasible, frozen; /* strands */
} mote_strands_step_report;
MOTE_API mote_result mote_strands_report(const mote_system *system, mote_strands_id id,
                                         mote_strands_step_report *report);

/** The statistics of these strands. Elastic energy: of segments with compliance and of bends; strains: of
 * segments; max_strain_item: the strand. Errors: NULL, BUSY, ID. Runs on the system's jobs. */
MOTE_API mote_result mote_strands_statistics(const mote_system *system, mote_strands_id id,
                                             mote_statistics *statistics);

#ifdef __cplusplus
}
#endif
#endif
