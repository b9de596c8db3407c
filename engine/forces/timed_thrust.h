/* Thrust by time: F = f(t), linear between keys. */
#ifndef MOTE_FORCES_TIMED_THRUST_H
#define MOTE_FORCES_TIMED_THRUST_H

#include "forces/table.h"
#include "math/wide.h"

extern const mote_force_row mote_timed_thrust_row;

/* The force at `time`, in N: the same for every particle. Between keys in double, so that days of running
 * lose nothing. */
MOTE_INLINE wide3 mote_timed_thrust_evaluate(const mote_force_def *def, double time) {
    const float *times = def->as.timed_thrust.time;
    uint32_t count = def->as.timed_thrust.count, next = 0;
    while (next < count && (double)times[next] <= time) next++;
    if (next == 0) return wide3_set(def->as.timed_thrust.force[0]);
    const float *from = def->as.timed_thrust.force[next - 1];
    if (next == count) return wide3_set(from);
    const float *to = def->as.timed_thrust.force[next];
    float s = (float)((time - (double)times[next - 1]) / ((double)times[next] - (double)times[next - 1]));
    const float blended[3] = {from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1]),
                              from[2] + s * (to[2] - from[2])};
    return wide3_set(blended);
}

#endif
