/* Loose particles as a kind of range: scratch, hash, sums. */
#include <string.h>

#include "base/allocator.h"
#include "base/hash.h"
#include "particles/events.h"
#include "particles/run.h"

static void destroy(mote_range *range, const mote_allocator *allocator) {
    mote_particles *particles = mote_particles_of(range);
    mote_release(allocator, particles->memory, particles->bytes);
    mote_events_destroy(particles->events, allocator);
}

/* Returns the bytes of the workspace for the stage-outer order. In the block-outer order the state is in
 * registers or on the stack. */
static uint64_t scratch_bytes(const mote_range *range, uint32_t workers, bool stage_outer) {
    (void)workers;
    const mote_particles *particles = mote_const_particles_of(range);
    if (!stage_outer && !particles->reached) return 0;
    return mote_round_up(particles->capacity, MOTE_GROUP) * MOTE_WORKSPACE_COLUMNS * sizeof(float);
}

/* --- Hash --- */

static uint64_t hash(const mote_range *range, uint64_t hash) {
    const mote_particles *particles = mote_const_particles_of(range);
    hash = mote_hash_number(mote_hash_number(hash, range->slot_count), particles->started);
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++)
        if (mote_particles_is_state(particles, id))
            hash = mote_hash_array(mote_hash_number(hash, (uint64_t)id), particles->column[id],
                                   (size_t)range->slot_count * particles->element_bytes[id],
                                   mote_particles_word(particles, id));
    hash = mote_hash_words(hash, particles->free_id, particles->free_ids * sizeof(uint32_t));
    return mote_hash_words(hash, particles->ids, particles->used_ids * sizeof(mote_id_entry));
}

/* --- Sums --- */

typedef struct sum_context {
    const mote_particles *particles;
    const mote_step *now;
} sum_context;

static void add_particle(const sum_context *s, size_t slot, const double v[3], mote_sums *to) {
    const mote_particles *particles = s->particles;
    const mote_range *range = &particles->range;
    const float *const *anchors = (const float *const *)&particles->column[MOTE_COLUMN_ANCHOR];
    double x[3], anchor[3];
    if (range->inverse_mass && !(range->inverse_mass[slot] > 0)) return;
    for (int axis = 0; axis < 3; axis++) x[axis] = (double)range->x[axis][slot];
    for (int axis = 0; axis < 3 && anchors[0]; axis++) anchor[axis] = (double)anchors[axis][slot];
    const double mass = range->inverse_mass ? 1.0 / (double)range->inverse_mass[slot] : particles->mass;
    mote_sums_add_point(to, s->now->plan, x, v, anchors[0] ? anchor : NULL, mass);
}

static mote_sums sum_chunk(const void *context, size_t first, size_t end) {
    const sum_context *s = context;
    MOTE_ALIGNED(64) float memory[3][MOTE_BLOCK];
    float *const velocity[3] = {memory[0], memory[1], memory[2]};
    mote_sums lane[MOTE_GROUP];
    memset(lane, 0, sizeof lane);
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        const size_t last = end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK;
        mote_particles_true_velocity(s->particles, s->now, false, block, last - block, velocity);
        for (size_t slot = block; slot < last; slot++) {
            const size_t at = slot - block;
            const double v[3] = {(double)memory[0][at], (double)memory[1][at], (double)memory[2][at]};
            add_particle(s, slot, v, &lane[slot % MOTE_GROUP]);
        }
    }
    return mote_sums_of_lanes(lane);
}

static mote_sums sum(const mote_range *range, const mote_step *now) {
    const sum_context context = {mote_const_particles_of(range), now};
    return mote_sum_range(now->jobs, range->slot_count, sum_chunk, &context);
}

const mote_range_kind mote_particles_kind = {.destroy = destroy,
                                             .scratch_bytes = scratch_bytes,
                                             .hash = hash,
                                             .archive = mote_particles_archive,
                                             .count_items = mote_particles_count_items,
                                             .hash_items = mote_particles_hash_items,
                                             .hash_settings = mote_particles_hash_counts,
                                             .sum = sum,
                                             .validate = mote_particles_validate};
