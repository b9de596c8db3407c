/* Grid field: u sampled on a lattice, trilinear. */
#include "forces/grid.h"

mote_force_def mote_grid_field(const mote_grid *grid, mote_field_use use, float drag) {
    mote_force_def def = {.kind = MOTE_FORCE_GRID, .use = use, .drag = drag};
    def.as.grid.grid = grid;
    return def;
}

static mote_result check(const mote_force_def *def) { return def->as.grid.grid ? MOTE_OK : MOTE_ERROR_NULL; }

const mote_force_row mote_grid_row = {.name = "grid", .path = MOTE_PATH_POINT, .field = true, .check = check};
