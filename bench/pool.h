/* The job system of a host: a pool of POSIX threads, as in tests/consumers/jobs.c. */
#ifndef BENCH_POOL_H
#define BENCH_POOL_H

#include <mote/jobs.h>

/* Starts threads - 1 threads on the first call, for good; returns jobs on them and the caller. */
mote_jobs pool_jobs(uint32_t threads);

#endif
