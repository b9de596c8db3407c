/* Schemes: one integrator of a family as a table of coefficients. */
#ifndef MOTE_INTEGRATORS_SCHEME_H
#define MOTE_INTEGRATORS_SCHEME_H

#include <mote/integrator.h>

#include "base/compiler.h"
#include "math/propagator.h"

typedef enum mote_family {
    MOTE_FAMILY_SPLITTING,   /* kicks and drifts: splitting.h */
    MOTE_FAMILY_VERLET,      /* velocity Verlet: verlet.h */
    MOTE_FAMILY_RUNGE_KUTTA, /* explicit tableaux: runge_kutta.h */
    MOTE_FAMILY_MAP,         /* affine map for the affine forces, kicks for the others: map.h */
    MOTE_FAMILY_ADVECTION,   /* explicit tableaux on x' = u(x, t): advection.h */
    MOTE_FAMILY_COUNT
} mote_family;

#define MOTE_MAX_STAGES    8
#define MOTE_CARRY_COLUMNS 12 /* floats that a particle may carry from stage to stage */

/* Map by which a map family applies one affine force (or their sum) over h. */
typedef enum mote_map_kind {
    MOTE_MAP_EXACT_FLOW,       /* exact flow of the sum of the forces */
    MOTE_MAP_IMPLICIT_EULER,   /* implicit Euler step of the sum of the forces */
    MOTE_MAP_KINEMATIC,        /* exact dv and dx of each force uncoupled, summed */
    MOTE_MAP_KINEMATIC_AVERAGE /* exact dv of each force uncoupled, dx = h dv / 2 */
} mote_map_kind;

/* Scheme of an integrator. A stage evaluates the forces at time t + time h and passes dv = kick h a to the
 * family. */
typedef struct mote_scheme {
    mote_integrator_info info;
    mote_family family;
    uint32_t stages;
    double time[MOTE_MAX_STAGES];
    double kick[MOTE_MAX_STAGES];
    double drift_first;             /* splitting: x += drift_first h v before the first kick */
    double drift[MOTE_MAX_STAGES];  /* splitting: x += drift h v after each kick */
    double next[MOTE_MAX_STAGES];   /* Runge-Kutta: sub-diagonal of the tableau, next[i] = a(i + 1, i) */
    double weight[MOTE_MAX_STAGES]; /* Runge-Kutta: b(i) */
    mote_map_kind map;
    bool kick_after;         /* map: the first kick follows the map, from the same old state, ... */
    double push;             /* ... with x += push h dv */
    bool half_step_velocity; /* velocity column holds v(t - h / 2) */
} mote_scheme;

extern const mote_scheme mote_scheme_table[MOTE_INTEGRATOR_COUNT];

/* Float form of an exact map. */
typedef struct mote_map {
    float xx, xv, xc, vx, vv, vc;
} mote_map;

/* Coefficients of one substep of h seconds. */
typedef struct mote_coefficients {
    float h;
    float drift_first, drift[MOTE_MAX_STAGES];
    float next[MOTE_MAX_STAGES], weight[MOTE_MAX_STAGES];
    bool kick_after;
    float push;
    mote_map map[3]; /* one map per axis; map family only */
} mote_coefficients;

/* Converts h, drift, next and weight to floats. */
void mote_scheme_coefficients(const mote_scheme *scheme, double h, mote_coefficients *coefficients);

/* Returns the time, over h, to which velocities are to take places so that a force from there which is
 * constant through the substep keeps the energy of a spring. Under it the substep is dx = h v + s h^2 a, dv =
 * h a; with q = x + (1 - s) h v: q1 = q0 + h v1, symplectic Euler, if a = a(q0): 1 - s. */
double mote_scheme_held_time(const mote_scheme *scheme);

/* Returns true if one substep h does not grow on x'' = -stiffness x - damping v (1/s^2, 1/s; one of them
 * about 1). */
bool mote_scheme_is_stable(const mote_scheme *scheme, double stiffness, double damping, double h);

/* Whether a step h is stable in some context; and the largest stable h between `good`, which is, and `bad`,
 * which is not, by bisection. */
typedef bool mote_step_check(const void *context, double h);
double mote_bisect_step(mote_step_check *is_stable, const void *context, double good, double bad,
                        int halvings);

/* Searches h = resolution, 2 resolution, ... for the first that is not stable, then bisects. HUGE_VAL if the
 * first `steps` of them are all stable. */
double mote_first_growth(mote_step_check *is_stable, const void *context, double resolution, int steps);

/* Map of a = constant + damping v + stiffness x over h, in double, before the maps of several forces are
 * summed. */
typedef mote_propagator mote_exact_map;

mote_exact_map mote_map_free(double h);
mote_exact_map mote_map_make(mote_map_kind kind, double constant, double damping, double stiffness, double h);

/* Adds term - free flight to *sum: the kinematic integrators sum the maps of their forces in this way. */
void mote_map_add(mote_exact_map *sum, const mote_exact_map *term, double h);
mote_map mote_map_round(const mote_exact_map *map);

#endif
