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

/* Slots whose dead particles are listed and removed together. */
#define MOTE_FILLER_SLOTS (16 * MOTE_BLOCK)

/* Removes dead particles run by run of blocks: ends their ids, and fills hole k of the range, ascending, with
 * survivor k from slot `kept` on. The result depends only on the set of dead particles. Every block must be
 * processed, by exactly one filler; different fillers may run at the same time. */
typedef struct mote_filler {
    const mote_compaction *compaction;
    uint32_t next; /* slot of the survivor that fills the next hole; MOTE_NO_SLOT before the first */
    uint32_t rank; /* number of dead particles before the listed ones */
    uint32_t count,
        holes; /* listed; the first `holes` of them are below `kept`: survivors fill these slots */
    uint32_t slot[MOTE_FILLER_SLOTS], survivor[MOTE_FILLER_SLOTS];
} mote_filler;

/* Begins at slot `first`, the start of a block. */
void mote_filler_begin(mote_filler *filler, const mote_compaction *compaction, size_t first);

/* Lists and removes the dead particles of slots [first, end): whole blocks that follow those of the previous
 * call. These slots and those of all survivors have been stepped. */
void mote_filler_run(mote_filler *filler, size_t first, size_t end);

/* Runs the fillers of all slots, which have been stepped, and before it exchanges what the ranks of a cluster
 * need of each other. */
void mote_compaction_fill(const mote_compaction *compaction);

/* Sets the new count and stack of free ids, after all fillers have ended. */
void mote_compaction_end(const mote_compaction *compaction);

/* Runs a complete compaction for one fate. Returns the number of particles removed. */
uint32_t mote_particles_compact(mote_particles *particles, uint8_t fate);

#endif
