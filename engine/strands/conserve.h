/* Constrained strands that keep their energy: constraint impulses along the mean of a segment before and
 * after the substep do no work, because |d1|^2 - |d0|^2 = (d1 - d0) . (d1 + d0). With m = (d0 + d1) / 2 and
 * P_k = mu_k m_k - mu_(k-1) m_(k-1):
 *     x1 = x0 + h v0 + h^2 a / 2 + (h / 2) w P,   v1 = v0 + h a + w P,   |d1| = L.
 * Newton's method in mu, one tridiagonal system an iteration; m follows d1. Rigid segments only. After
 * Gonzalez, J. Nonlinear Sci. 6 (1996) 449 (discrete derivatives). */
#ifndef MOTE_STRANDS_CONSERVE_H
#define MOTE_STRANDS_CONSERVE_H

#include "strands/work.h"

/* Fewer iterations leave m behind. Lengths are solved to a part of max_stretch, because what is left is
 * energy, or to what float32 can tell of two points that far from the origin: 4 roundings of 2^-24 in each
 * coordinate. */
#define STRAND_LEAST_ITERATIONS 3u
#define STRAND_FINE             0.015625f

/* Where m turns far in one substep (the whip at the end of a falling strand) the iteration does not contract:
 * the substep is cut into 2, 4, ... this many pieces with the same acceleration. */
#define STRAND_MOST_SUBCYCLES 32u

enum {
    CONSERVE_OLD_V = WORK_CARRY,           /* 3: at the substep's start */
    CONSERVE_DV = CONSERVE_OLD_V + 3,      /* 3: h a */
    CONSERVE_FROM = CONSERVE_DV + 3,       /* 3: position at the piece's start */
    CONSERVE_FROM_V = CONSERVE_FROM + 3,   /* 3 */
    CONSERVE_GOAL = WORK_OTHER,            /* 3: where what is pinned comes to */
    CONSERVE_FREE_X = CONSERVE_GOAL + 3,   /* 3: at the piece's end, without constraints */
    CONSERVE_FREE_V = CONSERVE_FREE_X + 3, /* 3 */
    CONSERVE_EDGE = CONSERVE_FREE_V + 3,   /* 3: d1 */
    CONSERVE_MEAN = CONSERVE_EDGE + 3,     /* 3: m */
    CONSERVE_PULL = CONSERVE_MEAN + 3,     /* 3: P on what is pinned, of all pieces */
    CONSERVE_IMPULSE = CONSERVE_PULL + 3,  /* mu, kept from substep to substep */
    CONSERVE_ERROR,                        /* (|d1|^2 - L^2) / 2 */
    CONSERVE_END
};
_Static_assert((int)CONSERVE_END <= (int)WORK_POSE && (int)CONSERVE_FROM_V + 3 <= (int)WORK_ACCELERATION,
               "the scratch has room");

/* Before the first attempt: the prediction is in WORK_X and WORK_V, and what is pinned stands where it
 * shall. */
MOTE_INLINE void conserve_prepare(const strand_columns *c, bool first, size_t lane) {
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        wide3 v0 = work_load3(c, CONSERVE_OLD_V, at), v = work_load3(c, WORK_V, at);
        wide_mask free = wide_less((wide){0}, point_mass(c, at));
        work_store3(c, CONSERVE_DV, at, wide3_select(free, wide3_sub(v, v0), wide3_zero()));
        work_store3(c, CONSERVE_OLD_V, at, wide3_select(free, v0, v));
        work_store3(c, CONSERVE_GOAL, at, work_load3(c, WORK_X, at));
        if (first) work_store(c, CONSERVE_IMPULSE, at, (wide){0});
    }
}

/* An attempt with `pieces` pieces, of the live strands. */
MOTE_INLINE void conserve_attempt(const strand_columns *c, uint32_t subcycles, wide_mask live, size_t lane) {
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        work_store3(c, CONSERVE_FROM, at, work_load3(c, WORK_START, at));
        work_store3(c, CONSERVE_FROM_V, at, work_load3(c, CONSERVE_OLD_V, at));
        work_store3(c, CONSERVE_PULL, at, wide3_zero());
        wide impulse = work_load(c, CONSERVE_IMPULSE, at);
        if (subcycles > 1) work_store(c, CONSERVE_IMPULSE, at, wide_select(live, (wide){0}, impulse));
    }
}

/* A piece that ends at `share` of the substep: the free motion, and the segments that it starts with. */
MOTE_INLINE void conserve_begin(const strand_columns *c, float h, float part, float share, size_t lane) {
    const wide half = wide_set(0.5f * h);
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        size_t next = at + MOTE_GROUP < strand_at(c->points, lane) ? at + MOTE_GROUP : at;
        wide3 from = work_load3(c, CONSERVE_FROM, at), v0 = work_load3(c, CONSERVE_FROM_V, at);
        wide3 start = work_load3(c, WORK_START, at);
        wide3 v = wide3_add_scaled(v0, wide_set(part), work_load3(c, CONSERVE_DV, at));
        wide3 x = wide3_add_scaled(from, half, wide3_add(v0, v));
        wide3 carried =
            wide3_add_scaled(start, wide_set(share), wide3_sub(work_load3(c, CONSERVE_GOAL, at), start));
        work_store3(c, CONSERVE_FREE_X, at,
                    wide3_select(wide_less((wide){0}, point_mass(c, at)), x, carried));
        work_store3(c, CONSERVE_FREE_V, at, v);
        work_store3(c, CONSERVE_MEAN, at, wide3_sub(work_load3(c, CONSERVE_FROM, next), from));
    }
}

/* x1, v1, d1, m and the errors for the multipliers; returns the live lanes in which an error exceeds share
 * L^2 and rounding. */
MOTE_INLINE wide_mask conserve_move(const strand_columns *c, wide_mask counts, wide_mask live, float h,
                                    wide share, size_t lane) {
    const wide half = wide_set(0.5f * h), rounding = wide_set(STRAND_ROUNDING);
    wide3 before = wide3_zero(), a = wide3_zero();
    wide_mask wrong = (wide_mask){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane), up = at - MOTE_GROUP;
        wide_mask segment = lanes_beyond(counts, k + 1);
        wide3 mean = work_load3(c, CONSERVE_MEAN, at);
        wide3 pull = wide3_scale(wide_select(segment, work_load(c, CONSERVE_IMPULSE, at), (wide){0}), mean);
        wide3 kick = wide3_scale(point_mass(c, at), wide3_sub(pull, before));
        wide3 x = wide3_add_scaled(work_load3(c, CONSERVE_FREE_X, at), half, kick);
        wide3 v = wide3_add(work_load3(c, CONSERVE_FREE_V, at), kick);
        x = wide3_select(live, x, work_load3(c, WORK_X, at));
        work_store3(c, WORK_X, at, x);
        work_store3(c, WORK_V, at, wide3_select(live, v, work_load3(c, WORK_V, at)));
        if (k) {
            wide length = work_load(c, WORK_LENGTH, up), square = length * length;
            wide3 d = wide3_sub(x, a),
                  d0 = wide3_sub(work_load3(c, CONSERVE_FROM, at), work_load3(c, CONSERVE_FROM, up));
            wide error = wide_set(0.5f) * (wide3_dot(d, d) - square);
            work_store3(c, CONSERVE_EDGE, up, d);
            work_store3(c, CONSERVE_MEAN, up,
                        wide3_select(live, wide3_scale(wide_set(0.5f), wide3_add(d0, d)),
                                     work_load3(c, CONSERVE_MEAN, up)));
            work_store(c, CONSERVE_ERROR, up, error);
            wide allowed =
                share * square + rounding * length * (wide_abs(x.x) + wide_abs(x.y) + wide_abs(x.z));
            wrong |=
                lanes_beyond(counts, k) & ~wide_less(wide_abs(error), allowed) & wide_less((wide){0}, length);
        }
        before = pull;
        a = x;
    }
    return live & wrong;
}

/* Newton's correction of the multipliers: elimination from the root, substitution from the tip. */
MOTE_INLINE void conserve_solve(const strand_columns *c, wide_mask counts, wide_mask live, float h,
                                size_t lane) {
    const wide half = wide_set(0.5f * h);
    wide3 d = wide3_zero(), mean = wide3_zero();
    wide inverse = (wide){0}, value = (wide){0}, wa = point_mass(c, lane);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        wide3 d1 = work_load3(c, CONSERVE_EDGE, at), m1 = work_load3(c, CONSERVE_MEAN, at);
        wide wb = point_mass(c, at + MOTE_GROUP), near = half * wa;
        wide above = near * wide3_dot(d, m1) *
                     inverse; /* minus the row before's element to the right, over its pivot */
        wide left = near * wide3_dot(d1, mean); /* minus this row's element to the left */
        wide diagonal = half * (wa + wb) * wide3_dot(d1, m1);
        wide pivot = diagonal - left * above;
        wide_mask regular =
            lanes_beyond(counts, k + 1) & wide_less(wide_set(1e-6f) * wide_abs(diagonal), wide_abs(pivot));
        above = wide_select(lanes_beyond(counts, k + 1), above, (wide){0});
        if (k) work_store(c, WORK_COUPLING, at - MOTE_GROUP, above);
        inverse = wide_select(regular, wide_set(1.0f) / pivot, (wide){0});
        value = (work_load(c, CONSERVE_ERROR, at) + left * value) * inverse;
        value = wide_select(lanes_beyond(counts, k + 1), value, (wide){0});
        work_store(c, WORK_MULTIPLIER, at, value);
        d = d1, mean = m1, wa = wb;
    }
    wide change = (wide){0}, coupling = (wide){0};
    for (uint32_t k = c->points - 1; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        change = work_load(c, WORK_MULTIPLIER, at) + coupling * change;
        coupling = k ? work_load(c, WORK_COUPLING, at - MOTE_GROUP) : (wide){0};
        wide sum = work_load(c, CONSERVE_IMPULSE, at);
        work_store(c, CONSERVE_IMPULSE, at, wide_select(live, sum + change, sum));
    }
}

/* Iterates one piece; returns the live strands for which it found nothing. */
MOTE_INLINE wide_mask conserve_iterate(const strand_columns *c, const mote_strands_def *def,
                                       uint32_t *iterations, wide_mask live, float h, size_t lane) {
    const wide_mask counts = wide_mask_load(c->counts + lane);
    const wide share = wide_set(STRAND_FINE * def->max_stretch);
    for (uint32_t i = 0;; i++) {
        wide_mask wrong = conserve_move(c, counts, live, h, share, lane);
        live = i < STRAND_LEAST_ITERATIONS && i < def->max_iterations ? live : wrong;
        if (wide_lane_bits(live) == 0 || i >= def->max_iterations) return live;
        count_lanes(iterations, live);
        conserve_solve(c, counts, live, h, lane);
    }
}

/* The piece has ended: what the strand gave to what is pinned, and the start of the next one. */
MOTE_INLINE void conserve_end(const strand_columns *c, wide_mask live, size_t lane) {
    wide3 before = wide3_zero();
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane);
        wide3 pull = wide3_scale(work_load(c, CONSERVE_IMPULSE, at), work_load3(c, CONSERVE_MEAN, at));
        wide_mask pinned = live & wide_equal(point_mass(c, at), (wide){0});
        wide3 sum = work_load3(c, CONSERVE_PULL, at);
        work_store3(c, CONSERVE_PULL, at, wide3_select(pinned, wide3_add(sum, wide3_sub(pull, before)), sum));
        work_store3(c, CONSERVE_FROM, at,
                    wide3_select(live, work_load3(c, WORK_X, at), work_load3(c, CONSERVE_FROM, at)));
        work_store3(c, CONSERVE_FROM_V, at,
                    wide3_select(live, work_load3(c, WORK_V, at), work_load3(c, CONSERVE_FROM_V, at)));
        before = pull;
    }
}

/* All pieces of an attempt; returns the live strands that failed in one of them. */
MOTE_INLINE wide_mask conserve_subcycles(const strand_columns *c, const mote_strands_def *def,
                                         uint32_t *iterations, uint32_t subcycles, wide_mask live, double h,
                                         size_t lane) {
    const wide_mask all = live;
    conserve_attempt(c, subcycles, live, lane);
    for (uint32_t i = 0; i < subcycles && wide_lane_bits(live); i++) {
        const float piece = (float)(h / subcycles);
        conserve_begin(c, piece, 1.0f / (float)subcycles, (float)(i + 1) / (float)subcycles, lane);
        live &= ~conserve_iterate(c, def, iterations, live, piece, lane);
        conserve_end(c, live, lane);
    }
    for (size_t at = lane; at < strand_at(c->pins ? c->points : 1, lane); at += MOTE_GROUP) {
        wide3 sum = work_load3(c, WORK_REACTION, at);
        work_store3(c, WORK_REACTION, at,
                    wide3_select(live, wide3_add(sum, work_load3(c, CONSERVE_PULL, at)), sum));
    }
    return all & ~live;
}

#endif
