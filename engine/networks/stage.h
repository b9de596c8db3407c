/* One stage of the system's integrator for the particles of a network, and the passes before and after it. */
#ifndef MOTE_NETWORKS_STAGE_H
#define MOTE_NETWORKS_STAGE_H

#include "stage/coupled.h"
#include "networks/places.h"

MOTE_INLINE bool network_carries(mote_family family) {
    return family != MOTE_FAMILY_SPLITTING && family != MOTE_FAMILY_MAP;
}

/* Loads the columns carried between stages: the state at the start of the substep (Verlet: velocity only) and
 * the sums so far. */
MOTE_INLINE void network_load_carry(const mote_network_scratch *c, mote_family family, bool first,
                                    mote_lanes *s, ptrdiff_t at) {
    if (!network_carries(family) || first) return;
    if (family != MOTE_FAMILY_VERLET)
        s->base_x = network_load3(c, COLUMN(carry), at), s->sum_x = network_load3(c, COLUMN(carry) + 6, at);
    s->base_v = network_load3(c, COLUMN(carry) + 3, at);
    s->sum_v = network_load3(c, COLUMN(carry) + 9, at);
}

MOTE_INLINE void network_keep_carry(const mote_network_scratch *c, mote_family family, bool first, bool last,
                                    const mote_lanes *s, ptrdiff_t at) {
    if (!network_carries(family) || last) return;
    if (first) network_store3(c, COLUMN(carry) + 3, at, s->base_v);
    network_store3(c, COLUMN(carry) + 9, at, s->sum_v);
    if (family == MOTE_FAMILY_VERLET) return;
    if (first) network_store3(c, COLUMN(carry), at, s->base_x);
    network_store3(c, COLUMN(carry) + 6, at, s->sum_x);
}

/* Stores the state of free particles in six columns from `state` on; pinned and masked slots keep theirs. */
MOTE_INLINE void network_store_free(const mote_network_scratch *c, int state, wide inverse_mass,
                                    const mote_lanes *old, const mote_lanes *s, ptrdiff_t at) {
    const wide_mask free = wide_less((wide){0}, inverse_mass);
    if (MOTE_LIKELY(wide_all(free))) {
        network_store3(c, state, at, s->x);
        network_store3(c, state + 3, at, s->v);
        return;
    }
    network_store3(c, state, at, wide3_select(free, s->x, old->x));
    network_store3(c, state + 3, at, wide3_select(free, s->v, old->v));
}

/* One stage of the integrator for a run of slots; whether it is the first or the last one is a constant. */
MOTE_INLINE void network_stage_run(const mote_network_job *job, const mote_network_scratch *columns,
                                   mote_coupled_instance of, mote_stage_at at, bool first_stage,
                                   bool last_stage, uint32_t first, uint32_t end) {
    const mote_network_scratch copy = *columns, *c = &copy;
    const mote_plan *plan = job->plan;
    const mote_coupled_affine own = mote_coupled_affine_of(plan, at.stage);
    const bool constrained = of.family == MOTE_FAMILY_SPLITTING && job->constrained;
    of.callbacks = of.others && (plan->callback_count != 0 || job->linked);
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t i = (ptrdiff_t)slot - c->first;
        mote_lanes s = {.x = network_load3(c, COLUMN(x), i), .v = network_load3(c, COLUMN(v), i)};
        const mote_lanes old = s;
        mote_external external = {.inverse_mass = wide_load(job->network->range.inverse_mass + slot),
                                  .anchor = wide3_zero()};
        if (of.callbacks) {
            external.acceleration = network_load3(c, COLUMN(acceleration), i);
            external.force = network_load3(c, COLUMN(force_sum), i);
        }
        wide3 force = of.uncoupled || constrained ? wide3_zero() : network_load3(c, COLUMN(force), i);
        mote_wide_map map;
        if (of.family == MOTE_FAMILY_MAP)
            map = map_of(plan, wide_load(job->network->own_inverse_mass + slot));
        mote_lanes in_world = s;
        if (constrained) in_world.x = network_world_at(job, c, slot);
        wide3 dv = mote_coupled_kick(&own, of, at.time, &in_world, &external, force);
        network_load_carry(c, of.family, first_stage, &s, i);
        if (of.family == MOTE_FAMILY_RUNGE_KUTTA)
            mote_runge_kutta_stage(&s, &plan->c, first_stage ? 0 : at.stage, last_stage, dv);
        else
            do_stage(plan, of.family, &s, at.stage, dv, &map);
        if (of.uncoupled) {
            s.x = wide3_add_scaled(s.x, external.inverse_mass, network_load3(c, COLUMN(shift), i));
            s.v = wide3_add_scaled(s.v, external.inverse_mass, network_load3(c, COLUMN(force), i));
        }
        network_store_free(c, COLUMN(x), external.inverse_mass, &old, &s, i);
        network_keep_carry(c, of.family, first_stage, last_stage, &s, i);
    }
}

/* One stage for a run of slots. Measured: with constants for the first and the last stage, RK4 of chains
 * takes 0.83 to 0.9 of the time. */
MOTE_INLINE void network_stage(const mote_network_job *job, const mote_network_scratch *c,
                               mote_coupled_instance of, mote_stage_at at, uint32_t first, uint32_t end) {
    const bool opens = at.stage == 0, closes = at.stage + 1 == job->plan->stages;
#if !defined(MOTE_COMPACT)
    if (network_carries(of.family) && !of.others) {
        if (opens && closes)
            network_stage_run(job, c, of, at, true, true, first, end);
        else if (opens)
            network_stage_run(job, c, of, at, true, false, first, end);
        else if (closes)
            network_stage_run(job, c, of, at, false, true, first, end);
        else
            network_stage_run(job, c, of, at, false, false, first, end);
        return;
    }
#endif
    network_stage_run(job, c, of, at, opens, closes, first, end);
}

/* Fourth-order splittings drift before their first kick. */
MOTE_INLINE void network_begin(const mote_network_job *job, const mote_network_scratch *c, uint32_t first,
                               uint32_t end) {
    const mote_plan *plan = job->plan;
    if (plan->scheme->family != MOTE_FAMILY_SPLITTING || plan->c.drift_first == 0) return;
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        mote_lanes s = {.x = network_load3(c, COLUMN(x), at), .v = network_load3(c, COLUMN(v), at)};
        const mote_lanes old = s;
        mote_splitting_begin(&s, &plan->c);
        network_store_free(c, COLUMN(x), wide_load(job->network->range.inverse_mass + slot), &old, &s, at);
    }
}

/* keep: start = x, start_v = v. Else v += (x - x*) / h of free particles, where x - x* is what the solver has
 * moved them by: the difference of two world positions would have their rounding. */
MOTE_INLINE void network_start(const mote_network_job *job, const mote_network_scratch *c, bool keep,
                               uint32_t first, uint32_t end) {
    const wide rate = wide_set((float)(1.0 / job->plan->h));
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        if (keep) {
            network_store3(c, COLUMN(start), at, network_load3(c, COLUMN(x), at));
            if (job->constrained) network_store3(c, COLUMN(start_v), at, network_load3(c, COLUMN(v), at));
            continue;
        }
        const wide_mask free = wide_less((wide){0}, wide_load(job->network->range.inverse_mass + slot));
        const wide3 v = network_load3(c, COLUMN(v), at),
                    gained = wide3_add_scaled(v, rate, network_load3(c, COLUMN(moved), at));
        network_store3(c, COLUMN(v), at, wide3_select(free, gained, v));
    }
}

MOTE_INLINE bool network_finite(const mote_network_job *job, const mote_network_scratch *c, uint32_t first,
                                uint32_t end) {
    wide probe = {0};
    for (uint32_t slot = first; slot < end; slot += MOTE_WIDTH) {
        const ptrdiff_t at = (ptrdiff_t)slot - c->first;
        const wide3 x = job->constrained ? network_world_at(job, c, slot) : network_load3(c, COLUMN(x), at);
        probe += wide3_finite_probe(x) + wide3_finite_probe(network_load3(c, COLUMN(v), at));
    }
    return wide_all(wide_equal(probe, (wide){0}));
}

#endif
