/* Every integrator's order on a network: the engine is compared with the double reference at steps whose
 * error float32 can show, the reference with itself at tiny steps. Two bodies with exact figures are in
 * links.c. */
#include "test.h"

#include "network_mesh.h"

static const double STEPS = 8; /* of 1/16 s */

/* Gravity, a wind where there may be damping, and a spring to one point. */
static void make_scene(mesh *m, uint32_t copies, bool damped) {
    make_mesh(m, copies, 24, damped, true);
    mesh_force(m, mote_gravity((float[3]){0.5f, -9.81f, 0.25f}));
    mesh_force(m, mote_anchor_spring((float[3]){0.3f, 0.2f, 0}, 1.5f, 0));
    if (damped) mesh_force(m, mote_wind((float[3]){1, 0, -1}, 0.05f));
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

/* The error of a position by float32 after so many substeps of 1 / (16 n) s, root of the mean square. A
 * rounding is 0.4 UNIT in the mean. A drift has two, of x = 0.5 m; a kick two, of v = 1.5 m/s, and those of
 * the forces of four springs in quadrature: the length of |d| = 0.5 m to 2.5 of them, times k = 24 N/m and h,
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
