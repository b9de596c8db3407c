/* The ranks that step one system together (mote/cluster.h), and who owns which items of an array. */
#ifndef MOTE_BASE_PEERS_H
#define MOTE_BASE_PEERS_H

#include <mote/cluster.h>

#include "base/compiler.h"

/* Who owns the items of an array. bound NULL: chunks of `chunk` items are dealt to the ranks in turn; else
 * rank r owns items bound[r] .. bound[r + 1] - 1. */
typedef struct mote_deal {
    uint32_t ranks, chunk;
    const uint32_t *bound;
} mote_deal;

/* Purpose of a message, for the report. */
typedef enum mote_traffic { MOTE_TRAFFIC_CHECK, MOTE_TRAFFIC_STATE, MOTE_TRAFFIC_GATHER } mote_traffic;

/* Items of an array that are gathered: own items first .. first + items - 1 of each rank. */
typedef struct mote_gathered {
    mote_deal deal;
    unsigned char *data;
    uint64_t count, first, items; /* count: items of the array */
    size_t element;               /* bytes of one */
} mote_gathered;

/* Columns of loose particles that the host writes on their owner alone until the next step. */
enum {
    MOTE_LENT_SPAWNED = 1, /* all of new particles but births, lifetimes and initial ages, alike everywhere */
    MOTE_LENT_FORCES = 2   /* external forces and torques */
};

/* Arrays of which one message brings a part at most. */
#define MOTE_GATHERED 64u

typedef struct mote_peers {
    mote_transport transport;
    mote_deal slots;             /* of loose particles */
    bool complete;               /* no step since this rank had the state of all ranks */
    bool was_complete;           /* before the advance */
    uint32_t lent;               /* MOTE_LENT_... */
    uint64_t written;            /* hash of the calls that have written state by their arguments */
    mote_result result;          /* CLUSTER: a message was lost within a step; the state is undefined */
    uint64_t steps;              /* run since the system joined */
    uint64_t bytes[3], messages; /* bytes: by mote_traffic */
    unsigned char *stage;        /* stage_bytes for each rank, and for this one again behind them */
    size_t stage_bytes;
    unsigned char *rows; /* row_bytes: moved particles (particles/meet.c) */
    size_t row_bytes;
    mote_message *message;                 /* 2 ranks: sent, received */
    mote_gathered gathered[MOTE_GATHERED]; /* of which the own items wait behind the stages of all ranks */
    uint32_t gathered_count;
    size_t gathered_bytes;
} mote_peers;

/* Returns the number of the `count` items of an array that a rank owns. */
uint64_t mote_deal_own(const mote_deal *deal, uint32_t rank, uint64_t count);

/* Returns the owner of an item that is dealt in turn. */
MOTE_INLINE uint32_t mote_deal_owner(const mote_deal *deal, uint64_t item) {
    return (uint32_t)(item / deal->chunk % deal->ranks);
}

/* Copies `bytes` bytes of each rank to all ranks. Returns false after an error, also of an earlier message;
 * then `all` is cleared. */
bool mote_peers_share(mote_peers *peers, mote_traffic traffic, const void *own, void *all, size_t bytes);

/* Begins the exchange of peers->message[0 .. sends - 1] (sent) and of those from `ranks` on (received). An
 * error shows in peers->result. */
void mote_peers_exchange(mote_peers *peers, mote_traffic traffic, uint32_t sends, uint32_t receives);

/* Waits for the end of the exchange. Returns false after an error. */
bool mote_peers_wait(mote_peers *peers);

/* Gathers an array: copies the items of each owner to all ranks. Several arrays go in one message: the items
 * of other ranks have come after mote_peers_gather_end. */
void mote_peers_gather(mote_peers *peers, const mote_deal *deal, void *data, uint64_t count, size_t element);
void mote_peers_gather_end(mote_peers *peers);

/* Merges flags: 1 where they are on any rank. */
void mote_peers_merge(mote_peers *peers, uint8_t *flags, uint64_t count);

/* Returns the sum of a number of all ranks. */
uint64_t mote_peers_sum(mote_peers *peers, uint64_t own);

/* Adds a call that writes state to peers->written: its number, two arguments, and words: NULL, or `bytes`
 * bytes. */
void mote_peers_note(mote_peers *peers, uint64_t call, uint64_t a, uint64_t b, const void *words,
                     size_t bytes);

/* Compares 16 bytes of all ranks. Errors: CALLS, CLUSTER, of which the transport hears. */
mote_result mote_peers_agree(mote_peers *peers, const uint64_t own[2]);

#endif
