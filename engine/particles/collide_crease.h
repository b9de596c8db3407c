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

/* Greatest changes of velocity by the friction of the two planes of a crease. */
typedef struct collide_limits {
    wide here, other;
} collide_limits;

/* Returns those of the planes n and other: a is the velocity that their normal impulses keep out of them. */
MOTE_INLINE collide_limits collide_both(wide3 n, wide friction, wide3 other, wide other_friction, wide3 a) {
    const wide zero = {0}, one = wide_set(1.0f), cosine = wide3_dot(n, other), square = one - cosine * cosine,
               into = zero - wide3_dot(n, a), other_into = zero - wide3_dot(other, a);
    const wide_mask apart = wide_less(wide_set(COLLIDE_SLOW), square);
    const wide inverse = wide_select(apart, one / wide_select(apart, square, one), zero);
    const wide impulse = wide_max(inverse * (into - cosine * other_into), zero),
               other_impulse = wide_max(inverse * (other_into - cosine * into), zero);
    return (collide_limits){friction * impulse, other_friction * other_impulse};
}

/* Returns the lanes of `creased` that three planes hold: a, the velocity that they keep out, is a sum of
 * their normal impulses, none of which pulls. limits: of the hit and of the plane before it; *older: of the
 * first. */
MOTE_INLINE wide_mask collide_wedged(wide_mask creased, wide3 n, wide friction, const collide_leg *leg,
                                     wide3 a, collide_limits *limits, wide *older) {
    const wide zero = {0}, one = wide_set(1.0f);
    const wide3 across[3] = {wide3_cross(leg->rest_normal, n), wide3_cross(n, leg->older_normal),
                             wide3_cross(leg->older_normal, leg->rest_normal)};
    const wide volume = wide3_dot(leg->older_normal, across[0]);
    const wide_mask apart = creased & wide_less(wide_set(COLLIDE_SLOW), wide_abs(volume));
    const wide inverse = wide_select(apart, one / wide_select(apart, volume, one), zero);
    wide impulse[3];
    for (int k = 0; k < 3; k++) impulse[k] = zero - inverse * wide3_dot(a, across[k]);
    const wide_mask held = apart & ~wide_less(wide_min(wide_min(impulse[0], impulse[1]), impulse[2]), zero);
    *older = leg->older_friction * impulse[0];
    limits->other = wide_select(held, leg->rest_friction * impulse[1], limits->other);
    limits->here = wide_select(held, friction * impulse[2], limits->here);
    return held;
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
