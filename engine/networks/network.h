/* Networks: spring graphs in gather form. Particles lie in slots, springs in lines of 16: one for each
 * lane of a lane group.
 *
 * Slots. Islands (connected components) are packed into blocks of whole lane groups. 16 small islands that
 * are alike (the same numbers of particles and the same springs between the same local particles, in the
 * host's order) form a LANES block: local particle i of island `lane` lies in slot first + 16 i + lane.
 * All other islands lie in the host's order of their particles, one behind the other, in ROWS blocks; one
 * that does not fit a block has several, stepped in the outer loop order. Where the solver is constrained
 * all islands are ROWS and begin at whole lane groups.
 *
 * Lines. Each particle's springs are summed in ascending order of their numbers, whatever the layout, so
 * the layout does not show in the bits. In a LANES block a line is a strut: the springs of 16 islands
 * between the same local particles, evaluated once and given to both ends. In a ROWS block the lines of a
 * lane group are its rows: each holds one spring end for each of the 16 slots, or none; a spring has an
 * entry at each end. */
#ifndef MOTE_NETWORKS_NETWORK_H
#define MOTE_NETWORKS_NETWORK_H

#include <mote/network.h>

#include "base/compiler.h"
#include "networks/aggregates.h"

/* Slots in a block, at most; LANES: particles in an island, at most. */
#define MOTE_NETWORK_BLOCK              1024u
#define MOTE_NETWORK_INTERLEAVED_ISLAND 1024u

typedef struct mote_network_block {
    uint32_t first, groups;          /* first slot, lane groups */
    uint32_t first_line, line_count; /* lines of all its groups, in order ... */
    uint32_t line_capacity;          /* ... and room for more */
    bool lanes;                      /* LANES, else ROWS */
    bool outer;                      /* springs or links lead out of it: outer loop order */
    uint32_t first_pin, pin_count;   /* its own in network->pins */
    uint32_t first_reel, reel_count; /* and in network->reels */
} mote_network_block;

/* 16 springs. Entry 16 line + lane in the columns below. */
typedef struct mote_network_packet {
    uint32_t self; /* slot of lane 0: of end a's in a strut (a: the lower local particle), of the group's in a
                      row */
    int32_t other; /* slot of lane 0's other end, if contiguous; lane i's is other + i. In rows it may lie up
                    * to 15 slots before the network's first or behind its last where lanes are masked */
    uint16_t mask; /* lanes that have a spring */
    bool contiguous; /* else the others stand in entry_other. Struts are */
    bool uniform; /* all lanes of the mask have the stiffness and damping below; else they stand in the entry
                     columns */
    bool even;    /* and likewise the rest length */
    bool damped;  /* a lane has damping */
    float rest_length, stiffness, damping;
} mote_network_packet;

typedef struct mote_network_group {
    uint32_t first_line, line_count; /* ROWS; LANES: 0, 0 */
} mote_network_group;

typedef struct mote_network_pin_state {
    uint32_t slot;
    float from[3], to[3]; /* m */
    uint64_t from_tick, to_tick;
    bool pending; /* to_tick is the end of the next advance */
} mote_network_pin_state;

typedef struct mote_network_reel_state {
    uint32_t spring, block; /* block: of its end a */
    float from, to;         /* m */
    uint64_t from_tick, to_tick;
    bool pending;
} mote_network_reel_state;

/* What the constrained solver keeps for each spring end (kernels/network_solve.h, network_balance.h). */
enum {
    NETWORK_END_NORMAL,                         /* 3: n, from this end to the other */
    NETWORK_END_ALONG = NETWORK_END_NORMAL + 3, /* h^2 (k + c/h) less the next */
    NETWORK_END_ACROSS,                         /* h^2 max(0, T / |d|) */
    NETWORK_END_SEARCH = NETWORK_END_ALONG,     /* p: rigid springs have these instead */
    NETWORK_END_RESIDUAL,                       /* r */
    NETWORK_END_PRODUCT,                        /* q */
    NETWORK_END_INVERSE,                        /* 1 / diagonal; 0: nothing can solve it */
    NETWORK_END_COMPLIANCE,                     /* a, 1/kg */
    NETWORK_END_MULTIPLIER,                     /* mu, kg m */
    NETWORK_END_COLUMNS
};

/* A spring's state by the host's number. */
typedef struct mote_network_spring_state {
    uint32_t a, b; /* slots, as the host gave them; MOTE_NO_SLOT: no such spring */
    float rest_length, stiffness, damping, tear_strain;
    uint32_t entry[2]; /* where it stands in the lines: of end a and of end b; a strut's are the same */
    uint32_t next[2];  /* the next spring at end a and at end b, ascending; MOTE_NO_ITEM: the last */
} mote_network_spring_state;

typedef struct mote_network {
    mote_network_def def; /* its arrays are not kept: NULL */
    uint32_t particle_count, slot_count, block_count, group_count, island_count;
    uint32_t spring_count, spring_end; /* alive; numbers in use are below spring_end ... */
    uint32_t first_free;               /* ... and fill all below this */
    uint32_t line_count, line_capacity;
    float uniform_inverse_mass;         /* of all particles when not pinned; 0: they differ */
    bool damped, tears, rigid;          /* some spring does, or is (never reset) */
    bool has_outer;                     /* some block is outer */
    uint32_t link_count;                /* ends of links at its particles: their blocks are outer */
    bool started;                       /* stepped before: position Verlet has kicked it */
    uint32_t substeps;                  /* of the last step; 0: none yet */
    bool bound_is_old;                  /* an edit or a pin since `bound` was worked out */
    mote_network_stability_bound bound; /* for any directions */

    uint32_t *slot_of_particle; /* particle_count */
    uint32_t *particle_of_slot; /* slot_count; MOTE_NO_SLOT: masked */

    /* By slot. Masked slots: at the origin, at rest, inverse mass 0. */
    float *x[3], *v[3],
        *previous_x[3];      /* previous: NULL where the system does not interpolate; NaN in x: as it is */
    float *inverse_mass;     /* 0: pinned or masked */
    float *own_inverse_mass; /* when not pinned */
    float *reaction[3];      /* N s, of pinned particles in the last step; 0 elsewhere */
    uint32_t *island;        /* of masked slots: 0 */
    uint32_t *head;          /* the first spring at a slot; MOTE_NO_ITEM: none */
    uint32_t *ring;          /* the next slot of the same island, round and round; masked: itself */

    /* Constrained: the runs of lane groups of each island, at most MOTE_NETWORK_BLOCK slots of one block, in
     * order: chunks island_chunk[i] .. island_chunk[i + 1] - 1. */
    uint32_t *chunk_first, *chunk_end; /* slots; group_count */
    uint32_t *island_chunk;            /* island_count + 1 */
    mote_network_aggregates aggregates;

    uint8_t *frozen;       /* by island */
    uint32_t *island_size; /* likewise: particles; 0: joined to another */
    mote_network_block *block;
    mote_network_group *group;         /* group g holds slots 16 g .. 16 g + 15 */
    mote_network_spring_state *spring; /* def.spring_capacity */

    mote_network_packet *line;                             /* line_capacity of each of these (x 16) */
    uint32_t *entry_spring;                                /* MOTE_NO_ITEM: none */
    uint32_t *entry_other;                                 /* slot of the other end; masked: the own slot */
    float *entry_length, *entry_stiffness, *entry_damping; /* masked: 0 */
    float *entry_solver[NETWORK_END_COLUMNS];              /* constrained, else NULL: the solver's own */
    float *entry_response[4]; /* kinematic integrators, else NULL: what the spring alone gives over h
                               (mote_network_unit_responses) */
    bool responses_are_old;
    double responses_h; /* for which they were worked out */

    mote_network_pin_state *pins; /* sorted by slot; MOTE_MAX_NETWORK_PINS reserved with the first */
    uint32_t pin_count;
    mote_network_reel_state *reels; /* sorted by block, then spring; likewise. Those that have arrived go at
                                     * the next step, or where others need the room */
    uint32_t reel_count;
    uint32_t *torn, torn_count; /* of the last advance; spring_capacity */
    mote_network_step_report report;

    void *memory; /* all that the counts and capacities fix */
    size_t bytes;
    void *line_memory; /* lines and their entries: grown by edits */
    size_t line_bytes;
} mote_network;

/* --- network.c: making --- */

/* Checks, finds islands, packs and fills. MOTE_OK or the errors of mote_system_add_network that concern the
 * def; nothing stays allocated then. answers: the integrator needs entry_response. */
mote_result mote_network_make(mote_network *network, const mote_network_def *def, bool interpolates,
                              bool unit_responses, const mote_allocator *allocator,
                              mote_network_fault *fault);
void mote_network_destroy(mote_network *network, const mote_allocator *allocator);

/* MOTE_OK, or what is wrong with a spring of a network of `particles` particles. */
mote_result mote_network_check_spring(const mote_spring *spring, mote_network_solver solver,
                                      uint32_t particles);

/* The block that holds a slot. */
uint32_t mote_network_block_of(const mote_network *network, uint32_t slot);

/* --- network_lines.c: the lines of a block, from the springs at its slots --- */

/* A spring's values go to its entries and lines. */
void mote_network_store_spring(mote_network *network, uint32_t number);

/* --- network_edit.c --- */

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

/* An advance begins: what waits for its end shall arrive at `end_tick`, and nothing has torn in it yet. */
void mote_network_resolve(mote_network *network, uint64_t end_tick);

/* Drops reels that had arrived by `now`, and gives their springs the length at which they arrived. */
void mote_network_end_reels(mote_network *network, uint64_t now);

/* Springs whose |d| / L - 1 > tear_strain at the columns' positions are erased; into torn, ascending, behind
 * what is there. */
void mote_network_tear(mote_network *network);

#endif
