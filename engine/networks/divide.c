/* Networks in a cluster: which rank steps which blocks, and the sums over ranks of what islands report. */
#include <string.h>

#include "networks/halo.h"

/* Returns whether a block may begin the part of a rank, block by block from 1 on: no island is in blocks
 * before it and in blocks from it on. *reach: the last slot of the islands met so far. */
static bool may_begin(const mote_network *n, uint32_t block, uint32_t *reach) {
    const uint32_t end = block < n->block_count ? n->block[block].first : n->range.slot_count;
    for (uint32_t slot = n->block[block - 1].first; slot < end; slot++)
        if (n->ring[slot] > *reach) *reach = n->ring[slot];
    return *reach < end;
}

/* Finds the first block of a rank: the one at which its part of the slots begins, or the permitted one
 * nearest to it where that is less than half a part away. Islands that are smaller than a part so stay whole.
 * before, after: permitted blocks around it. */
static uint32_t choose(const mote_network *n, uint32_t before, uint32_t after, uint64_t target,
                       uint64_t part) {
    const uint64_t first = n->block[before].first,
                   last = after < n->block_count ? n->block[after].first : n->range.slot_count;
    const uint32_t nearest = last - target < target - first ? after : before;
    const uint64_t away = nearest == after ? last - target : target - first;
    if (n->def.solver == MOTE_NETWORK_CONSTRAINED || 2 * away <= part) return nearest;
    return mote_network_block_of(n, (uint32_t)target);
}

static void find_bounds(mote_network *n, uint32_t ranks) {
    const mote_division *to = &n->range.bound;
    const uint64_t slots = n->range.slot_count;
    uint32_t before = 0, next = 1, reach = 0;
    to->unit[0] = 0;
    n->halo.cut = false;
    for (uint32_t block = 1; block <= n->block_count; block++) {
        const bool is_end = block == n->block_count;
        if (!may_begin(n, block, &reach) && !is_end) continue;
        for (; next < ranks && slots * next / ranks <= (is_end ? slots : n->block[block].first); next++) {
            to->unit[next] = choose(n, before, block, slots * next / ranks, slots / ranks);
            n->halo.cut |= to->unit[next] != before && to->unit[next] != block;
        }
        before = block;
    }
    to->unit[ranks] = n->block_count;
    for (uint32_t rank = 0; rank <= ranks; rank++)
        to->slot[rank] = to->unit[rank] < n->block_count ? n->block[to->unit[rank]].first : (uint32_t)slots;
}

mote_result mote_network_divide(mote_range *range, const mote_peers *peers, const mote_allocator *allocator) {
    mote_network *n = mote_network_of(range);
    if (n->tears || n->reels.count) return MOTE_ERROR_UNSUPPORTED;
    if (!mote_network_renew(n, &n->division_edits)) return MOTE_OK;
    find_bounds(n, peers->transport.ranks);
    const bool cut = n->halo.cut;
    const mote_result result = cut ? mote_network_find_halo(n, peers, allocator) : MOTE_OK;
    if (!cut) mote_network_release_halo(n, allocator);
    n->halo.cut = cut;
    if (result) n->division_edits = 0;
    return result;
}

/* --- Report --- */

typedef struct sums {
    uint64_t iterations, linear, unsolved;
    float residual;
    uint32_t unused;
} sums;

void mote_network_gather_report(mote_network *network, mote_peers *peers) {
    mote_network_step_report *report = &network->report;
    const sums own = {report->iterations, report->linear, report->unsolved, report->residual, 0};
    const uint32_t ranks = peers->transport.ranks;
    sums of;
    report->iterations = report->linear = report->unsolved = report->frozen = 0;
    mote_peers_share(peers, MOTE_TRAFFIC_GATHER, &own, peers->stage, sizeof own);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        memcpy(&of, peers->stage + rank * sizeof of, sizeof of);
        report->iterations += of.iterations, report->linear += of.linear;
        report->unsolved += (uint32_t)of.unsolved;
        if (of.residual > report->residual) report->residual = of.residual;
    }
    mote_peers_merge(peers, network->frozen, network->island_count);
    for (uint32_t i = 0; i < network->island_count; i++) report->frozen += network->frozen[i];
}
