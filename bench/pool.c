/* The job system of a host: see pool.h. */
#include "pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER, ended = PTHREAD_COND_INITIALIZER;
static struct {
    mote_task *task;
    void *context;
    uint32_t count, next, running; /* indices; the next one to take; those that run now */
} job;

/* Takes indices until none is left. The lock is held before and after. */
static void work(uint32_t worker) {
    while (job.next < job.count) {
        const uint32_t index = job.next++;
        job.running++;
        pthread_mutex_unlock(&lock);
        job.task(job.context, index, worker);
        pthread_mutex_lock(&lock);
        if (--job.running == 0) pthread_cond_signal(&ended);
    }
}

static void *run_thread(void *number) {
    pthread_mutex_lock(&lock);
    for (;;) {
        work((uint32_t)(uintptr_t)number);
        pthread_cond_wait(&begun, &lock);
    }
    return NULL;
}

static void run(void *user, mote_task *task, void *context, uint32_t count) {
    (void)user;
    pthread_mutex_lock(&lock);
    job.task = task, job.context = context, job.count = count, job.next = 0;
    pthread_cond_broadcast(&begun);
    work(0);
    while (job.running) pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}

mote_jobs pool_jobs(uint32_t threads) {
    static uint32_t started = 1;
    pthread_t thread;
    for (; started < threads; started++)
        if (pthread_create(&thread, NULL, run_thread, (void *)(uintptr_t)started)) {
            fputs("mote-bench: no thread for the pool\n", stderr);
            exit(EXIT_FAILURE);
        }
    return (mote_jobs){.workers = threads, .run = run};
}
