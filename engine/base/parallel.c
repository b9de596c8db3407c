/* Parallel loop: serial, OpenMP, or the host's job system. */
#include "base/parallel.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "base/fpu.h"

/* Number of runs per worker. Each worker owns a part of the range, the same part in every call, so that its
 * particles stay in its caches (measured with two workers that share no cache: handing out the runs in turn
 * made a step up to six times as long). A part is divided into runs; a worker that finishes its part takes
 * runs of the others, which balances parts of unlike work and workers that are slowed down on a shared
 * machine (two threads over one with 8 runs: hair 1.76, a fountain 1.87; with 32: 1.83, 1.97; columns
 * alone 1.95 both). */
#define RUNS_PER_WORKER 32u

typedef struct partition {
    mote_range_task *task;
    void *context;
    size_t count, length;
    uint32_t runs, workers;
    uint32_t next[MOTE_MAX_WORKERS]; /* first run of each part that is not yet taken */
} partition;

static uint32_t first_run(const partition *c, uint32_t part) {
    return (uint32_t)((uint64_t)c->runs * part / c->workers);
}

static void run_part(partition *c, uint32_t part, uint32_t worker) {
    const uint32_t end = first_run(c, part + 1);
    for (uint32_t run; (run = __atomic_fetch_add(&c->next[part], 1, __ATOMIC_RELAXED)) < end;) {
        size_t first = run * c->length;
        c->task(c->context, first, c->count - first < c->length ? c->count : first + c->length, worker);
    }
}

/* Runs the rest of all parts, the worker's own part first. */
static void run_parts(void *context, uint32_t index, uint32_t worker) {
    (void)index;
    partition *c = context;
    mote_fpu_state saved = mote_fpu_enter();
    for (uint32_t i = 0; i < c->workers; i++) run_part(c, (worker + i) % c->workers, worker);
    mote_fpu_leave(saved);
}

static uint32_t worker_count(const mote_jobs *jobs) { return jobs->run && jobs->workers ? jobs->workers : 1; }

mote_result mote_jobs_check(const mote_jobs *jobs) {
    const bool legal = !jobs->run || (jobs->workers >= 1 && jobs->workers <= MOTE_MAX_WORKERS);
    return legal ? MOTE_OK : MOTE_ERROR_RANGE;
}

const mote_jobs *mote_jobs_for(const mote_jobs *jobs, double nanoseconds) {
    static const mote_jobs serial = {0, NULL, NULL, 0};
    const uint32_t least = jobs->least_work ? jobs->least_work : MOTE_LEAST_WORK;
    return nanoseconds >= (double)least || least == 1 ? jobs : &serial;
}

void mote_parallel_for(const mote_jobs *jobs, size_t count, size_t grain, mote_range_task *task,
                       void *context) {
    if (count == 0) return;
    uint32_t workers = worker_count(jobs);
    if (workers == 1 || count <= grain) {
        task(context, 0, count, 0);
        return;
    }
    partition c;
    c.task = task, c.context = context, c.count = count;
    c.length = mote_round_up((count + workers * RUNS_PER_WORKER - 1) / (workers * RUNS_PER_WORKER), grain);
    c.runs = (uint32_t)((count + c.length - 1) / c.length);
    c.workers = c.runs < workers ? c.runs : workers;
    for (uint32_t part = 0; part < c.workers; part++) c.next[part] = first_run(&c, part);
    jobs->run(jobs->user, run_parts, &c, c.workers);
}

/* --- Some of the items --- */

typedef struct selection {
    const mote_items *items;
    mote_range_task *task;
    void *context;
} selection;

static void do_offset(void *context, size_t first, size_t end, uint32_t worker) {
    const selection *s = context;
    s->task(s->context, s->items->first + first, s->items->first + end, worker);
}

/* Chunks first .. end - 1 of this rank, cut to the items. */
static void do_chunks(void *context, size_t first, size_t end, uint32_t worker) {
    const selection *s = context;
    const mote_items *items = s->items;
    const mote_deal *deal = &items->peers->slots;
    for (size_t i = first; i < end; i++) {
        const size_t chunk = (i * deal->ranks + items->peers->transport.rank) * deal->chunk;
        const size_t from = chunk > items->first ? chunk : items->first;
        const size_t to = chunk + deal->chunk < items->end ? chunk + deal->chunk : items->end;
        if (from < to) s->task(s->context, from, to, worker);
    }
}

void mote_parallel_over(const mote_jobs *jobs, const mote_items *items, size_t grain, mote_range_task *task,
                        void *context) {
    selection s = {items, task, context};
    if (items->first >= items->end) return;
    if (!items->peers) {
        mote_parallel_for(jobs, items->end - items->first, grain, do_offset, &s);
        return;
    }
    const mote_deal *deal = &items->peers->slots;
    const uint64_t own = mote_deal_own(deal, items->peers->transport.rank, items->end);
    mote_parallel_for(jobs, (size_t)((own + deal->chunk - 1) / deal->chunk), 1, do_chunks, &s);
}

/* --- OpenMP --- */

#if defined(_OPENMP)
static void run_openmp(void *user, mote_task *task, void *context, uint32_t count) {
    int threads = (int)(uintptr_t)user;
    if (omp_in_parallel() || threads < 2) {
        for (uint32_t i = 0; i < count; i++) task(context, i, 0);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint32_t i = 0; i < count; i++) task(context, i, (uint32_t)omp_get_thread_num());
}

mote_jobs mote_jobs_openmp(uint32_t threads) {
    if (threads == 0) threads = (uint32_t)omp_get_max_threads();
    if (threads > MOTE_MAX_WORKERS) threads = MOTE_MAX_WORKERS;
    return (mote_jobs){threads, (void *)(uintptr_t)threads, run_openmp, 0};
}
#else
mote_jobs mote_jobs_openmp(uint32_t threads) {
    (void)threads;
    return (mote_jobs){0, NULL, NULL, 0};
}
#endif
