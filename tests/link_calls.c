/* Links: calls that are wrong change nothing, and what is removed leaves nothing behind. */
#include "test.h"

#include "link_scene.h"

typedef struct attempt {
    mote_system *system;
    memory_ledger *ledger;
    mote_link link; /* a good one */
} attempt;

static void refuse(const attempt *a, const mote_link *link, mote_result want) {
    const uint64_t hash = mote_system_hash(a->system), bytes = a->ledger->live_bytes;
    mote_link_id id = {7, 7};
    const mote_result got = mote_system_add_link(a->system, link, &id);
    if (got != want) fail_msg("%s instead of %s", mote_result_text(got), mote_result_text(want));
    ASSERT(id.index, ==, 0);
    ASSERT(id.generation, ==, 0);
    ASSERT(mote_system_hash(a->system), ==, hash);
    ASSERT(a->ledger->live_bytes, ==, bytes);
}

static void refused_values(const attempt *a) {
    const float bad[] = {NAN, INFINITY, -INFINITY, -0.5f};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        for (int k = 0; k < 3; k++) {
            mote_link link = a->link;
            *(k == 0 ? &link.rest_length : k == 1 ? &link.stiffness : &link.damping) = bad[i];
            refuse(a, &link, i < 3 ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_RANGE);
        }
}

static void refused_ends(const attempt *a) {
    mote_link link = a->link;
    link.a.strand = STRANDS, refuse(a, &link, MOTE_ERROR_RANGE), link = a->link;
    link.a.point = POINTS, refuse(a, &link, MOTE_ERROR_RANGE), link = a->link;
    link.b.particle = WEB, refuse(a, &link, MOTE_ERROR_RANGE), link = a->link;
    link.a.network = link.b.network, refuse(a, &link, MOTE_ERROR_RANGE), link = a->link;
    link.a = link.b, refuse(a, &link, MOTE_ERROR_RANGE), link = a->link;
    link.b = link.a, refuse(a, &link, MOTE_ERROR_RANGE), link = a->link;
    link.a.strands.index += 100, refuse(a, &link, MOTE_ERROR_ID), link = a->link;
    link.a.strands.generation += 2, refuse(a, &link, MOTE_ERROR_ID), link = a->link;
    link.a.strands = (mote_strands_id){0, 0}, refuse(a, &link, MOTE_ERROR_ID), link = a->link;
    link.b.network.index += 100, refuse(a, &link, MOTE_ERROR_ID), link = a->link;
    link.b.network.generation += 2, refuse(a, &link, MOTE_ERROR_ID);
}

/* Ranges that cannot be linked. */
static void refused_ranges(const attempt *a) {
    static const float places[6] = {0, 0, 0, 0, 1, 0};
    mote_strands_def strands = mote_default_strands_def();
    mote_network_def net = mote_default_network_def();
    mote_link link = a->link;
    strands.solver = MOTE_STRAND_CONSERVING, strands.strand_count = 1, strands.points = 2,
    strands.positions = places;
    OK(mote_system_add_strands(a->system, &strands, &link.a.strands, NULL));
    link.a.strand = 0, link.a.point = 1;
    refuse(a, &link, MOTE_ERROR_INTEGRATOR), link = a->link;
    net.policy = MOTE_STABILITY_SUBSTEP, net.particle_count = 2, net.positions = places;
    OK(mote_system_add_network(a->system, &net, &link.b.network, NULL));
    link.b.particle = 0;
    refuse(a, &link, MOTE_ERROR_INTEGRATOR);
}

TEST(refused) {
    memory_ledger ledger = {0};
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .solver = MOTE_STRAND_ROBUST, .ledger = &ledger};
    tangle t = make_tangle(&w, false);
    const attempt a = {
        t.system, &ledger, {strand_point(t.strands, 4, 1), particle(t.network, 3), 1, 5, 0.5f}};
    mote_link_id id, other;
    for (int linked = 0; linked < 2; linked++) { /* before there is any link, and with one */
        refused_values(&a);
        refused_ends(&a);
        refused_ranges(&a);
        assert_int_equal(mote_system_add_link(NULL, &a.link, &other), MOTE_ERROR_NULL);
        assert_int_equal(mote_system_add_link(t.system, NULL, &other), MOTE_ERROR_NULL);
        assert_int_equal(mote_system_add_link(t.system, &a.link, NULL), MOTE_ERROR_NULL);
        if (linked) continue;
        OK(mote_system_add_link(t.system, &a.link, &id));
        assert_true(id.index);
        assert_true(id.generation);
    }
    mote_link_id wrong = {id.index + 1, id.generation};
    assert_int_equal(mote_system_remove_link(NULL, id), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_remove_link(t.system, wrong), MOTE_ERROR_ID);
    wrong = (mote_link_id){id.index, id.generation + 2};
    assert_int_equal(mote_system_remove_link(t.system, wrong), MOTE_ERROR_ID);
    assert_int_equal(mote_system_link(t.system, wrong, NULL, NULL), MOTE_ERROR_ID);
    assert_int_equal(mote_system_link(NULL, id, NULL, NULL), MOTE_ERROR_NULL);
    OK(mote_system_remove_link(t.system, id));
    assert_int_equal(mote_system_remove_link(t.system, id), MOTE_ERROR_ID);
    mote_system_destroy(t.system);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}

/* Explicit Euler on an undamped link, unless the network asked for it. */
TEST(refused_growth) {
    const float place[6] = {0, 0, 0, 1, 0, 0};
    for (int allowed = 0; allowed < 2; allowed++) {
        const world w = {.integrator = MOTE_EXPLICIT_EULER};
        mote_system *system = make_world(&w);
        mote_network_def def = mote_default_network_def();
        mote_network_id net;
        mote_link_id id;
        def.particle_count = 2, def.positions = place, def.growth_allowed = allowed;
        OK(mote_system_add_network(system, &def, &net, NULL));
        mote_link link = {particle(net, 0), particle(net, 1), 1, 5, 0};
        assert_int_equal(mote_system_add_link(system, &link, &id), allowed ? MOTE_OK : MOTE_ERROR_STABILITY);
        link.damping = 1;
        OK(mote_system_add_link(system, &link, &id));
        mote_system_destroy(system);
    }
}

typedef struct inner {
    mote_system *system;
    mote_link link;
    mote_link_id id;
    uint32_t calls;
} inner;

static void call_from_inside(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)stage, (void)x, (void)y, (void)z;
    inner *i = user;
    mote_link_id id;
    assert_int_equal(mote_system_add_link(i->system, &i->link, &id), MOTE_ERROR_BUSY);
    assert_int_equal(mote_system_remove_link(i->system, i->id), MOTE_ERROR_BUSY);
    assert_int_equal(mote_system_link(i->system, i->id, NULL, NULL), MOTE_ERROR_BUSY);
    i->calls++;
}

TEST(busy) {
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .solver = MOTE_STRAND_ROBUST};
    tangle t = make_tangle(&w, false);
    inner i = {.system = t.system,
               .link = {strand_point(t.strands, 4, 1), particle(t.network, 3), 1, 5, 0.5f}};
    OK(mote_system_add_link(t.system, &i.link, &i.id));
    add_force(t.system, mote_callback(call_from_inside, &i));
    OK(mote_system_step(t.system, 1, NULL));
    ASSERT(i.calls, >, 0);
    mote_system_destroy(t.system);
}

/* A removed link is as one that never was, also when its range went; the others stay. */
TEST(removal) {
    memory_ledger ledger = {0};
    const world w = {.integrator = MOTE_RK4, .substeps = 2, .solver = MOTE_STRAND_SPRINGS, .ledger = &ledger};
    tangle free = make_tangle(&w, false), t = make_tangle(&w, false);
    tie(&t);
    mote_link link;
    OK(mote_system_link(t.system, t.link[3], &link, NULL));
    ASSERT(link.a.strand, ==, 3);
    ASSERT(link.stiffness, ==, 30);
    ASSERT(mote_system_hash(t.system), !=, mote_system_hash(free.system));
    for (uint32_t i = 0; i < TIES; i++) OK(mote_system_remove_link(t.system, t.link[(5 * i) % TIES]));
    ASSERT(mote_system_hash(t.system), ==, mote_system_hash(free.system));
    OK(mote_system_step(t.system, 4, NULL));
    OK(mote_system_step(free.system, 4, NULL));
    ASSERT(mote_system_hash(t.system), ==, mote_system_hash(free.system));
    tie(&t);
    OK(mote_system_step(t.system, 1, NULL));
    OK(mote_system_remove_strands(t.system, t.strands)); /* left: link 4, network to network */
    for (uint32_t i = 0; i < TIES; i++)
        assert_int_equal(mote_system_link(t.system, t.link[i], NULL, NULL), i == 4 ? MOTE_OK : MOTE_ERROR_ID);
    const mote_network_id second = tangle_network(t.system, MOTE_NETWORK_SPRINGS);
    const mote_link_id across = join(t.system, particle(t.network, 1), particle(second, 2), 1, 2, 3);
    const mote_link_id within = join(t.system, particle(second, 40), particle(second, 2), 1, 2, 3);
    OK(mote_system_step(t.system, 2, NULL));
    OK(mote_system_remove_network(t.system, t.network)); /* the one behind moves up */
    assert_int_equal(mote_system_link(t.system, across, NULL, NULL), MOTE_ERROR_ID);
    OK(mote_system_step(t.system, 2, NULL));
    OK(mote_system_link(t.system, within, &link, NULL));
    ASSERT(link.a.particle, ==, 40);
    mote_system_destroy(t.system), mote_system_destroy(free.system);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}

/* A range takes the links at either end with it, and what has lost its last link steps as before while its
 * range has others. */
TEST(removal_at_either_end) {
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .solver = MOTE_STRAND_SPRINGS};
    for (int end = 0; end < 2; end++)
        for (int strand = 0; strand < 2; strand++) {
            tangle t = make_tangle(&w, false);
            const mote_link_end ends[2] = {strand_point(t.strands, 4, 1), particle(t.network, 3)};
            const mote_link_id link = join(t.system, ends[end], ends[1 - end], 1, 5, 0.5f);
            OK(mote_system_step(t.system, 1, NULL));
            OK(strand ? mote_system_remove_strands(t.system, t.strands)
                      : mote_system_remove_network(t.system, t.network));
            assert_int_equal(mote_system_link(t.system, link, NULL, NULL), MOTE_ERROR_ID);
            OK(mote_system_step(t.system, 2, NULL));
            mote_system_destroy(t.system);
        }
    tangle t = make_tangle(&w, false), free = make_tangle(&w, false);
    const mote_link_end lost =
        strand_point(t.strands, 0, 1); /* of the shortest; 4 is of the longest, and of another group */
    const mote_link_id link = join(t.system, lost, particle(t.network, 3), 1, 5, 0.5f);
    (void)join(t.system, strand_point(t.strands, 4, 1), particle(t.network, 7), 1, 5, 0.5f);
    OK(mote_system_remove_link(t.system, link));
    OK(mote_system_step(t.system, 3, NULL));
    OK(mote_system_step(free.system, 3, NULL));
    float a[6], b[6];
    state_of(t.system, &lost, a);
    const mote_link_end same = strand_point(free.strands, 0, 1);
    state_of(free.system, &same, b);
    assert_memory_equal(a, b, sizeof a);
    mote_system_destroy(t.system), mote_system_destroy(free.system);
}

/* All of the state of links is in the hash. */
TEST(hashed) {
    const mote_link_end none = {.particle = 0};
    uint64_t hash[8];
    for (int i = 0; i < 8; i++) {
        const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .solver = MOTE_STRAND_ROBUST};
        tangle t = make_tangle(&w, false);
        mote_link link = {strand_point(t.strands, 4, 1), particle(t.network, 3), 1, 5, 0.5f};
        mote_link_id id;
        if (i == 1) link.a.strand = 9;
        if (i == 2) link.a.point = 2;
        if (i == 3) link.b.particle = 4;
        if (i == 4) link.rest_length = 2;
        if (i == 5) link.stiffness = 6;
        if (i == 6) link.damping = 0.25f;
        if (i == 7) link.a = link.b, link.b = strand_point(t.strands, 4, 1);
        ASSERT(memcmp(&link.a, &none, sizeof none), !=, 0);
        OK(mote_system_add_link(t.system, &link, &id));
        hash[i] = mote_system_hash(t.system);
        for (int k = 0; k < i; k++) ASSERT(hash[k], !=, hash[i]);
        mote_system_destroy(t.system);
    }
}

TEST(capacity_and_memory) {
    memory_ledger ledger = {0};
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .solver = MOTE_STRAND_ROBUST, .ledger = &ledger};
    tangle t = make_tangle(&w, false);
    const mote_link link = {strand_point(t.strands, 4, 1), particle(t.network, 3), 1, 0.001f, 0};
    const uint64_t hash = mote_system_hash(t.system);
    mote_link_id id;
    mote_result result = MOTE_ERROR_MEMORY;
    uint32_t failures = 0;
    for (; result == MOTE_ERROR_MEMORY; failures++) {
        ledger.fail_at = ledger.calls + 1 + failures;
        result = mote_system_add_link(t.system, &link, &id);
        if (result == MOTE_ERROR_MEMORY) ASSERT(mote_system_hash(t.system), ==, hash);
        if (result == MOTE_ERROR_MEMORY && failures < 2) OK(mote_system_step(t.system, 0, NULL));
        if (failures == 8) break;
    }
    ledger.fail_at = 0;
    ASSERT(result, ==, MOTE_OK);
    ASSERT(failures, >=, 2);
    for (uint32_t i = 1; i < MOTE_MAX_LINKS; i++) OK(mote_system_add_link(t.system, &link, &id));
    const attempt a = {t.system, &ledger, link};
    refuse(&a, &link, MOTE_ERROR_CAPACITY);
    const uint64_t calls = ledger.calls;
    OK(mote_system_step(t.system, 2, NULL));
    ASSERT(ledger.calls, ==, calls); /* a step allocates nothing */
    mote_system_destroy(t.system);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}
