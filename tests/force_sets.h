/* Forces of every kind, for the tests that compare bits: springs and fields in every use, regions of every
 * shape, thrust that changes within the run, two grids. Needs nothing but mote. */
#ifndef MOTE_TESTS_FORCE_SETS_H
#define MOTE_TESTS_FORCE_SETS_H

#include <math.h>

#include "reference.h"
#include "scene_calls.h"

/* A grid of 4 x 3 x 5 samples whose outside is the nearest face, and one of 2 x 2 x 2 that is 0 outside. Some
 * of the particles of the tests, which are within 3 m of the origin, lie in cells of either, some outside. */
static mote_grid *test_grids[2];
static mote_allocator test_grid_allocator; /* {0}: the default one */

static inline void make_test_grids(void) {
    static mote_grid_def defs[2];
    static float vectors[2][60][3];
    for (uint32_t g = 0; g < 2; g++) {
        for (uint32_t i = 0; i < 180; i++) vectors[g][i / 3][i % 3] = 1.5f * reference_noise(300 + g, i);
        defs[g] = mote_default_grid_def();
        for (int axis = 0; axis < 3; axis++) {
            defs[g].count[axis] = g ? 2 : (uint32_t[3]){4, 3, 5}[axis];
            defs[g].origin[axis] = g ? -1.1f : -1.7f;
            defs[g].spacing[axis] = g ? 2.3f : (float[3]){0.9f, 1.3f, 0.7f}[axis];
        }
        defs[g].vectors = (const float(*)[3])vectors[g];
        defs[g].zero_outside = g == 1;
        defs[g].allocator = test_grid_allocator;
        scene_check(mote_grid_create(&defs[g], &test_grids[g]));
        reference_know_grid(test_grids[g], &defs[g]);
    }
}

static inline void destroy_test_grids(void) {
    for (int g = 0; g < 2; g++) mote_grid_destroy(test_grids[g]);
}

static inline uint32_t add_affine(mote_force_def *forces, uint32_t n) {
    forces[n++] = mote_gravity((float[3]){0.3f, -9.81f, 0.1f});
    forces[n++] = mote_thrust((float[3]){1.7f, 0, -0.3f});
    forces[n++] = mote_wind((float[3]){3, -0.2f, 1.1f}, 0.37f);
    return n;
}

static inline uint32_t add_springs(mote_force_def *forces, uint32_t n) {
    forces[n++] = mote_anchor_spring((float[3]){0.5f, -1.5f, 2.1f}, 15.3f, 0.21f);
    forces[n++] = mote_anchor_spring((float[3]){-1, 0.3f, 0}, 2.7f, 0);
    return n;
}

static inline uint32_t add_attractors(mote_force_def *forces, uint32_t n, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        float centre[3] = {2 * reference_noise(77, 3 * i), 2 * reference_noise(77, 3 * i + 1), 0.5f};
        forces[n++] = mote_attractor(centre, i == 2 ? -0.7f : 1.3f + (float)i, i == 1 ? 0 : 0.05f);
    }
    return n;
}

/* Keys before, within and after the first steps from `time` on. */
static inline uint32_t add_timed_thrusts(mote_force_def *forces, uint32_t n, float time) {
    const float times[4] = {time - 1, time + 0.011f, time + 0.02f, time + 0.04f}, single = time;
    float values[12] = {3, 0, -1, 0.3f, 7, -2, -5, 1.1f, 0, 0, -4, 0.7f};
    forces[n++] = mote_timed_thrust(times, values, 4);
    forces[n++] = mote_timed_thrust(&single, values + 3, 1);
    forces[n++] = mote_timed_thrust(times + 2, values, 2);
    return n;
}

static inline uint32_t add_drags(mote_force_def *forces, uint32_t n) {
    forces[n++] = mote_quadratic_drag((float[3]){2, -0.3f, 0.7f}, 0.13f);
    forces[n++] = mote_quadratic_drag((float[3]){0, 0, 0}, 0.9f);
    return n;
}

static inline uint32_t add_particle_anchors(mote_force_def *forces, uint32_t n) {
    forces[n++] = mote_particle_anchors(11.3f, 0.17f);
    forces[n++] = mote_particle_anchors(0.9f, 0);
    return n;
}

static inline uint32_t add_fields(mote_force_def *forces, uint32_t n, mote_field_use use) {
    float matrix[9] = {-0.3f, 1.1f, 0.2f, -1.3f, 0.1f, 0, 0.7f, -0.4f, 0.2f};
    forces[n++] = mote_linear_field((float[3]){0.7f, -0.2f, 0.1f}, matrix, use, 0.3f);
    forces[n++] =
        mote_vortex((float[3]){0.3f, 0.1f, -0.2f}, (float[3]){0.2f, 3, -0.7f}, 1.7f, 0.21f, use, 0.45f);
    forces[n++] = mote_curl_noise(2.3f, 0.83f, 3.1f, 12345, use, 0.21f);
    forces[n++] = mote_grid_field(test_grids[0], use, 0.6f);
    forces[n++] = mote_curl_noise(0.7f, 2.3f, 0, 9, use, 0.1f);
    forces[n++] = mote_grid_field(test_grids[1], use, 0.33f);
    return n;
}

/* Puts every other force into a box and the rest into spheres, in turn with and without a soft edge. */
static inline void limit_forces(mote_force_def *forces, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        float falloff = i / 2 % 2 ? 0 : 0.7f + 0.1f * (float)i;
        const float centre[3] = {0.3f * (float)(i % 3), -0.2f, 0.1f * (float)(i % 5)},
                    extent[3] = {1.1f, 0.4f, 1.5f};
        if (i % 2)
            forces[i] = mote_in_box(forces[i], centre, extent, falloff);
        else
            forces[i] = mote_in_sphere(forces[i], centre, i % 3 ? 1.2f : 0, falloff);
    }
}

#endif
