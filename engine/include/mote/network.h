/* Networks: spring graphs. Nets, bridges, cloth-like sheets, webs, molecules: particles that stay, joined by
 * springs in any graph, and all that is coupled evaluated together at each stage of the integrator. Every
 * force of the system acts on them too, callbacks that reach the range excepted. */
#ifndef MOTE_NETWORK_H
#define MOTE_NETWORK_H

#include <mote/system.h>
#include <mote/transform.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A spring pulls its ends together with F = k (|d| - L) + c d'.n along n = d / |d|. */
typedef struct mote_spring {
    uint32_t a, b;     /* particles of the network, different ones */
    float rest_length; /* L, m, >= 0; MOTE_AS_PLACED: the distance in the def's positions, when added later
                          the present one */
    float stiffness;   /* k, N/m, >= 0; the constrained solver: > 0, INFINITY: rigid */
    float damping;     /* c, kg/s along the spring, >= 0 */
    float tear_strain; /* it tears at the end of a step in which |d| / L - 1 exceeds this; > 0, or 0: never */
} mote_spring;
#define MOTE_AS_PLACED (-1.0f)

typedef enum mote_network_solver {
    MOTE_NETWORK_SPRINGS, /* stepped by the system's integrator like every other force: stable only below its
                           * limit. Kinematic: each spring as if alone; implicit Euler and exact flow take
                           * them as kicks */
    MOTE_NETWORK_CONSTRAINED, /* implicit Euler for the springs, after semi-implicit Euler for everything
                               * else: stable at any stiffness; loses energy. All of an island's springs are
                               * solved together in each substep by Newton's method and preconditioned
                               * conjugate gradients: on the positions where all springs of the network give
                               * way, with clusters of particles on several levels (Bramble, Pasciak & Xu
                               * 1990), on the multipliers of distance constraints with compliance 1/k once
                               * one is rigid, and in islands of no more springs than particles that are so
                               * stiff (h^2 w^2 > 100,000) that positions, rounded, do not hold them. On the
                               * positions what comes into a collider lies on it, with friction, from one of
                               * Newton's iterations to the next; where there is only one, and on the
                               * multipliers, it is put out after */
    MOTE_NETWORK_SOLVER_COUNT
} mote_network_solver;

/* What is done where springs are too stiff for the substep, by the bound for any directions
 * (mote_network_stability). */
typedef enum mote_stability_policy {
    MOTE_STABILITY_REPORT,  /* nothing: ask mote_network_stability */
    MOTE_STABILITY_SUBSTEP, /* the network takes as many substeps of its own as it needs, at most max_substeps
                             */
    MOTE_STABILITY_REFUSE,  /* MOTE_ERROR_STABILITY from whatever would advance the system; no time passes */
    MOTE_STABILITY_POLICY_COUNT
} mote_stability_policy;

/* Arrays are read by mote_system_add_network alone. Particles and springs are numbered in the order given. */
typedef struct mote_network_def {
    uint32_t cookie; /* set by mote_default_network_def */
    mote_network_solver solver;
    uint32_t particle_count; /* 1 .. MOTE_MAX_PARTICLES */
    const float *positions;  /* m, three floats a particle */
    const float *velocities; /* m/s, the same; NULL: at rest */
    float particle_mass;     /* kg of each particle, > 0 ... */
    const float *masses;     /* ... or of each its own; NULL: particle_mass */
    uint32_t spring_count;
    uint32_t spring_capacity; /* room for springs added later; less than spring_count: none */
    const mote_spring *springs;
    mote_stability_policy policy;
    uint32_t max_substeps; /* of MOTE_STABILITY_SUBSTEP, 1 .. 4,096 */
    bool growth_allowed;   /* explicit Euler and midpoint on undamped springs, which gain energy at any step:
                              else refused */
    float max_strain; /* constrained: solved until no error is above max_strain x rest length, > 0: with rigid
                       * springs |C + compliance x tension|, m; else how far a particle alone would move to
                       * where its springs balance, by the shortest of them ... */
    uint32_t max_iterations; /* ... or so many linear systems (Newton's method) a substep, 1 .. 32 ... */
    uint32_t max_linear; /* ... of so many conjugate-gradient iterations each, 1 .. 4,096. A large stiff net
                          * is held cheapest by one system of 16 to 24 in each of some substeps (64 x 64: 4);
                          * by far fewer, or in one substep, what is left unsolved may throw it about */
    float radius;        /* m, >= 0, against colliders */
    float friction;      /* Coulomb's coefficient, >= 0; with the collider's: the root of the product */
} mote_network_def;

/* Springs, nothing to begin with, 1 kg a particle, report, 256 substeps, max_strain 0.002, 4 iterations of
 * 64, radius 0, friction 0.5. */
MOTE_API mote_network_def mote_default_network_def(void);

#define MOTE_MAX_NETWORKS 64u

/* Where input is wrong: the first particle or spring at fault, MOTE_NO_ITEM where it is none. */
typedef struct mote_network_fault {
    uint32_t particle, spring;
} mote_network_fault;

/* Adds particles and springs. Islands (connected components) that are alike lie across lanes, others follow
 * each other. fault: NULL, or receives where an error lies. Errors: NULL, BUSY, DEF, ENUM, RANGE (a count, a
 * mass, a spring to itself or to nothing, a negative value; more rigid springs in an island than three times
 * its particles; a rigid or slack spring for the wrong solver), NOT_FINITE, OVERFLOW, CAPACITY
 * (MOTE_MAX_NETWORKS), MEMORY, INTEGRATOR (an advecting one), STABILITY (growth_allowed). */
MOTE_API mote_result mote_system_add_network(mote_system *system, const mote_network_def *def,
                                             mote_network_id *id, mote_network_fault *fault);

/* Takes a network away. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_network(mote_system *system, mote_network_id id);

/* The columns of a network, by slot; slot[i] is where particle i lies, fixed from the start. The host may
 * read and write positions and velocities between steps; slots that belong to no particle must stay as they
 * are. Valid until the network is removed. */
typedef struct mote_network_view {
    uint32_t particle_count, slot_count, spring_count; /* springs alive */
    uint32_t spring_capacity;
    mote_vector_columns position, velocity; /* m, m/s (position Verlet: of t - h/2 once stepped) */
    const float *inverse_mass;              /* 1/kg, 0: pinned */
    const uint32_t *slot;                   /* particle_count */
} mote_network_view;

/* An empty view for anything that is not a living network. */
MOTE_API mote_network_view mote_network_columns(mote_system *system, mote_network_id id);

/* The slot of a particle, or MOTE_NO_SLOT. */
MOTE_API uint32_t mote_network_slot(const mote_system *system, mote_network_id id, uint32_t particle);

/* Whether a particle's island turned non-finite and stands still. False: not, or no such particle. */
MOTE_API bool mote_network_frozen(const mote_system *system, mote_network_id id, uint32_t particle);

/* Says that positions were set anew: presented where they are, not blended from where they were; islands that
 * were frozen live again. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_network_teleport(mote_system *system, mote_network_id id);

/* Pins a particle to a target in the world (m), or moves the target of one that is pinned; it travels from
 * where it stands to arrive at `tick`. At most MOTE_MAX_NETWORK_PINS in a network. Errors: NULL, BUSY, ID,
 * RANGE (no such particle), NOT_FINITE, CAPACITY, MEMORY (the first pin reserves room for all). */
#define MOTE_MAX_NETWORK_PINS 4096u
MOTE_API mote_result mote_network_pin(mote_system *system, mote_network_id id, uint32_t particle,
                                      const vec3 target, uint64_t tick);

/* Lets a particle go. Errors: NULL, BUSY, ID, RANGE (it is not pinned). */
MOTE_API mote_result mote_network_unpin(mote_system *system, mote_network_id id, uint32_t particle);

/* The impulse (N s) that its springs gave to a pinned particle in the last step. Errors: NULL, BUSY, ID,
 * RANGE (not pinned). */
MOTE_API mote_result mote_network_reaction(const mote_system *system, mote_network_id id, uint32_t particle,
                                           float impulse[3]);

/* --- Edits, between steps --- */

/* Adds springs; each takes the lowest number that is free, into numbers[i]. Springs between islands join them
 * for good. fault->spring: the item of `springs` at fault. Errors: NULL, BUSY, ID, RANGE, NOT_FINITE,
 * CAPACITY (spring_capacity), MEMORY, STABILITY (growth_allowed): nothing is added then. Order: the springs
 * of the blocks concerned. */
MOTE_API mote_result mote_network_add_springs(mote_system *system, mote_network_id id, uint32_t count,
                                              const mote_spring *springs, uint32_t *numbers,
                                              mote_network_fault *fault);

/* Takes springs away. fault->spring: the item of `numbers` at fault. Errors: NULL, BUSY, ID, RANGE (no such
 * spring, or given twice): none is removed then. */
MOTE_API mote_result mote_network_remove_springs(mote_system *system, mote_network_id id, uint32_t count,
                                                 const uint32_t *numbers, mote_network_fault *fault);

/* Gives a spring another stiffness, damping and tear strain; its ends and rest length stay. Errors: NULL,
 * BUSY, ID, RANGE, NOT_FINITE, STABILITY (growth_allowed). */
MOTE_API mote_result mote_network_set_spring(mote_system *system, mote_network_id id, uint32_t number,
                                             float stiffness, float damping, float tear_strain);

/* Reels a spring in or out: its rest length travels, linearly in time, from what it is to arrive at
 * `tick`; at each stage it has the length of that time. At most MOTE_MAX_REELS at once. Errors: NULL,
 * BUSY, ID, RANGE (no such spring, a negative length), NOT_FINITE, CAPACITY, MEMORY (the first reel
 * reserves room for all). */
#define MOTE_MAX_REELS 4096u
MOTE_API mote_result mote_network_reel(mote_system *system, mote_network_id id, uint32_t number,
                                       float rest_length, uint64_t tick);

/* A spring as it now is. Errors: NULL, BUSY, ID, RANGE (no such spring). */
MOTE_API mote_result mote_network_spring(const mote_system *system, mote_network_id id, uint32_t number,
                                         mote_spring *spring);

/* The springs that tore in the last advance, step by step, those of a step ascending; *count of them. NULL:
 * none. Valid until the next advance. */
MOTE_API const uint32_t *mote_network_torn(const mote_system *system, mote_network_id id, uint32_t *count);

/* --- What is told --- */

/* How the network fared in the last step. */
typedef struct mote_network_step_report {
    uint32_t substeps;   /* taken */
    bool capped;         /* MOTE_STABILITY_SUBSTEP: max_substeps are fewer than the bound asks for */
    uint32_t torn;       /* springs */
    uint32_t frozen;     /* islands that turned non-finite, in this step or an earlier one, and stand still */
    uint64_t iterations; /* constrained: linear systems solved, over islands and substeps ... */
    uint64_t linear;     /* ... conjugate-gradient iterations of them */
    uint32_t unsolved;   /* substeps of islands that ended above max_strain ... */
    float residual;      /* ... and the largest error over rest length that was left in them */
} mote_network_step_report;
MOTE_API mote_result mote_network_report(const mote_system *system, mote_network_id id,
                                         mote_network_step_report *report);

/* The largest step that the springs allow. Frequencies w (rad/s): of all motions none is faster. For any
 * directions: w^2 <= max over particles of sum of g k / m, g = 2 for all springs or 1 + m / m' for all (m':
 * of the other end), whichever gives less, and 1 where the other end is pinned; sharp: the largest eigenvalue
 * of the 3 x 3 sum of g k (n n^T + max(0, 1 - L / |d|) (1 - n n^T)) / m for the present directions n. Neither
 * covers springs shorter than half their rest length, links, nor the system's other forces. Damping likewise
 * with c in place of k. From them, and the least and the most c / k, for the system's integrator: the largest
 * h (s) at which nothing can grow; 0: none; HUGE_VAL: any (constrained). Kinematic: `any` is of springs at
 * their rest lengths; one that is stretched gains across itself at any h, and sharp is 0. Computed anew after
 * an edit; the sharp form at each call. Order: springs. */
typedef struct mote_network_stability_bound {
    double frequency, damping; /* rad/s, 1/s */
    double step;               /* s */
    uint32_t particle,
        spring; /* that set it: the particle, and the stiffest of its springs; MOTE_NO_ITEM: none */
} mote_network_stability_bound;
typedef struct mote_network_stability_report {
    mote_network_stability_bound any, sharp;
    double substep;    /* s, h of the step to come */
    uint32_t substeps; /* of the step to come, by the policy */
} mote_network_stability_report;
MOTE_API mote_result mote_network_stability(const mote_system *system, mote_network_id id,
                                            mote_network_stability_report *report);

/** The statistics of one network, summed in the host's numbering. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_network_statistics(const mote_system *system, mote_network_id id,
                                             mote_statistics *statistics);

/* Writes every particle's interpolated position in the host's numbering; velocity_offset must be MOTE_OMIT.
 * Errors: as mote_system_present, and ID. */
MOTE_API mote_result mote_network_present(const mote_system *system, mote_network_id id,
                                          const mote_present_layout *layout, void *vertices, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
