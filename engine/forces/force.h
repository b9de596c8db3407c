/* Interface of a force to the rest of the engine. A force is one file, NAME.h, with its inline evaluation and
 * its row, and one line of the list in list.h. No code outside this folder knows a force by its kind. */
#ifndef MOTE_FORCES_FORCE_H
#define MOTE_FORCES_FORCE_H

#include <mote/force.h>

#include "base/check.h"
#include "forces/affine.h"
#include "math/wide.h"

typedef enum mote_force_path {
    MOTE_PATH_AFFINE,  /* folded into one term before the loop */
    MOTE_PATH_POINT,   /* evaluated inline, in registers */
    MOTE_PATH_CALLBACK /* evaluated through scratch columns */
} mote_force_path;

/* Unit of an evaluation. A callback's unit is in its def. */
typedef enum mote_force_gives {
    MOTE_GIVES_ACCELERATION, /* m/s^2 */
    MOTE_GIVES_FORCE,        /* N */
    MOTE_GIVES_FIELD         /* vector whose meaning is def->use */
} mote_force_gives;

/* Input of a force: one register of particles. */
typedef struct mote_force_point {
    wide3 x, v, anchor;                      /* anchor: of the particle, m */
    wide inverse_mass;                       /* 1/kg */
    float drag_rate;                         /* limit of quadratic drag, 1/s: mote_plan */
    double time;                             /* s */
    const struct mote_noise_moment *moments; /* of curl noise: its two potentials at that time */
} mote_force_point;

/* A particle of a mass (kg) at x (m), for its potential. anchor: its own, or NULL. */
typedef struct mote_force_place {
    const double *x, *anchor;
    double mass;
} mote_force_place;

/* Bytes of a member of def->as, and the bit of a float of it. */
#define MOTE_PARAMETERS(member) sizeof(((mote_force_def *)0)->as.member)
#define MOTE_PARAMETER(member)                                                                               \
    (1u << (offsetof(mote_force_def, as.member) - offsetof(mote_force_def, as)) / 4)

#define MOTE_FORCE_COOKIE 0x666f7263u /* of defs */

/* A member of def->as that consists of floats. */
typedef struct mote_force_field {
    const char *name;
    uint32_t floats;
} mote_force_field;

/* Words of a force in a snapshot: kind, region, use, drag, names of pointers of the host, parameters. */
#define MOTE_FORCE_HOST_WORDS 4
#define MOTE_FORCE_WORDS      48

typedef struct mote_force_row {
    const char *name;
    mote_force_path path;
    double cost;         /* ns of an evaluation for one particle (base/work.h); folded: 0 */
    bool reads_velocity; /* inline evaluation; folded: see its damping; callback: see its def */
    size_t damping; /* offset in the def of the drag of an inline evaluation, kg/s; 0: none, or a field */
    bool reads_time;
    bool needs_anchors;         /* needs one anchor per particle */
    bool attracts;              /* evaluated by mote_attractor_evaluate, in the kernels for attractors */
    bool noise;                 /* curl noise */
    size_t bytes;               /* bytes of def->as: floats, which must all be finite ... */
    size_t integer_bytes;       /* ... except the last ones, which are integers; all are hashed */
    uint32_t not_negative;      /* floats of def->as that must not be negative: bits MOTE_PARAMETER */
    mote_force_field fields[4]; /* of these floats, in the order of memory */
    /* Further checks, which name the field; NULL: none. */
    mote_result (*check)(const mote_force_def *def, const char **name);
    /* Adds an affine force to the sum of its unit. */
    void (*fold)(const mote_force_def *def, mote_affine *sum);
    /* Returns the potential energy (J) of a particle. NULL: no potential. */
    double (*potential)(const mote_force_def *def, const mote_force_place *at);
    /* Hashes data beside or in place of `bytes`; NULL: none. */
    uint64_t (*hash)(const mote_force_def *def, uint64_t seed);
    /* Pointers of the host, which are not in snapshots; NULL: none. name_host writes words that name them;
     * take_host takes those of `like` if they have that name. */
    void (*name_host)(const mote_force_def *def, uint32_t words[MOTE_FORCE_HOST_WORDS]);
    bool (*take_host)(mote_force_def *def, const uint32_t words[MOTE_FORCE_HOST_WORDS],
                      const mote_force_def *like);
} mote_force_row;

/* Properties of a checked def: its path (an affine force in a region is inline); whether its unit is N;
 * whether it reads velocity (inline forces and callbacks), the time, or other particles of the range; whether
 * it needs an anchor per particle; whether it is a field, and a velocity field; whether it is an attractor
 * without a region; a quadratic drag in a region or not, and without one. */
mote_force_path mote_force_path_of(const mote_force_def *def);
bool mote_force_gives_newtons(const mote_force_def *def);
bool mote_force_reads_velocity(const mote_force_def *def);
bool mote_force_reads_time(const mote_force_def *def);
bool mote_force_reaches_range(const mote_force_def *def);
bool mote_force_needs_anchors(const mote_force_def *def);
bool mote_force_is_field(const mote_force_def *def);
bool mote_force_is_velocity_field(const mote_force_def *def);
bool mote_force_is_attractor(const mote_force_def *def);
bool mote_force_drags(const mote_force_def *def);
bool mote_force_is_quadratic_drag(const mote_force_def *def);
bool mote_force_is_noise(const mote_force_def *def);
bool mote_force_is_constant(const mote_force_def *def);

/* Returns the linear drag (kg/s) of an inline force where it is full; 0 of any other. */
float mote_force_damping(const mote_force_def *def);

/* Returns the time of an evaluation for one particle, ns (base/work.h). */
double mote_force_cost(const mote_force_def *def);

/* Adds an affine force to the two sums. */
void mote_force_fold(const mote_force_def *def, mote_affine *acceleration, mote_affine *force);

/* Returns true if the force has a potential: its row defines one, and it has no region. */
bool mote_force_has_potential(const mote_force_def *def);
double mote_force_potential(const mote_force_def *def, const mote_force_place *at);

/* Returns the hash of a def, chained after `seed`. A callback is hashed by its unit and reach, not by its
 * addresses, which differ from run to run. */
uint64_t mote_force_hash(const mote_force_def *def, uint64_t seed);

/* Writes a def to words. */
void mote_force_pack(const mote_force_def *def, uint32_t words[MOTE_FORCE_WORDS]);

/* Reads a def from words; it must be checked afterwards. Pointers of the host are taken from the first of
 * `count` forces that has the same ones. Returns false if there is none, or the kind is none. */
bool mote_force_unpack(mote_force_def *def, const uint32_t words[MOTE_FORCE_WORDS],
                       const mote_force_def *like, uint32_t count);

/* Copies a vector into a def; NaN if `from` is NULL, so that the check of the def fails. */
MOTE_INLINE void mote_copy_vector(float to[3], const float *from) {
    for (int axis = 0; axis < 3; axis++) to[axis] = from ? from[axis] : __builtin_nanf("");
}

#endif
