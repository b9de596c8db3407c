/* State of networks and strands in the host's numbering: packed vectors in place of columns by slot. */
#include <mote/network.h>
#include <mote/strands.h>

#include "networks/network.h"
#include "strands/strands.h"
#include "system/internal.h"

/* Slots of consecutive points in the host's numbering: `count` of them, `step` apart. */
typedef struct slot_run {
    const uint32_t *slots; /* NULL: first, first + step, ... */
    uint32_t first, step, count;
} slot_run;

static uint32_t slot_at(const slot_run *run, uint32_t i) {
    return run->slots ? run->slots[i] : run->first + run->step * i;
}

/* Run of particles [first, first + count) of a network. */
static slot_run particles_of(const mote_network *network, uint32_t first, uint32_t count) {
    return (slot_run){.slots = network->slot_of_particle + first, .count = count};
}

/* Run of the points of a strand. */
static slot_run points_of(const mote_strands *strands, uint32_t strand) {
    const uint32_t lane = strands->lane_of_strand[strand];
    return (slot_run){.first = mote_strands_slot_of(strands, lane, 0),
                      .step = MOTE_GROUP,
                      .count = (uint32_t)strands->points[lane]};
}

static bool is_part(uint32_t first, uint32_t count, uint32_t all) {
    return first <= all && count <= all - first;
}

/* Packs a column triple; NULL `to`: does nothing. */
static void pack(float *const column[3], const slot_run *run, float *to) {
    for (uint32_t i = 0; to && i < run->count; i++)
        for (int axis = 0; axis < 3; axis++) to[3 * (size_t)i + (size_t)axis] = column[axis][slot_at(run, i)];
}

static void unpack(float *const column[3], const slot_run *run, const float *from) {
    for (uint32_t i = 0; from && i < run->count; i++)
        for (int axis = 0; axis < 3; axis++)
            column[axis][slot_at(run, i)] = from[3 * (size_t)i + (size_t)axis];
}

static bool is_finite(const float *vectors, size_t count) {
    for (size_t i = 0; vectors && i < count; i++)
        if (!mote_vector_is_finite(vectors + 3 * i)) return false;
    return true;
}

/* --- Networks --- */

/* Finds a network that has the particles. Errors: NULL, BUSY, ID, RANGE. */
static mote_result find_particles(const mote_system *system, mote_network_id id, uint32_t first,
                                  uint32_t count, mote_network **network) {
    mote_range *range;
    const mote_result result = mote_system_edit_range(system, MOTE_KIND_NETWORK, MOTE_ID(id), &range);
    if (result) return result;
    *network = mote_network_of(range);
    return is_part(first, count, (*network)->particle_count) ? MOTE_OK : MOTE_ERROR_RANGE;
}

mote_result mote_network_state(const mote_system *system, mote_network_id id, uint32_t first, uint32_t count,
                               float *positions, float *velocities) {
    mote_network *network;
    const mote_result result = find_particles(system, id, first, count, &network);
    if (result) return result;
    const slot_run run = particles_of(network, first, count);
    pack(network->range.x, &run, positions);
    pack(network->range.v, &run, velocities);
    return MOTE_OK;
}

mote_result mote_network_set_state(mote_system *system, mote_network_id id, uint32_t first, uint32_t count,
                                   const float *positions, const float *velocities) {
    mote_network *network;
    const mote_result result = find_particles(system, id, first, count, &network);
    if (result) return result;
    if (!is_finite(positions, count) || !is_finite(velocities, count)) return MOTE_ERROR_NOT_FINITE;
    const slot_run run = particles_of(network, first, count);
    unpack(network->range.x, &run, positions);
    unpack(network->range.v, &run, velocities);
    return MOTE_OK;
}

/* --- Strands --- */

/* Finds strands that have those from `first` on. Errors: NULL, BUSY, ID, RANGE. */
static mote_result find_strands(const mote_system *system, mote_strands_id id, uint32_t first, uint32_t count,
                                mote_strands **strands) {
    mote_range *range;
    const mote_result result = mote_system_edit_range(system, MOTE_KIND_STRANDS, MOTE_ID(id), &range);
    if (result) return result;
    *strands = mote_strands_of(range);
    return is_part(first, count, (*strands)->strand_count) ? MOTE_OK : MOTE_ERROR_RANGE;
}

mote_result mote_strands_state(const mote_system *system, mote_strands_id id, uint32_t first, uint32_t count,
                               float *positions, float *velocities) {
    mote_strands *strands;
    const mote_result result = find_strands(system, id, first, count, &strands);
    if (result) return result;
    for (uint32_t i = 0; i < count; i++) {
        const slot_run run = points_of(strands, first + i);
        const size_t at = 3 * (size_t)(strands->first_point[first + i] - strands->first_point[first]);
        pack(strands->range.x, &run, positions ? positions + at : NULL);
        pack(strands->range.v, &run, velocities ? velocities + at : NULL);
    }
    return MOTE_OK;
}

mote_result mote_strands_set_state(mote_system *system, mote_strands_id id, uint32_t first, uint32_t count,
                                   const float *positions, const float *velocities) {
    mote_strands *strands;
    const mote_result result = find_strands(system, id, first, count, &strands);
    if (result) return result;
    const uint32_t base = strands->first_point[first], points = strands->first_point[first + count] - base;
    if (!is_finite(positions, points) || !is_finite(velocities, points)) return MOTE_ERROR_NOT_FINITE;
    for (uint32_t i = 0; i < count; i++) {
        const slot_run run = points_of(strands, first + i);
        const size_t at = 3 * (size_t)(strands->first_point[first + i] - base);
        unpack(strands->range.x, &run, positions ? positions + at : NULL);
        unpack(strands->range.v, &run, velocities ? velocities + at : NULL);
    }
    return MOTE_OK;
}
