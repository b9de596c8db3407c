/* Compaction at step boundaries. */
#ifndef MOTE_LIFE_COMPACTION_H
#define MOTE_LIFE_COMPACTION_H

#include "data/particles.h"

/* Removes the particles whose fate is `fate`: their slots, ascending, are filled by the survivors in the last slots,
 * ascending. The result depends only on which slots die. Returns how many died. */
uint32_t mote_life_compact(mote_particles *particles, uint8_t fate);

#endif
