/* Loose particles: they come and go, as columns of one allocation. */
#ifndef MOTE_PARTICLES_PARTICLES_H
#define MOTE_PARTICLES_PARTICLES_H

#include <mote/system.h>

#include "particles/kernels.h"
#include "stage/present.h"
#include "stage/range.h"

/* Columns in the order in which they lie in memory. Every one is moved by compaction, cleared by spawning and
 * counted in the hash, unless its row in particles.c says otherwise. Three that follow each other are a
 * vector. */
typedef enum mote_column_id {
    MOTE_COLUMN_POSITION,
    MOTE_COLUMN_VELOCITY = MOTE_COLUMN_POSITION + 3,
    MOTE_COLUMN_INVERSE_MASS = MOTE_COLUMN_VELOCITY + 3,
    MOTE_COLUMN_PREVIOUS_POSITION,
    MOTE_COLUMN_PREVIOUS_VELOCITY = MOTE_COLUMN_PREVIOUS_POSITION + 3,
    MOTE_COLUMN_EXTERNAL_FORCE = MOTE_COLUMN_PREVIOUS_VELOCITY + 3,
    MOTE_COLUMN_ANCHOR = MOTE_COLUMN_EXTERNAL_FORCE + 3,
    MOTE_COLUMN_BIRTH = MOTE_COLUMN_ANCHOR + 3,
    MOTE_COLUMN_LIFETIME,
    MOTE_COLUMN_ID,
    MOTE_COLUMN_FATE,
    MOTE_COLUMN_EXTRA,
    MOTE_COLUMN_COUNT = MOTE_COLUMN_EXTRA + MOTE_MAX_EXTRA_COLUMNS
} mote_column_id;

/* The fate of a slot, one byte: alive; turned non-finite in the k-th step of the batch being run; its
 * lifetime ends with the step being run; killed by the host, leaves at the next boundary. */
enum { MOTE_FATE_ALIVE = 0, MOTE_FATE_MAX_STEP = 250, MOTE_FATE_EXPIRED = 254, MOTE_FATE_KILLED = 255 };

/* Particles in a block: 25 columns of it fit the first-level cache. A multiple of the lane group; an offset
 * in it fits a byte. */
#define MOTE_BLOCK 256u

/* What a handle's index stands for while its particle lives. */
typedef struct mote_id_entry {
    uint32_t slot, generation;
} mote_id_entry;

typedef struct mote_particles {
    mote_range range; /* slot_count: slots in use; its columns are those below, under the names that all
                         ranges have */
    const mote_particle_kernels *kernels;
    mote_interpolation interpolation;
    double uniform_mass; /* kg, where there is no column */
    bool plan_is_stale;  /* forces, or whether the host's act, have changed since range.plan was made */
    bool external_forces_marked; /* the host asked for them since the last step */
    bool reached;      /* a callback has reached the range: scratch is kept for the stage-outer order */
    uint32_t capacity; /* slots reserved; the columns are padded to whole lane groups beyond it */
    uint32_t pending_kills;
    uint32_t
        started; /* slots below have taken a step: position Verlet has given them their half-step velocity */
    uint32_t used_ids;                         /* indices that ever named a particle: 0 .. used_ids - 1 */
    uint32_t free_ids;                         /* how many of them are on the stack of free ones ... */
    uint32_t retired;                          /* ... and how many of those will never be used again */
    uint32_t element_bytes[MOTE_COLUMN_COUNT]; /* 0: no such column */
    void *column[MOTE_COLUMN_COUNT];
    mote_id_entry *ids; /* capacity of them, or NULL */
    uint32_t *free_id;  /* a stack: no pointer is chased, so its cache misses overlap */
    uint8_t *death;     /* by block, the offsets of the slots that die, ascending: MOTE_BLOCK each */
    uint16_t *deaths;   /* by block, how many there are */
    void *memory;
    size_t bytes;
    float new_inverse_mass; /* of new particles, 1/kg */
} mote_particles;

/* Chooses the columns that `def` asks for and allocates them. MOTE_OK, MOTE_ERROR_OVERFLOW or
 * MOTE_ERROR_MEMORY. */
mote_result mote_particles_create(mote_particles *particles, const mote_system_def *def,
                                  const mote_allocator *allocator);
mote_result mote_particles_reserve(mote_particles *particles, uint32_t capacity,
                                   const mote_allocator *allocator);

/* Clears slots [first, first + count) and the rest of the last lane group: at rest at the origin, no fate, no
 * previous state. */
void mote_particles_clear(mote_particles *particles, uint32_t first, uint32_t count);

/* Slots [first, first + count) have no previous state: their previous x is NaN, and they are presented as
 * they are. */
void mote_particles_forget_previous(mote_particles *particles, size_t first, size_t count);

/* Makes the masked lanes of the last group canonical (finite, zero velocity). */
void mote_particles_seal(mote_particles *particles);

/* How many particles can be added: bounded by the slots, and by the handles where some have retired. */
uint32_t mote_particles_available(const mote_particles *particles);

/* Gives the new particles in slots first .. first + count - 1 handles; there must be room. */
void mote_particles_assign_ids(mote_particles *particles, uint32_t first, uint32_t count);

/* The handle of `slot` is dead from now on. */
void mote_particles_retire_id(mote_particles *particles, uint32_t slot);

/* The handles of slot[0 .. count - 1] end (unless they have ended before) and go to the stack of free ones,
 * from entry free_ids + rank on; whoever calls adds to free_ids when all are there. */
void mote_particles_retire_ids(mote_particles *particles, const uint32_t *slot, uint32_t count, uint32_t rank,
                               bool alive);

/* Copies all columns of slots from[i] to slots to[i], i < pairs, and lets the handles follow. */
void mote_particles_move(mote_particles *particles, const uint32_t *from, const uint32_t *to, uint32_t pairs);

/* Three columns as a vector; NULLs where absent. */
MOTE_INLINE void mote_particles_vector(const mote_particles *particles, mote_column_id id, float *vector[3]) {
    for (int axis = 0; axis < 3; axis++) vector[axis] = particles->column[id + axis];
}

MOTE_INLINE uint8_t *mote_particles_fate(const mote_particles *particles) {
    return particles->column[MOTE_COLUMN_FATE];
}

MOTE_INLINE mote_particles *mote_particles_of(mote_range *range) { return (mote_particles *)(void *)range; }
MOTE_INLINE const mote_particles *mote_const_particles_of(const mote_range *range) {
    return (const mote_particles *)(const void *)range;
}

extern const mote_range_kind mote_particles_kind;

/* Whether handles, slots and masked lanes agree: validate.c. */
bool mote_particles_validate(const mote_range *range);

/* --- step.c --- */

/* How many of `steps` steps the next batch holds: those between which nothing else acts. */
uint32_t mote_particles_batch(const mote_particles *particles, uint32_t steps);

/* Makes the plan of the steps to come where it is stale. */
void mote_particles_refresh_plan(mote_particles *particles, const mote_plan_def *def);

/* Before the steps of an advance: half-step velocities for the new, and killed particles leave. Returns how
 * many. */
uint32_t mote_particles_begin(mote_particles *particles, const mote_step *step);

/* Steps all particles through one batch of `steps` steps from step->number on; then those leave whose
 * lifetime ended, and those that turned non-finite in (step, slot) order. step->last: of the batch. Adds to
 * the report. */
void mote_particles_run(mote_particles *particles, const mote_step *step, uint32_t steps,
                        mote_advance *report);

/* A jump by plan to step `number`: those whose lifetime ends on the way leave, and those that turn
 * non-finite. */
void mote_particles_jump(mote_particles *particles, const mote_step *step, const mote_plan *plan,
                         uint64_t number);

/* --- kick.c --- */

/* For position Verlet: v += fraction h a for slots [first, end), at the boundary before step->number. Does
 * nothing for other integrators. */
void mote_particles_kick(const mote_particles *particles, const mote_step *step, double fraction,
                         uint32_t first, uint32_t end);

/* Out of place: the true velocity of slots [first, first + count), count <= MOTE_BLOCK, first a multiple of
 * MOTE_GROUP; at the boundary before now->number, or one step earlier where `previous`. */
void mote_particles_true_velocity(const mote_particles *particles, const mote_step *now, bool previous,
                                  size_t first, size_t count, float *const out[3]);

/* --- present.c --- */

/* RANGE, NULL, BUFFER: as mote_system_present says. */
mote_result mote_particles_write(const mote_particles *particles, const mote_step *now,
                                 const mote_presentation *by, const mote_present_layout *layout,
                                 void *vertices, size_t bytes);

#endif
