/* Affine forces: a = constant + damping v + stiffness x per axis. All of a particle's fold into one such
 * term. */
#ifndef MOTE_FORCES_AFFINE_H
#define MOTE_FORCES_AFFINE_H

#include "base/compiler.h"

/* In double while it is summed. There are two sums: accelerations, and forces, which the inverse mass
 * multiplies. */
typedef struct mote_affine {
    double constant[3], damping[3], stiffness[3];
} mote_affine;

/* sum += term x factor */
void mote_affine_add(mote_affine *sum, const mote_affine *term, double factor);

bool mote_affine_is_zero(const mote_affine *affine);
bool mote_affine_has_damping(const mote_affine *affine);
bool mote_affine_has_stiffness(const mote_affine *affine);

#endif
