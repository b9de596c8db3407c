/* What a system is made of. */
#ifndef MOTE_SYSTEM_INTERNAL_H
#define MOTE_SYSTEM_INTERNAL_H

#include <mote/system.h>

#include "base/allocator.h"
#include "data/bundle.h"
#include "data/colliders.h"
#include "data/particles.h"
#include "kernels/run.h"
#include "system/clock.h"

/* The forces in the order of addition; serials[i] is the index in the id of forces[i]. */
typedef struct mote_force_list {
    mote_force_def *forces;
    uint32_t *serials;
    uint32_t count, capacity, next_serial;
} mote_force_list;

struct mote_system {
    mote_system_def def;
    mote_allocator allocator;
    const mote_kernels *kernels;
    mote_clock clock;
    mote_particles particles;
    mote_force_list forces;
    mote_collider_list colliders;
    mote_plan plan;
    bool plan_is_old;  /* forces or the inbox changed since the plan was made */
    bool inbox_marked; /* the host asked for the inbox since the last step */
    bool busy;         /* being stepped */
    bool claimed;      /* named in the list of a mote_systems_advance */
    float *workspace;  /* for the stage-outer loop order, capacity slots; NULL where it is not needed */
    size_t workspace_bytes;
    mote_bundle *bundles[MOTE_MAX_BUNDLES];    /* in the order of addition ... */
    uint32_t bundle_serials[MOTE_MAX_BUNDLES]; /* ... and the indices of their ids */
    uint32_t bundle_count, next_bundle;
    unsigned char *strand_scratch; /* an equal part for each worker, enough for a group of any bundle */
    size_t strand_scratch_bytes;
};

/* The generation in the ids of a system: foreign ones are refused. Never 0. */
MOTE_INLINE uint32_t mote_system_mark(const mote_system *system) { return (uint32_t)((uintptr_t)system / MOTE_CACHE_LINE) | 1u; }

/* Whether the stage-outer loop order is used with these forces. */
bool mote_system_needs_workspace(const mote_system_def *def, const mote_force_def *forces, uint32_t count);

/* Replaces the workspace by one for `capacity` slots. MOTE_OK or MOTE_ERROR_MEMORY (the old one stays). */
mote_result mote_system_grow_workspace(mote_system *system, uint32_t capacity);

/* The parts of a plan and of a span that come from the system; used by whatever steps, kicks or flows its particles. */
mote_plan_def mote_system_plan_def(const mote_system *system);
void mote_system_make_span(const mote_system *system, uint32_t steps, mote_span *span);

/* Marks and lists, for slots [first, end) of whole blocks, those whose lifetime ends by `step`; returns how many. */
uint32_t mote_system_expire(const mote_system *system, const mote_lifetimes *lifetimes, size_t first, size_t end);
mote_lifetimes mote_system_lifetimes(const mote_system *system, uint64_t step);

/* For position Verlet: v += fraction h a for slots [first, end). Does nothing for other integrators. */
void mote_system_kick(const mote_system *system, double fraction, uint32_t first, uint32_t end);

/* Out of place: the true velocity of slots [first, first + count), count <= MOTE_BLOCK, first a multiple of MOTE_GROUP; of
 * the last step, or of the step before it where `previous`. */
void mote_system_true_velocity(const mote_system *system, bool previous, size_t first, size_t count, float *const out[3]);

/* While queries evaluate forces, callbacks may change the system no more than in a step. Systems are never const objects. */
MOTE_INLINE void mote_system_set_busy(const mote_system *system, bool busy) { ((mote_system *)(uintptr_t)system)->busy = busy; }

/* The strands' part of `steps` steps, from first_step on; last: what follows is presented. */
void mote_system_run_strands(mote_system *system, uint64_t first_step, uint32_t steps, bool last, const mote_jobs *jobs);

/* Targets that wait for the next advance are to be reached at end_tick. */
void mote_system_resolve_targets(mote_system *system, uint64_t end_tick);

/* The id of bundles[place]. */
mote_bundle_id mote_system_bundle_id(const mote_system *system, uint32_t place);

/* The bundle that the id names, or NULL. */
mote_bundle *mote_system_bundle(const mote_system *system, mote_bundle_id id);

/* The same for calls that change or read a bundle at rest: NULL, BUSY, ID. */
mote_result mote_system_edit_bundle(const mote_system *system, mote_bundle_id id, mote_bundle **bundle);

/* Gives back all bundles and the scratch. */
void mote_system_destroy_bundles(mote_system *system);

/* Gives back the force list. */
void mote_force_list_destroy(mote_force_list *list, const mote_allocator *allocator);

#endif
