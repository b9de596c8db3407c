/* What networks keep: momentum and angular momentum to rounding, through tearing too, energy of the
 * symplectic integrators over a million steps, rest to the last bit, the exact motion of one kinematic
 * spring. */
#include "test.h"

#include "network_mesh.h"

/* --- A free web --- */

enum { WEB = 120, WEB_SPRINGS = 2 * WEB };

typedef struct web {
    mote_network_def def;
    float positions[3 * WEB], velocities[3 * WEB], masses[WEB];
    mote_spring springs[WEB_SPRINGS];
    mote_system *system;
    mote_network_id id;
} web;

/* A tree with cross links, 0.6 m a spring; rest length AS_PLACED where `rest`. Nothing acts from outside. */
static void make_web(web *w, bool rest, float tear_strain) {
    random_source random = {5};
    w->def = mote_default_network_def();
    for (uint32_t i = 0; i < 3 * WEB; i++) {
        const uint32_t parent = i < 3 ? 0 : (i / 3 - 1) / 2;
        w->positions[i] =
            (i < 3 ? 0 : w->positions[3 * parent + i % 3]) + random_between(&random, -0.6f, 0.6f);
        w->velocities[i] = rest ? 0 : random_between(&random, -2, 2);
        w->masses[i / 3] = random_between(&random, 0.5f, 2);
    }
    for (uint32_t k = 0; k < WEB_SPRINGS; k++) {
        const uint32_t b = 1 + k % (WEB - 1), a = k < WEB - 1 ? (b - 1) / 2 : random_below(&random, b);
        const float length = random_between(&random, 0.3f, 0.9f), stiffness = random_between(&random, 5, 15);
        w->springs[k] =
            (mote_spring){a, b, rest ? MOTE_AS_PLACED : length, stiffness, k % 3 ? 0 : 0.2f, tear_strain};
    }
    w->def.particle_count = WEB;
    w->def.positions = w->positions, w->def.velocities = w->velocities, w->def.masses = w->masses;
    w->def.spring_count = WEB_SPRINGS;
    w->def.springs = w->springs;
    w->def.growth_allowed = true;
}

static void start_web(web *w, mote_integrator integrator, uint32_t substeps) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 0;
    def.integrator = integrator;
    def.substeps = substeps;
    assert_int_equal(mote_system_create(&def, &w->system), MOTE_OK);
    assert_int_equal(mote_system_add_network(w->system, &w->def, &w->id, NULL), MOTE_OK);
}

/* Sums in double, and the largest coordinate and speed of all particles. */
typedef struct sums {
    double momentum[3], spin[3], furthest, fastest;
} sums;

static sums sum_web(const web *w) {
    const mesh_run r = {w->system, w->id};
    sums s = {{0}, {0}, 0, 0};
    for (uint32_t i = 0; i < WEB; i++) {
        double x[3], v[3];
        read_body(&r, i, x, v);
        const double m = 1 / (double)(float)(1 / w->masses[i]); /* by which it moves */
        for (int k = 0; k < 3; k++) {
            const int n = (k + 1) % 3, o = (k + 2) % 3;
            s.momentum[k] += m * v[k];
            s.spin[k] += m * (x[n] * v[o] - x[o] * v[n]);
            s.furthest = fmax(s.furthest, fabs(x[k]));
            s.fastest = fmax(s.fastest, fabs(v[k]));
        }
    }
    return s;
}

/* A kick rounds v, and the sum of up to 20 springs' pulls (each of 15 N/m x 2 m, times h, over the mass) once
 * for each of them; a drift rounds x. Through masses of 2 kg at most, evenly spread either way, over all
 * particles, kicks and axes: four standard deviations. */
static double momentum_rounding(const sums *s, uint32_t kicks, double h) {
    return 4 * sqrt(WEB * kicks / 3.0) * 2 * UNIT * (s->fastest + 20 * h * 15 * 2);
}

static double spin_rounding(const sums *s, uint32_t kicks, double h) {
    return 2 * s->furthest * momentum_rounding(s, kicks, h) +
           4 * sqrt(WEB * kicks / 3.0) * 2 * UNIT * s->furthest * s->fastest;
}

static const mote_integrator KEEPS_SPIN[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_POSITION_VERLET,
                                             MOTE_VELOCITY_VERLET, MOTE_YOSHIDA4, MOTE_PEFRL};

static bool keeps_spin(mote_integrator m) {
    bool keeps = false;
    for (size_t i = 0; i < COUNT_OF(KEEPS_SPIN); i++) keeps |= KEEPS_SPIN[i] == m;
    return keeps;
}

/* Steps a free web by every integrator; strain: at which its springs tear, or 0. */
static void keep_momentum(float strain) {
    enum { STEPS = 60, SUBSTEPS = 2 };
    static web w;
    make_web(&w, false, strain);
    for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
        const mote_integrator m = (mote_integrator)i;
        const uint32_t calls = mote_integrator_describe(m)->evaluations + 1;
        uint32_t torn = 0, count;
        start_web(&w, m, SUBSTEPS);
        const sums before = sum_web(&w);
        for (uint32_t n = 0; n < STEPS; n++) {
            assert_int_equal(mote_system_step(w.system, 1, NULL), MOTE_OK);
            mote_network_torn(w.system, w.id, &count);
            torn += count;
        }
        const sums after = sum_web(&w);
        const double h = 1.0 / (60 * SUBSTEPS),
                     tolerance = momentum_rounding(&after, STEPS * SUBSTEPS * calls, h);
        ASSERT((strain > 0), ==, (torn > 0));
        ASSERT(torn, <, WEB_SPRINGS);
        ASSERT(after.fastest, <, 20);
        ASSERT(tolerance, <, 0.01);
        for (int k = 0; k < 3; k++) assert_near(after.momentum[k], before.momentum[k], tolerance);
        for (int k = 0; k < 3 && keeps_spin(m); k++)
            assert_near(after.spin[k], before.spin[k], spin_rounding(&after, STEPS * SUBSTEPS * calls, h));
        mote_system_destroy(w.system);
    }
}

TEST(free_networks_keep_momentum_and_angular_momentum) { keep_momentum(0); }
TEST(tearing_keeps_them_too) { keep_momentum(0.6f); }

/* --- Rest --- */

/* A spring AS_PLACED is as long as the kernels say that it is: no integrator moves anything, ever. */
TEST(a_network_as_placed_stays_at_rest_to_the_last_bit) {
    static web w;
    make_web(&w, true, 0);
    for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
        start_web(&w, (mote_integrator)i, 2);
        const mote_network_view v = mote_network_columns(w.system, w.id);
        assert_int_equal(mote_network_pin(w.system, w.id, 7, w.positions + 21, 0), MOTE_OK);
        assert_int_equal(mote_system_step(w.system, 200, NULL), MOTE_OK);
        const float *const column[6] = {v.position.x, v.position.y, v.position.z,
                                        v.velocity.x, v.velocity.y, v.velocity.z};
        for (uint32_t k = 0; k < WEB; k++)
            for (uint32_t c = 0; c < 3; c++) {
                ASSERT(column[c][v.slot[k]], ==, w.positions[3 * k + c]);
                ASSERT(column[3 + c][v.slot[k]], ==, 0);
            }
        mote_system_destroy(w.system);
    }
}

/* The same of springs that are added later, and of one that has been reeled out and back. */
TEST(springs_added_as_placed_are_at_rest) {
    static web w;
    make_web(&w, true, 0);
    w.def.spring_count = WEB - 1;
    w.def.spring_capacity = WEB_SPRINGS;
    start_web(&w, MOTE_SEMI_IMPLICIT_EULER, 1);
    uint32_t numbers[WEB_SPRINGS];
    assert_int_equal(
        mote_network_add_springs(w.system, w.id, WEB_SPRINGS - (WEB - 1), w.springs + WEB - 1, numbers, NULL),
        MOTE_OK);
    assert_int_equal(mote_system_step(w.system, 100, NULL), MOTE_OK);
    const mote_network_view v = mote_network_columns(w.system, w.id);
    for (uint32_t k = 0; k < WEB; k++) {
        ASSERT(v.velocity.x[v.slot[k]], ==, 0);
        ASSERT(v.position.y[v.slot[k]], ==, w.positions[3 * k + 1]);
    }
    mote_system_destroy(w.system);
}

/* --- Energy --- */

/* Kinetic and elastic energy of one island. */
static double energy_of(const mesh *m, const mesh_run *r, uint32_t copy) {
    double x[BODIES][3], v[BODIES][3], sum = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        read_body(r, copy * BODIES + i, x[i], v[i]);
        for (int k = 0; k < 3; k++) sum += (double)m->masses[copy * BODIES + i] * v[i][k] * v[i][k] / 2;
    }
    for (uint32_t i = copy * EDGES; i < (copy + 1) * EDGES; i++) {
        const mote_spring *s = &m->springs[i];
        const double *a = x[s->a - copy * BODIES], *b = x[s->b - copy * BODIES];
        const double length = sqrt(pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
        sum += (double)s->stiffness * pow(length - (double)s->rest_length, 2) / 2;
    }
    return sum;
}

typedef struct band {
    double low[COPIES], high[COPIES];
} band;

/* The least and greatest E / E0 of each island in `steps` steps, looked at every few. */
static void run_energy(const mesh *m, const mesh_run *r, const double *start, uint32_t steps, band *b) {
    enum { EVERY = 20 };
    for (uint32_t c = 0; c < COPIES; c++) b->low[c] = HUGE_VAL, b->high[c] = 0;
    for (uint32_t n = 0; n < steps; n += EVERY) {
        assert_int_equal(mote_system_step(r->system, EVERY, NULL), MOTE_OK);
        for (uint32_t c = 0; c < COPIES; c++) {
            const double energy = energy_of(m, r, c) / start[c];
            b->low[c] = fmin(b->low[c], energy), b->high[c] = fmax(b->high[c], energy);
        }
    }
}

static void start_energy(const mesh *m, const mesh_run *r, double *start) {
    for (uint32_t c = 0; c < COPIES; c++) start[c] = energy_of(m, r, c);
}

enum { SUBSTEPS = 8, MILLION = 1000000 / SUBSTEPS };

/* The fastest motion of all islands times h: w^2 <= 2 sum k / m. */
static double fastest_phase(const mesh *m) {
    double most = 0;
    for (uint32_t i = 0; i < COPIES * BODIES; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < COPIES * EDGES; k++)
            if (m->springs[k].a == i || m->springs[k].b == i) sum += 2 * (double)m->springs[k].stiffness;
        most = fmax(most, sum / (double)m->masses[i]);
    }
    return sqrt(most) / (16 * SUBSTEPS);
}

/* Islands that stay where they are: a million steps on, a coordinate of 1,000 m would be rounded by 30 um,
 * which heats the springs. */
static void stop_islands(mesh *m) {
    for (uint32_t c = 0; c < COPIES; c++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            double momentum = 0, mass = 0;
            for (uint32_t i = c * BODIES; i < (c + 1) * BODIES; i++) {
                mass += (double)m->masses[i];
                momentum += (double)m->masses[i] * (double)m->velocities[3 * i + axis];
            }
            for (uint32_t i = c * BODIES; i < (c + 1) * BODIES; i++)
                m->velocities[3 * i + axis] -= (float)(momentum / mass);
        }
}

/* Springs within a twentieth of their length and slow bodies: no spring ever shrinks to a point, where its
 * force has no derivative. */
static void make_quiet_mesh(mesh *m) {
    make_mesh(m, 24, false, false);
    stop_islands(m);
    for (uint32_t i = 0; i < 3 * COPIES * BODIES; i++) m->velocities[i] *= 0.4f;
    for (uint32_t i = 0; i < COPIES * EDGES; i++) {
        const float *a = m->positions + 3 * m->springs[i].a, *b = m->positions + 3 * m->springs[i].b;
        const float length = sqrtf((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                                   (b[2] - a[2]) * (b[2] - a[2]));
        m->springs[i].rest_length = length * (0.95f + 0.1f * (float)(i % 7) / 6);
    }
}

static void energy_over_a_million_steps(const mesh *m, mote_integrator integrator, band *b) {
    mesh_run r = start_mesh(m, integrator, 0, SUBSTEPS);
    double start[COPIES];
    start_energy(m, &r, start);
    run_energy(m, &r, start, MILLION, b);
    mote_system_destroy(r.system);
}

/* A symplectic integrator keeps another energy, which lies near E. That of semi-implicit Euler is E - (h/2)
 * v.dU/dx, off by z/2 of E at most, and so is the start; with the velocity of half a step earlier too.
 * Velocity Verlet: z^2/4 for one oscillator, and as much for the turning of the springs. Of order four: z^4
 * is generous. Beside it rounding: 18 velocities and as many positions, each by 0.4 UNIT of what it has of
 * the energy in the mean: a walk of 0.4 UNIT an evaluation, by four standard deviations. */
static double energy_limit(const mesh *m, const mote_integrator_info *info, bool half_step) {
    const double z = fastest_phase(m), first = (1 + z / 2) / (1 - z / 2) - 1;
    const double near = info->order > 3 ? pow(z, 4) : info->order > 1 && !half_step ? z * z / 2 : first;
    ASSERT(z, <, 0.3);
    return near + 4 * 0.4 * UNIT * sqrt(1e6 * info->evaluations);
}

TEST(symplectic_integrators_keep_energy_over_a_million_steps) {
    static mesh m;
    make_quiet_mesh(&m);
    for (size_t i = 0; i < COUNT_OF(KEEPS_SPIN); i++) {
        const mote_integrator_info *info = mote_integrator_describe(KEEPS_SPIN[i]);
        const double limit = energy_limit(&m, info, KEEPS_SPIN[i] == MOTE_POSITION_VERLET);
        band b;
        energy_over_a_million_steps(&m, KEEPS_SPIN[i], &b);
        for (uint32_t c = 0; c < COPIES; c++)
            if (!(b.low[c] >= 1 - limit && b.high[c] <= 1 + limit))
                fail_msg("%s, island %u: E / E0 in [%.6f, %.6f], not within %.2g", info->name, c, b.low[c],
                         b.high[c], limit);
    }
}

/* RK4, of the same order as two of them and no more expensive, takes z^6 / 72 of a motion's energy in each
 * step: after a million it has left what they keep. */
TEST(rk4_does_not) {
    static mesh m;
    make_quiet_mesh(&m);
    band b;
    energy_over_a_million_steps(&m, MOTE_RK4, &b);
    const double limit = energy_limit(&m, mote_integrator_describe(MOTE_PEFRL), false);
    for (uint32_t c = 0; c < COPIES; c++) ASSERT(b.low[c], <, 1 - limit);
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
    static const float positions[6] = {0, 0, 0, 1.25f, 0, 0}, velocities[6] = {0, 0, 0, 0.5f, 0, 0},
                       masses[2] = {0.5f, 1};
    enum { STEPS = 10 };
    for (size_t t = 0; t < COUNT_OF(rates); t++)
        for (int kind = 0; kind < 4; kind++) {
            const bool pinned = kind % 2, damped = kind / 2;
            const mote_spring spring = {0, 1, 1, 8, damped ? 0.125f : 0, 0};
            const double inverse = pinned ? 1 : 3, w2 = 8 * inverse, g = damped ? 0.125 * inverse / 2 : 0;
            mote_network_def net = mote_default_network_def();
            mote_system_def def = mote_default_system_def();
            mesh_run r;
            net.particle_count = 2, net.positions = positions, net.velocities = velocities,
            net.masses = masses;
            net.spring_count = 1, net.springs = &spring;
            def.capacity = 0, def.integrator = MOTE_KINEMATIC, def.steps_per_second = rates[t];
            assert_int_equal(mote_system_create(&def, &r.system), MOTE_OK);
            assert_int_equal(mote_system_add_network(r.system, &net, &r.id, NULL), MOTE_OK);
            if (pinned) assert_int_equal(mote_network_pin(r.system, r.id, 0, positions, 0), MOTE_OK);
            assert_int_equal(mote_system_step(r.system, STEPS, NULL), MOTE_OK);
            const double dt = (double)rates[t].seconds / rates[t].steps, time = STEPS * dt;
            double e = 0.25, v = 0.5, a[3], b[3], speed_a[3], speed_b[3];
            exact_spring(w2, g, time, &e, &v);
            read_body(&r, 0, a, speed_a);
            read_body(&r, 1, b, speed_b);
            /* A step rounds the elongation and its rate to a few UNIT of the coordinates, which drift on at
             * 1/3 m/s, and of the terms of free flight that cancel in dx: v dt. In phase space a rounding of
             * x is worth w of it in v. The answers, rounded to UNIT, shift the phase by as much a step. */
            const double scale = fmax(fmax(fabs(a[0]), fabs(b[0])), 1.5 + 2 * dt), w = sqrt(w2);
            const double wrong = STEPS * 8 * UNIT * scale;
            assert_near(b[0] - a[0], 1 + e, wrong);
            assert_near(speed_b[0] - speed_a[0], v, w * wrong);
            if (!pinned) assert_near(0.5 * a[0] + b[0], 1.25 + 0.5 * time, wrong * 2);
            mote_system_destroy(r.system);
        }
}
