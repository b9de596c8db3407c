/* Networks against what is known already: particles without springs move like loose ones under every kind of
 * force; a chain moves like the same chain as a strand; colliders keep particles out. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "kernel_forces.h"
#include "support.h"
#include "system/internal.h"

static const double UNIT = 0x1p-24; /* the largest relative error of one rounding */

/* --- Loose particles --- */

enum { PARTICLES = 75, STEPS = 6 };

typedef struct crowd {
    mote_system *system;
    mote_network_id id;
} crowd;

static mote_range_view add_loose(mote_system *system, bool masses) {
    mote_range_view view;
    assert_int_equal(mote_system_spawn(system, PARTICLES, &view), MOTE_OK);
    float *const column[6] = {view.position.x, view.position.y, view.position.z,
                              view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t i = 0; i < PARTICLES; i++) {
        for (uint32_t c = 0; c < 6; c++) column[c][i] = 2 * reference_noise(40 + c, i);
        if (masses) view.inverse_mass[i] = 1 / (1.25f + reference_noise(50, i));
    }
    return view;
}

/* The same particles as a network without a spring. */
static mote_network_id add_tight(mote_system *system, const mote_range_view *view, bool masses) {
    static float positions[3 * PARTICLES], velocities[3 * PARTICLES], mass[PARTICLES];
    mote_network_def def = mote_default_network_def();
    mote_network_id id;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const float x[6] = {view->position.x[i], view->position.y[i], view->position.z[i],
                            view->velocity.x[i], view->velocity.y[i], view->velocity.z[i]};
        memcpy(positions + 3 * i, x, 3 * sizeof *x);
        memcpy(velocities + 3 * i, x + 3, 3 * sizeof *x);
        mass[i] = 1.25f + reference_noise(50, i);
    }
    def.particle_count = PARTICLES, def.positions = positions, def.velocities = velocities;
    def.particle_mass = 0.5f; /* networks keep inverse masses: one that has none but itself */
    if (masses) def.masses = mass;
    assert_int_equal(mote_system_add_network(system, &def, &id, NULL), MOTE_OK);
    return id;
}

static crowd make_crowd(mote_integrator integrator, force_set set, bool masses) {
    mote_system_def def = mote_default_system_def();
    mote_force_def forces[MAX_FORCES];
    crowd c;
    def.capacity = PARTICLES;
    def.integrator = integrator;
    def.substeps = 2;
    def.start_time = 1.25; /* within the keys of the thrusts */
    def.mass_column = masses;
    def.uniform_mass = 0.5f;
    assert_int_equal(mote_system_create(&def, &c.system), MOTE_OK);
    const uint32_t count = make_forces(set, forces);
    for (uint32_t i = 0; i < count; i++) {
        mote_force_id force;
        if (forces[i].kind == MOTE_FORCE_PARTICLE_ANCHORS) continue; /* the loose particles' own */
        assert_int_equal(mote_system_add_force(c.system, &forces[i], &force), MOTE_OK);
    }
    const mote_range_view view = add_loose(c.system, masses);
    c.id = add_tight(c.system, &view, masses);
    return c;
}

/* The sums of coupled particles are put together as those of loose ones, but for two cases: of callbacks,
 * those in m/s^2 come after the division by mass; and an exact flow without anything but affine forces takes
 * a step at once. */
static bool same_arithmetic(mote_integrator integrator, force_set set) {
    const bool affine_alone = set <= SPRING_ONLY;
    if (integrator == MOTE_EXACT_FLOW && affine_alone) return false;
    return set != CALLBACKS && set != CALLBACK_ACCELERATION;
}

/* Otherwise: a step rounds x, v <= 8 and the few terms of dv, h 100 m/s^2, to UNIT each in another way; what
 * comes of that in a tenth of a second, by forces that change by 20 1/s^2 and 2 1/s at most, is no more than
 * twice as much. */
static double other_rounding(void) { return 2 * STEPS * 2 * UNIT * (2 * 8 + 6 * 100 / 120.0); }

static void compare_crowd(const crowd *c, mote_integrator integrator, force_set set, bool masses) {
    const mote_range_view loose = mote_system_view(c->system);
    const mote_network_view v = mote_network_columns(c->system, c->id);
    const float *const want[6] = {loose.position.x, loose.position.y, loose.position.z,
                                  loose.velocity.x, loose.velocity.y, loose.velocity.z};
    const float *const got[6] = {v.position.x, v.position.y, v.position.z,
                                 v.velocity.x, v.velocity.y, v.velocity.z};
    const double tolerance = same_arithmetic(integrator, set) ? 0 : other_rounding();
    assert_int_equal(mote_system_count(c->system), PARTICLES);
    for (uint32_t i = 0; i < PARTICLES; i++)
        for (int k = 0; k < 6; k++) {
            const double is = (double)got[k][v.slot[i]], was = (double)want[k][i];
            if (!(fabs(is - was) <= tolerance))
                fail_msg("%s, set %d, %s: column %d of particle %u is %a, loose %a",
                         mote_integrator_describe(integrator)->name, (int)set, masses ? "masses" : "uniform",
                         k, i, is, was);
        }
}

static bool acts_on_networks(force_set set) {
    return !uses_inbox(set) && !uses_range(set) && set != PARTICLE_ANCHORS && set < VELOCITY_FIELDS;
}

TEST(without_springs_they_move_like_loose_particles) {
    make_test_grids();
    for (int m = 0; m < MOTE_ADVECT_EULER; m++)
        for (int set = NO_FORCE; set < FORCE_SETS; set++)
            for (int masses = 0; masses < 2; masses++) {
                const mote_integrator integrator = (mote_integrator)m;
                if (!acts_on_networks((force_set)set) || !takes(integrator, (force_set)set)) continue;
                crowd c = make_crowd(integrator, (force_set)set, masses);
                assert_int_equal(mote_system_step(c.system, STEPS, NULL), MOTE_OK);
                compare_crowd(&c, integrator, (force_set)set, masses);
                mote_system_destroy(c.system);
            }
    destroy_test_grids();
}

/* --- A chain and the same chain --- */

enum { CHAINS = 19, POINTS = 12, CHAIN_STEPS = 4, CHAIN_SUBSTEPS = 16 };

typedef struct chains {
    float positions[3 * CHAINS * POINTS];
    mote_spring springs[2 * CHAINS * POINTS];
    bool bends, damped;
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
    def.solver = MOTE_STRAND_SPRINGS;
    def.strand_count = CHAINS;
    def.points = POINTS;
    def.positions = c->positions;
    def.mass = 0.0625f * POINTS;
    def.compliance = 1 / 64.0f;
    def.bend_stiffness = c->bends ? 16 : 0;
    def.damping = c->damped ? 0.25f : 0;
    def.bend_damping = c->bends && c->damped ? 0.125f : 0;
    assert_int_equal(mote_system_add_strands(c->system, &def, &c->strands, NULL), MOTE_OK);
}

/* Springs to the next and the second next, in the order of the points, as long as the strands'. */
static void add_chains(chains *c) {
    const mote_strands *strands = mote_system_find_strands(c->system, c->strands);
    mote_network_def def = mote_default_network_def();
    uint32_t count = 0;
    for (uint32_t i = 0; i < CHAINS * POINTS; i++) {
        const uint32_t slot = mote_strands_slot(c->system, c->strands, i / POINTS, i % POINTS);
        const float length = strands->rest_length[slot], bend = c->bends ? strands->bend_length[slot] : 0;
        if (i % POINTS + 1 < POINTS)
            c->springs[count++] = (mote_spring){i, i + 1, length, 64, c->damped ? 0.25f : 0, 0};
        if (i % POINTS + 2 >= POINTS || !c->bends) continue;
        c->springs[count++] = (mote_spring){i, i + 2, bend, 16, c->damped ? 0.125f : 0, 0};
    }
    def.particle_count = CHAINS * POINTS, def.positions = c->positions;
    def.particle_mass = 0.0625f;
    def.springs = c->springs, def.spring_count = count;
    def.growth_allowed = true;
    assert_int_equal(mote_system_add_network(c->system, &def, &c->network, NULL), MOTE_OK);
    for (uint32_t i = 0; i < CHAINS * POINTS; i += POINTS)
        assert_int_equal(mote_network_pin(c->system, c->network, i, c->positions + 3 * i, 0), MOTE_OK);
}

static void start_chains(chains *c, mote_integrator integrator) {
    mote_system_def def = mote_default_system_def();
    mote_force_def gravity = mote_gravity((vec3){1, -9.81f, 0.5f});
    mote_force_id force;
    def.capacity = 0;
    def.integrator = integrator;
    def.steps_per_second = (mote_rate){16, 1};
    def.substeps = CHAIN_SUBSTEPS;
    assert_int_equal(mote_system_create(&def, &c->system), MOTE_OK);
    assert_int_equal(mote_system_add_force(c->system, &gravity, &force), MOTE_OK);
    add_strands(c);
    add_chains(c);
}

/* Without bends the same sums. With them the strand adds springs of one kind first: a substep rounds the
 * pulls of four springs of at most 64 N/m x 0.2 m in another way, through 1/16 kg and h, and their sum with v
 * <= 4 m/s. A gap of velocities opens one of positions in time, one of positions one of velocities, w = 2
 * sqrt((64 + 4 x 16) / (1/16)) = 90/s times as large. */
static double chain_tolerance(const chains *c, mote_integrator m, bool velocity) {
    const double h = 1 / (16.0 * CHAIN_SUBSTEPS), t = CHAIN_STEPS / 16.0,
                 calls = mote_integrator_describe(m)->evaluations;
    const double dv = UNIT * (4 + h * 4 * 64 * 0.2 * 16), dx = UNIT,
                 evaluations = CHAIN_STEPS * CHAIN_SUBSTEPS * calls;
    if (!c->bends) return 0;
    return evaluations * (velocity ? dv + 90 * dx : dx + t * dv);
}

/* Returns how far a point has gone. */
static double compare_chains(const chains *c, mote_integrator m) {
    const mote_strands_view b = mote_strands_columns(c->system, c->strands);
    const mote_network_view n = mote_network_columns(c->system, c->network);
    const float *const want[6] = {b.position.x, b.position.y, b.position.z,
                                  b.velocity.x, b.velocity.y, b.velocity.z};
    const float *const got[6] = {n.position.x, n.position.y, n.position.z,
                                 n.velocity.x, n.velocity.y, n.velocity.z};
    double moved = 0;
    for (uint32_t i = 0; i < CHAINS * POINTS; i++)
        for (uint32_t k = 0; k < 6; k++) {
            const uint32_t slot = mote_strands_slot(c->system, c->strands, i / POINTS, i % POINTS);
            const double is = (double)got[k][n.slot[i]], was = (double)want[k][slot];
            if (k < 3) moved = fmax(moved, fabs(is - (double)c->positions[3 * i + k]));
            if (!(fabs(is - was) <= chain_tolerance(c, m, k > 2)))
                fail_msg("%s, bends %d, damped %d: column %u of point %u is %.9g, as a strand %.9g",
                         mote_integrator_describe(m)->name, c->bends, c->damped, k, i, is, was);
        }
    return moved;
}

TEST(a_chain_moves_like_the_same_chain_as_a_strand) {
    static chains c;
    lay_chains(&c);
    for (int m = 0; m < MOTE_ADVECT_EULER; m++)
        for (int kind = 0; kind < 4; kind++) {
            c.bends = kind % 2, c.damped = kind / 2;
            start_chains(&c, (mote_integrator)m);
            assert_int_equal(mote_system_step(c.system, CHAIN_STEPS, NULL), MOTE_OK);
            ASSERT(compare_chains(&c, (mote_integrator)m), >, 0.2);
            mote_system_destroy(c.system);
        }
}

/* --- Colliders --- */

enum { NETWORK_SIDE = 12 };

/* A net that falls on a ball and a floor, which stand apart. */
static mote_system *drop_net(mote_integrator integrator, mote_network_id *id, float radius) {
    static float positions[3 * NETWORK_SIDE * NETWORK_SIDE];
    static mote_spring springs[2 * NETWORK_SIDE * NETWORK_SIDE];
    mote_network_def net = mote_default_network_def();
    mote_system_def def = mote_default_system_def();
    mote_force_def gravity = mote_gravity((vec3){0, -9.81f, 0});
    mote_force_id force;
    mote_collider_id collider;
    mote_system *system;
    uint32_t count = 0;
    for (uint32_t i = 0; i < NETWORK_SIDE * NETWORK_SIDE; i++) {
        const float x[3] = {0.1f * (float)(i % NETWORK_SIDE) - 0.5f, 0.1f,
                            0.1f * (float)(i / NETWORK_SIDE) - 0.5f};
        memcpy(positions + 3 * i, x, sizeof x);
        if (i % NETWORK_SIDE) springs[count++] = (mote_spring){i - 1, i, 0.1f, 60, 0.2f, 0};
        if (i >= NETWORK_SIDE) springs[count++] = (mote_spring){i - NETWORK_SIDE, i, 0.1f, 60, 0.2f, 0};
    }
    net.particle_count = NETWORK_SIDE * NETWORK_SIDE, net.positions = positions, net.particle_mass = 0.05f;
    net.springs = springs, net.spring_count = count, net.radius = radius, net.growth_allowed = true;
    def.capacity = 0, def.integrator = integrator, def.substeps = 8;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_add_force(system, &gravity, &force), MOTE_OK);
    const mote_collider_def ball = mote_sphere((vec3){0, -0.25f, 0}, 0.25f),
                            floor = mote_plane((vec3){0, -1, 0}, (vec3){0, 1, 0});
    assert_int_equal(mote_system_add_collider(system, &floor, &collider), MOTE_OK);
    assert_int_equal(mote_system_add_collider(system, &ball, &collider), MOTE_OK);
    assert_int_equal(mote_system_add_network(system, &net, id, NULL), MOTE_OK);
    return system;
}

/* A push takes a particle to the plane that touches the collider where it was nearest; the ball bulges out
 * of that by less than the square of a substep's path along it: (3 m/s / 480 s)^2 / 0.25 m. And rounding
 * of 1 m. */
TEST(colliders_keep_particles_out) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_RK4, MOTE_VELOCITY_VERLET,
                                                  MOTE_KINEMATIC, MOTE_EXACT_FLOW};
    const double radius = 0.03125, tolerance = pow(3.0 / 480, 2) / 0.25 + 8 * UNIT;
    for (size_t m = 0; m < COUNT_OF(integrators); m++) {
        uint32_t on_ball = 0, on_floor = 0;
        mote_network_id id;
        mote_system *system = drop_net(integrators[m], &id, (float)radius);
        for (uint32_t step = 0; step < 90; step++) {
            assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
            const mote_network_view v = mote_network_columns(system, id);
            for (uint32_t i = 0; i < v.particle_count; i++) {
                const uint32_t slot = v.slot[i];
                const double x = (double)v.position.x[slot], y = (double)v.position.y[slot],
                             z = (double)v.position.z[slot];
                const double above = y + 1 - radius,
                             beside = sqrt(x * x + (y + 0.25) * (y + 0.25) + z * z) - 0.25 - radius;
                assert_true(isfinite(x));
                assert_true(isfinite(y));
                assert_true(isfinite(z));
                if (!(above >= -tolerance && beside >= -tolerance))
                    fail_msg("%s, step %u: particle %u is %g m above the floor, %g m outside the ball",
                             mote_integrator_describe(integrators[m])->name, step, i, above, beside);
                on_ball += beside < 0.001, on_floor += above < 0.001;
            }
        }
        ASSERT(on_ball, >, 0);
        ASSERT(on_floor, >, 0);
        mote_system_destroy(system);
    }
}
