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

/* Returns the greatest change of velocity by the friction of both planes of a crease: a is the velocity that
 * their normal impulses keep out of them, those of the planes n and other. */
MOTE_INLINE wide collide_both(wide3 n, wide friction, wide3 other, wide other_friction, wide3 a) {
    const wide zero = {0}, one = wide_set(1.0f), cosine = wide3_dot(n, other), square = one - cosine * cosine,
               into = zero - wide3_dot(n, a), other_into = zero - wide3_dot(other, a);
    const wide_mask apart = wide_less(wide_set(COLLIDE_SLOW), square);
    const wide inverse = wide_select(apart, one / wide_select(apart, square, one), zero);
    const wide impulse = wide_max(inverse * (into - cosine * other_into), zero),
               other_impulse = wide_max(inverse * (other_into - cosine * into), zero);
    return friction * impulse + other_friction * other_impulse;
}

/* Between two planes on which it rests the particle slides along the crease alone, and so does friction, up
 * to `limit`, act on its free velocity. One that is held does not creep by rounding. */
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
