/* Coupled bodies in double precision, by the integrators of reference.h. */
#ifndef BENCH_COUPLED_H
#define BENCH_COUPLED_H

#include "network_shapes.h"
#include "reference.h"

/* Three coordinates of each body. */
typedef struct coupled_bodies {
    reference_motion motion;
    const network_shape *shape;
    double gravity; /* m/s^2, down */
} coupled_bodies;

/* The shape must outlive the bodies. */
coupled_bodies *coupled_create(const network_shape *shape, mote_integrator integrator, double gravity,
                               double h, bench_noise *noise);
void coupled_destroy(coupled_bodies *bodies);
void coupled_step(coupled_bodies *bodies);

/* J, with true velocities: those of position Verlet are half a step ahead of the carried ones. */
double coupled_energy(const coupled_bodies *bodies);

#endif
