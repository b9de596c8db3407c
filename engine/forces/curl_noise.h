/* Curl noise: u = A (grad f x grad g), free of divergence. I. DeWolf, Divergence-free noise (2005). */
#ifndef MOTE_FORCES_CURL_NOISE_H
#define MOTE_FORCES_CURL_NOISE_H

#include "base/isa.h"
#include "forces/force.h"
#include "math/noise.h"

MOTE_INLINE bool mote_curl_noise_is(const mote_force_def *def) { return def->kind == MOTE_FORCE_CURL_NOISE; }

/* Computes the two potentials at a time, which all particles share. */
MOTE_INLINE void mote_curl_noise_moments(const mote_force_def *def, double time,
                                         mote_noise_moment potentials[2]) {
    const double phase = time * (double)def->as.curl_noise.rate;
    potentials[0] = mote_noise_at(phase, def->as.curl_noise.seed);
    potentials[1] = mote_noise_at(phase, def->as.curl_noise.seed ^ 0x5bd1e995u);
}

/* Returns the variance of a blend of two independent values of variance 1. */
MOTE_INLINE float mote_curl_noise_variance(float blend) {
    return blend * blend + (1.0f - blend) * (1.0f - blend);
}

/* Computes the field u[k] at x[k], k < n. The variance of the blend, the root of which either potential is to
 * be divided by, divides their product: |u| has the same mean square at all times. */
MOTE_INLINE void mote_curl_noise_fields(const mote_force_def *def, const mote_noise_moment potentials[2],
                                        bool blended, const wide3 *x, wide3 *u, int n) {
    const float frequency = def->as.curl_noise.frequency, limit = 0x1p20f;
    const float unscaled = def->as.curl_noise.amplitude * (MOTE_NOISE_UNIT * MOTE_NOISE_UNIT);
    const float scale = blended ? unscaled / mote_curl_noise_variance(potentials[0].blend) : unscaled;
    const mote_noise_moment both[2] = {potentials[0], potentials[1]};
    MOTE_ROLLED
    for (int k = 0; k < n; k++) {
        const wide3 lattice = {wide_clamp(x[k].x * frequency, -limit, limit),
                               wide_clamp(x[k].y * frequency, -limit, limit),
                               wide_clamp(x[k].z * frequency, -limit, limit)};
        wide3 gradients[2];
        mote_noise_gradients(lattice, both, blended, gradients);
        u[k] = wide3_scale(wide_set(scale), wide3_cross(gradients[0], gradients[1]));
    }
}

/* Two instances, in forces/kernels.c. As the branches of one function gcc 12 computes the gradients of all
 * corners first and keeps them in memory (measured: 1.3 times the time). */
#define mote_curl_noise_blended MOTE_SHARED(mote_curl_noise_blended)
#define mote_curl_noise_still   MOTE_SHARED(mote_curl_noise_still)
void mote_curl_noise_blended(const mote_force_def *def, const mote_noise_moment potentials[2], const wide3 *x,
                             wide3 *u, int n);
void mote_curl_noise_still(const mote_force_def *def, const mote_noise_moment potentials[2], const wide3 *x,
                           wide3 *u, int n);

/* Blends the potentials f and g in time, between the noises of integer phases. The field itself is not
 * blended, so it is free of divergence at every instant. */
MOTE_INLINE void mote_curl_noise_run(const mote_force_def *def, const mote_noise_moment potentials[2],
                                     const wide3 *x, wide3 *u, int n) {
    if (MOTE_SPECIALISED(potentials[0].blend != 0, true))
        mote_curl_noise_blended(def, potentials, x, u, n);
    else
        mote_curl_noise_still(def, potentials, x, u, n);
}

MOTE_INLINE wide3 mote_curl_noise_evaluate(const mote_force_def *def, const mote_force_point *at) {
    wide3 u;
    mote_curl_noise_run(def, at->moments, &at->x, &u, 1);
    return u;
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
    .noise = true,
    .not_negative = MOTE_PARAMETER(curl_noise.frequency) | MOTE_PARAMETER(curl_noise.rate)};

#endif
#endif
