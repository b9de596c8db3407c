/* Loose particles on colliders of several pieces, on those that turn, on those whose settings change on their
 * way, and born beside those that hold them. */
#include "collision_scene.h"

enum { PARTICLES = 1000 };

/* --- Floors of boxes --- */

enum { TILES = 7 };

static const struct floor_case {
    float friction, x, y, yaw;
} floors[] = {{0, 0, 0, 0},    {0.1f, 0, 0, 0}, {0.5f, 0, 0, 0},
              {0, 1000, 0, 0}, {0, 0, 0.7f, 0}, {0, 0, 0, 0.3f}};

static const char *floor_name(uint32_t i) {
    static const char *const names[] = {"no friction", "friction 0.1", "friction 0.5",
                                        "1 km out",    "at 0.7 m",     "yawed"};
    return names[i];
}

/* Boxes of 2 m x 1 m x 2 m side by side, the middle one at x = f->x, their tops at f->y. */
static void lay_floor(mote_system *system, const struct floor_case *f) {
    const mote_transform yaw = turned(0, 0, 0, (float[3]){0, 1, 0}, (double)f->yaw);
    for (int i = 0; i < TILES * TILES; i++) {
        mote_transform at = MOTE_TRANSFORM_IDENTITY;
        at.position[0] = f->x + 2 * (float)(i % TILES - TILES / 2), at.position[1] = f->y - 0.5f;
        at.position[2] = 2 * (float)(i / TILES - TILES / 2);
        const mote_transform place = mote_transform_multiply(&yaw, &at);
        mote_collider_def tile = mote_box(&place, (float[3]){1, 0.5f, 1});
        tile.friction = f->friction;
        add_collider(system, tile);
    }
}

TEST_EACH(points_that_slide_over_flush_boxes_do_not_fall, COUNT_OF(floors), floor_name, number) {
    const struct floor_case *f = &floors[number];
    mote_system_def def = bare_def(PARTICLES, MOTE_SEMI_IMPLICIT_EULER);
    def.friction = f->friction;
    mote_system *system = system_of(&def);
    random_source random = {3};
    uint32_t crossed = 0;
    lay_floor(system, f);
    add_gravity(system);
    const mote_range_view view = spawned(system, PARTICLES);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const float angle = random_between(&random, 0, 6.283f);
        put(&view, i, f->x + random_between(&random, -0.9f, 0.9f), f->y + 0.1f,
            random_between(&random, -0.9f, 0.9f));
        throw_at(&view, i, 3 * cosf(angle), 0, 3 * sinf(angle));
    }
    stepped(system, 75);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        crossed += fabsf(view.position.x[i] - f->x) > 1 || fabsf(view.position.z[i]) > 1;
        test_case("particle %u", i);
        ASSERT(view.position.y[i], >, f->y - 1e-3f);
    }
    ASSERT(crossed, >, PARTICLES / 3);
    mote_system_destroy(system);
}

/* --- Spheres that turn --- */

enum { CELLS = 41 };

static mote_distance_grid *ball_grid(void) {
    static float distances[CELLS * CELLS * CELLS];
    mote_distance_grid_def def = mote_default_distance_grid_def();
    mote_distance_grid *grid;
    for (int k = 0; k < CELLS * CELLS * CELLS; k++) {
        const float x = 0.1f * (float)(k % CELLS - 20), y = 0.1f * (float)(k / CELLS % CELLS - 20),
                    z = 0.1f * (float)(k / CELLS / CELLS - 20);
        distances[k] = sqrtf((x * x + y * y) + z * z) - 1;
    }
    for (int axis = 0; axis < 3; axis++) def.count[axis] = CELLS, def.origin[axis] = -2;
    def.spacing = 0.1f, def.distances = distances;
    OK(mote_distance_grid_create(&def, &grid));
    return grid;
}

/* A sphere of 1 m, or its grid, about the origin. */
static mote_collider_def ball_of(const mote_distance_grid *grid, float friction) {
    const mote_transform still = MOTE_TRANSFORM_IDENTITY;
    mote_collider_def def =
        grid ? mote_distance_grid_collider(&still, grid) : mote_sphere((float[3]){0, 0, 0}, 1);
    def.friction = friction, def.restitution = 0;
    return def;
}

/* Turns it about z in the next step, to -2 rad/s times the time. */
static void turn_ball(mote_system *system, mote_collider_id id, int step) {
    const mote_transform to = turned(0, 0, 0, (float[3]){0, 0, 1}, -2.0 * step / 60);
    OK(mote_system_move_collider(system, id, &to, MOTE_NEXT_ADVANCE));
}

static const char *substeps_name(uint32_t i) { return i == 0 ? "1" : i == 1 ? "4" : "8"; }

/* The first hit is at less than 1.2 m/s: friction 0.2 gives at most 0.24 m/s, and gravity 0.2 more. */
TEST_EACH(a_grid_that_turns_does_not_grip_what_falls_on_it, 3, substeps_name, number) {
    mote_system_def def = bare_def(PARTICLES, MOTE_SEMI_IMPLICIT_EULER);
    def.collision_radius = 0.05f, def.friction = 0.2f, def.substeps = (uint32_t[]){1, 4, 8}[number];
    mote_distance_grid *grid = ball_grid();
    mote_system *system = system_of(&def);
    random_source random = {8};
    const mote_collider_id id = add_collider(system, ball_of(grid, 0.2f));
    add_gravity(system);
    const mote_range_view view = spawned(system, PARTICLES);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const float x = random_between(&random, -0.1f, 0.1f), z = random_between(&random, -0.1f, 0.1f);
        put(&view, i, x, sqrtf(1.1025f - x * x - z * z) + random_between(&random, 0.01f, 0.05f), z);
    }
    for (int step = 1; step <= 8; step++) {
        turn_ball(system, id, step);
        stepped(system, 1);
    }
    double fastest = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) fastest = fmax(fastest, (double)view.velocity.x[i]);
    ASSERT(fastest, >, 0.05);
    ASSERT(fastest, <, 0.8);
    mote_system_destroy(system);
    mote_distance_grid_destroy(grid);
}

/* The material has 2 m/s at the surface, whatever the radius of the particle. */
TEST(a_particle_that_clings_has_the_speed_of_the_surface) {
    mote_distance_grid *grid = ball_grid();
    for (int of_grid = 0; of_grid < 2; of_grid++)
        for (int k = 0; k < 3; k++) {
            mote_system_def def = bare_def(1, MOTE_VELOCITY_VERLET);
            def.collision_radius = (float[]){0, 0.1f, 0.5f}[k], def.friction = 100, def.substeps = 8;
            mote_system *system = system_of(&def);
            const mote_collider_id id = add_collider(system, ball_of(of_grid ? grid : NULL, 100));
            add_gravity(system);
            const mote_range_view view = spawned(system, 1);
            put(&view, 0, 0, 1.001f + def.collision_radius, 0);
            for (int step = 1; step <= 4; step++) {
                turn_ball(system, id, step);
                stepped(system, 1);
            }
            test_case("grid %d, radius %g", of_grid, (double)def.collision_radius);
            ASSERT_NEAR(hypot((double)view.velocity.x[0], (double)view.velocity.y[0]), 2, 0.02);
            mote_system_destroy(system);
        }
    mote_distance_grid_destroy(grid);
}

/* --- Births --- */

static const char *wall_name(uint32_t i) { return i ? "moves away" : "stands"; }

/* Of 30 m/s, 0.2 m from a wall: most of them reach it within the step of their birth. */
TEST_EACH(particles_that_are_born_beside_a_wall_stick_to_it, 2, wall_name, number) {
    mote_system_def def = bare_def(2000, MOTE_SEMI_IMPLICIT_EULER);
    def.sticking = true;
    mote_system *system = system_of(&def);
    mote_transform at = MOTE_TRANSFORM_IDENTITY;
    at.position[1] = 0.7f;
    mote_collider_def wall = mote_box(&at, (float[3]){9, 0.5f, 9});
    wall.response = MOTE_RESPONSE_STICK;
    const mote_collider_id id = add_collider(system, wall);
    mote_emitter_def jet = mote_default_emitter_def();
    mote_emitter_id emitter;
    jet.speed = (mote_spread){30, 30}, jet.rate = 1800, jet.spread = 0.2f;
    OK(mote_system_add_emitter(system, &jet, &emitter));
    add_gravity(system);
    for (int step = 1; step <= 30; step++) {
        at.position[1] = 0.7f + 0.05f * (float)(number * (uint32_t)step);
        OK(mote_system_move_collider(system, id, &at, MOTE_NEXT_ADVANCE));
        if (step == 21) jet.rate = 0, OK(mote_system_set_emitter(system, emitter, &jet));
        stepped(system, 1);
    }
    const mote_range_view view = mote_system_view(system);
    ASSERT(view.count, ==, 600);
    for (uint32_t i = 0; i < view.count; i++) {
        test_case("particle %u", i);
        ASSERT(view.stuck[i], !=, 0);
    }
    mote_system_destroy(system);
}

/* A lift that rises at 3 m/s, in frames that are no whole number of steps. Its settings are replaced in each
 * frame; of the last system by a friction of its own, which ends the slide of the particles. */
TEST(a_collider_that_is_changed_moves_on) {
    mote_system *systems[3];
    mote_collider_id id[3];
    mote_range_view views[3];
    const mote_system_def def = bare_def(16, MOTE_SEMI_IMPLICIT_EULER);
    mote_collider_def lift = mote_box(&(mote_transform){{0, -1, 0}, {0, 0, 0, 1}}, (float[3]){20, 1, 20});
    lift.friction = 0;
    for (int k = 0; k < 3; k++) {
        systems[k] = system_of(&def);
        id[k] = add_collider(systems[k], lift);
        add_gravity(systems[k]);
        views[k] = spawned(systems[k], 16);
        for (uint32_t i = 0; i < 16; i++)
            put(&views[k], i, 0, 0, 0), throw_at(&views[k], i, 0.1f * (float)i, 3, 0);
    }
    for (int k = 0; k < 3; k++) lift.transform.position[k] = NAN; /* ignored */
    for (uint32_t frame = 1; frame <= 144; frame++) {
        mote_transform there = MOTE_TRANSFORM_IDENTITY;
        there.position[1] = 3 * (float)frame / 72 - 1;
        test_case("frame %u", frame);
        OK(mote_system_change_collider(systems[1], id[1], &lift));
        for (int k = 0; k < 3; k++) {
            OK(mote_system_move_collider(systems[k], id[k], &there, MOTE_NEXT_ADVANCE));
            lift.friction = k == 2 ? 2.0f : 0.0f;
            if (k) OK(mote_system_change_collider(systems[k], id[k], &lift));
            OK(mote_system_advance(systems[k], 1000000000 / 72, NULL));
        }
        lift.friction = 0;
        mote_transform placement;
        OK(mote_system_collider_placement(systems[2], id[2], &placement));
        ASSERT_NEAR(placement.position[1], 3 * mote_system_time(systems[2]) - 1, 1e-4);
        ASSERT(mote_system_hash(systems[1]), ==, mote_system_hash(systems[0]));
    }
    for (uint32_t i = 0; i < 16; i++) {
        ASSERT_NEAR(views[0].velocity.x[i], 0.1 * i, 1e-6);
        ASSERT(views[2].velocity.x[i], ==, 0);
        ASSERT_NEAR(views[2].velocity.y[i], 3, 1e-3);
    }
    for (int k = 0; k < 3; k++) mote_system_destroy(systems[k]);
}
