/* Sums of affine terms. */
#include "forces/affine.h"

void mote_affine_add(mote_affine *sum, const mote_affine *term, double factor) {
    for (int axis = 0; axis < 3; axis++) {
        sum->constant[axis] += term->constant[axis] * factor;
        sum->damping[axis] += term->damping[axis] * factor;
        sum->stiffness[axis] += term->stiffness[axis] * factor;
    }
}

static bool any(const double v[3]) { return v[0] != 0 || v[1] != 0 || v[2] != 0; }

bool mote_affine_has_damping(const mote_affine *affine) { return any(affine->damping); }

bool mote_affine_has_stiffness(const mote_affine *affine) { return any(affine->stiffness); }

bool mote_affine_is_zero(const mote_affine *affine) {
    return !any(affine->constant) && !any(affine->damping) && !any(affine->stiffness);
}
