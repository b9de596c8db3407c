/* The staged kernels: one stage over the columns of a workspace, the same arithmetic as the fused kernel. */
#ifndef MOTE_PARTICLES_STAGED_H
#define MOTE_PARTICLES_STAGED_H

#include "particles/fused.h"

/* Writes the state back where it may move. What is immovable or frozen must stand still at every stage,
 * because a callback that reaches the range shows it to the others. */
MOTE_INLINE void store_stage(const mote_span *span, const mote_workspace *workspace, bool mass,
                             wide inverse_mass, const mote_lanes *s, size_t i) {
    size_t at = i - workspace->first;
    wide_mask keep = lanes_to_keep(span, mass, inverse_mass, i) & ~wide_mask_load(workspace->frozen + at);
    wide3_store(workspace->x, at, wide3_select(keep, s->x, wide3_load(workspace->x, at)));
    wide3_store(workspace->v, at, wide3_select(keep, s->v, wide3_load(workspace->v, at)));
}

MOTE_INLINE void staged_begin(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,
                              mote_family family, bool mass, size_t first, size_t end) {
    bool drifts = family == MOTE_FAMILY_SPLITTING && plan->c.drift_first != 0;
    if (!drifts && (family != MOTE_FAMILY_MAP || plan->stages != 0)) return;
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        size_t at = i - workspace->first;
        mote_lanes s = {.x = wide3_load(workspace->x, at), .v = wide3_load(workspace->v, at)};
        wide inverse_mass = load_external(plan, span, mass, i).inverse_mass;
        mote_wide_map map;
        if (family == MOTE_FAMILY_MAP) map = map_of(plan, inverse_mass);
        begin_substep(plan, family, &s, &map);
        store_stage(span, workspace, mass, inverse_mass, &s, i);
    }
}

MOTE_INLINE void staged_stage(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,
                              mote_family family, bool mass, uint32_t stage, double time, bool again,
                              size_t first, size_t end) {
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        size_t at = i - workspace->first;
        mote_lanes s = {wide3_load(workspace->x, at),         wide3_load(workspace->v, at),
                        wide3_load(workspace->carry, at),     wide3_load(workspace->carry + 3, at),
                        wide3_load(workspace->carry + 6, at), wide3_load(workspace->carry + 9, at)};
        mote_external external = load_external(plan, span, mass, i);
        if (plan->callback_count) {
            external.acceleration = wide3_load(workspace->acceleration, at);
            external.force = wide3_load(workspace->force, at);
        }
        mote_wide_map map;
        if (family == MOTE_FAMILY_MAP) map = map_of(plan, external.inverse_mass);
        wide3 dv[MOTE_MAX_UNROLL];
        if (again)
            dv[0] = s.sum_v;
        else
            mote_evaluate(plan, stage, time, &s, &external, FOLDS_AFFINE(family),
                          plan->mix <= MOTE_MIX_DRAG ? MOTE_MIX_AFFINE : MOTE_MIX_ANY,
                          plan->callback_count != 0, mass, dv, 1);
        do_stage(plan, family, &s, stage, dv[0], &map);
        store_stage(span, workspace, mass, external.inverse_mass, &s, i);
        if (family != MOTE_FAMILY_SPLITTING && family != MOTE_FAMILY_MAP) {
            wide3_store(workspace->carry, at, s.base_x);
            wide3_store(workspace->carry + 3, at, s.base_v);
            wide3_store(workspace->carry + 6, at, s.sum_x);
            wide3_store(workspace->carry + 9, at, s.sum_v);
        }
    }
}

MOTE_INLINE void staged_commit(const mote_span *span, const mote_workspace *workspace, bool mass,
                               uint32_t step, size_t first, size_t end, uint32_t *frozen) {
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        size_t at = i - workspace->first;
        mote_lanes s = {.x = wide3_load(workspace->x, at), .v = wide3_load(workspace->v, at)};
        wide_mask keep = lanes_to_keep(span, mass, mass ? wide_load(span->inverse_mass + i) : (wide){0}, i);
        keep &= ~wide_mask_load(workspace->frozen + at);
        wide_mask bad = keep & ~finite_lanes(&s);
        mark(span->fate, bad, i, step, frozen);
        wide_mask_store(workspace->frozen + at, bad | wide_mask_load(workspace->frozen + at));
        keep &= ~bad;
        s.x = wide3_select(keep, s.x, wide3_load(span->x, i));
        s.v = wide3_select(keep, s.v, wide3_load(span->v, i));
        wide3_store(span->x, i, s.x);
        wide3_store(span->v, i, s.v);
        wide3_store(workspace->x, at, s.x);
        wide3_store(workspace->v, at, s.v);
    }
}

#endif
