/* Every kernel against the plain reference, bit for bit: integrators, masses, forces, instruction sets, counts around a
 * lane group and a block's edges, substeps and steps; hostile values; arrays of any float alignment that end where the
 * page does; and systems against columns. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reference.h"

enum { MAX_COUNT = 1000, MAX_FORCES = 16, COLUMNS = 7, CANARY = 64 };

/* --- Forces ------------------------------------------------------------------------------------------------------ */

static float view_mass(const mote_stage_view *stage, uint32_t i) {
    return stage->inverse_mass ? stage->inverse_mass[i] : stage->uniform_inverse_mass;
}

/* Reads everything that a particle's own callback may read; *user scales it. */
static void own_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    float scale = *(const float *)user, time = (float)stage->time;
    for (uint32_t i = 0; i < stage->count; i++) {
        x[i] += scale * (time - stage->velocity_x[i] * stage->y[i]);
        y[i] += scale * (stage->velocity_z[i] - view_mass(stage, i));
        z[i] += scale * (stage->x[i] * stage->velocity_y[i] - stage->z[i]);
    }
}

/* Pulls each particle towards the next of the range and along with its velocity. */
static void range_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    float scale = *(const float *)user;
    for (uint32_t i = 0; i < stage->count; i++) {
        uint32_t next = (stage->first + i + 1) % stage->range_count;
        x[i] += scale * (stage->range_x[next] - stage->x[i]) + 0.25f * stage->range_velocity_y[next];
        y[i] += scale * (stage->range_y[next] - stage->y[i]) - 0.25f * stage->range_velocity_z[next];
        z[i] += scale * (stage->range_z[next] - stage->z[i]) + 0.25f * stage->range_velocity_x[next];
    }
}

static float callback_scales[3] = {0.5f, -0.375f, 0.3f};

static mote_force_def callback_force(mote_force_callback *function, int scale, mote_force_unit unit) {
    mote_force_def def = mote_callback(function, &callback_scales[scale]);
    def.as.callback.unit = unit;
    def.as.callback.reach = function == range_callback ? MOTE_REACH_RANGE : MOTE_REACH_PARTICLE;
    return def;
}

static uint32_t add_affine(mote_force_def *forces, uint32_t n) {
    forces[n++] = mote_gravity((vec3){0.3f, -9.81f, 0.1f});
    forces[n++] = mote_thrust((vec3){1.7f, 0, -0.3f});
    forces[n++] = mote_wind((vec3){3, -0.2f, 1.1f}, 0.37f);
    return n;
}

static uint32_t add_springs(mote_force_def *forces, uint32_t n) {
    forces[n++] = mote_anchor_spring((vec3){0.5f, -1.5f, 2.1f}, 15.3f, 0.21f);
    forces[n++] = mote_anchor_spring((vec3){-1, 0.3f, 0}, 2.7f, 0);
    return n;
}

static uint32_t add_attractors(mote_force_def *forces, uint32_t n, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        vec3 centre = {2 * reference_noise(77, 3 * i), 2 * reference_noise(77, 3 * i + 1), 0.5f};
        forces[n++] = mote_attractor(centre, i == 2 ? -0.7f : 1.3f + (float)i, i == 1 ? 0 : 0.05f);
    }
    return n;
}

static uint32_t add_callbacks(mote_force_def *forces, uint32_t n) {
    forces[n++] = callback_force(own_callback, 0, MOTE_NEWTONS);
    forces[n++] = callback_force(own_callback, 1, MOTE_METRES_PER_SECOND_SQUARED);
    forces[n++] = callback_force(own_callback, 2, MOTE_NEWTONS);
    return n;
}

typedef enum force_set {
    NO_FORCE, GRAVITY, AFFINE, AFFINE_SPRING, SPRING_ONLY, ONE_ATTRACTOR, FOUR_ATTRACTORS, CALLBACK_NEWTONS,
    CALLBACK_ACCELERATION, CALLBACKS, RANGE_CALLBACK, INBOX, EVERYTHING, EVERYTHING_INBOX, FORCE_SETS
} force_set;

static bool uses_inbox(force_set set) { return set == INBOX || set == EVERYTHING_INBOX; }

static uint32_t make_forces(force_set set, mote_force_def *forces) {
    uint32_t n = 0;
    bool everything = set == EVERYTHING || set == EVERYTHING_INBOX;
    if (set == GRAVITY || set == INBOX) forces[n++] = mote_gravity((vec3){0, -9.81f, 0});
    if (set == AFFINE || set == AFFINE_SPRING || everything) n = add_affine(forces, n);
    if (set == ONE_ATTRACTOR) n = add_attractors(forces, n, 1);
    if (set == FOUR_ATTRACTORS || everything) n = add_attractors(forces, n, 4);
    if (set == AFFINE_SPRING || set == SPRING_ONLY || everything) n = add_springs(forces, n);
    if (set == CALLBACK_NEWTONS) forces[n++] = callback_force(own_callback, 0, MOTE_NEWTONS);
    if (set == CALLBACK_ACCELERATION) forces[n++] = callback_force(own_callback, 1, MOTE_METRES_PER_SECOND_SQUARED);
    if (set == CALLBACKS || everything) n = add_callbacks(forces, n);
    if (set == RANGE_CALLBACK || everything) forces[n++] = callback_force(range_callback, 2, MOTE_NEWTONS);
    return n;
}

/* --- States ------------------------------------------------------------------------------------------------------ */

/* Seven columns: position, velocity, inverse mass. */
typedef struct state {
    float *column[COLUMNS];
} state;

/* An array of `count` floats whose end is the end of its page, with an inaccessible page behind it, an inaccessible one
 * before, and bytes to be left alone in between. */
typedef struct guarded {
    unsigned char *map;
    size_t page, room;
} guarded;

static guarded guarded_make(size_t floats) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (floats * sizeof(float) + CANARY + page - 1) / page * page;
    unsigned char *map = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + page, room, PROT_READ | PROT_WRITE), 0);
    return (guarded){map, page, room};
}

static void guarded_free(guarded *memory) { munmap(memory->map, memory->room + 2 * memory->page); }

static float *guarded_array(guarded *memory, uint32_t count) {
    unsigned char *end = memory->map + memory->page + memory->room;
    unsigned char *start = end - count * sizeof(float);
    memset(start - CANARY, 0xa5, CANARY);
    return (float *)(void *)start;
}

static void assert_canary(const float *array) {
    const unsigned char *bytes = (const unsigned char *)array - CANARY;
    for (int i = 0; i < CANARY; i++) assert_int_equal(bytes[i], 0xa5);
}

static guarded guards[COLUMNS];

static int make_guards(void **unused) {
    (void)unused;
    for (int c = 0; c < COLUMNS; c++) guards[c] = guarded_make(MAX_COUNT);
    return 0;
}

static int free_guards(void **unused) {
    (void)unused;
    for (int c = 0; c < COLUMNS; c++) guarded_free(&guards[c]);
    return 0;
}

static state guarded_state(uint32_t count) {
    state made;
    for (int c = 0; c < COLUMNS; c++) made.column[c] = guarded_array(&guards[c], count);
    return made;
}

/* Plain memory for the reference's side of a comparison. */
static state plain_state(float storage[COLUMNS][MAX_COUNT]) {
    state made;
    for (int c = 0; c < COLUMNS; c++) made.column[c] = storage[c];
    return made;
}

/* Positions and velocities in [-2, 2); unequal masses, every thirteenth particle immovable. */
static void fill_benign(state *target, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        for (int c = 0; c < 6; c++) target->column[c][i] = 2 * reference_noise(17 + (uint32_t)c, i);
        target->column[6][i] = i % 13 == 5 ? 0 : 1.25f + reference_noise(99, i);
    }
}

static const float hostile_values[] = {0.0f,      -0.0f,     0x1p-149f, -0x1p-130f, FLT_MIN,  -FLT_MIN, 1e-20f,  1e10f,
                                       -3e19f,    1e25f,     FLT_MAX,   -FLT_MAX,   INFINITY, -INFINITY, NAN,     -NAN,
                                       1.0f,      -1.0f,     0x1p24f,   1e-38f};
enum { HOSTILE = sizeof hostile_values / sizeof hostile_values[0] };

/* About one particle in two keeps benign values; the others get a hostile one in some columns. */
static void fill_hostile(state *target, uint32_t count, uint32_t seed) {
    static const float masses[] = {0.0f, -0.0f, 0x1p-149f, 1e-38f, 1e-10f, 1, 3, 1e20f, FLT_MAX};
    fill_benign(target, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t dice = reference_hash(seed, i);
        if (dice & 1) continue;
        target->column[(dice >> 1) % 6][i] = hostile_values[(dice >> 8) % HOSTILE];
        if (dice & 16) target->column[(dice >> 5) % 6][i] = hostile_values[(dice >> 16) % HOSTILE];
        if (dice & 128) target->column[6][i] = masses[(dice >> 24) % 9];
    }
}

static mote_columns columns_of(const state *from, uint32_t count, bool mass_column) {
    return (mote_columns){.count = count,
                          .position = {from->column[0], from->column[1], from->column[2]},
                          .velocity = {from->column[3], from->column[4], from->column[5]},
                          .inverse_mass = mass_column ? from->column[6] : NULL,
                          .uniform_mass = 0.7f};
}

static void copy_state(state *to, const state *from, uint32_t count) {
    for (int c = 0; c < COLUMNS; c++) memcpy(to->column[c], from->column[c], count * sizeof(float));
}

/* --- Comparison -------------------------------------------------------------------------------------------------- */

typedef struct experiment {
    mote_integrator integrator;
    bool mass_column;
    force_set forces;
    uint32_t count, substeps, steps;
    mote_isa isa;
} experiment;

static const char *experiment_text(const experiment *e) {
    static char text[200];
    snprintf(text, sizeof text, "%s, %s mass, forces %d, %u particles, %u substeps, %u steps, %s",
             mote_integrator_describe(e->integrator)->name, e->mass_column ? "column" : "uniform", (int)e->forces,
             e->count, e->substeps, e->steps, mote_isa_name(e->isa));
    return text;
}

static void assert_same_bits(const state *got, const state *want, const experiment *e) {
    for (int c = 0; c < 6; c++) {
        if (e->count == 0 || memcmp(got->column[c], want->column[c], e->count * sizeof(float)) == 0) continue;
        uint32_t i = 0;
        while (memcmp(&got->column[c][i], &want->column[c][i], sizeof(float)) == 0) i++;
        fail_msg("%s: column %d, particle %u is %a, not %a", experiment_text(e), c, i, (double)got->column[c][i],
                 (double)want->column[c][i]);
    }
}

static mote_columns_def columns_def_of(const experiment *e, const mote_force_def *forces, uint32_t force_count) {
    mote_columns_def def = mote_default_columns_def();
    def.integrator = e->integrator;
    def.forces = force_count ? forces : NULL;
    def.force_count = force_count;
    def.time = 1.25;
    def.timestep = 1 / 60.0;
    def.substeps = e->substeps;
    def.steps = e->steps;
    def.isa = e->isa;
    return def;
}

static bool next_isa(mote_isa *isa) {
    do *isa = (mote_isa)(*isa + 1);
    while (*isa < MOTE_ISA_COUNT && !mote_isa_available(*isa));
    return *isa < MOTE_ISA_COUNT;
}

static float wanted_storage[COLUMNS][MAX_COUNT], initial_storage[COLUMNS][MAX_COUNT];

/* Every instruction set on guarded arrays against one run of the reference. */
static void compare_columns(experiment e, const state *initial) {
    mote_force_def forces[MAX_FORCES];
    uint32_t force_count = make_forces(e.forces, forces);
    state want = plain_state(wanted_storage), got = guarded_state(e.count);
    copy_state(&want, initial, e.count);
    mote_columns want_columns = columns_of(&want, e.count, e.mass_column);
    mote_columns got_columns = columns_of(&got, e.count, e.mass_column);
    mote_columns_def def = columns_def_of(&e, forces, force_count);
    uint32_t want_frozen = reference_columns_step(&want_columns, &def, NULL);
    for (e.isa = MOTE_ISA_AUTO; next_isa(&e.isa);) {
        copy_state(&got, initial, e.count);
        def.isa = e.isa;
        uint32_t frozen = 0xdeadu;
        mote_result result = mote_columns_step(&got_columns, &def, &frozen);
        if (result != MOTE_OK) fail_msg("%s: %s", experiment_text(&e), mote_result_text(result));
        assert_same_bits(&got, &want, &e);
        if (frozen != want_frozen) fail_msg("%s: %u frozen, not %u", experiment_text(&e), frozen, want_frozen);
        if (e.count && memcmp(got.column[6], initial->column[6], e.count * sizeof(float)))
            fail_msg("%s: masses changed", experiment_text(&e));
        for (int c = 0; c < COLUMNS; c++) assert_canary(got.column[c]);
    }
}

static const uint32_t counts[] = {0, 1, 15, 16, 17, 255, 256, 257, 1000};
static const uint32_t substep_counts[] = {1, 3, 8};

static void every_kernel(mote_integrator integrator, bool hostile) {
    state initial = plain_state(initial_storage);
    for (int mass = 0; mass < 2; mass++)
        for (force_set set = NO_FORCE; set < FORCE_SETS; set++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
                for (uint32_t h = 0; h < 3; h++)
                    for (uint32_t steps = 1; steps <= 3; steps += 2) {
                        if (uses_inbox(set) || (hostile && h == 2)) continue;
                        if (hostile) fill_hostile(&initial, counts[c], 31 * h + steps);
                        else fill_benign(&initial, counts[c]);
                        compare_columns((experiment){integrator, mass == 1, set, counts[c], substep_counts[h], steps,
                                                     MOTE_ISA_AUTO},
                                        &initial);
                    }
}

static void benign(void **integrator) { every_kernel((mote_integrator)(uintptr_t)*integrator, false); }
static void hostile(void **integrator) { every_kernel((mote_integrator)(uintptr_t)*integrator, true); }

/* --- Systems ----------------------------------------------------------------------------------------------------- */

static mote_system *make_system(const experiment *e, mote_loop_order order, const state *initial) {
    mote_system_def def = mote_default_system_def();
    def.capacity = e->count;
    def.steps_per_second = (mote_rate){60, 1};
    def.substeps = e->substeps;
    def.start_time = 1.25;
    def.integrator = e->integrator;
    def.mass_column = e->mass_column;
    def.uniform_mass = 0.7f;
    def.inbox = uses_inbox(e->forces);
    def.extra_count = 1;
    def.extra_bytes[0] = sizeof(uint32_t);
    def.loop_order = order;
    def.isa = e->isa;
    mote_system *system;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    mote_range_view view;
    assert_int_equal(mote_system_spawn(system, e->count, &view), MOTE_OK);
    for (uint32_t i = 0; i < e->count; i++) ((uint32_t *)view.extra[0])[i] = i;
    float *columns[COLUMNS] = {view.position.x, view.position.y, view.position.z,  view.velocity.x,
                               view.velocity.y, view.velocity.z, view.inverse_mass};
    for (int c = 0; c < COLUMNS && columns[c]; c++)
        memcpy(columns[c], initial->column[c], e->count * sizeof(float));
    return system;
}

static void add_forces(mote_system *system, force_set set) {
    mote_force_def forces[MAX_FORCES];
    uint32_t force_count = make_forces(set, forces);
    for (uint32_t i = 0; i < force_count; i++) {
        mote_force_id id;
        assert_int_equal(mote_system_add_force(system, &forces[i], &id), MOTE_OK);
    }
}

static float inbox_storage[3][MAX_COUNT];

static const mote_vector_columns *fill_inbox(uint32_t count) {
    static mote_vector_columns inbox = {inbox_storage[0], inbox_storage[1], inbox_storage[2]};
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) inbox_storage[axis][i] = 9 * reference_noise(200 + (uint32_t)axis, i);
    return &inbox;
}

static void write_inbox(mote_system *system, uint32_t count) {
    mote_vector_columns inbox;
    assert_int_equal(mote_system_inbox(system, &inbox), MOTE_OK);
    const mote_vector_columns *values = fill_inbox(count);
    for (uint32_t i = 0; i < count; i++) {
        inbox.x[i] += values->x[i];
        inbox.y[i] += values->y[i];
        inbox.z[i] += values->z[i];
    }
}

static state state_of_view(const mote_range_view *view) {
    return (state){{view->position.x, view->position.y, view->position.z, view->velocity.x, view->velocity.y,
                    view->velocity.z, view->inverse_mass}};
}

/* Both loop orders against the reference; the inbox acts in the first step and no other. */
static void compare_system(experiment e, const state *initial) {
    mote_force_def forces[MAX_FORCES];
    uint32_t force_count = make_forces(e.forces, forces);
    state want = plain_state(wanted_storage);
    for (int order = 0; order < MOTE_LOOP_ORDER_COUNT; order++) {
        copy_state(&want, initial, e.count);
        mote_columns columns = columns_of(&want, e.count, e.mass_column);
        mote_columns_def def = columns_def_of(&e, forces, force_count);
        mote_system *system = make_system(&e, (mote_loop_order)order, initial);
        add_forces(system, e.forces);
        if (uses_inbox(e.forces)) write_inbox(system, e.count);
        assert_int_equal(reference_columns_step(&columns, &def, uses_inbox(e.forces) ? fill_inbox(e.count) : NULL), 0);
        assert_int_equal(mote_system_step(system, e.steps, NULL), MOTE_OK);
        mote_range_view view = mote_system_view(system);
        assert_int_equal(view.count, e.count);
        state got = state_of_view(&view);
        assert_same_bits(&got, &want, &e);
        mote_system_destroy(system);
    }
}

static void systems(void **integrator) {
    static const uint32_t system_counts[] = {0, 1, 17, 256, 1000};
    state initial = plain_state(initial_storage);
    for (int mass = 0; mass < 2; mass++)
        for (force_set set = NO_FORCE; set < FORCE_SETS; set++)
            for (size_t c = 0; c < 5; c++)
                for (mote_isa isa = MOTE_ISA_AUTO; next_isa(&isa);) {
                    fill_benign(&initial, system_counts[c]);
                    compare_system((experiment){(mote_integrator)(uintptr_t)*integrator, mass == 1, set,
                                                system_counts[c], 3, 2, isa},
                                   &initial);
                }
}

/* A system equals mote_columns_step with the same steps, whatever the reference thinks of either. */
static void systems_equal_columns(void **integrator) {
    static float storage[COLUMNS][MAX_COUNT];
    state initial = plain_state(initial_storage), columns_state = plain_state(storage);
    fill_benign(&initial, MAX_COUNT);
    for (int mass = 0; mass < 2; mass++)
        for (force_set set = NO_FORCE; set < FORCE_SETS; set++) {
            if (uses_inbox(set)) continue;
            experiment e = {(mote_integrator)(uintptr_t)*integrator, mass == 1, set, MAX_COUNT, 2, 5, MOTE_ISA_AUTO};
            mote_force_def forces[MAX_FORCES];
            mote_columns_def def = columns_def_of(&e, forces, make_forces(set, forces));
            copy_state(&columns_state, &initial, e.count);
            mote_columns columns = columns_of(&columns_state, e.count, e.mass_column);
            assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_OK);
            mote_system *system = make_system(&e, MOTE_LOOP_AUTO, &initial);
            add_forces(system, set);
            assert_int_equal(mote_system_step(system, e.steps, NULL), MOTE_OK);
            mote_range_view view = mote_system_view(system);
            state got = state_of_view(&view);
            assert_same_bits(&got, &columns_state, &e);
            mote_system_destroy(system);
        }
}

/* Particles that turn non-finite die in a system, are counted, and leave the bits of all others alone. */
static void systems_kill_non_finite(void **integrator) {
    state initial = plain_state(initial_storage), want = plain_state(wanted_storage);
    static const force_set sets[] = {NO_FORCE, AFFINE_SPRING, FOUR_ATTRACTORS, CALLBACKS};
    for (int mass = 0; mass < 2; mass++)
        for (int s = 0; s < 4; s++) {
            experiment e = {(mote_integrator)(uintptr_t)*integrator, mass == 1, sets[s], MAX_COUNT, 3, 1,
                            MOTE_ISA_AUTO};
            mote_force_def forces[MAX_FORCES];
            mote_columns_def def = columns_def_of(&e, forces, make_forces(e.forces, forces));
            fill_hostile(&initial, e.count, 5);
            copy_state(&want, &initial, e.count);
            mote_columns columns = columns_of(&want, e.count, e.mass_column);
            uint32_t frozen = reference_columns_step(&columns, &def, NULL);
            assert_true(frozen > 10 && frozen < e.count / 2);
            mote_system *system = make_system(&e, MOTE_LOOP_AUTO, &initial);
            add_forces(system, e.forces);
            mote_advance advance;
            assert_int_equal(mote_system_step(system, 1, &advance), MOTE_OK);
            assert_int_equal(advance.non_finite, frozen);
            mote_range_view view = mote_system_view(system);
            assert_int_equal(view.count, e.count - frozen);
            state got = state_of_view(&view);
            for (uint32_t slot = 0; slot < view.count; slot++) {
                uint32_t i = ((const uint32_t *)view.extra[0])[slot];
                for (int c = 0; c < 6; c++)
                    assert_memory_equal(&got.column[c][slot], &want.column[c][i], sizeof(float));
            }
            mote_system_destroy(system);
        }
}

int main(void) {
    struct CMUnitTest tests[5 * MOTE_INTEGRATOR_COUNT];
    static const struct {
        const char *name;
        CMUnitTestFunction function;
    } subjects[5] = {{"benign", benign},
                     {"hostile", hostile},
                     {"systems", systems},
                     {"systems equal columns", systems_equal_columns},
                     {"systems kill non-finite", systems_kill_non_finite}};
    static char names[5 * MOTE_INTEGRATOR_COUNT][80];
    for (int i = 0; i < 5 * MOTE_INTEGRATOR_COUNT; i++) {
        uintptr_t integrator = (uintptr_t)(i % MOTE_INTEGRATOR_COUNT);
        snprintf(names[i], sizeof names[i], "%s, %s", subjects[i / MOTE_INTEGRATOR_COUNT].name,
                 mote_integrator_describe((mote_integrator)integrator)->name);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = subjects[i / MOTE_INTEGRATOR_COUNT].function,
                                       .initial_state = (void *)integrator};
    }
    return cmocka_run_group_tests_name("kernels", tests, make_guards, free_guards);
}
