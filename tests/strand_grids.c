/* Strands and networks on distance grids and height fields, against the shapes that were sampled. */
#include <stdlib.h>

#include "test.h"

#include "one_strand.h"

enum { POINTS = 41, SUBSTEPS = 8, CELLS = 81 };

static const double RADIUS = 0.01;
static float positions[3 * POINTS];

/* A ball of radius 0.3 m, sampled every 1 cm: the trilinear distance is off by at most 3/8 spacing^2 / 0.3.
 */
static mote_distance_grid *sampled_ball(void) {
    mote_distance_grid_def def = mote_default_distance_grid_def();
    mote_distance_grid *grid;
    float *distances = calloc((size_t)CELLS * CELLS * CELLS, sizeof *distances);
    assert_non_null(distances);
    for (int k = 0; k < CELLS * CELLS * CELLS; k++) {
        const double x = 0.01 * (k % CELLS - 40), y = 0.01 * (k / CELLS % CELLS - 40),
                     z = 0.01 * (k / CELLS / CELLS - 40);
        distances[k] = (float)(sqrt(x * x + y * y + z * z) - 0.3);
    }
    for (int axis = 0; axis < 3; axis++) def.count[axis] = CELLS, def.origin[axis] = -0.4f;
    def.spacing = 0.01f, def.distances = distances;
    assert_int_equal(mote_distance_grid_create(&def, &grid), MOTE_OK);
    free(distances);
    return grid;
}

static rope over(const mote_collider_def *collider, mote_strand_solver solver, bool free_roots, double turn) {
    mote_strands_def def = one_strand(solver, POINTS, positions, (double[3]){-0.45, 0.45, 0.03},
                                      (double[3]){0.55, 0.45, 0.03}, 1 / 20.0f);
    def.mass = 0.1f, def.radius = (float)RADIUS, def.friction = 1, def.free_roots = free_roots;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, SUBSTEPS, GRAVITY);
    mote_collider_def placed = *collider;
    placed.friction = 1;
    placed.transform.rotation[1] = (float)sin(turn / 2), placed.transform.rotation[3] = (float)cos(turn / 2);
    mote_collider_id id;
    assert_int_equal(mote_system_add_collider(r.system, &placed, &id), MOTE_OK);
    return r;
}

static double from_centre(const rope *r, uint32_t k) {
    double x[3];
    load_point(r, 0, k, x, NULL);
    return sqrt(dot(x, x));
}

/* A hair whose root is held beside the ball and that falls over it: on the sphere and on its samples. */
TEST(a_hair_drapes_over_a_sampled_ball_as_over_a_sphere) {
    mote_distance_grid *grid = sampled_ball();
    const mote_transform here = MOTE_TRANSFORM_IDENTITY;
    const mote_collider_def shapes[2] = {mote_sphere((float[3]){0, 0, 0}, 0.3f),
                                         mote_distance_grid_collider(&here, grid)};
    for (int solver = MOTE_STRAND_SPRINGS; solver <= MOTE_STRAND_ROBUST; solver++) {
        rope r[2];
        for (int k = 0; k < 2; k++) r[k] = over(&shapes[k], (mote_strand_solver)solver, false, 0.3);
        for (int step = 0; step < 60 * 6; step++) {
            for (int k = 0; k < 2; k++) {
                step_rope(&r[k], 1);
                for (uint32_t i = 1; i < POINTS; i++) {
                    test_case("solver %d, shape %d, step %d, point %u", solver, k, step, i);
                    ASSERT(from_centre(&r[k], i), >, 0.3 + RADIUS - 1e-3);
                }
            }
        }
        uint32_t touching = 0;
        for (uint32_t i = 0; i < POINTS; i++) {
            double x[3], y[3];
            load_point(&r[0], 0, i, x, NULL), load_point(&r[1], 0, i, y, NULL);
            test_case("solver %d, point %u", solver, i);
            for (int axis = 0; axis < 3; axis++) ASSERT_NEAR(x[axis], y[axis], 0.02);
            touching += from_centre(&r[1], i) < 0.3 + RADIUS + 1e-3;
        }
        ASSERT(touching, >, 5u);
        for (int k = 0; k < 2; k++) destroy_rope(&r[k]);
    }
    mote_distance_grid_destroy(grid);
}

/* A point of a rope in a sampled ball that is away from the origin and turned is as deep as in the ball. */
TEST(the_report_tells_the_depth_in_a_sampled_ball) {
    mote_distance_grid *grid = sampled_ball();
    const mote_transform there = {{3, -2, 5}, {0, 0.6f, 0, 0.8f}};
    const mote_collider_def ball = mote_distance_grid_collider(&there, grid);
    rope r = over(&ball, MOTE_STRAND_ROBUST, true, 0.3);
    mote_strands_step_report report;
    store_point(&r, 0, 7, (double[3]){3.1, -2.1, 5.2}, NULL);
    assert_int_equal(mote_strands_report(r.system, r.id, &report), MOTE_OK);
    ASSERT_NEAR((double)report.depth, 0.3 + RADIUS - sqrt(0.06), 2e-4);
    store_point(&r, 0, 7, (double[3]){3.4, -2.4, 5.4}, NULL);
    assert_int_equal(mote_strands_report(r.system, r.id, &report), MOTE_OK);
    ASSERT(report.depth, ==, 0);
    destroy_rope(&r);
    mote_distance_grid_destroy(grid);
}

/* A solid that goes on to the border of the samples is deepest there. */
TEST(the_report_has_the_deepest_point_in_a_solid_without_an_underside) {
    enum { ALONG_X = 21, ALONG_Y = 7 };
    static float distances[ALONG_X * ALONG_Y * ALONG_X];
    const mote_transform here = MOTE_TRANSFORM_IDENTITY;
    mote_distance_grid_def def = mote_default_distance_grid_def();
    mote_distance_grid *grid;
    for (int i = 0; i < ALONG_X * ALONG_Y * ALONG_X; i++)
        distances[i] = -0.6f + 0.2f * (float)(i / ALONG_X % ALONG_Y); /* below y = 0 */
    def.count[0] = def.count[2] = ALONG_X, def.count[1] = ALONG_Y;
    def.origin[0] = def.origin[2] = -2, def.origin[1] = -0.6f;
    def.spacing = 0.2f, def.distances = distances;
    assert_int_equal(mote_distance_grid_create(&def, &grid), MOTE_OK);
    const float points[2][2][3] = {{{0, 0.1f, 0}, {0, -0.3f, 0}}, {{1.9f, 0.1f, 1.9f}, {1.9f, -0.5f, 1.9f}}};
    mote_strands_def hair = mote_default_strands_def();
    hair.strand_count = 2, hair.points = 2, hair.positions = points[0][0];
    const rope r = make_rope(&hair, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, SUBSTEPS, 0);
    const mote_collider_def solid = mote_distance_grid_collider(&here, grid);
    mote_collider_id id;
    mote_strands_step_report all;
    assert_int_equal(mote_system_add_collider(r.system, &solid, &id), MOTE_OK);
    assert_int_equal(mote_strands_report(r.system, r.id, &all), MOTE_OK);
    ASSERT_NEAR((double)all.depth, 0.5, 1e-6);
    ASSERT(all.deepest_strand, ==, 1u);
    destroy_rope(&r);
    mote_distance_grid_destroy(grid);
}

/* The samples of a solid cube end at its faces, which belong to it: behind them a point is in nothing. */
TEST(the_report_has_no_depth_beyond_the_samples) {
    float distances[8];
    for (int i = 0; i < 8; i++) distances[i] = -1;
    mote_distance_grid_def def = mote_default_distance_grid_def();
    mote_distance_grid *grid;
    for (int axis = 0; axis < 3; axis++) def.count[axis] = 2, def.origin[axis] = 4;
    def.spacing = 1, def.distances = distances;
    assert_int_equal(mote_distance_grid_create(&def, &grid), MOTE_OK);
    const mote_collider_def cube =
        mote_distance_grid_collider(&(mote_transform)MOTE_TRANSFORM_IDENTITY, grid);
    rope r = over(&cube, MOTE_STRAND_ROBUST, true, 0);
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < 4; i++) {
            mote_strands_step_report report;
            double x[3] = {4.5, 4.5, 4.5};
            x[axis] = (double[4]){3.984375, 4, 5, 5.015625}[i];
            test_case("axis %d, at %g", axis, x[axis]);
            store_point(&r, 0, 7, x, NULL);
            assert_int_equal(mote_strands_report(r.system, r.id, &report), MOTE_OK);
            ASSERT_NEAR((double)report.depth, i % 3 ? 1 + RADIUS : 0, 1e-6);
        }
    destroy_rope(&r);
    mote_distance_grid_destroy(grid);
}

/* Gives every point a speed, m/s. */
static void throw_down(const rope *r, double speed) {
    for (uint32_t i = 0; i < POINTS; i++) {
        double x[3];
        load_point(r, 0, i, x, NULL);
        store_point(r, 0, i, x, (double[3]){0, -speed, 0});
    }
}

/* A rope that falls at 90 m/s, by more than the ball's diameter in a substep, is stopped by it. */
TEST(a_fast_rope_does_not_pass_through) {
    mote_distance_grid *grid = sampled_ball();
    const mote_transform here = MOTE_TRANSFORM_IDENTITY;
    const mote_collider_def ball = mote_distance_grid_collider(&here, grid);
    mote_strands_def def = one_strand(MOTE_STRAND_ROBUST, POINTS, positions, (double[3]){-0.1, 0.8, 0},
                                      (double[3]){0.1, 0.8, 0}, 1 / 20.0f);
    def.mass = 0.1f, def.radius = (float)RADIUS, def.free_roots = true;
    rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, 0);
    mote_collider_id id;
    assert_int_equal(mote_system_add_collider(r.system, &ball, &id), MOTE_OK);
    throw_down(&r, 90);
    step_rope(&r, 1);
    for (uint32_t i = 0; i < POINTS; i++) {
        double x[3];
        load_point(&r, 0, i, x, NULL);
        test_case("point %u", i);
        ASSERT(x[1], >, 0.2);
        ASSERT(from_centre(&r, i), >, 0.3 + RADIUS - 5e-3);
    }
    destroy_rope(&r);
    mote_distance_grid_destroy(grid);
}

/* Samples closer along one axis than along the other, either way round. */
TEST(a_fast_rope_does_not_pass_through_a_height_field_of_oblong_cells) {
    static const float heights[21 * 21];
    for (int along = 0; along < 2; along++) {
        mote_height_field_def field_def = mote_default_height_field_def();
        mote_height_field *field;
        mote_collider_id id;
        field_def.count[0] = field_def.count[1] = 21, field_def.heights = heights;
        field_def.spacing[along] = 0.05f, field_def.spacing[!along] = 0.2f;
        assert_int_equal(mote_height_field_create(&field_def, &field), MOTE_OK);
        const mote_transform at = {{along ? -2 : -0.5f, 0, along ? -0.5f : -2}, {0, 0, 0, 1}};
        const mote_collider_def ground = mote_height_field_collider(&at, field);
        mote_strands_def def = one_strand(MOTE_STRAND_ROBUST, POINTS, positions, (double[3]){-0.1, 0.3, 0},
                                          (double[3]){0.1, 0.3, 0}, 1 / 20.0f);
        def.mass = 0.1f, def.radius = (float)RADIUS, def.free_roots = true;
        const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, 0);
        assert_int_equal(mote_system_add_collider(r.system, &ground, &id), MOTE_OK);
        throw_down(&r, 60);
        step_rope(&r, 1);
        for (uint32_t i = 0; i < POINTS; i++) {
            double x[3];
            load_point(&r, 0, i, x, NULL);
            test_case("closer along %d, point %u", along, i);
            ASSERT(x[1], >, RADIUS - 1e-3);
        }
        destroy_rope(&r);
        mote_height_field_destroy(field);
    }
}

/* A slope of a height field holds a rope with friction, and lets it slide without. */
TEST(a_rope_rests_on_a_height_field) {
    float heights[9 * 9];
    for (int k = 0; k < 81; k++) heights[k] = 0.1f * (float)(k % 9);
    mote_height_field_def def = mote_default_height_field_def();
    mote_height_field *field;
    def.count[0] = def.count[1] = 9, def.spacing[0] = def.spacing[1] = 0.5f, def.heights = heights;
    assert_int_equal(mote_height_field_create(&def, &field), MOTE_OK);
    const mote_transform low = {{-2, 0, -2}, {0, 0, 0, 1}};
    const mote_collider_def slope = mote_height_field_collider(&low, field);
    rope r = over(&slope, MOTE_STRAND_ROBUST, true, 0);
    step_rope(&r, 60 * 4);
    double before[POINTS][3];
    for (uint32_t i = 0; i < POINTS; i++) load_point(&r, 0, i, before[i], NULL);
    step_rope(&r, 60 * 4);
    for (uint32_t i = 0; i < POINTS; i++) {
        double x[3];
        load_point(&r, 0, i, x, NULL);
        test_case("point %u", i);
        ASSERT_NEAR((x[1] - 0.2 * (x[0] + 2)) / sqrt(1.04), RADIUS, 1e-3);
        for (int axis = 0; axis < 3; axis++) ASSERT_NEAR(x[axis], before[i][axis], 2e-3);
    }
    destroy_rope(&r);
    mote_height_field_destroy(field);
}

enum { ALONG = 3, ACROSS = 4 };
static const double EDGE[2] = {0.5, 0.25};

/* Depth of a place below the triangle above it, along the triangle's normal. */
static double below_triangle(const float heights[ALONG * ACROSS], double x, double y, double z) {
    const int i = x < EDGE[0] * (ALONG - 1) ? (int)(x / EDGE[0]) : ALONG - 2,
              j = z < EDGE[1] * (ACROSS - 1) ? (int)(z / EDGE[1]) : ACROSS - 2;
    const double a = x / EDGE[0] - i, b = z / EDGE[1] - j;
    double h[2][2];
    for (int k = 0; k < 4; k++) h[k / 2][k % 2] = (double)heights[i + k % 2 + ALONG * (j + k / 2)];
    const double p = a < b ? h[1][1] - h[1][0] : h[0][1] - h[0][0],
                 s = a < b ? h[1][0] - h[0][0] : h[1][1] - h[0][1];
    const double size = sqrt(1 + p * p / EDGE[0] / EDGE[0] + s * s / EDGE[1] / EDGE[1]);
    return (h[0][0] + a * p + b * s - y) / size;
}

/* A point below a height field is as deep as below the triangle above it; beyond the outer samples there is
 * nothing. */
TEST(the_report_has_the_depth_below_a_height_field) {
    static const float heights[ALONG * ACROSS] = {0.1f, 0.3f, 0.2f, 0,    0.15f, 0.4f,
                                                  0.3f, 0.1f, 0,    0.2f, 0.25f, 0.05f};
    static const double inside[][3] = {{0.3, -0.2, 0.05}, {0.05, -0.3, 0.2}, {0.7, -5, 0.6}, {1, -0.1, 0.75}};
    static const double outside[][3] = {
        {-0.01, -1, 0.1}, {0.1, -1, -0.01}, {1.01, -1, 0.1}, {0.1, -1, 0.76}, {0.3, 0.5, 0.3}};
    const mote_transform place = {{8, 1, -4}, {0, 0, 0, 1}};
    mote_height_field_def def = mote_default_height_field_def();
    mote_height_field *field;
    def.count[0] = ALONG, def.count[1] = ACROSS, def.heights = heights;
    for (int k = 0; k < 2; k++) def.spacing[k] = (float)EDGE[k];
    assert_int_equal(mote_height_field_create(&def, &field), MOTE_OK);
    const mote_collider_def ground = mote_height_field_collider(&place, field);
    rope r = over(&ground, MOTE_STRAND_ROBUST, true, 0);
    mote_strands_step_report report;
    mote_strand_step_report one;
    for (size_t i = 0; i < 9; i++) {
        const double *q = i < 4 ? inside[i] : outside[i - 4], x[3] = {q[0] + 8, q[1] + 1, q[2] - 4};
        store_point(&r, 0, 7, x, NULL);
        assert_int_equal(mote_strands_report(r.system, r.id, &report), MOTE_OK);
        assert_int_equal(mote_strands_report_of(r.system, r.id, 0, &one), MOTE_OK);
        test_case("place %zu", i);
        ASSERT_NEAR(report.depth, i < 4 ? below_triangle(heights, q[0], q[1], q[2]) + RADIUS : 0, 4e-6);
        ASSERT(one.depth, ==, report.depth);
        ASSERT(one.deepest_point, ==, i < 4 ? 7u : 0u);
    }
    destroy_rope(&r);
    mote_height_field_destroy(field);
}
