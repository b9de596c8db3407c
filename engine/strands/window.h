/* Window of points of 16 strands, in memory that the nearest cache holds: presented places, their neighbours
 * along the strand, and frames. */
#ifndef MOTE_STRANDS_WINDOW_H
#define MOTE_STRANDS_WINDOW_H

#include "strands/writer.h"

enum {
    MOTE_WINDOW = 32,               /* points in a window at most */
    MOTE_WINDOW_BEFORE = MOTE_GROUP /* elements before the first point; they hold the point before it */
};

/* Points [first, first + count) of a group: point k at 16 (k - first) + lane. */
typedef struct mote_strand_window {
    uint32_t group, first, count;
    const int32_t *points;                                       /* points of each strand */
    MOTE_ALIGNED(64) float x[3][(MOTE_WINDOW + 2) * MOTE_GROUP]; /* from MOTE_WINDOW_BEFORE on */
    MOTE_ALIGNED(64) float tangent[3][MOTE_WINDOW * MOTE_GROUP]; /* where frames are needed */
    MOTE_ALIGNED(64) float segment[4][(MOTE_WINDOW + 1) * MOTE_GROUP];
    MOTE_ALIGNED(64) float frame[4][MOTE_WINDOW * MOTE_GROUP];
    MOTE_ALIGNED(64) float carried[4][MOTE_GROUP]; /* frame of the point before the first */
} mote_strand_window;

/* Sets the group; its first window follows. */
void mote_strand_window_open(mote_strand_window *w, const mote_strands *strands, uint32_t group);

/* Moves to the next window of up to `most` points; false: there is none. */
bool mote_strand_window_next(mote_strand_window *w, const mote_strands *strands, uint32_t most);

/* Loads the window: the places; where the vertices have tangents or frames also the neighbours, with the end
 * repeated where there is none; the frames where they are needed. */
void mote_strand_window_load(mote_strand_window *w, const mote_strand_writer *writer);

/* Returns the arguments of the kernels for the window. */
MOTE_INLINE mote_strand_run mote_strand_window_run(const mote_strand_window *w) {
    return (mote_strand_run){
        .x = {w->x[0] + MOTE_WINDOW_BEFORE, w->x[1] + MOTE_WINDOW_BEFORE, w->x[2] + MOTE_WINDOW_BEFORE},
        .step = MOTE_GROUP,
        .count = (size_t)w->count * MOTE_GROUP};
}

/* --- frames.c --- */

/* Computes the frames of the window's points from its places (mote_strand_layout). */
void mote_strand_window_frames(mote_strand_window *w, const mote_strand_writer *writer);

#endif
