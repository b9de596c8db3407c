/* mote on a pool of POSIX threads. The caller works too, and waits for no thread that has not begun. */
#include <mote/mote.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER, ended = PTHREAD_COND_INITIALIZER;
static mote_task *now;
static void *now_context;
static uint32_t left, running, threads = 1; /* indices that nobody has taken; that run; with the caller */
static _Thread_local int inside; /* a task, which may divide work itself: a step hook that emits does */

static void work(uint32_t worker) { /* the lock is held before and after */
    while (left) {
        const uint32_t index = --left;
        running++;
        pthread_mutex_unlock(&lock);
        inside = 1;
        now(now_context, index, worker);
        inside = 0;
        pthread_mutex_lock(&lock);
        if (--running == 0) pthread_cond_signal(&ended);
    }
}

static void *run_thread(void *unused) {
    pthread_mutex_lock(&lock);
    for (const uint32_t worker = threads++;; pthread_cond_wait(&begun, &lock)) work(worker);
    return unused;
}

static void run(void *unused, mote_task *task, void *context, uint32_t count) {
    (void)unused;
    for (uint32_t i = 0; inside && i < count; i++) task(context, i, 0);
    if (inside) return;
    pthread_mutex_lock(&lock);
    now = task, now_context = context, left = count;
    pthread_cond_broadcast(&begun);
    work(0);
    while (running) pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}

int main(void) {
    enum { WORKERS = 4 };
    pthread_t thread;
    for (int i = 1; i < WORKERS; i++) pthread_create(&thread, NULL, run_thread, NULL); /* it may fail */
    mote_system_def def = mote_default_system_def();
    def.capacity = 1000000, def.jobs.workers = WORKERS, def.jobs.run = run;
    mote_system *system;
    mote_range_view view;
    if (mote_system_create(&def, &system) || mote_system_spawn(system, def.capacity, &view)) return 1;
    mote_system_step(system, 60, NULL);
    mote_system_destroy(system);
    return 0;
}
