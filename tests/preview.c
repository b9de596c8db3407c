/* Previews that step: against the steps of the system itself. seek.c has those of one flow. */
#include "test.h"

#include <math.h>

#include "systems.h"

enum { PATH = 12 };

/* affine: affine forces alone, unless the particles advect. */
static void add_forces_for_stepping(mote_system *system, bool advection, bool affine) {
    static const float keys[2] = {0.05f, 0.4f};
    static float thrusts[6] = {1, 0, 0, 0, 3, -1};
    const float zero[3] = {0, 0, 0};
    if (advection) {
        add_force(system, mote_vortex(zero, (float[3]){0, 0, 1}, 3, 0.5f, MOTE_FIELD_VELOCITY, 0));
        add_force(system, mote_curl_noise(1, 0.5f, 2, 3, MOTE_FIELD_VELOCITY, 0));
        return;
    }
    add_force(system, mote_gravity((float[3]){0, -9.81f, 0}));
    add_force(system, mote_wind((float[3]){2, 0, 0}, 0.5f));
    if (affine) return;
    add_force(system, mote_attractor(zero, 30, 0.5f));
    add_force(system, mote_curl_noise(2, 0.5f, 2, 3, MOTE_FIELD_WIND, 0.5f));
    add_force(system, mote_timed_thrust(keys, thrusts, 2));
    add_force(system, mote_in_box(mote_anchor_spring(zero, 5, 0), zero, (float[3]){1, 1, 1}, 1));
    add_force(system, mote_callback(scene_spread, NULL));
}

/* The points of a preview are, to the last bit, those of the particle once it is spawned: each of the step
 * nearest to its time. With one mass for all, affine forces fold before they are rounded: eight roundings a
 * substep, which a passage by the attractor lets grow by less than 16. */
static void preview_and_step(mote_integrator m, bool masses, bool affine, double steps_each) {
    mote_system_def def = mote_default_system_def();
    def.integrator = m;
    def.mass_column = masses;
    def.mass = 2;
    def.substeps = 2;
    mote_system *system = system_of(&def);
    float points[PATH][3];
    add_forces_for_stepping(system, advects(m), affine);
    stepped(system, 5);
    mote_preview_def preview = mote_default_preview_def();
    preview.position[0] = 2, preview.position[1] = 1, preview.position[2] = -0.5f;
    preview.velocity[1] = 3, preview.velocity[2] = 1;
    preview.inverse_mass = 0.5f, preview.interval = steps_each / 60, preview.count = PATH;
    const uint64_t hash = mote_system_hash(system);
    OK(mote_system_preview(system, &preview, points));
    ASSERT(mote_system_hash(system), ==, hash);
    mote_range_view view = spawned(system, 1);
    const motion_columns now = motion_of(&view);
    for (int k = 0; k < 3; k++)
        now.column[k][0] = preview.position[k], now.column[3 + k][0] = preview.velocity[k];
    for (uint32_t i = 0, taken = 0; i < PATH; i++) {
        const uint32_t steps = (uint32_t)lround(steps_each * (i + 1));
        stepped(system, steps - taken);
        taken = steps;
        for (int k = 0; k < 3; k++) {
            const double rounding = 16 * sqrt(8.0 * 2 * taken) * FLOAT_ROUNDING * 8;
            if (masses) assert_memory_equal(&points[i][k], now.column[k], sizeof(float));
            ASSERT_NEAR(points[i][k], now.column[k][0], rounding);
        }
    }
    ASSERT(hypotf(points[PATH - 1][0] - 2, points[PATH - 1][1] - 1), >, 0.01f);
    mote_system_destroy(system);
}

TEST(a_preview_is_the_path_that_the_systems_steps_take) {
    static const double steps_each[] = {1, 3.4, 2.6, 0.4};
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++)
        for (int row = 0; row < 16; row++) {
            const bool affine = row & 2, masses = row & 1;
            if (affine && m == MOTE_EXACT_FLOW) continue; /* exact at any interval */
            test_case("%s, mass column %d, affine %d, every %g steps", integrator_name(m), masses, affine,
                      steps_each[row / 4]);
            preview_and_step(m, masses, affine, steps_each[row / 4]);
        }
}

/* A path that leaves the range of floats: its last points are NaN, by the exact flow and by steps. */
TEST(preview_of_a_particle_that_turns_non_finite_ends_with_nan) {
    static const mote_integrator of[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_EXACT_FLOW, MOTE_RK4};
    for (size_t m = 0; m < COUNT_OF(of); m++)
        for (int affine = of[m] == MOTE_EXACT_FLOW; affine < 2; affine++) {
            mote_system_def def = mote_default_system_def();
            def.integrator = of[m];
            mote_system *system = system_of(&def);
            add_force(system, mote_gravity((float[3]){0, -9.81f, 0}));
            if (!affine) add_force(system, mote_attractor((float[3]){0, 0, 0}, 1, 0.1f));
            mote_preview_def preview = mote_default_preview_def();
            preview.velocity[0] = 1e38f, preview.interval = 1, preview.count = 6;
            float points[6][3] = {{0}};
            test_case("%s, affine %d", integrator_name(of[m]), affine);
            OK(mote_system_preview(system, &preview, points));
            for (int i = 0; i < 3; i++) assert_true(isfinite(points[i][0]) && isfinite(points[i][1]));
            for (int i = 3; i < 6; i++)
                for (int axis = 0; axis < 3; axis++) assert_true(isnan(points[i][axis]));
            mote_system_destroy(system);
        }
}
