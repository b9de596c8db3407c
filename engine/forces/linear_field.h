/* Linear field: u = offset + matrix x. */
#ifndef MOTE_FORCES_LINEAR_FIELD_H
#define MOTE_FORCES_LINEAR_FIELD_H

#include "forces/force.h"

MOTE_INLINE wide3 mote_linear_field_evaluate(const mote_force_def *def, const mote_force_point *at) {
    const float(*m)[3] = def->as.linear_field.matrix;
    wide3 product = {m[0][0] * at->x.x + m[0][1] * at->x.y + m[0][2] * at->x.z,
                     m[1][0] * at->x.x + m[1][1] * at->x.y + m[1][2] * at->x.z,
                     m[2][0] * at->x.x + m[2][1] * at->x.y + m[2][2] * at->x.z};
    return wide3_add(wide3_set(def->as.linear_field.offset), product);
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_linear_field(const float offset[3], const float matrix[9], mote_field_use use,
                                 float drag) {
    mote_force_def def = {
        .cookie = MOTE_FORCE_COOKIE, .kind = MOTE_FORCE_LINEAR_FIELD, .use = use, .drag = drag};
    mote_copy_vector(def.as.linear_field.offset, offset);
    for (int row = 0; row < 3; row++)
        mote_copy_vector(def.as.linear_field.matrix[row], matrix ? matrix + 3 * row : NULL);
    return def;
}

static const mote_force_row mote_linear_field_row = {.name = "linear-field",
                                                     .cost = 1.5,
                                                     .path = MOTE_PATH_POINT,
                                                     .bytes = MOTE_PARAMETERS(linear_field),
                                                     .fields = {{"offset", 3}, {"matrix", 9}}};

#endif
#endif
