/* What is told of a network's stability: one spring's limits, the sums against plain ones, kept up to date
 * under edits, stretched springs, edges. How near the bounds come to the truth is in network_limits.c. */
#include <stdio.h>
#include "test.h"

#include "math/symmetric.h"
#include "network_limits.h"

#define FOR_EACH_INTEGRATOR(m)                                                                               \
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++)                                              \
        if (!advects(m))

static const mote_rate RATE = {60, 1};

static void assert_within(double got, double want, double relative) {
    const bool same = got == want || fabs(got - want) <= relative * fabs(want);
    if (!same) fail_msg("%.17g is not %.17g within %g of it", got, want, relative);
}

/* --- One spring --- */

static void make_spring(graph *g, double mass, double stiffness, double damping, bool pinned) {
    graph_begin(g, "spring", 2, 1);
    g->positions[3] = 1;
    g->masses[1] = (float)mass;
    g->pins = pinned;
    graph_spring(g, 0, 1, (float)stiffness, (float)damping);
}

static double step_of(const graph *g, mote_integrator integrator) {
    mote_network_id id;
    mote_system *system = graph_system(g, integrator, RATE, &id);
    const mote_network_stability_report r = report_of(system, id);
    ASSERT(r.sharp.step, ==, r.any.step);
    mote_system_destroy(system);
    return r.any.step;
}

/* The largest stable k at m = 1 and dt = 1/60, theory; in tests/stability.c for anchor springs. Implicit
 * Euler and exact flow take the springs of networks as kicks: as semi-implicit Euler does, and as half a kick
 * on either side of free flight. */
TEST(one_spring_has_the_published_limits) {
    static const struct {
        mote_integrator integrator;
        double undamped, damped;
    } rows[] = {{MOTE_EXPLICIT_EULER, 0, 60},
                {MOTE_SEMI_IMPLICIT_EULER, 14400, 14280},
                {MOTE_POSITION_VERLET, 14400, 14280},
                {MOTE_VELOCITY_VERLET, 14400, 14281},
                {MOTE_MIDPOINT, 0, 987.577},
                {MOTE_RK4, 28800, 28925.37},
                {MOTE_YOSHIDA4, 8912.14, 9423.60},
                {MOTE_PEFRL, 3600 * 8.9368085878, 0},
                {MOTE_IMPLICIT_EULER, 14400, 14280},
                {MOTE_EXACT_FLOW, 14400, 14340.25},
                {MOTE_KINEMATIC_AVERAGE, 3600 * 9.8696044, 0}};
    static graph g;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int damped = 0; damped < 2; damped++) {
            const double stiffness = damped ? rows[i].damped : rows[i].undamped;
            if (stiffness == 0) continue;
            make_spring(&g, 1, stiffness, damped, true);
            assert_within(step_of(&g, rows[i].integrator), 1 / 60.0,
                          2e-5); /* the table gives whole numbers or more digits */
        }
    for (int i = 0; i < 2; i++) {
        make_spring(&g, 1, 1e-3, 0, true);
        ASSERT(step_of(&g, i ? MOTE_MIDPOINT : MOTE_EXPLICIT_EULER), ==, 0);
        make_spring(&g, 1, 1e9, i, true);
        ASSERT(step_of(&g, MOTE_KINEMATIC), ==, HUGE_VAL);
    }
}

/* A spring between two free particles is one of the reduced mass. */
TEST(one_spring_is_as_if_alone) {
    static const double springs[][3] = {{1, 15, 0}, {4, 15, 0.75}, {0.3, 15, 4}, {9, 2, 9}, {1, 0, 3}};
    static graph g;
    for (size_t i = 0; i < COUNT_OF(springs); i++) FOR_EACH_INTEGRATOR(m)
    for (int pinned = 0; pinned < 2; pinned++) {
        const double mass = (double)(float)springs[i][0], inverse = 1 / mass + (pinned ? 0 : 1);
        if (m == MOTE_EXACT_FLOW || m == MOTE_IMPLICIT_EULER) continue;
        make_spring(&g, mass, springs[i][1], springs[i][2], pinned);
        assert_within(step_of(&g, m),
                      mote_integrator_stable_step(m, springs[i][1], springs[i][2], 1 / inverse), 1e-6);
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

static double inverse_of(const model *m, uint32_t i) {
    return m->pinned[i] ? 0 : (double)(float)(1 / (double)m->g->masses[i]);
}

/* g k / m or g c / m of a spring at particle i: equally, or by mass. */
static double share(const model *m, const mote_spring *s, uint32_t i, bool by_mass, double value) {
    const double own = inverse_of(m, i), others = inverse_of(m, s->a == i ? s->b : s->a);
    const double g = others == 0 ? 1 : by_mass ? 1 + others / own : 2;
    return g * value * own;
}

/* The largest e.(sum)e over unit vectors e, by the power method. */
static double largest_by_power(const model *m, uint32_t i, bool by_mass, bool damping) {
    double e[3] = {0.6, 0.5, -0.62}, size = 0;
    for (int turn = 0; turn < 2000; turn++) {
        double sum[3] = {0}, square = 0;
        for (uint32_t n = 0; n < m->springs; n++) {
            const mote_spring *s = &m->spring[n];
            if (!m->alive[n] || (s->a != i && s->b != i)) continue;
            double d[3], length = 0, along = 0;
            for (int axis = 0; axis < 3; axis++)
                d[axis] = m->at[s->b][axis] - m->at[s->a][axis], length += d[axis] * d[axis];
            length = sqrt(length);
            for (int axis = 0; axis < 3; axis++) d[axis] /= length, along += d[axis] * e[axis];
            const double value = share(m, s, i, by_mass, damping ? (double)s->damping : (double)s->stiffness);
            const double across = damping ? 0 : fmax(0, 1 - (double)s->rest_length / length);
            for (int axis = 0; axis < 3; axis++)
                sum[axis] += value * (along * d[axis] + across * (e[axis] - along * d[axis]));
        }
        for (int axis = 0; axis < 3; axis++) square += sum[axis] * sum[axis];
        size = sqrt(square);
        for (int axis = 0; axis < 3 && size > 0; axis++) e[axis] = sum[axis] / size;
    }
    return size;
}

static double plain_sum(const model *m, uint32_t i, bool by_mass, bool damping) {
    double sum = 0;
    for (uint32_t n = 0; n < m->springs; n++) {
        const mote_spring *s = &m->spring[n];
        if (m->alive[n] && (s->a == i || s->b == i))
            sum += share(m, s, i, by_mass, damping ? (double)s->damping : (double)s->stiffness);
    }
    return sum;
}

/* Frequency, damping, and the linear kind's step: h^2 sum(k) / m + 2 h sum(c) / m = 4 for the narrowest
 * particle. */
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
static void assert_as_plain(const model *m, const mote_system *system, mote_network_id id) {
    const mote_network_stability_report r = report_of(system, id);
    double any[3], sharp[3];
    plain_bound(m, false, any), plain_bound(m, true, sharp);
    assert_within(r.any.frequency, any[0], 1e-12);
    assert_within(r.any.damping, any[1], 1e-12);
    assert_within(r.any.step, any[2], 1e-12);
    assert_within(r.sharp.frequency, sharp[0], 1e-3);
    assert_within(r.sharp.damping, sharp[1], 1e-3);
    assert_within(r.sharp.step, fmax(sharp[2], any[2]), 1e-3);
}

static void model_begin(model *m, const graph *g) {
    memset(m, 0, sizeof *m);
    m->g = g, m->springs = g->springs;
    for (uint32_t i = 0; i < g->pins; i++) m->pinned[g->pin[i]] = true;
    for (uint32_t i = 0; i < g->particles; i++)
        for (uint32_t axis = 0; axis < 3; axis++) m->at[i][axis] = (double)g->positions[3 * i + axis];
}

static void take_springs(model *m, const mote_system *system, mote_network_id id, uint32_t room) {
    m->springs = room;
    for (uint32_t i = 0; i < room; i++)
        m->alive[i] = mote_network_spring(system, id, i, &m->spring[i]) == MOTE_OK;
}

static void edit(mote_system *system, mote_network_id id, model *m, random_source *random) {
    const uint32_t particle = random_below(random, m->g->particles),
                   number = random_below(random, m->springs);
    const float *at = &m->g->positions[3 * particle];
    mote_spring more = {particle,
                        (particle + 1 + random_below(random, m->g->particles - 1)) % m->g->particles,
                        MOTE_AS_PLACED,
                        random_between(random, 1, 90),
                        random_between(random, 0, 3),
                        0};
    uint32_t added;
    switch (random_below(random, 5)) {
    case 0:
        if (!m->alive[number]) break;
        assert_int_equal(mote_network_remove_springs(system, id, 1, &number, NULL), MOTE_OK);
        break;
    case 1:
        assert_int_equal(mote_network_add_springs(system, id, 1, &more, &added, NULL), MOTE_OK);
        break;
    case 2:
        if (m->alive[number])
            assert_int_equal(mote_network_set_spring(system, id, number, more.stiffness, more.damping, 0),
                             MOTE_OK);
        break;
    case 3:
        if (m->pinned[particle])
            assert_int_equal(mote_network_unpin(system, id, particle), MOTE_OK);
        else
            assert_int_equal(mote_network_pin(system, id, particle, (vec3){at[0], at[1], at[2]}, 0), MOTE_OK);
        m->pinned[particle] = !m->pinned[particle];
        break;
    default:
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
        break; /* pins arrive; nothing else moves much */
    }
}

/* After each edit the sums are those of a plain loop over the springs that now are. */
TEST(edits_keep_it_up_to_date) {
    enum { ROOM = 60, EDITS = 60 };
    static graph g;
    static model m;
    for (uint64_t seed = 1; seed < 6; seed++) {
        random_source random = {seed};
        make_random(&g, 40 + seed, -1, 1);
        model_begin(&m, &g);
        mote_network_def def = graph_def(&g);
        mote_system_def system_def = mote_default_system_def();
        mote_system *system;
        mote_network_id id;
        def.spring_capacity = ROOM;
        assert_int_equal(mote_system_create(&system_def, &system), MOTE_OK);
        assert_int_equal(mote_system_add_network(system, &def, &id, NULL), MOTE_OK);
        memset(m.pinned, 0, sizeof m.pinned);
        for (int turn = 0; turn < EDITS; turn++) {
            take_springs(&m, system, id, ROOM);
            const mote_network_view view = mote_network_columns(system, id);
            const float *const columns[3] = {view.position.x, view.position.y, view.position.z};
            for (uint32_t i = 0; i < g.particles; i++)
                for (int axis = 0; axis < 3; axis++) m.at[i][axis] = (double)columns[axis][view.slot[i]];
            if (view.spring_count > 0) assert_as_plain(&m, system, id);
            if (view.spring_count < ROOM - 1)
                edit(system, id, &m, &random);
            else
                assert_int_equal(mote_network_remove_springs(system, id, 1, &(uint32_t){0}, NULL), MOTE_OK);
        }
        mote_system_destroy(system);
    }
}

/* One spring of a net is stiffer than all others: it sets the bound, with the particle at its end that has
 * the more springs. */
TEST(who_set_it) {
    static graph g;
    static const float stiffness[3] = {50, 40, 5}, damping[3] = {0};
    make_net(&g, "net", 8, false, stiffness, damping);
    for (uint32_t stiff = 0; stiff < g.springs; stiff += 17) {
        const float kept = g.spring[stiff].stiffness;
        g.spring[stiff].stiffness = 4000;
        FOR_EACH_INTEGRATOR(m) {
            mote_network_id id;
            mote_system *system = graph_system(&g, m, RATE, &id);
            const mote_network_stability_report r = report_of(system, id);
            ASSERT(r.any.spring, ==, stiff);
            ASSERT(r.sharp.spring, ==, stiff);
            assert_true(r.any.particle == g.spring[stiff].a || r.any.particle == g.spring[stiff].b);
            assert_true(r.sharp.particle == g.spring[stiff].a || r.sharp.particle == g.spring[stiff].b);
            mote_system_destroy(system);
        }
        g.spring[stiff].stiffness = kept;
    }
}

/* A heavy particle among light ones, and light ones between heavy ones: each way to split the springs is the
 * better once. */
TEST(masses_that_differ) {
    static graph g;
    enum { LEAVES = 20 };
    graph_begin(&g, "star", 1 + LEAVES, 2);
    g.masses[0] = 20;
    for (uint32_t i = 1; i <= LEAVES; i++) {
        g.positions[3 * i] = (float)cos(i), g.positions[3 * i + 1] = (float)sin(i);
        graph_spring(&g, 0, i, 100, 0);
    }
    mote_network_id id;
    mote_system *system = graph_system(&g, MOTE_SEMI_IMPLICIT_EULER, RATE, &id);
    assert_within(report_of(system, id).any.frequency, sqrt(2 * 100), 1e-6); /* by mass: sqrt(21 * 100) */
    mote_system_destroy(system);
    make_chain(&g, 9, MASSES_IN_TURN, 0, 100, 0);
    system = graph_system(&g, MOTE_SEMI_IMPLICIT_EULER, RATE, &id);
    assert_within(report_of(system, id).any.frequency, sqrt(2 * 100 * (1 + 1 / 9.0)),
                  1e-6); /* equally: sqrt(4 * 100) */
    mote_system_destroy(system);
}

/* --- Away from rest --- */

/* K v of the springs as they stand, across them too; all masses 1. */
static void stiffen_as_placed(const model *m, double v[][3], double out[][3]) {
    memset(out, 0, m->g->particles * sizeof *out);
    for (uint32_t i = 0; i < m->springs; i++) {
        const mote_spring *s = &m->spring[i];
        double d[3], u[3], length = 0, along = 0;
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = m->at[s->b][axis] - m->at[s->a][axis], length += d[axis] * d[axis];
            u[axis] = v[s->b][axis] - v[s->a][axis];
        }
        length = sqrt(length);
        for (int axis = 0; axis < 3; axis++) along += d[axis] / length * u[axis];
        const double across = (double)s->stiffness * (1 - (double)s->rest_length / length);
        for (int axis = 0; axis < 3; axis++) {
            const double n = d[axis] / length,
                         force = (double)s->stiffness * along * n + across * (u[axis] - along * n);
            out[s->a][axis] -= force, out[s->b][axis] += force;
        }
    }
}

static double fastest_as_placed(const model *m) {
    static double v[MOST_PARTICLES][3], next[MOST_PARTICLES][3];
    const double shift =
        2000; /* buckled springs are less than nothing: above that all eigenvalues are positive */
    double square = 0;
    for (uint32_t i = 0; i < 3 * m->g->particles; i++) v[i / 3][i % 3] = sin(1 + 7 * i);
    for (int turn = 0; turn < 4000; turn++) {
        double size = 0, product = 0;
        stiffen_as_placed(m, v, next);
        for (uint32_t i = 0; i < m->g->particles; i++)
            for (int axis = 0; axis < 3; axis++)
                size += v[i][axis] * v[i][axis], product += v[i][axis] * next[i][axis];
        square = product / size;
        for (uint32_t i = 0; i < m->g->particles; i++)
            for (int axis = 0; axis < 3; axis++)
                v[i][axis] = (next[i][axis] + shift * v[i][axis]) / sqrt(size) / (square + shift);
    }
    return sqrt(square);
}

/* Springs of up to twice and down to half of their rest length: no motion is faster than either bound says.
 * Blown up evenly, all springs pull across themselves too, and the sharp form is as near as at rest. */
TEST(stretched_nets) {
    static const float stiffness[3] = {90, 40, 10}, damping[3] = {0};
    static graph g;
    static model m;
    random_source random = {8};
    make_net(&g, "net", 6, false, stiffness, damping);
    g.pins = 0;
    for (int turn = 0; turn < 12; turn++) {
        mote_network_id id;
        mote_system *system = graph_system(&g, MOTE_SEMI_IMPLICIT_EULER, RATE, &id);
        mote_network_view view = mote_network_columns(system, id);
        float *const columns[3] = {view.position.x, view.position.y, view.position.z};
        const float apart = turn < 4 ? 0 : 0.05f * (float)(turn - 3),
                    scale = turn < 4 ? 0.7f + 0.4f * (float)turn : 1;
        model_begin(&m, &g);
        for (uint32_t i = 0; i < g.particles; i++)
            for (int axis = 0; axis < 3; axis++) {
                float *x = &columns[axis][view.slot[i]];
                *x = scale * *x + apart * random_between(&random, -0.5f, 0.5f);
                m.at[i][axis] = (double)*x;
            }
        take_springs(&m, system, id, g.springs);
        const mote_network_stability_report r = report_of(system, id);
        const double w = fastest_as_placed(&m);
        ASSERT(w, <=, r.sharp.frequency * (1 + 1e-9));
        ASSERT(r.sharp.frequency, <=, r.any.frequency * (1 + 1e-9));
        if (turn < 4) ASSERT(w, >=, 0.8 * r.sharp.frequency);
        assert_within(r.sharp.step, 2 / r.sharp.frequency, 1e-9);
        mote_system_destroy(system);
    }
}

/* A string that is stretched swings across itself; the kinematic integrators, which take each spring along
 * itself alone, blow that up at any step, and the sharp bound says so. Semi-implicit Euler does not. */
TEST(taut_strings) {
    static const mote_integrator integrators[] = {MOTE_KINEMATIC_AVERAGE, MOTE_KINEMATIC,
                                                  MOTE_SEMI_IMPLICIT_EULER};
    static graph g;
    make_chain(&g, 5, MASSES_EQUAL, 2, 40, 0);
    for (uint32_t i = 0; i < g.springs; i++) g.spring[i].rest_length = 0.8f;
    for (size_t i = 0; i < COUNT_OF(integrators); i++) {
        mote_network_id id;
        mote_system *system = graph_system(&g, integrators[i], RATE, &id);
        mote_network_view view = mote_network_columns(system, id);
        view.position.y[view.slot[2]] += 1e-3f;
        const bool kinematic = i < 2;
        ASSERT((report_of(system, id).sharp.step == 0), ==, kinematic);
        double largest = 0;
        for (int step = 0; step < 6000; step += 10) {
            assert_int_equal(mote_system_step(system, 10, NULL), MOTE_OK);
            largest = fmax(largest, fabs((double)view.position.y[view.slot[2]]));
        }
        assert_true(kinematic ? largest > 0.05 : largest < 2e-3);
        mote_system_destroy(system);
    }
}

/* --- Edges --- */

static void expect_none(const mote_network_stability_bound *b) {
    ASSERT(b->step, ==, HUGE_VAL);
    ASSERT(b->particle, ==, MOTE_NO_ITEM);
    ASSERT(b->spring, ==, MOTE_NO_ITEM);
}

TEST(nothing_to_bound) {
    static graph g;
    FOR_EACH_INTEGRATOR(m)
    for (int kind = 0; kind < 3; kind++) {
        mote_network_id id;
        make_chain(&g, 3, MASSES_EQUAL, kind == 1 ? 2 : 0, kind == 2 ? 0 : 9, 0);
        if (kind == 0) g.springs = 0;
        if (kind == 1) g.springs = 1, g.spring[0].b = 2; /* between two pins */
        mote_system *system = graph_system(&g, m, RATE, &id);
        const mote_network_stability_report r = report_of(system, id);
        expect_none(&r.any), expect_none(&r.sharp);
        ASSERT(r.any.frequency, ==, 0);
        ASSERT(r.any.damping, ==, 0);
        ASSERT(r.substeps, ==, 1);
        assert_within(r.substep, 1 / 60.0, 1e-12);
        mote_system_destroy(system);
    }
}

/* What lies between pins moves nothing: an undamped spring there does not spoil explicit Euler for damped
 * ones. */
TEST(springs_between_pins) {
    static graph g;
    make_chain(&g, 5, MASSES_EQUAL, 2, 40, 2);
    const double step = step_of(&g, MOTE_EXPLICIT_EULER);
    ASSERT(step, >, 0);
    graph_spring(&g, 0, 4, 1e6f, 0);
    ASSERT(step_of(&g, MOTE_EXPLICIT_EULER), ==, step);
    g.spring[0].damping = 0;
    ASSERT(step_of(&g, MOTE_EXPLICIT_EULER), ==, 0);
}

/* Springs that have no direction may pull in any; what is not finite does not spoil the rest. */
TEST(springs_without_direction) {
    static graph g;
    static const float strange[] = {NAN, INFINITY, 3e38f, 0};
    for (size_t i = 0; i < COUNT_OF(strange); i++) FOR_EACH_INTEGRATOR(m) {
            mote_network_id id;
            make_chain(&g, 4, MASSES_EQUAL, 1, 40, 1);
            g.spring[2].rest_length = 0;
            mote_system *system = graph_system(&g, m, RATE, &id);
            mote_network_view view = mote_network_columns(system, id);
            view.position.x[view.slot[1]] = strange[i];
            const mote_network_stability_report r = report_of(system, id);
            assert_true(isfinite(r.sharp.frequency));
            ASSERT(r.sharp.frequency, >, 0);
            ASSERT(r.sharp.frequency, <=, r.any.frequency * (1 + 1e-9));
            ASSERT(r.sharp.step, >=, 0);
            assert_true(isfinite(r.any.frequency));
            ASSERT(r.any.step, >=, 0);
            mote_system_destroy(system);
        }
    for (size_t i = 0; i < COUNT_OF(strange); i++) { /* a spring of its own there counts in full */
        mote_network_id id;
        make_spring(&g, 1, 40, 1, true);
        mote_system *system = graph_system(&g, MOTE_RK4, RATE, &id);
        mote_network_view view = mote_network_columns(system, id);
        view.position.x[view.slot[1]] = strange[i];
        const mote_network_stability_report r = report_of(system, id);
        assert_within(r.sharp.frequency, sqrt(40), 1e-9);
        assert_within(r.sharp.damping, 1, 1e-9);
        mote_system_destroy(system);
    }
    FOR_EACH_INTEGRATOR(m) { /* the largest and the smallest that floats hold */
        make_spring(&g, 1e-30, 3e38, 3e38, false);
        ASSERT(step_of(&g, m), >=, 0);
        make_spring(&g, 1e30, 1e-38, 1e-38, true);
        ASSERT(step_of(&g, m), >, 0);
    }
}

/* x.Mx / x.x for vectors all over the sphere comes near the largest eigenvalue from below. */
TEST(eigenvalues) {
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
        assert_within(mote_symmetric3_largest(m), largest, 1e-4);
    }
}
