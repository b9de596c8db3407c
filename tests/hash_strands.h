/* The strands' part of the fingerprint: see hashes.c. */
#ifndef MOTE_TESTS_HASH_STRANDS_H
#define MOTE_TESTS_HASH_STRANDS_H

#include <mote/mote.h>

/* Prints "strands/name hash" lines. */
void print_strand_hashes(mote_isa isa, mote_jobs jobs);

#endif
