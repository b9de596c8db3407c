/* Collider list of a system, and the pose of each collider at every boundary of a step's substeps. */
#ifndef MOTE_CONTACTS_COLLIDERS_H
#define MOTE_CONTACTS_COLLIDERS_H

#include <mote/collider.h>

#include "base/archive.h"
#include "base/id_list.h"
#include "contacts/motion.h"

#define MOTE_COLLIDER_COOKIE 0x636f6c6cu /* of defs */

/* Pose of a collider at one boundary, and its motion since the boundary before. In the first row of a table
 * the motion is zero. Directions are rows: axis[k] is the direction of the local axis k. */
typedef struct mote_collider_pose {
    mote_collider_kind kind;
    float radius, half_length, extent[3], friction;
    bool turns;          /* axes differ from those at the boundary before */
    float bound;         /* m, bounding radius about the origin; infinite for a plane or height field */
    float origin[3];     /* m, world ... */
    float origin_low[3]; /* ... and its low part: the rest of that rounding. Loose particles ignore it */
    float axis[3][3];
    float start[3][3]; /* axes at the boundary before. The path of a point is straight in them. Of a capsule:
                          without the twist about its own axis, which changes no geometry */
    float shift[3];    /* m, displacement of the origin since the boundary before */
    float turn[3][3];  /* columns of R1 R0^T - 1: a point at origin + d moved by shift + sum over k of d[k]
                          turn[k] */
    float around[3];   /* m, half edges of the world-aligned box around a sphere or a capsule that does not
                          turn; others: infinite */
    float moved;       /* m, largest component of shift */
    /* Of loose particles: */
    float half[3];      /* m, half edges of the world-aligned box around the shape; infinite for a plane
                           or height field */
    float slack;        /* m, 2^-22 of its largest coordinate: distances are exact within a few of these */
    float before[3][3]; /* axes at the boundary before, with the twist of a capsule */
    float spin;         /* rad, bound of the angle by which the axes turned since the boundary before */
    float restitution;
    mote_response response;
    uint32_t serial; /* number of the collider in its list */
    /* Of height fields and distance grids: */
    const mote_height_field *height_field;
    const mote_distance_grid *distance_grid;
    float low[3], high[3]; /* m, bounds of the solid in its axes */
    float ball;            /* m, bounding radius of the surface about the origin */
} mote_collider_pose;

typedef struct mote_collider {
    mote_collider_def def; /* def->transform is the last placement; the motion gives the current one */
    mote_motion motion;
} mote_collider;

/* Collider list, in the order of addition. */
typedef struct mote_collider_list {
    mote_id_list list;
    mote_collider_pose *poses; /* row s, collider i: poses[s count + i]; `rows` rows for list.capacity */
    uint32_t rows;
    size_t bytes;      /* bytes of the poses */
    uint64_t tick;     /* tick of the step for which the poses are valid ... */
    uint32_t substeps; /* ... and its substeps; 0: stale */
    bool at_rest;      /* all have arrived: the poses are valid for later steps too */
} mote_collider_list;

MOTE_INLINE mote_collider *mote_collider_at(const mote_collider_list *list, uint32_t place) {
    return (mote_collider *)list->list.items + place;
}

/* Reserves capacity for poses at `rows` boundaries: the largest number of substeps of a step, plus 1. Error:
 * MEMORY; the list is then unchanged. */
mote_result mote_colliders_reserve_rows(mote_collider_list *list, uint32_t rows,
                                        const mote_allocator *allocator);

/* Adds a checked def; *serial receives its serial number. Errors: CAPACITY, MEMORY; the list is then
 * unchanged. */
mote_result mote_colliders_add(mote_collider_list *list, const mote_collider_def *def,
                               const mote_allocator *allocator, uint32_t *serial);
void mote_colliders_set(mote_collider_list *list, uint32_t place, const mote_collider_def *def);
/* Replaces all but the placement by a checked def, of which the transform is that of the collider's def. */
void mote_colliders_change(mote_collider_list *list, uint32_t place, const mote_collider_def *def);
/* Sets a checked target, to be reached at `tick`, from the pose at the boundary `now`. */
void mote_colliders_move(mote_collider_list *list, uint32_t place, const mote_transform *target, uint64_t now,
                         uint64_t tick);
void mote_colliders_remove(mote_collider_list *list, uint32_t place);

/* Resolves pending targets at the start of an advance: they are to be reached at end_tick. */
void mote_colliders_resolve(mote_collider_list *list, uint64_t end_tick);

/* Keeps the arrivals of targets by `now` and by `ticks` later, where a jump ends; a jump back by more than
 * MOTE_KEEP_TICKS ends all travels. */
void mote_colliders_jump(mote_collider_list *list, uint64_t now, double ticks);

/* Keeps the arrivals of targets by `now`, the tick of a step boundary (base/travel.h). */
void mote_colliders_keep_arrivals(mote_collider_list *list, uint64_t now);

/* Returns the poses at the boundaries of the substeps of the step that begins at step_tick: row s of substeps
 * + 1 at step_tick + ticks_per_step s / substeps. Valid until the next call with other values. Allocates
 * nothing. */
const mote_collider_pose *mote_colliders_poses(mote_collider_list *list, uint64_t step_tick,
                                               uint64_t ticks_per_step, uint32_t substeps);

/* Returns the bounding radius about the origin, m, rounded up: infinite for a plane or height field. */
float mote_collider_bound(const mote_collider_def *def);

/* Makes the pose of `def` at `to`, reached from `from`. */
mote_collider_pose mote_collider_pose_make(const mote_collider_def *def, const mote_placement *from,
                                           const mote_placement *to);

void mote_colliders_destroy(mote_collider_list *list, const mote_allocator *allocator);

/* Visits all colliders: `count` of them in tasks that read. sticking: the system has columns for it. Errors
 * of CHECK: FILE; of RESERVE: MEMORY. */
void mote_colliders_archive(mote_collider_list *list, uint32_t count, uint32_t next_serial, bool sticking,
                            mote_archive *a);

/* Returns the hash of a collider, chained after `seed`. */
uint64_t mote_collider_hash(uint64_t seed, const mote_collider *collider);

#endif
