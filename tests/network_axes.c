/* Networks that spin, with systems of equations that end early: no axis is special, and a pin does not stop
 * them. */
#include "test.h"

#include "network_net.h"

/* Each axis in place of the next one, and a turn that mixes all three. */
static const double turn[][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
    {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
    {{2 / 3.0, -1 / 3.0, 2 / 3.0}, {2 / 3.0, 2 / 3.0, -1 / 3.0}, {-1 / 3.0, 2 / 3.0, 2 / 3.0}}};
enum { KNOTS = 20 };

/* Knots along a line, or anywhere; these move by themselves too. The whole spins. */
static void lay_spinning(net *n, bool straight, const double by[3][3]) {
    static const double spin[3] = {2, 5, -7};
    random_source random = {8};
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    n->def.max_iterations = 1, n->def.max_linear = straight ? 3 : 8;
    for (uint32_t i = 0; i < KNOTS; i++) {
        double x[3] = {0.05 * i, 0, 0}, v[3];
        for (int k = 0; k < 3 && !straight; k++)
            x[k] = (double)random_between(&random, -0.5f, 0.5f) * (1 + k);
        for (int k = 0; k < 3; k++)
            v[k] = spin[(k + 1) % 3] * x[(k + 2) % 3] - spin[(k + 2) % 3] * x[(k + 1) % 3] +
                   (straight ? 0 : (double)random_between(&random, -1, 1));
        add_particle(n, dot(by[0], x), dot(by[1], x), dot(by[2], x), 0.01);
        for (int k = 0; k < 3; k++) n->velocities[3 * i + (uint32_t)k] = (float)dot(by[k], v);
        for (uint32_t j = 1; j <= (straight ? 1 : 3) && j <= i; j++)
            add_spring(n, i - j, i, MOTE_AS_PLACED, 1e5f, 0);
    }
}

/* The limit of energy acts in the frame of the net's own rigid motion, which it does not stop. */
TEST(no_axis_of_a_spinning_net_is_special) {
    static net n;
    static double as_placed[3 * KNOTS];
    const mote_system_def def = rate_of(60, 2);
    for (int straight = 0; straight < 2; straight++)
        for (size_t t = 0; t < COUNT_OF(turn); t++) {
            lay_spinning(&n, straight, turn[t]);
            start_net(&n, &def, 0);
            const double start = energy_of(&n);
            step_net(&n, straight ? 4 : 20);
            test_case("straight %d, turn %zu", straight, t);
            ASSERT(energy_of(&n), >, 0.6 * start);
            for (uint32_t i = 0; i < KNOTS; i++)
                for (uint32_t k = 0; k < 3; k++) {
                    test_case("straight %d, turn %zu, knot %u, axis %u", straight, t, i, k);
                    if (t == 0) as_placed[3 * i + k] = place_of(&n, i, k);
                    ASSERT_NEAR(place_of(&n, i, k), dot(turn[t][k], as_placed + 3 * i), 2e-4);
                }
            mote_system_destroy(n.system);
        }
}

/* The limit of energy of what a pin holds acts in the frame of its points: that of a free net would take the
 * swing for a gain. */
TEST(unfinished_systems_do_not_stop_a_rope_that_swings_about_a_pin) {
    static net n;
    for (uint32_t linear = 2; linear <= 16; linear *= 2) {
        const mote_system_def def = rate_of(60, 2);
        begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        n.def.max_iterations = 1, n.def.max_linear = linear;
        for (uint32_t i = 0; i < KNOTS; i++) {
            add_particle(&n, 0, -0.05 * i, 0, 0.01);
            n.velocities[3 * i] = 5 * (float)i / KNOTS;
            if (i) add_spring(&n, i - 1, i, 0.04f, 1000, 0);
        }
        start_net(&n, &def, 0);
        pin_here(&n, 0);
        const double start = measured(&n).kinetic;
        step_net(&n, 120);
        test_case("%u iterations", linear);
        ASSERT(measured(&n).kinetic, >, 0.3 * start);
        mote_system_destroy(n.system);
    }
}
