/* Particle anchors: F = -k (x - anchor of the particle) - b v. */
#ifndef MOTE_FORCES_PARTICLE_ANCHORS_H
#define MOTE_FORCES_PARTICLE_ANCHORS_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_particle_anchors_row;

/* In N. */
MOTE_INLINE wide3 mote_particle_anchors_evaluate(const mote_force_def *def, wide3 anchor, wide3 x, wide3 v) {
    wide3 pull = wide3_scale(wide_set(def->as.particle_anchors.stiffness), wide3_sub(anchor, x));
    return wide3_sub(pull, wide3_scale(wide_set(def->as.particle_anchors.damping), v));
}

#endif
