/* Integrators that advance the state under the affine forces by one affine map per axis, and apply the other
 * forces as kicks around it (Strang splitting, SIAM J. Numer. Anal. 5 (1968) 506). Exact flow: the map is the
 * matrix exponential, so affine forces without others are exact for any h. Implicit Euler and the kinematic
 * integrators differ in the map (table.c, map.c). */
#ifndef MOTE_INTEGRATORS_MAP_H
#define MOTE_INTEGRATORS_MAP_H

#include "integrators/lanes.h"

/* Map of each axis, in registers: the same for all lanes, or one per lane. */
typedef struct mote_wide_map {
    wide3 xx, xv, xc, vx, vv, vc;
} mote_wide_map;

MOTE_INLINE mote_wide_map mote_map_set(const mote_map m[3]) {
#define AXES(entry) {wide_set(m[0].entry), wide_set(m[1].entry), wide_set(m[2].entry)}
    return (mote_wide_map){AXES(xx), AXES(xv), AXES(xc), AXES(vx), AXES(vv), AXES(vc)};
#undef AXES
}

MOTE_INLINE void mote_map_apply(mote_lanes *s, const mote_wide_map *m) {
    wide3 dx = wide3_add(wide3_add(wide3_mul(m->xx, s->x), wide3_mul(m->xv, s->v)), m->xc);
    wide3 dv = wide3_add(wide3_add(wide3_mul(m->vx, s->x), wide3_mul(m->vv, s->v)), m->vc);
    s->x = wide3_add(s->x, dx);
    s->v = wide3_add(s->v, dv);
}

/* Kicks, then applies the map in stage 0. Kinematic integrators apply the map first and then add the kick of
 * the old state, with its own dx. */
MOTE_INLINE void mote_map_stage(mote_lanes *s, const mote_coefficients *c, uint32_t stage,
                                const mote_wide_map *m, wide3 dv) {
    if (stage == 0 && c->kick_after) {
        mote_map_apply(s, m);
        s->x = wide3_add_scaled(s->x, wide_set(c->push), dv);
        s->v = wide3_add(s->v, dv);
        return;
    }
    s->v = wide3_add(s->v, dv);
    if (stage == 0) mote_map_apply(s, m);
}

#endif
