/* Frames of strands that the engine has stepped: tangents, parallel transport, twist that shows in ribbons
 * and in followers. */
#include "test.h"

#include <float.h>

#include "rope.h"

enum { POINTS = 33, LEG = 3, ALL = POINTS + LEG };

typedef struct point {
    float x[3], t[3], q[4], u;
} point;

static mote_strand_layout point_layout(void) {
    mote_strand_layout l = mote_default_strand_layout();
    l.stride = sizeof(point), l.position_offset = offsetof(point, x), l.tangent_offset = offsetof(point, t);
    l.frame_offset = offsetof(point, q), l.parameter_offset = offsetof(point, u);
    return l;
}

/* The axes of a frame in double. */
static void axis_of(const float q[4], int axis, double out[3]) {
    const mote_transform turn = {{0, 0, 0}, {q[0], q[1], q[2], q[3]}};
    const double unit[3] = {axis == 0, axis == 1, axis == 2};
    apply(&turn, unit, out);
}

/* rest: the first tangent under the root; NULL: frames are not transported. The smallest rotation between two
 * tangents errs by the rounding over the cosine of half of its angle. */
static void check_tangents(const point *p, uint32_t count, const double rest[3]) {
    for (uint32_t k = 0; k < count; k++) {
        double third[3], before[3] = {0};
        axis_of(p[k].q, 2, third);
        const double t[3] = {(double)p[k].t[0], (double)p[k].t[1], (double)p[k].t[2]};
        for (int i = 0; i < 3; i++) before[i] = k ? (double)p[k - 1].t[i] : rest ? rest[i] : t[i];
        const double cosine = rest ? sqrt(fmax(0, (1 + dot(before, t)) / 2)) : 1;
        ASSERT(apart(third, t) * cosine, <=, 16 * FLT_EPSILON);
    }
}

/* --- Twist --- */

/* A rod of 0.32 m along x that ends in a short leg along y, whose points are pinned. Between its root and the
 * leg it can only twist. */
static rope make_bent_rod(double twisting) {
    static float x[ALL][3];
    float mass[ALL];
    mote_strands_def def = mote_default_strands_def();
    memset(x, 0, sizeof x);
    for (int k = 0; k < ALL; k++) {
        x[k][0] = 0.01f * (float)(k < POINTS ? k : POINTS - 1),
        x[k][1] = k < POINTS ? 0 : 0.01f * (float)(k - POINTS + 1);
        mass[k] = 1e-5f;
    }
    def.strand_count = 1, def.points = ALL, def.positions = x[0], def.point_mass = mass, def.substeps = 8;
    def.bending_stiffness = 1e-4f, def.twisting_stiffness = (float)twisting;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, 0);
    for (uint32_t k = POINTS - 1; k < ALL; k++)
        assert_int_equal(mote_strands_pin(r.system, r.id, 0, k, x[k], 0), MOTE_OK);
    return r;
}

static void turn_root(const rope *r, double angle) {
    const mote_transform turn = turn_about((double[3]){1, 0, 0}, angle, (double[3]){0, 0, 0});
    assert_int_equal(mote_strands_set_root(r->system, r->id, 0, &turn, 60 * ticks_per_step(r)), MOTE_OK);
    step_rope(r, 180);
}

/* Angle about x from the first axis of frame a to that of b. */
static double turned(const float a[4], const float b[4]) {
    double from[3], to[3], across[3];
    axis_of(a, 0, from), axis_of(b, 0, to);
    cross(from, to, across);
    return atan2(across[0], dot(from, to));
}

/* Torsion is uniform between the root and the leg. The corner's bend gives way by EI / l against GJ / L: 0.3
 * % of the angle. Frames of points lie half a segment from those of segments; the root's by its clamp, of one
 * half too. */
TEST(a_rod_twisted_at_its_root_is_a_twisted_ribbon) {
    static const double angles[] = {0.5, 0.75, -1, 1.5, 2.5};
    for (size_t i = 0; i < COUNT_OF(angles); i++) {
        const rope r = make_bent_rod(1e-6);
        mote_strand_layout l = point_layout();
        point rest[ALL], now[ALL];
        float ribbon[2 * ALL][3];
        assert_int_equal(mote_strands_present(r.system, r.id, &l, rest, sizeof rest), MOTE_OK);
        turn_root(&r, angles[i]);
        assert_alive(&r, 0);
        assert_int_equal(mote_strands_present(r.system, r.id, &l, now, sizeof now), MOTE_OK);
        l = mote_default_strand_layout(), l.shape = MOTE_STRAND_RIBBONS;
        l.root_width = l.tip_width = 0.01f;
        assert_int_equal(mote_strands_present(r.system, r.id, &l, ribbon, sizeof ribbon), MOTE_OK);
        check_tangents(now, ALL, NULL);
        double worst = 0;
        for (uint32_t k = 0; k + 1 < POINTS; k++) {
            const double twist = turned(rest[k].q, now[k].q), want = angles[i] * (1 - k / (POINTS - 1.0));
            double side[3], across[3];
            worst = fmax(worst, fabs(twist - want));
            axis_of(now[k].q, 0, side);
            for (int axis = 0; axis < 3; axis++)
                across[axis] = ((double)ribbon[2 * k + 1][axis] - (double)ribbon[2 * k][axis]) / 0.01;
            ASSERT(apart(side, across), <=, 1e-4);
        }
        test_case("%g rad: within %g rad", angles[i], worst);
        ASSERT(worst, <=, 0.03 * fabs(angles[i]));
        destroy_rope(&r);
    }
}

/* Without twisting stiffness there is no material frame; the ribbon faces the eye and the transported frame
 * turns with the root as a whole. */
TEST(strands_without_twist_turn_as_a_whole) {
    static const float x[4][3] = {{0, 0, 0}, {0.1f, 0, 0}, {0.2f, 0, 0}, {0.3f, 0, 0}};
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = 4, def.positions = x[0];
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, 0);
    const mote_strand_layout l = point_layout();
    point rest[4], now[4];
    assert_int_equal(mote_strands_present(r.system, r.id, &l, rest, sizeof rest), MOTE_OK);
    turn_root(&r, 1.25);
    assert_int_equal(mote_strands_present(r.system, r.id, &l, now, sizeof now), MOTE_OK);
    for (uint32_t k = 0; k < 4; k++) ASSERT_NEAR(turned(rest[k].q, now[k].q), 1.25, 1e-5);
    destroy_rope(&r);
}

/* --- Transport --- */

/* Each frame is the one before, turned by the smallest rotation between the tangents: the part of the turn
 * about the tangents is 0. */
TEST(transported_frames_do_not_turn_about_the_strand) {
    static float x[ALL][3];
    for (int k = 0; k < ALL; k++) { /* a helix */
        const double s = 0.4 * k;
        x[k][0] = 0.1f * (float)cos(s), x[k][1] = 0.1f * (float)sin(s), x[k][2] = 0.02f * (float)s;
    }
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = ALL, def.positions = x[0];
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
    const mote_strand_layout l = point_layout();
    double first[3];
    for (int i = 0; i < 3; i++) first[i] = (double)x[1][i] - (double)x[0][i];
    const double length = sqrt(dot(first, first));
    for (int i = 0; i < 3; i++) first[i] /= length;
    point p[ALL];
    for (int frame = 0; frame < 40; frame++) {
        step_rope(&r, 1);
        assert_int_equal(mote_strands_present(r.system, r.id, &l, p, sizeof p), MOTE_OK);
        check_tangents(p, ALL, first);
        for (uint32_t k = 1; k < ALL; k++) { /* conj(q[k-1]) q[k] has no part along the third axis */
            const float *a = p[k - 1].q, *b = p[k].q;
            const double along = (double)a[3] * (double)b[2] - (double)a[2] * (double)b[3] -
                                 ((double)a[0] * (double)b[1] - (double)a[1] * (double)b[0]);
            ASSERT_NEAR(along, 0, 16 * FLT_EPSILON);
        }
    }
    destroy_rope(&r);
}

/* --- Columns and followers --- */

TEST(material_frames_in_columns_point_along_their_segments) {
    const rope r = make_bent_rod(1e-6);
    turn_root(&r, 1);
    const mote_strands_view view = mote_strands_columns(r.system, r.id);
    for (uint32_t k = 0; k + 1 < ALL; k++) {
        const uint32_t slot = mote_strands_slot(r.system, r.id, 0, k);
        const float q[4] = {view.frame[0][slot], view.frame[1][slot], view.frame[2][slot],
                            view.frame[3][slot]};
        double a[3], b[3], third[3];
        load_point(&r, 0, k, a, NULL), load_point(&r, 0, k + 1, b, NULL);
        const double length = apart(a, b);
        for (int i = 0; i < 3; i++) b[i] = (b[i] - a[i]) / length;
        axis_of(q, 2, third);
        ASSERT(apart(third, b), <=, 1e-5);
    }
    destroy_rope(&r);
}

/* A follower beside the rod shows its twist. */
TEST(followers_of_a_twisted_rod_are_twisted_ribbons) {
    const rope r = make_bent_rod(1e-6);
    float beside[17][3];
    for (int k = 0; k < 17; k++) beside[k][0] = 0.02f * (float)k, beside[k][1] = 0.05f, beside[k][2] = 0;
    mote_followers_def def = mote_default_followers_def();
    mote_followers *followers;
    def.follower_count = 1, def.points = 17, def.positions = beside[0];
    assert_int_equal(mote_followers_create(r.system, r.id, &def, &followers, NULL), MOTE_OK);
    const mote_strand_layout l = point_layout();
    point rest[17], now[17], guide[ALL];
    assert_int_equal(mote_followers_present(r.system, followers, &l, rest, sizeof rest), MOTE_OK);
    turn_root(&r, 1);
    assert_int_equal(mote_followers_present(r.system, followers, &l, now, sizeof now), MOTE_OK);
    assert_int_equal(mote_strands_present(r.system, r.id, &l, guide, sizeof guide), MOTE_OK);
    check_tangents(now, 17, NULL);
    for (uint32_t k = 0; k < 15; k++) {
        const double want = 1 - k * (ALL - 1) / 16.0 / (POINTS - 1.0);
        if (want > 0.1) ASSERT_NEAR(turned(rest[k].q, now[k].q), want, 0.05);
    }
    mote_followers_destroy(followers);
    destroy_rope(&r);
}
