/* The baselines: one substep as it is commonly written, with one pass over memory; by semi-implicit Euler
 * unless the comment names another method. */
#ifndef BENCH_BASELINES_H
#define BENCH_BASELINES_H

#include <cglm/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe.h"
#include "widths.h"

#define MAX_ATTRACTORS 4u

/* The forces of a scene as plain numbers; the engine gets the same numbers in force defs. */
typedef struct scene_forces {
    float gravity[3];                /* m/s^2 */
    float wind[3], drag;             /* m/s; kg/s; drag 0: no wind */
    uint32_t attractor_count;        /* 0, 1 or 4 */
    float centre[MAX_ATTRACTORS][3]; /* m */
    float strength, softening;       /* m^3/s^2; m; the same for all */
} scene_forces;

/* 60 bytes, a usual size of a particle in an array of structs. */
typedef struct struct_particle {
    vec3 position, velocity, force, previous;
    float mass, age, lifetime;
} struct_particle;

/* The particles of one worker, and the substep. */
typedef struct baseline_span {
    size_t first, last;
    float h; /* s */
} baseline_span;

_Static_assert(sizeof(struct_particle) == 60, "the struct baseline is defined by its 60 bytes");

/* The damped oscillator of section integrators, F = -k (x - anchor) - b v. */
#define OSCILLATOR_ANCHOR    1, 2, 3
#define OSCILLATOR_STIFFNESS 15.0f
#define OSCILLATOR_DAMPING   0.1f

typedef struct baseline_loops {
    /* Sums the forces of each particle into its struct, then v += h F / m, x += h v, with the vec3 functions
     * of cglm. Previous position, age and lifetime are not accessed, as in the engine without interpolation
     * and lifetimes. */
    void (*structs)(struct_particle *particles, size_t first, size_t last, const scene_forces *forces,
                    float h);
    /* A hand-written loop over columns: uniform mass, constants folded, everything vectorised. */
    void (*plain)(const probe_columns *columns, size_t first, size_t last, const scene_forces *forces,
                  float mass, float h);
    /* One substep of velocity Verlet around one attractor, for forces that do not read velocity: x += h (v +
     * a h / 2), a' at x, v += (a h + a' h) / 2. kick: columns of a h, which are read if `reuse` and else
     * evaluated, and written if `keep`. */
    void (*verlet)(const probe_columns *columns, float *const kick[3], baseline_span span,
                   const scene_forces *forces, bool reuse, bool keep);
    /* One stage, 0 to 3, of RK4 over whole arrays, as in an array library: the state at the stage and the
     * weighted sums of slopes are in memory, six columns each. */
    void (*rk4_stage)(const probe_columns *columns, float *const at[6], float *const sum[6],
                      baseline_span span, uint32_t stage, float mass);
} baseline_loops;
extern const baseline_loops baseline_loops_preferred, baseline_loops_512;
extern const baseline_loops *const baseline_loops_of[WIDTHS];

#endif
