/* The baselines: one substep of semi-implicit Euler as others write it, one pass over memory each. */
#ifndef BENCH_BASELINES_H
#define BENCH_BASELINES_H

#include <cglm/types.h>
#include <stddef.h>
#include <stdint.h>

#include "probe.h"

#define MAX_ATTRACTORS 4u

/* The forces of a scene, as plain numbers; the engine gets the same as force defs. */
typedef struct scene_forces {
    float gravity[3];                /* m/s^2 */
    float wind[3], drag;             /* m/s; kg/s; drag 0: no wind */
    uint32_t attractor_count;        /* 0, 1 or 4 */
    float centre[MAX_ATTRACTORS][3]; /* m */
    float strength, softening;       /* m^3/s^2; m; the same for all */
} scene_forces;

/* 60 bytes: what a particle usually is in an array of structs. */
typedef struct struct_particle {
    vec3 position, velocity, force, previous;
    float mass, age, lifetime;
} struct_particle;

_Static_assert(sizeof(struct_particle) == 60, "the struct baseline is defined by its 60 bytes");

/* Sums the forces of each particle into its struct, then v += h F / m, x += h v, by cglm's vec3 functions. It leaves
 * previous position, age and lifetime alone, as the engine does without interpolation and lifetimes. */
void baseline_struct(struct_particle *particles, size_t first, size_t last, const scene_forces *forces, float h);

/* The loop over columns that a good programmer writes: uniform mass, constants folded, everything vectorised. */
void baseline_plain(const probe_columns *columns, size_t first, size_t last, const scene_forces *forces, float mass,
                    float h);

#endif
