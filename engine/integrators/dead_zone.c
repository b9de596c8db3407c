/* Dead zone of float32: the speeds and accelerations whose drifts and kicks round to nothing. */
#include "integrators/scheme.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fpu.h"

/* Half the distances from a float to its neighbours, towards 0 and away from it. A sum x + y rounds to x for
 * every |y| below `towards`, and changes x in either direction for every |y| above `away`. They differ at
 * powers of two, below which floats are twice as dense. */
typedef struct half_gaps {
    double towards, away;
} half_gaps;

static double magnitude_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static half_gaps half_gaps_at(double at) {
    const float magnitude = (float)__builtin_fabs(at);
    uint32_t bits; /* floats above 0 are ordered as their bits are */
    memcpy(&bits, &magnitude, sizeof bits);
    const double value = (double)magnitude;
    const double below = bits ? value - magnitude_of(bits - 1) : magnitude_of(1);
    /* Above the largest float there is none: its distance to the next one would be that to the last. */
    const double above = magnitude < FLT_MAX ? magnitude_of(bits + 1) - value : below;
    return (half_gaps){0.5 * below, 0.5 * above};
}

/* Smallest and largest |fraction of h| that an integrator adds at once. */
typedef struct fractions {
    double least, most;
} fractions;

static void include(fractions *f, double fraction) {
    const double size = __builtin_fabs(fraction);
    if (size == 0) return;
    if (size < f->least) f->least = size;
    if (size > f->most) f->most = size;
}

/* Splitting adds each drift to the position by itself; the other families add one sum, h v in free flight. */
static fractions drifts_of(const mote_scheme *scheme) {
    if (scheme->family != MOTE_FAMILY_SPLITTING) return (fractions){1, 1};
    fractions f = {HUGE_VAL, 0};
    include(&f, scheme->drift_first);
    for (uint32_t i = 0; i < scheme->stages; i++) include(&f, scheme->drift[i]);
    return f;
}

/* Maps apply affine forces over the whole of h, the others by kicks. */
static fractions kicks_of(const mote_scheme *scheme) {
    const bool map = scheme->family == MOTE_FAMILY_MAP;
    if (!map && scheme->family != MOTE_FAMILY_SPLITTING) return (fractions){1, 1};
    fractions f = {HUGE_VAL, 0};
    if (map) include(&f, 1);
    for (uint32_t i = 0; i < scheme->stages; i++) include(&f, scheme->kick[i]);
    return f;
}

static mote_dead_zone dead_zone(mote_integrator integrator, double coordinate, double speed, double substep) {
    const double largest = (double)FLT_MAX, none = (double)NAN;
    if ((unsigned)integrator >= MOTE_INTEGRATOR_COUNT || !(__builtin_fabs(coordinate) <= largest) ||
        !(__builtin_fabs(speed) <= largest) || !(substep > 0) || !isfinite(substep))
        return (mote_dead_zone){none, none, none, none};
    const mote_scheme *scheme = &mote_scheme_table[integrator];
    const fractions drift = drifts_of(scheme), kick = kicks_of(scheme);
    const half_gaps x = half_gaps_at(coordinate), v = half_gaps_at(speed);
    mote_dead_zone zone = {.still_speed = x.towards / (substep * drift.most),
                           .full_speed = x.away / (substep * drift.least),
                           .still_acceleration = v.towards / (substep * kick.most),
                           .full_acceleration = v.away / (substep * kick.least)};
    if (scheme->family == MOTE_FAMILY_ADVECTION) /* no momentum: no acceleration acts */
        zone.still_acceleration = zone.full_acceleration = HUGE_VAL;
    return zone;
}

mote_dead_zone mote_integrator_dead_zone(mote_integrator integrator, double coordinate, double speed,
                                         double substep) {
    const mote_fpu_state saved = mote_fpu_enter();
    MOTE_FPU_COMPUTED(coordinate);
    MOTE_FPU_COMPUTED(speed);
    MOTE_FPU_COMPUTED(substep);
    mote_dead_zone zone = dead_zone(integrator, coordinate, speed, substep);
    MOTE_FPU_COMPUTED(zone);
    mote_fpu_leave(saved);
    return zone;
}
