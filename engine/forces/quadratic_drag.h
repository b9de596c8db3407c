/* Quadratic drag: F = -c |v - u| (v - u), limited to F = -m rate (v - u) with the largest rate at which an
 * explicit kick does not turn v - u round. */
#ifndef MOTE_FORCES_QUADRATIC_DRAG_H
#define MOTE_FORCES_QUADRATIC_DRAG_H

#include "forces/force.h"

/* Returns true if a def is a quadratic drag, for kernels that evaluate it without a call. */
MOTE_INLINE bool mote_quadratic_drag_is(const mote_force_def *def) {
    return def->kind == MOTE_FORCE_QUADRATIC_DRAG;
}

/* Returns the largest c |v - u|, kg/s. None limits an immovable particle. */
MOTE_INLINE wide mote_quadratic_drag_limit(float rate, wide inverse_mass) { return rate / inverse_mass; }

/* Returns the force in N. */
MOTE_INLINE wide3 mote_quadratic_drag_evaluate(const mote_force_def *def, const mote_force_point *at) {
    wide3 relative = wide3_sub(wide3_set(def->as.quadratic_drag.velocity), at->v);
    wide factor = def->as.quadratic_drag.coefficient * wide_sqrt(wide3_dot(relative, relative));
    return wide3_scale(wide_min(factor, mote_quadratic_drag_limit(at->drag_rate, at->inverse_mass)),
                       relative);
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_quadratic_drag(const float velocity[3], float coefficient) {
    mote_force_def def = {.cookie = MOTE_FORCE_COOKIE,
                          .kind = MOTE_FORCE_QUADRATIC_DRAG,
                          .as.quadratic_drag.coefficient = coefficient};
    mote_copy_vector(def.as.quadratic_drag.velocity, velocity);
    return def;
}

static const mote_force_row mote_quadratic_drag_row = {.name = "quadratic-drag",
                                                       .cost = 1.5,
                                                       .path = MOTE_PATH_POINT,
                                                       .reads_velocity = true,
                                                       .bytes = MOTE_PARAMETERS(quadratic_drag),
                                                       .fields = {{"velocity", 3}, {"coefficient", 1}},
                                                       .not_negative =
                                                           MOTE_PARAMETER(quadratic_drag.coefficient)};

#endif
#endif
