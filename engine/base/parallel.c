/* The one parallel loop: serial, OpenMP, or the host's job system. */
#include "base/parallel.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "base/fpu.h"

/* A few runs per worker even out workers that are slowed down by others on a shared machine. */
#define RUNS_PER_WORKER 8u

typedef struct cut {
    mote_range_task *task;
    void *context;
    size_t count, length;
} cut;

static void do_run(void *context, uint32_t index, uint32_t worker) {
    const cut *c = context;
    size_t first = (size_t)index * c->length;
    size_t end = c->count - first < c->length ? c->count : first + c->length;
    mote_fpu_state saved = mote_fpu_enter();
    c->task(c->context, first, end, worker);
    mote_fpu_leave(saved);
}

static uint32_t worker_count(const mote_jobs *jobs) { return jobs->run && jobs->workers ? jobs->workers : 1; }

void mote_parallel_for(const mote_jobs *jobs, size_t count, size_t grain, mote_range_task *task, void *context) {
    if (count == 0) return;
    uint32_t workers = worker_count(jobs);
    if (workers == 1 || count <= grain) {
        task(context, 0, count, 0);
        return;
    }
    size_t runs = (size_t)workers * RUNS_PER_WORKER;
    size_t length = mote_round_up((count + runs - 1) / runs, grain);
    cut c = {task, context, count, length};
    uint32_t run_count = (uint32_t)((count + length - 1) / length);
    jobs->run(jobs->user, do_run, &c, run_count);
}

#if defined(_OPENMP)
static void run_openmp(void *user, mote_task *task, void *context, uint32_t count) {
    int threads = (int)(uintptr_t)user;
    if (omp_in_parallel() || threads < 2) {
        for (uint32_t i = 0; i < count; i++) task(context, i, 0);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint32_t i = 0; i < count; i++) task(context, i, (uint32_t)omp_get_thread_num());
}

mote_jobs mote_jobs_openmp(uint32_t threads) {
    if (threads == 0) threads = (uint32_t)omp_get_max_threads();
    if (threads > MOTE_MAX_WORKERS) threads = MOTE_MAX_WORKERS;
    return (mote_jobs){threads, (void *)(uintptr_t)threads, run_openmp};
}
#else
mote_jobs mote_jobs_openmp(uint32_t threads) {
    (void)threads;
    return (mote_jobs){0, NULL, NULL};
}
#endif
