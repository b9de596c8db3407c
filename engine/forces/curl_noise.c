/* Curl noise: u = A (grad f x grad g), free of divergence. I. DeWolf, Divergence-free noise (2005). */
#include "forces/curl_noise.h"

mote_force_def mote_curl_noise(float amplitude, float frequency, float rate, uint32_t seed,
                               mote_field_use use, float drag) {
    mote_force_def def = {.kind = MOTE_FORCE_CURL_NOISE, .use = use, .drag = drag};
    def.as.curl_noise.amplitude = amplitude;
    def.as.curl_noise.frequency = frequency;
    def.as.curl_noise.rate = rate;
    def.as.curl_noise.seed = seed;
    return def;
}

static mote_result check(const mote_force_def *def) {
    mote_result result = mote_check_not_negative(def->as.curl_noise.frequency);
    return result ? result : mote_check_not_negative(def->as.curl_noise.rate);
}

const mote_force_row mote_curl_noise_row = {.name = "curl-noise",
                                            .path = MOTE_PATH_POINT,
                                            .field = true,
                                            .parameters = 3,
                                            .words = 4,
                                            .check = check};
