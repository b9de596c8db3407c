/* The policies for networks whose springs are too stiff: substeps of their own, refusal. */
#include "network_limits.h"

typedef struct scene {
    graph g;
    mote_system *system;
    mote_network_id id;
} scene;

/* A net at rest but for an impulse, that needs 26 substeps at 60 Hz. */
static void make_stiff_scene(scene *s, mote_integrator integrator, uint32_t substeps,
                             mote_stability_policy policy, uint32_t most) {
    static const float stiffness[3] = {4e5f, 4e5f, 4e5f}, damping[3] = {0};
    make_net(&s->g, "net", 6, false, stiffness, damping);
    mote_system_def def = mote_default_system_def();
    mote_network_def network = graph_def(&s->g);
    def.integrator = integrator, def.substeps = substeps;
    network.policy = policy, network.max_substeps = most;
    network.spring_capacity = s->g.springs + 1;
    s->system = make_system(&def);
    s->id = add_network(s->system, &network);
    *column_of(s->system, s->id, 14, 3) = 1;
}

static mote_network_step_report step_scene(const scene *s, uint32_t steps) {
    OK(mote_system_step(s->system, steps, NULL));
    return step_report(s->system, s->id);
}

static double energy_of(const scene *s) {
    const mote_statistics statistics = statistics_of(s->system, s->id);
    return statistics.kinetic + statistics.elastic;
}

/* --- Substeps --- */

/* As many as the bound asks for, and with the system's two it blows up. */
TEST(a_stiff_network_takes_the_substeps_that_keep_it_stable) {
    static const mote_integrator integrators[] = {
        MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET, MOTE_RK4,
        MOTE_KINEMATIC_AVERAGE,   MOTE_EXACT_FLOW,      MOTE_POSITION_VERLET};
    static scene s;
    for (size_t i = 0; i < COUNT_OF(integrators); i++) {
        test_case("%s", integrator_name(integrators[i]));
        make_stiff_scene(&s, integrators[i], 2, MOTE_STABILITY_SUBSTEP, 256);
        const mote_network_stability_report bound = stability_of(s.system, s.id);
        const double start = energy_of(&s), dt = 1 / 60.0;
        ASSERT(bound.substeps, >, 2);
        ASSERT(bound.substeps, <, 256);
        ASSERT(dt / bound.substeps, <=, bound.any.step);
        ASSERT(dt / (bound.substeps - 1), >, bound.any.step * (1 - 1e-5));
        expect_within(bound.substep, dt / bound.substeps, 1e-12);
        for (int step = 0; step < 300; step++) {
            const mote_network_step_report last = step_scene(&s, 1);
            ASSERT(last.substeps, ==, bound.substeps);
            assert_false(last.capped);
        }
        ASSERT(energy_of(&s), <, 4 * start);
        mote_system_destroy(s.system);
        make_stiff_scene(&s, integrators[i], 2, MOTE_STABILITY_REPORT, 256);
        const mote_network_step_report last = step_scene(&s, 300);
        ASSERT(last.frozen, >, 0);
        ASSERT(last.substeps, ==, 2);
        assert_false(last.capped);
        mote_system_destroy(s.system);
    }
}

/* Never fewer than the system's; explicit Euler is never stable, and takes as many as it may. */
TEST(substeps_are_capped) {
    static scene s;
    static const struct {
        mote_integrator integrator;
        uint32_t own, most, want; /* 0: by the bound */
        bool capped;
    } cases[] = {{MOTE_SEMI_IMPLICIT_EULER, 1, 256, 0, false},
                 {MOTE_SEMI_IMPLICIT_EULER, 1, 5, 5, true},
                 {MOTE_SEMI_IMPLICIT_EULER, 8, 5, 8, true},
                 {MOTE_SEMI_IMPLICIT_EULER, 100, 5, 100, false},
                 {MOTE_SEMI_IMPLICIT_EULER, 100, 256, 100, false},
                 {MOTE_SEMI_IMPLICIT_EULER, 1, 1, 1, true},
                 {MOTE_EXPLICIT_EULER, 1, 7, 7, true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        test_case("row %d", (int)i);
        make_stiff_scene(&s, cases[i].integrator, cases[i].own, MOTE_STABILITY_SUBSTEP, cases[i].most);
        const mote_network_stability_report bound = stability_of(s.system, s.id);
        const mote_network_step_report last = step_scene(&s, 1);
        ASSERT(last.substeps, ==, bound.substeps);
        ASSERT(last.capped, ==, cases[i].capped);
        if (cases[i].want) ASSERT(bound.substeps, ==, cases[i].want);
        ASSERT((bound.any.step == 0), ==, (cases[i].integrator == MOTE_EXPLICIT_EULER));
        mote_system_destroy(s.system);
    }
}

TEST(substeps_follow_edits) {
    static scene s;
    make_stiff_scene(&s, MOTE_SEMI_IMPLICIT_EULER, 1, MOTE_STABILITY_SUBSTEP, 4096);
    const uint32_t before = stability_of(s.system, s.id).substeps;
    const mote_spring stiff = {3, 4, MOTE_AS_PLACED, 4e7f, 0, 0};
    uint32_t number;
    OK(mote_network_add_springs(s.system, s.id, 1, &stiff, &number, NULL));
    const mote_network_step_report last = step_scene(&s, 1);
    ASSERT(last.substeps, >, 2 * before);
    OK(mote_network_remove_springs(s.system, s.id, 1, &number, NULL));
    assert_int_equal(step_scene(&s, 1).substeps, before);
    mote_system_destroy(s.system);
}

/* The response of a kinematic spring to itself is computed for the length of a substep, which changes when
 * the stiffest spring goes: the rest moves as where that spring never was. */
TEST(unit_responses_follow_the_substep) {
    static const float positions[12] = {0, 0, 0, 1, 0, 0, 0, 5, 0, 1, 5, 0};
    static const mote_spring springs[2] = {{0, 1, 1, 40, 0.5f, 0}, {2, 3, 1, 1e6f, 100, 0}};
    float x[2];
    for (uint32_t stiff = 0; stiff < 2; stiff++) {
        mote_system_def def = mote_default_system_def();
        mote_network_def network = mote_default_network_def();
        def.integrator = MOTE_KINEMATIC_AVERAGE;
        network.particle_count = 4, network.positions = positions;
        network.spring_count = 1 + stiff, network.springs = springs, network.policy = MOTE_STABILITY_SUBSTEP;
        mote_system *system = make_system(&def);
        const mote_network_id id = add_network(system, &network);
        OK(mote_system_step(system, 1, NULL)); /* at rest */
        ASSERT((step_report(system, id).substeps > 1), ==, (stiff == 1));
        if (stiff) OK(mote_network_remove_springs(system, id, 1, &(uint32_t){1}, NULL));
        *column_of(system, id, 1, 3) = 2;
        OK(mote_system_step(system, 5, NULL));
        ASSERT(step_report(system, id).substeps, ==, 1);
        x[stiff] = *column_of(system, id, 1, 0);
        mote_system_destroy(system);
    }
    ASSERT(x[0], ==, x[1]);
    ASSERT(x[0], >, 1);
}

/* --- Refusal --- */

static void expect_refusal(const scene *s) {
    const uint64_t tick = mote_system_tick(s->system);
    mote_system *system = s->system;
    mote_advance advance;
    REFUSALS(system, REFUSES(STABILITY, mote_system_step(system, 1, NULL)),
             REFUSES(STABILITY, mote_system_advance(system, 50000000, &advance)),
             REFUSES(STABILITY, mote_systems_advance(&system, 1, 50000000, NULL, NULL)),
             /* The frame is checked before the network, for one system as for many. */
             REFUSES(OVERFLOW, mote_system_advance(system, UINT64_MAX, &advance)),
             REFUSES(OVERFLOW, mote_systems_advance(&system, 1, UINT64_MAX, NULL, NULL)));
    ASSERT(mote_system_tick(system), ==, tick);
}

/* A spring that is too stiff is refused until it is softer, or gone, or between two pins, or its network is.
 */
TEST(a_network_that_is_too_stiff_is_not_stepped) {
    static scene s;
    const mote_spring stiff = {3, 4, MOTE_AS_PLACED, 1e8f, 0, 0};
    uint32_t number;
    make_stiff_scene(&s, MOTE_SEMI_IMPLICIT_EULER, 60, MOTE_STABILITY_REFUSE, 256);
    step_scene(&s, 1);
    OK(mote_network_add_springs(s.system, s.id, 1, &stiff, &number, NULL));
    expect_refusal(&s);
    ASSERT(stability_of(s.system, s.id).any.spring, ==, number);
    OK(mote_network_set_spring(s.system, s.id, number, 4e5f, 0, 0, NULL));
    step_scene(&s, 1);
    OK(mote_network_set_spring(s.system, s.id, number, 1e8f, 0, 0, NULL));
    expect_refusal(&s);
    OK(mote_network_remove_springs(s.system, s.id, 1, &number, NULL));
    step_scene(&s, 1);
    OK(mote_network_add_springs(s.system, s.id, 1, &stiff, &number, NULL));
    expect_refusal(&s);
    OK(mote_network_pin(s.system, s.id, 3, &s.g.positions[9], 0));
    expect_refusal(&s);
    OK(mote_network_pin(s.system, s.id, 4, &s.g.positions[12], 0));
    step_scene(&s, 1);
    OK(mote_network_unpin(s.system, s.id, 3));
    expect_refusal(&s);
    OK(mote_system_remove_network(s.system, s.id));
    OK(mote_system_step(s.system, 1, NULL));
    mote_system_destroy(s.system);
}

/* Of two networks the first one is too stiff. */
TEST(a_network_behind_one_that_is_too_stiff_is_not_stepped_either) {
    static scene s, other;
    const mote_spring stiff = {3, 4, MOTE_AS_PLACED, 1e8f, 0, 0};
    uint32_t number;
    make_stiff_scene(&s, MOTE_SEMI_IMPLICIT_EULER, 60, MOTE_STABILITY_REFUSE, 256);
    make_stiff_scene(&other, MOTE_SEMI_IMPLICIT_EULER, 60, MOTE_STABILITY_REFUSE, 256);
    const mote_network_def def = graph_def(&other.g);
    const mote_network_id second = add_network(s.system, &def);
    OK(mote_network_add_springs(s.system, s.id, 1, &stiff, &number, NULL));
    expect_refusal(&s);
    OK(mote_network_set_spring(s.system, s.id, number, 4e5f, 0, 0, NULL));
    step_scene(&s, 1);
    ASSERT(step_report(s.system, second).substeps, >, 0u);
    mote_system_destroy(other.system);
    mote_system_destroy(s.system);
}

/* 14,400 N/m is the limit of a spring of 1 kg to a pin; with both ends free it is twice too stiff. */
TEST(at_the_limit_itself_a_network_is_stepped) {
    static graph g;
    for (int above = 0; above < 2; above++) {
        const mote_system_def def = mote_default_system_def();
        const mote_result want = above ? MOTE_ERROR_STABILITY : MOTE_OK;
        make_chain(&g, 2, MASSES_EQUAL, 0, above ? 14400.1f : 14399.9f, 0);
        mote_network_def network = graph_def(&g);
        network.policy = MOTE_STABILITY_REFUSE;
        mote_system *system = make_system(&def);
        const mote_network_id id = add_network(system, &network);
        REFUSED(system, MOTE_ERROR_STABILITY, mote_system_step(system, 1, NULL));
        OK(mote_network_pin(system, id, 0, (float[3]){0, 0, 0}, 0));
        assert_int_equal(mote_system_step(system, 1, NULL), want);
        mote_system_destroy(system);
    }
}

TEST(constrained_networks_have_no_limit) {
    static graph g;
    for (mote_stability_policy policy = MOTE_STABILITY_SUBSTEP; policy < MOTE_STABILITY_POLICY_COUNT;
         policy++) {
        const mote_system_def def = mote_default_system_def();
        make_chain(&g, 5, MASSES_EQUAL, 0, 1e9f, 0);
        g.spring[2].stiffness = INFINITY;
        mote_network_def network = graph_def(&g);
        network.solver = MOTE_NETWORK_CONSTRAINED, network.policy = policy;
        mote_system *system = make_system(&def);
        const mote_network_stability_report r = stability_of(system, add_network(system, &network));
        ASSERT(r.any.step, ==, HUGE_VAL);
        ASSERT(r.any.particle, ==, MOTE_NO_ITEM);
        ASSERT(r.any.spring, ==, MOTE_NO_ITEM);
        ASSERT(r.sharp.step, ==, HUGE_VAL);
        ASSERT(r.substeps, ==, 1);
        OK(mote_system_step(system, 1, NULL));
        mote_system_destroy(system);
    }
}
