/* mote-bench throughput --mpi: scenes on the ranks of MPI, one thread each, beside as many threads of one
 * process, which take turns in each repeat. Under mpirun. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "options.h"

static const struct option options[] = {{"mpi", no_argument, NULL, 'm'},
                                        {"scene", required_argument, NULL, 's'},
                                        {"particles", required_argument, NULL, 'p'},
                                        {"frames", required_argument, NULL, 'f'},
                                        {"substeps", required_argument, NULL, 'u'},
                                        {"repeat", required_argument, NULL, 'r'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static void print_help(void) {
    puts("usage: mpirun -n RANKS --bind-to none mote-bench throughput --mpi [OPTION]...\n\n"
         "  --scene S      particles or a network of mote-bench list; default ballistic\n"
         "  --particles N  of the scene\n"
         "  --frames N     a repeat, default 8\n"
         "  --substeps N   default 8\n"
         "  --repeat N     default 9");
}

#if defined(BENCH_MPI)
#include <mote/mpi.h>

#include "engine.h"
#include "networks.h"
#include "timing.h"

enum { FRAMES = 8, REPEATS = 9, SUBSTEPS = 8 };

typedef struct ranks_run {
    const bench_scene *scene;
    uint32_t particles, frames, substeps, repeat;
    uint32_t rank, ranks;
    const mote_transport *transport;
} ranks_run;

/* Waits for all ranks asleep: the process of rank 0 needs the processors for its threads. */
static void wait_asleep(void) {
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        nanosleep(&(struct timespec){0, 500000}, NULL);
    }
}

static void *open_scene(const ranks_run *run, uint32_t threads) {
    const bench_config config = {.scene = run->scene,
                                 .integrator = run->scene->integrator,
                                 .isa = mote_isa_best(),
                                 .particles = run->particles,
                                 .substeps = run->substeps,
                                 .threads = threads};
    return run->scene->engine->open(&config);
}

static mote_system *system_of(const ranks_run *run, void *state) {
    return run->scene->network ? ((network_run *)state)->system : state;
}

static double seconds_of(mote_system *system, uint32_t frames) {
    const double start = now_seconds();
    for (uint32_t i = 0; i < frames; i++) engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
    return now_seconds() - start;
}

/* Both sides in each repeat. alone: of rank 0; NULL on others. */
static void measure_both(const ranks_run *run, mote_system *joined, mote_system *alone, double *ratios,
                         double *frames) {
    for (uint32_t i = 0; i < run->repeat; i++) {
        const double lone = alone ? seconds_of(alone, run->frames) : 0;
        wait_asleep();
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = now_seconds();
        (void)seconds_of(joined, run->frames);
        MPI_Barrier(MPI_COMM_WORLD);
        const double ours = now_seconds() - start;
        ratios[i] = lone / ours, frames[i] = ours / run->frames;
    }
}

static void print_row(const ranks_run *run, mote_system *joined, mote_system *alone, const double *ratios,
                      const double *frames) {
    const spread ratio = spread_of(ratios, run->repeat), frame = spread_of(frames, run->repeat);
    mote_cluster_report report;
    engine_check(mote_system_cluster_report(joined, &report), "mote_system_cluster_report");
    const uint64_t ours = mote_system_hash(joined), hash = alone ? mote_system_hash(alone) : 0;
    if (run->rank) return;
    const double steps = (double)report.steps;
    printf("%s, %u particles, %u substeps, %u ranks of one thread against %u threads of one process\n",
           run->scene->name, run->particles, run->substeps, run->ranks, run->ranks);
    printf("  over threads  %.3f (%.3f to %.3f, %u repeats of %u frames)\n", ratio.median, ratio.min,
           ratio.max, run->repeat, run->frames);
    printf("  frame         %.3f ms, %.1f M particle-steps/s\n", 1e3 * frame.median,
           1e-6 * run->particles * run->substeps / frame.median);
    printf("  rank 0 sends  %.0f bytes of state, %.0f of checks, %.2f messages a step\n",
           (double)report.state_bytes / steps, (double)report.check_bytes / steps,
           (double)report.messages / steps);
    printf("  hash          %016llx, %s\n", (unsigned long long)ours, ours == hash ? "equal" : "DIFFERENT");
    if (ours != hash) exit(EXIT_FAILURE);
}

static void measure_scene(const ranks_run *run) {
    static double ratios[MAX_REPEATS], frames[MAX_REPEATS];
    void *state = open_scene(run, 1), *alone = run->rank ? NULL : open_scene(run, run->ranks);
    mote_system *joined = system_of(run, state), *lone = alone ? system_of(run, alone) : NULL;
    engine_check(mote_system_join(joined, run->transport), "mote_system_join");
    measure_both(run, joined, lone, ratios, frames);
    print_row(run, joined, lone, ratios, frames);
    run->scene->engine->close(state);
    if (alone) run->scene->engine->close(alone);
}

static void read_options(int argc, char **argv, ranks_run *run) {
    bool mpi = false;
    const char *name = "ballistic";
    uint32_t particles = 0;
    for (int option; (option = next_option(argc, argv, options, print_help)) >= 0;) {
        if (option == 'm') mpi = true;
        if (option == 's') name = optarg;
        if (option == 'p') particles = option_count("--particles", optarg, 1, UINT32_C(1) << 27);
        if (option == 'f') run->frames = option_count("--frames", optarg, 1, 1000000);
        if (option == 'u') run->substeps = option_count("--substeps", optarg, 1, 4096);
        if (option == 'r') run->repeat = option_repeat(optarg);
    }
    require_no_operands(argc, argv, optind);
    if (!mpi) fail_usage("throughput without --mpi is mote-bench run --section throughput");
    run->scene = scene_named(name);
    if (!run->scene || (run->scene->engine != &engine_contender && !run->scene->network))
        fail_usage("'%s' is no scene of particles or of a network", name);
    run->particles = scene_particles(run->scene, particles);
}

/* Says which rank the others differ from, or that one is lost: the run then ends by the code of a call. */
static void hear(void *user, mote_result result, uint32_t rank) {
    (void)user;
    if (rank == MOTE_NO_ITEM)
        fprintf(stderr, "mote-bench: %s\n", mote_result_text(result));
    else
        fprintf(stderr, "mote-bench: rank %u: %s\n", rank, mote_result_text(result));
}

int command_throughput(int argc, char **argv) {
    ranks_run run = {.frames = FRAMES, .substeps = SUBSTEPS, .repeat = REPEATS};
    int level, rank, ranks;
    read_options(argc, argv, &run);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mote_cluster *cluster;
    engine_check(mote_cluster_create(MPI_COMM_WORLD, &cluster), "mote_cluster_create");
    mote_cluster_on_error(cluster, hear, NULL);
    run.rank = (uint32_t)rank, run.ranks = (uint32_t)ranks;
    run.transport = mote_cluster_transport(cluster);
    measure_scene(&run);
    mote_cluster_destroy(cluster);
    MPI_Finalize();
    return EXIT_SUCCESS;
}

#else

int command_throughput(int argc, char **argv) {
    while (next_option(argc, argv, options, print_help) != -1) {
    }
    require_no_operands(argc, argv, optind);
    fail_usage("this build has no MPI: configure with -Dmpi=enabled");
}

#endif
