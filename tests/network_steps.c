/* Networks: what is changed later steps as if it had been made so. */
#include "test.h"

#include "network_web.h"

/* What the host may give in two ways. */
typedef struct twin {
    mote_system *system;
    mote_network_id id;
} twin;

static twin make_twin(mote_integrator integrator, const web *w, memory_ledger *ledger) {
    twin t = {make_host(integrator, ledger), {0, 0}};
    mote_force_def gravity = mote_gravity((vec3){1, -2, 3});
    mote_force_id force_id;
    assert_int_equal(mote_system_add_force(t.system, &gravity, &force_id), MOTE_OK);
    t.id = add_web(t.system, w);
    return t;
}

static void place(const twin *t, const web *w) {
    const mote_network_view v = mote_network_columns(t->system, t->id);
    for (uint32_t i = 0; i < w->particles; i++) {
        float *const to[6] = {v.position.x, v.position.y, v.position.z,
                              v.velocity.x, v.velocity.y, v.velocity.z};
        for (uint32_t k = 0; k < 6; k++)
            to[k][v.slot[i]] = k < 3 ? w->positions[3 * i + k] : w->velocities[3 * i + k - 3];
    }
    assert_int_equal(mote_network_teleport(t->system, t->id), MOTE_OK);
}

/* `steps` steps of both give the same bits. */
static void step_both(const twin *a, const twin *b, uint32_t steps, mote_network_step_report *report) {
    uint32_t torn[2];
    for (uint32_t i = 0; i < steps; i++) {
        assert_int_equal(mote_system_step(a->system, 1, NULL), MOTE_OK);
        assert_int_equal(mote_system_step(b->system, 1, NULL), MOTE_OK);
        const uint32_t *list[2] = {mote_network_torn(a->system, a->id, &torn[0]),
                                   mote_network_torn(b->system, b->id, &torn[1])};
        ASSERT(torn[0], ==, torn[1]);
        assert_true((!torn[0] || !memcmp(list[0], list[1], torn[0] * sizeof **list)));
        if (i == 0) assert_int_equal(mote_network_report(a->system, a->id, report), MOTE_OK);
    }
    const mote_network_view u = mote_network_columns(a->system, a->id),
                            v = mote_network_columns(b->system, b->id);
    const float *const from[6] = {u.position.x, u.position.y, u.position.z,
                                  u.velocity.x, u.velocity.y, u.velocity.z};
    const float *const with[6] = {v.position.x, v.position.y, v.position.z,
                                  v.velocity.x, v.velocity.y, v.velocity.z};
    for (uint32_t i = 0; i < u.particle_count; i++)
        for (int k = 0; k < 6; k++)
            assert_memory_equal(&from[k][u.slot[i]], &with[k][v.slot[i]], sizeof(float));
}

/* A spring is given the values that it has: whatever is worked out from springs is worked out anew. */
static void refresh(const twin *t) {
    mote_spring s;
    uint32_t number = 0;
    while (mote_network_spring(t->system, t->id, number, &s)) number++;
    assert_int_equal(mote_network_set_spring(t->system, t->id, number, s.stiffness, s.damping, s.tear_strain),
                     MOTE_OK);
}

/* Springs that are given other values step as if they had been made so: nothing of the old ones is left, and
 * nothing that was worked out from them; then one end is pinned, and let go again. Position Verlet's
 * velocities are those of half a substep before, so there both have the system's substeps. */
static void set_as_made(mote_integrator integrator, bool tears, mote_stability_policy policy) {
    static web w;
    make_web(&w, 60, 26);
    w.def.growth_allowed = true;
    w.def.policy = policy;
    for (uint32_t k = 0; k < w.springs; k++)
        w.spring[k].stiffness += 1e4f, w.spring[k].tear_strain = k % 5 || !tears ? 0 : 4;
    const twin made = make_twin(integrator, &w, NULL);
    for (uint32_t k = 0; k < w.springs; k++)
        w.spring[k].stiffness = 2, w.spring[k].damping = w.spring[k].tear_strain = 0;
    const twin set = make_twin(integrator, &w, NULL);
    assert_int_equal(mote_system_step(made.system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_system_step(set.system, 1, NULL), MOTE_OK);
    uint32_t torn = 0, changed = 0;
    (void)mote_network_torn(made.system, made.id, &torn);
    for (uint32_t k = 0; k < w.springs; k++) {
        mote_spring s;
        const bool stays = mote_network_spring(made.system, made.id, k, &s) == MOTE_OK;
        const mote_result result =
            stays ? mote_network_set_spring(set.system, set.id, k, s.stiffness, s.damping, s.tear_strain)
                  : mote_network_remove_springs(set.system, set.id, 1, &k, NULL);
        assert_int_equal(result, MOTE_OK);
        changed += stays;
    }
    ASSERT((torn > 0), ==, tears);
    ASSERT(changed, >, 0);
    ASSERT(changed + torn, ==, w.springs);
    place(&made, &w), place(&set, &w);
    mote_network_step_report report;
    step_both(&made, &set, 2, &report);
    ASSERT((report.substeps > 1), ==, (policy == MOTE_STABILITY_SUBSTEP));
    mote_network_stability_report bound[2];
    assert_int_equal(mote_network_stability(set.system, set.id, bound), MOTE_OK);
    const uint32_t pinned = bound->any.particle == MOTE_NO_ITEM ? 5 : bound->any.particle;
    for (int round = 0; round < 2; round++) {
        const uint32_t at = mote_network_slot(set.system, set.id, pinned);
        assert_int_equal(mote_network_pin(set.system, set.id, pinned, (vec3){9, 9, 9}, 0), MOTE_OK);
        if (round)
            assert_int_equal(mote_network_pin(made.system, made.id, pinned, (vec3){9, 9, 9}, 0), MOTE_OK);
        else
            assert_int_equal(mote_network_unpin(set.system, set.id, pinned), MOTE_OK);
        refresh(&made);
        step_both(&made, &set, 2, &report);
        assert_int_equal(mote_network_stability(made.system, made.id, &bound[0]), MOTE_OK);
        assert_int_equal(mote_network_stability(set.system, set.id, &bound[1]), MOTE_OK);
        ASSERT(bound[0].any.frequency, ==, bound[1].any.frequency);
        ASSERT(bound[0].any.particle, ==, bound[1].any.particle);
        ASSERT((mote_network_columns(set.system, set.id).position.y[at] == 9), ==, (round == 1));
    }
    mote_system_destroy(made.system);
    mote_system_destroy(set.system);
}

TEST(set_springs) {
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        if (advects((mote_integrator)i)) continue;
        set_as_made((mote_integrator)i, false, MOTE_STABILITY_REPORT);
        set_as_made((mote_integrator)i, true, MOTE_STABILITY_REPORT);
        if (i != MOTE_POSITION_VERLET) set_as_made((mote_integrator)i, false, MOTE_STABILITY_SUBSTEP);
    }
}

/* A network of more substeps than the system's has the poses of the colliders at each: all of it hangs above
 * the ground. */
TEST(poses_for_substeps) {
    static web w;
    make_web(&w, 5, 28);
    for (uint32_t k = 0; k < w.springs; k++) w.spring[k].stiffness += 1e6f;
    w.def.policy = MOTE_STABILITY_SUBSTEP;
    for (int first = 0; first < 2; first++) {
        memory_ledger ledger = {0};
        mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, &ledger);
        mote_collider_def plane = mote_plane((vec3){0, -99, 0}, (vec3){0, 1, 0});
        mote_collider_id collider;
        mote_network_step_report report;
        mote_network_id id = {0, 0};
        for (int turn = 0; turn < 2; turn++) {
            if (turn == first)
                id = add_web(system, &w);
            else
                assert_int_equal(mote_system_add_collider(system, &plane, &collider), MOTE_OK);
        }
        const uint64_t calls = ledger.calls;
        assert_int_equal(mote_system_step(system, 2, NULL), MOTE_OK);
        assert_int_equal(mote_network_report(system, id, &report), MOTE_OK);
        ASSERT(report.substeps, >, 20);
        ASSERT(ledger.calls, ==, calls);
        mote_system_destroy(system);
        ASSERT(ledger.faults, ==, 0);
        ASSERT(ledger.live_bytes, ==, 0);
    }
}

/* Islands of a block each, which a spring that comes later joins: the scratch of one block is no longer
 * enough. */
TEST(joined_as_made) {
    static web w;
    memory_ledger ledger = {0};
    mote_network_step_report report;
    w = (web){.random = {27}};
    for (uint32_t i = 0; i < HOST_PARTICLES; i++) w.name[i] = i;
    web_ring(&w, 1000), web_ring(&w, 1000);
    w.def = mote_default_network_def();
    w.def.particle_count = w.particles, w.def.positions = w.positions, w.def.velocities = w.velocities,
    w.def.masses = w.masses;
    w.def.springs = w.spring, w.def.spring_capacity = w.springs + 1;
    w.spring[w.springs] = (mote_spring){3, 1700, 1, 50, 1, 0};
    w.def.spring_count = w.springs + 1;
    const twin made = make_twin(MOTE_RK4, &w, NULL);
    w.def.spring_count = w.springs;
    const twin joined = make_twin(MOTE_RK4, &w, &ledger);
    uint32_t number;
    assert_true(!inside(joined.system, joined.id)->has_outer);
    assert_int_equal(
        mote_network_add_springs(joined.system, joined.id, 1, &w.spring[w.springs], &number, NULL), MOTE_OK);
    assert_true(inside(joined.system, joined.id)->has_outer);
    ASSERT(number, ==, w.springs);
    step_both(&made, &joined, 3, &report);
    mote_system_destroy(made.system);
    mote_system_destroy(joined.system);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}
