/* Constrained chains of which points start in a collider: they leave it without a speed, at any stiffness and
 * number of substeps. */
#include "test.h"

#include "network_net.h"

enum { RATE = 60, POINTS = 8 };
static const double radius = 0.01, deep = 0.004, spacing = 0.05; /* m */

enum { PLANE, SPHERE, CAPSULE, SHAPES };
static const char *const shape_name[] = {"plane", "sphere", "capsule"};

typedef struct chain_case {
    int shape;
    bool upright; /* one end is in the collider, else every other point is */
    float stiffness;
    uint32_t substeps;
} chain_case;

/* Colliders whose top is at y = 0; a chain lies along a capsule, and over a sphere of 1 m. */
static mote_collider_def collider_of(int shape) {
    if (shape == SPHERE) return mote_sphere((float[3]){0, -1, 0}, 1);
    if (shape == CAPSULE) return mote_capsule((float[3]){-1, -0.5f, 0}, (float[3]){1, -0.5f, 0}, 0.5f);
    return mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
}

static mote_collider_id start_chain(net *n, const chain_case *e) {
    const mote_system_def def = rate_of(RATE, e->substeps);
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    for (uint32_t i = 0; i < POINTS; i++) {
        const double along = spacing * (i - 0.5 * (POINTS - 1));
        if (e->upright)
            add_particle(n, 0, radius - deep + spacing * i, 0, 0.0125);
        else
            add_particle(n, along, radius - (i % 2 ? deep : 0), 0, 0.0125);
        if (i) add_spring(n, i - 1, i, MOTE_AS_PLACED, e->stiffness, 0);
    }
    n->def.radius = (float)radius;
    start_net(n, &def, GRAVITY);
    test_case("%s, %s, k %g, %u substeps", shape_name[e->shape], e->upright ? "upright" : "flat",
              (double)e->stiffness, e->substeps);
    return add_collider(n->system, collider_of(e->shape));
}

/* In a second no point rises by more than the depth, but for 0.1 mm: a height that 0.05 m/s reach. With a
 * speed of the depth over h, 0.96 m/s at 4 substeps and 15 m/s at 64, it is 47 mm to 12 m. On its way out
 * none moves farther than that to any side. */
static void check_rise(const chain_case *e) {
    static net n;
    start_chain(&n, e);
    for (uint32_t step = 0; step < RATE; step++) {
        step_net(&n, 1);
        for (uint32_t i = 0; i < POINTS; i++)
            ASSERT(place_of(&n, i, 1) - (double)n.positions[3 * i + 1], <, deep + 1e-4);
        for (uint32_t k = 0; k < 3 * POINTS && step == 0; k++)
            ASSERT_NEAR(place_of(&n, k / 3, k % 3), (double)n.positions[k], deep + 1e-4);
        if (e->upright && step == 0) ASSERT(place_of(&n, 0, 1), >, radius - 1e-4);
    }
    mote_system_destroy(n.system);
}

TEST(points_leave_a_collider_without_a_speed) {
    static const float stiffness[] = {1, 100, 1e4f, INFINITY};
    for (int shape = 0; shape < SHAPES; shape++)
        for (uint32_t substeps = 4; substeps <= 64; substeps *= 4)
            for (size_t k = 0; k < COUNT_OF(stiffness); k++) {
                check_rise(&(chain_case){shape, false, stiffness[k], substeps});
                check_rise(&(chain_case){shape, true, stiffness[k], substeps});
            }
}

/* A sheet in empty space, of which a wall at rest is put on one edge: as deep as a fraction of a spring, and
 * deeper than two. It is moved aside and gets no speed, but for rounding and the rest of the strain: 1 mm/s.
 */
TEST(a_wall_put_on_a_sheet_gives_it_no_speed) {
    enum { SIDE = 7 };
    static net n;
    static const double depth[] = {0.02, 0.06, 0.085, 0.2};
    for (uint32_t k = 0; k < 2 * COUNT_OF(depth); k++)
        for (uint32_t substeps = 1; substeps <= 16; substeps *= 4) {
            const mote_system_def def = rate_of(RATE, substeps);
            const float edge = (float)(0.08 * (SIDE - 1) - depth[k / 2]), stiffness = k % 2 ? 1e5f : 5e3f;
            begin_net(&n, MOTE_NETWORK_CONSTRAINED);
            add_grid(&n, (grid){SIDE, SIDE, 0, 0.08, 0.003, stiffness, true});
            start_net(&n, &def, 0);
            add_collider(n.system, mote_plane((float[3]){edge, 0, 0}, (float[3]){-1, 0, 0}));
            step_net(&n, RATE);
            test_case("depth %g, k %g, %u substeps", depth[k / 2], (double)stiffness, substeps);
            for (uint32_t i = 0; i < SIDE * SIDE; i++) {
                for (uint32_t axis = 3; axis < 6; axis++) ASSERT_NEAR(place_of(&n, i, axis), 0, 1e-3);
                ASSERT(place_of(&n, i, 0), <, (double)edge + 1e-5);
            }
            mote_system_destroy(n.system);
        }
}

/* A net lies on a floor, and a capsule comes down on it at 0.1 m/s until 5 mm are left to points of 10 mm.
 * They have no room: they sink into both, at most as fast as they fall in two steps or as the capsule comes,
 * and lie still. Put out of each collider in turn they shook at up to 45 m/s. */
TEST(points_that_two_colliders_press_lie_still) {
    enum { SIDE = 9, DOWN = 120 };
    static net n;
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t substeps = 1; substeps <= 16; substeps *= 4) {
            const mote_system_def def = rate_of(RATE, substeps);
            mote_transform at = MOTE_TRANSFORM_IDENTITY;
            begin_net(&n, MOTE_NETWORK_CONSTRAINED);
            add_grid(&n, (grid){SIDE, SIDE, -0.39, 0.1, 0.005, k ? INFINITY : 1e4f, false});
            for (uint32_t i = 0; i < SIDE * SIDE; i++)
                n.positions[3 * i + 1] = (float)radius, n.positions[3 * i + 2] -= 0.413f;
            n.def.radius = (float)radius;
            start_net(&n, &def, GRAVITY);
            add_collider(n.system, collider_of(PLANE));
            at.position[1] = 0.205f + 0.1f * DOWN / RATE;
            mote_collider_def bar = mote_capsule((float[3]){-1, 0, 0}, (float[3]){1, 0, 0}, 0.2f);
            bar.transform.position[1] = at.position[1];
            const mote_collider_id id = add_collider(n.system, bar);
            at = bar.transform, at.position[1] = 0.205f;
            OK(mote_system_move_collider(n.system, id, &at, DOWN * step_ticks(&n)));
            test_case("%s, %u substeps", k ? "rigid" : "1e4 N/m", substeps);
            for (uint32_t step = 0; step < 2 * DOWN; step++) {
                const double most = step < DOWN + 30 ? 2 * GRAVITY / RATE + 0.1 : 0.01;
                step_net(&n, 1);
                for (uint32_t i = 0; i < SIDE * SIDE; i++)
                    for (uint32_t axis = 3; axis < 6; axis++) ASSERT_NEAR(place_of(&n, i, axis), 0, most);
            }
            mote_system_destroy(n.system);
        }
}

/* A chain falls into a crease, across it, along it or upright: none of its points has more kinetic energy
 * than the fall of all gives, and in the end all rest. A velocity that points into a crease, of which one
 * side after the other took a part, had grown to 96 m/s after 10 s. */
TEST(a_chain_that_falls_into_a_crease_slows_down) {
    enum { CHAIN = 12 };
    static net n;
    static const double half_angle[] = {5, 10, 12, 20};
    static const float stiffness[] = {100, 1e4f, INFINITY};
    for (size_t k = 0; k < COUNT_OF(half_angle) * COUNT_OF(stiffness) * 3; k++)
        for (uint32_t substeps = 1; substeps <= 4; substeps *= 2) {
            const mote_system_def def = rate_of(RATE, substeps);
            const double angle = half_angle[k / 3 % 4] * PI / 180;
            begin_net(&n, MOTE_NETWORK_CONSTRAINED);
            for (uint32_t i = 0; i < CHAIN; i++) {
                const double to = spacing * i;
                const double at[3][3] = {{to - 0.27, 1.5, 0}, {0.01 * (i % 2), 1, to}, {0, 1 + to, 0}};
                add_particle(&n, at[k % 3][0], at[k % 3][1], at[k % 3][2], 0.01);
                if (i) add_spring(&n, i - 1, i, MOTE_AS_PLACED, stiffness[k / 12], 0);
            }
            n.def.radius = (float)radius, n.def.friction = 0.1f;
            start_net(&n, &def, GRAVITY);
            for (int side = -1; side <= 1; side += 2) {
                const float normal[3] = {(float)(side * cos(angle)), (float)sin(angle), 0};
                mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, normal);
                plane.friction = 0.1f;
                add_collider(n.system, plane);
            }
            const double before = energy_of(&n);
            test_case("half angle %g, way %zu, k %g, %u substeps", half_angle[k / 3 % 4], k % 3,
                      (double)stiffness[k / 12], substeps);
            for (uint32_t step = 0; step < 8 * RATE; step++) {
                step_net(&n, 1);
                ASSERT(measured(&n).kinetic, <=, before);
            }
            if (substeps > 1) ASSERT(measured(&n).kinetic, <=, 1e-2 * before);
            mote_system_destroy(n.system);
        }
}

/* A sheet falls into creases of two planes. It never has more kinetic energy than its fall gives, and where
 * its springs hold more than that it is told: they did, with up to 200 times that as motion. */
TEST(a_sheet_that_falls_into_a_crease_gains_no_energy) {
    enum { SIDE = 11 };
    static net n;
    static const float stiffness[] = {200, 2000, 20000};
    for (size_t k = 0; k < 3 * COUNT_OF(stiffness); k++)
        for (uint32_t substeps = 1; substeps <= 8; substeps *= 2) {
            const mote_system_def def = rate_of(RATE, substeps);
            const float steep = (float)(1 + k % 3);
            begin_net(&n, MOTE_NETWORK_CONSTRAINED);
            add_grid(&n, (grid){SIDE, SIDE, -0.397, 0.08, 0.003, stiffness[k / 3], true});
            for (uint32_t i = 0; i < SIDE * SIDE; i++) n.positions[3 * i + 1] = 1.6f;
            n.def.radius = (float)radius, n.def.friction = 0;
            start_net(&n, &def, GRAVITY);
            for (int side = -1; side <= 1; side += 2)
                add_collider(n.system,
                             mote_plane((float[3]){0, 0, 0}, (float[3]){(float)side * steep, 1, 0}));
            const double before = energy_of(&n);
            for (uint32_t step = 0; step < 2 * RATE; step++) {
                step_net(&n, 1);
                test_case("k %g N/m, slope %g, %u substeps, step %u", (double)stiffness[k / 3], (double)steep,
                          substeps, step);
                ASSERT(measured(&n).kinetic, <=, before);
                if (energy_of(&n) > before) ASSERT(report_of(&n).unsolved, >, 0);
            }
            mote_system_destroy(n.system);
        }
}

/* A net falls on two capsules that touch: none of its points comes through between them, where their normals
 * are opposite. Rigid nets fell through at 1 and 2 substeps, and shook in the crease at more. */
TEST(no_point_falls_between_two_capsules_that_touch) {
    enum { SIDE = 9 };
    static net n;
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t substeps = 1; substeps <= 8; substeps *= 2) {
            const mote_system_def def = rate_of(RATE, substeps);
            begin_net(&n, MOTE_NETWORK_CONSTRAINED);
            add_grid(&n, (grid){SIDE, SIDE, -0.4, 0.1, 0.005, k ? INFINITY : 1e4f, false});
            for (uint32_t i = 0; i < SIDE * SIDE; i++) {
                n.positions[3 * i + 1] = 0.4f;
                n.positions[3 * i + 2] -= 0.4f;
            }
            n.def.radius = (float)radius;
            start_net(&n, &def, GRAVITY);
            for (float x = -0.3f; x < 1; x += 0.6f)
                add_collider(n.system, mote_capsule((float[3]){x, 0, -2}, (float[3]){x, 0, 2}, 0.3f));
            test_case("%s, %u substeps", k ? "rigid" : "1e4 N/m", substeps);
            for (uint32_t step = 0; step < 5 * RATE; step++) {
                step_net(&n, 1);
                for (uint32_t i = 0; i < SIDE * SIDE; i++) ASSERT(place_of(&n, i, 1), >, 0.07);
            }
            for (uint32_t i = 0; i < SIDE * SIDE * 3; i++)
                ASSERT_NEAR(place_of(&n, i / 3, 3 + i % 3), 0, 0.2);
            mote_system_destroy(n.system);
        }
}

/* A particle at the mouth of a narrow crease that opens downwards: it falls out and gains no energy. Held
 * where it was, with the velocity that gravity gave it, it left with 48 J/kg. */
TEST(gravity_pulls_a_particle_out_of_a_crease) {
    static net n;
    for (int solver = 0; solver < 2; solver++)
        for (uint32_t substeps = 1; substeps <= 8; substeps *= 2) {
            const mote_system_def def = rate_of(RATE, substeps);
            begin_net(&n, solver ? MOTE_NETWORK_CONSTRAINED : MOTE_NETWORK_SPRINGS);
            add_particle(&n, 0, -0.03, 0, 1);
            n.def.radius = 0.005f, n.def.friction = 0;
            start_net(&n, &def, GRAVITY);
            for (int side = -1; side <= 1; side += 2) {
                const float normal[3] = {(float)(side * cos(5 * PI / 180)), (float)-sin(5 * PI / 180), 0};
                mote_collider_def plane = mote_plane((float[3]){0, 0, 0}, normal);
                plane.friction = 0;
                add_collider(n.system, plane);
            }
            test_case("solver %d, %u substeps", solver, substeps);
            for (uint32_t step = 0; step < RATE; step++) {
                step_net(&n, 1);
                const double v = place_of(&n, 0, 4), fallen = -0.03 - place_of(&n, 0, 1);
                ASSERT(v * v / 2, <=, GRAVITY * fallen + 0.02);
            }
            ASSERT(place_of(&n, 0, 1), <, -3);
            mote_system_destroy(n.system);
        }
}

/* A net that gravity holds below a plate of 1 mm which turns at 3 rad/s stays below it: it did not come
 * through the plate because that has turned. */
TEST(a_turning_plate_does_not_pass_through_a_net) {
    static net n;
    static const float stiffness[] = {1000, INFINITY};
    for (size_t k = 0; k < COUNT_OF(stiffness); k++)
        for (uint32_t substeps = 1; substeps <= 16; substeps *= 4) {
            const mote_system_def def = rate_of(RATE, substeps);
            mote_transform at = MOTE_TRANSFORM_IDENTITY;
            begin_net(&n, MOTE_NETWORK_CONSTRAINED);
            for (uint32_t i = 0; i < 4; i++)
                add_particle(&n, 0.3 + 0.02 * (i % 2), -0.00151, 0.02 * (i / 2), 0.01);
            for (uint32_t i = 0; i < 4; i++) add_spring(&n, i, i ^ (i % 3 ? 3 : 1), 0.02f, stiffness[k], 0);
            n.def.radius = 0.001f;
            start_net(&n, &def, -30);
            const mote_collider_id plate =
                add_collider(n.system, mote_box(&at, (float[3]){0.5f, 0.0005f, 0.5f}));
            for (int step = 1; step <= 20; step++) {
                const double angle = step < 6 ? 0 : (step - 5) * 3.0 / RATE;
                at.rotation[2] = (float)sin(angle / 2), at.rotation[3] = (float)cos(angle / 2);
                OK(mote_system_move_collider(n.system, plate, &at, MOTE_NEXT_ADVANCE));
                step_net(&n, 1);
                test_case("k %g, %u substeps, step %d", (double)stiffness[k], substeps, step);
                for (uint32_t i = 0; i < 4; i++)
                    ASSERT(cos(angle) * place_of(&n, i, 1) - sin(angle) * place_of(&n, i, 0), <, -0.00149);
            }
            mote_system_destroy(n.system);
        }
}

/* A plane that rises at 0.5 m/s gives that speed, and no more: after the first step, and after each. */
TEST(points_that_leave_a_moving_collider_have_its_speed) {
    static net n;
    for (uint32_t substeps = 4; substeps <= 64; substeps *= 4)
        for (float stiffness = 1; stiffness <= 1e4f; stiffness *= 100) {
            mote_transform target = MOTE_TRANSFORM_IDENTITY;
            target.position[1] = 0.5f;
            const mote_collider_id id = start_chain(&n, &(chain_case){PLANE, false, stiffness, substeps});
            OK(mote_system_move_collider(n.system, id, &target, RATE * step_ticks(&n)));
            for (uint32_t step = 1; step <= RATE; step++) {
                step_net(&n, 1);
                for (uint32_t i = 0; i < POINTS; i++) {
                    ASSERT_NEAR(place_of(&n, i, 1), radius + 0.5 * step / RATE, 1e-4);
                    ASSERT_NEAR(place_of(&n, i, 4), 0.5, 1e-3);
                }
            }
            mote_system_destroy(n.system);
        }
}

/* Friction afterwards: on a slope that is 5 % steeper than friction holds, the chain gathers speed by g (sin
 * - mu cos) from the first second to the second. */
TEST(a_chain_that_started_inside_slides_as_one_that_did_not) {
    static net n;
    const double mu = 0.5, angle = atan(1.05 * mu), acceleration = GRAVITY * (sin(angle) - mu * cos(angle));
    for (uint32_t substeps = 1; substeps <= 16; substeps *= 4) {
        double speed[2];
        const mote_system_def def = rate_of(RATE, substeps);
        begin_net(&n, MOTE_NETWORK_CONSTRAINED);
        for (uint32_t i = 0; i < POINTS; i++) {
            add_particle(&n, spacing * i, radius - (i % 2 ? deep : -deep), 0, 0.0125);
            if (i) add_spring(&n, i - 1, i, MOTE_AS_PLACED, 1e4f, 0);
        }
        n.def.radius = (float)radius;
        start_net(&n, &def, 0);
        add_force(n.system,
                  mote_gravity((float[3]){(float)(GRAVITY * sin(angle)), (float)(-GRAVITY * cos(angle)), 0}));
        add_collider(n.system, collider_of(PLANE)); /* friction: 0.5 of both */
        for (int second = 0; second < 2; second++) {
            step_net(&n, RATE);
            speed[second] = 0;
            for (uint32_t i = 0; i < POINTS; i++) speed[second] += place_of(&n, i, 3) / POINTS;
        }
        test_case("%u substeps", substeps);
        ASSERT_NEAR(speed[1] - speed[0], acceleration, 0.001 * acceleration);
        mote_system_destroy(n.system);
    }
}
