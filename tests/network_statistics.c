/* Networks: what is measured, diagnosed and presented, and what the calls between steps do to the steps that
 * follow. */
#include "test.h"

#include "network_web.h"

/* --- Sums --- */

static mote_system *make_worked(mote_jobs jobs) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 16;
    def.jobs = jobs;
    mote_system *system;
    mote_force_def gravity = mote_gravity((vec3){1, -2, 3});
    mote_force_id force_id;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_add_force(system, &gravity, &force_id), MOTE_OK);
    return system;
}

/* The springs' part, spring by spring. */
static void sum_springs(const web *w, const uint32_t *gone, mote_statistics *to) {
    double strain = 0, strained = 0;
    to->max_strain = -1;
    for (uint32_t i = 0; i < w->springs; i++) {
        const mote_spring *s = &w->spring[i];
        if (i == gone[0] || i == gone[1]) continue;
        double square = 0;
        for (int axis = 0; axis < 3; axis++)
            square += pow((double)w->positions[3 * s->b + (uint32_t)axis] -
                              (double)w->positions[3 * s->a + (uint32_t)axis],
                          2);
        const double length = sqrt(square), rest = (double)s->rest_length;
        to->elastic += (double)s->stiffness * pow(length - rest, 2) / 2;
        if (rest == 0) continue;
        strain += fabs(length / rest - 1), strained++;
        if (fabs(length / rest - 1) <= to->max_strain) continue;
        to->max_strain = fabs(length / rest - 1);
        to->max_strain_item = i;
    }
    to->mean_strain = strain / strained;
}

/* The particles' part, under gravity (1, -2, 3); -m g.x is its potential. */
static void sum_particles(const web *w, uint32_t pinned, mote_statistics *to) {
    for (uint32_t i = 0; i < w->particles; i++) {
        if (i == pinned) continue;
        const double m = 1 / (double)(float)(1 / (double)w->masses[i]);
        double x[3], v[3];
        for (uint32_t k = 0; k < 3; k++)
            x[k] = (double)w->positions[3 * i + k], v[k] = (double)w->velocities[3 * i + k];
        to->mass += m;
        to->kinetic += m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
        to->potential -= m * (x[0] - 2 * x[1] + 3 * x[2]);
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, n = (k + 2) % 3;
            to->momentum[k] += m * v[k];
            to->angular_momentum[k] += m * (x[l] * v[n] - x[n] * v[l]);
        }
    }
}

static void assert_near(double got, double want, double scale) {
    if (!(fabs(got - want) <= scale)) fail_msg("%.17g is not %.17g", got, want);
}

/* A sum of n doubles errs by at most n 2^-53 of the sum of magnitudes, on either side. Here n < 4,096;
 * masses up to 2 kg, 10 m and 10 m/s per axis make terms below 300 kg, J or kg m^2/s, and springs below 90
 * x 18^2 J. */
TEST(measured) {
    static web w;
    mote_statistics got[3];
    uint32_t workers = 3;
    const double close = 300 * 0x1p24 * 0x1p-53, elastic_close = 30000 * 0x1p24 * 0x1p-53;
    make_web(&w, 1900, 21);
    w.spring[11].rest_length = 0; /* has energy, but no strain */
    for (int round = 0; round < 3; round++) {
        shuffled_jobs shuffled = {.random = {9}, .workers = 5};
        mote_system *system = make_worked(round == 0   ? (mote_jobs){0, NULL, NULL}
                                          : round == 1 ? pthread_jobs_hook(&workers)
                                                       : shuffled_jobs_hook(&shuffled));
        const mote_network_id id = add_web(system, &w);
        const uint32_t gone[2] = {7, w.springs - 1};
        mote_statistics want = {.mass = 0};
        assert_int_equal(mote_network_pin(system, id, 1, (vec3){1, 2, 3}, 9), MOTE_OK);
        assert_int_equal(mote_network_remove_springs(system, id, 2, gone, NULL), MOTE_OK);
        memset(&got[round], 0xff, sizeof got[round]);
        const uint64_t hash = mote_system_hash(system);
        assert_int_equal(mote_network_statistics(system, id, &got[round]), MOTE_OK);
        ASSERT(mote_system_hash(system), ==, hash);
        sum_springs(&w, gone, &want);
        sum_particles(&w, 1, &want);
        const mote_statistics *g = &got[round];
        assert_near(g->mass, want.mass, close);
        assert_near(g->kinetic, want.kinetic, close);
        assert_near(g->potential, want.potential, close);
        assert_near(g->elastic, want.elastic, elastic_close);
        assert_near(g->max_strain, want.max_strain, 1e-14 * want.max_strain);
        assert_near(g->mean_strain, want.mean_strain, 4096 * 0x1p-52 * want.mean_strain);
        assert_int_equal(g->max_strain_item, want.max_strain_item);
        for (int k = 0; k < 3; k++) {
            assert_near(g->momentum[k], want.momentum[k], close);
            assert_near(g->angular_momentum[k], want.angular_momentum[k], close);
        }
        mote_system_destroy(system);
        assert_true(round < 2 || shuffled.runs > 0);
    }
    /* Field by field: the struct has padding. */
    for (int round = 1; round < 3; round++) {
        assert_memory_equal(&got[round], &got[0], offsetof(mote_statistics, max_strain_item));
    }
}

/* The order is that of the host's numbers, whatever the slots: 2^60 swallows 1, and the parts meet in halves
 * of 16 lanes. */
TEST(order_of_sums) {
    enum { MANY = 1024 + 32 };
    static float positions[3 * MANY], velocities[3 * MANY];
    static mote_spring springs[MANY];
    mote_network_def def = mote_default_network_def();
    random_source random = {22};
    for (uint32_t i = 0; i < 3 * MANY; i++)
        velocities[i] = random_between(&random, -1, 1) * (i % 7 ? 1.0f : 0x1p30f);
    def.particle_count = MANY, def.positions = positions, def.velocities = velocities, def.springs = springs;
    double lane[2][16] = {{0}};
    for (uint32_t i = 0; i < MANY; i++) lane[i / 1024][i % 16] += (double)velocities[3 * i];
    for (int half = 8; half; half /= 2)
        for (int i = 0; i < half; i++) lane[0][i] += lane[0][i + half], lane[1][i] += lane[1][i + half];
    double forward = 0;
    for (uint32_t i = 0; i < MANY; i++) forward += (double)velocities[3 * i];
    ASSERT(forward, !=, lane[0][0] + lane[1][0]);
    for (int round = 0; round < 3; round++) {
        /* None; pairs, which lie across lanes; one chain through all, against the order of the numbers. */
        def.spring_count = round == 0 ? 0 : round == 1 ? MANY / 2 : MANY - 1;
        for (uint32_t i = 0; i < def.spring_count; i++)
            springs[i] =
                round == 1 ? (mote_spring){MANY - 1 - i, i, 1, 1, 0, 0} : (mote_spring){i + 1, i, 1, 1, 0, 0};
        mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
        mote_network_id id;
        mote_statistics s;
        mote_statistics d;
        assert_int_equal(mote_system_add_network(system, &def, &id, NULL), MOTE_OK);
        assert_int_equal(mote_network_statistics(system, id, &s), MOTE_OK);
        assert_int_equal(mote_system_statistics(system, &d), MOTE_OK);
        ASSERT(s.momentum[0], ==, lane[0][0] + lane[1][0]);
        ASSERT(d.momentum[0], ==, s.momentum[0]);
        ASSERT(s.max_strain, ==, (round ? 1 : 0));
        ASSERT(s.max_strain_item, ==, (round ? 0 : MOTE_NO_ITEM)); /* the lowest */
        mote_system_destroy(system);
    }
}

/* Rigid springs have no energy, compliant ones of the constrained solver have. */
TEST(rigid_energy) {
    const float positions[9] = {0, 0, 0, 3, 0, 0, 6, 0, 0};
    const mote_spring springs[2] = {{0, 1, 1, INFINITY, 0, 0}, {1, 2, 1, 5, 0, 0}};
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_network_def def = mote_default_network_def();
    mote_network_id id;
    mote_statistics s;
    def.solver = MOTE_NETWORK_CONSTRAINED;
    def.particle_count = 3, def.positions = positions, def.springs = springs, def.spring_count = 2;
    assert_int_equal(mote_system_add_network(system, &def, &id, NULL), MOTE_OK);
    assert_int_equal(mote_network_statistics(system, id, &s), MOTE_OK);
    ASSERT(s.elastic, ==, 10);
    ASSERT(s.max_strain, ==, 2);
    ASSERT(s.mean_strain, ==, 2);
    ASSERT(s.max_strain_item, ==, 0);
    mote_system_destroy(system);
}

/* Loose particles and two networks together. */
TEST(diagnosed) {
    static web w;
    mote_system *system = make_worked((mote_jobs){0, NULL, NULL});
    mote_range_view view;
    assert_int_equal(mote_system_spawn(system, 1, &view), MOTE_OK);
    view.position.y[0] = 3, view.velocity.x[0] = 2;
    mote_statistics want = {
        .mass = 1, .kinetic = 2, .potential = 6, .momentum = {2}, .angular_momentum = {0, 0, -6}};
    for (uint64_t seed = 23; seed < 25; seed++) {
        make_web(&w, 40, seed);
        const mote_network_id id = add_web(system, &w);
        assert_int_equal(mote_network_pin(system, id, 1, (vec3){1, 2, 3}, 9), MOTE_OK);
        sum_particles(&w, 1, &want);
    }
    mote_statistics got;
    assert_int_equal(mote_system_statistics(system, &got), MOTE_OK);
    const double close = 300 * 0x1p18 * 0x1p-53;
    assert_near(got.mass, want.mass, close);
    assert_near(got.kinetic, want.kinetic, close);
    assert_near(got.potential, want.potential, close);
    for (int k = 0; k < 3; k++) {
        assert_near(got.momentum[k], want.momentum[k], close);
        assert_near(got.angular_momentum[k], want.angular_momentum[k], close);
    }
    mote_system_destroy(system);
}

/* --- Presenting --- */

enum { GUARD = 0x5a };

/* Into any stride, at any offset, and nothing else is touched. want: floats by the host's number. */
static void expect_presented(const mote_system *system, mote_network_id id, uint32_t count,
                             const float *want) {
    static unsigned char memory[HOST_PARTICLES * 40 + 64];
    const mote_present_layout layouts[] = {{12, 0, MOTE_OMIT}, {40, 7, MOTE_OMIT}, {13, 1, MOTE_OMIT}};
    for (size_t k = 0; k < COUNT_OF(layouts); k++) {
        for (size_t shift = 0; shift < 2; shift++) {
            const size_t stride = layouts[k].stride, at = layouts[k].position_offset;
            unsigned char *vertices = memory + shift;
            memset(memory, GUARD, sizeof memory);
            assert_int_equal(mote_network_present(system, id, &layouts[k], vertices, stride * count),
                             MOTE_OK);
            for (uint32_t i = 0; i < count; i++)
                if (memcmp(vertices + i * stride + at, want + 3 * i, 12))
                    fail_msg("particle %u, stride %zu", i, stride);
            for (size_t byte = 0; byte < stride * count + 32; byte++) {
                const size_t within = byte % stride;
                if (byte >= stride * count || within < at || within >= at + 12)
                    ASSERT(vertices[byte], ==, GUARD);
            }
        }
    }
}

/* x0 + alpha (x1 - x0) of the columns before and after the last step. */
TEST(presented) {
    static web w;
    static float want[3 * HOST_PARTICLES];
    uint32_t workers = 3;
    make_web(&w, 700, 25);
    const mote_interpolation kinds[] = {MOTE_INTERPOLATE_NONE, MOTE_INTERPOLATE_LINEAR,
                                        MOTE_INTERPOLATE_HERMITE};
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        mote_system_def def = mote_default_system_def();
        def.interpolation = kinds[kind];
        def.steps_per_second = (mote_rate){100, 1};
        if (kind) def.jobs = pthread_jobs_hook(&workers);
        mote_system *system;
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        const mote_network_id id = add_web(system, &w);
        expect_presented(system, id, w.particles, w.positions); /* as placed */
        const mote_network_view v = mote_network_columns(system, id);
        float *const x[3] = {v.position.x, v.position.y, v.position.z};
        assert_int_equal(mote_system_advance(system, 10000000, NULL), MOTE_OK);
        for (uint32_t i = 0; i < 3 * w.particles; i++) want[i] = x[i % 3][v.slot[i / 3]];
        mote_advance a;
        assert_int_equal(mote_system_advance(system, 12500000, &a), MOTE_OK);
        ASSERT(a.steps, ==, 1);
        ASSERT(a.alpha, ==, 0.25f);
        for (uint32_t i = 0; i < 3 * w.particles; i++) {
            const float now = x[i % 3][v.slot[i / 3]];
            want[i] = kind ? want[i] + 0.25f * (now - want[i]) : now;
        }
        expect_presented(system, id, w.particles, want);
        for (uint32_t i = 0; i < 3 * w.particles; i++) x[i % 3][v.slot[i / 3]] = want[i] = w.positions[i] + 1;
        assert_int_equal(mote_network_teleport(system, id), MOTE_OK);
        expect_presented(system, id, w.particles, want);
        mote_system_destroy(system);
    }
}

/* --- Steps --- */

/* A pair, 1 m apart at rest, and a particle that turns non-finite and freezes with its island; it lives again
 * when teleported. */
TEST(frozen_and_teleported) {
    const float positions[12] = {0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0};
    const mote_spring springs[2] = {{0, 1, 1, 10, 0, 0}, {2, 3, 1, 10, 0, 0}};
    mote_system *system = make_worked((mote_jobs){0, NULL, NULL});
    mote_network_def def = mote_default_network_def();
    mote_network_id id;
    mote_network_step_report report;
    def.particle_count = 4, def.positions = positions, def.springs = springs, def.spring_count = 2;
    assert_int_equal(mote_system_add_network(system, &def, &id, NULL), MOTE_OK);
    const mote_network_view v = mote_network_columns(system, id);
    const uint32_t slot = v.slot[2];
    v.velocity.x[slot] = 3e38f;
    for (int step = 0; step < 200; step++) assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_report(system, id, &report), MOTE_OK);
    ASSERT(report.frozen, ==, 1);
    ASSERT(report.substeps, ==, 1);
    ASSERT(report.torn, ==, 0);
    assert_true(isfinite(v.position.x[slot]));
    assert_true(isfinite(v.velocity.x[v.slot[3]]));
    for (uint32_t i = 0; i < 5; i++) ASSERT(mote_network_frozen(system, id, i), ==, (i == 2 || i == 3));
    assert_false(mote_network_frozen(NULL, id, 2) || mote_network_frozen(system, (mote_network_id){0, 0}, 2));
    const float stood = v.position.y[v.slot[3]], fell = v.position.y[v.slot[0]];
    const uint64_t hash = mote_system_hash(system);
    for (uint32_t i = 2; i < 4; i++) {
        v.position.x[v.slot[i]] = positions[3 * i], v.position.y[v.slot[i]] = v.position.z[v.slot[i]] = 0;
        v.velocity.x[v.slot[i]] = v.velocity.y[v.slot[i]] = v.velocity.z[v.slot[i]] = 0;
    }
    assert_int_equal(mote_network_teleport(system, id), MOTE_OK);
    assert_int_equal(mote_network_report(system, id, &report), MOTE_OK);
    ASSERT(report.frozen, ==, 0);
    ASSERT(mote_system_hash(system), !=, hash);
    ASSERT(stood, >, fell);
    assert_false(mote_network_frozen(system, id, 2));
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_report(system, id, &report), MOTE_OK);
    ASSERT(report.frozen, ==, 0);
    ASSERT(v.position.y[slot], <, 0);
    /* It goes on living when the other one freezes. */
    const float low = v.position.y[slot];
    v.velocity.x[v.slot[0]] = 3e38f;
    for (int step = 0; step < 3; step++) assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_report(system, id, &report), MOTE_OK);
    ASSERT(report.frozen, ==, 1);
    ASSERT(v.position.y[slot], <, low);
    mote_system_destroy(system);
}

/* A particle that is pinned travels to where it is sent, and stands there to the bit; let go, it falls. Its
 * springs' impulse on it is what they give to the free end, turned round. */
TEST(pins_in_steps) {
    const float positions[6] = {0, 0, 0, 3, 0, 0};
    const mote_spring spring = {0, 1, 1, 4, 0, 0};
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_network_def net = mote_default_network_def();
    mote_network_id id;
    float impulse[3];
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    net.particle_count = 2, net.positions = positions, net.springs = &spring, net.spring_count = 1;
    assert_int_equal(mote_system_add_network(system, &net, &id, NULL), MOTE_OK);
    const mote_network_view v = mote_network_columns(system, id);
    const uint32_t a = v.slot[0], b = v.slot[1];
    assert_int_equal(mote_network_pin(system, id, 0, (vec3){0, 0, 0}, 0), MOTE_OK);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    assert_int_equal(mote_network_reaction(system, id, 0, impulse), MOTE_OK);
    /* k (|d| - L) h = 8/60 N s, on 1 kg; h, its product and its sum are rounded. */
    ASSERT(fabsf(impulse[0] - 8.0f / 60), <, 4 * 0x1p-24f * impulse[0]);
    ASSERT(impulse[1], ==, 0);
    ASSERT(impulse[2], ==, 0);
    ASSERT(fabsf(impulse[0] + v.velocity.x[b]), <, 4 * 0x1p-24f * impulse[0]);
    ASSERT(v.position.x[a], ==, 0);
    const uint64_t arrives = 3 * mote_system_tick(system);
    assert_int_equal(mote_network_pin(system, id, 0, (vec3){0, 1, 0}, arrives), MOTE_OK);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    ASSERT(v.position.y[a], ==, 0.5f);
    ASSERT(fabsf(v.velocity.y[a] - 30), <, 30 * 0x1p-22f);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    ASSERT(v.position.y[a], ==, 1);
    assert_int_equal(mote_network_pin(system, id, 0, (vec3){0, 2, 0}, MOTE_NEXT_ADVANCE), MOTE_OK);
    assert_int_equal(mote_system_step(system, 4, NULL), MOTE_OK);
    ASSERT(v.position.y[a], ==, 2);
    assert_int_equal(mote_network_unpin(system, id, 0), MOTE_OK);
    assert_int_equal(mote_network_reaction(system, id, 0, impulse), MOTE_ERROR_RANGE);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    ASSERT(v.position.x[a], >, 0);
    mote_system_destroy(system);
}

/* A spring that is reeled has the length of the time, and keeps the last; what tears is told until the next
 * step. */
TEST(reeled_and_torn) {
    const float positions[9] = {0, 0, 0, 1, 0, 0, 3, 0, 0};
    const mote_spring springs[2] = {{0, 1, 1, 4, 0, 0}, {1, 2, 2, 4, 0, 0.25f}};
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_network_def net = mote_default_network_def();
    mote_network_id id;
    mote_network_step_report report;
    mote_spring s;
    uint32_t torn;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    net.particle_count = 3, net.positions = positions, net.springs = springs, net.spring_count = 2;
    assert_int_equal(mote_system_add_network(system, &net, &id, NULL), MOTE_OK);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(mote_network_pin(system, id, i, (vec3){positions[3 * i], 0, 0}, 0), MOTE_OK);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    const uint64_t step = mote_system_tick(system);
    assert_int_equal(mote_network_reel(system, id, 0, 3, 3 * step), MOTE_OK);
    assert_int_equal(mote_network_spring(system, id, 0, &s), MOTE_OK);
    ASSERT(s.rest_length, ==, 1);
    const float lengths[4] = {2, 3, 3, 3};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
        assert_int_equal(mote_network_spring(system, id, 0, &s), MOTE_OK);
        if (s.rest_length != lengths[i]) fail_msg("step %d: %g", i, (double)s.rest_length);
    }
    assert_int_equal(mote_network_reel(system, id, 1, 1.5f, MOTE_NEXT_ADVANCE),
                     MOTE_OK); /* to a strain of 1/3 */
    assert_false(mote_network_torn(system, id, &torn));
    ASSERT(torn, ==, 0);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    const uint32_t *list = mote_network_torn(system, id, &torn);
    assert_true(list);
    ASSERT(torn, ==, 1);
    ASSERT(list[0], ==, 1);
    assert_int_equal(mote_network_report(system, id, &report), MOTE_OK);
    ASSERT(report.torn, ==, 1);
    ASSERT(mote_network_columns(system, id).spring_count, ==, 1);
    assert_int_equal(mote_network_spring(system, id, 1, &s), MOTE_ERROR_RANGE);
    assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    assert_false(mote_network_torn(system, id, &torn));
    ASSERT(torn, ==, 0);
    mote_system_destroy(system);
}

/* However the steps of an advance are grouped, what tore in them is told: step by step. */
TEST(torn_in_any_grouping) {
    const float positions[6] = {0, 0, 0, 1, 0, 0};
    const mote_spring springs[3] = {{0, 1, 1, 4, 0, 0.6f}, {0, 1, 1, 4, 0, 0.2f}, {0, 1, 1, 4, 0, 0}};
    for (uint32_t at_once = 1; at_once <= 4; at_once++) {
        mote_system *system = make_worked((mote_jobs){0, NULL, NULL});
        mote_network_def net = mote_default_network_def();
        mote_network_id id;
        mote_network_step_report report;
        uint32_t told[4], count = 0, torn;
        net.particle_count = 2, net.positions = positions, net.springs = springs, net.spring_count = 3;
        assert_int_equal(mote_system_add_network(system, &net, &id, NULL), MOTE_OK);
        assert_int_equal(mote_network_pin(system, id, 0, positions, 0), MOTE_OK);
        assert_int_equal(mote_network_pin(system, id, 1, (vec3){2, 0, 0}, 4 * system->clock.ticks_per_step),
                         MOTE_OK);
        for (uint32_t steps = 0; steps < 12; steps += at_once) { /* strains 1/4, 1/2, 3/4, 1 */
            assert_int_equal(mote_system_step(system, at_once, NULL), MOTE_OK);
            const uint32_t *list = mote_network_torn(system, id, &torn);
            ASSERT(count + torn, <=, 4);
            ASSERT((torn > 0), ==, (list != NULL));
            if (torn) memcpy(told + count, list, torn * sizeof *told);
            count += torn;
        }
        ASSERT(count, ==, 2);
        ASSERT(told[0], ==, 1);
        ASSERT(told[1], ==, 0);
        assert_int_equal(mote_network_report(system, id, &report), MOTE_OK);
        assert_int_equal(report.torn, 0);
        mote_system_destroy(system);
    }
}
