/* Anchor spring: F = -k (x - anchor) - b v. */
#ifndef MOTE_FORCES_ANCHOR_SPRING_H
#define MOTE_FORCES_ANCHOR_SPRING_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_anchor_spring_row;

/* Inside a region; everywhere it is folded. */
MOTE_INLINE wide3 mote_anchor_spring_evaluate(const mote_force_def *def, wide3 x, wide3 v) {
    wide3 pull = wide3_scale(wide_set(def->as.anchor_spring.stiffness),
                             wide3_sub(wide3_set(def->as.anchor_spring.anchor), x));
    return wide3_sub(pull, wide3_scale(wide_set(def->as.anchor_spring.damping), v));
}

#endif
