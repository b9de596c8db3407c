/* Weights on stiff chains, which multipliers hold: where the systems end too early to hold the lengths, no
 * energy comes from it. */
#include "test.h"

#include "network_net.h"

enum { FRAME_RATE = 60, FRAMES = 150 };

/* A chain of 2 m that is pinned at one end, with points of 5 g and a weight at the other end. */
typedef struct weighted_chain {
    uint32_t points;
    float stiffness;
    double weight; /* kg */
    uint32_t substeps, systems, iterations;
    bool swings; /* else hangs at rest */
    bool beside; /* a rigid pair is in the network too */
} weighted_chain;

static void add_chain(net *n, const weighted_chain *c) {
    const double length = 2.0 / (c->points - 1);
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    n->def.max_iterations = c->systems, n->def.max_linear = c->iterations;
    for (uint32_t i = 0; i < c->points; i++) {
        add_particle(n, c->swings ? length * i : 0, c->swings ? 0 : -length * i, 0,
                     i + 1 < c->points ? 0.005 : c->weight);
        if (i) add_spring(n, i - 1, i, MOTE_AS_PLACED, c->stiffness, 0);
    }
    if (!c->beside) return;
    const uint32_t a = add_particle(n, 50, 0, 0, 1e-6), b = add_particle(n, 51, 0, 0, 1e-6);
    add_spring(n, a, b, MOTE_AS_PLACED, INFINITY, 0);
}

/* Returns the largest kinetic and potential energy at the end of a frame, over that at the start, J. */
static double gained(net *n, uint32_t *unsolved) {
    const double start = measured(n).potential;
    double most = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        step_net(n, 1);
        const mote_statistics now = measured(n);
        const double more = now.kinetic + now.potential - start;
        if (!(more <= most)) most = more;
        *unsolved += report_of(n).unsolved;
    }
    return most;
}

/* Before springs gave off nothing in substeps that were not solved: 10^4 to 10^45 J. max_strain of the way
 * that there is to fall is how far a weight may be above its place. */
TEST(no_weight_is_thrown_by_the_chain_that_holds_it) {
    static const weighted_chain chains[] = {
        {.points = 80, .stiffness = 1e7f, .weight = 70, .substeps = 1, .systems = 4, .iterations = 64},
        {.points = 80, .stiffness = 1e9f, .weight = 70, .substeps = 4, .systems = 4, .iterations = 64},
        {.points = 200, .stiffness = 1e9f, .weight = 5, .substeps = 16, .systems = 4, .iterations = 64},
        {.points = 10, .stiffness = 1e7f, .weight = 5, .substeps = 4, .systems = 1, .iterations = 4},
        {.points = 40, .stiffness = 1e8f, .weight = 5, .substeps = 4, .systems = 4, .iterations = 24},
        {20, 1e6f, 2, 1, 4, 64, .swings = true},
        {20, 1e8f, 2, 4, 4, 64, .swings = true},
        {60, 1e9f, 2, 16, 4, 64, .swings = true},
        {80, 1e7f, 70, 1, 4, 64, .beside = true},
        {40, 1e8f, 5, 4, 4, 24, .beside = true},
    };
    static net n;
    for (size_t i = 0; i < COUNT_OF(chains); i++) {
        const weighted_chain *c = &chains[i];
        const mote_system_def def = rate_of(FRAME_RATE, c->substeps);
        uint32_t unsolved = 0;
        add_chain(&n, c);
        start_net(&n, &def, GRAVITY);
        pin_here(&n, 0);
        const double fall = GRAVITY * 2 * (c->weight + 0.005 * c->points), more = gained(&n, &unsolved);
        test_case("chain %zu: %g J of %g", i, more, fall);
        ASSERT(more, <=, 0.002 * fall);
        ASSERT(unsolved, >, 0);
        mote_system_destroy(n.system);
    }
}

/* Where lengths are held, a swing with stiff springs is one with rigid ones. */
TEST(a_stiff_chain_swings_as_a_rigid_one) {
    static net n;
    double energy[2];
    for (uint32_t rigid = 0; rigid < 2; rigid++) {
        const weighted_chain c = {20, rigid ? INFINITY : 1e8f, 0.005, 4, 4, 64, .swings = true};
        const mote_system_def def = rate_of(FRAME_RATE, c.substeps);
        uint32_t unsolved = 0;
        add_chain(&n, &c);
        start_net(&n, &def, GRAVITY);
        pin_here(&n, 0);
        (void)gained(&n, &unsolved);
        ASSERT(unsolved, ==, 0);
        energy[rigid] = measured(&n).kinetic + measured(&n).potential;
        mote_system_destroy(n.system);
    }
    ASSERT_NEAR(energy[0], energy[1], 0.01 * fabs(energy[1]));
}
