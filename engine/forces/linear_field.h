/* Linear field: u = offset + matrix x. */
#ifndef MOTE_FORCES_LINEAR_FIELD_H
#define MOTE_FORCES_LINEAR_FIELD_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_linear_field_row;

MOTE_INLINE wide3 mote_linear_field_evaluate(const mote_force_def *def, wide3 x) {
    const float(*m)[3] = def->as.linear_field.matrix;
    wide3 turned = {m[0][0] * x.x + m[0][1] * x.y + m[0][2] * x.z,
                    m[1][0] * x.x + m[1][1] * x.y + m[1][2] * x.z,
                    m[2][0] * x.x + m[2][1] * x.y + m[2][2] * x.z};
    return wide3_add(wide3_set(def->as.linear_field.offset), turned);
}

#endif
