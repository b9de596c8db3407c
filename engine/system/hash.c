/* The hash of all state. */
#include "base/hash.h"

#include "forces/force.h"
#include "system/internal.h"

static uint64_t hash_double(uint64_t seed, double value) {
    return mote_hash_bytes(seed, &value, sizeof value);
}

static uint64_t hash_clock(uint64_t hash, const mote_clock *clock) {
    hash = mote_hash_number(hash, clock->step);
    hash = mote_hash_number(hash, clock->remainder);
    hash = mote_hash_number(hash, clock->ticks_per_step);
    hash = mote_hash_number(hash, clock->ticks_per_nanosecond);
    return hash_double(hash, clock->start_time);
}

/* Whether a column is state: the inbox only while it is marked. */
static bool counts(const mote_system *system, int id) {
    bool external_forces = id >= MOTE_COLUMN_EXTERNAL_FORCE && id < MOTE_COLUMN_EXTERNAL_FORCE + 3;
    return system->particles.element_bytes[id] && (!external_forces || system->external_forces_marked);
}

static uint64_t hash_particles(uint64_t hash, const mote_system *system) {
    const mote_particles *particles = &system->particles;
    hash = mote_hash_number(hash, particles->count);
    hash = mote_hash_number(hash, particles->started);
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++)
        if (counts(system, id))
            hash = mote_hash_bytes(mote_hash_number(hash, (uint64_t)id), particles->column[id],
                                   (size_t)particles->count * particles->element_bytes[id]);
    hash = mote_hash_bytes(hash, particles->free_id, particles->free_ids * sizeof(uint32_t));
    return mote_hash_bytes(hash, particles->ids, particles->used_ids * sizeof(mote_id_entry));
}

/* The points of one strand in a column, from the root on. */
static uint64_t hash_run(uint64_t hash, const mote_strands *strands, uint32_t lane, const float *column) {
    float run[MOTE_MAX_STRAND_POINTS];
    const uint32_t points = (uint32_t)strands->points[lane];
    if (!column) return hash;
    column += mote_strands_slot_of(strands, lane, 0);
    for (uint32_t k = 0; k < points; k++) run[k] = column[k * MOTE_GROUP];
    return mote_hash_bytes(hash, run, points * sizeof *run);
}

static uint64_t hash_turn(uint64_t hash, float *const turn[4], uint32_t lane) {
    if (!turn[0]) return hash;
    const float of[4] = {turn[0][lane], turn[1][lane], turn[2][lane], turn[3][lane]};
    return mote_hash_bytes(hash, of, sizeof of);
}

static uint64_t hash_strand(uint64_t hash, const mote_strands *strands, uint32_t lane) {
    float root[2 * MOTE_ROOT_COLUMNS + 2] = {strands->point_inverse_mass[lane], strands->compliance[lane]};
    for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) {
        root[2 + i] = strands->root_from[i][lane];
        root[2 + MOTE_ROOT_COLUMNS + i] = strands->root_to[i][lane];
    }
    hash = mote_hash_bytes(mote_hash_number(hash, (uint64_t)strands->points[lane]), root, sizeof root);
    hash =
        mote_hash_number(mote_hash_number(hash, strands->root_from_tick[lane]), strands->root_to_tick[lane]);
    hash = mote_hash_number(hash, strands->root_pending[lane] + 2u * strands->frozen[lane]);
    hash = hash_turn(hash_turn(hash, strands->root_before, lane), strands->root_last, lane);
    for (int axis = 0; axis < 3; axis++) {
        hash = hash_run(hash, strands, lane, strands->x[axis]);
        hash = hash_run(hash, strands, lane, strands->v[axis]);
        hash = hash_run(hash, strands, lane, strands->previous_x[axis]);
        hash = hash_run(hash, strands, lane, strands->rest_x[axis]);
    }
    hash = hash_run(hash, strands, lane, strands->inverse_mass);
    hash = hash_run(hash, strands, lane, strands->rest_length);
    return hash_run(hash, strands, lane, strands->bend_length);
}

static uint64_t hash_pin(const mote_strands *strands, const mote_pin *pin) {
    const uint32_t point = (pin->slot - mote_strands_slot_of(strands, pin->lane, 0)) / MOTE_GROUP;
    uint64_t hash = mote_hash_number(mote_hash_number(0, strands->strand_of_lane[pin->lane]), point);
    hash = mote_hash_bytes(mote_hash_bytes(hash, pin->from, sizeof pin->from), pin->to, sizeof pin->to);
    hash = mote_hash_number(mote_hash_number(hash, pin->from_tick), pin->to_tick);
    return mote_hash_number(hash, pin->pending);
}

/* In the host's numbering: a sum, because pins lie in the order of their slots. Statistics and reactions are
 * no state. */
static uint64_t hash_strands(uint64_t hash, const mote_strands *strands) {
    const mote_strands_def *def = &strands->def;
    const float settings[] = {def->damping,         def->bend_stiffness,       def->bend_damping,
                              def->pose_stiffness,  def->local_pose_stiffness, def->max_stretch,
                              def->normal_drag,     def->tangential_drag,      def->air_velocity[0],
                              def->air_velocity[1], def->air_velocity[2],      def->radius,
                              def->friction};
    hash = mote_hash_number(mote_hash_number(hash, (uint64_t)def->solver), def->max_iterations);
    hash = mote_hash_bytes(mote_hash_number(hash, def->free_roots), settings, sizeof settings);
    hash = mote_hash_number(mote_hash_number(hash, strands->strand_count), strands->started);
    for (uint32_t strand = 0; strand < strands->strand_count; strand++)
        hash = hash_strand(hash, strands, strands->lane_of_strand[strand]);
    uint64_t pins = 0;
    for (uint32_t i = 0; i < strands->pin_count; i++) pins += hash_pin(strands, &strands->pins[i]);
    return mote_hash_number(hash, pins);
}

/* Some particles in the host's order. */
static uint64_t hash_run_of(uint64_t hash, const float *column, const uint32_t *slot, uint32_t count) {
    float run[MOTE_BLOCK];
    if (!column) return hash;
    for (uint32_t i = 0; i < count; i++) run[i] = column[slot[i]];
    return mote_hash_bytes(hash, run, count * sizeof *run);
}

static uint64_t hash_network_particles(uint64_t hash, const mote_network *network) {
    for (uint32_t first = 0; first < network->particle_count; first += MOTE_BLOCK) {
        const uint32_t left = network->particle_count - first, count = left < MOTE_BLOCK ? left : MOTE_BLOCK;
        const uint32_t *slot = network->slot_of_particle + first;
        for (int axis = 0; axis < 3; axis++) {
            hash = hash_run_of(hash, network->x[axis], slot, count);
            hash = hash_run_of(hash, network->v[axis], slot, count);
            hash = hash_run_of(hash, network->previous_x[axis], slot, count);
        }
        hash = hash_run_of(hash, network->inverse_mass, slot, count);
        hash = hash_run_of(hash, network->own_inverse_mass, slot, count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t island = network->island[slot[i]];
            hash = mote_hash_number(hash, (uint64_t)island << 1 | network->frozen[island]);
        }
    }
    return hash;
}

static uint64_t hash_network_springs(uint64_t hash, const mote_network *network) {
    for (uint32_t number = 0; number < network->spring_end; number++) {
        const mote_network_spring_state *s = &network->spring[number];
        if (s->a == MOTE_NO_SLOT) continue;
        const float values[4] = {s->rest_length, s->stiffness, s->damping, s->tear_strain};
        hash = mote_hash_number(mote_hash_number(hash, number), network->particle_of_slot[s->a]);
        hash =
            mote_hash_bytes(mote_hash_number(hash, network->particle_of_slot[s->b]), values, sizeof values);
    }
    return hash;
}

static uint64_t hash_target(const float *from, const float *to, size_t bytes, uint64_t item,
                            const uint64_t ticks[2], bool pending) {
    uint64_t hash = mote_hash_bytes(mote_hash_bytes(mote_hash_number(0, item), from, bytes), to, bytes);
    return mote_hash_number(mote_hash_number(mote_hash_number(hash, ticks[0]), ticks[1]), pending);
}

/* A sum, because pins lie in the order of their slots and reels in that of their blocks. */
static uint64_t hash_network_targets(const mote_network *network) {
    uint64_t pins = 0, reels = 0;
    for (uint32_t i = 0; i < network->pin_count; i++) {
        const mote_network_pin_state *pin = &network->pins[i];
        const uint64_t ticks[2] = {pin->from_tick, pin->to_tick};
        pins += hash_target(pin->from, pin->to, sizeof pin->to, network->particle_of_slot[pin->slot], ticks,
                            pin->pending);
    }
    for (uint32_t i = 0; i < network->reel_count; i++) {
        const mote_network_reel_state *reel = &network->reels[i];
        const uint64_t ticks[2] = {reel->from_tick, reel->to_tick};
        reels += hash_target(&reel->from, &reel->to, sizeof reel->to, reel->spring, ticks, reel->pending);
    }
    return mote_hash_number(mote_hash_number(pins, network->pin_count), reels);
}

/* In the host's numbering, whatever the layout. Reactions and what is measured are no state. */
static uint64_t hash_network(uint64_t hash, const mote_network *network) {
    const mote_network_def *def = &network->def;
    const float settings[] = {def->max_strain, def->radius, def->friction};
    const uint32_t counts[] = {(uint32_t)def->solver,   (uint32_t)def->policy, def->max_substeps,
                               def->growth_allowed,     def->max_iterations,   def->max_linear,
                               network->particle_count, network->spring_count, network->started,
                               network->substeps,       network->rigid};
    hash = mote_hash_bytes(mote_hash_bytes(hash, settings, sizeof settings), counts, sizeof counts);
    hash = hash_network_springs(hash_network_particles(hash, network), network);
    return mote_hash_number(hash, hash_network_targets(network));
}

static uint64_t hash_end(uint64_t hash, const mote_link_end *end) {
    const uint32_t of[5] = {end->network.index, end->particle, end->strands.index, end->strand, end->point};
    return mote_hash_bytes(hash, of, sizeof of);
}

static uint64_t hash_link(uint64_t hash, const mote_link *link) {
    const float values[3] = {link->rest_length, link->stiffness, link->damping};
    return mote_hash_bytes(hash_end(hash_end(hash, &link->a), &link->b), values, sizeof values);
}

static uint64_t hash_collider(uint64_t hash, const mote_collider *collider) {
    const mote_collider_def *def = &collider->def;
    const mote_motion *motion = &collider->motion;
    const float shape[] = {def->radius,    def->half_length, def->extent[0],
                           def->extent[1], def->extent[2],   def->friction};
    hash = mote_hash_bytes(mote_hash_number(hash, (uint64_t)def->kind), shape, sizeof shape);
    hash = mote_hash_bytes(hash, &motion->from, sizeof motion->from);
    hash = mote_hash_bytes(hash, &motion->to, sizeof motion->to);
    hash = mote_hash_number(mote_hash_number(hash, motion->from_tick), motion->to_tick);
    return mote_hash_number(hash, motion->pending);
}

uint64_t mote_system_hash(const mote_system *system) {
    if (!system) return 0;
    uint64_t hash = hash_clock(mote_hash_number(0, MOTE_COLUMN_COUNT), &system->clock);
    hash = mote_hash_number(hash, (uint64_t)system->def.integrator);
    hash = mote_hash_number(hash, system->def.substeps);
    hash = mote_hash_bytes(hash, &system->def.uniform_mass, sizeof system->def.uniform_mass);
    for (uint32_t i = 0; i < system->forces.count; i++)
        hash = mote_force_hash(&system->forces.forces[i], hash);
    hash = hash_particles(hash, system);
    for (uint32_t i = 0; i < system->strands_count; i++)
        hash = hash_strands(hash, system->strands_objects[i]);
    for (uint32_t i = 0; i < system->network_count; i++) hash = hash_network(hash, system->networks[i]);
    for (uint32_t i = 0; i < system->links.count; i++) hash = hash_link(hash, &system->links.links[i].link);
    for (uint32_t i = 0; i < system->colliders.count; i++)
        hash = hash_collider(hash, &system->colliders.colliders[i]);
    return hash;
}
