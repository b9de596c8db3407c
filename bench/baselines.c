/* The baselines: one substep of semi-implicit Euler as others write it, one pass over memory each. Compiled at -O3 for
 * this machine by the compiler of the build. The number of attractors is a constant in every loop. */
#include "baselines.h"

#include <cglm/vec3.h>
#include <math.h>

static inline void struct_pass(struct_particle *restrict particles, size_t first, size_t last,
                               const scene_forces *restrict given, float h, uint32_t attractors) {
    scene_forces forces = *given;
    for (size_t i = first; i < last; i++) {
        struct_particle *particle = &particles[i];
        vec3 offset;
        if (attractors == 0) {
            glm_vec3_scale(forces.gravity, particle->mass, particle->force);
            glm_vec3_sub(forces.wind, particle->velocity, offset);
            glm_vec3_muladds(offset, forces.drag, particle->force);
        } else {
            glm_vec3_zero(particle->force);
        }
        for (uint32_t k = 0; k < attractors; k++) {
            glm_vec3_sub(forces.centre[k], particle->position, offset);
            float square = glm_vec3_dot(offset, offset) + forces.softening * forces.softening;
            glm_vec3_muladds(offset, particle->mass * forces.strength / (square * sqrtf(square)), particle->force);
        }
        glm_vec3_muladds(particle->force, h / particle->mass, particle->velocity);
        glm_vec3_muladds(particle->velocity, h, particle->position);
    }
}

void baseline_struct(struct_particle *particles, size_t first, size_t last, const scene_forces *forces, float h) {
    if (forces->attractor_count == 0)
        struct_pass(particles, first, last, forces, h, 0);
    else if (forces->attractor_count == 1)
        struct_pass(particles, first, last, forces, h, 1);
    else
        struct_pass(particles, first, last, forces, h, MAX_ATTRACTORS);
}

static void plain_ballistic(const probe_columns *columns, size_t first, size_t last, const scene_forces *forces,
                            float mass, float h) {
    float *restrict x = columns->position[0], *restrict y = columns->position[1], *restrict z = columns->position[2];
    float *restrict vx = columns->velocity[0], *restrict vy = columns->velocity[1], *restrict vz = columns->velocity[2];
    const float damping = forces->drag / mass;
    const float ax = forces->gravity[0] + damping * forces->wind[0];
    const float ay = forces->gravity[1] + damping * forces->wind[1];
    const float az = forces->gravity[2] + damping * forces->wind[2];
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        vx[i] += h * (ax - damping * vx[i]);
        vy[i] += h * (ay - damping * vy[i]);
        vz[i] += h * (az - damping * vz[i]);
        x[i] += h * vx[i];
        y[i] += h * vy[i];
        z[i] += h * vz[i];
    }
}

static inline void plain_attractors(const probe_columns *columns, size_t first, size_t last, const scene_forces *forces,
                                    float h, uint32_t attractors) {
    float *restrict x = columns->position[0], *restrict y = columns->position[1], *restrict z = columns->position[2];
    float *restrict vx = columns->velocity[0], *restrict vy = columns->velocity[1], *restrict vz = columns->velocity[2];
    const float strength = forces->strength, square_softening = forces->softening * forces->softening;
    float centre[MAX_ATTRACTORS][3];
    for (uint32_t k = 0; k < MAX_ATTRACTORS * 3; k++) centre[k / 3][k % 3] = forces->centre[k / 3][k % 3];
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        float ax = 0, ay = 0, az = 0;
#pragma GCC unroll 4
        for (uint32_t k = 0; k < attractors; k++) {
            float dx = centre[k][0] - x[i], dy = centre[k][1] - y[i], dz = centre[k][2] - z[i];
            float square = dx * dx + dy * dy + dz * dz + square_softening;
            float pull = strength / (square * sqrtf(square));
            ax += pull * dx, ay += pull * dy, az += pull * dz;
        }
        vx[i] += h * ax, vy[i] += h * ay, vz[i] += h * az;
        x[i] += h * vx[i], y[i] += h * vy[i], z[i] += h * vz[i];
    }
}

void baseline_plain(const probe_columns *columns, size_t first, size_t last, const scene_forces *forces, float mass,
                    float h) {
    if (forces->attractor_count == 0)
        plain_ballistic(columns, first, last, forces, mass, h);
    else if (forces->attractor_count == 1)
        plain_attractors(columns, first, last, forces, h, 1);
    else
        plain_attractors(columns, first, last, forces, h, MAX_ATTRACTORS);
}
