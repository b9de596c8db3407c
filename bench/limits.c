/* mote-bench limits: the bandwidth of this machine by threads, in cache and in memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "commands.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
#include "run.h"
#include "timing.h"

/* All arrays of a stream together; in cache per thread, more than a first-level cache and less than a
 * second-level. */
#define MEMORY_BYTES           ((size_t)1 << 30)
#define CACHE_BYTES_PER_THREAD ((size_t)1 << 18)
#define CACHE_BYTES_MOVED      ((size_t)1 << 29)

typedef struct bench_stream {
    const char *name;
    uint32_t arrays;
    double bytes; /* read and written per element of one array */
    void (*run)(float **array, size_t first, size_t last);
} bench_stream;

static void run_copy(float **array, size_t first, size_t last) {
    probe_copy(array[1], array[0], first, last);
}
static void run_memcpy(float **array, size_t first, size_t last) {
    probe_memcpy(array[1], array[0], first, last);
}
static void run_triad(float **array, size_t first, size_t last) {
    probe_triad(array[2], array[1], array[0], first, last);
}
static void run_probe(float **array, size_t first, size_t last) {
    probe_columns columns = {{array[0], array[1], array[2]}, {array[3], array[4], array[5]}};
    probe_update(&columns, first, last);
}

static const bench_stream streams[] = {{"copy", 2, 8, run_copy},
                                       {"memcpy", 2, 8, run_memcpy},
                                       {"triad", 3, 12, run_triad},
                                       {"probe", 6, PROBE_BYTES, run_probe}};
#define STREAM_COUNT (sizeof streams / sizeof streams[0])

/* Each thread passes over its own range `passes` times, without waiting for the others between passes. */
static double time_stream(const bench_stream *stream, const arena *memory, size_t bytes, uint32_t threads,
                          uint32_t passes) {
    size_t count = bytes / (stream->arrays * sizeof(float)) / PROBE_BLOCK * PROBE_BLOCK;
    float *array[6];
    staggered_arrays(memory->bytes, stream->arrays, count, array);
    double start = now_seconds();
    (void)threads; /* a build without OpenMP has one */
#pragma omp parallel num_threads(threads)
    {
        size_t first, last;
        thread_part(count, PROBE_BLOCK, thread_index(), thread_count(), &first, &last);
        for (uint32_t pass = 0; pass < passes; pass++) stream->run(array, first, last);
    }
    return stream->bytes * (double)count * passes / (now_seconds() - start);
}

static const char *const arithmetic_names[ARITHMETIC_KINDS] = {"additions and multiplications", "additions",
                                                               "divisions", "square roots"};

/* Operations a second of all threads together, each by its own processor time. */
static double time_arithmetic(arithmetic_kind kind, uint32_t lanes, uint32_t threads) {
    const uint64_t rounds = kind <= ARITHMETIC_ADD ? 200000 : 20000;
    double rate = 0;
    (void)threads; /* a build without OpenMP has one */
#pragma omp parallel num_threads(threads) reduction(+ : rate)
    {
        float sink = 0;
        const double start = thread_seconds();
        const double operations = arithmetic_run(kind, lanes, rounds, &sink);
        rate += operations / (thread_seconds() - start);
    }
    return rate;
}

/* Lanes of a register; 0: the probe has none of this width. */
static uint32_t lanes_of(mote_isa isa) {
    const char *name = mote_isa_name(isa);
    if (strcmp(name, "scalar") == 0) return 0;
    return strcmp(name, "avx512") == 0 ? 16 : strcmp(name, "avx2") == 0 ? 8 : 4;
}

/* --- Limits that rows refer to, each measured once --- */

enum { TURNS = 5, MOST_KNOWN = 64 };

typedef struct known_rate {
    int kind; /* -1: memory */
    uint32_t lanes, threads;
    double rate;
} known_rate;

static double memory_rate(uint32_t threads) {
    arena memory;
    double best = 0;
    const size_t bytes = MEMORY_BYTES / 4;
    if (!arena_create(&memory, bytes + staggered_size(6, PROBE_BLOCK))) return 0;
    for (int turn = 0; turn <= TURNS; turn++)
        best = fmax(best, time_stream(&streams[STREAM_COUNT - 1], &memory, bytes, threads, 1));
    arena_destroy(&memory);
    return best;
}

/* again: measures a known one again, and keeps the better. */
static double known_limit(int kind, uint32_t lanes, uint32_t threads, bool again) {
    static known_rate known[MOST_KNOWN];
    static uint32_t count;
    uint32_t i = 0;
    while (i < count && (known[i].kind != kind || known[i].lanes != lanes || known[i].threads != threads))
        i++;
    if (i < count && !again) return known[i].rate;
    double best = i < count ? known[i].rate : 0;
    if (kind < 0) best = fmax(best, memory_rate(threads));
    for (int turn = 0; turn < TURNS && kind >= 0; turn++)
        best = fmax(best, time_arithmetic((arithmetic_kind)kind, lanes, threads));
    if (i < MOST_KNOWN) known[i] = (known_rate){kind, lanes, threads, best};
    if (i == count && count < MOST_KNOWN) count++;
    return best;
}

/* Divisions and roots wait for one unit, additions and multiplications run beside them. */
double limit_arithmetic(const scene_arithmetic *count, mote_isa isa, uint32_t threads) {
    const uint32_t lanes = lanes_of(isa);
    const double simple = count->add + count->multiply;
    if (!(simple > 0) || !lanes) return 0;
    const double both = simple / known_limit(ARITHMETIC_ADD_MULTIPLY, lanes, threads, false),
                 adders = count->add / known_limit(ARITHMETIC_ADD, lanes, threads, false),
                 divider = count->divide / known_limit(ARITHMETIC_DIVIDE, lanes, threads, false) +
                           count->root / known_limit(ARITHMETIC_ROOT, lanes, threads, false);
    return 1 / fmax(fmax(both, adders), divider);
}

static void limit_row(bench_run *run, int kind, mote_isa isa, uint32_t threads) {
    bench_row row = {.threads = threads, .isa = kind < 0 ? NULL : mote_isa_name(isa)};
    const uint32_t lanes = kind < 0 ? 0 : lanes_of(isa);
    double rate = 0;
    snprintf(row.name, sizeof row.name, "%s",
             kind < 0 ? "memory, six columns in place" : arithmetic_names[kind]);
    if (!report_begin(&run->report, "limits", row.name)) return;
    while (report_try(&run->report)) rate = known_limit(kind, lanes, threads, true);
    row_add(&row, "rate", kind < 0 ? "B/s" : "operations/s", (spread){rate, rate, rate}, '>');
    report_add(&run->report, &row);
}

void run_limits(bench_run *run) {
    const uint32_t all = machine_threads();
    for (int kind = -1; kind < ARITHMETIC_KINDS; kind++)
        for (uint32_t threads = 1; threads <= all; threads = threads < all ? all : all + 1)
            limit_row(run, kind, mote_isa_best(), threads);
}

/* --- The command --- */

static void print_row(const arena *memory, const char *place, size_t bytes, uint32_t threads,
                      uint32_t repeat) {
    static double rates[STREAM_COUNT][MAX_REPEATS];
    uint32_t passes = bytes < MEMORY_BYTES ? (uint32_t)(CACHE_BYTES_MOVED / CACHE_BYTES_PER_THREAD) : 1;
    progress("%s, %u threads", place, (unsigned)threads);
    for (size_t i = 0; i < STREAM_COUNT; i++) time_stream(&streams[i], memory, bytes, threads, 1);
    for (uint32_t turn = 0; turn < repeat; turn++)
        for (size_t i = 0; i < STREAM_COUNT; i++)
            rates[i][turn] = time_stream(&streams[i], memory, bytes, threads, passes);
    progress_clear();
    printf("%-7s %8.2f MiB %7u", place, (double)bytes / 0x1p20, (unsigned)threads);
    for (size_t i = 0; i < STREAM_COUNT; i++) {
        spread rate = spread_of(rates[i], repeat);
        char text[40];
        snprintf(text, sizeof text, "%.1f (%.1f..%.1f)", rate.median / 1e9, rate.min / 1e9, rate.max / 1e9);
        printf("  %-22s", text);
    }
    printf(" %8.1f\n", spread_of(rates[STREAM_COUNT - 1], repeat).median / PROBE_BYTES / 1e6);
    fflush(stdout);
}

/* Every count up to 8, then doublings, and all. */
static uint32_t next_threads(uint32_t threads, uint32_t all) {
    uint32_t next = threads < 8 ? threads + 1 : threads * 2;
    return threads < all && next > all ? all : next;
}

static void print_help(void) {
    puts("usage: mote-bench limits [--repeat R]\n\n"
         "Bandwidth by threads, in cache and in memory: GB/s read and written, median (min..max) of R "
         "repeats\n"
         "(default 9).\n"
         "  copy    to = from, by a loop of ordinary stores: 8 bytes an element\n"
         "  memcpy  the same by the C library, whose stores may bypass the cache\n"
         "  triad   a = b + s c: 12 bytes an element\n"
         "  probe   six float columns updated in place in runs of 1,024, as the engine steps them: 48 bytes "
         "each");
}

int command_limits(int argc, char **argv) {
    static const struct option options[] = {
        {"repeat", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'}, {0}};
    uint32_t repeat = 9, all = machine_threads();
    while (next_option(argc, argv, options, print_help) != -1) repeat = option_repeat(optarg);
    require_no_operands(argc, argv, optind);
    arena memory;
    if (!arena_create(&memory, MEMORY_BYTES + staggered_size(6, PROBE_BLOCK)))
        fail_usage("no memory for %zu bytes", MEMORY_BYTES);
    machine_print();
    printf("GB/s, median (min..max) of %u repeats; M/s: the probe in millions of particles\n",
           (unsigned)repeat);
    printf("%-7s %12s %7s  %-22s  %-22s  %-22s  %-22s %8s\n", "where", "arrays", "threads", "copy", "memcpy",
           "triad", "probe", "M/s");
    for (uint32_t threads = 1; threads <= all; threads = next_threads(threads, all))
        print_row(&memory, "cache", threads * CACHE_BYTES_PER_THREAD, threads, repeat);
    for (uint32_t threads = 1; threads <= all; threads = next_threads(threads, all))
        print_row(&memory, "memory", MEMORY_BYTES, threads, repeat);
    arena_destroy(&memory);
    return EXIT_SUCCESS;
}
