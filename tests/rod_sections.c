/* Stiffnesses and masses of sections, and sections that are refused. */
#include <math.h>

#include "test.h"

#include "refusals.h"
#include "support.h"

#define ROD(m, value)  {#m, offsetof(mote_rod_def, m), sizeof(double), 'd', value, MOTE_ERROR_RANGE}
#define HOLE(m, value) {#m, offsetof(mote_rod_def, m), sizeof(double), 'd', value, MOTE_ERROR_NOT_FINITE}

static mote_rod_def rod_of(double young, double poisson, double density, double radius) {
    mote_rod_def def = mote_default_rod_def();
    def.young = young, def.poisson = poisson, def.density = density, def.radius = radius;
    return def;
}

TEST(sections_that_cannot_be_are_refused) {
    static const bad_value rows[] = {HOLE(young, NAN),         ROD(young, -1),
                                     ROD(young, 1e60),         HOLE(poisson, NAN),
                                     ROD(poisson, -1),         ROD(poisson, 0.51),
                                     HOLE(density, INFINITY),  ROD(density, 0),
                                     ROD(density, -1),         HOLE(radius, NAN),
                                     ROD(radius, 0),           ROD(radius, -1e-3),
                                     ROD(radius, 1e-30),       ROD(young, 1e-40),
                                     ROD(young, 1.65e-26), /* G J alone is below a float */
                                     HOLE(hole_radius, NAN),   ROD(hole_radius, -1e-9),
                                     ROD(hole_radius, 1e-3),   HOLE(short_radius, NAN),
                                     ROD(short_radius, -1e-9), ROD(short_radius, 1.001e-3),
                                     ROD(short_radius, 1e-60)};
    const mote_rod_def steel = rod_of(2e11, 0.3, 7850, 1e-3);
    const mote_rod_section untouched = {1, 2, 3, 4};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_rod_def def = steel;
        mote_rod_section section = untouched;
        const char *parameter = NULL;
        spoil(&def, &rows[i]);
        assert_int_equal(mote_rod_section_of(&def, &section, &parameter), rows[i].want);
        assert_non_null(parameter);
        assert_string_equal(parameter, rows[i].member);
        assert_int_equal(mote_rod_section_of(&def, &section, NULL), rows[i].want);
        assert_memory_equal(&section, &untouched, sizeof section);
    }
    mote_rod_section section;
    assert_int_equal(mote_rod_section_of(NULL, &section, NULL), MOTE_ERROR_NULL);
    assert_int_equal(mote_rod_section_of(&steel, NULL, NULL), MOTE_ERROR_NULL);
}

static void assert_close(double got, double want) { ASSERT(fabs(got - want), <=, 1e-6 * want); }

TEST(sections_have_the_stiffness_of_their_material) {
    const mote_rod_def steel = rod_of(2e11, 0.25, 8000, 1e-3);
    mote_rod_def tube = steel, unmade = steel;
    tube.hole_radius = 0.5e-3, unmade.cookie = 0;
    const char *parameter = "none";
    mote_rod_section got;
    assert_int_equal(mote_rod_section_of(&steel, &got, &parameter), MOTE_OK);
    assert_null(parameter);
    assert_close((double)got.bending_stiffness, 0.157079633);  /* 2e11 pi / 4 1e-12 */
    assert_close((double)got.twisting_stiffness, 0.125663706); /* G J = 8e10 pi / 2 1e-12 */
    assert_close((double)got.mass_per_metre, 0.0251327412);
    assert_int_equal(mote_rod_section_of(&unmade, &got, &parameter), MOTE_ERROR_DEF);
    assert_string_equal(parameter, "cookie");
    assert_int_equal(mote_rod_section_of(&tube, &got, NULL), MOTE_OK);
    assert_close((double)got.bending_stiffness, 0.157079633 * 15 / 16);
    assert_close((double)got.mass_per_metre, 0.0251327412 * 3 / 4);
}

/* Integrals over an ellipse, by strips across its long axis: the area, both second moments, and twice that of
 * the stress function of Prandtl, the torsion constant. */
typedef struct ellipse {
    double area, about_long, about_short, torsion;
} ellipse;

static ellipse integrate(double a, double b) {
    enum { STRIPS = 20000 };
    ellipse sum = {0, 0, 0, 0};
    for (int i = 0; i < STRIPS; i++) {
        const double x = a * (2 * (i + 0.5) / STRIPS - 1), width = 2 * a / STRIPS,
                     half = b * sqrt(1 - x / a * (x / a));
        /* (1 - x^2 / a^2 - y^2 / b^2) a^2 b^2 / (a^2 + b^2), whose Laplacian is -2, over the strip. */
        sum.area += 2 * half * width;
        sum.about_long += 2 * pow(half, 3) / 3 * width;
        sum.about_short += 2 * half * x * x * width;
        sum.torsion += 2 * a * a * b * b / (a * a + b * b) * 4 * pow(half, 3) / (3 * b * b) * width;
    }
    return sum;
}

TEST(elliptic_sections_have_the_integrals_over_their_area) {
    static const double short_radius[] = {1e-3, 0.99e-3, 0.5e-3, 0.1e-3}, hole[] = {0, 0.6e-3};
    for (size_t i = 0; i < COUNT_OF(short_radius); i++)
        for (size_t k = 0; k < COUNT_OF(hole); k++) {
            mote_rod_def def = rod_of(2e11, 0.25, 8000, 1e-3);
            mote_rod_section got;
            def.short_radius = short_radius[i], def.hole_radius = hole[k];
            const ellipse out = integrate(1e-3, short_radius[i]),
                          in = integrate(fmax(hole[k], 1e-12), fmax(0.6 * short_radius[i] * (k == 1), 1e-15));
            assert_int_equal(mote_rod_section_of(&def, &got, NULL), MOTE_OK);
            test_case("b = %g m, hole %g m", short_radius[i], hole[k]);
            ASSERT_NEAR((double)got.mass_per_metre / (8000 * (out.area - in.area)), 1, 1e-5);
            ASSERT_NEAR((double)got.bending_stiffness / (2e11 * (out.about_long - in.about_long)), 1, 1e-5);
            ASSERT_NEAR((double)got.bending_ratio * (double)got.bending_stiffness /
                            (2e11 * (out.about_short - in.about_short)),
                        1, 1e-5);
            ASSERT_NEAR((double)got.twisting_stiffness / (8e10 * (out.torsion - in.torsion)), 1, 1e-5);
        }
}

/* A circle given by both semi-axes has the bits of one given by its radius. */
TEST(circles_are_ellipses_of_equal_axes) {
    mote_rod_def def = rod_of(2e11, 0.3, 7850, 1.3e-3);
    mote_rod_section round, equal;
    def.hole_radius = 0.7e-3;
    assert_int_equal(mote_rod_section_of(&def, &round, NULL), MOTE_OK);
    def.short_radius = def.radius;
    assert_int_equal(mote_rod_section_of(&def, &equal, NULL), MOTE_OK);
    assert_memory_equal(&round, &equal, sizeof round);
    ASSERT(round.bending_ratio, ==, 1);
}
