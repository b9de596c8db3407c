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
static void interpolate(const presentation *p, mote_column_id id, size_t first, size_t count,
                        float *const out[3]) {
    const mote_system *system = p->system;
    const bool velocity = id == MOTE_COLUMN_VELOCITY,
               hermite = system->def.interpolation == MOTE_INTERPOLATE_HERMITE;
    MOTE_ALIGNED(64) float memory[2][3][MOTE_BLOCK];
    float *column[4][3]; /* x0, x1, v0, v1 of these slots */
    mote_particles_vector(&system->particles, MOTE_COLUMN_PREVIOUS_POSITION, column[0]);
    mote_particles_vector(&system->particles, MOTE_COLUMN_POSITION, column[1]);
    for (int axis = 0; axis < 3; axis++) {
        if (column[0][axis]) column[0][axis] += first;
        column[1][axis] += first;
        column[2][axis] = memory[0][axis];
        column[3][axis] = memory[1][axis];
    }
    if (hermite) mote_system_true_velocity(system, true, first, count, column[2]);
    if (hermite || velocity) mote_system_true_velocity(system, false, first, count, column[3]);
    if (hermite) {
        float weight[4];
        (velocity ? velocity_weights : position_weights)(p->alpha, (float)system->clock.timestep, weight);
        system->kernels.present->combine(column, weight, column[velocity ? 3 : 1], count, out);
    } else if (system->def.interpolation == MOTE_INTERPOLATE_LINEAR && !velocity) {
        system->kernels.present->blend(column[0], column[1], p->alpha, count, out);
    } else {
        for (int axis = 0; axis < 3; axis++)
            memcpy(out[axis], column[velocity ? 3 : 1][axis], count * sizeof(float));
    }
}

/* Whole blocks of packed, linearly interpolated positions go through registers alone. */
static bool blend_straight(const presentation *p, mote_column_id id, size_t first, size_t count,
                           unsigned char *to) {
    const mote_system *system = p->system;
    if (id != MOTE_COLUMN_POSITION || system->def.interpolation != MOTE_INTERPOLATE_LINEAR) return false;
    if (p->layout->stride != 3 * sizeof(float) || count != MOTE_BLOCK) return false;
    float *previous[3], *current[3];
    mote_particles_vector(&system->particles, MOTE_COLUMN_PREVIOUS_POSITION, previous);
    mote_particles_vector(&system->particles, MOTE_COLUMN_POSITION, current);
    for (int axis = 0; axis < 3; axis++) previous[axis] += first, current[axis] += first;
    system->kernels.present->blend_packed(previous, current, p->alpha, count, to);
    return true;
}

static void scatter(unsigned char *to, size_t stride, const float (*vector)[3], size_t count) {
    for (size_t i = 0; i < count; i++, to += stride) memcpy(to, vector[i], sizeof *vector);
}

/* Whole blocks of packed vectors go straight to the caller's memory; everything else by way of the stack. */
static void write_vectors(const presentation *p, mote_column_id id, size_t offset, size_t first, size_t end) {
    MOTE_ALIGNED(64) float memory[3][MOTE_BLOCK], packed[MOTE_BLOCK][3];
    float *const out[3] = {memory[0], memory[1], memory[2]};
    const size_t stride = p->layout->stride;
    if (offset == MOTE_OMIT) return;
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        size_t last = end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK,
               slots = mote_round_up(last - block, MOTE_GROUP);
        unsigned char *to = p->vertices + block * stride + offset;
        if (blend_straight(p, id, block, last - block, to)) continue;
        interpolate(p, id, block, last - block, out);
        if (stride == sizeof *packed && last - block == MOTE_BLOCK) {
            p->system->kernels.present->interleave(out, slots, to);
        } else {
            p->system->kernels.present->interleave(out, slots, packed);
            scatter(to, stride, (const float(*)[3])packed, last - block);
        }
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
    mote_fpu_state saved = mote_fpu_enter();
    mote_system_set_busy(system, true);
    presentation p = {system, layout, vertices, mote_clock_alpha(&system->clock)};
    mote_parallel_for(&system->def.jobs, count, MOTE_BLOCK, do_blocks, &p);
    mote_system_set_busy(system, false);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
