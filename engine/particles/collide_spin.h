/* Spin that friction gives to a particle at a hit.
 *
 * The particle is a ball of its radius r for the contact, whatever its moments are. The material of its
 * surface slides with u = v_t - r (w x n). An impulse p per mass against the direction d of u changes
 *
 *     v_t by -p d,   w by (m r p) I^-1 (n x d),   u along d by -p k,   k = 1 + m r^2 (n x d) . I^-1 (n x d)
 *
 * so that p = min(limit, |u| / k) stops the sliding where friction suffices: |u| / k takes the most energy,
 * and less takes less. In a contact at rest the forces add a to u meanwhile; with the u at the end friction
 * takes the energy p b - p^2 k / 2 per unit mass, b = |u| - d . a / 2. Together with another contact that has
 * taken E it adds none as long as p k <= b + sqrt(b^2 + 2 k E). With a scalar inertia the particle then
 * rolls; with three moments the rest of u is across d. Between two planes on which it rests the particle
 * moves along their crease alone, with the unit vector t: the impulse changes its velocity by -p (d . t) t,
 * and 1 becomes (d . t)^2 in k. */
#ifndef MOTE_PARTICLES_COLLIDE_SPIN_H
#define MOTE_PARTICLES_COLLIDE_SPIN_H

#include "particles/collide_crease.h"
#include "particles/turn.h"

/* Returns I^-1 v in the axes of the particle. */
MOTE_INLINE wide3 collide_divide(const mote_collision *c, size_t i, wide3 v) {
    wide inertia[3];
    for (int k = 0; k < 3; k++) {
        const int of = c->principal_moments ? k : 0;
        inertia[k] = c->inertias[of] ? wide_load(c->inertias[of] + i) : wide_set(c->inertia[of]);
    }
    return (wide3){v.x / inertia[0], v.y / inertia[1], v.z / inertia[2]};
}

/* Takes back the share rest_of of the spin that a resting contact gave for the whole leg, where a hit ends
 * the leg earlier. */
MOTE_INLINE void collide_cut_turn(wide rest_of, wide_mask hits, collide_leg *leg) {
    const wide3 rest = wide3_scale(rest_of, leg->turned);
    leg->spin = wide3_select(hits, wide3_sub(leg->spin, rest), leg->spin);
    leg->turned = wide3_select(hits, wide3_zero(), leg->turned);
}

/* Friction of one contact. */
typedef struct collide_rub {
    wide_mask hits, rests; /* lanes; those whose contact lasts for the whole leg */
    wide_mask creased;     /* lanes that move along t alone */
    wide3 t;
    wide3 gained; /* m/s, by the forces in the leg */
    wide taken;   /* J/kg, that friction has taken in the leg */
} collide_rub;

/* Returns the tangential velocity that friction on the plane n leaves of `free`, and changes the spin of the
 * leg. limit: the greatest change of the velocity, m/s. */
MOTE_OUTLINE wide3 collide_roll(const mote_collision *c, collide_rub *rub, wide3 n, wide limit, wide3 free,
                                collide_leg *leg) {
    const wide zero = {0}, one = wide_set(1.0f), r = leg->radius;
    const size_t i = leg->slot;
    const wide3 q = {wide_load(c->orientation[0] + i), wide_load(c->orientation[1] + i),
                     wide_load(c->orientation[2] + i)};
    const wide w = wide_load(c->orientation[3] + i);
    const wide inverse_mass =
        c->inverse_masses ? wide_load(c->inverse_masses + i) : wide_set(c->inverse_mass);
    const wide3 slip = wide3_sub(free, wide3_scale(r, wide3_cross(turn_to_world(q, w, leg->spin), n)));
    const wide size = wide_sqrt(wide3_dot(slip, slip));
    const wide_mask slides = wide_less(zero, size);
    const wide3 d = wide3_scale(wide_select(slides, one / wide_select(slides, size, one), zero), slip);
    /* Gain of spin by an impulse 1 per mass. */
    const wide3 arm = turn_to_body(q, w, wide3_cross(n, d)),
                gain = wide3_scale(r / wide_select(wide_less(zero, inverse_mass), inverse_mass, one),
                                   collide_divide(c, i, arm));
    const wide along = wide3_dot(d, rub->t),
               k = wide_select(rub->creased, along * along, one) + r * wide3_dot(arm, gain);
    const wide b = size - 0.5f * wide3_dot(d, rub->gained),
               most = wide_min(size, wide_max(b + wide_sqrt(b * b + 2.0f * k * rub->taken), zero));
    const wide p = wide_min(wide_max(limit, zero), most / wide_select(wide_less(zero, k), k, one));
    const wide_mask turns = rub->hits & slides;
    rub->taken = wide_max(wide_select(turns, rub->taken + p * (b - 0.5f * p * k), rub->taken), zero);
    leg->spin = wide3_select(turns, wide3_add_scaled(leg->spin, p, gain), leg->spin);
    leg->turned = wide3_select(turns & rub->rests, wide3_add_scaled(leg->turned, p, gain), leg->turned);
    return wide3_sub(free, wide3_scale(p, wide3_select(rub->creased, wide3_scale(along, rub->t), d)));
}

/* Applies friction of both planes, each up to its limit, to the spin and to the velocity along the crease, in
 * lanes that rest between the plane of the hit and the one before. Lanes in `held` do not move, and a third
 * plane rubs too. v, end: relative velocities at the ends of the next leg. */
MOTE_INLINE void collide_roll_crease(const mote_collision *c, const collide_hit *hit, wide_mask creased,
                                     wide_mask held, const collide_press *press, collide_leg *leg, wide3 *v,
                                     wide3 *end) {
    const wide zero = {0}, one = wide_set(1.0f);
    const wide3 across = wide3_cross(hit->normal, leg->rest_normal);
    const wide square = wide3_dot(across, across);
    const wide_mask crossed = ~held & wide_less(wide_set(COLLIDE_SLOW), square);
    const wide inverse = wide_select(crossed, one / wide_sqrt(wide_select(crossed, square, one)), zero);
    const wide3 t = wide3_scale(inverse, across);
    collide_rub rub = {held, held, held, t, wide3_scale(wide3_dot(press->gained, t), t), zero};
    leg->spin = wide3_select(creased, press->spin, leg->spin);
    leg->turned = wide3_select(creased, wide3_zero(), leg->turned);
    wide3 left = wide3_scale(wide3_dot(press->free, t), t);
    if (wide_lane_bits(held)) (void)collide_roll(c, &rub, leg->older_normal, press->limits.older, left, leg);
    rub.hits = rub.rests = rub.creased = creased;
    left = collide_roll(c, &rub, leg->rest_normal, press->limits.other, left, leg);
    left = collide_roll(c, &rub, hit->normal, press->limits.here, left, leg);
    const wide speed = wide3_dot(left, t), began = wide3_dot(*v, t);
    *end = wide3_select(creased, left, *end);
    *v = wide3_select(creased, wide3_scale(wide_select(wide_less(zero, speed * began), began, zero), t), *v);
}

/* Stores the spins of a register. Returns the lanes whose spin changed. Those that stick have none. */
MOTE_INLINE wide_mask collide_store_spin(const mote_collision *c, size_t i, const collide_leg *leg) {
    const wide3 was = wide3_load(c->spin, i), now = wide3_select(leg->held, wide3_zero(), leg->spin),
                stored = wide3_select(leg->touched, now, was);
    wide3_store(c->spin, i, stored);
    return ~(wide_equal(was.x, stored.x) & wide_equal(was.y, stored.y) & wide_equal(was.z, stored.z));
}

/* Stops the spin of lanes that a collider holds. */
MOTE_INLINE void collide_stop_spin(const mote_collision *c, size_t i, wide_mask held) {
    wide3_store(c->spin, i, wide3_select(held, wide3_zero(), wide3_load(c->spin, i)));
}

#endif
