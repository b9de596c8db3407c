/* Sums in an order that no number of workers changes: within a chunk of 1,024 items as its function adds
 * them, then a binary tree over the chunks of a segment, then over the segments, whose number depends only on
 * the count. */
#ifndef MOTE_SYSTEM_SUMS_H
#define MOTE_SYSTEM_SUMS_H

#include "system/internal.h"

/* Of particles. Others give the places their own meaning. */
enum {
    MOTE_SUM_MASS,
    MOTE_SUM_KINETIC,
    MOTE_SUM_POTENTIAL,
    MOTE_SUM_MOMENTUM,
    MOTE_SUM_ANGULAR = MOTE_SUM_MOMENTUM + 3,
    MOTE_SUMS = MOTE_SUM_ANGULAR + 3
};

typedef struct mote_sums {
    double of[MOTE_SUMS];
} mote_sums;

/* Items [first, end) of a chunk; `first` is a multiple of MOTE_SUM_CHUNK. */
#define MOTE_SUM_CHUNK 1024u
typedef mote_sums mote_sum_chunk(const void *context, size_t first, size_t end);

void mote_sums_add(mote_sums *to, const mote_sums *more);

/* The 16 lanes of a chunk, by halves. */
mote_sums mote_sums_of_lanes(mote_sums lane[MOTE_GROUP]);

/* Over items [0, count). */
mote_sums mote_sum_range(const mote_jobs *jobs, size_t count, mote_sum_chunk *chunk, const void *context);

/* Of the springs of a network: MOTE_SUM_ELASTIC (J), and behind it two sums of network_statistics.c's own. */
enum { MOTE_SUM_ELASTIC };
mote_sums mote_system_sum_springs(const mote_system *system, const mote_network *network);

/* Of the free particles of a network, in the host's numbering, with the columns' velocities. */
mote_sums mote_system_sum_network(const mote_system *system, const mote_network *network);

#endif
