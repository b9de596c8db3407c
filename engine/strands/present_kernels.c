/* Presentation kernels of strands of one instruction set. Compiled once for each, with MOTE_ISA and
 * MOTE_WIDTH. */
#include "base/isa.h"
#include "stage/place.h"
#include "strands/transport.h"
#include "strands/vertices.h"

static void low_places(const mote_strands *strands, uint32_t group, size_t slot, size_t count,
                       float *const low[3]) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        const wide3 origin = wide3_load(strands->origin, (size_t)group * MOTE_GROUP + i % MOTE_GROUP);
        wide3_store(low, i,
                    mote_low_place(wide3_load(strands->range.x, slot + i), origin,
                                   wide3_load(strands->relative_x, slot + i)));
    }
}

static void tangents(const mote_strand_run *run, float *const t[3]) {
    for (size_t i = 0; i < run->count; i += MOTE_WIDTH)
        wide3_store(t, i, view_tangent(run, i, view_load(run->x, i)));
}

static void segment_frames(const mote_strands *strands, size_t slot, size_t count, float alpha,
                           float *const frame[4]) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        const rod_frame q = view_load_frame(strands->frame, slot + i);
        rod_frame at = q;
        if (strands->previous_frame[0]) {
            const rod_frame before = view_load_frame(strands->previous_frame, slot + i);
            const wide exists = wide_load(strands->range.previous_x[0] + slot + i);
            const rod_frame between = view_between(before, q, wide_set(alpha));
            const wide_mask blends = wide_equal(exists, exists);
            at = (rod_frame){wide3_select(blends, between.v, q.v), wide_select(blends, between.w, q.w)};
        }
        view_store_frame(frame, i, at);
    }
}

static void mean_frames(float *const segment[4], size_t count, float *const frame[4]) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH) {
        const rod_frame before = view_load_frame(segment, i),
                        q = view_facing(before, view_load_frame(segment, i + MOTE_GROUP));
        view_store_frame(frame, i, view_unit_frame((rod_frame){wide3_add(before.v, q.v), before.w + q.w}));
    }
}

static void turn_frames(float *const t[3], size_t count, float *const frame[4]) {
    for (size_t i = 0; i < count; i += MOTE_WIDTH)
        view_store_frame(frame, i, view_turned(view_load_frame(frame, i), wide3_load(t, i)));
}

static void transport_frames(float *const t[3], size_t count, float *const carried[4],
                             float *const frame[4]) {
    for (size_t lane = 0; lane < MOTE_GROUP; lane += MOTE_WIDTH) {
        rod_frame q = view_load_frame(carried, lane);
        for (size_t i = lane; i < count; i += MOTE_GROUP) {
            q = view_turned(q, wide3_load(t, i));
            view_store_frame(frame, i, q);
        }
        view_store_frame(carried, lane, q);
    }
}

static void vertices(const mote_strand_vertex *vertex, const mote_strand_run *run, float *rows) {
    strand_vertices(vertex, run, rows);
}

static void transpose(const float *rows, size_t count, unsigned char *const to[MOTE_GROUP]) {
    strand_transpose(rows, count, to);
}

static void follow(const mote_follow *f, size_t count, float *const out[3]) { strand_follow(f, count, out); }

extern const mote_strand_present_kernels MOTE_KERNEL_TABLE(mote_strand_present_kernels);
const mote_strand_present_kernels MOTE_KERNEL_TABLE(mote_strand_present_kernels) = {
    .low_places = low_places,
    .tangents = tangents,
    .segment_frames = segment_frames,
    .mean_frames = mean_frames,
    .turn_frames = turn_frames,
    .transport_frames = transport_frames,
    .vertices = vertices,
    .transpose = transpose,
    .follow = follow};
