/* Messages between the ranks of a cluster. */
#include "base/peers.h"

#include <string.h>

#include "base/hash.h"

uint64_t mote_deal_own(const mote_deal *deal, uint32_t rank, uint64_t count) {
    if (deal->bound) return deal->bound[rank + 1] - deal->bound[rank];
    const uint64_t round = (uint64_t)deal->ranks * deal->chunk, rest = count % round;
    const uint64_t before = (uint64_t)rank * deal->chunk, last = rest > before ? rest - before : 0;
    return count / round * deal->chunk + (last < deal->chunk ? last : deal->chunk);
}

/* Finds the longest run of items of a rank from its own item number `own` on, which exists; *first receives
 * its first item. Returns its length. */
static uint64_t find_run(const mote_deal *deal, uint32_t rank, uint64_t count, uint64_t own,
                         uint64_t *first) {
    *first = deal->bound ? deal->bound[rank] + own
                         : (own / deal->chunk * deal->ranks + rank) * deal->chunk + own % deal->chunk;
    const uint64_t end = deal->bound ? deal->bound[rank + 1] : *first - own % deal->chunk + deal->chunk;
    return (end < count ? end : count) - *first;
}

/* --- Messages --- */

static bool fail(mote_peers *peers) {
    if (peers->result == MOTE_OK && peers->transport.error)
        peers->transport.error(peers->transport.user, MOTE_ERROR_CLUSTER, MOTE_NO_ITEM);
    peers->result = MOTE_ERROR_CLUSTER;
    return false;
}

bool mote_peers_share(mote_peers *peers, mote_traffic traffic, const void *own, void *all, size_t bytes) {
    const mote_transport *t = &peers->transport;
    peers->bytes[traffic] += bytes;
    peers->messages++;
    if (peers->result == MOTE_OK && t->gather(t->user, own, all, bytes) == 0) return true;
    memset(all, 0, t->ranks * bytes);
    return fail(peers);
}

void mote_peers_exchange(mote_peers *peers, mote_traffic traffic, uint32_t sends, uint32_t receives) {
    const mote_transport *t = &peers->transport;
    for (uint32_t i = 0; i < sends; i++) peers->bytes[traffic] += peers->message[i].bytes;
    peers->messages += sends;
    if (peers->result || t->exchange(t->user, peers->message, sends, peers->message + t->ranks, receives))
        fail(peers);
}

bool mote_peers_wait(mote_peers *peers) {
    const mote_transport *t = &peers->transport;
    return (peers->result == MOTE_OK && t->wait(t->user) == 0) || fail(peers);
}

/* --- Sums and comparisons --- */

uint64_t mote_peers_sum(mote_peers *peers, uint64_t own) {
    uint64_t sum = 0, number;
    mote_peers_share(peers, MOTE_TRAFFIC_CHECK, &own, peers->stage, sizeof own);
    for (uint32_t rank = 0; rank < peers->transport.ranks; rank++) {
        memcpy(&number, peers->stage + rank * sizeof number, sizeof number);
        sum += number;
    }
    return sum;
}

void mote_peers_note(mote_peers *peers, uint64_t call, uint64_t a, uint64_t b, const void *words,
                     size_t bytes) {
    const uint64_t numbers[] = {call, a, b, words ? bytes : UINT64_MAX};
    uint64_t hash = peers->written;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) hash = mote_hash_number(hash, numbers[i]);
    peers->written = words ? mote_hash_words(hash, words, bytes) : hash;
}

mote_result mote_peers_agree(mote_peers *peers, const uint64_t own[2]) {
    const mote_transport *t = &peers->transport;
    const size_t bytes = 2 * sizeof *own;
    if (!mote_peers_share(peers, MOTE_TRAFFIC_CHECK, own, peers->stage, bytes)) return MOTE_ERROR_CLUSTER;
    for (uint32_t rank = 1; rank < t->ranks; rank++) {
        if (memcmp(peers->stage, peers->stage + rank * bytes, bytes) == 0) continue;
        if (t->error) t->error(t->user, MOTE_ERROR_CALLS, rank);
        return MOTE_ERROR_CALLS;
    }
    return MOTE_OK;
}

/* --- Arrays --- */

/* Copies the items of a rank from the array to a buffer, or back. */
static void copy(const mote_gathered *g, uint32_t rank, unsigned char *buffer, bool back) {
    const uint64_t own = mote_deal_own(&g->deal, rank, g->count),
                   end = own < g->first + g->items ? own : g->first + g->items;
    for (uint64_t at = g->first, first, items; at < end; at += items, buffer += items * g->element) {
        items = find_run(&g->deal, rank, g->count, at, &first);
        if (items > end - at) items = end - at;
        unsigned char *run = g->data + first * g->element;
        memcpy(back ? run : buffer, back ? buffer : run, items * g->element);
    }
}

void mote_peers_gather_end(mote_peers *peers) {
    const uint32_t ranks = peers->transport.ranks, arrays = peers->gathered_count;
    const size_t bytes = peers->gathered_bytes;
    const unsigned char *own = peers->stage + ranks * peers->stage_bytes;
    peers->gathered_count = 0, peers->gathered_bytes = 0;
    if (!bytes || !mote_peers_share(peers, MOTE_TRAFFIC_GATHER, own, peers->stage, bytes)) return;
    size_t at = 0;
    for (uint32_t i = 0; i < arrays; i++) {
        const mote_gathered *g = &peers->gathered[i];
        for (uint32_t rank = 0; rank < ranks; rank++)
            if (rank != peers->transport.rank) copy(g, rank, peers->stage + rank * bytes + at, true);
        at += g->items * g->element;
    }
}

/* Returns how many elements the message has room for, at least 1: one that is full is sent before. */
static uint64_t find_room(mote_peers *peers, size_t element) {
    if (peers->gathered_count == MOTE_GATHERED || peers->stage_bytes - peers->gathered_bytes < element)
        mote_peers_gather_end(peers);
    return (peers->stage_bytes - peers->gathered_bytes) / element;
}

void mote_peers_gather(mote_peers *peers, const mote_deal *deal, void *data, uint64_t count, size_t element) {
    const uint32_t ranks = peers->transport.ranks;
    unsigned char *own = peers->stage + ranks * peers->stage_bytes;
    uint64_t most = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const uint64_t items = mote_deal_own(deal, rank, count);
        most = items > most ? items : most;
    }
    mote_gathered g = {*deal, data, count, 0, 0, element};
    for (; g.first < most; g.first += g.items) {
        const uint64_t room = find_room(peers, element), left = most - g.first;
        g.items = left < room ? left : room;
        copy(&g, peers->transport.rank, own + peers->gathered_bytes, false);
        peers->gathered[peers->gathered_count++] = g;
        peers->gathered_bytes += (size_t)(g.items * element);
    }
}

void mote_peers_merge(mote_peers *peers, uint8_t *flags, uint64_t count) {
    for (uint64_t first = 0; first < count; first += peers->stage_bytes) {
        const uint64_t left = count - first;
        const size_t bytes = left < peers->stage_bytes ? (size_t)left : peers->stage_bytes;
        mote_peers_share(peers, MOTE_TRAFFIC_GATHER, flags + first, peers->stage, bytes);
        for (size_t i = 0; i < peers->transport.ranks * bytes; i++)
            flags[first + i % bytes] |= peers->stage[i];
    }
}
