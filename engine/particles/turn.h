/* Free rotation of rigid bodies under torques and drag, MOTE_WIDTH particles at a time.
 *
 * A substep is the symmetric composition (Strang) of half a kick of torque and drag, the free rotation, and
 * the reversed half kick. State is in the axes of the particle, where a free body of scalar inertia keeps its
 * angular velocity and turns by one rotation. With three principal moments the kinetic energy is split into
 * L_i^2 / (2 I_i), each of which rotates the body about one of its axes by the angle h L_i / I_i and the
 * angular momentum L the other way:
 *
 *     R1(h/2) R2(h/2) R3(h) R2(h/2) R1(h/2)
 *
 * (McLachlan, Phys. Rev. Lett. 71 (1993) 3043; Dullweber, Leimkuhler and McLachlan, J. Chem. Phys. 107 (1997)
 * 5840). It keeps |L| and, in the axes of the world, L itself; the error of the energy is of order h^2 and
 * bounded. Rotations are added as increments (cos a - 1, sin a) v: their rounding errors shrink with the
 * angle and have no mean, where those of the products cos a v lost 1.5 % of the energy in 10^6 steps
 * (measured).
 *
 * Sine and cosine of half the angle a follow from t = tan(a/4) as 2 t / (1 + t^2) and -2 t^2 / (1 + t^2) + 1,
 * of length 1 for any t, and t is the [5/4] Pade approximant
 *
 *     tan x = x (945 - 105 x^2 + x^4) / (945 - 420 x^2 + 15 x^4) + O(x^11).
 *
 * The angle errs by 1e-8 of half a turn, 4e-5 of a whole turn, in one substep. */
#ifndef MOTE_PARTICLES_TURN_H
#define MOTE_PARTICLES_TURN_H

#include "particles/fused.h"
#include "particles/orientation.h"

/* Bound of a quarter of an angle: beyond 20 turns a substep, the angle is another one. */
#define TURN_MOST 32.0f

/* Orientation, and angular velocity (scalar inertia) or angular momentum. */
typedef struct turn_state {
    wide3 q;
    wide w;
    wide3 spin;
} turn_state;

/* Sine of half an angle over a quarter of it, and the cosine of half of it less 1. z: the square of the
 * quarter. */
typedef struct turn_half {
    wide sine, less;
} turn_half;

MOTE_INLINE turn_half turn_half_of(wide z) {
    const wide p = 945.0f + z * (z - 105.0f), d = 945.0f + z * (15.0f * z - 420.0f);
    const wide zp = z * p, inverse = 2.0f / (d * d + zp * p);
    return (turn_half){p * d * inverse, -(zp * p) * inverse};
}

/* Rotates a body of scalar inertia: q + q (u, cos - 1), where u is the sine along the angular velocity. */
MOTE_INLINE void turn_by(turn_state *s, float h) {
    const wide3 quarter = wide3_scale(wide_set(0.25f * h), s->spin);
    const turn_half half =
        turn_half_of(wide_min(wide3_dot(quarter, quarter), wide_set(TURN_MOST * TURN_MOST)));
    const wide3 u = wide3_scale(half.sine, quarter), q = s->q, across = wide3_cross(q, u);
    s->q.x = q.x + (s->w * u.x + half.less * q.x + across.x);
    s->q.y = q.y + (s->w * u.y + half.less * q.y + across.y);
    s->q.z = q.z + (s->w * u.z + half.less * q.z + across.z);
    s->w = s->w + (half.less * s->w - wide3_dot(q, u));
}

/* Rotates about one of three axes, of which b and c follow a cyclically. L: the components of the momentum;
 * q: those of the orientation. rate: h / (4 I_a). */
MOTE_INLINE void turn_axis(wide rate, const wide *la, wide *lb, wide *lc, wide *qa, wide *qb, wide *qc,
                           wide *qw) {
    const wide quarter = wide_clamp(rate * *la, -TURN_MOST, TURN_MOST);
    const turn_half half = turn_half_of(quarter * quarter);
    const wide s = half.sine * quarter, less = half.less;
    const wide sine = 2.0f * (s + s * less), versed = -2.0f * (s * s);
    const wide b = *lb, c = *lc, x = *qa, y = *qb, z = *qc, w = *qw;
    *lb = b + (versed * b + sine * c);
    *lc = c + (versed * c - sine * b);
    *qa = x + (less * x + s * w);
    *qb = y + (less * y + s * z);
    *qc = z + (less * z - s * y);
    *qw = w + (less * w - s * x);
}

MOTE_INLINE void turn_freely(turn_state *s, float h, wide3 inverse) {
    wide3 *q = &s->q, *l = &s->spin;
    const wide x = wide_set(0.125f * h) * inverse.x, y = wide_set(0.125f * h) * inverse.y,
               z = wide_set(0.25f * h) * inverse.z;
    turn_axis(x, &l->x, &l->y, &l->z, &q->x, &q->y, &q->z, &s->w);
    turn_axis(y, &l->y, &l->z, &l->x, &q->y, &q->z, &q->x, &s->w);
    turn_axis(z, &l->z, &l->x, &l->y, &q->z, &q->x, &q->y, &s->w);
    turn_axis(y, &l->y, &l->z, &l->x, &q->y, &q->z, &q->x, &s->w);
    turn_axis(x, &l->x, &l->y, &l->z, &q->x, &q->y, &q->z, &s->w);
}

/* Turns a vector of the world into the axes of the particle; q of any length. */
MOTE_INLINE wide3 turn_into(wide3 q, wide w, wide3 v) {
    const wide twice = 2.0f / (wide3_dot(q, q) + w * w);
    const wide3 once = wide3_cross(q, v);
    return wide3_add_scaled(v, twice, wide3_sub(wide3_cross(q, once), wide3_scale(w, once)));
}

/* Turns a vector in the axes of the particle into those of the world. */
MOTE_INLINE wide3 turn_out_of(wide3 q, wide w, wide3 v) {
    const wide twice = 2.0f / (wide3_dot(q, q) + w * w);
    const wide3 once = wide3_cross(q, v);
    return wide3_add_scaled(v, twice, wide3_add(wide3_cross(q, once), wide3_scale(w, once)));
}

/* Share of the angular velocity that drag takes: 1 - exp(-b) to b^5 / 120, rising to 1. With p = exp(b) - 1,
 * p / (1 + p): the share that is left, of which a rounding error repeats in each step, is not rounded. */
MOTE_INLINE wide turn_loss(wide rate) {
    const wide b = wide_min(rate, wide_set(0x1p20f));
    const wide p = b * (1.0f + b * (0.5f + b * ((1.0f / 6) + b * (1.0f / 24))));
    return p / (1.0f + p);
}

MOTE_INLINE wide3 turn_brake(wide3 spin, wide3 loss) { return wide3_sub(spin, wide3_mul(loss, spin)); }

MOTE_INLINE wide3 turn_losses(wide rate, wide3 inverse) {
    return (wide3){turn_loss(rate * inverse.x), turn_loss(rate * inverse.y), turn_loss(rate * inverse.z)};
}

/* Loop-invariant values of a register. */
typedef struct turn_input {
    wide3 inertia, inverse; /* kg m^2; scalar: x alone */
    wide3 torque, loss;     /* N m in the world; share of half a substep */
} turn_input;

MOTE_INLINE turn_input turn_load(const mote_turning *t, bool moments, size_t i) {
    turn_input in = {.torque = wide3_zero(), .loss = wide3_zero()};
    const bool column = t->inertias[0];
    in.inertia.x = column ? wide_load(t->inertias[0] + i) : wide_set(t->inertia[0]);
    in.inertia.y = !moments ? in.inertia.x : column ? wide_load(t->inertias[1] + i) : wide_set(t->inertia[1]);
    in.inertia.z = !moments ? in.inertia.x : column ? wide_load(t->inertias[2] + i) : wide_set(t->inertia[2]);
    in.inverse.x = 1.0f / in.inertia.x;
    in.inverse.y = moments ? 1.0f / in.inertia.y : in.inverse.x;
    in.inverse.z = moments ? 1.0f / in.inertia.z : in.inverse.x;
    if (t->drag > 0) in.loss = turn_losses(wide_set(0.5f * t->h * t->drag), in.inverse);
    if (t->torque[0])
        in.torque =
            (wide3){wide_load(t->torque[0] + i), wide_load(t->torque[1] + i), wide_load(t->torque[2] + i)};
    return in;
}

/* Adds the torque of half a substep. */
MOTE_INLINE void turn_kick(const mote_turning *t, bool moments, const turn_input *in, turn_state *s) {
    if (!t->torque[0]) return;
    const wide3 kick = wide3_scale(wide_set(0.5f * t->h), turn_into(s->q, s->w, in->torque));
    s->spin = wide3_add(s->spin, moments ? kick : wide3_scale(in->inverse.x, kick));
}

MOTE_INLINE void turn_substep(const mote_turning *t, bool moments, const turn_input *in, turn_state *s) {
    turn_kick(t, moments, in, s);
    if (t->drag > 0) s->spin = turn_brake(s->spin, in->loss);
    if (moments)
        turn_freely(s, t->h, in->inverse);
    else
        turn_by(s, t->h);
    if (t->drag > 0) s->spin = turn_brake(s->spin, in->loss);
    turn_kick(t, moments, in, s);
}

/* Returns the lanes whose state is finite. */
MOTE_INLINE wide_mask turn_finite(const turn_state *s) {
    return wide_equal(wide3_finite_probe(s->q) + (wide3_finite_probe(s->spin) + s->w * 0.0f), (wide){0});
}

MOTE_INLINE void turn_store(const mote_turning *t, size_t i, const turn_state *s, bool spins) {
    wide3_store(t->orientation, i, s->q);
    wide_store(t->orientation[3] + i, s->w);
    if (spins) wide3_store(t->angular_velocity, i, s->spin);
}

/* Returns the angular velocity after a gain of angular momentum. The product of both with the inertia and
 * back is not the same number, and the errors have a mean: 0.6 % of the energy in 10^6 steps (measured). */
MOTE_INLINE wide3 turn_gain(wide3 spin, wide3 gain, wide3 inertia) {
    return (wide3){spin.x + gain.x / inertia.x, spin.y + gain.y / inertia.y, spin.z + gain.z / inertia.z};
}

/* Turns one register. Normalises once a step, by a square root and a division. */
MOTE_INLINE void turn_register(const mote_turning *t, bool moments, size_t i, uint32_t *frozen) {
    const turn_state before = {wide3_load(t->orientation, i), wide_load(t->orientation[3] + i),
                               wide3_load(t->angular_velocity, i)};
    const bool kicks = t->torque[0] || t->drag > 0;
    turn_input in;
    if (moments || kicks) in = turn_load(t, moments, i);
    turn_state s = before;
    if (t->previous[0]) {
        wide3_store(t->previous, i, s.q);
        wide_store(t->previous[3] + i, s.w);
    }
    const wide3 momentum = moments ? wide3_mul(in.inertia, s.spin) : wide3_zero();
    if (moments) s.spin = momentum;
    for (uint32_t substep = 0; substep < t->substeps; substep++) turn_substep(t, moments, &in, &s);
    if (moments) s.spin = turn_gain(before.spin, wide3_sub(s.spin, momentum), in.inertia);
    const wide length = wide_sqrt(wide3_dot(s.q, s.q) + s.w * s.w), one = 1.0f / length;
    s.q = wide3_scale(one, s.q);
    s.w = one * s.w;
    const wide_mask finite = turn_finite(&s);
    if (!MOTE_LIKELY(wide_all(finite))) {
        const wide_mask in_span =
            wide_lanes_below(t->count > i + MOTE_WIDTH ? MOTE_WIDTH : (int32_t)(t->count - i));
        mark(t->fate, in_span & ~finite, i, MOTE_FATE_ORIENTATION - 1, frozen);
        s.q = wide3_select(finite, s.q, before.q);
        s.w = wide_select(finite, s.w, before.w);
        s.spin = wide3_select(finite, s.spin, before.spin);
    }
    turn_store(t, i, &s, moments || kicks);
}

static void turn_scalar(const mote_turning *turning, size_t first, size_t end, uint32_t *frozen) {
    const mote_turning local = *turning;
    for (size_t i = first; i < end; i += MOTE_WIDTH) turn_register(&local, false, i, frozen);
}

static void turn_moments(const mote_turning *turning, size_t first, size_t end, uint32_t *frozen) {
    const mote_turning local = *turning;
    for (size_t i = first; i < end; i += MOTE_WIDTH) turn_register(&local, true, i, frozen);
}

#endif
