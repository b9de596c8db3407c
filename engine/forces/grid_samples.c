/* Creation and checks of grids. */
#include "forces/grid_samples.h"

#include <math.h>

#include "base/allocator.h"
#include "base/fpu.h"
#include "base/hash.h"

#define COOKIE      0x67726964u
#define MAX_SAMPLES ((uint64_t)1 << 26)

mote_grid_def mote_default_grid_def(void) { return (mote_grid_def){.cookie = COOKIE, .spacing = {1, 1, 1}}; }

static mote_result check_def(const mote_grid_def *def) {
    if (def->cookie != COOKIE) return MOTE_ERROR_DEF;
    if (!def->allocator.allocate != !def->allocator.release) return MOTE_ERROR_NULL;
    for (int axis = 0; axis < 3; axis++) {
        if (!isfinite(def->origin[axis]) || !isfinite(def->spacing[axis])) return MOTE_ERROR_NOT_FINITE;
        if (!(def->spacing[axis] > 0) || !isfinite(1.0f / def->spacing[axis])) return MOTE_ERROR_RANGE;
        if (def->count[axis] < 2 || def->count[axis] > MAX_SAMPLES) return MOTE_ERROR_RANGE;
    }
    if ((uint64_t)def->count[0] * def->count[1] > MAX_SAMPLES) return MOTE_ERROR_RANGE;
    if ((uint64_t)def->count[0] * def->count[1] * def->count[2] > MAX_SAMPLES) return MOTE_ERROR_RANGE;
    return def->vectors ? MOTE_OK : MOTE_ERROR_NULL;
}

/* Copies the samples; returns false if one is not finite. */
static bool copy_samples(mote_grid *grid, const mote_grid_def *def, size_t samples) {
    for (size_t i = 0; i < samples; i++) {
        for (int axis = 0; axis < 3; axis++) {
            if (!isfinite(def->vectors[i][axis])) return false;
            grid->samples[i][axis] = def->vectors[i][axis];
        }
        grid->samples[i][3] = 0;
    }
    return true;
}

mote_result mote_grid_create(const mote_grid_def *def, mote_grid **grid) {
    if (!grid) return MOTE_ERROR_NULL;
    *grid = NULL;
    if (!def) return MOTE_ERROR_NULL;
    mote_result result = check_def(def);
    if (result) return result;
    size_t samples = (size_t)def->count[0] * def->count[1] * def->count[2];
    size_t head = mote_round_up(sizeof(mote_grid), MOTE_CACHE_LINE),
           bytes = head + samples * sizeof(float[4]);
    mote_allocator allocator = mote_allocator_resolve(&def->allocator);
    mote_grid *made = mote_allocate(&allocator, bytes);
    if (!made) return MOTE_ERROR_MEMORY;
    *made = (mote_grid){.allocator = allocator, .zero_outside = def->zero_outside, .bytes = bytes};
    made->samples = (float(*)[4])(void *)((unsigned char *)made + head);
    mote_fpu_state saved = mote_fpu_enter();
    for (int axis = 0; axis < 3; axis++) {
        made->count[axis] = def->count[axis];
        made->origin[axis] = def->origin[axis];
        made->inverse_spacing[axis] = 1.0f / def->spacing[axis];
    }
    mote_fpu_leave(saved);
    if (!copy_samples(made, def, samples)) {
        mote_grid_destroy(made);
        return MOTE_ERROR_NOT_FINITE;
    }
    made->hash = mote_hash_bytes(mote_hash_number(0, def->zero_outside), def->count, sizeof def->count);
    made->hash = mote_hash_bytes(made->hash, def->origin, sizeof def->origin);
    made->hash = mote_hash_bytes(made->hash, def->spacing, sizeof def->spacing);
    made->hash = mote_hash_bytes(made->hash, made->samples, samples * sizeof(float[4]));
    *grid = made;
    return MOTE_OK;
}

void mote_grid_destroy(mote_grid *grid) {
    if (!grid) return;
    mote_allocator allocator = grid->allocator;
    mote_release(&allocator, grid, grid->bytes);
}
