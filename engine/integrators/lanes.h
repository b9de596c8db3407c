/* State that a stage updates: MOTE_WIDTH particles in registers. */
#ifndef MOTE_INTEGRATORS_LANES_H
#define MOTE_INTEGRATORS_LANES_H

#include "integrators/scheme.h"
#include "math/wide.h"

/* Position x and velocity v at which the next evaluation is made. The other vectors carry values from stage
 * to stage; the family defines their meaning. */
typedef struct mote_lanes {
    wide3 x, v;
    wide3 base_x, base_v, sum_x, sum_v;
} mote_lanes;

#endif
