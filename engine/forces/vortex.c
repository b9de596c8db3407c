/* Vortex: u = s (axis x r) / (r^2 + core^2) around a line. */
#include "forces/vortex.h"

mote_force_def mote_vortex(const vec3 centre, const vec3 axis, float strength, float core, mote_field_use use,
                           float drag) {
    mote_force_def def = {.kind = MOTE_FORCE_VORTEX, .use = use, .drag = drag};
    mote_copy_vector(def.as.vortex.centre, centre);
    mote_copy_vector(def.as.vortex.axis, axis);
    def.as.vortex.strength = strength;
    def.as.vortex.core = core;
    return def;
}

static mote_result check(const mote_force_def *def) {
    const float *a = def->as.vortex.axis;
    float length2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    if (!(length2 >= 1e-30f) || length2 > 1e30f) return MOTE_ERROR_RANGE;
    return mote_check_not_negative(def->as.vortex.core);
}

const mote_force_row mote_vortex_row = {
    .name = "vortex", .path = MOTE_PATH_POINT, .field = true, .parameters = 8, .words = 8, .check = check};
