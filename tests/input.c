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

#define DEF(member, value, want) BAD_VALUE(mote_system_def, member, value, MOTE_ERROR_##want)
#define NOT_AN_ENUM(member, count)                                                                           \
    DEF(member, -1, ENUM), DEF(member, 99, ENUM), DEF(member, INT32_MAX, ENUM), DEF(member, count, ENUM)

static void run_nothing(void *user, mote_task *task, void *context, uint32_t count) {
    (void)user, (void)task, (void)context, (void)count;
}

static const bad_value bad_defs[] = {
    DEF(cookie, 0, DEF),
    DEF(capacity, MOTE_MAX_PARTICLES + 1, RANGE),
    DEF(steps_per_second.steps, 0, RANGE),
    DEF(steps_per_second.seconds, 0, RANGE),
    DEF(steps_per_second.steps, UINT32_MAX, RANGE),
    DEF(substeps, 0, RANGE),
    DEF(substeps, 4097, RANGE),
    DEF(max_steps_per_advance, 0, RANGE),
    DEF(mass, 0, RANGE),
    DEF(mass, -1, RANGE),
    DEF(mass, NAN, NOT_FINITE),
    DEF(mass, INFINITY, NOT_FINITE),
    DEF(start_time, NAN, NOT_FINITE),
    DEF(start_time, INFINITY, NOT_FINITE),
    DEF(extra_count, MOTE_MAX_EXTRA_COLUMNS + 1, RANGE),
    DEF(extra_bytes[0], 0, RANGE),
    DEF(extra_bytes[1], 257, RANGE),
    DEF(jobs.workers, 0, RANGE),
    DEF(jobs.workers, MOTE_MAX_WORKERS + 1, RANGE),
    DEF(allocator.allocate, 0, NULL),
    DEF(allocator.release, 0, NULL),
    NOT_AN_ENUM(integrator, MOTE_INTEGRATOR_COUNT),
    NOT_AN_ENUM(late_policy, MOTE_LATE_POLICY_COUNT),
    NOT_AN_ENUM(interpolation, MOTE_INTERPOLATION_COUNT),
    NOT_AN_ENUM(loop_order, MOTE_LOOP_ORDER_COUNT),
    NOT_AN_ENUM(isa, MOTE_ISA_COUNT),
};

TEST(bad_defs_make_no_system) {
    memory_ledger ledger = {0};
    mote_system_def good = mote_default_system_def(), def;
    mote_system *system = (mote_system *)(uintptr_t)1;
    good.extra_count = 2, good.extra_bytes[0] = 4, good.extra_bytes[1] = 256;
    good.jobs = (mote_jobs){1, NULL, run_nothing, 0};
    good.allocator = ledger_allocator(&ledger);
    for (size_t i = 0; i < COUNT_OF(bad_defs); i++) {
        def = good;
        spoil(&def, &bad_defs[i]);
        expect_no_system(&def, bad_defs[i].want);
        const char *parameter = NULL;
        assert_int_equal(mote_system_def_check(&def, &parameter), bad_defs[i].want);
        assert_int_equal(mote_system_def_check(&def, NULL), bad_defs[i].want);
        assert_field(&bad_defs[i], parameter);
    }
    const char *parameter = "none";
    OK(mote_system_def_check(&good, &parameter));
    assert_null(parameter);
    REFUSED(NULL, MOTE_ERROR_NULL, mote_system_def_check(NULL, &parameter));
    test_case(NULL);
    def = good, def.extra_bytes[2] = 4; /* of a third column, of two */
    expect_no_system(&def, MOTE_ERROR_RANGE);
    assert_int_equal(mote_system_def_check(&def, &parameter), MOTE_ERROR_RANGE);
    assert_string_equal(parameter, "extra_count");
    def.cookie = mote_default_columns_def().cookie;
    expect_no_system(&def, MOTE_ERROR_DEF);
    memset(&def, 0, sizeof def);
    expect_no_system(&def, MOTE_ERROR_DEF);
    memset(&def, 0xff, sizeof def.cookie);
    expect_no_system(&def, MOTE_ERROR_DEF);
    REFUSALS(NULL, REFUSES(NULL, mote_system_create(&good, NULL)),
             REFUSES(NULL, mote_system_create(NULL, &system)));
    assert_null(system);
    ASSERT(ledger.calls, ==, 0);
    OK(mote_system_create(&good, &system));
    mote_system_destroy(system);
}

TEST(instruction_sets_of_other_machines_are_refused) {
    int refused = 0;
    for (int isa = MOTE_ISA_AUTO; isa < MOTE_ISA_COUNT; isa++) {
        mote_system_def def = mote_default_system_def();
        def.isa = (mote_isa)isa;
        if (mote_isa_available(def.isa)) continue;
        expect_no_system(&def, MOTE_ERROR_ISA);
        mote_columns_def columns = mote_default_columns_def();
        const char *parameter = NULL;
        float zero = 0;
        const mote_columns none = {
            .position = {&zero, &zero, &zero}, .velocity = {&zero, &zero, &zero}, .mass = 1};
        columns.isa = def.isa;
        assert_int_equal(mote_columns_check(&none, &columns, &parameter), MOTE_ERROR_ISA);
        assert_string_equal(parameter, "isa");
        refused++;
    }
    ASSERT(refused, >, 0); /* no machine has both NEON and SSE2 */
    assert_true(mote_isa_available(mote_isa_best()));
    ASSERT(mote_isa_best(), !=, MOTE_ISA_AUTO);
}

/* --- Forces --- */

TEST(removed_and_forged_force_ids_name_no_force) {
    mote_system *system = lively_system(), *stranger = lively_system();
    const mote_force_def gravity = mote_gravity((float[3]){0.0f, -1.0f, 0.0f});
    const mote_force_id id = add_force(system, gravity);
    const mote_force_id forged[] = {{0, 0},
                                    {id.index, id.generation + 1},
                                    {id.index, 0},
                                    {id.index + 1, id.generation},
                                    {MOTE_MAX_FORCES, 1},
                                    {UINT32_MAX, 1},
                                    {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < COUNT_OF(forged); i++) {
        REFUSALS(system, REFUSES(ID, mote_system_set_force(system, forged[i], &gravity)),
                 REFUSES(ID, mote_system_remove_force(system, forged[i])));
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
    const mote_force_def gravity = mote_gravity((float[3]){0.0f, -1.0f, 0.0f});
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
        REFUSALS(system, REFUSES(RANGE, mote_system_kill_slots(system, 2, pair)),
                 REFUSES(RANGE, mote_system_impulse(system, slots[i], (float[3]){1, 1, 1})),
                 REFUSES(RANGE, mote_system_set_inverse_mass(system, slots[i], 1.0f)),
                 REFUSES(RANGE, mote_system_teleport(system, slots[i], 1)),
                 REFUSES(RANGE, mote_system_teleport(system, 1, slots[i])));
        ASSERT(mote_system_age(system, slots[i]), ==, 0.0);
    }
    REFUSALS(system, REFUSES(CAPACITY, mote_system_spawn(system, 15, &view)),
             REFUSES(CAPACITY, mote_system_spawn(system, UINT32_MAX, &view)),
             REFUSES(CAPACITY, mote_system_spawn(system, UINT32_MAX - COUNT + 1, &view)),
             REFUSES(RANGE, mote_system_reserve(system, MOTE_MAX_PARTICLES + 1)),
             REFUSES(NOT_FINITE, mote_system_impulse(system, 0, (float[3]){NAN, 0, 0})),
             REFUSES(NOT_FINITE, mote_system_impulse(system, 0, (float[3]){0, INFINITY, 0})),
             REFUSES(NOT_FINITE, mote_system_impulse(system, 0, (float[3]){0, 0, -INFINITY})),
             REFUSES(NOT_FINITE, mote_system_set_inverse_mass(system, 0, NAN)),
             REFUSES(NOT_FINITE, mote_system_set_inverse_mass(system, 0, INFINITY)),
             REFUSES(RANGE, mote_system_set_inverse_mass(system, 0, -1.0f)));
    mote_system_destroy(system);
}

TEST(calls_on_absent_columns_are_refused) {
    mote_system *system = bare_system();
    mote_vector_columns external_forces;
    mote_particle_id any = {0, 1};
    REFUSALS(system, REFUSES(ABSENT, mote_system_kill(system, 1, &any)),
             REFUSES(ABSENT, mote_system_set_inverse_mass(system, 0, 1.0f)),
             REFUSES(ABSENT, mote_system_external_forces(system, &external_forces)));
    assert_int_equal(mote_system_slot(system, any), MOTE_NO_SLOT);
    ASSERT(mote_system_age(system, 0), ==, 0.0);
    mote_system_destroy(system);
}

TEST(null_is_refused_by_every_call) {
    mote_system *system = lively_system();
    const mote_present_layout layout = layout_at(24, 0, 12);
    mote_range_view view;
    mote_vector_columns external_forces;
    mote_particle_id handle = mote_system_view(system).id[0];
    uint32_t slot = 0;
    float vertices[COUNT * 6];
    REFUSALS(
        system, REFUSES(NULL, mote_system_reserve(NULL, 5)), REFUSES(NULL, mote_system_spawn(NULL, 1, &view)),
        REFUSES(NULL, mote_system_kill(NULL, 1, &handle)),
        REFUSES(NULL, mote_system_kill_slots(NULL, 1, &slot)),
        REFUSES(NULL, mote_system_impulse(NULL, 0, (float[3]){0})),
        REFUSES(NULL, mote_system_set_inverse_mass(NULL, 0, 1.0f)),
        REFUSES(NULL, mote_system_teleport(NULL, 0, 1)),
        REFUSES(NULL, mote_system_external_forces(NULL, &external_forces)),
        REFUSES(NULL, mote_system_advance(NULL, 1, NULL)), REFUSES(NULL, mote_system_step(NULL, 1, NULL)),
        REFUSES(NULL, mote_system_present(NULL, &layout, vertices, sizeof vertices)),
        REFUSES(NULL, mote_system_kill(system, 1, NULL)),
        REFUSES(NULL, mote_system_kill_slots(system, 1, NULL)),
        REFUSES(NULL, mote_system_external_forces(system, NULL)),
        REFUSES(NULL, mote_system_present(system, NULL, vertices, sizeof vertices)),
        REFUSES(NULL, mote_system_present(system, &layout, NULL, sizeof vertices)));
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
    static const size_t wrong[][3] = {{0, 0, MOTE_OMIT},
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
        const mote_present_layout layout = layout_at(wrong[i][0], wrong[i][1], wrong[i][2]);
        REFUSED(system, MOTE_ERROR_RANGE, mote_system_present(system, &layout, memory, sizeof memory));
    }
    const mote_present_layout good = layout_at(24, 0, 12), wide = layout_at(25, 0, 12),
                              huge = layout_at(SIZE_MAX / COUNT + 1, 0, 12),
                              wraps = layout_at((size_t)1 << (sizeof(size_t) * 8 - 1), 0, 12);
    mote_present_layout foreign = good;
    foreign.cookie ^= 1;
    REFUSALS(system, REFUSES(DEF, mote_system_present(system, &foreign, memory, sizeof memory)),
             REFUSES(DEF, mote_system_present(system, &(mote_present_layout){0}, memory, sizeof memory)));
    for (int axis = 0; axis < 3; axis++)
        for (int kind = 0; kind < 3; kind++) {
            mote_present_layout nowhere = good;
            nowhere.origin[axis] = (const double[]){NAN, INFINITY, -INFINITY}[kind];
            REFUSED(system, MOTE_ERROR_NOT_FINITE,
                    mote_system_present(system, &nowhere, memory, sizeof memory));
        }
    REFUSALS(system, REFUSES(BUFFER, mote_system_present(system, &good, memory, sizeof memory - 1)),
             REFUSES(BUFFER, mote_system_present(system, &good, memory, 0)),
             REFUSES(BUFFER, mote_system_present(system, &wide, memory, sizeof memory)),
             REFUSES(BUFFER, mote_system_present(system, &huge, memory, sizeof memory)),
             REFUSES(BUFFER, mote_system_present(system, &wraps, memory, sizeof memory)));
    assert_memory_equal(memory, copy, sizeof memory);
    OK(mote_system_present(system, &good, memory, sizeof memory));
    mote_system_destroy(system);
}

/* --- The engine without a system --- */

/* Columns of one particle, and a def with one good force. Must stay where it is. */
typedef struct columns_call {
    mote_columns columns;
    mote_columns_def def;
    mote_force_def force;
    float data[6];
} columns_call;

static void make_columns_call(columns_call *c) {
    *c = (columns_call){.data = {1, 2, 3, 4, 5, 6}, .force = mote_wind((float[3]){0}, 1)};
    c->columns = (mote_columns){.count = 1,
                                .position = {c->data, c->data + 1, c->data + 2},
                                .velocity = {c->data + 3, c->data + 4, c->data + 5},
                                .mass = 1.0f};
    c->def = mote_default_columns_def();
    c->def.forces = &c->force, c->def.force_count = 1;
}

#define CALL(member, value, want) BAD_VALUE(columns_call, member, value, MOTE_ERROR_##want)

TEST(wrong_columns_are_not_stepped) {
    static const bad_value rows[] = {CALL(columns.position.y, 0, NULL),
                                     CALL(columns.velocity.z, 0, NULL),
                                     CALL(columns.mass, 0, RANGE),
                                     CALL(columns.mass, NAN, NOT_FINITE),
                                     CALL(force.drag, -1, RANGE),
                                     CALL(def, 0, DEF),
                                     CALL(def.forces, 0, NULL),
                                     CALL(def.integrator, MOTE_INTEGRATOR_COUNT, ENUM),
                                     CALL(def.isa, -1, ENUM),
                                     CALL(def.time, NAN, NOT_FINITE),
                                     CALL(def.timestep, INFINITY, NOT_FINITE),
                                     CALL(def.timestep, 0, RANGE),
                                     CALL(def.timestep, -1, RANGE),
                                     CALL(def.substeps, 0, RANGE),
                                     CALL(def.steps, 0, RANGE)};
    columns_call c;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        make_columns_call(&c);
        spoil(&c, &rows[i]);
        assert_int_equal(mote_columns_step(&c.columns, &c.def, NULL), rows[i].want);
        for (int k = 0; k < 6; k++) ASSERT(c.data[k], ==, (float)(k + 1));
    }
    make_columns_call(&c);
    REFUSALS(NULL, REFUSES(NULL, mote_columns_step(NULL, &c.def, NULL)),
             REFUSES(NULL, mote_columns_step(&c.columns, NULL, NULL)));
    OK(mote_columns_step(&(mote_columns){.mass = 1.0f}, &c.def, NULL));
    OK(mote_columns_step(&c.columns, &c.def, NULL));
}

/* --- From inside a callback --- */

static void call_nothing(void *context) { (void)context; }

static void call_everything(void *context) {
    mote_system *system = context;
    const mote_present_layout layout = layout_at(24, 0, 12);
    const mote_force_def gravity = mote_gravity((float[3]){0.0f, -1.0f, 0.0f});
    const mote_particle_id particle = mote_system_view(system).id[0];
    const mote_jobs serial = {0};
    const uint32_t slot = 0;
    mote_force_id id = {0, 1};
    mote_range_view view;
    mote_vector_columns external_forces;
    float vertices[(COUNT + 1) * 6];
    REFUSALS(NULL, REFUSES(BUSY, mote_system_reserve(system, 1000)),
             REFUSES(BUSY, mote_system_spawn(system, 1, &view)),
             REFUSES(BUSY, mote_system_kill(system, 1, &particle)),
             REFUSES(BUSY, mote_system_kill_slots(system, 1, &slot)),
             REFUSES(BUSY, mote_system_impulse(system, 0, (float[3]){1, 1, 1})),
             REFUSES(BUSY, mote_system_set_inverse_mass(system, 0, 2.0f)),
             REFUSES(BUSY, mote_system_teleport(system, 0, 1)),
             REFUSES(BUSY, mote_system_external_forces(system, &external_forces)),
             REFUSES(BUSY, mote_system_add_force(system, &gravity, &id)),
             REFUSES(BUSY, mote_system_set_force(system, id, &gravity)),
             REFUSES(BUSY, mote_system_remove_force(system, id)),
             REFUSES(BUSY, mote_system_advance(system, 1000000000, NULL)),
             REFUSES(BUSY, mote_system_step(system, 1, NULL)),
             REFUSES(BUSY, mote_systems_advance(&system, 1, 1000000000, &serial, NULL)),
             REFUSES(BUSY, mote_system_present(system, &layout, vertices, sizeof vertices)));
}

TEST(calls_from_inside_a_callback_are_busy_and_change_nothing) {
    uint64_t hashes[2];
    for (int loud = 0; loud < 2; loud++) {
        mote_system *system = lively_system();
        uint32_t calls;
        OK(scene_call_within_step(system, loud ? call_everything : call_nothing, system, &calls));
        ASSERT(calls, >, 0);
        hashes[loud] = mote_system_hash(system);
        OK(mote_system_impulse(system, 0, (float[3]){1, 1, 1}));
        mote_system_destroy(system);
    }
    ASSERT(hashes[0], ==, hashes[1]);
}
