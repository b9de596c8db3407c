/* Networks: their statistics against plain sums, the order of the sums, and the positions that are presented.
 */
#include "test.h"

#include "network_web.h"

/* --- Sums --- */

static const mote_jobs SERIAL = {0};

static mote_system *make_stretched(mote_jobs jobs) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 16;
    def.jobs = jobs;
    mote_system *system = make_system(&def);
    add_force(system, mote_gravity((float[3]){1, -2, 3}));
    return system;
}

/* The springs' part, spring by spring. */
static void sum_springs(const web *w, const uint32_t *gone, mote_statistics *to) {
    double strain = 0, strained = 0;
    to->max_strain = -1;
    for (uint32_t i = 0; i < w->springs; i++) {
        const mote_spring *s = &w->spring[i];
        if (i == gone[0] || i == gone[1]) continue;
        const float *a = w->positions + 3 * s->a, *b = w->positions + 3 * s->b;
        double square = 0;
        for (int axis = 0; axis < 3; axis++) square += pow((double)b[axis] - (double)a[axis], 2);
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

static void expect_particle_sums(const mote_statistics *got, const mote_statistics *want, double allowance) {
    ASSERT_NEAR(got->mass, want->mass, allowance);
    ASSERT_NEAR(got->kinetic, want->kinetic, allowance);
    ASSERT_NEAR(got->potential, want->potential, allowance);
    for (int k = 0; k < 3; k++) {
        ASSERT_NEAR(got->momentum[k], want->momentum[k], allowance);
        ASSERT_NEAR(got->angular_momentum[k], want->angular_momentum[k], allowance);
    }
}

/* A sum of n doubles errs by at most n 2^-53 of the sum of magnitudes, on either side. Here n < 4,096; masses
 * up to 2 kg, 10 m and 10 m/s per axis make terms below 300 kg, J or kg m^2/s, and springs below 90 x 18^2 J.
 */
TEST(statistics_are_the_sums_on_any_number_of_threads) {
    static web w;
    mote_statistics got[3];
    uint32_t workers = 3;
    const double allowance = 300 * 0x1p24 * 0x1p-53;
    make_web(&w, 1900, 21);
    w.spring[11].rest_length = 0; /* has energy, but no strain */
    for (int round = 0; round < 3; round++) {
        shuffled_jobs shuffled = {.random = {9}, .workers = 5};
        const mote_jobs jobs[] = {SERIAL, pthread_jobs_hook(&workers), shuffled_jobs_hook(&shuffled)};
        mote_system *system = make_stretched(jobs[round]);
        const mote_network_id id = add_web(system, &w);
        const uint32_t gone[2] = {7, w.springs - 1};
        mote_statistics want = {.mass = 0}, *g = &got[round];
        OK(mote_network_pin(system, id, 1, (float[3]){1, 2, 3}, 9));
        OK(mote_network_remove_springs(system, id, 2, gone, NULL));
        memset(g, 0xff, sizeof *g);
        REFUSED(system, MOTE_OK, mote_network_statistics(system, id, g)); /* changes nothing */
        sum_springs(&w, gone, &want);
        sum_particles(&w, 1, &want);
        expect_particle_sums(g, &want, allowance);
        ASSERT_NEAR(g->elastic, want.elastic, 100 * allowance);
        ASSERT_NEAR(g->max_strain, want.max_strain, 1e-14 * want.max_strain);
        ASSERT_NEAR(g->mean_strain, want.mean_strain, 4096 * 0x1p-52 * want.mean_strain);
        ASSERT(g->max_strain_item, ==, want.max_strain_item);
        mote_system_destroy(system);
        if (round == 2) ASSERT(shuffled.runs, >, 0);
        assert_memory_equal(g, &got[0], offsetof(mote_statistics, max_strain_item));
    }
}

/* The order is that of the host's numbers, whatever the slots: 2^60 swallows 1. Runs of 1,024 are summed in
 * 16 lanes, which are added up in halves. */
TEST(sums_run_in_the_hosts_order) {
    enum { MANY = 1024 + 32 };
    static float positions[3 * MANY], velocities[3 * MANY];
    static mote_spring springs[MANY];
    mote_network_def def = mote_default_network_def();
    random_source random = {22};
    for (uint32_t i = 0; i < 3 * MANY; i++)
        velocities[i] = random_between(&random, -1, 1) * (i % 7 ? 1.0f : 0x1p30f);
    def.particle_count = MANY, def.positions = positions, def.velocities = velocities, def.springs = springs;
    double lane[2][16] = {{0}}, forward = 0;
    for (uint32_t i = 0; i < MANY; i++) lane[i / 1024][i % 16] += (double)velocities[3 * i];
    for (int half = 8; half; half /= 2)
        for (int i = 0; i < half; i++) lane[0][i] += lane[0][i + half], lane[1][i] += lane[1][i + half];
    for (uint32_t i = 0; i < MANY; i++) forward += (double)velocities[3 * i];
    ASSERT(forward, !=, lane[0][0] + lane[1][0]);
    for (int round = 0; round < 3; round++) {
        /* None; pairs, which are spread across lanes; one chain through all, against the order of the
         * numbers. */
        def.spring_count = round == 0 ? 0 : round == 1 ? MANY / 2 : MANY - 1;
        for (uint32_t i = 0; i < def.spring_count; i++)
            springs[i] = (mote_spring){round == 1 ? MANY - 1 - i : i + 1, i, 1, 1, 0, 0};
        mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
        const mote_network_id id = add_network(system, &def);
        const mote_statistics s = statistics_of(system, id);
        mote_statistics d;
        OK(mote_system_statistics(system, &d));
        ASSERT(s.momentum[0], ==, lane[0][0] + lane[1][0]);
        ASSERT(d.momentum[0], ==, s.momentum[0]);
        ASSERT(s.max_strain, ==, (round ? 1 : 0));
        ASSERT(s.max_strain_item, ==, (round ? 0 : MOTE_NO_ITEM)); /* the lowest */
        mote_system_destroy(system);
    }
}

TEST(compliant_springs_have_energy_and_rigid_ones_have_none) {
    const float positions[9] = {0, 0, 0, 3, 0, 0, 6, 0, 0};
    const mote_spring springs[2] = {{0, 1, 1, INFINITY, 0, 0}, {1, 2, 1, 5, 0, 0}};
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_network_def def = mote_default_network_def();
    def.solver = MOTE_NETWORK_CONSTRAINED;
    def.particle_count = 3, def.positions = positions, def.springs = springs, def.spring_count = 2;
    const mote_statistics s = statistics_of(system, add_network(system, &def));
    ASSERT(s.elastic, ==, 10);
    ASSERT(s.max_strain, ==, 2);
    ASSERT(s.mean_strain, ==, 2);
    ASSERT(s.max_strain_item, ==, 0);
    def.spring_count = 1;
    ASSERT(statistics_of(system, add_network(system, &def)).mean_strain, ==, 2);
    mote_system_destroy(system);
}

TEST(a_systems_statistics_count_loose_particles_and_networks) {
    static web w;
    mote_system *system = make_stretched(SERIAL);
    mote_range_view view;
    OK(mote_system_spawn(system, 1, &view));
    view.position.y[0] = 3, view.velocity.x[0] = 2;
    mote_statistics got,
        want = {.mass = 1, .kinetic = 2, .potential = 6, .momentum = {2}, .angular_momentum = {0, 0, -6}};
    for (uint64_t seed = 23; seed < 25; seed++) {
        make_web(&w, 40, seed);
        OK(mote_network_pin(system, add_web(system, &w), 1, (float[3]){1, 2, 3}, 9));
        sum_particles(&w, 1, &want);
    }
    OK(mote_system_statistics(system, &got));
    expect_particle_sums(&got, &want, 300 * 0x1p18 * 0x1p-53);
    mote_system_destroy(system);
}

/* --- Presenting --- */

enum { GUARD = 0x5a };

/* Into any stride, at any offset, and nothing else is written. want: floats by the host's number. */
static void expect_presented(const mote_system *system, mote_network_id id, uint32_t count,
                             const float *want) {
    static unsigned char memory[HOST_PARTICLES * 40 + 64];
    const mote_present_layout layouts[] = {layout_at(12, 0, MOTE_OMIT), layout_at(40, 7, MOTE_OMIT),
                                           layout_at(13, 1, MOTE_OMIT)};
    for (size_t k = 0; k < 2 * COUNT_OF(layouts); k++) {
        const mote_present_layout *layout = &layouts[k / 2];
        const size_t stride = layout->stride, at = layout->position_offset;
        unsigned char *vertices = memory + k % 2;
        memset(memory, GUARD, sizeof memory);
        OK(mote_network_present(system, id, layout, vertices, stride * count));
        for (uint32_t i = 0; i < count; i++)
            assert_memory_equal(vertices + i * stride + at, want + 3 * i, 12);
        for (size_t byte = 0; byte < stride * count + 32; byte++) {
            const size_t within = byte % stride;
            if (byte >= stride * count || within < at || within >= at + 12) ASSERT(vertices[byte], ==, GUARD);
        }
    }
}

/* x0 + alpha (x1 - x0) of the columns before and after the last step. */
TEST(presented_positions_are_blended_between_steps_and_teleported_ones_are_not) {
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
        mote_system *system = make_system(&def);
        const mote_network_id id = add_web(system, &w);
        expect_presented(system, id, w.particles, w.positions); /* as placed */
        OK(mote_system_advance(system, 10000000, NULL));
        for (uint32_t i = 0; i < 3 * w.particles; i++) want[i] = *column_of(system, id, i / 3, i % 3);
        mote_advance a;
        OK(mote_system_advance(system, 12500000, &a));
        ASSERT(a.steps, ==, 1);
        ASSERT(a.alpha, ==, 0.25f);
        for (uint32_t i = 0; i < 3 * w.particles; i++) {
            const float now = *column_of(system, id, i / 3, i % 3);
            want[i] = kind ? want[i] + 0.25f * (now - want[i]) : now;
        }
        expect_presented(system, id, w.particles, want);
        for (uint32_t i = 0; i < 3 * w.particles; i++)
            *column_of(system, id, i / 3, i % 3) = want[i] = w.positions[i] + 1;
        OK(mote_network_teleport(system, id));
        expect_presented(system, id, w.particles, want);
        mote_system_destroy(system);
    }
}

/* The exact (x0 - origin) + alpha (x1 - x0), to half a unit in the last place and the rounding in double. */
TEST(positions_relative_to_an_origin_are_rounded_once) {
    static web w;
    static float before[3 * HOST_PARTICLES], got[3 * HOST_PARTICLES];
    make_web(&w, 333, 25);
    for (uint32_t i = 0; i < w.particles; i++) w.positions[3 * i] += 1e5f;
    for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++) {
        mote_system_def def = mote_default_system_def();
        def.interpolation = (mote_interpolation)mode;
        def.steps_per_second = (mote_rate){100, 1};
        mote_system *system = make_system(&def);
        const mote_network_id id = add_web(system, &w);
        mote_present_layout layout = mote_default_present_layout();
        mote_advance a;
        layout.origin[0] = 100000.3, layout.origin[1] = 0.1;
        OK(mote_system_advance(system, 10000000, NULL));
        for (uint32_t i = 0; i < 3 * w.particles; i++) before[i] = *column_of(system, id, i / 3, i % 3);
        OK(mote_system_advance(system, 12500000, &a));
        ASSERT(a.alpha, ==, 0.25f);
        OK(mote_network_present(system, id, &layout, got, sizeof got));
        for (uint32_t i = 0; i < 3 * w.particles; i++) {
            const double now = (double)*column_of(system, id, i / 3, i % 3),
                         from = mode ? (double)before[i] : now;
            const double want = (from - layout.origin[i % 3]) + 0.25 * (now - from);
            const float size = fabsf(got[i]);
            const double half = 0.5 * (double)(nextafterf(size, INFINITY) - size);
            ASSERT_NEAR(got[i], want, half + 0x1p-50 * 100);
        }
        mote_system_destroy(system);
    }
}
