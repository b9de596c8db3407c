/* Creation and checks of height fields. */
#include "contacts/height_field.h"

#include <math.h>

#include "base/allocator.h"
#include "base/check.h"
#include "base/fpu.h"
#include "base/hash.h"

#define COOKIE      0x68666c64u
#define MAX_SAMPLES ((uint64_t)1 << 26)
#define MAX_COUNT   (1u << 24) /* along an axis: numbers of samples are exact in float32 */
#define MAX_HEIGHT  1e9f
#define MAX_WEIGHT  1e6
#define MIN_SPACING 1e-6f

mote_height_field_def mote_default_height_field_def(void) {
    return (mote_height_field_def){.cookie = COOKIE, .spacing = {1, 1}};
}

/* Checks all but the heights. */
static mote_result check_lattice(const mote_height_field_def *def, const char **name) {
    if (def->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    mote_result result = mote_named(name, "allocator", mote_allocator_check(&def->allocator));
    for (int axis = 0; axis < 2 && result == MOTE_OK; axis++) {
        const float spacing = def->spacing[axis];
        result = mote_named(name, "spacing", mote_value_positive(spacing));
        if (result == MOTE_OK && spacing < MIN_SPACING)
            result = mote_named(name, "spacing", MOTE_ERROR_RANGE);
        if (result == MOTE_OK && (def->count[axis] < 2 || def->count[axis] > MAX_COUNT))
            result = mote_named(name, "count", MOTE_ERROR_RANGE);
        if (result == MOTE_OK && !((double)spacing * def->count[axis] <= (double)MAX_HEIGHT))
            result = mote_named(name, "spacing", MOTE_ERROR_RANGE);
    }
    if (result) return result;
    if ((uint64_t)def->count[0] * def->count[1] > MAX_SAMPLES)
        return mote_named(name, "count", MOTE_ERROR_RANGE);
    return def->heights ? MOTE_OK : mote_named(name, "heights", MOTE_ERROR_NULL);
}

/* --- Samples: the host's heights, that of sample (i, j) at i + count[0] j --- */

static mote_result check_heights(const mote_height_field_def *def) {
    const size_t samples = (size_t)def->count[0] * def->count[1];
    for (size_t k = 0; k < samples; k++) {
        if (!isfinite(def->heights[k])) return MOTE_ERROR_NOT_FINITE;
        if (!(fabsf(def->heights[k]) <= MAX_HEIGHT)) return MOTE_ERROR_RANGE;
    }
    return MOTE_OK;
}

/* Returns 1 / n_y of the triangle at sample (i, j) that has the corners (i, j), one beside it at dx and one
 * at dz, or of that with the corner (i + dx, j + dz) in their place. */
static double stretch_of(const mote_height_field_def *def, size_t i, size_t j, int dx, int dz, bool first) {
    const size_t x = i + (size_t)dx, z = j + (size_t)dz, row = def->count[0];
    const float *const h = def->heights;
    const double here = (double)h[i + row * j], there = (double)h[x + row * z],
                 beside = (double)h[x + row * j], before = (double)h[i + row * z];
    double p = beside - here, q = before - here;
    if (dx == dz) { /* the diagonal of the cell ends here */
        p = first ? beside - here : there - before;
        q = first ? there - beside : before - here;
    }
    p /= (double)def->spacing[0], q /= (double)def->spacing[1];
    return __builtin_sqrt(1 + (p * p + q * q));
}

/* Returns the mean of 1 / n_y over the triangles at a sample. */
static double weight_of(const mote_height_field_def *def, size_t i, size_t j) {
    double sum = 0;
    int count = 0;
    for (int dz = -1; dz <= 1; dz += 2)
        for (int dx = -1; dx <= 1; dx += 2) {
            const bool in_x = dx < 0 ? i > 0 : i + 1 < def->count[0],
                       in_z = dz < 0 ? j > 0 : j + 1 < def->count[1];
            for (int k = 0; k < (dx == dz ? 2 : 1) && in_x && in_z; k++, count++)
                sum += stretch_of(def, i, j, dx, dz, k == 0);
        }
    return sum / count;
}

/* Computes the weights of checked heights: field->samples[2 k + 1], and the greatest one. field: NULL to
 * check them alone. */
static mote_result weigh(const mote_height_field_def *def, mote_height_field *field) {
    for (size_t j = 0, k = 0; j < def->count[1]; j++)
        for (size_t i = 0; i < def->count[0]; i++, k++) {
            const double weight = weight_of(def, i, j);
            if (!(weight <= MAX_WEIGHT)) return MOTE_ERROR_RANGE;
            if (!field) continue;
            field->samples[2 * k + 1] = (float)weight;
            if ((float)weight > field->weight) field->weight = (float)weight;
        }
    return MOTE_OK;
}

mote_result mote_height_field_def_check(const mote_height_field_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!def) return MOTE_ERROR_NULL;
    mote_result result = check_lattice(def, name);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    result = check_heights(def);
    if (result == MOTE_OK) result = weigh(def, NULL);
    MOTE_FPU_COMPUTED(result);
    mote_fpu_leave(saved);
    return mote_named(name, "heights", result);
}

/* --- Creation --- */

/* Copies checked heights; -0 becomes 0. */
static void copy_heights(mote_height_field *field, const float *heights) {
    const size_t samples = (size_t)field->count[0] * field->count[1];
    field->low = INFINITY, field->high = -INFINITY;
    for (size_t k = 0; k < samples; k++) {
        const float height = heights[k] == 0 ? 0 : heights[k];
        field->samples[2 * k] = height;
        if (height < field->low) field->low = height;
        if (height > field->high) field->high = height;
    }
}

static uint64_t hash_of(const mote_height_field *field) {
    const size_t samples = (size_t)field->count[0] * field->count[1];
    uint64_t hash = mote_hash_words(1, field->count, sizeof field->count);
    hash = mote_hash_words(hash, field->spacing, sizeof field->spacing);
    return mote_hash_words(hash, field->samples, 2 * samples * sizeof(float));
}

mote_result mote_height_field_create(const mote_height_field_def *def, mote_height_field **field) {
    if (!field) return MOTE_ERROR_NULL;
    *field = NULL;
    if (!def) return MOTE_ERROR_NULL;
    const char *ignored;
    mote_result result = check_lattice(def, &ignored);
    if (result == MOTE_OK) result = check_heights(def);
    if (result) return result;
    const size_t head = mote_round_up(sizeof(mote_height_field), MOTE_CACHE_LINE),
                 bytes = head + 2 * sizeof(float) * def->count[0] * def->count[1];
    const mote_allocator allocator = mote_allocator_resolve(&def->allocator);
    mote_height_field *made = mote_allocate(&allocator, bytes);
    if (!made) return MOTE_ERROR_MEMORY;
    *made = (mote_height_field){.allocator = allocator, .bytes = bytes};
    made->samples = (float *)(void *)((unsigned char *)made + head);
    const mote_fpu_state saved = mote_fpu_enter();
    for (int axis = 0; axis < 2; axis++) {
        made->count[axis] = def->count[axis];
        made->spacing[axis] = def->spacing[axis];
        made->inverse_spacing[axis] = 1.0f / def->spacing[axis];
    }
    copy_heights(made, def->heights);
    result = weigh(def, made);
    mote_fpu_leave(saved);
    if (result) {
        mote_height_field_destroy(made);
        return result;
    }
    made->hash = hash_of(made);
    *field = made;
    return MOTE_OK;
}

void mote_height_field_destroy(mote_height_field *field) {
    if (!field) return;
    const mote_allocator allocator = field->allocator;
    mote_release(&allocator, field, field->bytes);
}
