/* Layout plan of a network, computed before its memory is allocated: islands, classes of alike islands, and
 * the place of each island. It is destroyed once the network is made. */
#ifndef MOTE_NETWORKS_LAYOUT_PLAN_H
#define MOTE_NETWORKS_LAYOUT_PLAN_H

#include "networks/network.h"

typedef struct mote_network_layout_plan {
    uint32_t island_count, block_count, slot_count;
    /* By particle, in the host's numbering. */
    uint32_t *island; /* numbered in the order of their lowest particles */
    uint32_t *rank;   /* rank within the island: the local particle */
    /* By island; particle_count reserved. */
    uint32_t *particles;
    uint32_t *first_spring; /* index in `springs`; one more at the end */
    uint32_t *slot;         /* of local particle 0 */
    uint32_t *block;        /* the first block of the island */
    uint8_t *stride;        /* slots from one local particle to the next: 16 in interleaved blocks, else 1 */
    uint32_t *springs;      /* spring_count: spring numbers by island, ascending in each */
    /* Work arrays. */
    uint64_t *key, *other_key; /* by island */
    uint32_t *order, *other_order;
    void *memory;
    size_t bytes;
} mote_network_layout_plan;

/* Checks a def by itself. Errors: those of mote_system_add_network that concern single values; *fault names
 * the particle or spring and the field. */
mote_result mote_network_check(const mote_network_def *def, mote_network_fault *fault);

/* Checks the values of a spring and that its ends are different numbers below `particles`. Errors: RANGE,
 * NOT_FINITE. */
mote_result mote_network_check_spring(const mote_spring *spring, mote_network_solver solver,
                                      uint32_t particles, const char **name);

/* Union-find: the root of an item, with path halving, and the union of two sets. The lowest item is the root,
 * so the order of a and b has no effect. */
uint32_t mote_network_root(uint32_t *parent, uint32_t item);
void mote_network_join(uint32_t *parent, uint32_t a, uint32_t b);

/* Returns the distance (m) of two points by the kernels' formula, so that a spring placed at rest stays at
 * rest. +infinity on overflow. */
float mote_network_distance(const float p[3], const float q[3]);

/* Returns the distance of two slots at their present positions. */
float mote_network_present_length(const mote_network *network, uint32_t a, uint32_t b);

/* Finds islands and packs them. The def has been checked. Errors: RANGE (too many rigid springs), OVERFLOW,
 * MEMORY; nothing stays allocated then. Order: particles and springs, in linear passes. */
mote_result mote_network_layout_plan_make(mote_network_layout_plan *plan, const mote_network_def *def,
                                          const mote_allocator *allocator, mote_network_fault *fault);
void mote_network_layout_plan_destroy(mote_network_layout_plan *plan, const mote_allocator *allocator);

/* Sorts `count` keys with their numbers, ascending and stable. The other two arrays are work space. */
void mote_network_sort(uint64_t *key, uint64_t *other_key, uint32_t *number, uint32_t *other_number,
                       uint32_t count);

/* Creates a spring under a free number, in no list and no packet yet; length: its rest length, resolved. */
void mote_network_create_spring(mote_network *network, uint32_t number, const mote_spring *from,
                                float length);

/* --- packets.c --- */

/* Slots of a block that have gained springs, ascending. */
typedef struct mote_network_changes {
    const uint64_t *slot;
    uint32_t count;
} mote_network_changes;

/* Returns the number of packets of a block, if sliced, for the springs now at its slots. changes: lane groups
 * without changes keep their packets, unless one before them gains a packet; NULL: all groups are rebuilt. */
uint64_t mote_network_count_sliced(const mote_network *network, uint32_t block,
                                   const mote_network_changes *changes);

/* Writes the packets of a sliced block, which has the capacity for them; `changes` as above. */
void mote_network_write_sliced(mote_network *network, uint32_t block, const mote_network_changes *changes);

/* Adds a spring of an island in an interleaved block to a packet: to the first from *cursor on with the same
 * local ends, or to a new one, for which there is capacity. *cursor becomes the index after that packet. The
 * springs of an island come in ascending order, each once. */
void mote_network_write_interleaved(mote_network *network, uint32_t block, uint32_t number, uint32_t *cursor);

/* Removes all springs from the packets of an interleaved block; the packets stay. */
void mote_network_empty_interleaved(mote_network *network, uint32_t block);

/* Releases the packets of a network and takes those of another one. */
void mote_network_take_packets(mote_network *network, const mote_network *from,
                               const mote_allocator *allocator);

/* Removes a spring from its packets. */
void mote_network_clear_entries(mote_network *network, uint32_t number);

/* Reserves capacity for `more` packets behind those in use. Errors: MEMORY, OVERFLOW; nothing has changed
 * then. */
mote_result mote_network_reserve_packets(mote_network *network, uint64_t more,
                                         const mote_allocator *allocator);

/* Returns the capacity for packets of a new layout: in proportion to spring_capacity, at most twice those in
 * use. */
uint64_t mote_network_packets_for(const mote_network *network, uint64_t packets);

/* Links the springs below `end` into the lists of their ends, which are empty. */
void mote_network_list_springs(mote_network *network, uint32_t end);

/* Capacity of a block that has exceeded its own. */
MOTE_INLINE uint64_t mote_network_packet_capacity(uint64_t packets) { return packets + packets / 4 + 2; }

/* Relocates a block behind all packets in use, with a capacity that has been reserved. The block is empty
 * until its packets are written. */
void mote_network_move_packets(mote_network *network, uint32_t block, uint32_t capacity);

/* --- pins.c, chunks.c --- */

/* Finds the constrained solver's chunks again after islands were merged. */
void mote_network_find_chunks(mote_network *network);

#endif
