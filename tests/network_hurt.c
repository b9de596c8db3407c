/* The constrained solver on positions where something is not finite or hardly fits a float: other islands and
 * other networks do not feel it; light and stiff bodies and stiff ropes are held. */
#include "test.h"

#include "network_constrained.h"

/* Whose products overflow in the conjugate gradients, where all places are finite: no other island
 * freezes. */
TEST(what_overflows_stays_alone) {
    static net n;
    clear_net(&n);
    add_particle(&n, 0, 0, 0, 1), add_particle(&n, 1, 0, 0, 1), add_spring(&n, 0, 1, 1, 100, 0);
    add_particle(&n, 5, 0, 0, 1e4), add_particle(&n, 6, 0, 0, 1e4), add_spring(&n, 2, 3, 1, 1e6f, 0);
    n.velocities[9] = 9e20f;
    start_net(&n, NULL, GRAVITY);
    step_net(&n, 3);
    assert_int_equal(told(&n).frozen, 1);
    ASSERT(place_of(&n, 0, 1), <, 0);
    ASSERT(place_of(&n, 2, 1), ==, 0);
    const mote_network_view v = mote_network_columns(n.system, n.id);
    for (uint32_t slot = 0; slot < v.slot_count; slot++)
        if (!(v.inverse_mass[slot] > 0)) {
            ASSERT(v.position.x[slot], ==, 0);
            ASSERT(v.velocity.x[slot], ==, 0);
        }
    mote_system_destroy(n.system);
}

/* A fast body on a spring, from where all fits to where products overflow: the spring acts, h v / (1 + h^2 k
 * / m) = 0.97 h v, or the island is frozen. */
TEST(springs_act_or_freeze) {
    static net n;
    uint32_t frozen = 0, acted = 0;
    for (double speed = 1e10; speed < 1e38; speed *= 10) {
        clear_net(&n);
        add_particle(&n, 0, 0, 0, 1e4), add_particle(&n, 1, 0, 0, 1e4), add_spring(&n, 0, 1, 1, 1e6f, 0);
        n.velocities[3] = (float)speed;
        start_net(&n, NULL, 0);
        pin_here(&n, 0);
        step_net(&n, 1);
        float pull[3];
        assert_int_equal(mote_network_reaction(n.system, n.id, 0, pull), MOTE_OK);
        assert_true(isfinite(pull[0]));
        assert_true(isfinite(place_of(&n, 1, 0)));
        if (told(&n).frozen)
            frozen++;
        else
            acted++, assert_true(pull[0] > 0 && place_of(&n, 1, 0) < 0.98 * speed / 60);
        mote_system_destroy(n.system);
    }
    ASSERT(frozen, >, 5);
    ASSERT(acted, >, 5);
}

/* The scratch is common to all networks of a system: what one leaves in it does not show in the next. */
TEST(what_another_left_does_not_show) {
    enum { CHAIN = 300 };
    static net n;
    static float line[3 * CHAIN];
    float place[2][25][3];
    for (int hurt = 0; hurt < 2; hurt++) {
        mote_system_def def = mote_default_system_def();
        mote_network_def other = mote_default_network_def();
        const mote_force_def force = mote_gravity((vec3){0, -9.81f, 0});
        mote_force_id force_id;
        mote_network_id loose;
        def.capacity = 0;
        assert_int_equal(mote_system_create(&def, &n.system), MOTE_OK);
        assert_int_equal(mote_system_add_force(n.system, &force, &force_id), MOTE_OK);
        other.particle_count = CHAIN, other.positions = line;
        assert_int_equal(mote_system_add_network(n.system, &other, &loose, NULL), MOTE_OK);
        mote_system *system = n.system;
        clear_net(&n);
        add_grid(&n, 5, 0, 1, 0.01, 5000, true);
        n.system = system;
        assert_int_equal(mote_system_add_network(system, &n.def, &n.id, NULL), MOTE_OK);
        const mote_network_view v = mote_network_columns(system, loose);
        for (uint32_t i = 0; i < CHAIN && hurt; i++) v.position.x[v.slot[i]] = v.position.y[v.slot[i]] = NAN;
        pin_here(&n, 0);
        step_net(&n, 5);
        for (uint32_t i = 0; i < 25; i++)
            for (int axis = 0; axis < 3; axis++) place[hurt][i][axis] = (float)place_of(&n, i, axis);
        mote_system_destroy(system);
    }
    assert_memory_equal(place[0], place[1], sizeof place[0]);
}

/* A body that hangs 1 m under a pin by a spring that gives way by a thousandth, of any mass; and one that is
 * ever so stiff. */
TEST(any_mass_and_stiffness_is_held) {
    static net n;
    static const struct {
        double mass, stiffness;
    } cases[] = {{1, 1e4}, {1e-13, 1e-9}, {1e-14, 1e-10}, {1e-20, 1e-16}, {1, 1e17}, {1, 1e20}, {1e15, 1e18}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        clear_net(&n);
        add_particle(&n, 0, 0, 0, cases[i].mass), add_particle(&n, 0, -1, 0, cases[i].mass);
        add_spring(&n, 0, 1, 1, (float)cases[i].stiffness, 0);
        start_net(&n, NULL, GRAVITY);
        pin_here(&n, 0);
        step_net(&n, 60);
        assert_near(place_of(&n, 1, 1), -1 - GRAVITY * cases[i].mass / cases[i].stiffness, 1e-4);
        mote_system_destroy(n.system);
    }
}

enum { BEADS = 20, ROPE_STEPS = 120 };

/* Hangs a rope of 1 m, released at a slope, from its first bead, and beside it a net of more springs than
 * particles, which asks for positions. */
static void hang_rope(net *n, float stiffness, bool beside) {
    clear_net(n);
    for (uint32_t i = 0; i < BEADS; i++) {
        add_particle(n, 0.6 * i / (BEADS - 1), -0.48 * i / (BEADS - 1), 0.64 * i / (BEADS - 1), 0.001);
        if (i) add_spring(n, i - 1, i, 1.0 / (BEADS - 1), stiffness, 0);
    }
    if (beside) add_grid(n, 7, 5, 1, 0.1, 5000, true);
    start_net(n, NULL, GRAVITY);
    pin_here(n, 0);
    step_net(n, ROPE_STEPS);
}

/* max_strain, 0.2 %, is what may be left unsolved; beyond it T / k: 20 g of rope, and as much again as it
 * swings. */
TEST(ropes_of_any_stiffness_are_held) {
    static net n;
    for (float stiffness = 1e4f; stiffness < 2e9f; stiffness *= 10) {
        hang_rope(&n, stiffness, false);
        mote_statistics m;
        assert_int_equal(mote_network_statistics(n.system, n.id, &m), MOTE_OK);
        ASSERT(m.max_strain, <=, 0.002 + 3 * BEADS * 0.001 * GRAVITY / (double)stiffness * (BEADS - 1));
        assert_int_equal(told(&n).unsolved, 0);
        mote_system_destroy(n.system);
    }
}

/* What an island is solved for is its own affair. */
TEST(a_rope_does_not_feel_the_net_beside_it) {
    static net n;
    float place[2][BEADS][3];
    for (int beside = 0; beside < 2; beside++) {
        hang_rope(&n, 1e6f, beside);
        for (uint32_t i = 0; i < BEADS; i++)
            for (int axis = 0; axis < 3; axis++) place[beside][i][axis] = (float)place_of(&n, i, axis);
        mote_system_destroy(n.system);
    }
    assert_memory_equal(place[0], place[1], sizeof place[0]);
}
