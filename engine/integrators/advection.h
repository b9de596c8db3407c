/* Advection: x' = u(x, t), particles without momentum, with the tableaux of the Runge-Kutta family. */
#ifndef MOTE_INTEGRATORS_ADVECTION_H
#define MOTE_INTEGRATORS_ADVECTION_H

#include "integrators/lanes.h"

/* Computes the velocity column: the mean of u over the last substep. */
MOTE_INLINE void mote_advection_end(mote_lanes *s, const mote_coefficients *c) {
    s->v = (wide3){s->sum_x.x / c->h, s->sum_x.y / c->h, s->sum_x.z / c->h};
}

MOTE_INLINE wide poison(wide x, wide v) {
    wide zero = v * 0.0f;
    return wide_select(wide_equal(zero, (wide){0}), x, zero);
}

/* Makes x non-finite where v would not be finite: the next substep overwrites v, and the error must not be
 * lost. A sum below h 2^126 gives a finite v, without the three divisions (measured: a seventh of the time of
 * curl noise). */
MOTE_INLINE void mote_advection_check(mote_lanes *s, const mote_coefficients *c) {
    const wide size = wide_abs(s->sum_x.x) + wide_abs(s->sum_x.y) + wide_abs(s->sum_x.z);
    if (MOTE_LIKELY(wide_all(wide_less(size, wide_set(c->h * 0x1p126f))))) return;
    mote_advection_end(s, c);
    s->x = (wide3){poison(s->x.x, s->v.x), poison(s->x.y, s->v.y), poison(s->x.z, s->v.z)};
}

/* Takes dx = h u at the stage. Carries base_x and sum_x. */
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
    if (last) mote_advection_check(s, c);
}

#endif
