/* Validation of springs to be added to an existing network. */
#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "networks/layout_plan.h"

/* Copies the present position of a particle. */
static void position_of(const mote_network *network, uint32_t particle, float position[3]) {
    for (int axis = 0; axis < 3; axis++)
        position[axis] = network->range.x[axis][network->slot_of_particle[particle]];
}

mote_result mote_network_check_own_spring(const mote_network *network, const mote_spring *spring) {
    mote_result result = mote_network_check_spring(spring, network->def.solver, network->particle_count);
    if (result) return result;
    if (spring->rest_length == MOTE_AS_PLACED) {
        float a[3], b[3];
        position_of(network, spring->a, a), position_of(network, spring->b, b);
        if (!isfinite(mote_network_distance(a, b))) return MOTE_ERROR_RANGE;
    }
    const bool grows = mote_network_grows(network->integrator, network->def.solver, spring);
    return grows && !network->def.growth_allowed ? MOTE_ERROR_STABILITY : MOTE_OK;
}

/* Union-find over present islands, as the new springs will merge them. particles, rigid: totals of an island
 * that is its own parent. */
typedef struct merged_islands {
    uint32_t *parent, *particles, *rigid;
    void *memory;
    size_t bytes;
} merged_islands;

static uint32_t root_of(const merged_islands *c, uint32_t island) {
    while (c->parent[island] != island) island = c->parent[island] = c->parent[c->parent[island]];
    return island;
}

static bool begin_merging(merged_islands *c, const mote_network *network, const mote_allocator *allocator) {
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

/* A parent has the lower number, so the order of a and b has no effect. */
static void join(const merged_islands *c, uint32_t a, uint32_t b) {
    a = root_of(c, a), b = root_of(c, b);
    c->parent[a < b ? b : a] = a < b ? a : b;
}

/* Returns the index of the first new spring that gives an island more rigid springs than three times its
 * particles; `count` if there is none. */
static uint32_t find_excess(const merged_islands *c, const mote_network *network, uint32_t count,
                            const mote_spring *springs) {
    for (uint32_t i = 0; i < count; i++)
        join(c, island_of(network, springs[i].a), island_of(network, springs[i].b));
    for (uint32_t i = 0; i < network->island_count; i++)
        c->particles[root_of(c, i)] += network->island_size[i];
    for (uint32_t i = 0; i < network->spring_end; i++)
        if (mote_network_has_spring(network, i) && network->spring[i].stiffness == INFINITY)
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

static mote_result check_rigid(const mote_network *network, uint32_t count, const mote_spring *springs,
                               const mote_allocator *allocator, uint32_t *fault) {
    uint32_t rigid = 0;
    merged_islands c;
    while (rigid < count && springs[rigid].stiffness != INFINITY) rigid++;
    if (rigid == count) return MOTE_OK;
    if (!begin_merging(&c, network, allocator)) return MOTE_ERROR_MEMORY;
    const uint32_t excess = find_excess(&c, network, count, springs);
    mote_release(allocator, c.memory, c.bytes);
    if (excess == count) return MOTE_OK;
    *fault = excess;
    return MOTE_ERROR_RANGE;
}

mote_result mote_network_check_springs(const mote_network *network, uint32_t count,
                                       const mote_spring *springs, const mote_allocator *allocator,
                                       uint32_t *fault) {
    for (uint32_t i = 0; i < count; i++) {
        const mote_result result = mote_network_check_own_spring(network, &springs[i]);
        if (result) return *fault = i, result;
    }
    const uint32_t capacity = network->def.spring_capacity - network->spring_count;
    if (count > capacity) return *fault = capacity, MOTE_ERROR_CAPACITY;
    return check_rigid(network, count, springs, allocator, fault);
}

bool mote_network_is_rigid_full(const mote_network *network, uint32_t island) {
    uint64_t rigid = 0;
    for (uint32_t i = 0; i < network->spring_end; i++)
        rigid += mote_network_has_spring(network, i) && network->spring[i].stiffness == INFINITY &&
                 network->island[network->spring[i].a] == island;
    return rigid >= 3 * (uint64_t)network->island_size[island];
}
