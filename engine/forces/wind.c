/* Wind: F = drag (u - v), linear (Stokes) drag relative to moving air. */
#include "forces/wind.h"

mote_force_def mote_wind(const vec3 velocity, float drag) {
    mote_force_def def = {.kind = MOTE_FORCE_WIND};
    mote_copy_vector(def.as.wind.velocity, velocity);
    def.drag = drag;
    return def;
}

static void fold(const mote_force_def *def, mote_affine *acceleration, mote_affine *force) {
    (void)acceleration;
    double drag = (double)def->drag;
    for (int axis = 0; axis < 3; axis++) {
        force->constant[axis] += drag * (double)def->as.wind.velocity[axis];
        force->damping[axis] -= drag;
    }
}

const mote_force_row mote_wind_row = {.name = "wind",
                                      .path = MOTE_PATH_AFFINE,
                                      .reads_velocity = true,
                                      .newtons = true,
                                      .parameters = 3,
                                      .words = 3,
                                      .fold = fold};
