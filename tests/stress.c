/* Stiffness, damping, step, integrator and topology of networks, inside and outside the bounds that the
 * engine states: inside, the energy stays bounded; outside, the policy acts; and nothing turns non-finite
 * without a report. The bounds themselves are compared with true limits in tests/network_limits. */
#include "test.h"

#include <math.h>

#include "systems.h"

enum { SIDE = 5, NODES = SIDE * SIDE, MOST_SPRINGS = 128, STEPS = 60 };
typedef enum topology { CHAIN, RING, STAR, NET, TREE, CLIQUES, TOPOLOGIES } topology;

static const float stiffnesses[] = {1, 1e3f, 1e6f, 1e9f}, dampings[] = {0, 1};
static const uint32_t rates[] = {60, 1000};

typedef struct stress {
    topology topology;
    mote_integrator integrator;
    float stiffness, damping;
    uint32_t rate;
    mote_stability_policy policy;
    mote_network_solver solver;
    mote_system *system;
    mote_network_id id;
    uint32_t springs;
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

/* At rest but for velocities of up to 1 cm/s. */
static void open_stress(stress *s) {
    float places[NODES][3], velocities[NODES][3];
    mote_spring springs[MOST_SPRINGS];
    random_source random = {11};
    for (uint32_t i = 0; i < NODES; i++) {
        places[i][0] = (float)(i % SIDE), places[i][1] = (float)(i / SIDE),
        places[i][2] = 0.1f * (float)(i % 3);
        for (int axis = 0; axis < 3; axis++) velocities[i][axis] = random_between(&random, -0.01f, 0.01f);
    }
    mote_system_def def = mote_default_system_def();
    def.integrator = s->integrator, def.steps_per_second = (mote_rate){s->rate, 1}, def.capacity = 0;
    s->system = system_of(&def);
    mote_network_def net = mote_default_network_def();
    net.particle_count = NODES, net.positions = places[0], net.velocities = velocities[0];
    net.springs = springs, net.spring_count = s->springs = join_all(springs, s);
    net.policy = s->policy, net.solver = s->solver, net.growth_allowed = true, net.max_substeps = 64;
    OK(mote_system_add_network(s->system, &net, &s->id, NULL));
}

/* Constraints are held to max_strain, whose elastic energy is an error and not a motion: kinetic energy
 * alone.
 */
static double energy_of(const stress *s) {
    mote_statistics of;
    OK(mote_network_statistics(s->system, s->id, &of));
    return s->solver == MOTE_NETWORK_CONSTRAINED ? of.kinetic : of.kinetic + of.elastic;
}

/* Everything is finite, or the report counts frozen islands. */
static bool is_told(const stress *s) {
    float x[3 * NODES], v[3 * NODES];
    mote_network_step_report report;
    OK(mote_network_report(s->system, s->id, &report));
    OK(mote_network_state(s->system, s->id, 0, NODES, x, v));
    for (uint32_t i = 0; i < 3 * NODES; i++)
        if (!isfinite(x[i]) || !isfinite(v[i])) return report.frozen > 0;
    return true;
}

typedef struct tally {
    uint32_t inside, outside, capped, refused, frozen;
} tally;

/* A mode at 0.9 of its limit swings by at most 1 / sqrt(1 - 0.81) = 2.3 as much as the exact one, its energy
 * by 5.3; rounded positions add k (2^-22 m)^2 a spring and more over the steps. */
static void check_bounded(const stress *s, double begin) {
    const double rounding = 64.0 * s->springs * (double)s->stiffness * 0x1p-44;
    ASSERT(energy_of(s), <=, 6 * begin + rounding);
}

static void check_case(stress *s, tally *t) {
    mote_network_stability_report bound;
    mote_network_step_report report;
    open_stress(s);
    OK(mote_network_stability(s->system, s->id, &bound));
    const double begin = energy_of(s), h = 1.0 / s->rate;
    const uint64_t hash = mote_system_hash(s->system);
    const bool refuses = s->policy == MOTE_STABILITY_REFUSE && bound.any.step < h;
    bool capped = false;
    for (uint32_t step = 0; step < STEPS; step++) {
        const mote_result result = mote_system_step(s->system, 1, NULL);
        if (fabs(bound.any.step / h - 1) > 1e-9) /* at the limit itself both are right */
            assert_int_equal(result, refuses ? MOTE_ERROR_STABILITY : MOTE_OK);
        OK(mote_network_report(s->system, s->id, &report));
        capped |= report.capped;
    }
    ASSERT(is_told(s), ==, true);
    if (refuses) ASSERT(mote_system_hash(s->system), ==, hash);
    const double taken = s->policy == MOTE_STABILITY_SUBSTEP ? h / report.substeps : h;
    const bool inside = taken <= 0.9 * bound.any.step && !capped;
    if (inside) check_bounded(s, begin);
    t->inside += inside, t->outside += !inside, t->capped += capped, t->refused += refuses;
    t->frozen += report.frozen > 0;
    mote_system_destroy(s->system);
}

/* Every other parameter of one integrator. */
static void check_integrator(mote_integrator integrator, mote_network_solver solver, tally *t) {
    for (uint32_t i = 0; i < TOPOLOGIES * MOTE_STABILITY_POLICY_COUNT; i++)
        for (uint32_t k = 0; k < COUNT_OF(stiffnesses); k++)
            for (uint32_t c = 0; c < COUNT_OF(dampings); c++)
                for (uint32_t r = 0; r < COUNT_OF(rates); r++) {
                    stress s = {.topology = (topology)(i % TOPOLOGIES),
                                .integrator = integrator,
                                .stiffness = stiffnesses[k],
                                .damping = dampings[c],
                                .rate = rates[r],
                                .policy = (mote_stability_policy)(i / TOPOLOGIES),
                                .solver = solver};
                    test_case("topology %d, policy %d, %g N/m, %g kg/s, %u Hz", (int)s.topology,
                              (int)s.policy, (double)s.stiffness, (double)s.damping, s.rate);
                    check_case(&s, t);
                }
}

TEST_EACH(springs_are_bounded_inside_and_told_outside, MOTE_ADVECT_EULER, integrator_name, integrator) {
    tally t = {0};
    check_integrator((mote_integrator)integrator, MOTE_NETWORK_SPRINGS, &t);
    ASSERT(t.inside, >, 30);
    ASSERT(t.outside, >, 50);
    ASSERT(t.refused, >, 20);
    ASSERT(t.capped, >, 10);
}

/* Stable at any stiffness: no policy acts. */
TEST(constrained_networks_are_bounded_everywhere) {
    tally t = {0};
    check_integrator(MOTE_SEMI_IMPLICIT_EULER, MOTE_NETWORK_CONSTRAINED, &t);
    ASSERT(t.refused + t.capped + t.frozen + t.outside, ==, 0);
}
