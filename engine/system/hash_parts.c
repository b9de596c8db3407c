/* Hashes of all state of a system, and of what calls have set: clock, settings, links, colliders, emitters.
 */
#include "base/hash.h"

#include "forces/force.h"
#include "particles/emitters.h"
#include "system/internal.h"

#define HASH_SEED 31 /* of hashes of a system */

uint64_t mote_hash_clock(uint64_t hash, const mote_clock *clock) {
    hash = mote_hash_number(hash, clock->step);
    hash = mote_hash_number(hash, clock->remainder);
    hash = mote_hash_number(hash, clock->ticks_per_step);
    hash = mote_hash_number(hash, clock->ticks_per_nanosecond);
    return mote_hash_doubles(hash, &clock->start_time, sizeof clock->start_time);
}

static uint64_t hash_end(uint64_t hash, const mote_link_end *end) {
    const uint32_t of[5] = {end->network.index, end->particle, end->strands.index, end->strand, end->point};
    return mote_hash_words(hash, of, sizeof of);
}

uint64_t mote_hash_link(uint64_t hash, const mote_link *link) {
    const float values[3] = {link->rest_length, link->stiffness, link->damping};
    return mote_hash_words(hash_end(hash_end(hash, &link->a), &link->b), values, sizeof values);
}

uint64_t mote_hash_settings(uint64_t hash, const mote_system *system) {
    hash = mote_hash_number(hash, (uint64_t)system->def.integrator);
    hash = mote_hash_number(hash, system->def.substeps);
    hash = mote_hash_words(hash, &system->def.mass, sizeof system->def.mass);
    if (system->def.orientation) {
        const float body[] = {system->def.inertia[0], system->def.inertia[1], system->def.inertia[2],
                              system->def.spin_drag};
        const uint64_t choices =
            (uint64_t)system->def.principal_moments | (uint64_t)system->def.inertia_column << 1;
        hash = mote_hash_words(mote_hash_number(hash, choices), body, sizeof body);
    }
    if (!mote_system_collides(system)) return hash;
    const float contact[] = {system->def.collision_radius, system->def.friction};
    return mote_hash_words(hash, contact, sizeof contact);
}

/* Hashes the links, colliders and emitters. */
static uint64_t hash_lists(const mote_system *system, uint64_t hash) {
    for (uint32_t i = 0; i < system->links.list.count; i++)
        hash = mote_hash_link(hash, &mote_link_at(&system->links, i)->link);
    for (uint32_t i = 0; i < system->colliders.list.count; i++)
        hash = mote_collider_hash(hash, mote_collider_at(&system->colliders, i));
    for (uint32_t i = 0; i < system->emitters.count; i++)
        hash = mote_emitter_hash(hash, &system->emitters, i);
    return hash;
}

static uint64_t hash_forces(const mote_system *system, uint64_t hash) {
    for (uint32_t i = 0; i < system->forces.count; i++)
        hash = mote_force_hash((const mote_force_def *)system->forces.items + i, hash);
    return hash;
}

uint64_t mote_system_hash_state(const mote_system *system) {
    mote_range *range;
    const mote_fpu_state saved = mote_fpu_enter();
    uint64_t hash = mote_hash_clock(mote_hash_number(0, HASH_SEED), &system->clock);
    hash = hash_forces(system, mote_hash_settings(hash, system));
    hash = mote_particles_kind.hash(&system->particles.range, hash);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++)
        hash = range->kind->hash(range, hash);
    hash = hash_lists(system, hash);
    mote_fpu_leave(saved);
    return hash;
}

uint64_t mote_system_hash_calls(const mote_system *system) {
    mote_range *range;
    uint64_t hash = mote_hash_settings(mote_hash_clock(system->hook != NULL, &system->clock), system);
    hash = mote_particles_hash_calls(&system->particles, hash_forces(system, hash));
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++)
        hash = range->kind->hash_calls(range, range->kind->hash_settings(range, hash));
    return hash_lists(system, hash);
}
