/* Constrained networks against what is known of them: free fall, pendulums, reactions, contacts and links at
 * any distance from the origin, momentum in empty space, and what the host writes. */
#include "network_net.h"

static const double distances[] = {0, 100, 1000, 3000, 1e5};

/* The solver on the positions and that on the multipliers. */
enum { PRIMAL, DUAL, SOLVERS };

enum { SIDE = 8 };

/* A net of 8 x 8 at (at, at, at), 0.125 m from point to point: exact at any of the distances. */
static void make_square(net *n, int solver, double at, float stiffness) {
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    add_grid(n, (grid){SIDE, SIDE, at, 0.125, 0.01, solver == DUAL ? INFINITY : stiffness, false});
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        n->positions[3 * i + 1] = (float)at;
        n->positions[3 * i + 2] += (float)at;
    }
}

/* --- Distance from the origin --- */

static double fallen_in_a_second(int solver, double at, double *speed) {
    static net n;
    const mote_system_def def = rate_of(60, 8);
    make_square(&n, solver, at, 1e4f);
    start_net(&n, &def, GRAVITY);
    step_net(&n, 60);
    const double way = at - place_of(&n, 27, 1);
    *speed = -place_of(&n, 27, 4);
    mote_system_destroy(n.system);
    return way;
}

TEST(free_nets_fall_alike_at_any_distance) {
    for (int solver = PRIMAL; solver < SOLVERS; solver++) {
        double here, there;
        const double way = fallen_in_a_second(solver, 0, &here);
        ASSERT_NEAR(here, GRAVITY, 1e-5 * GRAVITY);
        for (size_t i = 0; i < COUNT_OF(distances); i++) {
            test_case("solver %d, %g m", solver, distances[i]);
            /* The position that the host sees is rounded. */
            ASSERT_NEAR(fallen_in_a_second(solver, distances[i], &there), way,
                        1e-3 * way + UNIT * distances[i]);
            ASSERT_NEAR(there, here, 1e-5 * here);
        }
    }
}

/* A particle that hangs 1 m below another, 0.1 m/s fast. */
static void make_pendulum(net *n, int solver, double at, uint32_t substeps) {
    const mote_system_def def = rate_of(60, substeps);
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    n->def.max_strain = 1e-5f, n->def.max_iterations = 8;
    add_particle(n, at, 0, 0, 1), add_particle(n, at, -1, 0, 1);
    add_spring(n, 0, 1, MOTE_AS_PLACED, solver == DUAL ? INFINITY : 2e4f, 0);
    n->velocities[3] = 0.1f;
    start_net(n, &def, GRAVITY);
    pin_here(n, 0);
}

/* The mean time between the moments at which particle i turns, in 20 s. */
static double period_of(net *n, uint32_t i) {
    double before = place_of(n, i, 3), first = 0, last = 0;
    uint32_t turns = 0;
    for (int step = 1; step <= 1200; step++) {
        step_net(n, 1);
        const double v = place_of(n, i, 3);
        if (before < 0 && v >= 0) {
            last = (step - v / (v - before)) / 60;
            if (turns++ == 0) first = last;
        }
        before = v;
    }
    mote_system_destroy(n->system);
    ASSERT(turns, >, 5);
    return (last - first) / (turns - 1);
}

/* 2 pi sqrt(l / g) (1 + a^2 / 16), a = 0.1 m/s / sqrt(g l): Huygens, with the first term for the amplitude.
 */
TEST(pendulums_keep_their_period_at_any_distance) {
    static net n;
    static const uint32_t substeps[] = {8, 128};
    const double period = 2 * PI * sqrt(1 / GRAVITY) * (1 + 0.01 / GRAVITY / 16);
    for (int solver = PRIMAL; solver < SOLVERS; solver++)
        for (size_t i = 0; i < 2 * COUNT_OF(distances); i++) {
            const double at = distances[i / 2];
            test_case("solver %d, %g m, %u substeps", solver, at, substeps[i % 2]);
            make_pendulum(&n, solver, at, substeps[i % 2]);
            ASSERT_NEAR(period_of(&n, 1), period, 1e-3 * period);
        }
}

/* A particle 100 km away, which a spring held until the first step: the rest does not take part in its
 * distance. */
TEST(what_has_torn_off_does_not_coarsen_the_rest) {
    static net n;
    const mote_system_def def = rate_of(60, 128);
    double period[2];
    for (int torn = 0; torn < 2; torn++) {
        const uint32_t number = 1;
        make_pendulum(&n, PRIMAL, -1e5, 8);
        mote_system_destroy(n.system);
        if (torn) {
            (void)add_particle(&n, -2e5, 0, 0, 1);
            add_spring(&n, 1, 2, MOTE_AS_PLACED, 1, 0);
        }
        start_net(&n, &def, GRAVITY);
        pin_here(&n, 0);
        if (torn) OK(mote_network_remove_springs(n.system, n.id, 1, &number, NULL));
        period[torn] = period_of(&n, 1);
    }
    ASSERT_NEAR(period[1], period[0], 1e-4 * period[0]);
}

/* A net that hangs from a corner and swings in its plane. */
static double swing_of_a_net(double at, uint32_t substeps) {
    static net n;
    const mote_system_def def = rate_of(60, substeps);
    make_square(&n, PRIMAL, at, 1e5f);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) { /* upright, in the plane of x and y */
        n.positions[3 * i + 1] = (float)(at - 0.125 * (i / SIDE));
        n.positions[3 * i + 2] = (float)at;
    }
    start_net(&n, &def, GRAVITY);
    pin_here(&n, 0);
    return period_of(&n, SIDE * SIDE - 1);
}

TEST(nets_that_hang_from_a_corner_swing_alike_at_any_distance) {
    static const uint32_t substeps[] = {8, 128};
    for (size_t k = 0; k < COUNT_OF(substeps); k++) {
        const double here = swing_of_a_net(0, substeps[k]);
        for (size_t i = 1; i < COUNT_OF(distances); i++) {
            test_case("%g m, %u substeps", distances[i], substeps[k]);
            ASSERT_NEAR(swing_of_a_net(distances[i], substeps[k]), here, 1e-3 * here);
        }
    }
}

/* Force on two corners of a net that hangs in balance, N; or on the end of a rigid chain. */
static void pull_of_a_net(int solver, double at, double pull[2]) {
    static net n;
    const mote_system_def def = rate_of(60, 8);
    make_square(&n, solver, at, 1e4f);
    for (uint32_t k = 0; k < n.def.spring_count && solver == PRIMAL; k++) n.springs[k].damping = 1;
    if (solver == DUAL) n.def.particle_count = SIDE, n.def.spring_count = SIDE - 1;
    n.def.max_strain = 1e-6f, n.def.max_iterations = 16, n.def.max_linear = 512;
    start_net(&n, &def, GRAVITY);
    add_force(n.system, mote_wind((float[3]){0, 0, 0}, 0.05f));
    pin_here(&n, 0);
    if (solver == PRIMAL) pin_here(&n, SIDE - 1);
    step_net(&n, 600);
    pull[0] = reaction(&n, 0, 1) * 60;
    pull[1] = solver == PRIMAL ? reaction(&n, SIDE - 1, 1) * 60 : 0;
    mote_system_destroy(n.system);
}

TEST(pins_bear_the_weight_of_a_net_at_any_distance) {
    for (int solver = PRIMAL; solver < SOLVERS; solver++) {
        const double weight = (solver == PRIMAL ? SIDE * SIDE - 2 : SIDE - 1) * 0.01 * GRAVITY;
        double here[2], there[2];
        pull_of_a_net(solver, 0, here);
        ASSERT_NEAR(here[0] + here[1], -weight, 1e-3 * weight);
        for (size_t i = 1; i < COUNT_OF(distances); i++) {
            test_case("solver %d, %g m", solver, distances[i]);
            pull_of_a_net(solver, distances[i], there);
            ASSERT_NEAR(there[0], here[0], 1e-3 * fabs(here[0]));
            ASSERT_NEAR(there[1], here[1], 1e-3 * fabs(here[1]));
        }
    }
}

/* --- Surroundings, in the world --- */

/* Falls onto a plane and a ball 0.25 m below it, with friction: where its particles are 3 steps after the
 * first of them touch. */
static void lie_on_colliders(double at, double x[SIDE * SIDE][3]) {
    static net n;
    const mote_system_def def = rate_of(60, 8);
    make_square(&n, PRIMAL, at, 1e4f);
    const float ball[3] = {(float)(at + 0.5), (float)(at - 0.5), (float)(at + 0.375)},
                floor[3] = {(float)at, (float)(at - 0.375), (float)at};
    start_net(&n, &def, GRAVITY);
    add_collider(n.system, mote_sphere(ball, 0.25f));
    add_collider(n.system, mote_plane(floor, (float[3]){0, 1, 0}));
    step_net(&n, 17);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        for (uint32_t k = 0; k < 3; k++) x[i][k] = place_of(&n, i, k) - at;
    mote_system_destroy(n.system);
}

TEST(nets_lie_on_colliders_alike_at_any_distance) {
    double here[SIDE * SIDE][3], there[SIDE * SIDE][3];
    lie_on_colliders(0, here);
    for (size_t i = 1; i < COUNT_OF(distances); i++) {
        test_case("%g m", distances[i]);
        lie_on_colliders(distances[i], there);
        for (uint32_t k = 0; k < SIDE * SIDE; k++)
            for (int axis = 0; axis < 3; axis++)
                ASSERT_NEAR(there[k][axis], here[k][axis], 1e-5 + UNIT * distances[i]);
    }
}

static void spring_to_a_place(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    const double at = *(const double *)user;
    for (uint32_t i = 0; i < stage->count; i++) {
        x[i] += 20 * (float)(at + 1 - (double)stage->x[i]);
        y[i] += 20 * (float)(at - (double)stage->y[i]);
        z[i] += 20 * (float)(at - (double)stage->z[i]);
    }
}

/* Forces read positions of the world: an anchor, gravity in a box half a metre wide, a callback. */
static void drawn_by_places(double at, double v[3]) {
    static net n;
    const mote_system_def def = rate_of(60, 8);
    make_square(&n, PRIMAL, at, 1e4f);
    start_net(&n, &def, 0);
    const float middle[3] = {(float)at, (float)at, (float)at},
                anchor[3] = {(float)(at + 2), (float)at, (float)at};
    add_force(n.system,
              mote_in_box(mote_gravity((float[3]){0, -3, 0}), middle, (float[3]){0.5f, 0.5f, 0.5f}, 0.25f));
    add_force(n.system, mote_anchor_spring(anchor, 0.05f, 0.01f));
    mote_force_def callback = mote_callback(spring_to_a_place, &at);
    callback.as.callback.unit = MOTE_METRES_PER_SECOND_SQUARED;
    add_force(n.system, callback);
    step_net(&n, 20);
    memset(v, 0, 3 * sizeof *v);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        for (uint32_t k = 0; k < 3; k++) v[k] += place_of(&n, i, 3 + k) / (SIDE * SIDE);
    mote_system_destroy(n.system);
}

TEST(forces_see_positions_in_the_world) {
    double here[3], there[3];
    drawn_by_places(0, here);
    ASSERT(here[0], >, 0.5);
    ASSERT(here[1], <, -0.1);
    for (size_t i = 1; i < COUNT_OF(distances); i++) {
        test_case("%g m", distances[i]);
        drawn_by_places(distances[i], there);
        /* A position is wrong by its rounding; the steepest force grows by 32 /s^2. */
        for (int k = 0; k < 3; k++) ASSERT_NEAR(there[k], here[k], 1e-4 + UNIT * distances[i] * 32 / 3);
    }
}

/* --- Empty space --- */

TEST(momentum_is_kept_in_empty_space) {
    static net n;
    const mote_system_def def = rate_of(60, 8);
    for (int solver = PRIMAL; solver < SOLVERS; solver++)
        for (size_t i = 0; i < COUNT_OF(distances); i++) {
            double before[3], after[3];
            test_case("solver %d, %g m", solver, distances[i]);
            make_square(&n, solver, distances[i], 1e4f);
            for (uint32_t k = 0; k < SIDE * SIDE; k++) {
                n.velocities[3 * k] = 1, n.velocities[3 * k + 1] = 2 + (float)sin(k);
                n.velocities[3 * k + 2] = 2;
            }
            start_net(&n, &def, 0);
            memcpy(before, measured(&n).momentum, sizeof before);
            step_net(&n, 600);
            memcpy(after, measured(&n).momentum, sizeof after);
            /* Each of 4,800 substeps rounds velocities of 3 m/s, at random signs. */
            for (int k = 0; k < 3; k++) ASSERT_NEAR(after[k], before[k], 100 * UNIT * 3 * SIDE * SIDE * 0.01);
            mote_system_destroy(n.system);
        }
}

/* --- Places in two parts --- */

/* Two nets have moved differently when the host lays both alike: from then on they are one. */
TEST(nets_that_the_host_lays_alike_forget_their_histories) {
    static net n[2];
    const mote_system_def def = rate_of(60, 8);
    for (int solver = PRIMAL; solver < SOLVERS; solver++)
        for (size_t i = 0; i < COUNT_OF(distances); i++) {
            test_case("solver %d, %g m", solver, distances[i]);
            for (int k = 0; k < 2; k++) {
                make_square(&n[k], solver, distances[i], 1e4f);
                n[k].velocities[4] = (float)k;
                start_net(&n[k], &def, GRAVITY);
                pin_here(&n[k], 9);
                step_net(&n[k], 20);
                for (uint32_t p = 0; p < SIDE * SIDE; p++)
                    for (uint32_t axis = 0; axis < 6; axis++)
                        *coordinate(&n[k], p, axis) = axis < 3 ? n[0].positions[3 * p + axis] : 0;
                ASSERT(place_of(&n[k], 9, 0), ==, (double)n[0].positions[27]);
                step_net(&n[k], 1);
            }
            ASSERT(mote_system_hash(n[0].system), ==, mote_system_hash(n[1].system));
            step_net(&n[0], 30), step_net(&n[1], 30);
            ASSERT(mote_system_hash(n[0].system), ==, mote_system_hash(n[1].system));
            mote_system_destroy(n[0].system), mote_system_destroy(n[1].system);
        }
}

/* 1 mm/s at 100 km, where a float is good for 8 mm: only the low parts move, and stay where the host writes
 * what it has read. */
TEST(places_that_are_not_written_keep_their_low_parts) {
    static net n[2];
    const mote_system_def def = rate_of(60, 8);
    for (int k = 0; k < 2; k++) {
        make_square(&n[k], PRIMAL, 1e5, 1e4f);
        for (uint32_t p = 0; p < SIDE * SIDE; p++) n[k].velocities[3 * p + 2] = 0.001f;
        start_net(&n[k], &def, 0);
    }
    for (int step = 0; step < 600; step++) {
        step_net(&n[0], 1), step_net(&n[1], 1);
        for (uint32_t p = 0; p < SIDE * SIDE; p++)
            for (uint32_t axis = 0; axis < 3; axis++) {
                const volatile float read = *coordinate(&n[1], p, axis);
                *coordinate(&n[1], p, axis) = read;
            }
    }
    ASSERT(mote_system_hash(n[0].system), ==, mote_system_hash(n[1].system));
    ASSERT(place_of(&n[0], 0, 2), ==, 1e5 + 0x1p-7); /* 10 mm */
    ASSERT(measured(&n[0]).max_strain, <=, 1e-5);
    mote_system_destroy(n[0].system), mote_system_destroy(n[1].system);
}

/* A chain of springs of 1 cm, shorter than two steps of a float at 100 km: its strain, what tears, and the
 * length of what is added as it is placed follow the places, not the columns. */
TEST(lengths_are_those_of_places_and_not_of_columns) {
    enum { LINKS = 16 };
    static net n;
    const mote_system_def def = rate_of(60, 8);
    begin_net(&n, MOTE_NETWORK_CONSTRAINED);
    n.def.spring_capacity = LINKS + 1;
    for (uint32_t i = 0; i <= LINKS; i++) {
        add_particle(&n, 1e5 + 0x1p-7 * i, 1e5, 0, 0.001);
        if (i) add_spring(&n, i - 1, i, MOTE_AS_PLACED, 1e3f, 0.5f);
        if (i) n.springs[i - 1].tear_strain = 0.1f;
    }
    start_net(&n, &def, GRAVITY);
    pin_here(&n, 0);
    step_net(&n, 300);
    ASSERT(report_of(&n).torn, ==, 0);
    ASSERT(mote_network_columns(n.system, n.id).spring_count, ==, LINKS);
    /* The first spring bears 16 g: 0.157 N over 7.8 N for a strain of 1. */
    ASSERT(measured(&n).max_strain, <=, 0.05);
    mote_spring across = {1, 3, MOTE_AS_PLACED, 1e3f, 0, 0};
    uint32_t number;
    OK(mote_network_add_springs(n.system, n.id, 1, &across, &number, NULL));
    ASSERT_NEAR((double)spring_of(n.system, n.id, number).rest_length, 0x1p-6, 0.1 * 0x1p-6);
    mote_system_destroy(n.system);
}

/* A pin that travels slowly, and a spring that is reeled in: the pin's neighbours follow it in steps smaller
 * than those of a float. */
TEST(pins_travel_evenly_far_out) {
    static net n;
    const mote_system_def def = rate_of(60, 8);
    double most = 0;
    begin_net(&n, MOTE_NETWORK_CONSTRAINED);
    add_particle(&n, 1e5, 0, 0, 1), add_particle(&n, 1e5 + 1, 0, 0, 1);
    add_spring(&n, 0, 1, MOTE_AS_PLACED, 1e4f, 100);
    start_net(&n, &def, 0);
    pin_at(&n, 0, 1e5 - 0.5, 0, 0, 300 * step_ticks(&n));
    for (int step = 0; step < 240; step++) {
        step_net(&n, 1);
        if (step >= 120) most = fmax(most, fabs(place_of(&n, 1, 3) + 0.1));
    }
    ASSERT(most, <, 1e-4);
    mote_system_destroy(n.system);
}

/* Two nets that a spring joins in motion, and a link between two others: the parts have origins of their own,
 * and the places between which springs and links act are the same at any distance. */
static double kinetic_after_a_join(double at, bool link) {
    static net n;
    const mote_system_def def = rate_of(60, 8);
    begin_net(&n, MOTE_NETWORK_CONSTRAINED);
    n.def.spring_capacity = 200;
    add_grid(&n, (grid){4, 4, at, 0.125, 0.01, 1e4f, false});
    add_grid(&n, (grid){4, 4, at + 1, 0.125, 0.01, 1e4f, false});
    for (uint32_t i = 16; i < 32; i++) n.velocities[3 * i] = 0.02f, n.velocities[3 * i + 1] = 0.3f;
    start_net(&n, &def, 0);
    step_net(&n, 20);
    const mote_spring spring = {3, 16, MOTE_AS_PLACED, 50, 0.05f, 0};
    mote_link between = mote_default_link();
    between.a.network = between.b.network = n.id;
    between.a.particle = 3, between.b.particle = 16;
    between.stiffness = 50, between.damping = 0.05f;
    uint32_t number;
    mote_link_id id;
    if (link)
        OK(mote_system_add_link(n.system, &between, &id));
    else
        OK(mote_network_add_springs(n.system, n.id, 1, &spring, &number, NULL));
    step_net(&n, 90);
    double momentum = 0;
    for (uint32_t i = 0; i < 16; i++) momentum += 0.01 * place_of(&n, i, 4);
    mote_system_destroy(n.system);
    return momentum;
}

TEST(nets_join_alike_at_any_distance) {
    for (int link = 0; link < 2; link++) {
        const double here = kinetic_after_a_join(0, link);
        ASSERT(here, >, 1e-3);
        for (size_t i = 1; i < COUNT_OF(distances); i++) {
            test_case("link %d, %g m", link, distances[i]);
            ASSERT_NEAR(kinetic_after_a_join(distances[i], link), here, 2e-3 * here);
        }
    }
}

TEST(frames_of_any_length_give_the_same_state_far_out) {
    static net n;
    static const uint32_t frames[] = {1, 3, 7, 60};
    const mote_system_def def = rate_of(60, 4);
    uint64_t hash[COUNT_OF(frames)];
    for (size_t i = 0; i < COUNT_OF(frames); i++) {
        make_square(&n, PRIMAL, 1e5, 1e4f);
        start_net(&n, &def, GRAVITY);
        pin_here(&n, 0);
        for (uint32_t left = 60; left; left -= left < frames[i] ? left : frames[i])
            step_net(&n, left < frames[i] ? left : frames[i]);
        hash[i] = mote_system_hash(n.system);
        mote_system_destroy(n.system);
        ASSERT(hash[i], ==, hash[0]);
    }
}
