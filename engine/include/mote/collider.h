/* Colliders: moving rigid shapes that strands and networks rest on and slide along. */
#ifndef MOTE_COLLIDER_H
#define MOTE_COLLIDER_H

#include <mote/system.h>
#include <mote/transform.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mote_collider_kind {
    MOTE_COLLIDER_SPHERE,
    MOTE_COLLIDER_CAPSULE, /* along the local y axis */
    MOTE_COLLIDER_PLANE,   /* solid below the local plane y = 0 */
    MOTE_COLLIDER_BOX,
    MOTE_COLLIDER_KIND_COUNT
} mote_collider_kind;

/* One collider, in its local frame. Made by the function that is named after it; change the fields freely. */
typedef struct mote_collider_def {
    mote_collider_kind kind;
    mote_transform transform; /* where it stands when it is added */
    float radius;             /* m, > 0: sphere, capsule; box: rounding of the edges, >= 0 */
    float half_length;        /* m, >= 0: capsule, from its middle to the centre of either cap */
    float extent[3];          /* m, >= 0: half the edges of a box, without its rounding */
    float friction; /* Coulomb's coefficient, >= 0; with a bundle's or a network's own: the root of the
                       product */
} mote_collider_def;

#define MOTE_MAX_COLLIDERS 64u

/* Friction is 0.5 in all of them. */
MOTE_API mote_collider_def mote_sphere(const vec3 centre, float radius);
MOTE_API mote_collider_def mote_capsule(const vec3 a, const vec3 b, float radius);
/* Through `point`; `normal` (any length but 0) points out of the solid. */
MOTE_API mote_collider_def mote_plane(const vec3 point, const vec3 normal);
MOTE_API mote_collider_def mote_box(const mote_transform *transform, const vec3 extent);

/* The code that every call which takes this def would return: MOTE_OK, NULL, ENUM, NOT_FINITE or RANGE (a
 * radius <= 0, a negative length, extent or friction, a quaternion of length 0). */
MOTE_API mote_result mote_collider_check(const mote_collider_def *def);

/* Adds a collider for the strands and networks of the system; the def is copied. At most MOTE_MAX_COLLIDERS.
 * Errors: NULL, BUSY, those of mote_collider_check, CAPACITY, MEMORY, INTEGRATOR (a conserving bundle is
 * there: its impulses would do work). */
MOTE_API mote_result mote_system_add_collider(mote_system *system, const mote_collider_def *def,
                                              mote_collider_id *id);

/* Replaces the shape and the friction; it stands at def->transform from now on, and a target that it had is
 * forgotten. Errors as above, and ID. */
MOTE_API mote_result mote_system_set_collider(mote_system *system, mote_collider_id id,
                                              const mote_collider_def *def);

/* Moves a collider: where it shall stand at `tick` (see MOTE_NEXT_ADVANCE). Errors: NULL, BUSY, ID,
 * NOT_FINITE, RANGE. */
MOTE_API mote_result mote_system_move_collider(mote_system *system, mote_collider_id id,
                                               const mote_transform *target, uint64_t tick);

/* Takes a collider away. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_collider(mote_system *system, mote_collider_id id);

#ifdef __cplusplus
}
#endif
#endif
