/* The memory of a network's lines: each block has a run of them, with room to grow; a block that outgrows its
 * room moves behind all others. */
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "networks/layout_plan.h"

/* An entry's number is 32 bits, and MOTE_NO_ITEM is none. */
#define MOST_LINES (MOTE_NO_ITEM / MOTE_GROUP)

static uint64_t lay_out(mote_network *network, void *memory, uint64_t lines, bool unit_responses) {
    mote_arena r = {memory, 0};
    const uint64_t entries = lines * MOTE_GROUP;
    network->line = mote_arena_take(&r, lines, sizeof(mote_network_packet));
    network->entry_spring = mote_arena_take(&r, entries, sizeof(uint32_t));
    network->entry_other = mote_arena_take(&r, entries, sizeof(uint32_t));
    network->entry_length = mote_arena_take(&r, entries, sizeof(float));
    network->entry_stiffness = mote_arena_take(&r, entries, sizeof(float));
    network->entry_damping = mote_arena_take(&r, entries, sizeof(float));
    for (int i = 0; i < 4; i++)
        network->entry_response[i] = unit_responses ? mote_arena_take(&r, entries, sizeof(float)) : NULL;
    for (int i = 0; i < NETWORK_END_COLUMNS && network->def.solver == MOTE_NETWORK_CONSTRAINED; i++)
        network->entry_solver[i] = mote_arena_take(&r, entries, sizeof(float));
    return r.bytes;
}

/* Springs stand where their entries moved to. */
static void renumber(mote_network *network, uint32_t line, bool strut) {
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        const uint32_t entry = line * MOTE_GROUP + lane;
        if (network->entry_spring[entry] == MOTE_NO_ITEM) continue;
        mote_network_spring_state *spring = &network->spring[network->entry_spring[entry]];
        const bool is_a = spring->a == network->line[line].self + lane;
        spring->entry[is_a ? 0 : 1] = entry;
        if (strut) spring->entry[1] = entry;
    }
}

static void copy_line(mote_network *to, uint32_t line, const mote_network *from, uint32_t old) {
    const size_t entry = (size_t)line * MOTE_GROUP, old_entry = (size_t)old * MOTE_GROUP,
                 bytes = MOTE_GROUP * sizeof(float);
    to->line[line] = from->line[old];
    memcpy(to->entry_spring + entry, from->entry_spring + old_entry, bytes);
    memcpy(to->entry_other + entry, from->entry_other + old_entry, bytes);
    memcpy(to->entry_length + entry, from->entry_length + old_entry, bytes);
    memcpy(to->entry_stiffness + entry, from->entry_stiffness + old_entry, bytes);
    memcpy(to->entry_damping + entry, from->entry_damping + old_entry, bytes);
}

/* The blocks move to the new memory, one behind the other. Answers do not: edits make them old. */
static void move_all(mote_network *to, const mote_network *from) {
    to->line_count = 0;
    for (uint32_t i = 0; i < to->block_count; i++) {
        mote_network_block *block = &to->block[i];
        const uint32_t old = block->first_line, first = to->line_count;
        for (uint32_t k = 0; k < block->line_count; k++) {
            copy_line(to, first + k, from, old + k);
            renumber(to, first + k, block->lanes);
        }
        for (uint32_t g = 0; g < block->groups && !block->lanes; g++)
            to->group[block->first / MOTE_GROUP + g].first_line += first - old;
        block->first_line = first;
        to->line_count += block->line_capacity;
    }
}

mote_result mote_network_reserve_packets(mote_network *network, uint64_t more, bool unit_responses,
                                         const mote_allocator *allocator) {
    uint64_t wanted = more;
    if (network->line_count + more <= network->line_capacity && network->line_memory) return MOTE_OK;
    for (uint32_t i = 0; i < network->block_count; i++) wanted += network->block[i].line_capacity;
    if (network->line_memory && wanted + wanted / 8 <= MOST_LINES) wanted += wanted / 8;
    if (wanted > MOST_LINES) return MOTE_ERROR_OVERFLOW;
    mote_network moved = *network;
    const uint64_t bytes = lay_out(&moved, NULL, wanted, unit_responses);
    if (bytes > SIZE_MAX / 2) return MOTE_ERROR_OVERFLOW;
    moved.line_bytes = (size_t)bytes;
    moved.line_memory = mote_allocate(allocator, moved.line_bytes);
    if (!moved.line_memory) return MOTE_ERROR_MEMORY;
    lay_out(&moved, moved.line_memory, wanted, unit_responses);
    memset(moved.line_memory, 0, moved.line_bytes);
    memset(moved.entry_spring, 0xff, (size_t)wanted * MOTE_GROUP * sizeof *moved.entry_spring);
    moved.line_capacity = (uint32_t)wanted;
    move_all(&moved, network);
    mote_release(allocator, network->line_memory, network->line_bytes);
    *network = moved;
    return MOTE_OK;
}

void mote_network_move_packets(mote_network *network, uint32_t block, uint32_t capacity) {
    mote_network_block *b = &network->block[block];
    for (uint32_t i = 0; i < b->line_count; i++) mote_network_clear_packet(network, b->first_line + i);
    b->first_line = network->line_count;
    b->line_count = 0;
    b->line_capacity = capacity;
    network->line_count += capacity;
}
