/* Links: springs between points of ranges. Linked ranges run each phase in lockstep. Links are evaluated one
 * after the other, in the order in which they were added, so that the sums of a point have one order for any
 * number of workers. */
#ifndef MOTE_LINKS_LINKS_H
#define MOTE_LINKS_LINKS_H

#include "base/id_list.h"
#include "stage/range.h"

/* Where an end is. */
typedef struct mote_link_site {
    mote_range *range;
    uint32_t slot;
} mote_link_site;

typedef struct mote_link_state {
    mote_link link; /* rest length resolved */
    mote_link_site site[2];
    float impulse[3]; /* N s on a, in the last step */
    /* Of the step being run. */
    mote_range_point point[2];
    bool slack; /* an end is frozen: no force */
    bool held;  /* evaluated at the substep's start and held through it: its ends have different stages */
    float force[3], sum[3]; /* N, at the last evaluation; N s, of the step so far */
} mote_link_state;

typedef struct mote_link_list {
    mote_id_list list;  /* of mote_link_state */
    mote_range *linked; /* the ranges at their ends, by next_linked */
} mote_link_list;

MOTE_INLINE mote_link_state *mote_link_at(const mote_link_list *links, uint32_t place) {
    return (mote_link_state *)links->list.items + place;
}

/* --- links.c --- */

/* Adds a link between two sites; gives it its rest length. RANGE, NOT_FINITE, INTEGRATOR, STABILITY,
 * CAPACITY, MEMORY: nothing has changed. */
mote_result mote_links_add(mote_link_list *links, const mote_link *link, const mote_link_site site[2],
                           const mote_allocator *allocator, uint32_t *serial);
void mote_links_remove(mote_link_list *links, uint32_t place, const mote_allocator *allocator);

/* Removes all links of a range, or all of them where that is NULL. */
void mote_links_drop(mote_link_list *links, const mote_range *range, const mote_allocator *allocator);

/* --- step.c --- */

/* Takes all linked ranges through a step. */
void mote_links_step(mote_link_list *links, const mote_step *step);

#endif
