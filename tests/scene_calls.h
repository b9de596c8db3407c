/* How scenes make their calls, where the test that uses them does not make them otherwise (hash_calls.h). */
#ifndef MOTE_TESTS_SCENE_CALLS_H
#define MOTE_TESTS_SCENE_CALLS_H

#include <stdlib.h>

#include <mote/mote.h>

#ifndef scene_check
static inline void scene_check(mote_result result) {
    if (result != MOTE_OK) abort();
}

/* The system that the calls from here on are of. */
static inline void scene_watch(const mote_system *system) { (void)system; }
#endif

#endif
