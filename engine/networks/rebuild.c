/* Springs and islands of a snapshot, laid out anew: lists of springs, packets, rings of islands, chunks. All
 * memory is reserved before anything changes. Interleaved blocks stay interleaved where the springs fit their
 * packets. */
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "networks/layout_plan.h"

typedef struct mote_network_rebuild {
    mote_network copy; /* with arrays of its own for all that follows from springs */
    uint32_t *cursor;  /* by island: next packet of an interleaved block, relative to its first */
    uint32_t *first;   /* by island: one of its blocks */
    void *memory;
    size_t bytes;
} mote_network_rebuild;

mote_network_spring_state mote_network_spring_in(const mote_network_topology *t, uint32_t number) {
    mote_network_spring_state s = {.entry = {MOTE_NO_ITEM, MOTE_NO_ITEM}};
    mote_words_load(&s, t->springs, 6 * (uint64_t)number, 6);
    if (s.a == MOTE_NO_SLOT) s = (mote_network_spring_state){.a = MOTE_NO_SLOT, .b = MOTE_NO_SLOT};
    return s;
}

static uint32_t island_in(const mote_network_topology *t, uint32_t slot) {
    return mote_word_load(t->islands, slot);
}

/* --- Blocks --- */

static void make_outer(mote_network *network, uint32_t block) {
    network->block[block].outer = network->has_outer = true;
}

/* The first block of an island is kept in island_mark. */
bool mote_network_join_blocks(mote_network *network, const mote_network_topology *t, bool marks) {
    uint32_t *first = network->island_mark;
    bool joins = false;
    memset(first, 0xff, network->island_count * sizeof *first);
    for (uint32_t block = 0; block < network->block_count; block++) {
        const mote_network_block *b = &network->block[block];
        for (uint32_t slot = b->first; slot < b->first + b->groups * MOTE_GROUP; slot++) {
            if (network->particle_of_slot[slot] == MOTE_NO_SLOT) continue;
            uint32_t *of = &first[island_in(t, slot)];
            const bool several = *of != MOTE_NO_SLOT && *of != block;
            joins |= several;
            if (several && marks) make_outer(network, *of), make_outer(network, block);
            *of = block;
        }
    }
    return joins;
}

/* --- Memory --- */

static uint64_t place_arrays(mote_network_rebuild *r, const mote_network *n) {
    mote_arena a = {r->memory, 0};
    r->copy.head = mote_arena_take(&a, n->range.slot_count, sizeof(uint32_t));
    r->copy.block = mote_arena_take(&a, n->block_count, sizeof(mote_network_block));
    r->copy.group = mote_arena_take(&a, n->group_count, sizeof(mote_network_group));
    r->copy.spring = mote_arena_take(&a, n->def.spring_capacity, sizeof(mote_network_spring_state));
    r->cursor = mote_arena_take(&a, n->island_count, sizeof(uint32_t));
    return a.bytes;
}

/* Errors: MEMORY, OVERFLOW. */
static mote_result begin(mote_network *network, const mote_allocator *allocator,
                         mote_network_rebuild **made) {
    mote_network_rebuild *r = mote_allocate(allocator, sizeof *r);
    *made = r;
    if (!r) return MOTE_ERROR_MEMORY;
    *r = (mote_network_rebuild){.copy = *network};
    r->copy.packet_memory = NULL;
    r->copy.packet_count = r->copy.packet_capacity = 0;
    const mote_result result =
        mote_arena_allocate(place_arrays(r, network), allocator, &r->memory, &r->bytes);
    if (result == MOTE_OK) place_arrays(r, network);
    return result;
}

/* --- Springs --- */

static void fill_springs(mote_network *n, const mote_network_topology *t) {
    n->spring_count = 0;
    n->spring_end = t->spring_end;
    for (uint32_t i = 0; i < n->def.spring_capacity; i++) {
        const mote_network_spring_state none = {.a = MOTE_NO_SLOT, .b = MOTE_NO_SLOT};
        n->spring[i] = i < t->spring_end ? mote_network_spring_in(t, i) : none;
        n->spring_count += n->spring[i].a != MOTE_NO_SLOT;
    }
    memset(n->head, 0xff, n->range.slot_count * sizeof *n->head);
    mote_network_list_springs(n, t->spring_end);
    n->first_free = 0;
    while (n->first_free < n->spring_end && n->spring[n->first_free].a != MOTE_NO_SLOT) n->first_free++;
}

/* --- Packets --- */

/* Returns whether a spring joins two particles of one lane of one block. */
static bool is_in_lane(const mote_network *n, const mote_network_spring_state *s, uint32_t block) {
    return s->a % MOTE_GROUP == s->b % MOTE_GROUP && mote_network_block_of(n, s->b) == block;
}

/* Makes interleaved blocks sliced whose springs cannot be interleaved. */
static void choose_layouts(mote_network *n) {
    for (uint32_t i = 0; i < n->spring_end; i++) {
        const mote_network_spring_state *s = &n->spring[i];
        if (s->a == MOTE_NO_SLOT) continue;
        const uint32_t block = mote_network_block_of(n, s->a);
        if (n->block[block].interleaved && !is_in_lane(n, s, block)) n->block[block].interleaved = false;
        n->block[mote_network_block_of(n, s->b)].interleaved &= n->block[block].interleaved;
    }
}

/* Returns the packet of an interleaved block, from `cursor` on, that has the same local ends as a spring; or
 * packet_count. */
static uint32_t packet_with(const mote_network *n, const mote_network_block *b, uint32_t cursor,
                            const mote_network_spring_state *s) {
    const uint32_t lane = s->a % MOTE_GROUP;
    for (; cursor < b->packet_count; cursor++) {
        const mote_network_packet *p = &n->packet[b->first_packet + cursor];
        if (p->self == s->a - lane && p->other == (int32_t)(s->b - lane)) return cursor;
    }
    return b->packet_count;
}

/* Makes interleaved blocks sliced whose packets do not have the springs in their order. n: the present
 * network; r: with the new springs. */
static void check_packets(const mote_network *n, mote_network_rebuild *r) {
    memset(r->cursor, 0, n->island_count * sizeof *r->cursor);
    for (uint32_t i = 0; i < r->copy.spring_end; i++) {
        const mote_network_spring_state *s = &r->copy.spring[i];
        if (s->a == MOTE_NO_SLOT) continue;
        mote_network_block *b = &r->copy.block[mote_network_block_of(n, s->a)];
        if (!b->interleaved) continue;
        uint32_t *cursor = &r->cursor[n->island[s->a]];
        *cursor = packet_with(n, b, *cursor, s) + 1;
        if (*cursor > b->packet_count) b->interleaved = false;
    }
}

/* Errors: OVERFLOW, MEMORY. */
static mote_result place_packets(const mote_network *network, mote_network_rebuild *r,
                                 const mote_allocator *allocator) {
    mote_network *n = &r->copy;
    memcpy(n->block, network->block, n->block_count * sizeof *n->block);
    memcpy(n->group, network->group, n->group_count * sizeof *n->group);
    choose_layouts(n);
    check_packets(network, r);
    uint64_t packets = 0;
    for (uint32_t i = 0; i < n->block_count; i++) {
        mote_network_block *b = &n->block[i];
        uint64_t capacity = b->packet_capacity;
        if (!b->interleaved) capacity = mote_network_packets_for(n, mote_network_count_sliced(n, i, NULL));
        packets += capacity;
        if (packets > MOTE_NO_ITEM / MOTE_GROUP) return MOTE_ERROR_OVERFLOW;
        b->packet_capacity = (uint32_t)capacity;
        if (!b->interleaved) b->packet_count = 0;
    }
    return mote_network_reserve_packets(n, 0, allocator);
}

static void write_packets(const mote_network *network, mote_network_rebuild *r) {
    mote_network *n = &r->copy;
    memset(r->cursor, 0, n->island_count * sizeof *r->cursor);
    for (uint32_t i = 0; i < n->block_count; i++)
        if (n->block[i].interleaved) mote_network_empty_interleaved(n, i);
    for (uint32_t i = 0; i < n->spring_end; i++) {
        if (n->spring[i].a == MOTE_NO_SLOT) continue;
        const uint32_t block = mote_network_block_of(n, n->spring[i].a);
        if (n->block[block].interleaved)
            mote_network_write_interleaved(n, block, i, &r->cursor[network->island[n->spring[i].a]]);
    }
    for (uint32_t i = 0; i < n->block_count; i++)
        if (!n->block[i].interleaved) mote_network_write_sliced(n, i, NULL);
}

/* --- Islands --- */

/* Rings, sizes and chunks of the islands; the order of a ring has no effect. */
static void set_islands(mote_network *n, const mote_network_topology *t) {
    uint32_t *last = n->island_mark;
    memset(n->island_size, 0, n->island_count * sizeof *n->island_size);
    for (uint32_t slot = 0; slot < n->range.slot_count; slot++) {
        const uint32_t island = island_in(t, slot);
        n->island[slot] = island;
        n->ring[slot] = slot;
        if (n->particle_of_slot[slot] == MOTE_NO_SLOT) continue;
        if (n->island_size[island]++) {
            n->ring[slot] = n->ring[last[island]];
            n->ring[last[island]] = slot;
        }
        last[island] = slot;
    }
    mote_network_find_chunks(n);
}

/* --- The whole --- */

mote_result mote_network_rebuild_make(mote_network *network, const mote_network_topology *t,
                                      const mote_allocator *allocator) {
    mote_network_rebuild *r;
    mote_result result = begin(network, allocator, &r);
    network->rebuild = r;
    if (result == MOTE_OK) {
        fill_springs(&r->copy, t);
        result = place_packets(network, r, allocator);
    }
    if (result == MOTE_OK)
        write_packets(network, r);
    else
        mote_network_rebuild_discard(network, allocator);
    return result;
}

static void release(mote_network *network, const mote_allocator *allocator) {
    mote_network_rebuild *r = network->rebuild;
    network->rebuild = NULL;
    mote_release(allocator, r->memory, r->bytes);
    mote_release(allocator, r, sizeof *r);
}

void mote_network_rebuild_discard(mote_network *network, const mote_allocator *allocator) {
    if (!network->rebuild) return;
    mote_release(allocator, network->rebuild->copy.packet_memory, network->rebuild->copy.packet_bytes);
    release(network, allocator);
}

void mote_network_rebuild_commit(mote_network *network, const mote_network_topology *t,
                                 const mote_allocator *allocator) {
    const mote_network *n = &network->rebuild->copy;
    for (uint32_t i = 0; i < n->block_count; i++) n->block[i].outer |= network->block[i].outer;
    memcpy(network->block, n->block, n->block_count * sizeof *n->block);
    memcpy(network->group, n->group, n->group_count * sizeof *n->group);
    memcpy(network->head, n->head, n->range.slot_count * sizeof *n->head);
    memcpy(network->spring, n->spring, n->def.spring_capacity * sizeof *n->spring);
    network->spring_count = n->spring_count, network->spring_end = n->spring_end;
    network->first_free = n->first_free;
    mote_network_take_packets(network, n, allocator);
    set_islands(network, t);
    mote_network_changed(network);
    release(network, allocator);
}
