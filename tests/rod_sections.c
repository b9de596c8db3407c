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
    static const bad_value rows[] = {
        HOLE(young, NAN),   ROD(young, -1),         ROD(young, 1e60),        HOLE(poisson, NAN),
        ROD(poisson, -1),   ROD(poisson, 0.51),     HOLE(density, INFINITY), ROD(density, 0),
        ROD(density, -1),   HOLE(radius, NAN),      ROD(radius, 0),          ROD(radius, -1e-3),
        ROD(radius, 1e-30), HOLE(hole_radius, NAN), ROD(hole_radius, -1e-9), ROD(hole_radius, 1e-3)};
    const mote_rod_def steel = rod_of(2e11, 0.3, 7850, 1e-3);
    const mote_rod_section untouched = {1, 2, 3};
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
