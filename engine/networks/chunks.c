/* Chunks of the constrained solver: each island's runs of lane groups, by a counting sort over islands. */
#include <string.h>

#include "networks/layout_plan.h"

/* Calls count_chunk or place_chunk for each run of lane groups of one island in one block. */
static void for_each_chunk(mote_network *network, void (*each)(mote_network *, uint32_t, uint32_t)) {
    for (const mote_network_block *b = network->block; b < network->block + network->block_count; b++) {
        const uint32_t end = b->first + b->groups * MOTE_GROUP;
        for (uint32_t first = b->first, slot = first + MOTE_GROUP; first < end; slot += MOTE_GROUP) {
            if (slot < end && network->island[slot] == network->island[first]) continue;
            each(network, first, slot);
            first = slot;
        }
    }
}

static void count_chunk(mote_network *network, uint32_t first, uint32_t end) {
    (void)end;
    network->island_chunk[network->island[first] + 1]++;
}

static void place_chunk(mote_network *network, uint32_t first, uint32_t end) {
    const uint32_t chunk = network->island_chunk[network->island[first]]++;
    network->chunk_first[chunk] = first;
    network->chunk_end[chunk] = end;
}

/* Placing moves island_chunk[i] from the first chunk of island i to that of island i + 1. */
void mote_network_find_chunks(mote_network *network) {
    uint32_t *of = network->island_chunk;
    const uint32_t islands = network->island_count;
    if (!of) return;
    memset(of, 0, ((size_t)islands + 1) * sizeof *of);
    for_each_chunk(network, count_chunk);
    for (uint32_t i = 0; i < islands; i++) of[i + 1] += of[i];
    for_each_chunk(network, place_chunk);
    memmove(of + 1, of, islands * sizeof *of);
    of[0] = 0;
}
