/* The links of a system, and what a step of the ranges that they join needs. */
#ifndef MOTE_SYSTEM_LINKS_H
#define MOTE_SYSTEM_LINKS_H

#include <mote/link.h>

#include "links/link.h"
#include "networks/kernels.h"
#include "strands/kernels.h"

typedef struct mote_link_state {
    uint32_t serial;  /* the index of its id */
    mote_link link;   /* rest length resolved */
    float impulse[3]; /* N s on a, in the last step */
} mote_link_state;

/* A range's step. kicked: what position Verlet took back of its accelerations before it, s; else 0. */
typedef struct mote_strands_run {
    mote_plan plan;
    mote_strand_job job;
    double kicked;
} mote_strands_run;

typedef struct mote_network_run {
    mote_plan plan;
    mote_network_job job;
    double kicked;
    uint32_t froze;
    float *scratch; /* of its outer blocks, where it is linked */
} mote_network_run;

/* 16 strands that hold linked points. */
typedef struct mote_linked_group {
    uint32_t place, group; /* of the bundle; in it */
    void *memory;
} mote_linked_group;

typedef struct mote_link_list {
    mote_link_state
        *links; /* in the order of addition; MOTE_MAX_LINKS reserved with the first, as what follows */
    uint32_t count, next_link;
    mote_link_run *runs;
    mote_linked_group *groups; /* 2 MOTE_MAX_LINKS */
    uint32_t group_count;
    mote_strands_run *strands_objects; /* by place; of those that are linked */
    mote_network_run *networks;
    void *memory;
    size_t bytes;
    unsigned char *scratch; /* of the linked groups and networks */
    size_t scratch_bytes;
} mote_link_list;

#endif
