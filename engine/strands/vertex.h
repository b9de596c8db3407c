/* Presentation kernels of strands and their arguments. Elements are points: of 16 strands across lanes, point
 * k of lane l at 16 k + l, or of one strand, point k at k. */
#ifndef MOTE_STRANDS_VERTEX_H
#define MOTE_STRANDS_VERTEX_H

#include "strands/strands.h"

/* Layout of a vertex: the float at which each output begins; -1: left out. */
typedef struct mote_strand_vertex {
    bool ribbons;
    bool directed; /* neighbours are read */
    bool framed;   /* the first axis of the frames is the side of ribbons */
    int position, tangent, frame, side, parameter;
    uint32_t floats; /* floats of a point: of one vertex or two */
    float eye[3], root_width, tip_width;
} mote_strand_vertex;

/* Run of `count` elements, a multiple of 16. The neighbours along the strand are `step` elements before and
 * behind; at an end the end itself is repeated there. parameter: u. frame: of each point. */
typedef struct mote_strand_run {
    const float *x[3], *parameter;
    float *frame[4];
    size_t step, count;
} mote_strand_run;

/* Run of points of a follower. Arrays are readable up to a multiple of 16 elements. */
typedef struct mote_follow {
    const float *guide[3][3]; /* guide, axis */
    float weight[2];          /* weights of guides 1 and 2; guide 0 has 1 minus their sum */
    const float *offset[3];   /* offset from the guides' weighted rest places */
    float turn[9];            /* rows of the rotation R */
} mote_follow;

/* Table of kernels, compiled once per instruction set. */
struct mote_strand_present_kernels {
    /* Finds the low parts of the places (stage/place.h) of `count` slots of a group from `slot` on, whole
     * rows of 16. */
    void (*low_places)(const mote_strands *strands, uint32_t group, size_t slot, size_t count,
                       float *const low[3]);
    /* Computes the tangents of a run. */
    void (*tangents)(const mote_strand_run *run, float *const t[3]);
    /* Interpolates the material frames of segments (mote_strand_layout) in `count` slots from `slot` on; not
     * normalised. */
    void (*segment_frames)(const mote_strands *strands, size_t slot, size_t count, float alpha,
                           float *const frame[4]);
    /* Means of the frames of the segments before and behind each point; element i of `segment` is that
     * before point i, element i + 16 that behind it. */
    void (*mean_frames)(float *const segment[4], size_t count, float *const frame[4]);
    /* Turns frames by the smallest rotation that takes their third axis to t (mote_strand_layout). */
    void (*turn_frames)(float *const t[3], size_t count, float *const frame[4]);
    /* Transports frames along 16 strands across lanes: each is the one before, turned so. frame: of the
     * points; carried: of the point before the first, and then of the last. */
    void (*transport_frames)(float *const t[3], size_t count, float *const carried[4], float *const frame[4]);
    /* Writes the floats of 16 elements as rows of 16: float f of element 16 b + l to
     * rows[(floats b + f) 16 + l]. */
    void (*vertices)(const mote_strand_vertex *vertex, const mote_strand_run *run, float *rows);
    /* Transposes rows: float e of to[lane], at any alignment, = rows[16 e + lane] for e < count. */
    void (*transpose)(const float *rows, size_t count, unsigned char *const to[MOTE_GROUP]);
    /* Computes a run of points of a follower; writes `count` rounded up to 16 elements. */
    void (*follow)(const mote_follow *follow, size_t count, float *const out[3]);
};

/* Returns the table of an instruction set, or NULL. */
const mote_strand_present_kernels *mote_strand_present_kernels_for(mote_isa isa);

#endif
