/* Statistics of a system: energy and momentum, summed in an order that does not depend on the number of
 * workers (stage/sums.h). */
#include "forces/force.h"
#include "system/internal.h"

static uint32_t forces_without_potential(const mote_plan_def *plan) {
    uint32_t without = 0;
    for (uint32_t i = 0; i < plan->force_count; i++) without += !mote_force_has_potential(&plan->forces[i]);
    return without;
}

typedef struct total {
    const mote_step *now;
    mote_sums sums;
} total;

static void add_range(mote_range *range, void *context) {
    total *t = context;
    const mote_sums more = range->kind->sum(range, t->now);
    mote_sums_add(&t->sums, &more);
}

mote_result mote_system_statistics(const mote_system *system, mote_statistics *statistics) {
    if (!system || !statistics) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_query query;
    mote_query_begin(&query, system);
    total t = {&query.now, mote_particles_kind.sum(&system->particles.range, &query.now)};
    mote_system_each_range(system, add_range, &t);
    *statistics = mote_sums_statistics(&t.sums);
    statistics->mean_strain = 0;
    statistics->forces_without_potential = forces_without_potential(&query.def);
    mote_query_end(&query);
    return MOTE_OK;
}
