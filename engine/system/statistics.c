/* Energy and momentum, in an order that no number of workers changes: sums.h. */
#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "forces/force.h"
#include "system/sums.h"

double mote_system_potential(const mote_system *system, size_t slot, const double x[3], double mass) {
    const float *column = system->particles.column[MOTE_COLUMN_ANCHOR];
    const bool anchored = slot != MOTE_NO_SLOT && column;
    double sum = 0, anchor[3];
    for (int axis = 0; axis < 3 && anchored; axis++)
        anchor[axis] = (double)((const float *)system->particles.column[MOTE_COLUMN_ANCHOR + axis])[slot];
    for (uint32_t i = 0; i < system->forces.count; i++)
        sum += mote_force_potential(&system->forces.forces[i], x, anchored ? anchor : NULL, mass);
    return sum;
}

static void add_point(const mote_system *system, size_t slot, const double x[3], const double v[3],
                      double mass, mote_sums *to) {
    to->of[MOTE_SUM_MASS] += mass;
    to->of[MOTE_SUM_KINETIC] += 0.5 * mass * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    to->of[MOTE_SUM_POTENTIAL] += mote_system_potential(system, slot, x, mass);
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, after = (axis + 2) % 3;
        to->of[MOTE_SUM_MOMENTUM + axis] += mass * v[axis];
        to->of[MOTE_SUM_ANGULAR + axis] += mass * (x[next] * v[after] - x[after] * v[next]);
    }
}

static mote_sums sum_particles(const void *context, size_t first, size_t end) {
    const mote_system *system = context;
    MOTE_ALIGNED(64) float memory[3][MOTE_BLOCK];
    float *const velocity[3] = {memory[0], memory[1], memory[2]};
    const float *inverse_mass = system->particles.column[MOTE_COLUMN_INVERSE_MASS];
    const double uniform = (double)system->def.uniform_mass;
    mote_sums lane[MOTE_GROUP];
    memset(lane, 0, sizeof lane);
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        size_t last = end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK;
        mote_system_true_velocity(system, false, block, last - block, velocity);
        for (size_t slot = block; slot < last; slot++) {
            if (inverse_mass && !(inverse_mass[slot] > 0)) continue;
            size_t at = slot - block;
            double x[3];
            for (int axis = 0; axis < 3; axis++)
                x[axis] =
                    (double)((const float *)system->particles.column[MOTE_COLUMN_POSITION + axis])[slot];
            const double v[3] = {(double)memory[0][at], (double)memory[1][at], (double)memory[2][at]};
            add_point(system, slot, x, v, inverse_mass ? 1.0 / (double)inverse_mass[slot] : uniform,
                      &lane[slot % MOTE_GROUP]);
        }
    }
    return mote_sums_of_lanes(lane);
}

typedef struct coupled {
    const mote_system *system;
    const mote_strands *strands; /* one of these two */
    const mote_network *network;
} coupled;

/* Into the lane of its number. Masked slots have no mass, as pinned points have. */
static void add_slot(const mote_system *system, float *const x[3], float *const v[3],
                     const float *inverse_mass, size_t slot, mote_sums *to) {
    if (!(inverse_mass[slot] > 0)) return;
    const double at[3] = {(double)x[0][slot], (double)x[1][slot], (double)x[2][slot]};
    const double speed[3] = {(double)v[0][slot], (double)v[1][slot], (double)v[2][slot]};
    add_point(system, MOTE_NO_SLOT, at, speed, 1.0 / (double)inverse_mass[slot], to);
}

static mote_sums sum_strands(const void *context, size_t first, size_t end) {
    const coupled *c = context;
    const mote_strands *b = c->strands;
    mote_sums lane[MOTE_GROUP];
    memset(lane, 0, sizeof lane);
    for (size_t slot = first; slot < end; slot++)
        add_slot(c->system, b->x, b->v, b->inverse_mass, slot, &lane[slot % MOTE_GROUP]);
    return mote_sums_of_lanes(lane);
}

static mote_sums sum_network(const void *context, size_t first, size_t end) {
    const coupled *c = context;
    const mote_network *n = c->network;
    mote_sums lane[MOTE_GROUP];
    memset(lane, 0, sizeof lane);
    for (size_t i = first; i < end; i++)
        add_slot(c->system, n->x, n->v, n->inverse_mass, n->slot_of_particle[i], &lane[i % MOTE_GROUP]);
    return mote_sums_of_lanes(lane);
}

mote_sums mote_system_sum_network(const mote_system *system, const mote_network *network) {
    const coupled c = {.system = system, .network = network};
    return mote_sum_range(&system->def.jobs, network->particle_count, sum_network, &c);
}

static uint32_t forces_without_potential(const mote_system *system) {
    uint32_t without = 0;
    for (uint32_t i = 0; i < system->forces.count; i++)
        without += !mote_force_has_potential(&system->forces.forces[i]);
    return without;
}

static double elastic_energy(const mote_system *system) {
    double sum = 0;
    for (uint32_t i = 0; i < system->network_count; i++)
        sum += mote_system_sum_springs(system, system->networks[i]).of[MOTE_SUM_ELASTIC];
    return sum;
}

static mote_sums sum_all(const mote_system *system) {
    mote_sums total = mote_sum_range(&system->def.jobs, system->particles.count, sum_particles, system);
    for (uint32_t i = 0; i < system->strands_count; i++) {
        const coupled c = {.system = system, .strands = system->strands_objects[i]};
        const mote_sums more = mote_sum_range(&system->def.jobs, c.strands->slot_count, sum_strands, &c);
        mote_sums_add(&total, &more);
    }
    for (uint32_t i = 0; i < system->network_count; i++) {
        const mote_sums more = mote_system_sum_network(system, system->networks[i]);
        mote_sums_add(&total, &more);
    }
    return total;
}

mote_result mote_system_statistics(const mote_system *system, mote_statistics *statistics) {
    if (!system || !statistics) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_fpu_state saved = mote_fpu_enter();
    mote_system_set_busy(system, true);
    const mote_sums total = sum_all(system);
    *statistics = (mote_statistics){.mass = total.of[MOTE_SUM_MASS],
                                    .kinetic = total.of[MOTE_SUM_KINETIC],
                                    .potential = total.of[MOTE_SUM_POTENTIAL],
                                    .elastic = elastic_energy(system),
                                    .max_strain_item = MOTE_NO_ITEM,
                                    .forces_without_potential = forces_without_potential(system)};
    memcpy(statistics->momentum, &total.of[MOTE_SUM_MOMENTUM], sizeof statistics->momentum);
    memcpy(statistics->angular_momentum, &total.of[MOTE_SUM_ANGULAR], sizeof statistics->angular_momentum);
    mote_system_set_busy(system, false);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
