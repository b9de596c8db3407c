/* The next step and queries: the state of a system at a step boundary, as ranges receive it; statistics,
 * summed in an order that does not depend on the number of workers (stage/sums.h). */
#include "forces/force.h"
#include "system/internal.h"

mote_step mote_system_next_step(const mote_system *system, mote_plan_def *def) {
    *def = (mote_plan_def){.integrator = system->def.integrator,
                           .forces = system->forces.items,
                           .force_count = system->forces.count,
                           .start_time = system->clock.start_time,
                           .timestep = system->clock.timestep,
                           .substeps = system->def.substeps,
                           .mass_column = system->def.mass_column,
                           .mass = (double)system->def.mass,
                           .external_forces = system->particles.external_forces_marked,
                           .collides = mote_system_collides(system),
                           .anchors = system->def.anchor_column};
    return (mote_step){.plan = def,
                       .colliders = (mote_collider_list *)(uintptr_t)&system->colliders,
                       .jobs = &system->def.jobs,
                       .scratch = system->scratch,
                       .number = system->clock.step,
                       .tick = mote_system_boundary(system),
                       .ticks_per_step = system->clock.ticks_per_step,
                       .stage_outer = system->def.loop_order == MOTE_LOOP_STAGE_OUTER};
}

mote_result mote_query_begin(mote_query *query, const mote_system *system) {
    const mote_result result = mote_system_fetch(system);
    if (result) return result;
    query->system = (mote_system *)(uintptr_t)system;
    query->saved = mote_fpu_enter();
    query->system->busy = true;
    query->now = mote_system_next_step(system, &query->def);
    query->by = (mote_presentation){system->present, &system->def.jobs, mote_clock_alpha(&system->clock)};
    return MOTE_OK;
}

mote_result mote_query_range(mote_query *query, const mote_system *system, mote_kind kind, mote_id id,
                             const void *to) {
    if (!to) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_aim_range(system, kind, id, &query->range);
    return result ? result : mote_query_begin(query, system);
}

mote_result mote_query_end(mote_query *query, mote_result result) {
    query->system->busy = false;
    mote_fpu_leave(query->saved);
    return result;
}

/* --- Statistics --- */

static uint32_t forces_without_potential(const mote_plan_def *plan) {
    uint32_t without = 0;
    for (uint32_t i = 0; i < plan->force_count; i++) without += !mote_force_has_potential(&plan->forces[i]);
    return without;
}

mote_result mote_system_statistics(const mote_system *system, mote_statistics *statistics) {
    if (!system || !statistics) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_query query;
    const mote_result result = mote_query_begin(&query, system);
    if (result) return result;
    mote_range *range;
    mote_sums sums = mote_particles_kind.sum(&system->particles.range, &query.now);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++) {
        const mote_sums more = range->kind->sum(range, &query.now);
        mote_sums_add(&sums, &more);
    }
    *statistics = mote_sums_statistics(&sums);
    statistics->forces_without_potential = forces_without_potential(&query.def);
    return mote_query_end(&query, MOTE_OK);
}
