/* What is done about networks whose springs are too stiff: substeps of their own, refusal, and growth at any
 * step. */
#include <stdio.h>
#include "test.h"

#include "network_limits.h"

static void assert_within(double got, double want, double relative) {
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%.17g is not %.17g within %g of it", got, want, relative);
}

/* --- The policies --- */

typedef struct scene {
    graph g;
    mote_system *system;
    mote_network_id id;
} scene;

/* A net at rest but for a push, that needs 26 substeps at 60 Hz. */
static void make_stiff_scene(scene *s, mote_integrator integrator, uint32_t substeps,
                             mote_stability_policy policy, uint32_t most) {
    static const float stiffness[3] = {4e5f, 4e5f, 4e5f}, damping[3] = {0};
    make_net(&s->g, "net", 6, false, stiffness, damping);
    mote_system_def def = mote_default_system_def();
    mote_network_def network = graph_def(&s->g);
    def.integrator = integrator, def.substeps = substeps;
    network.policy = policy, network.max_substeps = most;
    network.spring_capacity = s->g.springs + 1;
    assert_int_equal(mote_system_create(&def, &s->system), MOTE_OK);
    assert_int_equal(mote_system_add_network(s->system, &network, &s->id, NULL), MOTE_OK);
    const mote_network_view view = mote_network_columns(s->system, s->id);
    view.velocity.x[view.slot[14]] = 1;
}

static double energy_of(const scene *s) {
    mote_statistics statistics;
    assert_int_equal(mote_network_statistics(s->system, s->id, &statistics), MOTE_OK);
    return statistics.kinetic + statistics.elastic;
}

TEST(substeps_as_told) {
    static const mote_integrator integrators[] = {
        MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET, MOTE_RK4,
        MOTE_KINEMATIC_AVERAGE,   MOTE_EXACT_FLOW,      MOTE_POSITION_VERLET};
    static scene s;
    for (size_t i = 0; i < COUNT_OF(integrators); i++) {
        mote_network_step_report last;
        make_stiff_scene(&s, integrators[i], 2, MOTE_STABILITY_SUBSTEP, 256);
        const mote_network_stability_report told = report_of(s.system, s.id);
        const double start = energy_of(&s), dt = 1 / 60.0;
        ASSERT(told.substeps, >, 2);
        ASSERT(told.substeps, <, 256);
        ASSERT(dt / told.substeps, <=, told.any.step);
        ASSERT(dt / (told.substeps - 1), >, told.any.step * (1 - 1e-5));
        assert_within(told.substep, dt / told.substeps, 1e-12);
        for (int step = 0; step < 300; step++) {
            assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
            assert_int_equal(mote_network_report(s.system, s.id, &last), MOTE_OK);
            ASSERT(last.substeps, ==, told.substeps);
            assert_false(last.capped);
        }
        ASSERT(energy_of(&s), <, 4 * start);
        mote_system_destroy(s.system);
        make_stiff_scene(&s, integrators[i], 2, MOTE_STABILITY_REPORT, 256); /* left alone it blows up */
        assert_int_equal(mote_system_step(s.system, 300, NULL), MOTE_OK);
        assert_int_equal(mote_network_report(s.system, s.id, &last), MOTE_OK);
        ASSERT(last.frozen, >, 0);
        ASSERT(last.substeps, ==, 2);
        assert_false(last.capped);
        mote_system_destroy(s.system);
    }
}

TEST(substeps_are_capped) {
    static scene s;
    static const struct {
        uint32_t own, most, want;
        bool capped;
    } cases[] = {{1, 256, 0, false},   {1, 5, 5, true},        {8, 5, 8, true},
                 {100, 5, 100, false}, {100, 256, 100, false}, {1, 1, 1, true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        mote_network_step_report last;
        make_stiff_scene(&s, MOTE_SEMI_IMPLICIT_EULER, cases[i].own, MOTE_STABILITY_SUBSTEP, cases[i].most);
        const uint32_t told = report_of(s.system, s.id).substeps;
        assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
        assert_int_equal(mote_network_report(s.system, s.id, &last), MOTE_OK);
        ASSERT(last.substeps, ==, told);
        ASSERT(last.capped, ==, cases[i].capped);
        if (cases[i].want) assert_int_equal(told, cases[i].want);
        mote_system_destroy(s.system);
    }
    make_stiff_scene(&s, MOTE_EXPLICIT_EULER, 1, MOTE_STABILITY_SUBSTEP,
                     7); /* never stable: as many as it may */
    ASSERT(report_of(s.system, s.id).any.step, ==, 0);
    ASSERT(report_of(s.system, s.id).substeps, ==, 7);
    mote_system_destroy(s.system);
}

/* The substeps follow the springs. */
TEST(substeps_follow_edits) {
    static scene s;
    make_stiff_scene(&s, MOTE_SEMI_IMPLICIT_EULER, 1, MOTE_STABILITY_SUBSTEP, 4096);
    const uint32_t before = report_of(s.system, s.id).substeps;
    const mote_spring stiff = {3, 4, MOTE_AS_PLACED, 4e7f, 0, 0};
    uint32_t number;
    mote_network_step_report last;
    assert_int_equal(mote_network_add_springs(s.system, s.id, 1, &stiff, &number, NULL), MOTE_OK);
    assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_report(s.system, s.id, &last), MOTE_OK);
    ASSERT(last.substeps, >, 2 * before);
    assert_int_equal(mote_network_remove_springs(s.system, s.id, 1, &number, NULL), MOTE_OK);
    assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_report(s.system, s.id, &last), MOTE_OK);
    assert_int_equal(last.substeps, before);
    mote_system_destroy(s.system);
}

static void expect_refusal(const scene *s) {
    const uint64_t hash = mote_system_hash(s->system), tick = mote_system_tick(s->system);
    mote_advance advance;
    assert_int_equal(mote_system_step(s->system, 1, NULL), MOTE_ERROR_STABILITY);
    assert_int_equal(mote_system_advance(s->system, 50000000, &advance), MOTE_ERROR_STABILITY);
    assert_int_equal(mote_systems_advance(&s->system, 1, 50000000, NULL, NULL), MOTE_ERROR_STABILITY);
    ASSERT(mote_system_tick(s->system), ==, tick);
    ASSERT(mote_system_hash(s->system), ==, hash);
}

TEST(refusal) {
    static scene s;
    make_stiff_scene(&s, MOTE_SEMI_IMPLICIT_EULER, 60, MOTE_STABILITY_REFUSE, 256);
    const mote_spring stiff = {3, 4, MOTE_AS_PLACED, 1e8f, 0, 0};
    const mote_network_view view = mote_network_columns(s.system, s.id);
    uint32_t number;
    assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_add_springs(s.system, s.id, 1, &stiff, &number, NULL), MOTE_OK);
    expect_refusal(&s);
    ASSERT(report_of(s.system, s.id).any.spring, ==, number);
    assert_int_equal(mote_network_set_spring(s.system, s.id, number, 4e5f, 0, 0), MOTE_OK); /* softer */
    assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_set_spring(s.system, s.id, number, 1e8f, 0, 0), MOTE_OK);
    expect_refusal(&s);
    assert_int_equal(mote_network_remove_springs(s.system, s.id, 1, &number, NULL), MOTE_OK); /* gone */
    assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_add_springs(s.system, s.id, 1, &stiff, &number, NULL), MOTE_OK);
    expect_refusal(&s);
    for (uint32_t i = 3; i < 5; i++) { /* between two pins no spring is too stiff */
        const uint32_t slot = view.slot[i];
        const vec3 here = {view.position.x[slot], view.position.y[slot], view.position.z[slot]};
        assert_int_equal(mote_network_pin(s.system, s.id, i, here, 0), MOTE_OK);
        if (i == 3) expect_refusal(&s);
    }
    assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_unpin(s.system, s.id, 3), MOTE_OK);
    expect_refusal(&s);
    assert_int_equal(mote_system_remove_network(s.system, s.id), MOTE_OK);
    assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
    mote_system_destroy(s.system);
}

/* At the limit itself, to the last digit that floats tell, it is not refused. */
TEST(refusal_at_the_limit) {
    static graph g;
    for (int above = 0; above < 2; above++) {
        mote_system_def def = mote_default_system_def();
        mote_system *system;
        mote_network_id id;
        make_chain(&g, 2, MASSES_EQUAL, 0, above ? 14400.1f : 14399.9f, 0);
        mote_network_def network = graph_def(&g);
        network.policy = MOTE_STABILITY_REFUSE;
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        assert_int_equal(mote_system_add_network(system, &network, &id, NULL), MOTE_OK);
        assert_int_equal(mote_system_step(system, 1, NULL),
                         MOTE_ERROR_STABILITY); /* both ends are free yet: twice the limit */
        assert_int_equal(mote_network_pin(system, id, 0, (vec3){0, 0, 0}, 0), MOTE_OK);
        assert_int_equal(mote_system_step(system, 1, NULL), above ? MOTE_ERROR_STABILITY : MOTE_OK);
        mote_system_destroy(system);
    }
}

/* --- Growth at any step --- */

TEST(growth) {
    static graph g;
    static const struct {
        mote_integrator integrator;
        mote_network_solver solver;
        double stiffness, damping;
        bool allowed, refused;
    } cases[] = {{MOTE_EXPLICIT_EULER, MOTE_NETWORK_SPRINGS, 5, 0, false, true},
                 {MOTE_MIDPOINT, MOTE_NETWORK_SPRINGS, 5, 0, false, true},
                 {MOTE_EXPLICIT_EULER, MOTE_NETWORK_SPRINGS, 5, 0, true, false},
                 {MOTE_MIDPOINT, MOTE_NETWORK_SPRINGS, 5, 0, true, false},
                 {MOTE_EXPLICIT_EULER, MOTE_NETWORK_SPRINGS, 5, 0.1, false, false},
                 {MOTE_MIDPOINT, MOTE_NETWORK_SPRINGS, 0, 0, false, false},
                 {MOTE_EXPLICIT_EULER, MOTE_NETWORK_CONSTRAINED, 5, 0, false, false},
                 {MOTE_RK4, MOTE_NETWORK_SPRINGS, 5, 0, false, false},
                 {MOTE_KINEMATIC, MOTE_NETWORK_SPRINGS, 5, 0, false, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        mote_system_def def = mote_default_system_def();
        mote_system *system;
        mote_network_id id;
        mote_network_fault fault;
        make_chain(&g, 4, MASSES_EQUAL, 0, 5, 0.25f);
        g.spring[1].stiffness = (float)cases[i].stiffness, g.spring[1].damping = (float)cases[i].damping;
        mote_network_def network = graph_def(&g);
        network.growth_allowed = cases[i].allowed, network.solver = cases[i].solver;
        def.integrator = cases[i].integrator;
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        const mote_result result = mote_system_add_network(system, &network, &id, &fault);
        assert_int_equal(result, cases[i].refused ? MOTE_ERROR_STABILITY : MOTE_OK);
        ASSERT(fault.spring, ==, (cases[i].refused ? 1 : MOTE_NO_ITEM));
        mote_system_destroy(system);
    }
}

TEST(constrained_networks_have_no_limit) {
    static scene s;
    static const mote_stability_policy policies[] = {MOTE_STABILITY_SUBSTEP, MOTE_STABILITY_REFUSE};
    for (int i = 0; i < 2; i++) {
        mote_system_def def = mote_default_system_def();
        make_chain(&s.g, 5, MASSES_EQUAL, 0, 1e9f, 0);
        s.g.spring[2].stiffness = INFINITY;
        mote_network_def network = graph_def(&s.g);
        network.solver = MOTE_NETWORK_CONSTRAINED, network.policy = policies[i];
        assert_int_equal(mote_system_create(&def, &s.system), MOTE_OK);
        assert_int_equal(mote_system_add_network(s.system, &network, &s.id, NULL), MOTE_OK);
        const mote_network_stability_report r = report_of(s.system, s.id);
        ASSERT(r.any.step, ==, HUGE_VAL);
        ASSERT(r.any.particle, ==, MOTE_NO_ITEM);
        ASSERT(r.any.spring, ==, MOTE_NO_ITEM);
        ASSERT(r.sharp.step, ==, HUGE_VAL);
        ASSERT(r.substeps, ==, 1);
        assert_int_equal(mote_system_step(s.system, 1, NULL), MOTE_OK);
        mote_system_destroy(s.system);
    }
}

TEST(wrong_calls) {
    static graph g;
    mote_network_id id;
    mote_network_stability_report r;
    make_chain(&g, 2, MASSES_EQUAL, 0, 1, 0);
    mote_system *system = graph_system(&g, MOTE_RK4, (mote_rate){60, 1}, &id);
    assert_int_equal(mote_network_stability(NULL, id, &r), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_stability(system, id, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_stability(system, (mote_network_id){0, 0}, &r), MOTE_ERROR_ID);
    assert_int_equal(mote_system_remove_network(system, id), MOTE_OK);
    assert_int_equal(mote_network_stability(system, id, &r), MOTE_ERROR_ID);
    mote_system_destroy(system);
}

/* What kinematic springs do alone in a substep is worked out for its length, which changes when the stiffest
 * spring goes: what is left moves as where that spring never was. */
TEST(answers_follow_substeps) {
    static const float positions[12] = {0, 0, 0, 1, 0, 0, 0, 5, 0, 1, 5, 0};
    static const mote_spring springs[2] = {{0, 1, 1, 40, 0.5f, 0}, {2, 3, 1, 1e6f, 100, 0}};
    float x[2];
    for (uint32_t stiff = 0; stiff < 2; stiff++) {
        mote_system_def def = mote_default_system_def();
        mote_network_def network = mote_default_network_def();
        mote_network_step_report report;
        mote_system *system;
        mote_network_id id;
        def.integrator = MOTE_KINEMATIC_AVERAGE;
        network.particle_count = 4, network.positions = positions;
        network.spring_count = 1 + stiff, network.springs = springs, network.policy = MOTE_STABILITY_SUBSTEP;
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        assert_int_equal(mote_system_add_network(system, &network, &id, NULL), MOTE_OK);
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK); /* at rest */
        assert_int_equal(mote_network_report(system, id, &report), MOTE_OK);
        ASSERT((report.substeps > 1), ==, (stiff == 1));
        const uint32_t number = 1;
        if (stiff) assert_int_equal(mote_network_remove_springs(system, id, 1, &number, NULL), MOTE_OK);
        const mote_network_view view = mote_network_columns(system, id);
        view.velocity.x[view.slot[1]] = 2;
        assert_int_equal(mote_system_step(system, 5, NULL), MOTE_OK);
        assert_int_equal(mote_network_report(system, id, &report), MOTE_OK);
        assert_int_equal(report.substeps, 1);
        x[stiff] = view.position.x[view.slot[1]];
        mote_system_destroy(system);
    }
    ASSERT(x[0], ==, x[1]);
    ASSERT(x[0], >, 1);
}
