/* Particles that turn non-finite or reach the end of their lifetime: which of them die, when, and that the
 * others keep their bits. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

enum { MANY = 5000, FRAME_STEPS = 8 };

/* Steps of 1/64 s; an extra column holds the numbers of the particles. */
static mote_system_def numbered_def(uint32_t capacity) {
    mote_system_def def = mote_default_system_def();
    def.capacity = capacity;
    def.steps_per_second = (mote_rate){64, 1};
    def.max_steps_per_advance = 64;
    def.mass_column = true;
    def.lifetimes = true;
    def.external_forces = true;
    def.extra_count = 1;
    def.extra_bytes[0] = sizeof(uint32_t);
    return def;
}

static mote_range_view populate(mote_system *system, uint32_t count, uint64_t seed) {
    mote_range_view view = spawned_at_random(system, count, seed);
    for (uint32_t i = 0; i < count; i++) ((uint32_t *)view.extra[0])[i] = view.first + i;
    return view;
}

static const float poisons[] = {NAN, INFINITY, -INFINITY, FLT_MAX};

/* Particle i turns non-finite in the next step: FLT_MAX as velocity and position of one axis overflows; the
 * others are not finite themselves. An advecting integrator does not read the velocity that it writes. */
static void poison(const mote_range_view *view, mote_integrator integrator, uint32_t i, uint32_t kind) {
    view->inverse_mass[i] = 1.0f;
    if (advects(integrator)) {
        view->position.y[i] = poisons[kind % 3];
        return;
    }
    view->velocity.y[i] = view->position.y[i] = poisons[kind % COUNT_OF(poisons)];
    if (kind % 3 == 1) view->velocity.y[i] = 64.0f;
    if (kind % 3 == 2) view->position.y[i] = 1.0f;
    if (kind % COUNT_OF(poisons) == 3) view->velocity.y[i] = view->position.y[i] = FLT_MAX;
}

static bool is_poisoned(uint32_t number) { return number % 7 == 3 || number % 640 < 40; }

/* The columns of both systems, matched by number, must agree in every bit. */
static void check_survivors(mote_system *poisoned, mote_system *healthy) {
    static uint32_t slot_of[MANY];
    const mote_range_view sick = mote_system_view(poisoned), well = mote_system_view(healthy);
    const motion_columns got = motion_of(&sick), want = motion_of(&well);
    for (uint32_t i = 0; i < well.count; i++) slot_of[((const uint32_t *)well.extra[0])[i]] = i;
    for (uint32_t i = 0; i < sick.count; i++) {
        const uint32_t number = ((const uint32_t *)sick.extra[0])[i];
        assert_false(is_poisoned(number));
        for (int c = 0; c < 6; c++)
            assert_memory_equal(&got.column[c][i], &want.column[c][slot_of[number]], sizeof(float));
    }
}

static void neighbours_case(mote_integrator integrator, mote_loop_order order, uint32_t substeps,
                            uint32_t count) {
    mote_system_def def = numbered_def(count);
    def.integrator = integrator;
    def.loop_order = order;
    def.substeps = substeps;
    mote_system *systems[2];
    uint32_t poisoned = 0;
    for (int sick = 0; sick < 2; sick++) {
        systems[sick] = system_of(&def);
        OK(scene_add_forces(systems[sick], false));
        mote_range_view view = populate(systems[sick], count, 7);
        for (uint32_t i = 0; i < count; i++) {
            if (!is_poisoned(i)) continue;
            view.inverse_mass[i] = 1.0f;
            if (sick) poison(&view, integrator, i, poisoned++);
        }
        const mote_advance advance = stepped(systems[sick], 5);
        assert_int_equal(advance.non_finite, sick ? poisoned : 0);
        assert_int_equal(advance.expired + advance.killed, 0);
    }
    assert_int_equal(mote_system_count(systems[1]), count - poisoned);
    check_survivors(systems[1], systems[0]);
    mote_system_destroy(systems[0]);
    mote_system_destroy(systems[1]);
}

TEST(neighbours_of_the_non_finite_keep_their_bits) {
    static const uint32_t counts[] = {41, 64, 1000, MANY};
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (int order = 0; order < MOTE_LOOP_ORDER_COUNT; order++)
            for (uint32_t i = 0; i < COUNT_OF(counts); i++) {
                test_case("%s, order %d, %u particles", integrator_name(m), order, counts[i]);
                neighbours_case(m, (mote_loop_order)order, 1 + i, counts[i]);
            }
}

/* --- Each way to turn non-finite --- */

/* In one step particle 1 of three dies, and no other. */
static void expect_one_death(mote_system *system) {
    mote_particle_id ids[3];
    memcpy(ids, mote_system_view(system).id, sizeof ids);
    assert_int_equal(stepped(system, 1).non_finite, 1);
    assert_int_equal(mote_system_count(system), 2);
    assert_int_equal(mote_system_slot(system, ids[0]), 0);
    assert_int_equal(mote_system_slot(system, ids[1]), MOTE_NO_SLOT);
    assert_int_equal(mote_system_slot(system, ids[2]), 1);
    assert_int_equal(stepped(system, 1).non_finite, 0);
    mote_system_destroy(system);
}

static mote_system *three_particles(const mote_force_def *force, mote_range_view *view) {
    mote_system_def def = numbered_def(3);
    mote_system *system = system_of(&def);
    if (force != NULL) add_force(system, *force);
    *view = populate(system, 3, 3);
    return system;
}

TEST(a_particle_in_the_centre_of_a_bare_attractor_lives) {
    mote_range_view view;
    mote_force_def force = mote_attractor((float[3]){1.0f, 1.0f, 1.0f}, 1.0f, 0.0f);
    mote_system *system = three_particles(&force, &view);
    view.position.x[1] = view.position.y[1] = view.position.z[1] = 1.0f;
    assert_int_equal(stepped(system, 1).non_finite, 0);
    assert_int_equal(mote_system_count(system), 3);
    mote_system_destroy(system);
}

TEST(a_particle_beside_a_huge_attractor_dies) {
    mote_range_view view;
    mote_force_def force = mote_attractor((float[3]){1.0f, 1.0f, 1.0f}, 1e20f, 0.0f);
    mote_system *system = three_particles(&force, &view);
    view.position.x[1] = 1.0f + FLT_EPSILON;
    view.position.y[1] = view.position.z[1] = 1.0f;
    expect_one_death(system);
}

TEST(an_infinite_external_force_kills_its_particle) {
    mote_range_view view;
    mote_system *system = three_particles(NULL, &view);
    external_forces_of(system).z[1] = INFINITY;
    expect_one_death(system);
}

TEST(an_infinite_inverse_mass_kills_its_particle) {
    mote_range_view view;
    mote_force_def force = mote_thrust((float[3]){1.0f, 0.0f, 0.0f});
    mote_system *system = three_particles(&force, &view);
    view.inverse_mass[1] = INFINITY;
    expect_one_death(system);
}

static void runaway_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user;
    (void)x;
    (void)z;
    for (uint32_t i = 0; i < stage->count; i++) {
        if (stage->first + i == 1) y[i] = NAN;
    }
}

TEST(a_callback_that_returns_nan_kills_only_that_particle) {
    mote_range_view view;
    mote_force_def force = mote_callback(runaway_callback, NULL);
    mote_system *system = three_particles(&force, &view);
    view.inverse_mass[0] = view.inverse_mass[1] = view.inverse_mass[2] = 1.0f;
    /* The third particle fills slot 1, and dies in the second step. */
    assert_int_equal(stepped(system, 2).non_finite, 2);
    assert_int_equal(mote_system_count(system), 1);
    assert_int_equal(((uint32_t *)mote_system_view(system).extra[0])[0], 0);
    mote_system_destroy(system);
}

TEST(columns_freeze_at_the_start_of_the_step_that_breaks_them) {
    enum { COUNT = 37 };
    float data[6][COUNT];
    for (int i = 0; i < 6 * COUNT; i++) data[i / COUNT][i % COUNT] = (float)(i / COUNT + i % COUNT);
    /* 1e37 m a step from 3.2e38 m: 3.4e38 m is the end of float, in the third step. */
    data[0][20] = 3.2e38f;
    data[3][20] = 1e37f;
    mote_columns columns = {.count = COUNT,
                            .position = {data[0], data[1], data[2]},
                            .velocity = {data[3], data[4], data[5]},
                            .mass = 1.0f};
    mote_columns_def def = mote_default_columns_def();
    def.timestep = 1.0;
    def.steps = 5;
    uint32_t frozen = 99;
    OK(mote_columns_step(&columns, &def, &frozen));
    assert_int_equal(frozen, 1);
    ASSERT(data[0][20], ==, (3.2e38f + 1e37f) + 1e37f);
    ASSERT(data[3][20], ==, 1e37f);
    ASSERT(data[1][20], ==, 21.0f + 2 * 24.0f); /* two steps: y = 21, v = 24 */
    ASSERT(data[0][19], ==, 19.0f + 5.0f * 22.0f);
    ASSERT(data[0][21], ==, 21.0f + 5.0f * 24.0f);
}

static void stay(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user, (void)stage, (void)x, (void)y, (void)z;
}

/* Columns that are stepped in copies, for which there is no memory: nothing moves or is counted. */
TEST(columns_without_memory_for_their_copies_stay) {
    float data[6][16] = {{0}};
    for (int i = 0; i < 16; i++) data[3][i] = 1;
    const mote_columns columns = {.count = 16,
                                  .position = {data[0], data[1], data[2]},
                                  .velocity = {data[3], data[4], data[5]},
                                  .mass = 1.0f};
    mote_force_def force = mote_callback(stay, NULL);
    mote_columns_def def = mote_default_columns_def();
    memory_ledger ledger = {.fail_at = 1};
    uint32_t frozen = 99;
    force.as.callback.reach = MOTE_REACH_RANGE;
    def.forces = &force, def.force_count = 1, def.timestep = 1, def.allocator = ledger_allocator(&ledger);
    assert_int_equal(mote_columns_step(&columns, &def, &frozen), MOTE_ERROR_MEMORY);
    ASSERT(frozen, ==, 0u);
    ASSERT(data[0][7], ==, 0);
    OK(mote_columns_step(&columns, &def, &frozen));
    ASSERT(data[0][7], ==, 1);
    ASSERT(ledger.live_bytes + ledger.faults, ==, 0u);
}

/* --- Frame grouping --- */

typedef struct grouping {
    mote_integrator integrator;
    mote_interpolation interpolation;
    mote_loop_order order;
    uint32_t substeps;
    bool forces, callback, reach;
    bool ageless; /* without lifetimes, nothing acts between the steps of a frame */
} grouping;

/* Fields that carry advected particles as far as their velocity carries the others, and stir all of them. */
static void add_velocity_fields(mote_system *system) {
    mote_force_def stream =
        mote_linear_field((float[3]){64e36f, 0, 0}, (float[9]){0}, MOTE_FIELD_VELOCITY, 0);
    add_force(system, mote_in_box(stream, (float[3]){3.3e38f, 0, 0}, (float[3]){1e38f, 100, 100}, 0));
    add_force(system, mote_curl_noise(1.5f, 0.4f, 2.0f, 7, MOTE_FIELD_VELOCITY, 0));
}

/* The forces of scene_add_forces without springs, whose forces at the end of float would overflow at once. */
static void add_mild_forces(mote_system *system, bool callback, bool reach) {
    mote_force_def forces[] = {mote_gravity((float[3]){0.0f, -9.81f, 0.0f}),
                               mote_wind((float[3]){2.0f, 0.0f, -1.0f}, 0.3f),
                               mote_attractor((float[3]){1.0f, 2.0f, 3.0f}, 5.0f, 0.5f),
                               mote_callback(reach ? scene_chase : scene_spread, NULL)};
    if (reach) forces[3].as.callback.reach = MOTE_REACH_RANGE;
    add_forces(system, forces, callback ? 4 : 3);
}

/* Particles that overflow in steps 1 to 12 (x grows by 1e36 m a step towards the end of float) or reach the
 * end of their lifetime in steps 1 to 12, some in the same step, some both; and some that the host killed
 * before. */
static mote_system *dying_crowd(const grouping *g) {
    mote_system_def def = numbered_def(MANY);
    def.integrator = g->integrator;
    def.interpolation = g->interpolation;
    def.loop_order = g->order;
    def.substeps = g->substeps;
    def.lifetimes = !g->ageless;
    mote_system *system = system_of(&def);
    if (advects(g->integrator))
        add_velocity_fields(system);
    else if (g->forces)
        add_mild_forces(system, g->callback, g->reach);
    mote_range_view view = populate(system, MANY, 21);
    random_source random = {22};
    uint32_t slots[40];
    for (uint32_t i = 0; i < MANY; i++) {
        float age = random_below(&random, 9) == 0 ? (float)(1 + random_below(&random, 12)) / 64.0f : INFINITY;
        if (!g->ageless) view.lifetime[i] = age;
        if (random_below(&random, 9) != 0) continue;
        view.inverse_mass[i] = 1.0f;
        view.velocity.x[i] = 64e36f;
        view.position.x[i] = FLT_MAX - 1e36f * (0.5f + (float)random_below(&random, 12));
    }
    for (uint32_t i = 0; i < COUNT_OF(slots); i++) slots[i] = random_below(&random, MANY);
    OK(mote_system_kill_slots(system, COUNT_OF(slots), slots));
    return system;
}

typedef struct outcome {
    uint64_t hash;
    uint32_t count, killed, expired, non_finite;
} outcome;

/* Frames of frames[0], frames[1], ... steps, ended by 0. */
static outcome run_frames(const grouping *g, const uint32_t *frames) {
    mote_system *system = dying_crowd(g);
    outcome result = {0};
    for (; *frames != 0; frames++) {
        const mote_advance advance = advanced(system, *frames * 15625000ull);
        assert_int_equal(advance.steps, *frames);
        result.killed += advance.killed;
        result.expired += advance.expired;
        result.non_finite += advance.non_finite;
    }
    result.count = mote_system_count(system);
    result.hash = mote_system_hash(system);
    mote_system_destroy(system);
    return result;
}

static void check_groupings_of(const grouping *g) {
    static const uint32_t groupings[][9] = {{8}, {1, 1, 1, 1, 1, 1, 1, 1}, {3, 5}, {7, 1}};
    const outcome first = run_frames(g, groupings[0]);
    ASSERT(first.killed, >, 30);
    ASSERT(first.non_finite, >, 100);
    assert_true(g->ageless ? first.expired == 0 : first.expired > 100);
    assert_int_equal(first.count, MANY - first.killed - first.expired - first.non_finite);
    for (size_t i = 1; i < COUNT_OF(groupings); i++) {
        const outcome other = run_frames(g, groupings[i]);
        assert_int_equal(other.killed, first.killed);
        assert_int_equal(other.expired, first.expired);
        assert_int_equal(other.non_finite, first.non_finite);
        assert_int_equal(other.count, first.count);
        ASSERT(other.hash, ==, first.hash);
    }
}

static void check_groupings(grouping g) {
    check_groupings_of(&g);
    g.ageless = true;
    check_groupings_of(&g);
}

TEST(deaths_do_not_depend_on_the_steps_of_a_frame) {
    for (uint32_t m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (uint32_t k = 0; k < MOTE_INTERPOLATION_COUNT; k++) {
            test_case("%s, interpolation %u", integrator_name(m), k);
            check_groupings((grouping){.integrator = (mote_integrator)m,
                                       .interpolation = (mote_interpolation)k,
                                       .substeps = 1 + k,
                                       .forces = true});
        }
}

TEST(deaths_without_forces_do_not_depend_on_the_steps_of_a_frame) {
    check_groupings((grouping){.interpolation = MOTE_INTERPOLATE_LINEAR, .substeps = 1});
}

TEST(deaths_in_either_loop_order_do_not_depend_on_the_steps_of_a_frame) {
    grouping inner = {.integrator = MOTE_VELOCITY_VERLET,
                      .interpolation = MOTE_INTERPOLATE_HERMITE,
                      .substeps = 3,
                      .forces = true,
                      .callback = true};
    grouping outer = inner;
    outer.order = MOTE_LOOP_STAGE_OUTER;
    check_groupings(inner);
    check_groupings(outer);
    static const uint32_t one_frame[] = {FRAME_STEPS, 0};
    ASSERT(run_frames(&inner, one_frame).hash, ==, run_frames(&outer, one_frame).hash);
}

/* In every grouping the callback sees the range shrink step by step. */
TEST(deaths_under_a_force_between_particles_do_not_depend_on_the_steps_of_a_frame) {
    check_groupings((grouping){.integrator = MOTE_RK4,
                               .interpolation = MOTE_INTERPOLATE_LINEAR,
                               .substeps = 2,
                               .forces = true,
                               .callback = true,
                               .reach = true});
}

TEST(lifetimes_that_are_none_end_at_the_first_boundary) {
    static const float lifetimes[] = {NAN, 0, -1, -INFINITY, 0x1p-149f, INFINITY, FLT_MAX};
    enum { SOME = 70, ENDLESS = 2 };
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
        if (!mote_isa_available((mote_isa)isa)) continue;
        mote_system_def def = numbered_def(SOME);
        def.isa = (mote_isa)isa;
        mote_system *system = system_of(&def);
        const mote_range_view view = populate(system, SOME, 3);
        for (uint32_t i = 0; i < SOME; i++) view.lifetime[i] = lifetimes[i % COUNT_OF(lifetimes)];
        const uint32_t left = SOME / COUNT_OF(lifetimes) * ENDLESS;
        ASSERT(stepped(system, 1).expired, ==, SOME - left);
        ASSERT(stepped(system, 100).expired, ==, 0);
        ASSERT(mote_system_count(system), ==, left);
        mote_system_destroy(system);
    }
}
