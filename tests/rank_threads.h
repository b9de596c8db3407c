/* Ranks of a cluster that are threads of this process, and the transport between them, which can be made to
 * fail. */
#ifndef MOTE_TESTS_RANK_THREADS_H
#define MOTE_TESTS_RANK_THREADS_H

#include <pthread.h>

#include <mote/mote.h>

enum { RANKS = 3 };

/* A message on its way; NULL: none. */
typedef struct letter {
    void *data;
} letter;

/* Functions of a transport. */
typedef enum transport_call { GATHER, EXCHANGE, WAIT, CALLS } transport_call;

typedef struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    const void *own[RANKS];   /* while all ranks gather */
    uint32_t arrived, turn;   /* ranks that wait for the others; how often all have met */
    letter box[RANKS][RANKS]; /* from, to */
    transport_call fails;     /* on the last rank */
    uint32_t fails_at;        /* which call of this function fails, from 1; 0: none */
    bool broken;              /* a call has failed: so do all others */
} meeting;

/* What the transport of a rank knows. */
typedef struct rank_link {
    meeting *with;
    uint32_t rank;
    uint32_t calls[CALLS], errors;
    mote_result error; /* the last one that the transport got */
    uint32_t error_rank;
} rank_link;

/* A meeting that nothing has broken. */
extern const meeting whole_meeting;

/* Returns the transport of a rank. */
mote_transport rank_transport(rank_link *link);

/* Runs a function on all ranks, each on a thread, with its element of the array `ranks`. Returns when all
 * have ended. */
void run_on_ranks(void *(*run)(void *rank), void *ranks, size_t element);

#endif
