/* Curl noise: u = A (grad f x grad g), free of divergence. I. DeWolf, Divergence-free noise (2005). */
#ifndef MOTE_FORCES_CURL_NOISE_H
#define MOTE_FORCES_CURL_NOISE_H

#include "forces/force.h"
#include "math/noise.h"

/* Blends the potentials f and g in time, between the noises of integer phases. The field itself is not
 * blended, so it is free of divergence at every instant. */
MOTE_OUTLINE wide3 mote_curl_noise_evaluate(const mote_force_def *def, const mote_force_point *at) {
    const float frequency = def->as.curl_noise.frequency, limit = 0x1p20f;
    wide3 lattice = {wide_clamp(at->x.x * frequency, -limit, limit),
                     wide_clamp(at->x.y * frequency, -limit, limit),
                     wide_clamp(at->x.z * frequency, -limit, limit)};
    double phase = at->time * (double)def->as.curl_noise.rate;
    mote_noise_moment f = mote_noise_at(phase, def->as.curl_noise.seed);
    mote_noise_moment g = mote_noise_at(phase, def->as.curl_noise.seed ^ 0x5bd1e995u);
    return wide3_scale(wide_set(def->as.curl_noise.amplitude),
                       wide3_cross(mote_noise_gradient(lattice, &f), mote_noise_gradient(lattice, &g)));
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_curl_noise(float amplitude, float frequency, float rate, uint32_t seed,
                               mote_field_use use, float drag) {
    return (mote_force_def){
        .kind = MOTE_FORCE_CURL_NOISE,
        .use = use,
        .drag = drag,
        .as.curl_noise = {.amplitude = amplitude, .frequency = frequency, .rate = rate, .seed = seed}};
}

static const mote_force_row mote_curl_noise_row = {.name = "curl-noise",
                                                   .path = MOTE_PATH_POINT,
                                                   .bytes = MOTE_PARAMETERS(curl_noise),
                                                   .integer_bytes = sizeof(uint32_t),
                                                   .reads_time = true,
                                                   .not_negative = MOTE_PARAMETER(curl_noise.frequency) |
                                                                   MOTE_PARAMETER(curl_noise.rate)};

#endif
#endif
