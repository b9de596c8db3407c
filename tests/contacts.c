/* Contacts: the planes that colliders give to points, against distances in double; paths that pass through;
 * lists of colliders; hostile numbers; the same bits on every instruction set. */
#include "test.h"

#include <float.h>
#include <math.h>

#include "contact_scene.h"

/* The plane of a point that went from one place to another. */
static plane one_contact(const scene *s, float radius, const double from[3], const double to[3]) {
    for (size_t i = 0; i < 16; i++) put(i, from, to);
    contact_points p = columns(16, radius);
    find(s, &p);
    return plane_at(0);
}

static scene standing_box(float x, float y, float z) {
    return standing(mote_box(&(mote_transform)MOTE_TRANSFORM_IDENTITY, (float[3]){x, y, z}));
}

/* --- Planes --- */

/* How far the shape, without the point's radius, reaches along a world direction. */
static double support(const scene *s, const double normal[3]) {
    double n[3], reach = s->def.radius;
    turn(s->to.rotation, true, normal, n);
    for (int k = 0; k < 3; k++) reach += normal[k] * s->to.position[k];
    if (s->def.kind == MOTE_COLLIDER_CAPSULE) reach += s->def.half_length * fabs(n[1]);
    for (int k = 0; k < 3 && s->def.kind == MOTE_COLLIDER_BOX; k++) reach += s->def.extent[k] * fabs(n[k]);
    return s->def.kind == MOTE_COLLIDER_PLANE ? reach - s->def.radius : reach;
}

/* Of length 1, in contact with the shape at the distance of the point's radius, and true to the gap. */
static void assert_in_contact(const scene *s, const plane *p, double radius, const double x1[3]) {
    ASSERT_NEAR(length(p->normal), 1, 8 * 0x1p-24);
    ASSERT_NEAR(p->offset, support(s, p->normal) + radius, TOLERANCE);
    ASSERT_NEAR(dot(p->normal, x1) - p->offset, p->gap, TOLERANCE);
}

TEST(points_at_rest_get_the_nearest_surface) {
    random_source random = {1};
    for (int n = 0; n < 80; n++) {
        const scene s = random_scene(&random, n, false);
        const float radius = n % 3 ? 0.05f : 0;
        contact_points columns_of_points = columns(POINTS, radius);
        fill_paths(&random);
        memcpy(in0, in1, sizeof in0);
        find(&s, &columns_of_points);
        for (size_t i = 0; i < POINTS; i++) {
            const double x[3] = {in1[0][i], in1[1][i], in1[2][i]};
            const plane p = plane_at(i);
            double q[3], flat = -DBL_MAX;
            localise(&s.from, x, q);
            for (int k = 0; k < 3; k++) flat = fmax(flat, fabs(q[k]) - s.def.extent[k]);
            /* In the inner half of a box's rounding it is the plane of a face, no further off than the
             * surface. */
            const bool inner = s.def.kind == MOTE_COLLIDER_BOX && depth(&s.def, radius, q) <= 0;
            const double edge = s.def.kind == MOTE_COLLIDER_BOX ? fabs(depth(&s.def, radius, q)) : 1;
            const double want = inner ? flat - s.def.radius - radius : distance(&s.def, radius, q);
            if (edge > TOLERANCE) ASSERT_NEAR(p.gap, want, TOLERANCE);
            assert_in_contact(&s, &p, radius, x);
            ASSERT(length(p.drift), ==, 0);
        }
    }
}

/* --- Paths --- */

/* The path of point i in axes in which it is a straight line: the local ones, but those of a sphere do not
 * turn, nor those of a capsule about itself; the pose has the start of a capsule that swings. */
static void path_of(const scene *s, size_t i, double q0[3], double q1[3]) {
    const double x0[3] = {in0[0][i], in0[1][i], in0[2][i]}, x1[3] = {in1[0][i], in1[1][i], in1[2][i]};
    double d[3];
    localise(&s->to, x1, q1);
    for (int k = 0; k < 3; k++) d[k] = x0[k] - s->from.position[k];
    if (s->def.kind == MOTE_COLLIDER_SPHERE)
        turn(s->to.rotation, true, d, q0);
    else
        for (int k = 0; k < 3; k++)
            q0[k] = s->now.start[k][0] * d[0] + s->now.start[k][1] * d[1] + s->now.start[k][2] * d[2];
}

typedef struct tally {
    int stopped, passed_by, inside;
} tally;

/* The gap is never above the distance at the end; a path that meets the collider has its start before the
 * plane and its end behind it; one that does not gets the nearest surface. */
static void check_path(const scene *s, size_t i, double radius, tally *t) {
    const plane p = plane_at(i);
    const double x1[3] = {in1[0][i], in1[1][i], in1[2][i]};
    double q0[3], q1[3], n[3];
    path_of(s, i, q0, q1);
    turn(s->to.rotation, true, p.normal, n);
    const double start = distance(&s->def, radius, q0), end = distance(&s->def, radius, q1);
    assert_in_contact(s, &p, radius, x1);
    ASSERT(p.gap, <=, end + TOLERANCE);
    if (start < TOLERANCE) {
        t->inside++;
    } else if (least(distance, &s->def, radius, q0, q1) > TOLERANCE) {
        t->passed_by++;
        ASSERT_NEAR(p.gap, end, TOLERANCE);
    } else if (end > TOLERANCE && least(depth, &s->def, radius, q0, q1) < -TOLERANCE) {
        t->stopped++;
        ASSERT(p.gap, <, 0);
        /* The gap at the start; where that is beside an edge of a box, in the rounding, it is at most 1 -
         * 3^(-1/2) of it behind the planes of the faces. */
        const double rounding = s->def.kind == MOTE_COLLIDER_BOX ? s->def.radius + radius : 0;
        double most = -DBL_MAX;
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(q0[k]) - s->def.extent[k] - rounding);
        const double behind = rounding > 0 && most < TOLERANCE ? 0.4227 * rounding : 0;
        ASSERT(p.gap + dot(n, q0) - dot(n, q1), >, -TOLERANCE - behind);
    }
}

TEST(paths_through_a_collider_end_before_it) {
    random_source random = {2};
    tally t[CONVEX_KINDS] = {{0, 0, 0}};
    for (int n = 0; n < 160; n++) {
        const scene s = random_scene(&random, n, n & 4);
        const float radius = n % 3 ? 0.03f : 0;
        contact_points points = columns(POINTS, radius);
        fill_paths(&random);
        find(&s, &points);
        for (size_t i = 0; i < POINTS; i++) check_path(&s, i, radius, &t[s.def.kind]);
    }
    for (int kind = 0; kind < CONVEX_KINDS; kind++) {
        ASSERT(t[kind].inside, >, 1000);
        ASSERT(t[kind].passed_by, >, 1000);
        if (kind != MOTE_COLLIDER_PLANE) ASSERT(t[kind].stopped, >, 1000); /* no path leads through that */
    }
}

/* The plane is where the path came in. */
TEST(thin_colliders_and_fast_points_do_not_pass) {
    scene wire = standing(mote_capsule((float[3]){0, 0, -1}, (float[3]){0, 0, 1}, 0.001f));
    scene sheet = standing_box(1, 0, 1), shot = standing(mote_sphere((float[3]){-5, 0, 0}, 0.05f));
    shot.to.position[0] = 5;
    pose(&shot);
#define ABOUT(gap) (gap) - TOLERANCE, (gap) + TOLERANCE
#define STOPPED    -8, -TOLERANCE
#define PASSES     TOLERANCE, 8
    const struct {
        const scene *of;
        float radius;
        double from[3], to[3];
        int axis; /* of the normal's component */
        double normal_least, normal_most, gap_least, gap_most;
    } rows[] = {
        {&wire, 0, {0, 0.5, 0.2}, {0, -0.5, 0.3}, 1, 1 - 1e-6, 2, ABOUT(-0.501)},
        {&wire, 0, {0, 2, 0.5}, {0, -2, 1.4}, 1, 0.99, 2, STOPPED}, /* through the cap: at y = 0, z = 0.95 */
        {&wire, 0, {0, 2, 0.5}, {0, -2, 1.6}, 1, -2, 2, PASSES},    /* beyond it: at z = 1.05 */
        {&sheet, 0, {0.1, 0.01, 0.2}, {0.3, -2, 0.1}, 1, 1, 1, ABOUT(-2)},
        {&sheet, 0.01f, {0.1, -3, 0.2}, {0.3, 0.5, 0.1}, 1, -1, -1, ABOUT(-0.51)},
        {&sheet, 0, {1.5, 0.2, 0}, {0, -0.01, 0}, 1, 1, 1, STOPPED}, /* at x = 1/14: the face, not the edge */
        {&shot, 0.01f, {0, 0.02, 0}, {0, 0.02, 0}, 0, 0.99, 2, -8, -4.9}, /* passes a point at rest */
        {&shot, 0.01f, {0, 0.061, 0}, {0, 0.061, 0}, 0, -2, 2, PASSES}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const plane p = one_contact(rows[i].of, rows[i].radius, rows[i].from, rows[i].to);
        test_case("row %zu", i);
        ASSERT(p.normal[rows[i].axis], >=, rows[i].normal_least);
        ASSERT(p.normal[rows[i].axis], <=, rows[i].normal_most);
        ASSERT(p.gap, >=, rows[i].gap_least);
        ASSERT(p.gap, <=, rows[i].gap_most);
    }
}

/* The point stands at 10 degrees from the y axis towards -x; the rod or blade turns from 0 to 20 degrees. */
TEST(turning_rods_and_blades_take_points_with_them) {
    for (int blade = 0; blade < 2; blade++) {
        scene s = standing(mote_capsule((float[3]){0, 0, 0}, (float[3]){0, 1, 0}, 0.004f));
        if (blade) s = standing_box(0.004f, 1, 0.1f);
        const double angle = 3.14159265358979 / 18;
        for (int k = 0; k < 3; k++) s.from.position[k] = s.to.position[k] = 0;
        s.to.rotation[2] = (float)sin(angle), s.to.rotation[3] = (float)cos(angle);
        s.def.half_length = 1;
        pose(&s);
        const double x[3] = {-0.8 * sin(angle), 0.8 * cos(angle), 0};
        plane p = one_contact(&s, 0, x, x);
        /* Across the rod at its end, ahead: gap = -(0.8 sin(10 degrees) + radius). */
        ASSERT_NEAR(p.normal[0], -cos(2 * angle), 1e-6);
        ASSERT_NEAR(p.normal[1], -sin(2 * angle), 1e-6);
        ASSERT_NEAR(p.gap, -(0.8 * sin(angle) + 0.004), TOLERANCE);
    }
}

TEST(spinning_in_place_makes_no_new_contact) {
    const mote_collider_def round[] = {mote_sphere((float[3]){0, 0, 0}, 0.5f),
                                       mote_capsule((float[3]){0, -1, 0}, (float[3]){0, 1, 0}, 0.5f)};
    for (size_t i = 0; i < COUNT_OF(round); i++)
        for (int degrees = 10; degrees < 180; degrees += 10) {
            scene s = standing(round[i]);
            const double half = degrees * 3.14159265358979 / 360;
            s.to.rotation[1] = (float)sin(half), s.to.rotation[3] = (float)cos(half);
            pose(&s);
            const double x[3] = {0.6, 0, 0};
            plane p = one_contact(&s, 0, x, x);
            ASSERT_NEAR(p.gap, 0.1, TOLERANCE);
            ASSERT_NEAR(p.normal[0], 1, 1e-6);
            /* The surface goes by: (x, 0, 0) turns into x (cos, 0, -sin). */
            ASSERT_NEAR(p.drift[0], 0.6 * (cos(2 * half) - 1), TOLERANCE);
            ASSERT_NEAR(p.drift[2], -0.6 * sin(2 * half), TOLERANCE);
        }
}

/* A point that rests is inside or outside by a rounding; put through from either it comes back to its
 * side. */
TEST(points_on_the_surface_keep_their_side) {
    scene shapes[] = {standing(mote_sphere((float[3]){0, 0, 0}, 0.2f)),
                      standing(mote_capsule((float[3]){-1, 0, 0}, (float[3]){1, 0, 0}, 0.2f)),
                      standing_box(1, 0.2f, 1)};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int step = -4; step <= 4; step++) {
            const double start[3] = {0, 0.2 + step * 1e-7, 0}, slid[3] = {1e-3, start[1] - 1e-5, 0};
            plane p = one_contact(&shapes[i], 0, start, (double[3]){0, -0.3, 0});
            ASSERT_NEAR(p.normal[1], 1, 1e-6);
            ASSERT_NEAR(p.gap, -0.5, TOLERANCE);
            p = one_contact(&shapes[i], 0, start, slid);
            ASSERT_NEAR(p.normal[1], 1, 2e-5);
            ASSERT(fabs(p.gap), <, 2e-5);
        }
    /* On a box near its edge, sinking more slowly than it slides: still the top. */
    const double edge[3] = {0.999, 0.2 - 1e-7, 0}, beside[3] = {0.9995, 0.2 - 1.1e-7, 0};
    ASSERT(one_contact(&shapes[2], 0, edge, beside).normal[1], ==, 1);
}

TEST(points_without_a_direction_get_a_fixed_one) {
    const scene ball = standing(mote_sphere((float[3]){1, 2, 3}, 0.5f)), speck = standing_box(0, 0, 0),
                rod = standing(mote_capsule((float[3]){0, -1, 0}, (float[3]){0, 1, 0}, 0.5f)),
                bead = standing(mote_capsule((float[3]){0, 0, 0}, (float[3]){0, 0, 0}, 0.5f));
    const struct {
        const scene *of;
        float radius;
        double from[3], to[3], normal[3], gap;
    } rows[] = {{&ball, 0.25f, {1, 2, 3}, {1, 2, 3}, {0, 1, 0}, -0.75},
                {&rod, 0, {0, 0.5, 0}, {0, -0.75, 0}, {1, 0, 0}, -0.5},
                {&bead, 0, {0, 2, 0}, {0, -2, 0}, {0, 1, 0}, -2.5}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const plane p = one_contact(rows[i].of, rows[i].radius, rows[i].from, rows[i].to);
        test_case("row %zu", i);
        for (int k = 0; k < 3; k++) ASSERT(p.normal[k], ==, rows[i].normal[k]);
        ASSERT(p.gap, ==, rows[i].gap);
    }
    plane p = one_contact(&speck, 0, (double[3]){0}, (double[3]){0});
    ASSERT(fabs(p.normal[0]) + fabs(p.normal[1]) + fabs(p.normal[2]), ==, 1);
    ASSERT(p.gap, ==, 0);
    p = one_contact(&speck, 0, (double[3]){0, 1e-25, 0}, (double[3]){0, 1e-25, 0});
    assert_true(isfinite(p.gap));
    ASSERT(length(p.normal), ==, 1);
}

/* The material that stood under the point: x -> R1 R0* (x - o0) + o1. */
TEST(drift_is_the_motion_of_the_material) {
    random_source random = {5};
    for (int n = 0; n < 200; n++) {
        const scene s = random_scene(&random, n, true);
        const double x[3] = {between(&random, -2, 2), between(&random, -2, 2), between(&random, -2, 2)};
        plane p = one_contact(&s, 0.1f, x, x);
        double q[3], moved[3];
        const double stored[3] = {in0[0][0], in0[1][0], in0[2][0]};
        localise(&s.from, stored, q);
        turn(s.to.rotation, false, q, moved);
        for (int k = 0; k < 3; k++)
            ASSERT_NEAR(p.drift[k], moved[k] + s.to.position[k] - stored[k], TOLERANCE);
    }
}

/* --- Lists of colliders --- */

TEST(the_nearest_of_many_counts_and_none_is_far) {
    scene s[3] = {standing(mote_sphere((float[3]){0, 0, 0}, 1)),
                  standing(mote_plane((float[3]){0, -1.5f, 0}, (float[3]){0, 2, 0})),
                  standing(mote_sphere((float[3]){0, 4, 0}, 1))};
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
        ASSERT_NEAR(p.normal[1], normals[i], 1e-7);
        ASSERT_NEAR(p.gap, gaps[i], TOLERANCE);
        ASSERT_NEAR(p.friction, sqrt(0.5 * friction[i]), 1e-7);
    }
    contact_lanes_scalar(row, row, 0, &points);
    plane p = plane_at(0);
    ASSERT(p.gap, >=, 1e29);
    ASSERT(p.offset, ==, -p.gap);
    ASSERT(length(p.normal), ==, 0);
    ASSERT(p.friction, ==, 0);
}

static mote_collider_def ball_about(const mote_collider_def *def) {
    mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, def->radius); /* however it turns */
    const double corner[3] = {def->extent[0], def->extent[1], def->extent[2]};
    if (def->kind == MOTE_COLLIDER_CAPSULE) ball.radius += def->half_length;
    if (def->kind == MOTE_COLLIDER_BOX) ball.radius += (float)length(corner);
    if (def->kind == MOTE_COLLIDER_PLANE) ball.radius = INFINITY;
    return ball;
}

/* Reach takes away whole contacts: those with a gap of as much and more, and those with a collider in a ball
 * from which the path stays further off. No others, and not a bit of them. */
TEST(contacts_beyond_reach_are_none) {
    random_source random = {6};
    int beyond = 0, far = 0, left = 0;
    uint32_t passed_by = 0;
    for (int n = 0; n < 40; n++) {
        const scene s = random_scene(&random, n, n & 4);
        const mote_collider_def ball = ball_about(&s.def);
        contact_points points = columns(POINTS, 0.01f);
        fill_paths(&random);
        find(&s, &points);
        memcpy(kept, out, sizeof out);
        points.reach = 0.05f;
        points.passed_by = &passed_by;
        find(&s, &points);
        for (size_t i = 0; i < POINTS; i++) {
            double q0[3], q1[3];
            for (int k = 0; k < 3; k++) {
                q0[k] = (double)in0[k][i] - s.from.position[k];
                q1[k] = (double)in1[k][i] - s.to.position[k];
            }
            const bool none = out[4][i] >= 1e29f;
            for (int k = 0; k < CONTACT_OUTPUTS && !none; k++) ASSERT(out[k][i], ==, kept[k][i]);
            const bool out_of_reach = kept[4][i] >= points.reach;
            if (out_of_reach) assert_true(none);
            if (none && !out_of_reach)
                ASSERT(least(distance, &ball, 0.01, q0, q1), >, points.reach - TOLERANCE);
            beyond += out_of_reach, far += none && !out_of_reach, left += !none;
        }
    }
    ASSERT(beyond, >, 10000);
    ASSERT(far, >, 100);
    ASSERT(left, >, 10000);
    ASSERT(passed_by, >, 50);
}

/* Of five colliders two are far from all: the others come in their order, and the first 20 points are in
 * contact with nothing. */
TEST(colliders_far_from_all_and_exempt_points_change_no_bit) {
    random_source random = {8};
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
    memcpy(kept, out, sizeof out);
    points.exempt = exempt;
    contact_lanes_scalar(from, to, 5, &points);
    int in_contact = 0;
    for (size_t i = 0; i < POINTS; i++)
        for (int k = 0; k < CONTACT_OUTPUTS; k++) {
            const bool none = i < (size_t)exempt;
            in_contact += kept[4][i] < 0.5f && none;
            ASSERT(out[k][i], ==, (none ? (k == 4 ? 1e30f : k == 3 ? -1e30f : 0) : kept[k][i]));
        }
    ASSERT(in_contact, >, 0);
}

/* --- Hostile numbers and bits --- */

/* Any size up to 1e15, 0, -0 and numbers without a normal exponent. */
static float hostile(random_source *random) {
    static const float odd[] = {0.0f, -0.0f, 1e-45f, -1e-40f, FLT_MIN, 1.0f, -1.0f, 0.5f, 1e15f, -1e15f};
    if (random_below(random, 3) == 0) return odd[random_below(random, COUNT_OF(odd))];
    return random_between(random, -1, 1) * powf(10, random_between(random, -30, 15));
}

static void fill_hostile(random_source *random, scene *s) {
    const float size = random_below(random, 2) ? 1e15f : 1;
    for (int k = 0; k < 3; k++) s->from.position[k] = hostile(random), s->to.position[k] = hostile(random);
    s->def.radius = fmaxf(fabsf(hostile(random)), FLT_MIN);
    s->def.half_length = fabsf(hostile(random));
    for (int k = 0; k < 3; k++) s->def.extent[k] = fabsf(hostile(random));
    pose(s);
    for (size_t i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) {
            in0[k][i] = size == 1 ? s->from.position[k] + random_between(random, -1, 1) : hostile(random);
            in1[k][i] = random_below(random, 4) ? hostile(random) : in0[k][i];
        }
}

#define LANES(type, name, isa, id) [MOTE_ISA_##id] = contact_lanes_##isa,
static contact_function *const functions[MOTE_ISA_COUNT] = {MOTE_COMPILED_ISAS(LANES, , )};

TEST(hostile_numbers_stay_finite_and_bits_are_the_same_everywhere) {
    random_source random = {7};
    for (int n = 0; n < 120; n++) {
        scene s = random_scene(&random, n, true);
        if (n & 4)
            fill_hostile(&random, &s);
        else
            fill_paths(&random);
        contact_points points = columns(POINTS, n & 8 ? 0.01f : 0);
        if (n & 16) points.reach = 0.1f, points.exempt = 37;
        find(&s, &points);
        for (size_t i = 0; i < POINTS; i++) { /* finite, with a normal of length 1 or none */
            const plane p = plane_at(i);
            const double size = length(p.normal);
            for (int k = 0; k < CONTACT_OUTPUTS; k++) assert_true(isfinite(out[k][i]));
            if (size != 0) ASSERT_NEAR(size, 1, 8 * 0x1p-24);
        }
        memcpy(kept, out, sizeof out);
        for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
            if (!mote_isa_available((mote_isa)isa)) continue;
            memset(out, 0xff, sizeof out);
            functions[isa](&s.before, &s.now, 1, &points);
            assert_memory_equal(out, kept, sizeof out);
        }
    }
}
