/* Networks short of memory at any allocation, and defs that are wrong: nothing leaks, nothing changes. */
#include "test.h"

#include <float.h>

#include "network_layout.h"

static void check_ledger_is_even(const memory_ledger *ledger) {
    ASSERT(ledger->faults, ==, 0);
    ASSERT(ledger->live_bytes, ==, 0);
    assert_true(ledger->blocks == NULL);
    assert_int_equal(ledger->calls - ledger->failures, ledger->releases);
}

/* --- Memory --- */

/* All that a network holds, copied. */
typedef struct snapshot {
    mote_network n;
    void *memory, *lines, *pins, *reels;
} snapshot;

static void *copy_of(const void *from, size_t bytes) {
    void *copy = from ? malloc(bytes) : NULL;
    return copy ? memcpy(copy, from, bytes) : NULL;
}

static snapshot take_snapshot(const mote_network *n) {
    return (snapshot){*n, copy_of(n->memory, n->bytes), copy_of(n->line_memory, n->line_bytes),
                      copy_of(n->pins, n->pin_count * sizeof *n->pins),
                      copy_of(n->reels, n->reel_count * sizeof *n->reels)};
}

static void check_snapshot(snapshot *s, const mote_network *n) {
    assert_memory_equal(&s->n, n, sizeof *n);
    assert_memory_equal(s->memory, n->memory, n->bytes);
    assert_memory_equal(s->lines, n->line_memory, n->line_bytes);
    if (n->pin_count) assert_memory_equal(s->pins, n->pins, n->pin_count * sizeof *n->pins);
    if (n->reel_count) assert_memory_equal(s->reels, n->reels, n->reel_count * sizeof *n->reels);
    free(s->memory), free(s->lines), free(s->pins), free(s->reels);
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

/* Each edit with each of its allocations failing, until it goes through; returns how many failed. */
static uint32_t edit_with_failures(mote_network *n, edit what, model *m, memory_ledger *ledger,
                                   const mote_allocator *allocator) {
    mote_spring springs[40];
    uint32_t numbers[40], count, failures = 0;
    for (;;) {
        snapshot before = take_snapshot(n);
        ledger->fail_at = ledger->calls + 1 + failures;
        const uint64_t failed = ledger->failures, live = ledger->live_bytes;
        const mote_result result = do_edit(n, what, m, springs, numbers, &count, allocator);
        ledger->fail_at = 0;
        if (ledger->failures == failed) {
            assert_int_equal(result, MOTE_OK);
            free(before.memory), free(before.lines), free(before.pins), free(before.reels);
            break;
        }
        assert_int_equal(result, MOTE_ERROR_MEMORY);
        assert_int_equal(ledger->live_bytes, live);
        check_snapshot(&before, n);
        for (uint32_t i = 0; i < count; i++) assert_int_equal(numbers[i], 77);
        failures++;
    }
    for (uint32_t i = 0; i < count; i++) {
        m->alive[numbers[i]] = true;
        m->spring[numbers[i]] = springs[i];
        model_join(m, springs[i].a, springs[i].b);
    }
    if (what == EDIT_PIN) m->pinned[2] = true;
    check_network(n, m);
    return failures;
}

TEST(failing_allocations) {
    static graph g;
    random_source random = {31};
    uint32_t of_edit[EDIT_COUNT] = {0};
    for (uint32_t variant = 0; variant < 8; variant++) {
        memory_ledger ledger = {0};
        const mote_allocator allocator = ledger_allocator(&ledger);
        mote_network n;
        mote_network_fault fault;
        uint32_t failures = 0;
        mixed_graph(&g, &random, variant);
        g.def.spring_capacity = g.def.spring_count + 120;
        for (mote_result result = MOTE_ERROR_MEMORY; result; failures += result != MOTE_OK) {
            ledger.fail_at = ledger.calls + 1 + failures;
            result = mote_network_make(&n, &g.def, true, variant % 2, &allocator, &fault);
            assert_true(result == MOTE_OK || (result == MOTE_ERROR_MEMORY && ledger.live_bytes == 0));
            ASSERT(fault.particle, ==, MOTE_NO_ITEM);
            ASSERT(fault.spring, ==, MOTE_NO_ITEM);
        }
        assert_int_equal(failures, 3); /* the survey, the columns, the lines */
        model m = model_of(&g.def);
        for (int what = 0; what < EDIT_COUNT; what++)
            of_edit[what] += edit_with_failures(&n, (edit)what, &m, &ledger, &allocator);
        model_free(&m);
        mote_network_destroy(&n, &allocator);
        check_ledger_is_even(&ledger);
    }
    /* An insertion allocates to work, and some need more lines; pins and reels are reserved once. */
    ASSERT(of_edit[EDIT_NEAR], >=, 8);
    ASSERT(of_edit[EDIT_HUB], >, 8);
    ASSERT(of_edit[EDIT_FAR], >=, 8);
    ASSERT(of_edit[EDIT_PIN], ==, 8);
    ASSERT(of_edit[EDIT_REEL], ==, 8);
}

/* --- What is wrong with a def --- */

typedef struct small {
    mote_network_def def;
    float positions[9], velocities[9], masses[3];
    mote_spring springs[3];
} small;

static small a_small_one(void) {
    return (small){.def = mote_default_network_def(),
                   .positions = {0, 0, 0, 1, 0, 0, 0, 1, 0},
                   .masses = {1, 2, 3},
                   .springs = {{0, 1, 1, 5, 0, 0}, {1, 2, MOTE_AS_PLACED, 5, 1, 1}, {2, 0, 0, 5, 0, 0}}};
}

static void expect(small *s, mote_result want, uint32_t particle, uint32_t spring) {
    memory_ledger ledger = {0};
    const mote_allocator allocator = ledger_allocator(&ledger);
    mote_network n;
    mote_network_fault fault;
    memset(&n, 0x55, sizeof n);
    s->def.particle_count = s->def.particle_count ? s->def.particle_count : 3;
    s->def.positions = s->positions, s->def.velocities = s->velocities, s->def.masses = s->masses;
    s->def.springs = s->springs, s->def.spring_count = 3;
    assert_int_equal(mote_network_make(&n, &s->def, false, false, &allocator, &fault), want);
    ASSERT(fault.particle, ==, particle);
    ASSERT(fault.spring, ==, spring);
    if (want == MOTE_OK) mote_network_destroy(&n, &allocator);
    assert_int_equal(mote_network_make(&n, &s->def, false, false, &allocator, NULL), want);
    if (want == MOTE_OK) mote_network_destroy(&n, &allocator);
    check_ledger_is_even(&ledger);
}

TEST(good_values) {
    small s = a_small_one();
    mote_network n;
    const mote_allocator allocator = plain();
    s.def.particle_count = 1, s.def.positions = s.positions;
    assert_int_equal(mote_network_make(&n, &s.def, false, false, &allocator, NULL), MOTE_OK);
    ASSERT(n.slot_count, ==, 16);
    ASSERT(n.block_count, ==, 1);
    ASSERT(n.line_count, ==, 0);
    assert_true(n.previous_x[0] == NULL);
    assert_true(n.entry_response[0] == NULL);
    mote_network_destroy(&n, &allocator);
    s.def.particle_count = 3, s.def.masses = s.masses, s.def.springs = s.springs, s.def.spring_count = 3;
    s.springs[0].damping = s.springs[0].rest_length = s.springs[0].tear_strain = s.springs[0].stiffness =
        -0.0f;
    assert_int_equal(mote_network_make(&n, &s.def, true, false, &allocator, NULL), MOTE_OK);
    ASSERT(n.uniform_inverse_mass, ==, 0);
    assert_true(n.damped);
    assert_true(n.tears);
    const mote_network_spring_state *zero = &n.spring[0];
    assert_false(signbit(zero->damping) || signbit(zero->rest_length) || signbit(zero->tear_strain) ||
                 signbit(zero->stiffness));
    mote_network_destroy(&n, &allocator);
    s.masses[0] = s.masses[1] = s.masses[2];
    s.def.spring_count = 1;
    assert_int_equal(mote_network_make(&n, &s.def, true, false, &allocator, NULL), MOTE_OK);
    ASSERT(n.uniform_inverse_mass, ==, (float)(1.0 / 3));
    assert_false(n.damped);
    assert_false(n.tears);
    ASSERT(n.island_count, ==, 2);
    mote_network_destroy(&n, &allocator);
}

#define WRONG(code, particle, spring, ...)                                                                   \
    do {                                                                                                     \
        small s = a_small_one();                                                                             \
        __VA_ARGS__;                                                                                         \
        expect(&s, code, particle, spring);                                                                  \
    } while (0)

TEST(bad_settings) {
    const uint32_t none = MOTE_NO_ITEM;
    const mote_result range = MOTE_ERROR_RANGE, finite = MOTE_ERROR_NOT_FINITE;
    WRONG(MOTE_ERROR_ENUM, none, none, s.def.solver = MOTE_NETWORK_SOLVER_COUNT);
    WRONG(MOTE_ERROR_ENUM, none, none, s.def.policy = (mote_stability_policy)-1);
    WRONG(range, none, none, s.def.particle_count = MOTE_MAX_PARTICLES + 1);
    WRONG(range, none, none, s.def.max_substeps = 0);
    WRONG(range, none, none, s.def.max_substeps = 4097);
    WRONG(range, none, none, s.def.max_iterations = 0);
    WRONG(range, none, none, s.def.max_iterations = 33);
    WRONG(range, none, none, s.def.max_linear = 0);
    WRONG(range, none, none, s.def.max_linear = 4097);
    WRONG(range, none, none, s.def.max_strain = 0);
    WRONG(finite, none, none, s.def.max_strain = NAN);
    WRONG(range, none, none, s.def.radius = -1);
    WRONG(finite, none, none, s.def.friction = INFINITY);
    WRONG(MOTE_ERROR_OVERFLOW, none, none, s.def.spring_capacity = MOTE_NO_ITEM);
    WRONG(MOTE_OK, none, none, s.def.spring_capacity = 2);
}

TEST(bad_particles) {
    const uint32_t none = MOTE_NO_ITEM;
    const mote_result range = MOTE_ERROR_RANGE, finite = MOTE_ERROR_NOT_FINITE;
    WRONG(finite, 1, none, s.positions[5] = NAN);
    WRONG(finite, 2, none, s.velocities[6] = -INFINITY);
    WRONG(range, 0, none, s.masses[0] = 0);
    WRONG(range, 2, none, s.masses[2] = -1);
    WRONG(range, 2, none, s.masses[2] = 0x1p-140f); /* its inverse overflows */
    WRONG(finite, 1, none, s.masses[1] = INFINITY);
}

TEST(bad_springs) {
    const uint32_t none = MOTE_NO_ITEM;
    const mote_result range = MOTE_ERROR_RANGE, finite = MOTE_ERROR_NOT_FINITE;
    WRONG(range, none, 1, s.springs[1].b = 1);
    WRONG(range, none, 2, s.springs[2].a = 3);
    WRONG(range, none, 2, s.springs[2].b = MOTE_NO_ITEM);
    WRONG(range, none, 0, s.springs[0].rest_length = -0.5f);
    WRONG(finite, none, 0, s.springs[0].rest_length = NAN);
    WRONG(range, none, 0, s.springs[0].stiffness = -1);
    WRONG(finite, none, 0, s.springs[0].stiffness = NAN);
    WRONG(range, none, 0, s.springs[0].stiffness = INFINITY);
    WRONG(range, none, 0, s.springs[0].damping = -1);
    WRONG(finite, none, 0, s.springs[0].damping = INFINITY);
    WRONG(range, none, 0, s.springs[0].tear_strain = -0.1f);
    WRONG(finite, none, 0, s.springs[0].tear_strain = NAN);
    WRONG(range, none, 1, s.positions[3] = FLT_MAX, s.positions[6] = -FLT_MAX); /* the length as placed */
    WRONG(MOTE_OK, none, none, s.springs[0].stiffness = 0);
    WRONG(range, none, 0, s.def.solver = MOTE_NETWORK_CONSTRAINED, s.springs[0].stiffness = 0);
    WRONG(finite, none, 0, s.def.solver = MOTE_NETWORK_CONSTRAINED, s.springs[0].stiffness = -INFINITY);
    WRONG(MOTE_OK, none, none, s.def.solver = MOTE_NETWORK_CONSTRAINED, s.springs[0].stiffness = INFINITY);
}

/* An island of two particles has six degrees of freedom; its neighbours do not count, nor do springs that
 * give. */
TEST(too_many_rigid_springs) {
    const float positions[12] = {0};
    mote_spring springs[16];
    mote_network_def def = mote_default_network_def();
    memory_ledger ledger = {0};
    const mote_allocator allocator = ledger_allocator(&ledger);
    def.solver = MOTE_NETWORK_CONSTRAINED, def.particle_count = 4, def.positions = positions,
    def.springs = springs;
    for (uint32_t i = 0; i < 16; i++) springs[i] = (mote_spring){i % 2, 2 + i % 2, 1, INFINITY, 0, 0};
    springs[3].stiffness = 1;
    for (uint32_t count = 1; count <= 16; count++) {
        mote_network n;
        mote_network_fault fault;
        def.spring_count = count;
        const mote_result result = mote_network_make(&n, &def, false, false, &allocator, &fault);
        assert_int_equal(result, count <= 12
                                     ? MOTE_OK
                                     : MOTE_ERROR_RANGE); /* 0, 2, .. 10 join 0 and 2; 12 is one too many */
        assert_int_equal(fault.spring, count <= 12 ? MOTE_NO_ITEM : 12);
        if (result == MOTE_OK) mote_network_destroy(&n, &allocator);
        check_ledger_is_even(&ledger);
    }
}
