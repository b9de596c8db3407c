/* Every kernel against the plain reference, bit for bit: integrators, masses, forces, instruction sets,
 * counts around a lane group and the edges of a block, substeps and steps; hostile values; arrays of any
 * float alignment that end where the page does; and systems against arrays. */
#define _DEFAULT_SOURCE
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel_forces.h"
#include "systems.h"

enum { MAX_COUNT = 1000, COLUMNS = 10, CANARY = 64 };

/* --- States --- */

/* Ten columns: position, velocity, inverse mass, anchor. */
typedef struct state {
    float *column[COLUMNS];
} state;

/* An array of `count` floats whose end is the end of its page, with an inaccessible page behind it, an
 * inaccessible one before, and bytes to be left alone in between. */
typedef struct guarded {
    unsigned char *map;
    size_t page, space;
} guarded;

static guarded guarded_make(size_t floats) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE),
           space = (floats * sizeof(float) + CANARY + page - 1) / page * page;
    unsigned char *map = mmap(NULL, space + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT(map, !=, MAP_FAILED);
    assert_int_equal(mprotect(map + page, space, PROT_READ | PROT_WRITE), 0);
    return (guarded){map, page, space};
}

static void guarded_free(guarded *memory) { munmap(memory->map, memory->space + 2 * memory->page); }

static float *guarded_array(guarded *memory, uint32_t count) {
    unsigned char *end = memory->map + memory->page + memory->space;
    unsigned char *start = end - count * sizeof(float);
    memset(start - CANARY, 0xa5, CANARY);
    return (float *)(void *)start;
}

static void assert_canary(const float *array) {
    const unsigned char *bytes = (const unsigned char *)array - CANARY;
    for (int i = 0; i < CANARY; i++) assert_int_equal(bytes[i], 0xa5);
}

static guarded guards[COLUMNS];

static void make_guards(void) {
    for (int c = 0; c < COLUMNS; c++) guards[c] = guarded_make(MAX_COUNT);
    make_test_grids();
}

static void free_guards(void) {
    for (int c = 0; c < COLUMNS; c++) guarded_free(&guards[c]);
    destroy_test_grids();
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

/* Positions, velocities and anchors in [-2, 2); unequal masses, every thirteenth particle immovable. */
static void fill_benign(state *target, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        for (int c = 0; c < COLUMNS; c++) target->column[c][i] = 2 * reference_noise(17 + (uint32_t)c, i);
        target->column[6][i] = i % 13 == 5 ? 0 : 1.25f + reference_noise(99, i);
    }
}

static const float hostile_values[] = {0.0f,  -0.0f,  0x1p-149f, -0x1p-130f, FLT_MIN,  -FLT_MIN, 1e-20f,
                                       1e10f, -3e19f, 1e25f,     FLT_MAX,    -FLT_MAX, INFINITY, -INFINITY,
                                       NAN,   -NAN,   1.0f,      -1.0f,      0x1p24f,  1e-38f};
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
        if (dice & 256) target->column[7 + (dice >> 9) % 3][i] = hostile_values[(dice >> 12) % HOSTILE];
    }
}

static mote_columns columns_of(const state *from, uint32_t count, bool mass_column) {
    return (mote_columns){.count = count,
                          .position = {from->column[0], from->column[1], from->column[2]},
                          .velocity = {from->column[3], from->column[4], from->column[5]},
                          .inverse_mass = mass_column ? from->column[6] : NULL,
                          .mass = 0.7f,
                          .anchor = {from->column[7], from->column[8], from->column[9]}};
}

static void copy_state(state *to, const state *from, uint32_t count) {
    for (int c = 0; c < COLUMNS; c++) memcpy(to->column[c], from->column[c], count * sizeof(float));
}

/* --- Comparison --- */

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
             mote_integrator_describe(e->integrator)->name, e->mass_column ? "column" : "uniform",
             (int)e->forces, e->count, e->substeps, e->steps, mote_isa_name(e->isa));
    return text;
}

static void assert_same_bits(const state *got, const state *want, const experiment *e) {
    for (int c = 0; c < 6; c++) {
        if (e->count == 0 || memcmp(got->column[c], want->column[c], e->count * sizeof(float)) == 0) continue;
        uint32_t i = 0;
        while (memcmp(&got->column[c][i], &want->column[c][i], sizeof(float)) == 0) i++;
        fail_msg("%s: column %d, particle %u is %a, not %a", experiment_text(e), c, i,
                 (double)got->column[c][i], (double)want->column[c][i]);
    }
}

static mote_columns_def columns_def_of(const experiment *e, const mote_force_def *forces,
                                       uint32_t force_count) {
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
        if (frozen != want_frozen)
            fail_msg("%s: %u frozen, not %u", experiment_text(&e), frozen, want_frozen);
        for (int c = 6; c < COLUMNS && e.count; c++)
            if (memcmp(got.column[c], initial->column[c], e.count * sizeof(float)))
                fail_msg("%s: masses or anchors changed", experiment_text(&e));
        for (int c = 0; c < COLUMNS; c++) assert_canary(got.column[c]);
    }
}

static const uint32_t counts[] = {0, 1, 15, 16, 17, 256, 257};

/* Three steps, of one substep and of three: the first and the last step of a run differ from the others. One
 * step of one substep: one pass over memory. */
static void every_kernel(mote_integrator integrator, bool hostile) {
    static const uint32_t substeps[] = {1, 3, 1}, steps[] = {3, 3, 1};
    state initial = plain_state(initial_storage);
    for (int mass = 0; mass < 2; mass++)
        for (force_set set = NO_FORCE; set < FORCE_SETS; set++)
            for (size_t c = 0; c < COUNT_OF(counts); c++)
                for (int run = 0; run < 3; run++) {
                    if (uses_inbox(set) || !takes(integrator, set)) continue;
                    if (hostile)
                        fill_hostile(&initial, counts[c],
                                     31 * (uint32_t)set + 7 * (uint32_t)c + substeps[run]);
                    else
                        fill_benign(&initial, counts[c]);
                    compare_columns((experiment){integrator, mass == 1, set, counts[c], substeps[run],
                                                 steps[run], MOTE_ISA_AUTO},
                                    &initial);
                }
}

TEST_EACH(arrays_have_the_bits_of_the_reference, MOTE_INTEGRATOR_COUNT, integrator_name, integrator) {
    every_kernel((mote_integrator)integrator, false);
}
TEST_EACH(arrays_with_hostile_values_have_the_bits_of_the_reference, MOTE_INTEGRATOR_COUNT, integrator_name,
          integrator) {
    every_kernel((mote_integrator)integrator, true);
}

/* --- Systems --- */

static mote_system *make_system(const experiment *e, mote_loop_order order, const state *initial) {
    mote_system_def def = mote_default_system_def();
    def.capacity = e->count;
    def.steps_per_second = (mote_rate){60, 1};
    def.substeps = e->substeps;
    def.start_time = 1.25;
    def.integrator = e->integrator;
    def.mass_column = e->mass_column;
    def.mass = 0.7f;
    def.external_forces = uses_inbox(e->forces);
    def.anchor_column = true;
    def.extra_count = 1;
    def.extra_bytes[0] = sizeof(uint32_t);
    def.loop_order = order;
    def.isa = e->isa;
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, e->count);
    for (uint32_t i = 0; i < e->count; i++) ((uint32_t *)view.extra[0])[i] = i;
    float *columns[COLUMNS] = {view.position.x, view.position.y, view.position.z,   view.velocity.x,
                               view.velocity.y, view.velocity.z, view.inverse_mass, view.anchor.x,
                               view.anchor.y,   view.anchor.z};
    for (int c = 0; c < COLUMNS; c++)
        if (columns[c]) memcpy(columns[c], initial->column[c], e->count * sizeof(float));
    return system;
}

static void add_force_set(mote_system *system, force_set set) {
    mote_force_def forces[MAX_FORCES];
    add_forces(system, forces, make_forces(set, forces));
}

static float force_storage[3][MAX_COUNT];

static const mote_vector_columns *fill_external_forces(uint32_t count) {
    static mote_vector_columns external_forces = {force_storage[0], force_storage[1], force_storage[2]};
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++)
            force_storage[axis][i] = 9 * reference_noise(200 + (uint32_t)axis, i);
    return &external_forces;
}

static void write_external_forces(mote_system *system, uint32_t count) {
    const mote_vector_columns external_forces = external_forces_of(system);
    const mote_vector_columns *values = fill_external_forces(count);
    for (uint32_t i = 0; i < count; i++) {
        external_forces.x[i] += values->x[i];
        external_forces.y[i] += values->y[i];
        external_forces.z[i] += values->z[i];
    }
}

static state state_of_view(const mote_range_view *view) {
    return (state){{view->position.x, view->position.y, view->position.z, view->velocity.x, view->velocity.y,
                    view->velocity.z, view->inverse_mass, view->anchor.x, view->anchor.y, view->anchor.z}};
}

/* A system kicks the particles of position Verlet back by half a substep before their first step. */
static void start_reference(const mote_columns *columns, const mote_columns_def *def) {
    if (def->integrator == MOTE_POSITION_VERLET) reference_columns_kick(columns, def, -0.5);
}

/* Both loop orders against the reference; external forces act in the first step and no other. */
static void compare_system(experiment e, const state *initial) {
    mote_force_def forces[MAX_FORCES];
    uint32_t force_count = make_forces(e.forces, forces);
    state want = plain_state(wanted_storage);
    for (int order = 0; order < MOTE_LOOP_ORDER_COUNT; order++) {
        copy_state(&want, initial, e.count);
        mote_columns columns = columns_of(&want, e.count, e.mass_column);
        mote_columns_def def = columns_def_of(&e, forces, force_count);
        mote_system *system = make_system(&e, (mote_loop_order)order, initial);
        add_force_set(system, e.forces);
        if (uses_inbox(e.forces)) write_external_forces(system, e.count);
        start_reference(&columns, &def);
        assert_int_equal(reference_columns_step(&columns, &def,
                                                uses_inbox(e.forces) ? fill_external_forces(e.count) : NULL),
                         0);
        stepped(system, e.steps);
        mote_range_view view = mote_system_view(system);
        assert_int_equal(view.count, e.count);
        state got = state_of_view(&view);
        assert_same_bits(&got, &want, &e);
        mote_system_destroy(system);
    }
}

TEST_EACH(systems_have_the_bits_of_the_reference_in_both_loop_orders, MOTE_INTEGRATOR_COUNT, integrator_name,
          integrator) {
    static const uint32_t system_counts[] = {0, 1, 17, 600};
    state initial = plain_state(initial_storage);
    for (int mass = 0; mass < 2; mass++)
        for (force_set set = NO_FORCE; set < FORCE_SETS; set++)
            for (size_t c = 0; c < 4; c++)
                for (mote_isa isa = MOTE_ISA_AUTO; next_isa(&isa);) {
                    if (!takes((mote_integrator)integrator, set)) continue;
                    fill_benign(&initial, system_counts[c]);
                    compare_system((experiment){(mote_integrator)integrator, mass == 1, set, system_counts[c],
                                                3, 2, isa},
                                   &initial);
                }
}

/* Whatever the reference computes. */
TEST_EACH(systems_have_the_bits_of_arrays, MOTE_INTEGRATOR_COUNT, integrator_name, integrator) {
    static float storage[COLUMNS][MAX_COUNT];
    state initial = plain_state(initial_storage), columns_state = plain_state(storage);
    fill_benign(&initial, MAX_COUNT);
    for (int mass = 0; mass < 2; mass++)
        for (force_set set = NO_FORCE; set < FORCE_SETS; set++) {
            if (uses_inbox(set) || !takes((mote_integrator)integrator, set)) continue;
            experiment e = {(mote_integrator)integrator, mass == 1, set, MAX_COUNT, 2, 5, MOTE_ISA_AUTO};
            mote_force_def forces[MAX_FORCES];
            mote_columns_def def = columns_def_of(&e, forces, make_forces(set, forces));
            copy_state(&columns_state, &initial, e.count);
            mote_columns columns = columns_of(&columns_state, e.count, e.mass_column);
            if (def.integrator == MOTE_POSITION_VERLET) OK(mote_columns_kick(&columns, &def, -0.5));
            OK(mote_columns_step(&columns, &def, NULL));
            mote_system *system = make_system(&e, MOTE_LOOP_AUTO, &initial);
            add_force_set(system, set);
            stepped(system, e.steps);
            mote_range_view view = mote_system_view(system);
            state got = state_of_view(&view);
            assert_same_bits(&got, &columns_state, &e);
            mote_system_destroy(system);
        }
}

TEST_EACH(particles_that_turn_non_finite_die_and_leave_the_bits_of_all_others, MOTE_INTEGRATOR_COUNT,
          integrator_name, integrator) {
    state initial = plain_state(initial_storage), want = plain_state(wanted_storage);
    static const force_set sets[] = {NO_FORCE, AFFINE_SPRING,   FOUR_ATTRACTORS,    CALLBACKS,
                                     LIMITED,  VELOCITY_FIELDS, LIMITED_VELOCITIES, VELOCITY_CALLBACKS};
    for (int mass = 0; mass < 2; mass++)
        for (int s = 0; s < 8; s++) {
            if (!takes((mote_integrator)integrator, sets[s])) continue;
            experiment e = {(mote_integrator)integrator, mass == 1, sets[s], MAX_COUNT, 3, 1, MOTE_ISA_AUTO};
            mote_force_def forces[MAX_FORCES];
            mote_columns_def def = columns_def_of(&e, forces, make_forces(e.forces, forces));
            fill_hostile(&initial, e.count, 5);
            copy_state(&want, &initial, e.count);
            mote_columns columns = columns_of(&want, e.count, e.mass_column);
            start_reference(&columns, &def);
            uint32_t frozen = reference_columns_step(&columns, &def, NULL);
            ASSERT(frozen, >, 10);
            ASSERT(frozen, <, e.count / 2);
            mote_system *system = make_system(&e, MOTE_LOOP_AUTO, &initial);
            add_force_set(system, e.forces);
            assert_int_equal(stepped(system, 1).non_finite, frozen);
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

TEST_EACH(forces_that_an_integrator_does_not_take_are_refused_and_change_nothing, MOTE_INTEGRATOR_COUNT,
          integrator_name, integrator) {
    state initial = plain_state(initial_storage), got = plain_state(wanted_storage);
    fill_benign(&initial, 40);
    for (force_set set = GRAVITY; set < FORCE_SETS; set++) {
        experiment e = {(mote_integrator)integrator, true, set, 40, 1, 1, MOTE_ISA_AUTO};
        if (takes(e.integrator, set) || uses_inbox(set)) continue;
        mote_force_def forces[MAX_FORCES];
        mote_columns_def def = columns_def_of(&e, forces, make_forces(set, forces));
        copy_state(&got, &initial, e.count);
        mote_columns columns = columns_of(&got, e.count, true);
        assert_int_equal(mote_columns_step(&columns, &def, NULL), MOTE_ERROR_INTEGRATOR);
        assert_same_bits(&got, &initial, &e);
        mote_system *system = make_system(&e, MOTE_LOOP_AUTO, &initial);
        mote_result result = MOTE_OK;
        mote_force_id id;
        for (uint32_t i = 0; i < def.force_count && result == MOTE_OK; i++)
            result = mote_system_add_force(system, &forces[i], &id);
        if (e.integrator == MOTE_EXACT_FLOW && set < VELOCITY_FIELDS) {
            OK(result); /* the missing affine force may still be added */
            REFUSALS(system, REFUSES(INTEGRATOR, mote_system_step(system, 1, NULL)),
                     REFUSES(INTEGRATOR, mote_system_advance(system, 100000000, NULL)));
        } else {
            assert_int_equal(result, MOTE_ERROR_INTEGRATOR);
        }
        mote_system_destroy(system);
    }
}

/* v += fraction h a on arrays, for every instruction set. Positions stay, but for the sign of a zero. */
static void compare_kick(experiment e, double fraction, const state *initial) {
    mote_force_def forces[MAX_FORCES];
    mote_columns_def def = columns_def_of(&e, forces, make_forces(e.forces, forces));
    state want = plain_state(wanted_storage), got = guarded_state(e.count);
    copy_state(&want, initial, e.count);
    mote_columns want_columns = columns_of(&want, e.count, e.mass_column);
    reference_columns_kick(&want_columns, &def, fraction);
    for (e.isa = MOTE_ISA_AUTO; next_isa(&e.isa);) {
        copy_state(&got, initial, e.count);
        mote_columns got_columns = columns_of(&got, e.count, e.mass_column);
        def.isa = e.isa;
        OK(mote_columns_kick(&got_columns, &def, fraction));
        for (uint32_t i = 0; i < e.count; i++)
            for (int c = 0; c < 3; c++) {
                assert_true(got.column[c][i] == want.column[c][i] || isnan(want.column[c][i]));
                got.column[c][i] = want.column[c][i];
            }
        assert_same_bits(&got, &want, &e);
        for (int c = 0; c < COLUMNS; c++) assert_canary(got.column[c]);
    }
}

TEST_EACH(kicks_have_the_bits_of_the_reference, MOTE_INTEGRATOR_COUNT, integrator_name, integrator) {
    state initial = plain_state(initial_storage);
    mote_integrator chosen = (mote_integrator)integrator;
    if (chosen >= MOTE_ADVECT_EULER) return; /* nothing there has momentum */
    for (int mass = 0; mass < 2; mass++)
        for (force_set set = NO_FORCE; set < VELOCITY_FIELDS; set++)
            for (size_t c = 0; c < COUNT_OF(counts); c++) {
                if (uses_inbox(set) || uses_range(set) || !takes(chosen, set)) continue;
                fill_hostile(&initial, counts[c], 3);
                compare_kick((experiment){chosen, mass == 1, set, counts[c], 3, 1, MOTE_ISA_AUTO},
                             counts[c] % 2 ? 0.5 : -0.5, &initial);
            }
}

TEST_PROGRAM(make_guards, free_guards);
