/* State of networks and strands in the host's numbering: packed vectors in place of columns by slot. */
#include <mote/network.h>
#include <mote/strands.h>

#include "networks/network.h"
#include "strands/strands.h"
#include "system/internal.h"

/* Slots of the points of a particle run or of one strand: first, first + step, ..., or those of `slots`. */
typedef struct slot_run {
    const uint32_t *slots; /* NULL: none */
    uint32_t first, step, count;
} slot_run;

/* Part of an object in the host's numbering: particles of a network, as one run, or strands, one run each. */
typedef struct host_part {
    const mote_range *range;
    const mote_strands *strands; /* NULL: of a network */
    uint32_t first, runs, count; /* first particle or strand; runs; points of all runs */
} host_part;

static slot_run run_of(const host_part *part, uint32_t number) {
    if (!part->strands)
        return (slot_run){.slots = mote_const_network_of(part->range)->slot_of_particle + part->first,
                          .count = part->count};
    const uint32_t lane = part->strands->lane_of_strand[part->first + number];
    return (slot_run){.first = mote_strands_slot_of(part->strands, lane, 0),
                      .step = MOTE_GROUP,
                      .count = (uint32_t)part->strands->points[lane]};
}

static uint32_t slot_at(const slot_run *run, uint32_t i) {
    return run->slots ? run->slots[i] : run->first + run->step * i;
}

static bool is_part(uint32_t first, uint32_t count, uint32_t all) {
    return first <= all && count <= all - first;
}

/* Packs three columns; NULL `to`: does nothing. */
static void pack(const host_part *part, float *const column[3], float *to) {
    for (uint32_t r = 0; to && r < part->runs; r++) {
        const slot_run run = run_of(part, r);
        for (uint32_t i = 0; i < run.count; i++, to += 3)
            for (int axis = 0; axis < 3; axis++) to[axis] = column[axis][slot_at(&run, i)];
    }
}

static void unpack(const host_part *part, float *const column[3], const float *from) {
    for (uint32_t r = 0; from && r < part->runs; r++) {
        const slot_run run = run_of(part, r);
        for (uint32_t i = 0; i < run.count; i++, from += 3)
            for (int axis = 0; axis < 3; axis++) column[axis][slot_at(&run, i)] = from[axis];
    }
}

static bool is_finite(const float *vectors, size_t count) {
    for (size_t i = 0; vectors && i < count; i++)
        if (!mote_vector_is_finite(vectors + 3 * i)) return false;
    return true;
}

static mote_result read_state(const host_part *part, mote_result found, float *positions, float *velocities) {
    if (found) return found;
    pack(part, part->range->x, positions);
    pack(part, part->range->v, velocities);
    return MOTE_OK;
}

static mote_result write_state(const host_part *part, mote_result found, const float *positions,
                               const float *velocities) {
    if (found) return found;
    if (!is_finite(positions, part->count) || !is_finite(velocities, part->count))
        return MOTE_ERROR_NOT_FINITE;
    unpack(part, part->range->x, positions);
    unpack(part, part->range->v, velocities);
    return MOTE_OK;
}

/* Notes a state that was written: as words, each of the arrays that there is. */
static void note(const mote_system *system, mote_noted call, uint32_t index, const host_part *part,
                 const float *positions, const float *velocities) {
    const size_t bytes = 3 * (size_t)part->count * sizeof *positions;
    mote_system_note(system, call, index, part->first, positions, bytes);
    mote_system_note(system, call, index, part->first, velocities, bytes);
}

/* --- Networks --- */

/* Finds particles of a network. Errors: NULL, BUSY, ID, RANGE. */
static mote_result find_particles(const mote_system *system, mote_network_id id, uint32_t first,
                                  uint32_t count, host_part *part) {
    mote_range *range;
    const mote_result result = mote_system_edit_range(system, MOTE_KIND_NETWORK, MOTE_ID(id), &range);
    if (result) return result;
    *part = (host_part){.range = range, .first = first, .runs = 1, .count = count};
    return is_part(first, count, mote_const_network_of(range)->particle_count) ? MOTE_OK : MOTE_ERROR_RANGE;
}

mote_result mote_network_state(const mote_system *system, mote_network_id id, uint32_t first, uint32_t count,
                               float *positions, float *velocities) {
    host_part part;
    return read_state(&part, find_particles(system, id, first, count, &part), positions, velocities);
}

mote_result mote_network_set_state(mote_system *system, mote_network_id id, uint32_t first, uint32_t count,
                                   const float *positions, const float *velocities) {
    host_part part;
    const mote_result result =
        write_state(&part, find_particles(system, id, first, count, &part), positions, velocities);
    if (result == MOTE_OK) note(system, MOTE_NOTED_NETWORK_STATE, id.index, &part, positions, velocities);
    return result;
}

/* --- Strands --- */

/* Finds strands. Errors: NULL, BUSY, ID, RANGE. */
static mote_result find_strands(const mote_system *system, mote_strands_id id, uint32_t first, uint32_t count,
                                host_part *part) {
    mote_range *range;
    const mote_result result = mote_system_edit_range(system, MOTE_KIND_STRANDS, MOTE_ID(id), &range);
    if (result) return result;
    const mote_strands *strands = mote_strands_of(range);
    if (!is_part(first, count, strands->strand_count)) return MOTE_ERROR_RANGE;
    *part = (host_part){range, strands, first, count,
                        strands->first_point[first + count] - strands->first_point[first]};
    return MOTE_OK;
}

mote_result mote_strands_state(const mote_system *system, mote_strands_id id, uint32_t first, uint32_t count,
                               float *positions, float *velocities) {
    host_part part;
    return read_state(&part, find_strands(system, id, first, count, &part), positions, velocities);
}

mote_result mote_strands_set_state(mote_system *system, mote_strands_id id, uint32_t first, uint32_t count,
                                   const float *positions, const float *velocities) {
    host_part part;
    const mote_result result =
        write_state(&part, find_strands(system, id, first, count, &part), positions, velocities);
    if (result == MOTE_OK) note(system, MOTE_NOTED_STRANDS_STATE, id.index, &part, positions, velocities);
    return result;
}
