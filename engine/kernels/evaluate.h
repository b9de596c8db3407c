/* One evaluation of all forces on a few registers of particles: dv = kick h a(x, v). */
#ifndef MOTE_KERNELS_EVALUATE_H
#define MOTE_KERNELS_EVALUATE_H

#include "forces/attractor.h"
#include "integrators/lanes.h"
#include "kernels/plan.h"

/* Registers of particles that go through a kernel side by side, at most. */
#define MOTE_MAX_UNROLL 2

/* What reaches the particles from outside the registers. Absent parts are not read. */
typedef struct mote_external {
    wide inverse_mass;
    wide3 acceleration; /* of callbacks, m/s^2 */
    wide3 force;        /* of callbacks, N */
    wide3 inbox;        /* of the host, N */
} mote_external;

MOTE_INLINE wide3 mote_affine_evaluate(const mote_affine_stage *a, bool stiff, const mote_lanes *s) {
    wide3 dv = wide3_add(wide3_set(a->constant), wide3_mul(wide3_set(a->damping), s->v));
    return stiff ? wide3_add(dv, wide3_mul(wide3_set(a->stiffness), s->x)) : dv;
}

/* The switch is walked once for `n` registers, so its cost is shared. */
MOTE_INLINE void mote_points_evaluate(const mote_plan *plan, const mote_lanes *s, wide3 *acceleration, int n) {
    for (uint32_t i = 0; i < plan->force_count; i++) {
        const mote_force_def *def = &plan->forces[i];
        switch (def->kind) {
        case MOTE_FORCE_ATTRACTOR:
            MOTE_UNROLLED
            for (int u = 0; u < n; u++) mote_attractor_evaluate(def, s[u].x, &acceleration[u]);
            break;
        default: break;
        }
    }
}

/* All forces that are not affine, in m/s^2: point forces in order, callbacks, and newtons over the mass. */
MOTE_INLINE void mote_rest_evaluate(const mote_plan *plan, const mote_lanes *s, const mote_external *external,
                                    bool callbacks, wide3 *sum, int n) {
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) sum[u] = wide3_zero();
    if (plan->point_count) mote_points_evaluate(plan, s, sum, n);
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        if (callbacks) sum[u] = wide3_add(sum[u], external[u].acceleration);
        if (!plan->newtons) continue;
        wide3 force = wide3_zero();
        if (callbacks) force = wide3_add(force, external[u].force);
        if (plan->inbox) force = wide3_add(force, external[u].inbox);
        sum[u] = wide3_add_scaled(sum[u], external[u].inverse_mass, force);
    }
}

/* dv[u] for each of `n` registers. affine: whether the affine term belongs to it; rest: whether there are other forces;
 * callbacks: whether they are in `external`; mass: whether there is a column of inverse masses. */
MOTE_INLINE void mote_evaluate(const mote_plan *plan, uint32_t stage, const mote_lanes *s, const mote_external *external,
                               bool affine, bool rest, bool callbacks, bool mass, wide3 *dv, int n) {
    const mote_evaluation *e = &plan->evaluation[stage];
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        dv[u] = wide3_zero();
        if (affine) dv[u] = mote_affine_evaluate(&e->acceleration, plan->stiff_acceleration, &s[u]);
        if (affine && mass && plan->affine_force)
            dv[u] = wide3_add_scaled(dv[u], external[u].inverse_mass,
                                     mote_affine_evaluate(&e->force, plan->stiff_force, &s[u]));
    }
    if (!rest) return;
    wide3 sum[MOTE_MAX_UNROLL];
    mote_rest_evaluate(plan, s, external, callbacks, sum, n);
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        wide3 kick = wide3_scale(wide_set(e->kick_h), sum[u]);
        dv[u] = affine ? wide3_add(dv[u], kick) : kick;
    }
}

#endif
