/* One evaluation of all forces on a few registers of particles: dv = kick h a(x, v). */
#ifndef MOTE_STAGE_EVALUATE_H
#define MOTE_STAGE_EVALUATE_H

#include "stage/inline_forces.h"

MOTE_INLINE wide3 mote_affine_evaluate(const mote_affine_stage *a, bool stiff, const mote_lanes *s) {
    wide3 dv = wide3_add(wide3_set(a->constant), wide3_mul(wide3_set(a->damping), s->v));
    return stiff ? wide3_add(dv, wide3_mul(wide3_set(a->stiffness), s->x)) : dv;
}

/* All forces that are not affine, in m/s^2: inline forces in order, callbacks, the inbox, newtons over the
 * mass. */
MOTE_INLINE void mote_mix_evaluate(const mote_plan *plan, mote_force_mix mix, double time,
                                   const mote_lanes *s, const mote_external *external, bool callbacks,
                                   wide3 *sum, int n) {
    mote_force_sum push[MOTE_MAX_UNROLL];
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) push[u] = (mote_force_sum){wide3_zero(), wide3_zero()};
    if (plan->point_count) mote_inline_evaluate(plan, mix, time, s, external, push, n);
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        sum[u] = push[u].acceleration;
        if (callbacks) sum[u] = wide3_add(sum[u], external[u].acceleration);
        if (!plan->newtons) continue;
        wide3 force = push[u].force;
        if (callbacks) force = wide3_add(force, external[u].force);
        if (plan->external_forces) force = wide3_add(force, external[u].external_forces);
        sum[u] = wide3_add_scaled(sum[u], external[u].inverse_mass, force);
    }
}

/* dv[u] for each of `n` registers at `time` (0 unless plan->timed). affine: whether the affine term belongs
 * to it; rest: what other forces there are; callbacks: whether they are in `external`; mass: whether there is
 * a column of inverse masses. */
MOTE_INLINE void mote_evaluate(const mote_plan *plan, uint32_t stage, double time, const mote_lanes *s,
                               const mote_external *external, bool affine, mote_force_mix mix, bool callbacks,
                               bool mass, wide3 *dv, int n) {
    const mote_evaluation *e = &plan->evaluation[stage];
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        dv[u] = wide3_zero();
        if (affine) dv[u] = mote_affine_evaluate(&e->acceleration, plan->stiff_acceleration, &s[u]);
        if (affine && mass && plan->affine_force)
            dv[u] = wide3_add_scaled(dv[u], external[u].inverse_mass,
                                     mote_affine_evaluate(&e->force, plan->stiff_force, &s[u]));
    }
    if (!mix) return;
    wide3 sum[MOTE_MAX_UNROLL];
    mote_mix_evaluate(plan, mix, time, s, external, callbacks, sum, n);
    MOTE_UNROLLED
    for (int u = 0; u < n; u++) {
        wide3 kick = wide3_scale(wide_set(e->kick_h), sum[u]);
        dv[u] = affine ? wide3_add(dv[u], kick) : kick;
    }
}

#endif
