/* Preconditioner of the primal solver: z = D0^-1 r + sum over levels l of P D_l^-1 P^T r, additive multilevel
 * (Bramble, Pasciak & Xu, Math. Comp. 55 (1990) 1). D0: the diagonal 3 x 3 block of each particle. P:
 * prolongation, the same displacement for all particles of an aggregate. D_l: of each aggregate its mass and
 * the springs that leave it, h^2 (along n n^T + across (1 - n n^T)). Each term is symmetric positive, so the
 * sum is too. With D0 only, the number of iterations grows with the number of particles between two pins.
 *
 * Restriction goes up the levels: each aggregate sums its children's residuals, in order. Prolongation goes
 * down: each aggregate adds its parent's correction. r.z is the sum of the levels' own r.z, so it is known
 * after the restriction. All levels up to a single aggregate are needed: without the topmost a net of 64 x 64
 * with few iterations blew up (measured). */
#ifndef MOTE_NETWORKS_MULTILEVEL_H
#define MOTE_NETWORKS_MULTILEVEL_H

#include "networks/dual.h"

/* Symmetric 3 x 3 matrix by its upper triangle: xx, xy, xz, yy, yz, zz. */
typedef struct wide_block {
    wide of[6];
} wide_block;

MOTE_INLINE wide3 wide_block_apply(const wide_block *a, wide3 v) {
    return (wide3){a->of[0] * v.x + a->of[1] * v.y + a->of[2] * v.z,
                   a->of[1] * v.x + a->of[3] * v.y + a->of[4] * v.z,
                   a->of[2] * v.x + a->of[4] * v.y + a->of[5] * v.z};
}

/* Smallest pivot of the elimination as a fraction of its diagonal entry: about the entry's rounding. */
#define NETWORK_LEAST_PIVOT 0x1p-22f

/* Inverts A = L D L^T (LDL^T factorisation) as L^-T D^-1 L^-1, of which each term is positive in spite of
 * rounding. The inverse by cofactors has any sign where a block's springs are stiff and parallel (measured: a
 * net of h^2 k / m = 50,000 blew up). Returns 0 in lanes where `exists` is false or the inverse is not
 * finite. */
MOTE_INLINE wide_block wide_block_invert(const wide_block *a, wide_mask exists) {
    const wide *m = a->of, zero = {0}, one = wide_set(1.0f), least = wide_set(NETWORK_LEAST_PIVOT);
    /* Elimination with bounded pivots: x, y, z are D^-1; xy, xz, yz are L. */
    const wide x = one / m[0], xy = m[1] * x, xz = m[2] * x;
    const wide y = one / wide_max(m[3] - m[1] * xy, least * m[3]), rest = m[4] - m[1] * xz, yz = rest * y;
    const wide z = one / wide_max(m[5] - m[2] * xz - rest * yz, least * m[5]), far = xy * yz - xz;
    /* L^-T D^-1 L^-1. */
    const wide of[6] = {x + xy * xy * y + far * far * z,
                        zero - xy * y - far * yz * z,
                        far * z,
                        y + yz * yz * z,
                        zero - yz * z,
                        z};
    wide_block inverse;
    wide probe = zero;
    for (int i = 0; i < 6; i++) probe += of[i] * 0.0f;
    const wide_mask regular = exists & wide_equal(probe, zero);
    for (int i = 0; i < 6; i++) inverse.of[i] = wide_select(regular, of[i], zero);
    return inverse;
}

/* A vector of an aggregate, or a column of its block, in four floats for every register width; the fourth is
 * unused. Gathers of 4, 8 or 16 lanes were as fast on large islands and took 1.2 times the time on small ones
 * (measured). */
typedef float quad __attribute__((vector_size(16)));

MOTE_INLINE quad quad_load(const float *from) {
    quad value;
    memcpy(&value, from, sizeof value);
    return value;
}

MOTE_INLINE void quad_store(float *to, quad value) { memcpy(to, &value, sizeof value); }

/* D^-1 r of an aggregate. */
MOTE_INLINE quad network_aggregate_solve(const mote_network_aggregates *of, uint32_t aggregate,
                                         const float r[3]) {
    const float *column = of->block + 12 * (size_t)aggregate;
    return quad_load(column) * r[0] + quad_load(column + 4) * r[1] + quad_load(column + 8) * r[2];
}

/* Restricts residuals to one level: sums those of the children, in level 1 those of slots. Returns the sum of
 * r D^-1 r. */
MOTE_INLINE float network_restrict(const mote_network *n, const mote_network_scratch *c, bool lowest,
                                   uint32_t first, uint32_t count) {
    const mote_network_aggregates *of = &n->aggregates;
    const float *from = lowest ? network_column(c, COLUMN(packed)) : of->value;
    const uint32_t base = lowest ? c->first : 0, stride = lowest ? 3 : 4;
    quad sum = {0};
    for (uint32_t at = first; at < first + count; at++) {
        const uint32_t *child = of->child + MOTE_AGGREGATE_CHILDREN * (size_t)at;
        quad r = quad_load(from + stride * (size_t)(child[0] - base));
        for (int k = 1; k < MOTE_AGGREGATE_CHILDREN && child[k] != MOTE_NO_AGGREGATE; k++)
            r += quad_load(from + stride * (size_t)(child[k] - base));
        float *value = of->value + 4 * (size_t)at;
        quad_store(value, r);
        sum += r * network_aggregate_solve(of, at, value);
    }
    return sum[0] + sum[1] + sum[2];
}

/* Corrections of one level from its residuals: z = D^-1 r + correction of the parent, whose level is
 * complete. */
MOTE_INLINE void network_correct(const mote_network *n, uint32_t first, uint32_t count) {
    const mote_network_aggregates *of = &n->aggregates;
    for (uint32_t at = first; at < first + count; at++) {
        float *value = of->value + 4 * (size_t)at;
        const uint32_t parent = of->parent[at];
        quad z = network_aggregate_solve(of, at, value);
        if (parent != MOTE_NO_AGGREGATE) z += quad_load(of->value + 4 * (size_t)parent);
        quad_store(value, z);
    }
}

/* Returns the correction of a slot by all levels. */
MOTE_INLINE quad network_aggregate_shift(const mote_network_aggregates *of, uint32_t slot) {
    const uint32_t aggregate = of->of_slot[slot];
    return aggregate == MOTE_NO_AGGREGATE ? (quad){0} : quad_load(of->value + 4 * (size_t)aggregate);
}

/* Prolongs the corrections to a run of slots, into COLUMN(packed). Stores of four floats spill into the next
 * slot, which is stored after; the last slot stores three. */
MOTE_INLINE void network_prolong(const mote_network *n, const mote_network_scratch *c, uint32_t first,
                                 uint32_t end) {
    float *to = network_column(c, COLUMN(packed)) + 3 * (size_t)(first - c->first);
    for (uint32_t slot = first; slot + 1 < end; slot++, to += 3)
        quad_store(to, network_aggregate_shift(&n->aggregates, slot));
    const quad last = network_aggregate_shift(&n->aggregates, end - 1);
    memcpy(to, &last, 3 * sizeof(float));
}

/* Inverts the blocks of whole lane groups of aggregates. */
MOTE_INLINE void network_invert_aggregates(const mote_network *n, uint32_t first, uint32_t count) {
    float column[6][MOTE_WIDTH];
    for (uint32_t at = first; at < first + count; at += MOTE_WIDTH) {
        float *to = n->aggregates.block + 12 * (size_t)at;
        wide_block block;
        for (int i = 0; i < 6 * MOTE_WIDTH; i++) column[i % 6][i / 6] = to[i / 6 * 12 + i % 6];
        for (int i = 0; i < 6; i++) block.of[i] = wide_load(column[i]);
        const wide_block inverse = wide_block_invert(&block, wide_less((wide){0}, block.of[0]));
        for (int i = 0; i < 6; i++) wide_store(column[i], inverse.of[i]);
        for (int i = 0; i < MOTE_WIDTH; i++, to += 12) {
            const float all[12] = {column[0][i], column[1][i], column[2][i], 0,
                                   column[1][i], column[3][i], column[4][i], 0,
                                   column[2][i], column[4][i], column[5][i], 0};
            memcpy(to, all, sizeof all);
        }
    }
}

#endif
