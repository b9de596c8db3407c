/** Ids: the names of what lives in a system. They are small values that are passed by copy and compared field
 * by field. {0, 0} names nothing. */
#ifndef MOTE_ID_H
#define MOTE_ID_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Names one loose particle from its birth to its death, wherever compaction moves it. index is reused after
 * a death, with another generation. */
typedef struct mote_particle_id {
    uint32_t index, generation;
} mote_particle_id;

/** Name one force, one collider, one link, the strands of one mote_system_add_strands and the network of one
 * mote_system_add_network. index counts the additions of its kind and is never used twice in a system;
 * generation marks the system, so that the id of another one is refused (MOTE_ERROR_ID). */
typedef struct mote_force_id {
    uint32_t index, generation;
} mote_force_id;

typedef struct mote_collider_id {
    uint32_t index, generation;
} mote_collider_id;

typedef struct mote_link_id {
    uint32_t index, generation;
} mote_link_id;

typedef struct mote_strands_id {
    uint32_t index, generation;
} mote_strands_id;

typedef struct mote_network_id {
    uint32_t index, generation;
} mote_network_id;

#ifdef __cplusplus
}
#endif
#endif
