/* Edits of networks between steps: adding, erasing and tearing springs, merging islands. */
#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "networks/layout_plan.h"

/* --- The lists of springs at a slot --- */

static uint32_t *next_at(mote_network *network, uint32_t number, uint32_t slot) {
    return &network->spring[number].next[mote_network_end_at(network, number, slot)];
}

static void unlink_spring(mote_network *network, uint32_t number, uint32_t slot) {
    uint32_t *link = &network->head[slot];
    while (*link != number) link = next_at(network, *link, slot);
    *link = *next_at(network, number, slot);
}

static void free_number(mote_network *network, uint32_t number) {
    network->spring[number] = (mote_network_spring_state){.a = MOTE_NO_SLOT, .b = MOTE_NO_SLOT};
}

void mote_network_erase(mote_network *network, uint32_t number) {
    const mote_network_spring_state *s = &network->spring[number];
    (void)mote_pins_remove(&network->reels, mote_network_block_of(network, s->a), number);
    mote_network_clear_entries(network, number);
    unlink_spring(network, number, s->a);
    unlink_spring(network, number, s->b);
    free_number(network, number);
    network->spring_count--;
    if (number < network->first_free) network->first_free = number;
    while (network->spring_end && network->spring[network->spring_end - 1].a == MOTE_NO_SLOT)
        network->spring_end--;
    mote_network_changed(network);
}

/* Compares squares of floats: |d| / L - 1 > strain without the square root. NaN and frozen islands do not
 * tear. */
void mote_network_tear(mote_network *network) {
    for (uint32_t i = 0, end = network->tears ? network->spring_end : 0; i < end; i++) {
        const mote_network_spring_state *s = &network->spring[i];
        if (!(s->tear_strain > 0) || network->frozen[network->island[s->a]]) continue;
        double apart[3];
        float square = 0;
        (void)mote_network_distance_of(network, s->a, s->b, apart);
        for (int axis = 0; axis < 3; axis++) {
            const float d = (float)apart[axis];
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
    uint32_t *item, *other_item;  /* ... and the item of each */
    uint32_t *block, block_count; /* affected blocks, ascending ... */
    uint32_t *first_key;          /* ... first key of each; the next block's is the end ... */
    uint32_t *packets;            /* ... and its packets, if all of them are rewritten, else 0 */
    void *memory;
    size_t bytes;
} insertion;

static uint64_t place_arrays(insertion *n) {
    mote_arena a = {n->memory, 0};
    const uint64_t ends = (uint64_t)n->count * 2;
    n->key = mote_arena_take(&a, ends, sizeof(uint64_t));
    n->other_key = mote_arena_take(&a, ends, sizeof(uint64_t));
    n->item = mote_arena_take(&a, ends, sizeof(uint32_t));
    n->other_item = mote_arena_take(&a, ends, sizeof(uint32_t));
    n->block = mote_arena_take(&a, ends, sizeof(uint32_t));
    n->first_key = mote_arena_take(&a, ends + 1, sizeof(uint32_t));
    n->packets = mote_arena_take(&a, ends, sizeof(uint32_t));
    n->numbers = mote_arena_take(&a, n->count, sizeof(uint32_t));
    return a.bytes;
}

static mote_result begin_insertion(insertion *n, uint32_t count, const mote_allocator *allocator) {
    *n = (insertion){.count = count};
    const uint64_t bytes = place_arrays(n);
    if (count > UINT32_MAX / 2) return MOTE_ERROR_OVERFLOW;
    const mote_result result = mote_arena_allocate(bytes, allocator, &n->memory, &n->bytes);
    if (result == MOTE_OK) place_arrays(n);
    return result;
}

/* Creates the springs under the lowest free numbers, in no list and no packet yet. */
static mote_result create_springs(mote_network *network, insertion *n, const mote_spring *springs) {
    uint32_t number = network->first_free;
    for (uint32_t i = 0; i < n->count; i++, number++) {
        const mote_spring *from = &springs[i];
        const uint32_t a = network->slot_of_particle[from->a], b = network->slot_of_particle[from->b];
        const float length = from->rest_length == MOTE_AS_PLACED ? mote_network_present_length(network, a, b)
                                                                 : from->rest_length;
        while (network->spring[number].a != MOTE_NO_SLOT) number++;
        if (!isfinite(length)) {
            while (i-- > 0) free_number(network, n->numbers[i]);
            return MOTE_ERROR_RANGE;
        }
        n->numbers[i] = number;
        mote_network_create_spring(network, number, from, length);
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

/* Merges the new springs of each slot into its list; both ascend. */
static void merge_lists(mote_network *network, insertion *n) {
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

/* Removes the new springs from the lists, where their missing entries identify them, and frees their
 * numbers. */
static void revert_insertion(mote_network *network, const insertion *n) {
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

/* Reserves capacity for every affected block; blocks that exceed theirs are relocated. */
static mote_result reserve_blocks(mote_network *network, const insertion *n,
                                  const mote_allocator *allocator) {
    uint64_t more = 0;
    for (uint32_t i = 0; i < n->block_count; i++) {
        const mote_network_block *block = &network->block[n->block[i]];
        const mote_network_changes changes = changes_of(n, i);
        n->packets[i] = 0;
        if (!block->interleaved &&
            mote_network_count_sliced(network, n->block[i], &changes) <= block->packet_capacity)
            continue;
        const uint64_t packets = mote_network_count_sliced(network, n->block[i], NULL);
        if (packets > MOTE_NO_ITEM / MOTE_GROUP) return MOTE_ERROR_OVERFLOW;
        n->packets[i] = (uint32_t)packets;
        if (packets > block->packet_capacity) more += mote_network_packet_capacity(packets);
    }
    return mote_network_reserve_packets(network, more, allocator);
}

static void write_blocks(mote_network *network, const insertion *n) {
    for (uint32_t i = 0; i < n->block_count; i++) {
        mote_network_block *block = &network->block[n->block[i]];
        const mote_network_changes changes = changes_of(n, i);
        block->interleaved = false;
        if (n->packets[i] > block->packet_capacity)
            mote_network_move_packets(network, n->block[i],
                                      (uint32_t)mote_network_packet_capacity(n->packets[i]));
        mote_network_write_sliced(network, n->block[i], n->packets[i] ? NULL : &changes);
    }
}

/* --- Merging islands --- */

/* Merges two islands: the smaller takes the label of the larger, and their rings become one. If one is
 * frozen, both are. */
static void join_islands(mote_network *network, uint32_t a, uint32_t b) {
    uint32_t kept = network->island[a], dropped = network->island[b], slot = b;
    if (kept == dropped) return;
    if (network->island_size[kept] < network->island_size[dropped]) {
        kept = network->island[b], dropped = network->island[a];
        slot = a;
    }
    const uint32_t first = slot;
    do {
        network->island[slot] = kept;
        slot = network->ring[slot];
    } while (slot != first);
    const uint32_t next = network->ring[a];
    network->ring[a] = network->ring[b];
    network->ring[b] = next;
    network->island_size[kept] += network->island_size[dropped];
    network->island_size[dropped] = 0;
    if (network->frozen[kept] && network->frozen[dropped]) network->report.frozen--;
    network->frozen[kept] |= network->frozen[dropped];
    network->frozen[dropped] = 0;
}

static void finish_insertion(mote_network *network, const insertion *n, uint32_t *numbers) {
    write_blocks(network, n);
    for (uint32_t i = 0; i < n->count; i++) {
        const mote_network_spring_state *s = &network->spring[n->numbers[i]];
        const uint32_t a = mote_network_block_of(network, s->a), b = mote_network_block_of(network, s->b);
        join_islands(network, s->a, s->b);
        if (a != b) network->block[a].outer = network->block[b].outer = network->has_outer = true;
    }
    mote_network_find_chunks(network);
    const uint32_t last = n->numbers[n->count - 1];
    if (last >= network->spring_end) network->spring_end = last + 1;
    network->first_free = last + 1;
    network->spring_count += n->count;
    mote_network_changed(network);
    memcpy(numbers, n->numbers, n->count * sizeof *numbers);
}

mote_result mote_network_insert(mote_network *network, uint32_t count, const mote_spring *springs,
                                uint32_t *numbers, const mote_allocator *allocator) {
    insertion n;
    if (count == 0) return MOTE_OK;
    if (count > network->def.spring_capacity - network->spring_count) return MOTE_ERROR_CAPACITY;
    mote_result result = begin_insertion(&n, count, allocator);
    if (result) return result;
    result = create_springs(network, &n, springs);
    if (result == MOTE_OK) {
        sort_ends(network, &n);
        merge_lists(network, &n);
        find_blocks(network, &n);
        result = reserve_blocks(network, &n, allocator);
        if (result)
            revert_insertion(network, &n);
        else
            finish_insertion(network, &n, numbers);
    }
    mote_release(allocator, n.memory, n.bytes);
    return result;
}
