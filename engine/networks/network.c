/* Networks: making. The survey says where everything lies; columns, springs and lines are filled by it. */
#include "networks/network.h"

#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "networks/layout_plan.h"

void mote_network_destroy(mote_network *network, const mote_allocator *allocator) {
    mote_release(allocator, network->reels, MOTE_MAX_REELS * sizeof *network->reels);
    mote_release(allocator, network->pins, MOTE_MAX_NETWORK_PINS * sizeof *network->pins);
    mote_release(allocator, network->line_memory, network->line_bytes);
    mote_release(allocator, network->memory, network->bytes);
}

uint32_t mote_network_block_of(const mote_network *network, uint32_t slot) {
    uint32_t low = 0, high = network->block_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (network->block[middle].first <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
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
        block->lanes = s->stride[island] != 1;
        block->outer = more > 0;
        for (uint32_t i = 1; i <= more; i++)
            block[i] = (mote_network_block){.first = block->first + i * MOTE_NETWORK_BLOCK, .outer = true};
        network->has_outer |= more > 0;
    }
    for (uint32_t i = 0; i < network->block_count; i++) {
        const uint32_t end = i + 1 < network->block_count ? network->block[i + 1].first : network->slot_count;
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
        network->x[axis][slot] = x[axis];
        network->v[axis][slot] = v ? v[axis] : 0;
    }
    if (network->previous_x[0]) network->previous_x[0][slot] = NAN;
    const float inverse_mass =
        (float)(1.0 / (double)(def->masses ? def->masses[particle] : def->particle_mass));
    network->inverse_mass[slot] = network->own_inverse_mass[slot] = inverse_mass;
    if (particle == 0) network->uniform_inverse_mass = inverse_mass;
    if (inverse_mass != network->uniform_inverse_mass) network->uniform_inverse_mass = 0;
}

static void fill_particles(mote_network *network, const mote_network_def *def,
                           const mote_network_layout_plan *s) {
    memset(network->particle_of_slot, 0xff, network->slot_count * sizeof *network->particle_of_slot);
    memset(network->head, 0xff, network->slot_count * sizeof *network->head);
    for (uint32_t slot = 0; slot < network->slot_count; slot++) network->ring[slot] = slot;
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

/* Adding +0 makes a zero of -0. */
static void fill_spring(mote_network *network, const mote_network_def *def, uint32_t number) {
    const mote_spring *from = &def->springs[number];
    const float *p = def->positions + 3 * (size_t)from->a, *q = def->positions + 3 * (size_t)from->b;
    const float length =
        from->rest_length == MOTE_AS_PLACED ? mote_network_distance(p, q) : from->rest_length;
    network->spring[number] = (mote_network_spring_state){.a = network->slot_of_particle[from->a],
                                                          .b = network->slot_of_particle[from->b],
                                                          .rest_length = length + 0.0f,
                                                          .stiffness = from->stiffness + 0.0f,
                                                          .damping = from->damping + 0.0f,
                                                          .tear_strain = from->tear_strain + 0.0f};
    network->damped |= from->damping > 0;
    network->tears |= from->tear_strain > 0;
    network->rigid |= from->stiffness == __builtin_inff();
}

/* The last is the first to be put at the head of its ends' lists. */
static void fill_springs(mote_network *network, const mote_network_def *def) {
    for (uint32_t i = def->spring_count; i < network->def.spring_capacity; i++)
        network->spring[i] = (mote_network_spring_state){.a = MOTE_NO_SLOT, .b = MOTE_NO_SLOT};
    for (uint32_t i = def->spring_count; i-- > 0;) {
        fill_spring(network, def, i);
        mote_network_spring_state *s = &network->spring[i];
        s->next[0] = network->head[s->a];
        s->next[1] = network->head[s->b];
        network->head[s->a] = network->head[s->b] = i;
    }
    network->spring_count = network->spring_end = network->first_free = def->spring_count;
}

/* --- Lines --- */

/* Room for springs to come, in proportion; at most as much again. */
static uint64_t room_for(const mote_network *network, uint64_t lines) {
    const uint64_t more = network->def.spring_capacity - network->spring_count, now = network->spring_count;
    if (more == 0 || now == 0) return lines;
    return lines + (more < now ? (lines * more + now - 1) / now : lines);
}

/* All blocks' lines are counted before any is written. */
static mote_result place_lines(mote_network *network, const mote_network_layout_plan *s, bool unit_responses,
                               const mote_allocator *allocator) {
    uint64_t lines = 0;
    for (uint32_t i = 0; i < network->island_count; i++) { /* alike islands have as many springs each */
        const uint32_t springs = s->first_spring[i + 1] - s->first_spring[i];
        const uint64_t room = room_for(network, springs);
        if (room > MOTE_NO_ITEM / MOTE_GROUP) return MOTE_ERROR_OVERFLOW;
        if (s->stride[i] != 1) network->block[s->block[i]].line_capacity = (uint32_t)room;
    }
    for (uint32_t i = 0; i < network->block_count; i++) {
        mote_network_block *block = &network->block[i];
        const uint64_t room = block->lanes ? block->line_capacity
                                           : room_for(network, mote_network_count_sliced(network, i, NULL));
        if (lines + room > MOTE_NO_ITEM / MOTE_GROUP) return MOTE_ERROR_OVERFLOW;
        block->first_line = (uint32_t)lines;
        block->line_capacity = (uint32_t)room;
        lines += room;
    }
    return mote_network_reserve_packets(network, 0, unit_responses, allocator);
}

/* Struts are filled in the order of the springs, whose islands each go on where they were. */
static void write_lines(mote_network *network, const mote_network_layout_plan *s) {
    uint32_t *cursor = s->order;
    memset(cursor, 0, s->island_count * sizeof *cursor);
    for (uint32_t i = 0; i < network->spring_end; i++) {
        const uint32_t island = network->island[network->spring[i].a];
        if (s->stride[island] != 1)
            mote_network_write_interleaved(network, s->block[island], i, &cursor[island]);
    }
    for (uint32_t i = 0; i < network->block_count; i++)
        if (!network->block[i].lanes) mote_network_write_sliced(network, i, NULL);
}

static mote_result fill(mote_network *network, const mote_network_def *def, const mote_network_layout_plan *s,
                        bool unit_responses, const mote_allocator *allocator) {
    memset(network->memory, 0, network->bytes);
    fill_blocks(network, s);
    fill_particles(network, def, s);
    fill_springs(network, def);
    mote_result result = place_lines(network, s, unit_responses, allocator);
    if (result) return result;
    write_lines(network, s);
    mote_network_find_chunks(network);
    return MOTE_OK;
}

/* --- All of it --- */

static mote_network sized(const mote_network_def *def, const mote_network_layout_plan *s) {
    mote_network network = {.def = *def,
                            .particle_count = def->particle_count,
                            .slot_count = s->slot_count,
                            .block_count = s->block_count,
                            .group_count = s->slot_count / MOTE_GROUP,
                            .island_count = s->island_count,
                            .bound_is_old = true,
                            .responses_are_old = true,
                            .aggregates = {.old = true}};
    if (network.def.spring_capacity < def->spring_count) network.def.spring_capacity = def->spring_count;
    network.def.positions = network.def.velocities = network.def.masses = NULL;
    network.def.springs = NULL;
    return network;
}

static mote_result build(mote_network *network, const mote_network_def *def,
                         const mote_network_layout_plan *s, bool interpolates, bool unit_responses,
                         const mote_allocator *allocator) {
    mote_network made = sized(def, s);
    const uint64_t bytes = mote_network_place_columns(&made, interpolates);
    if (bytes > SIZE_MAX / 2) return MOTE_ERROR_OVERFLOW;
    made.bytes = (size_t)bytes;
    made.memory = mote_allocate(allocator, made.bytes);
    if (!made.memory) return MOTE_ERROR_MEMORY;
    mote_network_place_columns(&made, interpolates);
    mote_result result = fill(&made, def, s, unit_responses, allocator);
    if (result)
        mote_network_destroy(&made, allocator);
    else
        *network = made;
    return result;
}

mote_result mote_network_make(mote_network *network, const mote_network_def *def, bool interpolates,
                              bool unit_responses, const mote_allocator *allocator,
                              mote_network_fault *fault) {
    mote_network_fault ignored;
    mote_network_layout_plan survey;
    if (!fault) fault = &ignored;
    mote_result result = mote_network_check(def, fault);
    if (result == MOTE_OK) result = mote_network_layout_plan_make(&survey, def, allocator, fault);
    if (result) return result;
    result = build(network, def, &survey, interpolates, unit_responses, allocator);
    mote_network_layout_plan_destroy(&survey, allocator);
    return result;
}
