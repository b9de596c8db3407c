/* Scenes: the objects that contenders step. A scene is one row of the table in scenes.c; a scene that needs
 * more than forces and a first state (a loop of its own over the engine, other baselines, figures of its own)
 * has a file of its name. */
#ifndef BENCH_SCENES_H
#define BENCH_SCENES_H

#include "contenders.h"
#include "measure.h"

typedef struct scene_particle {
    float position[3], velocity[3];
} scene_particle;

/* A figure of one scene, beside those of every row. */
typedef struct scene_figure {
    const char *key, *unit; /* in the files; unit as of a row_quantity */
    const char *sentence;   /* in the table, after the value over `scale` */
    double scale;           /* 1, 1e6, 0.01 for a per cent */
    spread value;           /* min = max: known, not measured */
} scene_figure;

#define MAX_FIGURES 8u

/* Operations that the kernel of a scene takes for a particle and substep, counted in its source. */
typedef struct scene_arithmetic {
    double add, multiply, divide, root;
} scene_arithmetic;

typedef struct bench_scene {
    const char *name;
    const char *description;
    const scene_forces *forces;
    void (*add_forces)(mote_system *system); /* forces that scene_forces cannot describe; NULL: none */
    mote_integrator integrator;              /* by default, and that of the baselines */
    uint32_t particles;                      /* by default */
    /* Bytes a particle of all contenders of a row and the arena: the slope of the most resident memory of
     * `run --section throughput` between two sizes. */
    double resident;
    /* The first state of particle number `serial`, made by + - x / sqrt and integers only, so that hashes
     * agree everywhere. */
    void (*place)(const scene_forces *forces, uint64_t serial, scene_particle *particle);
    const bench_contender *engine;                           /* the contender that the row measures */
    const bench_contender *baseline_struct, *baseline_plain; /* NULL: none */
    const bench_contender
        *references[MAX_REFERENCES]; /* other runs of the engine that its own figures refer to */
    scene_arithmetic arithmetic;     /* 0: not counted */
    double added_bytes;              /* per particle and step, beyond the six columns */
    uint32_t (*figures)(const measurement *result, scene_figure *figures); /* how many; NULL: none */
    /* Of scenes of strands, of networks: */
    const struct strand_scene *strand;
    const struct network_scene *network;
    uint32_t frames, least_substeps; /* by default; 0: as for all scenes */
    /* The points that the scene has if `asked` are asked for, 0: by default. NULL: any number. */
    uint32_t (*whole)(const struct bench_scene *scene, uint32_t asked);
    void (*observe)(void *engine, bench_observation *observation);
} bench_scene;

#define HAIR_FILE_SCENE "hairfile" /* only runs if a file is named */

extern const bench_scene scenes[];
extern const uint32_t scene_count;

/* Scenes of section integrators alone: a spring to one anchor, with damping; without; with gravity and
 * wind. */
extern const bench_scene damped_scene, spring_scene, affine_scene;

/* Whether an integrator can step a scene: integrators that advect step scenes whose default integrator
 * advects, and no others. */
bool scene_takes(const bench_scene *scene, mote_integrator integrator);

/* The number of particles of a scene if `asked` are asked for; 0: its default. */
uint32_t scene_particles(const bench_scene *scene, uint32_t asked);

/* NULL if there is no such scene. */
const bench_scene *scene_named(const char *name);

extern const bench_contender churn_contender, churn_deathless_contender, churn_ageless_contender;
uint32_t churn_figures(const measurement *result, scene_figure *figures);

#define CROWD_SYSTEMS 200u
extern const bench_contender crowd_contender, crowd_single_contender;
uint32_t crowd_figures(const measurement *result, scene_figure *figures);

extern const bench_contender fountain_contender; /* crowd.c */
uint32_t fountain_figures(const measurement *result, scene_figure *figures);

/* orbits: velocity Verlet over columns, one pass a substep. */
extern const bench_contender verlet_contender;

/* damped: RK4 over columns, one pass a stage. */
extern const bench_contender batch_rk4_contender;

void smoke_forces(mote_system *system);
void flow_forces(mote_system *system);

/* Collisions: collisions.c. */
void heap_forces(mote_system *system);
void rain_forces(mote_system *system);
void place_in_heap(const scene_forces *forces, uint64_t serial, scene_particle *particle);
void place_in_rain(const scene_forces *forces, uint64_t serial, scene_particle *particle);
void damped_forces(mote_system *system);
void spring_forces(mote_system *system);
void affine_forces(mote_system *system);

#define SWARM_SYSTEMS 1000u
extern const bench_contender swarm_contender, swarm_struct_contender, swarm_plain_contender;
uint32_t swarm_figures(const measurement *result, scene_figure *figures);

#endif
