/* Constrained strands: all distance constraints of a strand solved together, Newton's method over one tridiagonal system in
 * the multipliers. A constraint is (|d|^2 - L^2) / 2 = 0 with the gradient d, which needs neither a square root nor a unit
 * vector; with compliance it is |d| (|d| - L) = a |d|^2 mu, where mu |d| is the tension times h^2. Points move by
 *     x_k += W_k (mu_k d_k - mu_(k-1) d_(k-1)),
 * W_k the inverse mass, without the direction of the normal where the point lies on a collider.
 * The system is eliminated from both ends towards the middle: two chains of dependent divisions side by side, half as long
 * (measured: 0.97 of the time of one). After Witkin, Gleicher & Welch, Interactive Dynamics (1990) and Goldenthal et al.,
 * Efficient Simulation of Inextensible Cloth (2007); compliance as in Macklin et al., XPBD (2016); both ends as in
 * Babuska, SIAM J. Numer. Anal. 9 (1972) 53. */
#ifndef MOTE_KERNELS_STRAND_SOLVE_H
#define MOTE_KERNELS_STRAND_SOLVE_H

#include "kernels/strand_work.h"

/* How a register of strands is held. */
typedef struct strand_terms {
    wide compliance; /* a / h^2 / (1 + damping / (h stiffness)), 1/kg */
    wide memory;     /* the share of the strain at the substep's start that damping lets stand */
    wide bend_compliance, bend_memory; /* the same of the bends */
    wide_mask counts; /* points of each strand */
    wide low, high;  /* bounds of |d|^2 / L^2 */
    wide slack;      /* max_stretch */
    wide reaction;   /* 1 / h */
    bool compliant, contacts;
} strand_terms;

/* The elimination, coming from one end: the last segment, and the point to which it came. */
typedef struct strand_chain {
    wide3 edge, x;
    wide mass, inverse_pivot, value;
} strand_chain;

/* A pivot that is nothing beside its diagonal belongs to a segment between two pins, or to a strand stretched out between
 * them: it is left alone. */
#define STRAND_SMALLEST_PIVOT 1e-6f

/* Whether the point at offset `at` of the columns has a contact plane in some lane. Where it has none, what follows leaves out
 * what would subtract zeros. */
MOTE_INLINE bool touches(const strand_columns *c, const strand_terms *t, size_t at) { return t->contacts && c->touching[at / MOTE_GROUP]; }

/* a . W b at the point `at`, of inverse mass `mass`. */
MOTE_INLINE wide through_point(const strand_columns *c, const strand_terms *t, wide mass, wide3 a, wide3 b, size_t at) {
    wide dot = wide3_dot(a, b);
    if (!touches(c, t, at)) return mass * dot;
    wide3 normal = work_load3(c, WORK_ACTIVE, at);
    return mass * (dot - wide3_dot(normal, a) * wide3_dot(normal, b));
}

/* (n . d)^2 with the normal on which the point lies. */
MOTE_INLINE wide across_square(const strand_columns *c, wide3 d, size_t at) {
    wide across = wide3_dot(work_load3(c, WORK_ACTIVE, at), d);
    return across * across;
}

/* What stands on the diagonal and on the right side for segment `at` with edge d between points of inverse masses wa, wb. */
MOTE_INLINE wide row_diagonal(const strand_columns *c, const strand_terms *t, wide3 d, wide wa, wide wb, size_t at) {
    wide square = wide3_dot(d, d), diagonal = (wa + wb) * square;
    if (touches(c, t, at)) diagonal -= wa * across_square(c, d, at);
    if (touches(c, t, at + MOTE_GROUP)) diagonal -= wb * across_square(c, d, at + MOTE_GROUP);
    return t->compliant ? diagonal + t->compliance * square : diagonal;
}

/* The length that a compliant segment shall have: L + what damping lets stand + what the tension draws out. */
MOTE_INLINE wide compliant_length(const strand_columns *c, const strand_terms *t, size_t at) {
    return work_load(c, WORK_LENGTH, at) + t->memory * work_load(c, WORK_STRAIN, at) + t->compliance * work_load(c, WORK_TENSION, at);
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

MOTE_INLINE strand_chain chain_begin(const strand_columns *c, size_t at) {
    return (strand_chain){wide3_zero(), work_load3(c, WORK_X, at), point_mass(c, at), (wide){0}, (wide){0}};
}

/* Segment k with edge d, from the chain's point on to one of inverse mass `mass`; `diagonal` is its own. */
MOTE_INLINE void eliminate(const strand_columns *c, const strand_terms *t, strand_chain *chain, wide3 d, wide diagonal, size_t point, uint32_t k,
                           size_t outer, size_t lane) {
    const size_t at = strand_at(k, lane);
    wide coupling = through_point(c, t, chain->mass, chain->edge, d, point); /* minus the element of the matrix */
    wide factor = coupling * chain->inverse_pivot;
    chain->inverse_pivot = invert_pivot(diagonal - coupling * factor, diagonal, lanes_beyond(t->counts, k + 1));
    chain->value = row_value(c, t, d, at) + factor * chain->value;
    chain->edge = d;
    work_store(c, WORK_PIVOT, at, chain->inverse_pivot);
    work_store(c, WORK_MULTIPLIER, at, chain->value);
    work_store(c, WORK_COUPLING, outer, coupling);
}

/* Segment k, coming from the root. */
MOTE_INLINE void eliminate_down(const strand_columns *c, const strand_terms *t, strand_chain *chain, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    wide3 next = work_load3(c, WORK_X, at + MOTE_GROUP), d = wide3_sub(next, chain->x);
    wide mass = point_mass(c, at + MOTE_GROUP);
    eliminate(c, t, chain, d, row_diagonal(c, t, d, chain->mass, mass, at), at, k, k ? at - MOTE_GROUP : at, lane);
    chain->x = next, chain->mass = mass;
}

/* Segment k, coming from the tip. */
MOTE_INLINE void eliminate_up(const strand_columns *c, const strand_terms *t, strand_chain *chain, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    wide3 next = work_load3(c, WORK_X, at), d = wide3_sub(chain->x, next);
    wide mass = point_mass(c, at);
    eliminate(c, t, chain, d, row_diagonal(c, t, d, mass, chain->mass, at), at + MOTE_GROUP, k, at + MOTE_GROUP, lane);
    chain->x = next, chain->mass = mass;
}

/* The middle segment, reached from both sides: its multiplier. */
MOTE_INLINE wide eliminate_middle(const strand_columns *c, const strand_terms *t, const strand_chain *up, const strand_chain *down,
                                  uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    wide3 d = wide3_sub(down->x, up->x);
    wide diagonal = row_diagonal(c, t, d, up->mass, down->mass, at);
    wide above = through_point(c, t, up->mass, up->edge, d, at);
    wide below = through_point(c, t, down->mass, down->edge, d, at + MOTE_GROUP);
    wide factor_above = above * up->inverse_pivot, factor_below = below * down->inverse_pivot;
    wide pivot = diagonal - above * factor_above - below * factor_below;
    wide value = row_value(c, t, d, at) + factor_above * up->value + factor_below * down->value;
    if (k) work_store(c, WORK_COUPLING, at - MOTE_GROUP, above);
    work_store(c, WORK_COUPLING, at + MOTE_GROUP, below);
    return value * invert_pivot(pivot, diagonal, lanes_beyond(t->counts, k + 1));
}

/* Moves a point by W push where its strand is live; returns where it is. push: the segments' pull on it, kg m. */
MOTE_INLINE wide3 move_point(const strand_columns *c, const strand_terms *t, wide_mask live, wide3 old, wide3 push, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    wide mass = point_mass(c, at);
    wide3 applied = push;
    if (touches(c, t, at)) {
        wide3 normal = work_load3(c, WORK_ACTIVE, at);
        wide across = wide3_dot(normal, push);
        wide_mask lies = wide_less((wide){0}, wide3_dot(normal, normal));
        applied = wide3_select(lies, wide3_sub(push, wide3_scale(across, normal)), push);
        wide sum = work_load(c, WORK_PRESSURE, at);
        work_store(c, WORK_PRESSURE, at, wide_select(live, sum - mass * across, sum));
    }
    wide3 x = wide3_select(live, wide3_add_scaled(old, mass, applied), old);
    work_store3(c, WORK_X, at, x);
    if (k == 0 || c->pins) {
        wide3 sum = work_load3(c, WORK_REACTION, at);
        wide_mask pinned = live & wide_equal(mass, (wide){0});
        work_store3(c, WORK_REACTION, at, wide3_select(pinned, wide3_add_scaled(sum, t->reaction, push), sum));
    }
    return x;
}

/* Lanes in which segment k from a to b is as long as it shall be. Joined points have no direction to be held in. */
MOTE_INLINE wide_mask is_held(const strand_columns *c, const strand_terms *t, wide3 a, wide3 b, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    wide3 d = wide3_sub(b, a);
    wide square = wide3_dot(d, d), length = work_load(c, WORK_LENGTH, at);
    wide_mask held;
    if (t->compliant) {
        held = is_near(square, compliant_length(c, t, at), t->slack * length);
    } else {
        wide target = length * length;
        held = wide_less(square, t->high * target) & wide_less(t->low * target, square);
    }
    return held | wide_equal(length, (wide){0}) | ~lanes_beyond(t->counts, k + 1);
}

MOTE_INLINE void add_tension(const strand_columns *c, const strand_terms *t, wide_mask live, wide multiplier, size_t at) {
    if (!t->compliant) return;
    wide sum = work_load(c, WORK_TENSION, at);
    work_store(c, WORK_TENSION, at, wide_select(live, sum + multiplier * work_load(c, WORK_RADIUS, at), sum));
}

/* The substitution, going to one end: what the last segment pulls with, and the point to which it came, before and after. */
typedef struct strand_return {
    wide multiplier;
    wide3 pull, old, x;
} strand_return;

/* Segment k with edge d. */
MOTE_INLINE wide3 substitute(const strand_columns *c, const strand_terms *t, wide_mask live, strand_return *r, wide3 d, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    r->multiplier = (work_load(c, WORK_MULTIPLIER, at) + work_load(c, WORK_COUPLING, at) * r->multiplier) * work_load(c, WORK_PIVOT, at);
    add_tension(c, t, live, r->multiplier, at);
    return wide3_scale(r->multiplier, d);
}

/* Point k, of whose segments the lower one is known; then the segment below is checked. */
MOTE_INLINE wide_mask return_up(const strand_columns *c, const strand_terms *t, wide_mask live, strand_return *r, uint32_t k, bool first, size_t lane) {
    wide3 old = r->old, pull = wide3_zero();
    if (k) {
        r->old = work_load3(c, WORK_X, strand_at(k - 1, lane));
        pull = substitute(c, t, live, r, wide3_sub(old, r->old), k - 1, lane);
    }
    wide3 x = move_point(c, t, live, old, wide3_sub(r->pull, pull), k, lane);
    wide_mask held = first ? ~(wide_mask){0} : is_held(c, t, x, r->x, k, lane);
    r->pull = pull;
    r->x = x;
    return held;
}

/* Point k, of whose segments the upper one is known; then that is checked. */
MOTE_INLINE wide_mask return_down(const strand_columns *c, const strand_terms *t, wide_mask live, strand_return *r, uint32_t k, size_t lane) {
    wide3 old = r->old, pull = wide3_zero();
    if (k + 1 < c->points) {
        r->old = work_load3(c, WORK_X, strand_at(k + 1, lane));
        pull = substitute(c, t, live, r, wide3_sub(r->old, old), k, lane);
    }
    wide3 x = move_point(c, t, live, old, wide3_sub(pull, r->pull), k, lane);
    wide_mask held = is_held(c, t, r->x, x, k - 1, lane);
    r->pull = pull;
    r->x = x;
    return held;
}

/* One iteration of the strands from `lane` on: only those of `live` move; returns those that are not yet held. */
MOTE_INLINE wide_mask newton(const strand_columns *c, const strand_terms *t, wide_mask live, size_t lane) {
    const uint32_t segments = c->points - 1, middle = segments / 2, below = segments - 1 - middle;
    strand_chain down = chain_begin(c, lane), up = chain_begin(c, strand_at(segments, lane));
    for (uint32_t i = 0; i < below; i++) {
        eliminate_down(c, t, &down, i, lane);
        eliminate_up(c, t, &up, segments - 1 - i, lane);
    }
    if (below < middle) eliminate_down(c, t, &down, below, lane);
    wide centre = eliminate_middle(c, t, &down, &up, middle, lane);
    wide3 edge = wide3_sub(up.x, down.x), pull = wide3_scale(centre, edge);
    add_tension(c, t, live, centre, strand_at(middle, lane));

    strand_return rise = {centre, pull, down.x, down.x}, fall = {centre, pull, up.x, up.x};
    wide_mask held = return_up(c, t, live, &rise, middle, true, lane);
    fall.x = rise.x;
    for (uint32_t i = 0; i < below; i++) {
        held &= return_down(c, t, live, &fall, middle + 1 + i, lane);
        held &= return_up(c, t, live, &rise, middle - 1 - i, false, lane);
    }
    held &= return_down(c, t, live, &fall, segments, lane);
    if (below < middle) held &= return_up(c, t, live, &rise, 0, false, lane);
    return live & ~held;
}

#endif
