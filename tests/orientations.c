/* Orientation of loose particles against closed forms: free rotation, drag, torques. */
#include <math.h>

#include "orientation_scene.h"

/* --- Free rotation --- */

enum { TOPS = 12, STEPS = 1000000, SAMPLE = 10000, HUNDREDTH = 100 };

/* 1/100 of a turn a step, in directions near each axis and between them. */
static void start_tops(const mote_range_view *view) {
    static const double direction[TOPS][3] = {{1, 0.02, 0}, {0.02, 0, 1},    {0.1, 1, 0.1}, {1, 1, 1},
                                              {0, 1, 0.3},  {0.6, 0.8, 0.1}, {1, -2, 3},    {-3, 1, 0.5},
                                              {0.3, 1, 0},  {-1, -1, 0.2},   {0, 0.01, 1},  {2, 1, -1}};
    const double rate = 2 * PI * 60 / HUNDREDTH;
    for (uint32_t i = 0; i < TOPS; i++) {
        const double *d = direction[i], size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        spin(view, i, rate * d[0] / size, rate * d[1] / size, rate * d[2] / size);
    }
}

/* Greatest deviations of energy and angular momentum (a vector of the world) of the tops, and the means of
 * the deviations of the energies and of |L| over a tenth of the run. */
typedef struct deviations {
    double energy, momentum;
    double mean_energy[10], mean_size[10];
} deviations;

static deviations run_tops(const float inertia[3]) {
    mote_system_def def = turning_def(TOPS);
    memcpy(def.inertia, inertia, sizeof def.inertia);
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, TOPS);
    start_tops(&view);
    deviations worst = {0};
    body at[TOPS], now;
    for (uint32_t i = 0; i < TOPS; i++) at[i] = body_of(&view, i, inertia);
    for (uint32_t step = 0; step < STEPS; step += SAMPLE) {
        for (uint32_t part = 0; part < 10; part++) {
            stepped(system, SAMPLE / 10 - part); /* other phases of the periods */
            stepped(system, part);
            for (uint32_t i = 0; i < TOPS; i++) {
                now = body_of(&view, i, inertia);
                const double energy = now.energy / at[i].energy - 1, size = length(at[i].momentum);
                double off[3];
                for (int k = 0; k < 3; k++) off[k] = now.momentum[k] - at[i].momentum[k];
                worst.energy = fmax(worst.energy, fabs(energy));
                worst.momentum = fmax(worst.momentum, length(off) / size);
                worst.mean_energy[step / (STEPS / 10)] += energy / (STEPS / 10 / SAMPLE * 10);
                worst.mean_size[step / (STEPS / 10)] +=
                    (length(now.momentum) / size - 1) / (STEPS / 10 / SAMPLE * 10);
            }
        }
    }
    mote_system_destroy(system);
    return worst;
}

static const float moments[3][3] = {{1, 2, 3}, {1, 1.3f, 2.1f}, {0.002f, 0.0021f, 0.004f}};

/* The sum over the tops of the means: the energy of the splitting oscillates, a mean does not move. */
TEST(a_free_asymmetric_top_keeps_energy_and_angular_momentum_for_a_million_steps) {
    for (size_t k = 0; k < COUNT_OF(moments); k++) {
        test_case("moments %zu", k);
        const deviations d = run_tops(moments[k]);
        ASSERT(d.energy, <, 1e-3);
        ASSERT(d.momentum, <, 1e-3);
        ASSERT_NEAR(d.mean_energy[9] / TOPS, d.mean_energy[0] / TOPS, 1e-4);
        ASSERT_NEAR(d.mean_size[9] / TOPS, d.mean_size[0] / TOPS, 1e-4);
    }
}

static double agm(double a, double b) {
    for (int i = 0; i < 20; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b), a = mean;
    }
    return a;
}

/* Period of the angular velocity in the axes of the body: 4 K(k) / p (Landau and Lifshitz, Mechanics, 37). */
static double period_of(const double w[3], const double moment[3]) {
    double energy = 0, square = 0, i[3] = {moment[0], moment[1], moment[2]};
    for (int k = 0; k < 3; k++) energy += i[k] * w[k] * w[k], square += i[k] * i[k] * w[k] * w[k];
    if (square < energy * i[1]) i[0] = moment[2], i[2] = moment[0];
    const double p = sqrt((i[2] - i[1]) * (square - energy * i[0]) / (i[0] * i[1] * i[2]));
    const double k2 = (i[1] - i[0]) * (energy * i[2] - square) / ((i[2] - i[1]) * (square - energy * i[0]));
    return 4 * PI / (2 * agm(1, sqrt(1 - k2))) / p;
}

static const int orders[][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
static const char *order_of(uint32_t i) {
    static const char *names[] = {"x y z", "y z x", "z x y", "x z y", "z y x", "y x z"};
    return names[i];
}

/* order: the axes of the least, the middle and the greatest moment. */
TEST_EACH(the_period_of_an_asymmetric_top_is_that_of_the_elliptic_function, 6, order_of, order) {
    const int *axis = orders[order];
    static const double moment[3] = {1, 2, 3},
                        direction[4][3] = {
                            {0.6, 0.1, 0.5}, {0.2, 0.1, 0.9}, {0.9, 0.2, 0.1}, {0.5, 0.5, 0.3}};
    mote_system_def def = turning_def(4);
    for (int k = 0; k < 3; k++) def.inertia[axis[k]] = (float)moment[k];
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 4);
    const float *const middle[] = {view.angular_velocity.x, view.angular_velocity.y, view.angular_velocity.z};
    double want[4], first[4] = {0}, last[4] = {0}, before[4];
    uint32_t crossings[4] = {0};
    for (uint32_t i = 0; i < 4; i++) {
        double w[3], of[3];
        const double rate = 2 * PI * 60 / HUNDREDTH / length(direction[i]);
        for (int k = 0; k < 3; k++) w[k] = of[axis[k]] = (double)(float)(rate * direction[i][k]);
        spin(&view, i, of[0], of[1], of[2]);
        want[i] = period_of(w, moment);
        before[i] = w[1];
    }
    for (uint32_t step = 1; step <= 100000; step++) {
        stepped(system, 1);
        for (uint32_t i = 0; i < 4; i++) {
            const double now = (double)middle[axis[1]][i];
            if (before[i] < 0 && now >= 0) {
                last[i] = (step - now / (now - before[i])) / 60;
                if (!crossings[i]++) first[i] = last[i];
            }
            before[i] = now;
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        test_case("start %u", i);
        ASSERT(crossings[i], >, 100u);
        ASSERT_NEAR((last[i] - first[i]) / (crossings[i] - 1) / want[i], 1, 1e-3);
    }
    mote_system_destroy(system);
}

/* One step of half a turn at most: exact to rounding; up to a turn to 4e-5. */
TEST(a_body_of_scalar_inertia_turns_exactly) {
    enum { BODIES = 64 };
    mote_system_def def = turning_def(BODIES);
    def.principal_moments = false;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, BODIES);
    double axis[3] = {0.48, -0.6, 0.64};
    for (uint32_t i = 0; i < BODIES; i++) {
        const double rate = 60 * 2 * PI * i / BODIES;
        spin(&view, i, rate * axis[0], rate * axis[1], rate * axis[2]);
    }
    for (uint32_t step = 1; step <= 30; step++) {
        stepped(system, 1);
        for (uint32_t i = 0; i < BODIES; i++) {
            double w[3] = {(double)view.angular_velocity.x[i], (double)view.angular_velocity.y[i],
                           (double)view.angular_velocity.z[i]};
            const double half = length(w) * step / 120, error = i <= BODIES / 2 ? 4e-7 : 4e-5;
            double want[4] = {0, 0, 0, cos(half)};
            for (int k = 0; k < 3 && i; k++) want[k] = sin(half) * w[k] / length(w);
            test_case("step %u, %u/64 of a turn", step, i);
            ASSERT(angle_between(&view, i, want), <, error * step);
        }
    }
    mote_system_destroy(system);
}

/* --- Torques and drag --- */

TEST(spin_drag_decays_exponentially) {
    for (int principal = 0; principal < 2; principal++)
        for (int substeps = 1; substeps < 4; substeps += 2) {
            mote_system_def def = turning_def(3);
            def.principal_moments = principal, def.substeps = (uint32_t)substeps, def.spin_drag = 1.5f;
            def.inertia[0] = 0.4f, def.inertia[1] = 0.6f, def.inertia[2] = 0.9f;
            mote_system *system = system_of(&def);
            const mote_range_view view = spawned(system, 3);
            for (uint32_t i = 0; i < 3; i++) spin(&view, i, i == 0 ? 7 : 0, i == 1 ? -7 : 0, i == 2 ? 7 : 0);
            stepped(system, 60);
            const float *w[3] = {view.angular_velocity.x, view.angular_velocity.y, view.angular_velocity.z};
            for (uint32_t i = 0; i < 3; i++) {
                const double inertia = (double)def.inertia[principal ? i : 0];
                test_case("moments %d, substeps %d, axis %u", principal, substeps, i);
                ASSERT_NEAR(fabs((double)w[i][i]) / (7 * exp(-1.5 / inertia)), 1, 1e-5);
                for (uint32_t k = 0; k < 3; k++)
                    if (k != i) ASSERT_NEAR(w[k][i], 0, 0);
            }
            mote_system_destroy(system);
        }
}

/* A drag that a step cannot resolve stops a body; it does not reverse it. */
TEST(strong_drag_stops_a_body) {
    mote_system_def def = turning_def(1);
    def.spin_drag = 1e30f, def.inertia[0] = def.inertia[1] = def.inertia[2] = 1e-3f;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 1);
    spin(&view, 0, 3, -4, 5);
    stepped(system, 1);
    ASSERT_NEAR(view.angular_velocity.x[0], 0, 1e-6);
    ASSERT_NEAR(view.angular_velocity.y[0], 0, 1e-6);
    ASSERT_NEAR(view.angular_velocity.z[0], 0, 1e-6);
    mote_system_destroy(system);
}

/* A constant torque in the world turns a scalar body at rest by tau t^2 / (2 I), however it is turned. */
TEST(a_constant_torque_accelerates_a_scalar_body) {
    mote_system_def def = turning_def(2);
    def.principal_moments = false, def.inertia[0] = 0.5f, def.substeps = 2;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 2);
    const double torque[3] = {0.3, -0.2, 0.6}, size = length(torque), t = 2;
    turn_to(&view, 1, 0.5, -0.1, 0.7, 0.5);
    for (int step = 0; step < 120; step++) {
        mote_vector_columns columns;
        OK(mote_system_external_torques(system, &columns));
        for (int i = 0; i < 2; i++)
            columns.x[i] = (float)torque[0], columns.y[i] = (float)torque[1], columns.z[i] = (float)torque[2];
        stepped(system, 1);
    }
    const double half = size * t * t / (2 * 0.5) / 2, start[2][4] = {{0, 0, 0, 1}, {0.5, -0.1, 0.7, 0.5}};
    double turn[4] = {0, 0, 0, cos(half)};
    for (int k = 0; k < 3; k++) turn[k] = sin(half) * torque[k] / size;
    for (uint32_t i = 0; i < 2; i++) {
        double want[4];
        const body now = body_of(&view, i, (float[3]){0.5f, 0.5f, 0.5f});
        product(turn, start[i], want);
        test_case("body %u", i);
        ASSERT(angle_between(&view, i, want), <, 2e-5);
        for (int k = 0; k < 3; k++) ASSERT_NEAR(now.momentum[k], torque[k] * t, 2e-5);
    }
    mote_system_destroy(system);
}

/* Whatever the moments are, L = tau t; a step for which no torque was requested adds none. */
TEST(a_torque_adds_to_the_angular_momentum) {
    mote_system_def def = turning_def(1);
    memcpy(def.inertia, moments[0], sizeof def.inertia);
    def.inertia_column = true;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 1);
    const float column[3] = {0.7f, 1.1f, 1.6f};
    view.inertia.x[0] = column[0], view.inertia.y[0] = column[1], view.inertia.z[0] = column[2];
    spin(&view, 0, 1, 2, -1);
    const body at = body_of(&view, 0, column);
    for (int step = 0; step < 240; step++) {
        mote_vector_columns torque;
        if (step % 2 == 0) {
            OK(mote_system_external_torques(system, &torque));
            ASSERT_NEAR(torque.y[0], 0, 0);
            torque.y[0] += 3;
        }
        stepped(system, 1);
    }
    const body now = body_of(&view, 0, column);
    for (int k = 0; k < 3; k++) ASSERT_NEAR(now.momentum[k], at.momentum[k] + (k == 1 ? 3 * 2 : 0), 1e-3);
    mote_system_destroy(system);
}

/* Newborn that spin about each axis of the emitter. */
TEST(newborn_spin_about_the_axis_of_their_emitter) {
    for (int axis = 0; axis < 3; axis++) {
        const mote_system_def def = turning_def(20);
        mote_system *system = system_of(&def);
        mote_emitter_def jet = mote_default_emitter_def();
        mote_emitter_id id;
        jet.spin = (mote_spread){3, 3}, jet.spin_axis[axis] = 0.5f;
        OK(mote_system_add_emitter(system, &jet, &id));
        OK(mote_system_burst(system, id, 20));
        stepped(system, 1);
        const mote_range_view view = mote_system_view(system);
        ASSERT(view.count, ==, 20u);
        for (uint32_t i = 0; i < 20; i++) {
            const float w[3] = {view.angular_velocity.x[i], view.angular_velocity.y[i],
                                view.angular_velocity.z[i]};
            test_case("axis %d, particle %u", axis, i);
            for (int k = 0; k < 3; k++) ASSERT_NEAR(w[k], k == axis ? 3 : 0, 1e-5);
        }
        mote_system_destroy(system);
    }
}
