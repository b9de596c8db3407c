/* Memory of a network's packets. Each block has a run of packets with spare capacity; a block that exceeds it
 * is relocated behind all others. */
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "networks/layout_plan.h"

/* Entry numbers have 32 bits, and MOTE_NO_ITEM is none of them. */
#define MOST_PACKETS (MOTE_NO_ITEM / MOTE_GROUP)

static uint64_t place_arrays(mote_network *network, void *memory, uint64_t packets) {
    mote_arena r = {memory, 0};
    const uint64_t entries = packets * MOTE_GROUP;
    const bool constrained = network->def.solver == MOTE_NETWORK_CONSTRAINED,
               uncoupled = !constrained && mote_scheme_table[network->integrator].kick_after;
    network->packet = mote_arena_take(&r, packets, sizeof(mote_network_packet));
    network->entry_spring = mote_arena_take(&r, entries, sizeof(uint32_t));
    network->entry_other = mote_arena_take(&r, entries, sizeof(uint32_t));
    network->entry_length = mote_arena_take(&r, entries, sizeof(float));
    network->entry_stiffness = mote_arena_take(&r, entries, sizeof(float));
    network->entry_damping = mote_arena_take(&r, entries, sizeof(float));
    for (int i = 0; i < 4 && uncoupled; i++)
        network->entry_response[i] = mote_arena_take(&r, entries, sizeof(float));
    for (size_t i = 0; i < END_COLUMNS && constrained; i++)
        network->entry_solver[i] = mote_arena_take(&r, entries, sizeof(float));
    return r.bytes;
}

/* Updates the springs' entry numbers of a moved packet. */
static void renumber(mote_network *network, uint32_t packet, bool interleaved) {
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        const uint32_t entry = packet * MOTE_GROUP + lane;
        if (network->entry_spring[entry] == MOTE_NO_ITEM) continue;
        mote_network_spring_state *spring = &network->spring[network->entry_spring[entry]];
        const bool is_a = spring->a == network->packet[packet].self + lane;
        spring->entry[is_a ? 0 : 1] = entry;
        if (interleaved) spring->entry[1] = entry;
    }
}

static void copy_packet(mote_network *to, uint32_t packet, const mote_network *from, uint32_t old) {
    const size_t entry = (size_t)packet * MOTE_GROUP, old_entry = (size_t)old * MOTE_GROUP,
                 bytes = MOTE_GROUP * sizeof(float);
    to->packet[packet] = from->packet[old];
    memcpy(to->entry_spring + entry, from->entry_spring + old_entry, bytes);
    memcpy(to->entry_other + entry, from->entry_other + old_entry, bytes);
    memcpy(to->entry_length + entry, from->entry_length + old_entry, bytes);
    memcpy(to->entry_stiffness + entry, from->entry_stiffness + old_entry, bytes);
    memcpy(to->entry_damping + entry, from->entry_damping + old_entry, bytes);
}

/* Moves the blocks to the new memory, one after the other. entry_response is not copied: edits make it
 * stale. */
static void move_all(mote_network *to, const mote_network *from) {
    to->packet_count = 0;
    for (uint32_t i = 0; i < to->block_count; i++) {
        mote_network_block *block = &to->block[i];
        const uint32_t old = block->first_packet, first = to->packet_count;
        for (uint32_t k = 0; k < block->packet_count; k++) {
            copy_packet(to, first + k, from, old + k);
            renumber(to, first + k, block->interleaved);
        }
        for (uint32_t g = 0; g < block->groups && !block->interleaved; g++)
            to->group[block->first / MOTE_GROUP + g].first_packet += first - old;
        block->first_packet = first;
        to->packet_count += block->packet_capacity;
    }
}

mote_result mote_network_reserve_packets(mote_network *network, uint64_t more,
                                         const mote_allocator *allocator) {
    uint64_t needed = more;
    if (network->packet_count + more <= network->packet_capacity && network->packet_memory) return MOTE_OK;
    for (uint32_t i = 0; i < network->block_count; i++) needed += network->block[i].packet_capacity;
    if (network->packet_memory && needed + needed / 8 <= MOST_PACKETS) needed += needed / 8;
    if (needed > MOST_PACKETS) return MOTE_ERROR_OVERFLOW;
    mote_network moved = *network;
    const mote_result result = mote_arena_allocate(place_arrays(&moved, NULL, needed), allocator,
                                                   &moved.packet_memory, &moved.packet_bytes);
    if (result) return result;
    place_arrays(&moved, moved.packet_memory, needed);
    memset(moved.packet_memory, 0, moved.packet_bytes);
    memset(moved.entry_spring, 0xff, (size_t)needed * MOTE_GROUP * sizeof *moved.entry_spring);
    moved.packet_capacity = (uint32_t)needed;
    move_all(&moved, network);
    mote_release(allocator, network->packet_memory, network->packet_bytes);
    *network = moved;
    return MOTE_OK;
}

void mote_network_move_packets(mote_network *network, uint32_t block, uint32_t capacity) {
    mote_network_block *b = &network->block[block];
    for (uint32_t i = 0; i < b->packet_count; i++) mote_network_clear_packet(network, b->first_packet + i);
    b->first_packet = network->packet_count;
    b->packet_count = 0;
    b->packet_capacity = capacity;
    network->packet_count += capacity;
}
