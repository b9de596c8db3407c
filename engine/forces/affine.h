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
void mote_affine_add(mote_affine *sum, const mote_affine *term, double factor);

bool mote_affine_is_zero(const mote_affine *affine);
bool mote_affine_has_damping(const mote_affine *affine);
bool mote_affine_has_stiffness(const mote_affine *affine);

#endif
