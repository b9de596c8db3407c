/* Triangles of a cloth: their springs, the index buffer without the torn, normals. */
#include <math.h>
#include <string.h>
#include "cloth.h"

TEST(triangles_find_the_springs_along_their_edges) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    mote_triangle triangles[TRIANGLES];
    assert_int_equal(mote_network_triangles(c.system, c.id, TRIANGLES, c.indices, triangles), MOTE_OK);
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        uint32_t without = 0;
        for (int k = 0; k < 3; k++) {
            const uint32_t a = triangles[i].particle[k], b = triangles[i].particle[(k + 1) % 3];
            ASSERT(a, ==, c.indices[3 * i + (uint32_t)k]);
            if (triangles[i].spring[k] == MOTE_NO_ITEM) {
                without++;
                continue;
            }
            const mote_spring *s = &c.springs[triangles[i].spring[k]];
            ASSERT((s->a == a && s->b == b) || (s->a == b && s->b == a), ==, true);
        }
        ASSERT(without, ==, 1); /* the diagonal */
    }
    mote_system_destroy(c.system);
}

static uint32_t write_indices(const cloth *c, const mote_triangle *triangles, uint32_t *indices) {
    uint32_t count = 0;
    assert_int_equal(mote_network_indices(c->system, c->id, TRIANGLES, triangles, indices, &count), MOTE_OK);
    return count;
}

TEST(triangles_at_a_removed_spring_leave_the_index_buffer) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    mote_triangle triangles[TRIANGLES];
    uint32_t indices[3 * TRIANGLES], removed = 0, added;
    assert_int_equal(mote_network_triangles(c.system, c.id, TRIANGLES, c.indices, triangles), MOTE_OK);
    ASSERT(write_indices(&c, triangles, indices), ==, 3 * TRIANGLES);
    assert_memory_equal(indices, c.indices, sizeof indices);
    for (uint32_t s = 0; s < SPRINGS; s++) /* inside, along x: two triangles hang on it */
        if (c.springs[s].a == SIDE + 1 && c.springs[s].b == SIDE + 2) removed = s;
    assert_int_equal(mote_network_remove_springs(c.system, c.id, 1, &removed, NULL), MOTE_OK);
    ASSERT(write_indices(&c, triangles, indices), ==, 3 * (TRIANGLES - 2));
    for (uint32_t i = 0; i < TRIANGLES - 2; i++) {
        uint32_t corners = 0;
        for (int k = 0; k < 3; k++)
            corners += indices[3 * i + (uint32_t)k] == SIDE + 1 || indices[3 * i + (uint32_t)k] == SIDE + 2;
        ASSERT(corners, <, 2);
    }
    /* Its number, used again between other particles, does not bring the triangles back; between the same
     * ones it does. */
    mote_spring other = {.a = 0, .b = CORNERS - 1, .rest_length = 1, .stiffness = 1, .damping = 0.1f};
    assert_int_equal(mote_network_add_springs(c.system, c.id, 1, &other, &added, NULL), MOTE_OK);
    ASSERT(added, ==, removed);
    ASSERT(write_indices(&c, triangles, indices), ==, 3 * (TRIANGLES - 2));
    const mote_spring edge = c.springs[removed];
    for (int end = 0; end < 4; end++) { /* one end as before, in either direction */
        other.a = end & 1 ? edge.a : edge.b, other.b = CORNERS - 1;
        if (end & 2) other.b = other.a, other.a = CORNERS - 1;
        assert_int_equal(mote_network_remove_springs(c.system, c.id, 1, &removed, NULL), MOTE_OK);
        assert_int_equal(mote_network_add_springs(c.system, c.id, 1, &other, &added, NULL), MOTE_OK);
        ASSERT(write_indices(&c, triangles, indices), ==, 3 * (TRIANGLES - 2));
    }
    assert_int_equal(mote_network_remove_springs(c.system, c.id, 1, &removed, NULL), MOTE_OK);
    assert_int_equal(mote_network_add_springs(c.system, c.id, 1, &c.springs[removed], &added, NULL), MOTE_OK);
    ASSERT(write_indices(&c, triangles, indices), ==, 3 * TRIANGLES);
    mote_system_destroy(c.system);
}

TEST(torn_springs_take_their_triangles_along) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    mote_triangle triangles[TRIANGLES];
    uint32_t indices[3 * TRIANGLES];
    for (uint32_t s = 0; s < SPRINGS; s++)
        assert_int_equal(mote_network_set_spring(c.system, c.id, s, 5, 0.01f, 0.5f, NULL), MOTE_OK);
    assert_int_equal(mote_network_triangles(c.system, c.id, TRIANGLES, c.indices, triangles), MOTE_OK);
    const float far_out[3] = {-0.1f, 1.1f,
                              -0.1f}; /* corner 0 goes: one triangle has it, its two springs tear */
    assert_int_equal(mote_network_set_state(c.system, c.id, 0, 1, far_out, NULL), MOTE_OK);
    cloth_steps(c.system, 1, 0);
    uint32_t torn;
    (void)mote_network_torn(c.system, c.id, &torn);
    ASSERT(torn, ==, 2);
    ASSERT(write_indices(&c, triangles, indices), ==, 3 * (TRIANGLES - 1));
    for (uint32_t i = 0; i < 3 * (TRIANGLES - 1); i++) ASSERT(indices[i], !=, 0);
    mote_system_destroy(c.system);
}

TEST(wrong_triangles_are_refused) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    const uint32_t outside[6] = {0, 1, 5, 1, 2, CORNERS}, twice[3] = {4, 4, 5};
    mote_triangle t[2] = {{{9, 9, 9}, {9, 9, 9}}, {{9, 9, 9}, {9, 9, 9}}};
    uint32_t indices[6] = {77, 77, 77, 77, 77, 77}, count = 5;
    REFUSALS(c.system, REFUSES(RANGE, mote_network_triangles(c.system, c.id, 2, outside, t)),
             REFUSES(RANGE, mote_network_triangles(c.system, c.id, 1, twice, t)),
             REFUSES(NULL, mote_network_triangles(c.system, c.id, 1, NULL, t)),
             REFUSES(NULL, mote_network_triangles(c.system, c.id, 1, twice, NULL)),
             REFUSES(ID, mote_network_triangles(c.system, (mote_network_id){0, 0}, 1, outside, t)),
             REFUSES(RANGE, mote_network_indices(c.system, c.id, 2, t, indices, &count)),
             REFUSES(NULL, mote_network_indices(c.system, c.id, 2, t, indices, NULL)));
    ASSERT(t[0].particle[0], ==, 9);
    ASSERT(indices[0], ==, 77);
    ASSERT(count, ==, 5);
    mote_system_destroy(c.system);
}

/* A tent: one vertex above a square, at odd offsets of a vertex of 31 bytes. */
TEST(normals_are_the_area_weighted_mean_of_the_triangles) {
    static const float tent[5][3] = {{0, 0, 0}, {4, 0, 0}, {4, 0, 2}, {0, 0, 2}, {1, 3, 1}};
    static const uint32_t faces[13] = {0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0, 99}; /* the last is not read */
    unsigned char vertices[6 * 31];
    memset(vertices, 0xa5, sizeof vertices);
    for (int i = 0; i < 5; i++) memcpy(vertices + 31 * i + 17, tent[i], sizeof tent[i]);
    memcpy(vertices + 31 * 5 + 17, tent[0], sizeof tent[0]);
    mote_mesh_layout layout = mote_default_mesh_layout();
    layout.stride = 31, layout.position_offset = 17, layout.normal_offset = 3;
    assert_int_equal(mote_mesh_normals(&layout, vertices, 6, faces, 12), MOTE_OK);
    for (uint32_t i = 0; i < 6; i++) {
        double sum[3] = {0, 0, 0};
        for (uint32_t f = 0; f < 12; f += 3) {
            if (faces[f] != i && faces[f + 1] != i && faces[f + 2] != i) continue;
            const float *a = tent[faces[f]], *b = tent[faces[f + 1]], *p = tent[faces[f + 2]];
            for (int k = 0; k < 3; k++) {
                const int l = (k + 1) % 3, m = (k + 2) % 3;
                sum[k] += (double)((b[l] - a[l]) * (p[m] - a[m]) - (b[m] - a[m]) * (p[l] - a[l]));
            }
        }
        const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        float normal[3];
        memcpy(normal, vertices + 31 * i + 3, sizeof normal);
        for (int k = 0; k < 3; k++) /* vertex 5 is in no triangle: up */
            ASSERT_NEAR((double)normal[k], i < 5 ? sum[k] / length : k == 1, 1e-7);
        ASSERT(vertices[31 * i + 2], ==, 0xa5);
        ASSERT(vertices[31 * i + 15], ==, 0xa5);
        ASSERT(vertices[31 * i + 30], ==, 0xa5);
    }
}

TEST(wrong_meshes_are_refused_and_nothing_is_written) {
    float vertices[12] = {0, 0, 0, 9, 9, 9, 1, 0, 0, 9, 9, 9}, kept[12];
    memcpy(kept, vertices, sizeof kept);
    const uint32_t outside[3] = {0, 1, 2};
    mote_mesh_layout fine = mote_default_mesh_layout(), bad = fine;
    REFUSALS(NULL, REFUSES(RANGE, mote_mesh_normals(&fine, vertices, 2, outside, 3)),
             REFUSES(RANGE, mote_mesh_normals(&fine, vertices, 2, outside, 2)),
             REFUSES(NULL, mote_mesh_normals(&fine, NULL, 2, outside, 0)),
             REFUSES(NULL, mote_mesh_normals(&fine, vertices, 2, NULL, 3)),
             REFUSES(NULL, mote_mesh_normals(NULL, vertices, 2, outside, 0)));
    bad.normal_offset = 8;
    REFUSED(NULL, MOTE_ERROR_RANGE, mote_mesh_normals(&bad, vertices, 2, outside, 0));
    bad.normal_offset = 13;
    REFUSED(NULL, MOTE_ERROR_RANGE, mote_mesh_normals(&bad, vertices, 2, outside, 0));
    bad = fine, bad.cookie = 0;
    REFUSED(NULL, MOTE_ERROR_DEF, mote_mesh_normals(&bad, vertices, 2, outside, 0));
    assert_memory_equal(vertices, kept, sizeof kept);
}

TEST(triangles_with_a_corner_twice_are_refused) {
    static const uint32_t wrong[][3] = {{3, 3, 4}, {3, 4, 4}, {4, 3, 4}, {3, 4, CORNERS}};
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    mote_triangle triangle = {{1, 2, 3}, {4, 5, 6}};
    const mote_triangle kept = triangle;
    uint32_t indices[3], count = 7;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        mote_triangle bad = kept;
        memcpy(bad.particle, wrong[i], sizeof wrong[i]);
        REFUSALS(c.system, REFUSES(RANGE, mote_network_triangles(c.system, c.id, 1, wrong[i], &triangle)),
                 REFUSES(RANGE, mote_network_indices(c.system, c.id, 1, &bad, indices, &count)));
    }
    assert_memory_equal(&triangle, &kept, sizeof kept);
    ASSERT(count, ==, 7u);
    mote_system_destroy(c.system);
}

/* Without vertices no memory is needed; a normal that is not finite points up. */
TEST(normals_without_a_direction_point_up) {
    const mote_mesh_layout layout = mote_default_mesh_layout();
    const uint32_t corners[3] = {0, 1, 2};
    float vertices[18] = {0};
    assert_int_equal(mote_mesh_normals(&layout, NULL, 0, NULL, 0), MOTE_OK);
    vertices[6] = 3e38f, vertices[13] = 3e38f; /* their product leaves the floats */
    assert_int_equal(mote_mesh_normals(&layout, vertices, 3, corners, 3), MOTE_OK);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) ASSERT(vertices[6 * i + 3 + k], ==, k == 1 ? 1.0f : 0.0f);
}
