/* Contacts under springs: the path that a hit cuts off leads through the collider, where a spring pulls
 * otherwise than where the particle goes. No particle gains energy by it. */
#include "collision_scene.h"

enum { COUNT = 100, STEPS = 600 };

/* Integrators that keep the energy of a spring in flight, or lose some. */
static const mote_integrator integrators[] = {MOTE_RK4,           MOTE_VELOCITY_VERLET, MOTE_YOSHIDA4,
                                              MOTE_PEFRL,         MOTE_KINEMATIC,       MOTE_EXACT_FLOW,
                                              MOTE_IMPLICIT_EULER};
static const char *integrator_of(uint32_t i) { return mote_integrator_describe((mote_integrator)i)->name; }
static const char *name_of(uint32_t i) { return mote_integrator_describe(integrators[i])->name; }

static double energy_at(const mote_range_view *view, uint32_t i, double stiffness, double anchor) {
    const double y = (double)view->position.y[i] - anchor, v = (double)view->velocity.y[i];
    return 0.5 * (stiffness * y * y + v * v);
}

/* Balls at 1 to 1.5 m that a spring pulls down to a plane: to its anchor on it, 0.5 and 1 m below. z is h
 * sqrt(k/m). The mean acceleration of a path is known up to h^2 k a / 12, which on a way of 2 h v is z^3 / 3
 * of the energy, and does not add up: in the end no ball has more than at the start. Without a limit energies
 * grew 2.5 to 6,000 times in these steps. */
TEST_EACH(springs_give_no_energy_at_contacts, COUNT_OF(integrators), name_of, n) {
    static const double z[] = {0.05, 0.2, 0.5};
    for (uint32_t k = 0; k < 2 * 2 * 3 * COUNT_OF(z); k++) {
        const bool masses = k % 2, elastic = k / 2 % 2;
        const double anchor = -0.5 * (k / 4 % 3), ratio = z[k / 12], stiffness = ratio * ratio * 3600;
        mote_system_def def = bare_def(COUNT, integrators[n]);
        def.mass_column = masses;
        mote_system *system = system_of(&def);
        add_force(system, mote_anchor_spring((float[3]){0, (float)anchor, 0}, (float)stiffness, 0));
        mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
        plane.restitution = elastic ? 1 : 0.8f;
        add_collider(system, plane);
        const mote_range_view view = spawned(system, COUNT);
        double before[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            put(&view, i, 0, 1 + 0.005f * (float)i, 0);
            before[i] = energy_at(&view, i, stiffness, anchor);
        }
        for (int step = 0; step < STEPS; step++) {
            stepped(system, 1);
            for (uint32_t i = 0; i < COUNT; i++) {
                test_case("z %g, anchor %g, restitution %g, mass column %d, particle %u, step %d", ratio,
                          anchor, elastic ? 1 : 0.8, masses, i, step);
                const double allowed = step < STEPS - 60 ? ratio * ratio * ratio / 3 : 0;
                ASSERT(energy_at(&view, i, stiffness, anchor), <=, (1 + 1e-4 + allowed) * before[i]);
            }
        }
        ASSERT(mote_system_count(system), ==, COUNT);
        mote_system_destroy(system);
    }
}

/* What slides on a floor without friction keeps its speed beside a spring that pulls by nothing, and wind
 * takes along what rests there: the limit of the energy stopped both under integrators of which a substep
 * falls g h^2 / 2 further than a parabola. */
TEST_EACH(springs_do_not_stop_what_slides, MOTE_ADVECT_EULER, integrator_of, n) {
    for (uint32_t k = 0; k < 4; k++) {
        mote_system_def def = bare_def(2, (mote_integrator)n);
        def.substeps = k % 2 ? 4 : 1, def.friction = 0;
        mote_system *system = system_of(&def);
        add_gravity(system);
        add_force(system, mote_anchor_spring((float[3]){0, 0, 0}, 1e-6f, 0));
        if (k / 2) add_force(system, mote_wind((float[3]){3, 0, 0}, 0.5f));
        add_collider(system, mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}));
        const mote_range_view view = spawned(system, 1);
        if (!(k / 2)) throw_at(&view, 0, 1, 0, 0);
        stepped(system, 300);
        test_case("%u substeps, wind %u", def.substeps, k / 2);
        ASSERT_NEAR(view.velocity.x[0], k / 2 ? 3 * (1 - exp(-2.5)) : 1, k / 2 ? 0.02 : 1e-4);
        mote_system_destroy(system);
    }
}

/* The same bits on any instruction set, for particles in packed lanes too. */
TEST(contacts_under_springs_have_the_same_bits_on_any_instruction_set) {
    const mote_force_def spring = mote_anchor_spring((float[3]){0, -0.5f, 0}, 100, 0);
    for (uint32_t k = 0; k < 4; k++) {
        mote_system_def def = bare_def(COUNT, k / 2 ? MOTE_SEMI_IMPLICIT_EULER : MOTE_VELOCITY_VERLET);
        def.mass_column = k % 2, def.substeps = 1 + k;
        assert_bits_of_any_set(def, &spring, 1);
    }
}
