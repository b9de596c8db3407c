/* Twins of scenes: with the option --snapshots each part of a scene runs in another system, which was set up
 * by the same calls and restored from a snapshot. Needs nothing but mote. */
#ifndef MOTE_TESTS_HASH_TWINS_H
#define MOTE_TESTS_HASH_TWINS_H

#include <mote/mote.h>

/* Steps for which twins are compared at the end of a scene; 0: no twins. */
extern uint32_t hash_twin_steps;

/* Restores `twin` from a snapshot of `system`, checks that both are equal, and destroys `system`. Returns the
 * twin. */
mote_system *hash_continue(mote_system *system, mote_system *twin);

/* Steps a system and its twin side by side, and checks their hashes after each step. Destroys both. twin:
 * NULL without twins. */
void hash_compare(mote_system *system, mote_system *twin);

#endif
