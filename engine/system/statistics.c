/* Statistics of a system: energy and momentum, summed in an order that does not depend on the number of
 * workers (stage/sums.h). */
#include "forces/force.h"
#include "system/internal.h"

static uint32_t forces_without_potential(const mote_plan_def *plan) {
    uint32_t without = 0;
    for (uint32_t i = 0; i < plan->force_count; i++) without += !mote_force_has_potential(&plan->forces[i]);
    return without;
}

mote_result mote_system_statistics(const mote_system *system, mote_statistics *statistics) {
    if (!system || !statistics) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_query query;
    mote_query_begin(&query, system);
    mote_range *range;
    mote_sums sums = mote_particles_kind.sum(&system->particles.range, &query.now);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++) {
        const mote_sums more = range->kind->sum(range, &query.now);
        mote_sums_add(&sums, &more);
    }
    *statistics = mote_sums_statistics(&sums);
    statistics->mean_strain = 0;
    statistics->forces_without_potential = forces_without_potential(&query.def);
    return mote_query_end(&query, MOTE_OK);
}
