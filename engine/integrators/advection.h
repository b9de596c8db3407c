/* Advection: x' = u(x, t), particles without momentum, with the tableaux of the Runge-Kutta family. */
#ifndef MOTE_INTEGRATORS_ADVECTION_H
#define MOTE_INTEGRATORS_ADVECTION_H

#include "integrators/lanes.h"

/* Makes x non-finite where v is not finite: the next substep overwrites v, and the error must not be lost. */
MOTE_INLINE wide poison(wide x, wide v) {
    wide zero = v * 0.0f;
    return wide_select(wide_equal(zero, (wide){0}), x, zero);
}

/* Takes dx = h u at the stage. Carries base_x and sum_x; the velocity column receives the mean of u over the
 * substep. */
MOTE_INLINE void mote_advection_stage(mote_lanes *s, const mote_coefficients *c, uint32_t stage, bool last,
                                      wide3 dx) {
    const wide weight = wide_set(c->weight[stage]);
    if (stage == 0) {
        s->base_x = s->x;
        s->sum_x = wide3_scale(weight, dx);
    } else {
        s->sum_x = wide3_add_scaled(s->sum_x, weight, dx);
    }
    s->x = last ? wide3_add(s->base_x, s->sum_x) : wide3_add_scaled(s->base_x, wide_set(c->next[stage]), dx);
    if (!last) return;
    s->v = (wide3){s->sum_x.x / c->h, s->sum_x.y / c->h, s->sum_x.z / c->h};
    s->x = (wide3){poison(s->x.x, s->v.x), poison(s->x.y, s->v.y), poison(s->x.z, s->v.z)};
}

#endif
