/* Frames of presented points: of rods with frames the mean of those of the neighbouring segments, of other
 * strands transported along them from the root (transport.h). */
#include <string.h>

#include "strands/window.h"

static float dot4(const float a[4], const float b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void normalise(float q[4]) {
    const float square = dot4(q, q), inverse = square > 0 ? 1.0f / __builtin_sqrtf(square) : 1.0f;
    for (int i = 0; i < 4; i++) q[i] *= inverse;
}

/* --- Rods with frames --- */

/* Loads the frames of the segments from that before the window's first point on: segment k at row k + 1 -
 * first. Beyond an end the frame at that end is repeated. */
static void load_segments(mote_strand_window *w, const mote_strand_writer *writer) {
    const mote_strands *strands = writer->strands;
    const uint32_t before = w->first > 0;
    const size_t slot = strands->group[w->group].first + (size_t)(w->first - before) * MOTE_GROUP;
    float *out[4];
    for (int i = 0; i < 4; i++) out[i] = w->segment[i] + (1 - before) * MOTE_GROUP;
    strands->present->segment_frames(strands, slot, (size_t)(w->count + before) * MOTE_GROUP,
                                     writer->by->alpha, out);
    for (int i = 0; i < 4; i++) {
        float *row = w->segment[i];
        if (!before) memcpy(row, row + MOTE_GROUP, MOTE_GROUP * sizeof *row);
        for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
            const uint32_t tip = (uint32_t)(w->points[lane] - 1) - w->first;
            if (tip < w->count) row[(tip + 1) * MOTE_GROUP + lane] = row[tip * MOTE_GROUP + lane];
        }
    }
}

/* --- Other strands --- */

/* Sets the directions of the first segments of 16 rest shapes under the identity; z without length. */
static void load_rest_directions(const mote_strand_window *w, const mote_strands *strands,
                                 float (*direction)[MOTE_GROUP]) {
    const size_t root = strands->group[w->group].first;
    for (size_t lane = 0; lane < MOTE_GROUP; lane++) {
        float d[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const float *x = strands->rest_x[axis] + root + lane;
            d[axis] = x[MOTE_GROUP] - x[0];
            square += d[axis] * d[axis];
        }
        const bool has = square > 1e-36f;
        for (int axis = 0; axis < 3; axis++)
            direction[axis][lane] = has ? d[axis] / __builtin_sqrtf(square) : axis == 2;
    }
}

/* Sets the frames before the first points: those of the first segments at rest, turned with the roots. */
static void carry_from_roots(mote_strand_window *w, const mote_strand_writer *writer) {
    const mote_strands *strands = writer->strands;
    MOTE_ALIGNED(64) float direction[3][MOTE_GROUP];
    float *const t[3] = {direction[0], direction[1], direction[2]};
    float *const carried[4] = {w->carried[0], w->carried[1], w->carried[2], w->carried[3]};
    load_rest_directions(w, strands, direction);
    for (int i = 0; i < 4; i++)
        for (size_t lane = 0; lane < MOTE_GROUP; lane++) carried[i][lane] = i == 3;
    strands->present->turn_frames(t, MOTE_GROUP, carried);
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        float a[4], q[4];
        mote_strands_root_rotation(strands, w->group * MOTE_GROUP + lane, writer->by->alpha, a);
        const float b[4] = {carried[0][lane], carried[1][lane], carried[2][lane], carried[3][lane]};
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            q[i] = (a[3] * b[i] + b[3] * a[i]) + (a[j] * b[k] - a[k] * b[j]);
        }
        q[3] = a[3] * b[3] - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        normalise(q);
        for (int i = 0; i < 4; i++) carried[i][lane] = q[i];
    }
}

void mote_strand_window_frames(mote_strand_window *w, const mote_strand_writer *writer) {
    const mote_strands *strands = writer->strands;
    const mote_strand_run run = mote_strand_window_run(w);
    float *const t[3] = {w->tangent[0], w->tangent[1], w->tangent[2]};
    float *const frame[4] = {w->frame[0], w->frame[1], w->frame[2], w->frame[3]};
    float *const carried[4] = {w->carried[0], w->carried[1], w->carried[2], w->carried[3]};
    strands->present->tangents(&run, t);
    if (strands->frame[0]) {
        float *const segment[4] = {w->segment[0], w->segment[1], w->segment[2], w->segment[3]};
        load_segments(w, writer);
        strands->present->mean_frames(segment, run.count, frame);
        strands->present->turn_frames(t, run.count, frame);
    } else {
        if (w->first == 0) carry_from_roots(w, writer);
        strands->present->transport_frames(t, run.count, carried, frame);
    }
}
