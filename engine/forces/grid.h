/* Grid field: u sampled on a lattice, with trilinear interpolation. */
#ifndef MOTE_FORCES_GRID_H
#define MOTE_FORCES_GRID_H

#include "base/hash.h"
#include "forces/force.h"
#include "forces/grid_samples.h"

MOTE_OUTLINE wide3 mote_grid_evaluate(const mote_force_def *def, const mote_force_point *at) {
    return mote_grid_sample(def->as.grid.grid, at->x);
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_grid_field(const mote_grid *grid, mote_field_use use, float drag) {
    return (mote_force_def){
        .cookie = MOTE_FORCE_COOKIE, .kind = MOTE_FORCE_GRID, .use = use, .drag = drag, .as.grid.grid = grid};
}

static mote_result grid_check(const mote_force_def *def, const char **name) {
    return def->as.grid.grid ? MOTE_OK : mote_named(name, "grid", MOTE_ERROR_NULL);
}

static uint64_t grid_hash(const mote_force_def *def, uint64_t seed) {
    return mote_hash_number(seed, def->as.grid.grid->hash);
}

static void grid_name(const mote_force_def *def, uint32_t words[MOTE_FORCE_HOST_WORDS]) {
    words[0] = (uint32_t)def->as.grid.grid->hash;
    words[1] = (uint32_t)(def->as.grid.grid->hash >> 32);
}

static bool grid_take(mote_force_def *def, const uint32_t words[MOTE_FORCE_HOST_WORDS],
                      const mote_force_def *like) {
    def->as.grid = like->as.grid;
    return like->as.grid.grid->hash == (words[0] | (uint64_t)words[1] << 32);
}

static const mote_force_row mote_grid_row = {.name = "grid",
                                             .cost = 15,
                                             .path = MOTE_PATH_POINT,
                                             .check = grid_check,
                                             .hash = grid_hash,
                                             .name_host = grid_name,
                                             .take_host = grid_take};

#endif
#endif
