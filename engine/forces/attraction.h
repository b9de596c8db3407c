/* Sums over the attractors without a region among some forces. */
#ifndef MOTE_FORCES_ATTRACTION_H
#define MOTE_FORCES_ATTRACTION_H

#include "forces/attractor.h"

/* Returns the sum of the accelerations (m/s^2) at x. */
MOTE_INLINE wide3 mote_attraction(const mote_force_def *forces, uint32_t count, wide3 x) {
    wide3 sum = wide3_zero();
    const mote_force_point at = {.x = x};
    for (uint32_t i = 0; i < count; i++)
        if (mote_force_is_attractor(&forces[i]))
            sum = wide3_add(sum, mote_attractor_evaluate(&forces[i], &at));
    return sum;
}

/* Returns the work (m^2/s^2) on the way from x to y, s (1 / r(y) - 1 / r(x)) for r^2 = |c - x|^2 + e^2,
 * without a difference of large numbers; 0 at a centre without softening. */
MOTE_INLINE wide mote_attraction_work(const mote_force_def *forces, uint32_t count, wide3 x, wide3 y) {
    const wide zero = {0};
    wide sum = zero;
    for (uint32_t i = 0; i < count; i++) {
        const mote_force_def *def = &forces[i];
        if (!mote_force_is_attractor(def)) continue;
        const float soft = def->as.attractor.softening * def->as.attractor.softening;
        const wide3 centre = wide3_set(def->as.attractor.centre), from = wide3_sub(centre, x),
                    to = wide3_sub(centre, y);
        const wide nearer = wide3_dot(wide3_sub(y, x), wide3_add(from, to)),
                   before = wide_sqrt(wide3_dot(from, from) + soft),
                   after = wide_sqrt(wide3_dot(to, to) + soft), product = before * after * (before + after);
        const wide_mask none = wide_equal(product, zero);
        sum += wide_select(none, zero,
                           def->as.attractor.strength * nearer / wide_select(none, wide_set(1.0f), product));
    }
    return sum;
}

#endif
