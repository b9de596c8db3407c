/** @file
 * Events: lists of the births, deaths and hits of loose particles in the last advance. */
#ifndef MOTE_EVENTS_H
#define MOTE_EVENTS_H

#include <mote/emitter.h>
#include <mote/system.h>

/** Cause of a death. */
typedef enum mote_death_why {
    MOTE_DEATH_KILLED,     /**< by mote_system_kill or mote_system_kill_slots */
    MOTE_DEATH_EXPIRED,    /**< its lifetime ended */
    MOTE_DEATH_NON_FINITE, /**< turned NaN or infinite */
    MOTE_DEATH_COLLIDED,   /**< hit a collider with MOTE_RESPONSE_KILL: at that place, with that velocity */
    MOTE_DEATH_WHY_COUNT
} mote_death_why;

/** The death of a particle. step: mote_system_steps at the boundary at which it was removed. At a boundary
 * particles are removed in five passes: those that expired, whose position or velocity turned non-finite,
 * that collided, whose orientation or angular velocity turned non-finite, and that the host killed. Each pass
 * fills its holes by the last particles, so slots of a later pass are those after the passes before it. */
typedef struct mote_death {
    uint64_t step;       /**< steps run; the time is start_time + step x dt */
    uint32_t slot;       /**< at its removal */
    mote_death_why why;  /**< cause */
    mote_particle_id id; /**< names nothing any more; {0, 0} in systems without ids */
    float position[3];   /**< m, at its death; where its position or velocity turned non-finite: before that
                              step */
    /** m/s, at the same time. Under position Verlet the true velocity, half a step after that of the column;
     * where a force on the particle is not finite there, that of the column. */
    float velocity[3];
} mote_death;

/** The birth of a particle from an emitter. */
typedef struct mote_birth {
    uint64_t step;           /**< steps run: those at whose end it was born */
    mote_particle_id id;     /**< {0, 0} in systems without ids */
    mote_emitter_id emitter; /**< source */
    uint32_t slot;           /**< at its birth */
} mote_birth;

/** A hit of a particle on a collider. */
typedef struct mote_hit {
    uint64_t step;             /**< steps run: those at whose end the step of the hit ends */
    uint32_t slot;             /**< in that step */
    float time;                /**< fraction of the step at which they met, 0 .. 1 */
    mote_particle_id id;       /**< {0, 0} in systems without ids */
    mote_collider_id collider; /**< hit */
    float position[3];         /**< m, of the particle at that moment */
    float normal[3];           /**< unit length, away from the collider */
    float speed;               /**< m/s, >= 0: along the normal, of the particle towards the collider */
} mote_hit;

/** Deaths of an advance. */
typedef struct mote_death_list {
    const mote_death *events; /**< NULL where count = 0 */
    uint32_t count;           /**< at most max_deaths of the def */
    uint64_t lost;            /**< later ones, for which there was no space */
} mote_death_list;

/** Births of an advance. */
typedef struct mote_birth_list {
    const mote_birth *events; /**< NULL where count = 0 */
    uint32_t count;           /**< at most max_births of the def */
    uint64_t lost;            /**< later ones, for which there was no space */
} mote_birth_list;

/** Hits of an advance. */
typedef struct mote_hit_list {
    const mote_hit *events; /**< NULL where count = 0 */
    uint32_t count;         /**< at most max_hits of the def */
    uint64_t lost;          /**< later ones, for which there was no space */
} mote_hit_list;

/** Finds the deaths of the last advance, ordered by (step, slot), then killed last: the same for any jobs,
 * loop order and instruction set, and in frames of several steps those of single ones, one list after the
 * other. (A host that kills in the step hook: its last kills of an advance are removed when the next begins,
 * and stand in the list of that one.) Where there are more than max_deaths, the first ones in this order are
 * kept. The list is valid until the next call that advances, seeks, restores or destroys the system, and is
 * empty after an advance without steps, a seek (whose removals are in no list) and a restore. Events are not
 * part of the state: neither hash nor snapshots contain them. Legal in the step hook, where it has the events
 * of the advance up to now, and is valid until the hook returns. Errors: NULL, BUSY, ABSENT (max_deaths is
 * 0); *list is then empty. */
MOTE_API mote_result mote_system_deaths(const mote_system *system, mote_death_list *list);

/** Finds the births from emitters, as mote_system_deaths: those of the last advance, and those of
 * mote_system_emit since then. Spawned particles are not among them. Errors: NULL, BUSY, ABSENT (max_births
 * is 0). */
MOTE_API mote_result mote_system_births(const mote_system *system, mote_birth_list *list);

/** Finds the hits of particles on colliders, as mote_system_deaths; ordered by (step, slot, time). Contacts
 * at rest are none: those no faster than the velocity that the forces give in a substep, or in a step on a
 * collider that moves. (So low bounces are none, and a particle on a collider that gains or loses about as
 * much speed in a step as the forces give in it may have one in each step.) Particles without momentum
 * (advection) that the flow presses on a collider hit it in every substep. Colliders that particles pass have
 * none. Errors: NULL, BUSY, ABSENT (max_hits is 0). */
MOTE_API mote_result mote_system_hits(const mote_system *system, mote_hit_list *list);

#endif
