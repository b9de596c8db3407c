/* Linear drag after hits. The legs of a path (collide.h) share the acceleration of the free path, on which
 * drag slows the velocity before the hit; that after it points elsewhere. So an elastic hit would give back
 * the speed that drag has taken in the substep, and more (measured: between plates, h c = 1/6, up to 6 times
 * the energy that a particle had). */
#ifndef MOTE_PARTICLES_COLLIDE_DRAG_H
#define MOTE_PARTICLES_COLLIDE_DRAG_H

#include "particles/collide_hit.h"

#define COLLIDE_DAMPED 3.0f /* rate times duration, at most: the share is 3e-2 too small there */

/* Returns the inverse masses of the lanes in `lanes`. */
MOTE_INLINE wide collide_inverse_masses(const mote_collision *c, const collide_leg *leg, wide_mask lanes) {
    if (!c->inverse_masses) return wide_set(c->inverse_mass);
    float of[MOTE_WIDTH] = {0};
    for (uint32_t bits = wide_lane_bits(lanes); bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        of[lane] = c->inverse_masses[collide_slot(leg, lane)];
    }
    return wide_load(of);
}

/* Returns the share 1 - exp(-q) of a velocity that drag of the rate q per leg takes, to its fourth order. */
MOTE_INLINE wide collide_damped(wide damping, wide time) {
    const wide q = wide_clamp((0.0f - time) * damping, 0.0f, COLLIDE_DAMPED);
    return q / (1.0f + q * (0.5f + (1.0f / 12) * q));
}

/* Returns the shares, along each axis, of a change of the velocity by a hit that linear drag takes back
 * within `time` (s). */
MOTE_OUTLINE wide3 collide_drag(const mote_collision *c, const collide_leg *leg, wide_mask lanes, wide time) {
    const wide3 damping = wide3_add_scaled(wide3_set(c->damping), collide_inverse_masses(c, leg, lanes),
                                           wide3_set(c->force_damping));
    return (wide3){collide_damped(damping.x, time), collide_damped(damping.y, time),
                   collide_damped(damping.z, time)};
}

/* Returns the change of velocities in half a substep, by which their columns lag behind, at the end of a
 * substep; half: that at its start. What rests is in balance with it. */
MOTE_INLINE wide3 collide_half_at_end(const mote_collision *c, const collide_leg *leg, wide3 from_v,
                                      wide3 half) {
    const wide_mask lanes = leg->touched & ~leg->rested & ~leg->held;
    if (!c->drags || !wide_lane_bits(lanes)) return half;
    const wide3 change = wide3_sub(leg->end_v, wide3_add(wide3_add(from_v, half), leg->gained)),
                drag = wide3_mul(collide_drag(c, leg, lanes, wide_set(c->h)), change);
    return wide3_select(lanes, wide3_sub(half, wide3_scale(wide_set(0.5f), drag)), half);
}

#endif
