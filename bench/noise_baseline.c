/* Curl noise in a plain loop: see noise_baseline.h. Both potentials share the floor, the fades and the
 * products of the lattice; blended and still noise are two loops. */
#include "noise_baseline.h"

#include <math.h>
#include <string.h>

typedef struct moment {
    uint32_t seed[2];
    float blend;
} moment;

static moment moment_at(double phase, uint32_t seed) {
    const uint32_t cell = (uint32_t)phase;
    const float t = (float)(phase - (double)cell);
    return (moment){{seed + cell * 0x9e3779b9u, seed + (cell + 1) * 0x9e3779b9u},
                    t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f)};
}

static inline uint32_t mix(uint32_t point, uint32_t seed) {
    uint32_t h = (point ^ point >> 16 ^ seed ^ seed >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* Component `field` of a gradient: ten bits of the hash, -512 .. 511. */
static inline float component(uint32_t h, int field) {
    return (float)((int32_t)(h >> (10 * field) & 0x3ff) - 512);
}

static inline float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }
static inline float slope(float t) { return 30.0f * t * t * (t * (t - 2.0f) + 1.0f); }

typedef struct vector {
    float x, y, z;
} vector;

/* Weights of the upper corners, 1 - those of the lower ones; their slopes; the position in the cell. */
typedef struct cell {
    uint32_t x, y, z;
    vector t, fade, slope;
} cell;

static inline vector gradient_of(uint32_t point, const moment *m, int blended) {
    const uint32_t h = mix(point, m->seed[0]), g = blended ? mix(point, m->seed[1]) : 0;
    vector now = {component(h, 0), component(h, 1), component(h, 2)};
    if (!blended) return now;
    now.x += m->blend * (component(g, 0) - now.x);
    now.y += m->blend * (component(g, 1) - now.y);
    now.z += m->blend * (component(g, 2) - now.z);
    return now;
}

/* The corner (cx, cy, cz) of both potentials. */
static inline void add_corner(const cell *c, uint32_t cx, uint32_t cy, uint32_t cz, const moment m[2],
                              int blended, vector *p, vector *q) {
    const uint32_t point = (c->x + cx) * 0x9e3779b1u ^ (c->y + cy) * 0x85ebca77u ^ (c->z + cz) * 0xc2b2ae3du;
    const float dx = c->t.x - (float)cx, dy = c->t.y - (float)cy, dz = c->t.z - (float)cz;
    const float wx = cx ? c->fade.x : 1 - c->fade.x, wy = cy ? c->fade.y : 1 - c->fade.y,
                wz = cz ? c->fade.z : 1 - c->fade.z;
    const float sx = cx ? c->slope.x : -c->slope.x, sy = cy ? c->slope.y : -c->slope.y,
                sz = cz ? c->slope.z : -c->slope.z;
    const vector g = gradient_of(point, &m[0], blended), k = gradient_of(point, &m[1], blended);
    const float all = wx * wy * wz, along_x = sx * wy * wz, along_y = wx * sy * wz, along_z = wx * wy * sz;
    const float f = g.x * dx + g.y * dy + g.z * dz, e = k.x * dx + k.y * dy + k.z * dz;
    p->x = p->x + all * g.x + along_x * f, q->x = q->x + all * k.x + along_x * e;
    p->y = p->y + all * g.y + along_y * f, q->y = q->y + all * k.y + along_y * e;
    p->z = p->z + all * g.z + along_z * f, q->z = q->z + all * k.z + along_z * e;
}

static inline vector curl(const moment m[2], int blended, float x, float y, float z) {
    const float fx = floorf(x), fy = floorf(y), fz = floorf(z);
    cell c = {(uint32_t)(int32_t)fx,
              (uint32_t)(int32_t)fy,
              (uint32_t)(int32_t)fz,
              {x - fx, y - fy, z - fz},
              {0, 0, 0},
              {0, 0, 0}};
    c.fade = (vector){fade(c.t.x), fade(c.t.y), fade(c.t.z)};
    c.slope = (vector){slope(c.t.x), slope(c.t.y), slope(c.t.z)};
    vector p = {0, 0, 0}, q = p;
    add_corner(&c, 0, 0, 0, m, blended, &p, &q);
    add_corner(&c, 1, 0, 0, m, blended, &p, &q);
    add_corner(&c, 0, 1, 0, m, blended, &p, &q);
    add_corner(&c, 1, 1, 0, m, blended, &p, &q);
    add_corner(&c, 0, 0, 1, m, blended, &p, &q);
    add_corner(&c, 1, 0, 1, m, blended, &p, &q);
    add_corner(&c, 0, 1, 1, m, blended, &p, &q);
    add_corner(&c, 1, 1, 1, m, blended, &p, &q);
    return (vector){p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
}

static inline void run(const probe_columns *columns, size_t first, size_t last, const noise_field *field,
                       const moment m[2], int blended, float h) {
    float *restrict x = columns->position[0], *restrict y = columns->position[1],
                    *restrict z = columns->position[2];
    float *restrict vx = columns->velocity[0], *restrict vy = columns->velocity[1],
                    *restrict vz = columns->velocity[2];
    const float blend = m[0].blend, variance = blend * blend + (1 - blend) * (1 - blend); /* of a blend */
    const float frequency = field->frequency, factor = h * (field->amplitude / (512.0f * 512.0f) / variance);
    const moment both[2] = {m[0], m[1]};
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        const vector a = curl(both, blended, frequency * x[i], frequency * y[i], frequency * z[i]);
        vx[i] += factor * a.x, vy[i] += factor * a.y, vz[i] += factor * a.z;
        x[i] += h * vx[i], y[i] += h * vy[i], z[i] += h * vz[i];
    }
}

void OF_WIDTH(baseline_noise)(const probe_columns *columns, size_t first, size_t last,
                              const noise_field *field, double time, float h) {
    const double phase = time * field->rate;
    const moment m[2] = {moment_at(phase, field->seed), moment_at(phase, field->seed ^ 0x5bd1e995u)};
    if (m[0].blend != 0)
        run(columns, first, last, field, m, 1, h);
    else
        run(columns, first, last, field, m, 0, h);
}
