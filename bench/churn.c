/* Churn: scene ballistic, where in every step one particle in a hundred dies and a new one is spawned. A
 * particle lives for 100 steps. At the start 1 to 100 steps are left, uniformly at random, so the state is
 * steady from the start and deaths are spread over the slots: new particles are in the last slots and move,
 * at the next boundary, into the holes of the removed ones. Deaths happen inside the step, so their time is
 * not measured by itself. The same system is stepped in the same run with the same columns but immortal
 * particles, and the difference is the time of killing, compaction and spawning together, which includes the
 * filling of new particles by the host. A third system without ages and ids shows the cost of reading ages,
 * which the difference leaves out. */
#include "churn.h"

#include <math.h>
#include <stdlib.h>

#include "churn_baseline.h"
#include "engine.h"
#include "options.h"
#include "random.h"

#define LIFE_STEPS 100u

typedef struct churn {
    mote_system *system;
    uint64_t serial;     /* of the next particle that is spawned */
    uint32_t life_steps; /* 0: nobody dies */
} churn;

/* Half a step below a whole number, so that rounding cannot move the death to another step. */
static float lifetime_of_steps(uint32_t steps) { return (float)(((double)steps - 0.5) * TIMESTEP); }

static mote_system *create_mortal(const bench_config *config) {
    mote_system_def def = engine_def(config);
    def.particle_ids = true;
    def.lifetimes = true;
    return engine_create(&def, config->scene, 0, config->particles);
}

/* The lifetime of particle i at the start, s. */
static float first_lifetime(uint32_t i, uint32_t life_steps) {
    if (!life_steps) return INFINITY;
    return lifetime_of_steps(1 + (uint32_t)(random_bits(i, 2) >> 32) % life_steps);
}

static churn *churn_of(mote_system *system, uint32_t life_steps) {
    churn *state = allocate_or_fail(sizeof *state);
    mote_range_view view = mote_system_view(system);
    *state = (churn){system, view.count, life_steps};
    for (uint32_t i = 0; i < view.count; i++) view.lifetime[i] = first_lifetime(i, life_steps);
    return state;
}

static void *churn_open(const bench_config *config) { return churn_of(create_mortal(config), LIFE_STEPS); }

static void fill_velocities(uint64_t serial, float *const velocity[3], uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(serial + i, 0);
        velocity[0][first + i] = 8.0f * random_signed(bits, 0);
        velocity[1][first + i] = 8.0f * random_signed(bits, 20);
        velocity[2][first + i] = 8.0f * random_signed(bits, 40);
    }
}

/* A fountain: new particles start at the origin, where spawning puts them. */
static void bear(churn *state, uint32_t count) {
    mote_range_view view;
    const float lifetime = lifetime_of_steps(state->life_steps);
    engine_check(mote_system_spawn(state->system, count, &view), "mote_system_spawn");
    float *const velocity[3] = {view.velocity.x, view.velocity.y, view.velocity.z};
    fill_velocities(state->serial, velocity, 0, count);
    for (uint32_t i = 0; i < count; i++) view.lifetime[i] = lifetime;
    state->serial += count;
}

void churn_frames(void *user, uint32_t frames) {
    churn *state = user;
    for (uint32_t frame = 0; frame < frames; frame++) {
        mote_advance advance;
        engine_check(mote_system_step(state->system, 1, &advance), "mote_system_step");
        bear(state, advance.expired + advance.non_finite);
    }
}

static uint64_t churn_hash(void *user) { return mote_system_hash(((churn *)user)->system); }

void churn_destroy(void *user) {
    mote_system_destroy(((churn *)user)->system);
    free(user);
}

static void *deathless_open(const bench_config *config) {
    mote_system *system = create_mortal(config);
    mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; i < view.count; i++) view.lifetime[i] = INFINITY;
    return system;
}

const bench_contender churn_contender = {"churn", churn_open, NULL, churn_frames, churn_hash, churn_destroy};
const bench_contender churn_deathless_contender = {"without deaths", deathless_open, NULL,
                                                   engine_run,       engine_hash,    engine_close};
const bench_contender churn_ageless_contender = {"without ages", engine_open, NULL,
                                                 engine_run,     engine_hash, engine_close};

/* --- Beside a careful loop --- */

static bench_config config_of(const churn_setup *setup) {
    return (bench_config){.scene = setup->scene,
                          .integrator = MOTE_SEMI_IMPLICIT_EULER,
                          .isa = mote_isa_best(),
                          .particles = setup->particles,
                          .substeps = setup->substeps,
                          .threads = 1};
}

void *churn_create(const churn_setup *setup) {
    const bench_config config = config_of(setup);
    mote_system_def def = engine_def(&config);
    def.lifetimes = true;
    def.particle_ids = setup->handles;
    def.interpolation = setup->handles ? MOTE_INTERPOLATE_LINEAR : MOTE_INTERPOLATE_NONE;
    return churn_of(engine_create(&def, config.scene, 0, setup->particles), setup->life_steps);
}

typedef struct careful {
    churn_columns columns;
    uint32_t width; /* of registers: widths.h */
    const scene_forces *forces;
    uint64_t serial;
    uint32_t life_steps, step;
    arena memory;
} careful;

/* The arrays from number `first` on. */
static void three_of(float *const *array, uint32_t first, float *to[3]) {
    for (uint32_t axis = 0; axis < 3; axis++) to[axis] = array[first + axis];
}

static void careful_frame(void *user, uint32_t width) {
    static churn_function *const steps[WIDTHS] = LOOPS_OF_WIDTHS(baseline_churn_step);
    static birth_function *const births[WIDTHS] = LOOPS_OF_WIDTHS(baseline_churn_births);
    careful *state = user;
    churn_columns *c = &state->columns;
    const uint32_t died = steps[width](c, state->forces, PARTICLE_MASS, (float)TIMESTEP, ++state->step);
    const uint32_t first = births[width](c, died, state->step, lifetime_of_steps(state->life_steps));
    fill_velocities(state->serial, c->state.velocity, first, died);
    state->serial += died;
}

void *careful_create(const churn_setup *setup) {
    careful *state = allocate_or_fail(sizeof *state);
    const uint32_t count = setup->particles, arrays = setup->handles ? 13 : 8;
    float *array[13] = {NULL};
    *state = (careful){.forces = setup->scene->forces, .serial = count, .life_steps = setup->life_steps};
    if (!arena_create(&state->memory, staggered_size(arrays, count) + count * sizeof(churn_handle)))
        fail_usage("no memory for the careful loop");
    staggered_arrays(state->memory.bytes, arrays, count, array);
    churn_columns *c = &state->columns;
    c->birth = (uint32_t *)(void *)array[6], c->lifetime = array[7], c->index = (uint32_t *)(void *)array[8];
    c->free = (uint32_t *)(void *)array[9];
    three_of(array, 0, c->state.position), three_of(array, 3, c->state.velocity),
        three_of(array, 10, c->previous);
    c->table = (churn_handle *)(void *)(state->memory.bytes + staggered_size(arrays, count));
    (void)baseline_churn_births_preferred(c, count, 0, 0);
    for (uint32_t i = 0; i < count; i++) c->lifetime[i] = first_lifetime(i, setup->life_steps);
    fill_columns(setup->scene, 0, &c->state, count);
    state->width = faster_width(careful_frame, state);
    return state;
}

void careful_frames(void *user, uint32_t frames) {
    for (uint32_t frame = 0; frame < frames; frame++) careful_frame(user, ((careful *)user)->width);
}

void careful_destroy(void *user) {
    careful *state = user;
    arena_destroy(&state->memory);
    free(state);
}

/* --- Figures of the scene --- */

/* The parts of the engine's frame beyond the reference, repeat by repeat: 1 - reference / engine. */
static spread part_beyond(const bench_series *reference, const measurement *result) {
    spread ratio = ratio_spread(reference, &result->engine, result->config.repeat);
    return (spread){1 - ratio.median, 1 - ratio.max, 1 - ratio.min};
}

uint32_t churn_figures(const measurement *result, scene_figure *figures) {
    figures[0] = (scene_figure){
        "churn_share", "1", "of the step for kill, compact and spawn (against the same scene without deaths)",
        1, part_beyond(&result->reference[0], result)};
    figures[1] = (scene_figure){"churn_share_with_ages", "1",
                                "of the step for these and the reading of ages (against no ages, no handles)",
                                1, part_beyond(&result->reference[1], result)};
    return 2;
}
