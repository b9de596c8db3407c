/* The face of a force to the rest of the engine. A force is one file, NAME.h, with its inline evaluation and
 * its row, and one line of the list in list.h; nothing outside this folder knows a kind by name. */
#ifndef MOTE_FORCES_FORCE_H
#define MOTE_FORCES_FORCE_H

#include <mote/force.h>

#include "forces/affine.h"
#include "math/wide.h"

typedef enum mote_force_path {
    MOTE_PATH_AFFINE,  /* folded into one term before the loop */
    MOTE_PATH_POINT,   /* evaluated inline, in registers */
    MOTE_PATH_CALLBACK /* goes through scratch columns */
} mote_force_path;

/* Unit of an evaluation. Of a callback: its def says. */
typedef enum mote_force_gives {
    MOTE_GIVES_ACCELERATION, /* m/s^2 */
    MOTE_GIVES_FORCE,        /* N */
    MOTE_GIVES_FIELD         /* a vector whose meaning is def->use */
} mote_force_gives;

/* One register of particles, as a force sees it. */
typedef struct mote_force_point {
    wide3 x, v, anchor; /* anchor: of the particle, m */
    double time;        /* s */
} mote_force_point;

typedef struct mote_force_row {
    const char *name;
    mote_force_path path;
    bool reads_velocity; /* an inline force; an affine one says so by its damping, a callback in its def */
    bool reads_time;
    bool needs_anchors;   /* one of each particle */
    bool attracts;        /* evaluated by mote_attractor_evaluate: the kernels for attractors take it */
    size_t bytes;         /* of def->as: floats, of which all must be finite ... */
    size_t integer_bytes; /* ... but the last ones, which are integers. All count in the hash */
    mote_result (*check)(const mote_force_def *def); /* beyond that; NULL: any finite values will do */
    /* Affine forces: adds to the accelerations and to the forces in N. */
    void (*fold)(const mote_force_def *def, mote_affine *acceleration, mote_affine *force);
    /* Potential energy (J) of a mass (kg) at x (m). anchor: of the particle, or NULL. NULL: it has none. */
    double (*potential)(const mote_force_def *def, const double x[3], const double *anchor, double mass);
    /* What counts in the hash beside or in place of `bytes`; NULL: nothing. */
    uint64_t (*hash)(const mote_force_def *def, uint64_t seed);
} mote_force_row;

/* Properties of a def that has been checked: its path (an affine force in a region is inline); whether it
 * gives N; whether it reads velocity (inline forces and callbacks), the time, other particles of the range;
 * whether it needs an anchor per particle; whether it is a velocity field; whether it is an attractor without
 * a region. */
mote_force_path mote_force_path_of(const mote_force_def *def);
bool mote_force_gives_newtons(const mote_force_def *def);
bool mote_force_reads_velocity(const mote_force_def *def);
bool mote_force_reads_time(const mote_force_def *def);
bool mote_force_reaches_range(const mote_force_def *def);
bool mote_force_needs_anchors(const mote_force_def *def);
bool mote_force_is_velocity_field(const mote_force_def *def);
bool mote_force_is_attractor(const mote_force_def *def);

/* Adds an affine force to the two sums. */
void mote_force_fold(const mote_force_def *def, mote_affine *acceleration, mote_affine *force);

/* Whether a force has a potential: that of its row, and no region. */
bool mote_force_has_potential(const mote_force_def *def);
double mote_force_potential(const mote_force_def *def, const double x[3], const double *anchor, double mass);

/* The hash of a def. A callback counts with its promises, not with addresses, which differ from run to run.
 */
uint64_t mote_force_hash(const mote_force_def *def, uint64_t seed);

/* For the functions that make defs: NaN where `from` is NULL, so that the def is refused. */
MOTE_INLINE void mote_copy_vector(float to[3], const float *from) {
    for (int axis = 0; axis < 3; axis++) to[axis] = from ? from[axis] : __builtin_nanf("");
}

/* For the checks: MOTE_ERROR_RANGE if value < 0. */
mote_result mote_check_not_negative(float value);

#endif
