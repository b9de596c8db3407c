/* Evaluation of inline forces on a few registers of particles: forces/kernels.c. */
#ifndef MOTE_FORCES_INLINE_H
#define MOTE_FORCES_INLINE_H

#include "forces/list.h"

/* Sums by unit: m/s^2 (or m/s, under an advecting integrator) and N. */
typedef struct mote_force_sum {
    wide3 acceleration, force;
} mote_force_sum;

/* Applies a field's vector u according to its use: u itself, or the linear drag of air that moves with u. */
MOTE_INLINE wide3 mote_use_field(const mote_force_def *def, wide3 u, wide3 v) {
    return def->use == MOTE_FIELD_WIND ? wide3_scale(wide_set(def->drag), wide3_sub(u, v)) : u;
}

/* Adds any mixture of inline forces on n registers at one time to their sums. Out of line: the switch is
 * compiled once, and the kernels around it keep their registers. anchors: at->anchor is valid; without it,
 * forces that need an anchor do not act. */
#define mote_inline_forces MOTE_SHARED(mote_inline_forces)
void mote_inline_forces(const mote_force_def *forces, uint32_t count, bool anchors, mote_force_point *at,
                        int n, mote_force_sum *sum);

#endif
