/* Depth of strands in the colliders of their system, for reports. */
#ifndef MOTE_SYSTEM_STRAND_DEPTH_H
#define MOTE_SYSTEM_STRAND_DEPTH_H

#include "strands/strands.h"
#include "system/internal.h"

/* Returns the largest depth (m) of a free point of the strand in `lane` below the surface of a collider, at
 * the present boundary; 0 where no point is inside. *deepest: that point, 0 where there is none. */
double mote_strand_depth(const mote_system *system, const mote_strands *strands, uint32_t lane,
                         uint32_t *deepest);

/* Returns the same of all strands. *deepest: that strand, the lowest number of equals, 0 where there is
 * none. */
double mote_strands_depth(const mote_system *system, const mote_strands *strands, uint32_t *deepest);

#endif
