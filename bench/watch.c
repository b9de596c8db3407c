/* Notices that other work disturbs a measurement: see watch.h. */
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "arithmetic.h"
#include "contenders.h"
#include "timing.h"

/* A process alone on its processors is not switched more often than the kernel's own work does, a few times a
 * second, and gets all of their time; one that shares a processor is switched at each slice, 100 times a
 * second and more. The probe, the best of three runs, agrees with itself to 3 % on a quiet machine. */
#define MOST_SWITCHES   20.0 /* a second */
#define LEAST_PROCESSOR 0.97
#define MOST_DRIFT      1.10

enum { PARTICLES = 1 << 20, ROUNDS = 20000, TURNS = 3 };

static float *columns;
static double best[2]; /* s: of memory, of arithmetic */

static double time_memory(void) {
    probe_columns at = {{columns, columns + PARTICLES, columns + 2 * PARTICLES},
                        {columns + 3 * PARTICLES, columns + 4 * PARTICLES, columns + 5 * PARTICLES}};
    const double start = now_seconds();
    probe_update(&at, 0, PARTICLES);
    return now_seconds() - start;
}

static double time_arithmetic(void) {
    static float sink;
    const double start = now_seconds();
    arithmetic_run(ARITHMETIC_ADD_MULTIPLY, 4, ROUNDS, &sink);
    return now_seconds() - start;
}

/* The slower of both probes over its best time so far. */
static double drift_now(int turns) {
    double (*const probe[2])(void) = {time_memory, time_arithmetic}, worst = 0;
    for (int k = 0; k < 2; k++) {
        double least = probe[k]();
        for (int turn = 1; turn < turns; turn++) {
            const double seconds = probe[k]();
            if (seconds < least) least = seconds;
        }
        if (!(best[k] > 0) || least < best[k]) best[k] = least;
        if (least / best[k] > worst) worst = least / best[k];
    }
    return worst;
}

void watch_calibrate(void) {
    if (columns) return;
    columns = allocate_or_fail(6 * PARTICLES * sizeof *columns);
    for (uint32_t i = 0; i < 6 * PARTICLES; i++) columns[i] = 1;
    drift_now(20);
}

static watch look(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (watch){.wall = now_seconds(),
                   .processor = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                                1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
                   .switches = (double)usage.ru_nivcsw};
}

watch watch_begin(void) {
    const double drift = drift_now(TURNS);
    watch begin = look();
    begin.drift = drift;
    return begin;
}

const char *watch_end(const watch *begin, char *text, unsigned size) {
    const watch end = look();
    const double wall = end.wall - begin->wall, share = (end.processor - begin->processor) / wall,
                 switches = (end.switches - begin->switches) / wall, after = drift_now(TURNS),
                 drift = after > begin->drift ? after : begin->drift;
    int used = 0;
    text[0] = 0;
    if (wall > 0.05 && share < LEAST_PROCESSOR)
        used = snprintf(text, size, "%.0f %% of a processor", 100 * share);
    if (switches > MOST_SWITCHES && end.switches - begin->switches > 2)
        used += snprintf(text + used, size - (unsigned)used, "%s%.0f switches/s", used ? ", " : "", switches);
    if (drift > MOST_DRIFT)
        snprintf(text + used, size - (unsigned)used, "%sprobe at 1/%.2f", used ? ", " : "", drift);
    return text;
}
