/* The system, and the checks and searches that its calls have in common. */
#ifndef MOTE_SYSTEM_INTERNAL_H
#define MOTE_SYSTEM_INTERNAL_H

#include <mote/system.h>

#include "base/allocator.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fpu.h"
#include "links/links.h"
#include "particles/particles.h"
#include "stage/present.h"
#include "system/clock.h"
#include "system/kinds.h"

struct mote_system {
    mote_system_def def;
    mote_allocator allocator;
    uint32_t mark; /* generation of all its ids except those of particles; no other system has it */
    const mote_present_kernels *present;
    mote_clock clock;
    mote_particles particles;
    mote_id_list forces; /* items: mote_force_def, in the order of addition */
    /* The last callback of each number that the system has had, for restores; the oldest one makes way once
     * there are MOTE_MAX_FORCES. Not state. */
    mote_id_list callbacks;
    uint32_t oldest_callback;
    mote_collider_list colliders;
    mote_id_list emitters;                /* items: mote_emitter, in the order of addition */
    mote_id_list ranges[MOTE_KIND_COUNT]; /* items: mote_range * */
    mote_link_list links;
    float *scratch; /* large enough for a step of any of its ranges, one at a time */
    size_t scratch_bytes;
    mote_peers *peers;    /* NULL: the system steps alone */
    mote_step_hook *hook; /* NULL: none */
    void *hook_user;
    bool busy;    /* a step runs, or a query evaluates forces */
    bool in_hook; /* busy, but particles may be edited */
    bool claimed; /* already checked by mote_systems_advance: detects a system given twice */
};

/* --- Ids: ranges.c --- */

/* Id of an item of any kind; MOTE_ID converts the public types. */
typedef struct mote_id {
    uint32_t index, generation;
} mote_id;
#define MOTE_ID(id) ((mote_id){(id).index, (id).generation})

/* Checks that a call may read or change the system. Errors: NULL, BUSY. */
MOTE_INLINE mote_result mote_system_at_rest(const mote_system *system) {
    if (!system) return MOTE_ERROR_NULL;
    return system->busy ? MOTE_ERROR_BUSY : MOTE_OK;
}

/* Returns whether particles may be edited: at rest, and in the step hook. */
MOTE_INLINE bool mote_system_may_edit(const mote_system *system) { return !system->busy || system->in_hook; }

/* Finds the position of an item in a list of the system. Errors: NULL, BUSY, ID. */
mote_result mote_system_find(const mote_system *system, const mote_id_list *list, mote_id id,
                             uint32_t *place);

/* --- Ranges: ranges.c --- */

/* Returns the range that an id names, or NULL. */
mote_range *mote_system_range(const mote_system *system, mote_kind kind, mote_id id);

/* Returns the range with its whole state (mote_system_fetch), or NULL. */
mote_range *mote_system_read_range(const mote_system *system, mote_kind kind, mote_id id);

/* Finds the range that an id names, for calls that are not allowed while the system is busy and do not touch
 * what steps write. Errors: NULL, BUSY, ID. */
mote_result mote_system_aim_range(const mote_system *system, mote_kind kind, mote_id id, mote_range **range);

/* Likewise, with its whole state. Errors: NULL, BUSY, ID, and those of mote_system_fetch. */
mote_result mote_system_edit_range(const mote_system *system, mote_kind kind, mote_id id, mote_range **range);

/* Returns the range at a position in the list of its kind. */
MOTE_INLINE mote_range *mote_system_range_at(const mote_system *system, uint32_t kind, uint32_t place) {
    return ((mote_range *const *)system->ranges[kind].items)[place];
}

/* Checks that a range of the kind may be added. Errors: INTEGRATOR, CAPACITY. */
mote_result mote_system_can_add_range(const mote_system *system, mote_kind kind);

/* Adds a new range to its list and reserves the memory for its steps; *id receives its id. Errors: CAPACITY,
 * MEMORY, OVERFLOW; the range is then destroyed. */
mote_result mote_system_add_range(mote_system *system, mote_kind kind, mote_range *range, mote_id *id);

/* Removes the links of a range, then destroys the range. Errors: NULL, BUSY, ID. */
mote_result mote_system_remove_range(mote_system *system, mote_kind kind, mote_id id);

/* Grows the scratch to the size of a step of the range. Errors: MEMORY, OVERFLOW; the old scratch is kept. */
mote_result mote_system_reserve_scratch(mote_system *system, const mote_range *range);

/* Asserts after an edit, in builds with assertions, that all views of the range still agree. */
MOTE_INLINE bool mote_system_range_is_valid(const mote_range *range) {
    const mote_fpu_state saved = mote_fpu_enter();
    bool valid = range->kind->validate(range);
    MOTE_FPU_COMPUTED(valid);
    mote_fpu_leave(saved);
    return valid;
}

MOTE_INLINE void mote_system_edited(const mote_range *range) {
    MOTE_ASSERT(mote_system_range_is_valid(range));
}

/* Ends an edit that began with mote_fpu_enter: mote_system_edited, then mote_fpu_leave. Returns its result.
 */
MOTE_INLINE mote_result mote_system_end_edit(const mote_range *range, mote_fpu_state saved,
                                             mote_result result) {
    mote_system_edited(range);
    mote_fpu_leave(saved);
    return result;
}

/* Returns one of all ranges except the loose particles, which are numbered from 0: by kind in the order of
 * MOTE_KINDS, then in the order of addition. NULL behind the last. */
MOTE_INLINE mote_range *mote_system_range_number(const mote_system *system, uint32_t number) {
    for (uint32_t kind = 0; kind < MOTE_KIND_COUNT; number -= system->ranges[kind++].count)
        if (number < system->ranges[kind].count) return mote_system_range_at(system, kind, number);
    return NULL;
}

/* Destroys the links, all ranges except the loose particles, and the scratch. */
void mote_system_destroy_ranges(mote_system *system);

/* Returns the parameters that the system passes to the creation of a range. */
mote_range_setup mote_system_setup(const mote_system *system);

/* --- Links: links.c --- */

/* Finds the range and the slot of a link's end. Errors: ID, RANGE. */
mote_result mote_system_find_end(const mote_system *system, const mote_link_end *end, mote_link_site *site);

/* --- The next step: query.c --- */

/* Returns the step that begins at the present boundary, as ranges receive it. *def receives the plan's def,
 * to which the step points. */
mote_step mote_system_next_step(const mote_system *system, mote_plan_def *def);

/* Returns whether loose particles of the system can collide. */
MOTE_INLINE bool mote_system_collides(const mote_system *system) {
    return system->def.collisions && system->colliders.list.count;
}

/* Returns the tick of the present step boundary. */
MOTE_INLINE uint64_t mote_system_boundary(const mote_system *system) {
    return system->clock.step * system->clock.ticks_per_step;
}

/* Calls the host's step hook, which the system has: particles.c. */
void mote_system_call_hook(mote_system *system);

/* --- Hashes, chained after `hash`: hash_parts.c --- */

uint64_t mote_hash_clock(uint64_t hash, const mote_clock *clock);
uint64_t mote_hash_link(uint64_t hash, const mote_link *link);
uint64_t mote_hash_settings(uint64_t hash, const mote_system *system);

/* Returns mote_system_hash of a system whose state is whole. */
uint64_t mote_system_hash_state(const mote_system *system);

/* Returns a hash of all that calls have set, without the state that steps write. */
uint64_t mote_system_hash_calls(const mote_system *system);

/* --- Clusters: cluster.c. Nothing to do for a system that has not joined one --- */

/* Begins an advance of a system that has passed or failed its checks with `own`: compares the calls and the
 * argument of all ranks and divides the ranges. Errors: own, MEMORY, CALLS, CLUSTER. */
mote_result mote_system_begin_advance(mote_system *system, uint64_t argument, mote_result own);

/* Ends the division after so many steps. Error: CLUSTER. */
mote_result mote_system_end_advance(mote_system *system, uint64_t steps);

/* Makes the state whole, as mote_system_gather. Errors: CALLS, CLUSTER. */
mote_result mote_system_fetch(const mote_system *system);

/* Deals the slots of a new capacity; every rank has the whole state. */
void mote_system_deal_again(mote_system *system);

/* Calls that write state by their arguments, where mote_system_hash_calls does not show them all. */
typedef enum mote_noted {
    MOTE_NOTED_IMPULSE,
    MOTE_NOTED_MASS,
    MOTE_NOTED_TELEPORT,
    MOTE_NOTED_FORCES,
    MOTE_NOTED_TORQUES,
    MOTE_NOTED_EMIT,
    MOTE_NOTED_SEEK,
    MOTE_NOTED_ADD,
    MOTE_NOTED_REMOVE,
    MOTE_NOTED_NETWORK_STATE,
    MOTE_NOTED_NETWORK_TELEPORT,
    MOTE_NOTED_NETWORK_PIN,
    MOTE_NOTED_NETWORK_UNPIN,
    MOTE_NOTED_STRANDS_STATE,
    MOTE_NOTED_STRANDS_RESET,
    MOTE_NOTED_STRANDS_PIN,
    MOTE_NOTED_STRANDS_UNPIN
} mote_noted;

/* Notes a call for the comparison with the other ranks, as mote_peers_note. */
MOTE_INLINE void mote_system_note(const mote_system *system, mote_noted call, uint64_t a, uint64_t b,
                                  const void *words, size_t bytes) {
    if (system->peers) mote_peers_note(system->peers, (uint64_t)call, a, b, words, bytes);
}

/* In a cluster, after a restore: every rank has the whole state, and calls are compared from here on. */
void mote_system_restart_calls(mote_system *system);

/* Declares that the host writes in columns of loose particles (MOTE_LENT_...) on their owner alone, until the
 * next step. Nothing in a hook, where it writes on all ranks. */
void mote_system_lend(mote_system *system, uint32_t what);

void mote_system_leave(mote_system *system);

/* --- Queries: query.c --- */

/* A query that may evaluate forces. It marks the system as busy, so that callbacks cannot change it, as in a
 * step. It casts const away, which is valid because systems are never const objects. */
typedef struct mote_query {
    mote_system *system;
    mote_fpu_state saved;
    mote_plan_def def;
    mote_step now;
    mote_presentation by; /* for presenting the system now */
    mote_range *range;    /* of mote_query_range */
} mote_query;

/* Begins a query of the whole state. Errors: those of mote_system_fetch; no query has then begun. */
mote_result mote_query_begin(mote_query *query, const mote_system *system);

/* Begins a query of the range that an id names. to: where the result will be written. Errors: NULL, BUSY, ID,
 * those of mote_system_fetch; no query has then begun. */
mote_result mote_query_range(mote_query *query, const mote_system *system, mote_kind kind, mote_id id,
                             const void *to);

/* Ends a query and returns its result. */
mote_result mote_query_end(mote_query *query, mote_result result);

#endif
