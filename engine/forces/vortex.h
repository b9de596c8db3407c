/* Vortex: u = s (axis x r) / (r^2 + core^2) around a line. */
#ifndef MOTE_FORCES_VORTEX_H
#define MOTE_FORCES_VORTEX_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_vortex_row;

MOTE_INLINE wide3 mote_vortex_evaluate(const mote_force_def *def, wide3 x) {
    const float *a = def->as.vortex.axis, core = def->as.vortex.core;
    float length = __builtin_sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const float unit[3] = {a[0] / length, a[1] / length, a[2] / length};
    wide3 axis = wide3_set(unit), r = wide3_sub(x, wide3_set(def->as.vortex.centre));
    wide along = wide3_dot(axis, r);
    r = wide3_sub(r, wide3_scale(along, axis));
    return wide3_scale(def->as.vortex.strength / (wide3_dot(r, r) + core * core), wide3_cross(axis, r));
}

#endif
