/* Presentation of loose particles: writes the interpolated state to the caller's memory. */
#include <string.h>

#include "base/parallel.h"
#include "particles/particles.h"

typedef struct task {
    const mote_particles *particles;
    const mote_step *now;
    const mote_presentation *by;
    const mote_present_layout *layout;
    const double *origin; /* NULL: that of the world */
    unsigned char *vertices;
    mote_hermite hermite;
} task;

/* Returns how often a step rounds a position: once a drift or update. The affine maps also round their terms
 * of position, velocity and constant, and some add a kick to the position. */
static double roundings_of(const mote_plan_def *def) {
    const mote_scheme *scheme = &mote_scheme_table[def->integrator];
    uint32_t updates = 1;
    if (scheme->family == MOTE_FAMILY_SPLITTING) {
        updates = scheme->drift_first != 0;
        for (uint32_t i = 0; i < scheme->stages; i++) updates += scheme->drift[i] != 0;
    }
    if (scheme->family == MOTE_FAMILY_MAP) updates = 4 + scheme->kick_after;
    return (double)updates * def->substeps;
}

static mote_hermite hermite_of(const mote_step *now, const mote_presentation *by) {
    return mote_hermite_make(by->alpha, now->plan->timestep, roundings_of(now->plan));
}

/* Interpolates positions relative to the origin; columns x0, x1, v0, v1. */
static void offset(const task *t, float *column[4][3], size_t count, float *const out[3]) {
    const mote_particles *particles = t->particles;
    mote_places places = {0};
    if (particles->interpolation == MOTE_INTERPOLATE_HERMITE) {
        t->by->kernels->hermite_offset(&t->hermite, column, t->origin, count, out);
        return;
    }
    const bool blends = particles->interpolation == MOTE_INTERPOLATE_LINEAR;
    for (int axis = 0; axis < 3; axis++)
        places.x[0][axis] = column[blends ? 0 : 1][axis], places.x[1][axis] = column[1][axis];
    t->by->kernels->offset(&places, t->origin, t->by->alpha, count, out);
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
    if (t->origin && !velocity) {
        offset(t, column, count, out);
    } else if (hermite) {
        (velocity ? t->by->kernels->hermite_velocity : t->by->kernels->hermite_position)(
            &t->hermite, column, column[velocity ? 3 : 1], count, out);
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
    if (t->origin || id != MOTE_COLUMN_POSITION || particles->interpolation != MOTE_INTERPOLATE_LINEAR)
        return false;
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
    const mote_result result = mote_present_check_layout(layout);
    if (result) return result;
    if (layout->position_offset == MOTE_OMIT && layout->velocity_offset == MOTE_OMIT) return MOTE_ERROR_RANGE;
    if (!fits(layout->position_offset, layout->stride) || !fits(layout->velocity_offset, layout->stride))
        return MOTE_ERROR_RANGE;
    if (count == 0) return MOTE_OK;
    if (!vertices) return MOTE_ERROR_NULL;
    if (bytes / layout->stride < count) return MOTE_ERROR_BUFFER;
    task t = {particles, now, by, layout, mote_present_origin(layout->origin), vertices, hermite_of(now, by)};
    mote_parallel_for(by->jobs, count, MOTE_BLOCK, do_blocks, &t);
    return MOTE_OK;
}
