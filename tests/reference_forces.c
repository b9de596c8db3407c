/* The forces of the plain float references, in scalar floats and in the order of operations that the engine
 * promises: one inline force on one particle, all that do not fold on many, springs; and the sums of those
 * that fold. */
#include "reference_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NaN becomes high. */
static float clamp(float value, float low, float high) {
    if (!(value < high)) return high;
    return value < low ? low : value;
}

static void attractor(const mote_force_def *force, const float x[3], float out[3]) {
    float d[3], softening = force->as.attractor.softening;
    for (int k = 0; k < 3; k++) d[k] = force->as.attractor.centre[k] - x[k];
    float r2 = row_dot(d, d) + softening * softening;
    float power = r2 * sqrtf(r2), f = power == 0 ? 0 : force->as.attractor.strength / power;
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

/* largest: kg/s, of c |v - u|. */
static void quadratic_drag(const mote_force_def *force, float largest, const float v[3], float out[3]) {
    float relative[3];
    for (int k = 0; k < 3; k++) relative[k] = force->as.quadratic_drag.velocity[k] - v[k];
    float factor = force->as.quadratic_drag.coefficient * sqrtf(row_dot(relative, relative));
    for (int k = 0; k < 3; k++) out[k] = smaller(factor, largest) * relative[k];
}

static void spring(float stiffness, float damping, const float anchor[3], const float x[3], const float v[3],
                   float out[3]) {
    for (int k = 0; k < 3; k++) out[k] = stiffness * (anchor[k] - x[k]) - damping * v[k];
}

static void linear_field(const mote_force_def *force, const float x[3], float out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = force->as.linear_field.offset[k] + row_dot(force->as.linear_field.matrix[k], x);
}

static void vortex(const mote_force_def *force, const float x[3], float out[3]) {
    float axis[3], r[3], core = force->as.vortex.core;
    float length = sqrtf(row_dot(force->as.vortex.axis, force->as.vortex.axis));
    for (int k = 0; k < 3; k++) {
        axis[k] = force->as.vortex.axis[k] / length;
        r[k] = x[k] - force->as.vortex.centre[k];
    }
    float along = row_dot(axis, r);
    for (int k = 0; k < 3; k++) r[k] -= along * axis[k];
    float square = row_dot(r, r) + core * core, factor = square == 0 ? 0 : force->as.vortex.strength / square;
    row_cross(axis, r, out);
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
    float value = row_dot(g, d), volume = weight[0] * weight[1] * weight[2];
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
    row_cross(f, g, out);
    const float rest = 1 - one.blend, variance = one.blend * one.blend + rest * rest;
    for (int k = 0; k < 3; k++) out[k] *= force->as.curl_noise.amplitude / variance;
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
    float s = clamp((inside + falloff) / falloff, 0, 1);
    return (s * s) * (3 - 2 * s);
}

static float region_weight(const mote_region *region, const float x[3]) {
    float d[3], weight = 1;
    for (int k = 0; k < 3; k++) d[k] = x[k] - region->centre[k];
    if (region->shape == MOTE_REGION_SPHERE)
        return edge_weight(region->extent[0] - sqrtf(row_dot(d, d)), region->falloff);
    for (int k = 0; k < 3; k++) weight *= edge_weight(region->extent[k] - fabsf(d[k]), region->falloff);
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

/* One inline force on particle i. */
static void evaluate_force(const reference_others *o, uint32_t number, uint32_t i, const float anchor[3],
                           float out[3]) {
    const mote_force_def *force = &o->forces[number];
    const float *x = o->x[i], *v = o->v[i];
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
        timed_thrust(force, o->time, out);
        break;
    case MOTE_FORCE_QUADRATIC_DRAG:
        quadratic_drag(force, (float)o->drag_rate / o->inverse_mass[i], v, out);
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
        curl_noise(force, o->time, x, out);
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

/* --- Affine forces --- */

bool reference_folds(const mote_force_def *f) {
    return f->kind != MOTE_FORCE_CALLBACK && !reference_is_inline(f);
}

static void add_affine(const mote_force_def *f, int axis, reference_affine *acceleration,
                       reference_affine *newtons) {
    if (f->kind == MOTE_FORCE_GRAVITY)
        acceleration->constant[axis] += (double)f->as.gravity.acceleration[axis];
    if (f->kind == MOTE_FORCE_THRUST) newtons->constant[axis] += (double)f->as.thrust.force[axis];
    if (f->kind == MOTE_FORCE_WIND) {
        newtons->constant[axis] += (double)f->drag * (double)f->as.wind.velocity[axis];
        newtons->damping[axis] -= (double)f->drag;
    }
    if (f->kind == MOTE_FORCE_ANCHOR_SPRING) {
        const double stiffness = (double)f->as.anchor_spring.stiffness;
        newtons->constant[axis] += stiffness * (double)f->as.anchor_spring.anchor[axis];
        newtons->stiffness[axis] -= stiffness;
        newtons->damping[axis] -= (double)f->as.anchor_spring.damping;
    }
}

void reference_fold(const mote_force_def *forces, uint32_t count, reference_affine *acceleration,
                    reference_affine *newtons) {
    *acceleration = *newtons = (reference_affine){{0}, {0}, {0}};
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3 && reference_folds(&forces[i]); axis++)
            add_affine(&forces[i], axis, acceleration, newtons);
}

reference_affine reference_over_mass(const reference_affine *acceleration, const reference_affine *newtons,
                                     double inverse_mass) {
    reference_affine sum = *acceleration;
    for (int axis = 0; axis < 3; axis++) {
        sum.constant[axis] += newtons->constant[axis] * inverse_mass;
        sum.damping[axis] += newtons->damping[axis] * inverse_mass;
        sum.stiffness[axis] += newtons->stiffness[axis] * inverse_mass;
    }
    return sum;
}

bool reference_any(const double value[3]) { return value[0] != 0 || value[1] != 0 || value[2] != 0; }

bool reference_acts(const reference_affine *f) {
    return reference_any(f->constant) || reference_any(f->damping) || reference_any(f->stiffness);
}

/* --- All others on many particles --- */

void reference_call(reference_others *o, mote_stage_view view) {
    float *memory = calloc(12 * (size_t)o->n + 1, sizeof *memory), *column[12];
    o->called[0] = calloc(2 * (size_t)o->n + 1, sizeof *o->called[0]);
    if (!memory || !o->called[0]) abort();
    o->called[1] = o->called[0] + o->n;
    for (int c = 0; c < 12; c++) {
        column[c] = memory + (size_t)c * o->n;
        for (uint32_t i = 0; i < o->n && c < 6; i++) column[c][i] = (c < 3 ? o->x : o->v)[i][c % 3];
    }
    view.time = o->time;
    view.count = o->n;
    view.x = view.range_x = column[0], view.velocity_x = view.range_velocity_x = column[3];
    view.y = view.range_y = column[1], view.velocity_y = view.range_velocity_y = column[4];
    view.z = view.range_z = column[2], view.velocity_z = view.range_velocity_z = column[5];
    for (uint32_t k = 0; k < o->force_count; k++) {
        const mote_force_def *f = &o->forces[k];
        if (f->kind != MOTE_FORCE_CALLBACK) continue;
        if (f->as.callback.reach == MOTE_REACH_RANGE && !view.range_count) continue;
        float **to = column + (f->as.callback.unit == MOTE_NEWTONS ? 9 : 6);
        f->as.callback.function(f->as.callback.user, &view, to[0], to[1], to[2]);
    }
    for (uint32_t i = 0; i < o->n; i++)
        for (int c = 0; c < 6; c++) o->called[c / 3][i][c % 3] = column[6 + c][i];
    free(memory);
}

void reference_add_inline(const reference_others *o, uint32_t i, const float *anchor, float sums[2][3]) {
    for (uint32_t k = 0; k < o->force_count; k++) {
        const mote_force_def *f = &o->forces[k];
        float value[3];
        if (!reference_is_inline(f) || (f->kind == MOTE_FORCE_PARTICLE_ANCHORS && !anchor)) continue;
        evaluate_force(o, k, i, anchor, value);
        for (int axis = 0; axis < 3; axis++) sums[reference_gives_newtons(f)][axis] += value[axis];
    }
}

void reference_accelerate(reference_others *o, reference_row *within, reference_row *a) {
    bool inlined = false, callbacks = false;
    for (uint32_t k = 0; k < o->force_count; k++) {
        inlined |= reference_is_inline(&o->forces[k]);
        callbacks |= o->forces[k].kind == MOTE_FORCE_CALLBACK;
    }
    if (callbacks) reference_call(o, (mote_stage_view){.inverse_mass = o->inverse_mass});
    for (uint32_t i = 0; i < o->n; i++) {
        float sums[2][3] = {{0}};
        if (inlined) reference_add_inline(o, i, NULL, sums);
        for (int axis = 0; axis < 3; axis++) {
            const float mass = o->inverse_mass[i];
            const float force = callbacks ? within[i][axis] + o->called[1][i][axis] : within[i][axis];
            a[i][axis] = inlined ? sums[0][axis] + mass * (sums[1][axis] + force) : mass * force;
            if (callbacks) a[i][axis] += o->called[0][i][axis];
        }
    }
    free(o->called[0]);
}

/* --- Springs --- */

reference_line reference_line_of(const float x[3], const float v[3], const float other_x[3],
                                 const float other_v[3]) {
    reference_line line;
    float speed[3];
    row_between(x, other_x, line.d);
    row_between(v, other_v, speed);
    line.length = row_length(line.d);
    line.inverse = 1 / at_least_short(line.length);
    line.rate = row_dot(line.d, speed) * line.inverse;
    return line;
}

void reference_spring_force(const reference_line *line, float rest_length, float stiffness, float damping,
                            float force[3]) {
    float tension = stiffness * (line->length - rest_length);
    if (damping != 0) tension += damping * line->rate;
    for (int axis = 0; axis < 3; axis++) force[axis] += (tension * line->inverse) * line->d[axis];
}

void reference_uncoupled_force(const reference_line *line, const reference_spring_force_of *spring,
                               mote_integrator integrator, double h, float impulse[3], float shift[3]) {
    const double mass = spring->mass;
    const reference_affine f = {.damping = {-spring->damping * mass},
                                .stiffness = {-spring->stiffness * mass}};
    const reference_map m = reference_map_make(integrator, false, &f, 0, h);
    const float vx = (float)(m.vx / mass), vv = (float)(m.vv / mass), xx = (float)(m.xx / mass),
                xv = (float)((m.xv - h) / mass), e = line->length - spring->rest_length;
    const float gain = 0 - (vx * e + vv * line->rate), path = 0 - (xx * e + xv * line->rate);
    for (int axis = 0; axis < 3; axis++) {
        impulse[axis] += (gain * line->inverse) * line->d[axis];
        shift[axis] += (path * line->inverse) * line->d[axis];
    }
}
