/* Presentation: the interpolated state into the caller's memory. */
#include <string.h>

#include "base/fpu.h"
#include "system/internal.h"

typedef struct presentation {
    const mote_system *system;
    const mote_present_layout *layout;
    unsigned char *vertices;
    float alpha;
} presentation;

/* Hermite basis at s for x0, x1, h v0, h v1. */
static void position_weights(float s, float h, float weight[4]) {
    float s2 = s * s, s3 = s2 * s;
    weight[0] = 2 * s3 - 3 * s2 + 1;
    weight[1] = 3 * s2 - 2 * s3;
    weight[2] = (s3 - 2 * s2 + s) * h;
    weight[3] = (s3 - s2) * h;
}

/* Its derivative by time. */
static void velocity_weights(float s, float h, float weight[4]) {
    float s2 = s * s;
    weight[0] = (6 * s2 - 6 * s) / h;
    weight[1] = (6 * s - 6 * s2) / h;
    weight[2] = 3 * s2 - 4 * s + 1;
    weight[3] = 3 * s2 - 2 * s;
}

/* The interpolated quantity of slots [first, first + count) into `out`, whole lane groups of it. */
static void interpolate(const presentation *p, mote_column_id id, size_t first, size_t count, float *const out[3]) {
    const mote_system *system = p->system;
    const mote_particles *particles = &system->particles;
    float *column[4][3];
    mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_POSITION, column[0]);
    mote_particles_vector(particles, MOTE_COLUMN_POSITION, column[1]);
    mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_VELOCITY, column[2]);
    mote_particles_vector(particles, MOTE_COLUMN_VELOCITY, column[3]);
    bool velocity = id == MOTE_COLUMN_VELOCITY;
    if (system->def.interpolation == MOTE_INTERPOLATE_HERMITE) {
        float weight[4];
        (velocity ? velocity_weights : position_weights)(p->alpha, (float)system->clock.timestep, weight);
        system->kernels->combine(column, weight, first, count, out);
    } else if (system->def.interpolation == MOTE_INTERPOLATE_LINEAR && !velocity) {
        system->kernels->blend(column[0], column[1], p->alpha, first, count, out);
    } else {
        for (int axis = 0; axis < 3; axis++) memcpy(out[axis], column[velocity ? 3 : 1][axis] + first, count * sizeof(float));
    }
}

/* What is not settled has no previous state: it is presented as it is. */
static void overwrite_unsettled(const presentation *p, mote_column_id id, size_t first, size_t end, float *const out[3]) {
    const mote_particles *particles = &p->system->particles;
    size_t from = first > particles->settled ? first : particles->settled;
    for (int axis = 0; axis < 3 && from < end; axis++)
        memcpy(out[axis] + (from - first), (const float *)particles->column[id + axis] + from,
               (end - from) * sizeof(float));
}

static void scatter(unsigned char *to, size_t stride, float *const column[3], size_t count) {
    for (size_t i = 0; i < count; i++, to += stride) {
        const float vector[3] = {column[0][i], column[1][i], column[2][i]};
        memcpy(to, vector, sizeof vector);
    }
}

static void write_vectors(const presentation *p, mote_column_id id, size_t offset, size_t first, size_t end) {
    MOTE_ALIGNED(64) float memory[3][MOTE_BLOCK];
    float *const out[3] = {memory[0], memory[1], memory[2]};
    if (offset == MOTE_OMIT) return;
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        size_t last = end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK;
        interpolate(p, id, block, last - block, out);
        overwrite_unsettled(p, id, block, last, out);
        scatter(p->vertices + block * p->layout->stride + offset, p->layout->stride, out, last - block);
    }
}

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const presentation *p = context;
    write_vectors(p, MOTE_COLUMN_POSITION, p->layout->position_offset, first, end);
    write_vectors(p, MOTE_COLUMN_VELOCITY, p->layout->velocity_offset, first, end);
}

static bool fits(size_t offset, size_t stride) {
    return offset == MOTE_OMIT || (stride >= 3 * sizeof(float) && offset <= stride - 3 * sizeof(float));
}

mote_result mote_system_present(const mote_system *system, const mote_present_layout *layout, void *vertices,
                                size_t bytes) {
    if (!system || !layout) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    if (layout->position_offset == MOTE_OMIT && layout->velocity_offset == MOTE_OMIT) return MOTE_ERROR_RANGE;
    if (!fits(layout->position_offset, layout->stride) || !fits(layout->velocity_offset, layout->stride))
        return MOTE_ERROR_RANGE;
    size_t count = system->particles.count;
    if (count == 0) return MOTE_OK;
    if (!vertices) return MOTE_ERROR_NULL;
    if (bytes / layout->stride < count) return MOTE_ERROR_BUFFER;
    presentation p = {system, layout, vertices, mote_clock_alpha(&system->clock)};
    mote_fpu_state saved = mote_fpu_enter();
    mote_parallel_for(&system->def.jobs, count, MOTE_BLOCK, do_blocks, &p);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
