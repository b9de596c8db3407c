/* Pins of networks, and edits of their springs, between steps. */
#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "networks/layout_plan.h"
#include "system/internal.h"

/* The tick of the boundary reached. */
static uint64_t now_of(const mote_system *system) {
    return system->clock.step * system->clock.ticks_per_step;
}

/* --- Pins --- */

/* The network, and the slot of a particle: NULL, BUSY, ID, RANGE. */
static mote_result find_particle(const mote_system *system, mote_network_id id, uint32_t particle,
                                 mote_network **network, uint32_t *slot) {
    mote_result result = mote_system_edit_network(system, id, network);
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
    result = mote_network_add_pin(network, slot, target, now_of(system), tick, &system->allocator);
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
    if (network->inverse_mass[slot] > 0) return MOTE_ERROR_RANGE;
    for (int axis = 0; axis < 3; axis++) impulse[axis] = network->reaction[axis][slot];
    return MOTE_OK;
}

/* --- Checks of springs --- */

static bool exists(const mote_network *network, uint32_t number) {
    return number < network->spring_end && network->spring[number].a != MOTE_NO_SLOT;
}

static mote_spring spring_of(const mote_network *network, uint32_t number) {
    const mote_network_spring_state *s = &network->spring[number];
    return (mote_spring){.a = network->particle_of_slot[s->a],
                         .b = network->particle_of_slot[s->b],
                         .rest_length = s->rest_length,
                         .stiffness = s->stiffness,
                         .damping = s->damping,
                         .tear_strain = s->tear_strain};
}

/* Where the columns place a particle. */
static void place_of(const mote_network *network, uint32_t particle, float place[3]) {
    for (int axis = 0; axis < 3; axis++) place[axis] = network->x[axis][network->slot_of_particle[particle]];
}

/* RANGE, NOT_FINITE, STABILITY: what is wrong with a spring by itself. As placed, it must have a length. */
static mote_result check_spring(const mote_system *system, const mote_network *network,
                                const mote_spring *spring) {
    mote_result result = mote_network_check_spring(spring, network->def.solver, network->particle_count);
    if (result) return result;
    if (spring->rest_length == MOTE_AS_PLACED) {
        float a[3], b[3];
        place_of(network, spring->a, a), place_of(network, spring->b, b);
        if (!isfinite(mote_network_distance(a, b))) return MOTE_ERROR_RANGE;
    }
    const bool grows = mote_network_grows(system->def.integrator, network->def.solver, spring);
    return grows && !network->def.growth_allowed ? MOTE_ERROR_STABILITY : MOTE_OK;
}

/* Islands as they will be when springs have joined them, by their present numbers. */
typedef struct census {
    uint32_t *parent, *particles, *rigid; /* of an island that is its own parent, all that is its */
    void *memory;
    size_t bytes;
} census;

static uint32_t root_of(const census *c, uint32_t island) {
    while (c->parent[island] != island) island = c->parent[island] = c->parent[c->parent[island]];
    return island;
}

static bool take_census(census *c, const mote_network *network, const mote_allocator *allocator) {
    const size_t islands = network->island_count;
    c->bytes = 3 * islands * sizeof(uint32_t);
    c->memory = mote_allocate(allocator, c->bytes);
    if (!c->memory) return false;
    memset(c->memory, 0, c->bytes);
    c->parent = c->memory, c->particles = c->parent + islands, c->rigid = c->particles + islands;
    for (uint32_t i = 0; i < islands; i++) c->parent[i] = i;
    return true;
}

static uint32_t island_of(const mote_network *network, uint32_t particle) {
    return network->island[network->slot_of_particle[particle]];
}

/* Parents lie below, so that two islands are joined in one way. */
static void join(const census *c, uint32_t a, uint32_t b) {
    a = root_of(c, a), b = root_of(c, b);
    c->parent[a < b ? b : a] = a < b ? a : b;
}

/* The first of the new springs by which an island has more rigid springs than three times its particles;
 * count: none. */
static uint32_t find_excess(const census *c, const mote_network *network, uint32_t count,
                            const mote_spring *springs) {
    for (uint32_t i = 0; i < count; i++)
        join(c, island_of(network, springs[i].a), island_of(network, springs[i].b));
    for (uint32_t i = 0; i < network->island_count; i++)
        c->particles[root_of(c, i)] += network->island_size[i];
    for (uint32_t i = 0; i < network->spring_end; i++)
        if (exists(network, i) && network->spring[i].stiffness == INFINITY)
            c->rigid[root_of(c, network->island[network->spring[i].a])]++;
    uint32_t i = 0;
    for (; i < count; i++) {
        const uint32_t island = root_of(c, island_of(network, springs[i].a));
        if (springs[i].stiffness == INFINITY &&
            (uint64_t)++c->rigid[island] > 3 * (uint64_t)c->particles[island])
            break;
    }
    return i;
}

static mote_result check_rigid(const mote_system *system, const mote_network *network, uint32_t count,
                               const mote_spring *springs, uint32_t *fault) {
    uint32_t rigid = 0;
    census c;
    while (rigid < count && springs[rigid].stiffness != INFINITY) rigid++;
    if (rigid == count) return MOTE_OK;
    if (!take_census(&c, network, &system->allocator)) return MOTE_ERROR_MEMORY;
    const uint32_t excess = find_excess(&c, network, count, springs);
    mote_release(&system->allocator, c.memory, c.bytes);
    if (excess == count) return MOTE_OK;
    *fault = excess;
    return MOTE_ERROR_RANGE;
}

/* --- Springs --- */

/* Springs between blocks make them outer: the scratch for that is there before the springs are. */
static mote_result make_room(mote_system *system, const mote_network *network, uint32_t count,
                             const mote_spring *springs) {
    mote_network with = *network;
    for (uint32_t i = 0; i < count && !with.has_outer; i++) {
        const uint32_t a = network->slot_of_particle[springs[i].a],
                       b = network->slot_of_particle[springs[i].b];
        with.has_outer = mote_network_block_of(network, a) != mote_network_block_of(network, b);
    }
    return mote_system_grow_network_scratch(system, &with);
}

static mote_result add_springs(mote_system *system, mote_network *network, uint32_t count,
                               const mote_spring *springs, uint32_t *numbers, uint32_t *fault) {
    mote_result result = MOTE_OK;
    for (uint32_t i = 0; i < count; i++) {
        result = check_spring(system, network, &springs[i]);
        if (result) return *fault = i, result;
    }
    const uint32_t room = network->def.spring_capacity - network->spring_count;
    if (count > room) return *fault = room, MOTE_ERROR_CAPACITY;
    result = check_rigid(system, network, count, springs, fault);
    if (result == MOTE_OK) result = make_room(system, network, count, springs);
    return result ? result : mote_network_insert(network, count, springs, numbers, &system->allocator);
}

mote_result mote_network_add_springs(mote_system *system, mote_network_id id, uint32_t count,
                                     const mote_spring *springs, uint32_t *numbers,
                                     mote_network_fault *fault) {
    mote_network_fault ignored;
    if (!fault) fault = &ignored;
    *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM};
    if (!system || (count && (!springs || !numbers))) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = mote_system_edit_network(system, id, &network);
    if (result || count == 0) return result;
    mote_fpu_state saved = mote_fpu_enter();
    result = add_springs(system, network, count, springs, numbers, &fault->spring);
    mote_fpu_leave(saved);
    return result;
}

/* Slots are below 2^31: the bit above marks a spring that is to go, so that one given twice is noticed. */
#define LEAVING 0x80000000u

mote_result mote_network_remove_springs(mote_system *system, mote_network_id id, uint32_t count,
                                        const uint32_t *numbers, mote_network_fault *fault) {
    if (fault) *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM};
    if (!system || (count && !numbers)) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = mote_system_edit_network(system, id, &network);
    if (result || count == 0) return result;
    uint32_t good = 0;
    for (; good < count && exists(network, numbers[good]) && !(network->spring[numbers[good]].a & LEAVING);
         good++)
        network->spring[numbers[good]].a |= LEAVING;
    for (uint32_t i = 0; i < good; i++) network->spring[numbers[i]].a &= ~LEAVING;
    if (good < count) {
        if (fault) fault->spring = good;
        return MOTE_ERROR_RANGE;
    }
    mote_fpu_state saved = mote_fpu_enter();
    for (uint32_t i = 0; i < count; i++) mote_network_erase(network, numbers[i]);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

/* The network, which has the spring: NULL, BUSY, ID, RANGE. */
static mote_result find_spring(const mote_system *system, mote_network_id id, uint32_t number,
                               mote_network **network) {
    mote_result result = mote_system_edit_network(system, id, network);
    return result || exists(*network, number) ? result : MOTE_ERROR_RANGE;
}

/* Whether an island has as many rigid springs as it may. */
static bool is_full(const mote_network *network, uint32_t island) {
    uint64_t rigid = 0;
    for (uint32_t i = 0; i < network->spring_end; i++)
        rigid += exists(network, i) && network->spring[i].stiffness == INFINITY &&
                 network->island[network->spring[i].a] == island;
    return rigid >= 3 * (uint64_t)network->island_size[island];
}

mote_result mote_network_set_spring(mote_system *system, mote_network_id id, uint32_t number, float stiffness,
                                    float damping, float tear_strain) {
    mote_network *network;
    mote_result result = find_spring(system, id, number, &network);
    if (result) return result;
    mote_network_spring_state *state = &network->spring[number];
    mote_spring spring = spring_of(network, number);
    spring.stiffness = stiffness, spring.damping = damping, spring.tear_strain = tear_strain;
    mote_fpu_state saved = mote_fpu_enter();
    result = check_spring(system, network, &spring);
    const bool stiffens = stiffness == INFINITY && state->stiffness < INFINITY;
    if (result == MOTE_OK && stiffens && is_full(network, network->island[state->a]))
        result = MOTE_ERROR_RANGE;
    if (result == MOTE_OK) {
        state->stiffness = stiffness + 0.0f, state->damping = damping + 0.0f,
        state->tear_strain = tear_strain + 0.0f; /* no -0 */
        mote_network_store_spring(network, number);
        network->bound_is_old = network->responses_are_old = network->aggregates.old = true;
    }
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_network_reel(mote_system *system, mote_network_id id, uint32_t number, float rest_length,
                              uint64_t tick) {
    mote_network *network;
    mote_result result = find_spring(system, id, number, &network);
    if (result) return result;
    if (!isfinite(rest_length)) return MOTE_ERROR_NOT_FINITE;
    if (rest_length < 0) return MOTE_ERROR_RANGE;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_network_add_reel(network, number, rest_length, now_of(system), tick, &system->allocator);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_network_spring(const mote_system *system, mote_network_id id, uint32_t number,
                                mote_spring *spring) {
    if (!system || !spring) return MOTE_ERROR_NULL;
    mote_network *network;
    mote_result result = find_spring(system, id, number, &network);
    if (result == MOTE_OK) *spring = spring_of(network, number);
    return result;
}

const uint32_t *mote_network_torn(const mote_system *system, mote_network_id id, uint32_t *count) {
    const mote_network *network = mote_system_find_network(system, id);
    const uint32_t torn = network ? network->torn_count : 0;
    if (count) *count = torn;
    return torn ? network->torn : NULL;
}
