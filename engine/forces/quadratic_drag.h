/* Quadratic drag: F = -c |v - u| (v - u). */
#ifndef MOTE_FORCES_QUADRATIC_DRAG_H
#define MOTE_FORCES_QUADRATIC_DRAG_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_quadratic_drag_row;

/* In N. */
MOTE_INLINE wide3 mote_quadratic_drag_evaluate(const mote_force_def *def, wide3 v) {
    wide3 relative = wide3_sub(wide3_set(def->as.quadratic_drag.velocity), v);
    return wide3_scale(def->as.quadratic_drag.coefficient * wide_sqrt(wide3_dot(relative, relative)),
                       relative);
}

#endif
