/* mote-bench threads: from which size work is divided, and what dividing it costs, on this machine; and what
 * it costs while other processes keep the machine busy. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "contenders.h"
#include "engine.h"
#include "machine.h"
#include "options.h"
#include "pool.h"
#include "progress.h"

enum { CROWD = 25000, BUSY = 2, STEPS = 50, FILL = 8 };
#define BUSY_SECONDS 0.1 /* of one thread, in a repeat */

typedef struct meeting {
    atomic_uint begun;
    uint32_t count;
} meeting;

/* Forces of a kernel, beside gravity. */
typedef struct kernel {
    const char *name;
    uint32_t attractors;
    bool wind, vortex, noise;
} kernel;

static const kernel kernels[] = {{.name = "affine", .wind = true},
                                 {.name = "one attractor", .attractors = 1},
                                 {.name = "8 attractors", .attractors = 8},
                                 {.name = "vortex", .vortex = true},
                                 {.name = "curl noise", .noise = true}};
#define KERNELS (sizeof kernels / sizeof kernels[0])

static mote_system *open_kernel(const kernel *k, uint32_t particles, uint32_t substeps, mote_jobs jobs) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_range_view view;
    def.capacity = particles, def.substeps = substeps, def.jobs = jobs;
    const float down[3] = {0, -9.81f, 0}, origin[3] = {0, 0, 0};
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    engine_add_force(system, mote_gravity(down));
    if (k->wind) engine_add_force(system, mote_wind(origin, 0.1f));
    for (uint32_t i = 0; i < k->attractors; i++)
        engine_add_force(system, mote_attractor((const float[3]){(float)i, 1, 0}, 10, 0.5f));
    if (k->vortex) engine_add_force(system, mote_vortex(origin, down, 1, 1, MOTE_FIELD_WIND, 0.1f));
    if (k->noise) engine_add_force(system, mote_curl_noise(1, 1, 1, 1, MOTE_FIELD_WIND, 0.1f));
    engine_check(mote_system_spawn(system, particles, &view), "mote_system_spawn");
    for (uint32_t i = 0; i < particles; i++) {
        view.position.x[i] = (float)(i % 97) * 0.1f, view.position.y[i] = (float)(i % 89) * 0.1f;
        view.position.z[i] = (float)(i % 83) * 0.1f;
    }
    return system;
}

static double time_steps(mote_system *system, uint32_t steps, double (*clock)(void)) {
    const double start = clock();
    engine_check(mote_system_step(system, steps, NULL), "mote_system_step");
    return (clock() - start) / steps;
}

/* --- Sizes from which work is divided --- */

/* Counts the indices that have begun, and waits for the last one: a second at the most, where the system
 * gives fewer threads than asked for. */
static void meet(void *context, uint32_t index, uint32_t worker) {
    (void)index, (void)worker;
    meeting *m = context;
    const double start = now_seconds();
    atomic_fetch_add(&m->begun, 1);
    while (atomic_load(&m->begun) < m->count && now_seconds() - start < 1) {
    }
}

/* Returns the median time until all threads take part in a job, s. */
static double time_meeting(mote_jobs jobs) {
    double seconds[MAX_REPEATS];
    for (uint32_t i = 0; i < MAX_REPEATS; i++) {
        meeting m = {.count = jobs.run ? jobs.workers : 0};
        const double start = now_seconds();
        if (jobs.run) jobs.run(jobs.user, meet, &m, m.count);
        seconds[i] = now_seconds() - start;
    }
    return spread_of(seconds, MAX_REPEATS).median;
}

/* Prints the sizes in particle-substeps. Dividing saves time where one thread takes longer than until the
 * others take part. */
static void print_kernel(const kernel *k, uint32_t repeat, const double latency[2]) {
    double seconds[MAX_REPEATS];
    mote_system *system = open_kernel(k, CROWD, FILL, (mote_jobs){0});
    time_steps(system, 2, thread_seconds);
    for (uint32_t i = 0; i < repeat; i++) seconds[i] = time_steps(system, STEPS, thread_seconds);
    mote_system_destroy(system);
    const double each = spread_of(seconds, repeat).median / CROWD / FILL;
    printf("  %-14s %8.2f %12.0f %12.0f %12.0f\n", k->name, 1e9 * each, latency[0] / each, latency[1] / each,
           MOTE_LEAST_WORK * 1e-9 / each);
}

static void print_sizes(uint32_t threads, uint32_t repeat) {
    const double latency[2] = {time_meeting(mote_jobs_openmp(threads)), time_meeting(pool_jobs(threads))};
    printf("until %u threads take part in a job: OpenMP %.1f us, pool of the host %.1f us\n",
           (unsigned)threads, 1e6 * latency[0], 1e6 * latency[1]);
    puts("particle-substeps from which dividing saves time on this machine while it is idle, and from which\n"
         "the engine divides, if its estimates are exact; at 8 substeps:");
    printf("  %-14s %8s %12s %12s %12s\n", "kernel", "ns each", "OpenMP pays", "pool pays", "divided");
    for (size_t i = 0; i < KERNELS; i++) print_kernel(&kernels[i], repeat, latency);
}

/* --- A busy machine --- */

/* Children end with their parent, however that ends. */
static void keep_busy(pid_t children[BUSY]) {
    const pid_t parent = getpid();
    for (int i = 0; i < BUSY; i++) {
        children[i] = fork();
        if (children[i] < 0) {
            perror("mote-bench: fork");
            exit(EXIT_FAILURE);
        }
        for (volatile uint64_t n = 0; children[i] == 0; n = n + 1)
            if (n % (1u << 20) == 0 && getppid() != parent) _exit(EXIT_SUCCESS);
    }
}

static void end_busy(const pid_t children[BUSY]) {
    for (int i = 0; i < BUSY; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
}

enum { WAYS = 3 };

static void print_busy(const kernel *k, uint32_t substeps, uint32_t threads, uint32_t repeat) {
    const mote_jobs ways[WAYS] = {{0}, mote_jobs_openmp(threads), pool_jobs(threads)};
    static double seconds[WAYS][MAX_REPEATS], ratio[WAYS][MAX_REPEATS];
    mote_system *system[WAYS];
    for (int i = 0; i < WAYS; i++) system[i] = open_kernel(k, CROWD, substeps, ways[i]);
    for (int i = 0; i < WAYS; i++) time_steps(system[i], 2, now_seconds);
    /* Long enough that each way meets the scheduler often; the ways take single steps in turn. */
    const uint32_t steps = 2 + (uint32_t)(BUSY_SECONDS / time_steps(system[0], 8, thread_seconds));
    for (uint32_t turn = 0; turn < repeat; turn++) {
        progress("%s, %u substeps, repeat %u", k->name, (unsigned)substeps, (unsigned)turn + 1);
        for (int i = 0; i < WAYS; i++) seconds[i][turn] = 0;
        for (uint32_t step = 0; step < steps; step++)
            for (int i = 0; i < WAYS; i++) seconds[i][turn] += time_steps(system[i], 1, now_seconds) / steps;
        for (int i = 0; i < WAYS; i++) ratio[i][turn] = seconds[i][turn] / seconds[0][turn];
    }
    progress_clear();
    printf("  %-14s %3u %9.3f", k->name, (unsigned)substeps, 1e3 * spread_of(seconds[0], repeat).median);
    for (int i = 1; i < WAYS; i++) {
        const spread of = spread_of(ratio[i], repeat);
        printf("  %7.2fx (%.2f..%.2f)", of.median, of.min, of.max);
    }
    putchar('\n');
    for (int i = 0; i < WAYS; i++) mote_system_destroy(system[i]);
}

static void print_all_busy(uint32_t threads, uint32_t repeat) {
    pid_t children[BUSY];
    printf(
        "%d particles beside %d processes that only count: mean time of a step on %u threads over that on\n"
        "one, medians (least..greatest) of %u repeats\n",
        CROWD, BUSY, (unsigned)threads, (unsigned)repeat);
    printf("  %-14s %3s %9s  %-22s  %s\n", "kernel", "sub", "ms, one", "OpenMP", "pool of the host");
    keep_busy(children);
    for (size_t i = 0; i < KERNELS; i++)
        for (uint32_t substeps = 1; substeps <= FILL; substeps *= FILL)
            print_busy(&kernels[i], substeps, threads, repeat);
    end_busy(children);
}

static void print_help(void) {
    puts("usage: mote-bench threads [--threads T] [--repeat R]\n\n"
         "Prints from which size work is divided among T threads (default 2), beside the size from which\n"
         "that saves time on this machine, with OpenMP and with a pool of threads of the host; then the\n"
         "time of steps of 25,000 particles on a busy machine. Set OMP_WAIT_POLICY=passive to see what\n"
         "waiting costs.");
}

int command_threads(int argc, char **argv) {
    static const struct option options[] = {{"threads", required_argument, NULL, 't'},
                                            {"repeat", required_argument, NULL, 'r'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    uint32_t repeat = 9, threads = 2;
    for (int option; (option = next_option(argc, argv, options, print_help)) != -1;)
        if (option == 't')
            threads = option_count("--threads", optarg, 2, 64);
        else if (option == 'r')
            repeat = option_repeat(optarg);
    require_no_operands(argc, argv, optind);
    machine_print();
    print_sizes(threads, repeat);
    print_all_busy(threads, repeat);
    return EXIT_SUCCESS;
}
