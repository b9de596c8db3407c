/* Hash of all state of a system. */
#include "base/hash.h"

#include "forces/force.h"
#include "system/internal.h"

static uint64_t hash_clock(uint64_t hash, const mote_clock *clock) {
    hash = mote_hash_number(hash, clock->step);
    hash = mote_hash_number(hash, clock->remainder);
    hash = mote_hash_number(hash, clock->ticks_per_step);
    hash = mote_hash_number(hash, clock->ticks_per_nanosecond);
    return mote_hash_bytes(hash, &clock->start_time, sizeof clock->start_time);
}

static uint64_t hash_end(uint64_t hash, const mote_link_end *end) {
    const uint32_t of[5] = {end->network.index, end->particle, end->strands.index, end->strand, end->point};
    return mote_hash_bytes(hash, of, sizeof of);
}

static uint64_t hash_link(uint64_t hash, const mote_link *link) {
    const float values[3] = {link->rest_length, link->stiffness, link->damping};
    return mote_hash_bytes(hash_end(hash_end(hash, &link->a), &link->b), values, sizeof values);
}

uint64_t mote_system_hash(const mote_system *system) {
    mote_range *range;
    if (!system) return 0;
    const mote_fpu_state saved = mote_fpu_enter();
    uint64_t hash = hash_clock(mote_hash_number(0, MOTE_COLUMN_COUNT), &system->clock);
    hash = mote_hash_number(hash, (uint64_t)system->def.integrator);
    hash = mote_hash_number(hash, system->def.substeps);
    hash = mote_hash_bytes(hash, &system->def.uniform_mass, sizeof system->def.uniform_mass);
    for (uint32_t i = 0; i < system->forces.count; i++)
        hash = mote_force_hash((const mote_force_def *)system->forces.items + i, hash);
    hash = mote_particles_kind.hash(&system->particles.range, hash);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++)
        hash = range->kind->hash(range, hash);
    for (uint32_t i = 0; i < system->links.list.count; i++)
        hash = hash_link(hash, &mote_link_at(&system->links, i)->link);
    for (uint32_t i = 0; i < system->colliders.list.count; i++)
        hash = mote_collider_hash(hash, mote_collider_at(&system->colliders, i));
    mote_fpu_leave(saved);
    return hash;
}
