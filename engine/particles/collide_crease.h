/* Loose particles that rest on two planes at once: collide.h. */
#ifndef MOTE_PARTICLES_COLLIDE_CREASE_H
#define MOTE_PARTICLES_COLLIDE_CREASE_H

#include "particles/collide_hit.h"

/* Removes what goes against the plane of an earlier resting contact: v along the crease of both planes. */
MOTE_INLINE wide3 collide_crease(wide_mask creased, wide3 normal, wide3 other, wide3 v) {
    const wide3 along = wide3_cross(normal, other);
    const wide square = wide3_dot(along, along);
    const wide_mask none = wide_less(square, wide_set(COLLIDE_SLOW));
    const wide share = wide3_dot(along, v) / wide_select(none, wide_set(1.0f), square);
    return wide3_select(creased, wide3_scale(wide_select(none, (wide){0}, share), along), v);
}

/* Greatest changes of velocity by friction: of the plane of the hit, of the one on which the particle rested,
 * and of the one before, m/s. */
typedef struct collide_limits {
    wide here, other, older;
} collide_limits;

/* What presses a particle into a crease. */
typedef struct collide_press {
    wide3 into; /* m/s, which the planes keep out */
    wide3 free,
        gained; /* m/s, along the plane of the hit, without friction; of it by the forces in the leg */
    wide3 spin; /* before the friction of the hit */
    collide_limits limits;
} collide_press;

/* Returns the limits of the planes n and other of a crease; `into` is the velocity that their normal impulses
 * keep out of them. */
MOTE_INLINE collide_limits collide_crease_limits(wide3 n, wide friction, wide3 other, wide other_friction,
                                                 wide3 into) {
    const wide zero = {0}, one = wide_set(1.0f), cosine = wide3_dot(n, other), square = one - cosine * cosine,
               here = zero - wide3_dot(n, into), there = zero - wide3_dot(other, into);
    const wide_mask apart = wide_less(wide_set(COLLIDE_SLOW), square);
    const wide inverse = wide_select(apart, one / wide_select(apart, square, one), zero);
    return (collide_limits){friction * wide_max(inverse * (here - cosine * there), zero),
                            other_friction * wide_max(inverse * (there - cosine * here), zero), zero};
}

/* Returns the lanes of `creased` that three planes hold: the velocity that they keep out is a sum of their
 * normal impulses, none of which pulls. The limits of these lanes become those of the three. */
MOTE_INLINE wide_mask collide_wedged(wide_mask creased, wide3 n, wide friction, const collide_leg *leg,
                                     collide_press *press) {
    const wide zero = {0}, one = wide_set(1.0f);
    const wide3 across[3] = {wide3_cross(leg->rest_normal, n), wide3_cross(n, leg->older_normal),
                             wide3_cross(leg->older_normal, leg->rest_normal)};
    const wide volume = wide3_dot(leg->older_normal, across[0]);
    const wide_mask apart = creased & wide_less(wide_set(COLLIDE_SLOW), wide_abs(volume));
    const wide inverse = wide_select(apart, one / wide_select(apart, volume, one), zero);
    wide impulse[3];
    for (int k = 0; k < 3; k++) impulse[k] = zero - inverse * wide3_dot(press->into, across[k]);
    const wide_mask held = apart & ~wide_less(wide_min(wide_min(impulse[0], impulse[1]), impulse[2]), zero);
    collide_limits *limits = &press->limits;
    limits->older = leg->older_friction * impulse[0];
    limits->other = wide_select(held, leg->rest_friction * impulse[1], limits->other);
    limits->here = wide_select(held, friction * impulse[2], limits->here);
    return held;
}

/* Applies friction, up to `limit`, to the free velocity along the crease of two planes; lanes that it stops
 * get v = 0, so that rounding does not move them. */
MOTE_INLINE void collide_valley(wide_mask valley, const collide_hit *hit, const collide_leg *leg, wide3 free,
                                wide limit, wide3 *v, wide3 *end) {
    const wide zero = {0}, one = wide_set(1.0f);
    const wide3 slip = collide_crease(valley, hit->normal, leg->rest_normal, free);
    const wide along = wide_sqrt(wide3_dot(slip, slip));
    const wide_mask slides = wide_less(limit, along);
    const wide share = wide_select(slides, one - limit / wide_select(slides, along, one), zero);
    *end = wide3_select(valley, wide3_scale(share, slip), *end);
    *v = wide3_select(valley & ~slides, wide3_zero(), *v);
}

#endif
