/* Packets of networks: which springs of 16 neighbouring lanes share a packet, and their memory. Each block
 * has a run of packets with spare capacity; a block that exceeds it is relocated behind all others. */
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "networks/layout_plan.h"

/* --- One packet --- */

/* Sets the flags of the network that a spring needs. Written only when they change: steps copy reeled springs
 * on several threads, and the flags are set by then. */
static void set_flags(mote_network *network, const mote_network_spring_state *s) {
    if (s->damping > 0 && !network->damped) network->damped = true;
    if (s->tear_strain > 0 && !network->tears) network->tears = true;
    if (s->stiffness == __builtin_inff() && !network->rigid) network->rigid = true;
}

/* Every value of a spring reaches the packets here, when it is created and when it changes. */
static void copy_values(mote_network *network, uint32_t entry, const mote_network_spring_state *s) {
    set_flags(network, s);
    network->entry_length[entry] = s->rest_length;
    network->entry_stiffness[entry] = s->stiffness;
    network->entry_damping[entry] = s->damping;
}

static void set_entry(mote_network *network, uint32_t entry, uint32_t number, uint32_t other) {
    const mote_network_spring_state none = {.rest_length = 0};
    network->entry_spring[entry] = number;
    network->entry_other[entry] = other;
    copy_values(network, entry, number == MOTE_NO_ITEM ? &none : &network->spring[number]);
    for (int i = 0; i < 4 && network->entry_response[i]; i++) network->entry_response[i][entry] = 0;
}

/* Updates the flags and common values of a packet. Values are finite or +infinity and zeros are +0, so equal
 * values have equal bits. */
static void summarise(mote_network *network, uint32_t number) {
    mote_network_packet *packet = &network->packet[number];
    const float *length = network->entry_length + (size_t)number * MOTE_GROUP;
    const float *stiffness = network->entry_stiffness + (size_t)number * MOTE_GROUP;
    const float *damping = network->entry_damping + (size_t)number * MOTE_GROUP;
    const uint32_t first = packet->mask ? (uint32_t)__builtin_ctz(packet->mask) : 0; /* empty: zeros */
    packet->rest_length = length[first];
    packet->stiffness = stiffness[first];
    packet->damping = damping[first];
    packet->uniform = packet->even = true;
    packet->damped = false;
    for (uint32_t lane = first; lane < MOTE_GROUP; lane++) {
        if (!(packet->mask >> lane & 1)) continue;
        packet->damped |= damping[lane] > 0;
        packet->uniform &= stiffness[lane] == stiffness[first] && damping[lane] == damping[first];
        packet->even &= length[lane] == length[first];
    }
}

void mote_network_copy_spring(mote_network *network, uint32_t number) {
    const mote_network_spring_state *s = &network->spring[number];
    for (int end = 0; end < 2; end++) {
        copy_values(network, s->entry[end], s);
        summarise(network, s->entry[end] / MOTE_GROUP);
        if (s->entry[0] == s->entry[1]) break;
    }
}

void mote_network_clear_entries(mote_network *network, uint32_t number) {
    const mote_network_spring_state *s = &network->spring[number];
    for (int end = 0; end < 2; end++) {
        const uint32_t entry = s->entry[end], packet = entry / MOTE_GROUP, lane = entry % MOTE_GROUP;
        set_entry(network, entry, MOTE_NO_ITEM, network->packet[packet].self + lane);
        network->packet[packet].mask &= (uint16_t)~(1u << lane);
        summarise(network, packet);
        if (s->entry[0] == s->entry[1]) break;
    }
}

/* --- Sliced packets --- */

/* The next spring of each of the 16 slots of a lane group. */
typedef struct slice_cursor {
    uint32_t first;              /* slot of lane 0 */
    uint32_t spring[MOTE_GROUP]; /* MOTE_NO_ITEM: end of the list */
    int32_t offset[MOTE_GROUP];  /* slot of the other end - lane */
    uint16_t mask;               /* lanes with a next spring */
} slice_cursor;

static void set_spring(const mote_network *network, slice_cursor *f, uint32_t lane, uint32_t number) {
    f->spring[lane] = number;
    if (number == MOTE_NO_ITEM) {
        f->mask &= (uint16_t)~(1u << lane);
        return;
    }
    const mote_network_spring_state *s = &network->spring[number];
    f->offset[lane] = (int32_t)(s->a == f->first + lane ? s->b : s->a) - (int32_t)lane;
    f->mask |= (uint16_t)(1u << lane);
}

static slice_cursor cursor_of(const mote_network *network, uint32_t group) {
    slice_cursor f = {.first = group * MOTE_GROUP};
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++)
        set_spring(network, &f, lane, network->head[f.first + lane]);
    return f;
}

static void advance(const mote_network *network, slice_cursor *f, uint16_t mask) {
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        if (!(mask >> lane & 1)) continue;
        const uint32_t number = f->spring[lane];
        set_spring(network, f, lane, mote_network_next(network, number, f->first + lane));
    }
}

static uint16_t lanes_with(const slice_cursor *f, int32_t offset) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) mask |= (uint32_t)(f->offset[lane] == offset) << lane;
    return (uint16_t)(mask & f->mask);
}

/* Returns the largest set of lanes whose next springs have the same offset, so that the packet is contiguous;
 * of equal sets the one of the lowest offset. */
static uint16_t contiguous_lanes(const slice_cursor *f) {
    uint16_t best = 0, seen = 0;
    int best_count = 0;
    int32_t best_offset = 0;
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        if (!(f->mask >> lane & 1) || seen >> lane & 1) continue;
        const uint16_t mask = lanes_with(f, f->offset[lane]);
        const int count = __builtin_popcount(mask);
        seen |= mask;
        if (count < best_count || (count == best_count && f->offset[lane] > best_offset)) continue;
        best = mask, best_count = count, best_offset = f->offset[lane];
    }
    return best;
}

/* Returns the number of packets of a lane group. *align: packets are made contiguous. Where that takes more
 * than 1.25 degree + 2 packets, packet j holds spring j of each lane instead. */
static uint64_t count_group(const mote_network *network, uint32_t group, bool *align) {
    uint64_t degree = 0, packets = 0;
    for (slice_cursor f = cursor_of(network, group); f.mask; degree++) advance(network, &f, f.mask);
    const uint64_t limit = degree + degree / 4 + 2;
    for (slice_cursor f = cursor_of(network, group); f.mask && packets <= limit; packets++)
        advance(network, &f, contiguous_lanes(&f));
    *align = packets <= limit;
    return *align ? packets : degree;
}

/* Whether a lane group keeps its packets if they begin at `packet`; *seen counts the changes passed. */
static bool keeps_packets(const mote_network *network, uint32_t group, uint64_t packet,
                          const mote_network_changes *changes, uint32_t *seen) {
    const uint32_t before = *seen;
    if (!changes) return false;
    while (*seen < changes->count && changes->slot[*seen] / MOTE_GROUP == group) ++*seen;
    return *seen == before && network->group[group].first_packet == packet;
}

uint64_t mote_network_count_sliced(const mote_network *network, uint32_t block,
                                   const mote_network_changes *changes) {
    const mote_network_block *b = &network->block[block];
    uint64_t packet = b->first_packet;
    uint32_t seen = 0;
    bool align;
    for (uint32_t g = b->first / MOTE_GROUP; g < b->first / MOTE_GROUP + b->groups; g++)
        packet += keeps_packets(network, g, packet, changes, &seen) ? network->group[g].packet_count
                                                                    : count_group(network, g, &align);
    return packet - b->first_packet;
}

/* Writes a packet of the next springs of the lanes in the mask. */
static void write_sliced_packet(mote_network *network, uint32_t packet, const slice_cursor *f,
                                uint16_t mask) {
    const int32_t offset = f->offset[__builtin_ctz(mask)];
    const bool contiguous = (lanes_with(f, offset) & mask) == mask;
    network->packet[packet] = (mote_network_packet){
        .self = f->first, .other = contiguous ? offset : 0, .mask = mask, .contiguous = contiguous};
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++) {
        const uint32_t entry = packet * MOTE_GROUP + lane, slot = f->first + lane;
        const bool exists = mask >> lane & 1;
        const uint32_t other = exists ? (uint32_t)(f->offset[lane] + (int32_t)lane) : slot;
        set_entry(network, entry, exists ? f->spring[lane] : MOTE_NO_ITEM, other);
        if (exists)
            network->spring[f->spring[lane]].entry[mote_network_end_at(network, f->spring[lane], slot)] =
                entry;
    }
    summarise(network, packet);
}

static void clear_packet(mote_network *network, uint32_t packet) {
    network->packet[packet] = (mote_network_packet){.mask = 0};
    memset(network->entry_spring + (size_t)packet * MOTE_GROUP, 0xff,
           MOTE_GROUP * sizeof *network->entry_spring);
}

static void write_group(mote_network *network, uint32_t group, uint32_t packet) {
    bool align;
    network->group[group] = (mote_network_group){packet, (uint32_t)count_group(network, group, &align)};
    for (slice_cursor f = cursor_of(network, group); f.mask; packet++) {
        const uint16_t mask = align ? contiguous_lanes(&f) : f.mask;
        write_sliced_packet(network, packet, &f, mask);
        advance(network, &f, mask);
    }
}

/* Overwrites only packets behind the groups that are kept, and rebuilds them from the lists, not from
 * packets. */
void mote_network_write_sliced(mote_network *network, uint32_t block, const mote_network_changes *changes) {
    mote_network_block *b = &network->block[block];
    uint32_t packet = b->first_packet, seen = 0;
    for (uint32_t g = b->first / MOTE_GROUP; g < b->first / MOTE_GROUP + b->groups; g++) {
        if (!keeps_packets(network, g, packet, changes, &seen)) write_group(network, g, packet);
        packet += network->group[g].packet_count;
    }
    for (uint32_t old = packet; old < b->first_packet + b->packet_count; old++) clear_packet(network, old);
    b->packet_count = packet - b->first_packet;
}

/* --- Interleaved packets --- */

static void begin_interleaved(mote_network *network, uint32_t packet, uint32_t self, uint32_t other) {
    network->packet[packet] =
        (mote_network_packet){.self = self, .other = (int32_t)other, .contiguous = true};
    for (uint32_t lane = 0; lane < MOTE_GROUP; lane++)
        set_entry(network, packet * MOTE_GROUP + lane, MOTE_NO_ITEM, self + lane);
    summarise(network, packet);
}

void mote_network_write_interleaved(mote_network *network, uint32_t block, uint32_t number,
                                    uint32_t *cursor) {
    mote_network_block *b = &network->block[block];
    mote_network_spring_state *s = &network->spring[number];
    const uint32_t lane = s->a % MOTE_GROUP, end = b->first_packet + b->packet_count;
    uint32_t packet = b->first_packet + *cursor;
    while (packet < end && (network->packet[packet].self != s->a - lane ||
                            network->packet[packet].other != (int32_t)(s->b - lane)))
        packet++;
    if (packet == end) {
        begin_interleaved(network, packet, s->a - lane, s->b - lane);
        b->packet_count++;
    }
    s->entry[0] = s->entry[1] = packet * MOTE_GROUP + lane;
    set_entry(network, s->entry[0], number, s->b);
    network->packet[packet].mask |= (uint16_t)(1u << lane);
    summarise(network, packet);
    *cursor = packet + 1 - b->first_packet;
}

void mote_network_empty_interleaved(mote_network *network, uint32_t block) {
    const mote_network_block *b = &network->block[block];
    for (uint32_t i = b->first_packet; i < b->first_packet + b->packet_count; i++)
        begin_interleaved(network, i, network->packet[i].self, (uint32_t)network->packet[i].other);
}

/* --- Memory --- */

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

void mote_network_take_packets(mote_network *network, const mote_network *from,
                               const mote_allocator *allocator) {
    mote_release(allocator, network->packet_memory, network->packet_bytes);
    network->packet_memory = from->packet_memory, network->packet_bytes = from->packet_bytes;
    network->packet_count = from->packet_count, network->packet_capacity = from->packet_capacity;
    place_arrays(network, network->packet_memory, network->packet_capacity);
}

void mote_network_move_packets(mote_network *network, uint32_t block, uint32_t capacity) {
    mote_network_block *b = &network->block[block];
    for (uint32_t i = 0; i < b->packet_count; i++) clear_packet(network, b->first_packet + i);
    b->first_packet = network->packet_count;
    b->packet_count = 0;
    b->packet_capacity = capacity;
    network->packet_count += capacity;
}
