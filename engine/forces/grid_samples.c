/* Creation and checks of grids. */
#include "forces/grid_samples.h"

#include <math.h>

#include "base/allocator.h"
#include "base/check.h"
#include "base/fpu.h"
#include "base/hash.h"

#define COOKIE      0x67726964u
#define MAX_SAMPLES ((uint64_t)1 << 26)

mote_grid_def mote_default_grid_def(void) { return (mote_grid_def){.cookie = COOKIE, .spacing = {1, 1, 1}}; }

/* Checks all but the samples. */
static mote_result check_lattice(const mote_grid_def *def, const char **name) {
    if (def->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    mote_result result = mote_named(name, "allocator", mote_allocator_check(&def->allocator));
    uint64_t samples = 1;
    for (int axis = 0; axis < 3 && result == MOTE_OK; axis++) {
        result = mote_named(name, "origin", mote_value_is_finite((double)def->origin[axis]));
        if (result == MOTE_OK)
            result = mote_named(name, "spacing", mote_value_invertible(def->spacing[axis], 1));
        if (result) return result;
        if (def->count[axis] < 2 || def->count[axis] > MAX_SAMPLES)
            return mote_named(name, "count", MOTE_ERROR_RANGE);
        samples *= def->count[axis];
        if (samples > MAX_SAMPLES) return mote_named(name, "count", MOTE_ERROR_RANGE);
    }
    if (result == MOTE_OK && !def->vectors) return mote_named(name, "vectors", MOTE_ERROR_NULL);
    return result;
}

mote_result mote_grid_def_check(const mote_grid_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!def) return MOTE_ERROR_NULL;
    mote_result result = check_lattice(def, name);
    if (result) return result;
    const size_t samples = (size_t)def->count[0] * def->count[1] * def->count[2];
    for (size_t i = 0; i < samples && result == MOTE_OK; i++)
        if (!mote_vector_is_finite(def->vectors[i]))
            result = mote_named(name, "vectors", MOTE_ERROR_NOT_FINITE);
    return result;
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
    const char *ignored;
    const mote_result result = check_lattice(def, &ignored);
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
    made->hash = mote_hash_words(mote_hash_number(0, def->zero_outside), def->count, sizeof def->count);
    made->hash = mote_hash_words(made->hash, def->origin, sizeof def->origin);
    made->hash = mote_hash_words(made->hash, def->spacing, sizeof def->spacing);
    made->hash = mote_hash_words(made->hash, made->samples, samples * sizeof(float[4]));
    *grid = made;
    return MOTE_OK;
}

void mote_grid_destroy(mote_grid *grid) {
    if (!grid) return;
    mote_allocator allocator = grid->allocator;
    mote_release(&allocator, grid, grid->bytes);
}
