/* Constrained strands that resist bending. Besides its segments d_k a strand has compliant distance
 * constraints e_k = x_(k+2) - x_k between second neighbours. In the order d_0 e_0 d_1 e_1 ... they form a
 * banded matrix with four elements on either side of the diagonal. The matrix is factorised as L D L^T from
 * the root (Golub & Van Loan, Matrix Computations, 4.3). */
#ifndef MOTE_STRANDS_BEND_H
#define MOTE_STRANDS_BEND_H

#include "strands/solve.h"

enum {
    BEND_LOWER = STRAND_COLUMN(bend.lower),
    BEND_OTHER = STRAND_COLUMN(bend.other),
    BEND_VALUE = STRAND_COLUMN(bend.value),
    BEND_TENSION = STRAND_COLUMN(bend.tension),
    BEND_RADIUS = STRAND_COLUMN(bend.radius),
    BEND_STRAIN = STRAND_COLUMN(bend.strain)
};

/* Eliminated row: U = L D of the elements 1 to 3 before the diagonal. */
typedef struct bend_row {
    wide upper[3];
    wide inverse_pivot, value;
} bend_row;

/* Window of the forward elimination: the four rows before the current one, the most recent first, and the
 * vectors of the last three. */
typedef struct bend_sweep {
    bend_row row[4];
    wide3 segment, bend, bend_before; /* d_(k-1), e_(k-1), e_(k-2) */
} bend_sweep;

/* Row of the system. a: elements 1 to 4 before the diagonal, of which the first `count` may differ from 0. L
 * is stored in the columns from `id` on. */
typedef struct bend_system_row {
    wide a[4], diagonal, value;
    wide_mask exists;
    int id, count;
} bend_system_row;

/* Forward elimination of one row (L D L^T). Returns value / pivot. */
MOTE_INLINE wide bend_eliminate(const strand_columns *c, bend_sweep *s, const bend_system_row *row,
                                size_t at) {
    const wide *a = row->a, diagonal = row->diagonal;
    const wide_mask exists = row->exists;
    const int id = row->id, count = row->count;
    wide value = row->value;
    wide reduced_diagonal = diagonal;
    const bend_row *r = s->row;
    /* Elements of U = L D and of L, from the one farthest from the diagonal. */
    wide l4 = count > 3 ? a[3] * r[3].inverse_pivot : (wide){0};
    wide u3 = count > 3 ? a[2] - l4 * r[2].upper[0] : a[2], l3 = u3 * r[2].inverse_pivot;
    wide u2 = (count > 3 ? a[1] - l4 * r[1].upper[1] : a[1]) - l3 * r[1].upper[0],
         l2 = u2 * r[1].inverse_pivot;
    wide u1 = (count > 3 ? a[0] - l4 * r[0].upper[2] : a[0]) - l3 * r[0].upper[1] - l2 * r[0].upper[0];
    /* Pivot and right side. The terms of the previous row come last: its division is waited for. */
    if (count > 3) reduced_diagonal -= l4 * a[3], value -= l4 * r[3].value;
    reduced_diagonal = reduced_diagonal - l3 * u3 - l2 * u2;
    value = value - l3 * r[2].value - l2 * r[1].value;
    wide l1 = u1 * r[0].inverse_pivot, pivot = reduced_diagonal - l1 * u1;
    value = value - l1 * r[0].value;
    l1 = wide_select(exists, l1, (wide){0}),
    l2 = wide_select(exists, l2, (wide){0}); /* 0 x infinity is NaN */
    l3 = wide_select(exists, l3, (wide){0}), l4 = wide_select(exists, l4, (wide){0});
    bend_row own = {{u1, u2, u3}, invert_pivot(pivot, diagonal, exists), value};
    work_store(c, id, at, l1);
    work_store(c, id + 1, at, l2);
    work_store(c, id + 2, at, l3);
    if (count > 3) work_store(c, id + 3, at, l4);
    s->row[3] = s->row[2], s->row[2] = s->row[1], s->row[1] = s->row[0], s->row[0] = own;
    return wide_select(exists, value * own.inverse_pivot, (wide){0});
}

/* Assembles and eliminates the row of segment k; d = x_(k+1) - x_k. */
MOTE_INLINE void bend_segment(const strand_columns *c, const strand_terms *t, bend_sweep *s, wide3 d,
                              uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane), next = at + MOTE_GROUP;
    const wide wa = point_mass(c, at), wb = point_mass(c, next);
    const wide zero = {0};
    const bend_system_row row = {{through_point(c, t, wb, d, s->bend, next),
                                  zero - through_point(c, t, wa, d, s->segment, at),
                                  zero - through_point(c, t, wa, d, s->bend_before, at), zero},
                                 row_diagonal(c, t, d, wa, wb, at),
                                 row_value(c, t, d, at),
                                 lanes_beyond(t->counts, k + 1),
                                 BEND_LOWER,
                                 3};
    const wide value = bend_eliminate(c, s, &row, at);
    work_store(c, WORK_MULTIPLIER, at, value);
}

/* Returns the target length of a bend: rest length + damping term + elastic elongation. */
MOTE_INLINE wide bend_target(const strand_columns *c, const strand_terms *t, size_t at) {
    return wide_load(c->bend_length + at) + t->bend_memory * work_load(c, BEND_STRAIN, at) +
           t->bend_compliance * work_load(c, BEND_TENSION, at);
}

/* Assembles and eliminates the row of bend k; d = x_(k+1) - x_k, e = x_(k+2) - x_k. */
MOTE_INLINE void bend_bend(const strand_columns *c, const strand_terms *t, bend_sweep *s, wide3 d, wide3 e,
                           uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane), second = at + 2 * MOTE_GROUP;
    const wide wa = point_mass(c, at), wc = point_mass(c, second);
    const wide zero = {0};
    wide square = wide3_dot(e, e), r = wide_sqrt(square), diagonal = (wa + wc + t->bend_compliance) * square;
    if (touches(c, t, at)) diagonal -= wa * across_square(c, e, at);
    if (touches(c, t, second)) diagonal -= wc * across_square(c, e, second);
    const bend_system_row row = {{through_point(c, t, wa, e, d, at), zero,
                                  zero - through_point(c, t, wa, e, s->segment, at),
                                  zero - through_point(c, t, wa, e, s->bend_before, at)},
                                 diagonal,
                                 r * (r - bend_target(c, t, at)),
                                 lanes_beyond(t->counts, k + 2),
                                 BEND_OTHER,
                                 4};
    const wide value = bend_eliminate(c, s, &row, at);
    work_store(c, BEND_VALUE, at, value);
    work_store(c, BEND_RADIUS, at, r);
}

/* Forward elimination from the root, in the order d_0 e_0 d_1 e_1 ... */
MOTE_INLINE void bend_down(const strand_columns *c, const strand_terms *t, size_t lane) {
    const wide zero = {0};
    const bend_row none = {{zero, zero, zero}, zero, zero};
    bend_sweep s = {{none, none, none, none}, wide3_zero(), wide3_zero(), wide3_zero()};
    wide3 x = work_load3(c, WORK_X, lane), next = work_load3(c, WORK_X, lane + MOTE_GROUP),
          d = wide3_sub(next, x);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        bend_segment(c, t, &s, d, k, lane);
        if (k + 2 == c->points) return;
        wide3 after = work_load3(c, WORK_X, at + 2 * MOTE_GROUP), e = wide3_sub(after, x);
        bend_bend(c, t, &s, d, e, k, lane);
        s.bend_before = s.bend, s.bend = e, s.segment = d;
        x = next, next = after, d = wide3_sub(next, x);
    }
}

MOTE_INLINE void add_bend_tension(const strand_columns *c, wide_mask live, wide multiplier, size_t at) {
    wide sum = work_load(c, BEND_TENSION, at);
    work_store(c, BEND_TENSION, at, wide_select(live, sum + multiplier * work_load(c, BEND_RADIUS, at), sum));
}

/* Returns the lanes in which bend k from a to b has its target length within max_strain. */
MOTE_INLINE wide_mask bend_is_held(const strand_columns *c, const strand_terms *t, wide3 a, wide3 b,
                                   uint32_t k, size_t lane) {
    const size_t at = strand_at(k, lane);
    wide3 e = wide3_sub(b, a);
    wide_mask near = is_near(wide3_dot(e, e), bend_target(c, t, at),
                             t->slack * wide_load(c->bend_length + at) + t->rounding);
    return near | ~lanes_beyond(t->counts, k + 2);
}

/* Back substitution of one row of k. Returns its multiplier from those of the four rows behind it, the
 * nearest first. L of the rows behind is stored with those rows. */
MOTE_INLINE wide bend_substitute(const strand_columns *c, wide after[4], int id, uint32_t k, bool bend,
                                 size_t lane) {
    const size_t at = strand_at(k, lane);
    wide value = work_load(c, id, at);
    if (bend) { /* rows behind e_k: d_(k+1), e_(k+1), d_(k+2), e_(k+2) */
        if (k + 2 < c->points) value -= work_load(c, BEND_LOWER, at + MOTE_GROUP) * after[0];
        if (k + 3 < c->points) value -= work_load(c, BEND_OTHER + 1, at + MOTE_GROUP) * after[1];
        if (k + 3 < c->points) value -= work_load(c, BEND_LOWER + 2, at + 2 * MOTE_GROUP) * after[2];
        if (k + 4 < c->points) value -= work_load(c, BEND_OTHER + 3, at + 2 * MOTE_GROUP) * after[3];
    } else { /* rows behind d_k: e_k, d_(k+1), e_(k+1); d_(k+2) has no element here */
        if (k + 2 < c->points) value -= work_load(c, BEND_OTHER, at) * after[0];
        if (k + 2 < c->points) value -= work_load(c, BEND_LOWER + 1, at + MOTE_GROUP) * after[1];
        if (k + 3 < c->points) value -= work_load(c, BEND_OTHER + 2, at + MOTE_GROUP) * after[2];
    }
    after[3] = after[2], after[2] = after[1], after[1] = after[0], after[0] = value;
    return value;
}

/* Back substitution from the tip: moves the points and checks lengths. Returns the live lanes that are not
 * yet held. */
MOTE_INLINE wide_mask bend_up(const strand_columns *c, const strand_terms *t, wide_mask live, size_t lane) {
    const uint32_t last = c->points - 1;
    const wide zero = {0};
    wide after[4] = {zero, zero, zero, zero};
    wide3 old_next = work_load3(c, WORK_X, strand_at(last, lane)), old_after = old_next;
    wide3 moved_next = old_next, moved_after = old_next;             /* points k + 3 and k + 4, corrected */
    wide3 impulse_next = wide3_zero(), impulse_after = wide3_zero(); /* correction sums of k + 1 and k + 2 */
    wide_mask held = ~(wide_mask){0};
    for (uint32_t k = last; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        wide3 x = work_load3(c, WORK_X, at), impulse = wide3_zero();
        if (k + 2 <= last) {
            /* Bend k: multiplier mu, and the corrections mu e of the points k and k + 2. */
            wide3 e = wide3_sub(old_after, x);
            wide multiplier = bend_substitute(c, after, BEND_VALUE, k, true, lane);
            wide3 own = wide3_scale(multiplier, e);
            add_bend_tension(c, live, multiplier, at);
            impulse = own;
            impulse_after = wide3_sub(impulse_after, own);
        }
        /* Segment k: multiplier mu, and the corrections mu d of the points k and k + 1. */
        wide3 d = wide3_sub(old_next, x);
        wide multiplier = bend_substitute(c, after, WORK_MULTIPLIER, k, false, lane);
        wide3 own = wide3_scale(multiplier, d);
        add_tension(c, t, live, multiplier, at);
        impulse = wide3_add(impulse, own);
        impulse_next = wide3_sub(impulse_next, own);
        if (k + 2 <= last) {
            /* Point k + 2 has all its corrections: moves it and checks its segment and bend towards the tip.
             */
            wide3 moved = move_point(c, t, live, old_after, impulse_after, k + 2, lane);
            if (k + 3 <= last && stays_put(c, t, k + 2, k + 3))
                held &= is_held(c, t, moved, moved_next, k + 2, lane);
            if (k + 4 <= last && stays_put(c, t, k + 2, k + 4))
                held &= bend_is_held(c, t, moved, moved_after, k + 2, lane);
            moved_after = moved_next, moved_next = moved;
        }
        impulse_after = impulse_next, impulse_next = impulse;
        old_after = old_next, old_next = x;
    }
    /* Corrects and checks the points 1 and 0. */
    for (uint32_t k = 2; k-- > 0;) {
        wide3 moved =
            move_point(c, t, live, k ? old_after : old_next, k ? impulse_after : impulse_next, k, lane);
        if (k + 1 <= last && stays_put(c, t, k, k + 1)) held &= is_held(c, t, moved, moved_next, k, lane);
        if (k + 2 <= last && stays_put(c, t, k, k + 2))
            held &= bend_is_held(c, t, moved, moved_after, k, lane);
        moved_after = moved_next, moved_next = moved;
    }
    return live & ~held;
}

/* One iteration of Newton's method, as newton() without bends. */
MOTE_INLINE wide_mask newton_with_bends(const strand_columns *c, const strand_terms *t, wide_mask live,
                                        size_t lane) {
    bend_down(c, t, lane);
    return bend_up(c, t, live, lane);
}

#endif
