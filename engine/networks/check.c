/* Networks: the default def, and the validation of defs and of springs to be added. */
#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/check.h"
#include "networks/layout_plan.h"

#define COOKIE         0x6e657477u
#define MAX_SUBSTEPS   4096u
#define MAX_ITERATIONS 32u
#define MAX_LINEAR     4096u

mote_network_def mote_default_network_def(void) {
    return (mote_network_def){.cookie = COOKIE,
                              .mass = 1.0f,
                              .max_substeps = 256,
                              .max_strain = 0.002f,
                              .max_iterations = 4,
                              .max_linear = 64,
                              .friction = 0.5f};
}

float mote_network_distance(const float p[3], const float q[3]) {
    const float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
    return __builtin_sqrtf(x * x + y * y + z * z);
}

float mote_network_present_length(const mote_network *network, uint32_t a, uint32_t b) {
    double apart[3];
    (void)mote_network_distance_of(network, a, b, apart);
    return mote_network_distance((float[3]){0, 0, 0},
                                 (float[3]){(float)apart[0], (float)apart[1], (float)apart[2]});
}

/* Checks that a count is 1 .. most. */
static mote_result check_count(uint32_t value, uint32_t most) {
    return value >= 1 && value <= most ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* Settings that all particles share. */
static mote_result check_settings(const mote_network_def *def, const char **name) {
    const float mass = def->particle_mass ? 1 : def->mass;
    const struct {
        const char *name;
        mote_result result;
    } row[] = {{"max_strain", mote_value_positive(def->max_strain)},
               {"radius", mote_value_not_negative(def->radius)},
               {"friction", mote_value_not_negative(def->friction)},
               {"mass", mote_value_invertible(mass, 1)},
               {"particle_count", check_count(def->particle_count, MOTE_MAX_PARTICLES)},
               {"max_substeps", check_count(def->max_substeps, MAX_SUBSTEPS)},
               {"max_iterations", check_count(def->max_iterations, MAX_ITERATIONS)},
               {"max_linear", check_count(def->max_linear, MAX_LINEAR)}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].result) return mote_named(name, row[i].name, row[i].result);
    return MOTE_OK;
}

static mote_result check_particle(const mote_network_def *def, uint32_t particle, const char **name) {
    const size_t at = 3 * (size_t)particle;
    if (!mote_vector_is_finite(def->positions + at))
        return mote_named(name, "positions", MOTE_ERROR_NOT_FINITE);
    if (def->velocities && !mote_vector_is_finite(def->velocities + at))
        return mote_named(name, "velocities", MOTE_ERROR_NOT_FINITE);
    if (!def->particle_mass) return MOTE_OK;
    return mote_named(name, "particle_mass", mote_value_invertible(def->particle_mass[particle], 1));
}

static mote_result check_particles(const mote_network_def *def, mote_network_fault *fault) {
    for (uint32_t i = 0; i < def->particle_count; i++) {
        const mote_result result = check_particle(def, i, &fault->parameter);
        if (result) return fault->particle = i, result;
    }
    return MOTE_OK;
}

static mote_result check_stiffness(float stiffness, mote_network_solver solver) {
    if (solver == MOTE_NETWORK_SPRINGS)
        return stiffness == INFINITY ? MOTE_ERROR_RANGE : mote_value_not_negative(stiffness);
    return stiffness == INFINITY ? MOTE_OK : mote_value_positive(stiffness);
}

mote_result mote_network_check_spring(const mote_spring *spring, mote_network_solver solver,
                                      uint32_t particles, const char **name) {
    if (spring->a >= particles) return mote_named(name, "a", MOTE_ERROR_RANGE);
    if (spring->b >= particles || spring->a == spring->b) return mote_named(name, "b", MOTE_ERROR_RANGE);
    mote_result result = MOTE_OK;
    if (spring->rest_length != MOTE_AS_PLACED)
        result = mote_named(name, "rest_length", mote_value_not_negative(spring->rest_length));
    if (result == MOTE_OK) result = mote_named(name, "stiffness", check_stiffness(spring->stiffness, solver));
    if (result == MOTE_OK) result = mote_named(name, "damping", mote_value_not_negative(spring->damping));
    if (result == MOTE_OK)
        result = mote_named(name, "tear_strain", mote_value_not_negative(spring->tear_strain));
    return result;
}

static mote_result check_springs(const mote_network_def *def, mote_network_fault *fault) {
    for (uint32_t i = 0; i < def->spring_count; i++) {
        const mote_spring *s = &def->springs[i];
        mote_result result =
            mote_network_check_spring(s, def->solver, def->particle_count, &fault->parameter);
        if (result == MOTE_OK && s->rest_length == MOTE_AS_PLACED) {
            const float *p = def->positions + 3 * (size_t)s->a, *q = def->positions + 3 * (size_t)s->b;
            if (!isfinite(mote_network_distance(p, q)))
                result = mote_named(&fault->parameter, "rest_length", MOTE_ERROR_RANGE);
        }
        if (result) return fault->spring = i, result;
    }
    return MOTE_OK;
}

/* Checks what needs no pass over the arrays. */
static mote_result check_def(const mote_network_def *def, const char **name) {
    if (def->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if ((unsigned)def->solver >= MOTE_NETWORK_SOLVER_COUNT)
        return mote_named(name, "solver", MOTE_ERROR_ENUM);
    if ((unsigned)def->policy >= MOTE_STABILITY_POLICY_COUNT)
        return mote_named(name, "policy", MOTE_ERROR_ENUM);
    if (!def->positions) return mote_named(name, "positions", MOTE_ERROR_NULL);
    if (def->spring_count && !def->springs) return mote_named(name, "springs", MOTE_ERROR_NULL);
    const mote_result result = check_settings(def, name);
    if (result) return result;
    if (def->spring_count == MOTE_NO_ITEM) return mote_named(name, "spring_count", MOTE_ERROR_OVERFLOW);
    const bool fits = def->spring_capacity != MOTE_NO_ITEM;
    return fits ? MOTE_OK : mote_named(name, "spring_capacity", MOTE_ERROR_OVERFLOW);
}

mote_result mote_network_check(const mote_network_def *def, mote_network_fault *fault) {
    *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM, NULL};
    mote_result result = check_def(def, &fault->parameter);
    if (result == MOTE_OK) result = check_particles(def, fault);
    return result ? result : check_springs(def, fault);
}

/* --- Springs to be added to an existing network --- */

mote_result mote_network_check_own_spring(const mote_network *network, const mote_spring *spring,
                                          const char **name) {
    mote_result result =
        mote_network_check_spring(spring, network->def.solver, network->particle_count, name);
    if (result) return result;
    const uint32_t a = network->slot_of_particle[spring->a], b = network->slot_of_particle[spring->b];
    if (spring->rest_length == MOTE_AS_PLACED && !isfinite(mote_network_present_length(network, a, b)))
        return mote_named(name, "rest_length", MOTE_ERROR_RANGE);
    const bool grows = mote_network_grows(network->integrator, network->def.solver, spring);
    if (!grows || network->def.growth_allowed) return MOTE_OK;
    return mote_named(name, "damping", MOTE_ERROR_STABILITY);
}

/* Union-find over present islands, as the new springs will merge them. particles, rigid: totals of an island
 * that is its own parent. One allocation, at `parent`. */
typedef struct merged_islands {
    uint32_t *parent, *particles, *rigid;
} merged_islands;

static uint32_t island_of(const mote_network *network, uint32_t particle) {
    return network->island[network->slot_of_particle[particle]];
}

/* Returns the index of the first new spring that gives an island more rigid springs than three times its
 * particles; `count` if there is none. */
static uint32_t find_excess(const merged_islands *c, const mote_network *network, uint32_t count,
                            const mote_spring *springs) {
    for (uint32_t i = 0; i < count; i++)
        mote_network_join(c->parent, island_of(network, springs[i].a), island_of(network, springs[i].b));
    for (uint32_t i = 0; i < network->island_count; i++)
        c->particles[mote_network_root(c->parent, i)] += network->island_size[i];
    for (uint32_t i = 0; i < network->spring_end; i++)
        if (mote_network_has_spring(network, i) && network->spring[i].stiffness == INFINITY)
            c->rigid[mote_network_root(c->parent, network->island[network->spring[i].a])]++;
    uint32_t i = 0;
    for (; i < count; i++) {
        const uint32_t island = mote_network_root(c->parent, island_of(network, springs[i].a));
        if (springs[i].stiffness == INFINITY &&
            (uint64_t)++c->rigid[island] > 3 * (uint64_t)c->particles[island])
            break;
    }
    return i;
}

static mote_result check_rigid(const mote_network *network, uint32_t count, const mote_spring *springs,
                               const mote_allocator *allocator, mote_network_fault *fault) {
    uint32_t rigid = 0;
    merged_islands c;
    while (rigid < count && springs[rigid].stiffness != INFINITY) rigid++;
    if (rigid == count) return MOTE_OK;
    const size_t islands = network->island_count, bytes = 3 * islands * sizeof(uint32_t);
    c.parent = mote_allocate(allocator, bytes);
    if (!c.parent) return MOTE_ERROR_MEMORY;
    memset(c.parent, 0, bytes);
    c.particles = c.parent + islands, c.rigid = c.particles + islands;
    for (uint32_t i = 0; i < islands; i++) c.parent[i] = i;
    const uint32_t excess = find_excess(&c, network, count, springs);
    mote_release(allocator, c.parent, bytes);
    if (excess == count) return MOTE_OK;
    fault->spring = excess;
    return mote_named(&fault->parameter, "stiffness", MOTE_ERROR_RANGE);
}

mote_result mote_network_check_springs(const mote_network *network, uint32_t count,
                                       const mote_spring *springs, const mote_allocator *allocator,
                                       mote_network_fault *fault) {
    for (uint32_t i = 0; i < count; i++) {
        const mote_result result = mote_network_check_own_spring(network, &springs[i], &fault->parameter);
        if (result) return fault->spring = i, result;
    }
    const uint32_t capacity = network->def.spring_capacity - network->spring_count;
    if (count > capacity) return fault->spring = capacity, MOTE_ERROR_CAPACITY;
    return check_rigid(network, count, springs, allocator, fault);
}

bool mote_network_is_rigid_full(const mote_network *network, uint32_t island) {
    uint64_t rigid = 0;
    for (uint32_t i = 0; i < network->spring_end; i++)
        rigid += mote_network_has_spring(network, i) && network->spring[i].stiffness == INFINITY &&
                 network->island[network->spring[i].a] == island;
    return rigid >= 3 * (uint64_t)network->island_size[island];
}
