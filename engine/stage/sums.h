/* Sums in an order that does not depend on the number of workers. Within a chunk of 1,024 items the chunk's
 * function sets the order; then a binary tree over the chunks of a segment, then one over the segments. The
 * division into segments depends only on the count. */
#ifndef MOTE_STAGE_SUMS_H
#define MOTE_STAGE_SUMS_H

#include <mote/jobs.h>
#include <mote/system.h>

#include "base/compiler.h"
#include "stage/plan.h"

/* Indices of the sums over points. The last two are for the springs of a kind. */
enum {
    MOTE_SUM_MASS,
    MOTE_SUM_KINETIC,
    MOTE_SUM_POTENTIAL,
    MOTE_SUM_MOMENTUM,
    MOTE_SUM_ANGULAR = MOTE_SUM_MOMENTUM + 3,
    MOTE_SUM_ELASTIC = MOTE_SUM_ANGULAR + 3, /* J */
    MOTE_SUM_STRAIN,                         /* sum of |strain| */
    MOTE_SUM_STRAINED,                       /* number of springs that have a strain */
    MOTE_SUMS
};

typedef struct mote_sums {
    double of[MOTE_SUMS];
    double max_strain;
} mote_sums;

/* Sums items [first, end) of a chunk; `first` is a multiple of MOTE_SUM_CHUNK. */
#define MOTE_SUM_CHUNK 1024u
typedef mote_sums mote_sum_chunk(const void *context, size_t first, size_t end);

void mote_sums_add(mote_sums *to, const mote_sums *more);

/* Sums the 16 lanes of a chunk by halving. */
mote_sums mote_sums_of_lanes(mote_sums lane[MOTE_GROUP]);

/* Sums items [0, count). */
mote_sums mote_sum_range(const mote_jobs *jobs, size_t count, mote_sum_chunk *chunk, const void *context);

/* Adds a point of a mass (kg) at x (m) with velocity v (m/s), and its potential under the forces of the plan.
 * anchor: the particle's, or NULL. */
void mote_sums_add_point(mote_sums *to, const mote_plan_def *field, const double x[3], const double v[3],
                         const double *anchor, double mass);

/* Returns the energy of a spring, E = k (l - L)^2 / 2, J. */
MOTE_INLINE double mote_elastic_energy(double stiffness, double length, double rest_length) {
    return 0.5 * stiffness * ((length - rest_length) * (length - rest_length));
}

/* Returns |l / L - 1|; 0 without a rest length. */
MOTE_INLINE double mote_strain(double length, double rest_length) {
    if (!(rest_length > 0)) return 0;
    const double strain = length / rest_length - 1;
    return strain < 0 ? -strain : strain;
}

/* Adds the strain of a spring or segment, unless it has no rest length. */
MOTE_INLINE void mote_sums_add_strain(mote_sums *to, double length, double rest_length) {
    const double strain = mote_strain(length, rest_length);
    if (strain > to->max_strain) to->max_strain = strain;
    to->of[MOTE_SUM_STRAIN] += strain;
    to->of[MOTE_SUM_STRAINED] += rest_length > 0;
}

/* Converts the sums to the statistics that the host receives. */
mote_statistics mote_sums_statistics(const mote_sums *sums);

#endif
