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
 * where axis 1 is the one of the least moment: as axis 2 it makes the period err by up to 20 times as much (1
 * % at 100 steps a turn).
 *
 * (McLachlan, Phys. Rev. Lett. 71 (1993) 3043; Dullweber, Leimkuhler and McLachlan, J. Chem. Phys. 107 (1997)
 * 5840). It keeps |L| and, in the axes of the world, L itself; the error of the energy is of order h^2 and
 * bounded. Rotations are added as increments (cos a - 1, sin a) v: their rounding errors shrink with the
 * angle and have no mean, where those of the products cos a v lost 1.5 % of the energy in 10^6 steps
 * (measured).
 *
 * Sine and cosine of half the angle a follow from t = tan(a/4) as 2 t / (1 + t^2) and 1 - 2 t^2 / (1 + t^2),
 * of length 1 for any t. With scalar inertia t is the [5/4] Pade approximant
 *
 *     tan x = x (945 - 105 x^2 + x^4) / (945 - 420 x^2 + 15 x^4) + O(x^11),
 *
 * by which the angle of a substep errs by 1e-8 of half a turn and 4e-5 of a whole one. With three moments
 * t = x + x^3 / 3, whose relative error, 2 (a/4)^4 / 15, is less than that of the splitting. */
#ifndef MOTE_PARTICLES_TURN_H
#define MOTE_PARTICLES_TURN_H

#include "particles/fused.h"
#include "particles/orientation.h"

/* Bound of a quarter of an angle with scalar inertia: beyond 20 turns a substep, it is another one. */
#define TURN_MOST 32.0f

#define TURN_LEAST     0x1p-100f /* of the square of a length, and of its inverse */
#define TURN_NEAR      0x1p-10f  /* of the square of a length, to 1 */
#define TURN_REGISTERS 2         /* side by side, of three moments */

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
MOTE_ONCE void turn_by(turn_state *s, float h) {
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
 * q: those of the orientation. rate: h / (4 I_a). The tangent to its third order is of length 1 as well. */
MOTE_INLINE void turn_axis(wide rate, const wide *la, wide *lb, wide *lc, wide *qa, wide *qb, wide *qc,
                           wide *qw) {
    const wide quarter = rate * *la;
    const wide tangent = quarter + quarter * (quarter * quarter * (1.0f / 3));
    const wide s = (tangent + tangent) / (1.0f + tangent * tangent), less = -(tangent * s);
    const wide sine = s + s, full = sine + sine * less, versed = -(sine * s);
    const wide b = *lb, c = *lc, x = *qa, y = *qb, z = *qc, w = *qw;
    *lb = b + (versed * b + full * c);
    *lc = c + (versed * c - full * b);
    *qa = x + (less * x + s * w);
    *qb = y + (less * y + s * z);
    *qc = z + (less * z - s * y);
    *qw = w + (less * w - s * x);
}

/* Lanes whose least moment is the second or the third one. */
typedef struct turn_least {
    wide_mask second, third;
} turn_least;

MOTE_INLINE turn_least turn_least_of(wide3 inertia) {
    const wide_mask third = wide_less(inertia.z, inertia.x) & wide_less(inertia.z, inertia.y);
    return (turn_least){wide_less(inertia.y, inertia.x) & ~third, third};
}

/* Moves the axes on in turn, so that the one of the least moment is the first. */
MOTE_INLINE wide3 turn_least_first(turn_least least, wide3 v) {
    if (!wide_lane_bits(least.second | least.third)) return v;
    const wide3 once = wide3_select(least.second, (wide3){v.y, v.z, v.x}, v);
    return wide3_select(least.third, (wide3){v.z, v.x, v.y}, once);
}

/* Moves them back. */
MOTE_INLINE wide3 turn_least_back(turn_least least, wide3 v) {
    if (!wide_lane_bits(least.second | least.third)) return v;
    const wide3 once = wide3_select(least.second, (wide3){v.z, v.x, v.y}, v);
    return wide3_select(least.third, (wide3){v.y, v.z, v.x}, once);
}

/* Returns the angles of a substep over four times the components of the angular momentum. */
MOTE_INLINE wide3 turn_rate(float h, wide3 inertia) {
    return (wide3){0.125f * h / inertia.x, 0.125f * h / inertia.y, 0.25f * h / inertia.z};
}

MOTE_INLINE turn_state turn_state_first(turn_least least, const turn_state *s) {
    return (turn_state){turn_least_first(least, s->q), s->w, turn_least_first(least, s->spin)};
}
MOTE_INLINE turn_state turn_state_back(turn_least least, const turn_state *s) {
    return (turn_state){turn_least_back(least, s->q), s->w, turn_least_back(least, s->spin)};
}

/* rate, and the state: those of turn_least_first. */
MOTE_ONCE void turn_freely(turn_state *s, wide3 rate) {
    wide3 *q = &s->q, *l = &s->spin;
    const wide x = rate.x, y = rate.y, z = rate.z;
    turn_axis(x, &l->x, &l->y, &l->z, &q->x, &q->y, &q->z, &s->w);
    turn_axis(y, &l->y, &l->z, &l->x, &q->y, &q->z, &q->x, &s->w);
    turn_axis(z, &l->z, &l->x, &l->y, &q->z, &q->x, &q->y, &s->w);
    turn_axis(y, &l->y, &l->z, &l->x, &q->y, &q->z, &q->x, &s->w);
    turn_axis(x, &l->x, &l->y, &l->z, &q->x, &q->y, &q->z, &s->w);
}

/* Turns a vector of the world into the axes of the particle; q of any length. */
MOTE_ONCE wide3 turn_to_body(wide3 q, wide w, wide3 v) {
    const wide twice = 2.0f / (wide3_dot(q, q) + w * w);
    const wide3 once = wide3_cross(q, v);
    return wide3_add_scaled(v, twice, wide3_sub(wide3_cross(q, once), wide3_scale(w, once)));
}

/* Turns a vector in the axes of the particle into those of the world. */
MOTE_INLINE wide3 turn_to_world(wide3 q, wide w, wide3 v) {
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

MOTE_INLINE wide3 turn_damp(wide3 spin, wide3 loss) { return wide3_sub(spin, wide3_mul(loss, spin)); }

MOTE_INLINE wide3 turn_losses(float drag, wide3 inertia) {
    return (wide3){turn_loss(drag / inertia.x), turn_loss(drag / inertia.y), turn_loss(drag / inertia.z)};
}

/* Values of a register that a step does not change. */
typedef struct turn_input {
    wide3 inertia, rate, torque, loss; /* kg m^2; turn_rate; N m in the world; share of half a substep */
    turn_least least;
    wide inverse; /* of a scalar inertia */
} turn_input;

/* Returns the moments; a scalar inertia three times. */
MOTE_INLINE wide3 turn_inertia(const mote_turning *t, bool moments, size_t i) {
    wide3 inertia;
    const bool column = t->inertias[0];
    inertia.x = column ? wide_load(t->inertias[0] + i) : wide_set(t->inertia[0]);
    if (!moments) return (wide3){inertia.x, inertia.x, inertia.x};
    inertia.y = column ? wide_load(t->inertias[1] + i) : wide_set(t->inertia[1]);
    inertia.z = column ? wide_load(t->inertias[2] + i) : wide_set(t->inertia[2]);
    return inertia;
}

MOTE_ONCE turn_input turn_load(const mote_turning *t, bool moments, size_t i) {
    turn_input in = {.torque = wide3_zero(), .loss = wide3_zero()};
    in.inertia = turn_inertia(t, moments, i);
    in.least = turn_least_of(in.inertia);
    in.rate = turn_rate(t->h, turn_least_first(in.least, in.inertia));
    in.inverse = 1.0f / in.inertia.x;
    if (t->drag > 0) in.loss = turn_losses(0.5f * t->h * t->drag, in.inertia);
    if (t->torque[0])
        in.torque =
            (wide3){wide_load(t->torque[0] + i), wide_load(t->torque[1] + i), wide_load(t->torque[2] + i)};
    return in;
}

/* Adds the torque of half a substep. */
MOTE_INLINE void turn_kick(const mote_turning *t, bool moments, const turn_input *in, turn_state *s) {
    if (!t->torque[0]) return;
    const wide3 kick = wide3_scale(wide_set(0.5f * t->h), turn_to_body(s->q, s->w, in->torque));
    s->spin = wide3_add(s->spin, moments ? kick : wide3_scale(in->inverse, kick));
}

MOTE_ONCE void turn_substep(const mote_turning *t, bool moments, const turn_input *in, turn_state *s) {
    turn_kick(t, moments, in, s);
    if (t->drag > 0) s->spin = turn_damp(s->spin, in->loss);
    if (moments) {
        turn_state first = turn_state_first(in->least, s);
        turn_freely(&first, in->rate);
        *s = turn_state_back(in->least, &first);
    } else {
        turn_by(s, t->h);
    }
    if (t->drag > 0) s->spin = turn_damp(s->spin, in->loss);
    turn_kick(t, moments, in, s);
}

MOTE_INLINE turn_state turn_state_of(const mote_turning *t, size_t i) {
    return (turn_state){wide3_load(t->orientation, i), wide_load(t->orientation[3] + i),
                        wide3_load(t->angular_velocity, i)};
}

/* Returns the lanes whose state can be stored: the angular velocity is finite, and the square of the length
 * of the quaternion is a number that has a root and an inverse. */
MOTE_INLINE wide_mask turn_holds(const turn_state *s, wide square) {
    return wide_less(wide_set(TURN_LEAST), square) & wide_less(square, wide_set(1 / TURN_LEAST)) &
           wide_equal(wide3_finite_probe(s->spin), (wide){0});
}

/* Returns the angular velocity that was `spin` before, by the gain of angular momentum. The product of both
 * with the inertia and back is not the same number, and the errors have a mean: 0.6 % of the energy in 10^6
 * steps (measured); that of a rounded inverse would have one too. */
MOTE_INLINE wide3 turn_gain(const mote_turning *t, wide3 spin, wide3 momentum, wide3 inertia) {
    const wide3 gain = wide3_sub(momentum, wide3_mul(inertia, spin));
    if (t->inertias[0])
        return (wide3){spin.x + gain.x / inertia.x, spin.y + gain.y / inertia.y, spin.z + gain.z / inertia.z};
    const float *high = t->inverse, *low = t->inverse_low;
    return (wide3){spin.x + (gain.x * high[0] + gain.x * low[0]),
                   spin.y + (gain.y * high[1] + gain.y * low[1]),
                   spin.z + (gain.z * high[2] + gain.z * low[2])};
}

/* Normalises: by Newton's step for the inverse square root, 1 + (1 - n) / 2, where the square n is next to 1;
 * by a square root and a division where the host has written another length. */
MOTE_ONCE void turn_normalise(turn_state *s, wide square) {
    const wide off = square - 1.0f, gain = -0.5f * off;
    const wide_mask near = wide_less(wide_abs(off), wide_set(TURN_NEAR));
    const turn_state far = *s;
    s->q = wide3_add_scaled(s->q, gain, s->q);
    s->w = s->w + gain * s->w;
    if (MOTE_LIKELY(wide_all(near))) return;
    const wide inverse = 1.0f / wide_sqrt(square);
    s->q = wide3_select(near, s->q, wide3_scale(inverse, far.q));
    s->w = wide_select(near, s->w, inverse * far.w);
}

/* Marks the lanes that do not hold, which keep the state before: that of the columns. */
MOTE_OUTLINE void turn_contain(const mote_turning *t, size_t i, wide_mask holds, turn_state *s,
                               uint32_t *frozen) {
    const turn_state before = turn_state_of(t, i);
    const wide_mask in_span =
        wide_lanes_below(t->count > i + MOTE_WIDTH ? MOTE_WIDTH : (int32_t)(t->count - i));
    mark(t->fate, in_span & ~holds, i, MOTE_FATE_ORIENTATION - 1, frozen);
    s->q = wide3_select(holds, s->q, before.q);
    s->w = wide_select(holds, s->w, before.w);
    s->spin = wide3_select(holds, s->spin, before.spin);
}

/* Ends a step of one register: normalises and stores. */
MOTE_ONCE void turn_end(const mote_turning *t, bool spins, size_t i, turn_state s, uint32_t *frozen) {
    const wide square = wide3_dot(s.q, s.q) + s.w * s.w;
    const wide_mask holds = turn_holds(&s, square);
    turn_normalise(&s, square);
    if (!MOTE_LIKELY(wide_all(holds))) {
        turn_state copy = s; /* whose address is taken in place of that of s, which stays in registers */
        turn_contain(t, i, holds, &copy, frozen);
        s = copy;
    }
    wide3_store(t->orientation, i, s.q);
    wide_store(t->orientation[3] + i, s.w);
    if (spins) wide3_store(t->angular_velocity, i, s.spin);
}

MOTE_INLINE void turn_store_previous(const mote_turning *t, size_t i, const turn_state *s) {
    if (!t->previous[0]) return;
    wide3_store(t->previous, i, s->q);
    wide_store(t->previous[3] + i, s->w);
}

/* Turns registers of scalar inertia without torque and drag, which keep their spin. */
MOTE_INLINE void turn_coast(const mote_turning *t, size_t first, size_t end, uint32_t *frozen) {
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        turn_state s = turn_state_of(t, i);
        turn_store_previous(t, i, &s);
        for (uint32_t substep = 0; substep < t->substeps; substep++) turn_by(&s, t->h);
        turn_end(t, false, i, s, frozen);
    }
}

/* Turns n registers of three moments without torque and drag side by side, which hides the latency of the
 * divisions. */
MOTE_INLINE void turn_tumble(const mote_turning *t, int n, const turn_input *uniform, size_t i,
                             uint32_t *frozen) {
    turn_state s[TURN_REGISTERS];
    wide3 rate[TURN_REGISTERS], inertia[TURN_REGISTERS];
    turn_least least[TURN_REGISTERS];
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        const size_t at = i + (size_t)u * MOTE_WIDTH;
        s[u] = turn_state_of(t, at);
        turn_store_previous(t, at, &s[u]);
        inertia[u] = uniform->inertia, rate[u] = uniform->rate, least[u] = uniform->least;
        if (t->inertias[0]) {
            inertia[u] = turn_inertia(t, true, at), least[u] = turn_least_of(inertia[u]);
            rate[u] = turn_rate(t->h, turn_least_first(least[u], inertia[u]));
        }
        s[u].spin = wide3_mul(inertia[u], s[u].spin);
        s[u] = turn_state_first(least[u], &s[u]);
    }
    for (uint32_t substep = 0; substep < t->substeps; substep++) {
        MOTE_UNROLLED
        for (int u = 0; u < n; u++) turn_freely(&s[u], rate[u]);
    }
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        const size_t at = i + (size_t)u * MOTE_WIDTH;
        s[u] = turn_state_back(least[u], &s[u]);
        s[u].spin = turn_gain(t, wide3_load(t->angular_velocity, at), s[u].spin, inertia[u]);
        turn_end(t, true, at, s[u], frozen);
    }
}

/* Turns one register under torque and drag. */
MOTE_INLINE void turn_driven(const mote_turning *t, bool moments, size_t i, uint32_t *frozen) {
    const turn_input in = turn_load(t, moments, i);
    turn_state s = turn_state_of(t, i);
    turn_store_previous(t, i, &s);
    if (moments) s.spin = wide3_mul(in.inertia, s.spin);
    for (uint32_t substep = 0; substep < t->substeps; substep++) turn_substep(t, moments, &in, &s);
    if (moments) s.spin = turn_gain(t, wide3_load(t->angular_velocity, i), s.spin, in.inertia);
    turn_end(t, true, i, s, frozen);
}

MOTE_INLINE bool turn_is_driven(const mote_turning *t) { return t->torque[0] || t->drag > 0; }

static void turn_scalar(const mote_turning *turning, size_t first, size_t end, uint32_t *frozen) {
    const mote_turning local = *turning;
    if (!turn_is_driven(&local)) {
        turn_coast(&local, first, end, frozen);
        return;
    }
    for (size_t i = first; i < end; i += MOTE_WIDTH) turn_driven(&local, false, i, frozen);
}

static void turn_moments(const mote_turning *turning, size_t first, size_t end, uint32_t *frozen) {
    const mote_turning local = *turning;
    const turn_input uniform = turn_load(&local, true, first);
    const size_t stride = TURN_REGISTERS * MOTE_WIDTH;
    size_t i = first;
    for (; !turn_is_driven(&local) && i + stride <= end; i += stride)
        turn_tumble(&local, TURN_REGISTERS, &uniform, i, frozen);
    for (; i < end; i += MOTE_WIDTH) turn_driven(&local, true, i, frozen);
}

#endif
