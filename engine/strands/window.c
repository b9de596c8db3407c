/* Windows of presented strands: places, and their neighbours. */
#include "strands/window.h"

#include <string.h>

void mote_strand_window_open(mote_strand_window *w, const mote_strands *strands, uint32_t group) {
    w->group = group;
    w->first = w->count = 0;
    w->points = strands->points + (size_t)group * MOTE_GROUP;
}

bool mote_strand_window_next(mote_strand_window *w, const mote_strands *strands, uint32_t most) {
    w->first += w->count;
    const uint32_t left = strands->group[w->group].points - w->first;
    w->count = left < most ? left : most;
    return left > 0;
}

/* Repeats the end of each strand in place of the missing neighbour. */
static void extend_ends(mote_strand_window *w, bool last) {
    for (int axis = 0; axis < 3; axis++) {
        float *x = w->x[axis] + MOTE_WINDOW_BEFORE, *end = x + w->count * MOTE_GROUP;
        if (w->first == 0) memcpy(x - MOTE_GROUP, x, MOTE_GROUP * sizeof *x);
        if (last) memcpy(end, end - MOTE_GROUP, MOTE_GROUP * sizeof *x);
        for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
            const uint32_t tip =
                (uint32_t)(w->points[lane] - 1) - w->first; /* wraps where the tip is not in the window */
            if (tip < w->count) x[(tip + 1) * MOTE_GROUP + lane] = x[tip * MOTE_GROUP + lane];
        }
    }
}

void mote_strand_window_load(mote_strand_window *w, const mote_strand_writer *writer) {
    const uint32_t points = writer->strands->group[w->group].points, end = w->first + w->count;
    const bool directed = writer->vertex.directed || writer->frames;
    const uint32_t before = directed && w->first > 0, behind = directed && end < points;
    float *out[3];
    for (int axis = 0; axis < 3; axis++) out[axis] = w->x[axis] + MOTE_WINDOW_BEFORE - before * MOTE_GROUP;
    mote_strand_writer_places(writer, w->group, w->first - before, before + w->count + behind, out);
    if (directed) extend_ends(w, end == points);
    if (writer->frames) mote_strand_window_frames(w, writer);
}
