/* Keys over a life: checks, and curves for the kernels. */
#include "stage/over_life.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/fpu.h"

/* Coefficients of t, t^2 and t^3 of an easing. */
static const float easings[MOTE_EASING_COUNT][3] = {[MOTE_EASE_STEP] = {0, 0, 0},
                                                    [MOTE_EASE_LINEAR] = {1, 0, 0},
                                                    [MOTE_EASE_SMOOTH] = {0, 3, -2},
                                                    [MOTE_EASE_IN] = {0, 1, 0},
                                                    [MOTE_EASE_OUT] = {2, -1, 0}};

static void add_key(mote_curve *curve, float life, mote_easing easing, const float *value,
                    uint32_t channels) {
    const uint32_t k = curve->count++;
    curve->life[k] = life;
    memcpy(curve->value[k], value, channels * sizeof *value);
    for (int i = 0; i < 3; i++) curve->c[i][k] = easings[easing][i];
}

/* Fills the differences from each key to the next. Lives that are closer than floats can divide by have the
 * largest inverse: no other life lies between them. */
static void finish(mote_curve *curve) {
    curve->alike = true;
    for (uint32_t k = 0; k + 1 < curve->count; k++) {
        const double inverse = 1 / ((double)curve->life[k + 1] - (double)curve->life[k]);
        curve->inverse[k] = (float)(inverse < (double)FLT_MAX ? inverse : (double)FLT_MAX);
        for (int i = 0; i < 3; i++) curve->alike &= curve->c[i][k] == curve->c[i][0];
        for (int i = 0; i < 4; i++) curve->change[k][i] = curve->value[k + 1][i] - curve->value[k][i];
    }
}

void mote_curve_of_sizes(mote_curve *curve, const mote_present_layout *layout) {
    memset(curve, 0, sizeof *curve);
    for (uint32_t k = 0; k < layout->size_key_count; k++) {
        const mote_size_key *key = &layout->size_keys[k];
        add_key(curve, key->life, key->easing, &key->size, 1);
    }
    finish(curve);
}

void mote_curve_of_colours(mote_curve *curve, const mote_present_layout *layout) {
    memset(curve, 0, sizeof *curve);
    for (uint32_t k = 0; k < layout->colour_key_count; k++) {
        const mote_colour_key *key = &layout->colour_keys[k];
        add_key(curve, key->life, key->easing, key->colour, 4);
    }
    finish(curve);
}

/* --- Checks --- */

/* before: of the key before; NULL for the first. Changes from key to key must be finite too. */
static mote_result check_values(const float *value, const float *before, uint32_t channels) {
    for (uint32_t i = 0; i < channels; i++)
        if (!isfinite(value[i]) || (before && !isfinite(value[i] - before[i]))) return MOTE_ERROR_NOT_FINITE;
    return MOTE_OK;
}

static mote_result check_life(float life, const float *before, mote_easing easing) {
    if (!isfinite(life)) return MOTE_ERROR_NOT_FINITE;
    if (!(life >= 0 && life <= 1) || (before && !(life > *before))) return MOTE_ERROR_RANGE;
    return (unsigned)easing < MOTE_EASING_COUNT ? MOTE_OK : MOTE_ERROR_ENUM;
}

static mote_result check_count(const void *keys, uint32_t count) {
    if (!keys) return MOTE_ERROR_NULL;
    return count > 0 && count <= MOTE_MAX_KEYS ? MOTE_OK : MOTE_ERROR_RANGE;
}

static mote_result check_sizes(const mote_present_layout *layout) {
    const mote_size_key *keys = layout->size_keys;
    mote_result result = MOTE_OK;
    for (uint32_t k = 0; k < layout->size_key_count && result == MOTE_OK; k++) {
        result = check_life(keys[k].life, k ? &keys[k - 1].life : NULL, keys[k].easing);
        if (result == MOTE_OK) result = check_values(&keys[k].size, k ? &keys[k - 1].size : NULL, 1);
    }
    return result;
}

static mote_result check_colours(const mote_present_layout *layout) {
    const mote_colour_key *keys = layout->colour_keys;
    mote_result result = MOTE_OK;
    for (uint32_t k = 0; k < layout->colour_key_count && result == MOTE_OK; k++) {
        result = check_life(keys[k].life, k ? &keys[k - 1].life : NULL, keys[k].easing);
        if (result == MOTE_OK) result = check_values(keys[k].colour, k ? keys[k - 1].colour : NULL, 4);
    }
    return result;
}

static mote_result check_keys(const mote_present_layout *layout, const char **name) {
    mote_result result = MOTE_OK;
    if (layout->size_offset != MOTE_OMIT) {
        result = check_count(layout->size_keys, layout->size_key_count);
        if (result == MOTE_ERROR_RANGE) return mote_named(name, "size_key_count", result);
        if (result == MOTE_OK) result = check_sizes(layout);
        if (result) return mote_named(name, "size_keys", result);
    }
    if (layout->colour_offset == MOTE_OMIT) return MOTE_OK;
    result = check_count(layout->colour_keys, layout->colour_key_count);
    if (result == MOTE_ERROR_RANGE) return mote_named(name, "colour_key_count", result);
    return mote_named(name, "colour_keys", result ? result : check_colours(layout));
}

mote_result mote_over_life_check(const mote_present_layout *layout, const char **name) {
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = check_keys(layout, name);
    MOTE_FPU_COMPUTED(result);
    mote_fpu_leave(saved);
    return result;
}
