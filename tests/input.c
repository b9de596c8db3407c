/* Bad input: each wrong call returns the documented code and changes nothing. Wrong forces are in forces.c.
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

enum { COUNT = 50 };

/* 50 living particles in a system with every column, two and a half steps old. */
static mote_system *lively_system(void) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 64;
    def.steps_per_second = (mote_rate){64, 1};
    def.mass_column = def.lifetimes = def.external_forces = true;
    mote_system *system = system_of(&def);
    OK(scene_add_forces(system, false));
    spawned_at_random(system, COUNT, 1);
    advanced(system, 39062500);
    return system;
}

/* A system without any optional column. */
static mote_system *bare_system(void) {
    mote_system_def def = mote_default_system_def();
    def.particle_ids = false;
    mote_system *system = system_of(&def);
    spawned(system, COUNT);
    return system;
}

TEST(every_code_has_a_sentence_of_its_own) {
    for (int code = 0; code < MOTE_RESULT_COUNT; code++) {
        const char *text = mote_result_text((mote_result)code);
        assert_non_null(text);
        ASSERT(strlen(text), >, 10);
        ASSERT(text[strlen(text) - 1], ==, '.');
        for (int other = 0; other < code; other++)
            assert_string_not_equal(text, mote_result_text((mote_result)other));
    }
    static const int unknown[] = {-1, MOTE_RESULT_COUNT, 9999, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        assert_non_null(mote_result_text((mote_result)unknown[i]));
        ASSERT(strlen(mote_result_text((mote_result)unknown[i])), >, 10);
    }
}

/* --- Making a system --- */

static void expect_no_system(const mote_system_def *def, mote_result code) {
    mote_system *system = (mote_system *)(uintptr_t)1;
    assert_int_equal(mote_system_create(def, &system), code);
    assert_null(system);
}

#define BAD_DEF(code, field, value)                                                                          \
    do {                                                                                                     \
        mote_system_def bad_def = mote_default_system_def();                                                 \
        bad_def.field = value;                                                                               \
        expect_no_system(&bad_def, code);                                                                    \
    } while (0)

TEST(defs_with_numbers_out_of_range_make_no_system) {
    BAD_DEF(MOTE_ERROR_RANGE, capacity, MOTE_MAX_PARTICLES + 1);
    BAD_DEF(MOTE_ERROR_RANGE, steps_per_second.steps, 0);
    BAD_DEF(MOTE_ERROR_RANGE, steps_per_second.seconds, 0);
    BAD_DEF(MOTE_ERROR_RANGE, substeps, 0);
    BAD_DEF(MOTE_ERROR_RANGE, substeps, 4097);
    BAD_DEF(MOTE_ERROR_RANGE, max_steps_per_advance, 0);
    BAD_DEF(MOTE_ERROR_RANGE, uniform_mass, 0.0f);
    BAD_DEF(MOTE_ERROR_RANGE, uniform_mass, -1.0f);
    BAD_DEF(MOTE_ERROR_RANGE, extra_count, MOTE_MAX_EXTRA_COLUMNS + 1);
    BAD_DEF(MOTE_ERROR_RANGE, extra_count, 1); /* of 0 bytes */
    BAD_DEF(MOTE_ERROR_NOT_FINITE, start_time, (double)NAN);
    BAD_DEF(MOTE_ERROR_NOT_FINITE, start_time, (double)INFINITY);
    BAD_DEF(MOTE_ERROR_NOT_FINITE, uniform_mass, NAN);
    BAD_DEF(MOTE_ERROR_NOT_FINITE, uniform_mass, INFINITY);
    mote_system_def def = mote_default_system_def();
    def.extra_count = 2;
    def.extra_bytes[0] = 4;
    def.extra_bytes[1] = 257;
    expect_no_system(&def, MOTE_ERROR_RANGE);
}

TEST(defs_with_unknown_enumerators_make_no_system) {
    static const int unknown[] = {-1, 99, INT32_MAX};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        BAD_DEF(MOTE_ERROR_ENUM, integrator, (mote_integrator)unknown[i]);
        BAD_DEF(MOTE_ERROR_ENUM, late_policy, (mote_late_policy)unknown[i]);
        BAD_DEF(MOTE_ERROR_ENUM, interpolation, (mote_interpolation)unknown[i]);
        BAD_DEF(MOTE_ERROR_ENUM, loop_order, (mote_loop_order)unknown[i]);
        BAD_DEF(MOTE_ERROR_ENUM, isa, (mote_isa)unknown[i]);
    }
    BAD_DEF(MOTE_ERROR_ENUM, integrator, MOTE_INTEGRATOR_COUNT);
    BAD_DEF(MOTE_ERROR_ENUM, late_policy, MOTE_LATE_POLICY_COUNT);
    BAD_DEF(MOTE_ERROR_ENUM, interpolation, MOTE_INTERPOLATION_COUNT);
    BAD_DEF(MOTE_ERROR_ENUM, loop_order, MOTE_LOOP_ORDER_COUNT);
    BAD_DEF(MOTE_ERROR_ENUM, isa, MOTE_ISA_COUNT);
}

TEST(instruction_sets_of_other_machines_are_refused) {
    int refused = 0;
    for (int isa = MOTE_ISA_AUTO; isa < MOTE_ISA_COUNT; isa++) {
        if (mote_isa_available((mote_isa)isa)) continue;
        BAD_DEF(MOTE_ERROR_ISA, isa, (mote_isa)isa);
        refused++;
    }
    ASSERT(refused, >, 0); /* no machine has both NEON and SSE2 */
    assert_true(mote_isa_available(mote_isa_best()));
    ASSERT(mote_isa_best(), !=, MOTE_ISA_AUTO);
}

static void run_nothing(void *user, mote_task *task, void *context, uint32_t count) {
    (void)user, (void)task, (void)context, (void)count;
}

TEST(half_filled_hooks_and_defs_make_no_system) {
    memory_ledger ledger = {0};
    mote_allocator whole = ledger_allocator(&ledger);
    mote_system *system = (mote_system *)(uintptr_t)1;
    mote_system_def def = mote_default_system_def();
    assert_int_equal(mote_system_create(&def, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_create(NULL, &system), MOTE_ERROR_NULL);
    assert_null(system);
    BAD_DEF(MOTE_ERROR_NULL, allocator.allocate, whole.allocate);
    BAD_DEF(MOTE_ERROR_NULL, allocator.release, whole.release);
    BAD_DEF(MOTE_ERROR_RANGE, jobs, ((mote_jobs){0, NULL, run_nothing}));
    BAD_DEF(MOTE_ERROR_RANGE, jobs, ((mote_jobs){MOTE_MAX_WORKERS + 1, NULL, run_nothing}));
    BAD_DEF(MOTE_ERROR_DEF, cookie, 0);
    BAD_DEF(MOTE_ERROR_DEF, cookie, mote_default_columns_def().cookie);
    memset(&def, 0, sizeof def);
    expect_no_system(&def, MOTE_ERROR_DEF);
    memset(&def, 0xff, sizeof def.cookie);
    expect_no_system(&def, MOTE_ERROR_DEF);
    assert_int_equal(ledger.calls, 0);
}

/* --- Forces --- */

TEST(removed_and_forged_force_ids_name_no_force) {
    mote_system *system = lively_system(), *stranger = lively_system();
    const mote_force_def gravity = mote_gravity((vec3){0.0f, -1.0f, 0.0f});
    const mote_force_id id = add_force(system, gravity);
    const mote_force_id forged[] = {{0, 0},
                                    {id.index, id.generation + 1},
                                    {id.index, 0},
                                    {id.index + 1, id.generation},
                                    {MOTE_MAX_FORCES, 1},
                                    {UINT32_MAX, 1},
                                    {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < COUNT_OF(forged); i++) {
        REFUSED(system, MOTE_ERROR_ID, mote_system_set_force(system, forged[i], &gravity));
        REFUSED(system, MOTE_ERROR_ID, mote_system_remove_force(system, forged[i]));
    }
    OK(mote_system_remove_force(system, id));
    REFUSED(system, MOTE_ERROR_ID, mote_system_remove_force(system, id));
    const mote_force_id reused = add_force(system, gravity);
    REFUSED(system, MOTE_ERROR_ID, mote_system_set_force(system, id, &gravity));
    OK(mote_system_set_force(system, reused, &gravity));
    REFUSED(stranger, MOTE_ERROR_ID, mote_system_remove_force(stranger, reused));
    mote_system_destroy(stranger);
    mote_system_destroy(system);
}

TEST(forces_beyond_the_largest_number_are_refused) {
    mote_system *system = bare_system();
    const mote_force_def gravity = mote_gravity((vec3){0.0f, -1.0f, 0.0f});
    mote_force_id ids[MOTE_MAX_FORCES], extra;
    for (uint32_t i = 0; i < MOTE_MAX_FORCES; i++) ids[i] = add_force(system, gravity);
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_system_add_force(system, &gravity, &extra));
    OK(mote_system_remove_force(system, ids[100]));
    add_force(system, gravity);
    REFUSED(system, MOTE_ERROR_ID, mote_system_remove_force(system, ids[100]));
    stepped(system, 1);
    mote_system_destroy(system);
}

/* --- Particles --- */

TEST(wrong_slots_counts_and_numbers_are_refused) {
    mote_system *system = lively_system();
    mote_range_view view;
    static const uint32_t slots[] = {COUNT, COUNT + 1, 64, 1u << 31, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(slots); i++) {
        const uint32_t pair[] = {1, slots[i]};
        REFUSED(system, MOTE_ERROR_RANGE, mote_system_kill_slots(system, 2, pair));
        REFUSED(system, MOTE_ERROR_RANGE, mote_system_impulse(system, slots[i], (vec3){1, 1, 1}));
        REFUSED(system, MOTE_ERROR_RANGE, mote_system_set_inverse_mass(system, slots[i], 1.0f));
        REFUSED(system, MOTE_ERROR_RANGE, mote_system_teleport(system, slots[i], 1));
        REFUSED(system, MOTE_ERROR_RANGE, mote_system_teleport(system, 1, slots[i]));
        ASSERT(mote_system_age(system, slots[i]), ==, 0.0);
    }
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_system_spawn(system, 15, &view));
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_system_spawn(system, UINT32_MAX, &view));
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_system_spawn(system, UINT32_MAX - COUNT + 1, &view));
    REFUSED(system, MOTE_ERROR_RANGE, mote_system_reserve(system, MOTE_MAX_PARTICLES + 1));
    REFUSED(system, MOTE_ERROR_NOT_FINITE, mote_system_impulse(system, 0, (vec3){NAN, 0, 0}));
    REFUSED(system, MOTE_ERROR_NOT_FINITE, mote_system_impulse(system, 0, (vec3){0, INFINITY, 0}));
    REFUSED(system, MOTE_ERROR_NOT_FINITE, mote_system_impulse(system, 0, (vec3){0, 0, -INFINITY}));
    REFUSED(system, MOTE_ERROR_NOT_FINITE, mote_system_set_inverse_mass(system, 0, NAN));
    REFUSED(system, MOTE_ERROR_NOT_FINITE, mote_system_set_inverse_mass(system, 0, INFINITY));
    REFUSED(system, MOTE_ERROR_RANGE, mote_system_set_inverse_mass(system, 0, -1.0f));
    mote_system_destroy(system);
}

TEST(calls_on_absent_columns_are_refused) {
    mote_system *system = bare_system();
    mote_vector_columns external_forces;
    mote_particle_id any = {0, 1};
    REFUSED(system, MOTE_ERROR_ABSENT, mote_system_kill(system, 1, &any));
    REFUSED(system, MOTE_ERROR_ABSENT, mote_system_set_inverse_mass(system, 0, 1.0f));
    REFUSED(system, MOTE_ERROR_ABSENT, mote_system_external_forces(system, &external_forces));
    assert_int_equal(mote_system_slot(system, any), MOTE_NO_SLOT);
    ASSERT(mote_system_age(system, 0), ==, 0.0);
    mote_system_destroy(system);
}

TEST(null_is_refused_by_every_call) {
    mote_system *system = lively_system();
    const mote_present_layout layout = {24, 0, 12};
    mote_range_view view;
    mote_vector_columns external_forces;
    mote_particle_id handle = mote_system_view(system).id[0];
    uint32_t slot = 0;
    float vertices[COUNT * 6];
    assert_int_equal(mote_system_reserve(NULL, 5), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_spawn(NULL, 1, &view), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_kill(NULL, 1, &handle), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_kill_slots(NULL, 1, &slot), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_impulse(NULL, 0, (vec3){0}), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_set_inverse_mass(NULL, 0, 1.0f), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_teleport(NULL, 0, 1), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_external_forces(NULL, &external_forces), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_advance(NULL, 1, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_step(NULL, 1, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_present(NULL, &layout, vertices, sizeof vertices), MOTE_ERROR_NULL);
    REFUSED(system, MOTE_ERROR_NULL, mote_system_kill(system, 1, NULL));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_kill_slots(system, 1, NULL));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_external_forces(system, NULL));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_present(system, NULL, vertices, sizeof vertices));
    REFUSED(system, MOTE_ERROR_NULL, mote_system_present(system, &layout, NULL, sizeof vertices));
    mote_system_destroy(system);
    mote_system_destroy(NULL);
}

TEST(queries_of_no_system_are_neutral) {
    mote_range_view view = mote_system_view(NULL);
    assert_int_equal(view.first + view.count, 0);
    assert_null(view.position.x);
    assert_null(view.id);
    assert_int_equal(mote_system_count(NULL), 0);
    assert_int_equal(mote_system_slot(NULL, (mote_particle_id){0, 1}), MOTE_NO_SLOT);
    ASSERT(mote_system_age(NULL, 0), ==, 0.0);
    assert_int_equal(mote_system_steps(NULL), 0);
    ASSERT(mote_system_time(NULL), ==, 0.0);
    ASSERT(mote_system_timestep(NULL), ==, 0.0);
    assert_int_equal(mote_system_hash(NULL), 0);
    assert_null(mote_integrator_describe(MOTE_INTEGRATOR_COUNT));
    assert_string_equal(mote_force_name((mote_force_kind)-1), "unknown");
    assert_string_equal(mote_force_name(MOTE_FORCE_KIND_COUNT), "unknown");
    assert_string_equal(mote_isa_name((mote_isa)99), "unknown");
    assert_false(mote_isa_available(MOTE_ISA_COUNT));
}

TEST(presenting_into_too_little_or_nowhere_is_refused) {
    static const mote_present_layout wrong[] = {{0, 0, MOTE_OMIT},
                                                {11, 0, MOTE_OMIT},
                                                {24, 13, MOTE_OMIT},
                                                {24, 0, 13},
                                                {24, 0, 24},
                                                {24, 0, 1000},
                                                {24, (size_t)-2, MOTE_OMIT},
                                                {24, MOTE_OMIT, (size_t)-12},
                                                {24, MOTE_OMIT, MOTE_OMIT}};
    mote_system *system = lively_system();
    unsigned char memory[COUNT * 24], copy[sizeof memory];
    memset(memory, 0x77, sizeof memory);
    memcpy(copy, memory, sizeof memory);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        REFUSED(system, MOTE_ERROR_RANGE, mote_system_present(system, &wrong[i], memory, sizeof memory));
    }
    const mote_present_layout good = {24, 0, 12}, wide = {25, 0, 12}, huge = {SIZE_MAX / COUNT + 1, 0, 12};
    const mote_present_layout wraps = {(size_t)1 << (sizeof(size_t) * 8 - 1), 0, 12};
    REFUSED(system, MOTE_ERROR_BUFFER, mote_system_present(system, &good, memory, sizeof memory - 1));
    REFUSED(system, MOTE_ERROR_BUFFER, mote_system_present(system, &good, memory, 0));
    REFUSED(system, MOTE_ERROR_BUFFER, mote_system_present(system, &wide, memory, sizeof memory));
    REFUSED(system, MOTE_ERROR_BUFFER, mote_system_present(system, &huge, memory, sizeof memory));
    REFUSED(system, MOTE_ERROR_BUFFER, mote_system_present(system, &wraps, memory, sizeof memory));
    assert_memory_equal(memory, copy, sizeof memory);
    OK(mote_system_present(system, &good, memory, sizeof memory));
    mote_system_destroy(system);
}

/* --- The engine without a system --- */

#define BAD_COLUMNS(code, assignment)                                                                        \
    do {                                                                                                     \
        float data[6] = {1, 2, 3, 4, 5, 6};                                                                  \
        mote_columns columns = {.count = 1,                                                                  \
                                .position = {data, data + 1, data + 2},                                      \
                                .velocity = {data + 3, data + 4, data + 5},                                  \
                                .uniform_mass = 1.0f};                                                       \
        mote_columns_def def = mote_default_columns_def();                                                   \
        assignment;                                                                                          \
        assert_int_equal(mote_columns_step(&columns, &def, NULL), code);                                     \
        for (int i = 0; i < 6; i++) ASSERT(data[i], ==, (float)(i + 1));                                     \
    } while (0)

TEST(wrong_columns_are_not_stepped) {
    mote_force_def wrong = mote_wind((vec3){0}, -1.0f);
    BAD_COLUMNS(MOTE_ERROR_NULL, columns.position.y = NULL);
    BAD_COLUMNS(MOTE_ERROR_NULL, columns.velocity.z = NULL);
    BAD_COLUMNS(MOTE_ERROR_NULL, def.force_count = 1);
    BAD_COLUMNS(MOTE_ERROR_RANGE, (def.forces = &wrong, def.force_count = 1));
    BAD_COLUMNS(MOTE_ERROR_RANGE, columns.uniform_mass = 0.0f);
    BAD_COLUMNS(MOTE_ERROR_NOT_FINITE, columns.uniform_mass = NAN);
    BAD_COLUMNS(MOTE_ERROR_DEF, memset(&def, 0, sizeof def));
    BAD_COLUMNS(MOTE_ERROR_ENUM, def.integrator = MOTE_INTEGRATOR_COUNT);
    BAD_COLUMNS(MOTE_ERROR_ENUM, def.isa = (mote_isa)-1);
    BAD_COLUMNS(MOTE_ERROR_NOT_FINITE, def.time = (double)NAN);
    BAD_COLUMNS(MOTE_ERROR_NOT_FINITE, def.timestep = (double)INFINITY);
    BAD_COLUMNS(MOTE_ERROR_RANGE, def.timestep = 0.0);
    BAD_COLUMNS(MOTE_ERROR_RANGE, def.timestep = -1.0);
    BAD_COLUMNS(MOTE_ERROR_RANGE, def.substeps = 0);
    BAD_COLUMNS(MOTE_ERROR_RANGE, def.steps = 0);
    mote_columns_def def = mote_default_columns_def();
    assert_int_equal(mote_columns_step(NULL, &def, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_columns_step(&(mote_columns){.uniform_mass = 1.0f}, NULL, NULL), MOTE_ERROR_NULL);
    OK(mote_columns_step(&(mote_columns){.uniform_mass = 1.0f}, &def, NULL));
}

/* --- From inside a callback --- */

static void call_nothing(void *context) { (void)context; }

static void call_everything(void *context) {
    mote_system *system = context;
    const mote_present_layout layout = {24, 0, 12};
    const mote_force_def gravity = mote_gravity((vec3){0.0f, -1.0f, 0.0f});
    const mote_particle_id particle = mote_system_view(system).id[0];
    const mote_jobs serial = {0};
    const uint32_t slot = 0;
    mote_force_id id = {0, 1};
    mote_range_view view;
    mote_vector_columns external_forces;
    float vertices[(COUNT + 1) * 6];
    const mote_result results[] = {mote_system_reserve(system, 1000),
                                   mote_system_spawn(system, 1, &view),
                                   mote_system_kill(system, 1, &particle),
                                   mote_system_kill_slots(system, 1, &slot),
                                   mote_system_impulse(system, 0, (vec3){1, 1, 1}),
                                   mote_system_set_inverse_mass(system, 0, 2.0f),
                                   mote_system_teleport(system, 0, 1),
                                   mote_system_external_forces(system, &external_forces),
                                   mote_system_add_force(system, &gravity, &id),
                                   mote_system_set_force(system, id, &gravity),
                                   mote_system_remove_force(system, id),
                                   mote_system_advance(system, 1000000000, NULL),
                                   mote_system_step(system, 1, NULL),
                                   mote_systems_advance(&system, 1, 1000000000, &serial, NULL),
                                   mote_system_present(system, &layout, vertices, sizeof vertices)};
    for (size_t i = 0; i < COUNT_OF(results); i++) {
        test_case("call %u", (unsigned)i);
        assert_int_equal(results[i], MOTE_ERROR_BUSY);
    }
}

TEST(calls_from_inside_a_callback_are_busy_and_change_nothing) {
    uint64_t hashes[2];
    for (int loud = 0; loud < 2; loud++) {
        mote_system *system = lively_system();
        uint32_t calls;
        OK(scene_call_within_step(system, loud ? call_everything : call_nothing, system, &calls));
        ASSERT(calls, >, 0);
        hashes[loud] = mote_system_hash(system);
        OK(mote_system_impulse(system, 0, (vec3){1, 1, 1}));
        mote_system_destroy(system);
    }
    ASSERT(hashes[0], ==, hashes[1]);
}
