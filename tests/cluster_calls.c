/* Calls of a cluster over transports that pretend: joining, the deal of slots, a cluster of one. */
#include "test.h"

#include <string.h>

#include "support.h"

/* --- Joining --- */

/* Every rank of this transport makes the same calls, of two words; of a state the others send zeros. */
static int echo(void *user, const void *own, void *all, size_t bytes) {
    for (size_t i = 0; i < *(uint32_t *)user * bytes; i++)
        ((char *)all)[i] = i < bytes || bytes == 16 ? ((const char *)own)[i % bytes] : 0;
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
    (void)user, last_error = result, last_rank = rank;
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
    mote_result result = MOTE_ERROR_MEMORY;
    for (uint64_t k = 1; result == MOTE_ERROR_MEMORY; k++)
        ledger.fail_at = ledger.calls + k, result = mote_system_join(system, &good);
    assert_int_equal(result, MOTE_OK);
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
    DIFFERS(initial_ages = true);
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

/* --- Calls that write state --- */

typedef struct written_world {
    mote_system *system;
    mote_emitter_id emitter;
    mote_network_id network;
    mote_strands_id strands;
} written_world;

static void add_objects(written_world *w) {
    static const float place[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    mote_emitter_def emitter = mote_default_emitter_def();
    mote_network_def net = mote_default_network_def();
    mote_strands_def hair = mote_default_strands_def();
    net.particle_count = 4, net.positions = place;
    hair.strand_count = 1, hair.points = 4, hair.positions = place;
    assert_int_equal(mote_system_add_emitter(w->system, &emitter, &w->emitter), MOTE_OK);
    assert_int_equal(mote_system_add_network(w->system, &net, &w->network, NULL), MOTE_OK);
    assert_int_equal(mote_system_add_strands(w->system, &hair, &w->strands, NULL), MOTE_OK);
}

static const mote_transport *pair_of_ranks(void) {
    static uint32_t ranks = 2;
    static mote_transport pair;
    pair = (mote_transport){0, ranks, &ranks, echo, no_exchange, no_wait, note};
    return &pair;
}

static written_world written_world_of(bool objects) {
    written_world w = {.system = NULL};
    mote_range_view view;
    mote_system_def def = mote_default_system_def();
    def.capacity = 64, def.mass_column = true, def.external_forces = true;
    def.orientation = def.external_torques = objects;
    assert_int_equal(mote_system_create(&def, &w.system), MOTE_OK);
    if (objects) add_objects(&w);
    assert_int_equal(mote_system_spawn(w.system, 8, &view), MOTE_OK);
    assert_int_equal(mote_system_join(w.system, pair_of_ranks()), MOTE_OK);
    return w;
}

static mote_result add_a_network(mote_system *system, float x) {
    const float place[3] = {x, 0, 0};
    mote_network_id id;
    mote_network_def def = mote_default_network_def();
    def.particle_count = 1, def.positions = place;
    return mote_system_add_network(system, &def, &id, NULL);
}

static mote_result add_strands_at(mote_system *system, float x) {
    const float place[6] = {x, 0, 0, x, 1, 0};
    mote_strands_id id;
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = 2, def.positions = place;
    return mote_system_add_strands(system, &def, &id, NULL);
}

/* Pins a point where it is, for a moment. */
static mote_result pin_and_unpin(written_world *w, bool strands, uint32_t point) {
    const float x[3] = {(float)point, 0, 0};
    mote_result result = strands ? mote_strands_pin(w->system, w->strands, 0, point, x, MOTE_NEXT_ADVANCE)
                                 : mote_network_pin(w->system, w->network, point, x, MOTE_NEXT_ADVANCE);
    if (result) return result;
    return strands ? mote_strands_unpin(w->system, w->strands, 0, point)
                   : mote_network_unpin(w->system, w->network, point);
}

/* Makes one of the calls that write state, with one of two arguments, or, where it has none, `some` times. */
static mote_result write_one(written_world *w, uint32_t which, uint32_t some) {
    const float v[3] = {(float)some, 0, 0};
    const mote_transform at = {{(float)some, 0, 0}, {0, 0, 0, 1}};
    mote_vector_columns columns;
    mote_force_def air = mote_callback(scene_spread, NULL);
    mote_force_id force;
    mote_system *s = w->system;
    switch (which) {
    case 0:
        return mote_system_impulse(s, 2 + some, (float[3]){1, 0, 0});
    case 1:
        return mote_system_impulse(s, 2, v);
    case 2:
        return mote_system_set_inverse_mass(s, 2 + some, 0.5f);
    case 3:
        return mote_system_set_inverse_mass(s, 2, 0.5f * (float)some);
    case 4:
        return mote_system_teleport(s, some, 2);
    case 5:
        return mote_system_teleport(s, 1, some);
    case 6:
        return some > 1 ? mote_system_external_forces(s, &columns) : MOTE_OK;
    case 7:
        return some > 1 ? mote_system_external_torques(s, &columns) : MOTE_OK;
    case 8:
        return mote_system_emit(s, w->emitter, NULL, v, 1, NULL);
    case 9:
        return mote_system_emit(s, w->emitter, &at, NULL, 1, NULL);
    case 10:
        return mote_system_emit(s, w->emitter, some > 1 ? &at : NULL, NULL, 1, NULL);
    case 11:
        return mote_network_set_state(s, w->network, some, 1, v, NULL);
    case 12:
        return mote_network_set_state(s, w->network, 1, 1, v, NULL);
    case 13:
        return mote_network_set_state(s, w->network, 1, 1, NULL, v);
    case 14:
        return mote_network_set_state(s, w->network, 1, 1, some > 1 ? v : NULL, some > 1 ? NULL : v);
    case 15:
        return some > 1 ? mote_network_teleport(s, w->network) : MOTE_OK;
    case 16:
        return pin_and_unpin(w, false, some);
    case 17:
        return mote_strands_set_state(s, w->strands, 0, 1, (float[12]){[3] = (float)some}, NULL);
    case 18:
        return mote_strands_set_state(s, w->strands, 0, 1, NULL, (float[12]){[3] = (float)some});
    case 19:
        return mote_strands_reset(s, w->strands, some > 1 ? MOTE_ALL_STRANDS : 0);
    case 20:
        return pin_and_unpin(w, true, some);
    case 21:
        return pin_and_unpin(w, some > 1, 1);
    case 22:
        return add_a_network(s, (float)some);
    case 23:
        return add_strands_at(s, (float)some);
    case 24:
        air.as.callback.reads_velocity = some > 1;
        return mote_system_add_force(s, &air, &force);
    default:
        return MOTE_ERROR_RANGE;
    }
}

static uint64_t calls_of(const mote_system *system) {
    uint64_t hash = 0;
    assert_int_equal(mote_system_calls(system, pair_of_ranks(), &hash), MOTE_OK);
    return hash;
}

static uint64_t calls_after(uint32_t which, uint32_t some) {
    written_world w = written_world_of(true);
    if (which >= 25) assert_int_equal(mote_system_step(w.system, 1, NULL), MOTE_OK);
    assert_int_equal(write_one(&w, which % 25, some), MOTE_OK);
    const uint64_t hash = calls_of(w.system);
    mote_system_destroy(w.system);
    return hash;
}

/* Arguments that differ in anything are found; after a step, no column shows them. */
TEST(every_call_that_writes_state_is_compared) {
    for (uint32_t which = 0; which < 50; which++) {
        test_case("call %u", which);
        ASSERT(calls_after(which, 1), ==, calls_after(which, 1));
        ASSERT(calls_after(which, 1), !=, calls_after(which, 2));
    }
}

/* Removing one of two alike ranges, and seeking there and back, are compared too. */
TEST(removals_and_seeks_are_compared) {
    uint64_t hash[4];
    for (uint32_t which = 0; which < 4; which++) {
        written_world w = written_world_of(which < 2);
        if (which < 2) {
            mote_network_id id;
            const float place[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
            mote_network_def net = mote_default_network_def();
            net.particle_count = 4, net.positions = place;
            assert_int_equal(mote_system_add_network(w.system, &net, &id, NULL), MOTE_OK);
            assert_int_equal(mote_system_remove_network(w.system, which ? id : w.network), MOTE_OK);
        } else {
            assert_int_equal(mote_system_seek(w.system, which), MOTE_OK);
            assert_int_equal(mote_system_seek(w.system, 0), MOTE_OK);
        }
        hash[which] = calls_of(w.system);
        mote_system_destroy(w.system);
    }
    ASSERT(hash[0], !=, hash[1]);
    ASSERT(hash[2], !=, hash[3]);
}

/* What a system was before it joined is compared when it joins. */
TEST(joining_compares_the_state) {
    uint64_t seen[2];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t ranks = 2;
        const mote_transport t = {0, ranks, &ranks, keep_compared, no_exchange, no_wait, note};
        mote_system *system = system_of(64, NULL);
        mote_range_view view;
        assert_int_equal(mote_system_spawn(system, 20, &view), MOTE_OK);
        view.velocity.x[17] = (float)i;
        assert_int_equal(mote_system_join(system, &t), MOTE_OK);
        seen[i] = compared[0] ^ compared[1] << 1;
        mote_system_destroy(system);
    }
    ASSERT(seen[0], !=, seen[1]);
}

/* A snapshot replaces what calls have written: ranks that differed are alike again, by the state alone. */
TEST(restoring_forgets_what_differed) {
    static unsigned char memory[1 << 16];
    uint64_t hash[3];
    size_t bytes;
    for (uint32_t i = 0; i < 3; i++) {
        written_world w = written_world_of(false);
        if (i == 2) assert_int_equal(mote_system_impulse(w.system, 1, (float[3]){0, 1, 0}), MOTE_OK);
        assert_int_equal(mote_system_save(w.system, 0, memory, sizeof memory, &bytes), MOTE_OK);
        assert_int_equal(mote_system_impulse(w.system, i, (float[3]){1, 0, 0}), MOTE_OK);
        assert_int_equal(mote_system_restore(w.system, memory, bytes, NULL), MOTE_OK);
        hash[i] = calls_of(w.system);
        mote_system_destroy(w.system);
    }
    ASSERT(hash[0], ==, hash[1]);
    ASSERT(hash[0], !=, hash[2]);
}

/* Strands that are whole are not gathered again because particles were spawned. */
TEST(spawning_gathers_loose_particles_alone) {
    static float place[40 * 8 * 3];
    written_world w = written_world_of(false);
    mote_strands_def hair = mote_default_strands_def();
    mote_range_view view;
    mote_cluster_report before, after;
    hair.strand_count = 40, hair.points = 8, hair.positions = place;
    for (int i = 0; i < 40 * 8; i++) place[3 * i] = (float)i;
    assert_int_equal(mote_system_add_strands(w.system, &hair, &w.strands, NULL), MOTE_OK);
    assert_int_equal(mote_system_step(w.system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_system_gather(w.system), MOTE_OK);
    assert_int_equal(mote_system_cluster_report(w.system, &before), MOTE_OK);
    assert_int_equal(mote_system_spawn(w.system, 1, &view), MOTE_OK);
    assert_int_equal(mote_system_gather(w.system), MOTE_OK);
    assert_int_equal(mote_system_cluster_report(w.system, &after), MOTE_OK);
    ASSERT(before.gathered_bytes, >, 40 * 8 * 12u);
    ASSERT(after.gathered_bytes - before.gathered_bytes - 1, <, 2047u);
    mote_system_destroy(w.system);
}

/* Columns of all ranges, more than 64, take two messages behind the comparison; a network's report two. */
TEST(gathering_takes_few_messages) {
    written_world w = written_world_of(true);
    mote_cluster_report before, after;
    assert_int_equal(mote_system_step(w.system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_system_cluster_report(w.system, &before), MOTE_OK);
    assert_int_equal(mote_system_gather(w.system), MOTE_OK);
    assert_int_equal(mote_system_cluster_report(w.system, &after), MOTE_OK);
    ASSERT(after.messages - before.messages, ==, 5u);
    mote_system_destroy(w.system);
}

static mote_result calls_within;
static void ask_within(void *user, mote_system *system, const mote_range_view *view) {
    (void)view;
    calls_within = mote_system_calls(system, pair_of_ranks(), user);
}

TEST(calls_are_those_of_a_system_of_the_transport) {
    uint32_t others = 2;
    uint64_t hash = 5;
    written_world w = written_world_of(false);
    mote_transport other = *pair_of_ranks();
    mote_system *alone = system_of(64, NULL);
    ASSERT(calls_of(w.system), !=, 0u);
    assert_int_equal(mote_system_calls(NULL, pair_of_ranks(), &hash), MOTE_ERROR_NULL);
    ASSERT(hash, ==, 0u);
    assert_int_equal(mote_system_calls(w.system, NULL, &hash), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_calls(w.system, pair_of_ranks(), NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_calls(alone, pair_of_ranks(), &hash), MOTE_ERROR_CLUSTER);
    other.user = &others;
    assert_int_equal(mote_system_calls(w.system, &other, &hash), MOTE_ERROR_CLUSTER);
    other = *pair_of_ranks(), other.gather = distort;
    assert_int_equal(mote_system_calls(w.system, &other, &hash), MOTE_ERROR_CLUSTER);
    assert_int_equal(mote_system_set_step_hook(w.system, ask_within, &hash), MOTE_OK);
    assert_int_equal(mote_system_step(w.system, 1, NULL), MOTE_OK);
    assert_int_equal(calls_within, MOTE_ERROR_BUSY);
    mote_system_destroy(alone);
    mote_system_destroy(w.system);
}

/* --- Slots --- */

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
