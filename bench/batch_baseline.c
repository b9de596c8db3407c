/* The opponent of coupled RK4: see batch_baseline.h. Compiled at -O3 for this machine by the compiler of the
 * build. */
#include "batch_baseline.h"

#include <math.h>

/* So many forces are computed before they are added: their computation has no order, so its lanes can gather.
 */
#define CHUNK 512u

typedef struct chunk_forces {
    float x[CHUNK], y[CHUNK], z[CHUNK];
} chunk_forces;

static void compute_chunk(const batch_springs *springs, uint32_t start, uint32_t count, float *const at[6],
                          chunk_forces *to) {
    const uint32_t *restrict first = springs->a + start, *restrict second = springs->b + start;
    const float *restrict rest = springs->rest + start, *restrict stiffness = springs->stiffness + start;
    const float *restrict damping = springs->damping + start;
    const float *restrict x = at[0], *restrict y = at[1], *restrict z = at[2];
    const float *restrict u = at[3], *restrict v = at[4], *restrict w = at[5];
    float *restrict px = to->x, *restrict py = to->y, *restrict pz = to->z;
#pragma omp simd
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = first[i], b = second[i];
        float dx = x[b] - x[a], dy = y[b] - y[a], dz = z[b] - z[a];
        float length = sqrtf(dx * dx + dy * dy + dz * dz), inverse = length > 0 ? 1 / length : 0;
        float approach = dx * (u[b] - u[a]) + dy * (v[b] - v[a]) + dz * (w[b] - w[a]);
        float scale = (stiffness[i] * (length - rest[i]) + damping[i] * approach * inverse) * inverse;
        px[i] = dx * scale, py[i] = dy * scale, pz[i] = dz * scale;
    }
}

/* One spring after the other, because two of them may share an end. */
static void add_chunk(const batch_springs *springs, uint32_t start, uint32_t count,
                      const chunk_forces *computed, float *const force[3]) {
    const uint32_t *restrict first = springs->a + start, *restrict second = springs->b + start;
    float *restrict x = force[0], *restrict y = force[1], *restrict z = force[2];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = first[i], b = second[i];
        x[a] += computed->x[i], y[a] += computed->y[i], z[a] += computed->z[i];
        x[b] -= computed->x[i], y[b] -= computed->y[i], z[b] -= computed->z[i];
    }
}

static void add_forces(const batch_springs *springs, float *const at[6], float *const force[3]) {
    chunk_forces computed;
    for (uint32_t start = 0; start < springs->count; start += CHUNK) {
        uint32_t left = springs->count - start, count = left < CHUNK ? left : CHUNK;
        compute_chunk(springs, start, count, at, &computed);
        add_chunk(springs, start, count, &computed, force);
    }
}

/* One axis of one stage; the forces are zero afterwards, for the next stage. */
static inline void advance_axis(const batch_bodies *bodies, uint32_t axis, uint32_t stage, float gravity,
                                float h) {
    float *restrict x = bodies->x[axis], *restrict v = bodies->v[axis], *restrict force = bodies->force[axis];
    float *restrict at_x = bodies->at[axis], *restrict at_v = bodies->at[3 + axis];
    float *restrict sum_x = bodies->sum[axis], *restrict sum_v = bodies->sum[3 + axis];
    const float *restrict inverse_mass = bodies->inverse_mass;
    const float weight = stage == 0 || stage == 3 ? 1.0f / 6 : 1.0f / 3, next = stage == 2 ? h : 0.5f * h;
#pragma omp simd
    for (size_t i = 0; i < bodies->count; i++) {
        const float slope_x = stage ? at_v[i] : v[i];
        const float slope_v = inverse_mass[i] > 0 ? gravity + inverse_mass[i] * force[i] : 0;
        const float total_x = (stage ? sum_x[i] : 0.0f) + weight * slope_x;
        const float total_v = (stage ? sum_v[i] : 0.0f) + weight * slope_v;
        force[i] = 0;
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

void baseline_batch_rk4_stage(const batch_bodies *bodies, const batch_springs *springs, uint32_t stage,
                              float gravity, float h) {
    float *const state[6] = {bodies->x[0], bodies->x[1], bodies->x[2],
                             bodies->v[0], bodies->v[1], bodies->v[2]};
    add_forces(springs, stage ? bodies->at : state, bodies->force);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const float g = axis == 1 ? gravity : 0;
        /* The stage is a constant in every loop. */
        if (stage == 0) advance_axis(bodies, axis, 0, g, h);
        if (stage == 1) advance_axis(bodies, axis, 1, g, h);
        if (stage == 2) advance_axis(bodies, axis, 2, g, h);
        if (stage == 3) advance_axis(bodies, axis, 3, g, h);
    }
}
