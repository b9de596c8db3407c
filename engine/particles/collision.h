/* Collisions of loose particles with the colliders of a system: input of the kernels in one step. */
#ifndef MOTE_PARTICLES_COLLISION_H
#define MOTE_PARTICLES_COLLISION_H

#include <stddef.h>
#include <string.h>

#include <mote/events.h>
#include <mote/force.h>

#include "contacts/colliders.h"

/* Slots that share a list of near colliders: their positions and velocities fit the first-level cache. */
#define MOTE_COLLISION_BLOCK 1024u

/* Adds hits to the events of an advance. */
struct mote_events;
typedef void mote_hits_call(struct mote_events *events, const mote_hit *hits, uint32_t count);

/* Colliders that particles of one block can reach. Others are at least `free` (m, in each of x, y, z) away
 * from every place where a particle of the block begins the step. */
typedef struct mote_near {
    uint32_t count;
    float free;
    uint8_t index[MOTE_MAX_COLLIDERS];
} mote_near;

typedef struct mote_collision mote_collision;
struct mote_collision {
    const mote_collider_pose *poses; /* row s, collider i: poses[s count + i]; substeps + 1 rows */
    mote_near all;                   /* every collider that acts on particles */
    uint32_t count;
    float h, inverse_h, theta;              /* s, 1/s; a substep from (x, v) is h (v + theta dv): 1/2 or 1 */
    bool still;                             /* all colliders are at rest */
    bool hollow;                            /* some may be hollow: distance grids */
    bool half_step;                         /* velocity columns hold v(t - h/2) */
    bool advects;                           /* particles have no momentum */
    bool springs;                           /* affine forces depend on the position: */
    float stiffness[3], force_stiffness[3]; /* change of the acceleration with it, 1/s^2, of the force, N/m */
    bool attracts;                          /* attractors act, and velocities lag: collide_attracted.h */
    bool drags;                             /* forces depend on the velocity: */
    float damping[3], force_damping[3];     /* change of the acceleration with it, 1/s, of the force, kg/s, */
                                            /* of affine ones */
    bool inline_drags, quadratic_drags;     /* some are linear drags that are not folded, quadratic ones: */
    const mote_force_def *forces;           /* those of the plan */
    uint32_t force_count;
    float radius;                /* m, of all particles ... */
    const float *radii;          /* ... or of each; NULL: uniform */
    uint32_t *stuck;             /* columns of stuck particles (particles.h); NULL: absent */
    float *stuck_place[3];       /* m, in the axes of the collider */
    uint8_t *fate;               /* MOTE_FATE_COLLIDED is written here */
    uint32_t *killed;            /* set to 1 where a particle was killed; NULL: none are */
    struct mote_events *events;  /* to which hits are added */
    mote_hits_call *add_hits;    /* mote_events_hits; NULL: hits are not listed */
    uint32_t mark;               /* of the system, in the ids of its colliders */
    const mote_particle_id *ids; /* of the particles, or NULL */
    uint64_t step;               /* steps run at the end of this one */
    float inverse_substeps;
    const float *inverse_masses; /* NULL: uniform */
    float inverse_mass;
    /* Columns of orientation, for the spin that friction gives; NULL: particles have none. */
    float *orientation[4], *spin[3];
    const float *inertias[3]; /* NULL: uniform */
    float inertia[3];
    bool principal_moments;
    float friction[MOTE_MAX_COLLIDERS]; /* of each collider against the particles */
};

/* Copies an input, but no frictions beyond those of its colliders. */
MOTE_INLINE void mote_collision_copy(mote_collision *to, const mote_collision *from) {
    memcpy(to, from, offsetof(mote_collision, friction) + from->count * sizeof from->friction[0]);
}

/* Bounds of a run of slots: of finite positions, of velocities in each of x, y, z. Empty: low > high. */
typedef struct mote_slot_bounds {
    float low[3], high[3];
    float speed, radius; /* m/s, m */
    bool any_stuck;
} mote_slot_bounds;

/* Selects the colliders that particles within the bounds may reach in a step of `timestep`. */
void mote_collision_near(const mote_collision *collision, uint32_t substeps, double timestep,
                         const mote_slot_bounds *bounds, mote_near *near);

#endif
