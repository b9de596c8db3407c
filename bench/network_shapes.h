/* Shapes of the networks of the bench: particles, springs and pins as plain arrays, from which the def of the
 * engine, the edge list and the arrays of the batch are made. Numbers are made by + - x / sqrt and integers
 * only, so that hashes agree everywhere. */
#ifndef BENCH_NETWORK_SHAPES_H
#define BENCH_NETWORK_SHAPES_H

#include <mote/network.h>

#include "edge_baseline.h"

typedef struct network_shape {
    uint32_t particle_count, spring_count, pin_count;
    float (*positions)[3], (*velocities)[3]; /* m, m/s */
    float *masses;                           /* kg */
    mote_spring *springs;
    uint32_t *pins; /* particles */
} network_shape;

/* A shape with space for these counts; particles at rest at the origin, no springs, no pins. */
network_shape shape_create(uint32_t particles, uint32_t springs, uint32_t pins);
void shape_destroy(network_shape *shape);

void shape_put(network_shape *shape, uint32_t particle, float x, float y, float z, float mass);

/* Joins two particles by a spring whose rest length is their distance, or by a shorter one that draws with
 * `tension` (N). */
void shape_join(network_shape *shape, uint32_t a, uint32_t b, float stiffness, float damping);
void shape_tighten(network_shape *shape, uint32_t a, uint32_t b, float stiffness, float damping,
                   float tension);

void shape_pin(network_shape *shape, uint32_t particle);

/* --- Nets: particle i is in row i / side and column i % side --- */

typedef struct net_form {
    uint32_t side;                 /* particles along a side */
    float spacing, mass;           /* m, kg, of a particle */
    float slope[2];                /* y and z for each metre down the rows */
    float structural, shear, bend; /* N/m: neighbours, diagonals, second neighbours; 0: none */
    float damping;                 /* kg/s for each N/m of them: s */
    bool corners;                  /* pinned at the ends of the first row, else along all of it */
} net_form;

network_shape net_create(const net_form *form);

/* The side of the largest net of at most so many particles, at least 1. */
uint32_t net_side(uint32_t particles);

/* Chains of `points` particles with space between them, slightly stretched and bent, moving, no pins. */
typedef struct chain_form {
    uint32_t chains, points;
    float mass, stiffness, damping; /* kg of a particle, N/m, kg/s */
} chain_form;

network_shape chains_create(const chain_form *form);

/* --- Objects of the scenes --- */

/* A net that stops balls, for scene net. */
network_shape scene_net_create(uint32_t particles);
/* A suspended footway of sections 0.5 m long. */
#define BRIDGE_NODES 32u /* of a section ... */
#define BRIDGE_WIDTH 9u  /* ... of which the first so many are the footway's surface */
network_shape bridge_create(uint32_t particles);
/* Orb webs, each hung from a pin, which differ in size and place. */
#define WEB_NODES 60u
network_shape webs_create(uint32_t particles);

/* The shape as an edge list with substeps of h (s). */
edge_list shape_edges(const network_shape *shape, uint32_t substeps, float h);

#endif
