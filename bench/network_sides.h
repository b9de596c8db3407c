/* What may stand on either side of a comparison of networks: the engine, springs in an edge list, RK4 by
 * whole batches. */
#ifndef BENCH_NETWORK_SIDES_H
#define BENCH_NETWORK_SIDES_H

#include "networks.h"

typedef struct side_functions {
    void *(*open)(const network_setup *setup);
    void (*frame)(void *state);
    void (*place)(const void *state, uint32_t particle, float place[3]); /* m */
    void (*close)(void *state);
} side_functions;

/* edge_side steps by semi-implicit Euler, batch_side by RK4, whatever the setup says. Both on one thread. */
extern const side_functions engine_side, edge_side, batch_side;

/* The largest distance (m) between the particles of both after some frames. */
double sides_distance(const side_functions *a, const side_functions *b, const network_setup *setup,
                      uint32_t frames);

#endif
