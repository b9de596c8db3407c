/** @file
 * Ids: names of the objects in a system. They are small values that are passed by copy and compared field by
 * field. {0, 0} names nothing. */
#ifndef MOTE_ID_H
#define MOTE_ID_H

#include <stdint.h>

/** Names one loose particle from its birth to its death, in whichever slot it is. */
typedef struct mote_particle_id {
    uint32_t index, /**< reused after a death, with another generation */
        generation; /**< distinguishes the particles of an index */
} mote_particle_id;

/** Names one force. */
typedef struct mote_force_id {
    uint32_t index, /**< counts the forces added; never used twice in a system */
        generation; /**< marks the system: an id of another one is refused (MOTE_ERROR_ID) */
} mote_force_id;

/** Names one collider. */
typedef struct mote_collider_id {
    uint32_t index, /**< as in mote_force_id */
        generation; /**< as in mote_force_id */
} mote_collider_id;

/** Names one emitter. */
typedef struct mote_emitter_id {
    uint32_t index, /**< as in mote_force_id */
        generation; /**< as in mote_force_id */
} mote_emitter_id;

/** Names one link. */
typedef struct mote_link_id {
    uint32_t index, /**< as in mote_force_id */
        generation; /**< as in mote_force_id */
} mote_link_id;

/** Names the strands of one mote_system_add_strands. */
typedef struct mote_strands_id {
    uint32_t index, /**< as in mote_force_id */
        generation; /**< as in mote_force_id */
} mote_strands_id;

/** Names the network of one mote_system_add_network. */
typedef struct mote_network_id {
    uint32_t index, /**< as in mote_force_id */
        generation; /**< as in mote_force_id */
} mote_network_id;

#endif
