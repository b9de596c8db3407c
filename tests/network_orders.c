/* Every integrator's order on coupled bodies: the engine is compared with the double reference at steps whose
 * error float32 can show, the reference with itself at tiny steps, and RK4 on two bodies with exact figures.
 */
#include "test.h"

#include "network_mesh.h"

/* --- Two coupled bodies: 1 and 2 kg, 15 N/m, 0.3 kg/s, rest length 1 m, for 2 s --- */

static const double STIFFNESS = 15, DAMPING = 0.3, SECONDS = 2, START_V[2] = {0.4, -0.7};
/* The linear equation of one damped oscillator, solved to 16 digits: x of both bodies, v of both. */
static const double EXACT[4] = {-0.1256207645049599, 0.56281038225248, -0.8510020989522068,
                                -0.07449895052389655};

typedef struct pair {
    double state[4], error;
} pair;

static pair with_error(pair p) {
    for (int i = 0; i < 4; i++) p.error = fmax(p.error, fabs(p.state[i] - EXACT[i]));
    return p;
}

static mote_network_def pair_def(void) {
    static const float positions[6] = {0, 0, 0, 1.5f, 0, 0}, velocities[6] = {0.4f, 0, 0, -0.7f, 0, 0},
                       masses[2] = {1, 2};
    static const mote_spring spring = {0, 1, 1, 15, 0.3f, 0};
    mote_network_def def = mote_default_network_def();
    def.particle_count = 2;
    def.positions = positions, def.velocities = velocities, def.masses = masses;
    def.spring_count = 1, def.springs = &spring;
    return def;
}

/* RK4 in double, from the numbers themselves, not from the floats next to them. */
static pair run_reference(uint32_t steps) {
    const mote_network_def def = pair_def();
    reference_network *n = reference_network_make(&def, true);
    reference_surroundings w = {
        .integrator = MOTE_RK4, .timestep = SECONDS / steps, .substeps = 1, .ticks_per_step = 1};
    n->spring[0].damping = DAMPING;
    for (int i = 0; i < 2; i++) n->dv[i][0] = START_V[i];
    for (; w.step < steps; w.step++) reference_network_step(n, &w);
    const pair end = {{n->dx[0][0], n->dx[1][0], n->dv[0][0], n->dv[1][0]}, 0};
    reference_network_destroy(n);
    return with_error(end);
}

static pair run_engine(uint32_t steps) {
    const mote_network_def network_def = pair_def();
    mote_system_def def = mote_default_system_def();
    def.capacity = 0, def.integrator = MOTE_RK4, def.steps_per_second = (mote_rate){steps, (uint32_t)SECONDS};
    mesh_run r = {.system = make_system(&def)};
    r.id = add_network(r.system, &network_def);
    OK(mote_system_step(r.system, steps, NULL));
    double x[2][3], v[2][3];
    for (uint32_t i = 0; i < 2; i++) {
        read_body(&r, i, x[i], v[i]);
        ASSERT(x[i][1], ==, 0);
        ASSERT(v[i][2], ==, 0);
    }
    mote_system_destroy(r.system);
    return with_error((pair){{x[0][0], x[1][0], v[0][0], v[1][0]}, 0});
}

/* A step rounds x <= 1.5 m once and v <= 2 m/s once; |d| to three roundings of 1.5 m, which the spring turns
 * into 15 N/m x 4.5 UNIT / 1 kg x h of velocity; the damping's part is smaller. Evenly spread either way,
 * over n steps, of which those of v count T times in x: the standard deviation. */
static double rounding_of(uint32_t steps) {
    const double h = SECONDS / steps, dv = UNIT * (2 + h * (STIFFNESS * 4.5 + DAMPING * 10)), dx = UNIT * 1.5;
    return sqrt(steps / 3.0) * (dx + dv * SECONDS);
}

/* The reference's errors are known to three digits. Its next term falls from 0.14 to 0.04 over these
 * halvings: w h / 2 of 0.24 and 0.12, and less. */
TEST(two_bodies_evaluated_together_keep_order_four) {
    static const struct {
        uint32_t steps;
        double error, half_digit;
    } known[] = {{40, 2.37e-4, 0.005e-4}, {160, 8.31e-7, 0.005e-7}};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        ASSERT_NEAR(run_reference(known[i].steps).error, known[i].error, known[i].half_digit);
    for (uint32_t steps = 10; steps <= 40; steps *= 2) {
        const pair plain = run_reference(steps), got = run_engine(steps);
        const double wrong = 4 * rounding_of(steps); /* standard deviations */
        test_case("%u steps", steps);
        ASSERT(wrong, <, 0.1 * plain.error);
        ASSERT_NEAR(got.error, plain.error, wrong);
        for (int i = 0; i < 4; i++) ASSERT_NEAR(got.state[i], plain.state[i], wrong);
    }
    ASSERT_NEAR(log2(run_reference(80).error / run_reference(160).error), 4, 0.075);
    ASSERT_NEAR(log2(run_engine(20).error / run_engine(40).error), 4, 0.25);
}

/* --- Every integrator on a network --- */

static const double STEPS = 8; /* of 1/16 s */

/* Gravity, a wind where there may be damping, and a spring to one point. */
static void make_scene(mesh *m, uint32_t copies, bool damped) {
    make_mesh(m, copies, 24, damped, true);
    mesh_force(m, mote_gravity((vec3){0.5f, -9.81f, 0.25f}));
    mesh_force(m, mote_anchor_spring((vec3){0.3f, 0.2f, 0}, 1.5f, 0));
    if (damped) mesh_force(m, mote_wind((vec3){1, 0, -1}, 0.05f));
}

/* By the descriptor, for forces of the springs' kind: kicks for the maps; springs that turn fall to order 1
 * where each is linearised along its direction at the start. */
static double order_of(mote_integrator m, bool damped) {
    const mote_integrator_info *info = mote_integrator_describe(m);
    if (m == MOTE_EXACT_FLOW) return damped ? 1 : 2;
    return damped ? info->order_damped : info->order;
}

/* The reference's slope at steps so fine that the next term of the error is below a tenth of the tolerance.
 */
TEST(the_reference_has_each_integrators_order) {
    static mesh m;
    for (int damped = 0; damped < 2; damped++) {
        make_scene(&m, 2, damped);
        reference_network *exact = plain_mesh(&m, MOTE_RK4, (uint32_t)STEPS, 384);
        for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
            const double order = order_of((mote_integrator)i, damped);
            const bool slow = i == MOTE_KINEMATIC || i == MOTE_KINEMATIC_AVERAGE; /* references */
            const uint32_t fine = order > 3 || slow ? 32 : 256;
            reference_network *a = plain_mesh(&m, (mote_integrator)i, (uint32_t)STEPS, fine / 2);
            reference_network *b = plain_mesh(&m, (mote_integrator)i, (uint32_t)STEPS, fine);
            test_case("%s, damped %d", integrator_name((mote_integrator)i), damped);
            ASSERT_NEAR(log2(error_of(NULL, a, exact) / error_of(NULL, b, exact)), order, 0.1);
            reference_network_destroy(a), reference_network_destroy(b);
        }
        reference_network_destroy(exact);
    }
}

/* What float32 leaves of a position after so many substeps of 1 / (16 n) s, root of the mean square. A
 * rounding is 0.4 UNIT in the mean. A drift has two, of x = 0.5 m; a kick two, of v = 1.5 m/s, and those of
 * the pulls of four springs in quadrature: the length of |d| = 0.5 m to 2.5 of them, times k = 24 N/m and h,
 * over 0.5 kg. A kick's are carried on for half a second at most. */
static double rounding_on_mesh(mote_integrator m, double substeps) {
    const double h = 1 / (16.0 * substeps), calls = mote_integrator_describe(m)->evaluations, t = STEPS / 16;
    const double dv = 2 * 1.5 + h * 2 * 2.5 * 0.5 * 24 / 0.5, dx = 2 * 0.5;
    return sqrt(STEPS * substeps * calls) * 0.4 * UNIT * (dx + t / sqrt(3) * dv);
}

/* The engine's error is the reference's at steps where it is well above rounding, so it has the reference's
 * order. */
TEST(the_engine_has_the_references_errors) {
    static mesh m;
    for (int damped = 0; damped < 2; damped++) {
        make_scene(&m, COPIES, damped);
        reference_network *exact = plain_mesh(&m, MOTE_RK4, (uint32_t)STEPS, 384);
        for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
            const mote_integrator integrator = (mote_integrator)i;
            /* Of order four Yoshida's errs most. */
            const uint32_t fine = order_of(integrator, damped) < 3 ? 16 : integrator == MOTE_YOSHIDA4 ? 4 : 2;
            double error[2], plainly[2];
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t substeps = k ? fine : fine / 2;
                const double rounding = 4 * rounding_on_mesh(integrator, substeps);
                reference_network *plain = plain_mesh(&m, integrator, (uint32_t)STEPS, substeps);
                mesh_run r = start_mesh(&m, integrator, (uint32_t)STEPS, substeps);
                OK(mote_system_step(r.system, (uint32_t)STEPS, NULL));
                error[k] = error_of(&r, NULL, exact), plainly[k] = error_of(NULL, plain, exact);
                test_case("%s, damped %d, %u substeps", integrator_name(integrator), damped, substeps);
                ASSERT(error_of(&r, NULL, plain), <=, rounding);
                ASSERT(rounding, <, 0.6 * plainly[k]);
                mote_system_destroy(r.system);
                reference_network_destroy(plain);
            }
            const double wrong = 4 * 2 * rounding_on_mesh(integrator, fine) / plainly[1] / log(2);
            ASSERT_NEAR(log2(error[0] / error[1]), log2(plainly[0] / plainly[1]), wrong);
        }
        reference_network_destroy(exact);
    }
}
