/* Curl noise: u = A (grad f x grad g), free of divergence. I. DeWolf, Divergence-free noise (2005). */
#ifndef MOTE_FORCES_CURL_NOISE_H
#define MOTE_FORCES_CURL_NOISE_H

#include "forces/force.h"
#include "math/noise.h"

/* Two instances of mote_noise_gradients. As the branches of one function gcc 12 computes the gradients of all
 * corners first and keeps them in memory (measured: 1.3 times the time). */
MOTE_OUTLINE void mote_curl_noise_blended(wide3 lattice, const mote_noise_moment moments[2],
                                          wide3 gradients[2]) {
    mote_noise_gradients(lattice, moments, MOTE_SPECIALISED(true, moments[0].blend != 0), gradients);
}
MOTE_OUTLINE void mote_curl_noise_still(wide3 lattice, const mote_noise_moment moments[2],
                                        wide3 gradients[2]) {
    mote_noise_gradients(lattice, moments, false, gradients);
}

/* Blends the potentials f and g in time, between the noises of integer phases. The field itself is not
 * blended, so it is free of divergence at every instant. */
MOTE_INLINE wide3 mote_curl_noise_evaluate(const mote_force_def *def, const mote_force_point *at) {
    const float frequency = def->as.curl_noise.frequency, limit = 0x1p20f;
    wide3 lattice = {wide_clamp(at->x.x * frequency, -limit, limit),
                     wide_clamp(at->x.y * frequency, -limit, limit),
                     wide_clamp(at->x.z * frequency, -limit, limit)};
    double phase = at->time * (double)def->as.curl_noise.rate;
    const mote_noise_moment potentials[2] = {mote_noise_at(phase, def->as.curl_noise.seed),
                                             mote_noise_at(phase, def->as.curl_noise.seed ^ 0x5bd1e995u)};
    wide3 gradients[2];
    if (MOTE_SPECIALISED(potentials[0].blend != 0, true))
        mote_curl_noise_blended(lattice, potentials, gradients);
    else
        mote_curl_noise_still(lattice, potentials, gradients);
    return wide3_scale(wide_set(def->as.curl_noise.amplitude * (MOTE_NOISE_UNIT * MOTE_NOISE_UNIT)),
                       wide3_cross(gradients[0], gradients[1]));
}

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_curl_noise(float amplitude, float frequency, float rate, uint32_t seed,
                               mote_field_use use, float drag) {
    return (mote_force_def){
        .cookie = MOTE_FORCE_COOKIE,
        .kind = MOTE_FORCE_CURL_NOISE,
        .use = use,
        .drag = drag,
        .as.curl_noise = {.amplitude = amplitude, .frequency = frequency, .rate = rate, .seed = seed}};
}

static const mote_force_row mote_curl_noise_row = {
    .name = "curl-noise",
    .cost = 30,
    .path = MOTE_PATH_POINT,
    .bytes = MOTE_PARAMETERS(curl_noise),
    .fields = {{"amplitude", 1}, {"frequency", 1}, {"rate", 1}},
    .integer_bytes = sizeof(uint32_t),
    .reads_time = true,
    .not_negative = MOTE_PARAMETER(curl_noise.frequency) | MOTE_PARAMETER(curl_noise.rate)};

#endif
#endif
