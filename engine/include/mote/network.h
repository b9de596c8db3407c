/** @file
 * Networks: spring graphs such as nets, bridges, cloth-like sheets, webs and molecules. A network has a fixed
 * set of particles, joined by springs in any graph; coupled particles are evaluated together at each stage of
 * the integrator. Every force of the system acts on them too, except callbacks that reach the range
 * and particle anchors, which belong to loose particles. */
#ifndef MOTE_NETWORK_H
#define MOTE_NETWORK_H

#include <mote/system.h>
#include <mote/transform.h>

/** A spring. It pulls its ends together with F = k (|d| - L) + c d'.n along n = d / |d|. Ends at the same
 * place have no n, and a spring between them no force, until something else moves them apart; until
 * then the error of a rigid one is not reported (`unsolved`). */
typedef struct mote_spring {
    uint32_t a, /**< a particle of the network */
        b;      /**< another particle of the network */
    /** L, m, >= 0; MOTE_AS_PLACED: the distance in the def's positions, or the present distance of a spring
     * that is added later. */
    float rest_length;
    float stiffness;   /**< k, N/m, >= 0; the constrained solver: > 0, INFINITY: rigid */
    float damping;     /**< c, kg/s along the spring, >= 0 */
    float tear_strain; /**< > 0: tears at the end of a step in which |d| / L - 1 exceeds this; 0: never */
} mote_spring;
#define MOTE_AS_PLACED (-1.0f) /**< rest length of a spring or link: the distance of its ends */

/** Method that steps the springs of a network. */
typedef enum mote_network_solver {
    /** Springs are stepped by the system's integrator like every other force: stable only below its limit.
     * The kinematic integrators step each spring uncoupled from the others; implicit Euler and exact flow
     * take springs as kicks.
     *
     * Each substep rounds positions to float32, and so strains the springs: far from the origin of the world
     * undamped nets gain energy. A free net of 8 x 8 particles of 50 g, 0.25 m apart, with 5,000 N/m, that
     * shook at 0.11 m/s (rms), at 32 substeps of 1/60 s, did so at 0.11 / 0.15 / 0.73 / 12 m/s after 10 s at
     * 0 / 0.1 / 1 / 10 km; with a damping of 3 kg/s at 0.07 / 0.07 / 0.09 / 0.3 m/s. Constrained networks do
     * not. */
    MOTE_NETWORK_SPRINGS,
    /** Implicit Euler for the springs, after semi-implicit Euler for all other forces: stable at any
     * stiffness; loses energy. Each substep solves all springs of an island (connected component) together,
     * by Newton's method and preconditioned conjugate gradients. The primal form solves for positions, with
     * aggregates of particles on several levels as preconditioner (Bramble, Pasciak & Xu 1990). The dual form
     * solves for the multipliers of distance constraints with compliance 1/k. The dual form is used in
     * networks that have a rigid spring, and in islands with no more springs than particles that are so stiff
     * (h^2 w^2 > 100,000) that rounded positions do not resolve them; the primal form everywhere else. In the
     * primal form, contacts and friction are part of the solve: a particle in a collider is held or slides on
     * it from the first linear system of a substep on; one that enters a collider later does from the next
     * system on. In the dual form, particles are projected out of colliders after the solve: chains rest on
     * slopes that hold them, nets with more springs than particles creep down at h g sin(angle), 14 mm/s at 4
     * substeps and 20 degrees, and what slides does so by h mu g cos(angle) too fast. In both, those that
     * are in a collider at the start of a substep leave it before the solve, in position alone, and take
     * along the particles around whose springs that would strain. The strain left, up to max_strain, gives
     * speed: a net of 9 x 7 particles of 5 g, 50 mm apart, under which a ball of 0.2 m was put at a depth of
     * 15 mm, 0.1 / 0.2 / 0.3 m/s (rms) with 2e5 N/m at 1 / 4 / 16 substeps, and 0.05 to 0.1 m/s where two
     * corners were pinned. Particles to
     * which two colliders leave less room than they need stay in both, and those that go in between move as
     * the mean of the two, also along them, without friction too. At 1 substep a chain can fall through a
     * slit that is nearly as wide as its particles. Stiff nets creep on curved colliders, which strain them
     * by more than friction holds, in solved substeps too: 21 x 21 particles of 2 g, 50 mm apart, with
     * friction 0.5, on the side of a ball of 3 m where it slopes by 19 degrees, went 480 / 100 / 5 mm in 5 s
     * at 1 / 2 / 4 substeps with 1e5 N/m, 110 / 1.4 / 0.4 mm with 3e4, 0.2 / 0.2 / 0.1 mm with 1e4, and did
     * not on planes. Where particles are put out by more than the length of a spring, all about the same way,
     * the whole island goes that way, also parts that no spring joins any more, unless links hold the
     * network. A thin collider in the middle of a net, which particles leave to both sides, gives it metres a
     * second.
     *
     * In the dual form contacts move particles after the solve, and what that strains is solved for in the
     * next substep: a rigid net of 9 x 9 that lies over the edges of a box is strained by 77, 28, 9 and 2.4 %
     * at 1, 2, 4 and 8 substeps, and each of these substeps is counted (`unsolved`).
     *
     * In the dual form velocities gain only the share of the correction with which kinetic energy does not
     * grow beyond the work of the pins and what elastic springs give off: nothing in unsolved substeps and in
     * networks without rigid springs. Its reactions are the impulses that acted: with them momentum is exact
     * in every step. Square rigid nets hung by two corners, 64 iterations a system, were held to 0.3 % at 4
     * substeps with up to 20 x 20 particles, and 32 x 32 with 256 iterations.
     *
     * The dual form knows no stiffness of a stretched spring across itself. Where h^2 T > m L, with T the
     * tension and L the length of a spring and m the mass of one of its ends, its systems overshoot. A
     * substep that they do not end for this reason is solved again in 2 to 32 parts, each with the whole
     * budget, if max_iterations is above 1: 1 kg on five rigid springs of 0.1 m, with particles of 10, 1 or
     * 0.1 g between them, is held to 0.3 % at 1 to 16 substeps of 1/60 s, at rest, while it swings, and while
     * a pin or reel lifts it. Such substeps cost up to ten times as much: more substeps or heavier particles
     * are cheaper. Springs that contradict each other, or are pulled to more than their length, are not
     * solved in parts; to find this out costs two to seven times as much.
     *
     * Rigid springs that cannot all hold, as two of different lengths between the same particles, share the
     * error (`unsolved`); substeps then take up to twice max_iterations, and elastic springs may be strained
     * by it. In free nets of the primal form above h^2 w^2 = 10,000 rounding shows: a pair with 1.9e7 N/m in
     * free fall at 3 substeps lost an eighth of its momentum in 40 steps.
     *
     * An island that touches nothing keeps its momentum, in unsolved substeps too. Parts that removed or torn
     * springs no longer join remain one island: they freeze together, and where the primal form limits the
     * energy of a substep (`unsolved`, and systems of few iterations), it limits that of all parts, so that a
     * loose part is braked with one that shakes. Cloth of 1e5 N/m torn by a ball changed the speed of loose
     * parts by up to 17 mm/s a step, of 1e4 N/m by up to 2 mm/s; a particle cut off a net of 1e6 N/m that
     * shook at 1 m/s, at 1 substep of 1/60 s, lost all of its 1 m/s in 1 s.
     *
     * Both forms damp turning as implicit Euler does: a free net that turns at w (rad/s) loses the share h
     * w^2 of its angular momentum a second (2 rad/s, rigid or 1e5 N/m: 6 % at 1 substep of 1/60 s, 1.6 % at
     * 4).
     *
     * Reactions, links and the elastic energy of the primal form, and the elastic energy of the dual one, are
     * k times elongations, and so err by about k times the error of positions. Mean reaction in N of the pin
     * of a net of 6 x 6 particles of 5 g that hangs from it, with the default budget (1.72 would be right,
     * and 1.73 to 1.75 while it swings):
     *
     * | k, N/m | 1 substep | 4 | 16 |
     * | ------ | --------- | --- | --- |
     * | 1e5 | 1.88 | 1.74 | 1.75 |
     * | 1e6 | 2.21 | 1.77 | 1.74 |
     * | 1e7 | 2.48 | 2.69 | 1.72 |
     * | 1e8 | 2.98 | 39 | 1.99 |
     *
     * At 16 substeps they are right to 0.2 % up to 1e6, with 10 x 10 particles too. So use more substeps, or
     * softer springs: the first one is stretched by 0.02 mm here with 1e5. */
    MOTE_NETWORK_CONSTRAINED,
    MOTE_NETWORK_SOLVER_COUNT
} mote_network_solver;

/** Reaction to springs that are too stiff for the substep, by the bound for any directions
 * (mote_network_stability). */
typedef enum mote_stability_policy {
    MOTE_STABILITY_REPORT, /**< none: mote_network_stability reports it */
    /** The network takes as many own substeps as it needs, at most max_substeps or, if these are more, those
     * of the system. */
    MOTE_STABILITY_SUBSTEP,
    MOTE_STABILITY_REFUSE, /**< advancing the system returns MOTE_ERROR_STABILITY; no time passes */
    MOTE_STABILITY_POLICY_COUNT
} mote_stability_policy;

/** Settings and arrays of a new network. The arrays are read only during mote_system_add_network. Particles
 * and springs are numbered in the order given. */
typedef struct mote_network_def {
    uint32_t cookie;              /**< set by mote_default_network_def */
    mote_network_solver solver;   /**< method that steps the springs */
    uint32_t particle_count;      /**< 1 .. MOTE_MAX_PARTICLES */
    const float *positions;       /**< m, three floats a particle */
    const float *velocities;      /**< m/s, three floats a particle; NULL: at rest */
    float mass;                   /**< kg of each particle, > 0, if particle_mass is NULL */
    const float *particle_mass;   /**< kg of each particle, or NULL */
    uint32_t spring_count;        /**< may be 0 */
    uint32_t spring_capacity;     /**< springs with those added later; less than spring_count: no more */
    const mote_spring *springs;   /**< spring_count of them */
    mote_stability_policy policy; /**< reaction to springs that are too stiff */
    uint32_t max_substeps;        /**< limit of MOTE_STABILITY_SUBSTEP, 1 .. 4,096 */
    /** Accepts undamped springs under explicit Euler and midpoint, which gain energy at any step; they are
     * refused otherwise. */
    bool growth_allowed;
    /** Constrained: tolerance of Newton's method relative to rest length, > 0. Dual form: |C + compliance x
     * tension| of a spring (m), over its rest length; in m where this is 0, so that a rigid spring of length
     * 0 opens by up to 2 mm with the default. Primal form: the distance from a particle to the equilibrium of
     * its own springs, with its neighbours fixed, over the shortest of their rest lengths above 0; particles
     * with springs of length 0 alone are not tested. */
    float max_strain;
    uint32_t max_iterations; /**< constrained: Newton iterations a substep, or a part of one, 1 .. 32 */
    /** Constrained: conjugate gradient iterations a linear system, 1 .. 4,096. A large stiff net costs least
     * with one system of 16 to 24 iterations in each of several substeps (64 x 64: 4). With fewer it is
     * stretched and damped. The energy of free nets of 8 x 8 to 24 x 24 that spun undamped for 10 to 60 s,
     * with one system of 1 to 4 iterations, rose for a time by up to 5.4 % of that at the start, with 8 or
     * more by up to 0.3 % (k = 200 to 500,000); at the end it was below that at the start in all of them. */
    uint32_t max_linear;
    float radius; /**< m, >= 0, against colliders */
    /** Coulomb's coefficient, >= 0; a contact uses the root of its product with the collider's. */
    float friction;
} mote_network_def;

/** Returns a def without particles: MOTE_NETWORK_SPRINGS, 1 kg a particle, MOTE_STABILITY_REPORT, 256
 * substeps, max_strain 0.002, 4 Newton iterations of 64 conjugate gradient iterations each, radius 0,
 * friction 0.5. */
MOTE_API mote_network_def mote_default_network_def(void);

#define MOTE_MAX_NETWORKS 64u /**< networks in a system */

/** Location of wrong input: the first particle or spring with an error, MOTE_NO_ITEM where there is none. */
typedef struct mote_network_fault {
    uint32_t particle,     /**< number of a particle */
        spring;            /**< number of a spring */
    const char *parameter; /**< name of the field of the def or of the spring, or of the argument, static;
                              NULL: none */
} mote_network_fault;

/** Adds a network. Without constraints, islands (connected components) with equal graphs are interleaved
 * across SIMD lanes; all others are stored one after another. fault: NULL, or receives the location of an
 * error. Errors: NULL, BUSY, DEF, ENUM, RANGE (a count, a mass, a spring to itself or to no particle, a
 * negative value; more rigid springs in an island than three times its particles; a rigid spring for
 * MOTE_NETWORK_SPRINGS, a spring without stiffness for MOTE_NETWORK_CONSTRAINED), NOT_FINITE, OVERFLOW,
 * CAPACITY (MOTE_MAX_NETWORKS), MEMORY, INTEGRATOR (an advecting one), STABILITY (growth_allowed). */
MOTE_API mote_result mote_system_add_network(mote_system *system, const mote_network_def *def,
                                             mote_network_id *id, mote_network_fault *fault);

/** Removes a network and its links. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_network(mote_system *system, mote_network_id id);

/** The columns of a network, by slot. The host may read and write positions and velocities between steps;
 * slots without a particle must not be changed. MOTE_NETWORK_CONSTRAINED keeps more digits of a position than
 * its column holds, until the host writes another value there. Valid until the network is removed. */
typedef struct mote_network_view {
    uint32_t particle_count,      /**< as in the def */
        slot_count,               /**< elements of a column, padding included */
        spring_count;             /**< springs that exist now */
    uint32_t spring_capacity;     /**< springs that may exist */
    mote_vector_columns position, /**< m */
        velocity;                 /**< m/s (position Verlet: at t - h/2 after its first step) */
    const float *inverse_mass;    /**< 1/kg, 0: pinned */
    const uint32_t *slot;         /**< of each particle; never changes */
} mote_network_view;

/** Returns the columns of a network; an empty view if the id names none. */
MOTE_API mote_network_view mote_network_columns(mote_system *system, mote_network_id id);

/** Reads positions (m) and velocities (m/s, as in the columns) of particles first .. first + count - 1 in the
 * host's numbering, three floats each, packed. Either may be NULL. Errors: NULL, BUSY, ID, RANGE. */
MOTE_API mote_result mote_network_state(const mote_system *system, mote_network_id id, uint32_t first,
                                        uint32_t count, float *positions, float *velocities);

/** Writes them likewise, as if into the columns: pinned particles return to their targets in the next step,
 * and presentation interpolates from the previous positions (mote_network_teleport). Errors: NULL, BUSY, ID,
 * RANGE, NOT_FINITE: nothing is written. */
MOTE_API mote_result mote_network_set_state(mote_system *system, mote_network_id id, uint32_t first,
                                            uint32_t count, const float *positions, const float *velocities);

/** Returns the slot of a particle, or MOTE_NO_SLOT. */
MOTE_API uint32_t mote_network_slot(const mote_system *system, mote_network_id id, uint32_t particle);

/** Returns whether a particle's island is frozen because it turned non-finite. False if there is no such
 * particle. */
MOTE_API bool mote_network_frozen(const mote_system *system, mote_network_id id, uint32_t particle);

/** Declares that the host has replaced positions: they are presented as they are, without interpolation from
 * the previous ones. Clears the frozen state of all islands. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_network_teleport(mote_system *system, mote_network_id id);

#define MOTE_MAX_NETWORK_PINS 4096u /**< pins in a network */

/** Pins a particle to a target in the world (m), or sets a new target of a pinned one. It moves from its
 * present position and arrives at the tick (see MOTE_NEXT_ADVANCE). Errors: NULL, BUSY, ID, RANGE (no such
 * particle), NOT_FINITE, CAPACITY (MOTE_MAX_NETWORK_PINS), MEMORY (the first pin reserves capacity for
 * all). */
MOTE_API mote_result mote_network_pin(mote_system *system, mote_network_id id, uint32_t particle,
                                      const float target[3], uint64_t tick);

/** Releases a pinned particle. Errors: NULL, BUSY, ID, RANGE (it is not pinned). */
MOTE_API mote_result mote_network_unpin(mote_system *system, mote_network_id id, uint32_t particle);

/** Reads the impulse (N s) that the springs and links of a pinned particle gave to it in the last step.
 * Errors: NULL, BUSY, ID, RANGE (not pinned). */
MOTE_API mote_result mote_network_reaction(const mote_system *system, mote_network_id id, uint32_t particle,
                                           float impulse[3]);

/* --- Edits, between steps --- */

/** Adds springs. Each takes the lowest free number; numbers[i] receives that of springs[i]. Springs between
 * islands join them permanently. fault->spring: the item of springs with an error. Errors: NULL, BUSY, ID,
 * RANGE, NOT_FINITE, CAPACITY (spring_capacity), MEMORY, STABILITY (growth_allowed): nothing is added then.
 * Cost: order of the springs of the affected blocks. */
MOTE_API mote_result mote_network_add_springs(mote_system *system, mote_network_id id, uint32_t count,
                                              const mote_spring *springs, uint32_t *numbers,
                                              mote_network_fault *fault);

/** Removes springs. fault->spring: the item of numbers with an error. Errors: NULL, BUSY, ID, RANGE (no such
 * spring, or given twice): none is removed then. */
MOTE_API mote_result mote_network_remove_springs(mote_system *system, mote_network_id id, uint32_t count,
                                                 const uint32_t *numbers, mote_network_fault *fault);

/** Replaces a spring's stiffness, damping and tear strain; its ends and rest length stay. fault: NULL, or
 * receives the name of the argument with an error. Errors: NULL, BUSY, ID, RANGE, NOT_FINITE, STABILITY
 * (growth_allowed). */
MOTE_API mote_result mote_network_set_spring(mote_system *system, mote_network_id id, uint32_t number,
                                             float stiffness, float damping, float tear_strain,
                                             mote_network_fault *fault);

#define MOTE_MAX_REELS 4096u /**< springs of a network that are reeled at once */

/** Reels a spring in or out: its rest length changes linearly in time from its present value and arrives at
 * the tick (see MOTE_NEXT_ADVANCE); each stage uses the length at its own time. fault: NULL, or receives the
 * name of the argument with an error. Errors: NULL, BUSY, ID, RANGE (no such spring, a negative length),
 * NOT_FINITE, CAPACITY (MOTE_MAX_REELS), MEMORY (the first reel reserves capacity for all). */
MOTE_API mote_result mote_network_reel(mote_system *system, mote_network_id id, uint32_t number,
                                       float rest_length, uint64_t tick, mote_network_fault *fault);

/** Reads a spring as it is now. Errors: NULL, BUSY, ID, RANGE (no such spring). */
MOTE_API mote_result mote_network_spring(const mote_system *system, mote_network_id id, uint32_t number,
                                         mote_spring *spring);

/** Returns the numbers of the springs that tore in the last advance, by step, ascending in each; *count, if
 * not NULL, receives how many. NULL: none. Valid until the next advance. */
MOTE_API const uint32_t *mote_network_torn(const mote_system *system, mote_network_id id, uint32_t *count);

/* --- Reports --- */

/** Work and failures of a network in the last step. */
typedef struct mote_network_step_report {
    uint32_t substeps; /**< taken */
    bool capped;       /**< MOTE_STABILITY_SUBSTEP: the bound requires more than were taken */
    uint32_t torn;     /**< springs */
    uint32_t frozen;   /**< islands that turned non-finite, in this step or an earlier one, and are frozen */
    uint64_t iterations; /**< constrained: linear systems solved, over islands and substeps */
    uint64_t linear;     /**< constrained: conjugate gradient iterations of these systems */
    uint32_t unsolved;   /**< constrained: substeps of islands that ended above max_strain, or whose last
                            iteration the solver cut back because energy would have grown */
    float residual;      /**< constrained: largest error over rest length at the end of these substeps */
} mote_network_step_report;

/** Reads the report of the last step. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_network_report(const mote_system *system, mote_network_id id,
                                         mote_network_step_report *report);

/** Bounds on the modes of a network's springs, and the largest stable step that follows from them. */
typedef struct mote_network_stability_bound {
    double frequency,  /**< rad/s, upper bound on the angular frequency w of every mode */
        damping;       /**< 1/s, upper bound on the damping rate of every mode */
    double step;       /**< s, largest h at which no mode can grow; 0: none; HUGE_VAL: any (constrained) */
    uint32_t particle, /**< that determines the bound; MOTE_NO_ITEM: none */
        spring;        /**< the stiffest one of that particle; MOTE_NO_ITEM: none */
} mote_network_stability_bound;

/** Stability of a network's springs. m: mass of a particle, m' of the particle at the other end of a spring;
 * the sums run over the springs of a particle. */
typedef struct mote_network_stability_report {
    /** For any directions of the springs: w^2 <= max over particles of sum of g k / m; g = 2 for all springs
     * or g = 1 + m / m' for all, whichever gives the lower bound, and g = 1 where the other end is pinned. */
    mote_network_stability_bound any,
        /** For the present directions n: w^2 <= max over particles of the largest eigenvalue of the 3 x 3
         * matrix sum of g k (n n^T + max(0, 1 - L / |d|) (1 - n n^T)) / m. */
        sharp;
    double substep;    /**< s, h of the next step */
    uint32_t substeps; /**< of the next step, by the policy */
} mote_network_stability_report;

/** Computes the largest step that the springs of a network allow under the system's integrator. frequency is
 * bounded as in mote_network_stability_report, damping likewise with c in place of k; step follows from both
 * and from the least and the greatest c / k. The bounds do not cover springs shorter than half their rest
 * length, links, and the other forces of the system. Kinematic integrators: any is for springs at their rest
 * lengths; a stretched spring gains energy across itself at any h, and sharp is 0 then. Errors: NULL, BUSY,
 * ID. Cost: order of the springs, after an edit; of the sharp form at each call. */
MOTE_API mote_result mote_network_stability(const mote_system *system, mote_network_id id,
                                            mote_network_stability_report *report);

/** Computes the statistics of one network, summed in the host's numbering. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_network_statistics(const mote_system *system, mote_network_id id,
                                             mote_statistics *statistics);

/** Checks a layout for networks, of which positions in their order are all that is written. Returns MOTE_OK,
 * NULL, DEF, ENUM (colour_format), NOT_FINITE (origin) or RANGE (no position, or beyond the stride; another
 * quantity, an order). parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_network_layout_check(const mote_present_layout *layout, const char **parameter);

/** Writes every particle's interpolated position in the host's numbering, x = x0 + alpha (x1 - x0), also in
 * systems of MOTE_INTERPOLATE_HERMITE; the layout may ask for nothing else (RANGE). Relative to an origin
 * other than 0, positions of constrained networks include the part of them below float32 that the solver
 * keeps. Errors: NULL, BUSY, ID, those of mote_network_layout_check, BUFFER (bytes < particles x stride). */
MOTE_API mote_result mote_network_present(const mote_system *system, mote_network_id id,
                                          const mote_present_layout *layout, void *vertices, size_t bytes);

#endif
