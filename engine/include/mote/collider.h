/** @file
 * Colliders: moving rigid shapes on which strands and networks rest and slide, and off which loose particles
 * bounce. A collider made with a vector or placement that is NULL is refused by every call with NOT_FINITE.
 */
#ifndef MOTE_COLLIDER_H
#define MOTE_COLLIDER_H

#include <mote/system.h>
#include <mote/transform.h>

/** Shape of a collider, in its local frame. */
typedef enum mote_collider_kind {
    MOTE_COLLIDER_SPHERE,        /**< centred at the local origin */
    MOTE_COLLIDER_CAPSULE,       /**< along the local y axis */
    MOTE_COLLIDER_PLANE,         /**< solid below the local plane y = 0 */
    MOTE_COLLIDER_BOX,           /**< centred at the local origin, edges along the local axes */
    MOTE_COLLIDER_HEIGHT_FIELD,  /**< terrain: mote/height_field.h */
    MOTE_COLLIDER_DISTANCE_GRID, /**< any shape: mote/distance_grid.h */
    MOTE_COLLIDER_KIND_COUNT
} mote_collider_kind;

/** Effect of a collider on loose particles. Strands and networks ignore it: they rest and slide on every
 * collider. */
typedef enum mote_response {
    MOTE_RESPONSE_BOUNCE, /**< restitution and friction */
    /** The particle stays where it hit the collider and moves with it rigidly, until the collider is removed
     * or has another response, or the host clears view.stuck (see there). Needs mote_system_def.sticking. */
    MOTE_RESPONSE_STICK,
    MOTE_RESPONSE_KILL, /**< the particle dies at the end of the step, at the place of the hit; not one that
                             sticks to another collider, or has the inverse mass 0: these hit nothing */
    MOTE_RESPONSE_PASS, /**< none */
    MOTE_RESPONSE_COUNT
} mote_response;

/** Samples of terrain, made once and shared by any number of colliders. See height_field.h. */
typedef struct mote_height_field mote_height_field;

/** Samples of signed distances, made once and shared by any number of colliders. See distance_grid.h. */
typedef struct mote_distance_grid mote_distance_grid;

/** One collider, in its local frame. Made by mote_sphere, mote_capsule, mote_plane, mote_box,
 * mote_height_field_collider or mote_distance_grid_collider; the fields may be changed freely. */
typedef struct mote_collider_def {
    uint32_t cookie;          /**< set by the functions that make colliders */
    mote_collider_kind kind;  /**< shape */
    mote_transform transform; /**< placement when it is added */
    float radius;             /**< m, > 0: sphere, capsule; >= 0: box: rounding of the edges; height field,
                                   distance grid: by which the solid is thicker than its samples */
    float half_length;        /**< m, >= 0: capsule, from its middle to the centre of either cap */
    float extent[3];          /**< m, >= 0: half the edges of a box, without its rounding. Height fields and
                                   distance grids use neither: a system takes both as 0 */
    /** Coulomb's friction coefficient, >= 0. A contact uses the root of the product of this coefficient and
     * that of the strands, the network or the loose particles. */
    float friction;
    float restitution;      /**< 0 .. 1: share of a loose particle's normal velocity that a hit reverses */
    mote_response response; /**< to loose particles */
    const mote_height_field *height_field;   /**< must outlive the collider */
    const mote_distance_grid *distance_grid; /**< must outlive the collider */
} mote_collider_def;

#define MOTE_MAX_COLLIDERS 64u /**< colliders in a system */

/** Makes a sphere: centre and radius in m, friction 0.5, restitution 0.3, MOTE_RESPONSE_BOUNCE. */
MOTE_API mote_collider_def mote_sphere(const float centre[3], float radius);

/** Makes a capsule about the segment from a to b: m; the rest as mote_sphere. */
MOTE_API mote_collider_def mote_capsule(const float a[3], const float b[3], float radius);

/** Makes a plane through a point (m); the normal (any length but 0) points out of the solid; the rest as
 * mote_sphere. */
MOTE_API mote_collider_def mote_plane(const float point[3], const float normal[3]);

/** Makes a box at a placement; extent: half its edges in m; the rest as mote_sphere. */
MOTE_API mote_collider_def mote_box(const mote_transform *transform, const float extent[3]);

/** Makes a collider of a height field at a placement, which may move and turn; the rest as mote_sphere. */
MOTE_API mote_collider_def mote_height_field_collider(const mote_transform *transform,
                                                      const mote_height_field *field);

/** Makes a collider of a distance grid at a placement, which may move and turn; the rest as mote_sphere. */
MOTE_API mote_collider_def mote_distance_grid_collider(const mote_transform *transform,
                                                       const mote_distance_grid *grid);

/** Checks a def. Returns the code that every call with this def would return: MOTE_OK, NULL (the def; a
 * height field or distance grid that the kind needs), DEF, ENUM, NOT_FINITE or RANGE (a radius <= 0, a
 * negative length, extent or friction, a box without radius and with fewer than two edges, a restitution
 * outside 0 .. 1, a quaternion of length 0). parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_collider_check(const mote_collider_def *def, const char **parameter);

/** Checks a def for a system, as mote_system_add_collider does. Returns NULL (the system), those of
 * mote_collider_check, or ABSENT (MOTE_RESPONSE_STICK without mote_system_def.sticking). parameter: see
 * mote_result. Not thread-safe with calls that change the system. */
MOTE_API mote_result mote_system_collider_check(const mote_system *system, const mote_collider_def *def,
                                                const char **parameter);

/** Adds a collider for the strands, networks and loose particles of the system; the def is copied. At most
 * MOTE_MAX_COLLIDERS. Errors: NULL, BUSY, those of mote_system_collider_check, CAPACITY, MEMORY.
 *
 * Loose particles (unless mote_system_def.collisions is false) are balls of their radius. After each substep
 * the path of a particle is the straight segment between its places, in the collider's own axes; it is swept
 * exactly, so that no speed passes through a thin collider. A collider that this segment meets is hit where
 * the parabola of the substep meets it; a convex one that the parabola clears is not hit. At the fraction f
 * of the substep where the ball touches the surface, its velocity relative to the surface is
 *
 *     w = v0 + f (v1 - v0) - u,        normal part n (n . w) = w_n n, tangential part w_t
 *     w_n' = -e w_n,  w_t' = max(0, 1 - mu j / |w_t|) w_t,   j = w_n' - w_n
 *
 * with the restitution e, the friction mu = sqrt(mu_collider mu_particles) and the velocity u of the
 * collider's material there. The rest of the substep goes on with the same acceleration, but for drag
 * (mote_quadratic_drag, mote_wind, damping, fields used as wind; not that of callbacks), which acts on the
 * new velocity. If that leads back to the surface within the substep the particle rests: w_n = 0 at its end,
 * and j is the whole normal impulse of the substep. So a slope holds a particle where tan(angle) <= mu,
 * without creep. No speed decides between bounce and rest. Up to 6 contacts a substep; a particle that has
 * more keeps the place and the velocity of the last one until the next substep, but for one that two surfaces
 * press into each other, as a roller does that pushes it over a floor: it goes on along both. A particle that
 * is inside a collider is put on its nearest surface, with the normal velocity of the surface or a greater
 * one; where boxes overlap, on one that leads out of them. An energy v^2 / 2 - g . x does not grow by
 * contacts with colliders at rest. Nor does that of attractors without a region (under integrators of first
 * order with v + h a / 2). A collider that is thinner, with the radius, than the rounding errors of places
 * (up to 2^-20 of the largest coordinate or size: 1e-5 m at 10 m) is as thick as these: an edge of a box may
 * be 0. Boxes that are flush are one surface: particles slide over the seam, and bounce off the foot of a
 * wall that stands on a floor. Walls that turn together keep what is between them, also where they touch at
 * their edges alone: of 1,024 points of radius 0 in such a crate of six boxes none left it in 10 s at 0.2
 * rad/s, 1 to 26 at 1 rad/s in three of nine runs; of balls of 1 mm none at 10 rad/s. With substeps, walls
 * whose targets are turned about a common centre are not so between the targets: at 3 rad/s and 4 substeps
 * most points of radius 0 left that crate. Velocities of position Verlet are half a substep old: the contact
 * acts on v + h a / 2. Advection has no momentum: restitution and friction are 0.
 *
 * Particles with an orientation and a radius r slide with u = w_t - r omega x n, and the impulse of friction
 * acts at the surface: with d = u / |u|, the mass m and the inertia I
 *
 *     w_t' = w_t - p d,   omega' = omega + m r p I^-1 (n x d),
 *     p = min(mu j, |u| / (1 + m r^2 (n x d) . I^-1 (n x d)))
 *
 * so that a ball rolls after a bounce where friction suffices, and rolls down a slope. The energy with that
 * of the spin does not grow. A collider that turns carries stuck particles, but does not turn them. On height
 * fields and distance grids that turn, particles get up to a fifth less of friction than on the shape itself;
 * of one that a host turns about another place than its origin, which goes straight from target to target,
 * they slide off sooner with substeps (a field turned at 1.5 rad/s about a place 11 m away: 9 cm/s where
 * friction of 1.75 times what is needed should hold).
 *
 * Height fields and distance grids have the surfaces that their headers define. Their paths are walked cell
 * by cell, so that nothing tunnels either, whatever the samples are. If one turns, the path in its axes is
 * taken as straight between the places where it enters and leaves the ball around the surface for its radius:
 * it is off by up to a w / 4 where the collider turns by the angle a while the particle goes the way w within
 * that ball, and a particle may end a step inside by up to a w. Of a distance grid that turns, a plate is no
 * wall where half its thickness and the radius are together below 1/32 of a cell, and particles may stay so
 * deep in it. Where a distance grid is hollow a particle that slides may sink by up to 1/32 of a cell within
 * a substep and is put back at its end. Strands and networks get the tangent plane of the surface at the
 * place of a point, or where its path entered the solid if it moves by more than half a cell in a substep. */
MOTE_API mote_result mote_system_add_collider(mote_system *system, const mote_collider_def *def,
                                              mote_collider_id *id);

/** Replaces shape, friction and placement: the collider is at def->transform from now on and has no target.
 * Errors: NULL, BUSY, ID, those of mote_system_collider_check. */
MOTE_API mote_result mote_system_set_collider(mote_system *system, mote_collider_id id,
                                              const mote_collider_def *def);

/** Replaces the settings and keeps the motion: placement, way and target, also a pending one, are those of
 * before, and def->transform is ignored. With the settings that it has nothing changes, to the last bit. The
 * shape may change too: what is inside it then is put on its surface, but for particles that stick to it.
 * Errors: as mote_system_set_collider. */
MOTE_API mote_result mote_system_change_collider(mote_system *system, mote_collider_id id,
                                                 const mote_collider_def *def);

/** Sets a target: the collider moves to it and arrives at the tick (see MOTE_NEXT_ADVANCE). Errors: NULL,
 * BUSY, ID, NOT_FINITE, RANGE. */
MOTE_API mote_result mote_system_move_collider(mote_system *system, mote_collider_id id,
                                               const mote_transform *target, uint64_t tick);

/** Computes where a collider is after the last step. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_collider_placement(const mote_system *system, mote_collider_id id,
                                                    mote_transform *placement);

/** Removes a collider. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_collider(mote_system *system, mote_collider_id id);

#endif
