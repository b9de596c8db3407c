/* Layouts of presented particles, and weights of the interpolation of presented states. */
#include "stage/present.h"

#include "base/check.h"

#define COOKIE 0x70726573u

mote_present_layout mote_default_present_layout(void) {
    mote_present_layout layout = {.cookie = COOKIE,
                                  .stride = 3 * sizeof(float),
                                  .velocity_offset = MOTE_OMIT,
                                  .age_offset = MOTE_OMIT,
                                  .remaining_offset = MOTE_OMIT,
                                  .size_offset = MOTE_OMIT,
                                  .size_column = MOTE_NO_COLUMN,
                                  .colour_offset = MOTE_OMIT,
                                  .orientation_offset = MOTE_OMIT};
    for (uint32_t i = 0; i < MOTE_MAX_EXTRA_COLUMNS; i++) layout.extra_offset[i] = MOTE_OMIT;
    return layout;
}

mote_result mote_present_check_origin(const double origin[3]) {
    for (int i = 0; i < 3; i++)
        if (mote_value_is_finite(origin[i])) return MOTE_ERROR_NOT_FINITE;
    return MOTE_OK;
}

mote_result mote_present_check_layout(const mote_present_layout *layout, const char **name) {
    if (layout->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if ((unsigned)layout->colour_format >= MOTE_COLOUR_FORMAT_COUNT)
        return mote_named(name, "colour_format", MOTE_ERROR_ENUM);
    return mote_named(name, "origin", mote_present_check_origin(layout->origin));
}

const char *mote_present_more(const mote_present_layout *layout) {
    if (layout->velocity_offset != MOTE_OMIT) return "velocity_offset";
    if (layout->age_offset != MOTE_OMIT) return "age_offset";
    if (layout->remaining_offset != MOTE_OMIT) return "remaining_offset";
    for (uint32_t i = 0; i < MOTE_MAX_EXTRA_COLUMNS; i++)
        if (layout->extra_offset[i] != MOTE_OMIT) return "extra_offset";
    if (layout->size_offset != MOTE_OMIT) return "size_offset";
    if (layout->colour_offset != MOTE_OMIT) return "colour_offset";
    if (layout->orientation_offset != MOTE_OMIT) return "orientation_offset";
    return layout->order ? "order" : NULL;
}

mote_hermite mote_hermite_make(float alpha, double h, double roundings) {
    const double s = (double)alpha, left = 1 - s;
    return (mote_hermite){
        .alpha = alpha,
        .position = {(float)(s * s * (3 - 2 * s)), (float)(h * s * left * left), (float)(-h * s * s * left)},
        .inverse_h = (float)(1 / h),
        .bump = (float)(6 * s * left),
        .x_error = (float)(roundings * 0x1p-24 / h),
        .v_error = 0x1p-21f};
}

mote_arc mote_arc_make(float alpha) {
    const double t = (double)alpha, left = 1 - t;
    mote_arc arc = {.alpha = alpha, .left = (float)left};
    for (int i = 1; i <= MOTE_ARC_TERMS; i++) {
        const double scale = (i == MOTE_ARC_TERMS ? 1.85298109240830 : 1.0) / (2 * i + 1);
        arc.current[i - 1] = (float)(scale * (t * t / i - i));
        arc.previous[i - 1] = (float)(scale * (left * left / i - i));
    }
    return arc;
}
