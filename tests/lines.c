/* Debug lines: each lies on the object that it is drawn of. */
#include <math.h>
#include "cloth.h"

enum { MOST = 4096 };
static mote_line lines[MOST];

static uint32_t draw(const mote_system *system, const mote_lines_def *def) {
    uint32_t needed, count;
    assert_int_equal(mote_system_lines(system, def, NULL, 0, &needed), MOTE_OK);
    assert_int_equal(mote_system_lines(system, def, lines, MOST, &count), MOTE_OK);
    ASSERT(count, ==, needed);
    return count;
}

static mote_lines_def only(mote_line_kind kind) {
    mote_lines_def def = mote_default_lines_def();
    def.kinds = 1u << kind;
    return def;
}

static mote_system *empty_system(void) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 0;
    mote_system *system;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    return system;
}

/* Distance of a point from the segment between two others. */
static double from_segment(const float p[3], const double a[3], const double b[3]) {
    double along = 0, square = 0, distance = 0;
    for (int i = 0; i < 3; i++)
        along += ((double)p[i] - a[i]) * (b[i] - a[i]), square += (b[i] - a[i]) * (b[i] - a[i]);
    const double s = square > 0 ? fmin(1, fmax(0, along / square)) : 0;
    for (int i = 0; i < 3; i++) distance += pow((double)p[i] - a[i] - s * (b[i] - a[i]), 2);
    return sqrt(distance);
}

TEST(outlines_lie_on_the_surface_of_spheres_and_capsules) {
    mote_system *system = empty_system();
    const float a[3] = {1, 2, 3}, b[3] = {2, 0, 4};
    mote_collider_def sphere = mote_sphere(a, 0.5f), capsule = mote_capsule(a, b, 0.25f);
    mote_collider_id id;
    assert_int_equal(mote_system_add_collider(system, &sphere, &id), MOTE_OK);
    assert_int_equal(mote_system_add_collider(system, &capsule, &id), MOTE_OK);
    mote_lines_def def = only(MOTE_LINE_COLLIDER);
    def.origin[0] = 1000; /* lines are relative to it */
    const uint32_t count = draw(system, &def);
    ASSERT(count, ==, 3 * 24 + 2 * (24 + 12 + 12) + 4);
    for (uint32_t i = 0; i < count; i++) {
        const bool second = lines[i].object == 1;
        const double start[3] = {1 - 1000.0, 2, 3},
                     end[3] = {second ? 2 - 1000.0 : 1 - 1000.0, second ? 0 : 2, second ? 4 : 3};
        ASSERT_NEAR(from_segment(lines[i].from, start, end), second ? 0.25 : 0.5, 1e-3);
        ASSERT_NEAR(from_segment(lines[i].to, start, end), second ? 0.25 : 0.5, 1e-3);
        assert_int_equal(lines[i].kind, MOTE_LINE_COLLIDER);
    }
    mote_system_destroy(system);
}

TEST(boxes_planes_and_regions_are_outlined) {
    mote_system *system = empty_system();
    const mote_transform turned = {{0, 0, 5}, {0, 0, 1, 1}}; /* a quarter turn about z */
    mote_collider_def box = mote_box(&turned, (float[3]){1, 2, 3});
    mote_collider_def plane = mote_plane((float[3]){0, 7, 0}, (float[3]){0, 0, 2});
    mote_collider_id id;
    assert_int_equal(mote_system_add_collider(system, &box, &id), MOTE_OK);
    assert_int_equal(mote_system_add_collider(system, &plane, &id), MOTE_OK);
    mote_force_def gust = mote_wind((float[3]){1, 0, 0}, 1);
    gust = mote_in_box(gust, (float[3]){1, 1, 1}, (float[3]){2, 2, 2}, 0.5f);
    mote_force_id force;
    assert_int_equal(mote_system_add_force(system, &gust, &force), MOTE_OK);
    mote_lines_def def = mote_default_lines_def();
    ASSERT(draw(system, &def), ==, 12 + 11 + 24);
    for (int i = 0; i < 12; i++) {
        ASSERT_NEAR((double)fabsf(lines[i].from[0]), 2, 1e-6); /* the edges of 1 and 2 are exchanged */
        ASSERT_NEAR((double)fabsf(lines[i].from[1]), 1, 1e-6);
        ASSERT_NEAR((double)fabsf(lines[i].from[2] - 5), 3, 1e-6);
    }
    for (int i = 12; i < 22; i++) {
        ASSERT_NEAR((double)lines[i].to[2], 0, 1e-5);
        const double across = (double)fabsf(lines[i].from[0]), up = (double)fabsf(lines[i].from[1] - 7);
        ASSERT_NEAR(fmax(across, up), 5, 1e-5); /* half the default size */
    }
    ASSERT_NEAR((double)lines[22].to[2], 1.25, 1e-6); /* the normal */
    for (int i = 23; i < 47; i++) ASSERT_NEAR((double)fabsf(lines[i].to[1] - 1), i < 35 ? 2 : 2.5, 1e-6);
    mote_system_destroy(system);
}

TEST(the_box_of_a_distance_grid_ends_at_its_outer_samples) {
    static const float distances[2 * 3 * 5];
    static const double middle[3] = {1.25, 2.5, 4}, half[3] = {0.25, 0.5, 1};
    const mote_transform here = MOTE_TRANSFORM_IDENTITY;
    mote_distance_grid_def def = mote_default_distance_grid_def();
    mote_distance_grid *grid;
    mote_collider_id id;
    def.count[0] = 2, def.count[1] = 3, def.count[2] = 5;
    def.origin[0] = 1, def.origin[1] = 2, def.origin[2] = 3;
    def.spacing = 0.5f, def.distances = distances;
    assert_int_equal(mote_distance_grid_create(&def, &grid), MOTE_OK);
    mote_system *system = empty_system();
    const mote_collider_def collider = mote_distance_grid_collider(&here, grid);
    assert_int_equal(mote_system_add_collider(system, &collider, &id), MOTE_OK);
    const mote_lines_def colliders = only(MOTE_LINE_COLLIDER);
    ASSERT(draw(system, &colliders), ==, 12);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) ASSERT_NEAR(fabs((double)lines[i].from[k] - middle[k]), half[k], 1e-6);
    mote_system_destroy(system);
    mote_distance_grid_destroy(grid);
}

TEST(springs_and_pins_are_drawn_where_they_are_presented) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    mote_force_id force;
    assert_int_equal(mote_system_add_force(c.system, &gravity, &force), MOTE_OK);
    assert_int_equal(mote_network_pin(c.system, c.id, 3, (float[3]){0.3f, 1.1f, 0}, MOTE_NEXT_ADVANCE),
                     MOTE_OK);
    cloth_steps(c.system, 5, 7000000); /* 0.42 of a step */
    mote_lines_def def = only(MOTE_LINE_SPRING);
    ASSERT(draw(c.system, &def), ==, SPRINGS);
    float presented[CORNERS][3];
    mote_present_layout layout = mote_default_present_layout();
    assert_int_equal(mote_network_present(c.system, c.id, &layout, presented, sizeof presented), MOTE_OK);
    for (uint32_t i = 0; i < SPRINGS; i++) {
        ASSERT(lines[i].item, ==, i);
        double square = 0;
        for (int k = 0; k < 3; k++) {
            ASSERT_NEAR((double)lines[i].from[k], (double)presented[c.springs[i].a][k], 1e-6);
            ASSERT_NEAR((double)lines[i].to[k], (double)presented[c.springs[i].b][k], 1e-6);
            square += pow((double)lines[i].to[k] - (double)lines[i].from[k], 2);
        }
        ASSERT_NEAR((double)lines[i].strain, sqrt(square) / (double)0.1f - 1, 1e-4);
    }
    def.kinds = 1u << MOTE_LINE_PIN;
    ASSERT(draw(c.system, &def), ==, 4);
    for (int k = 0; k < 3; k++) {
        ASSERT_NEAR((double)lines[k].to[k] - (double)lines[k].from[k], 0.1, 1e-6);
        ASSERT_NEAR((double)lines[3].from[k], (double)presented[3][k], 1e-6);
    }
    ASSERT(lines[3].to[1], ==, 1.1f);
    mote_system_destroy(c.system);
}

TEST(links_are_drawn_with_their_strain) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    mote_link link = mote_default_link();
    link.a.network = link.b.network = c.id, link.a.particle = 0, link.b.particle = 2;
    link.rest_length = 0.1f, link.stiffness = 1;
    mote_link_id id;
    assert_int_equal(mote_system_add_link(c.system, &link, &id), MOTE_OK);
    const mote_lines_def def = only(MOTE_LINE_LINK);
    ASSERT(draw(c.system, &def), ==, 1);
    ASSERT_NEAR((double)lines[0].strain, 1, 1e-5);
    ASSERT_NEAR((double)lines[0].to[0], 0.2, 1e-7);
    mote_system_destroy(c.system);
}

TEST(wrong_calls_write_nothing) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    const mote_lines_def fine = mote_default_lines_def();
    uint32_t count;
    lines[0].item = 1234;
    REFUSALS(c.system, REFUSES(BUFFER, mote_system_lines(c.system, &fine, lines, SPRINGS - 1, &count)),
             REFUSES(NULL, mote_system_lines(NULL, &fine, lines, MOST, &count)),
             REFUSES(NULL, mote_system_lines(c.system, NULL, lines, MOST, &count)),
             REFUSES(NULL, mote_system_lines(c.system, &fine, lines, MOST, NULL)));
    static const bad_value rows[] = {BAD_VALUE(mote_lines_def, cookie, 0, MOTE_ERROR_DEF),
                                     BAD_VALUE(mote_lines_def, kinds, 32, MOTE_ERROR_RANGE),
                                     BAD_VALUE(mote_lines_def, segments, 3, MOTE_ERROR_RANGE),
                                     BAD_VALUE(mote_lines_def, segments, 257, MOTE_ERROR_RANGE),
                                     BAD_VALUE(mote_lines_def, plane_size, 0, MOTE_ERROR_RANGE),
                                     BAD_VALUE(mote_lines_def, plane_size, NAN, MOTE_ERROR_NOT_FINITE),
                                     BAD_VALUE(mote_lines_def, pin_size, -1, MOTE_ERROR_RANGE)};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_lines_def bad = fine;
        spoil(&bad, &rows[i]);
        REFUSED(c.system, rows[i].want, mote_system_lines(c.system, &bad, lines, MOST, &count));
    }
    mote_lines_def bad = fine;
    bad.origin[2] = INFINITY;
    REFUSED(c.system, MOTE_ERROR_NOT_FINITE, mote_system_lines(c.system, &bad, lines, MOST, &count));
    ASSERT(lines[0].item, ==, 1234);
    mote_system_destroy(c.system);
}
