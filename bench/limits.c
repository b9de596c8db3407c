/* mote-bench limits: the bandwidth of this machine by threads, in cache and in memory. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "contenders.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
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
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) switch (option) {
        case 'r':
            repeat = option_repeat(optarg);
            break;
        case 'h':
            print_help();
            return EXIT_SUCCESS;
        default:
            return EXIT_USAGE;
        }
    require_no_operands(argc, argv, optind);
    arena memory;
    if (!arena_create(&memory, MEMORY_BYTES + staggered_size(6, PROBE_BLOCK))) {
        fprintf(stderr, "mote-bench: no memory for %zu bytes\n", MEMORY_BYTES);
        return EXIT_FAILURE;
    }
    printf("cpu: %s\ncompiler: %s\n", machine_cpu(), machine_compiler());
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
