/* The table of forces: one row a kind. Adding a force is NAME.h, NAME.c and a row in table.c; a point
 * force (neither affine nor a callback) has its inline evaluation in NAME.h and a case in kernels/points.h
 * besides. */
#ifndef MOTE_FORCES_TABLE_H
#define MOTE_FORCES_TABLE_H

#include <mote/force.h>

#include "forces/affine.h"

typedef enum mote_force_path {
    MOTE_PATH_AFFINE,  /* folded into one term before the loop */
    MOTE_PATH_POINT,   /* evaluated inline, in registers */
    MOTE_PATH_CALLBACK /* goes through scratch columns */
} mote_force_path;

typedef struct mote_force_row {
    const char *name;
    mote_force_path path;
    bool reads_velocity; /* of an inline force; an affine one says so by its damping, a callback in its def */
    bool field;          /* gives vectors whose meaning is def->use */
    bool newtons;        /* gives N rather than m/s^2; a field used as wind does too */
    uint32_t parameters; /* floats from &def->as on that must be finite */
    uint32_t words;      /* 32-bit words from &def->as on that count in the hash */
    mote_result (*check)(const mote_force_def *def); /* beyond that; NULL: any finite values will do */
    /* Affine forces: adds to the accelerations and to the forces in N. */
    void (*fold)(const mote_force_def *def, mote_affine *acceleration, mote_affine *force);
    /* Potential energy (J) of a mass (kg) at x (m); NULL: it has none. */
    double (*potential)(const mote_force_def *def, const double x[3], double mass);
} mote_force_row;

extern const mote_force_row *const mote_force_table[MOTE_FORCE_KIND_COUNT];

/* What a def does: its path (an affine force in a region is inline), whether it gives N, whether it reads
 * velocity (inline forces and callbacks), whether it is a velocity field. The def has been checked. */
mote_force_path mote_force_path_of(const mote_force_def *def);
bool mote_force_gives_newtons(const mote_force_def *def);
bool mote_force_reads_velocity(const mote_force_def *def);
bool mote_force_is_velocity_field(const mote_force_def *def);

/* The floats of a def, row->parameters of them. */
MOTE_INLINE const float *mote_force_parameters(const mote_force_def *def) {
    return (const float *)(const void *)&def->as;
}

/* For the functions that make defs: NaN where `from` is NULL, so that the def is refused. */
void mote_copy_vector(float to[3], const float *from);

/* For the checks: MOTE_ERROR_RANGE if value < 0. */
mote_result mote_check_not_negative(float value);

#endif
