/* Constrained strands: all distance constraints of a strand solved together, Newton's method over one
 * tridiagonal system in the multipliers. A constraint is (|d|^2 - L^2) / 2 = 0 with the gradient d, which
 * needs neither a square root nor a unit vector; with compliance it is |d| (|d| - L) = a |d|^2 mu, where mu
 * |d| is the tension times h^2. Points move by
 *     x_k += W_k (mu_k d_k - mu_(k-1) d_(k-1)),
 * W_k the inverse mass, without the direction of the normal where the point lies on a collider. Elimination
 * goes from the root to the tip, so that a strand's bits do not depend on how long its neighbours are (from
 * both ends at once, 0.97 of the time, they do). After Witkin, Gleicher & Welch, Interactive Dynamics (1990)
 * and Goldenthal et al., Efficient Simulation of Inextensible Cloth (2007); compliance as in Macklin et al.,
 * XPBD (2016). */
#ifndef MOTE_STRANDS_SOLVE_H
#define MOTE_STRANDS_SOLVE_H

#include "strands/work.h"

/* How a register of strands is held. */
typedef struct strand_terms {
    wide compliance; /* a / h^2 / (1 + damping / (h stiffness)), 1/kg */
    wide memory;     /* the share of the strain at the substep's start that damping lets stand */
    wide bend_compliance, bend_memory; /* the same of the bends */
    wide_mask counts;                  /* points of each strand */
    wide low, high;                    /* bounds of |d|^2 / L^2 */
    wide slack;                        /* max_stretch */
    wide rounding; /* m: what float32 can tell of two points so far from the origin; 2^-22 of the root's
                      coordinates */
    wide reaction; /* 1 / h */
    bool compliant, contacts;
    bool everyone; /* all lanes are live in this iteration */
} strand_terms;

/* The elimination on its way to the tip: the last segment, and the point to which it came. */
typedef struct strand_chain {
    wide3 edge, x;
    wide mass, inverse_pivot, value;
} strand_chain;

/* A pivot that is nothing beside its diagonal belongs to a segment between two pins, or to a strand stretched
 * out between them: it is left alone. */
#define STRAND_SMALLEST_PIVOT 1e-6f

/* Whether the point at offset `at` of the columns lies on a plane in some lane. Where it does not, what
 * follows leaves out what would subtract zeros. */
MOTE_INLINE bool touches(const strand_columns *c, const strand_terms *t, size_t at) {
    return t->contacts && c->contacts->touching[at / MOTE_GROUP] == STRAND_IN_CONTACT;
}

/* The plane at a point that touches(). */
MOTE_INLINE strand_plane *plane_at(const strand_columns *c, size_t at) {
    return strand_planes(c) + c->contacts->place[at / MOTE_GROUP];
}

/* The normal of the plane on which a point lies; 0 where it lies on none. */
MOTE_INLINE wide3 contact_normal(const strand_plane *plane) {
    return wide3_select(plane->in_contact, plane->normal, wide3_zero());
}

/* a . W b at the point `at`, of inverse mass `mass`. */
MOTE_INLINE wide through_point(const strand_columns *c, const strand_terms *t, wide mass, wide3 a, wide3 b,
                               size_t at) {
    wide dot = wide3_dot(a, b);
    if (!touches(c, t, at)) return mass * dot;
    wide3 normal = contact_normal(plane_at(c, at));
    return mass * (dot - wide3_dot(normal, a) * wide3_dot(normal, b));
}

/* (n . d)^2 with the normal on which the point lies. */
MOTE_INLINE wide across_square(const strand_columns *c, wide3 d, size_t at) {
    wide across = wide3_dot(contact_normal(plane_at(c, at)), d);
    return across * across;
}

/* What stands on the diagonal and on the right side for segment `at` with edge d between points of inverse
 * masses wa, wb. */
MOTE_INLINE wide row_diagonal(const strand_columns *c, const strand_terms *t, wide3 d, wide wa, wide wb,
                              size_t at) {
    wide square = wide3_dot(d, d), diagonal = (wa + wb) * square;
    if (touches(c, t, at)) diagonal -= wa * across_square(c, d, at);
    if (touches(c, t, at + MOTE_GROUP)) diagonal -= wb * across_square(c, d, at + MOTE_GROUP);
    return t->compliant ? diagonal + t->compliance * square : diagonal;
}

/* The length that a compliant segment shall have: L + what damping lets stand + what the tension draws
 * out. */
MOTE_INLINE wide compliant_length(const strand_columns *c, const strand_terms *t, size_t at) {
    return work_load(c, WORK_LENGTH, at) + t->memory * work_load(c, WORK_STRAIN, at) +
           t->compliance * work_load(c, WORK_TENSION, at);
}

/* Whether the root of `square` is nearer to `target` than `slack`. */
MOTE_INLINE wide_mask is_near(wide square, wide target, wide slack) {
    wide low = wide_max(target - slack, (wide){0}), high = target + slack;
    return wide_less(square, high * high) & (wide_less(low * low, square) | wide_equal(low, (wide){0}));
}

MOTE_INLINE wide row_value(const strand_columns *c, const strand_terms *t, wide3 d, size_t at) {
    wide square = wide3_dot(d, d), length = work_load(c, WORK_LENGTH, at);
    if (!t->compliant) return wide_set(0.5f) * (square - length * length);
    wide r = wide_sqrt(square);
    work_store(c, WORK_RADIUS, at, r);
    return r * (r - compliant_length(c, t, at));
}

/* 1 / pivot, or 0. */
MOTE_INLINE wide invert_pivot(wide pivot, wide diagonal, wide_mask exists) {
    wide_mask regular = exists & wide_less(wide_set(STRAND_SMALLEST_PIVOT) * diagonal, pivot);
    return wide_select(regular, wide_set(1.0f) / pivot, (wide){0});
}

/* Segment k, its row and what is left of it when those before are eliminated. The element that couples it
 * with the segment before goes to that one's row. */
MOTE_INLINE void eliminate(const strand_columns *c, const strand_terms *t, strand_chain *chain, uint32_t k,
                           size_t lane) {
    const size_t at = strand_at(k, lane);
    wide3 next = work_load3(c, WORK_X, at + MOTE_GROUP), d = wide3_sub(next, chain->x);
    wide mass = point_mass(c, at + MOTE_GROUP), diagonal = row_diagonal(c, t, d, chain->mass, mass, at);
    wide coupling =
        through_point(c, t, chain->mass, chain->edge, d, at); /* minus the element of the matrix */
    if (k + 1 >= c->shortest)
        coupling = wide_select(lanes_beyond(t->counts, k + 1), coupling, (wide){0}); /* inf 0 is not 0 */
    wide factor = coupling * chain->inverse_pivot;
    chain->inverse_pivot =
        invert_pivot(diagonal - coupling * factor, diagonal, lanes_beyond(t->counts, k + 1));
    chain->value = row_value(c, t, d, at) + factor * chain->value;
    chain->edge = d, chain->x = next, chain->mass = mass;
    work_store(c, WORK_PIVOT, at, chain->inverse_pivot);
    work_store(c, WORK_MULTIPLIER, at, chain->value);
    if (k) work_store(c, WORK_COUPLING, at - MOTE_GROUP, coupling);
}

/* Moves a point by W push where its strand is live; returns where it is. push: the segments' pull on it, kg
 * m. */
MOTE_INLINE wide3 move_point(const strand_columns *c, const strand_terms *t, wide_mask live, wide3 old,
                             wide3 push, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    wide mass = point_mass(c, at);
    wide3 applied = push;
    if (touches(c, t, at)) {
        strand_plane *plane = plane_at(c, at);
        wide3 normal = contact_normal(plane);
        wide across = wide3_dot(normal, push);
        applied = wide3_select(plane->in_contact, wide3_sub(push, wide3_scale(across, normal)), push);
        plane->normal_impulse =
            wide_select(live, plane->normal_impulse - mass * across, plane->normal_impulse);
    }
    wide3 x = wide3_add_scaled(old, mass, applied);
    if (!t->everyone) x = wide3_select(live, x, old);
    if (k == 0 || c->pins) {
        wide3 sum = work_load3(c, WORK_REACTION, at);
        wide_mask pinned = wide_equal(mass, (wide){0});
        x = wide3_select(pinned, old, x); /* however hard it is pulled */
        work_store3(c, WORK_REACTION, at,
                    wide3_select(live & pinned, wide3_add_scaled(sum, t->reaction, push), sum));
    }
    work_store3(c, WORK_X, at, x);
    return x;
}

/* Lanes in which segment k from a to b is as long as it shall be. Joined points have no direction to be held
 * in. */
MOTE_INLINE wide_mask is_held(const strand_columns *c, const strand_terms *t, wide3 a, wide3 b, uint32_t k,
                              size_t lane) {
    const size_t at = strand_at(k, lane);
    wide3 d = wide3_sub(b, a);
    wide square = wide3_dot(d, d), length = work_load(c, WORK_LENGTH, at);
    wide_mask held;
    if (t->compliant) {
        held = is_near(square, compliant_length(c, t, at), t->slack * length + t->rounding);
    } else {
        wide target = length * length, rounding = t->rounding * length;
        held = wide_less(square, t->high * target + rounding) & wide_less(t->low * target - rounding, square);
    }
    return held | wide_equal(length, (wide){0}) | ~lanes_beyond(t->counts, k + 1);
}

/* Whether the points k to `last` keep their places behind the iteration: no collider is near. The others'
 * lengths count only when they are put out of the colliders. */
MOTE_INLINE bool stays_put(const strand_columns *c, const strand_terms *t, uint32_t k, uint32_t last) {
    return !t->contacts || !(c->contacts->touching[k] | c->contacts->touching[last]);
}

MOTE_INLINE void add_tension(const strand_columns *c, const strand_terms *t, wide_mask live, wide multiplier,
                             size_t at) {
    if (!t->compliant) return;
    wide sum = work_load(c, WORK_TENSION, at);
    work_store(c, WORK_TENSION, at, wide_select(live, sum + multiplier * work_load(c, WORK_RADIUS, at), sum));
}

/* The substitution on its way to the root: the multiplier and the pull of the last segment, and the point
 * that it comes to, before and after. */
typedef struct strand_return {
    wide multiplier;
    wide3 pull, old, x;
} strand_return;

/* Point k + 1, both of whose segments are known with k's multiplier: moves it; then the segment below it is
 * checked. */
MOTE_INLINE wide_mask substitute(const strand_columns *c, const strand_terms *t, wide_mask live,
                                 strand_return *r, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    const bool last = k + 2 == c->points;
    wide3 old = work_load3(c, WORK_X, at), d = wide3_sub(r->old, old);
    wide value = work_load(c, WORK_MULTIPLIER, at);
    if (!last) value += work_load(c, WORK_COUPLING, at) * r->multiplier;
    r->multiplier = value * work_load(c, WORK_PIVOT, at);
    if (k + 1 >= c->shortest)
        r->multiplier = wide_select(lanes_beyond(t->counts, k + 1), r->multiplier, (wide){0});
    add_tension(c, t, live, r->multiplier, at);
    wide3 pull = wide3_scale(r->multiplier, d),
          x = move_point(c, t, live, r->old, wide3_sub(r->pull, pull), k + 1, lane);
    wide_mask held = ~(wide_mask){0};
    if (!last && stays_put(c, t, k + 1, k + 2)) held = is_held(c, t, x, r->x, k + 1, lane);
    r->pull = pull, r->old = old, r->x = x;
    return held;
}

/* One iteration of the strands from `lane` on: only those of `live` move; returns those that are not yet
 * held. */
MOTE_INLINE wide_mask newton(const strand_columns *c, const strand_terms *t, wide_mask live, size_t lane) {
    const uint32_t segments = c->points - 1;
    strand_chain chain = {wide3_zero(), work_load3(c, WORK_X, lane), point_mass(c, lane), (wide){0},
                          (wide){0}};
    for (uint32_t k = 0; k < segments; k++) eliminate(c, t, &chain, k, lane);
    strand_return r = {(wide){0}, wide3_zero(), chain.x, chain.x};
    wide_mask held = ~(wide_mask){0};
    for (uint32_t k = segments; k-- > 0;) held &= substitute(c, t, live, &r, k, lane);
    wide3 root = move_point(c, t, live, r.old, r.pull, 0, lane);
    if (stays_put(c, t, 0, 1)) held &= is_held(c, t, root, r.x, 0, lane);
    return live & ~held;
}

#endif
