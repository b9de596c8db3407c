/* mote-bench compare: ratios of two contenders that run in turn, beside the figure that each is to reach. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
#include "scenes.h"

/* One side of a ratio: the scene's engine loop, or its plain baseline. */
typedef struct bench_side {
    bool baseline;
    mote_integrator integrator;
    uint32_t threads;
} bench_side;

/* Time of `above` over time of `below`. */
typedef struct bench_comparison {
    const char *figure;
    const bench_scene *scene;
    uint32_t substeps;
    bench_side above, below;
    double target;
    bool at_most; /* else at least */
} bench_comparison;

typedef struct bench_outcome {
    const bench_comparison *comparison;
    spread ratio, above, below; /* s a frame */
} bench_outcome;

static double run_once(const bench_contender *contender, void *state, uint32_t frames) {
    if (contender->refill) contender->refill(state);
    contender->run(state, 1);
    double start = now_seconds();
    contender->run(state, frames);
    return (now_seconds() - start) / frames;
}

static bench_config config_of(const bench_comparison *comparison, const bench_side *side, uint32_t particles,
                              uint32_t repeat, const arena *memory) {
    return (bench_config){.scene = comparison->scene,
                          .integrator = side->integrator,
                          .isa = mote_isa_best(),
                          .particles = particles,
                          .frames = 8,
                          .substeps = comparison->substeps,
                          .threads = side->threads,
                          .repeat = repeat,
                          .memory = memory};
}

static bench_outcome compare(const bench_comparison *comparison, uint32_t particles, uint32_t repeat,
                             const arena *memory) {
    static bench_series series[2]; /* static for their size */
    const bench_side *sides[2] = {&comparison->above, &comparison->below};
    const bench_contender *contender[2];
    void *state[2];
    for (int k = 0; k < 2; k++) {
        bench_config config = config_of(comparison, sides[k], particles, repeat, memory);
        contender[k] = sides[k]->baseline ? comparison->scene->baseline_plain : comparison->scene->engine;
        state[k] = contender[k]->open(&config);
    }
    for (uint32_t turn = 0; turn < repeat; turn++)
        for (int k = 0; k < 2; k++) {
            progress("%s: %u of %u", comparison->figure, (unsigned)turn + 1, (unsigned)repeat);
            /* A long frame needs no others beside it to be timed well. */
            series[k].seconds[turn] = run_once(contender[k], state[k], comparison->substeps > 1 ? 2 : 8);
        }
    progress_clear();
    for (int k = 0; k < 2; k++) contender[k]->close(state[k]);
    return (bench_outcome){comparison, ratio_spread(&series[0], &series[1], repeat),
                           spread_of(series[0].seconds, repeat), spread_of(series[1].seconds, repeat)};
}

static void print_outcome(const bench_outcome *outcome) {
    const bench_comparison *c = outcome->comparison;
    char target[24], ratio[64];
    snprintf(target, sizeof target, "%s %.3gx", c->at_most ? "<=" : ">=", c->target);
    snprintf(ratio, sizeof ratio, "%.3fx (%.3f..%.3f)", outcome->ratio.median, outcome->ratio.min, outcome->ratio.max);
    printf("%-72s %8s  %-26s  %.3f ms, %.3f ms\n", c->figure, target, ratio, 1e3 * outcome->above.median,
           1e3 * outcome->below.median);
    fflush(stdout);
}

static void add_spread(cJSON *object, const char *key, spread value) {
    double numbers[3] = {value.median, value.min, value.max};
    cJSON_AddItemToObject(object, key, cJSON_CreateDoubleArray(numbers, 3));
}

static cJSON *outcome_object(const bench_outcome *outcome, uint32_t particles, uint32_t repeat) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "figure", outcome->comparison->figure);
    cJSON_AddStringToObject(object, "scene", outcome->comparison->scene->name);
    cJSON_AddNumberToObject(object, "particles", particles);
    cJSON_AddNumberToObject(object, "substeps", outcome->comparison->substeps);
    cJSON_AddNumberToObject(object, "repeat", repeat);
    cJSON_AddNumberToObject(object, outcome->comparison->at_most ? "target_at_most" : "target_at_least",
                            outcome->comparison->target);
    cJSON_AddNumberToObject(object, "ratio", outcome->ratio.median);
    add_spread(object, "ratio_median_min_max", outcome->ratio);
    add_spread(object, "above_seconds_median_min_max", outcome->above);
    add_spread(object, "below_seconds_median_min_max", outcome->below);
    return object;
}

static void print_help(void) {
    puts(
        "usage: mote-bench compare [OPTION]...\n\n"
        "  --particles N  of every scene (default: 1M)\n"
        "  --repeat R     (default: 9)\n"
        "  --json FILE    writes the records there too\n\n"
        "Ratios of times a frame, median (min..max) of the ratios within a repeat, in which both contenders run in "
        "turn,\n"
        "beside the figure to reach; then the two times. One thread where a row says nothing else. The exit code does\n"
        "not tell whether figures were reached.");
}

#define ENGINE(integrator, threads)                                                                                    \
    { false, integrator, threads }
#define BASELINE(integrator)                                                                                           \
    { true, integrator, 1 }

static uint32_t list_comparisons(bench_comparison *list) {
    const bench_scene *orbits = scene_named("orbits"), *smoke = scene_named("smoke");
    const mote_integrator verlet = MOTE_VELOCITY_VERLET, euler = MOTE_SEMI_IMPLICIT_EULER;
    const bench_comparison all[] = {
        {"orbits, velocity Verlet: plain loop over engine, 1 substep", orbits, 1, BASELINE(verlet), ENGINE(verlet, 1),
         1, false},
        {"orbits, velocity Verlet: plain loop over engine, 8 substeps", orbits, 8, BASELINE(verlet), ENGINE(verlet, 1),
         1, false},
        {"damped oscillators, RK4: whole-batch RK4 over engine, 1 substep", &damped_scene, 1, BASELINE(MOTE_RK4),
         ENGINE(MOTE_RK4, 1), 4, false},
        {"damped oscillators, RK4: whole-batch RK4 over engine, 8 substeps", &damped_scene, 8, BASELINE(MOTE_RK4),
         ENGINE(MOTE_RK4, 1), 4, false},
        {"smoke: 1 thread over 2", smoke, 1, ENGINE(euler, 1), ENGINE(euler, 2), 1.9, false},
        {"anchor spring: kinematic over semi-implicit Euler", &spring_scene, 1, ENGINE(MOTE_KINEMATIC, 1),
         ENGINE(euler, 1), 1.5, true},
        {"anchor spring, gravity, wind: kinematic over semi-implicit Euler", &affine_scene, 1,
         ENGINE(MOTE_KINEMATIC, 1), ENGINE(euler, 1), 1.5, true},
        {"anchor spring, gravity, wind: exact flow over semi-implicit Euler", &affine_scene, 1,
         ENGINE(MOTE_EXACT_FLOW, 1), ENGINE(euler, 1), 1.3, true},
    };
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static bool write_outcomes(const char *path, const bench_outcome *outcomes, uint32_t count, uint32_t particles,
                           uint32_t repeat) {
    FILE *file = fopen(path, "w");
    if (!file) return false;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "cpu", machine_cpu());
    cJSON_AddStringToObject(object, "compiler", machine_compiler());
    cJSON_AddStringToObject(object, "version", mote_version());
    cJSON *results = cJSON_AddArrayToObject(object, "results");
    for (uint32_t i = 0; i < count; i++) cJSON_AddItemToArray(results, outcome_object(&outcomes[i], particles, repeat));
    char *text = cJSON_Print(object);
    bool written = text && fputs(text, file) >= 0 && fputc('\n', file) != EOF;
    free(text);
    cJSON_Delete(object);
    return fclose(file) == 0 && written;
}

int command_compare(int argc, char **argv) {
    static const struct option options[] = {{"particles", required_argument, NULL, 'p'},
                                            {"repeat", required_argument, NULL, 'r'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    uint32_t particles = 1000000, repeat = 9;
    const char *json = NULL;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) switch (option) {
        case 'p':
            particles = option_count("--particles", optarg, 1, 256000000);
            break;
        case 'r':
            repeat = option_repeat(optarg);
            break;
        case 'j':
            json = optarg;
            break;
        case 'h':
            print_help();
            return EXIT_SUCCESS;
        default:
            return EXIT_USAGE;
        }
    require_no_operands(argc, argv, optind);
    bench_comparison list[16];
    bench_outcome outcomes[16];
    uint32_t count = list_comparisons(list);
    arena memory;
    size_t size = contender_memory(&damped_scene, particles);
    require_memory((double)size + 100.0 * particles, "--particles");
    if (!arena_create(&memory, size)) fail_usage("--particles: no memory for so many");
    printf("mote %s, %s, %s, %u particles, median (min..max) of %u repeats\n", mote_version(), machine_cpu(),
           machine_compiler(), (unsigned)particles, (unsigned)repeat);
    for (uint32_t i = 0; i < count; i++) {
        outcomes[i] = compare(&list[i], particles, repeat, &memory);
        print_outcome(&outcomes[i]);
    }
    arena_destroy(&memory);
    if (!json || write_outcomes(json, outcomes, count, particles, repeat)) return EXIT_SUCCESS;
    fprintf(stderr, "mote-bench: %s: %s\n", json, strerror(errno));
    return EXIT_FAILURE;
}
