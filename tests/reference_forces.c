/* The inline forces of the plain float reference: one force on one particle, in scalar floats and in the
 * order of operations that the engine promises. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* (x x + y y) + z z */
static float dot(const float a[3], const float b[3]) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }

static void cross(const float a[3], const float b[3], float out[3]) {
    for (int k = 0; k < 3; k++) {
        int n = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = a[n] * b[m] - a[m] * b[n];
    }
}

/* NaN becomes high. */
static float clamp(float value, float low, float high) {
    if (!(value < high)) return high;
    return value < low ? low : value;
}

static void attractor(const mote_force_def *force, const float x[3], float out[3]) {
    float d[3], softening = force->as.attractor.softening;
    for (int k = 0; k < 3; k++) d[k] = force->as.attractor.centre[k] - x[k];
    float r2 = dot(d, d) + softening * softening;
    float f = force->as.attractor.strength / (r2 * sqrtf(r2));
    for (int k = 0; k < 3; k++) out[k] = d[k] * f;
}

static void timed_thrust(const mote_force_def *force, double time, float out[3]) {
    const float *keys = force->as.timed_thrust.time;
    uint32_t last = force->as.timed_thrust.count - 1, key = 0;
    while (key < last && time >= (double)keys[key + 1]) key++;
    bool between = key < last && time >= (double)keys[0];
    for (int k = 0; k < 3; k++) {
        out[k] = force->as.timed_thrust.force[key][k];
        if (!between) continue;
        double span = (double)keys[key + 1] - (double)keys[key];
        out[k] +=
            (float)((time - (double)keys[key]) / span) * (force->as.timed_thrust.force[key + 1][k] - out[k]);
    }
}

static void quadratic_drag(const mote_force_def *force, const float v[3], float out[3]) {
    float relative[3];
    for (int k = 0; k < 3; k++) relative[k] = force->as.quadratic_drag.velocity[k] - v[k];
    float factor = force->as.quadratic_drag.coefficient * sqrtf(dot(relative, relative));
    for (int k = 0; k < 3; k++) out[k] = factor * relative[k];
}

static void spring(float stiffness, float damping, const float anchor[3], const float x[3], const float v[3],
                   float out[3]) {
    for (int k = 0; k < 3; k++) out[k] = stiffness * (anchor[k] - x[k]) - damping * v[k];
}

static void linear_field(const mote_force_def *force, const float x[3], float out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = force->as.linear_field.offset[k] + dot(force->as.linear_field.matrix[k], x);
}

static void vortex(const mote_force_def *force, const float x[3], float out[3]) {
    float axis[3], r[3], core = force->as.vortex.core;
    float length = sqrtf(dot(force->as.vortex.axis, force->as.vortex.axis));
    for (int k = 0; k < 3; k++) {
        axis[k] = force->as.vortex.axis[k] / length;
        r[k] = x[k] - force->as.vortex.centre[k];
    }
    float along = dot(axis, r);
    for (int k = 0; k < 3; k++) r[k] -= along * axis[k];
    float factor = force->as.vortex.strength / (dot(r, r) + core * core);
    cross(axis, r, out);
    for (int k = 0; k < 3; k++) out[k] *= factor;
}

/* --- Noise --- */

typedef struct lattice {
    uint32_t seed, next_seed; /* of the moments before and after */
    float blend;
} lattice;

static float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
static float fade_slope(float t) { return 30 * t * t * (t * (t - 2) + 1); }

/* The finalizer of MurmurHash3, ten bits an axis. */
static void lattice_gradient(uint32_t point, uint32_t seed, float out[3]) {
    uint32_t h = point ^ seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    h ^= h >> 16;
    for (int k = 0; k < 3; k++) out[k] = (float)(h >> (10 * k) & 0x3ffu) / 512 - 1;
}

static lattice lattice_at(double phase, uint32_t seed) {
    phase = phase < 0 ? 0 : phase > 4e9 ? 4e9 : phase;
    uint32_t cell = (uint32_t)phase;
    return (lattice){seed + cell * 0x9e3779b9u, seed + (cell + 1) * 0x9e3779b9u,
                     fade((float)(phase - (double)cell))};
}

static void add_corner(const lattice *l, uint32_t point, const uint32_t corner[3], const float t[3],
                       float sum[3]) {
    float g[3], then[3], d[3], weight[3], slope[3];
    lattice_gradient(point, l->seed, g);
    lattice_gradient(point, l->next_seed, then);
    for (int k = 0; k < 3; k++) {
        if (l->blend != 0) g[k] += l->blend * (then[k] - g[k]);
        d[k] = t[k] - (float)corner[k];
        weight[k] = corner[k] ? fade(t[k]) : 1 - fade(t[k]);
        slope[k] = corner[k] ? fade_slope(t[k]) : -fade_slope(t[k]);
    }
    float value = dot(g, d), volume = weight[0] * weight[1] * weight[2];
    for (int k = 0; k < 3; k++) {
        const float part[3] = {k == 0 ? slope[0] : weight[0], k == 1 ? slope[1] : weight[1],
                               k == 2 ? slope[2] : weight[2]};
        sum[k] = (sum[k] + volume * g[k]) + part[0] * part[1] * part[2] * value;
    }
}

static void noise_gradient(const lattice *l, const float x[3], float sum[3]) {
    uint32_t cell[3];
    float t[3];
    for (int k = 0; k < 3; k++) {
        int32_t floor = (int32_t)floorf(x[k]);
        cell[k] = (uint32_t)floor;
        t[k] = x[k] - (float)floor;
        sum[k] = 0;
    }
    for (uint32_t c = 0; c < 8; c++) {
        const uint32_t corner[3] = {c & 1, c >> 1 & 1, c >> 2};
        uint32_t point = (cell[0] + corner[0]) * 0x9e3779b1u ^ (cell[1] + corner[1]) * 0x85ebca77u ^
                         (cell[2] + corner[2]) * 0xc2b2ae3du;
        add_corner(l, point, corner, t, sum);
    }
}

static void curl_noise(const mote_force_def *force, double time, const float x[3], float out[3]) {
    float at[3], f[3], g[3];
    for (int k = 0; k < 3; k++) at[k] = clamp(x[k] * force->as.curl_noise.frequency, -0x1p20f, 0x1p20f);
    double phase = time * (double)force->as.curl_noise.rate;
    lattice one = lattice_at(phase, force->as.curl_noise.seed);
    lattice other = lattice_at(phase, force->as.curl_noise.seed ^ 0x5bd1e995u);
    noise_gradient(&one, at, f);
    noise_gradient(&other, at, g);
    cross(f, g, out);
    for (int k = 0; k < 3; k++) out[k] *= force->as.curl_noise.amplitude;
}

/* --- Grids --- */

static struct {
    const mote_grid *grid;
    const mote_grid_def *def;
} known_grids[8];

void reference_know_grid(const mote_grid *grid, const mote_grid_def *def) {
    int i = 0;
    while (known_grids[i].grid && known_grids[i].grid != grid) i++;
    known_grids[i].grid = grid;
    known_grids[i].def = def;
}

static const mote_grid_def *def_of_grid(const mote_grid *grid) {
    for (int i = 0; i < 8; i++)
        if (known_grids[i].grid == grid) return known_grids[i].def;
    abort();
}

static float mix(float a, float b, float t) { return a + t * (b - a); }

static void grid_field(const mote_force_def *force, const float x[3], float out[3]) {
    const mote_grid_def *def = def_of_grid(force->as.grid.grid);
    uint32_t cell[3], stride[3] = {1, def->count[0], def->count[0] * def->count[1]}, first = 0;
    float t[3];
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        float last = (float)(def->count[k] - 1), place = (x[k] - def->origin[k]) * (1 / def->spacing[k]);
        float clamped = clamp(place, 0, last);
        if (clamped != place) inside = false;
        cell[k] = clamped < last - 1 ? (uint32_t)clamped : def->count[k] - 2;
        t[k] = clamped - (float)cell[k];
        first += cell[k] * stride[k];
    }
    for (int k = 0; k < 3; k++) {
        float edge[4];
        for (uint32_t e = 0; e < 4; e++) {
            uint32_t at = first + (e & 1) * stride[1] + (e >> 1) * stride[2];
            edge[e] = mix(def->vectors[at][k], def->vectors[at + 1][k], t[0]);
        }
        out[k] = mix(mix(edge[0], edge[1], t[1]), mix(edge[2], edge[3], t[1]), t[2]);
        if (!inside && def->zero_outside) out[k] = 0;
    }
}

/* --- All of them --- */

static float edge_weight(float inside, float falloff) {
    if (falloff == 0) return inside < 0 ? 0 : 1;
    float s = clamp(inside / falloff, 0, 1);
    return (s * s) * (3 - 2 * s);
}

static float region_weight(const mote_region *region, const float x[3]) {
    float d[3], weight = 1;
    for (int k = 0; k < 3; k++) d[k] = x[k] - region->centre[k];
    if (region->shape == MOTE_REGION_SPHERE)
        return edge_weight(region->extent[0] + region->falloff - sqrtf(dot(d, d)), region->falloff);
    for (int k = 0; k < 3; k++)
        weight *= edge_weight(region->extent[k] + region->falloff - fabsf(d[k]), region->falloff);
    return weight;
}

static bool is_field(mote_force_kind kind) {
    return kind == MOTE_FORCE_LINEAR_FIELD || kind == MOTE_FORCE_VORTEX || kind == MOTE_FORCE_CURL_NOISE ||
           kind == MOTE_FORCE_GRID;
}

bool reference_is_inline(const mote_force_def *force) {
    if (force->kind == MOTE_FORCE_CALLBACK) return false;
    return force->kind > MOTE_FORCE_ANCHOR_SPRING || force->region.shape != MOTE_REGION_EVERYWHERE;
}

bool reference_gives_newtons(const mote_force_def *force) {
    if (force->kind == MOTE_FORCE_CALLBACK) return force->as.callback.unit == MOTE_NEWTONS;
    if (is_field(force->kind)) return force->use == MOTE_FIELD_WIND;
    return force->kind != MOTE_FORCE_GRAVITY && force->kind != MOTE_FORCE_ATTRACTOR;
}

void reference_force(const mote_force_def *force, double time, const float x[3], const float v[3],
                     const float anchor[3], float out[3]) {
    switch (force->kind) {
    case MOTE_FORCE_GRAVITY:
        memcpy(out, force->as.gravity.acceleration, 3 * sizeof(float));
        break;
    case MOTE_FORCE_THRUST:
        memcpy(out, force->as.thrust.force, 3 * sizeof(float));
        break;
    case MOTE_FORCE_WIND:
        for (int k = 0; k < 3; k++) out[k] = force->drag * (force->as.wind.velocity[k] - v[k]);
        break;
    case MOTE_FORCE_ANCHOR_SPRING:
        spring(force->as.anchor_spring.stiffness, force->as.anchor_spring.damping,
               force->as.anchor_spring.anchor, x, v, out);
        break;
    case MOTE_FORCE_ATTRACTOR:
        attractor(force, x, out);
        break;
    case MOTE_FORCE_TIMED_THRUST:
        timed_thrust(force, time, out);
        break;
    case MOTE_FORCE_QUADRATIC_DRAG:
        quadratic_drag(force, v, out);
        break;
    case MOTE_FORCE_PARTICLE_ANCHORS:
        spring(force->as.particle_anchors.stiffness, force->as.particle_anchors.damping, anchor, x, v, out);
        break;
    case MOTE_FORCE_LINEAR_FIELD:
        linear_field(force, x, out);
        break;
    case MOTE_FORCE_VORTEX:
        vortex(force, x, out);
        break;
    case MOTE_FORCE_CURL_NOISE:
        curl_noise(force, time, x, out);
        break;
    case MOTE_FORCE_GRID:
        grid_field(force, x, out);
        break;
    default:
        abort();
    }
    if (is_field(force->kind) && force->use == MOTE_FIELD_WIND)
        for (int k = 0; k < 3; k++) out[k] = force->drag * (out[k] - v[k]);
    if (force->region.shape == MOTE_REGION_EVERYWHERE) return;
    float weight = region_weight(&force->region, x);
    bool outside = !(weight > 0) && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
    for (int k = 0; k < 3; k++) out[k] = outside ? 0 : weight * out[k];
}
