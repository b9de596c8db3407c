/* Calls for the networks of a system (mote/network.h), except edits of springs. */
#include <math.h>
#include <string.h>

#include <mote/network.h>

#include "networks/network.h"
#include "system/internal.h"

static const mote_network *find(const mote_system *system, mote_network_id id) {
    mote_range *range = mote_system_range(system, MOTE_KIND_NETWORK, MOTE_ID(id));
    return range ? mote_network_of(range) : NULL;
}

/* Finds a network for a call that is not allowed while the system is busy. Errors: NULL, BUSY, ID. */
static mote_result edit(const mote_system *system, mote_network_id id, mote_network **network) {
    mote_range *range;
    const mote_result result = mote_system_edit_range(system, MOTE_KIND_NETWORK, MOTE_ID(id), &range);
    if (result == MOTE_OK) *network = mote_network_of(range);
    return result;
}

/* --- Adding and removing --- */

static mote_result add(mote_system *system, const mote_network_def *def, mote_network_id *id,
                       mote_network_fault *fault) {
    const mote_range_setup setup = mote_system_setup(system);
    mote_network *network;
    mote_id added;
    mote_result result = mote_network_make(def, &setup, &network, fault);
    if (result == MOTE_OK) result = mote_system_add_range(system, MOTE_KIND_NETWORK, &network->range, &added);
    if (result == MOTE_OK) *id = network->id = (mote_network_id){added.index, added.generation};
    return result;
}

mote_result mote_system_add_network(mote_system *system, const mote_network_def *def, mote_network_id *id,
                                    mote_network_fault *fault) {
    mote_network_fault ignored;
    if (!fault) fault = &ignored;
    *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM};
    if (id) *id = (mote_network_id){0, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = mote_system_can_add_range(system, MOTE_KIND_NETWORK);
    if (result == MOTE_OK) result = add(system, def, id, fault);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_system_remove_network(mote_system *system, mote_network_id id) {
    return mote_system_remove_range(system, MOTE_KIND_NETWORK, MOTE_ID(id));
}

/* --- Views --- */

mote_network_view mote_network_columns(mote_system *system, mote_network_id id) {
    const mote_network *network = find(system, id);
    if (!network) return (mote_network_view){0};
    return (mote_network_view){.particle_count = network->particle_count,
                               .slot_count = network->range.slot_count,
                               .spring_count = network->spring_count,
                               .spring_capacity = network->def.spring_capacity,
                               .position = {network->range.x[0], network->range.x[1], network->range.x[2]},
                               .velocity = {network->range.v[0], network->range.v[1], network->range.v[2]},
                               .inverse_mass = network->range.inverse_mass,
                               .slot = network->slot_of_particle};
}

uint32_t mote_network_slot(const mote_system *system, mote_network_id id, uint32_t particle) {
    const mote_network *network = find(system, id);
    return network && particle < network->particle_count ? network->slot_of_particle[particle] : MOTE_NO_SLOT;
}

bool mote_network_frozen(const mote_system *system, mote_network_id id, uint32_t particle) {
    const uint32_t slot = mote_network_slot(system, id, particle);
    if (slot == MOTE_NO_SLOT) return false;
    const mote_network *network = find(system, id);
    return network->frozen[network->island[slot]];
}

mote_result mote_network_teleport(mote_system *system, mote_network_id id) {
    mote_network *network;
    mote_result result = edit(system, id, &network);
    if (result) return result;
    for (uint32_t slot = 0; network->range.previous_x[0] && slot < network->range.slot_count; slot++)
        network->range.previous_x[0][slot] = NAN;
    memset(network->frozen, 0, network->island_count * sizeof *network->frozen);
    network->report.frozen = 0;
    return MOTE_OK;
}

/* --- Pins --- */

/* Finds a network and the slot of one of its particles. Errors: NULL, BUSY, ID, RANGE. */
static mote_result find_particle(const mote_system *system, mote_network_id id, uint32_t particle,
                                 mote_network **network, uint32_t *slot) {
    mote_result result = edit(system, id, network);
    if (result) return result;
    if (particle >= (*network)->particle_count) return MOTE_ERROR_RANGE;
    *slot = (*network)->slot_of_particle[particle];
    return MOTE_OK;
}

mote_result mote_network_pin(mote_system *system, mote_network_id id, uint32_t particle, const vec3 target,
                             uint64_t tick) {
    if (!system || !target) return MOTE_ERROR_NULL;
    mote_network *network;
    uint32_t slot;
    mote_result result = find_particle(system, id, particle, &network, &slot);
    if (result) return result;
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(target[axis])) return MOTE_ERROR_NOT_FINITE;
    mote_fpu_state saved = mote_fpu_enter();
    result =
        mote_network_add_pin(network, slot, target, mote_system_boundary(system), tick, &system->allocator);
    mote_system_edited(&network->range);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_network_unpin(mote_system *system, mote_network_id id, uint32_t particle) {
    mote_network *network;
    uint32_t slot;
    mote_result result = find_particle(system, id, particle, &network, &slot);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_network_remove_pin(network, slot);
    mote_system_edited(&network->range);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_network_reaction(const mote_system *system, mote_network_id id, uint32_t particle,
                                  float impulse[3]) {
    if (!system || !impulse) return MOTE_ERROR_NULL;
    mote_network *network;
    uint32_t slot;
    mote_result result = find_particle(system, id, particle, &network, &slot);
    if (result) return result;
    if (network->range.inverse_mass[slot] > 0) return MOTE_ERROR_RANGE;
    for (int axis = 0; axis < 3; axis++) impulse[axis] = network->range.reaction[axis][slot];
    return MOTE_OK;
}

/* --- Reports, statistics, stability --- */

mote_result mote_network_report(const mote_system *system, mote_network_id id,
                                mote_network_step_report *report) {
    if (!system || !report) return MOTE_ERROR_NULL;
    mote_network *network;
    const mote_result result = edit(system, id, &network);
    if (result == MOTE_OK) *report = network->report;
    return result;
}

mote_result mote_network_statistics(const mote_system *system, mote_network_id id,
                                    mote_statistics *statistics) {
    if (!system || !statistics) return MOTE_ERROR_NULL;
    mote_network *network;
    const mote_result result = edit(system, id, &network);
    if (result) return result;
    mote_query query;
    mote_query_begin(&query, system);
    *statistics = mote_network_statistics_of(network, &query.now);
    mote_query_end(&query);
    return MOTE_OK;
}

mote_result mote_network_stability(const mote_system *system, mote_network_id id,
                                   mote_network_stability_report *report) {
    if (!system || !report) return MOTE_ERROR_NULL;
    mote_network *network;
    const mote_result result = edit(system, id, &network);
    if (result) return result;
    mote_query query;
    mote_query_begin(&query, system);
    *report = mote_network_stability_of(network, &query.def);
    mote_query_end(&query);
    return MOTE_OK;
}

/* --- Presentation --- */

mote_result mote_network_present(const mote_system *system, mote_network_id id,
                                 const mote_present_layout *layout, void *vertices, size_t bytes) {
    if (!system || !layout) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = edit(system, id, &network);
    if (result) return result;
    const mote_presentation by = mote_system_presentation(system);
    mote_query query;
    mote_query_begin(&query, system);
    result = mote_network_write(network, &by, layout, vertices, bytes);
    mote_query_end(&query);
    return result;
}
