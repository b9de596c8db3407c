/* Transforms, their conversions to and from cglm, and the placing of hair models. */
#include <math.h>
#include <string.h>
#include "test.h"

#include <cglm/cglm.h>
#include <cglm/struct.h>
#include <mote/cglm.h>
#include <mote/mote.h>

static float random_component(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1;
}

static mote_transform random_transform(uint32_t *state) {
    mote_transform made;
    for (int i = 0; i < 3; i++) made.position[i] = 10 * random_component(state);
    for (int i = 0; i < 4; i++) made.rotation[i] = random_component(state);
    return made;
}

static void assert_near(const float a[3], const float b[3], float tolerance) {
    for (int i = 0; i < 3; i++) ASSERT(fabsf(a[i] - b[i]), <=, tolerance);
}

/* R(q) v by the rotation matrix of a quaternion of any length, in double: not the formula of the engine. */
static void matrix_image(const mote_transform *t, const float v[3], double image[3]) {
    const double x = (double)t->rotation[0], y = (double)t->rotation[1], z = (double)t->rotation[2],
                 w = (double)t->rotation[3], n = x * x + y * y + z * z + w * w;
    const double m[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    for (int row = 0; row < 3; row++) {
        image[row] = (double)t->position[row];
        for (int i = 0; i < 3; i++) image[row] += m[row][i] * (double)v[i] / n;
    }
}

/* Any components of a rotation may be 0, but not all: turns about axes, half turns. */
TEST(points_are_rotated_and_moved) {
    uint32_t random = 1;
    for (int k = 0; k < 1000; k++) {
        mote_transform t = random_transform(&random);
        for (int i = 0; i < 4 && k % 16; i++) t.rotation[i] *= (float)(k >> i & 1);
        float v[3] = {random_component(&random), random_component(&random), random_component(&random)};
        double want[3];
        matrix_image(&t, v, want);
        mote_transform_point(&t, v, v);
        for (int i = 0; i < 3; i++) ASSERT(fabs((double)v[i] - want[i]), <=, 1e-6);
    }
}

TEST(a_product_applies_the_inner_map_first_and_an_inverse_undoes) {
    uint32_t random = 2;
    for (int k = 0; k < 1000; k++) {
        const mote_transform a = random_transform(&random), b = random_transform(&random);
        const mote_transform product = mote_transform_multiply(&a, &b), back = mote_transform_inverse(&a);
        const float v[3] = {random_component(&random), random_component(&random), random_component(&random)};
        float at_once[3], in_turn[3], undone[3];
        mote_transform_point(&product, v, at_once);
        mote_transform_point(&b, v, in_turn);
        mote_transform_point(&a, in_turn, in_turn);
        assert_near(at_once, in_turn, 1e-5f);
        mote_transform_point(&a, v, undone);
        mote_transform_point(&back, undone, undone);
        assert_near(undone, v, 1e-5f);
    }
}

TEST(rotations_of_no_length_stay_refused_and_null_is_the_identity) {
    const mote_transform fine = {{1, 2, 3}, {0, 0, 2, 0}}, broken = {{1, 2, 3}, {0, 0, 0, 0}},
                         infinite = {{0, 0, 0}, {INFINITY, 0, 0, 1}}, tiny = {{0, 0, 0}, {0, 0, 1e-38f, 0}};
    for (int i = 0; i < 4; i++) {
        ASSERT(mote_transform_multiply(&fine, &broken).rotation[i], ==, 0);
        ASSERT(mote_transform_multiply(&infinite, &fine).rotation[i], ==, 0);
        ASSERT(mote_transform_inverse(&broken).rotation[i], ==, 0);
        ASSERT(mote_transform_multiply(NULL, &fine).rotation[i], ==, i == 2);
        ASSERT(mote_transform_multiply(&tiny, NULL).rotation[i], ==, i == 2);
    }
    float image[3] = {4, 5, 6};
    mote_transform_point(&broken, image, image);
    assert_near(image, broken.position, 0);
    mote_transform_point(NULL, image, image);
    assert_near(image, broken.position, 0);
}

TEST(cglm_matrices_and_quaternions_are_the_same_maps) {
    uint32_t random = 3;
    for (int k = 0; k < 1000; k++) {
        const mote_transform t = random_transform(&random);
        vec3 v = {random_component(&random), random_component(&random), random_component(&random)};
        vec3 want, by_matrix, by_quaternion, position, back;
        mat4 matrix;
        versor rotation;
        mote_transform_point(&t, v, want);
        mote_transform_to_mat4(&t, matrix);
        glm_mat4_mulv3(matrix, v, 1, by_matrix);
        assert_near(by_matrix, want, 2e-5f);
        mote_transform_to_versor(&t, rotation, position);
        glm_quat_rotatev(rotation, v, by_quaternion);
        glm_vec3_add(by_quaternion, position, by_quaternion);
        assert_near(by_quaternion, want, 2e-5f);
        glm_scale(matrix, (vec3){2, 0.5f, 7}); /* the model's own size is no part of its placement */
        const mote_transform from = mote_transform_from_mat4(matrix);
        mote_transform_point(&from, v, back);
        assert_near(back, want, 4e-5f);
    }
}

TEST(cglm_struct_types_pass_as_they_are) {
    const vec3s down = {{0, -9.81f, 0}};
    const mote_force_def gravity = mote_gravity(down.raw);
    ASSERT(gravity.as.gravity.acceleration[1], ==, -9.81f);
    const versors half_turn = {{0, 1, 0, 0}};
    const mote_transform t = mote_transform_from_versor((float *)half_turn.raw, (vec3){1, 0, 0});
    float image[3] = {1, 1, 1};
    mote_transform_point(&t, image, image);
    assert_near(image, (float[3]){0, 1, -1}, 1e-7f);
    mat3 columns = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    float rows[9];
    mote_matrix_from_mat3(columns, rows);
    vec3 product;
    glm_mat3_mulv(columns, (vec3){1, 10, 100}, product);
    for (int i = 0; i < 3; i++)
        ASSERT(rows[3 * i] + 10 * rows[3 * i + 1] + 100 * rows[3 * i + 2], ==, product[i]);
}

TEST(ribbons_face_the_camera_of_a_view_matrix) {
    mat4 view;
    vec3 eye = {3, 4, 5};
    glm_lookat(eye, (vec3){0, 1, 0}, (vec3){0, 1, 0}, view);
    mote_strand_layout layout = mote_default_strand_layout();
    mote_strand_layout_face(&layout, view);
    assert_int_equal(layout.facing, MOTE_RIBBON_EYE);
    assert_near(layout.eye, eye, 1e-5f);
}

static const float z_up[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0}; /* x, y, z of a file whose z is up -> x, z, -y */

TEST(hair_models_change_units_and_axes) {
    float points[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, thickness[3] = {0.5f, 0.25f, 0.125f};
    mote_hair hair = mote_default_hair();
    hair.strand_count = 1, hair.point_count = 3, hair.default_segments = 2;
    hair.points = points, hair.thickness = thickness;
    assert_int_equal(mote_hair_transform(&hair, -2, z_up, (float[3]){10, 20, 30}), MOTE_OK);
    assert_near(points[0], (float[3]){8, 14, 34}, 0);
    assert_near(points[2], (float[3]){-4, 2, 46}, 0);
    ASSERT(thickness[2], ==, 0.25f);
    ASSERT(hair.default_thickness, ==, 2);
}

TEST(a_hair_model_that_cannot_be_placed_is_not_changed) {
    float points[2][3] = {{1, 2, 3}, {4, 5, 3e38f}}, kept[2][3], thickness[2] = {1, 2};
    mote_hair hair = mote_default_hair();
    hair.strand_count = 1, hair.point_count = 2, hair.default_segments = 1, hair.points = points;
    memcpy(kept, points, sizeof kept);
    const float origin[3] = {0, 0, 0}, far_away[3] = {0, INFINITY, 0};
    const float skew[9] = {1, 0.01f, 0, 0, 1, 0, 0, 0, 1}, hole[9] = {1, 0, 0, 0, NAN, 0, 0, 0, 1};
    assert_int_equal(mote_hair_transform(NULL, 1, z_up, origin), MOTE_ERROR_NULL);
    assert_int_equal(mote_hair_transform(&hair, 1, NULL, origin), MOTE_ERROR_NULL);
    assert_int_equal(mote_hair_transform(&hair, 1, z_up, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_hair_transform(&hair, 0, z_up, origin), MOTE_ERROR_RANGE);
    assert_int_equal(mote_hair_transform(&hair, NAN, z_up, origin), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_hair_transform(&hair, 1, skew, origin), MOTE_ERROR_RANGE);
    assert_int_equal(mote_hair_transform(&hair, 1, hole, origin), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_hair_transform(&hair, 1, z_up, far_away), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_hair_transform(&hair, 0, z_up, far_away), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_hair_transform(&hair, 1, skew, far_away), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_hair_transform(&hair, 2, z_up, origin), MOTE_ERROR_NOT_FINITE); /* the last point */
    hair.thickness = thickness, thickness[1] = 3e38f, points[1][2] = kept[1][2] = 0;
    assert_int_equal(mote_hair_transform(&hair, 2, z_up, origin), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(memcmp(points, kept, sizeof kept), 0);
    ASSERT(hair.default_thickness, ==, 1);
    hair.cookie = 0;
    assert_int_equal(mote_hair_transform(&hair, 1, z_up, origin), MOTE_ERROR_DEF);
}
