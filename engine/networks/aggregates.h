/* Aggregates of the constrained solver: the coarse levels of its preconditioner (networks/multilevel.h).
 * Level 1 joins neighbouring particles of an island, each further level neighbouring aggregates of the level
 * below. A level takes two rounds of matching (pairwise aggregation: Notay, Electron. Trans. Numer. Anal. 37
 * (2010) 123). The first matches each vertex with the unmatched neighbour behind the stiffest springs, the
 * second matches the pairs in the same way, so an aggregate has up to four children. Matching by stiffness
 * divides a net into squares, not strips.
 *
 * Aggregates depend on the island's own graph, in the order of its slots and springs, and on nothing else
 * that could affect its bits. Pinned particles have no aggregate. A vertex without neighbours in its level
 * has no parent. Each level of an island begins at a lane group; all levels together take at most as many
 * lane groups as the island's particles. */
#ifndef MOTE_NETWORKS_AGGREGATES_H
#define MOTE_NETWORKS_AGGREGATES_H

#include "base/compiler.h"

#define MOTE_NO_AGGREGATE       0xffffffffu /* also where there is no child; kernels read it as -1 */
#define MOTE_AGGREGATE_CHILDREN 4

typedef struct mote_network_aggregates {
    uint32_t *of_slot; /* aggregate of level 1 */
    /* By aggregate; slot_count reserved. */
    uint32_t *parent;
    uint32_t *child; /* MOTE_AGGREGATE_CHILDREN of each, without gaps; level 1: slots */
    float *value;    /* 4 of each: residual, then correction; the fourth is unused */
    float *block;    /* 12 of each: inverse of its diagonal 3 x 3 block, columns of 4 */
    float *partial;  /* sums of runs */
    uint32_t *size;  /* by lane group: number of aggregates of the level that begins there */
    /* By island. */
    uint32_t *first; /* first aggregate of level 1 */
    uint32_t *levels;
    double *sparse; /* bound on w^2 (1/s^2) of islands with no more springs than particles; else 0 */
} mote_network_aggregates;

struct mote_network;

/* Finds all aggregates again if they are stale. Allocates nothing: `value`, `block` and the solver's columns
 * of spring ends, which are free between steps, hold the graphs. Order: particles and springs. */
void mote_network_find_aggregates(struct mote_network *network);

#endif
