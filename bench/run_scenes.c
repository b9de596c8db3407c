/* Throughput of scenes, and sweeps over sizes, substeps and instruction sets: the engine, the baselines and
 * the probe in turn in every repeat. */
#include <math.h>
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

/* Particle-steps a second that the memory of the probe allows, whose frame took so long. */
static double memory_limit(const bench_config *c, double probe_seconds) {
    const double scale = PROBE_BYTES / (PROBE_BYTES + c->scene->added_bytes);
    return scale * c->particles * c->substeps / probe_seconds;
}

/* Those that arithmetic allows; 0: the kernel of the scene is not counted for this integrator. */
static double arithmetic_limit(const bench_config *c) {
    if (c->integrator != c->scene->integrator) return 0;
    return limit_arithmetic(&c->scene->arithmetic, c->isa, c->threads);
}

/* Both limits, and the share of the lower one. Where the arithmetic is not counted, nobody knows which one
 * binds: no share. */
static void add_limits(bench_row *row, const measurement *result) {
    const bench_config *c = &result->config;
    const spread probe = spread_of(result->probe.seconds, c->repeat),
                 frame = spread_of(result->engine.seconds, c->repeat);
    const double memory = memory_limit(c, probe.median), arithmetic = arithmetic_limit(c),
                 rate = (double)c->particles * c->substeps / frame.median;
    row_add(row, "memory limit", "particle-steps/s", (spread){memory, memory, memory}, 0)->quiet = true;
    if (!(arithmetic > 0)) return;
    row_add(row, "arithmetic limit", "particle-steps/s", (spread){arithmetic, arithmetic, arithmetic}, 0)
        ->quiet = true;
    const bool computes = arithmetic < memory;
    const double share = rate / (computes ? arithmetic : memory);
    row_quantity *q =
        row_add(row, computes ? "share of the arithmetic limit" : "share of the memory limit", "1",
                (spread){share, share * frame.median / frame.max, share * frame.median / frame.min}, 0);
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

/* Figures to reach of scenes at their default size, in the widest registers. Rates of strands are those of
 * points through a frame. */
typedef struct scene_goal {
    const char *scene, *quantity;
    uint32_t substeps, threads;
    char bound;
    double target;
} scene_goal;

static const scene_goal goals[] = {{"heap", "rate", 1, 1, '>', 100e6},
                                   {"rain", "rate", 1, 1, '>', 300e6},
                                   {"fountain", "fountain_frame_seconds", 1, 2, '<', 8e-3},
                                   {"hair", "node_frames_per_second", 8, 1, '>', 25e6},
                                   {"shaken", "node_frames_per_second", 4, 1, '>', 45e6},
                                   {"curls", "node_frames_per_second", 8, 1, '>', 18e6}};
enum { GOALS = sizeof goals / sizeof goals[0] };

static void add_goals(bench_row *row, const bench_config *c) {
    const bool as_meant = c->isa == mote_isa_best() && c->integrator == c->scene->integrator &&
                          c->particles == scene_particles(c->scene, 0);
    for (int i = 0; i < GOALS && as_meant; i++) {
        const scene_goal *goal = &goals[i];
        if (strcmp(goal->scene, c->scene->name) || goal->substeps != c->substeps ||
            goal->threads != c->threads)
            continue;
        for (uint32_t k = 0; k < row->quantity_count; k++)
            if (strcmp(row->quantity[k].name, goal->quantity) == 0)
                row->quantity[k].target = goal->target, row->quantity[k].bound = goal->bound;
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
        /* The loop is compiled for the widest registers. It passes over memory in each substep, so that it is
         * beaten by anything that does not: a figure at one substep alone. Section peers has loops that keep
         * their state in registers. */
        if (c->isa == mote_isa_best() && c->substeps == 1) q->target = 1, q->bound = '>';
    }
    if (result->baseline_struct.present)
        row_add(&row, "over structs", "", ratio_spread(&result->baseline_struct, &result->engine, c->repeat),
                '>');
    add_figures(&row, result);
    add_goals(&row, c);
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

static bool has_goal(const bench_scene *scene, uint32_t substeps) {
    for (int i = 0; i < GOALS; i++)
        if (strcmp(goals[i].scene, scene->name) == 0 && goals[i].substeps == substeps) return true;
    return false;
}

/* The arguments' substeps, or 8; also the least that the scene takes, in full or where that has a figure to
 * reach. */
static void throughput_of(bench_run *run, const bench_scene *scene) {
    const uint32_t least = least_substeps(scene), many = least > 8 ? least : 8;
    const bool both = run->full || has_goal(scene, least);
    const run_choices substeps = or_else(run->substeps, both ? least : many, many),
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

/* Without --full many substeps of the largest size take too much of the three minutes of a run. */
static uint32_t largest_size(const bench_run *run, uint32_t substeps) {
    return run->full ? UINT32_C(1) << 24 : substeps == 1 ? UINT32_C(1) << 22 : UINT32_C(1) << 20;
}

void run_sizes(bench_run *run) {
    for (int k = 0; k < SWEPT; k++) {
        const bench_scene *scene = scene_named(swept[k]);
        if (!run_asks(run, scene)) continue;
        for (uint32_t substeps = 1; substeps <= 8; substeps *= 8)
            for (uint32_t particles = 1024; particles <= largest_size(run, substeps); particles *= 4) {
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

/* Frames of one thread and of several, and of the probe beside scenes of loose particles. */
typedef struct thread_sides {
    bench_config config[2];
    bench_series engine[2], probe[2];
    void *state[2], *probe_state[2];
} thread_sides;

static void time_threads(thread_sides *s, uint32_t turn) {
    for (int k = 0; k < 2; k++) {
        const bench_config *c = &s->config[k];
        s->engine[k].seconds[turn] =
            contender_seconds(c->scene->engine, s->state[k], warm_up_frames(c), c->frames);
        if (!c->scene->whole)
            s->probe[k].seconds[turn] = contender_seconds(&probe_contender, s->probe_state[k], 1, c->frames);
    }
}

/* The particle-steps a second to which memory, by the probe at the size of the row, and arithmetic limit it.
 */
static double limit_of(const thread_sides *s, int k) {
    const bench_config *c = &s->config[k];
    const double memory = memory_limit(c, spread_of(s->probe[k].seconds, c->repeat).median),
                 arithmetic = arithmetic_limit(c);
    return arithmetic > 0 && arithmetic < memory ? arithmetic : memory;
}

/* Two threads are to gain 1.85, or 0.95 of what the limit of the row gains by the second one, never less
 * than 1. Memory does not bind strands and networks. Other numbers of threads have no figure. */
static void add_figure(row_quantity *q, const thread_sides *s) {
    if (s->config[1].threads != 2) return;
    const double gain = s->config->scene->whole ? 2 : limit_of(s, 1) / limit_of(s, 0);
    q->target = fmax(1, fmin(0.95 * gain, 1.85)), q->bound = '>';
}

static void thread_row(bench_run *run, const bench_scene *scene, uint32_t threads) {
    static thread_sides s; /* static for its size */
    if (!report_begin(&run->report, "threads", scene->name)) return;
    for (int k = 0; k < 2; k++) {
        s.config[k] = configure(run, scene, run->particles);
        s.config[k].threads = k ? threads : 1;
        s.config[k].substeps = least_substeps(scene) > 8 ? least_substeps(scene) : 8;
        s.state[k] = scene->engine->open(&s.config[k]);
        s.probe_state[k] = probe_contender.open(&s.config[k]);
    }
    while (report_try(&run->report))
        for (uint32_t turn = 0; turn < run->repeat; turn++) time_threads(&s, turn);
    for (int k = 0; k < 2; k++) scene->engine->close(s.state[k]), probe_contender.close(s.probe_state[k]);
    bench_row row = {
        .particles = s.config[0].particles, .substeps = s.config[0].substeps, .threads = threads};
    snprintf(row.name, sizeof row.name, "%s: 1 thread over %u", scene->name, (unsigned)threads);
    add_figure(row_add(&row, "ratio", "", ratio_spread(&s.engine[0], &s.engine[1], run->repeat), '>'), &s);
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

run_memory size_memory(const bench_run *run) {
    return memory_of(scene_named("galaxy"), largest_size(run, 1));
}

/* A row of section threads holds two engines beside one arena. */
run_memory thread_memory(const bench_run *run) {
    run_memory memory = scene_memory(run);
    memory.all += memory.all - (double)memory.arena;
    return memory;
}
