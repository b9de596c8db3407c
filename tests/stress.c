/* Stiffness, damping, step, integrator and topology of networks, inside and outside the bounds that the
 * engine states: inside, the energy stays bounded in every step; outside, the policy acts; and no particle
 * turns non-finite unless its island is said to be frozen. The bounds themselves are compared with true
 * limits in tests/network_limits; strands: tests/stress_strands. */
#include "test.h"

#include <math.h>

#include "systems.h"

enum { SIDE = 5, NODES = SIDE * SIDE, MOST_SPRINGS = 128, STEPS = 60, MOST_SUBSTEPS = 64 };
typedef enum topology { CHAIN, RING, STAR, NET, TREE, CLIQUES, TOPOLOGIES } topology;

static const float stiffnesses[] = {1, 1e3f, 1e6f, 1e9f};
static const struct {
    float damping;
    uint32_t rate;
} steps[] = {{0, 60}, {0, 1000}, {1, 60}, {1, 1000}, {1e3f, 1000}};

typedef struct stress {
    topology topology;
    mote_integrator integrator;
    float stiffness, damping;
    uint32_t rate;
    mote_stability_policy policy;
    mote_network_solver solver;
    bool slow;
    mote_system *system;
    mote_network_id id;
} stress;

static uint32_t join(mote_spring *springs, uint32_t count, const stress *s, uint32_t a, uint32_t b) {
    springs[count] = (mote_spring){a, b, MOTE_AS_PLACED, s->stiffness, s->damping, 0};
    return count + 1;
}

static uint32_t join_all(mote_spring *springs, const stress *s) {
    random_source random = {7};
    uint32_t n = 0;
    for (uint32_t i = 1; i < NODES; i++) {
        if (s->topology <= RING) n = join(springs, n, s, i - 1, i);
        if (s->topology == STAR) n = join(springs, n, s, 0, i);
        if (s->topology == TREE) n = join(springs, n, s, random_below(&random, i), i);
        if (s->topology == NET && i % SIDE) n = join(springs, n, s, i - 1, i);
        if (s->topology == NET && i >= SIDE) n = join(springs, n, s, i - SIDE, i);
        for (uint32_t j = i / SIDE * SIDE; s->topology == CLIQUES && j < i; j++)
            n = join(springs, n, s, j, i);
    }
    return s->topology == RING ? join(springs, n, s, NODES - 1, 0) : n;
}

/* In place but for velocities: of up to 1 cm/s (slow), at which drifts are as small as the rounding of
 * positions and stiff springs swing by less than that; or of 10 cm/s and, of stiff springs, as much more as
 * lets them swing by 0.1 mm. */
static void open_stress(stress *s) {
    float places[NODES][3], velocities[NODES][3];
    mote_spring springs[MOST_SPRINGS];
    random_source random = {11};
    const float speed = s->slow ? 0.01f : fmaxf(0.1f, 1e-4f * sqrtf(s->stiffness));
    for (uint32_t i = 0; i < NODES; i++) {
        places[i][0] = (float)(i % SIDE), places[i][1] = (float)(i / SIDE),
        places[i][2] = 0.1f * (float)(i % 3);
        for (int axis = 0; axis < 3; axis++) velocities[i][axis] = random_between(&random, -speed, speed);
    }
    mote_system_def def = mote_default_system_def();
    def.integrator = s->integrator, def.steps_per_second = (mote_rate){s->rate, 1}, def.capacity = 0;
    s->system = system_of(&def);
    mote_network_def net = mote_default_network_def();
    net.particle_count = NODES, net.positions = places[0], net.velocities = velocities[0];
    net.springs = springs, net.spring_count = join_all(springs, s);
    net.policy = s->policy, net.solver = s->solver, net.growth_allowed = true;
    net.max_substeps = MOST_SUBSTEPS;
    OK(mote_system_add_network(s->system, &net, &s->id, NULL));
}

static mote_statistics energies(const stress *s) {
    mote_statistics of;
    OK(mote_network_statistics(s->system, s->id, &of));
    return of;
}

/* Every particle is finite or said to be frozen; the report counts the islands of those. */
static void check_told(const stress *s, uint32_t reported) {
    float x[NODES][3], v[NODES][3];
    uint32_t islands = 0;
    OK(mote_network_state(s->system, s->id, 0, NODES, x[0], v[0]));
    for (uint32_t i = 0; i < NODES; i++) {
        const bool frozen = mote_network_frozen(s->system, s->id, i);
        const uint32_t first = s->topology == CLIQUES ? i / SIDE * SIDE : 0; /* of the island */
        for (int axis = 0; axis < 3 && !frozen; axis++)
            ASSERT(isfinite(x[i][axis]) && isfinite(v[i][axis]), !=, 0);
        ASSERT(frozen, ==, mote_network_frozen(s->system, s->id, first));
        islands += frozen && i == first;
    }
    ASSERT(reported, ==, islands);
}

typedef struct tally {
    uint32_t inside, outside, capped, refused, frozen;
} tally;

/* Own substeps are as many as the bound asks for or the most there are; without that policy there is one. */
static void check_substeps(const stress *s, const mote_network_step_report *report, double bound) {
    const double h = 1.0 / s->rate;
    const bool own = s->policy == MOTE_STABILITY_SUBSTEP;
    ASSERT(report->capped, ==, (own && h / MOST_SUBSTEPS > bound));
    if (!own) ASSERT(report->substeps, ==, 1);
    if (report->capped) ASSERT(report->substeps, ==, MOST_SUBSTEPS);
    if (own && !report->capped) ASSERT(h / report->substeps, <=, bound * (1 + 1e-9));
}

/* Springs: a mode at 0.9 of its limit swings by at most 1 / sqrt(1 - 0.81) = 2.3 as much as the exact one,
 * its energy by 5.3; random velocities give all modes the same, and most are far from their limits.
 * Constraints are held to max_strain, whose elastic energy is an error and not a motion: no more kinetic
 * energy than there was of both. */
static double check_bounded(const stress *s, double begin) {
    const mote_statistics now = energies(s);
    const bool constrained = s->solver == MOTE_NETWORK_CONSTRAINED;
    const double energy = constrained ? now.kinetic : now.kinetic + now.elastic;
    ASSERT(energy, <=, (constrained ? 1 : 2) * begin);
    return energy;
}

/* The energy swings, but about a mean that does not grow: not by 1 % from the first third to the last. */
static void check_case(stress *s, tally *t) {
    mote_network_stability_report bound;
    mote_network_step_report report;
    double thirds[3] = {0};
    open_stress(s);
    OK(mote_network_stability(s->system, s->id, &bound));
    const double begin = energies(s).kinetic + energies(s).elastic, h = 1.0 / s->rate;
    const uint64_t hash = mote_system_hash(s->system);
    const bool inside = h / bound.substeps <= 0.9 * bound.any.step,
               at_limit = fabs(bound.any.step / h - 1) <= 1e-9; /* both are right */
    bool refuses = s->policy == MOTE_STABILITY_REFUSE && bound.any.step < h;
    for (uint32_t step = 0; step < STEPS; step++) {
        const mote_result result = mote_system_step(s->system, 1, NULL);
        if (at_limit) refuses = result == MOTE_ERROR_STABILITY;
        assert_int_equal(result, refuses ? MOTE_ERROR_STABILITY : MOTE_OK);
        OK(mote_network_report(s->system, s->id, &report));
        if (!refuses) check_substeps(s, &report, bound.any.step);
        if (inside) thirds[step / (STEPS / 3)] += check_bounded(s, begin);
        check_told(s, report.frozen);
    }
    if (refuses) ASSERT(mote_system_hash(s->system), ==, hash);
    ASSERT(thirds[2], <=, 1.01 * thirds[0]);
    t->inside += inside, t->outside += !inside, t->capped += report.capped, t->refused += refuses;
    t->frozen += report.frozen > 0;
    mote_system_destroy(s->system);
}

/* Every other parameter of one integrator. */
static void check_integrator(mote_integrator integrator, mote_network_solver solver, bool slow, tally *t) {
    for (uint32_t i = 0; i < TOPOLOGIES * MOTE_STABILITY_POLICY_COUNT; i++)
        for (uint32_t k = 0; k < COUNT_OF(stiffnesses); k++)
            for (uint32_t r = 0; r < COUNT_OF(steps); r++) {
                stress s = {.topology = (topology)(i % TOPOLOGIES),
                            .integrator = integrator,
                            .stiffness = stiffnesses[k],
                            .damping = steps[r].damping,
                            .rate = steps[r].rate,
                            .policy = (mote_stability_policy)(i / TOPOLOGIES),
                            .solver = solver,
                            .slow = slow};
                test_case("topology %d, policy %d, %g N/m, %g kg/s, %u Hz", (int)s.topology, (int)s.policy,
                          (double)s.stiffness, (double)s.damping, s.rate);
                check_case(&s, t);
            }
}

TEST_EACH(springs_are_bounded_inside_and_told_outside, MOTE_ADVECT_EULER, integrator_name, integrator) {
    tally t = {0};
    check_integrator((mote_integrator)integrator, MOTE_NETWORK_SPRINGS, false, &t);
    ASSERT(t.inside, >, 30);
    ASSERT(t.outside, >, 50);
    ASSERT(t.refused, >, 20);
    ASSERT(t.capped, >, 10);
    ASSERT(t.frozen, >, 20);
}

static const char *speed_name(uint32_t slow) { return slow ? "slow" : "fast"; }

/* Stable at any stiffness: no policy acts. */
TEST_EACH(constrained_networks_are_bounded_everywhere, 2, speed_name, slow) {
    tally t = {0};
    check_integrator(MOTE_SEMI_IMPLICIT_EULER, MOTE_NETWORK_CONSTRAINED, slow, &t);
    ASSERT(t.refused + t.capped + t.frozen + t.outside, ==, 0);
}
