/* Presentation of loose particles: writes the interpolated state to the caller's memory. */
#include <string.h>

#include "base/check.h"
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
    mote_curve sizes, colours; /* where the layout writes them */
    mote_arc arc;              /* likewise */
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

/* --- Columns of a block of vertices --- */

/* Slot of a vertex. */
static uint32_t slot_of(const task *t, size_t vertex) {
    return t->layout->order ? t->layout->order[vertex] : (uint32_t)vertex;
}

/* Copies the elements of the vertices [first, first + count) from columns by slot, and pads whole lane groups
 * with the first one. */
static void gather(const task *t, float *const column[3], size_t first, size_t count, float *const out[3]) {
    for (size_t i = 0; i < mote_round_up(count, MOTE_GROUP); i++) {
        const uint32_t slot = slot_of(t, first + (i < count ? i : 0));
        for (int axis = 0; axis < 3; axis++) out[axis][i] = column[axis][slot];
    }
}

/* Under position Verlet velocities are computed by lane groups of slots: one for each vertex. */
static void gather_true_velocity(const task *t, bool previous, size_t first, size_t count,
                                 float *const out[3]) {
    MOTE_ALIGNED(64) float memory[3][MOTE_GROUP];
    float *const group[3] = {memory[0], memory[1], memory[2]};
    const size_t slots = t->particles->range.slot_count;
    for (size_t i = 0; i < mote_round_up(count, MOTE_GROUP); i++) {
        const uint32_t slot = slot_of(t, first + (i < count ? i : 0));
        const size_t begin = slot / MOTE_GROUP * MOTE_GROUP,
                     lanes = slots - begin < MOTE_GROUP ? slots - begin : MOTE_GROUP;
        mote_particles_true_velocity(t->particles, t->now, previous, begin, lanes, group);
        for (int axis = 0; axis < 3; axis++) out[axis][i] = memory[axis][slot - begin];
    }
}

/* Finds the velocities of the vertices, before the last step or now. A particle that has taken no step has
 * its present velocity before it too. Those of marked particles stay marked. */
static void find_velocities(const task *t, bool previous, size_t first, size_t count, float *const out[3]) {
    const mote_particles *particles = t->particles;
    if (!t->layout->order) {
        mote_particles_true_velocity(particles, t->now, previous, first, count, out);
    } else if (mote_scheme_table[t->now->plan->integrator].half_step_velocity) {
        gather_true_velocity(t, previous, first, count, out);
    } else {
        float *column[3];
        mote_particles_vector(particles, previous ? MOTE_COLUMN_PREVIOUS_VELOCITY : MOTE_COLUMN_VELOCITY,
                              column);
        gather(t, column, first, count, out);
    }
    const size_t from = t->layout->order || first > particles->started ? 0 : particles->started - first;
    for (size_t i = from; previous && i < count; i++) {
        const uint32_t slot = slot_of(t, first + i);
        if (slot < particles->started || mote_particles_is_straight(particles, slot)) continue;
        for (int axis = 0; axis < 3; axis++) out[axis][i] = particles->range.v[axis][slot];
    }
}

/* States of a block of vertices: x0, x1, v0, v1. The columns point to those of the particles, or to `memory`.
 * v0 and v1 are found only where they are needed. */
typedef struct block_states {
    float *column[4][3];
    MOTE_ALIGNED(64) float memory[4][3][MOTE_BLOCK];
} block_states;

static void find_block(const task *t, bool velocity, size_t first, size_t count, block_states *b) {
    const mote_particles *particles = t->particles;
    const bool hermite = particles->interpolation == MOTE_INTERPOLATE_HERMITE;
    for (int state = 0; state < 4; state++) {
        float *of[3], *const to[3] = {b->memory[state][0], b->memory[state][1], b->memory[state][2]};
        const bool place = state < 2;
        mote_particles_vector(particles, state == 0 ? MOTE_COLUMN_PREVIOUS_POSITION : MOTE_COLUMN_POSITION,
                              of);
        const bool copies = !place || t->layout->order;
        for (int axis = 0; axis < 3; axis++)
            b->column[state][axis] = copies ? to[axis] : of[axis] ? of[axis] + first : NULL;
        if (place && copies && of[0]) gather(t, of, first, count, to);
        if (!place && (hermite || (velocity && state == 3))) find_velocities(t, state == 2, first, count, to);
    }
}

/* Interpolates position or velocity of the vertices [first, first + count) into `out`, in whole lane
 * groups. */
static void interpolate(const task *t, mote_column_id id, size_t first, size_t count, float *const out[3]) {
    const mote_particles *particles = t->particles;
    const bool velocity = id == MOTE_COLUMN_VELOCITY,
               hermite = particles->interpolation == MOTE_INTERPOLATE_HERMITE;
    block_states b;
    find_block(t, velocity, first, count, &b);
    if (t->origin && !velocity) {
        offset(t, b.column, count, out);
    } else if (hermite) {
        (velocity ? t->by->kernels->hermite_velocity : t->by->kernels->hermite_position)(
            &t->hermite, b.column, b.column[velocity ? 3 : 1], count, out);
    } else if (particles->interpolation == MOTE_INTERPOLATE_LINEAR && !velocity) {
        t->by->kernels->blend(b.column[0], b.column[1], t->by->alpha, count, out);
    } else {
        for (int axis = 0; axis < 3; axis++)
            memcpy(out[axis], b.column[velocity ? 3 : 1][axis], count * sizeof(float));
    }
}

/* --- Writing --- */

/* Writes the whole lane groups of packed, linearly interpolated positions without a copy in memory. Returns
 * how many vertices it has written: none where that is not possible. */
static size_t blend_packed_groups(const task *t, mote_column_id id, size_t first, size_t count,
                                  unsigned char *to) {
    const mote_particles *particles = t->particles;
    const size_t whole = count / MOTE_GROUP * MOTE_GROUP;
    if (t->origin || id != MOTE_COLUMN_POSITION || particles->interpolation != MOTE_INTERPOLATE_LINEAR)
        return 0;
    if (t->layout->order || t->layout->stride != 3 * sizeof(float)) return 0;
    float *previous[3], *current[3];
    mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_POSITION, previous);
    mote_particles_vector(particles, MOTE_COLUMN_POSITION, current);
    for (int axis = 0; axis < 3; axis++) previous[axis] += first, current[axis] += first;
    t->by->kernels->blend_packed(previous, current, t->by->alpha, whole, to);
    return whole;
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
    for (size_t block = first, last; block < end; block = last) {
        last = end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK;
        unsigned char *to = t->vertices + block * stride + offset;
        const size_t done = blend_packed_groups(t, id, block, last - block, to), left = last - block - done;
        if (!left) continue;
        to += done * stride;
        interpolate(t, id, block + done, left, out);
        if (stride == sizeof *packed && left == MOTE_BLOCK) {
            t->by->kernels->interleave(out, left, to);
        } else {
            t->by->kernels->interleave(out, mote_round_up(left, MOTE_GROUP), packed);
            scatter(to, stride, (const float(*)[3])packed, left);
        }
    }
}

/* Returns the age (s) of the presented state of a slot. */
static float age_of(const task *t, uint32_t slot) {
    const uint32_t *birth = t->particles->column[MOTE_COLUMN_BIRTH];
    const bool blends = t->particles->interpolation != MOTE_INTERPOLATE_NONE;
    const double steps = mote_age((uint32_t)t->now->number, birth[slot]);
    const float *initial = t->particles->column[MOTE_COLUMN_INITIAL_AGE];
    const double since = (blends ? steps - 1 + (double)t->by->alpha : steps) * t->now->plan->timestep,
                 age = initial ? since + (double)initial[slot] : since;
    return age > 0 ? (float)age : 0;
}

static void write_ages(const task *t, size_t first, size_t end) {
    const size_t offset = t->layout->age_offset;
    for (size_t i = first; i < end && offset != MOTE_OMIT; i++) {
        const float age = age_of(t, slot_of(t, i));
        memcpy(t->vertices + i * t->layout->stride + offset, &age, sizeof age);
    }
}

/* --- Over life --- */

/* Returns the elements of a column of words that belong to the vertices [first, first + count), in whole lane
 * groups; NULL without the column. They are copied to `memory` where the layout has an order. */
static const void *words_of(const task *t, const void *column, size_t first, size_t count, float *memory) {
    const float *words = column;
    if (!words) return NULL;
    if (!t->layout->order) return words + first;
    for (size_t i = 0; i < mote_round_up(count, MOTE_GROUP); i++)
        memory[i] = words[slot_of(t, first + (i < count ? i : 0))];
    return memory;
}

/* Finds the lives of a block of vertices; 0 in systems without lifetimes. */
static void find_lives(const task *t, size_t first, size_t count, float *life) {
    MOTE_ALIGNED(64) float birth[MOTE_BLOCK], lifetime[MOTE_BLOCK], initial[MOTE_BLOCK];
    const mote_particles *particles = t->particles;
    const bool ages_at_all = particles->column[MOTE_COLUMN_LIFETIME];
    const size_t from = ages_at_all ? count : 0;
    memset(life + from, 0, (mote_round_up(count, MOTE_GROUP) - from) * sizeof *life);
    if (!ages_at_all) return;
    const bool blends = particles->interpolation != MOTE_INTERPOLATE_NONE;
    const mote_ages ages = {
        .birth = words_of(t, particles->column[MOTE_COLUMN_BIRTH], first, count, birth),
        .lifetime = words_of(t, particles->column[MOTE_COLUMN_LIFETIME], first, count, lifetime),
        .initial = words_of(t, particles->column[MOTE_COLUMN_INITIAL_AGE], first, count, initial),
        .now = (uint32_t)t->now->number,
        .shift = blends ? (double)t->by->alpha - 1 : 0,
        .timestep = t->now->plan->timestep};
    t->by->kernels->lives(&ages, count, life);
}

/* Writes one float to each vertex. */
static void scatter_words(const float *value, unsigned char *to, size_t stride, size_t count) {
    for (size_t i = 0; i < count; i++, to += stride) memcpy(to, &value[i], sizeof *value);
}

static void write_sizes(const task *t, const float *life, size_t first, size_t count) {
    MOTE_ALIGNED(64) float size[MOTE_BLOCK], memory[MOTE_BLOCK];
    const mote_present_layout *layout = t->layout;
    const float *factor = NULL;
    if (layout->size_column != MOTE_NO_COLUMN)
        factor =
            words_of(t, t->particles->column[MOTE_COLUMN_EXTRA + layout->size_column], first, count, memory);
    t->by->kernels->sizes(&t->sizes, life, factor, count, size);
    scatter_words(size, t->vertices + first * layout->stride + layout->size_offset, layout->stride, count);
}

static void write_over_life(const task *t, size_t first, size_t count) {
    MOTE_ALIGNED(64) float life[MOTE_BLOCK], rest[MOTE_BLOCK];
    const mote_present_layout *layout = t->layout;
    unsigned char *to = t->vertices + first * layout->stride;
    if (layout->remaining_offset == MOTE_OMIT && layout->size_offset == MOTE_OMIT &&
        layout->colour_offset == MOTE_OMIT)
        return;
    find_lives(t, first, count, life);
    if (layout->remaining_offset != MOTE_OMIT) {
        for (size_t i = 0; i < count; i++) rest[i] = 1 - life[i];
        scatter_words(rest, to + layout->remaining_offset, layout->stride, count);
    }
    if (layout->size_offset != MOTE_OMIT) write_sizes(t, life, first, count);
    if (layout->colour_offset != MOTE_OMIT)
        t->by->kernels->colours(&t->colours, life, count, layout->colour_format, to + layout->colour_offset,
                                layout->stride);
}

/* Copies the orientations of the vertices [first, first + count), and pads whole lane groups. Columns that
 * are absent are NULL. */
static void gather_orientations(const task *t, mote_column_id id, size_t first, size_t count,
                                float (*memory)[MOTE_BLOCK], float *column[4]) {
    for (int k = 0; k < 4; k++) {
        float *of = t->particles->column[(int)id + k];
        column[k] = !of ? NULL : t->layout->order ? memory[k] : of + first;
        for (size_t i = 0; of && t->layout->order && i < mote_round_up(count, MOTE_GROUP); i++)
            memory[k][i] = of[slot_of(t, first + (i < count ? i : 0))];
    }
}

static void write_orientations(const task *t, size_t first, size_t count) {
    MOTE_ALIGNED(64) float memory[3][4][MOTE_BLOCK];
    float *const out[4] = {memory[2][0], memory[2][1], memory[2][2], memory[2][3]};
    float *previous[4], *current[4];
    if (t->layout->orientation_offset == MOTE_OMIT) return;
    unsigned char *to = t->vertices + first * t->layout->stride + t->layout->orientation_offset;
    gather_orientations(t, MOTE_COLUMN_PREVIOUS_ORIENTATION, first, count, memory[0], previous);
    gather_orientations(t, MOTE_COLUMN_ORIENTATION, first, count, memory[1], current);
    t->by->kernels->turn(&t->arc, previous, current, count, out);
    for (size_t i = 0; i < count; i++, to += t->layout->stride) {
        const float q[4] = {out[0][i], out[1][i], out[2][i], out[3][i]};
        memcpy(to, q, sizeof q);
    }
}

static void write_extra(const task *t, uint32_t extra, size_t first, size_t end) {
    const size_t bytes = t->particles->element_bytes[MOTE_COLUMN_EXTRA + extra],
                 offset = t->layout->extra_offset[extra];
    const unsigned char *column = t->particles->column[MOTE_COLUMN_EXTRA + extra];
    for (size_t i = first; i < end && offset != MOTE_OMIT; i++)
        memcpy(t->vertices + i * t->layout->stride + offset, column + slot_of(t, i) * bytes, bytes);
}

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const task *t = context;
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        const size_t last = end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK;
        write_vectors(t, MOTE_COLUMN_POSITION, t->layout->position_offset, block, last);
        write_vectors(t, MOTE_COLUMN_VELOCITY, t->layout->velocity_offset, block, last);
        write_ages(t, block, last);
        write_over_life(t, block, last - block);
        write_orientations(t, block, last - block);
        for (uint32_t extra = 0; extra < MOTE_MAX_EXTRA_COLUMNS; extra++) write_extra(t, extra, block, last);
    }
}

/* --- Checks --- */

/* A quantity of a layout. column: that it reads. */
typedef struct quantity {
    const char *name;
    size_t offset, bytes;
    int column;
} quantity;

enum { QUANTITIES = 7 + MOTE_MAX_EXTRA_COLUMNS };

static void list_quantities(const mote_particles *particles, const mote_present_layout *layout,
                            quantity list[QUANTITIES]) {
    const size_t word = sizeof(float);
    list[0] = (quantity){"position_offset", layout->position_offset, 3 * word, MOTE_COLUMN_POSITION};
    list[1] = (quantity){"velocity_offset", layout->velocity_offset, 3 * word, MOTE_COLUMN_VELOCITY};
    list[2] = (quantity){"age_offset", layout->age_offset, word, MOTE_COLUMN_BIRTH};
    list[3] = (quantity){"remaining_offset", layout->remaining_offset, word, MOTE_COLUMN_LIFETIME};
    const size_t colour = layout->colour_format == MOTE_COLOUR_FLOAT ? 4 * word : 4;
    list[4] = (quantity){"size_offset", layout->size_offset, word, MOTE_COLUMN_POSITION};
    list[5] = (quantity){"colour_offset", layout->colour_offset, colour, MOTE_COLUMN_POSITION};
    list[6] = (quantity){"orientation_offset", layout->orientation_offset, 4 * word, MOTE_COLUMN_ORIENTATION};
    for (int i = 0; i < (int)MOTE_MAX_EXTRA_COLUMNS; i++) {
        const int column = MOTE_COLUMN_EXTRA + i;
        const size_t bytes = particles ? particles->element_bytes[column] : 1;
        list[7 + i] = (quantity){"extra_offset", layout->extra_offset[i], bytes, column};
    }
}

/* Checks the column that is a factor of sizes. */
static mote_result check_size_column(const mote_particles *particles, const mote_present_layout *layout) {
    if (layout->size_offset == MOTE_OMIT || layout->size_column == MOTE_NO_COLUMN) return MOTE_OK;
    if (layout->size_column >= MOTE_MAX_EXTRA_COLUMNS) return MOTE_ERROR_RANGE;
    if (!particles) return MOTE_OK;
    const uint32_t bytes = particles->element_bytes[MOTE_COLUMN_EXTRA + layout->size_column];
    if (bytes == 0) return MOTE_ERROR_ABSENT;
    return bytes == sizeof(float) ? MOTE_OK : MOTE_ERROR_RANGE;
}

static mote_result check_order(const mote_particles *particles, const mote_present_layout *layout) {
    for (uint32_t i = 0; layout->order && particles && i < layout->order_count; i++)
        if (layout->order[i] >= particles->range.slot_count) return MOTE_ERROR_RANGE;
    return MOTE_OK;
}

mote_result mote_particles_check_layout(const mote_particles *particles, const mote_present_layout *layout,
                                        const char **name) {
    quantity list[QUANTITIES];
    bool any = false;
    mote_result result = mote_present_check_layout(layout, name);
    if (result == MOTE_OK) result = mote_over_life_check(layout, name);
    if (result == MOTE_OK) result = mote_named(name, "size_column", check_size_column(particles, layout));
    if (result) return result;
    list_quantities(particles, layout, list);
    for (int i = 0; i < QUANTITIES; i++) {
        const quantity *q = &list[i];
        if (q->offset == MOTE_OMIT) continue;
        if (particles && !particles->column[q->column] && q->column >= MOTE_COLUMN_BIRTH)
            return mote_named(name, q->name, MOTE_ERROR_ABSENT);
        if (layout->stride < q->bytes || q->offset > layout->stride - q->bytes)
            return mote_named(name, q->name, MOTE_ERROR_RANGE);
        any = true;
    }
    if (!any) return mote_named(name, "position_offset", MOTE_ERROR_RANGE);
    return mote_named(name, "order", check_order(particles, layout));
}

mote_result mote_particles_write(const mote_particles *particles, const mote_step *now,
                                 const mote_presentation *by, const mote_present_layout *layout,
                                 void *vertices, size_t bytes) {
    const char *ignored;
    const size_t count = layout->order ? layout->order_count : particles->range.slot_count;
    const mote_result result = mote_particles_check_layout(particles, layout, &ignored);
    if (result || count == 0) return result;
    if (!vertices) return MOTE_ERROR_NULL;
    if (bytes / layout->stride < count) return MOTE_ERROR_BUFFER;
    task t = {.particles = particles,
              .now = now,
              .by = by,
              .layout = layout,
              .origin = mote_present_origin(layout->origin),
              .vertices = vertices,
              .hermite = hermite_of(now, by)};
    if (layout->size_offset != MOTE_OMIT) mote_curve_of_sizes(&t.sizes, layout);
    if (layout->colour_offset != MOTE_OMIT) mote_curve_of_colours(&t.colours, layout);
    if (layout->orientation_offset != MOTE_OMIT) t.arc = mote_arc_make(by->alpha);
    const double work = (double)count * (layout->order ? MOTE_WORK_GATHERED : MOTE_WORK_VERTEX);
    mote_parallel_for(mote_jobs_for(by->jobs, work), count, MOTE_BLOCK, do_blocks, &t);
    return MOTE_OK;
}
