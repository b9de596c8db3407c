/* The told bounds of networks beside the true largest stable steps at rest: never above them, and near them
 * on nets and chains. The true ones are found by bisection on the spectral radius of one substep's matrix,
 * which the double reference gives; on large nets from the largest eigenvalue of the stiffness matrix; and
 * some by stepping the engine. */
#include <stdio.h>
#include "test.h"

#include "network_limits.h"

#define FOR_EACH_INTEGRATOR(m)                                                                               \
    for (mote_integrator m = 0; m < MOTE_INTEGRATOR_COUNT; m++)                                              \
        if (!advects(m))

static const mote_rate RATE = {60, 1};

static mote_network_stability_report told(const graph *g, mote_integrator integrator) {
    mote_network_id id;
    mote_system *system = graph_system(g, integrator, RATE, &id);
    const mote_network_stability_report report = report_of(system, id);
    mote_system_destroy(system);
    return report;
}

/* --- By matrices --- */

#define MOST_TIMES 4.0 /* the bound: farther up nothing is looked for */

/* The first h that grows: upwards in steps of a tenth of `bound`, then by bisection to 2e-3 of it. */
static double true_limit(const graph *g, mote_integrator integrator, double bound) {
    double good = 0, bad = 0;
    for (int i = 1; i <= 10 * MOST_TIMES && bad == 0; i++) {
        if (graph_grows(g, integrator, 0.1 * i * bound))
            bad = 0.1 * i * bound;
        else
            good = 0.1 * i * bound;
    }
    for (int i = 0; i < 6 && bad > 0; i++) {
        const double middle = 0.5 * (good + bad);
        *(graph_grows(g, integrator, middle) ? &bad : &good) = middle;
    }
    return bad > 0 ? bad : HUGE_VAL;
}

/* What a bound of 0 says, and one of HUGE_VAL: at some steps, in units of the fastest frequency. */
static void check_extreme(const graph *g, mote_integrator integrator, double frequency, double bound) {
    static const double turns[] = {0.5, 0.8, 1.1, 3, 20};
    for (size_t i = 0; i < COUNT_OF(turns); i++) {
        const bool grows = graph_grows(g, integrator, turns[i] / frequency);
        if (bound == 0 && g->damped)
            continue; /* what is undamped may yet be damped by its neighbours: nothing is promised */
        if (grows != (bound == 0))
            fail_msg("%s, %s: h w = %g", g->name, mote_integrator_describe(integrator)->name, turns[i]);
    }
}

typedef struct expectation {
    double sharp, any; /* of the true limit, at least */
} expectation;

/* Both bounds are below the limit, and not farther than expected. */
static void check_limit(const graph *g, mote_integrator integrator, expectation want) {
    const mote_network_stability_report r = told(g, integrator);
    const char *name = mote_integrator_describe(integrator)->name;
    ASSERT(r.any.step, <=, r.sharp.step * (1 + 1e-9));
    ASSERT(r.any.frequency, >=, r.sharp.frequency * (1 - 1e-9));
    if (r.sharp.step == 0 || r.sharp.step == HUGE_VAL) {
        ASSERT(r.any.step, ==, r.sharp.step);
        check_extreme(g, integrator, r.sharp.frequency, r.sharp.step);
        return;
    }
    if (graph_grows(g, integrator, r.any.step)) fail_msg("%s, %s: grows at the bound", g->name, name);
    const double limit = true_limit(g, integrator, r.sharp.step), sharp = r.sharp.step / limit,
                 any = r.any.step / limit;
    if (getenv("MOTE_TEST_TABLE")) print_message("%-22s %-44s %.4f %.4f\n", name, g->name, sharp, any);
    if (!(sharp <= 1) || !(sharp >= want.sharp) || !(any >= want.any))
        fail_msg("%s, %s: sharp %g, any %g of the limit", g->name, name, sharp, any);
}

/* Far from edges the bound of a net with square meshes is 0.92 of the limit; few particles of 25 are that,
 * and meshes of 3 by 4 let fewer springs stretch at once. */
static const expectation NEAR = {0.85, 0.6}, SMALL_OR_OBLONG = {0.78, 0.55}, SOMEWHERE = {0, 0};

TEST(chains) {
    static graph g;
    for (int masses = 0; masses < MASS_KINDS; masses++)
        for (uint32_t pins = 0; pins < 3; pins++) {
            make_chain(&g, 12, masses, pins, 40, 0);
            FOR_EACH_INTEGRATOR(m) check_limit(&g, m, NEAR);
        }
}

TEST(damped_chains) {
    static const float damping[] = {0.5f, 4, 30};
    static graph g;
    for (int masses = 0; masses < MASS_KINDS; masses++)
        for (size_t c = 0; c < COUNT_OF(damping); c++) {
            make_chain(&g, 9, masses, 1, 40, damping[c]);
            FOR_EACH_INTEGRATOR(m) check_limit(&g, m, SOMEWHERE);
        }
}

/* Stiffness and damping of structural, shear and bend springs. The last three do not commute. */
static const struct network_kind {
    const char *name;
    float stiffness[3], damping[3];
} nets_of[] = {
    {"net, alike", {50, 50, 50}, {0, 0, 0}},       {"net, soft bend", {90, 30, 5}, {0, 0, 0}},
    {"net, no bend", {90, 90, 0}, {0, 0, 0}},      {"net, damped", {50, 50, 50}, {0.5f, 0.5f, 0.5f}},
    {"net, much damped", {50, 50, 50}, {5, 5, 5}}, {"net, structural damped", {50, 50, 50}, {2, 0, 0}},
    {"net, bend damped", {90, 40, 5}, {0, 0, 4}},  {"net, dampers across", {90, 0, 5}, {0.1f, 8, 1}}};
enum { UNDAMPED_NETS = 3 };

TEST(nets) {
    static graph g;
    for (size_t i = 0; i < COUNT_OF(nets_of); i++) {
        const struct network_kind *kind = &nets_of[i];
        const bool damped = i >= UNDAMPED_NETS;
        for (int oblong = damped; oblong < 2; oblong++) FOR_EACH_INTEGRATOR(m) {
                const bool kinematic =
                    m == MOTE_KINEMATIC || m == MOTE_KINEMATIC_AVERAGE; /* the slowest in the reference */
                make_net(&g, kind->name, 5u - (uint32_t)(oblong + kinematic), oblong, kind->stiffness,
                         kind->damping);
                check_limit(&g, m, damped ? SOMEWHERE : SMALL_OR_OBLONG);
            }
    }
}

TEST(random_graphs) {
    static const float ratios[][2] = {{0, 0}, {0.05f, 0.05f}, {0.01f, 0.2f}, {0.2f, 2}, {-1, 0.5f}, {-1, 5}};
    static graph g;
    for (uint64_t seed = 0; seed < 18; seed++) {
        make_random(&g, 1 + seed, ratios[seed % COUNT_OF(ratios)][0], ratios[seed % COUNT_OF(ratios)][1]);
        FOR_EACH_INTEGRATOR(m) check_limit(&g, m, SOMEWHERE);
    }
}

/* One particle in a plane between pins: springs across each other, and a damper at an angle, so that
 * stiffness and damping have no common modes. The sharp bound's frequency and damping are then exact, and
 * nothing is left but what it allows for that. */
static void make_crossed(graph *g, float across, float damping, double angle) {
    graph_begin(g, "crossed", 4, 2);
    g->alike = false;
    for (uint32_t i = 0; i < 3; i++) g->pin[g->pins++] = i;
    g->positions[0] = 1, g->positions[4] = 1;
    g->positions[6] = (float)cos(angle), g->positions[7] = (float)sin(angle);
    graph_spring(g, 0, 3, 1, 0);
    graph_spring(g, 1, 3, across, 0);
    graph_spring(g, 2, 3, 0, damping);
}

TEST(crossed_dampers) {
    static const float dampings[] = {0.3f, 0.8f, 1.3f, 1.6f, 2.2f, 3, 6};
    static const double below[] = {1, 0.97, 0.94, 0.85, 0.7, 0.4};
    static graph g;
    for (size_t c = 0; c < COUNT_OF(dampings); c++)
        for (int across = 0; across < 4; across++)
            for (int angle = 1; angle < 16; angle += 2) {
                make_crossed(&g, 0.05f + 0.25f * (float)across, dampings[c], 0.1 * angle);
                FOR_EACH_INTEGRATOR(m) {
                    const double bound = told(&g, m).sharp.step;
                    for (size_t i = 0; i < COUNT_OF(below) && bound > 0; i++)
                        if (graph_grows(&g, m, below[i] * bound))
                            fail_msg("%s: %g, %g at %g: grows at %g of the bound",
                                     mote_integrator_describe(m)->name, (double)g.spring[1].stiffness,
                                     (double)dampings[c], 0.1 * angle, below[i]);
                }
            }
}

/* --- Large nets --- */

/* M^(-1/2) K M^(-1/2) v, undamped springs at rest. */
static void stiffen(const graph *g, const double *v, double *out) {
    memset(out, 0, 2 * g->particles * sizeof *out);
    for (uint32_t i = 0; i < g->springs; i++) {
        const mote_spring *s = &g->spring[i];
        const float *a = &g->positions[3 * s->a], *b = &g->positions[3 * s->b];
        const double d[2] = {(double)(b[0] - a[0]), (double)(b[1] - a[1])}, length = hypot(d[0], d[1]);
        const double ra = 1 / sqrt((double)g->masses[s->a]), rb = 1 / sqrt((double)g->masses[s->b]);
        double along = 0;
        for (int axis = 0; axis < 2; axis++)
            along += d[axis] / length * (rb * v[2 * s->b + axis] - ra * v[2 * s->a + axis]);
        for (int axis = 0; axis < 2; axis++) {
            out[2 * s->b + axis] += (double)s->stiffness * along * rb * d[axis] / length;
            out[2 * s->a + axis] -= (double)s->stiffness * along * ra * d[axis] / length;
        }
    }
}

/* rad/s, from below: the Rayleigh quotient of the power method, whose error goes with the square of the
 * vector's. */
static double fastest(const graph *g) {
    static double v[2 * MOST_PARTICLES], next[2 * MOST_PARTICLES];
    double square = 0;
    for (uint32_t i = 0; i < 2 * g->particles; i++) v[i] = sin(1 + 7 * i);
    for (int turn = 0; turn < 600; turn++) {
        double size = 0, product = 0;
        stiffen(g, v, next);
        for (uint32_t i = 0; i < 2 * g->particles; i++) size += v[i] * v[i], product += v[i] * next[i];
        square = product / size;
        for (uint32_t i = 0; i < 2 * g->particles; i++) v[i] = next[i] / sqrt(size) / square;
    }
    return sqrt(square);
}

/* Each spring alone, with the average velocity: a motion u grows where the sum over the springs of mu (1 -
 * cos w h) (n.u)^2 is more than 2, which is u.Ku of such stiffnesses. The springs of these nets join
 * particles of 1 kg. */
static double fastest_alone(const graph *at, double h) {
    static graph g;
    g = *at;
    for (uint32_t i = 0; i < g.springs; i++)
        g.spring[i].stiffness = (float)(0.5 * (1 - cos(sqrt(2 * (double)at->spring[i].stiffness) * h)));
    return fastest(&g);
}

static double limit_alone(const graph *g) {
    double stiffest = 0;
    for (uint32_t i = 0; i < g->springs; i++) stiffest = fmax(stiffest, (double)g->spring[i].stiffness);
    double good = 0, bad = acos(-1) / sqrt(2 * stiffest);
    while (bad - good > 1e-3 * bad) {
        const double middle = 0.5 * (good + bad);
        *(fastest_alone(g, middle) <= sqrt(2) ? &good : &bad) = middle;
    }
    return bad;
}

/* Undamped, the modes are common: the limit is that of one spring. Of the kinematic integrators it is not. */
static double limit_of_net(const graph *g, mote_integrator m, double frequency) {
    if (m == MOTE_KINEMATIC_AVERAGE) return limit_alone(g);
    const double z =
        m == MOTE_IMPLICIT_EULER || m == MOTE_EXACT_FLOW ? 2 : mote_integrator_describe(m)->stable_z;
    return z / frequency;
}

TEST(large_nets) {
    static const uint32_t sides[] = {8, 16};
    static graph g;
    for (size_t i = 0; i < COUNT_OF(sides) * UNDAMPED_NETS; i++) {
        const struct network_kind *kind = &nets_of[i / 2];
        make_net(&g, kind->name, sides[i % 2], false, kind->stiffness, kind->damping);
        g.pins = 0;
        const double w = fastest(&g);
        FOR_EACH_INTEGRATOR(m) {
            if (m == MOTE_KINEMATIC || (m == MOTE_KINEMATIC_AVERAGE && sides[i % 2] > 8)) continue;
            const double limit = limit_of_net(&g, m, w);
            if (limit == 0) continue;
            const mote_network_stability_report r = told(&g, m);
            const double sharp = r.sharp.step / limit, any = r.any.step / limit;
            if (getenv("MOTE_TEST_TABLE"))
                print_message("%-22s %2u %-41s %.4f %.4f\n", mote_integrator_describe(m)->name,
                              (unsigned)sides[i % 2], g.name, sharp, any);
            if (!(sharp <= 1) || !(any <= 1) || !(sharp >= NEAR.sharp) || !(any >= NEAR.any))
                fail_msg("%s, %s: sharp %g, any %g of the limit", g.name, mote_integrator_describe(m)->name,
                         sharp, any);
            ASSERT(r.sharp.frequency, >=, w);
            ASSERT(r.any.frequency, >=, r.sharp.frequency);
        }
    }
}

/* --- By the engine --- */

/* The same graph with its time scaled so that h seconds become 1/60. */
static void in_frames(graph *g, double h) {
    for (uint32_t i = 0; i < g->springs; i++) {
        g->spring[i].stiffness = (float)((double)g->spring[i].stiffness * (60 * h) * (60 * h));
        g->spring[i].damping = (float)((double)g->spring[i].damping * 60 * h);
    }
}

/* How many times farther from rest than at first the engine comes in `steps` steps of h. */
static double growth_by_engine(const graph *at, mote_integrator integrator, double h, uint32_t steps) {
    static graph g;
    mote_network_id id;
    random_source random = {12};
    double largest = 0;
    const double start = 1e-4;
    g = *at;
    in_frames(&g, h);
    mote_system *system = graph_system(&g, integrator, RATE, &id);
    mote_network_view view = mote_network_columns(system, id);
    float *const column[2] = {view.position.x, view.position.y};
    for (uint32_t i = 0; i < g.particles; i++)
        for (uint32_t axis = 0; axis < g.axes && view.inverse_mass[view.slot[i]] > 0; axis++)
            column[axis][view.slot[i]] += (float)start * random_between(&random, -1, 1);
    for (uint32_t step = 0; step < steps && largest < 1000 * start; step += 50) {
        assert_int_equal(mote_system_step(system, 50, NULL), MOTE_OK);
        for (uint32_t i = 0; i < g.particles; i++)
            for (uint32_t axis = 0; axis < g.axes; axis++) {
                const double away =
                    fabs((double)column[axis][view.slot[i]] - (double)g.positions[3 * i + axis]);
                largest = isfinite(away) ? fmax(largest, away) : HUGE_VAL;
            }
    }
    mote_system_destroy(system);
    return largest / start;
}

/* At the sharp bound what was disturbed stays near: a mode at a hundredth below its limit is 1 / sqrt(1 -
 * 0.99^2) = 7 times as long as wide, some add up, and what is free drifts. Above the limit it grows. */
TEST(engine_at_the_bound) {
    static graph graphs[3];
    make_chain(&graphs[0], 12, MASSES_ANY, 1, 40, 0);
    make_net(&graphs[1], "net", 4, true, nets_of[0].stiffness, nets_of[0].damping);
    make_net(&graphs[2], "damped net", 4, true, nets_of[3].stiffness, nets_of[3].damping);
    for (size_t i = 0; i < COUNT_OF(graphs); i++) FOR_EACH_INTEGRATOR(m) {
            const double bound = told(&graphs[i], m).sharp.step;
            if (bound == 0) continue;
            const double limit = true_limit(&graphs[i], m, bound),
                         stays = growth_by_engine(&graphs[i], m, 0.99 * bound, 3000);
            const double grows = growth_by_engine(&graphs[i], m, 1.02 * limit, 30000);
            if (!(stays < 100) || !(grows >= 1000))
                fail_msg("%s, %s: %g at the bound, %g above the limit", graphs[i].name,
                         mote_integrator_describe(m)->name, stays, grows);
        }
}

/* Positions after one step from rest, with number `moved` displaced. Position Verlet's first step is half a
 * kick: the second is looked at, from the same place. */
static void step_by_engine(const graph *g, mote_integrator integrator, uint32_t moved, float apart,
                           double *x) {
    mote_network_id id;
    mote_system *system = graph_system(g, integrator, RATE, &id);
    mote_network_view view = mote_network_columns(system, id);
    float *const places[2] = {view.position.x, view.position.y}, *const rates[2] = {view.velocity.x,
                                                                                    view.velocity.y};
    for (int turn = integrator == MOTE_POSITION_VERLET ? 0 : 1; turn < 2; turn++) {
        for (uint32_t i = 0; i < 2 * g->particles; i++) {
            places[i % 2][view.slot[i / 2]] = g->positions[3 * (i / 2) + i % 2] + (i == moved ? apart : 0);
            rates[i % 2][view.slot[i / 2]] = 0;
        }
        assert_int_equal(mote_system_step(system, 1, NULL), MOTE_OK);
    }
    for (uint32_t i = 0; i < 2 * g->particles; i++) x[i] = (double)places[i % 2][view.slot[i / 2]];
    mote_system_destroy(system);
}

/* Entry by entry, a step of the engine is the reference's matrix. Float32 differences over 2^-8 of positions
 * of up to 8 err by 2^-22 / 2^-8 = 2^-14 an operation, of which a stage has some; the springs' curvature adds
 * (2^-8)^2 / 2. */
TEST(engine_is_the_matrix) {
    static graph g;
    enum { PARTICLES = 9 };
    const float apart = 0x1p-8f;
    make_net(&g, "net", 3, true, nets_of[5].stiffness, nets_of[5].damping);
    in_frames(&g, 0.1);
    FOR_EACH_INTEGRATOR(m) {
        step_matrix want = substep_matrix(&g, m, 1 / 60.0);
        for (uint32_t column = 0; column < 2 * PARTICLES; column++) {
            double before[2 * PARTICLES], behind[2 * PARTICLES];
            step_by_engine(&g, m, column, -apart, before);
            step_by_engine(&g, m, column, apart, behind);
            for (uint32_t row = 0; row < 2 * PARTICLES; row++) {
                const double got = (behind[row] - before[row]) / (2 * (double)apart);
                const double entry = want.entry[row * want.size + column];
                if (!(fabs(got - entry) <= 0x1p-11))
                    fail_msg("%s: entry %u, %u is %g, not %g", mote_integrator_describe(m)->name,
                             (unsigned)row, (unsigned)column, got, entry);
            }
        }
        matrix_free(&want);
    }
}

/* Each spring taken as if alone, coupled ones gain at any step; with the average velocity they do not. */
TEST(kinematic_springs_gain) {
    static graph g;
    make_chain(&g, 6, MASSES_EQUAL, 2, 40, 0);
    const double h = 0.7 / sqrt(2 * 40);
    ASSERT(told(&g, MOTE_KINEMATIC).any.step, ==, 0);
    ASSERT(growth_by_engine(&g, MOTE_KINEMATIC, h, 20000), >=, 1000);
    ASSERT(growth_by_engine(&g, MOTE_KINEMATIC_AVERAGE, h, 20000), <, 100);
}
