/* mote-bench compare: ratios of two contenders that run in turn, beside the figures to reach. */
#include "compare.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "compare_sides.h"
#include "json.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
#include "scenes.h"

/* One side of a ratio: a scene stepped by the engine, or by its plain baseline. */
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
            /* A frame of many substeps is long enough to be timed alone. */
            series[k].seconds[turn] = run_once(contender[k], state[k], comparison->substeps > 1 ? 2 : 8);
        }
    progress_clear();
    for (int k = 0; k < 2; k++) contender[k]->close(state[k]);
    return (bench_outcome){comparison, ratio_spread(&series[0], &series[1], repeat),
                           spread_of(series[0].seconds, repeat), spread_of(series[1].seconds, repeat)};
}

static compare_row row_of(const bench_outcome *outcome) {
    const bench_comparison *c = outcome->comparison;
    return (compare_row){c->figure, c->target, c->at_most, outcome->ratio};
}

static void print_outcome(const bench_outcome *outcome) {
    compare_row row = row_of(outcome);
    compare_print(&row);
    printf("  %.3f ms, %.3f ms\n", 1e3 * outcome->above.median, 1e3 * outcome->below.median);
    fflush(stdout);
}

static cJSON *outcome_object(const bench_outcome *outcome, uint32_t particles, uint32_t repeat) {
    cJSON *object = cJSON_CreateObject();
    compare_row row = row_of(outcome);
    compare_json(object, &row);
    cJSON_AddStringToObject(object, "scene", outcome->comparison->scene->name);
    cJSON_AddNumberToObject(object, "particles", particles);
    cJSON_AddNumberToObject(object, "substeps", outcome->comparison->substeps);
    cJSON_AddNumberToObject(object, "repeat", repeat);
    json_add_spread(object, "above_seconds_median_min_max", outcome->above);
    json_add_spread(object, "below_seconds_median_min_max", outcome->below);
    return object;
}

static void print_help(void) {
    puts("usage: mote-bench compare [OPTION]...\n\n"
         "  --section S    integrators, particles, strands, networks or snapshots (default: all)\n"
         "  --particles N  of every scene of integrators (default: 1M)\n"
         "  --repeat R     (default: 9)\n"
         "  --json FILE    writes the records there too\n\n"
         "Ratios of times of a frame, median (min..max) of the ratios within a repeat, in which both "
         "contenders run in\n"
         "turn, beside the figure to reach; then the two times. One thread unless the row names more. The "
         "exit code does\n"
         "not depend on the figures.\n"
         "Strands: both sides begin at their first state in every repeat; a node is a point of a strand, "
         "strain is the\n"
         "largest over all segments and frames. Tables of strain by substeps and of energy follow.\n"
         "Networks: likewise, and both sides must first go the same way. The stiff net shows the strain of "
         "both sides.");
}

#define ENGINE(integrator, threads) {false, integrator, threads}
#define BASELINE(integrator)        {true, integrator, 1}

static uint32_t list_comparisons(bench_comparison *list) {
    const bench_scene *orbits = scene_named("orbits"), *smoke = scene_named("smoke");
    const mote_integrator verlet = MOTE_VELOCITY_VERLET, euler = MOTE_SEMI_IMPLICIT_EULER;
    const bench_comparison all[] = {
        {"orbits, velocity Verlet: plain loop over engine, 1 substep", orbits, 1, BASELINE(verlet),
         ENGINE(verlet, 1), 1, false},
        {"orbits, velocity Verlet: plain loop over engine, 8 substeps", orbits, 8, BASELINE(verlet),
         ENGINE(verlet, 1), 1, false},
        {"damped oscillators, RK4: whole-batch RK4 over engine, 1 substep", &damped_scene, 1,
         BASELINE(MOTE_RK4), ENGINE(MOTE_RK4, 1), 4, false},
        {"damped oscillators, RK4: whole-batch RK4 over engine, 8 substeps", &damped_scene, 8,
         BASELINE(MOTE_RK4), ENGINE(MOTE_RK4, 1), 4, false},
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

static void compare_integrators(uint32_t particles, uint32_t repeat, cJSON *object) {
    bench_comparison list[16];
    uint32_t count = list_comparisons(list);
    arena memory;
    size_t size = contender_memory(&damped_scene, particles);
    require_memory((double)size + 100.0 * particles, "--particles");
    if (!arena_create(&memory, size)) fail_usage("--particles: no memory for so many");
    for (uint32_t i = 0; i < count; i++) {
        bench_outcome outcome = compare(&list[i], particles, repeat, &memory);
        print_outcome(&outcome);
        cJSON_AddItemToArray(cJSON_GetObjectItem(object, "results"),
                             outcome_object(&outcome, particles, repeat));
    }
    arena_destroy(&memory);
}

typedef struct request {
    uint32_t particles, repeat;
    bool integrators, loose, strands, networks, snapshots;
    const char *json;
} request;

static void apply_section(request *asked, const char *name) {
    asked->integrators = strcmp(name, "integrators") == 0;
    asked->loose = strcmp(name, "particles") == 0;
    asked->strands = strcmp(name, "strands") == 0;
    asked->networks = strcmp(name, "networks") == 0;
    asked->snapshots = strcmp(name, "snapshots") == 0;
    if (!asked->integrators && !asked->loose && !asked->strands && !asked->networks && !asked->snapshots)
        fail_usage("--section: unknown section '%s'; there are: integrators, particles, strands, networks, "
                   "snapshots",
                   name);
}

static void apply_option(request *asked, int option, const char *text) {
    // clang-format off
    switch (option) {
    case 's': apply_section(asked, text); break;
    case 'p': asked->particles = option_count("--particles", text, 1, 256000000); break;
    case 'r': asked->repeat = option_repeat(text); break;
    case 'j': asked->json = text; break;
    case 'h': print_help(); exit(EXIT_SUCCESS);
    default: exit(EXIT_USAGE);
    }
    // clang-format on
}

int command_compare(int argc, char **argv) {
    static const struct option options[] = {
        {"section", required_argument, NULL, 's'}, {"particles", required_argument, NULL, 'p'},
        {"repeat", required_argument, NULL, 'r'},  {"json", required_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},          {0}};
    request asked = {.particles = 1000000,
                     .repeat = 9,
                     .integrators = true,
                     .loose = true,
                     .strands = true,
                     .networks = true,
                     .snapshots = true};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;)
        apply_option(&asked, option, optarg);
    require_no_operands(argc, argv, optind);
    bench_output *json = output_open("--json", asked.json);
    cJSON *object = json_report();
    printf("mote %s, %s, %s, median (min..max) of %u repeats\n", mote_version(), machine_cpu(),
           machine_compiler(), (unsigned)asked.repeat);
    if (asked.integrators) compare_integrators(asked.particles, asked.repeat, object);
    if (asked.loose) compare_particles(asked.repeat, object);
    if (asked.strands) compare_strands(asked.repeat, object);
    if (asked.networks) compare_networks(asked.repeat, object);
    if (asked.snapshots) compare_snapshots(asked.repeat, object);
    return json_close(json, object) ? EXIT_SUCCESS : EXIT_USAGE;
}
