/* Hashes of systems whose loose particles collide, for hashes.c. */
#ifndef MOTE_TESTS_HASH_COLLISIONS_H
#define MOTE_TESTS_HASH_COLLISIONS_H

#include <mote/mote.h>

void print_collision_hashes(mote_isa isa, mote_jobs jobs);

/* The same with height fields and distance grids. */
void print_grid_hashes(mote_isa isa, mote_jobs jobs);

#endif
