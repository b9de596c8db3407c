/* Networks: construction. The layout plan assigns the places; columns, springs and packets are filled by
 * it. */
#include "networks/network.h"

#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "base/isa.h"
#include "networks/kernels.h"
#include "networks/layout_plan.h"
#include "stage/low_part.h"

MOTE_KERNEL_LOOKUP(mote_network_kernels, mote_network_kernels);

void mote_network_destroy(mote_range *range, const mote_allocator *allocator) {
    mote_network *network = mote_network_of(range);
    mote_release(allocator, network->halo.memory, network->halo.bytes);
    mote_pins_destroy(&network->reels, allocator);
    mote_pins_destroy(&network->range.pins, allocator);
    mote_release(allocator, network->linked_scratch, network->linked_bytes);
    mote_release(allocator, network->packet_memory, network->packet_bytes);
    mote_release(allocator, network->memory, network->bytes);
    mote_release(allocator, network, sizeof *network);
}

uint32_t mote_network_block_of(const mote_network *network, uint32_t slot) {
    return mote_run_with(&network->block->first, sizeof *network->block, network->block_count, slot);
}

/* --- Memory --- */

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

static void take_places(mote_arena *a, mote_network *network, bool interpolates) {
    const uint64_t slots = network->range.slot_count;
    for (int axis = 0; axis < 3; axis++) {
        if (interpolates) network->previous_low[axis] = mote_arena_take(a, slots, sizeof(float));
        network->relative_x[axis] = mote_arena_take(a, slots, sizeof(float));
        network->origin[axis] = mote_arena_take(a, slots, sizeof(float));
        network->step_origin[axis] = mote_arena_take(a, slots, sizeof(float));
    }
    network->component = mote_arena_take(a, slots, sizeof(uint32_t));
    network->run_end = mote_arena_take(a, slots, sizeof(uint32_t));
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

/* Assigns each column its place in network->memory; if that is NULL, only measures. Returns the bytes. */
static uint64_t place_columns(mote_network *network, bool interpolates) {
    mote_arena a = {network->memory, 0};
    take_slots(&a, network, interpolates);
    network->frozen = mote_arena_take(&a, network->island_count, sizeof(uint8_t));
    network->island_size = mote_arena_take(&a, network->island_count, sizeof(uint32_t));
    network->island_mark = mote_arena_take(&a, network->island_count, sizeof(uint32_t));
    if (network->def.solver == MOTE_NETWORK_CONSTRAINED) {
        network->chunk_first = mote_arena_take(&a, network->group_count, sizeof(uint32_t));
        network->chunk_end = mote_arena_take(&a, network->group_count, sizeof(uint32_t));
        network->island_chunk = mote_arena_take(&a, (uint64_t)network->island_count + 1, sizeof(uint32_t));
        take_aggregates(&a, network);
        take_places(&a, network, interpolates);
    }
    network->block = mote_arena_take(&a, network->block_count, sizeof(mote_network_block));
    network->range.pins.run = mote_arena_take(&a, network->block_count, sizeof(mote_pin_run));
    network->reels.run = mote_arena_take(&a, network->block_count, sizeof(mote_pin_run));
    network->group = mote_arena_take(&a, network->group_count, sizeof(mote_network_group));
    network->spring = mote_arena_take(&a, network->def.spring_capacity, sizeof(mote_network_spring_state));
    network->torn = mote_arena_take(&a, network->def.spring_capacity, sizeof(uint32_t));
    return a.bytes;
}

/* --- Blocks --- */

/* Blocks follow each other without gaps. */
static void fill_blocks(mote_network *network, const mote_network_layout_plan *s) {
    for (uint32_t i = 0; i < network->block_count; i++)
        network->block[i] = (mote_network_block){.first = MOTE_NO_SLOT};
    for (uint32_t island = 0; island < s->island_count; island++) {
        mote_network_block *block = &network->block[s->block[island]];
        const uint32_t more = s->stride[island] == 1 ? (s->particles[island] - 1) / MOTE_NETWORK_BLOCK : 0;
        if (s->slot[island] < block->first) block->first = s->slot[island];
        block->interleaved = s->stride[island] != 1;
        block->outer = more > 0;
        for (uint32_t i = 1; i <= more; i++)
            block[i] = (mote_network_block){.first = block->first + i * MOTE_NETWORK_BLOCK, .outer = true};
        network->has_outer |= more > 0;
    }
    for (uint32_t i = 0; i < network->block_count; i++) {
        const uint32_t end =
            i + 1 < network->block_count ? network->block[i + 1].first : network->range.slot_count;
        network->block[i].groups = (end - network->block[i].first) / MOTE_GROUP;
    }
}

/* --- Particles --- */

static void fill_particle(mote_network *network, const mote_network_def *def, uint32_t particle,
                          uint32_t slot) {
    network->slot_of_particle[particle] = slot;
    network->particle_of_slot[slot] = particle;
    const float *x = def->positions + 3 * (size_t)particle,
                *v = def->velocities ? def->velocities + 3 * (size_t)particle : NULL;
    for (int axis = 0; axis < 3; axis++) {
        network->range.x[axis][slot] = x[axis];
        network->range.v[axis][slot] = v ? v[axis] : 0;
    }
    if (network->range.previous_x[0]) network->range.previous_x[0][slot] = mote_marker();
    const float inverse_mass =
        (float)(1.0 / (double)(def->particle_mass ? def->particle_mass[particle] : def->mass));
    network->range.inverse_mass[slot] = network->own_inverse_mass[slot] = inverse_mass;
    if (particle == 0) network->uniform_inverse_mass = inverse_mass;
    if (inverse_mass != network->uniform_inverse_mass) network->uniform_inverse_mass = 0;
}

static void fill_particles(mote_network *network, const mote_network_def *def,
                           const mote_network_layout_plan *s) {
    memset(network->particle_of_slot, 0xff, network->range.slot_count * sizeof *network->particle_of_slot);
    memset(network->head, 0xff, network->range.slot_count * sizeof *network->head);
    for (uint32_t slot = 0; slot < network->range.slot_count; slot++) network->ring[slot] = slot;
    for (uint32_t i = 0; i < network->particle_count; i++) {
        const uint32_t island = s->island[i], first = s->slot[island], stride = s->stride[island];
        const uint32_t slot = first + s->rank[i] * stride;
        fill_particle(network, def, i, slot);
        network->island[slot] = island;
        network->ring[slot] = s->rank[i] + 1 < s->particles[island] ? slot + stride : first;
    }
    memcpy(network->island_size, s->particles, network->island_count * sizeof *network->island_size);
}

/* --- Springs --- */

/* Adding +0 turns -0 into +0. */
void mote_network_create_spring(mote_network *network, uint32_t number, const mote_spring *from,
                                float length) {
    network->spring[number] = (mote_network_spring_state){.a = network->slot_of_particle[from->a],
                                                          .b = network->slot_of_particle[from->b],
                                                          .rest_length = length + 0.0f,
                                                          .stiffness = from->stiffness + 0.0f,
                                                          .damping = from->damping + 0.0f,
                                                          .tear_strain = from->tear_strain + 0.0f,
                                                          .entry = {MOTE_NO_ITEM, MOTE_NO_ITEM}};
}

/* Links the springs at the heads of their ends' lists in descending order, so that the lists ascend. */
void mote_network_list_springs(mote_network *network, uint32_t end) {
    for (uint32_t i = end; i-- > 0;) {
        mote_network_spring_state *s = &network->spring[i];
        if (s->a == MOTE_NO_SLOT) continue;
        s->next[0] = network->head[s->a];
        s->next[1] = network->head[s->b];
        network->head[s->a] = network->head[s->b] = i;
    }
}

static void fill_springs(mote_network *network, const mote_network_def *def) {
    for (uint32_t i = def->spring_count; i < network->def.spring_capacity; i++)
        network->spring[i] = (mote_network_spring_state){.a = MOTE_NO_SLOT, .b = MOTE_NO_SLOT};
    for (uint32_t i = def->spring_count; i-- > 0;) {
        const mote_spring *from = &def->springs[i];
        const float *p = def->positions + 3 * (size_t)from->a, *q = def->positions + 3 * (size_t)from->b;
        const bool as_placed = from->rest_length == MOTE_AS_PLACED;
        mote_network_create_spring(network, i, from,
                                   as_placed ? mote_network_distance(p, q) : from->rest_length);
    }
    mote_network_list_springs(network, def->spring_count);
    network->spring_count = network->spring_end = network->first_free = def->spring_count;
}

/* --- Packets --- */

uint64_t mote_network_packets_for(const mote_network *network, uint64_t packets) {
    const uint64_t more = network->def.spring_capacity - network->spring_count, now = network->spring_count;
    if (more == 0 || now == 0) return packets;
    return packets + (more < now ? (packets * more + now - 1) / now : packets);
}

/* Counts all blocks' packets and reserves them before any is written. */
static mote_result place_packets(mote_network *network, const mote_network_layout_plan *s,
                                 const mote_allocator *allocator) {
    uint64_t packets = 0;
    for (uint32_t i = 0; i < network->island_count; i++) { /* alike islands have equal numbers of springs */
        const uint32_t springs = s->first_spring[i + 1] - s->first_spring[i];
        const uint64_t capacity = mote_network_packets_for(network, springs);
        if (capacity > MOTE_NO_ITEM / MOTE_GROUP) return MOTE_ERROR_OVERFLOW;
        if (s->stride[i] != 1) network->block[s->block[i]].packet_capacity = (uint32_t)capacity;
    }
    for (uint32_t i = 0; i < network->block_count; i++) {
        mote_network_block *block = &network->block[i];
        const uint64_t capacity =
            block->interleaved
                ? block->packet_capacity
                : mote_network_packets_for(network, mote_network_count_sliced(network, i, NULL));
        if (packets + capacity > MOTE_NO_ITEM / MOTE_GROUP) return MOTE_ERROR_OVERFLOW;
        block->first_packet = (uint32_t)packets;
        block->packet_capacity = (uint32_t)capacity;
        packets += capacity;
    }
    return mote_network_reserve_packets(network, 0, allocator);
}

/* Fills interleaved packets in the order of the springs, each island from its own cursor on. */
static void write_packets(mote_network *network, const mote_network_layout_plan *s) {
    uint32_t *cursor = s->order;
    memset(cursor, 0, s->island_count * sizeof *cursor);
    for (uint32_t i = 0; i < network->spring_end; i++) {
        const uint32_t island = network->island[network->spring[i].a];
        if (s->stride[island] != 1)
            mote_network_write_interleaved(network, s->block[island], i, &cursor[island]);
    }
    for (uint32_t i = 0; i < network->block_count; i++)
        if (!network->block[i].interleaved) mote_network_write_sliced(network, i, NULL);
}

/* --- The network --- */

static mote_network network_of_plan(const mote_network_def *def, const mote_range_setup *setup,
                                    const mote_network_layout_plan *s) {
    mote_network network = {.def = *def,
                            .range = {.slot_count = s->slot_count, .pins = {.most = MOTE_MAX_NETWORK_PINS}},
                            .reels = {.most = MOTE_MAX_REELS},
                            .kernels = mote_network_kernels_for(setup->isa),
                            .particle_count = def->particle_count,
                            .block_count = s->block_count,
                            .group_count = s->slot_count / MOTE_GROUP,
                            .island_count = s->island_count,
                            .integrator = setup->integrator,
                            .edits = 1};
    if (network.def.spring_capacity < def->spring_count) network.def.spring_capacity = def->spring_count;
    network.def.positions = network.def.velocities = network.def.particle_mass = NULL;
    network.def.springs = NULL;
    return network;
}

/* Allocates the network's columns and fills them. */
static mote_result build(mote_network *network, const mote_network_def *def, const mote_range_setup *setup,
                         const mote_network_layout_plan *s) {
    mote_result result = mote_arena_allocate(place_columns(network, setup->interpolates), &setup->allocator,
                                             &network->memory, &network->bytes);
    if (result) return result;
    place_columns(network, setup->interpolates);
    memset(network->memory, 0, network->bytes);
    fill_blocks(network, s);
    fill_particles(network, def, s);
    fill_springs(network, def);
    result = place_packets(network, s, &setup->allocator);
    if (result) return result;
    write_packets(network, s);
    mote_network_find_chunks(network);
    network->signature = mote_network_signature(network);
    return MOTE_OK;
}

static mote_result make(const mote_network_def *def, const mote_range_setup *setup,
                        const mote_network_layout_plan *s, mote_network **network) {
    mote_network *made = mote_allocate(&setup->allocator, sizeof *made);
    if (!made) return MOTE_ERROR_MEMORY;
    *made = network_of_plan(def, setup, s);
    const mote_result result = build(made, def, setup, s);
    if (result)
        mote_network_destroy(&made->range, &setup->allocator);
    else
        *network = made;
    return result;
}

/* Finds the first spring that gains energy at every step size, where the def does not allow it. */
static mote_result check_growth(const mote_network_def *def, mote_integrator integrator,
                                mote_network_fault *fault) {
    for (uint32_t i = 0; i < def->spring_count && !def->growth_allowed; i++)
        if (mote_network_grows(integrator, def->solver, &def->springs[i])) {
            fault->spring = i, fault->parameter = "damping";
            return MOTE_ERROR_STABILITY;
        }
    return MOTE_OK;
}

mote_result mote_network_make(const mote_network_def *def, const mote_range_setup *setup,
                              mote_network **network, mote_network_fault *fault) {
    mote_network_layout_plan plan;
    *network = NULL;
    mote_result result = mote_network_check(def, fault);
    if (result == MOTE_OK) result = check_growth(def, setup->integrator, fault);
    if (result == MOTE_OK) result = mote_network_layout_plan_make(&plan, def, &setup->allocator, fault);
    if (result) return result;
    result = make(def, setup, &plan, network);
    mote_network_layout_plan_destroy(&plan, &setup->allocator);
    return result;
}
