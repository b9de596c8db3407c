/* The same input gives the same bits: one hash for every number of workers, job system, instruction set, loop order and
 * grouping of steps into frames. A scenario is a script of calls at fixed steps; a variant is a way of running it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "reference.h"
#include "support.h"

/* Enough particles for several blocks of any sensible size; 50 steps a second are whole nanoseconds. */
enum { PARTICLES = 1400, ROUNDS = 2, ROUND_STEPS = 8, BORN = 150, STEPS_PER_SECOND = 50 };
static const uint64_t STEP_NANOSECONDS = 1000000000 / STEPS_PER_SECOND;

/* --- Scenarios --------------------------------------------------------------------------------------------------- */

/* Lifetimes end the run of steps that a block makes at a stretch, so half of the contents have none. */
typedef enum callback_use { LOOSE, LIVING, OWN_CALLBACK, RANGE_CALLBACK, CONTENTS } callback_use;

static bool has_lifetimes(callback_use content) { return content == LIVING || content == RANGE_CALLBACK; }

typedef struct scenario {
    mote_integrator integrator;
    bool mass_column;
    callback_use content;
    mote_interpolation interpolation;
} scenario;

static void fill(const mote_range_view *view, uint32_t seed) {
    float *columns[6] = {view->position.x, view->position.y, view->position.z,
                         view->velocity.x, view->velocity.y, view->velocity.z};
    for (uint32_t i = 0; i < view->count; i++) {
        for (uint32_t c = 0; c < 6; c++) columns[c][i] = 3 * reference_noise(seed + c, i);
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

static void add_forces(mote_system *system, callback_use content) {
    mote_force_def forces[8] = {mote_gravity((vec3){0, -9.81f, 0}), mote_wind((vec3){2, 0, -1}, 0.3f),
                                mote_attractor((vec3){0.5f, 1, 0}, 4, 0.2f),
                                mote_anchor_spring((vec3){0, 2, 0}, 5.5f, 0.1f)};
    uint32_t count = 4;
    if (content >= OWN_CALLBACK) forces[count++] = mote_callback(scene_push, NULL);
    if (content >= OWN_CALLBACK) forces[count++] = mote_callback(scene_push, NULL);
    if (content >= OWN_CALLBACK) forces[count - 1].as.callback.unit = MOTE_METRES_PER_SECOND_SQUARED;
    if (content == RANGE_CALLBACK) forces[count++] = mote_callback(scene_chase, NULL);
    if (content == RANGE_CALLBACK) forces[count - 1].as.callback.reach = MOTE_REACH_RANGE;
    for (uint32_t i = 0; i < count; i++) {
        mote_force_id id;
        assert_int_equal(mote_system_add_force(system, &forces[i], &id), MOTE_OK);
    }
}

/* What the host does before the frames of a round. */
static void host_calls(mote_system *system, uint32_t round) {
    mote_range_view view;
    if (round > 0) {
        assert_int_equal(mote_system_spawn(system, BORN, &view), MOTE_OK);
        fill(&view, 1000 * round);
        uint32_t count = mote_system_count(system), slots[100];
        for (uint32_t i = 0; i < 100; i++) slots[i] = reference_hash(round, i) % count;
        assert_int_equal(mote_system_kill_slots(system, 100, slots), MOTE_OK);
        assert_int_equal(mote_system_impulse(system, 9, (vec3){1, 2, 3}), MOTE_OK);
        assert_int_equal(mote_system_teleport(system, 40, 20), MOTE_OK);
    }
    if (round % 2 == 0) return;
    mote_vector_columns inbox;
    assert_int_equal(mote_system_inbox(system, &inbox), MOTE_OK);
    for (uint32_t i = 0; i < mote_system_count(system); i++) inbox.y[i] += 40 * reference_noise(round, i);
}

/* --- Variants ---------------------------------------------------------------------------------------------------- */

typedef enum frames { ONE_FRAME, SINGLE_STEPS, ADVANCES, HOSTILE_FRAMES, GROUPINGS } frames;

typedef struct variant {
    mote_jobs jobs;
    mote_isa isa;
    mote_loop_order loop_order;
    frames grouping;
} variant;

/* Frames of zero, tiny, fractional and long duration whose sum is the round. */
static void hostile_frames(mote_system *system) {
    static const uint32_t pieces[] = {0, 1, 7, 40, 333, 1000, 1550, 2999, 3700};
    uint64_t left = ROUND_STEPS * STEP_NANOSECONDS;
    for (uint32_t i = 0; left > 0; i++) {
        uint64_t frame = pieces[reference_hash(3, i) % COUNT_OF(pieces)] * STEP_NANOSECONDS / 1000 + (i % 2);
        if (frame > left) frame = left;
        assert_int_equal(mote_system_advance(system, frame, NULL), MOTE_OK);
        left -= frame;
    }
}

static void run_round(mote_system *system, frames grouping, bool lifetimes) {
    mote_advance advance;
    switch (grouping) {
    case ONE_FRAME:
        assert_int_equal(mote_system_step(system, ROUND_STEPS, &advance), MOTE_OK);
        assert_true(advance.steps == ROUND_STEPS && (advance.expired > 0) == lifetimes);
        assert_true(advance.non_finite > 0 || mote_system_steps(system) > ROUND_STEPS);
        break;
    case SINGLE_STEPS:
        for (int i = 0; i < ROUND_STEPS; i++) assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
        break;
    case ADVANCES: assert_int_equal(mote_system_advance(system, ROUND_STEPS * STEP_NANOSECONDS, NULL), MOTE_OK); break;
    default: hostile_frames(system);
    }
}

static uint64_t run(const scenario *s, const variant *v) {
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
    def.uniform_mass = 0.8f;
    def.lifetimes = has_lifetimes(s->content);
    def.inbox = true;
    def.extra_count = 1;
    def.extra_bytes[0] = 4;
    def.loop_order = v->loop_order;
    def.isa = v->isa;
    def.jobs = v->jobs;
    mote_system *system;
    mote_range_view view;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_spawn(system, PARTICLES, &view), MOTE_OK);
    fill(&view, 5);
    add_forces(system, s->content);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        host_calls(system, round);
        run_round(system, v->grouping, has_lifetimes(s->content));
    }
    assert_int_equal(mote_system_steps(system), ROUNDS * ROUND_STEPS);
    assert_in_range(mote_system_count(system), PARTICLES / 2, PARTICLES + ROUNDS * BORN - 1);
    uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

static void expect(const scenario *s, variant v, uint64_t want, const char *what) {
    uint64_t hash = run(s, &v);
    if (hash != want)
        fail_msg("%s, %s mass, content %d: %s changed the bits: %016llx, not %016llx",
                 mote_integrator_describe(s->integrator)->name, s->mass_column ? "column" : "uniform", (int)s->content,
                 what, (unsigned long long)hash, (unsigned long long)want);
}

static void all_variants(const scenario *s) {
    static const uint32_t workers[] = {1, 2, 3, 8};
    static const char *const grouping_names[GROUPINGS] = {"one frame", "single steps", "advances", "hostile frames"};
    variant plain = {{0}, MOTE_ISA_SCALAR, MOTE_LOOP_AUTO, ONE_FRAME}, v = plain;
    uint64_t want = run(s, &plain);
    for (int isa = MOTE_ISA_AUTO; isa < MOTE_ISA_COUNT; isa++) {
        v = (variant){plain.jobs, (mote_isa)isa, MOTE_LOOP_STAGE_OUTER, ONE_FRAME};
        if (mote_isa_available(v.isa)) expect(s, v, want, mote_isa_name(v.isa));
    }
    for (int grouping = 0; grouping < GROUPINGS; grouping++)
        for (int order = 0; order < MOTE_LOOP_ORDER_COUNT; order++) {
            v = (variant){plain.jobs, MOTE_ISA_AUTO, (mote_loop_order)order, (frames)grouping};
            expect(s, v, want, grouping_names[grouping]);
        }
    for (size_t i = 0; i < COUNT_OF(workers); i++) {
        shuffled_jobs shuffled = {.random = {i}, .workers = workers[i]};
        uint32_t threads = workers[i];
        mote_jobs jobs[3] = {mote_jobs_openmp(workers[i]), shuffled_jobs_hook(&shuffled), pthread_jobs_hook(&threads)};
        static const char *const names[3] = {"OpenMP", "shuffled jobs", "POSIX threads"};
        /* OpenMP threads that outnumber the processors spin: once per integrator and mass will do. */
        for (int j = s->content != LIVING && workers[i] > 2 ? 1 : 0; j < 3; j++) {
            frames g = (frames)((i + (size_t)j) % GROUPINGS);
            v = (variant){jobs[j], MOTE_ISA_AUTO, (mote_loop_order)((i + (size_t)j) % 2), g};
            expect(s, v, want, names[j]);
        }
        if (workers[i] > 1) assert_true(shuffled.runs > 0);
    }
}

static void same_bits(void **parameter) {
    uintptr_t packed = (uintptr_t)*parameter;
    scenario s = {(mote_integrator)(packed / 2), packed % 2 == 1, LOOSE, MOTE_INTERPOLATE_NONE};
    for (int content = 0; content < CONTENTS; content++) {
        s.content = (callback_use)content;
        s.interpolation = (mote_interpolation)((packed + (uintptr_t)content) % MOTE_INTERPOLATION_COUNT);
        all_variants(&s);
    }
}

/* The hash sees every scenario's difference, or it would prove nothing. */
static void scenarios_differ(void **unused) {
    (void)unused;
    uint64_t hashes[MOTE_INTEGRATOR_COUNT * 2 * CONTENTS];
    size_t count = 0;
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (int mass = 0; mass < 2; mass++)
            for (int content = 0; content < CONTENTS; content++) {
                scenario s = {(mote_integrator)m, mass == 1, (callback_use)content, MOTE_INTERPOLATE_NONE};
                variant plain = {{0}, MOTE_ISA_AUTO, MOTE_LOOP_AUTO, ONE_FRAME};
                hashes[count] = run(&s, &plain);
                for (size_t i = 0; i < count; i++) assert_true(hashes[i] != hashes[count]);
                count++;
            }
}

/* One bit of one particle's state, a pending inbox or an unspent nanosecond shows in the hash. */
static void hash_sees_all(void **unused) {
    (void)unused;
    mote_system_def def = mote_default_system_def();
    def.inbox = def.lifetimes = def.mass_column = true;
    mote_system *system;
    mote_range_view view;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_spawn(system, 37, &view), MOTE_OK);
    float *columns[] = {view.position.x, view.position.y, view.position.z,   view.velocity.x,
                        view.velocity.y, view.velocity.z, view.inverse_mass, view.lifetime};
    uint64_t hash = mote_system_hash(system);
    for (size_t c = 0; c < COUNT_OF(columns); c++)
        for (uint32_t i = 0; i < 37; i++) {
            uint32_t bits;
            memcpy(&bits, &columns[c][i], 4);
            bits ^= 1;
            memcpy(&columns[c][i], &bits, 4);
            assert_true(mote_system_hash(system) != hash);
            bits ^= 1;
            memcpy(&columns[c][i], &bits, 4);
            assert_true(mote_system_hash(system) == hash);
        }
    assert_int_equal(mote_system_advance(system, 1, NULL), MOTE_OK);
    assert_true(mote_system_hash(system) != hash);
    hash = mote_system_hash(system);
    mote_vector_columns inbox;
    assert_int_equal(mote_system_inbox(system, &inbox), MOTE_OK);
    inbox.z[36] = 1;
    assert_true(mote_system_hash(system) != hash);
    mote_system_destroy(system);
}

/* mote_columns_step over blocks on any jobs: the same bits, the caller's arrays with any tail. */
static void columns_on_workers(void **unused) {
    (void)unused;
    enum { COUNT = 10007 };
    static float start[7][COUNT], state[2][7][COUNT];
    for (uint32_t c = 0; c < 7; c++)
        for (uint32_t i = 0; i < COUNT; i++) start[c][i] = c == 6 ? 1 : 2 * reference_noise(c, i);
    mote_force_def forces[3] = {mote_gravity((vec3){0, -9.81f, 0}), mote_attractor((vec3){0, 1, 0}, 3, 0.1f),
                                mote_callback(scene_chase, NULL)};
    forces[2].as.callback.reach = MOTE_REACH_RANGE;
    uint32_t threads = 3;
    shuffled_jobs shuffled = {.random = {4}, .workers = 5};
    mote_jobs jobs[4] = {{0}, mote_jobs_openmp(2), shuffled_jobs_hook(&shuffled), pthread_jobs_hook(&threads)};
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (uint32_t force_count = 2; force_count <= 3; force_count++)
            for (int j = 0; j < 4; j++) {
                float(*s)[COUNT] = state[j > 0];
                memcpy(s, start, sizeof start);
                mote_columns columns = {COUNT, {s[0], s[1], s[2]}, {s[3], s[4], s[5]}, s[6], 1};
                mote_columns_def def = mote_default_columns_def();
                def.integrator = (mote_integrator)m, def.forces = forces, def.force_count = force_count;
                def.steps = def.substeps = 3, def.jobs = jobs[j];
                assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
                assert_memory_equal(s, state[0], sizeof start);
            }
}

int main(void) {
    enum { SCENARIOS = 2 * MOTE_INTEGRATOR_COUNT };
    struct CMUnitTest tests[SCENARIOS + 3] = {cmocka_unit_test(scenarios_differ), cmocka_unit_test(hash_sees_all),
                                              cmocka_unit_test(columns_on_workers)};
    static char names[SCENARIOS][64];
    for (uintptr_t i = 0; i < SCENARIOS; i++) {
        snprintf(names[i], sizeof names[i], "same bits, %s, %s mass",
                 mote_integrator_describe((mote_integrator)(i / 2))->name, i % 2 ? "column" : "uniform");
        tests[3 + i] = (struct CMUnitTest){.name = names[i], .test_func = same_bits, .initial_state = (void *)i};
    }
    return cmocka_run_group_tests_name("determinism", tests, NULL, NULL);
}
