/* Hash of a network's state, in the host's numbering. */
#include "base/hash.h"

#include "networks/network.h"

enum { RUN = 256 }; /* particles */

/* Hashes one column of a run of particles, in the host's order. */
static uint64_t hash_run_of(uint64_t hash, const float *column, const uint32_t *slot, uint32_t count) {
    float run[RUN];
    if (!column) return hash;
    for (uint32_t i = 0; i < count; i++) run[i] = column[slot[i]];
    return mote_hash_words(hash, run, count * sizeof *run);
}

/* Hashes the low parts of the places of a run of particles; the columns kept for them are no state. */
static uint64_t hash_low_parts(uint64_t hash, const mote_network *network, const uint32_t *slot,
                               uint32_t count) {
    float run[RUN][3];
    if (!network->relative_x[0]) return hash;
    for (uint32_t i = 0; i < count; i++) mote_network_low_part(network, slot[i], run[i]);
    return mote_hash_words(hash, run, count * sizeof *run);
}

/* Hashes particles first .. end - 1. */
static uint64_t hash_particles(uint64_t hash, const mote_network *network, uint32_t first, uint32_t end) {
    for (; first < end; first += RUN) {
        const uint32_t left = end - first, count = left < RUN ? left : RUN;
        const uint32_t *slot = network->slot_of_particle + first;
        for (int axis = 0; axis < 3; axis++) {
            hash = hash_run_of(hash, network->range.x[axis], slot, count);
            hash = hash_run_of(hash, network->range.v[axis], slot, count);
            hash = hash_run_of(hash, network->range.previous_x[axis], slot, count);
            hash = hash_run_of(hash, network->previous_low[axis], slot, count);
        }
        hash = hash_low_parts(hash, network, slot, count);
        hash = hash_run_of(hash, network->range.inverse_mass, slot, count);
        hash = hash_run_of(hash, network->own_inverse_mass, slot, count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t island = network->island[slot[i]];
            hash = mote_hash_number(hash, (uint64_t)island << 1 | network->frozen[island]);
        }
    }
    return hash;
}

/* Hashes springs first .. end - 1. */
static uint64_t hash_springs(uint64_t hash, const mote_network *network, uint32_t first, uint32_t end) {
    for (uint32_t number = first; number < end; number++) {
        const mote_network_spring_state *s = &network->spring[number];
        if (s->a == MOTE_NO_SLOT) continue;
        const float values[4] = {s->rest_length, s->stiffness, s->damping, s->tear_strain};
        hash = mote_hash_number(mote_hash_number(hash, number), network->particle_of_slot[s->a]);
        hash =
            mote_hash_words(mote_hash_number(hash, network->particle_of_slot[s->b]), values, sizeof values);
    }
    return hash;
}

static uint64_t hash_pin(const mote_network *network, const mote_pin *pin) {
    uint64_t hash = mote_hash_number(0, network->particle_of_slot[pin->slot]);
    if (network->relative_x[0]) hash = mote_hash_words(hash, pin->from_low, sizeof pin->from_low);
    return mote_travel_hash(hash, pin->from, pin->to, sizeof pin->to, &pin->travel);
}

static uint64_t hash_reel(const mote_pin *reel) {
    return mote_travel_hash(mote_hash_number(0, reel->spring), reel->from, reel->to, sizeof *reel->to,
                            &reel->travel);
}

/* Sums the hashes of pins and reels, since pins are stored by slot and reels by block. */
static uint64_t hash_targets(const mote_network *network) {
    const mote_pin_list *list = &network->range.pins;
    uint64_t pins = 0, reels = 0;
    for (uint32_t i = 0; i < list->count; i++) pins += hash_pin(network, &list->pins[i]);
    for (uint32_t i = 0; i < network->reels.count; i++) reels += hash_reel(&network->reels.pins[i]);
    return mote_hash_number(mote_hash_number(pins, list->count), reels);
}

uint64_t mote_network_hash_settings(const mote_range *range, uint64_t hash) {
    const mote_network *network = mote_const_network_of(range);
    const mote_network_def *def = &network->def;
    const float settings[] = {def->max_strain, def->radius, def->friction};
    const uint32_t counts[] = {(uint32_t)def->solver,   (uint32_t)def->policy, def->max_substeps,
                               def->growth_allowed,     def->max_iterations,   def->max_linear,
                               network->particle_count, network->spring_count, network->range.started,
                               network->substeps,       network->rigid};
    return mote_hash_words(mote_hash_words(hash, settings, sizeof settings), counts, sizeof counts);
}

uint64_t mote_network_hash_calls(mote_range *range, uint64_t hash) {
    mote_network *network = mote_network_of(range);
    if (mote_network_renew(network, &network->call_edits))
        network->springs_hash = hash_springs(0, network, 0, network->spring_end);
    return mote_hash_number(mote_hash_number(hash, network->springs_hash), hash_targets(network));
}

/* Independent of the layout. Reactions and statistics are not part of the state. */
uint64_t mote_network_hash(const mote_range *range, uint64_t hash) {
    const mote_network *network = mote_const_network_of(range);
    hash = mote_network_hash_settings(range, hash);
    hash = hash_particles(hash, network, 0, network->particle_count);
    hash = hash_springs(hash, network, 0, network->spring_end);
    return mote_hash_number(hash, hash_targets(network));
}

/* --- Items --- */

uint32_t mote_network_count_items(const mote_range *range, bool springs) {
    const mote_network *network = mote_const_network_of(range);
    return springs ? network->spring_end : network->particle_count;
}

static uint64_t hash_particle_items(const mote_network *network, uint32_t first, uint32_t count) {
    uint64_t hash = hash_particles(0, network, first, first + count);
    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t slot = network->slot_of_particle[i];
        const mote_pin *pin =
            mote_pins_find(&network->range.pins, mote_network_block_of(network, slot), slot);
        if (pin) hash = mote_hash_number(hash, hash_pin(network, pin));
    }
    return hash;
}

static uint64_t hash_spring_items(const mote_network *network, uint32_t first, uint32_t count) {
    uint64_t hash = hash_springs(0, network, first, first + count);
    for (uint32_t i = first; i < first + count; i++) {
        if (!mote_network_has_spring(network, i)) continue;
        const uint32_t block = mote_network_block_of(network, network->spring[i].a);
        const mote_pin *reel = mote_pins_find(&network->reels, block, i);
        if (reel) hash = mote_hash_number(hash, hash_reel(reel));
    }
    return hash;
}

uint64_t mote_network_hash_items(const mote_range *range, bool springs, uint32_t first, uint32_t count) {
    const mote_network *network = mote_const_network_of(range);
    return springs ? hash_spring_items(network, first, count) : hash_particle_items(network, first, count);
}
