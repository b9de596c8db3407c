/* Gradient noise and its gradient. K. Perlin, An image synthesizer (1985), with the quintic fade of Improving
 * noise (2002) and gradients from an integer hash of the lattice point. */
#ifndef MOTE_MATH_NOISE_H
#define MOTE_MATH_NOISE_H

#include "math/wide.h"

/* Noise at one instant: a blend of the noises of two seeds, which makes it vary in time. */
typedef struct mote_noise_moment {
    uint32_t seed[2];
    float blend;
} mote_noise_moment;

/* Applies the finalizer of MurmurHash3 (Appleby 2011) to point ^ seed. half: point ^ point >> 16, which all
 * seeds of a point share. */
MOTE_INLINE wide_unsigned mote_noise_mix(wide_unsigned half, uint32_t seed) {
    wide_unsigned h = (half ^ (seed ^ seed >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/* Gradient of a lattice point, in units of MOTE_NOISE_UNIT: ten bits of its hash for each component, as
 * integers in [-512, 511]. Powers of two commute with every rounding. */
#define MOTE_NOISE_UNIT (1.0f / 512.0f)

/* Converts the ten bits of `field` to (bits - 512): as the mantissa of a float in [one, 2 one), in which the
 * lowest of them counts 1. Shifts and conversions run on one port of a processor that has two for this. */
MOTE_INLINE wide mote_noise_component(wide_unsigned h, uint32_t field, float one) {
    uint32_t exponent;
    memcpy(&exponent, &one, sizeof exponent);
    return wide_from_bits((wide_mask)((h & field) | exponent)) - (one + 512.0f);
}

MOTE_INLINE wide3 mote_noise_gradient_of(wide_unsigned half, uint32_t seed) {
    const wide_unsigned h = mote_noise_mix(half, seed);
    return (wide3){mote_noise_component(h, 0x3ffu, 0x1p23f), mote_noise_component(h, 0x3ffu << 10, 0x1p13f),
                   mote_noise_component(h >> 10, 0x3ffu << 10, 0x1p13f)};
}

/* Returns the gradient at a lattice point, blended between the two seeds. */
MOTE_INLINE wide3 mote_noise_gradient_at(wide_unsigned half, const mote_noise_moment *moment, bool blended) {
    const wide3 g = mote_noise_gradient_of(half, moment->seed[0]);
    if (!blended) return g;
    const wide3 then = mote_noise_gradient_of(half, moment->seed[1]);
    return wide3_add_scaled(g, wide_set(moment->blend), wide3_sub(then, g));
}

/* Fade polynomial 6 t^5 - 15 t^4 + 10 t^3 and its derivative. */
MOTE_INLINE wide mote_noise_fade(wide t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }
MOTE_INLINE wide mote_noise_fade_slope(wide t) { return 30.0f * t * t * (t * (t - 2.0f) + 1.0f); }

/* Computes the gradients of two noises of the same blend at x, in lattice units, |x| <= 2^20. blended: a
 * constant of each of two instances; false where the blend is 0. */
MOTE_INLINE void mote_noise_gradients(wide3 x, const mote_noise_moment moments[2], bool blended,
                                      wide3 gradients[2]) {
    /* Lattice cell of x, and the position t in it. */
    wide3 base;
    wide_unsigned ix = (wide_unsigned)wide_floor(x.x, &base.x), iy = (wide_unsigned)wide_floor(x.y, &base.y),
                  iz = (wide_unsigned)wide_floor(x.z, &base.z);
    wide3 t = wide3_sub(x, base);
    const wide fade[3] = {mote_noise_fade(t.x), mote_noise_fade(t.y), mote_noise_fade(t.z)};
    const wide slope[3] = {mote_noise_fade_slope(t.x), mote_noise_fade_slope(t.y),
                           mote_noise_fade_slope(t.z)};
    gradients[0] = gradients[1] = wide3_zero();
    MOTE_EXPANDED
    for (uint32_t corner = 0; corner < 8; corner++) {
        const uint32_t cx = corner & 1, cy = corner >> 1 & 1, cz = corner >> 2;
        wide_unsigned point = (ix + cx) * 0x9e3779b1u ^ (iy + cy) * 0x85ebca77u ^ (iz + cz) * 0xc2b2ae3du;
        wide3 d = {t.x - (float)cx, t.y - (float)cy, t.z - (float)cz};
        wide wx = cx ? fade[0] : 1.0f - fade[0], wy = cy ? fade[1] : 1.0f - fade[1],
             wz = cz ? fade[2] : 1.0f - fade[2];
        wide sx = cx ? slope[0] : -slope[0], sy = cy ? slope[1] : -slope[1], sz = cz ? slope[2] : -slope[2];
        for (int k = 0; k < 2; k++) {
            /* Product rule: the gradient of (product of the fades) times g.d. */
            const wide3 g = mote_noise_gradient_at(point ^ point >> 16, &moments[k], blended);
            const wide value = wide3_dot(g, d);
            gradients[k] = wide3_add_scaled(gradients[k], wx * wy * wz, g);
            gradients[k] = wide3_add(
                gradients[k], (wide3){sx * wy * wz * value, wx * sy * wz * value, wx * wy * sz * value});
        }
    }
}

/* Returns the noise at `phase` (periods since time 0) for a seed. */
MOTE_INLINE mote_noise_moment mote_noise_at(double phase, uint32_t seed) {
    phase = phase >= 0 ? (phase > 4e9 ? 4e9 : phase) : 0; /* NaN also becomes 0 */
    uint32_t cell = (uint32_t)phase;
    float t = (float)(phase - (double)cell);
    return (mote_noise_moment){{seed + cell * 0x9e3779b9u, seed + (cell + 1) * 0x9e3779b9u},
                               t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f)};
}

#endif
