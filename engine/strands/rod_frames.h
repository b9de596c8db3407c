/* Material frames of rods: rest curvature and twist. Segment k has the unit quaternion q[k], whose third axis
 * is its direction t[k]. With the turn from one frame to the next in the former, W = 2 Im(conj(q[k-1]) q[k]),
 * and that of the rest shape, W0, joint k has the energy b / 2 ((W - W0)_x^2 + (W - W0)_y^2) + g / 2 (W -
 * W0)_z^2,  g = GJ / ((l[k-1] + l[k]) / 2). Frames turn with their own segment only (parallel transport in
 * time), so that the gradient is local: with the moment m[k] of joint k, segment k gets (m[k] - m[k+1]) x
 * t[k]. Twist is at rest: it is the angle th[k] about t[k] that makes the energy least, by a Riccati
 * recursion on the same walk; diagonal b + (g - b) k^2, off-diagonal b c + (g - b) k^2, where c = t[k-1] .
 * t[k] and k^2 = (1 + c) / 2. Bergou et al., Discrete Elastic Rods (2008) and Discrete Viscous Threads
 * (2010). */
#ifndef MOTE_STRANDS_ROD_FRAMES_H
#define MOTE_STRANDS_ROD_FRAMES_H

#include "math/wide.h"

/* Unit quaternion. */
typedef struct rod_frame {
    wide3 v;
    wide w;
} rod_frame;

MOTE_INLINE rod_frame rod_compose(rod_frame a, rod_frame b) {
    return (rod_frame){
        wide3_add(wide3_add(wide3_scale(a.w, b.v), wide3_scale(b.w, a.v)), wide3_cross(a.v, b.v)),
        a.w * b.w - wide3_dot(a.v, b.v)};
}

/* Returns the third axis. */
MOTE_INLINE wide3 rod_direction(rod_frame q) {
    const wide x = q.v.x + q.v.x, y = q.v.y + q.v.y;
    return (wide3){x * q.v.z + y * q.w, y * q.v.z - x * q.w, wide_set(1.0f) - x * q.v.x - y * q.v.y};
}

/* Returns the gradient of the energy of the joint from a to b with respect to a turn of b, and its negative
 * for a. bend, twist: b, g. rest: W0. */
MOTE_INLINE wide3 rod_moment(rod_frame a, rod_frame b, wide bend, wide twist, wide3 rest) {
    const wide3 inverse = wide3_sub(wide3_zero(), a.v);
    rod_frame c = rod_compose((rod_frame){inverse, a.w}, b);
    /* q and -q are one frame. */
    const wide sign = wide_select(wide_less(c.w, (wide){0}), wide_set(-1.0f), wide_set(1.0f));
    c.v = wide3_scale(sign, c.v), c.w *= sign;
    const wide3 off = wide3_sub(wide3_add(c.v, c.v), rest), y = {bend * off.x, bend * off.y, twist * off.z};
    const wide3 m = wide3_add(wide3_scale(c.w, y), wide3_cross(c.v, y)), cross = wide3_cross(a.v, m);
    const wide3 twice = wide3_add(cross, cross);
    return wide3_add(wide3_add_scaled(m, a.w, twice), wide3_cross(a.v, twice));
}

/* State of the walk from the tip: the frame and direction of segment k, and m[k+1]; the stiffness of all
 * beyond against a turn about t[k], and its moment. */
typedef struct rod_twist {
    rod_frame frame;
    wide3 direction, moment;
    wide stiffness, torque;
} rod_twist;

/* Row of the twist of segment k: th[k] = share th[k-1] - own. */
typedef struct rod_twist_row {
    wide share, own;
} rod_twist_row;

/* Adds joint k, from `before` to s->frame; sets *couple to the gradient with respect to t[k]. */
MOTE_INLINE rod_twist_row rod_add_twist(rod_twist *s, rod_frame before, wide b, wide g, wide3 rest,
                                        wide3 *couple) {
    const wide3 t = s->direction, t_before = rod_direction(before);
    const wide3 moment = rod_moment(before, s->frame, b, g, rest), own = wide3_sub(moment, s->moment);
    *couple = wide3_cross(own, t);
    const wide c = wide3_dot(t, t_before), k2 = wide_set(0.5f) * (g - b) * (wide_set(1.0f) + c);
    const wide diagonal = b + k2, other = b * c + k2, whole = diagonal + s->stiffness;
    /* Free ends do not resist. */
    const wide_mask resists = wide_less((wide){0}, diagonal) & wide_less((wide){0}, whole);
    const wide inverse =
        wide_select(resists, wide_set(1.0f) / wide_select(resists, whole, wide_set(1.0f)), (wide){0});
    const wide torque = s->torque + wide3_dot(own, t), share = other * inverse;
    s->stiffness = diagonal - other * share, s->torque = share * torque;
    s->moment = moment, s->frame = before, s->direction = t_before;
    return (rod_twist_row){share, torque * inverse};
}

/* Returns the frame turned with its segment to the direction of d, and by `angle` about it. */
MOTE_INLINE rod_frame rod_follow(rod_frame q, wide3 d, wide angle) {
    const wide one = wide_set(1.0f), square = wide3_dot(d, d);
    const wide_mask some = wide_less((wide){0}, square);
    const wide3 t = rod_direction(q), u = wide3_scale(one / wide_sqrt(wide_select(some, square, one)), d);
    const wide open = one + wide3_dot(t, u);
    const wide_mask regular = some & wide_less(wide_set(1e-4f), open);
    const rod_frame turn = {wide3_add_scaled(wide3_cross(t, u), wide_set(0.5f) * open * angle, u), open},
                    z = rod_compose(turn, q);
    const wide norm = wide3_dot(z.v, z.v) + z.w * z.w;
    const wide k = one / wide_sqrt(wide_select(regular, norm, one));
    return (rod_frame){wide3_select(regular, wide3_scale(k, z.v), q.v), wide_select(regular, k * z.w, q.w)};
}

#endif
