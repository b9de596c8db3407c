/* The calls of the scenes whose hashes are compared. With the option --refusals memory runs out in each of
 * them: a call is made with its first allocation refused, then with its second, and so on until it has all
 * that it asks for. A call that is refused may not change the hash of its system, nor that of the scene at
 * its end. Needs nothing but mote. */
#ifndef MOTE_TESTS_HASH_CALLS_H
#define MOTE_TESTS_HASH_CALLS_H

#include <stdbool.h>

#include <mote/mote.h>

/* Makes the call, again where it was refused, and ends the program if it fails. */
#define CALL(call) CALL_TELLING(call, NULL)

/* fault: what is printed of a snapshot that is not restored; NULL: nothing. */
#define CALL_TELLING(call, fault)                                                                            \
    do {                                                                                                     \
        mote_result result_;                                                                                 \
        do {                                                                                                 \
            hash_call_begins();                                                                              \
            result_ = call;                                                                                  \
        } while (hash_call_refused(result_, #call));                                                         \
        hash_call_check(result_, #call, fault);                                                              \
    } while (0)

/* In the headers of scenes. */
#define scene_check(call)   CALL(call)
#define OK(call)            CALL(call)
#define scene_watch(system) hash_watch(system)

/* From here on calls are refused memory: of one allocation, or of it and all of the call that follow. */
void hash_refuse(bool for_good);

/* What the systems and grids of the scenes allocate with. */
mote_allocator hash_allocator(void);

/* The system of the calls that follow: one that was just made; NULL: none. */
void hash_watch(const mote_system *system);

/* At the end of a scene: ends the program if no call was refused. */
void hash_scene_ends(void);

/* At the end of all: ends the program if memory is left, or was written beyond its end. */
void hash_calls_end(void);

void hash_call_begins(void);
bool hash_call_refused(mote_result result, const char *call);
void hash_call_check(mote_result result, const char *call, const mote_snapshot_fault *fault);

#endif
