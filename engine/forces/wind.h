/* Wind: F = drag (u - v), linear (Stokes) drag relative to moving air. */
#ifndef MOTE_FORCES_WIND_H
#define MOTE_FORCES_WIND_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_wind_row;

/* Inside a region; everywhere it is folded. */
MOTE_INLINE wide3 mote_wind_evaluate(const mote_force_def *def, wide3 v) {
    return wide3_scale(wide_set(def->drag), wide3_sub(wide3_set(def->as.wind.velocity), v));
}

#endif
