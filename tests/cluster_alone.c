/* A cluster of one rank: what is refused before a step, and deaths that take several messages, against a
 * system that is in no cluster. */
#include "test.h"

#include "systems.h"

static int echo(void *user, const void *own, void *all, size_t bytes) {
    (void)user;
    memcpy(all, own, bytes);
    return 0;
}

static int echo_twice(void *user, const void *own, void *all, size_t bytes) {
    (void)user;
    memcpy(all, own, bytes);
    memcpy((unsigned char *)all + bytes, own, bytes);
    return 0;
}

static int no_exchange(void *user, const mote_message *send, uint32_t sends, const mote_message *receive,
                       uint32_t receives) {
    (void)user, (void)send, (void)receive;
    return (int)(sends + receives);
}

static int no_wait(void *user) { return (void)user, 0; }

static void join(mote_system *system) {
    static uint32_t ranks = 1;
    const mote_transport t = {0, 1, &ranks, echo, no_exchange, no_wait, NULL};
    OK(mote_system_join(system, &t));
}

/* In the hook. */
static void kill_two(void *user, mote_system *system, const mote_range_view *view) {
    (void)user, (void)view;
    OK(mote_system_kill_slots(system, 2, (const uint32_t[2]){7, 70}));
}

/* A ball kills a quarter of the particles in one step and a quarter in another one, and the host some, in
 * those steps too; the rest takes their slots. */
TEST(many_deaths_of_one_step_are_those_of_no_cluster) {
    enum { MANY = 140000, CAPACITY = 64 << 16 };
    mote_system *system[2];
    for (int i = 0; i < 2; i++) {
        mote_system_def def = mote_default_system_def();
        mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 1);
        mote_collider_id id;
        def.capacity = CAPACITY, def.collisions = true;
        ball.response = MOTE_RESPONSE_KILL;
        system[i] = system_of(&def);
        OK(mote_system_add_collider(system[i], &ball, &id));
        if (i) join(system[i]);
        const mote_range_view view = spawned(system[i], MANY);
        for (uint32_t k = 0; k < MANY; k++) {
            view.position.x[k] = 3 + (float)k, view.velocity.y[k] = (float)k;
            if (k % 2) view.velocity.y[k] = 0, view.velocity.x[k] = -120; /* 2 m a step */
            if (k % 2) view.position.x[k] = k % 4 == 1 ? 2 : 10;
        }
        OK(mote_system_kill_slots(system[i], 2, (const uint32_t[2]){4, 40}));
        stepped(system[i], 3);
        ASSERT(mote_system_count(system[i]), ==, 3 * MANY / 4 - 2);
        OK(mote_system_set_step_hook(system[i], kill_two, NULL));
        stepped(system[i], 3);
        ASSERT(mote_system_count(system[i]), <, MANY / 2);
    }
    ASSERT(mote_system_hash(system[1]), ==, mote_system_hash(system[0]));
    mote_system_destroy(system[0]), mote_system_destroy(system[1]);
}

/* Where memory runs out at the first of two networks nothing changes; a reel, of which ranks do not tell each
 * other, keeps its network whole. */
TEST(networks_are_stepped_as_in_no_cluster) {
    static const float place[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    static const float velocity[9] = {0, 0, 0, 0, 200, 0, 0, -300, 100};
    const mote_spring soft[2] = {{0, 1, 1, 50, 0, 0}, {1, 2, 1, 50, 0, 0}},
                      stiff[2] = {{0, 1, 1, 1e6f, 0, 0}, {1, 2, 1, 1e6f, 0, 0}};
    mote_network_step_report report[2];
    memory_ledger ledger = {0};
    mote_system *system[2];
    for (int i = 0; i < 2; i++) {
        mote_system_def def = mote_default_system_def();
        mote_network_id id[2];
        if (i) def.allocator = ledger_allocator(&ledger);
        system[i] = system_of(&def);
        add_force(system[i], mote_gravity((float[3]){0, -900, 0}));
        for (int k = 0; k < 2; k++) {
            mote_network_def net = mote_default_network_def();
            net.particle_count = 3, net.positions = place, net.springs = soft, net.spring_count = 2;
            if (k) net.velocities = velocity, net.springs = stiff;
            if (k) net.solver = MOTE_NETWORK_CONSTRAINED, net.max_iterations = 1, net.max_strain = 1e-6f;
            OK(mote_system_add_network(system[i], &net, &id[k], NULL));
            OK(mote_network_pin(system[i], id[k], 0, place, 0));
        }
        if (i) join(system[i]);
        const uint64_t before = mote_system_hash(system[i]);
        if (i) ledger.fail_at = ledger.calls + 1;
        if (i) assert_int_equal(mote_system_step(system[i], 1, NULL), MOTE_ERROR_MEMORY);
        ASSERT(mote_system_hash(system[i]), ==, before);
        OK(mote_network_reel(system[i], id[0], 0, 2, (uint64_t)1 << 60, NULL));
        stepped(system[i], 3);
        OK(mote_network_report(system[i], id[1], &report[i]));
    }
    ASSERT(mote_system_hash(system[1]), ==, mote_system_hash(system[0]));
    ASSERT(report[0].residual, >, 0);
    ASSERT(report[1].residual, ==, report[0].residual);
    mote_system_destroy(system[0]), mote_system_destroy(system[1]);
    ASSERT(ledger.live_bytes + ledger.faults, ==, 0u);
}

/* Two ranks that share a network: memory runs out at each allocation, then they cannot exchange. */
TEST(a_step_without_memory_for_the_parts_of_a_network_changes_nothing) {
    enum { LONG = 3000 };
    static float place[3 * LONG];
    static mote_spring springs[LONG - 1];
    static uint32_t ranks = 2;
    memory_ledger ledger = {0};
    mote_system_def def = mote_default_system_def();
    mote_network_def net = mote_default_network_def();
    mote_network_id id;
    for (uint32_t i = 0; i < LONG; i++) {
        place[3 * i] = (float)i;
        if (i + 1 < LONG) springs[i] = (mote_spring){i, i + 1, 1, 50, 0, 0};
    }
    def.allocator = ledger_allocator(&ledger);
    mote_system *system = system_of(&def);
    net.particle_count = LONG, net.positions = place, net.springs = springs, net.spring_count = LONG - 1;
    OK(mote_system_add_network(system, &net, &id, NULL));
    const mote_transport t = {0, 2, &ranks, echo_twice, no_exchange, no_wait, NULL};
    OK(mote_system_join(system, &t));
    const uint64_t before = mote_system_hash(system);
    uint64_t refused = 0;
    mote_result result;
    do {
        ledger.fail_at = ledger.calls + ++refused;
        result = mote_system_step(system, 1, NULL);
        if (result == MOTE_ERROR_MEMORY) ASSERT(mote_system_hash(system), ==, before);
    } while (result == MOTE_ERROR_MEMORY);
    assert_int_equal(result, MOTE_ERROR_CLUSTER); /* which cannot exchange */
    ASSERT(refused, >, 2u);
    ledger.fail_at = 0;
    mote_link link = mote_default_link();
    mote_link_id link_id;
    link.a.network = link.b.network = id, link.b.particle = 5;
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_ERROR_CLUSTER); /* which cannot exchange */
    assert_int_equal(mote_system_add_link(system, &link, &link_id), MOTE_ERROR_CLUSTER);
    mote_system_destroy(system);
    ASSERT(ledger.live_bytes + ledger.faults, ==, 0u);
}

/* Slots keep their owners where there is no memory for more of them. */
TEST(a_refused_reserve_changes_no_owner) {
    enum { FEW = 4096, MANY = 128 * FEW };
    static uint32_t ranks = 2;
    memory_ledger ledger = {0};
    mote_system_def def = mote_default_system_def();
    bool owned[FEW];
    uint32_t moved = 0;
    def.capacity = FEW, def.allocator = ledger_allocator(&ledger);
    mote_system *system = system_of(&def);
    const mote_transport t = {0, 2, &ranks, echo_twice, no_exchange, no_wait, NULL};
    OK(mote_system_join(system, &t));
    for (uint32_t slot = 0; slot < FEW; slot++) owned[slot] = mote_system_owns(system, slot);
    ledger.fail_at = ledger.calls + 1;
    assert_int_equal(mote_system_reserve(system, MANY), MOTE_ERROR_MEMORY);
    for (uint32_t slot = 0; slot < FEW; slot++) ASSERT(mote_system_owns(system, slot), ==, owned[slot]);
    OK(mote_system_reserve(system, MANY));
    for (uint32_t slot = 0; slot < FEW; slot++) moved += mote_system_owns(system, slot) != owned[slot];
    ASSERT(moved, >, 0u);
    mote_system_destroy(system);
    ASSERT(ledger.live_bytes + ledger.faults, ==, 0u);
}

/* A snapshot in which a spring is being reeled, into a rank that has edited springs since and into one that
 * has not: both go on as one cluster. */
TEST(restoring_forgets_edits_of_springs_while_others_reel) {
    static const float place[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    static unsigned char memory[1 << 16];
    static uint32_t ranks = 1;
    const mote_spring springs[2] = {{0, 1, 1, 50, 0, 0}, {1, 2, 1, 50, 0, 0}};
    const mote_transport t = {0, 1, &ranks, echo, no_exchange, no_wait, NULL};
    const mote_system_def def = mote_default_system_def();
    mote_network_def net = mote_default_network_def();
    mote_network_id id;
    uint64_t calls[2];
    size_t bytes;
    mote_system *system = system_of(&def);
    net.particle_count = 3, net.positions = place, net.springs = springs, net.spring_count = 2;
    OK(mote_system_add_network(system, &net, &id, NULL));
    OK(mote_system_join(system, &t));
    OK(mote_network_reel(system, id, 0, 2, (uint64_t)1 << 32, NULL));
    stepped(system, 3);
    OK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
    for (int edits = 0; edits < 2; edits++) {
        if (edits) OK(mote_network_set_spring(system, id, 1, 60, 0, 0, NULL));
        OK(mote_system_restore(system, memory, bytes, NULL));
        OK(mote_system_calls(system, &t, &calls[edits]));
    }
    ASSERT(calls[1], ==, calls[0]);
    mote_system_destroy(system);
}

/* Gathers of two alike ranks until no message is left. */
static int echo_while_left(void *user, const void *own, void *all, size_t bytes) {
    uint32_t *left = user;
    if (!*left) return 1;
    --*left;
    return echo_twice(NULL, own, all, bytes);
}

/* A system of two alike ranks that must gather before it is read, but gets no message. */
static mote_system *unheard(uint32_t *left) {
    const mote_system_def def = mote_default_system_def();
    mote_system *system = system_of(&def);
    const mote_transport t = {0, 2, left, echo_while_left, no_exchange, no_wait, NULL};
    *left = 2;
    OK(mote_system_join(system, &t));
    (void)spawned(system, 20);
    *left = 0;
    return system;
}

TEST(what_cannot_gather_writes_nothing) {
    enum { BYTES = 1024 };
    _Alignas(16) unsigned char memory[BYTES], before[BYTES];
    uint32_t left;
    const mote_present_layout layout = mote_default_present_layout();
    mote_preview_def preview = mote_default_preview_def();
    preview.count = 8;
    mote_system *system = unheard(&left);
    memset(memory, 0xa5, BYTES), memset(before, 0xa5, BYTES);
    void *const to = memory;
    assert_int_equal(mote_system_present(system, &layout, to, BYTES), MOTE_ERROR_CLUSTER);
    assert_int_equal(mote_system_order(system, (float[3]){1, 0, 0}, to, BYTES), MOTE_ERROR_CLUSTER);
    assert_int_equal(mote_system_preview(system, &preview, to), MOTE_ERROR_CLUSTER);
    assert_int_equal(mote_system_statistics(system, to), MOTE_ERROR_CLUSTER);
    assert_memory_equal(memory, before, BYTES);
    mote_system_destroy(system);
}

/* A slot of a strand is looked up after particles were spawned, when each call gathers. */
TEST(a_look_up_whose_message_is_lost_finds_no_slot) {
    static const float places[6] = {0, 0, 0, 0, -1, 0};
    uint32_t found = 0;
    for (uint32_t messages = 0; messages < 8; messages++) {
        uint32_t left = 2;
        mote_strands_def hair = mote_default_strands_def();
        mote_strands_id id;
        const mote_system_def def = mote_default_system_def();
        mote_system *system = system_of(&def);
        hair.strand_count = 1, hair.points = 2, hair.positions = places;
        OK(mote_system_add_strands(system, &hair, &id, NULL));
        const mote_transport t = {0, 2, &left, echo_while_left, no_exchange, no_wait, NULL};
        OK(mote_system_join(system, &t));
        (void)spawned(system, 20);
        left = messages;
        const uint32_t slot = mote_strands_slot(system, id, 0, 1);
        if (!messages) ASSERT(slot, ==, MOTE_NO_SLOT);
        found += slot != MOTE_NO_SLOT;
        mote_system_destroy(system);
    }
    ASSERT(found, >, 0u);
}

/* Torques that were written before the system joined act in its first step. */
TEST(torques_from_before_joining_act) {
    mote_system *system[2];
    for (int i = 0; i < 2; i++) {
        mote_system_def def = mote_default_system_def();
        mote_vector_columns torques;
        def.orientation = def.external_torques = true;
        system[i] = system_of(&def);
        const mote_range_view view = spawned(system[i], 20);
        OK(mote_system_external_torques(system[i], &torques));
        for (uint32_t k = 0; k < 20; k++) torques.z[k] = (float)k;
        if (i) join(system[i]);
        stepped(system[i], 2);
        ASSERT(view.angular_velocity.z[19], >, 0);
    }
    ASSERT(mote_system_hash(system[1]), ==, mote_system_hash(system[0]));
    mote_system_destroy(system[0]), mote_system_destroy(system[1]);
}
