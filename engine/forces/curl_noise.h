/* Curl noise: u = A (grad f x grad g), free of divergence. I. DeWolf, Divergence-free noise (2005). */
#ifndef MOTE_FORCES_CURL_NOISE_H
#define MOTE_FORCES_CURL_NOISE_H

#include "forces/table.h"
#include "math/noise.h"

extern const mote_force_row mote_curl_noise_row;

/* f and g change in time between the noises of whole moments, so the field stays free of divergence at every
 * moment. */
MOTE_OUTLINE wide3 mote_curl_noise_evaluate(const mote_force_def *def, wide3 x, double time) {
    const float frequency = def->as.curl_noise.frequency, limit = 0x1p20f;
    wide3 at = {wide_clamp(x.x * frequency, -limit, limit), wide_clamp(x.y * frequency, -limit, limit),
                wide_clamp(x.z * frequency, -limit, limit)};
    double phase = time * (double)def->as.curl_noise.rate;
    mote_noise_moment f = mote_noise_at(phase, def->as.curl_noise.seed);
    mote_noise_moment g = mote_noise_at(phase, def->as.curl_noise.seed ^ 0x5bd1e995u);
    return wide3_scale(wide_set(def->as.curl_noise.amplitude),
                       wide3_cross(mote_noise_gradient(at, &f), mote_noise_gradient(at, &g)));
}

#endif
