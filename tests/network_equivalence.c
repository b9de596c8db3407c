/* Networks against ranges that move the same way: particles without springs like loose ones under every kind
 * of force, a chain like the same chain as a strand, and in whatever order springs name their ends. */
#include "test.h"

#include "kernel_forces.h"
#include "network_base.h"
#include "inside.h"

/* --- Loose particles --- */

enum { PARTICLES = 75, STEPS = 6 };

typedef struct crowd {
    mote_system *system;
    mote_network_id id;
} crowd;

static void add_loose(mote_system *system, bool masses) {
    mote_range_view view;
    OK(mote_system_spawn(system, PARTICLES, &view));
    float *const column[6] = {view.position.x, view.position.y, view.position.z,
                              view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t i = 0; i < PARTICLES; i++) {
        for (uint32_t c = 0; c < 6; c++) column[c][i] = 2 * reference_noise(40 + c, i);
        if (masses) view.inverse_mass[i] = 1 / (1.25f + reference_noise(50, i));
    }
}

/* The same particles as a network without a spring. */
static mote_network_id add_coupled(mote_system *system, bool masses) {
    static float state[2][3 * PARTICLES], mass[PARTICLES];
    mote_network_def def = mote_default_network_def();
    for (uint32_t i = 0; i < PARTICLES; i++) {
        for (uint32_t c = 0; c < 6; c++) state[c / 3][3 * i + c % 3] = 2 * reference_noise(40 + c, i);
        mass[i] = 1.25f + reference_noise(50, i);
    }
    def.particle_count = PARTICLES, def.positions = state[0], def.velocities = state[1];
    def.mass = 0.5f; /* a network keeps inverse masses: that of 1/2 kg is exact */
    if (masses) def.particle_mass = mass;
    return add_network(system, &def);
}

static crowd make_crowd(mote_integrator integrator, force_set set, bool masses) {
    mote_system_def def = mote_default_system_def();
    mote_force_def forces[MAX_FORCES];
    def.capacity = PARTICLES;
    def.integrator = integrator;
    def.substeps = 2;
    def.start_time = 1.25; /* within the keys of the thrusts */
    def.mass_column = masses;
    def.mass = 0.5f;
    crowd c = {make_system(&def), {0, 0}};
    const uint32_t count = make_forces(set, forces);
    for (uint32_t i = 0; i < count; i++)
        if (forces[i].kind != MOTE_FORCE_PARTICLE_ANCHORS)
            add_force(c.system, forces[i]); /* those act on loose ones */
    add_loose(c.system, masses);
    c.id = add_coupled(c.system, masses);
    return c;
}

/* The sums of coupled particles are formed as those of loose ones, with two exceptions: callbacks in m/s^2
 * are added after the division by mass; and an exact flow with affine forces alone takes a step at once. */
static bool same_arithmetic(mote_integrator integrator, force_set set) {
    const bool affine_alone = set <= SPRING_ONLY;
    if (integrator == MOTE_EXACT_FLOW && affine_alone) return false;
    return set != CALLBACKS && set != CALLBACK_ACCELERATION;
}

/* Otherwise: a step rounds x, v <= 8 and the few terms of dv, h 100 m/s^2, to UNIT each in another way;
 * forces that change by 20 1/s^2 and 2 1/s at most no more than double that in a tenth of a second. */
static double other_rounding(void) { return 2 * STEPS * 2 * UNIT * (2 * 8 + 6 * 100 / 120.0); }

static void compare_crowd(const crowd *c, mote_integrator integrator, force_set set, bool masses) {
    const mote_range_view loose = mote_system_view(c->system);
    const float *const want[6] = {loose.position.x, loose.position.y, loose.position.z,
                                  loose.velocity.x, loose.velocity.y, loose.velocity.z};
    const double tolerance = same_arithmetic(integrator, set) ? 0 : other_rounding();
    ASSERT(mote_system_count(c->system), ==, PARTICLES);
    for (uint32_t i = 0; i < PARTICLES; i++)
        for (uint32_t k = 0; k < 6; k++) {
            test_case("%s, set %d, masses %d, particle %u, column %u", integrator_name(integrator), (int)set,
                      masses, i, k);
            ASSERT_NEAR(*column_of(c->system, c->id, i, k), want[k][i], tolerance);
        }
}

static bool acts_on_networks(force_set set) {
    return !uses_inbox(set) && !uses_range(set) && set != PARTICLE_ANCHORS && set < VELOCITY_FIELDS;
}

TEST(particles_without_springs_move_like_loose_ones) {
    make_test_grids();
    for (int m = 0; m < MOTE_ADVECT_EULER; m++)
        for (int set = NO_FORCE; set < FORCE_SETS; set++)
            for (int masses = 0; masses < 2; masses++) {
                const mote_integrator integrator = (mote_integrator)m;
                if (!acts_on_networks((force_set)set) || !takes(integrator, (force_set)set)) continue;
                crowd c = make_crowd(integrator, (force_set)set, masses);
                OK(mote_system_step(c.system, STEPS, NULL));
                compare_crowd(&c, integrator, (force_set)set, masses);
                mote_system_destroy(c.system);
            }
    destroy_test_grids();
}

/* --- A chain and the same chain --- */

enum { CHAINS = 19, POINTS = 12, CHAIN_STEPS = 4, CHAIN_SUBSTEPS = 16 };

typedef struct chains {
    float positions[3 * CHAINS * POINTS];
    mote_spring springs[CHAINS * POINTS];
    bool damped;
    mote_system *system;
    mote_strands_id strands;
    mote_network_id network;
} chains;

/* Walks from the origin, a few centimetres a segment. */
static void lay_chains(chains *c) {
    random_source random = {31};
    for (uint32_t i = 0; i < 3 * CHAINS * POINTS; i++) {
        const bool root = i / 3 % POINTS == 0;
        c->positions[i] = root ? 0 : c->positions[i - 3] + random_between(&random, -0.1f, 0.1f);
    }
}

static void add_strands(chains *c) {
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* the system's */
    def.solver = MOTE_STRAND_SPRINGS;
    def.strand_count = CHAINS;
    def.points = POINTS;
    def.positions = c->positions;
    def.mass = 0.0625f * POINTS;
    def.compliance = 1 / 64.0f;
    def.damping = c->damped ? 0.25f : 0;
    OK(mote_system_add_strands(c->system, &def, &c->strands, NULL));
}

/* Springs to the next point, in the order of the points, of the strands' lengths. */
static void add_chains(chains *c) {
    const mote_strands *strands = strands_inside(c->system, c->strands);
    mote_network_def def = mote_default_network_def();
    uint32_t count = 0;
    for (uint32_t i = 0; i < CHAINS * POINTS; i++) {
        const uint32_t slot = mote_strands_slot(c->system, c->strands, i / POINTS, i % POINTS);
        if (i % POINTS + 1 < POINTS)
            c->springs[count++] =
                (mote_spring){i, i + 1, strands->rest_length[slot], 64, c->damped ? 0.25f : 0, 0};
    }
    def.particle_count = CHAINS * POINTS, def.positions = c->positions;
    def.mass = 0.0625f;
    def.springs = c->springs, def.spring_count = count;
    def.growth_allowed = true;
    c->network = add_network(c->system, &def);
    for (uint32_t i = 0; i < CHAINS * POINTS; i += POINTS)
        OK(mote_network_pin(c->system, c->network, i, c->positions + 3 * i, 0));
}

static void start_chains(chains *c, mote_integrator integrator) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 0;
    def.integrator = integrator;
    def.steps_per_second = (mote_rate){16, 1};
    def.substeps = CHAIN_SUBSTEPS;
    c->system = make_system(&def);
    add_force(c->system, mote_gravity((float[3]){1, -9.81f, 0.5f}));
    add_strands(c);
    add_chains(c);
}

/* The sums are the same, so the bits are. Returns how far any point has moved. */
static double compare_chains(const chains *c, mote_integrator m) {
    const mote_strands_view b = mote_strands_columns(c->system, c->strands);
    const float *const want[6] = {b.position.x, b.position.y, b.position.z,
                                  b.velocity.x, b.velocity.y, b.velocity.z};
    double moved = 0;
    for (uint32_t i = 0; i < CHAINS * POINTS; i++)
        for (uint32_t k = 0; k < 6; k++) {
            const uint32_t slot = mote_strands_slot(c->system, c->strands, i / POINTS, i % POINTS);
            const float is = *column_of(c->system, c->network, i, k);
            test_case("%s, damped %d, point %u, column %u", integrator_name(m), c->damped, i, k);
            ASSERT(is, ==, want[k][slot]);
            if (k < 3) moved = fmax(moved, fabs((double)(is - c->positions[3 * i + k])));
        }
    return moved;
}

TEST(a_chain_moves_like_the_same_chain_as_a_strand) {
    static chains c;
    lay_chains(&c);
    for (int m = 0; m < MOTE_ADVECT_EULER; m++)
        for (int damped = 0; damped < 2; damped++) {
            c.damped = damped;
            start_chains(&c, (mote_integrator)m);
            OK(mote_system_step(c.system, CHAIN_STEPS, NULL));
            ASSERT(compare_chains(&c, (mote_integrator)m), >, 0.2);
            mote_system_destroy(c.system);
        }
}

/* --- Chains across lanes --- */

enum { WHOLE = 64, FORWARD = 0, BACKWARD, IN_TURN, ORDERS };

/* They fill all lanes and most of a block, and nothing holds them. */
static mote_network_id add_free_chains(chains *c, uint32_t ends) {
    static float positions[3 * WHOLE * POINTS];
    static mote_spring springs[WHOLE * POINTS];
    random_source random = {77};
    uint32_t count = 0;
    for (uint32_t i = 0; i < WHOLE * POINTS; i++) {
        for (uint32_t axis = 0; axis < 3; axis++)
            positions[3 * i + axis] =
                (i % POINTS ? positions[3 * (i - 1) + axis] : 0) + random_between(&random, -0.1f, 0.1f);
        if (i % POINTS == 0) continue;
        const bool backward = ends == BACKWARD || (ends == IN_TURN && i % 2);
        springs[count++] =
            (mote_spring){backward ? i : i - 1, backward ? i - 1 : i, 0.1f, 64, c->damped ? 0.25f : 0, 0};
    }
    mote_network_def def = mote_default_network_def();
    def.particle_count = WHOLE * POINTS, def.positions = positions;
    def.mass = 0.0625f;
    def.springs = springs, def.spring_count = count;
    def.growth_allowed = true;
    return add_network(c->system, &def);
}

static void run_free_chains(chains *c, mote_integrator integrator, mote_isa isa, mote_loop_order order,
                            uint32_t ends) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 0;
    def.integrator = integrator;
    def.steps_per_second = (mote_rate){16, 1};
    def.substeps = CHAIN_SUBSTEPS;
    def.isa = isa, def.loop_order = order;
    c->system = make_system(&def);
    add_force(c->system, mote_gravity((float[3]){1, -9.81f, 0.5f}));
    add_force(c->system, mote_wind((float[3]){2, 0, -3}, 0.01f));
    c->network = add_free_chains(c, ends);
    OK(mote_system_step(c->system, CHAIN_STEPS, NULL));
}

/* Forces and stages in one pass have the bits of one pass each. */
TEST(free_chains_have_the_same_bits_in_any_order_of_loops_and_ends) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_MIDPOINT, MOTE_RK4};
    static chains want, is;
    for (uint32_t k = 0; k < 2 * COUNT_OF(integrators); k++) {
        const mote_integrator m = integrators[k / 2];
        want.damped = is.damped = k % 2;
        run_free_chains(&want, m, MOTE_ISA_SCALAR, MOTE_LOOP_STAGE_OUTER, FORWARD);
        for (int isa = 0; isa < MOTE_ISA_COUNT * ORDERS; isa++) {
            if (!mote_isa_available((mote_isa)(isa / ORDERS))) continue;
            run_free_chains(&is, m, (mote_isa)(isa / ORDERS), MOTE_LOOP_AUTO, isa % ORDERS);
            for (uint32_t i = 0; i < 6 * WHOLE * POINTS; i++) {
                const float a = *column_of(want.system, want.network, i / 6, i % 6),
                            b = *column_of(is.system, is.network, i / 6, i % 6);
                test_case("%s, damped %d, isa %d, ends %d, point %u, column %u", integrator_name(m),
                          is.damped, isa / ORDERS, isa % ORDERS, i / 6, i % 6);
                ASSERT(a, ==, b);
            }
            mote_system_destroy(is.system);
        }
        mote_system_destroy(want.system);
    }
}
