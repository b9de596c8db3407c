/* Edits of the layout of networks: springs that come, go and tear, pins, reels, islands that are joined. */
#include "test.h"

#include "network_layout.h"

/* --- Random edits --- */

typedef struct state {
    mote_network *n;
    model m;
    random_source random;
    mote_allocator allocator;
    uint64_t now;
} state;

static uint32_t lowest_free(const model *m) {
    uint32_t number = 0;
    while (number < m->capacity && m->alive[number]) number++;
    return number;
}

static uint32_t alive_of(const model *m) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->capacity; i++) count += m->alive[i];
    return count;
}

/* New springs take the lowest numbers; more than there is space for: none. */
static void insert(state *s, uint32_t count, uint32_t reach) {
    mote_spring springs[64] = {{0, 0, 0, 0, 0, 0}};
    uint32_t numbers[64];
    memset(numbers, 0xee, sizeof numbers);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t a = random_below(&s->random, s->m.particles),
                       step = 1 + random_below(&s->random, reach);
        springs[i] = a_spring(&s->random, a, (a + step) % s->m.particles);
        if (springs[i].b == a) springs[i].b = a ? 0 : 1;
    }
    const mote_result result = mote_network_insert(s->n, count, springs, numbers, &s->allocator);
    if (count > s->m.capacity - alive_of(&s->m)) {
        assert_int_equal(result, MOTE_ERROR_CAPACITY);
        assert_int_equal(numbers[0], 0xeeeeeeee);
        return;
    }
    OK(result);
    for (uint32_t i = 0; i < count; i++) {
        ASSERT(numbers[i], ==, lowest_free(&s->m));
        model_insert(&s->m, numbers[i], &springs[i]);
        assert_true(bound_is_stale(s->n));
        assert_true(responses_are_stale(s->n));
    }
}

/* The number of a spring, or MOTE_NO_ITEM. */
static uint32_t pick(state *s) {
    uint32_t left = alive_of(&s->m), number = 0;
    if (left == 0) return MOTE_NO_ITEM;
    for (left = random_below(&s->random, left); left || !s->m.alive[number]; number++)
        left -= s->m.alive[number];
    return number;
}

static bool reels(const mote_network *n, uint32_t number) {
    bool found = false;
    for (uint32_t i = 0; i < n->reels.count; i++) found |= n->reels.pins[i].spring == number;
    return found;
}

static void erase(state *s) {
    const uint32_t number = pick(s);
    if (number == MOTE_NO_ITEM) return;
    refresh_bound(s->n);
    mote_network_erase(s->n, number);
    s->m.alive[number] = false;
    assert_true(bound_is_stale(s->n));
    assert_true(!reels(s->n, number));
}

static void change(state *s) {
    const uint32_t number = pick(s);
    if (number == MOTE_NO_ITEM) return;
    mote_spring other = a_spring(&s->random, 0, 0);
    s->n->spring[number].stiffness = s->m.spring[number].stiffness = other.stiffness;
    s->n->spring[number].damping = s->m.spring[number].damping = other.damping;
    s->n->spring[number].tear_strain = s->m.spring[number].tear_strain = other.tear_strain;
    mote_network_copy_spring(s->n, number);
}

static void pin(state *s) {
    const uint32_t particle = random_below(&s->random, s->m.particles),
                   slot = s->n->slot_of_particle[particle];
    const float target[3] = {1, 2, 3};
    refresh_bound(s->n);
    if (random_below(&s->random, 3)) {
        const bool was = s->m.pinned[particle];
        OK(mote_network_add_pin(s->n, slot, target, s->now, s->now + 5, &s->allocator));
        s->m.pinned[particle] = true;
        ASSERT(bound_is_stale(s->n), ==, !was);
        return;
    }
    s->n->range.reaction[1][slot] = 7;
    const mote_result result = mote_network_remove_pin(s->n, slot);
    assert_int_equal(result, s->m.pinned[particle] ? MOTE_OK : MOTE_ERROR_RANGE);
    ASSERT(bound_is_stale(s->n), ==, (result == MOTE_OK));
    ASSERT(responses_are_stale(s->n), ==, bound_is_stale(s->n));
    ASSERT(s->n->range.reaction[1][slot], ==, (result ? 7 : 0));
    s->n->range.reaction[1][slot] = 0;
    s->m.pinned[particle] = false;
}

/* Starts reels, and ends those whose tick has come: their springs then have their final length. */
static void reel(state *s) {
    const uint32_t number = pick(s);
    const float length = random_between(&s->random, 0, 3);
    const uint64_t tick = s->now + random_below(&s->random, 4);
    if (number != MOTE_NO_ITEM) OK(mote_network_add_reel(s->n, number, length, s->now, tick, &s->allocator));
    s->now += random_below(&s->random, 3);
    for (uint32_t i = 0; i < s->n->reels.count; i++)
        if (s->n->reels.pins[i].travel.to_tick <= s->now)
            s->m.spring[s->n->reels.pins[i].spring].rest_length = s->n->reels.pins[i].to[0];
    mote_network_end_reels(s->n, s->now);
    for (uint32_t i = 0; i < s->n->reels.count; i++) ASSERT(s->n->reels.pins[i].travel.to_tick, >, s->now);
}

TEST(random_edits_keep_the_layout) {
    static graph g;
    static state s;
    s.random = (random_source){21};
    s.allocator = plain();
    for (uint32_t variant = 0; variant < 24; variant++) {
        mixed_graph(&g, &s.random, variant);
        g.def.spring_capacity = g.def.spring_count + random_below(&s.random, 3) * 100;
        s.n = made(&g.def);
        s.m = model_of(&g.def);
        for (int round = 0; round < 30; round++) {
            const uint32_t reach = random_below(&s.random, 4) ? 60 : s.m.particles;
            insert(&s, random_below(&s.random, round % 5 ? 8 : 64), reach);
            for (uint32_t i = random_below(&s.random, 40); i > 0; i--) erase(&s);
            for (uint32_t i = random_below(&s.random, 20); i > 0; i--) pin(&s);
            for (uint32_t i = random_below(&s.random, 20); i > 0; i--) change(&s), reel(&s);
            check_network(s.n, &s.m);
        }
        model_free(&s.m);
        destroy(s.n);
    }
}

/* 16 islands across lanes, in one lane group: a spring between two of them makes rows of all. */
TEST(a_block_across_lanes_becomes_rows_when_islands_are_joined) {
    static graph g;
    random_source random = {24};
    const mote_allocator allocator = plain();
    for (uint32_t k = 0; k < 11; k++) {
        begin_graph(&g, &random);
        add_chains(&g, &random, 16, 6);
        g.def.spring_capacity = 2 * g.def.spring_count;
        mote_network *n = made(&g.def);
        model m = model_of(&g.def);
        const mote_spring spring = {8 * k, 8 * k + 9, 1, 1, 0, 0};
        uint32_t number;
        ASSERT(n->block_count, ==, 1);
        assert_true(n->block[0].interleaved);
        if (k % 2) mote_network_erase(n, 0), m.alive[0] = false; /* its number is the next one */
        OK(mote_network_insert(n, 1, &spring, &number, &allocator));
        assert_false(n->block[0].interleaved);
        assert_false(n->block[0].outer);
        model_insert(&m, number, &spring);
        check_network(n, &m);
        model_free(&m);
        destroy(n);
    }
}

TEST(the_first_damped_or_tearing_spring_sets_the_flag) {
    const float positions[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const mote_spring springs[] = {{0, 1, 1, 1, 0, 0}, {1, 2, 1, 1, 0.5f, 0}, {0, 2, 1, 1, 0, 0.5f}};
    mote_network_def def = mote_default_network_def();
    const mote_allocator allocator = plain();
    def.particle_count = 3, def.positions = positions, def.spring_count = 1, def.spring_capacity = 3,
    def.springs = springs;
    for (uint32_t kind = 1; kind < 3; kind++)
        for (int added = 0; added < 2; added++) {
            mote_network *n = made(&def);
            uint32_t number = 0;
            assert_false(n->damped);
            assert_false(n->tears);
            if (added) OK(mote_network_insert(n, 1, &springs[kind], &number, &allocator));
            n->spring[0].damping = springs[added ? 0 : kind].damping;
            n->spring[0].tear_strain = springs[added ? 0 : kind].tear_strain;
            mote_network_copy_spring(n, 0);
            ASSERT(n->damped, ==, (kind == 1));
            ASSERT(n->tears, ==, (kind == 2));
            destroy(n);
        }
}

/* --- Freezing and tearing --- */

TEST(joining_a_frozen_island_freezes_both) {
    static graph g;
    random_source random = {22};
    const mote_allocator allocator = plain();
    begin_graph(&g, &random);
    add_chains(&g, &random, 5, 3);
    g.def.spring_capacity = g.def.spring_count + 4;
    mote_network *n = made(&g.def);
    uint32_t number;
    const mote_spring joins[] = {{0, 1, 1, 1, 0, 0}, {2, 3, 1, 1, 0, 0}, {0, 2, 1, 1, 0, 0}};
    n->frozen[n->island[n->slot_of_particle[1]]] = n->frozen[n->island[n->slot_of_particle[2]]] = 1;
    n->report.frozen = 2;
    static const uint32_t frozen[] = {2, 2, 1}; /* one of the two is frozen; the other; both */
    for (uint32_t i = 0; i < 3; i++) {
        OK(mote_network_insert(n, 1, &joins[i], &number, &allocator));
        assert_int_equal(n->report.frozen, frozen[i]);
        uint32_t labels = 0;
        for (uint32_t k = 0; k < n->island_count; k++) labels += n->frozen[k];
        assert_int_equal(labels, frozen[i]);
        assert_true(n->frozen[n->island[n->slot_of_particle[joins[i].a]]]);
        assert_int_equal(n->island[n->slot_of_particle[joins[i].a]],
                         n->island[n->slot_of_particle[joins[i].b]]);
    }
    assert_false(n->frozen[n->island[n->slot_of_particle[4]]]);
    destroy(n);
}

/* The definition in double; within rounding of the limit either is right. */
TEST(springs_tear_beyond_their_strain) {
    static graph g;
    random_source random = {23};
    uint32_t edges = 0, total = 0;
    for (uint32_t variant = 0; variant < 12; variant++) {
        mixed_graph(&g, &random, variant);
        for (uint32_t i = 0; i < g.def.spring_count; i++)
            g.springs[i].tear_strain = i % 3 ? random_between(&random, 0.1f, 6) : 0;
        mote_network *n = made(&g.def);
        model m = model_of(&g.def);
        const uint32_t broken = random_below(&random, m.particles),
                       other = random_below(&random, m.particles);
        const uint32_t frozen = n->island[n->slot_of_particle[other]];
        uint32_t torn = 0;
        n->range.x[1][n->slot_of_particle[broken]] = NAN;
        n->frozen[frozen] = 1;
        refresh_bound(n);
        mote_network_tear(n);
        for (uint32_t i = 0; i < g.def.spring_count; i++) {
            const mote_spring *s = &g.springs[i];
            double sum = 0;
            for (uint32_t axis = 0; axis < 3; axis++) {
                const double d = (double)g.positions[3 * s->b + axis] - (double)g.positions[3 * s->a + axis];
                sum += d * d;
            }
            const double excess = sqrt(sum) - s->rest_length * (1.0 + s->tear_strain);
            bool tears = s->tear_strain > 0 && excess > 0;
            if (s->a == broken || s->b == broken || n->island[n->slot_of_particle[s->a]] == frozen)
                tears = false;
            /* Six roundings of lengths below 32 m. */
            if (fabs(excess) < 6 * 32 * 0x1p-24) tears = n->spring[i].a == MOTE_NO_SLOT, edges++;
            ASSERT(tears, ==, (n->spring[i].a == MOTE_NO_SLOT));
            if (tears) assert_int_equal(n->torn[torn++], i);
            m.alive[i] = !tears;
        }
        assert_int_equal(n->torn_count, torn);
        ASSERT(bound_is_stale(n), ==, (torn > 0));
        n->range.x[1][n->slot_of_particle[broken]] = 0;
        check_network(n, &m);
        mote_network_tear(n);
        total += torn;
        model_free(&m);
        destroy(n);
    }
    ASSERT(edges, <, 3);
    ASSERT(total, >, 100);
}

TEST(at_exactly_its_limit_a_spring_does_not_tear) {
    const float positions[] = {0, 0, 0, 1.5f, 0, 0, 0, 0, 0, 0, 1.5f, 0};
    const mote_spring springs[] = {
        {0, 1, 1, 1, 0, 0.5f}, {0, 2, 0, 1, 0, 1}, {1, 3, 0, 1, 0, 1}, {2, 3, 1.4999f, 1, 0, 1e-5f}};
    mote_network_def def = mote_default_network_def();
    def.particle_count = 4, def.positions = positions, def.spring_count = 4, def.springs = springs;
    mote_network *n = made(&def);
    mote_network_tear(n);
    ASSERT(n->torn_count, ==, 2);
    ASSERT(n->torn[0], ==, 2);
    ASSERT(n->torn[1], ==, 3);
    n->range.x[0][n->slot_of_particle[1]] = 1.5000001f;
    mote_network_tear(n);
    ASSERT(n->torn_count, ==, 3);
    ASSERT(n->torn[2], ==, 0);
    ASSERT(n->spring_count, ==, 1);
    ASSERT(n->spring_end, ==, 2);
    ASSERT(n->first_free, ==, 0);
    destroy(n);
}

/* --- Pins and reels --- */

static void expect_pin(const mote_pin *pin, float from_x, float to_x, uint64_t to_tick) {
    ASSERT(pin->from[0], ==, from_x);
    ASSERT(pin->to[0], ==, to_x);
    ASSERT(pin->travel.to_tick, ==, to_tick);
}

static void expect_reel(const mote_network *n, float from, float to, uint64_t to_tick) {
    ASSERT(n->reels.count, ==, 1);
    ASSERT(n->reels.run[0].count, ==, 1);
    ASSERT(n->reels.pins[0].from[0], ==, from);
    ASSERT(n->reels.pins[0].to[0], ==, to);
    ASSERT(n->reels.pins[0].travel.to_tick, ==, to_tick);
}

TEST(pins_and_reels_travel_from_where_they_are) {
    const float positions[] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, target[3] = {4, 5, 6}, other[3] = {7, 8, 9};
    const mote_spring springs[] = {{0, 1, 1, 1, 0, 0}, {1, 2, 2, 1, 0, 0}};
    mote_network_def def = mote_default_network_def();
    def.particle_count = 3, def.positions = positions, def.spring_count = 2, def.springs = springs;
    mote_network *n = made(&def);
    const mote_allocator allocator = plain();
    const uint32_t slot = n->slot_of_particle[1];
    OK(mote_network_add_pin(n, slot, target, 10, MOTE_NEXT_ADVANCE, &allocator));
    expect_pin(&n->range.pins.pins[0], 1, 4, MOTE_NEXT_ADVANCE);
    ASSERT(n->range.pins.pins[0].to[2], ==, 6);
    ASSERT(n->range.pins.pins[0].travel.from_tick, ==, 10);
    n->range.x[0][slot] = 3;
    OK(mote_network_add_pin(n, slot, other, 11, 20, &allocator));
    ASSERT(n->range.pins.count, ==, 1);
    expect_pin(&n->range.pins.pins[0], 3, 7, 20);
    OK(mote_network_add_reel(n, 1, 4, 10, MOTE_NEXT_ADVANCE, &allocator));
    mote_network_end_reels(n, UINT64_MAX); /* its end is not known yet */
    expect_reel(n, 2, 4, MOTE_NEXT_ADVANCE);
    OK(mote_network_add_pin(n, n->slot_of_particle[0], other, 11, MOTE_NEXT_ADVANCE, &allocator));
    mote_network_resolve(&n->range, 14);
    expect_reel(n, 2, 4, 14);
    expect_pin(&n->range.pins.pins[0], 0, 7, 14);
    expect_pin(&n->range.pins.pins[1], 3, 7, 20);
    /* From 2 at tick 10 to 4 at tick 14: 2.5 at tick 11, from where the next goes on. */
    OK(mote_network_add_reel(n, 1, 1, 11, 13, &allocator));
    mote_network_end_reels(n, 12);
    expect_reel(n, 2.5f, 1, 13);
    mote_network_end_reels(n, 13);
    ASSERT(n->reels.count, ==, 0);
    ASSERT(n->reels.run[0].count, ==, 0);
    ASSERT(n->spring[1].rest_length, ==, 1);
    for (int end = 0; end < 2; end++) ASSERT(n->entry_length[n->spring[1].entry[end]], ==, 1);
    destroy(n);
}

TEST(no_more_pins_and_reels_than_allowed_fit) {
    enum { ENDS = MOTE_MAX_NETWORK_PINS + 20 };
    static float positions[3 * ENDS];
    static mote_spring springs[ENDS];
    mote_network_def def = mote_default_network_def();
    for (uint32_t i = 0; i + 1 < ENDS; i++) springs[i] = (mote_spring){i, i + 1, 1, 1, 0, 0};
    def.particle_count = ENDS, def.positions = positions, def.spring_count = ENDS - 1, def.springs = springs;
    mote_network *n = made(&def);
    const mote_allocator allocator = plain();
    const float at[3] = {0, 0, 0};
    for (uint32_t i = 0; i < ENDS - 1; i++) {
        const uint32_t number = (i * 7) % (ENDS - 1); /* 7 does not divide 4,115 */
        const mote_result want =
            i < MOTE_MAX_NETWORK_PINS ? MOTE_OK : MOTE_ERROR_CAPACITY; /* as many reels */
        assert_int_equal(mote_network_add_pin(n, number, at, 0, 1, &allocator), want);
        assert_int_equal(mote_network_add_reel(n, number, 2, 0, 1, &allocator), want);
    }
    OK(mote_network_add_pin(n, 0, at, 0, 1, &allocator)); /* pinned already */
    ASSERT(n->range.pins.count, ==, MOTE_MAX_NETWORK_PINS);
    ASSERT(n->reels.count, ==, MOTE_MAX_REELS);
    model m = model_of(&def);
    for (uint32_t i = 0; i < n->range.pins.count; i++)
        m.pinned[n->particle_of_slot[n->range.pins.pins[i].slot]] = true;
    check_network(n, &m);
    model_free(&m);
    destroy(n);
}
