/* Chunks of the constrained solver: each island's runs of lane groups, by a counting sort over islands. */
#include <string.h>

#include "networks/layout_plan.h"

typedef void each_run(mote_network *network, uint32_t first, uint32_t end);

static void runs_of_block(mote_network *network, const mote_network_block *block, each_run *each) {
    const uint32_t end = block->first + block->groups * MOTE_GROUP;
    for (uint32_t first = block->first, slot = first; slot < end;) {
        slot += MOTE_GROUP;
        if (slot < end && network->island[slot] == network->island[first]) continue;
        each(network, first, slot);
        first = slot;
    }
}

static void for_each_run(mote_network *network, each_run *each) {
    for (uint32_t i = 0; i < network->block_count; i++) runs_of_block(network, &network->block[i], each);
}

static void count_run(mote_network *network, uint32_t first, uint32_t end) {
    (void)end;
    network->island_chunk[network->island[first]]++;
}

static void place_run(mote_network *network, uint32_t first, uint32_t end) {
    const uint32_t chunk = --network->island_chunk[network->island[first]];
    network->chunk_first[chunk] = first;
    network->chunk_end[chunk] = end;
}

/* Reverses the chunks of an island: place_run fills them from the back. */
static void reverse_chunks(mote_network *network, uint32_t island) {
    uint32_t low = network->island_chunk[island], high = network->island_chunk[island + 1];
    for (; low + 1 < high; low++, high--) {
        const uint32_t first = network->chunk_first[low], end = network->chunk_end[low];
        network->chunk_first[low] = network->chunk_first[high - 1],
        network->chunk_end[low] = network->chunk_end[high - 1];
        network->chunk_first[high - 1] = first, network->chunk_end[high - 1] = end;
    }
}

void mote_network_find_chunks(mote_network *network) {
    if (!network->island_chunk) return;
    memset(network->island_chunk, 0, ((size_t)network->island_count + 1) * sizeof *network->island_chunk);
    for_each_run(network, count_run);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < network->island_count; i++)
        network->island_chunk[i] = sum += network->island_chunk[i];
    network->island_chunk[network->island_count] = sum;
    for_each_run(network, place_run);
    for (uint32_t i = 0; i < network->island_count; i++) reverse_chunks(network, i);
}
