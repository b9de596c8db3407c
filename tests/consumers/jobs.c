/* mote on threads of the host: a small pool of POSIX threads. The caller takes part, and waits for no thread
 * that has not begun. */
#include <mote/mote.h>
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 4, PARTICLES = 100000 };
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
        work(*(const uint32_t *)number);
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

int main(void) {
    static const uint32_t number[WORKERS] = {0, 1, 2, 3};
    pthread_t thread;
    int threads = 1; /* the caller's; where the system refuses others it does their work */
    while (threads < WORKERS && !pthread_create(&thread, NULL, run_thread, (void *)&number[threads]))
        threads++;
    mote_system_def def = mote_default_system_def();
    def.capacity = PARTICLES, def.substeps = 8;
    def.jobs.workers = WORKERS, def.jobs.run = run;
    const float down[3] = {0, -9.81f, 0};
    mote_force_def gravity = mote_gravity(down);
    mote_force_id id;
    mote_system *system;
    mote_range_view view;
    if (mote_system_create(&def, &system) || mote_system_add_force(system, &gravity, &id)) return 1;
    if (mote_system_spawn(system, PARTICLES, &view)) return 1;
    for (int step = 0; step < 60; step++) mote_system_step(system, 1, NULL);
    printf("after 1 s on %d threads: %g m\n", threads, view.position.y[0]);
    mote_system_destroy(system);
    return 0;
}
