/* Calls for the networks of a system: mote/network.h. */
#include <math.h>
#include <string.h>

#include <mote/network.h>

#include "networks/network.h"
#include "system/internal.h"

static const mote_network *find(const mote_system *system, mote_network_id id) {
    mote_range *range = mote_system_read_range(system, MOTE_KIND_NETWORK, MOTE_ID(id));
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
    *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM, NULL};
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
    for (uint32_t i = 0; network->range.previous_x[0] && i < network->particle_count; i++)
        network->range.previous_x[0][network->slot_of_particle[i]] = mote_marker();
    for (int axis = 0; axis < 3 && network->previous_low[0]; axis++)
        memset(network->previous_low[axis], 0, network->range.slot_count * sizeof(float));
    memset(network->frozen, 0, network->island_count * sizeof *network->frozen);
    network->report.frozen = 0;
    mote_system_edited(&network->range);
    mote_system_note(system, MOTE_NOTED_NETWORK_TELEPORT, id.index, 0, NULL, 0);
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

mote_result mote_network_pin(mote_system *system, mote_network_id id, uint32_t particle,
                             const float target[3], uint64_t tick) {
    if (!system || !target) return MOTE_ERROR_NULL;
    mote_network *network;
    uint32_t slot;
    mote_result result = find_particle(system, id, particle, &network, &slot);
    if (result) return result;
    if (!mote_vector_is_finite(target)) return MOTE_ERROR_NOT_FINITE;
    mote_fpu_state saved = mote_fpu_enter();
    result =
        mote_network_add_pin(network, slot, target, mote_system_boundary(system), tick, &system->allocator);
    if (result == MOTE_OK)
        mote_system_note(system, MOTE_NOTED_NETWORK_PIN, id.index, particle, target, 3 * sizeof *target);
    return mote_system_end_edit(&network->range, saved, result);
}

mote_result mote_network_unpin(mote_system *system, mote_network_id id, uint32_t particle) {
    mote_network *network;
    uint32_t slot;
    mote_result result = find_particle(system, id, particle, &network, &slot);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_network_remove_pin(network, slot);
    if (result == MOTE_OK) mote_system_note(system, MOTE_NOTED_NETWORK_UNPIN, id.index, particle, NULL, 0);
    return mote_system_end_edit(&network->range, saved, result);
}

mote_result mote_network_reaction(const mote_system *system, mote_network_id id, uint32_t particle,
                                  float impulse[3]) {
    if (!system || !impulse) return MOTE_ERROR_NULL;
    mote_network *network;
    uint32_t slot;
    mote_result result = find_particle(system, id, particle, &network, &slot);
    if (result) return result;
    if (!mote_float_is_zero(network->range.inverse_mass[slot])) return MOTE_ERROR_RANGE;
    for (int axis = 0; axis < 3; axis++) impulse[axis] = network->range.reaction[axis][slot];
    return MOTE_OK;
}

/* --- Springs --- */

static mote_spring spring_of(const mote_network *network, uint32_t number) {
    const mote_network_spring_state *s = &network->spring[number];
    return (mote_spring){.a = network->particle_of_slot[s->a],
                         .b = network->particle_of_slot[s->b],
                         .rest_length = s->rest_length,
                         .stiffness = s->stiffness,
                         .damping = s->damping,
                         .tear_strain = s->tear_strain};
}

/* Reserves the scratch for springs to be added. A spring between two blocks makes both outer, which needs
 * more scratch. */
static mote_result reserve_step(mote_system *system, const mote_network *network, uint32_t count,
                                const mote_spring *springs) {
    mote_network with = *network;
    for (uint32_t i = 0; i < count && !with.has_outer; i++) {
        const uint32_t a = network->slot_of_particle[springs[i].a],
                       b = network->slot_of_particle[springs[i].b];
        with.has_outer = mote_network_block_of(network, a) != mote_network_block_of(network, b);
    }
    return mote_system_reserve_scratch(system, &with.range);
}

static mote_result add_springs(mote_system *system, mote_network *network, uint32_t count,
                               const mote_spring *springs, uint32_t *numbers, mote_network_fault *fault) {
    mote_result result = mote_network_check_springs(network, count, springs, &system->allocator, fault);
    if (result == MOTE_OK) result = reserve_step(system, network, count, springs);
    if (result == MOTE_OK) result = mote_network_insert(network, count, springs, numbers, &system->allocator);
    if (result == MOTE_ERROR_CAPACITY) fault->parameter = "spring_capacity";
    return result;
}

mote_result mote_network_add_springs(mote_system *system, mote_network_id id, uint32_t count,
                                     const mote_spring *springs, uint32_t *numbers,
                                     mote_network_fault *fault) {
    mote_network_fault ignored;
    if (!fault) fault = &ignored;
    *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM, NULL};
    if (count && (!springs || !numbers)) fault->parameter = springs ? "numbers" : "springs";
    if (!system || fault->parameter) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = edit(system, id, &network);
    if (result || count == 0) return result;
    mote_fpu_state saved = mote_fpu_enter();
    result = add_springs(system, network, count, springs, numbers, fault);
    return mote_system_end_edit(&network->range, saved, result);
}

/* Marks, in slot `a`, a spring to be removed, to detect a spring given twice. Slots are below 2^31. */
#define LEAVING 0x80000000u

mote_result mote_network_remove_springs(mote_system *system, mote_network_id id, uint32_t count,
                                        const uint32_t *numbers, mote_network_fault *fault) {
    const char *missing = count && !numbers ? "numbers" : NULL;
    if (fault) *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM, missing};
    if (!system || missing) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = edit(system, id, &network);
    if (result || count == 0) return result;
    uint32_t good = 0;
    for (; good < count && mote_network_has_spring(network, numbers[good]) &&
           !(network->spring[numbers[good]].a & LEAVING);
         good++)
        network->spring[numbers[good]].a |= LEAVING;
    for (uint32_t i = 0; i < good; i++) network->spring[numbers[i]].a &= ~LEAVING;
    if (good < count) {
        if (fault) fault->spring = good, fault->parameter = "numbers";
        return MOTE_ERROR_RANGE;
    }
    mote_fpu_state saved = mote_fpu_enter();
    for (uint32_t i = 0; i < count; i++) mote_network_erase(network, numbers[i]);
    return mote_system_end_edit(&network->range, saved, MOTE_OK);
}

/* Finds a network and checks that it has the spring. fault, if not NULL, is cleared, or receives the spring
 * that there is not. Errors: NULL, BUSY, ID, RANGE. */
static mote_result find_spring(const mote_system *system, mote_network_id id, uint32_t number,
                               mote_network **network, mote_network_fault *fault) {
    if (fault) *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM, NULL};
    mote_result result = edit(system, id, network);
    if (result || mote_network_has_spring(*network, number)) return result;
    if (fault) *fault = (mote_network_fault){MOTE_NO_ITEM, number, "number"};
    return MOTE_ERROR_RANGE;
}

mote_result mote_network_set_spring(mote_system *system, mote_network_id id, uint32_t number, float stiffness,
                                    float damping, float tear_strain, mote_network_fault *fault) {
    mote_network *network;
    mote_result result = find_spring(system, id, number, &network, fault);
    if (result) return result;
    mote_network_spring_state *state = &network->spring[number];
    mote_spring spring = spring_of(network, number);
    const char *refused = NULL;
    spring.stiffness = stiffness, spring.damping = damping, spring.tear_strain = tear_strain;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_network_check_own_spring(network, &spring, &refused);
    const bool stiffens = stiffness == INFINITY && state->stiffness < INFINITY;
    if (result == MOTE_OK && stiffens && mote_network_is_rigid_full(network, network->island[state->a]))
        result = mote_named(&refused, "stiffness", MOTE_ERROR_RANGE);
    if (result && fault) fault->spring = number, fault->parameter = refused;
    if (result == MOTE_OK) {
        state->stiffness = stiffness + 0.0f, state->damping = damping + 0.0f,
        state->tear_strain = tear_strain + 0.0f; /* replaces -0 by 0 */
        mote_network_copy_spring(network, number);
        mote_network_changed(network);
    }
    return mote_system_end_edit(&network->range, saved, result);
}

mote_result mote_network_reel(mote_system *system, mote_network_id id, uint32_t number, float rest_length,
                              uint64_t tick, mote_network_fault *fault) {
    mote_network *network;
    mote_result result = find_spring(system, id, number, &network, fault);
    if (result) return result;
    result = mote_value_not_negative(rest_length);
    if (result && fault) fault->spring = number, fault->parameter = "rest_length";
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_network_add_reel(network, number, rest_length, mote_system_boundary(system), tick,
                                   &system->allocator);
    return mote_system_end_edit(&network->range, saved, result);
}

mote_result mote_network_spring(const mote_system *system, mote_network_id id, uint32_t number,
                                mote_spring *spring) {
    if (!system || !spring) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = find_spring(system, id, number, &network, NULL);
    if (result == MOTE_OK) *spring = spring_of(network, number);
    return result;
}

const uint32_t *mote_network_torn(const mote_system *system, mote_network_id id, uint32_t *count) {
    const mote_network *network = find(system, id);
    const uint32_t torn = network ? network->torn_count : 0;
    if (count) *count = torn;
    return torn ? network->torn : NULL;
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
    mote_query query;
    const mote_result result = mote_query_range(&query, system, MOTE_KIND_NETWORK, MOTE_ID(id), statistics);
    if (result) return result;
    *statistics = mote_network_statistics_of(mote_network_of(query.range), &query.now);
    return mote_query_end(&query, MOTE_OK);
}

mote_result mote_network_stability(const mote_system *system, mote_network_id id,
                                   mote_network_stability_report *report) {
    mote_query query;
    const mote_result result = mote_query_range(&query, system, MOTE_KIND_NETWORK, MOTE_ID(id), report);
    if (result) return result;
    *report = mote_network_stability_of(mote_network_of(query.range), &query.def);
    return mote_query_end(&query, MOTE_OK);
}

/* --- Presentation --- */

mote_result mote_network_triangles(const mote_system *system, mote_network_id id, uint32_t count,
                                   const uint32_t *indices, mote_triangle *triangles) {
    if (!system || (count && (!indices || !triangles))) return MOTE_ERROR_NULL;
    mote_network *network;
    const mote_result result = edit(system, id, &network);
    return result ? result : mote_network_find_triangles(network, count, indices, triangles);
}

mote_result mote_network_indices(const mote_system *system, mote_network_id id, uint32_t count,
                                 const mote_triangle *triangles, uint32_t *indices, uint32_t *index_count) {
    if (!system || !index_count || (count && (!indices || !triangles))) return MOTE_ERROR_NULL;
    mote_network *network;
    const mote_result result = edit(system, id, &network);
    return result ? result : mote_network_write_indices(network, count, triangles, indices, index_count);
}

mote_result mote_network_present(const mote_system *system, mote_network_id id,
                                 const mote_present_layout *layout, void *vertices, size_t bytes) {
    mote_query query;
    mote_result result = mote_query_range(&query, system, MOTE_KIND_NETWORK, MOTE_ID(id), layout);
    if (result) return result;
    result = mote_network_write(mote_network_of(query.range), &query.by, layout, vertices, bytes);
    return mote_query_end(&query, result);
}
