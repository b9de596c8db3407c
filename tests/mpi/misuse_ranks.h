/* What the table of misuse of mote-mpi has beside the world of tests/misuse.h, on one rank. */
#ifndef MOTE_TESTS_MISUSE_RANKS_H
#define MOTE_TESTS_MISUSE_RANKS_H

#include <mote/mpi.h>

#include "misuse.h"

enum { MISUSE_BAD_FILES = 5, MISUSE_PATH = 64 };

typedef struct misuse_ranks_state {
    mote_cluster *cluster, *other, *made; /* the system has joined the first */
    MPI_Comm uncopied;                    /* refuses to be duplicated */
    char root[MISUSE_PATH], folder[MISUSE_PATH], nowhere[MISUSE_PATH], file[MISUSE_PATH];
    char kept[MISUSE_PATH];                  /* a snapshot of the system */
    char bad[MISUSE_BAD_FILES][MISUSE_PATH]; /* no snapshot, empty, damaged, cut, of another system */
} misuse_ranks_state;

extern misuse_ranks_state misuse_ranks;

/* Called by tests/misuse.c around the whole run, and around each case. */
void misuse_begin(int *count, char ***arguments);
void misuse_end(void);
void misuse_join(misuse_world *w);
void misuse_leave(void);

void misuse_hear(void *user, mote_result result, uint32_t rank);

#endif
