/* The sides of comparisons of networks: the engine, springs in an edge list, RK4 by whole batches. The setup
 * of all of them is a network_setup; the opponents run on one thread. */
#ifndef BENCH_NETWORK_SIDES_H
#define BENCH_NETWORK_SIDES_H

#include "compare_sides.h"
#include "networks.h"

/* edge_side steps by semi-implicit Euler and batch_side by RK4, whatever the integrator of the setup. */
extern const side_functions engine_side, edge_side, batch_side;

#endif
