/* Networks short of memory at any allocation: nothing leaks, nothing changes, and the next try succeeds. */
#include "test.h"

#include "network_layout.h"
#include "network_web.h"
#include "networks/layout_plan.h"

/* --- In the layout --- */

/* A copy of all memory of a network. */
typedef struct snapshot {
    mote_network n;
    void *memory, *lines, *pins, *reels;
} snapshot;

static void *copy_of(const void *from, size_t bytes) {
    void *copy = from ? malloc(bytes) : NULL;
    return copy ? memcpy(copy, from, bytes) : NULL;
}

static snapshot take_snapshot(const mote_network *n) {
    return (snapshot){*n, copy_of(n->memory, n->bytes), copy_of(n->packet_memory, n->packet_bytes),
                      copy_of(n->range.pins.pins, n->range.pins.count * sizeof *n->range.pins.pins),
                      copy_of(n->reels.pins, n->reels.count * sizeof *n->reels.pins)};
}

static void free_snapshot(snapshot *s) { free(s->memory), free(s->lines), free(s->pins), free(s->reels); }

static void check_snapshot(const snapshot *s, const mote_network *n) {
    assert_memory_equal(&s->n, n, sizeof *n);
    assert_memory_equal(s->memory, n->memory, n->bytes);
    assert_memory_equal(s->lines, n->packet_memory, n->packet_bytes);
    if (n->range.pins.count)
        assert_memory_equal(s->pins, n->range.pins.pins, n->range.pins.count * sizeof *n->range.pins.pins);
    if (n->reels.count) assert_memory_equal(s->reels, n->reels.pins, n->reels.count * sizeof *n->reels.pins);
}

typedef enum edit { EDIT_NEAR, EDIT_HUB, EDIT_FAR, EDIT_PIN, EDIT_REEL, EDIT_COUNT } edit;

/* Springs between neighbours, at one particle, between islands; the first pin and reel. */
static mote_result do_edit(mote_network *n, edit what, const model *m, mote_spring *springs,
                           uint32_t *numbers, uint32_t *count, const mote_allocator *allocator) {
    const float at[3] = {0, 0, 0};
    *count = what > EDIT_FAR ? 0 : 40;
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t a = what == EDIT_HUB ? 3 : 5 * i;
        const uint32_t b = what == EDIT_NEAR ? a + 1 : what == EDIT_HUB ? 4 + i : m->particles - 1 - i;
        springs[i] = (mote_spring){a, b, 1, 2, 0.5f, 0.25f};
        numbers[i] = 77;
    }
    if (what == EDIT_PIN) return mote_network_add_pin(n, n->slot_of_particle[2], at, 0, 1, allocator);
    if (what == EDIT_REEL) return mote_network_add_reel(n, 2, 1, 0, 1, allocator);
    return mote_network_insert(n, *count, springs, numbers, allocator);
}

/* Each edit with each of its allocations failing, until it succeeds; returns how many failed. */
static uint32_t edit_with_failures(mote_network *n, edit what, model *m, memory_ledger *ledger,
                                   const mote_allocator *allocator) {
    mote_spring springs[40];
    uint32_t numbers[40], count, failures = 0;
    for (mote_result result = MOTE_ERROR_MEMORY; result; failures += result != MOTE_OK) {
        snapshot before = take_snapshot(n);
        ledger->fail_at = ledger->calls + 1 + failures;
        const uint64_t failed = ledger->failures, live = ledger->live_bytes;
        result = do_edit(n, what, m, springs, numbers, &count, allocator);
        ASSERT(result, ==, (ledger->failures == failed ? MOTE_OK : MOTE_ERROR_MEMORY));
        if (result) {
            ASSERT(ledger->live_bytes, ==, live);
            check_snapshot(&before, n);
            for (uint32_t i = 0; i < count; i++) ASSERT(numbers[i], ==, 77);
        }
        free_snapshot(&before);
    }
    ledger->fail_at = 0;
    for (uint32_t i = 0; i < count; i++) model_insert(m, numbers[i], &springs[i]);
    if (what == EDIT_PIN) m->pinned[2] = true;
    check_network(n, m);
    return failures;
}

TEST(a_failed_allocation_leaves_the_layout_as_it_was) {
    static graph g;
    random_source random = {31};
    uint32_t of_edit[EDIT_COUNT] = {0};
    for (uint32_t variant = 0; variant < 8; variant++) {
        memory_ledger ledger = {0};
        const mote_allocator allocator = ledger_allocator(&ledger);
        const mote_range_setup setup = setup_of(&allocator, variant % 2);
        mote_network *n;
        mote_network_fault fault;
        uint32_t failures = 0;
        mixed_graph(&g, &random, variant);
        g.def.spring_capacity = g.def.spring_count + 120;
        for (mote_result result = MOTE_ERROR_MEMORY; result; failures += result != MOTE_OK) {
            ledger.fail_at = ledger.calls + 1 + failures;
            result = mote_network_make(&g.def, &setup, &n, &fault);
            if (result) ASSERT(result, ==, MOTE_ERROR_MEMORY);
            if (result) ASSERT(ledger.live_bytes, ==, 0);
            ASSERT(fault.particle, ==, MOTE_NO_ITEM);
            ASSERT(fault.spring, ==, MOTE_NO_ITEM);
        }
        ASSERT(failures, ==, 4); /* layout plan, network, columns, packets */
        model m = model_of(&g.def);
        for (int what = 0; what < EDIT_COUNT; what++)
            of_edit[what] += edit_with_failures(n, (edit)what, &m, &ledger, &allocator);
        model_free(&m);
        mote_network_destroy(&n->range, &allocator);
        ASSERT(ledger.faults, ==, 0);
        ASSERT(ledger.live_bytes, ==, 0);
        ASSERT(ledger.calls - ledger.failures, ==, ledger.releases);
    }
    /* An insertion allocates to work, and some need more lines; pins and reels are reserved once. */
    ASSERT(of_edit[EDIT_NEAR], >=, 8);
    ASSERT(of_edit[EDIT_HUB], >, 8);
    ASSERT(of_edit[EDIT_FAR], >=, 8);
    ASSERT(of_edit[EDIT_PIN], ==, 8);
    ASSERT(of_edit[EDIT_REEL], ==, 8);
}

/* --- By the host's calls --- */

/* The scratch of the system, which grows first, stays. */
TEST(a_call_whose_allocation_fails_leaves_the_system_as_it_was) {
    static web w;
    memory_ledger ledger = {0};
    make_web(&w, 2000 - 81, 5); /* an island of several blocks */
    w.def.policy = MOTE_STABILITY_SUBSTEP;
    mote_system *system = make_host(MOTE_KINEMATIC, &ledger);
    add_collider(system, mote_plane((float[3]){0, -99, 0}, (float[3]){0, 1, 0}));
    mote_network_id id = {0, 0};
    mote_spring link = {w.name[0], w.name[1000], 1, 1, 0, 0};
    uint32_t number = 0, refused[5] = {0};
    for (int call = 0; call < 5; call++) {
        const uint64_t hash = mote_system_hash(system), failures = ledger.failures;
        mote_result result = MOTE_ERROR_MEMORY;
        for (uint64_t k = 1; result == MOTE_ERROR_MEMORY; k++) {
            ledger.fail_at = ledger.calls + k;
            if (call == 0) result = mote_system_add_network(system, &w.def, &id, NULL);
            if (call == 1) result = mote_network_pin(system, id, 3, (float[3]){1, 2, 3}, 0);
            if (call == 2) result = mote_network_reel(system, id, 3, 1, 0, NULL);
            if (call == 3) result = mote_network_add_springs(system, id, 1, &link, &number, NULL);
            if (call == 4) result = mote_network_remove_springs(system, id, 1, &number, NULL);
            assert_true(result == MOTE_OK || result == MOTE_ERROR_MEMORY);
            if (result) ASSERT(mote_system_hash(system), ==, hash);
            if (result) refused[call]++;
        }
        ASSERT(refused[call], ==, ledger.failures - failures);
        ASSERT(mote_system_hash(system), !=, hash);
    }
    ASSERT(refused[0], >, 3);
    ASSERT(refused[1], ==, 1);
    ASSERT(refused[2], ==, 1);
    ASSERT(refused[4], ==, 0);
    ledger.fail_at = 0;
    destroy_watched(system, &ledger);
}

/* --- From a def --- */

/* No columns that nothing needs, no negative zeros, and the flags of the springs. */
TEST(a_small_network_has_what_its_def_asks_for) {
    float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, masses[3] = {1, 2, 3};
    mote_spring springs[3] = {
        {0, 1, -0.0f, -0.0f, -0.0f, -0.0f}, {1, 2, MOTE_AS_PLACED, 5, 1, 1}, {2, 0, 0, 5, 0, 0}};
    mote_network_def def = mote_default_network_def();
    mote_network *n;
    const mote_allocator allocator = plain();
    mote_range_setup setup = setup_of(&allocator, false);
    mote_network_fault fault;
    def.particle_count = 1, def.positions = positions;
    setup.interpolates = false;
    OK(mote_network_make(&def, &setup, &n, &fault));
    ASSERT(n->range.slot_count, ==, 16);
    ASSERT(n->block_count, ==, 1);
    ASSERT(n->packet_count, ==, 0);
    assert_null(n->range.previous_x[0]);
    assert_null(n->entry_response[0]);
    mote_network_destroy(&n->range, &allocator);
    def.particle_count = 3, def.particle_mass = masses, def.springs = springs, def.spring_count = 3;
    OK(mote_network_make(&def, &setup, &n, &fault));
    ASSERT(n->uniform_inverse_mass, ==, 0);
    assert_true(n->damped);
    assert_true(n->tears);
    const float zeros[] = {n->spring[0].rest_length, n->spring[0].stiffness, n->spring[0].damping,
                           n->spring[0].tear_strain};
    for (size_t i = 0; i < COUNT_OF(zeros); i++) assert_false(signbit(zeros[i]));
    mote_network_destroy(&n->range, &allocator);
    masses[0] = masses[1] = masses[2], def.spring_count = 1;
    OK(mote_network_make(&def, &setup, &n, &fault));
    ASSERT(n->uniform_inverse_mass, ==, (float)(1.0 / 3));
    assert_false(n->damped);
    assert_false(n->tears);
    ASSERT(n->island_count, ==, 2);
    mote_network_destroy(&n->range, &allocator);
}

/* Packets grow with the springs, rounded up, and to no more than twice as many. */
TEST(room_for_packets_goes_by_the_room_for_springs) {
    static const struct {
        uint32_t capacity;
        uint64_t packets, want;
    } rows[] = {{3, 6, 6}, {4, 6, 8}, {4, 7, 10}, {5, 6, 10}, {5, 5, 9}, {6, 5, 10}, {900, 6, 12}, {4, 0, 0}};
    float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const mote_spring springs[3] = {{.a = 0, .b = 1}, {.a = 1, .b = 2}, {.a = 2, .b = 0}};
    mote_network_def def = mote_default_network_def();
    mote_network *n;
    const mote_allocator allocator = plain();
    const mote_range_setup setup = setup_of(&allocator, false);
    mote_network_fault fault;
    def.particle_count = 3, def.positions = positions, def.springs = springs, def.spring_count = 3;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        def.spring_capacity = rows[i].capacity;
        OK(mote_network_make(&def, &setup, &n, &fault));
        test_case("%u springs, %u packets", rows[i].capacity, (unsigned)rows[i].packets);
        ASSERT(mote_network_packets_for(n, rows[i].packets), ==, rows[i].want);
        mote_network_destroy(&n->range, &allocator);
    }
}

/* A second network, and rigid springs, for which there is no memory: the first network goes on without. */
TEST(a_network_goes_on_where_there_is_no_memory_for_more) {
    static web small, large;
    memory_ledger ledger = {0};
    make_web(&small, 20, 5), make_web(&large, 2000 - 81, 6);
    small.def.solver = MOTE_NETWORK_CONSTRAINED;
    small.def.spring_capacity = small.def.spring_count + 4;
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, &ledger);
    const mote_network_id first = add_web(system, &small);
    const mote_spring rigid = {small.name[0], small.name[1], MOTE_AS_PLACED, INFINITY, 0, 0};
    const uint64_t hash = mote_system_hash(system);
    mote_network_id second;
    uint32_t number, refused = 0;
    ledger.fail_at = ledger.calls + 1;
    assert_int_equal(mote_network_add_springs(system, first, 1, &rigid, &number, NULL), MOTE_ERROR_MEMORY);
    ASSERT(mote_system_hash(system), ==, hash);
    for (mote_result result = MOTE_ERROR_MEMORY; result; refused += result != MOTE_OK) {
        ledger.fail_at = ledger.calls + 1 + refused;
        result = mote_system_add_network(system, &large.def, &second, NULL);
        if (result) ASSERT(result, ==, MOTE_ERROR_MEMORY);
        if (result) ASSERT(mote_system_hash(system), ==, hash);
        ASSERT(inside(system, first)->particle_count, ==, small.def.particle_count);
    }
    ASSERT(refused, >, 4u);
    ledger.fail_at = 0;
    OK(mote_system_step(system, 1, NULL));
    ASSERT(step_report(system, first).frozen, ==, 0u);
    destroy_watched(system, &ledger);
}
