/* Frames along presented strands: unit quaternions whose third axis is the tangent. A frame follows a tangent
 * by the smallest rotation (parallel transport): it does not turn about it. Bishop, There is more than one
 * way to frame a curve (1975). */
#ifndef MOTE_STRANDS_TRANSPORT_H
#define MOTE_STRANDS_TRANSPORT_H

#include "strands/rod_frames.h"

/* 1 + cosine below which a direction counts as opposite. Near it the smallest rotation has no axis: its
 * rounding grows as 1 / (1 + cosine)^(1/2). */
#define VIEW_OPPOSITE 1e-3f

MOTE_INLINE rod_frame view_load_frame(float *const q[4], size_t at) {
    return (rod_frame){{wide_load(q[0] + at), wide_load(q[1] + at), wide_load(q[2] + at)},
                       wide_load(q[3] + at)};
}

MOTE_INLINE void view_store_frame(float *const q[4], size_t at, rod_frame a) {
    wide_store(q[0] + at, a.v.x);
    wide_store(q[1] + at, a.v.y);
    wide_store(q[2] + at, a.v.z);
    wide_store(q[3] + at, a.w);
}

MOTE_INLINE rod_frame view_unit_frame(rod_frame q) {
    const wide one = wide_set(1.0f), square = wide3_dot(q.v, q.v) + q.w * q.w;
    const wide inverse = one / wide_sqrt(wide_select(wide_less((wide){0}, square), square, one));
    return (rod_frame){wide3_scale(inverse, q.v), inverse * q.w};
}

/* Returns q or -q, which is the same frame, on the side of a. */
MOTE_INLINE rod_frame view_facing(rod_frame a, rod_frame q) {
    const wide cosine = wide3_dot(a.v, q.v) + a.w * q.w;
    const wide sign = wide_select(wide_less(cosine, (wide){0}), wide_set(-1.0f), wide_set(1.0f));
    return (rod_frame){wide3_scale(sign, q.v), sign * q.w};
}

/* Interpolates linearly on the shorter side; not normalised. */
MOTE_INLINE rod_frame view_between(rod_frame a, rod_frame b, wide s) {
    b = view_facing(a, b);
    return (rod_frame){wide3_add_scaled(a.v, s, wide3_sub(b.v, a.v)), a.w + s * (b.w - a.w)};
}

/* Returns the frame turned by the smallest rotation that takes its third axis to t; where t is opposite, by
 * half a turn about its first axis before that. */
MOTE_INLINE rod_frame view_turned(rod_frame q, wide3 t) {
    const wide one = wide_set(1.0f);
    wide3 from = rod_direction(q);
    wide open = one + wide3_dot(from, t);
    const wide_mask opposite = wide_less(open, wide_set(VIEW_OPPOSITE));
    if (wide_lane_bits(opposite)) {
        const rod_frame half = rod_half_turn(q);
        q = (rod_frame){wide3_select(opposite, half.v, q.v), wide_select(opposite, half.w, q.w)};
        from = wide3_select(opposite, wide3_sub(wide3_zero(), from), from);
        open = wide_select(opposite, one + wide3_dot(from, t), open);
    }
    return view_unit_frame(rod_compose((rod_frame){wide3_cross(from, t), open}, q));
}

/* Returns the first axis. */
MOTE_INLINE wide3 view_first_axis(rod_frame q) {
    const wide y = q.v.y + q.v.y, z = q.v.z + q.v.z;
    return (wide3){wide_set(1.0f) - y * q.v.y - z * q.v.z, y * q.v.x + z * q.w, z * q.v.x - y * q.w};
}

#endif
