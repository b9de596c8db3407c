/* Colliders: the list of a system, and where each stands at every boundary of a step's substeps. */
#ifndef MOTE_CONTACTS_COLLIDERS_H
#define MOTE_CONTACTS_COLLIDERS_H

#include <mote/collider.h>

#include "base/id_list.h"
#include "contacts/motion.h"

/* One collider at one boundary, and how it came there from the boundary before. In a table's first row it
 * came from where it stands. Directions are rows: axis[k] is where the local axis k points. */
typedef struct mote_collider_pose {
    mote_collider_kind kind;
    float radius, half_length, extent[3], friction;
    bool turns;      /* its axes are not those of the boundary before */
    float bound;     /* m: no part of it is further from the origin; infinite for a plane */
    float origin[3]; /* m, world */
    float axis[3][3];
    float start[3][3]; /* the axes at the boundary before, in which the path of a point is a straight line; of
                        * a capsule without its turn about itself, which changes no geometry */
    float shift[3];   /* m: what stood at the origin before has moved so far, and what stood at the origin + d
                         by */
    float turn[3][3]; /* shift + sum over k of d[k] turn[k]: the columns of R1 R0^T - 1 */
    float around[3];  /* m: half edges of the world's box about a sphere, or a capsule that does not turn;
                         others: infinite */
    float moved;      /* m: the largest component of shift */
} mote_collider_pose;

typedef struct mote_collider {
    mote_collider_def def; /* its transform is that of the last placement; the motion says where it is now */
    mote_motion motion;
} mote_collider;

/* Items are colliders, in the order of addition. */
typedef struct mote_collider_list {
    mote_id_list list;
    mote_collider_pose *poses; /* row s, collider i: poses[s count + i]; `rows` rows for list.capacity */
    uint32_t rows;
    size_t bytes;      /* of the poses */
    uint64_t tick;     /* of the step for which they stand ... */
    uint32_t substeps; /* ... and its substeps; 0: they are stale */
} mote_collider_list;

MOTE_INLINE mote_collider *mote_collider_at(const mote_collider_list *list, uint32_t place) {
    return (mote_collider *)list->list.items + place;
}

/* Room for poses at so many boundaries: the most substeps of a step, and 1. MEMORY: as it was. */
mote_result mote_colliders_reserve_rows(mote_collider_list *list, uint32_t rows,
                                        const mote_allocator *allocator);

/* Adds a checked def; *serial receives its number. CAPACITY, MEMORY: the list is as it was. */
mote_result mote_colliders_add(mote_collider_list *list, const mote_collider_def *def,
                               const mote_allocator *allocator, uint32_t *serial);
void mote_colliders_set(mote_collider_list *list, uint32_t place, const mote_collider_def *def);
/* From where it stands at the boundary `now` to a checked target, to be reached at `tick`. */
void mote_colliders_move(mote_collider_list *list, uint32_t place, const mote_transform *target, uint64_t now,
                         uint64_t tick);
void mote_colliders_remove(mote_collider_list *list, uint32_t place);

/* Pending targets are to be reached at end_tick. At the start of each advance. */
void mote_colliders_resolve(mote_collider_list *list, uint64_t end_tick);

/* The poses at the boundaries of the substeps of the step that begins at step_tick: row s of substeps + 1 at
 * step_tick + ticks_per_step s / substeps. Valid until they are asked for with other values. Allocates
 * nothing. */
const mote_collider_pose *mote_colliders_poses(mote_collider_list *list, uint64_t step_tick,
                                               uint64_t ticks_per_step, uint32_t substeps);

/* One pose: of `def` at `to`, come from `from`; rotations of any length but 0. */
mote_collider_pose mote_collider_pose_make(const mote_collider_def *def, const mote_transform *from,
                                           const mote_transform *to);

void mote_colliders_destroy(mote_collider_list *list, const mote_allocator *allocator);

/* The hash of one after `seed`. */
uint64_t mote_collider_hash(uint64_t seed, const mote_collider *collider);

#endif
