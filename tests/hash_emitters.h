/* Hashes of systems with emitters, for hashes.c. */
#ifndef MOTE_TESTS_HASH_EMITTERS_H
#define MOTE_TESTS_HASH_EMITTERS_H

#include <mote/mote.h>

void print_emitter_hashes(mote_isa isa, mote_jobs jobs);

#endif
