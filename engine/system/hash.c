/* The hash of all state. */
#include "base/hash.h"

#include "data/grid.h"
#include "forces/table.h"
#include "system/internal.h"

static uint64_t hash_double(uint64_t seed, double value) { return mote_hash_bytes(seed, &value, sizeof value); }

static uint64_t hash_clock(uint64_t hash, const mote_clock *clock) {
    hash = mote_hash_number(hash, clock->step);
    hash = mote_hash_number(hash, clock->remainder);
    hash = mote_hash_number(hash, clock->ticks_per_step);
    hash = mote_hash_number(hash, clock->ticks_per_nanosecond);
    return hash_double(hash, clock->start_time);
}

/* A callback counts with what it promises, not with addresses, which differ from run to run. */
static uint64_t hash_force(uint64_t hash, const mote_force_def *def) {
    hash = mote_hash_number(hash, (uint64_t)def->kind);
    if (def->kind == MOTE_FORCE_CALLBACK) {
        hash = mote_hash_number(hash, (uint64_t)def->as.callback.unit);
        return mote_hash_number(hash, (uint64_t)def->as.callback.reach);
    }
    if (def->kind == MOTE_FORCE_GRID) hash = mote_hash_number(hash, def->as.grid.grid->hash);
    hash = mote_hash_bytes(hash, &def->region, sizeof def->region);
    hash = mote_hash_number(mote_hash_bytes(hash, &def->drag, sizeof def->drag), (uint64_t)def->use);
    return mote_hash_bytes(hash, mote_force_parameters(def), mote_force_table[def->kind]->words * sizeof(float));
}

/* Whether a column is state: the inbox only while it is marked. */
static bool counts(const mote_system *system, int id) {
    bool inbox = id >= MOTE_COLUMN_INBOX && id < MOTE_COLUMN_INBOX + 3;
    return system->particles.element_bytes[id] && (!inbox || system->inbox_marked);
}

static uint64_t hash_particles(uint64_t hash, const mote_system *system) {
    const mote_particles *particles = &system->particles;
    hash = mote_hash_number(hash, particles->count);
    hash = mote_hash_number(hash, particles->started);
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++)
        if (counts(system, id))
            hash = mote_hash_bytes(mote_hash_number(hash, (uint64_t)id), particles->column[id],
                                   (size_t)particles->count * particles->element_bytes[id]);
    hash = mote_hash_bytes(hash, particles->free_handle, particles->free_handles * sizeof(uint32_t));
    return mote_hash_bytes(hash, particles->handles, particles->used_handles * sizeof(mote_handle_entry));
}

uint64_t mote_system_hash(const mote_system *system) {
    if (!system) return 0;
    uint64_t hash = hash_clock(mote_hash_number(0, MOTE_COLUMN_COUNT), &system->clock);
    hash = mote_hash_number(hash, (uint64_t)system->def.integrator);
    hash = mote_hash_number(hash, system->def.substeps);
    hash = mote_hash_bytes(hash, &system->def.uniform_mass, sizeof system->def.uniform_mass);
    for (uint32_t i = 0; i < system->forces.count; i++) hash = hash_force(hash, &system->forces.forces[i]);
    return hash_particles(hash, system);
}
