/* What making a network works out before it has its memory: islands, which of them are alike, and where each
 * lies. Not part of the network: the survey goes when the network is made. */
#ifndef MOTE_NETWORKS_LAYOUT_PLAN_H
#define MOTE_NETWORKS_LAYOUT_PLAN_H

#include "networks/network.h"

typedef struct mote_network_layout_plan {
    uint32_t island_count, block_count, slot_count;
    /* By particle of the host's numbering. */
    uint32_t *island; /* numbered by their lowest particles */
    uint32_t *rank;   /* within the island: the local particle */
    /* By island; particle_count of each reserved. */
    uint32_t *particles;
    uint32_t *first_spring; /* of its own in `springs`; one more at the end */
    uint32_t *slot;         /* of local particle 0 */
    uint32_t *block;        /* the first that it lies in */
    uint8_t *stride;        /* slots from one local particle to the next: 16 in LANES blocks, else 1 */
    uint32_t *springs;      /* spring_count: numbers by island, ascending in each */
    /* Work. */
    uint64_t *key, *other_key; /* by island */
    uint32_t *order, *other_order;
    void *memory;
    size_t bytes;
} mote_network_layout_plan;

/* The errors of mote_system_add_network that concern single values; *fault says where. */
mote_result mote_network_check(const mote_network_def *def, mote_network_fault *fault);

/* Distance (m) of two points, by the kernels' formula: what is placed at rest stays at rest. +infinity where
 * it overflows. */
float mote_network_distance(const float p[3], const float q[3]);

/* Finds islands and packs them. The def has been checked. RANGE: too many rigid springs; OVERFLOW; MEMORY:
 * nothing stays allocated. Order: particles and springs, in linear passes. */
mote_result mote_network_layout_plan_make(mote_network_layout_plan *survey, const mote_network_def *def,
                                          const mote_allocator *allocator, mote_network_fault *fault);
void mote_network_layout_plan_destroy(mote_network_layout_plan *survey, const mote_allocator *allocator);

/* Sorts `count` keys and the numbers that go with them, ascending and stable, by way of the other two
 * arrays. */
void mote_network_sort(uint64_t *key, uint64_t *other_key, uint32_t *number, uint32_t *other_number,
                       uint32_t count);

/* Gives each column its place in network->memory, or measures them where that is NULL; returns their
 * bytes. */
uint64_t mote_network_place_columns(mote_network *network, bool interpolates);

/* --- network_lines.c, within the layout --- */

/* Slots of a block that have got springs, ascending. */
typedef struct mote_network_changes {
    const uint64_t *slot;
    uint32_t count;
} mote_network_changes;

/* The lines that a block takes as ROWS with the springs now at its slots; changes: lane groups without any,
 * before which no line is added, stay as they are; NULL: none stays. */
uint64_t mote_network_count_sliced(const mote_network *network, uint32_t block,
                                   const mote_network_changes *changes);

/* Writes the rows of a ROWS block, which has room for them; likewise. */
void mote_network_write_sliced(mote_network *network, uint32_t block, const mote_network_changes *changes);

/* Puts a spring of an island in a LANES block into its strut: the first from *cursor on that has the same
 * local ends, or a new one, for which there is room. The cursor goes on behind it; an island's springs come
 * in ascending order, each once. */
void mote_network_write_interleaved(mote_network *network, uint32_t block, uint32_t number, uint32_t *cursor);

/* Takes a spring out of its lines; makes a line that nobody reads any more hold nothing. */
void mote_network_clear_entries(mote_network *network, uint32_t number);
void mote_network_clear_packet(mote_network *network, uint32_t line);

/* --- network_room.c: line memory --- */

/* Room for `more` lines behind those in use: MEMORY or OVERFLOW leaves everything as it was. answers: at
 * first only. */
mote_result mote_network_reserve_packets(mote_network *network, uint64_t more, bool unit_responses,
                                         const mote_allocator *allocator);

/* The room that a block gets that needs more than it has. */
MOTE_INLINE uint64_t mote_network_packet_capacity(uint64_t lines) { return lines + lines / 4 + 2; }

/* Gives a block room for `capacity` lines behind those in use, which has been reserved. It has none until
 * they are written. */
void mote_network_move_packets(mote_network *network, uint32_t block, uint32_t capacity);

/* --- network_pins.c --- */

/* Drops the reel of a spring, if it has one. */
void mote_network_drop_reel(mote_network *network, uint32_t number);

/* Finds the constrained solver's chunks anew, after islands were joined. */
void mote_network_find_chunks(mote_network *network);

#endif
