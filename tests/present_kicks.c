/* Presentation of particles whose velocity changes between steps: under Hermite interpolation the new
 * velocity belongs to the next step, and does not bend the picture of the last one. */
#include "test.h"

#include <string.h>

#include "systems.h"

/* At 64 steps a second a step is 15,625,000 ns, of which half and a quarter are whole. */
enum { STEP = 15625000, FLOCK = 20, KICKED = 7, KICKS = 3 };
#define TIMESTEP 0.015625f

typedef struct vertex {
    float position[3], velocity[3];
} vertex;

static void present(const mote_system *system, vertex *vertices, uint32_t count) {
    const mote_present_layout packed = layout_at(6 * sizeof(float), 0, 3 * sizeof(float));
    OK(mote_system_present(system, &packed, vertices, count * sizeof *vertices));
}

static mote_system *make(mote_integrator integrator) {
    mote_system_def def = mote_default_system_def();
    def.capacity = FLOCK, def.steps_per_second = (mote_rate){64, 1}, def.mass_column = true;
    def.integrator = integrator, def.interpolation = MOTE_INTERPOLATE_HERMITE;
    return system_of(&def);
}

/* Changes the velocity of one particle: 0 by an impulse, 1 by its mass, 2 in its columns. */
static void kick(mote_system *system, int way) {
    const float impulse[3] = {way == 0 ? 100.0f : 0.0f, 0, 0};
    if (way == 1) OK(mote_system_set_inverse_mass(system, KICKED, 4));
    if (way == 2) mote_system_view(system).velocity.x[KICKED] = -50;
    if (way != 1) OK(mote_system_impulse(system, KICKED, impulse));
}

/* x of the particle relative to an origin, by an order. */
static float kicked_x(const mote_system *system) {
    static const uint32_t order[1] = {KICKED};
    mote_present_layout layout = mote_default_present_layout();
    float got[3];
    layout.order = order, layout.order_count = 1, layout.origin[0] = 0.5;
    OK(mote_system_present(system, &layout, got, sizeof got));
    return got[0] + 0.5f;
}

/* At 1 m/s and 64 steps a second, all fractions are exact. */
static void check_kick(mote_integrator integrator, int way) {
    mote_system *system = make(integrator), *restored = make(integrator);
    const mote_range_view flock = spawned(system, FLOCK);
    vertex was[FLOCK], got[FLOCK], after[FLOCK];
    unsigned char saved[1 << 14];
    size_t bytes;
    test_case("%s, way %d", mote_integrator_describe(integrator)->name, way);
    for (uint32_t i = 0; i < FLOCK; i++) flock.velocity.x[i] = 1;
    advanced(system, 2 * STEP + STEP / 2);
    present(system, was, FLOCK);
    for (uint32_t i = 0; i < FLOCK; i++) ASSERT(was[i].position[0], ==, 1.5f * TIMESTEP);
    kick(system, way);
    present(system, got, FLOCK);
    const float velocity = mote_system_view(system).velocity.x[KICKED];
    ASSERT(velocity, !=, 1.0f);
    ASSERT(got[KICKED].velocity[0], ==, velocity);
    was[KICKED].velocity[0] = velocity;
    assert_memory_equal(got, was, sizeof got);
    ASSERT(kicked_x(system), ==, 1.5f * TIMESTEP);

    OK(mote_system_snapshot_bytes(system, &bytes));
    ASSERT(bytes, <=, sizeof saved);
    OK(mote_system_save(system, 0, saved, sizeof saved, &bytes));
    OK(mote_system_restore(restored, saved, bytes, NULL));
    present(restored, after, FLOCK);
    assert_memory_equal(after, got, sizeof got);
    advanced(system, STEP / 4);
    ASSERT(kicked_x(system), ==, 1.75f * TIMESTEP);

    advanced(system, STEP / 2); /* the cubic again, from the new velocity on */
    present(system, got, FLOCK);
    ASSERT_NEAR(got[KICKED].position[0], (double)((2 + 0.25f * velocity) * TIMESTEP), 1e-6);
    ASSERT(got[KICKED].velocity[0], ==, velocity);
    ASSERT(got[0].position[0], ==, 2.25f * TIMESTEP);
    mote_system_destroy(restored);
    mote_system_destroy(system);
}

TEST(velocities_that_change_between_steps_do_not_bend_the_last_one) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_POSITION_VERLET, MOTE_RK4};
    for (size_t i = 0; i < COUNT_OF(integrators); i++)
        for (int way = 0; way < KICKS; way++) check_kick(integrators[i], way);
}

/* Before its first step a particle moves from `previous` to its position. */
TEST(an_impulse_to_a_particle_that_has_taken_no_step_does_not_bend_its_way) {
    mote_system *system = make(MOTE_SEMI_IMPLICIT_EULER);
    const float impulse[3] = {100, 0, 0};
    vertex got;
    const mote_range_view view = spawned(system, 1);
    view.previous.x[0] = -1, view.position.x[0] = 1, view.velocity.x[0] = 128;
    OK(mote_system_impulse(system, 0, impulse));
    advanced(system, STEP / 4);
    present(system, &got, 1);
    ASSERT(got.position[0], ==, -0.5f);
    ASSERT(got.velocity[0], ==, 228.0f);
    mote_system_destroy(system);
}
