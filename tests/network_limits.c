/* The reported bounds of networks beside the true largest stable steps at rest: never above them, and near
 * them on nets and chains. The true ones are found by bisection on the spectral radius of one substep's
 * matrix, which the double reference gives; on undamped nets from the largest eigenvalue of the stiffness
 * matrix; and some by stepping the engine. */
#include "network_limits.h"

/* Both bounds as parts of the true limit, at least. Far from edges the bound of a net with square meshes is
 * 0.92 of the limit; few particles of 25 are that far, and meshes of 3 by 4 let fewer springs stretch at
 * once. */
typedef struct expectation {
    double sharp, any;
} expectation;

static const expectation NEAR = {0.85, 0.6}, SMALL_OR_OBLONG = {0.78, 0.55}, SOMEWHERE = {0, 0};

static void expect_bounds(const mote_network_stability_report *r, double limit, expectation want) {
    const double sharp = r->sharp.step / limit, any = r->any.step / limit;
    if (getenv("MOTE_TEST_TABLE")) print_message("%.4f %.4f of %g s\n", sharp, any, limit);
    ASSERT(sharp, <=, 1);
    ASSERT(any, <=, sharp * (1 + 1e-9));
    ASSERT(sharp, >=, want.sharp);
    ASSERT(any, >=, want.any);
}

/* --- By matrices --- */

#define MOST_TIMES 4.0 /* the bound: no limit is looked for above that */

/* The first h that grows: upwards in steps of a tenth of `bound`, then by bisection to 2e-3 of it. */
static double true_limit(const graph *g, mote_integrator integrator, double bound) {
    double good = 0, bad = 0;
    for (int i = 1; i <= 10 * MOST_TIMES && bad == 0; i++)
        *(graph_grows(g, integrator, 0.1 * i * bound) ? &bad : &good) = 0.1 * i * bound;
    for (int i = 0; i < 6 && bad > 0; i++) {
        const double middle = 0.5 * (good + bad);
        *(graph_grows(g, integrator, middle) ? &bad : &good) = middle;
    }
    return bad > 0 ? bad : HUGE_VAL;
}

/* A bound of 0 says that every step grows, one of HUGE_VAL that none does: at some steps, in units of the
 * fastest frequency. Undamped springs may yet be damped by their neighbours, so that 0 promises nothing where
 * some are damped.
 */
static void check_extreme(const graph *g, mote_integrator integrator, double frequency, double bound) {
    static const double turns[] = {0.5, 0.8, 1.1, 3, 20};
    for (size_t i = 0; i < COUNT_OF(turns) && !(bound == 0 && g->damped); i++)
        ASSERT(graph_grows(g, integrator, turns[i] / frequency), ==, (bound == 0));
}

/* Both bounds are below the limit, and not farther than expected; where nothing is expected, no step below
 * grows. */
static void check_limit(const graph *g, mote_integrator integrator, expectation want) {
    const mote_network_stability_report r = stability_of_graph(g, integrator);
    test_case("%s, %s", g->name, integrator_name(integrator));
    ASSERT(r.any.frequency, >=, r.sharp.frequency * (1 - 1e-9));
    if (r.sharp.step == 0 || r.sharp.step == HUGE_VAL) {
        ASSERT(r.any.step, ==, r.sharp.step);
        check_extreme(g, integrator, r.sharp.frequency, r.sharp.step);
        return;
    }
    assert_false(graph_grows(g, integrator, r.any.step));
    if (want.sharp > 0) expect_bounds(&r, true_limit(g, integrator, r.sharp.step), want);
    for (int i = 1; i <= 10 && want.sharp == 0; i++)
        assert_false(graph_grows(g, integrator, 0.1 * i * r.sharp.step));
}

TEST(bounds_of_chains_are_below_the_limit_and_near_it) {
    static const float damping[] = {0.5f, 4, 30};
    static graph g;
    for (int masses = 0; masses < MASS_KINDS; masses++)
        for (uint32_t i = 0; i < 3; i++) {
            make_chain(&g, 12, masses, i, 40, 0);
            FOR_EACH_INTEGRATOR(m) check_limit(&g, m, NEAR);
            make_chain(&g, 9, masses, 1, 40, damping[i]);
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

/* The references of the kinematic integrators are the slowest. */
TEST(bounds_of_damped_nets_are_below_the_limit) {
    static graph g;
    for (size_t i = UNDAMPED_NETS; i < COUNT_OF(nets_of); i++) FOR_EACH_INTEGRATOR(m) {
            const bool kinematic = m == MOTE_KINEMATIC || m == MOTE_KINEMATIC_AVERAGE;
            make_net(&g, nets_of[i].name, kinematic ? 3 : 4, true, nets_of[i].stiffness, nets_of[i].damping);
            check_limit(&g, m, SOMEWHERE);
        }
}

TEST(bounds_of_random_graphs_are_below_the_limit) {
    static const float ratios[][2] = {{0, 0}, {0.05f, 0.05f}, {0.01f, 0.2f}, {0.2f, 2}, {-1, 0.5f}, {-1, 5}};
    static graph g;
    for (uint64_t seed = 0; seed < 18; seed++) {
        make_random(&g, 1 + seed, ratios[seed % COUNT_OF(ratios)][0], ratios[seed % COUNT_OF(ratios)][1]);
        FOR_EACH_INTEGRATOR(m) check_limit(&g, m, SOMEWHERE);
    }
}

/* One particle in a plane between pins: springs across each other, and a damper at an angle, so that
 * stiffness and damping have no common modes. The sharp bound's frequency and damping are then exact, and
 * nothing is left but its margin for that. */
static void make_crossed(graph *g, float across, float damping, double angle) {
    graph_begin(g, "crossed", 4, 2);
    for (uint32_t i = 0; i < 3; i++) g->pin[g->pins++] = i;
    g->positions[0] = 1, g->positions[4] = 1;
    g->positions[6] = (float)cos(angle), g->positions[7] = (float)sin(angle);
    graph_spring(g, 0, 3, 1, 0);
    graph_spring(g, 1, 3, across, 0);
    graph_spring(g, 2, 3, 0, damping);
}

TEST(nothing_grows_below_the_bound_of_crossed_dampers) {
    static const float dampings[] = {0.3f, 0.8f, 1.3f, 1.6f, 2.2f, 3, 6};
    static const double below[] = {1, 0.97, 0.94, 0.85, 0.7, 0.4};
    static graph g;
    for (size_t c = 0; c < COUNT_OF(dampings); c++)
        for (int across = 0; across < 4; across++)
            for (int angle = 1; angle < 16; angle += 2) {
                make_crossed(&g, 0.05f + 0.25f * (float)across, dampings[c], 0.1 * angle);
                FOR_EACH_INTEGRATOR(m) {
                    const double bound = stability_of_graph(&g, m).sharp.step;
                    test_case("%s, stiffness %g, damping %g at %g", integrator_name(m),
                              (double)g.spring[1].stiffness, (double)dampings[c], 0.1 * angle);
                    for (size_t i = 0; i < COUNT_OF(below) && bound > 0; i++)
                        assert_false(graph_grows(&g, m, below[i] * bound));
                }
            }
}

/* --- By the stiffness matrix --- */

/* M^(-1/2) K M^(-1/2) v, undamped springs at rest. */
static void stiffen(const graph *g, const double *v, double *out) {
    memset(out, 0, 2 * g->particles * sizeof *out);
    for (uint32_t i = 0; i < g->springs; i++) {
        const mote_spring *s = &g->spring[i];
        const float *a = &g->positions[3 * s->a], *b = &g->positions[3 * s->b];
        const double d[2] = {(double)(b[0] - a[0]), (double)(b[1] - a[1])}, length = hypot(d[0], d[1]);
        double r[2] = {1 / sqrt((double)g->masses[s->a]), 1 / sqrt((double)g->masses[s->b])}, along = 0;
        for (uint32_t k = 0; k < g->pins; k++) r[0] *= s->a != g->pin[k], r[1] *= s->b != g->pin[k];
        for (int axis = 0; axis < 2; axis++)
            along += d[axis] / length * (r[1] * v[2 * s->b + axis] - r[0] * v[2 * s->a + axis]);
        for (int axis = 0; axis < 2; axis++) {
            out[2 * s->b + axis] += (double)s->stiffness * along * r[1] * d[axis] / length;
            out[2 * s->a + axis] -= (double)s->stiffness * along * r[0] * d[axis] / length;
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
static double limit_alone(const graph *at) {
    static graph g;
    double stiffest = 0;
    for (uint32_t i = 0; i < at->springs; i++) stiffest = fmax(stiffest, (double)at->spring[i].stiffness);
    double good = 0, bad = acos(-1) / sqrt(2 * stiffest);
    g = *at;
    while (bad - good > 1e-3 * bad) {
        const double h = 0.5 * (good + bad);
        for (uint32_t i = 0; i < g.springs; i++)
            g.spring[i].stiffness = (float)(0.5 * (1 - cos(sqrt(2 * (double)at->spring[i].stiffness) * h)));
        *(fastest(&g) <= sqrt(2) ? &good : &bad) = h;
    }
    return bad;
}

/* Undamped, the modes are common: the limit is that of one spring, and there is none to look for where a
 * spring grows at any step. Of the kinematic integrators it is not. */
static double limit_of_net(const graph *g, mote_integrator m, double frequency) {
    if (m == MOTE_KINEMATIC) return 0;
    if (m == MOTE_KINEMATIC_AVERAGE) return g->pins == 0 && g->particles < 100 ? limit_alone(g) : 0;
    const bool kicks = m == MOTE_IMPLICIT_EULER || m == MOTE_EXACT_FLOW;
    return (kicks ? 2 : mote_integrator_describe(m)->stable_z) / frequency;
}

TEST(bounds_of_undamped_nets_are_below_the_limit_and_near_it) {
    static const struct {
        uint32_t side;
        bool oblong, free;
        const expectation *want;
    } nets[] = {
        {5, false, false, &SMALL_OR_OBLONG}, {5, true, true, &SMALL_OR_OBLONG}, {8, false, true, &NEAR},
        {8, true, true, &SMALL_OR_OBLONG},   {16, false, false, &NEAR},         {16, false, true, &NEAR}};
    static graph g;
    for (size_t i = 0; i < COUNT_OF(nets) * UNDAMPED_NETS; i++) {
        const struct network_kind *kind = &nets_of[i % UNDAMPED_NETS];
        const size_t n = i / UNDAMPED_NETS;
        make_net(&g, kind->name, nets[n].side, nets[n].oblong, kind->stiffness, kind->damping);
        if (nets[n].free) g.pins = 0;
        const double w = fastest(&g);
        FOR_EACH_INTEGRATOR(m) {
            const double limit = limit_of_net(&g, m, w);
            const mote_network_stability_report r = stability_of_graph(&g, m);
            test_case("%s, side %u, %s", g.name, nets[n].side, integrator_name(m));
            ASSERT(r.sharp.frequency, >=, w * (1 - 1e-9));
            ASSERT(r.any.frequency, >=, r.sharp.frequency * (1 - 1e-9));
            if (limit > 0) expect_bounds(&r, limit, *nets[n].want);
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
    mote_system *system = graph_system(&g, integrator, &id);
    const mote_network_view view = mote_network_columns(system, id);
    for (uint32_t i = 0; i < g.particles; i++)
        for (uint32_t axis = 0; axis < g.axes && view.inverse_mass[view.slot[i]] > 0; axis++)
            *column_of(system, id, i, axis) += (float)start * random_between(&random, -1, 1);
    for (uint32_t step = 0; step < steps && largest < 1000 * start; step += 50) {
        OK(mote_system_step(system, 50, NULL));
        for (uint32_t i = 0; i < g.particles; i++)
            for (uint32_t axis = 0; axis < g.axes; axis++) {
                const float x = *column_of(system, id, i, axis);
                const double away = fabs((double)x - (double)g.positions[3 * i + axis]);
                largest = isfinite(away) ? fmax(largest, away) : HUGE_VAL;
            }
    }
    mote_system_destroy(system);
    return largest / start;
}

/* A stiff spring that is hardly damped beside a soft one that is damped: no spring has the stiffness of the
 * one and the damping of the other, under which explicit Euler takes far longer steps. */
TEST(springs_side_by_side_have_no_longer_step_than_each_alone) {
    static graph g;
    static const float springs[2][2] = {{1e4f, 0.01f}, {1, 10}};
    FOR_EACH_INTEGRATOR(m) {
        mote_network_stability_report r[3]; /* of each alone, of both */
        for (uint32_t n = 0; n < 3; n++) {
            graph_begin(&g, "springs side by side", 4, 1);
            for (uint32_t i = 0; i < 4; i++) g.positions[3 * i] = (float)i;
            for (uint32_t i = 0; i < 2; i++)
                if (n == i || n == 2) graph_spring(&g, 2 * i, 2 * i + 1, springs[i][0], springs[i][1]);
            r[n] = stability_of_graph(&g, m);
        }
        const double least = fmin(r[0].any.step, r[1].any.step) * (1 + 1e-6);
        test_case("%s", integrator_name(m));
        ASSERT(r[2].any.step, <=, least);
        ASSERT(r[2].sharp.step, <=, least);
    }
}

/* At the sharp bound a disturbance stays small: a mode at a hundredth below its limit is 1 / sqrt(1 - 0.99^2)
 * = 7 times as long as wide, some add up, and a free network drifts. Above the limit it grows. */
TEST(the_engine_is_stable_at_the_bound_and_grows_above_the_limit) {
    static graph graphs[3];
    make_chain(&graphs[0], 12, MASSES_ANY, 1, 40, 0);
    make_net(&graphs[1], "net", 4, true, nets_of[0].stiffness, nets_of[0].damping);
    make_net(&graphs[2], "damped net", 4, true, nets_of[3].stiffness, nets_of[3].damping);
    for (size_t i = 0; i < COUNT_OF(graphs); i++) FOR_EACH_INTEGRATOR(m) {
            const double bound = stability_of_graph(&graphs[i], m).sharp.step;
            if (bound == 0) continue;
            test_case("%s, %s", graphs[i].name, integrator_name(m));
            ASSERT(growth_by_engine(&graphs[i], m, 0.99 * bound, 3000), <, 100);
            const double limit = true_limit(&graphs[i], m, bound);
            ASSERT(growth_by_engine(&graphs[i], m, 1.02 * limit, 30000), >=, 1000);
        }
}

/* Positions after one step from rest, with coordinate `moved` displaced. Position Verlet's first step is half
 * a kick: its second is taken, from the same place. */
static void step_by_engine(const graph *g, mote_integrator integrator, uint32_t moved, float apart,
                           double *x) {
    mote_network_id id;
    mote_system *system = graph_system(g, integrator, &id);
    for (int turn = integrator == MOTE_POSITION_VERLET ? 0 : 1; turn < 2; turn++) {
        for (uint32_t i = 0; i < 2 * g->particles; i++) {
            *column_of(system, id, i / 2, i % 2) =
                g->positions[3 * (i / 2) + i % 2] + (i == moved ? apart : 0);
            *column_of(system, id, i / 2, 3 + i % 2) = 0;
        }
        OK(mote_system_step(system, 1, NULL));
    }
    for (uint32_t i = 0; i < 2 * g->particles; i++) x[i] = (double)*column_of(system, id, i / 2, i % 2);
    mote_system_destroy(system);
}

/* Entry by entry. Float32 differences over 2^-8 of positions of up to 8 err by 2^-22 / 2^-8 = 2^-14 an
 * operation, of which a stage has some; the springs' curvature adds (2^-8)^2 / 2. */
TEST(a_step_of_the_engine_is_the_references_matrix) {
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
                test_case("%s: entry %u, %u", integrator_name(m), row, column);
                ASSERT_NEAR((behind[row] - before[row]) / (2 * (double)apart),
                            want.entry[row * want.size + column], 0x1p-11);
            }
        }
        matrix_free(&want);
    }
}

/* Each spring taken as if alone, coupled ones gain at any step; with the average velocity they do not. */
TEST(kinematic_springs_gain_energy_and_those_with_the_average_velocity_do_not) {
    static graph g;
    make_chain(&g, 6, MASSES_EQUAL, 2, 40, 0);
    const double h = 0.7 / sqrt(2 * 40);
    ASSERT(stability_of_graph(&g, MOTE_KINEMATIC).any.step, ==, 0);
    ASSERT(growth_by_engine(&g, MOTE_KINEMATIC, h, 20000), >=, 1000);
    ASSERT(growth_by_engine(&g, MOTE_KINEMATIC_AVERAGE, h, 20000), <, 100);
}
