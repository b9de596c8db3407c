/* What a system is made of. */
#ifndef MOTE_SYSTEM_INTERNAL_H
#define MOTE_SYSTEM_INTERNAL_H

#include <mote/system.h>

#include "base/allocator.h"
#include "strands/strands.h"
#include "contacts/colliders.h"
#include "networks/network.h"
#include "particles/particles.h"
#include "particles/run.h"
#include "stage/present.h"
#include "system/clock.h"
#include "system/links.h"

/* The forces in the order of addition; serials[i] is the index in the id of forces[i]. */
typedef struct mote_force_list {
    mote_force_def *forces;
    uint32_t *serials;
    uint32_t count, capacity, next_serial;
} mote_force_list;

struct mote_system {
    mote_system_def def;
    mote_allocator allocator;
    struct {
        const mote_particle_kernels *particles;
        const mote_strand_kernels *strands;
        const mote_network_kernels *networks;
        const mote_present_kernels *present;
    } kernels;
    mote_clock clock;
    mote_particles particles;
    mote_force_list forces;
    mote_collider_list colliders;
    mote_plan plan;
    bool plan_is_old;            /* forces or the inbox changed since the plan was made */
    bool external_forces_marked; /* the host asked for the inbox since the last step */
    bool busy;                   /* being stepped */
    bool claimed;                /* named in the list of a mote_systems_advance */
    float *workspace; /* for the stage-outer loop order, capacity slots; NULL where it is not needed */
    size_t workspace_bytes;
    mote_strands *strands_objects[MOTE_MAX_STRANDS_OBJECTS]; /* in the order of addition ... */
    uint32_t strands_serials[MOTE_MAX_STRANDS_OBJECTS];      /* ... and the indices of their ids */
    uint32_t strands_count, next_strands;
    unsigned char *strand_scratch; /* an equal part for each worker, enough for a group of any bundle */
    size_t strand_scratch_bytes;
    mote_network *networks[MOTE_MAX_NETWORKS];   /* in the order of addition ... */
    uint32_t network_serials[MOTE_MAX_NETWORKS]; /* ... and the indices of their ids */
    uint32_t network_count, next_network;
    unsigned char *network_scratch; /* enough for a step of any network */
    size_t network_scratch_bytes;
    mote_link_list links;
};

/* The generation in the ids of a system: foreign ones are refused. Never 0. */
MOTE_INLINE uint32_t mote_system_mark(const mote_system *system) {
    return (uint32_t)((uintptr_t)system / MOTE_CACHE_LINE) | 1u;
}

/* Whether the stage-outer loop order is used with these forces. */
bool mote_system_needs_workspace(const mote_system_def *def, const mote_force_def *forces, uint32_t count);

/* Replaces the workspace by one for `capacity` slots. MOTE_OK or MOTE_ERROR_MEMORY (the old one stays). */
mote_result mote_system_grow_workspace(mote_system *system, uint32_t capacity);

/* The parts of a plan and of a span that come from the system; used by whatever steps, kicks or flows its
 * particles. */
mote_plan_def mote_system_plan_def(const mote_system *system);
void mote_system_make_span(const mote_system *system, uint32_t steps, mote_span *span);

/* Marks and lists, for slots [first, end) of whole blocks, those whose lifetime ends by `step`; returns how
 * many. */
uint32_t mote_system_expire(const mote_system *system, const mote_lifetimes *lifetimes, size_t first,
                            size_t end);
mote_lifetimes mote_system_lifetimes(const mote_system *system, uint64_t step);

/* For position Verlet: v += fraction h a for slots [first, end). Does nothing for other integrators. */
void mote_system_kick(const mote_system *system, double fraction, uint32_t first, uint32_t end);

/* Out of place: the true velocity of slots [first, first + count), count <= MOTE_BLOCK, first a multiple of
 * MOTE_GROUP; of the last step, or of the step before it where `previous`. */
void mote_system_true_velocity(const mote_system *system, bool previous, size_t first, size_t count,
                               float *const out[3]);

/* While queries evaluate forces, callbacks may change the system no more than in a step. Systems are never
 * const objects. */
MOTE_INLINE void mote_system_set_busy(const mote_system *system, bool busy) {
    ((mote_system *)(uintptr_t)system)->busy = busy;
}

/* The strands' part of `steps` steps, from first_step on; last: what follows is presented. */
void mote_system_run_strands(mote_system *system, uint64_t first_step, uint32_t steps, bool last,
                             const mote_jobs *jobs);

/* Targets that wait for the next advance are to be reached at end_tick. */
void mote_system_resolve_targets(mote_system *system, uint64_t end_tick);

/* The id of bundles[place]. */
mote_strands_id mote_system_strands_id(const mote_system *system, uint32_t place);

/* The bundle that the id names, or NULL. */
mote_strands *mote_system_find_strands(const mote_system *system, mote_strands_id id);

/* The same for calls that change or read a bundle at rest: NULL, BUSY, ID. */
mote_result mote_system_edit_strands(const mote_system *system, mote_strands_id id, mote_strands **strands);

/* Gives back all bundles and the scratch. */
void mote_system_destroy_strands(mote_system *system);

/* --- Networks --- */

/* The id of networks[place]; the network that the id names, or NULL; the same for calls that change or read a
 * network at rest: NULL, BUSY, ID. */
mote_network_id mote_system_network_id(const mote_system *system, uint32_t place);
mote_network *mote_system_find_network(const mote_system *system, mote_network_id id);
mote_result mote_system_edit_network(const mote_system *system, mote_network_id id, mote_network **network);

/* Gives back all networks and their scratch. */
void mote_system_destroy_networks(mote_system *system);

/* The networks' part of `steps` steps, from first_step on; last: what follows is presented. */
void mote_system_run_networks(mote_system *system, uint64_t first_step, uint32_t steps, bool last,
                              const mote_jobs *jobs);

/* Scratch for a step of this network; the poses of colliders at the boundaries of so many substeps. MOTE_OK
 * or MOTE_ERROR_MEMORY (all stays). */
mote_result mote_system_grow_network_scratch(mote_system *system, const mote_network *network);
mote_result mote_system_reserve_poses(mote_system *system, uint32_t substeps);

/* Works network->bound out if it is old. */
void mote_system_refresh_bound(const mote_system *system, mote_network *network);

/* The substeps of the step to come, by the network's policy; *capped: the bound asks for more. */
uint32_t mote_system_network_substeps(const mote_system *system, mote_network *network, bool *capped);

/* Whether a network with MOTE_STABILITY_REFUSE has a bound below its substep. */
bool mote_system_networks_refuse(mote_system *system);

/* Whether this spring gains energy at any step under the integrator: undamped under explicit Euler and
 * midpoint. */
bool mote_network_grows(mote_integrator integrator, mote_network_solver solver, const mote_spring *spring);

/* --- Links --- */

/* What follows is how a range steps: begun, then run, or where it is linked, run but for what takes its parts
 * with others; ended. */
void mote_system_begin_strands(const mote_system *system, uint32_t place, uint64_t step, bool last,
                               const mote_jobs *jobs, mote_strands_run *run);
void mote_system_begin_network(mote_system *system, uint32_t place, uint64_t step, bool last,
                               const mote_jobs *jobs, mote_network_run *run);
void mote_system_end_network(mote_system *system, uint32_t place, mote_network_run *run);

/* Where the end of a link lies. */
typedef struct mote_link_site {
    mote_strands *strands; /* or NULL, and then ... */
    mote_network *network; /* ... this */
    uint32_t place, slot;  /* of the range; of the point */
    uint32_t lane;         /* bundle: 16 group + lane in it */
} mote_link_site;

/* ID, RANGE. */
mote_result mote_system_find_end(const mote_system *system, const mote_link_end *end, mote_link_site *site);

/* Lists the linked groups and gives them and the linked networks their places in the scratch; returns its
 * bytes. */
size_t mote_system_arrange_links(mote_system *system);

/* The linked ranges' part of `steps` steps, as mote_system_run_strands. */
void mote_system_run_links(mote_system *system, uint64_t first_step, uint32_t steps, bool last,
                           const mote_jobs *jobs);

/* A range is about to go, and with it its links. */
void mote_system_drop_strands_links(mote_system *system, mote_strands_id id);
void mote_system_drop_network_links(mote_system *system, mote_network_id id);

void mote_system_destroy_links(mote_system *system);

/* J: of the system's forces that have a potential, of a mass (kg) at x. slot: of a loose particle, whose
 * anchors count, or MOTE_NO_SLOT. */
double mote_system_potential(const mote_system *system, size_t slot, const double x[3], double mass);

/* Gives back the force list. */
void mote_force_list_destroy(mote_force_list *list, const mote_allocator *allocator);

#endif
