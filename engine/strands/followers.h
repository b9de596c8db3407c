/* Followers: columns and calls that their creation and their presentation share. */
#ifndef MOTE_STRANDS_FOLLOWERS_H
#define MOTE_STRANDS_FOLLOWERS_H

#include <mote/followers.h>

#include "strands/window.h"

struct mote_followers {
    mote_allocator allocator;
    mote_strands_id strands;
    uint64_t stamp;         /* stamp of the strands for which the offsets are valid */
    uint32_t count, points; /* points: of every follower, guides are resampled to them; 0: each its own */
    uint32_t guide_count;   /* strands, each a possible guide */
    uint32_t *first_point;  /* count + 1 entries */
    uint32_t *guide[MOTE_GUIDES]; /* strands; MOTE_NO_GUIDE in unused entries */
    float *weight[MOTE_GUIDES];
    float *offset[3];   /* by point: r(s) - sum of w G(s); MOTE_GROUP extra elements */
    float *guide_x;     /* gathered guides: three columns of `stride` floats per strand */
    float *guide_frame; /* gathered frames of their points: four columns per strand */
    float *turn;        /* rotations R: nine floats per strand */
    size_t stride;      /* floats of a column: the points' lane groups and one more */
    void *memory;       /* memory of all columns */
    size_t bytes;
};

/* Place of point j of n on a strand of m points: at `fraction` between its points `point` and `next`. */
typedef struct mote_strand_place {
    uint32_t point, next;
    float fraction;
} mote_strand_place;

MOTE_INLINE mote_strand_place mote_strand_place_of(uint32_t j, uint32_t n, uint32_t m) {
    const uint32_t at = j * (m - 1), point = at / (n - 1);
    return (mote_strand_place){point, point + 1 < m ? point + 1 : point,
                               (float)(at % (n - 1)) / (float)(n - 1)};
}

MOTE_INLINE uint32_t mote_followers_points(const mote_followers *followers, uint32_t follower) {
    return followers->first_point[follower + 1] - followers->first_point[follower];
}

/* Creates followers; *followers is unchanged with an error. Errors: those of mote_followers_create that
 * concern the def, OVERFLOW, MEMORY. */
mote_result mote_followers_make(const mote_strands *strands, const mote_followers_def *def,
                                const mote_allocator *allocator, const mote_jobs *jobs,
                                mote_followers **followers, mote_strands_fault *fault);

/* Writes the vertices. Errors: ID where they were made for other strands; the others of
 * mote_followers_present. */
mote_result mote_followers_write(mote_followers *followers, const mote_strands *strands,
                                 const mote_presentation *by, const mote_strand_layout *layout,
                                 void *vertices, size_t bytes);

#endif
