/* Forces inside a strand, evaluated in one sweep from the root to the tip: springs to first and second
 * neighbours, air drag on segments, springs to the rest shape. A window of three points is kept in
 * registers. */
#ifndef MOTE_STRANDS_FORCES_H
#define MOTE_STRANDS_FORCES_H

#include "strands/work.h"

/* Forces that a kernel instance evaluates. */
typedef enum strand_parts {
    STRAND_STRETCH = 1, /* springs between neighbours */
    STRAND_EXTRAS = 2   /* all other forces inside the strand */
} strand_parts;

/* Effect of a spring on its first point; the second point receives the opposite. A force, or under the
 * kinematic integrators an impulse (`force`) and a displacement times mass (`shift`). */
typedef struct spring_action {
    wide3 force, shift;
} spring_action;

/* State that the sweep carries from point to point. */
typedef struct strand_sweep {
    spring_action behind;  /* spring of the previous segment */
    spring_action bend[2]; /* bend springs that begin one and two points before */
    wide3 half_drag;       /* drag of the previous segment */
} strand_sweep;

MOTE_INLINE strand_sweep sweep_begin(void) {
    strand_sweep w = {{wide3_zero(), wide3_zero()},
                      {{wide3_zero(), wide3_zero()}, {wide3_zero(), wide3_zero()}},
                      wide3_zero()};
    return w;
}

/* Returns the force of a spring on its point a, towards b: F = (k (|d| - L) + c d'.n) n; 0 in lanes without
 * the segment. */
MOTE_INLINE wide3 evaluate_spring(strand_point a, strand_point b, wide rest, wide stiffness, float damping,
                                  wide_mask exists) {
    wide3 d = wide3_sub(b.x, a.x);
    wide length = wide_sqrt(wide3_dot(d, d));
    wide inverse = wide_set(1.0f) / wide_max(length, wide_set(STRAND_SHORTEST));
    wide tension = stiffness * (length - rest);
    if (damping != 0) tension += wide_set(damping) * (wide3_dot(d, wide3_sub(b.v, a.v)) * inverse);
    return wide3_scale(wide_select(exists, tension * inverse, (wide){0}), d);
}

/* Uncoupled spring: acts as if it were the only one, linearised along n = d / |d| at the start of the
 * substep. Its changes over h of the elongation e and of its rate are distributed to the ends by
 * inverse mass. unit_response: of this kind of spring (strand_work). */
MOTE_INLINE spring_action spring_uncoupled(const strand_point end[2], wide rest, const wide inverse_mass[2],
                                           const float unit_response[2][4][MOTE_GROUP], wide_mask exists,
                                           size_t lane) {
    const wide zero = {0}, wa = inverse_mass[0], wb = inverse_mass[1];
    wide3 d = wide3_sub(end[1].x, end[0].x);
    wide length = wide_sqrt(wide3_dot(d, d));
    wide inverse = wide_set(1.0f) / wide_max(length, wide_set(STRAND_SHORTEST));
    /* Elongation and its rate. */
    wide e = length - rest, rate = wide3_dot(d, wide3_sub(end[1].v, end[0].v)) * inverse;
    wide_mask both = wide_less(zero, wa) & wide_less(zero, wb),
              any = exists & (wide_less(zero, wa) | wide_less(zero, wb));
    /* Unit responses, both ends free or one pinned; the pinned end does not move. */
    wide entry[4];
    for (int i = 0; i < 4; i++)
        entry[i] =
            wide_select(both, wide_load(unit_response[0][i] + lane), wide_load(unit_response[1][i] + lane));
    wide impulse = wide_select(any, zero - (entry[0] * e + entry[1] * rate), zero);
    wide shift = wide_select(any, zero - (entry[2] * e + entry[3] * rate), zero);
    return (spring_action){wide3_scale(impulse * inverse, d), wide3_scale(shift * inverse, d)};
}

/* Returns half of the drag of a segment of length L in a relative wind u:
 *     F = L (cn u_across + ct u_along). */
MOTE_INLINE wide3 segment_half_drag(const mote_strands_def *def, strand_point a, strand_point b, wide rest,
                                    wide_mask exists) {
    wide3 d = wide3_sub(b.x, a.x);
    wide square = wide_max(wide3_dot(d, d), wide_set(STRAND_SHORTEST * STRAND_SHORTEST));
    wide3 wind = wide3_sub(wide3_set(def->air_velocity), wide3_scale(wide_set(0.5f), wide3_add(a.v, b.v)));
    /* Wind along and across the segment. */
    wide3 along = wide3_scale(wide3_dot(wind, d) / square, d);
    wide3 across = wide3_sub(wind, along);
    wide3 force = wide3_add_scaled(wide3_scale(wide_set(def->normal_drag), across),
                                   wide_set(def->tangential_drag), along);
    return wide3_scale(wide_select(exists, wide_set(0.5f) * rest, (wide){0}), force);
}

/* Returns the vector a rotated by the unit quaternion q = (v, w): a + 2 w (v x a) + 2 v x (v x a). */
MOTE_INLINE wide3 turned(const wide q[4], wide3 a) {
    wide3 v = {q[0], q[1], q[2]};
    wide3 t = wide3_scale(wide_set(2.0f), wide3_cross(v, a));
    return wide3_add(wide3_add_scaled(a, q[3], t), wide3_cross(v, t));
}

/* Parallel transport: composes the frame with the smallest rotation that takes a to b. Opposite vectors have
 * no smallest rotation; the frame is unchanged then. */
MOTE_INLINE void transport(wide frame[4], wide3 a, wide3 b) {
    wide scale = wide_sqrt(wide3_dot(a, a) * wide3_dot(b, b));
    wide r = scale + wide3_dot(a, b);
    wide3 v = wide3_cross(a, b);
    const wide *q = frame;
    wide3 u = {q[0], q[1], q[2]};
    /* Quaternion product of the rotation (v, r) from a to b with the frame, normalised. */
    wide3 axis = wide3_add(wide3_add_scaled(wide3_scale(q[3], v), r, u), wide3_cross(v, u));
    wide real = r * q[3] - wide3_dot(v, u);
    wide square = wide3_dot(axis, axis) + real * real;
    wide_mask regular = wide_less(wide_set(1e-4f) * scale, r);
    wide inverse = wide_set(1.0f) / wide_sqrt(wide_select(regular, square, wide_set(1.0f)));
    frame[0] = wide_select(regular, inverse * axis.x, q[0]);
    frame[1] = wide_select(regular, inverse * axis.y, q[1]);
    frame[2] = wide_select(regular, inverse * axis.z, q[2]);
    frame[3] = wide_select(regular, inverse * real, q[3]);
}

/* Stores the target segments of the local pose springs in WORK_POSE: the rest segments in the transported
 * frame. */
MOTE_INLINE void wanted_segments(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    float *const *rest = (float *const *)w->job->strands->rest_x;
    /* Quaternion that is applied after the root's rotation. */
    wide frame[4] = {(wide){0}, (wide){0}, (wide){0}, wide_set(1.0f)};
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane), from = w->slot + at;
        const wide3 edge = wide3_sub(wide3_load(rest, from + MOTE_GROUP), wide3_load(rest, from));
        const wide3 target = turned(frame, turned_by_root(w, lane, edge));
        work_store3(c, WORK_POSE, at, target);
        transport(frame, target,
                  wide3_sub(work_load3(c, WORK_X, at + MOTE_GROUP), work_load3(c, WORK_X, at)));
    }
}

/* Stores the forces of the local pose springs, U = k / 2 sum |d - e|^2, in WORK_POSE. Every target e rotates
 * with the frame, which the segments before it transport. So besides -k (d - e) each segment receives the
 * effect of its own rotation on all targets behind it: the sum G of their moments. Let t and u be the
 * directions of d and e. A rotation of t transports the frame and twists it by -u / (1 + u.t); a rotation of
 * the previous frame twists the next one about t by (u + t) / (1 + u.t). Without this term the springs gain
 * energy. The gradient is exact: the holonomy of the smallest rotation, as in Bergou et al., Discrete Elastic
 * Rods (2008). */
MOTE_OUTLINE void pose_forces(const strand_work *w, size_t lane) {
    const strand_columns *c = &w->c;
    const wide_mask counts = wide_mask_load(c->counts + lane);
    const wide one = wide_set(1.0f), none = {0};
    wanted_segments(w, lane);
    wide3 moment = wide3_zero(), carry = wide3_zero();
    for (uint32_t k = c->points - 1; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        const wide stiffness = wide_select(lanes_beyond(counts, k + 1),
                                           wide_set(w->job->strands->def.local_pose_stiffness), none);
        const wide3 d = wide3_sub(work_load3(c, WORK_X, at + MOTE_GROUP), work_load3(c, WORK_X, at));
        const wide3 e = work_load3(c, WORK_POSE, at);
        const wide square = wide_max(wide3_dot(d, d), wide_set(STRAND_SHORTEST * STRAND_SHORTEST));
        /* Directions of the segment and of its target. */
        const wide3 t = wide3_scale(one / wide_sqrt(square), d);
        const wide3 u = wide3_scale(one / wide_max(wide_sqrt(wide3_dot(e, e)), wide_set(STRAND_SHORTEST)), e);
        /* Force of the segment: its spring, and the moment G of the targets behind as a couple. */
        const wide open = one + wide3_dot(u, t);
        const wide twist = wide_select(wide_less(wide_set(1e-4f), open), wide3_dot(t, moment) / open, none);
        const wide3 across = wide3_cross(wide3_sub(moment, wide3_scale(twist, u)), d);
        const wide3 spring =
            wide3_sub(wide3_scale(stiffness, wide3_sub(d, e)), wide3_scale(one / square, across));
        /* Force on point k + 1; the moment for segment k - 1. */
        work_store3(c, WORK_POSE, at + MOTE_GROUP, wide3_sub(carry, spring));
        carry = spring;
        moment = wide3_add_scaled(wide3_scale(stiffness, wide3_cross(e, d)), twist, wide3_add(u, t));
    }
    work_store3(c, WORK_POSE, lane, carry);
}

/* Returns the force of the spring from a point to its place in the rest shape under the root. */
MOTE_INLINE wide3 global_pose(const strand_work *w, strand_point a, size_t at, size_t lane) {
    const mote_strands *strands = w->job->strands;
    wide3 goal = under_root(w, lane, wide3_load((float *const *)strands->rest_x, w->slot + at));
    return wide3_scale(wide_set(strands->def.pose_stiffness), wide3_sub(goal, a.x));
}

/* States of three consecutive points. */
typedef struct strand_window {
    strand_point a, b, c;
} strand_window;

/* Constants of springs that all points share. */
typedef struct strand_springs {
    wide_mask counts;  /* points of each strand */
    wide stiffness[2]; /* segments, bends */
    float damping[2];
    bool bends, uncoupled;
    const float (*unit_response)[2][4][MOTE_GROUP];
} strand_springs;

MOTE_INLINE strand_springs springs_of(const strand_work *w, bool bends, bool uncoupled, size_t lane) {
    const mote_strands_def *def = &w->job->strands->def;
    return (strand_springs){.counts = wide_mask_load(w->c.counts + lane),
                            .stiffness = {wide_load(w->stiffness + lane), wide_set(def->bend_stiffness)},
                            .damping = {def->damping, def->bend_damping},
                            .bends = bends,
                            .uncoupled = uncoupled,
                            .unit_response = w->unit_response};
}

/* Returns the spring from point k to the next (span 1) or to the second next (span 2). */
MOTE_INLINE spring_action sweep_spring(const strand_columns *c, const strand_springs *s,
                                       const strand_window *p, uint32_t span, uint32_t k, size_t at,
                                       size_t lane) {
    const wide_mask exists = k + span < c->shortest ? ~(wide_mask){0} : lanes_beyond(s->counts, k + span);
    const strand_point end = span == 1 ? p->b : p->c;
    const wide rest = wide_load((span == 1 ? c->rest_length : c->bend_length) + at);
    if (s->uncoupled) {
        size_t other = k + span < c->points ? at + span * MOTE_GROUP : at;
        const strand_point ends[2] = {p->a, end};
        const wide inverse_mass[2] = {point_mass(c, at), point_mass(c, other)};
        return spring_uncoupled(ends, rest, inverse_mass, s->unit_response[span - 1], exists, lane);
    }
    return (spring_action){
        evaluate_spring(p->a, end, rest, s->stiffness[span - 1], s->damping[span - 1], exists), wide3_zero()};
}

MOTE_INLINE void add_push(spring_action *sum, spring_action more, spring_action less) {
    sum->force = wide3_add(sum->force, wide3_sub(more.force, less.force));
    sum->shift = wide3_add(sum->shift, wide3_sub(more.shift, less.shift));
}

/* Returns the sum of the springs at point k; at = 16 k + lane. */
MOTE_INLINE spring_action sweep_springs(const strand_columns *c, const strand_springs *s, strand_sweep *sweep,
                                        const strand_window *p, uint32_t k, size_t at, size_t lane) {
    spring_action behind = sweep_spring(c, s, p, 1, k, at, lane);
    spring_action sum = {wide3_sub(behind.force, sweep->behind.force),
                         wide3_sub(behind.shift, sweep->behind.shift)};
    sweep->behind = behind;
    if (!s->bends) return sum;
    spring_action bend = sweep_spring(c, s, p, 2, k, at, lane);
    add_push(&sum, bend, sweep->bend[1]);
    sweep->bend[1] = sweep->bend[0];
    sweep->bend[0] = bend;
    return sum;
}

/* Returns the sum of the other forces inside the strand at point k. */
MOTE_INLINE wide3 sweep_extras(const strand_work *w, strand_sweep *sweep, const strand_window *p, uint32_t k,
                               size_t at, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const mote_strands_def *def = &strands->def;
    const wide_mask exists = lanes_beyond(wide_mask_load(w->c.counts + lane), k + 1);
    wide3 force = wide3_zero();
    if (def->normal_drag != 0 || def->tangential_drag != 0) {
        wide3 drag =
            segment_half_drag(def, p->a, p->b, wide_load(strands->rest_length + w->slot + at), exists);
        force = wide3_add(drag, sweep->half_drag);
        sweep->half_drag = drag;
    }
    if (def->pose_stiffness != 0) force = wide3_add(force, global_pose(w, p->a, at, lane));
    return def->local_pose_stiffness != 0 ? wide3_add(force, work_load3(&w->c, WORK_POSE, at)) : force;
}

#endif
