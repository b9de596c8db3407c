/* Strands that begin a step in colliders, where a host or another collider put them, leave these. */
#ifndef MOTE_STRANDS_LEAVE_H
#define MOTE_STRANDS_LEAVE_H

#include "strands/parts.h"

/* Box, and a strand in whose axes it is looked at. */
typedef struct strand_box {
    const strand_work *w;
    const mote_collider_pose *pose;
    size_t strand;   /* of the group */
    float origin[3]; /* m, of the box, relative to the strand's */
    float rounding;  /* m, of the box and the strand */
} strand_box;

static inline strand_box box_beside(const strand_work *w, const mote_collider_pose *pose, size_t strand) {
    strand_box box = {.w = w, .pose = pose, .strand = strand};
    box.rounding = pose->radius + w->job->strands->def.radius;
    for (int i = 0; i < 3; i++)
        box.origin[i] = (pose->origin[i] - w->origin[i][strand]) + pose->origin_low[i];
    return box;
}

/* Point of a strand in the axes of a box. */
typedef struct boxed_point {
    float q[3];
    float beyond[3]; /* m, beyond the edges of the core that is rounded */
    float depth;     /* m, under the rounded surface */
    bool leaves;     /* inside, and free to leave */
} boxed_point;

/* Returns point k at the start of the substep. */
static inline boxed_point point_in_box(const strand_box *box, uint32_t k) {
    const strand_columns *c = &box->w->c;
    const size_t at = strand_at(k, box->strand);
    boxed_point p;
    float d[3], nearest = -__builtin_inff(), square = 0;
    for (int i = 0; i < 3; i++) d[i] = *work_lane(c, WORK_START + i, at) - box->origin[i];
    for (int i = 0; i < 3; i++) {
        const float *axis = box->pose->axis[i];
        p.q[i] = (axis[0] * d[0] + axis[1] * d[1]) + axis[2] * d[2];
        const float over = (p.q[i] < 0 ? -p.q[i] : p.q[i]) - box->pose->extent[i];
        p.beyond[i] = over > 0 ? over : 0;
        square += p.beyond[i] * p.beyond[i];
        nearest = over > nearest ? over : nearest;
    }
    p.depth = box->rounding - (square > 0 ? __builtin_sqrtf(square) : nearest);
    p.leaves = p.depth > 0 && c->inverse_mass[at] > 0 && k >= box->w->job->strands->def.collide_from;
    return p;
}

/* Returns whether a point began the step as deep inside as one that has to leave. */
static inline bool is_deep_in_box(const strand_box *box, uint32_t k, const boxed_point *p) {
    const strand_columns *c = &box->w->c;
    const float behind = *work_lane(c, WORK_LENGTH, strand_at(k, box->strand)),
                before = k ? *work_lane(c, WORK_LENGTH, strand_at(k - 1, box->strand)) : behind;
    return p->depth > STRAND_EXPELLED * (before < behind ? before : behind);
}

/* Bounds of places in the axes of a box, m. */
typedef struct box_bounds {
    float low[3], high[3];
} box_bounds;

static inline void add_to_bounds(box_bounds *bounds, const float q[3]) {
    for (int i = 0; i < 3; i++) {
        bounds->low[i] = q[i] < bounds->low[i] ? q[i] : bounds->low[i];
        bounds->high[i] = q[i] > bounds->high[i] ? q[i] : bounds->high[i];
    }
}

/* Face of a box: its axis, and its side of that, 1 or -1. */
typedef struct box_face {
    int axis;
    float side;
} box_face;

/* Returns the face by which points within the bounds leave with the shortest longest way. Where a point is
 * beyond the opposite face, the strand between would pass through the box: other faces go first. */
static inline box_face face_to_leave(const strand_box *box, const box_bounds *bounds) {
    box_face best = {0, 1};
    float least = __builtin_inff();
    bool best_passes = true;
    for (int i = 0; i < 6; i++) {
        const int axis = i / 2;
        const float half = box->pose->extent[axis] + box->rounding,
                    depth = i % 2 ? half + bounds->high[axis] : half - bounds->low[axis];
        const bool passes = depth >= 2 * half;
        if (passes > best_passes || (passes == best_passes && !(depth < least))) continue;
        best = (box_face){axis, i % 2 ? -1.0f : 1.0f};
        least = depth, best_passes = passes;
    }
    return best;
}

/* Moves point k, which leaves the box, along the axis of a face to the rounded surface. */
static inline void move_to_face(const strand_box *box, box_face face, uint32_t k) {
    const boxed_point p = point_in_box(box, k);
    const float a = p.beyond[(face.axis + 1) % 3], b = p.beyond[(face.axis + 2) % 3],
                square = box->rounding * box->rounding - (a * a + b * b);
    const float high = box->pose->extent[face.axis] + __builtin_sqrtf(square > 0 ? square : 0),
                way = face.side * high - p.q[face.axis];
    for (int i = 0; i < 3; i++)
        *work_lane(&box->w->c, WORK_START + i, strand_at(k, box->strand)) +=
            way * box->pose->axis[face.axis][i];
}

/* Moves each run of points inside the box, of which one is deep, out of one face, which the points beside the
 * run decide with it: by the face nearest to each, neighbours would leave by opposite ones, and no length
 * would hold from then on. */
static inline void leave_box(const strand_box *box, uint32_t points) {
    boxed_point before, p;
    for (uint32_t k = 0, end; k < points; k = end, before = p) {
        end = k + 1;
        p = point_in_box(box, k);
        if (!p.leaves) continue;
        box_bounds bounds = {{p.q[0], p.q[1], p.q[2]}, {p.q[0], p.q[1], p.q[2]}};
        bool deep = is_deep_in_box(box, k, &p);
        if (k) add_to_bounds(&bounds, before.q);
        for (bool inside = true; inside && end < points; end += inside) {
            p = point_in_box(box, end);
            inside = p.leaves;
            deep |= inside && is_deep_in_box(box, end, &p);
            add_to_bounds(&bounds, p.q);
        }
        const box_face face = face_to_leave(box, &bounds);
        for (uint32_t j = k; deep && j < end; j++) move_to_face(box, face, j);
    }
}

/* Moves the lanes out of boxes, in the order of these. (Of 560 random ropes on which a box was put, 135 stood
 * with segments of up to ten times their length for ever without this, 6 with it.) */
MOTE_COLD MOTE_OUTLINE void leave_boxes(const strand_work *w, uint32_t substep, wide_mask lanes,
                                        size_t lane) {
    const mote_collider_pose *poses = w->job->poses + (size_t)substep * w->job->collider_count;
    for (uint32_t i = 0; i < w->job->collider_count; i++) {
        if (poses[i].kind != MOTE_COLLIDER_BOX) continue;
        for (uint32_t bits = wide_lane_bits(lanes); bits; bits &= bits - 1) {
            const size_t strand = lane + (size_t)__builtin_ctz(bits);
            const strand_box box = box_beside(w, &poses[i], strand);
            leave_box(&box, (uint32_t)w->c.counts[strand]);
        }
    }
}

/* Keeps the normals of the planes by which points leave colliders in IMPULSE_FROM; 0 where they have none. */
MOTE_INLINE void keep_normals(const strand_columns *c, size_t lane) {
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const bool has = c->contacts->count && c->contacts->state[k] != STRAND_CLEAR;
        work_store3(c, IMPULSE_FROM, at, has ? plane_at(c, at)->normal : wide3_zero());
    }
}

/* Returns the velocity of a point that has left a plane with the normal `left` and is deep behind another
 * one, without the part across both that leads further in: only the way along their crease is free. Friction
 * slows that within the cones of both impulses. */
MOTE_INLINE wide3 velocity_in_crease(const strand_plane *plane, wide3 left, wide3 v, wide rate) {
    const wide zero = {0};
    const wide3 still = wide3_scale(rate, plane->drift), all = wide3_sub(v, still),
                along = along_plane(plane, all), second = along_plane(plane, left);
    const wide into = wide3_dot(plane->normal, all), cosine = wide3_dot(left, plane->normal),
               square = wide3_dot(second, second), inward = wide_min(into, wide3_dot(left, all));
    const wide_mask crease = wide_less(wide_set(STRAND_ONE_NORMAL), square),
                    held = wide_less(inward, zero) & (crease | wide_less(cosine, zero));
    const wide across =
        wide_select(crease, wide3_dot(second, along) / wide_max(square, wide_set(STRAND_ONE_NORMAL)), zero);
    const wide3 free = wide3_sub(along, wide3_scale(across, second));
    const wide pressed = wide_max(zero - across, zero) + wide_max(across * cosine - into, zero),
               speed = wide_max(wide_sqrt(wide3_dot(free, free)), wide_set(STRAND_SHORTEST)),
               slows = wide_min(plane->friction * pressed / speed, wide_set(1.0f));
    return wide3_select(held, wide3_add(still, wide3_scale(wide_set(1.0f) - slows, free)), v);
}

/* Holds points that have left a collider and are as deep in another one: there is no way out of both, and
 * gravity would give them a velocity into the crease, in which they stand still (measured: 31 m/s after 3 s
 * at 1 substep, without friction). */
MOTE_INLINE void hold_in_creases(const strand_work *w, uint32_t substep, wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    const wide rate = wide_set((float)(1.0 / w->job->plan->h));
    const wide_mask held = lanes & lanes_near(w, substep, lane);
    for (uint32_t i = 0; i < c->contacts->count && wide_lane_bits(held); i++) {
        const uint32_t k = c->contacts->point[i];
        const size_t at = strand_at(k, lane);
        const strand_plane *plane = plane_at(c, at);
        const wide3 was = wide3_add(work_load3(c, WORK_START, at), plane->drift);
        const wide depth = plane->offset - wide3_dot(plane->normal, was),
                   deep = wide_set(STRAND_EXPELLED) * segment_length(c, k, at);
        const wide_mask stays = held & wide_less(deep, depth) & wide_less((wide){0}, point_mass(c, at));
        const wide3 had = work_load3(c, WORK_V, at),
                    v = velocity_in_crease(plane, work_load3(c, IMPULSE_FROM, at), had, rate);
        work_store3(c, WORK_V, at, wide3_select(stays, v, had));
        work_store3(c, IMPULSE_OLD_V, at, wide3_select(stays, v, work_load3(c, IMPULSE_OLD_V, at)));
    }
}

/* Puts lanes with points that began the step in a collider out of it before the substep, in position alone:
 * as part of it the depth over h would become their velocity. IMPULSE_REACTED holds the reactions at its
 * start. */
MOTE_OUTLINE void leave_colliders(const strand_work *w, uint32_t substep, wide_mask lanes, size_t lane) {
    const strand_columns columns = w->c, *c = &columns;
    uint32_t *unsolved = w->job->strands->unsolved + w->lane + lane, before[MOTE_WIDTH];
    memcpy(before, unsolved, sizeof before); /* the substep itself counts */
    leave_boxes(w, substep, lanes, lane);
    impulse_undo(c, lanes, substep_start, lane);
    (void)lanes_near(w, substep, lane);
    wide_mask_store(c->contacts->expelled, wide_mask_load(c->contacts->expelled) | lanes);
    const wide_mask left = hold_contacts(w, lanes, lane);
    const bool creases = w->job->collider_count > 1;
    if (creases) keep_normals(c, lane);
    project_lanes(w, substep, lanes_to_project(w, substep, left), lane);
    if (rubs(w)) forget_contacts(c, lanes, lane);
    memcpy(unsolved, before, sizeof before);
    impulse_copy_reaction(c, IMPULSE_REACTED, WORK_REACTION, lanes, lane);
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        const wide3 x = wide3_select(lanes, work_load3(c, WORK_X, at), work_load3(c, WORK_START, at));
        const wide3 v = wide3_select(lanes, work_load3(c, IMPULSE_OLD_V, at), work_load3(c, WORK_V, at));
        work_store3(c, WORK_START, at, x);
        work_store3(c, WORK_V, at, v);
    }
    if (creases) hold_in_creases(w, substep, lanes, lane);
}

#endif
