/* The constrained solver where a position is not finite or hardly fits a float: other islands and other
 * networks keep their state; light and stiff bodies and stiff ropes are held. */
#include "test.h"

#include "network_net.h"

/* All positions are finite, but products overflow in the conjugate gradients of one island. */
TEST(an_island_whose_products_overflow_freezes_alone) {
    static net n;
    begin_net(&n, MOTE_NETWORK_CONSTRAINED);
    add_particle(&n, 0, 0, 0, 1), add_particle(&n, 1, 0, 0, 1);
    add_particle(&n, 5, 0, 0, 1e4), add_particle(&n, 6, 0, 0, 1e4);
    add_spring(&n, 0, 1, 1, 100, 0), add_spring(&n, 2, 3, 1, 1e6f, 0);
    n.velocities[9] = 9e20f;
    start_net(&n, NULL, GRAVITY);
    step_net(&n, 3);
    ASSERT(report_of(&n).frozen, ==, 1);
    ASSERT(place_of(&n, 0, 1), <, 0);
    ASSERT(place_of(&n, 2, 1), ==, 0);
    const mote_network_view v = mote_network_columns(n.system, n.id);
    for (uint32_t slot = 0; slot < v.slot_count; slot++) {
        if (v.inverse_mass[slot] > 0) continue;
        ASSERT(v.position.x[slot], ==, 0);
        ASSERT(v.velocity.x[slot], ==, 0);
    }
    mote_system_destroy(n.system);
}

/* A fast body on a spring, from speeds where all fits to speeds where products overflow: the spring acts, and
 * the body comes h v / (1 + h^2 k / m) = 0.97 h v far, or the island is frozen. */
TEST(a_spring_acts_at_any_speed_or_its_island_freezes) {
    static net n;
    uint32_t frozen = 0, acted = 0;
    for (double speed = 1e10; speed < 1e38; speed *= 10) {
        test_case("%g m/s", speed);
        begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        add_particle(&n, 0, 0, 0, 1e4), add_particle(&n, 1, 0, 0, 1e4), add_spring(&n, 0, 1, 1, 1e6f, 0);
        n.velocities[3] = (float)speed;
        start_net(&n, NULL, 0);
        pin_here(&n, 0);
        step_net(&n, 1);
        assert_true(isfinite(reaction(&n, 0, 0)));
        assert_true(isfinite(place_of(&n, 1, 0)));
        if (report_of(&n).frozen) {
            ASSERT(place_of(&n, 1, 0), ==, 1);
            frozen++;
        } else {
            ASSERT(reaction(&n, 0, 0), >, 0);
            ASSERT(place_of(&n, 1, 0), <, 0.98 * speed / 60);
            acted++;
        }
        mote_system_destroy(n.system);
    }
    ASSERT(frozen, >, 5);
    ASSERT(acted, >, 5);
}

/* Two rigid springs of different lengths between the same bodies. Returns whether the island freezes; if not,
 * its bodies are finite. */
static bool conflict_freezes(float mass, uint32_t iterations) {
    static net n;
    begin_net(&n, MOTE_NETWORK_CONSTRAINED);
    n.def.max_iterations = iterations;
    add_particle(&n, 0, 0, 0, (double)mass), add_particle(&n, 500, 0, 0, (double)mass);
    add_spring(&n, 0, 1, 400, INFINITY, 0), add_spring(&n, 0, 1, 600, INFINITY, 0);
    start_net(&n, NULL, 0);
    step_net(&n, 1);
    for (uint32_t i = 0; i < 2; i++) ASSERT(fabs(place_of(&n, i, 0)), <, 1000);
    const bool frozen = report_of(&n).frozen;
    mote_system_destroy(n.system);
    return frozen;
}

/* From the last mass of which products fit on: those of one iteration overflow, or those of the next. */
TEST(springs_that_cannot_both_hold_freeze_where_products_overflow) {
    for (uint32_t iterations = 1; iterations < 6; iterations++) {
        float low = 1e34f, high = 1e38f, mass;
        assert_false(conflict_freezes(low, iterations));
        assert_true(conflict_freezes(high, iterations));
        for (int halving = 0; halving < 60; halving++) {
            const float middle = low + (high - low) / 2;
            if (conflict_freezes(middle, iterations))
                high = middle;
            else
                low = middle;
        }
        mass = low * (1 - 24 * 0x1p-23f);
        for (int step = 0; step < 48; step++, mass = nextafterf(mass, high * 2)) {
            test_case("%u iterations, %.9g kg", iterations, (double)mass);
            assert_int_equal(conflict_freezes(mass, iterations), mass > low);
        }
    }
}

/* Another network, of 300 loose particles that may be NaN, is stepped first, in the same scratch. */
TEST(a_network_does_not_see_the_scratch_of_another) {
    enum { LOOSE = 300 };
    static net n, other;
    float at[2][25][3];
    for (int broken = 0; broken < 2; broken++) {
        begin_net(&other, MOTE_NETWORK_SPRINGS), begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        for (uint32_t i = 0; i < LOOSE; i++) add_particle(&other, 0, 0, 0, 1);
        add_grid(&n, (grid){5, 5, 0, 0.25, 0.01, 5000, true});
        start_net(&other, NULL, GRAVITY);
        n.system = other.system, n.id = add_network(n.system, &n.def);
        for (uint32_t i = 0; i < LOOSE && broken; i++) *coordinate(&other, i, i % 2) = NAN;
        pin_here(&n, 0);
        step_net(&n, 5);
        for (uint32_t i = 0; i < 75; i++) at[broken][i / 3][i % 3] = *coordinate(&n, i / 3, i % 3);
        mote_system_destroy(n.system);
    }
    assert_memory_equal(at[0], at[1], sizeof at[0]);
}

/* A body that hangs 1 m under a pin by a spring that is stretched by a thousandth, of any mass; and one on a
 * very stiff spring. */
TEST(any_mass_and_stiffness_is_held) {
    static net n;
    static const struct {
        double mass, stiffness;
    } cases[] = {{1, 1e4}, {1e-13, 1e-9}, {1e-14, 1e-10}, {1e-20, 1e-16}, {1, 1e17}, {1, 1e20}, {1e15, 1e18}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        test_case("%g kg, %g N/m", cases[i].mass, cases[i].stiffness);
        begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        add_particle(&n, 0, 0, 0, cases[i].mass), add_particle(&n, 0, -1, 0, cases[i].mass);
        add_spring(&n, 0, 1, 1, (float)cases[i].stiffness, 0);
        start_net(&n, NULL, GRAVITY);
        pin_here(&n, 0);
        step_net(&n, 60);
        ASSERT_NEAR(place_of(&n, 1, 1), -1 - GRAVITY * cases[i].mass / cases[i].stiffness, 1e-4);
        mote_system_destroy(n.system);
    }
}

enum { BEADS = 20 };

/* Hangs a rope of 1 m, released at a slope, from its first bead, for two seconds; beside it, where asked, a
 * net of more springs than particles, which is solved for positions. */
static void hang_rope(net *n, float stiffness, bool beside) {
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    for (uint32_t i = 0; i < BEADS; i++) {
        add_particle(n, 0.6 * i / (BEADS - 1), -0.48 * i / (BEADS - 1), 0.64 * i / (BEADS - 1), 0.001);
        if (i) add_spring(n, i - 1, i, 1.0 / (BEADS - 1), stiffness, 0);
    }
    if (beside) add_grid(n, (grid){7, 7, 5, 1.0 / 6, 0.1, 5000, true});
    start_net(n, NULL, GRAVITY);
    pin_here(n, 0);
    step_net(n, 120);
}

/* max_strain, 0.2 %, may be left unsolved; beyond it T / k: 20 g of rope, and twice as much as it swings. */
TEST(a_rope_of_any_stiffness_is_held) {
    static net n;
    for (float stiffness = 1e4f; stiffness < 2e9f; stiffness *= 10) {
        hang_rope(&n, stiffness, false);
        ASSERT(measured(&n).max_strain, <=,
               0.002 + 3 * BEADS * 0.001 * GRAVITY / (double)stiffness * (BEADS - 1));
        ASSERT(report_of(&n).unsolved, ==, 0);
        mote_system_destroy(n.system);
    }
}

/* Whether an island is solved for positions or for multipliers depends on that island alone. */
TEST(a_rope_has_the_same_bits_with_a_net_beside_it) {
    static net n;
    float at[2][BEADS][3];
    for (int beside = 0; beside < 2; beside++) {
        hang_rope(&n, 1e6f, beside);
        for (uint32_t i = 0; i < 3 * BEADS; i++) at[beside][i / 3][i % 3] = *coordinate(&n, i / 3, i % 3);
        mote_system_destroy(n.system);
    }
    assert_memory_equal(at[0], at[1], sizeof at[0]);
}
