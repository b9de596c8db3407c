/* The one parallel loop. */
#ifndef MOTE_BASE_PARALLEL_H
#define MOTE_BASE_PARALLEL_H

#include <mote/jobs.h>

#include "base/compiler.h"

/* Does items first .. end - 1. Runs under IEEE defaults; worker < jobs->workers, 0 for serial jobs. */
typedef void mote_range_task(void *context, size_t first, size_t end, uint32_t worker);

/* Cuts 0 .. count - 1 into runs whose length is a multiple of `grain` (but for the last), hands them to the
 * jobs and returns when all are done. The caller has entered IEEE defaults itself. How many runs there are
 * depends on the workers, so no result may depend on the cut. */
void mote_parallel_for(const mote_jobs *jobs, size_t count, size_t grain, mote_range_task *task,
                       void *context);

#endif
