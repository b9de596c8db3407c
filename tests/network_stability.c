/* The reported stability of networks: one spring's limits, the sums against plain ones, kept up to date under
 * edits, stretched springs, extreme values. How near the bounds come to the truth is in network_limits.c. */
#include "math/symmetric.h"
#include "network_limits.h"

/* --- One spring --- */

static void make_spring(graph *g, double mass, double stiffness, double damping, bool pinned) {
    graph_begin(g, "spring", 2, 1);
    g->positions[3] = 1;
    g->masses[1] = (float)mass;
    g->pins = pinned;
    graph_spring(g, 0, 1, (float)stiffness, (float)damping);
}

static double step_of(const graph *g, mote_integrator integrator) {
    const mote_network_stability_report r = stability_of_graph(g, integrator);
    ASSERT(r.sharp.step, ==, r.any.step);
    return r.any.step;
}

/* The largest stable k at m = 1 and dt = 1/60, undamped and with 1 kg/s, by theory; in tests/stability.c for
 * anchor springs. Implicit Euler and exact flow take the springs of networks as kicks: as semi-implicit Euler
 * does, and as half a kick on either side of free flight. The table gives whole numbers or more digits. */
TEST(one_spring_has_the_published_limits) {
    static const struct {
        mote_integrator integrator;
        double stiffness[2];
    } rows[] = {{MOTE_EXPLICIT_EULER, {0, 60}},
                {MOTE_SEMI_IMPLICIT_EULER, {14400, 14280}},
                {MOTE_POSITION_VERLET, {14400, 14280}},
                {MOTE_VELOCITY_VERLET, {14400, 14281}},
                {MOTE_MIDPOINT, {0, 987.577}},
                {MOTE_RK4, {28800, 28925.37}},
                {MOTE_YOSHIDA4, {8912.14, 9423.60}},
                {MOTE_PEFRL, {3600 * 8.9368085878, 0}},
                {MOTE_IMPLICIT_EULER, {14400, 14280}},
                {MOTE_EXACT_FLOW, {14400, 14340.25}},
                {MOTE_KINEMATIC_AVERAGE, {3600 * 9.8696044, 0}}};
    static graph g;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int damped = 0; damped < 2; damped++) {
            test_case("%s, damped %d", integrator_name(rows[i].integrator), damped);
            make_spring(&g, 1, rows[i].stiffness[damped], damped, true);
            if (rows[i].stiffness[damped] > 0) expect_within(step_of(&g, rows[i].integrator), 1 / 60.0, 2e-5);
        }
    for (int i = 0; i < 2; i++) {
        make_spring(&g, 1, 1e-3, 0, true);
        ASSERT(step_of(&g, i ? MOTE_MIDPOINT : MOTE_EXPLICIT_EULER), ==, 0);
        make_spring(&g, 1, 1e9, i, true);
        ASSERT(step_of(&g, MOTE_KINEMATIC), ==, HUGE_VAL);
    }
}

/* A spring between two free particles is one of the reduced mass. */
TEST(one_spring_has_the_limit_of_its_reduced_mass) {
    static const double springs[][3] = {{1, 15, 0}, {4, 15, 0.75}, {0.3, 15, 4}, {9, 2, 9}, {1, 0, 3}};
    static graph g;
    for (size_t i = 0; i < 2 * COUNT_OF(springs); i++) FOR_EACH_INTEGRATOR(m) {
            const double *s = springs[i / 2], inverse = 1 / (double)(float)s[0] + (i % 2 ? 0 : 1);
            if (m == MOTE_EXACT_FLOW || m == MOTE_IMPLICIT_EULER) continue;
            test_case("%s, mass %g, stiffness %g, damping %g", integrator_name(m), s[0], s[1], s[2]);
            make_spring(&g, s[0], s[1], s[2], i % 2);
            expect_within(step_of(&g, m), mote_integrator_stable_step(m, s[1], s[2], 1 / inverse), 1e-6);
        }
}

/* --- The sums --- */

/* A model of the network by the host's numbers. */
typedef struct model {
    const graph *g;
    bool pinned[MOST_PARTICLES], alive[MOST_SPRINGS];
    mote_spring spring[MOST_SPRINGS];
    uint32_t springs;
    double at[MOST_PARTICLES][3];
} model;

/* The springs and positions of the network, as its host sees them. */
static void read_network(model *m, mote_system *system, mote_network_id id, uint32_t capacity) {
    m->springs = capacity;
    for (uint32_t i = 0; i < capacity; i++)
        m->alive[i] = mote_network_spring(system, id, i, &m->spring[i]) == MOTE_OK;
    for (uint32_t i = 0; i < 3 * m->g->particles; i++)
        m->at[i / 3][i % 3] = (double)*column_of(system, id, i / 3, i % 3);
}

static double inverse_of(const model *m, uint32_t i) {
    return m->pinned[i] ? 0 : (double)(float)(1 / (double)m->g->masses[i]);
}

/* g k / m or g c / m of a spring at particle i: equally, or by mass; 0 of one that is not there. */
static double share(const model *m, uint32_t number, uint32_t i, bool by_mass, bool damping) {
    const mote_spring *s = &m->spring[number];
    if (!m->alive[number] || (s->a != i && s->b != i)) return 0;
    const double own = inverse_of(m, i), others = inverse_of(m, s->a == i ? s->b : s->a);
    const double g = others == 0 ? 1 : by_mass ? 1 + others / own : 2;
    return g * own * (double)(damping ? s->damping : s->stiffness);
}

/* Direction of a spring; returns its length. */
static double direction_of(const model *m, const mote_spring *s, double n[3]) {
    double square = 0;
    for (int axis = 0; axis < 3; axis++)
        n[axis] = m->at[s->b][axis] - m->at[s->a][axis], square += n[axis] * n[axis];
    for (int axis = 0; axis < 3; axis++) n[axis] /= sqrt(square);
    return sqrt(square);
}

/* sum += value (n n^T + across (1 - n n^T)) e */
static void add_product(double value, double across, const double n[3], const double e[3], double sum[3]) {
    const double along = n[0] * e[0] + n[1] * e[1] + n[2] * e[2];
    for (int axis = 0; axis < 3; axis++)
        sum[axis] += value * (along * n[axis] + across * (e[axis] - along * n[axis]));
}

/* The largest e.(sum)e over unit vectors e, by the power method. */
static double largest_by_power(const model *m, uint32_t i, bool by_mass, bool damping) {
    double e[3] = {0.6, 0.5, -0.62}, size = 0, n[3];
    for (int turn = 0; turn < 2000; turn++) {
        double sum[3] = {0};
        for (uint32_t k = 0; k < m->springs; k++) {
            const double value = share(m, k, i, by_mass, damping);
            if (value == 0) continue;
            const double length = direction_of(m, &m->spring[k], n);
            add_product(value, damping ? 0 : fmax(0, 1 - (double)m->spring[k].rest_length / length), n, e,
                        sum);
        }
        size = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        for (int axis = 0; axis < 3 && size > 0; axis++) e[axis] = sum[axis] / size;
    }
    return size;
}

static double plain_sum(const model *m, uint32_t i, bool by_mass, bool damping) {
    double sum = 0;
    for (uint32_t k = 0; k < m->springs; k++) sum += share(m, k, i, by_mass, damping);
    return sum;
}

/* Frequency, damping, and the linear kind's step: h^2 sum(k) / m + 2 h sum(c) / m = 4 for the particle with
 * the least. */
static void plain_bound(const model *m, bool sharp, double bound[3]) {
    double (*const sum)(const model *, uint32_t, bool, bool) = sharp ? largest_by_power : plain_sum;
    bound[0] = bound[1] = HUGE_VAL, bound[2] = 0;
    for (int by_mass = 0; by_mass < 2; by_mass++) {
        double k = 0, c = 0, step = HUGE_VAL;
        for (uint32_t i = 0; i < m->g->particles; i++) {
            if (m->pinned[i]) continue;
            const double own_k = sum(m, i, by_mass, false), own_c = sum(m, i, by_mass, true);
            k = fmax(k, own_k), c = fmax(c, own_c);
            step = fmin(step, 4 / (own_c + sqrt(own_c * own_c + 4 * own_k)));
        }
        bound[0] = fmin(bound[0], sqrt(k)), bound[1] = fmin(bound[1], c), bound[2] = fmax(bound[2], step);
    }
}

/* Doubles all the way: sums of a few terms in another order. The power method stops short where two
 * eigenvalues are close; then a vector between them gives nearly the same. */
static void expect_as_plain(const model *m, const mote_system *system, mote_network_id id) {
    const mote_network_stability_report r = stability_of(system, id);
    double any[3], sharp[3];
    plain_bound(m, false, any), plain_bound(m, true, sharp);
    expect_within(r.any.frequency, any[0], 1e-12);
    expect_within(r.any.damping, any[1], 1e-12);
    expect_within(r.any.step, any[2], 1e-12);
    expect_within(r.sharp.frequency, sharp[0], 1e-3);
    expect_within(r.sharp.damping, sharp[1], 1e-3);
    expect_within(r.sharp.step, fmax(sharp[2], any[2]), 1e-3);
}

/* The default step: pins arrive; nothing else moves much. */
static void edit(mote_system *system, mote_network_id id, model *m, random_source *random) {
    const uint32_t particle = random_below(random, m->g->particles),
                   number = random_below(random, m->springs);
    const mote_spring more = {particle,
                              (particle + 1 + random_below(random, m->g->particles - 1)) % m->g->particles,
                              MOTE_AS_PLACED,
                              random_between(random, 1, 90),
                              random_between(random, 0, 3),
                              0};
    const uint32_t what = random_below(random, 5);
    uint32_t added;
    if (what == 0 && m->alive[number]) OK(mote_network_remove_springs(system, id, 1, &number, NULL));
    if (what == 1) OK(mote_network_add_springs(system, id, 1, &more, &added, NULL));
    if (what == 2 && m->alive[number])
        OK(mote_network_set_spring(system, id, number, more.stiffness, more.damping, 0, NULL));
    if (what == 3) {
        OK(m->pinned[particle] ? mote_network_unpin(system, id, particle)
                               : mote_network_pin(system, id, particle, &m->g->positions[3 * particle], 0));
        m->pinned[particle] = !m->pinned[particle];
    }
    if (what == 4) OK(mote_system_step(system, 1, NULL));
}

TEST(after_each_edit_the_bounds_are_those_of_plain_sums) {
    enum { CAPACITY = 60, EDITS = 60 };
    static graph g;
    static model m;
    for (uint64_t seed = 1; seed < 6; seed++) {
        random_source random = {seed};
        make_random(&g, 40 + seed, -1, 1);
        g.pins = 0;
        mote_network_def def = graph_def(&g);
        const mote_system_def system_def = mote_default_system_def();
        def.spring_capacity = CAPACITY;
        mote_system *system = make_system(&system_def);
        const mote_network_id id = add_network(system, &def);
        memset(&m, 0, sizeof m), m.g = &g;
        for (int turn = 0; turn < EDITS; turn++) {
            test_case("seed %d, turn %d", (int)seed, turn);
            read_network(&m, system, id, CAPACITY);
            const uint32_t springs = mote_network_columns(system, id).spring_count;
            if (springs > 0) expect_as_plain(&m, system, id);
            if (springs < CAPACITY - 1)
                edit(system, id, &m, &random);
            else
                OK(mote_network_remove_springs(system, id, 1, &(uint32_t){0}, NULL));
        }
        mote_system_destroy(system);
    }
}

/* One spring of a net is stiffer than all others: it sets the bound, with the particle at its end that has
 * the more springs. */
TEST(the_stiffest_spring_is_named) {
    static graph g;
    static const float stiffness[3] = {50, 40, 5}, damping[3] = {0};
    make_net(&g, "net", 8, false, stiffness, damping);
    for (uint32_t stiff = 0; stiff < g.springs; stiff += 17) {
        mote_spring *s = &g.spring[stiff], kept = *s;
        s->stiffness = 4000;
        FOR_EACH_INTEGRATOR(m) {
            const mote_network_stability_report r = stability_of_graph(&g, m);
            ASSERT(r.any.spring, ==, stiff);
            ASSERT(r.sharp.spring, ==, stiff);
            assert_true(r.any.particle == s->a || r.any.particle == s->b);
            assert_true(r.sharp.particle == s->a || r.sharp.particle == s->b);
        }
        *s = kept;
    }
}

/* A heavy particle among light ones, and light ones between heavy ones: each way to split the springs is the
 * better once: by mass the first would give sqrt(21 * 100), equally the second sqrt(4 * 100). */
TEST(the_better_split_of_springs_between_unequal_masses_counts) {
    static graph g;
    enum { LEAVES = 20 };
    graph_begin(&g, "star", 1 + LEAVES, 2);
    g.masses[0] = 20;
    for (uint32_t i = 1; i <= LEAVES; i++) {
        g.positions[3 * i] = (float)cos(i), g.positions[3 * i + 1] = (float)sin(i);
        graph_spring(&g, 0, i, 100, 0);
    }
    expect_within(stability_of_graph(&g, MOTE_SEMI_IMPLICIT_EULER).any.frequency, sqrt(2 * 100), 1e-6);
    make_chain(&g, 9, MASSES_IN_TURN, 0, 100, 0);
    expect_within(stability_of_graph(&g, MOTE_SEMI_IMPLICIT_EULER).any.frequency,
                  sqrt(2 * 100 * (1 + 1 / 9.0)), 1e-6);
}

/* --- Away from rest --- */

/* The fastest motion (rad/s) of the springs as they are, across them too, all masses 1: the Rayleigh quotient
 * of the power method. Compressed springs have negative eigenvalues; with the shift all are positive. */
static double fastest_as_placed(const model *m) {
    static double v[MOST_PARTICLES][3], next[MOST_PARTICLES][3];
    const double shift = 2000;
    double square = 0, n[3];
    for (uint32_t i = 0; i < 3 * m->g->particles; i++) v[i / 3][i % 3] = sin(1 + 7 * i);
    for (int turn = 0; turn < 4000; turn++) {
        double size = 0, product = 0;
        memset(next, 0, m->g->particles * sizeof *next);
        for (uint32_t i = 0; i < m->springs; i++) {
            const mote_spring *s = &m->spring[i];
            const double length = direction_of(m, s, n), across = 1 - (double)s->rest_length / length;
            double apart[3];
            for (int axis = 0; axis < 3; axis++) apart[axis] = v[s->b][axis] - v[s->a][axis];
            add_product((double)s->stiffness, across, n, apart, next[s->b]);
            add_product(-(double)s->stiffness, across, n, apart, next[s->a]);
        }
        for (uint32_t i = 0; i < 3 * m->g->particles; i++)
            size += v[i / 3][i % 3] * v[i / 3][i % 3], product += v[i / 3][i % 3] * next[i / 3][i % 3];
        square = product / size;
        for (uint32_t i = 0; i < 3 * m->g->particles; i++) {
            double *of = &v[i / 3][i % 3];
            *of = (next[i / 3][i % 3] + shift * *of) / sqrt(size) / (square + shift);
        }
    }
    return sqrt(square);
}

/* Springs of up to twice and down to half of their rest length: no motion is faster than either bound.
 * Enlarged evenly, all springs have forces across themselves too, and the sharp form is as near as at rest.
 */
TEST(no_motion_of_a_stretched_net_is_faster_than_its_bounds) {
    static const float stiffness[3] = {90, 40, 10}, damping[3] = {0};
    static graph g;
    static model m;
    random_source random = {8};
    make_net(&g, "net", 6, false, stiffness, damping);
    g.pins = 0;
    for (int turn = 0; turn < 12; turn++) {
        mote_network_id id;
        mote_system *system = graph_system(&g, MOTE_SEMI_IMPLICIT_EULER, &id);
        const float apart = turn < 4 ? 0 : 0.05f * (float)(turn - 3),
                    scale = turn < 4 ? 0.7f + 0.4f * (float)turn : 1;
        for (uint32_t i = 0; i < 3 * g.particles; i++) {
            float *x = column_of(system, id, i / 3, i % 3);
            *x = scale * *x + apart * random_between(&random, -0.5f, 0.5f);
        }
        memset(&m, 0, sizeof m), m.g = &g;
        read_network(&m, system, id, g.springs);
        const mote_network_stability_report r = stability_of(system, id);
        const double w = fastest_as_placed(&m);
        test_case("turn %d", turn);
        ASSERT(w, <=, r.sharp.frequency * (1 + 1e-9));
        ASSERT(r.sharp.frequency, <=, r.any.frequency * (1 + 1e-9));
        if (turn < 4) ASSERT(w, >=, 0.8 * r.sharp.frequency);
        expect_within(r.sharp.step, 2 / r.sharp.frequency, 1e-9);
        mote_system_destroy(system);
    }
}

/* A string that is stretched swings across itself; the kinematic integrators, which take each spring along
 * itself alone, let that grow at any step, and the sharp bound says so. Semi-implicit Euler does not. */
TEST(kinematic_integrators_have_no_stable_step_for_a_taut_string) {
    static const mote_integrator integrators[] = {MOTE_KINEMATIC_AVERAGE, MOTE_KINEMATIC,
                                                  MOTE_SEMI_IMPLICIT_EULER};
    static graph g;
    make_chain(&g, 5, MASSES_EQUAL, 2, 40, 0);
    for (uint32_t i = 0; i < g.springs; i++) g.spring[i].rest_length = 0.8f;
    for (size_t i = 0; i < COUNT_OF(integrators); i++) {
        mote_network_id id;
        mote_system *system = graph_system(&g, integrators[i], &id);
        float *y = column_of(system, id, 2, 1), largest = 0;
        *y += 1e-3f;
        ASSERT((stability_of(system, id).sharp.step == 0), ==, (i < 2));
        for (int step = 0; step < 6000; step += 10) {
            OK(mote_system_step(system, 10, NULL));
            largest = fmaxf(largest, fabsf(*y));
        }
        ASSERT((largest > 0.05f), ==, (i < 2));
        ASSERT((largest < 2e-3f), ==, (i == 2));
        mote_system_destroy(system);
    }
}

/* --- Extremes --- */

/* No springs, a spring between two pins, springs without stiffness. */
TEST(without_springs_that_move_anything_there_is_no_bound) {
    static graph g;
    FOR_EACH_INTEGRATOR(m)
    for (int kind = 0; kind < 3; kind++) {
        make_chain(&g, 3, MASSES_EQUAL, kind == 1 ? 2 : 0, kind == 2 ? 0 : 9, 0);
        if (kind == 0) g.springs = 0;
        if (kind == 1) g.springs = 1, g.spring[0].b = 2;
        const mote_network_stability_report r = stability_of_graph(&g, m);
        const mote_network_stability_bound *const bounds[] = {&r.any, &r.sharp};
        for (int i = 0; i < 2; i++) {
            ASSERT(bounds[i]->step, ==, HUGE_VAL);
            ASSERT(bounds[i]->frequency, ==, 0);
            ASSERT(bounds[i]->damping, ==, 0);
            ASSERT(bounds[i]->particle, ==, MOTE_NO_ITEM);
            ASSERT(bounds[i]->spring, ==, MOTE_NO_ITEM);
        }
        ASSERT(r.substeps, ==, 1);
        expect_within(r.substep, 1 / 60.0, 1e-12);
    }
}

/* Dampers without stiffness: the step is finite but for methods that damp exactly, and holds. */
TEST(dampers_alone_have_a_step_at_which_no_motion_grows) {
    static graph g;
    FOR_EACH_INTEGRATOR(m) {
        make_chain(&g, 3, MASSES_EQUAL, 0, 0, 1);
        const mote_network_stability_report r = stability_of_graph(&g, m);
        const double step = r.sharp.step;
        test_case("%s", integrator_name(m));
        ASSERT(step, >, 0);
        ASSERT(r.any.step, <=, step);
        /* RK4: 2.785. The bound of dampers is twice that of one spring by itself. */
        const bool by_itself = m == MOTE_KINEMATIC || m == MOTE_EXACT_FLOW;
        if (step < HUGE_VAL) ASSERT(step * r.sharp.damping, <, by_itself ? 4.001 : 2.8);
        const double damping = step < HUGE_VAL ? 0.98 * 60 * step : 1e4;
        make_chain(&g, 3, MASSES_EQUAL, 0, 0, damping);
        mote_network_id id;
        mote_system *system = graph_system(&g, m, &id);
        const float kick[3] = {0.01f, 0, 0};
        OK(mote_network_set_state(system, id, 1, 1, NULL, kick));
        OK(mote_system_step(system, 900, NULL));
        for (uint32_t i = 0; i < 3; i++) ASSERT(fabsf(*column_of(system, id, i, 3)), <=, kick[0]);
        mote_system_destroy(system);
    }
}

/* Kinematic springs that share a particle: h^3 <= 12 t / A with t = c / k and A = 2 (k + k) / m. */
TEST(kinematic_chains_have_the_cubic_bound) {
    static const float springs[][2] = {{40, 0.01f}, {400, 0.3f}, {9, 1e-4f}};
    static graph g;
    for (size_t i = 0; i < COUNT_OF(springs); i++) {
        const double k = (double)springs[i][0], c = (double)springs[i][1];
        make_chain(&g, 3, MASSES_EQUAL, 0, springs[i][0], springs[i][1]);
        expect_within(stability_of_graph(&g, MOTE_KINEMATIC).any.step, cbrt(12 * (c / k) / (4 * k)), 1e-6);
    }
}

/* An undamped spring between pins does not spoil explicit Euler for damped ones. */
TEST(a_spring_between_pins_does_not_count) {
    static graph g;
    make_chain(&g, 5, MASSES_EQUAL, 2, 40, 2);
    const double step = step_of(&g, MOTE_EXPLICIT_EULER);
    ASSERT(step, >, 0);
    graph_spring(&g, 0, 4, 1e6f, 0);
    ASSERT(step_of(&g, MOTE_EXPLICIT_EULER), ==, step);
    g.spring[0].damping = 0;
    ASSERT(step_of(&g, MOTE_EXPLICIT_EULER), ==, 0);
}

/* A spring without a direction may have a force in any, and counts in full; a position that is not finite
 * leaves the bounds finite. */
TEST(bounds_stay_finite_for_any_position_mass_and_stiffness) {
    static graph g;
    static const float strange[] = {NAN, INFINITY, 3e38f, 0};
    for (size_t i = 0; i < COUNT_OF(strange); i++) FOR_EACH_INTEGRATOR(m)
    for (int alone = 0; alone < 2; alone++) {
        mote_network_id id;
        if (alone) {
            make_spring(&g, 1, 40, 1, true);
        } else {
            make_chain(&g, 4, MASSES_EQUAL, 1, 40, 1);
            g.spring[2].rest_length = 0;
        }
        mote_system *system = graph_system(&g, m, &id);
        *column_of(system, id, 1, 0) = strange[i];
        const mote_network_stability_report r = stability_of(system, id);
        test_case("%s, x %g, alone %d", integrator_name(m), (double)strange[i], alone);
        ASSERT(r.sharp.frequency, >, 0);
        ASSERT(r.sharp.frequency, <=, r.any.frequency * (1 + 1e-9));
        ASSERT(r.any.frequency, <, HUGE_VAL);
        ASSERT(r.sharp.step, >=, 0);
        ASSERT(r.any.step, >=, 0);
        if (alone) expect_within(r.sharp.frequency, sqrt(40), 1e-9);
        if (alone) expect_within(r.sharp.damping, 1, 1e-9);
        mote_system_destroy(system);
    }
    FOR_EACH_INTEGRATOR(m) { /* the largest and the smallest that floats hold */
        make_spring(&g, 1e-30, 3e38, 3e38, false);
        ASSERT(step_of(&g, m), >=, 0);
        make_spring(&g, 1e30, 1e-38, 1e-38, true);
        ASSERT(step_of(&g, m), >, 0);
    }
    make_spring(&g, 1e30, 1e-38, 1e-38, true);
    ASSERT_NEAR(step_of(&g, MOTE_EXPLICIT_EULER), 1, 1e-6); /* damping over stiffness; 1e34 s to a radian */
}

/* x.Mx / x.x, by the power method, comes near the largest eigenvalue from below. */
TEST(the_largest_eigenvalue_is_that_of_the_power_method) {
    random_source random = {77};
    for (int turn = 0; turn < 500; turn++) {
        mote_symmetric3 m = {0};
        for (int n = 0; n < 1 + turn % 4; n++) {
            const double size = exp2((double)random_between(&random, -20, 20)),
                         x = (double)random_between(&random, -1, 1);
            const double y = turn % 3 ? (double)random_between(&random, -1, 1) : 0;
            const double z = turn % 5 ? (double)random_between(&random, -1, 1) : 0;
            m.xx += size * x * x, m.yy += size * y * y, m.zz += size * z * z;
            m.xy += size * x * y, m.xz += size * x * z, m.yz += size * y * z;
        }
        double v[3] = {0.3, -0.5, 0.8}, largest = 0;
        for (int i = 0; i < 3000; i++) {
            const double w[3] = {m.xx * v[0] + m.xy * v[1] + m.xz * v[2],
                                 m.xy * v[0] + m.yy * v[1] + m.yz * v[2],
                                 m.xz * v[0] + m.yz * v[1] + m.zz * v[2]};
            largest = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
            for (int axis = 0; axis < 3; axis++) v[axis] = w[axis] / largest;
        }
        ASSERT(mote_symmetric3_largest(m), >=, largest * (1 - 1e-14));
        expect_within(mote_symmetric3_largest(m), largest, 1e-4);
    }
}
