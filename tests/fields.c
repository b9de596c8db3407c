/* Fields, regions, wind, timed thrust and particle anchors against double precision. The value of a field at
 * a point is read through one step of one second: an advecting Euler step leaves u, and a kick from rest
 * leaves a, in the velocity column. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

enum { POINTS = 300 };

typedef struct cloud {
    float x[3][POINTS], v[3][POINTS], inverse_mass[POINTS];
} cloud;

static void step(cloud *c, const mote_force_def *forces, uint32_t count, mote_integrator integrator,
                 double time, double timestep, uint32_t steps) {
    mote_columns columns = {.count = POINTS,
                            .position = {c->x[0], c->x[1], c->x[2]},
                            .velocity = {c->v[0], c->v[1], c->v[2]},
                            .inverse_mass = c->inverse_mass};
    mote_columns_def def = mote_default_columns_def();
    def.integrator = integrator;
    def.forces = forces, def.force_count = count;
    def.time = time, def.timestep = timestep, def.steps = steps;
    uint32_t frozen = 1;
    OK(mote_columns_step(&columns, &def, &frozen));
    assert_int_equal(frozen, 0);
}

/* Positions within `size` of `centre`, whole multiples of 2^-8; at rest; masses of 1 kg. */
static cloud scatter(const float centre[3], float size, uint64_t seed) {
    cloud c = {{{0}}, {{0}}, {0}};
    random_source random = {seed};
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++)
            c.x[k][i] = floorf(random_between(&random, centre[k] - size, centre[k] + size) * 256) / 256;
        c.inverse_mass[i] = 1;
    }
    return c;
}

/* The vector of the force at every point, to the last bit: a velocity field, else an acceleration. */
static void sample(const mote_force_def *def, const cloud *at, double time, float u[3][POINTS]) {
    cloud c = *at;
    bool velocity = def->use == MOTE_FIELD_VELOCITY;
    step(&c, def, 1, velocity ? MOTE_ADVECT_EULER : MOTE_SEMI_IMPLICIT_EULER, time, 1, 1);
    memcpy(u, c.v, sizeof c.v);
}

/* --- Curl noise --- */

/* Root of the mean square of the divergence by central differences of width d, of the field with its
 * components turned round by `turn`: 0 is the field itself. */
static double divergence(const mote_force_def *noise, float d, int turn) {
    cloud c = scatter((float[3]){0, 0, 0}, 8, 5);
    double sum = 0, total[POINTS] = {0};
    /* Within cells: across their faces the field's slope is continuous, the next derivative is not. */
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < POINTS; i++)
            c.x[k][i] = floorf(c.x[k][i]) + 0.25f + fmodf(fabsf(c.x[k][i]), 1) / 2;
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            cloud moved = c;
            float u[3][POINTS];
            for (int i = 0; i < POINTS; i++) moved.x[axis][i] += (float)side * d;
            sample(noise, &moved, 0.375, u);
            for (int i = 0; i < POINTS; i++)
                total[i] += side * (double)u[(axis + turn) % 3][i] / (2 * (double)d);
        }
    for (int i = 0; i < POINTS; i++) sum += total[i] * total[i];
    return sqrt(sum / POINTS);
}

/* A central difference of width d is off by d^2 / 6 u''' + O(d^4): in a field without divergence it finds
 * nothing else, which falls by four as d halves. Rounding is below 8 FLOAT_ROUNDING |u| / d, 1e-4 here, a
 * hundredth of it. */
TEST(curl_noise_has_no_divergence) {
    mote_force_def noise = mote_curl_noise(1, 1, 1, 11, MOTE_FIELD_VELOCITY, 0);
    double last = divergence(&noise, 1 / 8.0f, 0);
    for (float d = 1 / 16.0f; d > 1 / 100.0f; d /= 2) {
        double now = divergence(&noise, d, 0);
        ASSERT_NEAR(last / now, 4, 0.3);
        last = now;
    }
    ASSERT(last, <, 0.02);
    /* With its components turned round the field has a divergence, which the same measure sees. */
    ASSERT(divergence(&noise, 1 / 64.0f, 1), >, 50 * last);
    ASSERT(divergence(&noise, 1 / 64.0f, 2), >, 50 * last);
}

static double largest_change(const mote_force_def *noise, const cloud *c, double from, double to) {
    float a[3][POINTS], b[3][POINTS];
    double largest = 0;
    sample(noise, c, from, a);
    sample(noise, c, to, b);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < POINTS; i++) largest = fmax(largest, fabs((double)a[k][i] - (double)b[k][i]));
    return largest;
}

TEST(curl_noise_changes_in_time_without_a_jump) {
    cloud c = scatter((float[3]){0, 0, 0}, 8, 6);
    mote_force_def noise = mote_curl_noise(1, 1, 2, 11, MOTE_FIELD_VELOCITY, 0);
    mote_force_def still = mote_curl_noise(1, 1, 0, 11, MOTE_FIELD_VELOCITY, 0);
    ASSERT(largest_change(&noise, &c, 0.25, 0.75), >, 0.5);
    ASSERT(largest_change(&noise, &c, 3, 3.5), >, 0.5);
    ASSERT(largest_change(&still, &c, 0, 1e6), ==, 0);
    /* A gradient is a mean of vectors below sqrt(3) plus slopes, 15/8 at most, of values below 3 per axis: G
     * < 14 in all. In half a microsecond at 2/s a blend moves by at most 15/8 x 1e-6, so u by 4 G^2 of that
     * times two, as the weights over the root sum to 1.42 and are as much steeper: 3e-3; and by rounding,
     * which is 64 FLOAT_ROUNDING G. Moments end at whole phases: 0.5, 1, 1.5 s. */
    for (double t = 0.125; t < 2; t += 0.125)
        ASSERT(largest_change(&noise, &c, t - 2.5e-7, t + 2.5e-7), <, 3e-3);
}

TEST(curl_noise_is_as_strong_between_two_moments_as_at_them) {
    const double count = 40 * POINTS;
    for (double t = 3; t <= 4; t += 0.125) {
        double mean = 0, fourth = 0;
        for (uint32_t seed = 0; seed < 40; seed++) {
            const cloud c = scatter((float[3]){0, 0, 0}, 100, seed);
            const mote_force_def noise = mote_curl_noise(1, 1, 1, seed, MOTE_FIELD_VELOCITY, 0);
            float u[3][POINTS];
            sample(&noise, &c, t, u);
            for (int i = 0; i < POINTS; i++) {
                const double square = (double)(u[0][i] * u[0][i] + u[1][i] * u[1][i] + u[2][i] * u[2][i]);
                mean += square / count, fourth += square * square / count;
            }
        }
        ASSERT_NEAR(mean, 0.36, 4 * sqrt((fourth - mean * mean) / count)); /* four deviations of the mean */
    }
}

TEST(curl_noise_is_a_function_of_seed_frequency_and_amplitude) {
    cloud c = scatter((float[3]){100, -50, 3}, 20, 7), half = c;
    float u[3][POINTS], other[3][POINTS];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < POINTS; i++) half.x[k][i] /= 2;
    mote_force_def noise = mote_curl_noise(1, 1, 1, 11, MOTE_FIELD_VELOCITY, 0), fine = noise, strong = noise,
                   reseeded = noise;
    mote_force_def acceleration = mote_curl_noise(1, 1, 1, 11, MOTE_FIELD_ACCELERATION, 0);
    fine.as.curl_noise.frequency = 2, strong.as.curl_noise.amplitude = 4, reseeded.as.curl_noise.seed = 12;
    sample(&noise, &c, 0.3, u);
    sample(&noise, &c, 0.3, other);
    assert_memory_equal(u, other, sizeof u);
    sample(&acceleration, &c, 0.3, other);
    assert_memory_equal(u, other, sizeof u);
    sample(&fine, &half, 0.3, other);
    assert_memory_equal(u, other, sizeof u);
    sample(&strong, &c, 0.3, other);
    int same = 0;
    for (int i = 0; i < POINTS; i++) ASSERT(other[1][i], ==, 4 * u[1][i]);
    sample(&reseeded, &c, 0.3, other);
    for (int i = 0; i < POINTS; i++) same += other[0][i] == u[0][i];
    ASSERT(same, <, POINTS / 50);
}

/* --- Grids --- */

enum { NX = 4, NY = 3, NZ = 5 };
static const float ORIGIN[3] = {-1, 2, 0.25f}, SPACING[3] = {0.5f, 2, 0.25f};

static mote_grid *make_grid(float samples[][3], bool zero_outside) {
    mote_grid_def def = mote_default_grid_def();
    def.count[0] = NX, def.count[1] = NY, def.count[2] = NZ;
    memcpy(def.origin, ORIGIN, sizeof ORIGIN);
    memcpy(def.spacing, SPACING, sizeof SPACING);
    def.vectors = (const float(*)[3])samples;
    def.zero_outside = zero_outside;
    mote_grid *grid;
    OK(mote_grid_create(&def, &grid));
    return grid;
}

/* In whole eighths of the spacing and linear with whole coefficients: nothing is rounded. */
static double linear(int component, const double x[3]) {
    static const double matrix[3][3] = {{2, -1, 4}, {0.5, 3, -2}, {-8, 1, 1}};
    return component - 1 + matrix[component][0] * x[0] + matrix[component][1] * x[1] +
           matrix[component][2] * x[2];
}

TEST(grids_reproduce_linear_fields) {
    float samples[NX * NY * NZ][3];
    static const int counts[3] = {NX, NY, NZ};
    for (int i = 0; i < NX * NY * NZ; i++) {
        double x[3] = {i % NX, i / NX % NY, (double)(i / NX / NY)};
        for (int k = 0; k < 3; k++) x[k] = (double)ORIGIN[k] + (double)SPACING[k] * x[k];
        for (int k = 0; k < 3; k++) samples[i][k] = (float)linear(k, x);
    }
    for (int zero = 0; zero < 2; zero++) {
        mote_grid *grid = make_grid(samples, zero);
        mote_force_def field = mote_grid_field(grid, zero ? MOTE_FIELD_ACCELERATION : MOTE_FIELD_VELOCITY, 0);
        cloud c = scatter((float[3]){0, 4, 1}, 4, 8);
        int inside = 0, outside = 0;
        /* The last point of the lattice itself, and the next float beyond it. */
        for (int k = 0; k < 3; k++) c.x[k][0] = c.x[k][1] = ORIGIN[k] + SPACING[k] * (float)(counts[k] - 1);
        c.x[1][1] = nextafterf(c.x[1][1], 100);
        float u[3][POINTS];
        sample(&field, &c, 0, u);
        for (int i = 0; i < POINTS; i++) {
            double x[3];
            bool out = false;
            for (int k = 0; k < 3; k++) {
                double low = (double)ORIGIN[k], high = low + (double)SPACING[k] * (counts[k] - 1),
                       at = c.x[k][i];
                x[k] = fmin(fmax(at, low), high);
                out |= x[k] != at;
            }
            outside += out, inside += !out;
            for (int k = 0; k < 3; k++) ASSERT((double)u[k][i], ==, (out && zero ? 0 : linear(k, x)));
        }
        ASSERT(inside, >=, 4);
        ASSERT(outside, >, 100);
        ASSERT(u[0][0], !=, 0);
        mote_grid_destroy(grid);
    }
}

static double trilinear(float samples[][3], int component, const double t[3]) {
    double sum = 0;
    int cell[3] = {(int)fmin(t[0], NX - 2), (int)fmin(t[1], NY - 2), (int)fmin(t[2], NZ - 2)};
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int at[3];
        for (int k = 0; k < 3; k++) {
            int up = corner >> k & 1;
            at[k] = cell[k] + up;
            weight *= up ? t[k] - cell[k] : 1 - (t[k] - cell[k]);
        }
        sum += weight * (double)samples[at[0] + NX * (at[1] + NY * at[2])][component];
    }
    return sum;
}

TEST(grids_are_trilinear) {
    float samples[NX * NY * NZ][3], u[3][POINTS];
    random_source random = {9};
    for (int i = 0; i < NX * NY * NZ * 3; i++) samples[i / 3][i % 3] = random_between(&random, -5, 5);
    mote_grid *grid = make_grid(samples, false);
    mote_force_def field = mote_grid_field(grid, MOTE_FIELD_VELOCITY, 0);
    cloud c = scatter((float[3]){-0.25f, 4, 0.75f}, 0.5f, 10);
    for (int i = 0; i < POINTS; i++) c.x[1][i] = 4 + 4 * (c.x[1][i] - 4);
    /* The samples are copied: they need not outlive the creation. */
    float kept[NX * NY * NZ][3];
    memcpy(kept, samples, sizeof kept);
    memset(samples, 0, sizeof samples);
    sample(&field, &c, 0, u);
    for (int i = 0; i < POINTS; i++) {
        double t[3];
        for (int k = 0; k < 3; k++) t[k] = ((double)c.x[k][i] - (double)ORIGIN[k]) / (double)SPACING[k];
        /* Three blends of three roundings each, on values and differences below 10. */
        for (int k = 0; k < 3; k++) ASSERT_NEAR(u[k][i], trilinear(kept, k, t), 9 * FLOAT_ROUNDING * 10);
    }
    mote_grid_destroy(grid);
}

/* --- Attractors --- */

/* One and several attractors, with uniform mass and with a mass column, take kernels of their own. */
TEST(softened_attractors_have_the_force_of_their_formula) {
    const cloud start = scatter((float[3]){1, 2, 3}, 4, 13);
    const mote_force_def attractors[3] = {mote_attractor((float[3]){1, 2, 3}, 5, 0.75f),
                                          mote_attractor((float[3]){-2, 2, 3}, -3, 1.5f),
                                          mote_attractor((float[3]){1, 4, 5}, 7, 1)};
    for (uint32_t count = 1; count <= COUNT_OF(attractors); count++)
        for (int masses = 0; masses < 2; masses++) {
            cloud c = start;
            mote_columns columns = {.count = POINTS,
                                    .position = {c.x[0], c.x[1], c.x[2]},
                                    .velocity = {c.v[0], c.v[1], c.v[2]},
                                    .inverse_mass = masses ? c.inverse_mass : NULL,
                                    .mass = 1};
            mote_columns_def def = mote_default_columns_def();
            def.forces = attractors, def.force_count = count, def.timestep = 1;
            test_case("%u attractors, mass column %d", count, masses);
            OK(mote_columns_step(&columns, &def, NULL));
            for (int i = 0; i < POINTS; i++) {
                double want[3] = {0}, size = 0;
                for (uint32_t f = 0; f < count; f++) {
                    const double softening = (double)attractors[f].as.attractor.softening;
                    double d[3], r2 = softening * softening;
                    for (int k = 0; k < 3; k++) {
                        d[k] = (double)attractors[f].as.attractor.centre[k] - (double)start.x[k][i];
                        r2 += d[k] * d[k];
                    }
                    const double magnitude = (double)attractors[f].as.attractor.strength / (r2 * sqrt(r2));
                    for (int k = 0; k < 3; k++) want[k] += magnitude * d[k];
                    size += fabs(magnitude) * sqrt(r2);
                }
                /* d is exact; twelve roundings of each magnitude and its sum follow. */
                for (int k = 0; k < 3; k++) ASSERT_NEAR(c.v[k][i], want[k], 12 * FLOAT_ROUNDING * size);
            }
        }
}

/* --- Vortex, linear field --- */

TEST(a_vortex_and_a_linear_field_are_their_formulas) {
    cloud c = scatter((float[3]){1, 2, 3}, 4, 12);
    float u[3][POINTS];
    const double axis[3] = {2 / 7.0, -3 / 7.0, 6 / 7.0}, core2 = (double)0.7f * (double)0.7f;
    mote_force_def vortex =
        mote_vortex((float[3]){1, 2, 3}, (float[3]){2, -3, 6}, 5, 0.7f, MOTE_FIELD_VELOCITY, 0);
    sample(&vortex, &c, 0, u);
    for (int i = 0; i < POINTS; i++) {
        double r[3], along = 0, size = 0, r2 = 0;
        for (int k = 0; k < 3; k++)
            r[k] = (double)c.x[k][i] - (k + 1), along += r[k] * axis[k], size += r[k] * r[k];
        for (int k = 0; k < 3; k++) r[k] -= along * axis[k], r2 += r[k] * r[k];
        /* r is off by 10 FLOAT_ROUNDING of the distance from the centre, and u' <= 5 / core^2; seven
         * roundings of u follow. */
        double tolerance = 10 * FLOAT_ROUNDING * sqrt(size) * 3 * 5 / core2 + 7 * FLOAT_ROUNDING * 5 / 0.7;
        for (int k = 0; k < 3; k++) {
            int n = (k + 1) % 3, m = (k + 2) % 3;
            ASSERT_NEAR(u[k][i], 5 * (axis[n] * r[m] - axis[m] * r[n]) / (r2 + core2), tolerance);
        }
    }
    float matrix[9] = {1, -0.5f, 2, 0.3f, 0, -1, 4, 1, 0.7f};
    mote_force_def field = mote_linear_field((float[3]){0.1f, -3, 2}, matrix, MOTE_FIELD_ACCELERATION, 0);
    sample(&field, &c, 0, u);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) {
            double want = (double)field.as.linear_field.offset[k];
            for (int m = 0; m < 3; m++) want += (double)matrix[3 * k + m] * (double)c.x[m][i];
            /* Six operations on sums below 5 x 6 + 3. */
            ASSERT_NEAR(u[k][i], want, 6 * FLOAT_ROUNDING * 45);
        }
}

/* --- Regions --- */

static double edge(double beyond, double falloff) {
    if (falloff == 0) return beyond > 0 ? 0 : 1;
    double s = fmin(fmax(1 - beyond / falloff, 0), 1);
    return s * s * (3 - 2 * s);
}

static void check_region(const mote_force_def *force, const cloud *c, double falloff, bool sphere) {
    static const double centre[3] = {1, 0, -2}, extent[3] = {2, 1, 3};
    float u[3][POINTS];
    int inside = 0, outside = 0, between = 0;
    sample(force, c, 0, u);
    for (int i = 0; i < POINTS; i++) {
        double d[3], weight = 1;
        for (int k = 0; k < 3; k++) d[k] = fabs((double)c->x[k][i] - centre[k]);
        if (sphere) weight = edge(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 2, falloff);
        for (int k = 0; k < 3 && !sphere; k++) weight *= edge(d[k] - extent[k], falloff);
        inside += weight == 1, outside += weight == 0, between += weight > 0 && weight < 1;
        ASSERT((double)u[0][i], ==, 0);
        ASSERT(u[2][i], ==, 2 * u[1][i]);
        if (weight == 1 || weight == 0) ASSERT((double)u[1][i], ==, weight);
        /* s is off by five roundings of 8 m over the falloff, the weight by 3/2 of that on each of three
         * axes. */
        else
            ASSERT_NEAR(u[1][i], weight, 3 * 1.5 * 5 * FLOAT_ROUNDING * 8 / falloff);
    }
    ASSERT(inside, >, 5);
    ASSERT(outside, >, 50);
    ASSERT((between > 20), ==, (falloff > 0));
}

TEST(regions_weigh_every_kind_of_force_by_the_distance_from_their_edge) {
    const float centre[3] = {1, 0, -2}, extent[3] = {2, 1, 3};
    float nothing[9] = {0};
    cloud c = scatter(centre, 4, 13);
    /* On the edges, and beyond them by the least that the distance from the centre can show. */
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 3; k++) c.x[k][i] = centre[k];
        c.x[i % 3][i] = centre[i % 3] + (i % 3 == 0 ? 2 : i % 3 == 1 ? 1 : 3);
        if (i >= 3) c.x[i % 3][i] += 0x1p-22f;
    }
    /* A field, a force affine in m/s^2, and one affine in N, which have code of their own each. */
    mote_force_def forces[3] = {mote_linear_field((float[3]){0, 1, 2}, nothing, MOTE_FIELD_VELOCITY, 0),
                                mote_gravity((float[3]){0, 1, 2}), mote_thrust((float[3]){0, 1, 2})};
    for (int f = 0; f < 3; f++)
        for (float falloff = 0; falloff < 2; falloff += 0.75f) {
            mote_force_def box = mote_in_box(forces[f], centre, extent, falloff);
            mote_force_def sphere = mote_in_sphere(forces[f], centre, 2, falloff);
            check_region(&box, &c, falloff, false);
            check_region(&sphere, &c, falloff, true);
        }
}

/* --- Wind, thrust --- */

static void give_masses(cloud *c) {
    for (int i = 0; i < POINTS; i++) c->inverse_mass[i] = i % 10 == 9 ? 0 : 0.25f * (float)(1 + i % 10);
}

/* v' = (drag / m) (u - v): each mass relaxes at its own rate, and ends at u. */
TEST(fields_as_wind_drag_each_mass_at_its_own_rate_to_the_speed_of_the_air) {
    float nothing[9] = {0};
    float samples[NX * NY * NZ][3];
    for (int i = 0; i < NX * NY * NZ; i++) samples[i][0] = 4, samples[i][1] = -2, samples[i][2] = 1;
    mote_grid *grid = make_grid(samples, false);
    mote_force_def winds[3] = {mote_wind((float[3]){4, -2, 1}, 2), mote_grid_field(grid, MOTE_FIELD_WIND, 2),
                               mote_linear_field((float[3]){4, -2, 1}, nothing, MOTE_FIELD_WIND, 2)};
    for (int w = 0; w < 3; w++) {
        cloud c = scatter((float[3]){0, 0, 0}, 4, 14), start;
        give_masses(&c);
        start = c;
        step(&c, &winds[w], 1, MOTE_RK4, 0, 1 / 64.0, 64);
        for (int i = 0; i < POINTS; i++) {
            /* RK4: (drag h / m)^4 / 120 of the speed that relaxes, 2e-7; two roundings a step of 4 m/s
             * besides. */
            double left = exp(-2 * (double)c.inverse_mass[i]);
            ASSERT_NEAR(c.v[0][i], 4 * (1 - left), 4 * 2e-7 + 128 * FLOAT_ROUNDING * 4);
            ASSERT_NEAR(c.v[1][i], -2 * (1 - left), 2 * 2e-7 + 128 * FLOAT_ROUNDING * 2);
        }
        step(&c, &winds[w], 1, MOTE_SEMI_IMPLICIT_EULER, 0, 1 / 4.0, 600);
        for (int i = 0; i < POINTS; i++) {
            bool held = c.inverse_mass[i] == 0;
            /* The approach ends where a kick, at least h drag / m >= 1/8 of the difference, is half a unit in
             * the last place. */
            ASSERT_NEAR(c.v[0][i], held ? 0 : 4, 8 * 2 * FLOAT_ROUNDING * 4);
            ASSERT_NEAR(c.v[2][i], held ? 0 : 1, 8 * 2 * FLOAT_ROUNDING);
            if (held) {
                ASSERT(c.x[0][i], ==, start.x[0][i]);
                ASSERT(c.x[1][i], ==, start.x[1][i]);
            }
        }
    }
    mote_grid_destroy(grid);
}

/* m dv = integral of F dt. RK4 adds up by Simpson's rule, exact between keys. */
TEST(timed_thrust_gives_the_impulse_under_its_keys) {
    static const float times[4] = {1, 1.5f, 3, 4};
    static float thrusts[12] = {2, 0, -1, 6, 1, 3, -4, 8, 3, 0, 0, 5};
    /* From 0.5 s to 5 s: half a second before the keys, the trapezia between, a second after. */
    static const double impulse[3] = {1 + 2 + 1.5 - 2 + 0, 0 + 0.25 + 6.75 + 4 + 0, -0.5 + 0.5 + 4.5 + 4 + 5};
    mote_force_def thrust = mote_timed_thrust(times, thrusts, 4);
    cloud c = scatter((float[3]){0, 0, 0}, 1, 16);
    give_masses(&c);
    step(&c, &thrust, 1, MOTE_RK4, 0.5, 1 / 32.0, 144);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) {
            /* Ten roundings a step of a kick below h 8 N / m, two of the sum, below 20 N s / m. */
            double w = c.inverse_mass[i];
            ASSERT_NEAR(c.v[k][i], impulse[k] * w,
                        144 * (10 * FLOAT_ROUNDING * 8 * w / 32 + 2 * FLOAT_ROUNDING * 20 * w));
        }
    /* At a key itself, and constant outside. */
    static const double moments[5] = {0, 1, 3, 4, 1e9};
    static const int keys[5] = {0, 0, 2, 3, 3};
    for (int m = 0; m < 5; m++) {
        float u[3][POINTS];
        cloud unit = scatter((float[3]){0, 0, 0}, 1, 17);
        sample(&thrust, &unit, moments[m], u);
        for (int k = 0; k < 3; k++) ASSERT(u[k][5], ==, thrusts[3 * keys[m] + k]);
    }
}

/* --- Particle anchors --- */

TEST(anchors_move_with_their_particles) {
    mote_system_def def = mote_default_system_def();
    def.anchor_column = def.mass_column = true;
    def.integrator = MOTE_RK4;
    def.steps_per_second = (mote_rate){64, 1};
    mote_particle_id particles[100];
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 100);
    add_force(system, mote_particle_anchors(6, 0.5f));
    for (int i = 0; i < 100; i++) {
        particles[i] = view.id[i];
        ASSERT(view.anchor.x[i], ==, 0);
        ASSERT(view.anchor.z[i], ==, 0);
        view.anchor.x[i] = (float)i, view.anchor.y[i] = (float)(2 * i), view.anchor.z[i] = -(float)i;
        view.position.x[i] = (float)i + 1, view.position.y[i] = (float)(2 * i),
        view.position.z[i] = -(float)i;
        view.inverse_mass[i] = 0.5f + 0.25f * (float)(i % 4);
    }
    for (uint32_t n = 0; n < 64; n++) {
        uint32_t slots[1] = {(n * 7) % mote_system_count(system)};
        if (n % 2 == 0) OK(mote_system_kill_slots(system, 1, slots));
        stepped(system, 1);
    }
    assert_int_equal(mote_system_count(system), 68);
    view = mote_system_view(system);
    int moved = 0;
    for (int i = 0; i < 100; i++) {
        uint32_t slot = mote_system_slot(system, particles[i]);
        if (slot == MOTE_NO_SLOT) continue;
        moved += slot != (uint32_t)i;
        ASSERT(view.anchor.x[slot], ==, (float)i);
        ASSERT(view.anchor.y[slot], ==, (float)(2 * i));
        ASSERT(view.anchor.z[slot], ==, -(float)i);
        /* One second of the damped spring with its own mass, from 1 m: RK4's (w h)^4 w / 120 is 1e-7;
         * roundings of 100 m. */
        double w = 0.5 + 0.25 * (i % 4), decay = 0.25 * w, turn = sqrt(6 * w - decay * decay);
        double want = i + exp(-decay) * (cos(turn) + decay / turn * sin(turn));
        ASSERT_NEAR(view.position.x[slot], want, 1e-6 + 4 * sqrt(2 * 64) * FLOAT_ROUNDING * 100);
        ASSERT(view.position.y[slot], ==, (float)(2 * i));
    }
    ASSERT(moved, >, 10);
    mote_system_destroy(system);
}
