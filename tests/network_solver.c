/* The constrained solver of networks: each linear system against a dense one in double, closed forms, the
 * same chain as a strand, the report, energy where the iterations are cut short, bits, degenerate shapes,
 * reactions. */
#include "test.h"

#include "network_newton.h"

/* --- One linear system --- */

/* Returns the largest distance that the solution moved anything, in tolerances. */
static double compare_small(net *n, bool rigid) {
    const mote_system_def def = rate_of(32, 1);
    problem p = {.h = 1 / 32.0};
    double d[3], moved = 0;
    start_net(n, &def, GRAVITY);
    const double target[3] = {(double)n->positions[0] + 0.02, (double)n->positions[1],
                              (double)n->positions[2] - 0.01};
    pin_at(n, 0, target[0], target[1], target[2], step_ticks(n));
    pin_here(n, 5);
    for (uint32_t i = 0; i < SMALL; i++) {
        p.mass[i] = i % 5 ? (double)n->masses[i] : 0;
        for (uint32_t k = 0; k < 3; k++) {
            const double x = (double)n->positions[3 * i + k], v = (double)n->velocities[3 * i + k];
            p.x0[i][k] = x;
            p.goal[i][k] = i == 0 ? target[k] : i == 5 ? x : x + p.h * (v - (k == 1 ? p.h * GRAVITY : 0));
        }
    }
    memcpy(p.predicted, p.goal, sizeof p.goal);
    if (!rigid) start_between(n, p.mass, p.goal, p.x0, p.h);
    for (uint32_t k = 0; k < n->def.spring_count; k++) {
        p.taut[k].before = length_of(p.x0, &n->springs[k], d);
        p.taut[k].length = length_of(p.goal, &n->springs[k], d);
        for (int i = 0; i < 3; i++) p.taut[k].n[i] = d[i] / p.taut[k].length;
    }
    double first[SMALL][3];
    memcpy(first, p.goal, sizeof first);
    (rigid ? solve_rigid : solve_compliant)(n, &p);
    step_net(n, 1);
    ASSERT(report_of(n).iterations, ==, 1);
    ASSERT(p.tolerance, <, 0.01);
    for (uint32_t i = 0; i < SMALL; i++)
        for (uint32_t k = 0; k < 3; k++) {
            ASSERT_NEAR(place_of(n, i, k), p.goal[i][k], p.tolerance);
            moved = fmax(moved, fabs(p.goal[i][k] - first[i][k]) / p.tolerance);
        }
    mote_system_destroy(n->system);
    return moved;
}

TEST(one_linear_system_is_that_of_newtons_method) {
    static net n;
    for (int kind = 0; kind < 4; kind++)
        for (uint64_t seed = 1; seed <= 40; seed++) {
            test_case("rigid %d, damped %d, seed %d", kind % 2, kind / 2, (int)seed);
            make_small(&n, seed, kind % 2, kind / 2);
            ASSERT(compare_small(&n, kind % 2), >, 30); /* the solution is well above the tolerance */
        }
}

/* --- One spring along a line --- */

/* Elongation e, inverse reduced mass w: e1 (1 + h^2 w (k + c / h)) = e* + h^2 w (c / h) e0. Rounding: a
 * position of 2 m is rounded by UNIT in each step, which is a velocity for all steps after it; and each step
 * ends within max_strain of its solution. */
TEST(one_spring_follows_implicit_euler) {
    static net n;
    enum { STEPS = 12 };
    for (int kind = 0; kind < 8; kind++) {
        const double h = 1 / 64.0, k = 500, c = kind & 1 ? 6 : 0,
                     w = kind & 2 ? 1 / 0.25 : 1 / 0.25 + 1 / 1.5;
        const mote_system_def def = rate_of(64, 1);
        test_case("damped %d, pinned %d, multipliers %d", kind & 1, (kind & 2) / 2, kind / 4);
        begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        n.def.max_strain = 1e-7f, n.def.max_iterations = 8;
        add_particle(&n, 0.5, 0, 0, 1.5), add_particle(&n, 1.75, 0, 0, 0.25);
        n.velocities[3] = 2;
        add_spring(&n, 0, 1, 1, (float)k, (float)c);
        if (kind & 4) add_rigid_pair(&n);
        start_net(&n, &def, 0);
        if (kind & 2) pin_here(&n, 0);
        double e = 0.25, rate = 2;
        for (int step = 1; step <= STEPS; step++) {
            const double next = (e + h * rate + h * w * c * e) / (1 + h * h * w * k + h * w * c);
            rate = (next - e) / h, e = next;
            step_net(&n, 1);
            ASSERT_NEAR(place_of(&n, 1, 0) - place_of(&n, 0, 0) - 1, e,
                        (8 * UNIT + 1e-7) * step * (step + 1) / 2);
            ASSERT(place_of(&n, 1, 1), ==, 0);
        }
        mote_system_destroy(n.system);
    }
}

/* --- A chain as a network and as a strand --- */

enum { CHAIN = 17, CHAIN_STEPS = 40 };

static void hang_chain(net *n, uint32_t substeps, double at[CHAIN][3]) {
    const mote_system_def def = rate_of(60, substeps);
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    n->def.max_strain = 1e-6f, n->def.max_iterations = 32, n->def.max_linear = 256;
    for (uint32_t i = 0; i < CHAIN; i++) {
        add_particle(n, (double)i / (CHAIN - 1), 0, 0, 1.0 / CHAIN);
        if (i) add_spring(n, i - 1, i, MOTE_AS_PLACED, INFINITY, 0);
    }
    start_net(n, &def, GRAVITY);
    pin_here(n, 0);
    for (int step = 0; step < CHAIN_STEPS; step++) {
        step_net(n, 1);
        ASSERT(report_of(n).unsolved, ==, 0);
        /* The report is of the constraint; the length itself is rounded with its ends. */
        ASSERT(measured(n).max_strain, <=, 1e-6 + UNIT * (6 * 16 + 8));
    }
    for (uint32_t i = 0; i < CHAIN; i++)
        for (uint32_t k = 0; k < 3; k++) at[i][k] = place_of(n, i, k);
    mote_system_destroy(n->system);
}

static void hang_strand(double at[CHAIN][3], uint32_t substeps, float compliance) {
    float positions[3 * CHAIN] = {0};
    for (uint32_t i = 0; i < CHAIN; i++) positions[3 * i] = (float)i / (CHAIN - 1);
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* the system's */
    def.solver = MOTE_STRAND_ROBUST;
    def.strand_count = 1, def.points = CHAIN, def.positions = positions, def.mass = 1;
    def.max_strain = 1e-6f;
    def.compliance = compliance;
    const mote_system_def system_def = rate_of(60, substeps);
    mote_system *system = make_system(&system_def);
    mote_strands_id id;
    add_force(system, mote_gravity((float[3]){0, (float)-GRAVITY, 0}));
    OK(mote_system_add_strands(system, &def, &id, NULL));
    OK(mote_system_step(system, CHAIN_STEPS, NULL));
    const mote_strands_view view = mote_strands_columns(system, id);
    const float *const x[3] = {view.position.x, view.position.y, view.position.z};
    for (uint32_t i = 0; i < CHAIN; i++)
        for (int k = 0; k < 3; k++) at[i][k] = (double)x[k][mote_strands_slot(system, id, 0, i)];
    mote_system_destroy(system);
}

static double furthest_apart(double a[CHAIN][3], double b[CHAIN][3]) {
    double most = 0;
    for (int i = 0; i < CHAIN; i++) most = fmax(most, apart(a[i], b[i]));
    return most;
}

/* A strand that hardly gives way, by a part in 1e9 of its weight, is solved to first order, as networks are:
 * both step and project; only the directions along which they project differ, by how far a segment turns in a
 * substep, in second order, where the step itself errs in first: the two chains differ by far less than the
 * network differs from itself at half the substep. */
TEST(a_rigid_chain_moves_like_the_same_strand_of_first_order) {
    static net n;
    double network_end[CHAIN][3], finer[CHAIN][3], strand[CHAIN][3];
    hang_chain(&n, 8, network_end);
    hang_chain(&n, 16, finer);
    hang_strand(strand, 8, 1e-10f);
    ASSERT(network_end[CHAIN - 1][1], <, -0.5); /* it has fallen */
    ASSERT(furthest_apart(network_end, finer), <, 0.1);
    ASSERT(furthest_apart(network_end, strand), <, furthest_apart(network_end, finer) / 20);
}

/* A rigid strand is solved by impulses, to second order: of what both go to with the substep it lacks a
 * twentieth of what the network does. */
TEST(a_rigid_strand_is_far_more_accurate_than_the_same_chain) {
    static net n;
    double coarse[CHAIN][3], fine[CHAIN][3], strand[CHAIN][3], limit[CHAIN][3];
    hang_chain(&n, 8, coarse);
    hang_chain(&n, 64, fine);
    hang_strand(strand, 8, 0);
    hang_strand(limit, 64, 0);
    ASSERT(furthest_apart(fine, limit), <, furthest_apart(coarse, limit) / 5);
    ASSERT(furthest_apart(strand, limit), <, furthest_apart(coarse, limit) / 20);
}

/* --- The report --- */

TEST(the_report_says_how_well_the_springs_are_solved) {
    static net n;
    for (int kind = 0; kind < 4; kind++) {
        const bool enough = kind & 1, rigid = kind & 2;
        const mote_system_def def = rate_of(60, 2);
        test_case("enough iterations %d, rigid %d", enough, rigid);
        begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        n.def.max_iterations = enough ? 32 : 1, n.def.max_linear = enough ? 1000 : 1;
        const uint32_t first =
            add_grid(&n, (grid){12, 12, 0, 1.0 / 11, 0.01, rigid ? INFINITY : 1e4f, false});
        start_net(&n, &def, GRAVITY);
        pin_here(&n, first), pin_here(&n, first + 11);
        for (int step = 0; step < 20; step++) {
            step_net(&n, 1);
            const mote_network_step_report report = report_of(&n);
            ASSERT(report.substeps, ==, 2);
            ASSERT(report.linear, <=, report.iterations * n.def.max_linear);
            ASSERT(report.linear, >=, report.iterations);
            ASSERT(report.iterations, <=, 2 * n.def.max_iterations);
            ASSERT(report.unsolved, <=, 2);
            ASSERT((report.unsolved > 0), ==, (report.residual > n.def.max_strain));
            if (enough) ASSERT(report.unsolved, ==, 0);
            if (step > 5 && !enough) ASSERT(report.unsolved, >, 0);
            /* The residual of rigid springs is their strain, the larger of both substeps. */
            if (rigid)
                ASSERT(measured(&n).max_strain, <=,
                       fmax((double)report.residual, (double)n.def.max_strain) + UNIT * (6 * 11 + 8));
        }
        mote_system_destroy(n.system);
    }
}

/* --- Cut short --- */

/* The function that implicit Euler minimises, at the end of a substep: |x - x*|^2_M / (2 h^2) + the springs'
 * energy; *rounding: its change by UNIT of 1 m, in each spring's force along four coordinates and in each
 * position. goal: x*.
 */
static double implicit_energy(const net *n, double goal[][3], bool at_goal, double h, double *rounding) {
    double sum = 0;
    for (uint32_t i = 0; i < n->def.particle_count; i++)
        for (uint32_t k = 0; k < 3 && !at_goal; k++) {
            const double off = place_of(n, i, k) - goal[i][k], mass = (double)n->masses[i] / (h * h);
            sum += mass * off * off / 2, *rounding += mass * fabs(off) * 2 * UNIT;
        }
    for (uint32_t i = 0; i < n->def.spring_count; i++) {
        const mote_spring *s = &n->springs[i];
        double d[3], rest[3];
        for (uint32_t k = 0; k < 3; k++) {
            d[k] = at_goal ? goal[s->b][k] - goal[s->a][k] : place_of(n, s->b, k) - place_of(n, s->a, k);
            rest[k] = (double)n->positions[3 * s->b + k] - (double)n->positions[3 * s->a + k];
        }
        const double e = sqrt(dot(d, d)) - sqrt(dot(rest, rest));
        sum += (double)s->stiffness * e * e / 2;
        *rounding += (double)s->stiffness * (fabs(e) + 4 * UNIT) * 4 * UNIT;
    }
    return sum;
}

static void step_to_less(const net *n) {
    static double goal[256][3];
    const double h = 1 / 60.0;
    double rounding = 0;
    for (uint32_t i = 0; i < 256; i++)
        for (uint32_t k = 0; k < 3; k++)
            goal[i][k] = place_of(n, i, k) +
                         (i == 0 || i == 15 ? 0 : h * (place_of(n, i, 3 + k) - (k == 1 ? h * GRAVITY : 0)));
    const double before = implicit_energy(n, goal, true, h, &rounding);
    step_net(n, 1);
    const double after = implicit_energy(n, goal, false, h, &rounding);
    ASSERT(after, <=, before + rounding);
}

/* 16 x 16 bodies of 1 g and 930 springs, h^2 k / m = 2,800, hung from two corners. */
static void hang_net(net *n, uint32_t linear, uint32_t iterations, float max_strain, float damping) {
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    n->def.max_linear = linear, n->def.max_iterations = iterations, n->def.max_strain = max_strain;
    add_grid(n, (grid){16, 16, 0, 1.0 / 15, 0.001, 1e4f, true});
    for (uint32_t i = 0; i < n->def.spring_count; i++) n->springs[i].damping = damping;
    start_net(n, NULL, GRAVITY);
    pin_here(n, 0), pin_here(n, 15);
}

/* Each substep lowers the function that implicit Euler minimises, at 4 iterations however short each is. That
 * does not bound the total energy by its start: far too few conjugate-gradient iterations do not carry the
 * pins' force to all of the net, which falls on and is stretched; at 3 it keeps less energy than it has to
 * fall. From 5 on none is gained: it starts at 0 J. */
TEST(energy_does_not_build_up_where_iterations_are_cut_short) {
    static net n;
    static const uint32_t linear[] = {3, 5, 10, 20};
    for (size_t i = 0; i < COUNT_OF(linear); i++) {
        test_case("max_linear %u", linear[i]);
        hang_net(&n, linear[i], 4, 0.002f, 0);
        double most[2] = {-1e9, -1e9}; /* of either half of the run */
        for (int step = 0; step < 300; step++) {
            step_to_less(&n);
            ASSERT(report_of(&n).linear, <=, 4 * linear[i]);
            most[step / 150] = fmax(most[step / 150], energy_of(&n));
        }
        ASSERT(most[0], <, linear[i] < 5 ? 1e9 : 0);
        ASSERT(most[1], <, linear[i] < 5 ? 0.256 * GRAVITY : most[0]);
        mote_system_destroy(n.system);
    }
}

/* A corner bears its reaction by three springs: the tautest spring of the net has a third of it at least, and
 * no more than all of it. */
TEST(a_solved_net_is_strained_as_at_rest) {
    static net n;
    hang_net(&n, 2000, 32, 1e-4f, 0.5f);
    step_net(&n, 100);
    for (int step = 0; step < 50; step++) {
        step_net(&n, 1);
        const double force[3] = {reaction(&n, 0, 0) * 60, reaction(&n, 0, 1) * 60, reaction(&n, 0, 2) * 60};
        const mote_statistics s = measured(&n);
        const double rest = (double)spring_of(n.system, n.id, s.max_strain_item).rest_length,
                     tension = s.max_strain * rest * 1e4;
        ASSERT(report_of(&n).unsolved, ==, 0);
        ASSERT(tension, >, sqrt(dot(force, force)) / 3 * 0.9);
        ASSERT(tension, <, sqrt(dot(force, force)) * 1.1);
    }
    mote_system_destroy(n.system);
}

/* --- Bits --- */

enum { BITS_STEPS = 12, TRIANGLES = 19 };

typedef struct hashes {
    uint64_t before, after; /* edits, which join two islands */
} hashes;

static void advance_by(const net *n, uint64_t milliseconds, uint64_t frame) {
    for (uint64_t at = 0; at < milliseconds; at += frame)
        OK(mote_system_advance(n->system, frame * 1000000, NULL));
}

/* A net of two blocks, one of a part of a block, a row of equal triangles; 50 steps a second, in frames of
 * `frame` ms.
 */
static hashes hash_net(bool rigid, mote_isa isa, mote_loop_order order, uint32_t workers, uint64_t frame) {
    static net n;
    mote_system_def def = rate_of(50, 2);
    hashes h;
    uint32_t numbers[2];
    def.isa = isa, def.loop_order = order;
    def.jobs = dividing(mote_jobs_openmp(workers));
    begin_net(&n, MOTE_NETWORK_CONSTRAINED);
    n.def.max_iterations = 2, n.def.max_linear = 6;
    const uint32_t large = add_grid(&n, (grid){40, 40, 0, 4.0 / 39, 0.01, rigid ? INFINITY : 3000, false});
    const uint32_t small = add_grid(&n, (grid){9, 9, 5, 1.0 / 8, 0.02, 2000, true});
    for (int i = 0; i < TRIANGLES; i++) {
        const uint32_t a = add_particle(&n, 7 + i, 0, 0, 1), b = add_particle(&n, 7.5 + i, 0.1 * i, 0, 2);
        const uint32_t c = add_particle(&n, 7, 1, 0.2, 3);
        add_spring(&n, a, b, MOTE_AS_PLACED, 500, 1);
        add_spring(&n, b, c, 1, 300, 0);
        add_spring(&n, a, c, 1, 900, 2);
        n.velocities[3 * b] = (float)i;
    }
    n.def.spring_capacity = n.def.spring_count + 2;
    start_net(&n, &def, GRAVITY);
    pin_at(&n, large, 0.3, 0.2, 0.1, 8 * step_ticks(&n));
    pin_at(&n, large + 39, 3.5, 0, 0, 5 * step_ticks(&n));
    pin_here(&n, small + 8);
    advance_by(&n, BITS_STEPS * 20, frame);
    h.before = mote_system_hash(n.system);
    ASSERT(report_of(&n).linear, >, 12);
    ASSERT(report_of(&n).frozen, ==, 0);
    ASSERT(report_of(&n).unsolved, >, 0);
    const mote_spring join[2] = {{large + 1599, small, MOTE_AS_PLACED, 400, 1, 0},
                                 {large + 3, small + 80, 1, 100, 0, 0}};
    OK(mote_network_add_springs(n.system, n.id, 2, join, numbers, NULL));
    OK(mote_network_remove_springs(n.system, n.id, 1, &(uint32_t){700}, NULL));
    OK(mote_network_unpin(n.system, n.id, large + 39));
    advance_by(&n, BITS_STEPS * 20, frame);
    h.after = mote_system_hash(n.system);
    ASSERT(mote_system_steps(n.system), ==, 2 * BITS_STEPS);
    ASSERT(h.after, !=, h.before);
    mote_system_destroy(n.system);
    return h;
}

/* All pairs of instruction set and loop order; each of them meets each number of workers, and each number of
 * workers has frames of its own. */
TEST(no_instruction_set_loop_order_worker_or_frame_changes_the_bits) {
    static const uint64_t frame[3] = {40, 12, 80};
    for (int rigid = 0; rigid < 2; rigid++) {
        const hashes base = hash_net(rigid, MOTE_ISA_SCALAR, MOTE_LOOP_AUTO, 1, 20);
        for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
            for (int order = 0; order < MOTE_LOOP_ORDER_COUNT && mote_isa_available((mote_isa)isa); order++) {
                const uint32_t workers = 1 + (uint32_t)(isa + order) % 3;
                test_case("%s, order %d, %u workers, rigid %d", mote_isa_name((mote_isa)isa), order, workers,
                          rigid);
                const hashes h =
                    hash_net(rigid, (mote_isa)isa, (mote_loop_order)order, workers, frame[workers - 1]);
                ASSERT(h.before, ==, base.before);
                ASSERT(h.after, ==, base.after);
            }
    }
}

/* --- Degenerate shapes --- */

enum { ISLANDS = 20 };

/* Equal islands, of which two get a NaN: those stand still, and no other has other bits. With aggregates,
 * without, rigid. */
TEST(an_island_with_a_nan_freezes_alone) {
    static net sound, broken;
    net *const both[2] = {&sound, &broken};
    for (int kind = 0; kind < 3; kind++) {
        const uint32_t side = kind == 1 ? 7 : 3, of = side * side;
        test_case("kind %d", kind);
        for (int k = 0; k < 2; k++) {
            begin_net(both[k], MOTE_NETWORK_CONSTRAINED);
            for (int i = 0; i < ISLANDS; i++)
                add_grid(both[k], (grid){side, side, 2 * i, 1.0 / (side - 1), 0.1,
                                         kind == 2 ? INFINITY : 5000, false});
            start_net(both[k], NULL, GRAVITY);
            for (uint32_t i = 0; i < ISLANDS; i++) pin_here(both[k], of * i);
            step_net(both[k], 2);
        }
        *coordinate(&broken, of * 4 + 5, 1) = NAN;
        *coordinate(&broken, of * 17, 4) = 0; /* the velocity of a pin is not the host's to set */
        *coordinate(&broken, of * 17 + 8, 3) = NAN;
        step_net(&sound, 5), step_net(&broken, 5);
        ASSERT(report_of(&broken).frozen, ==, 2);
        ASSERT(report_of(&sound).frozen, ==, 0);
        for (uint32_t i = 0; i < of * ISLANDS; i++)
            for (uint32_t axis = 0; axis < 6 && i / of != 4 && i / of != 17; axis++)
                ASSERT(*coordinate(&broken, i, axis), ==, *coordinate(&sound, i, axis));
        ASSERT(place_of(&broken, of * 4 + 8, 1), !=, place_of(&sound, of * 4 + 8, 1));
        mote_system_destroy(sound.system), mote_system_destroy(broken.system);
    }
}

/* Bodies on each other, a rest length of 0, two pins with a spring between them, pins too far apart for the
 * springs between them. The report names rigid springs that cannot be held, and the body between them is
 * thrown about; once the pins are nearer the springs are held again. */
TEST(degenerate_shapes_stay_finite_and_are_held_again) {
    static net n;
    for (int rigid = 0; rigid < 2; rigid++) {
        const float stiffness = rigid ? INFINITY : 1e4f;
        begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        n.def.max_iterations = 16;
        for (int i = 0; i < 6; i++) add_particle(&n, i < 2 ? 0 : 0.5 * i, 0, 0, 1);
        for (uint32_t i = 0; i < 5; i++)
            add_spring(&n, i, i + 1, i == 0 ? 0.3f : i == 3 ? 0 : 0.5f, stiffness, 0);
        for (int i = 0; i < 3; i++) add_particle(&n, i, 0, 9, 1);
        add_spring(&n, 6, 7, 1, stiffness, 0);
        add_spring(&n, 7, 8, 1, stiffness, 0);
        add_spring(&n, 6, 8, 2, 1000, 0);
        start_net(&n, NULL, GRAVITY);
        pin_here(&n, 0), pin_here(&n, 6), pin_at(&n, 8, 2.5, 0, 9, 0);
        for (int step = 0; step < 240; step++) {
            test_case("rigid %d, step %d", rigid, step);
            if (step == 120) pin_at(&n, 8, 1.5, 0, 9, 0);
            step_net(&n, 1);
            ASSERT(report_of(&n).frozen, ==, 0);
            for (uint32_t i = 0; i < 9; i++)
                for (uint32_t k = 0; k < 3; k++)
                    ASSERT(fabs(place_of(&n, i, k)), <, (i == 7 && rigid && step < 180 ? HUGE_VAL : 12));
            if (rigid && step < 120) {
                ASSERT(report_of(&n).unsolved, >, 0);
                ASSERT(report_of(&n).residual, >, 0.2f);
            }
            if (step == 119 && !rigid) /* 7 sags */
                ASSERT_NEAR(reaction(&n, 6, 0) * 60, 1000 * 0.5 + 1e4 * 0.25, 10);
        }
        const double at[3] = {place_of(&n, 7, 0), place_of(&n, 7, 1), place_of(&n, 7, 2)};
        if (rigid) ASSERT_NEAR(apart(at, (double[3]){1.5, 0, 9}), 1, 0.002 + UNIT * 12);
        mote_system_destroy(n.system);
    }
}

/* --- Reactions --- */

TEST(a_spring_between_pins_moves_nothing_and_has_a_force_on_both) {
    static net n;
    for (int multipliers = 0; multipliers < 2; multipliers++) {
        begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        add_particle(&n, 0, 0, 0, 1), add_particle(&n, 1.25, 0, 0, 1);
        add_spring(&n, 0, 1, 1, 64, 0);
        if (multipliers) add_rigid_pair(&n);
        start_net(&n, NULL, 0);
        pin_here(&n, 0), pin_here(&n, 1);
        step_net(&n, 2);
        for (uint32_t i = 0; i < 2; i++) {
            ASSERT_NEAR(reaction(&n, i, 0), (i ? -1 : 1) * 64 * 0.25 / 60, 16 * UNIT);
            ASSERT(place_of(&n, i, 0), ==, 1.25 * i);
        }
        mote_system_destroy(n.system);
    }
}

/* 2 kg at rest under a pin, on 1 m of rope of 1,024 N/m, solved on positions or on multipliers, or rigid. The
 * impulse errs by a position known to UNIT 1 m and a tension solved to max_strain, both times M / h. */
TEST(a_pin_bears_the_weight_at_rest) {
    static net n;
    for (int kind = 0; kind < 3; kind++) {
        const mote_system_def def = rate_of(60, 4);
        const double k = 1024, below = kind < 2 ? 2 * GRAVITY / k : 0;
        test_case("kind %d", kind);
        begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        n.def.max_strain = 1e-7f, n.def.max_iterations = 8;
        add_particle(&n, 0, 0, 0, 1), add_particle(&n, 0, -1 - below, 0, 2);
        add_spring(&n, 0, 1, 1, kind < 2 ? (float)k : INFINITY, 0);
        if (kind == 1) add_rigid_pair(&n);
        start_net(&n, &def, GRAVITY);
        pin_here(&n, 0);
        for (int step = 0; step < 10; step++) {
            step_net(&n, 1);
            ASSERT_NEAR(reaction(&n, 0, 1), -2 * GRAVITY / 60, 2 * 240 * (4 * UNIT + 1e-7));
            ASSERT(reaction(&n, 0, 0), ==, 0);
            ASSERT(reaction(&n, 0, 2), ==, 0);
        }
        mote_system_destroy(n.system);
    }
}
