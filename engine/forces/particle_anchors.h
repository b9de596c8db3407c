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
    mote_force_def def = {.kind = MOTE_FORCE_PARTICLE_ANCHORS};
    def.as.particle_anchors.stiffness = stiffness;
    def.as.particle_anchors.damping = damping;
    return def;
}

static mote_result particle_anchors_check(const mote_force_def *def) {
    mote_result result = mote_check_not_negative(def->as.particle_anchors.stiffness);
    return result ? result : mote_check_not_negative(def->as.particle_anchors.damping);
}

/* Potential k |x - a|^2 / 2. */
static double particle_anchors_potential(const mote_force_def *def, const double x[3], const double *anchor,
                                         double mass) {
    (void)mass;
    double sum = 0;
    for (int axis = 0; axis < 3 && anchor; axis++) {
        const double d = x[axis] - anchor[axis];
        sum += 0.5 * (double)def->as.particle_anchors.stiffness * d * d;
    }
    return sum;
}

static const mote_force_row mote_particle_anchors_row = {.name = "particle-anchors",
                                                         .path = MOTE_PATH_POINT,
                                                         .reads_velocity = true,
                                                         .bytes =
                                                             sizeof((mote_force_def *)0)->as.particle_anchors,
                                                         .needs_anchors = true,
                                                         .check = particle_anchors_check,
                                                         .potential = particle_anchors_potential};

#endif
#endif
