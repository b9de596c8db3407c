/* Loose particles: layout of columns, growth, clearing, ids, moving. */
#include "particles/particles.h"

#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "particles/events.h"

/* Chooses the columns of orientation. */
static void choose_orientation(mote_particles *particles, const mote_system_def *def) {
    uint32_t *bytes = particles->element_bytes;
    const bool blends = def->interpolation != MOTE_INTERPOLATE_NONE;
    for (int i = 0; i < 4; i++) {
        bytes[MOTE_COLUMN_ORIENTATION + i] = sizeof(float);
        if (blends) bytes[MOTE_COLUMN_PREVIOUS_ORIENTATION + i] = sizeof(float);
    }
    for (int i = 0; i < 3; i++) {
        bytes[MOTE_COLUMN_ANGULAR_VELOCITY + i] = sizeof(float);
        if (def->inertia_column && (i == 0 || def->principal_moments))
            bytes[MOTE_COLUMN_INERTIA + i] = sizeof(float);
        if (def->external_torques) bytes[MOTE_COLUMN_EXTERNAL_TORQUE + i] = sizeof(float);
    }
}

static void choose_columns(mote_particles *particles, const mote_system_def *def) {
    uint32_t *bytes = particles->element_bytes;
    for (int axis = 0; axis < 3; axis++) {
        bytes[MOTE_COLUMN_POSITION + axis] = bytes[MOTE_COLUMN_VELOCITY + axis] = sizeof(float);
        if (def->interpolation != MOTE_INTERPOLATE_NONE)
            bytes[MOTE_COLUMN_PREVIOUS_POSITION + axis] = sizeof(float);
        if (def->interpolation == MOTE_INTERPOLATE_HERMITE)
            bytes[MOTE_COLUMN_PREVIOUS_VELOCITY + axis] = sizeof(float);
        if (def->anchor_column) bytes[MOTE_COLUMN_ANCHOR + axis] = sizeof(float);
        if (def->external_forces) bytes[MOTE_COLUMN_EXTERNAL_FORCE + axis] = sizeof(float);
    }
    if (def->mass_column) bytes[MOTE_COLUMN_INVERSE_MASS] = sizeof(float);
    if (def->lifetimes) bytes[MOTE_COLUMN_BIRTH] = bytes[MOTE_COLUMN_LIFETIME] = sizeof(float);
    if (def->lifetimes && def->initial_ages) bytes[MOTE_COLUMN_INITIAL_AGE] = sizeof(float);
    if (def->particle_ids) bytes[MOTE_COLUMN_ID] = sizeof(mote_particle_id);
    bytes[MOTE_COLUMN_FATE] = sizeof(uint8_t);
    for (uint32_t i = 0; i < def->extra_count; i++) bytes[MOTE_COLUMN_EXTRA + i] = def->extra_bytes[i];
    if (def->radius_column) bytes[MOTE_COLUMN_RADIUS] = sizeof(float);
    if (def->sticking) bytes[MOTE_COLUMN_STUCK] = sizeof(uint32_t);
    for (int axis = 0; axis < 3 && def->sticking; axis++)
        bytes[MOTE_COLUMN_STUCK_PLACE + axis] = sizeof(float);
    if (def->orientation) choose_orientation(particles, def);
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++)
        if (bytes[id]) particles->columns[particles->column_count++] = (uint8_t)id;
}

/* Places the columns, the id table with the stack of free ids, and the death lists in particles->memory; if
 * that is NULL, only measures. Returns the bytes. */
static uint64_t place_columns(mote_particles *particles, uint32_t capacity) {
    mote_arena a = {particles->memory, 0};
    const uint64_t slots = mote_round_up(capacity, MOTE_GROUP),
                   blocks = (slots + MOTE_BLOCK - 1) / MOTE_BLOCK;
    for (int id = 0; id < MOTE_COLUMN_COUNT; id++)
        if (particles->element_bytes[id])
            particles->column[id] = mote_arena_take(&a, slots, particles->element_bytes[id]);
    if (particles->element_bytes[MOTE_COLUMN_ID]) {
        particles->ids = mote_arena_take(&a, slots, sizeof *particles->ids);
        particles->free_id = mote_arena_take(&a, slots, sizeof *particles->free_id);
    }
    particles->death = mote_arena_take(&a, blocks * MOTE_BLOCK, sizeof *particles->death);
    particles->deaths = mote_arena_take(&a, blocks, sizeof *particles->deaths);
    /* Columns that all kinds of range have in common. */
    mote_range *range = &particles->range;
    mote_particles_vector(particles, MOTE_COLUMN_POSITION, range->x);
    mote_particles_vector(particles, MOTE_COLUMN_VELOCITY, range->v);
    mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_POSITION, range->previous_x);
    range->inverse_mass = particles->column[MOTE_COLUMN_INVERSE_MASS];
    return a.bytes;
}

mote_result mote_particles_reserve(mote_particles *particles, uint32_t capacity,
                                   const mote_allocator *allocator) {
    mote_particles grown = *particles;
    grown.memory = NULL, grown.capacity = capacity;
    const mote_result result =
        mote_arena_allocate(place_columns(&grown, capacity), allocator, &grown.memory, &grown.bytes);
    if (result) return result;
    place_columns(&grown, capacity);
    const size_t slots = mote_round_up(grown.range.slot_count, MOTE_GROUP);
    for (int id = 0; id < MOTE_COLUMN_COUNT && slots; id++)
        if (grown.element_bytes[id])
            memcpy(grown.column[id], particles->column[id], slots * grown.element_bytes[id]);
    if (grown.used_ids) memcpy(grown.ids, particles->ids, grown.used_ids * sizeof *grown.ids);
    if (grown.free_ids) memcpy(grown.free_id, particles->free_id, grown.free_ids * sizeof *grown.free_id);
    mote_release(allocator, particles->memory, particles->bytes);
    *particles = grown;
    return MOTE_OK;
}

mote_result mote_particles_create(mote_particles *particles, const mote_system_def *def,
                                  const mote_allocator *allocator) {
    *particles = (mote_particles){.range = {.kind = &mote_particles_kind},
                                  .kernels = mote_particle_kernels_for(def->isa),
                                  .interpolation = def->interpolation,
                                  .mass = (double)def->mass,
                                  .new_inverse_mass = (float)(1.0 / (double)def->mass),
                                  .radius = def->collision_radius,
                                  .friction = def->friction,
                                  .inertia = {def->inertia[0], def->inertia[1], def->inertia[2]},
                                  .spin_drag = def->spin_drag,
                                  .principal_moments = def->principal_moments,
                                  .collides = def->collisions};
    choose_columns(particles, def);
    const mote_result result = mote_events_create(def, allocator, &particles->events);
    return result ? result : mote_particles_reserve(particles, def->capacity, allocator);
}

/* Sets bytes to 0: up to a lane group of floats by two stores that overlap, which is shorter than a call. */
static void clear_bytes(unsigned char *at, size_t bytes) {
    if (bytes > MOTE_GROUP * sizeof(float)) {
        memset(at, 0, bytes);
    } else if (bytes >= 32) {
        memset(at, 0, 32);
        memset(at + bytes - 32, 0, 32);
    } else if (bytes >= 8) {
        for (size_t i = 0; i + 8 < bytes; i += 8) memset(at + i, 0, 8);
        memset(at + bytes - 8, 0, 8);
    } else {
        for (size_t i = 0; i < bytes; i++) at[i] = 0;
    }
}

static void fill_float(void *column, size_t first, size_t end, float value) {
    if (column)
        for (size_t i = first; i < end; i++) ((float *)column)[i] = value;
}

/* Sets slots [first, end), which are cleared, to the identity and the inertia of new particles. */
static void clear_orientation(mote_particles *particles, size_t first, size_t end) {
    float *real = particles->column[MOTE_COLUMN_ORIENTATION + 3];
    for (size_t slot = first; slot < end; slot++) real[slot] = 1;
    for (int i = 0; i < 3; i++) {
        float *inertia = particles->column[MOTE_COLUMN_INERTIA + i];
        for (size_t slot = first; inertia && slot < end; slot++) inertia[slot] = particles->inertia[i];
    }
}

/* Clears slots [first, first + count) and the rest of the last lane group: at rest at the origin, alive, no
 * previous state. */
static void clear_slots(mote_particles *particles, uint32_t first, uint32_t count) {
    size_t end = mote_round_up((size_t)first + count, MOTE_GROUP);
    for (uint32_t i = 0; i < particles->column_count; i++) {
        const uint32_t id = particles->columns[i];
        const size_t element = particles->element_bytes[id];
        clear_bytes((unsigned char *)particles->column[id] + first * element, (end - first) * element);
    }
    fill_float(particles->column[MOTE_COLUMN_INVERSE_MASS], first, end, particles->new_inverse_mass);
    fill_float(particles->column[MOTE_COLUMN_LIFETIME], first, end, INFINITY);
    fill_float(particles->column[MOTE_COLUMN_RADIUS], first, end, particles->radius);
    if (particles->column[MOTE_COLUMN_ORIENTATION]) clear_orientation(particles, first, end);
    mote_particles_forget_previous(particles, first, end - first);
}

void mote_particles_forget_previous(mote_particles *particles, size_t first, size_t count) {
    fill_float(particles->column[MOTE_COLUMN_PREVIOUS_POSITION], first, first + count, mote_marker());
    fill_float(particles->column[MOTE_COLUMN_PREVIOUS_ORIENTATION], first, first + count, mote_marker());
}

void mote_particles_seal(mote_particles *particles) {
    if (particles->range.slot_count % MOTE_GROUP) clear_slots(particles, particles->range.slot_count, 0);
}

uint32_t mote_particles_available(const mote_particles *particles) {
    int64_t slots = (int64_t)particles->capacity - particles->range.slot_count;
    /* An id that is retired by a kill is counted before compaction puts it on the stack. */
    int64_t ids =
        (int64_t)particles->free_ids - particles->retired + particles->capacity - particles->used_ids;
    int64_t available = particles->ids && ids < slots ? ids : slots;
    return available > 0 ? (uint32_t)available : 0;
}

/* The generation of a retired index, which would wrap next: take_index drops it from the stack. */
#define RETIRED UINT32_MAX

/* Prefetch distance on the stack of free ids: covers the latency of memory. */
#define PREFETCH_DISTANCE 16u

static uint32_t take_index(mote_particles *particles) {
    while (particles->free_ids) {
        uint32_t index = particles->free_id[--particles->free_ids];
        if (particles->free_ids >= PREFETCH_DISTANCE)
            __builtin_prefetch(&particles->ids[particles->free_id[particles->free_ids - PREFETCH_DISTANCE]],
                               1);
        if (particles->ids[index].generation != RETIRED) return index;
        particles->retired--;
    }
    particles->ids[particles->used_ids].generation = 1;
    return particles->used_ids++;
}

/* Assigns ids to the new particles in slots first .. first + count - 1, within mote_particles_available. */
static void assign_ids(mote_particles *particles, uint32_t first, uint32_t count) {
    mote_particle_id *particle = particles->column[MOTE_COLUMN_ID];
    for (uint32_t slot = first; particles->ids && slot < first + count; slot++) {
        uint32_t index = take_index(particles);
        mote_id_entry *entry = &particles->ids[index];
        entry->slot = slot;
        particle[slot] = (mote_particle_id){index, entry->generation};
    }
}

void mote_particles_add(mote_particles *particles, uint32_t count, uint32_t birth_step) {
    const uint32_t first = particles->range.slot_count;
    uint32_t *birth = particles->column[MOTE_COLUMN_BIRTH];
    clear_slots(particles, first, count);
    for (uint32_t slot = first; birth && slot < first + count; slot++) birth[slot] = birth_step;
    assign_ids(particles, first, count);
    particles->range.slot_count += count;
}

static void invalidate_index(mote_particles *particles, uint32_t index) {
    if (++particles->ids[index].generation == RETIRED)
        __atomic_fetch_add(&particles->retired, 1, __ATOMIC_RELAXED);
}

void mote_particles_retire_id(mote_particles *particles, uint32_t slot) {
    const mote_particle_id *particle = particles->column[MOTE_COLUMN_ID];
    if (particles->ids) invalidate_index(particles, particle[slot].index);
}

void mote_particles_retire_ids(mote_particles *particles, const uint32_t *slot, uint32_t count,
                               uint32_t rank) {
    if (!particles->ids) return;
    const mote_particle_id *particle = particles->column[MOTE_COLUMN_ID];
    uint32_t *stack = particles->free_id + particles->free_ids + rank;
    for (uint32_t i = 0; i < count; i++) {
        stack[i] = particle[slot[i]].index;
        __builtin_prefetch(&particles->ids[stack[i]], 1);
    }
}

void mote_particles_clear_ids(mote_particles *particles, uint32_t count, uint32_t rank, uint8_t fate) {
    if (!particles->ids) return;
    const uint32_t *stack = particles->free_id + particles->free_ids + rank;
    for (uint32_t i = 0; i < count; i++) {
        particles->ids[stack[i]].slot = 0;
        if (fate != MOTE_FATE_KILLED) invalidate_index(particles, stack[i]); /* else by mote_system_kill */
    }
}

/* Moves one column at a time: the pairs are independent, so their cache misses overlap. */
#define MOVE_COLUMN(type)                                                                                    \
    do {                                                                                                     \
        type *column = particles->column[id];                                                                \
        for (uint32_t i = 0; i < pairs; i++) column[to[i]] = column[from[i]];                                \
    } while (0)

static void move_columns(mote_particles *particles, const uint8_t *columns, uint32_t count,
                         const uint32_t *from, const uint32_t *to, uint32_t pairs) {
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t id = columns[k];
        const size_t element = particles->element_bytes[id];
        switch (element) {
        case 1:
            MOVE_COLUMN(uint8_t);
            break;
        case 4:
            MOVE_COLUMN(uint32_t);
            break;
        case 8:
            MOVE_COLUMN(uint64_t);
            break;
        default:
            for (uint32_t i = 0; i < pairs; i++)
                memcpy((unsigned char *)particles->column[id] + to[i] * element,
                       (const unsigned char *)particles->column[id] + from[i] * element, element);
        }
    }
}

/* Moves what only the owner of a slot has, to the slots that this rank owns, and what every rank has. */
static void move_shared(mote_particles *particles, const uint32_t *from, const uint32_t *to, uint32_t pairs) {
    enum { RUN = 256 };
    const mote_peers *peers = particles->range.peers;
    uint32_t own[2][RUN], count = 0;
    uint8_t columns[2][MOTE_COLUMN_COUNT];
    uint32_t counts[2] = {0, 0};
    for (uint32_t k = 0; k < particles->column_count; k++) {
        const bool everywhere = mote_particles_is_everywhere(particles->columns[k]);
        columns[everywhere][counts[everywhere]++] = particles->columns[k];
    }
    for (uint32_t i = 0; i < pairs; i++) {
        if (mote_deal_owner(&peers->slots, to[i]) == peers->transport.rank)
            own[0][count] = from[i], own[1][count++] = to[i];
        if (count < RUN && i + 1 < pairs) continue;
        move_columns(particles, columns[0], counts[0], own[0], own[1], count);
        count = 0;
    }
    move_columns(particles, columns[1], counts[1], from, to, pairs);
}

void mote_particles_move(mote_particles *particles, const uint32_t *from, const uint32_t *to,
                         uint32_t pairs) {
    const mote_particle_id *particle = particles->column[MOTE_COLUMN_ID];
    for (uint32_t i = 0; particles->ids && i < pairs; i++)
        __builtin_prefetch(&particles->ids[particle[from[i]].index], 1);
    if (particles->range.peers)
        move_shared(particles, from, to, pairs);
    else
        move_columns(particles, particles->columns, particles->column_count, from, to, pairs);
    for (uint32_t i = 0; particles->ids && i < pairs; i++) particles->ids[particle[to[i]].index].slot = to[i];
}
