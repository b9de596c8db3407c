/* Sums in an order that no number of workers changes: within a chunk of 1,024 items as its function adds
 * them, then a binary tree over the chunks of a segment, then over the segments, whose number depends only on
 * the count. */
#ifndef MOTE_STAGE_SUMS_H
#define MOTE_STAGE_SUMS_H

#include <mote/jobs.h>
#include <mote/system.h>

#include "base/compiler.h"
#include "stage/plan.h"

/* Places of the sums over points. The last two are for the springs of a kind. */
enum {
    MOTE_SUM_MASS,
    MOTE_SUM_KINETIC,
    MOTE_SUM_POTENTIAL,
    MOTE_SUM_MOMENTUM,
    MOTE_SUM_ANGULAR = MOTE_SUM_MOMENTUM + 3,
    MOTE_SUM_ELASTIC = MOTE_SUM_ANGULAR + 3, /* J */
    MOTE_SUM_STRAIN,                         /* magnitudes of strains */
    MOTE_SUM_STRAINED,                       /* springs that have a strain */
    MOTE_SUMS
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

/* Adds a point of a mass (kg) at x (m) with velocity v (m/s), and its potential under the forces of the plan.
 * anchor: the particle's, or NULL. */
void mote_sums_add_point(mote_sums *to, const mote_plan_def *field, const double x[3], const double v[3],
                         const double *anchor, double mass);

/* The sums as the host sees them. */
mote_statistics mote_sums_statistics(const mote_sums *sums);

#endif
