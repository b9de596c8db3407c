/* Splitting integrators: alternating kicks v += k h a and drifts x += d h v, with coefficients from the
 * table. Semi-implicit (symplectic) Euler is kick 1, drift 1; the fourth-order methods begin with a drift.
 * Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), VI.3. */
#ifndef MOTE_INTEGRATORS_SPLITTING_H
#define MOTE_INTEGRATORS_SPLITTING_H

#include "integrators/lanes.h"

MOTE_INLINE void mote_splitting_begin(mote_lanes *s, const mote_coefficients *c) {
    if (c->drift_first != 0) s->x = wide3_add_scaled(s->x, wide_set(c->drift_first), s->v);
}

MOTE_INLINE void mote_splitting_stage(mote_lanes *s, const mote_coefficients *c, uint32_t stage, wide3 dv) {
    s->v = wide3_add(s->v, dv);
    if (c->drift[stage] != 0) s->x = wide3_add_scaled(s->x, wide_set(c->drift[stage]), s->v);
}

#endif
