/* A system in a cluster (mote/cluster.h): joining, comparing calls, dividing ranges, gathering. */
#include <mote/cluster.h>

#include <string.h>

#include "base/archive.h"
#include "base/hash.h"
#include "particles/meet.h"
#include "system/internal.h"

/* Bytes that the stages of all ranks have together, and the least and most of one. */
#define STAGES      (4u << 20)
#define LEAST_STAGE (4u << 10)
#define MOST_STAGE  (256u << 10)

/* Chunks of loose particles that a rank gets, and the most slots of one: columns of this length are worth a
 * task of their own. */
#define CHUNKS     64u
#define MOST_SLOTS 65536u

/* --- Joining --- */

/* Deals the slots. Returns false where there are fewer chunks than ranks. */
static bool deal(mote_peers *peers, uint32_t capacity) {
    const uint64_t ranks = peers->transport.ranks, wanted = capacity / (ranks * CHUNKS);
    const uint64_t chunk = mote_round_up(wanted < MOST_SLOTS ? (size_t)wanted : MOST_SLOTS, MOTE_GROUP);
    peers->slots = (mote_deal){peers->transport.ranks, chunk ? (uint32_t)chunk : MOTE_GROUP, NULL};
    return capacity == 0 || (ranks - 1) * peers->slots.chunk < capacity;
}

static mote_result check(const mote_system *system, const mote_transport *transport) {
    if (!system || !transport || !transport->gather || !transport->exchange || !transport->wait)
        return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    return system->peers || transport->rank >= transport->ranks ? MOTE_ERROR_RANGE : MOTE_OK;
}

static size_t peers_bytes(mote_peers *peers, const mote_particles *particles, unsigned char *memory) {
    const size_t ranks = peers->transport.ranks, stage = STAGES / ranks;
    peers->stage_bytes = stage < LEAST_STAGE ? LEAST_STAGE : stage < MOST_STAGE ? stage : MOST_STAGE;
    peers->row_bytes = mote_meet_bytes(particles);
    size_t bytes = mote_round_up(sizeof *peers, MOTE_CACHE_LINE);
    if (memory) peers->stage = memory + bytes;
    bytes += (ranks + 1) * peers->stage_bytes;
    if (memory) peers->rows = memory + bytes;
    bytes += mote_round_up(peers->row_bytes, MOTE_CACHE_LINE);
    if (memory) peers->message = (mote_message *)(void *)(memory + bytes);
    return bytes + 2 * ranks * sizeof *peers->message;
}

static void release(const mote_system *system, mote_peers *peers) {
    mote_peers measured = *peers;
    mote_release(&system->allocator, peers, peers_bytes(&measured, &system->particles, NULL));
}

static mote_result reserve(const mote_system *system, const mote_transport *transport, mote_peers **peers) {
    mote_peers made = {.transport = *transport, .complete = true};
    unsigned char *memory = mote_allocate(&system->allocator, peers_bytes(&made, &system->particles, NULL));
    if (!memory) return MOTE_ERROR_MEMORY;
    peers_bytes(&made, &system->particles, memory);
    *peers = memcpy(memory, &made, sizeof made);
    return deal(*peers, system->particles.capacity) ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* Returns the hash of the columns that are alike on all ranks: births, lifetimes and initial ages of
 * particles that were spawned, and all that the host can see without a message, in which it may have written.
 */
static uint64_t hash_of_columns(const mote_system *system, const mote_peers *peers) {
    const mote_range *range;
    const bool spawned = peers->lent & MOTE_LENT_SPAWNED;
    uint64_t hash = peers->lent;
    if (peers->transport.ranks > 1 && (spawned || peers->complete))
        hash = mote_particles_hash_columns(&system->particles, !spawned, !(peers->lent & MOTE_LENT_FORCES),
                                           hash);
    if (peers->transport.ranks == 1 || !peers->complete) return hash;
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++) {
        const size_t bytes = range->slot_count * sizeof(float);
        for (int axis = 0; axis < 3; axis++)
            hash = mote_hash_pieces(mote_hash_pieces(hash, range->x[axis], bytes), range->v[axis], bytes);
    }
    return hash;
}

/* Returns the hash of what all ranks must have alike: the def, apart from its instruction set, jobs and
 * allocator, the capacity, which may have grown, the calls so far, of which `written` is the hash of those
 * that have written state, and the columns in which the host may have written. */
static uint64_t hash_of_system(const mote_system *system, const mote_peers *peers) {
    const mote_system_def *def = &system->def;
    const uint32_t choices[] = {system->particles.capacity,
                                def->max_steps_per_advance,
                                (uint32_t)def->late_policy,
                                (uint32_t)def->interpolation,
                                def->mass_column,
                                def->particle_ids,
                                def->lifetimes,
                                def->initial_ages,
                                def->anchor_column,
                                def->external_forces,
                                def->collisions,
                                def->sticking,
                                def->radius_column,
                                def->orientation,
                                def->principal_moments,
                                def->inertia_column,
                                def->external_torques,
                                def->max_deaths,
                                def->max_births,
                                def->max_hits,
                                (uint32_t)def->loop_order,
                                def->extra_count};
    const float values[] = {def->collision_radius, def->friction, def->spin_drag};
    uint64_t hash = mote_hash_number(mote_system_hash_calls(system), peers->written);
    hash = mote_hash_number(hash, hash_of_columns(system, peers));
    hash = mote_hash_words(hash, choices, sizeof choices);
    hash = mote_hash_words(hash, values, sizeof values);
    hash = mote_hash_words(hash, def->inertia, sizeof def->inertia);
    return mote_hash_words(hash, def->extra_bytes, def->extra_count * sizeof *def->extra_bytes);
}

/* Begins the record of calls with a state that every rank has. */
static void start_calls(const mote_system *system, mote_peers *peers) {
    const mote_particles *p = &system->particles;
    const bool waits = p->external_forces_marked || p->external_torques_marked;
    peers->complete = true;
    peers->lent = waits ? MOTE_LENT_FORCES : 0;
    peers->written = mote_system_hash_state(system);
}

void mote_system_restart_calls(mote_system *system) {
    if (system->peers) start_calls(system, system->peers);
}

mote_result mote_system_join(mote_system *system, const mote_transport *transport) {
    mote_result result = check(system, transport);
    if (result) return result;
    mote_peers *peers = NULL;
    result = reserve(system, transport, &peers);
    if (!peers) return result;
    start_calls(system, peers);
    const mote_fpu_state saved = mote_fpu_enter();
    const uint64_t own[2] = {hash_of_system(system, peers), (uint64_t)result};
    const mote_result agreed = mote_peers_agree(peers, own);
    mote_fpu_leave(saved);
    if (agreed || result)
        release(system, peers);
    else
        system->peers = peers;
    return agreed ? agreed : result;
}

void mote_system_leave(mote_system *system) {
    if (system->peers) release(system, system->peers);
    system->peers = NULL;
}

/* --- Division --- */

static mote_result divide_range(const mote_system *system, mote_range *range) {
    const mote_result result = range->kind->divide(range, system->peers, &system->allocator);
    range->dividable = result == MOTE_OK;
    return result == MOTE_ERROR_UNSUPPORTED ? MOTE_OK : result;
}

/* Reserves the bounds of a range: units, slots and lanes, and finds them. Error: MEMORY. */
static mote_result find_bounds(const mote_system *system, mote_range *range) {
    const size_t each = system->peers->transport.ranks + 1;
    range->dividable = false;
    if (system->hook || range->link_count) return MOTE_OK;
    if (range->bound.unit) return divide_range(system, range);
    uint32_t *bounds = mote_allocate(&system->allocator, mote_division_bytes(system->peers->transport.ranks));
    if (!bounds) return MOTE_ERROR_MEMORY;
    memset(bounds, 0, mote_division_bytes(system->peers->transport.ranks));
    range->bound = (mote_division){bounds, bounds + each, bounds + 2 * each};
    return divide_range(system, range);
}

static bool particles_are_divided(const mote_system *system) {
    return !system->hook && !system->def.max_deaths && !system->def.max_hits &&
           !mote_forces_reach_range(system->forces.items, system->forces.count);
}

static bool set_divided(mote_range *range, bool divided, mote_peers *peers) {
    range->was_divided = range->divided;
    range->divided = divided;
    range->peers = divided ? peers : NULL;
    return divided;
}

/* An advance of no steps leaves to be gathered what the last one left. */
static void end_divided(mote_range *range, uint64_t steps) {
    range->peers = NULL;
    if (!steps) range->divided = range->was_divided;
}

/* Whether the host may have written in columns of loose particles on their owner alone. */
static bool is_for_owners(const mote_peers *peers) {
    return peers->lent & (MOTE_LENT_SPAWNED | MOTE_LENT_FORCES);
}

/* Divides the steps that follow. A range that ceases to be divided needs its whole state first, and so do
 * particles that the host filled on their owner and every rank steps. */
static void divide(mote_system *system) {
    mote_peers *peers = system->peers;
    mote_range *range, *particles = &system->particles.range;
    bool whole = !particles_are_divided(system) && (particles->divided || is_for_owners(peers));
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++)
        whole |= range->divided && !range->dividable;
    if (whole) mote_system_fetch(system);
    bool any = set_divided(particles, particles_are_divided(system) && particles->slot_count, peers);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++)
        any |= set_divided(range, range->dividable, peers);
    peers->was_complete = peers->complete;
    peers->complete &= !any;
}

/* --- Comparing calls --- */

static mote_result compare(const mote_system *system, uint64_t call, uint64_t argument) {
    const mote_fpu_state saved = mote_fpu_enter();
    const uint64_t own[2] = {mote_hash_number(mote_hash_number(call, argument), call),
                             hash_of_system(system, system->peers)};
    const mote_result result = mote_peers_agree(system->peers, own);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_system_calls(const mote_system *system, const mote_transport *transport, uint64_t *hash) {
    if (hash) *hash = 0;
    if (!transport || !hash) return MOTE_ERROR_NULL;
    const mote_result result = mote_system_at_rest(system);
    if (result) return result;
    const mote_transport *joined = system->peers ? &system->peers->transport : NULL;
    if (!joined || joined->user != transport->user || joined->gather != transport->gather)
        return MOTE_ERROR_CLUSTER;
    const mote_fpu_state saved = mote_fpu_enter();
    *hash = hash_of_system(system, system->peers);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

enum { CALL_GATHER = 1, CALL_ADVANCE };

mote_result mote_system_begin_advance(mote_system *system, uint64_t argument, mote_result own) {
    mote_peers *peers = system ? system->peers : NULL;
    mote_range *range;
    if (!peers || own == MOTE_ERROR_BUSY) return own;
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)) && own == MOTE_OK; i++)
        own = find_bounds(system, range);
    const mote_result result = compare(system, CALL_ADVANCE + (uint64_t)own, argument);
    if (result || own) return result ? result : own;
    divide(system);
    return peers->result;
}

mote_result mote_system_end_advance(mote_system *system, uint64_t steps) {
    mote_range *range;
    if (!system->peers) return MOTE_OK;
    system->peers->steps += steps;
    end_divided(&system->particles.range, steps);
    for (uint32_t i = 0; (range = mote_system_range_number(system, i)); i++) end_divided(range, steps);
    if (steps)
        system->peers->lent = 0;
    else
        system->peers->complete = system->peers->was_complete;
    return system->peers->result;
}

/* --- Gathering --- */

/* Gathers the columns of a range that was divided. */
static void gather_range(mote_peers *peers, mote_range *range) {
    const uint32_t ranks = peers->transport.ranks;
    const mote_division *bound = &range->bound;
    mote_archive a = {.task = MOTE_ARCHIVE_GATHER, .peers = peers};
    if (!range->divided) return;
    a.deal[0] = bound->slot ? (mote_deal){ranks, 0, bound->slot} : peers->slots;
    a.items[0] = range->slot_count;
    a.deal[1] = (mote_deal){ranks, 0, bound->lane};
    a.items[1] = bound->lane ? bound->lane[ranks] : 0;
    range->kind->archive(range, &a);
}

mote_result mote_system_fetch(const mote_system *system) {
    mote_peers *peers = system->peers;
    mote_system *changed = (mote_system *)(uintptr_t)system; /* systems are never const objects */
    mote_range *range, *particles = &changed->particles.range;
    if (!peers || (peers->complete && (system->in_hook || !is_for_owners(peers)))) return MOTE_OK;
    const mote_result result = compare(system, CALL_GATHER, 0);
    if (result) return result;
    particles->divided |= is_for_owners(peers);
    gather_range(peers, particles);
    for (uint32_t i = 0; !peers->complete && (range = mote_system_range_number(system, i)); i++)
        gather_range(peers, range);
    mote_peers_gather_end(peers);
    mote_particles_seal(&changed->particles);
    peers->complete = peers->result == MOTE_OK;
    return peers->result;
}

void mote_system_lend(mote_system *system, uint32_t what) {
    if (system->peers && !system->busy) system->peers->lent |= what;
}

mote_result mote_system_gather(mote_system *system) {
    const mote_result result = mote_system_at_rest(system);
    return result ? result : mote_system_fetch(system);
}

void mote_system_deal_again(mote_system *system) {
    if (system->peers) (void)deal(system->peers, system->particles.capacity);
}

bool mote_system_owns(const mote_system *system, uint32_t slot) {
    if (!system || !system->peers) return true;
    return mote_deal_owner(&system->peers->slots, slot) == system->peers->transport.rank;
}

mote_result mote_system_cluster_report(const mote_system *system, mote_cluster_report *report) {
    if (!system || !report) return MOTE_ERROR_NULL;
    *report = (mote_cluster_report){0};
    const mote_peers *peers = system->peers;
    if (!peers) return MOTE_OK;
    *report = (mote_cluster_report){peers->steps, peers->bytes[MOTE_TRAFFIC_CHECK],
                                    peers->bytes[MOTE_TRAFFIC_STATE], peers->bytes[MOTE_TRAFFIC_GATHER],
                                    peers->messages};
    return MOTE_OK;
}
