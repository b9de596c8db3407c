/* Networks: what is refused, what it says of where the fault lies, and that nothing changed then. */
#include "test.h"

#include "network_web.h"

/* --- Adding --- */

TEST(defaults) {
    const mote_network_def d = mote_default_network_def();
    ASSERT(d.solver, ==, MOTE_NETWORK_SPRINGS);
    ASSERT(d.particle_count, ==, 0);
    ASSERT(d.spring_count, ==, 0);
    ASSERT(d.spring_capacity, ==, 0);
    ASSERT(d.particle_mass, ==, 1);
    ASSERT(d.policy, ==, MOTE_STABILITY_REPORT);
    ASSERT(d.max_substeps, ==, 256);
    assert_false(d.growth_allowed);
    ASSERT(d.max_strain, ==, 0.002f);
    ASSERT(d.max_iterations, ==, 4);
    ASSERT(d.max_linear, ==, 64);
    ASSERT(d.radius, ==, 0);
    ASSERT(d.friction, ==, 0.5f);
    assert_false(d.positions);
    assert_false(d.velocities);
    assert_false(d.masses);
    assert_false(d.springs);
}

typedef struct attempt {
    mote_system *system;
    web *w;
    mote_network_def def; /* as it was */
    memory_ledger *ledger;
} attempt;

/* The def as it stands is refused, and nothing has happened; then it is put right. */
static void refuse(attempt *a, mote_result want, uint32_t particle, uint32_t spring) {
    mote_network_id id = {7, 7};
    mote_network_fault fault = {7, 7};
    const uint64_t hash = mote_system_hash(a->system), bytes = a->ledger->live_bytes;
    for (int told = 0; told < 2; told++) {
        const mote_result got = mote_system_add_network(a->system, &a->w->def, &id, told ? &fault : NULL);
        if (got != want) fail_msg("%s instead of %s", mote_result_text(got), mote_result_text(want));
    }
    if (fault.particle != particle || fault.spring != spring)
        fail_msg("fault %u %u instead of %u %u", fault.particle, fault.spring, particle, spring);
    ASSERT(id.index, ==, 0);
    ASSERT(id.generation, ==, 0);
    ASSERT(mote_system_hash(a->system), ==, hash);
    ASSERT(a->ledger->live_bytes, ==, bytes);
    a->w->def = a->def;
}

#define NONE                                   MOTE_NO_ITEM
#define REFUSE(change, want, particle, spring) (void)(w.def.change), refuse(&a, want, particle, spring)

TEST(refused_defs) {
    static web w;
    memory_ledger ledger = {0};
    make_web(&w, 5, 1);
    attempt a = {make_host(MOTE_SEMI_IMPLICIT_EULER, &ledger), &w, w.def, &ledger};
    REFUSE(cookie = 0, MOTE_ERROR_DEF, NONE, NONE);
    REFUSE(solver = MOTE_NETWORK_SOLVER_COUNT, MOTE_ERROR_ENUM, NONE, NONE);
    REFUSE(policy = (mote_stability_policy)-1, MOTE_ERROR_ENUM, NONE, NONE);
    REFUSE(positions = NULL, MOTE_ERROR_NULL, NONE, NONE);
    REFUSE(springs = NULL, MOTE_ERROR_NULL, NONE, NONE);
    REFUSE(particle_count = 0, MOTE_ERROR_RANGE, NONE, NONE);
    REFUSE(particle_count = MOTE_MAX_PARTICLES + 1, MOTE_ERROR_RANGE, NONE, NONE);
    REFUSE(max_substeps = 0, MOTE_ERROR_RANGE, NONE, NONE);
    REFUSE(max_substeps = 4097, MOTE_ERROR_RANGE, NONE, NONE);
    REFUSE(max_iterations = 0, MOTE_ERROR_RANGE, NONE, NONE);
    REFUSE(max_iterations = 33, MOTE_ERROR_RANGE, NONE, NONE);
    REFUSE(max_linear = 0, MOTE_ERROR_RANGE, NONE, NONE);
    REFUSE(max_linear = 4097, MOTE_ERROR_RANGE, NONE, NONE);
    REFUSE(spring_count = UINT32_MAX, MOTE_ERROR_OVERFLOW, NONE, NONE);
    REFUSE(spring_capacity = UINT32_MAX, MOTE_ERROR_OVERFLOW, NONE, NONE);
    const float bad[] = {NAN, INFINITY, -INFINITY, -1};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const mote_result want = bad[i] == -1 ? MOTE_ERROR_RANGE : MOTE_ERROR_NOT_FINITE;
        REFUSE(max_strain = bad[i], want, NONE, NONE);
        REFUSE(radius = bad[i], want, NONE, NONE);
        REFUSE(friction = bad[i], want, NONE, NONE);
        w.def.masses = NULL;
        REFUSE(particle_mass = bad[i], want, NONE, NONE);
    }
    REFUSE(max_strain = 0, MOTE_ERROR_RANGE, NONE, NONE);
    const float light[] = {0, 0x1p-140f}; /* of the second, the inverse is beyond a float */
    for (int i = 0; i < 2; i++) {
        w.def.masses = NULL;
        REFUSE(particle_mass = light[i], MOTE_ERROR_RANGE, NONE, NONE);
    }
    w.def.particle_mass = 0; /* is not read */
    (void)add_web(a.system, &w);
    mote_system_destroy(a.system);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}

static void spoil(attempt *a, float *value, float bad, mote_result want, uint32_t particle, uint32_t spring) {
    const float good = *value;
    *value = bad;
    refuse(a, want, particle, spring);
    *value = good;
}

TEST(refused_items) {
    static web w;
    memory_ledger ledger = {0};
    make_web(&w, 5, 2);
    attempt a = {make_host(MOTE_SEMI_IMPLICIT_EULER, &ledger), &w, w.def, &ledger};
    const float holes[] = {NAN, INFINITY, -INFINITY};
    const uint32_t at[] = {0, 41, w.particles - 1}, springs[] = {0, 30, w.springs - 1};
    for (int i = 0; i < 3; i++) {
        const uint32_t s = springs[i];
        mote_spring *spring = &w.spring[s], good = *spring;
        spoil(&a, &w.positions[3 * at[i] + (uint32_t)i], holes[i], MOTE_ERROR_NOT_FINITE, at[i], NONE);
        spoil(&a, &w.velocities[3 * at[i] + (uint32_t)i], holes[i], MOTE_ERROR_NOT_FINITE, at[i], NONE);
        spoil(&a, &w.masses[at[i]], holes[i], MOTE_ERROR_NOT_FINITE, at[i], NONE);
        spoil(&a, &w.masses[at[i]], 0, MOTE_ERROR_RANGE, at[i], NONE);
        spoil(&a, &w.masses[at[i]], -1, MOTE_ERROR_RANGE, at[i], NONE);
        float *const values[] = {&spring->rest_length, &spring->damping, &spring->tear_strain,
                                 &spring->stiffness};
        for (int k = 0; k < 4; k++) {
            const bool rigid = k == 3 && holes[i] == INFINITY; /* for the other solver */
            spoil(&a, values[k], holes[i], rigid ? MOTE_ERROR_RANGE : MOTE_ERROR_NOT_FINITE, NONE, s);
            spoil(&a, values[k], -0.5f, MOTE_ERROR_RANGE, NONE, s);
        }
        spring->a = good.b, refuse(&a, MOTE_ERROR_RANGE, NONE, s);
        spring->a = w.particles, refuse(&a, MOTE_ERROR_RANGE, NONE, s);
        *spring = good, spring->b = UINT32_MAX, refuse(&a, MOTE_ERROR_RANGE, NONE, s);
        *spring = good;
        a.w->def.solver = a.def.solver = MOTE_NETWORK_CONSTRAINED;
        spoil(&a, &spring->stiffness, 0, MOTE_ERROR_RANGE, NONE, s);
        a.w->def.solver = a.def.solver = MOTE_NETWORK_SPRINGS;
    }
    /* As placed, too far apart for a float: the sum of squares of these lies beyond it. */
    const uint32_t far[2] = {w.spring[8].a, w.spring[8].b};
    w.positions[3 * far[0]] = -3e38f, w.positions[3 * far[1]] = 3e38f;
    spoil(&a, &w.spring[8].rest_length, MOTE_AS_PLACED, MOTE_ERROR_RANGE, NONE, 8);
    /* Of several faults, the first. */
    w.spring[20].damping = w.spring[10].damping = -1;
    refuse(&a, MOTE_ERROR_RANGE, NONE, 10);
    w.masses[12] = 0;
    refuse(&a, MOTE_ERROR_RANGE, 12, NONE);
    mote_system_destroy(a.system);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}

/* Six rigid springs are the most for two particles; a compliant one more is none. */
TEST(rigid_springs) {
    const float positions[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    mote_spring springs[9];
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_network_def def = mote_default_network_def();
    mote_network_id id;
    mote_network_fault fault;
    uint32_t number[3];
    for (uint32_t i = 0; i < 9; i++) springs[i] = (mote_spring){i % 2, 1 - i % 2, 1, INFINITY, 0, 0};
    def.solver = MOTE_NETWORK_CONSTRAINED;
    def.particle_count = 4, def.positions = positions;
    def.springs = springs, def.spring_count = 8, def.spring_capacity = 12;
    springs[2].stiffness = 5;
    assert_int_equal(mote_system_add_network(system, &def, &id, &fault), MOTE_ERROR_RANGE);
    ASSERT(fault.spring, ==, 7);
    ASSERT(fault.particle, ==, NONE);
    def.spring_count = 7;
    assert_int_equal(mote_system_add_network(system, &def, &id, &fault), MOTE_OK);
    const uint64_t hash = mote_system_hash(system);
    assert_int_equal(mote_network_set_spring(system, id, 2, INFINITY, 0, 0), MOTE_ERROR_RANGE);
    springs[0].stiffness = 9;
    assert_int_equal(mote_network_add_springs(system, id, 2, springs, number, &fault), MOTE_ERROR_RANGE);
    ASSERT(fault.spring, ==, 1);
    ASSERT(mote_system_hash(system), ==, hash);
    springs[0].a = 2; /* joins the lone particle: nine are allowed */
    assert_int_equal(mote_network_add_springs(system, id, 2, springs, number, &fault), MOTE_OK);
    assert_int_equal(mote_network_set_spring(system, id, 2, INFINITY, 0, 0), MOTE_OK);
    assert_int_equal(mote_network_set_spring(system, id, number[0], INFINITY, 0, 0), MOTE_OK);
    assert_int_equal(mote_network_set_spring(system, id, number[0], INFINITY, 1, 0),
                     MOTE_OK); /* it is rigid already */
    assert_int_equal(mote_network_add_springs(system, id, 1, springs + 1, number, &fault), MOTE_ERROR_RANGE);
    ASSERT(fault.spring, ==, 0);
    mote_system_destroy(system);
}

/* Undamped springs under the integrators by which they grow at any step, unless asked for. */
TEST(growth) {
    static web w;
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        memory_ledger ledger = {0};
        make_web(&w, 5, 3);
        attempt a = {make_host((mote_integrator)i, &ledger), &w, w.def, &ledger};
        if (advects((mote_integrator)i)) {
            refuse(&a, MOTE_ERROR_INTEGRATOR, NONE, NONE);
            mote_system_destroy(a.system);
            continue;
        }
        const bool grows = i == MOTE_EXPLICIT_EULER || i == MOTE_MIDPOINT;
        mote_spring undamped = {0, 1, 1, 2, 0, 0}, slack = {0, 1, 1, 0, 0, 0};
        uint32_t number;
        mote_network_fault fault;
        w.spring[17].damping = 0, w.spring[18].damping = 0;
        if (grows) refuse(&a, MOTE_ERROR_STABILITY, NONE, 17);
        w.def.growth_allowed = true;
        const mote_network_id may = add_web(a.system, &w);
        assert_int_equal(mote_network_set_spring(a.system, may, 17, 3, 0, 0), MOTE_OK);
        assert_int_equal(mote_network_add_springs(a.system, may, 1, &undamped, &number, &fault), MOTE_OK);
        w.def.growth_allowed = false;
        w.spring[17].stiffness = w.spring[18].stiffness = 0;
        mote_network_id id = add_web(a.system, &w);
        const uint64_t hash = mote_system_hash(a.system);
        const mote_result want = grows ? MOTE_ERROR_STABILITY : MOTE_OK;
        assert_int_equal(mote_network_set_spring(a.system, id, 17, 3, 0, 0), want);
        assert_int_equal(mote_network_add_springs(a.system, id, 1, &undamped, &number, &fault), want);
        ASSERT(fault.spring, ==, (grows ? 0 : NONE));
        ASSERT((mote_system_hash(a.system) == hash), ==, grows);
        assert_int_equal(mote_network_add_springs(a.system, id, 1, &slack, &number, &fault), MOTE_OK);
        w.def.solver = MOTE_NETWORK_CONSTRAINED, w.spring[17].stiffness = w.spring[18].stiffness = 1;
        (void)add_web(a.system, &w);
        mote_system_destroy(a.system);
        ASSERT(ledger.faults, ==, 0);
        ASSERT(ledger.live_bytes, ==, 0);
    }
}

TEST(too_many) {
    static web w;
    memory_ledger ledger = {0};
    mote_network_id id[MOTE_MAX_NETWORKS];
    make_web(&w, 5, 4);
    attempt a = {make_host(MOTE_SEMI_IMPLICIT_EULER, &ledger), &w, w.def, &ledger};
    for (uint32_t i = 0; i < MOTE_MAX_NETWORKS; i++) id[i] = add_web(a.system, &w);
    refuse(&a, MOTE_ERROR_CAPACITY, NONE, NONE);
    assert_int_equal(mote_system_remove_network(a.system, id[7]), MOTE_OK);
    assert_int_equal(mote_system_remove_network(a.system, id[7]), MOTE_ERROR_ID);
    mote_network_id again = add_web(a.system, &w);
    for (uint32_t i = 0; i < MOTE_MAX_NETWORKS; i++) ASSERT(again.index, !=, id[i].index);
    assert_true(mote_network_columns(a.system, id[7]).slot == NULL);
    assert_non_null(mote_network_columns(a.system, id[8]).slot);
    mote_system_destroy(a.system);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}

/* --- Calls between steps --- */

/* Every call that an id names a network for, with arguments that are right for w. */
enum { CALLS = 14 };
static void call_all(mote_system *system, mote_network_id id, mote_result results[CALLS]) {
    static float vertices[3 * HOST_PARTICLES];
    const mote_present_layout layout = {12, 0, MOTE_OMIT};
    mote_spring spring = {0, 1, 1, 1, 0, 0};
    uint32_t number = 3;
    float impulse[3];
    mote_network_step_report report;
    mote_network_stability_report stability;
    mote_statistics statistics;
    mote_result *to = results;
    *to++ = mote_network_teleport(system, id);
    *to++ = mote_network_pin(system, id, 0, (vec3){0, 0, 0}, 0);
    *to++ = mote_network_reaction(system, id, 0, impulse);
    *to++ = mote_network_unpin(system, id, 0);
    *to++ = mote_network_add_springs(system, id, 1, &spring, &number, NULL);
    *to++ = mote_network_set_spring(system, id, number, 1, 1, 1);
    *to++ = mote_network_reel(system, id, number, 1, 0);
    *to++ = mote_network_spring(system, id, number, &spring);
    *to++ = mote_network_remove_springs(system, id, 1, &number, NULL);
    *to++ = mote_network_report(system, id, &report);
    *to++ = mote_network_stability(system, id, &stability);
    *to++ = mote_network_statistics(system, id, &statistics);
    *to++ = mote_network_present(system, id, &layout, vertices, sizeof vertices);
    *to++ = mote_system_remove_network(system, id);
}

static void expect_all(mote_system *system, mote_network_id id, mote_result want) {
    mote_result results[CALLS];
    const uint64_t hash = mote_system_hash(system);
    call_all(system, id, results);
    for (int i = 0; i < CALLS; i++)
        if (results[i] != want)
            fail_msg("call %d: %s instead of %s", i, mote_result_text(results[i]), mote_result_text(want));
    if (want) ASSERT(mote_system_hash(system), ==, hash);
}

TEST(ids) {
    static web w;
    make_web(&w, 5, 7);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL),
                *other = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w), stays = add_web(system, &w);
    (void)add_web(other, &w);
    expect_all(NULL, id, MOTE_ERROR_NULL);
    expect_all(other, id, MOTE_ERROR_ID);
    expect_all(system, (mote_network_id){0, 0}, MOTE_ERROR_ID);
    expect_all(system, (mote_network_id){99, id.generation}, MOTE_ERROR_ID);
    expect_all(system, id, MOTE_OK);
    expect_all(system, id, MOTE_ERROR_ID);
    expect_all(system, stays, MOTE_OK);
    mote_system_destroy(system);
    mote_system_destroy(other);
}

typedef struct caller {
    mote_system *system;
    const web *w;
    mote_network_id id;
    uint32_t calls, named, wrong;
} caller;

static void revert_diverged(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)x, (void)y, (void)z;
    caller *c = user;
    mote_network_id id;
    mote_result results[CALLS + 1];
    if (stage->network.generation) {
        const bool named =
            stage->network.index == c->id.index && stage->network.generation == c->id.generation;
        c->named += named && !stage->strands.generation;
        c->wrong += !named;
    }
    call_all(c->system, c->id, results);
    results[CALLS] = mote_system_add_network(c->system, &c->w->def, &id, NULL);
    for (int i = 0; i <= CALLS; i++) c->wrong += results[i] != MOTE_ERROR_BUSY;
    c->calls++;
}

TEST(busy) {
    static web w;
    make_web(&w, 5, 8);
    uint64_t hash[2];
    for (int round = 0; round < 2; round++) {
        caller c = {.system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL), .w = &w};
        mote_force_def force = mote_callback(revert_diverged, &c), gravity = mote_gravity((vec3){0, 0, 0});
        mote_force_id force_id;
        mote_range_view view;
        c.id = add_web(c.system, &w);
        assert_int_equal(mote_system_add_force(c.system, round ? &force : &gravity, &force_id), MOTE_OK);
        assert_int_equal(mote_system_spawn(c.system, 1, &view), MOTE_OK);
        assert_int_equal(mote_system_step(c.system, 2, NULL), MOTE_OK);
        ASSERT(c.wrong, ==, 0);
        ASSERT((c.calls > 0), ==, (round == 1));
        ASSERT((c.named > 0), ==, (round == 1));
        assert_int_equal(mote_system_remove_force(c.system, force_id), MOTE_OK);
        hash[round] = mote_system_hash(c.system);
        mote_system_destroy(c.system);
    }
    ASSERT(hash[0], ==, hash[1]);
}

/* What a wrong argument stops, for a network whose particle 1 is pinned. */
TEST(refused_calls) {
    static web w;
    make_web(&w, 5, 9);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w);
    float impulse[3], vertices[3 * 100];
    mote_spring spring;
    assert_int_equal(mote_network_pin(system, id, 1, (vec3){1, 2, 3}, 9), MOTE_OK);
    const uint64_t hash = mote_system_hash(system);
    assert_int_equal(mote_network_pin(system, id, 0, NULL, 0), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_pin(system, id, w.particles, (vec3){0, 0, 0}, 0), MOTE_ERROR_RANGE);
    assert_int_equal(mote_network_unpin(system, id, w.particles), MOTE_ERROR_RANGE);
    assert_int_equal(mote_network_unpin(system, id, 0), MOTE_ERROR_RANGE);
    assert_int_equal(mote_network_reaction(system, id, 0, impulse), MOTE_ERROR_RANGE);
    assert_int_equal(mote_network_reaction(system, id, w.particles, impulse), MOTE_ERROR_RANGE);
    assert_int_equal(mote_network_reaction(system, id, 1, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_spring(system, id, 0, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_report(system, id, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_statistics(system, id, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_stability(system, id, NULL), MOTE_ERROR_NULL);
    const uint32_t none[] = {w.springs, w.springs + 63, w.springs + 64, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        assert_int_equal(mote_network_spring(system, id, none[i], &spring), MOTE_ERROR_RANGE);
        assert_int_equal(mote_network_reel(system, id, none[i], 1, 0), MOTE_ERROR_RANGE);
        assert_int_equal(mote_network_set_spring(system, id, none[i], 1, 1, 1), MOTE_ERROR_RANGE);
    }
    const float bad[] = {NAN, INFINITY, -INFINITY, -0.5f};
    for (int i = 0; i < 4; i++) {
        const mote_result want = i == 3 ? MOTE_ERROR_RANGE : MOTE_ERROR_NOT_FINITE;
        vec3 hole = {0, 0, 0};
        if (i < 3) hole[i] = bad[i], assert_int_equal(mote_network_pin(system, id, i % 2, hole, 0), want);
        assert_int_equal(mote_network_reel(system, id, 2, bad[i], 0), want);
        assert_int_equal(mote_network_set_spring(system, id, 2, bad[i], 1, 1),
                         i == 1 ? MOTE_ERROR_RANGE : want);
        assert_int_equal(mote_network_set_spring(system, id, 2, 1, bad[i], 1), want);
        assert_int_equal(mote_network_set_spring(system, id, 2, 1, 1, bad[i]), want);
    }
    assert_int_equal(mote_network_reel(system, id, 2, MOTE_AS_PLACED, 0), MOTE_ERROR_RANGE);
    const size_t omit = MOTE_OMIT;
    const mote_present_layout wrong[] = {{12, 0, 0},    {12, omit, 0},  {12, omit, omit}, {11, 0, omit},
                                         {12, 1, omit}, {24, 13, omit}, {0, 0, omit},     {24, 0, 12}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(mote_network_present(system, id, &wrong[i], vertices, sizeof vertices),
                         MOTE_ERROR_RANGE);
    const mote_present_layout good = {12, 0, omit};
    assert_int_equal(mote_network_present(system, id, NULL, vertices, sizeof vertices), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_present(system, id, &good, NULL, sizeof vertices), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_present(system, id, &good, vertices, 12 * w.particles - 1),
                     MOTE_ERROR_BUFFER);
    assert_int_equal(mote_network_present(system, id, &good, vertices, 12 * w.particles), MOTE_OK);
    assert_int_equal(mote_system_seek(system, 5), MOTE_ERROR_INTEGRATOR);
    ASSERT(mote_system_hash(system), ==, hash);
    assert_int_equal(mote_system_remove_network(system, id), MOTE_OK);
    assert_int_equal(mote_system_seek(system, 5), MOTE_OK);
    mote_system_destroy(system);
}

TEST(refused_springs) {
    static web w;
    make_web(&w, 5, 10);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w);
    const mote_spring good = {0, 1, 1, 1, 0, 0};
    mote_spring springs[66], bad[17];
    uint32_t numbers[66];
    mote_network_fault fault;
    for (int i = 0; i < 66; i++) springs[i] = good, numbers[i] = 7;
    for (int i = 0; i < 17; i++) bad[i] = good;
    bad[0].a = bad[0].b, bad[1].b = w.particles, bad[2].a = UINT32_MAX, bad[3].rest_length = -0.5f;
    bad[4].stiffness = bad[5].damping = bad[6].tear_strain = -1, bad[7].stiffness = INFINITY,
    bad[16].a = w.particles;
    for (int i = 0; i < 2; i++) {
        const float hole = i ? -INFINITY : NAN;
        bad[8 + i].rest_length = bad[10 + i].stiffness = bad[12 + i].damping = bad[14 + i].tear_strain = hole;
    }
    const uint64_t hash = mote_system_hash(system);
    for (uint32_t i = 0; i < 17; i++) {
        springs[i % 3] = bad[i];
        const mote_result want = i >= 8 && i < 16 ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_RANGE;
        assert_int_equal(mote_network_add_springs(system, id, 3, springs, numbers, &fault), want);
        ASSERT(fault.spring, ==, i % 3);
        ASSERT(fault.particle, ==, MOTE_NO_ITEM);
        springs[i % 3] = good;
    }
    /* As placed: the columns decide, and of these two the distance is beyond a float. */
    const mote_network_view v = mote_network_columns(system, id);
    const float kept = v.position.x[v.slot[0]];
    springs[1].rest_length = MOTE_AS_PLACED;
    v.position.x[v.slot[0]] = NAN;
    assert_int_equal(mote_network_add_springs(system, id, 2, springs, numbers, &fault), MOTE_ERROR_RANGE);
    v.position.x[v.slot[0]] = kept;
    ASSERT(fault.spring, ==, 1);
    springs[1] = good;
    assert_int_equal(mote_network_add_springs(system, id, 65, springs, numbers, &fault), MOTE_ERROR_CAPACITY);
    ASSERT(fault.spring, ==, 64);
    assert_int_equal(mote_network_add_springs(system, id, 1, NULL, numbers, &fault), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_add_springs(system, id, 1, springs, NULL, &fault), MOTE_ERROR_NULL);
    ASSERT(fault.spring, ==, MOTE_NO_ITEM);
    assert_int_equal(mote_network_add_springs(system, id, 0, NULL, NULL, NULL), MOTE_OK);
    for (int i = 0; i < 66; i++) ASSERT(numbers[i], ==, 7);
    const struct {
        uint32_t count, number[3], fault;
    } removals[] = {
        {3, {0, w.springs, 1}, 1}, {3, {0, 1, 0}, 2}, {2, {5, 5, 0}, 1}, {1, {UINT32_MAX, 0, 0}, 0}};
    for (size_t i = 0; i < COUNT_OF(removals); i++) {
        const mote_result got =
            mote_network_remove_springs(system, id, removals[i].count, removals[i].number, &fault);
        ASSERT(got, ==, MOTE_ERROR_RANGE);
        ASSERT(fault.spring, ==, removals[i].fault);
        ASSERT(fault.particle, ==, MOTE_NO_ITEM);
        assert_int_equal(mote_network_remove_springs(system, id, removals[i].count, removals[i].number, NULL),
                         MOTE_ERROR_RANGE);
    }
    assert_int_equal(mote_network_remove_springs(system, id, 1, NULL, &fault), MOTE_ERROR_NULL);
    assert_int_equal(mote_network_remove_springs(system, id, 0, NULL, &fault), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, hash);
    mote_system_destroy(system);
}
