/* Random networks, and the invariants of the layout of a network, against a plain list of its springs. */
#ifndef MOTE_TESTS_NETWORK_LAYOUT_H
#define MOTE_TESTS_NETWORK_LAYOUT_H

#include "test.h"

#include "base/allocator.h"
#include "network_base.h"
#include "networks/network.h"

/* The network as its host knows it. */
typedef struct model {
    uint32_t particles, capacity;
    float *positions;
    mote_spring *spring; /* by number; capacity */
    bool *alive;         /* by number */
    uint32_t *joined;    /* by particle: the lowest that springs have ever joined it to */
    bool *pinned;        /* by particle */
} model;

static inline void model_join(model *m, uint32_t a, uint32_t b) {
    const uint32_t from = m->joined[a] > m->joined[b] ? m->joined[a] : m->joined[b];
    const uint32_t to = m->joined[a] > m->joined[b] ? m->joined[b] : m->joined[a];
    for (uint32_t i = 0; i < m->particles && from != to; i++)
        if (m->joined[i] == from) m->joined[i] = to;
}

static inline void model_insert(model *m, uint32_t number, const mote_spring *spring) {
    m->spring[number] = *spring;
    m->alive[number] = true;
    model_join(m, spring->a, spring->b);
}

static inline model model_of(const mote_network_def *def) {
    model m = {.particles = def->particle_count, .capacity = def->spring_capacity};
    if (m.capacity < def->spring_count) m.capacity = def->spring_count;
    m.positions = malloc(3 * sizeof(float) * m.particles);
    m.spring = calloc(m.capacity + 1, sizeof *m.spring);
    m.alive = calloc(m.capacity + 1, 1);
    m.joined = malloc(m.particles * sizeof *m.joined);
    m.pinned = calloc(m.particles, 1);
    memcpy(m.positions, def->positions, 3 * sizeof(float) * m.particles);
    for (uint32_t i = 0; i < m.particles; i++) m.joined[i] = i;
    for (uint32_t i = 0; i < def->spring_count; i++) model_insert(&m, i, &def->springs[i]);
    return m;
}

static inline void model_free(model *m) {
    free(m->positions), free(m->spring), free(m->alive), free(m->joined), free(m->pinned);
}

/* --- Slots, islands and blocks --- */

static inline void check_masked_slot(const mote_network *n, uint32_t slot) {
    float sum = fabsf(n->range.inverse_mass[slot]) + fabsf(n->own_inverse_mass[slot]);
    for (int axis = 0; axis < 3; axis++)
        sum += fabsf(n->range.x[axis][slot]) + fabsf(n->range.v[axis][slot]) +
               fabsf(n->range.reaction[axis][slot]);
    ASSERT(sum, ==, 0);
    ASSERT(n->head[slot], ==, MOTE_NO_ITEM);
    ASSERT(n->island[slot], ==, 0);
    ASSERT(n->ring[slot], ==, slot);
}

static inline void check_slots(const mote_network *n, const model *m) {
    uint32_t masked = 0;
    assert_int_equal(n->range.slot_count % 16, 0);
    assert_int_equal(n->group_count, n->range.slot_count / 16);
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++) {
        if (n->particle_of_slot[slot] == MOTE_NO_SLOT) {
            check_masked_slot(n, slot);
            masked++;
            continue;
        }
        ASSERT(n->particle_of_slot[slot], <, m->particles);
        assert_int_equal(n->slot_of_particle[n->particle_of_slot[slot]], slot);
        ASSERT(n->own_inverse_mass[slot], >, 0);
        ASSERT(n->range.inverse_mass[slot], ==,
               (m->pinned[n->particle_of_slot[slot]] ? 0 : n->own_inverse_mass[slot]));
    }
    assert_int_equal(masked + m->particles, n->range.slot_count);
}

/* Labels agree where particles have ever been joined, and rings go round their islands. */
static inline void check_islands(const mote_network *n, const model *m) {
    uint32_t *size = calloc(n->island_count, sizeof *size);
    for (uint32_t i = 0; i < m->particles; i++) {
        const uint32_t slot = n->slot_of_particle[i], first = n->slot_of_particle[m->joined[i]];
        ASSERT(n->island[slot], <, n->island_count);
        assert_int_equal(n->island[slot], n->island[first]);
        assert_int_equal(n->island[n->ring[slot]], n->island[slot]);
        if (m->joined[i] == i) assert_int_equal(size[n->island[slot]], 0);
        size[n->island[slot]]++;
    }
    for (uint32_t i = 0; i < n->island_count; i++) assert_int_equal(n->island_size[i], size[i]);
    for (uint32_t i = 0; i < m->particles; i++) {
        if (m->joined[i] != i) continue;
        uint32_t slot = n->slot_of_particle[i], round = 0;
        do slot = n->ring[slot], round++;
        while (slot != n->slot_of_particle[i] && round <= m->particles);
        assert_int_equal(round, size[n->island[slot]]);
    }
    free(size);
}

static inline void check_blocks(const mote_network *n, const model *m) {
    uint32_t next = 0;
    bool any = false;
    for (uint32_t i = 0; i < n->block_count; i++) {
        const mote_network_block *b = &n->block[i];
        assert_int_equal(b->first, next);
        ASSERT(b->groups, >, 0);
        next += b->groups * 16;
        assert_int_equal(mote_network_block_of(n, b->first), i);
        assert_int_equal(mote_network_block_of(n, next - 1), i);
        any |= b->outer;
    }
    assert_int_equal(next, n->range.slot_count);
    ASSERT(any, ==, n->has_outer);
    /* Islands in several blocks make them outer, and nothing else does. */
    bool *spans = calloc(n->block_count, 1);
    for (uint32_t i = 0; i < m->particles; i++) {
        const uint32_t a = mote_network_block_of(n, n->slot_of_particle[i]);
        const uint32_t b = mote_network_block_of(n, n->slot_of_particle[m->joined[i]]);
        if (a != b) spans[a] = spans[b] = true;
    }
    for (uint32_t i = 0; i < n->block_count; i++) ASSERT(n->block[i].outer, ==, spans[i]);
    free(spans);
}

/* --- Springs and lines --- */

static inline uint32_t next_spring(const mote_network *n, uint32_t number, uint32_t slot) {
    return n->spring[number].next[n->spring[number].a == slot ? 0 : 1];
}

static inline void check_springs(const mote_network *n, const model *m) {
    uint32_t count = 0, end = 0, gap = MOTE_NO_ITEM;
    uint32_t *degree = calloc(n->range.slot_count, sizeof *degree);
    assert_int_equal(n->def.spring_capacity, m->capacity);
    for (uint32_t i = 0; i < m->capacity; i++) {
        const mote_network_spring_state *s = &n->spring[i];
        if (!m->alive[i]) {
            if (gap == MOTE_NO_ITEM) gap = i;
            ASSERT(s->a, ==, MOTE_NO_SLOT);
            ASSERT(s->b, ==, MOTE_NO_SLOT);
            continue;
        }
        count++, end = i + 1;
        assert_int_equal(s->a, n->slot_of_particle[m->spring[i].a]);
        assert_int_equal(s->b, n->slot_of_particle[m->spring[i].b]);
        ASSERT(s->rest_length, ==, m->spring[i].rest_length);
        ASSERT(s->stiffness, ==, m->spring[i].stiffness);
        ASSERT(s->damping, ==, m->spring[i].damping);
        ASSERT(s->tear_strain, ==, m->spring[i].tear_strain);
        assert_true((n->damped || s->damping == 0));
        assert_true((n->tears || s->tear_strain == 0));
        degree[s->a]++, degree[s->b]++;
    }
    assert_int_equal(n->spring_count, count);
    assert_int_equal(n->spring_end, end);
    ASSERT(n->first_free, <=, (gap == MOTE_NO_ITEM ? m->capacity : gap));
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++) {
        uint32_t last = MOTE_NO_ITEM, at = n->head[slot], length = 0;
        for (; at != MOTE_NO_ITEM; last = at, at = next_spring(n, at, slot), length++) {
            assert_true(m->alive[at]);
            assert_true((n->spring[at].a == slot || n->spring[at].b == slot));
            if (length) ASSERT(at, >, last);
        }
        assert_int_equal(length, degree[slot]);
    }
    free(degree);
}

static inline bool same(const mote_network *n, size_t entry, const mote_network_spring_state *s) {
    return n->entry_length[entry] == s->rest_length && n->entry_stiffness[entry] == s->stiffness &&
           n->entry_damping[entry] == s->damping;
}

/* One entry of a line. interleaved: it stands for both ends of its spring. */
static inline void check_entry(const mote_network *n, uint32_t line, uint32_t lane, bool interleaved) {
    const mote_network_packet *l = &n->packet[line];
    const uint32_t entry = 16 * line + lane, number = n->entry_spring[entry], slot = l->self + lane;
    if (number == MOTE_NO_ITEM) {
        assert_false(l->mask >> lane & 1);
        assert_int_equal(n->entry_other[entry], slot);
        ASSERT(n->entry_length[entry], ==, 0);
        ASSERT(n->entry_stiffness[entry], ==, 0);
        ASSERT(n->entry_damping[entry], ==, 0);
        return;
    }
    const mote_network_spring_state *s = &n->spring[number];
    assert_true(l->mask >> lane & 1);
    const uint32_t other = s->a == slot ? s->b : s->a;
    if (interleaved || s->b != slot) ASSERT(s->a, ==, slot);
    assert_int_equal(n->entry_other[entry], other);
    if (l->contiguous) assert_int_equal(l->other + (int32_t)lane, other);
    assert_int_equal(s->entry[s->a == slot ? 0 : 1], entry);
    if (interleaved) assert_int_equal(s->entry[1], entry);
    assert_true(same(n, entry, s));
}

/* The flags of a line say what all its springs have in common, wherever they have it and nowhere else. */
static inline void check_packet(const mote_network *n, uint32_t line, bool interleaved) {
    const mote_network_packet *l = &n->packet[line];
    const mote_network_spring_state *first = NULL;
    bool uniform = true, even = true, damped = false, contiguous = true;
    uint32_t offset = 0;
    for (uint32_t lane = 0; lane < 16; lane++) {
        check_entry(n, line, lane, interleaved);
        if (!(l->mask >> lane & 1)) continue;
        const mote_network_spring_state *s = &n->spring[n->entry_spring[16 * line + lane]];
        if (!first) first = s, offset = n->entry_other[16 * line + lane] - lane;
        uniform &= s->stiffness == first->stiffness && s->damping == first->damping;
        even &= s->rest_length == first->rest_length;
        contiguous &= n->entry_other[16 * line + lane] - lane == offset;
        damped |= s->damping > 0;
    }
    ASSERT(l->uniform, ==, uniform);
    ASSERT(l->even, ==, even);
    ASSERT(l->damped, ==, damped);
    assert_true((!l->contiguous || contiguous));
    const mote_network_spring_state none = {.a = 0};
    if (!first) first = &none;
    ASSERT(l->rest_length, ==, first->rest_length);
    ASSERT(l->stiffness, ==, first->stiffness);
    ASSERT(l->damping, ==, first->damping);
    if (l->contiguous && l->mask) {
        ASSERT(l->other, >=, -15);
        ASSERT(l->other, <=, (int32_t)n->range.slot_count - 1);
    }
}

/* The lines of a lane group hold each lane's springs in their order. */
static inline uint32_t check_group(const mote_network *n, uint32_t group) {
    const mote_network_group *g = &n->group[group];
    uint32_t at[16], entries = 0, degree[16] = {0}, most = 0;
    for (uint32_t lane = 0; lane < 16; lane++) at[lane] = n->head[16 * group + lane];
    for (uint32_t i = g->first_packet; i < g->first_packet + g->packet_count; i++) {
        assert_int_equal(n->packet[i].self, 16 * group);
        check_packet(n, i, false);
        for (uint32_t lane = 0; lane < 16; lane++) {
            if (!(n->packet[i].mask >> lane & 1)) continue;
            assert_int_equal(n->entry_spring[16 * i + lane], at[lane]);
            at[lane] = next_spring(n, at[lane], 16 * group + lane);
            entries++;
            if (++degree[lane] > most) most = degree[lane];
        }
    }
    for (uint32_t lane = 0; lane < 16; lane++) assert_int_equal(at[lane], MOTE_NO_ITEM);
    return entries;
}

/* The interleaved packets at each slot come in the order of their springs. */
static inline uint32_t check_interleaved(const mote_network *n, const mote_network_block *b) {
    uint32_t *at = malloc(16 * sizeof *at * b->groups), entries = 0;
    memcpy(at, n->head + b->first, 16 * sizeof *at * b->groups);
    for (uint32_t i = b->first_packet; i < b->first_packet + b->packet_count; i++) {
        check_packet(n, i, true);
        assert_true(n->packet[i].contiguous);
        ASSERT(n->packet[i].self % 16, ==, 0);
        ASSERT(n->packet[i].other % 16, ==, 0);
        for (uint32_t lane = 0; lane < 16; lane++) {
            const uint32_t number = n->entry_spring[16 * i + lane];
            if (number == MOTE_NO_ITEM) continue;
            const uint32_t ends[2] = {n->spring[number].a, n->spring[number].b};
            for (int end = 0; end < 2; end++) {
                assert_int_equal(at[ends[end] - b->first], number);
                at[ends[end] - b->first] = next_spring(n, number, ends[end]);
            }
            entries += 2;
        }
    }
    for (uint32_t i = 0; i < 16 * b->groups; i++) assert_int_equal(at[i], MOTE_NO_ITEM);
    free(at);
    return entries;
}

/* Blocks have lines of their own, in which groups follow each other; lines of no block hold nothing. */
static inline void check_packets(const mote_network *n) {
    bool *used = calloc(n->packet_capacity + 1, 1);
    uint32_t entries = 0;
    ASSERT(n->packet_count, <=, n->packet_capacity);
    for (uint32_t i = 0; i < n->block_count; i++) {
        const mote_network_block *b = &n->block[i];
        uint32_t line = b->first_packet;
        ASSERT(b->packet_count, <=, b->packet_capacity);
        ASSERT(b->first_packet + b->packet_capacity, <=, n->packet_count);
        for (uint32_t k = 0; k < b->packet_capacity; k++) {
            assert_false(used[b->first_packet + k]);
            used[b->first_packet + k] = true;
            if (k >= b->packet_count) assert_int_equal(n->packet[b->first_packet + k].mask, 0);
        }
        if (b->interleaved) entries += check_interleaved(n, b);
        for (uint32_t g = b->first / 16; g < b->first / 16 + b->groups; g++) {
            if (b->interleaved) {
                ASSERT(n->group[g].first_packet, ==, 0);
                ASSERT(n->group[g].packet_count, ==, 0);
                continue;
            }
            assert_int_equal(n->group[g].first_packet, line);
            line += n->group[g].packet_count;
            entries += check_group(n, g);
        }
        if (!b->interleaved) assert_int_equal(line - b->first_packet, b->packet_count);
    }
    assert_int_equal(entries, 2 * n->spring_count);
    for (uint32_t i = 0; i < n->packet_capacity; i++) {
        if (used[i]) continue;
        assert_int_equal(n->packet[i].mask, 0);
        for (uint32_t lane = 0; lane < 16; lane++)
            assert_int_equal(n->entry_spring[16 * i + lane], MOTE_NO_ITEM);
    }
    free(used);
}

/* --- Pins and reels --- */

static inline void check_pins(const mote_network *n, const model *m) {
    uint32_t pins = 0, pin = 0, reel = 0;
    for (uint32_t i = 0; i < m->particles; i++) pins += m->pinned[i];
    assert_int_equal(n->range.pins.count, pins);
    for (uint32_t i = 0; i < n->block_count; i++) {
        const mote_network_block *b = &n->block[i];
        const mote_pin_run run = n->range.pins.run[i], reels = n->reels.run[i];
        if (run.count) assert_int_equal(run.first, pin);
        if (reels.count) assert_int_equal(reels.first, reel);
        for (uint32_t k = 0; k < run.count; k++, pin++) {
            ASSERT(n->range.pins.pins[pin].slot, >=, b->first);
            ASSERT(n->range.pins.pins[pin].slot, <, b->first + 16 * b->groups);
            assert_true(m->pinned[n->particle_of_slot[n->range.pins.pins[pin].slot]]);
            if (k) ASSERT(n->range.pins.pins[pin].slot, >, n->range.pins.pins[pin - 1].slot);
        }
        for (uint32_t k = 0; k < reels.count; k++, reel++) {
            assert_int_equal(n->reels.pins[reel].unit, i);
            assert_true(m->alive[n->reels.pins[reel].spring]);
            assert_int_equal(mote_network_block_of(n, n->spring[n->reels.pins[reel].spring].a), i);
            if (k) ASSERT(n->reels.pins[reel].spring, >, n->reels.pins[reel - 1].spring);
        }
    }
    ASSERT(pin, ==, n->range.pins.count);
    ASSERT(reel, ==, n->reels.count);
}

static inline void check_network(const mote_network *n, const model *m) {
    check_slots(n, m);
    check_islands(n, m);
    check_blocks(n, m);
    check_springs(n, m);
    check_packets(n);
    check_pins(n, m);
}

/* --- Graphs --- */

enum { MOST_PARTICLES = 4096, MOST_SPRINGS = 32768 };

typedef struct graph {
    mote_network_def def;
    float positions[3 * MOST_PARTICLES], masses[MOST_PARTICLES];
    mote_spring springs[MOST_SPRINGS];
} graph;

static inline void begin_graph(graph *g, random_source *random) {
    g->def = mote_default_network_def();
    g->def.positions = g->positions;
    g->def.particle_mass = g->masses;
    g->def.springs = g->springs;
    for (uint32_t i = 0; i < 3 * MOST_PARTICLES; i++) g->positions[i] = random_between(random, -4, 4);
    for (uint32_t i = 0; i < MOST_PARTICLES; i++) g->masses[i] = (float)(1 + i % 3);
}

static inline mote_spring a_spring(random_source *random, uint32_t a, uint32_t b) {
    const bool odd = random_below(random, 8) == 0;
    return (mote_spring){a,
                         b,
                         odd ? random_between(random, 0, 2) : 1,
                         odd ? random_between(random, 1, 9) : 5,
                         random_below(random, 16) ? 0 : 0.5f,
                         random_below(random, 16) ? 0 : 0.25f};
}

static inline void add_spring(graph *g, random_source *random, uint32_t a, uint32_t b) {
    if (a != b && g->def.spring_count < MOST_SPRINGS)
        g->springs[g->def.spring_count++] = a_spring(random, a, b);
}

/* `copies` chains with a triangle at one end and two springs at the other, particle k of copy i numbered
 * first + k x copies + i: interleaved. */
static inline void add_chains(graph *g, random_source *random, uint32_t copies, uint32_t points) {
    const uint32_t first = g->def.particle_count;
    g->def.particle_count += copies * points;
    for (uint32_t k = 0; k + 1 < points; k++)
        for (uint32_t i = 0; i < copies; i++)
            add_spring(g, random, first + k * copies + i, first + (k + 1) * copies + i);
    for (uint32_t i = 0; i < copies && points > 2; i++)
        add_spring(g, random, first + 2 * copies + i, first + i);
    for (uint32_t i = 0; i < copies && points > 2; i++)
        add_spring(g, random, first + (points - 2) * copies + i, first + (points - 1) * copies + i);
}

/* `count` particles and random springs between them: some islands, large and small. */
static inline void add_random(graph *g, random_source *random, uint32_t count, uint32_t springs) {
    const uint32_t first = g->def.particle_count;
    g->def.particle_count += count;
    for (uint32_t i = 0; i < springs; i++)
        add_spring(g, random, first + random_below(random, count), first + random_below(random, count));
}

/* A net of width x width with structural, shear and bend springs, listed particle by particle or kind by
 * kind. */
static inline void add_net(graph *g, random_source *random, uint32_t width, bool by_kind) {
    static const uint32_t dx[6] = {1, 0, 1, 1, 2, 0}, dy[6] = {0, 1, 1, 1, 0, 2};
    const uint32_t first = g->def.particle_count, all = width * width;
    g->def.particle_count += all;
    for (uint32_t i = 0; i < 6 * all; i++) {
        const uint32_t kind = by_kind ? i / all : i % 6, place = by_kind ? i % all : i / 6, x = place % width,
                       y = place / width;
        if (x + dx[kind] >= width || y + dy[kind] >= width) continue;
        const uint32_t here = first + place + (kind == 3 ? dx[kind] : 0),
                       there = first + place + width * dy[kind];
        add_spring(g, random, here, kind == 3 ? there : there + dx[kind]);
    }
}

/* Parts of every kind; variant: which large part, and which solver. */
static inline void mixed_graph(graph *g, random_source *random, uint32_t variant) {
    begin_graph(g, random);
    add_random(g, random, 1 + random_below(random, 40), random_below(random, 60));
    add_chains(g, random, 1 + random_below(random, 40), 1 + random_below(random, 9));
    if (variant % 3 == 0) add_random(g, random, 1100 + random_below(random, 1500), 3000);
    if (variant % 3 == 1) add_net(g, random, 5 + random_below(random, 30), variant % 2);
    add_chains(g, random, random_below(random, 20), 40);
    add_random(g, random, 300, 120);
    g->def.spring_capacity = g->def.spring_count + random_below(random, 2) * random_below(random, 400);
    if (variant % 4 == 3) g->def.solver = MOTE_NETWORK_CONSTRAINED;
}

static inline mote_allocator plain(void) {
    const mote_allocator none = {NULL, NULL, NULL};
    return mote_allocator_resolve(&none);
}

static inline mote_range_setup setup_of(const mote_allocator *allocator, bool kinematic) {
    return (mote_range_setup){.allocator = *allocator,
                              .isa = MOTE_ISA_AUTO,
                              .integrator = kinematic ? MOTE_KINEMATIC : MOTE_SEMI_IMPLICIT_EULER,
                              .interpolates = true};
}

static inline mote_network *made_by(const mote_network_def *def, const mote_allocator *allocator,
                                    bool kinematic) {
    const mote_range_setup setup = setup_of(allocator, kinematic);
    mote_network *n;
    mote_network_fault fault;
    OK(mote_network_make(def, &setup, &n, &fault));
    return n;
}

static inline mote_network *made(const mote_network_def *def) {
    const mote_allocator allocator = plain();
    return made_by(def, &allocator, true);
}

static inline void destroy(mote_network *n) {
    const mote_allocator allocator = plain();
    mote_network_destroy(&n->range, &allocator);
}

/* --- What is derived from springs, pins and islands --- */

static inline bool bound_is_stale(const mote_network *n) { return n->bound_edits != n->edits; }
static inline bool responses_are_stale(const mote_network *n) { return n->response_edits != n->edits; }
static inline void refresh_bound(mote_network *n) { n->bound_edits = n->response_edits = n->edits; }

#endif
