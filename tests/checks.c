/* Checks of defs name the field that they refuse. Those with tables of bad values are tested beside these:
 * system defs in input.c, networks and strands in network_calls.c and strand_calls.c, links in link_calls.c,
 * grids and previews in forces.c, layouts of particles in present_more.c, rods in rod_sections.c. */
#include "test.h"

#include <math.h>

#include "systems.h"

typedef struct named_force {
    const char *name;
    mote_force_def def;
} named_force;

static void expect_names(const named_force *rows, size_t count, mote_result want) {
    for (size_t i = 0; i < count; i++) {
        const char *parameter = NULL;
        test_case("row %zu: %s of %s", i, rows[i].name, mote_force_name(rows[i].def.kind));
        assert_int_equal(mote_force_check(&rows[i].def, &parameter), want);
        assert_string_equal(parameter, rows[i].name);
    }
}

static const float ZEROS[9], ZERO[3], UP[3] = {0, 1, 0}, BROKEN[3] = {0, 0, NAN};

TEST(forces_name_the_number_that_is_not_finite) {
    const mote_field_use use = MOTE_FIELD_WIND;
    mote_force_def matrix = mote_linear_field(ZERO, ZEROS, use, 1), times = mote_thrust(UP), keys;
    const float time[2] = {0, 1};
    float force[2][3] = {{0}};
    keys = times = mote_timed_thrust(time, force[0], 2);
    matrix.as.linear_field.matrix[2][2] = NAN;
    times.as.timed_thrust.time[7] = NAN, keys.as.timed_thrust.force[7][2] = INFINITY;
    const named_force rows[] = {{"acceleration", mote_gravity(BROKEN)},
                                {"force", mote_thrust(BROKEN)},
                                {"velocity", mote_wind(BROKEN, 1)},
                                {"drag", mote_wind(ZERO, NAN)},
                                {"anchor", mote_anchor_spring(BROKEN, 1, 1)},
                                {"stiffness", mote_anchor_spring(ZERO, NAN, 1)},
                                {"damping", mote_anchor_spring(ZERO, 1, NAN)},
                                {"centre", mote_attractor(BROKEN, 1, 1)},
                                {"strength", mote_attractor(ZERO, NAN, 1)},
                                {"softening", mote_attractor(ZERO, 1, NAN)},
                                {"time", times},
                                {"force", keys},
                                {"velocity", mote_quadratic_drag(BROKEN, 1)},
                                {"coefficient", mote_quadratic_drag(ZERO, NAN)},
                                {"stiffness", mote_particle_anchors(NAN, 1)},
                                {"damping", mote_particle_anchors(1, NAN)},
                                {"offset", mote_linear_field(BROKEN, ZEROS, use, 1)},
                                {"matrix", matrix},
                                {"centre", mote_vortex(BROKEN, UP, 1, 1, use, 1)},
                                {"axis", mote_vortex(ZERO, BROKEN, 1, 1, use, 1)},
                                {"strength", mote_vortex(ZERO, UP, NAN, 1, use, 1)},
                                {"core", mote_vortex(ZERO, UP, 1, NAN, use, 1)},
                                {"amplitude", mote_curl_noise(NAN, 1, 1, 1, use, 1)},
                                {"frequency", mote_curl_noise(1, NAN, 1, 1, use, 1)},
                                {"rate", mote_curl_noise(1, 1, NAN, 1, use, 1)},
                                {"falloff", mote_in_sphere(mote_gravity(UP), ZERO, 1, NAN)},
                                {"centre", mote_in_sphere(mote_gravity(UP), BROKEN, 1, 0)},
                                {"extent", mote_in_box(mote_gravity(UP), ZERO, BROKEN, 0)}};
    expect_names(rows, COUNT_OF(rows), MOTE_ERROR_NOT_FINITE);
}

TEST(forces_name_the_number_that_is_out_of_range) {
    const mote_field_use use = MOTE_FIELD_WIND;
    const float level[2] = {1, 1};
    float force[2][3] = {{0}};
    mote_force_def here = mote_callback(scene_spread, NULL);
    here.region.shape = MOTE_REGION_BOX;
    const named_force rows[] = {{"drag", mote_wind(ZERO, -1)},
                                {"stiffness", mote_anchor_spring(ZERO, -1, 1)},
                                {"damping", mote_anchor_spring(ZERO, 1, -1)},
                                {"softening", mote_attractor(ZERO, 1, -1)},
                                {"time", mote_timed_thrust(level, force[0], 2)},
                                {"count", mote_timed_thrust(level, force[0], 0)},
                                {"coefficient", mote_quadratic_drag(ZERO, -1)},
                                {"axis", mote_vortex(ZERO, ZERO, 1, 1, use, 1)},
                                {"core", mote_vortex(ZERO, UP, 1, -1, use, 1)},
                                {"frequency", mote_curl_noise(1, -1, 1, 1, use, 1)},
                                {"rate", mote_curl_noise(1, 1, -1, 1, use, 1)},
                                {"extent", mote_in_sphere(mote_gravity(UP), ZERO, -1, 0)},
                                {"falloff", mote_in_sphere(mote_gravity(UP), ZERO, 1, -1)},
                                {"shape", here}};
    expect_names(rows, COUNT_OF(rows), MOTE_ERROR_RANGE);
    const char *parameter = "none";
    const mote_force_def good = mote_gravity(UP);
    OK(mote_force_check(&good, &parameter));
    assert_null(parameter);
}

#define COLLIDER(member, value, want) BAD_VALUE(mote_collider_def, member, value, MOTE_ERROR_##want)
#define COLUMNS(member, value, want)  BAD_VALUE(mote_columns_def, member, value, MOTE_ERROR_##want)
#define ARRAYS(member, value, want)   BAD_VALUE(mote_columns, member, value, MOTE_ERROR_##want)
#define LAYOUT(member, value, want)   BAD_VALUE(mote_strand_layout, member, value, MOTE_ERROR_##want)
/* --- Defs and layouts that one system or object refuses --- */

static void swirl(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user, (void)stage, (void)x, (void)y, (void)z;
}

TEST(forces_that_a_system_cannot_take_name_the_field) {
    mote_force_def field = mote_linear_field(ZERO, ZEROS, MOTE_FIELD_VELOCITY, 0),
                   speed = mote_callback(swirl, NULL), far = speed, drag = mote_wind(ZERO, -1);
    speed.as.callback.unit = MOTE_METRES_PER_SECOND, far.as.callback.reach = MOTE_REACH_RANGE;
    const struct {
        const char *name;
        mote_force_def def;
        mote_integrator integrator;
        mote_result want;
    } rows[] = {{"kind", mote_particle_anchors(1, 0), MOTE_RK4, MOTE_ERROR_ABSENT},
                {"kind", mote_gravity(UP), MOTE_ADVECT_EULER, MOTE_ERROR_INTEGRATOR},
                {"use", field, MOTE_RK4, MOTE_ERROR_INTEGRATOR},
                {"unit", speed, MOTE_RK4, MOTE_ERROR_INTEGRATOR},
                {"reach", far, MOTE_POSITION_VERLET, MOTE_ERROR_INTEGRATOR},
                {"drag", drag, MOTE_RK4, MOTE_ERROR_RANGE},
                {NULL, far, MOTE_RK4, MOTE_OK},
                {NULL, field, MOTE_ADVECT_EULER, MOTE_OK}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *parameter = "";
        mote_force_id id;
        mote_system_def def = mote_default_system_def();
        def.integrator = rows[i].integrator;
        mote_system *system = system_of(&def);
        test_case("row %zu", i);
        assert_int_equal(mote_system_force_check(system, &rows[i].def, &parameter), rows[i].want);
        if (rows[i].name)
            assert_string_equal(parameter, rows[i].name);
        else
            assert_null(parameter);
        assert_int_equal(mote_system_add_force(system, &rows[i].def, &id), rows[i].want);
        assert_int_equal(mote_system_force_check(system, NULL, NULL), MOTE_ERROR_NULL);
        mote_system_destroy(system);
    }
    assert_int_equal(mote_system_force_check(NULL, &far, NULL), MOTE_ERROR_NULL);
}

#define PLACES(member, value, want) BAD_VALUE(mote_present_layout, member, value, MOTE_ERROR_##want)

TEST(layouts_of_networks_name_the_field) {
    static const bad_value rows[] = {PLACES(cookie, 0, DEF),
                                     PLACES(colour_format, 9, ENUM),
                                     PLACES(origin[1], NAN, NOT_FINITE),
                                     PLACES(position_offset, 1, RANGE),
                                     PLACES(position_offset, -1, RANGE),
                                     PLACES(velocity_offset, 0, RANGE),
                                     PLACES(age_offset, 0, RANGE),
                                     PLACES(remaining_offset, 0, RANGE),
                                     PLACES(extra_offset[7], 0, RANGE),
                                     PLACES(size_offset, 0, RANGE),
                                     PLACES(colour_offset, 0, RANGE),
                                     PLACES(orientation_offset, 0, RANGE)};
    const char *parameter;
    const uint32_t order = 0;
    mote_present_layout layout = mote_default_present_layout();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        layout = mote_default_present_layout();
        OK(mote_network_layout_check(&layout, &parameter));
        assert_null(parameter);
        spoil(&layout, &rows[i]);
        assert_int_equal(mote_network_layout_check(&layout, &parameter), rows[i].want);
        assert_field(&rows[i], parameter);
    }
    layout = mote_default_present_layout(), layout.order = &order, layout.order_count = 1;
    assert_int_equal(mote_network_layout_check(&layout, &parameter), MOTE_ERROR_RANGE);
    assert_string_equal(parameter, "order");
    assert_int_equal(mote_network_layout_check(NULL, &parameter), MOTE_ERROR_NULL);
}

#define RESAMPLE(member, value, want) BAD_VALUE(mote_hair_resample_def, member, value, MOTE_ERROR_##want)

TEST(colliders_name_the_field) {
    static const bad_value rows[] = {COLLIDER(cookie, 0, DEF),
                                     COLLIDER(kind, -1, ENUM),
                                     COLLIDER(transform.position[2], NAN, NOT_FINITE),
                                     COLLIDER(transform.rotation[0], INFINITY, NOT_FINITE),
                                     COLLIDER(transform.rotation[3], 0, RANGE),
                                     COLLIDER(radius, 0, RANGE),
                                     COLLIDER(radius, -1, RANGE),
                                     COLLIDER(half_length, NAN, NOT_FINITE),
                                     COLLIDER(extent[1], -1, RANGE),
                                     COLLIDER(friction, -1, RANGE)};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_collider_def def = mote_sphere(ZERO, 1);
        const char *parameter = NULL;
        spoil(&def, &rows[i]);
        assert_int_equal(mote_collider_check(&def, &parameter), rows[i].want);
        assert_field(&rows[i], parameter);
    }
}

TEST(boxes_are_at_least_plates) {
    const mote_transform at = MOTE_TRANSFORM_IDENTITY;
    mote_collider_def line = mote_box(&at, (float[3]){0, 1, 0});
    const char *parameter;
    assert_int_equal(mote_collider_check(&line, &parameter), MOTE_ERROR_RANGE);
    assert_string_equal(parameter, "extent");
    line.radius = 0.1f;
    assert_int_equal(mote_collider_check(&line, &parameter), MOTE_OK);
}

TEST(columns_name_the_field) {
    static const bad_value defs[] = {COLUMNS(cookie, 0, DEF),         COLUMNS(integrator, -1, ENUM),
                                     COLUMNS(isa, 99, ENUM),          COLUMNS(time, NAN, NOT_FINITE),
                                     COLUMNS(timestep, 0, RANGE),     COLUMNS(timestep, INFINITY, NOT_FINITE),
                                     COLUMNS(substeps, 0, RANGE),     COLUMNS(steps, 0, RANGE),
                                     COLUMNS(jobs.workers, 0, RANGE), COLUMNS(jobs.workers, 5000, RANGE),
                                     COLUMNS(forces, 0, NULL)};
    static const bad_value arrays[] = {ARRAYS(count, MOTE_MAX_PARTICLES + 1, RANGE),
                                       ARRAYS(position.y, 0, NULL), ARRAYS(velocity.z, 0, NULL),
                                       ARRAYS(mass, 0, RANGE), ARRAYS(mass, NAN, NOT_FINITE)};
    float state[6][1] = {{0}};
    mote_force_def gravity = mote_gravity(UP);
    shuffled_jobs jobs = {.workers = 2};
    mote_columns_def good = mote_default_columns_def();
    const mote_columns columns = {.count = 1,
                                  .position = {state[0], state[1], state[2]},
                                  .velocity = {state[3], state[4], state[5]},
                                  .mass = 1};
    good.forces = &gravity, good.force_count = 1, good.jobs = shuffled_jobs_hook(&jobs);
    const char *parameter = "none";
    OK(mote_columns_check(&columns, &good, &parameter));
    assert_null(parameter);
    for (size_t i = 0; i < COUNT_OF(defs); i++) {
        mote_columns_def def = good;
        spoil(&def, &defs[i]);
        assert_int_equal(mote_columns_check(&columns, &def, &parameter), defs[i].want);
        assert_field(&defs[i], parameter);
        REFUSED(NULL, defs[i].want, mote_columns_step(&columns, &def, NULL));
    }
    for (size_t i = 0; i < COUNT_OF(arrays); i++) {
        mote_columns bad = columns;
        spoil(&bad, &arrays[i]);
        assert_int_equal(mote_columns_check(&bad, &good, &parameter), arrays[i].want);
        assert_field(&arrays[i], parameter);
    }
    gravity.drag = -1;
    assert_int_equal(mote_columns_check(&columns, &good, &parameter), MOTE_ERROR_RANGE);
    assert_string_equal(parameter, "forces");
    REFUSED(NULL, MOTE_ERROR_NULL, mote_columns_check(NULL, &good, &parameter));
}

TEST(layouts_of_strands_name_the_field) {
    static const bad_value rows[] = {LAYOUT(cookie, 0, DEF),
                                     LAYOUT(shape, -1, ENUM),
                                     LAYOUT(facing, -1, ENUM),
                                     LAYOUT(origin[2], NAN, NOT_FINITE),
                                     LAYOUT(position_offset, 99, RANGE),
                                     LAYOUT(tangent_offset, 99, RANGE),
                                     LAYOUT(frame_offset, 99, RANGE),
                                     LAYOUT(side_offset, 99, RANGE),
                                     LAYOUT(parameter_offset, 99, RANGE),
                                     LAYOUT(eye[1], NAN, NOT_FINITE),
                                     LAYOUT(root_width, -1, RANGE),
                                     LAYOUT(tip_width, NAN, NOT_FINITE)};
    const char *parameter;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_strand_layout layout = mote_default_strand_layout();
        layout.shape = MOTE_STRAND_RIBBONS;
        parameter = NULL;
        spoil(&layout, &rows[i]);
        assert_int_equal(mote_strand_layout_check(&layout, &parameter), rows[i].want);
        assert_field(&rows[i], parameter);
    }
    mote_strand_layout layout = mote_default_strand_layout();
    OK(mote_strand_layout_check(&layout, &parameter));
    assert_null(parameter);
    layout.side_offset = 0; /* of polylines */
    assert_int_equal(mote_strand_layout_check(&layout, &parameter), MOTE_ERROR_RANGE);
    assert_string_equal(parameter, "side_offset");
    REFUSED(NULL, MOTE_ERROR_NULL, mote_strand_layout_check(NULL, NULL));
}

#define LINES(member, value, want) BAD_VALUE(mote_lines_def, member, value, MOTE_ERROR_##want)
#define MESH(member, value, want)  BAD_VALUE(mote_mesh_layout, member, value, MOTE_ERROR_##want)

TEST(lines_and_meshes_name_the_field) {
    static const bad_value lines[] = {LINES(cookie, 0, DEF),
                                      LINES(kinds, 1u << 31, RANGE),
                                      LINES(segments, 3, RANGE),
                                      LINES(segments, 257, RANGE),
                                      LINES(plane_size, 0, RANGE),
                                      LINES(pin_size, NAN, NOT_FINITE),
                                      LINES(origin[1], NAN, NOT_FINITE)};
    static const bad_value meshes[] = {MESH(cookie, 0, DEF), MESH(position_offset, 13, RANGE),
                                       MESH(normal_offset, 13, RANGE), MESH(normal_offset, 11, RANGE)};
    const char *parameter;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        mote_lines_def def = mote_default_lines_def();
        OK(mote_lines_def_check(&def, &parameter));
        assert_null(parameter);
        spoil(&def, &lines[i]);
        assert_int_equal(mote_lines_def_check(&def, &parameter), lines[i].want);
        assert_field(&lines[i], parameter);
    }
    for (size_t i = 0; i < COUNT_OF(meshes); i++) {
        mote_mesh_layout layout = mote_default_mesh_layout();
        OK(mote_mesh_layout_check(&layout, &parameter));
        assert_null(parameter);
        spoil(&layout, &meshes[i]);
        assert_int_equal(mote_mesh_layout_check(&layout, &parameter), meshes[i].want);
        assert_field(&meshes[i], parameter);
    }
}

TEST(resamplings_name_the_field) {
    static const bad_value rows[] = {RESAMPLE(cookie, 0, DEF),
                                     RESAMPLE(points, 1, RANGE),
                                     RESAMPLE(points, 1025, RANGE),
                                     RESAMPLE(segment_length, -1, RANGE),
                                     RESAMPLE(segment_length, NAN, NOT_FINITE),
                                     RESAMPLE(segment_length, 1, RANGE), /* beside points */
                                     RESAMPLE(min_points, 1, RANGE),
                                     RESAMPLE(max_points, 2000, RANGE)};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_hair_resample_def def = mote_default_hair_resample_def();
        const char *parameter = NULL;
        def.points = 5;
        OK(mote_hair_resample_def_check(&def, &parameter));
        spoil(&def, &rows[i]);
        assert_int_equal(mote_hair_resample_def_check(&def, &parameter), rows[i].want);
        assert_field(&rows[i], parameter);
    }
}

#define GRID(member, value, want)  BAD_VALUE(mote_distance_grid_def, member, value, MOTE_ERROR_##want)
#define FIELD(member, value, want) BAD_VALUE(mote_height_field_def, member, value, MOTE_ERROR_##want)

TEST(sampled_surfaces_name_the_field) {
    static const bad_value grids[] = {GRID(cookie, 0, DEF),
                                      GRID(spacing, 0, RANGE),
                                      GRID(spacing, 1e-7, RANGE),
                                      GRID(spacing, NAN, NOT_FINITE),
                                      GRID(spacing, 1e9, RANGE),
                                      GRID(origin[1], 2e9, RANGE),
                                      GRID(origin[2], INFINITY, NOT_FINITE),
                                      GRID(count[0], 1, RANGE),
                                      GRID(count[2], 1 << 25, RANGE),
                                      GRID(distances, 0, NULL)};
    static const bad_value fields[] = {
        FIELD(cookie, 0, DEF),     FIELD(spacing[1], 0, RANGE),     FIELD(spacing[0], NAN, NOT_FINITE),
        FIELD(count[1], 1, RANGE), FIELD(count[0], 1 << 24, RANGE), FIELD(heights, 0, NULL)};
    static const float samples[8];
    const char *parameter;
    for (size_t i = 0; i < COUNT_OF(grids); i++) {
        mote_distance_grid_def def = mote_default_distance_grid_def();
        def.count[0] = def.count[1] = def.count[2] = 2, def.distances = samples;
        OK(mote_distance_grid_def_check(&def, &parameter));
        assert_null(parameter);
        spoil(&def, &grids[i]);
        if (def.count[2] > 2) def.count[0] = 2048, def.count[1] = 2048, def.count[2] = 64; /* too many */
        assert_int_equal(mote_distance_grid_def_check(&def, &parameter), grids[i].want);
        assert_field(&grids[i], parameter);
    }
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        mote_height_field_def def = mote_default_height_field_def();
        def.count[0] = def.count[1] = 2, def.heights = samples;
        OK(mote_height_field_def_check(&def, &parameter));
        assert_null(parameter);
        spoil(&def, &fields[i]);
        if (def.count[0] > 2) def.count[1] = 64; /* too many, though neither side is too long */
        assert_int_equal(mote_height_field_def_check(&def, &parameter), fields[i].want);
        assert_field(&fields[i], parameter);
    }
}

/* One sample of eight is wrong: the check finds it and names its array. */
static void expect_sample(float sample, mote_result vector, mote_result surface) {
    float samples[8] = {0}, vectors[8][3] = {{0}};
    const char *parameter = NULL;
    mote_grid_def grid = mote_default_grid_def();
    mote_height_field_def field = mote_default_height_field_def();
    mote_distance_grid_def distances = mote_default_distance_grid_def();
    samples[5] = vectors[5][1] = sample;
    for (int axis = 0; axis < 3; axis++) grid.count[axis] = distances.count[axis] = 2;
    field.count[0] = 4, field.count[1] = 2;
    grid.vectors = (const float(*)[3])vectors, field.heights = distances.distances = samples;
    test_case("sample %g", (double)sample);
    assert_int_equal(mote_grid_def_check(&grid, &parameter), vector);
    if (vector) assert_string_equal(parameter, "vectors");
    assert_int_equal(mote_height_field_def_check(&field, &parameter), surface);
    if (surface) assert_string_equal(parameter, "heights");
    assert_int_equal(mote_distance_grid_def_check(&distances, &parameter), surface);
    if (surface) assert_string_equal(parameter, "distances");
}

TEST(samples_are_checked_and_their_array_is_named) {
    expect_sample(1, MOTE_OK, MOTE_OK);
    expect_sample(NAN, MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE);
    expect_sample(-INFINITY, MOTE_ERROR_NOT_FINITE, MOTE_ERROR_NOT_FINITE);
    expect_sample(2e9f, MOTE_OK, MOTE_ERROR_RANGE);
    expect_sample(1e7f, MOTE_OK, MOTE_ERROR_RANGE); /* too steep */
}

/* Distances that are refused take no memory. */
TEST(distances_out_of_range_are_refused) {
    static const struct {
        float sample, spacing;
        mote_result want;
    } rows[] = {{INFINITY, 1, MOTE_ERROR_NOT_FINITE}, {NAN, 1, MOTE_ERROR_NOT_FINITE},
                {-1.1e9f, 1, MOTE_ERROR_RANGE},       {2e6f, 1, MOTE_ERROR_RANGE}, /* too steep */
                {2, 1e-6f, MOTE_ERROR_RANGE},         {1e5f, 1, MOTE_OK}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        memory_ledger ledger = {0};
        float samples[12] = {0};
        mote_distance_grid_def def = mote_default_distance_grid_def();
        mote_distance_grid *grid = NULL;
        samples[7] = rows[i].sample;
        def.count[0] = 2, def.count[1] = 2, def.count[2] = 3;
        def.distances = samples, def.spacing = rows[i].spacing, def.allocator = ledger_allocator(&ledger);
        test_case("row %zu", i);
        assert_int_equal(mote_distance_grid_create(&def, &grid), rows[i].want);
        ASSERT(!grid, ==, rows[i].want != MOTE_OK);
        mote_distance_grid_destroy(grid);
        ASSERT(ledger.calls, ==, rows[i].want ? 0u : 1u);
        ASSERT(ledger.live_bytes + ledger.faults, ==, 0u);
    }
}

static void no_force(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)user, (void)stage, (void)x, (void)y, (void)z;
}

TEST(kicks_of_columns_are_refused_where_there_is_none) {
    float state[6][1] = {{0}};
    mote_force_def gravity = mote_gravity(UP), reach = mote_callback(no_force, NULL);
    mote_columns_def def = mote_default_columns_def();
    const mote_columns columns = {.count = 1,
                                  .position = {state[0], state[1], state[2]},
                                  .velocity = {state[3], state[4], state[5]},
                                  .mass = 1};
    def.forces = &gravity, def.force_count = 1, def.timestep = 0.5;
    reach.as.callback.reach = MOTE_REACH_RANGE;
    REFUSALS(NULL, REFUSES(NOT_FINITE, mote_columns_kick(&columns, &def, NAN)),
             REFUSES(NULL, mote_columns_kick(NULL, &def, 1)));
    def.forces = &reach;
    REFUSED(NULL, MOTE_ERROR_INTEGRATOR, mote_columns_kick(&columns, &def, 1));
    def.forces = NULL, def.force_count = 0, def.integrator = MOTE_ADVECT_EULER;
    REFUSED(NULL, MOTE_ERROR_INTEGRATOR, mote_columns_kick(&columns, &def, 1));
    ASSERT(state[4][0], ==, 0.0f);
    def.forces = &gravity, def.force_count = 1, def.integrator = MOTE_VELOCITY_VERLET;
    OK(mote_columns_kick(&columns, &def, 0.5));
    ASSERT(state[4][0], ==, 0.25f);
}
