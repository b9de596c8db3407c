/* Drag after hits. The legs of a path (collide.h) share the acceleration of the free path, on which drag
 * slows the velocity before the hit; that after it points elsewhere. So an elastic hit would give back the
 * speed that drag has taken in the substep, and more (measured: between plates, h c = 1/6, up to 6 times the
 * energy that a particle had; under quadratic drag, h c |v| / m = 1/2, up to 8 times). The closed form of
 * drag alone gives the velocity that drag takes after a hit, and that before it, and so takes at most all of
 * a relative velocity; quadratic drag needs no limit there. */
#ifndef MOTE_PARTICLES_COLLIDE_DRAG_H
#define MOTE_PARTICLES_COLLIDE_DRAG_H

#include "forces/drag_taken.h"
#include "particles/collide_hit.h"

#define COLLIDE_DAMPED 3.0f /* rate times duration, at most: the share is 3e-2 too small there */

/* Returns the share 1 - exp(-q) of a velocity that drag of the rate q per leg takes, to its fourth order. */
MOTE_INLINE wide collide_damped(wide damping, wide time) {
    const wide q = wide_clamp((0.0f - time) * damping, 0.0f, COLLIDE_DAMPED);
    return q / (1.0f + q * (0.5f + (1.0f / 12) * q));
}

/* Drag of lanes in the rest of a substep after a hit, or in all of one. */
typedef struct collide_drag {
    wide3 x, v;    /* m, m/s: place and velocity of the lanes before the hit */
    wide3 shares;  /* of a change of the velocity that linear drag takes back, along each axis */
    wide duration; /* s/kg, over the mass */
    wide3 taken;   /* m/s, from the velocity before the hit by quadratic drag */
} collide_drag;

/* Returns the drag of the lanes in `lanes` with the velocity v at x within `time` (s). */
MOTE_OUTLINE collide_drag collide_drag_of(const mote_collision *c, const collide_leg *leg, wide_mask lanes,
                                          wide3 x, wide3 v, wide time) {
    const wide inverse_mass = collide_inverse_masses(c, leg, lanes);
    wide3 damping = wide3_add_scaled(wide3_set(c->damping), inverse_mass, wide3_set(c->force_damping));
    if (c->inline_drags) {
        const wide rate = inverse_mass * mote_inline_damping(c->forces, c->force_count, x);
        damping = wide3_sub(damping, (wide3){rate, rate, rate});
    }
    collide_drag drag = {.x = x, .v = v, .duration = inverse_mass * time, .taken = wide3_zero()};
    drag.shares = (wide3){collide_damped(damping.x, time), collide_damped(damping.y, time),
                          collide_damped(damping.z, time)};
    if (c->quadratic_drags)
        drag.taken = mote_quadratic_drag_taken(c->forces, c->force_count, x, v, drag.duration);
    return drag;
}

/* Returns the velocity that drag takes back from a change of the velocity by a hit. Linear and quadratic drag
 * act one after the other: together they take no more than all. */
MOTE_INLINE wide3 collide_taken_back(const mote_collision *c, const collide_drag *drag, wide3 change) {
    const wide3 linear = wide3_mul(drag->shares, change);
    if (!c->quadratic_drags) return linear;
    const wide3 one = {wide_set(1.0f), wide_set(1.0f), wide_set(1.0f)}, v = wide3_add(drag->v, change),
                taken = mote_quadratic_drag_taken(c->forces, c->force_count, drag->x, v, drag->duration);
    return wide3_add(linear, wide3_mul(wide3_sub(one, drag->shares), wide3_sub(taken, drag->taken)));
}

/* Returns the change of velocities in half a substep, by which their columns lag behind, at the end of a
 * substep; half: that at its start. Resting lanes are in balance with it. */
MOTE_INLINE wide3 collide_half_at_end(const mote_collision *c, const collide_leg *leg, wide3 from_v,
                                      wide3 half) {
    const wide_mask lanes = leg->touched & ~leg->rested & ~leg->held;
    if (!c->drags || !wide_lane_bits(lanes)) return half;
    const wide3 free = wide3_add(wide3_add(from_v, half), leg->gained);
    const collide_drag drag = collide_drag_of(c, leg, lanes, leg->end_x, free, wide_set(c->h));
    const wide3 taken = collide_taken_back(c, &drag, wide3_sub(leg->end_v, free));
    return wide3_select(lanes, wide3_sub(half, wide3_scale(wide_set(0.5f), taken)), half);
}

#endif
