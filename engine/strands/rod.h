/* Rods: strands with a bending stiffness. A substep is
 *     1. implicit bending, (M + h^2 K) dx = M (h v0 + h^2 a) - h^2 K x + tension, where K is the stiffness of
 *        the joints and the geometric stiffness of the tensions, and the tensions are those of the last
 *        substep;
 *     2. Newton's method for the lengths (solve.h), whose multipliers add to the tensions;
 *     3. where the energy grew, the substep once more, in the turns of the segments (rod_energy.h).
 * Because the tensions are kept, step 2 corrects nothing in a rod at rest, and the shape at rest does not
 * depend on h; pressure has this role in incremental projection methods for fluids (Guermond, Minev & Shen,
 * An overview of projection methods for incompressible flows, 2006, 3.2). Without the tensions in K taut soft
 * rods gain energy.
 *
 * The energy of joint k between the segments d[k-1] and d[k] of lengths l is, with t = d / l,
 *     b / 2 |t[k] - t[k-1]|^2,  b = EI / ((l[k-1] + l[k]) / 2),
 * the chord of the angle between them. While |d| = l it is quadratic in the positions, so that one scalar
 * system serves x, y and z. The clamp is half a segment long: b = 2 EI / l[0], against the root's direction.
 *
 * The elimination runs from the tip to the root. The part of the rod beyond joint k has the energy
 *     V(dx, du) = P dx^2 / 2 + Q dx . du + R du^2 / 2 + p . dx + q . du,
 * where dx is the displacement of point k and du the change of t[k-1]. With D = P R - Q^2 carried along, only
 * positive terms are added, so that none of them loses digits for any stiffness and masses (in the factors of
 * the pentadiagonal matrix the masses are lost in float32 where h^2 EI / (m l^3) > 10^4):
 *
 *     mass m of point k + 1:   D += m R,  P += m
 *     segment k of length l:   Q1 = Q + l P,  S = R + l (Q + Q1) + l^2 T,  D += l^2 T P,  T = tension / l
 *     joint k, F = 1/(b + S):  P = (P b + D) F,  Q = b F Q1,  R = b F S,  D = b F D */
#ifndef MOTE_STRANDS_ROD_H
#define MOTE_STRANDS_ROD_H

#include "strands/impulse.h"
#include "strands/rod_lead.h"

enum {
    ROD_SHARE = STRAND_COLUMN(rod.share),
    ROD_LEVER = STRAND_COLUMN(rod.lever),
    ROD_OWN = STRAND_COLUMN(rod.own),
    ROD_TENSION = STRAND_COLUMN(rod.tension),
    ROD_P = STRAND_COLUMN(rod.p),
    ROD_Q = STRAND_COLUMN(rod.q),
    ROD_FORCE = STRAND_COLUMN(rod.force),
    ROD_FRAME = STRAND_COLUMN(rod_frame),
    ROD_TWIST = STRAND_COLUMN(rod_twist),
    ROD_BEFORE = STRAND_COLUMN(frame_before)
};

/* Energy V of the part beyond a joint. R + l (Q + Q1) + l^2 T of the next joint is written as F u + w, where
 * u and w do not contain F: the chain of dependent operations has one product, one sum and one division per
 * joint. */
typedef struct rod_beyond {
    wide p, q, r, d;       /* kg, kg m, kg m^2, kg^2 m^2 */
    wide3 force, moment;   /* p, q: kg m, kg m^2 */
    wide kinetic, bending; /* twice the energies of the prediction (rod_energy.h), times h^2 */
    /* Of the last joint: F, b, S, Q1, P b + D. P = F (P b + D), Q = F b Q1, R = F b S. */
    wide factor, stiffness, inertia, lever, whole;
} rod_beyond;

MOTE_INLINE rod_beyond rod_none_beyond(void) {
    rod_beyond v;
    v.p = v.q = v.r = v.d = v.factor = v.stiffness = v.inertia = v.lever = v.whole = (wide){0};
    v.kinetic = v.bending = (wide){0};
    v.force = v.moment = wide3_zero();
    return v;
}

/* Segment k of the elimination. */
typedef struct rod_segment {
    wide length, inverse_length;
    wide3 tangent, before;   /* t[k], t[k-1] */
    wide3 couple, back;      /* gradient of the joint's energy: of t[k], and of t[k-1], negated; kg m^2 */
    wide tension, stiffness; /* T h^2, kg; b h^2, kg m^2 */
    rod_twist twist;         /* where there are frames */
    rod_led led;             /* where roots turn */
    wide bending;            /* twice the joint's energy times h^2, kg m^2 */
    wide3 way;               /* of point k + 1 without the forces inside the rod: h v0 + h^2 a */
} rod_segment;

/* Change of t[k]: share du - (lever dx + own). */
typedef struct rod_row {
    wide share, lever;
    wide3 own;
} rod_row;

/* Adds the free point k + 1 of mass m, segment k and joint k. */
MOTE_INLINE rod_row rod_add(rod_beyond *v, const rod_segment *s, wide m) {
    /* Mass of point k + 1. */
    v->d += m * v->r, v->p += m;
    v->force = wide3_sub(v->force, wide3_scale(m, s->way));
    /* Segment k. */
    const wide l = s->length, square = l * l, pull = s->tension * square;
    const wide geometric = wide_max(pull, (wide){0});
    const wide q = v->q + l * v->p, d = v->d + geometric * v->p, own_inertia = square * m + geometric;
    const wide beyond = v->stiffness * (v->inertia + (l + l) * v->lever) + square * v->whole;
    const wide3 moment = wide3_add_scaled(wide3_add_scaled(v->moment, l, v->force), pull, s->tangent);
    /* Joint k: elimination of the change of t[k]. */
    const wide b = s->stiffness, resistance = own_inertia + (b + wide_set(0x1p-100f));
    const wide f = wide_set(1.0f) / (v->factor * beyond + resistance), share = b * f;
    const wide3 own = wide3_scale(f, wide3_add(moment, s->couple));
    v->inertia = v->factor * beyond + own_inertia, v->whole = v->p * b + d;
    v->factor = f, v->stiffness = b, v->lever = q;
    v->p = v->whole * f, v->q = share * q, v->r = share * v->inertia, v->d = share * d;
    v->force = wide3_sub(v->force, wide3_scale(q, own));
    v->moment = wide3_sub(wide3_scale(b, own), s->back);
    return (rod_row){share, q * f, own};
}

/* Adds the pinned point k + 1, segment k and joint k: the point moves by s->way, so that t[k] changes by
 * (way - dx) / l, the limit of a large mass. */
MOTE_INLINE rod_row rod_add_pinned(rod_beyond *v, const rod_segment *s) {
    const wide l = s->length, inverse = s->inverse_length, b = s->stiffness;
    const wide beyond = v->r + wide_max(s->tension, (wide){0}) * l * l;
    const wide3 change = wide3_scale(inverse, s->way);
    const wide3 linear = wide3_add(wide3_add_scaled(v->moment, v->q, s->way),
                                   wide3_add_scaled(s->couple, s->tension * l * l, s->tangent));
    const wide3 own = wide3_add_scaled(linear, b + beyond, change);
    v->p = (b + beyond) * inverse * inverse, v->q = b * inverse, v->r = b;
    v->d = b * beyond * inverse * inverse;
    v->factor = v->stiffness = wide_set(1.0f), v->inertia = v->r, v->lever = v->q, v->whole = v->p;
    v->force = wide3_scale((wide){0} - inverse, own);
    v->moment = wide3_sub(wide3_scale((wide){0} - b, change), s->back);
    return (rod_row){(wide){0}, inverse, wide3_scale((wide){0} - inverse, s->way)};
}

/* Adds a point of mass m to the kinetic energy of the prediction. */
MOTE_INLINE void rod_add_way(rod_beyond *v, wide m, wide3 way, wide3 root_way) {
    const wide3 u = wide3_sub(way, root_way);
    v->kinetic += m * wide3_dot(u, u);
}

/* Finds the gradient and the energy of a joint without frames. */
MOTE_INLINE void rod_straight_joint(rod_segment *s) {
    const wide3 bend = wide3_sub(s->tangent, s->before);
    s->couple = s->back = wide3_scale(s->stiffness, bend);
    s->bending = wide3_dot(s->couple, bend);
}

/* Column pointers of rods and the part of the substep. */
typedef struct rod_terms {
    strand_part part;
    const float *joint, *inverse_length, *mass, *rest_length; /* from the group's first slot */
    wide square, rate;                                        /* h^2; 1 / h, 0 for h = 0 */
    wide3 root;                                               /* direction of the clamp */
    wide3 root_v, root_way;                                   /* m/s, of a pinned root; else 0; m, h root_v */
    bool framed;                                              /* a constant of the instance */
    const float *joint_twist, *joint_across, *rest_turn[3];   /* of frames */
    rod_frame root_frame;
    rod_lead lead;
    int start, start_v; /* columns that receive the state before the substep or part */
    bool arrives;       /* pinned points move to their goals */
} rod_terms;

/* Twice the energies of a rod (rod_energy.h), of the prediction and now: of its points, relative to a pinned
 * root, and of its joints. */
typedef struct rod_energies {
    wide kinetic[2], bending[2]; /* J */
} rod_energies;

MOTE_INLINE void rod_set_prediction(rod_energies *e, const rod_terms *t, wide kinetic, wide bending) {
    const wide square = t->rate * t->rate;
    e->kinetic[0] = square * kinetic, e->bending[0] = square * bending;
}

/* Keeps the state of a point at the start of the substep; returns h v0 + h^2 a. */
MOTE_INLINE wide3 rod_way(const strand_columns *c, const rod_terms *t, strand_point a, size_t at) {
    work_store3(c, t->start, at, a.x);
    work_store3(c, t->start_v, at, a.v);
    return wide3_scale(t->part.h, wide3_add(a.v, free_kick(c, &t->part, a, point_mass(c, at), at)));
}

MOTE_INLINE rod_frame rod_load_frame(const strand_columns *c, size_t at) {
    return (rod_frame){work_load3(c, ROD_FRAME, at), work_load(c, ROD_FRAME + 3, at)};
}

MOTE_INLINE rod_twist rod_twist_begin(const strand_columns *c, uint32_t k, size_t lane) {
    return (rod_twist){
        rod_load_frame(c, strand_at(k, lane)), wide3_zero(), (wide){0}, (wide){0}, (wide){0}, (wide){0}};
}

/* Lanes whose segment k has two pinned points, which hold it as a clamp does. The first one is the root's. */
MOTE_INLINE wide_mask rod_held_segment(const strand_columns *c, uint32_t k, size_t lane) {
    if (!c->pins || k == 0) return (wide_mask){0};
    const size_t at = strand_at(k, lane);
    return wide_equal(point_mass(c, at), (wide){0}) & wide_equal(point_mass(c, at + MOTE_GROUP), (wide){0}) &
           lanes_beyond(wide_mask_load(c->counts + lane), k + 1);
}

/* Returns joint `at` times h^2. Rods without frames twist at a free end: any twisting stiffness will do. */
MOTE_INLINE rod_joint rod_joint_at(const rod_terms *t, size_t at) {
    const wide bend = t->square * wide_load(t->joint + at);
    if (!t->framed) return (rod_joint){bend, bend, bend, wide3_zero()};
    return (rod_joint){bend, t->square * wide_load(t->joint_across + at),
                       t->square * wide_load(t->joint_twist + at),
                       wide3_load((float *const *)t->rest_turn, at)};
}

/* Returns the stiffness of a joint with frames that the matrix of the bending knows: the largest one is
 * stable, and forces at rest are those of all. */
MOTE_INLINE wide rod_largest_stiffness(rod_joint j) {
    return wide_select(wide_less((wide){0}, j.bend), wide_max(j.across, j.twist), j.bend);
}

/* Joint k of a rod with frames: its gradient, t[k], and the row of its twist. */
MOTE_INLINE void rod_twist_joint(const strand_columns *c, const rod_terms *t, rod_segment *s, uint32_t k,
                                 size_t lane) {
    const size_t at = strand_at(k, lane);
    const rod_frame before = k ? rod_load_frame(c, at - MOTE_GROUP) : t->root_frame;
    const rod_joint j = rod_joint_at(t, at);
    rod_turned turned = rod_turn_joint(before, s->twist.frame, j, &s->twist.moment, &s->twist.along);
    if (t->lead.leads)
        rod_lead_joint(&turned, &t->lead, j, rod_largest_stiffness(j), before, s->twist.frame, k == 0,
                       &s->led);
    const rod_twist_row row =
        rod_add_twist(&s->twist, turned.torque, turned.sine, turned.cosine, rod_held_segment(c, k, lane));
    s->twist.frame = before;
    s->couple = turned.couple, s->tangent = turned.tangent, s->bending = turned.bending;
    s->back = wide3_zero(), s->stiffness = rod_largest_stiffness(j);
    work_store(c, ROD_TWIST, at, row.share);
    work_store(c, ROD_TWIST + 1, at, row.own);
}

/* Returns twice the energy of the joints between the frames. */
MOTE_OUTLINE wide rod_framed_bending(const strand_columns *c, const rod_terms *t, size_t lane) {
    rod_frame before = t->root_frame;
    wide sum = (wide){0};
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const rod_frame q = rod_load_frame(c, at);
        sum += rod_joint_energy(rod_joint_at(t, at), before, q);
        before = q;
    }
    return t->rate * t->rate * sum;
}

/* Turns the frames of the lanes with their segments, and by the twist of the last bending, e: NULL, or
 * receives the energy of the joints; the frames before are then kept (rod_turn_back). */
MOTE_OUTLINE void rod_turn_frames(const strand_columns *c, const rod_terms *t, bool twists, wide_mask lanes,
                                  rod_energies *e, size_t lane) {
    wide3 x = work_load3(c, WORK_X, lane);
    wide angle = (wide){0};
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 next = work_load3(c, WORK_X, at + MOTE_GROUP);
        const rod_frame q = rod_load_frame(c, at);
        if (twists) angle = work_load(c, ROD_TWIST, at) * angle - work_load(c, ROD_TWIST + 1, at);
        if (e) {
            work_store3(c, ROD_BEFORE, at, q.v);
            work_store(c, WORK_STRAIN, at, q.w);
        }
        const rod_frame turned = rod_follow(q, wide3_sub(next, x), angle, wide_load(c->rest_length + at),
                                            wide_load(t->inverse_length + at));
        /* Frames of segments that do not exist stay 0, so that their joints have no gradient. */
        wide_mask turns = lanes;
        if (k + 1 >= c->shortest) turns &= lanes_beyond(wide_mask_load(c->counts + lane), k + 1);
        const rod_frame now = {wide3_select(turns, turned.v, q.v), wide_select(turns, turned.w, q.w)};
        work_store3(c, ROD_FRAME, at, now.v);
        work_store(c, ROD_FRAME + 3, at, now.w);
        x = next;
    }
    if (e) e->bending[1] = rod_framed_bending(c, t, lane);
}

/* Turns the frames of the lanes back. */
MOTE_OUTLINE void rod_turn_back(const strand_columns *c, wide_mask lanes, size_t lane) {
    for (size_t at = lane; at < strand_at(c->points - 1, lane); at += MOTE_GROUP) {
        const rod_frame q = rod_load_frame(c, at);
        work_store3(c, ROD_FRAME, at, wide3_select(lanes, work_load3(c, ROD_BEFORE, at), q.v));
        work_store(c, ROD_FRAME + 3, at, wide_select(lanes, work_load(c, WORK_STRAIN, at), q.w));
    }
}

MOTE_INLINE rod_beyond rod_select(wide_mask mask, const rod_beyond *a, const rod_beyond *b) {
    return (rod_beyond){.p = wide_select(mask, a->p, b->p),
                        .q = wide_select(mask, a->q, b->q),
                        .r = wide_select(mask, a->r, b->r),
                        .d = wide_select(mask, a->d, b->d),
                        .force = wide3_select(mask, a->force, b->force),
                        .moment = wide3_select(mask, a->moment, b->moment),
                        .kinetic = b->kinetic,
                        .bending = b->bending,
                        .factor = wide_select(mask, a->factor, b->factor),
                        .stiffness = wide_select(mask, a->stiffness, b->stiffness),
                        .inertia = wide_select(mask, a->inertia, b->inertia),
                        .lever = wide_select(mask, a->lever, b->lever),
                        .whole = wide_select(mask, a->whole, b->whole)};
}

/* Adds segment k to the elimination, between point k and its neighbour `end`. `tangent` is t[k]; t[k-1]
 * replaces it. Segments that do not exist have no mass, stiffness or tension and change nothing. */
MOTE_INLINE void rod_eliminate(const strand_columns *c, const rod_terms *t, rod_beyond *v, rod_segment *s,
                               strand_point end, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
    s->length = wide_load(t->rest_length + at), s->inverse_length = wide_load(t->inverse_length + at);
    const wide tension = work_load(c, WORK_TENSION, at);
    work_store(c, ROD_TENSION, at, tension);
    s->tension = t->square * tension, s->stiffness = t->square * wide_load(t->joint + at);
    if (t->framed)
        rod_twist_joint(c, t, s, k, lane);
    else
        rod_straight_joint(s);
    s->way = rod_way(c, t, end, next);
    const wide_mask pinned = c->pins ? wide_equal(point_mass(c, next), (wide){0}) &
                                           lanes_beyond(wide_mask_load(c->counts + lane), k + 1)
                                     : (wide_mask){0};
    const wide mass = wide_load(t->mass + next);
    rod_add_way(v, c->pins ? wide_select(pinned, (wide){0}, mass) : mass, s->way, t->root_way);
    v->bending += s->bending;
    const rod_beyond beyond = *v;
    rod_row row = rod_add(v, s, mass);
    if (c->pins) {
        work_store(c, ROD_P, next, beyond.p);
        work_store(c, ROD_Q, next, beyond.q);
        work_store3(c, ROD_FORCE, next, beyond.force);
        rod_beyond held = beyond;
        const rod_row fixed = rod_add_pinned(&held, s);
        *v = rod_select(pinned, &held, v);
        row =
            (rod_row){wide_select(pinned, fixed.share, row.share),
                      wide_select(pinned, fixed.lever, row.lever), wide3_select(pinned, fixed.own, row.own)};
    }
    work_store(c, ROD_SHARE, at, row.share);
    work_store(c, ROD_LEVER, at, row.lever);
    work_store3(c, ROD_OWN, at, row.own);
    if (!t->framed) s->tangent = s->before;
}

/* State of the back substitution, from the root to the tip: displacement of a point, change of the direction
 * of the segment before it, and the force of the segment behind it on it times h^2 (kg m). energy: of the
 * prediction. */
typedef struct rod_return {
    wide3 dx, du, behind;
    wide energy[2];
} rod_return;

/* Adds the impulses on pinned points to their reaction. */
MOTE_INLINE void rod_react(const strand_columns *c, const rod_terms *t, wide_mask pinned, wide3 force,
                           size_t at) {
    const wide3 sum = work_load3(c, WORK_REACTION, at), impulse = wide3_scale(t->rate, force);
    work_store3(c, WORK_REACTION, at, wide3_add(sum, wide3_select(pinned, impulse, wide3_zero())));
}

/* Finds the force of the segment behind point k from that of the segment before it, which is r->behind: they
 * differ by the change of the point's momentum. Adds the reaction of a pinned point. */
MOTE_INLINE void rod_pass_point(const strand_columns *c, const rod_terms *t, rod_return *r, uint32_t k,
                                size_t lane) {
    const size_t at = strand_at(k, lane);
    const wide mass = point_mass(c, at);
    const strand_point a = {work_load3(c, t->start, at), work_load3(c, t->start_v, at)};
    const wide_mask pinned = wide_equal(mass, (wide){0}) & lanes_beyond(wide_mask_load(c->counts + lane), k);
    const wide3 way = wide3_scale(t->part.h, wide3_add(a.v, free_kick(c, &t->part, a, mass, at)));
    const wide3 free = wide3_add_scaled(r->behind, wide_load(t->mass + at), wide3_sub(r->dx, way));
    const wide3 beyond =
        wide3_add_scaled(wide3_add_scaled(work_load3(c, ROD_FORCE, at), work_load(c, ROD_P, at), r->dx),
                         work_load(c, ROD_Q, at), r->du);
    const wide3 own = wide3_select(pinned, wide3_sub(wide3_zero(), beyond), free);
    rod_react(c, t, pinned, wide3_sub(own, r->behind), at);
    r->behind = own;
}

MOTE_INLINE wide3 rod_tangent(const rod_terms *t, wide3 x, wide3 before, size_t at) {
    return wide3_scale(wide_load(t->inverse_length + at), wide3_sub(x, before));
}

/* Eliminates all segments, from the tip to the root. Returns the root's state of the back substitution. */
MOTE_INLINE rod_return rod_up(const strand_columns *c, const rod_terms *t, size_t lane) {
    const uint32_t last = c->points - 1;
    rod_beyond v = rod_none_beyond();
    strand_point end = work_point(c, strand_at(last, lane)), a = work_point(c, strand_at(last - 1, lane));
    rod_segment s = {0}; /* compact kernels: without frames its members are not used */
    if (t->framed) s.twist = rod_twist_begin(c, last - 1, lane);
    if (!t->framed) s.tangent = rod_tangent(t, end.x, a.x, strand_at(last - 1, lane));
    for (uint32_t k = last; k-- > 0;) {
        strand_point before = a;
        s.before = t->root;
        if (k) {
            before = work_point(c, strand_at(k - 1, lane));
            if (!t->framed) s.before = rod_tangent(t, a.x, before.x, strand_at(k - 1, lane));
        }
        rod_eliminate(c, t, &v, &s, end, k, lane);
        end = a, a = before;
    }
    /* The root: pinned, or free with the mass m: (P + m) dx = m way - p. */
    const wide3 way = rod_way(c, t, end, lane);
    const wide m = wide_load(t->mass + lane);
    const wide_mask pinned = wide_equal(point_mass(c, lane), (wide){0});
    const wide3 free = wide3_scale(wide_set(1.0f) / wide_select(pinned, wide_set(1.0f), v.p + m),
                                   wide3_sub(wide3_scale(m, way), v.force)),
                dx = wide3_select(pinned, way, free);
    const wide3 own = wide3_sub(wide3_zero(), wide3_add_scaled(v.force, v.p, dx));
    rod_react(c, t, pinned, own, lane);
    rod_add_way(&v, wide_select(pinned, (wide){0}, m), way, t->root_way);
    return (rod_return){dx, wide3_zero(), own, {v.kinetic, v.bending}};
}

/* Moves a point by dx, which over h is its velocity. */
MOTE_INLINE void rod_move(const strand_columns *c, const rod_terms *t, wide3 dx, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    const wide3 old = work_load3(c, WORK_X, at);
    wide3 x = wide3_add(old, dx), v = wide3_scale(t->rate, dx);
    if (k == 0 || c->pins || k >= c->shortest) {
        const wide_mask free = wide_less((wide){0}, point_mass(c, at)),
                        exists = lanes_beyond(wide_mask_load(c->counts + lane), k);
        if (t->arrives) x = wide3_select(free, x, work_load3(c, IMPULSE_GOAL, at));
        x = wide3_select(exists, x, old);
        v = wide3_select(free, v, work_load3(c, WORK_V, at));
    }
    work_store3(c, WORK_X, at, x);
    work_store3(c, WORK_V, at, v);
}

/* Bends the rods of a register over the substep, without regard to their lengths. With `lengths` the back
 * substitution also eliminates the rows of the lengths, from the root to the tip. */
MOTE_INLINE void rod_bend(const strand_columns *c, const rod_terms *t, const strand_terms *lengths,
                          rod_energies *e, size_t lane) {
    rod_return r = rod_up(c, t, lane);
    rod_set_prediction(e, t, r.energy[0], r.energy[1]);
    rod_move(c, t, r.dx, 0, lane);
    strand_chain chain = {.x = work_load3(c, WORK_X, lane), .mass = point_mass(c, lane)};
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        const wide3 change = wide3_add_scaled(work_load3(c, ROD_OWN, at), work_load(c, ROD_LEVER, at), r.dx);
        r.du = wide3_sub(wide3_scale(work_load(c, ROD_SHARE, at), r.du), change);
        r.dx = wide3_add_scaled(r.dx, wide_load(t->rest_length + at), r.du);
        if (c->pins) rod_pass_point(c, t, &r, k + 1, lane);
        rod_move(c, t, r.dx, k + 1, lane);
        if (lengths) eliminate(c, lengths, &chain, k, lane);
    }
}

/* Reverts the lanes to the state before the substep or part, with its tensions and reactions. */
MOTE_OUTLINE void rod_undo(const strand_columns *c, wide_mask lanes, const int keep[2], size_t lane) {
    impulse_undo(c, lanes, keep, lane);
    impulse_copy_reaction(c, IMPULSE_REACTED, WORK_REACTION, lanes, lane);
    for (size_t at = lane; at < strand_at(c->points - 1, lane); at += MOTE_GROUP)
        work_store(c, WORK_TENSION, at,
                   wide_select(lanes, work_load(c, ROD_TENSION, at), work_load(c, WORK_TENSION, at)));
}

#endif
