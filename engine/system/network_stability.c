/* Stability of networks: the bound on frequencies and damping, kept up to date under edits, and the policy.
 *
 * For a motion u, u.Ku = sum of k (n.(ua - ub))^2 over the springs, and for any r > 0
 *   (p - q)^2 <= (1 + r) p^2 + (1 + 1/r) q^2, as (r p + q)^2 >= 0.
 * So u.Ku <= sum over particles of u.Gu with G = sum of g k n n^T over the springs of each, g = 1 + r at one
 * end and 1 + 1/r at the other; and as u.Mu is a sum over particles too, u.Ku <= u.Mu max over particles of
 * the largest eigenvalue of G / m: w^2 is at most that. Without directions, of the sum of g k / m. r is 1 for
 * all springs, or m / m' for all: g = 2, or 1 + m / m'. The first is better for a heavy particle among many
 * light ones, the second where neighbours differ; both are worked out, and the better taken. A pinned end has
 * q = 0 and adds nothing: g = 1 at the other is enough. Damping likewise.
 *
 * A spring under tension k (|d| - L) is stiff across itself too, by k (1 - L / |d|). One that is shorter than
 * L is less stiff than nothing across itself: it buckles, which is no fast motion (down to L / 2, where its
 * magnitude reaches k). The kinematic integrators take each spring along n alone: what tension does across it
 * is to them a force without a closed form, by which a motion of frequency w gains (w h)^2 / 2 a step in its
 * determinant, at any h. `any` therefore means springs at rest for them. */
#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "integrators/coupling.h"
#include "math/symmetric.h"
#include "system/internal.h"

/* Rest lengths and positions are floats: a spring that is longer by so much is at rest. */
#define AT_REST (1 + 0x1p-20)

/* h and the coefficients of forces are floats. */
#define FLOATS_ALLOW (1 - 0x1p-20)

bool mote_network_grows(mote_integrator integrator, mote_network_solver solver, const mote_spring *spring) {
    if (solver != MOTE_NETWORK_SPRINGS || (unsigned)integrator >= MOTE_INTEGRATOR_COUNT) return false;
    return mote_scheme_table[integrator].info.stable_z == 0 && spring->damping == 0 && spring->stiffness > 0;
}

/* --- The springs of a particle --- */

enum { EQUALLY, BY_MASS, SPLITS }; /* r = 1, r = m / m' */

typedef struct spring_end {
    double stiffness, damping, weight; /* of one spring over the mass of this end: k / m, c / m, mu / m */
    double g[SPLITS];
    double n[3];   /* the direction, where it has one */
    double across; /* of `stiffness`, across it */
    bool directed;
} spring_end;

static double distance_of(const mote_network *network, uint32_t a, uint32_t b, double d[3]) {
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = (double)network->x[axis][b] - (double)network->x[axis][a];
        square += d[axis] * d[axis];
    }
    return __builtin_sqrt(square);
}

/* Springs whose ends meet, or are not finite, may point anywhere. */
static void find_direction(const mote_network *network, uint32_t slot, uint32_t other, double rest_length,
                           spring_end *end) {
    const double length = distance_of(network, slot, other, end->n);
    end->directed = length > 0 && isfinite(length);
    for (int axis = 0; axis < 3; axis++) end->n[axis] = end->directed ? end->n[axis] / length : 0;
    if (!end->directed) return;
    const double share = 1 - rest_length / length;
    end->across = share > 0 ? share : 0;
}

/* The end of spring *number at a slot that moves; *number becomes the next spring there. */
static spring_end take_end(const mote_network *network, uint32_t slot, bool sharp, uint32_t *number) {
    const mote_network_spring_state *s = &network->spring[*number];
    const bool is_b = s->b == slot;
    const uint32_t other = is_b ? s->a : s->b;
    const double own = (double)network->inverse_mass[slot], others = (double)network->inverse_mass[other];
    spring_end end = {.stiffness = (double)s->stiffness * own,
                      .damping = (double)s->damping * own,
                      .weight = own / (own + others),
                      .g = {others > 0 ? 2 : 1, 1 + others / own}};
    if (sharp) find_direction(network, slot, other, (double)s->rest_length, &end);
    *number = s->next[is_b];
    return end;
}

static void add_any(mote_spring_sums sums[SPLITS], const spring_end *end) {
    for (int i = 0; i < SPLITS; i++) {
        sums[i].stiffness += end->g[i] * end->stiffness;
        sums[i].damping += end->g[i] * end->damping;
        sums[i].weight += end->g[i] * end->weight;
    }
}

static void any_sums(const mote_network *network, uint32_t slot, mote_spring_sums sums[SPLITS]) {
    memset(sums, 0, SPLITS * sizeof *sums);
    for (uint32_t number = network->head[slot]; number != MOTE_NO_ITEM;) {
        const spring_end end = take_end(network, slot, false, &number);
        add_any(sums, &end);
    }
}

/* along n n^T + across (1 - n n^T), or `along` in every direction. */
static void add_matrix(mote_symmetric3 *m, const spring_end *end, double along, double across) {
    const double more = end->directed ? along - across : 0, all = end->directed ? across : along, *n = end->n;
    m->xx += all + more * n[0] * n[0], m->yy += all + more * n[1] * n[1], m->zz += all + more * n[2] * n[2];
    m->xy += more * n[0] * n[1], m->xz += more * n[0] * n[2], m->yz += more * n[1] * n[2];
}

typedef struct sharp_sums {
    mote_symmetric3 stiffness, damping, weight;
} sharp_sums;

static void sharpen(const mote_network *network, uint32_t slot, mote_spring_sums sums[SPLITS]) {
    sharp_sums matrices[SPLITS];
    memset(matrices, 0, sizeof matrices);
    for (uint32_t number = network->head[slot]; number != MOTE_NO_ITEM;) {
        const spring_end end = take_end(network, slot, true, &number);
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

/* What the springs are one by one; *taut: one is stretched, and could swing across itself. */
static mote_coupling look_at_springs(const mote_network *network, bool *taut) {
    mote_coupling c = {.least_ratio = HUGE_VAL, .least_stiffness = HUGE_VAL, .least_damping = HUGE_VAL};
    double d[3];
    *taut = false;
    for (uint32_t i = 0; i < network->spring_end; i++) {
        const mote_network_spring_state *s = &network->spring[i];
        if (s->a == MOTE_NO_SLOT) continue;
        const double inverse = (double)network->inverse_mass[s->a] + (double)network->inverse_mass[s->b];
        const double k = (double)s->stiffness, damping = (double)s->damping;
        if (!(inverse > 0) || (k == 0 && damping == 0)) continue;
        include(k * inverse, &c.least_stiffness, &c.most_stiffness);
        include(damping * inverse, &c.least_damping, &c.most_damping);
        include(k > 0 ? damping / k : HUGE_VAL, &c.least_ratio, &c.most_ratio);
        if (k > 0 && distance_of(network, s->a, s->b, d) > (double)s->rest_length * AT_REST) *taut = true;
    }
    return c;
}

/* Of one way to split the springs: the coupling, and the particle whose springs are the narrowest. */
typedef struct survey {
    mote_coupling coupling;
    double narrowest; /* s: the least step of the linear kind, by which integrators agree on the particle */
    uint32_t slot;    /* MOTE_NO_SLOT: no springs */
} survey;

static void include_particle(survey *s, mote_integrator integrator, const mote_spring_sums *sums,
                             uint32_t slot) {
    double none = 0;
    include(sums->stiffness, &none, &s->coupling.most.stiffness);
    include(sums->damping, &none, &s->coupling.most.damping);
    include(sums->weight, &none, &s->coupling.most.weight);
    s->coupling.particle_step = mote_particle_step(integrator, sums, s->coupling.particle_step);
    const double step = mote_particle_step(MOTE_SEMI_IMPLICIT_EULER, sums, s->narrowest);
    if (step < s->narrowest) s->narrowest = step, s->slot = slot;
}

static void look_at_particles(const mote_network *network, mote_integrator integrator, bool sharp,
                              const mote_coupling *springs, survey surveys[SPLITS]) {
    for (int i = 0; i < SPLITS; i++) {
        surveys[i] = (survey){*springs, HUGE_VAL, MOTE_NO_SLOT};
        surveys[i].coupling.particle_step = mote_alone_step(integrator, springs);
    }
    for (uint32_t slot = 0; slot < network->slot_count; slot++) {
        if (!(network->inverse_mass[slot] > 0) || network->head[slot] == MOTE_NO_ITEM) continue;
        mote_spring_sums sums[SPLITS];
        if (sharp)
            sharpen(network, slot, sums);
        else
            any_sums(network, slot, sums);
        for (int i = 0; i < SPLITS; i++) include_particle(&surveys[i], integrator, &sums[i], slot);
    }
}

static double least(double a, double b) { return b < a ? b : a; }

/* The stiffest spring at a slot, or the most damped one where none has stiffness. */
static uint32_t stiffest_at(const mote_network *network, uint32_t slot) {
    uint32_t best = MOTE_NO_ITEM;
    for (uint32_t i = network->head[slot]; i != MOTE_NO_ITEM;
         i = network->spring[i].next[network->spring[i].b == slot]) {
        const mote_network_spring_state *s = &network->spring[i],
                                        *b = &network->spring[best == MOTE_NO_ITEM ? i : best];
        const bool stiffer =
            s->stiffness > b->stiffness || (s->stiffness == b->stiffness && s->damping > b->damping);
        if (best == MOTE_NO_ITEM || stiffer) best = i;
    }
    return best;
}

/* Each survey bounds all motions, so the lesser of what they say does. */
static mote_network_stability_bound bound_of(const mote_network *network, mote_integrator integrator,
                                             bool sharp) {
    bool taut;
    survey surveys[SPLITS];
    const mote_coupling springs = look_at_springs(network, &taut);
    look_at_particles(network, integrator, sharp, &springs, surveys);
    const mote_spring_sums *a = &surveys[EQUALLY].coupling.most, *b = &surveys[BY_MASS].coupling.most;
    mote_network_stability_bound bound = {.frequency = __builtin_sqrt(least(a->stiffness, b->stiffness)),
                                          .damping = least(a->damping, b->damping),
                                          .step = HUGE_VAL,
                                          .particle = MOTE_NO_ITEM,
                                          .spring = MOTE_NO_ITEM};
    if (network->def.solver == MOTE_NETWORK_CONSTRAINED) return bound;
    const double steps[SPLITS] = {mote_coupling_step(integrator, &surveys[EQUALLY].coupling),
                                  mote_coupling_step(integrator, &surveys[BY_MASS].coupling)};
    const survey *better = &surveys[steps[EQUALLY] > steps[BY_MASS] ? EQUALLY : BY_MASS];
    bound.step = sharp && taut && mote_scheme_table[integrator].kick_after ? 0 : steps[better - surveys];
    if (better->slot == MOTE_NO_SLOT || !(bound.step < HUGE_VAL)) return bound;
    bound.particle = network->particle_of_slot[better->slot];
    bound.spring = stiffest_at(network, better->slot);
    return bound;
}

/* What holds for any directions holds for these; it may be more, as regions of damping are sampled. 0: taut
 * kinematic springs. */
static mote_network_stability_bound sharp_bound(const mote_network *network, mote_integrator integrator) {
    mote_network_stability_bound sharp = bound_of(network, integrator, true);
    if (sharp.step > 0 && sharp.step < network->bound.step) sharp.step = network->bound.step;
    return sharp;
}

void mote_system_refresh_bound(const mote_system *system, mote_network *network) {
    if (!network->bound_is_old) return;
    network->bound = bound_of(network, system->def.integrator, false);
    network->bound_is_old = false;
}

/* --- The policy --- */

static bool fits(double h, double bound) { return h <= bound * FLOATS_ALLOW; }

/* The smallest whole number of substeps that fit, at least the system's; more than `most`: most + 1. */
static uint32_t substeps_that_fit(const mote_system *system, double bound, uint32_t most) {
    const double timestep = system->clock.timestep;
    uint32_t count = system->def.substeps;
    if (fits(timestep / (double)count, bound)) return count;
    const double wanted = timestep / (bound * FLOATS_ALLOW);
    if (!(wanted <= (double)most)) return most + 1;
    if ((double)count < wanted) count = (uint32_t)wanted;
    while (count <= most && !fits(timestep / (double)count, bound)) count++;
    return count;
}

uint32_t mote_system_network_substeps(const mote_system *system, mote_network *network, bool *capped) {
    const uint32_t own = system->def.substeps, most = network->def.max_substeps;
    *capped = false;
    if (network->def.policy != MOTE_STABILITY_SUBSTEP) return own;
    mote_system_refresh_bound(system, network);
    const uint32_t cap = own > most ? own : most,
                   wanted = substeps_that_fit(system, network->bound.step, cap);
    *capped = wanted > cap;
    return *capped ? cap : wanted;
}

bool mote_system_networks_refuse(mote_system *system) {
    const double h = system->clock.timestep / (double)system->def.substeps;
    for (uint32_t place = 0; place < system->network_count; place++) {
        mote_network *network = system->networks[place];
        if (network->def.policy != MOTE_STABILITY_REFUSE) continue;
        mote_system_refresh_bound(system, network);
        if (!fits(h, network->bound.step)) return true;
    }
    return false;
}

mote_result mote_network_stability(const mote_system *system, mote_network_id id,
                                   mote_network_stability_report *report) {
    if (!system || !report) return MOTE_ERROR_NULL;
    mote_network *network;
    const mote_result result = mote_system_edit_network(system, id, &network);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    bool capped;
    mote_system_refresh_bound(system, network);
    const bool constrained = network->def.solver == MOTE_NETWORK_CONSTRAINED;
    report->any = network->bound;
    report->sharp = constrained ? network->bound : sharp_bound(network, system->def.integrator);
    report->substeps = mote_system_network_substeps(system, network, &capped);
    report->substep = system->clock.timestep / (double)report->substeps;
    mote_fpu_leave(saved);
    return MOTE_OK;
}
