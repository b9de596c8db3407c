/** @file
 * Jobs: the threads on which a step runs. The bits of the result do not depend on them. */
#ifndef MOTE_JOBS_H
#define MOTE_JOBS_H

#include <stdint.h>

#include <mote/result.h>

/** One task of a job. index: 0 .. count - 1; worker: 0 .. workers - 1, no two running tasks share one. */
typedef void mote_task(void *context, uint32_t index, uint32_t worker);

/** The host's job system. */
typedef struct mote_jobs {
    uint32_t workers; /**< tasks that run at a time, 1 .. MOTE_MAX_WORKERS; 0 with run NULL */
    void *user;       /**< passed to run */
    /** Calls task(context, index, worker) once for every index in [0, count), in any order, on any threads,
     * and returns when all have finished. NULL: the calling thread does everything. */
    void (*run)(void *user, mote_task *task, void *context, uint32_t count);
} mote_jobs;

#define MOTE_MAX_WORKERS 1024u /**< workers of a job system */

/** Returns jobs on OpenMP with the given number of threads; 0: the number that OpenMP would use. No thread is
 * made before the first step that has work for two; inside a parallel region of the host the work runs
 * serially on the calling thread. In a build without OpenMP: the serial jobs {0}. libgomp exits the process
 * when the system refuses it a thread, and hangs in a child after fork: a host that must survive either
 * passes its own jobs. */
MOTE_API mote_jobs mote_jobs_openmp(uint32_t threads);

#endif
