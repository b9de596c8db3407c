/* Contacts with lists of colliders: the nearest counts, those out of reach do not, and exempt points have
 * none. */
#include "test.h"

#include <math.h>

#include "contact_scene.h"

TEST(the_nearest_of_many_counts_and_none_is_far) {
    scene s[3] = {standing(mote_sphere((vec3){0, 0, 0}, 1)),
                  standing(mote_plane((vec3){0, -1.5f, 0}, (vec3){0, 2, 0})),
                  standing(mote_sphere((vec3){0, 4, 0}, 1))};
    const float friction[3] = {0.5f, 2.0f, 0.08f}, heights[3] = {1.1f, -1.3f, 2.9f};
    const double normals[3] = {1, 1, -1}, gaps[3] = {0.1, 0.2, 0.1};
    mote_collider_pose row[3];
    contact_points points = columns(16, 0);
    memset(in0, 0, sizeof in0);
    for (int i = 0; i < 3; i++) row[i] = s[i].now, row[i].friction = friction[i];
    for (int i = 0; i < 16; i++) in0[1][i] = heights[i % 3];
    memcpy(in1, in0, sizeof in1);
    contact_lanes_scalar(row, row, 3, &points);
    for (int i = 0; i < 3; i++) {
        plane p = plane_at((size_t)i);
        assert_close(p.normal[1], normals[i], 1e-7);
        assert_close(p.gap, gaps[i], TOLERANCE);
        assert_close(p.friction, sqrt(0.5 * friction[i]), 1e-7);
    }
    contact_lanes_scalar(row, row, 0, &points);
    plane p = plane_at(0);
    ASSERT(p.gap, >=, 1e29);
    ASSERT(p.offset, ==, -p.gap);
    ASSERT(length(p.normal), ==, 0);
    ASSERT(p.friction, ==, 0);
}

static mote_collider_def ball_about(const mote_collider_def *def) {
    mote_collider_def ball = mote_sphere((vec3){0, 0, 0}, def->radius); /* however it turns */
    const double corner[3] = {def->extent[0], def->extent[1], def->extent[2]};
    if (def->kind == MOTE_COLLIDER_CAPSULE) ball.radius += def->half_length;
    if (def->kind == MOTE_COLLIDER_BOX) ball.radius += (float)length(corner);
    if (def->kind == MOTE_COLLIDER_PLANE) ball.radius = INFINITY;
    return ball;
}

/* Reach takes away whole contacts: those with a gap from it on, and those with what is in a ball from which
 * the path stays further off. No others, and not a bit of them. */
TEST(contacts_beyond_reach_are_none) {
    random_source random = {6};
    static float all[CONTACT_OUTPUTS][POINTS];
    int beyond = 0, far = 0, left = 0;
    uint32_t passed_by = 0;
    for (int n = 0; n < 40; n++) {
        scene s = standing(random_collider(&random, (mote_collider_kind)(n % MOTE_COLLIDER_KIND_COUNT)));
        if (n & 4) s.to = random_transform(&random, 1);
        pose(&s);
        const mote_collider_def ball = ball_about(&s.def);
        contact_points points = columns(POINTS, 0.01f);
        fill_paths(&random);
        contact_lanes_scalar(&s.before, &s.now, 1, &points);
        memcpy(all, out, sizeof out);
        points.reach = 0.05f;
        points.passed_by = &passed_by;
        contact_lanes_scalar(&s.before, &s.now, 1, &points);
        for (size_t i = 0; i < POINTS; i++) {
            double q0[3], q1[3];
            for (int k = 0; k < 3; k++) {
                q0[k] = (double)in0[k][i] - s.from.position[k];
                q1[k] = (double)in1[k][i] - s.to.position[k];
            }
            const bool none = out[4][i] >= 1e29f;
            for (int k = 0; k < CONTACT_OUTPUTS && !none; k++) ASSERT(out[k][i], ==, all[k][i]);
            if (all[4][i] >= points.reach)
                assert_true(none);
            else if (none)
                ASSERT(least(distance, &ball, 0.01, q0, q1), >, points.reach - TOLERANCE);
            beyond += none && all[4][i] >= points.reach, far += none && all[4][i] < points.reach,
                left += !none;
        }
    }
    ASSERT(beyond, >, 10000);
    ASSERT(far, >, 100);
    ASSERT(left, >, 10000);
    ASSERT(passed_by, >, 50);
}

/* Of five colliders two are far from all: the others are looked at in their order, and what the first 20
 * points would touch does not count. */
TEST(colliders_far_from_all_and_exempt_points_change_no_bit) {
    random_source random = {8};
    static float all[CONTACT_OUTPUTS][POINTS];
    const int exempt = 20;
    mote_collider_pose from[5], to[5], near_from[3], near_to[3];
    for (int i = 0; i < 5; i++) {
        scene s = standing(random_collider(&random, (mote_collider_kind)(i % 3)));
        s.to = random_transform(&random, 1);
        for (int k = 0; k < 3 && i % 2; k++) s.from.position[k] += 100, s.to.position[k] += 100;
        pose(&s);
        from[i] = s.before, to[i] = s.now;
        if (i % 2 == 0) near_from[i / 2] = s.before, near_to[i / 2] = s.now;
    }
    contact_points points = columns(POINTS, 0.01f);
    points.reach = 0.5f;
    fill_paths(&random);
    contact_lanes_scalar(near_from, near_to, 3, &points);
    memcpy(all, out, sizeof out);
    points.exempt = exempt;
    contact_lanes_scalar(from, to, 5, &points);
    int touching = 0;
    for (size_t i = 0; i < POINTS; i++)
        for (int k = 0; k < CONTACT_OUTPUTS; k++) {
            const bool none = i < (size_t)exempt;
            touching += all[4][i] < 0.5f && none;
            ASSERT(out[k][i], ==, (none ? (k == 4 ? 1e30f : k == 3 ? -1e30f : 0) : all[k][i]));
        }
    ASSERT(touching, >, 0);
}
