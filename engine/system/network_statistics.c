/* What networks report, measured in double in a fixed order of the host's numbering: sums.h. */
#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "base/parallel.h"
#include "system/sums.h"

mote_result mote_network_report(const mote_system *system, mote_network_id id,
                                mote_network_step_report *report) {
    if (!system || !report) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = mote_system_edit_network(system, id, &network);
    if (result == MOTE_OK) *report = network->report;
    return result;
}

/* --- Springs --- */

enum { ELASTIC = MOTE_SUM_ELASTIC, STRAIN, STRAINED }; /* J; sum of magnitudes; springs with a rest length */

static bool lives(const mote_network_spring_state *s) { return s->a != MOTE_NO_SLOT; }

static double length_of(const mote_network *n, const mote_network_spring_state *s) {
    double square[3];
    for (int axis = 0; axis < 3; axis++) {
        const double d = (double)n->x[axis][s->b] - (double)n->x[axis][s->a];
        square[axis] = d * d;
    }
    return __builtin_sqrt((square[0] + square[1]) + square[2]);
}

/* |d| / L - 1 by magnitude, for L > 0. */
static double strain_of(const mote_network *n, const mote_network_spring_state *s) {
    const double strain = length_of(n, s) / (double)s->rest_length - 1;
    return strain < 0 ? -strain : strain;
}

static void add_spring(const mote_network *n, const mote_network_spring_state *s, mote_sums *to) {
    if (!lives(s)) return;
    const double stretch = length_of(n, s) - (double)s->rest_length;
    if (s->stiffness < INFINITY) to->of[ELASTIC] += 0.5 * (double)s->stiffness * (stretch * stretch);
    if (!(s->rest_length > 0)) return;
    to->of[STRAIN] += strain_of(n, s);
    to->of[STRAINED] += 1;
}

static mote_sums sum_springs(const void *context, size_t first, size_t end) {
    const mote_network *n = context;
    mote_sums lane[MOTE_GROUP];
    memset(lane, 0, sizeof lane);
    for (size_t i = first; i < end; i++) add_spring(n, &n->spring[i], &lane[i % MOTE_GROUP]);
    return mote_sums_of_lanes(lane);
}

mote_sums mote_system_sum_springs(const mote_system *system, const mote_network *network) {
    return mote_sum_range(&system->def.jobs, network->spring_end, sum_springs, network);
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
            if (!lives(&n->spring[i]) || !(n->spring[i].rest_length > 0)) continue;
            const double strain = strain_of(n, &n->spring[i]);
            if (strain > best.strain) best = (most){strain, i};
        }
        s->part[part] = best;
    }
}

/* Of equals the lowest number. */
static most find_most(const mote_jobs *jobs, const mote_network *network) {
    search s = {.network = network};
    most best = {-1, MOTE_NO_ITEM};
    mote_parallel_for(jobs, PARTS, 1, do_parts, &s);
    for (uint32_t i = 0; i < PARTS; i++)
        if (s.part[i].strain > best.strain) best = s.part[i];
    return best;
}

/* --- The call --- */

static void measure(const mote_system *system, const mote_network *network, mote_statistics *to) {
    const mote_sums particles = mote_system_sum_network(system, network);
    const mote_sums springs = mote_system_sum_springs(system, network);
    const most strained = find_most(&system->def.jobs, network);
    *to = (mote_statistics){.mass = particles.of[MOTE_SUM_MASS],
                            .kinetic = particles.of[MOTE_SUM_KINETIC],
                            .elastic = springs.of[ELASTIC],
                            .potential = particles.of[MOTE_SUM_POTENTIAL],
                            .max_strain_item = strained.spring};
    memcpy(to->momentum, &particles.of[MOTE_SUM_MOMENTUM], sizeof to->momentum);
    memcpy(to->angular_momentum, &particles.of[MOTE_SUM_ANGULAR], sizeof to->angular_momentum);
    if (strained.spring != MOTE_NO_ITEM) to->max_strain = strained.strain;
    if (springs.of[STRAINED] > 0) to->mean_strain = springs.of[STRAIN] / springs.of[STRAINED];
}

mote_result mote_network_statistics(const mote_system *system, mote_network_id id,
                                    mote_statistics *statistics) {
    if (!system || !statistics) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = mote_system_edit_network(system, id, &network);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    mote_system_set_busy(system, true);
    measure(system, network, statistics);
    mote_system_set_busy(system, false);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
