/** @file
 * Strands of rope and hair. A strand is a chain of 2 to 1,024 points; mote_system_add_strands adds many
 * strands with the same settings under one id. Every force of the system acts on their points too, except
 * callbacks that reach the range. */
#ifndef MOTE_STRANDS_H
#define MOTE_STRANDS_H

#include <mote/system.h>
#include <mote/transform.h>

/** Method that holds the segments of a strand at their rest lengths. */
typedef enum mote_strand_solver {
    /** Springs, stepped by the system's integrator like every other force: stable only below its limit. The
     * kinematic integrators step each spring uncoupled from the others; implicit Euler and exact flow take
     * springs as kicks. */
    MOTE_STRAND_SPRINGS,
    /** Distance constraints. Each substep solves for the impulses along all segments of a strand together:
     * one linear system. Loses a little energy, most where segments turn fast. Strands that touch a
     * collider, strands in air near one, and compliant strands are solved to first order, which loses more.
     * The only solver of rods.
     *
     * The work of constant forces is exact, so that energy does not swing with them. Where segments turn
     * fast or a bob is heavy, the strand's substep is divided into up to 32 parts. Lengths are held to
     * max_strain: a segment with compliance may be off by the energy that this strain has over h, as a speed,
     * m (max_strain L / h)^2 / 2, J. */
    MOTE_STRAND_ROBUST,
    /** The same; at the end of a step a factor of the velocities relative to the root restores the energy
     * that the impulses lost: keeps energy at every number of substeps while the strand touches no collider.
     * Rigid segments only. */
    MOTE_STRAND_CONSERVING,
    MOTE_STRAND_SOLVER_COUNT
} mote_strand_solver;

#define MOTE_MIN_STRAND_POINTS 2u    /**< points of a strand, at least */
#define MOTE_MAX_STRAND_POINTS 1024u /**< points of a strand, at most */

/** Settings and arrays of new strands. The arrays are read only during mote_system_add_strands. Strands are
 * numbered in the order given, points from the root on. */
typedef struct mote_strands_def {
    uint32_t cookie;               /**< set by mote_default_strands_def */
    mote_strand_solver solver;     /**< method that holds the segments */
    uint32_t strand_count;         /**< >= 1 */
    uint32_t points;               /**< points of every strand, 2 .. 1,024, if strand_points is NULL */
    const uint32_t *strand_points; /**< points of each strand, or NULL */
    /** m: the rest shapes under the identity transform, three floats a point, strand after strand. */
    const float *positions;
    float mass; /**< kg of a strand, > 0, shared equally by its points, if strand_mass is NULL */
    const float *strand_mass; /**< kg of each strand, or NULL */
    /** kg of each point, > 0, strand after strand, in place of mass and strand_mass, or NULL: a taper, or a
     * bob at the tip. In a uniform rod each point has half the mass of the segments that meet there, the tip
     * half as much as an inner point. Not for springs. */
    const float *point_mass;
    /** Rest length of a segment over its length in positions, > 0, if strand_rest_scale is NULL. */
    float rest_scale;
    const float *strand_rest_scale; /**< rest scale of each strand, or NULL */
    /** m/N of a segment, 1 / stiffness, >= 0, if strand_compliance is NULL. 0: rigid, which is not allowed
     * for springs and required by the conserving solver. */
    float compliance;
    /** m/N for the segments of each strand, or NULL. If one of them is compliant, rigid strands of the same
     * id are solved by the formula of compliant ones: the same lengths, other bits than if all were rigid. */
    const float *strand_compliance;
    float damping; /**< kg/s of a segment along itself, >= 0; no effect where rigid */
    /** EI, N m^2, >= 0, if point_bending_stiffness is NULL: Young's modulus times the second moment of area
     * (mote_rod_section_of). 0: the strand bends freely. > 0: it is a rod, stepped implicitly, stable at any
     * stiffness; only for the robust solver with rigid segments. A rod without twisting_stiffness is straight
     * at rest. With the directions t and lengths l of its segments each inner point k has the energy
     *     EI / (l[k-1] + l[k]) |t[k] - t[k-1]|^2,
     * which tends to the integral of EI / 2 (curvature)^2, and a clamped root EI / l[0] |t[0] - t|^2, where t
     * is the direction of the rest shape's first segment under the root's transform. */
    float bending_stiffness;
    /** EI at each point, N m^2, >= 0, strand after strand, or NULL: tapers, or strands that differ. */
    const float *point_bending_stiffness;
    /** GJ, N m^2, >= 0, if point_twisting_stiffness is NULL: shear modulus times the torsion constant
     * (mote_rod_section_of). 0: rods are straight at rest and have no twist. > 0, for rods only: they have
     * material frames. The curvature and torsion of the shape in positions are those at rest, and a root that
     * turns about its first segment twists the rod. Twist has no inertia: in each substep it takes the state
     * of least energy, so that a rod has no torsional vibrations. A segment behind the first whose two points
     * are pinned does not turn about itself. A substep h holds curls of the rest curvature c that wind or
     * wave with the number k, rad/m (the torsion of a helix; 2 pi over the length of a wave), while (c^2 +
     * 0.7 k^2)^2 h^2 max(ratio EI, GJ) / (mass per metre) <= 0.4; above this a strand takes its substeps in 2
     * or 4 parts, and above 6.4 it is solved in the rotations of its segments, which holds curls of any
     * stiffness (stiff_curls). A free curl that spins at 2 rad/s keeps 0.957 of its angular momentum in 5 s
     * at 4 substeps, 0.995 at 16 (25 points, EI = 1e-4 N m^2, GJ = 0.7 EI). Where GJ is below EI / 100, rods
     * that are curved at rest may shake on or stop before their equilibrium: use more. Curls that a bob at
     * the tip bends far from their shape at rest may shake on, which nothing reports: of 406 random ones with
     * bobs of 1 to 20 times their mass a fifth did, half of these at up to 0.012 m/s, the worst at 0.65, at 2
     * to 16 substeps alike; of 294 with lighter bobs a tenth. */
    float twisting_stiffness;
    /** GJ at each point, N m^2, >= 0, strand after strand, or NULL: tapers, or strands that differ. */
    const float *point_twisting_stiffness;
    /** EI about the second axis of the material frame over EI about the first one, >= 1, if
     * point_bending_ratio is NULL: of flat sections, whose longer side lies along the first axis; (a / b)^2
     * for an ellipse of semi-axes a >= b (mote_rod_section_of). 1: sections that bend alike in all
     * directions. > 1: only with twisting_stiffness. Frames are unit quaternions q[k] of the segments; with
     * W = 2 Im(conj(q[k-1]) q[k]) and W0, that of the rest shape, each inner point k has the energy
     *     (EI (W - W0)_x^2 + ratio EI (W - W0)_y^2 + GJ (W - W0)_z^2) / (l[k-1] + l[k]).
     * Vibrations about the first axis are damped as those of a round rod at a substep `ratio` times as long,
     * because the implicit step uses the larger stiffness for all directions; shapes at rest are exact. */
    float bending_ratio;
    /** The ratio at each point, >= 1, strand after strand, or NULL: tapers, or strands that differ. */
    const float *point_bending_ratio;
    /** Three floats a point, strand after strand, in the coordinates of positions, of any length > 0: the
     * direction of the first axis of the frame at rest, the long one of a flat section, of the segment that
     * begins at the point. Its part along the segment is ignored, and the last point's is not used. Sets the
     * rest twist. NULL: frames that are not twisted along the rod. Only with twisting_stiffness. */
    const float *point_axis;
    bool hinged_roots; /**< rods bend freely at their roots, which hold their twist; else roots clamp the
                            first segment */
    /** m/s^2, in the coordinates of positions: the acceleration under which the shape in positions is the
     * equilibrium of the rods. With that of gravity a groom does not sag. {0, 0, 0}: the shape in positions
     * is that of the rods without forces. Sets the rest curvature and twist in closed form: the moment at
     * point k is the sum of (x[j] - x[k]) x m[j] a over the points j behind it. Only for clamped rods with
     * bending and twisting stiffness at every point but the tip. The equilibrium may be unstable: see
     * mote_strands_stability. */
    float rest_acceleration[3];
    /** N/m, >= 0, of an explicit spring from every point to its place in the rest shape under the root's
     * transform; 0: none. */
    float pose_stiffness;
    /** Substeps of a step, <= 4,096; 0: those of the system, which strands with links always take. */
    uint32_t substeps;
    float max_strain;        /**< tolerance of the constraints, |length / rest length - 1|, > 0 */
    uint32_t max_iterations; /**< limit of Newton's method in a substep, 1 .. 32 */
    /** kg/(m s), >= 0: cn, the drag of a metre of strand in air across it. A segment of length L and
     * direction t has F = L / 2 (cn u + (ct - cn) t (t u)) on each of its ends, u the wind relative to that
     * end. Of constraints, no more acts on a segment than stops the lighter one of its ends within a substep:
     * the larger of cn and ct times h times its length, over that mass, counts as 1 at most. Springs take all
     * of it, explicitly. */
    float normal_drag;
    float tangential_drag; /**< kg/(m s), >= 0: ct, the same along it */
    float air_velocity[3]; /**< m/s, of the air that drags (mote_strands_set_air) */
    float radius;          /**< m, >= 0: half the thickness of strands against colliders */
    /** Coulomb's coefficient, >= 0; a contact uses the root of its product with the collider's. */
    float friction;
    uint32_t collide_from; /**< first point of a strand on which colliders act */
    bool free_roots;       /**< point 0 of every strand is free; else pinned to its root's transform */
} mote_strands_def;

/** Returns a def without strands: robust, 32 points, 1 g a strand, rest scale 1, rigid, pinned roots, 4
 * substeps, max_strain 0.002, 32 iterations, radius 0, friction 0.5, bending_ratio 1; all else 0 or NULL: no
 * damping, bending, twisting, springs to the rest shape or drag. */
MOTE_API mote_strands_def mote_default_strands_def(void);

#define MOTE_MAX_STRANDS_OBJECTS 64u         /**< ids of strands in a system */
#define MOTE_ALL_STRANDS         0xffffffffu /**< in place of a strand's number */

/** Location of the first error in a def; MOTE_ALL_STRANDS and 0 where it concerns no strand or point. */
typedef struct mote_strands_fault {
    uint32_t strand,       /**< number of a strand */
        point;             /**< number of its point */
    const char *parameter; /**< name of the field of the def, static; NULL: no field */
} mote_strands_fault;

/** Adds strands at rest in their rest shape under the identity transform. fault: NULL, or receives the
 * location of an error. Errors: NULL, BUSY, DEF, ENUM, RANGE (a count, a length, a mass, ...; springs without
 * compliance or with point_mass; the conserving solver with compliance; bending stiffness with another solver
 * than the robust one or with compliance; twisting stiffness without bending stiffness; a bending ratio below
 * 1, or other than 1 without twisting stiffness; an axis within 1/1000 rad of its segment, or without
 * twisting stiffness; rest_acceleration of other rods than it is for), NOT_FINITE, OVERFLOW, CAPACITY
 * (MOTE_MAX_STRANDS_OBJECTS), MEMORY, INTEGRATOR (an advecting one). */
MOTE_API mote_result mote_system_add_strands(mote_system *system, const mote_strands_def *def,
                                             mote_strands_id *id, mote_strands_fault *fault);

/** Returns the number of substeps of a step of dt = timestep (s) with which Newton's method reaches
 * max_strain in about six iterations on average, those of parts included, for a strand of n points and a
 * length (m) under an acceleration a (m/s^2): dt n sqrt(a / (3 length)), rounded up. Measured from 8 to
 * 1,024 points and 0.1 to 3 m, released horizontally: 1.2 to 8.8 a substep over 3 s, up to 41 in the step
 * that takes most, none unsolved. With fewer substeps the method needs more iterations, and with too few
 * the strand is reported as unsolved. At least 1; 1 for arguments that are not positive. A bob or another
 * pull T (N) needs more: with segments of l (m) between points of m (kg), h^2 T / (m l) below 1/3 for
 * compliant strands and where a collider is near; else below 500: above, a taut strand hangs as if rigid, and
 * a swing loses its energy (robust). */
MOTE_API uint32_t mote_strand_substeps(uint32_t points, double length, double acceleration, double timestep);

/** Computes the factor of EI and GJ, the same at all points of a strand with rest_acceleration a, with which
 * the shape in positions is a stable equilibrium under a: 1 where it is already stable; else the least such
 * factor, rounded up by at most 1/1000. A strand added with these stiffnesses keeps its shape. Test: the
 * second derivative of the potential energy with respect to turns of the segments is positive definite
 * (Cholesky decomposition of a block tridiagonal matrix, 3 x 3 blocks; bisection for the factor). Independent
 * of the present state. Errors: NULL, BUSY, ID, RANGE (no such strand; no rest_acceleration). */
MOTE_API mote_result mote_strands_stability(const mote_system *system, mote_strands_id id, uint32_t strand,
                                            double *stiffness_factor);

/** Removes the strands of an id and their links. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_strands(mote_system *system, mote_strands_id id);

/** The columns of strands. Point k of 16 strands is in 16 neighbouring slots, one strand a SIMD lane: slot =
 * first slot of the lane group + 16 k + lane (mote_strands_slot). The host may read and write positions and
 * velocities between steps; slots without a point must not be changed. Valid until removal. */
typedef struct mote_strands_view {
    uint32_t strand_count,        /**< as in the def */
        slot_count;               /**< elements of a column, padding included */
    mote_vector_columns position, /**< m */
        velocity;                 /**< m/s (position Verlet, springs: at t - h/2 after the first step) */
    const float *inverse_mass;    /**< 1/kg, 0: pinned */
    /** Material frames of rods: unit quaternions x, y, z, w that take the world's axes to those of the
     * segment from this slot's point to the next, whose direction is the third axis; the first one is the
     * long axis of a flat section. Unused at a strand's last point. NULL without twisting stiffness. */
    const float *frame[4];
    uint32_t point_count; /**< of all strands */
    float occupancy;      /**< point_count / slot_count */
} mote_strands_view;

/** Returns the columns of strands; an empty view if the id names none. */
MOTE_API mote_strands_view mote_strands_columns(mote_system *system, mote_strands_id id);

/** Returns the slot of a strand's point, or MOTE_NO_SLOT. */
MOTE_API uint32_t mote_strands_slot(const mote_system *system, mote_strands_id id, uint32_t strand,
                                    uint32_t point);

/** Reads positions (m) and velocities (m/s, as in the columns) of all points of strands first .. first +
 * count - 1 in the host's numbering, three floats a point, packed strand after strand. Either may be NULL.
 * Errors: NULL, BUSY, ID, RANGE. */
MOTE_API mote_result mote_strands_state(const mote_system *system, mote_strands_id id, uint32_t first,
                                        uint32_t count, float *positions, float *velocities);

/** Writes them likewise, as if into the columns: pinned points and roots return to their targets in the next
 * step, and segments to their lengths. The frames of rods stay and follow in the next steps, which moves a
 * rod that was placed elsewhere by some mm. Errors: NULL, BUSY, ID, RANGE, NOT_FINITE: nothing is written. */
MOTE_API mote_result mote_strands_set_state(mote_system *system, mote_strands_id id, uint32_t first,
                                            uint32_t count, const float *positions, const float *velocities);

/** Returns the number of points of a strand; 0 where there is no such strand. */
MOTE_API uint32_t mote_strands_points(const mote_system *system, mote_strands_id id, uint32_t strand);

/** Sets targets of the roots. count = 1: one transform for all strands; count = strand count: one for each. A
 * root, and with it the rest shape, moves from its present placement and arrives at the tick (see
 * MOTE_NEXT_ADVANCE), interpolated in every substep. With a tick that has passed the root jumps and leaves
 * its strand behind; mote_strands_reset then puts the strand there. Errors: NULL, BUSY, ID, RANGE (count, a
 * quaternion of length 0), NOT_FINITE. */
MOTE_API mote_result mote_strands_set_roots(mote_system *system, mote_strands_id id,
                                            const mote_transform *transforms, uint32_t count, uint64_t tick);

/** Sets the target of one strand's root, as mote_strands_set_roots does for all. Errors: NULL, BUSY, ID,
 * RANGE (no such strand, a quaternion of length 0), NOT_FINITE. */
MOTE_API mote_result mote_strands_set_root(mote_system *system, mote_strands_id id, uint32_t strand,
                                           const mote_transform *transform, uint64_t tick);

/** Puts a strand (or MOTE_ALL_STRANDS) at rest in its rest shape under its root's target, and its pinned
 * points at their targets. Clears its frozen state; not interpolated across the reset. Springs under position
 * Verlet: velocities are those of half a substep ago; a strand that is reset alone is at rest then, all
 * strands at once are at rest now. Errors: NULL, BUSY, ID, RANGE. */
MOTE_API mote_result mote_strands_reset(mote_system *system, mote_strands_id id, uint32_t strand);

#define MOTE_MAX_STRANDS_PINS 4096u /**< pins in the strands of one id */

/** Pins a point to a target in the world (m), or sets a new target of a pinned point. It moves from its
 * present position and arrives at the tick (see MOTE_NEXT_ADVANCE). Two neighbouring pinned points clamp a
 * rod in the middle of their segment, from which it bends, whereas a root that clamps does so at its point.
 * Errors: NULL, BUSY, ID, RANGE (no such point, a pinned root), NOT_FINITE, CAPACITY (MOTE_MAX_STRANDS_PINS),
 * MEMORY (the first pin reserves capacity for all). */
MOTE_API mote_result mote_strands_pin(mote_system *system, mote_strands_id id, uint32_t strand,
                                      uint32_t point, const float target[3], uint64_t tick);

/** Releases a pinned point. Errors: NULL, BUSY, ID, RANGE (it is not pinned by mote_strands_pin). */
MOTE_API mote_result mote_strands_unpin(mote_system *system, mote_strands_id id, uint32_t strand,
                                        uint32_t point);

/** Sets the air's velocity (m/s), from the next step on. Errors: NULL, BUSY, ID, NOT_FINITE. */
MOTE_API mote_result mote_strands_set_air(mote_system *system, mote_strands_id id, const float velocity[3]);

/** Reads the impulse (N s) with which a strand pulled at a pinned point or root in the last step: the sum of
 * those that its springs or constraints, its bending, its springs to the rest shape and the air on its
 * segments gave to that point. It does not contain the weight and inertia of the point itself. Of rods it is
 * no measure in a step that is `unsolved` or `infeasible`, nor where pins hold a rod straight; of stiff curls
 * behind a free root it may be off by twice the weight. Errors: NULL, BUSY, ID, RANGE (not pinned). */
MOTE_API mote_result mote_strands_reaction(const mote_system *system, mote_strands_id id, uint32_t strand,
                                           uint32_t point, float impulse[3]);

/** Work and failures of one strand in the last step. */
typedef struct mote_strand_step_report {
    /** Largest |length / rest length - 1| of a segment at the end of the step. Between two pins that stand as
     * far apart as the strand between them is long, or further, rest lengths are enlarged: of ropes to 1.002
     * times the distance, of rods to the distance. This counts as strain, but not as unsolved. In
     * substeps in which pins draw a rod beyond its length, and in unsolved ones, no point between its pins
     * gets faster, relative to the first pin, than it, its pins and the forces were; as it bends again it has
     * speed of its own: 13 m/s at most where the pin had 0.6. */
    float strain;
    uint32_t iterations; /**< of Newton's method, over all substeps */
    /** Substeps, or parts of them, in which Newton's method did not reach max_strain of these lengths; rigid
     * segments without contact are then projected to them. */
    uint32_t unsolved;
    uint32_t fallbacks; /**< parts of substeps in which the impulses were unstable: solved to first order */
    /** Points that end the step inside the collider in which their pinned root is; the root itself, and
     * points on which colliders do not act (before collide_from, pinned ones), do not count. */
    uint32_t buried;
    /** m, largest depth of a point below the surface of a collider now, buried points included; 0 where no
     * point is inside. Excludes points on which colliders do not act. */
    float depth;
    uint32_t deepest_point; /**< the point of that depth; 0 where no point is inside */
    /** Two pinned points were further apart than the rigid segments between them are long; the rest lengths
     * of these were enlarged for the step. */
    bool infeasible;
    /** The curls of the rod are too stiff for four parts of a substep (twisting_stiffness): it is solved in
     * the rotations of its segments, in up to 4 iterations. It holds lengths exactly, gains no energy and
     * comes to rest; pulled to 95 % of its length by a pin it goes on to move by up to 0.1 m/s where GJ is EI
     * / 20, and 0.4 m/s where it is EI / 50. */
    bool stiff_curls;
    bool frozen; /**< turned non-finite, in this step or an earlier one; keeps the state before that step */
} mote_strand_step_report;

/** Reads the report of one strand. Errors: NULL, BUSY, ID, RANGE. */
MOTE_API mote_result mote_strands_report_of(const mote_system *system, mote_strands_id id, uint32_t strand,
                                            mote_strand_step_report *report);

/** Work and failures of all strands of an id in the last step. */
typedef struct mote_strands_step_report {
    float max_strain,        /**< largest strain of all segments, as in mote_strand_step_report */
        mean_strain,         /**< mean over all segments */
        depth;               /**< m, largest depth of a point, as in mote_strand_step_report */
    uint32_t deepest_strand; /**< the strand of that point; 0 where no point is inside */
    uint64_t iterations;     /**< of Newton's method, over strands and substeps */
    uint32_t unsolved,       /**< strands with unsolved substeps */
        fallbacks,           /**< strands with fallbacks */
        buried,              /**< points inside the collider in which their pinned root is */
        infeasible,          /**< infeasible strands */
        stiff_curls,         /**< strands with stiff curls */
        frozen;              /**< frozen strands */
} mote_strands_step_report;

/** Reads the report of all strands of an id. Compares each point with each collider for the depth, on the
 * system's jobs. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_strands_report(const mote_system *system, mote_strands_id id,
                                         mote_strands_step_report *report);

/** Computes the statistics of the strands of an id. Elastic energy: of segments with compliance, of the
 * bending and twisting of rods out of their rest shape (the formulas of bending_stiffness, and of
 * bending_ratio with twisting stiffness), and of the springs of pose_stiffness k from points x that can move
 * to their places p in the rest shape, k |x - p|^2 / 2. Strains: of segments; max_strain_item: the strand.
 * Errors: NULL, BUSY, ID. Runs on the system's jobs. */
MOTE_API mote_result mote_strands_statistics(const mote_system *system, mote_strands_id id,
                                             mote_statistics *statistics);

#endif
