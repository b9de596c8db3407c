/* Churn: scene ballistic, where in every step one particle in a hundred dies and a new one is spawned. A
 * particle lives for 100 steps. At the start 1 to 100 steps are left, uniformly at random, so the state is
 * steady from the start and deaths are spread over the slots: new particles are in the last slots and move,
 * at the next boundary, into the holes of the removed ones. Deaths happen inside the step, so their time is
 * not measured by itself. The same system is stepped in the same run with the same columns but immortal
 * particles, and the difference is the time of killing, compaction and spawning together, which includes the
 * filling of new particles by the host. A third system without ages and ids shows the cost of reading ages,
 * which the difference leaves out. */
#include <math.h>
#include <stdlib.h>

#include "engine.h"
#include "random.h"

#define LIFE_STEPS 100u

typedef struct churn {
    mote_system *system;
    uint64_t serial; /* of the next particle that is spawned */
} churn;

/* Half a step below a whole number, so that rounding cannot move the death to another step. */
static float lifetime_of_steps(uint32_t steps) { return (float)(((double)steps - 0.5) * TIMESTEP); }

static mote_system *create_mortal(const bench_config *config) {
    mote_system_def def = engine_def(config);
    def.particle_ids = true;
    def.lifetimes = true;
    return engine_create(&def, config->scene, 0, config->particles);
}

static void *churn_open(const bench_config *config) {
    churn *state = allocate_or_fail(sizeof *state);
    *state = (churn){create_mortal(config), config->particles};
    mote_range_view view = mote_system_view(state->system);
    for (uint32_t i = 0; i < view.count; i++)
        view.lifetime[i] = lifetime_of_steps(1 + (uint32_t)(random_bits(i, 2) >> 32) % LIFE_STEPS);
    return state;
}

/* A fountain: new particles start at the origin, where spawning puts them. */
static void bear(churn *state, uint32_t count) {
    mote_range_view view;
    float lifetime = lifetime_of_steps(LIFE_STEPS);
    engine_check(mote_system_spawn(state->system, count, &view), "mote_system_spawn");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = random_bits(state->serial + i, 0);
        view.velocity.x[i] = 8.0f * random_signed(bits, 0);
        view.velocity.y[i] = 8.0f * random_signed(bits, 20);
        view.velocity.z[i] = 8.0f * random_signed(bits, 40);
        view.lifetime[i] = lifetime;
    }
    state->serial += count;
}

static void churn_run(void *user, uint32_t frames) {
    churn *state = user;
    for (uint32_t frame = 0; frame < frames; frame++) {
        mote_advance advance;
        engine_check(mote_system_step(state->system, 1, &advance), "mote_system_step");
        bear(state, advance.expired + advance.non_finite);
    }
}

static uint64_t churn_hash(void *user) { return mote_system_hash(((churn *)user)->system); }

static void churn_close(void *user) {
    mote_system_destroy(((churn *)user)->system);
    free(user);
}

static void *deathless_open(const bench_config *config) {
    mote_system *system = create_mortal(config);
    mote_range_view view = mote_system_view(system);
    for (uint32_t i = 0; i < view.count; i++) view.lifetime[i] = INFINITY;
    return system;
}

const bench_contender churn_contender = {"churn", churn_open, NULL, churn_run, churn_hash, churn_close};
const bench_contender churn_deathless_contender = {"without deaths", deathless_open, NULL,
                                                   engine_run,       engine_hash,    engine_close};
const bench_contender churn_ageless_contender = {"without ages", engine_open, NULL,
                                                 engine_run,     engine_hash, engine_close};

/* The parts of the engine's frame beyond the reference, repeat by repeat: 1 - reference / engine. */
static spread part_beyond(const bench_series *reference, const measurement *result) {
    spread ratio = ratio_spread(reference, &result->engine, result->config.repeat);
    return (spread){1 - ratio.median, 1 - ratio.max, 1 - ratio.min};
}

uint32_t churn_figures(const measurement *result, scene_figure *figures) {
    figures[0] = (scene_figure){
        "churn_share", "of the step for kill, compact and spawn (against the same scene without deaths)", 1,
        part_beyond(&result->reference[0], result)};
    figures[1] = (scene_figure){"churn_share_with_ages",
                                "of the step for these and the reading of ages (against no ages, no handles)",
                                1, part_beyond(&result->reference[1], result)};
    return 2;
}
