/* The same input gives the same bits: one hash for every number of workers, job system, instruction set, loop
 * order and grouping of steps into frames. A scenario is a script of calls at fixed steps; a variant is a way
 * of running it. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "force_sets.h"
#include "systems.h"

/* Enough particles for several blocks of 256; fewer where fields cost most. 50 steps a second are whole
 * nanoseconds. */
enum {
    PARTICLES = 1400,
    FIELD_PARTICLES = 650,
    ROUNDS = 2,
    ROUND_STEPS = 8,
    BORN = 150,
    STEPS_PER_SECOND = 50
};
static const uint64_t STEP_NANOSECONDS = 1000000000 / STEPS_PER_SECOND;

/* --- Scenarios --- */

/* A block makes its steps in one run unless a lifetime may end in between, so half of the contents have none.
 */
typedef enum scene_content { LOOSE, LIVING, FIELDS, OWN_CALLBACK, RANGE_CALLBACK, CONTENTS } scene_content;

static bool has_lifetimes(scene_content content) { return content == LIVING || content == RANGE_CALLBACK; }

typedef struct scenario {
    mote_integrator integrator;
    bool mass_column;
    scene_content content;
    mote_interpolation interpolation;
} scenario;

static void fill(const mote_range_view *view, uint32_t seed) {
    const motion_columns motion = motion_of(view);
    for (uint32_t i = 0; i < view->count; i++) {
        for (uint32_t c = 0; c < 6; c++) motion.column[c][i] = 3 * reference_noise(seed + c, i);
        if (view->anchor.x) view->anchor.x[i] = reference_noise(seed + 9, i);
        if (view->anchor.z) view->anchor.z[i] = 0.01f * (float)(i % 50);
        if (view->inverse_mass) view->inverse_mass[i] = i % 11 == 3 ? 0 : 1.5f + reference_noise(seed + 7, i);
        if (view->lifetime && i % 3 == 0) view->lifetime[i] = 0.35f + 0.3f * reference_noise(seed + 8, i);
        memcpy((char *)view->extra[0] + 4 * (size_t)i, &i, 4);
    }
    /* One in two hundred overflows in one of the first steps. */
    for (uint32_t i = 77; i < view->count; i += 200) {
        view->position.y[i] = 3.4e38f - (float)(i / 200 % 5) * 2e36f;
        view->velocity.y[i] = 3e38f;
    }
}

static mote_force_def callback_in(mote_force_callback *function, mote_force_unit unit) {
    mote_force_def def = mote_callback(function, NULL);
    def.as.callback.unit = unit;
    def.as.callback.reach = function == scene_chase ? MOTE_REACH_RANGE : MOTE_REACH_PARTICLE;
    return def;
}

/* The stream carries what is to overflow over the end of float. */
static uint32_t make_velocities(scene_content content, mote_force_def *forces) {
    mote_force_def stream = mote_linear_field((float[3]){0, 1e38f, 0}, (float[9]){0}, MOTE_FIELD_VELOCITY, 0);
    uint32_t n = add_fields(forces, 0, MOTE_FIELD_VELOCITY);
    if (content == FIELDS)
        limit_forces(forces, n - 2);
    else
        n = 3; /* with curl noise and without grids */
    forces[n++] = mote_in_box(stream, (float[3]){0, 3.3e38f, 0}, (float[3]){100, 1e38f, 100}, 0);
    if (content >= OWN_CALLBACK) forces[n++] = callback_in(scene_spread, MOTE_METRES_PER_SECOND);
    if (content == RANGE_CALLBACK) forces[n++] = callback_in(scene_chase, MOTE_METRES_PER_SECOND);
    return n;
}

enum { MAX_FORCES = 32 };

static uint32_t make_forces(mote_integrator integrator, scene_content content, mote_force_def *forces) {
    if (advects(integrator)) return make_velocities(content, forces);
    uint32_t n = 0;
    if (content == FIELDS) {
        n = add_drags(forces, add_timed_thrusts(forces, add_fields(forces, n, MOTE_FIELD_WIND), 0.5f));
        n = add_particle_anchors(forces, add_springs(forces, n));
        limit_forces(forces, n - 2);
        n = add_fields(forces, n, MOTE_FIELD_ACCELERATION);
    }
    forces[n++] = mote_gravity((float[3]){0, -9.81f, 0});
    forces[n++] = mote_wind((float[3]){2, 0, -1}, 0.3f);
    forces[n++] = mote_attractor((float[3]){0.5f, 1, 0}, 4, 0.2f);
    forces[n++] = mote_anchor_spring((float[3]){0, 2, 0}, 5.5f, 0.1f);
    if (content >= OWN_CALLBACK) forces[n++] = callback_in(scene_spread, MOTE_NEWTONS);
    if (content >= OWN_CALLBACK) forces[n++] = callback_in(scene_spread, MOTE_METRES_PER_SECOND_SQUARED);
    if (content == RANGE_CALLBACK && integrator != MOTE_POSITION_VERLET)
        forces[n++] = callback_in(scene_chase, MOTE_NEWTONS);
    return n;
}

static void add_scene_forces(mote_system *system, mote_integrator integrator, scene_content content) {
    mote_force_def forces[MAX_FORCES];
    add_forces(system, forces, make_forces(integrator, content, forces));
}

/* The calls of the host before the frames of a round. */
static void host_calls(mote_system *system, uint32_t round, bool has_external_forces) {
    if (round > 0) {
        mote_range_view view = spawned(system, BORN);
        fill(&view, 1000 * round);
        uint32_t count = mote_system_count(system), slots[100];
        for (uint32_t i = 0; i < 100; i++) slots[i] = reference_hash(round, i) % count;
        OK(mote_system_kill_slots(system, 100, slots));
        OK(mote_system_impulse(system, 9, (float[3]){1, 2, 3}));
        OK(mote_system_teleport(system, 40, 20));
    }
    if (round % 2 == 0 || !has_external_forces) return;
    const mote_vector_columns external_forces = external_forces_of(system);
    for (uint32_t i = 0; i < mote_system_count(system); i++)
        external_forces.y[i] += 40 * reference_noise(round, i);
}

/* --- Variants --- */

typedef enum frames { ONE_FRAME, SINGLE_STEPS, ADVANCES, HOSTILE_FRAMES, GROUPINGS } frames;

typedef struct variant {
    mote_jobs jobs;
    mote_isa isa;
    mote_loop_order loop_order;
    frames grouping;
} variant;

static void run_round(mote_system *system, frames grouping, bool lifetimes) {
    mote_advance advance;
    switch (grouping) {
    case ONE_FRAME:
        advance = stepped(system, ROUND_STEPS);
        ASSERT(advance.steps, ==, ROUND_STEPS);
        ASSERT((advance.expired > 0), ==, lifetimes);
        assert_true(advance.non_finite > 0 || mote_system_steps(system) > ROUND_STEPS);
        break;
    case SINGLE_STEPS:
        for (int i = 0; i < ROUND_STEPS; i++) stepped(system, 1);
        break;
    case ADVANCES:
        advanced(system, ROUND_STEPS * STEP_NANOSECONDS);
        break;
    default:
        OK(scene_hostile_frames(system, STEP_NANOSECONDS, ROUND_STEPS));
    }
}

/* The same for every variant. */
typedef struct outcome {
    uint64_t hash;
    mote_statistics statistics;
} outcome;

static bool same_outcome(const outcome *a, const outcome *b) {
    const size_t bytes = offsetof(mote_statistics, forces_without_potential); /* every double */
    return a->hash == b->hash && memcmp(&a->statistics, &b->statistics, bytes) == 0;
}

static outcome run(const scenario *s, const variant *v) {
    mote_system_def def = mote_default_system_def();
    def.capacity = PARTICLES + ROUNDS * BORN;
    def.steps_per_second = (mote_rate){STEPS_PER_SECOND, 1};
    def.substeps = 2;
    def.start_time = 0.5;
    def.integrator = s->integrator;
    def.max_steps_per_advance = ROUND_STEPS;
    def.late_policy = MOTE_LATE_CATCH_UP;
    def.interpolation = s->interpolation;
    def.mass_column = s->mass_column;
    def.mass = 0.8f;
    def.lifetimes = has_lifetimes(s->content);
    def.external_forces = !advects(s->integrator); /* it holds forces */
    def.anchor_column = true;
    def.extra_count = 1;
    def.extra_bytes[0] = 4;
    def.loop_order = v->loop_order;
    def.isa = v->isa;
    def.jobs = v->jobs;
    mote_system *system = system_of(&def);
    const uint32_t particles = s->content == FIELDS ? FIELD_PARTICLES : PARTICLES;
    mote_range_view view = spawned(system, particles);
    fill(&view, 5);
    add_scene_forces(system, s->integrator, s->content);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        host_calls(system, round, def.external_forces);
        run_round(system, v->grouping, has_lifetimes(s->content));
    }
    assert_int_equal(mote_system_steps(system), ROUNDS * ROUND_STEPS);
    assert_in_range(mote_system_count(system), particles / 2, particles + ROUNDS * BORN - 1);
    const outcome o = {mote_system_hash(system), statistics_of(system)};
    mote_system_destroy(system);
    return o;
}

enum { VARIANTS = 12, SCENARIOS = 2 * MOTE_INTEGRATOR_COUNT };

/* One variant for each number of workers on each kind of jobs. The other dimensions turn with the number of
 * the variant and of the scenario, so that each scenario meets every value of each of them and all scenarios
 * together meet their combinations: a variant that differs shows whatever it is combined with. Scalar
 * kernels, which cost most, run once a scenario. */
static variant variant_number(uint32_t i, uint32_t turn, job_kinds *kinds, bool many_openmp) {
    static const uint32_t workers[] = {1, 2, 3, 8};
    const uint32_t kind = 1 + i % 3, count = workers[i / 3];
    mote_isa isas[MOTE_ISA_COUNT] = {MOTE_ISA_AUTO};
    uint32_t isa_count = 1;
    for (int isa = MOTE_ISA_SCALAR + 1; isa < MOTE_ISA_COUNT; isa++)
        if (mote_isa_available((mote_isa)isa)) isas[isa_count++] = (mote_isa)isa;
    /* OpenMP threads that outnumber the processors wait for each other: few scenarios have them. */
    make_job_kinds(kinds, kind == 1 && count > 2 && !many_openmp ? 2 : count);
    return (variant){kinds->jobs[kind],
                     (i + turn) % VARIANTS == 0 ? MOTE_ISA_SCALAR : isas[(i + turn) % isa_count],
                     (mote_loop_order)((i / 2 + turn) % MOTE_LOOP_ORDER_COUNT),
                     (frames)((i + i / GROUPINGS + turn) % GROUPINGS)};
}

static uint64_t hashes[SCENARIOS * CONTENTS]; /* of the scenarios that ran */

static void run_all_variants(const scenario *s, uint32_t turn) {
    const variant plain = {{0}, MOTE_ISA_AUTO, MOTE_LOOP_AUTO, ONE_FRAME};
    const outcome want = run(s, &plain);
    uint64_t shuffled_runs = 0;
    hashes[turn] = want.hash;
    for (uint32_t i = 0; i < VARIANTS; i++) {
        job_kinds kinds;
        const variant v = variant_number(i, turn, &kinds, s->content == LIVING);
        test_case("content %d, %s, order %d, frames %d, jobs %u, %u workers", (int)s->content,
                  mote_isa_name(v.isa), (int)v.loop_order, (int)v.grouping, (unsigned)i % 3,
                  (unsigned)v.jobs.workers);
        const outcome got = run(s, &v);
        if (!same_outcome(&got, &want))
            fail_msg("the bits changed: %016llx, not %016llx", (unsigned long long)got.hash,
                     (unsigned long long)want.hash);
        shuffled_runs += kinds.shuffled.runs;
    }
    ASSERT(shuffled_runs, >, 0);
}

static const char *scenario_name(uint32_t number) {
    static char name[64];
    snprintf(name, sizeof name, "%s, %s mass", integrator_name(number / 2),
             number % 2 ? "column" : "uniform");
    return name;
}

TEST_EACH(every_variant_of_a_run_ends_with_the_same_bits, SCENARIOS, scenario_name, number) {
    for (uint32_t content = 0; content < CONTENTS; content++) {
        const scenario s = {(mote_integrator)(number / 2), number % 2 == 1, (scene_content)content,
                            (mote_interpolation)((number + content) % MOTE_INTERPOLATION_COUNT)};
        run_all_variants(&s, CONTENTS * number + content);
    }
}

/* Else equal hashes would prove nothing. */
TEST(no_two_scenarios_have_the_same_hash) {
    for (size_t i = 0; i < COUNT_OF(hashes); i++)
        for (size_t k = 0; k < i; k++) assert_true(hashes[i] != hashes[k] || hashes[i] == 0);
}

/* --- The hash --- */

TEST(the_hash_sees_every_bit_of_a_column_external_forces_and_a_nanosecond) {
    mote_system_def def = mote_default_system_def();
    def.external_forces = def.lifetimes = def.mass_column = true;
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 37);
    float *columns[] = {view.position.x, view.position.y, view.position.z,   view.velocity.x,
                        view.velocity.y, view.velocity.z, view.inverse_mass, view.lifetime};
    uint64_t hash = mote_system_hash(system);
    for (size_t c = 0; c < COUNT_OF(columns); c++)
        for (uint32_t i = 0; i < 37; i++)
            for (int way = 0; way < 2; way++) {
                uint32_t bits;
                memcpy(&bits, &columns[c][i], 4);
                bits ^= 1u << (i % 32);
                memcpy(&columns[c][i], &bits, 4);
                ASSERT((mote_system_hash(system) == hash), ==, way);
            }
    advanced(system, 1);
    ASSERT(mote_system_hash(system), !=, hash);
    hash = mote_system_hash(system);
    external_forces_of(system).z[36] = 1;
    ASSERT(mote_system_hash(system), !=, hash);
    mote_system_destroy(system);
}

/* --- Arrays of the caller --- */

/* With any tail. */
TEST(arrays_of_the_caller_have_the_same_bits_on_any_jobs) {
    enum { COUNT = 10007, ARRAYS = 10 };
    static float start[ARRAYS][COUNT], state[2][ARRAYS][COUNT];
    for (uint32_t c = 0; c < ARRAYS; c++)
        for (uint32_t i = 0; i < COUNT; i++) start[c][i] = c == 6 ? 1 : 2 * reference_noise(c, i);
    job_kinds kinds;
    make_job_kinds(&kinds, 3);
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (int content = FIELDS; content < CONTENTS; content++)
            for (int j = 0; j < JOB_KINDS; j++) {
                float(*s)[COUNT] = state[j > 0];
                memcpy(s, start, sizeof start);
                mote_columns columns = {.count = COUNT,
                                        .position = {s[0], s[1], s[2]},
                                        .velocity = {s[3], s[4], s[5]},
                                        .inverse_mass = s[6],
                                        .anchor = {s[7], s[8], s[9]}};
                mote_force_def forces[MAX_FORCES];
                mote_columns_def def = mote_default_columns_def();
                def.integrator = (mote_integrator)m, def.forces = forces;
                def.force_count = make_forces((mote_integrator)m, (scene_content)content, forces);
                def.steps = def.substeps = 2, def.jobs = kinds.jobs[j];
                OK(mote_columns_step(&columns, &def, NULL));
                assert_memory_equal(s, state[0], sizeof start);
            }
    ASSERT(kinds.shuffled.runs, >, 0);
}

TEST_PROGRAM(make_test_grids, destroy_test_grids);
