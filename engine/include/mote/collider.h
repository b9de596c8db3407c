/** @file
 * Colliders: moving rigid shapes on which strands and networks rest and slide. */
#ifndef MOTE_COLLIDER_H
#define MOTE_COLLIDER_H

#include <mote/system.h>
#include <mote/transform.h>

/** Shape of a collider, in its local frame. */
typedef enum mote_collider_kind {
    MOTE_COLLIDER_SPHERE,  /**< centred at the local origin */
    MOTE_COLLIDER_CAPSULE, /**< along the local y axis */
    MOTE_COLLIDER_PLANE,   /**< solid below the local plane y = 0 */
    MOTE_COLLIDER_BOX,     /**< centred at the local origin, edges along the local axes */
    MOTE_COLLIDER_KIND_COUNT
} mote_collider_kind;

/** One collider, in its local frame. Made by mote_sphere, mote_capsule, mote_plane or mote_box; the fields
 * may be changed freely. */
typedef struct mote_collider_def {
    uint32_t cookie;          /**< set by the functions that make colliders */
    mote_collider_kind kind;  /**< shape */
    mote_transform transform; /**< placement when it is added */
    float radius;             /**< m, > 0: sphere, capsule; box: rounding of the edges, >= 0 */
    float half_length;        /**< m, >= 0: capsule, from its middle to the centre of either cap */
    float extent[3];          /**< m, >= 0: half the edges of a box, without its rounding */
    /** Coulomb's friction coefficient, >= 0. A contact uses the root of the product of this coefficient and
     * that of the strands or the network. */
    float friction;
} mote_collider_def;

#define MOTE_MAX_COLLIDERS 64u /**< colliders in a system */

/** Makes a sphere: centre and radius in m, friction 0.5. */
MOTE_API mote_collider_def mote_sphere(const float centre[3], float radius);

/** Makes a capsule about the segment from a to b: m, friction 0.5. */
MOTE_API mote_collider_def mote_capsule(const float a[3], const float b[3], float radius);

/** Makes a plane through a point (m); the normal (any length but 0) points out of the solid. Friction 0.5. */
MOTE_API mote_collider_def mote_plane(const float point[3], const float normal[3]);

/** Makes a box at a placement; extent: half its edges in m. Friction 0.5. */
MOTE_API mote_collider_def mote_box(const mote_transform *transform, const float extent[3]);

/** Checks a def. Returns the code that every call with this def would return: MOTE_OK, NULL, DEF, ENUM,
 * NOT_FINITE or RANGE (a radius <= 0, a negative length, extent or friction, a quaternion of length 0).
 * parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_collider_check(const mote_collider_def *def, const char **parameter);

/** Adds a collider for the strands and networks of the system; the def is copied. At most MOTE_MAX_COLLIDERS.
 * Errors: NULL, BUSY, those of mote_collider_check, CAPACITY, MEMORY. */
MOTE_API mote_result mote_system_add_collider(mote_system *system, const mote_collider_def *def,
                                              mote_collider_id *id);

/** Replaces shape, friction and placement: the collider is at def->transform from now on and has no target.
 * Errors: NULL, BUSY, ID, those of mote_collider_check. */
MOTE_API mote_result mote_system_set_collider(mote_system *system, mote_collider_id id,
                                              const mote_collider_def *def);

/** Sets a target: the collider moves to it and arrives at the tick (see MOTE_NEXT_ADVANCE). Errors: NULL,
 * BUSY, ID, NOT_FINITE, RANGE. */
MOTE_API mote_result mote_system_move_collider(mote_system *system, mote_collider_id id,
                                               const mote_transform *target, uint64_t tick);

/** Removes a collider. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_collider(mote_system *system, mote_collider_id id);

#endif
