/* Affine forces: a = constant + damping v + stiffness x per axis. All affine forces on a particle fold into
 * one such term. */
#ifndef MOTE_FORCES_AFFINE_H
#define MOTE_FORCES_AFFINE_H

#include "base/compiler.h"

/* Affine term in double, as summed. There are two sums: accelerations, and forces that are multiplied by the
 * inverse mass. */
typedef struct mote_affine {
    double constant[3], damping[3], stiffness[3];
} mote_affine;

/* Adds factor x term to *sum. */
MOTE_INLINE void mote_affine_add(mote_affine *sum, const mote_affine *term, double factor) {
    for (int axis = 0; axis < 3; axis++) {
        sum->constant[axis] += term->constant[axis] * factor;
        sum->damping[axis] += term->damping[axis] * factor;
        sum->stiffness[axis] += term->stiffness[axis] * factor;
    }
}

/* Whether a part of an affine term is not zero. */
MOTE_INLINE bool mote_affine_acts(const double part[3]) {
    return part[0] != 0 || part[1] != 0 || part[2] != 0;
}

#endif
