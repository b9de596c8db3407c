/* Statistics of networks, in double, in a fixed order of the host's numbering: stage/sums.h. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "networks/network.h"

/* --- Particles --- */

typedef struct particle_sum {
    const mote_network *network;
    const mote_plan_def *field;
} particle_sum;

static mote_sums sum_particles(const void *context, size_t first, size_t end) {
    const particle_sum *s = context;
    const mote_network *n = s->network;
    mote_sums lane[MOTE_GROUP];
    memset(lane, 0, sizeof lane);
    for (size_t i = first; i < end; i++) {
        double x[3];
        mote_network_place(n, n->slot_of_particle[i], x);
        mote_sums_add_place(&lane[i % MOTE_GROUP], s->field, &n->range, n->slot_of_particle[i], x);
    }
    return mote_sums_of_lanes(lane);
}

/* --- Springs --- */

static double length_of(const mote_network *n, const mote_network_spring_state *s) {
    double d[3];
    return mote_network_distance_of(n, s->a, s->b, d);
}

static void add_spring(const mote_network *n, const mote_network_spring_state *s, mote_sums *to) {
    if (s->a == MOTE_NO_SLOT) return;
    const double length = length_of(n, s), rest = (double)s->rest_length;
    if (s->stiffness < INFINITY)
        to->of[MOTE_SUM_ELASTIC] += mote_elastic_energy((double)s->stiffness, length, rest);
    mote_sums_add_strain(to, length, rest);
}

static mote_sums sum_springs(const void *context, size_t first, size_t end) {
    const mote_network *n = context;
    mote_sums lane[MOTE_GROUP];
    memset(lane, 0, sizeof lane);
    for (size_t i = first; i < end; i++) add_spring(n, &n->spring[i], &lane[i % MOTE_GROUP]);
    return mote_sums_of_lanes(lane);
}

mote_sums mote_network_sum(const mote_range *range, const mote_step *now) {
    const mote_network *network = mote_const_network_of(range);
    const particle_sum particles = {network, now->plan};
    mote_sums sums = mote_sum_range(now->jobs, network->particle_count, sum_particles, &particles);
    const mote_sums springs = mote_sum_range(now->jobs, network->spring_end, sum_springs, network);
    mote_sums_add(&sums, &springs);
    return sums;
}

/* --- The largest strain --- */

enum { PARTS = 64 };

typedef struct most {
    double strain;
    uint32_t spring;
} most;

typedef struct search {
    const mote_network *network;
    most part[PARTS];
} search;

static void do_parts(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    search *s = context;
    const mote_network *n = s->network;
    for (size_t part = first; part < end; part++) {
        const uint32_t from = (uint32_t)((uint64_t)n->spring_end * part / PARTS);
        const uint32_t to = (uint32_t)((uint64_t)n->spring_end * (part + 1) / PARTS);
        most best = {-1, MOTE_NO_ITEM};
        for (uint32_t i = from; i < to; i++) {
            if (n->spring[i].a == MOTE_NO_SLOT || !(n->spring[i].rest_length > 0)) continue;
            const double strain = mote_strain(length_of(n, &n->spring[i]), (double)n->spring[i].rest_length);
            if (strain > best.strain) best = (most){strain, i};
        }
        s->part[part] = best;
    }
}

/* Finds the spring of the largest strain; of equals, the one of the lowest number. */
static most find_most(const mote_jobs *jobs, const mote_network *network) {
    search s = {.network = network};
    most best = {-1, MOTE_NO_ITEM};
    const double work = MOTE_WORK_SUM * (double)network->spring_end;
    mote_parallel_for(mote_jobs_for(jobs, work), PARTS, 1, do_parts, &s);
    for (uint32_t i = 0; i < PARTS; i++)
        if (s.part[i].strain > best.strain) best = s.part[i];
    return best;
}

/* --- The network --- */

mote_statistics mote_network_statistics_of(const mote_network *network, const mote_step *now) {
    const mote_sums sums = mote_network_sum(&network->range, now);
    const most strained = find_most(now->jobs, network);
    mote_statistics statistics = mote_sums_statistics(&sums);
    statistics.max_strain_item = strained.spring;
    if (strained.spring != MOTE_NO_ITEM) statistics.max_strain = strained.strain;
    return statistics;
}
