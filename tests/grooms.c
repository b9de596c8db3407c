/* Grooms that do not sag: rods whose given shape is their equilibrium under gravity, and its stability. */
#include "test.h"

#include "rope.h"

enum { CURLS = 24, POINTS = 64, STEPS = 600 };

static float positions[3 * CURLS * POINTS], mass[CURLS * POINTS];

/* Random curls: helices about directions of the upper or the lower half space. */
typedef struct groom {
    const char *name;
    double stiffness, density, length; /* EI, kg/m, m */
    double radius, pitch;              /* m, m a radian */
    double lowest;                     /* of the directions' heights, -1 .. 1 */
    double away;                       /* m, of the roots from the origin */
    double ratio;                      /* of both EI, of flat sections; 0: round ones */
} groom;

/* Hair: 40 micrometres, 4 GPa, 1,320 kg/m^3; wire: 0.5 mm of steel. */
static const groom groom_of[] = {{"hair", 8e-9, 6.6e-6, 0.08, 0.01, 0.012, -1, 0, 0},
                                 {"hair at 1 km", 8e-9, 6.6e-6, 0.08, 0.01, 0.012, -1, 1000, 0},
                                 {"wire", 9.8e-3, 6.2e-3, 0.6, 0.1, 0.1, -1, 0, 0},
                                 {"wire at 1 km", 9.8e-3, 6.2e-3, 0.6, 0.1, 0.1, -1, 1000, 0},
                                 {"flat hair", 8e-9, 6.6e-6, 0.08, 0.01, 0.012, -1, 0, 3},
                                 {"flat wire", 9.8e-3, 6.2e-3, 0.6, 0.1, 0.1, -1, 0, 3}};

static double random_in(random_source *random, double from, double to) {
    return (double)random_between(random, (float)from, (float)to);
}

/* Two directions across `along`. */
static void axes_across(const double along[3], double u[3], double v[3]) {
    const double up[3] = {fabs(along[0]) < 0.9, fabs(along[0]) >= 0.9, 0};
    cross(along, up, u);
    const double size = sqrt(dot(u, u));
    for (int i = 0; i < 3; i++) u[i] /= size;
    cross(along, u, v);
}

static void lay_curl(const groom *g, random_source *random, float *p) {
    const double height = random_in(random, g->lowest, 1), turn = random_in(random, 0, 2 * PI),
                 across = sqrt(1 - height * height), phase = random_in(random, 0, 2 * PI),
                 radius = g->radius * random_in(random, 0.8, 1.2),
                 pitch = g->pitch * random_in(random, 0.8, 1.2) * (random_below(random, 2) ? 1 : -1);
    const double along[3] = {across * cos(turn), height, across * sin(turn)};
    double u[3], v[3];
    axes_across(along, u, v);
    for (uint32_t k = 0; k < POINTS; k++) {
        const double t = g->length / (POINTS - 1) * k / sqrt(radius * radius + pitch * pitch);
        for (int i = 0; i < 3; i++)
            p[3 * k + (uint32_t)i] = (float)(0.1 * along[i] +
                                             radius * ((cos(phase + t) - cos(phase)) * u[i] +
                                                       (sin(phase + t) - sin(phase)) * v[i]) +
                                             pitch * t * along[i]);
    }
}

/* rest: rest_acceleration; to: of all roots. */
static rope make_groom_at(const groom *g, double stiffness, const double rest[3], const mote_transform *to) {
    random_source random = {7};
    mote_strands_def def = mote_default_strands_def();
    for (uint32_t i = 0; i < CURLS; i++) lay_curl(g, &random, positions + (size_t)3 * POINTS * i);
    for (uint32_t i = 0; i < CURLS * POINTS; i++)
        mass[i] = (float)(g->density * g->length / (POINTS - 1) * (i % POINTS == POINTS - 1 ? 0.5 : 1));
    def.substeps = 0, def.strand_count = CURLS, def.points = POINTS, def.positions = positions;
    def.point_mass = mass, def.bending_stiffness = (float)stiffness;
    def.twisting_stiffness = (float)(0.75 * stiffness);
    if (g->ratio > 0) def.bending_ratio = (float)g->ratio;
    for (int i = 0; i < 3; i++) def.rest_acceleration[i] = (float)rest[i];
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
    assert_int_equal(mote_strands_set_roots(r.system, r.id, to, 1, 0), MOTE_OK);
    assert_int_equal(mote_strands_reset(r.system, r.id, MOTE_ALL_STRANDS), MOTE_OK);
    return r;
}

/* share: of gravity, under which the shape is that at rest. */
static rope make_groom(const groom *g, double stiffness, double share) {
    const mote_transform to = {{(float)g->away, 0, 0}, {0, 0, 0, 1}};
    return make_groom_at(g, stiffness, (double[3]){0, -share * GRAVITY, 0}, &to);
}

/* Largest distance of a curl's points from their places, m; *speed: the largest. */
static double drift_of(const rope *r, const groom *g, uint32_t curl, double *speed) {
    double drift = 0;
    *speed = 0;
    for (uint32_t k = 0; k < POINTS; k++) {
        const float *p = positions + 3 * (size_t)(POINTS * curl + k);
        double x[3], v[3];
        load_point(r, curl, k, x, v);
        drift = fmax(drift, apart(x, (double[3]){g->away + (double)p[0], (double)p[1], (double)p[2]}));
        *speed = fmax(*speed, sqrt(dot(v, v)));
    }
    return drift;
}

static double factor_of(const rope *r, uint32_t strand) {
    double factor = -1;
    assert_int_equal(mote_strands_stability(r->system, r->id, strand, &factor), MOTE_OK);
    return factor;
}

static const char *name_of(uint32_t i) { return groom_of[i].name; }

TEST_EACH(grooms_keep_their_shape_under_gravity, COUNT_OF(groom_of), name_of, i) {
    const groom *g = &groom_of[i];
    const rope r = make_groom(g, g->stiffness, 1);
    double worst = 0, fastest = 0;
    for (uint32_t curl = 0; curl < CURLS; curl++) ASSERT(factor_of(&r, curl), ==, 1);
    for (uint32_t step = 0; step < STEPS; step++) {
        step_rope(&r, 1);
        for (uint32_t curl = 0; curl < CURLS; curl++) {
            double speed;
            worst = fmax(worst, drift_of(&r, g, curl, &speed) / g->length);
            fastest = fmax(fastest, speed);
        }
        test_case("step %u: %g of the length away, %g m/s", step, worst, fastest);
        ASSERT(worst, <=, 1e-3);
        ASSERT(fastest, <=, 2e-4);
    }
    destroy_rope(&r);
}

TEST(grooms_sag_without_a_rest_acceleration) {
    for (uint32_t i = 0; i < COUNT_OF(groom_of); i += 2) {
        const rope r = make_groom(&groom_of[i], groom_of[i].stiffness, 0);
        double least = 1, speed;
        step_rope(&r, STEPS);
        for (uint32_t curl = 0; curl < CURLS; curl++)
            least = fmin(least, drift_of(&r, &groom_of[i], curl, &speed) / groom_of[i].length);
        test_case("%s: %g of the length at least", groom_of[i].name, least);
        ASSERT(least, >=, 0.01);
        destroy_rope(&r);
    }
}

/* rest_acceleration turns with the root: a quarter turn about x takes z to -y. */
TEST(grooms_rest_under_roots_that_are_turned) {
    const groom *g = &groom_of[0];
    const mote_transform to = turn_about((double[3]){1, 0, 0}, PI / 2, (double[3]){3, 4, 5});
    const rope r = make_groom_at(g, g->stiffness, (double[3]){0, 0, GRAVITY}, &to);
    step_rope(&r, STEPS);
    for (uint32_t curl = 0; curl < CURLS; curl++)
        for (uint32_t k = 0; k < POINTS; k++) {
            const float *p = positions + 3 * (size_t)(POINTS * curl + k);
            double x[3], want[3];
            load_point(&r, curl, k, x, NULL);
            apply(&to, (double[3]){(double)p[0], (double)p[1], (double)p[2]}, want);
            test_case("curl %u, point %u: %g of the length away", curl, k, apart(x, want) / g->length);
            ASSERT(apart(x, want), <=, 1e-4 * g->length);
        }
    destroy_rope(&r);
}

/* --- Stability --- */

static const double LENGTH = 0.3, DENSITY = 1e-3; /* m, kg/m, of straight rods */

/* The factor of a straight rod with q L^3 / EI = load. */
static double factor_of_rod(uint32_t points, const double direction[3], double load, double twisting) {
    const double end[3] = {LENGTH * direction[0], LENGTH * direction[1], LENGTH * direction[2]};
    const double stiffness = DENSITY * GRAVITY * pow(LENGTH, 3) / load;
    mote_strands_def def = mote_default_strands_def();
    lay_line(positions, points, (double[3]){0, 0, 0}, end);
    for (uint32_t k = 0; k < points; k++)
        mass[k] = (float)(DENSITY * LENGTH / (points - 1) * (k % (points - 1) ? 1 : 0.5));
    def.strand_count = 1, def.points = points, def.positions = positions, def.point_mass = mass;
    def.bending_stiffness = (float)stiffness, def.twisting_stiffness = (float)(twisting * stiffness);
    def.rest_acceleration[1] = (float)-GRAVITY;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
    const double factor = factor_of(&r, 0);
    destroy_rope(&r);
    return factor;
}

/* An upright rod buckles at q L^3 / EI = 7.8373 (Greenhill). */
TEST(the_factor_of_upright_rods_is_that_of_greenhill) {
    static const double load[] = {7.7, 8, 20, 1000};
    for (size_t i = 0; i < COUNT_OF(load); i++) {
        const double got = factor_of_rod(33, (double[3]){0, 1, 0}, load[i], 0.7),
                     want = fmax(load[i] / 7.8373, 1);
        test_case("q L^3 / EI = %g: %g for %g", load[i], got, want);
        assert_near(got, want, 0.005 * want);
    }
}

/* A level rod that weight has not bent buckles sideways, by bending and twisting, at q L^3 / sqrt(EI GJ) =
 * 12.853 (Prandtl 1899; Timoshenko & Gere, Theory of Elastic Stability, 6.3). */
TEST(the_factor_of_level_rods_is_that_of_lateral_buckling) {
    static const double twisting[] = {0.1, 0.7, 3};
    for (size_t i = 0; i < COUNT_OF(twisting); i++) {
        const double got = factor_of_rod(POINTS, (double[3]){1, 0, 0}, 100, twisting[i]),
                     want = 100 / (12.853 * sqrt(twisting[i]));
        test_case("GJ / EI = %g: %g for %g", twisting[i], got, want);
        assert_near(got, want, 0.005 * want);
    }
}

/* Curls that are pushed a little: those of a factor of 1 come back, those of 1.1 and more fall. */
TEST(curls_fall_where_the_factor_says_so) {
    const groom g = {"hair", 2.8e-9, 6.6e-6, 0.08, 0.01, 0.012, -0.2, 0, 0};
    const rope r = make_groom(&g, g.stiffness, 1);
    uint32_t stable = 0, unstable = 0;
    for (uint32_t curl = 0; curl < CURLS; curl++)
        for (uint32_t k = 1; k < POINTS; k++)
            store_point(&r, curl, k, NULL, (double[3]){1e-3 * k / POINTS, 0, 2e-3 * k / POINTS});
    step_rope(&r, 2 * STEPS);
    for (uint32_t curl = 0; curl < CURLS; curl++) {
        double speed;
        const double drift = drift_of(&r, &g, curl, &speed) / g.length, factor = factor_of(&r, curl);
        test_case("curl %u, factor %g: %g of the length away", curl, factor, drift);
        if (factor == 1) ASSERT(drift, <=, 0.02);
        if (factor > 1.1) ASSERT(drift, >=, 0.1);
        stable += factor == 1, unstable += factor > 1.1;
    }
    test_case("%u stable, %u unstable", stable, unstable);
    ASSERT(stable, >, 3);
    ASSERT(unstable, >, 3);
    destroy_rope(&r);
}

/* Made again with its factor the stiffness holds. */
TEST(the_factor_of_stiffness_holds) {
    const groom g = {"hair", 2e-9, 6.6e-6, 0.08, 0.01, 0.012, -0.2, 0, 0};
    const rope r = make_groom(&g, g.stiffness, 1);
    for (uint32_t curl = 0; curl < CURLS; curl++) {
        const double factor = factor_of(&r, curl);
        if (factor == 1) continue;
        const rope held = make_groom(&g, 1.0001 * factor * g.stiffness, 1),
                   falls = make_groom(&g, 0.998 * factor * g.stiffness, 1);
        test_case("curl %u, factor %g", curl, factor);
        ASSERT(factor_of(&held, curl), ==, 1);
        ASSERT(factor_of(&falls, curl), >, 1);
        destroy_rope(&held), destroy_rope(&falls);
    }
    destroy_rope(&r);
}

/* So soft that no factor that is tried holds it. */
TEST(the_factor_of_a_rod_without_stiffness_is_infinite) {
    ASSERT(factor_of_rod(4, (double[3]){1, 0, 0}, 1e34, 1), ==, HUGE_VAL);
}

/* Flat sections that turn by a third of a turn a joint, in either direction: the frames are on either side of
 * the sphere of unit quaternions, and the rod rests all the same. */
TEST(flat_rods_that_wind_rest_in_their_shape) {
    enum { COUNT = 12 };
    static float axes[3 * COUNT];
    const double along[3] = {0.6, -0.8, 0};
    for (int way = -1; way < 2; way += 2) {
        double u[3], v[3];
        mote_strands_def def = mote_default_strands_def();
        lay_line(positions, COUNT, (double[3]){0, 0, 0}, (double[3]){0.18, -0.24, 0});
        axes_across(along, u, v);
        for (uint32_t k = 0; k < COUNT; k++) {
            const double angle = way * 2 * PI / 3 * k;
            mass[k] = 1e-4f;
            for (int i = 0; i < 3; i++)
                axes[3 * k + (uint32_t)i] = (float)(cos(angle) * u[i] + sin(angle) * v[i]);
        }
        def.strand_count = 1, def.points = COUNT, def.positions = positions, def.point_mass = mass;
        def.bending_stiffness = 1e-3f, def.twisting_stiffness = 1e-3f, def.bending_ratio = 3;
        def.point_axis = axes, def.rest_acceleration[1] = (float)-GRAVITY;
        const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 8, GRAVITY);
        step_rope(&r, 120);
        for (uint32_t k = 0; k < COUNT; k++) {
            double x[3];
            load_point(&r, 0, k, x, NULL);
            test_case("way %d, point %u", way, k);
            for (int i = 0; i < 3; i++) ASSERT_NEAR(x[i], positions[3 * k + (uint32_t)i], 1e-4);
        }
        destroy_rope(&r);
    }
}

/* Hair that winds or waves: `turns` of helices with the sine of their slope, or of planar waves with their
 * amplitude. Each third segment is shorter by `uneven` of the mean, the others are longer by half of that. */
typedef struct winding {
    const char *name;
    double slope, amplitude, turns; /* rad */
    uint32_t points, substeps;
    double uneven;
} winding;

static const winding winding_of[] = {
    {"5 turns at 4 substeps", 0.395, 0, 5, 31, 4, 0},
    {"5 turns at 2 substeps", 0.395, 0, 5, 31, 2, 0},
    {"10 turns at 8 substeps", 0.26, 0, 10, 61, 8, 0},
    {"5 waves at 4 substeps", 0, 0.3, 5, 32, 4, 0},
    {"8 waves at 8 substeps", 0, 0.2, 8, 64, 8, 0},
    {"5 waves both ways at 6 substeps", 0.2, 0.3, 5, 41, 6, 0},
    {"small waves at 4 substeps", 0, 0.09, 8, 64, 4, 0},
    {"8 uneven waves at 4 substeps", 0, 0.15, 8, 64, 4, 0.8},
    {"8 uneven turns at 4 substeps", 0.1, 0, 8, 64, 4, 0.8},
};
static const char *winding_name(uint32_t i) { return winding_of[i].name; }

/* Curls whose curvature is small compared to their wave number: they rest as wider curls do. With the
 * curvature alone as criterion of the solver they shook, at up to 0.9 m/s, and nothing told so; uneven ones
 * shook where differences from joint to joint counted as waves. */
TEST_EACH(hair_that_winds_rests, COUNT_OF(winding_of), winding_name, i) {
    const winding *g = &winding_of[i];
    const double length = 0.3, mean = length / (g->points - 1);
    double at[3] = {0, 0, 0}, fastest = 0, furthest = 0, before = mean, way = 0;
    for (uint32_t k = 0; k < g->points; k++) {
        const double own = mean * (k % 3 ? 1 + g->uneven / 2 : 1 - g->uneven),
                     phase = 2 * PI * g->turns * (way + own / 2) / length, angle = g->amplitude * sin(phase),
                     side = g->slope * cos(phase) + sin(angle), front = g->slope * sin(phase);
        const double d[3] = {side, -sqrt(1 - side * side - front * front), front};
        mass[k] = (float)(6.5e-6 * (k + 1 == g->points ? before : before + own) / 2);
        for (int j = 0; j < 3; j++) {
            positions[3 * k + (uint32_t)j] = (float)at[j];
            at[j] += own * d[j];
        }
        way += own, before = own;
    }
    mote_strands_def def = mote_default_strands_def();
    def.substeps = g->substeps, def.strand_count = 1, def.points = g->points, def.positions = positions;
    def.point_mass = mass, def.bending_stiffness = 8e-9f, def.twisting_stiffness = 6e-9f;
    def.rest_acceleration[1] = (float)-GRAVITY;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
    ASSERT(factor_of(&r, 0), ==, 1);
    for (uint32_t step = 0; step < STEPS; step++) {
        step_rope(&r, 1);
        for (uint32_t k = 0; k < g->points; k++) {
            double x[3], v[3], rest[3];
            load_point(&r, 0, k, x, v);
            for (int j = 0; j < 3; j++) rest[j] = (double)positions[3 * k + (uint32_t)j];
            furthest = fmax(furthest, apart(x, rest) / length), fastest = fmax(fastest, sqrt(dot(v, v)));
        }
    }
    test_case("%g of the length away, %g m/s", furthest, fastest);
    ASSERT(furthest, <=, 5e-6);
    ASSERT(fastest, <=, 2e-4);
    destroy_rope(&r);
}
