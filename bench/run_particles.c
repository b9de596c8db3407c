/* Loose particles: deaths and births against a careful loop over columns, many small systems against one,
 * curl noise against a plain loop over its formula, and particles that tumble against those that do not. */
#include <stdio.h>
#include <stdlib.h>

#include "churn.h"
#include "crowd.h"
#include "engine.h"
#include "noise_baseline.h"
#include "random.h"
#include "run.h"

enum { PARTICLES = 1000000 };

/* One side of a ratio: run() takes `frames` steps. */
typedef struct particle_side {
    void *(*open)(const void *setup);
    void (*run)(void *state, uint32_t frames);
    void (*close)(void *state);
    const void *setup;
} particle_side;

typedef struct particle_row {
    const char *figure;
    double target;
    bool at_most;
    uint32_t frames;
    particle_side above, below; /* below.open NULL: the quantity is the frame of `above` */
} particle_row;

static double time_of(const particle_side *side, void *state, uint32_t frames) {
    side->run(state, 1);
    const double start = thread_seconds();
    side->run(state, frames);
    return (thread_seconds() - start) / frames;
}

/* Runs both sides in turn. */
static void add_row(bench_run *run, const particle_row *p) {
    static bench_series series[2]; /* static for their size */
    const particle_side *const sides[2] = {&p->above, &p->below};
    const int count = p->below.open ? 2 : 1;
    void *state[2];
    if (!report_begin(&run->report, "particles", p->figure)) return;
    for (int k = 0; k < count; k++) state[k] = sides[k]->open(sides[k]->setup);
    while (report_try(&run->report))
        for (uint32_t turn = 0; turn < run->repeat; turn++)
            for (int k = 0; k < count; k++) series[k].seconds[turn] = time_of(sides[k], state[k], p->frames);
    for (int k = 0; k < count; k++) sides[k]->close(state[k]);
    bench_row row = {.threads = 1, .repeat = run->repeat};
    snprintf(row.name, sizeof row.name, "%s", p->figure);
    const char better = p->at_most ? '<' : '>';
    row_quantity *q =
        count > 1 ? row_add(&row, "ratio", "", ratio_spread(&series[0], &series[1], run->repeat), better)
                  : row_add(&row, "frame", "s", spread_of(series[0].seconds, run->repeat), better);
    q->target = p->target, q->bound = better;
    if (count > 1) row_add(&row, "frame above", "s", spread_of(series[0].seconds, run->repeat), 0);
    if (count > 1) row_add(&row, "frame below", "s", spread_of(series[1].seconds, run->repeat), 0);
    report_add(&run->report, &row);
}

/* --- Deaths and births --- */

static void *open_churn(const void *setup) { return churn_create(setup); }
static void *open_careful(const void *setup) { return careful_create(setup); }

static particle_side churn_side(const churn_setup *setup) {
    return (particle_side){open_churn, churn_frames, churn_destroy, setup};
}

static particle_side careful_side(const churn_setup *setup) {
    return (particle_side){open_careful, careful_frames, careful_destroy, setup};
}

static void compare_churn(bench_run *run) {
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
        add_row(run, &(particle_row){rows[i].figure, rows[i].target, false, 8, careful_side(&setup),
                                     churn_side(&setup)});
    }
    const churn_setup dying = {scene, PARTICLES, 8, 100, true}, living = {scene, PARTICLES, 8, 0, true};
    add_row(run, &(particle_row){"the same, 8 substeps: 1 % die over nobody dies", 1.2, true, 4,
                                 churn_side(&dying), churn_side(&living)});
}

/* --- Small systems --- */

static void *open_crowd(const void *setup) { return crowd_create(setup); }

static particle_side crowd_side(const crowd_setup *setup) {
    return (particle_side){open_crowd, crowd_frames, crowd_destroy, setup};
}

static void compare_crowd(bench_run *run) {
    for (uint32_t substeps = 1; substeps <= 8; substeps += 7) {
        char figure[96];
        crowd_setup many = {.systems = 200, .particles = 500, .substeps = substeps}, one = many;
        one.systems = 1, one.particles = 100000;
        snprintf(figure, sizeof figure, "crowd, %u substep%s: 200 systems of 500 over one of 100,000",
                 (unsigned)substeps, substeps > 1 ? "s" : "");
        add_row(run, &(particle_row){figure, 1.3, true, 64, crowd_side(&many), crowd_side(&one)});
    }
    const crowd_setup shown = {.systems = 200, .particles = 500, .substeps = 1, .presents = true};
    add_row(run, &(particle_row){.figure = "crowd with packed presentation: a frame",
                                 .target = 0.5e-3,
                                 .at_most = true,
                                 .frames = 64,
                                 .above = crowd_side(&shown)});
}

/* --- Curl noise --- */

typedef struct noise_loop {
    probe_columns columns;
    noise_field field;
    uint64_t step;
    uint32_t width; /* of registers: widths.h */
} noise_loop;

static noise_field noise_of(bool blended) { return (noise_field){2, 0.25f, blended ? 0.5 : 0, 1}; }

static void noise_frame(void *state, uint32_t width) {
    static noise_function *const loops[WIDTHS] = LOOPS_OF_WIDTHS(baseline_noise);
    noise_loop *loop = state;
    loops[width](&loop->columns, 0, PARTICLES, &loop->field, TIMESTEP * (double)loop->step++,
                 (float)TIMESTEP);
}

static void *noise_open(const void *field) {
    noise_loop *loop = allocate_or_fail(sizeof *loop);
    float *array[6];
    unsigned char *bytes = allocate_or_fail(staggered_size(6, PARTICLES));
    staggered_arrays(bytes, 6, PARTICLES, array);
    *loop = (noise_loop){
        {{array[0], array[1], array[2]}, {array[3], array[4], array[5]}}, *(const noise_field *)field, 0, 0};
    fill_columns(scene_named("smoke"), 0, &loop->columns, PARTICLES);
    loop->width = faster_width(noise_frame, loop);
    return loop;
}

static void noise_run(void *state, uint32_t frames) {
    for (uint32_t i = 0; i < frames; i++) noise_frame(state, ((const noise_loop *)state)->width);
}

static void noise_close(void *state) {
    noise_loop *loop = state;
    free(loop->columns.position[0]); /* the first of the arrays begins where the memory does */
    free(loop);
}

static void *noise_engine(const void *user) {
    const noise_field *field = user;
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
    return system;
}

static void compare_noise(bench_run *run) {
    for (int blended = 1; blended >= 0; blended--) {
        const noise_field field = noise_of(blended);
        const particle_side plain = {noise_open, noise_run, noise_close, &field},
                            engine = {noise_engine, engine_run, engine_close, &field};
        add_row(run, &(particle_row){blended ? "curl noise, blended in time: plain loop over engine"
                                             : "curl noise, still: plain loop over engine",
                                     1, false, 2, plain, engine});
    }
}

/* --- Orientation --- */

typedef struct tumble_setup {
    bool turns, moments;
} tumble_setup;

/* Every particle spins, up to 1/100 of a turn a step. */
static void *tumble_open(const void *user) {
    const tumble_setup *setup = user;
    const bench_config config = {.scene = scene_named("ballistic"),
                                 .integrator = MOTE_SEMI_IMPLICIT_EULER,
                                 .isa = mote_isa_best(),
                                 .particles = PARTICLES,
                                 .substeps = 1,
                                 .threads = 1};
    mote_system_def def = engine_def(&config);
    def.interpolation = MOTE_INTERPOLATE_LINEAR, def.orientation = setup->turns;
    def.principal_moments = setup->moments, def.inertia[1] = 2, def.inertia[2] = 3;
    mote_system *system = engine_create(&def, config.scene, 0, PARTICLES);
    const mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; setup->turns && i < PARTICLES; i++) {
        const uint64_t bits = random_bits(i, 5);
        view.angular_velocity.x[i] = 2.2f * random_signed(bits, 0);
        view.angular_velocity.y[i] = 2.2f * random_signed(bits, 20);
        view.angular_velocity.z[i] = 2.2f * random_signed(bits, 40);
    }
    return system;
}

static void compare_orientation(bench_run *run) {
    static const tumble_setup still = {false, false}, scalar = {true, false}, moments = {true, true};
    const particle_side below = {tumble_open, engine_run, engine_close, &still};
    particle_side above = {tumble_open, engine_run, engine_close, &scalar};
    add_row(run, &(particle_row){"scalar inertia: tumbling over not tumbling", 2.6, true, 16, above, below});
    above.setup = &moments;
    add_row(run, &(particle_row){"three moments: tumbling over not tumbling", 5, true, 16, above, below});
}

void run_particles(bench_run *run) {
    compare_churn(run);
    compare_crowd(run);
    compare_noise(run);
    compare_orientation(run);
}
