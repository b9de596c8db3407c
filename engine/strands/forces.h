/* Forces inside a strand, evaluated in one sweep from the root to the tip: springs between
 * neighbours, air drag on segments, springs to the rest shape. A window of two points is kept in registers.
 */
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
    spring_action behind; /* spring of the previous segment */
    wide3 drag_behind;    /* drag of the previous segment on its second end */
} strand_sweep;

MOTE_INLINE strand_sweep sweep_begin(void) {
    return (strand_sweep){{wide3_zero(), wide3_zero()}, wide3_zero()};
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
 * inverse mass. unit_response: see strand_work. */
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

/* Drag of a segment on its ends. */
typedef struct segment_drag {
    wide3 first, second;
} segment_drag;

/* Returns the drag of half a segment of length L on each of its ends, in the wind u relative to that end:
 *     F = L / 2 (cn u + (ct - cn) d (d u) / d^2).
 * It is lumped as the mass is: a segment that turns or bends to and fro then slows down as one of spread mass
 * does, which in the wind past its middle has no torque. */
MOTE_INLINE segment_drag drag_of_segment(const mote_strands_def *def, strand_point a, strand_point b,
                                         wide rest, wide_mask exists) {
    const wide half = wide_set(0.5f) * rest, normal = wide_set(def->normal_drag) * half,
               along = wide_set(def->tangential_drag - def->normal_drag) * half;
    const wide3 d = wide3_sub(b.x, a.x), air = wide3_set(def->air_velocity), u = wide3_sub(air, a.v),
                w = wide3_sub(air, b.v);
    const wide square = wide_max(wide3_dot(d, d), wide_set(STRAND_SHORTEST * STRAND_SHORTEST)),
               inverse = 1.0f / square;
    const wide3 first = wide3_add_scaled(wide3_scale(normal, u), along * (inverse * wide3_dot(u, d)), d),
                second = wide3_add_scaled(wide3_scale(normal, w), along * (inverse * wide3_dot(w, d)), d);
    /* Of speeds that overflow 0 times the force is no number. */
    return (segment_drag){wide3_select(exists, first, wide3_zero()),
                          wide3_select(exists, second, wide3_zero())};
}

/* Returns the force of the spring from a point to its place in the rest shape under the root. */
MOTE_INLINE wide3 global_pose(const strand_work *w, strand_point a, size_t at, size_t lane) {
    const mote_strands *strands = w->job->strands;
    wide3 goal = under_root(w, lane, wide3_load((float *const *)strands->rest_x, w->slot + at));
    return wide3_scale(wide_set(strands->def.pose_stiffness), wide3_sub(goal, a.x));
}

/* States of two consecutive points. */
typedef struct strand_window {
    strand_point a, b;
} strand_window;

/* Constants of springs that all points share. */
typedef struct strand_springs {
    wide_mask counts; /* points of each strand */
    wide stiffness;
    float damping;
    bool uncoupled;
    const float (*unit_response)[4][MOTE_GROUP];
} strand_springs;

MOTE_INLINE strand_springs springs_of(const strand_work *w, bool uncoupled, size_t lane) {
    return (strand_springs){.counts = wide_mask_load(w->c.counts + lane),
                            .stiffness = wide_load(w->stiffness + lane),
                            .damping = w->job->strands->def.damping,
                            .uncoupled = uncoupled,
                            .unit_response = w->unit_response};
}

/* Returns the spring from point k to the next. */
MOTE_INLINE spring_action sweep_spring(const strand_columns *c, const strand_springs *s,
                                       const strand_window *p, uint32_t k, size_t at, size_t lane) {
    const wide_mask exists = k + 1 < c->shortest ? ~(wide_mask){0} : lanes_beyond(s->counts, k + 1);
    const wide rest = wide_load(c->rest_length + at);
    if (s->uncoupled) {
        const size_t other = k + 1 < c->points ? at + MOTE_GROUP : at;
        const strand_point ends[2] = {p->a, p->b};
        const wide inverse_mass[2] = {point_mass(c, at), point_mass(c, other)};
        return spring_uncoupled(ends, rest, inverse_mass, s->unit_response, exists, lane);
    }
    return (spring_action){evaluate_spring(p->a, p->b, rest, s->stiffness, s->damping, exists), wide3_zero()};
}

/* Returns the sum of the springs at point k; at = 16 k + lane. */
MOTE_INLINE spring_action sweep_springs(const strand_columns *c, const strand_springs *s, strand_sweep *sweep,
                                        const strand_window *p, uint32_t k, size_t at, size_t lane) {
    const spring_action own = sweep_spring(c, s, p, k, at, lane), behind = sweep->behind;
    sweep->behind = own;
    return (spring_action){wide3_sub(own.force, behind.force), wide3_sub(own.shift, behind.shift)};
}

/* Returns the sum of the other forces inside the strand at point k. */
MOTE_INLINE wide3 sweep_extras(const strand_work *w, strand_sweep *sweep, const strand_window *p, uint32_t k,
                               size_t at, size_t lane) {
    const mote_strands *strands = w->job->strands;
    const mote_strands_def *def = &strands->def;
    const wide_mask exists = lanes_beyond(wide_mask_load(w->c.counts + lane), k + 1);
    wide3 force = wide3_zero();
    if (def->normal_drag != 0 || def->tangential_drag != 0) {
        const segment_drag drag =
            drag_of_segment(def, p->a, p->b, wide_load(strands->rest_length + w->slot + at), exists);
        force = wide3_add(drag.first, sweep->drag_behind);
        sweep->drag_behind = drag.second;
    }
    return def->pose_stiffness != 0 ? wide3_add(force, global_pose(w, p->a, at, lane)) : force;
}

#endif
