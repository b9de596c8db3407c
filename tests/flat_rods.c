/* Rods with flat sections, which have two bending stiffnesses: cantilevers about both axes and between them,
 * twisted sections, torsion, lateral buckling, and their state in snapshots. */
#include "test.h"

#include "rod.h"

/* --- Cantilevers --- */

/* Drop over reach of the tip of a horizontal rod under its weight, q L^3 / EI = g. */
static const struct {
    double g, drop;
} cantilever[] = {{1, 0.12456}, {5, 0.58572}, {10, 1.06680}};

enum { LOADS = COUNT_OF(cantilever), POINTS = 33, SUBSTEPS = 8 };

static double stiffness_for(double load) { return ROD_DENSITY * GRAVITY * pow(ROD_LENGTH, 3) / load; }

/* upright: the long axis of the section is vertical, so that the rod bends about the short one. It then would
 * fall aside (lateral buckling) if its twisting stiffness were less. */
static void hang(bool upright, double ratio, uint32_t substeps) {
    rods s = rods_of(LOADS, POINTS, substeps);
    s.ratio = ratio, s.axis[upright ? 1 : 2] = 1, s.twisting = upright ? 4 : 0.7;
    for (uint32_t i = 0; i < LOADS; i++)
        s.stiffness[i] = stiffness_for(cantilever[i].g) / (upright ? ratio : 1);
    const rope r = make_rods(&s);
    settle_rods(&r, 2000, 0.43);
    for (uint32_t i = 0; i < LOADS; i++) {
        double x[3];
        assert_alive(&r, i);
        ASSERT(report_of(&r, i).strain, <=, 0.002);
        load_point(&r, i, POINTS - 1, x, NULL);
        test_case("q L^3 / EI = %g: drop over reach %.5f, %+.2f %%, %g m aside", cantilever[i].g,
                  -x[1] / x[0], 100 * (-x[1] / x[0] / cantilever[i].drop - 1), x[2]);
        assert_near(-x[1] / x[0], cantilever[i].drop, 0.01 * cantilever[i].drop);
        ASSERT(fabs(x[2]), <=, 1e-3 * ROD_LENGTH);
    }
    destroy_rope(&r);
}

TEST(flat_cantilevers_hang_about_their_long_axis) { hang(false, 4, SUBSTEPS); }
TEST(flat_cantilevers_hang_about_their_short_axis) { hang(true, 2, SUBSTEPS); }

/* A section that lies askew bends aside as well: with EI and k EI about axes at 45 degrees the drop is
 * q L^4 / (8 EI) (1 + 1 / k) / 2, and the way aside the same with 1 - 1 / k. */
TEST(askew_cantilevers_bend_aside) {
    static const double ratio[] = {1.5, 4, 25};
    for (size_t i = 0; i < COUNT_OF(ratio); i++) {
        const double load = 0.05, k = ratio[i];
        rods s = rods_of(1, POINTS, SUBSTEPS);
        s.ratio = k, s.axis[1] = s.axis[2] = 1, s.twisting = 0.7, s.stiffness[0] = stiffness_for(load);
        const rope r = make_rods(&s);
        double x[3];
        settle_rods(&r, 2000, 0.43);
        load_point(&r, 0, POINTS - 1, x, NULL);
        const double whole = load * ROD_LENGTH / 16;
        test_case("ratio %g: %g m down, %g m aside", k, -x[1], x[2]);
        assert_near(-x[1], whole * (1 + 1 / k), 0.01 * whole);
        assert_near(x[2] / -x[1], (k - 1) / (k + 1), 0.01 * (k - 1) / (k + 1));
        destroy_rope(&r);
    }
}

/* Way of the tip of a twisted cantilever under a small load, by the integral of the curvature times the
 * distance from the tip: of the moment across each axis over its stiffness. */
static void integrate_twisted(const rods *s, double load, double way[2]) {
    enum { PARTS = 1000 };
    const double q = load / pow(ROD_LENGTH, 3); /* weight a metre over EI */
    way[0] = way[1] = 0;
    for (int i = 0; i < PARTS; i++) {
        const double at = ROD_LENGTH * (i + 0.5) / PARTS, left = ROD_LENGTH - at,
                     angle = s->turn * (i + 0.5) / PARTS;
        const double e[2] = {-sin(angle), cos(angle)}, n[2] = {cos(angle), sin(angle)}; /* y, z */
        const double curvature = -q * left * left / 2;
        for (int axis = 0; axis < 2; axis++)
            way[axis] += curvature * (e[0] * e[axis] / s->ratio + n[0] * n[axis]) * left * ROD_LENGTH / PARTS;
    }
}

/* The long axis turns from z towards -y. */
TEST(twisted_sections_keep_their_shape_and_bend_by_each_part_of_it) {
    static const double turn[] = {PI / 2, 1, 3 * PI};
    for (size_t i = 0; i < COUNT_OF(turn); i++) {
        const double load = 0.05;
        rods s = rods_of(1, POINTS, SUBSTEPS);
        s.ratio = 6, s.axis[2] = 1, s.turn = turn[i], s.twisting = 0.7, s.stiffness[0] = stiffness_for(load);
        s.gravity = 0;
        const rope still = make_rods(&s);
        double x[3], way[2];
        step_rope(&still, 120);
        for (uint32_t k = 0; k < POINTS; k++) {
            load_point(&still, 0, k, x, NULL);
            ASSERT(apart(x, (double[3]){ROD_LENGTH * k / (POINTS - 1.0), 0, 0}), <=, 1e-6 * ROD_LENGTH);
        }
        destroy_rope(&still);
        s.gravity = GRAVITY;
        const rope r = make_rods(&s);
        settle_rods(&r, 2000, 0.43);
        load_point(&r, 0, POINTS - 1, x, NULL);
        integrate_twisted(&s, load, way);
        test_case("turn %g: (%g, %g) m for (%g, %g) m", turn[i], x[1], x[2], way[0], way[1]);
        assert_near(x[1], way[0], 0.01 * fabs(way[0]));
        assert_near(x[2], way[1], 0.01 * fabs(way[0]));
        destroy_rope(&r);
    }
}

/* --- Torsion --- */

/* A root that turns by 90 degrees while the last segment is held: the energy is GJ angle^2 / (2 L), whatever
 * the ratio. From the clamp to the middle of the last segment there are POINTS - 1.5 segments. */
TEST(flat_rods_twist_as_round_ones) {
    static const double ratio[] = {1, 4, 50};
    for (size_t i = 0; i < COUNT_OF(ratio); i++) {
        rods s = rods_of(1, POINTS, SUBSTEPS);
        s.gravity = 0, s.stiffness[0] = 1e-5, s.twisting = 1.2, s.ratio = ratio[i], s.axis[1] = 1;
        const rope r = make_rods(&s);
        const mote_transform quarter = turn_about((double[3]){1, 0, 0}, PI / 2, (double[3]){0, 0, 0});
        for (uint32_t k = POINTS - 2; k < POINTS; k++) {
            const float at[3] = {(float)(ROD_LENGTH * k / (POINTS - 1.0)), 0, 0};
            assert_int_equal(mote_strands_pin(r.system, r.id, 0, k, at, 0), MOTE_OK);
        }
        assert_int_equal(mote_strands_set_root(r.system, r.id, 0, &quarter, 60 * ticks_per_step(&r)),
                         MOTE_OK);
        step_rope(&r, 240);
        mote_statistics statistics;
        assert_int_equal(mote_strands_statistics(r.system, r.id, &statistics), MOTE_OK);
        const double length = ROD_LENGTH * (POINTS - 1.5) / (POINTS - 1),
                     want = 1.2e-5 * pow(PI / 2, 2) / (2 * length);
        test_case("ratio %g: %g J for %g J", ratio[i], statistics.elastic, want);
        assert_near(statistics.elastic, want, 0.005 * want);
        destroy_rope(&r);
    }
}

/* --- Lateral buckling --- */

typedef struct tip_pull {
    float lightest, newtons; /* inverse mass above which a point is a tip */
} tip_pull;

static void pull_down(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    const tip_pull *pull = user;
    for (uint32_t i = 0; i < stage->count; i++)
        if (stage->inverse_mass && stage->inverse_mass[i] > pull->lightest) y[i] -= pull->newtons;
    (void)x, (void)z;
}

/* A deep cantilever that is loaded at the tip, in its stiff plane, falls aside above
 * P = 4.013 sqrt(EI GJ) / L^2, EI about the long axis (Prandtl; Timoshenko & Gere, Theory of Elastic
 * Stability, 6.3). */
TEST(deep_cantilevers_fall_aside_at_the_load_of_prandtl) {
    static const double share[] = {0.9, 0.95, 1.05, 1.1};
    const double twisting = 1.4, ratio = 100;
    tip_pull pull = {.newtons = 1e-3f};
    mote_force_def load = mote_callback(pull_down, &pull);
    mote_force_id id;
    rods s = rods_of(COUNT_OF(share), POINTS, SUBSTEPS);
    s.gravity = 0, s.twisting = twisting, s.ratio = ratio, s.axis[1] = 1;
    pull.lightest = (float)(1.5 / rod_point_mass(&s, 0, 1));
    load.as.callback.unit = MOTE_NEWTONS;
    load.as.callback.reach = MOTE_REACH_PARTICLE;
    for (uint32_t i = 0; i < s.count; i++)
        s.stiffness[i] = (double)pull.newtons * pow(ROD_LENGTH, 2) / (share[i] * 4.013 * sqrt(twisting));
    const rope r = make_rods(&s);
    assert_int_equal(mote_system_add_force(r.system, &load, &id), MOTE_OK);
    for (uint32_t i = 0; i < s.count; i++)
        for (uint32_t k = 1; k < POINTS; k++)
            store_point(&r, i, k, NULL, (double[3]){0, 0, 1e-2 * k / POINTS});
    settle_rods(&r, 9000, 0.98);
    for (uint32_t i = 0; i < s.count; i++) {
        double x[3];
        load_point(&r, i, POINTS - 1, x, NULL);
        test_case("%g of the load: %g of its length aside", share[i], x[2] / ROD_LENGTH);
        if (share[i] < 1)
            ASSERT(fabs(x[2]), <, 0.005 * ROD_LENGTH);
        else
            ASSERT(fabs(x[2]), >, 0.1 * ROD_LENGTH);
    }
    destroy_rope(&r);
}

/* --- State --- */

static rods scene(double ratio, double turn) {
    rods s = rods_of(5, POINTS, SUBSTEPS);
    s.ratio = ratio, s.turn = turn, s.axis[2] = s.axis[1] = 1, s.twisting = 0.9;
    for (uint32_t i = 0; i < s.count; i++) s.stiffness[i] = 1e-6 * pow(10, i);
    return s;
}

TEST(flat_rods_continue_from_snapshots_of_the_same_def) {
    static unsigned char memory[1 << 20];
    const rods s = scene(5, 2), other_ratio = scene(5.5, 2), other_axis = scene(5, 2.5);
    size_t bytes;
    const rope r = make_rods(&s), again = make_rods(&s),
               wrong[] = {make_rods(&other_ratio), make_rods(&other_axis)};
    step_rope(&r, 20);
    assert_int_equal(mote_system_save(r.system, 0, memory, sizeof memory, &bytes), MOTE_OK);
    step_rope(&r, 30);
    const uint64_t want = mote_system_hash(r.system);
    for (int i = 0; i < 2; i++) {
        const uint64_t before = mote_system_hash(wrong[i].system);
        assert_int_equal(mote_system_restore(wrong[i].system, memory, bytes, NULL), MOTE_ERROR_FOREIGN);
        ASSERT(mote_system_hash(wrong[i].system), ==, before);
        destroy_rope(&wrong[i]);
    }
    assert_int_equal(mote_system_restore(again.system, memory, bytes, NULL), MOTE_OK);
    assert_int_equal(mote_system_restore(r.system, memory, bytes, NULL), MOTE_OK);
    step_rope(&again, 30), step_rope(&r, 30);
    ASSERT(mote_system_hash(again.system), ==, want);
    ASSERT(mote_system_hash(r.system), ==, want);
    destroy_rope(&again), destroy_rope(&r);
}

/* With a ratio of 1 a rod moves as a round one, whatever its axes are. */
TEST(a_ratio_of_one_is_a_round_rod) {
    rods s = scene(0, 0);
    const rope round = make_rods(&s);
    s.ratio = 1, s.turn = 2;
    const rope one = make_rods(&s);
    step_rope(&round, 10), step_rope(&one, 10);
    for (uint32_t i = 0; i < s.count; i++)
        for (uint32_t k = 0; k < POINTS; k++) {
            double x[3], y[3];
            load_point(&round, i, k, x, NULL), load_point(&one, i, k, y, NULL);
            ASSERT(apart(x, y), <=, 1e-4 * ROD_LENGTH); /* rounding of other frames */
        }
    destroy_rope(&round), destroy_rope(&one);
}
