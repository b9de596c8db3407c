/* Right-hand sides for libraries that integrate y' = f(y): per body or chain x, y, z of all points, then
 * their velocities. Written once for float and double. */
#ifndef BENCH_PEERS_SLOPES_H
#define BENCH_PEERS_SLOPES_H

#include <math.h>

#include "peer.h"

#define SLOPES_OF(real, sqrt_of, name)                                                                       \
    static inline void slopes_##name(const void *user, const real *y, real *slope) {                         \
        const peer_work *w = (const peer_work *)user;                                                        \
        const uint32_t n = w->points;                                                                        \
        const real *v = y + 3 * n;                                                                           \
        real *a = slope + 3 * n;                                                                             \
        for (uint32_t k = 0; k < n; k++) {                                                                   \
            real d[3], square = (real)w->softness * (real)w->softness, f = 0;                                \
            for (int i = 0; i < 3; i++) {                                                                    \
                slope[3 * k + i] = v[3 * k + i];                                                             \
                d[i] = (real)w->centre[i] - y[3 * k + i];                                                    \
                square += d[i] * d[i];                                                                       \
            }                                                                                                \
            if (w->strength > 0) f = (real)w->strength / (square * sqrt_of(square));                         \
            for (int i = 0; i < 3; i++)                                                                      \
                a[3 * k + i] =                                                                               \
                    (real)w->gravity[i] + (real)w->drag * ((real)w->wind[i] - v[3 * k + i]) + f * d[i];      \
        }                                                                                                    \
        for (uint32_t k = 0; k + 1 < n; k++) {                                                               \
            real d[3], square = 0, rate = 0;                                                                 \
            for (int i = 0; i < 3; i++) d[i] = y[3 * k + 3 + i] - y[3 * k + i], square += d[i] * d[i];       \
            const real length = sqrt_of(square);                                                             \
            for (int i = 0; i < 3; i++) rate += (v[3 * k + 3 + i] - v[3 * k + i]) * d[i];                    \
            const real f =                                                                                   \
                ((real)w->stiffness * (length - (real)w->rest) + (real)w->damping * rate / length) / length; \
            for (int i = 0; i < 3; i++) a[3 * k + i] += f * d[i], a[3 * k + 3 + i] -= f * d[i];              \
        }                                                                                                    \
    }                                                                                                        \
    static inline void fill_##name(const peer_work *w, real *y) {                                            \
        for (uint32_t body = 0; body < w->count; body++) {                                                   \
            real *chain = y + body / w->points * 6 * w->points;                                              \
            for (int i = 0; i < 3; i++) {                                                                    \
                chain[3 * (body % w->points) + i] = (real)w->positions[body][i];                             \
                chain[3 * (w->points + body % w->points) + i] = (real)w->velocities[body][i];                \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static inline void place_##name(const peer_work *w, const real *y, uint32_t body, float place[3]) {      \
        const real *chain = y + body / w->points * 6 * w->points;                                            \
        for (int i = 0; i < 3; i++) place[i] = (float)chain[3 * (body % w->points) + i];                     \
    }

SLOPES_OF(float, sqrtf, float)
SLOPES_OF(double, sqrt, double)

#endif
