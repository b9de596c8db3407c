/* Timed thrust: F = f(t), linear between keys. */
#ifndef MOTE_FORCES_TIMED_THRUST_H
#define MOTE_FORCES_TIMED_THRUST_H

#include "forces/force.h"

/* Returns the force at the time, in N, the same for every particle. Interpolates time in double, so that the
 * precision holds after days of simulated time. */
MOTE_INLINE wide3 mote_timed_thrust_evaluate(const mote_force_def *def, const mote_force_point *at) {
    const float *times = def->as.timed_thrust.time;
    uint32_t count = def->as.timed_thrust.count, next = 0;
    while (next < count && (double)times[next] <= at->time) next++;
    if (next == 0) return wide3_set(def->as.timed_thrust.force[0]);
    const float *from = def->as.timed_thrust.force[next - 1];
    if (next == count) return wide3_set(from);
    const float *to = def->as.timed_thrust.force[next];
    float s = (float)((at->time - (double)times[next - 1]) / ((double)times[next] - (double)times[next - 1]));
    const float blended[3] = {from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1]),
                              from[2] + s * (to[2] - from[2])};
    return wide3_set(blended);
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_timed_thrust(const float *times, const float *forces, uint32_t count) {
    mote_force_def def = {
        .cookie = MOTE_FORCE_COOKIE, .kind = MOTE_FORCE_TIMED_THRUST, .as.timed_thrust = {.count = count}};
    for (uint32_t i = 0; i < count && i < MOTE_MAX_THRUST_KEYS; i++) {
        def.as.timed_thrust.time[i] = times ? times[i] : NAN;
        mote_copy_vector(def.as.timed_thrust.force[i], forces ? forces + 3 * (size_t)i : NULL);
    }
    return def;
}

static mote_result timed_thrust_check(const mote_force_def *def, const char **name) {
    uint32_t count = def->as.timed_thrust.count;
    if (count == 0 || count > MOTE_MAX_THRUST_KEYS) return mote_named(name, "count", MOTE_ERROR_RANGE);
    for (uint32_t i = 1; i < count; i++)
        if (!(def->as.timed_thrust.time[i - 1] < def->as.timed_thrust.time[i]))
            return mote_named(name, "time", MOTE_ERROR_RANGE);
    return MOTE_OK;
}

static const mote_force_row mote_timed_thrust_row = {
    .name = "timed-thrust",
    .cost = 2,
    .path = MOTE_PATH_POINT,
    .bytes = MOTE_PARAMETERS(timed_thrust),
    .fields = {{"time", MOTE_MAX_THRUST_KEYS}, {"force", 3 * MOTE_MAX_THRUST_KEYS}},
    .integer_bytes = sizeof(uint32_t),
    .reads_time = true,
    .check = timed_thrust_check};

#endif
#endif
