/** @file
 * The system: particles, forces, one integrator and one clock; a particle system in the sense of games. */
#ifndef MOTE_SYSTEM_H
#define MOTE_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#include <mote/columns.h>
#include <mote/over_life.h>

/** A system. */
typedef struct mote_system mote_system;

/** A rational rate: a number of fixed timesteps in a number of seconds. 60/1, 60000/1001, 1/10. The steps of
 * a thousand years must be fewer than 2^64: at most 584 million steps a second. */
typedef struct mote_rate {
    uint32_t steps, /**< >= 1 */
        seconds;    /**< >= 1 */
} mote_rate;

/** Treatment of a frame that holds more than max_steps_per_advance steps. */
typedef enum mote_late_policy {
    /** The rest waits in the accumulator; later frames run it. OVERFLOW where a frame together with what
     * waits does not fit 63 bits of ticks. */
    MOTE_LATE_CATCH_UP,
    MOTE_LATE_DROP,      /**< whole steps of the rest are dropped; the part of a step stays, alpha is exact */
    MOTE_LATE_SLOW_DOWN, /**< the rest is dropped: simulated time runs slower than real time */
    MOTE_LATE_POLICY_COUNT
} mote_late_policy;

/** Presentation of positions between the last two steps. */
typedef enum mote_interpolation {
    MOTE_INTERPOLATE_NONE,    /**< the last step as it is: no previous positions; a step moves 48 bytes */
    MOTE_INTERPOLATE_LINEAR,  /**< keeps previous positions */
    MOTE_INTERPOLATE_HERMITE, /**< keeps previous positions and velocities; cubic, continuous velocity */
    MOTE_INTERPOLATION_COUNT
} mote_interpolation;

/** The outermost loop of a step. The bits are the same; AUTO is fastest, the other is for tests. */
typedef enum mote_loop_order {
    MOTE_LOOP_AUTO,        /**< blocks outside, substeps inside, unless a force reaches across blocks */
    MOTE_LOOP_STAGE_OUTER, /**< substeps and stages outside, blocks inside */
    MOTE_LOOP_ORDER_COUNT
} mote_loop_order;

#define MOTE_MAX_EXTRA_COLUMNS 8u /**< columns of the host in a system */

/** Settings of a new system. */
typedef struct mote_system_def {
    uint32_t cookie;                  /**< set by mote_default_system_def */
    uint32_t capacity;                /**< particles, 0 .. MOTE_MAX_PARTICLES */
    mote_rate steps_per_second;       /**< timestep dt = seconds / steps */
    uint32_t substeps;                /**< h = dt / substeps; 1 .. 4096 */
    double start_time;                /**< s, the time of step 0 */
    mote_integrator integrator;       /**< of everything that is not held by constraints */
    uint32_t max_steps_per_advance;   /**< >= 1 */
    mote_late_policy late_policy;     /**< where a frame holds more steps */
    mote_interpolation interpolation; /**< of presented positions */
    bool mass_column;                 /**< an inverse mass per particle; else `mass` for all */
    float mass;        /**< kg, > 0: of every particle; with a mass column, of newly spawned ones */
    bool particle_ids; /**< stable ids: 20 bytes a particle */
    bool lifetimes;    /**< birth step and lifetime columns: 8 bytes a particle */
    /** With lifetimes an initial age per particle: 4 bytes. Ages then count from the moment of birth within a
     * step, and not from the end of that step. Without lifetimes it has no effect. */
    bool initial_ages;
    bool anchor_column;     /**< an anchor per particle: 12 bytes a particle */
    bool external_forces;   /**< force columns for the host: 12 bytes a particle */
    bool collisions;        /**< loose particles collide with the colliders: mote/collider.h */
    bool sticking;          /**< colliders may have MOTE_RESPONSE_STICK: 16 bytes a particle */
    bool radius_column;     /**< a radius per particle for collisions: 4 bytes a particle */
    float collision_radius; /**< m, >= 0: of every particle; with a radius column, of newly spawned ones */
    float friction;         /**< Coulomb's coefficient of the particles against colliders, >= 0 */
    /** An orientation and an angular velocity per particle: 28 bytes, and 16 more with interpolation. Without
     * it the five fields that follow have no effect; all the same their values are checked. */
    bool orientation;
    bool principal_moments; /**< inertia has three principal moments; else it is one number, inertia[0] */
    bool inertia_column;    /**< an inertia per particle: 4 bytes, 12 with principal moments */
    bool external_torques;  /**< torque columns for the host: 12 bytes a particle */
    /** kg m^2, > 0: of every particle; with an inertia column, of newly spawned ones. A solid ball of the
     * mass m and the radius r has 0.4 m r^2. */
    float inertia[3];
    float spin_drag;      /**< N m s, >= 0: a torque of -spin_drag times the angular velocity */
    uint32_t extra_count; /**< columns of the host, at most MOTE_MAX_EXTRA_COLUMNS */
    uint32_t extra_bytes[MOTE_MAX_EXTRA_COLUMNS]; /**< bytes of one element, 1 .. 256, of the first
                                                     extra_count; 0 beyond them */
    /** Deaths of one advance that are kept (mote/events.h), at most MOTE_MAX_PARTICLES; 0: none, without
     * cost. 96 bytes each. */
    uint32_t max_deaths;
    uint32_t max_births;        /**< births from emitters, in the same way: 32 bytes each */
    uint32_t max_hits;          /**< hits on colliders, in the same way: 128 bytes each */
    mote_loop_order loop_order; /**< AUTO but for comparison */
    mote_isa isa;               /**< instruction set of the kernels */
    mote_jobs jobs;             /**< threads of a step */
    mote_allocator allocator;   /**< source of all memory */
} mote_system_def;

/** Returns a def with 1,024 particles, 60 steps a second, one substep, time 0, semi-implicit Euler, at most 8
 * steps an advance, slow down when late, linear interpolation, uniform mass 1 kg, ids, no lifetimes or
 * initial ages, no external forces, collisions of radius 0 m with friction 0.5, no radius column, no
 * sticking, no orientation (inertia 1 kg m^2, no spin drag), no extra columns, no events, AUTO, serial jobs,
 * the default allocator. */
MOTE_API mote_system_def mote_default_system_def(void);

/** Checks a def. Returns the code that mote_system_create would return, except OVERFLOW and MEMORY.
 * parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_system_def_check(const mote_system_def *def, const char **parameter);

/** Makes a system. *system receives it, or NULL with an error (mote_system_def_check names the field).
 * Errors: NULL, DEF, RANGE, NOT_FINITE, ENUM, OVERFLOW, ISA, MEMORY. A system is used by one thread at a
 * time; different systems are independent. */
MOTE_API mote_result mote_system_create(const mote_system_def *def, mote_system **system);

/** Releases a system with everything in it. NULL is allowed. Must not be called from a callback. */
MOTE_API void mote_system_destroy(mote_system *system);

/** Reserves capacity for loose particles; never shrinks. Views are invalid afterwards. Errors: NULL, BUSY,
 * RANGE, OVERFLOW, MEMORY. */
MOTE_API mote_result mote_system_reserve(mote_system *system, uint32_t capacity);

/* --- Particles --- */

#define MOTE_NO_SLOT 0xffffffffu /**< number of no slot */

/** Steps at which ages stop: 386 days at 60/1, 4 s at {500000000, 1}. A particle that is older has this age.
 * A lifetime of more steps is legal and has no end. */
#define MOTE_MAX_AGE 2000000000

/** Columns of slots first .. first + count - 1; element 0 of each array is slot first. The host reads and
 * writes them between steps, and in the step hook. Valid until the next call that advances, spawns or
 * reserves. NULL where the system has no such column. */
typedef struct mote_range_view {
    uint32_t first,               /**< first slot */
        count;                    /**< slots */
    mote_vector_columns position; /**< m */
    mote_vector_columns velocity; /**< m/s */
    /** m, before the last step: presentation blends from here to `position`. NaN in x: there is none, and
     * `position` is presented as it is, as that of new particles. For a particle born at the fraction f of
     * the last step, which will move on with v: position = path(f) + (1 - f) dt v, previous = path(f) - f dt
     * v, initial_age = (1 - f) dt, and its lifetime is shorter by that. (Hermite interpolation of a particle
     * that has taken no step has its velocity at both ends.) */
    mote_vector_columns previous;
    float *inverse_mass; /**< 1/kg, 0 = immovable */
    /** Step after which it was spawned, modulo 2^32. The host writes at most MOTE_MAX_AGE steps before or
     * after the present one. Once in 2^24 steps, those from which more than MOTE_MAX_AGE have passed are
     * moved to this distance. */
    uint32_t *birth_step;
    /** s from birth_step on; dies at the first boundary at which the time since then + dt / 1024 >= lifetime,
     * compared in steps and in float32: of lifetimes beyond 16,000 steps, some die a step earlier; NaN: at
     * the first; more than MOTE_MAX_AGE dt: never */
    float *lifetime;
    /** s: age at birth_step, of new particles 0. Of a particle that an emitter bears at the fraction f of a
     * step it is (1 - f) dt, and its lifetime is shorter by that. It counts in ages and in the remaining
     * life, not in when the particle dies. The host writes finite numbers >= 0; of others the ages and lives
     * mean nothing. NULL without `initial_ages`: 0 then. */
    float *initial_age;
    mote_vector_columns anchor; /**< m; of new particles: the origin */
    const mote_particle_id *id; /**< of each particle */
    float *radius; /**< m, for collisions; negative, NaN or infinite: 0; NULL without radius_column */
    /** Index of the id of the collider to which the particle sticks, 0: none. The host may set it to 0, which
     * releases the particle. Released on the surface it sticks again if it approaches, as under gravity: give
     * it a velocity away, or the collider MOTE_RESPONSE_PASS. Until it is 0 the next step overwrites the
     * position and the velocity that the host writes. NULL without `sticking`. */
    uint32_t *stuck;
    void *extra[MOTE_MAX_EXTRA_COLUMNS]; /**< the host's columns */
    /** Quaternion that turns the axes of the particle into those of the world; 10^-15 to 10^15 long where the
     * host writes it. Normalised by each step. NULL without `orientation`, as the next two. */
    mote_quaternion_columns orientation;
    /** rad/s, in the axes of the particle: those of its principal moments. */
    mote_vector_columns angular_velocity;
    /** kg m^2, > 0: principal moments about x, y, z; x alone without principal_moments. NULL without
     * inertia_column. */
    mote_vector_columns inertia;
} mote_range_view;

/** Returns the columns of all slots in use, also of those killed since the last step. NULL: an empty view. */
MOTE_API mote_range_view mote_system_view(mote_system *system);

/** Returns the number of slots in use (particles killed since the last step included); 0 for NULL. */
MOTE_API uint32_t mote_system_count(const mote_system *system);

/** Returns how many particles mote_system_spawn would add now; 0 for NULL. Particles that were killed since
 * the last step still have their slots. */
MOTE_API uint32_t mote_system_available(const mote_system *system);

/** Adds particles in the slots after the last one: at rest at the origin, with the uniform mass, born now,
 * without end of life, extra columns zero, not turned and without spin. The host then fills *view. Errors:
 * NULL, BUSY, CAPACITY (more than mote_system_available: nothing is added). */
MOTE_API mote_result mote_system_spawn(mote_system *system, uint32_t count, mote_range_view *view);

/** Kills particles by id. Their ids are invalid at once; their slots are filled at the next step boundary, in
 * slot order, by the particles in the last slots. Errors: NULL, BUSY, ABSENT (the system has no ids), ID (an
 * id that names no living particle, or is given twice): no particle is killed then. */
MOTE_API mote_result mote_system_kill(mote_system *system, uint32_t count, const mote_particle_id *particles);

/** Kills particles by slot, as mote_system_kill does. Killing a slot twice is one death. Errors: NULL, BUSY,
 * RANGE (a slot out of range): no particle is killed then. */
MOTE_API mote_result mote_system_kill_slots(mote_system *system, uint32_t count, const uint32_t *slots);

/** Returns the slot of a particle, or MOTE_NO_SLOT if the id names no living particle. */
MOTE_API uint32_t mote_system_slot(const mote_system *system, mote_particle_id particle);

/** Returns the age (s) of the particle in a slot: its initial age + whole steps since birth_step, at most
 * MOTE_MAX_AGE, x dt; 0 where the system keeps no births. */
MOTE_API double mote_system_age(const mote_system *system, uint32_t slot);

/** Applies an impulse J (kg m/s): v += J / m. An immovable particle does not move. Marks the particle: see
 * mote_system_present. Errors: NULL, BUSY, RANGE (slot), NOT_FINITE. */
MOTE_API mote_result mote_system_impulse(mote_system *system, uint32_t slot, const float impulse[3]);

/** Sets a particle's inverse mass (1/kg, >= 0) and keeps its momentum: v scales by the ratio of the masses
 * (and the particle is marked: mote_system_present). From or to an immovable particle v stays. Errors: NULL,
 * BUSY, ABSENT (no mass column), RANGE, NOT_FINITE. */
MOTE_API mote_result mote_system_set_inverse_mass(mote_system *system, uint32_t slot, float inverse_mass);

/** Declares that the host has replaced the positions of slots first .. first + count - 1: they are presented
 * as they are, without interpolation from the previous ones; orientations too. Errors: NULL, BUSY, RANGE. */
MOTE_API mote_result mote_system_teleport(mote_system *system, uint32_t first, uint32_t count);

/** Gives access to the external forces: columns in N for every slot, which are zero when first requested
 * after a step. The next step adds them, the same force in each of its substeps, and discards them. A step
 * before which they were not requested does not read them. Errors: NULL, BUSY, ABSENT, INTEGRATOR (advection
 * has no forces). */
MOTE_API mote_result mote_system_external_forces(mote_system *system, mote_vector_columns *forces);

/** Gives access to the external torques: columns in N m for every slot, in the axes of the world, which are
 * zero when first requested after a step. The next step adds them, the same torque in each of its substeps,
 * and discards them. Errors: NULL, BUSY, ABSENT (no def.external_torques or no orientation).
 *
 * Particles with an orientation turn at the end of each step, after their motion, substep by substep: half a
 * substep of torques and drag, a free rotation, the other half. Scalar inertia: the free rotation is exact up
 * to half a turn a substep (angles err by 4e-5 of a whole turn, and more beyond). Principal moments:
 * rotations about one axis after another,
 *
 *     R1(h/2) R2(h/2) R3(h) R2(h/2) R1(h/2)
 *
 * (Dullweber, Leimkuhler and McLachlan 1997), which keep the angular momentum and, to order h^2 and without
 * drift, the energy (measured in 10^6 steps of 1/100 of a turn: 2.2e-4; at several rad a
 * substep the energy errs by 5 to 14 %: use more substeps). Torques act as velocity Verlet, with
 * errors of order h^2; drag alone multiplies by exp(-spin_drag h / inertia) to its fourth order, never by
 * less than 0. A particle whose orientation or angular velocity is or turns non-finite (by more than about
 * 10^15 rad/s too), or whose quaternion is not 10^-15 to 10^15 long, dies with that step, after those that
 * collided (mote_advance.non_finite). Immovable
 * particles turn; those that a collider holds (MOTE_RESPONSE_STICK) have no spin. */
MOTE_API mote_result mote_system_external_torques(mote_system *system, mote_vector_columns *torques);

/** A function of the host between steps: *view has all particles after the step, whose deaths are removed;
 * mote_system_steps and mote_system_time are those of its end. */
typedef void mote_step_hook(void *user, mote_system *system, const mote_range_view *view);

/** Sets the function that is called after every step, also after the last one of an advance; NULL: none.
 * So a host that collides or spawns by hand need not cut frames into steps. In the hook the columns of
 * the view may be written, and these calls are legal: spawn, kill, kill_slots, mote_system_emit, impulse,
 * set_inverse_mass, teleport, external_forces, external_torques; and of those that read: view, count,
 * available, steps, time, timestep, tick, slot, age, hash, births, deaths, hits. All others that have BUSY
 * among their errors return it, also those that read: statistics, present, order, preview, snapshot_bytes,
 * save, lines, hash_chunks, hash_items and the queries of strands and networks. Particles killed in the hook
 * are removed when the next step begins, and count as killed in that advance. The result is that of as
 * many calls of mote_system_step(system, 1) with the same calls between them. With a hook steps run one
 * at a time: a system whose forces are all inline then takes one pass over memory a step, not one a batch
 * of steps. The hook runs on the thread that advances the system (in mote_systems_advance on any of
 * them), in the engine's floating-point state. mote_system_seek does not call it; the hash does not
 * contain it. Errors: NULL, BUSY. */
MOTE_API mote_result mote_system_set_step_hook(mote_system *system, mote_step_hook *hook, void *user);

/* --- Forces --- */

#define MOTE_MAX_FORCES 256u /**< forces in a system */

/** Checks a def for a system, as mote_system_add_force does. Returns NULL (the system), those of
 * mote_force_check, ABSENT (no anchor columns) or INTEGRATOR (a velocity field without an advecting
 * integrator or the reverse; position Verlet with a callback that reaches the range). parameter: see
 * mote_result. Not thread-safe with calls that change the system. */
MOTE_API mote_result mote_system_force_check(const mote_system *system, const mote_force_def *def,
                                             const char **parameter);

/** Adds a force that acts in every step from now on; the def is copied. Forces are summed in the order of
 * addition. Errors: NULL, BUSY, those of mote_system_force_check, CAPACITY (MOTE_MAX_FORCES), MEMORY. */
MOTE_API mote_result mote_system_add_force(mote_system *system, const mote_force_def *def, mote_force_id *id);

/** Replaces a force's def, in its old place in the order; the kind may change. Errors: as
 * mote_system_add_force, and ID. */
MOTE_API mote_result mote_system_set_force(mote_system *system, mote_force_id id, const mote_force_def *def);

/** Removes a force. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_force(mote_system *system, mote_force_id id);

/* --- Time --- */

/** Result of one advance. A tick is the greatest unit of which a nanosecond and a timestep are whole
 * multiples: input + remainder before = consumed + dropped + remainder, exactly. */
typedef struct mote_advance {
    uint32_t steps;                /**< run */
    float alpha;                   /**< render blend between the last two steps, in [0, 1) */
    uint64_t ticks_per_nanosecond, /**< ticks in a nanosecond */
        ticks_per_step;            /**< ticks in a timestep */
    uint64_t ticks_consumed;       /**< by the steps run */
    uint64_t ticks_dropped;        /**< by the late policy */
    uint64_t ticks_remaining;      /**< in the accumulator */
    uint32_t killed;               /**< particles killed by the host, removed in this advance */
    uint32_t expired;              /**< particles that reached their lifetime */
    uint32_t born;                 /**< by emitters in steps; not those of mote_system_emit */
    uint64_t unborn;               /**< births for which there was no capacity */
    uint32_t collided;             /**< particles killed by colliders with MOTE_RESPONSE_KILL */
    /** Loose particles that turned NaN or infinite and were killed. Strands and islands freeze instead:
     * mote_strands_report, mote_network_report. */
    uint32_t non_finite;
} mote_advance;

/** Adds nanoseconds of real time to the accumulator and runs the whole steps in it. *advance, if not NULL, is
 * filled. Errors, checked in this order: NULL, BUSY, OVERFLOW (the frame, with what waits in the accumulator,
 * does not fit 63 bits of ticks: 97 years at 60/1, 17.8 h at {143981, 1000}, 2.1 s at the least), STABILITY
 * (a network with MOTE_STABILITY_REFUSE), INTEGRATOR (exact flow where all forces are callbacks): no time
 * passes. Threads: those of the system's jobs. */
MOTE_API mote_result mote_system_advance(mote_system *system, uint64_t nanoseconds, mote_advance *advance);

/** Runs an exact number of timesteps, without the accumulator and the late policy. Errors: those of
 * mote_system_advance but OVERFLOW. */
MOTE_API mote_result mote_system_step(mote_system *system, uint32_t steps, mote_advance *advance);

/** Sets the blend of everything that is presented, alpha = 0 .. 1, until the next mote_system_advance. For
 * systems stepped by mote_system_step, whose accumulator stays empty: in the hook of another one, whose
 * mote_advance.alpha they are given, or in a loop of the host. It is no state: steps, targets, hashes and
 * snapshots do not depend on it. Errors: NULL, BUSY, NOT_FINITE, RANGE. */
MOTE_API mote_result mote_system_set_alpha(mote_system *system, float alpha);

/** Advances many systems as mote_system_advance does, distributed over jobs (NULL: the calling thread); each
 * system runs serially. advances: NULL or count of them. Errors: RANGE (jobs->workers); then, by system in
 * the order given, ID (a system given twice) and those of mote_system_advance in its order: none has advanced
 * then. */
MOTE_API mote_result mote_systems_advance(mote_system *const *systems, uint32_t count, uint64_t nanoseconds,
                                          const mote_jobs *jobs, mote_advance *advances);

/** Jumps to a step, forwards or back, by one exact flow. Possible only where all forces are affine and act
 * everywhere, and no external forces wait for the next step. Particles whose lifetime ends on the way are
 * removed, and so are those that turn non-finite; a jump back does not restore them. Ages change by the whole
 * distance: forwards they stop at MOTE_MAX_AGE, back they fall, below 0 for particles that were born later,
 * as far as -MOTE_MAX_AGE. The accumulator stays. Positions are presented without interpolation until the
 * next step, also after a seek to the present one. Errors: NULL, BUSY, INTEGRATOR (a force that is not affine
 * or in a region, external forces, orientations, an emitter, a collider of any response if def.collisions and
 * the system has particles, an advecting integrator, strands, a network). */
MOTE_API mote_result mote_system_seek(mote_system *system, uint64_t step);

#define MOTE_MAX_PREVIEW_STEPS 16777216u /**< steps of a preview */

/** Start and sampling of a preview. */
typedef struct mote_preview_def {
    uint32_t cookie;    /**< set by mote_default_preview_def */
    float position[3],  /**< m */
        velocity[3];    /**< m/s */
    float inverse_mass; /**< 1/kg */
    double interval;    /**< s, between points */
    uint32_t count;     /**< points */
} mote_preview_def;

/** Returns a def of one point at 1/60 s of a particle of 1 kg at rest at the origin. */
MOTE_API mote_preview_def mote_default_preview_def(void);

/** Checks a def. Returns MOTE_OK, NULL, DEF, NOT_FINITE or RANGE (interval <= 0, inverse mass < 0).
 * parameter: see mote_result. Any thread. */
MOTE_API mote_result mote_preview_def_check(const mote_preview_def *def, const char **parameter);

/** Computes points of the path that a particle would take from the given state, starting now; the system is
 * not changed. points[i] is its position after that number of the system's steps which is nearest to (i + 1)
 * x interval; under MOTE_EXACT_FLOW with affine forces alone, after (i + 1) x interval itself. (By
 * semi-implicit Euler a throw is g t dt / (2 substeps) below its parabola, here as in the steps.) Points from
 * that on at which the particle would turn non-finite, and die, are NaN. Callbacks see slot 0 of a range of
 * one. Errors: NULL, BUSY, those of mote_preview_def_check, RANGE (more than MOTE_MAX_PREVIEW_STEPS),
 * INTEGRATOR (a callback that reaches the range, particle anchors, exact flow where all forces are callbacks,
 * a collider of any response if def.collisions). */
MOTE_API mote_result mote_system_preview(const mote_system *system, const mote_preview_def *def,
                                         float (*points)[3]);

/* --- Diagnostics --- */

/** Sums over the particles that can move, in double, in a fixed order: the same bits for any number of
 * workers. Pinned and immovable particles count in none of them. Velocities are those of the columns; of
 * loose particles under position Verlet the true ones. */
typedef struct mote_statistics {
    double mass;      /**< kg */
    double kinetic;   /**< J */
    double potential; /**< J, of those forces of the system that have a potential */
    double elastic; /**< J, of springs, k (|d| - L)^2 / 2 each; rigid ones have none; of strands: see there */
    double momentum[3];         /**< kg m/s */
    double angular_momentum[3]; /**< kg m^2/s, about the origin */
    double max_strain,          /**< largest magnitude of |d| / L - 1, of springs and segments with L > 0 */
        mean_strain;            /**< mean of these magnitudes */
    uint32_t max_strain_item;   /**< the spring, or the strand; MOTE_NO_ITEM: there is none */
    uint32_t forces_without_potential; /**< wind, drag, timed thrust, fields, callbacks, forces in regions */
} mote_statistics;

#define MOTE_NO_ITEM 0xffffffffu /**< number of no particle, spring or strand */

/** Computes the statistics of a system: loose particles (killed ones until the next step), strands, networks.
 * max_strain_item is MOTE_NO_ITEM; elastic energies of links are omitted. Errors: NULL, BUSY. Runs on the
 * system's jobs. */
MOTE_API mote_result mote_system_statistics(const mote_system *system, mote_statistics *statistics);

/** Returns the time of the clock in ticks since create, modulo 2^64: those of the steps run and those in the
 * accumulator; 0 for NULL. It wraps after 195 years at 60/1 and after 35.6 h at {143981, 1000}; nothing that
 * is under way notices. */
MOTE_API uint64_t mote_system_tick(const mote_system *system);

/** Returns the number of steps run since create; 0 for NULL. */
MOTE_API uint64_t mote_system_steps(const mote_system *system);

/** Returns the simulated time (s): start_time + steps x dt; 0 for NULL. */
MOTE_API double mote_system_time(const mote_system *system);

/** Returns the timestep dt (s); 0 for NULL. */
MOTE_API double mote_system_timestep(const mote_system *system);

/* --- Presentation --- */

#define MOTE_OMIT ((size_t)-1) /**< offset of a quantity that is not written */

/** Memory layout of presented particles: a quantity of particle i is at byte i x stride + its offset in the
 * caller's memory, any alignment. */
typedef struct mote_present_layout {
    uint32_t cookie;        /**< set by mote_default_present_layout */
    size_t stride;          /**< bytes from one particle to the next */
    size_t position_offset; /**< three floats, m; or MOTE_OMIT */
    size_t velocity_offset; /**< three floats, m/s; or MOTE_OMIT */
    /** m: positions are written relative to it, as x - origin. They are then interpolated in double and
     * rounded once, to half a unit in the last place of the difference, so that nothing is lost far from
     * the origin of the world. All 0: world coordinates. */
    double origin[3];
    size_t age_offset;       /**< one float, s: age, as of mote_system_present; or MOTE_OMIT */
    size_t remaining_offset; /**< one float: remaining part of the lifetime, 1 .. 0; or MOTE_OMIT */
    size_t extra_offset[MOTE_MAX_EXTRA_COLUMNS]; /**< an element of each declared column; or MOTE_OMIT */
    /** Slots to write, in this order, one after another from vertex 0; a slot may stand in it more than once.
     * NULL: all, in slot order. */
    const uint32_t *order;
    uint32_t order_count;           /**< slots in order */
    size_t size_offset;             /**< one float: the size that the keys give to its life; or MOTE_OMIT */
    const mote_size_key *size_keys; /**< keys in the order of their lives; read while the call runs */
    uint32_t size_key_count;        /**< 1 .. MOTE_MAX_KEYS */
    uint32_t size_column; /**< extra column of one float, a factor of each size; or MOTE_NO_COLUMN: 1 */
    size_t colour_offset; /**< the colour that the keys give to its life; or MOTE_OMIT */
    const mote_colour_key *colour_keys; /**< keys in the order of their lives; read while the call runs */
    uint32_t colour_key_count;          /**< 1 .. MOTE_MAX_KEYS */
    mote_colour_format colour_format;   /**< four floats, or four bytes */
    size_t orientation_offset;          /**< four floats x, y, z, w: a unit quaternion; or MOTE_OMIT */
} mote_present_layout;

#define MOTE_NO_COLUMN 0xffffffffu /**< number of no column */

/** Returns a layout of packed positions in world coordinates, in slot order: 12 bytes a particle. */
MOTE_API mote_present_layout mote_default_present_layout(void);

/** Checks a layout for the loose particles of a system; NULL: for one with all columns. Returns the code that
 * mote_system_present would return, except those of its memory: MOTE_OK, NULL (layout), DEF, NOT_FINITE
 * (origin), RANGE (an offset beyond the stride, nothing to write, a slot of the order), ABSENT (age or
 * remaining life without lifetimes, an extra column that is not declared, orientations without
 * def.orientation); of keys NULL, RANGE (their number, a life out of 0 .. 1 or not after the one before;
 * size_column is no column of 4 bytes), NOT_FINITE (a life, a value, or the difference of two next to each
 * other), ENUM. parameter: see mote_result. */
MOTE_API mote_result mote_present_layout_check(const mote_system *system, const mote_present_layout *layout,
                                               const char **parameter);

/** Writes every particle's interpolated state at the clock's alpha, in slot order or in that of the layout;
 * other bytes are not touched. The presented moment is mote_system_time + (alpha - 1) dt. Particles that died
 * at the end of the last step are not written, although they lived then. Linear: x = x0 + alpha (x1 - x0), v
 * = v1. Hermite: the cubic through both positions and velocities, which leaves the line of a step with a
 * bounce, and its derivative for velocity, v0 + alpha (v1 - v0) + 6 alpha (1 - alpha) d with d = (x1 - x0) /
 * dt - (v0 + v1) / 2 reduced towards 0 by the rounding error of x1 - x0: a constant velocity is exact far
 * from the origin too. Particles marked since the last step, by mote_system_impulse (also of 0) or a new
 * mass, are linear; velocities that the host writes in the columns bend the cubic of the last step unless it
 * marks them so. A particle born or teleported since then is written as it is. Age: initial age + (steps
 * since birth_step - 1 + alpha) x dt, at least 0; without interpolation initial age + steps x dt; steps stop
 * at MOTE_MAX_AGE. Remaining life: 1 - age / (initial age + lifetime), limited to 0 .. 1; 1 where the
 * lifetime is infinite. Sizes and colours are those of the life, 1 - remaining life; 0 in systems without
 * lifetimes. They are constant before the first key and behind the last. Between two keys of values a and b
 * they are a + (b - a) e(t), with the easing of the first (mote/over_life.h). Orientations are normalised;
 * they turn along the shorter arc from that before the last step, at a constant rate to 2e-5 rad; those of
 * particles that have none before it, and all without interpolation, are not turned. Errors: NULL, BUSY,
 * those of mote_present_layout_check, BUFFER (bytes < vertices x stride). Runs on the system's jobs. */
MOTE_API mote_result mote_system_present(const mote_system *system, const mote_present_layout *layout,
                                         void *vertices, size_t bytes);

/** Returns the bytes of memory that mote_system_order needs: 10 a particle, up to a whole 16. */
MOTE_API size_t mote_order_bytes(uint32_t count);

/** Sorts the slots of all particles back to front: order[0] is the slot furthest along the direction (of any
 * length), for mote_present_layout.order. direction: the one in which the eye looks. The depth x . direction
 * of the last step is rounded down to one of 65,536 equal parts between the nearest and the furthest; equal
 * depths are in the order of their slots. Positions and depths that are not finite come last. The same order
 * for any jobs and instruction set. order: bytes of memory with the alignment of a uint32_t; the first
 * mote_system_count elements receive the order, the rest is scratch. Errors: NULL, BUSY, NOT_FINITE
 * (direction), BUFFER (bytes < mote_order_bytes(mote_system_count), or another alignment). Runs on the
 * system's jobs; radix sort in two passes of 8 bits. */
MOTE_API mote_result mote_system_order(const mote_system *system, const float direction[3], uint32_t *order,
                                       size_t bytes);

/** Returns a 64-bit hash of all state: clock, columns, ids, forces, marks, strands, networks, links,
 * colliders, emitters. Equal states have equal hashes on every machine. A callback counts with its unit and
 * reach, not with its addresses; ids of forces do not count. 0 for NULL. Cost: reads every column. */
MOTE_API uint64_t mote_system_hash(const mote_system *system);

#endif
