/* Networks: springs come and go between steps. */
#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "networks/layout_plan.h"

/* --- The lists of springs at a slot --- */

static uint32_t *next_at(mote_network *network, uint32_t number, uint32_t slot) {
    mote_network_spring_state *s = &network->spring[number];
    return &s->next[s->a == slot ? 0 : 1];
}

static void take_out(mote_network *network, uint32_t number, uint32_t slot) {
    uint32_t *link = &network->head[slot];
    while (*link != number) link = next_at(network, *link, slot);
    *link = *next_at(network, number, slot);
}

static void free_number(mote_network *network, uint32_t number) {
    network->spring[number] = (mote_network_spring_state){.a = MOTE_NO_SLOT, .b = MOTE_NO_SLOT};
}

void mote_network_erase(mote_network *network, uint32_t number) {
    const mote_network_spring_state *s = &network->spring[number];
    mote_network_drop_reel(network, number);
    mote_network_clear_entries(network, number);
    take_out(network, number, s->a);
    take_out(network, number, s->b);
    free_number(network, number);
    network->spring_count--;
    if (number < network->first_free) network->first_free = number;
    while (network->spring_end && network->spring[network->spring_end - 1].a == MOTE_NO_SLOT)
        network->spring_end--;
    network->bound_is_old = network->aggregates.old = true;
}

/* Squares of floats: |d| / L - 1 > strain without the root. NaN and what is frozen does not tear. */
void mote_network_tear(mote_network *network) {
    for (uint32_t i = 0, end = network->tears ? network->spring_end : 0; i < end; i++) {
        const mote_network_spring_state *s = &network->spring[i];
        if (!(s->tear_strain > 0) || network->frozen[network->island[s->a]]) continue;
        float square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const float d = network->x[axis][s->b] - network->x[axis][s->a];
            square += d * d;
        }
        const float limit = s->rest_length * (1.0f + s->tear_strain);
        if (!(square > limit * limit)) continue;
        mote_network_erase(network, i);
        network->torn[network->torn_count++] = i;
    }
}

/* --- Adding --- */

typedef struct insertion {
    uint32_t count;
    uint32_t *numbers;
    uint64_t *key, *other_key;    /* 2 count: slots of the new ends, ascending ... */
    uint32_t *item, *other_item;  /* ... and of which item */
    uint32_t *block, block_count; /* those concerned, ascending ... */
    uint32_t *first_key;          /* ... the keys of each: to those of the next ... */
    uint32_t *lines;              /* ... and its lines, where it must be written as a whole, else 0 */
    void *memory;
    size_t bytes;
} insertion;

static void *take(unsigned char **cursor, uint64_t count, size_t element) {
    void *at = *cursor;
    *cursor += mote_round_up((size_t)count * element, MOTE_CACHE_LINE);
    return at;
}

static mote_result begin_insertion(insertion *n, uint32_t count, const mote_allocator *allocator) {
    const uint64_t ends = (uint64_t)count * 2,
                   bytes = ends * (2 * sizeof(uint64_t) + 6 * sizeof(uint32_t)) + 9 * MOTE_CACHE_LINE;
    *n = (insertion){.count = count, .bytes = (size_t)bytes};
    if (ends > UINT32_MAX || bytes > SIZE_MAX / 2) return MOTE_ERROR_OVERFLOW;
    unsigned char *cursor = n->memory = mote_allocate(allocator, n->bytes);
    if (!n->memory) return MOTE_ERROR_MEMORY;
    n->key = take(&cursor, ends, sizeof(uint64_t));
    n->other_key = take(&cursor, ends, sizeof(uint64_t));
    n->item = take(&cursor, ends, sizeof(uint32_t));
    n->other_item = take(&cursor, ends, sizeof(uint32_t));
    n->block = take(&cursor, ends, sizeof(uint32_t));
    n->first_key = take(&cursor, ends + 1, sizeof(uint32_t));
    n->lines = take(&cursor, ends, sizeof(uint32_t));
    n->numbers = take(&cursor, count, sizeof(uint32_t));
    return MOTE_OK;
}

static float present_length(const mote_network *network, uint32_t a, uint32_t b) {
    const float p[3] = {network->x[0][a], network->x[1][a], network->x[2][a]};
    const float q[3] = {network->x[0][b], network->x[1][b], network->x[2][b]};
    return mote_network_distance(p, q);
}

/* Springs stand under their numbers, in no list and no line yet. */
static mote_result make_springs(mote_network *network, insertion *n, const mote_spring *springs) {
    uint32_t number = network->first_free;
    for (uint32_t i = 0; i < n->count; i++, number++) {
        const mote_spring *from = &springs[i];
        const uint32_t a = network->slot_of_particle[from->a], b = network->slot_of_particle[from->b];
        const float length =
            from->rest_length == MOTE_AS_PLACED ? present_length(network, a, b) : from->rest_length;
        while (network->spring[number].a != MOTE_NO_SLOT) number++;
        if (!isfinite(length)) {
            while (i-- > 0) free_number(network, n->numbers[i]);
            return MOTE_ERROR_RANGE;
        }
        n->numbers[i] = number;
        network->spring[number] = (mote_network_spring_state){.a = a,
                                                              .b = b,
                                                              .rest_length = length + 0.0f,
                                                              .stiffness = from->stiffness + 0.0f,
                                                              .damping = from->damping + 0.0f,
                                                              .tear_strain = from->tear_strain + 0.0f,
                                                              .entry = {MOTE_NO_ITEM, MOTE_NO_ITEM}};
    }
    return MOTE_OK;
}

static void sort_ends(const mote_network *network, insertion *n) {
    for (uint32_t i = 0; i < n->count; i++) {
        n->key[2 * i] = network->spring[n->numbers[i]].a;
        n->key[2 * i + 1] = network->spring[n->numbers[i]].b;
        n->item[2 * i] = n->item[2 * i + 1] = i;
    }
    mote_network_sort(n->key, n->other_key, n->item, n->other_item, 2 * n->count);
}

/* Both the list of a slot and its new springs ascend: they are merged. */
static void link_all(mote_network *network, insertion *n) {
    uint32_t *link = NULL;
    for (uint32_t i = 0; i < 2 * n->count; i++) {
        const uint32_t slot = (uint32_t)n->key[i], number = n->numbers[n->item[i]];
        if (i == 0 || n->key[i] != n->key[i - 1]) link = &network->head[slot];
        while (*link != MOTE_NO_ITEM && *link < number) link = next_at(network, *link, slot);
        *next_at(network, number, slot) = *link;
        *link = number;
        link = next_at(network, number, slot);
    }
}

static void take_back(mote_network *network, const insertion *n) {
    for (uint32_t i = 0; i < 2 * n->count; i++) {
        const uint32_t slot = (uint32_t)n->key[i];
        if (i && n->key[i] == n->key[i - 1]) continue;
        for (uint32_t *link = &network->head[slot]; *link != MOTE_NO_ITEM;) {
            uint32_t *next = next_at(network, *link, slot);
            if (network->spring[*link].entry[0] == MOTE_NO_ITEM)
                *link = *next;
            else
                link = next;
        }
    }
    for (uint32_t i = 0; i < n->count; i++) free_number(network, n->numbers[i]);
}

static void find_blocks(const mote_network *network, insertion *n) {
    for (uint32_t i = 0; i < 2 * n->count; i++) {
        if (i && n->key[i] == n->key[i - 1]) continue;
        const uint32_t block = mote_network_block_of(network, (uint32_t)n->key[i]);
        if (n->block_count && n->block[n->block_count - 1] == block) continue;
        n->first_key[n->block_count] = i;
        n->block[n->block_count++] = block;
    }
    n->first_key[n->block_count] = 2 * n->count;
}

static mote_network_changes changes_of(const insertion *n, uint32_t i) {
    return (mote_network_changes){n->key + n->first_key[i], n->first_key[i + 1] - n->first_key[i]};
}

/* Room for all blocks concerned, of which those that grow out of theirs move. */
static mote_result make_room(mote_network *network, const insertion *n, const mote_allocator *allocator) {
    uint64_t more = 0;
    for (uint32_t i = 0; i < n->block_count; i++) {
        const mote_network_block *block = &network->block[n->block[i]];
        const mote_network_changes changes = changes_of(n, i);
        n->lines[i] = 0;
        if (!block->lanes &&
            mote_network_count_sliced(network, n->block[i], &changes) <= block->line_capacity)
            continue;
        const uint64_t lines = mote_network_count_sliced(network, n->block[i], NULL);
        if (lines > MOTE_NO_ITEM / MOTE_GROUP) return MOTE_ERROR_OVERFLOW;
        n->lines[i] = (uint32_t)lines;
        if (lines > block->line_capacity) more += mote_network_packet_capacity(lines);
    }
    return mote_network_reserve_packets(network, more, network->entry_response[0] != NULL, allocator);
}

static void write_blocks(mote_network *network, const insertion *n) {
    for (uint32_t i = 0; i < n->block_count; i++) {
        mote_network_block *block = &network->block[n->block[i]];
        const mote_network_changes changes = changes_of(n, i);
        block->lanes = false;
        if (n->lines[i] > block->line_capacity)
            mote_network_move_packets(network, n->block[i],
                                      (uint32_t)mote_network_packet_capacity(n->lines[i]));
        mote_network_write_sliced(network, n->block[i], n->lines[i] ? NULL : &changes);
    }
}

/* --- Islands that are joined --- */

/* The smaller takes the label of the larger, and two rings become one. What is frozen freezes both. */
static void join_islands(mote_network *network, uint32_t a, uint32_t b) {
    uint32_t keep = network->island[a], go = network->island[b], slot = b;
    if (keep == go) return;
    if (network->island_size[keep] < network->island_size[go]) {
        keep = network->island[b], go = network->island[a];
        slot = a;
    }
    const uint32_t first = slot;
    do {
        network->island[slot] = keep;
        slot = network->ring[slot];
    } while (slot != first);
    const uint32_t next = network->ring[a];
    network->ring[a] = network->ring[b];
    network->ring[b] = next;
    network->island_size[keep] += network->island_size[go];
    network->island_size[go] = 0;
    if (network->frozen[keep] && network->frozen[go]) network->report.frozen--;
    network->frozen[keep] |= network->frozen[go];
    network->frozen[go] = 0;
}

static void join_ends(mote_network *network, const mote_network_spring_state *s) {
    const uint32_t a = mote_network_block_of(network, s->a), b = mote_network_block_of(network, s->b);
    join_islands(network, s->a, s->b);
    if (a == b) return;
    network->block[a].outer = network->block[b].outer = network->has_outer = true;
}

static void finish_insertion(mote_network *network, const insertion *n, uint32_t *numbers) {
    write_blocks(network, n);
    for (uint32_t i = 0; i < n->count; i++) {
        const mote_network_spring_state *s = &network->spring[n->numbers[i]];
        join_ends(network, s);
        network->damped |= s->damping > 0;
        network->tears |= s->tear_strain > 0;
        network->rigid |= s->stiffness == __builtin_inff();
    }
    mote_network_find_chunks(network);
    const uint32_t last = n->numbers[n->count - 1];
    if (last >= network->spring_end) network->spring_end = last + 1;
    network->first_free = last + 1;
    network->spring_count += n->count;
    network->bound_is_old = network->responses_are_old = network->aggregates.old = true;
    memcpy(numbers, n->numbers, n->count * sizeof *numbers);
}

mote_result mote_network_insert(mote_network *network, uint32_t count, const mote_spring *springs,
                                uint32_t *numbers, const mote_allocator *allocator) {
    insertion n;
    if (count == 0) return MOTE_OK;
    if (count > network->def.spring_capacity - network->spring_count) return MOTE_ERROR_CAPACITY;
    mote_result result = begin_insertion(&n, count, allocator);
    if (result) return result;
    result = make_springs(network, &n, springs);
    if (result == MOTE_OK) {
        sort_ends(network, &n);
        link_all(network, &n);
        find_blocks(network, &n);
        result = make_room(network, &n, allocator);
        if (result)
            take_back(network, &n);
        else
            finish_insertion(network, &n, numbers);
    }
    mote_release(allocator, n.memory, n.bytes);
    return result;
}
