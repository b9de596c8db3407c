/* Attractor: the gravity of a softened point. */
#include "forces/attractor.h"

mote_force_def mote_attractor(const vec3 centre, float strength, float softening) {
    mote_force_def def = {.kind = MOTE_FORCE_ATTRACTOR};
    mote_copy_vector(def.as.attractor.centre, centre);
    def.as.attractor.strength = strength;
    def.as.attractor.softening = softening;
    return def;
}

static mote_result check(const mote_force_def *def) { return mote_check_not_negative(def->as.attractor.softening); }

const mote_force_row mote_attractor_row = {
    .name = "attractor", .path = MOTE_PATH_POINT, .check = check, .parameters = 5};
