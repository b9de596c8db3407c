/* Links: springs between points of ranges that are stepped together. They are evaluated one after the other,
 * in the order in which they were added, so that the sums of a point have one order for any number of
 * workers. */
#ifndef MOTE_LINKS_LINK_H
#define MOTE_LINKS_LINK_H

#include "base/compiler.h"
#include "stage/plan.h"

/* One end, while its range is stepped. */
typedef struct mote_link_point {
    const float *x[3], *v[3];
    float *force[3];       /* N: cleared at each stage */
    float *reaction[3];    /* N s; NULL where the point may move */
    const mote_plan *plan; /* of its range */
} mote_link_point;

/* A link in a step. F = (k (|d| - L) + c d'.n) n on a, -F on b, d = b - a, n = d / |d|. */
typedef struct mote_link_run {
    mote_link_point a, b;
    float rest_length, stiffness, damping;
    bool slack; /* an end is frozen: it pulls at nothing */
    bool held;  /* evaluated at the substep's start and held through it: ends with different stages */
    float force[3], impulse[3]; /* N, at the last evaluation; N s, of the step */
} mote_link_run;

/* force = F. */
void mote_link_evaluate(mote_link_run *link);

/* Stage `stage` of a substep, all ranges ready for it: evaluates, and adds to the ends that have such a
 * stage. */
void mote_links_pull(mote_link_run *links, uint32_t count, uint32_t stage);

#endif
