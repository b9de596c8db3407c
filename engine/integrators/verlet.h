/* Velocity Verlet with predicted velocity: x += h v + h^2 a / 2, a' at (x, v + h a), v += h (a + a') / 2. For
 * forces of position only it is the method of Swope et al., J. Chem. Phys. 76 (1982) 637. The prediction
 * keeps order 2 where a force reads velocity (the half-kicked form drops to 1). */
#ifndef MOTE_INTEGRATORS_VERLET_H
#define MOTE_INTEGRATORS_VERLET_H

#include "integrators/lanes.h"

/* Carries base_v, the velocity at the start, and sum_v, the last h a, which opens the next substep where it
 * may be reused. */
MOTE_INLINE void mote_verlet_stage(mote_lanes *s, const mote_coefficients *c, uint32_t stage, wide3 dv) {
    const wide half = wide_set(0.5f);
    if (stage == 0) {
        s->base_v = s->v;
        s->x = wide3_add_scaled(s->x, wide_set(c->h), wide3_add_scaled(s->v, half, dv));
        s->v = wide3_add(s->v, dv);
    } else {
        s->v = wide3_add_scaled(s->base_v, half, wide3_add(s->sum_v, dv));
    }
    s->sum_v = dv;
}

#endif
