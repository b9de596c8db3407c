/* Linear field: u = offset + matrix x. */
#include "forces/linear_field.h"

mote_force_def mote_linear_field(const vec3 offset, mat3 matrix, mote_field_use use, float drag) {
    mote_force_def def = {.kind = MOTE_FORCE_LINEAR_FIELD, .use = use, .drag = drag};
    mote_copy_vector(def.as.linear_field.offset, offset);
    for (int row = 0; row < 3; row++)
        mote_copy_vector(def.as.linear_field.matrix[row], matrix ? matrix[row] : NULL);
    return def;
}

const mote_force_row mote_linear_field_row = {
    .name = "linear-field", .path = MOTE_PATH_POINT, .field = true, .parameters = 12, .words = 12};
