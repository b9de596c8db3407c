/* Links without damping to ends that constraints hold: under every integrator a bob swings on them without
 * end.
 */
#include "test.h"

#include "link_scene.h"

enum { ROD, COMPLIANT, NET, HOLDERS };

static const char *holder_name(uint32_t i) {
    static const char *const name[HOLDERS] = {"rod", "compliant strand", "constrained net"};
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
    if (holder == ROD)
        def.bending_stiffness = 1e-3f;
    else
        def.compliance = 1e-3f;
    OK(mote_system_add_strands(system, &def, &id, NULL));
    return strand_point(id, 0, 0);
}

/* A bob of 0.5 kg on an undamped link of 50 N/m, w = 10 rad/s, swings along it by 0.1 m: after 30 s by as
 * much, but for the shares h w / 2 by which a kick and a drift lead to one side, at the start and at the end.
 * As a constant force the link made it 24 times as much under integrators of second order. */
TEST_EACH(an_undamped_link_to_constraints_keeps_its_swing, HOLDERS, holder_name, holder) {
    for (uint32_t i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        if (i >= MOTE_ADVECT_EULER && i <= MOTE_ADVECT_RK4) continue;
        const world w = {.integrator = (mote_integrator)i, .rate = {60, 1}, .substeps = 4};
        const float place[] = {0.6f, 0, 0};
        const double share = 10 / (60.0 * 4);
        mote_system *system = make_world(&w);
        const mote_link_end end = add_holder(system, holder),
                            bob = particle(add_net(system, MOTE_NETWORK_SPRINGS, place, 0.5f, 1, NULL), 0);
        (void)join(system, end, bob, 0.5f, 50, 0);
        double most[2] = {0, 0};
        for (int step = 0; step < 1800; step++) {
            OK(mote_system_step(system, 1, NULL));
            const double swing = fabs((double)*coordinate_of(system, &bob, 0) - 0.5);
            if (step < 60) most[0] = fmax(most[0], swing);
            if (step >= 1740) most[1] = fmax(most[1], swing);
        }
        test_case("%s: %g m, then %g", integrator_name(i), most[0], most[1]);
        ASSERT_NEAR(most[1] / most[0], 1, share);
        mote_system_destroy(system);
    }
}
