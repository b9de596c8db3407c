/* The networks of a system. Ids: the index is a serial number never used twice, the generation marks the
 * system. */
#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "system/internal.h"

static uint32_t place_of(const mote_system *system, mote_network_id id) {
    if (id.generation != mote_system_mark(system)) return system->network_count;
    uint32_t place = 0;
    while (place < system->network_count && system->network_serials[place] != id.index) place++;
    return place;
}

mote_network *mote_system_find_network(const mote_system *system, mote_network_id id) {
    if (!system) return NULL;
    uint32_t place = place_of(system, id);
    return place < system->network_count ? system->networks[place] : NULL;
}

mote_result mote_system_edit_network(const mote_system *system, mote_network_id id, mote_network **network) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    *network = mote_system_find_network(system, id);
    return *network ? MOTE_OK : MOTE_ERROR_ID;
}

mote_network_id mote_system_network_id(const mote_system *system, uint32_t place) {
    return (mote_network_id){system->network_serials[place], mote_system_mark(system)};
}

/* --- Adding and removing --- */

/* The first spring that would gain energy at any step, where the def does not allow it; spring_count:
 * none. */
static uint32_t find_growth(const mote_system *system, const mote_network_def *def) {
    uint32_t spring = def->growth_allowed ? def->spring_count : 0; /* allowed: none is looked for */
    while (spring < def->spring_count &&
           !mote_network_grows(system->def.integrator, def->solver, &def->springs[spring]))
        spring++;
    return spring;
}

static void destroy_network(mote_network *network, const mote_allocator *allocator) {
    mote_network_destroy(network, allocator);
    mote_release(allocator, network, sizeof *network);
}

/* What the system must have room for before it steps the network. */
static mote_result make_room(mote_system *system, const mote_network *network) {
    mote_result result = mote_system_grow_network_scratch(system, network);
    if (result || network->def.policy != MOTE_STABILITY_SUBSTEP) return result;
    return mote_system_reserve_poses(system, network->def.max_substeps);
}

static mote_result fill(mote_system *system, mote_network *network, const mote_network_def *def,
                        mote_network_fault *fault) {
    const bool interpolates = system->def.interpolation != MOTE_INTERPOLATE_NONE;
    const bool unit_responses =
        def->solver == MOTE_NETWORK_SPRINGS && mote_scheme_table[system->def.integrator].kick_after;
    mote_result result =
        mote_network_make(network, def, interpolates, unit_responses, &system->allocator, fault);
    if (result) return result;
    const uint32_t growth = find_growth(system, def);
    if (growth < def->spring_count) fault->spring = growth, result = MOTE_ERROR_STABILITY;
    if (result == MOTE_OK) result = make_room(system, network);
    if (result) mote_network_destroy(network, &system->allocator);
    return result;
}

static mote_result make(mote_system *system, const mote_network_def *def, mote_network **made,
                        mote_network_fault *fault) {
    mote_network *network = mote_allocate(&system->allocator, sizeof *network);
    if (!network) return MOTE_ERROR_MEMORY;
    *network = (mote_network){.memory = NULL};
    mote_result result = fill(system, network, def, fault);
    if (result)
        mote_release(&system->allocator, network, sizeof *network);
    else
        *made = network;
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
    if (mote_scheme_table[system->def.integrator].family == MOTE_FAMILY_ADVECTION)
        return MOTE_ERROR_INTEGRATOR;
    if (system->network_count == MOTE_MAX_NETWORKS || system->next_network == UINT32_MAX)
        return MOTE_ERROR_CAPACITY;
    mote_fpu_state saved = mote_fpu_enter();
    mote_result result = make(system, def, &system->networks[system->network_count], fault);
    mote_fpu_leave(saved);
    if (result) return result;
    system->network_serials[system->network_count] = ++system->next_network;
    *id = mote_system_network_id(system, system->network_count++);
    return MOTE_OK;
}

mote_result mote_system_remove_network(mote_system *system, mote_network_id id) {
    mote_network *network;
    mote_result result = mote_system_edit_network(system, id, &network);
    if (result) return result;
    mote_system_drop_network_links(system, id);
    uint32_t place = place_of(system, id), behind = --system->network_count - place;
    destroy_network(network, &system->allocator);
    memmove(system->networks + place, system->networks + place + 1, behind * sizeof *system->networks);
    memmove(system->network_serials + place, system->network_serials + place + 1,
            behind * sizeof *system->network_serials);
    return MOTE_OK;
}

void mote_system_destroy_networks(mote_system *system) {
    for (uint32_t i = 0; i < system->network_count; i++)
        destroy_network(system->networks[i], &system->allocator);
    mote_release(&system->allocator, system->network_scratch, system->network_scratch_bytes);
}

/* --- Views --- */

mote_network_view mote_network_columns(mote_system *system, mote_network_id id) {
    const mote_network *network = mote_system_find_network(system, id);
    if (!network) return (mote_network_view){0};
    return (mote_network_view){.particle_count = network->particle_count,
                               .slot_count = network->slot_count,
                               .spring_count = network->spring_count,
                               .spring_capacity = network->def.spring_capacity,
                               .position = {network->x[0], network->x[1], network->x[2]},
                               .velocity = {network->v[0], network->v[1], network->v[2]},
                               .inverse_mass = network->inverse_mass,
                               .slot = network->slot_of_particle};
}

uint32_t mote_network_slot(const mote_system *system, mote_network_id id, uint32_t particle) {
    const mote_network *network = mote_system_find_network(system, id);
    return network && particle < network->particle_count ? network->slot_of_particle[particle] : MOTE_NO_SLOT;
}

bool mote_network_frozen(const mote_system *system, mote_network_id id, uint32_t particle) {
    const uint32_t slot = mote_network_slot(system, id, particle);
    if (slot == MOTE_NO_SLOT) return false;
    const mote_network *network = mote_system_find_network(system, id);
    return network->frozen[network->island[slot]];
}

mote_result mote_network_teleport(mote_system *system, mote_network_id id) {
    mote_network *network;
    mote_result result = mote_system_edit_network(system, id, &network);
    if (result) return result;
    for (uint32_t slot = 0; network->previous_x[0] && slot < network->slot_count; slot++)
        network->previous_x[0][slot] = NAN;
    memset(network->frozen, 0, network->island_count * sizeof *network->frozen);
    network->report.frozen = 0;
    return MOTE_OK;
}
