/* Emitters of a system, and the births of a step. */
#ifndef MOTE_PARTICLES_EMITTERS_H
#define MOTE_PARTICLES_EMITTERS_H

#include <mote/emitter.h>

#include "base/id_list.h"
#include "contacts/motion.h"
#include "particles/particles.h"

#define MOTE_EMITTER_COOKIE 0x656d6974u /* of defs */

/* Angles of a def, as the kernel reads them. */
typedef struct mote_emitter_angles {
    float versine;      /* 1 - the cosine of the greatest angle to the mean direction */
    float slope;        /* cone: tan(angle) */
    float spin_axis[3]; /* in the axes of the emitter, of length 1; 0: random */
} mote_emitter_angles;

typedef struct mote_emitter {
    mote_emitter_def def; /* def.transform is the last placement; the motion gives the current one */
    mote_emitter_angles angles;
    mote_motion motion;
    uint32_t waiting; /* births of bursts in the next step */
    uint64_t serial;  /* births so far, those included that found no capacity */
    double due;       /* share of the next birth, in [0, 1) */
} mote_emitter;

MOTE_INLINE mote_emitter *mote_emitter_at(const mote_id_list *list, uint32_t place) {
    return (mote_emitter *)list->items + place;
}

/* Sets the def, which has been checked, and its angles. */
void mote_emitter_define(mote_emitter *emitter, const mote_emitter_def *def);

/* One emitter in one step, as its kernel reads it. */
typedef struct mote_emission {
    const mote_emitter_def *def;
    const mote_emitter_angles *angles;
    mote_transform from,
        to;             /* placement at the start of the step, and where its travel ends within the step */
    float travel_rate;  /* travel = min(f travel_rate, 1) */
    float inherited[3]; /* m/s, added; 0 after the end of the travel */
    /* rad/s, share of the angular velocity times |q|^2 at a travel, which does not change on the way: 2 Im(q1
     * q0*) over its duration, of unit quaternions. 0 after the end of the travel. */
    float turning[3];
    float timestep;  /* s */
    float spacing;   /* of births, as a fraction of the step */
    uint32_t stream; /* of its random numbers: the serial number of the emitter in its list */
    uint64_t serial; /* of the first birth of the step */
    const struct mote_collision *collision; /* of the ways from birth to the end of the step; NULL: none */
} mote_emission;

/* Columns of the newborn, of which newborn 0 is in slot `first`. Absent ones are NULL. */
struct mote_newborn {
    size_t first;
    float *x[3], *v[3], *previous_x[3], *previous_v[3];
    float *inverse_mass, *lifetime, *initial_age, *radius, *extra[MOTE_MAX_EXTRA_COLUMNS];
    float *orientation[4], *angular_velocity[3];
};

/* Births of all emitters at the end of step->number. */
typedef struct mote_births {
    uint32_t born;
    uint64_t unborn; /* for want of capacity */
} mote_births;

/* Emits at the end of a step, in the order of the list. */
mote_births mote_emitters_run(mote_id_list *list, mote_particles *particles, const mote_step *step);

/* Births between steps: mote_system_emit. */
typedef struct mote_emit {
    mote_transform at;
    float velocity[3]; /* m/s, added */
    uint32_t count;
} mote_emit;

/* Gives birth to particles of an emitter now, at the boundary before now->number. */
mote_births mote_emitter_emit(mote_id_list *list, uint32_t place, mote_particles *particles,
                              const mote_step *now, const mote_emit *emit);

/* Resolves pending targets at the start of an advance that will end at end_tick. */
void mote_emitters_resolve(mote_id_list *list, uint64_t end_tick);

/* Keeps arrivals by `now` (base/travel.h). */
void mote_emitters_keep_arrivals(mote_id_list *list, uint64_t now);

/* Returns the hash of an emitter, chained after `seed`. */
uint64_t mote_emitter_hash(uint64_t seed, const mote_id_list *list, uint32_t place);

#endif
