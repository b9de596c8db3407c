/* Links: ranges that are joined move as one range under every integrator, and no others notice. */
#include "test.h"

#include <stdio.h>

#include "link_scene.h"

/* --- As one network --- */

/* Points 1 m apart along x, springs of 16 N/m (a power of two: 1 / compliance is exact) between
 * neighbours. */
enum { CHAIN = 6, IN_STRAND = 3 };

static mote_spring chain_spring(uint32_t a, uint32_t b) { return (mote_spring){a, b, 1, 16, 0.25f, 0}; }

static void chain_places(float positions[3 * CHAIN]) {
    for (uint32_t i = 0; i < CHAIN; i++)
        positions[3 * i] = (float)i, positions[3 * i + 1] = positions[3 * i + 2] = 0;
}

/* A strand and two networks; or all one network. ends: its points. */
static mote_system *make_chain(const world *w, bool whole, mote_link_end ends[CHAIN]) {
    mote_system *system = make_world(w);
    float places[3 * CHAIN];
    mote_spring springs[CHAIN - 1];
    chain_places(places);
    for (uint32_t i = 0; i + 1 < CHAIN; i++) springs[i] = chain_spring(i, i + 1);
    springs[IN_STRAND - 1].rest_length =
        0.75f; /* it has a force from the start, in position Verlet's first half kick */
    add_force(system, mote_gravity((float[3]){0, -9.81f, 0.5f}));
    add_force(system, mote_wind((float[3]){1, 0, 0}, 0.125f));
    if (whole) {
        const mote_network_id id =
            add_particles(system, MOTE_NETWORK_SPRINGS, CHAIN, places, 1, CHAIN - 1, springs);
        for (uint32_t i = 0; i < CHAIN; i++) ends[i] = particle(id, i);
    } else {
        mote_strands_def def = mote_default_strands_def();
        def.substeps = 0; /* the system's */
        mote_strands_id strands;
        def.solver = MOTE_STRAND_SPRINGS, def.strand_count = 1, def.points = IN_STRAND,
        def.positions = places;
        def.mass = IN_STRAND, def.compliance = 0.0625f, def.damping = 0.25f, def.free_roots = true;
        OK(mote_system_add_strands(system, &def, &strands, NULL));
        const mote_network_id two =
            add_particles(system, MOTE_NETWORK_SPRINGS, 2, places + 3 * IN_STRAND, 1, 1, springs);
        const mote_network_id one =
            add_particles(system, MOTE_NETWORK_SPRINGS, 1, places + 3 * (CHAIN - 1), 1, 0, NULL);
        for (uint32_t i = 0; i < IN_STRAND; i++) ends[i] = strand_point(strands, 0, i);
        ends[3] = particle(two, 0), ends[4] = particle(two, 1), ends[5] = particle(one, 0);
        (void)join(system, ends[2], ends[3], 0.75f, 16, 0.25f);
        (void)join(system, ends[5], ends[4], MOTE_AS_PLACED, 16, 0.25f); /* the other way round */
    }
    for (uint32_t i = 0; i < CHAIN; i++) {
        random_source random = {40 + i};
        float v[3];
        for (int axis = 0; axis < 3; axis++) v[axis] = random_between(&random, -2, 2);
        set_velocity(system, &ends[i], v);
    }
    return system;
}

/* The same operations in the same order: the sums of a point have two springs, and a + b = b + a. Position
 * Verlet's first kick is v + (a + b) in one and (v + a) + b in the other: four roundings of a velocity of 10
 * m/s, and their growth in 2 s by a factor of at most 8. The kinematic integrators take springs in closed
 * form, and links as kicks: see below. */
TEST(linked_ranges_move_like_one_network) {
    for (int i = 0; i < MOTE_INTEGRATOR_COUNT; i++) {
        const world w = {.integrator = (mote_integrator)i, .substeps = 3, .rate = {60, 1}};
        if (advects(w.integrator) || w.integrator == MOTE_KINEMATIC || w.integrator == MOTE_KINEMATIC_AVERAGE)
            continue;
        mote_link_end one[CHAIN], parts[CHAIN];
        mote_system *whole = make_chain(&w, true, one), *split = make_chain(&w, false, parts);
        OK(mote_system_step(whole, 120, NULL));
        OK(mote_system_step(split, 120, NULL));
        const double tolerance = w.integrator == MOTE_POSITION_VERLET ? 8 * 4 * 10 * UNIT : 0;
        for (uint32_t k = 0; k < CHAIN; k++) {
            test_case("%s, point %u", integrator_name(w.integrator), k);
            for (uint32_t c = 0; c < 6; c++)
                ASSERT_NEAR(*coordinate_of(split, &parts[k], c), *coordinate_of(whole, &one[k], c),
                            tolerance);
        }
        mote_system_destroy(whole), mote_system_destroy(split);
    }
}

/* --- Two coupled bodies: 1 and 2 kg, 15 N/m, 0.3 kg/s, rest length 1 m, for 2 s --- */

/* The linear equation of one damped oscillator, solved to 16 digits. */
static const double exact_x[2] = {-0.1256207645049599, 0.56281038225248};
static const double exact_v[2] = {-0.8510020989522068, -0.07449895052389655};

/* A body of `mass` at x: a particle, or the tip of a strand of two points whose spring is 1e-30 N/m. */
static mote_link_end add_body(mote_system *system, bool strand, float mass, float x, float v) {
    const float places[6] = {x, 0, 0, x, 0, 0}, velocity[3] = {v, 0, 0};
    mote_link_end end;
    if (strand) {
        const float rest[6] = {x, 1, 0, x, 0, 0};
        mote_strands_def def = mote_default_strands_def();
        def.substeps = 0; /* the system's */
        mote_strands_id id;
        def.solver = MOTE_STRAND_SPRINGS, def.strand_count = 1, def.points = 2, def.positions = rest;
        def.mass = 2 * mass, def.compliance = 1e30f, def.free_roots = true;
        OK(mote_system_add_strands(system, &def, &id, NULL));
        end = strand_point(id, 0, 1);
    } else {
        end = particle(add_particles(system, MOTE_NETWORK_SPRINGS, 1, places, mass, 0, NULL), 0);
    }
    set_velocity(system, &end, velocity);
    return end;
}

/* Two bodies in one network, or linked, each a particle or the tip of a strand. */
typedef enum pair_kind { LINKED, STRAND_A, STRAND_B, BOTH_STRANDS, ONE_NETWORK, PAIR_KINDS } pair_kind;

/* The error of RK4. The impulses of the link are the momentum that the first body has gained: up to 8
 * roundings a step, of impulses and velocities up to 4. */
static double error_at(uint32_t steps, pair_kind kind) {
    static const float places[6] = {0, 0, 0, 1.5f, 0, 0}, velocities[6] = {0.4f, 0, 0, -0.7f, 0, 0},
                       masses[2] = {1, 2};
    static const mote_spring spring = {0, 1, 1, 15, 0.3f, 0};
    const world w = {.integrator = MOTE_RK4, .rate = {steps, 2}};
    mote_system *system = make_world(&w);
    mote_network_def def = mote_default_network_def();
    mote_link_end ends[2];
    mote_link_id link = {0, 0};
    if (kind == ONE_NETWORK) {
        def.particle_count = 2, def.positions = places, def.velocities = velocities,
        def.particle_mass = masses;
        def.spring_count = 1, def.springs = &spring;
        ends[0] = particle(add_network(system, &def), 0), ends[1] = particle(ends[0].network, 1);
    } else {
        for (int i = 0; i < 2; i++)
            ends[i] = add_body(system, kind >> i & 1, masses[i], places[3 * i], velocities[3 * i]);
        link = join(system, ends[0], ends[1], 1, 15, 0.3f);
    }
    const double momentum = 1 * (double)0.4f + 2 * (double)-0.7f, rounding = 4 * sqrt(8.0 * steps) * 4 * UNIT;
    double given = 0, error = 0, sum = 0;
    for (uint32_t i = 0; i < steps; i++) {
        float impulse[3];
        OK(mote_system_step(system, 1, NULL));
        if (kind != ONE_NETWORK)
            OK(mote_system_link(system, link, NULL, impulse)), given += (double)impulse[0];
    }
    for (int i = 0; i < 2; i++) {
        float s[6];
        state_of(system, &ends[i], s);
        error = fmax(error, fmax(fabs((double)s[0] - exact_x[i]), fabs((double)s[3] - exact_v[i])));
        sum += (i + 1) * (double)s[3];
        if (i == 0 && kind != ONE_NETWORK) ASSERT_NEAR(given, (double)s[3] - (double)0.4f, rounding);
        ASSERT_NEAR(s[1], 0, 1e-20);
        ASSERT(s[2], ==, 0);
    }
    ASSERT_NEAR(sum, momentum, rounding);
    mote_system_destroy(system);
    return error;
}

/* Evaluated together at each stage; one after the other they fall to order one. */
TEST(two_coupled_bodies_keep_order_four_linked_or_in_one_network) {
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        test_case("kind %d", kind);
        const double coarse = error_at(40, (pair_kind)kind), fine = error_at(80, (pair_kind)kind);
        ASSERT_NEAR(coarse, 2.37e-4, 0.01 * 2.37e-4);
        ASSERT_NEAR(log2(coarse / fine), 4.1, 0.2);
    }
}

/* The largest difference of a component between two worlds' ends. */
static double apart(mote_system *one, const mote_link_end *a, mote_system *other, const mote_link_end *b,
                    uint32_t count) {
    double most = 0;
    for (uint32_t i = 0; i < 6 * count; i++)
        most = fmax(most, fabs((double)*coordinate_of(one, &a[i / 6], i % 6) -
                               (double)*coordinate_of(other, &b[i / 6], i % 6)));
    return most;
}

static double apart_after_a_second(mote_integrator integrator, uint32_t substeps) {
    const world w = {.integrator = integrator, .substeps = substeps, .rate = {60, 1}};
    mote_link_end one[CHAIN], parts[CHAIN];
    mote_system *whole = make_chain(&w, true, one), *split = make_chain(&w, false, parts);
    OK(mote_system_step(whole, 60, NULL));
    OK(mote_system_step(split, 60, NULL));
    const double difference = apart(whole, one, split, parts, CHAIN);
    mote_system_destroy(whole), mote_system_destroy(split);
    return difference;
}

/* A kinematic spring of the network is exact, a link is a kick: of first order both, they meet as h goes to
 * zero. */
TEST(links_meet_kinematic_springs_as_the_substep_shrinks) {
    for (int i = MOTE_KINEMATIC; i <= MOTE_KINEMATIC_AVERAGE; i++) {
        const double coarse = apart_after_a_second((mote_integrator)i, 2),
                     fine = apart_after_a_second((mote_integrator)i, 8);
        ASSERT(coarse, <, 0.1);
        ASSERT_NEAR(log2(coarse / fine) / 2, 1.05, 0.15);
    }
}

/* A rigid stick that holds a body by a link, in no force: ends[0] and [1] are the stick's. */
static mote_system *make_stick(mote_integrator integrator, uint32_t substeps, mote_link_end ends[3]) {
    const world w = {.integrator = integrator, .substeps = substeps, .rate = {15, 1}};
    const float rest[6] = {0, 0, 0, 0.5f, 0, 0}, velocity[3] = {0.5f, 1, -0.25f};
    mote_system *system = make_world(&w);
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* the system's */
    def.strand_count = 1, def.points = 2, def.positions = rest, def.mass = 2, def.free_roots = true,
    def.max_strain = 1e-6f;
    OK(mote_system_add_strands(system, &def, &ends[0].strands, NULL));
    ends[0] = strand_point(ends[0].strands, 0, 0), ends[1] = strand_point(ends[0].strands, 0, 1);
    ends[2] = add_body(system, false, 2, 1.5f, 0);
    set_velocity(system, &ends[2], velocity);
    (void)join(system, ends[2], ends[1], 0.75f, 15, 0.3f);
    return system;
}

/* Constraints hold an end: the force is that of the substep's start, on both sides. First order; the momentum
 * that one gets the other loses. A stick's velocities are (x1 - x0) / h, so their roundings are those of
 * positions up to 2 m, over h. */
TEST(a_link_to_a_rigid_strand_is_of_first_order_and_keeps_momentum) {
    const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_RK4, MOTE_YOSHIDA4};
    for (size_t i = 0; i < COUNT_OF(integrators); i++) {
        double error[2];
        mote_link_end ends[3], fine[3];
        mote_system *exact = make_stick(integrators[i], 32, fine);
        OK(mote_system_step(exact, 15, NULL));
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t substeps = k ? 4 : 2;
            mote_system *system = make_stick(integrators[i], substeps, ends);
            OK(mote_system_step(system, 15, NULL));
            error[k] = apart(system, ends, exact, fine, 3);
            const double start[3] = {1, 2, -0.5},
                         rounding = 4 * sqrt(15.0 * substeps) * 2 * UNIT * 15 * substeps;
            for (uint32_t axis = 0; axis < 3; axis++) {
                double momentum = 0;
                for (int end = 0; end < 3; end++)
                    momentum += (end < 2 ? 1 : 2) * (double)*coordinate_of(system, &ends[end], 3 + axis);
                ASSERT_NEAR(momentum, start[axis], rounding);
            }
            mote_system_destroy(system);
        }
        mote_system_destroy(exact);
        test_case("%s: errors %g, %g", integrator_name(integrators[i]), error[0], error[1]);
        ASSERT(log2(error[0] / error[1]), >=, 0.9);
    }
}

/* --- A net that hangs from a rope --- */

enum { SIDE = 4, NET = SIDE * SIDE, ROPE = 8 };

static uint32_t network_springs(mote_spring springs[2 * NET], float stiffness, float damping) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < NET; i++) {
        if (i % SIDE) springs[count++] = (mote_spring){i - 1, i, MOTE_AS_PLACED, stiffness, damping, 0};
        if (i >= SIDE) springs[count++] = (mote_spring){i - SIDE, i, MOTE_AS_PLACED, stiffness, damping, 0};
    }
    return count;
}

typedef struct hanging {
    mote_system *system;
    mote_strands_id rope;
    mote_network_id net;
    mote_link_id link;
} hanging;

/* The rope's tip holds the middle of the net's upper edge. */
static hanging hang(const world *w, mote_network_solver solver) {
    hanging h = {.system = make_world(w)};
    float rope[3 * ROPE], net[3 * NET];
    mote_spring springs[2 * NET];
    for (uint32_t i = 0; i < ROPE; i++)
        rope[3 * i] = 0, rope[3 * i + 1] = -0.1f * (float)i, rope[3 * i + 2] = 0;
    for (uint32_t i = 0; i < NET; i++)
        net[3 * i] = 0.1f * (float)(i % SIDE), net[3 * i + 1] = -1 - 0.1f * (float)(i / SIDE),
                net[3 * i + 2] = 0;
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* the system's */
    def.solver = w->solver, def.strand_count = 1, def.points = ROPE, def.positions = rope, def.mass = 0.8f;
    if (w->solver == MOTE_STRAND_SPRINGS) def.compliance = 1 / 2000.0f, def.damping = 0.5f;
    OK(mote_system_add_strands(h.system, &def, &h.rope, NULL));
    h.net = add_particles(h.system, solver, NET, net, 0.05f, network_springs(springs, 500, 0.2f), springs);
    add_force(h.system, mote_gravity((float[3]){0, -9.81f, 0}));
    add_force(h.system,
              mote_wind((float[3]){0, 0, 0}, 0.05f)); /* kg/s: all comes to rest at 1 / s and faster */
    h.link = join(h.system, strand_point(h.rope, 0, ROPE - 1), particle(h.net, 1), 0.2f, 400, 0.5f);
    return h;
}

/* At rest the link carries the net, and the root the net and the rope but for its own mass, in every step of
 * 1/60 s. After 30 s e^(-30 / 2) of the swing is left; a thousandth is allowed for that. Solvers hold lengths
 * to two thousandths of 0.1 m, by which an end of the link may be off: k 0.0002 m = 0.08 N of the 7.85 N that
 * it carries. The link is below the rope of 0.7 m, and longer than 0.2 m by m g / k = 0.02 m. */
static void hang_by(mote_integrator integrator, mote_strand_solver strand, mote_network_solver solver) {
    const world w = {.integrator = integrator, .substeps = 16, .solver = strand};
    hanging h = hang(&w, solver);
    OK(mote_system_step(h.system, 1800, NULL));
    const double net = 0.05 * NET * 9.81 / 60, all = net + 0.8 * (ROPE - 1) / ROPE * 9.81 / 60;
    float force[3], root[3];
    mote_link link;
    OK(mote_system_link(h.system, h.link, &link, force));
    OK(mote_strands_reaction(h.system, h.rope, 0, 0, root));
    const bool solved = strand != MOTE_STRAND_SPRINGS || solver == MOTE_NETWORK_CONSTRAINED;
    const double part = 1e-3 + (solved ? 0.08 / 7.85 : 0);
    test_case("%s, solvers %d %d", integrator_name(integrator), (int)strand, (int)solver);
    ASSERT_NEAR(force[1], -net, part * net);
    ASSERT_NEAR(root[1], -all, part * all);
    ASSERT_NEAR(*coordinate_of(h.system, &link.b, 1), -0.955, 0.045);
    mote_system_destroy(h.system);
}

TEST(a_link_carries_a_net_that_hangs_from_a_rope) {
    const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_RK4, MOTE_POSITION_VERLET,
                                           MOTE_VELOCITY_VERLET};
    for (size_t i = 0; i < COUNT_OF(integrators); i++)
        for (int strand = 0; strand < MOTE_STRAND_SOLVER_COUNT; strand++)
            for (int constrained = 0; constrained < 2; constrained++)
                hang_by(integrators[i], (mote_strand_solver)strand,
                        constrained ? MOTE_NETWORK_CONSTRAINED : MOTE_NETWORK_SPRINGS);
}

TEST(the_reaction_of_a_pinned_end_is_the_impulse_of_the_link) {
    const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_RK4, MOTE_KINEMATIC};
    for (size_t i = 0; i < COUNT_OF(integrators); i++) {
        const world w = {.integrator = integrators[i], .substeps = 2};
        mote_system *system = make_world(&w);
        const mote_link_end a = add_body(system, false, 1, 0, 0), b = add_body(system, false, 1, 2, 0);
        OK(mote_network_pin(system, a.network, 0, (float[3]){0, 0, 0}, 0));
        const mote_link_id link = join(system, a, b, 1, 10, 0);
        float impulse[3], reaction[3];
        OK(mote_system_step(system, 5, NULL));
        OK(mote_system_link(system, link, NULL, impulse));
        OK(mote_network_reaction(system, a.network, 0, reaction));
        ASSERT(impulse[0], >, 0.1f);
        assert_memory_equal(impulse, reaction, sizeof impulse);
        ASSERT(*coordinate_of(system, &a, 0), ==, 0);
        mote_system_destroy(system);
    }
}

/* --- The same bits --- */

static const mote_integrator some_integrators[] = {
    MOTE_SEMI_IMPLICIT_EULER, MOTE_RK4,   MOTE_POSITION_VERLET,
    MOTE_KINEMATIC,           MOTE_PEFRL, MOTE_VELOCITY_VERLET};
enum { STEPS = 12 };

/* Springs or a solver on either side, by two integrators; then the rest of them, which matter only where
 * there are springs on one side. */
enum { HASHED = 16, CONSERVING = 24, KINDS = 26 }; /* the last two: conserving strands */

static world world_of(uint32_t kind) {
    if (kind >= CONSERVING)
        return (world){.substeps = 2,
                       .solver = MOTE_STRAND_CONSERVING,
                       .networks = kind % 2 ? MOTE_NETWORK_CONSTRAINED : MOTE_NETWORK_SPRINGS};
    const uint32_t i = kind < 8 ? kind / 4 : 2 + (kind - 8) % 8 / 2,
                   held = kind < 8 ? kind % 4 : kind % 2 + (kind < 16 ? 0 : 2);
    return (world){.integrator = some_integrators[i],
                   .substeps = 2,
                   .solver = held & 1 ? MOTE_STRAND_ROBUST : MOTE_STRAND_SPRINGS,
                   .networks = held & 2 ? MOTE_NETWORK_CONSTRAINED : MOTE_NETWORK_SPRINGS};
}

static const char *kind_name(uint32_t kind) {
    static char text[80];
    const world w = world_of(kind);
    snprintf(text, sizeof text, "%s, strands %d, networks %d", integrator_name(w.integrator), (int)w.solver,
             (int)w.networks);
    return text;
}

static uint64_t tangle_hash(const world *w, uint32_t at_once) {
    tangle t = make_tangle(w, w->integrator == MOTE_RK4);
    tie(&t);
    for (uint32_t i = 0; i < STEPS; i += at_once) OK(mote_system_step(t.system, at_once, NULL));
    mote_strands_step_report strands;
    OK(mote_strands_report(t.system, t.strands, &strands));
    ASSERT(strands.frozen, ==, 0);
    ASSERT(step_report(t.system, t.network).frozen, ==, 0);
    const uint64_t hash = mote_system_hash(t.system);
    mote_system_destroy(t.system);
    return hash;
}

/* A Latin square: each instruction set meets both loop orders, and each job system, number of workers and
 * grouping of steps meets two instruction sets. */
TEST_EACH(no_variant_of_a_run_changes_the_hash, HASHED, kind_name, kind) {
    static const uint32_t at_once[4] = {4, 3, 2, 12};
    world w = world_of(kind);
    w.isa = MOTE_ISA_SCALAR;
    const uint64_t want = tangle_hash(&w, 1);
    for (uint32_t isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t workers = 1 + (isa + 2 * k) % 4;
            shuffled_jobs shuffled = {.random = {5 + workers}, .workers = workers};
            const mote_jobs jobs[3] = {shuffled_jobs_hook(&shuffled), pthread_jobs_hook(&workers), {0}};
            const uint32_t hook = (isa + k + kind) % 3;
            w.isa = mote_isa_available((mote_isa)isa) ? (mote_isa)isa : MOTE_ISA_AUTO;
            w.jobs = jobs[hook], w.loop_order = k ? MOTE_LOOP_STAGE_OUTER : MOTE_LOOP_AUTO;
            test_case("%s, jobs %u, %u workers, loop order %u", mote_isa_name(w.isa), hook, workers, k);
            ASSERT(tangle_hash(&w, at_once[(isa + 3 * k) % 4]), ==, want);
        }
}

static void expect_same(mote_system *one, const mote_link_end *a, mote_system *other, const mote_link_end *b,
                        bool same) {
    float s[6], r[6];
    state_of(one, a, s), state_of(other, b, r);
    ASSERT((memcmp(s, r, sizeof s) == 0), ==, same);
}

/* In the same group of strands, in the same block and elsewhere. */
TEST_EACH(particles_and_points_that_no_link_reaches_keep_their_bits, 4 * COUNT_OF(some_integrators),
          kind_name, kind) {
    world w = world_of(kind);
    w.substeps = 3;
    tangle free = make_tangle(&w, false), tied = make_tangle(&w, false);
    (void)join(tied.system, strand_point(tied.strands, 7, 1), particle(tied.network, 13), 0.5f, 40, 0.5f);
    OK(mote_system_step(free.system, 20, NULL));
    OK(mote_system_step(tied.system, 20, NULL));
    for (uint32_t p = 0; p < WEB; p++) {
        const mote_link_end end = particle(free.network, p), other = particle(tied.network, p);
        expect_same(free.system, &end, tied.system, &other, p / 4 != 3); /* 12 .. 15: its square */
    }
    for (uint32_t s = 0; s < STRANDS; s++)
        for (uint32_t k = 0; k < mote_strands_points(free.system, free.strands, s); k++) {
            const mote_link_end end = strand_point(free.strands, s, k),
                                other = strand_point(tied.strands, s, k);
            expect_same(free.system, &end, tied.system, &other, s != 7 || k == 0); /* its root is pinned */
        }
    mote_system_destroy(free.system), mote_system_destroy(tied.system);
}

/* The island and the strand at its link freeze, and no others; the link then has no force. */
TEST(a_frozen_island_takes_its_linked_strand_with_it) {
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .substeps = 2, .solver = MOTE_STRAND_SPRINGS};
    tangle t = make_tangle(&w, false);
    const mote_link_end a = strand_point(t.strands, 7, 1), b = particle(t.network, 13);
    const mote_link_id link = join(t.system, a, b, 0.5f, 40, 0.5f);
    set_velocity(t.system, &b, (float[3]){3e38f, 3e38f, 0});
    OK(mote_system_step(t.system, 3, NULL));
    mote_strands_step_report strands;
    float impulse[3];
    OK(mote_strands_report(t.system, t.strands, &strands));
    ASSERT(strands.frozen, ==, 1);
    ASSERT(step_report(t.system, t.network).frozen, ==, 1);
    OK(mote_strands_reset(t.system, t.strands, 7));
    OK(mote_system_step(t.system, 3, NULL));
    OK(mote_strands_report(t.system, t.strands, &strands));
    OK(mote_system_link(t.system, link, NULL, impulse));
    ASSERT(strands.frozen, ==, 0);
    for (int axis = 0; axis < 3; axis++) ASSERT(impulse[axis], ==, 0);
    mote_system_destroy(t.system);
}

/* It stands whatever it is linked to, and its reaction stays finite. */
TEST(a_pinned_end_does_not_freeze_with_the_other) {
    static const float two[6] = {0, 0, 0, 1, 0, 0}, below[3] = {0, -1, 0};
    for (int n = 0; n < 4; n++) {
        const bool strand = n & 1, swapped = n & 2;
        const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .substeps = 2};
        mote_system *system = make_world(&w);
        const mote_spring spring = {0, 1, 1, 100, 0, 0};
        mote_strands_def rope = mote_default_strands_def();
        rope.substeps = 0; /* the system's */
        mote_link_end held = {.strand = 0};
        rope.strand_count = 1, rope.points = 2, rope.positions = two;
        if (strand)
            OK(mote_system_add_strands(system, &rope, &held.strands, NULL));
        else
            held.network = add_particles(system, MOTE_NETWORK_SPRINGS, 2, two, 1, 1, &spring);
        const mote_link_end hot =
            particle(add_particles(system, MOTE_NETWORK_SPRINGS, 1, below, 1, 0, NULL), 0);
        if (!strand) OK(mote_network_pin(system, held.network, 0, two, 0));
        const mote_link_id link = join(system, swapped ? hot : held, swapped ? held : hot, 1, 40, 0.5f);
        set_velocity(system, &hot, (float[3]){3e38f, 3e38f, 0});
        for (int step = 0; step < 2; step++) {
            float impulse[3], felt[3];
            OK(mote_system_step(system, 1, NULL));
            OK(mote_system_link(system, link, NULL, impulse));
            OK(strand ? mote_strands_reaction(system, held.strands, 0, 0, felt)
                      : mote_network_reaction(system, held.network, 0, felt));
            for (int axis = 0; axis < 3; axis++) {
                assert_true(isfinite(felt[axis]));
                ASSERT(impulse[axis], ==, 0);
            }
            ASSERT(step_report(system, hot.network).frozen, ==, 1);
            if (!strand) ASSERT(step_report(system, held.network).frozen, ==, 0);
        }
        mote_system_destroy(system);
    }
}
