/* Networks: spring graphs in gather form. Particles are stored in slots, springs in packets of 16, one spring
 * for each lane of a lane group.
 *
 * Slots. Islands (connected components) are packed into blocks of whole lane groups. Up to 16 small islands
 * of one shape (the same number of particles and the same springs between the same local particles, in the
 * host's order) form an interleaved block: local particle i of island `lane` has slot first + 16 i + lane.
 * All other islands are stored one after the other, in the host's order of their particles, in sliced blocks.
 * An island larger than a block occupies several blocks, which are stepped in the outer loop order. The
 * constrained solver uses sliced blocks only, and each of its islands begins at a lane group.
 *
 * Packets. A particle sums its springs in ascending order of their numbers in every layout, so the layout
 * does not affect the result, bit for bit. A packet of an interleaved block holds the springs of 16 islands
 * between the same two local particles; each spring is evaluated once and applied to both ends. In a sliced
 * block (sliced ELL, Monakov, Lokhmotov & Avetisyan 2010) a packet holds at most one spring end for each of
 * the 16 slots of a lane group; a spring has one entry at each end. */
#ifndef MOTE_NETWORKS_NETWORK_H
#define MOTE_NETWORKS_NETWORK_H

#include <mote/mesh.h>

#include "base/compiler.h"
#include "stage/present.h"
#include "stage/range.h"

/* Upper limits: slots of a sliced block; particles of an island in an interleaved block. */
#define MOTE_NETWORK_BLOCK              1024u
#define MOTE_NETWORK_INTERLEAVED_ISLAND 1024u

typedef struct mote_network_block {
    uint32_t first, groups;              /* first slot, number of lane groups */
    uint32_t first_packet, packet_count; /* packets of all lane groups, in order ... */
    uint32_t packet_capacity;            /* ... and the number reserved */
    bool interleaved;                    /* false: sliced */
    bool outer;                          /* springs or links leave the block: outer loop order */
    bool halo;                           /* springs lead to the part of another rank: halo.h */
} mote_network_block;

/* 16 springs. Lane `lane` of packet p has entry 16 p + lane in the entry columns. */
typedef struct mote_network_packet {
    uint32_t self;   /* slot of lane 0. Interleaved: of end a; sliced: of the lane group */
    int32_t other;   /* slot of the other end of lane 0, if contiguous; lane i's is other + i. Sliced, with
                      * masked lanes: up to 15 slots before the network's first slot or behind its last */
    uint16_t mask;   /* lanes that hold a spring */
    bool contiguous; /* false: entry_other holds the other ends. Interleaved packets are contiguous */
    bool uniform;    /* all lanes of the mask share the stiffness and damping below; false: entry columns */
    bool even;       /* likewise for the rest length */
    bool damped;     /* some lane has damping */
    float rest_length, stiffness, damping;
} mote_network_packet;

/* Whether every lane holds a spring of one stiffness and damping. */
MOTE_INLINE bool mote_network_is_whole(const mote_network_packet *packet) {
    return packet->uniform && packet->contiguous && packet->mask == 0xffff;
}

/* Lane 0 of the lower end of an interleaved packet. */
MOTE_INLINE uint32_t mote_network_lower(const mote_network_packet *packet) {
    const uint32_t other = (uint32_t)packet->other;
    return packet->self < other ? packet->self : other;
}

typedef struct mote_network_group {
    uint32_t first_packet, packet_count; /* of a sliced block; interleaved blocks: 0, 0 */
} mote_network_group;

/* Columns of the constrained solver, one value per spring end. The primal and the dual solver never work on
 * the same island at once, so they share memory. */
typedef struct mote_network_end_layout {
    float normal[3]; /* n, unit vector from this end to the other */
    union {
        struct {
            float along;      /* h^2 (k + c/h) - across */
            float across;     /* h^2 max(0, T / |d|) */
            float old_length; /* |d| before the solve, m */
        }; /* primal */
        struct {
            float direction;  /* p */
            float residual;   /* r */
            float product;    /* q */
            float inverse;    /* 1 / diagonal; 0: excluded, masked or rigid between two pins */
            float compliance; /* a, 1/kg */
            float multiplier; /* mu, kg m */
        }; /* dual */
    };
} mote_network_end_layout;
#define END_COLUMN(member) MOTE_SCRATCH_COLUMN(mote_network_end_layout, member)
#define END_COLUMNS        MOTE_SCRATCH_COLUMNS(mote_network_end_layout)

/* A spring, by the host's number. It owns the values; packets hold copies of them (packets.c). */
typedef struct mote_network_spring_state {
    uint32_t a, b; /* slots, in the host's order of ends; MOTE_NO_SLOT: the number is free */
    float rest_length, stiffness, damping, tear_strain;
    uint32_t entry[2]; /* packet entries of end a and of end b; equal in interleaved packets */
    uint32_t next[2];  /* next spring at end a and at end b, ascending; MOTE_NO_ITEM: last */
} mote_network_spring_state;

/* Aggregates of the constrained solver: aggregates.c. */
#define MOTE_NO_AGGREGATE       0xffffffffu /* also where there is no child; kernels read it as -1 */
#define MOTE_AGGREGATE_CHILDREN 4

typedef struct mote_network_aggregates {
    uint32_t *of_slot; /* aggregate of level 1 */
    /* By aggregate; slot_count reserved. */
    uint32_t *parent;
    uint32_t *child; /* MOTE_AGGREGATE_CHILDREN of each, without gaps; level 1: slots */
    float *value;    /* 4 of each: residual, then correction; the fourth is unused */
    float *block;    /* 12 of each: inverse of its diagonal 3 x 3 block, columns of 4 */
    float *partial;  /* sums of runs */
    uint32_t *size;  /* by lane group: number of aggregates of the level that begins there */
    /* By island. */
    uint32_t *first; /* first aggregate of level 1 */
    uint32_t *levels;
    double *sparse; /* bound on w^2 (1/s^2) of islands with no more springs than particles; else 0 */
} mote_network_aggregates;

/* Points that a rank of a cluster sends [0] and receives [1] in a stage of a network that is cut (halo.h). */
typedef struct mote_network_halo {
    bool cut;                     /* an island is of more than one rank */
    uint32_t count[2];            /* points */
    uint32_t *first[2], *slot[2]; /* first: of each rank, in slot, and the end */
    float *values[2];
    void *memory;
    size_t bytes;
} mote_network_halo;

typedef struct mote_network_kernels mote_network_kernels;
typedef struct mote_network mote_network;

/* One step of a network, as seen by its kernels. */
typedef struct mote_network_job {
    const mote_plan
        *plan; /* the system's integrator for springs; semi-implicit Euler for the constrained solver */
    mote_network *network;
    const mote_collider_pose *poses; /* collider_count poses at each of plan->substeps + 1 boundaries */
    uint32_t collider_count;
    uint64_t step, step_tick, ticks_per_step;
    bool uncoupled; /* each spring acts as if it were the only one: kinematic integrators */
    bool constrained;
    bool kick;          /* only v += fraction h a, by a plan of mote_plan_make_kick */
    bool linked;        /* links add their forces to COLUMN(force_sum) */
    bool keep_previous; /* positions before this step are kept for interpolation */
    uint32_t *froze;    /* set to 1 when an island turns non-finite */
} mote_network_job;

/* Returns the ticks of the step at substep + fraction. */
static inline double mote_network_ticks_within(const mote_network_job *job, uint32_t substep,
                                               double fraction) {
    return (double)job->ticks_per_step * (((double)substep + fraction) / (double)job->plan->substeps);
}

struct mote_network {
    mote_range range;
    mote_network_def def; /* its arrays are not kept: NULL */
    mote_network_id id;
    const mote_network_kernels *kernels;
    mote_integrator integrator; /* of the system */
    uint32_t particle_count, block_count, group_count, island_count;
    uint32_t spring_count, spring_end; /* springs in use; their numbers are below spring_end ... */
    uint32_t first_free;               /* ... and all numbers below first_free are in use */
    uint32_t packet_count, packet_capacity;
    float uniform_inverse_mass; /* 1/kg, of all particles when not pinned; 0: masses differ */
    bool damped, tears, rigid;  /* some spring has had damping, could tear, was rigid: packets.c */
    bool has_outer;             /* some block is outer */
    bool asks_outer;            /* some block is, or was, to become outer: scratch is reserved for that */
    uint32_t substeps;          /* of the last step; 0: no step yet */

    struct mote_network_rebuild *rebuild; /* while a snapshot with other springs is read; else NULL */

    /* Counts edits of springs, pins and islands, from 1 on. A derived quantity keeps the count at which it
     * was computed, and is stale when the counts differ. */
    uint64_t signature; /* hash of all that the def determines */
    uint64_t edits, bound_edits, response_edits, aggregate_edits, component_edits, division_edits, call_edits;
    uint64_t springs_hash;              /* at call_edits */
    mote_network_stability_bound bound; /* holds for any directions of the springs */
    double response_h;                  /* s, the substep of entry_response */

    uint32_t *slot_of_particle; /* particle_count */
    uint32_t *particle_of_slot; /* slot_count; MOTE_NO_SLOT: masked */

    /* By slot, in addition to the columns of the range. */
    float *own_inverse_mass; /* 1/kg, when not pinned */
    uint32_t *island;        /* masked slots: 0 */
    uint32_t *head;          /* first spring at a slot; MOTE_NO_ITEM: none */
    uint32_t *ring;          /* next slot of the same island, cyclic; masked slots: themselves */

    /* Constrained solver: places in two parts (stage/place.h), by slot. */
    float *relative_x[3];   /* m, relative to `origin` when the engine last set x; NULL: no low parts */
    float *origin[3];       /* m, world, of relative_x */
    float *previous_low[3]; /* m, low parts of the range's previous_x; NULL where it or relative_x is */
    float *step_origin[3];  /* m, world, of COLUMN(x) in the current step; masked slots: 0 */
    uint32_t *component;    /* lowest slot that springs join to this one */
    uint32_t *run_end;      /* of the first slot of a run of one component: its end */

    /* Constrained solver: chunks. A chunk is a run of lane groups of one island in one block, at most
     * MOTE_NETWORK_BLOCK slots. Island i has chunks island_chunk[i] .. island_chunk[i + 1] - 1, in order of
     * slots. */
    uint32_t *chunk_first, *chunk_end; /* slots; group_count reserved */
    uint32_t *island_chunk;            /* island_count + 1 */
    mote_network_aggregates aggregates;

    uint8_t *frozen;       /* by island */
    uint32_t *island_size; /* by island: particles; 0: merged into another */
    uint32_t *island_mark; /* by island: work space */
    mote_network_block *block;
    mote_network_group *group;         /* lane group g holds slots 16 g .. 16 g + 15 */
    mote_network_spring_state *spring; /* def.spring_capacity */

    mote_network_packet *packet;                           /* packet_capacity; entries: 16 times as many */
    uint32_t *entry_spring;                                /* MOTE_NO_ITEM: none */
    uint32_t *entry_other;                                 /* slot of the other end; masked: own slot */
    float *entry_length, *entry_stiffness, *entry_damping; /* masked: 0 */
    float *entry_solver[END_COLUMNS];                      /* constrained solver, else NULL */
    float *entry_response[4]; /* kinematic integrators, else NULL: mote_network_unit_responses */

    mote_network_halo halo;
    mote_pin_list reels; /* springs whose rest length changes linearly in time; units: blocks. Reels that have
                          * arrived are removed at the next step, or earlier when the list is full */
    uint32_t *torn, torn_count; /* springs torn in the last advance; spring_capacity */
    mote_network_step_report report;

    mote_network_job job;  /* of the current step */
    uint32_t froze;        /* an island turned non-finite in the current step */
    float *linked_scratch; /* scratch of outer blocks, reserved with the first link; NULL: never linked */
    size_t linked_bytes;

    void *memory; /* all arrays whose sizes the counts and capacities fix */
    size_t bytes;
    void *packet_memory; /* packets and their entries; edits enlarge it */
    size_t packet_bytes;
};

MOTE_INLINE mote_network *mote_network_of(mote_range *range) { return (mote_network *)(void *)range; }
MOTE_INLINE const mote_network *mote_const_network_of(const mote_range *range) {
    return (const mote_network *)(const void *)range;
}

/* Returns which end of a spring is at a slot: 0 (a) or 1 (b). */
MOTE_INLINE int mote_network_end_at(const mote_network *network, uint32_t number, uint32_t slot) {
    return network->spring[number].a == slot ? 0 : 1;
}

/* Returns the next spring at a slot. */
MOTE_INLINE uint32_t mote_network_next(const mote_network *network, uint32_t number, uint32_t slot) {
    return network->spring[number].next[mote_network_end_at(network, number, slot)];
}

/* Marks everything derived from springs, pins and islands as stale. */
MOTE_INLINE void mote_network_changed(mote_network *network) { network->edits++; }

/* Largest h^2 w^2 for which positions are solved: stiffer springs amplify the rounding of positions. A rope
 * of 20 points was held to 0.02 %, strained by 1 % at 2e5 and by 10 % at 1e6 (measured). */
#define MOTE_NETWORK_PRIMAL_LIMIT 1e5

/* Returns whether an island has no more springs than particles, which are too stiff for the primal solver. */
MOTE_INLINE bool mote_network_is_stiff_chain(const mote_network *network, uint32_t island, double h) {
    return h * h * network->aggregates.sparse[island] > MOTE_NETWORK_PRIMAL_LIMIT;
}

/* Returns whether the dual solver holds an island. Rigid springs need multipliers. Chains and rings are held
 * by multipliers at any stiffness. Denser graphs gain energy by them when conjugate gradients stop early. */
MOTE_INLINE bool mote_network_has_multipliers(const mote_network *network, uint32_t island, double h) {
    return network->rigid || mote_network_is_stiff_chain(network, island, h);
}

/* Returns whether the quantity computed at `*computed` edits is stale, and marks it as current: the caller
 * computes it now. */
MOTE_INLINE bool mote_network_renew(const mote_network *network, uint64_t *computed) {
    const bool is_stale = *computed != network->edits;
    *computed = network->edits;
    return is_stale;
}

/* --- network.c: construction --- */

/* Checks the def, finds islands, packs them and fills the columns; *network receives the result. Errors:
 * those of mote_system_add_network, including MEMORY and OVERFLOW; *network is then NULL and nothing stays
 * allocated. */
mote_result mote_network_make(const mote_network_def *def, const mote_range_setup *setup,
                              mote_network **network, mote_network_fault *fault);
void mote_network_destroy(mote_range *range, const mote_allocator *allocator);

/* Whether a spring gains energy at every step size under the integrator: undamped springs under explicit
 * Euler and midpoint. */
bool mote_network_grows(mote_integrator integrator, mote_network_solver solver, const mote_spring *spring);

/* Returns the index of the block that holds a slot. */
uint32_t mote_network_block_of(const mote_network *network, uint32_t slot);

/* --- places.c --- */

/* Finds the low part of the place of a slot: the rest of the rounding of x. 0 where the host wrote x. */
void mote_network_low_part(const mote_network *network, uint32_t slot, float low[3]);

/* Computes the place of a slot in the world, m. */
void mote_network_place(const mote_network *network, uint32_t slot, double x[3]);

/* Returns the distance of two slots; *d: from a to b. */
double mote_network_distance_of(const mote_network *network, uint32_t a, uint32_t b, double d[3]);

/* Sets the origins of a step, to which all positions in scratch are relative. */
void mote_network_choose_origins(mote_network *network);

/* --- packets.c --- */

/* Copies a spring's values to its entries and packets. Concurrent calls must not share a packet. */
void mote_network_copy_spring(mote_network *network, uint32_t number);

/* --- mesh.c: mote_network_triangles and mote_network_indices, after their checks of pointers --- */

mote_result mote_network_find_triangles(const mote_network *network, uint32_t count, const uint32_t *indices,
                                        mote_triangle *triangles);
mote_result mote_network_write_indices(const mote_network *network, uint32_t count,
                                       const mote_triangle *triangles, uint32_t *indices,
                                       uint32_t *index_count);

/* --- check.c --- */

MOTE_INLINE bool mote_network_has_spring(const mote_network *network, uint32_t number) {
    return number < network->spring_end && network->spring[number].a != MOTE_NO_SLOT;
}

/* Checks a spring independently of all others. MOTE_AS_PLACED requires a finite present distance. Errors:
 * RANGE, NOT_FINITE, STABILITY; *name receives the field. */
mote_result mote_network_check_own_spring(const mote_network *network, const mote_spring *spring,
                                          const char **name);

/* Checks springs to be added; *fault receives the index of the first invalid one and its field. Errors:
 * RANGE, NOT_FINITE, STABILITY, CAPACITY, MEMORY. */
mote_result mote_network_check_springs(const mote_network *network, uint32_t count,
                                       const mote_spring *springs, const mote_allocator *allocator,
                                       mote_network_fault *fault);

/* Whether an island has its maximum number of rigid springs: three times its particles. */
bool mote_network_is_rigid_full(const mote_network *network, uint32_t island);

/* --- edit.c --- */

/* Adds checked springs: all of them or none. Errors: CAPACITY, OVERFLOW, MEMORY, RANGE (a distance as placed
 * is not finite). */
mote_result mote_network_insert(mote_network *network, uint32_t count, const mote_spring *springs,
                                uint32_t *numbers, const mote_allocator *allocator);
/* Removes an existing spring from its packets and lists. Allocates nothing. */
void mote_network_erase(mote_network *network, uint32_t number);

/* Pins a slot, or moves the target of its pin. `now`: tick of the boundary reached. Errors: CAPACITY,
 * MEMORY. */
mote_result mote_network_add_pin(mote_network *network, uint32_t slot, const float target[3], uint64_t now,
                                 uint64_t tick, const mote_allocator *allocator);
/* Removes a pin. Errors: RANGE (not pinned). */
mote_result mote_network_remove_pin(mote_network *network, uint32_t slot);
mote_result mote_network_add_reel(mote_network *network, uint32_t number, float rest_length, uint64_t now,
                                  uint64_t tick, const mote_allocator *allocator);

/* Begins an advance that ends at end_tick: pending targets arrive then, and the list of torn springs is
 * emptied. */
void mote_network_resolve(mote_range *range, uint64_t end_tick);

/* Keeps the arrivals of pins and reels by `now` (base/travel.h). */
void mote_network_keep_arrivals(mote_range *range, uint64_t now);

/* Removes reels that have arrived by `now`; their springs keep the rest length of arrival. */
void mote_network_end_reels(mote_network *network, uint64_t now);

/* Erases springs with |d| / L - 1 > tear_strain at the columns' positions and appends their numbers to
 * `torn`, ascending. */
void mote_network_tear(mote_network *network);

/* --- aggregates.c --- */

/* Finds all aggregates again if they are stale; of rigid networks the bound of islands alone. Allocates
 * nothing: `value`, `block` and the solver's columns of spring ends, which are free between steps, hold the
 * graphs. Order: particles and springs. */
void mote_network_find_aggregates(mote_network *network);

/* --- divide.c --- */

/* Divides the blocks among ranks, after an edit. Cuts islands only where one is larger than a rank's part,
 * and not those of the constrained solver. UNSUPPORTED: springs can tear or change their rest length. MEMORY.
 */
mote_result mote_network_divide(mote_range *range, const mote_peers *peers, const mote_allocator *allocator);

/* Gathers the report of the last step and the frozen islands from all ranks. */
void mote_network_gather_report(mote_network *network, mote_peers *peers);

/* --- stability.c --- */

/* Returns the substeps of a step of the plan by the network's policy; *capped: the bound requires more. */
uint32_t mote_network_substeps(mote_network *network, const mote_plan_def *plan, bool *capped);

/* Error: STABILITY if the policy is MOTE_STABILITY_REFUSE and the substep exceeds the bound. */
mote_result mote_network_can_step(mote_range *range, const mote_plan_def *plan);

mote_network_stability_report mote_network_stability_of(mote_network *network, const mote_plan_def *plan);

/* --- signature.c, state.c, rebuild.c --- */

/* Visits all state. Errors of CHECK: FOREIGN (another def), FILE; of RESERVE: MEMORY. */
void mote_network_archive(mote_range *range, mote_archive *a);

/* Returns the hash of all that the def determines. */
uint64_t mote_network_signature(const mote_network *network);

/* Springs and islands of a snapshot: 6 words a spring, by number; an island of each slot. */
typedef struct mote_network_topology {
    const unsigned char *springs, *islands;
    uint32_t spring_end;
} mote_network_topology;

/* Returns a spring of a snapshot, in no list and no packet. */
mote_network_spring_state mote_network_spring_in(const mote_network_topology *t, uint32_t number);

/* Returns whether an island of a snapshot has several blocks. They must all be outer, so that it freezes as a
 * whole: `marks` makes them so. Only the order of the work depends on it. */
bool mote_network_join_blocks(mote_network *network, const mote_network_topology *t, bool marks);

/* Lays out the springs and islands of a snapshot beside the present ones. Errors: MEMORY, OVERFLOW; nothing
 * then stays allocated. commit: replaces the present ones. discard: releases the memory. */
mote_result mote_network_rebuild_make(mote_network *network, const mote_network_topology *t,
                                      const mote_allocator *allocator);
void mote_network_rebuild_commit(mote_network *network, const mote_network_topology *t,
                                 const mote_allocator *allocator);
void mote_network_rebuild_discard(mote_network *network, const mote_allocator *allocator);

/* --- present.c, statistics.c, hash.c, validate.c --- */

/* Writes interpolated positions. Errors: DEF, NOT_FINITE, RANGE, NULL, BUFFER, as for
 * mote_network_present. */
mote_result mote_network_write(const mote_network *network, const mote_presentation *by,
                               const mote_present_layout *layout, void *vertices, size_t bytes);

mote_statistics mote_network_statistics_of(const mote_network *network, const mote_step *now);
mote_sums mote_network_sum(const mote_range *range, const mote_step *now);
uint64_t mote_network_hash(const mote_range *range, uint64_t seed);
uint32_t mote_network_count_items(const mote_range *range, bool springs);
uint64_t mote_network_hash_items(const mote_range *range, bool springs, uint32_t first, uint32_t count);
uint64_t mote_network_hash_settings(const mote_range *range, uint64_t seed);
uint64_t mote_network_hash_calls(mote_range *range, uint64_t seed);
bool mote_network_validate(const mote_range *range);

#endif
