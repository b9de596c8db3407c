/* Links between ends that constraints hold and others: under every integrator a bob swings on them without
 * end, and hangs on them at rest. */
#include "test.h"

#include "link_scene.h"

static const double GRAVITY = 9.81;

enum { ROPE, ROD, COMPLIANT, NET, SPRINGS, HOLDERS };

static const char *holder_name(uint32_t i) {
    static const char *const name[HOLDERS] = {"rope", "rod", "compliant strand", "constrained net",
                                              "constrained bob on springs"};
    return name[i];
}

/* Every integrator may step it: explicit Euler is known to make its springs grow. */
static mote_network_id add_net(mote_system *system, mote_network_solver solver, const float *positions,
                               float mass, uint32_t particles, const mote_spring *spring) {
    mote_network_def def = mote_default_network_def();
    def.solver = solver, def.particle_count = particles, def.positions = positions, def.mass = mass;
    def.springs = spring, def.spring_count = particles - 1, def.growth_allowed = true;
    return add_network(system, &def);
}

/* Returns a pinned point at the origin. */
static mote_link_end add_holder(mote_system *system, uint32_t holder) {
    static const float positions[] = {0, 0, 0, 0, -1, 0, 0, -2, 0};
    if (holder == NET) {
        const mote_spring spring = {.a = 0, .b = 1, .rest_length = 1, .stiffness = 100};
        const mote_network_id net = add_net(system, MOTE_NETWORK_CONSTRAINED, positions, 0.1f, 2, &spring);
        OK(mote_network_pin(system, net, 0, positions, MOTE_NEXT_ADVANCE));
        return particle(net, 0);
    }
    mote_strands_def def = mote_default_strands_def();
    mote_strands_id id;
    def.strand_count = 1, def.points = 3, def.positions = positions, def.mass = 0.3f, def.substeps = 0;
    if (holder == ROD) def.bending_stiffness = 1e-3f;
    if (holder == COMPLIANT) def.compliance = 1e-3f;
    OK(mote_system_add_strands(system, &def, &id, NULL));
    return strand_point(id, 0, 0);
}

/* Returns a system with a bob of 0.5 kg at y = -0.6 m on a link of 50 N/m to the origin. */
static mote_system *make_bob(mote_integrator integrator, uint32_t holder, float damping, double gravity,
                             mote_link_end *bob) {
    const world w = {.integrator = integrator, .rate = {60, 1}, .substeps = 4};
    const float place[] = {0, -0.6f, 0}, origin[] = {0, 0, 0};
    mote_system *system = make_world(&w);
    const bool swapped = holder == SPRINGS;
    mote_link_end end;
    if (swapped) {
        end = particle(add_net(system, MOTE_NETWORK_SPRINGS, origin, 0.1f, 1, NULL), 0);
        OK(mote_network_pin(system, end.network, 0, origin, MOTE_NEXT_ADVANCE));
    } else {
        end = add_holder(system, holder);
    }
    *bob = particle(
        add_net(system, swapped ? MOTE_NETWORK_CONSTRAINED : MOTE_NETWORK_SPRINGS, place, 0.5f, 1, NULL), 0);
    add_force(system, mote_gravity((float[3]){0, (float)-gravity, 0}));
    (void)join(system, end, *bob, 0.5f, 50, damping);
    return system;
}

/* On an undamped link, w = 10 rad/s, the bob swings by 0.1 m: after 30 s by as much, but for the shares
 * h w / 2 by which a kick and a drift lead to one side, at the start and at the end. A force of the start
 * made it 24 times as much under integrators of second order, and one of h/2 lost 95 % under those of first.
 */
TEST_EACH(an_undamped_link_to_constraints_keeps_its_swing, HOLDERS, holder_name, holder) {
    for (uint32_t i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        if (i >= MOTE_ADVECT_EULER && i <= MOTE_ADVECT_RK4) continue;
        const double share = 10 / (60.0 * 4);
        mote_link_end bob;
        mote_system *system = make_bob((mote_integrator)i, holder, 0, 0, &bob);
        double most[2] = {0, 0};
        for (int step = 0; step < 1800; step++) {
            OK(mote_system_step(system, 1, NULL));
            const double swing = fabs((double)*coordinate_of(system, &bob, 1) + 0.5);
            if (step < 60) most[0] = fmax(most[0], swing);
            if (step >= 1740) most[1] = fmax(most[1], swing);
        }
        test_case("%s: %g m, then %g", integrator_name(i), most[0], most[1]);
        ASSERT_NEAR(most[1] / most[0], 1, share);
        mote_system_destroy(system);
    }
}

/* On a damped link the bob comes to rest m g / k = 0.0981 m further down, without a speed that damping would
 * read. Under `kinematic`, for which gravity moves it by g h^2 / 2 and the link by h^2 a, it keeps -g h / 2.
 */
TEST_EACH(a_body_hangs_at_rest_on_a_link_to_constraints, HOLDERS, holder_name, holder) {
    for (uint32_t i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        if (i >= MOTE_ADVECT_EULER && i <= MOTE_ADVECT_RK4) continue;
        mote_link_end bob;
        mote_system *system = make_bob((mote_integrator)i, holder, 2, GRAVITY, &bob);
        const double kept = i == MOTE_KINEMATIC && holder != SPRINGS ? GRAVITY / (2 * 60 * 4) : 0;
        OK(mote_system_step(system, 1200, NULL));
        test_case("%s", integrator_name(i));
        ASSERT_NEAR(*coordinate_of(system, &bob, 4), -kept, 1e-4);
        ASSERT_NEAR(*coordinate_of(system, &bob, 1), -0.5 - (0.5 * GRAVITY - 2 * kept) / 50, 1e-5);
        mote_system_destroy(system);
    }
}
