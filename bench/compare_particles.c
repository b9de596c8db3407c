/* mote-bench compare, section particles: deaths and births against a careful loop over columns, many small
 * systems against one, and curl noise against a plain loop over its formula. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "churn.h"
#include "compare.h"
#include "compare_sides.h"
#include "crowd.h"
#include "engine.h"
#include "noise_baseline.h"
#include "progress.h"
#include "timing.h"

enum { PARTICLES = 1000000 };

/* One side of a ratio: run() takes `frames` steps. */
typedef struct particle_side {
    void *state;
    void (*run)(void *state, uint32_t frames);
    void (*close)(void *state);
} particle_side;

static double time_of(const particle_side *side, uint32_t frames) {
    side->run(side->state, 1);
    const double start = thread_seconds();
    side->run(side->state, frames);
    return (thread_seconds() - start) / frames;
}

/* Runs both sides in turn and closes them. Without `below` the ratio is the frame of `above` in ms. */
static void add_row(compare_row row, particle_side above, particle_side below, uint32_t frames,
                    uint32_t repeat, cJSON *results) {
    static bench_series series[2]; /* static for their size */
    for (uint32_t turn = 0; turn < repeat; turn++) {
        progress("%s: %u of %u", row.figure, (unsigned)turn + 1, (unsigned)repeat);
        series[0].seconds[turn] = time_of(&above, frames);
        series[1].seconds[turn] = below.run ? time_of(&below, frames) : 1e-3;
    }
    progress_clear();
    above.close(above.state);
    if (below.run) below.close(below.state);
    row.ratio = ratio_spread(&series[0], &series[1], repeat);
    compare_print(&row);
    printf("  %.3f ms", 1e3 * spread_of(series[0].seconds, repeat).median);
    if (below.run) printf(", %.3f ms", 1e3 * spread_of(series[1].seconds, repeat).median);
    putchar('\n');
    fflush(stdout);
    cJSON *object = cJSON_CreateObject();
    compare_json(object, &row);
    cJSON_AddItemToArray(results, object);
}

/* --- Deaths and births --- */

static particle_side churn_side(churn_setup setup) {
    return (particle_side){churn_create(&setup), churn_frames, churn_destroy};
}

static particle_side careful_side(churn_setup setup) {
    return (particle_side){careful_create(&setup), careful_frames, careful_destroy};
}

static void compare_churn(uint32_t repeat, cJSON *results) {
    const bench_scene *scene = scene_named("churn");
    const struct {
        const char *figure;
        double target;
        uint32_t life_steps;
        bool handles;
    } rows[] = {{"lifetimes, 1 % die a step: careful loop over engine", 1, 100, false},
                {"lifetimes, 5 % die a step: careful loop over engine", 1, 20, false},
                {"default def and lifetimes, 1 % die a step: careful loop over engine", 1, 100, true},
                {"default def and lifetimes, 5 % die a step: careful loop over engine", 0.8, 20, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const churn_setup setup = {scene, PARTICLES, 1, rows[i].life_steps, rows[i].handles};
        add_row((compare_row){.figure = rows[i].figure, .target = rows[i].target}, careful_side(setup),
                churn_side(setup), 8, repeat, results);
    }
    const churn_setup dying = {scene, PARTICLES, 8, 100, true}, living = {scene, PARTICLES, 8, 0, true};
    add_row((compare_row){"the same, 8 substeps: 1 % die over nobody dies", 1.2, true, {0, 0, 0}},
            churn_side(dying), churn_side(living), 4, repeat, results);
}

/* --- Small systems --- */

static particle_side crowd_side(crowd_setup setup) {
    return (particle_side){crowd_create(&setup), crowd_frames, crowd_destroy};
}

static void compare_crowd(uint32_t repeat, cJSON *results) {
    for (uint32_t substeps = 1; substeps <= 8; substeps += 7) {
        char figure[96];
        crowd_setup many = {.systems = 200, .particles = 500, .substeps = substeps}, one = many;
        one.systems = 1, one.particles = 100000;
        snprintf(figure, sizeof figure, "crowd, %u substep%s: 200 systems of 500 over one of 100,000",
                 (unsigned)substeps, substeps > 1 ? "s" : "");
        add_row((compare_row){figure, 1.3, true, {0, 0, 0}}, crowd_side(many), crowd_side(one), 64, repeat,
                results);
    }
    const crowd_setup shown = {.systems = 200, .particles = 500, .substeps = 1, .presents = true};
    add_row((compare_row){"crowd with packed presentation: ms a frame", 0.5, true, {0, 0, 0}},
            crowd_side(shown), (particle_side){0}, 64, repeat, results);
}

/* --- Curl noise --- */

typedef struct noise_loop {
    probe_columns columns;
    noise_field field;
    uint64_t step;
} noise_loop;

static noise_field noise_of(bool blended) { return (noise_field){2, 0.25f, blended ? 0.5 : 0, 1}; }

static void *noise_open(const noise_field *field) {
    noise_loop *loop = allocate_or_fail(sizeof *loop);
    float *array[6];
    unsigned char *bytes = allocate_or_fail(staggered_size(6, PARTICLES));
    staggered_arrays(bytes, 6, PARTICLES, array);
    *loop = (noise_loop){{{array[0], array[1], array[2]}, {array[3], array[4], array[5]}}, *field, 0};
    fill_columns(scene_named("smoke"), 0, &loop->columns, PARTICLES);
    return loop;
}

static void noise_run(void *state, uint32_t frames) {
    noise_loop *loop = state;
    for (uint32_t i = 0; i < frames; i++)
        baseline_noise(&loop->columns, 0, PARTICLES, &loop->field, TIMESTEP * (double)loop->step++,
                       (float)TIMESTEP);
}

static void noise_close(void *state) {
    noise_loop *loop = state;
    free(loop->columns.position[0]); /* the first of the arrays begins where the memory does */
    free(loop);
}

static particle_side noise_engine(const noise_field *field) {
    const bench_config config = {.scene = scene_named("smoke"),
                                 .integrator = MOTE_SEMI_IMPLICIT_EULER,
                                 .isa = mote_isa_best(),
                                 .particles = PARTICLES,
                                 .substeps = 1,
                                 .threads = 1};
    const mote_system_def def = engine_def(&config);
    bench_scene scene = *config.scene;
    scene.add_forces = NULL;
    mote_system *system = engine_create(&def, &scene, 0, PARTICLES);
    engine_add_force(system, mote_curl_noise(field->amplitude, field->frequency, (float)field->rate,
                                             field->seed, MOTE_FIELD_ACCELERATION, 0));
    return (particle_side){system, engine_run, engine_close};
}

static void compare_noise(uint32_t repeat, cJSON *results) {
    for (int blended = 1; blended >= 0; blended--) {
        const noise_field field = noise_of(blended);
        const particle_side plain = {noise_open(&field), noise_run, noise_close};
        add_row((compare_row){.figure = blended ? "curl noise, blended in time: plain loop over engine"
                                                : "curl noise, still: plain loop over engine",
                              .target = 1},
                plain, noise_engine(&field), 2, repeat, results);
    }
}

void compare_particles(uint32_t repeat, cJSON *object) {
    cJSON *results = cJSON_GetObjectItem(object, "results");
    compare_churn(repeat, results);
    compare_crowd(repeat, results);
    compare_noise(repeat, results);
}
