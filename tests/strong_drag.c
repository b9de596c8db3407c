/* Quadratic drag whose explicit kick would turn the relative velocity round: c |v - u| h / m above 1. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "reference.h"
#include "systems.h"

enum { COUNT = 40 };
#define PAPER 5e-5f /* kg: 10 cm^2, which drag with 7.2e-4 kg/m */

typedef struct sheets {
    float state[6][COUNT], inverse_mass[COUNT];
} sheets;

/* At speeds from 5 to 100 m/s; every eighth is immovable. */
static sheets shot(void) {
    sheets s = {{{0}}, {0}};
    random_source random = {3};
    for (int i = 0; i < COUNT; i++) {
        float length = 0, speed = 5 * powf(20, (float)i / (COUNT - 1));
        for (int k = 0; k < 3; k++) s.state[3 + k][i] = random_between(&random, -1, 1);
        for (int k = 0; k < 3; k++) length += s.state[3 + k][i] * s.state[3 + k][i];
        for (int k = 0; k < 3; k++) s.state[3 + k][i] *= speed / sqrtf(length);
        s.inverse_mass[i] = i % 8 == 7 ? 0 : 1 / PAPER;
    }
    return s;
}

static mote_columns columns_of(sheets *s, bool masses) {
    return (mote_columns){.count = COUNT,
                          .position = {s->state[0], s->state[1], s->state[2]},
                          .velocity = {s->state[3], s->state[4], s->state[5]},
                          .inverse_mass = masses ? s->inverse_mass : NULL,
                          .mass = PAPER};
}

static double speed_of(const sheets *s, int i) {
    return sqrt(pow(s->state[3][i], 2) + pow(s->state[4][i], 2) + pow(s->state[5][i], 2));
}

static mote_columns_def def_of(mote_integrator integrator, const mote_force_def *forces, uint32_t count) {
    mote_columns_def def = mote_default_columns_def();
    def.integrator = integrator, def.forces = forces, def.force_count = count;
    def.timestep = 1 / 60.0;
    return def;
}

/* One to six drags: the settled kernels take four at most. region: 1: all of space, so that they are
 * evaluated by calls; 2: its soft edge, where they have 0.028 to 1 of their strength. */
static uint32_t make_drags(mote_force_def *forces, uint32_t drags, int region) {
    for (uint32_t k = 0; k < drags; k++) {
        forces[k] = mote_quadratic_drag((float[3]){0, 0, 0}, 7.2e-4f);
        if (region) forces[k] = mote_in_sphere(forces[k], (float[3]){0, 0, 0}, region == 1 ? 1e6f : 0, 10);
    }
    return drags;
}

/* Free flight through air at rest, for a second. */
TEST_EACH(drag_on_paper_does_not_gain_speed, MOTE_ADVECT_EULER, integrator_name, integrator) {
    for (int run = 0; run < 2 * 3 * 6; run++) {
        const bool masses = run % 2;
        const uint32_t drags = 1 + (uint32_t)run / 6;
        mote_force_def forces[6];
        const mote_columns_def def =
            def_of((mote_integrator)integrator, forces, make_drags(forces, drags, run / 2 % 3));
        sheets s = shot();
        const mote_columns columns = columns_of(&s, masses);
        test_case("masses %d, region %d, %u drags", masses, run / 2 % 3, drags);
        for (int step = 0; step < 60; step++) {
            const sheets before = s;
            uint32_t frozen;
            OK(mote_columns_step(&columns, &def, &frozen));
            assert_int_equal(frozen, 0);
            for (int i = 0; i < COUNT; i++) ASSERT(speed_of(&s, i), <=, speed_of(&before, i) * (1 + 1e-6));
        }
    }
}

/* With linear drag that alone takes 1.2 of the velocity in a substep: together they gained speed without
 * bound.
 */
TEST(quadratic_drag_beside_linear_drag_does_not_gain_speed) {
    for (uint32_t drags = 1; drags < 4; drags++)
        for (int weak = 0; weak < 2; weak++) {
            mote_force_def forces[4];
            (void)make_drags(forces, drags, 0);
            forces[drags] = mote_wind((float[3]){0, 0, 0}, (weak ? 0.2f : 1.2f) * 60 * PAPER);
            const mote_columns_def def = def_of(MOTE_SEMI_IMPLICIT_EULER, forces, drags + 1);
            sheets s = shot();
            const mote_columns columns = columns_of(&s, false);
            for (int step = 0; step < 60; step++) {
                const sheets before = s;
                OK(mote_columns_step(&columns, &def, NULL));
                test_case("%u drags, weak %d, step %d", drags, weak, step);
                for (int i = 0; i < COUNT; i++)
                    ASSERT(speed_of(&s, i), <=, speed_of(&before, i) * (1 + 1e-6));
            }
        }
}

/* Exact flow takes linear drag in closed form, of any rate: quadratic drag acts beside it. */
TEST(quadratic_drag_acts_beside_linear_drag_in_closed_form) {
    mote_force_def forces[2] = {mote_wind((float[3]){0, 0, 0}, 1.2f * 60 * PAPER)};
    sheets with = shot(), without = shot();
    const mote_columns drags = columns_of(&with, false), winds = columns_of(&without, false);
    forces[1] = mote_quadratic_drag((float[3]){0, 0, 0}, 7.2e-4f);
    mote_columns_def def = def_of(MOTE_EXACT_FLOW, forces, 2);
    OK(mote_columns_step(&drags, &def, NULL));
    def.force_count = 1;
    OK(mote_columns_step(&winds, &def, NULL));
    for (int i = 0; i < COUNT; i++) ASSERT(speed_of(&with, i), <, 0.7 * speed_of(&without, i));
}

/* Confetti: shot into wind, under gravity. Terminal speed sqrt(m g / c) = 0.83 m/s. */
TEST_EACH(confetti_comes_to_the_speed_of_the_air, MOTE_ADVECT_EULER, integrator_name, integrator) {
    const mote_force_def forces[2] = {mote_quadratic_drag((float[3]){3, 0, 0}, 7.2e-4f),
                                      mote_gravity((float[3]){0, -9.81f, 0})};
    mote_columns_def def = def_of((mote_integrator)integrator, forces, 2);
    const double fall = sqrt((double)PAPER * 9.81 / 7.2e-4);
    sheets s = shot();
    const mote_columns columns = columns_of(&s, true);
    def.steps = 300;
    OK(mote_columns_step(&columns, &def, NULL));
    for (int i = 0; i < COUNT; i++) {
        if (s.inverse_mass[i] == 0) continue;
        ASSERT_NEAR(s.state[3][i], 3, 0.01);
        ASSERT_NEAR(s.state[4][i], -fall, 0.2 * fall); /* by steps of a fifth of the time to fall freely */
        ASSERT_NEAR(s.state[5][i], 0, 0.01);
    }
}

/* A step of semi-implicit Euler: the bits of the formula below the limit, all of the relative velocity beyond
 * it. */
TEST(a_kick_of_drag_is_the_formula_below_the_limit_and_a_stop_beyond) {
    const mote_force_def drag = mote_quadratic_drag((float[3]){2, 0, 0}, 0.5f);
    mote_columns_def def = def_of(MOTE_SEMI_IMPLICIT_EULER, &drag, 1);
    def.timestep = 0.25;
    for (int masses = 0; masses < 2; masses++)
        for (int k = 1; k < 200; k++) {
            float x[3] = {0}, v[3] = {2 + 0.25f * (float)k, 0, 0}, inverse_mass = 0.5f;
            const float relative = -0.25f * (float)k, rate = 0.5f * -relative * 0.5f;
            const mote_columns columns = {.count = 1,
                                          .position = {&x[0], &x[1], &x[2]},
                                          .velocity = {&v[0], &v[1], &v[2]},
                                          .inverse_mass = masses ? &inverse_mass : NULL,
                                          .mass = 2};
            const float want = rate < 4 ? v[0] + 0.25f * (rate * relative) : 2;
            test_case("masses %d, %g m/s", masses, (double)relative);
            OK(mote_columns_step(&columns, &def, NULL));
            ASSERT(v[0], ==, want);
        }
}

/* Masses of all sizes, in all kernels of particles. */
TEST_EACH(strong_drag_has_the_bits_of_the_reference, MOTE_ADVECT_EULER, integrator_name, integrator) {
    for (int run = 0; run < 2 * 3 * 6; run++) {
        const bool masses = run % 2;
        const uint32_t drags = 1 + (uint32_t)run / 6;
        mote_force_def forces[8];
        const uint32_t count = make_drags(forces, drags, run / 2 % 3);
        forces[count] = mote_gravity((float[3]){1, -9.81f, 0});
        forces[count + 1] = mote_attractor((float[3]){1, 0, 0}, 3, 0.5f);
        for (mote_isa isa = MOTE_ISA_AUTO; isa < MOTE_ISA_COUNT; isa = (mote_isa)(isa + 1)) {
            mote_columns_def def = def_of((mote_integrator)integrator, forces, count + 2);
            sheets got = shot(), want;
            if (isa != MOTE_ISA_AUTO && !mote_isa_available(isa)) continue;
            for (int i = 0; i < COUNT; i++) got.inverse_mass[i] *= powf(4, (float)(i % 9 - 4));
            want = got;
            def.isa = isa, def.steps = 7, def.substeps = 2;
            const mote_columns columns = columns_of(&got, masses), wanted = columns_of(&want, masses);
            test_case("masses %d, region %d, %u drags, %s", masses, run / 2 % 3, drags, mote_isa_name(isa));
            OK(mote_columns_step(&columns, &def, NULL));
            reference_columns_step(&wanted, &def, NULL);
            assert_memory_equal(&got, &want, sizeof got);
        }
    }
}
