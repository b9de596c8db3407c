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

/* Applies the finalizer of MurmurHash3 (Appleby 2011) to n values side by side: each waits for its own
 * products, and a processor looks ahead by few of them (measured: 1.1 to 1.2 times as fast as one by one). */
MOTE_INLINE void mote_noise_mix(wide_unsigned *h, uint32_t n) {
    MOTE_EXPANDED
    for (uint32_t i = 0; i < n; i++) h[i] *= 0x85ebca6bu;
    MOTE_EXPANDED
    for (uint32_t i = 0; i < n; i++) h[i] = (h[i] ^ (h[i] >> 13)) * 0xc2b2ae35u;
    MOTE_EXPANDED
    for (uint32_t i = 0; i < n; i++) h[i] ^= h[i] >> 16;
}

/* Gradient of a lattice point, in units of MOTE_NOISE_UNIT: ten bits of its hash for each component, as
 * integers in [-512, 511]. Powers of two commute with every rounding. */
#define MOTE_NOISE_UNIT (1.0f / 512.0f)

/* Converts the ten bits of `field` to bits + `one`: as the mantissa of a float in [one, 2 one), in which the
 * lowest of them counts 1. Shifts and conversions run on one port of a processor that has two for this. */
MOTE_INLINE wide mote_noise_component(wide_unsigned h, uint32_t field, float one) {
    uint32_t exponent;
    memcpy(&exponent, &one, sizeof exponent);
    return wide_from_bits((wide_mask)((h & field) | exponent));
}

/* Returns the components of the gradient of a hash, each plus 512 and `one`. */
MOTE_INLINE wide3 mote_noise_components(wide_unsigned h) {
    return (wide3){mote_noise_component(h, 0x3ffu, 0x1p23f), mote_noise_component(h, 0x3ffu << 10, 0x1p13f),
                   mote_noise_component(h >> 10, 0x3ffu << 10, 0x1p13f)};
}

/* Returns the gradient of a hash, blended with that of the hash behind it. The difference of their components
 * is exact, whatever is added to both. */
MOTE_INLINE wide3 mote_noise_gradient_of(const wide_unsigned *h, float blend, bool blended) {
    const wide3 now = mote_noise_components(h[0]);
    const wide3 g = {now.x - (0x1p23f + 512), now.y - (0x1p13f + 512), now.z - (0x1p13f + 512)};
    return blended ? wide3_add_scaled(g, wide_set(blend), wide3_sub(mote_noise_components(h[1]), now)) : g;
}

/* Fade polynomial 6 t^5 - 15 t^4 + 10 t^3 and its derivative. */
MOTE_INLINE wide mote_noise_fade(wide t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }
MOTE_INLINE wide mote_noise_fade_slope(wide t) { return 30.0f * t * t * (t * (t - 2.0f) + 1.0f); }

/* A lattice cell along one axis, at its lower and upper corners: the factor of the hash, the distance, the
 * fade and its derivative. */
typedef struct mote_noise_axis {
    wide_unsigned lattice[2];
    wide d[2], fade[2], slope[2];
} mote_noise_axis;

MOTE_INLINE mote_noise_axis mote_noise_axis_at(wide x, uint32_t factor) {
    wide base;
    const wide_unsigned lattice = (wide_unsigned)wide_floor(x, &base) * factor;
    const wide t = x - base, fade = mote_noise_fade(t), slope = mote_noise_fade_slope(t);
    return (mote_noise_axis){
        {lattice, lattice + factor}, {t, t - 1.0f}, {1.0f - fade, fade}, {-slope, slope}};
}

/* Computes the gradients of two noises of the same blend at `at`, in lattice units, |at| <= 2^20. blended: a
 * constant of each of two instances; false where the blend is 0. Eight hashes are computed side by side,
 * those of two or four corners. One body for all eight corners is larger and slower (measured: 1.07 times the
 * time). */
MOTE_INLINE void mote_noise_gradients(wide3 at, const mote_noise_moment moments[2], bool blended,
                                      wide3 gradients[2]) {
    const mote_noise_axis x = mote_noise_axis_at(at.x, 0x9e3779b1u),
                          y = mote_noise_axis_at(at.y, 0x85ebca77u),
                          z = mote_noise_axis_at(at.z, 0xc2b2ae3du);
    const uint32_t seeds = blended ? 2 : 1, side = blended ? 2 : 4;
    wide3 sum[2] = {wide3_zero(), wide3_zero()};
    uint32_t corners = 8;
    MOTE_HIDDEN(corners);
    MOTE_ROLLED
    for (uint32_t first = 0; first != corners; first += side) {
        const uint32_t cz = first >> 2;
        wide_unsigned h[8];
        MOTE_EXPANDED
        for (uint32_t corner = 0; corner < side; corner++) {
            const uint32_t cx = corner & 1, cy = blended ? first >> 1 & 1 : corner >> 1;
            const wide_unsigned point = x.lattice[cx] ^ (y.lattice[cy] ^ z.lattice[cz]);
            const wide_unsigned half = point ^ point >> 16; /* which all seeds share */
            MOTE_EXPANDED
            for (uint32_t k = 0; k < 2 * seeds; k++) {
                const uint32_t seed = moments[k / seeds].seed[k % seeds];
                h[corner * 2 * seeds + k] = half ^ (seed ^ seed >> 16);
            }
        }
        mote_noise_mix(h, 8);
        MOTE_EXPANDED
        for (uint32_t corner = 0; corner < side; corner++) {
            const uint32_t cx = corner & 1, cy = blended ? first >> 1 & 1 : corner >> 1;
            const wide3 d = {x.d[cx], y.d[cy], z.d[cz]};
            const wide wx = x.fade[cx], wy = y.fade[cy], wz = z.fade[cz];
            const wide3 along = {x.slope[1] * wy * wz, wx * y.slope[cy] * wz, wx * wy * z.slope[cz]};
            MOTE_EXPANDED
            for (uint32_t k = 0; k < 2; k++) {
                /* Product rule: the gradient of (product of the fades) times g.d. */
                const wide3 g =
                    mote_noise_gradient_of(h + (corner * 2 + k) * seeds, moments[k].blend, blended);
                sum[k] = wide3_add_scaled(sum[k], wx * wy * wz, g);
                const wide3 change = wide3_scale(wide3_dot(g, d), along);
                sum[k].x = cx ? sum[k].x + change.x : sum[k].x - change.x;
                sum[k].y += change.y, sum[k].z += change.z;
            }
        }
    }
    gradients[0] = sum[0], gradients[1] = sum[1];
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
