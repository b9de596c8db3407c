/* Signature of a network: the hash of all that its def determines, by which a snapshot finds its network. */
#include "base/hash.h"

#include "networks/network.h"

uint64_t mote_network_signature(const mote_network *n) {
    const mote_network_def *def = &n->def;
    const float settings[] = {def->max_strain, def->radius, def->friction};
    const uint32_t numbers[] = {(uint32_t)def->solver, (uint32_t)def->policy, def->max_substeps,
                                def->growth_allowed,   def->max_iterations,   def->max_linear,
                                def->spring_capacity,  n->particle_count,     n->block_count,
                                n->island_count,       n->range.slot_count};
    uint64_t hash = mote_hash_words(mote_hash_words(0, settings, sizeof settings), numbers, sizeof numbers);
    for (uint32_t i = 0; i < n->block_count; i++) hash = mote_hash_number(hash, n->block[i].first);
    hash = mote_hash_words(hash, n->island, n->range.slot_count * sizeof *n->island);
    hash = mote_hash_words(hash, n->slot_of_particle, n->particle_count * sizeof *n->slot_of_particle);
    return mote_hash_words(hash, n->own_inverse_mass, n->range.slot_count * sizeof *n->own_inverse_mass);
}
