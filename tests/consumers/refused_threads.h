/* For consumers/jobs.c: a system that refuses every thread. */
#include <errno.h>
#include <pthread.h>

static int refuse_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                         void *argument) {
    (void)thread, (void)attributes, (void)function, (void)argument;
    return EAGAIN;
}

#define pthread_create refuse_thread
