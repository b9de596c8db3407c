/* Parallel loop over a range of items. */
#ifndef MOTE_BASE_PARALLEL_H
#define MOTE_BASE_PARALLEL_H

#include <mote/jobs.h>
#include <mote/result.h>

#include "base/compiler.h"
#include "base/peers.h"
#include "base/work.h"

/* Processes items first .. end - 1. Runs under IEEE defaults; worker < jobs->workers, 0 for serial jobs. */
typedef void mote_range_task(void *context, size_t first, size_t end, uint32_t worker);

/* Checks jobs of the host: RANGE (workers). Every call that takes jobs does. */
mote_result mote_jobs_check(const mote_jobs *jobs);

/* Returns the jobs if one thread would take at least their least_work for work of `nanoseconds`, else serial
 * jobs. Estimates are in base/work.h. */
const mote_jobs *mote_jobs_for(const mote_jobs *jobs, double nanoseconds);

/* Divides items 0 .. count - 1 into runs, passes them to the jobs and returns when all are done. The length
 * of every run but the last is a multiple of `grain`. The caller must have entered IEEE defaults. The number
 * of runs depends on the workers, so no result may depend on the division. */
void mote_parallel_for(const mote_jobs *jobs, size_t count, size_t grain, mote_range_task *task,
                       void *context);

/* Items first .. end - 1; with peers, of these the ones that this rank owns in peers->slots. */
typedef struct mote_items {
    size_t first, end;
    const mote_peers *peers; /* NULL: all */
} mote_items;

/* mote_parallel_for over such items. Chunks of peers are whole grains, or no grain is larger than them. */
void mote_parallel_over(const mote_jobs *jobs, const mote_items *items, size_t grain, mote_range_task *task,
                        void *context);

#endif
