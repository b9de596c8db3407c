/* Links: what is joined by one moves as if it were one body under every integrator, and what is not joined
 * does not notice. */
#include "test.h"

#include "link_scene.h"

static const double UNIT = 0x1p-24;

/* --- As one network --- */

/* Points 1 m apart along x, springs of 16 N/m (a power of two: 1 / compliance is exact) between
 * neighbours. */
enum { CHAIN = 6, IN_STRAND = 3 };

static mote_spring chain_spring(uint32_t a, uint32_t b) { return (mote_spring){a, b, 1, 16, 0.25f, 0}; }

static void chain_places(float positions[3 * CHAIN]) {
    for (uint32_t i = 0; i < CHAIN; i++)
        positions[3 * i] = (float)i, positions[3 * i + 1] = positions[3 * i + 2] = 0;
}

/* A strand, two networks; or all one network. ends: of its points. */
static mote_system *make_chain(const world *w, bool whole, mote_link_end ends[CHAIN]) {
    mote_system *system = make_world(w);
    float places[3 * CHAIN];
    mote_spring springs[CHAIN - 1];
    chain_places(places);
    for (uint32_t i = 0; i + 1 < CHAIN; i++) springs[i] = chain_spring(i, i + 1);
    springs[IN_STRAND - 1].rest_length =
        0.75f; /* that it pulls from the start shows what position Verlet makes of it */
    add_force(system, mote_gravity((vec3){0, -9.81f, 0.5f}));
    add_force(system, mote_wind((vec3){1, 0, 0}, 0.125f));
    if (whole) {
        const mote_network_id id = add_network(system, CHAIN, places, 1, CHAIN - 1, springs);
        for (uint32_t i = 0; i < CHAIN; i++) ends[i] = particle(id, i);
    } else {
        mote_strands_def def = mote_default_strands_def();
        mote_strands_id strands;
        def.solver = MOTE_STRAND_SPRINGS, def.strand_count = 1, def.points = IN_STRAND,
        def.positions = places;
        def.mass = IN_STRAND, def.compliance = 0.0625f, def.damping = 0.25f, def.free_roots = true;
        OK(mote_system_add_strands(system, &def, &strands, NULL));
        const mote_network_id two = add_network(system, 2, places + 3 * IN_STRAND, 1, 1, springs);
        const mote_network_id one = add_network(system, 1, places + 3 * (CHAIN - 1), 1, 0, NULL);
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
 * m/s, and their growth in 2 s by a factor of at most 8. The kinematic integrators answer springs alone,
 * links not: they are looked at below. */
TEST(as_one_network) {
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
            float a[6], b[6];
            state_of(whole, &one[k], a), state_of(split, &parts[k], b);
            for (int c = 0; c < 6; c++)
                if (!(fabs((double)a[c] - (double)b[c]) <= tolerance))
                    fail_msg("%s: point %u, component %d: %a is not %a",
                             mote_integrator_describe(w.integrator)->name, k, c, (double)b[c], (double)a[c]);
        }
        mote_system_destroy(whole), mote_system_destroy(split);
    }
}

/* --- PHYSICS 5 --- */

static const double exact_x[2] = {-0.1256207645049599, 0.56281038225248};
static const double exact_v[2] = {-0.8510020989522068, -0.07449895052389655};

/* A body of `mass` at x: a particle, or the tip of a strand of two points whose spring is next to nothing. */
static mote_link_end add_body(mote_system *system, bool strand, float mass, float x, float v) {
    const float places[6] = {x, 0, 0, x, 0, 0}, velocity[3] = {v, 0, 0};
    mote_link_end end;
    if (strand) {
        const float rest[6] = {x, 1, 0, x, 0, 0};
        mote_strands_def def = mote_default_strands_def();
        mote_strands_id id;
        def.solver = MOTE_STRAND_SPRINGS, def.strand_count = 1, def.points = 2, def.positions = rest;
        def.mass = 2 * mass, def.compliance = 1e30f, def.free_roots = true;
        OK(mote_system_add_strands(system, &def, &id, NULL));
        end = strand_point(id, 0, 1);
    } else {
        end = particle(add_network(system, 1, places, mass, 0, NULL), 0);
    }
    set_velocity(system, &end, velocity);
    return end;
}

static double error_at(uint32_t steps, bool strand_a, bool strand_b) {
    const world w = {.integrator = MOTE_RK4, .rate = {steps, 2}};
    mote_system *system = make_world(&w);
    const mote_link_end ends[2] = {add_body(system, strand_a, 1, 0, 0.4f),
                                   add_body(system, strand_b, 2, 1.5f, -0.7f)};
    const mote_link_id link = join(system, ends[0], ends[1], 1, 15, 0.3f);
    double momentum = 1 * (double)0.4f + 2 * (double)-0.7f, given = 0, error = 0, sum = 0;
    for (uint32_t i = 0; i < steps; i++) {
        float impulse[3];
        OK(mote_system_step(system, 1, NULL));
        OK(mote_system_link(system, link, NULL, impulse));
        given += (double)impulse[0];
    }
    for (int i = 0; i < 2; i++) {
        float s[6];
        state_of(system, &ends[i], s);
        error = fmax(error, fmax(fabs((double)s[0] - exact_x[i]), fabs((double)s[3] - exact_v[i])));
        sum += (i + 1) * (double)s[3];
        /* what was given to the first body is what it has; up to 8 roundings a step, of impulses and
         * velocities up to 4 */
        if (i == 0) ASSERT(fabs(given - ((double)s[3] - (double)0.4f)), <, 4 * sqrt(8.0 * steps) * 4 * UNIT);
        ASSERT(fabs((double)s[1]), <, 1e-20);
        ASSERT(s[2], ==, 0); /* next to nothing, as it says */
    }
    ASSERT(fabs(sum - momentum), <, 4 * sqrt(8.0 * steps) * 4 * UNIT); /* one body after the other: 0.31 */
    mote_system_destroy(system);
    return error;
}

TEST(physics_5) {
    for (int kinds = 0; kinds < 4; kinds++) {
        const double coarse = error_at(40, kinds & 1, kinds & 2), fine = error_at(80, kinds & 1, kinds & 2);
        const double slope = log2(coarse / fine);
        if (!(fabs(coarse / 2.37e-4 - 1) < 0.01) || !(slope > 3.9 && slope < 4.3))
            fail_msg("ends %d: error %g, slope %g", kinds, coarse, slope);
    }
}

/* The largest difference of a component between two worlds' ends. */
static double apart(mote_system *one, const mote_link_end *a, mote_system *other, const mote_link_end *b,
                    uint32_t count) {
    double most = 0;
    for (uint32_t k = 0; k < count; k++) {
        float s[6], r[6];
        state_of(one, &a[k], s), state_of(other, &b[k], r);
        for (int c = 0; c < 6; c++) most = fmax(most, fabs((double)s[c] - (double)r[c]));
    }
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

/* A spring of the network is answered exactly, a link is a kick: of first order both, they meet as h goes to
 * zero. */
TEST(kinematic) {
    for (int i = MOTE_KINEMATIC; i <= MOTE_KINEMATIC_AVERAGE; i++) {
        const double coarse = apart_after_a_second((mote_integrator)i, 2),
                     fine = apart_after_a_second((mote_integrator)i, 8);
        const double slope = log2(coarse / fine) / 2;
        if (!(coarse < 0.1) || !(slope > 0.9 && slope < 1.2))
            fail_msg("%d: %g apart, slope %g", i, coarse, slope);
    }
}

/* A rigid stick that holds a body by a link, in no force: ends[0] and [1] are the stick's. */
static mote_system *make_stick(mote_integrator integrator, uint32_t substeps, mote_link_end ends[3]) {
    const world w = {.integrator = integrator, .substeps = substeps, .rate = {15, 1}};
    const float rest[6] = {0, 0, 0, 0.5f, 0, 0}, velocity[3] = {0.5f, 1, -0.25f};
    mote_system *system = make_world(&w);
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = 1, def.points = 2, def.positions = rest, def.mass = 2, def.free_roots = true,
    def.max_stretch = 1e-6f;
    OK(mote_system_add_strands(system, &def, &ends[0].strands, NULL));
    ends[0] = strand_point(ends[0].strands, 0, 0), ends[1] = strand_point(ends[0].strands, 0, 1);
    ends[2] = add_body(system, false, 2, 1.5f, 0);
    set_velocity(system, &ends[2], velocity);
    (void)join(system, ends[2], ends[1], 0.75f, 15, 0.3f);
    return system;
}

/* Constraints hold an end: the force of the substep's start, on both sides. First order; what one gets the
 * other loses. A stick's velocities are (x1 - x0) / h, so their roundings are those of positions up to 2 m,
 * over h. */
TEST(held) {
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
            float a[6], b[6], c[6];
            state_of(system, &ends[0], a), state_of(system, &ends[1], b), state_of(system, &ends[2], c);
            const double start[3] = {1, 2, -0.5},
                         rounding = 4 * sqrt(15.0 * substeps) * 2 * UNIT * 15 * substeps;
            for (int axis = 0; axis < 3; axis++) {
                const double momentum = (double)a[3 + axis] + (double)b[3 + axis] + 2 * (double)c[3 + axis];
                if (!(fabs(momentum - start[axis]) < rounding))
                    fail_msg("momentum %g of %g", momentum, start[axis]);
            }
            mote_system_destroy(system);
        }
        mote_system_destroy(exact);
        const double slope = log2(error[0] / error[1]);
        if (!(slope > 0.9 && slope < 1.2))
            fail_msg("%s: errors %g, %g, slope %g", mote_integrator_describe(integrators[i])->name, error[0],
                     error[1], slope);
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
    def.solver = w->solver, def.strand_count = 1, def.points = ROPE, def.positions = rope, def.mass = 0.8f;
    if (w->solver == MOTE_STRAND_SPRINGS) def.compliance = 1 / 2000.0f, def.damping = 0.5f;
    OK(mote_system_add_strands(h.system, &def, &h.rope, NULL));
    mote_network_def of = mote_default_network_def();
    of.solver = solver, of.particle_count = NET, of.positions = net, of.particle_mass = 0.05f;
    of.spring_count = network_springs(springs, 500, 0.2f), of.springs = springs;
    OK(mote_system_add_network(h.system, &of, &h.net, NULL));
    add_force(h.system, mote_gravity((vec3){0, -9.81f, 0}));
    add_force(h.system, mote_wind((vec3){0, 0, 0}, 0.05f)); /* kg/s: all comes to rest at 1 / s and faster */
    h.link = join(h.system, strand_point(h.rope, 0, ROPE - 1), particle(h.net, 1), 0.2f, 400, 0.5f);
    return h;
}

/* At rest the link carries the net, and the root the net and the rope but for its own mass, in every step of
 * 1/60 s. What still swings after 30 s: e^(-30 / 2) of it; a thousandth is left for that. Solvers hold
 * lengths to two thousandths of 0.1 m, by which an end of the link may be off: k 0.0002 m = 0.08 N of the
 * 7.85 N that it carries. */
static void hangs_by(mote_integrator integrator, mote_strand_solver strand, mote_network_solver solver) {
    const world w = {.integrator = integrator, .substeps = 16, .solver = strand};
    hanging h = hang(&w, solver);
    OK(mote_system_step(h.system, 1800, NULL));
    const double net = 0.05 * NET * 9.81 / 60, all = net + 0.8 * (ROPE - 1) / ROPE * 9.81 / 60;
    float pull[3], root[3], state[6];
    mote_link link;
    OK(mote_system_link(h.system, h.link, &link, pull));
    OK(mote_strands_reaction(h.system, h.rope, 0, 0, root));
    const bool solved = strand == MOTE_STRAND_ROBUST || solver == MOTE_NETWORK_CONSTRAINED;
    const double part = 1e-3 + (solved ? 0.08 / 7.85 : 0);
    if (!(fabs((double)pull[1] / -net - 1) < part) || !(fabs((double)root[1] / -all - 1) < part))
        fail_msg("%s, solvers %d %d: the link gives %g of %g, the root has %g of %g",
                 mote_integrator_describe(integrator)->name, (int)strand, (int)solver, (double)pull[1], -net,
                 (double)root[1], -all);
    state_of(
        h.system, &link.b,
        state); /* under the rope of 0.7 m and the link, which is longer than 0.2 m by m g / k = 0.02 m */
    ASSERT(state[1], <, -0.7f - 0.2f - 0.01f);
    ASSERT(state[1], >, -1);
    mote_system_destroy(h.system);
}

TEST(hangs) {
    const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_RK4, MOTE_POSITION_VERLET,
                                           MOTE_VELOCITY_VERLET};
    for (size_t i = 0; i < COUNT_OF(integrators); i++)
        for (int held_ends = 0; held_ends < 4; held_ends++)
            hangs_by(integrators[i], held_ends & 1 ? MOTE_STRAND_ROBUST : MOTE_STRAND_SPRINGS,
                     held_ends & 2 ? MOTE_NETWORK_CONSTRAINED : MOTE_NETWORK_SPRINGS);
}

/* A pinned end feels what the link gives it. */
TEST(pinned_end) {
    const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_RK4, MOTE_KINEMATIC};
    for (size_t i = 0; i < COUNT_OF(integrators); i++) {
        const world w = {.integrator = integrators[i], .substeps = 2};
        mote_system *system = make_world(&w);
        const mote_link_end a = add_body(system, false, 1, 0, 0), b = add_body(system, false, 1, 2, 0);
        OK(mote_network_pin(system, a.network, 0, (vec3){0, 0, 0}, 0));
        const mote_link_id link = join(system, a, b, 1, 10, 0);
        float impulse[3], reaction[3], state[6];
        OK(mote_system_step(system, 5, NULL));
        OK(mote_system_link(system, link, NULL, impulse));
        OK(mote_network_reaction(system, a.network, 0, reaction));
        ASSERT(impulse[0], >, 0.1f);
        ASSERT(memcmp(impulse, reaction, sizeof impulse), ==, 0);
        state_of(system, &a, state);
        ASSERT(state[0], ==, 0);
        mote_system_destroy(system);
    }
}

/* --- The same bits --- */

static const mote_integrator some_integrators[] = {
    MOTE_SEMI_IMPLICIT_EULER, MOTE_RK4,   MOTE_POSITION_VERLET,
    MOTE_KINEMATIC,           MOTE_PEFRL, MOTE_VELOCITY_VERLET};
enum { STEPS = 12 };

static uint64_t tangle_hash(const world *w, uint32_t at_once) {
    tangle t = make_tangle(w, w->integrator == MOTE_RK4);
    tie(&t);
    for (uint32_t i = 0; i < STEPS; i += at_once) OK(mote_system_step(t.system, at_once, NULL));
    mote_strands_step_report strands;
    mote_network_step_report report;
    OK(mote_strands_report(t.system, t.strands, &strands));
    OK(mote_network_report(t.system, t.network, &report));
    ASSERT(strands.frozen, ==, 0);
    ASSERT(report.frozen, ==, 0);
    const uint64_t hash = mote_system_hash(t.system);
    mote_system_destroy(t.system);
    return hash;
}

static void expect_hash(const world *w, uint32_t at_once, uint64_t want, const char *what) {
    if (tangle_hash(w, at_once) != want)
        fail_msg("%s, solvers %d %d: %s show", mote_integrator_describe(w->integrator)->name, (int)w->solver,
                 (int)w->networks, what);
}

TEST(same_bits) {
    for (size_t i = 0; i < COUNT_OF(some_integrators); i++)
        for (int held_ends = 0; held_ends < 4; held_ends++) {
            const world w = {.integrator = some_integrators[i],
                             .substeps = 2,
                             .isa = MOTE_ISA_SCALAR,
                             .solver = held_ends & 1 ? MOTE_STRAND_ROBUST : MOTE_STRAND_SPRINGS,
                             .networks = held_ends & 2 ? MOTE_NETWORK_CONSTRAINED : MOTE_NETWORK_SPRINGS};
            if (held_ends > 1 && i > 1)
                continue; /* the integrator is of no account but where springs are on the other side */
            const uint64_t want = tangle_hash(&w, 1);
            expect_hash(&w, 4, want, "frames");
            world other = w;
            other.loop_order = MOTE_LOOP_STAGE_OUTER;
            expect_hash(&other, 3, want, "loop orders");
            for (uint32_t workers = 1; workers <= 4; workers++) {
                shuffled_jobs shuffled = {.random = {5 + workers}, .workers = workers};
                uint32_t threads = workers;
                other = w;
                other.jobs = shuffled_jobs_hook(&shuffled);
                expect_hash(&other, 2, want, "workers");
                other.jobs = pthread_jobs_hook(&threads);
                expect_hash(&other, 12, want, "threads");
            }
            for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
                other = w;
                other.isa = (mote_isa)isa;
                if (mote_isa_available(other.isa)) expect_hash(&other, 6, want, "instruction sets");
            }
        }
}

/* What no link reaches, in the same group of strands, the same block and elsewhere, has the bits that it has
 * without. */
TEST(others_keep_their_bits) {
    for (size_t i = 0; i < COUNT_OF(some_integrators); i++)
        for (int held_ends = 0; held_ends < 4; held_ends++) {
            const world w = {.integrator = some_integrators[i],
                             .substeps = 3,
                             .solver = held_ends & 1 ? MOTE_STRAND_ROBUST : MOTE_STRAND_SPRINGS,
                             .networks = held_ends & 2 ? MOTE_NETWORK_CONSTRAINED : MOTE_NETWORK_SPRINGS};
            tangle free = make_tangle(&w, false), tied = make_tangle(&w, false);
            (void)join(tied.system, strand_point(tied.strands, 7, 1), particle(tied.network, 13), 0.5f, 40,
                       0.5f);
            OK(mote_system_step(free.system, 20, NULL));
            OK(mote_system_step(tied.system, 20, NULL));
            for (uint32_t p = 0; p < WEB; p++) {
                const mote_link_end end = particle(free.network, p), other = particle(tied.network, p);
                float a[6], b[6];
                state_of(free.system, &end, a), state_of(tied.system, &other, b);
                ASSERT((memcmp(a, b, sizeof a) != 0), ==, (p / 4 == 3)); /* 12 .. 15: its square */
            }
            for (uint32_t s = 0; s < STRANDS; s++)
                for (uint32_t k = 0; k < mote_strands_points(free.system, free.strands, s); k++) {
                    const mote_link_end end = strand_point(free.strands, s, k),
                                        other = strand_point(tied.strands, s, k);
                    float a[6], b[6];
                    state_of(free.system, &end, a), state_of(tied.system, &other, b);
                    ASSERT((memcmp(a, b, sizeof a) != 0), ==, (s == 7 && k > 0)); /* its root is pinned */
                }
            mote_system_destroy(free.system), mote_system_destroy(tied.system);
        }
}

/* What turns non-finite takes what it is linked to with it, and nothing else; the link then pulls no more. */
TEST(islands_freeze) {
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .substeps = 2, .solver = MOTE_STRAND_SPRINGS};
    tangle t = make_tangle(&w, false);
    const mote_link_end a = strand_point(t.strands, 7, 1), b = particle(t.network, 13);
    const mote_link_id link = join(t.system, a, b, 0.5f, 40, 0.5f);
    set_velocity(t.system, &b, (float[3]){3e38f, 3e38f, 0});
    OK(mote_system_step(t.system, 3, NULL));
    mote_strands_step_report strands;
    mote_network_step_report report;
    float impulse[3];
    OK(mote_strands_report(t.system, t.strands, &strands));
    OK(mote_network_report(t.system, t.network, &report));
    ASSERT(strands.frozen, ==, 1);
    ASSERT(report.frozen, ==, 1);
    OK(mote_strands_reset(t.system, t.strands, 7));
    OK(mote_system_step(t.system, 3, NULL));
    OK(mote_strands_report(t.system, t.strands, &strands));
    OK(mote_system_link(t.system, link, NULL, impulse));
    ASSERT(strands.frozen, ==, 0);
    ASSERT(impulse[0], ==, 0);
    ASSERT(impulse[1], ==, 0);
    ASSERT(impulse[2], ==, 0);
    mote_system_destroy(t.system);
}

/* A pinned end stands whatever it is linked to: it does not freeze, and what is told of it stays finite. */
TEST(pinned_end_of_what_froze) {
    static const float two[6] = {0, 0, 0, 1, 0, 0}, below[3] = {0, -1, 0};
    for (int strand = 0; strand < 2; strand++) {
        const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .substeps = 2};
        mote_system *system = make_world(&w);
        const mote_spring spring = {0, 1, 1, 100, 0, 0};
        mote_strands_def rope = mote_default_strands_def();
        mote_link_end held = {.strand = 0};
        rope.strand_count = 1, rope.points = 2, rope.positions = two;
        if (strand)
            OK(mote_system_add_strands(system, &rope, &held.strands, NULL));
        else
            held.network = add_network(system, 2, two, 1, 1, &spring);
        const mote_link_end hot = particle(add_network(system, 1, below, 1, 0, NULL), 0);
        if (!strand) OK(mote_network_pin(system, held.network, 0, two, 0));
        const mote_link_id link = join(system, held, hot, 1, 40, 0.5f);
        set_velocity(system, &hot, (float[3]){3e38f, 3e38f, 0});
        for (int step = 0; step < 2; step++) {
            float impulse[3], felt[3];
            mote_network_step_report report;
            OK(mote_system_step(system, 1, NULL));
            OK(mote_system_link(system, link, NULL, impulse));
            OK(strand ? mote_strands_reaction(system, held.strands, 0, 0, felt)
                      : mote_network_reaction(system, held.network, 0, felt));
            for (int axis = 0; axis < 3; axis++) {
                assert_true(isfinite(felt[axis]));
                ASSERT(impulse[axis], ==, 0);
            }
            OK(mote_network_report(system, hot.network, &report));
            assert_int_equal(report.frozen, 1);
            if (strand) continue;
            OK(mote_network_report(system, held.network, &report));
            assert_int_equal(report.frozen, 0);
        }
        mote_system_destroy(system);
    }
}
