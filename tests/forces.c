/* Bad input to forces, fields, grids, seek and preview: each wrong call returns its code and changes
 * nothing. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

static const float zero[3] = {0, 0, 0}, up[3] = {0, 1, 0}, hole[3] = {0, NAN, 0};
static float turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 0};

static mote_system *make(mote_integrator integrator, bool anchors) {
    mote_system_def def = mote_default_system_def();
    def.integrator = integrator;
    def.anchor_column = anchors;
    mote_system *system = system_of(&def);
    mote_range_view view = spawned(system, 20);
    for (int i = 0; i < 20; i++) view.position.x[i] = (float)i;
    return system;
}

/* Adding, setting, stepping and kicking all refuse, and neither system nor arrays change. */
static void refuse(const mote_force_def *def, mote_integrator integrator, mote_result want) {
    mote_system *system = make(integrator, false);
    mote_force_def fine = mote_callback(scene_spread, NULL);
    if (advects(integrator)) fine.as.callback.unit = MOTE_METRES_PER_SECOND;
    const mote_force_id id = add_force(system, fine);
    mote_force_id none = {7, 7};
    REFUSED(system, want, mote_system_add_force(system, def, &none));
    ASSERT(none.index, ==, 0);
    ASSERT(none.generation, ==, 0);
    REFUSED(system, want, mote_system_set_force(system, id, def));
    mote_system_destroy(system);

    float state[6][3], copy[6][3];
    for (int i = 0; i < 18; i++) state[i / 3][i % 3] = (float)i;
    memcpy(copy, state, sizeof copy);
    mote_columns columns = {.count = 3,
                            .position = {state[0], state[1], state[2]},
                            .velocity = {state[3], state[4], state[5]},
                            .mass = 1};
    mote_columns_def step = mote_default_columns_def();
    uint32_t frozen = 99;
    step.integrator = integrator;
    step.forces = def, step.force_count = 1;
    assert_int_equal(mote_columns_step(&columns, &step, &frozen), want);
    assert_int_equal(mote_columns_kick(&columns, &step, 0.5), want);
    assert_int_equal(frozen, 99);
    assert_memory_equal(copy, state, sizeof copy);
}

/* --- Defs that are wrong in themselves --- */

typedef struct bad_force {
    mote_force_def def;
    mote_result code;
} bad_force;

static void refuse_defs(const bad_force *bad, size_t count) {
    for (size_t i = 0; i < count; i++) {
        test_case("row %u, %s", (unsigned)i, mote_force_name(bad[i].def.kind));
        const char *parameter = NULL;
        assert_int_equal(mote_force_check(&bad[i].def, &parameter), bad[i].code);
        assert_int_equal(mote_force_check(&bad[i].def, NULL), bad[i].code);
        assert_non_null(parameter);
        refuse(&bad[i].def, MOTE_VELOCITY_VERLET, bad[i].code);
    }
}

TEST(numbers_that_are_not_finite_are_refused_in_every_force) {
    static const float numbers[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        const float w = numbers[i];
        const mote_force_def defs[] = {
            mote_gravity((float[3]){w, 0, 0}),
            mote_gravity((float[3]){0, w, 0}),
            mote_thrust((float[3]){0, 0, w}),
            mote_wind((float[3]){0, w, 0}, 1.0f),
            mote_wind((float[3]){0, 0, 0}, w),
            mote_anchor_spring((float[3]){0, 0, w}, 1.0f, 1.0f),
            mote_anchor_spring((float[3]){0}, w, 1),
            mote_anchor_spring((float[3]){0}, 1, w),
            mote_attractor((float[3]){w, 0, 0}, 1, 1),
            mote_attractor((float[3]){0}, w, 1),
            mote_attractor((float[3]){0}, 1, w),
            mote_vortex(zero, up, w, 1, MOTE_FIELD_WIND, 1),
            mote_vortex(zero, hole, 1, 1, MOTE_FIELD_WIND, 1),
            mote_curl_noise(w, 1, 1, 1, MOTE_FIELD_WIND, 1),
            mote_curl_noise(1, w, 1, 1, MOTE_FIELD_WIND, 1),
            mote_linear_field(hole, turn, MOTE_FIELD_WIND, 1),
            mote_linear_field(zero, (float[9]){0, -1, 0, 1, w, 0}, MOTE_FIELD_WIND, 1),
            mote_linear_field(zero, turn, MOTE_FIELD_WIND, w),
            mote_quadratic_drag(hole, 1),
            mote_particle_anchors(w, 0)};
        for (size_t k = 0; k < COUNT_OF(defs); k++)
            refuse_defs(&(bad_force){defs[k], MOTE_ERROR_NOT_FINITE}, 1);
    }
}

TEST(wrong_parameters_of_forces_are_refused) {
    mote_force_def wrong_unit = mote_callback(scene_spread, NULL), wrong_reach = wrong_unit;
    wrong_unit.as.callback.unit = (mote_force_unit)7;
    wrong_reach.as.callback.reach = (mote_force_reach)-3;
    mote_force_def kinds[3] = {mote_thrust(up), mote_thrust(up), mote_thrust(up)}, unmade = kinds[0];
    kinds[0].kind = MOTE_FORCE_KIND_COUNT, kinds[1].kind = (mote_force_kind)-1;
    kinds[2].kind = (mote_force_kind)12345, unmade.cookie = 0;
    const bad_force bad[] = {{mote_wind(zero, -1), MOTE_ERROR_RANGE},
                             {mote_anchor_spring((float[3]){0}, -1, 0), MOTE_ERROR_RANGE},
                             {mote_anchor_spring((float[3]){0}, 1, -0.5f), MOTE_ERROR_RANGE},
                             {mote_attractor((float[3]){0}, 1, -0.5f), MOTE_ERROR_RANGE},
                             {mote_callback(NULL, NULL), MOTE_ERROR_NULL},
                             {wrong_unit, MOTE_ERROR_ENUM},
                             {wrong_reach, MOTE_ERROR_ENUM},
                             {kinds[0], MOTE_ERROR_ENUM},
                             {kinds[1], MOTE_ERROR_ENUM},
                             {kinds[2], MOTE_ERROR_ENUM},
                             {unmade, MOTE_ERROR_DEF},
                             {mote_vortex(zero, zero, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_RANGE},
                             {mote_vortex(zero, up, 1, -1, MOTE_FIELD_WIND, 1), MOTE_ERROR_RANGE},
                             {mote_vortex(NULL, up, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE},
                             {mote_vortex(zero, NULL, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE},
                             {mote_curl_noise(1, -1, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_RANGE},
                             {mote_curl_noise(1, 1, -1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_RANGE},
                             {mote_curl_noise(1, 1, 1, 1, (mote_field_use)-1, 1), MOTE_ERROR_ENUM},
                             {mote_linear_field(zero, NULL, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE},
                             {mote_linear_field(zero, turn, MOTE_FIELD_WIND, -1), MOTE_ERROR_RANGE},
                             {mote_linear_field(zero, turn, MOTE_FIELD_USE_COUNT, 1), MOTE_ERROR_ENUM},
                             {mote_quadratic_drag(zero, -1), MOTE_ERROR_RANGE},
                             {mote_quadratic_drag(NULL, 1), MOTE_ERROR_NOT_FINITE},
                             {mote_particle_anchors(-1, 0), MOTE_ERROR_RANGE},
                             {mote_particle_anchors(1, -1), MOTE_ERROR_RANGE},
                             {mote_grid_field(NULL, MOTE_FIELD_WIND, 1), MOTE_ERROR_NULL}};
    refuse_defs(bad, COUNT_OF(bad));
    assert_int_equal(mote_force_check(NULL, NULL), MOTE_ERROR_NULL);
}

TEST(wrong_regions_are_refused) {
    static const float numbers[3] = {-1, NAN, INFINITY};
    const mote_force_def g = mote_gravity((float[3]){0, -9.81f, 0});
    mote_force_def unknown[2] = {g, g};
    unknown[0].region.shape = MOTE_REGION_SHAPE_COUNT;
    unknown[1].region.shape = (mote_region_shape)-1;
    const bad_force bad[] = {{mote_in_box(g, NULL, (float[3]){1, 1, 1}, 0), MOTE_ERROR_NOT_FINITE},
                             {mote_in_box(g, (float[3]){1, 1, 1}, NULL, 0), MOTE_ERROR_NOT_FINITE},
                             {mote_in_sphere(g, NULL, 1, 0), MOTE_ERROR_NOT_FINITE},
                             {unknown[0], MOTE_ERROR_ENUM},
                             {unknown[1], MOTE_ERROR_ENUM}};
    refuse_defs(bad, COUNT_OF(bad));
    for (int i = 0; i < 9; i++) {
        const mote_result want = i / 3 ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_RANGE;
        const float number = numbers[i / 3];
        float extent[3] = {1, 1, 1}, centre[3] = {0, 0, 0};
        extent[i % 3] = number;
        const bad_force sizes[] = {{mote_in_sphere(g, zero, number, 0), want},
                                   {mote_in_sphere(g, zero, 1, number), want},
                                   {mote_in_box(g, zero, (float[3]){1, 1, 1}, number), want},
                                   {mote_in_box(g, zero, extent, 0), want}};
        refuse_defs(sizes, COUNT_OF(sizes));
        if (i / 3 == 0) continue;
        centre[i % 3] = number;
        const bad_force places[] = {{mote_in_box(g, centre, (float[3]){1, 1, 1}, 0), want},
                                    {mote_in_sphere(g, centre, 1, 0), want}};
        refuse_defs(places, COUNT_OF(places));
    }
}

TEST(wrong_keys_of_a_timed_thrust_are_refused) {
    static const float level[2] = {1, 1}, falling[3] = {0, 2, 1}, gap[2] = {0, NAN}, fine[2] = {0, 1};
    static float forces[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, broken[6] = {1, 2, 3, 4, INFINITY, 6};
    static const float nine[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static float nine_forces[27] = {0};
    const bad_force bad[] = {{mote_timed_thrust(level, forces, 2), MOTE_ERROR_RANGE},
                             {mote_timed_thrust(falling, forces, 3), MOTE_ERROR_RANGE},
                             {mote_timed_thrust(fine, forces, 0), MOTE_ERROR_RANGE},
                             {mote_timed_thrust(nine, nine_forces, 9), MOTE_ERROR_RANGE},
                             {mote_timed_thrust(gap, forces, 2), MOTE_ERROR_NOT_FINITE},
                             {mote_timed_thrust(fine, broken, 2), MOTE_ERROR_NOT_FINITE},
                             {mote_timed_thrust(NULL, forces, 2), MOTE_ERROR_NOT_FINITE},
                             {mote_timed_thrust(fine, NULL, 2), MOTE_ERROR_NOT_FINITE}};
    const mote_force_def eight = mote_timed_thrust(nine, nine_forces, 8);
    refuse_defs(bad, COUNT_OF(bad));
    OK(mote_force_check(&eight, NULL));
}

TEST(null_in_place_of_a_force_is_refused) {
    mote_system *system = make(MOTE_RK4, false);
    const mote_force_def gravity = mote_gravity((float[3]){0.0f, -1.0f, 0.0f});
    const mote_force_id id = add_force(system, gravity);
    mote_force_id other;
    OK(mote_force_check(&gravity, NULL));
    REFUSALS(system, REFUSES(NULL, mote_system_add_force(system, NULL, &other)),
             REFUSES(NULL, mote_system_add_force(NULL, &gravity, &other)),
             REFUSES(NULL, mote_system_set_force(system, id, NULL)),
             REFUSES(NULL, mote_system_set_force(NULL, id, &gravity)),
             REFUSES(NULL, mote_system_remove_force(NULL, id)));
    mote_system_destroy(system);
}

/* --- Grids --- */

static void refuse_grid(const mote_grid_def *def, mote_result want) {
    mote_grid *grid = (mote_grid *)(uintptr_t)1;
    assert_int_equal(mote_grid_create(def, &grid), want);
    assert_null(grid);
}

#define GRID(member, value, want) BAD_VALUE(mote_grid_def, member, value, MOTE_ERROR_##want)
#define GRID_AXIS(k)                                                                                         \
    GRID(count[k], 0, RANGE), GRID(count[k], 1, RANGE), GRID(count[k], UINT32_MAX, RANGE),                   \
        GRID(count[k], (1u << 24) + 1, RANGE), GRID(spacing[k], 0, RANGE), GRID(spacing[k], -1, RANGE),      \
        GRID(spacing[k], NAN, NOT_FINITE), GRID(origin[k], INFINITY, NOT_FINITE)

TEST(wrong_defs_of_grids_make_no_grid) {
    static const bad_value rows[] = {GRID_AXIS(0),           GRID_AXIS(1),
                                     GRID_AXIS(2),           GRID(cookie, 0, DEF),
                                     GRID(vectors, 0, NULL), GRID(allocator.release, 0, NULL)};
    float samples[8][3] = {{0}};
    memory_ledger ledger = {0};
    mote_grid_def fine = mote_default_grid_def(), def;
    mote_grid *grid;
    fine.count[0] = fine.count[1] = fine.count[2] = 2;
    fine.vectors = (const float(*)[3])samples;
    fine.allocator = ledger_allocator(&ledger);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        def = fine;
        spoil(&def, &rows[i]);
        const char *parameter = NULL;
        assert_int_equal(mote_grid_def_check(&def, &parameter), rows[i].want);
        assert_field(&rows[i], parameter);
        refuse_grid(&def, rows[i].want);
    }
    test_case(NULL);
    def = fine;
    def.count[0] = def.count[1] = def.count[2] = 1u << 22; /* the product wraps to 4 in 64 bits */
    refuse_grid(&def, MOTE_ERROR_RANGE);
    assert_int_equal(ledger.calls, 0);
    for (int i = 0; i < 24; i += 5) {
        samples[i / 3][i % 3] = i % 2 ? NAN : -INFINITY;
        refuse_grid(&fine, MOTE_ERROR_NOT_FINITE);
        samples[i / 3][i % 3] = 0;
    }
    ledger.fail_at = ledger.calls + 1;
    refuse_grid(&fine, MOTE_ERROR_MEMORY);
    refuse_grid(NULL, MOTE_ERROR_NULL);
    assert_int_equal(mote_grid_create(&fine, NULL), MOTE_ERROR_NULL);
    OK(mote_grid_create(&fine, &grid));
    mote_grid_destroy(grid);
    mote_grid_destroy(NULL);
    ASSERT(ledger.live_bytes, ==, 0);
    ASSERT(ledger.faults, ==, 0);
}

/* --- Forces and integrators --- */

TEST(velocity_fields_and_momentum_do_not_mix) {
    mote_force_def stream = mote_callback(scene_spread, NULL), chase = mote_callback(scene_chase, NULL);
    stream.as.callback.unit = MOTE_METRES_PER_SECOND;
    chase.as.callback.reach = MOTE_REACH_RANGE;
    const mote_force_def velocity[] = {
        mote_linear_field(zero, turn, MOTE_FIELD_VELOCITY, 0), stream,
        mote_vortex(zero, (float[3]){0, 0, 1}, 1, 1, MOTE_FIELD_VELOCITY, 0),
        mote_curl_noise(1, 1, 1, 1, MOTE_FIELD_VELOCITY, 0),
        mote_in_sphere(mote_linear_field(zero, turn, MOTE_FIELD_VELOCITY, 0), zero, 1, 1)};
    const mote_force_def momentum[] = {
        mote_gravity((float[3]){0, 1, 0}),
        mote_linear_field(zero, turn, MOTE_FIELD_WIND, 1),
        mote_vortex(zero, (float[3]){0, 0, 1}, 1, 1, MOTE_FIELD_ACCELERATION, 0),
        mote_callback(scene_spread, NULL),
        mote_quadratic_drag(zero, 1),
        mote_wind(zero, 1)};
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        test_case("%s", integrator_name(m));
        for (size_t i = 0; i < COUNT_OF(velocity) && !advects(m); i++)
            refuse(&velocity[i], m, MOTE_ERROR_INTEGRATOR);
        for (size_t i = 0; i < COUNT_OF(momentum) && advects(m); i++)
            refuse(&momentum[i], m, MOTE_ERROR_INTEGRATOR);
    }
    const mote_force_def anchors = mote_particle_anchors(1, 0);
    refuse(&chase, MOTE_POSITION_VERLET, MOTE_ERROR_INTEGRATOR);
    refuse(&anchors, MOTE_SEMI_IMPLICIT_EULER, MOTE_ERROR_ABSENT);
}

/* It has nothing to be exact about: found when time is to pass. */
TEST(exact_flow_of_callbacks_alone_does_not_step) {
    mote_system *system = make(MOTE_EXACT_FLOW, false);
    float points[1][3] = {{42, 42, 42}};
    const mote_preview_def preview = mote_default_preview_def();
    mote_advance advance = {.steps = 77};
    stepped(system, 1);
    add_force(system, mote_callback(scene_spread, NULL));
    REFUSALS(system, REFUSES(INTEGRATOR, mote_system_step(system, 1, &advance)),
             REFUSES(INTEGRATOR, mote_system_advance(system, 1000000000, &advance)),
             REFUSES(INTEGRATOR, mote_systems_advance(&system, 1, 1000000000, NULL, &advance)),
             REFUSES(INTEGRATOR, mote_system_preview(system, &preview, points)));
    ASSERT(advance.steps, ==, 77);
    ASSERT(points[0][0], ==, 42);
    add_force(system, mote_gravity((float[3]){0, -1, 0}));
    stepped(system, 1);
    mote_system_destroy(system);
}

static void refuse_preview(mote_system *system, const mote_preview_def *def, mote_result want) {
    float points[2][3] = {{5, 5, 5}, {5, 5, 5}};
    REFUSED(system, want, mote_system_preview(system, def, points));
    ASSERT(points[0][0], ==, 5);
    ASSERT(points[1][2], ==, 5);
}

#define PREVIEW(member, value, want) BAD_VALUE(mote_preview_def, member, value, MOTE_ERROR_##want)

TEST(wrong_calls_of_seek_preview_and_statistics_are_refused) {
    static const bad_value rows[] = {PREVIEW(cookie, 0, DEF),
                                     PREVIEW(interval, 0, RANGE),
                                     PREVIEW(interval, -1, RANGE),
                                     PREVIEW(interval, NAN, NOT_FINITE),
                                     PREVIEW(inverse_mass, -1, RANGE),
                                     PREVIEW(inverse_mass, INFINITY, NOT_FINITE),
                                     PREVIEW(position[1], NAN, NOT_FINITE),
                                     PREVIEW(velocity[2], INFINITY, NOT_FINITE)};
    mote_system *system = make(MOTE_EXACT_FLOW, true);
    mote_preview_def fine = mote_default_preview_def(), huge;
    fine.interval = 0.5, fine.count = 2;
    const mote_force_def anchors = mote_particle_anchors(1, 0);
    float points[2][3];
    mote_force_def chase = mote_callback(scene_chase, NULL);
    mote_statistics statistics;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_preview_def def = fine;
        spoil(&def, &rows[i]);
        refuse_preview(system, &def, rows[i].want);
        const char *parameter = NULL;
        assert_int_equal(mote_preview_def_check(&def, &parameter), rows[i].want);
        assert_field(&rows[i], parameter);
    }
    test_case(NULL);
    REFUSALS(system, REFUSES(NULL, mote_system_preview(NULL, &fine, points)),
             REFUSES(NULL, mote_system_preview(system, NULL, points)),
             REFUSES(NULL, mote_system_preview(system, &fine, NULL)),
             REFUSES(NULL, mote_system_seek(NULL, 1)),
             REFUSES(NULL, mote_system_statistics(NULL, &statistics)),
             REFUSES(NULL, mote_system_statistics(system, NULL)));
    /* Any interval under affine forces; with others it takes steps, of which there are only so many. */
    huge = fine, huge.interval = 1e300;
    OK(mote_system_preview(system, &huge, points));
    const mote_force_id star = add_force(system, mote_attractor((const float[3]){0, 0, 0}, 1, 1));
    refuse_preview(system, &huge, MOTE_ERROR_RANGE);
    huge.interval = MOTE_MAX_PREVIEW_STEPS / 60.0;
    refuse_preview(system, &huge, MOTE_ERROR_RANGE);
    huge.interval = 10, huge.count = MOTE_MAX_PREVIEW_STEPS / 599;
    refuse_preview(system, &huge, MOTE_ERROR_RANGE);
    OK(mote_system_preview(system, &fine, points));
    OK(mote_system_remove_force(system, star));
    chase.as.callback.reach = MOTE_REACH_RANGE;
    const mote_force_id id = add_force(system, chase);
    refuse_preview(system, &fine, MOTE_ERROR_INTEGRATOR);
    OK(mote_system_set_force(system, id, &anchors));
    refuse_preview(system, &fine, MOTE_ERROR_INTEGRATOR);
    mote_system_destroy(system);
}
