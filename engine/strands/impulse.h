/* Rigid strands without contact: impulses along the segments in the middle of the substep. With the state x0,
 * v0 at the start, the accelerations a, the inverse masses W and the segments d0:
 *     m  = d0 + (1 - g) h (v0[k+1] - v0[k])            the segments in the middle, from the start alone
 *     v1 = v0 + h a + W m^T P,  m . ((1 - g) d0' + g d1') = -(g - 1/2) h |d0'|^2
 *     x1 = x0 + h ((1 - g) v0 + g v1)
 * Forces and impulses act at x0 + (1 - g) h v0: a drift of (1 - g) h, a kick, a drift of g h, which is
 * symplectic for any g where the forces depend on position alone.
 * P solves one tridiagonal system; d' are the rates of the segments. With this m the impulses keep angular
 * momentum, and with this rate along m a turning segment keeps its length. Forces alone err by no more energy
 * in the long run than in a substep; the impulses lose P m . (d0' + d1') / 2, summed: none where the strand
 * turns as a rigid body, a little for g = 0.51 where it swings. Lengths that they do not keep to max_strain
 * are corrected by Newton's method in the positions alone (solve.h).
 *
 * m is explicit. The scheme is stable while a segment turns by less than a limit in the substep and while W P
 * h <= 1, which is h w <= 2 for the highest frequency of the segments' own waves. Where this does not hold,
 * the strand's substep is undone and halved, lane by lane; at the smallest part the strand takes a step of
 * first order: Newton's method from v0 + h a, whose corrections of positions, over h, are velocity. */
#ifndef MOTE_STRANDS_IMPULSE_H
#define MOTE_STRANDS_IMPULSE_H

#include "stage/coupled.h"
#include "strands/solve.h"

enum {
    IMPULSE_OLD_V = STRAND_COLUMN(constrained.old_v),
    IMPULSE_DV = STRAND_COLUMN(constrained.dv),
    IMPULSE_FROM = STRAND_COLUMN(constrained.from),
    IMPULSE_FROM_V = STRAND_COLUMN(constrained.from_v),
    IMPULSE_GOAL = STRAND_COLUMN(goal),
    IMPULSE_ON_PIN = STRAND_COLUMN(pin_impulse),
    IMPULSE_REACTED = STRAND_COLUMN(reacted)
};

/* Constants of a solver: g, the largest turn of a segment in a part of a substep (rad), and how often a
 * substep is halved. */
typedef struct strand_scheme {
    float g, turn, impulse_limit;
    uint32_t halvings;
} strand_scheme;

MOTE_INLINE strand_scheme scheme_of(mote_strand_solver solver) {
    return solver == MOTE_STRAND_CONSERVING ? (strand_scheme){0.51f, 1.5f, 0.7f, 5}
                                            : (strand_scheme){0.51f, 1.0f, 1.0f, 1};
}

#define STRAND_FAST_TURN 64.0f

/* One part of a substep in one register. */
typedef struct strand_part {
    wide h;       /* s */
    wide share;   /* h over that of the whole substep */
    wide drift;   /* s, after which own forces act: (1 - g) h of impulses, 0 of first order */
    wide outward; /* (g - 1/2) h, s */
    float g, inverse_g, early, turn; /* of the solver; early: 1 - g */
    float largest, unsplittable;     /* W P h: above this a part is unstable, its smallest parts are too */
    const mote_coupled_affine *own;  /* NULL: IMPULSE_DV holds h a of the whole substep */
    wide3 origin;                    /* m, of the positions */
} strand_part;

/* Lanes after a part. */
typedef struct strand_outcome {
    wide_mask unstable;     /* the part is too long */
    wide_mask unsplittable; /* so are its smallest parts: W P h falls to a quarter with each halving */
    wide_mask strained;     /* some segment has not its length */
    wide_mask fast_turn;    /* some segment turned by more than 1 / STRAND_FAST_TURN of the largest turn */
    wide lost;              /* (2 g - 1) sum of m |v1 - v0|^2: twice the energy that the impulses took, J */
} strand_outcome;

/* Returns h a of a point; 0 where it is pinned. */
MOTE_INLINE wide3 free_kick(const strand_columns *c, const strand_part *p, strand_point a, wide mass,
                            size_t at) {
    wide3 dv;
    if (p->own) {
        const wide3 x = wide3_add_scaled(a.x, p->drift, a.v);
        const mote_lanes s = {.x = wide3_add(x, p->origin), .v = a.v};
        dv = mote_affine_kick(p->own, &s, mass);
    } else {
        dv = work_load3(c, IMPULSE_DV, at);
    }
    dv = wide3_scale(p->share, dv);
    const bool all_free = at >= MOTE_GROUP && !c->pins && at < (size_t)c->shortest * MOTE_GROUP;
    return all_free ? dv : wide3_select(wide_less((wide){0}, mass), dv, wide3_zero());
}

/* State of the elimination: the previous segment, its far point, and the row. */
typedef struct impulse_chain {
    wide3 middle, dv;
    strand_point end;
    wide mass, inverse_pivot, value;
    wide_mask turns, fast_turn;
} impulse_chain;

/* Assembles and eliminates the row of segment k (tridiagonal L D L^T): m_k . (W m^T P) = -m_k . (...) / g. */
MOTE_INLINE void impulse_eliminate(const strand_columns *c, const strand_part *p, impulse_chain *s,
                                   wide_mask counts, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
    const strand_point b = work_point(c, next);
    const wide mass = point_mass(c, next), length = work_load(c, WORK_LENGTH, at);
    const wide_mask exists = lanes_beyond(counts, k + 1);
    const wide3 dv = free_kick(c, p, b, mass, next);
    /* Segment in the middle of the part, and its rate: (1 - g) of the start, g of the prediction. */
    const wide3 rate = wide3_sub(b.v, s->end.v);
    const wide3 m = wide3_add_scaled(wide3_sub(b.x, s->end.x), p->early * p->h, rate);
    const wide3 e = wide3_add_scaled(rate, wide_set(p->g), wide3_sub(dv, s->dv));
    const wide turn = p->turn * length, speed = wide3_dot(rate, rate);
    const wide_mask turns = exists & wide_less((wide){0}, length);
    const wide way = speed * (p->h * p->h), square = turn * turn;
    s->turns |= turns & wide_less(square, way);
    s->fast_turn |= turns & wide_less(square, STRAND_FAST_TURN * STRAND_FAST_TURN * way);
    /* Row and forward elimination. */
    wide coupling = s->mass * wide3_dot(s->middle, m);
    if (k + 1 >= c->shortest) coupling = wide_select(exists, coupling, (wide){0}); /* 0 x infinity is NaN */
    const wide diagonal = (s->mass + mass) * wide3_dot(m, m), factor = coupling * s->inverse_pivot;
    s->inverse_pivot = invert_pivot(diagonal - coupling * factor, diagonal, exists);
    s->value = p->inverse_g * (wide3_dot(m, e) + p->outward * speed) + factor * s->value;
    s->middle = m, s->end = b, s->mass = mass, s->dv = dv;
    work_store(c, WORK_PIVOT, at, s->inverse_pivot);
    work_store(c, WORK_MULTIPLIER, at, s->value);
    if (k) work_store(c, WORK_COUPLING, at - MOTE_GROUP, coupling);
}

/* State of the back substitution: point k + 1 at the start of the part, the impulse of the segment behind it,
 * and its place at the end. */
typedef struct impulse_return {
    strand_point old;
    wide multiplier, largest, lost; /* largest: of W P; lost: see strand_outcome */
    wide3 behind, after;
    wide_mask strained;
} impulse_return;

/* Returns whether |d| is the length of segment `at` to max_strain. */
MOTE_INLINE wide_mask has_length(const strand_columns *c, const strand_terms *t, wide3 d, uint32_t k,
                                 size_t at) {
    const wide length = work_load(c, WORK_LENGTH, at), target = length * length, square = wide3_dot(d, d),
               rounding = t->rounding * length;
    const wide_mask held =
        wide_less(square, t->high * target + rounding) & wide_less(t->low * target - rounding, square);
    return held | wide_equal(length, (wide){0}) | ~lanes_beyond(t->counts, k + 1);
}

/* Moves a point by the impulses of its two segments: r->behind of the one behind, `own` of the one before.
 * The columns `keep` receive its position and velocity before the part. */
MOTE_INLINE void impulse_move(const strand_columns *c, const strand_part *p, impulse_return *r, wide3 own,
                              const int keep[2], size_t at) {
    const wide mass = point_mass(c, at);
    const wide3 impulse = wide3_sub(r->behind, own),
                star = wide3_add(r->old.v, free_kick(c, p, r->old, mass, at));
    const wide3 v = wide3_add_scaled(star, mass, impulse);
    const wide3 change = wide3_sub(v, r->old.v), mean = wide3_add_scaled(r->old.v, wide_set(p->g), change);
    r->lost -= wide3_dot(impulse, wide3_add(r->old.v, v));
    r->after = wide3_add_scaled(r->old.x, p->h, mean);
    work_store3(c, keep[0], at, r->old.x);
    work_store3(c, keep[1], at, r->old.v);
    work_store3(c, WORK_X, at, r->after);
    work_store3(c, WORK_V, at, v);
    if (at < MOTE_GROUP || c->pins)
        work_store3(c, IMPULSE_ON_PIN, at, wide3_select(wide_less((wide){0}, mass), wide3_zero(), impulse));
}

/* Back substitution of segment k; moves point k + 1 and checks segment k + 1. */
MOTE_INLINE void impulse_substitute(const strand_columns *c, const strand_terms *t, const strand_part *p,
                                    impulse_return *r, const int keep[2], uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
    const bool last = k + 2 == c->points;
    const strand_point a = work_point(c, at);
    /* Impulse of segment k. */
    wide value = work_load(c, WORK_MULTIPLIER, at);
    if (!last) value += work_load(c, WORK_COUPLING, at) * r->multiplier;
    r->multiplier = value * work_load(c, WORK_PIVOT, at);
    if (k + 1 >= c->shortest)
        r->multiplier = wide_select(lanes_beyond(t->counts, k + 1), r->multiplier, (wide){0});
    const wide masses = wide_max(point_mass(c, at), point_mass(c, next));
    r->largest = wide_max(r->largest, r->multiplier * masses);
    const wide3 rate = wide3_sub(r->old.v, a.v);
    const wide3 own =
        wide3_scale(r->multiplier, wide3_add_scaled(wide3_sub(r->old.x, a.x), p->early * p->h, rate));
    const wide3 beyond = r->after;
    impulse_move(c, p, r, own, keep, next);
    if (!last) r->strained |= ~has_length(c, t, wide3_sub(beyond, r->after), k + 1, next);
    r->behind = own, r->old = a;
}

/* Runs one part for all lanes of a register. On entry WORK_V holds the velocity of pinned points in the
 * part. */
MOTE_INLINE strand_outcome impulse_part(const strand_columns *c, const strand_terms *t, const strand_part *p,
                                        const int keep[2], size_t lane) {
    const uint32_t segments = c->points - 1;
    const strand_point root = work_point(c, lane);
    impulse_chain chain = {.end = root, .mass = point_mass(c, lane)};
    chain.middle = wide3_zero(), chain.dv = free_kick(c, p, root, chain.mass, lane);
    /* Forward elimination from the root. */
    for (uint32_t k = 0; k < segments; k++) impulse_eliminate(c, p, &chain, t->counts, k, lane);
    /* Back substitution and motion from the tip. */
    impulse_return r = {.old = chain.end};
    r.behind = r.after = wide3_zero(), r.lost = (wide){0};
    for (uint32_t k = segments; k-- > 0;) impulse_substitute(c, t, p, &r, keep, k, lane);
    const wide3 beyond = r.after;
    impulse_move(c, p, &r, wide3_zero(), keep, lane);
    r.strained |= ~has_length(c, t, wide3_sub(beyond, r.after), 0, lane);
    const wide stiffness = r.largest * p->h;
    return (strand_outcome){chain.turns | wide_less(wide_set(p->largest), stiffness),
                            wide_less(wide_set(p->unsplittable), stiffness), r.strained, chain.fast_turn,
                            r.lost};
}

/* Puts the lanes back to the state before the part, from the columns `keep`. */
MOTE_OUTLINE void impulse_undo(const strand_columns *c, wide_mask lanes, const int keep[2], size_t lane) {
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP)
        for (int i = 0; i < 2; i++) {
            const int id = i ? WORK_V : WORK_X;
            work_store3(c, id, at, wide3_select(lanes, work_load3(c, keep[i], at), work_load3(c, id, at)));
        }
}

/* Gives the lanes the prediction of first order, v0 + h a and x0 + h v: the state before the part is in the
 * columns `keep`. */
MOTE_OUTLINE void impulse_predict(const strand_columns *c, const strand_part *p, wide_mask lanes,
                                  const int keep[2], size_t lane) {
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        const strand_point a = {work_load3(c, keep[0], at), work_load3(c, keep[1], at)};
        const wide3 v = wide3_add(a.v, free_kick(c, p, a, point_mass(c, at), at));
        work_store3(c, WORK_V, at, wide3_select(lanes, v, work_load3(c, WORK_V, at)));
        work_store3(c, WORK_X, at,
                    wide3_select(lanes, wide3_add_scaled(a.x, p->h, v), work_load3(c, WORK_X, at)));
    }
}

/* Copies the reaction of the lanes to other columns or back. */
MOTE_INLINE void impulse_copy_reaction(const strand_columns *c, int from, int to, wide_mask lanes,
                                       size_t lane) {
    for (size_t at = lane; at < strand_at(c->pins ? c->points : 1, lane); at += MOTE_GROUP)
        work_store3(c, to, at, wide3_select(lanes, work_load3(c, from, at), work_load3(c, to, at)));
}

/* Adds the impulses on pinned points (N s) to their reaction. */
MOTE_INLINE void impulse_react(const strand_columns *c, wide_mask lanes, size_t lane) {
    for (size_t at = lane; at < strand_at(c->pins ? c->points : 1, lane); at += MOTE_GROUP) {
        const wide3 sum = work_load3(c, WORK_REACTION, at);
        const wide3 on_pin = wide3_select(lanes, work_load3(c, IMPULSE_ON_PIN, at), wide3_zero());
        work_store3(c, WORK_REACTION, at, wide3_add(sum, on_pin));
    }
}

#endif
