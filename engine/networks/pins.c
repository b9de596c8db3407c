/* Targets of a network: pinned particles and reeled springs, in arrays sorted by block, with the range of
 * each block. */
#include <string.h>

#include "base/allocator.h"
#include "networks/layout_plan.h"

/* --- Pins --- */

static void set_inverse_mass(mote_network *network, uint32_t slot, float inverse_mass) {
    network->range.inverse_mass[slot] = inverse_mass;
    mote_network_changed(network);
}

mote_result mote_network_add_pin(mote_network *network, uint32_t slot, const float target[3], uint64_t now,
                                 uint64_t tick, const mote_allocator *allocator) {
    mote_range *range = &network->range;
    mote_pin pin = {.slot = slot, .unit = mote_network_block_of(network, slot), .travel = {now, tick}};
    for (int axis = 0; axis < 3; axis++) pin.from[axis] = range->x[axis][slot], pin.to[axis] = target[axis];
    bool is_new;
    const mote_result result = mote_pins_add(&range->pins, pin, allocator, &is_new);
    if (result == MOTE_OK && is_new) set_inverse_mass(network, slot, 0);
    return result;
}

mote_result mote_network_remove_pin(mote_network *network, uint32_t slot) {
    if (!mote_pins_remove(&network->range.pins, slot)) return MOTE_ERROR_RANGE;
    set_inverse_mass(network, slot, network->own_inverse_mass[slot]);
    for (int axis = 0; axis < 3; axis++) network->range.reaction[axis][slot] = 0;
    return MOTE_OK;
}

/* --- Reels --- */

/* Returns the index of the first reel not before spring `number` of `block`: binary search. */
static uint32_t find_reel(const mote_network *network, uint32_t block, uint32_t number) {
    uint32_t low = 0, high = network->reel_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const mote_network_reel_state *reel = &network->reels[middle];
        if (reel->block < block || (reel->block == block && reel->spring < number))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_reel(const mote_network *network, uint32_t place, uint32_t number) {
    return place < network->reel_count && network->reels[place].spring == number;
}

/* Updates the ranges of the blocks from index `place` on; the block `edited` gained or lost a reel there. */
static void update_ranges(mote_network *network, uint32_t edited, uint32_t place, bool gained) {
    mote_network_block *block = &network->block[edited];
    if (gained && block->reel_count++ == 0) block->first_reel = place;
    if (!gained && --block->reel_count == 0) block->first_reel = 0;
    uint32_t i = block->reel_count ? block->first_reel + block->reel_count : place;
    while (i < network->reel_count) {
        block = &network->block[network->reels[i].block];
        block->first_reel = i;
        i += block->reel_count;
    }
}

static float length_at(const mote_network_reel_state *reel, uint64_t tick) {
    const float f = mote_travel_fraction(reel->travel.from_tick, reel->travel.to_tick, tick, 0);
    return mote_travel_between(reel->from, reel->to, f);
}

mote_result mote_network_add_reel(mote_network *network, uint32_t number, float rest_length, uint64_t now,
                                  uint64_t tick, const mote_allocator *allocator) {
    if (network->reel_count == MOTE_MAX_REELS) mote_network_end_reels(network, now);
    const uint32_t block = mote_network_block_of(network, network->spring[number].a);
    const uint32_t place = find_reel(network, block, number);
    const bool is_new = !is_reel(network, place, number);
    if (is_new && network->reel_count == MOTE_MAX_REELS) return MOTE_ERROR_CAPACITY;
    if (!network->reels) network->reels = mote_allocate(allocator, MOTE_MAX_REELS * sizeof *network->reels);
    if (!network->reels) return MOTE_ERROR_MEMORY;
    mote_network_reel_state *reel = network->reels + place;
    const float from = is_new ? network->spring[number].rest_length : length_at(reel, now);
    if (is_new) memmove(reel + 1, reel, (network->reel_count++ - place) * sizeof *reel);
    *reel = (mote_network_reel_state){
        .spring = number, .block = block, .from = from, .to = rest_length + 0.0f, .travel = {now, tick}};
    if (is_new) update_ranges(network, block, place, true);
    return MOTE_OK;
}

static void remove_reel(mote_network *network, uint32_t place) {
    mote_network_reel_state *reel = network->reels + place;
    const uint32_t block = reel->block;
    memmove(reel, reel + 1, (--network->reel_count - place) * sizeof *reel);
    update_ranges(network, block, place, false);
}

void mote_network_drop_reel(mote_network *network, uint32_t number) {
    if (network->reel_count == 0) return;
    const uint32_t place =
        find_reel(network, mote_network_block_of(network, network->spring[number].a), number);
    if (is_reel(network, place, number)) remove_reel(network, place);
}

void mote_network_end_reels(mote_network *network, uint64_t now) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < network->reel_count; i++) {
        mote_network_block *block = &network->block[network->reels[i].block];
        block->first_reel = block->reel_count = 0;
    }
    for (uint32_t i = 0; i < network->reel_count; i++) {
        const mote_network_reel_state reel = network->reels[i];
        if (mote_travel_has_arrived(&reel.travel, now)) {
            network->spring[reel.spring].rest_length = reel.to;
            mote_network_copy_spring(network, reel.spring);
            continue;
        }
        mote_network_block *block = &network->block[reel.block];
        if (block->reel_count++ == 0) block->first_reel = kept;
        network->reels[kept++] = reel;
    }
    network->reel_count = kept;
}

void mote_network_resolve(mote_range *range, uint64_t end_tick) {
    mote_network *network = mote_network_of(range);
    network->torn_count = 0;
    mote_pins_resolve(&range->pins, end_tick);
    for (uint32_t i = 0; i < network->reel_count; i++)
        mote_travel_resolve(&network->reels[i].travel.to_tick, end_tick);
}
