/* Networks: views, the numbers of springs, pins, reels, failing allocators, and what counts in the hash. */
#include "test.h"

#include "network_web.h"

/* --- Memory --- */

/* Whatever call of the allocator fails, adding leaves everything as it was; then it succeeds. Then the same
 * for each edit that allocates. Scratch that was grown first stays. */
TEST(failing_allocator) {
    static web w;
    memory_ledger ledger = {0};
    make_web(&w, 2000 - 81, 5); /* an island of several blocks */
    w.def.policy = MOTE_STABILITY_SUBSTEP;
    mote_system *system = make_host(MOTE_KINEMATIC, &ledger);
    mote_collider_def plane = mote_plane((vec3){0, -99, 0}, (vec3){0, 1, 0});
    mote_collider_id collider;
    assert_int_equal(mote_system_add_collider(system, &plane, &collider), MOTE_OK);
    mote_network_id id = {0, 0};
    mote_spring link = {w.name[0], w.name[1000], 1, 1, 0, 0};
    uint32_t number = 0, refused[5] = {0};
    for (int call = 0; call < 5; call++) {
        const uint64_t hash = mote_system_hash(system), failures = ledger.failures;
        mote_result result = MOTE_ERROR_MEMORY;
        for (uint64_t k = 1; result == MOTE_ERROR_MEMORY; k++) {
            ledger.fail_at = ledger.calls + k;
            if (call == 0) result = mote_system_add_network(system, &w.def, &id, NULL);
            if (call == 1) result = mote_network_pin(system, id, 3, (vec3){1, 2, 3}, 0);
            if (call == 2) result = mote_network_reel(system, id, 3, 1, 0);
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
    mote_system_destroy(system);
    ASSERT(ledger.faults, ==, 0);
    ASSERT(ledger.live_bytes, ==, 0);
}

/* --- Views --- */

static bool is_empty(mote_network_view v) {
    return !v.particle_count && !v.slot_count && !v.spring_count && !v.spring_capacity && !v.position.x &&
           !v.velocity.z && !v.inverse_mass && !v.slot;
}

TEST(viewed) {
    static web w;
    make_web(&w, 1200, 6);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL),
                *other = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w);
    const mote_network_view v = mote_network_columns(system, id);
    ASSERT(v.particle_count, ==, w.particles);
    ASSERT(v.spring_count, ==, w.springs);
    ASSERT(v.spring_capacity, ==, w.springs + 64);
    ASSERT(v.slot_count, >=, w.particles);
    ASSERT(v.slot_count % 16, ==, 0);
    unsigned char *used = calloc(v.slot_count, 1);
    float *const x[6] = {v.position.x, v.position.y, v.position.z, v.velocity.x, v.velocity.y, v.velocity.z};
    for (uint32_t i = 0; i < w.particles; i++) {
        const uint32_t slot = mote_network_slot(system, id, i);
        ASSERT(slot, ==, v.slot[i]);
        ASSERT(slot, <, v.slot_count);
        assert_false(used[slot]++);
        for (int axis = 0; axis < 3; axis++) {
            ASSERT(x[axis][slot], ==, w.positions[3 * i + (uint32_t)axis]);
            ASSERT(x[3 + axis][slot], ==, w.velocities[3 * i + (uint32_t)axis]);
        }
        ASSERT(v.inverse_mass[slot], ==, (float)(1 / (double)w.masses[i]));
    }
    for (uint32_t slot = 0; slot < v.slot_count; slot++) {
        if (used[slot]) continue;
        ASSERT(v.inverse_mass[slot], ==, 0);
        for (int i = 0; i < 6; i++) ASSERT(x[i][slot], ==, 0);
    }
    free(used);
    ASSERT(mote_network_slot(system, id, w.particles), ==, MOTE_NO_SLOT);
    ASSERT(mote_network_slot(other, id, 0), ==, MOTE_NO_SLOT);
    assert_true(is_empty(mote_network_columns(other, id)));
    ASSERT(mote_network_slot(NULL, id, 0), ==, MOTE_NO_SLOT);
    assert_true(is_empty(mote_network_columns(NULL, id)));
    assert_true(is_empty(mote_network_columns(system, (mote_network_id){0, 0})));
    uint32_t torn = 7;
    assert_false(mote_network_torn(system, id, &torn));
    ASSERT(torn, ==, 0);
    torn = 7;
    assert_false(mote_network_torn(other, id, &torn));
    ASSERT(torn, ==, 0);
    assert_false(mote_network_torn(NULL, id, NULL));
    assert_int_equal(mote_system_remove_network(system, id), MOTE_OK);
    assert_true(is_empty(mote_network_columns(system, id)));
    ASSERT(mote_network_slot(system, id, 0), ==, MOTE_NO_SLOT);
    mote_system_destroy(system);
    mote_system_destroy(other);
}

/* One mass for all, at rest, no springs, no capacity for any. */
TEST(plain_def) {
    const float positions[6] = {1, 2, 3, 4, 5, 6};
    mote_network_def def = mote_default_network_def();
    def.particle_count = 2, def.positions = positions, def.particle_mass = 4;
    mote_system *system = make_host(MOTE_RK4, NULL);
    mote_network_id id;
    assert_int_equal(mote_system_add_network(system, &def, &id, NULL), MOTE_OK);
    const mote_network_view v = mote_network_columns(system, id);
    for (uint32_t i = 0; i < 2; i++) {
        ASSERT(v.inverse_mass[v.slot[i]], ==, 0.25f);
        ASSERT(v.velocity.y[v.slot[i]], ==, 0);
    }
    ASSERT(v.spring_count, ==, 0);
    ASSERT(v.spring_capacity, ==, 0);
    mote_statistics s;
    assert_int_equal(mote_network_statistics(system, id, &s), MOTE_OK);
    ASSERT(s.mass, ==, 8);
    ASSERT(s.elastic, ==, 0);
    ASSERT(s.max_strain, ==, 0);
    ASSERT(s.mean_strain, ==, 0);
    ASSERT(s.max_strain_item, ==, MOTE_NO_ITEM);
    mote_spring spring = {0, 1, 1, 1, 0, 0};
    uint32_t number;
    mote_network_fault fault;
    assert_int_equal(mote_network_add_springs(system, id, 1, &spring, &number, &fault), MOTE_ERROR_CAPACITY);
    ASSERT(fault.spring, ==, 0);
    ASSERT(fault.particle, ==, MOTE_NO_ITEM);
    mote_system_destroy(system);
}

/* --- Numbers of springs --- */

static void expect_spring(const mote_system *system, mote_network_id id, uint32_t number, mote_spring want) {
    mote_spring got;
    assert_int_equal(mote_network_spring(system, id, number, &got), MOTE_OK);
    ASSERT(got.a, ==, want.a);
    ASSERT(got.b, ==, want.b);
    ASSERT(got.rest_length, ==, want.rest_length);
    ASSERT(got.stiffness, ==, want.stiffness);
    ASSERT(got.damping, ==, want.damping);
    ASSERT(got.tear_strain, ==, want.tear_strain);
}

/* Springs are what they were made as; a new one takes the lowest number that is free. */
TEST(numbered) {
    static web w;
    make_web(&w, 5, 11);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_spring more[67];
    uint32_t number[67], gone[3] = {40, 2, w.springs - 1};
    w.spring[4].rest_length = MOTE_AS_PLACED;
    const mote_network_id id = add_web(system, &w);
    const float *p = w.positions + 3 * w.spring[4].a, *q = w.positions + 3 * w.spring[4].b;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) square += pow((double)q[axis] - (double)p[axis], 2);
    /* In float three squares, two sums and a root err by less than 3 units in the last place. */
    assert_int_equal(mote_network_spring(system, id, 4, more), MOTE_OK);
    ASSERT(fabs((double)more->rest_length - sqrt(square)), <, 3 * 0x1p-24 * sqrt(square));
    w.spring[4].rest_length = more->rest_length;
    for (uint32_t i = 0; i < w.springs; i++) expect_spring(system, id, i, w.spring[i]);
    assert_int_equal(mote_network_remove_springs(system, id, 3, gone, NULL), MOTE_OK);
    ASSERT(mote_network_columns(system, id).spring_count, ==, w.springs - 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(mote_network_spring(system, id, gone[i], more), MOTE_ERROR_RANGE);
    for (uint32_t i = 0; i < 67; i++) more[i] = (mote_spring){i, i + 1, 1 + (float)i, 2, 0.5f, 3};
    const mote_network_view v = mote_network_columns(system, id);
    v.position.x[v.slot[0]] = 3, v.position.y[v.slot[0]] = 0, v.position.z[v.slot[0]] = 0;
    v.position.x[v.slot[1]] = 0, v.position.y[v.slot[1]] = 4, v.position.z[v.slot[1]] = 0;
    more[0].rest_length = MOTE_AS_PLACED;
    assert_int_equal(mote_network_add_springs(system, id, 67, more, number, NULL), MOTE_OK);
    more[0].rest_length = 5;
    ASSERT(number[0], ==, 2);
    ASSERT(number[1], ==, 40);
    ASSERT(number[2], ==, w.springs - 1);
    ASSERT(number[3], ==, w.springs);
    for (uint32_t i = 0; i < 67; i++) expect_spring(system, id, number[i], more[i]);
    ASSERT(mote_network_columns(system, id).spring_count, ==, w.springs + 64);
    assert_int_equal(mote_network_set_spring(system, id, 40, 7, 8, 9), MOTE_OK);
    more[1].stiffness = 7, more[1].damping = 8, more[1].tear_strain = 9;
    expect_spring(system, id, 40, more[1]);
    assert_int_equal(mote_network_set_spring(system, id, 40, -0.0f, -0.0f, -0.0f), MOTE_OK);
    assert_int_equal(mote_network_remove_springs(system, id, 1, number + 1, NULL),
                     MOTE_OK); /* a sign is no mark */
    mote_system_destroy(system);
}

/* --- Pins and reels --- */

TEST(pinned) {
    static web w;
    make_web(&w, 5, 12);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w);
    const uint64_t hash = mote_system_hash(system);
    const mote_network_view v = mote_network_columns(system, id);
    float impulse[3] = {7, 7, 7};
    assert_int_equal(mote_network_pin(system, id, 6, (vec3){1, 2, 3}, MOTE_NEXT_ADVANCE), MOTE_OK);
    ASSERT(v.inverse_mass[v.slot[6]], ==, 0);
    ASSERT(mote_system_hash(system), !=, hash);
    assert_int_equal(mote_network_reaction(system, id, 6, impulse), MOTE_OK);
    ASSERT(impulse[0], ==, 0);
    ASSERT(impulse[1], ==, 0);
    ASSERT(impulse[2], ==, 0);
    assert_int_equal(mote_network_pin(system, id, 6, (vec3){3, 2, 1}, 50), MOTE_OK);
    assert_int_equal(mote_network_unpin(system, id, 6), MOTE_OK);
    ASSERT(v.inverse_mass[v.slot[6]], ==, (float)(1 / (double)w.masses[6]));
    ASSERT(mote_system_hash(system), ==, hash);
    assert_int_equal(mote_network_unpin(system, id, 6), MOTE_ERROR_RANGE);
    mote_system_destroy(system);
}

/* As many pins and reels as there may be; one that is there already may always be aimed anew. */
TEST(most_targets) {
    enum { MANY = MOTE_MAX_NETWORK_PINS + 2 };
    static float positions[3 * MANY];
    static mote_spring springs[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        positions[3 * i] = (float)i, springs[i] = (mote_spring){i, (i + 1) % MANY, 1, 1, 0, 0};
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_network_def def = mote_default_network_def();
    def.particle_count = def.spring_count = MANY, def.positions = positions, def.springs = springs;
    mote_network_id id;
    assert_int_equal(mote_system_add_network(system, &def, &id, NULL), MOTE_OK);
    for (uint32_t i = 0; i < MOTE_MAX_NETWORK_PINS; i++)
        assert_int_equal(mote_network_pin(system, id, MANY - 1 - i, (vec3){0, 0, 0}, 9), MOTE_OK);
    for (uint32_t i = 0; i < MOTE_MAX_REELS; i++)
        assert_int_equal(mote_network_reel(system, id, MANY - 1 - i, 2, 9), MOTE_OK);
    uint64_t hash = mote_system_hash(system);
    assert_int_equal(mote_network_pin(system, id, 0, (vec3){0, 0, 0}, 9), MOTE_ERROR_CAPACITY);
    assert_int_equal(mote_network_reel(system, id, 0, 2, 9), MOTE_ERROR_CAPACITY);
    ASSERT(mote_system_hash(system), ==, hash);
    assert_int_equal(mote_network_pin(system, id, 2, (vec3){0, 1, 0}, 9), MOTE_OK);
    assert_int_equal(mote_network_reel(system, id, 2, 3, 9), MOTE_OK);
    ASSERT(mote_system_hash(system), !=, hash);
    const uint32_t number = 5;
    assert_int_equal(mote_network_unpin(system, id, 5), MOTE_OK);
    assert_int_equal(mote_network_remove_springs(system, id, 1, &number, NULL), MOTE_OK); /* and its reel */
    assert_int_equal(mote_network_pin(system, id, 0, (vec3){0, 0, 0}, 9), MOTE_OK);
    assert_int_equal(mote_network_reel(system, id, 0, 2, 9), MOTE_OK);
    mote_system_destroy(system);
}

/* A reel that has arrived takes no room from others, whether a step has looked at it or not. */
TEST(arrived_reels_make_room) {
    enum { MANY = MOTE_MAX_REELS + 3 };
    static float positions[3 * MANY];
    static mote_spring springs[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        positions[3 * i] = (float)i, springs[i] = (mote_spring){i, (i + 1) % MANY, 1, 1, 0, 0};
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_network_def def = mote_default_network_def();
    def.particle_count = def.spring_count = MANY, def.positions = positions, def.springs = springs;
    mote_network_id id;
    mote_spring spring;
    assert_int_equal(mote_system_add_network(system, &def, &id, NULL), MOTE_OK);
    for (uint32_t i = 0; i < MOTE_MAX_REELS; i++)
        assert_int_equal(mote_network_reel(system, id, i, 2, MOTE_NEXT_ADVANCE), MOTE_OK);
    assert_int_equal(mote_network_reel(system, id, MANY - 1, 3, 0), MOTE_ERROR_CAPACITY);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    for (uint32_t i = 0; i < MOTE_MAX_REELS; i++) /* the first room is that of the first */
        assert_int_equal(mote_network_reel(system, id, MANY - 1 - i, 3, 0), MOTE_OK);
    assert_int_equal(mote_network_reel(system, id, 0, 4, 0), MOTE_OK); /* and those that arrive at once */
    assert_int_equal(mote_network_spring(system, id, 1, &spring), MOTE_OK);
    ASSERT(spring.rest_length, ==, 2);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_spring(system, id, 0, &spring), MOTE_OK);
    ASSERT(spring.rest_length, ==, 4);
    assert_int_equal(mote_network_spring(system, id, MANY - 1, &spring), MOTE_OK);
    ASSERT(spring.rest_length, ==, 3);
    mote_system_destroy(system);
}

/* --- Hash --- */

/* Changes one thing; the hash must follow (or must not), and come back with it. */
static void expect_in_hash(mote_system *system, void *state, size_t bytes, bool counts, int line) {
    const uint64_t before = mote_system_hash(system);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)state)[i] ^= 1;
    if ((mote_system_hash(system) != before) != counts) fail_msg("line %d", line);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)state)[i] ^= 1;
    ASSERT(mote_system_hash(system), ==, before);
}

#define EXPECT(lvalue, counts) expect_in_hash(system, &(lvalue), sizeof(lvalue), counts, __LINE__)

static void hash_of_slots(mote_system *system, mote_network *n) {
    for (uint32_t slot = 0; slot < n->slot_count; slot++) {
        const bool used = n->particle_of_slot[slot] != MOTE_NO_SLOT;
        for (int axis = 0; axis < 3; axis++) {
            EXPECT(n->x[axis][slot], used);
            EXPECT(n->v[axis][slot], used);
            EXPECT(n->previous_x[axis][slot], used);
            EXPECT(n->reaction[axis][slot], false);
        }
        EXPECT(n->inverse_mass[slot], used);
        EXPECT(n->own_inverse_mass[slot], used);
    }
    for (uint32_t i = 0; i < n->island_count; i++) EXPECT(n->frozen[i], true);
}

static void hash_of_springs(mote_system *system, mote_network *n) {
    for (uint32_t i = 0; i < n->def.spring_capacity; i++) {
        mote_network_spring_state *s = &n->spring[i];
        const bool lives = s->a != MOTE_NO_SLOT;
        EXPECT(s->rest_length, lives);
        EXPECT(s->stiffness, lives);
        EXPECT(s->damping, lives);
        EXPECT(s->tear_strain, lives);
        EXPECT(s->entry, false);
    }
    for (int end = 0; end < 2; end++) {
        uint32_t *slot = end ? &n->spring[0].b : &n->spring[0].a;
        const uint32_t kept = *slot;
        const uint64_t before = mote_system_hash(system);
        *slot = n->spring[9].a;
        ASSERT(mote_system_hash(system), !=, before);
        *slot = kept;
    }
}

static void hash_of_targets(mote_system *system, mote_network *n) {
    for (int i = 0; i < 2; i++) {
        EXPECT(n->pins[i].from, true);
        EXPECT(n->pins[i].to, true);
        EXPECT(n->pins[i].from_tick, true);
        EXPECT(n->pins[i].to_tick, true);
        EXPECT(n->pins[i].pending, true);
        EXPECT(n->reels[i].spring, true);
        EXPECT(n->reels[i].from, true);
        EXPECT(n->reels[i].to, true);
        EXPECT(n->reels[i].from_tick, true);
        EXPECT(n->reels[i].to_tick, true);
        EXPECT(n->reels[i].pending, true);
    }
    const uint32_t pins = n->pin_count, reels = n->reel_count;
    const uint64_t before = mote_system_hash(system);
    n->pin_count = 1;
    ASSERT(mote_system_hash(system), !=, before);
    n->pin_count = pins, n->reel_count = 1;
    ASSERT(mote_system_hash(system), !=, before);
    n->reel_count = reels;
}

TEST(hash_of_state) {
    static web w;
    make_web(&w, 5, 13);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const uint64_t empty = mote_system_hash(system);
    const mote_network_id id = add_web(system, &w);
    const uint32_t gone[2] = {3, w.springs - 1};
    ASSERT(mote_system_hash(system), !=, empty);
    assert_int_equal(mote_network_remove_springs(system, id, 2, gone, NULL), MOTE_OK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(mote_network_pin(system, id, 7 + i, (vec3){1, 2, 3}, 9), MOTE_OK);
        assert_int_equal(mote_network_reel(system, id, 7 + i, 5, MOTE_NEXT_ADVANCE), MOTE_OK);
    }
    mote_network *n = inside(system, id);
    hash_of_slots(system, n);
    hash_of_springs(system, n);
    hash_of_targets(system, n);
    float *const settings[] = {&n->def.max_strain, &n->def.radius, &n->def.friction};
    for (size_t i = 0; i < COUNT_OF(settings); i++) EXPECT(*settings[i], true);
    EXPECT(n->def.solver, true);
    EXPECT(n->def.policy, true);
    EXPECT(n->def.max_substeps, true);
    EXPECT(n->def.growth_allowed, true);
    EXPECT(n->def.max_iterations, true);
    EXPECT(n->def.max_linear, true);
    EXPECT(n->def.spring_capacity, false);
    EXPECT(n->started, true);
    EXPECT(n->substeps, true);
    EXPECT(n->report, false);
    EXPECT(n->bound, false);
    EXPECT(n->torn_count, false);
    assert_int_equal(mote_system_remove_network(system, id), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, empty);
    mote_system_destroy(system);
}

/* The numbers of springs count, the layout does not: rows or lanes. */
TEST(hash_of_order) {
    static web w;
    uint64_t hash[3];
    make_web(&w, 5, 14);
    for (int round = 0; round < 3; round++) {
        mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
        if (round == 1) { /* the same springs the other way round */
            for (uint32_t i = 0; i < w.springs / 2; i++) {
                const mote_spring kept = w.spring[i];
                w.spring[i] = w.spring[w.springs - 1 - i], w.spring[w.springs - 1 - i] = kept;
            }
        }
        const mote_network_id id = add_web(system, &w);
        if (round == 2) { /* a triangle's block has become one of rows */
            const mote_spring again = w.spring[30];
            uint32_t number;
            assert_int_equal(mote_network_add_springs(system, id, 1, &again, &number, NULL), MOTE_OK);
            assert_int_equal(mote_network_remove_springs(system, id, 1, &number, NULL), MOTE_OK);
        }
        hash[round] = mote_system_hash(system);
        mote_system_destroy(system);
    }
    ASSERT(hash[0], !=, hash[1]);
    ASSERT(hash[1], ==, hash[2]);
}

/* Islands that were joined freeze together for good: that is state. */
TEST(hash_of_islands) {
    static web w;
    make_web(&w, 5, 15);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w);
    const uint64_t hash = mote_system_hash(system);
    const mote_spring link = {w.name[0], w.name[20], 1, 1, 0, 0};
    uint32_t number;
    assert_int_equal(mote_network_add_springs(system, id, 1, &link, &number, NULL), MOTE_OK);
    assert_int_equal(mote_network_remove_springs(system, id, 1, &number, NULL), MOTE_OK);
    ASSERT(mote_system_hash(system), !=, hash);
    mote_system_destroy(system);
}

/* The number of a spring is state: it says which the next one gets. */
TEST(hash_of_numbers) {
    const float positions[6] = {0, 0, 0, 1, 0, 0};
    const mote_spring springs[3] = {{0, 1, 1, 1, 0, 0}, {0, 1, 2, 1, 0, 0}, {0, 1, 2, 1, 0, 0}};
    uint64_t hash[3];
    for (uint32_t gone = 0; gone < 3; gone++) {
        mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
        mote_network_def def = mote_default_network_def();
        mote_network_id id;
        def.particle_count = 2, def.positions = positions, def.springs = springs, def.spring_count = 3;
        assert_int_equal(mote_system_add_network(system, &def, &id, NULL), MOTE_OK);
        assert_int_equal(mote_network_remove_springs(system, id, 1, &gone, NULL), MOTE_OK);
        hash[gone] = mote_system_hash(system);
        mote_system_destroy(system);
    }
    ASSERT(hash[1], !=, hash[2]);
    ASSERT(hash[0], !=, hash[1]);
}
