/* Arguments of the presentation kernels. Elements are points: of 16 strands across lanes, point k of lane l
 * at 16 k + l, or of one strand, point k at k. */
#ifndef MOTE_STRANDS_VERTEX_H
#define MOTE_STRANDS_VERTEX_H

#include "base/compiler.h"

/* Layout of a vertex: the float at which each output begins; -1: left out. */
typedef struct mote_strand_vertex {
    bool ribbons;
    bool directed; /* neighbours are read */
    int position, tangent, side, parameter;
    uint32_t floats; /* floats of a point: of one vertex or two */
    float eye[3], root_width, tip_width;
} mote_strand_vertex;

/* Run of `count` elements, a multiple of 16. The neighbours along the strand are `step` elements before and
 * behind; at an end the end itself is repeated there. parameter: u. */
typedef struct mote_strand_run {
    const float *x[3], *parameter;
    size_t step, count;
} mote_strand_run;

/* Run of points of a follower. Arrays are readable up to a multiple of 16 elements. */
typedef struct mote_follow {
    const float *guide[3][3]; /* guide, axis */
    float weight[2];          /* weights of guides 1 and 2; guide 0 has 1 minus their sum */
    const float *offset[3];   /* offset from the guides' weighted rest places */
    float turn[9];            /* rows of the rotation R */
} mote_follow;

#endif
