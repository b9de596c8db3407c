/* The state that a stage works on: MOTE_WIDTH particles in registers. */
#ifndef MOTE_INTEGRATORS_LANES_H
#define MOTE_INTEGRATORS_LANES_H

#include "integrators/scheme.h"
#include "math/wide.h"

/* x, v: the state at which the next evaluation is made. The others carry from stage to stage; their meaning
 * is the family's. */
typedef struct mote_lanes {
    wide3 x, v;
    wide3 base_x, base_v, sum_x, sum_v;
} mote_lanes;

#endif
