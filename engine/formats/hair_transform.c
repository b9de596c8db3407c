/* Places hair models: other units, other axes. */
#include "formats/hair.h"

#include <math.h>

#include "base/fpu.h"

#define AXES_TOLERANCE 1e-3 /* of each entry of axes axes^T */

typedef struct placement {
    double matrix[9], origin[3], width; /* scale axes; |scale| */
} placement;

static mote_result read_placement(float scale, const float axes[9], const float origin[3], placement *place) {
    if (!isfinite(scale)) return MOTE_ERROR_NOT_FINITE;
    for (int i = 0; i < 9; i++)
        if (!isfinite(axes[i])) return MOTE_ERROR_NOT_FINITE;
    for (int i = 0; i < 3; i++)
        if (!isfinite(origin[i])) return MOTE_ERROR_NOT_FINITE;
    if (scale == 0) return MOTE_ERROR_RANGE;
    for (int row = 0; row < 3; row++)
        for (int other = 0; other <= row; other++) {
            double product = row == other ? -1 : 0;
            for (int i = 0; i < 3; i++) product += (double)axes[3 * row + i] * (double)axes[3 * other + i];
            if (!(fabs(product) <= AXES_TOLERANCE)) return MOTE_ERROR_RANGE;
        }
    for (int i = 0; i < 9; i++) place->matrix[i] = (double)scale * (double)axes[i];
    for (int i = 0; i < 3; i++) place->origin[i] = (double)origin[i];
    place->width = fabs((double)scale);
    return MOTE_OK;
}

static void place_point(const placement *place, const float point[3], float placed[3]) {
    const double x = (double)point[0], y = (double)point[1], z = (double)point[2];
    for (int row = 0; row < 3; row++) {
        const double *m = place->matrix + 3 * row;
        placed[row] = (float)(m[0] * x + m[1] * y + m[2] * z + place->origin[row]);
    }
}

static bool stays_finite(const mote_hair *hair, const placement *place) {
    bool finite = isfinite((float)((double)hair->default_thickness * place->width));
    for (uint32_t i = 0; i < hair->point_count && finite; i++) {
        float placed[3];
        place_point(place, hair->points[i], placed);
        for (int axis = 0; axis < 3; axis++) finite = finite && isfinite(placed[axis]);
        if (hair->thickness) finite = finite && isfinite((float)((double)hair->thickness[i] * place->width));
    }
    return finite;
}

static void place_model(mote_hair *hair, const placement *place) {
    hair->default_thickness = (float)((double)hair->default_thickness * place->width);
    for (uint32_t i = 0; i < hair->point_count; i++) {
        float placed[3];
        place_point(place, hair->points[i], placed);
        for (int axis = 0; axis < 3; axis++) hair->points[i][axis] = placed[axis];
        if (hair->thickness) hair->thickness[i] = (float)((double)hair->thickness[i] * place->width);
    }
}

mote_result mote_hair_transform(mote_hair *hair, float scale, const float axes[9], const float origin[3]) {
    if (!hair || !axes || !origin) return MOTE_ERROR_NULL;
    mote_result result = mote_hair_check(hair, NULL);
    if (result != MOTE_OK) return result;
    placement place;
    mote_fpu_state saved = mote_fpu_enter();
    result = read_placement(scale, axes, origin, &place);
    if (result == MOTE_OK && !stays_finite(hair, &place)) result = MOTE_ERROR_NOT_FINITE;
    if (result == MOTE_OK) place_model(hair, &place);
    mote_fpu_leave(saved);
    return result;
}
