/* Distance grids: loose particles, strands and networks at a sampled shape behave as at the shape itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collision_scene.h"

static const mote_transform here = MOTE_TRANSFORM_IDENTITY;

typedef double solid(const double x[3]);

static double length_of(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }
static double ball(const double x[3]) { return length_of(x) - 1; }
/* The inside of a ball of radius 1.2: a bowl. */
static double hollow(const double x[3]) { return 1.2 - length_of(x); }
static double two_balls(const double x[3]) {
    const double a[3] = {x[0] - 0.5, x[1], x[2]}, b[3] = {x[0] + 0.5, x[1], x[2]};
    return fmin(length_of(a), length_of(b)) - 0.6;
}

/* Samples of a solid in the cube of half edge `half` about the origin. */
static mote_distance_grid *sampled(solid *of, double half, uint32_t count) {
    mote_distance_grid_def def = mote_default_distance_grid_def();
    mote_distance_grid *grid;
    float *distances = calloc((size_t)count * count * count, sizeof *distances);
    assert_non_null(distances);
    for (uint32_t k = 0; k < count * count * count; k++) {
        const uint32_t at[3] = {k % count, k / count % count, k / count / count};
        double x[3];
        for (int axis = 0; axis < 3; axis++) x[axis] = half * (2.0 * at[axis] / (count - 1) - 1);
        distances[k] = (float)of(x);
    }
    for (int axis = 0; axis < 3; axis++) def.count[axis] = count, def.origin[axis] = (float)-half;
    def.spacing = (float)(2 * half / (count - 1)), def.distances = distances;
    OK(mote_distance_grid_create(&def, &grid));
    free(distances);
    return grid;
}

static mote_collider_def collider_of(const mote_distance_grid *grid, float friction, float restitution) {
    mote_collider_def def = mote_distance_grid_collider(&here, grid);
    def.friction = friction, def.restitution = restitution;
    return def;
}

static void place_in(const mote_range_view *view, uint32_t i, double x[3]) {
    x[0] = (double)view->position.x[i], x[1] = (double)view->position.y[i];
    x[2] = (double)view->position.z[i];
}

/* --- Loose particles --- */

/* The trilinear error of a ball of radius 1 is at most 3/8 of the squared spacing. */
TEST(a_sampled_ball_is_a_sphere) {
    enum { COUNT = 500 };
    mote_distance_grid *grid = sampled(ball, 1.5, 121);
    mote_system *systems[2];
    mote_range_view views[2];
    for (int sphere = 0; sphere < 2; sphere++) {
        mote_system_def def = bare_def(COUNT, MOTE_VELOCITY_VERLET);
        def.collision_radius = 0.05f, def.friction = 0.5f;
        systems[sphere] = system_of(&def);
        add_gravity(systems[sphere]);
        mote_collider_def round = sphere ? mote_sphere((float[3]){0, 0, 0}, 1) : collider_of(grid, 0, 0);
        round.friction = 0.3f, round.restitution = 0.6f;
        add_collider(systems[sphere], round);
        views[sphere] = spawned(systems[sphere], COUNT);
        random_source random = {3};
        for (uint32_t i = 0; i < COUNT; i++) {
            put(&views[sphere], i, random_between(&random, -0.7f, 0.7f), random_between(&random, 1.2f, 3),
                random_between(&random, -0.7f, 0.7f));
            throw_at(&views[sphere], i, 0, random_between(&random, -3, 3), 0);
        }
    }
    uint32_t tested = 0;
    for (int n = 0; n < 30; n++) {
        for (int sphere = 0; sphere < 2; sphere++) stepped(systems[sphere], 1);
        for (uint32_t i = 0; i < COUNT; i++) {
            double x[3], y[3];
            place_in(&views[0], i, x), place_in(&views[1], i, y);
            test_case("step %d, particle %u", n, i);
            for (int axis = 0; axis < 3; axis++) ASSERT_NEAR(x[axis], y[axis], 2e-2);
            if (ball(x) > 0.06) continue;
            ASSERT(ball(x), >, 0.05 - 4e-4);
            tested++;
        }
    }
    ASSERT(tested, >, 100u);
    for (int sphere = 0; sphere < 2; sphere++) mote_system_destroy(systems[sphere]);
    mote_distance_grid_destroy(grid);
}

enum { SHOTS = 150000 };

static const char *motion_name(uint32_t i) {
    static const char *const names[] = {"a body at rest", "one that moves", "one that turns"};
    return names[i];
}

/* At up to 10 km/s, at a shape with a notch: each path that comes 1 mm into the solid hits it, and none that
 * stays 1 mm away, by the samples' own error of 1 mm more. The body turns about the axis of its symmetry by
 * 0.02 rad: the header allows an error of a w / 4 = 26 mm with the way w of 5.2 m through the ball around the
 * grid. */
TEST_EACH(nothing_tunnels_through, 3, motion_name, moves) {
    const double graze = moves == 2 ? 0.03 : 2e-3;
    mote_distance_grid *grid = sampled(two_balls, 1.5, 61);
    mote_system_def def = bare_def(SHOTS, MOTE_SEMI_IMPLICIT_EULER);
    def.particle_ids = false;
    mote_system *system = system_of(&def);
    mote_collider_def body = collider_of(grid, 0, 1);
    body.response = MOTE_RESPONSE_KILL;
    const mote_collider_id id = add_collider(system, body);
    const mote_transform to = moves == 2
                                  ? turned(0, 0, 0, (float[3]){1, 0, 0}, 0.02)
                                  : turned(moves ? 0.3f : 0, moves ? -0.2f : 0, 0, (float[3]){1, 0, 0}, 0);
    OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
    const mote_range_view view = spawned(system, SHOTS);
    random_source random = {moves + 1};
    uint32_t certain = 0, left_out = 0;
    for (uint32_t i = 0; i < SHOTS; i++) {
        const float speed = random_between(&random, 10, 10000), f = random_between(&random, 0, 1);
        float v[3], x[3];
        for (int k = 0; k < 3; k++) v[k] = random_between(&random, -1, 1);
        const float size = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + 1e-9f;
        for (int k = 0; k < 3; k++) {
            v[k] *= speed / size;
            x[k] = random_between(&random, -1.2f, 1.2f) - f / 60 * v[k];
        }
        put(&view, i, x[0], x[1], x[2]), throw_at(&view, i, v[0], v[1], v[2]);
        double least = INFINITY, start[3] = {(double)x[0], (double)x[1], (double)x[2]};
        const double way = (double)speed / 60;
        const double middle[3] = {(double)v[0] / 60, (double)v[1] / 60, (double)v[2] / 60};
        /* Sphere tracing of the exact distance in double, for the least one. */
        for (double g = 0; g <= 1;) {
            double at[3];
            for (int k = 0; k < 3; k++)
                at[k] = start[k] + g * (middle[k] - ((double)to.position[k] - (double)here.position[k]));
            const double d = two_balls(at);
            least = fmin(least, d);
            if (least < -graze || way < 1e-9) break;
            g += fmax(d, 5e-4) / (way + 0.5);
        }
        const bool starts_inside = two_balls(start)<graze, counts = fabs(least)> graze && !starts_inside;
        if (!counts) put(&view, i, 900, 900, 900), throw_at(&view, i, 0, 0, 0), left_out++;
        certain += counts && least < 0;
    }
    ASSERT(certain, >, SHOTS / 5u);
    ASSERT(left_out, <, SHOTS / 3u);
    const mote_advance report = stepped(system, 1);
    ASSERT(report.collided, ==, certain);
    mote_system_destroy(system);
    mote_distance_grid_destroy(grid);
}

TEST(particles_at_rest_keep_their_bits_for_100000_steps) {
    enum { COUNT = 32 };
    static const mote_integrator all[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET};
    mote_distance_grid *grid = sampled(hollow, 1.5, 61);
    for (size_t k = 0; k < COUNT_OF(all); k++) {
        mote_system_def def = bare_def(COUNT, all[k]);
        def.collision_radius = 0.02f, def.friction = 0.5f;
        mote_system *system = system_of(&def);
        add_gravity(system);
        add_collider(system, collider_of(grid, 0.5f, 0.3f));
        const mote_range_view view = spawned(system, COUNT);
        random_source random = {7};
        for (uint32_t i = 0; i < COUNT; i++)
            put(&view, i, random_between(&random, -0.6f, 0.6f), 0, random_between(&random, -0.6f, 0.6f));
        stepped(system, 2000);
        float before[3][COUNT];
        const float *const x[3] = {view.position.x, view.position.y, view.position.z};
        for (int axis = 0; axis < 3; axis++) memcpy(before[axis], x[axis], sizeof before[axis]);
        stepped(system, 100000);
        for (uint32_t i = 0; i < COUNT; i++) {
            double at[3];
            place_in(&view, i, at);
            test_case("%s, particle %u", integrator_name(all[k]), i);
            for (int axis = 0; axis < 3; axis++) ASSERT(x[axis][i], ==, before[axis][i]);
            ASSERT_NEAR(hollow(at), 0.02, 1e-3); /* of the samples */
        }
        mote_system_destroy(system);
    }
    mote_distance_grid_destroy(grid);
}

static double energy_at(const mote_range_view *view, uint32_t i) {
    const double v[3] = {(double)view->velocity.x[i], (double)view->velocity.y[i],
                         (double)view->velocity.z[i]};
    return (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 + (double)GRAVITY * (double)view->position.y[i];
}

/* In a bowl without friction: sliding and bouncing. */
TEST(energy_never_grows_in_a_bowl) {
    enum { COUNT = 200, STEPS = 600 };
    static const float restitutions[] = {0, 0.5f, 1};
    mote_distance_grid *grid = sampled(hollow, 1.5, 61);
    for (size_t k = 0; k < COUNT_OF(restitutions); k++) {
        mote_system_def def = bare_def(COUNT, MOTE_VELOCITY_VERLET);
        mote_system *system = system_of(&def);
        add_gravity(system);
        add_collider(system, collider_of(grid, 0, restitutions[k]));
        const mote_range_view view = spawned(system, COUNT);
        random_source random = {7};
        double first[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            put(&view, i, random_between(&random, -0.6f, 0.6f), 0, random_between(&random, -0.6f, 0.6f));
            throw_at(&view, i, random_between(&random, -1, 1), 0, random_between(&random, -1, 1));
            first[i] = energy_at(&view, i);
        }
        for (int n = 0; n < STEPS; n++) {
            stepped(system, 1);
            for (uint32_t i = 0; i < COUNT; i++) {
                double at[3];
                place_in(&view, i, at);
                test_case("restitution %g, step %d, particle %u", (double)restitutions[k], n, i);
                ASSERT(energy_at(&view, i), <=, first[i] + 1e-2);
                ASSERT(hollow(at), >, -2e-3);
            }
        }
        mote_system_destroy(system);
    }
    mote_distance_grid_destroy(grid);
}

TEST(a_turning_body_carries_and_inside_is_put_out_without_speed) {
    mote_distance_grid *grid = sampled(ball, 1.5, 61);
    mote_system_def def = bare_def(2, MOTE_VELOCITY_VERLET);
    def.friction = 1;
    mote_system *system = system_of(&def);
    mote_collider_def body = collider_of(grid, 1, 0);
    const mote_collider_id id = add_collider(system, body);
    const mote_range_view view = spawned(system, 2);
    put(&view, 0, 0.3f, 0.2f, 0.1f); /* inside */
    put(&view, 1, 3, 3, 3);          /* beyond the samples */
    stepped(system, 8);
    double x[3];
    place_in(&view, 0, x);
    ASSERT_NEAR(ball(x), 0, 2e-3);
    for (int axis = 0; axis < 3; axis++)
        ASSERT_NEAR(x[axis], (double)((float[3]){0.3f, 0.2f, 0.1f})[axis] / sqrt(0.14), 0.05);
    ASSERT(view.velocity.x[0] == 0 && view.velocity.y[0] == 0 && view.velocity.z[0] == 0, ==, true);
    ASSERT(view.position.x[1], ==, 3.0f);
    /* On top of a body that moves sideways, with gravity. */
    add_gravity(system);
    put(&view, 0, 0, 1.001f, 0);
    mote_transform to = {{0.5f, 0, 0}, {0, 0, 0, 1}};
    OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
    stepped(system, 60);
    ASSERT_NEAR(view.velocity.x[0], 0.5, 1e-3);
    ASSERT_NEAR(view.position.x[0], 0.5, 0.03);
    mote_system_destroy(system);
    mote_distance_grid_destroy(grid);
}

/* --- Bits --- */

static uint64_t run(mote_integrator integrator, mote_isa isa, mote_loop_order order, uint32_t substeps,
                    const mote_distance_grid *grid, mote_jobs jobs, bool save) {
    enum { COUNT = 2000 };
    mote_system_def def = mote_default_system_def();
    def.capacity = COUNT, def.integrator = integrator, def.isa = isa, def.loop_order = order;
    def.substeps = substeps, def.radius_column = true, def.jobs = jobs;
    mote_system *system = system_of(&def);
    if (advects(integrator))
        add_force(system, mote_linear_field((float[3]){0.5f, -1, 0}, (float[9]){0}, MOTE_FIELD_VELOCITY, 0));
    else
        add_gravity(system);
    const mote_collider_id id = add_collider(system, collider_of(grid, 0.5f, 0.6f));
    const mote_range_view view = spawned(system, COUNT);
    random_source random = {13};
    for (uint32_t i = 0; i < COUNT; i++) {
        put(&view, i, random_between(&random, -1, 1), random_between(&random, 0, 2),
            random_between(&random, -1, 1));
        throw_at(&view, i, random_between(&random, -8, 8), random_between(&random, -8, 8), 0);
        view.radius[i] = 0.001f * (float)(i % 50);
    }
    put(&view, 7, NAN, 0, 0), put(&view, 8, INFINITY, 1, 0), put(&view, 9, 1e30f, -1e30f, 1e30f);
    throw_at(&view, 10, 3e38f, 0, -3e38f);
    view.radius[11] = NAN, view.radius[12] = INFINITY;
    for (int n = 0; n < 10; n++) {
        const mote_transform to =
            turned(0.1f * (float)(n % 3), 0.05f * (float)n, 0, (float[3]){0.6f, 0, 0.8f}, 0.1 * n);
        OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
        if (save) {
            size_t bytes;
            OK(mote_system_snapshot_bytes(system, &bytes));
            void *memory = malloc(bytes);
            assert_non_null(memory);
            OK(mote_system_save(system, 0, memory, bytes, NULL));
            stepped(system, 3);
            OK(mote_system_restore(system, memory, bytes, NULL));
            free(memory);
        }
        stepped(system, 3);
    }
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                              MOTE_POSITION_VERLET, MOTE_RK4, MOTE_ADVECT_MIDPOINT};
static const char *name_of(uint32_t i) { return integrator_name(integrators[i]); }

TEST_EACH(bits_do_not_depend_on_order_workers_or_instruction_set_and_roll_back, 5, name_of, number) {
    mote_distance_grid *grid = sampled(two_balls, 1.5, 31);
    uint32_t workers = 3;
    for (uint32_t substeps = 1; substeps < 4; substeps += 2) {
        const mote_jobs serial = {0}, several = dividing(pthread_jobs_hook(&workers));
        const uint64_t want =
            run(integrators[number], MOTE_ISA_AUTO, MOTE_LOOP_AUTO, substeps, grid, serial, 0);
        for (int isa = 0; isa < MOTE_ISA_COUNT; isa++) {
            if (!mote_isa_available((mote_isa)isa)) continue;
            test_case("instruction set %d, %u substeps", isa, substeps);
            for (int o = 0; o < 2; o++)
                ASSERT(run(integrators[number], (mote_isa)isa, o ? MOTE_LOOP_STAGE_OUTER : MOTE_LOOP_AUTO,
                           substeps, grid, several, o),
                       ==, want);
        }
    }
    mote_distance_grid_destroy(grid);
}

TEST(a_grid_with_half_an_allocator_is_refused) {
    static const float distances[8] = {0};
    mote_distance_grid_def def = mote_default_distance_grid_def();
    const char *parameter = NULL;
    memory_ledger ledger = {0};
    def.count[0] = def.count[1] = def.count[2] = 2, def.distances = distances;
    def.allocator = ledger_allocator(&ledger);
    OK(mote_distance_grid_def_check(&def, &parameter));
    def.allocator.release = NULL;
    ASSERT(mote_distance_grid_def_check(&def, &parameter), !=, MOTE_OK);
    assert_string_equal(parameter, "allocator");
}
