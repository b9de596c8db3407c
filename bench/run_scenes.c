/* Throughput of scenes, and sweeps over sizes, substeps and instruction sets: the engine, the baselines and
 * the probe in turn in every repeat. */
#include <stdio.h>
#include <string.h>

#include "compare_sides.h"
#include "machine.h"
#include "run.h"
#include "strand_scenes.h"

static mote_integrator integrator_for(const bench_run *run, const bench_scene *scene) {
    return run->integrator == MOTE_INTEGRATOR_COUNT ? scene->integrator : run->integrator;
}

bool run_asks(const bench_run *run, const bench_scene *scene) {
    if (strcmp(scene->name, HAIR_FILE_SCENE) == 0 && !hair_file_loaded()) return false;
    return run->scene[scene - scenes] && scene_takes(scene, integrator_for(run, scene));
}

/* A repeat takes some milliseconds or more at any size. A function of the arguments alone, for the hash. */
static uint32_t default_frames(uint32_t particles) {
    uint32_t frames = (UINT32_C(3) << 20) / particles;
    return frames < 2 ? 2 : frames > 2048 ? 2048 : frames;
}

static bench_config configure(const bench_run *run, const bench_scene *scene, uint32_t particles) {
    const uint32_t count = scene_particles(scene, particles);
    return (bench_config){.scene = scene,
                          .integrator = integrator_for(run, scene),
                          .isa = mote_isa_best(),
                          .particles = count,
                          .frames = run->frames     ? run->frames
                                    : scene->frames ? scene->frames
                                    : scene->whole  ? (default_frames(count) + 3) / 4
                                                    : default_frames(count),
                          .substeps = 1,
                          .threads = 1,
                          .repeat = run->repeat,
                          .memory = &run->memory};
}

/* Particle-steps a second that the probe's memory rate, and the arithmetic, allow; their shares. */
static void add_limits(bench_row *row, const measurement *result) {
    const bench_config *c = &result->config;
    const double steps = (double)c->particles * c->substeps,
                 scale = PROBE_BYTES / (PROBE_BYTES + c->scene->added_bytes);
    const spread probe = spread_of(result->probe.seconds, c->repeat),
                 frame = spread_of(result->engine.seconds, c->repeat);
    const double memory = scale * steps / probe.median,
                 arithmetic = limit_arithmetic(&c->scene->arithmetic, c->isa, c->threads),
                 rate = steps / frame.median;
    row_add(row, "memory limit", "particle-steps/s", (spread){memory, memory, memory}, 0)->quiet = true;
    if (arithmetic > 0)
        row_add(row, "arithmetic limit", "particle-steps/s", (spread){arithmetic, arithmetic, arithmetic}, 0)
            ->quiet = true;
    const bool computes = arithmetic > 0 && arithmetic < memory;
    const double share = rate / (computes ? arithmetic : memory);
    row_quantity *q =
        row_add(row, computes ? "share of the arithmetic limit" : "share of the memory limit", "1",
                (spread){share, share * frame.median / frame.max, share * frame.median / frame.min}, 0);
    /* Memory does not bind strands and networks, and their arithmetic is not counted. */
    q->quiet = c->scene->whole != NULL;
    if (share > 1) {
        q->scale = 1;
        q->sentence =
            computes ? "of the arithmetic limit; over 1: the loops that find it were slowed down"
                     : "of the memory limit; over 1: a cache holds what the probe moves, or it was slowed";
    }
    /* In the first cache nothing but arithmetic should bind the settled kernel. */
    if (computes && strcmp(c->scene->name, "ballistic") == 0 && c->particles <= 1024 && c->substeps == 8 &&
        c->threads == 1 && c->isa == mote_isa_best())
        q->target = 0.75, q->bound = '>';
}

static void add_figures(bench_row *row, const measurement *result) {
    scene_figure figures[MAX_FIGURES];
    const uint32_t count = result->config.scene->figures ? result->config.scene->figures(result, figures) : 0;
    for (uint32_t i = 0; i < count; i++) {
        row_quantity *q = row_add(row, figures[i].key, figures[i].unit, figures[i].value, 0);
        q->sentence = figures[i].sentence, q->scale = figures[i].scale;
        q->quiet = i > 1 && strcmp(q->name, "frozen");
    }
}

static bench_row row_of(const measurement *result) {
    const bench_config *c = &result->config;
    const spread frame = spread_of(result->engine.seconds, c->repeat);
    const double steps = (double)c->particles * c->substeps;
    bench_row row = {.integrator = mote_integrator_describe(c->integrator)->name,
                     .isa = mote_isa_name(c->isa),
                     .particles = c->particles,
                     .substeps = c->substeps,
                     .threads = c->threads,
                     .frames = c->frames,
                     .repeat = c->repeat,
                     .hash = result->hash};
    snprintf(row.name, sizeof row.name, "%s", c->scene->name);
    row_add(&row, "rate", "particle-steps/s",
            (spread){steps / frame.median, steps / frame.max, steps / frame.min}, '>');
    row_add(&row, "frame", "s", frame, 0)->quiet = true;
    add_limits(&row, result);
    if (result->baseline_plain.present) {
        row_quantity *q = row_add(&row, "over a plain loop", "",
                                  ratio_spread(&result->baseline_plain, &result->engine, c->repeat), '>');
        /* The loop is compiled for the widest registers. */
        if (c->isa == mote_isa_best()) q->target = 1, q->bound = '>';
    }
    if (result->baseline_struct.present)
        row_add(&row, "over structs", "", ratio_spread(&result->baseline_struct, &result->engine, c->repeat),
                '>');
    add_figures(&row, result);
    return row;
}

static void scene_row(bench_run *run, const char *section, const bench_config *config) {
    static measurement result; /* static for its size */
    if (!report_begin(&run->report, section, config->scene->name)) return;
    while (report_try(&run->report)) measure(config, config->scene->name, &result);
    bench_row row = row_of(&result);
    report_add(&run->report, &row);
}

static run_choices or_else(run_choices given, uint32_t first, uint32_t second) {
    if (given.count) return given;
    return (run_choices){{first, second}, first == second ? 1 : 2};
}

static uint32_t least_substeps(const bench_scene *scene) {
    return scene->least_substeps ? scene->least_substeps : 1;
}

/* The arguments' substeps, or 8, and in full also the least that the scene takes. */
static void throughput_of(bench_run *run, const bench_scene *scene) {
    const uint32_t least = least_substeps(scene), many = least > 8 ? least : 8;
    const run_choices substeps = or_else(run->substeps, run->full ? least : many, many),
                      threads = or_else(run->threads, 1, machine_threads()),
                      isas = or_else(run->isa, mote_isa_best(), mote_isa_best());
    for (uint32_t s = 0; s < substeps.count; s++)
        for (uint32_t t = 0; t < threads.count; t++)
            for (uint32_t i = 0; i < isas.count; i++) {
                bench_config config = configure(run, scene, run->particles);
                config.substeps = substeps.value[s], config.threads = threads.value[t];
                config.isa = (mote_isa)isas.value[i];
                scene_row(run, "throughput", &config);
            }
}

void run_throughput(bench_run *run) {
    for (uint32_t i = 0; i < scene_count; i++)
        if (run_asks(run, &scenes[i])) throughput_of(run, &scenes[i]);
}

/* --- Sweeps --- */

static const char *const swept[] = {"ballistic", "galaxy"};
enum { SWEPT = sizeof swept / sizeof *swept };

static uint32_t largest_size(const bench_run *run) {
    return run->full ? UINT32_C(1) << 24 : UINT32_C(1) << 22;
}

void run_sizes(bench_run *run) {
    for (int k = 0; k < SWEPT; k++) {
        const bench_scene *scene = scene_named(swept[k]);
        if (!run_asks(run, scene)) continue;
        for (uint32_t substeps = 1; substeps <= 8; substeps *= 8)
            for (uint32_t particles = 1024; particles <= largest_size(run); particles *= 4) {
                bench_config config = configure(run, scene, particles);
                config.substeps = substeps;
                scene_row(run, "size", &config);
            }
    }
}

void run_substeps(bench_run *run) {
    for (int k = 0; k < SWEPT; k++) {
        const bench_scene *scene = scene_named(swept[k]);
        if (!run_asks(run, scene)) continue;
        for (uint32_t substeps = 1; substeps <= 32; substeps *= 2) {
            bench_config config = configure(run, scene, run->particles);
            config.substeps = substeps;
            scene_row(run, "substeps", &config);
        }
    }
}

void run_isas(bench_run *run) {
    for (int k = 0; k < SWEPT; k++) {
        const bench_scene *scene = scene_named(swept[k]);
        for (int isa = MOTE_ISA_AUTO + 1; isa < MOTE_ISA_COUNT && run_asks(run, scene); isa++) {
            if (!mote_isa_available((mote_isa)isa)) continue;
            bench_config config = configure(run, scene, 16384);
            config.substeps = 8, config.isa = (mote_isa)isa;
            scene_row(run, "isa", &config);
        }
    }
}

/* --- Threads --- */

/* The particle-steps a second to which memory or arithmetic limits a row, as far as both are counted. */
static double limit_of(const bench_config *c) {
    const double arithmetic = limit_arithmetic(&c->scene->arithmetic, c->isa, c->threads),
                 memory = limit_memory(c->threads) * c->substeps / (PROBE_BYTES + c->scene->added_bytes);
    return arithmetic > 0 && arithmetic < memory ? arithmetic : memory;
}

/* Two threads are to gain 1.85, or 0.95 of what the limit of the row gains; memory does not bind strands and
 * networks. Other numbers have no figure. */
static void add_figure(row_quantity *q, const bench_config config[2]) {
    if (config[1].threads != 2) return;
    const double gain = config->scene->whole ? 2 : limit_of(&config[1]) / limit_of(&config[0]);
    q->target = 0.95 * gain < 1.85 ? 0.95 * gain : 1.85, q->bound = '>';
}

static void thread_row(bench_run *run, const bench_scene *scene, uint32_t threads) {
    static bench_series series[2]; /* static for their size */
    bench_config config[2];
    void *state[2];
    if (!report_begin(&run->report, "threads", scene->name)) return;
    for (int k = 0; k < 2; k++) {
        config[k] = configure(run, scene, run->particles);
        config[k].threads = k ? threads : 1;
        config[k].substeps = least_substeps(scene) > 8 ? least_substeps(scene) : 8;
        state[k] = scene->engine->open(&config[k]);
    }
    while (report_try(&run->report))
        for (uint32_t turn = 0; turn < run->repeat; turn++)
            for (int k = 0; k < 2; k++)
                series[k].seconds[turn] =
                    contender_seconds(scene->engine, state[k], warm_up_frames(&config[k]), config[k].frames);
    for (int k = 0; k < 2; k++) scene->engine->close(state[k]);
    bench_row row = {.particles = config[0].particles, .substeps = config[0].substeps, .threads = threads};
    snprintf(row.name, sizeof row.name, "%s: 1 thread over %u", scene->name, (unsigned)threads);
    add_figure(row_add(&row, "ratio", "", ratio_spread(&series[0], &series[1], run->repeat), '>'), config);
    report_add(&run->report, &row);
}

/* 2, 4, 8 and so on, and all. */
static void threads_of(bench_run *run, const bench_scene *scene) {
    const uint32_t all = machine_threads();
    for (uint32_t threads = 2; threads <= all;
         threads = threads < all && 2 * threads > all ? all : 2 * threads)
        thread_row(run, scene, threads);
}

void run_threads(bench_run *run) {
    for (uint32_t i = 0; i < scene_count; i++) {
        const bool quick = strcmp(scenes[i].name, "ballistic") == 0 || strcmp(scenes[i].name, "galaxy") == 0;
        if (!run_asks(run, &scenes[i]) || !(quick || run->full)) continue;
        if (scene_particles(&scenes[i], run->particles) >= 100000) threads_of(run, &scenes[i]);
    }
}

/* --- Memory --- */

run_memory more_memory(run_memory a, run_memory b) {
    return (run_memory){a.arena > b.arena ? a.arena : b.arena, a.all > b.all ? a.all : b.all};
}

static run_memory memory_of(const bench_scene *scene, uint32_t particles) {
    return (run_memory){contender_memory(scene, particles), scene->resident * particles};
}

run_memory scene_memory(const bench_run *run) {
    run_memory most = {0};
    for (uint32_t i = 0; i < scene_count; i++)
        if (run_asks(run, &scenes[i]))
            most = more_memory(most, memory_of(&scenes[i], scene_particles(&scenes[i], run->particles)));
    return most;
}

run_memory size_memory(const bench_run *run) { return memory_of(scene_named("galaxy"), largest_size(run)); }

/* A row of section threads holds two engines beside one arena. */
run_memory thread_memory(const bench_run *run) {
    run_memory memory = scene_memory(run);
    memory.all += memory.all - (double)memory.arena;
    return memory;
}
