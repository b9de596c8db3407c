/* Rigid networks hung between pins nearly as far apart as they are long: reactions against the balance of
 * momentum and the catenary, and rest. */
#include "test.h"

#include "network_net.h"

enum { LINKS = 20, ROWS = 6, STEPS = 60 };
static const double LINK = 0.1, MASS = 0.01;

/* A chain, or the top row of a net, of LINKS springs between pins that are `slack` times closer than it is
 * long. */
static void hang(net *n, uint32_t rows, uint32_t substeps, double slack) {
    const mote_system_def def = rate_of(60, substeps);
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i <= LINKS; i++) {
            const uint32_t at = add_particle(n, LINK * i, -LINK * row, 0, MASS);
            if (i) add_spring(n, at - 1, at, (float)LINK, INFINITY, 0);
            if (row) add_spring(n, at - LINKS - 1, at, (float)LINK, INFINITY, 0);
        }
    start_net(n, &def, GRAVITY);
    add_force(n->system, mote_wind((float[3]){0, 0, 0}, 0.01f));
    pin_here(n, 0), pin_at(n, LINKS, LINK * LINKS / slack, 0, 0, 0);
}

/* Momentum of the free particles, and the mass of them times their velocity's sum. */
static void momentum_of(const net *n, double sum[2]) {
    sum[0] = sum[1] = 0;
    for (uint32_t i = 0; i < n->def.particle_count; i++)
        for (uint32_t axis = 0; axis < 2 && i != 0 && i != LINKS; axis++)
            sum[axis] += MASS * place_of(n, i, 3 + axis);
}

/* In each step the impulses on the pins are those that the free particles lost: they had gravity's, and
 * drag's of 0.01 kg/s. Where they were reported along the last directions of the springs, not those in which
 * they acted, 12 % of the weight were missing. One substep, so that the drag is that of the velocity before.
 */
TEST(pins_of_a_rigid_network_have_the_momentum_that_it_loses) {
    static net n;
    for (uint32_t rows = 1; rows <= ROWS; rows += ROWS - 1) {
        hang(&n, rows, 1, 1.005);
        const double dt = 1.0 / 60, weight = MASS * (n.def.particle_count - 2) * GRAVITY;
        step_net(&n, 1);
        for (int step = 0; step < STEPS; step++) {
            double before[2], after[2];
            test_case("%u rows, step %d", rows, step);
            momentum_of(&n, before);
            step_net(&n, 1);
            momentum_of(&n, after);
            for (uint32_t axis = 0; axis < 2; axis++) {
                const double given = (axis ? -weight * dt : 0) - dt * 0.01 / MASS * before[axis];
                ASSERT_NEAR(reaction(&n, 0, axis) + reaction(&n, LINKS, axis),
                            before[axis] + given - after[axis], 1e-4 * weight * dt);
            }
        }
        mote_system_destroy(n.system);
    }
}

/* The horizontal pull of a chain of LINKS links between pins `apart`: each link is along the sum of the
 * weights to the middle, by bisection. */
static double pull_of(double apart_by) {
    double low = 1e-3, high = 1e3;
    for (int halving = 0; halving < 60; halving++) {
        const double pull = (low + high) / 2;
        double reach = 0;
        for (int i = 0; i < LINKS; i++) {
            const double down = ((LINKS - 1) / 2.0 - i) * MASS * GRAVITY;
            reach += LINK * pull / sqrt(pull * pull + down * down);
        }
        *(reach < apart_by ? &low : &high) = pull;
    }
    return low;
}

/* With the default budget. The pull errs by the direction of the springs, which is that of x*: 0.3 % at 4
 * substeps, 0.02 % at 16. Where the linear systems stopped at max_strain alone, a chain kept 0.02 J (0.5 m/s)
 * at 16 substeps, and its pins bore 8 % too much. */
TEST(a_rigid_chain_between_pins_comes_to_rest_as_a_catenary) {
    static net n;
    for (uint32_t substeps = 4; substeps <= 16; substeps *= 4) {
        double pull[2] = {0, 0};
        test_case("%u substeps", substeps);
        hang(&n, 1, substeps, 1.005);
        step_net(&n, 600);
        for (int step = 0; step < STEPS; step++) {
            step_net(&n, 1);
            ASSERT(report_of(&n).unsolved, ==, 0);
            ASSERT(measured(&n).kinetic, <, 1e-6);
            for (uint32_t side = 0; side < 2; side++)
                pull[side] += (side ? -1 : 1) * reaction(&n, side * LINKS, 0) * 60 / STEPS;
        }
        const double right = pull_of(LINK * LINKS / 1.005);
        for (uint32_t side = 0; side < 2; side++) ASSERT_NEAR(pull[side], right, 0.005 * right);
        mote_system_destroy(n.system);
    }
}

/* A rigid net of side x side particles in a vertical plane. */
static void lay_square(net *n, uint32_t side) {
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    add_grid(n, (grid){.columns = side, .rows = side, .spacing = LINK, .mass = MASS, .stiffness = INFINITY});
    for (uint32_t i = 0; i < side * side; i++)
        n->positions[3 * i + 1] = -n->positions[3 * i + 2], n->positions[3 * i + 2] = 0;
}

/* A rigid net of 1,024 particles, hung by two corners, one of which jumps by 6 cm in the first step: more
 * than 64 iterations a system can hold. Kinetic energy is at most that of a fall by the height of the net.
 * Where all of the correction of lengths became velocity, it was 24,500 J after one step, and 4,000 J or more
 * ever after. */
TEST(a_rigid_net_beyond_its_budget_gains_no_energy) {
    enum { SIDE = 32 };
    static net n;
    const mote_system_def def = rate_of(60, 4);
    lay_square(&n, SIDE);
    start_net(&n, &def, GRAVITY);
    pin_here(&n, 0), pin_at(&n, SIDE - 1, LINK * (SIDE - 1) / 1.02, 0, 0, 0);
    for (int step = 0; step < 150; step++) {
        test_case("step %d", step);
        step_net(&n, 1);
        ASSERT(measured(&n).kinetic, <, SIDE * SIDE * MASS * GRAVITY * LINK * SIDE);
    }
    mote_system_destroy(n.system);
}

/* A hung rigid net with two springs between the same particles, one of them 2 % shorter: both err by half of
 * that, and the net comes to rest. Where conjugate gradients had no end, it had 10^18 J after one step. */
TEST(rigid_springs_that_cannot_both_hold_share_the_error) {
    enum { SIDE = 12 };
    static net n;
    const mote_system_def def = rate_of(60, 4);
    lay_square(&n, SIDE);
    add_spring(&n, SIDE * SIDE / 2, SIDE * SIDE / 2 + 1, 0.98f * (float)LINK, INFINITY, 0);
    add_spring(&n, 0, SIDE + 1, 1.5f * (float)LINK, 100, 0.1f);
    start_net(&n, &def, GRAVITY);
    pin_here(&n, 0), pin_here(&n, SIDE - 1);
    for (int step = 0; step < 300; step++) {
        test_case("step %d", step);
        step_net(&n, 1);
        ASSERT(measured(&n).kinetic, <, SIDE * SIDE * MASS * GRAVITY * LINK * SIDE);
        ASSERT(report_of(&n).frozen, ==, 0);
    }
    ASSERT(measured(&n).kinetic, <, 1e-3);
    double a[3], b[3];
    for (uint32_t axis = 0; axis < 3; axis++)
        a[axis] = place_of(&n, SIDE * SIDE / 2, axis), b[axis] = place_of(&n, SIDE * SIDE / 2 + 1, axis);
    ASSERT_NEAR(apart(a, b) / LINK, 0.99, 0.002);
    mote_system_destroy(n.system);
}

/* The ends of a rigid spring fly at each other and are past each other at the end of the substep. There the
 * length holds, too; twice the length in one substep would be 2.8 times the energy. */
TEST(a_rigid_spring_whose_ends_pass_each_other_gains_no_energy) {
    static net n;
    const mote_system_def def = rate_of(60, 1);
    begin_net(&n, MOTE_NETWORK_CONSTRAINED);
    add_particle(&n, 0, 0, 0, MASS), add_particle(&n, LINK, 0, 0, MASS);
    add_spring(&n, 0, 1, (float)LINK, INFINITY, 0);
    start_net(&n, &def, 0);
    for (uint32_t i = 0; i < 2; i++) *coordinate(&n, i, 3) = (float)(36 * LINK * (i ? -1 : 1));
    const double start = measured(&n).kinetic;
    for (int step = 0; step < 10; step++) {
        step_net(&n, 1);
        ASSERT(measured(&n).kinetic, <=, start * 1.000001);
    }
    ASSERT(place_of(&n, 0, 0) - place_of(&n, 1, 0), >, 0.99 * LINK); /* they did pass */
    mote_system_destroy(n.system);
}
