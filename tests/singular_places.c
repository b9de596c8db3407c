/* Particles where the formula of a force divides nothing by nothing: on the axis of a vortex without a core,
 * at the centre of an attractor without softening. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "reference.h"
#include "systems.h"

enum { COUNT = 40 };

typedef struct cloud {
    float state[6][COUNT], inverse_mass[COUNT];
} cloud;

/* At rest. Every third particle is in the singular place, the others up to 2 m away. */
static cloud at_rest(void) {
    cloud c = {{{0}}, {0}};
    random_source random = {5};
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++) c.state[k][i] = i % 3 ? random_between(&random, -2, 2) : 0;
        c.inverse_mass[i] = i % 7 == 6 ? 0 : 0.5f;
    }
    return c;
}

static mote_columns columns_of(cloud *c, bool masses) {
    return (mote_columns){.count = COUNT,
                          .position = {c->state[0], c->state[1], c->state[2]},
                          .velocity = {c->state[3], c->state[4], c->state[5]},
                          .inverse_mass = masses ? c->inverse_mass : NULL,
                          .mass = 2};
}

static const float origin[3] = {0, 0, 0}, up[3] = {0, 1, 0};

/* Fields, and attractors alone, with others and in regions: kernels of their own. */
static uint32_t make_forces(uint32_t set, mote_force_def forces[4]) {
    switch (set) {
    case 0:
        forces[0] = mote_vortex(origin, up, 3, 0, MOTE_FIELD_ACCELERATION, 0);
        return 1;
    case 1:
        forces[0] = mote_vortex(origin, up, -3, 0, MOTE_FIELD_WIND, 0.5f);
        return 1;
    case 2:
        forces[0] = mote_attractor(origin, 3, 0);
        return 1;
    case 3:
        for (int k = 0; k < 4; k++) forces[k] = mote_attractor(origin, k % 2 ? -2 : 3, 0);
        return 4;
    case 4:
        forces[0] = mote_attractor(origin, 3, 0);
        forces[1] = mote_quadratic_drag(origin, 0.1f);
        forces[2] = mote_wind(origin, 0.1f);
        return 3;
    default:
        forces[0] = mote_in_box(mote_attractor(origin, 3, 0), origin, (float[3]){9, 9, 9}, 0);
        forces[1] = mote_timed_thrust((float[1]){0}, origin, 1);
        return 2;
    }
}

enum { SETS = 6 };

/* No force acts there, so that the particle stays, and all others move as the reference says. */
TEST_EACH(a_particle_stays_where_a_force_has_no_direction, MOTE_ADVECT_EULER, integrator_name, integrator) {
    for (uint32_t run = 0; run < 4 * SETS; run++) {
        mote_force_def forces[4];
        mote_columns_def def = mote_default_columns_def();
        cloud got = at_rest(), want = got;
        const mote_columns columns = columns_of(&got, run & 1), wanted = columns_of(&want, run & 1);
        uint32_t frozen = 1;
        def.integrator = (mote_integrator)integrator, def.forces = forces;
        def.force_count = make_forces(run / 4, forces);
        def.timestep = 1 / 60.0, def.steps = 5, def.substeps = run & 2 ? 3 : 1;
        test_case("set %u, masses %u, %u substeps", run / 4, run & 1, def.substeps);
        OK(mote_columns_step(&columns, &def, &frozen));
        assert_int_equal(frozen, 0);
        reference_columns_step(&wanted, &def, NULL);
        assert_memory_equal(&got, &want, sizeof got);
        for (int i = 0; i < COUNT; i += 3)
            for (int c = 0; c < 6; c++) ASSERT(got.state[c][i], ==, 0);
    }
}

TEST(a_vortex_without_a_core_carries_nothing_on_its_axis) {
    const mote_force_def vortex = mote_vortex(origin, up, 3, 0, MOTE_FIELD_VELOCITY, 0);
    for (mote_integrator m = MOTE_ADVECT_EULER; m <= MOTE_ADVECT_RK4; m++) {
        float state[6] = {0, 5, 0};
        const mote_columns columns = {.count = 1,
                                      .position = {&state[0], &state[1], &state[2]},
                                      .velocity = {&state[3], &state[4], &state[5]},
                                      .mass = 1};
        mote_columns_def def = mote_default_columns_def();
        uint32_t frozen = 1;
        def.integrator = m, def.forces = &vortex, def.force_count = 1;
        test_case("%s", integrator_name(m));
        OK(mote_columns_step(&columns, &def, &frozen));
        assert_int_equal(frozen, 0);
        ASSERT(state[1], ==, 5);
        for (int c = 0; c < 6; c++)
            if (c != 1) ASSERT(state[c], ==, 0);
    }
}

/* A system keeps the particles, and no event says that they are lost. */
TEST(a_system_loses_no_particle_in_a_singular_place) {
    for (uint32_t set = 0; set < SETS; set++) {
        mote_system_def def = mote_default_system_def();
        mote_force_def forces[4];
        mote_system *system = system_of(&def);
        add_forces(system, forces, make_forces(set, forces));
        spawned(system, 50);
        test_case("set %u", set);
        ASSERT(stepped(system, 3).non_finite, ==, 0);
        mote_system_destroy(system);
    }
}
