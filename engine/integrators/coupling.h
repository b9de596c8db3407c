/* The largest step at which springs that share particles do not grow, from sums over each particle's
 * springs. */
#ifndef MOTE_INTEGRATORS_COUPLING_H
#define MOTE_INTEGRATORS_COUPLING_H

#include "integrators/scheme.h"

/* Of one particle of mass m, over its springs; g as in network.h, mu = 1 / (1/m + 1/m') the reduced mass of a
 * spring. Each bounds what the springs of a network together may be, whatever the motion u: u.Ku <= max of
 * `stiffness` u.Mu, and so on. */
typedef struct mote_spring_sums {
    double stiffness; /* sum of g k / m, 1/s^2 */
    double damping;   /* sum of g c / m, 1/s */
    double weight;    /* sum of g mu / m */
} mote_spring_sums;

/* What is known of a network's springs. */
typedef struct mote_coupling {
    mote_spring_sums most;                  /* the largest of each over the particles that move */
    double particle_step;                   /* the least mote_particle_step of them */
    double least_ratio, most_ratio;         /* c / k over the springs, s; HUGE_VAL where k is 0 */
    double least_stiffness, most_stiffness; /* k / mu over the springs: each as if alone */
    double least_damping, most_damping;     /* c / mu */
} mote_coupling;

/* The largest h, at most `limit`, that these sums allow: see coupling.c. */
double mote_particle_step(mote_integrator integrator, const mote_spring_sums *sums, double limit);

/* Where mote_particle_step may begin: what the springs allow each alone. */
double mote_alone_step(mote_integrator integrator, const mote_coupling *coupling);

/* The bound. 0: grows at any h; HUGE_VAL: never. */
double mote_coupling_step(mote_integrator integrator, const mote_coupling *coupling);

#endif
