/* Presentation of loose particles: writes the interpolated state to the caller's memory. */
#include <string.h>

#include "base/parallel.h"
#include "particles/particles.h"

typedef struct task {
    const mote_particles *particles;
    const mote_step *now;
    const mote_presentation *by;
    const mote_present_layout *layout;
    unsigned char *vertices;
} task;

/* Cubic Hermite basis at s for x0, x1, v0, v1. */
static void position_weights(float s, float h, float weight[4]) {
    float s2 = s * s, s3 = s2 * s;
    weight[0] = 2 * s3 - 3 * s2 + 1;
    weight[1] = 3 * s2 - 2 * s3;
    weight[2] = (s3 - 2 * s2 + s) * h;
    weight[3] = (s3 - s2) * h;
}

/* Time derivative of the cubic Hermite basis. */
static void velocity_weights(float s, float h, float weight[4]) {
    float s2 = s * s;
    weight[0] = (6 * s2 - 6 * s) / h;
    weight[1] = (6 * s - 6 * s2) / h;
    weight[2] = 3 * s2 - 4 * s + 1;
    weight[3] = 3 * s2 - 2 * s;
}

/* Interpolates position or velocity of slots [first, first + count) into `out`, in whole lane groups. */
static void interpolate(const task *t, mote_column_id id, size_t first, size_t count, float *const out[3]) {
    const mote_particles *particles = t->particles;
    const bool velocity = id == MOTE_COLUMN_VELOCITY,
               hermite = particles->interpolation == MOTE_INTERPOLATE_HERMITE;
    MOTE_ALIGNED(64) float memory[2][3][MOTE_BLOCK];
    float *column[4][3]; /* x0, x1, v0, v1 of these slots */
    mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_POSITION, column[0]);
    mote_particles_vector(particles, MOTE_COLUMN_POSITION, column[1]);
    for (int axis = 0; axis < 3; axis++) {
        if (column[0][axis]) column[0][axis] += first;
        column[1][axis] += first;
        column[2][axis] = memory[0][axis];
        column[3][axis] = memory[1][axis];
    }
    if (hermite) mote_particles_true_velocity(particles, t->now, true, first, count, column[2]);
    if (hermite || velocity) mote_particles_true_velocity(particles, t->now, false, first, count, column[3]);
    if (hermite) {
        float weight[4];
        (velocity ? velocity_weights : position_weights)(t->by->alpha, (float)t->now->plan->timestep, weight);
        t->by->kernels->combine(column, weight, column[velocity ? 3 : 1], count, out);
    } else if (particles->interpolation == MOTE_INTERPOLATE_LINEAR && !velocity) {
        t->by->kernels->blend(column[0], column[1], t->by->alpha, count, out);
    } else {
        for (int axis = 0; axis < 3; axis++)
            memcpy(out[axis], column[velocity ? 3 : 1][axis], count * sizeof(float));
    }
}

/* Writes a whole block of packed, linearly interpolated positions without a copy in memory. False: not
 * applicable. */
static bool blend_packed_block(const task *t, mote_column_id id, size_t first, size_t count,
                               unsigned char *to) {
    const mote_particles *particles = t->particles;
    if (id != MOTE_COLUMN_POSITION || particles->interpolation != MOTE_INTERPOLATE_LINEAR) return false;
    if (t->layout->stride != 3 * sizeof(float) || count != MOTE_BLOCK) return false;
    float *previous[3], *current[3];
    mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_POSITION, previous);
    mote_particles_vector(particles, MOTE_COLUMN_POSITION, current);
    for (int axis = 0; axis < 3; axis++) previous[axis] += first, current[axis] += first;
    t->by->kernels->blend_packed(previous, current, t->by->alpha, count, to);
    return true;
}

static void scatter(unsigned char *to, size_t stride, const float (*vector)[3], size_t count) {
    for (size_t i = 0; i < count; i++, to += stride) memcpy(to, vector[i], sizeof *vector);
}

/* Writes one quantity. Whole blocks of packed vectors are interleaved directly into the caller's memory, all
 * others through the stack. */
static void write_vectors(const task *t, mote_column_id id, size_t offset, size_t first, size_t end) {
    MOTE_ALIGNED(64) float memory[3][MOTE_BLOCK], packed[MOTE_BLOCK][3];
    float *const out[3] = {memory[0], memory[1], memory[2]};
    const size_t stride = t->layout->stride;
    if (offset == MOTE_OMIT) return;
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        size_t last = end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK,
               slots = mote_round_up(last - block, MOTE_GROUP);
        unsigned char *to = t->vertices + block * stride + offset;
        if (blend_packed_block(t, id, block, last - block, to)) continue;
        interpolate(t, id, block, last - block, out);
        if (stride == sizeof *packed && last - block == MOTE_BLOCK) {
            t->by->kernels->interleave(out, slots, to);
        } else {
            t->by->kernels->interleave(out, slots, packed);
            scatter(to, stride, (const float(*)[3])packed, last - block);
        }
    }
}

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const task *t = context;
    write_vectors(t, MOTE_COLUMN_POSITION, t->layout->position_offset, first, end);
    write_vectors(t, MOTE_COLUMN_VELOCITY, t->layout->velocity_offset, first, end);
}

static bool fits(size_t offset, size_t stride) {
    return offset == MOTE_OMIT || mote_vector_fits(offset, stride);
}

mote_result mote_particles_write(const mote_particles *particles, const mote_step *now,
                                 const mote_presentation *by, const mote_present_layout *layout,
                                 void *vertices, size_t bytes) {
    const size_t count = particles->range.slot_count;
    if (layout->position_offset == MOTE_OMIT && layout->velocity_offset == MOTE_OMIT) return MOTE_ERROR_RANGE;
    if (!fits(layout->position_offset, layout->stride) || !fits(layout->velocity_offset, layout->stride))
        return MOTE_ERROR_RANGE;
    if (count == 0) return MOTE_OK;
    if (!vertices) return MOTE_ERROR_NULL;
    if (bytes / layout->stride < count) return MOTE_ERROR_BUFFER;
    task t = {particles, now, by, layout, vertices};
    mote_parallel_for(by->jobs, count, MOTE_BLOCK, do_blocks, &t);
    return MOTE_OK;
}
