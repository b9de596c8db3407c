/* What travels in a network: pinned particles and springs that are reeled. Arrays sorted by block, and each
 * block's part. */
#include <string.h>

#include "base/allocator.h"
#include "contacts/motion.h"
#include "networks/layout_plan.h"

/* --- Pins --- */

/* The place of the first pin at `slot` or behind. */
static uint32_t place_of_pin(const mote_network *network, uint32_t slot) {
    uint32_t low = 0, high = network->pin_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (network->pins[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_pin(const mote_network *network, uint32_t place, uint32_t slot) {
    return place < network->pin_count && network->pins[place].slot == slot;
}

/* After `slot` gained or lost its pin at `place`: where each block's pins begin. Blocks without any have 0
 * and 0. */
static void number_pins(mote_network *network, uint32_t slot, uint32_t place, bool gained) {
    mote_network_block *edited = &network->block[mote_network_block_of(network, slot)];
    if (gained && edited->pin_count++ == 0) edited->first_pin = place;
    if (!gained && --edited->pin_count == 0) edited->first_pin = 0;
    uint32_t i = edited->pin_count ? edited->first_pin + edited->pin_count : place;
    while (i < network->pin_count) {
        mote_network_block *block = &network->block[mote_network_block_of(network, network->pins[i].slot)];
        block->first_pin = i;
        i += block->pin_count;
    }
}

static mote_result reserve_pins(mote_network *network, const mote_allocator *allocator) {
    if (!network->pins)
        network->pins = mote_allocate(allocator, MOTE_MAX_NETWORK_PINS * sizeof *network->pins);
    return network->pins ? MOTE_OK : MOTE_ERROR_MEMORY;
}

static void weigh(mote_network *network, uint32_t slot, float inverse_mass) {
    network->inverse_mass[slot] = inverse_mass;
    network->bound_is_old = network->responses_are_old = network->aggregates.old = true;
}

mote_result mote_network_add_pin(mote_network *network, uint32_t slot, const float target[3], uint64_t now,
                                 uint64_t tick, const mote_allocator *allocator) {
    const uint32_t place = place_of_pin(network, slot);
    const bool is_new = !is_pin(network, place, slot);
    if (is_new && network->pin_count == MOTE_MAX_NETWORK_PINS) return MOTE_ERROR_CAPACITY;
    mote_result result = reserve_pins(network, allocator);
    if (result) return result;
    mote_network_pin_state *pin = network->pins + place;
    if (is_new) memmove(pin + 1, pin, (network->pin_count++ - place) * sizeof *pin);
    *pin = (mote_network_pin_state){
        .slot = slot, .from_tick = now, .to_tick = tick, .pending = tick == MOTE_NEXT_ADVANCE};
    for (int axis = 0; axis < 3; axis++) {
        pin->from[axis] = network->x[axis][slot];
        pin->to[axis] = target[axis];
    }
    if (!is_new) return MOTE_OK;
    number_pins(network, slot, place, true);
    weigh(network, slot, 0);
    return MOTE_OK;
}

mote_result mote_network_remove_pin(mote_network *network, uint32_t slot) {
    const uint32_t place = place_of_pin(network, slot);
    if (!is_pin(network, place, slot)) return MOTE_ERROR_RANGE;
    mote_network_pin_state *pin = network->pins + place;
    memmove(pin, pin + 1, (--network->pin_count - place) * sizeof *pin);
    number_pins(network, slot, place, false);
    weigh(network, slot, network->own_inverse_mass[slot]);
    for (int axis = 0; axis < 3; axis++) network->reaction[axis][slot] = 0;
    return MOTE_OK;
}

/* --- Reels --- */

static bool precedes(const mote_network_reel_state *reel, uint32_t block, uint32_t number) {
    return reel->block < block || (reel->block == block && reel->spring < number);
}

/* The place of the first reel of spring `number` of `block` or behind. */
static uint32_t place_of_reel(const mote_network *network, uint32_t block, uint32_t number) {
    uint32_t low = 0, high = network->reel_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (precedes(&network->reels[middle], block, number))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_reel(const mote_network *network, uint32_t place, uint32_t number) {
    return place < network->reel_count && network->reels[place].spring == number;
}

/* Where each block's reels begin, from `place` on; `edited` is the block that gained or lost one there. */
static void number_reels(mote_network *network, uint32_t edited, uint32_t place, bool gained) {
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
    if (reel->pending) return reel->from;
    const float f = mote_motion_fraction(reel->from_tick, reel->to_tick, tick, 0);
    return f <= 0 ? reel->from : f < 1 ? reel->from + f * (reel->to - reel->from) : reel->to;
}

static mote_result reserve_reels(mote_network *network, const mote_allocator *allocator) {
    if (!network->reels) network->reels = mote_allocate(allocator, MOTE_MAX_REELS * sizeof *network->reels);
    return network->reels ? MOTE_OK : MOTE_ERROR_MEMORY;
}

mote_result mote_network_add_reel(mote_network *network, uint32_t number, float rest_length, uint64_t now,
                                  uint64_t tick, const mote_allocator *allocator) {
    if (network->reel_count == MOTE_MAX_REELS) mote_network_end_reels(network, now);
    const uint32_t block = mote_network_block_of(network, network->spring[number].a);
    const uint32_t place = place_of_reel(network, block, number);
    const bool is_new = !is_reel(network, place, number);
    if (is_new && network->reel_count == MOTE_MAX_REELS) return MOTE_ERROR_CAPACITY;
    mote_result result = reserve_reels(network, allocator);
    if (result) return result;
    mote_network_reel_state *reel = network->reels + place;
    const float from = is_new ? network->spring[number].rest_length : length_at(reel, now);
    if (is_new) memmove(reel + 1, reel, (network->reel_count++ - place) * sizeof *reel);
    *reel = (mote_network_reel_state){.spring = number,
                                      .block = block,
                                      .from = from,
                                      .to = rest_length + 0.0f,
                                      .from_tick = now,
                                      .to_tick = tick,
                                      .pending = tick == MOTE_NEXT_ADVANCE};
    if (is_new) number_reels(network, block, place, true);
    return MOTE_OK;
}

static void remove_reel(mote_network *network, uint32_t place) {
    mote_network_reel_state *reel = network->reels + place;
    const uint32_t block = reel->block;
    memmove(reel, reel + 1, (--network->reel_count - place) * sizeof *reel);
    number_reels(network, block, place, false);
}

void mote_network_drop_reel(mote_network *network, uint32_t number) {
    if (network->reel_count == 0) return;
    const uint32_t place =
        place_of_reel(network, mote_network_block_of(network, network->spring[number].a), number);
    if (is_reel(network, place, number)) remove_reel(network, place);
}

static bool has_arrived(const mote_network_reel_state *reel, uint64_t now) {
    return !reel->pending && reel->to_tick <= now;
}

void mote_network_end_reels(mote_network *network, uint64_t now) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < network->reel_count; i++) {
        mote_network_block *block = &network->block[network->reels[i].block];
        block->first_reel = block->reel_count = 0;
    }
    for (uint32_t i = 0; i < network->reel_count; i++) {
        const mote_network_reel_state reel = network->reels[i];
        if (has_arrived(&reel, now)) {
            network->spring[reel.spring].rest_length = reel.to;
            mote_network_store_spring(network, reel.spring);
            continue;
        }
        mote_network_block *block = &network->block[reel.block];
        if (block->reel_count++ == 0) block->first_reel = kept;
        network->reels[kept++] = reel;
    }
    network->reel_count = kept;
}

void mote_network_resolve(mote_network *network, uint64_t end_tick) {
    network->torn_count = 0;
    for (uint32_t i = 0; i < network->pin_count; i++) {
        if (network->pins[i].pending) network->pins[i].to_tick = end_tick;
        network->pins[i].pending = false;
    }
    for (uint32_t i = 0; i < network->reel_count; i++) {
        if (network->reels[i].pending) network->reels[i].to_tick = end_tick;
        network->reels[i].pending = false;
    }
}
