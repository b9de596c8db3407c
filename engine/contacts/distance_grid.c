/* Creation and checks of distance grids. */
#include "contacts/distance_grid.h"

#include <math.h>

#include "base/allocator.h"
#include "base/check.h"
#include "base/fpu.h"
#include "base/hash.h"

#define COOKIE      0x73646667u
#define MAX_SAMPLES ((uint64_t)1 << 26) /* at most 2^24 along an axis: exact in float32 */
#define MAX_SIZE    1e9f
#define MAX_SLOPE   1e6f
#define MIN_SPACING 1e-6f

mote_distance_grid_def mote_default_distance_grid_def(void) {
    return (mote_distance_grid_def){.cookie = COOKIE, .spacing = 1};
}

static mote_result check_axis(const mote_distance_grid_def *def, int axis, const char **name) {
    mote_result result = mote_named(name, "origin", mote_value_is_finite((double)def->origin[axis]));
    if (result) return result;
    if (fabsf(def->origin[axis]) > MAX_SIZE) return mote_named(name, "origin", MOTE_ERROR_RANGE);
    if (def->count[axis] < 2 || def->count[axis] > MAX_SAMPLES)
        return mote_named(name, "count", MOTE_ERROR_RANGE);
    if (!((double)def->spacing * def->count[axis] <= (double)MAX_SIZE))
        return mote_named(name, "spacing", MOTE_ERROR_RANGE);
    return MOTE_OK;
}

/* Checks all but the distances. */
static mote_result check_lattice(const mote_distance_grid_def *def, const char **name) {
    if (def->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    mote_result result = mote_named(name, "allocator", mote_allocator_check(&def->allocator));
    if (result == MOTE_OK) result = mote_named(name, "spacing", mote_value_positive(def->spacing));
    if (result == MOTE_OK && def->spacing < MIN_SPACING)
        result = mote_named(name, "spacing", MOTE_ERROR_RANGE);
    uint64_t samples = 1;
    for (int axis = 0; axis < 3 && result == MOTE_OK; axis++) {
        result = check_axis(def, axis, name);
        samples *= def->count[axis];
        if (result == MOTE_OK && samples > MAX_SAMPLES) result = mote_named(name, "count", MOTE_ERROR_RANGE);
    }
    if (result) return result;
    return def->distances ? MOTE_OK : mote_named(name, "distances", MOTE_ERROR_NULL);
}

static size_t samples_of(const mote_distance_grid_def *def) {
    return (size_t)def->count[0] * def->count[1] * def->count[2];
}

/* Returns a bound of the gradient's length: a component is a mean of differences along its edges. */
static double slope_of(const mote_distance_grid_def *def) {
    const size_t step[3] = {1, def->count[0], (size_t)def->count[0] * def->count[1]};
    const float *const distances = def->distances;
    double most[3] = {0, 0, 0};
    for (size_t k = 0, n = 0; k < def->count[2]; k++)
        for (size_t j = 0; j < def->count[1]; j++)
            for (size_t i = 0; i < def->count[0]; i++, n++) {
                const bool inner[3] = {i > 0, j > 0, k > 0};
                for (int axis = 0; axis < 3; axis++) {
                    if (!inner[axis]) continue;
                    const double d = (double)distances[n] - (double)distances[n - step[axis]];
                    if (fabs(d) > most[axis]) most[axis] = fabs(d);
                }
            }
    const double square = most[0] * most[0] + most[1] * most[1] + most[2] * most[2];
    return __builtin_sqrt(square) / (double)def->spacing;
}

/* Checks the distances and bounds their gradient. */
static mote_result check_distances(const mote_distance_grid_def *def, double *slope) {
    const size_t samples = samples_of(def);
    for (size_t k = 0; k < samples; k++) {
        if (!isfinite(def->distances[k])) return MOTE_ERROR_NOT_FINITE;
        if (!(fabsf(def->distances[k]) <= MAX_SIZE)) return MOTE_ERROR_RANGE;
    }
    *slope = slope_of(def);
    return *slope <= (double)MAX_SLOPE ? MOTE_OK : MOTE_ERROR_RANGE;
}

/* Checks a def and bounds the gradient of its distances. */
static mote_result check(const mote_distance_grid_def *def, const char **name, double *slope) {
    if (!def) return MOTE_ERROR_NULL;
    mote_result result = check_lattice(def, name);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    result = check_distances(def, slope);
    MOTE_FPU_COMPUTED(result);
    mote_fpu_leave(saved);
    return mote_named(name, "distances", result);
}

mote_result mote_distance_grid_def_check(const mote_distance_grid_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    double slope;
    return check(def, name, &slope);
}

/* Bounding radius about the origin of the collider, rounded up. */
static float reach_of(const mote_distance_grid *grid) {
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double low = (double)grid->origin[axis],
                     high = low + (double)grid->spacing * (grid->count[axis] - 1);
        const double far = fabs(low) > fabs(high) ? fabs(low) : fabs(high);
        square += far * far;
    }
    return (float)(__builtin_sqrt(square) * (1 + 0x1p-20));
}

static uint64_t hash_of(const mote_distance_grid *grid, size_t samples) {
    uint64_t hash = mote_hash_words(2, grid->count, sizeof grid->count);
    hash = mote_hash_words(hash, grid->origin, sizeof grid->origin);
    hash = mote_hash_words(hash, &grid->spacing, sizeof grid->spacing);
    return mote_hash_words(hash, grid->samples, samples * sizeof(float));
}

/* Fills a grid by a checked def; -0 becomes 0. */
static void fill(mote_distance_grid *grid, const mote_distance_grid_def *def, double slope) {
    const size_t samples = samples_of(def);
    for (int axis = 0; axis < 3; axis++) {
        grid->count[axis] = def->count[axis];
        grid->origin[axis] = def->origin[axis] == 0 ? 0 : def->origin[axis];
    }
    grid->spacing = def->spacing;
    grid->inverse_spacing = 1.0f / def->spacing;
    for (size_t k = 0; k < samples; k++) grid->samples[k] = def->distances[k] == 0 ? 0 : def->distances[k];
    grid->slope = (float)(slope * (1 + 0x1p-20));
    grid->reach = reach_of(grid);
    grid->hash = hash_of(grid, samples);
}

mote_result mote_distance_grid_create(const mote_distance_grid_def *def, mote_distance_grid **grid) {
    if (!grid) return MOTE_ERROR_NULL;
    *grid = NULL;
    const char *ignored;
    double slope;
    const mote_result result = check(def, &ignored, &slope);
    if (result) return result;
    const size_t head = mote_round_up(sizeof(mote_distance_grid), MOTE_CACHE_LINE),
                 bytes = head + samples_of(def) * sizeof(float);
    const mote_allocator allocator = mote_allocator_resolve(&def->allocator);
    mote_distance_grid *made = mote_allocate(&allocator, bytes);
    if (!made) return MOTE_ERROR_MEMORY;
    *made = (mote_distance_grid){.allocator = allocator, .bytes = bytes};
    made->samples = (float *)(void *)((unsigned char *)made + head);
    const mote_fpu_state saved = mote_fpu_enter();
    fill(made, def, slope);
    mote_fpu_leave(saved);
    *grid = made;
    return MOTE_OK;
}

void mote_distance_grid_destroy(mote_distance_grid *grid) {
    if (!grid) return;
    const mote_allocator allocator = grid->allocator;
    mote_release(&allocator, grid, grid->bytes);
}
