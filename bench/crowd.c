/* Crowd: a game's own shape, hundreds of systems of hundreds of particles. Each is a fountain of an emitter
 * whose births balance the deaths, under gravity and wind, over a ground; its particles live for 1 to 2 s.
 * The positions of all systems are packed into one array in each frame. Fountain: one system over a valley of
 * two planes with a ball. */
#include "crowd.h"

#include <stdlib.h>

#include "engine.h"

#define MEAN_LIFE 1.5f
#define WARM      160u /* steps after which deaths balance births */

typedef struct crowd {
    crowd_setup setup;
    mote_jobs jobs;
    float (*packed)[3];
    size_t capacity;
    mote_system *systems[];
} crowd;

static void add_collider(mote_system *system, mote_collider_def def) {
    mote_collider_id id;
    engine_check(mote_system_add_collider(system, &def, &id), "mote_system_add_collider");
}

static void add_ground(mote_system *system, const crowd_setup *setup) {
    static const float origin[3] = {0, 0, 0}, ball[3] = {3, 1, 0};
    const float slope = setup->valley ? 0.2f : 0;
    add_collider(system, mote_plane(origin, (const float[3]){slope, 1, 0}));
    if (!setup->valley) return;
    add_collider(system, mote_plane(origin, (const float[3]){-slope, 1, 0}));
    add_collider(system, mote_sphere(ball, 1));
}

static void add_fountain(mote_system *system, const crowd_setup *setup, uint32_t number) {
    mote_emitter_def fountain = mote_default_emitter_def();
    mote_emitter_id emitter;
    fountain.shape = MOTE_EMITTER_CONE;
    fountain.radius = 0.1f, fountain.angle = 0.3f;
    fountain.transform.position[0] = 4.0f * (float)(number % 16), fountain.transform.position[1] = 0.5f;
    fountain.transform.position[2] = 4.0f * (float)(number / 16 % 16);
    fountain.rate = (float)setup->particles / MEAN_LIFE;
    fountain.speed = (mote_spread){4, 8};
    fountain.lifetime = (mote_spread){1, 2 * MEAN_LIFE - 1};
    fountain.seed = number;
    engine_check(mote_system_add_emitter(system, &fountain, &emitter), "mote_system_add_emitter");
}

static mote_jobs jobs_of(const crowd_setup *setup) {
    return setup->threads > 1 ? mote_jobs_openmp(setup->threads) : (mote_jobs){0};
}

static mote_system *create_one(const crowd_setup *setup, uint32_t number) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    def.capacity = setup->particles + setup->particles / 4;
    def.steps_per_second = STEPS_PER_SECOND;
    def.substeps = setup->substeps;
    def.particle_ids = false;
    def.lifetimes = true;
    def.isa = setup->isa;
    def.allocator = setup->allocator;
    /* Systems of a call are divided among threads, a single system divides itself. */
    def.jobs = setup->systems == 1 ? jobs_of(setup) : (mote_jobs){0};
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    engine_add_force(system, mote_gravity((const float[3]){0, -9.81f, 0}));
    engine_add_force(system, mote_wind((const float[3]){3, 0, 1}, 0.05f));
    add_fountain(system, setup, number);
    add_ground(system, setup);
    return system;
}

void *crowd_create(const crowd_setup *setup) {
    crowd *c = allocate_or_fail(sizeof *c + setup->systems * sizeof *c->systems);
    c->setup = *setup;
    c->jobs = jobs_of(setup);
    c->capacity = (size_t)setup->systems * (setup->particles + setup->particles / 4);
    c->packed = allocate_or_fail(c->capacity * sizeof *c->packed);
    for (uint32_t i = 0; i < setup->systems; i++) c->systems[i] = create_one(setup, i);
    crowd_frames(c, WARM);
    return c;
}

static void present(const crowd *c) {
    const mote_present_layout layout = mote_default_present_layout();
    size_t first = 0;
    for (uint32_t i = 0; i < c->setup.systems; i++) {
        engine_check(mote_system_present(c->systems[i], &layout, c->packed[first],
                                         (c->capacity - first) * sizeof *c->packed),
                     "mote_system_present");
        first += mote_system_count(c->systems[i]);
    }
}

static void advance(const crowd *c) {
    if (c->setup.systems == 1)
        engine_check(mote_system_advance(c->systems[0], STEP_NANOSECONDS, NULL), "mote_system_advance");
    else
        engine_check(mote_systems_advance(c->systems, c->setup.systems, STEP_NANOSECONDS, &c->jobs, NULL),
                     "mote_systems_advance");
}

void crowd_frames(void *state, uint32_t frames) {
    crowd *c = state;
    for (uint32_t frame = 0; frame < frames; frame++) {
        advance(c);
        if (c->setup.presents) present(c);
    }
}

/* The hashes of the systems, chained by the 64-bit FNV prime. */
uint64_t crowd_hash(void *state) {
    const crowd *c = state;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < c->setup.systems; i++)
        hash = (hash ^ mote_system_hash(c->systems[i])) * UINT64_C(0x100000001b3);
    return hash;
}

void crowd_destroy(void *state) {
    crowd *c = state;
    for (uint32_t i = 0; i < c->setup.systems; i++) mote_system_destroy(c->systems[i]);
    free(c->packed);
    free(c);
}

/* --- As a scene --- */

static void *open_systems(const bench_config *config, uint32_t systems, bool valley) {
    const crowd_setup setup = {.systems = systems,
                               .particles = config->particles / systems,
                               .substeps = config->substeps,
                               .threads = config->threads,
                               .presents = true,
                               .valley = valley,
                               .isa = config->isa,
                               .allocator = config->allocator};
    return crowd_create(&setup);
}

static void *crowd_open(const bench_config *config) { return open_systems(config, CROWD_SYSTEMS, false); }

const bench_contender crowd_contender = {"crowd", crowd_open, NULL, crowd_frames, crowd_hash, crowd_destroy};

/* A single system of as many particles. */
static void *crowd_single_open(const bench_config *config) { return open_systems(config, 1, false); }

const bench_contender crowd_single_contender = {"one system", crowd_single_open, NULL,
                                                crowd_frames, crowd_hash,        crowd_destroy};

uint32_t crowd_figures(const measurement *result, scene_figure *figures) {
    figures[0] = (scene_figure){"crowd_frame_seconds", "s", "ms a frame, packed presentation included", 1e-3,
                                spread_of(result->engine.seconds, result->config.repeat)};
    figures[1] = (scene_figure){"crowd_cost_ratio", "", "x the cost of one system of as many particles", 1,
                                ratio_spread(&result->engine, &result->reference[0], result->config.repeat)};
    return 2;
}

/* --- Fountain --- */

static void *fountain_open(const bench_config *config) { return open_systems(config, 1, true); }

const bench_contender fountain_contender = {"fountain",   fountain_open, NULL,
                                            crowd_frames, crowd_hash,    crowd_destroy};

uint32_t fountain_figures(const measurement *result, scene_figure *figures) {
    figures[0] = (scene_figure){"fountain_frame_seconds", "s", "ms a frame, packed presentation included",
                                1e-3, spread_of(result->engine.seconds, result->config.repeat)};
    return 1;
}
