/* Coupled bodies in double: every integrator once more, from its formula, all bodies at each stage; shares
 * nothing with the engine. */
#ifndef BENCH_COUPLED_H
#define BENCH_COUPLED_H

#include "accuracy.h"
#include "network_shapes.h"

typedef struct coupled_bodies {
    const network_shape *shape;
    mote_integrator integrator;
    double gravity, h; /* m/s^2 down; s, of a step */
    bench_noise *noise;
    uint32_t numbers;     /* three of each body */
    double *inverse_mass; /* of each number; 0: pinned */
    double *x, *v;        /* as the integrator carries them */
    double *scratch;
} coupled_bodies;

/* The shape must outlive it. */
coupled_bodies *coupled_create(const network_shape *shape, mote_integrator integrator, double gravity,
                               double h, bench_noise *noise);
void coupled_destroy(coupled_bodies *bodies);
void coupled_step(coupled_bodies *bodies);

/* J, of true velocities: position Verlet's are half a step on from those carried. */
double coupled_energy(const coupled_bodies *bodies);

/* The same of a state of the caller's, three numbers a body: x, and v as carried. */
double coupled_energy_at(const coupled_bodies *bodies, const double *x, const double *v);

#endif
