/* The preconditioner of networks whose springs all give way: z = D0^-1 r + the sum over levels l of P D_l^-1 P^T r, additive
 * multilevel (Bramble, Pasciak & Xu, Math. Comp. 55 (1990) 1). D0: each particle's own 3 x 3 block; P: a cluster moves as one;
 * D_l: of each cluster its mass and the springs that leave it, h^2 (along n n^T + across (1 - n n^T)). It is a sum of symmetric
 * positive terms, so it is one itself. With D0 alone the iterations grow with the particles between two pins.
 *
 * Up the levels each cluster sums its children's residuals in their order; down again each adds what its parent moves by. r.z is
 * the sum of each level's own, so it is known on the way up. The levels up to one cluster are all needed: without the topmost a
 * net of 64 x 64 cut short blew up (measured). */
#ifndef MOTE_KERNELS_NETWORK_CLUSTERS_H
#define MOTE_KERNELS_NETWORK_CLUSTERS_H

#include "kernels/network_solve.h"

/* A symmetric 3 x 3 matrix by its upper triangle: xx, xy, xz, yy, yz, zz. */
typedef struct wide_block {
    wide of[6];
} wide_block;

MOTE_INLINE wide3 wide_block_apply(const wide_block *a, wide3 v) {
    return (wide3){a->of[0] * v.x + a->of[1] * v.y + a->of[2] * v.z, a->of[1] * v.x + a->of[3] * v.y + a->of[4] * v.z,
                   a->of[2] * v.x + a->of[4] * v.y + a->of[5] * v.z};
}

/* Least part of a diagonal entry that elimination may leave: of the entry's own rounding. */
#define NET_LEAST_PIVOT 0x1p-22f

/* From A = L D L^T as L^-T D^-1 L^-1, of which each term is positive whatever was rounded: by cofactors the inverse of a block
 * whose springs are stiff and lie in one direction has any sign (measured: a net of h^2 k / m = 50,000 blew up). Zero where
 * there is none. */
MOTE_INLINE wide_block wide_block_invert(const wide_block *a, wide_mask exists) {
    const wide *m = a->of, zero = {0}, one = wide_set(1.0f), least = wide_set(NET_LEAST_PIVOT);
    const wide x = one / m[0], xy = m[1] * x, xz = m[2] * x;
    const wide y = one / wide_max(m[3] - m[1] * xy, least * m[3]), rest = m[4] - m[1] * xz, yz = rest * y;
    const wide z = one / wide_max(m[5] - m[2] * xz - rest * yz, least * m[5]), far = xy * yz - xz;
    const wide of[6] = {x + xy * xy * y + far * far * z, zero - xy * y - far * yz * z, far * z,
                        y + yz * yz * z, zero - yz * z, z};
    wide_block inverse;
    wide probe = zero;
    for (int i = 0; i < 6; i++) probe += of[i] * 0.0f;
    const wide_mask regular = exists & wide_equal(probe, zero);
    for (int i = 0; i < 6; i++) inverse.of[i] = wide_select(regular, of[i], zero);
    return inverse;
}

MOTE_INLINE wide_block net_cluster_block(const mote_network_clusters *of, uint32_t at) {
    wide_block a;
    for (int i = 0; i < 6; i++) a.of[i] = wide_load(of->block[i] + at);
    return a;
}

/* from[number - base] in each lane, 0 where the number is none. */
MOTE_INLINE wide3 net_cluster_gather(float *const from[3], const uint32_t *number, int32_t base) {
    int32_t index[MOTE_WIDTH];
    const wide_mask given = wide_mask_load((const int32_t *)(const void *)number), none = given >> 31;
    wide_mask_store(index, (given - base) & ~none);
    const wide3 value = {wide_gather(from[0], index), wide_gather(from[1], index), wide_gather(from[2], index)};
    return wide3_select(none, wide3_zero(), value);
}

/* What a register of slots moves by with its clusters. */
MOTE_INLINE wide3 net_cluster_shift(const mote_network *n, uint32_t slot) {
    return net_cluster_gather(n->clusters.value, n->clusters.of_slot + slot, 0);
}

/* Residuals of clusters of one level from their children's; level 1: from the slots'. Returns the sum of r D^-1 r. */
MOTE_INLINE float net_clusters_sum(const mote_network *n, const mote_network_scratch *c, bool lowest, uint32_t first,
                                   uint32_t end) {
    const mote_network_clusters *of = &n->clusters;
    const int32_t base = lowest ? (int32_t)c->first : 0;
    float *from[3];
    net_sums sums;
    memset(&sums, 0, sizeof sums);
    for (int axis = 0; axis < 3; axis++) from[axis] = lowest ? net_column(c, NET_RESIDUAL + axis) : of->value[axis];
    for (uint32_t at = first; at < end; at += MOTE_WIDTH) {
        wide3 child[MOTE_CLUSTER_CHILDREN];
        for (int k = 0; k < MOTE_CLUSTER_CHILDREN; k++) child[k] = net_cluster_gather(from, of->child[k] + at, base);
        const wide3 r = wide3_add(wide3_add(child[0], child[1]), wide3_add(child[2], child[3]));
        const wide_block inverse = net_cluster_block(of, at);
        wide3_store(of->value, at, r);
        net_gather_sums(&sums, at % MOTE_GROUP, wide3_dot(r, wide_block_apply(&inverse, r)), (wide){0});
    }
    return net_sums_total(&sums).sum;
}

/* From residuals to what clusters move by, with the level above, which is done. */
MOTE_INLINE void net_clusters_move(const mote_network *n, uint32_t first, uint32_t end) {
    const mote_network_clusters *of = &n->clusters;
    for (uint32_t at = first; at < end; at += MOTE_WIDTH) {
        const wide_block inverse = net_cluster_block(of, at);
        const wide3 own = wide_block_apply(&inverse, wide3_load(of->value, at));
        wide3_store(of->value, at, wide3_add(own, net_cluster_gather(of->value, of->parent + at, 0)));
    }
}

MOTE_INLINE void net_clusters_invert(const mote_network *n, uint32_t first, uint32_t end) {
    const mote_network_clusters *of = &n->clusters;
    for (uint32_t at = first; at < end; at += MOTE_WIDTH) {
        const wide_block block = net_cluster_block(of, at);
        const wide_block inverse = wide_block_invert(&block, wide_less((wide){0}, block.of[0]));
        for (int i = 0; i < 6; i++) wide_store(of->block[i] + at, inverse.of[i]);
    }
}

#endif
