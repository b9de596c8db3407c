/* Clusters of the constrained solver: neighbouring particles of an island, then clusters of those, level
 * above level, for its preconditioner (kernels/network_clusters.h). A level pairs all that is below, each
 * with the free neighbour to which the stiffest springs lead, and then the pairs: a cluster has up to four
 * children (pairwise aggregation: Notay, Electron. Trans. Numer. Anal. 37 (2010) 123). By the stiffest, a net
 * falls into squares, not strips.
 *
 * They follow from the island's own graph, in the order of its slots and springs, so that nothing else shows
 * in its bits. What is pinned has no cluster, and what has no neighbours left none above it. Each level of an
 * island begins at a whole lane group; all together take no more of those than its particles do. */
#ifndef MOTE_NETWORKS_AGGREGATES_H
#define MOTE_NETWORKS_AGGREGATES_H

#include "base/compiler.h"

#define MOTE_NO_AGGREGATE       0xffffffffu /* -1 as kernels read it; likewise where there is no child */
#define MOTE_AGGREGATE_CHILDREN 4

typedef struct mote_network_aggregates {
    uint32_t *of_slot; /* the cluster of level 1 */
    /* By cluster; as many as slots are reserved. */
    uint32_t *parent;
    uint32_t *child; /* MOTE_AGGREGATE_CHILDREN of each, without gaps; level 1: slots */
    float *value;    /* 4 of each: residual, then what it moves by; the last is nothing */
    float *block;    /* 12 of each: the inverse of its own 3 x 3 block, columns of 4 */
    float *partial;  /* sums of runs */
    uint32_t *size;  /* by lane group of clusters: how many are in the level that begins there */
    /* By island. */
    uint32_t *first; /* cluster of its level 1 */
    uint32_t *levels;
    double *sparse; /* a bound on w^2 (1/s^2) where it has no more springs than particles; else 0 */
} mote_network_aggregates;

struct mote_network;

/* Finds all aggregates anew where they are stale. Allocates nothing: `value`, `block` and the solver's
 * columns of spring ends, which are free between steps, hold the graphs. Order: particles and springs. */
void mote_network_find_aggregates(struct mote_network *network);

#endif
