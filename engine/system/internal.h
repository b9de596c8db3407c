/* What a system is made of. */
#ifndef MOTE_SYSTEM_INTERNAL_H
#define MOTE_SYSTEM_INTERNAL_H

#include <mote/system.h>

#include "base/allocator.h"
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
    mote_plan plan;
    bool plan_is_old;  /* forces or the inbox changed since the plan was made */
    bool inbox_marked; /* the host asked for the inbox since the last step */
    bool busy;         /* being stepped */
    bool claimed;      /* named in the list of a mote_systems_advance */
    float *workspace;  /* for the stage-outer loop order, capacity slots; NULL where it is not needed */
    size_t workspace_bytes;
};

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

/* Gives back the force list. */
void mote_force_list_destroy(mote_force_list *list, const mote_allocator *allocator);

#endif
