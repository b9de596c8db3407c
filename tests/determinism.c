/* The same input gives the same bits: one hash for every number of workers, job system, instruction set, loop
 * order and grouping of steps into frames. A scenario is a script of calls at fixed steps; a variant is a way
 * of running it. */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "force_sets.h"
#include "support.h"

/* Enough particles for several blocks of any sensible size; 50 steps a second are whole nanoseconds. */
enum { PARTICLES = 1400, ROUNDS = 2, ROUND_STEPS = 8, BORN = 150, STEPS_PER_SECOND = 50 };
static const uint64_t STEP_NANOSECONDS = 1000000000 / STEPS_PER_SECOND;

/* --- Scenarios --- */

/* Lifetimes end the run of steps that a block makes at a stretch, so half of the contents have none. */
typedef enum callback_use { LOOSE, LIVING, FIELDS, OWN_CALLBACK, RANGE_CALLBACK, CONTENTS } callback_use;

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
static uint32_t make_velocities(callback_use content, mote_force_def *forces) {
    mote_force_def stream = mote_linear_field((vec3){0, 1e38f, 0}, (mat3){{0}}, MOTE_FIELD_VELOCITY, 0);
    uint32_t n = add_fields(forces, 0, MOTE_FIELD_VELOCITY);
    if (content == FIELDS) limit_forces(forces, n - 2);
    forces[n++] = mote_in_box(stream, (vec3){0, 3.3e38f, 0}, (vec3){100, 1e38f, 100}, 0);
    if (content >= OWN_CALLBACK) forces[n++] = callback_in(scene_push, MOTE_METRES_PER_SECOND);
    if (content == RANGE_CALLBACK) forces[n++] = callback_in(scene_chase, MOTE_METRES_PER_SECOND);
    return n;
}

enum { MAX_FORCES = 32 };

static uint32_t make_forces(mote_integrator integrator, callback_use content, mote_force_def *forces) {
    if (advects(integrator)) return make_velocities(content, forces);
    uint32_t n = 0;
    if (content == FIELDS) {
        n = add_drags(forces, add_timed_thrusts(forces, add_fields(forces, n, MOTE_FIELD_WIND), 0.5f));
        n = add_particle_anchors(forces, add_springs(forces, n));
        limit_forces(forces, n - 2);
        n = add_fields(forces, n, MOTE_FIELD_ACCELERATION);
    }
    forces[n++] = mote_gravity((vec3){0, -9.81f, 0});
    forces[n++] = mote_wind((vec3){2, 0, -1}, 0.3f);
    forces[n++] = mote_attractor((vec3){0.5f, 1, 0}, 4, 0.2f);
    forces[n++] = mote_anchor_spring((vec3){0, 2, 0}, 5.5f, 0.1f);
    if (content >= OWN_CALLBACK) forces[n++] = callback_in(scene_push, MOTE_NEWTONS);
    if (content >= OWN_CALLBACK) forces[n++] = callback_in(scene_push, MOTE_METRES_PER_SECOND_SQUARED);
    if (content == RANGE_CALLBACK && integrator != MOTE_POSITION_VERLET)
        forces[n++] = callback_in(scene_chase, MOTE_NEWTONS);
    return n;
}

static void add_forces(mote_system *system, mote_integrator integrator, callback_use content) {
    mote_force_def forces[MAX_FORCES];
    uint32_t count = make_forces(integrator, content, forces);
    for (uint32_t i = 0; i < count; i++) {
        mote_force_id id;
        assert_int_equal(mote_system_add_force(system, &forces[i], &id), MOTE_OK);
    }
}

/* What the host does before the frames of a round. */
static void host_calls(mote_system *system, uint32_t round, bool has_inbox) {
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
    if (round % 2 == 0 || !has_inbox) return;
    mote_vector_columns external_forces;
    assert_int_equal(mote_system_external_forces(system, &external_forces), MOTE_OK);
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
        assert_int_equal(mote_system_step(system, ROUND_STEPS, &advance), MOTE_OK);
        ASSERT(advance.steps, ==, ROUND_STEPS);
        ASSERT((advance.expired > 0), ==, lifetimes);
        assert_true(advance.non_finite > 0 || mote_system_steps(system) > ROUND_STEPS);
        break;
    case SINGLE_STEPS:
        for (int i = 0; i < ROUND_STEPS; i++) assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
        break;
    case ADVANCES:
        assert_int_equal(mote_system_advance(system, ROUND_STEPS * STEP_NANOSECONDS, NULL), MOTE_OK);
        break;
    default:
        assert_int_equal(scene_hostile_frames(system, STEP_NANOSECONDS, ROUND_STEPS), MOTE_OK);
    }
}

/* What must not depend on the variant. */
typedef struct outcome {
    uint64_t hash;
    mote_statistics diagnostics;
} outcome;

static outcome outcome_of(const mote_system *system) {
    outcome o;
    memset(&o, 0, sizeof o);
    o.hash = mote_system_hash(system);
    assert_int_equal(mote_system_statistics(system, &o.diagnostics), MOTE_OK);
    return o;
}

/* Every double of the diagnostics, bit for bit. */
static bool same_outcome(const outcome *a, const outcome *b) {
    size_t bytes = offsetof(mote_statistics, forces_without_potential);
    return a->hash == b->hash && memcmp(&a->diagnostics, &b->diagnostics, bytes) == 0;
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
    def.uniform_mass = 0.8f;
    def.lifetimes = has_lifetimes(s->content);
    def.external_forces = !advects(s->integrator); /* it holds forces */
    def.anchor_column = true;
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
    add_forces(system, s->integrator, s->content);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        host_calls(system, round, def.external_forces);
        run_round(system, v->grouping, has_lifetimes(s->content));
    }
    assert_int_equal(mote_system_steps(system), ROUNDS * ROUND_STEPS);
    assert_in_range(mote_system_count(system), PARTICLES / 2, PARTICLES + ROUNDS * BORN - 1);
    outcome o = outcome_of(system);
    mote_system_destroy(system);
    return o;
}

static void expect(const scenario *s, variant v, const outcome *want, const char *what) {
    outcome got = run(s, &v);
    if (!same_outcome(&got, want))
        fail_msg("%s, %s mass, content %d: %s changed the bits: %016llx, not %016llx",
                 mote_integrator_describe(s->integrator)->name, s->mass_column ? "column" : "uniform",
                 (int)s->content, what, (unsigned long long)got.hash, (unsigned long long)want->hash);
}

static void all_variants(const scenario *s) {
    static const uint32_t workers[] = {1, 2, 3, 8};
    static const char *const grouping_names[GROUPINGS] = {"one frame", "single steps", "advances",
                                                          "hostile frames"};
    variant plain = {{0}, MOTE_ISA_SCALAR, MOTE_LOOP_AUTO, ONE_FRAME}, v = plain;
    outcome want = run(s, &plain);
    for (int isa = MOTE_ISA_AUTO; isa < MOTE_ISA_COUNT; isa++) {
        v = (variant){plain.jobs, (mote_isa)isa, MOTE_LOOP_STAGE_OUTER, ONE_FRAME};
        if (mote_isa_available(v.isa)) expect(s, v, &want, mote_isa_name(v.isa));
    }
    for (int grouping = 0; grouping < GROUPINGS; grouping++)
        for (int order = 0; order < MOTE_LOOP_ORDER_COUNT; order++) {
            v = (variant){plain.jobs, MOTE_ISA_AUTO, (mote_loop_order)order, (frames)grouping};
            expect(s, v, &want, grouping_names[grouping]);
        }
    for (size_t i = 0; i < COUNT_OF(workers); i++) {
        shuffled_jobs shuffled = {.random = {i}, .workers = workers[i]};
        uint32_t threads = workers[i];
        mote_jobs jobs[3] = {mote_jobs_openmp(workers[i]), shuffled_jobs_hook(&shuffled),
                             pthread_jobs_hook(&threads)};
        static const char *const names[3] = {"OpenMP", "shuffled jobs", "POSIX threads"};
        /* OpenMP threads that outnumber the processors spin: once per integrator and mass will do. */
        for (int j = s->content != LIVING && workers[i] > 2 ? 1 : 0; j < 3; j++) {
            frames g = (frames)((i + (size_t)j) % GROUPINGS);
            v = (variant){jobs[j], MOTE_ISA_AUTO, (mote_loop_order)((i + (size_t)j) % 2), g};
            expect(s, v, &want, names[j]);
        }
        if (workers[i] > 1) ASSERT(shuffled.runs, >, 0);
    }
}

static const char *scenario_name(uint32_t number) {
    static char name[64];
    snprintf(name, sizeof name, "%s, %s mass", integrator_name(number / 2),
             number % 2 ? "column" : "uniform");
    return name;
}

TEST_EACH(same_bits, 2 * MOTE_INTEGRATOR_COUNT, scenario_name, number) {
    uintptr_t packed = number;
    scenario s = {(mote_integrator)(packed / 2), packed % 2 == 1, LOOSE, MOTE_INTERPOLATE_NONE};
    for (int content = 0; content < CONTENTS; content++) {
        s.content = (callback_use)content;
        s.interpolation = (mote_interpolation)((packed + (uintptr_t)content) % MOTE_INTERPOLATION_COUNT);
        all_variants(&s);
    }
}

/* The hash sees every scenario's difference, or it would prove nothing. */
TEST(scenarios_differ) {
    uint64_t hashes[MOTE_INTEGRATOR_COUNT * 2 * CONTENTS];
    size_t count = 0;
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (int mass = 0; mass < 2; mass++)
            for (int content = 0; content < CONTENTS; content++) {
                scenario s = {(mote_integrator)m, mass == 1, (callback_use)content, MOTE_INTERPOLATE_NONE};
                variant plain = {{0}, MOTE_ISA_AUTO, MOTE_LOOP_AUTO, ONE_FRAME};
                hashes[count] = run(&s, &plain).hash;
                for (size_t i = 0; i < count; i++) ASSERT(hashes[i], !=, hashes[count]);
                count++;
            }
}

/* One bit of one particle's state, a pending inbox or an unspent nanosecond shows in the hash. */
TEST(hash_sees_all) {
    mote_system_def def = mote_default_system_def();
    def.external_forces = def.lifetimes = def.mass_column = true;
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
            ASSERT(mote_system_hash(system), !=, hash);
            bits ^= 1;
            memcpy(&columns[c][i], &bits, 4);
            ASSERT(mote_system_hash(system), ==, hash);
        }
    assert_int_equal(mote_system_advance(system, 1, NULL), MOTE_OK);
    ASSERT(mote_system_hash(system), !=, hash);
    hash = mote_system_hash(system);
    mote_vector_columns external_forces;
    assert_int_equal(mote_system_external_forces(system, &external_forces), MOTE_OK);
    external_forces.z[36] = 1;
    ASSERT(mote_system_hash(system), !=, hash);
    mote_system_destroy(system);
}

/* mote_columns_step over blocks on any jobs: the same bits, the caller's arrays with any tail. */
TEST(columns_on_workers) {
    enum { COUNT = 10007, ARRAYS = 10 };
    static float start[ARRAYS][COUNT], state[2][ARRAYS][COUNT];
    for (uint32_t c = 0; c < ARRAYS; c++)
        for (uint32_t i = 0; i < COUNT; i++) start[c][i] = c == 6 ? 1 : 2 * reference_noise(c, i);
    uint32_t threads = 3;
    shuffled_jobs shuffled = {.random = {4}, .workers = 5};
    mote_jobs jobs[4] = {
        {0}, mote_jobs_openmp(2), shuffled_jobs_hook(&shuffled), pthread_jobs_hook(&threads)};
    for (int m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (int content = FIELDS; content < CONTENTS; content++)
            for (int j = 0; j < 4; j++) {
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
                def.force_count = make_forces((mote_integrator)m, (callback_use)content, forces);
                def.steps = def.substeps = 2, def.jobs = jobs[j];
                assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
                assert_memory_equal(s, state[0], sizeof start);
            }
}

/* Sums over more chunks than there are segments, with true velocities of position Verlet, against sums in
 * order. */
TEST(diagnoses_on_workers) {
    enum { COUNT = 70001 };
    mote_statistics first = {0};
    uint32_t threads = 3;
    shuffled_jobs shuffled = {.random = {4}, .workers = 7};
    mote_jobs jobs[5] = {{0},
                         mote_jobs_openmp(2),
                         mote_jobs_openmp(8),
                         shuffled_jobs_hook(&shuffled),
                         pthread_jobs_hook(&threads)};
    for (int j = 0; j < 5; j++) {
        mote_system_def def = mote_default_system_def();
        def.capacity = COUNT, def.mass_column = def.anchor_column = true, def.extra_count = 1,
        def.extra_bytes[0] = 4;
        def.integrator = MOTE_POSITION_VERLET, def.jobs = jobs[j];
        def.isa = j ? MOTE_ISA_AUTO : MOTE_ISA_SCALAR;
        mote_system *system;
        mote_range_view view;
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        assert_int_equal(mote_system_spawn(system, COUNT, &view), MOTE_OK);
        fill(&view, 5);
        for (uint32_t i = 77; i < COUNT; i += 200) view.position.y[i] = view.velocity.y[i] = 1;
        add_forces(system, def.integrator, FIELDS);
        /* Before the first step the velocities are those that were given. */
        mote_statistics d;
        assert_int_equal(mote_system_statistics(system, &d), MOTE_OK);
        long double mass = 0, kinetic = 0, momentum = 0, spin = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            if (view.inverse_mass[i] == 0) continue;
            long double m = 1 / (long double)view.inverse_mass[i], x = view.position.x[i],
                        y = view.position.y[i];
            long double u = view.velocity.x[i], v = view.velocity.y[i], w = view.velocity.z[i];
            mass += m, kinetic += m * (u * u + v * v + w * w) / 2, momentum += m * u,
                spin += m * (x * v - y * u);
        }
        /* Ten roundings of 2^-53 in a term and 28 levels of sums: below 40 x 2^-53 of the sum of the terms'
         * sizes, which for momentum and spin is at most that of mass x 3 and mass x 18. */
        ASSERT(fabsl(d.mass - mass), <, 0x1p-47L * mass);
        ASSERT(fabsl(d.kinetic - kinetic), <, 0x1p-47L * kinetic);
        ASSERT(fabsl(d.momentum[0] - momentum), <, 0x1p-47L * 3 * mass);
        ASSERT(fabsl(d.angular_momentum[2] - spin), <, 0x1p-47L * 18 * mass);
        assert_int_equal(mote_system_step(system, 3, NULL), MOTE_OK);
        outcome o = outcome_of(system);
        if (j == 0) first = o.diagnostics;
        assert_memory_equal(&o.diagnostics, &first, offsetof(mote_statistics, forces_without_potential));
        ASSERT(first.kinetic, !=, d.kinetic);
        ASSERT(first.potential, !=, 0);
        mote_system_destroy(system);
    }
}

TEST_PROGRAM(make_test_grids, destroy_test_grids);
