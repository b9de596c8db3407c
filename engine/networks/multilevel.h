/* The preconditioner of networks whose springs all give way: z = D0^-1 r + the sum over levels l of P D_l^-1
 * P^T r, additive multilevel (Bramble, Pasciak & Xu, Math. Comp. 55 (1990) 1). D0: each particle's own 3 x 3
 * block; P: a cluster moves as one; D_l: of each cluster its mass and the springs that leave it, h^2 (along n
 * n^T + across (1 - n n^T)). It is a sum of symmetric positive terms, so it is one itself. With D0 alone the
 * iterations grow with the particles between two pins.
 *
 * Up the levels each cluster sums its children's residuals in their order; down again each adds what its
 * parent moves by. r.z is the sum of each level's own, so it is known on the way up. The levels up to one
 * cluster are all needed: without the topmost a net of 64 x 64 cut short blew up (measured). */
#ifndef MOTE_NETWORKS_MULTILEVEL_H
#define MOTE_NETWORKS_MULTILEVEL_H

#include "networks/dual.h"

/* A symmetric 3 x 3 matrix by its upper triangle: xx, xy, xz, yy, yz, zz. */
typedef struct wide_block {
    wide of[6];
} wide_block;

MOTE_INLINE wide3 wide_block_apply(const wide_block *a, wide3 v) {
    return (wide3){a->of[0] * v.x + a->of[1] * v.y + a->of[2] * v.z,
                   a->of[1] * v.x + a->of[3] * v.y + a->of[4] * v.z,
                   a->of[2] * v.x + a->of[4] * v.y + a->of[5] * v.z};
}

/* Least part of a diagonal entry that elimination may leave: of the entry's own rounding. */
#define NETWORK_LEAST_PIVOT 0x1p-22f

/* From A = L D L^T as L^-T D^-1 L^-1, of which each term is positive whatever was rounded: by cofactors the
 * inverse of a block whose springs are stiff and lie in one direction has any sign (measured: a net of h^2 k
 * / m = 50,000 blew up). Zero where there is none. */
MOTE_INLINE wide_block wide_block_invert(const wide_block *a, wide_mask exists) {
    const wide *m = a->of, zero = {0}, one = wide_set(1.0f), least = wide_set(NETWORK_LEAST_PIVOT);
    const wide x = one / m[0], xy = m[1] * x, xz = m[2] * x;
    const wide y = one / wide_max(m[3] - m[1] * xy, least * m[3]), rest = m[4] - m[1] * xz, yz = rest * y;
    const wide z = one / wide_max(m[5] - m[2] * xz - rest * yz, least * m[5]), far = xy * yz - xz;
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

/* A cluster's vector, and a column of its block, in four floats, whatever the registers hold; the fourth is
 * nothing. Gathers of
 * 4, 8 or 16 lanes were as fast on large islands and took 1.2 times the time on small ones (measured). */
typedef float quad __attribute__((vector_size(16)));

MOTE_INLINE quad quad_load(const float *from) {
    quad value;
    memcpy(&value, from, sizeof value);
    return value;
}

MOTE_INLINE void quad_store(float *to, quad value) { memcpy(to, &value, sizeof value); }

MOTE_INLINE quad network_aggregate_solve(const mote_network_aggregates *of, uint32_t aggregate,
                                         const float r[3]) {
    const float *column = of->block + 12 * (size_t)aggregate;
    return quad_load(column) * r[0] + quad_load(column + 4) * r[1] + quad_load(column + 8) * r[2];
}

/* Residuals of clusters of one level from their children's; level 1: from the slots'. Returns the sum of r
 * D^-1 r. */
MOTE_INLINE float network_restrict(const mote_network *n, const mote_network_scratch *c, bool lowest,
                                   uint32_t first, uint32_t count) {
    const mote_network_aggregates *of = &n->aggregates;
    const float *from = lowest ? network_column(c, NETWORK_PACKED) : of->value;
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

/* From residuals to what clusters move by, with the level above, which is done. */
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

/* What a slot moves by with its clusters. */
MOTE_INLINE quad network_aggregate_shift(const mote_network_aggregates *of, uint32_t slot) {
    const uint32_t aggregate = of->of_slot[slot];
    return aggregate == MOTE_NO_AGGREGATE ? (quad){0} : quad_load(of->value + 4 * (size_t)aggregate);
}

/* A run of slots, into NETWORK_PACKED: each overwrites what the one before it wrote too much; the last writes
 * its own alone. */
MOTE_INLINE void network_prolong(const mote_network *n, const mote_network_scratch *c, uint32_t first,
                                 uint32_t end) {
    float *to = network_column(c, NETWORK_PACKED) + 3 * (size_t)(first - c->first);
    for (uint32_t slot = first; slot + 1 < end; slot++, to += 3)
        quad_store(to, network_aggregate_shift(&n->aggregates, slot));
    const quad last = network_aggregate_shift(&n->aggregates, end - 1);
    memcpy(to, &last, 3 * sizeof(float));
}

/* Whole lane groups of clusters. */
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
