/* Networks: spring graphs in gather form. Particles stand in slots, springs in packets of 16, one for each
 * lane of a lane group.
 *
 * Slots. Islands (connected components) are packed into blocks of whole lane groups. 16 small islands that
 * are alike (the same numbers of particles and the same springs between the same local particles, in the
 * host's order) form an interleaved block: local particle i of island `lane` stands in slot first + 16 i +
 * lane. All other islands stand in the host's order of their particles, one behind the other, in sliced
 * blocks; an island that does not fit a block has several, stepped in the outer loop order. Where the solver
 * is constrained all islands are sliced and begin at whole lane groups.
 *
 * Packets. Each particle's springs are summed in ascending order of their numbers, whatever the layout, so
 * the layout does not show in the bits. A packet of an interleaved block holds the springs of 16 islands
 * between the same local particles, evaluated once and given to both ends. In a sliced block (sliced ELL,
 * Monakov, Lokhmotov & Avetisyan 2010) each packet of a lane group holds one spring end for each of the 16
 * slots, or none; a spring has an entry at each end. */
#ifndef MOTE_NETWORKS_NETWORK_H
#define MOTE_NETWORKS_NETWORK_H

#include <mote/network.h>

#include "base/compiler.h"
#include "networks/aggregates.h"
#include "stage/present.h"
#include "stage/range.h"

/* Slots in a block, at most; particles of an island in an interleaved block, at most. */
#define MOTE_NETWORK_BLOCK              1024u
#define MOTE_NETWORK_INTERLEAVED_ISLAND 1024u

typedef struct mote_network_block {
    uint32_t first, groups;              /* first slot, lane groups */
    uint32_t first_packet, packet_count; /* of all its groups, in order ... */
    uint32_t packet_capacity;            /* ... and capacity for more */
    bool interleaved;                    /* else sliced */
    bool outer;                          /* springs or links lead out of it: outer loop order */
    uint32_t first_reel, reel_count;     /* its own in network->reels */
} mote_network_block;

/* 16 springs. Entry 16 packet + lane in the columns below. */
typedef struct mote_network_packet {
    uint32_t self; /* slot of lane 0: of end a's where interleaved (a: the lower local particle), of the
                    * group's where sliced */
    int32_t other; /* slot of lane 0's other end, if contiguous; lane i's is other + i. Where sliced it may be
                    * up to 15 slots before the network's first or behind its last where lanes are masked */
    uint16_t mask; /* lanes that have a spring */
    bool contiguous; /* else the others stand in entry_other. Interleaved packets are */
    bool uniform;    /* all lanes of the mask have the stiffness and damping below; else entry columns */
    bool even;       /* and likewise the rest length */
    bool damped;     /* a lane has damping */
    float rest_length, stiffness, damping;
} mote_network_packet;

typedef struct mote_network_group {
    uint32_t first_packet, packet_count; /* of a sliced block; interleaved: 0, 0 */
} mote_network_group;

/* A spring whose rest length travels. */
typedef struct mote_network_reel_state {
    uint32_t spring, block; /* block: of its end a */
    float from, to;         /* m */
    mote_travel travel;
} mote_network_reel_state;

/* Columns of the constrained solver, of each spring end. The primal and the dual solver never work at once on
 * one island. */
typedef struct mote_network_end_layout {
    float normal[3]; /* n, from this end to the other */
    union {
        struct {
            float along;  /* h^2 (k + c/h) less the next */
            float across; /* h^2 max(0, T / |d|) */
        } primal;
        struct {
            float direction;  /* p */
            float residual;   /* r */
            float product;    /* q */
            float inverse;    /* 1 / diagonal; 0: nothing can solve it */
            float compliance; /* a, 1/kg */
            float multiplier; /* mu, kg m */
        } dual;
    };
} mote_network_end_layout;
#define NETWORK_END(member) MOTE_SCRATCH_COLUMN(mote_network_end_layout, member)
enum {
    NETWORK_END_NORMAL = NETWORK_END(normal),
    NETWORK_END_ALONG = NETWORK_END(primal.along),
    NETWORK_END_ACROSS = NETWORK_END(primal.across),
    NETWORK_END_DIRECTION = NETWORK_END(dual.direction),
    NETWORK_END_RESIDUAL = NETWORK_END(dual.residual),
    NETWORK_END_PRODUCT = NETWORK_END(dual.product),
    NETWORK_END_INVERSE = NETWORK_END(dual.inverse),
    NETWORK_END_COMPLIANCE = NETWORK_END(dual.compliance),
    NETWORK_END_MULTIPLIER = NETWORK_END(dual.multiplier),
    NETWORK_END_COLUMNS = MOTE_SCRATCH_COLUMNS(mote_network_end_layout)
};

/* A spring by the host's number: the home of its values, of which the packets hold copies (packets.c). */
typedef struct mote_network_spring_state {
    uint32_t a, b; /* slots, as the host gave them; MOTE_NO_SLOT: no such spring */
    float rest_length, stiffness, damping, tear_strain;
    uint32_t entry[2]; /* where it stands in the lines: of end a and of end b; a strut's are the same */
    uint32_t next[2];  /* the next spring at end a and at end b, ascending; MOTE_NO_ITEM: the last */
} mote_network_spring_state;

typedef struct mote_network_kernels mote_network_kernels;
typedef struct mote_network mote_network;

/* One step of a network, as its kernels see it. */
typedef struct mote_network_job {
    const mote_plan
        *plan; /* of the system's integrator for springs, of semi-implicit Euler for constraints */
    mote_network *network;
    const mote_collider_pose *poses; /* collider_count at each of plan->substeps + 1 boundaries */
    uint32_t collider_count;
    uint64_t step, step_tick, ticks_per_step;
    bool uncoupled; /* springs act as if each were alone: the kinematic integrators */
    bool constrained;
    bool kick;          /* only v += fraction h a, by a plan of mote_plan_make_kick */
    bool linked;        /* links give forces too, in NETWORK_FORCE_SUM */
    bool keep_previous; /* the state before this step is presented from */
    uint32_t *froze;    /* set where an island turns non-finite */
} mote_network_job;

struct mote_network {
    mote_range range;
    mote_network_def def; /* its arrays are not kept: NULL */
    mote_network_id id;
    const mote_network_kernels *kernels;
    mote_integrator integrator; /* of the system */
    uint32_t particle_count, block_count, group_count, island_count;
    uint32_t spring_count, spring_end; /* alive; numbers in use are below spring_end ... */
    uint32_t first_free;               /* ... and fill all below this */
    uint32_t packet_count, packet_capacity;
    float uniform_inverse_mass; /* of all particles when not pinned; 0: they differ */
    bool damped, tears, rigid;  /* some spring does, or is (never reset) */
    bool has_outer;             /* some block is outer */
    uint32_t substeps;          /* of the last step; 0: none yet */

    /* Counts the edits of springs, pins and islands, from 1 on. Whatever is derived from them keeps the count
     * at which it was worked out, and is stale when they differ. */
    uint64_t edits, bound_edits, response_edits, aggregate_edits;
    mote_network_stability_bound bound; /* for any directions */
    double response_h;                  /* substep of entry_response */

    uint32_t *slot_of_particle; /* particle_count */
    uint32_t *particle_of_slot; /* slot_count; MOTE_NO_SLOT: masked */

    /* By slot, beside those of the range. */
    float *own_inverse_mass; /* when not pinned */
    uint32_t *island;        /* of masked slots: 0 */
    uint32_t *head;          /* the first spring at a slot; MOTE_NO_ITEM: none */
    uint32_t *ring;          /* the next slot of the same island, round and round; masked: itself */

    /* Constrained: the runs of lane groups of each island, at most MOTE_NETWORK_BLOCK slots of one block, in
     * order: chunks island_chunk[i] .. island_chunk[i + 1] - 1. */
    uint32_t *chunk_first, *chunk_end; /* slots; group_count */
    uint32_t *island_chunk;            /* island_count + 1 */
    mote_network_aggregates aggregates;

    uint8_t *frozen;       /* by island */
    uint32_t *island_size; /* by island: particles; 0: joined to another */
    mote_network_block *block;
    mote_network_group *group;         /* group g holds slots 16 g .. 16 g + 15 */
    mote_network_spring_state *spring; /* def.spring_capacity */

    mote_network_packet *packet;                           /* packet_capacity of each of these (x 16) */
    uint32_t *entry_spring;                                /* MOTE_NO_ITEM: none */
    uint32_t *entry_other;                                 /* slot of the other end; masked: the own slot */
    float *entry_length, *entry_stiffness, *entry_damping; /* masked: 0 */
    float *entry_solver[NETWORK_END_COLUMNS];              /* constrained, else NULL */
    float *entry_response[4]; /* kinematic integrators, else NULL: mote_network_unit_responses */

    mote_network_reel_state
        *reels; /* sorted by block, then spring; MOTE_MAX_REELS reserved with the first. Those
                 * that have arrived go at the next step, or where others need the place */
    uint32_t reel_count;
    uint32_t *torn, torn_count; /* of the last advance; spring_capacity */
    mote_network_step_report report;

    mote_network_job job;  /* of the step being run */
    uint32_t froze;        /* an island turned non-finite in it */
    float *linked_scratch; /* of outer blocks while links join them; NULL: nothing is linked */
    size_t linked_bytes;

    void *memory; /* all that the counts and capacities fix */
    size_t bytes;
    void *packet_memory; /* packets and their entries: grown by edits */
    size_t packet_bytes;
};

MOTE_INLINE mote_network *mote_network_of(mote_range *range) { return (mote_network *)(void *)range; }
MOTE_INLINE const mote_network *mote_const_network_of(const mote_range *range) {
    return (const mote_network *)(const void *)range;
}

/* All that is derived from springs, pins and islands is stale from now on. */
MOTE_INLINE void mote_network_changed(mote_network *network) { network->edits++; }

/* --- network.c: making --- */

/* Checks, finds islands, packs and fills; *network receives it. The errors of mote_system_add_network, MEMORY
 * and OVERFLOW among them; *network is NULL and nothing stays allocated then. */
mote_result mote_network_make(const mote_network_def *def, const mote_range_setup *setup,
                              mote_network **network, mote_network_fault *fault);
void mote_network_destroy(mote_range *range, const mote_allocator *allocator);

/* Whether a spring gains energy at any step under the integrator: undamped under explicit Euler and midpoint.
 */
bool mote_network_grows(mote_integrator integrator, mote_network_solver solver, const mote_spring *spring);

/* MOTE_OK, or the fault of a spring of a network of `particles` particles. */
mote_result mote_network_check_spring(const mote_spring *spring, mote_network_solver solver,
                                      uint32_t particles);

/* The block that holds a slot. */
uint32_t mote_network_block_of(const mote_network *network, uint32_t slot);

/* --- packets.c --- */

/* Copies a spring's values to its entries and packets. Different springs may be copied at once, but not two
 * of one packet. */
void mote_network_copy_spring(mote_network *network, uint32_t number);

/* --- check_springs.c --- */

MOTE_INLINE bool mote_network_has_spring(const mote_network *network, uint32_t number) {
    return number < network->spring_end && network->spring[number].a != MOTE_NO_SLOT;
}

/* A spring by itself, beside the springs there are. As placed, it must have a length. RANGE, NOT_FINITE,
 * STABILITY. */
mote_result mote_network_check_own_spring(const mote_network *network, const mote_spring *spring);

/* Springs to be added; *fault: the first at fault. RANGE, NOT_FINITE, STABILITY, CAPACITY, MEMORY. */
mote_result mote_network_check_springs(const mote_network *network, uint32_t count,
                                       const mote_spring *springs, const mote_allocator *allocator,
                                       uint32_t *fault);

/* Whether an island has as many rigid springs as it may. */
bool mote_network_is_rigid_full(const mote_network *network, uint32_t island);

/* --- edit.c --- */

/* Springs that have been checked; all or none. */
mote_result mote_network_insert(mote_network *network, uint32_t count, const mote_spring *springs,
                                uint32_t *numbers, const mote_allocator *allocator);
/* One spring, which exists: out of its lines and lists. Allocates nothing. */
void mote_network_erase(mote_network *network, uint32_t number);

/* `now`: the tick of the boundary reached. CAPACITY, MEMORY. */
mote_result mote_network_add_pin(mote_network *network, uint32_t slot, const float target[3], uint64_t now,
                                 uint64_t tick, const mote_allocator *allocator);
/* RANGE: it has no pin. */
mote_result mote_network_remove_pin(mote_network *network, uint32_t slot);
mote_result mote_network_add_reel(mote_network *network, uint32_t number, float rest_length, uint64_t now,
                                  uint64_t tick, const mote_allocator *allocator);

/* An advance begins, which will end at end_tick: pending targets are to be reached then, and nothing has torn
 * in it yet. */
void mote_network_resolve(mote_network *network, uint64_t end_tick);

/* Drops reels that had arrived by `now`, and gives their springs the length at which they arrived. */
void mote_network_end_reels(mote_network *network, uint64_t now);

/* Erases springs with |d| / L - 1 > tear_strain at the columns' positions, and appends their numbers,
 * ascending, to `torn`. */
void mote_network_tear(mote_network *network);

/* --- stability.c --- */

/* Works `bound` out where it is stale. */
void mote_network_refresh_bound(mote_network *network);

/* The substeps of a step of the plan, by the network's policy; *capped: the bound asks for more. */
uint32_t mote_network_substeps(mote_network *network, const mote_plan_def *plan, bool *capped);

/* Whether the policy is MOTE_STABILITY_REFUSE and the bound below the substep. */
bool mote_network_refuses(mote_network *network, const mote_plan_def *plan);

mote_network_stability_report mote_network_stability_of(mote_network *network, const mote_plan_def *plan);

/* --- present.c, statistics.c, hash.c, validate.c --- */

/* RANGE, NULL, BUFFER: as mote_network_present says. */
mote_result mote_network_write(const mote_network *network, const mote_presentation *by,
                               const mote_present_layout *layout, void *vertices, size_t bytes);

mote_statistics mote_network_statistics_of(const mote_network *network, const mote_step *now);
mote_sums mote_network_sum(const mote_range *range, const mote_step *now);
uint64_t mote_network_hash(const mote_range *range, uint64_t seed);
bool mote_network_validate(const mote_range *range);

#endif
