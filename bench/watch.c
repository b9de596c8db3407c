/* Notices that other work disturbs a measurement: see watch.h. */
#include "watch.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "arithmetic.h"
#include "contenders.h"
#include "timing.h"

/* A process alone on its processors gets all of their time; its threads wait for one for about 1 % of it, for
 * the kernel's own work, however often that switches them. Where the kernel does not tell how long threads
 * waited, switches are counted: one that shares a processor is switched at each slice, 100 times a second and
 * more. The probes are the best of three runs. How much they vary differs from machine to machine, on a
 * virtual one by a third, so that they are compared with their own median: what is slower by more than a
 * tenth, and by more than five deviations, is disturbed. */
#define MOST_WAITED     0.05
#define MOST_SWITCHES   20.0 /* a second */
#define LEAST_PROCESSOR 0.97
#define MOST_DRIFT      1.10
#define MOST_DEVIATIONS                                                                                      \
    (5 * 1.4826) /* median absolute deviations: of a normal distribution, 5 standard ones */

enum { PARTICLES = 1 << 20, ROUNDS = 20000, TURNS = 3, KEPT = 256, FIRST = 9 };

/* The last times of a probe, s. */
typedef struct history {
    double seconds[KEPT];
    uint32_t count;
} history;

static float *columns;
static history past[2]; /* of memory, of arithmetic */

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

static void keep(history *h, double seconds) { h->seconds[h->count++ % KEPT] = seconds; }

/* Returns by how much `seconds` is more than the median of the past, over it; 1 where that is as usual. */
static double drift_of(const history *h, double seconds) {
    const uint32_t count = h->count < KEPT ? h->count : KEPT;
    const double median = spread_of(h->seconds, count).median;
    double off[KEPT];
    for (uint32_t i = 0; i < count; i++) off[i] = fabs(h->seconds[i] - median);
    const double usual = median + MOST_DEVIATIONS * spread_of(off, count).median;
    return seconds > usual ? seconds / median : 1;
}

/* The slower of both probes. */
static double drift_now(void) {
    double (*const probe[2])(void) = {time_memory, time_arithmetic}, worst = 0;
    for (int k = 0; k < 2; k++) {
        double least = probe[k]();
        for (int turn = 1; turn < TURNS; turn++) least = fmin(least, probe[k]());
        if (past[k].count >= FIRST) worst = fmax(worst, drift_of(&past[k], least));
        keep(&past[k], least);
    }
    return worst;
}

void watch_calibrate(void) {
    if (columns) return;
    columns = allocate_or_fail(6 * PARTICLES * sizeof *columns);
    for (uint32_t i = 0; i < 6 * PARTICLES; i++) columns[i] = 1;
    for (int i = 0; i < FIRST; i++) (void)drift_now();
}

/* Returns how long all threads of the process have waited for a processor, s; -1 where the kernel does not
 * tell. */
static double waited(void) {
    DIR *folder = opendir("/proc/self/task");
    double sum = 0;
    bool any = false;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300];
        unsigned long long ran, delayed;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (!file) continue;
        if (fscanf(file, "%llu %llu", &ran, &delayed) == 2) any = true, sum += 1e-9 * (double)delayed;
        fclose(file);
    }
    if (folder) closedir(folder);
    return any ? sum : -1;
}

static watch look(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (watch){.wall = now_seconds(),
                   .processor = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                                1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
                   .switches = (double)usage.ru_nivcsw,
                   .waited = waited()};
}

watch watch_begin(void) {
    const double drift = drift_now();
    watch begin = look();
    begin.drift = drift;
    return begin;
}

const char *watch_end(const watch *begin, char *text, unsigned size) {
    const watch end = look();
    const double wall = end.wall - begin->wall, share = (end.processor - begin->processor) / wall,
                 waits = (end.waited - begin->waited) / wall,
                 switches = (end.switches - begin->switches) / wall, after = drift_now(),
                 drift = after > begin->drift ? after : begin->drift;
    int used = 0;
    text[0] = 0;
    if (wall > 0.05 && share < LEAST_PROCESSOR)
        used = snprintf(text, size, "%.0f %% of a processor", 100 * share);
    if (begin->waited >= 0 && end.waited >= 0) {
        if (waits > MOST_WAITED)
            used += snprintf(text + used, size - (unsigned)used, "%swaited %.0f %%", used ? ", " : "",
                             100 * waits);
    } else if (switches > MOST_SWITCHES && end.switches - begin->switches > 2)
        used += snprintf(text + used, size - (unsigned)used, "%s%.0f switches/s", used ? ", " : "", switches);
    if (drift > MOST_DRIFT)
        snprintf(text + used, size - (unsigned)used, "%sprobe at 1/%.2f", used ? ", " : "", drift);
    return text;
}
