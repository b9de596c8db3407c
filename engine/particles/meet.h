/* Loose particles of a cluster: what the ranks exchange where particles die. Without peers nothing is done.
 */
#ifndef MOTE_PARTICLES_MEET_H
#define MOTE_PARTICLES_MEET_H

#include "particles/particles.h"

/* Returns the bytes of peers->rows that moved particles need. */
size_t mote_meet_bytes(const mote_particles *particles);

/* Shares the fates that this step gave to particles: each rank marks those that died with their owners.
 * *frozen: how many turned non-finite, of this rank, then of all. *killed: not 0 if colliders killed some of
 * this rank, then the number of all. */
void mote_meet_fates(mote_particles *particles, uint32_t *frozen, uint32_t *killed);

/* Particles that a compaction moves from slot from[i] to slot to[i]: their owners send them to the owners of
 * the slots that they move to, which then have them in slot from[i] too. */
#define MOTE_MOVES 8192u
typedef struct mote_moves {
    const mote_particles *particles;
    uint32_t count, from[MOTE_MOVES], to[MOTE_MOVES];
} mote_moves;

/* Adds at most MOTE_MOVES moves; those that are complete may be sent. */
void mote_moves_add(mote_moves *moves, const uint32_t *from, const uint32_t *to, uint32_t pairs);

/* Sends the rest. */
void mote_moves_end(mote_moves *moves);

#endif
