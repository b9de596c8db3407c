/* The halo of a network that is cut: the points of this rank that springs join to those of other ranks, and
 * the points at the other ends. Both ranks of a pair list the points in the order of their slots, so messages
 * hold values alone: three of the position and three of the velocity a point. */
#include "networks/halo.h"

#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"

enum { SENT, RECEIVED, VALUES = 6 };

static bool is_of(const mote_network *n, uint32_t rank, uint32_t slot) {
    return slot >= n->range.bound.slot[rank] && slot < n->range.bound.slot[rank + 1];
}

/* Whether a spring joins a slot to the part of a rank. */
static bool reaches(const mote_network *n, uint32_t slot, uint32_t rank) {
    for (uint32_t i = n->head[slot]; i != MOTE_NO_ITEM; i = mote_network_next(n, i, slot)) {
        const mote_network_spring_state *s = &n->spring[i];
        if (is_of(n, rank, s->a == slot ? s->b : s->a)) return true;
    }
    return false;
}

/* Lists the slots of one rank's part that springs join to another's. to: NULL only counts. */
static uint32_t list_slots(const mote_network *n, uint32_t giver, uint32_t taker, uint32_t *to) {
    uint32_t count = 0;
    for (uint32_t slot = n->range.bound.slot[giver]; slot < n->range.bound.slot[giver + 1]; slot++) {
        if (!reaches(n, slot, taker)) continue;
        if (to) to[count] = slot;
        count++;
    }
    return count;
}

/* Lists all slots that are sent or received, rank by rank, or counts them where halo->slot is NULL. */
static void list_ranks(mote_network *n, const mote_peers *peers, int way) {
    mote_network_halo *h = &n->halo;
    const uint32_t self = peers->transport.rank, ranks = peers->transport.ranks;
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint32_t *to = h->slot[way] ? h->slot[way] + count : NULL;
        if (h->first[way]) h->first[way][rank] = count;
        /* Ranks without a spring to this one are found by the points of this one. */
        if (rank == self || !list_slots(n, self, rank, NULL)) continue;
        count += way == SENT ? list_slots(n, self, rank, to) : list_slots(n, rank, self, to);
    }
    if (h->first[way]) h->first[way][ranks] = count;
    h->count[way] = count;
}

static uint64_t place(mote_network_halo *h, uint32_t ranks) {
    mote_arena a = {h->memory, 0};
    for (int way = SENT; way <= RECEIVED; way++) {
        h->first[way] = mote_arena_take(&a, (uint64_t)ranks + 1, sizeof(uint32_t));
        h->slot[way] = mote_arena_take(&a, h->count[way], sizeof(uint32_t));
        h->values[way] = mote_arena_take(&a, (uint64_t)h->count[way] * VALUES, sizeof(float));
    }
    return a.bytes;
}

/* Marks the blocks with points that have a spring to another rank. */
static void mark_blocks(mote_network *n) {
    const mote_network_halo *h = &n->halo;
    for (uint32_t i = 0; i < n->block_count; i++) n->block[i].halo = false;
    for (uint32_t i = 0; i < h->count[SENT]; i++)
        n->block[mote_network_block_of(n, h->slot[SENT][i])].halo = true;
}

void mote_network_release_halo(mote_network *network, const mote_allocator *allocator) {
    mote_release(allocator, network->halo.memory, network->halo.bytes);
    network->halo = (mote_network_halo){.memory = NULL};
}

mote_result mote_network_find_halo(mote_network *network, const mote_peers *peers,
                                   const mote_allocator *allocator) {
    mote_network_halo *h = &network->halo;
    mote_network_release_halo(network, allocator);
    for (int way = SENT; way <= RECEIVED; way++) list_ranks(network, peers, way);
    const uint64_t bytes = place(h, peers->transport.ranks);
    const mote_result result = mote_arena_allocate(bytes, allocator, &h->memory, &h->bytes);
    if (result) return result;
    place(h, peers->transport.ranks);
    for (int way = SENT; way <= RECEIVED; way++) list_ranks(network, peers, way);
    mark_blocks(network);
    return MOTE_OK;
}

/* --- A stage --- */

/* Copies positions and velocities of the listed slots from the columns to the values, or back. */
static void copy(const mote_network_halo *h, int way, const mote_network_scratch *c) {
    for (uint32_t i = 0; i < h->count[way]; i++) {
        const size_t at = h->slot[way][i] - c->first;
        float *values = h->values[way] + (size_t)VALUES * i;
        for (size_t k = 0; k < VALUES; k++) {
            float *column = c->memory + (COLUMN(x) + k) * c->stride + at;
            *(way == SENT ? values + k : column) = *(way == SENT ? column : values + k);
        }
    }
}

/* Lists the messages of one way. Returns their number. */
static uint32_t list_messages(const mote_network_halo *h, int way, uint32_t ranks, mote_message *to) {
    uint32_t messages = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const uint32_t first = h->first[way][rank], count = h->first[way][rank + 1] - first;
        if (count)
            to[messages++] = (mote_message){rank, h->values[way] + (size_t)VALUES * first,
                                            (size_t)VALUES * count * sizeof(float)};
    }
    return messages;
}

void mote_network_begin_halo(const mote_network *network, const mote_network_scratch *columns) {
    const mote_network_halo *h = &network->halo;
    mote_peers *peers = network->range.peers;
    const uint32_t ranks = peers->transport.ranks, sends = list_messages(h, SENT, ranks, peers->message),
                   receives = list_messages(h, RECEIVED, ranks, peers->message + ranks);
    if (!sends && !receives) return;
    copy(h, SENT, columns);
    mote_peers_exchange(peers, MOTE_TRAFFIC_STATE, sends, receives);
}

void mote_network_end_halo(const mote_network *network, const mote_network_scratch *columns) {
    const mote_network_halo *h = &network->halo;
    if (!h->count[SENT] && !h->count[RECEIVED]) return;
    if (mote_peers_wait(network->range.peers)) copy(h, RECEIVED, columns);
}

void mote_network_share_frozen(mote_network *network, uint32_t *froze) {
    mote_peers *peers = network->range.peers;
    *froze = mote_peers_sum(peers, *froze) != 0;
    if (*froze) mote_peers_merge(peers, network->frozen, network->island_count);
}
