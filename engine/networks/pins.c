/* Pins and reels of a network. */
#include "networks/layout_plan.h"

/* --- Pins --- */

mote_result mote_network_add_pin(mote_network *network, uint32_t slot, const float target[3], uint64_t now,
                                 uint64_t tick, const mote_allocator *allocator) {
    mote_pin pin = {.slot = slot,
                    .unit = mote_network_block_of(network, slot),
                    .to = {target[0], target[1], target[2]},
                    .travel = {now, tick}};
    const bool is_new = network->range.inverse_mass[slot] != 0;
    mote_network_low_part(network, slot, pin.from_low);
    const mote_result result = mote_range_pin(&network->range, pin, allocator);
    if (result == MOTE_OK && is_new) mote_network_changed(network);
    return result;
}

mote_result mote_network_remove_pin(mote_network *network, uint32_t slot) {
    const mote_result result = mote_range_unpin(&network->range, mote_network_block_of(network, slot), slot,
                                                network->own_inverse_mass[slot]);
    if (result == MOTE_OK) mote_network_changed(network);
    return result;
}

/* --- Reels --- */

mote_result mote_network_add_reel(mote_network *network, uint32_t number, float rest_length, uint64_t now,
                                  uint64_t tick, const mote_allocator *allocator) {
    if (network->reels.count == network->reels.most) mote_network_end_reels(network, now);
    mote_pin reel = {.spring = number,
                     .unit = mote_network_block_of(network, network->spring[number].a),
                     .from = {network->spring[number].rest_length},
                     .to = {rest_length + 0.0f},
                     .travel = {now, tick}};
    const mote_pin *present = mote_pins_find(&network->reels, reel.unit, number);
    if (present) mote_pin_at(present, now, 0, reel.from);
    return mote_pins_add(&network->reels, &reel, allocator);
}

void mote_network_end_reels(mote_network *network, uint64_t now) {
    for (uint32_t i = 0; i < network->reels.count; i++) {
        const mote_pin *reel = &network->reels.pins[i];
        if (!mote_travel_has_arrived(reel->travel.from_tick, reel->travel.to_tick, now)) continue;
        network->spring[reel->spring].rest_length = reel->to[0];
        mote_network_copy_spring(network, reel->spring);
    }
    mote_pins_remove_arrived(&network->reels, now);
}

void mote_network_keep_arrivals(mote_range *range, uint64_t now) {
    mote_pins_keep_arrivals(&range->pins, now);
    mote_pins_keep_arrivals(&mote_network_of(range)->reels, now);
}

void mote_network_resolve(mote_range *range, uint64_t end_tick) {
    mote_network *network = mote_network_of(range);
    network->torn_count = 0;
    mote_pins_resolve(&range->pins, end_tick);
    mote_pins_resolve(&network->reels, end_tick);
}
