/* The networks' part of the fingerprint: see hashes.c. */
#ifndef MOTE_TESTS_HASH_NETWORKS_H
#define MOTE_TESTS_HASH_NETWORKS_H

#include <mote/mote.h>

/* Prints "networks/name hash" lines. */
void print_network_hashes(mote_isa isa, mote_jobs jobs);

#endif
