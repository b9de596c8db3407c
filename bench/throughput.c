/* mote-bench throughput: particle-steps a second, with baselines, limits and hashes beside each figure. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "commands.h"
#include "json.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "strand_scenes.h"

#define DEFAULT_REPEAT       9u
#define ALLOCATION_STEPS     8u
#define ALLOCATION_PARTICLES 100000u

/* The arguments; 0 or NULL: the default. */
typedef struct request {
    const bench_scene *scene;
    mote_integrator integrator; /* MOTE_INTEGRATOR_COUNT: the scene's */
    const char *file;           /* of scene hairfile */
    uint32_t particles, frames, substeps, threads, repeat;
    mote_isa isa[MOTE_ISA_COUNT];
    uint32_t isa_count;
    const char *json;
} request;

static void print_scene(const bench_scene *scene) {
    printf("  %-11s %s", scene->name, scene->description);
    if (scene->particles) printf(" (%u particles)", (unsigned)scene->particles);
    putchar('\n');
}

static void print_options(void) {
    puts("\n"
         "  --scene S       one of these (default: all)\n"
         "  --integrator I  one that `mote-bench list` prints (default: the scene's); scenes that it\n"
         "                  cannot step are left out\n"
         "  --file FILE     in Cem Yuksel's HAIR format, for scene hairfile: strands of more than 32\n"
         "                  points are resampled\n"
         "  --particles N   of each scene; 64M is 64,000,000. Of strands: points, so N / 32 strands of\n"
         "                  hair and curls, N / 64 ropes, as many strands of a file as N points hold. Of\n"
         "                  networks: the largest that N particles hold, up to a net of 1,024 x 1,024,\n"
         "                  the bridge and the webs by default\n"
         "  --frames F      timed in each repeat, one step each (default: 8 Mi / N, 2 to 64; rope: 125,\n"
         "                  bridge: 8)\n"
         "  --substeps H    of a step (default: 1 and 8; shaken: 4 and 8; curls, net, webs: 8; bridge: 32)\n"
         "  --threads T     (default: 1 and all)\n"
         "  --isa I         one that `mote-bench list` prints, or all (default: the widest)\n"
         "  --repeat R      (default: 9)\n"
         "  --json FILE     writes the records there too\n"
         "");
}

static void print_columns(void) {
    puts("In each repeat the engine, the baselines and the probe run in turn, one frame to warm up and\n"
         "F timed. Times and rates are medians over the repeats, ratios are medians of the ratios within\n"
         "a repeat.\n"
         "  M p-st/s  millions of particle-steps a second: one particle through one substep\n"
         "  B/p-st    bytes read and written per particle-step: six columns in and out, 48 / substeps,\n"
         "            and what the scene adds\n"
         "  share     bytes a second over those of the probe, which updates six columns in place once a\n"
         "            frame\n"
         "  struct    time of an array of 60-byte structs over cglm's vec3, over the engine's\n"
         "  plain     time of a plain vectorised loop over columns, over the engine's; both baselines\n"
         "            take the same substeps on the same threads, one pass over memory each, by the\n"
         "            scene's own integrator: beside others they are left out\n"
         "  strands   points a second, and over all segments and frames the largest and the mean\n"
         "            |length / rest length - 1|; Newton iterations per substep and strand; strands that\n"
         "            met the cap, a frame\n"
         "  networks  springs a second, once each; at the end the largest and the mean |length / rest\n"
         "            length - 1|, kinetic energy, and what is left of the energy at the start; the\n"
         "            largest stable step by both bounds, over h\n"
         "  hash      of the state after R x (1 + F) steps; rows that should agree and do not say\n"
         "            DIFFERS (exit code 1)");
}

static void print_help(void) {
    puts("usage: mote-bench throughput [OPTION]...\n");
    for (uint32_t i = 0; i < scene_count; i++) print_scene(&scenes[i]);
    print_options();
    print_columns();
}

/* hairfile:FILE names the file too. */
static const bench_scene *option_scene(const char *name, request *asked) {
    size_t prefix = sizeof HAIR_FILE_SCENE - 1;
    if (strncmp(name, HAIR_FILE_SCENE ":", prefix + 1) == 0) {
        asked->file = name + prefix + 1;
        name = HAIR_FILE_SCENE;
    }
    const bench_scene *found = scene_named(name);
    if (found) return found;
    char names[256] = "";
    for (uint32_t i = 0; i < scene_count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", scenes[i].name);
    }
    fail_usage("--scene: unknown scene '%s'; there are: %s", name, names);
}

static mote_integrator option_integrator(const char *name) {
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++)
        if (strcmp(mote_integrator_describe((mote_integrator)i)->name, name) == 0) return (mote_integrator)i;
    fail_usage("--integrator: unknown integrator '%s'; `mote-bench list` prints those that there are", name);
}

static void option_isa(const char *name, request *asked) {
    asked->isa_count = 0;
    for (int i = MOTE_ISA_AUTO + 1; i < MOTE_ISA_COUNT; i++) {
        bool wanted = strcmp(name, "all") == 0 || strcmp(name, mote_isa_name((mote_isa)i)) == 0;
        if (wanted && mote_isa_available((mote_isa)i)) asked->isa[asked->isa_count++] = (mote_isa)i;
    }
    if (strcmp(name, "auto") == 0) asked->isa[asked->isa_count++] = mote_isa_best();
    if (!asked->isa_count)
        fail_usage("--isa: '%s' cannot run here; `mote-bench list` prints the instruction sets that can",
                   name);
}

enum { SCENE = 256, HAIR_FILE, INTEGRATOR, PARTICLES, FRAMES, SUBSTEPS, THREADS, ISA, REPEAT, JSON };

static const struct option options[] = {{"scene", required_argument, NULL, SCENE},
                                        {"file", required_argument, NULL, HAIR_FILE},
                                        {"integrator", required_argument, NULL, INTEGRATOR},
                                        {"particles", required_argument, NULL, PARTICLES},
                                        {"frames", required_argument, NULL, FRAMES},
                                        {"substeps", required_argument, NULL, SUBSTEPS},
                                        {"threads", required_argument, NULL, THREADS},
                                        {"isa", required_argument, NULL, ISA},
                                        {"repeat", required_argument, NULL, REPEAT},
                                        {"json", required_argument, NULL, JSON},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static void apply_option(request *asked, int option, const char *text) {
    // clang-format off
    switch (option) {
    case SCENE: asked->scene = option_scene(text, asked); break;
    case HAIR_FILE: asked->file = text; break;
    case INTEGRATOR: asked->integrator = option_integrator(text); break;
    case PARTICLES: asked->particles = option_count("--particles", text, 1, MOTE_MAX_PARTICLES); break;
    case FRAMES: asked->frames = option_count("--frames", text, 1, 1000000); break;
    case SUBSTEPS: asked->substeps = option_count("--substeps", text, 1, 4096); break;
    case THREADS: asked->threads = option_threads(text); break;
    case ISA: option_isa(text, asked); break;
    case REPEAT: asked->repeat = option_repeat(text); break;
    case JSON: asked->json = text; break;
    case 'h': print_help(); exit(EXIT_SUCCESS);
    default: exit(EXIT_USAGE); /* getopt has printed the reason */
    }
    // clang-format on
}

static mote_integrator integrator_for(const request *asked, const bench_scene *scene) {
    return asked->integrator == MOTE_INTEGRATOR_COUNT ? scene->integrator : asked->integrator;
}

static bool is_asked(const request *asked, const bench_scene *scene) {
    if (strcmp(scene->name, HAIR_FILE_SCENE) == 0 && !hair_file_loaded()) return false;
    return (!asked->scene || asked->scene == scene) && scene_takes(scene, integrator_for(asked, scene));
}

static request parse(int argc, char **argv) {
    request asked = {.integrator = MOTE_INTEGRATOR_COUNT,
                     .repeat = DEFAULT_REPEAT,
                     .isa = {mote_isa_best()},
                     .isa_count = 1};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;)
        apply_option(&asked, option, optarg);
    require_no_operands(argc, argv, optind);
    bool of_file = asked.scene && strcmp(asked.scene->name, HAIR_FILE_SCENE) == 0;
    if (of_file && !asked.file) fail_usage("--scene: hairfile needs --file FILE, or hairfile:FILE");
    if (asked.scene && !of_file && asked.file) fail_usage("--file: scene %s reads none", asked.scene->name);
    if (asked.file) hair_file_load(asked.file);
    bool swarms = !asked.scene || asked.scene->engine == &swarm_contender;
    if (swarms && asked.particles && asked.particles < SWARM_SYSTEMS)
        fail_usage("--particles: %u are too few for the %u systems of swarm", (unsigned)asked.particles,
                   SWARM_SYSTEMS);
    if (asked.scene && !is_asked(&asked, asked.scene))
        fail_usage("--integrator: %s cannot step scene %s", mote_integrator_describe(asked.integrator)->name,
                   asked.scene->name);
    return asked;
}

/* A repeat takes about 20 ms or more at any size. A function of the arguments alone, for the hash. */
static uint32_t default_frames(uint32_t particles) {
    uint32_t frames = (UINT32_C(1) << 23) / particles;
    return frames < 2 ? 2 : frames > 64 ? 64 : frames;
}

/* The values of an argument: the given one, or else the first default and, if it differs, the second. */
static uint32_t choices(uint32_t given, uint32_t first, uint32_t second, uint32_t *choice) {
    choice[0] = given ? given : first;
    choice[1] = second;
    return given || first == second ? 1 : 2;
}

static bool same_hash_expected(const bench_config *a, const bench_config *b) {
    return a->scene == b->scene && a->integrator == b->integrator && a->particles == b->particles &&
           a->frames == b->frames && a->substeps == b->substeps && a->repeat == b->repeat;
}

static void add_record(bench_report *report, const measurement *result) {
    bench_record added = record_of(result);
    for (uint32_t i = 0; i < report->record_count && !added.differs; i++)
        added.differs = same_hash_expected(&report->records[i].config, &added.config) &&
                        report->records[i].hash != added.hash;
    report->records = realloc(report->records, (report->record_count + 1) * sizeof *report->records);
    if (!report->records) fail_usage("no memory for the records");
    report->records[report->record_count++] = added;
    print_record(&added);
}

static bench_config configure(const request *asked, const bench_scene *scene, const arena *memory) {
    uint32_t particles = scene_particles(scene, asked->particles), frames = scene->frames;
    return (bench_config){.scene = scene,
                          .integrator = integrator_for(asked, scene),
                          .isa = asked->isa[0],
                          .particles = particles,
                          .frames = asked->frames ? asked->frames
                                    : frames      ? frames
                                                  : default_frames(particles),
                          .threads = asked->threads ? asked->threads : machine_threads(),
                          .repeat = asked->repeat,
                          .memory = memory};
}

static uint32_t least_substeps(const bench_scene *scene) {
    return scene->least_substeps ? scene->least_substeps : 1;
}

static void run_scene(const request *asked, const bench_scene *scene, const arena *memory,
                      bench_report *report) {
    static measurement result; /* static for its size */
    uint32_t substeps[2], threads[2];
    uint32_t least = least_substeps(scene);
    uint32_t substep_count = choices(asked->substeps, least, least > 8 ? least : 8, substeps);
    uint32_t thread_count = choices(asked->threads, 1, machine_threads(), threads);
    for (uint32_t i = 0; i < substep_count * thread_count * asked->isa_count; i++) {
        bench_config config = configure(asked, scene, memory);
        config.isa = asked->isa[i % asked->isa_count];
        config.threads = threads[i / asked->isa_count % thread_count];
        config.substeps = substeps[i / asked->isa_count / thread_count];
        char title[80];
        snprintf(title, sizeof title, "%s, %u substeps, %u threads, %s", scene->name,
                 (unsigned)config.substeps, (unsigned)config.threads, mote_isa_name(config.isa));
        measure(&config, title, &result);
        add_record(report, &result);
    }
    if (scene->counted) printf("%-10s   bytes: %s\n", "", scene->counted);
}

/* The first scene with particles of its own; NULL if there is none. */
static const bench_scene *first_loose(const request *asked) {
    for (uint32_t i = 0; i < scene_count; i++)
        if (is_asked(asked, &scenes[i]) && scenes[i].place) return &scenes[i];
    return NULL;
}

static void run_presentation(const request *asked, const bench_scene *scene, const arena *memory,
                             bench_report *report) {
    static bench_presentation presentations[2];
    uint32_t threads[2], thread_count = choices(asked->threads, 1, machine_threads(), threads);
    report->presentations = presentations;
    for (uint32_t i = 0; i < thread_count; i++) {
        bench_config config = configure(asked, scene, memory);
        config.threads = threads[i];
        config.substeps = 1;
        progress("presentation, %u threads", (unsigned)config.threads);
        presentations[report->presentation_count++] = measure_presentation(&config);
        progress_clear();
        print_presentation(&presentations[i]);
    }
}

static void run_checks(const request *asked, const arena *memory, bench_report *report) {
    const bench_scene *loose = first_loose(asked);
    if (loose) run_presentation(asked, loose, memory, report);
    for (uint32_t i = 0; i < scene_count; i++) {
        if (!is_asked(asked, &scenes[i])) continue;
        bench_config config = configure(asked, &scenes[i], memory);
        config.substeps = least_substeps(&scenes[i]);
        if (config.particles > ALLOCATION_PARTICLES)
            config.particles = scene_particles(&scenes[i], ALLOCATION_PARTICLES);
        report->allocations += count_allocations(&config, ALLOCATION_STEPS);
        report->allocation_steps += ALLOCATION_STEPS;
    }
    print_allocations(report);
}

static size_t arena_size(const request *asked) {
    size_t size = 0;
    for (uint32_t i = 0; i < scene_count; i++) {
        if (!is_asked(asked, &scenes[i])) continue;
        uint32_t particles = scene_particles(&scenes[i], asked->particles);
        size_t needed = contender_memory(&scenes[i], particles), presenting = presentation_memory(particles);
        if (presenting > needed) needed = presenting;
        if (needed > size) size = needed;
    }
    /* The columns of the engine come on top: at most position, velocity, previous position, ids, ages. */
    require_memory((double)size + (asked->particles ? 60.0 * asked->particles : 0), "--particles");
    return size;
}

static int verdict(const bench_report *report) {
    bool failed = report->allocations != 0;
    for (uint32_t i = 0; i < report->record_count; i++) failed = failed || report->records[i].differs;
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int command_throughput(int argc, char **argv) {
    request asked = parse(argc, argv);
    bench_report report = {0};
    arena memory;
    bench_output *json = output_open("--json", asked.json);
    if (!arena_create(&memory, arena_size(&asked))) fail_usage("--particles: no memory for so many");
    printf("mote %s, %s, %s, median of %u repeats\n", mote_version(), machine_cpu(), machine_compiler(),
           (unsigned)asked.repeat);
    print_header();
    for (uint32_t i = 0; i < scene_count; i++)
        if (is_asked(&asked, &scenes[i])) run_scene(&asked, &scenes[i], &memory, &report);
    run_checks(&asked, &memory, &report);
    int code = verdict(&report);
    if (!json_close(json, report_object(&report))) code = EXIT_USAGE;
    arena_destroy(&memory);
    free(report.records);
    return code;
}
