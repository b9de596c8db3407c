/* Vortex: u = s (axis x r) / (r^2 + core^2) around a line. */
#ifndef MOTE_FORCES_VORTEX_H
#define MOTE_FORCES_VORTEX_H

#include "forces/force.h"

/* Returns u: 0 on the axis of a vortex without a core. */
MOTE_INLINE wide3 mote_vortex_evaluate(const mote_force_def *def, const mote_force_point *at) {
    const float *a = def->as.vortex.axis, core = def->as.vortex.core;
    float length = __builtin_sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const float unit[3] = {a[0] / length, a[1] / length, a[2] / length};
    wide3 axis = wide3_set(unit), r = wide3_sub(at->x, wide3_set(def->as.vortex.centre));
    wide along = wide3_dot(axis, r);
    r = wide3_sub(r, wide3_scale(along, axis));
    wide square = wide3_dot(r, r) + core * core;
    wide f = wide_select(wide_equal(square, (wide){0}), (wide){0}, def->as.vortex.strength / square);
    return wide3_scale(f, wide3_cross(axis, r));
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_vortex(const float centre[3], const float axis[3], float strength, float core,
                           mote_field_use use, float drag) {
    mote_force_def def = {.cookie = MOTE_FORCE_COOKIE,
                          .kind = MOTE_FORCE_VORTEX,
                          .use = use,
                          .drag = drag,
                          .as.vortex = {.strength = strength, .core = core}};
    mote_copy_vector(def.as.vortex.centre, centre);
    mote_copy_vector(def.as.vortex.axis, axis);
    return def;
}

static mote_result vortex_check(const mote_force_def *def, const char **name) {
    const float *a = def->as.vortex.axis;
    float length2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    const bool directed = length2 >= 1e-30f && length2 <= 1e30f;
    return directed ? MOTE_OK : mote_named(name, "axis", MOTE_ERROR_RANGE);
}

static const mote_force_row mote_vortex_row = {
    .name = "vortex",
    .cost = 4,
    .path = MOTE_PATH_POINT,
    .bytes = MOTE_PARAMETERS(vortex),
    .fields = {{"centre", 3}, {"axis", 3}, {"strength", 1}, {"core", 1}},
    .not_negative = MOTE_PARAMETER(vortex.core),
    .check = vortex_check};

#endif
#endif
