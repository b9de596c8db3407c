/* The layout of networks in memory as they are made: columns, blocks across lanes and of rows, lines of
 * springs. */
#include "test.h"

#include <float.h>

#include "network_layout.h"

/* --- As made --- */

/* The columns hold the def's values; islands are numbered in the order of their lowest particles. */
static void check_columns(const mote_network *n, const graph *g, const model *m) {
    uint32_t labels = 0;
    for (uint32_t i = 0; i < m->particles; i++) {
        const uint32_t slot = n->slot_of_particle[i];
        for (uint32_t axis = 0; axis < 3; axis++) {
            ASSERT(n->range.x[axis][slot], ==, g->positions[3 * i + axis]);
            ASSERT(n->range.v[axis][slot], ==, 0);
        }
        assert_true(isnan(n->range.previous_x[0][slot]));
        ASSERT(n->range.inverse_mass[slot], ==, (float)(1.0 / g->masses[i]));
        if (m->joined[i] == i) assert_int_equal(n->island[slot], labels++);
    }
    assert_int_equal(n->island_count, labels);
}

static uint32_t springs_in(const model *m, uint32_t root) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->capacity; i++) count += m->alive[i] && m->joined[m->spring[i].a] == root;
    return count;
}

/* Lanes of a LANES block hold islands in the host's order whose particles ascend with the slots; at least
 * four. */
static uint32_t check_lanes(const mote_network *n, const model *m, const mote_network_block *b) {
    uint32_t lanes = 0, springs = 0, last = 0;
    for (uint32_t lane = 0; lane < 16; lane++) {
        const uint32_t root = n->particle_of_slot[b->first + lane];
        if (root == MOTE_NO_SLOT) {
            for (uint32_t k = 0; k < b->groups; k++)
                assert_int_equal(n->particle_of_slot[b->first + 16 * k + lane], MOTE_NO_SLOT);
            continue;
        }
        ASSERT(lanes, ==, lane);
        assert_true((lane == 0 || root > last));
        last = root;
        lanes++;
        assert_int_equal(n->island_size[n->island[b->first + lane]], b->groups);
        for (uint32_t k = 0, particle = 0; k < b->groups; k++) {
            const uint32_t slot = b->first + 16 * k + lane, here = n->particle_of_slot[slot];
            ASSERT(here, !=, MOTE_NO_SLOT);
            ASSERT(m->joined[here], ==, root);
            assert_true((k == 0 || here > particle));
            particle = here;
        }
        if (lane == 0) springs = springs_in(m, root);
        assert_int_equal(springs_in(m, root), springs);
    }
    ASSERT(lanes, >=, 4);
    ASSERT(springs, >, 0);
    ASSERT(b->groups, <=, MOTE_NETWORK_INTERLEAVED_ISLAND);
    /* As many interleaved packets as springs in one island: each is the spring of every island. */
    assert_int_equal(b->packet_count, springs);
    for (uint32_t i = b->first_packet; i < b->first_packet + b->packet_count; i++)
        assert_int_equal(n->packet[i].mask, (1u << lanes) - 1);
    return lanes;
}

static void check_rows_block(const mote_network *n, const mote_network_block *b) {
    const bool constrained = n->def.solver == MOTE_NETWORK_CONSTRAINED;
    ASSERT(b->groups * 16, <=, MOTE_NETWORK_BLOCK);
    if (b->outer) return;
    uint32_t island = MOTE_NO_ITEM;
    for (uint32_t slot = b->first; slot < b->first + 16 * b->groups; slot++) {
        if (n->particle_of_slot[slot] == MOTE_NO_SLOT) continue;
        const uint32_t before = island;
        island = n->island[slot];
        if (before != MOTE_NO_ITEM && before != island) {
            ASSERT(island, >, before);
            assert_true((!constrained || slot % 16 == 0));
        }
    }
}

/* A large island fills blocks of its own, in the host's order of its particles. */
static void check_outer_block(const mote_network *n, const mote_network_block *b) {
    const uint32_t island = n->island[b->first];
    ASSERT(n->island_size[island], >, MOTE_NETWORK_BLOCK);
    for (uint32_t slot = b->first; slot < b->first + 16 * b->groups; slot++) {
        if (n->particle_of_slot[slot] == MOTE_NO_SLOT) continue;
        assert_int_equal(n->island[slot], island);
        if (slot > b->first) ASSERT(n->particle_of_slot[slot], >, n->particle_of_slot[slot - 1]);
    }
}

TEST(random_networks_are_laid_out_by_the_rules) {
    static graph g;
    random_source random = {11};
    for (uint32_t variant = 0; variant < 24; variant++) {
        mixed_graph(&g, &random, variant);
        mote_network *n = made(&g.def);
        model m = model_of(&g.def);
        check_network(n, &m);
        check_columns(n, &g, &m);
        for (uint32_t i = 0; i < n->block_count; i++) {
            const mote_network_block *b = &n->block[i];
            if (b->interleaved) {
                ASSERT(b->outer, ==, 0);
                ASSERT(g.def.solver, ==, MOTE_NETWORK_SPRINGS);
                check_lanes(n, &m, b);
            } else
                check_rows_block(n, b);
            if (b->outer) check_outer_block(n, b);
        }
        model_free(&m);
        destroy(n);
    }
}

/* Blocks across lanes. */
static uint32_t lanes_of(const mote_network_def *def) {
    mote_network *n = made(def);
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < n->block_count; i++) lanes += n->block[i].interleaved;
    destroy(n);
    return lanes;
}

/* 16 a block, a rest of four or more in one more, fewer in rows; islands whose springs come in another order
 * are of another shape. */
TEST(sixteen_islands_of_one_shape_share_a_block_across_lanes) {
    static graph g;
    random_source random = {12};
    static const uint32_t blocks[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
    for (uint32_t copies = 1; copies <= 36; copies++) {
        begin_graph(&g, &random);
        add_chains(&g, &random, copies, 7);
        const uint32_t extra = copies % 16 < 4 ? 0 : 1,
                       want = copies <= 20 ? blocks[copies] : copies / 16 + extra;
        ASSERT(lanes_of(&g.def), ==, want);
    }
    for (int differ = 0; differ < 2; differ++) {
        begin_graph(&g, &random);
        add_chains(&g, &random, 16, 5);
        const mote_spring kept = g.springs[0]; /* of copy 0 both, its first two springs */
        if (differ) g.springs[0] = g.springs[16], g.springs[16] = kept;
        mote_network *n = made(&g.def);
        model m = model_of(&g.def);
        check_network(n, &m);
        uint32_t in_lanes = 0;
        for (uint32_t i = 0; i < 16; i++)
            in_lanes += n->block[mote_network_block_of(n, n->slot_of_particle[i])].interleaved;
        assert_int_equal(in_lanes, differ ? 15 : 16);
        model_free(&m);
        destroy(n);
    }
}

/* Islands of as many particles and springs, of two shapes in turn. */
TEST(each_shape_has_blocks_of_its_own) {
    static graph g;
    random_source random = {15};
    begin_graph(&g, &random);
    for (uint32_t i = 0; i < 64; i++) {
        add_spring(&g, &random, 4 * i, 4 * i + 1);
        add_spring(&g, &random, 4 * i + 1, 4 * i + 2);
        add_spring(&g, &random, 4 * i + i % 2, 4 * i + 3);
    }
    g.def.particle_count = 4 * 64;
    assert_int_equal(lanes_of(&g.def), 4);
}

/* Where as many lanes have a spring to one offset as to another, the lower offset comes first. A chain: first
 * to the lower slot, which the first particle does not have. */
TEST(packets_are_ordered_by_offset_where_counts_are_equal) {
    static graph g;
    random_source random = {16};
    begin_graph(&g, &random);
    g.def.particle_count = 1040;
    for (uint32_t i = 0; i + 1 < 1040; i++) add_spring(&g, &random, i, i + 1);
    for (uint32_t i = 0; i < 16; i++) add_spring(&g, &random, i, i % 2 ? i + 20 : i + 40);
    mote_network *n = made(&g.def);
    const mote_network_packet *line = n->packet;
    ASSERT(line[0].mask, ==, 0xfffe);
    ASSERT(line[0].other, ==, -1);
    ASSERT(line[1].mask, ==, 0xffff);
    ASSERT(line[1].other, ==, 1);
    ASSERT(line[2].mask, ==, 0xaaaa);
    ASSERT(line[2].other, ==, 20);
    ASSERT(line[3].mask, ==, 0x5555);
    ASSERT(line[3].other, ==, 40);
    assert_int_equal(n->group[0].packet_count, 4);
    destroy(n);
}

/* In a net as few lines as its degree of 12 allows, nearly all contiguous; where no order helps, as many as
 * the largest degree of the lane group. */
TEST(packets_are_few_and_contiguous) {
    static graph g;
    random_source random = {13};
    static const uint32_t widths[] = {64, 60, 33};
    for (uint32_t i = 0; i < 2 * COUNT_OF(widths); i++) {
        begin_graph(&g, &random);
        add_net(&g, &random, widths[i / 2], i % 2);
        mote_network *n = made(&g.def);
        uint32_t contiguous = 0;
        for (uint32_t line = 0; line < n->packet_count; line++) contiguous += n->packet[line].contiguous;
        ASSERT(n->packet_count, <=, 12.25 * n->group_count);
        ASSERT(contiguous, >=, 0.95 * n->packet_count);
        destroy(n);
    }
    begin_graph(&g, &random);
    add_random(&g, &random, 4000, 16000);
    mote_network *n = made(&g.def);
    uint32_t most = 0, apart = 0;
    for (uint32_t group = 0; group < n->group_count; group++) {
        uint32_t largest = 0;
        for (uint32_t slot = 16 * group; slot < 16 * group + 16; slot++) {
            uint32_t degree = 0;
            for (uint32_t at = n->head[slot]; at != MOTE_NO_ITEM; at = next_spring(n, at, slot)) degree++;
            if (degree > largest) largest = degree;
        }
        ASSERT(n->group[group].packet_count, >=, largest);
        ASSERT(n->group[group].packet_count, <=, largest + largest / 4 + 2);
        most = largest > most ? largest : most;
    }
    for (uint32_t line = 0; line < n->packet_count; line++) apart += !n->packet[line].contiguous;
    ASSERT(most, >, 12);
    ASSERT(apart, >, n->packet_count / 2);
    destroy(n);
}

/* Lengths from positions, rounded as in the kernels: from the def's positions as the network is made, later
 * from the columns. One that does not fit a float is refused and leaves no trace. */
TEST(a_length_as_placed_is_that_of_the_kernels) {
    static graph g;
    random_source random = {14};
    begin_graph(&g, &random);
    add_random(&g, &random, 40, 60);
    for (uint32_t i = 0; i < g.def.spring_count; i++) g.springs[i].rest_length = MOTE_AS_PLACED;
    g.def.spring_capacity = g.def.spring_count + 2;
    mote_network *n = made(&g.def);
    const mote_allocator allocator = plain();
    uint32_t a = n->slot_of_particle[3], b = n->slot_of_particle[17], number;
    n->range.x[0][a] = 100, n->range.x[1][b] = -0x1p-20f;
    mote_spring more = {3, 17, MOTE_AS_PLACED, 1, 0, 0};
    OK(mote_network_insert(n, 1, &more, &number, &allocator));
    assert_int_equal(number, g.def.spring_count);
    for (uint32_t i = 0; i <= g.def.spring_count; i++) {
        const mote_network_spring_state *s = &n->spring[i];
        float sum = 0;
        for (uint32_t axis = 0; axis < 3; axis++) {
            const float *p = g.positions + axis;
            const float d = i < number ? p[3 * g.springs[i].b] - p[3 * g.springs[i].a]
                                       : n->range.x[axis][b] - n->range.x[axis][a];
            sum += d * d;
        }
        ASSERT(s->rest_length, ==, sqrtf(sum));
    }
    const mote_spring two[] = {{5, 6, 1, 1, 0, 0}, more};
    uint32_t numbers[2];
    n->range.x[0][a] = FLT_MAX, n->range.x[0][b] = -FLT_MAX;
    mote_network_erase(n, number);
    assert_int_equal(mote_network_insert(n, 2, two, numbers, &allocator), MOTE_ERROR_RANGE);
    ASSERT(n->spring[number].a, ==, MOTE_NO_SLOT);
    ASSERT(n->spring[number + 1].a, ==, MOTE_NO_SLOT);
    assert_int_equal(n->spring_count, g.def.spring_count);
    destroy(n);
}
