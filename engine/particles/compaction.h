/* Compaction: the dead leave at a step boundary, and the survivors in the last slots take their places. */
#ifndef MOTE_PARTICLES_COMPACTION_H
#define MOTE_PARTICLES_COMPACTION_H

#include "particles/particles.h"

/* Writes the offsets of the slots whose fate is `fate` into the death lists of all blocks; returns how many
 * there are. */
uint32_t mote_particles_list_fates(mote_particles *particles, uint8_t fate);

/* A compaction under way. The dead are in the death lists of their blocks, each list ascending. */
typedef struct mote_compaction {
    mote_particles *particles;
    uint32_t kept; /* the count afterwards */
    uint32_t dead;
    uint8_t fate; /* of those who leave */
} mote_compaction;

/* Begins with the `dead` particles that are listed, whose fate is `fate`. */
mote_compaction mote_compaction_begin(mote_particles *particles, uint8_t fate, uint32_t dead);

/* Goes through the dead block by block: ends their handles, and fills the k-th hole of the range, ascending,
 * with the k-th survivor at or beyond slot `kept`. What goes where depends only on who is dead. All blocks
 * must be gone through, each by one filler; different fillers may run at the same time. */
typedef struct mote_filler {
    const mote_compaction *compaction;
    uint32_t next; /* the survivor that fills the next hole, or MOTE_NO_SLOT before the first */
    uint32_t rank; /* among the dead, of the next one */
} mote_filler;

/* A filler that begins at slot `first`, the start of a block. */
mote_filler mote_filler_make(const mote_compaction *compaction, size_t first);

/* Slots [first, end): whole blocks that follow those it went through before. */
void mote_filler_run(mote_filler *filler, size_t first, size_t end);

void mote_compaction_end(const mote_compaction *compaction);

/* All of it. Returns how many died. */
uint32_t mote_particles_compact(mote_particles *particles, uint8_t fate);

#endif
