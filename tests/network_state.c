/* Networks: views, the numbers of springs, pins, reels, and the state that the hash covers. */
#include "test.h"

#include "network_web.h"

/* --- Views --- */

static bool is_empty(mote_network_view v) {
    return !v.particle_count && !v.slot_count && !v.spring_count && !v.spring_capacity && !v.position.x &&
           !v.velocity.z && !v.inverse_mass && !v.slot;
}

TEST(a_view_shows_the_def_by_slot) {
    static web w;
    make_web(&w, 1200, 6);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
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
        for (uint32_t axis = 0; axis < 3; axis++) {
            ASSERT(x[axis][slot], ==, w.positions[3 * i + axis]);
            ASSERT(x[3 + axis][slot], ==, w.velocities[3 * i + axis]);
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
    mote_system_destroy(system);
}

TEST(a_view_of_no_network_is_empty) {
    static web w;
    make_web(&w, 5, 6);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL),
                *other = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w), gone = add_web(system, &w), none = {0, 0};
    OK(mote_system_remove_network(system, gone));
    mote_system *const systems[] = {NULL, other, system, system};
    const mote_network_id ids[] = {id, id, none, gone};
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        uint32_t torn = 7;
        ASSERT(mote_network_slot(systems[i], ids[i], 0), ==, MOTE_NO_SLOT);
        assert_true(is_empty(mote_network_columns(systems[i], ids[i])));
        assert_null(mote_network_torn(systems[i], ids[i], &torn));
        ASSERT(torn, ==, 0);
        assert_false(mote_network_frozen(systems[i], ids[i], 2));
    }
    assert_null(mote_network_torn(NULL, id, NULL));
    mote_system_destroy(system), mote_system_destroy(other);
}

/* One mass for all, at rest, no springs, no capacity for any. */
TEST(a_def_may_give_positions_alone) {
    const float positions[6] = {1, 2, 3, 4, 5, 6};
    mote_network_def def = mote_default_network_def();
    def.particle_count = 2, def.positions = positions, def.mass = 4;
    mote_system *system = make_host(MOTE_RK4, NULL);
    const mote_network_id id = add_network(system, &def);
    const mote_network_view v = mote_network_columns(system, id);
    for (uint32_t i = 0; i < 2; i++) {
        ASSERT(v.inverse_mass[v.slot[i]], ==, 0.25f);
        ASSERT(v.velocity.y[v.slot[i]], ==, 0);
    }
    ASSERT(v.spring_count, ==, 0);
    ASSERT(v.spring_capacity, ==, 0);
    const mote_statistics s = statistics_of(system, id);
    ASSERT(s.mass, ==, 8);
    ASSERT(s.elastic, ==, 0);
    ASSERT(s.max_strain, ==, 0);
    ASSERT(s.mean_strain, ==, 0);
    ASSERT(s.max_strain_item, ==, MOTE_NO_ITEM);
    const mote_spring spring = {0, 1, 1, 1, 0, 0};
    uint32_t number;
    mote_network_fault fault;
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_network_add_springs(system, id, 1, &spring, &number, &fault));
    ASSERT(fault.spring, ==, 0);
    ASSERT(fault.particle, ==, MOTE_NO_ITEM);
    mote_system_destroy(system);
}

/* --- Numbers of springs --- */

static void expect_spring(const mote_system *system, mote_network_id id, uint32_t number, mote_spring want) {
    const mote_spring got = spring_of(system, id, number);
    ASSERT(got.a, ==, want.a);
    ASSERT(got.b, ==, want.b);
    ASSERT(got.rest_length, ==, want.rest_length);
    ASSERT(got.stiffness, ==, want.stiffness);
    ASSERT(got.damping, ==, want.damping);
    ASSERT(got.tear_strain, ==, want.tear_strain);
}

TEST(springs_keep_their_values_and_a_new_one_takes_the_lowest_free_number) {
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
    w.spring[4].rest_length = spring_of(system, id, 4).rest_length;
    ASSERT_NEAR(w.spring[4].rest_length, sqrt(square), 3 * UNIT * sqrt(square));
    for (uint32_t i = 0; i < w.springs; i++) expect_spring(system, id, i, w.spring[i]);
    OK(mote_network_remove_springs(system, id, 3, gone, NULL));
    ASSERT(mote_network_columns(system, id).spring_count, ==, w.springs - 3);
    for (int i = 0; i < 3; i++)
        REFUSED(system, MOTE_ERROR_RANGE, mote_network_spring(system, id, gone[i], more));
    for (uint32_t i = 0; i < 67; i++) more[i] = (mote_spring){i, i + 1, 1 + (float)i, 2, 0.5f, 3};
    for (uint32_t i = 0; i < 6; i++) *column_of(system, id, i / 3, i % 3) = i == 0 ? 3 : i == 4 ? 4 : 0;
    more[0].rest_length = MOTE_AS_PLACED;
    OK(mote_network_add_springs(system, id, 67, more, number, NULL));
    more[0].rest_length = 5;
    const uint32_t want[] = {2, 40, w.springs - 1, w.springs};
    for (size_t i = 0; i < COUNT_OF(want); i++) ASSERT(number[i], ==, want[i]);
    for (uint32_t i = 0; i < 67; i++) expect_spring(system, id, number[i], more[i]);
    ASSERT(mote_network_columns(system, id).spring_count, ==, w.springs + 64);
    OK(mote_network_set_spring(system, id, 40, 7, 8, 9, NULL));
    more[1].stiffness = 7, more[1].damping = 8, more[1].tear_strain = 9;
    expect_spring(system, id, 40, more[1]);
    OK(mote_network_set_spring(system, id, 40, -0.0f, -0.0f, -0.0f, NULL));
    OK(mote_network_remove_springs(system, id, 1, number + 1, NULL)); /* a negative zero marks nothing */
    mote_system_destroy(system);
}

/* --- Pins and reels --- */

TEST(a_pin_takes_the_mass_and_gives_it_back) {
    static web w;
    make_web(&w, 5, 12);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w);
    const uint64_t hash = mote_system_hash(system);
    const mote_network_view v = mote_network_columns(system, id);
    float impulse[3] = {7, 7, 7};
    OK(mote_network_pin(system, id, 6, (float[3]){1, 2, 3}, MOTE_NEXT_ADVANCE));
    ASSERT(v.inverse_mass[v.slot[6]], ==, 0);
    ASSERT(mote_system_hash(system), !=, hash);
    OK(mote_network_reaction(system, id, 6, impulse));
    for (int axis = 0; axis < 3; axis++) ASSERT(impulse[axis], ==, 0);
    OK(mote_network_pin(system, id, 6, (float[3]){3, 2, 1}, 50));
    OK(mote_network_unpin(system, id, 6));
    ASSERT(v.inverse_mass[v.slot[6]], ==, (float)(1 / (double)w.masses[6]));
    ASSERT(mote_system_hash(system), ==, hash);
    REFUSED(system, MOTE_ERROR_RANGE, mote_network_unpin(system, id, 6));
    mote_system_destroy(system);
}

/* As many pins and reels as there may be; one that is there already may always be aimed anew. A reel that has
 * arrived takes no space from others, whether a step has looked at it or not. */
TEST(a_pin_or_reel_that_goes_makes_space) {
    enum { MOST = MOTE_MAX_REELS, MANY = MOST + 3 };
    static float positions[3 * MANY];
    static mote_spring springs[MANY];
    const float to[3] = {0, 1, 0};
    const uint32_t number = 5;
    assert_int_equal(MOTE_MAX_NETWORK_PINS, MOST);
    for (uint32_t i = 0; i < MANY; i++)
        positions[3 * i] = (float)i, springs[i] = (mote_spring){i, (i + 1) % MANY, 1, 1, 0, 0};
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_network_def def = mote_default_network_def();
    def.particle_count = def.spring_count = MANY, def.positions = positions, def.springs = springs;
    const mote_network_id id = add_network(system, &def);
    for (uint32_t i = 0; i < MOST; i++) {
        OK(mote_network_pin(system, id, i, to, 0));
        OK(mote_network_reel(system, id, i, 2, MOTE_NEXT_ADVANCE, NULL));
    }
    REFUSALS(system, REFUSES(CAPACITY, mote_network_pin(system, id, MANY - 1, to, 9)),
             REFUSES(CAPACITY, mote_network_reel(system, id, MANY - 1, 3, 0, NULL)));
    const uint64_t hash = mote_system_hash(system);
    OK(mote_network_pin(system, id, 2, to, 9));
    OK(mote_network_reel(system, id, 2, 3, MOTE_NEXT_ADVANCE, NULL));
    ASSERT(mote_system_hash(system), !=, hash);
    OK(mote_network_unpin(system, id, 5));
    OK(mote_network_remove_springs(system, id, 1, &number, NULL)); /* and its reel */
    OK(mote_network_pin(system, id, MANY - 1, to, 9));
    OK(mote_network_reel(system, id, MANY - 1, 2, MOTE_NEXT_ADVANCE, NULL));
    OK(mote_system_step(system, 1, NULL));
    for (uint32_t i = MANY - 1; i > 1; i--) /* as many as there may be, all but spring 5 */
        if (i != 5) OK(mote_network_reel(system, id, i, 3, 0, NULL));
    OK(mote_network_reel(system, id, 0, 4, 0, NULL)); /* and the space of those that arrive at once */
    ASSERT(spring_of(system, id, 1).rest_length, ==, 2);
    OK(mote_system_step(system, 1, NULL));
    ASSERT(spring_of(system, id, 0).rest_length, ==, 4);
    ASSERT(spring_of(system, id, MANY - 1).rest_length, ==, 3);
    mote_system_destroy(system);
}

/* --- Hash --- */

/* Changes one thing; the hash must follow (or must not), and come back with it. */
static void expect_in_hash(mote_system *system, void *state, size_t bytes, bool counts, const char *name) {
    const uint64_t before = mote_system_hash(system);
    test_case("%s", name);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)state)[i] ^= 1;
    ASSERT((mote_system_hash(system) != before), ==, counts);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)state)[i] ^= 1;
    ASSERT(mote_system_hash(system), ==, before);
}

#define EXPECT(lvalue, counts) expect_in_hash(system, &(lvalue), sizeof(lvalue), counts, #lvalue)

/* The same of a slot or a count, which takes another value that is valid. */
static void expect_number_in_hash(mote_system *system, uint32_t *state, uint32_t other) {
    const uint32_t kept = *state;
    const uint64_t before = mote_system_hash(system);
    *state = other;
    ASSERT(mote_system_hash(system), !=, before);
    *state = kept;
}

static void hash_of_slots(mote_system *system, mote_network *n) {
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++) {
        const bool used = n->particle_of_slot[slot] != MOTE_NO_SLOT;
        for (int axis = 0; axis < 3; axis++) {
            EXPECT(n->range.x[axis][slot], used);
            EXPECT(n->range.v[axis][slot], used);
            EXPECT(n->range.previous_x[axis][slot], used);
            EXPECT(n->range.reaction[axis][slot], false);
        }
        EXPECT(n->range.inverse_mass[slot], used);
        EXPECT(n->own_inverse_mass[slot], used);
    }
    for (uint32_t i = 0; i < n->island_count; i++) EXPECT(n->frozen[i], true);
}

static void hash_of_springs(mote_system *system, mote_network *n) {
    for (uint32_t i = 0; i < n->def.spring_capacity; i++) {
        mote_network_spring_state *s = &n->spring[i];
        const bool exists = s->a != MOTE_NO_SLOT;
        EXPECT(s->rest_length, exists);
        EXPECT(s->stiffness, exists);
        EXPECT(s->damping, exists);
        EXPECT(s->tear_strain, exists);
        EXPECT(s->entry, false);
    }
    expect_number_in_hash(system, &n->spring[0].a, n->spring[9].a);
    expect_number_in_hash(system, &n->spring[0].b, n->spring[9].a);
}

static void hash_of_targets(mote_system *system, mote_network *n) {
    for (int i = 0; i < 2; i++) {
        EXPECT(n->range.pins.pins[i].from, true);
        EXPECT(n->range.pins.pins[i].to, true);
        EXPECT(n->range.pins.pins[i].travel.from_tick, true);
        EXPECT(n->range.pins.pins[i].travel.to_tick, true);
        EXPECT(n->reels.pins[i].spring, true);
        EXPECT(n->reels.pins[i].from[0], true);
        EXPECT(n->reels.pins[i].to[0], true);
        EXPECT(n->reels.pins[i].travel.from_tick, true);
        EXPECT(n->reels.pins[i].travel.to_tick, true);
    }
    expect_number_in_hash(system, &n->range.pins.count, 1);
    expect_number_in_hash(system, &n->reels.count, 1);
}

TEST(the_hash_covers_the_state_and_nothing_else) {
    static web w;
    make_web(&w, 5, 13);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const uint64_t empty = mote_system_hash(system);
    const mote_network_id id = add_web(system, &w);
    const uint32_t gone[2] = {3, w.springs - 1};
    ASSERT(mote_system_hash(system), !=, empty);
    OK(mote_network_remove_springs(system, id, 2, gone, NULL));
    for (uint32_t i = 0; i < 2; i++) {
        OK(mote_network_pin(system, id, 7 + i, (float[3]){1, 2, 3}, 9));
        OK(mote_network_reel(system, id, 7 + i, 5, MOTE_NEXT_ADVANCE, NULL));
    }
    mote_network *n = network_inside(system, id);
    hash_of_slots(system, n);
    hash_of_springs(system, n);
    hash_of_targets(system, n);
    EXPECT(n->def.max_strain, true);
    EXPECT(n->def.radius, true);
    EXPECT(n->def.friction, true);
    EXPECT(n->def.solver, true);
    EXPECT(n->def.policy, true);
    EXPECT(n->def.max_substeps, true);
    EXPECT(n->def.growth_allowed, true);
    EXPECT(n->def.max_iterations, true);
    EXPECT(n->def.max_linear, true);
    EXPECT(n->def.spring_capacity, false);
    EXPECT(n->range.started, true);
    EXPECT(n->substeps, true);
    EXPECT(n->report, false);
    EXPECT(n->bound, false);
    EXPECT(n->torn_count, false);
    OK(mote_system_remove_network(system, id));
    ASSERT(mote_system_hash(system), ==, empty);
    mote_system_destroy(system);
}

/* The numbers of springs count, since they decide which number the next one gets; the layout, in rows or
 * across lanes, does not. Islands that were joined freeze together for good: that counts. */
TEST(the_hash_knows_numbers_and_joined_islands_and_not_the_layout) {
    enum { AS_MADE, REVERSED, IN_ROWS, JOINED, WAYS };
    static web w;
    uint64_t hash[WAYS];
    make_web(&w, 5, 14);
    for (int way = 0; way < WAYS; way++) {
        mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
        for (uint32_t i = 0; i < w.springs / 2 && way == REVERSED; i++) {
            const mote_spring kept = w.spring[i];
            w.spring[i] = w.spring[w.springs - 1 - i], w.spring[w.springs - 1 - i] = kept;
        }
        const mote_network_id id = add_web(system, &w);
        /* A spring that comes and goes in a triangle, which is then in rows; and one between two islands. */
        const mote_spring again =
            way == IN_ROWS ? w.spring[30] : (mote_spring){w.name[0], w.name[20], 1, 1, 0, 0};
        uint32_t number;
        if (way > REVERSED) {
            OK(mote_network_add_springs(system, id, 1, &again, &number, NULL));
            OK(mote_network_remove_springs(system, id, 1, &number, NULL));
        }
        hash[way] = mote_system_hash(system);
        mote_system_destroy(system);
    }
    ASSERT(hash[REVERSED], !=, hash[AS_MADE]);
    ASSERT(hash[IN_ROWS], ==, hash[REVERSED]);
    ASSERT(hash[JOINED], !=, hash[REVERSED]);
}

/* Of two equal springs, which one is missing. */
TEST(the_hash_knows_which_number_is_free) {
    const float positions[6] = {0, 0, 0, 1, 0, 0};
    const mote_spring springs[3] = {{0, 1, 1, 1, 0, 0}, {0, 1, 2, 1, 0, 0}, {0, 1, 2, 1, 0, 0}};
    uint64_t hash[3];
    for (uint32_t gone = 0; gone < 3; gone++) {
        mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
        mote_network_def def = mote_default_network_def();
        def.particle_count = 2, def.positions = positions, def.springs = springs, def.spring_count = 3;
        const mote_network_id id = add_network(system, &def);
        OK(mote_network_remove_springs(system, id, 1, &gone, NULL));
        hash[gone] = mote_system_hash(system);
        mote_system_destroy(system);
    }
    ASSERT(hash[1], !=, hash[2]);
    ASSERT(hash[0], !=, hash[1]);
}

/* Nothing has a place before it yet, and slots without a particle never have one. */
TEST(a_teleport_of_a_new_network_changes_no_byte_of_a_snapshot) {
    static unsigned char memory[2][1 << 14];
    static const float positions[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    for (int interpolation = 0; interpolation < MOTE_INTERPOLATION_COUNT; interpolation++) {
        mote_system_def settings = mote_default_system_def();
        mote_network_def def = mote_default_network_def();
        size_t bytes[2];
        settings.capacity = 0, settings.interpolation = (mote_interpolation)interpolation;
        mote_system *system = make_system(&settings);
        def.particle_count = 3, def.positions = positions;
        const mote_network_id id = add_network(system, &def);
        const uint64_t hash = mote_system_hash(system);
        OK(mote_system_save(system, 0, memory[0], sizeof memory[0], &bytes[0]));
        OK(mote_network_teleport(system, id));
        ASSERT(mote_system_hash(system), ==, hash);
        OK(mote_system_save(system, 0, memory[1], sizeof memory[1], &bytes[1]));
        test_case("interpolation %d", interpolation);
        ASSERT(bytes[1], ==, bytes[0]);
        assert_memory_equal(memory[1], memory[0], bytes[0]);
        mote_system_destroy(system);
    }
}

/* A number that is free counts for nothing where springs become rigid. */
TEST(springs_become_rigid_beside_one_that_is_gone) {
    static const float places[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const mote_spring springs[2] = {{0, 1, 1, 10, 0, 0}, {1, 2, 1, 10, 0, 0}};
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_network_def def = mote_default_network_def();
    def.solver = MOTE_NETWORK_CONSTRAINED;
    def.particle_count = 3, def.positions = places, def.springs = springs, def.spring_count = 2;
    const mote_network_id id = add_network(system, &def);
    OK(mote_network_remove_springs(system, id, 1, &(uint32_t){0}, NULL));
    OK(mote_network_set_spring(system, id, 1, INFINITY, 0, 0, NULL));
    ASSERT(spring_of(system, id, 1).stiffness, ==, INFINITY);
    OK(mote_system_step(system, 1, NULL));
    mote_system_destroy(system);
}
