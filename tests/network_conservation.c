/* Quantities that networks conserve: momentum and angular momentum to rounding, through tearing too, the
 * energy of the symplectic integrators over a million steps, rest to the last bit, the exact motion of one
 * kinematic spring. */
#include "test.h"

#include "network_mesh.h"
#include "network_net.h"

/* --- A free network --- */

enum { FREE = 120, FREE_SPRINGS = 2 * FREE };

/* A tree with cross links, 0.6 m a spring; rest length AS_PLACED where `rest`. Nothing acts from outside. */
static void make_free(net *n, bool rest, float tear_strain) {
    random_source random = {5};
    begin_net(n, MOTE_NETWORK_SPRINGS);
    for (uint32_t i = 0; i < FREE; i++) {
        const float *parent = n->positions + 3 * (i ? (i - 1) / 2 : 0);
        for (uint32_t k = 0; k < 3; k++) {
            n->positions[3 * i + k] = (i ? parent[k] : 0) + random_between(&random, -0.6f, 0.6f);
            n->velocities[3 * i + k] = rest ? 0 : random_between(&random, -2, 2);
        }
        n->masses[i] = random_between(&random, 0.5f, 2);
    }
    n->def.particle_count = FREE;
    for (uint32_t k = 0; k < FREE_SPRINGS; k++) {
        const uint32_t b = 1 + k % (FREE - 1), a = k < FREE - 1 ? (b - 1) / 2 : random_below(&random, b);
        const float length = random_between(&random, 0.3f, 0.9f), stiffness = random_between(&random, 5, 15);
        add_spring(n, a, b, rest ? MOTE_AS_PLACED : length, stiffness, k % 3 ? 0 : 0.2f);
        n->springs[k].tear_strain = tear_strain;
    }
    n->def.growth_allowed = true;
}

static void start_free(net *n, mote_integrator integrator, uint32_t substeps) {
    mote_system_def def = rate_of(60, substeps);
    def.integrator = integrator;
    start_net(n, &def, 0);
}

/* Sums in double, and the largest coordinate and speed of all particles. */
typedef struct sums {
    double momentum[3], spin[3], furthest, fastest;
} sums;

static sums sum_up(const net *n) {
    sums s = {{0}, {0}, 0, 0};
    for (uint32_t i = 0; i < FREE; i++) {
        double x[3], v[3];
        for (uint32_t k = 0; k < 3; k++) x[k] = place_of(n, i, k), v[k] = place_of(n, i, 3 + k);
        const double m = 1 / (double)(float)(1 / n->masses[i]); /* by which it moves */
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, o = (k + 2) % 3;
            s.momentum[k] += m * v[k];
            s.spin[k] += m * (x[l] * v[o] - x[o] * v[l]);
            s.furthest = fmax(s.furthest, fabs(x[k]));
            s.fastest = fmax(s.fastest, fabs(v[k]));
        }
    }
    return s;
}

/* A kick rounds v, and the sum of up to 20 springs' forces (each of 15 N/m x 2 m, times h, over the mass)
 * once for each of them; a drift rounds x. Times masses of 2 kg at most, evenly spread either way, over all
 * particles, kicks and axes: four standard deviations. */
static double momentum_rounding(const sums *s, uint32_t kicks, double h) {
    return 4 * sqrt(FREE * kicks / 3.0) * 2 * UNIT * (s->fastest + 20 * h * 15 * 2);
}

static double spin_rounding(const sums *s, uint32_t kicks, double h) {
    return 2 * s->furthest * momentum_rounding(s, kicks, h) +
           4 * sqrt(FREE * kicks / 3.0) * 2 * UNIT * s->furthest * s->fastest;
}

static const mote_integrator symplectic[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_POSITION_VERLET,
                                             MOTE_VELOCITY_VERLET, MOTE_YOSHIDA4, MOTE_PEFRL};

static bool is_symplectic(mote_integrator m) {
    for (size_t i = 0; i < COUNT_OF(symplectic); i++)
        if (symplectic[i] == m) return true;
    return false;
}

/* Steps a free network by every integrator; strain: at which its springs tear, or 0. */
static void keep_momentum(float strain) {
    enum { STEPS = 60, SUBSTEPS = 2 };
    static net n;
    make_free(&n, false, strain);
    for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
        const mote_integrator m = (mote_integrator)i;
        const uint32_t kicks = STEPS * SUBSTEPS * (mote_integrator_describe(m)->evaluations + 1);
        uint32_t torn = 0;
        start_free(&n, m, SUBSTEPS);
        const sums before = sum_up(&n);
        for (uint32_t step = 0; step < STEPS; step++) {
            step_net(&n, 1);
            torn += report_of(&n).torn;
        }
        const sums after = sum_up(&n);
        const double h = 1.0 / (60 * SUBSTEPS), tolerance = momentum_rounding(&after, kicks, h);
        test_case("%s", integrator_name(m));
        ASSERT((strain > 0), ==, (torn > 0));
        ASSERT(torn, <, FREE_SPRINGS);
        ASSERT(after.fastest, <, 20);
        ASSERT(tolerance, <, 0.01);
        for (int k = 0; k < 3; k++) {
            ASSERT_NEAR(after.momentum[k], before.momentum[k], tolerance);
            if (is_symplectic(m)) ASSERT_NEAR(after.spin[k], before.spin[k], spin_rounding(&after, kicks, h));
        }
        mote_system_destroy(n.system);
    }
}

TEST(free_networks_keep_momentum_and_angular_momentum) { keep_momentum(0); }
TEST(tearing_keeps_momentum_and_angular_momentum) { keep_momentum(0.6f); }

/* --- Rest --- */

static void expect_at_rest(const net *n) {
    for (uint32_t i = 0; i < FREE; i++)
        for (uint32_t k = 0; k < 3; k++) {
            ASSERT(*coordinate(n, i, k), ==, n->positions[3 * i + k]);
            ASSERT(*coordinate(n, i, 3 + k), ==, 0);
        }
}

/* A spring AS_PLACED has the length that the kernels compute: no integrator moves anything, ever. */
TEST(a_network_as_placed_stays_at_rest_to_the_last_bit) {
    static net n;
    make_free(&n, true, 0);
    for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
        test_case("%s", integrator_name((mote_integrator)i));
        start_free(&n, (mote_integrator)i, 2);
        pin_here(&n, 7);
        step_net(&n, 200);
        expect_at_rest(&n);
        mote_system_destroy(n.system);
    }
}

TEST(springs_added_as_placed_stay_at_rest) {
    static net n;
    uint32_t numbers[FREE_SPRINGS];
    make_free(&n, true, 0);
    n.def.spring_count = FREE - 1, n.def.spring_capacity = FREE_SPRINGS;
    start_free(&n, MOTE_SEMI_IMPLICIT_EULER, 1);
    OK(mote_network_add_springs(n.system, n.id, FREE_SPRINGS - (FREE - 1), n.springs + FREE - 1, numbers,
                                NULL));
    step_net(&n, 100);
    expect_at_rest(&n);
    mote_system_destroy(n.system);
}

/* --- Energy --- */

/* Kinetic and elastic energy of one island. */
static double energy_of_island(const mesh *m, const mesh_run *r, uint32_t copy) {
    double x[BODIES][3], v[BODIES][3], sum = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        read_body(r, copy * BODIES + i, x[i], v[i]);
        sum += (double)m->masses[copy * BODIES + i] * dot(v[i], v[i]) / 2;
    }
    for (uint32_t i = copy * EDGES; i < (copy + 1) * EDGES; i++) {
        const mote_spring *s = &m->springs[i];
        const double length = apart(x[s->a - copy * BODIES], x[s->b - copy * BODIES]);
        sum += (double)s->stiffness * pow(length - (double)s->rest_length, 2) / 2;
    }
    return sum;
}

enum { SUBSTEPS = 8, MILLION = 1000000 / SUBSTEPS };

/* The fastest motion of all islands times h: w^2 <= 2 sum k / m. */
static double fastest_phase(const mesh *m) {
    double sum[COPIES * BODIES] = {0}, most = 0;
    for (uint32_t k = 0; k < COPIES * EDGES; k++) {
        sum[m->springs[k].a] += 2 * (double)m->springs[k].stiffness;
        sum[m->springs[k].b] += 2 * (double)m->springs[k].stiffness;
    }
    for (uint32_t i = 0; i < COPIES * BODIES; i++) most = fmax(most, sum[i] / (double)m->masses[i]);
    return sqrt(most) / (16 * SUBSTEPS);
}

/* Islands that stay where they are: after a million steps a coordinate of 1,000 m would be rounded by 30 um,
 * which heats the springs. Springs within a twentieth of their length and slow bodies: no spring ever shrinks
 * to a point, where its force has no derivative. */
static void make_quiet_mesh(mesh *m) {
    make_mesh(m, COPIES, 24, false, false);
    for (uint32_t first = 0; first < COPIES * BODIES; first += BODIES)
        for (uint32_t axis = 0; axis < 3; axis++) {
            double momentum = 0, mass = 0;
            for (uint32_t i = first; i < first + BODIES; i++) {
                mass += (double)m->masses[i];
                momentum += (double)m->masses[i] * (double)m->velocities[3 * i + axis];
            }
            for (uint32_t i = first; i < first + BODIES; i++) {
                float *v = &m->velocities[3 * i + axis];
                *v = 0.4f * (*v - (float)(momentum / mass));
            }
        }
    for (uint32_t i = 0; i < COPIES * EDGES; i++) {
        const float *a = m->positions + 3 * m->springs[i].a, *b = m->positions + 3 * m->springs[i].b;
        const double length = apart((double[3]){a[0], a[1], a[2]}, (double[3]){b[0], b[1], b[2]});
        m->springs[i].rest_length = (float)length * (0.95f + 0.1f * (float)(i % 7) / 6);
    }
}

typedef struct band {
    double low[COPIES], high[COPIES];
} band;

/* The least and greatest E / E0 of each island. */
static band energy_over_a_million_steps(const mesh *m, mote_integrator integrator) {
    enum { EVERY = 20 };
    const mesh_run r = start_mesh(m, integrator, 0, SUBSTEPS);
    double start[COPIES];
    band b;
    for (uint32_t c = 0; c < COPIES; c++)
        start[c] = energy_of_island(m, &r, c), b.low[c] = HUGE_VAL, b.high[c] = 0;
    for (uint32_t step = 0; step < MILLION; step += EVERY) {
        OK(mote_system_step(r.system, EVERY, NULL));
        for (uint32_t c = 0; c < COPIES; c++) {
            const double energy = energy_of_island(m, &r, c) / start[c];
            b.low[c] = fmin(b.low[c], energy), b.high[c] = fmax(b.high[c], energy);
        }
    }
    mote_system_destroy(r.system);
    return b;
}

/* A symplectic integrator conserves another energy, which is near E. That of semi-implicit Euler is E - (h/2)
 * v.dU/dx, off by z/2 of E at most, and so is the start; with the velocity of half a step earlier too.
 * Velocity Verlet: z^2/4 for one oscillator, and as much for the turning of the springs. Of order four: z^4
 * is generous. Beside it rounding: 18 velocities and as many positions, each by 0.4 UNIT of its part of the
 * energy in the mean: a walk of 0.4 UNIT an evaluation, by four standard deviations. */
static double energy_limit(const mesh *m, mote_integrator integrator) {
    const mote_integrator_info *info = mote_integrator_describe(integrator);
    const double z = fastest_phase(m), first = (1 + z / 2) / (1 - z / 2) - 1;
    const double near = info->order > 3                                         ? pow(z, 4)
                        : info->order > 1 && integrator != MOTE_POSITION_VERLET ? z * z / 2
                                                                                : first;
    ASSERT(z, <, 0.3);
    return near + 4 * 0.4 * UNIT * sqrt(1e6 * info->evaluations);
}

/* RK4, of the same order as two of them and no more expensive, takes z^6 / 72 of a motion's energy in each
 * step: after a million steps it has left the band of the others. */
TEST(symplectic_integrators_keep_energy_over_a_million_steps_and_rk4_does_not) {
    static mesh m;
    make_quiet_mesh(&m);
    for (size_t i = 0; i <= COUNT_OF(symplectic); i++) {
        const bool keeps = i < COUNT_OF(symplectic);
        const mote_integrator integrator = keeps ? symplectic[i] : MOTE_RK4;
        const double limit = energy_limit(&m, keeps ? integrator : MOTE_PEFRL);
        const band b = energy_over_a_million_steps(&m, integrator);
        for (uint32_t c = 0; c < COPIES; c++) {
            test_case("%s, island %u", integrator_name(integrator), c);
            ASSERT((b.low[c] >= 1 - limit), ==, keeps);
            ASSERT(b.high[c], <=, 1 + limit);
        }
    }
}

/* --- One kinematic spring --- */

/* e'' = -2 g e' - w^2 e from e, v. */
static void exact_spring(double w2, double g, double t, double *e, double *v) {
    const double root = sqrt(w2 - g * g), c = cos(root * t), s = sin(root * t), decay = exp(-g * t), e0 = *e,
                 v0 = *v;
    *e = decay * (e0 * c + (v0 + g * e0) / root * s);
    *v = decay * (v0 * c - (w2 * e0 + g * v0) / root * s);
}

/* Two bodies of 1/2 and 1 kg on the x axis, at 2 m, in steps of 10 ms to 100 s. */
TEST(one_kinematic_spring_is_exact_at_any_step) {
    static const mote_rate rates[] = {{100, 1}, {17, 1}, {3, 1}, {1, 1}, {1, 10}, {1, 100}};
    enum { STEPS = 10 };
    static net n;
    for (size_t t = 0; t < COUNT_OF(rates); t++)
        for (int kind = 0; kind < 4; kind++) {
            const bool pinned = kind % 2, damped = kind / 2;
            const double inverse = pinned ? 1 : 3, w2 = 8 * inverse, g = damped ? 0.125 * inverse / 2 : 0;
            mote_system_def def = mote_default_system_def();
            def.integrator = MOTE_KINEMATIC, def.steps_per_second = rates[t];
            begin_net(&n, MOTE_NETWORK_SPRINGS);
            add_particle(&n, 0, 0, 0, 0.5), add_particle(&n, 1.25, 0, 0, 1);
            add_spring(&n, 0, 1, 1, 8, damped ? 0.125f : 0);
            n.velocities[3] = 0.5f;
            start_net(&n, &def, 0);
            if (pinned) pin_here(&n, 0);
            step_net(&n, STEPS);
            const double dt = (double)rates[t].seconds / rates[t].steps, time = STEPS * dt;
            double e = 0.25, v = 0.5;
            exact_spring(w2, g, time, &e, &v);
            const double a = place_of(&n, 0, 0), b = place_of(&n, 1, 0);
            /* A step rounds the elongation and its rate to a few UNIT of the coordinates, which drift on at
             * 1/3 m/s, and of the terms of free flight that cancel in dx: v dt. In phase space a rounding of
             * x is worth w of it in v. The unit responses, rounded to UNIT, shift the phase by as much a
             * step. */
            const double scale = fmax(fmax(fabs(a), fabs(b)), 1.5 + 2 * dt), wrong = STEPS * 8 * UNIT * scale;
            test_case("%u steps in %u s, pinned %d, damped %d", rates[t].steps, rates[t].seconds, pinned,
                      damped);
            ASSERT_NEAR(b - a, 1 + e, wrong);
            ASSERT_NEAR(place_of(&n, 1, 3) - place_of(&n, 0, 3), v, sqrt(w2) * wrong);
            if (!pinned) ASSERT_NEAR(0.5 * a + b, 1.25 + 0.5 * time, wrong * 2);
            mote_system_destroy(n.system);
        }
}
