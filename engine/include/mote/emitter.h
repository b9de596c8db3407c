/** @file
 * Emitters: sources of loose particles that act at the end of every step. */
#ifndef MOTE_EMITTER_H
#define MOTE_EMITTER_H

#include <mote/system.h>
#include <mote/transform.h>

/** Shape from which particles are born, in the local frame of the emitter, uniformly by volume, area or
 * length. The axis is the local y axis. */
typedef enum mote_emitter_shape {
    MOTE_EMITTER_POINT,  /**< the local origin */
    MOTE_EMITTER_BOX,    /**< |x| <= extent, per axis */
    MOTE_EMITTER_SPHERE, /**< inner_radius <= |x| <= radius */
    MOTE_EMITTER_DISC,   /**< across the axis, inner_radius .. radius */
    /** The disc, as the mouth of a cone: at the distance r from the axis the direction is tilted outwards
     * from the axis by a slope of tan(angle) r / radius. */
    MOTE_EMITTER_CONE,
    MOTE_EMITTER_RING, /**< the circle of the radius, across the axis */
    MOTE_EMITTER_SHAPE_COUNT
} mote_emitter_shape;

/** Mean direction of the velocities, before `spread`. */
typedef enum mote_emitter_direction {
    MOTE_EMIT_ALONG,   /**< along the local y axis (cone: see MOTE_EMITTER_CONE) */
    MOTE_EMIT_OUTWARD, /**< away from the local origin; from the origin itself along the axis */
    MOTE_EMITTER_DIRECTION_COUNT
} mote_emitter_direction;

/** Orientation at birth, in systems that have orientations. */
typedef enum mote_emitter_orientation {
    MOTE_EMIT_ALIGNED, /**< that of the emitter at the birth */
    MOTE_EMIT_TUMBLED, /**< random, uniform over all rotations */
    MOTE_EMITTER_ORIENTATION_COUNT
} mote_emitter_orientation;

/** A spread: values are uniform in [least, most], least + u (most - least) in float32 with u in [0, 1). */
typedef struct mote_spread {
    float least, /**< lower end */
        most;    /**< upper end, >= least */
} mote_spread;

/** Settings of an emitter. */
typedef struct mote_emitter_def {
    uint32_t cookie;                  /**< set by mote_default_emitter_def */
    mote_emitter_shape shape;         /**< where particles are born */
    mote_emitter_direction direction; /**< of their velocities */
    mote_transform transform;         /**< placement when it is added or set */
    float extent[3];                  /**< m, 0 .. 1e15: box, half its edges */
    float radius,                     /**< m, 0 or 1e-15 .. 1e15: sphere, disc, cone, ring */
        inner_radius;                 /**< m, 0 .. radius: sphere, disc, cone; = radius: the surface or rim */
    float angle;                      /**< rad, 0 .. 1.5: cone, of its side to the axis */
    float spread;                 /**< rad, 0 .. pi: directions are uniform in a cone of this half angle */
    float rate,                   /**< 1/s, >= 0: births by time */
        rate_per_metre;           /**< 1/m, >= 0: births by the way of the emitter */
    float inherit;                /**< share of the emitter's own velocity that is added */
    mote_spread speed;            /**< m/s */
    mote_spread lifetime;         /**< s, > 0; INFINITY: no end. Others need def.lifetimes of the system, and
                                     have no end beyond MOTE_MAX_AGE steps. However short it is, a particle
                                     is there at the end of the step of its birth */
    mote_spread mass;             /**< kg, > 0: in systems with a mass column */
    mote_spread collision_radius; /**< m, >= 0: in systems with a radius column */
    uint32_t extra_columns;       /**< bit 1 << i: column i of the host, of floats, is filled */
    mote_spread extra[MOTE_MAX_EXTRA_COLUMNS]; /**< values of those columns */
    uint32_t seed;                             /**< of its random numbers */
    /** rad/s, angular speed about spin_axis. Other than 0 needs def.orientation of the system. */
    mote_spread spin;
    float spin_axis[3]; /**< in the axes of the emitter, of any length; 0: random, uniform by solid angle */
    mote_emitter_orientation
        orientation; /**< at birth; MOTE_EMIT_TUMBLED needs def.orientation of the system */
} mote_emitter_def;

/** Returns a def of a point at the origin: 0 births, along y without spread, 1 m/s, no end of life, 1 kg,
 * collision radius 0 m, seed 0, aligned, no spin (about random axes). Mass and radius are these also where
 * those of the system's def differ; the inertia of the newborn is that of the system's def, whatever their
 * mass and radius. */
MOTE_API mote_emitter_def mote_default_emitter_def(void);

/** Checks a def. parameter: NULL, or receives the name of the field at fault (NULL: none). Returns MOTE_OK,
 * NULL, DEF, ENUM, NOT_FINITE or RANGE. Any thread. */
MOTE_API mote_result mote_emitter_check(const mote_emitter_def *def, const char **parameter);

/** Checks a def for a system, as mote_system_add_emitter does. Returns NULL (the system), those of
 * mote_emitter_check, RANGE (more than MOTE_MAX_PARTICLES births a step by time; an extra column that the
 * system does not have or whose elements are not of 4 bytes) or ABSENT (a finite lifetime without
 * def.lifetimes, spin or MOTE_EMIT_TUMBLED without def.orientation). parameter: see mote_result. Not
 * thread-safe with calls that change the system. */
MOTE_API mote_result mote_system_emitter_check(const mote_system *system, const mote_emitter_def *def,
                                               const char **parameter);

#define MOTE_MAX_EMITTERS 1024u /**< emitters in a system */

/** Adds an emitter. It acts at the end of each step, in the order of addition, after that step's deaths: the
 * particles are the same for any grouping of steps into frames. In a step from t to t + dt it emits
 *
 *     a = rate dt + rate_per_metre (way in the step)
 *
 * particles, at fractions f of the step that are evenly spaced (where the emitter arrives within the step,
 * before and after that moment); what is left of a birth goes to the next step. A particle born at the
 * fraction f, from the place p and with the velocity v, is at p + (1 - f) dt v at the end of the step, was at
 * p - f dt v at its start (previous position), and has (1 - f) dt less to live: interpolated positions leave
 * the emitter where it was at that moment. `inherit` adds a share of u + w x r: u is the mean velocity of the
 * emitter while it travels in the step, w (rad/s) its angular velocity at f, r the way from its origin to p;
 * from an emitter that has arrived, and for the spin, nothing is inherited. The newborn keeps its orientation
 * until then, and turns from the next step on. Forces act on it from the next step on. On its way to the end
 * of the step it bounces off the colliders, without a change of its spin and without an entry in the list of
 * hits; one that kills or to which it sticks stops it there, and acts in the next step. Its random numbers
 * are a function of (seed, number of the emitter, count of its births, draw) alone. Steps run in batches of
 * one while a system has emitters. A particle for which there is no capacity is not born, but counted
 * (mote_advance.unborn). Errors: NULL, BUSY, those of mote_system_emitter_check, CAPACITY
 * (MOTE_MAX_EMITTERS), MEMORY. */
MOTE_API mote_result mote_system_add_emitter(mote_system *system, const mote_emitter_def *def,
                                             mote_emitter_id *id);

/** Replaces the settings and the placement: the emitter is at def->transform from now on, without having
 * moved there, and has no target. Its count of births goes on. Errors: as mote_system_add_emitter, and ID. */
MOTE_API mote_result mote_system_set_emitter(mote_system *system, mote_emitter_id id,
                                             const mote_emitter_def *def);

/** Replaces the settings and keeps the motion: placement, way and target, also a pending one, are those of
 * before, and def->transform is ignored. So a rocket whose rate changes in each frame flies on. With the
 * settings that it has nothing changes, to the last bit. Errors: as mote_system_set_emitter. */
MOTE_API mote_result mote_system_change_emitter(mote_system *system, mote_emitter_id id,
                                                const mote_emitter_def *def);

/** Sets a target: the emitter moves to it and arrives at the tick (see MOTE_NEXT_ADVANCE); a tick that has
 * passed: at once, without births by the way. Errors: NULL, BUSY, ID, NOT_FINITE, RANGE. */
MOTE_API mote_result mote_system_move_emitter(mote_system *system, mote_emitter_id id,
                                              const mote_transform *target, uint64_t tick);

/** Computes where an emitter is after the last step. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_emitter_placement(const mote_system *system, mote_emitter_id id,
                                                   mote_transform *placement);

/** Emits `count` more particles in the next step, at its start (f = 0), before those of the rate. Bursts
 * before the same step add up. Errors: NULL, BUSY, ID, OVERFLOW (more than MOTE_MAX_PARTICLES wait). */
MOTE_API mote_result mote_system_burst(mote_system *system, mote_emitter_id id, uint32_t count);

/** Emits `count` particles now, between steps, as those of an emitter that rests at `at` (NULL: where it is
 * now) and gives them a velocity besides: a burst at each death, say (mote/events.h). They are born at this
 * step boundary, have no previous position, and take part in the next step; their places, speeds, lifetimes
 * and columns are drawn from the def with the emitter's next numbers, so that all of its births depend on the
 * order of these calls but not on frames or threads. at: a rotation of any length > 0. velocity: m/s, added;
 * NULL: 0; nothing is inherited, neither from the way nor from the turn of the emitter. born: NULL, or
 * receives how many found capacity; the others are not born, and take their numbers. The newborn are in the
 * slots after the last one. Legal in the step hook. Errors: NULL (system), BUSY, ID, NOT_FINITE, RANGE. */
MOTE_API mote_result mote_system_emit(mote_system *system, mote_emitter_id id, const mote_transform *at,
                                      const float velocity[3], uint32_t count, uint32_t *born);

/** Removes an emitter; its particles stay. Errors: NULL, BUSY, ID. */
MOTE_API mote_result mote_system_remove_emitter(mote_system *system, mote_emitter_id id);

#endif
