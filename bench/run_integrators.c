/* Integrators beside plain loops and beside each other: ratios of times of a frame, both sides in turn. */
#include <stdio.h>
#include <string.h>

#include "run.h"

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
    double target; /* 0: none, as for loops that pass over memory in each of many substeps */
    bool at_most;  /* else at least */
} bench_comparison;

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

static void integrator_row(bench_run *run, const bench_comparison *c, uint32_t particles) {
    static bench_series series[2]; /* static for their size */
    const bench_side *sides[2] = {&c->above, &c->below};
    const bench_contender *contender[2];
    void *state[2];
    uint32_t warm[2];
    if (!report_begin(&run->report, "integrators", c->figure)) return;
    for (int k = 0; k < 2; k++) {
        bench_config config = config_of(c, sides[k], particles, run->repeat, &run->memory);
        contender[k] = sides[k]->baseline ? c->scene->baseline_plain : c->scene->engine;
        state[k] = contender[k]->open(&config);
        warm[k] = warm_up_frames(&config);
    }
    /* A frame of many substeps is long enough to be timed alone. */
    while (report_try(&run->report))
        for (uint32_t turn = 0; turn < run->repeat; turn++)
            for (int k = 0; k < 2; k++)
                series[k].seconds[turn] =
                    contender_seconds(contender[k], state[k], warm[k], c->substeps > 1 ? 2 : 8);
    for (int k = 0; k < 2; k++) contender[k]->close(state[k]);
    bench_row row = {.particles = particles, .substeps = c->substeps, .repeat = run->repeat};
    snprintf(row.name, sizeof row.name, "%s", c->figure);
    row_quantity *q = row_add(&row, "ratio", "", ratio_spread(&series[0], &series[1], run->repeat), '>');
    q->target = c->target, q->better = c->at_most ? '<' : '>';
    if (c->target > 0) q->bound = q->better;
    row_add(&row, "frame above", "s", spread_of(series[0].seconds, run->repeat), 0);
    row_add(&row, "frame below", "s", spread_of(series[1].seconds, run->repeat), 0);
    report_add(&run->report, &row);
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
         ENGINE(verlet, 1), 0, false},
        {"damped oscillators, RK4: whole-batch RK4 over engine, 1 substep", &damped_scene, 1,
         BASELINE(MOTE_RK4), ENGINE(MOTE_RK4, 1), 4, false},
        {"damped oscillators, RK4: whole-batch RK4 over engine, 8 substeps", &damped_scene, 8,
         BASELINE(MOTE_RK4), ENGINE(MOTE_RK4, 1), 0, false},
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

static uint32_t particles_of(const bench_run *run) { return run->particles ? run->particles : 1000000; }

#define RESIDENT 122.0 /* bytes a particle, measured */

run_memory integrator_memory(const bench_run *run) {
    const uint32_t particles = particles_of(run);
    return (run_memory){contender_memory(&damped_scene, particles), RESIDENT * particles};
}

void run_integrators(bench_run *run) {
    bench_comparison list[16];
    const uint32_t count = list_comparisons(list);
    for (uint32_t i = 0; i < count; i++) integrator_row(run, &list[i], particles_of(run));
}
