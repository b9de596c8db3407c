/* The scenes of networks: sizes and motion; and the contender that steps them. */
#ifndef BENCH_NETWORK_SCENES_H
#define BENCH_NETWORK_SCENES_H

#include "networks.h"

/* What a scene of networks is beyond a row of the table. */
typedef struct network_scene {
    uint32_t least, most; /* particles */
    uint32_t unit;        /* it is made of so many; 0: of a square number */
    network_shape (*create)(uint32_t particles);
    void (*move)(network_run *run); /* before each frame; NULL: nothing */
} network_scene;

/* The particles of the largest that holds no more than `asked`; 0: the scene's default. */
uint32_t networks_whole(const bench_scene *scene, uint32_t asked);

void networks_run(void *run, uint32_t frames);
void networks_observe(void *run, bench_observation *observation);
uint32_t networks_figures(const measurement *result, scene_figure *figures);

extern const bench_contender networks_contender;
extern const network_scene net_scene, bridge_scene, webs_scene;

#endif
