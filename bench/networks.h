/* Networks on the bench: a system with one network, stepped one step a frame, with sums of its step reports.
 */
#ifndef BENCH_NETWORKS_H
#define BENCH_NETWORKS_H

#include "contenders.h"
#include "network_shapes.h"
#include "scenes.h"

#define NETWORK_GRAVITY 9.81f /* m/s^2, down */

/* Sums over all frames so far. */
typedef struct network_tally {
    uint64_t frames, substeps; /* substeps: those that the network took */
    double iterations,
        linear; /* constrained: linear systems, conjugate-gradient iterations, over islands and substeps */
    double unsolved, residual;     /* substeps of islands that ended above max_strain; the largest residual */
    uint64_t capped, frozen, torn; /* frames; islands of the last frame; springs */
} network_tally;

typedef struct network_run {
    mote_system *system;
    mote_network_id network;
    uint32_t particles, springs, substeps, sections; /* substeps: the system's; sections: of a bridge */
    uint64_t frame;
    double energy_at_start;                /* J, kinetic, elastic and of gravity */
    void (*move)(struct network_run *run); /* called before each frame; NULL: nothing */
    network_tally tally;
} network_run;

/* A system of `def` with gravity unless weightless, without other particles, and with the network of a shape,
 * pinned where it is placed; `network` gives everything but the arrays. An error ends the program and names
 * the particle or the spring. */
network_run *network_run_create(const mote_system_def *def, bool weightless, const mote_network_def *network,
                                const network_shape *shape);

/* One frame: move, one step, tally. */
void network_run_frame(network_run *run);
void network_run_destroy(network_run *run);

mote_statistics network_measured(const network_run *run);

/* J: kinetic, elastic and of gravity, with the velocities of the columns. */
double network_energy(const network_run *run);

/* --- Networks of mote-bench run and verify --- */

typedef struct network_setup {
    const network_shape *shape;
    mote_integrator integrator;
    mote_network_solver solver;
    uint32_t substeps, threads;
    mote_rate rate;
    float max_strain;                    /* constrained; 0: the default, as are ... */
    uint32_t max_iterations, max_linear; /* ... these */
    bool growth_allowed, weightless;
} network_setup;

network_run *network_create(const network_setup *setup);

/* s. */
double network_substep(const network_setup *setup);

/* Position (m) and velocity (m/s) of particle `i` of the shape in the columns. */
void network_place(const network_run *run, uint32_t i, float place[3]);
void network_velocity(const network_run *run, uint32_t i, float velocity[3]);

#endif
