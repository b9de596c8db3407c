/* Loose particles: columns of one allocation in which particles are spawned and removed. */
#ifndef MOTE_PARTICLES_PARTICLES_H
#define MOTE_PARTICLES_PARTICLES_H

#include <mote/system.h>

#include "particles/kernels.h"
#include "stage/present.h"
#include "stage/range.h"

/* Columns in the order of memory. Compaction moves every column, spawning clears it, and the hash reads it
 * (external forces and torques only while they are marked). A vector is three consecutive columns. */
typedef enum mote_column_id {
    MOTE_COLUMN_POSITION,
    MOTE_COLUMN_VELOCITY = MOTE_COLUMN_POSITION + 3,
    MOTE_COLUMN_INVERSE_MASS = MOTE_COLUMN_VELOCITY + 3,
    MOTE_COLUMN_PREVIOUS_POSITION,
    MOTE_COLUMN_PREVIOUS_VELOCITY = MOTE_COLUMN_PREVIOUS_POSITION + 3, /* NaN in x: mark_straight */
    MOTE_COLUMN_EXTERNAL_FORCE = MOTE_COLUMN_PREVIOUS_VELOCITY + 3,
    MOTE_COLUMN_ANCHOR = MOTE_COLUMN_EXTERNAL_FORCE + 3,
    MOTE_COLUMN_BIRTH = MOTE_COLUMN_ANCHOR + 3,
    MOTE_COLUMN_LIFETIME,
    MOTE_COLUMN_ID,
    MOTE_COLUMN_FATE,
    MOTE_COLUMN_EXTRA,
    MOTE_COLUMN_RADIUS = MOTE_COLUMN_EXTRA + MOTE_MAX_EXTRA_COLUMNS,
    MOTE_COLUMN_STUCK,       /* serial number of the collider to which the particle sticks; 0: none */
    MOTE_COLUMN_STUCK_PLACE, /* its place in the axes of that collider */
    MOTE_COLUMN_ORIENTATION = MOTE_COLUMN_STUCK_PLACE + 3,              /* unit quaternion x, y, z, w */
    MOTE_COLUMN_ANGULAR_VELOCITY = MOTE_COLUMN_ORIENTATION + 4,         /* in the axes of the particle */
    MOTE_COLUMN_INERTIA = MOTE_COLUMN_ANGULAR_VELOCITY + 3,             /* one, or three principal moments */
    MOTE_COLUMN_PREVIOUS_ORIENTATION = MOTE_COLUMN_INERTIA + 3,         /* NaN in x: there is none */
    MOTE_COLUMN_EXTERNAL_TORQUE = MOTE_COLUMN_PREVIOUS_ORIENTATION + 4, /* in the axes of the world */
    MOTE_COLUMN_INITIAL_AGE = MOTE_COLUMN_EXTERNAL_TORQUE + 3,
    MOTE_COLUMN_COUNT
} mote_column_id;

/* The fate of a slot, one byte. 1 .. MOTE_FATE_MAX_STEP: turned non-finite in that step of the batch being
 * run. ORIENTATION: its orientation turned non-finite in the step being run. COLLIDED: killed by a collider
 * in the step being run. EXPIRED: its lifetime ends with the step being run. KILLED: by the host; removed at
 * the next boundary. */
enum {
    MOTE_FATE_ALIVE = 0,
    MOTE_FATE_MAX_STEP = 250,
    MOTE_FATE_ORIENTATION = 252,
    MOTE_FATE_COLLIDED = 253,
    MOTE_FATE_EXPIRED = 254,
    MOTE_FATE_KILLED = 255
};

/* Particles in a block: 25 columns of it fit the first-level cache. A multiple of the lane group; offsets in
 * it fit a byte. */
#define MOTE_BLOCK 256u

/* Entry of the id table: the slot of the index's particle (0 where it has none: states that differ in the
 * past of free indices alone are equal), and its present generation. */
typedef struct mote_id_entry {
    uint32_t slot, generation;
} mote_id_entry;

typedef struct mote_events mote_events; /* events.h */

typedef struct mote_particles {
    mote_range range; /* slot_count: slots in use; its column pointers point into `column` */
    const mote_particle_kernels *kernels;
    mote_interpolation interpolation;
    double mass;                  /* kg, where there is no mass column */
    bool plan_is_current;         /* false: the forces have changed since range.plan was made */
    mote_collision collision;     /* of the last step that was run; its forces are those of the plan */
    bool external_forces_marked;  /* the host requested the external forces since the last step */
    bool external_torques_marked; /* likewise the external torques */
    bool reached;      /* a callback reaches the range: scratch for the stage-outer order is reserved */
    uint32_t capacity; /* slots reserved; columns are padded to whole lane groups */
    uint32_t pending_kills;
    uint32_t
        started; /* slots below have taken a step: under position Verlet they have half-step velocities */
    uint32_t used_ids;                         /* indices that ever named a particle: 0 .. used_ids - 1 */
    uint32_t free_ids;                         /* entries of the stack of free indices */
    uint32_t retired;                          /* free indices whose generations are used up */
    uint32_t element_bytes[MOTE_COLUMN_COUNT]; /* 0: no such column */
    uint8_t columns[MOTE_COLUMN_COUNT];        /* the ids of those that it has, ascending */
    uint32_t column_count;
    void *column[MOTE_COLUMN_COUNT];
    mote_id_entry *ids;  /* by index, `capacity` entries; NULL without ids */
    uint32_t *free_id;   /* a stack, not a linked list: its cache misses overlap */
    uint8_t *death;      /* by block: offsets of slots that die, ascending; MOTE_BLOCK each */
    uint16_t *deaths;    /* by block: length of that list */
    mote_events *events; /* NULL: none are kept */
    void *memory;
    size_t bytes;
    float new_inverse_mass; /* of new particles, 1/kg */
    float radius;           /* m, for collisions: of all particles, or of new ones */
    float friction;         /* against colliders */
    float inertia[3];       /* kg m^2: of all particles, or of new ones */
    float spin_drag;        /* N m s */
    bool collides;
    bool principal_moments; /* the inertia is three numbers */
} mote_particles;

/* Chooses the columns by the def and allocates them. OVERFLOW, MEMORY. */
mote_result mote_particles_create(mote_particles *particles, const mote_system_def *def,
                                  const mote_allocator *allocator);
/* Grows the columns to `capacity`. OVERFLOW, MEMORY: nothing has changed. */
mote_result mote_particles_reserve(mote_particles *particles, uint32_t capacity,
                                   const mote_allocator *allocator);

/* Clears the previous state of slots [first, first + count) (previous x = NaN): they are presented without
 * interpolation. */
void mote_particles_forget_previous(mote_particles *particles, size_t first, size_t count);

/* Marks a particle whose velocity is changed between steps (previous velocity x = NaN): Hermite interpolation
 * presents it on the straight line of the last step, which the new velocity would bend, until the next one.
 */
MOTE_INLINE void mote_particles_mark_straight(const mote_particles *particles, uint32_t slot) {
    float *velocity = particles->column[MOTE_COLUMN_PREVIOUS_VELOCITY];
    if (velocity) velocity[slot] = mote_marker();
}

MOTE_INLINE bool mote_particles_is_straight(const mote_particles *particles, size_t slot) {
    const float *velocity = particles->column[MOTE_COLUMN_PREVIOUS_VELOCITY];
    return velocity && velocity[slot] != velocity[slot];
}

/* Clears the masked lanes of the last group: finite positions, zero velocities. */
void mote_particles_seal(mote_particles *particles);

/* Returns the number of particles that can be added: limited by free slots, and by ids where some have
 * retired. */
uint32_t mote_particles_available(const mote_particles *particles);

/* Adds `count` cleared particles, within mote_particles_available, after the last slot. */
void mote_particles_add(mote_particles *particles, uint32_t count, uint32_t birth_step);

/* Invalidates the id of the particle in a slot. */
void mote_particles_retire_id(mote_particles *particles, uint32_t slot);

/* Pushes the ids of slot[0 .. count - 1] onto the stack of free ids, from entry free_ids + rank on. The
 * caller increases free_ids after all calls. */
void mote_particles_retire_ids(mote_particles *particles, const uint32_t *slot, uint32_t count,
                               uint32_t rank);

/* Ends the entries of the ids that a call with the same count and rank has pushed, which has prefetched them.
 * fate: of their particles. */
void mote_particles_clear_ids(mote_particles *particles, uint32_t count, uint32_t rank, uint8_t fate);

/* Whether a column holds births, lifetimes or initial ages. */
MOTE_INLINE bool mote_particles_is_life(int id) {
    return id == MOTE_COLUMN_BIRTH || id == MOTE_COLUMN_LIFETIME || id == MOTE_COLUMN_INITIAL_AGE;
}

/* Whether every rank of a cluster has a column, and not only the owner of a slot. */
MOTE_INLINE bool mote_particles_is_everywhere(int id) {
    return id == MOTE_COLUMN_ID || id == MOTE_COLUMN_FATE || mote_particles_is_life(id);
}

/* Returns the hash of the columns that a host writes, chained after `seed`: births, lifetimes and initial
 * ages, and with `all` all others; external forces and torques with `forces` too, while they are marked. */
uint64_t mote_particles_hash_columns(const mote_particles *particles, bool all, bool forces, uint64_t seed);

/* Copies all columns of slots from[i] to slots to[i], i < pairs, and updates the id table. */
void mote_particles_move(mote_particles *particles, const uint32_t *from, const uint32_t *to, uint32_t pairs);

/* Reads three columns as a vector; NULLs where absent. */
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

/* Returns whether ids, slots and masked lanes agree: validate.c. */
bool mote_particles_validate(const mote_range *range);

/* --- state.c --- */

/* Visits all state. Errors of CHECK: CAPACITY, FILE. After READ the caller seals the masked lanes. */
void mote_particles_archive(mote_range *range, mote_archive *a);

/* Returns the hash of slots first .. first + count - 1; of the counts and ids, chained after `hash`. */
uint32_t mote_particles_count_items(const mote_range *range, bool springs);
uint64_t mote_particles_hash_items(const mote_range *range, bool springs, uint32_t first, uint32_t count);
uint64_t mote_particles_hash_counts(const mote_range *range, uint64_t hash);

/* Returns the hash of the counts and of who is to be killed, chained after `hash`. */
uint64_t mote_particles_hash_calls(const mote_particles *particles, uint64_t hash);

/* Returns whether a column is state; external forces and torques are only while they are marked. */
MOTE_INLINE bool mote_particles_is_state(const mote_particles *particles, int id) {
    if (id >= MOTE_COLUMN_EXTERNAL_FORCE && id < MOTE_COLUMN_EXTERNAL_FORCE + 3)
        return particles->external_forces_marked;
    if (id >= MOTE_COLUMN_EXTERNAL_TORQUE && id < MOTE_COLUMN_EXTERNAL_TORQUE + 3)
        return particles->external_torques_marked;
    return particles->element_bytes[id];
}

/* --- orientation.c --- */

/* Fills in the columns that friction changes; does nothing without orientations. */
void mote_orientation_collide(const mote_particles *particles, mote_collision *collision);

/* Turns all particles by one step, after their motion; removes those that turn non-finite. */
void mote_particles_turn(mote_particles *particles, const mote_step *step, mote_advance *report);

/* --- step.c --- */

/* Returns the number of steps of the next batch, at most `steps`: between them nothing else acts on the
 * particles. collides: colliders act on them. */
uint32_t mote_particles_batch(const mote_particles *particles, uint32_t steps, bool collides);

/* Marks the plan as stale: the forces have changed. */
MOTE_INLINE void mote_particles_forces_changed(mote_particles *particles) {
    particles->plan_is_current = false;
}

/* Makes the plan of the next steps if it is stale, or if external forces begin or cease to act. */
void mote_particles_refresh_plan(mote_particles *particles, const mote_plan_def *def);

/* Begins the steps of an advance: gives new particles half-step velocities (position Verlet) and removes
 * killed ones. Returns the number removed. */
uint32_t mote_particles_begin(mote_particles *particles, const mote_step *step);

/* Fills the input of collisions on the ways of particles that are born in a step, which has just been run.
 * Returns false if no collider acts on particles. */
bool mote_particles_births_collide(const mote_particles *particles, const mote_step *step,
                                   struct mote_collision *collision);

/* Runs one batch of `steps` steps from step->number on. Then removes particles whose lifetime ended, and
 * those that turned non-finite, in (step, slot) order. step->last: the end of the batch is presented. Adds to
 * the report. */
void mote_particles_run(mote_particles *particles, const mote_step *step, uint32_t steps,
                        mote_advance *report);

/* Jumps to step `number` by the flow in `plan`. Removes particles whose lifetime ends on the way, and those
 * that turn non-finite. */
void mote_particles_jump(mote_particles *particles, const mote_step *step, const mote_plan *plan,
                         uint64_t number);

/* --- kick.c --- */

/* Kicks slots [first, end) under position Verlet: v += fraction h a at the boundary before step->number. Does
 * nothing for other integrators. */
void mote_particles_kick(const mote_particles *particles, const mote_step *step, double fraction,
                         uint32_t first, uint32_t end);

/* Computes the true velocities of slots [first, first + count), count <= MOTE_BLOCK, first a multiple of
 * MOTE_GROUP, into `out`: at the boundary before now->number, or one step earlier if `previous` (those of
 * marked particles stay marked). */
void mote_particles_true_velocity(const mote_particles *particles, const mote_step *now, bool previous,
                                  size_t first, size_t count, float *const out[3]);

/* Computes the true velocities of particles that are being removed at the boundary before now->number. */
void mote_particles_last_velocity(const mote_particles *particles, const mote_step *now, const uint32_t *slot,
                                  uint32_t count, float (*out)[3]);

/* Returns the bytes of the numbers in a column, for hashes and snapshots, which are little-endian. The host's
 * own columns hold 32-bit numbers where their elements are whole multiples of these, and bytes elsewhere. */
MOTE_INLINE uint32_t mote_particles_word(const mote_particles *particles, int id) {
    return particles->element_bytes[id] % 4 == 0 ? 4 : 1;
}

/* --- order.c --- */

#define MOTE_MAX_PACKED (1u << 24) /* particles whose slots leave 8 bits of 32 free */

/* Sorts the slots back to front, as mote_system_order; `order` has the bytes that it asks for. packed: keeps
 * half of a key beside its slot, for at most MOTE_MAX_PACKED particles: 1.7 times as fast. */
void mote_particles_order(const mote_particles *particles, const mote_presentation *by,
                          const float direction[3], bool packed, uint32_t *order);

/* --- present.c --- */

/* Checks a layout, as mote_present_layout_check; *name receives the field. particles: NULL for all columns.
 */
mote_result mote_particles_check_layout(const mote_particles *particles, const mote_present_layout *layout,
                                        const char **name);

/* Writes the particles as mote_system_present. DEF, NOT_FINITE, RANGE, ABSENT, NULL, BUFFER. */
mote_result mote_particles_write(const mote_particles *particles, const mote_step *now,
                                 const mote_presentation *by, const mote_present_layout *layout,
                                 void *vertices, size_t bytes);

#endif
