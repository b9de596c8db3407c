/* Gravity: a = g, the same for every mass. */
#ifndef MOTE_FORCES_GRAVITY_H
#define MOTE_FORCES_GRAVITY_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_gravity_row;

/* Inside a region; everywhere it is folded. */
MOTE_INLINE wide3 mote_gravity_evaluate(const mote_force_def *def) {
    return wide3_set(def->as.gravity.acceleration);
}

#endif
