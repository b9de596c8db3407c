/* Presentation of more than position and velocity: the state before birth, ages, columns of the host, and a
 * choice of slots in any order. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

/* At 64 steps a second a step is 15,625,000 ns. */
enum { STEP = 15625000, CROWD = 1000 };
#define TIMESTEP 0.015625f

static mote_system_def def_of(mote_interpolation interpolation) {
    mote_system_def def = mote_default_system_def();
    def.capacity = CROWD;
    def.steps_per_second = (mote_rate){64, 1};
    def.interpolation = interpolation;
    def.lifetimes = true;
    def.extra_count = 2, def.extra_bytes[0] = 3, def.extra_bytes[1] = 16;
    return def;
}

/* --- Birth between two steps --- */

/* A nozzle that moves along x with 2 m/s and throws upwards with 8 m/s: at alpha = f the particle that was
 * born at the fraction f stands at the nozzle, and then moves on in a straight line. */
TEST(a_particle_born_between_two_steps_leaves_from_the_nozzle) {
    for (int i = 1; i < MOTE_INTERPOLATION_COUNT; i++) {
        const mote_system_def def = def_of((mote_interpolation)i);
        mote_system *system = system_of(&def);
        stepped(system, 3);
        const float f = 0.25f, nozzle = 2 * (2 + f) * TIMESTEP, v[2] = {2, 8};
        const mote_range_view view = spawned(system, 2);
        view.position.x[0] = nozzle + (1 - f) * TIMESTEP * v[0],
        view.position.y[0] = (1 - f) * TIMESTEP * v[1];
        view.previous.x[0] = nozzle - f * TIMESTEP * v[0], view.previous.y[0] = -f * TIMESTEP * v[1];
        view.previous.z[0] = 0;
        view.velocity.x[0] = v[0], view.velocity.y[0] = v[1];
        view.position.x[1] = 5, view.velocity.x[1] = 100; /* without a state before: it stands where it is */
        assert_true(isnan(view.previous.x[1]));
        float at[2][3];
        const mote_present_layout layout = mote_default_present_layout();
        for (int quarter = 0; quarter < 6; quarter++) {
            test_case("interpolation %d, quarter %d", i, quarter);
            const float s = (float)quarter / 4;
            OK(mote_system_present(system, &layout, at, sizeof at));
            ASSERT_NEAR(at[0][0], nozzle + (s - f) * TIMESTEP * v[0], 1e-7);
            ASSERT_NEAR(at[0][1], (s - f) * TIMESTEP * v[1], 1e-7);
            ASSERT_NEAR(at[1][0], quarter < 4 ? 5 : 5 + 100 * (s - 1) * TIMESTEP, 1e-5);
            advanced(system, STEP / 4);
        }
        mote_system_destroy(system);
    }
}

TEST(the_state_before_is_in_the_views_of_systems_that_keep_it) {
    for (int i = 0; i < MOTE_INTERPOLATION_COUNT; i++) {
        const mote_system_def def = def_of((mote_interpolation)i);
        mote_system *system = system_of(&def);
        const mote_range_view born = spawned(system, 1);
        born.velocity.y[0] = 1;
        stepped(system, 1);
        const mote_range_view view = mote_system_view(system);
        ASSERT((view.previous.x != NULL), ==, (i != MOTE_INTERPOLATE_NONE));
        if (view.previous.x) ASSERT(view.previous.y[0], ==, 0);
        ASSERT(view.position.y[0], >, 0);
        mote_system_destroy(system);
    }
}

TEST(as_many_can_be_spawned_as_the_system_says) {
    const mote_system_def def = def_of(MOTE_INTERPOLATE_NONE);
    mote_system *system = system_of(&def);
    mote_range_view view;
    ASSERT(mote_system_available(NULL), ==, 0);
    ASSERT(mote_system_available(system), ==, CROWD);
    spawned(system, 10);
    OK(mote_system_kill_slots(system, 1, &(uint32_t){3}));
    ASSERT(mote_system_available(system), ==, CROWD - 10); /* the slot is not free yet */
    stepped(system, 1);
    ASSERT(mote_system_available(system), ==, CROWD - 9);
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_system_spawn(system, CROWD - 8, &view));
    spawned(system, CROWD - 9);
    ASSERT(mote_system_available(system), ==, 0);
    OK(mote_system_reserve(system, CROWD + 5));
    ASSERT(mote_system_available(system), ==, 5);
    mote_system_destroy(system);
}

/* --- Quantities --- */

typedef struct vertex {
    float position[3], age, velocity[3], remaining;
    unsigned char colour[3], name[16], rest[5];
} vertex;

static mote_present_layout whole_layout(void) {
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = sizeof(vertex);
    layout.position_offset = offsetof(vertex, position), layout.velocity_offset = offsetof(vertex, velocity);
    layout.age_offset = offsetof(vertex, age), layout.remaining_offset = offsetof(vertex, remaining);
    layout.extra_offset[0] = offsetof(vertex, colour), layout.extra_offset[1] = offsetof(vertex, name);
    return layout;
}

/* Particles of many ages and lifetimes with marks of their own, in motion under all forces of the scene. */
static mote_system *busy_system(const mote_system_def *def) {
    mote_system *system = system_of(def);
    OK(scene_add_forces(system, false));
    for (uint32_t round = 0; round < 5; round++) {
        const mote_range_view view = spawned_at_random(system, 150, round);
        for (uint32_t i = 0; i < view.count; i++) {
            const uint32_t mark = view.first + i;
            if (i % 3) view.lifetime[i] = (float)(3 + i % 20) * TIMESTEP;
            if (i % 50 == 7) view.lifetime[i] = i % 4 ? 0 : -1;
            memcpy((unsigned char *)view.extra[0] + 3 * (size_t)i, &mark, 3);
            memset((unsigned char *)view.extra[1] + 16 * (size_t)i, (int)mark & 255, 16);
        }
        if (round < 4) advanced(system, 2 * STEP + STEP / 8);
    }
    return system;
}

TEST(ages_and_columns_of_the_host_are_written) {
    static vertex got[CROWD];
    for (int i = 0; i < MOTE_INTERPOLATION_COUNT; i++) {
        const mote_system_def def = def_of((mote_interpolation)i);
        mote_system *system = busy_system(&def);
        const mote_range_view view = mote_system_view(system);
        const mote_present_layout layout = whole_layout();
        const float alpha = 0.5f;
        memset(got, 0x5a, sizeof got);
        OK(mote_system_present(system, &layout, got, sizeof got));
        for (uint32_t k = 0; k < view.count; k++) {
            test_case("interpolation %d, slot %u", i, k);
            const double steps = (double)(mote_system_steps(system) - view.birth_step[k]);
            const double late = i == MOTE_INTERPOLATE_NONE ? 0 : 1 - (double)alpha;
            const double age = fmax(0, (steps - late) * (double)TIMESTEP), life = (double)view.lifetime[k];
            ASSERT_NEAR(got[k].age, age, 1e-7);
            ASSERT_NEAR(got[k].remaining, life > 0 ? fmax(0, 1 - age / life) : 0, 1e-6);
            assert_memory_equal(got[k].colour, (unsigned char *)view.extra[0] + 3 * (size_t)k, 3);
            assert_memory_equal(got[k].name, (unsigned char *)view.extra[1] + 16 * (size_t)k, 16);
            for (int b = 0; b < 5; b++) ASSERT(got[k].rest[b], ==, 0x5a);
        }
        ASSERT(view.count, >, 300);
        mote_system_destroy(system);
    }
}

/* --- Orders --- */

/* A vertex of an ordered presentation is that of its slot in the one in slot order, bit for bit. */
static void check_ordered(const mote_system_def *def, const double origin[3]) {
    static vertex all[CROWD], got[3 * CROWD];
    static uint32_t order[2 * CROWD + 100];
    random_source random = {9};
    mote_system *system = busy_system(def);
    const uint32_t count = mote_system_count(system), vertices = 2 * count + 77;
    mote_present_layout layout = whole_layout();
    memcpy(layout.origin, origin, sizeof layout.origin);
    memset(all, 0x5a, sizeof all);
    memset(got, 0x5a, sizeof got);
    OK(mote_system_present(system, &layout, all, sizeof all));
    for (uint32_t i = 0; i < vertices; i++) order[i] = random_below(&random, count);
    layout.order = order, layout.order_count = vertices;
    REFUSED(system, MOTE_ERROR_BUFFER, mote_system_present(system, &layout, got, vertices * sizeof *got - 1));
    OK(mote_system_present(system, &layout, got, vertices * sizeof *got));
    for (uint32_t i = 0; i < vertices; i++) assert_memory_equal(&got[i], &all[order[i]], sizeof *got);
    for (size_t b = 0; b < sizeof *got; b++) ASSERT(((unsigned char *)&got[vertices])[b], ==, 0x5a);
    layout.order_count = 0;
    OK(mote_system_present(system, &layout, NULL, 0));
    mote_system_destroy(system);
}

TEST(an_ordered_presentation_is_a_choice_of_the_unordered_one) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_POSITION_VERLET, MOTE_RK4};
    for (uint32_t i = 0; i < 6 * MOTE_INTERPOLATION_COUNT * COUNT_OF(integrators); i++) {
        const uint32_t kind = i / 6;
        mote_system_def def = def_of((mote_interpolation)(kind % MOTE_INTERPOLATION_COUNT));
        job_kinds kinds;
        make_job_kinds(&kinds, 3);
        def.integrator = integrators[kind / MOTE_INTERPOLATION_COUNT];
        def.jobs = kinds.jobs[i % 3], def.mass_column = i % 2;
        test_case("%s, interpolation %d, jobs %u, masses %u", integrator_name((uint32_t)def.integrator),
                  (int)def.interpolation, i % 3, i % 2);
        check_ordered(&def, (const double[3]){i % 4 == 3 ? 2.5 : 0, 0, i % 4 == 3 ? -1 : 0});
    }
}

/* Packed positions have a path of their own. */
TEST(packed_positions_follow_the_order_too) {
    static float all[CROWD][3], got[CROWD][3];
    static uint32_t order[8 * CROWD];
    const mote_system_def def = def_of(MOTE_INTERPOLATE_LINEAR);
    mote_system *system = busy_system(&def);
    mote_present_layout layout = mote_default_present_layout();
    const uint32_t count = mote_system_count(system);
    OK(mote_system_present(system, &layout, all, sizeof all));
    OK(mote_system_order(system, (const float[3]){0, 0, 1}, order, sizeof order));
    layout.order = order, layout.order_count = count;
    OK(mote_system_present(system, &layout, got, sizeof got));
    for (uint32_t i = 0; i < count; i++) assert_memory_equal(got[i], all[order[i]], sizeof *got);
    mote_system_destroy(system);
}

/* --- Bad input --- */

static void refuse(mote_system *system, mote_present_layout layout, mote_result want, const char *name) {
    static vertex got[CROWD];
    const char *parameter = NULL;
    REFUSALS(system, RETURNS(want, mote_system_present(system, &layout, got, sizeof got)),
             RETURNS(want, mote_present_layout_check(system, &layout, &parameter)),
             RETURNS(want, mote_present_layout_check(system, &layout, NULL)));
    assert_string_equal(parameter, name);
}

TEST(wrong_layouts_are_refused_by_name) {
    const mote_system_def def = def_of(MOTE_INTERPOLATE_LINEAR), plain = mote_default_system_def();
    mote_system *system = busy_system(&def), *bare = system_of(&plain);
    const mote_present_layout good = whole_layout();
    mote_present_layout l = good;
    const uint32_t order[2] = {0, mote_system_count(system)};
    spawned(bare, 5);
    assert_int_equal(mote_present_layout_check(NULL, &good, NULL), MOTE_OK);
    assert_int_equal(mote_present_layout_check(system, NULL, NULL), MOTE_ERROR_NULL);
    l.cookie = 0, refuse(system, l, MOTE_ERROR_DEF, "cookie"), l = good;
    l.origin[1] = (double)NAN, refuse(system, l, MOTE_ERROR_NOT_FINITE, "origin"), l = good;
    l.position_offset = sizeof(vertex) - 11, refuse(system, l, MOTE_ERROR_RANGE, "position_offset"), l = good;
    l.velocity_offset = SIZE_MAX - 1, refuse(system, l, MOTE_ERROR_RANGE, "velocity_offset"), l = good;
    l.age_offset = sizeof(vertex) - 3, refuse(system, l, MOTE_ERROR_RANGE, "age_offset"), l = good;
    l.remaining_offset = sizeof(vertex), refuse(system, l, MOTE_ERROR_RANGE, "remaining_offset"), l = good;
    l.extra_offset[0] = sizeof(vertex) - 2, refuse(system, l, MOTE_ERROR_RANGE, "extra_offset"), l = good;
    l.extra_offset[1] = sizeof(vertex) - 15, refuse(system, l, MOTE_ERROR_RANGE, "extra_offset"), l = good;
    l.extra_offset[2] = 0, refuse(system, l, MOTE_ERROR_ABSENT, "extra_offset"), l = good;
    l.order = order, l.order_count = 2, refuse(system, l, MOTE_ERROR_RANGE, "order"), l = good;
    l = mote_default_present_layout(), l.position_offset = MOTE_OMIT;
    refuse(system, l, MOTE_ERROR_RANGE, "position_offset");
    l = mote_default_present_layout(), l.age_offset = 0;
    refuse(bare, l, MOTE_ERROR_ABSENT, "age_offset");
    l = mote_default_present_layout(), l.remaining_offset = 0;
    refuse(bare, l, MOTE_ERROR_ABSENT, "remaining_offset");
    mote_system_destroy(system);
    mote_system_destroy(bare);
}

/* The members of a default layout that are not positions are not written, whatever is added to it. */
TEST(the_default_layout_writes_positions_only) {
    const mote_system_def def = def_of(MOTE_INTERPOLATE_LINEAR);
    mote_system *system = busy_system(&def);
    static unsigned char got[64 * CROWD];
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = 64, layout.position_offset = 20;
    memset(got, 0x5a, sizeof got);
    OK(mote_system_present(system, &layout, got, sizeof got));
    for (size_t i = 0; i < 64 * (size_t)mote_system_count(system); i++)
        if (i % 64 < 20 || i % 64 >= 32) ASSERT(got[i], ==, 0x5a);
    mote_system_destroy(system);
}

/* A system without capacity has no columns, and a layout of what each particle has is right all the same. */
TEST(layouts_are_right_where_there_is_no_room_for_particles) {
    mote_system_def def = mote_default_system_def();
    mote_present_layout l = mote_default_present_layout();
    const char *parameter = NULL;
    def.capacity = 0;
    mote_system *system = system_of(&def);
    assert_int_equal(mote_present_layout_check(system, &l, &parameter), MOTE_OK);
    assert_int_equal(mote_system_present(system, &l, NULL, 0), MOTE_OK);
    l.age_offset = 0;
    assert_int_equal(mote_present_layout_check(system, &l, &parameter), MOTE_ERROR_ABSENT);
    assert_string_equal(parameter, "age_offset");
    mote_system_destroy(system);
}

/* Networks are presented whole, and without what only loose particles have. */
TEST(networks_are_presented_in_their_own_order) {
    static const float place[6] = {0, 0, 0, 1, 2, 3};
    mote_system_def def = mote_default_system_def();
    mote_network_def net = mote_default_network_def();
    mote_present_layout layout = mote_default_present_layout();
    const uint32_t order[2] = {1, 0};
    mote_network_id id;
    float out[6] = {0};
    mote_system *system = system_of(&def);
    net.particle_count = 2, net.positions = place;
    OK(mote_system_add_network(system, &net, &id, NULL));
    layout.order = order, layout.order_count = 2;
    REFUSED(system, MOTE_ERROR_RANGE, mote_network_present(system, id, &layout, out, sizeof out));
    ASSERT(out[3], ==, 0.0f);
    layout.order = NULL;
    OK(mote_network_present(system, id, &layout, out, sizeof out));
    assert_memory_equal(out, place, sizeof out);
    mote_system_destroy(system);
}
