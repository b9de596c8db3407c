/* The links' part of the fingerprint: see hashes.c. */
#ifndef MOTE_TESTS_HASH_LINKS_H
#define MOTE_TESTS_HASH_LINKS_H

#include <mote/mote.h>

/* Prints "links/name hash" lines. */
void print_link_hashes(mote_isa isa, mote_jobs jobs);

#endif
