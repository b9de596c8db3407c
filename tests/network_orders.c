/* Coupled bodies: PHYSICS 5, and every integrator's order on a small network. The engine is compared with the
 * double reference at steps whose error float32 can show; the reference itself with the figures and with
 * itself at tiny steps. */
#include "test.h"

#include "network_mesh.h"

/* --- PHYSICS 5: two coupled bodies --- */

static const double MASS[2] = {1, 2}, STIFFNESS = 15, DAMPING = 0.3, LENGTH = 1, SECONDS = 2;
static const double START_X[2] = {0, 1.5}, START_V[2] = {0.4, -0.7};
static const double EXACT_X[2] = {-0.1256207645049599, 0.56281038225248},
                    EXACT_V[2] = {-0.8510020989522068, -0.07449895052389655};

typedef struct pair {
    double x[2], v[2];
} pair;

static double error_of(const pair *p) {
    double worst = 0;
    for (int i = 0; i < 2; i++)
        worst = fmax(worst, fmax(fabs(p->x[i] - EXACT_X[i]), fabs(p->v[i] - EXACT_V[i])));
    return worst;
}

/* What has come to the momentum since the start. */
static double momentum_of(const pair *p) {
    return MASS[0] * (p->v[0] - START_V[0]) + MASS[1] * (p->v[1] - START_V[1]);
}

static mote_network_def pair_def(void) {
    static const float positions[6] = {0, 0, 0, 1.5f, 0, 0}, velocities[6] = {0.4f, 0, 0, -0.7f, 0, 0},
                       masses[2] = {1, 2};
    static const mote_spring spring = {0, 1, 1, 15, 0.3f, 0};
    mote_network_def def = mote_default_network_def();
    def.particle_count = 2;
    def.positions = positions, def.velocities = velocities, def.masses = masses;
    def.spring_count = 1;
    def.springs = &spring;
    return def;
}

/* In double, the numbers themselves, not the floats next to them. */
static pair run_plain(mote_integrator integrator, uint32_t steps) {
    const mote_network_def def = pair_def();
    reference_network *n = reference_network_make(&def, true);
    reference_surroundings w = {
        .integrator = integrator, .timestep = SECONDS / steps, .substeps = 1, .ticks_per_step = 1};
    n->spring[0].damping = DAMPING;
    for (int i = 0; i < 2; i++) n->dv[i][0] = START_V[i];
    for (; w.step < steps; w.step++) reference_network_step(n, &w);
    const pair end = {{n->dx[0][0], n->dx[1][0]}, {n->dv[0][0], n->dv[1][0]}};
    reference_network_destroy(n);
    return end;
}

static pair run_engine(mote_integrator integrator, uint32_t steps) {
    const mote_network_def network_def = pair_def();
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_network_id id;
    def.capacity = 0;
    def.integrator = integrator;
    def.steps_per_second = (mote_rate){steps, (uint32_t)SECONDS};
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_add_network(system, &network_def, &id, NULL), MOTE_OK);
    assert_int_equal(mote_system_step(system, steps, NULL), MOTE_OK);
    const mote_network_view v = mote_network_columns(system, id);
    const pair end = {{(double)v.position.x[v.slot[0]], (double)v.position.x[v.slot[1]]},
                      {(double)v.velocity.x[v.slot[0]], (double)v.velocity.x[v.slot[1]]}};
    for (int i = 0; i < 2; i++) {
        ASSERT(v.position.y[v.slot[i]], ==, 0);
        ASSERT(v.velocity.z[v.slot[i]], ==, 0);
    }
    mote_system_destroy(system);
    return end;
}

/* A step rounds x <= 1.5 m once and v <= 2 m/s once; |d| to three roundings of 1.5 m, which the spring turns
 * into 15 N/m x 4.5 UNIT / 1 kg x h of velocity; the damping's part is smaller. Evenly spread either way,
 * over n steps, of which those of v count T times in x: the standard deviation. */
static double rounding_of(uint32_t steps) {
    const double h = SECONDS / steps, dv = UNIT * (2 + h * (STIFFNESS * 4.5 + DAMPING * 10)), dx = UNIT * 1.5;
    return sqrt(steps / 3.0) * (dx + dv * SECONDS);
}

TEST(bodies_evaluated_together_keep_order_four) {
    /* Three digits are given. */
    assert_near(error_of(&(pair){{0}, {0}}), fabs(EXACT_V[0]), 0);
    const pair plain_40 = run_plain(MOTE_RK4, 40), plain_80 = run_plain(MOTE_RK4, 80),
               plain_160 = run_plain(MOTE_RK4, 160);
    assert_near(error_of(&plain_40), 2.37e-4, 0.005e-4);
    assert_near(error_of(&plain_160), 8.31e-7, 0.005e-7);
    /* The next term falls from 0.14 to 0.04 over these halvings: w h / 2 of 0.24 and 0.12, and less. */
    assert_near(log2(error_of(&plain_40) / error_of(&plain_80)), 4, 0.15);
    assert_near(log2(error_of(&plain_80) / error_of(&plain_160)), 4, 0.075);
    for (uint32_t steps = 10; steps <= 40; steps *= 2) {
        const pair plain = run_plain(MOTE_RK4, steps), got = run_engine(MOTE_RK4, steps);
        const double wrong = 4 * rounding_of(steps); /* standard deviations */
        ASSERT(wrong, <, 0.1 * error_of(&plain));
        assert_near(error_of(&got), error_of(&plain), wrong);
        for (int i = 0; i < 2; i++)
            assert_near(got.x[i], plain.x[i], wrong), assert_near(got.v[i], plain.v[i], wrong);
    }
    const pair got_20 = run_engine(MOTE_RK4, 20), got_40 = run_engine(MOTE_RK4, 40);
    assert_near(log2(error_of(&got_20) / error_of(&got_40)), 4, 0.25);
}

/* Forces that are opposite exactly: what is left are the roundings of v, through the masses of 1 and 2 kg. */
TEST(coupled_bodies_keep_their_momentum) {
    for (int m = 0; m < MOTE_ADVECT_EULER; m++)
        for (uint32_t steps = 40; steps <= 160; steps *= 4) {
            if (m == MOTE_EXPLICIT_EULER && steps == 40) continue; /* it has left its bounds by then */
            const pair plain = run_plain((mote_integrator)m, steps),
                       got = run_engine((mote_integrator)m, steps);
            assert_near(momentum_of(&plain), 0, 1e-13);
            /* v <= 4 m/s, twice a stage and up to eight stages: v + dv, and dv itself. */
            assert_near(momentum_of(&got), 0, 4 * sqrt(8 * steps / 3.0) * UNIT * 4 * (1 + 2));
        }
}

/* --- The wrong way --- */

static double pull_on(int body, double x, double v, double other_x, double other_v) {
    const double d = other_x - x, n = d < 0 ? -1 : 1;
    return (STIFFNESS * (fabs(d) - LENGTH) + DAMPING * (other_v - v) * n) * n / MASS[body];
}

/* One body through its four stages, while its partner stands still. */
static void step_alone(int body, const pair *p, double h, double *end_x, double *end_v) {
    static const double time[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    double slope_x = 0, slope_v = 0, sum_x = 0, sum_v = 0;
    for (int i = 0; i < 4; i++) {
        const double x = p->x[body] + time[i] * h * slope_x, v = p->v[body] + time[i] * h * slope_v;
        slope_x = v;
        slope_v = pull_on(body, x, v, p->x[1 - body], p->v[1 - body]);
        sum_x += weight[i] * slope_x, sum_v += weight[i] * slope_v;
    }
    *end_x = p->x[body] + h * sum_x;
    *end_v = p->v[body] + h * sum_v;
}

static pair run_each_alone(uint32_t steps) {
    pair p = {{START_X[0], START_X[1]}, {START_V[0], START_V[1]}};
    for (uint32_t n = 0; n < steps; n++) {
        pair next;
        for (int i = 0; i < 2; i++) step_alone(i, &p, SECONDS / steps, &next.x[i], &next.v[i]);
        p = next;
    }
    return p;
}

/* This is why all coupled particles go through a stage together. */
TEST(bodies_stepped_alone_fall_to_order_one) {
    const pair at_40 = run_each_alone(40), at_640 = run_each_alone(640), at_1280 = run_each_alone(1280);
    assert_near(error_of(&at_40), 0.185, 0.0005);
    assert_near(fabs(momentum_of(&at_40)), 0.31, 0.005);
    assert_near(log2(error_of(&at_640) / error_of(&at_1280)), 1, 0.02);
    const pair together = run_plain(MOTE_RK4, 40);
    ASSERT(error_of(&at_40), >, 500 * error_of(&together));
}

/* --- Orders on a network --- */

static const double STEPS = 8; /* of 1/16 s */

/* Gravity, a wind where there may be damping, and a spring to one point. */
static void make_scene(mesh *m, bool damped) {
    make_mesh(m, 24, damped, true);
    mesh_force(m, mote_gravity((vec3){0.5f, -9.81f, 0.25f}));
    mesh_force(m, mote_anchor_spring((vec3){0.3f, 0.2f, 0}, 1.5f, 0));
    if (damped) mesh_force(m, mote_wind((vec3){1, 0, -1}, 0.05f));
}

/* What the descriptor says of forces of the kind that springs are: kicks for the maps; springs that turn fall
 * to order 1 where each is linearised along its direction at the start. */
static double order_of(mote_integrator m, bool damped) {
    const mote_integrator_info *info = mote_integrator_describe(m);
    if (m == MOTE_EXACT_FLOW) return damped ? 1 : 2;
    return damped ? info->order_damped : info->order;
}

/* The reference's slope at steps so fine that the next term of the error is below a tenth of the
 * tolerance. */
TEST(references_have_their_order) {
    static mesh m;
    for (int damped = 0; damped < 2; damped++) {
        make_scene(&m, damped);
        reference_network *exact = plain_mesh(&m, MOTE_RK4, (uint32_t)STEPS, 384);
        for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
            const double order = order_of((mote_integrator)i, damped);
            const bool lone =
                i == MOTE_KINEMATIC || i == MOTE_KINEMATIC_AVERAGE; /* whose references take their time */
            const uint32_t fine = order > 3 ? 32 : lone ? 32 : 256;
            reference_network *a = plain_mesh(&m, (mote_integrator)i, (uint32_t)STEPS, fine / 2);
            reference_network *b = plain_mesh(&m, (mote_integrator)i, (uint32_t)STEPS, fine);
            const double slope = log2(plain_error(a, exact) / plain_error(b, exact));
            if (!(fabs(slope - order) <= 0.1))
                fail_msg("%s, %s: slope %.3f, not %g", mote_integrator_describe((mote_integrator)i)->name,
                         damped ? "damped" : "undamped", slope, order);
            reference_network_destroy(a), reference_network_destroy(b);
        }
        reference_network_destroy(exact);
    }
}

/* What float32 leaves of a position after so many substeps of 1 / (16 n) s, root of the mean square. A
 * rounding is 0.4 UNIT in the mean. A drift has two, of x = 0.5 m; a kick two, of v = 1.5 m/s, and those of
 * the pulls of four springs in quadrature: the length of |d| = 0.5 m to 2.5 of them, through k = 24 N/m, the
 * mass of 0.5 kg and h. A kick's are carried on for half a second at most. */
static double rounding_on_mesh(mote_integrator m, double substeps) {
    const double h = 1 / (16.0 * substeps), calls = mote_integrator_describe(m)->evaluations, t = STEPS / 16;
    const double dv = 2 * 1.5 + h * 2 * 2.5 * 0.5 * 24 / 0.5, dx = 2 * 0.5;
    return sqrt(STEPS * substeps * calls) * 0.4 * UNIT * (dx + t / sqrt(3) * dv);
}

/* The engine's error is the reference's at steps where it is well above rounding: so it has the reference's
 * order. */
TEST(the_engine_has_the_references_errors) {
    static mesh m;
    for (int damped = 0; damped < 2; damped++) {
        make_scene(&m, damped);
        reference_network *exact = plain_mesh(&m, MOTE_RK4, (uint32_t)STEPS, 384);
        for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
            const mote_integrator integrator = (mote_integrator)i;
            /* Of order four Yoshida's errs most. */
            const uint32_t fine = order_of(integrator, damped) < 3 ? 16 : integrator == MOTE_YOSHIDA4 ? 4 : 2;
            double error[2], plainly[2];
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t substeps = k ? fine : fine / 2;
                reference_network *plain = plain_mesh(&m, integrator, (uint32_t)STEPS, substeps);
                mesh_run r = start_mesh(&m, integrator, (uint32_t)STEPS, substeps);
                assert_int_equal(mote_system_step(r.system, (uint32_t)STEPS, NULL), MOTE_OK);
                error[k] = engine_error(&r, exact), plainly[k] = plain_error(plain, exact);
                const double rounding = 4 * rounding_on_mesh(integrator, substeps),
                             between = engine_error(&r, plain);
                if (!(between <= rounding) || !(rounding < 0.6 * plainly[k]))
                    fail_msg("%s, %s, %u substeps: %.3g from the reference, rounding %.3g, error %.3g",
                             mote_integrator_describe(integrator)->name, damped ? "damped" : "undamped",
                             substeps, between, rounding, plainly[k]);
                mote_system_destroy(r.system);
                reference_network_destroy(plain);
            }
            const double wrong = 4 * 2 * rounding_on_mesh(integrator, fine) / plainly[1] / log(2);
            assert_near(log2(error[0] / error[1]), log2(plainly[0] / plainly[1]), wrong);
        }
        reference_network_destroy(exact);
    }
}
