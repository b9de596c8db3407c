/* Forces on loose particles beside the formulas of mote/force.h. The engine makes one step of 1 s: by
 * explicit Euler, by semi-implicit Euler, whose kernels differ, or, for velocity fields, by Euler advection.
 * The gain of a velocity is then the acceleration, and the velocity of an advected particle is the field. */
#include <math.h>
#include <stdlib.h>

#include "engine.h"
#include "random.h"
#include "verify.h"

enum { PLACES = 1024 };

typedef struct field_points {
    float x[3][PLACES], v[3][PLACES], anchor[3][PLACES], inverse_mass[PLACES];
} field_points;

/* One particle in double. */
typedef struct field_place {
    double x[3], v[3], anchor[3], inverse_mass;
} field_place;

/* Computes the value of a force (m/s^2, or m/s of a velocity field) by its formula. Returns the sum of the
 * sizes of its terms: roundings are relative to these. */
typedef double field_formula(const mote_force_def *force, double time, const field_place *at, double u[3]);

static double norm(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/* Random places within 2 m, velocities, anchors and masses of 1/2 to 2 kg. */
static field_points *points_create(void) {
    field_points *p = allocate_or_fail(sizeof *p);
    for (uint32_t i = 0; i < PLACES; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            p->x[axis][i] = 2 * random_signed(random_bits(i, axis), 20);
            p->v[axis][i] = random_signed(random_bits(i, 3 + axis), 20);
            p->anchor[axis][i] = random_signed(random_bits(i, 6 + axis), 20);
        }
        p->inverse_mass[i] = 1.25f + 0.75f * random_signed(random_bits(i, 9), 20);
    }
    return p;
}

static field_place place_of(const field_points *p, uint32_t i) {
    field_place at = {.inverse_mass = (double)p->inverse_mass[i]};
    for (int axis = 0; axis < 3; axis++) {
        at.x[axis] = (double)p->x[axis][i], at.v[axis] = (double)p->v[axis][i];
        at.anchor[axis] = (double)p->anchor[axis][i];
    }
    return at;
}

/* The values of the engine at the points, which stay as they are. */
static void evaluate(const mote_force_def *force, mote_integrator integrator, double time,
                     const field_points *at, double u[PLACES][3]) {
    static field_points p; /* static for its size */
    p = *at;
    const mote_columns columns = {.count = PLACES,
                                  .position = {p.x[0], p.x[1], p.x[2]},
                                  .velocity = {p.v[0], p.v[1], p.v[2]},
                                  .inverse_mass = p.inverse_mass,
                                  .mass = 1,
                                  .anchor = {p.anchor[0], p.anchor[1], p.anchor[2]}};
    mote_columns_def def = mote_default_columns_def();
    def.forces = force, def.force_count = 1, def.time = time, def.timestep = 1;
    def.integrator = integrator;
    engine_check(mote_columns_step(&columns, &def, NULL), "mote_columns_step");
    for (uint32_t i = 0; i < PLACES; i++)
        for (int axis = 0; axis < 3; axis++)
            u[i][axis] =
                (double)p.v[axis][i] - (integrator == MOTE_ADVECT_EULER ? 0 : (double)at->v[axis][i]);
}

/* The largest error of a force, over the sum of the sizes of its terms and of what it is added to. */
static double error_of(const mote_force_def *force, mote_integrator integrator, double time,
                       field_formula *formula) {
    static double u[PLACES][3];
    field_points *p = points_create();
    double largest = 0;
    evaluate(force, integrator, time, p, u);
    for (uint32_t i = 0; i < PLACES; i++) {
        const field_place at = place_of(p, i);
        double want[3];
        const double added_to = integrator == MOTE_ADVECT_EULER ? norm(at.x) : norm(at.v),
                     size = formula(force, time, &at, want) + added_to;
        for (int axis = 0; axis < 3; axis++)
            largest = larger_or_nan(largest, fabs(u[i][axis] - want[axis]) / size);
    }
    free(p);
    return largest;
}

/* The row of a force. roundings: those of its formula; the gain of the velocity is rounded besides, with the
 * velocity, or advection adds x + u and subtracts x. */
static void judge(verify_report *report, const mote_force_def *force, double time, field_formula *formula,
                  double roundings, const char *quantity) {
    const bool advects = force->use == MOTE_FIELD_VELOCITY;
    const mote_integrator first = advects ? MOTE_ADVECT_EULER : MOTE_SEMI_IMPLICIT_EULER,
                          second = advects ? first : MOTE_EXPLICIT_EULER;
    const double error =
        larger_or_nan(error_of(force, first, time, formula), error_of(force, second, time, formula));
    verify_add(report, mote_force_name(force->kind), error, 0, (roundings + 2) * FLOAT_ROUNDING,
               "%s: largest error", quantity);
}

/* --- Formulas --- */

/* Turns a field into the acceleration of its use: air that moves with it drags, else it is the value. */
static double used(const mote_force_def *force, const field_place *at, double size, double u[3]) {
    if (force->use != MOTE_FIELD_WIND) return size;
    const double rate = (double)force->drag * at->inverse_mass;
    for (int axis = 0; axis < 3; axis++) u[axis] = rate * (u[axis] - at->v[axis]);
    return rate * (size + norm(at->v));
}

static double wind(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    (void)time;
    mote_force_def as_field = *force;
    as_field.use = MOTE_FIELD_WIND;
    for (int axis = 0; axis < 3; axis++) u[axis] = (double)force->as.wind.velocity[axis];
    return used(&as_field, at, norm(u), u);
}

static double linear_field(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    (void)time;
    double size = 0;
    for (int row = 0; row < 3; row++) {
        u[row] = (double)force->as.linear_field.offset[row];
        size += fabs(u[row]);
        for (int k = 0; k < 3; k++) {
            const double term = (double)force->as.linear_field.matrix[row][k] * at->x[k];
            u[row] += term, size += fabs(term);
        }
    }
    return used(force, at, size, u);
}

/* r has roundings of the size of the distance d from the centre, and enters the denominator twice. */
static double vortex(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    (void)time;
    double axis[3], d[3], r[3], along = 0;
    for (int k = 0; k < 3; k++) axis[k] = (double)force->as.vortex.axis[k];
    const double length = norm(axis), core = (double)force->as.vortex.core;
    for (int k = 0; k < 3; k++) {
        d[k] = at->x[k] - (double)force->as.vortex.centre[k];
        along += d[k] * axis[k] / length;
    }
    for (int k = 0; k < 3; k++) r[k] = d[k] - along * axis[k] / length;
    const double square = norm(r) * norm(r) + core * core, scale = (double)force->as.vortex.strength / square;
    for (int k = 0; k < 3; k++)
        u[k] = scale / length * (axis[(k + 1) % 3] * r[(k + 2) % 3] - axis[(k + 2) % 3] * r[(k + 1) % 3]);
    return used(force, at, scale * norm(d) * (1 + 2 * norm(d) * norm(r) / square), u);
}

/* Plummer's sphere; the distance from the centre is rounded, and enters the denominator three times. */
static double attractor(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    (void)time;
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = (double)force->as.attractor.centre[k] - at->x[k];
    const double softening = (double)force->as.attractor.softening,
                 square = norm(d) * norm(d) + softening * softening,
                 scale = (double)force->as.attractor.strength / (square * sqrt(square));
    for (int k = 0; k < 3; k++) u[k] = scale * d[k];
    return scale * (norm(d) + 3 * norm(at->x) * norm(d) / sqrt(square));
}

/* In the step of 1 s a particle loses at most its velocity relative to the air. */
static double quadratic_drag(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    (void)time;
    double relative[3];
    for (int k = 0; k < 3; k++) relative[k] = at->v[k] - (double)force->as.quadratic_drag.velocity[k];
    const double rate =
        fmin((double)force->as.quadratic_drag.coefficient * norm(relative) * at->inverse_mass, 1);
    for (int k = 0; k < 3; k++) u[k] = -rate * relative[k];
    return 2 * rate * norm(relative);
}

static double particle_anchors(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    (void)time;
    const double k = (double)force->as.particle_anchors.stiffness * at->inverse_mass,
                 b = (double)force->as.particle_anchors.damping * at->inverse_mass;
    for (int axis = 0; axis < 3; axis++) u[axis] = -k * (at->x[axis] - at->anchor[axis]) - b * at->v[axis];
    return k * (norm(at->x) + norm(at->anchor)) + b * norm(at->v);
}

/* Two keys. */
static double timed_thrust(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    const float *t = force->as.timed_thrust.time;
    const double share = (time - (double)t[0]) / ((double)t[1] - (double)t[0]), s = share < 0   ? 0
                                                                                    : share > 1 ? 1
                                                                                                : share;
    double size = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double from = (double)force->as.timed_thrust.force[0][axis],
                     to = (double)force->as.timed_thrust.force[1][axis];
        u[axis] = (from + s * (to - from)) * at->inverse_mass;
        size += (2 * fabs(from) + fabs(to)) * at->inverse_mass;
    }
    return size;
}

/* The weight s^2 (3 - 2 s) of a region at `inside` m within a face; *slope: of the weight, 1/m. */
static double edge(double inside, double falloff, double *slope) {
    const double share = (inside + falloff) / falloff, s = share < 0 ? 0 : share > 1 ? 1 : share;
    *slope += 1.5 / falloff;
    return s * s * (3 - 2 * s);
}

/* Gravity or wind in a region: its weight errs by the roundings of the distance times the greatest slope, 3/2
 * over the falloff. */
static double regional(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    const mote_region *region = &force->region;
    const double falloff = (double)region->falloff;
    double d[3], weight = 1, slope = 0, extent = 0, size;
    for (int k = 0; k < 3; k++) d[k] = at->x[k] - (double)region->centre[k];
    if (region->shape == MOTE_REGION_SPHERE) {
        extent = (double)region->extent[0];
        weight = edge(extent - norm(d), falloff, &slope);
    } else {
        for (int k = 0; k < 3; k++) {
            extent += (double)region->extent[k];
            weight *= edge((double)region->extent[k] - fabs(d[k]), falloff, &slope);
        }
    }
    if (force->kind == MOTE_FORCE_WIND) {
        size = wind(force, time, at, u);
    } else {
        for (int k = 0; k < 3; k++) u[k] = (double)force->as.gravity.acceleration[k];
        size = norm(u);
    }
    for (int k = 0; k < 3; k++) u[k] *= weight;
    return size * (1 + slope * (norm(at->x) + norm(d) + extent + falloff));
}

/* --- Grids: samples of a field that is linear in each coordinate --- */

static void multilinear(const double x[3], double u[3]) {
    for (int k = 0; k < 3; k++)
        u[k] = 0.5 * k - 1 + x[k] - 0.75 * x[(k + 1) % 3] + 0.5 * x[0] * x[1] - 0.25 * k * x[1] * x[2] +
               x[0] * x[1] * x[2];
}

enum { GRID_X = 4, GRID_Y = 3, GRID_Z = 5 };
static const float grid_origin[3] = {-1.5f, -1.25f, -1}, grid_spacing[3] = {1, 1.25f, 0.5f};
static const uint32_t grid_count[3] = {GRID_X, GRID_Y, GRID_Z};

static mote_grid *grid_create(bool zero_outside) {
    static float vectors[GRID_X * GRID_Y * GRID_Z][3];
    mote_grid_def def = mote_default_grid_def();
    mote_grid *grid;
    for (uint32_t i = 0; i < GRID_X * GRID_Y * GRID_Z; i++) {
        const uint32_t cell[3] = {i % GRID_X, i / GRID_X % GRID_Y, i / (GRID_X * GRID_Y)};
        double x[3], u[3];
        for (int k = 0; k < 3; k++) x[k] = (double)grid_origin[k] + cell[k] * (double)grid_spacing[k];
        multilinear(x, u);
        for (int k = 0; k < 3; k++) vectors[i][k] = (float)u[k];
    }
    for (int k = 0; k < 3; k++) {
        def.count[k] = grid_count[k];
        def.origin[k] = grid_origin[k], def.spacing[k] = grid_spacing[k];
    }
    def.vectors = (const float(*)[3])vectors;
    def.zero_outside = zero_outside;
    engine_check(mote_grid_create(&def, &grid), "mote_grid_create");
    return grid;
}

/* Outside: the nearest value, or 0. The terms sum to 16 m/s^2 at most. */
static double grid_value(const field_place *at, bool zero_outside, double u[3]) {
    double x[3];
    bool outside = false;
    for (int k = 0; k < 3; k++) {
        const double first = (double)grid_origin[k],
                     last = first + (grid_count[k] - 1) * (double)grid_spacing[k];
        x[k] = at->x[k] < first ? first : at->x[k] > last ? last : at->x[k];
        outside = outside || x[k] != at->x[k];
    }
    multilinear(x, u);
    for (int k = 0; k < 3; k++) u[k] = outside && zero_outside ? 0 : u[k];
    return 16;
}

static double grid_nearest(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    (void)time;
    return used(force, at, grid_value(at, false, u), u);
}

static double grid_zero(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    (void)time;
    return used(force, at, grid_value(at, true, u), u);
}

/* --- Rows --- */

static void judge_grids(verify_report *report) {
    mote_grid *nearest = grid_create(false), *zero = grid_create(true);
    const mote_force_def fields[2] = {mote_grid_field(nearest, MOTE_FIELD_ACCELERATION, 0),
                                      mote_grid_field(zero, MOTE_FIELD_WIND, 0.75f)};
    judge(report, &fields[0], 0, grid_nearest, 16, "trilinear, nearest value outside");
    judge(report, &fields[1], 0, grid_zero, 16, "trilinear wind, 0 outside");
    mote_grid_destroy(nearest);
    mote_grid_destroy(zero);
}

void verify_fields(verify_report *report) {
    const float centre[3] = {0.25f, -0.5f, 0.125f}, axis[3] = {1, 2, -0.5f}, air[3] = {3, -1, 2},
                matrix[9] = {0.5f, -1, 2, 0.25f, 1.5f, -0.75f, -2, 1, 0.5f}, g[3] = {1, -9.81f, 2},
                times[2] = {1, 3}, thrusts[6] = {1, 2, 3, -5, 4, 9}, extent[3] = {0.75f, 1, 0.5f},
                wide[3] = {9, 9, 9};
    const mote_force_def breeze = mote_wind(air, 0.75f),
                         stream = mote_linear_field(air, matrix, MOTE_FIELD_ACCELERATION, 0),
                         gale = mote_linear_field(air, matrix, MOTE_FIELD_WIND, 0.5f),
                         whirl = mote_vortex(centre, axis, 2, 0.5f, MOTE_FIELD_ACCELERATION, 0),
                         drawn = mote_vortex(centre, axis, 2, 0.5f, MOTE_FIELD_VELOCITY, 0),
                         blown = mote_vortex(centre, axis, 2, 0.5f, MOTE_FIELD_WIND, 1.5f),
                         sun = mote_attractor(centre, 3, 0.25f), fast = mote_quadratic_drag(air, 0.3f),
                         held = mote_particle_anchors(7, 0.5f), thrust = mote_timed_thrust(times, thrusts, 2),
                         ball = mote_in_sphere(mote_gravity(g), centre, 0.75f, 0.5f),
                         box = mote_in_box(mote_gravity(g), centre, extent, 0.5f),
                         gust = mote_in_sphere(breeze, centre, 0.5f, 1),
                         sun_here = mote_in_box(sun, centre, wide, 1),
                         fast_here = mote_in_box(fast, centre, wide, 1);
    judge(report, &breeze, 0, wind, 6, "drag (u - v) / m");
    judge(report, &stream, 0, linear_field, 6, "offset + matrix x");
    judge(report, &gale, 0, linear_field, 9, "the same as wind");
    judge(report, &whirl, 0, vortex, 16, "s (axis x r) / (r^2 + core^2)");
    judge(report, &drawn, 0, vortex, 16, "the same as velocity");
    judge(report, &blown, 0, vortex, 19, "the same as wind");
    judge(report, &sun, 0, attractor, 12, "softened");
    judge(report, &sun_here, 0, attractor, 12, "softened, in a box that holds all");
    judge(report, &fast, 0, quadratic_drag, 12, "-c |v - u| (v - u) / m, at most (u - v) / h");
    judge(report, &fast_here, 0, quadratic_drag, 12, "the same in a box that holds all");
    judge(report, &held, 0, particle_anchors, 8, "(-k (x - anchor) - b v) / m");
    judge(report, &thrust, 0.5, timed_thrust, 6, "before the first key");
    judge(report, &thrust, 1.75, timed_thrust, 6, "between two keys");
    judge(report, &thrust, 3.25, timed_thrust, 6, "after the last key");
    judge(report, &ball, 0, regional, 8, "in a sphere with a smooth edge");
    judge(report, &box, 0, regional, 12, "in a box with a smooth edge");
    judge(report, &gust, 0, regional, 12, "in a sphere with a smooth edge");
    judge_grids(report);
}

/* --- Curl noise --- */

/* Perlin's gradient noise with the fade of 2002 at `x` in the lattice cell `cell`, whose polynomial goes on
 * beyond the cell. Gradients have the ten-bit components of math/noise.h, -1 .. 1, and are blended in time.
 */
typedef struct noise_moment {
    uint32_t seed[2];
    double blend;
} noise_moment;

static double fade(double t) { return t * t * t * (t * (6 * t - 15) + 10); }

static uint32_t lattice_hash(const uint32_t point[3], uint32_t seed) {
    const uint32_t k = point[0] * 0x9e3779b1u ^ point[1] * 0x85ebca77u ^ point[2] * 0xc2b2ae3du;
    uint32_t h = ((k ^ k >> 16) ^ (seed ^ seed >> 16)) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static double noise_value(const noise_moment *moment, const double cell[3], const double x[3]) {
    double sum = 0;
    for (uint32_t corner = 0; corner < 8; corner++) {
        double weight = 1, product = 0;
        uint32_t point[3];
        for (uint32_t k = 0; k < 3; k++) point[k] = (uint32_t)(int32_t)cell[k] + (corner >> k & 1);
        const uint32_t now = lattice_hash(point, moment->seed[0]),
                       next = lattice_hash(point, moment->seed[1]);
        for (uint32_t k = 0; k < 3; k++) {
            const double t = x[k] - cell[k], a = (now >> 10 * k & 0x3ff) / 512.0 - 1,
                         b = (next >> 10 * k & 0x3ff) / 512.0 - 1;
            weight *= corner >> k & 1 ? fade(t) : 1 - fade(t);
            product += (a + moment->blend * (b - a)) * (t - (corner >> k & 1));
        }
        sum += weight * product;
    }
    return sum;
}

static noise_moment moment_at(double phase, uint32_t seed) {
    const uint32_t period = (uint32_t)phase;
    return (noise_moment){{seed + period * 0x9e3779b9u, seed + (period + 1) * 0x9e3779b9u},
                          fade(phase - period)};
}

/* By differences of the fourth order over 1/1000 of a period, which leave 1e-10. */
static void noise_gradient(const noise_moment *moment, const double x[3], double gradient[3]) {
    const double step = 1e-3, cell[3] = {floor(x[0]), floor(x[1]), floor(x[2])};
    for (int k = 0; k < 3; k++) {
        double value[5];
        for (int i = -2; i <= 2; i++) {
            double at[3] = {x[0], x[1], x[2]};
            at[k] += i * step;
            value[i + 2] = noise_value(moment, cell, at);
        }
        gradient[k] = (8 * (value[3] - value[1]) - (value[4] - value[0])) / (12 * step);
    }
}

/* The sums over eight corners of products with fades and their slopes have terms that are larger than the
 * field: the slopes reach 15/8 an axis, the gradients of a corner sqrt(3). */
static double curl_noise(const mote_force_def *force, double time, const field_place *at, double u[3]) {
    const double phase = time * (double)force->as.curl_noise.rate, most = sqrt(3) * (1 + 15.0 / 8);
    const uint32_t seed = force->as.curl_noise.seed;
    const noise_moment f = moment_at(phase, seed), g = moment_at(phase, seed ^ 0x5bd1e995u);
    double x[3], a[3], b[3];
    for (int k = 0; k < 3; k++) x[k] = at->x[k] * (double)force->as.curl_noise.frequency;
    noise_gradient(&f, x, a), noise_gradient(&g, x, b);
    const double variance = f.blend * f.blend + (1 - f.blend) * (1 - f.blend), /* of the blend */
        amplitude = (double)force->as.curl_noise.amplitude / variance;
    for (int k = 0; k < 3; k++)
        u[k] = amplitude * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
    return used(force, at, amplitude * most * most, u);
}

/* At a lattice point the gradient of the noise is that of the point, whose components are even in -1 .. 1
 * with the square mean 1/3, as those of a blend have: that of |a x b| is then 6/9. Allowed are four
 * deviations of a mean of so many. */
static void judge_amplitude(verify_report *report, float amplitude, double time) {
    static double u[PLACES][3];
    const mote_force_def force = mote_curl_noise(amplitude, 0.5f, 1, 5, MOTE_FIELD_ACCELERATION, 0);
    field_points *p = points_create();
    double mean = 0, fourth = 0;
    for (uint32_t i = 0; i < PLACES; i++)
        for (int axis = 0; axis < 3; axis++) {
            p->x[axis][i] = 2 * (float)((int)(i >> 4 * axis & 15) - 8);
            p->v[axis][i] = 0;
        }
    evaluate(&force, MOTE_SEMI_IMPLICIT_EULER, time, p, u);
    for (uint32_t i = 0; i < PLACES; i++) {
        const double square = norm(u[i]) * norm(u[i]) / ((double)amplitude * (double)amplitude);
        mean += square / PLACES, fourth += square * square / PLACES;
    }
    verify_add(report, mote_force_name(force.kind), mean, 6.0 / 9, 4 * sqrt((fourth - mean * mean) / PLACES),
               "mean (u / amplitude)^2 at lattice points, %g m/s^2, at %g s", (double)amplitude, time);
    free(p);
}

/* 8 corners x 8 operations each. */
void verify_curl_noise(verify_report *report) {
    const mote_force_def still = mote_curl_noise(1.5f, 1.25f, 0, 11, MOTE_FIELD_ACCELERATION, 0),
                         moving = mote_curl_noise(1.5f, 1.25f, 2, 11, MOTE_FIELD_ACCELERATION, 0),
                         blown = mote_curl_noise(1.5f, 1.25f, 2, 12, MOTE_FIELD_WIND, 0.5f);
    judge(report, &still, 0, curl_noise, 64, "A grad f x grad g, at rest");
    judge(report, &moving, 1.625, curl_noise, 64, "the same after 1.6 s");
    judge(report, &blown, 3.375, curl_noise, 64, "the same as wind after 3.4 s");
    judge_amplitude(report, 1, 0);
    judge_amplitude(report, 2.5f, 0);
    judge_amplitude(report, 1, 0.25);
    judge_amplitude(report, 1, 0.5);
}
