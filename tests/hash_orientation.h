/* Hashes of systems whose loose particles turn, for hashes.c. */
#ifndef MOTE_TESTS_HASH_ORIENTATION_H
#define MOTE_TESTS_HASH_ORIENTATION_H

#include <mote/mote.h>

void print_orientation_hashes(mote_isa isa, mote_jobs jobs);

#endif
