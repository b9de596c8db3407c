/* The plain references of spring networks, by particles and springs in the host's numbering: once in double,
 * with the equations of the integrators as the books have them, for physics; once in float, in the order of
 * operations that the kernels promise, for bits. Neither knows slots, lanes, blocks or lines. */
#ifndef MOTE_TESTS_REFERENCE_NETWORK_H
#define MOTE_TESTS_REFERENCE_NETWORK_H

#include "reference.h"

typedef double reference_triple[3];

typedef struct reference_spring {
    uint32_t a, b;
    bool alive, reels;
    float rest_length, tear_strain;
    double stiffness, damping; /* floats but where a test says otherwise */
    float from, to;            /* of a reel, m */
    uint64_t from_tick, to_tick;
} reference_spring;

typedef struct reference_pin {
    uint32_t particle;
    double from[3], to[3];
    uint64_t from_tick, to_tick;
} reference_pin;

typedef struct reference_network {
    uint32_t count, spring_end, spring_capacity, pin_count, torn_count;
    bool in_double, started;
    float uniform_mass;     /* 1/kg of every particle that is not pinned; 0: they differ */
    float *own_mass, *mass; /* 1/kg without pins; with: 0 */
    uint32_t *island;       /* of each particle: one that stands for its island */
    bool *frozen;           /* particles of islands that turned non-finite (float) */
    reference_spring *spring;
    reference_pin *pin;
    uint32_t *torn;
    uint32_t last_substeps;                /* of the last step */
    reference_row *x, *v, *reaction;       /* in float */
    reference_triple *dx, *dv, *dreaction; /* in double */
} reference_network;

/* A callback of the scene in double: adds m/s^2 to a. */
typedef void reference_network_force(const void *user, double time, double inverse_mass, const double x[3],
                                     const double v[3], double a[3]);

/* All that acts from outside in one step. */
typedef struct reference_surroundings {
    mote_integrator integrator;
    const mote_force_def *forces; /* in double: affine ones alone count, callbacks are `force` */
    uint32_t force_count;
    reference_network_force *force;
    const void *user;
    double start_time, timestep;
    uint32_t substeps;
    uint64_t step, ticks_per_step;
} reference_surroundings;

/* Reads the def's arrays. Rest lengths AS_PLACED are those of the positions. */
reference_network *reference_network_make(const mote_network_def *def, bool in_double);
void reference_network_destroy(reference_network *network);

/* One step, and the springs that tore in it into torn. */
void reference_network_step(reference_network *network, const reference_surroundings *around);

/* The edits, at the boundary tick `now`; `tick` is not MOTE_NEXT_ADVANCE. */
uint32_t reference_network_add(reference_network *network, const mote_spring *spring);
void reference_network_remove(reference_network *network, uint32_t number);
void reference_network_set(reference_network *network, uint32_t number, float stiffness, float damping,
                           float tear_strain);
void reference_network_reel(reference_network *network, uint32_t number, float length, uint64_t now,
                            uint64_t tick);
void reference_network_pin(reference_network *network, uint32_t particle, const float target[3], uint64_t now,
                           uint64_t tick);
void reference_network_unpin(reference_network *network, uint32_t particle);

/* --- Between the files of the references --- */

/* The time at substep + fraction, in s. */
double reference_seconds(const reference_surroundings *around, double at);

/* Pins stand where they are at substep + fraction. */
void reference_place_pins(reference_network *network, const reference_surroundings *around, double at);

/* Their velocity over a substep, (end - start) / h; they stand at its start. */
void reference_move_pins(reference_network *network, const reference_surroundings *around, uint32_t substep);

/* The rest length at substep + fraction: in float; a double reference may not round it. */
double reference_length(const reference_network *network, const reference_spring *spring,
                        const reference_surroundings *around, double at);

void reference_double_network_step(reference_network *network, const reference_surroundings *around);
void reference_float_network_step(reference_network *network, const reference_surroundings *around);

#endif
