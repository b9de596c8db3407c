/* Calls beside steps: presentation, also with size and colour over life, the order back to front, spawn and
 * kill, births of an emitter; and allocations inside steps. Presentation writes positions halfway between two
 * steps as packed xyz, against a copy of as many bytes: for each particle it reads six floats and writes
 * three, 36 bytes; the copy reads 18 and writes 18, with ordinary stores as in the presentation, or by
 * memcpy, whose stores may bypass the cache. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "machine.h"
#include "run.h"

enum { PARTICLES = 1 << 20, FRAMES = 4, BORN = 100000 };
#define PACKED_BYTES  12u
#define KEYED_BYTES   20u
#define PRESENT_BYTES 36.0
#define COPY_FLOATS   ((size_t)PARTICLES * 9 / 2)

static bench_config config_of(const bench_run *run, uint32_t threads) {
    return (bench_config){.scene = scene_named("ballistic"),
                          .integrator = MOTE_SEMI_IMPLICIT_EULER,
                          .isa = mote_isa_best(),
                          .particles = PARTICLES,
                          .frames = FRAMES,
                          .substeps = 1,
                          .threads = threads,
                          .repeat = run->repeat,
                          .interpolation = MOTE_INTERPOLATE_LINEAR};
}

/* --- Presentation and order --- */

typedef struct picture {
    mote_system *system;
    void *vertices;
    uint32_t *order;
    float *copy[2];
    uint32_t threads;
} picture;

static picture open_picture(const bench_config *config) {
    mote_system_def def = engine_def(config);
    def.lifetimes = true;
    picture p = {.system = engine_create(&def, config->scene, 0, PARTICLES), .threads = config->threads};
    const mote_range_view view = mote_system_view(p.system);
    for (uint32_t i = 0; i < view.count; i++) /* 0.5 s to 1.5 s, of which some have passed */
        view.lifetime[i] = 0.5f + (float)(i * 2654435761u >> 8) * 0x1p-24f, view.birth_step[i] = 0u - i % 29;
    engine_check(mote_system_advance(p.system, STEP_NANOSECONDS + STEP_NANOSECONDS / 2, NULL),
                 "mote_system_advance");
    p.vertices = allocate_or_fail((size_t)PARTICLES * KEYED_BYTES);
    p.order = allocate_or_fail(mote_order_bytes(PARTICLES));
    for (int k = 0; k < 2; k++) {
        p.copy[k] = allocate_or_fail(COPY_FLOATS * sizeof(float));
        memset(p.copy[k], 0, COPY_FLOATS * sizeof(float));
    }
    return p;
}

static void close_picture(picture *p) {
    mote_system_destroy(p->system);
    free(p->vertices);
    free(p->order);
    for (int k = 0; k < 2; k++) free(p->copy[k]);
}

static void do_present(const picture *p) {
    const mote_present_layout layout = mote_default_present_layout();
    engine_check(mote_system_present(p->system, &layout, p->vertices, (size_t)PARTICLES * PACKED_BYTES),
                 "mote_system_present");
}

/* A size and a colour of four bytes behind the position. */
static void do_keyed(const picture *p) {
    static const mote_size_key sizes[4] = {{0, 0.1f, MOTE_EASE_OUT},
                                           {0.2f, 1, MOTE_EASE_SMOOTH},
                                           {0.7f, 1.5f, MOTE_EASE_IN},
                                           {1, 0, MOTE_EASE_STEP}};
    static const mote_colour_key colours[4] = {{0, {1, 1, 0.8f, 0}, MOTE_EASE_LINEAR},
                                               {0.1f, {1, 0.6f, 0.2f, 1}, MOTE_EASE_LINEAR},
                                               {0.6f, {0.4f, 0.1f, 0.1f, 0.5f}, MOTE_EASE_LINEAR},
                                               {1, {0.1f, 0.1f, 0.1f, 0}, MOTE_EASE_LINEAR}};
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = KEYED_BYTES;
    layout.size_offset = 12, layout.size_keys = sizes, layout.size_key_count = 4;
    layout.colour_offset = 16, layout.colour_keys = colours, layout.colour_key_count = 4;
    layout.colour_format = MOTE_COLOUR_UNORM8;
    engine_check(mote_system_present(p->system, &layout, p->vertices, (size_t)PARTICLES * KEYED_BYTES),
                 "mote_system_present");
}

/* Along a diagonal. */
static void do_order(const picture *p) {
    engine_check(mote_system_order(p->system, (const float[3]){0.5f, -0.25f, 1}, p->order,
                                   mote_order_bytes(PARTICLES)),
                 "mote_system_order");
}

typedef void copy_function(float *to, const float *from, size_t first, size_t last);

static void copy_by(const picture *p, copy_function *copy) {
#pragma omp parallel num_threads(p->threads)
    {
        size_t first, last;
        thread_part(COPY_FLOATS, PROBE_BLOCK, thread_index(), thread_count(), &first, &last);
        copy(p->copy[1], p->copy[0], first, last);
    }
}

static void do_copy(const picture *p) { copy_by(p, probe_copy); }
static void do_memcpy(const picture *p) { copy_by(p, probe_memcpy); }

/* Seconds of a call; the frames before leave the caches as the call itself does. */
static double time_of(void (*call)(const picture *), const picture *p) {
    call(p);
    const double start = now_seconds();
    for (int frame = 0; frame < FRAMES; frame++) call(p);
    return (now_seconds() - start) / FRAMES;
}

static spread rate(const bench_series *series, double amount, uint32_t repeat) {
    const spread seconds = spread_of(series->seconds, repeat);
    return (spread){amount / seconds.median, amount / seconds.max, amount / seconds.min};
}

static bench_row call_row(const bench_config *config, const char *name) {
    bench_row row = {.particles = config->particles, .threads = config->threads, .repeat = config->repeat};
    snprintf(row.name, sizeof row.name, "%s", name);
    return row;
}

static void present_rows(bench_run *run, uint32_t threads) {
    static bench_series present, keyed, copy, past, order; /* static for their size */
    const bench_config config = config_of(run, threads);
    if (report_begin(&run->report, "calls", "presentation")) {
        picture p = open_picture(&config);
        while (report_try(&run->report))
            for (uint32_t turn = 0; turn < run->repeat; turn++) {
                present.seconds[turn] = time_of(do_present, &p);
                keyed.seconds[turn] = time_of(do_keyed, &p);
                copy.seconds[turn] = time_of(do_copy, &p);
                past.seconds[turn] = time_of(do_memcpy, &p);
            }
        close_picture(&p);
        bench_row row = call_row(&config, "present, linear, packed xyz");
        row_add(&row, "rate", "B/s", rate(&present, PRESENT_BYTES * PARTICLES, run->repeat), '>');
        row_add(&row, "over a copy of as many bytes", "", ratio_spread(&copy, &present, run->repeat), '>');
        row_add(&row, "over memcpy", "", ratio_spread(&past, &present, run->repeat), '>');
        row_add(&row, "with size and colour over life", "particles/s", rate(&keyed, PARTICLES, run->repeat),
                '>');
        row_add(&row, "time of that over packed xyz", "", ratio_spread(&keyed, &present, run->repeat), '<');
        report_add(&run->report, &row);
    }
    if (!report_begin(&run->report, "calls", "order")) return;
    picture p = open_picture(&config);
    while (report_try(&run->report))
        for (uint32_t turn = 0; turn < run->repeat; turn++) order.seconds[turn] = time_of(do_order, &p);
    close_picture(&p);
    bench_row row = call_row(&config, "order back to front, 16 bits");
    row_add(&row, "rate", "particles/s", rate(&order, PARTICLES, run->repeat), '>');
    report_add(&run->report, &row);
}

/* --- Spawn and kill --- */

typedef struct births {
    bench_series spawn, kill, step; /* s of a call; of the kill and the step that removes; of a step alone */
} births;

/* In a full system the last BORN particles are spawned, every second of them is killed and removed by a step,
 * then the others. */
static void time_births(mote_system *system, uint32_t turn, births *b) {
    static uint32_t slots[BORN];
    mote_range_view view;
    double start = now_seconds();
    engine_check(mote_system_spawn(system, BORN, &view), "mote_system_spawn");
    b->spawn.seconds[turn] = now_seconds() - start;
    for (uint32_t i = 0; i < BORN / 2; i++) slots[i] = 2 * i;
    start = now_seconds();
    engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
    b->step.seconds[turn] = now_seconds() - start;
    for (uint32_t part = 0; part < 2; part++) {
        start = now_seconds();
        engine_check(mote_system_kill_slots(system, BORN / 2, slots), "mote_system_kill_slots");
        engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
        if (part == 0) b->kill.seconds[turn] = now_seconds() - start;
    }
}

static void birth_rows(bench_run *run) {
    static births b; /* static for its size */
    const bench_config config = config_of(run, 1);
    if (!report_begin(&run->report, "calls", "spawn and kill")) return;
    mote_system_def def = engine_def(&config);
    def.particle_ids = true;
    mote_system *system = engine_create(&def, config.scene, 0, PARTICLES - BORN);
    while (report_try(&run->report))
        for (uint32_t turn = 0; turn < run->repeat; turn++) time_births(system, turn, &b);
    mote_system_destroy(system);
    bench_row row = call_row(&config, "spawn 100,000");
    row_add(&row, "rate", "particles/s", rate(&b.spawn, BORN, run->repeat), '>');
    row_add(&row, "kill 50,000 by slot and the step, over a step", "",
            ratio_spread(&b.kill, &b.step, run->repeat), '<');
    report_add(&run->report, &row);
}

/* Births of an emitter in a step of a system that is empty before it: random direction, speed and lifetime,
 * all below a step, so that the next step, which is not timed, removes them. */
static double time_emission(mote_system *system, mote_emitter_id emitter, uint32_t *born) {
    engine_check(mote_system_burst(system, emitter, BORN), "mote_system_burst");
    const double start = thread_seconds();
    engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
    const double seconds = thread_seconds() - start;
    *born = mote_system_count(system);
    engine_check(mote_system_step(system, 1, NULL), "mote_system_step");
    return seconds;
}

static mote_system *open_emitter(mote_emitter_id *emitter) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    def.capacity = BORN, def.steps_per_second = STEPS_PER_SECOND, def.lifetimes = true;
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    mote_emitter_def fountain = mote_default_emitter_def();
    fountain.spread = 0.3f;
    fountain.speed = (mote_spread){4, 8};
    fountain.lifetime = (mote_spread){0.001f, 0.015f};
    engine_check(mote_system_add_emitter(system, &fountain, emitter), "mote_system_add_emitter");
    return system;
}

static void emission_row(bench_run *run) {
    static bench_series emission; /* static for its size */
    const bench_config config = config_of(run, 1);
    mote_emitter_id emitter;
    uint32_t born = 0;
    if (!report_begin(&run->report, "calls", "emission")) return;
    mote_system *system = open_emitter(&emitter);
    for (int warm = 0; warm < 2; warm++) time_emission(system, emitter, &born);
    while (report_try(&run->report))
        for (uint32_t turn = 0; turn < run->repeat; turn++)
            emission.seconds[turn] = time_emission(system, emitter, &born);
    mote_system_destroy(system);
    bench_row row = call_row(&config, "an emitter bears 100,000 with handles");
    row.particles = BORN;
    row_quantity *q = row_add(&row, "rate", "births/s", rate(&emission, BORN, run->repeat), '>');
    q->target = 50e6, q->bound = '>', q->undone = born != BORN;
    report_add(&run->report, &row);
}

/* --- Allocations --- */

enum { WARM_STEPS = 3, COUNTED_STEPS = 8, COUNTED_PARTICLES = 100000 };

static uint64_t allocations_of(const bench_scene *scene) {
    uint64_t allocations = 0;
    bench_config config = {.scene = scene,
                           .integrator = scene->integrator,
                           .isa = mote_isa_best(),
                           .particles = scene_particles(scene, 0),
                           .frames = COUNTED_STEPS,
                           .substeps = scene->least_substeps ? scene->least_substeps : 1,
                           .threads = machine_threads(),
                           .repeat = 1,
                           .allocator = counting_allocator(&allocations)};
    if (config.particles > COUNTED_PARTICLES) config.particles = scene_particles(scene, COUNTED_PARTICLES);
    void *state = scene->engine->open(&config);
    scene->engine->run(state, WARM_STEPS);
    const uint64_t before = allocations;
    scene->engine->run(state, COUNTED_STEPS);
    const uint64_t during = allocations - before;
    scene->engine->close(state);
    return during;
}

static void allocation_row(bench_run *run) {
    if (!report_begin(&run->report, "calls", "allocations")) return;
    uint64_t allocations = 0;
    for (uint32_t i = 0; i < scene_count; i++)
        if (run_asks(run, &scenes[i])) allocations += allocations_of(&scenes[i]);
    bench_row row = {0};
    snprintf(row.name, sizeof row.name, "allocations in %d steps of every scene", COUNTED_STEPS);
    row_quantity *q = row_add_number(&row, "calls", "1", (double)allocations);
    q->bound = q->better = '<';
    report_add(&run->report, &row);
}

void run_calls(bench_run *run) {
    const uint32_t all = machine_threads();
    for (uint32_t threads = 1; threads <= all; threads = threads < all ? all : all + 1)
        present_rows(run, threads);
    birth_rows(run);
    emission_row(run);
    allocation_row(run);
}
