/* The aggregates of constrained networks: the rules for each level, in random networks between random edits;
 * found anew whenever the graph changed, the same whatever was there before; nets, chains and stars; nothing
 * allocated. */
#include "test.h"

#include "network_layout.h"

/* --- The rules --- */

static bool is_free(const mote_network *n, uint32_t slot) { return n->range.inverse_mass[slot] > 0; }

static bool has_neighbour(const mote_network *n, uint32_t slot) {
    for (uint32_t i = n->head[slot]; i != MOTE_NO_ITEM; i = next_spring(n, i, slot))
        if (is_free(n, n->spring[i].a == slot ? n->spring[i].b : n->spring[i].a)) return true;
    return false;
}

/* Of a slot, k levels above it. */
static uint32_t aggregate_of(const mote_network *n, uint32_t slot, uint32_t level) {
    uint32_t at = n->aggregates.of_slot[slot];
    for (uint32_t k = 1; k < level && at != MOTE_NO_AGGREGATE; k++) at = n->aggregates.parent[at];
    return at;
}

static uint32_t root_of(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* A aggregate is a connected part of the graph: its springs leave as many parts as there are aggregates. */
static uint32_t count_parts(const mote_network *n, uint32_t island, uint32_t level) {
    uint32_t *parent = malloc(n->range.slot_count * sizeof *parent), parts = 0;
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++) {
        const bool in = n->island[slot] == island && aggregate_of(n, slot, level) != MOTE_NO_AGGREGATE;
        parent[slot] = slot;
        parts += in;
    }
    for (uint32_t i = 0; i < n->spring_end; i++) {
        const mote_network_spring_state *s = &n->spring[i];
        if (s->a == MOTE_NO_SLOT || n->island[s->a] != island) continue;
        const uint32_t of = aggregate_of(n, s->a, level), a = root_of(parent, s->a),
                       b = root_of(parent, s->b);
        if (of == MOTE_NO_AGGREGATE || of != aggregate_of(n, s->b, level) || a == b) continue;
        parent[a] = b;
        parts--;
    }
    free(parent);
    return parts;
}

/* Children: one to four without gaps, of the level below, with this parent. Returns how many. */
static uint32_t check_children(const mote_network *n, uint32_t aggregate, bool lowest) {
    const mote_network_aggregates *c = &n->aggregates;
    uint32_t children = 0;
    for (int k = 0; k < MOTE_AGGREGATE_CHILDREN; k++) {
        const uint32_t child = c->child[MOTE_AGGREGATE_CHILDREN * aggregate + (uint32_t)k];
        if (child == MOTE_NO_AGGREGATE) continue;
        assert_int_equal(children, k);
        assert_int_equal((lowest ? c->of_slot : c->parent)[child], aggregate);
        children++;
    }
    return children;
}

/* One level; returns the first aggregate behind it. *below: how many the level below has. */
static uint32_t check_level(const mote_network *n, uint32_t island, uint32_t level, uint32_t first,
                            uint32_t *below) {
    const mote_network_aggregates *c = &n->aggregates;
    const uint32_t count = c->size[first / 16], end = first + (count + 15) / 16 * 16;
    uint32_t children = 0;
    ASSERT(count, >, 0);
    ASSERT(first % 16, ==, 0);
    ASSERT(end, <=, n->range.slot_count);
    for (uint32_t i = first; i < end; i++) {
        const uint32_t of_this = check_children(n, i, level == 1);
        ASSERT((of_this > 0), ==, (i < first + count));
        if (i >= first + count) assert_int_equal(c->parent[i], MOTE_NO_AGGREGATE);
        children += of_this;
    }
    ASSERT(2 * count, <=, children);
    ASSERT(children, <=, *below);
    assert_int_equal(count_parts(n, island, level), count);
    *below = count;
    return end;
}

static uint32_t check_island(const mote_network *n, uint32_t island, uint32_t end) {
    const mote_network_aggregates *c = &n->aggregates;
    uint32_t below = 0, first = c->first[island];
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++) {
        if (n->island[slot] != island || n->particle_of_slot[slot] == MOTE_NO_SLOT) continue;
        const bool joined = is_free(n, slot) && has_neighbour(n, slot);
        ASSERT((c->of_slot[slot] != MOTE_NO_AGGREGATE), ==, (joined && c->levels[island] > 0));
        below += joined;
    }
    if (c->levels[island]) {
        ASSERT(first, >=, end);
        ASSERT(n->island_size[island], >, 32);
    }
    for (uint32_t level = 1; level <= c->levels[island]; level++)
        first = check_level(n, island, level, first, &below);
    return c->levels[island] ? first : end;
}

static uint32_t check_aggregates(const mote_network *n) {
    uint32_t end = 0, levels = 0;
    ASSERT(n->aggregate_edits, ==, n->edits);
    for (uint32_t i = 0; i < n->island_count; i++) {
        end = check_island(n, i, end);
        levels += n->aggregates.levels[i];
    }
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++)
        if (n->particle_of_slot[slot] == MOTE_NO_SLOT)
            assert_int_equal(n->aggregates.of_slot[slot], MOTE_NO_AGGREGATE);
    return levels;
}

/* Found once more they are the same: no change has gone unnoticed. */
static void check_aggregates_are_new(mote_network *n) {
    uint32_t *kept = malloc(2 * n->range.slot_count * sizeof *kept),
             *levels = malloc(n->island_count * sizeof *levels);
    mote_network_find_aggregates(n);
    memcpy(kept, n->aggregates.of_slot, n->range.slot_count * sizeof *kept);
    memcpy(kept + n->range.slot_count, n->aggregates.parent, n->range.slot_count * sizeof *kept);
    memcpy(levels, n->aggregates.levels, n->island_count * sizeof *levels);
    n->aggregate_edits = 0;
    mote_network_find_aggregates(n);
    assert_memory_equal(levels, n->aggregates.levels, n->island_count * sizeof *levels);
    assert_memory_equal(kept, n->aggregates.of_slot, n->range.slot_count * sizeof *kept);
    assert_memory_equal(kept + n->range.slot_count, n->aggregates.parent, n->range.slot_count * sizeof *kept);
    free(kept), free(levels);
}

/* --- Random networks and edits --- */

static void edit(mote_network *n, random_source *random, const mote_allocator *allocator) {
    const float target[3] = {0, 1, 0};
    const uint32_t particle = random_below(random, n->particle_count), slot = n->slot_of_particle[particle];
    uint32_t number = random_below(random, n->spring_end);
    switch (random_below(random, 4)) {
    case 0:
        if (n->spring[number].a != MOTE_NO_SLOT) mote_network_erase(n, number);
        break;
    case 1: {
        const mote_spring spring =
            a_spring(random, particle, (particle + 1 + random_below(random, 50)) % n->particle_count);
        if (spring.a != spring.b && n->spring_count < n->def.spring_capacity)
            OK(mote_network_insert(n, 1, &spring, &number, allocator));
        break;
    }
    case 2:
        OK(mote_network_add_pin(n, slot, target, 0, 5, allocator));
        break;
    default:
        (void)mote_network_remove_pin(n, slot);
    }
}

TEST(aggregates_keep_the_rules_between_random_edits) {
    static graph g;
    random_source random = {51};
    uint32_t levels = 0;
    for (uint32_t variant = 0; variant < 12; variant++) {
        memory_ledger ledger = {0};
        const mote_allocator allocator = ledger_allocator(&ledger);
        mote_network *n;
        mixed_graph(&g, &random, variant);
        g.def.solver = MOTE_NETWORK_CONSTRAINED;
        g.def.spring_capacity = g.def.spring_count + 100;
        n = made_by(&g.def, &allocator, false);
        for (uint32_t round = 0; round < 8; round++) {
            const uint64_t calls = ledger.calls;
            check_aggregates_are_new(n);
            ASSERT(ledger.calls, ==, calls);
            levels += check_aggregates(n);
            for (uint32_t i = 0; i < 1 + 20 * (round % 3); i++) edit(n, &random, &allocator);
        }
        mote_network_destroy(&n->range, &allocator);
        ASSERT(ledger.live_bytes, ==, 0);
        ASSERT(ledger.faults, ==, 0);
    }
    ASSERT(levels, >, 100);
}

/* Each edit of the graph by itself marks the aggregates as old; the others do not: an aimed pin, a particle
 * without a pin, a step in which nothing tears. */
TEST(each_edit_of_the_graph_marks_the_aggregates_as_old) {
    static graph g;
    random_source random = {52};
    const float target[3] = {0, 1, 0};
    begin_graph(&g, &random);
    add_net(&g, &random, 12, false);
    for (uint32_t i = 0; i < g.def.spring_count; i++) g.springs[i].tear_strain = i == 7 ? 1e-6f : 0;
    g.def.solver = MOTE_NETWORK_CONSTRAINED, g.def.spring_capacity = g.def.spring_count + 1;
    mote_network *n = made(&g.def);
    const mote_allocator allocator = plain();
    uint32_t number;
    ASSERT(n->aggregate_edits, !=, n->edits);
    for (int i = 0; i < 8; i++) {
        n->aggregate_edits = n->edits;
        const mote_spring spring = {0, 100, 1, 5, 0, 0};
        if (i == 0) mote_network_erase(n, 3);
        if (i == 1) OK(mote_network_insert(n, 1, &spring, &number, &allocator));
        if (i == 2 || i == 3) OK(mote_network_add_pin(n, 5, target, 0, 1 + i, &allocator));
        if (i == 4) OK(mote_network_remove_pin(n, 5));
        if (i == 5) assert_int_equal(mote_network_remove_pin(n, 5), MOTE_ERROR_RANGE);
        if (i == 6) mote_network_tear(n);
        if (i == 7) mote_network_tear(n);
        ASSERT((n->aggregate_edits != n->edits), ==, (i != 3 && i != 5 && i != 7));
    }
    destroy(n);
}

/* --- Shapes --- */

static mote_network *found(graph *g) {
    g->def.solver = MOTE_NETWORK_CONSTRAINED;
    mote_network *n = made(&g->def);
    mote_network_find_aggregates(n);
    check_aggregates(n);
    return n;
}

/* A net of 2^k threads divides into squares, level by level, to one aggregate; a chain into runs of four. */
TEST(nets_and_chains_shrink_to_one) {
    static graph g;
    random_source random = {53};
    for (int chain = 0; chain < 2; chain++) {
        mote_network *n;
        begin_graph(&g, &random);
        if (chain) g.def.particle_count = 256;
        for (uint32_t i = 0; chain && i < 255; i++)
            g.springs[g.def.spring_count++] = (mote_spring){i, i + 1, 1, 5, 0, 0};
        for (uint32_t i = 0; !chain && i < 256; i++) {
            g.def.particle_count = 256;
            if (i % 16 < 15) g.springs[g.def.spring_count++] = (mote_spring){i, i + 1, 1, 5, 0, 0};
            if (i < 240) g.springs[g.def.spring_count++] = (mote_spring){i, i + 16, 1, 5, 0, 0};
        }
        n = found(&g);
        assert_int_equal(n->aggregates.levels[0], 4);
        for (uint32_t i = 0; i < 256; i++) {
            const uint32_t of = n->aggregates.of_slot[n->slot_of_particle[i]],
                           square = i % 16 / 2 + i / 32 * 8;
            assert_int_equal(of, chain ? i / 4 : square);
        }
        ASSERT(n->aggregates.size[0], ==, 64);
        ASSERT(n->aggregates.size[4], ==, 16);
        ASSERT(n->aggregates.size[5], ==, 4);
        ASSERT(n->aggregates.size[6], ==, 1);
        destroy(n);
    }
}

/* A ring of soft springs, and stiff ones across it, which come last. */
TEST(stiff_springs_are_paired_first) {
    static graph g;
    random_source random = {54};
    mote_network *n;
    begin_graph(&g, &random);
    g.def.particle_count = 64;
    for (uint32_t i = 0; i < 64; i++)
        g.springs[g.def.spring_count++] = (mote_spring){i, (i + 1) % 64, 1, 1, 0, 0};
    for (uint32_t i = 0; i < 32; i++) g.springs[g.def.spring_count++] = (mote_spring){i, i + 32, 1, 50, 0, 0};
    n = found(&g);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(n->aggregates.of_slot[n->slot_of_particle[i]],
                         n->aggregates.of_slot[n->slot_of_particle[i + 32]]);
    destroy(n);
}

/* A star has nothing to pair; an island of 32 or fewer has no levels; pins divide a chain. */
TEST(stars_and_small_or_pinned_islands_have_no_levels) {
    static graph g;
    random_source random = {55};
    mote_network *n;
    for (uint32_t kind = 0; kind < 3; kind++) {
        begin_graph(&g, &random);
        g.def.particle_count = kind == 1 ? 32 : 200;
        for (uint32_t i = 1; i < g.def.particle_count; i++)
            g.springs[g.def.spring_count++] = (mote_spring){kind ? i - 1 : 0, i, 1, 5, 0, 0};
        n = found(&g);
        ASSERT((n->aggregates.levels[0] > 0), ==, (kind == 2));
        const mote_allocator allocator = plain();
        const float target[3] = {0};
        for (uint32_t i = 1; i < 200 && kind == 2; i += 2) /* between pins no particle has a free neighbour */
            OK(mote_network_add_pin(n, n->slot_of_particle[i], target, 0, 1, &allocator));
        mote_network_find_aggregates(n);
        check_aggregates(n);
        assert_int_equal(n->aggregates.levels[0], 0);
        destroy(n);
    }
}
