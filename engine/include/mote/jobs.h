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
    uint32_t workers; /**< tasks that run at a time, 1 .. MOTE_MAX_WORKERS; run NULL: ignored */
    void *user;       /**< passed to run */
    /** Calls task(context, index, worker) once for every index in [0, count), in any order, on any threads,
     * and returns when all have finished. A thread that finishes its index takes over work of the others, so
     * an index that is begun late has little or nothing left to do: the caller may run indices that no other
     * thread has begun. It may be called from inside a task, as by a step hook that emits into another system
     * with the same jobs: it may then call all indices one after the other, as worker 0. NULL: the calling
     * thread does everything.
     *
     * Stack. A task takes up to 140 KB of it, and a call of the library up to 145 KB, besides what the host's
     * own functions take (most of it with AVX-512, in optimised builds). A thread or fiber with less is
     * overrun, also beyond a guard page: give those of the jobs and those that make calls 192 KB. */
    void (*run)(void *user, mote_task *task, void *context, uint32_t count);
    /** ns that one thread would take, as estimated, from which work is divided; less is done by the calling
     * thread. 0: MOTE_LEAST_WORK, with which a step of less than a millisecond is not held up on a machine
     * that is busy with other work. A host whose threads have processors to themselves gains from less, down
     * to 20,000. 1: all work is divided, for tests. */
    uint32_t least_work;
} mote_jobs;

#define MOTE_LEAST_WORK  1000000u /**< ns: least_work of jobs that do not say */
#define MOTE_MAX_WORKERS 1024u    /**< workers of a job system */

/** Returns jobs on OpenMP with the given number of threads; 0: the number that OpenMP would use. The first
 * choice of a game is its own job system: OpenMP is for programs that have the machine to themselves. No
 * thread is made before the first step that has work for two; inside a parallel region of the host the work
 * runs serially on the calling thread. In a build without OpenMP: the serial jobs {0}.
 *
 * Waiting. A parallel region ends when each of its threads has run, also one that found no work left, so on a
 * machine that is busy with other work every step can wait for a time slice of the scheduler (milliseconds).
 * Between regions libgomp's threads spin
 * (unless there are more of them than processors) and take processor time from the rest of the program. Set
 * OMP_WAIT_POLICY=passive, or GOMP_SPINCOUNT=0, in the environment before the process starts, and they sleep
 * at once; a region then begins with a wake-up (5 to 50 us), and a busy machine costs 2 ms in place of 20 in
 * the worst case. LLVM's libomp: KMP_BLOCKTIME=0.
 *
 * libgomp exits the process when the system refuses it a thread, and hangs in a child after fork: a host that
 * must survive either passes its own jobs. */
MOTE_API mote_jobs mote_jobs_openmp(uint32_t threads);

#endif
