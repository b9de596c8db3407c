/* Notices that other work disturbs a measurement: less processor time than time on the wall, threads that
 * wait for a processor, and a probe that runs slower than it usually does. */
#ifndef BENCH_WATCH_H
#define BENCH_WATCH_H

#include <stdbool.h>

typedef struct watch {
    double wall, processor, switches, waited, drift; /* waited: for a processor, all threads; -1: not known */
} watch;

/* Finds out how fast the probes usually run on this machine: 0.2 s, once. */
void watch_calibrate(void);

watch watch_begin(void);

/* "" if nothing disturbed the time since `begin`, else a few words. Text is of `size` bytes. */
const char *watch_end(const watch *begin, char *text, unsigned size);

#endif
