/* Memory layout of a network's columns. */
#include "base/arena.h"
#include "networks/layout_plan.h"

static void take_slots(mote_arena *a, mote_network *network, bool interpolates) {
    const uint64_t slots = network->range.slot_count;
    for (int axis = 0; axis < 3; axis++) network->range.x[axis] = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++) network->range.v[axis] = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3 && interpolates; axis++)
        network->range.previous_x[axis] = mote_arena_take(a, slots, sizeof(float));
    network->range.inverse_mass = mote_arena_take(a, slots, sizeof(float));
    network->own_inverse_mass = mote_arena_take(a, slots, sizeof(float));
    for (int axis = 0; axis < 3; axis++)
        network->range.reaction[axis] = mote_arena_take(a, slots, sizeof(float));
    network->island = mote_arena_take(a, slots, sizeof(uint32_t));
    network->head = mote_arena_take(a, slots, sizeof(uint32_t));
    network->ring = mote_arena_take(a, slots, sizeof(uint32_t));
    network->particle_of_slot = mote_arena_take(a, slots, sizeof(uint32_t));
    network->slot_of_particle = mote_arena_take(a, network->particle_count, sizeof(uint32_t));
}

static void take_aggregates(mote_arena *a, mote_network *network) {
    mote_network_aggregates *of = &network->aggregates;
    const uint64_t slots = network->range.slot_count;
    of->of_slot = mote_arena_take(a, slots, sizeof(uint32_t));
    of->parent = mote_arena_take(a, slots, sizeof(uint32_t));
    of->child = mote_arena_take(a, slots * MOTE_AGGREGATE_CHILDREN, sizeof(uint32_t));
    of->value = mote_arena_take(a, slots * 4, sizeof(float));
    of->block = mote_arena_take(a, slots * 12, sizeof(float));
    of->partial = mote_arena_take(a, slots, sizeof(float));
    of->size = mote_arena_take(a, network->group_count, sizeof(uint32_t));
    of->first = mote_arena_take(a, network->island_count, sizeof(uint32_t));
    of->levels = mote_arena_take(a, network->island_count, sizeof(uint32_t));
    of->sparse = mote_arena_take(a, network->island_count, sizeof(double));
}

uint64_t mote_network_place_columns(mote_network *network, bool interpolates) {
    mote_arena a = {network->memory, 0};
    take_slots(&a, network, interpolates);
    network->frozen = mote_arena_take(&a, network->island_count, sizeof(uint8_t));
    network->island_size = mote_arena_take(&a, network->island_count, sizeof(uint32_t));
    if (network->def.solver == MOTE_NETWORK_CONSTRAINED) {
        network->chunk_first = mote_arena_take(&a, network->group_count, sizeof(uint32_t));
        network->chunk_end = mote_arena_take(&a, network->group_count, sizeof(uint32_t));
        network->island_chunk = mote_arena_take(&a, (uint64_t)network->island_count + 1, sizeof(uint32_t));
        take_aggregates(&a, network);
    }
    network->block = mote_arena_take(&a, network->block_count, sizeof(mote_network_block));
    network->range.pins.run = mote_arena_take(&a, network->block_count, sizeof(mote_pin_run));
    network->group = mote_arena_take(&a, network->group_count, sizeof(mote_network_group));
    network->spring = mote_arena_take(&a, network->def.spring_capacity, sizeof(mote_network_spring_state));
    network->torn = mote_arena_take(&a, network->def.spring_capacity, sizeof(uint32_t));
    return a.bytes;
}
