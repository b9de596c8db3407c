/* Notices that other work disturbs a measurement: less processor time than time on the wall, involuntary
 * switches of threads, and a probe that runs slower than it did before. */
#ifndef BENCH_WATCH_H
#define BENCH_WATCH_H

#include <stdbool.h>

typedef struct watch {
    double wall, processor, switches, drift;
} watch;

/* Finds out how fast the probe runs on this machine: 0.1 s, once. */
void watch_calibrate(void);

watch watch_begin(void);

/* "" if nothing disturbed the time since `begin`, else a few words. Text is of `size` bytes. */
const char *watch_end(const watch *begin, char *text, unsigned size);

#endif
