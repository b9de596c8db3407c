/* Jobs: which threads a step runs on. The bits of the result do not depend on it. */
#ifndef MOTE_JOBS_H
#define MOTE_JOBS_H

#include <stdint.h>

#include <mote/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One piece of work. index: 0 .. count - 1; worker: 0 .. workers - 1, no two running tasks share one. */
typedef void mote_task(void *context, uint32_t index, uint32_t worker);

/* The host's job system. run calls task(context, index, worker) once for every index in [0, count), in any
 * order, on any threads, and returns when all have finished. run NULL: the calling thread does everything.
 * workers: how many tasks run at a time, 1 to MOTE_MAX_WORKERS; 0 with run NULL. */
typedef struct mote_jobs {
    uint32_t workers;
    void *user;
    void (*run)(void *user, mote_task *task, void *context, uint32_t count);
} mote_jobs;

#define MOTE_MAX_WORKERS 1024u

/* Jobs on OpenMP with `threads` threads; 0: as many as OpenMP would use. No thread is made before the first
 * step that has work for two; inside a parallel region of the host the work runs serially on the calling
 * thread. In a build without OpenMP: the serial jobs {0}. libgomp exits the process when the system refuses
 * it a thread, and hangs in a child after fork: hosts that must survive either hand in their own jobs. */
MOTE_API mote_jobs mote_jobs_openmp(uint32_t threads);

#ifdef __cplusplus
}
#endif
#endif
