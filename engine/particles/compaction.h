/* Compaction: removes dead particles at a step boundary; survivors from the last slots fill the holes. */
#ifndef MOTE_PARTICLES_COMPACTION_H
#define MOTE_PARTICLES_COMPACTION_H

#include "particles/particles.h"

/* A compaction in progress. Dead particles are in the death lists of their blocks, each list ascending. */
typedef struct mote_compaction {
    mote_particles *particles;
    uint32_t kept; /* particles afterwards */
    uint32_t dead; /* particles removed */
    uint8_t fate;  /* of these */
} mote_compaction;

/* Begins the removal of the `dead` listed particles, whose fate is `fate`. */
MOTE_INLINE mote_compaction mote_compaction_begin(mote_particles *particles, uint8_t fate, uint32_t dead) {
    return (mote_compaction){particles, particles->range.slot_count - dead, dead, fate};
}

/* Removes dead particles block by block: ends their ids, and fills hole k of the range, ascending, with
 * survivor k from slot `kept` on. The result depends only on the set of dead particles. Every block must be
 * processed, by exactly one filler; different fillers may run at the same time. */
typedef struct mote_filler {
    const mote_compaction *compaction;
    uint32_t next; /* slot of the survivor that fills the next hole; MOTE_NO_SLOT before the first */
    uint32_t rank; /* number of dead particles before the next one */
} mote_filler;

/* Makes a filler that begins at slot `first`, the start of a block. */
mote_filler mote_filler_make(const mote_compaction *compaction, size_t first);

/* Processes slots [first, end): whole blocks that follow those of the previous call. */
void mote_filler_run(mote_filler *filler, size_t first, size_t end);

/* Sets the new count and stack of free ids, after all fillers have ended. */
void mote_compaction_end(const mote_compaction *compaction);

/* Runs a complete compaction for one fate. Returns the number of particles removed. */
uint32_t mote_particles_compact(mote_particles *particles, uint8_t fate);

#endif
