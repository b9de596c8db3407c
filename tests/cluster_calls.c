/* Calls of a cluster over transports that pretend: what joining refuses and compares, how slots are dealt,
 * and a cluster of one. */
#include "test.h"

#include <string.h>

#include "support.h"

/* --- Joining --- */

/* Every rank of this transport says the same. */
static int echo(void *user, const void *own, void *all, size_t bytes) {
    for (size_t i = 0; i < *(uint32_t *)user; i++) memcpy((unsigned char *)all + i * bytes, own, bytes);
    return 0;
}

/* The last rank of this one says something else. */
static int distort(void *user, const void *own, void *all, size_t bytes) {
    echo(user, own, all, bytes);
    ((unsigned char *)all)[*(uint32_t *)user * bytes - 1] ^= 1;
    return 0;
}

static mote_result last_error;
static uint32_t last_rank;
static void note(void *user, mote_result result, uint32_t rank) {
    (void)user;
    last_error = result, last_rank = rank;
}

static int no_exchange(void *user, const mote_message *send, uint32_t sends, const mote_message *receive,
                       uint32_t receives) {
    (void)user, (void)send, (void)receive;
    return (int)(sends + receives);
}

static int no_wait(void *user) { return (void)user, 0; }

static mote_system *system_of(uint32_t capacity, memory_ledger *ledger) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    def.capacity = capacity;
    if (ledger) def.allocator = ledger_allocator(ledger);
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    return system;
}

TEST(joining_refuses_what_is_no_cluster) {
    uint32_t ranks = 2;
    const mote_transport good = {0, ranks, &ranks, echo, no_exchange, no_wait, note};
    memory_ledger ledger = {0};
    mote_system *system = system_of(64, &ledger), *few = system_of(16, NULL);
    mote_cluster_report report;
    mote_transport t = good;
    assert_int_equal(mote_system_join(NULL, &good), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_join(system, NULL), MOTE_ERROR_NULL);
    t.gather = NULL;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_NULL);
    t = good, t.exchange = NULL;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_NULL);
    t = good, t.wait = NULL;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_NULL);
    t = good, t.rank = ranks;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_RANGE);
    assert_int_equal(mote_system_join(few, &good), MOTE_ERROR_RANGE); /* one lane group for two ranks */
    ledger.fail_at = ledger.calls + 1;
    assert_int_equal(mote_system_join(system, &good), MOTE_ERROR_MEMORY);
    const uint64_t bytes = ledger.live_bytes;
    t = good, t.gather = distort;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_CALLS);
    assert_int_equal(last_error, MOTE_ERROR_CALLS);
    ASSERT(last_rank, ==, ranks - 1);
    t.error = NULL;
    assert_int_equal(mote_system_join(system, &t), MOTE_ERROR_CALLS);
    ASSERT(ledger.live_bytes, ==, bytes);
    ASSERT(mote_system_owns(system, 40) && mote_system_owns(NULL, 40), ==, true);
    assert_int_equal(mote_system_cluster_report(system, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_cluster_report(system, &report), MOTE_OK);
    ASSERT(report.messages, ==, 0u);
    assert_int_equal(mote_system_join(system, &good), MOTE_OK);
    assert_int_equal(mote_system_join(system, &good), MOTE_ERROR_RANGE);
    assert_int_equal(mote_systems_advance(&system, 1, 1000000, NULL, NULL), MOTE_ERROR_CLUSTER);
    ASSERT(mote_system_owns(system, 15) && !mote_system_owns(system, 16), ==, true);
    assert_int_equal(mote_system_cluster_report(system, &report), MOTE_OK);
    ASSERT(report.messages, ==, 1u);
    mote_system_destroy(system);
    mote_system_destroy(few);
    ASSERT(ledger.live_bytes + ledger.faults, ==, 0u);
}

/* What this rank compares, kept by the gather of a cluster of two. */
static uint64_t compared[2];
static int keep_compared(void *user, const void *own, void *all, size_t bytes) {
    if (bytes == sizeof compared) memcpy(compared, own, bytes);
    return echo(user, own, all, bytes);
}

static uint64_t compared_by(const mote_system_def *def, uint32_t reserved) {
    uint32_t ranks = 2;
    const mote_transport t = {0, ranks, &ranks, keep_compared, no_exchange, no_wait, note};
    mote_system *system;
    assert_int_equal(mote_system_create(def, &system), MOTE_OK);
    assert_int_equal(mote_system_join(system, &t), MOTE_OK);
    assert_int_equal(mote_system_reserve(system, reserved), MOTE_OK);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    mote_system_destroy(system);
    return compared[0] ^ compared[1] << 1;
}

/* Ranks whose defs or capacities differ in anything that a step or its messages depend on are told so. */
TEST(every_field_of_the_def_is_compared) {
    mote_system_def base = mote_default_system_def(), other;
    base.capacity = 64, base.extra_count = 1, base.extra_bytes[0] = 4;
    const uint64_t alike = compared_by(&base, 0);
    ASSERT(compared_by(&base, 0), ==, alike);
    ASSERT(compared_by(&base, 4096), !=, alike);
#define DIFFERS(change)                                                                                      \
    other = base, other.change, test_case(#change);                                                          \
    ASSERT(compared_by(&other, 0), !=, alike)
    DIFFERS(capacity = 128);
    DIFFERS(substeps += 1);
    DIFFERS(steps_per_second.steps += 1);
    DIFFERS(start_time += 1);
    DIFFERS(integrator = MOTE_RK4);
    DIFFERS(max_steps_per_advance += 1);
    DIFFERS(late_policy = MOTE_LATE_CATCH_UP);
    DIFFERS(interpolation = MOTE_INTERPOLATE_HERMITE);
    DIFFERS(mass_column = !base.mass_column);
    DIFFERS(mass = 2);
    DIFFERS(particle_ids = !base.particle_ids);
    DIFFERS(lifetimes = !base.lifetimes);
    DIFFERS(anchor_column = true);
    DIFFERS(external_forces = true);
    DIFFERS(collisions = !base.collisions);
    DIFFERS(sticking = true);
    DIFFERS(radius_column = true);
    DIFFERS(collision_radius = 0.5f);
    DIFFERS(friction = 0.75f);
    DIFFERS(orientation = true);
    DIFFERS(principal_moments = true);
    DIFFERS(inertia_column = true);
    DIFFERS(external_torques = true);
    DIFFERS(inertia[2] = 3);
    DIFFERS(spin_drag = 1);
    DIFFERS(extra_count = other.extra_bytes[0] = 0);
    DIFFERS(extra_bytes[0] = 8);
    DIFFERS(max_deaths = 8);
    DIFFERS(max_births = 8);
    DIFFERS(max_hits = 8);
    DIFFERS(loop_order = MOTE_LOOP_STAGE_OUTER);
#undef DIFFERS
}

/* The memory for messages is shared out among the ranks, within bounds. Slots go round in equal chunks. */
TEST(slots_are_dealt_to_few_ranks_and_to_many) {
    static const struct {
        uint32_t ranks, capacity, chunk;
        uint64_t most_bytes;
    } cases[] = {{1, 1600, 32, 2u << 20}, {64, 1600, 16, 6u << 20}, {4000, 64000, 16, 24u << 20}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t ranks = cases[i].ranks;
        const uint32_t chunk = cases[i].chunk;
        const mote_transport t = {ranks - 1, ranks, &ranks, echo, no_exchange, no_wait, NULL};
        memory_ledger ledger = {0};
        mote_system *system = system_of(cases[i].capacity, &ledger);
        const uint64_t before = ledger.live_bytes;
        test_case("%u ranks", ranks);
        assert_int_equal(mote_system_join(system, &t), MOTE_OK);
        ASSERT(ledger.live_bytes - before, <, cases[i].most_bytes);
        for (uint32_t slot = 0; slot < cases[i].capacity; slot++)
            ASSERT(mote_system_owns(system, slot), ==, slot / chunk % ranks == ranks - 1);
        mote_system_destroy(system);
    }
}

/* --- One rank --- */

static mote_result step_within;
static void step_again(void *user, mote_system *system, const mote_range_view *view) {
    (void)user, (void)view;
    step_within = mote_system_step(system, 1, NULL);
}

/* A cluster of one, with memory that runs out at its first step, a hook that steps, or lists of events. */
TEST(one_rank_is_a_cluster_too) {
    static const float place[6] = {0, 0, 0, 1, 0, 0};
    uint32_t ranks = 1;
    const mote_transport t = {0, ranks, &ranks, echo, no_exchange, no_wait, NULL};
    for (int lists = 0; lists < 3; lists++) {
        memory_ledger ledger = {0};
        mote_system_def def = mote_default_system_def();
        mote_network_def net = mote_default_network_def();
        mote_network_id id;
        mote_range_view view;
        mote_system *system[2];
        def.capacity = 40;
        def.max_deaths = lists == 1 ? 4 : 0, def.max_hits = lists == 2 ? 4 : 0;
        net.particle_count = 2, net.positions = place;
        for (int i = 0; i < 2; i++) {
            if (i) def.allocator = ledger_allocator(&ledger);
            assert_int_equal(mote_system_create(&def, &system[i]), MOTE_OK);
            assert_int_equal(mote_system_add_network(system[i], &net, &id, NULL), MOTE_OK);
            assert_int_equal(mote_system_spawn(system[i], 33, &view), MOTE_OK);
            for (uint32_t k = 0; k < 33; k++) view.velocity.x[k] = (float)k;
        }
        assert_int_equal(mote_system_join(system[1], &t), MOTE_OK);
        const uint64_t before = mote_system_hash(system[1]);
        ledger.fail_at = ledger.calls + 1;
        assert_int_equal(mote_system_step(system[1], 1, NULL), MOTE_ERROR_MEMORY);
        ASSERT(mote_system_hash(system[1]), ==, before);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(mote_system_step(system[i], 2, NULL), MOTE_OK);
            assert_int_equal(mote_system_set_step_hook(system[i], step_again, NULL), MOTE_OK);
            assert_int_equal(mote_system_step(system[i], 1, NULL), MOTE_OK);
            assert_int_equal(step_within, MOTE_ERROR_BUSY);
        }
        ASSERT(mote_system_hash(system[1]), ==, mote_system_hash(system[0]));
        for (int i = 0; i < 2; i++) mote_system_destroy(system[i]);
        ASSERT(ledger.live_bytes + ledger.faults, ==, 0u);
    }
}
