/* The scenes of networks: sizes and motion; and the contender that steps them. */
#ifndef BENCH_NETWORK_SCENES_H
#define BENCH_NETWORK_SCENES_H

#include "networks.h"

/* The part of a scene of networks that its row of the table does not hold. */
typedef struct network_scene {
    uint32_t least, most; /* particles */
    uint32_t unit;        /* its particles are a multiple of this; 0: a square number */
    network_shape (*create)(uint32_t particles);
    void (*move)(network_run *run); /* before each frame; NULL: nothing */
} network_scene;

/* The particles of the largest network that has no more than `asked`; 0: the scene's default. */
uint32_t networks_whole(const bench_scene *scene, uint32_t asked);

void networks_run(void *run, uint32_t frames);
void networks_observe(void *run, bench_observation *observation);
uint32_t networks_figures(const measurement *result, scene_figure *figures);

extern const bench_contender networks_contender;
extern const network_scene net_scene, bridge_scene, webs_scene;

#endif
