/* Quadratic drag: F = -c |v - u| (v - u). */
#include "forces/quadratic_drag.h"

mote_force_def mote_quadratic_drag(const vec3 velocity, float coefficient) {
    mote_force_def def = {.kind = MOTE_FORCE_QUADRATIC_DRAG};
    mote_copy_vector(def.as.quadratic_drag.velocity, velocity);
    def.as.quadratic_drag.coefficient = coefficient;
    return def;
}

static mote_result check(const mote_force_def *def) {
    return mote_check_not_negative(def->as.quadratic_drag.coefficient);
}

const mote_force_row mote_quadratic_drag_row = {.name = "quadratic-drag",
                                                .path = MOTE_PATH_POINT,
                                                .reads_velocity = true,
                                                .newtons = true,
                                                .parameters = 4,
                                                .words = 4,
                                                .check = check};
