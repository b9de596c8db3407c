/* Links: springs between points of ranges. Linked ranges run each phase in lockstep. Links are evaluated one
 * after another in the order of addition, so that the forces on a point are summed in the same order for any
 * number of workers. */
#ifndef MOTE_LINKS_LINKS_H
#define MOTE_LINKS_LINKS_H

#include "base/id_list.h"
#include "stage/range.h"

#define MOTE_LINK_COOKIE 0x6c696e6bu /* of links */

/* Range and slot of a link's end. */
typedef struct mote_link_site {
    mote_range *range;
    uint32_t slot;
} mote_link_site;

typedef struct mote_link_state {
    mote_link link; /* rest length resolved */
    mote_link_site site[2];
    float impulse[3]; /* N s on a, in the last step */
    /* Data of the current step. */
    mote_range_point point[2];
    float behind[2]; /* s, by which the time of an end's place is before that of the held force */
    bool slack;      /* frozen end: no force */
    bool held;       /* evaluated in the first stage and constant through the substep: the schemes or the
                        times of its ends differ */
    float force[3], sum[3]; /* N, at the last evaluation; N s, of the step so far */
} mote_link_state;

typedef struct mote_link_list {
    mote_id_list list;  /* items: mote_link_state */
    mote_range *linked; /* ranges that have link ends, by next_linked */
    /* Links of a snapshot whose ends have been added; NULL: none. */
    const unsigned char *reserved;
    uint32_t reserved_count;
} mote_link_list;

MOTE_INLINE mote_link_state *mote_link_at(const mote_link_list *links, uint32_t place) {
    return (mote_link_state *)links->list.items + place;
}

/* --- links.c --- */

/* Checks a link whose ends are at the sites, and sets its rest length. Errors: those of mote_system_add_link;
 * *name receives the field. */
mote_result mote_link_resolve(mote_link *link, const mote_link_site site[2], const char **name);

/* Sets the rest length of a link between two sites, and adds its ends. Errors: RANGE, NOT_FINITE, INTEGRATOR,
 * STABILITY, CAPACITY, MEMORY; nothing has then changed. */
mote_result mote_links_reserve(mote_link_list *links, mote_link_state *state,
                               const mote_allocator *allocator);
/* Adds a reserved link, whose ranges have scratch for a step with it. Returns its serial number. */
uint32_t mote_links_append(mote_link_list *links, const mote_link_state *state);
void mote_links_remove(mote_link_list *links, uint32_t place, const mote_allocator *allocator);

/* Removes all links of a range, or all links if the range is NULL. */
void mote_links_drop(mote_link_list *links, const mote_range *range, const mote_allocator *allocator);

/* Adds, settles or removes the ends of a link at its ranges. Error of adding: MEMORY; nothing has then
 * changed. */
mote_result mote_links_add_ends(mote_link_list *links, const mote_link_site site[2],
                                const mote_allocator *allocator);
void mote_links_settle_ends(const mote_link_site site[2]);
void mote_links_remove_ends(mote_link_list *links, const mote_link_site site[2],
                            const mote_allocator *allocator);

/* --- state.c --- */

/* The links of a snapshot: how many, their serial numbers and marks, and how to find their ends. */
typedef struct mote_links_in {
    uint32_t count, next_serial, present_mark, mark;
    mote_result (*find)(const void *system, const mote_link_end *end, mote_link_site *site);
    const void *system;
} mote_links_in;

/* Visits all links. Errors of CHECK: FILE; of RESERVE: MEMORY. */
void mote_links_archive(mote_link_list *links, const mote_links_in *in, mote_archive *a);

/* --- step.c --- */

/* Runs a step of all linked ranges. */
void mote_links_step(mote_link_list *links, const mote_step *step);

#endif
