/* The baselines: see baselines.h. Compiled at -O3 for this machine by the compiler of the build. The number
 * of attractors is a constant in every loop. */
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
            glm_vec3_muladds(offset, particle->mass * forces.strength / (square * sqrtf(square)),
                             particle->force);
        }
        glm_vec3_muladds(particle->force, h / particle->mass, particle->velocity);
        glm_vec3_muladds(particle->velocity, h, particle->position);
    }
}

static void baseline_struct(struct_particle *particles, size_t first, size_t last, const scene_forces *forces,
                            float h) {
    if (forces->attractor_count == 0)
        struct_pass(particles, first, last, forces, h, 0);
    else if (forces->attractor_count == 1)
        struct_pass(particles, first, last, forces, h, 1);
    else
        struct_pass(particles, first, last, forces, h, MAX_ATTRACTORS);
}

static void plain_ballistic(const probe_columns *columns, size_t first, size_t last,
                            const scene_forces *forces, float mass, float h) {
    float *restrict x = columns->position[0], *restrict y = columns->position[1],
                    *restrict z = columns->position[2];
    float *restrict vx = columns->velocity[0], *restrict vy = columns->velocity[1],
                    *restrict vz = columns->velocity[2];
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

static inline void plain_attractors(const probe_columns *columns, size_t first, size_t last,
                                    const scene_forces *forces, float h, uint32_t attractors) {
    float *restrict x = columns->position[0], *restrict y = columns->position[1],
                    *restrict z = columns->position[2];
    float *restrict vx = columns->velocity[0], *restrict vy = columns->velocity[1],
                    *restrict vz = columns->velocity[2];
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
            float scale = strength / (square * sqrtf(square));
            ax += scale * dx, ay += scale * dy, az += scale * dz;
        }
        vx[i] += h * ax, vy[i] += h * ay, vz[i] += h * az;
        x[i] += h * vx[i], y[i] += h * vy[i], z[i] += h * vz[i];
    }
}

static void baseline_plain(const probe_columns *columns, size_t first, size_t last,
                           const scene_forces *forces, float mass, float h) {
    if (forces->attractor_count == 0)
        plain_ballistic(columns, first, last, forces, mass, h);
    else if (forces->attractor_count == 1)
        plain_attractors(columns, first, last, forces, h, 1);
    else
        plain_attractors(columns, first, last, forces, h, MAX_ATTRACTORS);
}

static inline void verlet_pass(const probe_columns *columns, float *const kick[3], baseline_span span,
                               const scene_forces *forces, bool reuse, bool keep) {
    const float h = span.h;
    float *restrict x = columns->position[0], *restrict y = columns->position[1],
                    *restrict z = columns->position[2];
    float *restrict vx = columns->velocity[0], *restrict vy = columns->velocity[1],
                    *restrict vz = columns->velocity[2];
    float *restrict kx = kick[0], *restrict ky = kick[1], *restrict kz = kick[2];
    const float cx = forces->centre[0][0], cy = forces->centre[0][1], cz = forces->centre[0][2];
    const float strength = forces->strength, soft = forces->softening * forces->softening;
#pragma omp simd
    for (size_t i = span.first; i < span.last; i++) {
        float ax, ay, az, dx, dy, dz, square, scale;
        if (reuse) {
            ax = kx[i], ay = ky[i], az = kz[i];
        } else {
            dx = cx - x[i], dy = cy - y[i], dz = cz - z[i];
            square = dx * dx + dy * dy + dz * dz + soft;
            scale = strength / (square * sqrtf(square));
            ax = h * (scale * dx), ay = h * (scale * dy), az = h * (scale * dz);
        }
        x[i] += h * (vx[i] + 0.5f * ax);
        y[i] += h * (vy[i] + 0.5f * ay);
        z[i] += h * (vz[i] + 0.5f * az);
        dx = cx - x[i], dy = cy - y[i], dz = cz - z[i];
        square = dx * dx + dy * dy + dz * dz + soft;
        scale = strength / (square * sqrtf(square));
        const float bx = h * (scale * dx), by = h * (scale * dy), bz = h * (scale * dz);
        vx[i] += 0.5f * (ax + bx);
        vy[i] += 0.5f * (ay + by);
        vz[i] += 0.5f * (az + bz);
        if (keep) kx[i] = bx, ky[i] = by, kz[i] = bz;
    }
}

static void baseline_verlet(const probe_columns *columns, float *const kick[3], baseline_span span,
                            const scene_forces *forces, bool reuse, bool keep) {
    if (reuse && keep)
        verlet_pass(columns, kick, span, forces, true, true);
    else if (reuse)
        verlet_pass(columns, kick, span, forces, true, false);
    else if (keep)
        verlet_pass(columns, kick, span, forces, false, true);
    else
        verlet_pass(columns, kick, span, forces, false, false);
}

/* One axis: columns of the state, of the state at the stage and of the sums of slopes; and the oscillator,
 * stiffness and damping over the mass. */
typedef struct rk4_axis {
    float *x, *v, *at_x, *at_v, *sum_x, *sum_v;
    float anchor, stiffness, damping;
} rk4_axis;

/* One stage of one axis. The first stage reads the state itself, the last writes it. */
static inline void rk4_stage(rk4_axis axis, baseline_span span, uint32_t stage) {
    float *restrict x = axis.x, *restrict v = axis.v, *restrict at_x = axis.at_x, *restrict at_v = axis.at_v;
    float *restrict sum_x = axis.sum_x, *restrict sum_v = axis.sum_v;
    const float anchor = axis.anchor, stiffness = axis.stiffness, damping = axis.damping, h = span.h;
    const float weight = stage == 0 || stage == 3 ? 1.0f / 6 : 1.0f / 3, next = stage == 2 ? h : 0.5f * h;
#pragma omp simd
    for (size_t i = span.first; i < span.last; i++) {
        const float px = stage ? at_x[i] : x[i], pv = stage ? at_v[i] : v[i];
        const float slope_x = pv, slope_v = stiffness * (anchor - px) - damping * pv;
        const float total_x = (stage ? sum_x[i] : 0.0f) + weight * slope_x;
        const float total_v = (stage ? sum_v[i] : 0.0f) + weight * slope_v;
        if (stage == 3) {
            x[i] += h * total_x;
            v[i] += h * total_v;
        } else {
            sum_x[i] = total_x;
            sum_v[i] = total_v;
            at_x[i] = x[i] + next * slope_x;
            at_v[i] = v[i] + next * slope_v;
        }
    }
}

static void baseline_rk4_stage(const probe_columns *columns, float *const at[6], float *const sum[6],
                               baseline_span span, uint32_t stage, float mass) {
    static const float anchor[3] = {OSCILLATOR_ANCHOR};
    for (uint32_t i = 0; i < 3; i++) {
        const rk4_axis axis = {columns->position[i],
                               columns->velocity[i],
                               at[i],
                               at[3 + i],
                               sum[i],
                               sum[3 + i],
                               anchor[i],
                               OSCILLATOR_STIFFNESS / mass,
                               OSCILLATOR_DAMPING / mass};
        /* The stage is a constant in every loop. */
        if (stage == 0) rk4_stage(axis, span, 0);
        if (stage == 1) rk4_stage(axis, span, 1);
        if (stage == 2) rk4_stage(axis, span, 2);
        if (stage == 3) rk4_stage(axis, span, 3);
    }
}

const baseline_loops OF_WIDTH(baseline_loops) = {baseline_struct, baseline_plain, baseline_verlet,
                                                 baseline_rk4_stage};
