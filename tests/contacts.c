/* Contacts: the planes that colliders give to points, against distances in double; paths that pass through;
 * hostile numbers; the same bits on every instruction set. */
#include "test.h"

#include <float.h>
#include <math.h>

#include "contact_scene.h"

static plane one_contact(const scene *s, float radius, double x0, double y0, double z0, double x1, double y1,
                         double z1) {
    const double from[3] = {x0, y0, z0}, to[3] = {x1, y1, z1};
    for (size_t i = 0; i < 16; i++) put(i, from, to);
    contact_points p = columns(16, radius);
    contact_lanes_scalar(&s->before, &s->now, 1, &p);
    return plane_at(0);
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

/* Of length 1, touching the shape at the distance of the point's radius, and true to the gap. */
static void assert_touches(const scene *s, const plane *p, double radius, const double x1[3]) {
    assert_close(length(p->normal), 1, 8 * 0x1p-24);
    assert_close(p->offset, support(s, p->normal) + radius, TOLERANCE);
    assert_close(dot(p->normal, x1) - p->offset, p->gap, TOLERANCE);
}

/* --- Random colliders --- */

/* Points that stand around a collider that stands. */
static void fill_standing(random_source *random) {
    for (size_t i = 0; i < POINTS; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = between(random, -2, 2);
        put(i, x, x);
    }
}

TEST(points_at_rest_get_the_nearest_surface) {
    random_source random = {1};
    for (int n = 0; n < 80; n++) {
        scene s = standing(random_collider(&random, (mote_collider_kind)(n % MOTE_COLLIDER_KIND_COUNT)));
        const float radius = n % 3 ? 0.05f : 0;
        contact_points columns_of_points = columns(POINTS, radius);
        fill_standing(&random);
        contact_lanes_scalar(&s.before, &s.now, 1, &columns_of_points);
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
            if (edge > TOLERANCE) assert_close(p.gap, want, TOLERANCE);
            assert_touches(&s, &p, radius, x);
            ASSERT(p.drift[0], ==, 0);
            ASSERT(p.drift[1], ==, 0);
            ASSERT(p.drift[2], ==, 0);
        }
    }
}

/* --- Paths --- */

/* Where the path of point i is a straight line: the local axes, but those of a sphere do not turn, nor those
 * of a capsule about itself; of the capsule that swings here the pose tells the start. */
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
    assert_touches(s, &p, radius, x1);
    ASSERT(p.gap, <=, end + TOLERANCE);
    if (start < TOLERANCE) {
        t->inside++;
    } else if (least(distance, &s->def, radius, q0, q1) > TOLERANCE) {
        t->passed_by++;
        assert_close(p.gap, end, TOLERANCE);
    } else if (end > TOLERANCE && least(depth, &s->def, radius, q0, q1) < -TOLERANCE) {
        t->stopped++;
        ASSERT(p.gap, <, 0);
        /* The gap at the start; where that is beside an edge of a box, in the rounding, it lies at most 1 -
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
    tally t[MOTE_COLLIDER_KIND_COUNT] = {{0, 0, 0}};
    for (int n = 0; n < 160; n++) {
        const mote_collider_kind kind = (mote_collider_kind)(n % MOTE_COLLIDER_KIND_COUNT);
        scene s = standing(random_collider(&random, kind));
        const float radius = n % 3 ? 0.03f : 0;
        if (n & 4) s.to = random_transform(&random, 1); /* far and by any angle */
        pose(&s);
        contact_points points = columns(POINTS, radius);
        fill_paths(&random);
        contact_lanes_scalar(&s.before, &s.now, 1, &points);
        for (size_t i = 0; i < POINTS; i++) check_path(&s, i, radius, &t[kind]);
    }
    for (int kind = 0; kind < MOTE_COLLIDER_KIND_COUNT; kind++) {
        ASSERT(t[kind].inside, >, 1000);
        ASSERT(t[kind].passed_by, >, 1000);
        assert_true(t[kind].stopped > 1000 ||
                    kind == MOTE_COLLIDER_PLANE); /* through a half-space leads no path */
    }
}

/* Each shape thin and fast: the plane lies where the path came in. */
TEST(thin_colliders_and_fast_points_do_not_pass) {
    scene wire = standing(mote_capsule((vec3){0, 0, -1}, (vec3){0, 0, 1}, 0.001f));
    plane p = one_contact(&wire, 0, 0, 0.5, 0.2, 0, -0.5, 0.3);
    assert_close(p.normal[1], 1, 1e-6);
    assert_close(p.gap, -0.501, TOLERANCE);
    p = one_contact(&wire, 0, 0, 2, 0.5, 0, -2, 1.4); /* steep, through the cap: at y = 0, z = 0.95 */
    ASSERT(p.gap, <, 0);
    ASSERT(p.normal[1], >, 0.99);
    p = one_contact(&wire, 0, 0, 2, 0.5, 0, -2, 1.6); /* beyond it: at z = 1.05 */
    ASSERT(p.gap, >, 0);
    scene sheet = standing(mote_box(&(mote_transform)MOTE_TRANSFORM_IDENTITY, (vec3){1, 0, 1}));
    p = one_contact(&sheet, 0, 0.1, 0.01, 0.2, 0.3, -2, 0.1);
    assert_close(p.normal[1], 1, 0);
    assert_close(p.gap, -2, TOLERANCE);
    p = one_contact(&sheet, 0.01f, 0.1, -3, 0.2, 0.3, 0.5, 0.1);
    assert_close(p.normal[1], -1, 0);
    assert_close(p.gap, -0.51, TOLERANCE);
    p = one_contact(&sheet, 0, 1.5, 0.2, 0, 0, -0.01,
                    0); /* in from beyond the edge, at x = 1/14: the face, not the edge */
    assert_close(p.normal[1], 1, 0);
    scene shot = standing(mote_sphere((vec3){-5, 0, 0}, 0.05f));
    shot.to.position[0] = 5;
    pose(&shot);
    p = one_contact(&shot, 0.01f, 0, 0.02, 0, 0, 0.02, 0); /* a sphere passes a point at rest */
    ASSERT(p.normal[0], >, 0.99);
    ASSERT(p.gap, <, -4.9);
    ASSERT(one_contact(&shot, 0.01f, 0, 0.061, 0, 0, 0.061, 0).gap, >, 0);
}

/* By half a turn about z in eight substeps a rod sweeps over a point at rest; from a table of a list's
 * poses. */
TEST(turning_rods_and_blades_take_points_with_them) {
    for (int blade = 0; blade < 2; blade++) {
        scene s = standing(mote_capsule((vec3){0, 0, 0}, (vec3){0, 1, 0}, 0.004f));
        if (blade) s = standing(mote_box(&(mote_transform)MOTE_TRANSFORM_IDENTITY, (vec3){0.004f, 1, 0.1f}));
        /* The point stands at 10 degrees from the y axis towards -x; the rod turns from 0 to 20 degrees. */
        const double angle = 3.14159265358979 / 18;
        for (int k = 0; k < 3; k++) s.from.position[k] = s.to.position[k] = 0;
        s.to.rotation[2] = (float)sin(angle), s.to.rotation[3] = (float)cos(angle);
        s.def.half_length = 1;
        pose(&s);
        const double x = -0.8 * sin(angle), y = 0.8 * cos(angle);
        plane p = one_contact(&s, 0, x, y, 0, x, y, 0);
        /* Across the rod at its end, ahead: gap = -(0.8 sin(10 degrees) + radius). */
        assert_close(p.normal[0], -cos(2 * angle), 1e-6);
        assert_close(p.normal[1], -sin(2 * angle), 1e-6);
        assert_close(p.gap, -(0.8 * sin(angle) + 0.004), TOLERANCE);
    }
}

TEST(spinning_in_place_touches_nothing_new) {
    const mote_collider_def round[] = {mote_sphere((vec3){0, 0, 0}, 0.5f),
                                       mote_capsule((vec3){0, -1, 0}, (vec3){0, 1, 0}, 0.5f)};
    for (size_t i = 0; i < COUNT_OF(round); i++)
        for (int degrees = 10; degrees < 180; degrees += 10) {
            scene s = standing(round[i]);
            const double half = degrees * 3.14159265358979 / 360;
            s.to.rotation[1] = (float)sin(half), s.to.rotation[3] = (float)cos(half);
            pose(&s);
            plane p = one_contact(&s, 0, 0.6, 0, 0, 0.6, 0, 0);
            assert_close(p.gap, 0.1, TOLERANCE);
            assert_close(p.normal[0], 1, 1e-6);
            /* The surface goes by: (x, 0, 0) turns into x (cos, 0, -sin). */
            assert_close(p.drift[0], 0.6 * (cos(2 * half) - 1), TOLERANCE);
            assert_close(p.drift[2], -0.6 * sin(2 * half), TOLERANCE);
        }
}

/* A point that rests is inside or outside by a rounding; pushed through from either it comes back to its
 * side. */
TEST(points_on_the_surface_keep_their_side) {
    mote_collider_def defs[] = {mote_sphere((vec3){0, 0, 0}, 0.2f),
                                mote_capsule((vec3){-1, 0, 0}, (vec3){1, 0, 0}, 0.2f),
                                mote_box(&(mote_transform)MOTE_TRANSFORM_IDENTITY, (vec3){1, 0.2f, 1})};
    for (size_t i = 0; i < COUNT_OF(defs); i++) {
        scene s = standing(defs[i]);
        for (int step = -4; step <= 4; step++) {
            const double y = 0.2 + step * 1e-7;
            plane p = one_contact(&s, 0, 0, y, 0, 0, -0.3, 0);
            assert_close(p.normal[1], 1, 1e-6);
            assert_close(p.gap, -0.5, TOLERANCE);
            p = one_contact(&s, 0, 0, y, 0, 1e-3, y - 1e-5, 0); /* it slides */
            assert_close(p.normal[1], 1, 2e-5);
            ASSERT(fabs(p.gap), <, 2e-5);
        }
    }
    /* On a box near its edge, sinking more slowly than it slides: still the top. */
    scene s = standing(defs[2]);
    plane p = one_contact(&s, 0, 0.999, 0.2 - 1e-7, 0, 0.9995, 0.2 - 1.1e-7, 0);
    assert_close(p.normal[1], 1, 0);
}

TEST(points_without_a_direction_get_a_fixed_one) {
    scene ball = standing(mote_sphere((vec3){1, 2, 3}, 0.5f));
    plane p = one_contact(&ball, 0.25f, 1, 2, 3, 1, 2, 3);
    ASSERT(p.normal[0], ==, 0);
    ASSERT(p.normal[1], ==, 1);
    ASSERT(p.normal[2], ==, 0);
    ASSERT(p.gap, ==, -0.75);
    scene rod = standing(mote_capsule((vec3){0, -1, 0}, (vec3){0, 1, 0}, 0.5f));
    p = one_contact(&rod, 0, 0, 0.5, 0, 0, -0.75, 0);
    ASSERT(p.normal[0], ==, 1);
    ASSERT(p.normal[1], ==, 0);
    ASSERT(p.normal[2], ==, 0);
    ASSERT(p.gap, ==, -0.5);
    scene bead = standing(mote_capsule((vec3){0, 0, 0}, (vec3){0, 0, 0}, 0.5f));
    p = one_contact(&bead, 0, 0, 2, 0, 0, -2, 0);
    ASSERT(p.normal[1], ==, 1);
    ASSERT(p.gap, ==, -2.5);
    scene speck = standing(mote_box(&(mote_transform)MOTE_TRANSFORM_IDENTITY, (vec3){0, 0, 0}));
    p = one_contact(&speck, 0, 0, 0, 0, 0, 0, 0);
    ASSERT(fabs(p.normal[0]) + fabs(p.normal[1]) + fabs(p.normal[2]), ==, 1);
    ASSERT(p.gap, ==, 0);
    p = one_contact(&speck, 0, 0, 1e-25, 0, 0, 1e-25, 0);
    assert_true(isfinite(p.gap));
    ASSERT(length(p.normal), ==, 1);
}

/* The material that stood under the point: x -> R1 R0* (x - o0) + o1. */
TEST(drift_is_the_motion_of_the_material) {
    random_source random = {5};
    for (int n = 0; n < 200; n++) {
        scene s = standing(random_collider(&random, (mote_collider_kind)(n % MOTE_COLLIDER_KIND_COUNT)));
        s.to = random_transform(&random, 1);
        pose(&s);
        const double x[3] = {between(&random, -2, 2), between(&random, -2, 2), between(&random, -2, 2)};
        plane p = one_contact(&s, 0.1f, x[0], x[1], x[2], x[0], x[1], x[2]);
        double q[3], moved[3];
        const double stored[3] = {in0[0][0], in0[1][0], in0[2][0]};
        localise(&s.from, stored, q);
        turn(s.to.rotation, false, q, moved);
        for (int k = 0; k < 3; k++)
            assert_close(p.drift[k], moved[k] + s.to.position[k] - stored[k], TOLERANCE);
    }
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

static contact_function *function_of(mote_isa isa) {
    switch (isa) {
#if defined(MOTE_HAVE_SSE2)
    case MOTE_ISA_SSE2:
        return contact_lanes_sse2;
#endif
#if defined(MOTE_HAVE_AVX2)
    case MOTE_ISA_AVX2:
        return contact_lanes_avx2;
#endif
#if defined(MOTE_HAVE_AVX512)
    case MOTE_ISA_AVX512:
        return contact_lanes_avx512;
#endif
#if defined(MOTE_HAVE_NEON)
    case MOTE_ISA_NEON:
        return contact_lanes_neon;
#endif
#if defined(MOTE_HAVE_SIMD128)
    case MOTE_ISA_SIMD128:
        return contact_lanes_simd128;
#endif
    default:
        return contact_lanes_scalar;
    }
}

/* Finite, with a normal of length 1 or none. */
static void check_finite(size_t i) {
    plane p = plane_at(i);
    const double size = length(p.normal);
    for (int k = 0; k < CONTACT_OUTPUTS; k++) assert_true(isfinite(out[k][i]));
    if (size != 0) assert_close(size, 1, 8 * 0x1p-24);
}

TEST(hostile_numbers_stay_finite_and_bits_are_the_same_everywhere) {
    random_source random = {7};
    static float kept[CONTACT_OUTPUTS][POINTS];
    for (int n = 0; n < 120; n++) {
        scene s = standing(random_collider(&random, (mote_collider_kind)(n % MOTE_COLLIDER_KIND_COUNT)));
        s.to = random_transform(&random, 1);
        pose(&s);
        if (n & 4)
            fill_hostile(&random, &s);
        else
            fill_paths(&random);
        contact_points points = columns(POINTS, n & 8 ? 0.01f : 0);
        if (n & 16) points.reach = 0.1f, points.exempt = 37;
        contact_lanes_scalar(&s.before, &s.now, 1, &points);
        for (size_t i = 0; i < POINTS; i++) check_finite(i);
        memcpy(kept, out, sizeof out);
        for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
            if (!mote_isa_available((mote_isa)isa)) continue;
            memset(out, 0xff, sizeof out);
            function_of((mote_isa)isa)(&s.before, &s.now, 1, &points);
            assert_memory_equal(out, kept, sizeof out);
        }
    }
}
