/* Grid field: u sampled on a lattice, trilinear. */
#ifndef MOTE_FORCES_GRID_H
#define MOTE_FORCES_GRID_H

#include "forces/grid_samples.h"
#include "forces/table.h"

extern const mote_force_row mote_grid_row;

MOTE_OUTLINE wide3 mote_grid_field_evaluate(const mote_force_def *def, wide3 x) {
    return mote_grid_sample(def->as.grid.grid, x);
}

#endif
