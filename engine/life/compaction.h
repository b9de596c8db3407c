/* Death and compaction at step boundaries. */
#ifndef MOTE_LIFE_COMPACTION_H
#define MOTE_LIFE_COMPACTION_H

#include "data/particles.h"

/* Marks those of slots [first, end) whose age has reached their lifetime with `fate`; returns how many were alive
 * before. now_step: steps run so far, modulo 2^32. Different runs of slots may be marked at the same time. */
uint32_t mote_life_expire(const mote_particles *particles, size_t first, size_t end, uint32_t now_step, double timestep,
                          uint8_t fate);

/* Removes the particles whose fate is `fate`: their slots, ascending, are filled by the survivors in the last slots,
 * ascending. The result depends only on which slots die. Returns how many died. */
uint32_t mote_life_compact(mote_particles *particles, uint8_t fate);

#endif
