/* Energy of contacts under springs. The legs of a path (collide.h) share the mean acceleration of the free
 * path, which leads through the collider, where a spring pulls otherwise. So a particle would gain energy at
 * each hit, without bound where h sqrt(k/m) is 1 (measured: 4 times its energy within a second). */
#ifndef MOTE_PARTICLES_COLLIDE_SPRINGS_H
#define MOTE_PARTICLES_COLLIDE_SPRINGS_H

#include "particles/collide_hit.h"

/* Share of the energy that is rounding. */
#define COLLIDE_UNKNOWN 0x1p-20f

/* The free path of lanes in a substep. */
typedef struct collide_free {
    wide3 x0, x, v; /* its ends, and the velocity at the last one */
    wide3 mean;     /* m/s^2, its acceleration */
    wide3 grows;    /* 1/s^2, by which the acceleration grows with the position */
    wide3 ahead;    /* m/s, by which its velocities are ahead of those of a parabola */
} collide_free;

/* Returns the square of the velocity that lanes with the velocity `now` have at `place` with the energy of
 * the end of the free path: v^2 + 2 a d, for the way d to the place and the mean acceleration a on it. The
 * substep x1 = x0 + h v1 falls g h^2 / 2 further than a parabola; that is no loss of the contact. */
MOTE_INLINE wide collide_square_at(const collide_free *f, wide3 place, wide3 now) {
    const wide3 d = wide3_sub(place, f->x), way = wide3_add(wide3_sub(f->x, f->x0), d),
                grown = {f->grows.x * way.x, f->grows.y * way.y, f->grows.z * way.z},
                a = wide3_add_scaled(f->mean, wide_set(0.5f), grown);
    return wide3_dot(f->v, f->v) + 2.0f * (wide3_dot(a, d) + wide3_dot(f->ahead, wide3_sub(f->v, now)));
}

/* Limits lanes that were hit by colliders at rest to the energy that the free path ends with. Those that have
 * none left where the last leg ends stay where it begins. left: share of the substep of the path. */
MOTE_OUTLINE void collide_limit_energy(const mote_collision *c, wide3 x0, wide3 x, wide3 v, wide left,
                                       collide_leg *leg) {
    const wide zero = {0};
    const collide_free free = {.x0 = x0,
                               .x = x,
                               .v = v,
                               .mean = wide3_scale(c->inverse_h / left, leg->gained),
                               .grows = wide3_add_scaled(wide3_set(c->stiffness),
                                                         collide_inverse_masses(c, leg, leg->touched),
                                                         wide3_set(c->force_stiffness)),
                               .ahead = wide3_scale(wide_set(c->theta - 0.5f), leg->gained)};
    wide most = collide_square_at(&free, leg->end_x, leg->end_v);
    const wide_mask high = leg->touched & ~leg->held & wide_less(most, zero);
    if (wide_lane_bits(high)) {
        leg->end_x = wide3_select(high, leg->x, leg->end_x);
        leg->end_v = wide3_select(high, leg->v, leg->end_v);
        most = wide_select(high, collide_square_at(&free, leg->x, leg->v), most);
    }
    most = wide_max(most, zero);
    const wide square = wide3_dot(leg->end_v, leg->end_v);
    const wide_mask more = leg->touched & wide_less(most + COLLIDE_UNKNOWN * square, square);
    if (!wide_lane_bits(more)) return;
    const wide share = wide_sqrt(most / wide_select(more, square, wide_set(1.0f)));
    leg->end_v = wide3_select(more, wide3_scale(share, leg->end_v), leg->end_v);
}

#endif
