/* Thrust: F = f, a constant force. */
#ifndef MOTE_FORCES_THRUST_H
#define MOTE_FORCES_THRUST_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_thrust_row;

/* Inside a region; everywhere it is folded. */
MOTE_INLINE wide3 mote_thrust_evaluate(const mote_force_def *def) { return wide3_set(def->as.thrust.force); }

#endif
