/* Thrust by time: F = f(t), linear between keys. */
#include "forces/timed_thrust.h"

#include <math.h>

mote_force_def mote_timed_thrust(const float *times, vec3 *forces, uint32_t count) {
    mote_force_def def = {.kind = MOTE_FORCE_TIMED_THRUST, .as.timed_thrust = {.count = count}};
    for (uint32_t i = 0; i < count && i < MOTE_MAX_THRUST_KEYS; i++) {
        def.as.timed_thrust.time[i] = times ? times[i] : NAN;
        mote_copy_vector(def.as.timed_thrust.force[i], forces ? forces[i] : NULL);
    }
    return def;
}

static mote_result check(const mote_force_def *def) {
    uint32_t count = def->as.timed_thrust.count;
    if (count == 0 || count > MOTE_MAX_THRUST_KEYS) return MOTE_ERROR_RANGE;
    for (uint32_t i = 1; i < count; i++)
        if (!(def->as.timed_thrust.time[i - 1] < def->as.timed_thrust.time[i])) return MOTE_ERROR_RANGE;
    return MOTE_OK;
}

const mote_force_row mote_timed_thrust_row = {.name = "timed-thrust",
                                              .path = MOTE_PATH_POINT,
                                              .newtons = true,
                                              .parameters = 4 * MOTE_MAX_THRUST_KEYS,
                                              .words = 4 * MOTE_MAX_THRUST_KEYS + 1,
                                              .check = check};
