/* Pins and reels of a network. */
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
    const mote_result result = mote_pins_add(&range->pins, &pin, allocator);
    if (result == MOTE_OK && range->inverse_mass[slot] != 0) set_inverse_mass(network, slot, 0);
    return result;
}

mote_result mote_network_remove_pin(mote_network *network, uint32_t slot) {
    if (!mote_pins_remove(&network->range.pins, mote_network_block_of(network, slot), slot))
        return MOTE_ERROR_RANGE;
    set_inverse_mass(network, slot, network->own_inverse_mass[slot]);
    for (int axis = 0; axis < 3; axis++) network->range.reaction[axis][slot] = 0;
    return MOTE_OK;
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
        if (!mote_travel_has_arrived(&reel->travel, now)) continue;
        network->spring[reel->spring].rest_length = reel->to[0];
        mote_network_copy_spring(network, reel->spring);
    }
    mote_pins_remove_arrived(&network->reels, now);
}

void mote_network_resolve(mote_range *range, uint64_t end_tick) {
    mote_network *network = mote_network_of(range);
    network->torn_count = 0;
    mote_pins_resolve(&range->pins, end_tick);
    mote_pins_resolve(&network->reels, end_tick);
}
