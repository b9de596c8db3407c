/* Scenes of the tests of clusters: one system with loose particles that are born, collide and die, strands
 * whose roots move, nets of many islands and one net that is larger than a rank's share. */
#ifndef MOTE_TESTS_MPI_SCENES_H
#define MOTE_TESTS_MPI_SCENES_H

#include <mote/mote.h>

typedef struct ranks_scene {
    const char *name;
    mote_integrator integrator;
    uint32_t parts, substeps;
} ranks_scene;

enum {
    PARTICLES = 1, /* without end */
    DEATHS = 2,    /* an emitter, lifetimes, kills of the host */
    COLLIDERS = 4, /* a floor, and a ball that kills */
    STRANDS = 8,
    NETS = 16,        /* islands of 8 x 8, springs */
    CONSTRAINED = 32, /* islands of 10 x 10 */
    SHEET = 64,       /* one net of 64 x 64 */
    WILD = 128,       /* particles and a sheet that turn non-finite */
    TURNING = 256,
    EDITS = 512 /* of nets: a bridge between the first and the last, a cut */
};

typedef struct ranks_world {
    const ranks_scene *scene;
    mote_system *system;
    mote_strands_id strands;
    mote_network_id nets, constrained, sheet;
} ranks_world;

extern const ranks_scene ranks_scenes[];
extern const uint32_t ranks_scene_count;

/* Makes the system of a scene; alone, it has not joined a cluster. */
ranks_world make_ranks_world(const ranks_scene *scene);

/* The calls of the host before a step. */
void ranks_world_calls(ranks_world *world, uint32_t step);

/* Ends the program with a sentence unless the result is MOTE_OK. */
void ranks_check(mote_result result, const char *where);

#endif
