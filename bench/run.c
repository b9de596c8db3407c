/* mote-bench run: how fast the engine is on this machine, with the evidence beside each figure. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "last.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
#include "strand_scenes.h"

enum {
    SECTION = 256,
    SCENE,
    PEER,
    FULL,
    HAIR_FILE,
    INTEGRATOR,
    PARTICLES,
    FRAMES,
    SUBSTEPS,
    THREADS,
    ISA,
    REPEAT,
    JSON,
    CSV
};

static const struct option options[] = {{"section", required_argument, NULL, SECTION},
                                        {"scene", required_argument, NULL, SCENE},
                                        {"peer", required_argument, NULL, PEER},
                                        {"full", no_argument, NULL, FULL},
                                        {"file", required_argument, NULL, HAIR_FILE},
                                        {"integrator", required_argument, NULL, INTEGRATOR},
                                        {"particles", required_argument, NULL, PARTICLES},
                                        {"frames", required_argument, NULL, FRAMES},
                                        {"substeps", required_argument, NULL, SUBSTEPS},
                                        {"threads", required_argument, NULL, THREADS},
                                        {"isa", required_argument, NULL, ISA},
                                        {"repeat", required_argument, NULL, REPEAT},
                                        {"json", required_argument, NULL, JSON},
                                        {"csv", required_argument, NULL, CSV},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

/* Options that a section may take, as bits. */
#define TAKES(option) (1u << ((option) - SECTION))
enum {
    SCENES = TAKES(SCENE) | TAKES(INTEGRATOR) | TAKES(FRAMES),
    SIZED = SCENES | TAKES(PARTICLES),
    ANY_SCENE = SIZED | TAKES(HAIR_FILE),
    CHOOSY = ANY_SCENE | TAKES(PEER) | TAKES(SUBSTEPS) | TAKES(THREADS) | TAKES(ISA)
};

typedef struct run_section {
    const char *name, *description;
    void (*run)(bench_run *run);
    run_memory (*memory)(const bench_run *run); /* NULL: no argument changes it */
    bool full;                                  /* in --full alone */
    unsigned takes;
} run_section;

static const run_section sections[] = {
    {"limits", "memory and arithmetic that this machine reaches", run_limits, NULL, false, 0},
    {"throughput", "every scene, 8 substeps, 1 thread and all", run_throughput, scene_memory, false,
     CHOOSY & ~TAKES(PEER)},
    {"size", "ballistic and galaxy from 1,024 particles up", run_sizes, size_memory, false, SCENES},
    {"substeps", "ballistic and galaxy by 1 to 32 substeps", run_substeps, scene_memory, false, SIZED},
    {"isa", "ballistic and galaxy by every instruction set", run_isas, scene_memory, false, SCENES},
    {"threads", "1 thread over all, in turn", run_threads, thread_memory, false, ANY_SCENE},
    {"calls", "presentation, order, spawn, kill, allocations", run_calls, NULL, false, 0},
    {"snapshots", "save and restore against memcpy; --full: rollbacks", run_snapshots, NULL, false, 0},
    {"strands", "constraints beside springs, with the stretch of both; --full: all comparisons", run_strands,
     NULL, false, 0},
    {"peers", "plain loops by gcc; --full: by clang-19, fused; structs, odeint, GSL, Bullet", run_peers, NULL,
     false, TAKES(PEER)},
    {"integrators", "integrators beside plain loops and each other", run_integrators, integrator_memory, true,
     TAKES(PARTICLES)},
    {"particles", "deaths and births, small systems and curl noise beside plain loops", run_particles, NULL,
     true, 0},
    {"networks", "networks beside edge lists and batches", run_networks, NULL, true, 0},
    {"stiff-net", "a stiff net by constraints and by explicit springs", run_stiff_net, NULL, true, 0},
    {"stretch", "stretch and energy of ropes by substeps", run_stretch, NULL, true, 0},
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

typedef struct request {
    bench_run run;
    bool section[SECTIONS], sections_given, scenes_given;
    unsigned given; /* options, as bits of TAKES */
    const char *json, *csv;
} request;

/* --- Help --- */

static void print_help(void) {
    puts("usage: mote-bench run [OPTION]...\n\nsections:");
    for (int i = 0; i < SECTIONS; i++)
        printf("  %-12s %s%s\n", sections[i].name, sections[i].description,
               sections[i].full ? " (--full)" : "");
    puts("scenes:");
    for (uint32_t i = 0; i < scene_count; i++) {
        printf("  %-12s %s", scenes[i].name, scenes[i].description);
        if (scenes[i].particles) printf(" (%u particles)", (unsigned)scenes[i].particles);
        putchar('\n');
    }
    puts(
        "\n"
        "  --section S,...   some sections, or all\n"
        "  --scene S,...     some scenes, or all; without --section: throughput alone\n"
        "  --peer P,...      some of those that `mote-bench list` prints: section peers\n"
        "  --full            all sections, 1 and 8 substeps, 9 repeats\n"
        "  --integrator I    one that `mote-bench list` prints (default: the scene's); scenes that it "
        "cannot\n"
        "                    step are left out\n"
        "  --file FILE       in Cem Yuksel's HAIR format, for scene hairfile\n"
        "  --particles N     of each scene; 64M is 64,000,000. Of strands: points; of networks: the largest\n"
        "                    that N particles hold\n"
        "  --frames F        timed in each repeat, one step each (default: 3 Mi / N, 2 to 2,048; of strands\n"
        "                    and networks a quarter)\n"
        "  --substeps H,...  of a step: section throughput\n"
        "  --threads T,...   all: each number up to the machine's (default: 1 and the machine's): section\n"
        "                    throughput\n"
        "  --isa I,...       of those that `mote-bench list` prints, or all (default: the widest): section\n"
        "                    throughput\n"
        "  --repeat R        (default: 5)\n"
        "  --json FILE       writes the rows there too; - is stdout, and the table goes to stderr\n"
        "  --csv FILE        likewise, as CSV, a line a quantity\n\n"
        "In each repeat the engine, the baselines and the probe run in turn: F frames are timed, after one\n"
        "to warm up; after three of the probe, and of all where the row has a plain loop. Baselines pass\n"
        "over memory in each substep and run F / substeps frames, at least one. Times and rates are medians\n"
        "over the repeats (least..most), ratios are medians of the ratios within a repeat. A particle-step\n"
        "is one particle through one substep.\n"
        "  share of the memory limit      of scenes whose arithmetic is counted, as below: bytes a second "
        "over\n"
        "                                 those of a probe that updates six columns in place, at the same\n"
        "                                 size, in the same repeat\n"
        "  share of the arithmetic limit  where it is lower: operations counted in the kernel's source over\n"
        "                                 those that loops in registers alone reach\n"
        "  over a plain loop, structs     time of a loop over columns, of an array of structs of 60 bytes "
        "with\n"
        "                                 cglm, over the engine's: one pass over memory a substep\n"
        "A row is disturbed if the process got less than 97 % of a processor, if its threads waited for\n"
        "one for 5 % of the time (where the kernel does not tell: were switched 20 times a second), or if a "
        "probe ran slower by a tenth, and by five deviations, than it usually does.\n"
        "It is measured three times at most, then printed as disturbed. Exit code 1: hashes that should "
        "agree differ, the sides\n"
        "of a row do not compute the same, or a step allocated memory. It does not depend on other "
        "figures.");
}

/* --- Arguments --- */

static void option_sections(request *asked, const char *text) {
    asked->sections_given = true;
    char name[40];
    while (next_name("--section", &text, name)) {
        const bool all = strcmp(name, "all") == 0;
        int known = 0;
        for (int i = 0; i < SECTIONS; i++)
            if (all || strcmp(sections[i].name, name) == 0) asked->section[i] = true, known++;
        if (!known) fail_usage("--section: unknown section '%s'; mote-bench run --help lists them", name);
    }
}

static void option_scenes(request *asked, const char *text) {
    if (strncmp(text, HAIR_FILE_SCENE ":", sizeof HAIR_FILE_SCENE) == 0) {
        asked->run.file = text + sizeof HAIR_FILE_SCENE;
        text = HAIR_FILE_SCENE;
    }
    char name[40];
    asked->scenes_given = true;
    while (next_name("--scene", &text, name)) {
        const bench_scene *found = scene_named(name);
        if (strcmp(name, "all") == 0)
            for (uint32_t i = 0; i < scene_count; i++) asked->run.scene[i] = true;
        else if (!found)
            fail_usage("--scene: unknown scene '%s'; `mote-bench list` prints those that there are", name);
        else
            asked->run.scene[found - scenes] = true;
    }
}

static void option_peers(request *asked, const char *text) {
    char name[40];
    while (next_name("--peer", &text, name)) peers_ask(&asked->run, name);
}

static mote_integrator option_integrator(const char *name) {
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++)
        if (strcmp(mote_integrator_describe((mote_integrator)i)->name, name) == 0) return (mote_integrator)i;
    fail_usage("--integrator: unknown integrator '%s'; `mote-bench list` prints those that there are", name);
}

static void add_choice(run_choices *choices, const char *option, uint32_t value) {
    if (choices->count == MOST_CHOICES) fail_usage("%s: more than %d", option, MOST_CHOICES);
    for (uint32_t i = 0; i < choices->count; i++)
        if (choices->value[i] == value) return;
    choices->value[choices->count++] = value;
}

static void option_counts(run_choices *choices, const char *option, const char *text, uint32_t most) {
    char name[40];
    choices->count = 0;
    while (next_name(option, &text, name)) add_choice(choices, option, option_count(option, name, 1, most));
}

static void option_threads_list(run_choices *choices, const char *text) {
    char name[40];
    choices->count = 0;
    while (next_name("--threads", &text, name))
        if (strcmp(name, "all"))
            add_choice(choices, "--threads", option_threads(name));
        else
            for (uint32_t k = 1; k <= machine_threads() && choices->count < MOST_CHOICES; k++)
                add_choice(choices, "--threads", k);
}

static void option_isas(run_choices *choices, const char *text) {
    char name[40];
    choices->count = 0;
    while (next_name("--isa", &text, name)) {
        const uint32_t before = choices->count;
        if (strcmp(name, "auto") == 0) add_choice(choices, "--isa", mote_isa_best());
        for (int i = MOTE_ISA_AUTO + 1; i < MOTE_ISA_COUNT; i++)
            if ((strcmp(name, "all") == 0 || strcmp(name, mote_isa_name((mote_isa)i)) == 0) &&
                mote_isa_available((mote_isa)i))
                add_choice(choices, "--isa", (uint32_t)i);
        if (choices->count == before)
            fail_usage("--isa: '%s' cannot run here; `mote-bench list` prints the instruction sets that can",
                       name);
    }
}

static void apply_option(request *asked, int option, const char *text) {
    bench_run *run = &asked->run;
    // clang-format off
    switch (option) {
    case SECTION: option_sections(asked, text); break;
    case SCENE: option_scenes(asked, text); break;
    case PEER: option_peers(asked, text); break;
    case FULL: run->full = true; break;
    case HAIR_FILE: run->file = text; break;
    case INTEGRATOR: run->integrator = option_integrator(text); break;
    case PARTICLES: run->particles = option_count("--particles", text, 1, MOTE_MAX_PARTICLES); break;
    case FRAMES: run->frames = option_count("--frames", text, 1, 1000000); break;
    case SUBSTEPS: option_counts(&run->substeps, "--substeps", text, 4096); break;
    case THREADS: option_threads_list(&run->threads, text); break;
    case ISA: option_isas(&run->isa, text); break;
    case REPEAT: run->repeat = option_repeat(text); break;
    case JSON: asked->json = text; break;
    case CSV: asked->csv = text; break;
    }
    // clang-format on
}

/* Sections and scenes that no argument names. */
static void fill_in(request *asked) {
    for (int i = 0; i < SECTIONS && !asked->sections_given; i++)
        asked->section[i] =
            asked->scenes_given ? sections[i].run == run_throughput : asked->run.full || !sections[i].full;
    for (uint32_t i = 0; i < scene_count && !asked->scenes_given; i++) asked->run.scene[i] = true;
    if (!asked->run.repeat) asked->run.repeat = asked->run.full ? 9 : 5;
}

/* An option that no section asked for takes would be lost. */
static void check_taken(const request *asked) {
    unsigned lost = asked->given & CHOOSY;
    for (int i = 0; i < SECTIONS; i++)
        if (asked->section[i]) lost &= ~sections[i].takes;
    if (!lost) return;
    const struct option *option = options;
    while (!(lost & TAKES(option->val))) option++;
    fail_usage("--%s: no section asked for takes it", option->name);
}

static void check_file(const request *asked) {
    const bool of_file = asked->scenes_given && asked->run.scene[scene_named(HAIR_FILE_SCENE) - scenes];
    bool others = !asked->scenes_given;
    for (uint32_t i = 0; i < scene_count; i++)
        others = others || (asked->run.scene[i] && strcmp(scenes[i].name, HAIR_FILE_SCENE));
    if (of_file && !others && !asked->run.file)
        fail_usage("--scene: hairfile needs --file FILE, or hairfile:FILE");
    if (asked->scenes_given && !of_file && asked->run.file)
        fail_usage("--file: no scene asked for reads one");
    if (asked->run.file) hair_file_load(asked->run.file);
}

static void check_scenes(const request *asked) {
    const bench_run *run = &asked->run;
    bool any = false;
    for (uint32_t i = 0; i < scene_count; i++) {
        const bool asks = run_asks(run, &scenes[i]);
        any = any || asks;
        if (asks && scenes[i].engine == &swarm_contender && run->particles && run->particles < SWARM_SYSTEMS)
            fail_usage("--particles: %u are too few for the %u systems of swarm", (unsigned)run->particles,
                       SWARM_SYSTEMS);
    }
    if (!any)
        fail_usage("--integrator: %s can step none of the scenes asked for",
                   mote_integrator_describe(run->integrator)->name);
}

static run_memory memory_of(const request *asked) {
    run_memory most = {0};
    for (int i = 0; i < SECTIONS; i++)
        if (asked->section[i] && sections[i].memory)
            most = more_memory(most, sections[i].memory(&asked->run));
    return most;
}

static void parse(int argc, char **argv, request *asked) {
    *asked = (request){.run = {.integrator = MOTE_INTEGRATOR_COUNT}};
    for (int option; (option = next_option(argc, argv, options, print_help)) != -1;) {
        apply_option(asked, option, optarg);
        asked->given |= TAKES(option);
    }
    require_no_operands(argc, argv, optind);
    fill_in(asked);
    check_taken(asked);
    check_file(asked);
    check_scenes(asked);
    require_memory(memory_of(asked).all, "--particles");
}

/* --- The run --- */

static void run_sections(request *asked) {
    for (int i = 0; i < SECTIONS; i++)
        if (asked->section[i]) sections[i].run(&asked->run);
}

static void count_rows(request *asked) {
    asked->run.report.counting = true;
    run_sections(asked);
    asked->run.report.counting = false;
    if (!asked->run.report.planned)
        fail_usage("nothing to measure: no section asked for has a row of the scenes or peers asked for");
}

static void reserve(request *asked) {
    if (!arena_create(&asked->run.memory, memory_of(asked).arena + 1))
        fail_usage("--particles: no memory for so many");
}

static bool allocates(const bench_report *report) {
    for (uint32_t i = 0; i < report->count; i++)
        if (strncmp(report->rows[i].name, "allocations", 11) == 0 &&
            !quantity_met(&report->rows[i].quantity[0]))
            return true;
    return false;
}

int command_run(int argc, char **argv) {
    static request asked; /* static for its size */
    parse(argc, argv, &asked);
    count_rows(&asked);
    bench_report *report = &asked.run.report;
    bench_output *json = output_open("--json", asked.json), *csv = output_open("--csv", asked.csv);
    reserve(&asked);
    machine_print();
    last_print();
    watch_calibrate();
    report->start = now_seconds();
    run_sections(&asked);
    progress_prefix("%s", "");
    const bool good = report_end(report) && !allocates(report);
    report_csv(report, output_file(csv));
    const bool table = output_close(csv), written = json_close(json, report_object(report));
    arena_destroy(&asked.run.memory);
    report_free(report);
    return !table || !written ? EXIT_USAGE : good ? EXIT_SUCCESS : EXIT_FAILURE;
}
