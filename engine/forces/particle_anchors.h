/* Particle anchors: F = -k (x - anchor of the particle) - b v. */
#ifndef MOTE_FORCES_PARTICLE_ANCHORS_H
#define MOTE_FORCES_PARTICLE_ANCHORS_H

#include "forces/force.h"

/* Returns the force in N. */
MOTE_INLINE wide3 mote_particle_anchors_evaluate(const mote_force_def *def, const mote_force_point *at) {
    wide3 spring = wide3_scale(wide_set(def->as.particle_anchors.stiffness), wide3_sub(at->anchor, at->x));
    return wide3_sub(spring, wide3_scale(wide_set(def->as.particle_anchors.damping), at->v));
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_particle_anchors(float stiffness, float damping) {
    return (mote_force_def){.cookie = MOTE_FORCE_COOKIE,
                            .kind = MOTE_FORCE_PARTICLE_ANCHORS,
                            .as.particle_anchors = {.stiffness = stiffness, .damping = damping}};
}

/* Potential k |x - a|^2 / 2. */
static double particle_anchors_potential(const mote_force_def *def, const mote_force_place *at) {
    double sum = 0;
    for (int axis = 0; axis < 3 && at->anchor; axis++) {
        const double d = at->x[axis] - at->anchor[axis];
        sum += 0.5 * (double)def->as.particle_anchors.stiffness * d * d;
    }
    return sum;
}

static const mote_force_row mote_particle_anchors_row = {
    .name = "particle-anchors",
    .cost = 1,
    .path = MOTE_PATH_POINT,
    .reads_velocity = true,
    .damping = offsetof(mote_force_def, as.particle_anchors.damping),
    .bytes = MOTE_PARAMETERS(particle_anchors),
    .fields = {{"stiffness", 1}, {"damping", 1}},
    .needs_anchors = true,
    .not_negative = MOTE_PARAMETER(particle_anchors.stiffness) | MOTE_PARAMETER(particle_anchors.damping),
    .potential = particle_anchors_potential};

#endif
#endif
