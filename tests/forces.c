/* Bad input to forces, fields, grids, seek and preview: each wrong call returns its code and changes
 * nothing. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "support.h"

static mote_system *make(mote_integrator integrator, bool anchors) {
    mote_system_def def = mote_default_system_def();
    def.integrator = integrator;
    def.anchor_column = anchors;
    mote_system *system;
    mote_range_view view;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_spawn(system, 20, &view), MOTE_OK);
    for (int i = 0; i < 20; i++) view.position.x[i] = (float)i;
    return system;
}

/* The check, adding, setting and stepping all refuse, and neither system nor arrays change. */
static void refuse(const mote_force_def *def, mote_integrator integrator, mote_result want) {
    mote_system *system = make(integrator, false);
    mote_force_def fine = mote_callback(scene_push, NULL);
    if (advects(integrator)) fine.as.callback.unit = MOTE_METRES_PER_SECOND;
    mote_force_id id, none = {7, 7};
    assert_int_equal(mote_system_add_force(system, &fine, &id), MOTE_OK);
    uint64_t hash = mote_system_hash(system);
    assert_int_equal(mote_system_add_force(system, def, &none), want);
    ASSERT(none.index, ==, 0);
    ASSERT(none.generation, ==, 0);
    assert_int_equal(mote_system_set_force(system, id, def), want);
    ASSERT(mote_system_hash(system), ==, hash);
    mote_system_destroy(system);

    float state[6][3], copy[6][3];
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < 3; i++) state[c][i] = (float)(c + 10 * i);
    memcpy(copy, state, sizeof copy);
    mote_columns columns = {.count = 3,
                            .position = {state[0], state[1], state[2]},
                            .velocity = {state[3], state[4], state[5]},
                            .uniform_mass = 1};
    mote_columns_def step = mote_default_columns_def();
    uint32_t frozen = 99;
    step.integrator = integrator;
    step.forces = def, step.force_count = 1;
    assert_int_equal(mote_columns_step(&columns, &step, &frozen), want);
    assert_int_equal(mote_columns_kick(&columns, &step, 0.5), want);
    assert_int_equal(frozen, 99);
    assert_memory_equal(copy, state, sizeof copy);
}

/* A def that is wrong in itself. */
static void refuse_def(mote_force_def def, mote_result want) {
    assert_int_equal(mote_force_check(&def), want);
    refuse(&def, MOTE_VELOCITY_VERLET, want);
}

TEST(regions) {
    static const float bad[3] = {-1, NAN, INFINITY};
    const mote_force_def g = mote_gravity((vec3){0, -9.81f, 0});
    for (int i = 0; i < 3; i++) {
        mote_result want = i ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_RANGE;
        refuse_def(mote_in_sphere(g, (vec3){0, 0, 0}, bad[i], 0), want);
        refuse_def(mote_in_sphere(g, (vec3){0, 0, 0}, 1, bad[i]), want);
        refuse_def(mote_in_box(g, (vec3){0, 0, 0}, (vec3){1, 1, 1}, bad[i]), want);
        for (int axis = 0; axis < 3; axis++) {
            vec3 extent = {1, 1, 1}, centre = {0, 0, 0};
            extent[axis] = bad[i];
            refuse_def(mote_in_box(g, centre, extent, 0), want);
            if (i == 0) continue;
            centre[axis] = bad[i];
            refuse_def(mote_in_box(g, centre, (vec3){1, 1, 1}, 0), want);
            refuse_def(mote_in_sphere(g, centre, 1, 0), want);
        }
    }
    refuse_def(mote_in_box(g, NULL, (vec3){1, 1, 1}, 0), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_in_box(g, (vec3){1, 1, 1}, NULL, 0), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_in_sphere(g, NULL, 1, 0), MOTE_ERROR_NOT_FINITE);
    mote_force_def unknown = g;
    unknown.region.shape = MOTE_REGION_SHAPE_COUNT;
    refuse_def(unknown, MOTE_ERROR_ENUM);
    unknown.region.shape = (mote_region_shape)-1;
    refuse_def(unknown, MOTE_ERROR_ENUM);
}

TEST(thrust_by_time) {
    static const float level[2] = {1, 1}, falling[3] = {0, 2, 1}, hole[2] = {0, NAN}, fine[2] = {0, 1};
    static vec3 forces[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, broken[2] = {{1, 2, 3}, {4, INFINITY, 6}};
    static const float nine[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static vec3 nine_forces[9] = {{0}};
    refuse_def(mote_timed_thrust(level, forces, 2), MOTE_ERROR_RANGE);
    refuse_def(mote_timed_thrust(falling, forces, 3), MOTE_ERROR_RANGE);
    refuse_def(mote_timed_thrust(fine, forces, 0), MOTE_ERROR_RANGE);
    refuse_def(mote_timed_thrust(nine, nine_forces, 9), MOTE_ERROR_RANGE);
    refuse_def(mote_timed_thrust(hole, forces, 2), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_timed_thrust(fine, broken, 2), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_timed_thrust(NULL, forces, 2), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_timed_thrust(fine, NULL, 2), MOTE_ERROR_NOT_FINITE);
    mote_force_def eight = mote_timed_thrust(nine, nine_forces, 8);
    assert_int_equal(mote_force_check(&eight), MOTE_OK);
}

TEST(parameters) {
    static const vec3 zero = {0, 0, 0}, up = {0, 1, 0}, hole = {0, NAN, 0};
    static mat3 turn = {{0, -1, 0}, {1, 0, 0}, {0, 0, 0}};
    mat3 bad_turn = {{0, -1, 0}, {1, NAN, 0}, {0, 0, 0}};
    refuse_def(mote_vortex(zero, zero, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_RANGE);
    refuse_def(mote_vortex(zero, up, 1, -1, MOTE_FIELD_WIND, 1), MOTE_ERROR_RANGE);
    refuse_def(mote_vortex(zero, hole, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_vortex(NULL, up, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_vortex(zero, NULL, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_vortex(zero, up, NAN, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_curl_noise(NAN, 1, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_curl_noise(1, -1, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_RANGE);
    refuse_def(mote_curl_noise(1, 1, -1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_RANGE);
    refuse_def(mote_curl_noise(1, INFINITY, 1, 1, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_linear_field(hole, turn, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_linear_field(zero, bad_turn, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_linear_field(zero, NULL, MOTE_FIELD_WIND, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_linear_field(zero, turn, MOTE_FIELD_WIND, -1), MOTE_ERROR_RANGE);
    refuse_def(mote_linear_field(zero, turn, MOTE_FIELD_WIND, NAN), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_linear_field(zero, turn, MOTE_FIELD_USE_COUNT, 1), MOTE_ERROR_ENUM);
    refuse_def(mote_curl_noise(1, 1, 1, 1, (mote_field_use)-1, 1), MOTE_ERROR_ENUM);
    refuse_def(mote_quadratic_drag(zero, -1), MOTE_ERROR_RANGE);
    refuse_def(mote_quadratic_drag(hole, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_quadratic_drag(NULL, 1), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_particle_anchors(-1, 0), MOTE_ERROR_RANGE);
    refuse_def(mote_particle_anchors(1, -1), MOTE_ERROR_RANGE);
    refuse_def(mote_particle_anchors(NAN, 0), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_wind(zero, -1), MOTE_ERROR_RANGE);
    refuse_def(mote_wind(zero, NAN), MOTE_ERROR_NOT_FINITE);
    refuse_def(mote_grid_field(NULL, MOTE_FIELD_WIND, 1), MOTE_ERROR_NULL);
    mote_force_def unknown = {.kind = MOTE_FORCE_KIND_COUNT};
    refuse_def(unknown, MOTE_ERROR_ENUM);
    assert_int_equal(mote_force_check(NULL), MOTE_ERROR_NULL);
}

TEST(grids) {
    float samples[8][3] = {{0}};
    mote_grid_def fine = mote_default_grid_def();
    mote_grid *grid = NULL;
    for (int axis = 0; axis < 3; axis++) fine.count[axis] = 2;
    fine.vectors = (const float(*)[3])samples;
    memory_ledger ledger = {0};
    fine.allocator = ledger_allocator(&ledger);
#define REFUSE(want, change)                                                                                 \
    do {                                                                                                     \
        mote_grid_def def = fine;                                                                            \
        grid = (mote_grid *)samples;                                                                         \
        change;                                                                                              \
        assert_int_equal(mote_grid_create(&def, &grid), want);                                               \
        assert_null(grid);                                                                                   \
    } while (0)
    for (int axis = 0; axis < 3; axis++) {
        REFUSE(MOTE_ERROR_RANGE, def.count[axis] = 0);
        REFUSE(MOTE_ERROR_RANGE, def.count[axis] = 1);
        REFUSE(MOTE_ERROR_RANGE, def.count[axis] = UINT32_MAX);
        REFUSE(MOTE_ERROR_RANGE, def.count[axis] = (1u << 24) + 1);
        REFUSE(MOTE_ERROR_RANGE, def.spacing[axis] = 0);
        REFUSE(MOTE_ERROR_RANGE, def.spacing[axis] = -1);
        REFUSE(MOTE_ERROR_NOT_FINITE, def.spacing[axis] = NAN);
        REFUSE(MOTE_ERROR_NOT_FINITE, def.origin[axis] = INFINITY);
    }
    /* 2^22 x 2^22 x 2^22 wraps to 4 in 64 bits. */
    REFUSE(MOTE_ERROR_RANGE, (def.count[0] = 1u << 22, def.count[1] = 1u << 22, def.count[2] = 1u << 22));
    REFUSE(MOTE_ERROR_DEF, def.cookie = 0);
    REFUSE(MOTE_ERROR_NULL, def.vectors = NULL);
    REFUSE(MOTE_ERROR_NULL, def.allocator.release = NULL);
    assert_int_equal(ledger.calls, 0);
    for (int i = 0; i < 24; i += 5) {
        samples[i / 3][i % 3] = i % 2 ? NAN : -INFINITY;
        REFUSE(MOTE_ERROR_NOT_FINITE, (void)0);
        samples[i / 3][i % 3] = 0;
    }
    ledger.fail_at = ledger.calls + 1;
    REFUSE(MOTE_ERROR_MEMORY, (void)0);
    assert_int_equal(mote_grid_create(NULL, &grid), MOTE_ERROR_NULL);
    assert_int_equal(mote_grid_create(&fine, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_grid_create(&fine, &grid), MOTE_OK);
    mote_grid_destroy(grid);
    mote_grid_destroy(NULL);
    ASSERT(ledger.live_bytes, ==, 0);
    ASSERT(ledger.faults, ==, 0);
}

TEST(fields_and_integrators) {
    static const vec3 zero = {0, 0, 0};
    static mat3 turn = {{0, -1, 0}, {1, 0, 0}, {0, 0, 0}};
    mote_force_def stream = mote_callback(scene_push, NULL), chase = mote_callback(scene_chase, NULL);
    stream.as.callback.unit = MOTE_METRES_PER_SECOND;
    chase.as.callback.reach = MOTE_REACH_RANGE;
    mote_force_def velocity[] = {mote_linear_field(zero, turn, MOTE_FIELD_VELOCITY, 0), stream,
                                 mote_vortex(zero, (vec3){0, 0, 1}, 1, 1, MOTE_FIELD_VELOCITY, 0),
                                 mote_curl_noise(1, 1, 1, 1, MOTE_FIELD_VELOCITY, 0)};
    mote_force_def momentum[] = {mote_gravity((vec3){0, 1, 0}),
                                 mote_linear_field(zero, turn, MOTE_FIELD_WIND, 1),
                                 mote_vortex(zero, (vec3){0, 0, 1}, 1, 1, MOTE_FIELD_ACCELERATION, 0),
                                 mote_callback(scene_push, NULL),
                                 mote_quadratic_drag(zero, 1),
                                 mote_wind(zero, 1)};
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++) {
        for (size_t i = 0; i < COUNT_OF(velocity) && !advects(m); i++)
            refuse(&velocity[i], m, MOTE_ERROR_INTEGRATOR);
        for (size_t i = 0; i < COUNT_OF(momentum) && advects(m); i++)
            refuse(&momentum[i], m, MOTE_ERROR_INTEGRATOR);
    }
    refuse(&chase, MOTE_POSITION_VERLET, MOTE_ERROR_INTEGRATOR);
    /* A region does not change what a force is. */
    mote_force_def inside = mote_in_sphere(velocity[0], zero, 1, 1);
    refuse(&inside, MOTE_RK4, MOTE_ERROR_INTEGRATOR);
    mote_force_def anchors = mote_particle_anchors(1, 0);
    refuse(&anchors, MOTE_SEMI_IMPLICIT_EULER, MOTE_ERROR_ABSENT);
}

/* Exact flow with callbacks alone has nothing to be exact about: found when time is to pass. */
TEST(exact_flow_of_callbacks) {
    mote_system *system = make(MOTE_EXACT_FLOW, false);
    mote_force_def push = mote_callback(scene_push, NULL), gravity = mote_gravity((vec3){0, -1, 0});
    mote_force_id ids[2];
    float points[1][3] = {{42, 42, 42}};
    mote_preview_def preview = {.interval = 1, .count = 1, .inverse_mass = 1};
    mote_advance advance = {.steps = 77};
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_system_add_force(system, &push, &ids[0]), MOTE_OK);
    uint64_t hash = mote_system_hash(system);
    assert_int_equal(mote_system_step(system, 1, &advance), MOTE_ERROR_INTEGRATOR);
    assert_int_equal(mote_system_advance(system, 1000000000, &advance), MOTE_ERROR_INTEGRATOR);
    assert_int_equal(mote_systems_advance(&system, 1, 1000000000, NULL, &advance), MOTE_ERROR_INTEGRATOR);
    assert_int_equal(mote_system_preview(system, &preview, points), MOTE_ERROR_INTEGRATOR);
    ASSERT(advance.steps, ==, 77);
    ASSERT(points[0][0], ==, 42);
    ASSERT(mote_system_hash(system), ==, hash);
    assert_int_equal(mote_system_add_force(system, &gravity, &ids[1]), MOTE_OK);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    mote_system_destroy(system);
}

TEST(seek_and_preview) {
    mote_system *system = make(MOTE_RK4, true);
    mote_preview_def fine = {.position = {1, 2, 3}, .inverse_mass = 1, .interval = 0.5, .count = 2};
    float points[2][3] = {{5, 5, 5}, {5, 5, 5}};
    mote_force_def chase = mote_callback(scene_chase, NULL), anchors = mote_particle_anchors(1, 0);
    mote_force_id id;
    uint64_t hash = mote_system_hash(system);
#define REFUSE_PREVIEW(want, change)                                                                         \
    do {                                                                                                     \
        mote_preview_def def = fine;                                                                         \
        change;                                                                                              \
        assert_int_equal(mote_system_preview(system, &def, points), want);                                   \
        {                                                                                                    \
            ASSERT(points[0][0], ==, 5);                                                                     \
            ASSERT(points[1][2], ==, 5);                                                                     \
        }                                                                                                    \
    } while (0)
    REFUSE_PREVIEW(MOTE_ERROR_RANGE, def.interval = 0);
    REFUSE_PREVIEW(MOTE_ERROR_RANGE, def.interval = -1);
    REFUSE_PREVIEW(MOTE_ERROR_NOT_FINITE, def.interval = NAN);
    REFUSE_PREVIEW(MOTE_ERROR_RANGE, def.inverse_mass = -1);
    REFUSE_PREVIEW(MOTE_ERROR_NOT_FINITE, def.inverse_mass = INFINITY);
    REFUSE_PREVIEW(MOTE_ERROR_NOT_FINITE, def.position[1] = NAN);
    REFUSE_PREVIEW(MOTE_ERROR_NOT_FINITE, def.velocity[2] = INFINITY);
    assert_int_equal(mote_system_preview(NULL, &fine, points), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_preview(system, NULL, points), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_preview(system, &fine, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_seek(NULL, 1), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_statistics(NULL, &(mote_statistics){0}), MOTE_ERROR_NULL);
    assert_int_equal(mote_system_statistics(system, NULL), MOTE_ERROR_NULL);
    ASSERT(mote_system_hash(system), ==, hash);
    chase.as.callback.reach = MOTE_REACH_RANGE;
    assert_int_equal(mote_system_add_force(system, &chase, &id), MOTE_OK);
    REFUSE_PREVIEW(MOTE_ERROR_INTEGRATOR, (void)0);
    assert_int_equal(mote_system_set_force(system, id, &anchors), MOTE_OK);
    REFUSE_PREVIEW(MOTE_ERROR_INTEGRATOR, (void)0);
    mote_system_destroy(system);
}
