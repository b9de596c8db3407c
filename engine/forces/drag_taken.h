/* Velocities that drag takes within a time, whatever other forces do. */
#ifndef MOTE_FORCES_DRAG_TAKEN_H
#define MOTE_FORCES_DRAG_TAKEN_H

#include "forces/quadratic_drag.h"
#include "forces/region.h"

/* Bounds, in m/s and as numbers, beyond which no square overflows and no share changes much. */
#define MOTE_DRAG_FAST  1e18f
#define MOTE_DRAG_OVERS 1024.0f

/* Returns the sum (kg/s) at x of the linear drags among the forces that are not folded. */
MOTE_INLINE wide mote_inline_damping(const mote_force_def *forces, uint32_t count, wide3 x) {
    wide sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        const float damping = mote_force_damping(&forces[i]);
        if (damping > 0) sum += damping * mote_region_weight(&forces[i].region, x);
    }
    return sum;
}

/* Returns the velocity (m/s) that the quadratic drags among the forces take from v at x within `duration`
 * (s/kg, a time over the mass). In closed form a drag alone takes q / (1 + q) of r = v - u, with q =
 * coefficient |r| duration; of several ones each takes q_i / (1 + q_1 + q_2 ...) of its r_i. */
MOTE_INLINE wide3 mote_quadratic_drag_taken(const mote_force_def *forces, uint32_t count, wide3 x, wide3 v,
                                            wide duration) {
    wide3 sum = wide3_zero();
    wide all = wide_set(1.0f);
    for (uint32_t i = 0; i < count; i++) {
        const mote_force_def *def = &forces[i];
        if (!mote_quadratic_drag_is(def)) continue;
        const wide3 relative = wide3_sub(v, wide3_set(def->as.quadratic_drag.velocity));
        const wide speed = wide_min(wide_sqrt(wide3_dot(relative, relative)), wide_set(MOTE_DRAG_FAST)),
                   rate = def->as.quadratic_drag.coefficient * mote_region_weight(&def->region, x),
                   q = wide_clamp(rate * (duration * speed), 0.0f, MOTE_DRAG_OVERS);
        sum = wide3_add_scaled(sum, q, relative);
        all += q;
    }
    return wide3_scale(1.0f / all, sum);
}

#endif
