/* For consumers/jobs.c: a system that refuses every thread. All particles move, and at the end the state is
 * that of a system without jobs. */
#include <errno.h>
#include <mote/mote.h>
#include <pthread.h>
#include <stdlib.h>

static int refuse_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                         void *argument) {
    (void)thread, (void)attributes, (void)function, (void)argument;
    return EAGAIN;
}

#define pthread_create refuse_thread

static inline mote_result refused_step(mote_system *system, uint32_t steps, mote_advance *advance) {
    const mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; i < view.count; i++) view.velocity.x[i] = (float)i;
    return mote_system_step(system, steps, advance);
}

static inline void refused_destroy(mote_system *system) {
    mote_system_def def = mote_default_system_def();
    mote_system *serial;
    mote_range_view view;
    def.capacity = mote_system_count(system);
    if (mote_system_create(&def, &serial) || mote_system_spawn(serial, def.capacity, &view) ||
        refused_step(serial, (uint32_t)mote_system_steps(system), NULL) ||
        mote_system_hash(serial) != mote_system_hash(system))
        exit(1);
    mote_system_destroy(serial);
    mote_system_destroy(system);
}

#define mote_system_step(system, steps, advance) refused_step(system, steps, advance)
#define mote_system_destroy(system)              refused_destroy(system)
