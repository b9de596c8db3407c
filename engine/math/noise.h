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

/* Applies the finalizer of MurmurHash3 (Appleby 2011). */
MOTE_INLINE wide_unsigned mote_noise_mix(wide_unsigned h) {
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/* Converts ten bits to a number in [-1, 1). */
MOTE_INLINE wide mote_noise_component(wide_unsigned h, int shift) {
    return WIDE_CONVERT((wide_mask)((h >> shift) & 0x3ffu), wide) * (1.0f / 512.0f) - 1.0f;
}

MOTE_INLINE wide3 mote_noise_gradient_of(wide_unsigned point, uint32_t seed) {
    wide_unsigned h = mote_noise_mix(point ^ seed);
    return (wide3){mote_noise_component(h, 0), mote_noise_component(h, 10), mote_noise_component(h, 20)};
}

/* Fade polynomial 6 t^5 - 15 t^4 + 10 t^3 and its derivative. */
MOTE_INLINE wide mote_noise_fade(wide t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }
MOTE_INLINE wide mote_noise_fade_slope(wide t) { return 30.0f * t * t * (t * (t - 2.0f) + 1.0f); }

/* Returns the gradient of the noise at x, in lattice units, |x| <= 2^20. */
MOTE_INLINE wide3 mote_noise_gradient(wide3 x, const mote_noise_moment *moment) {
    /* Lattice cell of x, and the position t in it. */
    wide3 base;
    wide_unsigned ix = (wide_unsigned)wide_floor(x.x, &base.x), iy = (wide_unsigned)wide_floor(x.y, &base.y),
                  iz = (wide_unsigned)wide_floor(x.z, &base.z);
    wide3 t = wide3_sub(x, base), sum = wide3_zero();
    const wide fade[3] = {mote_noise_fade(t.x), mote_noise_fade(t.y), mote_noise_fade(t.z)};
    const wide slope[3] = {mote_noise_fade_slope(t.x), mote_noise_fade_slope(t.y),
                           mote_noise_fade_slope(t.z)};
    for (uint32_t corner = 0; corner < 8; corner++) {
        const uint32_t cx = corner & 1, cy = corner >> 1 & 1, cz = corner >> 2;
        /* Gradient g of the corner by its hash, blended between the two seeds. */
        wide_unsigned point = (ix + cx) * 0x9e3779b1u ^ (iy + cy) * 0x85ebca77u ^ (iz + cz) * 0xc2b2ae3du;
        wide3 g = mote_noise_gradient_of(point, moment->seed[0]);
        if (moment->blend != 0) {
            wide3 then = mote_noise_gradient_of(point, moment->seed[1]);
            g = wide3_add_scaled(g, wide_set(moment->blend), wide3_sub(then, g));
        }
        /* Product rule: the gradient of (product of the fades) times g.d. */
        wide3 d = {t.x - (float)cx, t.y - (float)cy, t.z - (float)cz};
        wide wx = cx ? fade[0] : 1.0f - fade[0], wy = cy ? fade[1] : 1.0f - fade[1],
             wz = cz ? fade[2] : 1.0f - fade[2];
        wide sx = cx ? slope[0] : -slope[0], sy = cy ? slope[1] : -slope[1], sz = cz ? slope[2] : -slope[2];
        wide value = wide3_dot(g, d);
        sum = wide3_add_scaled(sum, wx * wy * wz, g);
        sum = wide3_add(sum, (wide3){sx * wy * wz * value, wx * sy * wz * value, wx * wy * sz * value});
    }
    return sum;
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
