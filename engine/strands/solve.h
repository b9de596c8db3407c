/* Constrained strands: all distance constraints of a strand solved together, by Newton's method with one
 * tridiagonal system in the multipliers per iteration. A constraint is (|d|^2 - L^2) / 2 = 0 with the
 * gradient d, which needs neither a square root nor a unit vector. With compliance a it is
 *     |d| (|d| - L) = a |d|^2 mu,
 * where mu |d| is the tension times h^2. Points move by
 *     x_k += W_k (mu_k d_k - mu_(k-1) d_(k-1)).
 * W_k is the inverse mass, without its normal component at a point in contact with a collider. Elimination
 * runs from the root to the tip, so that a strand's bits do not depend on the lengths of its lane neighbours
 * (elimination from both ends at once takes 0.97 of the time, but they do). After Witkin, Gleicher & Welch,
 * Interactive Dynamics (1990) and Goldenthal et al., Efficient Simulation of Inextensible Cloth (2007);
 * compliance as in Macklin et al., XPBD (2016). */
#ifndef MOTE_STRANDS_SOLVE_H
#define MOTE_STRANDS_SOLVE_H

#include "strands/contact_solve.h"

/* State of the forward elimination: the previous segment and its far point, with the point's contact. */
typedef struct strand_chain {
    wide3 edge, x;
    wide mass, inverse_pivot, value;
    bool in_contact; /* in some lane; the members below are set then */
    wide3 normal;    /* 0 in the other lanes */
    wide across;     /* normal . edge */
} strand_chain;

/* Smallest regular pivot, relative to its diagonal element. A smaller one belongs to a segment between two
 * pins, or to a strand taut between them; its multiplier is set to 0. */
#define STRAND_SMALLEST_PIVOT 1e-6f

/* Returns the target length of a compliant segment: rest length + damping term + elastic elongation. */
MOTE_INLINE wide compliant_length(const strand_columns *c, const strand_terms *t, size_t at) {
    return work_load(c, WORK_LENGTH, at) + t->memory * work_load(c, WORK_STRAIN, at) +
           t->compliance * work_load(c, WORK_TENSION, at);
}

/* Returns whether the root of `square` differs from `target` by less than `slack`. */
MOTE_INLINE wide_mask is_near(wide square, wide target, wide slack) {
    wide low = wide_max(target - slack, (wide){0}), high = target + slack;
    return wide_less(square, high * high) & (wide_less(low * low, square) | wide_equal(low, (wide){0}));
}

/* Returns the right side of segment `at`: the value of its constraint. */
MOTE_INLINE wide row_value(const strand_columns *c, const strand_terms *t, wide3 d, size_t at) {
    wide square = wide3_dot(d, d), length = work_load(c, WORK_LENGTH, at);
    if (!t->compliant) return wide_set(0.5f) * (square - length * length);
    wide r = wide_sqrt(square);
    work_store(c, WORK_RADIUS, at, r);
    return r * (r - compliant_length(c, t, at));
}

/* Returns 1 / pivot, or 0 for a singular pivot. */
MOTE_INLINE wide invert_pivot(wide pivot, wide diagonal, wide_mask exists) {
    wide_mask regular = exists & wide_less(wide_set(STRAND_SMALLEST_PIVOT) * diagonal, pivot);
    return wide_select(regular, wide_set(1.0f) / pivot, (wide){0});
}

/* Begins the contacts of an iteration. */
MOTE_INLINE void enter_contacts(const strand_columns *c, const strand_terms *t, wide_mask live, size_t lane) {
    for (uint32_t i = 0; i < c->contacts->count; i++) {
        const uint32_t k = c->contacts->point[i];
        const size_t at = strand_at(k, lane);
        if (!t->again)
            begin_contact(c, t, live, k, at);
        else if (c->contacts->moved[k])
            resume_contact(c, live, at);
    }
}

/* Forward elimination of the row of segment k (tridiagonal L D L^T). Its off-diagonal element is stored with
 * segment k - 1. */
MOTE_INLINE void eliminate(const strand_columns *c, const strand_terms *t, strand_chain *chain, uint32_t k,
                           size_t lane) {
    const size_t at = strand_at(k, lane);
    wide3 next = work_load3(c, WORK_X, at + MOTE_GROUP), d = wide3_sub(next, chain->x);
    const wide mass = point_mass(c, at + MOTE_GROUP), square = wide3_dot(d, d);
    /* Diagonal element, and the off-diagonal one, negated. A point in contact moves along its plane only. */
    wide diagonal = (chain->mass + mass) * square, along = wide3_dot(chain->edge, d);
    if (chain->in_contact) {
        const wide across = wide3_dot(chain->normal, d);
        diagonal -= chain->mass * (across * across);
        along -= chain->across * across;
    }
    chain->in_contact = touches(c, t, at + MOTE_GROUP);
    if (chain->in_contact) {
        chain->normal = contact_normal(plane_at(c, at + MOTE_GROUP));
        chain->across = wide3_dot(chain->normal, d);
        diagonal -= mass * (chain->across * chain->across);
    }
    if (t->compliant) diagonal += t->compliance * square;
    wide coupling = chain->mass * along;
    if (k + 1 >= c->shortest)
        coupling = wide_select(lanes_beyond(t->counts, k + 1), coupling, (wide){0}); /* 0 x infinity is NaN */
    /* Pivot and right side after elimination of segment k - 1. */
    wide factor = coupling * chain->inverse_pivot;
    const wide_mask exists = c->regular ? ~(wide_mask){0} : lanes_beyond(t->counts, k + 1);
    chain->inverse_pivot = invert_pivot(diagonal - coupling * factor, diagonal, exists);
    chain->value = row_value(c, t, d, at) + factor * chain->value;
    chain->edge = d, chain->x = next, chain->mass = mass;
    work_store(c, WORK_PIVOT, at, chain->inverse_pivot);
    work_store(c, WORK_MULTIPLIER, at, chain->value);
    if (k) work_store(c, WORK_COUPLING, at - MOTE_GROUP, coupling);
}

/* Moves a point of live strands by W impulse. impulse: sum of mu d of its segments, kg
 * m. Accumulates the normal impulse of contacts and the reaction of pinned points. */
MOTE_INLINE void move_point(const strand_columns *c, const strand_terms *t, wide_mask live, wide3 old,
                            wide3 impulse, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    wide mass = point_mass(c, at);
    wide3 applied = impulse;
    if (touches(c, t, at)) {
        /* Contact: the normal component of impulse becomes normal impulse. */
        strand_plane *plane = plane_at(c, at);
        wide3 normal = contact_normal(plane);
        wide across = wide3_dot(normal, impulse);
        applied = wide3_select(plane->in_contact, wide3_sub(impulse, wide3_scale(across, normal)), impulse);
        plane->normal_impulse =
            wide_select(live, plane->normal_impulse - mass * across, plane->normal_impulse);
    }
    wide3 x = wide3_add_scaled(old, mass, applied);
    if (!t->everyone) x = wide3_select(live, x, old);
    wide3 v = wide3_zero();
    if (t->gains) {
        /* Velocity gained by the correction. */
        v = work_load3(c, WORK_V, at);
        const wide3 gained = wide3_add_scaled(v, t->rate * mass, applied);
        v = k && t->everyone && c->regular ? gained
                                           : wide3_select(live & wide_less((wide){0}, mass), gained, v);
    }
    if (k == 0 || c->pins) {
        /* Pinned point: impulse becomes reaction. */
        wide3 sum = work_load3(c, WORK_REACTION, at);
        wide_mask pinned = wide_equal(mass, (wide){0});
        x = wide3_select(pinned, old, x); /* 0 x infinity is NaN */
        work_store3(c, WORK_REACTION, at,
                    wide3_select(live & pinned, wide3_add_scaled(sum, t->rate, impulse), sum));
    }
    strand_point a = {x, v};
    if (t->contacts && c->contacts->state[k]) a = end_contact(c, t, live, a, k, at);
    work_store3(c, WORK_X, at, a.x);
    if (t->gains) work_store3(c, WORK_V, at, a.v);
}

/* Returns the share of max_strain to which a compliant segment is solved: that which, as a strain, has no
 * more energy than it has over h, as a speed. */
MOTE_INLINE wide elastic_share(const strand_columns *c, const strand_terms *t, size_t at) {
    const wide one = wide_set(1.0f), inverse = wide_max(point_mass(c, at), point_mass(c, at + MOTE_GROUP));
    const wide_mask elastic = wide_less((wide){0}, inverse) & wide_less((wide){0}, t->compliance);
    const wide square = t->compliance / wide_select(elastic, inverse, one);
    return wide_select(elastic, wide_sqrt(wide_min(square, one)), one);
}

/* Returns the lanes in which segment k from a to b has its target length within tolerance. Segments of length
 * 0 have no direction and count as held. */
MOTE_INLINE wide_mask is_held(const strand_columns *c, const strand_terms *t, wide3 a, wide3 b, uint32_t k,
                              size_t lane) {
    const size_t at = strand_at(k, lane);
    wide3 d = wide3_sub(b, a);
    wide square = wide3_dot(d, d), length = work_load(c, WORK_LENGTH, at);
    wide_mask held;
    if (t->compliant) {
        const wide slack = t->slack * elastic_share(c, t, at) * length;
        held = is_near(square, compliant_length(c, t, at), slack + t->rounding);
    } else {
        wide target = length * length, rounding = t->rounding * length;
        held = wide_less(square, t->high * target + rounding) & wide_less(t->low * target - rounding, square);
    }
    return c->regular ? held : held | wide_equal(length, (wide){0}) | ~lanes_beyond(t->counts, k + 1);
}

/* Accumulates the tension of a compliant segment: sum of mu |d|. */
MOTE_INLINE void add_tension(const strand_columns *c, const strand_terms *t, wide_mask live, wide multiplier,
                             size_t at) {
    if (!t->compliant) return;
    wide sum = work_load(c, WORK_TENSION, at);
    work_store(c, WORK_TENSION, at, wide_select(live, sum + multiplier * work_load(c, WORK_RADIUS, at), sum));
}

/* State of the back substitution: multiplier and mu d of the previous segment; `old`: the next point, not yet
 * corrected. */
typedef struct strand_return {
    wide multiplier;
    wide3 behind, old;
} strand_return;

/* Back substitution of segment k. Moves point k + 1, whose two multipliers are then known. */
MOTE_INLINE void substitute(const strand_columns *c, const strand_terms *t, wide_mask live, strand_return *r,
                            uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    const bool last = k + 2 == c->points;
    wide3 old = work_load3(c, WORK_X, at), d = wide3_sub(r->old, old);
    /* Multiplier of segment k. */
    wide value = work_load(c, WORK_MULTIPLIER, at);
    if (!last) value += work_load(c, WORK_COUPLING, at) * r->multiplier;
    r->multiplier = value * work_load(c, WORK_PIVOT, at);
    if (k + 1 >= c->shortest)
        r->multiplier = wide_select(lanes_beyond(t->counts, k + 1), r->multiplier, (wide){0});
    add_tension(c, t, live, r->multiplier, at);
    if (t->keeps_tension) {
        const wide sum = work_load(c, WORK_TENSION, at), more = sum + t->rate * t->rate * r->multiplier;
        work_store(c, WORK_TENSION, at, t->everyone ? more : wide_select(live, more, sum));
    }
    /* Correction of point k + 1. */
    wide3 own = wide3_scale(r->multiplier, d);
    move_point(c, t, live, r->old, wide3_sub(r->behind, own), k + 1, lane);
    r->behind = own, r->old = old;
}

/* Returns the lanes in which all segments have their target lengths within tolerance. */
MOTE_INLINE wide_mask lengths_held(const strand_columns *c, const strand_terms *t, size_t lane) {
    wide_mask held = ~(wide_mask){0};
    wide3 a = work_load3(c, WORK_X, lane);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const wide3 b = work_load3(c, WORK_X, strand_at(k + 1, lane));
        held &= is_held(c, t, a, b, k, lane);
        a = b;
    }
    return held;
}

/* Back substitution and correction from the tip, after the elimination. tip: its position. */
MOTE_INLINE wide_mask newton_back(const strand_columns *c, const strand_terms *t, wide_mask live, wide3 tip,
                                  size_t lane) {
    const uint32_t segments = c->points - 1;
    strand_return r = {(wide){0}, wide3_zero(), tip};
    for (uint32_t k = segments; k-- > 0;) substitute(c, t, live, &r, k, lane);
    move_point(c, t, live, r.old, r.behind, 0, lane);
    return live & ~lengths_held(c, t, lane);
}

/* Elimination of all rows. Returns the tip's position. */
MOTE_INLINE wide3 newton_forward(const strand_columns *c, const strand_terms *t, wide_mask live,
                                 size_t lane) {
    const uint32_t segments = c->points - 1;
    if (t->contacts) enter_contacts(c, t, live, lane);
    strand_chain chain = {.x = work_load3(c, WORK_X, lane), .mass = point_mass(c, lane)};
    chain.edge = wide3_zero(), chain.across = chain.inverse_pivot = chain.value = (wide){0};
    chain.in_contact = touches(c, t, lane);
    if (chain.in_contact) chain.normal = contact_normal(plane_at(c, lane));
    /* Forward elimination from the root. */
    for (uint32_t k = 0; k < segments; k++) eliminate(c, t, &chain, k, lane);
    return chain.x;
}

/* One iteration of Newton's method for the strands from `lane` on. Moves the strands of `live` only; returns
 * those that are not yet held. */
MOTE_INLINE wide_mask newton(const strand_columns *c, const strand_terms *t, wide_mask live, size_t lane) {
    return newton_back(c, t, live, newton_forward(c, t, live, lane), lane);
}

#endif
