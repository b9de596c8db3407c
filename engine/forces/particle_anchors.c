/* Particle anchors: F = -k (x - anchor of the particle) - b v. */
#include "forces/particle_anchors.h"

mote_force_def mote_particle_anchors(float stiffness, float damping) {
    mote_force_def def = {.kind = MOTE_FORCE_PARTICLE_ANCHORS};
    def.as.particle_anchors.stiffness = stiffness;
    def.as.particle_anchors.damping = damping;
    return def;
}

static mote_result check(const mote_force_def *def) {
    mote_result result = mote_check_not_negative(def->as.particle_anchors.stiffness);
    return result ? result : mote_check_not_negative(def->as.particle_anchors.damping);
}

const mote_force_row mote_particle_anchors_row = {.name = "particle-anchors",
                                                  .path = MOTE_PATH_POINT,
                                                  .reads_velocity = true,
                                                  .newtons = true,
                                                  .parameters = 2,
                                                  .words = 2,
                                                  .check = check};
