/* Rods without a pin. */
#include "test.h"

#include <stdio.h>

#include "rope.h"

enum { POINTS = 65, RODS = 32 };

static float positions[RODS * POINTS * 3], mass[RODS * POINTS];

static const double bobs[] = {10, 57.6, 1000};

static const char *bob_name(uint32_t i) {
    static char name[32];
    snprintf(name, sizeof name, "bob of %g rods", bobs[i]);
    return name;
}

/* A bob is 10^4 to 10^6 times as heavy as the points beside it. In the inverse of a segment's matrix, which
 * has the mass of the bob, that of the points was lost: one of five such rods flew away at up to 70 m/s. */
TEST_EACH(rods_with_a_heavy_bob_rest_in_empty_space, COUNT_OF(bobs), bob_name, bob) {
    const double length = 1.18, whole = 0.029;
    random_source random = {4711};
    for (uint32_t i = 0; i < RODS; i++) {
        double to[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            to[axis] = (double)random_between(&random, -1, 1);
            square += to[axis] * to[axis];
        }
        for (int axis = 0; axis < 3; axis++) to[axis] *= length / sqrt(square);
        lay_line(positions + (size_t)3 * POINTS * i, POINTS, (double[3]){0, 0, 0}, to);
        for (uint32_t k = 0; k < POINTS; k++)
            mass[POINTS * i + k] = (float)(whole / POINTS * (1 - 0.81 * k / (POINTS - 1)));
        mass[POINTS * i + POINTS - 1] += (float)(bobs[bob] * whole);
    }
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = RODS, def.points = POINTS, def.positions = positions, def.point_mass = mass;
    def.free_roots = true, def.bending_stiffness = 1.5e-8f;
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){240, 1}, 1, 0);
    for (uint32_t step = 0; step < 480; step++) {
        step_rope(&r, 1);
        mote_statistics statistics;
        assert_int_equal(mote_strands_statistics(r.system, r.id, &statistics), MOTE_OK);
        test_case("step %u", step);
        ASSERT(statistics.kinetic, <=, 1e-6); /* J; rounding alone gives 1e-8 */
    }
    destroy_rope(&r);
}
