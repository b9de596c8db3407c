/* Stability of networks: the bound on frequencies and damping, kept up to date under edits, and the policy.
 *
 * For a displacement u, u.Ku = sum of k (n.(ua - ub))^2 over the springs. With p = n.ua, q = n.ub, r > 0:
 *   (p - q)^2 <= (1 + r) p^2 + (1 + 1/r) q^2, as (r p + q)^2 >= 0.
 * So u.Ku <= sum over particles of u.Gu with G = sum of g k n n^T over the springs of each, g = 1 + r at one
 * end and 1 + 1/r at the other. u.Mu is a sum over particles too, so u.Ku <= u.Mu max over particles of the
 * largest eigenvalue of G / m, which bounds w^2. Without directions, the sum of g k / m bounds it. r is 1 for
 * all springs, or m / m' for all: g = 2, or 1 + m / m'. The first is better for a heavy particle among many
 * light ones, the second where neighbours differ; both are computed, and the better is used. A pinned end has
 * q = 0 and adds nothing: g = 1 at the other end is enough. Damping likewise.
 *
 * A spring under tension k (|d| - L) is stiff across itself too, by k (1 - L / |d|). A spring shorter than L
 * has negative stiffness across itself: it buckles, which is no fast motion (down to L / 2, where its
 * magnitude reaches k). The kinematic integrators treat each spring along n only. The effect of tension
 * across it has no closed form in them, and a motion of frequency w gains (w h)^2 / 2 a step in its
 * determinant, at any h. For them, `any` therefore assumes springs at rest. */
#include <math.h>
#include <string.h>

#include "integrators/coupling.h"
#include "math/symmetric.h"
#include "networks/network.h"

/* Rest lengths and positions are floats: a spring longer by no more than this factor is at rest. */
#define AT_REST (1 + 0x1p-20)

/* Margin of the bound: h and the coefficients of forces are floats. */
#define ROUNDING_MARGIN (1 - 0x1p-20)

bool mote_network_grows(mote_integrator integrator, mote_network_solver solver, const mote_spring *spring) {
    if (solver != MOTE_NETWORK_SPRINGS || (unsigned)integrator >= MOTE_INTEGRATOR_COUNT) return false;
    return mote_scheme_table[integrator].info.stable_z == 0 && spring->damping == 0 && spring->stiffness > 0;
}

/* --- The springs of a particle --- */

enum { EQUALLY, BY_MASS, SPLITS }; /* r = 1, r = m / m' */

typedef struct spring_end {
    double stiffness, damping, weight; /* of one spring over the mass of this end: k / m, c / m, mu / m */
    double g[SPLITS];
    double n[3];   /* direction, if directed */
    double across; /* stiffness across n, as a fraction of `stiffness` */
    bool directed;
} spring_end;

/* Springs whose ends coincide, or are not finite, may have any direction: directed = false. */
static void find_direction(const mote_network *network, uint32_t slot, uint32_t other, double rest_length,
                           spring_end *end) {
    const double length = mote_network_distance_of(network, slot, other, end->n);
    end->directed = length > 0 && isfinite(length);
    for (int axis = 0; axis < 3; axis++) end->n[axis] = end->directed ? end->n[axis] / length : 0;
    if (!end->directed) return;
    const double share = 1 - rest_length / length;
    end->across = share > 0 ? share : 0;
}

/* Returns the end of spring *number at a free slot; *number becomes the next spring there. */
static spring_end next_end(const mote_network *network, uint32_t slot, bool sharp, uint32_t *number) {
    const mote_network_spring_state *s = &network->spring[*number];
    const bool is_b = s->b == slot;
    const uint32_t other = is_b ? s->a : s->b;
    const double own = (double)network->range.inverse_mass[slot],
                 others = (double)network->range.inverse_mass[other];
    spring_end end = {.stiffness = (double)s->stiffness * own,
                      .damping = (double)s->damping * own,
                      .weight = own / (own + others),
                      .g = {others > 0 ? 2 : 1, 1 + others / own}};
    if (sharp) find_direction(network, slot, other, (double)s->rest_length, &end);
    *number = s->next[is_b];
    return end;
}

static void any_sums(const mote_network *network, uint32_t slot, mote_spring_sums sums[SPLITS]) {
    memset(sums, 0, SPLITS * sizeof *sums);
    for (uint32_t number = network->head[slot]; number != MOTE_NO_ITEM;) {
        const spring_end end = next_end(network, slot, false, &number);
        for (int i = 0; i < SPLITS; i++) {
            sums[i].stiffness += end.g[i] * end.stiffness;
            sums[i].damping += end.g[i] * end.damping;
            sums[i].weight += end.g[i] * end.weight;
        }
    }
}

/* along n n^T + across (1 - n n^T); `along` in every direction if not directed. */
static void add_matrix(mote_symmetric3 *m, const spring_end *end, double along, double across) {
    const double more = end->directed ? along - across : 0, common = end->directed ? across : along,
                 *n = end->n;
    m->xx += common + more * n[0] * n[0], m->yy += common + more * n[1] * n[1],
        m->zz += common + more * n[2] * n[2];
    m->xy += more * n[0] * n[1], m->xz += more * n[0] * n[2], m->yz += more * n[1] * n[2];
}

static void directed_sums(const mote_network *network, uint32_t slot, mote_spring_sums sums[SPLITS]) {
    struct {
        mote_symmetric3 stiffness, damping, weight;
    } matrices[SPLITS];
    memset(matrices, 0, sizeof matrices);
    for (uint32_t number = network->head[slot]; number != MOTE_NO_ITEM;) {
        const spring_end end = next_end(network, slot, true, &number);
        for (int i = 0; i < SPLITS; i++) {
            const double g = end.g[i];
            add_matrix(&matrices[i].stiffness, &end, g * end.stiffness, g * end.stiffness * end.across);
            add_matrix(&matrices[i].damping, &end, g * end.damping, 0);
            add_matrix(&matrices[i].weight, &end, g * end.weight, 0);
        }
    }
    for (int i = 0; i < SPLITS; i++)
        sums[i] = (mote_spring_sums){mote_symmetric3_largest(matrices[i].stiffness),
                                     mote_symmetric3_largest(matrices[i].damping),
                                     mote_symmetric3_largest(matrices[i].weight)};
}

/* --- The network --- */

static void include(double value, double *least, double *most) {
    if (value < *least) *least = value;
    if (value > *most) *most = value;
}

/* Extremes over single springs. *stretched: some spring is stretched, and could oscillate across itself. */
static mote_coupling bound_springs(const mote_network *network, bool *stretched) {
    mote_coupling c = {.least_ratio = HUGE_VAL, .least_stiffness = HUGE_VAL, .least_damping = HUGE_VAL};
    double d[3];
    *stretched = false;
    for (uint32_t i = 0; i < network->spring_end; i++) {
        const mote_network_spring_state *s = &network->spring[i];
        if (s->a == MOTE_NO_SLOT) continue;
        const double inverse =
            (double)network->range.inverse_mass[s->a] + (double)network->range.inverse_mass[s->b];
        const double k = (double)s->stiffness, damping = (double)s->damping;
        if (!(inverse > 0) || (k == 0 && damping == 0)) continue;
        include(k * inverse, &c.least_stiffness, &c.most_stiffness);
        include(damping * inverse, &c.least_damping, &c.most_damping);
        include(k > 0 ? damping / k : HUGE_VAL, &c.least_ratio, &c.most_ratio);
        if (k > 0 && mote_network_distance_of(network, s->a, s->b, d) > (double)s->rest_length * AT_REST)
            *stretched = true;
    }
    return c;
}

/* Bounds by one way to split the springs: the coupling, and the particle with the least step of the linear
 * kind. */
typedef struct split_bounds {
    mote_coupling coupling;
    double least_linear_step; /* s, by which all integrators agree on the particle */
    uint32_t slot;            /* MOTE_NO_SLOT: no springs */
} split_bounds;

static void include_particle(split_bounds *s, mote_integrator integrator, const mote_spring_sums *sums,
                             uint32_t slot) {
    double none = 0;
    include(sums->stiffness, &none, &s->coupling.most.stiffness);
    include(sums->damping, &none, &s->coupling.most.damping);
    include(sums->weight, &none, &s->coupling.most.weight);
    s->coupling.particle_step = mote_particle_step(integrator, sums, s->coupling.particle_step);
    const double step = mote_particle_step(MOTE_SEMI_IMPLICIT_EULER, sums, s->least_linear_step);
    if (step < s->least_linear_step) s->least_linear_step = step, s->slot = slot;
}

static void bound_particles(const mote_network *network, mote_integrator integrator, bool sharp,
                            const mote_coupling *springs, split_bounds splits[SPLITS]) {
    for (int i = 0; i < SPLITS; i++) {
        splits[i] = (split_bounds){*springs, HUGE_VAL, MOTE_NO_SLOT};
        splits[i].coupling.particle_step = mote_alone_step(integrator, springs);
    }
    for (uint32_t slot = 0; slot < network->range.slot_count; slot++) {
        if (!(network->range.inverse_mass[slot] > 0) || network->head[slot] == MOTE_NO_ITEM) continue;
        mote_spring_sums sums[SPLITS];
        if (sharp)
            directed_sums(network, slot, sums);
        else
            any_sums(network, slot, sums);
        for (int i = 0; i < SPLITS; i++) include_particle(&splits[i], integrator, &sums[i], slot);
    }
}

static double least(double a, double b) { return b < a ? b : a; }

/* Returns the stiffest spring at a slot; of equal ones, the most damped. */
static uint32_t stiffest_at(const mote_network *network, uint32_t slot) {
    uint32_t best = MOTE_NO_ITEM;
    for (uint32_t i = network->head[slot]; i != MOTE_NO_ITEM; i = mote_network_next(network, i, slot)) {
        const mote_network_spring_state *s = &network->spring[i],
                                        *b = &network->spring[best == MOTE_NO_ITEM ? i : best];
        const bool stiffer =
            s->stiffness > b->stiffness || (s->stiffness == b->stiffness && s->damping > b->damping);
        if (best == MOTE_NO_ITEM || stiffer) best = i;
    }
    return best;
}

/* Each splitting bounds all motions, so the lesser bound holds. */
static mote_network_stability_bound bound_of(const mote_network *network, mote_integrator integrator,
                                             bool sharp) {
    bool stretched;
    split_bounds splits[SPLITS];
    const mote_coupling springs = bound_springs(network, &stretched);
    bound_particles(network, integrator, sharp, &springs, splits);
    const mote_spring_sums *a = &splits[EQUALLY].coupling.most, *b = &splits[BY_MASS].coupling.most;
    mote_network_stability_bound bound = {.frequency = __builtin_sqrt(least(a->stiffness, b->stiffness)),
                                          .damping = least(a->damping, b->damping),
                                          .step = HUGE_VAL,
                                          .particle = MOTE_NO_ITEM,
                                          .spring = MOTE_NO_ITEM};
    if (network->def.solver == MOTE_NETWORK_CONSTRAINED) return bound;
    const double steps[SPLITS] = {mote_coupling_step(integrator, &splits[EQUALLY].coupling),
                                  mote_coupling_step(integrator, &splits[BY_MASS].coupling)};
    const split_bounds *better = &splits[steps[EQUALLY] > steps[BY_MASS] ? EQUALLY : BY_MASS];
    bound.step = sharp && stretched && mote_scheme_table[integrator].kick_after ? 0 : steps[better - splits];
    if (better->slot == MOTE_NO_SLOT || !(bound.step < HUGE_VAL)) return bound;
    bound.particle = network->particle_of_slot[better->slot];
    bound.spring = stiffest_at(network, better->slot);
    return bound;
}

/* A bound for any directions also holds for the present ones. It may be the larger of the two, as regions of
 * damping are sampled. 0: a stretched spring under a kinematic integrator. */
static mote_network_stability_bound sharp_bound(const mote_network *network, mote_integrator integrator) {
    mote_network_stability_bound sharp = bound_of(network, integrator, true);
    if (sharp.step > 0 && sharp.step < network->bound.step) sharp.step = network->bound.step;
    return sharp;
}

/* Computes `bound` if it is stale. */
static void refresh_bound(mote_network *network) {
    if (mote_network_renew(network, &network->bound_edits))
        network->bound = bound_of(network, network->integrator, false);
}

/* --- The policy --- */

static bool fits(double h, double bound) { return h <= bound * ROUNDING_MARGIN; }

/* Returns the smallest number of substeps that fit, at least the system's; most + 1 if it exceeds `most`. */
static uint32_t substeps_that_fit(const mote_plan_def *plan, double bound, uint32_t most) {
    uint32_t count = plan->substeps;
    if (fits(plan->timestep / (double)count, bound)) return count;
    const double needed = plan->timestep / (bound * ROUNDING_MARGIN);
    if (!(needed <= (double)most)) return most + 1;
    if ((double)count < needed) count = (uint32_t)needed;
    while (count <= most && !fits(plan->timestep / (double)count, bound)) count++;
    return count;
}

uint32_t mote_network_substeps(mote_network *network, const mote_plan_def *plan, bool *capped) {
    const uint32_t own = plan->substeps, most = network->def.max_substeps;
    *capped = false;
    if (network->def.policy != MOTE_STABILITY_SUBSTEP) return own;
    refresh_bound(network);
    const uint32_t cap = own > most ? own : most, needed = substeps_that_fit(plan, network->bound.step, cap);
    *capped = needed > cap;
    return *capped ? cap : needed;
}

mote_result mote_network_can_step(mote_range *range, const mote_plan_def *plan) {
    mote_network *network = mote_network_of(range);
    if (network->def.policy != MOTE_STABILITY_REFUSE) return MOTE_OK;
    refresh_bound(network);
    return fits(plan->timestep / (double)plan->substeps, network->bound.step) ? MOTE_OK
                                                                              : MOTE_ERROR_STABILITY;
}

mote_network_stability_report mote_network_stability_of(mote_network *network, const mote_plan_def *plan) {
    mote_network_stability_report report;
    bool capped;
    refresh_bound(network);
    const bool constrained = network->def.solver == MOTE_NETWORK_CONSTRAINED;
    report.any = network->bound;
    report.sharp = constrained ? network->bound : sharp_bound(network, plan->integrator);
    report.substeps = mote_network_substeps(network, plan, &capped);
    report.substep = plan->timestep / (double)report.substeps;
    return report;
}
