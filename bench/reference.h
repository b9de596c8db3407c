/* The integrators in double precision, each written from its formula, for motions with any number of
 * coordinates. They share no code with the engine. Two kinds of motion use them: one particle
 * (reference_particle.c) and coupled bodies (coupled.c). */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <mote/integrator.h>

/* Half the distance between neighbouring floats, relative to their size, at most. */
#define FLOAT_ROUNDING 0x1p-24

/* Rounding as noise: Monte Carlo arithmetic (Parker, Pierce & Eggert, Computing in Science & Engineering 2
 * (2000) 58). Every operation whose result the engine rounds to a float errs by a random part of
 * FLOAT_ROUNDING; every coefficient that the engine stores errs by one part that is fixed for the run. A
 * pointer of NULL means no noise. */
typedef struct bench_noise {
    uint64_t seed, draws;
} bench_noise;

/* The noise of noisy run `i`. Seeds are far apart, because the streams of neighbouring seeds overlap. */
bench_noise noise_of_run(uint32_t i);

/* A result that the engine rounds to a float; a coefficient that it stores as a float, of that number. */
double noise_rounded(bench_noise *noise, double value);
double noise_stored(const bench_noise *noise, uint32_t number, double value);

/* How the forces that an integrator does not evaluate at points change the state over a step: the exact flow
 * of the affine forces together; their implicit Euler step; each of them alone from the state at the start,
 * exactly or (average) with dx = h (v + dv / 2). */
typedef enum reference_map { MAP_FLOW, MAP_IMPLICIT, MAP_EACH, MAP_EACH_AVERAGE } reference_map;

enum { REFERENCE_SCRATCHES = 7 };

/* A motion; position Verlet carries the velocity of half a step earlier in v. */
typedef struct reference_motion {
    mote_integrator integrator;
    uint32_t numbers; /* of coordinates */
    double h;         /* s */
    double *x, *v;
    const double *inverse_mass; /* of each number, 0: it never moves; NULL: all move */
    bench_noise *noise;
    double *scratch; /* REFERENCE_SCRATCHES arrays */
    /* a of the forces that a map can take (`mapped`), of the others, or of both; for integrators that advect
     * the velocity field instead. */
    void (*accelerate)(const struct reference_motion *motion, double time, const double *x, const double *v,
                       bool mapped, bool others, double *a);
    /* Adds the changes of x and v over a step from the state of the motion to dx and dv, which are 0. */
    void (*map)(const struct reference_motion *motion, reference_map kind, double *dx, double *dv);
    const void *forces;
} reference_motion;

/* One step from `time`. */
void reference_advance(reference_motion *motion, double time);

/* True velocities before the first step become those that the integrator carries. */
void reference_begin(reference_motion *motion, double time);

/* The true velocity at `time` of a state as the integrator carries it. */
void reference_true_velocity(const reference_motion *motion, double time, const double *x, const double *v,
                             double *to);

#endif
