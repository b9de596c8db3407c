/* Largest step at which springs that share particles do not grow, from sums over each particle's springs. */
#ifndef MOTE_INTEGRATORS_COUPLING_H
#define MOTE_INTEGRATORS_COUPLING_H

#include "integrators/scheme.h"

/* Sums over the springs of one particle of mass m. mu = 1 / (1/m + 1/m') is the reduced mass of a spring, m'
 * the mass of its other end; g is 2 for all springs or 1 + m / m' for all, and 1 where the other end is
 * pinned. The maximum over the particles bounds the whole network for every motion u: u.Ku <= max(stiffness)
 * u.Mu, and likewise for the others. */
typedef struct mote_spring_sums {
    double stiffness; /* sum of g k / m, 1/s^2 */
    double damping;   /* sum of g c / m, 1/s */
    double weight;    /* sum of g mu / m */
} mote_spring_sums;

/* Properties of a network's springs. */
typedef struct mote_coupling {
    mote_spring_sums most;                  /* largest of each sum over the particles that move */
    double particle_step;                   /* least mote_particle_step of the particles */
    double least_ratio, most_ratio;         /* c / k over the springs, s; HUGE_VAL for k = 0 */
    double least_stiffness, most_stiffness; /* k / mu over the springs, each uncoupled */
    double least_damping, most_damping;     /* c / mu */
} mote_coupling;

/* Returns the largest h, at most `limit`, that the sums of one particle allow; see coupling.c. */
double mote_particle_step(mote_integrator integrator, const mote_spring_sums *sums, double limit);

/* Returns the initial limit for mote_particle_step: the largest h that each spring allows uncoupled. */
double mote_alone_step(mote_integrator integrator, const mote_coupling *coupling);

/* Returns the bound of the step. 0: grows at any h; HUGE_VAL: never grows. */
double mote_coupling_step(mote_integrator integrator, const mote_coupling *coupling);

#endif
