/* The staged kernels: each runs one stage over the columns of a workspace, with the arithmetic of the fused
 * kernel. */
#ifndef MOTE_PARTICLES_STAGED_H
#define MOTE_PARTICLES_STAGED_H

#include "particles/fused.h"

/* Stores the state of movable lanes. Immovable and frozen particles must keep their position at every stage,
 * because callbacks that reach the range read them. */
MOTE_INLINE void store_stage(const mote_span *span, const mote_workspace *workspace, bool mass,
                             const mote_lanes *s, size_t i) {
    size_t at = i - workspace->first;
    wide_mask keep = lanes_to_keep(span, mass, i) & ~wide_mask_load(workspace->frozen + at);
    wide3_store(workspace->x, at, wide3_select(keep, s->x, wide3_load(workspace->x, at)));
    wide3_store(workspace->v, at, wide3_select(keep, s->v, wide3_load(workspace->v, at)));
}

MOTE_INLINE void staged_begin(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,
                              mote_instance of, size_t first, size_t end) {
    bool drifts = of.family == MOTE_FAMILY_SPLITTING && plan->c.drift_first != 0;
    if (!drifts && (of.family != MOTE_FAMILY_MAP || plan->stages != 0)) return;
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        size_t at = i - workspace->first;
        mote_lanes s = {.x = wide3_load(workspace->x, at), .v = wide3_load(workspace->v, at)};
        wide inverse_mass = load_external(plan, span, of.mass, i).inverse_mass;
        const mote_wide_map map = family_map(plan, of.family, inverse_mass);
        begin_substep(plan, of.family, &s, &map);
        store_stage(span, workspace, of.mass, &s, i);
    }
}

/* Runs one stage. at.again: reuses the last evaluation of the previous substep. */
MOTE_INLINE void staged_stage(const mote_plan *plan, const mote_span *span, const mote_workspace *workspace,
                              mote_instance of, mote_staged_at at, size_t first, size_t end) {
    of.mix = mix_of(plan);
    of.callbacks = plan->callback_count != 0;
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        const size_t to = i - workspace->first;
        mote_lanes s = {wide3_load(workspace->x, to),         wide3_load(workspace->v, to),
                        wide3_load(workspace->carry, to),     wide3_load(workspace->carry + 3, to),
                        wide3_load(workspace->carry + 6, to), wide3_load(workspace->carry + 9, to)};
        mote_external external = load_external(plan, span, of.mass, i);
        if (plan->callback_count) {
            external.acceleration = wide3_load(workspace->acceleration, to);
            external.force = wide3_load(workspace->force, to);
        }
        const mote_wide_map map = family_map(plan, of.family, external.inverse_mass);
        wide3 dv[MOTE_MAX_UNROLL];
        if (at.again)
            dv[0] = s.sum_v;
        else
            mote_evaluate(plan, of, (mote_stage_at){at.stage, at.time}, &s, &external, dv);
        do_stage(plan, of.family, &s, at.stage, dv[0], &map);
        if (at.stage + 1 == plan->stages) end_substeps(plan, of.family, &s);
        store_stage(span, workspace, of.mass, &s, i);
        if (of.family != MOTE_FAMILY_SPLITTING && of.family != MOTE_FAMILY_MAP) {
            wide3_store(workspace->carry, to, s.base_x);
            wide3_store(workspace->carry + 3, to, s.base_v);
            wide3_store(workspace->carry + 6, to, s.sum_x);
            wide3_store(workspace->carry + 9, to, s.sum_v);
        }
    }
}

MOTE_INLINE void staged_commit(const mote_span *span, const mote_workspace *workspace, bool mass,
                               uint32_t step, size_t first, size_t end, uint32_t *frozen) {
    for (size_t i = first; i < end; i += MOTE_WIDTH) {
        size_t at = i - workspace->first;
        mote_lanes s = {.x = wide3_load(workspace->x, at), .v = wide3_load(workspace->v, at)};
        wide_mask keep = lanes_to_keep(span, mass, i);
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
