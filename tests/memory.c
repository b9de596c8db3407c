/* Memory: every allocation may fail, nothing leaks, a warm step allocates nothing, columns are aligned and
 * padded. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

static mote_system_def full_def(memory_ledger *ledger) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 100;
    def.steps_per_second = (mote_rate){64, 1};
    def.max_steps_per_advance = 64;
    def.mass_column = true;
    def.lifetimes = true;
    def.external_forces = true;
    def.extra_count = 3;
    def.extra_bytes[0] = 1;
    def.extra_bytes[1] = 7;
    def.extra_bytes[2] = 256;
    def.allocator = ledger_allocator(ledger);
    return def;
}

static void check_ledger_is_even(const memory_ledger *ledger) {
    assert_int_equal(ledger->faults, 0);
    assert_int_equal(ledger->live_bytes, 0);
    assert_null(ledger->blocks);
    assert_int_equal(ledger->calls - ledger->failures, ledger->releases);
}

/* --- Failing allocations --- */

/* The life of a system as a list of calls, each of which may run out of memory and is then made again. */
typedef enum life_call { LIFE_FORCES, LIFE_SPAWN, LIFE_STEP, LIFE_RESERVE, LIFE_KILL, LIFE_CALLS } life_call;

static mote_result spawn_and_fill(mote_system *system) {
    mote_range_view view;
    random_source random = {mote_system_count(system)};
    const mote_result result = mote_system_spawn(system, 60, &view);
    if (result == MOTE_OK) scene_fill(&view, &random);
    return result;
}

static mote_result do_call(mote_system *system, life_call call, uint32_t round, const mote_force_def *force) {
    static const uint32_t victims[] = {3, 5, 3};
    mote_force_id id;
    // clang-format off
    switch (call) {
    case LIFE_FORCES: return mote_system_add_force(system, force, &id);
    case LIFE_SPAWN: return spawn_and_fill(system);
    case LIFE_STEP: return mote_system_step(system, 3, NULL);
    case LIFE_RESERVE: return mote_system_reserve(system, 5000 + 3000 * round);
    default: return mote_system_kill_slots(system, 3, victims);
    }
    // clang-format on
}

/* A call that fails changes nothing. */
static void do_call_until_it_succeeds(mote_system *system, life_call call, uint32_t round,
                                      const mote_force_def *force) {
    const uint64_t hash = mote_system_hash(system);
    const mote_result result = do_call(system, call, round, force);
    if (result == MOTE_OK) return;
    assert_int_equal(result, MOTE_ERROR_MEMORY);
    ASSERT(mote_system_hash(system), ==, hash);
    OK(do_call(system, call, round, force));
}

/* A force that needs memory takes the place of one that needs none. */
static void set_force_to_callback(mote_system *system, const mote_force_def *reach) {
    const mote_force_def gravity = mote_gravity((float[3]){0.0f, 1.0f, 0.0f});
    mote_force_id id;
    if (mote_system_add_force(system, &gravity, &id) != MOTE_OK) id = add_force(system, gravity);
    const uint64_t hash = mote_system_hash(system);
    if (mote_system_set_force(system, id, reach) == MOTE_OK) return;
    ASSERT(mote_system_hash(system), ==, hash);
    OK(mote_system_set_force(system, id, reach));
}

static void live_round(mote_system *system, uint32_t round) {
    mote_force_def forces[] = {mote_gravity((float[3]){0.0f, -9.0f, 0.0f}),
                               mote_wind((float[3]){1.0f, 0.0f, 0.0f}, 0.5f),
                               mote_attractor((float[3]){0.0f, 0.0f, 0.0f}, 1.0f, 1.0f),
                               mote_callback(scene_spread, NULL), mote_callback(scene_chase, NULL)};
    forces[4].as.callback.reach = MOTE_REACH_RANGE;
    for (size_t i = 0; i < COUNT_OF(forces) && round == 0; i++)
        do_call_until_it_succeeds(system, LIFE_FORCES, round, &forces[i]);
    if (round > 0) set_force_to_callback(system, &forces[4]);
    for (life_call call = LIFE_SPAWN; call < LIFE_CALLS; call++)
        do_call_until_it_succeeds(system, call, round, NULL);
}

/* A life in which allocation `fail_at` fails; returns whether there was one. *state_hash: of the positions
 * and velocities at the end. */
static bool live(uint64_t fail_at, uint64_t *state_hash) {
    memory_ledger ledger = {.fail_at = fail_at};
    mote_system_def def = full_def(&ledger);
    mote_system *system = (mote_system *)&ledger;
    const mote_result result = mote_system_create(&def, &system);
    if (result != MOTE_OK) {
        assert_int_equal(result, MOTE_ERROR_MEMORY);
        assert_null(system);
        check_ledger_is_even(&ledger);
        system = system_of(&def);
    }
    for (uint32_t round = 0; round < 3; round++) live_round(system, round);
    const mote_range_view view = mote_system_view(system);
    *state_hash = view.count;
    for (uint32_t i = 0; i < view.count; i++) {
        uint32_t bits[2];
        memcpy(&bits[0], &view.position.x[i], sizeof(float));
        memcpy(&bits[1], &view.velocity.y[i], sizeof(float));
        *state_hash = (*state_hash * 31 + bits[0]) * 31 + bits[1];
    }
    mote_system_destroy(system);
    check_ledger_is_even(&ledger);
    return ledger.failures > 0;
}

TEST(every_allocation_may_fail_and_the_call_can_be_made_again) {
    uint64_t healthy, other, fail_at = 1;
    assert_false(live(0, &healthy));
    while (live(fail_at, &other)) {
        ASSERT(other, ==, healthy);
        fail_at++;
    }
    ASSERT(fail_at, >, 3); /* create and each reserve allocate something */
}

TEST(columns_step_fails_cleanly_without_memory) {
    enum { COUNT = 500 };
    static float data[6 * COUNT], copy[6 * COUNT];
    mote_columns columns = {.count = COUNT,
                            .position = {data, data + COUNT, data + 2 * COUNT},
                            .velocity = {data + 3 * COUNT, data + 4 * COUNT, data + 5 * COUNT},
                            .mass = 1.0f};
    mote_force_def force = mote_callback(scene_chase, NULL);
    force.as.callback.reach = MOTE_REACH_RANGE;
    uint64_t fail_at = 0, failures;
    do {
        memory_ledger ledger = {.fail_at = ++fail_at};
        mote_columns_def def = mote_default_columns_def();
        def.forces = &force;
        def.force_count = 1;
        def.allocator = ledger_allocator(&ledger);
        for (int i = 0; i < 6 * COUNT; i++) copy[i] = data[i] = (float)i;
        mote_result result = mote_columns_step(&columns, &def, NULL);
        assert_int_equal(result, ledger.failures > 0 ? MOTE_ERROR_MEMORY : MOTE_OK);
        if (result != MOTE_OK) assert_memory_equal(data, copy, sizeof data);
        check_ledger_is_even(&ledger);
        failures = ledger.failures;
    } while (failures > 0);
}

/* An allocator of a machine that has no memory for anything large. */
static void *allocate_little(void *user, size_t bytes, size_t alignment) {
    memory_ledger *ledger = user;
    return bytes > 65536 ? NULL : ledger_allocator(ledger).allocate(ledger, bytes, alignment);
}

TEST(a_system_too_large_for_the_allocator_is_not_made) {
    memory_ledger ledger = {0};
    mote_system_def def = full_def(&ledger);
    def.allocator.allocate = allocate_little;
    def.capacity = MOTE_MAX_PARTICLES;
    mote_system *system = (mote_system *)&ledger;
    assert_int_equal(mote_system_create(&def, &system), MOTE_ERROR_MEMORY);
    assert_null(system);
    check_ledger_is_even(&ledger);
    def.capacity = 10;
    OK(mote_system_create(&def, &system));
    REFUSED(system, MOTE_ERROR_MEMORY, mote_system_reserve(system, MOTE_MAX_PARTICLES));
    mote_system_destroy(system);
    check_ledger_is_even(&ledger);
}

/* --- Steps --- */

/* A frame with births, deaths, impulses, external forces and presentation: everything that a game does in its
 * loop. */
static void play_frame(mote_system *system, float *vertices, size_t bytes) {
    const mote_present_layout layout = layout_at(12, 0, MOTE_OMIT);
    mote_vector_columns external_forces;
    uint32_t victims[10];
    mote_range_view view = spawned_at_random(system, 100, 77);
    for (uint32_t i = 0; i < 40; i++) view.lifetime[i] = 0.01f * (float)i;
    view.position.x[50] = INFINITY;
    for (uint32_t i = 0; i < 10; i++) victims[i] = i * 3;
    OK(mote_system_kill_slots(system, 10, victims));
    OK(mote_system_kill(system, 1, &view.id[60]));
    if (mote_system_external_forces(system, &external_forces) == MOTE_OK)
        external_forces.x[1] = 5.0f; /* advection takes no forces */
    OK(mote_system_impulse(system, 2, (float[3]){1.0f, 2.0f, 3.0f}));
    OK(mote_system_teleport(system, 0, 5));
    advanced(system, 50000000);
    OK(mote_system_present(system, &layout, vertices, bytes));
}

static void check_warm_frames(mote_integrator integrator, bool reach, mote_jobs jobs) {
    enum { CAPACITY = 6000 };
    memory_ledger ledger = {0};
    mote_system_def def = full_def(&ledger);
    def.capacity = CAPACITY;
    def.integrator = integrator;
    def.interpolation = MOTE_INTERPOLATE_HERMITE;
    def.jobs = jobs;
    static float vertices[CAPACITY * 3];
    mote_system *system = system_of(&def);
    OK(scene_add_forces(system, reach));
    spawned_at_random(system, 3000, 5);
    play_frame(system, vertices, sizeof vertices);
    const uint64_t calls = ledger.calls, releases = ledger.releases;
    for (int frame = 0; frame < 20; frame++) play_frame(system, vertices, sizeof vertices);
    assert_int_equal(ledger.calls, calls);
    assert_int_equal(ledger.releases, releases);
    mote_system_destroy(system);
    check_ledger_is_even(&ledger);
}

TEST(a_warm_frame_allocates_nothing) {
    job_kinds kinds;
    make_job_kinds(&kinds, 3);
    for (uint32_t i = 0; i < MOTE_INTEGRATOR_COUNT * 2 * 3; i++) {
        test_case("%s, range %u, jobs %u", integrator_name(i / 6), i / 3 % 2, i % 3);
        check_warm_frames((mote_integrator)(i / 6), i / 3 % 2, kinds.jobs[i % 3]);
    }
}

/* --- Layout --- */

static void check_column(const memory_ledger *ledger, const void *column, size_t count, size_t element) {
    assert_non_null(column);
    assert_int_equal((uintptr_t)column % 64, 0);
    assert_true(ledger_holds(ledger, column, (count + 15) / 16 * 16 * element)); /* whole lane groups */
}

static void check_view(const memory_ledger *ledger, mote_system *system, uint32_t count) {
    const mote_range_view view = mote_system_view(system);
    const mote_vector_columns external_forces = external_forces_of(system);
    const float *columns[] = {view.position.x,   view.position.y,   view.position.z,   view.velocity.x,
                              view.velocity.y,   view.velocity.z,   view.inverse_mass, view.lifetime,
                              external_forces.x, external_forces.y, external_forces.z};
    for (size_t i = 0; i < COUNT_OF(columns); i++) check_column(ledger, columns[i], count, sizeof(float));
    check_column(ledger, view.birth_step, count, sizeof(uint32_t));
    check_column(ledger, view.id, count, sizeof(mote_particle_id));
    check_column(ledger, view.extra[0], count, 1);
    check_column(ledger, view.extra[1], count, 7);
    check_column(ledger, view.extra[2], count, 256);
    for (size_t i = 3; i < MOTE_MAX_EXTRA_COLUMNS; i++) assert_null(view.extra[i]);
}

TEST(columns_are_aligned_and_padded_at_any_capacity) {
    static const uint32_t capacities[] = {1, 15, 16, 17, 100, 1023, 4097};
    for (size_t i = 0; i < COUNT_OF(capacities); i++) {
        memory_ledger ledger = {0};
        mote_system_def def = full_def(&ledger);
        def.capacity = capacities[i];
        mote_system *system;
        mote_range_view view;
        OK(mote_system_create(&def, &system));
        OK(mote_system_spawn(system, capacities[i], &view));
        check_view(&ledger, system, capacities[i]);
        OK(mote_system_reserve(system, 2 * capacities[i] + 1));
        check_view(&ledger, system, capacities[i]);
        mote_system_destroy(system);
        check_ledger_is_even(&ledger);
    }
}

/* 64 N on 1 kg for 1/64 s make 1 m/s; two halves of a step make as much. */
TEST(external_forces_are_zero_after_a_step_and_act_in_one_step_alone) {
    memory_ledger ledger = {0};
    mote_system_def def = full_def(&ledger);
    def.substeps = 2;
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 20);
    for (int round = 0; round < 3; round++) {
        const mote_vector_columns external_forces = external_forces_of(system);
        for (int i = 0; i < 20; i++) {
            ASSERT(external_forces.x[i], ==, 0.0f);
            ASSERT(external_forces.y[i], ==, 0.0f);
            ASSERT(external_forces.z[i], ==, 0.0f);
        }
        external_forces.x[7] = external_forces.z[19] = 64.0f;
        ASSERT(external_forces_of(system).x[7], ==, 64.0f); /* a second call leaves the values alone */
        stepped(system, 3);
        view = mote_system_view(system);
        ASSERT(view.velocity.x[7], ==, (float)(round + 1));
        ASSERT(view.velocity.z[19], ==, (float)(round + 1));
        ASSERT(view.velocity.x[6], ==, 0.0f);
        ASSERT(view.velocity.y[7], ==, 0.0f);
    }
    mote_system_destroy(system);
    check_ledger_is_even(&ledger);
}

TEST(columns_that_were_not_asked_for_are_absent) {
    mote_system_def def = mote_default_system_def();
    def.particle_ids = false;
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 10);
    mote_vector_columns external_forces;
    assert_null(view.inverse_mass);
    assert_null(view.birth_step);
    assert_null(view.lifetime);
    assert_null(view.id);
    for (size_t i = 0; i < MOTE_MAX_EXTRA_COLUMNS; i++) assert_null(view.extra[i]);
    assert_int_equal(mote_system_external_forces(system, &external_forces), MOTE_ERROR_ABSENT);
    mote_system_destroy(system);
}

TEST(the_default_allocator_aligns_too) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 200000; /* large enough for huge pages */
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 200000);
    assert_int_equal((uintptr_t)view.position.x % 64, 0);
    assert_int_equal((uintptr_t)view.velocity.z % 64, 0);
    mote_system_destroy(system);
}

TEST(reserving_keeps_state_and_never_shrinks) {
    memory_ledger ledger = {0};
    mote_system_def def = full_def(&ledger);
    mote_system *system = system_of(&def);
    mote_range_view view = spawned_at_random(system, 90, 9);
    float before[90];
    memcpy(before, view.velocity.z, sizeof before);
    OK(mote_system_reserve(system, 2000));
    assert_memory_equal(mote_system_view(system).velocity.z, before, sizeof before);
    OK(mote_system_reserve(system, 5));
    OK(mote_system_reserve(system, 0));
    spawned(system, 1910);
    assert_int_equal(mote_system_spawn(system, 1, &view), MOTE_ERROR_CAPACITY);
    mote_system_destroy(system);
    check_ledger_is_even(&ledger);
}
