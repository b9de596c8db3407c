/* Rigid strands without contact: impulses along the segments in the middle of the substep. With the state x0,
 * v0 at the start, the accelerations a, the inverse masses W and the segments d0:
 *
 *     y  = x0 + h/2 v0,             m = y[k+1] - y[k],
 *     v1 = v0 + h a + W m^T P,      m . ((1 - g) d0' + g d1') = -(g - 1/2) h |d0'|^2,
 *     x1 = y + h/2 v1.
 *
 * The places y and segments m in the middle follow from the start alone. Forces and impulses act at y: a
 * drift of h/2, a kick, a drift of h/2, which is symplectic where the forces depend on position alone. P
 * solves one tridiagonal system; d' are the rates of the segments. With this m the impulses keep angular
 * momentum, and with this rate along m a turning segment keeps its length. The work of constant accelerations
 * is that along the way x1 - x0, exactly, and the energy error of others does not grow in the long run. The
 * impulses lose the sum of P m . (d0' + d1') / 2, computed from d0' alone, because P times the rounding of
 * d1' is more than the energy of a small swing: nothing where the strand turns as a rigid body, a little for
 * g = 0.51 where it swings. (With drifts of (1 - g) h and g h, energies swing by h |a| |v| / 100 a unit of
 * mass: a short pendulum by 0.13 % at 60 Hz, measured.) Lengths that they do not keep to max_strain are
 * corrected by Newton's method in the positions alone (solve.h).
 *
 * m is explicit. A part is stable where its segments turn by less than a limit and W P h <= 1, which is h w
 * <= 2 for the highest frequency of the segments' own waves. But the rate along a segment, and so P,
 * alternates from part to part, and waves of half that frequency, h w = sqrt(2), grow by it: above W P h =
 * 1/2 a rope of 33 points with a heavy bob shakes after some seconds of rest (measured from 0.62 on). Longer
 * substeps are reverted and halved, lane by lane. At the smallest part the strand takes a step of first
 * order: Newton's method from v0 + h a, whose corrections of positions, over h, are velocity. */
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
    IMPULSE_REACTED = STRAND_COLUMN(reacted)
};

#define STRAND_G 0.51f
/* Largest W P h of a part, and of a whole substep with forces that parts do not find anew. */
#define STRAND_IMPULSE 0.5f
#define STRAND_STABLE  1.0f
/* rad, largest turn of a segment in a part; above this over STRAND_FAST it turns fast. */
#define STRAND_TURN 1.0f
#define STRAND_FAST 64.0f
/* Most halvings of a substep. */
#define STRAND_HALVINGS 5

/* W P h of a substep whose smallest parts are unstable. */
#define STRAND_UNSPLITTABLE (STRAND_IMPULSE * (float)(1u << 2 * STRAND_HALVINGS))

/* One part of a substep in one register. */
typedef struct strand_part {
    wide h;                         /* s */
    wide share;                     /* h over that of the whole substep */
    wide drift;                     /* s, after which affine forces act: h/2 of impulses, 0 of first order */
    wide outward;                   /* (g - 1/2) h, s */
    const mote_coupled_affine *own; /* NULL: IMPULSE_DV holds h a of the whole substep */
    wide3 origin;                   /* m, of the positions */
    wide3 kick; /* m/s, h a of the whole substep where it is the same for all free points */
} strand_part;

/* Instances of the kernel, for constants at compile time. All give the same bits. */
typedef struct impulse_form {
    bool regular; /* every lane has all points, all are free but the root, and no length is 0 */
    bool uniform; /* p->kick is that of every free point, and the part is the whole substep */
    bool keeps;   /* the energy that the impulses take is summed */
} impulse_form;

/* Bounds of the lengths, see strand_terms. */
typedef struct strand_bounds {
    wide_mask counts;
    wide low, high, rounding;
} strand_bounds;

/* Lanes of a part before its points move. */
typedef struct impulse_turns {
    wide_mask turns;     /* some segment turns too far */
    wide_mask fast_turn; /* some segment turns by more than 1 / STRAND_FAST of that */
} impulse_turns;

/* Lanes of a part after its points have moved. */
typedef struct impulse_outcome {
    wide_mask strained; /* some segment has not its length */
    wide lost;          /* sum of P m . (d0' + d1'): twice the energy that the impulses lost, J */
} impulse_outcome;

/* Returns the point after the drift before the impulses. */
MOTE_INLINE strand_point drifted(const strand_part *p, strand_point a) {
    return (strand_point){wide3_add_scaled(a.x, p->drift, a.v), a.v};
}

/* Returns h a of a point in the middle of the part; 0 where it is pinned. */
MOTE_INLINE wide3 kick_in_middle(const strand_columns *c, const strand_part *p, impulse_form form,
                                 strand_point middle, wide mass, bool root, size_t at) {
    wide3 dv = p->kick;
    if (!form.uniform) {
        if (p->own) {
            const mote_lanes s = {.x = wide3_add(middle.x, p->origin), .v = middle.v};
            dv = mote_affine_kick(p->own, &s, mass);
        } else {
            dv = work_load3(c, IMPULSE_DV, at);
        }
        dv = wide3_scale(p->share, dv);
    }
    const bool all_free = !root && (form.regular || (!c->pins && at < (size_t)c->shortest * MOTE_GROUP));
    return all_free ? dv : wide3_select(wide_less((wide){0}, mass), dv, wide3_zero());
}

/* The same from the point at the start of the part. */
MOTE_INLINE wide3 free_kick(const strand_columns *c, const strand_part *p, strand_point a, wide mass,
                            size_t at) {
    const impulse_form form = {false, false, false};
    return kick_in_middle(c, p, form, drifted(p, a), mass, at < MOTE_GROUP, at);
}

/* State of the elimination: the previous segment, its far point in the middle of the part, and the row. */
typedef struct impulse_chain {
    wide3 segment, dv;
    strand_point end;
    wide mass, inverse_pivot, value;
    impulse_turns lanes;
} impulse_chain;

MOTE_INLINE impulse_chain impulse_begin(const strand_columns *c, const strand_part *p, impulse_form form,
                                        strand_point root, size_t lane) {
    const wide mass = point_mass(c, lane);
    return (impulse_chain){.segment = wide3_zero(),
                           .dv = kick_in_middle(c, p, form, root, mass, true, lane),
                           .end = root,
                           .mass = mass};
}

/* Tests how far segment k turns, with the square of its rate. */
MOTE_INLINE void test_turn(const strand_columns *c, const strand_part *p, impulse_form form,
                           impulse_turns *lanes, wide speed, wide_mask exists, size_t at) {
    const wide length = work_load(c, WORK_LENGTH, at), turn = STRAND_TURN * length, square = turn * turn;
    const wide way = speed * (p->h * p->h);
    wide_mask turns = wide_less(square, way), fast_turn = wide_less(square, STRAND_FAST * STRAND_FAST * way);
    if (!form.regular) {
        const wide_mask some = exists & wide_less((wide){0}, length);
        turns &= some, fast_turn &= some;
    }
    lanes->turns |= turns;
    if (form.keeps) lanes->fast_turn |= fast_turn;
}

/* Assembles and eliminates the row of segment k, up to the point b: m_k . (W m^T P) = -m_k . (...) / g
 * (tridiagonal L D L^T). WORK_MULTIPLIER receives the right side over the pivot, and WORK_COUPLING the factor
 * of the next impulse. */
MOTE_INLINE void impulse_row(const strand_columns *c, const strand_part *p, impulse_form form,
                             impulse_chain *s, strand_point b, wide_mask counts, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
    const wide mass = point_mass(c, next);
    const wide_mask exists = form.regular ? ~(wide_mask){0} : lanes_beyond(counts, k + 1);
    const wide3 dv = kick_in_middle(c, p, form, b, mass, false, next);
    /* The segment, and its rate: (1 - g) of the start, g of the prediction. */
    const wide3 m = wide3_sub(b.x, s->end.x), rate = wide3_sub(b.v, s->end.v);
    const bool same_kick = form.regular && form.uniform && k > 0;
    const wide3 e = same_kick ? rate : wide3_add_scaled(rate, wide_set(STRAND_G), wide3_sub(dv, s->dv));
    const wide speed = wide3_dot(rate, rate);
    test_turn(c, p, form, &s->lanes, speed, exists, at);
    /* Row and forward elimination. */
    wide coupling = s->mass * wide3_dot(s->segment, m);
    if (!form.regular && k + 1 >= c->shortest)
        coupling = wide_select(exists, coupling, (wide){0}); /* 0 x infinity is NaN */
    const wide diagonal = (s->mass + mass) * wide3_dot(m, m), factor = coupling * s->inverse_pivot;
    s->inverse_pivot = invert_pivot(diagonal - coupling * factor, diagonal, exists);
    s->value = (1 / STRAND_G) * (wide3_dot(m, e) + p->outward * speed) + factor * s->value;
    s->segment = m, s->end = b, s->mass = mass, s->dv = dv;
    wide own = s->value * s->inverse_pivot;
    if (!form.regular && k + 1 >= c->shortest) own = wide_select(exists, own, (wide){0});
    work_store(c, WORK_MULTIPLIER, at, own);
    if (k) work_store(c, WORK_COUPLING, at - MOTE_GROUP, factor);
}

/* Forward elimination from the root. On entry WORK_V holds the velocity of pinned points in the part. */
MOTE_INLINE impulse_turns impulse_eliminate(const strand_columns *c, const strand_part *p, impulse_form form,
                                            wide_mask counts, size_t lane) {
    impulse_chain s = impulse_begin(c, p, form, drifted(p, work_point(c, lane)), lane);
    impulse_row(c, p, form, &s, drifted(p, work_point(c, strand_at(1, lane))), counts, 0, lane);
    for (uint32_t k = 1; k + 1 < c->points; k++)
        impulse_row(c, p, form, &s, drifted(p, work_point(c, strand_at(k + 1, lane))), counts, k, lane);
    return s.lanes;
}

/* Back substitution from the tip: the impulses, in WORK_MULTIPLIER. Returns the largest W P h. */
MOTE_OUTLINE wide impulse_substitute(const strand_columns *c, const strand_part *p, size_t lane) {
    uint32_t k = c->points - 2;
    wide impulse = work_load(c, WORK_MULTIPLIER, strand_at(k, lane));
    wide mass = wide_max(point_mass(c, strand_at(k, lane)), point_mass(c, strand_at(k + 1, lane)));
    wide largest = wide_max((wide){0}, impulse * mass);
    while (k-- > 0) {
        const size_t at = strand_at(k, lane);
        impulse = work_load(c, WORK_MULTIPLIER, at) + work_load(c, WORK_COUPLING, at) * impulse;
        mass = wide_max(point_mass(c, at), point_mass(c, at + MOTE_GROUP));
        largest = wide_max(largest, impulse * mass);
        work_store(c, WORK_MULTIPLIER, at, impulse);
    }
    return largest * p->h;
}

/* State of the motion: the next point in the middle of the part, the impulse vector of the segment behind it,
 * and the new place of the point before it. */
typedef struct impulse_motion {
    strand_point point;
    wide3 behind;
    wide3 before;
    impulse_outcome outcome;
} impulse_motion;

/* Returns whether |d| is the length of segment `at` to max_strain. */
MOTE_INLINE wide_mask has_length(const strand_columns *c, const strand_bounds *t, bool regular, wide3 d,
                                 uint32_t k, size_t at) {
    const wide length = work_load(c, WORK_LENGTH, at), target = length * length, square = wide3_dot(d, d),
               rounding = t->rounding * length;
    const wide_mask held =
        wide_less(square, t->high * target + rounding) & wide_less(t->low * target - rounding, square);
    return regular ? held : held | wide_equal(length, (wide){0}) | ~lanes_beyond(t->counts, k + 1);
}

/* Moves the point of `s` in the lanes of `moving`, in regular instances in all of them, by the impulse
 * vectors of the segments behind it and `ahead`. Returns its new state. */
MOTE_INLINE strand_point impulse_move_point(const strand_columns *c, const strand_part *p, impulse_form form,
                                            impulse_motion *s, wide3 ahead, wide_mask moving, bool root,
                                            size_t at) {
    const wide mass = point_mass(c, at);
    const wide3 impulse = wide3_sub(ahead, s->behind);
    const wide3 star = wide3_add(s->point.v, kick_in_middle(c, p, form, s->point, mass, root, at));
    strand_point b = {.v = wide3_add_scaled(star, mass, impulse)};
    b.x = wide3_add_scaled(s->point.x, p->drift, b.v);
    if (root || (!form.regular && c->pins)) {
        const wide_mask pinned = wide_equal(mass, (wide){0}) & moving;
        work_store3(c, WORK_REACTION, at,
                    wide3_add(work_load3(c, WORK_REACTION, at), wide3_select(pinned, impulse, wide3_zero())));
    }
    if (!form.regular) {
        b.x = wide3_select(moving, b.x, work_load3(c, WORK_X, at));
        b.v = wide3_select(moving, b.v, work_load3(c, WORK_V, at));
    }
    work_store3(c, WORK_X, at, b.x);
    work_store3(c, WORK_V, at, b.v);
    return b;
}

/* Moves point k, k > 0, and tests the length behind it. */
MOTE_INLINE void impulse_advance(const strand_columns *c, const strand_bounds *t, const strand_part *p,
                                 impulse_form form, impulse_motion *s, wide3 ahead, wide_mask moving,
                                 uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    const strand_point b = impulse_move_point(c, p, form, s, ahead, moving, false, at);
    s->outcome.strained |= ~has_length(c, t, form.regular, wide3_sub(b.x, s->before), k - 1, at - MOTE_GROUP);
    s->before = b.x, s->behind = ahead;
}

/* Returns the impulse vector of the segment between `a` and the point `next`, whose state in the middle of
 * the part becomes that of s->point. *lost grows by what the impulse loses. */
MOTE_INLINE wide3 impulse_ahead(const strand_columns *c, const strand_part *p, impulse_form form,
                                strand_point a, strand_point *next, wide *lost, uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    *next = drifted(p, work_point(c, at + MOTE_GROUP));
    const wide3 m = wide3_sub(next->x, a.x), rate = wide3_sub(next->v, a.v);
    const wide multiplier = work_load(c, WORK_MULTIPLIER, at);
    if (form.keeps)
        *lost += multiplier * (1 / STRAND_G) *
                 (wide_set(2 * STRAND_G - 1) * wide3_dot(m, rate) - p->outward * wide3_dot(rate, rate));
    return wide3_scale(multiplier, m);
}

/* Moves the points by the impulses in WORK_MULTIPLIER, from the root. */
MOTE_INLINE impulse_outcome impulse_move(const strand_columns *c, const strand_bounds *t,
                                         const strand_part *p, impulse_form form, wide_mask moving,
                                         size_t lane) {
    strand_point b;
    impulse_motion s = {.point = drifted(p, work_point(c, lane)), .behind = wide3_zero()};
    wide3 ahead = impulse_ahead(c, p, form, s.point, &b, &s.outcome.lost, 0, lane);
    const strand_point root = impulse_move_point(c, p, form, &s, ahead, moving, true, lane);
    s.before = root.x, s.behind = ahead, s.point = b;
    for (uint32_t k = 1; k + 1 < c->points; k++) {
        ahead = impulse_ahead(c, p, form, s.point, &b, &s.outcome.lost, k, lane);
        impulse_advance(c, t, p, form, &s, ahead, moving, k, lane);
        s.point = b;
    }
    impulse_advance(c, t, p, form, &s, wide3_zero(), moving, c->points - 1, lane);
    return s.outcome;
}

/* Instances out of line, so that each has its own register allocation. */
#define IMPULSES(name, regular, uniform, keeps)                                                              \
    MOTE_OUTLINE impulse_turns eliminate_##name(const strand_columns *columns, const strand_part *part,      \
                                                wide_mask counts, size_t lane) {                             \
        const strand_columns c = *columns;                                                                   \
        const strand_part p = *part;                                                                         \
        return impulse_eliminate(&c, &p, (impulse_form){regular, uniform, keeps}, counts, lane);             \
    }                                                                                                        \
    MOTE_OUTLINE impulse_outcome move_##name(const strand_columns *columns, const strand_bounds *bounds,     \
                                             const strand_part *part, wide_mask moving, size_t lane) {       \
        const strand_columns c = *columns;                                                                   \
        const strand_bounds t = *bounds;                                                                     \
        const strand_part p = *part;                                                                         \
        return impulse_move(&c, &t, &p, (impulse_form){regular, uniform, keeps}, moving, lane);              \
    }
IMPULSES(any, false, false, true)
IMPULSES(rope, true, true, false)
IMPULSES(conserving_rope, true, true, true)
#undef IMPULSES

/* Reverts the lanes to the state before the part, from the columns `keep`. */
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

#endif
