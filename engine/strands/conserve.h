/* Constrained strands that keep their energy. Constraint impulses along the mean of a segment before and
 * after the substep do no work, because |d1|^2 - |d0|^2 = (d1 - d0) . (d1 + d0). With m = (d0 + d1) / 2 and
 * P_k = mu_k m_k - mu_(k-1) m_(k-1):
 *     x1 = x0 + h v0 + h^2 a / 2 + (h / 2) w P,   v1 = v0 + h a + w P,   |d1| = L.
 * Newton's method in mu solves one tridiagonal system per iteration. The linearisation holds m fixed; m is
 * updated from d1 after each iteration. Rigid segments only. After Gonzalez, J. Nonlinear Sci. 6 (1996) 449
 * (discrete derivatives). */
#ifndef MOTE_STRANDS_CONSERVE_H
#define MOTE_STRANDS_CONSERVE_H

#include "strands/work.h"

/* Least number of iterations: with fewer, m lags behind d1. Lengths are solved to the share STRAND_FINE of
 * max_strain, because the remaining error is energy, or to the resolution of float32 for two points at that
 * distance from the origin: 4 roundings of 2^-24 in each coordinate. */
#define STRAND_LEAST_ITERATIONS 3u
#define STRAND_FINE             0.015625f

/* Largest number of subcycles. Where m rotates far in one substep (the whip at the end of a falling strand)
 * the iteration does not contract. The substep is then split into 2, 4, ... subcycles with the same
 * acceleration. */
#define STRAND_MOST_SUBCYCLES 32u

enum {
    CONSERVE_OLD_V = STRAND_COLUMN(conserving.old_v),
    CONSERVE_DV = STRAND_COLUMN(conserving.dv),
    CONSERVE_FROM = STRAND_COLUMN(conserving.from),
    CONSERVE_FROM_V = STRAND_COLUMN(conserving.from_v),
    CONSERVE_GOAL = STRAND_COLUMN(conserve.goal),
    CONSERVE_FREE_X = STRAND_COLUMN(conserve.free_x),
    CONSERVE_FREE_V = STRAND_COLUMN(conserve.free_v),
    CONSERVE_EDGE = STRAND_COLUMN(conserve.edge),
    CONSERVE_MEAN = STRAND_COLUMN(conserve.mean),
    CONSERVE_PULL = STRAND_COLUMN(conserve.pull),
    CONSERVE_IMPULSE = STRAND_COLUMN(conserve.impulse),
    CONSERVE_ERROR = STRAND_COLUMN(conserve.error)
};

/* Prepares a substep: keeps h a, the old velocities and the goals of pinned points. On entry WORK_X and
 * WORK_V hold the prediction, and pinned points are at the end of the substep. */
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

/* Begins an attempt with `subcycles` subcycles. With more than one, the impulses of live strands start from 0
 * instead of those of the previous substep. */
MOTE_INLINE void conserve_attempt(const strand_columns *c, uint32_t subcycles, wide_mask live, size_t lane) {
    for (size_t at = lane; at < strand_at(c->points, lane); at += MOTE_GROUP) {
        work_store3(c, CONSERVE_FROM, at, work_load3(c, WORK_START, at));
        work_store3(c, CONSERVE_FROM_V, at, work_load3(c, CONSERVE_OLD_V, at));
        work_store3(c, CONSERVE_PULL, at, wide3_zero());
        wide impulse = work_load(c, CONSERVE_IMPULSE, at);
        if (subcycles > 1) work_store(c, CONSERVE_IMPULSE, at, wide_select(live, (wide){0}, impulse));
    }
}

/* Begins a subcycle of length h that is the share `part` of the substep and ends at `share` of it: computes
 * the free motion, and starts the means from d0. */
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

/* Computes x1, v1, d1, m and the length errors from the multipliers. Returns the live lanes in which an error
 * exceeds share L^2 and rounding. */
MOTE_INLINE wide_mask conserve_move(const strand_columns *c, wide_mask counts, wide_mask live, float h,
                                    wide share, size_t lane) {
    const wide half = wide_set(0.5f * h), rounding = wide_set(STRAND_ROUNDING);
    wide3 before = wide3_zero(), a = wide3_zero();
    wide_mask wrong = (wide_mask){0};
    for (uint32_t k = 0; k < c->points; k++) {
        const size_t at = strand_at(k, lane), up = at - MOTE_GROUP;
        /* End of the subcycle for point k: free motion plus the impulse w P. */
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
            /* Segment k - 1: d1, m and the length error. */
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

/* Newton's correction of the multipliers. Solves the tridiagonal system: Gaussian elimination from the root
 * (Thomas algorithm), back substitution from the tip. */
MOTE_INLINE void conserve_solve(const strand_columns *c, wide_mask counts, wide_mask live, float h,
                                size_t lane) {
    const wide half = wide_set(0.5f * h);
    wide3 d = wide3_zero(), mean = wide3_zero();
    wide inverse = (wide){0}, value = (wide){0}, wa = point_mass(c, lane);
    for (uint32_t k = 0; k + 1 < c->points; k++) {
        const size_t at = strand_at(k, lane);
        /* Row k of the Jacobian of (|d1|^2 - L^2) / 2 with m held fixed. */
        wide3 d1 = work_load3(c, CONSERVE_EDGE, at), m1 = work_load3(c, CONSERVE_MEAN, at);
        wide wb = point_mass(c, at + MOTE_GROUP), near = half * wa;
        wide above = near * wide3_dot(d, m1) *
                     inverse; /* superdiagonal element of the previous row over its pivot, negated */
        wide left = near * wide3_dot(d1, mean); /* subdiagonal element of this row, negated */
        wide diagonal = half * (wa + wb) * wide3_dot(d1, m1);
        /* Forward elimination; a singular pivot gives no correction. */
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
    /* Back substitution, added to the multipliers. */
    wide change = (wide){0}, coupling = (wide){0};
    for (uint32_t k = c->points - 1; k-- > 0;) {
        const size_t at = strand_at(k, lane);
        change = work_load(c, WORK_MULTIPLIER, at) + coupling * change;
        coupling = k ? work_load(c, WORK_COUPLING, at - MOTE_GROUP) : (wide){0};
        wide sum = work_load(c, CONSERVE_IMPULSE, at);
        work_store(c, CONSERVE_IMPULSE, at, wide_select(live, sum + change, sum));
    }
}

/* Iterates one subcycle; returns the live strands that did not converge. */
MOTE_INLINE wide_mask conserve_iterate(const strand_columns *c, const mote_strands_def *def,
                                       uint32_t *iterations, wide_mask live, float h, size_t lane) {
    const wide_mask counts = wide_mask_load(c->counts + lane);
    const wide share = wide_set(STRAND_FINE * def->max_strain);
    for (uint32_t i = 0;; i++) {
        wide_mask wrong = conserve_move(c, counts, live, h, share, lane);
        live = i < STRAND_LEAST_ITERATIONS && i < def->max_iterations ? live : wrong;
        if (wide_lane_bits(live) == 0 || i >= def->max_iterations) return live;
        count_lanes(iterations, live);
        conserve_solve(c, counts, live, h, lane);
    }
}

/* Ends a subcycle: adds the impulses on pinned points and stores the start of the next subcycle. */
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

/* Runs all subcycles of an attempt; returns the live strands that did not converge in one of them. */
MOTE_INLINE wide_mask conserve_subcycles(const strand_columns *c, const mote_strands_def *def,
                                         uint32_t *iterations, uint32_t subcycles, wide_mask live, double h,
                                         size_t lane) {
    const wide_mask all = live;
    conserve_attempt(c, subcycles, live, lane);
    for (uint32_t i = 0; i < subcycles && wide_lane_bits(live); i++) {
        const float subcycle_h = (float)(h / subcycles);
        conserve_begin(c, subcycle_h, 1.0f / (float)subcycles, (float)(i + 1) / (float)subcycles, lane);
        live &= ~conserve_iterate(c, def, iterations, live, subcycle_h, lane);
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
