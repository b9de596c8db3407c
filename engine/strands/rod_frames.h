/* Material frames of rods: rest curvature and twist. Segment k has the unit quaternion q[k], whose third axis
 * is its direction t[k]. With the turn from one frame to the next in the former, W = 2 Im(conj(q[k-1]) q[k]),
 * and that of the rest shape, W0, joint k has the energy
 *     b / 2 (W - W0)_x^2 + b' / 2 (W - W0)_y^2 + g / 2 (W - W0)_z^2,  g = GJ / ((l[k-1] + l[k]) / 2),
 * where b' >= b is that of flat sections about their short axis, the frame's second one; else b.
 * Frames turn with their own segment only (parallel transport in time), so that the gradient is local: with
 * the moment m[k] of joint k, that of t[k] is (m[k] - m[k+1]) x t[k]. Twist has no inertia: the angles th[k]
 * about t[k] minimise the energy in each substep, by a Riccati recursion in the same sweep: joint k has the
 * diagonal b' S + g C and the off-diagonal g C - b' S, where S = (1 - c) / 2, C = (1 + c) / 2 and
 * c = t[k-1] . t[k]. The larger b' bounds the second derivative by the angles from above, whichever way the
 * rod is curved, so that flat rods are as stable as round ones of b'. The second derivative has the terms -m
 * . W / 4 of each joint, too: where they are positive, in joints opened to less than half of their rest, S
 * and C contain them (without them curls that were pushed open shake for ever).
 *
 * The energy of a joint that is straight at rest is that of the chord, whose gradient has the part b (1 - c)
 * along both directions, too. The lengths bear it, so that it does no work, but the tensions, which a substep
 * takes from the last one (rod.h), change less beside it. Without it 33, 13 and 3 of 120 straight rods of
 * 6, 10 and 36 points, with bobs of 3 to 30 times their mass, shook for ever at 2, 4 and 8 substeps, by up to
 * 0.2 m/s; with it 1, 1 and 0 do, as without frames. At the rest shape of curls it would make helices shake;
 * so t[k] gets a[k] + a[k+1], with
 *
 *     a[k] = max((b (W - W0)_x W_x + b' (W - W0)_y W_y - b W0_x^2 - b' W0_y^2) / 2, 0).
 *
 * That a[k] is 0 up to 1.6 times the rest curvature is chosen, not derived: helices rest with it.
 *
 * The recursion has no subtraction, so that no digits are lost for any g / b. Bergou et al., Discrete Elastic
 * Rods (2008) and Discrete Viscous Threads (2010). */
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

/* Returns conj(a) b in the hemisphere of the identity: q and -q are one frame. */
MOTE_INLINE rod_frame rod_turn_between(rod_frame a, rod_frame b) {
    const rod_frame c = rod_compose((rod_frame){wide3_sub(wide3_zero(), a.v), a.w}, b);
    const wide_mask sign = wide_bits(c.w) & INT32_MIN;
    return (rod_frame){{wide_from_bits(wide_bits(c.v.x) ^ sign), wide_from_bits(wide_bits(c.v.y) ^ sign),
                        wide_from_bits(wide_bits(c.v.z) ^ sign)},
                       wide_abs(c.w)};
}

/* State of the sweep from the tip: the frame of segment k, and m[k+1] in it; the stiffness and the moment of
 * the part beyond against a turn about t[k]. */
typedef struct rod_twist {
    rod_frame frame;
    wide3 moment;
    wide stiffness, torque, largest;
    wide along; /* a[k+1] */
} rod_twist;

/* Row of the twist of segment k: th[k] = share th[k-1] - own. */
typedef struct rod_twist_row {
    wide share, own;
} rod_twist_row;

/* Returns (x, y, 0) of the frame q in the world, and its third axis in *t. */
MOTE_INLINE wide3 rod_across(rod_frame q, wide x, wide y, wide3 *t) {
    const wide one = wide_set(1.0f), x2 = q.v.x + q.v.x, y2 = q.v.y + q.v.y, z2 = q.v.z + q.v.z;
    const wide xx = q.v.x * x2, yy = q.v.y * y2, zz = q.v.z * z2, xy = q.v.x * y2, xz = q.v.x * z2,
               yz = q.v.y * z2, wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    const wide3 first = {one - yy - zz, xy + wz, xz - wy}, second = {xy - wz, one - xx - zz, yz + wx};
    *t = (wide3){xz + wy, yz - wx, one - xx - yy};
    return wide3_add(wide3_scale(x, first), wide3_scale(y, second));
}

/* Stiffnesses of joint k and its frame at rest: b, b', g, W0. */
typedef struct rod_joint {
    wide bend, across, twist;
    wide3 rest;
} rod_joint;

/* Joint k in its present turn: the gradient with respect to t[k]; t[k]; the moment about it; b' S and g C;
 * twice the energy. */
typedef struct rod_turned {
    wide3 couple, tangent;
    wide torque, sine, cosine, bending;
} rod_turned;

/* Returns joint k between the frames `before` and q. *moment is m[k+1] in q, and receives m[k]; *along is
 * a[k+1], and receives a[k]. */
MOTE_INLINE rod_turned rod_turn_joint(rod_frame before, rod_frame q, rod_joint j, wide3 *moment,
                                      wide *along) {
    const rod_frame c = rod_turn_between(before, q);
    const wide3 off = wide3_sub(wide3_add(c.v, c.v), j.rest),
                y = {j.bend * off.x, j.across * off.y, j.twist * off.z};
    /* The gradient with respect to a turn of q, in it and in `before`. */
    const wide3 even = wide3_scale(c.w, y), odd = wide3_cross(c.v, y);
    const wide3 own = wide3_sub(wide3_sub(even, odd), *moment);
    *moment = wide3_add(even, odd);
    /* A joint that is bent or twisted by less than half of its rest has the more curvature for it. */
    const wide half = wide_set(0.5f), work = y.x * c.v.x + y.y * c.v.y, opened = half * work,
               undone = half * (y.z * c.v.z);
    rod_turned turned = {.torque = own.z,
                         .sine = j.across * (c.v.x * c.v.x + c.v.y * c.v.y) - wide_min(opened, (wide){0}),
                         .cosine = j.twist * (c.v.z * c.v.z + c.w * c.w) - wide_min(undone, (wide){0}),
                         .bending = wide3_dot(y, off)};
    const wide rest = j.bend * j.rest.x * j.rest.x + j.across * j.rest.y * j.rest.y,
               own_along = wide_max(work - half * rest, (wide){0});
    turned.couple = rod_across(q, own.y, (wide){0} - own.x, &turned.tangent);
    turned.couple = wide3_add_scaled(turned.couple, own_along + *along, turned.tangent);
    *along = own_along;
    return turned;
}

/* Share of the largest stiffness of the joints beyond that elimination leaves by rounding. */
#define TWIST_ROUNDING 1e-6f

/* Adds a joint of the moment `own` about t[k] to the elimination of the twist. held: lanes whose segment k
 * does not turn about itself. The first segment behind a free root has no joint, but what is beyond it
 * resists its turn unless it is straight. */
MOTE_INLINE rod_twist_row rod_add_twist(rod_twist *s, wide own, wide sine, wide cosine, wide_mask held) {
    const wide diagonal = sine + cosine, other = cosine - sine, whole = diagonal + s->stiffness;
    /* Free ends do not resist. */
    const wide_mask joined = wide_less((wide){0}, diagonal),
                    carried = wide_less(TWIST_ROUNDING * s->largest, s->stiffness),
                    resists = ~held & (joined | carried) & wide_less((wide){0}, whole);
    s->largest = wide_max(s->largest, diagonal);
    const wide inverse =
        wide_select(resists, wide_set(1.0f) / wide_select(resists, whole, wide_set(1.0f)), (wide){0});
    const wide torque = s->torque + own, share = other * inverse;
    const wide free = (wide_set(4.0f) * sine * cosine + diagonal * s->stiffness) * inverse;
    s->stiffness = wide_select(held, diagonal, free);
    s->torque = share * torque;
    return (rod_twist_row){share, torque * inverse};
}

/* Returns twice the energy of a joint between two frames. */
MOTE_INLINE wide rod_joint_energy(rod_joint j, rod_frame before, rod_frame q) {
    const rod_frame c = rod_turn_between(before, q);
    const wide3 off = wide3_sub(wide3_add(c.v, c.v), j.rest);
    return wide3_dot((wide3){j.bend * off.x, j.across * off.y, j.twist * off.z}, off);
}

/* Returns the frame turned by half a turn about its first axis. */
MOTE_INLINE rod_frame rod_half_turn(rod_frame q) {
    return (rod_frame){{q.w, q.v.z, (wide){0} - q.v.y}, (wide){0} - q.v.x};
}

/* Returns the frame turned by `angle` about its segment, and with it to the direction of d; by half a turn
 * about its first axis before that, where d is opposite: the smallest rotation has no axis there. length,
 * inverse_length: of the segment; |d| is their mean of Heron, which exceeds it by 2e-6 at a strain of 0.002.
 */
MOTE_INLINE rod_frame rod_follow(rod_frame q, wide3 d, wide angle, wide length, wide inverse_length) {
    const wide half = wide_set(0.5f), one = wide_set(1.0f), a = half * angle;
    rod_frame twisted = {{q.v.x + a * q.v.y, q.v.y - a * q.v.x, q.v.z + a * q.w}, q.w - a * q.v.z};
    const wide reach = half * (length + wide3_dot(d, d) * inverse_length);
    wide3 t = rod_direction(q);
    wide open = reach + wide3_dot(t, d);
    wide_mask regular = wide_less(wide_set(1e-4f) * reach, open);
    if (!MOTE_LIKELY(wide_all(regular))) {
        const rod_frame turned = rod_half_turn(twisted);
        twisted = (rod_frame){wide3_select(regular, twisted.v, turned.v),
                              wide_select(regular, twisted.w, turned.w)};
        t = wide3_select(regular, t, wide3_sub(wide3_zero(), t));
        open = reach + wide3_dot(t, d);
        regular = wide_less(wide_set(1e-4f) * reach, open); /* not where d is not finite */
    }
    const rod_frame z = rod_compose((rod_frame){wide3_cross(t, d), open}, twisted);
    const wide norm = wide3_dot(z.v, z.v) + z.w * z.w;
    const wide k = one / wide_sqrt(wide_select(regular, norm, one));
    return (rod_frame){wide3_select(regular, wide3_scale(k, z.v), q.v), wide_select(regular, k * z.w, q.w)};
}

#endif
