/* Rods with frames: rest curvature, and twist. */
#include "test.h"

#include "rod.h"

enum { POINTS = 33 };

static const double RADIUS = 0.1; /* m, of arcs */

typedef struct bent_rod {
    double stiffness, twisting;   /* EI, GJ */
    double gravity, angle, pitch; /* of the arc, rad; m a radian */
    uint32_t substeps;
} bent_rod;

static float positions[3 * POINTS];

/* An arc, or a helix, that begins along x: the middles of the segments lie on it. */
static void lay_arc(const bent_rod *b) {
    double x[3] = {0, 0, 0};
    const double turn = b->angle / (POINTS - 1);
    for (uint32_t k = 0; k < POINTS; k++) {
        for (int i = 0; i < 3; i++) positions[3 * k + i] = (float)x[i];
        x[0] += RADIUS * turn * cos(turn * k), x[1] += RADIUS * turn * sin(turn * k), x[2] += b->pitch * turn;
    }
}

static rope make_bent(const bent_rod *b) {
    float mass[POINTS];
    mote_strands_def def = mote_default_strands_def();
    lay_arc(b);
    for (uint32_t k = 0; k < POINTS; k++) mass[k] = k % (POINTS - 1) ? 1e-5f : 0.5e-5f;
    def.substeps = 0, def.strand_count = 1, def.points = POINTS, def.positions = positions;
    def.point_mass = mass;
    def.bending_stiffness = (float)b->stiffness, def.twisting_stiffness = (float)b->twisting;
    return make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, b->substeps, b->gravity);
}

static double furthest(const rope *r, const mote_transform *root) {
    double most = 0;
    for (uint32_t k = 0; k < POINTS; k++) {
        double x[3], want[3];
        const double rest[3] = {(double)positions[3 * k], (double)positions[3 * k + 1],
                                (double)positions[3 * k + 2]};
        load_point(r, 0, k, x, NULL);
        apply(root, rest, want);
        most = fmax(most, apart(x, want));
    }
    return most;
}

static const bent_rod bent[] = {{1e-5, 0.7e-5, 0, 1, 0, 8},
                                {1e-5, 0.7e-5, 0, 3, 0.02, 8},
                                {1e-5, 1e-4, 0, 6, 0.02, 8},
                                {1e-4, 1e-5, 0, 3, 0, 4},
                                {1e-4, 0.7e-4, 0, 12, 0.01, 16}};

TEST(curls_stay_in_their_rest_shape) {
    for (size_t i = 0; i < COUNT_OF(bent); i++) {
        const rope r = make_bent(&bent[i]);
        const mote_transform identity = MOTE_TRANSFORM_IDENTITY;
        step_rope(&r, 120);
        test_case("rod %zu: %g m away", i, furthest(&r, &identity));
        assert_alive(&r, 0);
        ASSERT(furthest(&r, &identity), <=, 1e-5);
        destroy_rope(&r);
    }
}

/* A root that turns about its first segment takes the arc with it: through the twist alone. */
TEST(curls_turn_with_their_roots) {
    for (size_t i = 0; i < COUNT_OF(bent); i++) {
        const rope r = make_bent(&bent[i]);
        const mote_transform quarter = turn_about((double[3]){1, 0, 0}, PI / 2, (double[3]){0, 0, 0});
        assert_int_equal(mote_strands_set_root(r.system, r.id, 0, &quarter, 60 * ticks_per_step(&r)),
                         MOTE_OK);
        settle_rods(&r, 1500, 0.8);
        test_case("rod %zu: %g m away", i, furthest(&r, &quarter));
        assert_alive(&r, 0);
        ASSERT(furthest(&r, &quarter), <=, 1e-3 * RADIUS * bent[i].angle);
        destroy_rope(&r);
    }
}

static const float side_load = 1e-6f; /* N */

static void pull_aside(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    for (uint32_t i = 0; i < stage->count; i++)
        if (stage->inverse_mass && stage->inverse_mass[i] > 1.5e5f) z[i] += side_load;
    (void)user, (void)x, (void)y;
}

/* Out of plane deflection of a quarter ring under a load at its tip: P R^3 (pi / 4 / EI + (3 pi / 4 - 2) /
 * GJ) (Castigliano). */
TEST(quarter_rings_bend_and_twist) {
    static const double ratio[] = {0.1, 0.7, 5};
    for (size_t i = 0; i < COUNT_OF(ratio); i++) {
        const bent_rod ring = {1e-5, ratio[i] * 1e-5, 0, PI / 2, 0, 8};
        const rope r = make_bent(&ring);
        mote_force_def load = mote_callback(pull_aside, NULL);
        mote_force_id id;
        double x[3];
        load.as.callback.unit = MOTE_NEWTONS;
        load.as.callback.reach = MOTE_REACH_PARTICLE;
        assert_int_equal(mote_system_add_force(r.system, &load, &id), MOTE_OK);
        settle_rods(&r, 1500, 0.6);
        load_point(&r, 0, POINTS - 1, x, NULL);
        const double want =
            (double)side_load * pow(RADIUS, 3) * (PI / 4 / ring.stiffness + (3 * PI / 4 - 2) / ring.twisting);
        test_case("GJ / EI = %g: %g m for %g m", ratio[i], x[2], want);
        assert_near(x[2], want, 0.01 * want);
        destroy_rope(&r);
    }
}

/* Under gravity a curl hangs, and stays a curl, whose shape does not depend on the substeps. */
TEST(curls_under_gravity_do_not_depend_on_the_substeps) {
    double tip[2][3];
    for (int i = 0; i < 2; i++) {
        const bent_rod curl = {1e-6, 0.7e-6, GRAVITY, 6, 0.02, i ? 16 : 4};
        const rope r = make_bent(&curl);
        settle_rods(&r, 2000, 0.6);
        assert_alive(&r, 0);
        load_point(&r, 0, POINTS - 1, tip[i], NULL);
        destroy_rope(&r);
    }
    test_case("tips (%g, %g, %g) and (%g, %g, %g)", tip[0][0], tip[0][1], tip[0][2], tip[1][0], tip[1][1],
              tip[1][2]);
    ASSERT(apart(tip[0], tip[1]), <=, 1e-4 * 6 * RADIUS);
}
