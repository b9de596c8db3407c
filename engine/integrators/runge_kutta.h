/* Explicit Runge-Kutta methods whose tableau has only a sub-diagonal: explicit Euler, midpoint, the classic
 * RK4 (Kutta 1901). Positions and velocities pass through the stages together, and so do all particles of a
 * block. */
#ifndef MOTE_INTEGRATORS_RUNGE_KUTTA_H
#define MOTE_INTEGRATORS_RUNGE_KUTTA_H

#include "integrators/lanes.h"

/* Carries the state at the start (base) and the weighted increments (sum). */
MOTE_INLINE void mote_runge_kutta_stage(mote_lanes *s, const mote_coefficients *c, uint32_t stage, bool last,
                                        wide3 dv) {
    const wide weight = wide_set(c->weight[stage]);
    const wide3 dx = wide3_scale(wide_set(c->h), s->v);
    if (stage == 0) {
        s->base_x = s->x;
        s->base_v = s->v;
        s->sum_x = wide3_scale(weight, dx);
        s->sum_v = wide3_scale(weight, dv);
    } else {
        s->sum_x = wide3_add_scaled(s->sum_x, weight, dx);
        s->sum_v = wide3_add_scaled(s->sum_v, weight, dv);
    }
    const wide next = wide_set(c->next[stage]);
    s->x = last ? wide3_add(s->base_x, s->sum_x) : wide3_add_scaled(s->base_x, next, dx);
    s->v = last ? wide3_add(s->base_v, s->sum_v) : wide3_add_scaled(s->base_v, next, dv);
}

#endif
